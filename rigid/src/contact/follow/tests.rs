//! Followed contacts against manifolds that are found where the bodies have come to.

use crate::contact::{Batch, Contact, Kept, Lasts, Segment, get};
use crate::manifold::{Manifold, Transform, collide};
use crate::{BodyRow, Shape, Softness};
use seidel_kernels::{BATCH, Isa, Shared, V3};

/// Where a body is: its centre, and a rotation [x, y, z, w].
#[derive(Clone, Copy)]
struct Place {
    at: V3<f32>,
    turn: [f32; 4],
}

struct Random(u32);

impl Random {
    /// From -1 to 1.
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as f32 / 8_388_608.0 - 1.0
    }

    fn vector(&mut self) -> V3<f32> {
        V3::new(self.next(), self.next(), self.next())
    }

    fn turn(&mut self, size: f32) -> [f32; 4] {
        let half = self.vector() * size;
        let long = (half.length_squared() + 1.0).sqrt();
        [half.x / long, half.y / long, half.z / long, 1.0 / long]
    }
}

fn turned([x, y, z, w]: [f32; 4], r: V3<f32>) -> V3<f32> {
    let q = V3::new(x, y, z);
    let t = q.cross(r) * 2.0;
    r + (t * w + q.cross(t))
}

fn product([x, y, z, w]: [f32; 4], [a, b, c, d]: [f32; 4]) -> [f32; 4] {
    let (q, p) = (V3::new(x, y, z), V3::new(a, b, c));
    let v = (p * w + q * d) + q.cross(p);
    [v.x, v.y, v.z, w * d - q.dot(p)]
}

impl Place {
    fn axes(&self) -> [V3<f32>; 3] {
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|axis| turned(self.turn, V3::set(axis)))
    }
}

/// In the world: the manifold of two shapes, its normal, and the arms of its points from each body's centre.
fn met(shapes: &[Shape; 2], places: &[Place; 2]) -> (Manifold, V3<f32>, Vec<[V3<f32>; 2]>) {
    let [a, b] = places;
    let axes = a.axes();
    let seen = |v: V3<f32>| V3::new(axes[0].dot(v), axes[1].dot(v), axes[2].dot(v));
    let b_in_a = Transform { axes: b.axes().map(seen), at: seen(b.at - a.at) };
    let manifold = collide(Isa::PORTABLE, &shapes[0], &shapes[1], &b_in_a, 10.0);
    let world = |v: V3<f32>| (axes[0] * v.x + axes[1] * v.y) + axes[2] * v.z;
    let arms = manifold.points().iter().map(|p| [world(p.a), (a.at - b.at) + world(p.b)]).collect();
    (manifold, world(manifold.normal), arms)
}

fn contact<'a>(
    (lane, shapes, places): (usize, &[Shape; 2], &[Place; 2]),
    (manifold, normal, arms): &'a (Manifold, V3<f32>, Vec<[V3<f32>; 2]>),
) -> Contact<'a> {
    let segment = |k: usize| {
        let [radius, half] = shapes[k].segment()?;
        Some(Segment { at: V3::zero(), half: places[k].axes()[1] * half, radius })
    };
    let mut all = [[V3::zero(); 2]; crate::manifold::POINTS];
    all[..arms.len()].copy_from_slice(arms);
    Contact {
        bodies: [2 * lane as u32, 2 * lane as u32 + 1],
        normal: *normal,
        arms: all,
        offset: places[1].at - places[0].at,
        manifold,
        kept: Kept { friction: [0.3, 0.2, 0.1], twist: 0.01, ..Kept::default() },
        radii: shapes.each_ref().map(Shape::rounding),
        friction: [0.5; 2],
        restitution: 0.0,
        resistance: [0.01, 0.0],
        counted: false,
        lasts: Lasts { near: 0.02, ..Lasts::FOREVER },
        segments: (manifold.count == 1).then(|| segment(0).zip(segment(1)).map(|(a, b)| [a, b])).flatten(),
    }
}

/// Bodies with two of each kind of contact of what is round, and one of a box; and where each is.
struct Pairs {
    shapes: Vec<[Shape; 2]>,
    places: Vec<[Place; 2]>,
    rows: Vec<BodyRow>,
    batch: Batch,
}

