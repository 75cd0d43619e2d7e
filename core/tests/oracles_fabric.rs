//! Oracle: a strip of a fabric against what its numbers say: stretch by a load along warp, weft and between,
//! contraction, the deflection of a cantilever; and what a fabric does under its own weight.

use crate::runs;
use crate::runs::P;
use glam::Vec3;
use seidel::{BendModel, Cloth, ClothModel, Fabric, GridPins, Input, Mesh, Pose, Scene, Values};

/// As soft and heavy as converges in few substeps; no two numbers are alike.
const SOFT: Fabric =
    Fabric { density: 1.0, thickness: 1e-3, stretch: [50.0, 20.0], shear: 6.0, poisson: 0.3, bend: [1e-6, 1e-6] };

const LENGTH: f64 = 0.4;
const WIDTH: f64 = 0.1;
const MODELS: [ClothModel; 4] = [ClothModel::Edges, ClothModel::Fem, ClothModel::Orthotropic, ClothModel::Strain];

/// Strain along a strip and across it, under a force per width along it (N/m) that pulls at both ends.
fn pulled(cloth: &Cloth, pull: f64, substeps: u32, iterations: u32) -> [f64; 2] {
    let mesh = cloth.mesh().clone();
    let mut scene = runs::scene(0.0, substeps);
    scene.settings.iterations = iterations;
    let body = scene.add(cloth.clone().damping(0.2));
    let mut solver = runs::solver(&scene);
    let half = 0.5 * LENGTH - 1e-6;
    let forces: Vec<Vec3> = mesh
        .positions
        .iter()
        .map(|p| {
            let (end, corner) = (f64::from(p[0]).abs() > half, f64::from(p[2]).abs() > 0.5 * WIDTH - 1e-6);
            let share = pull * 0.025 * if corner { 0.5 } else { 1.0 };
            Vec3::X * if end { (share as f32).copysign(p[0]) } else { 0.0 }
        })
        .collect();
    let input = Input::frame(runs::FRAME).forces(body, &forces);
    for step in 0..150 {
        let report = solver.step(&input);
        assert!(report.rejected.is_none() && report.lost.is_none(), "step {step}: {report:?}");
    }
    // By least squares, of all vertices: x = (1 + e) X.
    let now = runs::positions(&solver, body);
    let strain = |axis: usize| {
        let pairs = || mesh.positions.iter().zip(&now).map(|(from, to)| (f64::from(from[axis]), to[axis]));
        pairs().map(|(from, to)| from * to).sum::<f64>() / pairs().map(|(from, _)| from * from).sum::<f64>() - 1.0
    };
    [strain(0), strain(2)]
}

fn strip() -> Cloth {
    Cloth::grid([17, 5], [LENGTH as f32, WIDTH as f32])
}

/// The strip as a mesh of right triangles, over one diagonal of each cell or over the other.
fn mesh(other: bool) -> Mesh {
    let mut mesh = strip().mesh().clone();
    if other {
        mesh.positions.iter_mut().for_each(|p| p[2] = -p[2]);
        mesh.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    }
    mesh
}

/// What the fabric has in the model: moduli along warp and weft, in shear (N/m), and Poisson's ratio of a pull along
/// the warp.
fn expected(model: ClothModel) -> [f64; 4] {
    let [x, y] = SOFT.stretch.map(f64::from);
    let (g, nu) = (f64::from(SOFT.shear), f64::from(SOFT.poisson));
    match model {
        ClothModel::Fem => [0.5 * (x + y), 0.5 * (x + y), 0.25 * (x + y) / (1.0 + nu), nu],
        ClothModel::Orthotropic => [x, y, g, nu],
        ClothModel::Strain => [x, y, g, 0.0],
        // Springs: C_1122 = C_1212, so nu_xy = G / C_2222.
        ClothModel::Edges => [x, y, g, 2.0 * g / (y + (y * y + 4.0 * g * g * y / x).sqrt())],
        _ => unreachable!("{model:?} has no expectation here"),
    }
}

