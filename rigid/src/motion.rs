//! How a body moves: position and rotation, momentum and angular momentum, in f64.
//!
//! ```text
//!  om1 = I(q)^-1 L,   q_mid = exp(h om1 / 2) q,   om = I(q_mid)^-1 L,   q <- exp(h om) q
//! ```
//! The midpoint rule of docs/decisions/rigid-contacts.md's formulation: L is kept to the bit where nothing pushes, the
//! energy of a free body to 1e-4 at 10 rad/s. With the rotation of the substep's start alone the energy falls by 16 %
//! in ten seconds.
//!
//! Sweeps see a [`BodyRow`]; what they change of its velocities is added here.

use crate::BodyRow;
use crate::tuning::{FAST_TURN, MOST_TURNS};

type P = [f64; 3];
type Q = [f64; 4];

/// What a body weighs. Its frame is that of its centre of mass and principal axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mass {
    /// 1/kg; 0 of what no force moves.
    pub inv_mass: f64,
    /// Principal moments of inertia, kg m^2.
    pub inertia: P,
    /// Their inverses; 0 of what no torque turns.
    pub inv_inertia: P,
    /// What nothing moves it along or about.
    pub locks: Locks,
}

/// Axes of the world along which nothing moves a body, and about which nothing turns it. What such a body is told to do
/// of itself (kinematic ones) is not locked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Locks {
    /// Along x, y, z.
    pub translation: [bool; 3],
    /// About x, y, z.
    pub rotation: [bool; 3],
}

impl Mass {
    /// Whether it has the same inertia about all axes, and may turn about all of them.
    #[inline(always)]
    fn is_round(&self) -> bool {
        let [x, y, z] = self.inv_inertia;
        x == y && y == z && x > 0.0 && self.locks.rotation == [false; 3]
    }
}

impl Locks {
    /// None.
    pub const NONE: Locks = Locks { translation: [false; 3], rotation: [false; 3] };
}

/// Without what is along some axes.
#[inline(always)]
fn without(v: P, axes: [bool; 3]) -> P {
    [0, 1, 2].map(|k| if axes[k] { 0.0 } else { v[k] })
}

/// Where a body is and how it moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// The centre of mass, metres.
    pub position: P,
    /// The principal axes, a unit quaternion [x, y, z, w], body to world.
    pub rotation: Q,
    /// Velocity of the centre, m/s.
    pub velocity: P,
    /// Angular momentum, kg m^2/s, world; of a body that no torque turns its angular velocity, rad/s.
    pub spin: P,
}

/// What pulls at a body during a substep.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pull {
    /// m/s^2.
    pub acceleration: P,
    /// N m, world.
    pub torque: P,
    /// Parts of the velocity and of the angular momentum that damping leaves.
    pub keep: [f64; 2],
}

/// A body in a substep: its motion, and what the sweeps were given.
#[derive(Clone, Copy, Debug)]
pub struct Substep {
    /// Velocities that the row was given, f32.
    v: [f32; 3],
    w: [f32; 3],
    /// Angular velocity in the middle of the substep, rad/s.
    omega: P,
    /// The rotation at its start.
    rotation: Q,
}

impl Substep {
    /// Velocities that the row was given: linear, angular.
    #[must_use]
    pub fn velocities(&self) -> [[f32; 3]; 2] {
        [self.v, self.w]
    }

    /// The work of impulses on a body since the substep began, J: by how much they take its motion of then away
    /// (less than 0 where they speed it up), and twice the energy of what they have given it.
    #[must_use]
    pub fn work(&self, mass: &Mass, row: &BodyRow) -> [f64; 2] {
        let [dv, dw] = self.changes(row);
        let (m, dl) = (1.0 / mass.inv_mass, momentum(dw, self.rotation, mass));
        (0..3).fold([0.0; 2], |[takes, gives], k| {
            let (v, w) = (f64::from(self.v[k]), f64::from(self.w[k]));
            [takes - (m * dv[k] * v + dl[k] * w), gives + (m * dv[k] * dv[k] + dl[k] * dw[k])]
        })
    }

