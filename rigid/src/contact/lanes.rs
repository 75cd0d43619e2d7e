//! The sweeps over a batch of contacts, written once for all lanes.

use super::rows::{Batch, Bodies, Friction, LOCKED, Points, ROUND, Resistance};
use crate::manifold::POINTS;
use crate::tuning::{BOUNCE_ROUNDS, DRIFT_SHARE, DRIFT_SPEED, FAST_TURN, LEAST_DETERMINANT, PUSH_OUT};
use crate::{BodyRow, Softness};
use seidel_kernels::lanes::Kernel;
use seidel_kernels::lanes::Mask;
use seidel_kernels::{Chunk, InChunks, Lanes, Shared, V3};

/// Fields of a body's row, in rows of four numbers.
pub(crate) const V: usize = 0;
pub(crate) const W: usize = 1;
pub(crate) const DX: usize = 2;
pub(crate) const TURN: usize = 3;
pub(crate) const DIAGONAL: usize = 4;
pub(crate) const SIDES: usize = 5;

/// A body's velocities, and what an impulse does to them.
#[derive(Clone, Copy)]
pub(super) struct Side<L, const BODIES: Bodies> {
    v: V3<L>,
    w: V3<L>,
    pub(super) inv_mass: L,
    /// Above 0 along the world's axes along which nothing moves it; only there with `LOCKED`.
    locks: V3<L>,
    /// Of the inverse inertia. Of what is round the diagonal's first number is all.
    diagonal: V3<L>,
    sides: V3<L>,
    /// As they were read.
    before: [V3<L>; 2],
}

/// How far a body has gone, metres, and the rotation since then.
pub(super) type Moved<L> = (V3<L>, (V3<L>, L));

/// How far a point has gone, whose arm was `r` when its manifold was found: d + (q r q~ - r), without subtracting what
/// is nearly equal.
#[inline(always)]
pub(super) fn gone<L: Lanes>(d: V3<L>, (q, w): (V3<L>, L), r: V3<L>) -> V3<L> {
    let t = q.cross(r);
    let t = t + t;
    d + (t * w + q.cross(t))
}

/// A rotation since another: q p~.
#[inline(always)]
pub(super) fn since<L: Lanes>((q, w): (V3<L>, L), (p, u): (V3<L>, L)) -> (V3<L>, L) {
    ((q * u - p * w) - q.cross(p), w * u + q.dot(p))
}

/// How far a point has gone that stays at `r` while its body turns below it: angle times arm, the angle to the fifth
/// order of its half's sine.
#[inline(always)]
pub(super) fn spun<L: Lanes>(q: V3<L>, r: V3<L>) -> V3<L> {
    let squared = q.length_squared();
    let series = L::splat(2.0) + squared * (L::splat(1.0 / 3.0) + squared * L::splat(0.15));
    q.cross(r) * series
}

/// Two directions across a normal (Duff et al. 2017, "Building an Orthonormal Basis, Revisited"). Which ones they are is
/// of no consequence for a sweep, since friction is a vector.
#[inline(always)]
pub(super) fn tangents<L: Lanes>(n: V3<L>) -> [V3<L>; 2] {
    let one = L::splat(1.0);
    let sign = L::select(n.z.lt(L::zero()), -one, one);
    let a = -(one / (sign + n.z));
    let b = n.x * n.y * a;
    [V3::new(one + sign * n.x * n.x * a, sign * b, -(sign * n.x)), V3::new(b, sign + n.y * n.y * a, -n.y)]
}

/// Reads `WIDTH` rows' field as columns.
///
/// # Safety
/// `at` holds `WIDTH` indices, each of a body's row.
#[inline(always)]
pub(crate) unsafe fn columns<L: Lanes<Elem = f32>>(bodies: *const BodyRow, field: usize, at: *const u32) -> [L; 4] {
    // SAFETY: the caller promises `WIDTH` indices of bodies' rows; a field lies two pairs of numbers behind the one
    // before it.
    L::transpose(unsafe { L::load_rows(bodies.cast::<[f32; 2]>().add(2 * field), at) })
}

