//! Tearing: where a sheet parts, what is kept, and that it is the same on all ways.

use crate::runs::{self, FRAME, P, add, masses, momentum, norm, positions, scale, sub, velocities};
use seidel::collider::{Key, Motion};
use seidel::{
    Body, BodyId, Cloth, ClothModel, Collide, Collider, Crossings, Error, Execution, Fabric, GridPins, Input,
    Intersections, Isa, LongRange, Mesh, MovingPins, Plan, Plasticity, Pose, Recording, Rope, Scene, Scratch,
    SnapshotError, Solver, State, Stiffness, Tearing, Values, kinds, step,
};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A way of so many metres in a second, and then to rest.
fn pull(way: P) -> Motion {
    let key = |time, offset: P| Key { time, offset: offset.into(), ..Key::default() };
    Motion::KeyFrames { keys: vec![key(0.0, [0.0; 3]), key(1.0, way)] }
}

/// A sheet whose first and last row are drawn apart, by a share of its length each.
fn drawn(cloth: Cloth, share: f64) -> Cloth {
    let ends = [GridPins::FirstRow, GridPins::LastRow].map(|part| cloth.grid_part(part));
    let [first, last] = ends;
    cloth
        .move_pins(MovingPins::new(first, pull([0.0, 0.0, -share])))
        .move_pins(MovingPins::new(last, pull([0.0, 0.0, share])))
}

/// A square metre of 9 x 13 vertices without gravity, drawn to a strain of 0.6.
fn sheet(tearing: Tearing) -> (Scene, BodyId) {
    let mut scene = runs::scene(0.0, 20);
    let cloth = Cloth::grid([9, 13], [1.0, 1.0]).stretch(1e-4).bend(0.1).linear_damping(2.0).tear(tearing);
    let sheet = scene.add(drawn(cloth, 0.3));
    (scene, sheet)
}

/// How many parts hang together by triangles, edge by edge.
fn pieces(triangles: &[[u32; 3]]) -> usize {
    let mut part: Vec<usize> = (0..triangles.len()).collect();
    let root = |part: &[usize], mut at: usize| {
        while part[at] != at {
            at = part[at];
        }
        at
    };
    for a in 0..triangles.len() {
        for b in 0..a {
            if triangles[a].iter().filter(|v| triangles[b].contains(v)).count() >= 2 {
                let (a, b) = (root(&part, a), root(&part, b));
                part[a.max(b)] = a.min(b);
            }
        }
    }
    (0..part.len()).filter(|at| part[*at] == *at).count()
}

/// Takes steps; how many vertices were split.
fn torn(solver: &mut Solver, steps: u32) -> usize {
    (0..steps)
        .map(|_| {
            let report = solver.step(&Input::frame(FRAME));
            assert!(report.rejected.is_none() && report.lost.is_none(), "{report:?}");
            report.torn.len()
        })
        .sum()
}

#[test]
fn a_sheet_that_is_drawn_apart_falls_into_pieces_of_the_same_mass() {
    let (scene, sheet) = sheet(Tearing::new(0.15));
    let mut solver = runs::solver(&scene);
    let whole = |solver: &Solver| masses(solver, sheet).into_iter().filter(|m| m.is_finite()).sum::<f64>();
    let before = whole(&solver);
    assert_eq!(pieces(solver.plan().triangles(sheet)), 1);
    let copies = torn(&mut solver, 120);
    let plan = solver.plan();
    assert!(copies > 8 && plan.copies() == copies && plan.vertices(sheet) == 9 * 13 + copies, "{copies}");
    assert!(pieces(plan.triangles(sheet)) >= 2);
    assert!((whole(&solver) - before).abs() < 1e-6 * before, "{before} and {}", whole(&solver));
    // What stays is at rest: nothing is as long as the limit, and each triangle has the corners that it had or copies
    // of them.
    let end = positions(&solver, sheet);
    let rest = plan.positions(sheet);
    for t in plan.triangles(sheet) {
        for k in 0..3 {
            let [a, b] = [t[k] as usize, t[(k + 1) % 3] as usize];
            let [is, was] = [norm(sub(end[a], end[b])), norm(sub(rest[a].map(f64::from), rest[b].map(f64::from)))];
            assert!(is < 1.15 * was, "{a} and {b}: {is} and {was}");
        }
    }
    assert_eq!(torn(&mut solver, 60), 0);
}