    /// By how much impulses have changed the velocity of its centre, squared, m^2/s^2.
    #[must_use]
    pub fn pushed(&self, row: &BodyRow) -> f32 {
        (0..3).map(|k| row.v[k] - self.v[k]).map(|dv| dv * dv).sum()
    }

    /// Leaves only a share of what impulses have done to a body.
    pub fn scale(&self, share: f32, row: &mut BodyRow) {
        for k in 0..3 {
            row.v[k] = self.v[k] + share * (row.v[k] - self.v[k]);
            row.w[k] = self.w[k] + share * (row.w[k] - self.w[k]);
        }
    }
}

/// The start of a step, relative to which rows tell motion.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    /// Position and rotation then.
    pub position: P,
    /// As `position`.
    pub rotation: Q,
}

impl Motion {
    /// Begins a substep of `h` seconds: applies what pulls, and writes velocities, masses and inertia into the row that
    /// sweeps work on. It leaves alone how far the body has gone since the step began: that is nothing in
    /// [`BodyRow::FIXED`], with which a step begins, and [`Motion::advance`] writes it.
    #[must_use]
    pub fn begin(&mut self, mass: &Mass, pull: &Pull, h: f64, row: &mut BodyRow) -> Substep {
        let moves = mass.inv_mass > 0.0;
        let turns = mass.inv_inertia.iter().any(|&w| w > 0.0);
        if moves {
            let velocity = [0, 1, 2].map(|k| (self.velocity[k] + h * pull.acceleration[k]) * pull.keep[0]);
            self.velocity = without(velocity, mass.locks.translation);
        }
        if turns {
            let spin = [0, 1, 2].map(|k| (self.spin[k] + h * pull.torque[k]) * pull.keep[1]);
            self.spin = without(spin, mass.locks.rotation);
        }
        let (omega, diagonal, sides) = if mass.is_round() {
            // It turns about the same axis throughout, and has the same inertia about all.
            let w = mass.inv_inertia[0];
            (self.spin.map(|l| l * w), [w as f32; 3], [0.0; 3])
        } else {
            let m = matrix(self.rotation);
            let inverse = match mass.locks.rotation {
                [false, false, false] => turned_inertia(&m, mass.inv_inertia),
                _ => inverse_inertia(self.rotation, mass),
            };
            let of = |i: usize, j: usize| inverse[i][j] as f32;
            (self.omega(mass, &inverse, h), [of(0, 0), of(1, 1), of(2, 2)], [of(0, 1), of(1, 2), of(0, 2)])
        };
        let locked = |axis: usize| if moves && mass.locks.translation[axis] { 1.0 } else { 0.0 };
        let (v, w) = (self.velocity.map(|v| v as f32), omega.map(|w| w as f32));
        row.v = [v[0], v[1], v[2], mass.inv_mass as f32];
        row.w = [w[0], w[1], w[2], locked(0)];
        row.diagonal = [diagonal[0], diagonal[1], diagonal[2], locked(1)];
        row.sides = [sides[0], sides[1], sides[2], locked(2)];
        Substep { v, w, omega, rotation: self.rotation }
    }

    /// Angular velocity in the middle of a substep of `h` seconds, or the mean of a fast turn. `inverse` is the inverse
    /// inertia at its start.
    #[inline(always)]
    fn omega(&self, mass: &Mass, inverse: &[P; 3], h: f64) -> P {
        if mass.inv_inertia == [0.0; 3] {
            return self.spin;
        }
        let omega = angular_velocity(self.spin, turned(self.rotation, times(inverse, self.spin), 0.5 * h), mass);
        if is_fast(omega, h) { self.fast_omega(mass, omega, h) } else { omega }
    }

    /// Angular velocity of a turn that takes parts. Of one that is too fast for that it is as the substep begins.
    #[cold]
    fn fast_omega(&self, mass: &Mass, omega: P, h: f64) -> P {
        if is_whirl(omega, h) { angular_velocity(self.spin, self.rotation, mass) } else { self.fast(mass, omega, h).0 }
    }

