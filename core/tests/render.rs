//! Vertex normals and render meshes that follow: known surfaces, rigid motion, bending, borders, and what is refused.

use glam::{Quat, Vec3};
use seidel::render::{Normals, Skin};
use seidel::{Cloth, Isa, Mesh, Plan, Rope, Scene};
use std::collections::BTreeMap;

/// An octahedron whose triangles are cut in four `levels` times, on the unit sphere.
fn sphere(levels: u32) -> Mesh {
    let mut positions = vec![Vec3::X, Vec3::Y, Vec3::Z, Vec3::NEG_X, Vec3::NEG_Y, Vec3::NEG_Z];
    let mut triangles = vec![[0, 1, 2], [1, 3, 2], [3, 4, 2], [4, 0, 2], [1, 0, 5], [3, 1, 5], [4, 3, 5], [0, 4, 5]];
    for _ in 0..levels {
        let mut middles = BTreeMap::new();
        let mut middle = |a: u32, b: u32| {
            *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
                positions.push((positions[a as usize] + positions[b as usize]).normalize());
                positions.len() as u32 - 1
            })
        };
        let cut = |[a, b, c]: [u32; 3]| {
            let [d, e, f] = [middle(a, b), middle(b, c), middle(c, a)];
            [[a, d, f], [d, b, e], [f, e, c], [d, e, f]]
        };
        triangles = triangles.into_iter().flat_map(cut).collect();
    }
    Mesh { positions: positions.iter().map(Vec3::to_array).collect(), triangles }
}

fn grid(n: u32, size: f32) -> Mesh {
    Cloth::grid([n, n], [size, size]).mesh().clone()
}

fn points(mesh: &Mesh) -> Vec<Vec3> {
    mesh.positions.iter().map(|&p| p.into()).collect()
}

fn updated(skin: &mut Skin, simulated: &[Vec3]) -> (Vec<Vec3>, Vec<Vec3>) {
    let mut out = (vec![Vec3::ZERO; skin.vertices()], vec![Vec3::ZERO; skin.vertices()]);
    skin.update(simulated, &mut out.0, &mut out.1);
    out
}

#[test]
fn normals_of_a_sphere_converge() {
    let worst = |levels| {
        let mesh = sphere(levels);
        let (x, mut out) = (points(&mesh), vec![Vec3::ZERO; mesh.positions.len()]);
        Normals::of_mesh(x.len(), &mesh.triangles).expect("a sound mesh").update(&x, &mut out);
        x.iter().zip(&out).map(|(x, n)| (*x - *n).length()).fold(0.0, f32::max)
    };
    let errors = [2, 3, 4, 5].map(worst);
    for pair in errors.windows(2) {
        assert!(pair[1] < 0.6 * pair[0], "{errors:?}");
    }
    assert!(errors[3] < 0.02, "{errors:?}");
}

#[test]
fn normals_of_a_plane_are_its_own() {
    let mesh = grid(37, 3.0);
    let mut out = vec![Vec3::ZERO; mesh.positions.len()];
    Normals::of_mesh(out.len(), &mesh.triangles).expect("a sound mesh").update(&points(&mesh), &mut out);
    // The direction is exact; the length is rounded.
    assert!(out.iter().all(|n| n.x == 0.0 && n.z == 0.0 && (n.y - 1.0).abs() <= f32::EPSILON));
}

#[test]
fn a_render_mesh_is_where_it_was_at_rest() {
    // Inside, outside and on a ball, with vertices far from any of its vertices; a sheet wider than the simulated one.
    let ball = sphere(3);
    for radius in [0.7f32, 1.0, 1.3] {
        let mut shell = sphere(5);
        shell.positions.iter_mut().flatten().for_each(|c| *c *= radius);
        let mut skin = Skin::bind_meshes(&ball, &shell).expect("sound meshes");
        assert!(skin.misfit().1 < 1e-6, "{:?}", skin.misfit());
        let (y, n) = updated(&mut skin, &points(&ball));
        for ((y, n), rest) in y.iter().zip(&n).zip(points(&shell)) {
            assert!((*y - rest).length() < 1e-6);
            assert!((*n - rest.normalize()).length() < 0.02, "{n} at {rest}");
        }
    }
    let (sheet, mut wide) = (grid(11, 1.0), grid(23, 1.5));
    wide.positions.iter_mut().for_each(|p| p[1] = 0.1 * p[0]);
    let skin = Skin::bind_meshes(&sheet, &wide).expect("sound meshes");
    assert!(skin.misfit().1 < 1e-6, "{:?}", skin.misfit());
}

