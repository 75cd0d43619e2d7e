//! The features that may touch: points, triangles and edges of all bodies that collide with each other or with
//! themselves, in clusters.

mod cover;
pub(crate) mod regions;

use crate::describe::body::{Body, Collide};
use crate::describe::filter::Filter;
use crate::describe::friction::CombineRule;
use crate::describe::values::mean;
use crate::geometry::vector::{cross, dot, length, sub};
use crate::plan::body::BodyPlan;
use crate::plan::joint::Joined;
use crate::plan::order::by_halves;
use crate::plan::samples::edges;
use crate::tuning::{EDGES_KEEP, FEATURES_A_CLUSTER, POINTS_A_CLUSTER, POINTS_A_PART, SKIN_OUT};
use regions::Regions;
use seidel_kernels::contact::pairs::{Corners, Features, Group};
use seidel_kernels::integrate::Run;
use seidel_kernels::{BATCH, Lanes, Rows};
use std::ops::Range;
use std::sync::Arc;

/// Features of all bodies, by their rows. Immutable, in the plan.
#[derive(Clone, Debug, Default)]
pub(crate) struct Surfaces {
    pub(crate) points: Vec<u32>,
    pub(crate) triangles: Vec<[u32; 3]>,
    pub(crate) edges: Vec<[u32; 2]>,
    /// Neighbours in space. Their points, triangles and edges lie one after another.
    pub(crate) clusters: Vec<Cluster>,
    /// Rows of the clusters' features.
    rows: Vec<u32>,
    /// The same of sixteen and sixteen clusters in lanes.
    pub(crate) sixteens: Vec<Group>,
    /// The clusters of which each row is: where those of a row begin, all of them, and their parts with the row, a bit
    /// each.
    of_row: (Vec<u32>, Vec<u32>, Vec<u8>),
    /// For each cluster, where those begin with which it has a corner in common, ascending; and all of these.
    beside: (Vec<u32>, Vec<u32>),
    /// Mean length of the edges at the start, metres.
    pub(crate) edge: f32,
    /// Bodies that collide, in the order of their rows.
    pub(crate) bodies: Vec<BodySurface>,
    /// The rows of all their particles, as many as a worker takes at a time.
    pub(crate) runs: Vec<Run>,
    /// Friction coefficient of each row; empty if no vertices have their own.
    pub(crate) frictions: Vec<f32>,
    /// Of bodies whose vertices have their own: thickness of each row, and how far what is shown sticks out there at
    /// rest, metres. Empty if there are none.
    pub(crate) thicknesses: Vec<f32>,
    /// How friction is combined.
    friction_rule: CombineRule,
    /// Where particles are when bodies begin; zero for rows without one.
    pub(crate) at_rest: Rows,
    /// Connected components.
    pub(crate) joined: Joined,
    /// Parts of plane sheets in which nothing can touch while they are flat.
    pub(crate) regions: Regions,
}

/// Features of particles that are neighbours.
#[derive(Clone, Debug)]
pub(crate) struct Cluster {
    pub(crate) body: usize,
    /// The largest thickness of its rows, and how far what is shown sticks out of the tetrahedra here at rest, metres.
    pub(crate) thickness: f32,
    pub(crate) points: Range<usize>,
    pub(crate) triangles: Range<usize>,
    pub(crate) edges: Range<usize>,
    /// The same in lanes.
    pub(crate) corners: Corners,
    /// Its parts, of some four points each: where two clusters are not parted by a plane, most of their parts are.
    pub(crate) parts: Vec<ClusterPart>,
    /// Of the surfaces' rows: those of its points, then those that its triangles and edges have beside them.
    rows: Range<usize>,
}

/// A part of a cluster.
#[derive(Clone, Debug)]
pub(crate) struct ClusterPart {
    /// Its features in lanes.
    pub(crate) corners: Corners,
    pub(crate) triangles: Range<usize>,
}

