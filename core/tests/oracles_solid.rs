//! Solids of tetrahedra: a beam against linear finite elements on the same mesh, Poisson's ratio, inversion.

use crate::runs;
use crate::runs::P;
use seidel::{
    BodyId, Cloth, Collide, Collider, Input, Joint, Mesh, Plan, Pose, Scene, Side, SoftBody, SolidModel, Solver, State,
    TetMesh, glam::Vec3,
};
use std::sync::Arc;

const MODELS: [SolidModel; 4] =
    [SolidModel::StableNeoHookean, SolidModel::NeoHookean, SolidModel::StVenantKirchhoff, SolidModel::Hooke];

/// Steps to where nothing moves: whenever the kinetic energy has passed a peak all velocities are taken away (dynamic
/// relaxation, Day 1965), until nothing is faster than a limit at such a peak.
fn settle(solver: &mut Solver, input: &Input, slowest: f32, most: u32, body: BodyId) {
    let plan = solver.plan().clone();
    let (mut v, mut before) = (vec![Vec3::ZERO; plan.vertices(body)], 0.0);
    for _ in 0..most {
        let report = solver.step(input);
        assert!(report.rejected.is_none() && report.lost.is_none(), "{report:?}");
        solver.state().read_velocities(&plan, body, &mut v);
        let (energy, fastest) =
            v.iter().fold((0.0, 0.0f32), |(sum, most), v| (sum + v.length_squared(), most.max(v.length())));
        if energy < before {
            if fastest < slowest {
                return;
            }
            v.fill(Vec3::ZERO);
            solver.state_mut().write_velocities(&plan, body, &v).unwrap();
            before = 0.0;
        } else {
            before = energy;
        }
    }
    panic!("it has not come to rest in {most} frames");
}

/// K u of linear elasticity, tetrahedron by tetrahedron, in f64.
fn linear_forces(mesh: &TetMesh, young: f64, nu: f64, u: &[P]) -> Vec<P> {
    let (mu, lambda) = (young / (2.0 * (1.0 + nu)), young * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)));
    let mut forces = vec![[0.0; 3]; u.len()];
    for tet in &mesh.tets {
        let x = tet.map(|v| mesh.positions[v as usize].map(f64::from));
        let e: Vec<P> = (1..4).map(|k| runs::sub(x[k], x[0])).collect();
        let volume = runs::dot(runs::cross(e[0], e[1]), e[2]) / 6.0;
        // Gradients of the barycentric coordinates.
        let mut g = [[0.0; 3]; 4];
        for k in 0..3 {
            g[k + 1] = runs::scale(runs::cross(e[(k + 1) % 3], e[(k + 2) % 3]), 1.0 / (6.0 * volume));
        }
        g[0] = runs::scale(runs::add(runs::add(g[1], g[2]), g[3]), -1.0);
        let mut grad = [[0.0f64; 3]; 3];
        for (corner, &v) in tet.iter().enumerate() {
            for i in 0..3 {
                for j in 0..3 {
                    grad[i][j] += u[v as usize][i] * g[corner][j];
                }
            }
        }
        let trace = grad[0][0] + grad[1][1] + grad[2][2];
        for (corner, &v) in tet.iter().enumerate() {
            for i in 0..3 {
                let stress = |j: usize| mu * (grad[i][j] + grad[j][i]) + if i == j { lambda * trace } else { 0.0 };
                forces[v as usize][i] += volume * (0..3).map(|j| stress(j) * g[corner][j]).sum::<f64>();
            }
        }
    }
    forces
}

