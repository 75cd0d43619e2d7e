//! The sweeps over a batch of contacts, written once for all lanes.

use super::rows::{Batch, Friction, Points, Resistance, Softness};
use crate::BodyRow;
use crate::tuning::{DRIFT_SHARE, DRIFT_SPEED, PUSH_OUT};
use seidel_kernels::lanes::Kernel;
use seidel_kernels::lanes::Mask;
use seidel_kernels::{BATCH, Lanes, Pack, Shared, V3};

/// Fields of a body's row, in rows of four numbers.
pub(crate) const V: usize = 0;
pub(crate) const W: usize = 1;
pub(crate) const DX: usize = 2;
pub(crate) const TURN: usize = 3;
pub(crate) const DIAGONAL: usize = 4;
pub(crate) const SIDES: usize = 5;

/// A body's velocities, and what an impulse does to them.
#[derive(Clone, Copy)]
struct Side<L, const LOCKED: bool> {
    v: V3<L>,
    w: V3<L>,
    inv_mass: L,
    /// Above 0 along the world's axes along which nothing moves it; only read where `LOCKED`.
    locks: V3<L>,
    diagonal: V3<L>,
    sides: V3<L>,
    /// As they were read.
    before: [V3<L>; 2],
}

/// How far a point has gone, whose arm was `r` when the step began: d + (q r q~ - r), without subtracting what is nearly equal.
#[inline(always)]
pub(super) fn gone<L: Lanes>(d: V3<L>, (q, w): (V3<L>, L), r: V3<L>) -> V3<L> {
    let t = q.cross(r);
    let t = t + t;
    d + (t * w + q.cross(t))
}

/// How far a point has gone that stays at `r` while its body turns below it: angle times arm, the angle to the fifth order of its half's sine.
#[inline(always)]
pub(super) fn spun<L: Lanes>((q, _): (V3<L>, L), r: V3<L>) -> V3<L> {
    let squared = q.length_squared();
    let series = L::splat(2.0) + squared * (L::splat(1.0 / 3.0) + squared * L::splat(0.15));
    q.cross(r) * series
}

/// Reads `WIDTH` rows' field as columns.
///
/// # Safety
/// `at` holds `WIDTH` indices, each of a body's row.
#[inline(always)]
pub(crate) unsafe fn columns<L: Lanes<Elem = f32>>(bodies: *const BodyRow, field: usize, at: *const u32) -> [L; 4] {
    // SAFETY: the caller promises `WIDTH` indices of bodies' rows; a field lies two pairs of numbers behind the one before it.
    L::transpose(unsafe { L::load_rows(bodies.cast::<[f32; 2]>().add(2 * field), at) })
}

impl<L: Lanes<Elem = f32>, const LOCKED: bool> Side<L, LOCKED> {
    /// Reads bodies.
    ///
    /// # Safety
    /// As for `columns`.
    #[inline(always)]
    unsafe fn read(bodies: *const BodyRow, at: *const u32) -> Self {
        // SAFETY: the caller promises `WIDTH` indices of bodies' rows.
        let ([vx, vy, vz, inv_mass], [wx, wy, wz, lx], [xx, yy, zz, ly], [xy, yz, xz, lz]) = unsafe {
            (
                columns::<L>(bodies, V, at),
                columns::<L>(bodies, W, at),
                columns::<L>(bodies, DIAGONAL, at),
                columns::<L>(bodies, SIDES, at),
            )
        };
        let (v, w) = (V3::new(vx, vy, vz), V3::new(wx, wy, wz));
        let locks = V3::new(lx, ly, lz);
        Side { v, w, inv_mass, locks, diagonal: V3::new(xx, yy, zz), sides: V3::new(xy, yz, xz), before: [v, w] }
    }

    /// Writes what has changed.
    ///
    /// # Safety
    /// As for `columns`, to write.
    #[inline(always)]
    unsafe fn write(self, bodies: Shared<'_, BodyRow>, at: *const u32) {
        let (dv, dw) = (self.v - self.before[0], self.w - self.before[1]);
        let base = bodies.as_ptr().cast::<[f32; 2]>();
        // SAFETY: the caller promises `WIDTH` indices of bodies' rows that nobody else uses.
        unsafe {
            L::add_rows(L::transpose([dv.x, dv.y, dv.z, L::zero()]), base.add(2 * V), at);
            L::add_rows(L::transpose([dw.x, dw.y, dw.z, L::zero()]), base.add(2 * W), at);
        }
    }