/// The limit is where the law says: a sheet at a strain of 0.12, and of 0.126 for a moment, does not tear at 0.13, and
/// does at 0.115.
#[test]
fn it_tears_above_the_limit_and_not_below() {
    let at = |limit: f32| {
        let mut scene = runs::scene(0.0, 20);
        // Without diagonals all edges along z have the same strain.
        let cloth = Cloth::grid([3, 9], [0.25, 1.0]).stretch(1e-2).shear(1e9).linear_damping(20.0);
        scene.add(drawn(cloth.tear(Tearing::new(limit)), 0.06));
        torn(&mut runs::solver(&scene), 150)
    };
    assert_eq!(at(0.13), 0);
    assert!(at(0.115) > 0);
    assert_eq!(at(f32::INFINITY), 0);
}

/// What a tear moves in a sheet that collides with itself is little, and the center of mass of a vertex and its copy
/// stays: against a sheet that cannot tear. Far from the origin lips are moved by more, as coordinates are coarser.
#[test]
fn the_lips_of_a_crack_are_moved_apart_about_their_center_of_mass() {
    for (far, gaps) in [(0.0, 1e-5..3e-3), (100.0, 5e-4..2e-2)] {
        let falling = |tearing| {
            let mut scene = runs::scene(0.0, 10);
            let cloth = Cloth::grid([7, 5], [1.0, 1.0]).stretch(1e-3).collide(Collide::All).tear(tearing);
            let sheet = scene.add(cloth.placed(Pose::at([far, 0.0, 0.3]), 1.0));
            let mut solver = runs::solver(&scene);
            // One end flies off, and an edge of it.
            let x = positions(&solver, sheet);
            let flies: Vec<P> = x
                .iter()
                .map(|x| if x[0] > f64::from(far) + 0.2 { [60.0, 5.0, 8.0 * x[2]] } else { [0.0; 3] })
                .collect();
            runs::set_velocities(&mut solver, sheet, &flies);
            (solver, sheet)
        };
        let ((mut tears, sheet), (mut whole, other)) =
            (falling(Tearing::new(0.3)), falling(Tearing::new(f32::INFINITY)));
        let mut first = Vec::new();
        while first.is_empty() {
            first = tears.step(&Input::frame(FRAME / 16.0)).torn;
            whole.step(&Input::frame(FRAME / 16.0));
        }
        let (m, x, at) = (masses(&tears, sheet), positions(&tears, sheet), positions(&whole, other));
        for torn in &first {
            let [from, to] = [torn.vertex, torn.copy].map(|v| v as usize);
            let gap = norm(sub(x[from], x[to]));
            assert!(gaps.contains(&gap), "{gap} m");
            let middle = scale(add(scale(x[from], m[from]), scale(x[to], m[to])), 1.0 / (m[from] + m[to]));
            let off = norm(sub(middle, at[from]));
            assert!(off < 0.01 * gap && m[from] != m[to], "{off} of {gap} m");
            assert_eq!(velocities(&tears, sheet)[from], velocities(&tears, sheet)[to]);
        }
    }
}

/// Without self-collision, against a sheet that cannot tear: until the step behind the first tear all is the same, and
/// what a tear itself changes is mass and nothing that moves.
#[test]
fn a_tear_moves_nothing_and_keeps_momentum() {
    let falling = |tearing| {
        let mut scene = runs::scene(0.0, 10);
        let cloth = Cloth::grid([7, 7], [1.0, 1.0]).stretch(1e-3).tear(tearing);
        let sheet = scene.add(cloth);
        let mut solver = runs::solver(&scene);
        // Two halves that fly apart.
        let apart: Vec<P> = positions(&solver, sheet).iter().map(|x| [40.0 * x[0].signum(), 0.5, 0.0]).collect();
        runs::set_velocities(&mut solver, sheet, &apart);
        (solver, sheet)
    };
    let ((mut tears, sheet), (mut whole, other)) = (falling(Tearing::new(0.3)), falling(Tearing::new(f32::INFINITY)));
    let mut first = Vec::new();
    for _ in 0..60 {
        if !first.is_empty() {
            break;
        }
        first = tears.step(&Input::frame(FRAME / 16.0)).torn;
        whole.step(&Input::frame(FRAME / 16.0));
    }
    assert!(!first.is_empty());
    let count = 49;
    assert_eq!(
        (&positions(&tears, sheet)[..count], &velocities(&tears, sheet)[..count]),
        (&positions(&whole, other)[..], &velocities(&whole, other)[..])
    );
    for torn in &first {
        assert_eq!(torn.body, "body-0");
        let [from, to] = [torn.vertex, torn.copy].map(|v| v as usize);
        assert_eq!(positions(&tears, sheet)[from], positions(&tears, sheet)[to]);
        assert_eq!(velocities(&tears, sheet)[from], velocities(&tears, sheet)[to]);
    }
    let [a, b] = [momentum(&tears, sheet), momentum(&whole, other)];
    assert!(norm(sub(a, b)) < 1e-6, "{a:?} and {b:?}");
    // As much force as before: what lies along the crack is shared.
    let [ea, eb] = [&tears, &whole].map(|solver| solver.measure().constraint_error);
    assert!(ea < 1.000001 * eb && ea > 0.5 * eb, "{ea} and {eb}");
    torn(&mut tears, 60);
    let later = momentum(&tears, sheet);
    assert!(norm(sub(a, later)) < 1e-5, "{a:?} and {later:?}");
    assert!(pieces(tears.plan().triangles(sheet)) >= 2);
}