/// How far what is shown sticks out of the tetrahedra at rest, metres, near each of a body's clusters, on average: of
/// each vertex of their surface the most that a point sticks out of a triangle at it, and of those of a cluster the
/// mean. (With the most of a cluster nothing would sink anywhere, and gaps would be twice as wide:
/// docs/decisions/skins-at-colliders.md.) `of` has the cluster of a vertex.
fn stick_out(
    plan: &BodyPlan,
    body: &Body,
    at: &[[f32; 3]],
    (clusters, of): (usize, &dyn Fn(u32) -> usize),
) -> Vec<f32> {
    let Some(skin) = &plan.skin else { return vec![0.0; clusters] };
    let (edge, _) = edges(&plan.tets, |v| at[v as usize]);
    let mut most = vec![0.0f64; at.len()];
    for bond in skin.bonds().iter().chain(plan.samples.iter().map(|(bond, _)| bond)).filter(|bond| bond.is_near()) {
        let [b1, b2, b3] = bond.shares.map(f64::from);
        let shares = [((1.0 - b1) - b2) - b3, b1, b2, b3];
        for k in (0..4).filter(|&k| shares[k] < 0.0) {
            let face = [1, 2, 3].map(|next| bond.corners[(k + next) % 4]);
            let [a, b, c, d] = [face[0], face[1], face[2], bond.corners[k]].map(|v| at[v as usize].map(f64::from));
            let n = cross(sub(b, a), sub(c, a));
            let out = -shares[k] * dot(sub(d, a), n).abs() / length(n);
            let out = if out > SKIN_OUT * edge { SKIN_OUT * edge } else { out };
            for v in face {
                let most = &mut most[v as usize];
                *most = if out > *most { out } else { *most };
            }
        }
    }
    let mut on_surface = vec![false; at.len()];
    body.triangles.as_flattened().iter().for_each(|&v| on_surface[v as usize] = true);
    let mut sums = vec![(0.0, 0u32); clusters];
    for v in (0..at.len()).filter(|&v| on_surface[v]) {
        let (sum, count) = &mut sums[of(v as u32)];
        (*sum, *count) = (*sum + most[v], *count + 1);
    }
    sums.into_iter().map(|(sum, count)| if count > 0 { (sum / f64::from(count)) as f32 } else { 0.0 }).collect()
}

const _: () = assert!(POINTS_A_CLUSTER <= 8 * POINTS_A_PART, "a part is a bit of eight");

/// The ranges of a cluster's points that are its parts.
fn ranges_of_parts(points: usize) -> impl Iterator<Item = Range<usize>> {
    let parts = points.div_ceil(POINTS_A_PART).max(1);
    (0..parts).map(move |part| points * part / parts..points * (part + 1) / parts)
}

/// Orders a cluster's points so that its parts are neighbours in space.
fn in_parts(at: &[[f32; 3]], order: &mut [u32]) {
    let points: Vec<[f32; 3]> = order.iter().map(|&v| at[v as usize]).collect();
    let sorted: Vec<u32> =
        by_halves(&points, order.len().div_ceil(POINTS_A_PART)).iter().map(|&i| order[i as usize]).collect();
    order.copy_from_slice(&sorted);
}

/// A body's.
#[derive(Clone, Debug)]
pub(crate) struct BodySurface {
    /// Its number in the plan.
    pub(crate) number: usize,
    pub(crate) rows: Range<u32>,
    /// Blocks of the plan.
    pub(crate) blocks: Range<usize>,
    /// Particle radius, metres; the largest of its vertices, if they have their own.
    pub(crate) thickness: f32,
    /// Whether vertices have thicknesses of their own.
    pub(crate) by_vertex: bool,
    /// Friction, as contacts keep it.
    pub(crate) friction: f32,
    /// Which others it meets.
    pub(crate) filter: Filter,
    /// Whether it collides with itself.
    pub(crate) itself: bool,
    /// Whether all of it goes where it is taken.
    obstacle: bool,
    /// Whether it is of grains, of which those without a mass are not there.
    grains: bool,
    /// Whether it has triangles.
    sheet: bool,
    /// Whether it meets colliders by its skin, and not by these features.
    pub(crate) skinned: bool,
}

impl Surfaces {
    /// Whether the bodies with these rows collide with each other, or with themselves.
    pub(crate) fn collide(&self, a: u32, b: u32) -> bool {
        let of = |row: u32| self.bodies.iter().find(|body| body.rows.contains(&row));
        let (Some(a), Some(b)) = (of(a), of(b)) else { return false };
        if a.rows == b.rows { a.itself } else { a.filter.meets(b.filter) && !(a.obstacle && b.obstacle) }
    }

