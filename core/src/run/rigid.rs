//! What moves of rigid bodies: their motion, and what is kept of their contacts from step to step.

use crate::describe::motor_path::check_motor;
use crate::describe::pose::Pose;
use crate::describe::rigid::RigidKind;
use crate::describe::snapshot::SnapshotError;
use crate::plan::rigid::{PlacedCollider, Rigid, RigidBodyPlan, RigidJointPlan};
use crate::run::before::Before;
use crate::run::bytes::{Reader, set_words, write_doubles, write_words};
use crate::run::rigid_sleep::{AWAKE, Sleep};
use bytemuck::{Pod, Zeroable};
use seidel_rigid::contact::Kept;
use seidel_rigid::joint::{self, JointState, Motor};
use seidel_rigid::manifold::Lasting;
use seidel_rigid::motion::{Mass, Motion, momentum};
use seidel_rigid::{BodyRow, Shape};
use std::sync::Arc;

/// Force and torque at which a joint breaks.
fn breaks_at(of: &RigidJointPlan) -> [f32; 2] {
    [of.joint.break_force, of.joint.break_torque]
}

/// Rigid bodies of a state.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RigidState {
    pub(crate) motions: Vec<Motion>,
    /// Length of the last substep, seconds: that of the impulses that are kept. 0 before the first step.
    pub(crate) h: f32,
    /// Bodies that were lost: they stay where they were last.
    pub(crate) frozen: Vec<bool>,
    /// Contacts that pushed in the last step, and those whose manifold lasts, ascending by their shapes.
    pub(crate) contacts: Vec<KeptContact>,
    pub(crate) joints: Vec<JointState>,
    /// The motors of each joint's driven axis: an input may change them.
    pub(crate) motors: Vec<Motor>,
    /// Whether an input has given a joint with a path a motor: it follows its path no more.
    pub(crate) given: Vec<bool>,
    /// Whether the last step's input gave a joint's motor to a position another target: a controller does, step by
    /// step.
    pub(crate) led: Vec<bool>,
    pub(crate) sleep: Sleep,
    /// Rows (bodies, then colliders) that touch and tell of it, and sensors and who is in them, ascending.
    pub(crate) touching: Vec<[u32; 2]>,
    pub(crate) overlaps: Vec<[u32; 2]>,
}

/// Where shapes, and rows of bodies and colliders, of a plan are in another; shapes and colliders are those of rigid
/// bodies.
struct Now {
    shapes: Vec<Option<u32>>,
    rows: Vec<Option<u32>>,
    /// Whether each shape is as it was.
    same: Vec<bool>,
}

impl Now {
    fn of(from: &Rigid, to: &Rigid, before: &Before) -> Now {
        let count = from.shapes.len() + from.colliders.len();
        let mut now = Now { shapes: vec![None; count], rows: Vec::new(), same: vec![false; count] };
        let most = from.colliders.iter().map(|of| of.collider as usize + 1).max().unwrap_or(0);
        now.rows.resize(from.bodies.len() + most, None);
        for (number, place) in before.rigid.iter().enumerate() {
            let Some(place) = *place else { continue };
            now.rows[place] = Some(number as u32);
            let (old, new) = (&from.bodies[place].shapes, &to.bodies[number].shapes);
            if old.len() == new.len() {
                for (old, new) in old.clone().zip(new.clone()) {
                    now.shapes[old] = Some(new as u32);
                    now.same[old] = is_same(&from.shapes[old].shape, &to.shapes[new].shape);
                }
            }
        }
        for (new, collider) in to.colliders.iter().enumerate() {
            let Some(place) = before.colliders[collider.collider as usize] else { continue };
            let old = from.colliders.iter().position(|of| of.collider as usize == place);
            if let Some(old) = old {
                now.shapes[from.shapes.len() + old] = Some((to.shapes.len() + new) as u32);
                now.same[from.shapes.len() + old] = is_same(&from.colliders[old].shape, &collider.shape);
                now.rows[from.bodies.len() + place] = Some(to.bodies.len() as u32 + collider.collider);
            }
        }
        now
    }
}

/// Whether two shapes are the same; of most hulls that stay there is one.
fn is_same(a: &Shape, b: &Shape) -> bool {
    match (a, b) {
        (Shape::Hull(a), Shape::Hull(b)) => Arc::ptr_eq(a, b) || a == b,
        _ => a == b,
    }
}

