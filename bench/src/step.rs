//! Whole steps of the named scenes, from a moment when much is going on.

use crate::Line;
use crate::timed::timed;
use seidel::{Collide, Execution, Input, Isa, Mesh, Plan, Report, Solver, State};
use seidel_scenes as scenes;
use seidel_scenes::SceneSpec;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

/// Scenes: the named ones, and some on another grid (`cloth-sphere-100`: 100 x 100 vertices).
pub const NAMES: &[&str] = &["cloth-sphere-100", "cloth-sphere", "flag", "curtain", "chain"];

/// Frames before the start: the cloths have fallen on what lies below them.
pub const START_FRAME: u32 = 60;

/// Frames after which a line's hash is taken.
pub const HASH_FRAMES: u32 = 5;

/// A scene that has run for [`START_FRAME`] frames.
#[derive(Clone, Debug)]
pub struct Steps {
    name: String,
    plan: Arc<Plan>,
    input: Input,
    start: State,
}

/// A solver that can go back to the start.
#[derive(Debug)]
pub struct Run<'a> {
    of: &'a Steps,
    solver: Solver,
}

/// The description of a name in [`NAMES`], or of another named scene with its grid's side appended.
#[must_use]
pub fn find(name: &str) -> Option<SceneSpec> {
    if let Some(spec) = scenes::named(name) {
        return Some(spec);
    }
    let (name, n) = name.rsplit_once('-')?;
    let (mut spec, n) = (scenes::named(name)?, n.parse().ok().filter(|n| (2..=4096).contains(n))?);
    spec.cloth.iter_mut().for_each(|cloth| cloth.resolution = [n, n]);
    Some(spec)
}

/// Without self-collision: that is measured by itself (touching.rs).
fn spec(name: &str) -> SceneSpec {
    let mut spec = find(name).unwrap_or_else(|| panic!("no scene `{name}`"));
    spec.cloth.iter_mut().for_each(|cloth| cloth.collide = Collide::Nothing);
    spec
}

impl Steps {
    /// Plans a scene and runs it up to the start, on all cores: lanes and threads change nothing in it.
    ///
    /// # Panics
    /// If there is none of this name.
    #[must_use]
    pub fn named(name: &str) -> Steps {
        Steps::of(name, &spec(name))
    }

    /// The same with a number of substeps that is not the scene's.
    ///
    /// # Panics
    /// As [`Steps::named`].
    #[must_use]
    pub fn with_substeps(name: &str, substeps: u32) -> Steps {
        let mut spec = spec(name);
        spec.solver.substeps = substeps.into();
        Steps::of(name, &spec)
    }

    fn of(name: &str, spec: &SceneSpec) -> Steps {
        Steps::after(name, spec, START_FRAME)
    }

    /// From another moment on.
    pub(crate) fn after(name: &str, spec: &SceneSpec, frames: u32) -> Steps {
        let scene = spec.build(|_| Ok::<_, Infallible>(Mesh::default().into())).expect("a named scene is whole");
        let plan = Arc::new(Plan::new(&scene).expect("a named scene is sound"));
        let input = Input::frame((1.0 / spec.fps) as f32);
        let mut solver = Solver::with(Arc::clone(&plan), Execution::default());
        for _ in 0..frames {
            solver.step(&input);
        }
        let start = solver.state().clone();
        Steps { name: name.to_owned(), plan, input, start }
    }

    /// Name of the scene.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The plan.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Constraints in a sweep, all families together.
    #[must_use]
    pub fn constraints(&self) -> usize {
        self.plan.families().map(|(_, constraints, _)| constraints).sum()
    }

    /// Projections of a constraint in a step.
    #[must_use]
    pub fn projections(&self) -> u64 {
        let settings = self.plan.settings();
        self.constraints() as u64 * u64::from(self.plan.substeps()) * u64::from(settings.iterations)
    }

    /// A solver at the start.
    #[must_use]
    pub fn run(&self, isa: Isa, threads: usize) -> Run<'_> {
        let mut run = Run { of: self, solver: Solver::with(Arc::clone(&self.plan), Execution::new(isa, threads)) };
        run.restore();
        run
    }

    /// What [`HASH_FRAMES`] frames from the start give.
    #[must_use]
    pub fn line(&self, isa: Isa, threads: usize) -> Line {
        let mut run = self.run(isa, threads);
        for _ in 0..HASH_FRAMES {
            run.frame();
        }
        let colors = self.plan.families().map(|(_, _, colors)| colors).sum();
        let (name, constraints) = (self.name.clone(), self.constraints());
        Line { name, constraints, colors, isa, threads, hash: run.solver.state().hash() }
    }
}

impl Run<'_> {
    /// Goes back to the start.
    pub fn restore(&mut self) {
        self.solver.state_mut().clone_from(&self.of.start);
    }

    /// Of the state, now.
    #[must_use]
    pub fn hash(&self) -> u64 {
        self.solver.state().hash()
    }

    /// One step.
    pub fn frame(&mut self) -> Report {
        self.solver.step(&self.of.input)
    }

    /// Time of a number of steps, each from the start.
    pub fn timed(&mut self, frames: u64) -> Duration {
        timed(self, frames, Run::restore, |run| drop(run.frame()))
    }
}