    /// Angular velocity that an angular impulse gives.
    #[inline(always)]
    fn turned(&self, l: V3<L>) -> V3<L> {
        let (d, s) = (self.diagonal, self.sides);
        V3::new(
            (d.x * l.x + s.x * l.y) + s.z * l.z,
            (s.x * l.x + d.y * l.y) + s.y * l.z,
            (s.z * l.x + s.y * l.y) + d.z * l.z,
        )
    }

    /// What an impulse along `n` at `r` changes of the velocity of that place along `m`.
    #[inline(always)]
    fn along(&self, m: V3<L>, n: V3<L>, r: V3<L>) -> L {
        let linear = self.inv_mass * m.dot(n);
        let linear = if LOCKED {
            let zero = L::zero();
            let free = self.locks.x.le(zero) & self.locks.y.le(zero) & self.locks.z.le(zero);
            let masses = unlocked(V3::new(self.inv_mass, self.inv_mass, self.inv_mass), self.locks);
            let apart = m.dot(V3::new(masses.x * n.x, masses.y * n.y, masses.z * n.z));
            L::select(free, linear, apart)
        } else {
            linear
        };
        linear + r.cross(m).dot(self.turned(r.cross(n)))
    }

    /// Velocity of the point at `r` from the centre.
    #[inline(always)]
    fn at(self, r: V3<L>) -> V3<L> {
        self.v + self.w.cross(r)
    }

    /// Applies an impulse at `r`.
    #[inline(always)]
    fn push(&mut self, impulse: V3<L>, r: V3<L>) {
        let change = impulse * self.inv_mass;
        let change = if LOCKED { unlocked(change, self.locks) } else { change };
        self.v = self.v + change;
        self.twist(r.cross(impulse));
    }

    /// Applies an angular impulse.
    #[inline(always)]
    fn twist(&mut self, l: V3<L>) {
        self.w = self.w + self.turned(l);
    }
}

/// Without what is along locked axes. Not a closure, as nothing in kernels is (docs/decisions/no-closures-in-kernels.md).
#[inline(always)]
fn unlocked<L: Lanes>(v: V3<L>, locks: V3<L>) -> V3<L> {
    let zero = L::zero();
    V3::new(v.x.or_zero(locks.x.le(zero)), v.y.or_zero(locks.y.le(zero)), v.z.or_zero(locks.z.le(zero)))
}

/// Reads three packs.
///
/// # Safety
/// `first + WIDTH <= BATCH`.
#[inline(always)]
pub(crate) unsafe fn vector<L: Lanes<Elem = f32>>(packs: &[Pack<f32>; 3], first: usize) -> V3<L> {
    // SAFETY: the caller promises that `first + WIDTH <= BATCH`.
    unsafe { V3::new(load(&packs[0], first), load(&packs[1], first), load(&packs[2], first)) }
}

/// Reads a pack.
///
/// # Safety
/// `first + WIDTH <= BATCH`.
#[inline(always)]
pub(crate) unsafe fn load<L: Lanes<Elem = f32>>(pack: &Pack<f32>, first: usize) -> L {
    // SAFETY: the caller promises that `first + WIDTH <= BATCH`, the numbers of a pack.
    unsafe { L::load(pack.0.as_ptr().add(first)) }
}

/// Writes a pack.
///
/// # Safety
/// `first + WIDTH <= BATCH`.
#[inline(always)]
pub(crate) unsafe fn store<L: Lanes<Elem = f32>>(pack: &mut Pack<f32>, first: usize, value: L) {
    // SAFETY: the caller promises that `first + WIDTH <= BATCH`, the numbers of a pack.
    unsafe { value.store(pack.0.as_mut_ptr().add(first)) }
}

/// Reads a pack.
#[inline(always)]
pub(crate) fn lanes<L: Lanes<Elem = f32>>(pack: &Pack<f32>, first: usize) -> L {
    assert!(first + L::WIDTH <= BATCH);
    // SAFETY: `first + WIDTH <= BATCH`, as was just checked.
    unsafe { load(pack, first) }
}

