//! All parts of a plan that queries can hit, and where a state has them.

use super::hit::{Look, Part, Target};
use super::part::{Form, around};
use crate::describe::collider::Shape;
use crate::describe::filter::Filter;
use crate::describe::ids::BodyId;
use crate::describe::pose::Pose;
use crate::geometry::boxes::{Box3, EMPTY};
use crate::geometry::vector::P;
use crate::plan::Plan;
use crate::run::state::State;
use seidel_kernels::contact::SignedDistance;

/// A part, whatever moves it.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) target: Target,
    filter: Filter,
    kind: Kind,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    /// Of a body: number and vertices.
    Triangle(u32, [u32; 3]),
    Segment([u32; 2]),
    Particle(u32),
    /// Number in its body, in the list of shapes, and in that of the plan's shapes of rigid bodies.
    Shape(u32, u32, u32),
    /// A triangle of a shape's surface: number, and corners in the shape's frame.
    Surface(u32, [[f32; 3]; 3]),
}

impl Entry {
    pub(super) fn is_seen(&self, look: &Look) -> bool {
        look.exclude != Some(self.target) && look.filter.is_none_or(|filter| filter.meets(self.filter))
    }

    pub(super) fn shape<'a>(&self, shapes: &'a [Shape]) -> Option<&'a Shape> {
        self.shape_number().and_then(|shape| shapes.get(shape as usize))
    }

    /// The number of its shape, if it has one.
    pub(super) fn shape_number(&self) -> Option<u32> {
        if let Kind::Shape(_, shape, _) = self.kind { Some(shape) } else { None }
    }

    pub(super) fn named(&self, shares: P) -> Part {
        match self.kind {
            Kind::Triangle(triangle, _) | Kind::Surface(triangle, _) => Part::Triangle(triangle, shares),
            Kind::Segment(ends) => Part::Segment(ends, [shares[0], shares[1]]),
            Kind::Particle(vertex) => Part::Particle(vertex),
            Kind::Shape(number, ..) => Part::Shape(number),
        }
    }
}

/// Parts of bodies, of rigid bodies and of colliders, and the shapes that they name.
pub(super) fn entries(plan: &Plan) -> (Vec<Entry>, Vec<Shape>) {
    let (mut entries, mut shapes) = (Vec::new(), Vec::new());
    for (id, body) in plan.body_ids().zip(&plan.bodies) {
        let mut add = |kind| entries.push(Entry { target: Target::Body(id), filter: body.filter, kind });
        let mut covered = vec![false; body.to_row.len()];
        let vertices = body.triangles.as_flattened().iter().chain(body.tets.as_flattened());
        vertices.for_each(|&v| covered[v as usize] = true);
        (0..).zip(body.triangles.iter()).for_each(|(t, &corners)| add(Kind::Triangle(t, corners)));
        if body.triangles.is_empty() && body.tets.is_empty() {
            let rod = body.frames.to_row.len() + 1 == body.to_row.len();
            let pairs: Vec<[u32; 2]> = match rod {
                true => (1..body.to_row.len() as u32).map(|v| [v - 1, v]).collect(),
                false => plan.lengths(id).into_iter().map(|(pair, _)| pair).collect(),
            };
            for pair in pairs {
                pair.into_iter().for_each(|v| covered[v as usize] = true);
                add(Kind::Segment(pair));
            }
        }
        (0..).zip(&covered).filter(|(_, covered)| !**covered).for_each(|(v, _)| add(Kind::Particle(v)));
    }
    let mut last = (u32::MAX, 0);
    for (k, (body, shape, _)) in (0..).zip(plan.rigid.iter().flat_map(|rigid| &rigid.shown)) {
        last = if last.0 == *body { (*body, last.1 + 1) } else { (*body, 0) };
        let target = Target::Rigid(plan.rigid_at()(*body as usize));
        let filter = plan.rigid.as_ref().map_or(Filter::default(), |rigid| rigid.bodies[*body as usize].filter);
        entries.push(Entry { target, filter, kind: Kind::Shape(last.1, shapes.len() as u32, k) });
        shapes.push(shape.clone());
    }
    for (id, collider) in plan.collider_ids().zip(&plan.colliders) {
        let mut add = |kind| entries.push(Entry { target: Target::Collider(id), filter: collider.filter, kind });
        // Fields are no distances far from their surface: their triangles are exact.
        let surface = match collider.shape {
            Shape::Sdf { .. } | Shape::HeightField(_) => collider.shape.surface(),
            _ => None,
        };
        if let Some(mesh) = surface {
            let at = |v: u32| mesh.positions[v as usize];
            (0..).zip(&mesh.triangles).for_each(|(t, corners)| add(Kind::Surface(t, corners.map(at))));
            continue;
        }
        add(Kind::Shape(0, shapes.len() as u32, 0));
        shapes.push(collider.shape.clone());
    }
    (entries, shapes)
}

