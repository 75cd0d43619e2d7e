//! Polyhedron against polyhedron: all faces, and the pairs of edges whose arcs on the Gauss map cross (Gregorius 2013,
//! "The Separating Axis Test between Convex Polyhedra"); then as for boxes.

use super::clip::{Polygon, Reference, cut_side, feature};
use super::closest::{of_segments, on_face, side_planes};
use super::faces::{Faces, MOST_CORNERS, PackedFaces, every};
use super::point::{Manifold, Transform};
use super::sphere::touch;
use crate::packed::{Planes, Vertices};
use crate::tuning::{NEAR_AXIS, NEARLY_PARALLEL, PARALLEL, gain, near_gain};
use seidel_kernels::lanes::{Dispatch, Kernel, Mask};
use seidel_kernels::{BATCH, Chunk, InChunks, Isa, Lanes, Pack, V3};

/// Corners of a clipped face, for each side that cuts adds at most one; and of the faces that most hulls have.
const CORNERS: usize = 2 * MOST_CORNERS;
const FEW: usize = 16;

/// A face of one solid, how far the other is above it, and the other's lowest vertex.
#[derive(Clone, Copy)]
struct FaceAxis {
    face: u32,
    separation: f32,
    lowest: u32,
}

/// Edges of A and B, the separation along their normal, and that normal.
#[derive(Clone, Copy)]
struct EdgeAxis {
    edges: (usize, usize),
    separation: f32,
    normal: V3<f32>,
}

pub(super) fn against_faces(
    isa: Isa,
    a: PackedFaces<'_>,
    b: PackedFaces<'_>,
    b_in_a: &Transform,
    reach: f32,
) -> Manifold {
    let a_in_b = b_in_a.inverse();
    let face_axis = |solid, other, place| isa.dispatch(FaceSearch { solid, other, place, reach });
    let Some(by_a) = face_axis(a, b, b_in_a) else { return Manifold::NONE };
    let Some(by_b) = face_axis(b, a, &a_in_b) else { return Manifold::NONE };

    // A's face unless B's is better, a face unless an edge is.
    let normal_a = a.faces.plane(by_a.face).0;
    let normal_b = -b_in_a.turn(b.faces.plane(by_b.face).0);
    let span = (normal_a.dot(b_in_a.at) - by_a.separation).abs();
    let enough = |near: bool| if near { near_gain(span) } else { gain(span) };
    let better = by_b.separation > by_a.separation + enough(normal_a.dot(normal_b) > NEAR_AXIS);
    let (face, normal) = if better { (by_b.separation, normal_b) } else { (by_a.separation, normal_a) };
    let low = [by_b.lowest, by_a.lowest];
    match isa.dispatch(EdgeSearch { a, b, low, b_in_a, floor: face + gain(span), reach }) {
        Edges::BeyondReach => return Manifold::NONE,
        Edges::Best(axis) if axis.separation > face + enough(axis.normal.dot(normal) > NEAR_AXIS) => {
            return edge_on_edge(a.faces, b.faces, b_in_a, axis, reach);
        }
        Edges::Best(_) | Edges::Worse => {}
    }
    if better {
        on_the_face((b.faces, by_b), a.faces, &a_in_b, Reference::B, reach).swapped(b_in_a)
    } else {
        on_the_face((a.faces, by_a), b.faces, b_in_a, Reference::A, reach)
    }
}

/// The face that separates most; None if one separates by more than reach.
///
/// No face separates by more than any one vertex of the other solid is above it. The vertex that is lowest above the
/// best face so far rules out most of the others, and no more than this is asked of them.
struct FaceSearch<'a> {
    solid: PackedFaces<'a>,
    other: PackedFaces<'a>,
    /// Where the other is in the solid's frame.
    place: &'a Transform,
    reach: f32,
}

impl FaceSearch<'_> {
    /// A vertex of the other solid.
    #[inline(always)]
    fn placed(&self, vertex: u32) -> V3<f32> {
        self.place.point(self.other.faces.vertex(vertex))
    }

    /// Looks at a face; true if it separates by more than reach.
    #[inline(always)]
    fn look<L: Lanes<Elem = f32>>(&self, face: u32, best: &mut FaceAxis, witness: &mut V3<f32>) -> bool {
        let (normal, d) = self.solid.faces.plane(face);
        let (lowest, height) = lowest::<L>(self.other.vertices, self.place.turn_back(normal));
        let separation = (height + normal.dot(self.place.at)) - d;
        if separation > best.separation {
            *best = FaceAxis { face, separation, lowest };
            *witness = self.placed(lowest);
        }
        separation > self.reach
    }
}

