//! Sheets that touch each other, themselves, a ball and the ground: the same vertices in this engine and in rapier3d,
//! which take turns, frame by frame; what each frame takes, and how many triangles cross at the end, counted exactly by
//! the same code for all.

use rapier3d::prelude::*;
use seidel::glam::Vec3;
use seidel::{BodyId, Cloth, Collide, Execution, Input, Intersections, Isa, Mesh, Plan, Scene, Solver, State};
use seidel_bench::entry::{Entry, MS, OURS};
use seidel_bench::rounds::Times;
use seidel_bench::step;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::fmt::Write;
use std::time::Instant;

/// Named scenes at a resolution, and their frames of 1/60 s.
const WORKS: [(&str, usize); 4] = [("layers-24", 120), ("layers-48", 60), ("layers-100", 30), ("cloth-sphere-128", 60)];
pub(crate) const NAMES: [&str; 4] = [WORKS[0].0, WORKS[1].0, WORKS[2].0, WORKS[3].0];
/// Of this engine.
const SUBSTEPS: u32 = 20;
const RAPIER: &str = "rapier3d 0.36.1";
const FRICTION: f32 = 0.3;

/// An engine, and the contacts that it is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Ours(Collide),
    /// As thick as here, or as by default: half an edge on each side.
    Rapier {
        thick: bool,
    },
}

const WAYS: [(&str, &str, Way); 4] = [
    (OURS, "triangles and edges", Way::Ours(Collide::All)),
    (OURS, "spheres", Way::Ours(Collide::Spheres)),
    (RAPIER, "self contacts, as thick as here", Way::Rapier { thick: false }),
    (RAPIER, "self contacts, default skin", Way::Rapier { thick: true }),
];

struct Sheet {
    points: Vec<[f32; 3]>,
    /// kg, of all of it.
    mass: f32,
    /// Metres on each side.
    thickness: f32,
}

/// Centre and radius, metres.
type Ball = ([f32; 3], f32);

trait Engine {
    fn frame(&mut self);
    /// Of each sheet.
    fn points(&self) -> Vec<Vec<[f32; 3]>>;
    /// Of each sheet: rapier3d splits squares elsewhere.
    fn triangles(&self) -> Vec<Vec<[u32; 3]>>;
}

struct Ours {
    solver: Solver,
    sheets: Vec<BodyId>,
    input: Input,
}

impl Ours {
    /// The sheets and the ball are those that it begins with.
    fn new(name: &str, collide: Collide) -> Result<(Ours, Vec<Sheet>, Ball), String> {
        let mut spec = step::find(name).ok_or_else(|| format!("`{name}` is no scene"))?;
        spec.solver.substeps = SUBSTEPS.into();
        for cloth in &mut spec.cloth {
            cloth.collide = collide;
            cloth.friction = FRICTION;
        }
        let ball = spec.collider.iter_mut().find_map(|collider| {
            // It stands still for all.
            collider.motion = Default::default();
            collider.radius.map(|radius| (collider.position.map(|c| c as f32), radius))
        });
        let scene = spec.build(|_| Ok::<_, Infallible>(Mesh::default().into())).map_err(|e| e.to_string())?;
        let solver = Solver::on(&scene, Execution::new(Isa::detect(), 1)).map_err(|e| e.to_string())?;
        let plan = solver.plan();
        let sheets: Vec<BodyId> = plan.body_ids().collect();
        let described = sheets.iter().zip(&spec.cloth).map(|(&sheet, cloth)| Sheet {
            points: plan.positions(sheet),
            mass: plan.inv_masses(sheet).iter().map(|w| w.recip()).sum(),
            thickness: cloth.thickness.unwrap_or_default(),
        });
        let described = described.collect();
        Ok((Ours { sheets, input: Input::frame((1.0 / spec.fps) as f32), solver }, described, ball.ok_or("no ball")?))
    }
}

impl Engine for Ours {
    fn frame(&mut self) {
        self.solver.step(&self.input);
    }

    fn points(&self) -> Vec<Vec<[f32; 3]>> {
        self.sheets.iter().map(|&sheet| self.solver.positions(sheet).iter().map(|p| p.to_array()).collect()).collect()
    }

    fn triangles(&self) -> Vec<Vec<[u32; 3]>> {
        self.sheets.iter().map(|&sheet| self.solver.plan().triangles(sheet).to_vec()).collect()
    }
}

