//! Fields: constraints on any number of a body's vertices. They are solved in each iteration after all other
//! constraints of bodies, shapes before volumes, one after another where they share vertices; under
//! [`crate::Method::Jacobi`] too, where they see what the averages have moved.

use crate::describe::error::{Error, range};
use crate::describe::mesh::closes;
use crate::describe::stiffness::{Stiffness, Values};
use crate::tuning::{MAX_PRESSURE, MIN_FIELD_MASS, MIN_INV_MASS, MIN_ROUNDNESS};
use std::sync::Arc;

/// A closed mesh that holds a multiple of the volume that it has at rest (Müller et al. 2007, section 4.4).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct VolumeConstraint {
    /// Triangles, counter-clockwise seen from outside; every edge is run through as often one way as the other. Several
    /// pieces share one pressure.
    pub triangles: Arc<Vec<[u32; 3]>>,
    /// One number: compliance in m^3/Pa, or PBD's k. The pressure is what is missing of the volume, over the
    /// compliance.
    pub stiffness: Stiffness,
    /// The multiple.
    pub pressure: Pressure,
}

/// Vertices that go back to their shape at rest, wherever that lies best among them (Müller et al. 2005).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ShapeMatching {
    /// Vertices, none twice.
    pub vertices: Vec<u32>,
    /// Weight of each in centre and rotation, kg, > 0; also of those that do not move: their inverse mass is 0, and so
    /// does not tell it.
    pub masses: Vec<f32>,
    /// One number: compliance in m/N of the root of the mean square distance from the goals, weighted by mass; or PBD's
    /// k.
    pub stiffness: Stiffness,
    /// Share of the best linear map, its volume kept, in the goals, 0..=1; the rest is the rotation. 0 is as stiff as
    /// it can be.
    pub linear: f32,
}

/// A multiple of a volume, in time.
#[derive(Clone, Debug, PartialEq)]
pub struct Pressure {
    keys: Vec<[f64; 2]>,
}

impl Pressure {
    /// The same at all times, >= 0; 1 is the volume at rest.
    #[must_use]
    pub fn constant(k: f32) -> Pressure {
        Pressure { keys: vec![[0.0, f64::from(k)]] }
    }

    /// Pairs [time, multiple], seconds ascending; linear between them, and the first and last beyond them.
    #[must_use]
    pub fn path(keys: &[[f64; 2]]) -> Pressure {
        Pressure { keys: keys.to_vec() }
    }

    /// At a time, seconds.
    pub(crate) fn at(&self, time: f64) -> f64 {
        let after = self.keys.partition_point(|[t, _]| *t <= time);
        match (after.checked_sub(1).map(|i| self.keys[i]), self.keys.get(after).copied()) {
            (Some([t0, k0]), Some([t1, k1])) => k0 + (k1 - k0) * ((time - t0) / (t1 - t0)),
            (Some([_, k]), None) | (None, Some([_, k])) => k,
            (None, None) => 1.0,
        }
    }

    pub(crate) fn bytes(&self, mut add: impl FnMut(&[u8])) {
        add(bytemuck::cast_slice(&self.keys));
    }

    fn check(&self, of: &dyn Fn() -> String) -> Result<(), Error> {
        let count = self.keys.len();
        range(of, || "number of keys of the pressure".to_owned(), count as f64, count > 0, "1 or more")?;
        for (i, [t, k]) in self.keys.iter().enumerate() {
            range(of, || format!("time of pressure {i}"), *t, t.abs() <= 1e9, "within +-1e9 s")?;
            check_pressure(of, *k)?;
        }
        match self.keys.windows(2).position(|pair| pair[1][0] <= pair[0][0]) {
            Some(i) => {
                range(of, || format!("time of pressure {}", i + 1), self.keys[i + 1][0], false, "after the one before")
            }
            None => Ok(()),
        }
    }
}

/// Refuses what is no pressure.
pub(crate) fn check_pressure(of: &dyn Fn() -> String, k: f64) -> Result<(), Error> {
    range(of, || "pressure".to_owned(), k, (0.0..=MAX_PRESSURE).contains(&k), "within 0 .. 1e6 of the volume at rest")
}

/// Checks what both kinds have: that the vertices exist among `count`, and one stiffness.
fn check_field(of: &dyn Fn() -> String, vertices: &[u32], stiffness: &Stiffness, count: usize) -> Result<(), Error> {
    if let Some(&v) = vertices.iter().find(|&&v| v as usize >= count) {
        return Err(Error::Missing { of: of(), what: "vertex", index: v as usize, count });
    }
    match stiffness {
        Stiffness::Compliance(Values::Uniform(c)) => {
            range(of, || "compliance".to_owned(), f64::from(*c), (0.0..=1e18).contains(c), "within 0 .. 1e18")
        }
        Stiffness::Pbd(Values::Uniform(k)) => {
            range(of, || "stiffness".to_owned(), f64::from(*k), (0.0..=1.0).contains(k), "within 0 .. 1")
        }
        Stiffness::Compliance(Values::PerRow(each)) | Stiffness::Pbd(Values::PerRow(each)) => {
            Err(Error::Length { of: of(), what: "stiffness".to_owned(), got: each.len(), want: 1 })
        }
        Stiffness::Compliance(Values::PerVertex(_)) | Stiffness::Pbd(Values::PerVertex(_)) => {
            Err(Error::ByVertex { of: of(), what: "stiffness".to_owned() })
        }
    }
}

