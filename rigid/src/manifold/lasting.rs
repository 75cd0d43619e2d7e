//! Manifolds that last: while two polyhedra hardly move against each other, the same points of them touch.
//!
//! While the second shape has moved in the first's frame by w <= [`motion_that_lasts`] since their manifold was found,
//! that manifold is used again, with separations where the shapes now are. What was farther apart than `reach` then is
//! farther apart than `reach` - w now, and no separation is wrong by more than w.

use super::point::{Manifold, Point, Transform};
use crate::tuning::{LASTS, LASTS_CORE, LASTS_SHARE};
use seidel_kernels::{Lanes, V3};

/// A manifold as it was found, but for its points on the first shape; all zeros: there is none, or one that does not last.
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Lasting {
    /// Axes and origin of the second shape in the first's frame, no unit and metres.
    axes: [[f32; 3]; 3],
    at: [f32; 3],
    /// How far apart the shapes might be, metres; 0: there is none.
    reach: f32,
    normal: [f32; 3],
    /// The points on the second shape, in its own frame, metres.
    on_b: [[f32; 3]; 4],
}

/// Metres: by how much a shape may move against another, before their manifold is found anew. Of both the radii of the
/// ball about it and of the one inside it: a thin shape has left another's edge by then.
#[inline(always)]
fn motion_that_lasts([[bound_a, core_a], [bound_b, core_b]]: [[f32; 2]; 2]) -> f32 {
    (bound_a.smaller(bound_b) * LASTS_SHARE).smaller(core_a.smaller(core_b) * LASTS_CORE).smaller(LASTS)
}

fn vector([x, y, z]: [f32; 3]) -> V3<f32> {
    V3::new(x, y, z)
}

fn numbers(v: V3<f32>) -> [f32; 3] {
    [v.x, v.y, v.z]
}

impl Lasting {
    /// Of a manifold that was found where B was in A; `reach` as for [`super::collide`].
    #[must_use]
    pub fn of(manifold: &Manifold, b_in_a: &Transform, reach: f32) -> Lasting {
        let mut on_b = [[0.0; 3]; 4];
        for (to, point) in on_b.iter_mut().zip(manifold.points()) {
            *to = numbers(b_in_a.turn_back(point.b - b_in_a.at));
        }
        let (axes, at) = (b_in_a.axes.map(numbers), numbers(b_in_a.at));
        Lasting { axes, at, reach, normal: numbers(manifold.normal), on_b }
    }

    /// Whether there is one.
    #[must_use]
    pub fn lasts(&self) -> bool {
        self.reach != 0.0
    }

    /// Whether it is one that [`Lasting::of`] makes, or none.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        let length = vector(self.normal).length_squared();
        self.reach == 0.0 || self.reach > 0.0 && self.reach.is_finite() && length > 0.99 && length < 1.01
    }

    /// The manifold where B now is in A, if it still holds: `on_a` are its points on A, in A's frame, and their features;
    /// `balls` of A and of B the radii of balls about the origin, one that holds the shape and one that it holds.
    #[must_use]
    pub fn manifold(
        &self,
        on_a: impl Iterator<Item = ([f32; 3], u32)>,
        b_in_a: &Transform,
        balls: [[f32; 2]; 2],
        reach: f32,
    ) -> Option<Manifold> {
        let mut turn = 0.0;
        for (now, then) in b_in_a.axes.iter().zip(self.axes) {
            turn += (*now - vector(then)).length_squared();
        }
        // Of the three singular values of the difference of two rotations one is 0, and two are equal.
        let way = (b_in_a.at - vector(self.at)).length_squared().sqrt() + balls[1][0] * (0.5 * turn).sqrt();
        let most = motion_that_lasts(balls);
        // Also false where a number is none.
        if !(self.lasts() && way <= most && reach <= self.reach + most) {
            return None;
        }
        let mut manifold = Manifold::with_normal(vector(self.normal));
        for ((on_a, feature), on_b) in on_a.zip(self.on_b) {
            let (a, b) = (vector(on_a), b_in_a.point(vector(on_b)));
            manifold.push(Point { a, b, separation: manifold.normal.dot(b - a), feature });
        }
        (manifold.count > 0 && manifold.is_finite()).then_some(manifold)
    }
}
