//! Fatigue: what is bent to and fro softens and breaks by the plastic strain that it has accumulated.

use crate::runs::{self, FRAME, P, particles, positions, run};
use seidel::kernels::Kind;
use seidel::kinds::{DIHEDRAL, DISTANCE, HOOKE, NEO_HOOKEAN, STABLE_ENERGY, STABLE_NEO_HOOKEAN, STRETCH, STVK};
use seidel::{
    Body, BodyId, Cloth, Constraints, GridPins, Isa, Method, Plan, Plasticity, Pose, Recipe, Rope, Scene, Side,
    SoftBody, Solver, State, Stiffness, VelocityUpdate,
};
use std::sync::Arc;

/// A row of a kind that is strained to and fro by fixed points, in equivalent strains or radians.
struct Driven {
    kind: Kind,
    rest: Vec<f32>,
    /// The points for an elastic strain.
    points: fn(f64) -> Vec<P>,
}

fn length(kind: Kind, rest: Vec<f32>) -> Driven {
    Driven { kind, rest, points: |strain| vec![[0.0; 3], [1.0 + strain, 0.0, 0.0]] }
}

fn hinge() -> Driven {
    let points = |angle: f64| vec![[0.0; 3], [0.0, 0.0, 1.0], [1.0, 0.0, 0.5], [-angle.cos(), angle.sin(), 0.5]];
    Driven { kind: DIHEDRAL, rest: vec![0.0], points }
}

