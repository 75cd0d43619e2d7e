//! What can be read of a fluid: densities, neighbours, pressure multipliers, and how well its density is kept.

use crate::describe::collider::Collider;
use crate::describe::emitter::{Emitter, Opening, Outlet};
use crate::describe::ids::BodyId;
use crate::describe::liquid::Liquid;
use crate::describe::pose::Pose;
use crate::plan::Plan;
use crate::plan::body::BodyPlan;
use crate::plan::carve::LeftOut;
use crate::plan::fluid::{FluidBody, Fluids};
use crate::plan::sources::Sources;
use crate::run::passes::colliders::gap::gap;
use crate::run::passes::colliders::moving::Transform;
use crate::run::poured::Poured;
use crate::run::state::State;
use crate::tuning::{FLUID_COARSE, FLUID_DENSE, FLUID_RATIO};
use seidel_hash::{Neighbours, PointGrid};
use seidel_kernels::Row;
use seidel_kernels::fluid::Spiky;

/// Spacings before an opening that want to be free: two for which particles go straight on, and one for the last.
const CLEARANCE: u32 = 3;

/// About as many places of an opening are asked.
const OUTLETS: usize = 256;

/// How a fluid, or all of a scene, is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct FluidFigures {
    /// Particles that are there.
    pub particles: usize,
    /// By how much particles are denser than at rest, a share of it, on the average of all; what is less dense counts
    /// as nothing, as a surface is.
    pub density_error_mean: f64,
    /// The most of them.
    pub density_error_max: f64,
    /// Particles that are no longer there, though nothing has taken them away: their numbers were not finite.
    pub lost: usize,
    /// Joules.
    pub kinetic_energy: f64,
}

/// Densities and neighbours of a scene's fluids in a state. Made once and read again, it keeps its memory. It changes
/// nothing.
///
/// # Example
/// ```
/// use seidel::{Fluid, FluidLook, Plan, Scene, State};
/// let mut scene = Scene::new();
/// let water = scene.add(Fluid::block([0.0; 3], [0.2, 0.2, 0.2]).spacing(0.02));
/// let plan = Plan::new(&scene)?;
/// let mut look = FluidLook::default();
/// look.read(&plan, &State::new(&plan));
/// let middle = 555; // the particle in the middle of the block
/// assert!((look.density(&plan, water)[middle] - 1.0).abs() < 1e-4);
/// // Those within two spacings: 26 about it, and six at two spacings, of which it feels nothing.
/// assert_eq!(look.neighbours(&plan, water, middle as u32).count(), 32);
/// assert_eq!(look.figures(&plan, &State::new(&plan)).particles, 1000);
/// # Ok::<(), seidel::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct FluidLook {
    points: Vec<[f32; 3]>,
    /// Of each point its fluid's body and its vertex.
    of: Vec<(u32, u32)>,
    /// Where each body's densities begin.
    starts: Vec<usize>,
    /// Of each vertex of all fluids its density over that at rest; 0 of what is not there.
    density: Vec<f32>,
    /// Of each vertex its point, or `NOBODY`.
    point: Vec<u32>,
    /// Where each collider is, unless it is disabled.
    walls: Vec<Option<Transform>>,
    grid: PointGrid,
    neighbours: Neighbours,
}

const NOBODY: u32 = u32::MAX;

impl FluidLook {
    /// Reads a state. Neighbours are searched on the threads of the rayon pool that the caller is in.
    ///
    /// # Panics
    /// If the state is another plan's.
    pub fn read(&mut self, plan: &Plan, state: &State) {
        assert_eq!(state.plan, plan.id, "the state is another plan's");
        let there = state.poses.iter().zip(&state.off.colliders).map(|(pose, off)| (!off).then_some(*pose));
        self.look(plan, &state.x, there);
    }