/// Writes a pack.
#[inline(always)]
pub(crate) fn put<L: Lanes<Elem = f32>>(pack: &mut Pack<f32>, first: usize, value: L) {
    assert!(first + L::WIDTH <= BATCH);
    // SAFETY: `first + WIDTH <= BATCH`, as was just checked.
    unsafe { store(pack, first, value) }
}

/// Writes three packs.
///
/// # Safety
/// `first + WIDTH <= BATCH`.
#[inline(always)]
pub(crate) unsafe fn store_vector<L: Lanes<Elem = f32>>(packs: &mut [Pack<f32>; 3], first: usize, v: V3<L>) {
    // SAFETY: the caller promises that `first + WIDTH <= BATCH`.
    unsafe {
        store(&mut packs[0], first, v.x);
        store(&mut packs[1], first, v.y);
        store(&mut packs[2], first, v.z);
    }
}

/// Finds where points are, and applies kept impulses.
pub(super) struct Warm<'a, const LOCKED: bool> {
    pub(super) batch: &'a mut Batch,
    pub(super) bodies: Shared<'a, BodyRow>,
}

impl<const LOCKED: bool> Kernel for Warm<'_, LOCKED> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        let Warm { batch, bodies } = self;
        let (mut first, one) = (0, L::splat(1.0));
        while first < BATCH {
            // SAFETY: WIDTH divides BATCH; indices are of rows (`Batch::claim`); the caller of `warm` promises that nobody else uses them.
            unsafe {
                let [read_a, read_b] = [batch.read[0].as_ptr().add(first), batch.read[1].as_ptr().add(first)];
                let (mut a, mut b) = (
                    Side::<L, LOCKED>::read(bodies.as_ptr(), read_a),
                    Side::<L, LOCKED>::read(bodies.as_ptr(), read_b),
                );
                let n = vector::<L>(&batch.normal, first);
                let (t1, t2) = (vector::<L>(&batch.tangents[0], first), vector::<L>(&batch.tangents[1], first));
                let (da, qa) = placed::<L>(bodies.as_ptr(), read_a);
                let (db, qb) = placed::<L>(bodies.as_ptr(), read_b);
                let count = batch.count;
                for points in &mut batch.points[..count] {
                    let (ra, rb) = (vector::<L>(&points.begun[0], first), vector::<L>(&points.begun[1], first));
                    // A ball's point is always below its centre, however it has turned.
                    let (round_a, round_b) = (n * load(&points.round[0], first), n * load(&points.round[1], first));
                    let (turned_a, turned_b) = (gone(V3::zero(), qa, ra - round_a), gone(V3::zero(), qb, rb + round_b));
                    let way = (db + turned_b) - (da + turned_a);
                    // A body that is lost takes no other with it.
                    let way = way.or_zero(way.norm_1().finite());
                    let lean = load::<L>(&points.lean, first);
                    let (ra, rb) = ((ra + turned_a) + way * lean, (rb + turned_b) - way * (one - lean));
                    store_vector(&mut points.arms[0], first, ra);
                    store_vector(&mut points.arms[1], first, rb);
                    store(&mut points.gap, first, load::<L>(&points.separation, first) + n.dot(way));
                    let impulse = n * load(&points.normal, first);
                    a.push(-impulse, ra);
                    b.push(impulse, rb);
                }
                let of = &mut batch.friction;
                let (ra, rb) = (vector::<L>(&of.begun[0], first), vector::<L>(&of.begun[1], first));
                let (round_a, round_b) = (n * load(&of.round[0], first), n * load(&of.round[1], first));
                let (turned_a, turned_b) = (gone(V3::zero(), qa, ra - round_a), gone(V3::zero(), qb, rb + round_b));
                let way = (db + turned_b) - (da + turned_a);
                let way = way.or_zero(way.norm_1().finite());
                // What rolls does not drift while it does: the way of the surfaces on each other, with arms that stay below the axes.
                let rolls = load::<L>(&of.rolls, first).gt(L::zero());
                let slip = (db + spun(qb, rb)) - (da + spun(qa, ra));
                let slip = V3::select(rolls & slip.norm_1().finite(), slip, way);
                let lean = load::<L>(&of.lean, first);
                let (ra, rb) = ((ra + turned_a) + way * lean, (rb + turned_b) - way * (one - lean));
                store_vector(&mut of.arms[0], first, ra);
                store_vector(&mut of.arms[1], first, rb);
                let (d1, d2) = (load::<L>(&of.drift[0], first), load::<L>(&of.drift[1], first));
                store(&mut of.drifted[0], first, d1 + t1.dot(slip));
                store(&mut of.drifted[1], first, d2 + t2.dot(slip));
                // The angle of a small turn is twice its sine's half.
                let turned = n.dot(qb.0 - qa.0);
                store(&mut of.turned, first, load::<L>(&of.turn, first) + (turned + turned));
                let impulse = t1 * load(&of.impulse[0], first) + t2 * load(&of.impulse[1], first);
                a.push(-impulse, ra);
                b.push(impulse, rb);
                let twist = n * load(&of.twist, first);
                a.twist(-twist);
                b.twist(twist);
                if batch.resists {
                    let of = &batch.resistance;
                    let rolling = t1 * load(&of.impulse[0], first) + t2 * load(&of.impulse[1], first);
                    a.twist(-rolling);
                    b.twist(rolling);
                }
                a.write(bodies, batch.write[0].as_ptr().add(first));
                b.write(bodies, batch.write[1].as_ptr().add(first));
            }
            first += L::WIDTH;
        }
    }
}

