//! Joints: rows of constraints on vertices of several bodies.
//!
//! They are families of their own, behind those of the bodies: inside a patch where all that a row names is in it,
//! otherwise in the interfaces between patches. Features with particles of one row do not touch each other, as
//! neighbours of one body do not.

mod near;
mod same;

use crate::describe::body::{Body, Constraints};
use crate::describe::error::Error;
use crate::describe::ids::BodyId;
use crate::describe::joint::{Hold, Joint};
use crate::describe::stiffness::Values;
pub(crate) use same::Joined;
use seidel_kernels::Kind;
use std::sync::Arc;

impl Joint {
    /// Its rows, of one kind or two.
    fn families(&self, of: &str, bodies: &[Arc<Body>]) -> Result<Vec<JointRows>, Error> {
        let found = match &self.hold {
            Hold::Rows { kind, at, rest } => vec![(*kind, at.clone(), rest.clone())],
            Hold::Near(near) => {
                if let Values::PerRow(values) = self.stiffness.values() {
                    let (what, got) = ("stiffness of what is near".to_owned(), values.len());
                    return Err(Error::Length { of: of.to_owned(), what, got, want: 1 });
                }
                near.rows(of, bodies)?
            }
        };
        let rows = found.into_iter().map(|(kind, ends, rest)| {
            let of = || format!("{of}, kind `{}`", kind.name());
            if kind.has_frames() {
                return Err(Error::JointOfFrames { of: of() });
            }
            check_ends(&of, kind, &ends, bodies)?;
            let positions: Vec<_> = ends.iter().map(|(b, v)| bodies[b.index()].positions[*v as usize]).collect();
            let at = (0..ends.len() as u32).collect();
            let mut constraints = Constraints::new(kind, at, rest, self.stiffness.clone()).damped(self.damping);
            constraints.measure(&of, &positions, &[])?;
            constraints.check(&of)?;
            Ok(JointRows { constraints, ends })
        });
        rows.collect()
    }
}

/// Whether rows name bodies and vertices that exist, none twice.
fn check_ends(of: &dyn Fn() -> String, kind: Kind, ends: &[(BodyId, u32)], bodies: &[Arc<Body>]) -> Result<(), Error> {
    let slots = kind.slots();
    let (got, want) = (ends.len(), ends.len() / slots * slots);
    if got != want {
        return Err(Error::Length { of: of(), what: "vertices".to_owned(), got, want });
    }
    for (row, at) in ends.chunks_exact(slots).enumerate() {
        for (i, end @ &(body, number)) in at.iter().enumerate() {
            let of_row = || format!("{} row {row}", of());
            let (index, count) = (body.index(), bodies.len());
            let known = bodies.get(index).ok_or_else(|| Error::Missing { of: of_row(), what: "body", index, count })?;
            let (index, count) = (number as usize, known.positions.len());
            if index >= count {
                let of = format!("{}, body `{}`", of_row(), known.name);
                return Err(Error::Missing { of, what: "vertex", index, count });
            }
            if at[..i].contains(end) {
                let of = format!("{}, body `{}`", of(), known.name);
                return Err(Error::Repeated { of, row, what: "vertex", number });
            }
        }
    }
    Ok(())
}

/// Rows on numbered ends, and the body and vertex of each end.
#[derive(Debug)]
pub(crate) struct JointRows {
    pub(crate) constraints: Constraints,
    ends: Vec<(BodyId, u32)>,
}

impl JointRows {
    /// Those of all joints, with everything measured and checked.
    pub(crate) fn of(joints: &[Joint], bodies: &[Arc<Body>]) -> Result<Vec<JointRows>, Error> {
        let mut all = Vec::new();
        for (number, joint) in joints.iter().enumerate() {
            let joined = joint.bodies().filter_map(|id| bodies.get(id.index()));
            if let Some(fluid) = joined.into_iter().find(|body| body.fluid.is_some() || body.grain.is_some()) {
                return Err(Error::FluidWithMore { of: format!("joint {number}, body `{}`", fluid.name) });
            }
            all.extend(joint.families(&format!("joint {number}"), bodies)?);
        }
        Ok(all)
    }

    /// Whether it joins a body to others.
    pub(crate) fn others(&self, body: usize) -> bool {
        let of = |(end, _): &(BodyId, u32)| end.index() == body;
        self.ends.iter().any(of) && !self.ends.iter().all(of)
    }

    /// Body and vertex of every end.
    pub(crate) fn ends(&self) -> impl Iterator<Item = (usize, u32)> {
        (0..self.ends.len() as u32).map(|number| self.end(number))
    }

    /// Body and vertex of an end.
    pub(crate) fn end(&self, number: u32) -> (usize, u32) {
        let (body, vertex) = self.ends[number as usize];
        (body.index(), vertex)
    }
}
