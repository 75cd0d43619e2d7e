//! The loads that gravity puts on rows: an estimate, before anything moves.
//!
//! Every particle's weight flows to the nearest fixed particle along edges: at each particle to all neighbours that are
//! nearer to it, to each in the proportion in which its edge leads there. The load that passes an edge is its tension;
//! a load that lies sideways of its pin pulls harder than its weight (`SIDEWAYS`), and in a solid that stands out from
//! its pin bending does. A body that is not pinned is stopped by something one day, as if half of it hung from its
//! middle, times `FALL`.

use crate::describe::body::Body;
use crate::describe::mesh::edges_of;
use crate::geometry::vector::{P, cross, dot, sub};
use crate::plan::joint::JointRows;
use crate::tuning::{CARRIED, CREASED, FALL, GATHERED, HELD, SIDEWAYS};
use seidel_kernels::Kind;
use seidel_kinds as kinds;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;
use std::sync::Arc;

/// Metres: particles nearer than this are at one place.
const TINY: f64 = 1e-9;

/// Least share of a soft row: where there is no other, it carries the load.
const LEAST_FIRMNESS: f64 = 1e-9;

/// Two particles that a row keeps near each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct LoadedEdge {
    /// Nodes: particles, numbered over all bodies.
    pub(super) ends: [u32; 2],
    /// m/N; of several rows that of the stiffest.
    pub(super) compliance: f64,
    /// At rest, metres.
    pub(super) length: f64,
    /// Whether a row is about this edge alone, with a compliance.
    pub(super) own: bool,
}

/// What each node, or each vertex of a body, may have to carry beside its own weight, N; empty if that is nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Carried {
    /// Of bodies.
    pub(super) bodies: Vec<f64>,
    /// Of fluids and grains, and of what joints hang on vertices.
    pub(super) fluids: Vec<f64>,
}

/// Particles and edges of a scene, and the ways from each particle to the nearest fixed one.
#[derive(Debug)]
pub(super) struct Loads<'a> {
    bodies: &'a [Arc<Body>],
    /// The nodes of each body.
    nodes: Vec<Range<usize>>,
    /// Of each, how much harder its creases pull.
    creased: Vec<f64>,
    body_of: Vec<u32>,
    pub(super) edges: Vec<LoadedEdge>,
    /// The edges of each node: from `starts[node]` to the next.
    starts: Vec<u32>,
    around: Vec<u32>,
    /// m/s^2, and the direction against it.
    gravity: f64,
    up: P,
    /// Way of each node to the nearest fixed one, metres, infinite where none leads; and that one.
    ways: Vec<(f64, u32)>,
    /// The nodes from which a way leads, nearest first.
    order: Vec<u32>,
}

/// Whether rows of a kind resist stretch: those of bending do not.
fn resists_stretch(kind: &Kind) -> bool {
    !kind.is(&kinds::DIHEDRAL) && !kind.is(&kinds::ISOMETRIC) && (2..=4).contains(&kind.points())
}

/// `CREASED` for a pinned sheet that is closed and has nothing inside, 1 for all else and for what has no nodes.
fn creased(body: &Body, nodes: &Range<usize>) -> f64 {
    let is_empty = body.tets.is_empty() && body.matched_shapes.is_empty() && body.volumes.is_empty();
    let is_pinned = !nodes.is_empty() && body.obstacle.is_none() && body.inv_mass.contains(&0.0);
    let is_closed = || edges_of(&body.triangles, body.positions.len()).iter().all(|edge| edge.triangles == 2);
    if is_empty && is_pinned && !body.triangles.is_empty() && is_closed() { CREASED } else { 1.0 }
}

