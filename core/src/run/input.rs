//! Input: all that a step is given besides plan and state. Same plan, same state, same input: same result.

use crate::describe::air::check_wind;
use crate::describe::cut::Cut;
use crate::describe::error::{Error, range};
use crate::describe::field::check_pressure;
use crate::describe::frame::is_unit;
use crate::describe::ids::{BodyId, ColliderId, Numbers, RigidId, RigidJointId, SceneTag};
use crate::describe::motor_path::check_motor;
use crate::describe::pose::Pose;
use crate::describe::stiffness::{Stiffness, Values, check_stiffnesses};
use crate::plan::Plan;
use crate::run::state::State;
use crate::tuning::MAX_COORDINATE;
use glam::{DVec3, Quat, Vec3};
use seidel_kernels::Kind;
use seidel_rigid::joint::Motor;

/// Everything that a user prescribes for one step.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    pub(crate) dt: f32,
    /// Whether time stands still.
    pub(super) held: bool,
    pub(crate) gravity: Option<[f32; 3]>,
    pub(crate) wind: Option<[f32; 3]>,
    pub(crate) poses: Vec<(ColliderId, Pose)>,
    pub(crate) pins: Vec<(BodyId, u32, [f32; 3])>,
    pub(crate) turns: Vec<(BodyId, u32, [f32; 4])>,
    pub(crate) vertices: Vec<(BodyId, Vec<[f32; 3]>)>,
    pub(crate) pulls: Vec<(BodyId, u32, [f32; 3], f32)>,
    pub(crate) forces: Vec<(BodyId, Vec<[f32; 3]>)>,
    pub(crate) stiffness: Vec<(BodyId, Kind, Stiffness)>,
    pub(crate) pressures: Vec<(BodyId, f32)>,
    pub(crate) pushes: Vec<(RigidId, DVec3, DVec3)>,
    pub(crate) motors: Vec<(RigidJointId, Motor)>,
    pub(crate) cuts: Vec<(BodyId, Cut)>,
}

impl Input {
    /// A step of `dt` seconds that prescribes nothing else.
    ///
    /// # Errors
    /// If `dt` is not within 1e-9 .. 1e3 s.
    pub fn new(dt: f32) -> Result<Input, Error> {
        let of = || "input".to_owned();
        range(of, || "time step".to_owned(), f64::from(dt), (1e-9..=1e3).contains(&dt), "within 1e-9 .. 1e3 s")?;
        let (poses, pins, turns, vertices, pulls) = (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (forces, stiffness, pressures) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Input {
            dt,
            held: false,
            gravity: None,
            wind: None,
            poses,
            pins,
            turns,
            vertices,
            pulls,
            forces,
            stiffness,
            pressures,
            pushes: Vec::new(),
            motors: Vec::new(),
            cuts: Vec::new(),
        })
    }

    /// A step of `dt` seconds that prescribes nothing else.
    ///
    /// # Panics
    /// If `dt` is not within 1e-9 .. 1e3 s; [`Input::new`] returns an error instead.
    #[must_use]
    pub fn frame(dt: f32) -> Input {
        Input::new(dt).expect("a time step is positive and finite")
    }

    /// Prescribes nothing else any more, for another step of the same length; memory is kept.
    pub fn clear(&mut self) {
        (self.held, self.gravity, self.wind) = (false, None, None);
        let Input { poses, pins, turns, vertices, pulls, forces, stiffness, pressures, pushes, motors, cuts, .. } =
            self;
        poses.clear();
        pins.clear();
        turns.clear();
        pulls.clear();
        pressures.clear();
        pushes.clear();
        motors.clear();
        cuts.clear();
        vertices.clear();
        forces.clear();
        stiffness.clear();
    }

    /// The length of the step, seconds.
    #[must_use]
    pub fn dt(&self) -> f32 {
        self.dt
    }

    /// Lets time stand still in the step: paths of colliders, pins and obstacles, gusts and pressures stay where they
    /// are at the state's time, and the state keeps its time. All else moves.
    #[must_use]
    pub fn held(mut self) -> Input {
        self.held = true;
        self
    }

    /// Whether time stands still.
    pub(crate) fn holds_time(&self) -> bool {
        self.held
    }

    /// The time at the end of a step that begins at `time`, or at a share of it, seconds.
    pub(crate) fn after(&self, time: f64, share: f64) -> f64 {
        if self.held { time } else { time + f64::from(self.dt) * share }
    }

    /// Whether time stands still for all that has a path.
    pub(crate) fn is_held(&self) -> bool {
        self.held
    }

