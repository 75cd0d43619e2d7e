//! Whether something is inside a collider when a step begins.

use super::gap::{gap, length, point, sub};
use super::moving::Transform;
use crate::describe::collider::Shape;
use crate::plan::Plan;
use crate::run::state::State;
use seidel_kernels::Row;
use seidel_kernels::tuning::{BEGINS_INSIDE, INSIDE_ROUNDING};

impl Plan {
    /// Whether a free particle or triangle is inside a collider, deeper than one that rests on it. Allocates nothing.
    pub(crate) fn begins_inside(&self, state: &State) -> bool {
        self.colliders.iter().zip(&state.poses).any(|(collider, pose)| {
            let frame = Transform::of(pose);
            self.bodies.iter().filter(|body| body.filter.meets(collider.filter)).any(|body| {
                let row = |vertex: usize| body.get(&state.x, vertex);
                let deep = |rows: &[Row], own: f32| {
                    let thickness = own + collider.thickness;
                    let mut points = [[0.0; 3]; 3];
                    points.iter_mut().zip(rows).for_each(|(to, row)| *to = point(row));
                    let points = &points[..rows.len()];
                    let far = points.iter().map(|p| length(&sub(p, &frame.position))).fold(0.0, f64::max);
                    let rests = BEGINS_INSIDE * f64::from(thickness) + INSIDE_ROUNDING * far;
                    rows.iter().any(|x| x[3] > 0.0) && -gap(collider, &frame, points, own) > rests
                };
                // Against a plane, the vertices of a triangle are enough.
                let plane = matches!(collider.shape, Shape::Plane);
                let triangles = if plane { &[] } else { &body.triangles[..] };
                (0..body.to_row.len()).any(|vertex| deep(&[row(vertex)], body.thickness_of(&[vertex as u32])))
                    || triangles.iter().any(|t| deep(&t.map(|v| row(v as usize)), body.thickness_of(t)))
            })
        })
    }
}