    /// Particles where rows say, and colliders where they are; none where one is disabled.
    fn look(&mut self, plan: &Plan, x: &[Row], colliders: impl Iterator<Item = Option<Pose>>) {
        self.walls.clear();
        self.walls.extend(colliders.map(|pose| pose.map(|pose| Transform::of(&pose))));
        self.points.clear();
        self.of.clear();
        self.starts.clear();
        self.density.clear();
        self.point.clear();
        let Some(fluids) = &plan.fluids else { return };
        for &FluidBody { body: number, .. } in &fluids.bodies {
            let body = &plan.bodies[number];
            let start = self.density.len();
            self.starts.push(start);
            self.density.resize(start + body.to_row.len(), 0.0);
            self.point.resize(start + body.to_row.len(), NOBODY);
            for vertex in 0..body.to_row.len() {
                let [x, y, z, w] = body.get(x, vertex);
                if w > 0.0 && [x, y, z].iter().all(|c| c.is_finite()) {
                    self.point[start + vertex] = self.points.len() as u32;
                    self.points.push([x, y, z]);
                    self.of.push((number as u32, vertex as u32));
                }
            }
        }
        let spiky = &fluids.spiky;
        let searched = self.grid.build(&self.points, spiky.support);
        if searched.and_then(|()| self.neighbours.find(&self.grid, spiky.support)).is_err() {
            // So many in one place that they cannot be listed: all of them are as dense as can be said.
            self.density.fill(f32::INFINITY);
            return;
        }
        for (number, point) in self.point.iter().enumerate().filter(|(_, point)| **point != NOBODY) {
            let at = self.points[*point as usize];
            let near = self.neighbours.of(*point as usize).iter();
            let own = f64::from(spiky.of_itself());
            let sum = near.fold(own, |sum, &other| sum + spiky.between(at, self.points[other as usize]));
            let (body, _) = self.of[*point as usize];
            self.density[number] = (sum + f64::from(walls(plan, &self.walls, spiky, body as usize, at))) as f32;
        }
    }

    /// Density over that at rest of each particle of a fluid, in the order of its vertices, with what walls add to it;
    /// 0 of what is not there.
    ///
    /// # Panics
    /// If the body is no fluid of the plan, or nothing has been read.
    #[must_use]
    pub fn density(&self, plan: &Plan, body: BodyId) -> &[f32] {
        let start = self.start(plan, body);
        &self.density[start..start + plan.vertices(body)]
    }

    /// The neighbours of a particle within the support, itself left out: their bodies and vertices.
    ///
    /// # Panics
    /// As [`FluidLook::density`], or if there is no such vertex.
    pub fn neighbours(&self, plan: &Plan, body: BodyId, vertex: u32) -> impl Iterator<Item = (BodyId, u32)> {
        assert!((vertex as usize) < plan.vertices(body), "vertex {vertex} of {}", plan.vertices(body));
        let point = self.point[self.start(plan, body) + vertex as usize];
        let near = if point == NOBODY { &[][..] } else { self.neighbours.of(point as usize) };
        let id = plan.body_at();
        near.iter().map(move |&other| {
            let (place, vertex) = self.of[other as usize];
            (id(place as usize), vertex)
        })
    }

    /// How all fluids are doing; of what has been read.
    #[must_use]
    pub fn figures(&self, plan: &Plan, state: &State) -> FluidFigures {
        let mut figures = FluidFigures { particles: self.points.len(), ..FluidFigures::default() };
        let Some(fluids) = &plan.fluids else { return figures };
        for &density in self.density.iter().filter(|density| **density > 1.0) {
            let over = f64::from(density) - 1.0;
            figures.density_error_mean += over;
            figures.density_error_max = if over > figures.density_error_max { over } else { figures.density_error_max };
        }
        figures.density_error_mean /= self.points.len().max(1) as f64;
        let there = |fluid: (&FluidBody, &Poured)| {
            let Poured { filled, born, drained, .. } = *fluid.1;
            filled.saturating_add(born).saturating_sub(drained) as usize
        };
        let there: usize = fluids.bodies.iter().zip(&state.fluid.bodies).map(there).sum();
        figures.lost = there.saturating_sub(self.points.len());
        for &(number, vertex) in &self.of {
            let body = &plan.bodies[number as usize];
            let (x, v) = (body.get(&state.x, vertex as usize), body.get(&state.v, vertex as usize));
            let squared = (0..3).fold(0.0, |sum, k| sum + f64::from(v[k]) * f64::from(v[k]));
            figures.kinetic_energy += 0.5 * squared / f64::from(x[3]);
        }
        figures
    }

    fn start(&self, plan: &Plan, body: BodyId) -> usize {
        let mut fluids = plan.fluids.iter().flat_map(|fluids| &fluids.bodies);
        let place = plan.body_place(body);
        let at = fluids.position(|fluid| fluid.body == place);
        let at = at.unwrap_or_else(|| panic!("body {} is no fluid of this plan", body.index()));
        self.starts[at]
    }
}

/// The longest edge of a body's triangles at the start, metres.
fn longest_edge(plan: &Plan, body: &BodyPlan) -> f32 {
    let at = |v: u32| body.get(&plan.x, v as usize);
    let length = |[a, b]: [u32; 2]| {
        let (a, b) = (at(a), at(b));
        (0..3).fold(0.0, |sum, k| sum + (a[k] - b[k]) * (a[k] - b[k])).sqrt()
    };
    let edges = body.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    edges.map(length).fold(0.0, |most, length| if length > most { length } else { most })
}