fn pairs() -> Pairs {
    let (ball, capsule) = (Shape::Sphere { radius: 0.3 }, Shape::Capsule { radius: 0.2, half_length: 0.5 });
    let of = |a: &Shape, b: &Shape| [a.clone(), b.clone()];
    let kinds = [of(&ball, &ball), of(&ball, &capsule), of(&capsule, &ball), of(&capsule, &capsule)];
    let cuboid = of(&Shape::Cuboid { half: [0.2, 0.3, 0.4] }, &ball);
    let shapes: Vec<_> = kinds.iter().cycle().take(15).chain([&cuboid]).cloned().collect();
    let mut random = Random(5);
    let mut rows = vec![BodyRow::FIXED; 2 * BATCH + 2];
    for row in &mut rows[..2 * BATCH] {
        row.v[3] = 1.0 + random.next().abs();
        let [x, y, z] = [random.next(), random.next(), random.next()].map(|i| 2.0 + i);
        row.diagonal = [x, y, z, 0.0];
        row.sides = [0.1 * random.next(), 0.1 * random.next(), 0.1 * random.next(), 0.0];
    }
    let mut batch = Batch::new(2 * BATCH as u32, 2 * BATCH as u32 + 1);
    batch.poison();
    let mut places = Vec::new();
    for (lane, shapes) in shapes.iter().enumerate() {
        let a = Place { at: random.vector(), turn: random.turn(1.0) };
        let way = random.vector();
        let b = Place { at: a.at + way * (0.9 / way.length()), turn: random.turn(1.0) };
        let met = met(shapes, &[a, b]);
        batch.set(lane, &contact((lane, shapes, &[a, b]), &met), &rows);
        places.push([a, b]);
    }
    batch.weigh(Isa::PORTABLE, &rows);
    Pairs { shapes, places, rows, batch }
}

impl Pairs {
    fn warm(&mut self, isa: Isa) {
        let mut rows = self.rows.clone();
        // SAFETY: one thread; no two lanes have a body in common.
        unsafe { self.batch.warm(isa, Shared::new(&mut rows)) };
    }

    /// Moves all bodies on, by at most this far and half this turn at once.
    fn go_on(&mut self, random: &mut Random, size: f32) {
        for (row, place) in self.rows.iter_mut().zip(self.places.iter_mut().flatten()) {
            let (way, turn) = (random.vector() * size, random.turn(size));
            place.at = place.at + way;
            place.turn = product(turn, place.turn);
            (0..3).for_each(|k| row.dx[k] += [way.x, way.y, way.z][k]);
            row.turn = product(turn, row.turn);
        }
    }
}

#[test]
fn what_is_round_is_met_where_it_has_come_to() {
    let (mut pairs, mut random) = (pairs(), Random(11));
    pairs.warm(Isa::PORTABLE);
    let mut met_in_one = 0;
    for _ in 0..6 {
        pairs.go_on(&mut random, 0.05);
        pairs.warm(Isa::PORTABLE);
        for (lane, (shapes, places)) in pairs.shapes.iter().zip(&pairs.places).enumerate().take(15) {
            let (manifold, normal, arms) = met(shapes, places);
            if manifold.count != 1 || pairs.batch.points_of.0[lane] != 1.0 {
                continue;
            }
            met_in_one += 1;
            let (batch, middle) = (&pairs.batch, (arms[0][0] + (places[1].at - places[0].at) + arms[0][1]) * 0.5);
            assert!((get(&batch.normal, lane) - normal).length() < 1e-5, "lane {lane}");
            assert!((get(&batch.points[0].arm, lane) - middle).length() < 1e-5, "lane {lane}");
            assert!((batch.points[0].gap.0[lane] - manifold.points[0].separation).abs() < 2e-6, "lane {lane}");
            let [t1, t2] = batch.tangents.each_ref().map(|t| get(t, lane));
            let n = get(&batch.normal, lane);
            assert!((t1.length() - 1.0).abs() + t1.dot(n).abs() + (n.cross(t1) - t2).length() < 1e-5, "lane {lane}");
        }
    }
    assert!(met_in_one > 80, "{met_in_one}");
}

/// Friction that a contact keeps, seen from the world, does not turn about the normal; and balls that roll on each other do not
/// drift, while what slides does.
#[test]
fn friction_goes_with_the_normal() {
    let shapes = [Shape::Sphere { radius: 0.3 }, Shape::Sphere { radius: 0.3 }];
    for rolls in [true, false] {
        let a = Place { at: V3::zero(), turn: [0.0, 0.0, 0.0, 1.0] };
        let mut rows = vec![BodyRow::FIXED; 4];
        (rows[1].v[3], rows[1].diagonal) = (1.0, [1.0, 1.0, 1.0, 0.0]);
        let mut batch = Batch::new(2, 3);
        let place = |angle: f32| Place { at: V3::new(0.6 * angle.sin(), 0.6 * angle.cos(), 0.0), turn: a.turn };
        let met = met(&shapes, &[a, place(0.0)]);
        let mut kept = Kept { friction: [0.3, 0.0, 0.1], count: 1, ..Kept::default() };
        kept.points[0].normal = 1.0;
        let whole = contact((0, &shapes, &[a, place(0.0)]), &met);
        batch.set(0, &Contact { kept, ..whole }, &rows);
        batch.weigh(Isa::PORTABLE, &rows);
        for k in 0..=20 {
            let angle = 0.02 * k as f32;
            let way = place(angle).at - place(0.0).at;
            rows[1].dx = [way.x, way.y, way.z, 0.0];
            // A ball that rolls on an equal one turns by twice the angle.
            let half = if rolls { -angle } else { 0.0 };
            rows[1].turn = [0.0, 0.0, half.sin(), half.cos()];
            let mut now = rows.clone();
            // SAFETY: one thread, one contact.
            unsafe { batch.warm(Isa::PORTABLE, Shared::new(&mut now)) };
        }
        let kept = batch.kept(0, &rows, &met.0);
        let [x, y, z] = kept.friction;
        let expected = [0.3 * 0.4f32.cos(), -0.3 * 0.4f32.sin(), 0.1];
        assert!([x, y, z].iter().zip(expected).all(|(is, to_be)| (is - to_be).abs() < 1e-4), "{kept:?}");
        let drift = batch.friction.drift.iter().map(|d| d.0[0] * d.0[0]).sum::<f32>().sqrt();
        let slid = if rolls { 0.0 } else { 0.6 * 0.4 };
        assert!((drift - slid).abs() < 2e-4, "{drift} m where {slid} have slid");
    }
}

