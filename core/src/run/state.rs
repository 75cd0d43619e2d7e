//! State: all that moves. A snapshot is a clone of it; nothing else has to be saved.

use crate::describe::error::{Error, range};
use crate::describe::frame::{is_unit, normalised};
use crate::describe::ids::{BodyId, ColliderId, SceneNumbers, SceneTag};
use crate::describe::pose::Pose;
use crate::describe::torn::Tears;
use crate::plan::Plan;
use crate::plan::body::BodyPlan;
use crate::run::fluid::FluidState;
use crate::run::grains::GrainState;
use crate::run::off::Off;
use crate::run::past::Past;
use crate::run::plasticity::PlasticityState;
use crate::run::rigid::RigidState;
use crate::run::rigid_events::RigidEvent;
use crate::tuning::{MAX_COORDINATE, MAX_INV_MASS, MIN_INV_MASS};
use glam::{Quat, Vec3};
use seidel_kernels::field::NO_TURN;
use seidel_kernels::{Pack, Row, Rows};
use std::sync::Arc;
use xxhash_rust::xxh3::Xxh3;

/// Positions, velocities, inverse masses, colliders' poses and the time.
#[derive(Clone, Debug)]
pub struct State {
    pub(crate) plan: u64,
    /// What its bytes belong to (`Plan::layout_id`).
    pub(crate) layout: u64,
    /// The scene whose colliders it has.
    pub(crate) scene: SceneTag,
    /// The plan's numbers of colliders: no part of what moves.
    pub(crate) numbers: Arc<SceneNumbers>,
    /// Where the zero of its coordinates is in the world, metres: no part of what moves.
    pub(crate) origin: [f64; 3],
    /// What was added to the coordinates that the scene describes, metres: its plan's.
    pub(crate) shift: [f64; 3],
    /// Positions and inverse masses [x, y, z, w]; of frames the rotation.
    pub(crate) x: Rows,
    /// Rounding that the positions could not hold [rx, ry, rz, 0]; of frames [0, 0, 0, 1 / inertia].
    pub(crate) r: Rows,
    /// Velocities [vx, vy, vz, 0]; of frames the angular velocity.
    pub(crate) v: Rows,
    /// The last substep, where velocities are updated in second order.
    pub(crate) past: Past,
    /// For each family, the softness of its rows, a pack a batch, if an input has set it; otherwise empty.
    pub(crate) soft: Vec<Vec<Pack<f32>>>,
    /// Rest shapes of rows that yield.
    pub(crate) plasticity: PlasticityState,
    /// What has torn.
    pub(crate) tears: Tears,
    /// What is disabled.
    pub(crate) off: Off,
    /// Rows of pinned vertices, ascending, whose inverse mass when they are let go is not the plan's, and that mass.
    pub(crate) held: Vec<(u32, f32)>,
    pub(crate) poses: Vec<Pose>,
    /// For each matched shape, its rotation from that at rest, a unit quaternion [w, x, y, z]. A warm start: the next
    /// rotation is found from it.
    pub(crate) rotations: Vec<[f64; 4]>,
    /// Rigid bodies.
    pub(crate) rigid: RigidState,
    /// Fluids.
    pub(crate) fluid: FluidState,
    /// Contacts of grains.
    pub(crate) grains: GrainState,
    pub(crate) time: f64,
    pub(crate) stopped: bool,
    /// True if a particle or collider was placed, and something may be inside a collider.
    pub(crate) placed: bool,
    /// Velocities of fixed particles may be other than zero.
    pub(crate) driven: bool,
    /// Contacts that an edit has ended, until the next step tells of them: no part of what moves.
    pub(crate) ended: Vec<RigidEvent>,
}

