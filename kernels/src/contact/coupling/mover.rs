//! A rigid body while its contacts with particles are solved: where it goes in the substep, and what they have changed
//! of that.

use super::P;
use crate::V3;

/// A body's way in a substep, and what contacts add to it.
#[derive(Clone, Copy, Debug)]
pub struct Mover {
    inv_mass: f64,
    /// No point of it is farther from its centre, metres.
    reach: f64,
    /// 0 along the world's axes along which nothing moves it, otherwise 1.
    free: P,
    /// Rows of the world's inverse inertia, 1/(kg m^2).
    inv_inertia: [P; 3],
    /// Where its centre of mass starts and ends, metres.
    from: P,
    to: P,
    /// A material point at r from the centre at the end has come by (to - from) + turn r.
    turn: [P; 3],
    moved: P,
    turned: P,
    shifted: P,
    tilted: P,
}

fn times(m: &[P; 3], v: P) -> P {
    V3::new(m[0].dot(v), m[1].dot(v), m[2].dot(v))
}

impl Mover {
    /// Of a body whose centre goes from one place to another, metres; 1/kg and 1/(kg m^2) in the world's axes, 0 of
    /// what nothing moves; and rows of 1 - R0 R1^T, of its rotations at the start and the end.
    #[must_use]
    pub fn new(inv_mass: f64, inv_inertia: [[f64; 3]; 3], [from, to]: [[f64; 3]; 2], turn: [[f64; 3]; 3]) -> Mover {
        let zero = P::zero();
        let [from, to] = [from, to].map(P::set);
        let (inv_inertia, turn) = (inv_inertia.map(P::set), turn.map(P::set));
        let free = P::set([1.0; 3]);
        let reach = f64::INFINITY;
        let [moved, turned, shifted, tilted] = [zero; 4];
        Mover { inv_mass, reach, free, inv_inertia, from, to, turn, moved, turned, shifted, tilted }
    }

    /// The same, none of whose points is farther from its centre than so many metres.
    #[must_use]
    pub fn reaching(self, reach: f64) -> Mover {
        Mover { reach, ..self }
    }

    /// Whether a point at `r` from the centre may be where the body touches what is so thick, metres. The ends of a way
    /// that is longer than the body need not be: as levers they would turn it by more than any contact can.
    pub(super) fn touches_at(&self, r: P, thickness: f64) -> bool {
        let most = 2.0 * (self.reach + thickness);
        r.length_squared() <= most * most
    }

    /// The same, and nothing moves it along some of the world's axes.
    #[must_use]
    pub fn locked(self, axes: [bool; 3]) -> Mover {
        Mover { free: P::set(axes.map(|locked| if locked { 0.0 } else { 1.0 })), ..self }
    }

    /// Without what is along locked axes.
    fn free(&self, v: P) -> P {
        V3::new(v.x * self.free.x, v.y * self.free.y, v.z * self.free.z)
    }

    /// From its centre at the end, as its rows say, to a point.
    pub(super) fn arm(&self, x: P) -> P {
        x - self.to
    }

    /// From its centre at the start to a point there.
    pub(super) fn arm_at_start(&self, x: P) -> P {
        x - self.from
    }

    /// How far contacts have moved the point at `r`, metres.
    pub(super) fn pushed(&self, r: P) -> P {
        (self.moved + self.shifted) + (self.turned + self.tilted).cross(r)
    }

    /// How far the point at `r` goes in the substep, without what has no velocity, metres.
    pub(super) fn way(&self, r: P) -> P {
        (self.to - self.from) + times(&self.turn, r) + (self.moved + self.turned.cross(r))
    }

    /// Generalised inverse mass of the point at `r` along a unit vector, 1/kg.
    pub(super) fn inverse_mass(&self, r: P, n: P) -> f64 {
        let arm = r.cross(n);
        let all = self.free.x * self.free.y * self.free.z == 1.0;
        let share = if all { 1.0 } else { n.dot(self.free(n)) };
        self.inv_mass * share + arm.dot(times(&self.inv_inertia, arm))
    }

    /// How far the point at `q` moves along a unit vector by an impulse of 1 along it at `r`: metres for kg m.
    pub(super) fn moved_by(&self, q: P, r: P, n: P) -> f64 {
        self.inv_mass * n.dot(self.free(n)) + q.cross(n).dot(times(&self.inv_inertia, r.cross(n)))
    }

    /// How far the point at `r` moves by an impulse of 1 along each axis there: metres for kg m.
    pub(super) fn yields(&self, r: P, impulse: P) -> P {
        impulse * self.inv_mass + times(&self.inv_inertia, r.cross(impulse)).cross(r)
    }

    /// Applies an impulse times the substep, kg m, at `r`.
    pub(super) fn push(&mut self, r: P, impulse: P) {
        self.moved = self.moved + self.free(impulse * self.inv_mass);
        self.turned = self.turned + times(&self.inv_inertia, r.cross(impulse));
    }

    /// The same, and it gets no velocity.
    pub(super) fn shift(&mut self, r: P, impulse: P) {
        self.shifted = self.shifted + self.free(impulse * self.inv_mass);
        self.tilted = self.tilted + times(&self.inv_inertia, r.cross(impulse));
    }

    /// How far contacts have moved a point since it was as `then`, at most `arm` from its centre: metres, at most.
    pub(super) fn since(&self, then: &Mover, arm: f64) -> f64 {
        let moved = (self.moved + self.shifted) - (then.moved + then.shifted);
        let turned = (self.turned + self.tilted) - (then.turned + then.tilted);
        moved.length() + turned.length() * arm
    }

    /// What contacts have added to its way: metres and radians, as rotation vector, that change its velocities.
    #[must_use]
    pub fn change(&self) -> [[f64; 3]; 2] {
        [self.moved, self.turned].map(|v| [v.x, v.y, v.z])
    }

    /// The same of what gives it no velocity, because it has only led out of what it began in.
    #[must_use]
    pub fn correction(&self) -> [[f64; 3]; 2] {
        [self.shifted, self.tilted].map(|v| [v.x, v.y, v.z])
    }
}
