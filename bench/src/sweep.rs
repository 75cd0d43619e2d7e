//! Single sweeps: every constraint of one kind on one mesh, projected by the engine's own step.

use crate::Line;
use crate::motion::{self, DT, Motion, SWEEPS};
use crate::swept::{Made, On, Swept, is_solid};
use glam::Vec3;
use seidel::{
    Body, Constraints, Execution, Input, Isa, Order, Plan, Scene, Solver, StageTimes, State, Stiffness, kinds,
};
use seidel_kernels::Kind;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// n x n grids (two points: structural edges and both diagonals; four: inner edges), and irregular meshes whose
/// vertices are numbered at random.
const MESHES: [&str; 5] = ["grid-32", "grid-100", "grid-512", "grid-1000", "irregular-250k"];
/// 82,944 tetrahedra, in a lattice and anyhow.
const SOLIDS: [&str; 2] = ["solid-24", "scattered-24"];
/// A rod that fits the caches.
const RODS: [&str; 1] = ["rod-10000"];
/// Swept over all meshes; the other kinds differ from them by their equation, which one mesh shows.
const ON_ALL: [&str; 2] = ["distance", "dihedral"];

/// All sweeps: every kind in the table.
#[must_use]
pub fn names() -> Vec<String> {
    let of = |kind: &'static Kind| {
        let on = match ON_ALL.contains(&kind.name()) {
            true => &MESHES[..],
            false if is_solid(*kind) => &SOLIDS[..],
            false if kind.has_frames() => &RODS[..],
            false => &MESHES[1..2],
        };
        on.iter().map(|mesh| format!("{}-{mesh}", kind.name()))
    };
    kinds::KINDS.iter().flat_map(of).collect()
}

/// Constraints and particles in motion, ready to be swept.
#[derive(Clone, Debug)]
pub struct Sweep {
    name: String,
    kind: Kind,
    plan: Arc<Plan>,
    start: State,
}

/// A sweep on lanes and threads.
#[derive(Debug)]
pub struct SweepRun<'a> {
    of: &'a Sweep,
    solver: Solver,
}

/// As soft as a cloth: m/N of lengths; rad^2/J and 1/J of what bends; 1/J of elements, and m^6/J of volumes, as a jelly
/// is; 1/J of a rod of rubber.
fn compliance(kind: Kind) -> f32 {
    if kind.has_frames() {
        return 1.0;
    }
    let first = kind.params().first();
    match first.map(|p| (p.unit, p.name)) {
        Some(("m", _)) | None => 1e-7,
        Some(("m^3", _)) => 1e-10,
        Some((_, name)) if name.starts_with("Dm^-1") => 2.0,
        Some(("rad" | "1/m" | "", _)) => 1e3,
        Some((unit, _)) => panic!("say here how soft `{}` is, whose first parameter is in {unit}", kind.name()),
    }
}

impl Sweep {
    /// The sweep of a name: a kind in the table, `grid` or `irregular`, and the grid's side or the vertices in
    /// thousands: `rope-grid-64`, `distance-irregular-50k`.
    ///
    /// # Panics
    /// If there is none of this name.
    #[must_use]
    pub fn named(name: &str) -> Sweep {
        Sweep::of(&Swept::parse(name).unwrap_or_else(|e| panic!("{e}")))
    }

    /// Makes mesh, rows and plan.
    #[must_use]
    pub fn of(swept: &Swept) -> Sweep {
        Sweep::in_order(swept, Order::Patches, [SWEEPS, 1])
    }

    /// The same in some order, with so many substeps and iterations a step.
    #[must_use]
    pub fn in_order(swept: &Swept, order: Order, sweeps: [u32; 2]) -> Sweep {
        Sweep::new(&swept.name(), swept.kind, &swept.made(), 1, (order, sweeps))
    }

