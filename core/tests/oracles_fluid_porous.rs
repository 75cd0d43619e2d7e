//! Oracles: fluids and porous cloths. What goes through follows Darcy's law, and both keep their momentum.

use crate::runs::{FRAME, add, momentum, norm, positions, run, scene, sub};
use seidel::collider::Shape;
use seidel::{
    BodyId, Cloth, Collider, Execution, Fluid, GridPins, Input, Isa, Plan, Pose, Scene, Scratch, Solver, State,
    degrees, step,
};

const G: f64 = 9.81;

/// Metres: the side of the shaft, where the sheet spans it, and how high the water stands on it.
const SIDE: f32 = 0.12;
const SHEET: f32 = 0.3;
const HIGH: f32 = 0.2;

/// A shaft on the ground with a sheet across that does not move, and water on it.
fn shaft([substeps, iterations]: [u32; 2], spacing: f32, permeance: f32) -> (Scene, BodyId) {
    let mut scene = scene(G as f32, substeps);
    scene.settings.iterations = iterations;
    scene.add_collider(Collider::ground().friction(0.0));
    let mut wall = |at: [f32; 3], axis: [f64; 3], angle: f64| {
        scene.add_collider(Collider::new(Shape::Plane).at(at).turned(axis, degrees(angle)).friction(0.0));
    };
    wall([0.0; 3], [0.0, 0.0, 1.0], -90.0);
    wall([SIDE, 0.0, 0.0], [0.0, 0.0, 1.0], 90.0);
    wall([0.0; 3], [1.0, 0.0, 0.0], 90.0);
    wall([0.0, 0.0, SIDE], [1.0, 0.0, 0.0], -90.0);
    let count = (SIDE / (0.9 * spacing)).round() as u32 + 1;
    let sheet = Cloth::grid([count; 2], [SIDE; 2]).placed(Pose::at([0.5 * SIDE, SHEET, 0.5 * SIDE]), 1.0);
    scene.add(sheet.thickness(0.0).permeance(permeance).pin(&(0..count * count).collect::<Vec<u32>>()));
    let low = SHEET + 0.25 * spacing;
    let water = scene.add(Fluid::block([0.0, low, 0.0], [SIDE, low + HIGH, SIDE]).spacing(spacing));
    (scene, water)
}

/// The share of the water that is over the sheet after some frames.
fn left((scene, water): &(Scene, BodyId), frames: &[u32]) -> Vec<f64> {
    let mut solver = Solver::new(scene).unwrap();
    let mut frame = 0;
    let after = frames.iter().map(|&end| {
        while frame < end {
            let report = solver.step(&Input::frame(FRAME));
            assert!(report.rejected.is_none() && report.lost.is_none(), "frame {frame}: {report:?}");
            frame += 1;
        }
        let all = positions(&solver, *water);
        all.iter().filter(|p| p[1] > f64::from(SHEET)).count() as f64 / all.len() as f64
    });
    after.collect()
}

/// Water of a height H over the sheet presses with rho g H, so it sinks as exp(-L rho g t): once with more substeps,
/// once with more sweeps, once with a coarser fluid.
#[test]
fn water_sinks_through_as_darcy_says() {
    for (counts, spacing, permeance) in
        [([20, 3], 0.012, 1e-4), ([20, 1], 0.02, 3e-5), ([60, 1], 0.02, 1e-4), ([20, 1], 0.02, 1e-4)]
    {
        // The first layers come through later, for the water falls onto the sheet.
        let frames = [20, 80];
        let share = left(&shaft(counts, spacing, permeance), &frames);
        let rate = (share[0] / share[1]).ln() / f64::from(FRAME) / f64::from(frames[1] - frames[0]);
        let wanted = f64::from(permeance) * 1000.0 * G;
        println!("{counts:?}, {spacing} m, {permeance}: {rate:.3} for {wanted:.3} per second, {share:.3?} left");
        assert!((rate / wanted - 1.0).abs() < 0.08, "{rate} {wanted}");
    }
}