/// Displacements under loads by conjugate gradients, `fixed` vertices at rest.
fn linear_statics(mesh: &TetMesh, young: f64, nu: f64, loads: &[P], fixed: &[u32]) -> Vec<P> {
    let mut free = vec![true; loads.len()];
    fixed.iter().for_each(|&v| free[v as usize] = false);
    let product = |a: &[P], b: &[P]| a.iter().zip(b).map(|(a, b)| runs::dot(*a, *b)).sum::<f64>();
    let masked = |mut a: Vec<P>| {
        a.iter_mut().zip(&free).filter(|(_, free)| !**free).for_each(|(a, _)| *a = [0.0; 3]);
        a
    };
    let mut u = vec![[0.0; 3]; loads.len()];
    let mut r = masked(loads.to_vec());
    let mut p = r.clone();
    let (mut rr, first) = (product(&r, &r), product(&r, &r));
    for _ in 0..20_000 {
        if rr <= first * 1e-18 {
            break;
        }
        let kp = masked(linear_forces(mesh, young, nu, &p));
        let alpha = rr / product(&p, &kp);
        for i in 0..u.len() {
            u[i] = runs::add(u[i], runs::scale(p[i], alpha));
            r[i] = runs::sub(r[i], runs::scale(kp[i], alpha));
        }
        let next = product(&r, &r);
        for i in 0..u.len() {
            p[i] = runs::add(r[i], runs::scale(p[i], next / rr));
        }
        rr = next;
    }
    assert!(rr <= first * 1e-18, "conjugate gradients have not ended");
    u
}

const YOUNG: f32 = 1e5;

/// A bar of 0.5 x 0.1 x 0.1 m, fixed at one end, with a small load on the other: deflection within 2 % of linear FEM.
#[test]
fn a_cantilever_bends_as_linear_finite_elements_do() {
    for model in MODELS {
        for nu in [0.3, 0.45] {
            let bar = SoftBody::bar([0.5, 0.1, 0.1], [10, 2, 2]).young(YOUNG).poisson(nu).model(model);
            let mesh = bar.mesh().unwrap();
            let (fixed, end) = (bar.side(Side::MinX), bar.side(Side::MaxX));
            // Some hundredths of the length, far above what f32 rounds off in a substep, and still linear.
            let load = 0.5 / end.len() as f64;
            let mut loads = vec![[0.0; 3]; mesh.positions.len()];
            end.iter().for_each(|&v| loads[v as usize][1] = -load);
            let exact = linear_statics(&mesh, f64::from(YOUNG), f64::from(nu), &loads, &fixed);
            let mut scene: Scene = runs::scene(0.0, 80);
            let body = scene.add(bar.pin_side(Side::MinX));
            let mut solver = runs::solver(&scene);
            let forces: Vec<Vec3> = loads.iter().map(|f| Vec3::from_array(f.map(|c| c as f32))).collect();
            let input = Input::frame(1.0 / 60.0).forces(body, &forces);
            settle(&mut solver, &input, 1e-4, 4000, body);
            let x = runs::positions(&solver, body);
            let sunk = |of: &dyn Fn(u32) -> f64| end.iter().map(|&v| of(v)).sum::<f64>() / end.len() as f64;
            let got = sunk(&|v| x[v as usize][1] - f64::from(mesh.positions[v as usize][1]));
            let want = sunk(&|v| exact[v as usize][1]);
            println!("{model:?} nu {nu}: {got:.6e} m, linear finite elements {want:.6e} m, {:.4}", got / want);
            assert!((got / want - 1.0).abs() < 0.02, "{model:?}, nu = {nu}: {got} m and not {want} m");
        }
    }
}