/// Lets bodies bounce that would meet.
pub(super) struct Impact<'a, const LOCKED: bool> {
    pub(super) batch: &'a mut Batch,
    pub(super) bodies: Shared<'a, BodyRow>,
    pub(super) h: f32,
    pub(super) least: f32,
}

impl<const LOCKED: bool> Kernel for Impact<'_, LOCKED> {
    type Output = bool;

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) -> bool {
        let Impact { batch, bodies, h, least } = self;
        let (mut first, mut any) = (0, false);
        while first < BATCH {
            // SAFETY: WIDTH divides BATCH; indices are of rows (`Batch::claim`); the caller of `impact` promises that nobody
            // else uses them.
            unsafe {
                let [read_a, read_b] = [batch.read[0].as_ptr().add(first), batch.read[1].as_ptr().add(first)];
                let (mut a, mut b) = (
                    Side::<L, LOCKED>::read(bodies.as_ptr(), read_a),
                    Side::<L, LOCKED>::read(bodies.as_ptr(), read_b),
                );
                let (n, e) = (vector::<L>(&batch.normal, first), load::<L>(&batch.restitution, first));
                let mut total = load::<L>(&batch.total, first);
                for points in &batch.points[..batch.count] {
                    let (ra, rb) = (vector::<L>(&points.arms[0], first), vector::<L>(&points.arms[1], first));
                    let s = load::<L>(&points.gap, first);
                    let vn = n.dot(b.at(rb) - a.at(ra));
                    let meets = (s + vn * L::set(h)).lt(L::zero()) & vn.lt(-L::set(least)) & e.gt(L::zero());
                    let mass = load::<L>(&points.mass, first);
                    any |= (meets & mass.gt(L::zero())).any();
                    // To -e vn.
                    let size = (-(vn + e * vn) * mass).or_zero(meets);
                    total = total + size;
                    let impulse = n * size;
                    a.push(-impulse, ra);
                    b.push(impulse, rb);
                }
                store(&mut batch.total, first, total);
                a.write(bodies, batch.write[0].as_ptr().add(first));
                b.write(bodies, batch.write[1].as_ptr().add(first));
            }
            first += L::WIDTH;
        }
        any
    }
}

/// Where bodies have gone since the step began.
///
/// # Safety
/// As for `columns`.
#[inline(always)]
unsafe fn placed<L: Lanes<Elem = f32>>(bodies: *const BodyRow, at: *const u32) -> (V3<L>, (V3<L>, L)) {
    // SAFETY: the caller promises `WIDTH` indices of bodies' rows.
    let ([x, y, z, _], [a, b, c, w]) = unsafe { (columns::<L>(bodies, DX, at), columns::<L>(bodies, TURN, at)) };
    (V3::new(x, y, z), (V3::new(a, b, c), w))
}

