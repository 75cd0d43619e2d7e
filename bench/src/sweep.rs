//! Single sweeps: every constraint of one kind on one mesh, projected by the engine's own step.

use crate::random::Random;
use crate::{Line, meshes};
use glam::Vec3;
use seidel::{Body, Constraints, Execution, Input, Isa, Mesh, Plan, Scene, Settings, Solver, State, Stiffness, kinds};
use seidel_kernels::Kind;
use std::sync::Arc;
use std::time::Duration;

/// n x n grids (two points: structural edges and both diagonals; four: inner edges), and irregular meshes whose vertices are
/// numbered at random.
const MESHES: [&str; 5] = ["grid-32", "grid-100", "grid-512", "grid-1000", "irregular-250k"];
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

/// Substeps of a run: sweeps over a cloth that moves.
pub const SWEEPS: u32 = 10;
/// Of 1/1200 s, as 20 substeps of 1/60 s.
const DT: f32 = SWEEPS as f32 / 1200.0;
const DENSITY: f32 = 0.2;

/// Constraints and particles in motion, ready to be swept.
#[derive(Clone, Debug)]
pub struct Sweep {
    name: String,
    plan: Arc<Plan>,
    start: State,
}

/// A sweep on lanes and threads.
#[derive(Debug)]
pub struct SweepRun<'a> {
    of: &'a Sweep,
    solver: Solver,
}

impl Sweep {
    /// The sweep of a name: a kind in the table, `grid` or `irregular`, and the grid's side or the vertices in thousands:
    /// `rope-grid-64`, `distance-irregular-50k`.
    ///
    /// # Panics
    /// If there is none of this name.
    #[must_use]
    pub fn named(name: &str) -> Sweep {
        let parts: Vec<&str> = name.split('-').collect();
        let [kind, mesh, size] = parts[..] else { panic!("`{name}` is not KIND-MESH-SIZE") };
        let kind = kinds::by_name(kind).unwrap_or_else(|| panic!("no kind `{kind}`"));
        let number = |text: &str| text.parse::<u32>().unwrap_or_else(|_| panic!("`{size}` is no size"));
        let (mesh, side) = match (mesh, size.strip_suffix('k')) {
            ("grid", None) => (meshes::grid(number(size)), Some(number(size))),
            ("irregular", Some(k)) => (meshes::irregular(f64::from(number(k) * 1000).sqrt() as u32), None),
            _ => panic!("no mesh `{mesh}-{size}`"),
        };
        Sweep::new(name, *kind, &mesh, rows(kind.slots(), &mesh, side))
    }

    /// Rows at rest in the mesh; particles jittered by a tenth of the spacing, moving by a hundredth of it in a substep, the
    /// first vertices pinned.
    fn new(name: &str, kind: Kind, mesh: &Mesh, at: Vec<u32>) -> Sweep {
        let particles = mesh.positions.len();
        // As soft as a cloth: m/N of lengths; rad^2/J and 1/J of what bends.
        let compliance = if kind.params().first().is_some_and(|p| p.unit == "m") { 1e-7 } else { 1e3 };
        let side = (particles as f32).sqrt();
        let (spacing, inv_mass) = (1.0 / (side - 1.0), side * side / DENSITY);
        let w = |v: usize| if v < side as usize { 0.0 } else { inv_mass };
        let mut body = Body::particles(mesh.positions.clone(), (0..particles).map(w).collect());
        body.constraints = vec![Constraints::measured(kind, at, Stiffness::compliance(compliance))];

        let mut scene = Scene::new();
        scene.settings = Settings { substeps: SWEEPS, iterations: 1, ..Settings::default() };
        let body = scene.add(body);
        let plan = Plan::new(&scene).expect("a mesh's rows are sound");
        let mut start = State::new(&plan);
        let mut random = Random(particles as u64);
        let mut jitter = |size: f32| Vec3::from_array(std::array::from_fn(|_| size * random.signed()));
        let x: Vec<Vec3> = mesh.positions.iter().map(|&p| Vec3::from(p) + jitter(0.1 * spacing)).collect();
        let v: Vec<Vec3> = x.iter().map(|_| jitter(0.01 * spacing * SWEEPS as f32 / DT)).collect();
        start.write_positions(&plan, body, &x).expect("near");
        start.write_velocities(&plan, body, &v).expect("slow");
        Sweep { name: name.to_owned(), plan: Arc::new(plan), start }
    }

    /// Number of constraints.
    #[must_use]
    pub fn constraints(&self) -> usize {
        self.plan.families().map(|(_, constraints, _)| constraints).sum()
    }

    /// Name of the workload.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The sweep on lanes and threads.
    #[must_use]
    pub fn on(&self, isa: Isa, threads: usize) -> SweepRun<'_> {
        SweepRun { of: self, solver: Solver::with(Arc::clone(&self.plan), Execution { isa, threads }) }
    }

    /// What [`SWEEPS`] sweeps from the start give on these lanes.
    #[must_use]
    pub fn line(&self, isa: Isa, threads: usize) -> Line {
        let mut run = self.on(isa, threads);
        run.restore();
        run.sweeps();
        let colors = self.plan.families().map(|(_, _, colors)| colors).sum();
        let (name, hash) = (self.name.clone(), run.solver.state().hash());
        Line { name, constraints: self.constraints(), colors, isa, threads, hash }
    }

    /// A line for all lanes that this processor has.
    #[must_use]
    pub fn lines(&self) -> Vec<Line> {
        Isa::available().into_iter().map(|isa| self.line(isa, 1)).collect()
    }
}

impl SweepRun<'_> {
    /// Goes back to the start: all that is timed begins there.
    pub fn restore(&mut self) {
        self.solver.state_mut().clone_from(&self.of.start);
    }

    /// [`SWEEPS`] sweeps; the time of the constraints alone, without prediction and velocities.
    pub fn sweeps(&mut self) -> Duration {
        self.solver.step(&Input::frame(DT)).times.constraints
    }

    /// Time of a number of runs, each from the start.
    pub fn timed(&mut self, runs: u64) -> Duration {
        (0..runs)
            .map(|_| {
                self.restore();
                self.sweeps()
            })
            .sum()
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
            assert!(names.contains(&format!("{}-grid-100", kind.name())));
            for mesh in ["grid-8", "irregular-1k"] {
                let work = Sweep::named(&format!("{}-{mesh}", kind.name()));
                let lines = work.lines();
                Line::print(&lines);
                assert!(work.constraints() > 40 && lines[0].hash != work.start.hash(), "{}", lines[0]);
            }
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
