//! Normals and skins of arbitrary meshes: unit or zero, the same bits on all lanes, and in parts as at once.

use proptest::prelude::*;
use seidel_kernels::Isa;
use seidel_kernels::render::{Bond, Normals, Skin, Vertex};

/// A mesh of any kind: triangles that name a vertex twice or are there twice, points that coincide, rows of a lattice.
fn mesh() -> impl Strategy<Value = (Vec<Vertex>, Vec<[u32; 3]>)> {
    let point = prop_oneof![
        8 => prop::array::uniform3(-1.0f32..1.0),
        1 => Just([0.5, 0.0, 0.5]),
        1 => prop::array::uniform3(prop::sample::select(vec![0.0, -0.0, 1e-20, 1e30, f32::MAX, f32::INFINITY, f32::NAN])),
    ];
    let soup = (1usize..90, 0usize..300).prop_flat_map(move |(n, m)| {
        let corner = 0..n as u32;
        (prop::collection::vec(point.clone(), n), prop::collection::vec(prop::array::uniform3(corner), m))
    });
    let grid = (2u32..60, 2u32..8, -0.3f32..0.3).prop_map(|(columns, rows, height)| lattice(columns, rows, height));
    prop_oneof![soup, grid]
}

fn lattice(columns: u32, rows: u32, height: f32) -> (Vec<Vertex>, Vec<[u32; 3]>) {
    let point = |i: u32, j: u32| [i as f32, height * ((i * 7 + j * 5) % 11) as f32, j as f32];
    let x = (0..rows).flat_map(|j| (0..columns).map(move |i| point(i, j))).collect();
    let cell = |i: u32, j: u32| {
        let v = j * columns + i;
        [[v, v + columns, v + 1], [v + 1, v + columns, v + columns + 1]]
    };
    (x, (0..rows - 1).flat_map(|j| (0..columns - 1).flat_map(move |i| cell(i, j))).collect())
}

/// The definition, triangle by triangle in f64; `None` where the sum is too small to say, or a corner far away.
fn oracle(x: &[Vertex], triangles: &[[u32; 3]]) -> Vec<Option<[f64; 3]>> {
    let mut sums = vec![([0.0f64; 3], 0.0f64); x.len()];
    for &[a, b, c] in triangles.iter().filter(|[a, b, c]| a != b && b != c && c != a) {
        let [p, q, r] = [a, b, c].map(|v| x[v as usize].map(f64::from));
        let (e, f): ([f64; 3], [f64; 3]) = (std::array::from_fn(|k| q[k] - p[k]), std::array::from_fn(|k| r[k] - p[k]));
        let n = [e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]];
        for v in [a, b, c] {
            let (sum, size) = &mut sums[v as usize];
            (0..3).for_each(|k| sum[k] += n[k]);
            let far = [p, q, r].concat().iter().any(|c| c.is_nan() || c.abs() > 1e8);
            *size += if far { f64::INFINITY } else { n.iter().map(|c| c.abs()).sum::<f64>() };
        }
    }
    let unit = |(n, size): &([f64; 3], f64)| {
        let length = n.iter().map(|c| c * c).sum::<f64>().sqrt();
        (length > 1e-3 * size && length > 1e-9 && size.is_finite()).then(|| n.map(|c| c / length))
    };
    sums.iter().map(unit).collect()
}

fn bits(vertices: &[Vertex]) -> Vec<[u32; 3]> {
    vertices.iter().map(|v| v.map(f32::to_bits)).collect()
}

