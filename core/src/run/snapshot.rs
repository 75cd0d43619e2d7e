//! A state as bytes, to go on from later: in another process, on another machine.
//!
//! ```text
//!   0   8  "seidelst"
//!   8   4  format
//!  12   4  flags: 1 stopped, 2 placed, 4 driven, 8 something is disabled, 16 masses of pins are noted, 32 rest shapes yield,
//!             64 something has torn, 128 something was cut and is not open yet, 256 rows that yield soften or may break,
//!             512 the origin is not zero, 1024 coordinates are not those of the scene's description
//!  16   8  layout of the bodies (`Plan::layout_id`)
//!  24   8  the plan that the state was stepped by (`Plan::id`)
//!  32   8  bytes of all, the checksum's included
//!  40   8  time, f64
//!  48      with flag 512 the origin, f64, metres; with flag 1024 what was added to described coordinates, f64, metres
//!          rows x, r, v: 16 bytes a particle each; of second order also d, dv, and the last substep, f32
//!          poses of colliders, 56 bytes each; rotations of matched shapes, 32 bytes each; rigid bodies; of fluids multipliers, 4 bytes a row of
//!          the plan, numbers of births, 8 bytes a vertex, and counts; of grains the number of contacts, u32, rows, 8 bytes each, and places, 12,
//!          and where they come or go numbers of births and counts, as of fluids
//!          with flag 8 a byte each of bodies, colliders and rigid bodies, 1 if it is disabled; with flag 16 how many masses are
//!          noted, u32, and of each its row, u32, and the inverse mass, f32
//!          with flag 32 how many families of rows yield, u32, and of each what its rows are, u64, its packs, u32, 64 bytes a pack, and as many
//!          bytes of their rounding; with flag 256 behind each how many packs of accumulated strains it has, u32, and these: two a batch, of
//!          sums and their rounding
//!          with flag 64 how many vertices were split, u32, and how many triangles or tetrahedra have their copies, u32; of each the body, the vertex and how many
//!          triangles have the copy, u32 each; then all these triangles, u32
//!          softness that inputs have set: families, then of each its number, its batches, and 64 bytes a batch
//!  -8   8  XXH3-64 of all bytes before
//! ```
//!
//! Numbers are little endian. A plan and its layout say how many there are of each, so nothing is allocated by a number
//! of the header.

use crate::describe::pose::Pose;
use crate::describe::snapshot::SnapshotError;
use crate::describe::torn::Tears;
use crate::plan::Plan;
use crate::run::bytes::{Reader, set_words, write_doubles, write_words};
use crate::run::fluid::FluidState;
use crate::run::grains::GrainState;
use crate::run::off::Off;
use crate::run::past::Past;
use crate::run::plasticity::PlasticityState;
use crate::run::rigid::RigidState;
use crate::run::state::State;
use crate::tuning::{MAX_COORDINATE, MAX_INV_MASS, MAX_ORIGIN, MIN_INV_MASS};
use seidel_kernels::{BATCH, Pack, Rows};
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

const MAGIC: [u8; 8] = *b"seidelst";
/// The form that is written and read.
const FORMAT: u32 = 3;
/// Where the length of all stands.
const LENGTH_AT: usize = 32;
const STOPPED: u32 = 1;
const PLACED: u32 = 2;
const DRIVEN: u32 = 4;
const DISABLED: u32 = 8;
const HELD: u32 = 16;
const FLOWED: u32 = 32;
const TORN: u32 = 64;
const CUT: u32 = 128;
const ACCUMULATED: u32 = 256;
const AWAY: u32 = 512;
const SHIFTED: u32 = 1024;

/// What stands before the rows.
struct Header {
    flags: u32,
    layout: u64,
    plan: u64,
    time: f64,
    origin: [f64; 3],
    shift: [f64; 3],
}

/// A state that is read and checked, and written nowhere yet.
struct Read<'a> {
    header: Header,
    /// x, r, v, d, dv.
    rows: [&'a [u8]; 5],
    h: f32,
    poses: Vec<Pose>,
    rotations: Vec<[f64; 4]>,
    rigid: RigidState,
    fluid: FluidState,
    grains: GrainState,
    off: Off,
    held: Vec<(u32, f32)>,
    plasticity: PlasticityState,
    tears: Tears,
    soft: Vec<Vec<Pack<f32>>>,
}

