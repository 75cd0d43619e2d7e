//! Mass, centre and inertia of solids, in f64 with + - * / and roots: the same bits everywhere.
//!
//! Of a mesh they are sums over the signed tetrahedra between each triangle and one vertex of the mesh, exact for
//! polyhedra (Mirtich 1996, "Fast and Accurate Computation of Polyhedral Mass Properties", has the same integrals over
//! the faces). The vertex is one near the middle, so nothing depends on how far the mesh is from the origin.

use seidel_kernels::vector::{P, add, cross, dot, product, sub};
use std::f64::consts::PI;

type M = [[f64; 3]; 3];

/// Parts of the trace. An entry beside the diagonal that is smaller is rounding: axes that it would turn stay as they
/// are.
const DIAGONAL: f64 = 1e-14;

/// Sweeps of Jacobi's method at most. It converges with the square: 3 x 3 takes four or five.
const SWEEPS: usize = 16;

/// What a body weighs, where its centre of mass is, and how hard it is to turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// kg.
    pub mass: f64,
    /// Centre of mass, metres.
    pub centre: [f64; 3],
    /// Inertia about the centre of mass, kg m^2: symmetric, [`xx`, `xy`, `xz`], ...
    pub inertia: [[f64; 3]; 3],
}

impl MassProperties {
    /// Nothing: it adds nothing to a sum.
    pub const NONE: MassProperties = MassProperties { mass: 0.0, centre: [0.0; 3], inertia: [[0.0; 3]; 3] };

    /// A ball about the origin, radius in metres, of 1 kg/m^3.
    #[must_use]
    pub fn sphere(radius: f64) -> MassProperties {
        let mass = 4.0 / 3.0 * PI * (radius * radius * radius);
        MassProperties::along_axes(mass, [0.4 * mass * (radius * radius); 3])
    }

    /// All within a radius of a segment along y about the origin, half as long as given, metres; of 1 kg/m^3.
    #[must_use]
    pub fn capsule(radius: f64, half_length: f64) -> MassProperties {
        let (r2, h2) = (radius * radius, half_length * half_length);
        let (tube, caps) = (2.0 * PI * r2 * half_length, 4.0 / 3.0 * PI * (r2 * radius));
        let along = 0.5 * tube * r2 + 0.4 * caps * r2;
        // The caps' centres are 3/8 of the radius beyond the segment's ends.
        let across = tube * (0.25 * r2 + h2 / 3.0) + caps * (0.4 * r2 + h2 + 0.75 * radius * half_length);
        MassProperties::along_axes(tube + caps, [across, along, across])
    }

    /// A box along the axes about the origin, half its sides in metres; of 1 kg/m^3.
    #[must_use]
    pub fn cuboid(half: [f64; 3]) -> MassProperties {
        let mass = 8.0 * half[0] * half[1] * half[2];
        let [x, y, z] = half.map(|h| mass / 3.0 * (h * h));
        MassProperties::along_axes(mass, [y + z, z + x, x + y])
    }

    /// A cylinder along y about the origin, half as high as given, metres; of 1 kg/m^3.
    #[must_use]
    pub fn cylinder(radius: f64, half_height: f64) -> MassProperties {
        let r2 = radius * radius;
        let mass = 2.0 * PI * r2 * half_height;
        let across = mass * (0.25 * r2 + half_height * half_height / 3.0);
        MassProperties::along_axes(mass, [across, 0.5 * mass * r2, across])
    }

    /// A cone along y, its tip above the origin and its base below, each half its height away, metres; of 1 kg/m^3.
    #[must_use]
    pub fn cone(radius: f64, half_height: f64) -> MassProperties {
        let r2 = radius * radius;
        let mass = 2.0 / 3.0 * PI * r2 * half_height;
        let across = 0.15 * mass * (r2 + half_height * half_height);
        let about_centre = MassProperties::along_axes(mass, [across, 0.3 * mass * r2, across]);
        MassProperties { centre: [0.0, -0.5 * half_height, 0.0], ..about_centre }
    }

    /// A ring about y: radius of its middle line, and of its tube, which is smaller; metres; of 1 kg/m^3.
    #[must_use]
    pub fn torus(ring: f64, tube: f64) -> MassProperties {
        let (rr, tt) = (ring * ring, tube * tube);
        let mass = 2.0 * PI * PI * ring * tt;
        let across = mass * (0.5 * rr + 0.625 * tt);
        MassProperties::along_axes(mass, [across, mass * (rr + 0.75 * tt), across])
    }

