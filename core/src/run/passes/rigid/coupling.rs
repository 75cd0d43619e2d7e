//! Rigid bodies against all that is deformable.
//!
//! ```text
//!  once a step, and again when a cluster of features, or a shape, has left the box where it was expected
//!    boxes --> which shapes and clusters may meet; bodies that share no particle get one color
//!  every sweep, after the constraints and before the colliders
//!    bodies of a color at once; of each body one contact after another (`seidel_kernels::contact::coupling`); its pose
//! ```

use super::Rigid;
use super::boxes::{around, grown, joined, meet, pose, solid, turned};
use super::coupled::{CouplingScratch, EMPTY};
use super::floors::Floors;
use crate::describe::pose::{Pose, conjugate, product};
use crate::plan::coupling::Coupling as Plans;
use crate::run::passes::At;
use crate::run::passes::colliders::moving::Moving;
use crate::run::report::Phase;
use crate::tuning::{COUPLED_LEAST_GROWTH, COUPLED_MOST_GROWTH, LATER_WAY, PAIRS_A_SHAPE};
use seidel_kernels::contact::coupling::{CoupledShape, Coupling, Mover, Touches};
use seidel_kernels::contact::{SignedDistance, Traced};
use seidel_kernels::tuning::HOVER;
use seidel_kernels::{BATCH, Lanes, Row, Shared};
use seidel_rigid::motion::{Mass, inverse_inertia};
use seidel_workers::Crew;
use std::sync::atomic::{AtomicU32, Ordering};

/// Clusters that a worker takes at a time.
const CLUSTERS: usize = 64;

/// A body on its way from one pose to another, with the inertia that it has at a pose.
pub(super) fn mover(mass: &Mass, [then, now]: [&Pose; 2], of_inertia: &Pose) -> Mover {
    // R diag R^T
    let inverse = inverse_inertia(of_inertia.rotation, mass);
    Mover::new(mass.inv_mass, inverse, [then.position, now.position], turned(then, now)).locked(mass.locks.translation)
}

pub(super) fn narrow(m: [[f64; 3]; 3]) -> [[f32; 3]; 3] {
    m.map(|row| row.map(|v| v as f32))
}