impl State {
    /// Everything that a step changes, as bytes: the same on every machine. [`State::from_bytes`] makes a state of them
    /// that goes on bit for bit. 48 bytes a particle (80 with velocities of second order), 32 a matched shape, 105 a
    /// rigid body, 96 a joint of two and 124 a contact of two; 8 a parameter of a row that yields, and 8 more a row
    /// that softens or may break, in batches of sixteen rows; and 60 of header and checksum.
    ///
    /// Not among them: real time that [`crate::Solver::advance`] has not used yet.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.write_bytes(&mut out);
        out
    }

    /// [`State::to_bytes`] into a vector, whose memory is kept.
    pub fn write_bytes(&self, out: &mut Vec<u8>) {
        // Nothing is left out: a new field is named here, or this does not compile.
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
        let Past { d, dv, h } = past;
        out.clear();
        let rows = [x, r, v, d, dv];
        out.reserve(256 + 16 * rows.iter().map(|rows| rows.len()).sum::<usize>());
        out.extend_from_slice(&MAGIC);
        let (is_off, is_held) = ((off.any(), DISABLED), (!held.is_empty(), HELD));
        let (flows, has_torn) = ((!plasticity.is_empty(), FLOWED), (!tears.is_empty(), TORN));
        let is_cut = (!tears.slits().is_empty(), CUT);
        let softens = (plasticity.accumulates(), ACCUMULATED);
        let is_set = [(*stopped, STOPPED), (*placed, PLACED), (*driven, DRIVEN), is_off, is_held];
        let (is_away, is_shifted) = ((*origin != [0.0; 3], AWAY), (*shift != [0.0; 3], SHIFTED));
        let flags = is_set.into_iter().chain([flows, has_torn, is_cut, softens, is_away, is_shifted]);
        let flags: u32 = flags.map(|(is_set, flag)| if is_set { flag } else { 0 }).sum();
        [FORMAT, flags].iter().for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
        [*layout, *plan, 0].iter().for_each(|long| out.extend_from_slice(&long.to_le_bytes()));
        write_doubles(out, [time]);
        if is_away.0 {
            write_doubles(out, origin);
        }
        if is_shifted.0 {
            write_doubles(out, shift);
        }
        rows.iter().for_each(|rows| write_words(out, rows));
        if past.is_kept() {
            write_words(out, &[*h]);
        }
        poses.iter().for_each(|Pose { position, rotation }| write_doubles(out, position.iter().chain(rotation)));
        write_doubles(out, rotations.as_flattened());
        rigid.write(out);
        fluid.write(out);
        grains.write(out);
        if off.any() {
            off.bytes(|bytes| out.extend_from_slice(bytes));
        }
        if !held.is_empty() {
            write_words(out, &[held.len() as u32]);
            held.iter().for_each(|(row, mass)| write_words(out, &[*row, mass.to_bits()]));
        }
        if !plasticity.is_empty() {
            plasticity.write(out);
        }
        if !tears.is_empty() {
            tears.write(out);
        }
        if !tears.slits().is_empty() {
            write_words(out, &[tears.slits().len() as u32]);
            write_words(out, tears.slits().as_flattened());
        }
        let given = soft.iter().enumerate().filter(|(_, soft)| !soft.is_empty());
        write_words(out, &[given.clone().count() as u32]);
        for (family, soft) in given {
            write_words(out, &[family as u32, soft.len() as u32]);
            write_words(out, soft);
        }
        let length = out.len() as u64 + 8;
        out[LENGTH_AT..LENGTH_AT + 8].copy_from_slice(&length.to_le_bytes());
        let sum = xxh3_64(out);
        out.extend_from_slice(&sum.to_le_bytes());
    }

    /// The state that [`State::to_bytes`] wrote, for a plan of the same layout ([`Plan::layout_id`]).
    ///
    /// Of the same plan ([`Plan::id`]) it goes on with the same bits. A plan with other settings, materials or
    /// colliders goes on from the same positions, velocities, masses, poses of colliders and time, and from the rest
    /// shapes of rows that yield in both, if the bodies that share them have one method in both; stiffness that inputs
    /// had set is lost, and particles may be inside of colliders now, as after [`State::write_positions`]. The origin
    /// ([`State::origin`]) is the written one; where the plan's was moved since ([`crate::Solver::move_origin`]), or
    /// the state's, what there is stays where it is in the world.
    ///
    /// # Errors
    /// If the bytes are no state, are not whole, were changed, or are a state of another layout. Numbers are taken as
    /// they are, but for those that a step relies on.
    ///
    /// # Example
    /// ```
    /// use seidel::{Cloth, Plan, Scene, State};
    /// let mut scene = Scene::new();
    /// scene.add(Cloth::grid([3, 3], [1.0, 1.0]));
    /// let plan = Plan::new(&scene)?;
    /// let state = State::new(&plan);
    /// assert_eq!(State::from_bytes(&plan, &state.to_bytes())?, state);
    /// assert!(State::from_bytes(&plan, b"something else").is_err());
    /// # Ok::<(), seidel::Error>(())
    /// ```
    pub fn from_bytes(plan: &Plan, bytes: &[u8]) -> Result<State, SnapshotError> {
        let read = Read::of(plan, bytes)?;
        let mut state = State::new(plan);
        read.put(plan, &mut state);
        Ok(state)
    }

    /// [`State::from_bytes`] into a state, whose memory is kept if it is the plan's.
    ///
    /// # Errors
    /// As there; then the state is as it was.
    pub fn restore(&mut self, plan: &Plan, bytes: &[u8]) -> Result<(), SnapshotError> {
        let read = Read::of(plan, bytes)?;
        if self.plan != plan.id {
            *self = State::new(plan);
        }
        read.put(plan, self);
        Ok(())
    }

    /// The plan that a state was stepped by when it was written ([`Plan::id`]).
    ///
    /// # Errors
    /// If the bytes are no state, are not whole or were changed.
    pub fn plan_of(bytes: &[u8]) -> Result<u64, SnapshotError> {
        opened(bytes).map(|(header, _)| header.plan)
    }
}

