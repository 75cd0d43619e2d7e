//! How deep bodies are in colliders. In f64 and without the kernels' search, so that each checks the other.

use crate::describe::collider::Collider;
use crate::plan::Plan;
use crate::plan::body::BodyPlan;
use crate::run::passes::colliders::gap::{Gaps, gap, point};
use crate::run::passes::colliders::moving::Transform;
use crate::run::state::State;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// Vertices or triangles that a thread takes at a time.
const AT_ONCE: usize = 1024;

/// The deepest so far, metres, of all threads: numbers that are not negative are in the order of their bits.
#[derive(Debug, Default)]
struct Deepest(AtomicU64);

impl Deepest {
    fn get(&self) -> f64 {
        f64::from_bits(self.0.load(Ordering::Relaxed))
    }

    fn take(&self, depth: f64) {
        if depth > 0.0 {
            self.0.fetch_max(depth.to_bits(), Ordering::Relaxed);
        }
    }
}

impl Plan {
    /// [`Measurements::max_penetration`], metres.
    ///
    /// [`Measurements::max_penetration`]: crate::Measurements::max_penetration
    ///
    /// # Panics
    /// If the state is another plan's.
    #[must_use]
    pub fn max_penetration(&self, state: &State) -> f32 {
        self.owns(state);
        let all = self.colliders.iter().zip(&state.poses).zip(&state.off.colliders);
        let there: Vec<(&Collider, Transform)> =
            all.filter(|(_, off)| !**off).map(|((collider, pose), _)| (collider, Transform::of(pose))).collect();
        let deepest = Deepest::default();
        self.bodies.par_iter().filter(|body| body.skin.is_none()).for_each(|body| {
            let met = there.iter().filter(|(collider, _)| body.filter.meets(collider.filter));
            let gaps: Vec<_> = met.map(|(collider, frame)| Gaps::new(collider, frame)).collect();
            if !gaps.is_empty() {
                body_in(body, state, &gaps, &deepest);
            }
        });
        self.skins.tiles.par_iter().for_each(|tile| {
            let body = &self.bodies[self.skins.bodies[tile.skin].body];
            for (collider, frame) in there.iter().filter(|(collider, _)| body.filter.meets(collider.filter)) {
                let places = (0..tile.points.points()).map(|i| tile.place(i, body.layout, &state.x));
                places.filter(|(_, free)| *free).for_each(|(x, _)| {
                    deepest.take(-gap(collider, frame, &[x], body.thickness));
                });
            }
        });
        deepest.get() as f32
    }
}

/// The deepest vertex or triangle of a body in colliders. The distance of a vertex is asked for once, not by each of
/// its triangles; a triangle is looked at as long as it may be deeper than what was found.
fn body_in(body: &BodyPlan, state: &State, gaps: &[Gaps<'_>], deepest: &Deepest) {
    let rows = (0..body.to_row.len()).map(|vertex| body.get(&state.x, vertex));
    let (at, free): (Vec<[f64; 3]>, Vec<bool>) = rows.map(|x| (point(&x), x[3] > 0.0)).unzip();
    let mut away = vec![0.0; at.len()];
    for gaps in gaps {
        away.par_chunks_mut(AT_ONCE).enumerate().for_each(|(chunk, away)| {
            for (k, away) in away.iter_mut().enumerate() {
                let v = chunk * AT_ONCE + k;
                *away = gaps.away(&at[v]);
                if free[v] {
                    let own = body.thickness_of(&[v as u32]);
                    deepest.take(-gaps.between(&at[v..v + 1], &[*away], own, f64::INFINITY));
                }
            }
        });
        body.triangles.par_chunks(AT_ONCE).for_each(|triangles| {
            for t in triangles {
                let corners = t.map(|v| v as usize);
                if corners.iter().any(|&v| free[v]) {
                    let (points, away) = (corners.map(|v| at[v]), corners.map(|v| away[v]));
                    deepest.take(-gaps.between(&points, &away, body.thickness_of(t), -deepest.get()));
                }
            }
        });
    }
}
