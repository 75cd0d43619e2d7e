//! Stepping does not allocate: all memory is there after the first step, with one thread and with several. And what
//! planning and stepping take is what `Scene::need` has estimated.

mod runs;

use glam::Vec3;
use runs::FRAME;
use seidel::Stiffness;
use seidel::collider::{ConvexHull, HeightField, Motion, Sdf};
use seidel::render::{Normals, Skin};
use seidel::{
    Balloon, BatchScratch, Cloth, Collide, Collider, Decomposition, Emitter, Execution, Fluid, Grains, Input,
    Intersections, Isa, Mesh, Method, Opening, Plan, Plasticity, Pose, Region, RigidBody, Rod, Rope, Scene, Scratch,
    ShapeMatched, Side, SoftBody, State, step, step_many,
};
use std::alloc::{GlobalAlloc, Layout, System};
use std::f64::consts::PI;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The system's allocator, with the number of times that any thread has asked for memory, the bytes that are taken, and
/// the most that were.
struct Counting;

static COUNT: AtomicUsize = AtomicUsize::new(0);
static TAKEN: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

fn take(bytes: usize) {
    COUNT.fetch_add(1, Ordering::Relaxed);
    let taken = TAKEN.fetch_add(bytes, Ordering::Relaxed) + bytes;
    MOST.fetch_max(taken, Ordering::Relaxed);
}

fn give(bytes: usize) {
    TAKEN.fetch_sub(bytes, Ordering::Relaxed);
}

// SAFETY: every call goes to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: the caller promises that the layout and the pointer are as `GlobalAlloc` demands.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        give(layout.size());
        // SAFETY: the caller promises that the layout and the pointer are as `GlobalAlloc` demands.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Both may be there at once.
        take(size);
        give(layout.size());
        // SAFETY: the caller promises that the layout and the pointer are as `GlobalAlloc` demands.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A cloth on a ball that moves, beside a rope: damping, bending, friction; enough particles for workers.
fn scene(iterations: u32, pbd: bool, method: Method) -> Scene {
    let mut scene = Scene::new();
    scene.settings.method = method;
    (scene.settings.substeps, scene.settings.iterations) = (4.into(), iterations);
    let cloth = Cloth::grid([50, 50], [1.0, 1.0]).placed(Pose::at([0.0, 0.42, 0.0]), 1.0).damping(0.05);
    let cloth = cloth.drag(1.2).lift(1.0);
    let stiffness = |k| if pbd { Stiffness::pbd(k) } else { Stiffness::compliance(1e-4) };
    scene.add(cloth.stretch_by(stiffness(0.9)).bend_by(stiffness(0.1)));
    scene.add(Rope::new([-0.5, 0.6, 0.1], [0.5, 0.6, 0.1], 30).slack(true));
    // Frames are for Gauss-Seidel.
    if method == Method::GaussSeidel {
        scene.add(Rod::new([-0.5, 0.7, 0.2], [0.5, 0.7, 0.2], 30).pin(&[0, 1]).damping(0.1));
    }
    scene.add_collider(Collider::ground().restitution(0.3));
    let motion = Motion::Sinusoidal { amplitude: [0.1, 0.0, 0.0].into(), period: 1.0, phase: 0.0 };
    scene.add_collider(Collider::sphere(0.2).at([0.0, 0.2, 0.0]).moving(motion));
    scene.add_collider(Collider::sphere(0.1).at([0.3, 0.35, 0.0]));
    let ball = Sdf::from_mesh(&runs::meshes::ball(0.15, 3), 0.02).expect("a closed mesh");
    scene.add_collider(Collider::sdf(Arc::new(ball)).at([-0.3, 0.3, 0.0]));
    let hull = ConvexHull::new(&[[0.0; 3], [0.2, 0.0, 0.0], [0.0, 0.2, 0.0], [0.0, 0.0, 0.2]]).expect("a hull");
    scene.add_collider(Collider::hull(Arc::new(hull)).at([-0.2, 0.35, 0.2]));
    let hills = HeightField::new([2, 2], &[0.02, 0.0, 0.02, 0.0], 1.0).expect("a field");
    scene.add_collider(Collider::height_field(Arc::new(hills)));
    scene
}

