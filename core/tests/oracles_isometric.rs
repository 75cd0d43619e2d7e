//! Oracle: isometric bending against the flexural rigidity of a sheet on a cylinder, the dihedral angle, and hand
//! calculation; and the force that it makes in a step, which is linear.

use crate::runs;
use crate::runs::{P, Random, add, cross, dot, norm, scale, sub};
use seidel::{BendModel, Cloth, Constraints, Mesh, Plan, Scene, Stiffness, kinds};

/// k1, k2, k3 of a rest shape.
fn coefficients(x: &[P; 4]) -> Vec<f64> {
    let mut k = [0.0; 3];
    assert!(kinds::ISOMETRIC.at_rest(&x.map(|x| x.map(|c| c as f32)), &mut k));
    k.map(f64::from).to_vec()
}

fn area(a: P, b: P, c: P) -> f64 {
    0.5 * norm(cross(sub(b, a), sub(c, a)))
}

/// The areas of a hinge's triangles, together.
fn areas(x: &[P; 4]) -> f64 {
    area(x[0], x[1], x[2]) + area(x[0], x[1], x[3])
}

/// A flat hinge with wings on both sides, then one of them turned about it by an angle.
fn folded(flat: &[P; 4], theta: f64) -> [P; 4] {
    let axis = scale(sub(flat[1], flat[0]), 1.0 / norm(sub(flat[1], flat[0])));
    let arm = sub(flat[3], flat[0]);
    let along = scale(axis, dot(arm, axis));
    let across = sub(arm, along);
    let turned = add(scale(across, theta.cos()), scale(cross(axis, across), theta.sin()));
    [flat[0], flat[1], flat[2], add(flat[0], add(along, turned))]
}

/// Flat hinges of all shapes and sizes, whose wings lie on both sides and are no slivers. Coordinates fit into f32.
fn hinges() -> Vec<[P; 4]> {
    let mut random = Random(5);
    let mut found = Vec::new();
    while found.len() < 300 {
        let size = 10f64.powf(2.0 * random.unit());
        let x: [P; 4] =
            std::array::from_fn(|_| [random.unit(), 0.0, random.unit()].map(|c| f64::from((size * c) as f32)));
        let e = sub(x[1], x[0]);
        let [left, right] = [2, 3].map(|wing| cross(e, sub(x[wing], x[0]))[1] / dot(e, e));
        if left > 0.2 && right < -0.2 && left < 5.0 && right > -5.0 {
            found.push(x);
        }
    }
    found
}

/// Two equilateral triangles of side 1: the cotangents are 1/sqrt(3), K = (2, 2, -2, -2) / sqrt(3), A0 + A1 = sqrt(3)
/// / 2.
#[test]
fn a_hinge_by_hand() {
    let h = 3f64.sqrt() / 2.0;
    let flat = [[0.0; 3], [1.0, 0.0, 0.0], [0.5, h, 0.0], [0.5, -h, 0.0]];
    let scaled = (3.0 / h).sqrt() * 2.0 / 3f64.sqrt();
    let k = coefficients(&flat);
    for (found, wanted) in k.iter().zip([scaled, -scaled, -scaled]) {
        assert!((found - wanted).abs() < 1e-6, "{k:?}");
    }
    // At a right angle y is 2 / sqrt(3) times the sum of both heights.
    let (c, g) = kinds::ISOMETRIC.reference(&folded(&flat, std::f64::consts::FRAC_PI_2), &k);
    assert!((c - scaled * h * 2f64.sqrt()).abs() < 1e-6, "{c}");
    // Wings are pulled to where they came from and the hinge the other way, all along one line.
    assert!(g[2][1] > 0.0 && (norm(g[2]) - scaled).abs() < 1e-6 && norm(add(g[0], g[2])) < 1e-6, "{g:?}");
}

/// |sum K_i x_i| = 2 |e| sin(theta / 2): the size of the wings does not count.
#[test]
fn the_value_is_the_angles() {
    for flat in hinges() {
        let (e, k) = (norm(sub(flat[1], flat[0])), coefficients(&flat));
        let scale = (3.0 / areas(&flat)).sqrt();
        for theta in [-3.0, -1.2, -0.3, 0.001, 0.1, 0.7, 2.0, 3.1] {
            let x = folded(&flat, theta);
            let (c, _) = kinds::ISOMETRIC.reference(&x, &k);
            let wanted = scale * 2.0 * e * (theta / 2.0).sin().abs();
            assert!((c - wanted).abs() < 3e-6 * (scale * e), "{c} and not {wanted} at {theta}: {flat:?}");
            let angle = kinds::DIHEDRAL.reference(&x, &[0.0]).0.abs();
            assert!((angle - theta.abs()).abs() < 1e-6, "{angle} and not {theta}");
        }
    }
}