impl<L: Lanes<Elem = f32>, const BODIES: Bodies> Side<L, BODIES> {
    #[inline(always)]
    fn nothing() -> Self {
        let (zero, none) = (L::zero(), V3::zero());
        Side { v: none, w: none, inv_mass: zero, locks: none, diagonal: none, sides: none, before: [none; 2] }
    }

    /// Reads bodies. `inertia` is the inverse inertia of what is round.
    ///
    /// # Safety
    /// As for `columns`.
    #[inline(always)]
    pub(super) unsafe fn read(bodies: *const BodyRow, at: *const u32, inertia: L) -> Self {
        // SAFETY: the caller promises `WIDTH` indices of bodies' rows.
        let ([vx, vy, vz, inv_mass], [wx, wy, wz, lx]) =
            unsafe { (columns::<L>(bodies, V, at), columns::<L>(bodies, W, at)) };
        let (v, w, zero) = (V3::new(vx, vy, vz), V3::new(wx, wy, wz), V3::zero());
        let before = [v, w];
        if BODIES == ROUND {
            return Side {
                v,
                w,
                inv_mass,
                locks: zero,
                diagonal: V3::new(inertia, inertia, inertia),
                sides: zero,
                before,
            };
        }
        // SAFETY: as above.
        let ([xx, yy, zz, ly], [xy, yz, xz, lz]) =
            unsafe { (columns::<L>(bodies, DIAGONAL, at), columns::<L>(bodies, SIDES, at)) };
        let (locks, diagonal, sides) = (V3::new(lx, ly, lz), V3::new(xx, yy, zz), V3::new(xy, yz, xz));
        Side { v, w, inv_mass, locks, diagonal, sides, before }
    }

