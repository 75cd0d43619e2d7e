//! Golden state hashes: the same bits from every thread count, lane type and machine, and with overflow checks and
//! assertions.
//!
//! A value below may change when a formula, a threshold, an order or a scene changes, and the commit that changes it
//! says which and why; never in the same commit as a refactoring.
//! `SEIDEL_PRINT_GOLDEN=1 cargo test --release --test golden -- --nocapture` prints the table anew.

mod runs;

use runs::joined::patchwork;
use seidel::collider::{Key, Motion};
use seidel::joint::{Motor, Spring};
use seidel::{
    Balloon, BendModel, Cloth, Collide, Collider, Constraints, Execution, Grains, Input, Isa, Mesh, Method, Plan,
    Plasticity, Pose, Rope, Scene, ShapeMatched, Side, SoftBody, SolidModel, State, VelocityUpdate, kinds, step,
};
use seidel::{Body, RigidBody, RigidJoint, Stiffness, Values};
use seidel_scenes::{SceneSpec, Turn};
use seidel_workers::claims;
use std::sync::Arc;

/// State hash of each scene after its frames.
const GOLDEN: &[(&str, u64)] = &[
    ("cloth-sphere", 0x7da8f1c721d3d58a),
    ("flag", 0x50a0f357ac1602f3),
    ("curtain", 0x6673b19bee12398a),
    ("chain", 0x1c1c19fe594e7a62),
    ("shapes", 0x8127d22a8242ccc9),
    ("cloth-sphere 64", 0xcc84bebc47926ea2),
    ("iterations", 0x8c879c3506643e7a),
    ("averages", 0x7234b941f26f90ca),
    ("tilting", 0x9febfcde2761a2f6),
    ("flag isometric", 0xff6d14dfb683c6d8),
    ("folds", 0x51fe48b0046dfd99),
    ("twist", 0x9a9e6b44aa89ebe1),
    ("layers", 0x2cf1f70458af4f16),
    ("funnel", 0x88525d08106de09d),
    ("knot", 0x56d450cbe755b241),
    ("drape-bunny", 0x6c8b7228c7849ac0),
    ("bullet", 0xacf12b47bc93c9bd),
    ("tangled", 0xb58048ab25d3cef1),
    ("spheres", 0x29a768530ba44ac9),
    ("sleeve", 0xa1e2a4e8428dfe6a),
    ("rod-twist", 0xa31e510189f70b1e),
    ("flag-materials", 0x97d39a9db5086c17),
    ("orthotropic", 0xe90a55757725c454),
    ("heap", 0xf684068ec2445cee),
    ("fields", 0xe4fdcb5de5f37c20),
    ("fields beside averages", 0x5b2c24774f0583d5),
    ("solids", 0x943a4049524757ab),
    ("elements", 0x6a1c4735ee23f47c),
    ("slabs", 0x71afec94700e66e2),
    ("solids by averages", 0x42c48c077202dd02),
    ("elements by averages", 0x4cedae8554509098),
    ("iterations of second order", 0x6ef644983f42699c),
    ("elements of second order", 0x8e501c9e14d1dacc),
    ("fields of second order", 0xa86216e132a72ae4),
    ("heap of second order", 0xe58a27cbf8e09c9c),
    ("rope-bridge of second order", 0x410c61557c868968),
    ("balloons", 0xe6a615bf6b7d6396),
    ("soft-heap", 0x0566ff97307eb3e2),
    ("stack", 0x78853ae937b26964),
    ("dominoes", 0x278b36c178b9bc91),
    ("cradle", 0xcd6dc47adfb230a5),
    ("top", 0xc7afe14443c4bd32),
    ("pyramid", 0x6f40dc74cbb7960a),
    ("hammock", 0xfdc938e738fb292f),
    ("machine", 0x203fa9c00b57c4a3),
    ("cards", 0xc92a1a19ffe41451),
    ("washer", 0x8b9421d689c856c7),
    ("chain-1000", 0xb83d9006867de8c4),
    ("ragdolls", 0x27d921a101b03501),
    ("car", 0x49b0a09058843b10),
    ("crane", 0xd20a4330ca088004),
    ("wrecking-ball", 0x4b2265a210026537),
    ("marbles", 0xbf7e8a4530c0f427),
    ("asleep", 0x61670210cc5c1d6e),
    ("bar-bend", 0xab9ecef0ea1f6c0b),
    ("dents", 0xe5bd67041a4856e7),
    ("tear", 0xb427c601ad333749),
    ("fracture", 0x67db0fd95ec52b24),
    ("plastic", 0xf58e766892932e55),
    ("jelly-drop", 0xc812b616f32596d7),
    ("rope-bridge", 0x1b4c116875698b6a),
    ("curtain-hooks", 0xa008db3aca468858),
    ("joined", 0x8f7f3228afab75b0),
    ("joined by averages", 0x1860ca1e9c2f4b58),
    ("mapped", 0xe8a43501a8b9ef97),
    ("cloth-sphere 128", 0x406a9e43a587c025),
    ("curtain in short", 0x0eb0c7a68e4157ea),
    ("shapes in short", 0x09d887f42df31b78),
    ("flag-materials in short", 0x9d231a7f754b7dc8),
    ("orthotropic in short", 0x6ae4fadffa0abb67),
    ("bar-bend in short", 0x6a38faf9c93aeb55),
    ("rope-bridge in short", 0x9a3652884e64a619),
    ("rope-bridge of second order in short", 0xe05137a8657774ac),
    ("sand-pile", 0xc84bfcfce994103a),
    ("grains", 0xef764d122f715e34),
    ("hourglass", 0x33c0b7319389bc18),
    ("sand-on-cloth", 0x701966dff4d0feb6),
    ("mudslide", 0xe660ad063b83bf18),
    ("dam-break", 0x08a3029ee9ab880e),
    ("fountain", 0x90ac4a8372f41228),
    ("two-phase", 0xf1fa2b6b7193dff8),
    ("buoyant-balls", 0xba521c21834b0890),
    ("stirrer", 0xc1e921148827863c),
    ("cloth-bag", 0x02efb59c2a1c5633),
    ("trees", 0xdbd0f4893c5bd766),
];