impl<'a> Loads<'a> {
    /// Of the bodies for which `is_member` has true, and of the joints, which hold no others.
    pub(super) fn of(
        bodies: &'a [Arc<Body>],
        is_member: &[bool],
        joints: &[JointRows],
        gravity: [f32; 3],
    ) -> Loads<'a> {
        let (mut nodes, mut body_of) = (Vec::with_capacity(bodies.len()), Vec::new());
        for (number, body) in bodies.iter().enumerate() {
            let count = if is_member[number] { body.positions.len() } else { 0 };
            nodes.push(body_of.len()..body_of.len() + count);
            body_of.resize(body_of.len() + count, number as u32);
        }
        let gravity = gravity.map(f64::from);
        let size = dot(gravity, gravity).sqrt();
        let mut loads = Loads {
            bodies,
            creased: bodies.iter().zip(&nodes).map(|(body, nodes)| creased(body, nodes)).collect(),
            nodes,
            body_of,
            edges: Vec::new(),
            starts: Vec::new(),
            around: Vec::new(),
            gravity: size,
            up: if size > 0.0 { gravity.map(|c| -c / size) } else { [0.0; 3] },
            ways: Vec::new(),
            order: Vec::new(),
        };
        loads.edges = loads.all_edges(joints);
        loads.surround();
        let all: Vec<u32> = (0..loads.body_of.len() as u32).filter(|&node| loads.inv_mass(node) == 0.0).collect();
        (loads.ways, loads.order) = loads.ways_from(0..loads.body_of.len(), &all, |_| true);
        loads
    }

    /// The nodes of a body: its first vertex, and one behind its last.
    pub(super) fn nodes(&self, body: usize) -> Range<usize> {
        self.nodes[body].clone()
    }

    /// The edges whose first end is in a body: they are sorted by it.
    pub(super) fn edges_of(&self, body: usize) -> Range<usize> {
        let Range { start, end } = self.nodes(body);
        let first = |node: usize| self.edges.partition_point(|edge| (edge.ends[0] as usize) < node);
        first(start)..first(end)
    }

    /// The body of an edge's first end.
    pub(super) fn body(&self, edge: &LoadedEdge) -> usize {
        self.body_of[edge.ends[0] as usize] as usize
    }

    /// Body and vertex of a node.
    pub(super) fn vertex(&self, node: u32) -> (usize, usize) {
        let body = self.body_of[node as usize] as usize;
        (body, node as usize - self.nodes[body].start)
    }

    pub(super) fn inv_mass(&self, node: u32) -> f64 {
        let (body, vertex) = self.vertex(node);
        f64::from(self.bodies[body].inv_mass[vertex])
    }

    /// N.
    pub(super) fn weight(&self, node: u32) -> f64 {
        match self.inv_mass(node) {
            w if w > 0.0 => self.gravity / w,
            _ => 0.0,
        }
    }

    /// The way of a node to the nearest fixed one, metres, infinite where none leads; and that one.
    pub(super) fn way(&self, node: u32) -> (f64, u32) {
        self.ways[node as usize]
    }

    pub(super) fn place(&self, node: u32) -> P {
        let (body, vertex) = self.vertex(node);
        self.bodies[body].positions[vertex].map(f64::from)
    }

    /// How level a direction is: 1 across gravity, 0 along it or where there is none.
    pub(super) fn level(&self, direction: P) -> f64 {
        let (along, size) = (dot(direction, self.up), dot(direction, direction));
        if self.gravity > 0.0 { (1.0 - along * along / size).max(0.0).sqrt() } else { 0.0 }
    }

    /// All pairs of each row's particles, ascending.
    fn all_edges(&self, joints: &[JointRows]) -> Vec<LoadedEdge> {
        // By their first ends, and then those of each by the second: there are few of one.
        let mut starts = vec![0usize; self.body_of.len() + 1];
        self.each_pair(joints, |[a, b], _, _| starts[a.min(b) as usize + 1] += 1);
        (1..starts.len()).for_each(|node| starts[node] += starts[node - 1]);
        let count = starts[self.body_of.len()];
        let none = LoadedEdge { ends: [0; 2], compliance: 0.0, length: 0.0, own: false };
        let (mut next, mut edges) = (starts.clone(), vec![none; count]);
        self.each_pair(joints, |[a, b], slots, compliance| {
            let length = distance(self.place(a), self.place(b));
            // The compliance of an element is per J: times L^2 it is about an edge's.
            let scale = if slots > 2 { length * length } else { 1.0 };
            let own = slots == 2 && compliance.is_some();
            let compliance = scale * f64::from(compliance.unwrap_or(0.0));
            let next = &mut next[a.min(b) as usize];
            edges[*next] = LoadedEdge { ends: [a.min(b), a.max(b)], compliance, length, own };
            *next += 1;
        });
        for of_node in starts.windows(2) {
            // Compliances are not negative, and so in the order of their bits.
            edges[of_node[0]..of_node[1]]
                .sort_unstable_by_key(|edge| (edge.ends[1], edge.compliance.to_bits(), edge.own));
        }
        edges.dedup_by_key(|edge| edge.ends);
        edges
    }

    /// Calls `pair` with the nodes of each pair of each row's particles, the number of these, and the row's compliance
    /// if it has one.
    fn each_pair(&self, joints: &[JointRows], mut pair: impl FnMut([u32; 2], usize, Option<f32>)) {
        let mut at = Vec::new();
        let mut row = |nodes: &mut dyn Iterator<Item = u32>, compliance: Option<f32>| {
            at.clear();
            at.extend(nodes);
            for (i, &a) in at.iter().enumerate() {
                at[i + 1..].iter().for_each(|&b| pair([a, b], at.len(), compliance));
            }
        };
        for (body, nodes) in self.bodies.iter().zip(&self.nodes).filter(|(_, nodes)| !nodes.is_empty()) {
            for c in body.constraints.iter().filter(|c| resists_stretch(&c.kind)) {
                for (number, slots) in c.at.chunks_exact(c.kind.slots()).enumerate() {
                    let compliance = c.stiffness.is_compliance().then(|| c.stiffness.values().get(number));
                    row(&mut slots[..c.kind.points()].iter().map(|&v| nodes.start as u32 + v), compliance);
                }
            }
        }
        for rows in joints.iter().filter(|rows| resists_stretch(&rows.constraints.kind)) {
            for slots in rows.constraints.at.chunks_exact(rows.constraints.kind.slots()) {
                let ends = &mut slots.iter().map(|&end| {
                    let (body, vertex) = rows.end(end);
                    self.nodes[body].start as u32 + vertex
                });
                row(ends, None);
            }
        }
    }

    /// Lists the edges of each node.
    fn surround(&mut self) {
        let count = self.body_of.len();
        let mut starts = vec![0u32; count + 1];
        self.edges.iter().flat_map(|edge| edge.ends).for_each(|node| starts[node as usize + 1] += 1);
        (0..count).for_each(|node| starts[node + 1] += starts[node]);
        let (mut next, mut around) = (starts.clone(), vec![0; 2 * self.edges.len()]);
        for (number, edge) in self.edges.iter().enumerate() {
            for node in edge.ends {
                around[next[node as usize] as usize] = number as u32;
                next[node as usize] += 1;
            }
        }
        (self.starts, self.around) = (starts, around);
    }

    /// The edges of a node, and the nodes at their other ends.
    pub(super) fn of_node(&self, node: u32) -> impl Iterator<Item = (usize, u32)> {
        let range = self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize;
        self.around[range].iter().map(move |&edge| {
            let [a, b] = self.edges[edge as usize].ends;
            (edge as usize, if a == node { b } else { a })
        })
    }

    /// The way of each of some nodes to the nearest source along edges between them that `may` be taken, metres, and
    /// that source; infinite where none leads. And the nodes from which one leads, nearest first.
    pub(super) fn ways_from(
        &self,
        nodes: Range<usize>,
        sources: &[u32],
        may: impl Fn(usize) -> bool,
    ) -> (Vec<(f64, u32)>, Vec<u32>) {
        let at = |node: u32| node as usize - nodes.start;
        let mut ways = vec![(f64::INFINITY, 0); nodes.len()];
        let mut order = Vec::new();
        // The least of what was put off for each node: what is not less comes later, and finds it reached.
        let mut tried = vec![(u64::MAX, u32::MAX); nodes.len()];
        // Distances are not negative, and so in the order of their bits.
        let put_off = |way: u64, node: u32, source: u32| {
            Reverse(u128::from(way) << 64 | u128::from(node) << 32 | u128::from(source))
        };
        let mut open: BinaryHeap<Reverse<u128>> = sources.iter().map(|&node| put_off(0, node, node)).collect();
        while let Some(Reverse(next)) = open.pop() {
            let (way, node, source) = ((next >> 64) as u64, (next >> 32) as u32, next as u32);
            if ways[at(node)].0.is_finite() {
                continue;
            }
            let way = f64::from_bits(way);
            ways[at(node)] = (way, source);
            order.push(node);
            for (edge, other) in
                self.of_node(node).filter(|(edge, other)| nodes.contains(&(*other as usize)) && may(*edge))
            {
                let way = (way + self.edges[edge].length.max(TINY)).to_bits();
                if ways[at(other)].0.is_infinite() && (way, source) < tried[at(other)] {
                    tried[at(other)] = (way, source);
                    open.push(put_off(way, other, source));
                }
            }
        }
        (ways, order)
    }

    /// The tension of each edge, N, in substeps of the length h: `h2` is its square, infinite where rows share loads
    /// whatever their compliances. `held` tells of nodes that long range attachments hold: these carry their loads, and
    /// edges between them have little to do (`HELD`).
    pub(super) fn tensions(&self, held: impl Fn(u32) -> bool, h2: f64) -> Vec<f64> {
        let mut tensions = vec![0.0; self.edges.len()];
        let mut loads: Vec<f64> = (0..self.body_of.len() as u32).map(|node| self.weight(node)).collect();
        let (levers, creased, mut around, mut shares) = (self.levers(), &self.creased, Vec::new(), Vec::new());
        for &node in self.order.iter().rev() {
            let (way, pin) = self.ways[node as usize];
            if pin == node {
                continue;
            }
            let gathered = self.share(node, h2, &mut around, &mut shares);
            let body = self.body_of[node as usize] as usize;
            let harder = gathered * creased[body] * self.harder(node, pin, levers[body]);
            if held(node) {
                for &(edge, other, _) in &shares {
                    // A heavy one is held by itself: a column of the lighter.
                    let [own, others] = [node, other].map(|node| self.weight(node));
                    let lighter = if others > 0.0 { own.min(others) } else { own };
                    let column = lighter * (way / self.edges[edge].length.max(TINY));
                    tensions[edge] = HELD * harder * column;
                }
                continue;
            }
            let sum = shares.iter().map(|(.., share)| share).sum::<f64>();
            for &(edge, other, share) in &shares {
                let load = loads[node as usize] * (share / sum);
                loads[other as usize] += load;
                tensions[edge] = load * harder;
            }
        }
        self.fall(&mut tensions);
        tensions
    }

    /// Fills `shares` with the edges over which a node's load flows, the nodes at their other ends, and parts of a sum;
    /// `around` is scratch. Returns `GATHERED` where one of its rows is more than twice as firm as another,
    /// otherwise 1.
    fn share(
        &self,
        node: u32,
        h2: f64,
        around: &mut Vec<(usize, u32, f64)>,
        shares: &mut Vec<(usize, u32, f64)>,
    ) -> f64 {
        let way = self.ways[node as usize].0;
        around.clear();
        around.extend(self.of_node(node).map(|(edge, other)| (edge, other, self.firmness(edge, h2))));
        shares.clear();
        shares.extend(around.iter().filter_map(|&(edge, other, firmness)| {
            let less = way - self.ways[other as usize].0;
            let share = less / self.edges[edge].length.max(TINY) * firmness;
            (less > 0.0).then_some((edge, other, share))
        }));
        let firmness = || around.iter().map(|(.., firmness)| *firmness);
        let (least, most) = (firmness().fold(1.0, f64::min), firmness().fold(0.0, f64::max));
        if least < 0.5 * most { GATHERED } else { 1.0 }
    }

    /// Adds to the tensions the loads that nodes carry beside their own weights (`carried.rs`), times `CARRIED`. A load
    /// ends at the first node that a long range attachment holds and that carries nothing itself.
    pub(super) fn carry(&self, tensions: &mut [f64], carried: &Carried, held: impl Fn(u32) -> bool, h2: f64) {
        let Carried { bodies, fluids } = carried;
        let mut loads: Vec<f64> =
            bodies.iter().zip(fluids).map(|(of_bodies, of_fluids)| of_bodies + of_fluids).collect();
        if loads.is_empty() {
            return;
        }
        let (levers, mut around, mut shares) = (self.levers(), Vec::new(), Vec::new());
        for &node in self.order.iter().rev() {
            let (number, (_, pin)) = (node as usize, self.ways[node as usize]);
            let (load, lies) = (loads[number], bodies[number] > 0.0);
            if pin == node || load == 0.0 || (held(node) && !lies && fluids[number] == 0.0) {
                continue;
            }
            let gathered = self.share(node, h2, &mut around, &mut shares);
            let harder = gathered * self.harder(node, pin, levers[self.body_of[number] as usize]);
            let harder = harder * CARRIED[if lies { 2 } else { usize::from(fluids[number] > 0.0) }];
            let sum = shares.iter().map(|(.., share)| share).sum::<f64>();
            for &(edge, other, share) in &shares {
                let part = load * (share / sum);
                loads[other as usize] += part;
                tensions[edge] += part * harder;
            }
        }
    }

    /// How much of an edge's softness is the solver's, 0 to 1: y / (y + a), y = h^2 W (see `substeps.rs`), a the
    /// compliance. Rows side by side share a load as the inverse of y + a.
    fn firmness(&self, edge: usize, h2: f64) -> f64 {
        let LoadedEdge { ends, compliance, .. } = self.edges[edge];
        let y = h2 * ends.map(|node| self.inv_mass(node)).iter().sum::<f64>();
        if y.is_finite() && y > 0.0 { (y / (y + compliance)).max(LEAST_FIRMNESS) } else { 1.0 }
    }

    /// Times its weight with which a load pulls.
    fn harder(&self, node: u32, pin: u32, lever: f64) -> f64 {
        let (from, to) = (self.place(node), self.place(pin));
        let cos = dot(sub(to, from), self.up) / distance(from, to).max(TINY);
        if lever > 0.0 {
            return cos.max(0.0) + (1.0 - cos * cos).max(0.0).sqrt() * lever;
        }
        1.0 / cos.max(1.0 / SIDEWAYS)
    }

    /// Of each pinned solid, by how much bending pulls harder at it than its weight: 3 length / thickness of a beam
    /// that is held at one end, with the thickness of a square one, 4 volume / surface. 0 for all else.
    fn levers(&self) -> Vec<f64> {
        let lever = |(body, nodes): (&Arc<Body>, &Range<usize>)| {
            if body.tets.is_empty() || nodes.is_empty() {
                return 0.0;
            }
            let reached = self.ways[nodes.clone()].iter().map(|way| way.0).filter(|way| way.is_finite());
            let length = reached.fold(0.0, f64::max);
            let at = |v: u32| body.positions[v as usize].map(f64::from);
            let volume = body.tets.iter().map(|t| volume(t.map(at))).sum::<f64>();
            let surface = body.triangles.iter().map(|t| area(t.map(at))).sum::<f64>();
            3.0 * length * surface / (4.0 * volume).max(TINY * TINY * TINY)
        };
        self.bodies.iter().zip(&self.nodes).map(lever).collect()
    }

    /// Tensions of what is not pinned.
    fn fall(&self, tensions: &mut [f64]) {
        let mut seen: Vec<bool> = self.ways.iter().map(|way| way.0.is_finite()).collect();
        let mean = self.mean_lengths();
        for node in 0..self.body_of.len() as u32 {
            if std::mem::replace(&mut seen[node as usize], true) {
                continue;
            }
            let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
            let (mut open, mut part) = (vec![node], Vec::new());
            while let Some(node) = open.pop() {
                let x = self.place(node);
                for k in 0..3 {
                    (low[k], high[k]) = (low[k].min(x[k]), high[k].max(x[k]));
                }
                for (edge, other) in self.of_node(node) {
                    if node < other {
                        part.push(edge);
                    }
                    if !std::mem::replace(&mut seen[other as usize], true) {
                        open.push(other);
                    }
                }
            }
            let half = 0.5 * distance(low, high);
            for edge in part {
                let mass = self.edges[edge].ends.map(|node| 1.0 / self.inv_mass(node));
                // A joint of what lies in one place is a link as long as others.
                let length = self.edges[edge].length;
                let length = if length > TINY { length } else { mean[self.body(&self.edges[edge])] };
                let links = half / length.max(TINY);
                tensions[edge] = FALL * 0.5 * (mass[0] + mass[1]) * self.gravity * links;
            }
        }
    }

    /// The mean length of each body's edges, metres.
    pub(super) fn mean_lengths(&self) -> Vec<f64> {
        let mut sums = vec![(0.0, 0.0); self.bodies.len()];
        for edge in &self.edges {
            let (sum, count) = &mut sums[self.body(edge)];
            (*sum, *count) = (*sum + edge.length, *count + 1.0);
        }
        sums.into_iter().map(|(sum, count)| if count > 0.0 { sum / count } else { 0.0 }).collect()
    }
}

pub(super) fn distance(a: P, b: P) -> f64 {
    let d = sub(a, b);
    dot(d, d).sqrt()
}

fn area([a, b, c]: [P; 3]) -> f64 {
    let n = cross(sub(b, a), sub(c, a));
    0.5 * dot(n, n).sqrt()
}

fn volume([a, b, c, d]: [P; 4]) -> f64 {
    dot(cross(sub(b, a), sub(c, a)), sub(d, a)).abs() / 6.0
}
