//! An input as bytes, to be kept or sent.
//!
//! ```text
//!   0   8  "seidelin"
//!   8   4  format
//!  12   4  flags: 1 time stands still, 2 gravity, 4 wind
//!  16   8  bytes of all, the checksum's included
//!  24   4  dt, f32
//!  28      gravity and wind, 12 bytes each, where flags say so; then lists in the order of the fields, each with its length, u32
//!  -8   8  XXH3-64 of all bytes before
//! ```
//!
//! Numbers are little endian; ids are their numbers (`BodyId::index`), a kind of constraints its name, lists of
//! vertices have their lengths before them.

use crate::describe::cut::Cut;
use crate::describe::ids::{BodyId, ColliderId, RigidId, RigidJointId};
use crate::describe::pose::Pose;
use crate::describe::snapshot::{InputError, SnapshotError};
use crate::describe::stiffness::{Stiffness, Values};
use crate::plan::Plan;
use crate::run::bytes::{Reader, set_words, write_doubles, write_words};
use crate::run::input::Input;
use glam::DVec3;
use seidel_rigid::joint::Motor;
use xxhash_rust::xxh3::xxh3_64;

const MAGIC: [u8; 8] = *b"seidelin";
/// The form that is written and read.
const FORMAT: u32 = 2;
/// Where the length of all stands.
const LENGTH_AT: usize = 16;
const HELD: u32 = 1;
const GRAVITY: u32 = 2;
const WIND: u32 = 4;

