//! Water: a column that falls over in a tank, the same particles in this engine and in salva3d, which take turns, frame
//! by frame.
//!
//! How dense particles are is measured from positions alone, by both engines' kernels (the spiky kernel, the cubic
//! spline), each scaled so that the lattice in which the water begins has its rest density; only of those that no wall
//! is near to, because the engines reckon with walls in different ways.

use salva3d::LiquidWorld;
use salva3d::math::Vector;
use salva3d::object::interaction_groups::InteractionGroups;
use salva3d::object::{Boundary, Fluid, FluidHandle};
use salva3d::solver::{DFSPHSolver, DfsphParameters};
use seidel::collider::Shape;
use seidel::rayon::{ThreadPool, ThreadPoolBuilder};
use seidel::{BodyId, Collider, Execution, Input, Isa, Scene, Solver, Substeps};
use seidel_bench::entry::{Entry, MS, OURS};
use seidel_bench::rounds::Times;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Instant;

/// Particles of the tanks that are measured: along x, y and z, and their spacing, metres.
const TANKS: [Tank; 2] = [Tank { column: [25, 25, 16], spacing: 0.02 }, Tank { column: [50, 50, 40], spacing: 0.01 }];
/// The tank's length, metres; it is as deep as the column, and open above.
const LENGTH: f32 = 1.6;
/// Height of its walls where these are of particles, metres.
const HEIGHT: f32 = 1.4;
/// Frames of 1/60 s in all, and those before time is taken.
const FRAMES: [usize; 2] = [120, 30];
const THREADS: [usize; 2] = [1, 2];
const DT: f32 = 1.0 / 60.0;

#[derive(Clone, Copy, Debug)]
struct Tank {
    column: [usize; 3],
    spacing: f32,
}

impl Tank {
    fn points(&self) -> Vec<[f32; 3]> {
        let [nx, ny, nz] = self.column;
        let at = |i: usize| (i as f32 + 0.5) * self.spacing;
        let row = |y: usize| (0..nz).flat_map(move |z| (0..nx).map(move |x| [at(x), at(y), at(z)]));
        (0..ny).flat_map(row).collect()
    }

    fn depth(&self) -> f32 {
        self.column[2] as f32 * self.spacing
    }

    /// How far a point is inside of the walls; negative outside.
    fn inside(&self, [x, y, z]: [f32; 3]) -> f32 {
        [x, LENGTH - x, y, z, self.depth() - z].into_iter().fold(f32::INFINITY, f32::min)
    }

    /// Particles of the walls, half a spacing behind them.
    fn walls(&self) -> Vec<[f32; 3]> {
        let count = |length: f32| (length / self.spacing).round() as i32;
        let (long, high, deep) = (count(LENGTH), count(HEIGHT), count(self.depth()));
        let at = |i: i32, j: i32, k: i32| [i, j, k].map(|c| (c as f32 + 0.5) * self.spacing);
        let mut points = Vec::new();
        for i in -1..=long {
            for j in -1..high {
                for k in -1..=deep {
                    if i == -1 || i == long || j == -1 || k == -1 || k == deep {
                        points.push(at(i, j, k));
                    }
                }
            }
        }
        points
    }
}

trait Engine {
    /// A frame.
    fn frame(&mut self);
    fn points(&self) -> Vec<[f32; 3]>;
}

struct Ours {
    solver: Solver,
    water: BodyId,
    input: Input,
}

impl Ours {
    fn new(tank: &Tank, threads: usize) -> Result<(Ours, usize), String> {
        let mut scene = Scene::new();
        scene.settings.substeps = Substeps::Auto;
        let water = scene.add(seidel::Fluid::points(tank.points()).spacing(tank.spacing));
        let walls = [
            ([0.0; 3], None),
            ([0.0; 3], Some(([0.0, 0.0, 1.0], -90.0))),
            ([LENGTH, 0.0, 0.0], Some(([0.0, 0.0, 1.0], 90.0))),
            ([0.0; 3], Some(([1.0, 0.0, 0.0], 90.0))),
            ([0.0, 0.0, tank.depth()], Some(([1.0, 0.0, 0.0], -90.0))),
        ];
        for (at, turn) in walls {
            let wall = Collider::new(Shape::Plane).at(at).friction(0.0);
            scene.add_collider(turn.map_or(wall.clone(), |(axis, angle)| wall.turned(axis, seidel::degrees(angle))));
        }
        let execution = Execution::new(Isa::detect(), threads);
        let solver = Solver::on(&scene, execution).map_err(|e| e.to_string())?;
        let substeps = solver.plan().substeps() as usize;
        Ok((Ours { solver, water, input: Input::frame(DT) }, substeps))
    }
}