/// Whether all numbers of threads are tried, or what an unoptimised build gets through in time.
const FULL: bool = cfg!(not(debug_assertions)) && cfg!(target_arch = "x86_64");

/// Elsewhere one run of each scene, on the widest lanes, is compared with the table.
const EMULATED: bool = !cfg!(target_arch = "x86_64");

const THREADS: &[usize] = &[1, 2, 3, 8, 16];

/// A scene with what happens in each of its frames.
struct Run {
    scene: Scene,
    frames: u32,
    input: fn(u32, &Plan) -> Input,
}

fn frame(_frame: u32, _plan: &Plan) -> Input {
    Input::frame(1.0 / 60.0)
}

/// A named scene at a small size.
fn small(mut spec: SceneSpec, resolution: u32, frames: u32) -> Run {
    for cloth in &mut spec.cloth {
        cloth.resolution = [resolution; 2];
    }
    for balloon in &mut spec.balloon {
        balloon.detail = 2;
    }
    let scene = spec.build(|_| Err(())).expect("named scenes are sound");
    Run { scene, frames, input: frame }
}

fn named(name: &str) -> SceneSpec {
    seidel_scenes::named(name).expect("a named scene")
}

/// Multipliers kept over iterations, PBD beside XPBD, two bodies: 48 x 48 particles, so that workers run.
fn iterations() -> Run {
    let mut scene = Scene::new();
    (scene.settings.substeps, scene.settings.iterations) = (4.into(), 3);
    let cloth = Cloth::grid([48, 48], [1.0, 1.0])
        .placed(Pose::at([0.0, 0.45, 0.0]).turned([1.0, 0.0, 0.3], seidel::degrees(20.0)), 1.0)
        .stretch_by(Stiffness::pbd(0.9))
        .bend(1e3)
        .damping(0.02);
    scene.add(cloth.named("pbd"));
    scene.add(Cloth::grid([10, 10], [0.4, 0.4]).placed(Pose::at([0.0, 0.8, 0.0]), 1.0).compress(1e-4).bend(1e2));
    scene.add(Rope::new([-0.5, 0.7, 0.1], [0.5, 0.7, 0.1], 30).slack(true));
    scene.add_collider(Collider::ground());
    scene.add_collider(Collider::sphere(0.2).at([0.1, 0.2, 0.0]).friction(0.6));
    Run { scene, frames: 20, input: frame }
}

/// Two sheets and a rope fall on a ball and on each other, with friction and multipliers that are kept: enough
/// particles for workers.
fn heap() -> Run {
    let mut scene = Scene::new();
    (scene.settings.substeps, scene.settings.iterations) = (5.into(), 2);
    let sheet = |n: u32, y: f32, degrees: f64| {
        let pose = Pose::at([0.01, y, 0.02]).turned([0.1, 1.0, 0.0], seidel::degrees(degrees));
        let cloth = Cloth::grid([n, n], [0.6, 0.6]).placed(pose, 1.0).stretch(1e-5).shear(1e-2).bend(1e3);
        cloth.thickness(0.003).friction(0.4).damping(0.02).collide(Collide::All)
    };
    scene.add(sheet(36, 0.23, 0.0));
    scene.add(sheet(32, 0.26, 30.0));
    scene.add(Rope::new([-0.3, 0.3, 0.0], [0.3, 0.3, 0.02], 30).thickness(0.004).collide(Collide::Others));
    scene.add_collider(Collider::ground());
    scene.add_collider(Collider::sphere(0.2));
    Run { scene, frames: 10, input: frame }
}

/// Numbers by vertex: a sheet whose radius, friction, density and stiffnesses differ from vertex to vertex on colliders
/// of several kinds, and one beside it that touches itself and a rope, with friction by vertex.
fn mapped() -> Run {
    let mut scene = Scene::new();
    (scene.settings.substeps, scene.settings.iterations) = (5.into(), 2);
    let by_vertex = |n: u32, of: fn(f32) -> f32| {
        Values::PerVertex((0..n * n).map(|v| of((v % n) as f32 / (n - 1) as f32)).collect())
    };
    let sheet = |n: u32, x: f32| {
        let pose = Pose::at([x, 0.23, 0.02]).turned([0.1, 1.0, 0.3], seidel::degrees(15.0));
        let cloth = Cloth::grid([n, n], [0.6, 0.6]).placed(pose, 1.0).density(by_vertex(n, |s| 0.1 + s));
        let cloth = cloth.stretch(by_vertex(n, |s| 1e-6 + 1e-4 * s)).compress(by_vertex(n, |s| 1e-3 + 1e-2 * s));
        let cloth = cloth.shear(by_vertex(n, |s| 1e-2 * s)).bend(by_vertex(n, |s| 10.0 + 1e3 * s));
        cloth.friction(by_vertex(n, |s| s * s)).damping(0.02)
    };
    scene.add(sheet(40, -0.3).thickness(by_vertex(40, |s| 0.002 + 0.01 * s)));
    scene.add(sheet(32, 0.45).thickness(0.003).collide(Collide::All));
    scene.add(Rope::new([0.2, 0.4, 0.0], [0.7, 0.4, 0.02], 30).thickness(0.004).collide(Collide::Others));
    scene.add_collider(Collider::ground().friction(0.7));
    scene.add_collider(Collider::sphere(0.2).at([-0.3, 0.0, 0.0]));
    scene
        .add_collider(Collider::capsule(0.06, 0.2).at([0.45, 0.1, 0.0]).turned([0.0, 0.0, 1.0], seidel::degrees(80.0)));
    Run { scene, frames: 20, input: frame }
}

