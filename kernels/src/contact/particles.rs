//! One collider against a run of particles.

use super::triangles::longest;
use super::{Begin, Bounce, Held, Pushed, Shape, Slack, Surface, friction};
use crate::integrate::rows::{columns, in_order, put_columns};
use crate::integrate::{Motion, Run};
use crate::lanes::{Dispatch, Kernel, Lanes, Mask};
use crate::tuning::HOVER;
use crate::{BATCH, Chunk, InChunks, Isa, Layout, Row, V3};
use seidel_workers::Shared;
use seidel_workers::claims::Use;

/// Keeps particles out of a collider, with friction.
#[derive(Clone, Copy, Debug)]
pub struct ParticleContacts<'a, S> {
    /// The rows.
    pub motion: Motion<'a>,
    /// The collider in this substep.
    pub surface: Surface<S>,
    /// Particle radius, metres, with what the collider adds; at least that of each particle.
    pub thickness: f32,
    /// The body's friction, as `Surface::combine` takes it.
    pub friction: f32,
    /// For each row of the motion [particle radius, friction, 0, 0], instead of those; empty if these are
    /// all particles'.
    pub grips: &'a [Row],
    /// What the collider adds to the radius of a row of `grips`, metres.
    pub added: f32,
    /// Substep, seconds, if particles may be inside at its start and are to leave without a velocity.
    pub leaving: Option<f32>,
    /// For each row of the motion [`Shape::contact`]'s span, m^2, and three zeros; empty if there are no triangles.
    pub spans: &'a [Row],
    /// Multipliers [tau, normal] of each row of the run, in metres; empty if they need not be kept (a single
    /// iteration).
    pub held: Shared<'a, Row>,
    /// True if nothing is held yet in this substep.
    pub first: bool,
    /// For each row of the run the last normal and the sum of the pushes along it, [n, metres], to which this adds;
    /// empty if nobody asks.
    pub record: Shared<'a, Row>,
    /// When each row of the run is to be looked at.
    pub slack: Slack<'a>,
    /// Where what is to bounce is written down; None if nothing does.
    pub bounce: Option<Bounce<'a>>,
}

impl<S: Shape> ParticleContacts<'_, S> {
    /// Solves the contacts of a run of rows and returns their number and, where `Slack::ways` are kept, how far one was
    /// pushed.
    ///
    /// # Safety
    /// Nobody else uses these rows, nor `held`, meanwhile.
    ///
    /// # Panics
    /// If an array is too short.
    pub unsafe fn solve(&self, isa: Isa, run: Run) -> Pushed {
        self.motion.check(run);
        assert!(self.spans.is_empty() || self.spans.len() >= run.start + run.len, "too few spans");
        assert!(self.grips.is_empty() || self.grips.len() >= run.start + run.len, "too few grips");
        assert!(self.held.is_empty() || self.held.len() >= run.len, "too few multipliers");
        assert!(self.record.is_empty() || self.record.len() >= run.len, "too few rows to record in");
        let until = self.slack.until.len();
        assert!(S::CHEAP || until >= run.len && !self.slack.ways.is_empty(), "too few rows to look at");
        assert!(self.slack.ways.is_empty() || self.slack.ways.len() >= run.start + run.len, "too few ways");
        let bounces = self.bounce.map_or(usize::MAX, |bounce| bounce.rows.len());
        assert!(bounces >= run.start + run.len, "too few bounces");
        [self.motion.r, self.motion.u].iter().for_each(|rows| rows.claim(run.start, run.len, Use::Write));
        isa.dispatch(Solve { contacts: self, run })
    }
}

struct Solve<'a, S> {
    contacts: &'a ParticleContacts<'a, S>,
    run: Run,
}

impl<S: Shape> Kernel for Solve<'_, S> {
    type Output = Pushed;

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) -> Pushed {
        // There are more numbers than registers as it is.
        self.all::<L::One>()
    }
}

/// Rows that may touch, from several packs: a pack has one or two of them.
struct NearRows {
    count: usize,
    /// Offsets in the run.
    at: [usize; 2 * BATCH],
}

/// Where `WIDTH` rows of an array are.
#[derive(Clone, Copy)]
enum Where<'a> {
    /// One after another.
    Pack(Layout, usize),
    /// Their first numbers, and how far apart the others are; so many are written.
    Places(&'a [usize; BATCH], usize, usize),
}