#[test]
fn a_skin_follows_a_rigid_motion() {
    let (ball, mut shell) = (sphere(3), sphere(4));
    shell.positions.iter_mut().flatten().for_each(|c| *c *= 1.1);
    let mut skin = Skin::bind_meshes(&ball, &shell).expect("sound meshes");
    let (_, rest_normals) = updated(&mut skin, &points(&ball));
    let (turn, to) = (Quat::from_axis_angle(Vec3::new(1.0, 2.0, -0.5).normalize(), 2.2), Vec3::new(3.0, -2.0, 5.0));
    let moved: Vec<Vec3> = points(&ball).into_iter().map(|p| turn * p + to).collect();
    let (y, n) = updated(&mut skin, &moved);
    for (i, rest) in points(&shell).into_iter().enumerate() {
        assert!((y[i] - (turn * rest + to)).length() < 3e-6);
        assert!((n[i] - turn * rest_normals[i]).length() < 1e-5);
    }
}

/// A metre of sheet rolled up to a part of a cylinder about the z axis, above it.
fn rolled(p: Vec3, radius: f32) -> Vec3 {
    let (sin, cos) = (p.x / radius).sin_cos();
    Vec3::new((radius + p.y) * sin, (radius + p.y) * cos - radius, p.z)
}

#[test]
fn a_bent_sheet_stays_smooth_and_thick() {
    const RADIUS: f32 = 0.3;
    let sheet = grid(31, 1.0);
    let bent: Vec<Vec3> = points(&sheet).into_iter().map(|p| rolled(p, RADIUS)).collect();
    let up = |mesh: &Mesh, n: Vec3| vec![n.to_array(); mesh.positions.len()];
    for (height, side) in [(0.03, Vec3::Y), (-0.03, Vec3::NEG_Y), (0.0, Vec3::Y)] {
        let mut fine = grid(200, 0.9);
        fine.positions.iter_mut().for_each(|p| p[1] = height);
        let mut skin = Skin::bind_points(&sheet, &fine.positions, &up(&fine, side)).expect("sound meshes");
        let (y, n) = updated(&mut skin, &bent);
        let rest = points(&fine);
        for (i, &p) in rest.iter().enumerate() {
            // The simulated mesh is a polygon: its sides are h^2 / 8 R = 0.5 mm inside of the cylinder.
            let (wanted, from_axis) = (rolled(p, RADIUS), y[i] + Vec3::new(0.0, RADIUS, -y[i].z));
            assert!((from_axis.length() - (RADIUS + height)).abs() < 6e-4, "{} of {p}", from_axis.length());
            assert!((y[i] - wanted).length() < 2e-3, "{} for {wanted}", y[i]);
            let outwards = from_axis.normalize() * side.y;
            assert!(n[i].dot(outwards) > 0.996, "{} at {wanted}", n[i]);
            // Neighbours stay neighbours: no tear where the triangle changes.
            if i % 200 != 0 {
                let (gap, wanted) = ((y[i] - y[i - 1]).length(), (wanted - rolled(rest[i - 1], RADIUS)).length());
                assert!((gap / wanted - 1.0).abs() < 0.05, "{gap} for {wanted}");
            }
        }
    }
}

