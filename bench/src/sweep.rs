//! Single sweeps: every constraint of one kind on one mesh, projected once.

use crate::random::Random;
use crate::{Line, color, meshes};
use seidel::{Mesh, kinds};
use seidel_kernels::{Batches, Isa, Kind, RowArrays, Rows};
use xxhash_rust::xxh3::Xxh3;

/// All sweeps: n x n grids (structural edges and both diagonals, or bends over inner edges) and an irregular mesh of
/// 50,176 vertices, in the order that a plan gives it and in the random order of its file.
pub const NAMES: &[&str] = &[
    "distance-32",
    "distance-100",
    "distance-512",
    "distance-irregular",
    "distance-shuffled",
    "dihedral-32",
    "dihedral-100",
    "dihedral-512",
    "dihedral-irregular",
    "dihedral-shuffled",
];

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
    /// The sweep of a name: `distance` or `dihedral`, and `irregular`, `shuffled` or the grid's side.
    ///
    /// # Panics
    /// If there is none of this name.
    #[must_use]
    pub fn named(name: &str) -> Sweep {
        let (kind, on) = name.split_once('-').expect("kind-mesh");
        let side = on.parse::<u32>().ok();
        let mesh = match (side, on) {
            (Some(n), _) => meshes::grid(n),
            (None, "irregular") => meshes::z_ordered(&meshes::irregular(224)),
            (None, "shuffled") => meshes::irregular(224),
            _ => panic!("no mesh `{on}`"),
        };
        match kind {
            "distance" => Sweep::new(name, kinds::DISTANCE, &mesh, &springs(&mesh, side), 1e-7),
            "dihedral" => Sweep::new(name, kinds::DIHEDRAL, &mesh, &hinges(&mesh), 1e3),
            _ => panic!("no kind `{kind}`"),
        }
    }

    /// Rows at rest in the mesh; particles jittered by a tenth of the spacing, moving by a hundredth of it, the first
    /// vertices pinned.
    fn new(name: &str, kind: Kind, mesh: &Mesh, at: &[u32], compliance: f32) -> Sweep {
        let particles = mesh.positions.len();
        let rest: Vec<f32> = match kind.slots() {
            2 => at.chunks_exact(2).map(|e| length(mesh, e)).collect(),
            slots => vec![0.0; at.len() / slots],
        };
        let soft = vec![compliance; rest.len()];
        let arrays = RowArrays { slots: kind.slots(), params: 1, at, rest: &rest, soft: &soft };
        let colors = color::greedy(kind.slots(), at, particles);
        let batches = Batches::pack(arrays, &colors, particles).expect("colors are independent");

        let side = (particles as f32).sqrt();
        let (spacing, inv_mass) = (1.0 / (side - 1.0), side * side / DENSITY);
        let count = particles.next_multiple_of(16);
        // Apart in a page, as a step's arrays are.
        let (mut x, mut u) = (Rows::zeros(count, 0), Rows::zeros(count, 16));
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

fn length(mesh: &Mesh, e: &[u32]) -> f32 {
    let (a, b) = (mesh.positions[e[0] as usize], mesh.positions[e[1] as usize]);
    let d = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt()
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