    /// Replaces the scene's gravity, m/s^2.
    #[must_use]
    pub fn gravity(mut self, gravity: impl Into<Vec3>) -> Input {
        self.gravity = Some(gravity.into().to_array());
        self
    }

    /// Replaces the scene's wind, m/s, for the whole step and without gusts.
    #[must_use]
    pub fn wind(mut self, wind: impl Into<Vec3>) -> Input {
        self.wind = Some(wind.into().to_array());
        self
    }

    /// Sets the pose of a collider at the end of the step. It moves there evenly, and turns the shorter way. Without
    /// this call it follows its own path.
    #[must_use]
    pub fn pose(mut self, collider: ColliderId, pose: Pose) -> Input {
        self.poses.push((collider, pose));
        self
    }

    /// Sets the position of a vertex of inverse mass 0 at the end of the step, metres. It moves there evenly. Without
    /// this call it follows its path ([`crate::MovingPins`]) or rests. For an obstacle's vertex this position overrides
    /// [`Input::vertices`], frames and path, and vertices that are attached or tethered to the obstacle follow it. A
    /// step with a pin on a free vertex is not taken, and its report says so.
    #[must_use]
    pub fn pin(mut self, body: BodyId, vertex: u32, target: impl Into<Vec3>) -> Input {
        self.pins.push((body, vertex, target.into().to_array()));
        self
    }

    /// Sets the rotation of a frame of inverse inertia 0 at the end of the step: a unit quaternion, body to world. It
    /// turns there evenly, the shorter way. Without this call it follows its path ([`crate::MaterialFrame::between`])
    /// or rests. A step that turns a free frame is not taken, and its report says so.
    #[must_use]
    pub fn turn(mut self, body: BodyId, frame: u32, rotation: Quat) -> Input {
        self.turns.push((body, frame, rotation.to_array()));
        self
    }

    /// Sets the positions of an obstacle's vertices at the end of the step, metres, in the mesh's order. They move
    /// there evenly, and vertices that are attached to them move along. Without this call they follow the obstacle's
    /// frames and path, or rest. A step with vertices for a body that is no obstacle, with another number of them, or
    /// beyond +-1e6 m is not taken, and its report says so.
    #[must_use]
    pub fn vertices(mut self, obstacle: BodyId, positions: &[Vec3]) -> Input {
        self.vertices.push((obstacle, bytemuck::cast_slice(positions).to_vec()));
        self
    }

    /// Draws a vertex towards a point, metres, in every substep, with a compliance, m/N: what a hand, a mouse or a
    /// gripper does. The force is (point - position) / compliance, and 0 takes the vertex there at once. The constraint
    /// is solved after the bodies' own and before contacts, so colliders keep the vertex outside (XPBD, Macklin et al.
    /// 2016). A vertex of inverse mass 0 stays. A step with a vertex that does not exist, a point beyond +-1e6 m or a
    /// compliance that is not within 0 .. 1e18 m/N is not taken, and its report says so. The first such step allocates.
    #[must_use]
    pub fn pull(mut self, body: BodyId, vertex: u32, target: impl Into<Vec3>, compliance: f32) -> Input {
        self.pulls.push((body, vertex, target.into().to_array(), compliance));
        self
    }

    /// Adds external forces on a body's vertices, newtons, in the mesh's order; where it has torn, with copies or
    /// without: then vertices share with their copies, by mass. They act in every substep. A force that is not finite,
    /// or too large for f32, is no error: only its particle is lost, and the report names the first lost one.
    /// [`crate::NonFinite`] says what becomes of it.
    #[must_use]
    pub fn forces(mut self, body: BodyId, forces: &[Vec3]) -> Input {
        self.forces.push((body, bytemuck::cast_slice(forces).to_vec()));
        self
    }

    /// Sets the stiffness of a body's rows of a kind, from this step on: the state keeps it. Give one number for all
    /// rows, or one for each row in the order of [`Plan::rows`] (a painted map). Compliances are for rows that have
    /// compliances, PBD's k for rows that have k. Other parameters of the rows stay as planned. A step with numbers for
    /// rows that do not exist, another count of them, or one out of range is not taken, and its report says so. The
    /// first such step allocates.
    #[must_use]
    pub fn stiffness(mut self, body: BodyId, kind: &Kind, stiffness: Stiffness) -> Input {
        self.stiffness.push((body, *kind, stiffness));
        self
    }

    /// Sets the volume that a body's volumes hold during the step, as a multiple of their volume at rest, 0 to 1e6.
    /// Without this call they follow their own path. A step with a pressure for a body that holds no volume is not
    /// taken, and its report says so.
    #[must_use]
    pub fn pressure(mut self, body: BodyId, k: f32) -> Input {
        self.pressures.push((body, k));
        self
    }