    /// Of bodies and where they lie; None if nothing can touch.
    pub(crate) fn new(bodies: &[Arc<Body>], plans: &[BodyPlan], x: &Rows, joined: &Joined) -> Option<Surfaces> {
        if !bodies.iter().any(|body| body.collide.is_exact()) {
            return None;
        }
        let friction_rule = plans.first().map_or(CombineRule::default(), |plan| plan.friction_rule);
        let at_rest = Rows::zeros(x.len(), 0);
        let mut surfaces = Surfaces { at_rest, joined: joined.clone(), friction_rule, ..Surfaces::default() };
        if bodies.iter().any(|body| body.collide.is_exact() && body.friction.count().is_some()) {
            surfaces.frictions = vec![0.0; x.len()];
        }
        if bodies.iter().any(|body| body.collide.is_exact() && body.thickness.count().is_some()) {
            surfaces.thicknesses = vec![0.0; x.len()];
        }
        // The cluster of each row's point, and its place among all points.
        let (mut cluster, mut place) = (vec![u32::MAX; x.len()], vec![u32::MAX; x.len()]);
        let all = bodies.iter().zip(plans).enumerate();
        for (of_plan, (body, plan)) in all.filter(|(_, (body, _))| body.collide.is_exact()) {
            let number = surfaces.bodies.len();
            surfaces.bodies.push(BodySurface {
                number: of_plan,
                rows: plan.start as u32..(plan.start + plan.rows) as u32,
                blocks: plan.blocks.clone(),
                thickness: plan.thickness,
                by_vertex: body.thickness.count().is_some(),
                friction: plan.friction,
                filter: plan.filter,
                itself: body.collide == Collide::All,
                obstacle: body.obstacle.is_some(),
                grains: body.grain.is_some(),
                sheet: !body.triangles.is_empty(),
                skinned: plan.skin.is_some(),
            });
            let row = |v: u32| plan.particle(v);
            let count = body.positions.len();
            if !surfaces.frictions.is_empty() {
                (0..count).for_each(|v| surfaces.frictions[row(v as u32) as usize] = body.friction.get(v));
            }
            (0..count).for_each(|v| surfaces.at_rest[row(v as u32) as usize] = plan.get(x, v));
            let at: Vec<[f32; 3]> = (0..count).map(|v| std::array::from_fn(|k| plan.get(x, v)[k])).collect();
            if count == 0 {
                continue;
            }
            let parts = count.div_ceil(POINTS_A_CLUSTER);
            let (first, mut order) = (surfaces.points.len(), by_halves(&at, parts));
            for part in 0..parts {
                let points = first + count * part / parts..first + count * (part + 1) / parts;
                in_parts(&at, &mut order[points.start - first..points.end - first]);
                for at in points.clone() {
                    let row = row(order[at - first]) as usize;
                    (cluster[row], place[row]) = (surfaces.clusters.len() as u32, at as u32);
                }
                let (triangles, edges, rows) = (0..0, 0..0, 0..0);
                surfaces.clusters.push(Cluster {
                    body: number,
                    thickness: plan.thickness,
                    points,
                    triangles,
                    edges,
                    corners: Corners::default(),
                    parts: Vec::new(),
                    rows,
                });
            }
            let own = surfaces.clusters.len() - parts;
            let of = |v: u32| cluster[row(v) as usize] as usize - own;
            let each = body.thickness.count().is_some();
            for (number, out) in stick_out(plan, body, &at, (parts, &of)).into_iter().enumerate() {
                surfaces.clusters[own + number].thickness += out;
                let points = surfaces.clusters[own + number].points.clone();
                for &v in order[points.start - first..points.end - first].iter().filter(|_| each) {
                    surfaces.thicknesses[row(v) as usize] = body.thickness.get(v as usize) + out;
                }
            }
            surfaces.points.extend(order.into_iter().map(row));
            surfaces.triangles.extend(body.triangles.iter().map(|t| t.map(row)));
            let sides = body.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
            surfaces.edges.extend(sides.chain(body.edges.iter().copied()).map(|edge| edge.map(row)));
        }
        // In the order of the first of their points.
        surfaces.triangles.sort_unstable_by_key(|t| (t.iter().map(|&row| place[row as usize]).min(), *t));
        surfaces.edges.iter_mut().for_each(|edge| edge.sort_unstable_by_key(|&row| place[row as usize]));
        surfaces.edges.sort_unstable_by_key(|edge| edge.map(|row| place[row as usize]));
        surfaces.edges.dedup();
        let lone = surfaces.bodies.len() < 2 && surfaces.bodies.iter().all(|body| !body.itself);
        if surfaces.edges.is_empty() || lone {
            return None;
        }
        surfaces.share_out(&cluster);
        let edge_length = |&[a, b]: &[u32; 2]| {
            let [a, b] = [a, b].map(|row| surfaces.at_rest[row as usize].map(f64::from));
            (0..3).map(|k| (b[k] - a[k]) * (b[k] - a[k])).sum::<f64>().sqrt()
        };
        surfaces.edge = (surfaces.edges.iter().map(edge_length).sum::<f64>() / surfaces.edges.len() as f64) as f32;
        Some(surfaces)
    }