impl Kernel for FaceSearch<'_> {
    type Output = Option<FaceAxis>;

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) -> Option<FaceAxis> {
        // The vertex that is nearest along the line of centres, and the face it is most above.
        let nearest = lowest::<L>(self.other.vertices, self.place.turn_back(self.place.at)).0;
        let mut witness = self.placed(nearest);
        let mut first = (0, f32::INFINITY);
        for (k, planes) in self.solid.planes.iter().enumerate() {
            least::<L>(&depths::<L>(planes, witness), k, &mut first);
        }
        let mut best = FaceAxis { face: first.0, separation: f32::NEG_INFINITY, lowest: 0 };
        if -first.1 > best.separation && self.look::<L>(first.0, &mut best, &mut witness) {
            return None;
        }
        for (k, planes) in self.solid.planes.iter().enumerate() {
            // Those behind the last one that was looked at: each is asked of the vertex that is lowest by then.
            let mut later = u32::MAX;
            loop {
                let open = above::<L>(planes, witness, best.separation) & later;
                if open == 0 {
                    break;
                }
                let lane = open.trailing_zeros();
                if self.look::<L>((k * BATCH) as u32 + lane, &mut best, &mut witness) {
                    return None;
                }
                later = !((2 << lane) - 1);
            }
        }
        (best.separation <= self.reach && best.separation > f32::NEG_INFINITY).then_some(best)
    }
}

/// An edge as the search needs it: its direction, a point on it, and the normals of its faces.
#[derive(Clone, Copy)]
struct Edge {
    along: V3<f32>,
    at: V3<f32>,
    normals: [V3<f32>; 2],
    index: usize,
}

impl Edge {
    #[inline(always)]
    fn of(solid: Faces<'_>, index: usize) -> Self {
        let [v0, v1, f0, f1] = solid.edges[index];
        let at = solid.vertex(v0);
        Edge { along: solid.vertex(v1) - at, at, normals: [solid.plane(f0).0, solid.plane(f1).0], index }
    }

    /// Transformed by `place`, with its normals negated.
    #[inline(always)]
    fn turned_about(self, place: &Transform) -> Self {
        let [n0, n1] = self.normals;
        let normals = [-place.turn(n0), -place.turn(n1)];
        Edge { along: place.turn(self.along), at: place.point(self.at), normals, index: self.index }
    }
}

/// Which of sixteen edges have a normal that may separate by more than `floor`: those of which a point of the other
/// solid, the witness, is more than that high above one of the faces beside it. A normal between theirs is their sum
/// with factors that add up to 1 or more.
#[inline(always)]
fn may_separate<L: Lanes<Elem = f32>>(solid: &PackedFaces<'_>, block: usize, (witness, floor): (V3<f32>, f32)) -> u32 {
    let [one, other] = &solid.edges[block];
    let (p, floor) = (spread::<L>(witness), L::set(floor.smaller(0.0)));
    let mut bits = 0;
    for chunk in Chunk::<L>::all() {
        let height = heights(one, p, chunk).larger(heights(other, p, chunk));
        bits |= height.gt(floor).bits() << chunk.first();
    }
    bits
}

/// The result of the search over pairs of edges.
enum Edges {
    BeyondReach,
    /// No pair separates by more than the floor.
    Worse,
    Best(EdgeAxis),
}

/// Edges of A that are made ready at once: two packs.
const BLOCK: usize = 2 * BATCH;

/// The pair of edges that separates most and by more than `floor`.
struct EdgeSearch<'a> {
    a: PackedFaces<'a>,
    b: PackedFaces<'a>,
    /// With each solid a vertex of it that is low above the other's faces.
    low: [u32; 2],
    b_in_a: &'a Transform,
    floor: f32,
    reach: f32,
}

/// Directions of sixteen edges, and the normals of their faces.
#[derive(Clone, Copy)]
struct Arcs {
    along: [Pack<f32>; 3],
    normals: [[Pack<f32>; 3]; 2],
}

const NO_ARCS: Arcs = Arcs { along: [Pack([0.0; BATCH]); 3], normals: [[Pack([0.0; BATCH]); 3]; 2] };

