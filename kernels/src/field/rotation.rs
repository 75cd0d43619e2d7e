//! The rotation in a 3 x 3 matrix: what turns R so that sum r_k . a_k is largest (r_k, a_k: columns of R and A).
//!
//! Müller, Bender, Chentanez, Macklin 2016, "A Robust Method to Extract the Rotational Part of Deformations": R is
//! turned by omega = (sum r_k x a_k) / |sum r_k . a_k| again and again, from where it was a substep ago. Two things are
//! not as they have it:
//!
//! - omega is Newton's step, K omega = sum r_k x a_k with K = tr(M) 1 - M, M = A R^T made symmetric (Kugelstadt,
//!   Koschier, Bender 2018, "Fast Corotated FEM using Operator Splitting", take it for the same purpose): of a turn
//!   about the axis of a long thin body theirs leaves 98 %, this one a square of it. Where K is not positive a multiple
//!   of 1 is added: with a large one it is theirs but for a factor.
//! - Where K has a negative eigenvalue and omega vanishes, R is 180 degrees off or so, and theirs stays there: it is
//!   turned by 0.1 rad, about one of three axes in turn.
//!
//! Steps are at most 1 rad and turn by 2 atan(|omega| / 2): without trigonometry, and the same to third order. All in
//! f64, of
//! + - * / and square roots, so the same bits everywhere.

/// No rotation [w, x, y, z].
pub const NO_TURN: [f64; 4] = [1.0, 0.0, 0.0, 0.0];

/// Radians. A turn below it is not made: f32 positions do not tell.
const ENOUGH: f64 = 1e-8;

/// Steps at most. From where it was it takes two or three; from anywhere at all some ten.
const STEPS: usize = 60;

/// Part of |A|. An eigenvalue of K below it counts as zero: a line turns about itself by nothing.
const SINGULAR: f64 = 1e-7;

/// Part of |A| that is added to K where it is not positive, at least; then four times as much, until it is.
const ADDED: f64 = 1e-3;

/// Radians. A shorter step where K has a negative eigenvalue is none.
const STUCK: f64 = 1e-3;

/// 0.1 rad about three axes at right angles, none of which is one of the coordinates'.
const NUDGES: [[f64; 3]; 3] = [[0.0667, 0.0667, -0.0333], [0.0667, -0.0333, 0.0667], [-0.0333, 0.0667, 0.0667]];

type M3 = [[f64; 3]; 3];

/// Rows of the rotation matrix of a unit quaternion [w, x, y, z].
#[must_use]
pub fn matrix([w, x, y, z]: [f64; 4]) -> M3 {
    [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
}

/// The rotation of `a` (rows), from the unit quaternion `q` on. Where `a` is no number, or nothing, it stays as it is.
#[must_use]
pub fn rotation(a: &M3, mut q: [f64; 4]) -> [f64; 4] {
    let size = a.as_flattened().iter().fold(0.0f64, |sum, v| sum + v * v).sqrt();
    if !(1e-60..1e60).contains(&size) {
        return q;
    }
    let mut nudges = NUDGES.iter().cycle();
    for _ in 0..STEPS {
        let (omega, saddle) = Turning::of(a, &matrix(q)).step(size);
        let long = length(omega);
        q = match nudges.next().filter(|_| saddle && long < STUCK) {
            Some(nudge) => turned(q, *nudge),
            None if long > ENOUGH => turned(q, omega.map(|c| c / long.max(1.0))),
            None => break,
        };
    }
    q
}

/// How sum r_k . a_k changes as R turns.
pub(super) struct Turning {
    /// sum r_k x a_k
    axis: [f64; 3],
    /// K, symmetric: xx, yy, zz, yz, zx, xy.
    k: [f64; 6],
}

impl Turning {
    pub(super) fn of(a: &M3, r: &M3) -> Turning {
        let mut m = [[0.0; 3]; 3];
        for (i, row) in m.iter_mut().enumerate() {
            for (j, entry) in row.iter_mut().enumerate() {
                *entry = (a[i][0] * r[j][0] + a[i][1] * r[j][1]) + a[i][2] * r[j][2];
            }
        }
        // sum r_k x a_k is what M lacks of being symmetric.
        let axis = [m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]];
        let off = |i: usize, j: usize| -0.5 * (m[i][j] + m[j][i]);
        let k = [m[1][1] + m[2][2], m[2][2] + m[0][0], m[0][0] + m[1][1], off(1, 2), off(2, 0), off(0, 1)];
        Turning { axis, k }
    }

    /// The next turn, and whether K has a negative eigenvalue.
    fn step(mut self, size: f64) -> ([f64; 3], bool) {
        let (mut saddle, mut added) = (false, ADDED * size);
        loop {
            match self.newton(self.axis, size) {
                Ok(omega) => return (omega, saddle),
                Err(negative) => saddle |= negative,
            }
            self.k[..3].iter_mut().for_each(|k| *k += added);
            added *= 4.0;
        }
    }

    /// K^-1 times a vector; where K is not positive, whether it has a negative eigenvalue.
    pub(super) fn newton(&self, axis: [f64; 3], size: f64) -> Result<[f64; 3], bool> {
        let [a, b, c, yz, zx, xy] = self.k;
        let co = [b * c - yz * yz, c * a - zx * zx, a * b - xy * xy];
        let off = [zx * xy - a * yz, xy * yz - b * zx, yz * zx - c * xy];
        let (e1, e2) = ((a + b) + c, (co[0] + co[1]) + co[2]);
        let e3 = (a * co[0] + xy * off[2]) + zx * off[1];
        let (n1, n2, n3) = (SINGULAR * size, SINGULAR * size * size, SINGULAR * size * size * size);
        if !(e1 > n1 && e2 > n2 && e3 > n3) {
            return Err(e1 < -n1 || e2 < -n2 || e3 < -n3);
        }
        let [x, y, z] = axis;
        Ok([
            ((co[0] * x + off[2] * y) + off[1] * z) / e3,
            ((off[2] * x + co[1] * y) + off[0] * z) / e3,
            ((off[1] * x + off[0] * y) + co[2] * z) / e3,
        ])
    }
}