impl Input {
    /// All that it prescribes, as bytes: the same on every machine. Things are named by their numbers, so they belong
    /// to a scene.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        // Nothing is left out: a new field is named here, or this does not compile.
        let Input {
            dt,
            held,
            gravity,
            wind,
            poses,
            pins,
            turns,
            vertices,
            pulls,
            forces,
            stiffness,
            pressures,
            pushes,
            motors,
            cuts,
        } = self;
        let mut out = MAGIC.to_vec();
        let flags = [(*held, HELD), (gravity.is_some(), GRAVITY), (wind.is_some(), WIND)];
        let flags: u32 = flags.iter().map(|(is_set, flag)| if *is_set { *flag } else { 0 }).sum();
        write_words(&mut out, &[FORMAT, flags]);
        out.extend_from_slice(&0u64.to_le_bytes());
        write_words(&mut out, &[*dt]);
        gravity.iter().chain(wind).for_each(|v| write_words(&mut out, v));
        let out_ = &mut out;
        list(out_, poses, |out, (collider, Pose { position, rotation })| {
            write_words(out, &[collider.number]);
            write_doubles(out, position.iter().chain(rotation));
        });
        list(out_, pins, |out, (body, vertex, to)| {
            write_words(out, &[body.number, *vertex]);
            write_words(out, to);
        });
        list(out_, turns, |out, (body, frame, to)| {
            write_words(out, &[body.number, *frame]);
            write_words(out, to);
        });
        let of_vertices = |out: &mut Vec<u8>, (body, rows): &(BodyId, Vec<[f32; 3]>)| {
            write_words(out, &[body.number, rows.len() as u32]);
            write_words(out, rows.as_flattened());
        };
        list(out_, vertices, of_vertices);
        list(out_, pulls, |out, (body, vertex, to, compliance)| {
            write_words(out, &[body.number, *vertex]);
            write_words(out, &[to[0], to[1], to[2], *compliance]);
        });
        list(out_, forces, of_vertices);
        list(out_, stiffness, |out, (body, kind, stiffness)| {
            write_words(out, &[body.number, kind.name().len() as u32]);
            out.extend_from_slice(kind.name().as_bytes());
            let (sort, values) = match stiffness.values() {
                Values::Uniform(value) => (0, std::slice::from_ref(value)),
                Values::PerRow(values) => (1, &values[..]),
                Values::PerVertex(values) => (2, &values[..]),
            };
            write_words(out, &[u32::from(stiffness.is_compliance()), sort, values.len() as u32]);
            write_words(out, values);
        });
        list(out_, pressures, |out, (body, k)| write_words(out, &[body.number, k.to_bits()]));
        list(out_, pushes, |out, (body, force, torque)| {
            write_words(out, &[body.number]);
            write_doubles(out, force.as_ref().iter().chain(torque.as_ref()));
        });
        list(out_, motors, |out, (joint, motor)| {
            let (sort, target, limit) = match *motor {
                Motor::Off => (0u32, 0.0f32, 0.0f32),
                Motor::Velocity { target, limit } => (1, target, limit),
                Motor::Position { target, limit } => (2, target, limit),
            };
            write_words(out, &[joint.number, sort, target.to_bits(), limit.to_bits()]);
        });
        list(out_, cuts, |out, (body, cut)| {
            write_words(out, &[body.number, cut.numbers().len() as u32]);
            write_doubles(out, cut.numbers());
        });
        let length = out.len() as u64 + 8;
        out[LENGTH_AT..LENGTH_AT + 8].copy_from_slice(&length.to_le_bytes());
        let sum = xxh3_64(&out);
        out.extend_from_slice(&sum.to_le_bytes());
        out
    }

    /// The input that [`Input::to_bytes`] wrote, for the scene of a plan. Ids and numbers are taken as they are: a step
    /// that is given something wrong is not taken, and its report says so.
    ///
    /// # Errors
    /// If the bytes are no input, are not whole or were changed, or name a kind of constraints that the plan does not
    /// have.
    ///
    /// # Example
    /// ```
    /// use seidel::{Cloth, Input, Plan, Scene};
    /// let mut scene = Scene::new();
    /// let flag = scene.add(Cloth::grid([3, 3], [1.0, 1.0]));
    /// let plan = Plan::new(&scene)?;
    /// let input = Input::frame(0.01).wind([3.0, 0.0, 0.0]).pull(flag, 4, [0.0, 1.0, 0.0], 1e-3);
    /// assert_eq!(Input::from_bytes(&plan, &input.to_bytes()), Ok(input));
    /// assert!(Input::from_bytes(&plan, b"something else").is_err());
    /// # Ok::<(), seidel::Error>(())
    /// ```
    pub fn from_bytes(plan: &Plan, bytes: &[u8]) -> Result<Input, InputError> {
        let mut from = Reader::new(bytes);
        if from.array().ok() != Some(MAGIC) {
            return Err(InputError::Foreign);
        }
        let (got, flags, length) = (from.word()?, from.word()?, from.long()?);
        if got != FORMAT {
            return Err(InputError::Format { got, want: FORMAT });
        }
        if length != bytes.len() as u64 {
            return Err(InputError::Length { got: bytes.len() as u64, want: length });
        }
        let Some((before, sum)) = bytes.split_last_chunk::<8>() else { return Err(InputError::Foreign) };
        if xxh3_64(before) != u64::from_le_bytes(*sum) {
            return Err(InputError::Damaged);
        }
        if flags & !(HELD | GRAVITY | WIND) != 0 {
            return Err(InputError::Value { what: "flags that this version does not know" });
        }
        let mut from = from.without_last(8);
        let wrong = |_| InputError::Value { what: "the time step is not within 1e-9 .. 1e3 s" };
        let mut input = Input::new(from.single()?).map_err(wrong)?;
        input.held = flags & HELD != 0;
        if flags & GRAVITY != 0 {
            input.gravity = Some(singles(&mut from)?);
        }
        if flags & WIND != 0 {
            input.wind = Some(singles(&mut from)?);
        }
        let scene = plan.scene;
        let body = |number: u32| BodyId { scene, number };
        for _ in 0..from.word()? {
            let collider = ColliderId { scene, number: from.word()? };
            input.poses.push((collider, Pose { position: from.doubles()?, rotation: from.doubles()? }));
        }
        for _ in 0..from.word()? {
            input.pins.push((body(from.word()?), from.word()?, singles(&mut from)?));
        }
        for _ in 0..from.word()? {
            input.turns.push((body(from.word()?), from.word()?, singles(&mut from)?));
        }
        for _ in 0..from.word()? {
            input.vertices.push((body(from.word()?), rows(&mut from)?));
        }
        for _ in 0..from.word()? {
            input.pulls.push((body(from.word()?), from.word()?, singles(&mut from)?, from.single()?));
        }
        for _ in 0..from.word()? {
            input.forces.push((body(from.word()?), rows(&mut from)?));
        }
        for _ in 0..from.word()? {
            let (body, length) = (body(from.word()?), from.word()?);
            let name = from.many(length.into(), 1)?;
            let kind = plan.families.iter().map(|family| family.kind).find(|kind| kind.name().as_bytes() == name);
            let kind =
                kind.ok_or(InputError::Value { what: "no constraint of the plan is of the kind that it names" })?;
            let (compliance, sort, count) = (from.word()?, from.word()?, from.word()?);
            let mut values = vec![0.0; 0];
            let bytes = from.many(count.into(), 4)?;
            values.resize(count as usize, 0.0);
            set_words(&mut values, bytes);
            let values = match (sort, &values[..]) {
                (0, [value]) => Values::Uniform(*value),
                (1, _) => Values::PerRow(values),
                (2, _) => Values::PerVertex(values),
                _ => return Err(InputError::Value { what: "stiffness is of no known sort" }),
            };
            let stiffness = match compliance {
                0 => Stiffness::Pbd(values),
                1 => Stiffness::Compliance(values),
                _ => return Err(InputError::Value { what: "stiffness is neither a compliance nor PBD's k" }),
            };
            input.stiffness.push((body, kind, stiffness));
        }
        for _ in 0..from.word()? {
            input.pressures.push((body(from.word()?), from.single()?));
        }
        for _ in 0..from.word()? {
            let body = RigidId { scene, number: from.word()? };
            input.pushes.push((body, DVec3::from(from.doubles::<3>()?), DVec3::from(from.doubles::<3>()?)));
        }
        for _ in 0..from.word()? {
            let joint = RigidJointId { scene, number: from.word()? };
            let motor = match (from.word()?, from.single()?, from.single()?) {
                (0, ..) => Motor::Off,
                (1, target, limit) => Motor::Velocity { target, limit },
                (2, target, limit) => Motor::Position { target, limit },
                _ => return Err(InputError::Value { what: "a motor is of no known kind" }),
            };
            input.motors.push((joint, motor));
        }
        for _ in 0..from.word()? {
            let (body, count) = (body(from.word()?), from.word()?);
            let cut = match count {
                6 => Cut::of_numbers(&from.doubles::<6>()?),
                12 => Cut::of_numbers(&from.doubles::<12>()?),
                _ => None,
            };
            input.cuts.push((body, cut.ok_or(InputError::Value { what: "a cut has neither 6 nor 12 numbers" })?));
        }
        from.end()?;
        Ok(input)
    }
}

/// A list and its length.
fn list<T>(out: &mut Vec<u8>, all: &[T], write: impl Fn(&mut Vec<u8>, &T)) {
    write_words(out, &[all.len() as u32]);
    all.iter().for_each(|one| write(out, one));
}

fn singles<const N: usize>(from: &mut Reader<'_>) -> Result<[f32; N], SnapshotError> {
    let mut numbers = [0.0; N];
    for number in &mut numbers {
        *number = from.single()?;
    }
    Ok(numbers)
}

/// Rows of three, and how many there are.
fn rows(from: &mut Reader<'_>) -> Result<Vec<[f32; 3]>, SnapshotError> {
    let count = from.word()?;
    let bytes = from.many(count.into(), 12)?;
    let mut rows = vec![[0.0f32; 3]; count as usize];
    set_words(rows.as_flattened_mut(), bytes);
    Ok(rows)
}
