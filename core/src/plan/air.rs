//! The triangles that the air pushes: those of bodies with a drag or lift.

use crate::describe::body::Body;
use crate::geometry::vector::{cross, length};
use crate::plan::triangles::Triangles;
use seidel_kernels::integrate::air::{AeroCoefficients, AeroTriangles};
use std::sync::Arc;

/// Triangles with an area at rest, in the order in which `triangles` has all; None if the air pushes nothing.
pub(super) fn aero(bodies: &[Arc<Body>], triangles: &Triangles) -> Option<AeroTriangles> {
    if bodies.iter().all(|body| body.drag == 0.0 && body.lift == 0.0) {
        return None;
    }
    let mut all = Vec::new();
    for body in bodies {
        let areas: Vec<f64> = body.triangles.iter().map(|t| area(t.map(|v| body.positions[v as usize]))).collect();
        let mut around = vec![0.0; body.positions.len()];
        for (t, area) in body.triangles.iter().zip(&areas) {
            t.iter().for_each(|&v| around[v as usize] += area);
        }
        let blown = body.drag > 0.0 || body.lift > 0.0;
        let (drag, lift) = (body.drag, body.lift);
        all.extend(body.triangles.iter().zip(&areas).map(|(t, &area)| {
            let shares = t.map(|v| (around[v as usize] / (3.0 * area)) as f32);
            let has_area = area > 0.0 && shares.iter().all(|share| share.is_finite());
            (blown && has_area).then_some(AeroCoefficients { drag, lift, shares })
        }));
    }
    AeroTriangles::new(&triangles.batches, |row| all[row])
}

fn area([a, b, c]: [[f32; 3]; 3]) -> f64 {
    let side = |p: [f32; 3]| -> [f64; 3] { std::array::from_fn(|k| f64::from(p[k]) - f64::from(a[k])) };
    let (e, f) = (side(b), side(c));
    0.5 * length(cross(e, f))
}