/// (1, omega / 2) q, of length 1.
fn turned([w, x, y, z]: [f64; 4], omega: [f64; 3]) -> [f64; 4] {
    let [a, b, c] = omega.map(|o| 0.5 * o);
    let q = [
        w - ((a * x + b * y) + c * z),
        x + ((a * w + b * z) - c * y),
        y + ((b * w + c * x) - a * z),
        z + ((c * w + a * y) - b * x),
    ];
    let length = ((q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3])).sqrt();
    q.map(|c| c / length)
}

fn length([x, y, z]: [f64; 3]) -> f64 {
    ((x * x + y * y) + z * z).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn product(a: &M3, b: &M3) -> M3 {
        std::array::from_fn(|i| std::array::from_fn(|j| (0..3).map(|k| a[i][k] * b[k][j]).sum()))
    }

    /// splitmix64 (Steele, Lea, Flood 2014), in [-1, 1).
    fn unit(seed: &mut u64) -> f64 {
        *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (*seed ^ (*seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn random_turn(seed: &mut u64) -> [f64; 4] {
        let q: [f64; 4] = std::array::from_fn(|_| unit(seed));
        let n = q.iter().map(|c| c * c).sum::<f64>().sqrt();
        q.map(|c| c / n)
    }

    /// R S with S = Q^T diag Q.
    fn stretched(seed: &mut u64, stretch: [f64; 3]) -> (M3, [f64; 4]) {
        let (q, turn) = (matrix(random_turn(seed)), random_turn(seed));
        let s: M3 =
            std::array::from_fn(|i| std::array::from_fn(|j| (0..3).map(|k| q[k][i] * stretch[k] * q[k][j]).sum()));
        (product(&matrix(turn), &s), turn)
    }

    fn off(a: [f64; 4], b: [f64; 4]) -> f64 {
        let dot: f64 = (0..4).map(|k| a[k] * b[k]).sum();
        let d: f64 = (0..4).map(|k| (a[k] * dot.signum() - b[k]).powi(2)).sum();
        2.0 * d.sqrt()
    }

    #[test]
    fn it_is_found_from_anywhere() {
        let mut seed = 7;
        for stretch in [[1.0, 1.0, 1.0], [0.5, 1.0, 2.0], [2.0, 0.7, 0.6], [100.0, 1.0, 0.9], [1.0, 0.8, 0.0]] {
            for _ in 0..300 {
                let (a, turn) = stretched(&mut seed, stretch);
                let found = rotation(&a, random_turn(&mut seed));
                assert!(off(found, turn) < 1e-6, "{stretch:?}: {} rad", off(found, turn));
            }
        }
    }

    /// Exactly 180 degrees off, about a main axis or another, the method as printed does not move.
    #[test]
    fn it_turns_back_from_180_degrees() {
        let mut seed = 3;
        for stretch in [[1.0, 1.0, 1.0], [0.5, 1.0, 2.0], [10.0, 1.0, 1.0], [1.0, 2.0, 4.0]] {
            for axis in 0..3 {
                let mut half = [0.0; 4];
                half[1 + axis] = 1.0;
                let s: M3 = std::array::from_fn(|i| std::array::from_fn(|j| if i == j { stretch[i] } else { 0.0 }));
                let found = rotation(&s, half);
                assert!(off(found, NO_TURN) < 1e-6, "{stretch:?}, axis {axis}: {} rad", off(found, NO_TURN));
            }
            for _ in 0..300 {
                let (a, turn) = stretched(&mut seed, stretch);
                let [x, y, z] = std::array::from_fn(|_| unit(&mut seed));
                let n = length([x, y, z]);
                let [w, i, j, k] = turn;
                // turn times half a turn about the axis
                let (x, y, z) = (x / n, y / n, z / n);
                let half =
                    [-(i * x + j * y + k * z), w * x + j * z - k * y, w * y + k * x - i * z, w * z + i * y - j * x];
                let found = rotation(&a, half);
                assert!(off(found, turn) < 1e-6, "{stretch:?}: {} rad", off(found, turn));
            }
        }
    }

    /// A line does not turn about itself; nothing and no number leave it.
    #[test]
    fn what_has_no_rotation_leaves_it() {
        let line = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]];
        let found = matrix(rotation(&line, NO_TURN));
        assert!((found[1][0] - 1.0).abs() < 1e-6 && (found[2][2] - 1.0).abs() < 1e-6, "{found:?}");
        let q = random_turn(&mut 1);
        for a in [[[0.0; 3]; 3], [[f64::NAN; 3]; 3], [[f64::INFINITY; 3]; 3]] {
            assert_eq!(rotation(&a, q), q);
        }
        assert_eq!(rotation(&[[2.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.5]], NO_TURN), NO_TURN);
    }
}