impl Engine for Ours {
    fn frame(&mut self) {
        self.solver.step(&self.input);
    }

    fn points(&self) -> Vec<[f32; 3]> {
        self.solver.positions(self.water).iter().map(|p| p.to_array()).collect()
    }
}

struct Salva {
    world: LiquidWorld,
    water: FluidHandle,
    pool: ThreadPool,
    steps: usize,
}

impl Salva {
    fn new(tank: &Tank, threads: usize, steps: usize) -> Result<Salva, String> {
        let radius = 0.5 * tank.spacing;
        let vectors = |points: Vec<[f32; 3]>| points.into_iter().map(|[x, y, z]| Vector::new(x, y, z)).collect();
        let solver: DFSPHSolver = DFSPHSolver::with_parameters(DfsphParameters::default());
        let mut world = LiquidWorld::new(solver, radius, 2.0, 1.0);
        let all = InteractionGroups::all();
        let water = world.add_fluid(Fluid::new(vectors(tank.points()), radius, 1000.0, all));
        world.add_boundary(Boundary::new(vectors(tank.walls()), all));
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().map_err(|e| e.to_string())?;
        Ok(Salva { world, water, pool, steps })
    }
}

impl Engine for Salva {
    fn frame(&mut self) {
        let Salva { world, pool, steps, .. } = self;
        let dt = DT / *steps as f32;
        pool.install(|| (0..*steps).for_each(|_| world.step(dt, &Vector::new(0.0, -9.81, 0.0))));
    }

    fn points(&self) -> Vec<[f32; 3]> {
        let fluid = self.world.fluids().get(self.water);
        fluid.map_or(Vec::new(), |fluid| fluid.positions.iter().map(|p| [p.x, p.y, p.z]).collect())
    }
}

/// How much denser than at rest particles are, percent: on average and at most, by each kernel; and how many are no
/// longer in the tank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Dense {
    spiky: [f64; 2],
    spline: [f64; 2],
    /// Mean height of all, metres.
    height: f64,
    lost: usize,
}

/// Unscaled kernels of support 1.
fn spiky(q: f64) -> f64 {
    if q < 1.0 { (1.0 - q).powi(3) } else { 0.0 }
}

fn spline(q: f64) -> f64 {
    match q {
        q if q < 0.5 => 6.0 * (q * q * q - q * q) + 1.0,
        q if q < 1.0 => 2.0 * (1.0 - q).powi(3),
        _ => 0.0,
    }
}

fn dense(tank: &Tank, points: &[[f32; 3]]) -> Dense {
    let support = 2.0 * tank.spacing;
    let cell = |p: &[f32; 3]| p.map(|c| (c / support).floor() as i32);
    let mut cells: BTreeMap<[i32; 3], Vec<usize>> = BTreeMap::new();
    for (i, p) in points.iter().enumerate() {
        cells.entry(cell(p)).or_default().push(i);
    }
    let lattice = |kernel: fn(f64) -> f64| {
        let range = || -2..=2i32;
        let cube = range().flat_map(|i| range().flat_map(move |j| range().map(move |k| i * i + j * j + k * k)));
        cube.map(|squared| kernel(0.5 * f64::from(squared).sqrt())).sum::<f64>()
    };
    let rest = [lattice(spiky), lattice(spline)];
    let mut of = Dense::default();
    let mut count = 0usize;
    for p in points {
        of.height += f64::from(p[1]) / points.len() as f64;
        let inside = tank.inside(*p);
        // Also where a number is none.
        of.lost += usize::from(!(inside >= -0.5 * tank.spacing));
        if !(inside >= support) {
            continue;
        }
        let [x, y, z] = cell(p);
        let mut sums = [0.0; 2];
        for key in
            (x - 1..=x + 1).flat_map(|x| (y - 1..=y + 1).flat_map(move |y| (z - 1..=z + 1).map(move |z| [x, y, z])))
        {
            for &other in cells.get(&key).into_iter().flatten() {
                let squared: f32 = (0..3).map(|k| (p[k] - points[other][k]).powi(2)).sum();
                let q = f64::from(squared.sqrt() / support);
                sums = [sums[0] + spiky(q), sums[1] + spline(q)];
            }
        }
        count += 1;
        for (figures, (sum, rest)) in [&mut of.spiky, &mut of.spline].into_iter().zip(sums.into_iter().zip(rest)) {
            let over = (100.0 * (sum / rest - 1.0)).max(0.0);
            figures[0] += over;
            figures[1] = figures[1].max(over);
        }
    }
    for figures in [&mut of.spiky, &mut of.spline] {
        figures[0] /= count.max(1) as f64;
    }
    of
}

