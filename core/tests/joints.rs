//! Joints: what they refuse, what they leave alone, and the same bits from all lanes and threads.

use crate::runs;
use crate::runs::joined::patchwork;
use crate::runs::{FRAME, positions, run, scene, solver};
use seidel::{
    BodyId, Cloth, Collide, Collider, Error, Execution, GridPins, Input, Intersections, Isa, Joint, Method, Plan, Pose,
    Rod, Rope, Scene, Scratch, State, Stiffness, kinds, step,
};

fn two_sheets() -> (Scene, BodyId, BodyId) {
    let mut scene = scene(9.81, 10);
    let left = scene.add(Cloth::grid([4, 4], [0.3, 0.3]).named("left"));
    let right = scene.add(Cloth::grid([4, 4], [0.3, 0.3]).placed(Pose::at([0.3, 0.0, 0.0]), 1.0).named("right"));
    (scene, left, right)
}

#[test]
fn what_cannot_be_joined_is_named() {
    let (scene, a, b) = two_sheets();
    let mut other = scene.clone();
    let missing = other.add(Rope::new([0.0; 3], [1.0, 0.0, 0.0], 4));
    let turning = kinds::BEND_TWIST;
    for (joint, says) in [
        (
            Joint::points(a, b, &[[3, 0], [16, 4]]),
            "joint 0, kind `attach` row 1, body `left`: vertex 16 does not exist; there are 16",
        ),
        (Joint::points(missing, b, &[[0, 0]]), "joint 0, kind `attach` row 0: body 2 does not exist; there are 2"),
        (Joint::points(a, a, &[[1, 2], [5, 5]]), "joint 0, kind `attach`, body `left`: row 1 names vertex 5 twice"),
        (
            Joint::triangles(a, b, &[(3, [0, 4, 4])]),
            "joint 0, kind `attach-triangle`, body `right`: row 0 names vertex 4 twice",
        ),
        (Joint::triangles(a, b, &[(3, [0, 1, 2])]), "in the rest shape of row 0 is NaN"),
        (
            Joint::rows(kinds::DISTANCE, vec![(a, 0), (b, 1), (a, 2)]),
            "joint 0, kind `distance`: vertices has 3 entries and should have 2",
        ),
        (
            Joint::rows(turning, vec![(a, 0), (b, 1)]),
            "joint 0, kind `bend-twist`: the kind turns frames; a joint is of points",
        ),
        (Joint::points(a, b, &[[3, 0]]).compliance(-1.0), "joint 0, kind `attach`: compliance of row 0 is -1"),
        (
            Joint::points(a, b, &[[3, 0]]).compliance(vec![0.0; 2]),
            "joint 0, kind `attach`: stiffness has 2 entries and should have 1",
        ),
        (Joint::points(a, b, &[[3, 0]]).stiffness_by(Stiffness::pbd(1.5)), "stiffness of row 0 is 1.5"),
        (Joint::points(a, b, &[[3, 0]]).stiffness_by(Stiffness::pbd(0.5)).damped(0.1), "PBD has none"),
        (Joint::distances(a, b, &[[3, 0]]).rest(vec![-1.0]), "joint 0, kind `distance`: length of row 0"),
        (Joint::seam(a, a, 0.1), "joint 0: body `left` is joined to itself; name the pairs of vertices"),
        (
            Joint::near(a, &[0, 1], b, 0.1),
            "joint 0: no vertex of body `left` that it may join is within 0.1 m of body `right`",
        ),
        (Joint::near(a, &[40], b, 0.1), "joint 0, body `left`: vertex 40 does not exist; there are 16"),
        (Joint::seam(a, missing, 0.1), "joint 0: body 2 does not exist; there are 2"),
        (Joint::seam(a, b, f32::NAN), "joint 0: the distance is NaN, which is not within 0 .. 1e6 m"),
        (
            Joint::seam(a, b, 0.1).compliance(vec![0.0; 4]),
            "joint 0: stiffness of what is near has 4 entries and should have 1",
        ),
    ] {
        let mut scene = scene.clone();
        scene.join(joint);
        let error = Plan::new(&scene).expect_err(says).to_string();
        assert!(error.contains(says), "{error}, and not: {says}");
    }
    let mut sound = scene;
    sound.join(Joint::points(a, b, &[[3, 0]]));
    sound.join(Joint::points(a, b, &[[3, 40]]));
    assert!(matches!(Plan::new(&sound), Err(Error::Missing { of, .. }) if of.starts_with("joint 1")));
}

/// Plans that differ in a joint alone are not each other's, and what a body's rows are does not change.
#[test]
fn a_joint_is_part_of_the_plan_and_no_body_s() {
    let (mut scene, a, b) = two_sheets();
    let plain = Plan::new(&scene).unwrap();
    scene.join(Joint::distances(a, b, &[[0, 3]]));
    let joined = Plan::new(&scene).unwrap();
    scene.join(Joint::distances(a, b, &[[0, 7]]));
    let more = Plan::new(&scene).unwrap();
    assert!(plain.id() != joined.id() && joined.id() != more.id());
    for plan in [&joined, &more] {
        assert_eq!(plan.rows(a, &kinds::DISTANCE), plain.rows(a, &kinds::DISTANCE));
        assert_eq!((plan.lengths(a), plan.lengths(b)), (plain.lengths(a), plain.lengths(b)));
        let input = Input::frame(FRAME).stiffness(a, &kinds::DISTANCE, Stiffness::compliance(1e-3));
        let mut solver = seidel::Solver::with(std::sync::Arc::new(plan.clone()), seidel::Execution::default());
        assert!(solver.step(&input).rejected.is_none());
        assert!(solver.measure().max_stretch.is_finite());
    }
}