/// What is kept of a contact of two shapes, the lower number first.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct KeptContact {
    pub(crate) shapes: [u32; 2],
    pub(crate) points: Kept,
    /// Its manifold, while it lasts.
    pub(crate) lasting: Lasting,
}

impl KeptContact {
    /// Whether it pushed in the last step.
    pub(crate) fn pushes(&self) -> bool {
        self.points.points.iter().any(|point| point.normal > 0.0)
    }
}

/// Where a body is, for its joints.
pub(crate) fn joint_pose(motion: &Motion) -> joint::Pose {
    joint::Pose { at: motion.position, rotation: motion.rotation }
}

/// What a body weighs; nothing moves one that is frozen.
pub(crate) fn weight(plan: &Rigid, frozen: &[bool], body: usize) -> Mass {
    let mass = plan.bodies[body].mass();
    match frozen[body] {
        true => Mass { inv_mass: 0.0, inv_inertia: [0.0; 3], ..mass },
        false => mass,
    }
}

/// Whether a body moves by its velocities alone, and has one.
pub(crate) fn moves_itself(plan: &Rigid, state: &RigidState, body: usize) -> bool {
    let motion = &state.motions[body];
    plan.bodies[body].kind == RigidKind::Kinematic && (motion.velocity, motion.spin) != ([0.0; 3], [0.0; 3])
}

impl RigidState {
    /// As a scene begins.
    pub(crate) fn new(plan: &Rigid) -> RigidState {
        RigidState {
            motions: plan.bodies.iter().map(|body| RigidState::begins(body, 0.0)).collect(),
            h: 0.0,
            frozen: vec![false; plan.bodies.len()],
            contacts: Vec::new(),
            joints: vec![JointState::default(); plan.joints.len()],
            motors: plan.joints.iter().map(|of| of.joint.axes[of.joint.driven_axis()].motor).collect(),
            given: vec![false; plan.joints.len()],
            led: vec![false; plan.joints.len()],
            sleep: Sleep::new(plan),
            touching: Vec::new(),
            overlaps: Vec::new(),
        }
    }

    /// How a body begins: one on a path is where that is at a time, seconds.
    pub(crate) fn begins(body: &RigidBodyPlan, time: f64) -> Motion {
        let mass = body.mass();
        let turns = mass.inv_inertia != [0.0; 3];
        let spin = match turns {
            true => momentum(body.angular_velocity, body.pose.rotation, &mass),
            false => body.angular_velocity,
        };
        let Pose { position, rotation } = body.path.as_ref().map_or(body.pose, |path| path.at(time));
        Motion { position, rotation, velocity: body.free(body.velocity), spin }
    }

    /// Nothing moves any body.
    pub(crate) fn hold(&mut self) {
        self.frozen.fill(true);
        self.motions.iter_mut().for_each(|motion| (motion.velocity, motion.spin) = ([0.0; 3], [0.0; 3]));
    }

