//! rapier3d's soft body: rows solved at velocity level, linearised once a substep.
//!
//! Two figures, each a slope, so that what a step costs besides (broad phase, islands, copies) is in none of them:
//! `substeps`, the time of one more substep with one iteration, which is what each of our sweeps is, a constraint
//! evaluated anew; and `iterations`, the time of one more iteration over rows that stay as they were, which is less
//! work.

use crate::prepared::{Prepared, positive};
use rapier3d::prelude::*;
use seidel_bench::motion::{DT, Motion, SWEEPS, inv_masses};
use seidel_bench::rounds::Contender;
use seidel_bench::rows;
use seidel_bench::swept::Swept;
use std::time::Instant;

/// A number of substeps, and of iterations in each.
#[derive(Clone, Copy)]
struct Counts {
    substeps: usize,
    iterations: usize,
}

struct Slope {
    world: PhysicsWorld,
    body: SoftBodyHandle,
    motion: Motion,
    constraints: usize,
    few: Counts,
    more: Counts,
}

pub(crate) fn substeps(swept: &Swept, threads: usize) -> Option<Prepared> {
    let of = |substeps| Counts { substeps, iterations: 1 };
    prepared(swept, threads, of(1), of(5))
}

pub(crate) fn iterations(swept: &Swept, threads: usize) -> Option<Prepared> {
    let of = |iterations| Counts { substeps: 1, iterations };
    prepared(swept, threads, of(1), of(9))
}

fn prepared(swept: &Swept, threads: usize, few: Counts, more: Counts) -> Option<Prepared> {
    let (mesh, side) = swept.mesh();
    let mut builder = SoftBodyBuilder::new(mesh.positions.iter().map(|&p| Vector::from_array(p)).collect());
    let constraints = match swept.kind.name() {
        "distance" => {
            let edges: Vec<[u32; 2]> = rows::springs(&mesh, side).chunks_exact(2).map(|e| [e[0], e[1]]).collect();
            let count = edges.len();
            builder = builder.edges(edges);
            count
        }
        "dihedral" => {
            let hinges: Vec<[u32; 4]> = rows::hinges(&mesh).chunks_exact(4).map(|h| [h[0], h[1], h[2], h[3]]).collect();
            let count = hinges.len();
            builder = builder.dihedrals(hinges);
            count
        }
        _ => return None,
    };
    let pinned = inv_masses(&mesh).into_iter().zip(0..).filter(|(w, _)| *w == 0.0).map(|(_, v)| v);
    // A cloth that touches nothing; more would be added iterations, and a collider around it.
    let builder =
        builder.pinned_particles(pinned).mass(0.2).additional_pgs_iterations(0).no_surface_collider().can_sleep(false);
    let mut world = PhysicsWorld::new();
    // As many rows are solved again, and as many substeps are added, as the motion asks for: none, for a fixed count.
    world.integration_parameters.soft_bodies.max_extra_substeps = 0;
    world.integration_parameters.soft_bodies.resweep_strain = f32::MAX;
    world.physics_pipeline.configure_thread_pool(threads).ok()?;
    let body = world.insert_soft_body(builder);
    let motion = Motion::of(&mesh);
    let contender = Box::new(Slope { world, body, motion, constraints, few, more });
    Some(Prepared { constraints, lanes: "simd8", contender })
}

impl Slope {
    /// ns of a step from the start.
    fn step(&mut self, counts: Counts) -> f64 {
        let parameters = &mut self.world.integration_parameters;
        parameters.dt = DT / SWEEPS as f32 * counts.substeps as f32;
        parameters.num_solver_iterations = counts.substeps;
        parameters.num_internal_pgs_iterations = counts.iterations;
        let body = &mut self.world.soft_bodies[self.body];
        for (i, (x, v)) in self.motion.x.iter().zip(&self.motion.v).enumerate() {
            body.set_particle_position(i, Vector::from_array(x.to_array()));
            body.set_particle_velocity(i, Vector::from_array(v.to_array()));
        }
        let start = Instant::now();
        self.world.step();
        start.elapsed().as_nanos() as f64
    }
}

impl Contender for Slope {
    fn round(&mut self) -> Option<f64> {
        let least = |slope: &mut Slope, counts| (0..3).map(|_| slope.step(counts)).fold(f64::MAX, f64::min);
        let (few, more) = (self.few, self.more);
        let time = least(self, more) - least(self, few);
        let sweeps = more.substeps * more.iterations - few.substeps * few.iterations;
        let moved = self.world.soft_bodies[self.body].particle_positions().all(|p| p.is_finite());
        moved.then(|| positive(time / (sweeps * self.constraints) as f64))
    }
}