/// Capsules that come to lie along each other need two points, which lanes do not find.
#[test]
fn capsules_that_lie_along_each_other_are_found_anew() {
    let shapes = [0, 1].map(|_| Shape::Capsule { radius: 0.2, half_length: 0.5 });
    let a = Place { at: V3::zero(), turn: [0.0, 0.0, 0.0, 1.0] };
    let b =
        |angle: f32| Place { at: V3::new(0.4, 0.1, 0.0), turn: [(0.5 * angle).sin(), 0.0, 0.0, (0.5 * angle).cos()] };
    let mut rows = vec![BodyRow::FIXED; 4];
    rows[1].v[3] = 1.0;
    let mut batch = Batch::new(2, 3);
    let first = met(&shapes, &[a, b(0.2)]);
    batch.set(0, &contact((0, &shapes, &[a, b(0.2)]), &first), &rows);
    batch.weigh(Isa::PORTABLE, &rows);
    let mut stale = [false; 4];
    for (stale, turned) in stale.iter_mut().zip([0.0, -0.1, -0.14, -0.17]) {
        rows[1].turn = [(0.5f32 * turned).sin(), 0.0, 0.0, (0.5f32 * turned).cos()];
        let mut now = rows.clone();
        // SAFETY: one thread, one contact.
        *stale = unsafe { batch.warm(Isa::PORTABLE, Shared::new(&mut now)) } && batch.is_stale(0);
    }
    assert_eq!(stale, [false, false, false, true]);
}

/// A lane that is found anew leaves the others as they are, and is what a batch with that contact alone has.
#[test]
fn a_lane_is_found_anew_beside_others() {
    let (mut of_all, mut random) = (pairs(), Random(3));
    of_all.warm(Isa::PORTABLE);
    of_all.go_on(&mut random, 0.02);
    let untouched = of_all.batch.clone();
    let found: Vec<_> = of_all.shapes.iter().zip(&of_all.places).map(|(shapes, places)| met(shapes, places)).collect();
    let solve = |batch: &mut Batch, isa: Isa| {
        let mut rows = of_all.rows.clone();
        let shared = Shared::new(&mut rows);
        // SAFETY: one thread; no two lanes have a body in common.
        unsafe {
            batch.warm(isa, shared);
            Batch::solve(std::slice::from_mut(batch), isa, shared, &Softness::rigid(1e-3), true);
        }
        rows
    };
    for lane in [0, 3, 15] {
        let contact = contact((lane, &of_all.shapes[lane], &of_all.places[lane]), &found[lane]);
        let (mut beside, mut alone) = (untouched.clone(), Batch::new(2 * BATCH as u32, 2 * BATCH as u32 + 1));
        beside.begin_renewal();
        beside.renew(lane, &contact, &of_all.rows);
        // What follows does so from the second substep on.
        alone.warmed = true;
        alone.begin_renewal();
        alone.renew(lane, &contact, &of_all.rows);
        // Its impulse is what was kept: none.
        for isa in Isa::available() {
            let (mut beside, mut alone, mut before) = (beside.clone(), alone.clone(), untouched.clone());
            beside.weigh_renewed(isa, &of_all.rows);
            alone.weigh_renewed(isa, &of_all.rows);
            let [beside, alone, before] = [&mut beside, &mut alone, &mut before].map(|batch| solve(batch, isa));
            for k in 0..2 * BATCH {
                let expected = if k / 2 == lane { &alone[k] } else { &before[k] };
                assert_eq!(&beside[k], expected, "{isa:?}, lane {lane}, body {k}");
            }
        }
    }
}
