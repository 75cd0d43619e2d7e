//! Position and rotation of a body or collider, in f64 and with our own operations: the same bits everywhere.

use glam::{DQuat, DVec3, Vec3};
use seidel_kernels::V3;
pub(crate) use seidel_kernels::vector::{conjugate, product};

/// An angle that is given in degrees, in radians: degrees x pi / 180, rounded twice, the same on every machine.
#[must_use]
pub fn degrees(angle: f64) -> f64 {
    angle * std::f64::consts::PI / 180.0
}

/// Where something is and how it is turned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Metres.
    pub(crate) position: [f64; 3],
    /// Unit quaternion x, y, z, w: body to world.
    pub(crate) rotation: [f64; 4],
}

impl Default for Pose {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Pose {
    /// At the origin, not turned.
    pub const IDENTITY: Pose = Pose { position: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0] };

    /// A position, metres, and a unit quaternion, body to world.
    #[must_use]
    pub fn new(position: impl Into<DVec3>, rotation: DQuat) -> Pose {
        Pose { position: position.into().to_array(), rotation: rotation.to_array() }
    }

    /// A position in f32, not turned. [`Pose::new`] takes one in f64.
    #[must_use]
    pub fn at(position: impl Into<Vec3>) -> Pose {
        let p = position.into();
        Pose { position: [f64::from(p.x), f64::from(p.y), f64::from(p.z)], ..Pose::IDENTITY }
    }

    /// Position, metres.
    #[must_use]
    pub fn position(&self) -> DVec3 {
        self.position.into()
    }

    /// Unit quaternion, body to world.
    #[must_use]
    pub fn rotation(&self) -> DQuat {
        DQuat::from_array(self.rotation)
    }

    /// The same position, turned on by an angle in radians about an axis of the world, which need not have length 1:
    /// after what turned it before. A zero axis does not turn.
    ///
    /// # Example
    /// ```
    /// use seidel::{Pose, degrees};
    /// let pose = Pose::at([1.0, 0.0, 0.0]).turned([0.0, 0.0, 1.0], degrees(90.0));
    /// assert_eq!(pose.transform_point([1.0, 0.0, 0.0]).round().to_array(), [1.0, 1.0, 0.0]);
    /// ```
    #[must_use]
    pub fn turned(self, axis: impl Into<DVec3>, angle: f64) -> Pose {
        let axis = axis.into().to_array();
        let length = f64::sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
        // Nor one whose square leaves the range: its length is wrong.
        if length < 1e-150 {
            return self;
        }
        let half = 0.5 * angle;
        let s = libm::sin(half) / length;
        let turn = [axis[0] * s, axis[1] * s, axis[2] * s, libm::cos(half)];
        Pose { rotation: product(turn, self.rotation), ..self }
    }

    /// True if every number is finite and the quaternion has length 1 (to 1e-3; it is normalised when used).
    #[must_use]
    pub fn is_valid(&self) -> bool {
        let n: f64 = self.rotation.iter().map(|q| q * q).sum();
        self.position.iter().all(|p| p.is_finite()) && (n - 1.0).abs() < 2e-3
    }

    /// A point of the body in the world.
    #[must_use]
    pub fn transform_point(&self, point: impl Into<DVec3>) -> DVec3 {
        self.apply(point.into().to_array()).into()
    }

    /// A direction of the body in the world: turned, not moved.
    #[must_use]
    pub fn transform_vector(&self, vector: impl Into<DVec3>) -> DVec3 {
        Pose { position: [0.0; 3], ..*self }.transform_point(vector)
    }