/// One test, so that nothing else runs beside what is counted.
/// Not under the test harness: its thread allocates when a test has run for a minute, and all threads are counted.
fn main() {
    let named = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect::<Vec<_>>();
    let tests: [(&str, fn()); 4] = [
        ("steps_do_not_allocate", steps_do_not_allocate),
        ("grains_do_not_allocate", grains_do_not_allocate),
        ("fluids_do_not_allocate", fluids_do_not_allocate),
        ("scenes_need_what_they_take", || on_two_threads(scenes_need_what_they_take)),
    ];
    for (of, test) in tests {
        if named.iter().all(|name| of.contains(name.as_str())) {
            test();
        }
    }
}

/// The least of some counts; those behind the first that is 0 need not be made.
fn until_none(mut counts: impl Iterator<Item = usize>) -> Option<usize> {
    let mut least: Option<usize> = None;
    while let Some(count) = counts.next().filter(|_| least != Some(0)) {
        least = Some(least.map_or(count, |least| least.min(count)));
    }
    least
}

fn steps_do_not_allocate() {
    let gauss_seidel = [(1, false, 1), (1, false, 3), (3, false, 3), (3, true, 1), (3, true, 3)];
    let gauss_seidel = gauss_seidel.map(|(iterations, pbd, threads)| (iterations, pbd, threads, Method::GaussSeidel));
    let jacobi = [(1, false, 1, Method::JACOBI), (3, false, 3, Method::JACOBI)];
    for (iterations, pbd, threads, method) in gauss_seidel.into_iter().chain(jacobi) {
        let plan = Plan::new(&scene(iterations, pbd, method)).expect("a sound scene");
        let mut state = State::new(&plan);
        let mut scratch = Scratch::new(&plan, Execution::new(Isa::detect(), threads));
        assert_eq!(scratch.threads(), threads);
        scratch.record_contacts(&plan, true).expect("few enough");
        let cloth = plan.body_ids().next().expect("a cloth");
        let ball = plan.collider_ids().nth(2).expect("a ball");
        let forces = vec![Vec3::splat(1e-5); plan.vertices(cloth)];
        let quiet = Input::frame(FRAME);
        let busy =
            Input::frame(FRAME).forces(cloth, &forces).pose(ball, Pose::at([0.3, 0.4, 0.0])).wind([1.0, 0.0, 0.0]);
        let busy = busy.pull(cloth, 0, [-0.5, 0.5, -0.5], 1e-2).pull(cloth, 2499, [0.5, 0.5, 0.5], 1e-2);
        step(&plan, &mut state, &busy, &mut scratch);
        // A thread may start as late as it likes, and starting takes memory: one of several runs of steps is free of
        // that.
        let runs = if threads == 1 { 1 } else { 20 };
        let counts = (0..runs).map(|_| {
            let (mut contacts, before) = (0, COUNT.load(Ordering::Relaxed));
            for frame in 0..10 {
                let input = if frame % 3 == 0 { &busy } else { &quiet };
                contacts += step(&plan, &mut state, input, &mut scratch).contacts;
            }
            let count = COUNT.load(Ordering::Relaxed) - before;
            assert!(contacts > 0, "the cloth has not reached the ball");
            count
        });
        let least = until_none(counts);
        assert_eq!(least, Some(0), "{iterations} iterations, PBD {pbd}, {threads} threads, {method:?}");

        let mut states = vec![state; 4];
        let mut batch = BatchScratch::new(&plan, Execution::new(Isa::detect(), threads));
        let mut many = || {
            let before = COUNT.load(Ordering::Relaxed);
            let reports = step_many(&plan, &mut states, std::slice::from_ref(&quiet), &mut batch);
            assert!(reports.is_ok_and(|reports| reports.len() == 4));
            COUNT.load(Ordering::Relaxed) - before
        };
        many();
        assert_eq!(until_none((0..runs).map(|_| many())), Some(0), "many states, {threads} threads");
    }
    for (collide, least) in [(Collide::All, 1000), (Collide::Spheres, 300)] {
        bodies_that_touch_do_not_allocate(collide, least);
    }
    rigid_bodies_do_not_allocate();
    obstacles_do_not_allocate();
    fields_do_not_allocate();
    frames_of_a_render_mesh_do_not_allocate();
    counting_intersections_again_does_not_allocate();
    switches_do_not_allocate();
    what_yields_does_not_allocate();
}