    /// The rotation after a substep in which the body turns fast; `dw` is what impulses have added to its angular
    /// velocity.
    #[cold]
    fn fast_turn(&self, mass: &Mass, omega: P, dw: P, h: f64) -> Q {
        let w: P = std::array::from_fn(|k| omega[k] + dw[k]);
        if is_whirl(w, h) {
            // Several turns a substep: where it is then is not known. A turn about L keeps L's place in the body, and
            // so the energy; any other would multiply it by up to the ratio of two moments of inertia, in each substep.
            let gained = momentum(dw, self.rotation, mass);
            let l: P = std::array::from_fn(|k| self.spin[k] + gained[k]);
            let size = length(l);
            let share = if size > 0.0 { length(w) / size } else { 0.0 };
            return turned(self.rotation, l.map(|l| l * share), h);
        }
        // The turn without impulses in parts, and what impulses have added as one.
        let parts = is_fast(omega, h) && !is_whirl(omega, h);
        if parts { turned(self.fast(mass, omega, h).1, dw, h) } else { turned(self.rotation, w, h) }
    }

    /// A fast turn without impulses, in parts: the mean angular velocity, and the rotation at its end. `omega` is the
    /// angular velocity in the middle, by which the number of parts is chosen.
    #[cold]
    fn fast(&self, mass: &Mass, omega: P, h: f64) -> (P, Q) {
        // What is a whirl takes none.
        let count = (libm::ceil(h * length(omega) / FAST_TURN) as u32).clamp(1, MOST_TURNS);
        let part = h / f64::from(count);
        let (mut q, mut sum) = (self.rotation, [0.0; 3]);
        for _ in 0..count {
            let w = angular_velocity(self.spin, q, mass);
            let w = angular_velocity(self.spin, turned(q, w, 0.5 * part), mass);
            sum = [0, 1, 2].map(|k| sum[k] + w[k]);
            q = turned(q, w, part);
        }
        (sum.map(|w| w / f64::from(count)), q)
    }

    /// Gives the sweeps of a substep more inertia about the principal axes, kg m^2, than the body has:
    /// [`crate::joint::stiffened`].
    pub fn stiffen(&self, mass: &Mass, stiffness: P, row: &mut BodyRow) {
        let inertia: P = std::array::from_fn(|k| mass.inertia[k] + stiffness[k]);
        let inv_inertia = [0, 1, 2].map(|k| if mass.inv_inertia[k] > 0.0 { 1.0 / inertia[k] } else { 0.0 });
        let inverse = inverse_inertia(self.rotation, &Mass { inertia, inv_inertia, ..*mass });
        let of = |i: usize, j: usize| inverse[i][j] as f32;
        row.diagonal[..3].copy_from_slice(&[of(0, 0), of(1, 1), of(2, 2)]);
        row.sides[..3].copy_from_slice(&[of(0, 1), of(1, 2), of(0, 2)]);
    }

    /// Moves the body as its row now says, and tells the row how far that is.
    #[inline(always)]
    pub fn advance(&mut self, mass: &Mass, substep: &Substep, start: &Start, row: &mut BodyRow, h: f64) {
        let [dv, dw] = substep.changes(row);
        let v: P = std::array::from_fn(|k| self.velocity[k] + dv[k]);
        let w: P = std::array::from_fn(|k| substep.omega[k] + dw[k]);
        self.position = std::array::from_fn(|k| self.position[k] + h * v[k]);
        if is_fast(w, h) && mass.inv_inertia != [0.0; 3] && !mass.is_round() {
            self.rotation = self.fast_turn(mass, substep.omega, dw, h);
        } else if w != [0.0; 3] {
            self.rotation = turned(self.rotation, w, h);
        }
        self.tell(start, row);
    }