    /// Writes what has changed.
    ///
    /// # Safety
    /// As for `columns`, to write.
    #[inline(always)]
    pub(super) unsafe fn write(self, bodies: Shared<'_, BodyRow>, at: *const u32) {
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
    pub(super) fn turned(&self, l: V3<L>) -> V3<L> {
        let (d, s) = (self.diagonal, self.sides);
        if BODIES == ROUND {
            return l * d.x;
        }
        V3::new(
            (d.x * l.x + s.x * l.y) + s.z * l.z,
            (s.x * l.x + d.y * l.y) + s.y * l.z,
            (s.z * l.x + s.y * l.y) + d.z * l.z,
        )
    }

    /// Of the inverse inertia.
    #[inline(always)]
    pub(super) fn trace(&self) -> L {
        (self.diagonal.x + self.diagonal.y) + self.diagonal.z
    }

    /// What an impulse along `n` at `r` changes of the velocity of that place along `m`.
    #[inline(always)]
    pub(super) fn along(&self, m: V3<L>, n: V3<L>, r: V3<L>) -> L {
        let linear = self.inv_mass * m.dot(n);
        let linear = if BODIES == LOCKED {
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
    pub(super) fn at(self, r: V3<L>) -> V3<L> {
        self.v + self.w.cross(r)
    }

    /// Applies an impulse at `r`.
    #[inline(always)]
    pub(super) fn push(&mut self, impulse: V3<L>, r: V3<L>) {
        let change = impulse * self.inv_mass;
        let change = if BODIES == LOCKED { unlocked(change, self.locks) } else { change };
        self.v = self.v + change;
        self.twist(r.cross(impulse));
    }

    /// Applies an angular impulse.
    #[inline(always)]
    pub(super) fn twist(&mut self, l: V3<L>) {
        self.w = self.w + self.turned(l);
    }
}

/// Without what is along locked axes. Not a closure, as nothing in kernels is
/// (docs/decisions/no-closures-in-kernels.md).
#[inline(always)]
fn unlocked<L: Lanes>(v: V3<L>, locks: V3<L>) -> V3<L> {
    let zero = L::zero();
    V3::new(v.x.or_zero(locks.x.le(zero)), v.y.or_zero(locks.y.le(zero)), v.z.or_zero(locks.z.le(zero)))
}

/// How far the surfaces of a contact have slid on each other, at the middle of its points.
pub(super) struct Slid<L> {
    /// How far B's place has gone on A's, metres; by how much A's has gone as A turned.
    pub(super) way: V3<L>,
    pub(super) turned_a: V3<L>,
    /// The way without rolling: a rolling body does not drift, its surface stays below its axis.
    pub(super) slip: V3<L>,
}

#[inline(always)]
pub(super) fn slid<L: Lanes<Elem = f32>>(
    of: &Friction,
    chunk: Chunk<L>,
    n: V3<L>,
    offset: V3<L>,
    [(da, qa), (db, qb)]: [Moved<L>; 2],
) -> Slid<L> {
    let ra = of.begun.load(chunk);
    let rb = ra - offset;
    let (round_a, round_b) = (n * of.round[0].load(chunk), n * of.round[1].load(chunk));
    let (turned_a, turned_b) = (gone(V3::zero(), qa, ra - round_a), gone(V3::zero(), qb, rb + round_b));
    let way = (db + turned_b) - (da + turned_a);
    let good = way.norm_1().finite();
    let (way, turned_a) = (way.or_zero(good), turned_a.or_zero(good));
    let rolled = spun(qa.0, round_a) + spun(qb.0, round_b);
    Slid { way, turned_a, slip: way - rolled.or_zero(rolled.norm_1().finite()) }
}

/// 1 where a body that is not round has turned far: a turn changes nothing of what is round.
#[inline(always)]
pub(super) fn far_turn<L: Lanes, const BODIES: Bodies>(body: &Side<L, BODIES>, q: V3<L>, most: L) -> L {
    let d = body.diagonal;
    let skew = ((d.x - d.y).abs() + (d.y - d.z).abs()) + body.sides.norm_1();
    L::splat(1.0).or_zero(q.length_squared().gt(most) & skew.gt(L::zero()))
}

/// The inverse of the matrix of masses across a normal, at arms; and where it has one.
#[inline(always)]
pub(super) fn masses_across<L: Lanes<Elem = f32>, const BODIES: Bodies>(
    ([a, b], [ra, rb]): ([&Side<L, BODIES>; 2], [V3<L>; 2]),
    [t1, t2]: [V3<L>; 2],
) -> ([L; 3], L::Mask) {
    let k11 = a.along(t1, t1, ra) + b.along(t1, t1, rb);
    let k12 = a.along(t1, t2, ra) + b.along(t1, t2, rb);
    let k22 = a.along(t2, t2, ra) + b.along(t2, t2, rb);
    inverse_of([k11, k12, k22])
}

/// The inverse of a symmetric 2 x 2 matrix [k11, k12, k22], likewise; and where it has one.
#[inline(always)]
pub(super) fn inverse_of<L: Lanes<Elem = f32>>([k11, k12, k22]: [L; 3]) -> ([L; 3], L::Mask) {
    let (zero, one) = (L::zero(), L::splat(1.0));
    // Shares of their sum, whose squares are no numbers that f32 lacks.
    let over = one / (k11 + k22);
    let (s11, s12, s22) = (k11 * over, k12 * over, k22 * over);
    let determinant = s11 * s22 - s12 * s12;
    // Below, the smaller of both eigenvalues is rounding noise; the sum of both takes too little, not too much.
    let exact = determinant.gt(L::splat(LEAST_DETERMINANT));
    let share = over / determinant;
    let inverse =
        [L::select(exact, s22 * share, over), (-(s12 * share)).or_zero(exact), L::select(exact, s11 * share, over)];
    (inverse, (k11 + k22).gt(zero))
}

/// A point that bounces: the velocity along the normal that it is to get, the mass that its impulse sees (0 of what
/// does not meet), and its impulse so far.
#[derive(Clone, Copy)]
struct Bounce<L> {
    target: L,
    mass: L,
    impulse: L,
}

/// Lets bodies bounce that would meet.
pub(super) struct Impact<'a, const BODIES: Bodies> {
    pub(super) batch: &'a mut Batch,
    pub(super) bodies: Shared<'a, BodyRow>,
    pub(super) h: f32,
    pub(super) least: f32,
}

impl<const BODIES: Bodies> Kernel for Impact<'_, BODIES> {
    type Output = bool;

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) -> bool {
        let Impact { batch, bodies, h, least } = self;
        let mut any = false;
        for chunk in Chunk::<L>::all() {
            // SAFETY: indices are of rows (`Batch::claim`); the caller of `impact` promises that nobody
            // else uses them.
            unsafe {
                let [read_a, read_b] = [chunk.of(&batch.read[0]), chunk.of(&batch.read[1])];
                let [of_a, of_b] = batch.inertia.each_ref().map(|of| of.load(chunk));
                let (mut a, mut b) = (
                    Side::<L, BODIES>::read(bodies.as_ptr(), read_a, of_a),
                    Side::<L, BODIES>::read(bodies.as_ptr(), read_b, of_b),
                );
                // Where an arm or a fast turn is not what it was, no bounce: it would add energy.
                let most = L::splat(FAST_TURN * FAST_TURN);
                let whirls = far_turn(&a, a.w * L::set(h), most) + far_turn(&b, b.w * L::set(h), most);
                let (n, e) = (batch.normal.load(chunk), batch.restitution.load(chunk));
                let e = L::select(whirls.gt(L::zero()), L::zero(), e);
                let (mut total, offset_now) = (batch.total.load(chunk), batch.offset_now.load(chunk));
                // Towards -e vn, of the velocity before any of them: a box that lands flat does not tumble.
                let mut bounces = [Bounce { target: L::zero(), mass: L::zero(), impulse: L::zero() }; POINTS];
                let mut here = false;
                for (bounce, points) in bounces.iter_mut().zip(&batch.points[..batch.count]) {
                    let ra = points.arm.load(chunk);
                    let s = points.gap.load(chunk);
                    let vn = n.dot(b.at(ra - offset_now) - a.at(ra));
                    let meets = (s + vn * L::set(h)).lt(L::zero()) & vn.lt(-L::set(least)) & e.gt(L::zero());
                    let mass = points.mass.load(chunk);
                    here |= (meets & mass.gt(L::zero())).any();
                    *bounce = Bounce { target: -(e * vn), mass: mass.or_zero(meets), impulse: L::zero() };
                }
                if here {
                    let (one, mut rubs) = (L::splat(1.0), e.gt(L::zero()) & batch.mu.load(chunk).gt(L::zero()));
                    let before = (a, b, bounces);
                    // Newton's law and friction may add energy where a rod hits askew: then without friction.
                    for _ in 0..2 {
                        (a, b, bounces) = before;
                        let loses = bounce::<L, BODIES>(batch, chunk, rubs, (&mut a, &mut b), &mut bounces);
                        let gains = L::select(loses, L::zero(), one).or_zero(rubs);
                        rubs = rubs & loses;
                        if !gains.gt(L::zero()).any() {
                            break;
                        }
                    }
                }
                for bounce in &bounces[..batch.count] {
                    total = total + bounce.impulse;
                }
                any |= here;
                batch.total.store(chunk, total);
                a.write(bodies, chunk.of(&batch.write[0]));
                b.write(bodies, chunk.of(&batch.write[1]));
            }
        }
        any
    }
}