/// Balloons and shapes that touch: whole, cut into blocks and in clusters, rigid and linear, XPBD and PBD; enough for
/// workers.
fn fields() -> Run {
    let mut scene = Scene::new();
    (scene.settings.substeps, scene.settings.iterations) = (4.into(), 2);
    let at = |x: f32, y: f32| Pose::at([x, y, 0.02 * x]).turned([1.0, 0.5, 0.2], seidel::degrees(20.0));
    let ball = Mesh::ball(0.2, 4);
    let balloon = Balloon::new(&ball).placed(at(0.0, 0.25), 1.0).stretch(0.01).bend(1e3).damping(0.02);
    scene.add(balloon.pressure_path(&[[0.0, 1.0], [0.2, 2.0]]).thickness(0.003));
    let small = Balloon::new(Mesh::ball(0.1, 3)).placed(at(-0.35, 0.15), 1.0).stretch_by(Stiffness::pbd(0.3));
    scene.add(small.volume_by(Stiffness::pbd(0.9)).pressure(1.5));
    scene.add(ShapeMatched::new(&ball).placed(at(0.45, 0.21), 1.0).compliance(1e-4));
    scene.add(
        ShapeMatched::new(Mesh::ball(0.12, 3)).placed(at(0.0, 0.7), 1.0).clusters(0.1).linear(0.5).compliance(1e-3),
    );
    let brick = ShapeMatched::new(Mesh::cuboid([0.1, 0.06, 0.08], [5, 3, 4])).placed(at(0.4, 0.6), 1.0).pin(&[0]);
    scene.add(brick.stiffness_by(Stiffness::pbd(0.4)));
    scene.add_collider(Collider::ground());
    scene.add_collider(Collider::sphere(0.1).at([-0.1, 0.05, 0.1]));
    let input = |frame: u32, plan: &Plan| {
        let input = Input::frame(1.0 / 60.0);
        let small = plan.body_ids().nth(1).expect("a balloon");
        if frame % 4 == 3 { input.pressure(small, 1.2) } else { input }
    };
    Run { scene, frames: 20, input }
}

/// Solids of all models, XPBD and PBD, damped, filled, embedded and pinned, whose stiffness changes on the way; enough
/// for workers.
fn solids() -> Run {
    let mut scene = Scene::new();
    (scene.settings.substeps, scene.settings.iterations) = (4.into(), 2);
    let models = [
        SolidModel::StableNeoHookean,
        SolidModel::NeoHookean,
        SolidModel::StVenantKirchhoff,
        SolidModel::Hooke,
        SolidModel::Strain,
        SolidModel::Springs,
    ];
    for (i, model) in models.into_iter().enumerate() {
        let pose = Pose::at([0.0, 0.3, 0.15 * i as f32]).turned([0.0, 0.3, 1.0], seidel::degrees(20.0 * i as f64));
        let bar = SoftBody::bar([0.4, 0.08, 0.08], [12, 3, 3]).placed(pose, 1.0).young(3e4).poisson(0.4).model(model);
        let bar = if i == 3 { bar.pbd(0.3) } else { bar.relaxation(0.01 * i as f32) };
        scene.add(bar.velocity([0.0, -1.0, 0.0]).thickness(0.004).damping(0.01));
    }
    let least = SoftBody::bar([0.3, 0.1, 0.1], [6, 2, 2]).poisson(0.0).young(1e5).pin_side(Side::MinX);
    scene.add(least.placed(Pose::at([0.0, 0.3, -0.2]), 1.0));
    let tube = SoftBody::tube(0.2, [0.1, 0.06], [5, 2, 12]).placed(Pose::at([0.0, 0.6, 0.1]), 1.0).young(2e4);
    scene.add(tube.collide(Collide::Others).thickness(0.004));
    let ball = SoftBody::filled(Mesh::ball(0.15, 3), 0.06).placed(Pose::at([0.05, 0.85, 0.15]), 1.0).young(1e4);
    scene.add(ball.collide(Collide::Others).thickness(0.004));
    scene.add_collider(Collider::ground());
    let input = |frame: u32, plan: &Plan| {
        let input = Input::frame(1.0 / 60.0);
        let first = plan.body_ids().next().expect("a bar");
        match frame {
            5 => input.stiffness(first, &kinds::STABLE_NEO_HOOKEAN, Stiffness::compliance(1.0)),
            _ => input,
        }
    };
    Run { scene, frames: 20, input }
}

/// A solid that lies in slabs: patches of two and three, of one cell and two.
fn slabs() -> Run {
    let mut scene = Scene::new();
    scene.settings.substeps = 2.into();
    let block = SoftBody::bar([0.4, 0.4, 0.6], [19, 19, 17]).young(2e4).poisson(0.4).relaxation(0.01);
    scene.add(block.placed(Pose::at([0.0, 0.4, 0.0]).turned([1.0, 0.0, 0.3], seidel::degrees(20.0)), 1.0));
    scene.add_collider(Collider::ground());
    Run { scene, frames: 12, input: frame }
}