/// Numbers are compared as numbers: a state with a NaN differs from itself. Softness is compared by its bits, because
/// lanes without a row hold NaN.
impl PartialEq for State {
    fn eq(&self, other: &State) -> bool {
        let State {
            plan,
            layout,
            scene: _,
            numbers: _,
            origin,
            shift,
            x,
            r,
            v,
            past,
            soft,
            plasticity,
            tears,
            off,
            held,
            poses,
            rotations,
            rigid,
            fluid,
            grains,
            time,
            stopped,
            placed,
            driven,
            ended: _,
        } = self;
        (*plan, *layout, *time, *stopped, *placed, *driven)
            == (other.plan, other.layout, other.time, other.stopped, other.placed, other.driven)
            && (origin, shift) == (&other.origin, &other.shift)
            && (off, held, plasticity, tears) == (&other.off, &other.held, &other.plasticity, &other.tears)
            && tears.slits() == other.tears.slits()
            && (x, r, v, past) == (&other.x, &other.r, &other.v, &other.past)
            && (poses, rotations, rigid, fluid, grains)
                == (&other.poses, &other.rotations, &other.rigid, &other.fluid, &other.grains)
            && soft.len() == other.soft.len()
            && soft.iter().zip(&other.soft).all(|(one, other)| bits(one) == bits(other))
    }
}

fn bits(soft: &[Pack<f32>]) -> &[u32] {
    bytemuck::cast_slice(soft)
}

impl State {
    /// The state at the scene's start.
    #[must_use]
    pub fn new(plan: &Plan) -> State {
        // At the start nothing has torn.
        let plan = plan.untorn();
        State {
            plan: plan.id,
            layout: plan.layout,
            scene: plan.scene,
            numbers: Arc::clone(&plan.numbers),
            origin: plan.origin,
            shift: plan.shift,
            x: plan.x.clone(),
            r: if plan.r.is_empty() { Rows::zeros(plan.x.len(), 8) } else { plan.r.clone() },
            v: plan.v.clone(),
            past: Past::new(plan),
            soft: vec![Vec::new(); plan.families.len()],
            plasticity: PlasticityState::new(plan),
            tears: Tears::default(),
            off: Off::new(plan),
            held: Vec::new(),
            poses: plan.colliders.iter().map(|c| c.motion.at(&c.pose, 0.0)).collect(),
            rotations: vec![NO_TURN; plan.fields.as_ref().map_or(0, |fields| fields.shapes.len())],
            rigid: plan.rigid.as_ref().map(RigidState::new).unwrap_or_default(),
            fluid: FluidState::new(plan),
            grains: GrainState::new(plan),
            time: 0.0,
            stopped: false,
            placed: true,
            driven: false,
            ended: Vec::new(),
        }
    }

    /// Seconds since the start.
    #[must_use]
    pub fn time(&self) -> f64 {
        self.time
    }

    /// True after a step ended by [`crate::NonFinite::Stop`].
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Lets a stopped state step again. Overwrite the wrong numbers first.
    pub fn resume(&mut self) {
        self.stopped = false;
    }

    /// A collider's pose.
    ///
    /// # Panics
    /// If the collider is another scene's, or was removed.
    #[must_use]
    #[track_caller]
    pub fn pose(&self, collider: ColliderId) -> Pose {
        self.poses[self.known(collider)]
    }

    /// Puts a collider at a pose, without a motion from its last one. It stays there only if its path is fixed. Rigid
    /// bodies wake.
    ///
    /// # Panics
    /// If the collider is another scene's or was removed, or the pose is not finite with a unit quaternion.
    #[track_caller]
    pub fn teleport(&mut self, collider: ColliderId, pose: Pose) {
        assert!(pose.is_valid(), "a pose is finite and its quaternion has length 1: {pose:?}");
        let collider = self.known(collider);
        self.poses[collider] = pose;
        self.placed = true;
        self.rigid.sleep.wake_all();
    }