impl Rigid<'_> {
    /// Pushes rigid bodies and what is deformable out of each other. Colliders are those of the substep; what they would
    /// push is added to `record`, if it is not empty.
    pub(crate) fn couple(&mut self, crew: &mut Crew<'_>, at: At, (moving, record): (&[Moving], Shared<'_, Row>)) {
        let Some(plan) = &self.common.plan.coupling else { return };
        self.hold(at);
        self.bound(crew, plan);
        if !self.scratch.coupling.known || self.scratch.coupling.strayed() {
            self.find_coupled(plan, at);
        }
        let (common, rigid, first) = (self.common, self.plan, at.is_first());
        let (state, scratch) = (&mut *self.state, &mut *self.scratch);
        let still = &scratch.still;
        if first {
            let CouplingScratch { floors, clusters, before, starts, .. } = &mut scratch.coupling;
            let gives = |body: usize| rigid.bodies[body].inv_mass > 0.0 && !still[body];
            let holds = |body: usize| !gives(body) && starts[body] < starts[body + 1];
            floors.list((common, plan, rigid), (moving, clusters), (before, &state.motions), holds);
        }
        let (motions, rows) = (Shared::new(&mut state.motions), Shared::new(&mut scratch.rows));
        let CouplingScratch { before, pairs, starts, order, colors, touches, contacts, floors, .. } =
            &mut scratch.coupling;
        let grounds = Floors::new(common, rigid, floors);
        touches.resize_with(rigid.bodies.len(), Touches::default);
        let (touches, before, order, colors) = (Shared::new(touches), &*before, &*order, &*colors);
        let (step_starts, pushed) = (&scratch.starts, AtomicU32::new(0));
        let coupling = Coupling {
            motion: common.motion,
            clusters: &plan.clusters,
            combine: common.plan.settings.friction_rule.of_grips(),
            h: common.h,
            first,
            record,
        };
        let rule = common.plan.settings.friction_rule;
        common.in_turn(crew, Phase::RigidParticles, (colors.len(), |c| colors[c].len()), |color, k| {
            let number = order[colors[color].start + k] as usize;
            let body = &rigid.bodies[number];
            // SAFETY: a body is once in `order`, so these are this closure's alone.
            let (motion, row, touches) = unsafe {
                (&mut motions.part(number, 1)[0], &mut rows.part(number, 1)[0], &mut touches.part(number, 1)[0])
            };
            let mut mass = body.mass();
            if still[number] {
                (mass.inv_mass, mass.inv_inertia) = (0.0, [0.0; 3]);
            }
            let (then, now) = (&before[number], pose(motion));
            let mut mover = mover(&mass, [then, &now], &now).reaching(body.arm);
            let grip = rule.grip(rigid.shapes[body.shapes.start].friction[0]);
            let placed = |shape: u32| {
                let (_, shape, own) = &rigid.shown[shape as usize];
                let (start, end) = (then.place(own), now.place(own));
                let [a, b] = [&start, &end].map(|pose| narrow(pose.matrix()));
                // A shape without a surface has no box, so it is in no pair.
                let solid = solid(shape)?;
                let traced = Traced { shape: solid, start: a, end: b };
                Some(CoupledShape { traced, from: start.position, to: end.position, friction: grip })
            };
            let of_pairs = &pairs[starts[number] as usize..starts[number + 1] as usize];
            // SAFETY: bodies of a color share no cluster's particles (`color`), and so nothing that is recorded of them.
            let count = unsafe {
                let held = common.plan.particle_joints.held(number);
                coupling.solve(&mut mover, placed, of_pairs, (held, &grounds), touches)
            };
            // Whole numbers: the order of the additions does not matter.
            pushed.fetch_add(count, Ordering::Relaxed);
            if mass.inv_mass > 0.0 {
                motion.nudge(mover.change(), mover.correction(), &step_starts[number], row, f64::from(common.h));
            }
        });
        *contacts = pushed.into_inner();
    }

    /// Boxes about all clusters and shapes.
    fn bound(&mut self, crew: &mut Crew<'_>, plan: &Plans) {
        let (common, rigid) = (self.common, self.plan);
        let CouplingScratch { before, clusters, shapes, .. } = &mut self.scratch.coupling;
        clusters.resize(plan.clusters.len(), (EMPTY, 0.0));
        let boxes = Shared::new(clusters);
        common.each(crew, Phase::RigidParticles, plan.clusters.len().div_ceil(CLUSTERS), |block| {
            for (number, cluster) in plan.clusters.iter().enumerate().skip(block * CLUSTERS).take(CLUSTERS) {
                // SAFETY: nobody writes rows in this stage; a block's boxes are this closure's alone.
                unsafe {
                    let off = common.off.bodies[cluster.body as usize];
                    boxes.part(number, 1)[0] = if off { (EMPTY, 0.0) } else { cluster.bounds(&common.motion) };
                }
            }
        });
        shapes.clear();
        shapes.extend(rigid.shown.iter().map(|(body, shape, own)| {
            let (then, now) = (&before[*body as usize], pose(&self.state.motions[*body as usize]));
            let there = Some(shape).filter(|_| !common.off.rigid[*body as usize]);
            let half = there.and_then(solid).and_then(|solid| solid.half());
            let Some(half) = half else { return (EMPTY, 0.0) };
            let (start, end) = (then.place(own), now.place(own));
            let bounds = joined(&around(&start, half), &around(&end, half));
            let way = (0..3).fold(0.0, |sum, k| {
                let moved = end.position[k] - start.position[k];
                sum + moved * moved
            });
            let [x, y, z, _] = product(end.rotation, conjugate(start.rotation));
            let sine = ((x * x + y * y) + z * z).sqrt();
            let arm = (0..3).fold(0.0f64, |sum, k| sum + f64::from(half[k]) * f64::from(half[k])).sqrt();
            (bounds, (way.sqrt() + 2.0 * sine * arm) as f32)
        }));
    }

    /// Finds which shapes and clusters may meet in the substeps that are left.
    fn find_coupled(&mut self, plan: &Plans, at: At) {
        let (common, rigid) = (self.common, self.plan);
        let left = (common.substeps - at.substep) as f32;
        let sleep = &self.state.sleep;
        let scratch = &mut self.scratch.coupling;
        let CouplingScratch {
            clusters, shapes, cluster_places, shape_places, groups, pairs, starts, overflowed, ..
        } = scratch;
        // How far something may leave its box: as far as it will go if it goes on so; one that moves fast as far as in
        // a substep.
        let growth = |way: f32, size: f32| {
            let (way, least, most) = (LATER_WAY * way, COUPLED_LEAST_GROWTH * size, COUPLED_MOST_GROWTH * size);
            Lanes::larger(Lanes::smaller(way * left, Lanes::larger(most, way)), least)
        };
        cluster_places.clear();
        let each = clusters.iter().zip(&plan.spacing);
        cluster_places.extend(each.map(|((bounds, way), &spacing)| grown(bounds, growth(*way, spacing))));
        shape_places.clear();
        shape_places.extend(shapes.iter().map(|(bounds, way)| {
            let size = (0..3).fold(0.0f32, |most, k| Lanes::larger(most, bounds[1][k] - bounds[0][k]));
            grown(bounds, growth(*way, 0.25 * size))
        }));
        groups.clear();
        groups.extend(cluster_places.chunks(BATCH).map(|of| of.iter().fold(EMPTY, |all, one| joined(&all, one))));
        pairs.clear();
        starts.clear();
        *overflowed = false;
        // Features keep their thickness, and hover.
        let reach = |cluster: usize| plan.clusters[cluster].thickness * (1.0 + HOVER as f32);
        let farthest = (0..plan.clusters.len()).map(reach).fold(0.0f32, Lanes::larger);
        let most = PAIRS_A_SHAPE * (plan.clusters.len() + rigid.shown.len());
        // A body that sleeps has to wake a step before something comes: it is looked for where it may be at the end of
        // the next one.
        let ahead = LATER_WAY * (left + common.substeps as f32);
        let fastest = clusters.iter().fold(0.0, |most, (_, way)| Lanes::larger(most, *way));
        for body in 0..rigid.bodies.len() {
            starts.push(pairs.len() as u32);
            for shape in rigid.shown_of(body) {
                let filter = rigid.bodies[body].filter;
                if rigid.bodies[body].sensor {
                    continue;
                }
                let asleep = sleep.is_asleep(body);
                let early = if asleep { ahead * fastest } else { 0.0 };
                let wide = grown(&shape_places[shape], farthest + early);
                for (group, _) in groups.iter().enumerate().filter(|(_, of)| meet(of, &wide)) {
                    for (cluster, place) in cluster_places.iter().enumerate().skip(group * BATCH).take(BATCH) {
                        let early = if asleep { ahead * clusters[cluster].1 } else { 0.0 };
                        let near = meet(place, &grown(&shape_places[shape], reach(cluster) + early));
                        let of = &common.plan.bodies[plan.clusters[cluster].body as usize];
                        if near && of.filter.meets(filter) {
                            pairs.push([shape as u32, cluster as u32]);
                        }
                    }
                }
                if pairs.len() > most {
                    // So many lie in one place that their pairs cannot be held: they pass through each other in this
                    // step.
                    *overflowed = true;
                    pairs.clear();
                    starts.fill(0);
                    break;
                }
            }
            if *overflowed {
                break;
            }
        }
        starts.resize(rigid.bodies.len() + 1, pairs.len() as u32);
        scratch.known = true;
        scratch.color(plan, rigid.bodies.len());
        common.laps.lap(Phase::RigidParticles);
    }
}
