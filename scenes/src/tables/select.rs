//! Vertices by name and place: named groups, regions, painted attributes.

use super::vertices::{Numbers, Vertices};
use seidel::Region;
use seidel::limits::MAX_COORDINATE;
use serde::{Deserialize, Serialize};

/// Vertices of a body: those that are in all that it names. Places are those at the start, metres in the world.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SelectSpec {
    /// A named group of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Two opposite corners of a box along the axes, metres.
    #[serde(rename = "box", skip_serializing_if = "Option::is_none")]
    pub cuboid: Option<[[f32; 3]; 2]>,
    /// A ball [x, y, z, radius], metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ball: Option<[f32; 4]>,
    /// A point of a plane, metres, and its normal: the side to which that points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub side: Option<[[f32; 3]; 2]>,
    /// A painted attribute of the file, with `above`, `below` or both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attribute: Option<String>,
    /// Where the attribute is greater than this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub above: Option<f32>,
    /// Where the attribute is less than this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub below: Option<f32>,
}

/// The vertices of any of some selections, in rising order; each of them has some. `of` is what errors call their
/// place, before the number of the selection.
pub(super) fn selected<B: Vertices>(
    of: &str,
    all: &[SelectSpec],
    body: &B,
    numbers: &Numbers,
) -> Result<Vec<u32>, String> {
    if all.is_empty() {
        return Ok(Vec::new());
    }
    // A solid's places take time.
    let places = body.places()?;
    // Many selections may have most vertices each: their lists are not kept.
    let mut is_in = vec![false; places.len()];
    for (i, select) in all.iter().enumerate() {
        let vertices = select.vertices(&format!("{of} {i}"), &places, numbers)?;
        vertices.iter().for_each(|&vertex| is_in[vertex as usize] = true);
    }
    Ok((0..).zip(is_in).filter_map(|(vertex, is_in)| is_in.then_some(vertex)).collect())
}

impl SelectSpec {
    /// Whether it names what only a file can have.
    pub(super) fn is_named(&self) -> bool {
        self.group.is_some() || self.attribute.is_some()
    }

    fn vertices(&self, of: &str, places: &[[f32; 3]], numbers: &Numbers) -> Result<Vec<u32>, String> {
        let bounds = [("above", self.above), ("below", self.below)];
        if let (None, Some((key, _))) = (&self.attribute, bounds.iter().find(|(_, bound)| bound.is_some())) {
            return Err(format!("{of}: `{key}` means nothing without `attribute`"));
        }
        let regions = self.regions(of)?;
        if regions.is_empty() && !self.is_named() {
            return Err(format!("{of}: it names no vertices; give it `group`, `box`, `ball`, `side` or `attribute`"));
        }
        let mut kept: Vec<u32> = match &self.group {
            Some(name) => numbers.group(of, name)?.to_vec(),
            None => (0..places.len() as u32).collect(),
        };
        if let Some(&vertex) = kept.iter().find(|&&v| v as usize >= places.len()) {
            return Err(format!("{of}: its group has vertex {vertex}, and the body has {}", places.len()));
        }
        if let Some(name) = &self.attribute {
            let given: Vec<String> =
                bounds.iter().filter_map(|(key, bound)| bound.map(|bound| format!("`{key}` is {bound}"))).collect();
            if given.is_empty() {
                return Err(format!(
                    "{of}: `attribute` wants `above` or `below`: a number that it is greater than, or less than"
                ));
            }
            let painted = numbers.attribute(of, name, places.len())?;
            let there = kept.clone();
            kept.retain(|&v| {
                let number = painted[v as usize];
                self.above.is_none_or(|above| number > above) && self.below.is_none_or(|below| number < below)
            });
            if kept.is_empty() && !there.is_empty() {
                return Err(format!("{of}: {}, and {}", given.join(", "), painted_range(name, painted, &there)));
            }
        }
        kept.retain(|&v| regions.iter().all(|region| region.contains(places[v as usize])));
        // A grid that cannot be drawn is refused when it is planned.
        if kept.is_empty() && !places.is_empty() {
            return Err(format!("{of}: no vertex is in it; {}", extent(places)));
        }
        Ok(kept)
    }

    /// The one part of space that it is, where nothing else will do.
    pub(super) fn region(&self, of: &str) -> Result<Region, String> {
        if self.is_named() || self.above.is_some() || self.below.is_some() {
            return Err(format!("{of}: a part of space is a `box`, a `ball` or a `side`; it has no vertices to name"));
        }
        match self.regions(of)?[..] {
            [region] => Ok(region),
            _ => Err(format!("{of}: give it one of `box`, `ball` and `side`")),
        }
    }

    fn regions(&self, of: &str) -> Result<Vec<Region>, String> {
        let finite = |key: &str, numbers: &[f32]| match numbers.iter().find(|c| c.is_nan() || c.abs() > MAX_COORDINATE)
        {
            Some(c) => Err(format!("{of}: `{key}` has {}, which is not within +-1e6", super::check::figure(*c))),
            None => Ok(()),
        };
        let mut regions = Vec::new();
        if let Some([from, to]) = self.cuboid {
            finite("box", [from, to].as_flattened())?;
            regions.push(Region::cuboid(from, to));
        }
        if let Some([x, y, z, radius]) = self.ball {
            finite("ball", &[x, y, z, radius])?;
            if radius <= 0.0 {
                return Err(format!("{of}: `ball` has the radius {radius}, which is not above 0 m"));
            }
            regions.push(Region::ball([x, y, z], radius));
        }
        if let Some([point, normal]) = self.side {
            finite("side", [point, normal].as_flattened())?;
            if normal == [0.0; 3] {
                return Err(format!(
                    "{of}: `side` has a normal of length 0; give it one, such as [[0, 1, 0], [0, 1, 0]]"
                ));
            }
            regions.push(Region::side(point, normal));
        }
        Ok(regions)
    }
}

/// Which numbers an attribute has at some vertices, in words.
fn painted_range(name: &str, painted: &[f32], vertices: &[u32]) -> String {
    let numbers = || vertices.iter().map(|&v| painted[v as usize]).filter(|number| !number.is_nan());
    let (least, most) = (numbers().fold(f32::INFINITY, f32::min), numbers().fold(f32::NEG_INFINITY, f32::max));
    match least <= most {
        true => format!("attribute `{name}` is {least} to {most} there"),
        false => format!("attribute `{name}` is NaN there"),
    }
}

/// Where the vertices of a body are, in words.
fn extent(places: &[[f32; 3]]) -> String {
    let along = |k: usize| {
        let least = places.iter().map(|p| p[k]).fold(f32::INFINITY, f32::min);
        let most = places.iter().map(|p| p[k]).fold(f32::NEG_INFINITY, f32::max);
        format!("{} {least:.4} to {most:.4} m", ["x", "y", "z"][k])
    };
    format!("the body lies within {}, {}, {}", along(0), along(1), along(2))
}