struct Rapier {
    world: PhysicsWorld,
    bodies: Vec<SoftBodyHandle>,
    triangles: Vec<Vec<[u32; 3]>>,
}

impl Rapier {
    /// Its own cloth, with its own rows and material, on the same vertices.
    fn new(sheets: &[Sheet], (center, radius): Ball, thick: bool) -> Result<Rapier, String> {
        let mut world = PhysicsWorld::new();
        world.configure_thread_pool(1).map_err(|e| e.to_string())?;
        world.integration_parameters.dt = 1.0 / 60.0;
        let (mut bodies, mut triangles) = (Vec::new(), Vec::new());
        for sheet in sheets {
            let n = sheet.points.len().isqrt();
            let at = |i: usize| Vector::from_array(sheet.points[i]);
            let mut builder = SoftBodyBuilder::cloth(at(0), at(n) - at(0), at(1) - at(0), n, n);
            let same =
                builder.positions.iter().zip(&sheet.points).all(|(a, b)| a.distance(Vector::from_array(*b)) < 1e-4);
            if builder.positions.len() != sheet.points.len() || !same {
                return Err("a sheet's vertices are no lattice in rows".to_owned());
            }
            builder = builder
                .mass(sheet.mass)
                .self_contacts(true)
                .can_sleep(false)
                // Of the collider the surface takes all but its shape.
                .surface_collider(ColliderBuilder::ball(0.05).density(0.0).friction(FRICTION));
            if !thick {
                builder = builder.particle_radius(sheet.thickness);
            }
            triangles.push(builder.surface.clone());
            bodies.push(world.insert_soft_body(builder));
        }
        let ball = ColliderBuilder::ball(radius).translation(Vector::from_array(center)).friction(FRICTION);
        world.insert_collider(ball, None);
        let ground = ColliderBuilder::cuboid(50.0, 1.0, 50.0).translation(Vector::new(0.0, -1.0, 0.0));
        world.insert_collider(ground.friction(FRICTION), None);
        Ok(Rapier { world, bodies, triangles })
    }
}

impl Engine for Rapier {
    fn frame(&mut self) {
        self.world.step();
    }

    fn points(&self) -> Vec<Vec<[f32; 3]>> {
        let of =
            |&body: &SoftBodyHandle| self.world.soft_bodies[body].particle_positions().map(|p| p.to_array()).collect();
        self.bodies.iter().map(of).collect()
    }

    fn triangles(&self) -> Vec<Vec<[u32; 3]>> {
        self.triangles.clone()
    }
}

/// An engine at a scene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Row {
    /// Work, engine, the smallest and the middle time of a frame, ms.
    entry: Entry,
    /// How it sees to contacts.
    contacts: String,
    vertices: usize,
    frames: usize,
    /// The longest frame, ms.
    most: f64,
    /// Pairs of triangles that cross: at most in a frame that was looked at (each tenth), and in the last one.
    crossing: [usize; 2],
    /// The largest stretch of a triangle's edge in the last frame, percent.
    stretch: f64,
}

/// Counts triangles that cross, and finds the largest stretch of an edge.
struct Truth {
    plan: Plan,
    state: State,
    bodies: Vec<BodyId>,
    count: Intersections,
    edges: Vec<Vec<([usize; 2], f32)>>,
}

fn distance(points: &[[f32; 3]], [a, b]: [usize; 2]) -> f32 {
    Vec3::from_array(points[a]).distance(Vec3::from_array(points[b]))
}

