//! Long range attachments: how far a body's vertices may be from its pins.

use crate::describe::error::{Error, range};

/// How far each vertex of a body may be from the vertices of inverse mass 0, in a straight line: the way there at rest
/// and a share `slack` more (Kim, Chentanez, Müller 2012, "Long Range Attachments"). In every substep a vertex that is
/// too far is put where it may be; nothing pulls at the pin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum LongRange {
    /// Any distance.
    #[default]
    Off,
    /// Chosen when the scene is planned, from the body's rows: a body whose rows gravity stretches by more than 1.25 %,
    /// as its compliances say, has none. Others may be further by twice that stretch; along the rows that do not
    /// stretch, if some do (a weave that shears). Vertices that a joint names are not held.
    Auto,
    /// This share of the way along triangles and edges, >= 0.
    Slack(f32),
}

impl From<f32> for LongRange {
    fn from(slack: f32) -> LongRange {
        LongRange::Slack(slack)
    }
}

impl LongRange {
    /// A slack within its limits, and pins that the rest can stay near.
    pub(super) fn check(self, name: &str, inv_mass: &[f32]) -> Result<(), Error> {
        let LongRange::Slack(slack) = self else { return Ok(()) };
        let of = || format!("body `{name}`");
        range(of, || "long_range".to_owned(), f64::from(slack), (0.0..=1e3).contains(&slack), "within 0 .. 1000")?;
        if inv_mass.contains(&0.0) { Ok(()) } else { Err(Error::NoPins { of: of() }) }
    }
}