#[test]
fn a_weak_seam_tears_and_nothing_else() {
    let mut strain = vec![10.0; 9 * 13];
    (0..9).for_each(|i| strain[6 * 9 + i] = 0.05);
    let (scene, sheet) = sheet(Tearing::new(Values::PerVertex(strain)));
    let mut solver = runs::solver(&scene);
    let mut split = BTreeSet::new();
    for _ in 0..120 {
        let report = solver.step(&Input::frame(FRAME));
        split.extend(report.torn.iter().flat_map(|torn| torn.edge).filter(|v| *v < 9 * 13));
    }
    // A seam has a strain of 0.05, and an edge with one end in it the mean, which is far beyond what it gets.
    assert!(split.iter().all(|v| (6 * 9..7 * 9).contains(v)), "{split:?}");
    assert_eq!(solver.plan().vertices(sheet), 9 * 13 + solver.plan().copies());
}

#[test]
fn the_same_bits_on_all_lanes_and_threads_and_from_any_plan() {
    let mut scene = runs::scene(9.81, 10);
    // Enough for several threads.
    let cloth = Cloth::grid([40, 60], [1.0, 1.5]).stretch(1e-5).bend(0.1).tear(Tearing::new(0.2));
    scene.add(drawn(cloth, 0.6));
    scene.add(Cloth::grid([5, 5], [0.3, 0.3]).placed(Pose::at([0.0, 0.2, 0.0]), 1.0));
    scene.add_collider(Collider::sphere(0.2).at([0.0, -0.25, 0.0]));
    let mut hashes = BTreeSet::new();
    for (isa, threads) in [(Isa::detect(), 1), (Isa::SCALAR, 2), (Isa::PORTABLE, 3)] {
        let mut solver = runs::solver_on(&scene, isa, threads);
        let count = torn(&mut solver, 40);
        assert!(count > 100, "{count}");
        hashes.insert((count, solver.state().hash()));
    }
    assert_eq!(hashes.len(), 1, "{hashes:?}");
    // Planned from the first plan at once, and from the plan of each tear: the same.
    let mut solver = runs::solver(&scene);
    torn(&mut solver, 30);
    let base = Plan::new(&scene).unwrap();
    let plan = base.torn(solver.state()).unwrap();
    let mut other = Solver::with(Arc::new(plan), Execution::new(Isa::detect(), 1));
    *other.state_mut() = solver.state().clone();
    assert_eq!((torn(&mut solver, 10), solver.state().hash()), (torn(&mut other, 10), other.state().hash()));
}