    /// Moves the body by `change`, metres and a rotation vector, which gives it a velocity, and by `correction`, which
    /// gives it none; and tells the row.
    pub fn nudge(&mut self, change: [P; 2], correction: [P; 2], start: &Start, row: &mut BodyRow, h: f64) {
        if change == [[0.0; 3]; 2] && correction == [[0.0; 3]; 2] {
            return;
        }
        let both = |k: usize, c: usize| change[k][c] + correction[k][c];
        // What is locked does not change (`Mover::locked`).
        self.position = std::array::from_fn(|c| self.position[c] + both(0, c));
        self.rotation = turned(self.rotation, [0, 1, 2].map(|c| both(1, c)), 1.0);
        for (velocity, by) in [(&mut row.v, change[0]), (&mut row.w, change[1])] {
            for (v, by) in velocity.iter_mut().zip(by) {
                *v = (f64::from(*v) + by / h) as f32;
            }
        }
        self.tell(start, row);
    }

    /// Tells a row how far the body has gone since the step began.
    #[inline(always)]
    fn tell(&self, start: &Start, row: &mut BodyRow) {
        let turn = product(self.rotation, conjugate(start.rotation));
        for k in 0..3 {
            row.dx[k] = (self.position[k] - start.position[k]) as f32;
        }
        row.turn = turn.map(|c| c as f32);
    }

    /// Ends a substep: takes up what the sweeps have done to the velocities.
    #[inline(always)]
    pub fn end(&mut self, mass: &Mass, substep: &Substep, row: &BodyRow) {
        let [dv, dw] = substep.changes(row);
        if mass.inv_mass > 0.0 {
            self.velocity = std::array::from_fn(|k| self.velocity[k] + dv[k]);
        }
        // What no sweep has touched keeps its angular momentum to the bit.
        if dw != [0.0; 3] && mass.inv_inertia != [0.0; 3] {
            let dl = momentum(dw, substep.rotation, mass);
            self.spin = std::array::from_fn(|k| self.spin[k] + dl[k]);
        }
    }

    /// Angular velocity now, rad/s.
    #[must_use]
    pub fn angular_velocity(&self, mass: &Mass) -> P {
        if mass.inv_inertia == [0.0; 3] { self.spin } else { angular_velocity(self.spin, self.rotation, mass) }
    }

    /// Kinetic energy, J.
    #[must_use]
    pub fn energy(&self, mass: &Mass) -> f64 {
        if mass.inv_mass == 0.0 {
            return 0.0;
        }
        let w = self.angular_velocity(mass);
        let linear: f64 = self.velocity.iter().map(|v| v * v).sum::<f64>() / mass.inv_mass;
        0.5 * (linear + (0..3).map(|k| w[k] * self.spin[k]).sum::<f64>())
    }

    /// Whether all of it are numbers within `most` metres.
    #[must_use]
    #[inline(always)]
    pub fn is_finite(&self, most: f64) -> bool {
        self.position.iter().all(|x| x.abs() <= most)
            && self.rotation.iter().chain(&self.velocity).chain(&self.spin).all(|x| x.is_finite())
    }
}

impl Substep {
    /// By how much the row's velocities have changed.
    #[inline(always)]
    fn changes(&self, row: &BodyRow) -> [P; 2] {
        let change =
            |now: [f32; 4], before: [f32; 3]| std::array::from_fn(|k| f64::from(now[k]) - f64::from(before[k]));
        [change(row.v, self.v), change(row.w, self.w)]
    }
}

/// I(q)^-1 L.
#[must_use]
#[inline(always)]
pub fn angular_velocity(l: P, q: Q, mass: &Mass) -> P {
    if mass.is_round() {
        return l.map(|l| l * mass.inv_inertia[0]);
    }
    if mass.locks.rotation == [false; 3] {
        return turned_diagonal(l, &matrix(q), mass.inv_inertia);
    }
    times(&inverse_inertia(q, mass), l)
}

/// I(q) w. About axes that are locked it is 0: what keeps the body from turning about them takes up that momentum.
#[must_use]
#[inline(always)]
pub fn momentum(w: P, q: Q, mass: &Mass) -> P {
    if mass.is_round() {
        return w.map(|w| w * mass.inertia[0]);
    }
    if mass.locks.rotation == [false; 3] {
        return turned_diagonal(w, &matrix(q), mass.inertia);
    }
    without(turned_diagonal(without(w, mass.locks.rotation), &matrix(q), mass.inertia), mass.locks.rotation)
}

