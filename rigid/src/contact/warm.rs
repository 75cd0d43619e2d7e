//! A substep begins: contacts are found where bodies now are, and the impulses that are kept are applied.

use super::follow::follow;
use super::lanes::{DX, Moved, Side, Slid, TURN, columns, far_turn, gone, masses_across, since, slid};
use super::rows::{Age, Batch, Bodies, Friction, ROUND, START, Since};
use crate::BodyRow;
use crate::tuning::{FAR_ARM, FAR_TURN, WILD};
use seidel_kernels::lanes::{Kernel, Mask};
use seidel_kernels::{Chunk, InChunks, Lanes, Pack, Shared, V3};

/// The way from A's point to where an impulse acts: to the middle along the normal, where both surfaces meet, and across
/// it by the share `lean` of the way to B's point.
#[inline(always)]
fn between<L: Lanes>(n: V3<L>, way: V3<L>, lean: L) -> V3<L> {
    let along = n * n.dot(way);
    along * L::splat(0.5) + (way - along) * lean
}

/// Finds where points are, and applies kept impulses.
pub(super) struct Warm<'a, const BODIES: Bodies> {
    pub(super) batch: &'a mut Batch,
    pub(super) bodies: Shared<'a, BodyRow>,
}

impl<const BODIES: Bodies> Kernel for Warm<'_, BODIES> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        let Warm { batch, bodies } = self;
        batch.stales = false;
        // Where the step begins nothing has moved.
        let follows = batch.follows && batch.warmed;
        if follows && !batch.renewed {
            (batch.renewed, batch.since) = (true, START);
        }
        for chunk in Chunk::<L>::all() {
            // SAFETY: indices are of rows (`Batch::claim`); the caller of `warm` promises that nobody else uses them.
            unsafe {
                let [read_a, read_b] = [chunk.of(&batch.read[0]), chunk.of(&batch.read[1])];
                let [of_a, of_b] = batch.inertia.each_ref().map(|of| of.load(chunk));
                let (mut a, mut b) = (
                    Side::<L, BODIES>::read(bodies.as_ptr(), read_a, of_a),
                    Side::<L, BODIES>::read(bodies.as_ptr(), read_b, of_b),
                );
                let now = [placed::<L>(bodies.as_ptr(), read_a), placed::<L>(bodies.as_ptr(), read_b)];
                let mut moved = since_found(batch, chunk, now);
                if follows {
                    follow(batch, chunk, (&a, &b), moved, now);
                    moved = since_found(batch, chunk, now);
                }
                let n = batch.normal.load(chunk);
                let (t1, t2) = (batch.tangents[0].load(chunk), batch.tangents[1].load(chunk));
                let [(da, qa), (db, qb)] = moved;
                let mut nearest = L::splat(f64::INFINITY);
                let count = batch.count;
                let offset = batch.offset.load(chunk);
                let offset_now = (offset + db) - da;
                let offset_now = V3::select(offset_now.norm_1().finite(), offset_now, offset);
                batch.offset_now.store(chunk, offset_now);
                let of_step = FarArms::new((&a, &b), [qa.0, qb.0], n);
                let points_of = batch.points_of.load(chunk);
                for (k, points) in batch.points[..count].iter_mut().enumerate() {
                    let ra = points.begun.load(chunk);
                    let rb = ra - offset;
                    // A ball's point is always below its centre, however it has turned.
                    let (round_a, round_b) = (n * points.round[0].load(chunk), n * points.round[1].load(chunk));
                    let (turned_a, turned_b) = (gone(V3::zero(), qa, ra - round_a), gone(V3::zero(), qb, rb + round_b));
                    let way = (db + turned_b) - (da + turned_a);
                    // A body that is lost takes no other with it.
                    let good = way.norm_1().finite();
                    let (way, turned_a) = (way.or_zero(good), turned_a.or_zero(good));
                    let lean = points.lean.load(chunk);
                    let near = (ra + turned_a) + between(n, way, lean);
                    let change = of_step.change_across([ra, rb], [near, near - offset_now]);
                    let far = of_step.is_far(change);
                    let mut arm = near;
                    if far.any() {
                        let kept = points.normal.load(chunk);
                        points.normal.store(chunk, L::select(of_step.is_wild(change), L::zero(), kept));
                        let restitution = batch.restitution.load(chunk);
                        batch.restitution.store(chunk, L::select(far, L::zero(), restitution));
                        arm = V3::select(far, of_step.arm(ra + turned_a, way), near);
                        let weight = a.along(n, n, arm) + b.along(n, n, arm - offset_now);
                        let (mass, one) = (points.mass.load(chunk), L::splat(1.0));
                        let weighed = far & mass.gt(L::zero()) & weight.gt(L::zero());
                        points.mass.store(chunk, L::select(weighed, one / weight, mass));
                    }
                    let ra = arm;
                    points.arm.store(chunk, ra);
                    let gap = points.separation.load(chunk) + n.dot(way);
                    points.gap.store(chunk, gap);
                    nearest = L::select(points_of.gt(L::splat(k as f64)), gap.smaller(nearest), nearest);
                    let impulse = n * points.normal.load(chunk);
                    a.push(-impulse, ra);
                    b.push(impulse, ra - offset_now);
                }
                let of = &mut batch.friction;
                let ra = of.begun.load(chunk);
                let Slid { way, turned_a, slip } = slid(of, chunk, n, offset, moved);
                let lean = of.lean.load(chunk);
                let near = (ra + turned_a) + between(n, way, lean);
                let change = of_step.change([ra, ra - offset], [near, near - offset_now]);
                let far = of_step.is_far(change);
                let mut arm = near;
                if far.any() {
                    let [one, other] = &mut of.impulse;
                    for impulse in [one, other, &mut of.twist] {
                        let kept = impulse.load(chunk);
                        impulse.store(chunk, L::select(of_step.is_wild(change), L::zero(), kept));
                    }
                    arm = V3::select(far, of_step.arm(ra + turned_a, way), near);
                    weigh_friction::<L, BODIES>(of, chunk, far, (&a, &b), (n, [t1, t2], [arm, arm - offset_now]));
                    if batch.resists {
                        for impulse in &mut batch.resistance.impulse {
                            let kept = impulse.load(chunk);
                            impulse.store(chunk, L::select(of_step.is_wild(change), L::zero(), kept));
                        }
                        // The sum of both eigenvalues: it takes too little, not too much.
                        let about = (t1.dot(a.turned(t1)) + t1.dot(b.turned(t1)))
                            + (t2.dot(a.turned(t2)) + t2.dot(b.turned(t2)));
                        let of = &mut batch.resistance.inertia;
                        let (about, far) = (L::splat(1.0) / about, far & about.gt(L::zero()));
                        for (inertia, to) in of.iter_mut().zip([about, L::zero(), about]) {
                            inertia.store(chunk, L::select(far, to, inertia.load(chunk)));
                        }
                    }
                }
                let ra = arm;
                let rb = ra - offset_now;
                of.arm.store(chunk, ra);
                let (d1, d2) = (of.drift[0].load(chunk), of.drift[1].load(chunk));
                of.drifted[0].store(chunk, d1 + t1.dot(slip));
                of.drifted[1].store(chunk, d2 + t2.dot(slip));
                // The angle of a small turn is twice its sine's half.
                let turned = n.dot(qb.0 - qa.0);
                of.turned.store(chunk, of.turn.load(chunk) + (turned + turned));
                let impulse = t1 * of.impulse[0].load(chunk) + t2 * of.impulse[1].load(chunk);
                a.push(-impulse, ra);
                b.push(impulse, rb);
                let twist = n * of.twist.load(chunk);
                a.twist(-twist);
                b.twist(twist);
                if batch.resists {
                    let of = &batch.resistance;
                    let rolling = t1 * of.impulse[0].load(chunk) + t2 * of.impulse[1].load(chunk);
                    a.twist(-rolling);
                    b.twist(rolling);
                }
                let stale = stale(&mut batch.age, chunk, (n, way, qb.0 - qa.0, nearest));
                batch.age.stale.store(chunk, L::splat(1.0).or_zero(stale));
                batch.stales |= stale.any();
                a.write(bodies, chunk.of(&batch.write[0]));
                b.write(bodies, chunk.of(&batch.write[1]));
            }
        }
        batch.warmed = true;
    }
}

