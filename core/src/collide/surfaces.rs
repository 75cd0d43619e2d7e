//! What may touch: points, triangles and edges of all bodies that collide with each other or with themselves.

use super::broad::Broad;
use super::sure;
use crate::body::{Body, Collide};
use crate::filter::Filter;
use crate::plan::{BodyPlan, z_order};
use crate::tuning::{AT_REST, POINTS_A_GROUP};
use seidel_kernels::contact::pairs::{Features, Pair};
use seidel_kernels::{Isa, Row, Rows};
use std::ops::Range;

/// Features of all bodies, by their rows. Immutable, in the plan.
#[derive(Clone, Debug, Default)]
pub(crate) struct Surfaces {
    pub(crate) points: Vec<u32>,
    pub(crate) triangles: Vec<[u32; 3]>,
    pub(crate) edges: Vec<[u32; 2]>,
    /// The group of each row: neighbours in space; of a row without a point none is asked for.
    pub(crate) group: Vec<u32>,
    /// Mean length of the edges at the start, metres.
    pub(crate) edge: f32,
    /// Bodies that collide, in the order of their rows.
    pub(crate) bodies: Vec<Surface>,
    /// Pairs of one body that are nearer at rest than their distance: two features by number, and the distance that they keep.
    /// Ascending.
    near_at_rest: Vec<((Features, [u32; 2]), f32)>,
}

/// A body's.
#[derive(Clone, Debug)]
pub(crate) struct Surface {
    pub(crate) rows: Range<u32>,
    /// Blocks of the plan.
    pub(crate) blocks: Range<usize>,
    /// Particle radius, metres.
    pub(crate) thickness: f32,
    /// Square root of the friction coefficient.
    pub(crate) friction: f32,
    /// Which others it meets.
    pub(crate) filter: Filter,
    /// Whether it collides with itself.
    pub(crate) itself: bool,
}

impl Surfaces {
    /// Of bodies and where they lie; None if nothing can touch.
    pub(crate) fn new(bodies: &[Body], plans: &[BodyPlan], x: &Rows) -> Option<Surfaces> {
        let mut surfaces = Surfaces::default();
        let mut at_rest = Rows::zeros(x.len(), 0);
        for (body, plan) in bodies.iter().zip(plans).filter(|(body, _)| body.collide != Collide::Nothing) {
            surfaces.bodies.push(Surface {
                rows: plan.start as u32..(plan.start + plan.rows) as u32,
                blocks: plan.blocks.clone(),
                thickness: plan.thickness,
                friction: plan.friction,
                filter: plan.filter,
                itself: body.collide == Collide::All,
            });
            let row = |v: u32| plan.particle(v);
            surfaces.points.extend((0..body.positions.len() as u32).map(row));
            surfaces.triangles.extend(body.triangles.iter().map(|t| t.map(row)));
            let sides = body.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
            surfaces.edges.extend(sides.chain(body.edges.iter().copied()).map(|edge| edge.map(row)));
            (0..body.positions.len()).for_each(|v| at_rest[row(v as u32) as usize] = plan.get(x, v));
        }
        // Body by body, neighbours in space beside each other: a batch of pairs is then of one place.
        let (mut place, mut points) = (vec![0; x.len()], Vec::new());
        for body in &surfaces.bodies {
            let own = surfaces.points.iter().filter(|row| body.rows.contains(row));
            let rows: Vec<u32> = own.copied().collect();
            let position = |&row: &u32| std::array::from_fn(|k| at_rest[row as usize][k]);
            let positions: Vec<[f32; 3]> = rows.iter().map(position).collect();
            points.extend(z_order(&positions).into_iter().map(|at| rows[at as usize]));
        }
        points.iter().enumerate().for_each(|(at, &row)| place[row as usize] = at as u32);
        surfaces.points = points;
        surfaces.triangles.sort_unstable_by_key(|t| (t.iter().map(|&row| place[row as usize]).min(), *t));
        surfaces.edges.iter_mut().for_each(|edge| edge.sort_unstable_by_key(|&row| place[row as usize]));
        surfaces.edges.sort_unstable_by_key(|edge| edge.map(|row| place[row as usize]));
        surfaces.edges.dedup();
        surfaces.group = place.into_iter().map(|place| place / POINTS_A_GROUP).collect();
        let lone = surfaces.bodies.len() < 2 && surfaces.bodies.iter().all(|body| !body.itself);
        if surfaces.edges.is_empty() || lone {
            return None;
        }
        let length = |&[a, b]: &[u32; 2]| {
            let [a, b] = [a, b].map(|row| at_rest[row as usize].map(f64::from));
            (0..3).map(|k| (b[k] - a[k]) * (b[k] - a[k])).sum::<f64>().sqrt()
        };
        surfaces.edge = (surfaces.edges.iter().map(length).sum::<f64>() / surfaces.edges.len() as f64) as f32;
        surfaces.near_at_rest = surfaces.find_near_at_rest(&at_rest);
        Some(surfaces)
    }