    /// The same for another plan, which may have no rigid bodies. A body's own frame stays where it is; contacts are
    /// kept of shapes that stay. What has a path that it had not is where that is at `time`, seconds. And what was
    /// told, or overlapped (true), and ends because one of the two is gone or another: its rows before.
    pub(crate) fn carried(
        &self,
        from: &Rigid,
        to: Option<&Rigid>,
        before: &Before,
        time: f64,
    ) -> (RigidState, Vec<([u32; 2], bool)>) {
        let mut ends = Vec::new();
        let Some(to) = to else {
            ends.extend(self.touching.iter().map(|rows| (*rows, false)));
            ends.extend(self.overlaps.iter().map(|rows| (*rows, true)));
            return (RigidState::default(), ends);
        };
        let mut state = RigidState::new(to);
        for (number, b) in to.bodies.iter().enumerate() {
            let stays = |place: &usize| from.bodies[*place].path == b.path;
            if b.path.is_some() && !before.rigid[number].as_ref().is_some_and(stays) {
                state.motions[number] = RigidState::begins(b, time);
                state.frozen[number] = before.rigid[number].is_some_and(|place| self.frozen[place]);
                continue;
            }
            let Some(place) = before.rigid[number] else { continue };
            let (a, old, new) = (&from.bodies[place], &self.motions[place], &mut state.motions[number]);
            let begins = *new;
            *new = *old;
            if (a.own, a.inertia, a.kind) != (b.own, b.inertia, b.kind) {
                let frame = Pose { position: old.position, rotation: old.rotation }.place(&a.own);
                let there = frame.place(&Pose::IDENTITY.seen_from(&b.own));
                (new.position, new.rotation) = (there.position, there.rotation);
                let spins = old.angular_velocity(&a.mass());
                let turns = b.mass().inv_inertia != [0.0; 3];
                new.spin = if turns { momentum(spins, there.rotation, &b.mass()) } else { spins };
                if b.kind == RigidKind::Fixed {
                    (new.velocity, new.spin) = ([0.0; 3], [0.0; 3]);
                }
            }
            // The velocities of a path end with it.
            if a.path.is_some() && b.kind != RigidKind::Dynamic {
                (new.velocity, new.spin) = (begins.velocity, begins.spin);
            }
            state.frozen[number] = self.frozen[place];
        }
        let now = Now::of(from, to, before);
        let kept = self.contacts.iter().filter_map(|contact| {
            let [a, b] = contact.shapes.map(|shape| now.shapes[shape as usize]);
            let shapes = [a?, b?];
            let is_same = contact.shapes.iter().all(|&shape| now.same[shape as usize]);
            let lasting = if is_same { contact.lasting } else { Lasting::default() };
            (shapes[0] < shapes[1]).then_some(KeptContact { shapes, lasting, ..*contact })
        });
        state.contacts = kept.collect();
        state.contacts.sort_by_key(|contact| contact.shapes);
        let touching = (&mut state.touching, &self.touching, false);
        for (pairs, old, sensor) in [touching, (&mut state.overlaps, &self.overlaps, true)] {
            for rows in old {
                match rows.map(|row| now.rows[row as usize]) {
                    [Some(a), Some(b)] => pairs.push([a, b]),
                    _ => ends.push((*rows, sensor)),
                }
            }
            pairs.sort_unstable();
        }
        if from.sleeps && to.sleeps {
            self.carry_sleep((from, to), before, &now, &mut state);
        }
        state.h = self.h;
        for (number, b) in to.joints.iter().enumerate() {
            let Some(place) = before.rigid_joints[number] else { continue };
            let a = &from.joints[place];
            if a.joint.kind == b.joint.kind {
                let is_same = a.joint.axes == b.joint.axes && breaks_at(a) == breaks_at(b);
                // A joint that is another is whole.
                let broken = self.joints[place].broken && is_same;
                let kept = self.joints[place];
                // A tree's impulses, and a ball's, are along other axes than those of the other sweeps.
                let is_same = (a.in_tree, a.is_ball) == (b.in_tree, b.is_ball);
                let hold = if is_same { kept.hold } else { [0.0; 6] };
                state.joints[number] = JointState { broken, hold, ..kept };
            }
            let planned = |of: &RigidJointPlan| of.joint.axes[of.joint.driven_axis()].motor;
            if planned(a) == planned(b) && (b.path.is_none() || a.path == b.path) {
                state.motors[number] = self.motors[place];
                state.given[number] = self.given[place] && b.path.is_some();
                state.led[number] = self.led[place];
            }
        }
        (state, ends)
    }