    /// Gives what can move of a body its velocities at the scene's start, if `moving`, otherwise none.
    pub(crate) fn restart(&mut self, plan: &Plan, body: usize, moving: bool) {
        let body = &plan.bodies[body];
        for row in body.start..body.start + body.rows {
            let fixed = match body.frames.at(row - body.start) {
                Some(_) => self.r[row][3] == 0.0,
                None => body.layout.read(&self.x, row)[3] == 0.0,
            };
            if !fixed {
                let v = if moving { body.layout.read(&plan.v, row) } else { [0.0; 4] };
                body.layout.write(&mut self.v, row, v);
                self.past.restart(body, row, v);
            }
        }
    }

    /// A fingerprint of all that a step changes: equal bits, equal hash, on every machine, and wherever the origin is
    /// ([`State::origin`]).
    #[must_use]
    pub fn hash(&self) -> u64 {
        let mut hash = Xxh3::new();
        // Arrays that are empty change nothing.
        for rows in [&self.x, &self.r, &self.v, &self.past.d, &self.past.dv] {
            let words: &[u32] = bytemuck::cast_slice(rows);
            if cfg!(target_endian = "little") {
                hash.update(bytemuck::cast_slice(words));
            } else {
                words.iter().for_each(|w| hash.update(&w.to_le_bytes()));
            }
        }
        for pose in &self.poses {
            pose.position.iter().chain(&pose.rotation).for_each(|v| hash.update(&v.to_le_bytes()));
        }
        for (family, soft) in self.soft.iter().enumerate().filter(|(_, soft)| !soft.is_empty()) {
            hash.update(&(family as u64).to_le_bytes());
            soft.iter().flat_map(|pack| &pack.0).for_each(|number| hash.update(&number.to_le_bytes()));
        }
        self.plasticity.hash(|bytes| hash.update(bytes));
        if !self.tears.is_empty() {
            self.tears.words(|word| hash.update(&word.to_le_bytes()));
        }
        hash.update(bytemuck::cast_slice(self.tears.slits()));
        self.rotations.as_flattened().iter().for_each(|v| hash.update(&v.to_le_bytes()));
        self.rigid.hash(|bytes| hash.update(bytes));
        self.fluid.hash(|bytes| hash.update(bytes));
        self.grains.hash(|bytes| hash.update(bytes));
        hash.update(&self.time.to_le_bytes());
        if self.past.is_kept() {
            hash.update(&self.past.h.to_le_bytes());
        }
        if self.stopped {
            hash.update(&[1]);
        }
        if self.placed {
            hash.update(&[2]);
        }
        // Where nothing is disabled, or no mass is noted, they change nothing.
        if self.off.any() {
            self.off.bytes(|bytes| hash.update(bytes));
        }
        for (row, mass) in &self.held {
            hash.update(&row.to_le_bytes());
            hash.update(&mass.to_le_bytes());
        }
        hash.digest()
    }

    /// Fixes all that could move of a body, where it is.
    pub(crate) fn hold_body(&mut self, plan: &Plan, body: usize) {
        let b = &plan.bodies[body];
        for row in b.start..b.start + b.rows {
            match b.frames.at(row - b.start) {
                Some(_) => self.r[row][3] = 0.0,
                None => {
                    let [x, y, z, _] = b.layout.read(&self.x, row);
                    b.layout.write(&mut self.x, row, [x, y, z, 0.0]);
                }
            }
            b.layout.write(&mut self.v, row, [0.0; 4]);
            self.past.restart(b, row, [0.0; 4]);
        }
        self.forget_masses(b);
    }

    /// Forgets what masses pinned vertices of a body had.
    fn forget_masses(&mut self, body: &BodyPlan) {
        let rows = body.start as u32..(body.start + body.rows) as u32;
        self.held.retain(|(row, _)| !rows.contains(row));
    }

    /// Copies a body's positions, metres, in the mesh's vertex order.
    ///
    /// # Panics
    /// If the plan is another's, or has no such body, or `out` has not one entry a vertex.
    pub fn read_positions(&self, plan: &Plan, body: BodyId, out: &mut [Vec3]) {
        self.read(plan, body, &self.x, out);
    }