/// What colliders add to the density at a point.
fn walls(plan: &Plan, colliders: &[Option<Transform>], spiky: &Spiky, body: usize, at: [f32; 3]) -> f32 {
    let filter = plan.bodies[body].filter;
    let mut free = 1.0f32;
    let there = plan.colliders.iter().zip(colliders).filter_map(|(collider, place)| Some((collider, place.as_ref()?)));
    for (collider, place) in there {
        if collider.filter.meets(filter) {
            let distance = gap(collider, place, &[at.map(f64::from)], 0.0);
            free *= 1.0 - spiky.beside(distance as f32).map_or(0.0, |(value, _)| value);
        }
    }
    1.0 - free
}

impl Plan {
    /// The fluids, with what each is made of.
    pub fn fluids(&self) -> impl Iterator<Item = (BodyId, Liquid)> + '_ {
        let id = self.body_at();
        let of = move |fluid: &FluidBody| (id(fluid.body), fluid.liquid);
        self.fluids.iter().flat_map(|fluids| &fluids.bodies).map(of)
    }

    /// What does not look right about the fluids.
    pub(super) fn warn_of_fluids(&self, notes: &mut Vec<String>) {
        let Some(fluids) = &self.fluids else { return };
        for LeftOut { body, count, place } in &fluids.left_out {
            let (name, all) = (&self.bodies[*body].name, self.bodies[*body].to_row.len());
            notes.push(format!("body `{name}`: {count} of its {all} particles began {place} and are left out"));
        }
        let limit = fluids.viscosity_limit(self.settings.dt / f64::from(self.substeps));
        for fluid in fluids.bodies.iter().filter(|fluid| f64::from(fluid.liquid.viscosity) > limit) {
            let (name, asked) = (&self.bodies[fluid.body].name, fluid.liquid.viscosity);
            notes.push(format!(
                "body `{name}` has a viscosity of {asked} m^2/s, and {} substeps carry {limit:.2e} at this spacing: it flows more easily",
                self.substeps
            ));
        }
        let limit = fluids.tension_limit(self.settings.dt / f64::from(self.substeps));
        for fluid in fluids.bodies.iter().filter(|fluid| f64::from(fluid.liquid.surface_tension) > limit) {
            let (name, asked) = (&self.bodies[fluid.body].name, fluid.liquid.surface_tension);
            notes.push(format!(
                "body `{name}` has a surface tension of {asked} N/m, and {} substeps carry {limit:.2e} at this spacing: its surface is slacker",
                self.substeps
            ));
        }
        let densities = || fluids.bodies.iter().map(|fluid| fluid.liquid.density);
        let (low, high) = (densities().fold(f32::INFINITY, f32::min), densities().fold(0.0, f32::max));
        if high > FLUID_RATIO * low {
            let most = FLUID_RATIO;
            notes.push(format!(
                "one fluid is {:.0} times as dense as another: above {most} times the lighter one is crushed where the denser one lies on it",
                high / low
            ));
        }
        for fluid in &fluids.bodies {
            let why = "what comes goes straight on for two";
            self.warn_of_emitters((fluid.body, &fluid.sources), (&|_| CLEARANCE, why), notes);
        }
        let mut look = FluidLook::default();
        look.look(self, &self.x, self.colliders.iter().map(|of| Some(of.motion.at(&of.pose, 0.0))));
        for fluid in &fluids.bodies {
            let id = self.body_at()(fluid.body);
            let density = look.density(self, id).iter().enumerate();
            let (vertex, most) =
                density.fold((0, 0.0f32), |most, (vertex, &d)| if d > most.1 { (vertex, d) } else { most });
            if most > FLUID_DENSE {
                let (name, percent) = (&self.bodies[fluid.body].name, 100.0 * (most - 1.0));
                notes.push(format!(
                    "body `{name}` begins {percent:.0} % denser than at rest about vertex {vertex}, and will spring apart: its particles are nearer to each other than {} m",
                    fluid.liquid.spacing
                ));
            }
        }
        let spacing = fluids.spiky.spacing;
        for &number in &fluids.beside {
            let body = &self.bodies[number];
            let longest = longest_edge(self, body);
            if longest > FLUID_COARSE * spacing {
                notes.push(format!(
                    "body `{}` has edges of {longest:.3} m, and a fluid beside it a spacing of {spacing} m: it will run through; take a finer mesh, or a larger spacing",
                    body.name
                ));
            }
        }
    }

    /// Warnings about a body's emitters, each of which needs so many spacings before it; and why it does.
    pub(super) fn warn_of_emitters(
        &self,
        (body, sources): (usize, &Sources),
        (clearance, why): (&dyn Fn(&Emitter) -> u32, &str),
        notes: &mut Vec<String>,
    ) {
        for (number, emitter) in sources.emitters.iter().enumerate() {
            let clearance = clearance(emitter);
            let ahead = |Outlet { place, along }: &Outlet, way: f64| {
                emitter.pose.apply(std::array::from_fn(|k| place[k] + along[k] * way))
            };
            // Some of them: there may be a million.
            let all = &sources.openings[number];
            let outlets = || all.iter().step_by(all.len() / OUTLETS + 1);
            let at = match emitter.opening {
                Opening::Mesh(_) => outlets().map(|outlet| ahead(outlet, 0.0)).collect(),
                Opening::Disk(_) | Opening::Rectangle(_) => vec![emitter.pose.position],
            };
            let ways = (1..=2 * clearance).map(|half| 0.5 * f64::from(half) * sources.spacing);
            let before = outlets().flat_map(|outlet| ways.clone().map(move |way| ahead(outlet, way)));
            let before: Vec<[f64; 3]> = before.collect();
            let holds = |points: &[[f64; 3]]| {
                let inside = |collider: &&Collider| {
                    let pose = collider.motion.at(&collider.pose, 0.0);
                    let frame = Transform::of(&pose);
                    points.iter().any(|at| gap(collider, &frame, &[*at], 0.0) < 0.0)
                };
                self.colliders.iter().find(inside).map(|collider| &collider.name)
            };
            let name = &self.bodies[body].name;
            if let Some(other) = holds(&at) {
                notes.push(format!(
                    "body `{name}`: emitter {number} is inside collider `{other}`, which will throw out what comes"
                ));
            } else if let Some(other) = holds(&before) {
                notes.push(format!(
                    "body `{name}`: emitter {number} has less than {clearance} spacings before collider `{other}`: {why}, and will be flung about"
                ));
            }
        }
    }

    /// The kinematic viscosity that the fluids can have at most with a step of `dt` seconds, m^2/s: 0.02 support^2 over
    /// a substep. None without fluids.
    #[must_use]
    pub fn viscosity_limit(&self, dt: f64) -> Option<f64> {
        self.fluids.as_ref().map(|fluids| fluids.viscosity_limit(dt / f64::from(self.substeps)))
    }

    /// The surface tension that the fluids can have at most with a step of `dt` seconds, N/m: 0.1 density spacing^3
    /// over a substep's square, the density being that of the lightest. None without fluids.
    #[must_use]
    pub fn surface_tension_limit(&self, dt: f64) -> Option<f64> {
        self.fluids.as_ref().map(|fluids| fluids.tension_limit(dt / f64::from(self.substeps)))
    }

    /// The kinematic viscosity that the fluids have at least, m^2/s: 0.084 support^2 a second, support being in metres;
    /// 1.3e-4 at the default's 4 cm. It takes away the trembling of single particles. None without fluids; a fluid
    /// whose [`crate::Fluid::viscosity`] is 0 has none.
    #[must_use]
    pub fn viscosity_floor(&self) -> Option<f64> {
        self.fluids.as_ref().map(Fluids::viscosity_floor)
    }
}