/// How far bodies have gone since their manifolds were found.
#[inline(always)]
fn since_found<L: Lanes<Elem = f32>>(batch: &Batch, chunk: Chunk<L>, [a, b]: [Moved<L>; 2]) -> [Moved<L>; 2] {
    if !batch.renewed {
        return [a, b];
    }
    [since_one(&batch.since[0], chunk, a), since_one(&batch.since[1], chunk, b)]
}

#[inline(always)]
fn since_one<L: Lanes<Elem = f32>>((way, turn): &Since<Pack<f32>>, chunk: Chunk<L>, now: Moved<L>) -> Moved<L> {
    let [x, y, z, w] = turn;
    let then = (V3::new(x.load(chunk), y.load(chunk), z.load(chunk)), w.load(chunk));
    (now.0 - way.load(chunk), since(now.1, then))
}

/// Whether manifolds will no longer hold when the substep is over: age.rs. `way` is how far B has gone on A since they
/// were found, `half` by what half of the angle, and `nearest` the least separation.
#[inline(always)]
fn stale<L: Lanes<Elem = f32>>(
    age: &mut Age,
    chunk: Chunk<L>,
    (n, way, half, nearest): (V3<L>, V3<L>, V3<L>, L),
) -> L::Mask {
    let (slides, half) = (age.slides.load(chunk), half + half);
    let about = n.dot(half);
    let turn = ((half - n * about).length() + about.abs() * slides) * age.radius.load(chunk);
    let moved = way.length() * slides + turn;
    let (pace, closing) = (moved - age.moved.load(chunk), age.gap.load(chunk) - nearest);
    age.moved.store(chunk, moved);
    age.gap.store(chunk, nearest);
    // In this substep and the next, and what the turn so far may have hidden.
    let comes = closing + pace;
    let most = age.most.load(chunk);
    let passes = age.passes.load(chunk).gt(L::zero());
    let most = L::select(passes, most.smaller(nearest.larger(L::zero()) * L::splat(0.5)), most);
    (moved + pace).gt(most) & nearest.lt((comes + comes) + (turn + age.near.load(chunk)))
}