    /// Pushes a rigid body during the step: a force on its centre of mass, N, and a torque, N m, both along the world's
    /// axes. A step with one beyond 1e18, or of a body that does not exist, is not taken.
    #[must_use]
    pub fn push(mut self, body: RigidId, force: impl Into<DVec3>, torque: impl Into<DVec3>) -> Input {
        self.pushes.push((body, force.into(), torque.into()));
        self
    }

    /// Sets the motor of a joint's axis, from this step on: the state keeps it. A controller gives a target a step:
    /// where the joint is at its motor's last position and moves about as fast as the new one asks, or the step before
    /// had another target, too, the target goes evenly from there and arrives as the step ends. Otherwise the motor
    /// goes to it as fast as it can and may. Of several for a joint the last counts. A step with a motor of a joint
    /// that does not exist, a target beyond +-1e6 or a limit that is not within 0 .. 1e18 is not taken.
    #[must_use]
    pub fn motor(mut self, joint: RigidJointId, motor: Motor) -> Input {
        self.motors.push((joint, motor));
        self
    }

    /// Cuts a cloth that can tear ([`crate::Cloth::tear`]) where it is at the end of the step; [`crate::Report::torn`]
    /// tells of it. Where time is [held](Input::held), or the body is disabled, nothing is cut. A step with a cut of a
    /// body that cannot tear, or one that cuts nothing (a plane without a normal, a blade that does not move), is not
    /// taken, and its report says so.
    #[must_use]
    pub fn cut(mut self, body: BodyId, cut: Cut) -> Input {
        self.cuts.push((body, cut));
        self
    }

    /// The same without its cuts.
    pub(crate) fn uncut(&self) -> Input {
        Input { cuts: Vec::new(), ..self.clone() }
    }

    /// The last pressure that is given to a body, as a multiple of the volume at rest.
    pub(crate) fn pressure_of(&self, plan: &Plan, body: usize) -> Option<f64> {
        self.pressures.iter().rev().find(|(of, _)| plan.body_place(*of) == body).map(|(_, k)| f64::from(*k))
    }