#[test]
fn an_offset_is_kept_when_the_sheet_is_stretched() {
    let (sheet, mut above) = (grid(9, 1.0), grid(20, 0.8));
    above.positions.iter_mut().for_each(|p| p[1] = 0.05);
    let mut skin = Skin::bind_meshes(&sheet, &above).expect("sound meshes");
    let wide: Vec<Vec3> = points(&sheet).into_iter().map(|p| p * Vec3::new(3.0, 1.0, 0.5)).collect();
    let (y, n) = updated(&mut skin, &wide);
    for (y, rest) in y.iter().zip(points(&above)) {
        assert!((*y - rest * Vec3::new(3.0, 1.0, 0.5)).length() < 1e-6);
    }
    assert!(n.iter().all(|n| (*n - Vec3::Y).length() < 1e-6));
}

#[test]
fn parts_and_lanes_give_the_same_bits() {
    let (ball, shell) = (sphere(3), sphere(4));
    let skin = Skin::bind_meshes(&ball, &shell).expect("sound meshes");
    let x: Vec<Vec3> = points(&ball).into_iter().map(|p| p * (1.0 + 0.1 * p.x * p.y)).collect();
    let whole = updated(&mut skin.clone(), &x);
    for isa in Isa::available() {
        let mut skin = skin.clone().on(isa);
        skin.read(&x);
        let mut parts = (vec![Vec3::ZERO; skin.vertices()], vec![Vec3::ZERO; skin.vertices()]);
        std::thread::scope(|scope| {
            let mut first = 0;
            for (y, n) in parts.0.chunks_mut(77).zip(parts.1.chunks_mut(77)) {
                let (skin, from) = (&skin, first);
                first += y.len();
                scope.spawn(move || skin.write(from, y, n));
            }
        });
        assert_eq!(parts, whole, "{isa}");
    }
}

#[test]
fn what_cannot_be_bound_is_named() {
    let (sheet, mut render) = (grid(3, 1.0), grid(4, 1.0));
    let error =
        |simulated: &Mesh, render: &Mesh| Skin::bind_meshes(simulated, render).expect_err("refused").to_string();
    render.positions[5][2] = f32::NAN;
    assert_eq!(error(&sheet, &render), "render mesh: position of vertex 5 is NaN, which is not within +-1e6");
    let render = grid(4, 1.0);
    assert_eq!(error(&Mesh::default(), &render), "simulated mesh has no triangle with an area");
    let flat = Mesh { positions: vec![[0.0; 3], [1.0; 3], [2.0; 3]], triangles: vec![[0, 1, 2]] };
    assert_eq!(error(&flat, &render), "simulated mesh has no triangle with an area");
    let mut torn = grid(4, 1.0);
    torn.triangles[2][1] = 99;
    assert_eq!(error(&sheet, &torn), "render mesh, triangle 2: vertex 99 does not exist; there are 16");
    let normals = vec![[0.0, 1.0, 0.0]; 15];
    let error = Skin::bind_points(&sheet, &render.positions, &normals).expect_err("one too few").to_string();
    assert_eq!(error, "render mesh: the array of normals has 15 entries and should have 16");
    let mut normals = vec![[0.0, 1.0, 0.0]; 16];
    normals[7][0] = f32::INFINITY;
    let error = Skin::bind_points(&sheet, &render.positions, &normals).expect_err("no normal").to_string();
    assert_eq!(error, "render mesh: length of the normal of vertex 7 is inf, which is not 0 or about 1");

    let mut scene = Scene::new();
    let rope = scene.add(Rope::new([0.0; 3], [1.0, 0.0, 0.0], 5).named("string"));
    let plan = Plan::new(&scene).expect("a sound scene");
    let error = "body `string` has no triangle with an area";
    assert_eq!(Skin::bind(&plan, rope, &render).expect_err("a rope has no surface").to_string(), error);
    assert_eq!(Normals::new(&plan, rope).expect_err("a rope has no surface").to_string(), error);
}

#[test]
fn a_mesh_without_vertices_is_bound_to_anything() {
    let mut skin = Skin::bind_meshes(&grid(3, 1.0), &Mesh::default()).expect("nothing to bind");
    assert_eq!(updated(&mut skin, &points(&grid(3, 1.0))), (vec![], vec![]));
}