#[test]
fn snapshots_go_back_over_a_tear_and_recordings_are_replayed() {
    let (scene, sheet) = sheet(Tearing::new(0.15));
    let mut solver = runs::solver(&scene);
    let base = Arc::clone(solver.plan());
    let mut recording = Recording::new(&base, solver.state());
    let (mut before, mut hashes) = (solver.state().to_bytes(), Vec::new());
    let mut count = 0;
    for frame in 0..70 {
        if frame == 20 {
            before = solver.state().to_bytes();
        }
        count += torn(&mut solver, 1);
        recording.step(&Input::frame(FRAME), solver.state());
        hashes.push(solver.state().hash());
    }
    assert!(count > 8);
    let end = solver.state().to_bytes();
    // Of a plan in which nothing has torn.
    let state = State::from_bytes(&base, &end).unwrap();
    assert_eq!((&state, state.to_bytes()), (solver.state(), end.clone()));
    *solver.state_mut() = State::from_bytes(&base, &before).unwrap();
    for hash in &hashes[20..] {
        torn(&mut solver, 1);
        assert_eq!(solver.state().hash(), *hash);
    }
    assert_eq!(solver.plan().vertices(sheet), 9 * 13 + count);
    let again = Recording::from_bytes(&recording.to_bytes()).unwrap();
    let again = again.replay(&base, Execution::new(Isa::SCALAR, 1), |_, _| ()).unwrap();
    assert_eq!(again.hash(), hashes[69]);
    solver.reset();
    assert_eq!(torn(&mut solver, 1), 0);
    assert_eq!((solver.state().hash(), solver.plan().vertices(sheet)), (hashes[0], 9 * 13));
    // Of another plan, or with what is no split.
    let (smaller, _) = self::sheet(Tearing::new(0.15).capacity(2));
    let smaller = Plan::new(&smaller).unwrap();
    assert!(matches!(State::from_bytes(&smaller, &end), Err(SnapshotError::Layout { .. })));
}

#[test]
fn a_free_step_asks_for_the_torn_plan() {
    let (scene, _) = sheet(Tearing::new(0.1));
    let plan = Plan::new(&scene).unwrap();
    let (mut state, execution) = (State::new(&plan), Execution::new(Isa::detect(), 1));
    let mut scratch = Scratch::new(&plan, execution);
    let mut steps = (0..60).map(|_| step(&plan, &mut state, &Input::frame(FRAME), &mut scratch));
    assert!(steps.any(|report| !report.torn.is_empty()));
    let hash = state.hash();
    let refused = |plan: &Plan, state: &mut State, scratch: &mut Scratch| {
        step(plan, state, &Input::frame(FRAME), scratch).rejected.map(|error| error.to_string())
    };
    let want = "step: the state has torn otherwise than its plan: go on with `Plan::torn`, as a solver does";
    assert_eq!(refused(&plan, &mut state, &mut scratch).as_deref(), Some(want));
    let next = plan.torn(&state).unwrap();
    assert!(next.is_torn_as(&state) && next.id() == plan.id() && next.layout_id() == plan.layout_id());
    assert_eq!(refused(&next, &mut state, &mut scratch), Some(Error::OtherPlan { what: "scratch" }.to_string()));
    assert_eq!(state.hash(), hash);
    let mut scratch = Scratch::new(&next, execution);
    assert_eq!(refused(&next, &mut state, &mut scratch), None);
    let (other, _) = sheet(Tearing::new(0.1).capacity(3));
    assert_eq!(Plan::new(&other).unwrap().torn(&state).unwrap_err(), Error::OtherPlan { what: "state" });
}

#[test]
fn there_are_no_more_copies_than_planned() {
    let (scene, sheet) = sheet(Tearing::new(0.05).capacity(3));
    let mut solver = runs::solver(&scene);
    let (mut split, mut refused) = (0, 0);
    for _ in 0..90 {
        let report = solver.step(&Input::frame(FRAME));
        assert!(report.rejected.is_none() && report.lost.is_none());
        split += report.torn.len();
        refused += report.tears_refused;
    }
    assert_eq!((split, solver.plan().vertices(sheet)), (3, 9 * 13 + 3));
    assert!(refused > 0);
}

#[test]
fn everything_at_once() {
    let mut scene = runs::scene(9.81, 5);
    let sheet = scene.add(Cloth::grid([20, 20], [1.0, 1.0]).bend(0.01).collide(Collide::All).tear(Tearing::new(1e-3)));
    let mut solver = runs::solver(&scene);
    // Each vertex flies away from the middle.
    let away: Vec<P> = positions(&solver, sheet).iter().map(|x| add(scale(*x, 200.0), [0.0, 3.0, 0.0])).collect();
    runs::set_velocities(&mut solver, sheet, &away);
    assert!(torn(&mut solver, 30) > 100);
    assert!(positions(&solver, sheet).as_flattened().iter().all(|c| c.is_finite()));
    assert!(solver.plan().copies() <= 400);
}