    /// Checks that the input fits a plan and a state of it: ids, lengths, finite numbers, pins that have an inverse
    /// mass of 0.
    pub(crate) fn check(&self, plan: &Plan, state: &State) -> Result<(), Error> {
        let of = || "input".to_owned();
        let known = |what, index: usize, count: usize| {
            if index < count { Ok(()) } else { Err(Error::Missing { of: of(), what, index, count }) }
        };
        let own = |what, scene: SceneTag, number: u32, numbers: &Numbers| match scene == plan.scene {
            true => numbers.find(of, what, number),
            false => Err(Error::ForeignId { of: of(), what, index: number as usize }),
        };
        let body_of = |body: BodyId| own("body", body.scene, body.number, &plan.numbers.bodies).map(drop);
        for g in self.gravity.iter().flatten() {
            range(of, || "gravity".to_owned(), f64::from(*g), g.abs() <= 1e6, "within +-1e6 m/s^2")?;
        }
        self.wind.map_or(Ok(()), |wind| check_wind(&of, wind))?;
        for (collider, pose) in &self.poses {
            let place = own("collider", collider.scene, collider.number, &plan.numbers.colliders)?;
            let name = &plan.colliders[place].name;
            for p in pose.position {
                range(of, || format!("position of collider `{name}`"), p, p.is_finite(), "finite")?;
            }
            let length: f64 = pose.rotation.iter().map(|q| q * q).sum();
            range(of, || format!("rotation of collider `{name}` (squared length)"), length, pose.is_valid(), "1")?;
        }
        for &(body, force, torque) in &self.pushes {
            own("rigid body", body.scene, body.number, &plan.numbers.rigid)?;
            for (what, v) in [("force", force), ("torque", torque)] {
                for c in v.to_array() {
                    range(of, || format!("{what} on a rigid body"), c, c.abs() <= 1e18, "within +-1e18")?;
                }
            }
        }
        for (joint, motor) in &self.motors {
            own("joint", joint.scene, joint.number, &plan.numbers.rigid_joints)?;
            check_motor(&|| format!("input: motor of joint `{}`", plan.rigid_joint_name(*joint)), motor)?;
        }
        for (body, vertex, target) in &self.pins {
            body_of(*body)?;
            known("pinned vertex", *vertex as usize, plan.vertices(*body))?;
            for c in target {
                let good = c.abs() <= crate::tuning::MAX_COORDINATE;
                range(of, || format!("target of pin {vertex}"), f64::from(*c), good, "within +-1e6 m")?;
            }
            let w = plan.part(*body).get(&state.x, *vertex as usize)[3];
            let what = || format!("inverse mass of pinned vertex {vertex} of body `{}`", plan.body_name(*body));
            range(of, what, f64::from(w), w == 0.0, "0: pin it first, with State::pin")?;
        }
        for (body, vertex, target, compliance) in &self.pulls {
            body_of(*body)?;
            known("pulled vertex", *vertex as usize, plan.vertices(*body))?;
            for c in target {
                let good = c.abs() <= MAX_COORDINATE;
                range(of, || format!("target of the pull of vertex {vertex}"), f64::from(*c), good, "within +-1e6 m")?;
            }
            let what = || format!("compliance of the pull of vertex {vertex}");
            range(of, what, f64::from(*compliance), (0.0..=1e18).contains(compliance), "within 0 .. 1e18 m/N")?;
        }
        for &(body, frame, q) in &self.turns {
            body_of(body)?;
            known("turned frame", frame as usize, plan.frames(body))?;
            let squared = q.iter().map(|&c| f64::from(c) * f64::from(c)).sum();
            range(of, || format!("rotation of frame {frame} (squared length)"), squared, is_unit(q), "1")?;
            let w = state.r[plan.part(body).frame(frame as usize)][3];
            let what = || format!("inverse inertia of turned frame {frame} of body `{}`", plan.body_name(body));
            range(of, what, f64::from(w), w == 0.0, "0: what is turned does not turn by itself")?;
        }
        for (body, given) in &self.vertices {
            body_of(*body)?;
            check_given(plan, *body, given)?;
        }
        for (body, kind, stiffness) in &self.stiffness {
            body_of(*body)?;
            let of = || format!("input: body `{}`, kind `{}`", plan.body_name(*body), kind.name());
            let rows: usize = plan.stiff(*body, kind, stiffness.is_compliance()).map(|(_, rows)| rows.len()).sum();
            let others = || plan.stiff(*body, kind, !stiffness.is_compliance()).any(|(_, rows)| !rows.is_empty());
            if rows == 0 && others() {
                let (given, has) =
                    if stiffness.is_compliance() { ("compliances", "PBD's k") } else { ("PBD's k", "compliances") };
                return Err(Error::OtherStiffness { of: of(), given, has });
            }
            if rows == 0 {
                return Err(Error::Missing { of: of(), what: "row of this kind", index: 0, count: 0 });
            }
            if let Values::PerRow(values) = stiffness.values()
                && values.len() != rows
            {
                return Err(Error::Length { of: of(), what: "stiffness".to_owned(), got: values.len(), want: rows });
            }
            check_stiffnesses(of, stiffness)?;
        }
        for (body, k) in &self.pressures {
            body_of(*body)?;
            check_pressure(&of, f64::from(*k))?;
            let volumes = plan.fields.as_ref().map_or(&[][..], |fields| &fields.volumes);
            let place = plan.body_place(*body);
            if volumes.iter().all(|volume| volume.body != place) {
                return Err(Error::NoVolume { of: of(), body: plan.body_name(*body).to_owned() });
            }
        }
        for (body, cut) in &self.cuts {
            body_of(*body)?;
            plan.check_cut(*body, cut)?;
        }
        for (body, forces) in &self.forces {
            body_of(*body)?;
            let (got, want) = (forces.len(), plan.vertices(*body));
            // Copies may have none of their own.
            let begins = plan.untorn().vertices(*body);
            if got != want && got != begins {
                let of = format!("input: body `{}`", plan.body_name(*body));
                return Err(Error::Length { of, what: "forces".to_owned(), got, want });
            }
        }
        Ok(())
    }
}

/// Checks vertices that are given for a body: whether it is an obstacle, their number, and their range.
fn check_given(plan: &Plan, id: BodyId, given: &[[f32; 3]]) -> Result<(), Error> {
    let of = || "input".to_owned();
    let name = plan.body_name(id);
    if !plan.obstacles.each.iter().any(|of| of.body == plan.body_place(id)) {
        return Err(Error::NoObstacle { of: of(), body: name.to_owned() });
    }
    let (got, want) = (given.len(), plan.vertices(id));
    if got != want {
        return Err(Error::Length { of: of(), what: format!("vertices of body `{name}`"), got, want });
    }
    for (v, c) in given.iter().enumerate().flat_map(|(v, p)| p.iter().map(move |c| (v, c))) {
        let what = || format!("position of vertex {v} of body `{name}`");
        range(of, what, f64::from(*c), c.abs() <= MAX_COORDINATE, "within +-1e6 m")?;
    }
    Ok(())
}