/// The mean of the velocities of a place before impulses and after.
#[inline(always)]
fn mean_at<L: Lanes<Elem = f32>, const BODIES: Bodies>(
    after: &Side<L, BODIES>,
    before: &Side<L, BODIES>,
    r: V3<L>,
) -> V3<L> {
    (after.at(r) + before.at(r)) * L::splat(0.5)
}

/// Sweeps over what bounces, until all points part as they should; `rubs` is where friction acts, which takes away what
/// they slide, as far as it goes, at the middle of the points that bounce. Returns where the work of all impulses, each
/// times the mean of the velocities before and after, adds no energy.
#[inline(always)]
fn bounce<L: Lanes<Elem = f32>, const BODIES: Bodies>(
    batch: &Batch,
    chunk: Chunk<L>,
    rubs: L::Mask,
    (a, b): (&mut Side<L, BODIES>, &mut Side<L, BODIES>),
    bounces: &mut [Bounce<L>; POINTS],
) -> L::Mask {
    let (zero, n, offset_now) = (L::zero(), batch.normal.load(chunk), batch.offset_now.load(chunk));
    let (t1, t2) = (batch.tangents[0].load(chunk), batch.tangents[1].load(chunk));
    let points = &batch.points[..batch.count];
    let begun = [*a, *b];
    let (inertia, mu) = (batch.friction.inertia.load(chunk), batch.mu.load(chunk));
    let (mut r, mut masses) = (batch.friction.arm.load(chunk), [zero; 3]);
    let sliding = if batch.eases { batch.sliding.load(chunk) } else { mu };
    let (mut f1, mut f2, mut twist) = (zero, zero, zero);
    for round in 0..BOUNCE_ROUNDS {
        let (mut pressed, mut levered, mut middle) = (zero, zero, V3::zero());
        for (bounce, points) in bounces.iter_mut().zip(points) {
            let ra = points.arm.load(chunk);
            let rb = ra - offset_now;
            let vn = n.dot(b.at(rb) - a.at(ra));
            let size = (bounce.impulse - (vn - bounce.target) * bounce.mass).larger(zero);
            // A body that is lost takes no other with it, and neither does one that does not meet.
            let size = size.or_zero(bounce.mass.gt(zero) & size.finite());
            let impulse = n * (size - bounce.impulse);
            bounce.impulse = size;
            a.push(-impulse, ra);
            b.push(impulse, rb);
            pressed = pressed + size;
            levered = levered + size * points.lever.load(chunk);
            middle = middle + ra * size;
        }
        if round == 0 {
            r = V3::select(pressed.gt(zero), middle * (L::splat(1.0) / pressed), r);
            masses = masses_across(([a, b], [r, r - offset_now]), [t1, t2]).0;
        }
        let [m11, m12, m22] = masses;
        let v = b.at(r - offset_now) - a.at(r);
        let (v1, v2) = (t1.dot(v), t2.dot(v));
        let (g1, g2) = (f1 - (m11 * v1 + m12 * v2), f2 - (m12 * v1 + m22 * v2));
        let long = (g1 * g1 + g2 * g2).sqrt();
        let part = L::select(long.gt(mu * pressed), sliding * pressed / long, L::splat(1.0));
        let rubs = rubs & long.finite() & pressed.gt(zero);
        let (g1, g2) = ((g1 * part).or_zero(rubs), (g2 * part).or_zero(rubs));
        let impulse = t1 * (g1 - f1) + t2 * (g2 - f2);
        (f1, f2) = (g1, g2);
        a.push(-impulse, r);
        b.push(impulse, r - offset_now);
        let most = sliding * levered;
        let turned = (twist - inertia * n.dot(b.w - a.w)).smaller(most).larger(-most);
        let turned = turned.or_zero(rubs & turned.finite());
        let impulse = n * (turned - twist);
        twist = turned;
        a.twist(-impulse);
        b.twist(impulse);
    }
    let [before_a, before_b] = begun;
    let slid = mean_at(b, &before_b, r - offset_now) - mean_at(a, &before_a, r);
    let spin = n.dot((b.w + before_b.w) - (a.w + before_a.w));
    let (mut work, mut size) = ((f1 * t1.dot(slid) + f2 * t2.dot(slid)) + twist * spin * L::splat(0.5), zero);
    for (bounce, points) in bounces.iter().zip(points) {
        let ra = points.arm.load(chunk);
        let way = mean_at(b, &before_b, ra - offset_now) - mean_at(a, &before_a, ra);
        work = work + bounce.impulse * n.dot(way);
        size = size + bounce.impulse * bounce.target.abs();
    }
    // Beside roundings: a bounce that keeps all does no work.
    work.le(size * L::splat(1e-5))
}