/// Modulus in a direction between warp and weft, and its Poisson's ratio (Jones 1975, eq. 2.97).
fn turned([x, y, g, nu]: [f64; 4], degrees: f64) -> [f64; 2] {
    let (s, c) = degrees.to_radians().sin_cos();
    let (cc, ss) = (c * c, s * s);
    let modulus = 1.0 / (cc * cc / x + ss * ss / y + (1.0 / g - 2.0 * nu / x) * cc * ss);
    let across = nu / x * (cc * cc + ss * ss) - (1.0 / x + 1.0 / y - 1.0 / g) * cc * ss;
    [modulus, across * modulus]
}

/// Stretch within 1 %, contraction within 1 % of the stretch, in each model, along warp, weft and on the bias.
#[test]
fn a_strip_stretches_and_contracts_as_its_fabric_says() {
    for model in MODELS {
        for degrees in [0.0f64, 90.0, 45.0, 20.0].into_iter().filter(|d| model != ClothModel::Edges || d % 45.0 == 0.0)
        {
            let (s, c) = degrees.to_radians().sin_cos();
            let cloth = strip().fabric(SOFT).model(model).warp([c, 0.0, s]);
            let [modulus, nu] = turned(expected(model), degrees);
            let wanted = 2e-3;
            let [along, across] = pulled(&cloth, modulus * wanted, 80, 1);
            println!(
                "{model:?} at {degrees}: {:.4} of the stretch, Poisson {:.4} ({nu:.4})",
                along / wanted,
                -across / along
            );
            assert!((along / wanted - 1.0).abs() < 0.01, "{model:?} at {degrees}: {along} and not {wanted}");
            assert!((-across / along - nu).abs() < 0.01, "{model:?} at {degrees}: {} and not {nu}", -across / along);
        }
    }
}

/// A mesh, over either diagonal: exact but for springs, which are so for equilateral triangles only.
#[test]
fn a_mesh_stretches_as_its_fabric_says() {
    for other in [false, true] {
        for model in [ClothModel::Fem, ClothModel::Orthotropic, ClothModel::Strain] {
            for degrees in [0.0f64, 90.0, 45.0] {
                let (s, c) = degrees.to_radians().sin_cos();
                let cloth = Cloth::new(mesh(other)).fabric(SOFT).model(model).warp([c, 0.0, s]);
                let [modulus, nu] = turned(expected(model), degrees);
                let [along, across] = pulled(&cloth, modulus * 2e-3, 80, 1);
                assert!((along / 2e-3 - 1.0).abs() < 0.01, "{model:?} at {degrees}: {along}");
                assert!((-across / along - nu).abs() < 0.01, "{model:?} at {degrees}: {across} across");
            }
        }
    }
}

/// Equilateral triangles in a row, along x or across it, ten cells high.
fn equilateral(upright: bool) -> Mesh {
    let (side, high) = (0.02, 0.02 * 3f64.sqrt() / 2.0);
    let (columns, rows) = (15u32, 17u32);
    let mut mesh = Mesh::default();
    for j in 0..rows {
        for i in 0..columns {
            let x = (f64::from(i) + 0.5 * f64::from(j % 2)) * side;
            let z = f64::from(j) * high;
            mesh.positions.push(if upright { [z, 0.0, x] } else { [x, 0.0, z] }.map(|c| c as f32));
        }
    }
    let at = |i: u32, j: u32| j * columns + i;
    for j in 0..rows - 1 {
        for i in 0..columns - 1 {
            let (a, b, c, d) = (at(i, j), at(i + 1, j), at(i, j + 1), at(i + 1, j + 1));
            let pair = if j % 2 == 0 { [[a, c, b], [b, c, d]] } else { [[a, c, d], [a, d, b]] };
            mesh.triangles.extend(pair);
        }
    }
    mesh
}

