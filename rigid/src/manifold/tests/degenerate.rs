//! Numbers and shapes as bad as can be.

use super::*;
use crate::shape::PolyhedronParts;

#[test]
fn numbers_as_bad_as_can_be_stay_finite() {
    let sizes = [0.0, 1e-6, 1.0, 1e6, f32::MAX, f32::INFINITY, f32::NAN];
    let mut shapes = vec![Shape::HalfSpace];
    for size in sizes {
        shapes.push(Shape::Sphere { radius: size });
        shapes.push(Shape::Cuboid { half: [size; 3] });
        shapes.push(Shape::Cuboid { half: [size, 1.0, 1e-6] });
        shapes.push(Shape::Capsule { radius: size, half_length: 1.0 });
        shapes.push(Shape::Capsule { radius: 0.1, half_length: size });
        shapes.push(Shape::Cylinder { radius: size, half_height: 1.0 });
        shapes.push(Shape::Cone { radius: 1.0, half_height: size });
    }
    shapes.extend([1e-6, 1.0, 1e6].map(|size| prism(5, size, size)));
    let zero = V3::set([0.0f32; 3]);
    let mut poses = vec![HERE, Transform { axes: [zero; 3], at: zero }];
    for bad in [1e-30, 1e-6, 1e6, 1e30, f32::MAX, f32::INFINITY, f32::NAN] {
        poses.push(Transform { at: V3::set([0.0, bad, 0.0]), ..HERE });
        poses.push(Transform { at: V3::set([bad; 3]), axes: [V3::set([bad, 0.0, 1.0]); 3] });
        poses.push(Transform { axes: [HERE.axes[0], V3::set([0.0, bad, 0.0]), HERE.axes[2]], ..HERE });
    }
    for a in &shapes {
        for b in &shapes {
            for pose in &poses {
                for reach in [-1.0, 0.0, 1e-2, 1e6, f32::INFINITY, f32::NAN] {
                    let manifold = collide(a, b, pose, reach);
                    assert!(manifold.count <= 4 && manifold.is_finite());
                    let usual = pose.is_finite() && !reach.is_nan();
                    assert!(manifold.count == 0 || usual, "{a:?} {b:?} {pose:?} {reach}");
                }
            }
        }
    }
}

#[test]
fn a_hull_made_by_hand_may_be_nonsense() {
    let empty = Polyhedron::of(PolyhedronParts::default());
    let mut broken = PolyhedronParts {
        vertices: vec![[0.0; 3], [f32::NAN; 3]],
        planes: vec![[0.0; 4], [1.0, 0.0, 0.0, f32::INFINITY]],
        starts: vec![0, 9, 3],
        loops: vec![7, 8, 9],
        edges: vec![[5, 6, 7, 8], [0, 0, 0, 0]],
    };
    let mut shapes = vec![Shape::Hull(Arc::new(empty)), Shape::Hull(Arc::new(Polyhedron::of(broken.clone())))];
    broken.planes = vec![[0.0, 1.0, 0.0, 0.0]];
    broken.vertices = vec![[0.0; 3]; 2];
    shapes.push(Shape::Hull(Arc::new(Polyhedron::of(broken))));
    shapes.extend([
        Shape::HalfSpace,
        Shape::Sphere { radius: 1.0 },
        Shape::Cuboid { half: [1.0; 3] },
        prism(6, 1.0, 1.0),
    ]);
    shapes.push(Shape::Capsule { radius: 1.0, half_length: 1.0 });
    shapes.push(Shape::Cylinder { radius: 1.0, half_height: 1.0 });
    for a in &shapes {
        for b in &shapes {
            for reach in [0.1, f32::INFINITY] {
                assert!(collide(a, b, &HERE, reach).is_finite());
            }
        }
    }
}

#[test]
fn a_sphere_within_a_box_leaves_by_the_nearest_face() {
    let at: Vector = V3::new(0.1, -0.3, 0.2);
    let pose = Transform { at: narrow(at), ..HERE };
    let manifold = collide(&Shape::Cuboid { half: [1.0, 0.5, 1.0] }, &Shape::Sphere { radius: 0.1 }, &pose, 0.0);
    assert_eq!((manifold.count, manifold.normal.y), (1, -1.0));
    assert!((manifold.points[0].separation + 0.3).abs() < 1e-6);
}
