//! Cuts: where a sheet parts, what is kept, and that it is the same on all ways.

use crate::runs::{self, FRAME, P, add, cross, masses, momentum, norm, positions, scale, sub};
use seidel::{
    BodyId, Cloth, Collide, Collider, Cut, Error, Execution, Input, Intersections, Isa, Pose, Recording, Scene, Solver,
    Tearing,
};
use std::sync::Arc;

/// A level square metre of 9 x 13 vertices about a point, without gravity.
fn sheet(tearing: Tearing) -> (Scene, BodyId) {
    let mut scene = runs::scene(0.0, 8);
    let cloth = Cloth::grid([9, 13], [1.0, 1.0]).stretch(1e-4).bend(0.1).tear(tearing);
    let sheet = scene.add(cloth.placed(Pose::at([0.2, 0.1, -0.3]), 1.0));
    (scene, sheet)
}

/// How many parts hang together by edges.
fn pieces(triangles: &[[u32; 3]]) -> usize {
    let mut part: Vec<usize> = (0..triangles.len()).collect();
    for _ in 0..triangles.len() {
        let mut changed = false;
        for a in 0..triangles.len() {
            for b in 0..a {
                let common = triangles[a].iter().filter(|v| triangles[b].contains(v)).count();
                if common >= 2 && part[a] != part[b] {
                    let (low, high) = (part[a].min(part[b]), part[a].max(part[b]));
                    part.iter_mut().filter(|part| **part == high).for_each(|part| *part = low);
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
    part.sort_unstable();
    part.dedup();
    part.len()
}

/// The middle of each triangle, and its corners.
fn middles(solver: &Solver, body: BodyId) -> Vec<(P, [u32; 3])> {
    let at = positions(solver, body);
    let middle = |t: &[u32; 3]| scale(t.iter().map(|&v| at[v as usize]).fold([0.0; 3], add), 1.0 / 3.0);
    solver.plan().triangles(body).iter().map(|t| (middle(t), *t)).collect()
}

#[test]
fn a_plane_parts_what_lies_on_its_two_sides() {
    let (scene, sheet) = sheet(Tearing::by_cuts());
    let mut solver = runs::solver(&scene);
    // It turns and goes on as a whole, and so do the pieces.
    let spun = |p: &P| add([0.3, -0.2, 0.1], cross([0.1, 0.4, -0.2], *p));
    let velocities: Vec<P> = positions(&solver, sheet).iter().map(spun).collect();
    runs::set_velocities(&mut solver, sheet, &velocities);
    let all = |solver: &Solver| masses(solver, sheet).iter().sum::<f64>();
    let turns = |solver: &Solver| {
        let (x, v, m) = (positions(solver, sheet), runs::velocities(solver, sheet), masses(solver, sheet));
        runs::angular_momentum(&x, &v, &m)
    };
    let (mass, moves, turning) = (all(&solver), momentum(&solver, sheet), turns(&solver));
    let (point, normal) = ([0.23, 0.0, -0.27], [1.0, 0.3, 0.6]);
    let report = solver.step(&Input::frame(FRAME).cut(sheet, Cut::plane(point, normal)));
    assert!(report.rejected.is_none() && report.torn.len() > 8, "{report:?}");
    assert_eq!(report.torn.len(), solver.plan().copies());
    let side = |p: P| (0..3).map(|k| (p[k] - point[k]) * normal[k]).sum::<f64>() >= 0.0;
    let of = middles(&solver, sheet);
    // No vertex is on both sides, and there are two pieces.
    for v in 0..solver.plan().vertices(sheet) as u32 {
        let sides: Vec<bool> = of.iter().filter(|(_, t)| t.contains(&v)).map(|(middle, _)| side(*middle)).collect();
        assert!(sides.iter().all(|s| *s == sides[0]), "vertex {v}");
    }
    assert_eq!(pieces(solver.plan().triangles(sheet)), 2);
    assert!((all(&solver) - mass).abs() < 1e-6 * mass);
    let (after, turned) = (momentum(&solver, sheet), turns(&solver));
    assert!(norm(moves) > 0.03 && norm(sub(after, moves)) < 1e-5 * norm(moves), "{moves:?} and {after:?}");
    assert!(norm(turning) > 0.003 && norm(sub(turned, turning)) < 1e-4 * norm(turning), "{turning:?} and {turned:?}");
}

/// A blade that ends in the middle makes a slit: the sheet still hangs together, and nothing beyond the blade's end is
/// split.
#[test]
fn a_blade_makes_a_slit() {
    let (scene, sheet) = sheet(Tearing::by_cuts());
    let mut solver = runs::solver(&scene);
    // Down the middle of the sheet's first half, from below the border.
    let blade = Cut::blade([[0.21, -1.0, -1.0], [0.21, 1.0, -1.0]], [[0.21, -1.0, -0.31], [0.21, 1.0, -0.31]]);
    let report = solver.step(&Input::frame(FRAME).cut(sheet, blade));
    let at = positions(&solver, sheet);
    assert_eq!(pieces(solver.plan().triangles(sheet)), 1);
    // Thirteen rows, 1/12 m apart, from -0.8: six of them end before the blade, and the vertex at its tip is not split.
    assert_eq!(report.torn.len(), 6, "{report:?}");
    assert!(report.torn.iter().all(|torn| at[torn.vertex as usize][2] < -0.3 && torn.copy >= 9 * 13));
    // On: it falls in two.
    let rest = Cut::blade([[0.21, -1.0, -0.4], [0.21, 1.0, -0.4]], [[0.21, -1.0, 1.0], [0.21, 1.0, 1.0]]);
    let report = solver.step(&Input::frame(FRAME).cut(sheet, rest));
    assert_eq!((report.torn.len(), pieces(solver.plan().triangles(sheet))), (7, 2));
}

/// A stroke in the middle of a sheet, drawn over many steps by blades none of which opens an edge by itself, is the
/// slit of one long blade; and a state that is read from bytes on the way goes on with it.
#[test]
fn a_stroke_goes_on_over_steps() {
    let (scene, sheet) = sheet(Tearing::by_cuts());
    let blade = |from: f64, to: f64| {
        let [a, b] = [from, to].map(|z| [[0.21, -1.0, z], [0.21, 1.0, z]]);
        Cut::blade(a, b)
    };
    let mut at_once = runs::solver(&scene);
    let slit = at_once.step(&Input::frame(FRAME).cut(sheet, blade(-0.6, 0.0)));
    assert!(slit.torn.len() > 4, "{slit:?}");
    let mut slowly = runs::solver(&scene);
    for k in 0..60 {
        let [from, to] = [k, k + 1].map(|k| -0.6 + 0.01 * f64::from(k));
        slowly.step(&Input::frame(FRAME).cut(sheet, blade(from, to)));
        let bytes = slowly.state().to_bytes();
        slowly.restore(&bytes).unwrap();
        assert_eq!(slowly.state().to_bytes(), bytes);
    }
    let triangles = |solver: &Solver| {
        let parted: Vec<Vec<bool>> = solver
            .plan()
            .triangles(sheet)
            .iter()
            .map(|a| solver.plan().triangles(sheet).iter().map(|b| a.iter().any(|v| b.contains(v))).collect())
            .collect();
        parted
    };
    assert!(triangles(&at_once) == triangles(&slowly));
    assert_eq!(at_once.plan().copies(), slowly.plan().copies());
}

/// Of steps that one call catches up on the first one cuts.
#[test]
fn an_advance_cuts_once() {
    let (mut scene, sheet) = sheet(Tearing::by_cuts());
    scene.settings.gravity = [0.0, -300.0, 0.0].into();
    // It falls through the plane: in a second step it would be cut elsewhere.
    let cut = Input::frame(FRAME).cut(sheet, Cut::plane([0.2, 0.1, 0.0], [1.0, 4.0, 0.0]));
    let mut one = runs::solver(&scene);
    let first = one.step(&cut).torn;
    let mut many = runs::solver(&scene);
    assert_eq!(many.advance(4.5 * f64::from(FRAME), &cut).unwrap().torn, first);
    assert!(!first.is_empty());
}

#[test]
fn a_cut_through_nothing_cuts_nothing() {
    let (scene, sheet) = sheet(Tearing::by_cuts());
    let mut solver = runs::solver(&scene);
    let beside = [
        Cut::plane([5.0, 0.0, 0.0], [1.0, 0.0, 0.0]),
        Cut::blade([[0.0, 1.0, 0.0]; 2], [[0.0, 2.0, 0.0], [1.0, 2.0, 0.0]]),
    ];
    let report = beside.into_iter().fold(Input::frame(FRAME), |input, cut| input.cut(sheet, cut));
    let report = solver.step(&report);
    assert!(report.torn.is_empty() && report.rejected.is_none(), "{report:?}");
    // Nor does a second cut in the same place.
    let plane = || Input::frame(FRAME).cut(sheet, Cut::plane([0.21, 0.0, 0.0], [1.0, 0.0, 0.0]));
    assert_eq!([(); 2].map(|()| solver.step(&plane()).torn.len()), [13, 0]);
    // Nor one while time stands still.
    let report = solver.step(&Input::frame(FRAME).held().cut(sheet, Cut::plane([0.21, 0.0, 0.0], [1.0, 0.0, 0.0])));
    assert!(report.torn.is_empty() && report.rejected.is_none(), "{report:?}");
}

#[test]
fn what_cannot_be_cut_is_refused() {
    let (mut scene, sheet) = sheet(Tearing::by_cuts());
    let whole = scene.add(Cloth::grid([3, 3], [1.0, 1.0]).named("whole").placed(Pose::at([9.0, 0.0, 0.0]), 1.0));
    let mut solver = runs::solver(&scene);
    let plane = Cut::plane([0.2, 0.0, 0.0], [1.0, 0.0, 0.0]);
    let mut refused = |body, cut| solver.step(&Input::frame(FRAME).cut(body, cut)).rejected.expect("it is refused");
    let told = refused(whole, plane);
    assert!(matches!(&told, Error::NoTearing { body, .. } if body == "whole"), "{told}");
    for cut in [
        Cut::plane([0.0; 3], [0.0; 3]),
        Cut::blade([[0.0; 3]; 2], [[1.0; 3]; 2]),
        Cut::plane([f64::NAN; 3], [1.0, 0.0, 0.0]),
    ] {
        assert!(matches!(refused(sheet, cut), Error::Range { .. }), "{cut:?}");
    }
    // In a description, too.
    for tearing in [
        Tearing::by_cuts().cut(-1.0, plane),
        Tearing::by_cuts().cut(f64::NAN, plane),
        Tearing::by_cuts().cut(1.0, Cut::plane([0.0; 3], [0.0; 3])),
    ] {
        let (scene, _) = self::sheet(tearing);
        assert!(matches!(Solver::new(&scene), Err(Error::Range { .. })));
    }
}

#[test]
fn pins_hold_and_copies_have_an_end() {
    let mut scene = runs::scene(0.0, 8);
    let cloth = Cloth::grid([9, 9], [1.0, 1.0]);
    let row = cloth.grid_part(seidel::GridPins::FirstRow);
    let sheet = scene.add(cloth.pin(&row).tear(Tearing::by_cuts().capacity(5)));
    let mut solver = runs::solver(&scene);
    let report = solver.step(&Input::frame(FRAME).cut(sheet, Cut::plane([0.01, 0.0, 0.0], [1.0, 0.0, 0.0])));
    // Nine rows: one pinned, five split, three refused.
    assert_eq!((report.torn.len(), report.tears_refused), (5, 3), "{report:?}");
    assert!(report.torn.iter().all(|torn| !row.contains(&torn.vertex)));
}

/// A sheet that collides with itself falls on a ball and is cut twice, by its own times and by an input.
fn scene() -> (Scene, BodyId) {
    let mut scene = runs::scene(-9.81, 10);
    let cuts = Tearing::by_cuts().cut(0.11, Cut::plane([0.02, 0.0, 0.0], [1.0, 0.1, 0.2]));
    let cloth = Cloth::grid([20, 20], [1.0, 1.0]).stretch(1e-4).shear(1e-2).bend(10.0).thickness(0.005);
    let sheet = scene.add(cloth.collide(Collide::All).tear(cuts).placed(Pose::at([0.0, 0.35, 0.0]), 1.0));
    scene.add_collider(Collider::sphere(0.3));
    (scene, sheet)
}

fn input(sheet: BodyId, frame: u32) -> Input {
    let input = Input::frame(FRAME);
    let blade = || Cut::blade([[-1.0, -1.0, 0.05], [-1.0, 1.0, 0.05]], [[0.2, -1.0, 0.05], [0.2, 1.0, 0.05]]);
    if frame == 12 { input.cut(sheet, blade()) } else { input }
}

#[test]
fn the_same_bits_on_all_lanes_and_threads_and_nothing_crosses() {
    let (scene, sheet) = scene();
    let mut hashes = Vec::new();
    for isa in Isa::available() {
        for threads in [1, 3] {
            let mut solver = Solver::on(&scene, Execution::new(isa, threads)).unwrap();
            let torn: Vec<usize> = (0..24).map(|frame| solver.step(&input(sheet, frame)).torn.len()).collect();
            let frames: Vec<usize> = (0..24).filter(|frame| torn[*frame] > 0).collect();
            assert_eq!(frames, [6, 12], "{torn:?}");
            let crossings = Intersections::new().count(solver.plan(), solver.state()).unwrap();
            assert!(crossings.is_clean(), "{crossings:?}");
            hashes.push(solver.state().hash());
        }
    }
    assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:x?}");
}

#[test]
fn a_recording_has_its_cuts() {
    let (scene, sheet) = scene();
    let mut solver = runs::solver(&scene);
    let base = Arc::clone(solver.plan());
    let mut recording = Recording::new(&base, solver.state());
    for frame in 0..16 {
        let input = input(sheet, frame);
        assert_eq!(Input::from_bytes(&base, &input.to_bytes()), Ok(input.clone()));
        solver.step(&input);
        recording.step(&input, solver.state());
    }
    let again = Recording::from_bytes(&recording.to_bytes()).unwrap();
    let again = again.replay(&base, Execution::new(Isa::SCALAR, 1), |_, _| ()).unwrap();
    assert_eq!(again.hash(), solver.state().hash());
}