/// Lists of pairs grow to what they need, and then no more.
fn bodies_that_touch_do_not_allocate(collide: Collide, least: u32) {
    let mut scene = Scene::new();
    let sheet = |n: u32, y: f32| Cloth::grid([n, n], [1.0, 1.0]).placed(Pose::at([0.01, y, 0.0]), 1.0).thickness(0.005);
    let all: Vec<u32> = (0..900).collect();
    let below = if collide == Collide::All { Collide::Others } else { collide };
    scene.add(sheet(30, 0.0).pin(&all).collide(below));
    scene.add(sheet(24, 0.012).damping(0.1).collide(collide));
    let plan = Plan::new(&scene).expect("a sound scene");
    let mut state = State::new(&plan);
    let mut scratch = Scratch::new(&plan, Execution::new(Isa::detect(), 1));
    scratch.record_contacts(&plan, true).expect("few enough");
    let (input, mut pairs) = (Input::frame(FRAME), 0);
    (0..60).for_each(|_| drop(step(&plan, &mut state, &input, &mut scratch)));
    let before = COUNT.load(Ordering::Relaxed);
    (0..10).for_each(|_| pairs += step(&plan, &mut state, &input, &mut scratch).pairs.contacts);
    assert_eq!(COUNT.load(Ordering::Relaxed) - before, 0, "{collide:?}");
    assert!(pairs > least, "{pairs} contacts of {collide:?}");
}

/// Nor rigid bodies, on each other and in a sheet.
fn rigid_bodies_do_not_allocate() {
    let mut scene = Scene::new();
    scene.settings.substeps = 10.into();
    let border: Vec<u32> = (0..20).chain(380..400).collect();
    scene.add(Cloth::grid([20, 20], [1.0, 1.0]).density(0.5).thickness(5e-3).pin(&border));
    for k in 0..4u8 {
        let at = [0.2 * f32::from(k % 2) - 0.1, 0.15 + 0.2 * f32::from(k / 2), 0.02 * f32::from(k)];
        scene.add_rigid(RigidBody::cuboid([0.08; 3]).density(300.0).at(at));
    }
    let plan = Plan::new(&scene).expect("a sound scene");
    let mut state = State::new(&plan);
    let mut scratch = Scratch::new(&plan, Execution::new(Isa::detect(), 1));
    let input = Input::frame(FRAME);
    let mut steps = |frames| {
        let (mut contacts, before) = ([0, 0], COUNT.load(Ordering::Relaxed));
        for _ in 0..frames {
            let report = step(&plan, &mut state, &input, &mut scratch);
            contacts[0] += report.rigid_contacts;
            contacts[1] += report.rigid_particle_contacts;
        }
        (COUNT.load(Ordering::Relaxed) - before, contacts)
    };
    // They fall and come to lie: all has grown to what is needed.
    steps(120);
    let (count, [rigid, particles]) = steps(30);
    assert!(rigid > 20 && particles > 100, "{rigid} contacts of boxes, {particles} with the sheet");
    assert_eq!(count, 0);
}