/// The energy of springs of an even sheet in equilateral triangles, drawn out by hand in every direction: that of a
/// sheet of its modulus and a Poisson's ratio of 1/3, by the rows of the plan.
#[test]
fn springs_of_equilateral_triangles_are_an_even_sheet() {
    let even = Fabric::sheet(1e-3, 1000.0, 5e4, 1.0 / 3.0);
    let stretch = f64::from(even.stretch[0]);
    for upright in [false, true] {
        let mesh = equilateral(upright);
        let mut scene = runs::scene(0.0, 1);
        let body = scene.add(Cloth::new(&mesh).fabric(even));
        let mut solver = runs::solver(&scene);
        let plan = std::sync::Arc::clone(solver.plan());
        let energy = |map: [[f64; 2]; 2], solver: &mut seidel::Solver| {
            let at = |p: &[f32; 3]| {
                let (x, z) = (f64::from(p[0]), f64::from(p[2]));
                runs::narrow([map[0][0] * x + map[0][1] * z, 0.0, map[1][0] * x + map[1][1] * z])
            };
            let positions: Vec<Vec3> = mesh.positions.iter().map(at).collect();
            solver.state_mut().write_positions(&plan, body, &positions).unwrap();
            solver.measure().constraint_error
        };
        let area: f64 = mesh.triangles.len() as f64 * 0.02 * 0.02 * 3f64.sqrt() / 4.0;
        let e = 1e-2;
        // C_11 = 9/8 E t, C_12 = C_66 = 3/8 E t.
        let cases = [
            ([[1.0 + e, 0.0], [0.0, 1.0]], 9.0 / 8.0),
            ([[1.0, 0.0], [0.0, 1.0 + e]], 9.0 / 8.0),
            ([[1.0, e], [0.0, 1.0]], 0.375),
        ];
        for (map, of_modulus) in cases {
            let (found, exact) = (energy(map, &mut solver), 0.5 * of_modulus * stretch * e * e * area);
            // Edges at the border have one triangle, half as stiff: the sum over triangles is exact.
            assert!((found / exact - 1.0).abs() < 0.02, "{found:e} and not {exact:e} J for {map:?}");
        }
    }
}

/// As many substeps, or iterations, or few: within 1 %.
#[test]
fn stretch_does_not_depend_on_substeps_or_iterations() {
    for model in MODELS {
        let cloth = strip().fabric(SOFT).model(model).warp([1.0, 0.0, 0.0]);
        let pull = 2e-3 * expected(model)[0];
        let found = [(80, 1), (160, 1), (60, 4)].map(|(substeps, n)| pulled(&cloth, pull, substeps, n)[0]);
        println!("{model:?}: {found:?}");
        assert!(found.iter().all(|e| (e / found[0] - 1.0).abs() < 0.01), "{model:?}: {found:?}");
    }
}

/// Gravity of cantilevers, m/s^2: so little that soft ones, which need few substeps, sink by a hundredth of their
/// length.
const LIGHT: f64 = 0.1;

/// Cells along a cantilever.
const CELLS: u32 = 12;

