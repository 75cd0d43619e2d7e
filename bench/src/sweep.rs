//! Single sweeps: every constraint of one kind on one mesh, projected once.

use crate::random::Random;
use crate::timed::timed;
use crate::{Line, color, meshes};
use seidel::{Mesh, kinds};
use seidel_kernels::{Batches, Isa, Kind, Particles, RowArrays, Rows};
use std::time::Duration;
use xxhash_rust::xxh3::Xxh3;

/// n x n grids (two points: structural edges and both diagonals; four: inner edges) and an irregular mesh of 50,176
/// vertices, in the order that a plan gives it and in the random order of its file.
const MESHES: [&str; 5] = ["32", "100", "512", "irregular", "shuffled"];
/// Swept over all meshes; the other kinds differ from them by their equation, which one mesh shows.
const ON_ALL: [&str; 2] = ["distance", "dihedral"];

/// All sweeps: every kind in the table.
#[must_use]
pub fn names() -> Vec<String> {
    let of = |kind: &'static Kind| {
        let on = if ON_ALL.contains(&kind.name()) { &MESHES[..] } else { &MESHES[1..2] };
        on.iter().map(|mesh| format!("{}-{mesh}", kind.name()))
    };
    kinds::KINDS.iter().flat_map(of).collect()
}

/// 20 substeps of 1/60 s.
const INV_H2: f32 = 1200.0 * 1200.0;
const DENSITY: f32 = 0.2;

/// Constraints and particles in motion, ready to be swept.
#[derive(Clone, Debug)]
pub struct Sweep {
    name: String,
    kind: Kind,
    batches: Batches,
    x: Rows,
    start: Rows,
    u: Rows,
}

impl Sweep {
    /// The sweep of a name: a kind in the table, and `irregular`, `shuffled` or the grid's side: `rope-64`.
    ///
    /// # Panics
    /// If there is none of this name.
    #[must_use]
    pub fn named(name: &str) -> Sweep {
        let (kind, on) = name.rsplit_once('-').unwrap_or_else(|| panic!("`{name}` is not KIND-MESH"));
        let kind = kinds::by_name(kind).unwrap_or_else(|| panic!("no kind `{kind}`"));
        let side = on.parse::<u32>().ok();
        let mesh = match (side, on) {
            (Some(n), _) => meshes::grid(n),
            (None, "irregular") => meshes::z_ordered(&meshes::irregular(224)),
            (None, "shuffled") => meshes::irregular(224),
            _ => panic!("no mesh `{on}`"),
        };
        Sweep::new(name, *kind, &mesh, &rows(kind.slots(), &mesh, side))
    }

    /// Rows at rest in the mesh; particles jittered by a tenth of the spacing, moving by a hundredth of it, the first
    /// vertices pinned.
    fn new(name: &str, kind: Kind, mesh: &Mesh, at: &[u32]) -> Sweep {
        let particles = mesh.positions.len();
        let (slots, params, count) = (kind.slots(), kind.params(), particles.next_multiple_of(16));
        // As soft as a cloth: m/N, and rad^2/J of angles.
        let compliance = if params.first().is_some_and(|p| p.unit == "rad") { 1e3 } else { 1e-7 };
        let soft = vec![compliance; at.len() / slots];
        let colors = color::greedy(slots, at, particles);
        let pack = |rest: &[f32]| {
            let arrays = RowArrays { slots, params: params.len(), at, rest, soft: &soft };
            Batches::pack(arrays, &colors, particles).expect("colors are independent")
        };
        // Apart in a page, as a step's arrays are.
        let (mut x, mut u) = (Rows::zeros(count, 0), Rows::zeros(count, 16));
        for (row, p) in x.iter_mut().zip(&mesh.positions) {
            *row = [p[0], p[1], p[2], 0.0];
        }
        let mut rest: Vec<f32> =
            soft.iter().flat_map(|_| params).map(|p| if p.soft { compliance } else { 0.0 }).collect();
        let mut measured = vec![0.0; soft.len()];
        kind.measure(Isa::SCALAR, &pack(&rest), Particles::new(&x, &mut u), &mut measured);
        for (row, value) in rest.chunks_exact_mut(params.len().max(1)).zip(measured) {
            row[0] = value;
        }
        let batches = pack(&rest);

        let side = (particles as f32).sqrt();
        let (spacing, inv_mass) = (1.0 / (side - 1.0), side * side / DENSITY);
        let mut random = Random(particles as u64);
        for (row, p) in mesh.positions.iter().enumerate() {
            let w = if row < side as usize { 0.0 } else { inv_mass };
            let mut moved = |c: f32| c + 0.1 * spacing * random.signed();
            x[row] = [moved(p[0]), moved(p[1]), moved(p[2]), w];
            if w > 0.0 {
                let mut by = || 0.01 * spacing * random.signed();
                u[row] = [by(), by(), by(), 0.0];
            }
        }
        Sweep { name: name.to_owned(), kind, batches, x, start: u.clone(), u }
    }