/// Rows of the kinds that no recipe has, or not by itself.
fn elements() -> Run {
    let mut scene = Scene::new();
    (scene.settings.substeps, scene.settings.iterations) = (4.into(), 2);
    let body = |positions: Vec<[f32; 3]>, i: u32| {
        let count = positions.len();
        let placed = positions.into_iter().map(|[x, y, z]| [x + 1.5 * i as f32, y + 1.0, z]).collect();
        let inv_mass = (0..count).map(|v| if v == 0 { 0.0 } else { 100.0 + (v % 7) as f32 }).collect();
        let mut body = Body::particles(placed, inv_mass);
        body.damping = 0.02;
        body
    };
    let sheet = Cloth::grid([14, 14], [1.0, 1.0]).mesh().clone();
    let flat = [kinds::STRAIN_TRIANGLE, kinds::STRAIN_TRIANGLE_PLAIN, kinds::FEM_TRIANGLE, kinds::ORTHOTROPIC];
    let at = sheet.triangles.concat();
    for (i, kind) in (0..).zip(flat) {
        let rows = Constraints::measured(kind, at.clone(), Stiffness::compliance(1e-2)).damped(0.002);
        let wings =
            sheet.edges().iter().filter_map(|edge| Some([edge.opposite[0]?, edge.opposite[1]?])).collect::<Vec<_>>();
        let spans = Constraints::measured(kinds::BEND_DISTANCE, wings.concat(), Stiffness::compliance(1e-2));
        scene.add(body(sheet.positions.clone(), i).constraints(vec![rows, spans]));
    }
    let points = Mesh::ball(0.4, 2).positions;
    let runs = |slots: u32| (0..160 / slots * slots).map(|v| v * 7 % 161).collect::<Vec<u32>>();
    for (i, kind) in (4..).zip([kinds::POINT_EDGE, kinds::POINT_TRIANGLE, kinds::EDGE_EDGE, kinds::ATTACH_TRIANGLE]) {
        let rows = Constraints::measured(kind, runs(kind.slots() as u32), Stiffness::compliance(1e-3));
        let ties = Constraints::measured(kinds::DISTANCE, runs(2), Stiffness::pbd(0.4));
        let seams = Constraints::new(kinds::ATTACH, (20..60).collect(), Vec::new(), Stiffness::compliance(0.1));
        scene.add(body(points.clone(), i).constraints(vec![ties, rows, seams]));
    }
    let bar = SoftBody::bar([0.4, 0.1, 0.1], [8, 2, 2]).mesh().expect("a bar");
    let plain = Constraints::measured(kinds::STRAIN_TET_PLAIN, bar.tets.concat(), Stiffness::compliance(1.0));
    scene.add(body(bar.positions, 8).constraints(vec![plain]));
    scene.add_collider(Collider::ground());
    Run { scene, frames: 20, input: frame }
}

/// A turned plane that turns on by key frames, forces on every vertex, another gravity, a collider moved by hand.
fn tilting() -> Run {
    let key = |time, degrees, y| Key {
        time,
        offset: [0.0, y, 0.0].into(),
        axis: [0.0, 0.3, 1.0].into(),
        angle: seidel::degrees(degrees),
    };
    let mut scene = Scene::new();
    let cloth =
        Cloth::grid([46, 46], [1.0, 1.0]).placed(Pose::at([0.0, 0.3, 0.0]), 1.0).bend(1e3).velocity([0.5, 0.0, 0.0]);
    scene.add(cloth);
    let keys = vec![key(0.0, 0.0, 0.0), key(0.2, 25.0, 0.1), key(0.3, -10.0, 0.0)];
    let plane = Collider::ground().turned([1.0, 0.0, 0.0], seidel::degrees(10.0)).friction(0.8);
    scene.add_collider(plane.moving(Motion::KeyFrames { keys }));
    scene.add_collider(Collider::sphere(0.1).at([0.0, 0.6, 0.0]));
    let input = |frame: u32, plan: &Plan| {
        let body = plan.body_ids().next().expect("a cloth");
        let ball = plan.collider_ids().nth(1).expect("a ball");
        let lift = 0.6 - 0.01 * frame as f32;
        let push = |v: usize| glam::Vec3::new(((v * 7) % 13) as f32 - 6.0, 2.0, (v % 5) as f32 - 2.0) * 1e-4;
        let forces: Vec<_> = (0..plan.vertices(body)).map(push).collect();
        let input = Input::frame(1.0 / 60.0).gravity([0.5, -9.0, 0.1 * frame as f32]).forces(body, &forces);
        let pose = Pose::at([0.0, lift, 0.0]).turned([0.0, 0.0, 1.0], seidel::degrees(f64::from(frame)));
        if frame >= 5 { input.pose(ball, pose) } else { input }
    };
    Run { scene, frames: 20, input }
}

/// Runs a scene and hashes its last state.
fn hash(run: &Run, plan: &Arc<Plan>, execution: Execution) -> u64 {
    let mut plan = Arc::clone(plan);
    let mut state = State::new(&plan);
    let mut scratch = seidel::Scratch::new(&plan, execution);
    let compared = claims::compared();
    for frame in 0..run.frames {
        let input = (run.input)(frame, &plan);
        // In a debug build, what the blocks of each stage take is compared.
        let report = claims::watched(|| step(&plan, &mut state, &input, &mut scratch));
        assert!(report.rejected.is_none() && report.lost.is_none(), "{report:?}");
        if !report.torn.is_empty() {
            plan = Arc::new(plan.torn(&state).expect("what is left is sound"));
            scratch = seidel::Scratch::new(&plan, execution);
        }
    }
    assert!(!cfg!(debug_assertions) || claims::compared() > compared, "no claim was recorded");
    state.hash()
}

/// An emulator runs this scene with workers, too: one with enough rows for them.
const EMULATED_WITH_WORKERS: &str = "heap";

