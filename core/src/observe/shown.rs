//! How deep what is shown in place of tetrahedra is in colliders and in other bodies, and those in it.

use crate::geometry::shell::Shell;
use crate::geometry::vector::P;
use crate::plan::Plan;
use crate::plan::body::BodyPlan;
use crate::run::passes::colliders::gap::gap;
use crate::run::passes::colliders::moving::Transform;
use crate::run::state::State;
use glam::Vec3;
use rayon::prelude::*;
use std::sync::Arc;

/// What is shown of a body: its skin, or where it has none its own vertices and triangles.
struct Shown<'a> {
    body: &'a BodyPlan,
    at: Vec<[f32; 3]>,
    /// Lowest and highest corner of what is finite.
    bounds: [[f32; 3]; 2],
}

impl<'a> Shown<'a> {
    fn of(body: &'a BodyPlan, state: &State) -> Shown<'a> {
        let mut at = vec![[0.0; 3]; body.to_row.len()];
        body.each(&state.x, |vertex, [x, y, z, _]| at[vertex] = [x, y, z]);
        if let Some(skin) = &body.skin {
            let simulated: Vec<Vec3> = at.into_iter().map(Vec3::from).collect();
            let mut shown = vec![Vec3::ZERO; skin.mesh().positions.len()];
            skin.update(&simulated, &mut shown);
            at = shown.iter().map(Vec3::to_array).collect();
        }
        let mut bounds = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
        for x in at.iter().filter(|x| x.iter().all(|c| c.is_finite())) {
            for k in 0..3 {
                bounds[0][k] = bounds[0][k].min(x[k]);
                bounds[1][k] = bounds[1][k].max(x[k]);
            }
        }
        Shown { body, at, bounds }
    }

    fn overlaps(&self, other: &Shown<'_>) -> bool {
        let ([a, b], [c, d]) = (self.bounds, other.bounds);
        (0..3).all(|k| a[k] <= d[k] && c[k] <= b[k])
    }

    /// How far a point is from the nearest side of the bounds, if it is within them; one that is not finite is not.
    fn reach(&self, x: &[f32; 3]) -> Option<f32> {
        let of_axis = |k: usize| f32::min(x[k] - self.bounds[0][k], self.bounds[1][k] - x[k]);
        let sides = [0, 1, 2].map(of_axis);
        sides.iter().all(|side| *side >= 0.0).then(|| sides.into_iter().fold(f32::INFINITY, f32::min))
    }

    /// The particles of which a vertex hangs.
    fn particles(&self, vertex: u32) -> Vec<u32> {
        let simulated = match &self.body.skin {
            Some(skin) => skin.bonds()[vertex as usize].corners.to_vec(),
            None => vec![vertex],
        };
        simulated.into_iter().map(|v| self.body.particle(v)).collect()
    }
}

impl Plan {
    /// How far the deepest vertex of a surface that is shown in place of tetrahedra ([`crate::SoftBody::skin`]) is
    /// inside a collider, or inside what is shown of another body that it collides with; and the deepest vertex of such
    /// a body inside of it; metres, without any thickness. What is shown of a body without such a surface are its own
    /// triangles. Bodies count as things to be inside of where their surface closes: every edge is that of two
    /// triangles that agree about outside. Vertices where a joint holds the bodies together do not count. None if no
    /// body has such a surface.
    ///
    /// Of several pieces, or of a surface that goes through itself, a point counts as inside by the nearest of them.
    ///
    /// # Panics
    /// If the state is another plan's.
    #[must_use]
    pub fn max_shown_penetration(&self, state: &State) -> Option<f32> {
        self.owns(state);
        let there = || self.bodies.iter().zip(&state.off.bodies).filter(|(_, off)| !**off).map(|(body, _)| body);
        let skins: Vec<Shown<'_>> =
            there().filter(|body| body.skin.is_some()).map(|body| Shown::of(body, state)).collect();
        if skins.is_empty() {
            return None;
        }
        let in_colliders = skins.iter().map(|shown| {
            let all = self.colliders.iter().zip(&state.poses).zip(&state.off.colliders);
            let met = all.filter(|((c, _), off)| !**off && c.filter.meets(shown.body.filter));
            met.map(|((collider, pose), _)| {
                let frame = Transform::of(pose);
                let depth = |x: &[f32; 3]| -gap(collider, &frame, &[x.map(f64::from)], 0.0);
                shown.at.par_iter().map(depth).reduce(|| 0.0, f64::max)
            })
            .fold(0.0, f64::max)
        });
        let in_colliders = in_colliders.fold(0.0, f64::max);
        let meets_skins =
            |body: &&BodyPlan| body.skin.is_none() && skins.iter().any(|skin| self.collide(skin.body, body));
        let others: Vec<Shown<'_>> = there().filter(meets_skins).map(|body| Shown::of(body, state)).collect();
        Some(f64::max(in_colliders, self.in_each_other(&skins, &others)) as f32)
    }