impl VolumeConstraint {
    /// Of triangles that close, with a compliance in m^3/Pa or PBD's k, and a multiple of the volume at rest.
    #[must_use]
    pub fn new(triangles: impl Into<Arc<Vec<[u32; 3]>>>, stiffness: Stiffness, pressure: Pressure) -> VolumeConstraint {
        VolumeConstraint { triangles: triangles.into(), stiffness, pressure }
    }

    /// Everything that makes stepping infallible; `of` names the body and the volume.
    pub(crate) fn check(&self, of: &dyn Fn() -> String, positions: &[[f32; 3]]) -> Result<(), Error> {
        check_field(of, self.triangles.as_flattened(), &self.stiffness, positions.len())?;
        if self.triangles.is_empty() {
            return Err(Error::NoTriangles { of: of() });
        }
        for (row, &[a, b, c]) in self.triangles.iter().enumerate() {
            if let Some(vertex) = (a == b || a == c).then_some(a).or((b == c).then_some(b)) {
                return Err(Error::Repeated { of: of() + ", triangles", row, what: "vertex", number: vertex });
            }
        }
        closes(&of(), &self.triangles)?;
        self.pressure.check(of)?;
        let (volume, area) = measured(&self.triangles, positions);
        let good = volume > MIN_ROUNDNESS * area * f64::sqrt(area);
        range(
            of,
            || "volume at rest".to_owned(),
            volume,
            good,
            "above 0 m^3: it is flat, or its triangles face inwards",
        )
    }
}

/// Volume within triangles that close, m^3, and their area, m^2.
pub(crate) fn measured(triangles: &[[u32; 3]], positions: &[[f32; 3]]) -> (f64, f64) {
    let place = |v: u32| positions[v as usize].map(f64::from);
    let Some(first) = triangles.first() else { return (0.0, 0.0) };
    let origin = place(first[0]);
    let (mut six, mut two) = (0.0, 0.0);
    for t in triangles {
        let [a, b, c] = t.map(|v| -> [f64; 3] { std::array::from_fn(|k| place(v)[k] - origin[k]) });
        let (e, f): ([f64; 3], [f64; 3]) = (std::array::from_fn(|k| b[k] - a[k]), std::array::from_fn(|k| c[k] - a[k]));
        let n = [e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]];
        six += (a[0] * n[0] + a[1] * n[1]) + a[2] * n[2];
        two += f64::sqrt((n[0] * n[0] + n[1] * n[1]) + n[2] * n[2]);
    }
    (six / 6.0, two / 2.0)
}

impl ShapeMatching {
    /// Of vertices with their masses, kg, and a compliance in m/N or PBD's k; it turns and does not stretch.
    #[must_use]
    pub fn new(vertices: Vec<u32>, masses: Vec<f32>, stiffness: Stiffness) -> ShapeMatching {
        ShapeMatching { vertices, masses, stiffness, linear: 0.0 }
    }

    /// With a share of the best linear map, 0..=1.
    #[must_use]
    pub fn linear(mut self, share: f32) -> ShapeMatching {
        self.linear = share;
        self
    }

    /// Everything that makes stepping infallible among `count` vertices; `of` names the body and the shape.
    pub(crate) fn check(&self, of: &dyn Fn() -> String, count: usize) -> Result<(), Error> {
        check_field(of, &self.vertices, &self.stiffness, count)?;
        let (got, want) = (self.masses.len(), self.vertices.len());
        range(of, || "number of vertices".to_owned(), want as f64, want > 0, "1 or more")?;
        if got != want {
            return Err(Error::Length { of: of(), what: "masses".to_owned(), got, want });
        }
        let mut sorted = self.vertices.clone();
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(Error::Repeated { of: of(), row: 0, what: "vertex", number: pair[0] });
        }
        for (v, &mass) in self.vertices.iter().zip(&self.masses) {
            let good = (MIN_FIELD_MASS..=1.0 / f64::from(MIN_INV_MASS)).contains(&f64::from(mass));
            range(of, || format!("mass of vertex {v}"), f64::from(mass), good, "within 1e-12 .. 1e9 kg")?;
        }
        let linear = self.linear;
        range(of, || "linear".to_owned(), f64::from(linear), (0.0..=1.0).contains(&linear), "within 0 .. 1")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pressures_are_linear_between_keys() {
        let path = Pressure::path(&[[1.0, 2.0], [3.0, 4.0], [4.0, 0.0]]);
        let at = [0.0, 1.0, 1.5, 3.0, 3.25, 4.0, 9.0].map(|t| path.at(t));
        assert_eq!(at, [2.0, 2.0, 2.5, 4.0, 3.0, 0.0, 0.0]);
        assert_eq!(Pressure::constant(1.5).at(-7.0), 1.5);
    }
}