    /// Gives clusters their features and rows. `of` has the cluster of each row's point.
    fn share_out(&mut self, of: &[u32]) {
        let Surfaces { points: points_of, triangles: triangles_of, edges: edges_of, clusters, rows, .. } = self;
        let (bodies, thicknesses) = (&self.bodies, &self.thicknesses);
        let first = |rows: &[u32]| rows.iter().map(|&row| of[row as usize]).min();
        let (mut triangle, mut edge) = (0, 0);
        for (number, cluster) in std::mem::take(clusters).into_iter().enumerate() {
            let own = Some(number as u32);
            let start = [triangle, edge];
            triangle += triangles_of[triangle..].iter().take_while(|t| first(&t[..]) == own).count();
            edge += edges_of[edge..].iter().take_while(|e| first(&e[..]) == own).count();
            let counts = [triangle - start[0], edge - start[1]];
            // A hub has so many features that some are clusters without points.
            let parts = counts.map(|count| count.div_ceil(FEATURES_A_CLUSTER)).into_iter().fold(1, usize::max);
            for part in 0..parts {
                let of_part = |k: usize| start[k] + counts[k] * part / parts..start[k] + counts[k] * (part + 1) / parts;
                let points = if part == 0 { cluster.points.clone() } else { cluster.points.end..cluster.points.end };
                let all = triangles_of[of_part(0)].as_flattened().iter().chain(edges_of[of_part(1)].as_flattened());
                let is_own = |row: u32| part == 0 && of[row as usize] == number as u32;
                let mut beside: Vec<u32> = all.copied().filter(|&row| !is_own(row)).collect();
                beside.sort_unstable();
                beside.dedup();
                let from = rows.len();
                rows.extend(&points_of[points.clone()]);
                rows.append(&mut beside);
                let each = rows[from..].iter().map(|&row| thicknesses[row as usize]);
                let each = if bodies[cluster.body].by_vertex { each.reduce(Lanes::larger) } else { None };
                let thickness = each.unwrap_or(cluster.thickness);
                let rows = from..rows.len();
                let (triangles, edges, body) = (of_part(0), of_part(1), cluster.body);
                let corners = Corners::new(
                    &points_of[points.clone()],
                    &triangles_of[triangles.clone()],
                    &edges_of[edges.clone()],
                );
                let parts = if parts == 1 {
                    let place = |row: u32| points.clone().find(|&at| points_of[at] == row);
                    // Features are in the order of the first of their points.
                    let part = |own: Range<usize>| {
                        let last = points.start + own.end;
                        let before =
                            |rows: &[u32], at: usize| rows.iter().filter_map(|&row| place(row)).min() < Some(at);
                        let of = |all: Range<usize>, before: &dyn Fn(usize, usize) -> bool| {
                            let end = |at: usize| all.clone().take_while(|&feature| before(feature, at)).count();
                            all.start + end(points.start + own.start)..all.start + end(last)
                        };
                        let triangles = of(triangles.clone(), &|t, at| before(&triangles_of[t], at));
                        let edges = of(edges.clone(), &|e, at| before(&edges_of[e], at));
                        let points = &points_of[points.start + own.start..last];
                        let corners = Corners::new(points, &triangles_of[triangles.clone()], &edges_of[edges]);
                        ClusterPart { corners, triangles }
                    };
                    ranges_of_parts(points.len()).map(part).collect()
                } else {
                    vec![ClusterPart { corners: corners.clone(), triangles: triangles.clone() }]
                };
                clusters.push(Cluster { body, thickness, points, triangles, edges, corners, parts, rows });
            }
        }
        for sixteen in clusters.chunks(BATCH) {
            let rows: Vec<&[u32]> = sixteen.iter().map(|cluster| &rows[cluster.rows.clone()]).collect();
            self.sixteens.push(Group::new(&rows));
        }
        let mut beside = (Vec::new(), Vec::new());
        let (starts, of_row, parts_of_row) = &mut self.of_row;
        starts.resize(self.at_rest.len() + 1, 0);
        rows.iter().for_each(|&row| starts[row as usize + 1] += 1);
        (1..starts.len()).for_each(|row| starts[row] += starts[row - 1]);
        let mut next = starts.clone();
        of_row.resize(rows.len(), 0);
        parts_of_row.resize(rows.len(), 0);
        for (number, cluster) in self.clusters.iter().enumerate() {
            for (part, of_part) in cluster.parts.iter().enumerate() {
                of_part.corners.rows().for_each(|row| parts_of_row[next[row as usize] as usize] |= 1 << part);
            }
            for &row in &self.rows[cluster.rows.clone()] {
                of_row[next[row as usize] as usize] = number as u32;
                next[row as usize] += 1;
            }
        }
        let mut near = Vec::new();
        for cluster in &self.clusters {
            near.clear();
            self.rows(cluster).iter().for_each(|&row| near.extend(self.clusters_of(row)));
            near.sort_unstable();
            near.dedup();
            beside.0.push(beside.1.len() as u32);
            beside.1.extend(&near);
        }
        beside.0.push(beside.1.len() as u32);
        self.beside = beside;
    }