#[test]
fn an_edit_goes_on_with_what_has_torn() {
    let (scene, sheet) = sheet(Tearing::new(0.15));
    let [mut edited, mut other] = [(); 2].map(|()| Solver::on(&scene, Execution::new(Isa::detect(), 1)).unwrap());
    assert_eq!(torn(&mut edited, 50), torn(&mut other, 50));
    assert!(edited.plan().copies() > 0);
    let rope = edited.edit(|scene| Ok(scene.add(Rope::new([5.0, 0.0, 0.0], [6.0, 0.0, 0.0], 2000).pin(&[0])))).unwrap();
    assert_eq!(torn(&mut edited, 30), torn(&mut other, 30));
    let same = |edited: &Solver| positions(edited, sheet) == positions(&other, sheet);
    assert!(same(&edited) && edited.plan().vertices(rope) == 2001);
    // What is removed takes what it has torn along, and another mesh cannot have it.
    let mut gone = edited.scene().unwrap().clone();
    gone.remove(sheet).unwrap();
    let plan = Plan::new(&gone).unwrap();
    let state = edited.state().carried(edited.plan(), &plan).unwrap();
    assert!(plan.is_torn_as(&state));
    let mut another = edited.scene().unwrap().clone();
    another.replace(sheet, Cloth::grid([13, 9], [1.0, 1.0]).tear(Tearing::new(0.15))).unwrap();
    let refused = edited.state().carried(edited.plan(), &Plan::new(&another).unwrap()).unwrap_err();
    assert_eq!(refused.to_string(), "carried state: body `body-0` has other triangles or tetrahedra");
    let mut tight = edited.scene().unwrap().clone();
    let cloth = Cloth::grid([9, 13], [1.0, 1.0]);
    tight.replace(sheet, cloth.clone()).unwrap();
    let refused = edited.state().carried(edited.plan(), &Plan::new(&tight).unwrap()).unwrap_err();
    assert!(matches!(refused, Error::ForeignTears { .. }), "{refused}");
    tight.replace(sheet, cloth.tear(Tearing::new(0.15).capacity(1))).unwrap();
    let refused = edited.state().carried(edited.plan(), &Plan::new(&tight).unwrap()).unwrap_err();
    assert!(matches!(refused, Error::ForeignTears { .. }), "{refused}");
}

/// All models of a cloth, on a grid and on another mesh, with hinges of both sorts, as spheres and beside others: no
/// error, and nothing that holds pieces together across a crack.
#[test]
fn every_model_tears_through() {
    let fabric = |cloth: Cloth, model| cloth.fabric(Fabric::COTTON).model(model);
    let grid = || Cloth::grid([7, 9], [0.6, 0.8]);
    let mesh = || Cloth::new(grid().mesh().clone());
    let cloths = [
        grid().stretch(1e-4).shear(1e-2).compress(1e-2).bend(0.1),
        grid().stretch_by(Stiffness::pbd(0.9)).bend(1.0).bend_model(seidel::BendModel::Isometric),
        fabric(grid(), ClothModel::Edges),
        fabric(grid(), ClothModel::Orthotropic),
        fabric(grid(), ClothModel::Strain).collide(Collide::Spheres),
        fabric(grid(), ClothModel::Fem),
        fabric(mesh(), ClothModel::Edges).collide(Collide::Others),
    ];
    for (number, cloth) in cloths.into_iter().enumerate() {
        let [first, last] = [GridPins::FirstRow, GridPins::LastRow].map(|part| grid().grid_part(part));
        let cloth = cloth
            .move_pins(MovingPins::new(first, pull([0.0, 0.0, -0.6])))
            .move_pins(MovingPins::new(last, pull([0.0, 0.0, 0.6])))
            .linear_damping(2.0)
            .tear(Tearing::new(0.3));
        let mut scene = runs::scene(0.0, 20);
        let sheet = scene.add(cloth);
        scene.add(
            Cloth::grid([3, 3], [0.1, 0.1])
                .placed(Pose::at([0.0, 1.0, 0.0]), 1.0)
                .collide(Collide::Others)
                .pin(&[0, 2]),
        );
        let mut solver = runs::solver(&scene);
        let count = torn(&mut solver, 90);
        let plan = solver.plan();
        assert!(count > 5 && pieces(plan.triangles(sheet)) >= 2, "{number}: {count}");
        let [first, last] = [0, 7 * 9 - 1].map(|v| part_of(plan.triangles(sheet), v));
        assert!(first.is_disjoint(&last), "{number}");
        for kind in kinds::KINDS {
            for at in plan.rows(sheet, kind).chunks_exact(kind.slots().max(1)) {
                let within = |part: &BTreeSet<u32>| at.iter().filter(|v| part.contains(v)).count();
                assert!([0, at.len()].contains(&within(&first)), "{number}: {} {at:?}", kind.name());
            }
        }
    }
}

