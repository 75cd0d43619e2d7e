//! Loads that may come to lie on what is pinned: rigid bodies, deformable bodies that are not pinned, and fluids.
//!
//! Nobody knows before a scene runs what will lie on a sheet. What is loose and begins above vertices of a pinned body is taken to lie on them; a
//! fluid, and what an emitter pours, on all vertices of the body that are lower. Rigid bodies that joints connect to the world do not
//! count, nor does what begins beside or below the body.

use crate::describe::body::{Body, Collide};
use crate::describe::collider::Shape;
use crate::describe::filter::Filter;
use crate::describe::rigid::RigidKind;
use crate::describe::scene::Scene;
use crate::geometry::vector::{P, cross, dot, sub};
use crate::plan::loads::{Carried, Loads};
use crate::plan::rigid::Rigid;
use seidel_kernels::contact::SignedDistance;
use seidel_rigid::joint::WORLD;

/// Two level axes, and the one against gravity: unit vectors.
type Axes = [P; 3];

/// Something loose.
struct Loose {
    /// Its box along the axes: middle and half its sides, metres.
    middle: P,
    half: P,
    /// N.
    weight: f64,
    what: What,
    filter: Filter,
}

#[derive(Clone, Copy, PartialEq)]
enum What {
    Rigid,
    /// Meets what it collides with so.
    Deformable(Collide),
    Fluid,
}

/// A pinned body, by its vertices that may give way and have a way to a pin.
struct Carrier {
    /// Node and place along the axes, by the first coordinate.
    nodes: Vec<(u32, P)>,
    /// Mean length of its edges, metres.
    spacing: f64,
    is_sheet: bool,
    collide: Collide,
    filter: Filter,
}

/// What all nodes may have to carry.
pub(super) fn carried(scene: &Scene, bodies: &[Body], rigid: Option<&Rigid>, loads: &Loads<'_>) -> Carried {
    if loads.gravity() == 0.0 {
        return Carried::default();
    }
    let axes = axes(loads.up());
    let held = |number: usize| scene.particle_joints.iter().any(|joint| joint.body.index() == number);
    let mut loose: Vec<Loose> = Vec::new();
    for (number, body) in bodies.iter().enumerate().filter(|(number, _)| !held(*number)) {
        deformable(number, body, loads, &axes, &mut loose);
    }
    loose.extend(rigid.into_iter().flat_map(|rigid| rigid_bodies(scene, rigid, loads, &axes)));
    if loose.is_empty() {
        return Carried::default();
    }
    let mean = loads.mean_lengths();
    let carrier = |(number, body): (usize, &Body)| Carrier::of(number, body, mean[number], loads, &axes);
    let carriers: Vec<Carrier> = bodies.iter().enumerate().filter_map(carrier).collect();
    let mut carried = Carried { bodies: vec![0.0; loads.count()], fluids: vec![0.0; loads.count()] };
    for loose in &loose {
        let under: Vec<_> = carriers.iter().map(|carrier| (carrier, loose.on(carrier))).collect();
        // Ropes side by side carry it together; sheets, of which one may hang over the other, each all of it.
        let of_ropes: usize = under.iter().filter(|(carrier, _)| !carrier.is_sheet).map(|(_, under)| under.len()).sum();
        for (carrier, under) in under {
            let count = if carrier.is_sheet { under.len() } else { of_ropes };
            let loads = if loose.what == What::Fluid { &mut carried.fluids } else { &mut carried.bodies };
            under.iter().for_each(|&node| loads[node as usize] += loose.weight / count as f64);
        }
    }
    carried
}

fn axes(up: P) -> Axes {
    let flattest = (1..3).fold(0, |least, k| if up[k].abs() < up[least].abs() { k } else { least });
    let mut along = [0.0; 3];
    along[flattest] = 1.0;
    let first = cross(up, along);
    let first = first.map(|c| c / dot(first, first).sqrt());
    [first, cross(first, up), up]
}

fn along(axes: &Axes, x: P) -> P {
    axes.map(|axis| dot(axis, x))
}

impl Carrier {
    fn of(number: usize, body: &Body, spacing: f64, loads: &Loads<'_>, axes: &Axes) -> Option<Carrier> {
        let pinned = |node: &u32| loads.inv_mass(*node) > 0.0 && loads.way(*node).0.is_finite();
        let nodes = loads.nodes(number).map(|node| node as u32).filter(pinned);
        let mut nodes: Vec<(u32, P)> = nodes.map(|node| (node, along(axes, loads.place(node)))).collect();
        nodes.sort_by(|(_, a), (_, b)| a[0].total_cmp(&b[0]));
        let is_sheet = !body.triangles.is_empty();
        let (collide, filter) = (body.collide, body.filter);
        (!nodes.is_empty() && body.fluid.is_none()).then_some(Carrier { nodes, spacing, is_sheet, collide, filter })
    }
}