/// Nor obstacles, which hold back and take along.
fn obstacles_do_not_allocate() {
    for iterations in [1, 3] {
        let plan = Plan::new(&runs::obstacles::dressed(iterations)).expect("a sound scene");
        let mut state = State::new(&plan);
        let mut scratch = Scratch::new(&plan, Execution::new(Isa::detect(), 1));
        scratch.record_contacts(&plan, true).expect("few enough");
        let input = Input::frame(FRAME);
        // The same steps again: all has grown to what they need.
        let start = state.clone();
        let mut steps = || {
            let (mut held, mut contacts) = (0, 0);
            let before = COUNT.load(Ordering::Relaxed);
            for _ in 0..40 {
                let report = step(&plan, &mut state, &input, &mut scratch);
                (held, contacts) = (held + report.pairs.clamped, contacts + report.contacts);
            }
            let count = COUNT.load(Ordering::Relaxed) - before;
            state.clone_from(&start);
            (count, held, contacts)
        };
        steps();
        let (count, held, contacts) = steps();
        assert!(held > 100 && contacts > 100, "{held} held, {contacts} contacts with the ball");
        assert_eq!(count, 0, "{iterations} iterations");
    }
}

/// Nor balloons and shapes, whole and cut.
fn fields_do_not_allocate() {
    let mut scene = Scene::new();
    (scene.settings.substeps, scene.settings.iterations) = (4.into(), 2);
    let (ball, large) = (Mesh::ball(0.2, 3), Mesh::ball(0.2, 4));
    scene.add(Balloon::new(&ball).stretch(0.01).pressure_path(&[[0.0, 1.0], [1.0, 2.0]]));
    let at = |x: f32| Pose::at([x, 0.0, 0.0]);
    scene.add(ShapeMatched::new(&ball).placed(at(0.5), 1.0).clusters(0.1).linear(0.4).compliance(1e-3));
    scene.add(ShapeMatched::new(&large).placed(at(-0.5), 1.0).compliance(1e-4));
    scene.add_collider(Collider::ground().at([0.0, -0.25, 0.0]));
    let plan = Plan::new(&scene).expect("a sound scene");
    let balloon = plan.body_ids().next().expect("a balloon");
    for threads in [1, 3] {
        let (mut state, mut scratch) = (State::new(&plan), Scratch::new(&plan, Execution::new(Isa::detect(), threads)));
        let (quiet, busy) = (Input::frame(FRAME), Input::frame(FRAME).pressure(balloon, 1.3));
        step(&plan, &mut state, &busy, &mut scratch);
        let runs = if threads == 1 { 1 } else { 20 };
        let counts = (0..runs).map(|_| {
            let before = COUNT.load(Ordering::Relaxed);
            for input in [&quiet, &busy, &quiet] {
                assert!(step(&plan, &mut state, input, &mut scratch).rejected.is_none());
            }
            COUNT.load(Ordering::Relaxed) - before
        });
        assert_eq!(until_none(counts), Some(0), "fields, {threads} threads");
    }
}

/// Nor what flows: lengths, angles and tetrahedra.
fn what_yields_does_not_allocate() {
    let mut scene = Scene::new();
    scene.settings.substeps = 4.into();
    let plastic = Plasticity::new(1e-3).fatigue(5.0).breaks(10.0);
    let sheet = Cloth::grid([20, 20], [0.5, 0.5]).stretch(1e-4).bend(1e-2).plastic(plastic).plastic_bend(plastic);
    let sheet = scene.add(sheet.pin(&[0, 19]));
    let bar = SoftBody::bar([0.3, 0.1, 0.1], [6, 2, 2]).young(2e4).plastic(plastic).pin_side(Side::MinX);
    let bar = scene.add(bar.placed(Pose::at([2.0, 0.0, 0.0]), 1.0));
    let plan = Plan::new(&scene).expect("a sound scene");
    for threads in [1, 2] {
        let (mut state, mut scratch) = (State::new(&plan), Scratch::new(&plan, Execution::new(Isa::detect(), threads)));
        step(&plan, &mut state, &Input::frame(FRAME), &mut scratch);
        let counts = (0..if threads == 1 { 1 } else { 20 }).map(|_| {
            let before = COUNT.load(Ordering::Relaxed);
            (0..10).for_each(|_| drop(step(&plan, &mut state, &Input::frame(FRAME), &mut scratch)));
            COUNT.load(Ordering::Relaxed) - before
        });
        assert_eq!(until_none(counts), Some(0), "{threads} threads");
        let strains = [sheet, bar].map(|body| plan.plastic_strain(&state, body));
        assert!(strains.iter().all(|strain| *strain > 0.0), "{strains:?}");
    }
}

