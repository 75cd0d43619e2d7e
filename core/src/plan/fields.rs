//! Fields of all bodies: which are solved at once, and what of them a worker takes at a time.

use super::family::per_iteration;
use crate::describe::body::Body;
use crate::describe::error::Error;
use crate::describe::field::Pressure;
use crate::describe::stiffness::Stiffness;
use crate::plan::body::BodyPlan;
use crate::plan::joint::JointRows;
use crate::tuning::{ALONE, REGISTERS_A_BLOCK};
use seidel_kernels::field::{Inflation, Rings, Shape};
use seidel_kernels::{Isa, Row, Rows, Shared};
use std::ops::Range;
use std::sync::Arc;

/// All fields.
#[derive(Clone, Debug)]
pub(crate) struct Fields {
    pub(crate) volumes: Vec<Volume>,
    /// Volumes that are solved at once: of each body one.
    pub(crate) rounds: Vec<Range<usize>>,
    /// Of all volumes, in their order.
    pub(crate) volume_blocks: Vec<FieldBlock>,
    pub(crate) shapes: Vec<Matched>,
    pub(crate) colors: Vec<Color>,
    /// Of the shapes that are cut, in their order.
    pub(crate) shape_blocks: Vec<FieldBlock>,
    /// Of all shapes.
    pub(crate) registers: usize,
    /// Bodies that hold a volume, hang together in one piece, and are held by nothing when planned: neither pins, nor
    /// joints with others, nor frames. By number.
    pub(crate) alone: Vec<usize>,
    /// Their blocks.
    pub(crate) alone_blocks: Vec<usize>,
}

/// Registers of a field that a worker takes at a time.
#[derive(Clone, Debug)]
pub(crate) struct FieldBlock {
    pub(crate) of: usize,
    pub(crate) registers: Range<usize>,
}

/// How a field gives way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Soft {
    xpbd: bool,
    number: f64,
}

impl Soft {
    fn new(stiffness: &Stiffness, iterations: u32) -> Soft {
        let number = stiffness.values().get(0);
        match stiffness {
            Stiffness::Compliance(_) => Soft { xpbd: true, number: f64::from(number) },
            Stiffness::Pbd(_) => Soft { xpbd: false, number: f64::from(per_iteration(number, iterations)) },
        }
    }

    /// Compliance over h^2, and PBD's k'.
    pub(crate) fn of(self, h: f32) -> [f64; 2] {
        if self.xpbd { [self.number / (f64::from(h) * f64::from(h)), 1.0] } else { [0.0, self.number] }
    }
}

/// A volume that is held.
#[derive(Clone, Debug)]
pub(crate) struct Volume {
    pub(crate) body: usize,
    pub(crate) rings: Rings,
    /// At rest, m^3.
    pub(crate) volume: f64,
    pub(crate) soft: Soft,
    pub(crate) pressure: Pressure,
    pub(crate) blocks: Range<usize>,
}

/// A shape that is kept.
#[derive(Clone, Debug)]
pub(crate) struct Matched {
    /// The body whose shape it is.
    pub(crate) body: usize,
    pub(crate) shape: Shape,
    pub(crate) soft: Soft,
    /// Where its registers begin among those of all shapes.
    pub(crate) start: usize,
    /// If it is cut.
    pub(crate) blocks: Range<usize>,
}

/// Shapes that share no particle: first those that are solved from first to last by one worker, then those that are
/// cut.
#[derive(Clone, Debug)]
pub(crate) struct Color {
    pub(crate) whole: Range<usize>,
    pub(crate) cut: Range<usize>,
    pub(crate) blocks: Range<usize>,
}

