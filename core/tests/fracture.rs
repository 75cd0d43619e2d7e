//! Solids that break and are cut: along faces, what is kept, and the same on all ways.

use crate::runs::{self, FRAME, P, add, cross, masses, momentum, norm, positions, scale, sub};
use seidel::collider::{Key, Motion};
use seidel::{
    BodyId, Collide, Collider, Cut, Error, Execution, Input, Intersections, Isa, Mesh, MovingPins, Plan, Plasticity,
    Pose, Recording, Scene, Side, SoftBody, SolidModel, Solver, Tearing,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A bar of 8 x 2 x 2 cells about a point, without gravity.
fn bar(tearing: Tearing) -> SoftBody {
    SoftBody::bar([0.8, 0.2, 0.2], [8, 2, 2]).young(1e5).tear(tearing).placed(Pose::at([0.2, 0.1, -0.3]), 1.0)
}

fn one(body: SoftBody) -> (Scene, BodyId) {
    let mut scene = runs::scene(0.0, 10);
    let id = scene.add(body);
    (scene, id)
}

/// The first tetrahedron with which each one hangs together, by faces.
fn parts(plan: &Plan, body: BodyId) -> Vec<usize> {
    let tets = plan.tets(body);
    let mut part: Vec<usize> = (0..tets.len()).collect();
    let root = |part: &[usize], mut at: usize| {
        while part[at] != at {
            at = part[at];
        }
        at
    };
    for a in 0..tets.len() {
        for b in 0..a {
            if tets[a].iter().filter(|v| tets[b].contains(v)).count() == 3 {
                let (a, b) = (root(&part, a), root(&part, b));
                part[a.max(b)] = a.min(b);
            }
        }
    }
    (0..tets.len()).map(|at| root(&part, at)).collect()
}

/// How many parts of a body there are.
fn pieces(plan: &Plan, body: BodyId) -> usize {
    parts(plan, body).iter().enumerate().filter(|(at, part)| at == *part).count()
}

/// The surface is closed: each edge is passed as often one way as the other.
fn is_closed(triangles: &[[u32; 3]]) -> bool {
    let mut passed: BTreeMap<[u32; 2], i32> = BTreeMap::new();
    for [a, b, c] in triangles {
        for [a, b] in [[a, b], [b, c], [c, a]] {
            *passed.entry([*a.min(b), *a.max(b)]).or_default() += if a < b { 1 } else { -1 };
        }
    }
    passed.values().all(|count| *count == 0)
}

#[test]
fn a_plane_parts_the_tetrahedra_on_its_two_sides() {
    for model in [SolidModel::StableNeoHookean, SolidModel::Springs] {
        let (scene, bar) = one(bar(Tearing::by_cuts()).model(model));
        let mut solver = runs::solver(&scene);
        let spun = |p: &P| add([0.3, -0.2, 0.1], cross([0.1, 0.4, -0.2], *p));
        let velocities: Vec<P> = positions(&solver, bar).iter().map(spun).collect();
        runs::set_velocities(&mut solver, bar, &velocities);
        let all = |solver: &Solver| masses(solver, bar).iter().sum::<f64>();
        let turns = |solver: &Solver| {
            let (x, v, m) = (positions(solver, bar), runs::velocities(solver, bar), masses(solver, bar));
            runs::angular_momentum(&x, &v, &m)
        };
        let (mass, moves, turning) = (all(&solver), momentum(&solver, bar), turns(&solver));
        let faces = solver.plan().triangles(bar).len();
        let (point, normal) = ([0.23, 0.0, -0.27], [1.0, 0.3, 0.6]);
        let report = solver.step(&Input::frame(FRAME).cut(bar, Cut::plane(point, normal)));
        assert!(report.rejected.is_none() && report.torn.len() > 8, "{report:?}");
        let (plan, at) = (solver.plan(), positions(&solver, bar));
        assert_eq!(report.torn.len(), plan.copies());
        // Two pieces, each on its side but for spikes that the cut has given to the other.
        let side = |tet: &[u32; 4]| {
            let middle = scale(tet.iter().map(|&v| at[v as usize]).fold([0.0; 3], add), 0.25);
            runs::dot(sub(middle, point), normal) >= 0.0
        };
        let parts = parts(plan, bar);
        let mut counts = BTreeMap::<usize, [usize; 2]>::new();
        for (tet, part) in plan.tets(bar).iter().zip(&parts) {
            counts.entry(*part).or_default()[usize::from(side(tet))] += 1;
        }
        let counts: Vec<[usize; 2]> = counts.into_values().collect();
        assert!(counts.len() == 2 && counts.iter().all(|[a, b]| 10 * a.min(b) < a + b), "{counts:?}");
        let now = plan.triangles(bar);
        assert!(now.len() >= faces + 16 && now.len() % 2 == 0 && is_closed(now), "{} and {faces}", now.len());
        // What recordings have does not grow, and shows the same surface.
        let lasting = plan.lasting_triangles(bar);
        assert_eq!(lasting.len(), 4 * plan.tets(bar).len());
        let open: Vec<[u32; 3]> = lasting.into_iter().filter(|(_, open)| *open).map(|(t, _)| t).collect();
        assert_eq!(open, now);
        assert!((all(&solver) - mass).abs() < 1e-6 * mass);
        let (after, turned) = (momentum(&solver, bar), turns(&solver));
        assert!(norm(sub(after, moves)) < 1e-5 * norm(moves), "{moves:?} and {after:?}");
        assert!(norm(sub(turned, turning)) < 1e-4 * norm(turning), "{turning:?} and {turned:?}");
        assert_eq!(plan.tets(bar).len(), 8 * 2 * 2 * 6);
    }
}

/// A bar whose ends are drawn apart to a strain of 0.1 breaks at a limit below that, and not at one above.
#[test]
fn a_bar_breaks_above_its_strain() {
    let broken = |strain: f32| {
        let body = bar(Tearing::new(strain)).poisson(0.0).linear_damping(5.0);
        let path = |way: f64| {
            let key = |time, offset: P| Key { time, offset: offset.into(), ..Key::default() };
            Motion::KeyFrames { keys: vec![key(0.0, [0.0; 3]), key(1.0, [way, 0.0, 0.0])] }
        };
        let ends = [(Side::MinX, -0.04), (Side::MaxX, 0.04)];
        let drawn = ends.into_iter().fold(body, |body, (side, way)| {
            let pins = body.side(side);
            body.move_pins(MovingPins::new(pins, path(way)))
        });
        let (scene, bar) = one(drawn);
        let mut solver = runs::solver(&scene);
        let torn: usize = (0..90).map(|_| solver.step(&Input::frame(FRAME)).torn.len()).sum();
        (torn, pieces(solver.plan(), bar))
    };
    assert_eq!(broken(0.12), (0, 1));
    let (torn, pieces) = broken(0.07);
    assert!(torn >= 9 && pieces >= 2, "{torn} splits, {pieces} pieces");
}

/// A slit of a blade that goes half through opens no further, and one that is drawn on over many steps cuts it in two.
#[test]
fn a_blade_goes_through_over_steps() {
    let (scene, bar) = one(bar(Tearing::by_cuts()));
    let mut solver = runs::solver(&scene);
    let blade = |from: f64, to: f64| {
        let [a, b] = [from, to].map(|y| [[0.21, y, -1.0], [0.21, y, 1.0]]);
        Cut::blade(a, b)
    };
    let mut counts = Vec::new();
    for k in 0..30 {
        let [from, to] = [k, k + 1].map(|k| 0.25 - 0.01 * f64::from(k));
        solver.step(&Input::frame(FRAME).cut(bar, blade(from, to)));
        let bytes = solver.state().to_bytes();
        solver.restore(&bytes).unwrap();
        assert_eq!(solver.state().to_bytes(), bytes);
        counts.push(pieces(solver.plan(), bar));
    }
    let torn = solver.plan().copies();
    assert!(counts[14] == 1 && counts[29] == 2 && torn >= 9, "{counts:?}, {torn}");
    let mut at_once = runs::solver(&scene);
    at_once.step(&Input::frame(FRAME).cut(bar, blade(0.25, -0.05)));
    assert_eq!(at_once.plan().copies(), torn);
    // Nor does a second cut in the same place find anything.
    assert!(at_once.step(&Input::frame(FRAME).cut(bar, blade(0.25, -0.05))).torn.is_empty());
}

/// Two planes that cross, in one step or one after the other, part a loaf into three or four pieces; leaning blades cut
/// it in two, in one step or drawn over many.
#[test]
fn crossing_planes_and_leaning_blades_part_all() {
    let loaf = || {
        let (scene, loaf) = one(SoftBody::bar([0.6, 0.2, 0.25], [12, 4, 5]).tear(Tearing::by_cuts()));
        (runs::solver(&scene), loaf)
    };
    for (x, lean) in [(0.03, [0.3, 0.2]), (0.1, [-0.6, 0.1]), (-0.03, [1.0, -0.5])] {
        let planes = || [Cut::plane([0.0; 3], [1.0, 0.0, 0.0]), Cut::plane([x, 0.0, 0.0], [1.0, lean[0], lean[1]])];
        let (mut at_once, loaf_1) = loaf();
        at_once.step(&planes().into_iter().fold(Input::frame(FRAME), |input, cut| input.cut(loaf_1, cut)));
        let (mut slowly, loaf_2) = loaf();
        planes().into_iter().for_each(|cut| drop(slowly.step(&Input::frame(FRAME).cut(loaf_2, cut))));
        let [once, one_by_one] = [pieces(at_once.plan(), loaf_1), pieces(slowly.plan(), loaf_2)];
        assert!(once >= 3 && one_by_one >= 3, "{x}: {once}, {one_by_one}");
    }
    for (x, lean, steps) in [(0.003, 0.5, 30), (0.03, 0.5, 45), (-0.1, 1.0, 40), (0.013, 0.0, 40), (0.02, 0.5, 1)] {
        let (mut solver, loaf) = loaf();
        let edge = |part: f64| {
            let y = 0.2 - 0.4 * part;
            [-1.0, 1.0].map(|z| [x + lean * y, y, z])
        };
        for k in 0..steps {
            let [from, to] = [k, k + 1].map(|k| edge(f64::from(k) / f64::from(steps)));
            solver.step(&Input::frame(FRAME).cut(loaf, Cut::blade(from, to)));
        }
        assert!(pieces(solver.plan(), loaf) >= 2, "{x}, {lean}, {steps} steps");
    }
}

/// Two tetrahedra part at their only face.
#[test]
fn the_smallest_solid_is_cut() {
    let positions = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.3, 0.3, 1.0], [0.3, 0.3, -1.0]];
    let mesh = seidel::TetMesh { positions, tets: vec![[0, 1, 2, 3], [0, 2, 1, 4]] };
    let (scene, body) = one(SoftBody::new(mesh).tear(Tearing::by_cuts()));
    let mut solver = runs::solver(&scene);
    let torn = solver.step(&Input::frame(FRAME).cut(body, Cut::plane([0.0; 3], [0.0, 0.0, 1.0]))).torn.len();
    assert_eq!((torn, pieces(solver.plan(), body), solver.plan().triangles(body).len()), (3, 2, 8));
}

