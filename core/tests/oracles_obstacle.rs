//! Oracle: bodies that go where they are taken. Nothing goes through them, however fast; what is attached is where they are.

mod runs;

use glam::Vec3;
use runs::{FRAME, positions, scene, solver};
use seidel::{BodyId, Cloth, Collide, Input, Intersections, Mesh, Obstacle, Pose, Solver};

/// A box of triangles with some cells a side, half as long along each axis as told.
fn cuboid(half: [f32; 3], cells: u32) -> Mesh {
    let n = cells as i32;
    let (mut mesh, mut known) = (Mesh::default(), std::collections::BTreeMap::new());
    for (axis, side) in [(0, 0), (0, n), (1, 0), (1, n), (2, 0), (2, n)] {
        let mut at = |i: i32, j: i32| {
            let mut place = [0; 3];
            (place[axis], place[(axis + 1) % 3], place[(axis + 2) % 3]) = (side, i, j);
            *known.entry(place).or_insert_with(|| {
                let along = |k: usize| half[k] * (2.0 * place[k] as f32 / n as f32 - 1.0);
                mesh.positions.push([along(0), along(1), along(2)]);
                mesh.positions.len() as u32 - 1
            })
        };
        let mut corners = Vec::new();
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
            corners.push([at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
        for [a, b, c, d] in corners {
            mesh.triangles.extend(if side == n { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] });
        }
    }
    mesh
}

/// Its vertices, turned and moved.
fn placed(mesh: &Mesh, pose: &Pose) -> Vec<Vec3> {
    mesh.positions.iter().map(|x| Vec3::from(pose.apply(x.map(f64::from)).map(|c| c as f32))).collect()
}

fn step(solver: &mut Solver, input: &Input, intersections: &mut Intersections, what: &str) -> seidel::Report {
    let report = solver.step(input);
    assert!(report.rejected.is_none() && report.lost.is_none(), "{what}: {report:?}");
    assert_eq!((report.pairs.crowded, report.pairs.squeezed), (0, 0), "{what}");
    let found = intersections.count(solver.plan(), solver.state()).expect("few boxes overlap");
    assert!(found.is_clean(), "{what}: {found:?}");
    report
}

/// A box that turns flies into a sheet that nothing holds; at 120 m/s a substep is 10 cm, 25 times what the sheet keeps.
#[test]
fn a_free_sheet_is_never_crossed() {
    for (speed, turns, layers) in
        [(0.3, 0.0, 1), (5.0, 0.7, 1), (20.0, -3.0, 2), (60.0, 2.0, 1), (10.0, -1.0, 3), (120.0, 0.0, 1)]
    {
        let mesh = cuboid([0.12, 0.08, 0.1], 3);
        let mut scene = scene(0.0, 20);
        let at =
            |t: f64| Pose::at([0.013, (-0.2 + speed * t) as f32, 0.007]).turned([0.3, 1.0, 0.4], 360.0 * turns * t);
        let obstacle = scene.add(Obstacle::new(&Mesh {
            positions: placed(&mesh, &at(0.0)).iter().map(Vec3::to_array).collect(),
            ..mesh.clone()
        }));
        let sheets: Vec<BodyId> = (0..layers)
            .map(|layer| {
                let pose = Pose::at([0.0, 0.01 * layer as f32, 0.0]).turned([0.0, 1.0, 0.0], 11.0 * f64::from(layer));
                let sheet = Cloth::grid([16, 16], [0.5, 0.5]).thickness(0.002).placed(pose, 1.0).bend(1e2);
                scene.add(sheet.collide(Collide::All))
            })
            .collect();
        let (mut solver, mut intersections) = (solver(&scene), Intersections::new());
        let (mut held, mut contacts) = (0, 0);
        for frame in 1..=30u32 {
            let what = format!("{speed} m/s, {turns} turns a second, frame {frame}");
            let target = placed(&mesh, &at(f64::from(frame) * f64::from(FRAME)));
            let input = Input::frame(FRAME).vertices(obstacle, &target);
            let report = step(&mut solver, &input, &mut intersections, &what);
            (held, contacts) = (held + report.pairs.held, contacts + report.pairs.contacts);
            assert_eq!(solver.positions(obstacle), target, "{what}");
        }
        let lowest = sheets.iter().map(|&sheet| {
            let all = positions(&solver, sheet);
            all.iter().map(|x| x[1]).sum::<f64>() / all.len() as f64
        });
        let lowest = lowest.fold(f64::INFINITY, f64::min);
        println!("{speed} m/s: {contacts} contacts, {held} held, the lowest sheet is at {lowest:.3} m");
        assert!(speed < 1.0 || contacts > 0, "{speed} m/s: it has met nothing");
        // Before the box, not behind it.
        assert!(speed < 1.0 || lowest > 0.3 * speed * 0.5, "{speed} m/s: at {lowest} m");
    }
}