    /// The rotation as a matrix, rows first.
    pub(crate) fn matrix(&self) -> [[f64; 3]; 3] {
        let [x, y, z, w] = normalised(self.rotation);
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
            [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
            [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
        ]
    }

    /// [`Pose::transform_point`] of an array.
    pub(crate) fn apply(&self, p: [f64; 3]) -> [f64; 3] {
        let m = self.matrix();
        std::array::from_fn(|k| (m[k][0] * p[0] + m[k][1] * p[1] + m[k][2] * p[2]) + self.position[k])
    }

    /// Its axes: the columns of the rotation, rounded.
    pub(crate) fn axes(&self) -> [V3<f32>; 3] {
        let m = self.matrix();
        [0, 1, 2].map(|k| V3::new(m[0][k] as f32, m[1][k] as f32, m[2][k] as f32))
    }

    /// Where something is whose place in this frame is given.
    pub(crate) fn place(&self, inner: &Pose) -> Pose {
        Pose { position: self.apply(inner.position), rotation: normalised(product(self.rotation, inner.rotation)) }
    }

    /// Its place in another frame: `frame.place(&pose.seen_from(frame))` is the pose again, but for rounding.
    pub(crate) fn seen_from(&self, frame: &Pose) -> Pose {
        let (m, [x, y, z, w]) = (frame.matrix(), frame.rotation);
        let away: [f64; 3] = std::array::from_fn(|k| self.position[k] - frame.position[k]);
        Pose {
            position: std::array::from_fn(|k| m[0][k] * away[0] + m[1][k] * away[1] + m[2][k] * away[2]),
            rotation: normalised(product([-x, -y, -z, w], self.rotation)),
        }
    }

    /// Between two poses: linear in position, normalised linear in rotation, along the shorter way; exact at 0 and 1.
    #[must_use]
    pub fn between(&self, other: &Pose, t: f64) -> Pose {
        let mix = |a: f64, b: f64| if t >= 1.0 { b } else { a + (b - a) * t };
        let dot: f64 = (0..4).map(|k| self.rotation[k] * other.rotation[k]).sum();
        let sign = if dot < 0.0 { -1.0 } else { 1.0 };
        let rotation = std::array::from_fn(|k| mix(self.rotation[k], sign * other.rotation[k]));
        Pose {
            position: std::array::from_fn(|k| mix(self.position[k], other.position[k])),
            rotation: normalised(rotation),
        }
    }

    /// As x, y, z and the quaternion x, y, z, w.
    #[must_use]
    pub fn to_array(&self) -> [f32; 7] {
        let ([x, y, z], [a, b, c, d]) = (self.position, self.rotation);
        [x, y, z, a, b, c, d].map(|v| v as f32)
    }
}

fn normalised(q: [f64; 4]) -> [f64; 4] {
    let length = f64::sqrt((q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3]));
    if length == 0.0 { Pose::IDENTITY.rotation } else { q.map(|v| v / length) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_turn_about_z_takes_x_to_y() {
        let pose = Pose::at([1.0, 0.0, 0.0]).turned([0.0, 0.0, 2.0], degrees(90.0));
        let p = pose.apply([1.0, 0.0, 0.0]);
        assert!((p[0] - 1.0).abs() < 1e-15 && (p[1] - 1.0).abs() < 1e-15, "{p:?}");
    }

    #[test]
    fn turns_follow_one_another() {
        let pose = Pose::IDENTITY.turned([0.0, 0.0, 1.0], degrees(90.0)).turned([1.0, 0.0, 0.0], degrees(90.0));
        // First x to y, then y to z.
        let p = pose.apply([1.0, 0.0, 0.0]);
        assert!(p[0].abs() < 1e-15 && p[1].abs() < 1e-15 && (p[2] - 1.0).abs() < 1e-15, "{p:?}");
        assert!(
            Pose::IDENTITY.turned([0.0, 2.0, 0.0], degrees(30.0)).turned([0.0, 1.0, 0.0], degrees(-30.0)).rotation[3]
                > 1.0 - 1e-15
        );
    }

    #[test]
    fn between_is_exact_at_its_ends() {
        let a = Pose::at([1.0, 2.0, 3.0]);
        let b = Pose::at([4.0, 5.0, 6.0]).turned([1.0, 0.0, 0.0], degrees(180.0));
        assert_eq!(a.between(&b, 0.0), a);
        assert_eq!(a.between(&b, 1.0).position, b.position);
        assert!(a.between(&b, 0.5).is_valid());
    }

    #[test]
    fn a_place_in_another_frame_leads_back() {
        let frame = Pose::at([1.0, -2.0, 3.0]).turned([1.0, 2.0, 3.0], 1.0);
        let pose = Pose::at([4.0, 5.0, 6.0]).turned([0.0, 1.0, -1.0], 2.0);
        let again = frame.place(&pose.seen_from(&frame));
        assert!((0..3).all(|k| (again.position[k] - pose.position[k]).abs() < 1e-14), "{again:?}");
        assert!((0..4).all(|k| (again.rotation[k] - pose.rotation[k]).abs() < 1e-15), "{again:?}");
        assert_eq!(Pose::IDENTITY.place(&frame).position, frame.position);
        assert_eq!(frame.seen_from(&Pose::IDENTITY).position, frame.position);
    }
}
