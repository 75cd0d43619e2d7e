//! How deep bodies are in colliders. In f64 and without the kernels' search, so that each checks the other.

use crate::describe::collider::Collider;
use crate::describe::ids::{BodyId, ColliderId};
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

/// How deep a body is in a collider's surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penetration {
    /// The body.
    pub body: BodyId,
    /// The collider.
    pub collider: ColliderId,
    /// How far the deepest particle or triangle is behind the surface, metres.
    pub depth: f32,
}

/// From where depths are measured.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Level {
    /// The surface plus the thicknesses of the collider and the body.
    Thickness,
    Surface,
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
        self.deepest(state, |_, _| true, Level::Thickness) as f32
    }

    /// The body that is deepest in a collider's surface, thicknesses aside, if one is: of bodies and colliders as
    /// [`Measurements::max_penetration`] looks at them.
    ///
    /// [`Measurements::max_penetration`]: crate::Measurements::max_penetration
    ///
    /// # Panics
    /// If the state is another plan's.
    #[must_use]
    pub fn deepest_penetration(&self, state: &State) -> Option<Penetration> {
        self.owns(state);
        let deepest = |body: Option<usize>, collider: Option<usize>| {
            let is = |of: Option<usize>, place: usize| of.is_none_or(|of| of == place);
            self.deepest(state, |b, c| is(body, b) && is(collider, c), Level::Surface)
        };
        let depth = deepest(None, None);
        let body = (0..self.bodies.len()).find(|&body| depth > 0.0 && deepest(Some(body), None) == depth)?;
        let collider = (0..self.colliders.len()).find(|&collider| deepest(Some(body), Some(collider)) == depth)?;
        Some(Penetration { body: self.body_at()(body), collider: self.collider_at()(collider), depth: depth as f32 })
    }

    /// The greatest depth of some pairs of a body and a collider, by their places, metres.
    fn deepest(&self, state: &State, asks: impl Fn(usize, usize) -> bool + Sync, from: Level) -> f64 {
        let all = self.colliders.iter().zip(&state.poses).zip(&state.off.colliders).enumerate();
        let on = all.filter(|(_, (_, off))| !**off);
        let there: Vec<(usize, &Collider, Transform)> =
            on.map(|(c, ((collider, pose), _))| (c, collider, Transform::of(pose))).collect();
        let meets = |number: usize, body: &BodyPlan, c: usize, collider: &Collider| {
            asks(number, c) && body.filter.meets(collider.filter)
        };
        let deepest = Deepest::default();
        self.bodies.par_iter().enumerate().filter(|(_, body)| body.skin.is_none()).for_each(|(number, body)| {
            let met = there.iter().filter(|(c, collider, _)| meets(number, body, *c, collider));
            let gaps: Vec<_> = met.map(|(_, collider, frame)| (*collider, Gaps::new(collider, frame))).collect();
            if !gaps.is_empty() {
                body_in(body, state, &gaps, from, &deepest);
            }
        });
        self.skins.tiles.par_iter().for_each(|tile| {
            let number = self.skins.bodies[tile.skin].body;
            let body = &self.bodies[number];
            for (_, collider, frame) in there.iter().filter(|(c, collider, _)| meets(number, body, *c, collider)) {
                let places = (0..tile.points.points()).map(|i| tile.place(i, body.layout, &state.x));
                places.filter(|(_, free)| *free).for_each(|(x, _)| {
                    deepest.take(-gap(collider, frame, &[x], from.thickness(body.thickness, collider)));
                });
            }
        });
        deepest.get()
    }
}

impl Level {
    /// The thickness of a feature that [`Gaps`] is to add to the collider's.
    fn thickness(self, own: f32, collider: &Collider) -> f32 {
        if self == Level::Thickness { own } else { -collider.thickness }
    }
}

/// The deepest vertex or triangle of a body in colliders. The distance of a vertex is asked for once, not by each of
/// its triangles; a triangle is looked at as long as it may be deeper than what was found.
fn body_in(body: &BodyPlan, state: &State, gaps: &[(&Collider, Gaps<'_>)], from: Level, deepest: &Deepest) {
    let rows = (0..body.to_row.len()).map(|vertex| body.get(&state.x, vertex));
    let (at, free): (Vec<[f64; 3]>, Vec<bool>) = rows.map(|x| (point(&x), x[3] > 0.0)).unzip();
    let mut away = vec![0.0; at.len()];
    for (collider, gaps) in gaps {
        away.par_chunks_mut(AT_ONCE).enumerate().for_each(|(chunk, away)| {
            for (k, away) in away.iter_mut().enumerate() {
                let v = chunk * AT_ONCE + k;
                *away = gaps.away(&at[v]);
                if free[v] {
                    let own = from.thickness(body.thickness_of(&[v as u32]), collider);
                    deepest.take(-gaps.between(&at[v..v + 1], &[*away], own, f64::INFINITY));
                }
            }
        });
        body.triangles.par_chunks(AT_ONCE).for_each(|triangles| {
            for t in triangles {
                let corners = t.map(|v| v as usize);
                if corners.iter().any(|&v| free[v]) {
                    let (points, away) = (corners.map(|v| at[v]), corners.map(|v| away[v]));
                    let own = from.thickness(body.thickness_of(t), collider);
                    deepest.take(-gaps.between(&points, &away, own, -deepest.get()));
                }
            }
        });
    }
}
