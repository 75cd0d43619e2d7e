//! With the feature `mint`: its types in and out, without a word of glam.

use mint::{Point3, Vector3};
use seidel::{Body, Cloth, Collider, Input, Pose, Scene, Solver};

#[test]
fn mint_types_go_in_and_come_out() {
    let mut scene = Scene::new();
    scene.add_collider(Collider::sphere(0.5).at(Point3 { x: 0.0, y: -5.0, z: 0.0 }));
    let height = Pose::at(Vector3 { x: 0.0, y: 2.0, z: 0.0 });
    let cloth = scene.add(Cloth::grid([3, 3], [1.0, 1.0]).placed(height, 1.0).pin(&[0]));
    let free = scene.add(Body::particles(vec![[0.0; 3]], vec![1.0]));
    let mut solver = Solver::new(&scene).unwrap();
    let to = Point3 { x: 1.0, y: 2.0, z: 3.0 };
    let push = Vector3 { x: 0.0, y: 0.0, z: 6.0 };
    let input = Input::frame(0.5).gravity(Vector3 { x: 4.0, y: 0.0, z: 0.0 }).pin(cloth, 0, to);
    let report = solver.step(&input.forces(free, &[push.into()]));
    assert!(report.rejected.is_none());

    let pinned: Point3<f32> = solver.positions(cloth)[0].into();
    assert_eq!(pinned, to);
    let plan = solver.plan().clone();
    let mut read = [Vector3 { x: 0.0f32, y: 0.0, z: 0.0 }.into()];
    solver.state().read_velocities(&plan, free, &mut read);
    let v: Vector3<f32> = read[0].into();
    assert!((v.x - 2.0).abs() < 1e-5 && v.y == 0.0 && (v.z - 3.0).abs() < 1e-5, "{v:?}");
    solver.state_mut().write_positions(&plan, free, &[to.into()]).unwrap();
    assert_eq!(Point3::from(solver.positions(free)[0]), to);
}