impl Truth {
    fn new(sheets: &[Sheet], triangles: Vec<Vec<[u32; 3]>>) -> Result<Truth, String> {
        let mut scene = Scene::new();
        let mut edges = Vec::new();
        for (sheet, triangles) in sheets.iter().zip(triangles) {
            let pairs: BTreeSet<[usize; 2]> = triangles
                .iter()
                .flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]])
                .map(|[a, b]| [a.min(b) as usize, a.max(b) as usize])
                .collect();
            edges.push(pairs.into_iter().map(|pair| (pair, distance(&sheet.points, pair))).collect());
            scene.add(Cloth::new(Mesh { positions: sheet.points.clone(), triangles }));
        }
        let plan = Plan::new(&scene).map_err(|e| e.to_string())?;
        let (state, bodies) = (State::new(&plan), plan.body_ids().collect());
        Ok(Truth { plan, state, bodies, count: Intersections::new(), edges })
    }

    fn crossing(&mut self, points: &[Vec<[f32; 3]>]) -> Result<usize, String> {
        for (&body, points) in self.bodies.iter().zip(points) {
            let points: Vec<Vec3> = points.iter().map(|&p| Vec3::from_array(p)).collect();
            self.state.write_positions(&self.plan, body, &points).map_err(|e| e.to_string())?;
        }
        Ok(self.count.count(&self.plan, &self.state).map_err(|e| e.to_string())?.triangles)
    }

    fn stretch(&self, points: &[Vec<[f32; 3]>]) -> f64 {
        let of = |(edges, points): (&Vec<([usize; 2], f32)>, &Vec<[f32; 3]>)| {
            edges.iter().map(|&(pair, rest)| f64::from(distance(points, pair) / rest)).fold(1.0, f64::max)
        };
        100.0 * (self.edges.iter().zip(points).map(of).fold(1.0, f64::max) - 1.0)
    }
}

/// Frames after which crossings are counted.
const LOOK: usize = 10;

pub(crate) fn measure(names: &[&str]) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for name in names {
        let work = WORKS.iter().find(|(work, _)| work == name);
        let &(name, frames) = work.ok_or_else(|| format!("`{name}` is none of {}", NAMES.join(", ")))?;
        let mut engines: Vec<(Row, Box<dyn Engine>, Truth)> = Vec::new();
        for (engine, contacts, way) in WAYS {
            let (ours, sheets, ball) =
                Ours::new(name, if let Way::Ours(collide) = way { collide } else { Collide::Nothing })?;
            let built: Box<dyn Engine> = match way {
                // It takes more than five seconds a frame there.
                Way::Rapier { .. } if name.ends_with("-100") => continue,
                Way::Rapier { thick } => Box::new(Rapier::new(&sheets, ball, thick)?),
                Way::Ours(_) => Box::new(ours),
            };
            let lanes = if engine == OURS { Isa::detect().name() } else { "simd8" };
            let row = Row {
                entry: Entry { engine: engine.to_owned(), ..Entry::here(name, lanes, 1, 0.0, MS) },
                contacts: contacts.to_owned(),
                vertices: sheets.iter().map(|sheet| sheet.points.len()).sum(),
                frames,
                most: 0.0,
                crossing: [0; 2],
                stretch: 0.0,
            };
            let truth = Truth::new(&sheets, built.triangles())?;
            engines.push((row, built, truth));
        }
        let mut times = vec![Vec::new(); engines.len()];
        for frame in 0..frames {
            for at in 0..engines.len() {
                let at = if frame % 2 == 0 { at } else { engines.len() - 1 - at };
                let (row, engine, truth) = &mut engines[at];
                let start = Instant::now();
                engine.frame();
                times[at].push(1e3 * start.elapsed().as_secs_f64());
                if frame % LOOK == LOOK - 1 || frame + 1 == frames {
                    let points = engine.points();
                    let crossing = truth.crossing(&points)?;
                    row.crossing = [row.crossing[0].max(crossing), crossing];
                    row.stretch = truth.stretch(&points);
                }
            }
        }
        for ((row, ..), times) in engines.into_iter().zip(times) {
            let most = times.iter().copied().fold(0.0, f64::max);
            let times = Times::of(times).ok_or("no frame was timed")?;
            rows.push(Row { entry: row.entry.timed(times.min, times.median), most, ..row });
        }
        eprint!("{}", table(&rows));
    }
    Ok(rows)
}

/// A line an engine and its contacts.
pub(crate) fn table(rows: &[Row]) -> String {
    let mut out = String::new();
    let Some(first) = rows.first() else { return out };
    let _ = writeln!(out, "{OURS} on {}, {}\n", first.entry.machine, first.entry.date);
    out += "| ms a frame of 1/60 s, 1 thread | vertices | frames | engine | contacts | median | most | pairs of triangles that cross: at most in each tenth frame, at the end \
            | stretch at the end |\n|:--|--:|--:|:--|:--|--:|--:|--:|--:|\n";
    for row in rows {
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} | {:.1} | {:.1} | {}, {} | {:.0} % |",
            row.entry.work,
            row.vertices,
            row.frames,
            row.entry.engine,
            row.contacts,
            row.entry.median.unwrap_or(row.entry.value),
            row.most,
            row.crossing[0],
            row.crossing[1],
            row.stretch,
        );
    }
    out
}