/// Deflection of a cantilever's end over that of a beam, q L^4 / (8 B): along x or along z, so over either diagonal.
fn cantilever(model: BendModel, along_z: bool, warp: [f64; 3], bend: [f32; 2], as_mesh: bool, substeps: u32) -> f64 {
    let side = 0.02;
    let (long, wide) = (CELLS + 1, 4);
    let (cells, size) =
        if along_z { ([wide, long], [3.0 * side, 12.0 * side]) } else { ([long, wide], [12.0 * side, 3.0 * side]) };
    let fabric = Fabric { density: 0.5, stretch: [50.0, 50.0], shear: 20.0, poisson: 0.25, bend, ..SOFT };
    let mut cloth = Cloth::grid(cells, size.map(|s: f64| s as f32)).warp(warp);
    let at = |along: u32, across: u32| if along_z { along * wide + across } else { across * long + along };
    if as_mesh {
        cloth = Cloth::new(cloth.mesh().clone()).warp(warp);
    }
    let fixed: Vec<u32> =
        (0..2).flat_map(|along| (0..wide).map(move |across| (along, across))).map(|(a, b)| at(a, b)).collect();
    let mut scene: Scene = runs::scene(LIGHT as f32, substeps);
    let body = scene.add(cloth.fabric(fabric).model(ClothModel::Orthotropic).bend_model(model).pin(&fixed));
    let mut solver = runs::solver(&scene);
    runs::run_with_drag(&mut solver, body, 300, runs::FRAME, 0.15);
    let now: Vec<P> = runs::positions(&solver, body);
    let sunk = -(0..wide).map(|across| now[at(CELLS, across) as usize][1]).sum::<f64>() / f64::from(wide);
    // The clamp is between the two fixed lines: what bends at the second is half a cell on each of its sides.
    let length = side * (f64::from(CELLS) - 0.5);
    let rigidity = if (warp[0] > 0.5) == along_z { bend[1] } else { bend[0] };
    sunk / (0.5 * LIGHT * length.powi(4) / (8.0 * f64::from(rigidity)))
}

/// A cantilever under its weight sinks by q L^4 / (8 B), whichever way the diagonals run, by warp and weft, in both
/// models.
#[test]
fn a_cantilever_sinks_as_its_rigidity_says() {
    for model in [BendModel::Dihedral, BendModel::Isometric] {
        for along_z in [false, true] {
            for warp in [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]] {
                let found = cantilever(model, along_z, warp, [0.01, 0.005], false, 80);
                println!("{model:?}, along z {along_z}, warp {warp:?}: {found:.4}");
                assert!((found - 1.0).abs() < 0.02, "{model:?}, along z {along_z}, warp {warp:?}: {found} of a beam's");
            }
        }
        let finer = cantilever(model, false, [1.0, 0.0, 0.0], [0.01, 0.005], false, 160);
        let usual = cantilever(model, false, [1.0, 0.0, 0.0], [0.01, 0.005], false, 80);
        assert!((finer / usual - 1.0).abs() < 0.01, "{model:?}: {usual} in 80 substeps, {finer} in 160");
        // On the bias between unequal rigidities it also twists: no beam's, so only for an even one.
        let (s, c) = std::f64::consts::FRAC_PI_6.sin_cos();
        let even = cantilever(model, false, [c, 0.0, s], [0.008, 0.008], false, 80);
        assert!((even - 1.0).abs() < 0.02, "{model:?}, even: {even}");
        // Right triangles without their second hinges: all diagonals on one side, so that it twists and gives way by a
        // fifth.
        let mesh = cantilever(model, false, [1.0, 0.0, 0.0], [0.01, 0.005], true, 80);
        println!("{model:?}, as a mesh: {mesh:.4}");
        assert!((1.0..1.35).contains(&mesh), "{model:?}, as a mesh: {mesh}");
    }
}