#[test]
fn what_cannot_break_is_refused() {
    let refused = |body: SoftBody| Plan::new(&one(body).0).unwrap_err();
    let what = |error: Error| match error {
        Error::DoesNotTear { what, .. } => what,
        other => panic!("{other}"),
    };
    let skin = || Mesh::ball(0.1, 2);
    assert_eq!(what(refused(bar(Tearing::by_cuts()).skin(skin()))), "a skin");
    assert_eq!(what(refused(bar(Tearing::by_cuts()).plastic(Plasticity::new(0.1)))), "rest shapes that yield");
    // A surface that is filled is no skin then.
    let filled = SoftBody::filled(skin(), 0.05).tear(Tearing::by_cuts());
    let (scene, body) = one(filled);
    let plan = Plan::new(&scene).unwrap();
    assert!(plan.skin(body).is_none() && plan.tears(body));
    // Triangles of one's own.
    let mut body =
        seidel::Body::particles(vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], vec![1.0; 4]);
    body.tets = Arc::new(vec![[0, 1, 2, 3]]);
    body.triangles = Arc::new(vec![[0, 1, 2]]);
    body.tearing = Some(Tearing::by_cuts());
    let mut scene = Scene::new();
    scene.add(body);
    assert_eq!(what(Plan::new(&scene).unwrap_err()), "triangles that are not the surface of its tetrahedra");
}

