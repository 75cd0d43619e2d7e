//! What is attached to obstacles, by keys.

use super::map::Maps;
use super::select::{SelectSpec, selected};
use super::vertices::{Numbers, Vertices};
use seidel::{BodyId, GridPins, Mesh, Tether, Values};
use serde::{Deserialize, Serialize};

/// Vertices of a body that go with an obstacle, or stay near it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AttachSpec {
    /// The obstacle's name.
    pub to: String,
    /// Parts of a grid.
    pub pin: Vec<GridPins>,
    /// Vertices; all without these, `pin` and `pin_where`.
    pub pin_vertices: Vec<u32>,
    /// Vertices by name and place: those of any of these.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pin_where: Vec<SelectSpec>,
    /// Only those so near to the obstacle at the start, metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within: Option<f32>,
    /// They may be so far from their points, metres; without this and `backstop` they are kept there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_distance: Option<f32>,
    /// How far behind its point each may come, metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backstop: Option<f32>,
    /// Radius of the ball that is behind; a plane if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backstop_radius: Option<f32>,
}

/// An obstacle where it is at the start.
pub(super) struct Worn {
    pub(super) name: String,
    pub(super) id: BodyId,
    pub(super) mesh: Mesh,
}

/// What to do with vertices of a body.
pub(super) enum Hung {
    Attached(BodyId, Vec<u32>),
    Tethered(Tether),
}

/// What becomes of the vertices that a body's tables name.
pub(super) fn hung<B: Vertices>(
    (of, maps): (&str, &Maps<'_>),
    tables: &[AttachSpec],
    body: &B,
    worn: &[Worn],
    numbers: &Numbers,
) -> Result<Vec<Hung>, String> {
    // A solid's places take time.
    if tables.is_empty() {
        return Ok(Vec::new());
    }
    let places = body.places()?;
    let mut named = 0;
    let hung = |(i, table): (usize, &AttachSpec)| {
        let hung = table.build(&format!("{of}, attach {i}"), body, &places, worn, numbers)?;
        named += match &hung {
            Hung::Attached(_, vertices) => vertices.len(),
            Hung::Tethered(tether) => tether.vertices.len(),
        };
        maps.named("attach", named)?;
        Ok(hung)
    };
    tables.iter().enumerate().map(hung).collect()
}

impl AttachSpec {
    /// `positions` are where the body's vertices are.
    fn build<B: Vertices>(
        &self,
        of: &str,
        body: &B,
        positions: &[[f32; 3]],
        worn: &[Worn],
        numbers: &Numbers,
    ) -> Result<Hung, String> {
        let Some(worn) = worn.iter().find(|worn| worn.name == self.to && !self.to.is_empty()) else {
            let names: Vec<_> = worn.iter().map(|worn| format!("`{}`", worn.name)).collect();
            let known = if names.is_empty() {
                "the scene has none".to_owned()
            } else {
                format!("names are {}", names.join(", "))
            };
            return Err(format!("{of}: there is no obstacle `{}`; {known}", self.to));
        };
        let mut vertices = numbers.renumbered(of, &self.pin_vertices)?;
        for &part in &self.pin {
            let what = || format!("{of}: `pin` names parts of a grid; {} is attached by `pin_vertices`", B::WHAT);
            vertices.extend(body.part(part).ok_or_else(what)?);
        }
        vertices.extend(selected(&format!("{of}, pin_where"), &self.pin_where, body, numbers)?);
        if self.pin.is_empty() && self.pin_vertices.is_empty() && self.pin_where.is_empty() {
            vertices.extend(0..positions.len() as u32);
        }
        vertices.sort_unstable();
        vertices.dedup();
        if let Some(&vertex) = vertices.iter().find(|&&v| v as usize >= positions.len()) {
            return Err(format!("{of}: vertex {vertex} does not exist; there are {}", positions.len()));
        }
        if let Some(within) = self.within {
            if !(0.0..=1e6).contains(&within) {
                return Err(format!("{of}: within is {within}, which is not within 0 .. 1e6 m"));
            }
            let sound = worn.mesh.triangles.iter().flatten().all(|&v| (v as usize) < worn.mesh.positions.len());
            let sound = sound && worn.mesh.positions.iter().chain(positions).flatten().all(|c| c.is_finite());
            // What is wrong with meshes is said when the scene is planned.
            if sound {
                let places: Vec<[f32; 3]> = vertices.iter().map(|&v| positions[v as usize]).collect();
                let mut nearest = worn.mesh.nearest(&places).into_iter();
                vertices.retain(|&v| {
                    let x = positions[v as usize].map(f64::from);
                    nearest.next().flatten().is_some_and(|(t, shares)| {
                        let corners =
                            worn.mesh.triangles[t as usize].map(|v| worn.mesh.positions[v as usize].map(f64::from));
                        let from = |k: usize| (0..3).map(|c| shares[c] * corners[c][k]).sum::<f64>() - x[k];
                        (0..3).map(|k| from(k) * from(k)).sum::<f64>() <= f64::from(within) * f64::from(within)
                    })
                });
            }
        }
        // A grid that cannot be drawn is refused when it is planned.
        if vertices.is_empty() && !positions.is_empty() {
            return Err(format!("{of}: it holds nothing; name other vertices, or a larger `within`"));
        }
        if self.max_distance.is_none() && self.backstop.is_none() {
            if self.backstop_radius.is_some() {
                return Err(format!("{of}: `backstop_radius` means nothing without `backstop`"));
            }
            return Ok(Hung::Attached(worn.id, vertices));
        }
        let mut tether = Tether::new(worn.id, vertices, self.max_distance.unwrap_or(f32::INFINITY));
        match (self.backstop, self.backstop_radius) {
            (Some(distance), radius) => {
                tether = tether.backstop(Values::Uniform(distance), radius.unwrap_or(f32::INFINITY))
            }
            (None, Some(_)) => return Err(format!("{of}: `backstop_radius` means nothing without `backstop`")),
            (None, None) => {}
        }
        Ok(Hung::Tethered(tether))
    }
}
