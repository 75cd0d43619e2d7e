//! The same question answered in another way: by nonnegative dependencies of integer vectors, one support after
//! another.
//!
//! Triangles a and b have a common point if 0 is a convex combination of the nine differences a_i - b_j, and it is one
//! if it is one of at most four of them that are minimally dependent (Carathéodory 1907). Slow, short, and with no case
//! for degenerate ones.

use super::exact::meet;
use super::orient::Triangle;
use proptest::prelude::*;

/// Integer coordinates.
pub(super) type V = [i128; 3];

fn sub(a: V, b: V) -> V {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn cross(a: V, b: V) -> V {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: V, b: V) -> i128 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Whether the vectors are minimally dependent, with coefficients of one sign: each is needed, and a sum with weights
/// above 0 is 0.
fn is_positive_circuit(v: &[V]) -> bool {
    let same = |signs: &[i128]| signs.iter().all(|&s| s > 0) || signs.iter().all(|&s| s < 0);
    match *v {
        [a] => a == [0; 3],
        [a, b] => a != [0; 3] && b != [0; 3] && cross(a, b) == [0; 3] && dot(a, b) < 0,
        [a, b, c] => {
            // a x (x a + y b + z c) = 0, and so on: the weights are as b x c, c x a, a x b along their common normal.
            let n = [cross(b, c), cross(c, a), cross(a, b)];
            n.iter().all(|n| *n != [0; 3]) && dot(a, n[0]) == 0 && {
                let k = (0..3).find(|&k| n[0][k] != 0).unwrap();
                same(&n.map(|n| n[k]))
            }
        }
        [a, b, c, d] => {
            // Cramer's rule.
            let det = |a, b, c| dot(a, cross(b, c));
            same(&[det(b, c, d), -det(a, c, d), det(a, b, d), -det(a, b, c)])
        }
        _ => unreachable!("three dimensions"),
    }
}

/// Whether some of the vectors are such that `counts`, which is asked for their places.
fn any_circuit(v: &[V], counts: impl Fn(&[usize]) -> bool) -> bool {
    (1u32..1 << v.len()).filter(|set| set.count_ones() <= 4).any(|set| {
        let places: Vec<usize> = (0..v.len()).filter(|&i| set >> i & 1 == 1).collect();
        let chosen: Vec<V> = places.iter().map(|&i| v[i]).collect();
        is_positive_circuit(&chosen) && counts(&places)
    })
}

/// Whether two cones from 0 share a ray. A circuit with vectors of one cone alone is a way to write 0 in it.
fn cones_meet([a, b]: [V; 2], [c, d]: [V; 2]) -> bool {
    let v = [a, b, c.map(|x| -x), d.map(|x| -x)];
    any_circuit(&v, |places| places.iter().any(|&i| i < 2) && places.iter().any(|&i| i >= 2))
}

/// As `exact::meet`.
pub(super) fn expected(first: [V; 3], second: [V; 3], shared: usize) -> bool {
    let ([u, v, a], [_, c, d]) = (first, second);
    match shared {
        0 => {
            let differences: Vec<V> = first.into_iter().flat_map(|a| second.map(|b| sub(a, b))).collect();
            any_circuit(&differences, |_| true)
        }
        1 => cones_meet([sub(v, u), sub(a, u)], [sub(c, u), sub(d, u)]),
        2 if u == v => cones_meet([sub(a, u); 2], [sub(d, u); 2]),
        2 => {
            // In one plane, and the same way round from the edge; or both on its line, beyond one end.
            let e = sub(v, u);
            let (p, q) = (cross(e, sub(a, u)), cross(e, sub(d, u)));
            let in_plane = dot(p, sub(d, u)) == 0 && p != [0; 3] && q != [0; 3];
            let along = |x: V| dot(e, sub(x, u));
            let on_line = p == [0; 3] && q == [0; 3];
            let beyond = [a, d].iter().all(|&x| along(x) < 0) || [a, d].iter().all(|&x| along(x) > dot(e, e));
            in_plane && p.map(i128::signum) == q.map(i128::signum) || on_line && beyond
        }
        _ => false,
    }
}

/// f32 coordinates in f64: integers times a power of two for each axis.
fn placed(t: [V; 3], exponents: [i32; 3]) -> Triangle {
    t.map(|p| {
        std::array::from_fn(|k| {
            let c = p[k] as f64 * f64::from_bits(((1023 + i64::from(exponents[k])) as u64) << 52);
            assert_eq!(f64::from(c as f32), c, "a case is made of f32 coordinates");
            c
        })
    })
}

fn shares(first: [V; 3], mut second: [V; 3], shared: usize) -> ([V; 3], [V; 3]) {
    second[..shared].copy_from_slice(&first[..shared]);
    (first, second)
}

fn agree(first: [V; 3], second: [V; 3], shared: usize, exponents: [i32; 3]) -> Result<bool, TestCaseError> {
    let (first, second) = shares(first, second, shared);
    let want = expected(first, second, shared);
    let (a, b) = (placed(first, exponents), placed(second, exponents));
    prop_assert_eq!(meet(a, b, shared), want, "{:?} {:?} {}", first, second, shared);
    prop_assert_eq!(meet(b, a, shared), want, "turned round: {:?} {:?} {}", first, second, shared);
    // The corners that are not shared, and those that are, in any order.
    let swapped = |t: Triangle| match shared {
        0 => [t[2], t[0], t[1]],
        1 => [t[0], t[2], t[1]],
        _ => [t[1], t[0], t[2]],
    };
    prop_assert_eq!(meet(swapped(a), if shared < 2 { b } else { swapped(b) }, shared), want);
    if shared == 0 {
        prop_assert_eq!(meet(a, [b[1], b[0], b[2]], 0), want);
    }
    Ok(want)
}

fn corners(most: i128) -> impl Strategy<Value = [V; 3]> {
    prop::array::uniform3(prop::array::uniform3(0..=most))
}

/// Triangles in a plane of their own, which is none of the axes', and on a line.
fn combined(most: i128, dimensions: usize) -> impl Strategy<Value = [V; 3]> {
    let directions: [V; 2] = [[3, -1, 2], [-2, 5, 1]];
    let sum =
        move |w: [i128; 2]| -> V { std::array::from_fn(|k| (0..dimensions).map(|d| w[d] * directions[d][k]).sum()) };
    prop::array::uniform3(prop::array::uniform2(-most..=most)).prop_map(move |t| t.map(sum))
}

/// Integers of 38 bits, 24 of them in a row, as f32 numbers have.
fn wide() -> impl Strategy<Value = i128> {
    (-(1i128 << 23)..1 << 23, 0u32..16).prop_map(|(mantissa, shift)| mantissa << shift)
}

fn near(bits: u32) -> impl Strategy<Value = V> {
    prop::array::uniform3(-(1i128 << bits)..1 << bits)
}

const AS_THEY_ARE: [i32; 3] = [0; 3];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    /// Small cubes: a large share of all cases is degenerate, coplanar or touches.
    #[test]
    fn small_triangles(a in corners(2), b in corners(2), c in corners(5), d in corners(5), shared in 0usize..=3) {
        agree(a, b, shared, AS_THEY_ARE)?;
        agree(c, d, shared, AS_THEY_ARE)?;
    }

    /// Two in one plane, on one line, and one of each.
    #[test]
    fn flat_triangles(a in combined(3, 2), b in combined(3, 2), c in combined(3, 1), d in combined(3, 1), shared in 0usize..=3) {
        agree(a, b, shared, AS_THEY_ARE)?;
        agree(c, d, shared, AS_THEY_ARE)?;
        agree(a, c, shared, AS_THEY_ARE)?;
    }

    /// Each axis in another unit, from the least subnormal f32 to the largest numbers: nothing overflows or underflows.
    #[test]
    fn any_scale(a in corners(4), b in corners(4), shared in 0usize..=2, exponents in prop::array::uniform3(-149i32..=125)) {
        agree(a, b, shared, exponents)?;
    }

    /// Coordinates of all sizes beside each other, within a million metres.
    #[test]
    fn wide_triangles(t in prop::array::uniform6(prop::array::uniform3(wide())), shared in 0usize..=2) {
        agree([t[0], t[1], t[2]], [t[3], t[4], t[5]], shared, [-18; 3])?;
    }

    /// A corner within a metre of the other triangle's plane or on it, a thousand kilometres out.
    #[test]
    fn almost_touching(
        a in near(19), b in near(18), c in near(18), d in near(19), w in prop::array::uniform2(1i128..8),
        off in prop::array::uniform3(-1i128..=1), shared in 0usize..=1,
    ) {
        // A point of the plane of a, a + b, a + c, moved a little or not.
        let add = |a: V, b: V, k: i128| -> V { std::array::from_fn(|i| a[i] + k * b[i]) };
        let on = add(add(add(a, b, w[0]), c, w[1]), off, 1);
        let first = [a, add(a, b, 9), add(a, c, 9)];
        agree(first, [d, on, add(d, [5, -7, 3], 1)], shared, [0; 3])?;
    }
}

