//! Sheets that cannot fold around their pins.
//!
//! Where both diagonals of a grid's cells are rows, each cell is a plate: such a sheet folds along the rows of the grid
//! alone, each from border to border. Held by a cell in its inside it would hang down on all sides only if folds led
//! from the cell in all directions. They cannot, so the sheet stands out like a beam, and the rows around its pins
//! carry the moment of its weight:
//!
//! ```text
//! tension = LOCKED weight reach / depth
//! ```
//!
//! reach the way to its farthest vertex, depth the size of what is pinned. Diagonals that give bound it: then the sheet
//! does fold.

use crate::describe::body::Body;
use crate::plan::loads::{LoadedEdge, Loads, distance};
use crate::plan::pin_groups::groups;
use crate::tuning::{FOLD, LOCKED};
use std::sync::Arc;

/// Groups of pins in the inside of sheets, each with the tension that the weight gives to the rows around it.
#[derive(Debug)]
pub(super) struct Plates(Vec<Plate>);

/// One group of pins.
#[derive(Debug)]
struct Plate {
    body: usize,
    /// Nodes.
    pins: Vec<u32>,
    /// Of all that hangs by them, N.
    tension: f64,
}

impl Plates {
    pub(super) fn of(bodies: &[Arc<Body>], loads: &Loads<'_>) -> Plates {
        let mut plates = Vec::new();
        for (number, body) in bodies.iter().enumerate().filter(|(_, body)| holds_triangle(body)) {
            let (nodes, triangles) = (loads.nodes(number), body.triangles.len());
            // A sheet of n vertices and t triangles has n + t - 1 sides.
            if !body.tets.is_empty() || 10 * loads.edges_of(number).len() < 11 * (nodes.len() + triangles) {
                continue;
            }
            let border = border(body);
            let pinned = |v: u32| body.inv_mass[v as usize] == 0.0;
            for group in groups(body) {
                let inside = group.iter().all(|v| border.binary_search(v).is_err());
                let is_held = |t: &[u32; 3]| t.iter().all(|&v| pinned(v) && group.binary_search(&v).is_ok());
                if !inside || !body.triangles.iter().any(is_held) {
                    continue;
                }
                let pins: Vec<u32> = group.iter().map(|v| nodes.start as u32 + v).collect();
                let (mut weight, mut reach) = (0.0, 0.0f64);
                for node in nodes.clone().map(|node| node as u32) {
                    let (way, pin) = loads.way(node);
                    if way.is_finite() && pins.binary_search(&pin).is_ok() {
                        (weight, reach) = (weight + loads.weight(node), reach.max(way));
                    }
                }
                let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
                for x in pins.iter().map(|&pin| loads.place(pin)) {
                    for k in 0..3 {
                        (low[k], high[k]) = (low[k].min(x[k]), high[k].max(x[k]));
                    }
                }
                let depth = distance(low, high);
                if depth > 0.0 {
                    plates.push(Plate { body: number, pins, tension: LOCKED * weight * reach / depth });
                }
            }
        }
        Plates(plates)
    }

    /// Whether a body has pins around which it cannot fold: its rows there do not give.
    pub(super) fn hold(&self, loads: &Loads<'_>, body: usize) -> bool {
        let holds = |plate: &Plate| plate.around(loads).all(|(_, most)| most >= plate.tension);
        self.0.iter().any(|plate| plate.body == body && holds(plate))
    }

    /// Raises the tensions of the edges within two of the pins.
    pub(super) fn raise(&self, loads: &Loads<'_>, tensions: &mut [f64]) {
        for plate in &self.0 {
            for (edge, most) in plate.around(loads) {
                tensions[edge] = tensions[edge].max(plate.tension.min(most));
            }
        }
    }
}

impl Plate {
    /// Edges within two of the pins, and the most tension that each can have before the sheet folds, N.
    fn around<'a>(&'a self, loads: &'a Loads<'_>) -> impl Iterator<Item = (usize, f64)> + 'a {
        let free = |node: u32| (loads.inv_mass(node) > 0.0).then_some(node);
        let near = self.pins.iter().flat_map(|&pin| loads.of_node(pin)).filter_map(move |(_, near)| free(near));
        near.flat_map(|node| {
            let own = || loads.of_node(node).map(|(edge, _)| (edge, loads.edges[edge])).filter(|(_, edge)| edge.own);
            let soft = own().map(|(_, edge)| edge.compliance).fold(0.0, f64::max);
            own().map(move |(edge, LoadedEdge { length, .. })| {
                (edge, if soft > 0.0 { FOLD * length / soft } else { f64::INFINITY })
            })
        })
    }
}

/// Whether a body has a triangle whose corners are all pinned.
fn holds_triangle(body: &Body) -> bool {
    body.triangles.iter().any(|t| t.iter().all(|&v| body.inv_mass[v as usize] == 0.0))
}

/// The vertices of sides that only one triangle has, ascending.
fn border(body: &Body) -> Vec<u32> {
    let mut sides: Vec<[u32; 2]> = body
        .triangles
        .iter()
        .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
        .map(|[a, b]| [a.min(b), a.max(b)])
        .collect();
    sides.sort_unstable();
    let mut border: Vec<u32> =
        sides.chunk_by(|a, b| a == b).filter(|same| same.len() == 1).flat_map(|same| same[0]).collect();
    border.sort_unstable();
    border.dedup();
    border
}