impl Loose {
    /// The nodes of a carrier on which it lies.
    fn on(&self, carrier: &Carrier) -> Vec<u32> {
        let meets = match self.what {
            What::Rigid | What::Fluid => true,
            What::Deformable(Collide::Spheres) => carrier.collide == Collide::Spheres,
            What::Deformable(collide) => collide.is_exact() && carrier.collide.is_exact(),
        };
        if !meets || !self.filter.meets(carrier.filter) {
            return Vec::new();
        }
        // What is small lies between vertices.
        let reach = [0, 1].map(|k| if self.half[k] > carrier.spacing { self.half[k] } else { carrier.spacing });
        let first = carrier.nodes.partition_point(|(_, x)| x[0] < self.middle[0] - reach[0]);
        let last = carrier.nodes.partition_point(|(_, x)| x[0] <= self.middle[0] + reach[0]);
        let beside = carrier.nodes[first..last].iter().filter(|(_, x)| (x[1] - self.middle[1]).abs() <= reach[1]);
        let level = if self.what == What::Fluid { self.middle[2] - self.half[2] } else { self.middle[2] };
        let is_lower = |x: &P| x[2] <= level;
        let (count, lower) =
            beside.clone().fold((0, 0), |(all, lower), (_, x)| (all + 1, lower + u32::from(is_lower(x))));
        // It is beside what stands upright, and within what is around it.
        if lower == 0 || 2 * lower < count {
            return Vec::new();
        }
        if self.what == What::Fluid {
            carrier.nodes.iter().filter(|(_, x)| is_lower(x)).map(|(node, _)| *node).collect()
        } else {
            beside.filter(|(_, x)| is_lower(x)).map(|(node, _)| *node).collect()
        }
    }
}

/// A body, if it has no way to a pin; and what its emitters pour.
fn deformable(number: usize, body: &Body, loads: &Loads<'_>, axes: &Axes, loose: &mut Vec<Loose>) {
    let is_loose = |node: &u32| loads.inv_mass(*node) > 0.0 && loads.way(*node).0.is_infinite();
    let (mut low, mut high, mut weight) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3], 0.0);
    for node in loads.nodes(number).map(|node| node as u32).filter(is_loose) {
        let x = along(axes, loads.place(node));
        for k in 0..3 {
            (low[k], high[k]) = (low[k].min(x[k]), high[k].max(x[k]));
        }
        weight += loads.weight(node);
    }
    let what = if body.fluid.is_some() { What::Fluid } else { What::Deformable(body.collide) };
    if weight > 0.0 {
        let half = sub(high, low).map(|side| 0.5 * side);
        let middle = [0, 1, 2].map(|k| low[k] + half[k]);
        loose.push(Loose { middle, half, weight, what, filter: body.filter });
    }
    let Some(liquid) = &body.fluid else { return };
    // All emitters together pour what there is room for.
    let room = body.inv_mass.iter().filter(|w| **w == 0.0).count() as f64;
    let share = room / body.emitters.len().max(1) as f64;
    let totals: Vec<f64> =
        body.emitters.iter().map(|emitter| emitter.total(f64::from(liquid.spacing)).unwrap_or(share)).collect();
    let all = totals.iter().sum::<f64>();
    let scale = if all > room { room / all } else { 1.0 };
    loose.extend(body.emitters.iter().zip(totals).map(|(emitter, total)| Loose {
        middle: along(axes, emitter.pose.position),
        half: [0.0; 3],
        weight: scale * total * liquid.mass() * loads.gravity(),
        what,
        filter: body.filter,
    }));
}

/// Dynamic ones that nothing holds: no joint, through others, with the world, with what is fixed or goes its own way, or with particles.
fn rigid_bodies(scene: &Scene, rigid: &Rigid, loads: &Loads<'_>, axes: &Axes) -> Vec<Loose> {
    let moves = |body: u32| body != WORLD && rigid.bodies[body as usize].kind == RigidKind::Dynamic;
    let count = rigid.bodies.len();
    let (mut joined, mut hangs) = (vec![Vec::new(); count], vec![false; count]);
    let held = scene.particle_joints.iter().map(|joint| joint.rigid.index() as u32);
    // Ids of other scenes are refused later.
    let mut open: Vec<u32> = held.filter(|&body| (body as usize) < count).collect();
    for [a, b] in rigid.joints.iter().map(|joint| joint.joint.bodies) {
        for (of, by) in [(a, b), (b, a)] {
            if of != WORLD && !moves(by) {
                open.push(of);
            } else if of != WORLD {
                joined[of as usize].push(by);
            }
        }
    }
    while let Some(body) = open.pop() {
        if !std::mem::replace(&mut hangs[body as usize], true) {
            open.extend(&joined[body as usize]);
        }
    }
    let all = rigid
        .bodies
        .iter()
        .enumerate()
        .filter(|(number, body)| moves(*number as u32) && !hangs[*number] && !body.sensor);
    let falls = all.filter(|(_, body)| body.inv_mass > 0.0 && body.locks.translation == [false; 3]);
    let placed = falls.filter_map(|(number, body)| {
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for (_, shape, own) in &rigid.shown[rigid.shown_of(number)] {
            let (half, place) = (half(shape)?, body.pose.place(own));
            let (m, at) = (place.matrix(), along(axes, place.position));
            for (k, axis) in axes.iter().enumerate() {
                let side = |j: usize| (0..3).map(|i| axis[i] * m[i][j]).sum::<f64>();
                let reach = (0..3).map(|j| side(j).abs() * f64::from(half[j])).sum::<f64>();
                (low[k], high[k]) = (low[k].min(at[k] - reach), high[k].max(at[k] + reach));
            }
        }
        let half = sub(high, low).map(|side| 0.5 * side);
        let weight = f64::from(body.gravity_scale).max(0.0) * loads.gravity() / body.inv_mass;
        let middle = [0, 1, 2].map(|k| low[k] + half[k]);
        (weight > 0.0 && middle.iter().all(|c| c.is_finite())).then_some(Loose {
            middle,
            half,
            weight,
            what: What::Rigid,
            filter: body.filter,
        })
    });
    placed.collect()
}

/// Half the sides of a box about a shape, along its axes, metres; none where it has no end.
fn half(shape: &Shape) -> Option<[f32; 3]> {
    match shape {
        Shape::Sphere { radius } => Some([*radius; 3]),
        _ => shape.solid()?.half(),
    }
}