/// A bar that collides with itself falls on an edge and breaks, is cut in the air by its own times and by an input.
fn falling() -> (Scene, BodyId) {
    let mut scene = runs::scene(-9.81, 10);
    let cuts = Tearing::new(0.2).cut(0.11, Cut::plane([0.12, 0.0, 0.0], [1.0, 0.2, 0.1]));
    let bar = scene.add(bar(cuts).young(3e4).thickness(0.004).collide(Collide::All));
    scene.add_collider(Collider::sphere(0.1).at([0.3, -0.12, -0.3]));
    scene.add_collider(Collider::ground().at([0.0, -0.3, 0.0]));
    (scene, bar)
}

fn input(bar: BodyId, frame: u32) -> Input {
    let input = Input::frame(FRAME);
    let cut = || Cut::plane([0.35, 0.0, 0.0], [1.0, 0.1, -0.2]);
    if frame == 4 { input.cut(bar, cut()) } else { input }
}

#[test]
fn the_same_bits_on_all_lanes_and_threads_and_nothing_crosses() {
    let (scene, bar) = falling();
    let (mut hashes, mut recorded) = (Vec::new(), None);
    for (isa, threads) in Isa::available().into_iter().flat_map(|isa| [(isa, 1), (isa, 3)]) {
        let mut solver = Solver::on(&scene, Execution::new(isa, threads)).unwrap();
        let base = Arc::clone(solver.plan());
        let mut recording = Recording::new(&base, solver.state());
        let mut torn = Vec::new();
        for frame in 0..24 {
            let input = input(bar, frame);
            torn.push(solver.step(&input).torn.len());
            recording.step(&input, solver.state());
            let crossings = Intersections::new().count(solver.plan(), solver.state()).unwrap();
            assert!(crossings.is_clean(), "frame {frame}: {crossings:?}");
        }
        assert!(torn[4] > 8 && torn[6] > 8, "{torn:?}");
        hashes.push(solver.state().hash());
        recorded = Some((base, recording.to_bytes()));
    }
    assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:x?}");
    let (base, bytes) = recorded.unwrap();
    let again =
        Recording::from_bytes(&bytes).unwrap().replay(&base, Execution::new(Isa::SCALAR, 1), |_, _| ()).unwrap();
    assert_eq!(again.hash(), hashes[0]);
}
