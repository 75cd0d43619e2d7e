//! Long range attachments (Kim, Chentanez, Müller 2012): vertices that stay within their way to the nearest pin.
//!
//! What is stretched between a pin and a vertex far from it takes many sweeps to pull it back, for each passes on a
//! little. The way along the mesh at rest bounds how far the vertex may be in a straight line: one projection, however
//! many edges are between.

use crate::describe::body::{Body, Constraints};
use crate::describe::long_range::LongRange;
use crate::describe::mesh::geodesic;
use crate::describe::plasticity::flows;
use crate::geometry::vector::{dot, sub};
use crate::plan::blocks::RowBlock;
use crate::plan::body::BodyPlan;
use crate::plan::joint::JointRows;
use crate::plan::loads::{LoadedEdge, Loads, distance};
use crate::plan::pin_groups::groups;
use crate::tuning::{AUTO_STRETCH, MEETING, SHEARED};
use seidel_kernels::contact::LongRange as Held;
use seidel_kernels::plasticity::Flows;
use std::sync::Arc;

/// Share of a way: roundings of f32, so that what rests at its end is not moved.
const ROUNDING: f64 = 1e-6;

/// Attachments of a vertex: to the nearest pins of the nearest groups.
const MOST_ATTACHMENTS: usize = 2;

/// Times the straight way at rest that the way along the mesh may be for an attachment to carry its vertex's load: a
/// vertex behind a fold or around a corner is held by edges first.
const STRAIGHT: f64 = 1.02;

/// Metres: rows shorter than this are as soft as one of this length.
const MIN_LENGTH: f64 = 1e-9;

/// Pins that are one place.
const FEW_PINS: usize = 4;

/// Times the stretch that compliances allow by which vertices may be further from their pins than at rest.
const ROOM: f64 = 2.0;

/// Which pins each vertex of each body stays near, and how near.
#[derive(Clone, Debug)]
pub(super) struct Ways(pub(super) Vec<Arc<OfBody>>);

/// Those of a body: none if it has no attachments.
#[derive(Clone, Debug, Default)]
pub(super) struct OfBody {
    /// Of each vertex the ways to at most two pins at rest, metres, nearest first, and these.
    ways: Vec<Vec<(f64, u32)>>,
    /// The share by which a vertex may be further.
    slack: f64,
    /// Whether it is a sheet that hangs by one place: it turns until its middle is below, and its ways to the pin are
    /// no longer straight.
    turns: bool,
    /// The pinned vertices, if there are ways; and of each way its vertex, its pin's place among these, and how far
    /// that may be, metres.
    pins: Vec<u32>,
    held: Vec<(u32, u32, f32)>,
}

impl OfBody {
    /// Lists all ways.
    fn list(&mut self, body: &Body) {
        if self.ways.iter().all(Vec::is_empty) {
            return;
        }
        let mut place = vec![0; body.inv_mass.len()];
        for (vertex, _) in body.inv_mass.iter().enumerate().filter(|(_, w)| **w == 0.0) {
            place[vertex] = self.pins.len() as u32;
            self.pins.push(vertex as u32);
        }
        let far = 1.0 + self.slack + ROUNDING;
        for (vertex, ways) in self.ways.iter().enumerate() {
            let held = ways.iter().map(|&(way, pin)| (vertex as u32, place[pin as usize], (way * far) as f32));
            self.held.extend(held);
        }
    }
}

impl Ways {
    /// Chooses how each body is held, and finds the ways. `loads` are needed where a body's attachments are automatic.
    pub(super) fn of(
        bodies: &[Arc<Body>],
        is_member: &[bool],
        joints: &[JointRows],
        loads: Option<&Loads<'_>>,
    ) -> Ways {
        let tensions = loads
            .filter(|_| bodies.iter().any(|body| wants_choice(body)))
            .map(|loads| loads.tensions(|_| false, f64::INFINITY));
        let of = |(number, body): (usize, &Arc<Body>)| match (body.long_range, loads, &tensions) {
            _ if !is_member[number] => OfBody::default(),
            (LongRange::Slack(slack), ..) => along_surface(body, f64::from(slack)),
            (LongRange::Auto, Some(loads), Some(tensions)) if wants_choice(body) => {
                chosen(body, number, loads, tensions)
            }
            _ => OfBody::default(),
        };
        let mut ways: Vec<OfBody> = bodies.iter().enumerate().map(of).collect();
        // Attachments come after joints in a sweep, and would pull what they hold together apart (by 1.7 mm where a
        // weight swings on a sheet).
        for (body, vertex) in joints.iter().flat_map(JointRows::ends) {
            if bodies[body].long_range == LongRange::Auto
                && let Some(ways) = ways[body].ways.get_mut(vertex as usize)
            {
                ways.clear();
            }
        }
        ways.iter_mut().zip(bodies).for_each(|(ways, body)| ways.list(body));
        Ways(ways.into_iter().map(Arc::new).collect())
    }