/// Grains of one kind, and of two with cohesion and lighter upper layers, that a ball stirs.
fn grains_do_not_allocate() {
    for (mixed, threads) in [(false, 1), (true, 1), (true, 2)] {
        let mut scene = Scene::new();
        scene.settings.substeps = 4.into();
        let grains = Grains::block([-0.08, 0.0, -0.08], [0.08, 0.12, 0.08]).radius(0.01).friction(0.4);
        scene.add(if mixed { grains.mass_scaling(2.0) } else { grains });
        if mixed {
            scene.add(Grains::block([-0.05, 0.13, -0.05], [0.05, 0.2, 0.05]).radius(0.012).cohesion(300.0));
        }
        scene.add_collider(Collider::ground());
        let motion = Motion::Sinusoidal { amplitude: [0.05, 0.0, 0.0].into(), period: 0.5, phase: 0.0 };
        scene.add_collider(Collider::sphere(0.04).at([0.0, 0.04, 0.0]).moving(motion));
        let contacts = until_steps_do_not_allocate(&scene, threads, (&format!("grains, mixed: {mixed}"), false));
        assert!(contacts[0] > 1000, "{contacts:?}");
    }
    let mut scene = Scene::new();
    scene.settings.substeps = 4.into();
    let spout = Emitter::new(Pose::at([0.0, 0.3, 0.0]).turned([1.0, 0.0, 0.0], PI), Opening::Disk(0.06), 1.0);
    let drain = Region::cuboid([-0.3, -1.0, -0.3], [0.3, 0.02, 0.3]);
    scene.add(Grains::empty().radius(0.01).emit(spout).capacity(600).drain(drain));
    scene.add_collider(Collider::ground().friction(0.2));
    let [_, born, drained] = until_steps_do_not_allocate(&scene, 1, ("grains that come and go", true));
    assert!(born > 20 && drained > 20, "{born} born, {drained} drained");
}

/// Fluids from an opening and into a drain between walls: alone, and with viscosity that drags, surface tension and
/// vorticity confinement beside a cloth and a rigid body.
fn fluids_do_not_allocate() {
    for (all, threads) in [(false, 1), (true, 1), (true, 2)] {
        let mut scene = Scene::new();
        scene.settings.substeps = 4.into();
        let jet = Emitter::new(Pose::at([0.0, 0.5, 0.0]).turned([1.0, 0.0, 0.0], PI), Opening::Disk(0.08), 1.0);
        let fluid = Fluid::block([-0.2, 0.0, -0.2], [0.2, 0.2, 0.2]).spacing(0.04).capacity(800).emit(jet);
        let fluid = fluid.drain(Region::cuboid([0.1, -1.0, 0.1], [0.2, 0.05, 0.2]));
        if all {
            let fluid = fluid.viscosity(1e-3).slip_length(0.01).surface_tension(0.05).vorticity_confinement(1.0);
            scene.add(fluid);
            let upright = Pose::at([-0.1, 0.12, 0.0]).turned([1.0, 0.0, 0.0], 0.5 * PI);
            scene.add(Cloth::grid([8, 8], [0.2, 0.2]).placed(upright, 1.0).pin(&[0, 7]));
            scene.add_rigid(RigidBody::cuboid([0.05; 3]).density(300.0).at([0.1, 0.25, -0.05]));
        } else {
            scene.add(fluid);
        }
        scene.add_collider(Collider::ground());
        for towards in [0.0, 0.5, 1.0, 1.5].map(|turns| turns * PI) {
            let (x, z) = (-0.2 * f64::cos(towards), 0.2 * f64::sin(towards));
            let facing =
                Pose::at([x as f32, 0.0, z as f32]).turned([0.0, 0.0, 1.0], -0.5 * PI).turned([0.0, 1.0, 0.0], towards);
            let mut wall = Collider::ground();
            wall.pose = facing;
            scene.add_collider(wall);
        }
        let [_, born, drained] = until_steps_do_not_allocate(&scene, threads, (&format!("fluids, all: {all}"), all));
        assert!(born > 20 && drained > 20, "{born} born, {drained} drained");
    }
}