/// The masses that impulses see.
pub(super) struct Weigh<'a, const LOCKED: bool> {
    pub(super) batch: &'a mut Batch,
    pub(super) bodies: &'a [BodyRow],
}

impl<const LOCKED: bool> Kernel for Weigh<'_, LOCKED> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        let Weigh { batch, bodies } = self;
        let (zero, one) = (L::zero(), L::splat(1.0));
        let mut first = 0;
        while first < BATCH {
            // SAFETY: `first` stays within `BATCH`, of which `WIDTH` is a divisor, and `weigh` has checked that all indices are of rows.
            unsafe {
                let [read_a, read_b] = [batch.read[0].as_ptr().add(first), batch.read[1].as_ptr().add(first)];
                let a = Side::<L, LOCKED>::read(bodies.as_ptr(), read_a);
                let b = Side::<L, LOCKED>::read(bodies.as_ptr(), read_b);
                let n = vector::<L>(&batch.normal, first);
                let (t1, t2) = (vector::<L>(&batch.tangents[0], first), vector::<L>(&batch.tangents[1], first));
                let points_of = load::<L>(&batch.points_of, first);
                let of = &mut batch.friction;
                let (ra, rb) = (vector::<L>(&of.begun[0], first), vector::<L>(&of.begun[1], first));
                for (k, points) in batch.points[..batch.count].iter_mut().enumerate() {
                    let there = points_of.gt(L::splat(k as f64));
                    let (pa, pb) = (vector::<L>(&points.begun[0], first), vector::<L>(&points.begun[1], first));
                    let weight = a.along(n, n, pa) + b.along(n, n, pb);
                    store(&mut points.mass, first, (one / weight).or_zero(there & weight.gt(zero)));
                    let across = pa - ra;
                    store(&mut points.lever, first, (across - n * n.dot(across)).length().or_zero(there));
                }
                // Their inverse is taken behind this kernel.
                store(&mut of.masses[0], first, a.along(t1, t1, ra) + b.along(t1, t1, rb));
                store(&mut of.masses[1], first, a.along(t1, t2, ra) + b.along(t1, t2, rb));
                store(&mut of.masses[2], first, a.along(t2, t2, ra) + b.along(t2, t2, rb));
                let about = n.dot(a.turned(n)) + n.dot(b.turned(n));
                store(&mut of.inertia, first, (one / about).or_zero(about.gt(zero)));
            }
            first += L::WIDTH;
        }
    }
}

/// One sweep.
pub(super) struct Solve<'a, const BIASED: bool, const LOCKED: bool> {
    pub(super) batch: &'a mut Batch,
    pub(super) bodies: Shared<'a, BodyRow>,
    pub(super) softness: &'a Softness,
}

impl<const BIASED: bool, const LOCKED: bool> Kernel for Solve<'_, BIASED, LOCKED> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        let Solve { batch, bodies, softness } = self;
        let mut first = 0;
        while first < BATCH {
            // SAFETY: WIDTH divides BATCH; indices are of rows (`Batch::claim`); the caller of `solve` promises that nobody
            // else uses them.
            unsafe {
                let [read_a, read_b] = [batch.read[0].as_ptr().add(first), batch.read[1].as_ptr().add(first)];
                let (mut a, mut b) = (
                    Side::<L, LOCKED>::read(bodies.as_ptr(), read_a),
                    Side::<L, LOCKED>::read(bodies.as_ptr(), read_b),
                );
                let n = vector::<L>(&batch.normal, first);
                let t = [vector::<L>(&batch.tangents[0], first), vector::<L>(&batch.tangents[1], first)];
                let count = batch.count;
                for points in &mut batch.points[..count] {
                    let (ra, rb) = (vector::<L>(&points.arms[0], first), vector::<L>(&points.arms[1], first));
                    normal::<L, BIASED, LOCKED>(points, first, n, softness, (&mut a, &mut b), (ra, rb));
                }
                let (mu, mut pressed, mut levered) = (load::<L>(&batch.mu, first), L::zero(), L::zero());
                for points in &batch.points[..count] {
                    let normal = load::<L>(&points.normal, first);
                    pressed = pressed + normal;
                    levered = levered + normal * load(&points.lever, first);
                }
                let mut most = (mu * pressed, mu * levered);
                if batch.resists {
                    most.1 = most.1 + load::<L>(&batch.resistance.spinning, first) * pressed;
                }
                friction::<L, BIASED, LOCKED>(&mut batch.friction, first, (n, t, most), softness, (&mut a, &mut b));
                if batch.resists {
                    resist::<L, LOCKED>(&mut batch.resistance, first, (t, pressed), (&mut a, &mut b));
                }
                a.write(bodies, batch.write[0].as_ptr().add(first));
                b.write(bodies, batch.write[1].as_ptr().add(first));
            }
            first += L::WIDTH;
        }
    }
}