/// The components of rows.
///
/// # Safety
/// The rows are there, and nobody writes them.
#[inline(always)]
unsafe fn load<L: Lanes<Elem = f32>>(rows: *const Row, of: Where<'_>) -> [L; 4] {
    let (places, stride) = match of {
        // SAFETY: the caller promises that the pack's rows are there, and nobody writes them.
        Where::Pack(layout, row) => return unsafe { columns(rows, layout, row) },
        Where::Places(places, stride, _) => (places, stride),
    };
    let mut columns = [[0.0f32; BATCH]; 4];
    for lane in 0..L::WIDTH {
        for (k, column) in columns.iter_mut().enumerate() {
            // SAFETY: the caller promises that the row is there.
            column[lane] = unsafe { rows.cast::<f32>().add(places[lane] + k * stride).read() };
        }
    }
    let [c0, c1, c2, c3] = &columns;
    [c0.load(Chunk::<L>::FIRST), c1.load(Chunk::<L>::FIRST), c2.load(Chunk::<L>::FIRST), c3.load(Chunk::<L>::FIRST)]
}

/// Writes what was loaded, and changed.
///
/// # Safety
/// The rows are there, and nobody else uses them.
#[inline(always)]
unsafe fn store<L: Lanes<Elem = f32>>(values: [L; 4], rows: Shared<'_, Row>, of: Where<'_>) {
    let (places, stride, count) = match of {
        // SAFETY: the caller promises that the pack's rows are there, and nobody else uses them.
        Where::Pack(layout, row) => return unsafe { put_columns(values, rows, layout, row) },
        Where::Places(places, stride, count) => (places, stride, count),
    };
    let mut columns = [[0.0f32; BATCH]; 4];
    for (column, value) in columns.iter_mut().zip(values) {
        column.store(Chunk::<L>::FIRST, value);
    }
    // SAFETY: the caller promises that the rows are there, and nobody else uses them.
    unsafe {
        for lane in 0..count {
            for (k, column) in columns.iter().enumerate() {
                rows.as_ptr().cast::<f32>().add(places[lane] + k * stride).write(column[lane]);
            }
        }
    }
}

/// The part of a way that leads along a surface with normal `n`.
#[inline(always)]
fn along<L: Lanes<Elem = f32>>(way: V3<L>, n: V3<L>) -> V3<L> {
    way - n * way.dot(n)
}

/// What a contact needs of rows: [x, w], [u, rest], [r, 0] of `Motion`.
type Loaded<L> = [[L; 4]; 3];