    /// Copies a body's velocities, m/s, in the mesh's vertex order.
    ///
    /// # Panics
    /// As [`State::read_positions`].
    pub fn read_velocities(&self, plan: &Plan, body: BodyId, out: &mut [Vec3]) {
        self.read(plan, body, &self.v, out);
    }

    /// Copies a body's inverse masses, 1/kg, in the mesh's vertex order; 0 does not move.
    ///
    /// # Panics
    /// As [`State::read_positions`].
    pub fn read_inv_masses(&self, plan: &Plan, body: BodyId, out: &mut [f32]) {
        let b = self.part(plan, body, out.len());
        b.each(&self.x, |vertex, [.., w]| out[vertex] = w);
    }

    /// Copies a body's positions into a vertex buffer: three f32 each, the first at byte `offset`, `stride` bytes
    /// apart.
    ///
    /// # Panics
    /// As [`State::read_positions`], or if the buffer is too short or `stride < 12`.
    pub fn read_positions_strided(&self, plan: &Plan, body: BodyId, bytes: &mut [u8], offset: usize, stride: usize) {
        self.read_strided(plan, body, &self.x, (&mut bytes[offset..], stride));
    }

    /// [`State::read_positions_strided`] of velocities, m/s.
    ///
    /// # Panics
    /// As there.
    pub fn read_velocities_strided(&self, plan: &Plan, body: BodyId, bytes: &mut [u8], offset: usize, stride: usize) {
        self.read_strided(plan, body, &self.v, (&mut bytes[offset..], stride));
    }

    fn read_strided(&self, plan: &Plan, body: BodyId, rows: &[Row], (bytes, stride): (&mut [u8], usize)) {
        let count = plan.vertices(body);
        let b = self.part(plan, body, count);
        assert!(stride >= 12, "three numbers take 12 bytes");
        let last = count.saturating_sub(1).saturating_mul(stride);
        assert!(count == 0 || bytes.len() >= last.saturating_add(12), "the vertex buffer is too short");
        b.each(rows, |vertex, [x, y, z, _]| {
            bytes[vertex * stride..][..12].copy_from_slice(bytemuck::bytes_of(&[x, y, z]));
        });
    }

    /// Puts a body's vertices at positions, metres, in the mesh's order. Velocities stay as they are.
    ///
    /// # Errors
    /// If a coordinate is not within +-1e6 m; then nothing has changed.
    ///
    /// # Panics
    /// As [`State::read_positions`].
    pub fn write_positions(&mut self, plan: &Plan, body: BodyId, positions: &[Vec3]) -> Result<(), Error> {
        in_range(plan, body, "position of vertex", positions)?;
        let b = self.part(plan, body, positions.len());
        for (vertex, p) in positions.iter().enumerate() {
            let w = b.get(&self.x, vertex)[3];
            b.set(&mut self.x, vertex, [p.x, p.y, p.z, w]);
            b.set(&mut self.r, vertex, [0.0; 4]);
        }
        let rows = b.start as u32..(b.start + b.rows) as u32;
        self.grains.forget(|row| rows.contains(&row));
        self.placed = true;
        Ok(())
    }

    /// Gives a body's vertices velocities, m/s, in the mesh's order. Vertices of inverse mass 0 rest whatever is
    /// written.
    ///
    /// # Errors
    /// If a component is not within +-1e6 m/s; then nothing has changed.
    ///
    /// # Panics
    /// As [`State::read_positions`].
    pub fn write_velocities(&mut self, plan: &Plan, body: BodyId, velocities: &[Vec3]) -> Result<(), Error> {
        in_range(plan, body, "velocity of vertex", velocities)?;
        let b = self.part(plan, body, velocities.len());
        for (vertex, v) in velocities.iter().enumerate() {
            self.thrown(b, b.particle(vertex as u32) as usize, v);
        }
        self.driven = true;
        Ok(())
    }