/// The vertices that hang together with one by triangles.
fn part_of(triangles: &[[u32; 3]], vertex: u32) -> BTreeSet<u32> {
    let mut part = BTreeSet::from([vertex]);
    loop {
        let before = part.len();
        for t in triangles {
            if t.iter().any(|v| part.contains(v)) {
                part.extend(t);
            }
        }
        if part.len() == before {
            return part;
        }
    }
}

#[test]
fn what_cannot_tear_is_refused() {
    let refused = |cloth: Cloth| {
        let mut scene = runs::scene(9.81, 5);
        scene.add(cloth.named("sheet"));
        Plan::new(&scene).unwrap_err().to_string()
    };
    let grid = || Cloth::grid([4, 4], [1.0, 1.0]);
    let limit = "body `sheet`: strain of its tearing is 0, which is not above 0";
    assert_eq!(refused(grid().tear(Tearing::new(0.0))), limit);
    assert!(refused(grid().tear(Tearing::new(f32::NAN))).contains("strain of its tearing is NaN"));
    assert!(
        refused(grid().tear(Tearing::new(Values::PerVertex(vec![0.1; 15])))).contains("15 entries and should have 16")
    );
    assert!(refused(grid().tear(Tearing::new(0.1).capacity(2_000_000))).contains("at most 1048576"));
    let held = grid().pin(&[0]).long_range(LongRange::Slack(0.1)).tear(Tearing::new(0.1));
    let text = "body `sheet`: it has long range attachments, and a body that tears or is cut has not; leave out that, or its tearing and cuts";
    assert_eq!(refused(held), text);
    let yields = grid().plastic(Plasticity::new(0.1)).tear(Tearing::new(0.1));
    assert!(refused(yields).contains("it has rest shapes that yield"));
    let mut scene = runs::scene(9.81, 5);
    let sheet = scene.add(grid().tear(Tearing::new(0.1)));
    let mut solver = Solver::new(&scene).unwrap();
    let soft = Input::frame(FRAME).stiffness(sheet, &kinds::DISTANCE, Stiffness::compliance(1.0));
    let text =
        "input: in a scene where something tears, stiffness stays as it is planned; leave out that, or what tears";
    assert_eq!(solver.step(&soft).rejected.unwrap().to_string(), text);
    scene.add(Rope::new([3.0, 0.0, 0.0], [4.0, 0.0, 0.0], 5).plastic(Plasticity::new(0.1)).named("wire"));
    assert!(Plan::new(&scene).unwrap_err().to_string().contains("`wire`: in a scene where something tears"));
    let ball = Mesh::ball(0.2, 1);
    let mut held = Body::particles(ball.positions.clone(), vec![1.0; ball.positions.len()]);
    (held.triangles, held.edges, held.tearing) = (ball.triangles.into(), vec![[0, 1]], Some(Tearing::new(0.1)));
    let mut scene = runs::scene(9.81, 5);
    scene.add(held);
    assert!(Plan::new(&scene).unwrap_err().to_string().contains("it has edges of its own"));
}

#[test]
fn a_scene_that_settles_stays_whole() {
    let mut scene = runs::scene(300.0, 10);
    let sheet = scene.add(Cloth::grid([8, 8], [1.0, 1.0]).stretch(1e-3).pin(&[0, 7]).tear(Tearing::new(0.05)));
    let mut solver = runs::solver(&scene);
    let settled = solver.settle(&Input::frame(FRAME), 0.5);
    assert!(settled.failed.is_none() && solver.plan().vertices(sheet) == 64);
    assert!(torn(&mut solver, 2) > 0);
}