    /// The inside of a closed mesh, its triangles by their corners in metres, counter-clockwise seen from outside; of 1
    /// kg/m^3. That it is closed is not checked.
    ///
    /// None if it has no volume: it is flat or inverted, or a coordinate is no number.
    ///
    /// # Source
    /// Of a tetrahedron between 0, a, b and c with d = a . (b x c) and s = a + b + c the volume is d / 6, the integral
    /// of x is d s / 24, and that of x x^T is d (a a^T + b b^T + c c^T + s s^T) / 120.
    #[must_use]
    pub fn mesh(triangles: &[[[f64; 3]; 3]]) -> Option<MassProperties> {
        let from = middle(triangles)?;
        let (mut volume, mut first, mut second) = (0.0, [0.0; 3], [[0.0; 3]; 3]);
        let mut rounding = 0.0;
        for corners in triangles {
            let [a, b, c] = corners.map(|x| sub(x, from));
            let (d, s) = (dot(a, cross(b, c)), add(add(a, b), c));
            volume += d;
            rounding += (dot(a, a) * dot(b, b) * dot(c, c)).sqrt();
            for i in 0..3 {
                first[i] += d * s[i];
                for j in i..3 {
                    second[i][j] += d * (a[i] * a[j] + b[i] * b[j] + c[i] * c[j] + s[i] * s[j]);
                }
            }
        }
        // Each d is right to a few roundings of |a| |b| |c|.
        let solid = volume > 8.0 * f64::EPSILON * rounding;
        let mass = volume / 6.0;
        let away = first.map(|m| m / 24.0 / mass);
        let about = |i: usize, j: usize| second[i.min(j)][i.max(j)] / 120.0 - mass * (away[i] * away[j]);
        let trace = about(0, 0) + about(1, 1) + about(2, 2);
        let inertia = symmetric(|i, j| if i == j { trace - about(i, i) } else { -about(i, j) });
        solid.then_some(MassProperties { mass, centre: add(from, away), inertia })
    }

    /// The same, turned by a quaternion [x, y, z, w] about the origin and then moved, metres. The quaternion is
    /// normalised.
    #[must_use]
    pub fn placed(&self, position: [f64; 3], rotation: [f64; 4]) -> MassProperties {
        let r = matrix(rotation);
        // R I R^T.
        let turned: M = std::array::from_fn(|i| std::array::from_fn(|j| dot(r[i], self.inertia.map(|row| row[j]))));
        let inertia = symmetric(|i, j| dot(turned[i], r[j]));
        let centre = std::array::from_fn(|i| dot(r[i], self.centre) + position[i]);
        MassProperties { mass: self.mass, centre, inertia }
    }

    /// Parts taken together, in the order given (parallel axes: I = sum I_k + m_k (|d|^2 - d d^T)). Parts that overlap
    /// count twice where they do.
    #[must_use]
    pub fn sum(parts: &[MassProperties]) -> MassProperties {
        let mass: f64 = parts.iter().map(|part| part.mass).sum();
        // No mass, no centre.
        if mass <= 0.0 {
            return MassProperties::NONE;
        }
        let (mut first, from) = ([0.0; 3], parts[0].centre);
        for part in parts {
            let away = sub(part.centre, from);
            first = std::array::from_fn(|k| first[k] + part.mass * away[k]);
        }
        let centre = std::array::from_fn(|k| from[k] + first[k] / mass);
        let mut inertia = [[0.0; 3]; 3];
        for part in parts {
            let d = sub(part.centre, centre);
            let square = dot(d, d);
            for i in 0..3 {
                for j in 0..3 {
                    let axis = if i == j { square } else { 0.0 };
                    inertia[i][j] += part.inertia[i][j] + part.mass * (axis - d[i] * d[j]);
                }
            }
        }
        MassProperties { mass, centre, inertia }
    }

    /// The same of a density so many times as high.
    #[must_use]
    pub fn denser(&self, factor: f64) -> MassProperties {
        MassProperties {
            mass: self.mass * factor,
            centre: self.centre,
            inertia: self.inertia.map(|row| row.map(|i| i * factor)),
        }
    }

