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
    /// How far the deepest particle or triangle is behind the surface, metres; above 0.
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
        let all = self.depths(state, Level::Thickness);
        all.into_iter().fold(0.0, |deepest, (_, depth)| f64::max(deepest, depth)) as f32
    }

    /// Bodies that are in colliders' surfaces, thicknesses aside, in the order of bodies and then of colliders: of
    /// particles and triangles that [`Measurements::max_penetration`] looks at, so not of rigid bodies.
    ///
    /// [`Measurements::max_penetration`]: crate::Measurements::max_penetration
    ///
    /// # Panics
    /// If the state is another plan's.
    #[must_use]
    pub fn penetrations(&self, state: &State) -> Vec<Penetration> {
        self.owns(state);
        let (body_at, collider_at) = (self.body_at(), self.collider_at());
        let all = self.depths(state, Level::Surface).into_iter().map(|([body, collider], depth)| Penetration {
            body: body_at(body),
            collider: collider_at(collider),
            depth: depth as f32,
        });
        all.filter(|found| found.depth > 0.0).collect()
    }

    /// Depths of bodies in colliders that they meet, by their places, metres; 0 where there is none.
    fn depths(&self, state: &State, level: Level) -> Vec<([usize; 2], f64)> {
        let there: Vec<_> = self.colliders.iter().zip(&state.poses).zip(&state.off.colliders).collect();
        let of_body = |number: usize| {
            let body = &self.bodies[number];
            let met = there.iter().enumerate();
            let met = met.filter(|(_, ((collider, _), off))| !**off && body.filter.meets(collider.filter));
            let depths = met.map(|(c, ((collider, pose), _))| {
                let (frame, deepest) = (Transform::of(pose), Deepest::default());
                match body.skin {
                    None => body_in(body, state, (collider, &Gaps::new(collider, &frame)), level, &deepest),
                    Some(_) => self.skin_in(number, state, (collider, &frame), level, &deepest),
                }
                ([number, c], deepest.get())
            });
            depths.collect::<Vec<_>>()
        };
        (0..self.bodies.len()).into_par_iter().flat_map_iter(of_body).collect()
    }

    /// The deepest point of a body's skin in a collider.
    fn skin_in(
        &self,
        number: usize,
        state: &State,
        (collider, frame): (&Collider, &Transform),
        level: Level,
        deepest: &Deepest,
    ) {
        let body = &self.bodies[number];
        let own = level.thickness(body.thickness, collider);
        for tile in self.skins.of_body(number) {
            let places = (0..tile.points.points()).map(|i| tile.place(i, body.layout, &state.x));
            places.filter(|(_, free)| *free).for_each(|(x, _)| deepest.take(-gap(collider, frame, &[x], own)));
        }
    }
}

impl Level {
    /// The thickness of a feature that [`Gaps`] is to add to the collider's.
    fn thickness(self, own: f32, collider: &Collider) -> f32 {
        if self == Level::Thickness { own } else { -collider.thickness }
    }
}

/// The deepest vertex or triangle of a body in a collider. The distance of a vertex is asked for once, not by each of
/// its triangles; a triangle is looked at as long as it may be deeper than what was found.
fn body_in(body: &BodyPlan, state: &State, (collider, gaps): (&Collider, &Gaps<'_>), level: Level, deepest: &Deepest) {
    let rows = (0..body.to_row.len()).map(|vertex| body.get(&state.x, vertex));
    let (at, free): (Vec<[f64; 3]>, Vec<bool>) = rows.map(|x| (point(&x), x[3] > 0.0)).unzip();
    let mut away = vec![0.0; at.len()];
    away.par_chunks_mut(AT_ONCE).enumerate().for_each(|(chunk, away)| {
        for (k, away) in away.iter_mut().enumerate() {
            let v = chunk * AT_ONCE + k;
            *away = gaps.away(&at[v]);
            if free[v] {
                let own = level.thickness(body.thickness_of(&[v as u32]), collider);
                deepest.take(-gaps.between(&at[v..v + 1], |_| *away, own, f64::INFINITY));
            }
        }
    });
    body.triangles.par_chunks(AT_ONCE).for_each(|triangles| {
        for t in triangles {
            let corners = t.map(|v| v as usize);
            if corners.iter().any(|&v| free[v]) {
                let points = corners.map(|v| at[v]);
                let own = level.thickness(body.thickness_of(t), collider);
                deepest.take(-gaps.between(&points, |k| away[corners[k]], own, -deepest.get()));
            }
        }
    });
}
