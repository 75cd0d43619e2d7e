//! Groups: up to sixteen vertices whose normals are computed at once.
//!
//! In a mesh of rows the neighbours of consecutive vertices are consecutive too: a run, loaded as whole registers. A
//! mesh that mostly has runs is a lattice; what is in no run of it is computed alone. In any other mesh neighbours are
//! gathered.

use super::fan::Fans;
use crate::BATCH;

/// Vertices of shorter runs are computed one by one: sixteen in registers cost as much as three or four alone.
const MIN_RUN: usize = 4;

/// Up to sixteen consecutive vertices.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    pub(super) first: u32,
    pub(super) lanes: u32,
    /// Neighbours of each; of those that are gathered, the vertex itself stands before.
    pub(super) slots: u32,
    /// The lanes' neighbours are consecutive too, and only those of the first are written down.
    pub(super) unit: bool,
    /// Where its neighbours stand.
    pub(super) at: usize,
}

/// The groups of a mesh, in the order of its vertices.
#[derive(Debug)]
pub(super) struct Groups {
    pub(super) groups: Vec<Group>,
    pub(super) near: Vec<u32>,
    /// More than half of the vertices are in runs.
    pub(super) lattice: bool,
}

impl Groups {
    pub(super) fn new(fans: &Fans, vertices: usize) -> Groups {
        let mut runs = Vec::new();
        let mut vertex = 0;
        while vertex < vertices {
            runs.push(fans.run(vertex, BATCH));
            vertex += runs.last().copied().unwrap_or(1);
        }
        let in_runs: usize = runs.iter().filter(|&&run| run >= MIN_RUN).sum();
        let lattice = in_runs * 2 > vertices;

        let (mut groups, mut near) = (Vec::new(), Vec::new());
        let (mut first, mut left) = (0, runs.into_iter().peekable());
        while first < vertices {
            let run = left.next().unwrap_or(1);
            let unit = lattice && run >= MIN_RUN;
            let mut lanes = run;
            while let Some(next) = left.next_if(|next| !(unit || lattice && *next >= MIN_RUN)) {
                lanes += next;
            }
            if unit {
                let chains = fans.of(first);
                let (at, slots) = (near.len(), chains.len() as u32);
                groups.push(Group { first: first as u32, lanes: lanes as u32, slots, unit, at });
                near.extend_from_slice(chains);
            } else {
                for start in (first..first + lanes).step_by(BATCH) {
                    groups.push(gathered(fans, start, (first + lanes - start).min(BATCH), &mut near));
                }
            }
            first += lanes;
        }
        Groups { groups, near, lattice }
    }
}

/// Vertices whose neighbours are written down one by one, after themselves; who has fewer than another has itself for
/// the rest.
fn gathered(fans: &Fans, first: usize, lanes: usize, near: &mut Vec<u32>) -> Group {
    let at = near.len();
    let slots = (first..first + lanes).map(|v| fans.of(v).len()).max().unwrap_or(0);
    for slot in 0..=slots {
        for lane in 0..BATCH {
            let vertex = first + lane.min(lanes - 1);
            let neighbour = slot.checked_sub(1).and_then(|slot| fans.of(vertex).get(slot));
            near.push(neighbour.copied().unwrap_or(vertex as u32));
        }
    }
    Group { first: first as u32, lanes: lanes as u32, slots: slots as u32, unit: false, at }
}