/// Rows of the inverse inertia in the world's axes, 1/(kg m^2). Where axes are locked, the inverse of what of I(q) is
/// about the free ones.
#[must_use]
pub fn inverse_inertia(q: Q, mass: &Mass) -> [P; 3] {
    let m = matrix(q);
    let mut inverse = [[0.0; 3]; 3];
    match mass.locks.rotation {
        [false, false, false] => inverse = turned_inertia(&m, mass.inv_inertia),
        _ if mass.inv_inertia == [0.0; 3] => {}
        [true, true, true] => {}
        locked => {
            let inertia = turned_inertia(&m, mass.inertia);
            let of = |i: usize, j: usize| inertia[i][j];
            // The free axes: one or two.
            let a = if locked[0] { usize::from(locked[1]) + 1 } else { 0 };
            match (a + 1..3).find(|&axis| !locked[axis]) {
                None => inverse[a][a] = 1.0 / of(a, a),
                Some(b) => {
                    let over = 1.0 / (of(a, a) * of(b, b) - of(a, b) * of(a, b));
                    (inverse[a][a], inverse[b][b]) = (of(b, b) * over, of(a, a) * over);
                    (inverse[a][b], inverse[b][a]) = (-of(a, b) * over, -of(a, b) * over);
                }
            }
        }
    }
    inverse
}

/// R diag R^T a, with the matrix R.
#[inline(always)]
fn turned_diagonal(a: P, m: &[P; 3], diagonal: P) -> P {
    let own: P = std::array::from_fn(|j| diagonal[j] * ((m[0][j] * a[0] + m[1][j] * a[1]) + m[2][j] * a[2]));
    std::array::from_fn(|i| (m[i][0] * own[0] + m[i][1] * own[1]) + m[i][2] * own[2])
}

/// R diag R^T, with the matrix R.
#[inline(always)]
fn turned_inertia(m: &[P; 3], diagonal: P) -> [P; 3] {
    let own = m.map(|row| [0, 1, 2].map(|k| row[k] * diagonal[k]));
    own.map(|a| [0, 1, 2].map(|j| (a[0] * m[j][0] + a[1] * m[j][1]) + a[2] * m[j][2]))
}

#[inline(always)]
fn times(m: &[P; 3], a: P) -> P {
    m.map(|row| (row[0] * a[0] + row[1] * a[1]) + row[2] * a[2])
}

/// Whether a turn in a substep takes parts.
#[inline(always)]
fn is_fast([x, y, z]: P, h: f64) -> bool {
    h * h * ((x * x + y * y) + z * z) > FAST_TURN * FAST_TURN
}

/// Whether it is too fast for parts.
fn is_whirl(omega: P, h: f64) -> bool {
    h * length(omega) > FAST_TURN * f64::from(MOST_TURNS)
}

fn length([x, y, z]: P) -> f64 {
    f64::sqrt((x * x + y * y) + z * z)
}

/// exp(t w) q, of length 1 but for an error of e^2 where that of q has one of e.
fn turned(q: Q, w: P, t: f64) -> Q {
    let half = 0.5 * t;
    let (share, cosine) = half_turn(((w[0] * w[0] + w[1] * w[1]) + w[2] * w[2]) * (half * half));
    let by = half * share;
    let q = product([w[0] * by, w[1] * by, w[2] * by, cosine], q);
    let squared = (q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3]);
    // One step of Newton's method to 1 / length, which wants to begin near it.
    let near = (squared - 1.0).abs() < 1e-3;
    let over = if near { 1.5 - 0.5 * squared } else { 1.0 / f64::sqrt(squared) };
    q.map(|c| c * over)
}