    /// Of each node whether an attachment carries its load.
    pub(super) fn held_nodes(&self, loads: &Loads<'_>) -> Vec<bool> {
        (0..self.0.len()).flat_map(|body| loads.nodes(body)).map(|node| self.holds_node(loads, node as u32)).collect()
    }

    /// Whether a particle's attachment carries its load.
    fn holds_node(&self, loads: &Loads<'_>, node: u32) -> bool {
        let (body, _) = loads.vertex(node);
        if self.0[body].turns {
            return false;
        }
        self.pin(loads, node).is_some_and(|(way, pin)| way <= STRAIGHT * distance(loads.place(node), loads.place(pin)))
    }
}

/// Where attachments to two pins meet: an edge between a vertex that is held by the one and a vertex that is held by
/// the other, on the straight line between them.
///
/// A vertex there hangs by both attachments as a weight on a taut thread, and in each substep falls through them: it
/// sags by s under its load q, and each end keeps to its own pin, so that all of what the line grows by is on this
/// edge:
///
/// ```text
/// s^3 = q h^2 w D^2 / 8,  growth = 2 s^2 / D,   D the distance of the pins, w the inverse mass
/// ```
///
/// The load is the vertex's own weight and its share of what no attachment holds: in a weave its threads below.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meeting {
    pub(super) body: usize,
    /// The longest substep with which the edge grows by `MEETING` of its length, squared, s^2.
    pub(super) longest: f64,
}

impl Ways {
    /// Of each body the edge where attachments meet that needs the shortest substeps.
    pub(super) fn meetings(&self, loads: &Loads<'_>) -> Vec<Meeting> {
        let of = |(body, ways): (usize, &Arc<OfBody>)| {
            if ways.turns || ways.ways.iter().all(|ways| ways.len() < MOST_ATTACHMENTS) {
                return None;
            }
            let nodes = loads.nodes(body).map(|node| node as u32);
            let hang = |node: &u32| loads.way(*node).0.is_finite() && !self.holds_node(loads, *node);
            let hung = nodes.filter(hang).map(|node| loads.weight(node)).sum();
            let edges = &loads.edges[loads.edges_of(body)];
            let soft = |edge: &LoadedEdge| edge.compliance / edge.length.max(MIN_LENGTH);
            let softest = edges.iter().filter(|edge| edge.own).map(soft).fold(0.0, f64::max);
            let longest = |edge: &LoadedEdge| self.meeting(loads, edge, hung, softest);
            let longest = edges.iter().filter_map(longest).fold(f64::INFINITY, f64::min);
            longest.is_finite().then_some(Meeting { body, longest })
        };
        self.0.iter().enumerate().filter_map(of).collect()
    }

    /// The longest substep of an edge where attachments meet, squared, in a body of which the weight `hung` is not held
    /// by any; `softest` is the compliance of its softest row over its length, 1/N.
    fn meeting(&self, loads: &Loads<'_>, edge: &LoadedEdge, hung: f64, softest: f64) -> Option<f64> {
        let [a, b] = edge.ends;
        if loads.vertex(a).0 != loads.vertex(b).0 {
            return None;
        }
        let [(to_a, p), (to_b, q)] = [self.pin(loads, a)?, self.pin(loads, b)?];
        let across = sub(loads.place(q), loads.place(p));
        let span = dot(across, across).sqrt();
        let taut = STRAIGHT * span >= to_a + edge.length + to_b;
        if p == q || !taut || !self.holds_node(loads, a) || !self.holds_node(loads, b) {
            return None;
        }
        // Rows that give less carry it to the pins beside the thread.
        let thread = hung * edge.length / span;
        let thread = if softest * thread > SHEARED { thread } else { 0.0 };
        let most = |of: [f64; 2]| if of[0] < of[1] { of[1] } else { of[0] };
        let load = thread + most([a, b].map(|node| loads.weight(node)));
        let growth = MEETING * edge.length;
        let w = most([a, b].map(|node| loads.inv_mass(node)));
        Some((8.0 * growth * growth * growth / span).sqrt() / (load * loads.level(across) * w))
    }

    /// The way of a node to its nearest pin, and that pin's node.
    fn pin(&self, loads: &Loads<'_>, node: u32) -> Option<(f64, u32)> {
        let (body, vertex) = loads.vertex(node);
        let nearest = self.0[body].ways.get(vertex).and_then(|ways| ways.first());
        nearest.map(|&(way, pin)| (way, loads.nodes(body).start as u32 + pin))
    }
}

/// Whether attachments are chosen for a body: some of its vertices are pinned, and others are not.
pub(super) fn wants_choice(body: &Body) -> bool {
    // What is drawn out for good is further from its pins than at the start.
    let draws = |rows: &Constraints| rows.plasticity.is_some() && flows(&rows.kind) != Some(Flows::Angle);
    body.long_range == LongRange::Auto
        && body.inv_mass.contains(&0.0)
        && body.inv_mass.iter().any(|w| *w > 0.0)
        && !body.constraints.iter().any(draws)
}

