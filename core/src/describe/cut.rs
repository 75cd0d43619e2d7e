//! Cuts: where a blade goes through a body.

use crate::describe::error::{Error, range};
use crate::geometry::vector::{P, add, cross, dot, length, sub};
use crate::tuning::MAX_COORDINATE;
use glam::DVec3;
use robust::{Coord3D, orient3d};

/// A cut through a body that can tear ([`crate::Tearing`]), in the world: along a plane, or along what a segment
/// sweeps over.
///
/// A mesh is cut along its edges: those where the way over the mesh from the middle of one triangle to the middle of
/// the next crosses the cut. So a cut lies within a triangle of the plane or blade, and a finer mesh has a smoother
/// cut. An edge that is cut opens once the triangles around one of its ends no longer hang together: with the next
/// edges that are cut, in this step or a later one. A solid is cut along the faces of its tetrahedra likewise; a plane
/// leaves no spikes there: a tetrahedron that would be parted from more of its neighbours than not stays with them.
/// Pinned vertices hold. As in a tear, rest shapes stay, and a vertex and its copies share its mass.
///
/// # Example
/// ```
/// use seidel::{Cloth, Cut, Input, Scene, Solver, Tearing};
/// let mut scene = Scene::new();
/// let sheet = scene.add(Cloth::grid([9, 9], [1.0, 1.0]).tear(Tearing::by_cuts()));
/// let mut solver = Solver::new(&scene)?;
/// let report = solver.step(&Input::frame(1.0 / 60.0).cut(sheet, Cut::plane([0.01, 0.0, 0.0], [1.0, 0.0, 0.0])));
/// // From border to border: nine vertices are two each.
/// assert_eq!(report.torn.len(), 9);
/// # Ok::<(), seidel::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cut(Form);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    /// A point on it, and its normal.
    Plane([P; 2]),
    /// A segment's ends at first, then in the same order at last.
    Blade([P; 4]),
}

fn coord([x, y, z]: P) -> Coord3D<f64> {
    Coord3D { x, y, z }
}

/// Whether d lies on the positive side of the plane through a, b and c; on it counts as positive.
fn side(a: P, b: P, c: P, d: P) -> bool {
    orient3d(coord(a), coord(b), coord(c), coord(d)) >= 0.0
}

/// On which side of the edge ab the line pq passes. Of ba it is exactly the other, so two triangles at an edge agree.
fn passes(p: P, q: P, a: P, b: P) -> bool {
    if a <= b { side(p, q, a, b) } else { !side(p, q, b, a) }
}

/// Whether a segment goes through a triangle.
fn goes_through([p, q]: [P; 2], [a, b, c]: [P; 3]) -> bool {
    let around = [passes(p, q, a, b), passes(p, q, b, c), passes(p, q, c, a)];
    side(a, b, c, p) != side(a, b, c, q) && (around == [true; 3] || around == [false; 3])
}

impl Cut {
    /// Along a plane through a point, metres, with a normal of any length above 0.
    #[must_use]
    pub fn plane(point: impl Into<DVec3>, normal: impl Into<DVec3>) -> Cut {
        Cut(Form::Plane([point.into().to_array(), normal.into().to_array()]))
    }

    /// Along what a segment sweeps over that moves from one place, the two ends in metres, to another: a knife, or the
    /// ray below a mouse in one frame and the next.
    #[must_use]
    pub fn blade<A: Into<DVec3>, B: Into<DVec3>>(from: [A; 2], to: [B; 2]) -> Cut {
        let ([a, b], [c, d]) = (from.map(|p| p.into().to_array()), to.map(|p| p.into().to_array()));
        Cut(Form::Blade([a, b, c, d]))
    }

    /// The same somewhere else, metres.
    pub(crate) fn moved(self, by: P) -> Cut {
        Cut(match self.0 {
            Form::Plane([point, normal]) => Form::Plane([add(point, by), normal]),
            Form::Blade(ends) => Form::Blade(ends.map(|end| add(end, by))),
        })
    }

    /// The two triangles that a blade sweeps over.
    fn swept([a, b, c, d]: [P; 4]) -> [[P; 3]; 2] {
        [[a, b, d], [a, d, c]]
    }

    pub(crate) fn check(&self, of: &dyn Fn() -> String) -> Result<(), Error> {
        let most = f64::from(MAX_COORDINATE);
        let (points, normal) = match &self.0 {
            Form::Plane([point, normal]) => (std::slice::from_ref(point), Some(*normal)),
            Form::Blade(points) => (&points[..], None),
        };
        for &c in points.as_flattened() {
            range(of, || "point of a cut".to_owned(), c, c.abs() <= most, "within +-1e6 m")?;
        }
        if let Some(normal) = normal {
            let long = length(normal);
            return range(
                of,
                || "length of a cut's normal".to_owned(),
                long,
                (1e-12..=1e12).contains(&long),
                "within 1e-12 .. 1e12",
            );
        }
        let area = |[a, b, c]: [P; 3]| 0.5 * length(cross(sub(b, a), sub(c, a)));
        let all: f64 = self.triangles().into_iter().flatten().map(area).sum();
        range(of, || "area that a cut's blade sweeps over".to_owned(), all, all > 0.0, "above 0 m^2")
    }