/// Lanes and numbers of threads that the scene at `index` of the table is run with, beside the widest lanes on one
/// thread. In a release build a short scene has all lanes and all numbers of threads, a `long` one the narrower lanes,
/// each with another number, and every third of them scalar lanes, which take longer than all others. From scene to
/// scene each goes with another number of threads.
fn executions(index: usize, long: bool) -> Vec<Execution> {
    let isas = Isa::available();
    if EMULATED {
        let shared = GOLDEN[index].0 == EMULATED_WITH_WORKERS;
        return isas.iter().filter(|_| shared).map(|&isa| Execution::new(isa, 3)).collect();
    }
    if !FULL {
        // One more run of each scene: with four lanes, over twelve scenes each has been with each number of threads.
        let with = |threads| isas.iter().rev().map(move |&isa| Execution::new(isa, threads));
        let pairs: Vec<Execution> = [3, 8, 16].into_iter().flat_map(with).collect();
        return vec![pairs[index % pairs.len()]];
    }
    let lanes = isas.iter().rev().cycle();
    let count = if long { isas.len() } else { THREADS.len().max(isas.len()) };
    (usize::from(long)..count)
        .zip(lanes.skip(usize::from(long)))
        .filter(|(_, isa)| !long || index.is_multiple_of(3) || isa.name() != "scalar")
        .map(|(k, &isa)| Execution::new(isa, THREADS[(k + index) % THREADS.len()]))
        .collect()
}

/// Every combination gives the one value of the table.
fn check(name: &str, run: &Run, long: bool) {
    let plan = Arc::new(Plan::new(&run.scene).expect("the scene is sound"));
    let first = hash(run, &plan, Execution::new(Isa::detect(), 1));
    if std::env::var_os("SEIDEL_PRINT_GOLDEN").is_some() {
        println!("    (\"{name}\", {first:#018x}),");
        return;
    }
    let index = GOLDEN.iter().position(|(known, _)| *known == name).expect("a scene of the table");
    assert_eq!(GOLDEN[index].1, first, "{name} has changed; if it should have: (\"{name}\", {first:#018x}),");
    for Execution { isa, threads, .. } in executions(index, long) {
        let found = hash(run, &plan, Execution::new(isa, threads));
        assert_eq!(found, first, "{name}: {isa} with {threads} threads differs from {} with one", Isa::detect());
    }
}

/// A test a scene, so that they run beside one another. Those of the last list take minutes in a debug build or an
/// emulator; the others have some of them in short, with fewer vertices or frames. An emulator runs the first list
/// alone: no contacts as spheres, no numbers by vertex.
macro_rules! scenes {
    (
        everywhere { $($test:ident = $name:literal: $run:expr;)* }
        native { $($native:ident = $there:literal: $long:expr;)* }
        optimised { $($optimised:ident = $of:literal: $longest:expr;)* }
    ) => {
        $(
            #[test]
            fn $test() {
                check($name, &$run, false);
            }
        )*
        $(
            #[test]
            #[cfg_attr(not(target_arch = "x86_64"), ignore = "takes long here")]
            fn $native() {
                check($there, &$long, false);
            }
        )*
        $(
            #[test]
            #[cfg_attr(any(debug_assertions, not(target_arch = "x86_64")), ignore = "takes minutes here")]
            fn $optimised() {
                check($of, &$longest, true);
            }
        )*

        /// All scenes that have a test.
        const TESTED: &[&str] = &[$($name,)* $($there,)* $($of,)*];

        /// Those that an emulator runs, too.
        const EVERYWHERE: &[&str] = &[$($name,)*];
    };
}

/// The named scene at a small size: vertices along a side (0: as it is) and frames, until it has begun in earnest.
/// Below `tuning::MIN_SHARED_ROWS` particles the caller alone steps, whatever the number of threads.
fn shrunk(name: &str, resolution: u32, frames: u32) -> Run {
    small(named(name), resolution, frames)
}

/// As it is.
fn whole(name: &str, frames: u32) -> Run {
    let scene = named(name).build(|_| Err(())).expect("named scenes are sound");
    Run { scene, frames, input: frame }
}

/// Fluids with particles so far apart, metres; what comes comes from the start on.
fn poured(name: &str, spacing: f32, frames: u32) -> Run {
    let mut spec = named(name);
    for fluid in &mut spec.fluid {
        fluid.spacing = spacing;
        fluid.emitter.iter_mut().for_each(|emitter| emitter.from = 0.0);
    }
    let scene = spec.build(|_| Err(())).expect("named scenes are sound");
    Run { scene, frames, input: frame }
}

/// Grains so large, metres.
fn strewn(name: &str, radius: f32, frames: u32) -> Run {
    let mut spec = named(name);
    spec.grains.iter_mut().for_each(|grains| grains.radius = radius);
    spec.cloth.iter_mut().for_each(|cloth| cloth.resolution = [20; 2]);
    let scene = spec.build(|_| Err(())).expect("named scenes are sound");
    Run { scene, frames, input: frame }
}

/// Grains of two sizes, of which one draws, with scaled masses, on a ball and beside a rigid body: enough for workers.
fn mixed_grains() -> Run {
    let mut scene = Scene::new();
    (scene.settings.substeps, scene.settings.iterations) = (6.into(), 2);
    let small = Grains::block([-0.2, 0.1, -0.2], [0.2, 0.5, 0.2]).radius(0.009).friction(0.4).dynamic_friction(0.2);
    scene.add(small.cohesion(200.0).mass_scaling(1.0));
    scene.add(Grains::block([-0.2, 0.55, -0.2], [0.2, 0.75, 0.2]).radius(0.02).velocity([0.0, -1.0, 0.0]));
    scene.add_collider(Collider::ground());
    scene.add_collider(Collider::sphere(0.1));
    scene.add_rigid(RigidBody::sphere(0.08).density(500.0).at([0.0, 0.9, 0.0]).velocity([0.0, -2.0, 0.0]));
    Run { scene, frames: 8, input: frame }
}