impl State {
    /// The numbers of their births of a fluid's particles, in the order of its vertices: those at the start have their
    /// vertices' own. Of what is not there, the last that was born there.
    ///
    /// # Panics
    /// If the body is no fluid of the plan.
    #[must_use]
    pub fn fluid_ids(&self, plan: &Plan, body: BodyId) -> &[u64] {
        assert_eq!(self.plan, plan.id, "the state is another plan's");
        let at = plan.fluids().position(|(id, _)| id == body);
        let at = at.unwrap_or_else(|| panic!("body {} is no fluid of this plan", body.index()));
        &self.fluid.bodies[at].ids
    }

    /// The multipliers of a fluid's particles in the last substep, over the substep's square, kg m^2 / s^2; below 0
    /// where it is pressed: in the order of its vertices.
    ///
    /// # Panics
    /// If the state is another plan's, the body is no fluid of it, or `out` has not one entry a vertex.
    pub fn read_fluid_multipliers(&self, plan: &Plan, body: BodyId, out: &mut [f32]) {
        assert_eq!(self.plan, plan.id, "the state is another plan's");
        assert!(plan.fluids().any(|(id, _)| id == body), "body {} is no fluid of this plan", body.index());
        let of = plan.part(body);
        assert_eq!(out.len(), of.to_row.len(), "one entry a vertex");
        for (vertex, out) in out.iter_mut().enumerate() {
            *out = self.fluid.lambda[of.particle(vertex as u32) as usize];
        }
    }
}