    /// Sleep goes on in islands of which nothing has changed, nor what they lie on.
    fn carry_sleep(&self, (from, to): (&Rigid, &Rigid), before: &Before, now: &Now, state: &mut RigidState) {
        let sleep = &mut state.sleep;
        sleep.gravity = self.sleep.gravity;
        let mut after = vec![None; from.bodies.len()];
        for (number, place) in before.rigid.iter().enumerate() {
            let Some(place) = *place else { continue };
            after[place] = Some(number);
            (sleep.calm[number], sleep.marks[number]) = (self.sleep.calm[place], self.sleep.marks[place]);
        }
        // Who wakes: by the bodies before.
        let mut wakes = Vec::new();
        for (place, number) in after.iter().enumerate() {
            let is_same = |number: usize| {
                let (a, b) = (&from.bodies[place], &to.bodies[number]);
                let weighs = (a.own, a.inertia, a.inv_mass, a.kind) == (b.own, b.inertia, b.inv_mass, b.kind);
                weighs && a.shapes.len() == b.shapes.len()
            };
            if !number.is_some_and(is_same) {
                wakes.push(place);
            }
        }
        for contact in &self.contacts {
            let is_gone = contact.shapes.iter().any(|shape| now.shapes[*shape as usize].is_none());
            let bodies = contact.shapes.iter().filter_map(|shape| from.shapes.get(*shape as usize));
            wakes.extend(bodies.filter(|_| is_gone).map(|shape| shape.body as usize));
        }
        let mut stays = vec![false; from.joints.len()];
        for (number, place) in before.rigid_joints.iter().enumerate() {
            let Some(place) = *place else {
                let new = to.joints[number].joint.bodies;
                wakes.extend(new.iter().filter_map(|body| *before.rigid.get(*body as usize)?));
                continue;
            };
            let (a, b) = (&from.joints[place], &to.joints[number]);
            stays[place] = (a.joint.kind, &a.joint.axes, &a.path) == (b.joint.kind, &b.joint.axes, &b.path);
        }
        let gone = from.joints.iter().zip(&stays).filter(|(_, stays)| !**stays);
        let joined = gone.flat_map(|(joint, _)| joint.joint.bodies);
        wakes.extend(joined.map(|body| body as usize).filter(|body| *body < from.bodies.len()));
        let mut old = self.sleep.clone();
        // What does not move by forces wakes nobody that it comes near: all look around.
        let fixed = |(number, place): (usize, &Option<usize>)| match place {
            None => to.bodies[number].kind != RigidKind::Dynamic,
            Some(place) => from.bodies[*place].path != to.bodies[number].path,
        };
        let met = |of: &PlacedCollider| !before.alike[of.collider as usize];
        if before.rigid.iter().enumerate().any(fixed) || to.colliders.iter().any(met) {
            old.wake_all();
        }
        wakes.into_iter().for_each(|body| old.wake(body));
        for (place, number) in after.iter().enumerate() {
            let Some(number) = *number else { continue };
            sleep.calm[number] = old.calm[place];
            let island = old.islands[place];
            // All of an island that sleeps on is there.
            sleep.islands[number] = match island {
                AWAKE => AWAKE,
                island => after[island as usize].map_or(AWAKE, |number| number as u32),
            };
        }
    }

    /// Gives a joint a motor; where it is another than before, its bodies wake.
    pub(crate) fn drive(&mut self, plan: &Rigid, joint: usize, motor: Motor) {
        let of = &plan.joints[joint];
        let takes_over = of.path.is_some() && !self.given[joint];
        if self.motors[joint] != motor || takes_over {
            if of.is_ball && (self.motors[joint] == Motor::Off) != (motor == Motor::Off) {
                // It is no ball without limits while its motor is on: impulses are along other axes. Only then are its
                // turns counted.
                self.joints[joint].hold = [0.0; 6];
                self.begin_turns(plan, joint);
            }
            self.motors[joint] = motor;
            self.given[joint] |= takes_over;
            of.joint.bodies.iter().for_each(|&body| self.sleep.wake(body as usize));
        }
    }

    /// The motor of a joint at a time, seconds: with the target that its path has then.
    pub(crate) fn motor_at(&self, plan: &Rigid, joint: usize, time: f64) -> Motor {
        let path = plan.joints[joint].path.as_ref().filter(|_| !self.given[joint]);
        path.map_or(self.motors[joint], |path| path.at(time))
    }

    /// Where a body is, its velocity and angular velocity, and its row there; the world has none.
    pub(crate) fn standing(&self, plan: &Rigid, body: u32) -> (joint::Pose, [[f64; 3]; 2], BodyRow) {
        let Some(of) = plan.bodies.get(body as usize) else {
            return (joint::Pose::IDENTITY, [[0.0; 3]; 2], BodyRow::FIXED);
        };
        let motion = &self.motions[body as usize];
        let (pose, row) = of.row_at(motion);
        (pose, [motion.velocity, motion.angular_velocity(&of.mass())], row)
    }

    /// Counts a joint's turns from where its bodies are.
    fn begin_turns(&mut self, plan: &Rigid, joint: usize) {
        let of = &plan.joints[joint].joint;
        let [a, b] = of.bodies.map(|body| self.motions.get(body as usize).map_or(joint::Pose::IDENTITY, joint_pose));
        (self.joints[joint].angle, self.joints[joint].turns) = (of.first_angle([&a, &b]) as f32, 0);
    }