impl Fields {
    /// None if no body has any. Bodies have been checked.
    pub(super) fn of(
        bodies: &[Arc<Body>],
        plans: &[BodyPlan],
        x: &Rows,
        (iterations, joints): (u32, &[JointRows]),
    ) -> Result<Option<Fields>, Error> {
        if bodies.iter().all(|body| body.matched_shapes.is_empty() && body.volumes.is_empty()) {
            return Ok(None);
        }
        let mut fields = Fields {
            volumes: Vec::new(),
            rounds: Vec::new(),
            volume_blocks: Vec::new(),
            shapes: Vec::new(),
            colors: Vec::new(),
            shape_blocks: Vec::new(),
            registers: 0,
            alone: Vec::new(),
            alone_blocks: Vec::new(),
        };
        fields.add_volumes(bodies, plans, x, iterations);
        fields.add_shapes(bodies, plans, x, iterations)?;
        let is_joined = |body: usize| joints.iter().any(|rows| rows.others(body));
        let is_alone = |&body: &usize| {
            let made = &bodies[body];
            let is_free = made.frames.is_empty() && made.inv_mass.iter().all(|w| *w > 0.0);
            is_free && is_one(made) && !is_joined(body)
        };
        fields.alone = fields.volumes.iter().map(|volume| volume.body).collect();
        fields.alone.sort_unstable();
        fields.alone.dedup();
        fields.alone.retain(is_alone);
        fields.alone_blocks = fields.alone.iter().flat_map(|&body| plans[body].blocks.clone()).collect();
        Ok(Some(fields))
    }

    fn add_volumes(&mut self, bodies: &[Arc<Body>], plans: &[BodyPlan], x: &Rows, iterations: u32) {
        let of_body = |body: &Arc<Body>| body.volumes.len();
        for round in 0..bodies.iter().map(of_body).max().unwrap_or(0) {
            let first = self.volumes.len();
            for (body, (made, plan)) in bodies.iter().zip(plans).enumerate() {
                let Some(given) = made.volumes.get(round) else { continue };
                let triangles: Vec<[u32; 3]> = given.triangles.iter().map(|t| t.map(|v| plan.particle(v))).collect();
                let rings = Rings::new(x.len(), plan.layout, &triangles);
                let blocks = cut(&mut self.volume_blocks, self.volumes.len(), rings.len());
                let volume = volume(&rings, x);
                let soft = Soft::new(&given.stiffness, iterations);
                let pressure = given.pressure.clone();
                self.volumes.push(Volume { body, rings, volume, soft, pressure, blocks });
            }
            self.rounds.push(first..self.volumes.len());
        }
    }

    fn add_shapes(
        &mut self,
        bodies: &[Arc<Body>],
        plans: &[BodyPlan],
        x: &[Row],
        iterations: u32,
    ) -> Result<(), Error> {
        // (color, is cut, in the bodies' order)
        let mut found = Vec::new();
        for (number, (body, plan)) in bodies.iter().zip(plans).enumerate() {
            // Colors of the shapes that a vertex has been in.
            let mut taken = vec![Vec::new(); body.positions.len()];
            for (i, given) in body.matched_shapes.iter().enumerate() {
                let is_free = |color: &usize| given.vertices.iter().all(|&v| !taken[v as usize].contains(color));
                let color = (0..).find(is_free).unwrap_or(0);
                given.vertices.iter().for_each(|&v| taken[v as usize].push(color));
                let members: Vec<u32> = given.vertices.iter().map(|&v| plan.particle(v)).collect();
                let masses: Vec<f64> = given.masses.iter().map(|&m| f64::from(m)).collect();
                let shape = Shape::new(x, plan.layout, &members, &masses, f64::from(given.linear));
                let flat = || Error::FlatField { of: format!("body `{}`", body.name), field: i };
                found.push((color, shape.ok_or_else(flat)?, Soft::new(&given.stiffness, iterations), number));
            }
        }
        found.sort_by_key(|(color, shape, ..)| (*color, shape.len() > ALONE));
        for of_color in found.chunk_by(|a, b| a.0 == b.0) {
            let (first, first_block) = (self.shapes.len(), self.shape_blocks.len());
            let whole = of_color.iter().filter(|(_, shape, ..)| shape.len() <= ALONE).count();
            for (_, shape, soft, body) in of_color {
                let is_cut = shape.len() > ALONE;
                let registers = if is_cut { shape.len() } else { 0 };
                let blocks = cut(&mut self.shape_blocks, self.shapes.len(), registers);
                let (body, shape, soft) = (*body, shape.clone(), *soft);
                self.shapes.push(Matched { body, shape, soft, start: self.registers, blocks });
                self.registers += self.shapes[self.shapes.len() - 1].shape.len();
            }
            self.colors.push(Color {
                whole: first..first + whole,
                cut: first + whole..self.shapes.len(),
                blocks: first_block..self.shape_blocks.len(),
            });
        }
        Ok(())
    }

