//! Triangles that have gone into a solid all the same go back on their way.
//!
//! ```text
//!      a ---___            Pushes of neighbours share corners, and a plate is soon at a triangle's other side: after some
//!      |        --- b      rounds one may still have the plate through it, and then nothing tells the way out.
//!   ___|____________|___   At its begin a the triangle was outside. So it goes back to where it last was: to a share s
//!  |___|_____plate__|___|  of its way at which it surely still is, or to a itself. Its neighbours follow.
//!      c             d
//! ```

use super::contacts::{Back, GONE_IN, ROUNDING, SHALLOW, Solve, TOLD};
use super::one::{Gathered, One};
use super::way::{Tolerance, goes_through, outside, wide_rows, without};
use crate::V3;
use crate::contact::at_most;
use crate::contact::deepest::{Enough, surely_deepest};
use crate::contact::signed::SignedDistance;
use crate::contact::triangles::push;
use crate::slots::Place;

const MIDDLE: [f64; 3] = [1.0 / 3.0; 3];

impl<D: SignedDistance> Solve<'_, D> {
    /// Takes a triangle back that begins outside and ends in the solid, or has gone through it; all others stay as they
    /// are.
    ///
    /// # Safety
    /// As for [`super::TriangleSolidContacts::solve`]; the lane has a triangle.
    #[inline(never)]
    pub(super) unsafe fn go_back(&self, batch: usize, lane: usize, rows: &Gathered, back: Back) -> One {
        let &Gathered { u, w, a, b, .. } = rows;
        let stays = One::free(f32::NEG_INFINITY);
        let thickness = f64::from(self.triangles.rest(batch)[0].0[lane] + self.contacts.thickness);
        let deep = GONE_IN * f64::from(self.shape.girth());
        let enough = Enough { free: thickness, gap: 0.25 * deep, share: f64::INFINITY };
        let ends = surely_deepest(self.shape, b, MIDDLE, enough).value;
        let size = at_most(b[0]).max(at_most(b[1])).max(at_most(b[2])) + f64::from(self.shape.bound());
        let near = Tolerance { slack: self.slack(thickness), gap: SHALLOW * thickness + ROUNDING * size, surely: true };
        let goes_through = || goes_through(self.shape, &a, &b, thickness + near.slack, near);
        if ends.is_nan() || ends >= -deep && !goes_through() {
            return stays;
        }
        let began = surely_deepest(self.shape, a, MIDDLE, enough).value;
        if !(began > -TOLD * f64::from(self.shape.girth()) && (ends >= -deep || began - ends > 0.5 * deep)) {
            return stays;
        }
        let share = match back {
            Back::ToBegin => 0.0,
            Back::Outside => outside(self.shape, &a, &b, began.min(thickness), 0.25 * deep),
        };
        let now = wide_rows(&self.contacts.surface.shape.end);
        let place = Place::new(self.triangles, batch, 0);
        let mut far = 0.0f32;
        for k in 0..3 {
            let change: V3<f64> = without(&now, (a[k] - b[k]) * (1.0 - share));
            if w[k] > 0.0 && change.length_squared().is_finite() {
                let went = change.length() as f32;
                far = far.max(went);
                for (c, value) in [u[k] + change].into_iter().flat_map(|u| [u.x, u.y, u.z]).enumerate() {
                    // SAFETY: addresses are within the arrays, as `solve` and `Batches` checked; the rows are the
                    // caller's.
                    unsafe {
                        let (offset, stride) = place.lane(k, lane);
                        self.contacts.motion.u.as_ptr().cast::<f32>().add(offset + c * stride).write(value as f32);
                    }
                }
                // SAFETY: this triangle's rows are the caller's.
                unsafe { self.contacts.slack.push(place, (k, lane), went) };
                if !self.contacts.record.is_empty() && went > 0.0 {
                    let n = change * (1.0 / change.length());
                    let n = [n.x as f32, n.y as f32, n.z as f32];
                    // SAFETY: `solve` has found a row for each of the motion's; this triangle's are the caller's.
                    unsafe { push(self.contacts.record, place.lane(k, lane), n, went) };
                }
            }
        }
        One { far, ..stays }
    }
}