    /// Forgets the memory of a body's joints, but which are broken: the body was put elsewhere.
    pub(crate) fn forget_joints(&mut self, plan: &Rigid, body: usize) {
        for (number, of) in plan.joints.iter().enumerate() {
            if of.joint.bodies.iter().any(|&of| of as usize == body) {
                self.joints[number] = JointState { broken: self.joints[number].broken, ..JointState::default() };
                self.begin_turns(plan, number);
            }
        }
    }

    /// The centre of mass and the principal axes of a body.
    pub(crate) fn at(&self, body: usize) -> Pose {
        let Motion { position, rotation, .. } = self.motions[body];
        Pose { position, rotation }
    }

    /// What a body weighs; nothing moves one that is frozen.
    pub(crate) fn mass(&self, plan: &Rigid, body: usize) -> Mass {
        weight(plan, &self.frozen, body)
    }

    /// Everything, as bytes for a hash (little endian). A new field is named here, in `write` and in `read`, or this
    /// does not compile.
    pub(crate) fn hash(&self, mut add: impl FnMut(&[u8])) {
        let RigidState { motions, h, frozen, contacts, joints, motors, given, led, sleep, touching, overlaps } = self;
        for (motion, frozen) in motions.iter().zip(frozen) {
            let Motion { position, rotation, velocity, spin } = motion;
            let numbers = position.iter().chain(rotation).chain(velocity).chain(spin);
            numbers.for_each(|number| add(&number.to_le_bytes()));
            if *frozen {
                add(&[1]);
            }
        }
        if !motions.is_empty() {
            add(&h.to_le_bytes());
        }
        for joint in joints {
            joint.bits().for_each(|word| add(&word.to_le_bytes()));
        }
        for (motor, flags) in motors.iter().zip(given.iter().zip(led)) {
            motor_bits(motor, flags).iter().for_each(|word| add(&word.to_le_bytes()));
        }
        for contact in contacts {
            contact.shapes.iter().for_each(|shape| add(&shape.to_le_bytes()));
            let words: &[u32] = bytemuck::cast_slice(std::slice::from_ref(&contact.points));
            // Those of rolling are the last, and most contacts have none.
            let resists = contact.points.rolling != [0.0; 3];
            let count = if resists { words.len() } else { words.len() - 3 };
            words[..count].iter().for_each(|word| add(&word.to_le_bytes()));
            if contact.lasting.lasts() {
                let words: &[u32] = bytemuck::cast_slice(std::slice::from_ref(&contact.lasting));
                words.iter().for_each(|word| add(&word.to_le_bytes()));
            }
        }
        touching.as_flattened().iter().chain(overlaps.as_flattened()).for_each(|row| add(&row.to_le_bytes()));
        sleep.hash(add);
    }