/// The row along the normal.
///
/// # Safety
/// `first + WIDTH <= BATCH`.
#[inline(always)]
unsafe fn normal<L: Lanes<Elem = f32>, const BIASED: bool, const LOCKED: bool>(
    points: &mut Points,
    first: usize,
    n: V3<L>,
    softness: &Softness,
    (a, b): (&mut Side<L, LOCKED>, &mut Side<L, LOCKED>),
    (ra, rb): (V3<L>, V3<L>),
) {
    // SAFETY: the caller promises that `first + WIDTH <= BATCH`.
    let (s, mass, before) =
        unsafe { (load::<L>(&points.gap, first), load::<L>(&points.mass, first), load::<L>(&points.normal, first)) };
    let apart = s.gt(L::zero());
    let near = s * L::set(softness.inv_h);
    let (bias, mass_scale, impulse_scale) = if BIASED {
        let back = (s * L::set(softness.rate)).larger(L::splat(f64::from(-PUSH_OUT)));
        let one = L::splat(1.0);
        (
            L::select(apart, near, back),
            L::select(apart, one, L::set(softness.mass_scale)),
            L::set(softness.impulse_scale).or_zero(s.le(L::zero())),
        )
    } else {
        (near.or_zero(apart), L::splat(1.0), L::zero())
    };
    let vn = n.dot(b.at(rb) - a.at(ra));
    let change = -(mass * mass_scale * (vn + bias)) - impulse_scale * before;
    let after = (before + change).larger(L::zero());
    // What is no number pushes nobody.
    let good = after.finite();
    let after = L::select(good, after, before);
    // SAFETY: the caller promises that `first + WIDTH <= BATCH`.
    unsafe { store(&mut points.normal, first, after) };
    let impulse = n * (after - before);
    a.push(-impulse, ra);
    b.push(impulse, rb);
}