    /// Number of constraints.
    #[must_use]
    pub fn constraints(&self) -> usize {
        self.batches.rows()
    }

    /// Name of the workload.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Goes back to the start: every sweep that is timed is the first one.
    pub fn restore(&mut self) {
        self.u.copy_from_slice(&self.start);
    }

    /// One sweep.
    pub fn run(&mut self, isa: Isa) {
        self.kind.solve_all(isa, &self.batches, &self.x, &mut self.u, INV_H2);
    }

    /// Time of a number of sweeps, each from the start.
    pub fn timed(&mut self, isa: Isa, sweeps: u64) -> Duration {
        timed(self, sweeps, Sweep::restore, |work| work.run(isa))
    }

    /// What one sweep from the start gives on these lanes.
    #[must_use]
    pub fn line(&mut self, isa: Isa) -> Line {
        self.restore();
        self.run(isa);
        let mut hash = Xxh3::new();
        self.u.iter().flatten().for_each(|v| hash.update(&v.to_le_bytes()));
        let (constraints, colors) = (self.constraints(), self.batches.colors().len());
        Line { name: self.name.clone(), constraints, colors, isa, threads: 1, hash: hash.digest() }
    }

    /// A line for all lanes that this processor has.
    #[must_use]
    pub fn lines(&mut self) -> Vec<Line> {
        Isa::available().into_iter().map(|isa| self.line(isa)).collect()
    }
}

/// Rows of a kind that takes so many points.
fn rows(slots: usize, mesh: &Mesh, side: Option<u32>) -> Vec<u32> {
    let count = mesh.positions.len() as u32;
    match slots {
        1 => (0..count).collect(),
        2 => springs(mesh, side),
        3 => mesh.triangles.concat(),
        4 => hinges(mesh),
        // Neighbours in the mesh's order; each vertex is in two rows.
        n => (0..=count - n as u32).step_by(n / 2).flat_map(|first| first..first + n as u32).collect(),
    }
}

/// A grid's edges along x, along z, and both diagonals; a mesh's edges.
fn springs(mesh: &Mesh, side: Option<u32>) -> Vec<u32> {
    let Some(n) = side else {
        return mesh.edges().iter().flat_map(|edge| edge.vertices).collect();
    };
    let mut at = Vec::new();
    for (width, height, from, to) in
        [(n - 1, n, 0, 1), (n, n - 1, 0, n), (n - 1, n - 1, 0, n + 1), (n - 1, n - 1, 1, n)]
    {
        at.extend((0..height).flat_map(|j| (0..width).flat_map(move |i| [j * n + i + from, j * n + i + to])));
    }
    at
}

/// [hinge, hinge, wing, wing] over every inner edge.
fn hinges(mesh: &Mesh) -> Vec<u32> {
    let over = |edge: &seidel::mesh::Edge| match edge.opposite {
        [Some(a), Some(b)] => Some([edge.vertices[0], edge.vertices[1], a, b]),
        _ => None,
    };
    mesh.edges().iter().filter_map(over).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_kind_is_swept() {
        let names = names();
        for kind in kinds::KINDS {
            assert!(names.contains(&format!("{}-100", kind.name())));
            let mut work = Sweep::named(&format!("{}-8", kind.name()));
            let lines = work.lines();
            Line::print(&lines);
            assert!(work.constraints() > 40 && work.u != work.start, "{}", lines[0]);
        }
    }

    #[test]
    fn any_number_of_points_makes_rows() {
        let mesh = meshes::grid(8);
        for slots in 1..10 {
            let at = rows(slots, &mesh, Some(8));
            assert!(at.len() > 10 * slots && at.len().is_multiple_of(slots) && at.iter().all(|&v| v < 64), "{slots}");
        }
    }
}