/// Steps until lists have grown to what they need, then counts; returns contacts of grains, and particles born and
/// drained in the counted steps.
fn until_steps_do_not_allocate(scene: &Scene, threads: usize, (what, swirls): (&str, bool)) -> [u32; 3] {
    let plan = Plan::new(scene).expect("a sound scene");
    let (mut state, mut scratch) = (State::new(&plan), Scratch::new(&plan, Execution::new(Isa::detect(), threads)));
    let input = Input::frame(FRAME);
    let mut steps = |frames: u32| {
        let (before, mut told) = (COUNT.load(Ordering::Relaxed), [0; 3]);
        for _ in 0..frames {
            let report = step(&plan, &mut state, &input, &mut scratch);
            assert!(report.rejected.is_none() && report.lost.is_none(), "{what}: {report:?}");
            let [born, drained] = [report.fluid_born + report.grain_born, report.fluid_drained + report.grain_drained];
            let of = [report.grain_contacts, born, drained];
            (0..3).for_each(|k| told[k] += of[k]);
        }
        (COUNT.load(Ordering::Relaxed) - before, told)
    };
    steps(120);
    // A fluid that swirls finds new largest lists for a while. With several threads it is chance which of them has the
    // largest.
    let mut told = [0; 3];
    let counts = (0..if threads == 1 && !swirls { 1 } else { 20 }).map(|_| {
        let (count, of) = steps(20);
        (0..3).for_each(|k| told[k] += of[k]);
        count
    });
    assert_eq!(until_none(counts), Some(0), "{what}, {threads} threads");
    told
}

fn frames_of_a_render_mesh_do_not_allocate() {
    let mut scene = Scene::new();
    let cloth = scene.add(Cloth::grid([50, 50], [1.0, 1.0]).placed(Pose::at([0.0, 0.42, 0.0]), 1.0));
    let plan = Plan::new(&scene).expect("a sound scene");
    let mut normals = Normals::new(&plan, cloth).expect("a cloth has triangles");
    let fine = Cloth::grid([99, 77], [0.9, 0.9]).placed(Pose::at([0.0, 0.44, 0.0]), 1.0);
    let mut skin = Skin::bind(&plan, cloth, fine.mesh()).expect("a sound mesh");
    let mut x = vec![Vec3::ZERO; plan.vertices(cloth)];
    let (mut n, mut y, mut m) = (x.clone(), vec![Vec3::ZERO; 99 * 77], vec![Vec3::ZERO; 99 * 77]);
    let state = State::new(&plan);
    let before = COUNT.load(Ordering::Relaxed);
    state.read_positions(&plan, cloth, &mut x);
    normals.update(&x, &mut n);
    skin.update(&x, &mut y, &mut m);
    assert_eq!(COUNT.load(Ordering::Relaxed) - before, 0);
    assert!(n.iter().chain(&m).all(|n| (*n - Vec3::Y).length() < 1e-5));
}

