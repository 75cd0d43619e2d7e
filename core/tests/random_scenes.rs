//! Random scenes: the same bits from every lane type and number of threads, every row in its place.

use crate::runs;
use crate::runs::{FRAME, scene, solver_on};
use glam::Vec3;
use proptest::prelude::*;
use seidel::Stiffness;
use seidel::{Body, Cloth, Collider, Constraints, Execution, Input, Isa, Plan, Plasticity, Scene, Solver, kinds};
use std::sync::Arc;

/// A random body: particles anywhere, rows between random ones, in any mode.
fn random_scene() -> impl Strategy<Value = Scene> {
    let point = prop::array::uniform3(-1.0f32..1.0);
    let points = prop::collection::vec((point, 0.0f32..5.0), 4..120);
    let rows = prop::collection::vec((any::<[prop::sample::Index; 4]>(), 0.0f32..1.0), 0..300);
    (points, rows, 1u32..4, 1u32..4, 0.0f32..0.3).prop_map(|(points, rows, substeps, iterations, damping)| {
        let n = points.len();
        let mut scene = Scene::new();
        (scene.settings.substeps, scene.settings.iterations) = (substeps.into(), iterations);
        let weight = |w: f32| if w < 0.5 { 0.0 } else { w };
        let mut body =
            Body::particles(points.iter().map(|(p, _)| *p).collect(), points.iter().map(|(_, w)| weight(*w)).collect());
        let mut pairs = (Vec::new(), Vec::new());
        let mut hinges = (Vec::new(), Vec::new());
        for (i, (at, soft)) in rows.iter().enumerate() {
            let at = at.map(|index| index.index(n) as u32);
            let distinct = (0..4).all(|i| !at[..i].contains(&at[i]));
            if i % 3 == 0 && distinct {
                hinges.0.extend(at);
                hinges.1.push(soft * 10.0);
            } else if at[0] != at[1] {
                pairs.0.extend([at[0], at[1]]);
                pairs.1.push(*soft);
            }
        }
        body.constraints = vec![
            Constraints::measured(kinds::DISTANCE, pairs.0.clone(), Stiffness::pbd(pairs.1.clone())),
            Constraints::measured(kinds::ROPE, pairs.0, Stiffness::compliance(pairs.1)),
            Constraints::measured(kinds::DIHEDRAL, hinges.0, Stiffness::compliance(hinges.1)),
        ];
        if damping > 0.15 {
            let yields = Plasticity::new(0.05).creep(30.0).limit(0.7).fatigue(4.0).breaks(0.6);
            body.constraints.iter_mut().for_each(|rows| rows.plasticity = Some(yields));
        }
        (body.damping, body.thickness) = (damping, 0.01_f32.into());
        scene.add(body);
        scene.add_collider(Collider::sphere(0.3).at([0.2, -0.5, 0.0]));
        scene.add_collider(Collider::ground().at([0.0, -1.2, 0.0]).turned([0.3, 0.0, 1.0], seidel::degrees(12.0)));
        scene
    })
}

/// A cloth of more particles than `tuning::MIN_SHARED_ROWS`, its vertices shuffled, so that three threads are taken.
fn shuffled_cloth(key: u64) -> Scene {
    let grid = Cloth::grid([50, 50], [1.0, 1.0]);
    let mut order: Vec<u32> = (0..2500).collect();
    let mut random = runs::Random(key);
    order.sort_by_cached_key(|_| (random.unit() * 1e15) as i64);
    let mut mesh = grid.mesh().clone();
    for (old, &new) in order.iter().enumerate() {
        mesh.positions[new as usize] = grid.mesh().positions[old];
    }
    for t in &mut mesh.triangles {
        *t = t.map(|v| order[v as usize]);
    }
    let mut scene = Scene::new();
    (scene.settings.substeps, scene.settings.iterations) = (2.into(), 1 + (key % 3) as u32);
    scene.add(Cloth::new(&mesh).bend(1e2).damping(0.1).pin(&[order[0]]));
    scene.add_collider(Collider::sphere(0.3).at([0.0, -0.3, 0.0]));
    scene
}