/// What lets nothing through holds all, and what is open holds little.
#[test]
fn a_sheet_is_watertight_or_a_sieve() {
    assert_eq!(left(&shaft([20, 1], 0.02, 0.0), &[60]), [1.0]);
    let nearly = left(&shaft([20, 1], 0.02, 1e-9), &[60])[0];
    assert!(nearly > 0.999, "{nearly}");
    // It falls from 0.2 m in as many seconds.
    let open = left(&shaft([20, 1], 0.02, 1.0), &[20])[0];
    assert!(open < 0.05, "{open}");
}

/// Water that flies through a sheet slows down and takes it along, and both keep their momentum.
#[test]
fn what_goes_through_keeps_momentum() {
    let mut scene = scene(0.0, 20);
    let sheet = Cloth::grid([24; 2], [0.4; 2]).density(0.5).permeance(2e-4);
    let sheet = scene.add(sheet.stretch(1e-5).shear(1e-3));
    let drop = Fluid::block([-0.06, 0.02, -0.06], [0.06, 0.14, 0.06]).spacing(0.02).velocity([0.0, -1.0, 0.0]);
    let drop = scene.add(drop);
    let mut solver = Solver::new(&scene).unwrap();
    let before = momentum(&solver, drop);
    run(&mut solver, 20, FRAME);
    let [of_sheet, of_drop] = [sheet, drop].map(|body| momentum(&solver, body));
    let after = add(of_sheet, of_drop);
    assert!(norm(sub(after, before)) < 1e-4 * norm(before), "{before:?} {after:?}");
    assert!(of_sheet[1] < 0.02 * before[1], "{of_sheet:?} of {before:?}");
    let (through, all) = (positions(&solver, drop), positions(&solver, sheet));
    let middle = all.iter().map(|p| p[1]).sum::<f64>() / all.len() as f64;
    let through = through.iter().filter(|p| p[1] < middle - 0.05).count();
    assert!(through > 20, "{through} of 216 are through");
}

#[test]
fn porous_sheets_have_the_same_bits_everywhere() {
    let mut scene = scene(G as f32, 8);
    scene.add_collider(Collider::ground());
    for (high, permeance) in [(0.3, 1e-4), (0.2, 5e-5)] {
        let sheet = Cloth::grid([16; 2], [0.3; 2]).placed(Pose::at([0.0, high, 0.0]), 1.0).permeance(permeance);
        scene.add(sheet.pin_grid(GridPins::FirstRow).pin_grid(GridPins::LastRow));
    }
    let honey = Fluid::block([-0.1, 0.32, -0.1], [0.1, 0.46, 0.1]).spacing(0.02);
    scene.add(honey.viscosity(1e-3).slip_length(0.0).surface_tension(0.07));
    let plan = Plan::new(&scene).unwrap();
    let hash = |isa: Isa, threads: usize| {
        let (mut state, mut scratch) = (State::new(&plan), Scratch::new(&plan, Execution::new(isa, threads)));
        for _ in 0..40 {
            let report = step(&plan, &mut state, &Input::frame(FRAME), &mut scratch);
            assert!(report.rejected.is_none() && report.lost.is_none(), "{report:?}");
            scratch.poison();
        }
        state.hash()
    };
    let first = hash(Isa::PORTABLE, 1);
    for (isa, threads) in Isa::available().into_iter().zip([2, 5, 1].into_iter().cycle()) {
        assert_eq!(hash(isa, threads), first, "{isa}, {threads} threads");
    }
}

#[test]
fn what_it_lets_through_is_checked() {
    for (permeance, told) in [(-1e-6, "-1e-6"), (2.0, "2"), (f32::NAN, "NaN")] {
        let mut scene = Scene::new();
        scene.add(Cloth::grid([4; 2], [0.1; 2]).named("sieve").permeance(permeance));
        let error = Plan::new(&scene).unwrap_err().to_string();
        assert_eq!(error, format!("body `sieve`: permeance is {told}, which is not within 0 .. 1 m/(s Pa)"));
    }
}
