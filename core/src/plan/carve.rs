//! Particles of fluids, and grains, that begin inside something, or too near to it, are left out: pushed out they would
//! fly.

use crate::describe::body::Body;
use crate::describe::collider::{Collider, Shape};
use crate::describe::pose::Pose;
use crate::describe::tets::TetMesh;
use crate::geometry::nearest::Tree;
use crate::geometry::vector::P;
use crate::plan::embedding::Buckets;
use crate::plan::rigid::Rigid;
use crate::tuning::{FLUID_CARVED, FLUID_CARVED_AT_SHEETS};
use seidel_kernels::V3;
use seidel_kernels::contact::SignedDistance;
use std::sync::Arc;

/// Particles of a fluid, or grains, that were inside something at the start, or too near to it.
#[derive(Clone, Debug)]
pub(crate) struct LeftOut {
    /// Their body.
    pub(crate) body: usize,
    pub(crate) count: usize,
    /// The collider, rigid body or solid that they were inside, or the sheet that they were too near to, in words.
    pub(crate) place: String,
}

/// Takes particles of fluids, and grains, that begin inside colliders, rigid bodies and solids out, or too near them;
/// and those of fluids that begin too near a sheet.
pub(super) fn carve(bodies: &mut [Arc<Body>], colliders: &[Collider], rigid: Option<&Rigid>) -> Vec<LeftOut> {
    let mut left_out = Vec::new();
    let wide = |body: &Body| body.grain.map(|of| 2.0 * of.radius).or_else(|| body.fluid.map(|of| of.spacing));
    let loose: Vec<(usize, f32)> =
        bodies.iter().enumerate().filter_map(|(number, body)| Some((number, wide(body)?))).collect();
    if loose.is_empty() {
        return left_out;
    }
    let solids = bodies.iter().filter(|body| !body.tets.is_empty());
    let solids: Vec<(Arc<Body>, TetMesh, Vec<[P; 3]>)> = solids.map(with_surface).collect();
    let solids: Vec<Solid<'_>> = solids.iter().map(Solid::new).collect();
    // All fluids meet the same. Water goes through porous sheets, and takes the same room.
    let of_fluid = bodies.iter().find(|body| body.fluid.is_some()).map(|body| body.filter);
    let is_sheet = |body: &Body| body.tets.is_empty() && !body.triangles.is_empty() && body.permeance == 0.0;
    let meets = |body: &Body| of_fluid.is_some_and(|fluid| body.filter.meets(fluid));
    let corners = |of: &Body| of.triangles.iter().map(|t| t.map(|v| of.positions[v as usize].map(f64::from))).collect();
    let sheets = bodies.iter().filter(|body| is_sheet(body) && meets(body));
    let sheets: Vec<(Arc<Body>, Vec<[P; 3]>)> = sheets.map(|body| (Arc::clone(body), corners(body))).collect();
    let sheets: Vec<Sheet<'_>> = sheets.iter().map(Sheet::new).collect();
    for (number, wide) in loose {
        let filter = bodies[number].filter;
        let keep = f64::from(wide) * FLUID_CARVED;
        let mut carving = Carving { of: Arc::make_mut(&mut bodies[number]), number, left_out: &mut left_out };
        let mut by_shape = |shape: &Shape, pose: &Pose, thickness: f32, place: &dyn Fn() -> String| {
            carving.take_out(|x| distance(shape, pose, x) - f64::from(thickness) < keep, place);
        };
        for collider in colliders.iter().filter(|collider| collider.filter.meets(filter)) {
            let pose = collider.motion.at(&collider.pose, 0.0);
            by_shape(&collider.shape, &pose, collider.thickness, &|| format!("inside collider `{}`", collider.name));
        }
        for (of, shape, own) in rigid.iter().flat_map(|rigid| rigid.shown.iter()) {
            let of = &rigid.expect("one has shapes").bodies[*of as usize];
            if of.filter.meets(filter) {
                by_shape(shape, &of.pose.place(own), 0.0, &|| format!("inside rigid body `{}`", of.name));
            }
        }
        for solid in solids.iter().filter(|solid| solid.of.filter.meets(filter)) {
            carving.take_out(|x| solid.is_within(x, keep), &|| format!("inside body `{}`", solid.of.name));
        }
        // A grain beside a sheet is in nothing.
        let (is_fluid, keep) = (carving.of.fluid.is_some(), f64::from(wide) * FLUID_CARVED_AT_SHEETS);
        for sheet in sheets.iter().filter(|sheet| is_fluid && sheet.of.filter.meets(filter)) {
            carving.take_out(|x| sheet.is_near(x, keep), &|| format!("too near body `{}`", sheet.of.name));
        }
    }
    left_out
}