/// A bar that is drawn out by 1 % contracts by Poisson's ratio times that.
#[test]
fn a_stretched_bar_contracts_by_poissons_ratio() {
    for model in MODELS {
        for nu in [0.0, 0.3, 0.45] {
            let bar = SoftBody::bar([0.4, 0.1, 0.1], [8, 2, 2]).young(YOUNG).poisson(nu).model(model);
            let mesh = bar.mesh().unwrap();
            let (left, right) = (bar.side(Side::MinX), bar.side(Side::MaxX));
            let area = 0.01;
            let strain = 0.005;
            // Half the force on each end; faces' corners and edges have their share of the area by symmetry only on
            // average.
            let force = f64::from(YOUNG) * area * strain;
            let mut scene: Scene = runs::scene(0.0, 40);
            let body = scene.add(bar);
            let mut solver = runs::solver(&scene);
            let surface = mesh.surface();
            let mut forces = vec![Vec3::ZERO; mesh.positions.len()];
            for (side, sign) in [(&left, -1.0), (&right, 1.0)] {
                for t in surface.iter().filter(|t| t.iter().all(|v| side.contains(v))) {
                    let [a, b, c] = t.map(|v| Vec3::from_array(mesh.positions[v as usize]));
                    let share = f64::from((b - a).cross(c - a).length()) / 2.0 / area * force / 3.0;
                    t.iter().for_each(|&v| forces[v as usize].x += (sign * share) as f32);
                }
            }
            let input = Input::frame(1.0 / 60.0).forces(body, &forces);
            settle(&mut solver, &input, 1e-5, 4000, body);
            let x = runs::positions(&solver, body);
            // Of the middle third.
            let (mut along, mut across, mut count) = (0.0, 0.0, 0.0);
            for (v, p) in mesh.positions.iter().enumerate() {
                let other = mesh.positions.iter().position(|q| q[0] == p[0] && q[1] == -p[1] && q[2] == p[2]).unwrap();
                if p[0].abs() < 0.11 && p[1] > 0.04 {
                    let width = f64::from(p[1]) * 2.0;
                    across += (x[v][1] - x[other][1] - width) / width;
                    count += 1.0;
                }
                if (p[0] - 0.1).abs() < 1e-4 {
                    let opposite =
                        mesh.positions.iter().position(|q| (q[0] + 0.1).abs() < 1e-4 && q[1..] == p[1..]).unwrap();
                    along += (x[v][0] - x[opposite][0] - 0.2) / 0.2 / 9.0;
                }
            }
            let got = -across / count / along;
            println!("{model:?} nu {nu}: along {along:.6}, contraction {got:.4}");
            assert!((along / strain - 1.0).abs() < 0.03, "{model:?}, nu {nu}: drawn out by {along} and not {strain}");
            assert!((got - f64::from(nu)).abs() < 0.03 * f64::from(nu).max(0.1), "{model:?}: {got} and not {nu}");
        }
    }
}

/// A bar whose vertices are put into a plane, turned inside out, or anywhere, comes back; St. Venant-Kirchhoff need
/// not.
#[test]
fn what_is_inverted_turns_back() {
    for model in [SolidModel::StableNeoHookean, SolidModel::NeoHookean, SolidModel::Hooke] {
        for (name, crushed) in [
            ("flat", (|p: [f32; 3]| [p[0], 0.0, p[2]]) as fn([f32; 3]) -> [f32; 3]),
            ("mirrored", |p| [p[0], -p[1], p[2]]),
            ("anywhere", |p| {
                let noise = |a: f32| (a * 12.9898 + p[0] * 78.233 + p[1] * 37.719 + p[2] * 9.151).sin() * 0.1;
                [noise(1.0), noise(2.0), noise(3.0)]
            }),
        ] {
            let bar = SoftBody::bar([0.2, 0.1, 0.1], [4, 2, 2]).young(YOUNG).poisson(0.4).model(model).damping(0.1);
            let mesh = bar.mesh().unwrap();
            let mut scene: Scene = runs::scene(0.0, 20);
            let body = scene.add(bar.pin_side(Side::MinX));
            let mut solver = runs::solver(&scene);
            let positions: Vec<Vec3> =
                mesh.positions.iter().map(|&p| Vec3::from_array(if p[0] < -0.099 { p } else { crushed(p) })).collect();
            let plan = solver.plan().clone();
            solver.state_mut().write_positions(&plan, body, &positions).unwrap();
            runs::run(&mut solver, 1200, runs::FRAME);
            let now = TetMesh {
                positions: runs::positions(&solver, body).iter().map(|p| p.map(|c| c as f32)).collect(),
                tets: mesh.tets.clone(),
            };
            let least =
                now.volumes().iter().zip(mesh.volumes()).map(|(now, rest)| now / rest).fold(f64::INFINITY, f64::min);
            let off = now
                .positions
                .iter()
                .zip(&mesh.positions)
                .map(|(a, b)| (Vec3::from_array(*a) - Vec3::from_array(*b)).length())
                .fold(0.0, f32::max);
            println!("{model:?} {name}: least volume {least:.4}, off by {off:.2e} m");
            // Neo-Hookean elements are turned back, each of them, but not through each other again: they may end in
            // another balance.
            let shaped = least > 0.99 && off < 1e-3;
            let turned = least > 0.1 && model == SolidModel::NeoHookean && name != "flat";
            assert!(shaped || turned, "{model:?}, {name}: least volume {least}, {off} m from rest");
        }
    }
}

