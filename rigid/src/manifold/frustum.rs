//! Cylinders and cones, between two discs about y, on a half space A.

use super::convex::{WideTransform, narrow, roll};
use super::half_space::UP;
use super::point::{Manifold, Point, Transform};
use super::reduce;
use crate::tuning::{CAP_TILT, FLAT_RIM};
use seidel_kernels::V3;

/// The lowest points of both rims, and of the lower rim the points a quarter and half a turn away where it is a cap
/// that touches. The first radius is that of the disc at -y.
pub(super) fn on_half_space(radii: [f32; 2], half_height: f32, b_in_a: &Transform, reach: f32) -> Manifold {
    let mut manifold = Manifold::with_normal(UP);
    let place = WideTransform::of(b_in_a);
    let up = place.turn_back(V3::new(0.0, 1.0, 0.0));
    let s = (up.x * up.x + up.z * up.z).sqrt();
    let down = if s > 0.0 { V3::new(-up.x / s, 0.0, -up.z / s) } else { V3::new(1.0, 0.0, 0.0) };
    // The disc that looks down.
    let lower = usize::from(up.y < 0.0);
    let mut found = [reduce::NOTHING; 8];
    let mut rolls = [0.0; 8];
    let mut count = 0;
    for (disc, radius) in radii.into_iter().enumerate() {
        let (radius, y) = (f64::from(radius), f64::from(half_height) * if disc == 0 { -1.0 } else { 1.0 });
        let cap = disc == lower && s < CAP_TILT && radius > 0.0;
        let level = radius * s < FLAT_RIM;
        let from = if cap && level { V3::new(1.0, 0.0, 0.0) } else { down };
        let side = V3::new(-from.z, 0.0, from.x);
        let around = [from, side, -side, -from];
        for (k, out) in around.into_iter().enumerate().take(if cap { 4 } else { 1 }) {
            let local = out * radius + V3::new(0.0, y, 0.0);
            let at = narrow(place.point(local));
            if at.y <= reach {
                let feature = 8 * disc as u32 + 4 * u32::from(cap && level) + k as u32;
                found[count] = reduce::Candidate { at, separation: at.y, feature };
                rolls[count] = roll(local, -up);
                count += 1;
            }
        }
    }
    let (kept, kept_count) = reduce::reduce(&found[..count], UP, 4);
    for &index in &kept[..kept_count] {
        let reduce::Candidate { at, separation, feature } = found[index];
        manifold.rolls[manifold.count] = [0.0, rolls[index]];
        manifold.push(Point { a: V3::new(at.x, 0.0, at.z), b: at, separation, feature });
    }
    manifold
}