    /// Everything, as bytes of a snapshot. A plan says how many bodies and joints there are, so only contacts are
    /// counted.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let RigidState { motions, h, frozen, contacts, joints, motors, given, led, sleep, touching, overlaps } = self;
        if motions.is_empty() {
            return;
        }
        write_words(out, &[*h]);
        for (motion, frozen) in motions.iter().zip(frozen) {
            let Motion { position, rotation, velocity, spin } = motion;
            write_doubles(out, position.iter().chain(rotation).chain(velocity).chain(spin));
            out.push(u8::from(*frozen));
        }
        joints.iter().for_each(|joint| write_words(out, &joint.bits().collect::<Vec<_>>()));
        let motors = motors.iter().zip(given.iter().zip(led));
        motors.for_each(|(motor, flags)| write_words(out, &motor_bits(motor, flags)));
        write_words(out, &[contacts.len() as u32]);
        write_words(out, contacts);
        for pairs in [touching, overlaps] {
            write_words(out, &[pairs.len() as u32]);
            write_words(out, pairs);
        }
        sleep.write(out);
    }

    /// What `write` has written of a plan's bodies.
    pub(crate) fn read(plan: &Rigid, from: &mut Reader<'_>) -> Result<RigidState, SnapshotError> {
        let wrong = |what| Err(SnapshotError::Value { what });
        let h = from.single()?;
        if !h.is_finite() || h < 0.0 {
            return wrong("the length of a rigid substep is not finite and 0 or more");
        }
        let (mut motions, mut frozen) = (Vec::with_capacity(plan.bodies.len()), Vec::with_capacity(plan.bodies.len()));
        for _ in &plan.bodies {
            let (position, rotation) = (from.doubles()?, from.doubles()?);
            motions.push(Motion { position, rotation, velocity: from.doubles()?, spin: from.doubles()? });
            match from.array()? {
                [flag @ (0 | 1)] => frozen.push(flag == 1),
                _ => return wrong("a rigid body is neither lost nor not"),
            }
        }
        let mut joints = Vec::with_capacity(plan.joints.len());
        for _ in &plan.joints {
            let mut words = [0; JOINT_WORDS];
            set_words(&mut words, from.take(4 * JOINT_WORDS)?);
            let joint = JointState::from_bits(&mut words.into_iter()).filter(|joint| joint.bits().eq(words));
            let Some(joint) = joint else { return wrong("a joint is neither broken nor not") };
            joints.push(joint);
        }
        let count = plan.joints.len();
        let mut motors = Vec::with_capacity(count);
        let (mut given, mut led) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for of in &plan.joints {
            let (kind, target, limit) = (from.word()?, from.single()?, from.single()?);
            led.push(kind & LED != 0);
            if kind & LED != 0 && kind & !(GIVEN | LED) != 2 {
                return wrong("a motor is of no known kind");
            }
            let motor = match kind & !(GIVEN | LED) {
                0 if (target.to_bits(), limit.to_bits()) == (0, 0) => Motor::Off,
                1 => Motor::Velocity { target, limit },
                2 => Motor::Position { target, limit },
                _ => return wrong("a motor is of no known kind"),
            };
            if check_motor(&String::new, &motor).is_err() {
                return wrong("a motor's target or limit is out of range");
            }
            // Another motor than the path's is an input's, whoever wrote it; without a path there is none to take over.
            let planned = of.joint.axes[of.joint.driven_axis()].motor;
            given.push(of.path.is_some() && (kind & GIVEN != 0 || motor != planned));
            motors.push(motor);
        }
        let count = from.word()?;
        let bytes = from.many(count.into(), size_of::<KeptContact>())?;
        let mut contacts = vec![KeptContact::zeroed(); count as usize];
        set_words(&mut contacts, bytes);
        let shapes = (plan.shapes.len() + plan.colliders.len()) as u32;
        let is_one = |of: &KeptContact| {
            of.shapes[0] < of.shapes[1] && of.shapes[1] < shapes && of.points.count <= 4 && of.lasting.is_sound()
        };
        if !contacts.iter().all(is_one) || !contacts.is_sorted_by_key(|of| of.shapes) {
            return wrong("contacts of rigid bodies are of no shapes, out of order, or no contacts");
        }
        // Rows of colliders are numbers of all colliders, those that rigid bodies do not meet among them.
        let colliders = plan.colliders.iter().map(|of| of.collider + 1).fold(0, u32::max);
        let rows = plan.bodies.len() as u32 + colliders;
        let mut pairs = || {
            let count = from.word()?;
            let mut pairs = vec![[0u32; 2]; 0];
            let bytes = from.many(count.into(), size_of::<[u32; 2]>())?;
            pairs.resize(count as usize, [0; 2]);
            set_words(&mut pairs, bytes);
            match pairs.is_sorted() && pairs.as_flattened().iter().all(|row| *row < rows) {
                true => Ok(pairs),
                false => wrong_pairs(),
            }
        };
        let (touching, overlaps) = (pairs()?, pairs()?);
        let sleep = Sleep::read(plan, from)?;
        Ok(RigidState { motions, h, frozen, contacts, joints, motors, given, led, sleep, touching, overlaps })
    }
}

fn wrong_pairs<T>() -> Result<T, SnapshotError> {
    Err(SnapshotError::Value { what: "rigid bodies that touch do not exist, or are out of order" })
}

/// Words of a joint's state (`JointState::bits`).
const JOINT_WORDS: usize = 21;

/// A motor's kind and numbers.
fn motor_bits(motor: &Motor, (given, led): (&bool, &bool)) -> [u32; 3] {
    let (kind, target, limit) = match *motor {
        Motor::Off => (0u32, 0.0f32, 0.0f32),
        Motor::Velocity { target, limit } => (1, target, limit),
        Motor::Position { target, limit } => (2, target, limit),
    };
    let flags = if *given { GIVEN } else { 0 } | if *led { LED } else { 0 };
    [kind | flags, target.to_bits(), limit.to_bits()]
}

/// Bits beside the kind of a motor: [`RigidState::given`], [`RigidState::led`].
const GIVEN: u32 = 4;
const LED: u32 = 8;