proptest! {
    #[test]
    fn normals_are_units_or_zero((x, triangles) in mesh(), cut in 0.0f64..1.0) {
        let mut normals = Normals::new(x.len(), &triangles).expect("all vertices exist");
        let mut first: Option<Vec<Vertex>> = None;
        for isa in Isa::available() {
            normals.read(isa, &x);
            let mut out = vec![[7.0; 3]; x.len()];
            normals.write(isa, 0, &mut out);
            let mut parts = vec![[7.0; 3]; x.len()];
            let (a, b) = parts.split_at_mut((cut * x.len() as f64) as usize);
            normals.write(isa, a.len(), b);
            normals.write(isa, 0, a);
            prop_assert_eq!(bits(&parts), bits(&out), "{} in parts", isa);
            let same = first.get_or_insert_with(|| out.clone());
            prop_assert_eq!(bits(same), bits(&out), "{}", isa);
        }
        let (out, wanted) = (first.expect("there are lanes"), oracle(&x, &triangles));
        for (v, n) in out.iter().enumerate() {
            let length = n.iter().map(|c| c * c).sum::<f32>().sqrt();
            prop_assert!(*n == [0.0; 3] || (length - 1.0).abs() < 1e-5, "{n:?}");
            if let Some(wanted) = wanted[v] {
                for k in 0..3 {
                    prop_assert!((f64::from(n[k]) - wanted[k]).abs() < 1e-2, "vertex {v}: {n:?}, not {wanted:?}");
                }
            }
        }
    }

    #[test]
    fn skins_do_not_depend_on_lanes((x, triangles) in mesh(), seeds in prop::collection::vec(any::<[u32; 3]>(), 1..70), cut in 0.0f64..1.0) {
        let n = x.len();
        let number = |seed: u32| (seed % 2000) as f32 / 1000.0 - 0.5;
        let bond = |&[a, b, c]: &[u32; 3]| Bond {
            corners: [a, b, c].map(|v| v % n as u32),
            shares: [number(a), number(b)],
            offset: number(c),
            normal: [number(a ^ b), number(b ^ c), number(c ^ a)],
        };
        let bonds: Vec<Bond> = seeds.iter().map(bond).collect();
        let mut normals = Normals::new(n, &triangles).expect("all vertices exist");
        let mut skin = Skin::new(n, &bonds).expect("all corners exist");
        let mut first = None;
        for isa in Isa::available() {
            normals.read(isa, &x);
            skin.read(isa, &x, &normals);
            let (mut y, mut m) = (vec![[7.0; 3]; bonds.len()], vec![[7.0; 3]; bonds.len()]);
            skin.write(isa, 0, &mut y, &mut m);
            let (mut parts, mut part_normals) = (y.clone(), m.clone());
            let cut = (cut * y.len() as f64) as usize;
            skin.write(isa, cut, &mut parts[cut..], &mut part_normals[cut..]);
            skin.write(isa, 0, &mut parts[..cut], &mut part_normals[..cut]);
            prop_assert_eq!((bits(&parts), bits(&part_normals)), (bits(&y), bits(&m)), "{} in parts", isa);
            for n in &m {
                let length = n.iter().map(|c| c * c).sum::<f32>().sqrt();
                prop_assert!(*n == [0.0; 3] || (length - 1.0).abs() < 1e-5, "{n:?}");
            }
            let both = (bits(&y), bits(&m));
            let same = first.get_or_insert_with(|| both.clone());
            prop_assert_eq!(&*same, &both, "{}", isa);
        }
    }
}

#[test]
fn a_lattice_has_the_bits_of_the_same_mesh_without_one() {
    let (x, triangles) = lattice(45, 30, 0.1);
    // The same neighbours under numbers that are in no order, by a permutation that keeps which is the least of them.
    let isa = Isa::detect();
    let of = |x: &[Vertex], triangles: &[[u32; 3]]| {
        let mut normals = Normals::new(x.len(), triangles).expect("all vertices exist");
        normals.read(isa, x);
        let mut out = vec![[0.0; 3]; x.len()];
        normals.write(isa, 0, &mut out);
        out
    };
    let spread: Vec<u32> = (0..x.len() as u32).map(|v| 2 * v + (v * 7 / 5) % 2).collect();
    let mut apart = vec![[f32::NAN; 3]; 2 * x.len()];
    spread.iter().zip(&x).for_each(|(&to, &p)| apart[to as usize] = p);
    let renumbered: Vec<_> = triangles.iter().map(|t| t.map(|v| spread[v as usize])).collect();
    let (lattice, rows) = (of(&x, &triangles), of(&apart, &renumbered));
    let rows: Vec<Vertex> = spread.iter().map(|&v| rows[v as usize]).collect();
    assert_eq!(bits(&lattice), bits(&rows));
}

#[test]
fn a_bond_to_a_corner_that_is_none_is_refused() {
    let bond = Bond { corners: [0, 1, 2], shares: [0.2; 2], offset: 0.0, normal: [0.0; 3] };
    let bad = Bond { corners: [0, 1, 3], ..bond };
    assert!(matches!(Skin::new(3, &[bond, bond, bad]), Err(2)));
}