/// The masses that impulses see.
pub(super) struct Weigh<'a, const BODIES: Bodies> {
    pub(super) batch: &'a mut Batch,
    pub(super) bodies: &'a [BodyRow],
    /// Only of contacts that were found anew.
    pub(super) renewed: bool,
}

impl<const BODIES: Bodies> Kernel for Weigh<'_, BODIES> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        let Weigh { batch, bodies, renewed } = self;
        let (zero, one) = (L::zero(), L::splat(1.0));
        for chunk in Chunk::<L>::all() {
            let these = if renewed { batch.age.stale.load(chunk) } else { one }.gt(zero);
            let [read_a, read_b] = [chunk.of(&batch.read[0]), chunk.of(&batch.read[1])];
            let [of_a, of_b] = batch.inertia.each_ref().map(|of| of.load(chunk));
            // SAFETY: `weigh` has checked that all indices are of rows.
            let (a, b) = unsafe {
                (
                    Side::<L, BODIES>::read(bodies.as_ptr(), read_a, of_a),
                    Side::<L, BODIES>::read(bodies.as_ptr(), read_b, of_b),
                )
            };
            let n = batch.normal.load(chunk);
            let (t1, t2) = (batch.tangents[0].load(chunk), batch.tangents[1].load(chunk));
            let points_of = batch.points_of.load(chunk);
            let of = &mut batch.friction;
            let (ra, offset) = (of.begun.load(chunk), batch.offset.load(chunk));
            let rb = ra - offset;
            for (k, points) in batch.points[..batch.count].iter_mut().enumerate() {
                let there = points_of.gt(L::splat(k as f64));
                let pa = points.begun.load(chunk);
                let pb = pa - offset;
                let weight = a.along(n, n, pa) + b.along(n, n, pb);
                let mass = (one / weight).or_zero(there & weight.gt(zero));
                points.mass.store(chunk, L::select(these, mass, points.mass.load(chunk)));
                let across = pa - ra;
                let lever = (across - n * n.dot(across)).length().or_zero(there);
                points.lever.store(chunk, L::select(these, lever, points.lever.load(chunk)));
            }
            // Their inverse is taken behind this kernel.
            for (mass, [s, t]) in of.masses.iter_mut().zip([[t1, t1], [t1, t2], [t2, t2]]) {
                let along = a.along(s, t, ra) + b.along(s, t, rb);
                mass.store(chunk, L::select(these, along, mass.load(chunk)));
            }
            let about = n.dot(a.turned(n)) + n.dot(b.turned(n));
            let inertia = (one / about).or_zero(about.gt(zero));
            of.inertia.store(chunk, L::select(these, inertia, of.inertia.load(chunk)));
        }
    }
}

