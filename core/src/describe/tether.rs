//! Tethers: cloth that stays near an animated surface, and in front of what is behind it.

use crate::describe::error::{Error, range};
use crate::describe::ids::BodyId;
use crate::describe::stiffness::Values;

/// Vertices that stay near their points on an obstacle. In every substep, after constraints and contacts between bodies
/// and before colliders, what is too far is put where it may be; where a max distance and a backstop exclude each
/// other, the distance counts.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Tether {
    /// The obstacle.
    pub to: BodyId,
    /// The vertices.
    pub vertices: Vec<u32>,
    /// How far each may be from its point, metres, >= 0; infinite: as far as it likes.
    pub max_distance: Values,
    /// The ball that each vertex is kept in front of.
    pub backstop: Option<Backstop>,
}

/// A ball behind a point of a surface, whose normal is the triangle's, counter-clockwise seen from in front.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Backstop {
    /// How far behind the point it begins, metres, >= 0.
    pub distance: Values,
    /// Radius, metres, > 0; infinite: a plane.
    pub radius: Values,
}

impl Tether {
    /// Vertices that stay within a distance of their points, metres.
    #[must_use]
    pub fn new(to: BodyId, vertices: Vec<u32>, max_distance: impl Into<Values>) -> Tether {
        Tether { to, vertices, max_distance: max_distance.into(), backstop: None }
    }

    /// Keeps them in front of a ball that begins `distance` metres behind the point.
    #[must_use]
    pub fn backstop(mut self, distance: impl Into<Values>, radius: impl Into<Values>) -> Tether {
        self.backstop = Some(Backstop { distance: distance.into(), radius: radius.into() });
        self
    }
}

/// Whether the tethers of a body of `count` vertices name vertices that exist, each once, and have numbers for each.
pub(crate) fn check_tethers(tethers: &[Tether], body: &str, count: usize) -> Result<(), Error> {
    let mut taken = vec![false; count];
    for (i, tether) in tethers.iter().enumerate() {
        let of = || format!("body `{body}`, tether {i}");
        for &vertex in &tether.vertices {
            let index = vertex as usize;
            if index >= count {
                return Err(Error::Missing { of: of(), what: "vertex", index, count });
            }
            if std::mem::replace(&mut taken[index], true) {
                return Err(Error::Driven { of: of(), vertex });
            }
        }
        let check = |what: &str, values: &Values, good: fn(f32) -> bool, limit| {
            if let Values::PerVertex(_) = values {
                return Err(Error::ByVertex { of: of(), what: what.to_owned() });
            }
            if let Values::PerRow(values) = values {
                let (got, want) = (values.len(), tether.vertices.len());
                if got != want {
                    return Err(Error::Length { of: of(), what: what.to_owned(), got, want });
                }
            }
            for (row, vertex) in tether.vertices.iter().enumerate() {
                let value = values.get(row);
                range(of, || format!("{what} of vertex {vertex}"), f64::from(value), good(value), limit)?;
            }
            Ok(())
        };
        check("max distance", &tether.max_distance, |v| v >= 0.0, "0 m or more")?;
        if let Some(backstop) = &tether.backstop {
            let near = |v: f32| (0.0..=1e6).contains(&v);
            check("backstop distance", &backstop.distance, near, "within 0 .. 1e6 m")?;
            let good = |v: f32| v > 0.0 && (v <= 1e6 || v == f32::INFINITY);
            check("backstop radius", &backstop.radius, good, "above 0 and at most 1e6 m, or infinite")?;
        }
    }
    Ok(())
}