    /// As many cloths of n x n vertices, with the rows of `distance-grid-n` each, as bodies of one scene.
    #[must_use]
    pub fn many(count: usize, n: u32) -> Sweep {
        let made = Swept { kind: kinds::DISTANCE, on: On::Grid(n) }.made();
        Sweep::new(&format!("many-{count}x{n}"), kinds::DISTANCE, &made, count, (Order::Patches, [SWEEPS, 1]))
    }

    /// Rows at rest in the mesh, particles in motion, the first vertices pinned.
    fn new(
        name: &str,
        kind: Kind,
        Made { mesh, at, spacing, inv_mass, frames }: &Made,
        count: usize,
        (order, [substeps, iterations]): (Order, [u32; 2]),
    ) -> Sweep {
        let compliance = compliance(kind);
        let mut random = motion::random(mesh);
        let mut body = Body::particles(mesh.positions.clone(), inv_mass.clone());
        body.frames.clone_from(frames);
        body.constraints = vec![Constraints::measured(kind, at.clone(), Stiffness::compliance(compliance))];

        let mut scene = Scene::new();
        (scene.settings.substeps, scene.settings.iterations) = (substeps.into(), iterations);
        let bodies: Vec<_> = (1..count).map(|_| scene.add(body.clone())).collect();
        let bodies: Vec<_> = bodies.into_iter().chain([scene.add(body)]).collect();
        let plan = Plan::in_order(&scene, order).expect("a mesh's rows are sound");
        let mut start = State::new(&plan);
        for body in bodies {
            let Motion { x, v } = Motion::spaced(mesh, *spacing, &mut random);
            start.write_positions(&plan, body, &x).expect("near");
            start.write_velocities(&plan, body, &v).expect("slow");
            // A hundredth of a radian in a substep.
            let omegas: Vec<Vec3> = v.iter().take(frames.len()).map(|&v| v * (1.0 / spacing)).collect();
            start.write_angular_velocities(&plan, body, &omegas).expect("slow");
        }
        Sweep { name: name.to_owned(), kind, plan: Arc::new(plan), start }
    }

    /// Kind of its constraints.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Particles of all bodies.
    #[must_use]
    pub fn particles(&self) -> usize {
        self.plan.particles()
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
        SweepRun { of: self, solver: Solver::with(Arc::clone(&self.plan), Execution::new(isa, threads)) }
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
    /// Root mean square of C after a step of `dt` seconds from the start, in the unit of C.
    pub fn residual(&mut self, dt: f32) -> f64 {
        self.restore();
        self.solver.step(&Input::frame(dt));
        let energy = self.solver.measure().constraint_error;
        (2.0 * f64::from(compliance(self.of.kind)) * energy / self.of.constraints() as f64).sqrt()
    }

    /// Goes back to the start: all that is timed begins there.
    pub fn restore(&mut self) {
        self.solver.state_mut().clone_from(&self.of.start);
    }

    /// [`SWEEPS`] sweeps; the time of the constraints alone, without prediction and velocities.
    pub fn sweeps(&mut self) -> Duration {
        self.step().1.constraints
    }

    /// A step of [`SWEEPS`] substeps: its whole time, and where it went.
    pub fn step(&mut self) -> (Duration, StageTimes) {
        let begin = Instant::now();
        let report = self.solver.step(&Input::frame(DT));
        (begin.elapsed(), report.times)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_kind_is_swept() {
        let names = names();
        for kind in kinds::KINDS {
            let (listed, meshes) = match (is_solid(*kind), kind.has_frames()) {
                (true, _) => ("solid-24", ["solid-4", "scattered-3"]),
                (_, true) => ("rod-10000", ["rod-64", "rod-3000"]),
                _ => ("grid-100", ["grid-8", "irregular-1k"]),
            };
            assert!(names.contains(&format!("{}-{listed}", kind.name())));
            for mesh in meshes {
                let work = Sweep::named(&format!("{}-{mesh}", kind.name()));
                let lines = work.lines();
                Line::print(&lines);
                assert!(work.constraints() > 40 && lines[0].hash != work.start.hash(), "{}", lines[0]);
            }
        }
    }
}
