//! Loads that may come to lie on what is pinned: rigid bodies, deformable bodies that are not pinned, and fluids.
//!
//! Nobody knows before a scene runs what will lie on a sheet. What is loose and begins above vertices of a pinned body
//! is taken to lie on them; a fluid, grains, and what an emitter pours, on all vertices of the body that are lower.
//! Rigid bodies that joints connect to the world do not count, nor does what begins beside or below the body.

use crate::describe::body::{Body, Collide};
use crate::describe::collider::Shape;
use crate::describe::filter::Filter;
use crate::describe::particle_joint::ParticleJoint;
use crate::describe::rigid::RigidKind;
use crate::describe::scene::Scene;
use crate::geometry::vector::{P, cross, dot, sub};
use crate::plan::joint::JointRows;
use crate::plan::loads::Carried;
use crate::plan::rigid::{Rigid, RigidBodyPlan};
use seidel_kernels::contact::SignedDistance;
use seidel_rigid::joint::WORLD;
use std::sync::Arc;

/// Two level axes, and the one against gravity: unit vectors.
pub(super) type Axes = [P; 3];

/// Something loose.
pub(super) struct Loose {
    /// Its box along the axes: middle and half its sides, metres.
    middle: P,
    half: P,
    /// N.
    pub(super) weight: f64,
    what: What,
    filter: Filter,
}

#[derive(Clone, Copy, PartialEq)]
enum What {
    Rigid,
    /// Meets what it collides with so.
    Deformable(Collide),
    Fluid,
    Grains(Collide),
}

impl What {
    /// Whether it spreads over all that carries it.
    fn spreads(self) -> bool {
        matches!(self, What::Fluid | What::Grains(_))
    }
}

/// A pinned body, by its vertices that may give way.
pub(super) struct Carrier {
    pub(super) body: usize,
    /// Vertex and place along the axes, by the first coordinate.
    vertices: Vec<(u32, P)>,
    /// Mean length of its edges, metres.
    spacing: f64,
    is_sheet: bool,
    pub(super) collide: Collide,
    pub(super) filter: Filter,
}

/// The loads that may lie on each body's vertices; nothing if nothing is loose.
pub(super) fn carried(
    scene: &Scene,
    bodies: &[Arc<Body>],
    rigid: Option<&Rigid>,
    joints: &[JointRows],
) -> Vec<Carried> {
    let gravity = scene.settings.gravity.to_array().map(f64::from);
    let size = dot(gravity, gravity).sqrt();
    if size == 0.0 {
        return Vec::new();
    }
    let axes = axes(gravity.map(|c| -c / size));
    let pinned = pinned(bodies, joints);
    let held = |number: usize| pinned[number] || scene.particle_joints.iter().any(|joint| joint.body.index() == number);
    let mut loose: Vec<Loose> = Vec::new();
    for (_, body) in bodies.iter().enumerate().filter(|(number, _)| !held(*number)) {
        deformable(body, size, &axes, &mut loose);
    }
    loose.extend(rigid.into_iter().flat_map(|rigid| rigid_bodies(scene, rigid, size, &axes)));
    let mut carried = vec![Carried::default(); bodies.len()];
    if let Some(rigid) = rigid {
        hung(scene, bodies, rigid, size, &mut carried);
    }
    if loose.is_empty() {
        return carried;
    }
    let of_pinned = bodies.iter().enumerate().filter(|(number, _)| pinned[*number]);
    let carriers: Vec<Carrier> = of_pinned.map(|(number, body)| Carrier::of(number, body, &axes)).collect();
    for loose in &loose {
        let under: Vec<_> = carriers.iter().map(|carrier| (carrier, loose.on(carrier))).collect();
        // Ropes side by side carry it together; sheets, of which one may hang over the other, each all of it.
        let of_ropes: usize = under.iter().filter(|(carrier, _)| !carrier.is_sheet).map(|(_, under)| under.len()).sum();
        for (carrier, under) in under.into_iter().filter(|(_, under)| !under.is_empty()) {
            let count = if carrier.is_sheet { under.len() } else { of_ropes };
            let Carried { bodies: of_bodies, fluids } = &mut carried[carrier.body];
            of_bodies.resize(bodies[carrier.body].positions.len(), 0.0);
            fluids.resize(of_bodies.len(), 0.0);
            let loads = if loose.what.spreads() { fluids } else { of_bodies };
            under.iter().for_each(|&vertex| loads[vertex as usize] += loose.weight / count as f64);
        }
    }
    carried
}

