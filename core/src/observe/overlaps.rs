//! Rigid bodies that begin in each other or in colliders.

use crate::describe::collider::Collider;
use crate::describe::pose::Pose;
use crate::geometry::boxes::{Box3, BoxTree};
use crate::geometry::vector::length;
use crate::observe::rigid::{depth, thinnest};
use crate::plan::Plan;
use crate::plan::rigid::{PlacedCollider, PlacedShape, Rigid};
use crate::tuning::{BEGINS_OVERLAPPING, MOST_OVERLAPS, OVERLAP_ROUNDING, OVERLAPS_A_SHAPE};
use rayon::prelude::*;
use seidel_rigid::Shape;
use seidel_rigid::tuning::PUSH_OUT;

/// Two shapes, the first of a body, by their numbers in the plan.
type Shapes = [u32; 2];

impl Plan {
    /// The rigid bodies that begin deepest in each other, or in a collider, as a warning.
    pub(super) fn begins_overlapping(&self) -> Option<String> {
        let rigid = self.rigid.as_ref()?;
        let bodies = rigid.shapes.iter().map(|PlacedShape { body, shape, pose, .. }| {
            let at = rigid.bodies[*body as usize].pose.place(pose);
            (shape, at)
        });
        let colliders = rigid.colliders.iter().map(|PlacedCollider { collider, shape, .. }| {
            let Collider { motion, pose, .. } = &self.colliders[*collider as usize];
            (shape, motion.at(pose, 0.0))
        });
        let placed: Vec<(&Shape, Pose)> = bodies.chain(colliders).collect();
        let found = self.near(rigid, &placed);
        let overlap = |shapes: &Shapes| {
            let [a, b] = shapes.map(|shape| placed[shape as usize]);
            let side = thinnest(a.0).min(thinnest(b.0));
            let rounding = OVERLAP_ROUNDING * (length(a.1.position) + length(b.1.position));
            let depth = depth(a, b);
            // Also false where it is no number.
            (depth > BEGINS_OVERLAPPING * side + rounding).then(|| (shapes.map(|shape| rigid.row(shape)), depth))
        };
        let mut overlaps: Vec<([u32; 2], f64)> = found.par_iter().filter_map(overlap).collect();
        // The deepest of each pair of bodies, and then of all; of equally deep ones the first in the scene.
        overlaps.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
        overlaps.dedup_by_key(|(rows, _)| *rows);
        let &([a, b], depth) = overlaps.iter().reduce(|most, of| if of.1 > most.1 { of } else { most })?;
        let depth = three_digits(depth);
        let name = |row: u32| &rigid.bodies[row as usize].name;
        let begins = match (b as usize).checked_sub(rigid.bodies.len()) {
            None => format!("rigid bodies `{}` and `{}` start {depth} m in each other", name(a), name(b)),
            Some(c) => {
                format!("rigid body `{}` starts {depth} m inside collider `{}`", name(a), self.colliders[c].name)
            }
        };
        let count = match overlaps.len() {
            1 => String::new(),
            count if found.len() == most_pairs(placed.len()) => {
                format!(", the deepest of {count} pairs that overlap, or more")
            }
            count => format!(", the deepest of {count} pairs that overlap"),
        };
        Some(format!(
            "{begins}{count}: they are pushed out at up to {PUSH_OUT} m/s; move them apart, or let them pass through each \
             other by `groups` and `mask` or by a joint with `collide = false`"
        ))
    }

    /// Pairs of shapes that may push each other and whose boxes meet, [`most_pairs`] at most.
    fn near(&self, rigid: &Rigid, placed: &[(&Shape, Pose)]) -> Vec<Shapes> {
        let boxes: Vec<Option<Box3>> = placed.iter().map(bounds).collect();
        let of = |shape: u32| boxes[shape as usize].unwrap_or([[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]]);
        let bodies = rigid.shapes.len() as u32;
        let can_meet = |&shape: &u32| !(rigid.is_sensor(shape) || rigid.alone[rigid.row(shape) as usize]);
        let order: Vec<u32> = (0..bodies).filter(can_meet).collect();
        let all = order.clone();
        let tree = BoxTree::new(order, of, |shape, axis| of(shape)[0][axis] + of(shape)[1][axis]);
        let (mut found, most) = (Vec::new(), most_pairs(placed.len()));
        for second in all.into_iter().chain(bodies..placed.len() as u32) {
            let bound = boxes[second as usize];
            let meets = |&[low, high]: &Box3| {
                let apart = bound.is_some_and(|[from, to]| (0..3).any(|k| low[k] > to[k] || high[k] < from[k]));
                (!apart).then_some(0.0)
            };
            tree.walk(f64::INFINITY, meets, |first| {
                // Of two bodies once.
                if found.len() < most
                    && (second >= bodies || first < second)
                    && meets(&of(first)).is_some()
                    && self.push(rigid, [first, second])
                {
                    found.push([first, second]);
                }
                if found.len() < most { f64::INFINITY } else { f64::NEG_INFINITY }
            });
            if found.len() >= most {
                break;
            }
        }
        found
    }

    /// Whether two shapes push each other where they touch, the first a body's.
    fn push(&self, rigid: &Rigid, shapes: Shapes) -> bool {
        let [a, b] = shapes.map(|shape| rigid.row(shape));
        let one = &rigid.bodies[a as usize];
        match rigid.bodies.get(b as usize) {
            Some(other) => {
                let pair = if a < b { [a, b] } else { [b, a] };
                let joined = rigid.joined.binary_search_by_key(&pair, |(bodies, _)| *bodies).is_ok();
                a != b && !joined && one.filter.meets(other.filter) && (one.inv_mass > 0.0 || other.inv_mass > 0.0)
            }
            None => one.inv_mass > 0.0 && one.filter.meets(self.colliders[b as usize - rigid.bodies.len()].filter),
        }
    }
}

/// Pairs of so many shapes that are looked at.
fn most_pairs(shapes: usize) -> usize {
    MOST_OVERLAPS.max(OVERLAPS_A_SHAPE * shapes)
}

/// A box about a shape; none of a half space.
fn bounds((shape, at): &(&Shape, Pose)) -> Option<Box3> {
    let extent = shape.extent(&at.axes())?;
    // Extents and axes are f32.
    let pad = |k: usize| f64::from(extent[k]) * (1.0 + 1e-6) + 1e-6 * at.position[k].abs();
    Some([[0, 1, 2].map(|k| at.position[k] - pad(k)), [0, 1, 2].map(|k| at.position[k] + pad(k))])
}

/// A number of three digits that is near another.
pub(super) fn three_digits(number: f64) -> f64 {
    format!("{number:.2e}").parse().unwrap_or(number)
}
