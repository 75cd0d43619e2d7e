//! How deep vertices of deformable bodies are in rigid bodies. In f64 and without the kernels' search, so that each checks
//! the other.

use crate::describe::ids::{BodyId, RigidId};
use crate::describe::pose::Pose;
use crate::geometry::boxes::{Box3, BoxTree};
use crate::geometry::vector::P;
use crate::plan::Plan;
use crate::plan::body::BodyPlan;
use crate::run::passes::rigid::solid;
use crate::run::state::State;
use glam::Vec3;
use rayon::prelude::*;
use seidel_kernels::V3;
use seidel_kernels::contact::coupling::Hold;
use seidel_kernels::contact::{SignedDistance, Solid};

/// How deep a deformable body is in the surface of a rigid one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidPenetration {
    /// The deformable body.
    pub body: BodyId,
    /// The rigid one.
    pub rigid: RigidId,
    /// The deepest vertex; of the skin of a body that has one ([`crate::SoftBody::skin`]).
    pub vertex: u32,
    /// How far it is behind the surface, metres; above 0.
    pub depth: f32,
}

/// A shape of a rigid body in a state.
struct PlacedSolid<'a> {
    rigid: usize,
    solid: Solid<'a>,
    position: P,
    turn: [P; 3],
    bounds: Box3,
}

impl PlacedSolid<'_> {
    fn distance(&self, x: P) -> f64 {
        let d: P = std::array::from_fn(|k| x[k] - self.position[k]);
        let local = [0, 1, 2].map(|k| (self.turn[0][k] * d[0] + self.turn[1][k] * d[1]) + self.turn[2][k] * d[2]);
        self.solid.distance(V3::<f64>::set(local)).0
    }
}

/// A vertex in a rigid body: places of both bodies, the vertex, and its depth.
type Inside = ([usize; 2], u32, f64);

impl Plan {
    /// How far the deepest vertex of a deformable body is inside the surface of a rigid one plus its own thickness,
    /// metres; 0 if none is. Vertices count as in [`Plan::rigid_penetrations`]. None if no deformable body can meet a
    /// rigid one: without either, or if all others are fluids.
    ///
    /// # Panics
    /// If the state is another plan's.
    #[must_use]
    pub fn max_rigid_penetration(&self, state: &State) -> Option<f32> {
        self.owns(state);
        self.coupling.as_ref()?;
        let all = self.in_rigid(state, |body, vertex| match body.skin {
            Some(_) => body.thickness,
            None => body.thickness_of(&[vertex]),
        });
        Some(all.into_iter().fold(0.0, |deepest, (.., depth)| f64::max(deepest, depth)) as f32)
    }

    /// Deformable bodies with vertices in the surfaces of rigid bodies, thicknesses aside, in the order of bodies and
    /// then of rigid bodies, with the deepest vertex of each. Of a body with a skin those of the skin. Vertices that are
    /// pinned, or that a joint holds to this rigid body, do not count; nor do sensors, and particles of fluids.
    ///
    /// # Panics
    /// If the state is another plan's.
    #[must_use]
    pub fn rigid_penetrations(&self, state: &State) -> Vec<RigidPenetration> {
        let (body_at, rigid_at) = (self.body_at(), self.rigid_at());
        let all = self.in_rigid(state, |_, _| 0.0).into_iter().map(|([body, rigid], vertex, depth)| RigidPenetration {
            body: body_at(body),
            rigid: rigid_at(rigid),
            vertex,
            depth: depth as f32,
        });
        all.filter(|found| found.depth > 0.0).collect()
    }