/// Pins with the masses of the plan, and what waits in a pool.
fn switches_do_not_allocate() {
    let mut scene = scene(1, false, Method::GaussSeidel);
    let crate_ = scene.add_rigid(RigidBody::cuboid([0.1; 3]).at([3.0, 1.0, 0.0]));
    let plan = Plan::new(&scene).expect("a sound scene");
    let (mut state, mut scratch) = (State::new(&plan), Scratch::new(&plan, Execution::new(Isa::detect(), 1)));
    step(&plan, &mut state, &Input::frame(FRAME), &mut scratch);
    let before = COUNT.load(Ordering::Relaxed);
    for collider in plan.collider_ids() {
        state.disable_collider(&plan, collider);
        state.enable_collider(&plan, collider);
    }
    for body in plan.body_ids() {
        state.pin(&plan, body, 7).expect("it may be pinned");
        state.unpin(&plan, body, 7).expect("it has a mass");
        state.disable(&plan, body).expect("nothing holds it");
        state.enable(&plan, body).expect("nothing holds it");
    }
    state.disable_rigid(&plan, crate_).expect("nothing holds it");
    assert!(step(&plan, &mut state, &Input::frame(FRAME), &mut scratch).rejected.is_none());
    state.enable_rigid(&plan, crate_).expect("nothing holds it");
    assert_eq!(COUNT.load(Ordering::Relaxed) - before, 0);
}

fn counting_intersections_again_does_not_allocate() {
    let mut scene = Scene::new();
    scene.add(Cloth::grid([50, 50], [1.0, 1.0]));
    scene.add(
        Cloth::grid([40, 40], [1.0, 1.0])
            .placed(Pose::at([0.0; 3]).turned([1.0, 0.0, 1.0], seidel::degrees(60.0)), 1.0),
    );
    scene.add(Rope::new([0.1, -0.5, 0.1], [0.1, 0.5, 0.1], 30));
    let plan = Plan::new(&scene).expect("a sound scene");
    let (state, mut found) = (State::new(&plan), Intersections::new());
    let first = found.count(&plan, &state).expect("few triangles");
    assert!(first.triangles > 100 && first.edges > 0, "{first:?}");
    let before = COUNT.load(Ordering::Relaxed);
    assert_eq!(found.count(&plan, &state), Ok(first));
    assert_eq!(COUNT.load(Ordering::Relaxed) - before, 0);
}

/// What is taken for a while goes with the threads.
fn on_two_threads(test: fn()) {
    seidel::rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap().install(test);
}