/// Forces for the vertices that a body begins with act on copies, too, each with its share: the momentum is that of all
/// of them.
#[test]
fn forces_without_copies_are_shared_with_them() {
    let (scene, sheet) = {
        let mut scene = runs::scene(0.0, 10);
        let sheet = scene.add(Cloth::grid([7, 7], [1.0, 1.0]).stretch(1e-3).tear(Tearing::new(0.1)));
        (scene, sheet)
    };
    let mut solver = runs::solver(&scene);
    let apart: Vec<P> = positions(&solver, sheet).iter().map(|x| scale(*x, 60.0)).collect();
    runs::set_velocities(&mut solver, sheet, &apart);
    let mut steps = (0..60).map(|_| solver.step(&Input::frame(FRAME / 16.0)).torn.len());
    assert!(steps.any(|torn| torn > 0) && solver.plan().vertices(sheet) > 49);
    let before = momentum(&solver, sheet);
    let forces: Vec<_> = (0..49).map(|v| glam::Vec3::new(0.0, 0.01 * v as f32, 0.1)).collect();
    let report = solver.step(&Input::frame(FRAME).forces(sheet, &forces));
    assert_eq!(report.rejected, None);
    let got = sub(momentum(&solver, sheet), before);
    let want = [0.0, 0.01 * 1176.0 / 60.0, 4.9 / 60.0];
    assert!(norm(sub(got, want)) < 1e-4 * norm(want), "{got:?} and {want:?}");
    let few = solver.step(&Input::frame(FRAME).forces(sheet, &forces[..48])).rejected;
    assert!(few.unwrap().to_string().contains("48 entries"));
}

#[test]
fn a_body_that_is_put_back_is_whole() {
    let (scene, sheet) = sheet(Tearing::new(0.15));
    let mut solver = runs::solver(&scene);
    let whole = masses(&solver, sheet);
    assert!(torn(&mut solver, 60) > 0);
    solver.disable(sheet).unwrap();
    assert_eq!(torn(&mut solver, 1), 0);
    solver.enable(sheet).unwrap();
    assert!(solver.state().to_bytes().len() < 48 * 400);
    solver.step(&Input::frame(FRAME));
    assert_eq!(solver.plan().copies(), solver.plan().vertices(sheet) - 9 * 13);
    assert!(
        (masses(&solver, sheet).iter().filter(|m| m.is_finite()).sum::<f64>()
            - whole.iter().filter(|m| m.is_finite()).sum::<f64>())
        .abs()
            < 1e-6
    );
}

/// Stiffness that an input has set would be of other rows once something tears: from the edit on that adds what tears
/// it is the planned one again.
#[test]
fn stiffness_that_was_set_is_the_planned_one_again_beside_what_tears() {
    let mut scene = runs::scene(0.0, 20);
    let soft = scene.add(Cloth::grid([5, 5], [0.4, 0.4]).placed(Pose::at([3.0, 0.0, 0.0]), 1.0).stretch(1e-3));
    let mut solver = Solver::new(&scene).unwrap();
    let input = Input::frame(FRAME).stiffness(soft, &kinds::DISTANCE, seidel::Stiffness::compliance(1e-2));
    assert_eq!(solver.step(&input).rejected, None);
    let weak = solver
        .edit(|scene| {
            let cloth = Cloth::grid([9, 13], [1.0, 1.0]).stretch(1e-4).bend(0.1).tear(Tearing::new(0.15));
            Ok(scene.add(drawn(cloth, 0.3)))
        })
        .unwrap();
    assert!(torn(&mut solver, 70) > 0);
    assert!(solver.plan().vertices(weak) > 9 * 13);
    let refused = solver.step(&input).rejected.unwrap().to_string();
    assert!(refused.contains("stiffness"), "{refused}");
}

/// What is reset, or set back, has the plan of what it is before the next step.
#[test]
fn a_solver_that_is_set_back_has_the_plan_of_its_state() {
    let (scene, sheet) = sheet(Tearing::new(0.15));
    let mut solver = runs::solver(&scene);
    let start = solver.state().clone();
    assert!(torn(&mut solver, 60) > 0);
    let later = solver.state().clone();
    let (vertices, stretch) = (solver.plan().vertices(sheet), solver.measure().max_stretch);
    solver.reset();
    assert_eq!((solver.positions(sheet).len(), solver.plan().copies()), (9 * 13, 0));
    assert!(solver.measure().max_stretch < 1e-3);
    solver.set_state(later).unwrap();
    assert_eq!((solver.positions(sheet).len(), solver.measure().max_stretch), (vertices, stretch));
    solver.set_state(start).unwrap();
    assert_eq!(solver.positions(sheet).len(), 9 * 13);
    let strange = runs::solver(&runs::scene(0.0, 20));
    assert!(matches!(solver.set_state(strange.state().clone()), Err(Error::OtherPlan { .. })));
}

