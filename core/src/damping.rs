//! Damping that keeps rigid motion (Müller et al. 2007, section 3.5), for each body.
//!
//! x_cm = sum m x / M, v_cm = sum m v / M, L = sum r x m v, I = sum m (|r|^2 1 - r r^T), omega = I^-1 L,
//! v_i += k (v_cm + omega x r_i - v_i). Particles of inverse mass 0, and those that are being lost, stay out. Sums in f64,
//! block by block, folded in order.

use seidel_kernels::Row;
use seidel_kernels::integrate::RigidMotion;
use seidel_kernels::tuning::MAX_POSITION;

/// Moments of some particles about a point of their body.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Moments {
    mass: f64,
    /// sum m d
    first: [f64; 3],
    /// sum m v
    momentum: [f64; 3],
    /// sum d x m v
    angular: [f64; 3],
    /// sum m d d^T: xx, yy, zz, xy, yz, zx
    second: [f64; 6],
}

impl Moments {
    /// Of a block's particles, about `about`.
    pub(crate) fn of(x: &[Row], v: &[Row], about: [f32; 3]) -> Moments {
        let mut sum = Moments::default();
        // One particle that is no number (or overflows f32, 1e9 m or m/s and beyond) would make all others so.
        let sane = |row: &Row| row[..3].iter().all(|c| f64::from(c.abs()) <= MAX_POSITION);
        for (x, v) in x.iter().zip(v).filter(|(x, v)| x[3] > 0.0 && sane(x) && sane(v)) {
            let m = 1.0 / f64::from(x[3]);
            let d: [f64; 3] = std::array::from_fn(|k| f64::from(x[k]) - f64::from(about[k]));
            let p: [f64; 3] = std::array::from_fn(|k| m * f64::from(v[k]));
            let turn = cross(d, p);
            sum.mass += m;
            for k in 0..3 {
                let next = (k + 1) % 3;
                sum.first[k] += m * d[k];
                sum.momentum[k] += p[k];
                sum.angular[k] += turn[k];
                sum.second[k] += m * d[k] * d[k];
                sum.second[3 + k] += m * d[k] * d[next];
            }
        }
        sum
    }

    /// Adds the next block.
    pub(crate) fn add(&mut self, other: &Moments) {
        self.mass += other.mass;
        for k in 0..3 {
            self.first[k] += other.first[k];
            self.momentum[k] += other.momentum[k];
            self.angular[k] += other.angular[k];
        }
        for k in 0..6 {
            self.second[k] += other.second[k];
        }
    }

    /// The rigid motion with the same momentum and angular momentum. A line or a point does not turn.
    pub(crate) fn rigid(&self, about: [f32; 3]) -> RigidMotion {
        if self.mass <= 0.0 {
            return RigidMotion::default();
        }
        let d = self.first.map(|f| f / self.mass);
        let v = self.momentum.map(|p| p / self.mass);
        let lost = cross(d, self.momentum);
        let l: [f64; 3] = std::array::from_fn(|k| self.angular[k] - lost[k]);
        // sum m r r^T = sum m d d^T - M d d^T, then I = trace 1 - it.
        let s: [f64; 6] = std::array::from_fn(|k| {
            let (a, b) = if k < 3 { (k, k) } else { (k - 3, (k - 2) % 3) };
            self.second[k] - self.mass * d[a] * d[b]
        });
        let trace = s[0] + s[1] + s[2];
        let (a, b, c) = (trace - s[0], trace - s[1], trace - s[2]);
        let (xy, yz, zx) = (-s[3], -s[4], -s[5]);
        // Cofactors of the symmetric I.
        let co =
            [b * c - yz * yz, zx * yz - xy * c, xy * yz - b * zx, a * c - zx * zx, xy * zx - a * yz, a * b - xy * xy];
        let det = a * co[0] + xy * co[1] + zx * co[2];
        let singular = det <= 1e-9 * trace * trace * trace;
        let omega = if singular {
            [0.0; 3]
        } else {
            [
                (co[0] * l[0] + co[1] * l[1] + co[2] * l[2]) / det,
                (co[1] * l[0] + co[3] * l[1] + co[4] * l[2]) / det,
                (co[2] * l[0] + co[4] * l[1] + co[5] * l[2]) / det,
            ]
        };
        RigidMotion {
            center: std::array::from_fn(|k| (f64::from(about[k]) + d[k]) as f32),
            velocity: v.map(|v| v as f32),
            omega: omega.map(|o| o as f32),
        }
    }
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rigid_motion_is_found_again() {
        let (velocity, omega) = ([1.0f32, -2.0, 0.5], [0.3f32, 0.7, -1.1]);
        let x: Vec<Row> =
            (0..7).map(|i| [(i * i) as f32 * 0.1, (i % 3) as f32, (i % 2) as f32, 0.5 + i as f32]).collect();
        let mut still = Moments::of(&x, &[[0.0; 4]; 7], [0.0; 3]).rigid([0.0; 3]);
        assert_eq!((still.velocity, still.omega), ([0.0; 3], [0.0; 3]));
        (still.velocity, still.omega) = (velocity, omega);
        let v: Vec<Row> = x
            .iter()
            .map(|x| {
                let r: [f32; 3] = std::array::from_fn(|k| x[k] - still.center[k]);
                let turn = [
                    omega[1] * r[2] - omega[2] * r[1],
                    omega[2] * r[0] - omega[0] * r[2],
                    omega[0] * r[1] - omega[1] * r[0],
                ];
                [velocity[0] + turn[0], velocity[1] + turn[1], velocity[2] + turn[2], 0.0]
            })
            .collect();
        let found = Moments::of(&x, &v, [5.0, 1.0, 2.0]).rigid([5.0, 1.0, 2.0]);
        for k in 0..3 {
            assert!((found.velocity[k] - velocity[k]).abs() < 1e-5, "{found:?}");
            assert!((found.omega[k] - omega[k]).abs() < 1e-5, "{found:?}");
        }
    }

    #[test]
    fn a_line_does_not_turn() {
        let x = [[0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0]];
        let v = [[0.0, 1.0, 0.0, 0.0], [0.0, -1.0, 0.0, 0.0]];
        assert_eq!(Moments::of(&x, &v, [0.0; 3]).rigid([0.0; 3]).omega, [0.0; 3]);
    }
}