/// Neither a motion nor a stretch within the flat plane bends it.
#[test]
fn a_linear_map_of_the_rest_shape_is_at_rest() {
    let mut random = Random(9);
    for flat in hinges() {
        let k = coefficients(&flat);
        let size = norm(sub(flat[2], flat[3]));
        let (a, b, shift) = (random.point(), random.point(), random.point());
        let x = flat.map(|p| add(shift, add(scale(a, p[0]), scale(b, p[2]))));
        let (c, _) = kinds::ISOMETRIC.reference(&x, &k);
        assert!(c < 1e-6 * k.iter().map(|k| k.abs()).sum::<f64>() * size, "{c:.1e}");
    }
}

/// Vertices of a sheet of equilateral triangles, and all of its inner edges as [hinge, hinge, wing, wing].
fn sheet(n: u32, side: f64) -> (Vec<P>, Vec<[u32; 4]>) {
    let height = side * 3f64.sqrt() / 2.0;
    let at = |i: u32, j: u32| j * n + i;
    let point = |i: u32, j: u32| [(f64::from(i) + 0.5 * f64::from(j)) * side, 0.0, f64::from(j) * height];
    let points: Vec<P> = (0..n).flat_map(|j| (0..n).map(move |i| (i, j))).map(|(i, j)| point(i, j)).collect();
    let mut mesh = Mesh { positions: points.iter().map(|p| p.map(|c| c as f32)).collect(), triangles: Vec::new() };
    for j in 0..n - 1 {
        for i in 0..n - 1 {
            mesh.triangles.push([at(i, j), at(i, j + 1), at(i + 1, j)]);
            mesh.triangles.push([at(i + 1, j), at(i, j + 1), at(i + 1, j + 1)]);
        }
    }
    let over = |edge: &seidel::mesh::Edge| match edge.opposite {
        [Some(a), Some(b)] => Some([edge.vertices[0], edge.vertices[1], a, b]),
        _ => None,
    };
    let hinges = mesh.edges().iter().filter_map(over).collect();
    (points, hinges)
}

/// Rolled onto a cylinder whose axis makes an angle with the rows.
fn rolled(p: P, curvature: f64, turn: f64) -> P {
    let (along, across) = (p[0] * turn.cos() + p[2] * turn.sin(), p[2] * turn.cos() - p[0] * turn.sin());
    [along, (1.0 - (curvature * across).cos()) / curvature, (curvature * across).sin() / curvature]
}

/// C^2 / (2 alpha) with alpha = 3 / D sums to D kappa^2 / 2 an area in every direction, and so does the dihedral's with
/// alpha = (A0 + A1) / (D |e|^2). An inner edge of these triangles stands for two thirds of one.
#[test]
fn the_energy_of_a_cylinder_is_its_rigidity_s() {
    let (rigidity, side) = (3e-5, 0.01);
    let (points, hinges) = sheet(40, side);
    let an_edge = side * side * 3f64.sqrt() / 6.0;
    for curvature in [2.0, 5.0] {
        for turn in [0.0, 0.2, 0.5, 0.8, 1.1, 1.4] {
            let (mut isometric, mut dihedral) = (0.0, 0.0);
            for row in &hinges {
                let flat = row.map(|v| points[v as usize]);
                let x = flat.map(|p| rolled(p, curvature, turn));
                let (c, _) = kinds::ISOMETRIC.reference(&x, &coefficients(&flat));
                isometric += c * c / (2.0 * (3.0 / rigidity));
                let (angle, e) = (kinds::DIHEDRAL.reference(&x, &[0.0]).0, sub(flat[1], flat[0]));
                dihedral += angle * angle / (2.0 * areas(&flat) / (rigidity * dot(e, e)));
            }
            // Rows of each direction are as many but for the borders, where those of one are missing.
            let exact = 0.5 * rigidity * curvature * curvature * an_edge * hinges.len() as f64;
            for found in [isometric, dihedral] {
                assert!((found / exact - 1.0).abs() < 0.02, "{found:e} and not {exact:e} J at {turn} rad");
            }
        }
    }
}