    /// The depth of the deepest vertex of a body that is inside another, metres, of which one has a skin.
    fn in_each_other(&self, skins: &[Shown<'_>], others: &[Shown<'_>]) -> f64 {
        let deepest = |into: &Shown<'_>| {
            let unskinned = if into.body.skin.is_some() { others } else { &[] };
            let all = skins.iter().chain(unskinned);
            let mut points: Vec<(f32, &Shown<'_>, u32)> = Vec::new();
            for from in all.filter(|from| from.overlaps(into) && self.collide(from.body, into.body)) {
                points.extend((0..).zip(&from.at).filter_map(|(v, x)| Some((into.reach(x)?, from, v))));
            }
            if points.is_empty() || !into.at.as_flattened().iter().all(|c| c.is_finite()) {
                return 0.0;
            }
            let Some(shell) = self.shell(into.body) else { return 0.0 };
            let tree = shell.tree(&into.at);
            // None is deeper than it is within the bounds, but for their rounding.
            points.sort_by(|a, b| b.0.total_cmp(&a.0));
            let mut deepest = 0.0;
            for (reach, from, vertex) in points {
                if f64::from(reach) * (1.0 + 1e-6) < deepest {
                    break;
                }
                let x: P = from.at[vertex as usize].map(f64::from);
                let Some(inside) = shell.inside(&into.at, &tree, x).filter(|inside| inside.depth > deepest) else {
                    continue;
                };
                let corners = shell.triangles()[inside.triangle as usize];
                let corners: Vec<u32> = corners.iter().flat_map(|&v| into.particles(v)).collect();
                if !self.joined.hold(&from.particles(vertex), &corners) {
                    deepest = inside.depth;
                }
            }
            deepest
        };
        skins.par_iter().chain(others).map(deepest).reduce(|| 0.0, f64::max)
    }

    /// Whether two bodies that are not the same collide.
    fn collide(&self, a: &BodyPlan, b: &BodyPlan) -> bool {
        let exact = || self.surfaces.as_ref().is_some_and(|all| all.collide(a.start as u32, b.start as u32));
        let number = |body: &BodyPlan| self.bodies.partition_point(|other| other.start < body.start);
        let spheres = || {
            let of = |body: &BodyPlan| self.spheres.as_ref().is_some_and(|all| all.bodies.contains(&number(body)));
            of(a) && of(b) && a.filter.meets(b.filter)
        };
        a.start != b.start && (exact() || spheres())
    }

    /// What is shown of a body, if it closes. Of a skin, vertices at the same place at rest are one.
    fn shell(&self, body: &BodyPlan) -> Option<Arc<Shell>> {
        let made = || {
            let shell = match &body.skin {
                Some(skin) => Shell::new(&skin.mesh().positions, skin.mesh().merged()),
                None => {
                    let mut rest = vec![[0.0; 3]; body.to_row.len()];
                    body.each(&self.x, |vertex, [x, y, z, _]| rest[vertex] = [x, y, z]);
                    Shell::new(&rest, body.triangles.to_vec())
                }
            };
            shell.map(Arc::new)
        };
        body.shell.get_or_init(made).clone()
    }
}