/// A render mesh is bound to a torn plan where its copies rest.
#[test]
fn a_render_mesh_is_bound_to_what_is_left() {
    let (scene, sheet) = sheet(Tearing::new(0.15));
    let mut solver = runs::solver(&scene);
    assert!(torn(&mut solver, 60) > 0);
    let plan = Arc::clone(solver.plan());
    let rest: Vec<glam::Vec3> = plan.positions(sheet).into_iter().map(glam::Vec3::from).collect();
    let render = Mesh { positions: plan.positions(sheet), triangles: plan.triangles(sheet).to_vec() };
    let mut skin = seidel::render::Skin::bind(&plan, sheet, &render).unwrap();
    let mut shown = [(); 2].map(|()| vec![glam::Vec3::ZERO; rest.len()]);
    let [positions, normals] = &mut shown;
    skin.update(&rest, positions, normals);
    let off = positions.iter().zip(&rest).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
    assert!(off < 1e-5, "{off} m");
}

/// In a uniform field each vertex goes as fast as the others, however often it was split.
#[test]
fn splinters_get_forces_as_their_masses() {
    let mut scene = runs::scene(0.0, 1);
    let sheet = scene.add(Cloth::grid([9, 9], [1.0, 1.0]).stretch(1e-3).tear(Tearing::new(0.05)));
    let mut solver = runs::solver(&scene);
    let apart: Vec<P> = positions(&solver, sheet).iter().map(|x| scale(*x, 200.0)).collect();
    runs::set_velocities(&mut solver, sheet, &apart);
    for _ in 0..40 {
        solver.step(&Input::frame(FRAME / 64.0));
    }
    assert!(solver.plan().vertices(sheet) > 81 + 20);
    let still = vec![[0.0; 3]; solver.plan().vertices(sheet)];
    runs::set_velocities(&mut solver, sheet, &still);
    // The force on each vertex that there was is its mass at the start times one acceleration.
    let begun = masses(&runs::solver(&scene), sheet);
    let forces: Vec<_> = begun.iter().map(|m| glam::Vec3::new(0.0, 1e4 * *m as f32, 0.0)).collect();
    let dt = 1e-6;
    assert_eq!(solver.step(&Input::frame(dt).forces(sheet, &forces)).rejected, None);
    let speeds: Vec<f64> = velocities(&solver, sheet).iter().map(|v| v[1]).collect();
    assert!(speeds.iter().all(|v| (v / (1e4 * f64::from(dt)) - 1.0).abs() < 1e-3), "{speeds:?}");
}

/// A ball is pushed through a sheet that collides with itself. The lips of a crack begin in one place, where no side is
/// theirs: once nearly all of them went through each other, steps took seconds, and the sheet was stretched by 92 %.
#[test]
fn the_lips_of_a_crack_do_not_go_through_each_other() {
    let push = Motion::KeyFrames {
        keys: [(0.0, 0.0), (1.2, -0.6)]
            .map(|(time, y)| Key { time, offset: [0.0, y, 0.0].into(), ..Key::default() })
            .to_vec(),
    };
    let mut scene = runs::scene(-9.81, 20);
    let cloth = Cloth::grid([19, 19], [0.8, 0.8]).stretch(1e-4).shear(1e-3).bend(0.3).linear_damping(1.0);
    let pins = [GridPins::FirstRow, GridPins::LastRow, GridPins::FirstColumn, GridPins::LastColumn];
    let cloth = pins.into_iter().fold(cloth.collide(Collide::All).thickness(0.004), Cloth::pin_grid);
    scene.add(cloth.tear(Tearing::new(0.12)));
    scene.add_collider(Collider::sphere(0.12).at([0.0, 0.16, 0.0]).moving(push));
    let mut solver = runs::solver(&scene);
    let (mut splits, mut intersections) = (0, Intersections::new());
    for frame in 0..80 {
        splits += torn(&mut solver, 1);
        let crossings = intersections.count(solver.plan(), solver.state()).expect("few triangles");
        assert_eq!(crossings, Crossings::default(), "frame {frame}, {splits} splits");
    }
    assert!(splits > 20, "{splits}");
    assert!(solver.measure().max_stretch < 0.5);
}