/// One sweep over some batches, which share no body that moves: each waits for its own last row, so two take not much
/// longer than one.
pub(super) struct Solve<'a, const BIASED: bool, const BODIES: Bodies, const COUNT: usize> {
    pub(super) batches: &'a mut [Batch; COUNT],
    pub(super) bodies: Shared<'a, BodyRow>,
    pub(super) softness: &'a Softness,
}

impl<const BIASED: bool, const BODIES: Bodies, const COUNT: usize> Kernel for Solve<'_, BIASED, BODIES, COUNT> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        let Solve { batches, bodies, softness } = self;
        let mut count = 0;
        for batch in batches.iter() {
            count = if batch.count > count { batch.count } else { count };
        }
        for chunk in Chunk::<L>::all() {
            let (mut a, mut b) = ([Side::<L, BODIES>::nothing(); COUNT], [Side::<L, BODIES>::nothing(); COUNT]);
            for (i, batch) in batches.iter().enumerate() {
                let [of_a, of_b] = [batch.inertia[0].load(chunk), batch.inertia[1].load(chunk)];
                // SAFETY: indices are of rows (`Batch::claim`); the caller of `solve` promises that nobody else uses
                // them.
                unsafe {
                    a[i] = Side::read(bodies.as_ptr(), chunk.of(&batch.read[0]), of_a);
                    b[i] = Side::read(bodies.as_ptr(), chunk.of(&batch.read[1]), of_b);
                }
            }
            for k in 0..count {
                for (i, batch) in batches.iter_mut().enumerate() {
                    if k >= batch.count {
                        continue;
                    }
                    let (n, offset_now) = (batch.normal.load(chunk), batch.offset_now.load(chunk));
                    let points = &mut batch.points[k];
                    let ra = points.arm.load(chunk);
                    let arms = (ra, ra - offset_now);
                    normal::<L, BIASED, BODIES>(points, chunk, n, softness, (&mut a[i], &mut b[i]), arms);
                }
            }
            for (i, batch) in batches.iter_mut().enumerate() {
                let (mu, mut pressed, mut levered) = (batch.mu.load(chunk), L::zero(), L::zero());
                for points in &batch.points[..batch.count] {
                    let normal = points.normal.load(chunk);
                    pressed = pressed + normal;
                    levered = levered + normal * points.lever.load(chunk);
                }
                let sliding = if batch.eases { batch.sliding.load(chunk) } else { mu };
                let mut most = [
                    Bound { along: mu * pressed, about: mu * levered },
                    Bound { along: sliding * pressed, about: sliding * levered },
                ];
                if batch.resists {
                    let spinning = batch.resistance.spinning.load(chunk) * pressed;
                    for bound in &mut most {
                        bound.about = bound.about + spinning;
                    }
                }
                let n = batch.normal.load(chunk);
                let t = [batch.tangents[0].load(chunk), batch.tangents[1].load(chunk)];
                let of = (&mut batch.friction, batch.offset_now.load(chunk));
                friction::<L, BIASED, BODIES>(of, chunk, (n, t, most), softness, (&mut a[i], &mut b[i]));
                if batch.resists {
                    resist::<L, BODIES>(&mut batch.resistance, chunk, (t, pressed), (&mut a[i], &mut b[i]));
                }
                // SAFETY: as above.
                unsafe {
                    a[i].write(bodies, chunk.of(&batch.write[0]));
                    b[i].write(bodies, chunk.of(&batch.write[1]));
                }
            }
        }
    }
}