/// Contacts whose arms have changed by so much since the step began that masses have to be found anew: with those of
/// the start a row may push by more than twice what stops its bodies, which adds energy. A ball that flies
/// along a wall at 113 m/s had four times its energy after half a second, one at 1,000 m/s was lost.
struct FarArms<L: Lanes> {
    normal: V3<L>,
    /// Traces of both inverse inertias, and the square of the arms' change that is far, over a mass.
    traces: [L; 2],
    least: L,
    /// 1 where a body has turned far.
    turned: L,
}

impl<L: Lanes<Elem = f32>> FarArms<L> {
    #[inline(always)]
    fn new<const BODIES: Bodies>(
        (a, b): (&Side<L, BODIES>, &Side<L, BODIES>),
        [qa, qb]: [V3<L>; 2],
        normal: V3<L>,
    ) -> FarArms<L> {
        let turned = if BODIES == ROUND {
            L::zero()
        } else {
            let most = L::splat(f64::from(FAR_TURN * FAR_TURN));
            far_turn(a, qa, most) + far_turn(b, qb, most)
        };
        let least = (a.inv_mass + b.inv_mass) * L::splat(f64::from(FAR_ARM));
        FarArms { normal, traces: [a.trace(), b.trace()], least, turned }
    }

    /// The square by which arms have changed since the step's start, over masses.
    #[inline(always)]
    fn change(&self, [ra, rb]: [V3<L>; 2], [now_a, now_b]: [V3<L>; 2]) -> L {
        let (da, db) = (now_a - ra, now_b - rb);
        da.length_squared() * self.traces[0] + db.length_squared() * self.traces[1]
    }

    /// The same across the normal: what changes along it changes no mass along it. A body that falls fast begins the
    /// step far above what it bounces from.
    #[inline(always)]
    fn change_across(&self, [ra, rb]: [V3<L>; 2], [now_a, now_b]: [V3<L>; 2]) -> L {
        let (da, db) = (now_a - ra, now_b - rb);
        let (along_a, along_b) = (self.normal.dot(da), self.normal.dot(db));
        let across_a = (da.length_squared() - along_a * along_a).larger(L::zero());
        let across_b = (db.length_squared() - along_b * along_b).larger(L::zero());
        across_a * self.traces[0] + across_b * self.traces[1]
    }

    /// Whether that is far.
    #[inline(always)]
    fn is_far(&self, change: L) -> L::Mask {
        change.gt(self.least) | self.turned.gt(L::zero())
    }

    /// Whether it is so far that the last substep's impulse says nothing of this one's.
    #[inline(always)]
    fn is_wild(&self, change: L) -> L::Mask {
        change.gt(self.least * L::splat(f64::from(WILD)))
    }

    /// Where an impulse then acts, from A's centre; `r` is where A's point is: in the middle along the normal, and
    /// across it at the point of the body that is turned more easily. A lever is then no longer than that body.
    #[inline(always)]
    fn arm(&self, r: V3<L>, way: V3<L>) -> V3<L> {
        let along = self.normal * self.normal.dot(way);
        let across = way - along;
        let lean = L::select(self.traces[0].ge(self.traces[1]), L::zero(), L::splat(1.0));
        (r + along * L::splat(0.5)) + across * lean
    }
}

/// The masses that friction sees at other arms.
#[inline(always)]
fn weigh_friction<L: Lanes<Elem = f32>, const BODIES: Bodies>(
    of: &mut Friction,
    chunk: Chunk<L>,
    far: L::Mask,
    (a, b): (&Side<L, BODIES>, &Side<L, BODIES>),
    (n, [t1, t2], [ra, rb]): (V3<L>, [V3<L>; 2], [V3<L>; 2]),
) {
    let (zero, one) = (L::zero(), L::splat(1.0));
    let (inverse, moves) = masses_across(([a, b], [ra, rb]), [t1, t2]);
    let far = far & moves;
    for (mass, to) in of.masses.iter_mut().zip(inverse) {
        mass.store(chunk, L::select(far & to.finite(), to, mass.load(chunk)));
    }
    let about = n.dot(a.turned(n)) + n.dot(b.turned(n));
    let far = far & about.gt(zero);
    of.inertia.store(chunk, L::select(far, one / about, of.inertia.load(chunk)));
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