impl Arcs {
    #[inline(always)]
    fn set(&mut self, lane: usize, edge: &Edge) {
        let Arcs { along, normals: [n0, n1] } = self;
        for (to, v) in [(along, edge.along), (n0, edge.normals[0]), (n1, edge.normals[1])] {
            (to[0].0[lane], to[1].0[lane], to[2].0[lane]) = (v.x, v.y, v.z);
        }
    }

    /// Transformed by `place`, with normals negated: [`Edge::turned_about`] in lanes.
    #[inline(always)]
    fn turn_about<L: Lanes<Elem = f32>>(&mut self, place: &Transform) {
        let axes = [spread::<L>(place.axes[0]), spread::<L>(place.axes[1]), spread::<L>(place.axes[2])];
        for chunk in Chunk::<L>::all() {
            let along = turned(&axes, self.along.load(chunk));
            self.along.store(chunk, along);
            for normals in &mut self.normals {
                let normal = -turned(&axes, normals.load(chunk));
                normals.store(chunk, normal);
            }
        }
    }

    /// The edges whose arcs cross that of another's lane on the Gauss map, as in [`normal_of_edges`].
    #[inline(always)]
    fn cross<L: Lanes<Elem = f32>>(&self, b: &Arcs, lane: usize) -> u32 {
        let zero = L::zero();
        let (m0, m1) = (spread_lane::<L>(&b.normals[0], lane), spread_lane::<L>(&b.normals[1], lane));
        let of_b = spread_lane::<L>(&b.along, lane);
        let mut bits = 0;
        for chunk in Chunk::<L>::all() {
            let along = self.along.load(chunk);
            let (n0, n1) = (self.normals[0].load(chunk), self.normals[1].load(chunk));
            let side = m0.dot(along);
            let other = n1.dot(of_b);
            let cross = (side * m1.dot(along)).lt(zero) & (n0.dot(of_b) * other).lt(zero) & (side * other).gt(zero);
            bits |= cross.bits() << chunk.first();
        }
        bits
    }
}

