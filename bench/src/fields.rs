//! Sweeps of fields alone: a ball whose volume is held, or whose particles keep their shape.

use crate::Line;
use crate::contest::{Bench, Entrant, contest, of_line};
use crate::entry::{Entry, NS};
use crate::motion::{DT, SWEEPS};
use crate::random::Random;
use seidel::glam::Vec3;
use seidel::{
    Body, Execution, Input, Isa, Mesh, Plan, Pressure, Scene, ShapeMatched, ShapeMatching, Solver, State, Stiffness,
    VolumeConstraint,
};
use std::sync::Arc;

/// What the ball does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Does {
    /// It holds its volume; ns a triangle.
    Balloon,
    /// It keeps its shape; ns a particle.
    Shape,
    /// The same in clusters of some 40 particles; ns a particle and cluster that it is in.
    Clusters,
}

/// A ball and how fine it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Balls {
    does: Does,
    detail: u32,
}

impl Balls {
    /// Of a name: `balloon-5`, `shape-5`, `shape-clusters-5`: the number is that of [`Mesh::ball`]'s halvings.
    #[must_use]
    pub fn parse(name: &str) -> Option<Balls> {
        let (does, detail) = name.rsplit_once('-')?;
        let does = [Does::Balloon, Does::Shape, Does::Clusters].into_iter().find(|of| of.name() == does)?;
        let detail = detail.parse().ok().filter(|detail| (1..=7).contains(detail))?;
        Some(Balls { does, detail })
    }

    /// Its name again.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}-{}", self.does.name(), self.detail)
    }

    /// The ball, deformed at random, and how much is counted.
    fn run(&self, isa: Isa, threads: usize) -> Run {
        let mesh = Mesh::ball(1.0, self.detail);
        let count = mesh.positions.len();
        let stiffness = Stiffness::compliance(0.0);
        let mut scene = Scene::new();
        (scene.settings.gravity, scene.settings.substeps) = ([0.0; 3].into(), SWEEPS.into());
        let mut body = Body::particles(mesh.positions.clone(), vec![count as f32; count]);
        let counted = match self.does {
            Does::Balloon => {
                let (triangles, pressure) = (mesh.triangles.clone(), Pressure::constant(1.0));
                body.volumes.push(VolumeConstraint::new(triangles, stiffness, pressure));
                scene.add(body);
                mesh.triangles.len()
            }
            Does::Shape => {
                let (vertices, masses) = ((0..count as u32).collect(), vec![1.0 / count as f32; count]);
                body.matched_shapes.push(ShapeMatching::new(vertices, masses, stiffness));
                scene.add(body);
                count
            }
            Does::Clusters => {
                // Of the surface 4 pi, pi r^2 holds some 40 of all particles.
                let radius = (160.0 / count as f32).sqrt();
                let soft = ShapeMatched::new(&mesh).clusters(radius);
                let members = soft.members().expect("a radius above 0");
                scene.add(soft);
                members
            }
        };
        let plan = Arc::new(Plan::new(&scene).expect("a ball is sound"));
        let mut start = State::new(&plan);
        let mut random = Random(count as u64);
        let part = 0.1 / (count as f32).sqrt();
        let mut jitter = || Vec3::new(random.signed(), random.signed(), random.signed()) * part;
        let x: Vec<Vec3> = mesh.positions.iter().map(|p| Vec3::from(*p) + jitter()).collect();
        start.write_positions(&plan, plan.body_ids().next().expect("a ball"), &x).expect("in range");
        Run { solver: Solver::with(plan, Execution::new(isa, threads)), start, counted }
    }
}

impl Does {
    fn name(self) -> &'static str {
        match self {
            Does::Balloon => "balloon",
            Does::Shape => "shape",
            Does::Clusters => "shape-clusters",
        }
    }
}

struct Run {
    solver: Solver,
    start: State,
    counted: usize,
}

impl Run {
    /// ns of the constraints' stages, a sweep and what is counted.
    fn step(&mut self) -> f64 {
        self.solver.state_mut().clone_from(&self.start);
        let report = self.solver.step(&Input::frame(DT));
        report.times.constraints.as_nanos() as f64 / (f64::from(SWEEPS) * self.counted as f64)
    }
}

impl Bench {
    /// On all lanes, and on two threads.
    pub(crate) fn balls(&self, balls: &Balls) -> Vec<Entry> {
        let one = Isa::available().into_iter().map(|isa| (isa, 1));
        let mut runs: Vec<(Isa, usize, Run)> =
            one.chain([(Isa::detect(), 2)]).map(|(isa, threads)| (isa, threads, balls.run(isa, threads))).collect();
        let mut lines = Vec::new();
        for (isa, threads, run) in &mut runs {
            run.step();
            let colors = run.solver.plan().families().map(|(_, _, colors)| colors).sum();
            let (name, hash) = (balls.name(), run.solver.state().hash());
            lines.push(Line { name, constraints: run.counted, colors, isa: *isa, threads: *threads, hash });
        }
        Line::print(&lines);
        let entrants = lines.iter().zip(runs).map(|(line, (_, _, mut run))| Entrant {
            entry: of_line(line, &balls.name(), NS),
            contender: Box::new(move || run.step()),
        });
        contest(entrants.collect(), self.budget(), |_| None)
    }
}