    /// Everything, as bytes.
    pub(crate) fn bytes(&self, mut add: impl FnMut(&[u8])) {
        add(bytemuck::cast_slice(&self.points));
        add(bytemuck::cast_slice(&self.triangles));
        add(bytemuck::cast_slice(&self.edges));
        for body in &self.bodies {
            add(bytemuck::bytes_of(&[body.rows.start, body.rows.end, u32::from(body.itself)]));
            add(bytemuck::bytes_of(&[body.thickness, body.friction]));
            add(bytemuck::bytes_of(&[body.filter.groups, body.filter.mask]));
        }
    }

    /// The body of a row.
    fn body(&self, row: u32) -> usize {
        match self.bodies.len() {
            1 => 0,
            _ => self.bodies.partition_point(|body| body.rows.end <= row),
        }
    }

    /// Number of groups.
    pub(crate) fn groups(&self) -> u32 {
        (self.points.len() as u32).div_ceil(POINTS_A_GROUP)
    }

    /// The largest thickness, metres.
    pub(crate) fn thickest(&self) -> f32 {
        self.bodies.iter().fold(0.0, |most, body| body.thickness.max(most))
    }

    /// The pair of two features, if they may touch at all: a point and a triangle, or two edges, that share no particle.
    pub(crate) fn pair(&self, features: Features, [first, second]: [u32; 2]) -> Option<Pair> {
        let rows = match features {
            Features::PointTriangle => {
                let (p, [a, b, c]) = (self.points[first as usize], self.triangles[second as usize]);
                (p != a && p != b && p != c).then_some([p, a, b, c])
            }
            Features::EdgeEdge => {
                let ([a, b], [c, d]) = (self.edges[first as usize], self.edges[second as usize]);
                (a != c && a != d && b != c && b != d).then_some([a, b, c, d])
            }
        }?;
        let (a, b) = (self.body(rows[0]), self.body(rows[3]));
        let (of_a, of_b) = (&self.bodies[a], &self.bodies[b]);
        let meet = if a == b { of_a.itself } else { of_a.filter.meets(of_b.filter) };
        if !meet {
            return None;
        }
        let (mut reach, friction) = (of_a.thickness + of_b.thickness, of_a.friction * of_b.friction);
        if a == b && !self.near_at_rest.is_empty() {
            let found = self.near_at_rest.binary_search_by_key(&(features, [first, second]), |(pair, _)| *pair);
            reach = found.map_or(reach, |at| self.near_at_rest[at].1);
        }
        Some(Pair { rows, reach, friction })
    }

    /// Pairs of one body that are nearer than their distance where the body begins.
    fn find_near_at_rest(&self, x: &[Row]) -> Vec<((Features, [u32; 2]), f32)> {
        let (mut near, mut broad) = (Vec::new(), Broad::default());
        let balls: Vec<Row> = x.iter().map(|&[x, y, z, _]| [x, y, z, 0.0]).collect();
        // So crowded that it cannot be told: nothing is left out.
        if broad.search(self, Isa::detect(), &balls, |work| (0..2).for_each(work)).is_err() {
            return near;
        }
        for (features, numbers) in broad.overlapping() {
            let Some(pair) = self.pair(features, numbers) else { continue };
            let apart = sure::nearest(pair.rows.map(|row| x[row as usize]), features).distance as f32;
            if apart < pair.reach && self.body(pair.rows[0]) == self.body(pair.rows[3]) {
                near.push(((features, numbers), apart * AT_REST));
            }
        }
        near.sort_unstable_by_key(|(pair, _)| *pair);
        near
    }
}