/// Whether a body's vertices of inverse mass 0 are what is not there, and not what is pinned.
fn flows(body: &Body) -> bool {
    body.fluid.is_some() || body.grain.is_some()
}

/// Whether each body has a fixed vertex, or a joint leads to one that has.
pub(super) fn pinned(bodies: &[Arc<Body>], joints: &[JointRows]) -> Vec<bool> {
    let mut pinned: Vec<bool> = bodies.iter().map(|body| !flows(body) && body.inv_mass.contains(&0.0)).collect();
    let mut joined: Vec<Vec<usize>> = vec![Vec::new(); bodies.len()];
    for rows in joints {
        for slots in rows.constraints.at.chunks_exact(rows.constraints.kind.slots()) {
            let (first, _) = rows.end(slots[0]);
            for (other, _) in slots[1..].iter().map(|&end| rows.end(end)).filter(|(other, _)| *other != first) {
                joined[first].push(other);
                joined[other].push(first);
            }
        }
    }
    let with_pins = (0..bodies.len()).filter(|&body| std::mem::take(&mut pinned[body])).collect();
    reach(with_pins, &joined, &mut pinned);
    pinned
}

pub(super) fn axes(up: P) -> Axes {
    let flattest = (1..3).fold(0, |least, k| if up[k].abs() < up[least].abs() { k } else { least });
    let mut along = [0.0; 3];
    along[flattest] = 1.0;
    let first = cross(up, along);
    let first = first.map(|c| c / dot(first, first).sqrt());
    [first, cross(first, up), up]
}

pub(super) fn along(axes: &Axes, x: P) -> P {
    axes.map(|axis| dot(axis, x))
}

impl Carrier {
    pub(super) fn of(number: usize, body: &Body, axes: &Axes) -> Carrier {
        let may_give_way = |(vertex, w): (usize, &f32)| (*w > 0.0).then_some(vertex as u32);
        let free = body.inv_mass.iter().enumerate().filter_map(may_give_way);
        let mut vertices: Vec<(u32, P)> = free.map(|vertex| (vertex, along(axes, place(body, vertex)))).collect();
        vertices.sort_by(|(_, a), (_, b)| a[0].total_cmp(&b[0]));
        let sides = body.triangles.iter().map(|t| [t[0], t[1]]).chain(body.edges.iter().copied());
        let (sum, count) = sides.fold((0.0, 0.0), |(sum, count), [a, b]| {
            let side = sub(place(body, a), place(body, b));
            (sum + dot(side, side).sqrt(), count + 1.0)
        });
        let spacing = if count > 0.0 { sum / count } else { 0.0 };
        let is_sheet = !body.triangles.is_empty();
        Carrier { body: number, vertices, spacing, is_sheet, collide: body.collide, filter: body.filter }
    }
}

pub(super) fn place(body: &Body, vertex: u32) -> P {
    body.positions[vertex as usize].map(f64::from)
}

impl Loose {
    /// The vertices of a carrier on which it lies.
    pub(super) fn on(&self, carrier: &Carrier) -> Vec<u32> {
        let meets = match self.what {
            What::Rigid | What::Fluid => true,
            What::Deformable(Collide::Spheres) => carrier.collide == Collide::Spheres,
            What::Deformable(collide) | What::Grains(collide) => collide.is_exact() && carrier.collide.is_exact(),
        };
        if !meets || !self.filter.meets(carrier.filter) {
            return Vec::new();
        }
        // A small body lies between vertices.
        let reach = [0, 1].map(|k| if self.half[k] > carrier.spacing { self.half[k] } else { carrier.spacing });
        let first = carrier.vertices.partition_point(|(_, x)| x[0] < self.middle[0] - reach[0]);
        let last = carrier.vertices.partition_point(|(_, x)| x[0] <= self.middle[0] + reach[0]);
        let beside = carrier.vertices[first..last].iter().filter(|(_, x)| (x[1] - self.middle[1]).abs() <= reach[1]);
        let level = if self.what.spreads() { self.middle[2] - self.half[2] } else { self.middle[2] };
        let is_lower = |x: &P| x[2] <= level;
        let (count, lower) =
            beside.clone().fold((0, 0), |(all, lower), (_, x)| (all + 1, lower + u32::from(is_lower(x))));
        // It is beside what stands upright, and within what is around it.
        if lower == 0 || 2 * lower < count {
            return Vec::new();
        }
        if self.what.spreads() {
            carrier.vertices.iter().filter(|(_, x)| is_lower(x)).map(|(vertex, _)| *vertex).collect()
        } else {
            beside.filter(|(_, x)| is_lower(x)).map(|(vertex, _)| *vertex).collect()
        }
    }
}