/// An engine at a tank.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Row {
    /// Work, engine, threads, the smallest and the middle time of a frame of 1/60 s.
    entry: Entry,
    particles: usize,
    /// Of a frame.
    steps: usize,
    /// On average over frames.
    dense: Dense,
}

/// Measures both tanks, or one of so many particles; for fewer frames, if they are given, of which the first quarter is
/// not timed.
pub(crate) fn measure(particles: Option<usize>, frames: Option<usize>) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for tank in TANKS {
        let count: usize = tank.column.iter().product();
        if particles.is_some_and(|particles| particles != count) {
            continue;
        }
        // As many steps as keep the fastest water (3.1 m/s) below 0.4 spacings, and a half and a quarter of them.
        let courant = (f64::from(DT) * 3.1 / (0.4 * f64::from(tank.spacing))).ceil() as usize;
        let mut engines: Vec<(Entry, usize, Box<dyn Engine>)> = Vec::new();
        for threads in THREADS {
            let work = format!("dam-break-{count}");
            let entry = |engine: &str, lanes: &str| Entry {
                engine: engine.to_owned(),
                ..Entry::here(&work, lanes, threads, 0.0, MS)
            };
            let (ours, substeps) = Ours::new(&tank, threads)?;
            engines.push((entry(OURS, Isa::detect().name()), substeps, Box::new(ours)));
            for steps in [courant.div_ceil(4), courant.div_ceil(2), courant] {
                engines.push((entry("salva3d 0.11.0", "-"), steps, Box::new(Salva::new(&tank, threads, steps)?)));
            }
        }
        let mut times = vec![Vec::new(); engines.len()];
        let mut denses = vec![Vec::new(); engines.len()];
        let [all, before] = frames.map_or(FRAMES, |frames| [frames, frames / 4]);
        for frame in 0..all {
            for at in 0..engines.len() {
                let at = if frame % 2 == 0 { at } else { engines.len() - 1 - at };
                let start = Instant::now();
                engines[at].2.frame();
                let time = 1e3 * start.elapsed().as_secs_f64();
                if frame >= before {
                    times[at].push(time);
                }
                if frame >= before && frame % 5 == 4 {
                    denses[at].push(dense(&tank, &engines[at].2.points()));
                }
            }
        }
        for (((entry, steps, _), times), denses) in engines.into_iter().zip(times).zip(denses) {
            let times = Times::of(times).ok_or("no frame was timed")?;
            let mean = |of: &dyn Fn(&Dense) -> f64| denses.iter().map(of).sum::<f64>() / denses.len().max(1) as f64;
            let most = |of: &dyn Fn(&Dense) -> f64| denses.iter().map(of).fold(0.0, f64::max);
            let dense = Dense {
                spiky: [mean(&|d| d.spiky[0]), most(&|d| d.spiky[1])],
                spline: [mean(&|d| d.spline[0]), most(&|d| d.spline[1])],
                height: mean(&|d| d.height),
                lost: denses.last().map_or(0, |d| d.lost),
            };
            rows.push(Row { entry: entry.timed(times.min, times.median), particles: count, steps, dense });
        }
        eprint!("{}", table(&rows));
    }
    Ok(rows)
}

/// A line an engine and number of steps.
pub(crate) fn table(rows: &[Row]) -> String {
    let mut out = String::new();
    let Some(first) = rows.first() else { return out };
    let _ = writeln!(out, "{OURS} on {}, {}\n", first.entry.machine, first.entry.date);
    out += "| ms a frame of 1/60 s | engine | steps | 1 thread | 2 threads | median, 1 | median, 2 | too dense, spiky kernel: mean, most | \
            cubic spline: mean, most | lost |\n|:--|:--|--:|--:|--:|--:|--:|--:|--:|--:|\n";
    for row in rows.iter().filter(|row| row.entry.threads == THREADS[0]) {
        let is = |other: &&Row| {
            other.entry.work == row.entry.work && other.entry.engine == row.entry.engine && other.steps == row.steps
        };
        let other = rows.iter().filter(is).find(|other| other.entry.threads == THREADS[1]);
        let value = |row: Option<&Row>| row.map_or(String::new(), |row| format!("{:.1}", row.entry.value));
        let median =
            |row: Option<&Row>| row.and_then(|row| row.entry.median).map_or(String::new(), |m| format!("{m:.1}"));
        let percent = |[mean, most]: [f64; 2]| format!("{mean:.2} %, {most:.1} %");
        let cells = [
            row.entry.work.clone(),
            row.entry.engine.clone(),
            row.steps.to_string(),
            value(Some(row)),
            value(other),
            median(Some(row)),
            median(other),
            percent(row.dense.spiky),
            percent(row.dense.spline),
            row.dense.lost.to_string(),
        ];
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    }
    out
}