    /// Name, number, and sets that follow one another: shapes, volumes.
    pub(super) fn counts(&self) -> impl Iterator<Item = (&'static str, usize, usize)> + use<> {
        let (shapes, volumes) = (self.shapes.len(), self.volumes.len());
        let counts = [("shape", shapes, self.colors.len()), ("volume", volumes, self.rounds.len())];
        counts.into_iter().filter(|(_, count, _)| *count > 0)
    }

    /// Everything, as bytes.
    pub(super) fn bytes(&self, add: &mut impl FnMut(&[u8])) {
        let soft = |soft: Soft| [soft.number, f64::from(u8::from(soft.xpbd))];
        for of in &self.volumes {
            of.rings.bytes(&mut *add);
            of.pressure.bytes(&mut *add);
            add(bytemuck::bytes_of(&soft(of.soft)));
        }
        for of in &self.shapes {
            of.shape.bytes(&mut *add);
            add(bytemuck::bytes_of(&soft(of.soft)));
        }
    }
}

/// Whether a body's rows and fields lead from each vertex to all others.
fn is_one(body: &Body) -> bool {
    let mut of: Vec<u32> = (0..body.positions.len() as u32).collect();
    let root = |of: &mut Vec<u32>, mut v: u32| {
        while of[v as usize] != v {
            of[v as usize] = of[of[v as usize] as usize];
            v = of[v as usize];
        }
        v
    };
    let mut tie = |together: &[u32]| {
        for pair in together.windows(2) {
            let [a, b] = [pair[0], pair[1]].map(|v| root(&mut of, v));
            of[a.max(b) as usize] = a.min(b);
        }
    };
    for rows in &body.constraints {
        rows.at.chunks_exact(rows.kind.slots()).for_each(&mut tie);
    }
    body.volumes.iter().flat_map(|volume| volume.triangles.iter()).for_each(|t| tie(t));
    body.matched_shapes.iter().for_each(|shape| tie(&shape.vertices));
    (0..of.len() as u32).all(|v| root(&mut of, v) == 0)
}

/// Cuts a field into blocks.
fn cut(blocks: &mut Vec<FieldBlock>, of: usize, registers: usize) -> Range<usize> {
    let first = blocks.len();
    blocks.extend(
        (0..registers)
            .step_by(REGISTERS_A_BLOCK)
            .map(|start| FieldBlock { of, registers: start..registers.min(start + REGISTERS_A_BLOCK) }),
    );
    first..blocks.len()
}

/// The volume at rest, with the roundings of a step, so that what is at rest stays there.
fn volume(rings: &Rings, x: &Rows) -> f64 {
    let (mut x, mut u) = (x.clone(), Rows::zeros(x.len(), 0));
    let (mut p, mut g) = (u.clone(), u.clone());
    let shared = |rows| Shared::<Row>::new(rows);
    let of = Inflation { rings, x: shared(&mut x), u: shared(&mut u), p: shared(&mut p), g: shared(&mut g) };
    let mut sum = 0.0;
    // SAFETY: all arrays are this function's own.
    unsafe {
        of.place(Isa::PORTABLE, 0..rings.len());
        let mut blocks = Vec::new();
        cut(&mut blocks, 0, rings.len());
        for block in blocks {
            sum += of.gradients(Isa::PORTABLE, block.registers)[0];
        }
    }
    sum / 18.0
}