impl Kernel for EdgeSearch<'_> {
    type Output = Edges;

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) -> Edges {
        let EdgeSearch { a, b, low: [low_of_a, low_of_b], b_in_a, floor, reach } = self;
        let witness_of_a = b_in_a.turn_back(a.faces.vertex(low_of_a) - b_in_a.at);
        let witness_of_b = b_in_a.point(b.faces.vertex(low_of_b));
        let mut best = Edges::Worse;
        let mut most = floor;
        let mut taken = [0; BLOCK];
        let mut arcs = [NO_ARCS; BLOCK / BATCH];
        // Packs of A's edges that were looked at, and which of the last one's are to be taken.
        let (mut seen, mut of_a) = (0, 0);
        loop {
            let mut count = 0;
            while count < BLOCK && (of_a != 0 || seen < a.edges.len()) {
                if of_a == 0 {
                    of_a = may_separate::<L>(&a, seen, (witness_of_b, floor));
                    seen += 1;
                    continue;
                }
                let index = (seen - 1) * BATCH + of_a.trailing_zeros() as usize;
                of_a &= of_a - 1;
                arcs[count / BATCH].set(count % BATCH, &Edge::of(a.faces, index));
                taken[count] = index;
                count += 1;
            }
            if count == 0 {
                return best;
            }
            for block in 0..b.edges.len() {
                let open = may_separate::<L>(&b, block, (witness_of_a, floor));
                let mut of_b = NO_ARCS;
                let mut left = open;
                while left != 0 {
                    let lane = left.trailing_zeros() as usize;
                    left &= left - 1;
                    of_b.set(lane, &Edge::of(b.faces, block * BATCH + lane));
                }
                of_b.turn_about::<L>(b_in_a);
                let mut left = open;
                while left != 0 {
                    let lane = left.trailing_zeros() as usize;
                    left &= left - 1;
                    for pack in 0..count.div_ceil(BATCH) {
                        let mut crossing = arcs[pack].cross::<L>(&of_b, lane) & first_bits(count - pack * BATCH);
                        while crossing != 0 {
                            let of_a = Edge::of(a.faces, taken[pack * BATCH + crossing.trailing_zeros() as usize]);
                            crossing &= crossing - 1;
                            let edge = Edge::of(b.faces, block * BATCH + lane).turned_about(b_in_a);
                            let Some((separation, normal, few_digits)) = normal_of_edges(&of_a, &edge) else {
                                continue;
                            };
                            if !(separation > most.smaller(reach)) {
                                continue;
                            }
                            // Of edges that are nearly parallel the normal has few digits: what it separates is
                            // reckoned anew, with all vertices.
                            let separation =
                                if few_digits { separation_along::<L>(normal, &a, &b, b_in_a) } else { separation };
                            if separation > reach {
                                return Edges::BeyondReach;
                            }
                            if separation > most {
                                most = separation;
                                best = Edges::Best(EdgeAxis { edges: (of_a.index, edge.index), separation, normal });
                            }
                        }
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn separation_along<L: Lanes<Elem = f32>>(
    normal: V3<f32>,
    a: &PackedFaces<'_>,
    b: &PackedFaces<'_>,
    b_in_a: &Transform,
) -> f32 {
    (normal.dot(b_in_a.at) + lowest::<L>(b.vertices, b_in_a.turn_back(normal)).1) + lowest::<L>(a.vertices, -normal).1
}

/// The separation along the normal of both edges, this, and whether it has few digits, if both solids are farthest
/// along it there. B's normals are turned about.
#[inline(always)]
fn normal_of_edges(a: &Edge, b: &Edge) -> Option<(f32, V3<f32>, bool)> {
    // The arcs between the normals of their faces cross: each has its ends on both sides of the other's circle, and
    // they are not on opposite sides of the sphere.
    let [n0, n1] = a.normals;
    let [m0, m1] = b.normals;
    let side = m0.dot(a.along);
    if !(side * m1.dot(a.along) < 0.0) {
        return None;
    }
    let other = n1.dot(b.along);
    if !(n0.dot(b.along) * other < 0.0 && side * other > 0.0) {
        return None;
    }
    let across = a.along.cross(b.along);
    let squared = across.length_squared();
    let long = a.along.length_squared() * b.along.length_squared();
    if !(squared > PARALLEL * long) {
        return None;
    }
    let scale = 1.0 / squared.sqrt();
    let normal = across * if across.dot(n0 + n1) < 0.0 { -scale } else { scale };
    Some((normal.dot(b.at - a.at), normal, squared < NEARLY_PARALLEL * long))
}

/// The vertex that is lowest along a direction, and how high it is: [`Faces::lowest`] in lanes.
#[inline(always)]
fn lowest<L: Lanes<Elem = f32>>(vertices: &[Vertices], direction: V3<f32>) -> (u32, f32) {
    let direction = spread::<L>(direction);
    let mut found = (0, f32::INFINITY);
    for (k, vertices) in vertices.iter().enumerate() {
        let mut along = Pack([0.0; BATCH]);
        for chunk in Chunk::<L>::all() {
            along.store(chunk, numbers(direction.dot(vertices.load(chunk))));
        }
        least::<L>(&along, k, &mut found);
    }
    found
}

/// How high points are above planes of a pack.
#[inline(always)]
fn heights<L: Lanes<Elem = f32>>([x, y, z, d]: &Planes, p: V3<L>, chunk: Chunk<L>) -> L {
    V3::new(x.load(chunk), y.load(chunk), z.load(chunk)).dot(p) - d.load(chunk)
}

/// How deep a point is below sixteen planes.
#[inline(always)]
fn depths<L: Lanes<Elem = f32>>(planes: &Planes, p: V3<f32>) -> Pack<f32> {
    let p = spread::<L>(p);
    let mut depths = Pack([0.0; BATCH]);
    for chunk in Chunk::<L>::all() {
        depths.store(chunk, numbers(-heights(planes, p, chunk)));
    }
    depths
}

/// Bit i: the point is more than `than` above plane i.
#[inline(always)]
fn above<L: Lanes<Elem = f32>>(planes: &Planes, p: V3<f32>, than: f32) -> u32 {
    let (p, than) = (spread::<L>(p), L::set(than));
    let mut bits = 0;
    for chunk in Chunk::<L>::all() {
        bits |= heights(planes, p, chunk).gt(than).bits() << chunk.first();
    }
    bits
}

/// Infinity in place of what is no number.
#[inline(always)]
fn numbers<L: Lanes<Elem = f32>>(x: L) -> L {
    let most = L::set(f32::INFINITY);
    L::select(x.lt(most), x, most)
}

/// The first of the least of numbers: these are pack `k` of them, and `found` is the place of the least so far, and it.
#[inline(always)]
fn least<L: Lanes<Elem = f32>>(pack: &Pack<f32>, k: usize, found: &mut (u32, f32)) {
    let numbers = &pack.0;
    let mut four = [0.0; 4];
    for (at, least) in four.iter_mut().enumerate() {
        *least = numbers[at].smaller(numbers[at + 8]).smaller(numbers[at + 4].smaller(numbers[at + 12]));
    }
    let least = four[0].smaller(four[2]).smaller(four[1].smaller(four[3]));
    if least < found.1 {
        let mut bits = 0;
        for chunk in Chunk::<L>::all() {
            bits |= pack.load(chunk).equals(L::set(least)).bits() << chunk.first();
        }
        let lane = bits.trailing_zeros() as usize % BATCH;
        *found = ((k * BATCH + lane) as u32, numbers[lane]);
    }
}

/// The lowest `count` of sixteen bits.
#[inline(always)]
fn first_bits(count: usize) -> u32 {
    if count < BATCH { (1 << count) - 1 } else { (1 << BATCH) - 1 }
}

/// The same vector in every lane.
#[inline(always)]
fn spread<L: Lanes<Elem = f32>>(v: V3<f32>) -> V3<L> {
    V3::new(L::set(v.x), L::set(v.y), L::set(v.z))
}

/// The vector of a lane in every lane.
#[inline(always)]
fn spread_lane<L: Lanes<Elem = f32>>([x, y, z]: &[Pack<f32>; 3], lane: usize) -> V3<L> {
    V3::new(L::set(x.0[lane]), L::set(y.0[lane]), L::set(z.0[lane]))
}

/// Directions of a frame whose axes these are: [`Transform::turn`] in lanes.
#[inline(always)]
fn turned<L: Lanes<Elem = f32>>(axes: &[V3<L>; 3], v: V3<L>) -> V3<L> {
    (axes[0] * v.x + axes[1] * v.y) + axes[2] * v.z
}

/// The points on a face of the first solid, in its frame.
fn on_the_face(
    (solid, axis): (Faces<'_>, FaceAxis),
    other: Faces<'_>,
    other_in_solid: &Transform,
    reference: Reference,
    reach: f32,
) -> Manifold {
    let normal = solid.plane(axis.face).0;
    let incident = other.face_against(other_in_solid.turn_back(normal), axis.lowest);
    let name = feature(reference, axis.face, incident);
    if solid.loop_of(axis.face).len() + other.loop_of(incident).len() <= FEW {
        clipped::<FEW>((solid, axis), (other, incident), other_in_solid, name, reach)
    } else {
        clipped::<CORNERS>((solid, axis), (other, incident), other_in_solid, name, reach)
    }
}

fn clipped<const N: usize>(
    (solid, FaceAxis { face, lowest, .. }): (Faces<'_>, FaceAxis),
    (other, incident): (Faces<'_>, u32),
    other_in_solid: &Transform,
    name: u32,
    reach: f32,
) -> Manifold {
    let (normal, d) = solid.plane(face);
    let mut polygon = Polygon::<N>::new();
    for (number, vertex) in other.corners(incident, lowest) {
        polygon.push(other_in_solid.point(other.vertex(vertex)), number as u32 & 127);
    }
    // Of a face with more sides every second, third ... cuts: corners may be outside by what a ring of 16 sides or more
    // bulges.
    let stride = every(solid.loop_of(face).len());
    for (k, (away, at, slack)) in side_planes(solid, face).enumerate() {
        if k % stride != 0 {
            continue;
        }
        polygon.cut(cut_side(k), |p| away.dot(p - at) - slack);
    }
    polygon.manifold(
        normal,
        name,
        reach,
        |p| normal.dot(p) - d,
        other_in_solid.point(other.vertex(lowest)),
        |p| on_face(solid, face, p),
    )
}

fn edge_on_edge(a: Faces<'_>, b: Faces<'_>, b_in_a: &Transform, axis: EdgeAxis, reach: f32) -> Manifold {
    let (index_a, index_b) = axis.edges;
    let (Some([a0, a1, ..]), Some([b0, b1, ..])) = (a.edges.get(index_a), b.edges.get(index_b)) else {
        return Manifold::NONE;
    };
    let of_a = [a.vertex(*a0), a.vertex(*a1)];
    let of_b = [b0, b1].map(|v| b_in_a.point(b.vertex(*v)));
    let (s, t) = of_segments(of_a, of_b);
    let (p, q) = (of_a[0] + (of_a[1] - of_a[0]) * s, of_b[0] + (of_b[1] - of_b[0]) * t);
    let name = feature(Reference::Edges, index_a as u32, index_b as u32);
    touch(p, q, axis.normal.dot(q - p), axis.normal, reach, name)
}

#[cfg(test)]
mod tests;