    /// The same with another mass, kg: every part weighs as many times more.
    #[must_use]
    pub fn of_mass(&self, mass: f64) -> MassProperties {
        MassProperties { mass, ..self.denser(mass / self.mass) }
    }

    /// Principal axes: the unit quaternion [x, y, z, w] that takes them to the axes that the inertia is given in, and
    /// the moments about them, kg m^2. An inertia that is diagonal keeps its axes and their order; so do axes whose
    /// moments are equal.
    ///
    /// # Source
    /// Jacobi's method, in cycles (Golub, Van Loan 2013, "Matrix Computations", section 8.5): with a rotation by at
    /// most 45 degrees about each axis in turn the entries beside the diagonal vanish.
    #[must_use]
    pub fn principal(&self) -> ([f64; 4], [f64; 3]) {
        let mut m = self.inertia;
        let mut q = [0.0, 0.0, 0.0, 1.0];
        let negligible = DIAGONAL * (m[0][0].abs() + m[1][1].abs() + m[2][2].abs());
        for _ in 0..SWEEPS {
            let mut turned = false;
            for axis in 0..3 {
                let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
                if m[i][j].abs() > negligible {
                    turned = true;
                    q = product(q, annihilate(&mut m, (i, j, axis)));
                }
            }
            if !turned {
                break;
            }
        }
        let sign = if q[3] < 0.0 { -1.0 } else { 1.0 };
        let length = sign * ((q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3])).sqrt();
        (q.map(|v| v / length), [m[0][0], m[1][1], m[2][2]])
    }

    fn along_axes(mass: f64, moments: [f64; 3]) -> MassProperties {
        MassProperties { mass, centre: [0.0; 3], inertia: symmetric(|i, j| if i == j { moments[i] } else { 0.0 }) }
    }
}

/// Turns a symmetric matrix about an axis so that its entry (i, j) is 0; returns the turn as a quaternion.
fn annihilate(m: &mut M, (i, j, axis): (usize, usize, usize)) -> [f64; 4] {
    // t = tan of the angle, the smaller root of t^2 + 2 theta t - 1 = 0.
    let theta = (m[j][j] - m[i][i]) / (2.0 * m[i][j]);
    let sign = if theta < 0.0 { -1.0 } else { 1.0 };
    let t = sign / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    let off = m[i][j];
    m[i][i] -= t * off;
    m[j][j] += t * off;
    (m[i][j], m[j][i]) = (0.0, 0.0);
    let (a, b) = (m[axis][i], m[axis][j]);
    (m[axis][i], m[axis][j]) = (c * a - s * b, s * a + c * b);
    (m[i][axis], m[j][axis]) = (m[axis][i], m[axis][j]);
    // The new axes are e_i' = c e_i - s e_j and e_j' = s e_i + c e_j: a turn by -angle about the third.
    let half = (0.5 + 0.5 * c).sqrt();
    let mut q = [0.0, 0.0, 0.0, half];
    q[axis] = -0.5 * s / half;
    q
}

/// The vertex that is nearest to the middle of the box about all; the first of several.
fn middle(triangles: &[[P; 3]]) -> Option<P> {
    let corners = || triangles.iter().flatten();
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for x in corners() {
        for k in 0..3 {
            low[k] = if x[k] < low[k] { x[k] } else { low[k] };
            high[k] = if x[k] > high[k] { x[k] } else { high[k] };
        }
    }
    let away = |x: &P| {
        let d: P = std::array::from_fn(|k| x[k] - 0.5 * (low[k] + high[k]));
        dot(d, d)
    };
    corners().copied().reduce(|best, x| if away(&x) < away(&best) { x } else { best })
}

/// The matrix of a quaternion that is normalised first, rows first; the identity of a quaternion without length.
fn matrix(q: [f64; 4]) -> M {
    let length = ((q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3])).sqrt();
    let [x, y, z, w] = if length > 0.0 { q.map(|v| v / length) } else { [0.0, 0.0, 0.0, 1.0] };
    [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
        [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
        [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
    ]
}

/// A symmetric matrix by its entries on and above the diagonal.
fn symmetric(entry: impl Fn(usize, usize) -> f64) -> M {
    std::array::from_fn(|i| std::array::from_fn(|j| if i <= j { entry(i, j) } else { entry(j, i) }))
}

#[cfg(test)]
mod tests;