/// Checks that bytes are a whole state; its header, and what stands between that and the checksum.
fn opened(bytes: &[u8]) -> Result<(Header, Reader<'_>), SnapshotError> {
    let mut from = Reader::new(bytes);
    if from.array().ok() != Some(MAGIC) {
        return Err(SnapshotError::Foreign);
    }
    let got = from.word()?;
    if got != FORMAT {
        return Err(SnapshotError::Format { got, want: FORMAT });
    }
    let flags = from.word()?;
    let (layout, plan, length) = (from.long()?, from.long()?, from.long()?);
    if length != bytes.len() as u64 {
        return Err(SnapshotError::Length { got: bytes.len() as u64, want: length });
    }
    let time = from.double()?;
    let Some((before, sum)) = bytes.split_last_chunk::<8>() else { return Err(SnapshotError::Foreign) };
    let (got, want) = (xxh3_64(before), u64::from_le_bytes(*sum));
    if got != want {
        return Err(SnapshotError::Damaged { got, want });
    }
    if flags & !(STOPPED | PLACED | DRIVEN | DISABLED | HELD | FLOWED | TORN | CUT | ACCUMULATED | AWAY | SHIFTED) != 0
    {
        return Err(SnapshotError::Value { what: "flags that this version does not know" });
    }
    if flags & (FLOWED | ACCUMULATED) == ACCUMULATED {
        return Err(SnapshotError::Value { what: "accumulated strains of rows that do not yield" });
    }
    if !time.is_finite() {
        return Err(SnapshotError::Value { what: "the time is not finite" });
    }
    let mut place = |flag: u32, most: f64, what: &'static str| match flags & flag {
        0 => Ok([0.0; 3]),
        _ => {
            let at: [f64; 3] = from.doubles()?;
            let good = at.iter().all(|c| c.abs() <= most) && at != [0.0; 3];
            if good { Ok(at) } else { Err(SnapshotError::Value { what }) }
        }
    };
    let origin = place(AWAY, MAX_ORIGIN, "the origin is not within +-1e12 m, or is zero and need not be told")?;
    let most = f64::from(MAX_COORDINATE);
    let shift = place(SHIFTED, most, "coordinates are shifted by nothing, or by more than 1e6 m")?;
    Ok((Header { flags, layout, plan, time, origin, shift }, from.without_last(8)))
}

