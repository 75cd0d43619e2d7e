//! From plan and state to the header and frames that writers take.

mod sources;

pub use sources::trace;

use glam::Vec3;
use seidel::render::Embedding;
use seidel::{BodyId, FluidLook, Mesh, Plan, Pose, Scale, State};
use seidel_scenes::{SceneSpec, key};

use crate::frames::{BodyHeader, ColliderHeader, FluidHeader, Header, RecordedFrame, SkinHeader};
use crate::room::is_piped;
use crate::{Error, mesh, scene};

/// What writers have to know of a plan before the first frame, of what is simulated. Edges are the rows of two
/// particles with a rest length.
#[must_use]
pub fn header(plan: &Plan, scene: &str, fps: f64) -> Header {
    let mut header = Header { scene: scene.to_owned(), fps, origin: plan.origin(), ..Header::default() };
    for body in plan.body_ids() {
        simulated(&mut header, plan, body);
    }
    fluids(&mut header, plan);
    header.colliders = colliders(plan);
    header.rigid_names = rigid_names(plan);
    header
}

/// The same for pictures: bodies that have a skin are that, and no body has tetrahedra. Edges of a skin, and of a body
/// without rows that have lengths, are those of its triangles.
#[must_use]
pub fn picture(plan: &Plan, scene: &str, fps: f64) -> Header {
    let mut header = Header { scene: scene.to_owned(), fps, origin: plan.origin(), ..Header::default() };
    for body in plan.body_ids() {
        match plan.skin(body) {
            Some(skin) => {
                skinned(&mut header, plan.body_name(body), skin.mesh());
                // With the roundings of a frame's.
                let simulated: Vec<Vec3> = plan.positions(body).into_iter().map(Vec3::from).collect();
                let mut rest = vec![Vec3::ZERO; skin.mesh().positions.len()];
                skin.update(&simulated, &mut rest);
                if let Some(body) = header.bodies.last_mut() {
                    body.rest = rest.iter().map(Vec3::to_array).collect();
                }
            }
            None => {
                let edges = header.edges.len();
                simulated(&mut header, plan, body);
                // Of elements, which have no lengths: their surface.
                if header.edges.len() == edges {
                    let first = header.bodies.last().map_or(0, |body| body.first);
                    let surface = Mesh { positions: plan.positions(body), triangles: plan.triangles(body).to_vec() };
                    add_edges(&mut header, first, &surface);
                }
            }
        }
    }
    header.tets.clear();
    fluids(&mut header, plan);
    header.colliders = colliders(plan);
    header.rigid_names = rigid_names(plan);
    header
}

fn begin(header: &mut Header, name: &str, count: usize, thickness: f32) -> u32 {
    let (name, first) = (name.to_owned(), header.inv_mass.len() as u32);
    header.bodies.push(BodyHeader { name, first, count: count as u32, thickness, ..BodyHeader::default() });
    first
}

fn simulated(header: &mut Header, plan: &Plan, body: BodyId) {
    if plan.tears(body) {
        return apart(header, plan, body);
    }
    let count = plan.vertices(body);
    let first = begin(header, plan.body_name(body), count, plan.thickness(body));
    header.triangles.extend(plan.triangles(body).iter().map(|t| t.map(|v| v + first)));
    header.tets.extend(plan.tets(body).iter().map(|t| t.map(|v| v + first)));
    header.inv_mass.extend(plan.inv_masses(body));
    if let (Some(skin), Some(header_of)) = (plan.skin(body), header.bodies.last_mut()) {
        let first_tet = (header.tets.len() - plan.tets(body).len()) as u32;
        header_of.skin = Some(carried(skin, plan.tets(body), first_tet));
    }
    for (edge, rest) in plan.lengths(body) {
        header.edges.push(edge.map(|v| v + first));
        header.rest_lengths.push(rest);
    }
}

/// Which tetrahedron carries each vertex of a skin; the body's are numbered from `first` on.
fn carried(skin: &Embedding, tets: &[[u32; 4]], first: u32) -> SkinHeader {
    let mut numbers: Vec<([u32; 4], u32)> = tets.iter().copied().zip(first..).collect();
    numbers.sort_unstable();
    let number = |corners: [u32; 4]| numbers[numbers.partition_point(|(other, _)| *other < corners)].1;
    let mut header = SkinHeader::default();
    (header.tets, header.weights) = skin.weights().map(|(corners, weights)| (number(corners), weights)).unzip();
    header
}