/// What is shown in place of tetrahedra is measured by its own vertices.
#[test]
fn the_depth_of_what_is_shown_is_measured() {
    let mut scene = Scene::new();
    let ball = Mesh::ball(0.2, 3);
    scene.add(SoftBody::filled(ball, 0.1).placed(Pose::at([0.0, 0.15, 0.0]), 1.0));
    scene.add_collider(Collider::ground());
    let plan = Plan::new(&scene).expect("a sound scene");
    let state = State::new(&plan);
    let shown = plan.max_shown_penetration(&state).expect("it has a surface");
    assert!((shown - 0.05).abs() < 1e-4, "{shown}");
    let mut cloth = Scene::new();
    cloth.add(Cloth::grid([3, 3], [1.0, 1.0]));
    let plan = Plan::new(&cloth).expect("a sound scene");
    assert_eq!(plan.max_shown_penetration(&State::new(&plan)), None);
}

/// A cube with edges of 0.4 m about the origin, and another body; both collide with others.
fn around(other: impl FnOnce(&mut Scene) -> BodyId, collide: Collide) -> (Scene, [BodyId; 2]) {
    let mut scene = Scene::new();
    let cube = Mesh::cuboid([0.2; 3], [4; 3]);
    let big = scene.add(SoftBody::filled(cube, 0.2).collide(collide));
    let other = other(&mut scene);
    (scene, [big, other])
}

fn depth(scene: &Scene) -> f32 {
    let plan = Plan::new(scene).expect("a sound scene");
    plan.max_shown_penetration(&State::new(&plan)).expect("it has a surface")
}

#[test]
fn the_depth_of_what_is_shown_counts_other_bodies() {
    let small = |x: f32, collide: Collide| {
        move |scene: &mut Scene| {
            let cube = SoftBody::filled(Mesh::cuboid([0.1; 3], [2; 3]), 0.1);
            scene.add(cube.placed(Pose::at([x, 0.02, 0.03]), 1.0).collide(collide))
        }
    };
    let is = |scene: Scene, expected: f32| {
        let got = depth(&scene);
        assert!((got - expected).abs() < 1e-5, "{got} {expected}");
    };
    is(around(small(0.25, Collide::Others), Collide::Others).0, 0.05);
    is(around(small(0.25, Collide::Spheres), Collide::Spheres).0, 0.05);
    // Wholly inside: the vertices that are farthest from all sides.
    is(around(small(0.01, Collide::Others), Collide::All).0, 0.13);
    is(around(small(0.31, Collide::Others), Collide::Others).0, 0.0);
    is(around(small(0.25, Collide::Nothing), Collide::Others).0, 0.0);
    is(around(small(0.25, Collide::Spheres), Collide::Others).0, 0.0);
    // What a joint holds together may overlap.
    let (mut scene, [a, b]) = around(small(0.25, Collide::Others), Collide::Others);
    let [na, nb] = [a, b].map(|body| Plan::new(&scene).expect("a sound scene").vertices(body) as u32);
    let pairs: Vec<_> = (0..na).flat_map(|i| (0..nb).map(move |j| [i, j])).collect();
    scene.join(Joint::ropes(a, b, &pairs));
    is(scene, 0.0);
    // A surface that does not close is inside of others, and holds nothing.
    let open = |scene: &mut Scene| {
        let mut skin = Mesh::cuboid([0.1; 3], [2; 3]);
        skin.triangles.pop();
        let bar = SoftBody::bar([0.2; 3], [1; 3]).skin(skin).collide(Collide::Others);
        scene.add(bar.placed(Pose::at([0.25, 0.0, 0.0]), 1.0))
    };
    is(around(open, Collide::Others).0, 0.05);
    let inner = |scene: &mut Scene| {
        let mut skin = Mesh::cuboid([0.5; 3], [1; 3]);
        skin.triangles.pop();
        scene.add(SoftBody::bar([1.0; 3], [1; 3]).skin(skin).collide(Collide::Others))
    };
    is(around(inner, Collide::Others).0, 0.0);
    // A sheet has no skin, and no inside; a bar is its own triangles.
    let sheet = |scene: &mut Scene| {
        let sheet = Cloth::grid([3, 3], [1.0, 1.0]).placed(Pose::at([0.0, 0.05, 0.0]), 1.0);
        scene.add(sheet.collide(Collide::Others))
    };
    is(around(sheet, Collide::Others).0, 0.15);
    let bar = |scene: &mut Scene| {
        let bar = SoftBody::bar([0.2; 3], [1; 3]).placed(Pose::at([0.28, 0.02, 0.03]), 1.0);
        scene.add(bar.collide(Collide::Others))
    };
    is(around(bar, Collide::Others).0, 0.02);
    let outer = |scene: &mut Scene| scene.add(SoftBody::bar([1.0, 1.0, 0.5], [1; 3]).collide(Collide::Others));
    is(around(outer, Collide::Others).0, 0.25);
}

