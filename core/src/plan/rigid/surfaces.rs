//! Colliders that rigid bodies meet as triangles: height fields, meshes and rings.

use crate::describe::collider::{HeightField, Shape};
use seidel_kernels::contact::Form;
use seidel_rigid::surface::Surface;
use std::f64::consts::TAU;

/// Metres: how far a height field goes on beyond its border, with the heights that it has there.
const BEYOND: f64 = 1e4;

/// Points of a ring around its axis, and around its tube: it is met where a ring of so many flat faces is, up to a
/// five-hundredth of its radius inside.
const AROUND: u32 = 96;
const TUBE: u32 = 48;

/// None of a shape that is no surface.
pub(super) fn of(shape: &Shape) -> Option<Surface> {
    match *shape {
        Shape::HeightField(ref field) => heights(field),
        Shape::Torus { ring, tube } => torus(f64::from(ring), f64::from(tube)),
        Shape::Sdf { ref sdf, form } => {
            let mesh = sdf.surface();
            let over = |&[a, b, c]: &[u32; 3]| [a, c, b];
            match form {
                Form::Solid => Surface::new(&mesh.positions, &mesh.triangles),
                Form::Container => Surface::new(&mesh.positions, &mesh.triangles.iter().map(over).collect::<Vec<_>>()),
                Form::Shell(half) => {
                    let both: Vec<[u32; 3]> =
                        mesh.triangles.iter().flat_map(|triangle| [*triangle, over(triangle)]).collect();
                    Some(Surface::new(&mesh.positions, &both)?.offset(half))
                }
            }
        }
        _ => None,
    }
}

/// The triangles of a height field, with those beyond its border.
fn heights(field: &HeightField) -> Option<Surface> {
    let inner = field.surface();
    let [nx, nz] = field.nodes();
    let node = |i: u32, j: u32| inner.positions[(j * nx + i) as usize];
    // One more node on each side, far away.
    let index = |i: u32, n: u32| {
        if i == 0 {
            0
        } else if i > n {
            n - 1
        } else {
            i - 1
        }
    };
    let away = |i: u32, n: u32| {
        if i == 0 {
            -BEYOND
        } else if i > n {
            BEYOND
        } else {
            0.0
        }
    };
    let mut positions = Vec::with_capacity(((nx + 2) * (nz + 2)) as usize);
    for j in 0..nz + 2 {
        for i in 0..nx + 2 {
            let [x, y, z] = node(index(i, nx), index(j, nz));
            positions.push([(f64::from(x) + away(i, nx)) as f32, y, (f64::from(z) + away(j, nz)) as f32]);
        }
    }
    let across = nx + 2;
    let cells = (0..nz + 1).flat_map(|j| (0..nx + 1).map(move |i| j * across + i));
    let triangles: Vec<[u32; 3]> =
        cells.flat_map(|n| [[n, n + across, n + 1], [n + 1, n + across, n + across + 1]]).collect();
    Some(Surface::new(&positions, &triangles)?.deep())
}

fn torus(ring: f64, tube: f64) -> Option<Surface> {
    let circle = |k: u32, of: u32| libm::sincos(f64::from(k) / f64::from(of) * TAU);
    let mut positions = Vec::new();
    for i in 0..AROUND {
        let (s, c) = circle(i, AROUND);
        for j in 0..TUBE {
            let (y, x) = circle(j, TUBE);
            let out = ring + tube * x;
            positions.push([out * c, tube * y, -out * s].map(|x| x as f32));
        }
    }
    let at = |i: u32, j: u32| i % AROUND * TUBE + j % TUBE;
    let mut triangles = Vec::new();
    for i in 0..AROUND {
        for j in 0..TUBE {
            let (a, b, c, d) = (at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    Surface::new(&positions, &triangles)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::collider::{Collider, Sdf};
    use crate::describe::mesh::Mesh;
    use crate::describe::rigid::RigidBody;
    use crate::describe::scene::Scene;
    use crate::plan::rigid::Rigid;
    use std::sync::Arc;

    #[test]
    fn every_collider_that_has_a_surface_is_one() {
        let ball = Mesh::of_balls(&[[0.0, 0.0, 0.0, 0.5]], 0.1).unwrap();
        let sdf = Arc::new(Sdf::from_mesh(&ball, 0.1).unwrap());
        let field = HeightField::new([3, 2], &[0.0, 0.5, 1.0, 0.0, 0.5, 1.0], 1.0).unwrap();
        for shape in [
            Shape::HeightField(Arc::new(field)),
            Shape::Torus { ring: 1.0, tube: 0.2 },
            Shape::Sdf { sdf: sdf.clone(), form: Form::Solid },
            Shape::Sdf { sdf: sdf.clone(), form: Form::Container },
            Shape::Sdf { sdf, form: Form::Shell(0.01) },
        ] {
            assert!(of(&shape).is_some(), "{shape:?}");
        }
        assert!(of(&Shape::Plane).is_none());
    }

    /// Colliders of one field and form have one surface, and none is made where no rigid body meets it.
    #[test]
    fn copies_share_a_surface() {
        let sdf = Arc::new(Sdf::from_mesh(&Mesh::cuboid([0.5; 3], [1; 3]), 0.2).unwrap());
        let mut scene = Scene::new();
        for form in [Form::Solid, Form::Container, Form::Solid] {
            scene.add_collider(Collider::new(Shape::Sdf { sdf: sdf.clone(), form }));
        }
        assert!(Rigid::of(&scene).unwrap().is_none());
        scene.add_rigid(RigidBody::sphere(0.1));
        let rigid = Rigid::of(&scene).unwrap().unwrap();
        let surface = |number: usize| match &rigid.colliders[number].shape {
            seidel_rigid::Shape::Surface(surface) => surface,
            other => panic!("{other:?}"),
        };
        assert!(Arc::ptr_eq(surface(0), surface(2)) && !Arc::ptr_eq(surface(0), surface(1)));
    }
}
