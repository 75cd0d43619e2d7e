//! Whether something is inside a collider when a step begins.

use super::gap::{gap, point};
use super::moving::Transform;
use crate::describe::collider::Shape;
use crate::geometry::vector::{length, sub};
use crate::plan::Plan;
use crate::run::state::State;
use seidel_kernels::Row;
use seidel_kernels::tuning::{BEGINS_INSIDE, INSIDE_ROUNDING};

/// A body of no more vertices is looked at, wherever it is.
const FEW_VERTICES: usize = 16;

impl Plan {
    /// Whether a free particle, triangle or point of a skin is inside a collider, deeper than one that rests on it.
    /// Allocates nothing.
    pub(crate) fn begins_inside(&self, state: &State) -> bool {
        self.any_inside(state, |_, _| true)
    }

    /// The same of some pairs of a body and a collider, by their places.
    pub(crate) fn any_inside(&self, state: &State, asks: impl Fn(usize, usize) -> bool) -> bool {
        self.colliders.iter().zip(&state.poses).enumerate().any(|(c, (collider, pose))| {
            let frame = Transform::of(pose);
            let all = self.bodies.iter().enumerate();
            let is_off = |number: usize| state.off.colliders[c] || state.off.bodies[number];
            let mut met =
                all.filter(|(number, body)| body.filter.meets(collider.filter) && !is_off(*number) && asks(*number, c));
            met.any(|(number, body)| {
                let row = |vertex: usize| body.get(&state.x, vertex);
                let inside = |points: &[[f64; 3]], own: f32| {
                    let thickness = own + collider.thickness;
                    let far = points.iter().map(|p| length(sub(*p, frame.position))).fold(0.0, f64::max);
                    let rests = BEGINS_INSIDE * f64::from(thickness) + INSIDE_ROUNDING * far;
                    -gap(collider, &frame, points, own) > rests
                };
                // All of a body is in a ball about one of its vertices, and that may be far away.
                let is_exact = matches!(collider.shape, Shape::Plane | Shape::Sphere { .. });
                if is_exact && body.skin.is_none() && body.to_row.len() > FEW_VERTICES {
                    let center = point(&row(0));
                    let squared = |vertex: usize| {
                        let d = sub(point(&row(vertex)), center);
                        d[0] * d[0] + d[1] * d[1] + d[2] * d[2]
                    };
                    let radius = (0..body.to_row.len()).map(squared).fold(0.0, f64::max).sqrt();
                    if gap(collider, &frame, &[center], body.thickness) > radius * (1.0 + INSIDE_ROUNDING) {
                        return false;
                    }
                }
                if body.skin.is_some() {
                    return self.skins.of_body(number).any(|tile| {
                        let mut places = (0..tile.points.points()).map(|i| tile.place(i, body.layout, &state.x));
                        places.any(|(place, free)| free && inside(&[place], body.thickness))
                    });
                }
                let deep = |rows: &[Row], own: f32| {
                    let mut points = [[0.0; 3]; 3];
                    points.iter_mut().zip(rows).for_each(|(to, row)| *to = point(row));
                    rows.iter().any(|x| x[3] > 0.0) && inside(&points[..rows.len()], own)
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