/// With averaged corrections.
fn averaged(mut run: Run, relaxation: f32) -> Run {
    run.scene.settings.method = Method::Jacobi { relaxation };
    run
}

/// With velocities of second order.
fn followed(mut run: Run) -> Run {
    run.scene.settings.velocity_update = VelocityUpdate::SecondOrder;
    run
}

/// Sheets that fall onto a ball and each other as spheres.
fn spheres() -> Run {
    let mut spec = named("layers");
    spec.cloth.iter_mut().for_each(|cloth| cloth.collide = Collide::Spheres);
    small(spec, 16, 45)
}

/// Rigid bodies of every shape on joints of every kind, among them driven ones, one that breaks and pairs that collide;
/// enough for several workers, beside a sheet.
fn machine() -> Run {
    let mut scene = Scene::new();
    scene.settings.substeps = 8.into();
    scene.add_collider(Collider::ground().friction(0.6));
    let turntable = Motion::Steady {
        velocity: glam::DVec3::new(0.0, 0.1, 0.0),
        axis: glam::DVec3::new(0.1, 1.0, 0.0),
        turns: 0.5,
        start: 0.0,
        end: None,
    };
    scene.add_collider(Collider::cuboid([2.0, 0.2, 2.0]).at([0.0, 0.2, 0.0]).moving(turntable));
    scene.add(Cloth::grid([8, 8], [1.0, 1.0]).placed(Pose::at([8.0, 1.0, 0.0]), 1.0));
    let corners: Vec<[f32; 3]> =
        (0..8u8).map(|i| [i & 1, i >> 1 & 1, i >> 2].map(|c| 0.3 * f32::from(c) + 0.01 * f32::from(i))).collect();
    let hull = Arc::new(seidel::collider::ConvexHull::new(&corners).expect("a box, askew"));
    let turn = |k: u8| Pose::IDENTITY.turned([1.0, f64::from(k), 0.3], f64::from(k)).rotation();
    for k in 0..72u8 {
        let at = [0.9 * f32::from(k % 6) - 2.0, 0.9 + 0.5 * f32::from(k / 18), 0.9 * f32::from(k / 6 % 3) - 1.0];
        let place = |x: f32| Pose::new([at[0] + x, at[1], at[2]].map(f64::from), turn(k));
        let a = scene.add_rigid(RigidBody::cuboid([0.15, 0.1, 0.2]).placed(place(0.0)).restitution(0.3));
        let b = scene.add_rigid(
            match k % 3 {
                0 => RigidBody::sphere(0.15),
                1 => RigidBody::capsule(0.1, 0.15).angular_damping(0.5),
                _ => RigidBody::hull(Arc::clone(&hull)).gravity_scale(0.7),
            }
            .placed(place(0.4)),
        );
        let middle = [f64::from(at[0]) + 0.2, f64::from(at[1]), f64::from(at[2])];
        let axis = [0.3, 1.0, 0.2];
        let ends =
            [[0.0, 0.1], [0.3, 0.1]].map(|[x, y]| glam::DVec3::from(middle) + glam::DVec3::new(x - 0.15, y, 0.0));
        scene.join_rigid(match k % 9 {
            0 => RigidJoint::ball(a, b, middle).breaking_at(300.0, f32::INFINITY),
            1 => RigidJoint::ball_in_cone(a, b, middle, axis, [0.5, 0.3]).colliding(),
            2 => RigidJoint::hinge(a, b, middle, axis).motor(Motor::Velocity { target: 4.0, limit: 20.0 }),
            3 => RigidJoint::slider(a, b, middle, axis).limits(-0.1, 0.2).sprung(Spring {
                stiffness: 800.0,
                damping: 5.0,
                rest: 0.05,
            }),
            4 => RigidJoint::fixed(a, b, middle),
            5 => RigidJoint::universal(a, b, middle, [glam::DVec3::X, glam::DVec3::Y]),
            6 => RigidJoint::distance(a, b, ends, [0.2, 0.4]),
            7 => RigidJoint::spring(a, b, ends, Spring { stiffness: 500.0, damping: 2.0, rest: 0.3 }),
            _ => RigidJoint::ball_on_line(a, None, middle, axis),
        });
    }
    Run { scene, frames: 40, input: frame }
}

/// Bodies with all options: locked axes, resistance, a keel, a sensor, contacts that are told; they fall asleep, and a
/// ball wakes some.
fn asleep() -> Run {
    let mut scene = Scene::new();
    (scene.settings.substeps, scene.settings.sleep) = (6.into(), true);
    scene.add_collider(Collider::ground().friction(0.6));
    scene.add_rigid(RigidBody::cuboid([10.0, 0.5, 0.5]).fixed().sensor());
    for k in 0..130u8 {
        let at = [0.6 * f32::from(k % 26) - 7.5, 0.2 + 0.4 * f32::from(k / 26 % 3), 0.8 * f32::from(k / 78)];
        let body = RigidBody::cuboid([0.2; 3]).at(at).contact_events();
        scene.add_rigid(match k % 5 {
            0 => body.lock_translation([false, false, true]).lock_rotation([true, false, true]),
            1 => body.additional_mass(5.0, [0.0, -0.1, 0.05]),
            _ => body,
        });
    }
    for k in 0..4u8 {
        let ball = RigidBody::sphere(0.2).rolling_resistance(0.01).spinning_resistance(0.005).restitution(0.4);
        let ball = ball.at([4.0 * f32::from(k) - 6.0, 0.5, 7.0]).velocity([0.0, 0.0, -8.0]);
        scene.add_rigid(ball.angular_velocity([0.0, 9.0, 3.0]));
    }
    Run { scene, frames: 60, input: frame }
}