    /// The deepest vertex of each body in each rigid body that it meets and is in, with what its vertices keep.
    fn in_rigid(&self, state: &State, kept: impl Fn(&BodyPlan, u32) -> f32 + Sync) -> Vec<Inside> {
        self.owns(state);
        let Some(rigid) = self.rigid.as_ref().filter(|_| self.coupling.is_some()) else { return Vec::new() };
        let placed: Vec<PlacedSolid<'_>> = self.placed_solids(state);
        let of = |place: u32| placed[place as usize].bounds;
        let all = (0..placed.len() as u32).collect();
        let tree = BoxTree::new(all, of, |place, axis| of(place)[0][axis] + of(place)[1][axis]);
        let fluids: Vec<usize> = self.fluids.iter().flat_map(|fluids| &fluids.bodies).map(|of| of.body).collect();
        let mut deepest: Vec<Inside> = Vec::new();
        for (number, body) in self.bodies.iter().enumerate() {
            if state.off.bodies[number] || fluids.contains(&number) {
                continue;
            }
            let meets = |of: &PlacedSolid<'_>| rigid.bodies[of.rigid].filter.meets(body.filter);
            let is_held = |rigid: usize, vertex: u32| {
                let held = self.particle_joints.held(rigid);
                let row = || Hold::new(body.layout, body.particle(vertex) as usize).first();
                !held.is_empty() && body.skin.is_none() && held.binary_search(&row()).is_ok()
            };
            let inside = |(vertex, x): (u32, P)| {
                let (own, mut found) = (f64::from(kept(body, vertex)), Vec::new());
                let near =
                    |[low, high]: &Box3| (0..3).all(|k| low[k] - own <= x[k] && x[k] <= high[k] + own).then_some(0.0);
                tree.walk(f64::INFINITY, near, |place| {
                    let of = &placed[place as usize];
                    if near(&of.bounds).is_some() && meets(of) && !is_held(of.rigid, vertex) {
                        let depth = own - of.distance(x);
                        if depth > 0.0 {
                            found.push(([number, of.rigid], vertex, depth));
                        }
                    }
                    f64::INFINITY
                });
                found
            };
            let mut found: Vec<Inside> = free_vertices(body, state).into_par_iter().flat_map_iter(inside).collect();
            // Of equally deep ones the first.
            found.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.2.total_cmp(&a.2)).then(a.1.cmp(&b.1)));
            found.dedup_by_key(|(bodies, ..)| *bodies);
            deepest.append(&mut found);
        }
        deepest
    }

    /// The shapes of rigid bodies that push, where a state has them.
    fn placed_solids(&self, state: &State) -> Vec<PlacedSolid<'_>> {
        let Some(rigid) = &self.rigid else { return Vec::new() };
        let placed = rigid.shown.iter().filter_map(|(number, shape, own)| {
            let number = *number as usize;
            let motion = &state.rigid.motions[number];
            let pose = Pose { position: motion.position, rotation: motion.rotation }.place(own);
            let solid = solid(shape)?;
            let (half, turn, position) = (solid.half()?, pose.matrix(), pose.position);
            let reach: P = std::array::from_fn(|k| (0..3).map(|j| turn[k][j].abs() * f64::from(half[j])).sum());
            let bounds = [[0, 1, 2].map(|k| position[k] - reach[k]), [0, 1, 2].map(|k| position[k] + reach[k])];
            let is_there = !(state.off.rigid[number] || rigid.bodies[number].sensor);
            let is_finite = bounds.as_flattened().iter().all(|c| c.is_finite());
            (is_there && is_finite).then_some(PlacedSolid { rigid: number, solid, position, turn, bounds })
        });
        placed.collect()
    }
}

/// Vertices that can move, and where they are: of a body's skin, if it has one.
fn free_vertices(body: &BodyPlan, state: &State) -> Vec<(u32, P)> {
    let rows = (0..body.to_row.len()).map(|vertex| body.get(&state.x, vertex));
    let Some(skin) = &body.skin else {
        let free = (0..).zip(rows).filter(|(_, x)| x[3] > 0.0);
        return free.map(|(vertex, [x, y, z, _])| (vertex, [x, y, z].map(f64::from))).collect();
    };
    let rows: Vec<_> = rows.collect();
    let simulated: Vec<Vec3> = rows.iter().map(|[x, y, z, _]| Vec3::new(*x, *y, *z)).collect();
    let mut shown = vec![Vec3::ZERO; skin.mesh().positions.len()];
    skin.update(&simulated, &mut shown);
    let is_free = |vertex: u32| {
        let bond = &skin.bonds()[vertex as usize];
        bond.is_near() && bond.corners.iter().any(|&corner| rows[corner as usize][3] > 0.0)
    };
    let all = (0..).zip(shown).filter(|(vertex, _)| is_free(*vertex));
    all.map(|(vertex, x)| (vertex, x.to_array().map(f64::from))).collect()
}
