//! A body as sweeps see it: velocities and what they need, in f32, relative to the pose at the start of the step.

use bytemuck::{Pod, Zeroable};
use seidel_kernels::V3;

/// A body during a step. Its pose proper is kept in f64; sweeps see only how far it has gone since the step began.
///
/// A body that does not move has inverse mass and inertia 0. One that is locked along an axis of the world has 1 in the
/// last number of `w`, `diagonal` or `sides`, for x, y or z; its inverse inertia knows of locked rotations.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C, align(32))]
pub struct BodyRow {
    /// Velocity of the centre of mass, m/s, and the inverse mass, 1/kg.
    pub v: [f32; 4],
    /// Angular velocity, rad/s, world; the last number is 1 if nothing moves it along x, otherwise 0.
    pub w: [f32; 4],
    /// How far the centre has gone since the step began, metres; the last number is 0.
    pub dx: [f32; 4],
    /// The rotation since the step began, a unit quaternion [x, y, z, w].
    pub turn: [f32; 4],
    /// Inverse inertia in the world's axes, 1/(kg m^2): [xx, yy, zz]; and 1 if nothing moves it along y.
    pub diagonal: [f32; 4],
    /// The same: [xy, yz, xz]; and 1 if nothing moves it along z.
    pub sides: [f32; 4],
    /// Padding, zeros.
    pub rest: [[f32; 4]; 2],
}

impl BodyRow {
    /// A body that does not move, in numbers: at rest, with inverse mass 0.
    pub const FIXED: BodyRow = BodyRow {
        v: [0.0; 4],
        w: [0.0; 4],
        dx: [0.0; 4],
        turn: [0.0, 0.0, 0.0, 1.0],
        diagonal: [0.0; 4],
        sides: [0.0; 4],
        rest: [[0.0; 4]; 2],
    };

    /// Velocity of the centre, m/s.
    #[inline(always)]
    #[must_use]
    pub fn velocity(&self) -> V3<f32> {
        V3::new(self.v[0], self.v[1], self.v[2])
    }

    /// Angular velocity, rad/s.
    #[inline(always)]
    #[must_use]
    pub fn angular_velocity(&self) -> V3<f32> {
        V3::new(self.w[0], self.w[1], self.w[2])
    }

    /// Inverse masses along the world's axes, 1/kg: 0 where it is locked.
    #[inline(always)]
    #[must_use]
    pub fn inv_masses(&self) -> V3<f32> {
        let of = |lock: f32| if lock > 0.0 { 0.0 } else { self.v[3] };
        V3::new(of(self.w[3]), of(self.diagonal[3]), of(self.sides[3]))
    }

    /// Whether nothing moves it along an axis of the world.
    #[inline(always)]
    #[must_use]
    pub fn is_locked(&self) -> bool {
        self.w[3] > 0.0 || self.diagonal[3] > 0.0 || self.sides[3] > 0.0
    }

    /// Whether it turns alike about all axes: balls, cubes, and what nothing turns.
    #[inline(always)]
    #[must_use]
    pub fn is_round(&self) -> bool {
        let [xx, yy, zz, _] = self.diagonal;
        xx == yy && yy == zz && self.sides[..3] == [0.0; 3]
    }

    /// The world's inverse inertia times a vector.
    #[inline(always)]
    #[must_use]
    pub fn inverse_inertia(&self, l: V3<f32>) -> V3<f32> {
        let ([xx, yy, zz, _], [xy, yz, xz, _]) = (self.diagonal, self.sides);
        V3::new((xx * l.x + xy * l.y) + xz * l.z, (xy * l.x + yy * l.y) + yz * l.z, (xz * l.x + yz * l.y) + zz * l.z)
    }

    /// Applies an impulse, N s, at `r` metres from the centre (world axes).
    #[inline(always)]
    pub fn push(&mut self, impulse: V3<f32>, r: V3<f32>) {
        let ([x, y, z, inv_mass], m) = (self.v, self.inv_masses());
        self.v = [x + impulse.x * m.x, y + impulse.y * m.y, z + impulse.z * m.z, inv_mass];
        self.twist(r.cross(impulse));
    }

    /// Applies an angular impulse, N m s, world.
    #[inline(always)]
    pub fn twist(&mut self, impulse: V3<f32>) {
        let turned = self.inverse_inertia(impulse);
        let [x, y, z, last] = self.w;
        self.w = [x + turned.x, y + turned.y, z + turned.z, last];
    }
}