/// The properties above meet all kinds of cases: those that intersect and those that do not, with every number of
/// shared vertices.
#[test]
fn both_answers_occur() {
    let mut seen = [[0u32; 2]; 3];
    // All triangles of a cube's corners with one fixed.
    let corner = |i: usize| -> V { [(i & 1) as i128, (i >> 1 & 1) as i128, (i >> 2 & 1) as i128] };
    let first = [corner(0), corner(3), corner(5)];
    for (shared, seen) in seen.iter_mut().enumerate() {
        for i in 0..512 {
            let second = [corner(i & 7), corner(i >> 3 & 7), corner(i >> 6)];
            let meets = agree(first, second, shared, AS_THEY_ARE).unwrap();
            seen[usize::from(meets)] += 1;
        }
    }
    assert!(seen.as_flattened().iter().all(|&n| n > 0), "{seen:?}");
}

/// Where one coordinate is the least that there is, and the others a million metres.
#[test]
fn the_least_distance_decides() {
    let least = f64::from(f32::from_bits(1));
    let far = 1e6;
    let ground = [[-far, 0.0, -far], [far, 0.0, -far], [0.0, 0.0, far]];
    let above = |height: f64| [[1.0, height, 2.0], [far, far, 0.0], [3.0, far, far]];
    assert!(meet(ground, above(0.0), 0));
    assert!(meet(ground, above(-least), 0));
    assert!(!meet(ground, above(least), 0));
    // And beside the largest.
    let most = f64::from(f32::MAX);
    let ground = ground.map(|p| p.map(|c| c / far * most));
    let above = |height: f64| [[1.0, height, 2.0], [most, most, 0.0], [3.0, most, most]];
    assert!(meet(ground, above(-least), 0) && !meet(ground, above(least), 0));
}