/// What is taken at most to make a scene, plan it and step it is no more than it is said to need, and no less than a
/// part of it.
fn scenes_need_what_they_take() {
    let wrong = std::sync::Mutex::new(Vec::new());
    let measure = |what: &str, made: &dyn Fn() -> Scene| {
        let before = TAKEN.load(Ordering::Relaxed);
        MOST.store(before, Ordering::Relaxed);
        let scene = made();
        let need = scene.need().bytes as usize;
        let plan = Plan::new(&scene).unwrap();
        let (mut state, mut scratch) = (State::new(&plan), Scratch::new(&plan, Execution::default()));
        let report = step(&plan, &mut state, &Input::frame(FRAME), &mut scratch);
        assert!(report.rejected.is_none(), "{what}: {report:?}");
        let most = MOST.load(Ordering::Relaxed) - before;
        println!("{what}: {most} bytes of {need}");
        if most > need || need > 4 * most {
            wrong.lock().unwrap().push(format!("{what}: {most} bytes are taken, and {need} were estimated"));
        }
    };
    measure("a rope", &|| {
        let mut scene = Scene::new();
        scene.settings.substeps = 2.into();
        scene.add(Rope::new([0.0; 3], [100.0, 0.0, 0.0], 100_000));
        scene
    });
    measure("a rod", &|| {
        let mut scene = Scene::new();
        scene.settings.substeps = 2.into();
        scene.add(Rod::new([0.0; 3], [100.0, 0.0, 0.0], 50_000));
        scene
    });
    let ball = |detail: u32| Mesh::ball(0.2, detail);
    let of = |body: ShapeMatched| {
        let mut scene = Scene::new();
        scene.settings.substeps = 2.into();
        scene.add(body);
        scene
    };
    measure("one shape", &|| of(ShapeMatched::new(ball(5))));
    // From clusters of a dozen vertices to clusters of some hundreds.
    for radius in [0.012, 0.03, 0.1] {
        measure(&format!("clusters of {radius} m"), &|| of(ShapeMatched::new(ball(5)).clusters(radius)));
    }
    // Two balls that flow into one another are cut once, and fewer pieces stand for three that have limits of their
    // own.
    let pair = |cell: f32| Mesh::of_balls(&[[0.0, 0.0, 0.0, 0.3], [0.5, 0.0, 0.0, 0.3]], cell).unwrap();
    for (what, cell, bodies) in [("a fine mesh", 0.012, 1), ("a coarse one, three times", 0.03, 3)] {
        let mesh = pair(cell);
        measure(&format!("{what}, of {} triangles", mesh.triangles.len()), &|| {
            let first = RigidBody::mesh(&mesh, 0.05).unwrap();
            let mut scene = Scene::new();
            for i in 0..bodies {
                let limits = Decomposition::default().pieces(3 + i);
                scene.add_rigid(first.clone().at([0.0, i as f32, 0.0]).decomposition(limits));
            }
            scene
        });
    }
    // Balls are counted before their surface is made, which takes next to nothing, and no other number is told later.
    for (what, count, cell) in [("a filled ball", 1, 0.025), ("many that overlap", 30, 0.05)] {
        let balls: Vec<[f32; 4]> = (0..count).map(|i| [0.02 * i as f32, 0.0, 0.0, 0.3]).collect();
        let before = TAKEN.load(Ordering::Relaxed);
        MOST.store(before, Ordering::Relaxed);
        let told = SoftBody::need_of_balls(&balls, cell, 0.35 * cell);
        let counting = MOST.load(Ordering::Relaxed) - before;
        let body = || SoftBody::filled(Mesh::of_balls(&balls, 0.35 * cell).unwrap(), cell);
        let later = seidel::Recipe::from(body()).need();
        let made = body().mesh().unwrap().positions.len() as u64;
        println!("{what}: {told:?} before, {later:?} after, {made} made, {counting} bytes to count them");
        if counting > 200_000 || later.bytes > told.bytes || made > told.particles || 3 * told.particles > 4 * made {
            wrong
                .lock()
                .unwrap()
                .push(format!("{what}: {told:?} before, {later:?} after, {made} made, {counting} bytes"));
        }
        measure(what, &|| {
            let mut scene = Scene::new();
            scene.settings.substeps = 2.into();
            scene.add(body());
            scene
        });
    }
    // Balls between the points that are counted need the grid of their surface all the same.
    let apart: Vec<[f32; 4]> =
        (0..108).map(|i| [1.3 * (i % 6) as f32, 1.3 * (i / 6 % 6) as f32, 1.3 * (i / 36) as f32, 0.03]).collect();
    let told = SoftBody::need_of_balls(&apart, 0.1, 0.035);
    let grid = seidel::memory::Need::ball_grid(Mesh::count_ball_nodes(&apart, 0.035));
    if told.bytes < grid.bytes || told.particles < 8 * 108 {
        wrong.lock().unwrap().push(format!("balls apart: {told:?}, and the grid alone takes {grid:?}"));
    }
    // A collider of balls is counted with its surface and the tree over its triangles.
    for (what, count, cell) in [("a field of a ball", 1, 0.03), ("of many that overlap", 30, 0.03)] {
        let balls: Vec<[f32; 4]> = (0..count).map(|i| [0.02 * i as f32, 0.0, 0.0, 0.3]).collect();
        let before = TAKEN.load(Ordering::Relaxed);
        MOST.store(before, Ordering::Relaxed);
        let told = seidel::collider::Sdf::need_of_balls(&balls, cell).bytes as usize;
        let field = seidel::collider::Sdf::from_mesh(&Mesh::of_balls(&balls, cell).unwrap(), cell).unwrap();
        let most = MOST.load(Ordering::Relaxed) - before;
        println!("{what}: {most} bytes of {told}");
        if most > told || told > 2 * most {
            wrong.lock().unwrap().push(format!("{what}: {most} bytes are taken, and {told} were estimated"));
        }
        drop(field);
    }
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