/// A lone hinge in XPBD: one substep of implicit Euler on a linear force, whose solution a hand can write down; and
/// several iterations do not change it, for the multipliers remember what was done.
#[test]
fn a_step_is_implicit_euler_of_a_linear_force() {
    let flat = [[0.0; 3], [1.0, 0.0, 0.0], [0.4, 0.0, 0.9], [0.6, 0.0, -0.8]];
    let k = coefficients(&flat);
    let all = [-(k[0] + k[1] + k[2]), k[0], k[1], k[2]];
    let (masses, alpha, h) = ([0.3, 0.5, 0.2, 0.4], 0.05, 1.0 / 240.0);
    for iterations in [1, 2, 5] {
        let mut body = runs::particles(&flat, &masses);
        body.constraints =
            vec![Constraints::measured(kinds::ISOMETRIC, vec![0, 1, 2, 3], Stiffness::compliance(alpha as f32))];
        let mut scene = Scene::new();
        scene.settings.gravity = [0.0; 3].into();
        scene.settings.substeps = 1.into();
        scene.settings.iterations = iterations;
        let body = scene.add(body);
        let mut solver = runs::solver(&scene);
        let plan = std::sync::Arc::clone(solver.plan());
        let bent = folded(&flat, 0.8);
        solver.state_mut().write_positions(&plan, body, &bent.map(runs::narrow)).unwrap();
        runs::run(&mut solver, 1, h as f32);
        let y = (0..4).fold([0.0; 3], |y, i| add(y, scale(bent[i], all[i])));
        let weighted: f64 = (0..4).map(|i| all[i] * all[i] / masses[i]).sum();
        let factor = 1.0 / (weighted + alpha / (h * h));
        for (i, found) in runs::positions(&solver, body).into_iter().enumerate() {
            let wanted = sub(bent[i], scale(y, all[i] / masses[i] * factor));
            assert!(norm(sub(found, wanted)) < 2e-7, "{found:?} and not {wanted:?} after {iterations}");
        }
    }
}

/// Whatever it was: a folded sheet without gravity ends flat, with edges that are kept.
#[test]
fn a_folded_mesh_is_flattened() {
    let mut mesh = Cloth::grid([7, 7], [1.0, 1.0]).mesh().clone();
    for p in &mut mesh.positions {
        *p = [p[0], 0.0 - p[0].abs() * 0.6, p[2]];
    }
    let mut scene = runs::scene(0.0, 20);
    let cloth = Cloth::new(&mesh).stretch(1e-6).bend(1.0).bend_model(BendModel::Isometric).damping(0.1);
    let body = scene.add(cloth);
    let families: Vec<_> = Plan::new(&scene).unwrap().families().map(|(kind, ..)| kind).collect();
    assert_eq!(families, ["distance", "isometric"]);
    let mut solver = runs::solver(&scene);
    runs::run(&mut solver, 600, runs::FRAME);
    let x = runs::positions(&solver, body);
    let edges = mesh.edges();
    let angle = edges.iter().filter_map(|edge| match edge.opposite {
        [Some(a), Some(b)] => Some([edge.vertices[0], edge.vertices[1], a, b].map(|v| x[v as usize])),
        _ => None,
    });
    let worst = angle.map(|x| kinds::DIHEDRAL.reference(&x, &[0.0]).0.abs()).fold(0.0, f64::max);
    assert!(worst < 0.01, "{worst}");
}

/// A row without a shape at rest is refused, by name.
#[test]
fn a_triangle_without_area_is_refused() {
    for points in [
        [[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.5, 0.0, 0.0]],
        [[0.0; 3], [0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        [[0.5; 3]; 4],
    ] {
        let mut body = runs::particles(&points, &[1.0; 4]);
        body.constraints = vec![Constraints::measured(kinds::ISOMETRIC, vec![0, 1, 2, 3], Stiffness::compliance(0.0))];
        let mut scene = Scene::new();
        scene.add(body);
        let error = Plan::new(&scene).unwrap_err().to_string();
        let says = "kind `isometric`: coefficient of the second point in the rest shape of row 0 is";
        assert!(error.contains(says) && error.contains("without area"), "{error}");
    }
}