impl<'a> Read<'a> {
    fn of(plan: &Plan, bytes: &'a [u8]) -> Result<Read<'a>, SnapshotError> {
        let (header, mut from) = opened(bytes)?;
        if header.layout != plan.layout {
            return Err(SnapshotError::Layout { got: header.layout, want: plan.layout });
        }
        if header.plan == plan.id && header.shift != plan.shift {
            return Err(SnapshotError::Value { what: "coordinates are shifted otherwise than in their plan" });
        }
        let (past, size) = (Past::is_kept_by(plan), 16 * plan.x.len());
        let size_of_past = if past { size } else { 0 };
        let mut rows = [&[][..]; 5];
        for (rows, size) in rows.iter_mut().zip([size, size, size, size_of_past, size_of_past]) {
            *rows = from.take(size)?;
        }
        let h = if past { from.single()? } else { 0.0 };
        if !h.is_finite() || h < 0.0 {
            return Err(SnapshotError::Value { what: "the length of a substep is not finite and 0 or more" });
        }
        let mut poses = Vec::with_capacity(plan.colliders.len());
        for _ in &plan.colliders {
            let pose = Pose { position: from.doubles()?, rotation: from.doubles()? };
            if !pose.is_valid() {
                return Err(SnapshotError::Value { what: "a collider's pose is not finite with a unit quaternion" });
            }
            poses.push(pose);
        }
        let mut rotations = Vec::new();
        for _ in plan.fields.iter().flat_map(|fields| &fields.shapes) {
            rotations.push(from.doubles()?);
        }
        let is_unit = |q: &[f64; 4]| (q.iter().map(|c| c * c).sum::<f64>() - 1.0).abs() < 1e-3;
        if !rotations.iter().all(is_unit) {
            return Err(SnapshotError::Value { what: "a matched shape's rotation is no unit quaternion" });
        }
        let rigid = match &plan.rigid {
            Some(rigid) => RigidState::read(rigid, &mut from)?,
            None => RigidState::default(),
        };
        let fluid = FluidState::read(plan, &mut from)?;
        let grains = GrainState::read(plan, &mut from)?;
        let off = if header.flags & DISABLED == 0 { Off::new(plan) } else { Off::read(plan, &mut from)? };
        let held = if header.flags & HELD == 0 { Vec::new() } else { held(plan, &mut from)? };
        let is_same = header.plan == plan.id_with(header.shift);
        let plasticity = match header.flags & FLOWED {
            0 if is_same && plan.families.iter().any(|family| family.plastic.is_some()) => {
                return Err(SnapshotError::Value { what: "no rest shapes of rows that yield" });
            }
            0 => PlasticityState::new(plan),
            _ => PlasticityState::read(plan, is_same, header.flags & ACCUMULATED != 0, &mut from)?,
        };
        let mut tears = if header.flags & TORN == 0 { Tears::default() } else { torn(plan, &mut from)? };
        if header.flags & CUT != 0 {
            slits(plan, &mut from, &mut tears)?;
        }
        // Other plans have other families.
        let soft = if is_same { softness(plan, &mut from)? } else { Vec::new() };
        let read = Read { header, rows, h, poses, rotations, rigid, fluid, grains, off, held, plasticity, tears, soft };
        read.check_fixed(plan)?;
        Ok(read)
    }

    /// Rows that are solved at once rely on fixed particles, and obstacles go where they are taken.
    fn check_fixed(&self, plan: &Plan) -> Result<(), SnapshotError> {
        let w = |row: usize| {
            let body = &plan.bodies[plan.bodies.partition_point(|body| body.start + body.rows <= row)];
            let at = 4 * (body.layout.offset(row) + 3 * body.layout.stride());
            let bytes = self.rows[0].get(at..).and_then(|bytes| bytes.first_chunk());
            bytes.is_some_and(|bytes| f32::from_le_bytes(*bytes) == 0.0)
        };
        let of_obstacle = |body: usize| {
            let body = &plan.bodies[body];
            (0..body.to_row.len()).map(|vertex| body.particle(vertex as u32))
        };
        let obstacles = plan.obstacles.each.iter().flat_map(|obstacle| of_obstacle(obstacle.body));
        match plan.untorn().shared.iter().copied().chain(obstacles).all(|row| w(row as usize)) {
            true => Ok(()),
            false => Err(SnapshotError::Value { what: "a vertex that is planned as fixed has a mass" }),
        }
    }

    fn put(self, plan: &Plan, state: &mut State) {
        let Read { header, rows, h, poses, rotations, rigid, fluid, grains, off, held, plasticity, tears, soft } = self;
        let Header { flags, layout, plan: of, time, origin, shift } = header;
        (state.off, state.held, state.plasticity, state.tears) = (off, held, plasticity, tears);
        let is_same = of == plan.id_with(shift);
        // Where settings are others, so may be what is inside of what.
        let is_set = |flag: u32| flags & flag != 0;
        let (placed, driven) = (is_set(PLACED) || !is_same, is_set(DRIVEN) || !is_same);
        let of_plan = |soft: Vec<_>| if is_same { soft } else { vec![Vec::new(); plan.families.len()] };
        let State { x, r, v, past, .. } = state;
        let to: [&mut Rows; 5] = [x, r, v, &mut past.d, &mut past.dv];
        to.into_iter().zip(rows).for_each(|(to, bytes)| set_words(to, bytes));
        past.h = h;
        (state.plan, state.scene, state.numbers) = (plan.id, plan.scene, Arc::clone(&plan.numbers));
        (state.layout, state.soft, state.poses, state.rotations, state.rigid, state.fluid) =
            (layout, of_plan(soft), poses, rotations, rigid, fluid);
        (state.time, state.stopped, state.placed, state.driven) = (time, is_set(STOPPED), placed, driven);
        (state.grains, state.origin, state.shift) = (grains, origin, shift);
        state.ended.clear();
        state.put_into(plan);
        if !is_same {
            state.fluid.meet(plan, time);
            state.grains.meet(plan, time);
        }
    }
}

/// Masses of pins that are not the plan's.
fn held(plan: &Plan, from: &mut Reader<'_>) -> Result<Vec<(u32, f32)>, SnapshotError> {
    let count = from.word()?;
    let mut rest = Reader::new(from.many(count.into(), 8)?);
    let mut held = Vec::new();
    for _ in 0..count {
        held.push((rest.word()?, rest.single()?));
    }
    let is_one =
        |&(row, mass): &(u32, f32)| (row as usize) < plan.x.len() && (MIN_INV_MASS..=MAX_INV_MASS).contains(&mass);
    match held.iter().all(is_one) && held.windows(2).all(|two| two[0].0 < two[1].0) {
        true => Ok(held),
        false => Err(SnapshotError::Value { what: "masses of pins are out of order or out of range" }),
    }
}

/// Splits of vertices, of a plan's bodies.
fn torn(plan: &Plan, from: &mut Reader<'_>) -> Result<Tears, SnapshotError> {
    let (splits, triangles) = (from.word()?, from.word()?);
    let words = |bytes: &[u8]| {
        let word = |four: &[u8]| four.try_into().map_or(0, u32::from_le_bytes);
        bytes.chunks_exact(4).map(word).collect::<Vec<u32>>()
    };
    let heads = words(from.many(splits.into(), 12)?);
    let moved = words(from.many(triangles.into(), 4)?);
    let heads: Vec<[u32; 3]> = heads.chunks_exact(3).map(|three| [three[0], three[1], three[2]]).collect();
    let tears = Tears::from_words(&heads, &moved).filter(|tears| splits > 0 && plan.fits_tears(tears));
    tears.ok_or(SnapshotError::Value { what: "something has torn that the plan does not have" })
}

/// Edges that were cut and are not open yet, of a plan's bodies.
fn slits(plan: &Plan, from: &mut Reader<'_>, tears: &mut Tears) -> Result<(), SnapshotError> {
    let count = from.word()?;
    let mut rest = Reader::new(from.many(count.into(), 12)?);
    let mut all = Vec::new();
    for _ in 0..count {
        all.push([rest.word()?, rest.word()?, rest.word()?]);
    }
    if count == 0 || !all.windows(2).all(|two| two[0] < two[1]) || !plan.fits_slits(&all) {
        return Err(SnapshotError::Value { what: "edges are cut that the plan does not have" });
    }
    for of in all.chunk_by(|a, b| a[0] == b[0]) {
        tears.set_slits(of[0][0], of.iter().map(|&[_, a, b]| [a, b]));
    }
    Ok(())
}

/// Softness that inputs have set, family by family.
fn softness(plan: &Plan, from: &mut Reader<'_>) -> Result<Vec<Vec<Pack<f32>>>, SnapshotError> {
    let mut all = vec![Vec::new(); plan.families.len()];
    let mut least = 0;
    let count = from.word()?;
    if count > 0 && plan.tearing.is_some() {
        return Err(SnapshotError::Value { what: "stiffness that was set, in a scene where something tears" });
    }
    for _ in 0..count {
        let (number, batches) = (from.word()? as usize, from.word()? as usize);
        let fits = plan.families.get(number).is_some_and(|of| of.batches.len() == batches);
        // Written in order, each once, and none without batches.
        if !fits || number < least || batches == 0 {
            return Err(SnapshotError::Value { what: "stiffness of rows that the plan does not have" });
        }
        let mut soft = vec![Pack([0.0; BATCH]); batches];
        set_words(&mut soft, from.many(batches as u64, 4 * BATCH)?);
        all[number] = soft;
        least = number + 1;
    }
    from.end()?;
    Ok(all)
}