/// The row along the normal.
#[inline(always)]
fn normal<L: Lanes<Elem = f32>, const BIASED: bool, const BODIES: Bodies>(
    points: &mut Points,
    chunk: Chunk<L>,
    n: V3<L>,
    softness: &Softness,
    (a, b): (&mut Side<L, BODIES>, &mut Side<L, BODIES>),
    (ra, rb): (V3<L>, V3<L>),
) {
    let (s, mass, before) = (points.gap.load(chunk), points.mass.load(chunk), points.normal.load(chunk));
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
    points.normal.store(chunk, after);
    let impulse = n * (after - before);
    a.push(-impulse, ra);
    b.push(impulse, rb);
}

/// The most that friction holds: N s along, N m s about the normal.
#[derive(Clone, Copy)]
struct Bound<L> {
    along: L,
    about: L,
}

/// The rows across it, and about it. A contact that needs more than friction holds at rest slides: it has the friction
/// of sliding.
#[inline(always)]
fn friction<L: Lanes<Elem = f32>, const BIASED: bool, const BODIES: Bodies>(
    (of, offset_now): (&mut Friction, V3<L>),
    chunk: Chunk<L>,
    (n, [t1, t2], bounds): (V3<L>, [V3<L>; 2], [Bound<L>; 2]),
    softness: &Softness,
    (a, b): (&mut Side<L, BODIES>, &mut Side<L, BODIES>),
) {
    let (one, share) = (L::splat(1.0), L::splat(f64::from(DRIFT_SHARE)) * L::set(softness.inv_h));
    let (inertia, before) = (of.inertia.load(chunk), of.twist.load(chunk));
    let mut w = n.dot(b.w - a.w);
    if BIASED {
        let back = of.turned.load(chunk) * share;
        let limit = L::splat(f64::from(DRIFT_SPEED));
        w = w + back.smaller(limit).larger(-limit);
    }
    let [at_rest, sliding] = bounds;
    let twist = before - inertia * w;
    let slips = twist.abs().gt(at_rest.about);
    let most_twist = L::select(slips, sliding.about, at_rest.about);
    let twist = twist.smaller(most_twist).larger(-most_twist);
    let twist = L::select(twist.finite(), twist, before);
    of.twist.store(chunk, twist);
    if !BIASED {
        of.slips[1].store(chunk, one.or_zero(slips));
    }
    let impulse = n * (twist - before);
    a.twist(-impulse);
    b.twist(impulse);

    let (ra, f1, f2, m11, m12, m22) = (
        of.arm.load(chunk),
        of.impulse[0].load(chunk),
        of.impulse[1].load(chunk),
        of.masses[0].load(chunk),
        of.masses[1].load(chunk),
        of.masses[2].load(chunk),
    );
    let rb = ra - offset_now;
    let v = b.at(rb) - a.at(ra);
    let (mut v1, mut v2) = (t1.dot(v), t2.dot(v));
    if BIASED {
        let (d1, d2) = (of.drifted[0].load(chunk), of.drifted[1].load(chunk));
        let (b1, b2) = (d1 * share, d2 * share);
        let speed = (b1 * b1 + b2 * b2).sqrt();
        let limit = L::splat(f64::from(DRIFT_SPEED));
        let part = L::select(speed.gt(limit), limit / speed, one);
        v1 = v1 + b1 * part;
        v2 = v2 + b2 * part;
    }
    let (g1, g2) = (f1 - (m11 * v1 + m12 * v2), f2 - (m12 * v1 + m22 * v2));
    let long = (g1 * g1 + g2 * g2).sqrt();
    let slips = long.gt(at_rest.along);
    let part = L::select(slips, sliding.along / long, one);
    let (g1, g2) = (g1 * part, g2 * part);
    let good = g1.finite() & g2.finite();
    let (g1, g2) = (L::select(good, g1, f1), L::select(good, g2, f2));
    of.impulse[0].store(chunk, g1);
    of.impulse[1].store(chunk, g2);
    if !BIASED {
        of.slips[0].store(chunk, one.or_zero(slips));
    }
    let impulse = t1 * (g1 - f1) + t2 * (g2 - f2);
    a.push(-impulse, ra);
    b.push(impulse, rb);
}