    /// Gives a body's vertices inverse masses, 1/kg, in the mesh's order; 0 pins a vertex where it is.
    ///
    /// # Errors
    /// If an inverse mass is neither 0 nor within 1e-9 .. 1e12 per kg, or is not 0 for an obstacle's vertex, or the
    /// body is a fluid, of grains or disabled; then nothing has changed.
    ///
    /// # Panics
    /// As [`State::read_positions`].
    pub fn write_inv_masses(&mut self, plan: &Plan, body: BodyId, inv_masses: &[f32]) -> Result<(), Error> {
        let place = plan.body_place(body);
        for (vertex, &w) in inv_masses.iter().enumerate() {
            self.may_weigh(plan, place, vertex, w)?;
        }
        let b = self.part(plan, body, inv_masses.len());
        for (vertex, &w) in inv_masses.iter().enumerate() {
            let [x, y, z, _] = b.get(&self.x, vertex);
            b.set(&mut self.x, vertex, [x, y, z, w]);
        }
        self.forget_masses(b);
        (self.placed, self.driven) = (true, true);
        Ok(())
    }

    /// Whether a vertex may have an inverse mass.
    pub(crate) fn may_weigh(&self, plan: &Plan, body: usize, vertex: usize, w: f32) -> Result<(), Error> {
        let b = &plan.bodies[body];
        let of = || format!("body `{}`", b.name);
        let what = || format!("inverse mass of vertex {vertex}");
        let check = |good: bool, limit: &'static str| range(of, what, f64::from(w), good, limit);
        let is_fluid = plan.fluids.iter().flat_map(|fluids| &fluids.bodies).any(|fluid| fluid.body == body);
        let is_grains = plan.grains.iter().flat_map(|grains| &grains.bodies).any(|grains| grains.body == body);
        check(!is_grains, "to be written: grains without one are not there")?;
        check(!is_fluid, "to be written: emitters and drains say which particles of a fluid are there")?;
        check(!self.off.bodies[body], "to be written: the body is disabled")?;
        let free = !plan.obstacles.each.iter().any(|obstacle| obstacle.body == body);
        check(w == 0.0 || free, "0: an obstacle goes where it is taken")?;
        // Of a vertex that is not there no row is asked for: `part` will refuse it.
        let row = b.to_row.get(vertex).map(|_| b.particle(vertex as u32));
        let shared = row.is_some_and(|row| plan.untorn().shared.binary_search(&row).is_ok());
        let limit =
            "0: more than 64 constraints have it and were planned for a fixed vertex; plan it with a mass to free it";
        check(w == 0.0 || !shared, limit)?;
        check(w == 0.0 || (MIN_INV_MASS..=MAX_INV_MASS).contains(&w), "0 or within 1e-9 .. 1e12 per kg")
    }

    /// Takes back what has flowed of a body ([`crate::Plasticity`]): its rest shape is that of the plan again, and what
    /// was dented or creased springs back.
    ///
    /// # Panics
    /// If the plan is another's, or has no such body.
    pub fn restore_rest_shape(&mut self, plan: &Plan, body: BodyId) {
        assert_eq!(self.plan, plan.id, "the state is another plan's");
        self.plasticity.restart(plan, plan.body_place(body));
    }

    /// Copies the rotations of a body's frames, unit quaternions, body to world.
    ///
    /// # Panics
    /// If the plan is another's, or has no such body, or `out` has not one entry a frame.
    pub fn read_rotations(&self, plan: &Plan, body: BodyId, out: &mut [Quat]) {
        let b = self.framed(plan, body, out.len());
        out.iter_mut().enumerate().for_each(|(frame, q)| *q = Quat::from_array(self.x[b.frame(frame)]));
    }

    /// Copies the angular velocities of a body's frames, rad/s, in the world.
    ///
    /// # Panics
    /// As [`State::read_rotations`].
    pub fn read_angular_velocities(&self, plan: &Plan, body: BodyId, out: &mut [Vec3]) {
        let b = self.framed(plan, body, out.len());
        out.iter_mut().enumerate().for_each(|(frame, omega)| *omega = Vec3::from_slice(&self.v[b.frame(frame)]));
    }