    fn triangles(&self) -> Option<[[P; 3]; 2]> {
        match self.0 {
            Form::Plane(_) => None,
            Form::Blade(points) => Some(Cut::swept(points)),
        }
    }

    /// Whether it has two sides.
    pub(crate) fn is_plane(&self) -> bool {
        matches!(self.0, Form::Plane(_))
    }

    /// Whether a way along three points crosses it an odd number of times.
    pub(crate) fn crosses(&self, way: [P; 3]) -> bool {
        let [from, over, to] = way;
        match self.0 {
            Form::Plane([point, normal]) => {
                let above = |p: P| dot(sub(p, point), normal) >= 0.0;
                above(from) != above(to)
            }
            Form::Blade(points) => {
                let through = |segment| Cut::swept(points).into_iter().filter(|t| goes_through(segment, *t)).count();
                (through([from, over]) + through([over, to])) % 2 == 1
            }
        }
    }

    /// Its numbers, and how many of them: 6 of a plane, 12 of a blade.
    pub(crate) fn numbers(&self) -> &[f64] {
        match &self.0 {
            Form::Plane(points) => points.as_flattened(),
            Form::Blade(points) => points.as_flattened(),
        }
    }

    /// What [`Cut::numbers`] gave; none if there are neither 6 nor 12.
    pub(crate) fn of_numbers(numbers: &[f64]) -> Option<Cut> {
        let point = |k: usize| -> P { std::array::from_fn(|c| numbers[3 * k + c]) };
        match numbers.len() {
            6 => Some(Cut(Form::Plane(std::array::from_fn(point)))),
            12 => Some(Cut(Form::Blade(std::array::from_fn(point)))),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_blade_crosses_where_it_sweeps() {
        let blade = Cut::blade([[0.0, -1.0, 0.0], [0.0, 1.0, 0.0]], [[0.0, -1.0, 2.0], [0.0, 1.0, 2.0]]);
        let way = |z: f64| [[-1.0, 0.0, z], [-0.5, 0.0, z], [1.0, 0.0, z]];
        assert!(
            blade.crosses(way(1.0)) && blade.crosses(way(0.3)) && !blade.crosses(way(2.5)) && !blade.crosses(way(-0.1))
        );
        // There and back.
        assert!(!blade.crosses([[-1.0, 0.0, 1.0], [1.0, 0.0, 1.0], [-1.0, 0.1, 1.0]]));
        // Through the line that its two triangles share: once, not twice or never.
        assert!(blade.crosses([[-1.0, 0.0, 1.0], [-0.5, 0.0, 1.0], [1.0, 0.0, 1.0]]));
        assert!(blade.crosses([[-1.0, 0.5, 0.5], [-0.5, 0.5, 0.5], [1.0, 0.5, 0.5]]));
    }

    #[test]
    fn what_cuts_nothing_is_refused() {
        let of = || "input".to_owned();
        let good = Cut::plane([0.0; 3], [0.0, 0.0, 2.0]);
        assert_eq!(good.check(&of), Ok(()));
        for bad in [
            Cut::plane([0.0; 3], [0.0; 3]),
            Cut::plane([f64::NAN, 0.0, 0.0], [1.0, 0.0, 0.0]),
            Cut::plane([0.0; 3], [f64::INFINITY, 0.0, 0.0]),
            Cut::plane([2e6, 0.0, 0.0], [1.0, 0.0, 0.0]),
            Cut::blade([[0.0; 3], [1.0, 0.0, 0.0]], [[0.0; 3], [1.0, 0.0, 0.0]]),
            Cut::blade([[0.0; 3], [f64::NAN; 3]], [[0.0, 1.0, 0.0], [1.0, 1.0, 0.0]]),
        ] {
            assert!(bad.check(&of).is_err(), "{bad:?}");
        }
    }

    proptest! {
        /// A closed way crosses a plane, or a large blade about it, an even number of times: so sides are sides.
        #[test]
        fn a_large_blade_cuts_as_its_plane(points in prop::collection::vec([-1.0f64..1.0, -1.0f64..1.0, -1.0f64..1.0], 3)) {
            let way = [points[0], points[1], points[2]];
            let plane = Cut::plane([0.1, 0.0, 0.0], [1.0, 0.0, 0.0]);
            let blade = Cut::blade([[0.1, -9.0, -9.0], [0.1, 9.0, -9.0]], [[0.1, -9.0, 9.0], [0.1, 9.0, 9.0]]);
            prop_assert_eq!(plane.crosses(way), blade.crosses(way));
            prop_assert_eq!(Cut::of_numbers(plane.numbers()), Some(plane));
            prop_assert_eq!(Cut::of_numbers(blade.numbers()), Some(blade));
        }
    }
}