/// A body that nothing holds; and what its emitters pour.
fn deformable(body: &Body, gravity: f64, axes: &Axes, loose: &mut Vec<Loose>) {
    let (mut low, mut high, mut weight) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3], 0.0);
    for (vertex, w) in body.inv_mass.iter().enumerate().filter(|(_, w)| **w > 0.0) {
        let x = along(axes, place(body, vertex as u32));
        for k in 0..3 {
            (low[k], high[k]) = (low[k].min(x[k]), high[k].max(x[k]));
        }
        weight += gravity / f64::from(*w);
    }
    let what = match (body.fluid, body.grain) {
        (Some(_), _) => What::Fluid,
        (_, Some(_)) => What::Grains(body.collide),
        (None, None) => What::Deformable(body.collide),
    };
    if weight > 0.0 {
        let half = sub(high, low).map(|side| 0.5 * side);
        let middle = [0, 1, 2].map(|k| low[k] + half[k]);
        loose.push(Loose { middle, half, weight, what, filter: body.filter });
    }
    let (spacing, mass) = match (body.fluid, body.grain) {
        (Some(liquid), _) => (f64::from(liquid.spacing), liquid.mass()),
        (_, Some(grain)) => (grain.spacing(), grain.mass()),
        (None, None) => return,
    };
    // All emitters together pour what there is room for.
    let room = body.inv_mass.iter().filter(|w| **w == 0.0).count() as f64;
    let share = room / body.emitters.len().max(1) as f64;
    let totals: Vec<f64> = body.emitters.iter().map(|emitter| emitter.total(spacing).unwrap_or(share)).collect();
    let all = totals.iter().sum::<f64>();
    let scale = if all > room { room / all } else { 1.0 };
    loose.extend(body.emitters.iter().zip(totals).map(|(emitter, total)| Loose {
        middle: along(axes, emitter.middle()),
        half: [0.0; 3],
        weight: scale * total * mass * gravity,
        what,
        filter: body.filter,
    }));
}

/// Dynamic ones that nothing holds: no joint, through others, with the world, with what is fixed or goes its own way,
/// or with particles.
fn rigid_bodies(scene: &Scene, rigid: &Rigid, gravity: f64, axes: &Axes) -> Vec<Loose> {
    let (joined, mut hangs) = held_by_joints(rigid);
    let moves = |body: u32| rigid.bodies[body as usize].kind == RigidKind::Dynamic;
    reach(by_particles(scene, rigid).map(|joint| joint.rigid.index()).collect(), &joined, &mut hangs);
    let all = rigid
        .bodies
        .iter()
        .enumerate()
        .filter(|(number, body)| moves(*number as u32) && !hangs[*number] && !body.sensor);
    let placed = all.filter_map(|(number, body)| {
        let [low, high] = rigid.boxes(number, axes).reduce(both)?;
        let loose = Loose::rigid([low, high], weight(body, gravity), body.filter);
        (loose.weight > 0.0 && loose.middle.iter().all(|c| c.is_finite())).then_some(loose)
    });
    placed.collect()
}

/// The lowest and the highest corner of both.
pub(super) fn both([a, b]: [P; 2], [c, d]: [P; 2]) -> [P; 2] {
    [[0, 1, 2].map(|k| a[k].min(c[k])), [0, 1, 2].map(|k| b[k].max(d[k]))]
}

impl Rigid {
    /// Boxes along axes about a body's shapes, metres; none of what has no end.
    pub(super) fn boxes<'a>(&'a self, number: usize, axes: &'a Axes) -> impl Iterator<Item = [P; 2]> + 'a {
        self.shown[self.shown_of(number)].iter().filter_map(move |(_, shape, own)| {
            let (half, place) = (half(shape)?, self.bodies[number].pose.place(own));
            let (m, at) = (place.matrix(), along(axes, place.position));
            let reach = axes.map(|axis| {
                let side = |j: usize| (0..3).map(|i| axis[i] * m[i][j]).sum::<f64>();
                (0..3).map(|j| side(j).abs() * f64::from(half[j])).sum::<f64>()
            });
            Some([sub(at, reach), [0, 1, 2].map(|k| at[k] + reach[k])])
        })
    }
}

