//! Pins that move: vertices that follow a path instead of resting.

use crate::describe::attachment::Attached;
use crate::describe::collider::Motion;
use crate::describe::error::{Error, range};
use glam::DVec3;

/// Pinned vertices that move together on a path, as a rigid body does.
#[derive(Clone, Debug, PartialEq)]
pub struct MovingPins {
    /// The vertices; each has inverse mass 0 and is in one path alone.
    pub vertices: Vec<u32>,
    /// The point about which the path turns, metres.
    pub about: DVec3,
    /// The path, from where they are at the start; turns are about axes of the world.
    pub motion: Motion,
}

impl MovingPins {
    /// Vertices that follow a path, which turns about the origin.
    #[must_use]
    pub fn new(vertices: Vec<u32>, motion: Motion) -> MovingPins {
        MovingPins { vertices, about: DVec3::ZERO, motion }
    }

    /// The point about which the path turns, metres.
    #[must_use]
    pub fn about(mut self, point: impl Into<DVec3>) -> MovingPins {
        self.about = point.into();
        self
    }
}

/// Whether moving pins and attachments of a body name vertices that exist and are fixed, each once, and can be
/// followed.
pub(crate) fn check_moving_pins(
    pins: &[MovingPins],
    attached: &[Attached],
    (body, inv_mass): (&str, &[f32]),
) -> Result<(), Error> {
    let mut taken = vec![false; inv_mass.len()];
    let mut take = |of: &dyn Fn() -> String, vertex: u32| {
        let (index, count) = (vertex as usize, inv_mass.len());
        if index >= count {
            return Err(Error::Missing { of: of(), what: "vertex", index, count });
        }
        let w = inv_mass[index];
        let what = || format!("inverse mass of vertex {vertex}");
        range(of, what, f64::from(w), w == 0.0, "0: what is moved is fixed")?;
        let again = std::mem::replace(&mut taken[index], true);
        if again { Err(Error::Driven { of: of(), vertex }) } else { Ok(()) }
    };
    for (i, pins) in pins.iter().enumerate() {
        let of = || format!("body `{body}`, moving pins {i}");
        pins.vertices.iter().try_for_each(|&vertex| take(&of, vertex))?;
        for c in pins.about.to_array() {
            range(of, || "the point about which they turn".to_owned(), c, c.abs() <= 1e6, "within +-1e6 m")?;
        }
        pins.motion.check(&of)?;
    }
    for (i, attached) in attached.iter().enumerate() {
        let of = || format!("body `{body}`, attachment {i}");
        attached.vertices.iter().try_for_each(|&vertex| take(&of, vertex))?;
    }
    Ok(())
}