/// Solids that fall on each other keep apart nearly where they are shown; where they are put into each other the depth
/// says so.
#[test]
fn a_solid_that_falls_on_another_is_hardly_seen_to_go_in() {
    let mut scene = runs::scene(runs::G as f32, 20);
    scene.add_collider(Collider::ground());
    let ball = Arc::new(Mesh::ball(0.15, 2));
    let solid = |x: f32, y: f32| {
        let solid = SoftBody::filled(ball.clone(), 0.1).young(1e5).relaxation(0.02).thickness(0.001);
        solid.placed(Pose::at([x, y, 0.0]), 1.0).collide(Collide::Others)
    };
    let bodies = [scene.add(solid(0.0, 0.1505)), scene.add(solid(0.02, 0.5))];
    let mut solver = runs::solver(&scene);
    let depth = |solver: &Solver| {
        let deep = solver.plan().max_shown_penetration(solver.state()).expect("they have skins");
        let shown = bodies.map(|body| {
            let skin = solver.plan().skin(body).expect("it has a skin");
            let mut out = vec![Vec3::ZERO; skin.mesh().positions.len()];
            skin.update(solver.positions(body), &mut out);
            out
        });
        // A ball is nearly convex: what is inside all planes of its triangles is inside, and the nearest plane is as
        // far as the surface.
        let inside = |x: Vec3, of: &[Vec3]| {
            let plane = |t: &[u32; 3]| {
                let [a, b, c] = t.map(|v| of[v as usize]);
                (b - a).cross(c - a).normalize().dot(a - x)
            };
            ball.triangles.iter().map(plane).fold(f32::INFINITY, f32::min)
        };
        let each = [(0, 1), (1, 0)].into_iter().flat_map(|(a, b)| shown[a].iter().map(move |x| (x, b)));
        let expected = each.map(|(x, b)| inside(*x, &shown[b])).fold(0.0, f32::max);
        assert!(deep >= expected - 1e-6 && deep < expected + 2e-3, "{deep} {expected}");
        deep
    };
    let mut most = 0.0f32;
    for _ in 0..40 {
        runs::run(&mut solver, 1, runs::FRAME);
        most = most.max(depth(&solver));
    }
    println!("deepest {most} m");
    assert!(most < 2e-3, "{most}");
    let (plan, mut lower) = (Arc::clone(solver.plan()), 0.0);
    for _ in 0..10 {
        lower -= 0.004;
        let x: Vec<Vec3> = solver.positions(bodies[1]).iter().map(|x| *x + Vec3::Y * -0.004).collect();
        solver.state_mut().write_positions(&plan, bodies[1], &x).unwrap();
        most = most.max(depth(&solver));
    }
    println!("{most} m deep where it is put {lower} m lower");
    assert!(most > 5e-3 && most < -lower, "{most}");
}