impl Loose {
    pub(super) fn rigid([low, high]: [P; 2], weight: f64, filter: Filter) -> Loose {
        let half = sub(high, low).map(|side| 0.5 * side);
        Loose { middle: [0, 1, 2].map(|k| low[k] + half[k]), half, weight, what: What::Rigid, filter }
    }
}

/// The weight with which a rigid body lies on something, N; 0 of one that is not dynamic, or that nothing moves along
/// some axis.
pub(super) fn weight(body: &RigidBodyPlan, gravity: f64) -> f64 {
    let falls = body.kind == RigidKind::Dynamic && body.inv_mass > 0.0 && body.locks.translation == [false; 3];
    if falls { f64::from(body.gravity_scale).max(0.0) * gravity / body.inv_mass } else { 0.0 }
}

/// Joints of rigid bodies with particles. Ids of other scenes are refused later.
pub(super) fn by_particles<'a>(scene: &'a Scene, rigid: &Rigid) -> impl Iterator<Item = &'a ParticleJoint> {
    let count = rigid.bodies.len();
    scene.particle_joints.iter().filter(move |joint| joint.rigid.index() < count)
}

/// Dynamic neighbours of each rigid body by joints, and whether joints hold it in the world or in what is not dynamic.
pub(super) fn held_by_joints(rigid: &Rigid) -> (Vec<Vec<usize>>, Vec<bool>) {
    let moves = |body: u32| body != WORLD && rigid.bodies[body as usize].kind == RigidKind::Dynamic;
    let count = rigid.bodies.len();
    let (mut joined, mut hangs, mut open) = (vec![Vec::new(); count], vec![false; count], Vec::new());
    for [a, b] in rigid.joints.iter().map(|joint| joint.joint.bodies) {
        for (of, by) in [(a, b), (b, a)].into_iter().filter(|(of, _)| *of != WORLD) {
            if moves(by) {
                joined[of as usize].push(by as usize);
            } else {
                open.push(of as usize);
            }
        }
    }
    reach(open, &joined, &mut hangs);
    (joined, hangs)
}

/// Marks bodies, and all that joints join to them; returns those that were not marked.
pub(super) fn reach(mut open: Vec<usize>, joined: &[Vec<usize>], marked: &mut [bool]) -> Vec<usize> {
    let mut new = Vec::new();
    while let Some(body) = open.pop() {
        if !std::mem::replace(&mut marked[body], true) {
            new.push(body);
            open.extend(&joined[body]);
        }
    }
    new
}

/// Adds what hangs on vertices by joints: the weight of rigid bodies that nothing else holds, an equal share on each of
/// these vertices.
fn hung(scene: &Scene, bodies: &[Arc<Body>], rigid: &Rigid, gravity: f64, carried: &mut [Carried]) {
    let (joined, hangs) = held_by_joints(rigid);
    let mut seen = hangs;
    for first in by_particles(scene, rigid).map(|joint| joint.rigid.index()) {
        let part = reach(vec![first], &joined, &mut seen);
        let weight = part.iter().map(|&body| weight(&rigid.bodies[body], gravity)).sum::<f64>();
        let ends = || by_particles(scene, rigid).filter(|joint| part.contains(&joint.rigid.index()));
        let count = ends().count() as f64;
        for joint in ends() {
            let (number, vertex) = (joint.body.index(), joint.vertex as usize);
            let Some(body) = bodies.get(number).filter(|body| vertex < body.positions.len()) else { continue };
            let Carried { bodies: of_bodies, fluids } = &mut carried[number];
            of_bodies.resize(body.positions.len(), 0.0);
            fluids.resize(body.positions.len(), 0.0);
            fluids[vertex] += weight / count;
        }
    }
}

/// Half the sides of a box about a shape, along its axes, metres; none where it has no end.
fn half(shape: &Shape) -> Option<[f32; 3]> {
    match shape {
        Shape::Sphere { radius } => Some([*radius; 3]),
        _ => shape.solid()?.half(),
    }
}