/// Where a state has them, and their boxes.
pub(super) fn place(
    plan: &Plan,
    state: &State,
    entries: &[Entry],
    shapes: &[Shape],
    forms: &mut Vec<Form>,
    boxes: &mut Vec<Box3>,
) {
    forms.clear();
    boxes.clear();
    let loose: Vec<BodyId> = plan.fluids().map(|(id, _)| id).chain(plan.grains().map(|(id, _)| id)).collect();
    for entry in entries {
        let at = |v: u32| -> P {
            let Target::Body(body) = entry.target else { return [0.0; 3] };
            let [x, y, z, _] = plan.part(body).get(&state.x, v as usize);
            [x, y, z].map(f64::from)
        };
        let is_gone = |v: u32| match entry.target {
            Target::Body(body) => loose.contains(&body) && plan.part(body).get(&state.x, v as usize)[3] == 0.0,
            _ => false,
        };
        let thick = |vertices: &[u32]| match entry.target {
            Target::Body(body) => f64::from(plan.part(body).thickness_of(vertices)),
            _ => 0.0,
        };
        let pose = |shape: u32| match entry.target {
            Target::Collider(collider) => state.poses[plan.collider_place(collider)],
            Target::Rigid(body) => plan.rigid.as_ref().map_or(Pose::IDENTITY, |rigid| {
                let motion = &state.rigid.motions[plan.rigid_place(body)];
                let centre = Pose { position: motion.position, rotation: motion.rotation };
                centre.place(&rigid.shown[shape as usize].2)
            }),
            Target::Body(_) => Pose::IDENTITY,
        };
        let (form, bounds) = match entry.kind {
            Kind::Triangle(_, corners) => flat(corners.map(at)),
            Kind::Surface(_, corners) => {
                let pose = pose(0);
                flat(corners.map(|corner| pose.apply(corner.map(f64::from))))
            }
            Kind::Segment([a, b]) => round([at(a), at(b)], thick(&[a, b])),
            // Particles of fluids, and grains, that are not there.
            Kind::Particle(v) if is_gone(v) => (Form::Round([[f64::NAN; 3]; 2], 0.0), EMPTY),
            Kind::Particle(v) => round([at(v); 2], thick(&[v])),
            Kind::Shape(_, shape, place) => {
                let pose = pose(place);
                placed(&shapes[shape as usize], &pose)
            }
        };
        forms.push(form);
        boxes.push(bounds);
    }
}

fn flat(corners: [P; 3]) -> (Form, Box3) {
    (Form::Triangle(corners), around(corners.into_iter(), 0.0))
}

fn round(ends: [P; 2], radius: f64) -> (Form, Box3) {
    (Form::Round(ends, radius), around(ends.into_iter(), radius))
}

fn placed(shape: &Shape, pose: &Pose) -> (Form, Box3) {
    let (turn, at) = (pose.matrix(), pose.position);
    let bounds = match *shape {
        Shape::Plane => [[f64::NEG_INFINITY; 3], [f64::INFINITY; 3]],
        Shape::Sphere { radius } => around(std::iter::once(at), f64::from(radius)),
        Shape::Capsule { radius, half_length } => {
            let end = |side: f64| pose.apply([0.0, side * f64::from(half_length), 0.0]);
            return round([end(1.0), end(-1.0)], f64::from(radius));
        }
        _ => {
            let half = shape.solid().and_then(|solid| solid.half()).unwrap_or([f32::INFINITY; 3]).map(f64::from);
            let reach: P = std::array::from_fn(|k| turn[k].iter().zip(half).map(|(m, h)| m.abs() * h).sum());
            [std::array::from_fn(|k| at[k] - reach[k]), std::array::from_fn(|k| at[k] + reach[k])]
        }
    };
    (Form::Placed(turn, at), bounds)
}