/// sin(a) / a and cos(a) of an angle by its square: by their series where what these leave out is below a rounding.
#[inline(always)]
fn half_turn(z: f64) -> (f64, f64) {
    if z < 1.0 / 16.0 {
        let sine = z * (1.0 / 362_880.0 - z * (1.0 / 39_916_800.0));
        let sine = z * (1.0 / 120.0 - z * (1.0 / 5040.0 - sine));
        let cosine = z * (1.0 / 40_320.0 - z * (1.0 / 3_628_800.0 - z * (1.0 / 479_001_600.0)));
        let cosine = z * (1.0 / 24.0 - z * (1.0 / 720.0 - cosine));
        return (1.0 - z * (1.0 / 6.0 - sine), 1.0 - z * (0.5 - cosine));
    }
    let a = f64::sqrt(z);
    (libm::sin(a) / a, libm::cos(a))
}

#[inline(always)]
fn conjugate([x, y, z, w]: Q) -> Q {
    [-x, -y, -z, w]
}

/// Product of quaternions: first `b`, then `a`.
#[inline(always)]
fn product(a: Q, b: Q) -> Q {
    let ([ax, ay, az, aw], [bx, by, bz, bw]) = (a, b);
    [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ]
}

/// Rows of the matrix of a rotation, body to world.
#[inline(always)]
fn matrix([x, y, z, w]: Q) -> [P; 3] {
    let (xx, yy, zz) = (x * x, y * y, z * z);
    let (xy, xz, yz) = (x * y, x * z, y * z);
    let (wx, wy, wz) = (w * x, w * y, w * z);
    [
        [1.0 - 2.0 * (yy + zz), 2.0 * (xy - wz), 2.0 * (xz + wy)],
        [2.0 * (xy + wz), 1.0 - 2.0 * (xx + zz), 2.0 * (yz - wx)],
        [2.0 * (xz - wy), 2.0 * (yz + wx), 1.0 - 2.0 * (xx + yy)],
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    const H: f64 = 1.0 / 1200.0;
    const FREE: Pull = Pull { acceleration: [0.0; 3], torque: [0.0; 3], keep: [1.0; 2] };

    fn mass(inertia: P) -> Mass {
        Mass { inv_mass: 1.0, inertia, inv_inertia: inertia.map(|i| 1.0 / i), locks: Locks::NONE }
    }

    fn spinning(mass: &Mass, w: P) -> Motion {
        let rotation = [0.0, 0.0, 0.0, 1.0];
        Motion { position: [0.0; 3], rotation, velocity: [0.0; 3], spin: momentum(w, rotation, mass) }
    }

    /// Goes on without a sweep that changes anything.
    fn free(motion: &mut Motion, mass: &Mass) {
        let start = Start { position: motion.position, rotation: motion.rotation };
        let mut row = BodyRow::FIXED;
        let substep = motion.begin(mass, &FREE, H, &mut row);
        motion.advance(mass, &substep, &start, &mut row, H);
        motion.end(mass, &substep, &row);
    }

    /// Euler's equations of a free body have the middle axis' turn-over at a known time.
    #[test]
    fn a_body_that_turns_about_its_middle_axis_flips() {
        let mass = mass([1.0, 2.0, 3.0]);
        let mut motion = spinning(&mass, [0.01, 10.0, 0.01]);
        let (energy, spin) = (motion.energy(&mass), motion.spin);
        let mut flipped = None;
        for step in 0..120_000 {
            free(&mut motion, &mass);
            let [_, y, ..] = {
                let m = matrix(motion.rotation);
                // Of the angular velocity along the body's own middle axis.
                let w = motion.angular_velocity(&mass);
                [0.0, m[0][1] * w[0] + m[1][1] * w[1] + m[2][1] * w[2]]
            };
            if y < 0.0 && flipped.is_none() {
                flipped = Some(f64::from(step) * H);
            }
        }
        assert_eq!(motion.spin, spin, "nothing pushes: L is kept to the bit");
        let error = (motion.energy(&mass) / energy - 1.0).abs();
        assert!(error < 1e-4, "energy changed by {error} in 100 s");
        let flipped = flipped.unwrap();
        assert!((flipped / 1.491 - 1.0).abs() < 0.005, "flipped after {flipped} s");
    }

    /// A quarter of a turn in a substep, and many turns.
    #[test]
    fn a_fast_turn_keeps_its_energy() {
        let mass = mass([1.0, 2.0, 3.0]);
        for (speed, most) in [(100.0, 2e-3), (300.0, 1e-2), (1000.0, 3e-2), (5000.0, 0.2), (1e5, 1e-9)] {
            let mut motion = spinning(&mass, [0.3 * speed, speed, 0.5 * speed]);
            let (energy, spin) = (motion.energy(&mass), motion.spin);
            for _ in 0..2400 {
                free(&mut motion, &mass);
                let error = (motion.energy(&mass) / energy - 1.0).abs();
                assert!(error < most, "energy changed by {error} at {speed} rad/s");
            }
            assert_eq!(motion.spin, spin, "L is kept to the bit");
        }
    }

    /// To a rounding, on both sides of where the series end; and turns of any size leave a unit quaternion.
    #[test]
    fn half_turns_are_sines_and_cosines() {
        for k in 0..4000 {
            let a = 1e-9 + f64::from(k) * 1.3e-4;
            let (share, cosine) = half_turn(a * a);
            assert!((share * a - libm::sin(a)).abs() <= 2.3e-16 * a.max(1e-300) + 1.2e-16, "{a}");
            assert!((cosine - libm::cos(a)).abs() <= 2.3e-16, "{a}");
        }
        let mut q = [0.0, 0.0, 0.0, 1.0];
        for k in 0..10_000 {
            q = turned(q, [f64::from(k % 7), -3.0, 0.01 * f64::from(k)], 0.05);
            let squared: f64 = q.iter().map(|c| c * c).sum();
            assert!((squared - 1.0).abs() < 1e-15, "{squared} after {k}");
        }
        // Also where it was none.
        let q = turned([0.0, 0.0, 0.0, 3.0], [1.0, 0.0, 0.0], 0.1);
        assert!((q.iter().map(|c| c * c).sum::<f64>() - 1.0).abs() < 1e-15, "{q:?}");
    }

    #[test]
    fn a_slow_turn_is_not_lost() {
        let mass = mass([1.0, 2.0, 3.0]);
        let mut motion = spinning(&mass, [0.0, 0.0, 3e-5]);
        for _ in 0..120_000 {
            free(&mut motion, &mass);
        }
        let angle = 2.0 * libm::asin(motion.rotation[2]);
        assert!((angle / 3e-3 - 1.0).abs() < 0.01, "{angle} rad after 100 s");
    }

    /// A symmetric top under a torque: the axis goes round with m g d / (I3 w), to the first order in the ratio of both
    /// speeds.
    #[test]
    fn a_heavy_top_precesses() {
        let (i1, i3, spin, weight) = (0.1, 0.05, 400.0, 4.905);
        let mass = mass([i1, i1, i3]);
        let mut motion = spinning(&mass, [0.0, 0.0, spin]);
        // Its axis is level: along x.
        let s = f64::sqrt(0.5);
        motion.rotation = [0.0, s, 0.0, s];
        let precession = weight / (i3 * spin);
        motion.spin = [i3 * spin, i1 * precession, 0.0];
        let seconds = 2.0;
        for _ in 0..(seconds / H) as usize {
            let m = matrix(motion.rotation);
            // r x F, r along the axis, F = -weight y.
            let axis = [m[0][2], m[1][2], m[2][2]];
            let pull = Pull { torque: [axis[2] * weight, 0.0, -axis[0] * weight], ..FREE };
            let start = Start { position: motion.position, rotation: motion.rotation };
            let mut row = BodyRow::FIXED;
            let substep = motion.begin(&mass, &pull, H, &mut row);
            motion.advance(&mass, &substep, &start, &mut row, H);
            motion.end(&mass, &substep, &row);
        }
        let m = matrix(motion.rotation);
        let gone = libm::atan2(-m[2][2], m[0][2]).abs();
        let want = precession * seconds;
        assert!((gone / want - 1.0).abs() < 0.01, "{gone} for {want} rad");
        assert!(m[1][2].abs() < 0.01, "it nods by {}", m[1][2]);
    }
}