/// Of a body that tears each triangle has vertices of its own, and a solid has the faces of all its tetrahedra: so
/// arrays do not change when it does. Edges are the triangles' sides.
fn apart(header: &mut Header, plan: &Plan, body: BodyId) {
    let (triangles, rest, masses) = (plan.lasting_triangles(body), plan.positions(body), plan.inv_masses(body));
    let first = begin(header, plan.body_name(body), 3 * triangles.len(), plan.thickness(body));
    for (number, (corners, _)) in (0u32..).zip(triangles) {
        let own = [0, 1, 2].map(|k| first + 3 * number + k);
        header.triangles.push(own);
        header.inv_mass.extend(corners.map(|v| masses[v as usize]));
        for (a, b) in [(0, 1), (1, 2), (2, 0)] {
            let [from, to] = [a, b].map(|k: usize| Vec3::from(rest[corners[k] as usize]));
            header.edges.push([own[a], own[b]]);
            header.rest_lengths.push(from.distance(to));
        }
    }
}

/// Says of bodies that are fluids, or grains, what they are made of.
fn fluids(header: &mut Header, plan: &Plan) {
    let of_fluid = |(id, of): (BodyId, seidel::Liquid)| {
        (id, FluidHeader { spacing: of.spacing, density: of.density, grains: false })
    };
    let of_grains = |(id, of): (BodyId, seidel::Grain)| {
        (id, FluidHeader { spacing: 2.0 * of.radius, density: of.density, grains: true })
    };
    for (id, fluid) in plan.fluids().map(of_fluid).chain(plan.grains().map(of_grains)) {
        let number = plan.body_ids().position(|body| body == id);
        if let Some(body) = number.and_then(|number| header.bodies.get_mut(number)) {
            body.fluid = Some(fluid);
        }
    }
}

/// A skin's vertices have no mass of their own; none is shown as pinned.
fn skinned(header: &mut Header, name: &str, skin: &Mesh) {
    let first = begin(header, name, skin.positions.len(), 0.0);
    header.triangles.extend(skin.triangles.iter().map(|t| t.map(|v| v + first)));
    header.inv_mass.resize(first as usize + skin.positions.len(), 1.0);
    add_edges(header, first, skin);
}

/// The edges of a surface, at rest as it is.
fn add_edges(header: &mut Header, first: u32, skin: &Mesh) {
    for edge in skin.edges() {
        let [a, b] = edge.vertices.map(|v| Vec3::from(skin.positions[v as usize]));
        let rest = a.distance(b);
        if rest > 0.0 {
            header.edges.push(edge.vertices.map(|v| v + first));
            header.rest_lengths.push(rest);
        }
    }
}

fn rigid_names(plan: &Plan) -> Vec<String> {
    plan.rigid_ids().map(|id| plan.rigid_name(id).to_owned()).collect()
}

fn colliders(plan: &Plan) -> Vec<ColliderHeader> {
    let fixed =
        plan.colliders().iter().map(|c| ColliderHeader { name: c.name.clone(), shape: c.shape.clone(), rigid: None });
    let ids: Vec<_> = plan.rigid_ids().collect();
    let moving = plan.rigid_shapes().map(|(body, shape)| ColliderHeader {
        name: plan.rigid_name(ids[body]).to_owned(),
        shape: shape.clone(),
        rigid: Some(body as u32),
    });
    fixed.chain(moving).collect()
}

/// Gives the bodies whose meshes come from files what is drawn of them: texture coordinates, and normals as the scene
/// places them. For the header of a plan of that scene; reads the meshes again, but for those that came through a pipe.
///
/// # Errors
/// If a mesh cannot be read, or has changed since the plan was made.
pub fn dress(header: &mut Header, scene: &str, spec: &SceneSpec) -> Result<(), Error> {
    for (number, file, repair) in spec.surfaces() {
        let Some(body) = header.bodies.get_mut(number) else { continue };
        // The triangles of one that tears have vertices of their own.
        let tears = |(table, at): (&str, usize)| match table {
            key::CLOTH => spec.cloth.get(at).is_some_and(seidel_scenes::ClothSpec::can_tear),
            key::SOFT_BODY => spec.soft_body.get(at).is_some_and(seidel_scenes::SoftBodySpec::can_tear),
            _ => false,
        };
        if spec.table_of(number).is_some_and(tears) {
            continue;
        }
        let path = scene::beside(scene, file);
        // It has been read to its end, and waits for nobody a second time.
        if is_piped(&path) {
            continue;
        }
        let (mut mesh, mut drawn) = mesh::read_drawn(&path)?;
        let own = body.first..body.first + body.count;
        let of_body = |t: &&[u32; 3]| t.iter().all(|v| own.contains(v));
        let triangles: Vec<_> = header.triangles.iter().filter(of_body).map(|t| t.map(|v| v - body.first)).collect();
        let mut fits = mesh.positions.len() == body.count as usize && mesh.triangles == triangles;
        if repair {
            let (left, repairs) = mesh.repaired();
            let kept = drawn.repaired(&repairs.vertex_map, &triangles);
            fits = kept.is_some() && left.positions.len() == body.count as usize;
            (mesh, drawn) = (left, kept.unwrap_or_default());
        }
        if !fits {
            let what = "has changed since the scene was planned".to_owned();
            return Err(Error::Format { path, what });
        }
        if let Some(placed) = MeshPlacement::of(spec, number).filter(|_| !drawn.normals.is_empty()) {
            drawn.normals.iter_mut().for_each(|normal| *normal = placed.normal(*normal));
            // Of a skin there are those that it has with its tetrahedra.
            if body.rest.is_empty() {
                body.rest = mesh.positions.iter().map(|&x| placed.point(x)).collect();
            }
        }
        body.drawn = Some(drawn);
    }
    Ok(())
}