/// The attachments that are chosen for a body: none if it is stretchy, ways along its surface if all of its rows are
/// stiff, otherwise ways along those that are.
fn chosen(body: &Body, number: usize, loads: &Loads<'_>, tensions: &[f64]) -> OfBody {
    let nodes = loads.nodes(number);
    // Not those of joints with other bodies.
    let own = |edge: &LoadedEdge| nodes.contains(&(edge.ends[0] as usize)) && nodes.contains(&(edge.ends[1] as usize));
    let range = loads.edges_of(number);
    let rows = || loads.edges[range.clone()].iter().zip(&tensions[range.clone()]).filter(|(edge, _)| own(edge));
    let most = rows().map(|(_, tension)| *tension).fold(0.0, f64::max);
    let stiff = |edge: &LoadedEdge| edge.own && edge.compliance * most <= AUTO_STRETCH * edge.length;
    let (mut any, mut all, mut stretch) = (false, true, 0.0f64);
    for (edge, tension) in rows() {
        let is_stiff = stiff(edge);
        (any, all) = (any || is_stiff, all && is_stiff);
        if is_stiff && edge.length > 0.0 {
            stretch = stretch.max(edge.compliance * tension / edge.length);
        }
    }
    if !any || most == 0.0 {
        return OfBody::default();
    }
    let slack = ROOM * stretch;
    if all {
        return along_surface(body, slack);
    }
    let mut ways = vec![Vec::new(); nodes.len()];
    for group in groups(body) {
        let sources: Vec<u32> = group.iter().map(|v| nodes.start as u32 + v).collect();
        let (of_group, _) = loads.ways_from(nodes.clone(), &sources, |edge| stiff(&loads.edges[edge]));
        for (ways, (way, pin)) in ways.iter_mut().zip(of_group) {
            ways.extend(way.is_finite().then(|| (way, pin - nodes.start as u32)));
        }
    }
    nearest(body, ways, slack)
}

/// Whether a sheet has few pins, and all of them are connected.
fn hangs_by_one_place(body: &Body) -> bool {
    let pins = body.inv_mass.iter().filter(|w| **w == 0.0).count();
    !body.triangles.is_empty() && pins <= FEW_PINS && groups(body).len() == 1
}

/// Ways along triangles and edges.
fn along_surface(body: &Body, slack: f64) -> OfBody {
    let mut ways = vec![Vec::new(); body.positions.len()];
    for group in groups(body) {
        let of_group = geodesic::nearest(&body.positions, &body.triangles, &body.edges, group.into_iter());
        ways.iter_mut().zip(of_group).for_each(|(ways, way)| ways.extend(way));
    }
    nearest(body, ways, slack)
}

/// The nearest pins of each vertex that is not one.
fn nearest(body: &Body, mut ways: Vec<Vec<(f64, u32)>>, slack: f64) -> OfBody {
    for (ways, w) in ways.iter_mut().zip(&body.inv_mass) {
        if *w == 0.0 {
            ways.clear();
        }
        // Distances are not negative, and so in the order of their bits.
        ways.sort_unstable_by_key(|(distance, pin)| (distance.to_bits(), *pin));
        ways.truncate(MOST_ATTACHMENTS);
    }
    OfBody { ways, slack, turns: hangs_by_one_place(body), ..OfBody::default() }
}

/// Vertices of a plan that stay near pins.
#[derive(Clone, Debug, Default)]
pub(crate) struct Attachments {
    /// Body and vertex of each pin.
    pub(crate) anchors: Vec<(usize, u32)>,
    /// Rows and their pins.
    pub(crate) held: Held,
    /// The blocks of rows that have any.
    pub(crate) blocks: Vec<usize>,
}

impl Attachments {
    /// Those of all bodies, in a plan of `rows` rows.
    pub(super) fn of(plans: &[BodyPlan], blocks: &[RowBlock], rows: usize, ways: &Ways) -> Attachments {
        let (mut anchors, mut held, mut kept) = (Vec::new(), Vec::new(), Vec::new());
        for (number, (plan, of)) in plans.iter().zip(&ways.0).enumerate().filter(|(_, (_, of))| !of.held.is_empty()) {
            kept.extend(plan.blocks.clone().filter(|&b| !blocks[b].frames));
            let first = anchors.len();
            anchors.extend(of.pins.iter().map(|&v| (number, v)));
            let own =
                |&(vertex, pin, far): &(u32, u32, f32)| (plan.particle(vertex) as usize, first + pin as usize, far);
            held.extend(of.held.iter().map(own));
        }
        let held = if held.is_empty() { Held::default() } else { Held::new(rows, anchors.len(), held) };
        Attachments { anchors, held, blocks: kept }
    }

    /// Whether nothing is held.
    pub(crate) fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// Everything, as bytes.
    pub(crate) fn bytes(&self, mut add: impl FnMut(&[u8])) {
        if !self.is_empty() {
            add(format!("{:?}", self.anchors).as_bytes());
            self.held.bytes(add);
        }
    }
}