/// A sheet 1 m long that hangs by its first row is longer by rho g H^2 / (2 E t), and by what substeps leave.
#[test]
fn presets_stretch_little_under_their_own_weight() {
    for (number, (name, fabric)) in Fabric::NAMED.into_iter().enumerate() {
        for model in [ClothModel::Orthotropic, ClothModel::Edges] {
            // Rows along edges know no more of a fabric than how stiff it is: some will do.
            if model == ClothModel::Edges && number % 3 != 0 {
                continue;
            }
            let mut scene = runs::scene(runs::G as f32, 40);
            let pose = Pose::IDENTITY.turned([1.0, 0.0, 0.0], seidel::degrees(90.0));
            let cloth = Cloth::grid([13, 25], [0.5, 1.0]).placed(pose, 1.0).pin_grid(GridPins::FirstRow);
            let body = scene.add(cloth.fabric(fabric).model(model).warp([0.0, 1.0, 0.0]).damping(0.1));
            let mut solver = runs::solver(&scene);
            runs::run(&mut solver, 240, runs::FRAME);
            let now = runs::positions(&solver, body);
            let long = 1.0 - (312..325).map(|v| now[v][1] + 0.5).sum::<f64>() / 13.0 - 1.0;
            let exact = f64::from(fabric.density) * runs::G / (2.0 * f64::from(fabric.stretch[0]));
            println!("{name}, {model:?}: {:.3} % longer, {:.3} % by its stiffness", 100.0 * long, 100.0 * exact);
            assert!(long > 0.98 * exact && long < exact + 5e-3, "{name}, {model:?}: {long} and not {exact}");
        }
    }
}

/// Factors of powers of two, each one for all or one for each vertex, are a fabric of those numbers, to the bit: in all
/// models, on a grid and on a mesh.
#[test]
fn factors_are_a_fabric_of_other_numbers() {
    let other = Fabric { stretch: [100.0, 40.0], shear: 24.0, bend: [5e-7, 5e-7], ..SOFT };
    let id = |cloth: Cloth| {
        let mut scene = runs::scene(9.81, 20);
        scene.add(cloth);
        seidel::Plan::new(&scene).unwrap().id()
    };
    let each = |factor: f32| Values::PerVertex(vec![factor; 17 * 5]);
    for model in MODELS {
        for cloth in [strip(), Cloth::new(mesh(false))] {
            let cloth = cloth.model(model).warp([1.0, 0.0, 0.3]);
            // What the first has in shear follows from its stretch.
            let shear = |factor: f32| if model == ClothModel::Fem { 1.0 } else { factor };
            let wanted = id(cloth.clone().fabric(other));
            let soft = cloth.clone().fabric(SOFT);
            let one = soft.clone().stretch_factor(2.0).shear_factor(shear(4.0)).bend_factor(0.5);
            assert_eq!(id(one), wanted, "{model:?}");
            let by_vertex = soft.clone().stretch_factor(each(2.0)).bend_factor(each(0.5));
            let by_vertex = if model == ClothModel::Fem { by_vertex } else { by_vertex.shear_factor(each(4.0)) };
            assert_eq!(id(by_vertex), wanted, "{model:?}, by vertex");
            assert_ne!(id(soft), wanted, "{model:?}");
        }
    }
}

/// Between a first row that stays and a last that is moved along itself a wide strip shears, its two halves one behind
/// the other: the one whose shear stiffness is four times as large by a quarter as much.
#[test]
fn halves_shear_as_their_factors_say() {
    const COLUMNS: usize = 25;
    let factor: Vec<f32> = (0..4 * COLUMNS).map(|v| if v / COLUMNS < 2 { 1.0 } else { 4.0 }).collect();
    let grid = || Cloth::grid([COLUMNS as u32, 4], [1.2, 0.15]);
    let models = [ClothModel::Edges, ClothModel::Orthotropic, ClothModel::Strain];
    for (on_mesh, model) in [false, true].into_iter().flat_map(|on_mesh| models.map(|model| (on_mesh, model))) {
        // The stiffer it is along its rows beside its shear, the farther free ends are felt.
        let even = Fabric { stretch: [20.0, 20.0], ..SOFT };
        let (first, last) = (grid().grid_part(GridPins::FirstRow), grid().grid_part(GridPins::LastRow));
        let cloth = if on_mesh { Cloth::new(grid().mesh().clone()) } else { grid() };
        // Springs of a mesh are no even sheet but in equilateral triangles.
        if on_mesh && model == ClothModel::Edges {
            continue;
        }
        let cloth = cloth.fabric(even).model(model).pin(&first).pin(&last).shear_factor(factor.clone());
        let mut scene = runs::scene(0.0, 60);
        let id = scene.add(cloth.linear_damping(30.0));
        let mut solver = runs::solver(&scene);
        let plan = solver.plan().clone();
        let mut x: Vec<Vec3> = solver.positions(id).to_vec();
        last.iter().for_each(|&v| x[v as usize].x += 0.01);
        solver.state_mut().write_positions(&plan, id, &x).unwrap();
        runs::run(&mut solver, 90, runs::FRAME);
        let x = runs::positions(&solver, id);
        let at = |row: usize| x[row * COLUMNS + COLUMNS / 2][0];
        let (soft, stiff) = (at(1) - at(0), at(3) - at(2));
        println!("{model:?}, mesh {on_mesh}: {soft} m and {stiff} m");
        assert!((soft / stiff - 4.0).abs() < 0.15, "{model:?}, mesh {on_mesh}: {soft} m and {stiff} m");
    }
}