/// Sheets that are sewn at their borders and collide with each other do not push each other off: without gravity
/// nothing moves, and nothing is said to begin in anything.
#[test]
fn what_is_sewn_does_not_fight() {
    for (columns, overlap) in [(4, 0.0), (9, 0.0), (4, 0.03)] {
        let mut scene = scene(0.0, 10);
        let sheet = |n, x: f32, y: f32| {
            let pose = Pose::at([x, y, 0.0]);
            Cloth::grid([n, n], [0.3, 0.3]).placed(pose, 1.0).bend(1e2).thickness(0.01).collide(Collide::All)
        };
        let left = scene.add(sheet(4, 0.0, 0.0).pin_grid(GridPins::FirstColumn));
        let right = scene.add(sheet(columns, 0.3 - overlap, if overlap > 0.0 { 0.004 } else { 0.0 }));
        if overlap > 0.0 {
            // Nothing holds them where they overlap, but they begin nearer than they keep.
            scene.join(Joint::distances(left, right, &[[3, 0], [15, 12]]));
        } else {
            scene.join(Joint::seam(right, left, 1e-3));
        }
        let mut solver = solver(&scene);
        assert_eq!(solver.plan().warnings(), Vec::<String>::new());
        let start = [left, right].map(|body| positions(&solver, body));
        run(&mut solver, 30, FRAME);
        for (body, start) in [left, right].into_iter().zip(start) {
            let now = positions(&solver, body);
            let moved = now.iter().zip(&start).map(|(x, y)| runs::norm(runs::sub(*x, *y)));
            let most = moved.fold(0.0, f64::max);
            assert!(most < 1e-6, "{columns} columns, {overlap} m: moved by {most} m");
        }
    }
}

/// The same sheets fold over their seam without going through each other.
#[test]
fn a_seam_folds_and_stays_free() {
    let mut scene = scene(9.81, 20);
    let sheet = |x: f32| {
        let pose = Pose::at([x, 0.4, 0.0]);
        Cloth::grid([13, 13], [0.36, 0.36]).placed(pose, 1.0).bend(1e2).thickness(0.006).collide(Collide::All)
    };
    let (left, right) = (scene.add(sheet(-0.18)), scene.add(sheet(0.18)));
    scene.join(Joint::seam(left, right, 1e-4));
    scene.add_collider(Collider::ground());
    scene.add_collider(Collider::capsule(0.03, 0.3).at([0.0, 0.3, 0.0]).turned([1.0, 0.0, 0.0], seidel::degrees(90.0)));
    let (mut solver, mut intersections) = (solver(&scene), Intersections::new());
    let mut contacts = 0;
    for frame in 0..90 {
        let report = solver.step(&Input::frame(FRAME));
        contacts += report.pairs.contacts;
        let found = intersections.count(solver.plan(), solver.state()).expect("few boxes overlap");
        assert!(found.is_clean(), "frame {frame}: {found:?}");
    }
    assert!(contacts > 0, "they touch below the rod");
    let (a, b) = (positions(&solver, left), positions(&solver, right));
    let gap = (0..13).map(|row| runs::norm(runs::sub(a[row * 13 + 12], b[row * 13]))).fold(0.0, f64::max);
    println!("{contacts} contacts, the seam is open by {gap:.1e} m");
    assert!(gap < 1e-3, "{gap} m");
}

#[test]
fn lanes_and_threads_agree() {
    for method in [Method::GaussSeidel, Method::JACOBI] {
        let plan = Plan::new(&patchwork(method, None)).expect("a sound scene");
        let mut wanted = None;
        for isa in Isa::available() {
            for threads in [1, 2, 3, 8] {
                let (mut state, mut scratch) = (State::new(&plan), Scratch::new(&plan, Execution::new(isa, threads)));
                for frame in 0..6 {
                    scratch.poison();
                    let report = step(&plan, &mut state, &Input::frame(FRAME), &mut scratch);
                    assert!(report.rejected.is_none() && report.lost.is_none(), "frame {frame}: {report:?}");
                }
                let hash = state.hash();
                assert_eq!(*wanted.get_or_insert(hash), hash, "{isa} with {threads} threads, {method:?}");
            }
        }
    }
}

/// A rod hangs by its points, though its frames cannot be joined.
#[test]
fn a_rod_hangs_by_its_points() {
    let mut scene = scene(9.81, 40);
    let bar = scene.add(Rod::new([-0.5, 0.0, 0.0], [0.5, 0.0, 0.0], 16).young(1e9).radius(0.01));
    let ropes = [-0.5f32, 0.5].map(|x| scene.add(Rope::new([x, 0.5, 0.0], [x, 0.0, 0.0], 8).pin(&[0])));
    scene.join(Joint::points(bar, ropes[0], &[[0, 8]]));
    scene.join(Joint::points(bar, ropes[1], &[[16, 8]]));
    let mut solver = solver(&scene);
    run(&mut solver, 60, FRAME);
    for (i, &rope) in ropes.iter().enumerate() {
        let off = runs::norm(runs::sub(positions(&solver, rope)[8], positions(&solver, bar)[16 * i]));
        assert!(off < 1e-4, "{off} m");
    }
    let low = positions(&solver, bar)[8][1];
    assert!((-0.05..0.0).contains(&low), "it hangs, and bends little: {low} m");
}