/// Where a scene puts the mesh of a file.
struct MeshPlacement {
    scale: Scale,
    pose: Pose,
}

impl MeshPlacement {
    /// None of a body that is no mesh of a file.
    fn of(spec: &SceneSpec, body: usize) -> Option<MeshPlacement> {
        spec.placed(body).map(|(pose, scale)| MeshPlacement { scale, pose })
    }

    /// The bits that the recipes make of it.
    fn point(&self, x: [f32; 3]) -> [f32; 3] {
        self.pose.transform_point(self.scale.apply(x)).as_vec3().to_array()
    }

    /// A normal of any length: what is stretched along an axis has normals that are shorter along it.
    fn normal(&self, normal: [f32; 3]) -> [f32; 3] {
        let [x, y, z] = self.scale.0.as_dvec3().to_array();
        let [a, b, c] = match self.scale.uniform() {
            Some(_) => [1.0; 3],
            None => [y * z, z * x, x * y],
        };
        let [u, v, w] = normal.map(f64::from);
        self.pose.transform_vector([a * u, b * v, c * w]).as_vec3().to_array()
    }
}

/// Measurements that a recording keeps of a frame: what its plots show.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Plotted {
    /// Kinetic and gravitational, joules: [`Plan::energies`]. Read by writers that [`crate::writers::plots`].
    pub energy: [f64; 2],
    /// The larger of [`Plan::max_stretch`] and [`Plan::max_element_stretch`]. Read by the same.
    pub max_stretch: f32,
}

impl Plotted {
    /// Energies, joules, and the largest stretch.
    #[must_use]
    pub fn new(energy: [f64; 2], max_stretch: f32) -> Plotted {
        Plotted { energy, max_stretch }
    }
}

/// Arrays of a frame, reused from one to the next.
#[derive(Debug, Default)]
pub struct Buffers {
    /// Skins are shown.
    picture: bool,
    positions: Vec<Vec3>,
    velocities: Vec<Vec3>,
    poses: Vec<[f32; 7]>,
    rigid_poses: Vec<[f32; 7]>,
    /// Of a body that has a skin.
    simulated: Vec<Vec3>,
    /// Of fluids.
    look: FluidLook,
    inv_masses: Vec<f32>,
    densities: Vec<f32>,
    ids: Vec<u32>,
}

impl Buffers {
    /// For frames that go with the header of a [`picture`]; the others go with [`header`].
    #[must_use]
    pub fn of_picture() -> Buffers {
        Buffers { picture: true, ..Buffers::default() }
    }