/// Chains of light links with loads, solved at once: balls, hinges with springs, and fixed; every other one loses its
/// load, into a bowl of pieces.
fn trees() -> Run {
    let mut scene = Scene::new();
    scene.settings.substeps = 4.into();
    scene.add_collider(Collider::ground().friction(0.6));
    let corners = [[1.0, 1.0], [1.0, -1.0], [-1.0, -1.0], [-1.0, 1.0f32]];
    let rim = |[half, y]: [f32; 2]| corners.map(|[x, z]| [half * x, y, half * z]);
    let positions = [[0.3, 0.0], [0.5, 0.4], [0.42, 0.4], [0.24, 0.06]].into_iter().flat_map(rim).collect();
    let band = |k: u32| (0..4).map(move |i| [4 * k + i, 4 * k + (i + 1) % 4]);
    let wall = (0..3).flat_map(band).flat_map(|[a, b]| [[a, b, b + 4], [a, b + 4, a + 4]]);
    let floors = [[0, 3, 2], [0, 2, 1], [12, 13, 14], [12, 14, 15]];
    let bowl = Mesh { positions, triangles: floors.into_iter().chain(wall).collect() };
    let bowl = RigidBody::mesh(&bowl, 0.04).expect("it is closed");
    for k in 0..6u8 {
        let x = 1.2 * f32::from(k);
        scene.add_rigid(bowl.clone().at([x, 0.0, 0.0]));
        let mut above = None;
        for i in 0..8u8 {
            let y = 2.4 - 0.2 * f32::from(i);
            let (body, breaks) = match i {
                7 => (RigidBody::sphere(0.15).mass(60.0), if k % 2 == 1 { 400.0 } else { f32::INFINITY }),
                _ => (RigidBody::capsule(0.03, 0.07).mass(0.5), f32::INFINITY),
            };
            let swings = [0.1 * f64::from(i), 0.0, 0.05 * f64::from(k)];
            let body = scene.add_rigid(body.at([x, y - 0.1, 0.0]).velocity(swings));
            let at = [f64::from(x), f64::from(y), 0.0];
            let joint = match k % 3 {
                0 => RigidJoint::ball(above, body, at),
                1 => {
                    let spring = Spring { stiffness: 20.0, damping: 0.5, rest: 0.1 };
                    RigidJoint::hinge(above, body, at, [0.0, 0.0, 1.0]).sprung(spring)
                }
                _ => RigidJoint::fixed(above, body, at),
            };
            scene.join_rigid(joint.direct().breaking_at(breaks, f32::INFINITY));
            above = Some(body);
        }
    }
    Run { scene, frames: 40, input: frame }
}

fn joined(method: Method) -> Run {
    Run { scene: patchwork(method, None), frames: 20, input: frame }
}

/// Lengths, angles and tetrahedra that yield, at once and slowly, under a ball: enough for workers.
fn plastic() -> Run {
    let mut scene = seidel::Scene::new();
    scene.settings.substeps = 5.into();
    let yields = Plasticity::new(0.002).creep(30.0).limit(0.3);
    let sheet = Cloth::grid([44, 48], [0.8, 0.9]).stretch(1e-4).shear(1e-3).compress(1e-3).bend(1e-2);
    let sheet = sheet.plastic(yields).plastic_bend(Plasticity::new(0.02)).pin_grid(seidel::GridPins::Corners);
    scene.add(sheet.placed(Pose::at([0.0, 0.24, 0.0]), 1.0));
    let bar = SoftBody::bar([0.5, 0.1, 0.1], [10, 2, 2]).young(3e4).plastic(yields);
    scene.add(bar.placed(Pose::at([1.0, 0.1, 0.0]), 1.0));
    scene.add(Rope::new([0.6, 0.5, 0.0], [0.6, 0.1, 0.0], 12).stretch(1e-2).plastic(yields).pin(&[0]));
    scene.add_collider(Collider::ground());
    scene.add_collider(Collider::sphere(0.2).at([0.05, 0.03, 0.0]));
    Run { scene, frames: 24, input: frame }
}

/// Isometric bending, with multipliers that are kept, in motion.
fn isometric() -> Run {
    let mut spec = named("flag");
    (spec.solver.substeps, spec.solver.iterations) = (20.into(), 2);
    spec.air = seidel_scenes::AirSpec::default();
    for cloth in &mut spec.cloth {
        (cloth.bend, cloth.bend_compliance) = (Some(BendModel::Isometric), Some(1e3));
        // It hangs and swings, without air.
        (cloth.drag, cloth.lift, cloth.rotation) = (0.0, 0.0, Turn::default());
        (cloth.density, cloth.damping) = (None, 0.02);
    }
    small(spec, 48, 30)
}