/// The same bits from every lane type and from one and three threads.
fn agrees(scene: &Scene, frames: u32) -> Result<(), TestCaseError> {
    let plan = Arc::new(Plan::new(scene).expect("a sound scene"));
    let mut hashes = Vec::new();
    for isa in Isa::available() {
        for threads in [1, 3] {
            let mut solver = Solver::with(Arc::clone(&plan), Execution::new(isa, threads));
            for _ in 0..frames {
                solver.step(&Input::frame(FRAME));
            }
            hashes.push(solver.state().hash());
        }
    }
    prop_assert!(hashes.iter().all(|h| *h == hashes[0]), "{:x?}", hashes);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_scenes_give_the_same_bits(scene in random_scene()) {
        agrees(&scene, 4)?;
    }

    /// Whatever the order of the vertices: what is written is read back, and a step keeps every row in its place.
    #[test]
    fn any_vertex_order_is_undone(points in prop::collection::vec(prop::array::uniform3(-5.0f32..5.0), 1..300)) {
        let mut scene = scene(9.81, 3);
        let body = scene.add(Body::particles(points.clone(), (0..points.len()).map(|v| 1.0 + v as f32).collect()));
        let mut solver = solver_on(&scene, Isa::detect(), 1);
        let read: Vec<Vec3> = solver.positions(body).to_vec();
        prop_assert_eq!(read, points.iter().map(|&p| Vec3::from(p)).collect::<Vec<_>>());
        let masses = runs::masses(&solver, body);
        prop_assert!(masses.iter().enumerate().all(|(v, m)| (m * (1.0 + v as f64) - 1.0).abs() < 1e-6));
        let plan = Arc::clone(solver.plan());
        let velocities: Vec<Vec3> = (0..points.len()).map(|v| Vec3::new(v as f32, 0.0, 0.0)).collect();
        solver.state_mut().write_velocities(&plan, body, &velocities).unwrap();
        solver.step(&Input::frame(0.5));
        for (v, x) in solver.positions(body).iter().enumerate() {
            prop_assert!((x.x - points[v][0] - 0.5 * v as f32).abs() < 1e-4, "vertex {}: {:?}", v, x);
        }
    }

    /// Planning proves that batches are independent and that every row stands in one; here, that the plan's rows are
    /// the scene's, each once, also around hubs of more than 64 neighbours.
    #[test]
    fn batches_are_complete(
        edges in prop::collection::btree_set((0u32..150, 0u32..150), 1..600),
        hub in 0u32..150,
        spokes in 0u32..140,
    ) {
        let mut at: Vec<u32> = edges.iter().filter(|(a, b)| a != b).flat_map(|&(a, b)| [a, b]).collect();
        at.extend((0..spokes).filter(|&v| v != hub).flat_map(|v| [hub, v]));
        let rows = at.len() / 2;
        let mut body = Body::particles((0..150).map(|v| [v as f32, (v * v % 17) as f32, 0.0]).collect(), vec![1.0; 150]);
        body.constraints = vec![Constraints::measured(kinds::DISTANCE, at.clone(), Stiffness::compliance(0.0))];
        let mut scene = Scene::new();
        let body = scene.add(body);
        let plan = Plan::new(&scene).unwrap();
        let lengths = plan.lengths(body);
        prop_assert_eq!(lengths.iter().flat_map(|(edge, _)| *edge).collect::<Vec<_>>(), at.clone());
        let mut degree = [0usize; 150];
        at.iter().for_each(|&v| degree[v as usize] += 1);
        let most = degree.into_iter().max().unwrap_or(0);
        for (_, count, colors) in plan.families() {
            prop_assert_eq!(count, rows);
            // First fit takes at most one color more than the row's neighbours.
            prop_assert!(colors >= most && colors < 2 * most.max(1), "{} colors, degree {}", colors, most);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn shuffled_cloths_give_the_same_bits(key in any::<u64>()) {
        agrees(&shuffled_cloth(key), 3)?;
    }
}