    /// Turns a body's frames: unit quaternions, body to world. Angular velocities stay.
    ///
    /// # Errors
    /// If one has not length 1 (to 1e-3); then nothing has changed.
    ///
    /// # Panics
    /// As [`State::read_rotations`].
    pub fn write_rotations(&mut self, plan: &Plan, body: BodyId, rotations: &[Quat]) -> Result<(), Error> {
        let b = self.framed(plan, body, rotations.len());
        for (frame, q) in rotations.iter().map(Quat::to_array).enumerate() {
            let of = || format!("body `{}`", plan.body_name(body));
            let squared = q.iter().map(|&c| f64::from(c) * f64::from(c)).sum();
            range(of, || format!("rotation of frame {frame} (squared length)"), squared, is_unit(q), "1")?;
        }
        rotations.iter().enumerate().for_each(|(frame, q)| self.x[b.frame(frame)] = normalised(q.to_array()));
        Ok(())
    }

    /// Gives a body's frames angular velocities, rad/s, in the world. Frames of inverse inertia 0 rest whatever is
    /// written.
    ///
    /// # Errors
    /// If a component is not within +-1e6 rad/s; then nothing has changed.
    ///
    /// # Panics
    /// As [`State::read_rotations`].
    pub fn write_angular_velocities(&mut self, plan: &Plan, body: BodyId, omegas: &[Vec3]) -> Result<(), Error> {
        in_range(plan, body, "angular velocity of frame", omegas)?;
        let b = self.framed(plan, body, omegas.len());
        for (frame, omega) in omegas.iter().enumerate() {
            self.thrown(b, b.frame(frame), omega);
        }
        self.driven = true;
        Ok(())
    }

    /// Gives a row another velocity.
    fn thrown(&mut self, body: &BodyPlan, row: usize, to: &Vec3) {
        let [x, y, z, _] = body.layout.read(&self.v, row);
        self.past.shift(body, row, (*to - Vec3::new(x, y, z)).to_array());
        body.layout.write(&mut self.v, row, [to.x, to.y, to.z, 0.0]);
    }

    /// A collider's index among the poses.
    #[track_caller]
    fn known(&self, collider: ColliderId) -> usize {
        assert_eq!(self.scene, collider.scene, "collider {} is another scene's", collider.number);
        self.numbers.colliders.sure("collider", collider.number)
    }

    fn read(&self, plan: &Plan, body: BodyId, from: &[Row], out: &mut [Vec3]) {
        let b = self.part(plan, body, out.len());
        b.each(from, |vertex, [x, y, z, _]| out[vertex] = Vec3::new(x, y, z));
    }

    pub(crate) fn part<'a>(&self, plan: &'a Plan, body: BodyId, len: usize) -> &'a BodyPlan {
        assert_eq!(self.plan, plan.id, "the state is another plan's");
        let b = plan.part(body);
        assert_eq!(len, b.to_row.len(), "one entry a vertex");
        b
    }
}

impl State {
    fn framed<'a>(&self, plan: &'a Plan, body: BodyId, len: usize) -> &'a BodyPlan {
        assert_eq!(self.plan, plan.id, "the state is another plan's");
        let b = plan.part(body);
        assert_eq!(len, b.frames.to_row.len(), "one entry a frame");
        b
    }
}

fn in_range(plan: &Plan, body: BodyId, what: &str, values: &[Vec3]) -> Result<(), Error> {
    for (vertex, v) in values.iter().enumerate() {
        for c in v.to_array() {
            let of = || format!("body `{}`", plan.body_name(body));
            let what = || format!("{what} {vertex}");
            range(of, what, f64::from(c), c.abs() <= MAX_COORDINATE, "within +-1e6")?;
        }
    }
    Ok(())
}