/// The rows about both tangents: they take away rolling, as far as their torque goes.
#[inline(always)]
fn resist<L: Lanes<Elem = f32>, const BODIES: Bodies>(
    of: &mut Resistance,
    chunk: Chunk<L>,
    ([t1, t2], pressed): ([V3<L>; 2], L),
    (a, b): (&mut Side<L, BODIES>, &mut Side<L, BODIES>),
) {
    let (f1, f2, m11, m12, m22, most) = (
        of.impulse[0].load(chunk),
        of.impulse[1].load(chunk),
        of.inertia[0].load(chunk),
        of.inertia[1].load(chunk),
        of.inertia[2].load(chunk),
        of.rolling.load(chunk) * pressed,
    );
    let w = b.w - a.w;
    let (w1, w2) = (t1.dot(w), t2.dot(w));
    let (g1, g2) = (f1 - (m11 * w1 + m12 * w2), f2 - (m12 * w1 + m22 * w2));
    let long = (g1 * g1 + g2 * g2).sqrt();
    let part = L::select(long.gt(most), most / long, L::splat(1.0));
    let (g1, g2) = (g1 * part, g2 * part);
    let good = g1.finite() & g2.finite();
    let (g1, g2) = (L::select(good, g1, f1), L::select(good, g2, f2));
    of.impulse[0].store(chunk, g1);
    of.impulse[1].store(chunk, g2);
    let twist = t1 * (g1 - f1) + t2 * (g2 - f2);
    a.twist(-twist);
    b.twist(twist);
}