scenes! {
    everywhere {
        cloth_sphere = "cloth-sphere": shrunk("cloth-sphere", 32, 30);
        shapes_in_short = "shapes in short": shrunk("shapes", 16, 36);
        bodies_on_each_other = "heap": heap();
        balloons_and_shapes = "fields": fields();
        all_solids = "solids": solids();
        all_elements = "elements": elements();
        solids_in_slabs = "slabs": slabs();
        elements_of_second_order = "elements of second order": followed(elements());
        stack = "stack": shrunk("stack", 0, 60);
        top = "top": shrunk("top", 0, 60);
        jointed_bodies = "machine": machine();
        car = "car": shrunk("car", 0, 40);
        bodies_that_sleep = "asleep": asleep();
        joints_that_are_solved_at_once = "trees": trees();
        dam_break = "dam-break": poured("dam-break", 0.05, 16);
        buoyant_balls = "buoyant-balls": poured("buoyant-balls", 0.05, 16);
        sand_pile = "sand-pile": strewn("sand-pile", 0.02, 20);
    }
    native {
        iterations_and_pbd = "iterations": iterations();
        numbers_by_vertex = "mapped": mapped();
        bodies_as_spheres = "spheres": spheres();
        curtain_in_short = "curtain in short": shrunk("curtain", 16, 24);
        chain = "chain": shrunk("chain", 32, 60);
        tangled = "tangled": shrunk("tangled", 12, 24);
        elements_by_averages = "elements by averages": averaged(elements(), 1.0);
        bodies_that_are_joined = "joined": joined(Method::GaussSeidel);
        dominoes = "dominoes": shrunk("dominoes", 0, 60);
        cradle = "cradle": shrunk("cradle", 0, 60);
        pyramid = "pyramid": shrunk("pyramid", 0, 15);
        cards = "cards": shrunk("cards", 0, 12);
        chain_1000 = "chain-1000": shrunk("chain-1000", 0, 30);
        ragdolls = "ragdolls": shrunk("ragdolls", 0, 12);
        crane = "crane": shrunk("crane", 0, 30);
        flag = "flag": shrunk("flag", 32, 24);
        jacobi = "averages": averaged(iterations(), 1.25);
        moving_colliders_and_forces = "tilting": tilting();
        iterations_of_second_order = "iterations of second order": followed(iterations());
        hammock = "hammock": shrunk("hammock", 46, 10);
        fountain = "fountain": poured("fountain", 0.03, 20);
        two_phase = "two-phase": poured("two-phase", 0.04, 10);
        stirrer = "stirrer": poured("stirrer", 0.04, 25);
        cloth_bag = "cloth-bag": poured("cloth-bag", 0.03, 9);
        grains_of_two_sizes = "grains": mixed_grains();
        hourglass = "hourglass": strewn("hourglass", 0.012, 10);
        sand_on_cloth = "sand-on-cloth": strewn("sand-on-cloth", 0.02, 12);
        mudslide = "mudslide": strewn("mudslide", 0.016, 12);
        washer = "washer": shrunk("washer", 0, 10);
        wrecking_ball = "wrecking-ball": shrunk("wrecking-ball", 12, 56);
        marbles = "marbles": shrunk("marbles", 12, 4);
        flag_materials_in_short = "flag-materials in short": shrunk("flag-materials", 10, 20);
        orthotropic_in_short = "orthotropic in short": shrunk("orthotropic", 16, 5);
        balloons = "balloons": shrunk("balloons", 0, 60);
        bar_bend_in_short = "bar-bend in short": shrunk("bar-bend", 0, 15);
        what_yields = "plastic": plastic();
        workers_share_a_cloth = "cloth-sphere 64": shrunk("cloth-sphere", 64, 15);
        a_bridge_of_second_order_in_short = "rope-bridge of second order in short": followed(shrunk("rope-bridge", 0, 15));
        joints_by_averages = "joined by averages": joined(Method::JACOBI);
        rope_bridge_in_short = "rope-bridge in short": shrunk("rope-bridge", 0, 15);
        isometric_bending = "flag isometric": isometric();
        balloons_and_shapes_beside_averages = "fields beside averages": averaged(fields(), 1.1);
        solids_by_averages = "solids by averages": averaged(solids(), 1.0);
        fields_of_second_order = "fields of second order": followed(fields());
        a_heap_of_second_order = "heap of second order": followed(heap());
    }
    optimised {
        twist = "twist": shrunk("twist", 16, 100);
        layers = "layers": shrunk("layers", 12, 40);
        funnel = "funnel": shrunk("funnel", 14, 44);
        knot = "knot": shrunk("knot", 0, 150);
        drape_bunny = "drape-bunny": shrunk("drape-bunny", 32, 14);
        bullet = "bullet": shrunk("bullet", 16, 45);
        folds = "folds": shrunk("folds", 32, 60);
        sleeve = "sleeve": shrunk("sleeve", 20, 60);
        rod_twist = "rod-twist": shrunk("rod-twist", 0, 360);
        soft_heap = "soft-heap": shrunk("soft-heap", 0, 60);
        jelly_drop = "jelly-drop": shrunk("jelly-drop", 0, 45);
        dents = "dents": whole("dents", 20);
        tear = "tear": whole("tear", 90);
        fracture = "fracture": whole("fracture", 32);
        curtain_hooks = "curtain-hooks": shrunk("curtain-hooks", 24, 25);
        curtain = "curtain": shrunk("curtain", 32, 24);
        shapes = "shapes": shrunk("shapes", 32, 45);
        flag_materials = "flag-materials": shrunk("flag-materials", 16, 30);
        orthotropic = "orthotropic": shrunk("orthotropic", 16, 20);
        bar_bend = "bar-bend": shrunk("bar-bend", 0, 30);
        rope_bridge = "rope-bridge": shrunk("rope-bridge", 0, 30);
        a_bridge_of_second_order = "rope-bridge of second order": followed(shrunk("rope-bridge", 0, 30));
        full_size = "cloth-sphere 128": shrunk("cloth-sphere", 128, 6);
    }
}

/// Nothing is in the table alone, and every named scene is tested.
#[test]
fn every_scene_has_its_test() {
    let known = GOLDEN.iter().map(|(name, _)| *name);
    assert!(seidel_scenes::NAMES.iter().copied().chain(known).all(|name| TESTED.contains(&name)));
    assert_eq!(TESTED.len(), GOLDEN.len());
    assert!(EVERYWHERE.contains(&EMULATED_WITH_WORKERS));
}

/// The scene `slabs` would test no slabs if its solid were cut in another way.
#[test]
fn the_solid_lies_in_slabs() {
    assert_eq!(Plan::new(&slabs().scene).expect("sound").patches().collect::<Vec<_>>(), [8, 7]);
}