    /// The friction coefficient of a pair of features with these rows, the first of which are those of one of them: of
    /// each feature the mean, and of these what the rule makes of them. There are `frictions`.
    pub(crate) fn friction_of(&self, rows: [u32; 4], firsts: usize) -> f32 {
        let rule = self.friction_rule;
        let of = |rows: &[u32]| rule.grip(mean(rows.iter().map(|&row| self.frictions[row as usize])));
        rule.of_grips().of(of(&rows[..firsts]), of(&rows[firsts..]))
    }

    /// The distance that a pair of features of two clusters keeps, metres, if vertices of their bodies have their own
    /// thickness: of each feature the mean. `firsts` of its rows are those of one of them.
    pub(crate) fn reach_of(
        &self,
        features: Features,
        clusters: [u32; 2],
        rows: [u32; 4],
        firsts: usize,
    ) -> Option<f32> {
        let both = clusters.map(|cluster| &self.clusters[cluster as usize]);
        let body = |cluster: &Cluster| &self.bodies[cluster.body];
        if !both.iter().any(|cluster| body(cluster).by_vertex) {
            return None;
        }
        let of = |rows: &[u32]| {
            let own = if body(both[0]).rows.contains(&rows[0]) { both[0] } else { both[1] };
            if body(own).by_vertex {
                mean(rows.iter().map(|&row| self.thicknesses[row as usize]))
            } else {
                own.thickness
            }
        };
        let reach = of(&rows[..firsts]) + of(&rows[firsts..]);
        Some(if self.edges_of_sheets(features, clusters) { reach * EDGES_KEEP } else { reach })
    }

    /// The thickness of a body's point or triangle, without what sticks out, metres.
    pub(crate) fn thickness_of(&self, body: &BodySurface, rows: &[u32]) -> f32 {
        if !body.by_vertex || body.skinned {
            return body.thickness;
        }
        mean(rows.iter().map(|&row| self.thicknesses[row as usize]))
    }

    /// Whether a pair of two clusters is of edges of sheets.
    fn edges_of_sheets(&self, features: Features, clusters: [u32; 2]) -> bool {
        features == Features::EdgeEdge && self.are_sheets(clusters)
    }

    /// Everything, as bytes.
    pub(crate) fn bytes(&self, mut add: impl FnMut(&[u8])) {
        add(bytemuck::cast_slice(&self.points));
        add(bytemuck::cast_slice(&self.triangles));
        add(bytemuck::cast_slice(&self.edges));
        for body in &self.bodies {
            let flags = u32::from(body.itself) | u32::from(body.obstacle) << 1;
            add(bytemuck::bytes_of(&[body.rows.start, body.rows.end, flags]));
            add(bytemuck::bytes_of(&[body.thickness, body.friction]));
            add(bytemuck::bytes_of(&[body.filter.groups, body.filter.mask]));
        }
        for cluster in self.clusters.iter().filter(|cluster| self.bodies[cluster.body].skinned) {
            add(bytemuck::bytes_of(&cluster.thickness));
        }
        add(bytemuck::cast_slice(&self.thicknesses));
    }