/// The rows across it, and about it.
///
/// # Safety
/// `first + WIDTH <= BATCH`.
#[inline(always)]
unsafe fn friction<L: Lanes<Elem = f32>, const BIASED: bool, const LOCKED: bool>(
    of: &mut Friction,
    first: usize,
    (n, [t1, t2], (most, most_twist)): (V3<L>, [V3<L>; 2], (L, L)),
    softness: &Softness,
    (a, b): (&mut Side<L, LOCKED>, &mut Side<L, LOCKED>),
) {
    let (one, share) = (L::splat(1.0), L::splat(f64::from(DRIFT_SHARE)) * L::set(softness.inv_h));
    // SAFETY: the caller promises that `first + WIDTH <= BATCH`.
    let (inertia, before) = unsafe { (load::<L>(&of.inertia, first), load::<L>(&of.twist, first)) };
    let mut w = n.dot(b.w - a.w);
    if BIASED {
        // SAFETY: the caller promises that `first + WIDTH <= BATCH`.
        let back = unsafe { load::<L>(&of.turned, first) } * share;
        let limit = L::splat(f64::from(DRIFT_SPEED));
        w = w + back.smaller(limit).larger(-limit);
    }
    let twist = before - inertia * w;
    let slips = twist.abs().gt(most_twist);
    let twist = twist.smaller(most_twist).larger(-most_twist);
    let twist = L::select(twist.finite(), twist, before);
    // SAFETY: the caller promises that `first + WIDTH <= BATCH`.
    unsafe {
        store(&mut of.twist, first, twist);
        store(&mut of.slips[1], first, one.or_zero(slips));
    }
    let impulse = n * (twist - before);
    a.twist(-impulse);
    b.twist(impulse);

    // SAFETY: the caller promises that `first + WIDTH <= BATCH`.
    let (ra, rb, f1, f2, m11, m12, m22) = unsafe {
        (
            vector::<L>(&of.arms[0], first),
            vector::<L>(&of.arms[1], first),
            load::<L>(&of.impulse[0], first),
            load::<L>(&of.impulse[1], first),
            load::<L>(&of.masses[0], first),
            load::<L>(&of.masses[1], first),
            load::<L>(&of.masses[2], first),
        )
    };
    let v = b.at(rb) - a.at(ra);
    let (mut v1, mut v2) = (t1.dot(v), t2.dot(v));
    if BIASED {
        // SAFETY: the caller promises that `first + WIDTH <= BATCH`.
        let (d1, d2) = unsafe { (load::<L>(&of.drifted[0], first), load::<L>(&of.drifted[1], first)) };
        let (b1, b2) = (d1 * share, d2 * share);
        let speed = (b1 * b1 + b2 * b2).sqrt();
        let limit = L::splat(f64::from(DRIFT_SPEED));
        let part = L::select(speed.gt(limit), limit / speed, one);
        v1 = v1 + b1 * part;
        v2 = v2 + b2 * part;
    }
    let (g1, g2) = (f1 - (m11 * v1 + m12 * v2), f2 - (m12 * v1 + m22 * v2));
    let long = (g1 * g1 + g2 * g2).sqrt();
    let slips = long.gt(most);
    let part = L::select(slips, most / long, one);
    let (g1, g2) = (g1 * part, g2 * part);
    let good = g1.finite() & g2.finite();
    let (g1, g2) = (L::select(good, g1, f1), L::select(good, g2, f2));
    // SAFETY: the caller promises that `first + WIDTH <= BATCH`.
    unsafe {
        store(&mut of.impulse[0], first, g1);
        store(&mut of.impulse[1], first, g2);
        store(&mut of.slips[0], first, one.or_zero(slips));
    }
    let impulse = t1 * (g1 - f1) + t2 * (g2 - f2);
    a.push(-impulse, ra);
    b.push(impulse, rb);
}

/// The rows about both tangents: they take away rolling, as far as their torque goes.
///
/// # Safety
/// `first + WIDTH <= BATCH`.
#[inline(always)]
unsafe fn resist<L: Lanes<Elem = f32>, const LOCKED: bool>(
    of: &mut Resistance,
    first: usize,
    ([t1, t2], pressed): ([V3<L>; 2], L),
    (a, b): (&mut Side<L, LOCKED>, &mut Side<L, LOCKED>),
) {
    // SAFETY: the caller promises that `first + WIDTH <= BATCH`.
    let (f1, f2, m11, m12, m22, most) = unsafe {
        (
            load::<L>(&of.impulse[0], first),
            load::<L>(&of.impulse[1], first),
            load::<L>(&of.inertia[0], first),
            load::<L>(&of.inertia[1], first),
            load::<L>(&of.inertia[2], first),
            load::<L>(&of.rolling, first) * pressed,
        )
    };
    let w = b.w - a.w;
    let (w1, w2) = (t1.dot(w), t2.dot(w));
    let (g1, g2) = (f1 - (m11 * w1 + m12 * w2), f2 - (m12 * w1 + m22 * w2));
    let long = (g1 * g1 + g2 * g2).sqrt();
    let part = L::select(long.gt(most), most / long, L::splat(1.0));
    let (g1, g2) = (g1 * part, g2 * part);
    let good = g1.finite() & g2.finite();
    let (g1, g2) = (L::select(good, g1, f1), L::select(good, g2, f2));
    // SAFETY: the caller promises that `first + WIDTH <= BATCH`.
    unsafe {
        store(&mut of.impulse[0], first, g1);
        store(&mut of.impulse[1], first, g2);
    }
    let twist = t1 * (g1 - f1) + t2 * (g2 - f2);
    a.twist(-twist);
    b.twist(twist);
}