impl<S: Shape> Solve<'_, S> {
    #[inline(always)]
    fn all<L: Lanes<Elem = f32>>(self) -> Pushed {
        let mut near = NearRows { count: 0, at: [0; 2 * BATCH] };
        let (mut pushed, mut offset) = (Pushed::default(), 0);
        loop {
            // Less than a register waits when a pack is looked at, so there is room.
            while offset < self.run.len && near.count < L::WIDTH {
                // SAFETY: `solve` found the run inside every array; WIDTH divides 16; its caller keeps others away.
                pushed.add(unsafe { self.look::<L>(offset, &mut near) });
                offset += L::WIDTH;
            }
            if S::CHEAP || near.count == 0 {
                return pushed;
            }
            let some = near.count.min(L::WIDTH);
            // SAFETY: `solve` found the run inside every array, and `look` puts only its rows into `near`; its caller
            // keeps others away.
            pushed.add(unsafe { self.contact_of::<L>(&near.at, some) });
            near.at.copy_within(some..near.count, 0);
            near.count -= some;
        }
    }

    /// Rows of a pack: in order where it is told which of them are near.
    ///
    /// # Safety
    /// As for [`load`].
    #[inline(always)]
    unsafe fn pack<L: Lanes<Elem = f32>>(rows: *const Row, layout: Layout, row: usize) -> [L; 4] {
        // SAFETY: the caller promises that the rows are there, and nobody writes them.
        unsafe { if S::CHEAP { columns(rows, layout, row) } else { in_order(rows, layout, row) } }
    }

    /// Notes which rows of a pack may touch, or solves them, and when each is to be looked at next.
    ///
    /// # Safety
    /// As for [`ParticleContacts::solve`]; `offset` is a multiple of WIDTH below the run's length.
    #[inline(always)]
    unsafe fn look<L: Lanes<Elem = f32>>(&self, offset: usize, near: &mut NearRows) -> Pushed {
        let Self { contacts, run: Run { start, layout, .. } } = self;
        let (motion, surface, slack) = (contacts.motion, &contacts.surface, contacts.slack);
        let row = start + offset;
        // SAFETY: `solve` found the run inside every array; the caller promises that `offset` is within it, and keeps
        // others away.
        unsafe {
            let keep = !contacts.held.is_empty();
            if keep && contacts.first {
                put_columns([L::zero(); 4], contacts.held, *layout, offset);
            }
            let [mut gone, mut reach] = [L::zero(); 2];
            if !S::CHEAP {
                [gone, reach, ..] = in_order::<L>(slack.ways.as_ptr(), *layout, row);
                if L::load(slack.until.as_ptr().add(offset)).gt(slack.spent(reach)).all() {
                    return Pushed::default();
                }
            }
            let loaded: Loaded<L> = [
                Self::pack::<L>(motion.x.as_ptr(), *layout, row),
                Self::pack::<L>(motion.u.as_ptr(), *layout, row),
                Self::pack::<L>(motion.r.as_ptr(), *layout, row),
            ];
            let [[x, y, z, w], [ux, uy, uz, _], [rx, ry, rz, _]] = loaded;
            let from_center = V3::new(x, y, z) - V3::set(surface.at);
            let b = from_center + (V3::new(ux, uy, uz) - V3::set(surface.to));
            let a = from_center + (V3::new(rx, ry, rz) - V3::set(surface.from));
            let held = match keep && !contacts.first {
                true => Self::pack::<L>(contacts.held.as_ptr(), *layout, offset)[3].gt(L::zero()),
                false => w.lt(w),
            };
            let thickness = L::set(contacts.thickness);
            let most = if contacts.spans.is_empty() { thickness } else { thickness * L::splat(1.0 + HOVER) };
            let movable = w.gt(L::zero());
            let possible = movable & (surface.shape.near(a, b, most) | held);
            if S::CHEAP {
                return match possible.any() {
                    true => {
                        self.contact::<L>(possible, loaded, Where::Pack(*layout, row), Where::Pack(*layout, offset))
                    }
                    false => Pushed::default(),
                };
            }
            // A fixed particle needs no further look; a held one needs another, however its way changes in this
            // substep.
            let never = L::set(f32::INFINITY);
            let until = L::select(movable, slack.base(gone, reach - gone) + surface.shape.room(b, most), never);
            L::select(held, -never, until).store(slack.until.as_ptr().add(offset));
            let mut possible = possible.bits();
            while possible != 0 {
                near.at[near.count] = offset + possible.trailing_zeros() as usize;
                near.count += 1;
                possible &= possible - 1;
            }
            Pushed::default()
        }
    }

    /// Solves the contacts of the first `some` of these rows.
    ///
    /// # Safety
    /// As for [`ParticleContacts::solve`]; there are so many, at most WIDTH.
    #[inline(always)]
    unsafe fn contact_of<L: Lanes<Elem = f32>>(&self, at: &[usize; 2 * BATCH], some: usize) -> Pushed {
        let Run { start, layout, .. } = self.run;
        // The others repeat the first, and are not written.
        let (mut places, mut offsets, mut there) = ([0; BATCH], [0; BATCH], [0.0f32; BATCH]);
        for lane in 0..L::WIDTH {
            let offset = if lane < some { at[lane] } else { at[0] };
            (places[lane], offsets[lane]) = (layout.offset(start + offset), layout.offset(offset));
            there[lane] = if lane < some { 1.0 } else { 0.0 };
        }
        let rows = Where::Places(&places, layout.stride(), some);
        let motion = self.contacts.motion;
        // SAFETY: `solve` found the run inside every array; the caller promises that these rows are of it, and keeps
        // others away.
        unsafe {
            let loaded: Loaded<L> =
                [load(motion.x.as_ptr(), rows), load(motion.u.as_ptr(), rows), load(motion.r.as_ptr(), rows)];
            let offsets = Where::Places(&offsets, layout.stride(), some);
            self.contact::<L>(there.load(Chunk::<L>::FIRST).gt(L::zero()), loaded, rows, offsets)
        }
    }

    /// Solves the contacts of some of these rows. They are at `rows` in arrays of all rows, and at `offsets` in those
    /// of the run.
    ///
    /// # Safety
    /// As for [`ParticleContacts::solve`]; the rows are the run's.
    #[inline(always)]
    unsafe fn contact<L: Lanes<Elem = f32>>(
        &self,
        there: L::Mask,
        loaded: Loaded<L>,
        rows: Where<'_>,
        offsets: Where<'_>,
    ) -> Pushed {
        let contacts = self.contacts;
        let (motion, surface, slack) = (contacts.motion, &contacts.surface, contacts.slack);
        let keep = !contacts.held.is_empty();
        // SAFETY: `solve` found the run inside every array; its caller keeps others away.
        unsafe {
            let [[x, y, z, _], [ux, uy, uz, rest], [rx, ry, rz, zeros]] = loaded;
            let (mut u, r) = (V3::new(ux, uy, uz), V3::new(rx, ry, rz));
            let from_center = V3::new(x, y, z) - V3::set(surface.at);
            let (b, a) = (from_center + (u - V3::set(surface.to)), from_center + (r - V3::set(surface.from)));
            let mut held = Held { tau: V3::zero(), normal: L::zero() };
            if keep && !contacts.first {
                let [tx, ty, tz, normal] = load::<L>(contacts.held.as_ptr(), offsets);
                held = Held { tau: V3::new(tx, ty, tz), normal };
            }
            let span = match contacts.spans.is_empty() {
                true => L::zero(),
                false => load::<L>(contacts.spans.as_ptr(), rows)[0],
            };
            let (mut thickness, mut grip) = (L::set(contacts.thickness), L::set(contacts.friction));
            if !contacts.grips.is_empty() {
                let [own, of_row, ..] = load::<L>(contacts.grips.as_ptr(), rows);
                (thickness, grip) = (own + L::set(contacts.added), of_row);
            }
            let mu_s = surface.combine.of(grip, L::set(surface.friction_static));
            let mu_k = surface.combine.of(grip, L::set(surface.friction_kinetic));
            let before = u;
            let (c, n, thickness) = surface.shape.contact(a, b, thickness, span);
            let mut touches = there & (c.lt(L::zero()) | held.normal.gt(L::zero()));
            if let Some(h) = contacts.leaving.map(L::set) {
                let (depth, out) = surface.shape.inside(a, thickness);
                let begin = Begin { depth, end: -c, at: a, thickness };
                let inside = there & begin.inside();
                touches = touches & !inside;
                if inside.any() {
                    // Of its velocity it keeps what leads along the surface, less friction.
                    let moves = surface.displacement(b);
                    let way = (u - r) - moves;
                    let normal = (-way.dot(out)).larger(L::zero());
                    let slip = along(way, out);
                    let slip = slip + friction(Held { tau: V3::zero(), normal }, slip, mu_s, mu_k);
                    let left = u + out * begin.leave(h, contacts.first);
                    u = V3::select(inside, left, u);
                    let r = V3::select(inside, (left - moves) - slip, r);
                    store([r.x, r.y, r.z, zeros], motion.r, rows);
                }
            }
            let mut pushed = Pushed::default();
            if touches.any() {
                let normal = (held.normal - c).larger(L::zero());
                let moved = u + n * (normal - held.normal);
                let slip = along(moved - r - surface.displacement(b), n);
                let tau = friction(Held { tau: held.tau, normal }, slip, mu_s, mu_k);
                let mut moved = moved + (tau - held.tau);
                if let Some(out) = surface.shape.settle(b + (moved - u), thickness) {
                    moved = moved + out;
                }
                let sane = touches & moved.length_squared().finite();
                u = V3::select(sane, moved, u);
                if !contacts.record.is_empty() {
                    let [x, y, z, way] = load::<L>(contacts.record.as_ptr(), offsets);
                    let n = V3::select(sane, n, V3::new(x, y, z));
                    let way = L::select(sane, way + (normal - held.normal), way);
                    store([n.x, n.y, n.z, way], contacts.record, offsets);
                }
                held = Held { tau: V3::select(sane, tau, held.tau), normal: L::select(sane, normal, held.normal) };
                if keep {
                    store([held.tau.x, held.tau.y, held.tau.z, held.normal], contacts.held, offsets);
                }
                let pressed = sane & held.normal.gt(L::zero());
                if let Some(bounce) = &contacts.bounce {
                    let [vx, vy, vz, _] = load::<L>(motion.v.as_ptr(), rows);
                    let noted = load::<L>(bounce.rows.as_ptr(), rows);
                    let noted = bounce.noted(noted, V3::new(vx, vy, vz), pressed, n, surface.displacement(b));
                    store(noted, bounce.rows, rows);
                }
                pushed.contacts = pressed.count();
            }
            if touches.any() || contacts.leaving.is_some() {
                store([u.x, u.y, u.z, rest], motion.u, rows);
                if !slack.ways.is_empty() {
                    let [gone, reach, a, b] = load::<L>(slack.ways.as_ptr(), rows);
                    let far = (u - before).length();
                    store([gone, reach + far, a, b], slack.ways, rows);
                    pushed.longest = longest(far.or_zero(there));
                }
            }
            pushed
        }
    }
}