    /// Rows of a cluster's features, those of its points first.
    pub(crate) fn rows(&self, cluster: &Cluster) -> &[u32] {
        &self.rows[cluster.rows.clone()]
    }

    /// Whether two clusters have a corner in common.
    pub(crate) fn share_a_corner(&self, [a, b]: [u32; 2]) -> bool {
        let (starts, all) = &self.beside;
        all[starts[a as usize] as usize..starts[a as usize + 1] as usize].contains(&b)
    }

    /// Clusters of whose features a row is one, ascending.
    pub(crate) fn clusters_of(&self, row: u32) -> &[u32] {
        &self.of_row.1[self.range_of(row)]
    }

    /// The same, with those of their parts of whose features the row is one: a bit a part.
    pub(crate) fn parts_of(&self, row: u32) -> impl Iterator<Item = (u32, u8)> {
        let (_, clusters, parts) = &self.of_row;
        let range = self.range_of(row);
        clusters[range.clone()].iter().copied().zip(parts[range].iter().copied())
    }

    fn range_of(&self, row: u32) -> Range<usize> {
        self.of_row.0[row as usize] as usize..self.of_row.0[row as usize + 1] as usize
    }

    /// The largest thickness, metres.
    pub(crate) fn thickest(&self) -> f32 {
        self.clusters.iter().fold(0.0, |most, cluster| cluster.thickness.max(most))
    }

    /// Whether features of two clusters may touch at all.
    pub(crate) fn meet(&self, [a, b]: [u32; 2]) -> bool {
        let (a, b) = (&self.clusters[a as usize], &self.clusters[b as usize]);
        let [of_a, of_b] = [&self.bodies[a.body], &self.bodies[b.body]];
        let both_go = of_a.obstacle && of_b.obstacle;
        if a.body == b.body { of_a.itself } else { !both_go && of_a.filter.meets(of_b.filter) }
    }

    /// Whether two clusters are of one body, or of bodies that a joint holds together: what is near at rest may stay
    /// so.
    pub(crate) fn hang_together(&self, [a, b]: [u32; 2]) -> bool {
        let [a, b] = [a, b].map(|cluster| self.clusters[cluster as usize].body);
        a == b || self.joined.bodies(self.bodies[a].number, self.bodies[b].number)
    }

    /// Whether both of two clusters are sheets'.
    pub(crate) fn are_sheets(&self, clusters: [u32; 2]) -> bool {
        clusters.iter().all(|&cluster| self.bodies[self.clusters[cluster as usize].body].sheet)
    }

    /// Whether one of two clusters is an obstacle's.
    pub(crate) fn with_obstacle(&self, clusters: [u32; 2]) -> bool {
        clusters.iter().any(|&cluster| self.bodies[self.clusters[cluster as usize].body].obstacle)
    }

    /// Whether a row is a grain's.
    pub(crate) fn of_grains(&self, row: u32) -> bool {
        self.bodies.iter().any(|body| body.grains && body.rows.contains(&row))
    }

    /// Whether one of two clusters is of grains.
    pub(crate) fn with_grains(&self, clusters: [u32; 2]) -> bool {
        clusters.iter().any(|&cluster| self.bodies[self.clusters[cluster as usize].body].grains)
    }

    /// Distance that features of two clusters keep, metres.
    pub(crate) fn reach(&self, [a, b]: [u32; 2]) -> f32 {
        let of = |cluster: u32| self.clusters[cluster as usize].thickness;
        of(a) + of(b)
    }

    /// The parameters of all pairs of features of two clusters: the distance that they keep, metres, and their friction
    /// coefficient.
    pub(crate) fn between(&self, features: Features, clusters: [u32; 2]) -> (f32, f32) {
        let reach = self.reach(clusters);
        let [a, b] = clusters.map(|cluster| &self.bodies[self.clusters[cluster as usize].body]);
        let friction = self.friction_rule.of_grips().of(a.friction, b.friction);
        (if self.edges_of_sheets(features, clusters) { reach * EDGES_KEEP } else { reach }, friction)
    }
}