fn solid(kind: Kind) -> Driven {
    // Of diag(l, 1, 1) the equivalent strain is 2/3 ln l.
    let points = |strain: f64| vec![[0.0; 3], [(1.5 * strain).exp(), 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    Driven { kind, rest: vec![1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.5], points }
}

impl Driven {
    fn body(&self, plasticity: Plasticity) -> Body {
        let points = (self.points)(0.0);
        let at = (0..points.len() as u32).collect();
        let rows = Constraints::new(self.kind, at, self.rest.clone(), Stiffness::compliance(1e-6));
        particles(&points, &vec![f64::INFINITY; points.len()]).constraints(vec![rows.plastic(plasticity)])
    }

    fn scene(&self, plasticity: Plasticity, substeps: u32) -> (Scene, BodyId) {
        let mut scene = runs::scene(0.0, substeps);
        let body = scene.add(self.body(plasticity));
        (scene, body)
    }

    /// Holds it at a strain for some frames.
    fn hold(&self, solver: &mut Solver, body: BodyId, strain: f64, frames: u32) {
        let plan = Arc::clone(solver.plan());
        let points: Vec<glam::Vec3> = (self.points)(strain).into_iter().map(runs::narrow).collect();
        solver.state_mut().write_positions(&plan, body, &points).unwrap();
        run(solver, frames, FRAME);
    }
}

/// What a row flows by that is held at an elastic strain, with an accumulated strain before: d of
/// strain - d = yield exp(-softening (p + d)), by halves.
fn flow(strain: f64, yields: f64, softening: f64, p: f64) -> f64 {
    let (mut low, mut high) = (0.0, strain);
    for _ in 0..100 {
        let d = 0.5 * (low + high);
        if strain - d > yields * (-softening * (p + d)).exp() { low = d } else { high = d }
    }
    low
}

fn accumulated(solver: &Solver, body: BodyId) -> f64 {
    f64::from(solver.plan().accumulated_strain(solver.state(), body))
}

fn broken(solver: &Solver, bodies: &[BodyId]) -> usize {
    let of = |&body: &BodyId| solver.plan().broken_rows(solver.state(), body);
    let rows = bodies.iter().map(of).sum();
    assert!(rows <= solver.plan().broken_rows(solver.state(), None));
    rows
}

/// Lengths, angles and tetrahedra that are strained to and fro follow the closed form; what softens flows more each
/// time, and what does not by the same.
#[test]
fn what_is_bent_to_and_fro_softens_as_the_law_says() {
    for (driven, most, yields, softening) in [
        (length(DISTANCE, vec![1.0]), 0.1, 0.04, 5.0),
        (length(STRETCH, vec![1.0, 1e-5]), 0.1, 0.04, 5.0),
        (hinge(), 0.6, 0.3, 1.0),
        (solid(NEO_HOOKEAN), 0.1, 0.04, 5.0),
    ] {
        let name = driven.kind.name();
        let flows = [0.0, softening].map(|softening| {
            let plasticity = Plasticity::new(yields as f32).fatigue(softening as f32).breaks(100.0);
            let (scene, body) = driven.scene(plasticity, 20);
            let mut solver = runs::solver(&scene);
            let (mut p, mut plastic, mut flows) = (0.0, 0.0, Vec::new());
            for half in 0..8 {
                let side = if half % 2 == 0 { 1.0 } else { -1.0 };
                driven.hold(&mut solver, body, side * most, 1);
                let d = flow(most - side * plastic, f64::from(yields as f32), softening, p);
                (p, plastic) = (p + d, plastic + side * d);
                flows.push(d);
                let got = [accumulated(&solver, body), solver.plan().plastic_strain(solver.state(), body).into()];
                let wrong = [got[0] - p, got[1] - plastic.abs()].map(f64::abs);
                assert!(
                    wrong[0] < 2e-6 * f64::from(half + 1) && wrong[1] < 2e-6,
                    "{name}, {half}: {got:?}, {p} {plastic}"
                );
            }
            flows
        });
        let grows = |flows: &[f64], by: f64| flows[1..].windows(2).all(|two| two[1] - two[0] > by);
        assert!(grows(&flows[1], 1e-5) && !grows(&flows[0], 1e-9), "{name}: {flows:?}");
    }
}

/// A slow creep wears, too, by the same at any number of substeps but for the one that the yield point lags behind.
#[test]
fn creep_softens_whatever_the_substeps() {
    let driven = length(DISTANCE, vec![1.0]);
    let after = [5, 50, 500].map(|substeps| {
        let (scene, body) = driven.scene(Plasticity::new(0.05).creep(2.0).fatigue(10.0), substeps);
        let mut solver = runs::solver(&scene);
        driven.hold(&mut solver, body, 0.1, 30);
        accumulated(&solver, body)
    });
    // d' = 2 (0.1 - d - 0.05 exp(-10 d)), from 0 to 0.5 s.
    let (mut d, h) = (0.0, 1e-5);
    for _ in 0..50_000 {
        let slope = |d: f64| 2.0 * (0.1 - d - 0.05 * (-10.0 * d).exp());
        d += h * slope(d + 0.5 * h * slope(d));
    }
    let wrong = after.map(|p| (p - d).abs());
    assert!(wrong[0] < 6e-5 && wrong[1] < 6e-6 && wrong[2] < 1e-6, "{after:?} and not {d}");
}

/// Without fatigue a plan and its states are as they were, to the byte.
#[test]
fn no_fatigue_is_none() {
    let of = |tires: fn(Plasticity) -> Plasticity| {
        let (scene, _) = scene(tires);
        let mut solver = runs::solver(&scene);
        run(&mut solver, 10, FRAME);
        (solver.plan().id(), solver.state().hash(), solver.state().to_bytes())
    };
    let plain = of(|plasticity| plasticity);
    assert!(of(|plasticity| plasticity.fatigue(0.0).breaks(f32::INFINITY)) == plain);
    assert!(of(|plasticity| plasticity.fatigue(1e-3)).0 != plain.0);
    assert!(of(|plasticity| plasticity.breaks(1e3)).0 != plain.0);
}

/// Of what is strained by a to and fro (2 n - 1) (a - y) has flowed after n times: it breaks when that is enough, and
/// then moves nothing. Of all kinds that flow.
#[test]
fn a_wire_breaks_after_as_many_bends_as_the_formula_says() {
    let kinds = [NEO_HOOKEAN, HOOKE, STVK, STABLE_NEO_HOOKEAN, STABLE_ENERGY];
    let all = [length(DISTANCE, vec![1.0]), length(STRETCH, vec![1.0, 1e-5]), hinge()];
    for driven in all.into_iter().chain(kinds.map(solid)) {
        let name = driven.kind.name();
        let (most, yields, at) = (0.1f64, 0.04f64, 0.5f64);
        let want = ((at / (most - yields) + 1.0) / 2.0).ceil() as u32;
        assert_eq!(want, 5);
        for (softening, want) in [(0.0, want), (5.0, want - 1)] {
            let plasticity = Plasticity::new(yields as f32).fatigue(softening).breaks(at as f32);
            let (scene, body) = driven.scene(plasticity, 20);
            let mut solver = runs::solver(&scene);
            let mut bends = 0;
            while broken(&solver, &[body]) == 0 && bends < 20 {
                driven.hold(&mut solver, body, if bends % 2 == 0 { most } else { -most }, 1);
                bends += 1;
            }
            assert_eq!(bends, want, "{name}, {softening}");
            let (p, measured) = (accumulated(&solver, body), solver.measure());
            assert!(p >= at && p < at + 0.2, "{name}: {p}");
            // It neither flows nor counts, and a point that is freed goes where gravity takes it.
            driven.hold(&mut solver, body, 0.4, 1);
            assert_eq!((accumulated(&solver, body), broken(&solver, &[body])), (p, 1), "{name}");
            assert_eq!((measured.constraint_error, measured.max_stretch), (0.0, 0.0), "{name}");
            let plan = Arc::clone(solver.plan());
            let mut inv_masses = vec![0.0; plan.vertices(body)];
            inv_masses[1] = 1.0;
            solver.state_mut().write_inv_masses(&plan, body, &inv_masses).unwrap();
            let before = positions(&solver, body);
            solver.step(&seidel::Input::frame(FRAME).gravity([0.0, -60.0, 0.0]));
            let fallen = positions(&solver, body)[1][1] - before[1][1];
            let free = -60.0 * f64::from(FRAME) * f64::from(FRAME) * 0.5 * (1.0 + 1.0 / 20.0);
            assert!((fallen - free).abs() < 1e-6, "{name}: {fallen} and not {free}");
            // Mended, it holds.
            solver.state_mut().restore_rest_shape(&plan, body);
            assert_eq!((accumulated(&solver, body), broken(&solver, &[body])), (0.0, 0), "{name}");
        }
    }
}

/// Something of all that yields, shaken.
fn scene(tires: fn(Plasticity) -> Plasticity) -> (Scene, Vec<BodyId>) {
    let mut scene = runs::scene(60.0, 6);
    let plastic = tires(Plasticity::new(0.002).creep(20.0).limit(0.3));
    let sheet = Cloth::grid([9, 8], [0.7, 0.6]).stretch(1e-4).bend(1e-2).compress(1e-3).shear(1e-3);
    let sheet = sheet.plastic(plastic).plastic_bend(tires(Plasticity::new(0.02))).pin_grid(GridPins::Corners);
    let bar = SoftBody::bar([0.6, 0.1, 0.1], [5, 2, 2]).young(2e4).plastic(plastic).relaxation(0.01);
    let bodies = vec![
        scene.add(sheet.placed(Pose::at([0.0, 0.3, 0.0]), 1.0)),
        scene.add(bar.pin_side(Side::MinX).placed(Pose::at([2.0, 0.3, 0.0]), 1.0)),
        scene.add(Rope::new([3.0, 0.5, 0.0], [3.0, 0.1, 0.0], 8).stretch(1e-2).plastic(plastic).pin(&[0])),
    ];
    (scene, bodies)
}

fn tiring(plasticity: Plasticity) -> Plasticity {
    plasticity.fatigue(8.0).breaks(0.15)
}

/// Rows that break while they are solved: on all lanes and threads, in all methods.
#[test]
fn what_breaks_has_the_same_bits_on_all_lanes_and_in_all_methods() {
    for (method, update, iterations) in [
        (Method::GaussSeidel, VelocityUpdate::FirstOrder, 1),
        (Method::GaussSeidel, VelocityUpdate::SecondOrder, 3),
        (Method::Jacobi { relaxation: 1.0 }, VelocityUpdate::FirstOrder, 2),
    ] {
        let (mut scene, bodies) = scene(tiring);
        (scene.settings.method, scene.settings.velocity_update) = (method, update);
        scene.settings.iterations = iterations;
        let ends = Isa::available().into_iter().zip([1, 2, 1, 2, 1]).map(|(isa, threads)| {
            let mut solver = runs::solver_on(&scene, isa, threads);
            run(&mut solver, 25, FRAME);
            let each = bodies.iter().map(|&body| broken(&solver, &[body])).collect::<Vec<_>>();
            let finite = solver.measure();
            assert!(finite.constraint_error.is_finite() && finite.max_stretch.is_finite(), "{finite:?}");
            (solver.state().hash(), each)
        });
        let ends: Vec<_> = ends.collect();
        assert!(ends.iter().all(|end| *end == ends[0]), "{method:?} {ends:?}");
        assert!(ends[0].1.iter().all(|&rows| rows > 0), "{method:?} {ends:?}");
    }
}

/// A state as bytes goes on as the original does, with what it has accumulated and what has broken.
#[test]
fn accumulated_strains_are_in_states_and_in_their_bytes() {
    let (scene, bodies) = scene(tiring);
    let mut through = runs::solver(&scene);
    run(&mut through, 15, FRAME);
    assert!(broken(&through, &bodies) > 0);
    let plan = Arc::clone(through.plan());
    let bytes = through.state().to_bytes();
    let read = State::from_bytes(&plan, &bytes).unwrap();
    assert!(read == *through.state() && read.hash() == through.state().hash() && read.to_bytes() == bytes);
    let mut again = runs::solver(&scene);
    *again.state_mut() = read;
    run(&mut through, 10, FRAME);
    run(&mut again, 10, FRAME);
    assert!(again.state() == through.state());

    // Into a plan of materials that do not break: they are whole, and read as what they are.
    let (lasting, same) = self::scene(|plasticity| plasticity);
    let lasting = Plan::new(&lasting).unwrap();
    let whole = State::from_bytes(&lasting, &bytes).unwrap();
    assert!(State::from_bytes(&lasting, &whole.to_bytes()).unwrap() == whole);
    assert!(same.iter().all(|&body| lasting.broken_rows(&whole, body) == 0));
    assert_eq!(plan.broken_rows(through.state(), None), broken(&through, &bodies));

    // One row: its family's packs are the last of the bytes, behind them no softness, u32, and the checksum.
    let driven = length(DISTANCE, vec![1.0]);
    let (scene, body) = driven.scene(Plasticity::new(0.04).breaks(0.1), 3);
    let mut solver = runs::solver(&scene);
    let refused = |solver: &Solver, changes: &[(usize, u32)], want: &str| {
        let mut bytes = solver.state().to_bytes();
        let first = bytes.len() - 12 - 4 * 64 - 4;
        for &(at, value) in changes {
            bytes[first + at..first + at + 4].copy_from_slice(&value.to_le_bytes());
        }
        let end = bytes.len() - 8;
        let sum = xxhash_rust::xxh3::xxh3_64(&bytes[..end]);
        bytes[end..].copy_from_slice(&sum.to_le_bytes());
        let error = State::from_bytes(solver.plan(), &bytes).map_or_else(|error| error.to_string(), |_| String::new());
        assert!(error.contains(want) && error.is_empty() == want.is_empty(), "{changes:?}: {error}");
    };
    // Packs of the length, of its rounding, how many sums, sums, and their rounding.
    let (rest, rounding, count, sum, sum_rounding) = (0, 64, 128, 132, 196);
    driven.hold(&mut solver, body, 0.1, 1);
    assert_eq!(broken(&solver, &[body]), 0);
    refused(&solver, &[], "");
    for value in [-0.1, f32::NAN, f32::INFINITY] {
        refused(&solver, &[(sum, value.to_bits())], "an accumulated strain is not finite and 0 or more");
    }
    refused(&solver, &[(sum_rounding, f32::NAN.to_bits())], "an accumulated strain is not finite and 0 or more");
    refused(&solver, &[(count, 1)], "rest shapes of rows that the plan does not have");
    refused(&solver, &[(sum + 4, 1.0f32.to_bits())], "an accumulated strain of no row");
    refused(&solver, &[(rest + 4, 1.0f32.to_bits())], "a rest shape of no row");
    let nan = f32::NAN.to_bits();
    refused(&solver, &[(rest, nan), (rounding, 0)], "");
    refused(&solver, &[(rest, nan + 1), (rounding, 0)], "a rest shape is outside of its limits");
    refused(&solver, &[(rest, nan), (rounding, 1)], "a rest shape is outside of its limits");
    driven.hold(&mut solver, body, -0.1, 1);
    assert_eq!(broken(&solver, &[body]), 1);
    refused(&solver, &[], "");
}

/// An edit keeps what rows have accumulated and what has broken, with their vertices.
#[test]
fn edits_keep_what_has_softened_and_broken() {
    let (scene, bodies) = scene(tiring);
    let (mut plain, mut edited) = (Solver::new(&scene).unwrap(), Solver::new(&scene).unwrap());
    for round in 0..3u8 {
        run(&mut plain, 5, FRAME);
        run(&mut edited, 5, FRAME);
        // Before what there is in the order of families: rows that yield are numbered anew.
        let sheet = Cloth::grid([4 + u32::from(round), 5], [0.3, 0.3]).stretch(1e-3);
        let sheet = sheet.plastic(Plasticity::new(0.01).fatigue(1.0));
        let new =
            edited.edit(|scene| Ok(scene.add(sheet.placed(Pose::at([20.0, f32::from(round), 0.0]), 1.0)))).unwrap();
        assert_eq!((accumulated(&edited, new), broken(&edited, &[new])), (0.0, 0));
        run(&mut plain, 3, FRAME);
        run(&mut edited, 3, FRAME);
        for &body in &bodies {
            assert_eq!(positions(&plain, body), positions(&edited, body), "round {round}");
            let of = |solver: &Solver| (accumulated(solver, body).to_bits(), broken(solver, &[body]));
            assert_eq!(of(&plain), of(&edited), "round {round}");
        }
    }
    assert!(broken(&edited, &bodies) > 0);
    // Another material: what has broken stays so while it may break at all; one that softens only has the sums.
    let rope = bodies[2];
    let change = |solver: &mut Solver, plasticity: Plasticity| {
        let recipe = solver.scene().unwrap().get(rope).unwrap().clone();
        let Recipe::Rope(of) = recipe else { panic!("a rope") };
        solver.edit(|scene| scene.replace(rope, of.plastic(plasticity))).unwrap();
    };
    let (p, rows) = (accumulated(&edited, rope), broken(&edited, &[rope]));
    assert!(rows > 0);
    change(&mut edited, Plasticity::new(0.1).breaks(9.0));
    assert_eq!((accumulated(&edited, rope), broken(&edited, &[rope])), (p, rows));
    change(&mut edited, Plasticity::new(0.1).fatigue(1.0));
    assert_eq!((accumulated(&edited, rope), broken(&edited, &[rope])), (p, 0));
    change(&mut edited, Plasticity::new(0.1));
    assert_eq!(accumulated(&edited, rope), 0.0);
    run(&mut edited, 2, FRAME);
    assert!(positions(&edited, rope).iter().flatten().all(|x| x.is_finite()));
}

#[test]
fn fatigue_that_is_none_is_refused() {
    let of = |plasticity: Plasticity| {
        let (scene, _) = length(DISTANCE, vec![1.0]).scene(plasticity, 1);
        Plan::new(&scene).expect_err("refused").to_string()
    };
    let yields = Plasticity::new(0.1);
    for (plasticity, want) in [
        (yields.fatigue(-1.0), "fatigue of its plasticity is -1, which is not finite and 0 or more"),
        (yields.fatigue(f32::NAN), "fatigue of its plasticity is NaN, which is not finite and 0 or more"),
        (yields.fatigue(f32::INFINITY), "fatigue of its plasticity is inf, which is not finite and 0 or more"),
        (yields.breaks(0.0), "breaking strain of its plasticity is 0, which is not above 0"),
        (yields.breaks(f32::NAN), "breaking strain of its plasticity is NaN, which is not above 0"),
    ] {
        let text = of(plasticity);
        assert!(text.contains(want), "{text}");
    }
}