/// A body of which particles are taken out.
struct Carving<'a> {
    of: &'a mut Body,
    number: usize,
    left_out: &'a mut Vec<LeftOut>,
}

impl Carving<'_> {
    /// Takes particles that are there out where `goes` says so.
    fn take_out(&mut self, goes: impl Fn(P) -> bool, place: &dyn Fn() -> String) {
        let all = self.of.inv_mass.iter_mut().zip(&self.of.positions);
        let mut count = 0;
        for (w, _) in all.filter(|(w, x)| **w > 0.0 && goes(x.map(f64::from))) {
            *w = 0.0;
            count += 1;
        }
        if count > 0 {
            self.left_out.push(LeftOut { body: self.number, count, place: place() });
        }
    }
}

/// A solid, its tetrahedra, and the triangles of their surface.
fn with_surface(of: &Arc<Body>) -> (Arc<Body>, TetMesh, Vec<[P; 3]>) {
    let mesh = TetMesh { positions: of.positions.clone(), tets: of.tets.to_vec() };
    let corners = |t: &[u32; 3]| t.map(|v| mesh.positions[v as usize].map(f64::from));
    let surface = mesh.surface().iter().map(corners).collect();
    (Arc::clone(of), mesh, surface)
}

/// A solid of tetrahedra, to find what is inside it or near it.
struct Solid<'a> {
    of: &'a Body,
    mesh: &'a TetMesh,
    tets: Buckets,
    surface: Tree<&'a [[P; 3]]>,
    low: P,
    high: P,
}

impl<'a> Solid<'a> {
    fn new((of, mesh, surface): &'a (Arc<Body>, TetMesh, Vec<[P; 3]>)) -> Solid<'a> {
        let (low, high) = around(&mesh.positions);
        let tree = Tree::new(&surface[..], (0..surface.len() as u32).collect());
        Solid { of, mesh, tets: Buckets::new(mesh), surface: tree, low, high }
    }

    /// Whether a point is inside, or nearer to the surface than `keep`, metres.
    fn is_within(&self, x: P, keep: f64) -> bool {
        if (0..3).any(|k| x[k] < self.low[k] - keep || self.high[k] + keep < x[k]) {
            return false;
        }
        self.tets.tet(self.mesh, x).is_some() || self.surface.is_nearer_than(x, keep * keep)
    }
}

/// A sheet whose vertices take room in a fluid, to find what is near it.
struct Sheet<'a> {
    of: &'a Body,
    triangles: Tree<&'a [[P; 3]]>,
    low: P,
    high: P,
}

impl<'a> Sheet<'a> {
    fn new((of, triangles): &'a (Arc<Body>, Vec<[P; 3]>)) -> Sheet<'a> {
        let (low, high) = around(&of.positions);
        let all = (0..triangles.len() as u32).collect();
        Sheet { of, triangles: Tree::new(&triangles[..], all), low, high }
    }

    /// Whether a point is nearer to it than `keep`, metres.
    fn is_near(&self, x: P, keep: f64) -> bool {
        let is_far = (0..3).any(|k| x[k] < self.low[k] - keep || self.high[k] + keep < x[k]);
        !is_far && self.triangles.is_nearer_than(x, keep * keep)
    }
}

/// The box about positions, metres.
fn around(positions: &[[f32; 3]]) -> (P, P) {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for x in positions {
        for k in 0..3 {
            (low[k], high[k]) = (low[k].min(f64::from(x[k])), high[k].max(f64::from(x[k])));
        }
    }
    (low, high)
}

/// Distance of a point from a shape at a pose, metres.
pub(crate) fn distance(shape: &Shape, pose: &Pose, x: [f64; 3]) -> f64 {
    let m = pose.matrix();
    let d: [f64; 3] = std::array::from_fn(|k| x[k] - pose.position[k]);
    let local = [0, 1, 2].map(|k| (m[0][k] * d[0] + m[1][k] * d[1]) + m[2][k] * d[2]);
    match *shape {
        Shape::Plane => local[1],
        Shape::Sphere { radius } => {
            ((local[0] * local[0] + local[1] * local[1]) + local[2] * local[2]).sqrt() - f64::from(radius)
        }
        ref other => other.solid().map_or(f64::INFINITY, |solid| solid.distance(V3::<f64>::set(local)).0),
    }
}