/// Of two wings to both sides of a clamp the one that is eight times as stiff in bending hangs an eighth as far.
#[test]
fn wings_bend_as_their_factors_say() {
    const ROWS: usize = 24;
    let clamp: Vec<u32> = (20..28).collect();
    for on_mesh in [false, true] {
        let grid = Cloth::grid([2, ROWS as u32], [0.02, 0.46]);
        let cloth = if on_mesh { Cloth::new(grid.mesh().clone()) } else { grid };
        let factor: Vec<f32> = (0..2 * ROWS).map(|v| if v / 2 < ROWS / 2 { 1.0 } else { 8.0 }).collect();
        let sheet = Fabric { stretch: [50.0, 50.0], bend: [1e-4, 1e-4], ..SOFT };
        let mut scene = runs::scene(0.0, 60);
        scene.settings.gravity = Vec3::new(0.0, -0.002, 0.0);
        let id = scene.add(cloth.fabric(sheet).bend_factor(factor).pin(&clamp).linear_damping(1.5));
        let mut solver = runs::solver(&scene);
        runs::run(&mut solver, 600, runs::FRAME);
        let x = runs::positions(&solver, id);
        let (soft, stiff) = (-x[0][1] - x[1][1], -x[2 * ROWS - 1][1] - x[2 * ROWS - 2][1]);
        println!("mesh {on_mesh}: {soft} m and {stiff} m");
        assert!(soft > 1e-3 && (soft / stiff - 8.0).abs() < 0.3, "mesh {on_mesh}: {soft} m and {stiff} m");
    }
}

#[test]
fn factors_of_nothing_are_refused() {
    let refused = |cloth: Cloth, wanted: &str| {
        let mut scene = Scene::new();
        scene.add(cloth.named("c"));
        let error = seidel::Plan::new(&scene).unwrap_err().to_string();
        assert!(error.contains(wanted), "{error}\nshould say: {wanted}");
    };
    let soft = || strip().fabric(SOFT);
    refused(
        strip().shear_factor(2.0),
        "body `c`: `shear_factor` is a factor on its fabric's number, and it has no fabric",
    );
    refused(soft().model(ClothModel::Fem).shear_factor(2.0), "follows from its stretch");
    let k = seidel::Stiffness::pbd(0.5);
    refused(soft().stretch_by(k.clone()).stretch_factor(2.0), "in whose place PBD's stiffness of stretch stands");
    refused(soft().bend_by(k).bend_factor(2.0), "in whose place PBD's stiffness of bending stands");
    let limp = Fabric { bend: [0.0; 2], ..SOFT };
    refused(strip().fabric(limp).bend_factor(2.0), "`bend_factor` is a factor on its fabric's number, which is 0");
    refused(soft().stretch_factor(0.0), "stretch_factor is 0, which is not within 1e-6 .. 1e6");
    refused(soft().bend_factor(vec![1.0; 3]), "bend_factor has 3 entries and should have 85");
}