    /// Reads a state; `plotted` goes with it as it is. Of fluids the neighbours are searched on the threads of the
    /// rayon pool that the caller is in.
    pub fn read(&mut self, plan: &Plan, state: &State, plotted: Plotted) -> RecordedFrame<'_> {
        let mut look = std::mem::take(&mut self.look);
        if plan.fluids().next().is_some() {
            look.read(plan, state);
        }
        self.fill(plan, state, &look);
        self.look = look;
        self.frame(state, plotted)
    }

    /// The same with densities of fluids that `look` has read of this state, so that their neighbours are not searched
    /// again.
    pub fn read_with(&mut self, plan: &Plan, state: &State, plotted: Plotted, look: &FluidLook) -> RecordedFrame<'_> {
        self.fill(plan, state, look);
        self.frame(state, plotted)
    }

    fn fill(&mut self, plan: &Plan, state: &State, look: &FluidLook) {
        // A state that was put back may have torn otherwise. What cannot be planned is shown as it was.
        let torn = if plan.is_torn_as(state) { None } else { plan.torn(state).ok() };
        let plan = torn.as_ref().unwrap_or(plan);
        self.positions.clear();
        self.velocities.clear();
        self.densities.clear();
        self.ids.clear();
        let fluids: Vec<BodyId> = plan.fluids().map(|(body, _)| body).collect();
        for body in plan.body_ids() {
            let (first, count) = (self.positions.len(), plan.vertices(body));
            if let Some(skin) = plan.skin(body).filter(|_| self.picture) {
                let end = first + skin.mesh().positions.len();
                self.simulated.resize(count, Vec3::ZERO);
                self.positions.resize(end, Vec3::ZERO);
                self.velocities.resize(end, Vec3::ZERO);
                state.read_positions(plan, body, &mut self.simulated);
                skin.update(&self.simulated, &mut self.positions[first..]);
                state.read_velocities(plan, body, &mut self.simulated);
                skin.update(&self.simulated, &mut self.velocities[first..]);
            } else if plan.tears(body) {
                let triangles = plan.lasting_triangles(body);
                for (out, velocities) in [(&mut self.positions, false), (&mut self.velocities, true)] {
                    self.simulated.resize(count, Vec3::ZERO);
                    match velocities {
                        false => state.read_positions(plan, body, &mut self.simulated),
                        true => state.read_velocities(plan, body, &mut self.simulated),
                    }
                    // A face inside of a solid is a point.
                    let at = |v: u32| self.simulated[v as usize];
                    let drawn = |&([a, b, c], is_open): &([u32; 3], bool)| {
                        if is_open { [at(a), at(b), at(c)] } else { [at(a); 3] }
                    };
                    out.extend(triangles.iter().flat_map(drawn));
                }
            } else {
                self.positions.resize(first + count, Vec3::ZERO);
                self.velocities.resize(first + count, Vec3::ZERO);
                state.read_positions(plan, body, &mut self.positions[first..]);
                state.read_velocities(plan, body, &mut self.velocities[first..]);
            }
            if fluids.contains(&body) || plan.grains().any(|(id, _)| id == body) {
                self.fluid((plan, state, look), body, first);
            }
        }
        self.poses.clear();
        self.poses.extend(plan.collider_ids().map(|c| state.pose(c).to_array()));
        self.poses.extend(state.rigid_shape_poses(plan).map(|pose| pose.to_array()));
        self.rigid_poses.clear();
        self.rigid_poses.extend(plan.rigid_ids().map(|id| state.rigid_pose(plan, id).to_array()));
    }

    /// What has been read.
    fn frame(&self, state: &State, plotted: Plotted) -> RecordedFrame<'_> {
        RecordedFrame {
            time: state.time(),
            positions: bytemuck::cast_slice(&self.positions),
            velocities: bytemuck::cast_slice(&self.velocities),
            poses: &self.poses,
            rigid_poses: &self.rigid_poses,
            energy: plotted.energy,
            max_stretch: plotted.max_stretch,
            densities: &self.densities,
            ids: &self.ids,
        }
    }

    /// Adds densities and numbers of a fluid, whose particles begin at `first`. Formats that cannot leave a particle
    /// out get those that are not there at the place of the first that is.
    fn fluid(&mut self, (plan, state, look): (&Plan, &State, &FluidLook), body: BodyId, first: usize) {
        let Buffers { positions, velocities, inv_masses, densities, .. } = self;
        let (positions, velocities) = (&mut positions[first..], &mut velocities[first..]);
        // Each fluid counts its own: they take turns with the numbers.
        let flows = |id: &BodyId| plan.fluids().any(|(of, _)| of == *id) || plan.grains().any(|(of, _)| of == *id);
        let all: Vec<BodyId> = plan.body_ids().filter(flows).collect();
        let own = all.iter().position(|id| *id == body).unwrap_or(0) as u64;
        let number = |id: u64| id.wrapping_mul(all.len() as u64).wrapping_add(own) as u32;
        let is_fluid = plan.fluids().any(|(id, _)| id == body);
        match is_fluid {
            true => self.ids.extend(state.fluid_ids(plan, body).iter().map(|id| number(*id))),
            false => match state.grain_ids(plan, body) {
                [] => self.ids.extend((0..positions.len() as u64).map(number)),
                ids => self.ids.extend(ids.iter().map(|id| number(*id))),
            },
        }
        inv_masses.resize(positions.len(), 0.0);
        state.read_inv_masses(plan, body, inv_masses);
        let is_there = |v: usize, at: Vec3| inv_masses[v] > 0.0 && at.is_finite();
        let found = positions.iter().enumerate().find(|&(v, at)| is_there(v, *at)).map(|(_, at)| *at);
        let of_fluid = if is_fluid { look.density(plan, body) } else { &[] };
        for v in 0..positions.len() {
            let density = of_fluid.get(v).copied().unwrap_or(1.0);
            let there = is_there(v, positions[v]);
            densities.push(if there { density } else { 0.0 });
            if !there {
                let own = if positions[v].is_finite() { positions[v] } else { Vec3::ZERO };
                (positions[v], velocities[v]) = (found.unwrap_or(own), Vec3::ZERO);
            }
        }
    }
}
