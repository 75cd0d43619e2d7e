//! Memory that a scene needs, estimated before any is taken.
//!
//! Bytes that describing, planning and stepping need at their peak. Measured as the peak of whole runs (sheets of
//! 62,500 to 1,000,000 vertices, fabrics, solids of 5,000,000 tetrahedra, a rope of 1,000,000 links, fields of
//! 16,000,000 nodes): the estimate is 1.05 times as much for fabrics, 1.1 to 1.4 times for other sheets and solids, 3.6
//! times for a rope. To that comes what long range attachments and automatic substeps need: a pinned sheet of 490,000
//! vertices took 345 MB with them and 273 MB without. Contacts between bodies depend on what touches; their part is
//! what a sheet needs whose thickness is twice the length of its edges. Matched shapes, and meshes that are cut into
//! convex pieces, are measured by core/tests/allocations.rs: 1.05 to 1.9 times as much as is taken; solids of balls,
//! which are counted before they are made, too: 1.1 times as much, 1.4 for 50 that overlap in 90,000 particles.

use crate::tuning::MAX_CLUSTER_PARTICLES;
use std::ops::Add;

/// Of a sheet's vertex: loads on its edges and ways to pins, while it is planned, and its attachments.
const SHEET_VERTEX: u64 = 160;
/// Positions, velocities, roundings, displacements, order, and what is drawn.
const PARTICLE: u64 = 150;
/// The last substep, and displacements before contacts.
const PAST: u64 = 48;
/// Indices, and their copies in the plan and in pictures.
const TRIANGLE: u64 = 72;
const TET: u64 = 100;
/// A constraint without its slots and parameters; each of these stands in the description and in the plan.
const CONSTRAINT: u64 = 60;
const NUMBER: u64 = 12;
/// A vertex of a skin: its place in a tetrahedron, its contact, and what is drawn; of a surface that is filled also
/// corners of two triangles, and what finds them.
const SKIN_VERTEX: u64 = 220;
/// Features of a particle's share of a surface, and pairs of them.
const COLLIDING: u64 = 3000;
/// A pair of features that is listed: 14,400 vertices on one heap took 430 bytes for each of 3.4 million.
const LISTED: u64 = 450;
/// Points and triangles of a particle that rigid bodies meet, three features of 60 bytes, and their cluster.
const COUPLED: u64 = 250;
/// A matched shape without its vertices, in the description, in the plan and while it is planned.
const SHAPE: u64 = 1500;
/// A vertex of a shape: its number twice and its mass; and while the shapes are planned which shapes it is in, and
/// their order.
const MEMBER: u64 = 60;
/// Sixteen vertices of a shape: where they are and how they rest, twice while shapes are ordered, and what a step keeps
/// of them.
const REGISTER: u64 = 3 * 320;
/// A particle of a fluid: its neighbours twice, as they are found and for lanes, and where it is.
const FLUID: u64 = 700;
/// A grain: its neighbours as they are found, its contacts for lanes and as they are kept, and where it is.
const GRAIN: u64 = 600;
/// A rigid body: its description, its plan, what moves, its cells in searches, and what is recorded of it (60,000 balls
/// took 6,300 bytes each).
const RIGID: u64 = 6000;
/// A contact of two rigid bodies, with its points and rows (2000 balls in one place took 1231 bytes for each pair).
const RIGID_CONTACT: u64 = 1300;
/// One of its shapes, in the description and in the plan.
const RIGID_SHAPE: u64 = 300;
/// A collider: its description, its plan, and where it is.
const COLLIDER: u64 = 2500;
/// Distances, their pairs and bends, and what finds them.
const FIELD_NODE: u64 = 44;
/// A node of the grid that a surface of balls is cut out of: its distance, and the vertices on its seven edges.
const BALL_NODE: u64 = 36;
/// A cell of the box that a surface is filled in: which of its tetrahedra are inside, its corner, and its place in the
/// order.
const FILLED_CELL: u64 = 50;
/// A vertex that is pinned, attached or tethered.
const NAMED: u64 = 24;
/// A number of a vertex that maps tell, in the description and the plan (8 to 30 bytes were taken, by the key).
const MAPPED: u64 = 32;
/// A joint, in the description and in the plan, with its rows.
const JOINT: u64 = 500;
/// A triangle of a mesh whose mass is measured: its corners, its edges, and the places of its vertices.
const WEIGHED: u64 = 200;
/// A triangle of a mesh that is cut into convex pieces: as a polygon, and what each thread has of both sides of a plane
/// that it tries.
const POLYGON: u64 = 130;
const HALVES: u64 = 200;
/// Planes that are tried at once, at most.
const PLANES: u64 = 15;
/// A vertex of a convex piece, with its faces and edges.
const PIECE_VERTEX: u64 = 500;

/// Particles and bytes that a body or a scene needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Need {
    /// Number of particles.
    pub particles: u64,
    /// Bytes.
    pub bytes: u64,
}

impl Need {
    /// Particles alone.
    #[must_use]
    pub fn particles(particles: u64) -> Need {
        Need { particles, bytes: particles.saturating_mul(PARTICLE) }
    }

    /// A sheet that resists stretch, with three edges to two triangles; one that `bends` resists bending, too.
    #[must_use]
    pub fn sheet(vertices: u64, triangles: u64, bends: bool) -> Need {
        let edges = triangles.saturating_add(triangles / 2);
        let sheet = Need::particles(vertices).of(vertices, SHEET_VERTEX).triangles(triangles).constraints(edges, 3);
        if bends { sheet.constraints(edges, 5) } else { sheet }
    }

    /// A solid of tetrahedra.
    #[must_use]
    pub fn solid(vertices: u64, tets: u64) -> Need {
        Need::particles(vertices).tets(tets).constraints(tets, 11)
    }

    /// A fluid.
    #[must_use]
    pub fn fluid(particles: u64) -> Need {
        Need::particles(particles).of(particles, FLUID)
    }

    /// Grains that fill this share of boxes. To fill a box takes four bytes a cell, and a grain has the volume of 2.75
    /// cells.
    #[must_use]
    pub fn grains(grains: u64, fraction: f32) -> Need {
        Need::grains_in_boxes([grains, grains], fraction)
    }

    /// So many grains at most, of which some fill boxes.
    pub(crate) fn grains_in_boxes([grains, filled]: [u64; 2], fraction: f32) -> Need {
        // A share that is refused later must not ask for all memory.
        let cells = if (0.02..=1.0).contains(&fraction) { filled as f64 * (2.75 / f64::from(fraction)) } else { 0.0 };
        Need::particles(grains).of(grains, GRAIN).of(cells as u64, 4)
    }

    /// A rope of so many points.
    #[must_use]
    pub fn rope(points: u64) -> Need {
        Need::particles(points).constraints(points, 3)
    }

    /// A rod of so many points; its segments have frames, which are particles too.
    #[must_use]
    pub fn rod(points: u64) -> Need {
        let frames = points.saturating_sub(1);
        Need::particles(points.saturating_add(frames)).constraints(points, 3).constraints(points, 7)
    }

    /// A signed distance field of so many nodes, with the vertices of its surface.
    #[must_use]
    pub fn field(nodes: u64, vertices: u64) -> Need {
        // The tree that finds the nearest triangle is the quarter (1.03 times as much was taken as is told without it).
        Need::default().of(nodes, FIELD_NODE).skin(vertices.saturating_add(vertices / 4))
    }

    /// What is taken for a while to make a surface of balls out of a grid of so many nodes
    /// ([`crate::Mesh::count_ball_nodes`]).
    #[must_use]
    pub fn ball_grid(nodes: u64) -> Need {
        Need::default().of(nodes, BALL_NODE)
    }

    /// The same with what is taken for a while to fill a surface, in a box of so many cells.
    #[must_use]
    pub fn filled_in(self, cells: u64) -> Need {
        self.of(cells, FILLED_CELL)
    }

    /// What is taken for a while to find the clusters of so many vertices, at most. Seeds are further apart than 0.6
    /// radii, so that no more than 81 are within a radius of a vertex: balls of 0.3 radii about them are apart, in one
    /// of 1.3. A list grows to twice its size.
    #[must_use]
    pub fn clusters(vertices: u64) -> Need {
        let members = vertices.saturating_mul(81).min(MAX_CLUSTER_PARTICLES as u64);
        Need::default().of(members, 8).of(vertices, 32)
    }

    /// So many rigid bodies of one shape each.
    #[must_use]
    pub fn rigid_bodies(count: u64) -> Need {
        Need::default().of(count, RIGID + RIGID_SHAPE)
    }

    /// Contacts of so many pairs of rigid bodies.
    #[must_use]
    pub fn rigid_contacts(pairs: u64) -> Need {
        Need::default().of(pairs, RIGID_CONTACT)
    }

    /// So many colliders, without their distances.
    #[must_use]
    pub fn colliders(self, count: u64) -> Need {
        self.of(count, COLLIDER)
    }

    /// A rigid body of so many shapes.
    #[must_use]
    pub fn rigid(shapes: u64) -> Need {
        Need::default().of(1, RIGID).of(shapes, RIGID_SHAPE)
    }

    /// What is taken for a while to find the mass of a mesh.
    pub(crate) fn weighed(triangles: u64) -> Need {
        Need::default().of(triangles, WEIGHED)
    }

    /// What is taken for a while to cut a mesh into convex pieces, on all threads.
    pub(crate) fn cut(triangles: u64) -> Need {
        let threads = (rayon::current_num_threads() as u64).min(PLANES);
        Need::default().of(triangles, POLYGON + threads * HALVES)
    }

    /// Convex pieces with so many vertices in all.
    pub(crate) fn pieces(vertices: u64) -> Need {
        Need::default().of(vertices, PIECE_VERTEX)
    }

    /// The larger of two that are not there at once.
    #[must_use]
    pub fn or(self, other: Need) -> Need {
        Need { particles: self.particles.max(other.particles), bytes: self.bytes.max(other.bytes) }
    }

    /// The same with shapes that are matched, of so many vertices each.
    pub(crate) fn shapes(self, vertices: impl Iterator<Item = usize>) -> Need {
        vertices.fold(self, |need, count| {
            let count = count as u64;
            need.of(1, SHAPE).of(count, MEMBER).of(count.div_ceil(16), REGISTER)
        })
    }

    /// The same beside rigid bodies, if there are any: features that meet them, a point for each particle and two
    /// triangles.
    pub(crate) fn coupled(self, coupled: bool) -> Need {
        if coupled { self.of(self.particles, COUPLED) } else { self }
    }

    /// The same with contacts of bodies, if `collides`.
    #[must_use]
    pub fn colliding(self, collides: bool) -> Need {
        if collides { self.of(self.particles, COLLIDING) } else { self }
    }

    /// Pairs of features that fit into what is counted for so many particles that collide, and into the bytes that are
    /// left.
    pub(crate) fn listed(colliding: u64, left: u64) -> u64 {
        colliding.saturating_mul(COLLIDING).saturating_add(left) / LISTED
    }

    /// The same with velocities of second order, if they are `followed`.
    pub(crate) fn followed(self, followed: bool) -> Need {
        if followed { self.of(self.particles, PAST) } else { self }
    }

    /// The same with a skin of so many vertices.
    pub(crate) fn skin(self, vertices: u64) -> Need {
        self.of(vertices, SKIN_VERTEX)
    }

    /// The same with tetrahedra.
    pub(crate) fn tets(self, count: u64) -> Need {
        self.of(count, TET)
    }

    /// The same with numbers of vertices that maps tell.
    #[must_use]
    pub fn mapped(self, count: u64) -> Need {
        self.of(count, MAPPED)
    }

    /// The same with triangles.
    #[must_use]
    pub fn triangles(self, count: u64) -> Need {
        self.of(count, TRIANGLE)
    }

    /// The same with vertices that are pinned, attached or tethered.
    #[must_use]
    pub fn named(self, count: u64) -> Need {
        self.of(count, NAMED)
    }

    /// The same with joints.
    pub(crate) fn joints(self, count: u64) -> Need {
        self.of(count, JOINT)
    }

    /// The same with numbers of four bytes, that the description and the plan share.
    #[must_use]
    pub fn numbers(self, count: u64) -> Need {
        self.of(count, 4)
    }

    /// The same with `count` constraints of so many slots and parameters.
    #[must_use]
    pub fn constraints(self, count: u64, numbers: u64) -> Need {
        self.of(count, CONSTRAINT + numbers * NUMBER)
    }

    /// The same with `count` things of so many bytes.
    fn of(self, count: u64, bytes: u64) -> Need {
        Need { bytes: self.bytes.saturating_add(count.saturating_mul(bytes)), ..self }
    }
}

impl Add for Need {
    type Output = Need;

    fn add(self, other: Need) -> Need {
        Need {
            particles: self.particles.saturating_add(other.particles),
            bytes: self.bytes.saturating_add(other.bytes),
        }
    }
}

/// Bytes that are needed, and fewer that are allowed, as people read them: with as many digits as tell them apart.
///
/// ```
/// use seidel::memory::both_shown;
/// assert_eq!(both_shown(1_220_000_000, 1_204_000_000), ["1.22 GB", "1.20 GB"]);
/// assert_eq!(both_shown(7_000_000, 1_000_000), ["7.0 MB", "1.0 MB"]);
/// ```
#[must_use]
pub fn both_shown(need: u64, limit: u64) -> [String; 2] {
    let digits = (1..6).find(|&digits| shown_with(need, digits) != shown_with(limit, digits)).unwrap_or(6);
    [need, limit].map(|bytes| shown_with(bytes, digits))
}

/// Bytes as people read them: `15.5 GB`.
#[must_use]
pub fn shown(bytes: u64) -> String {
    shown_with(bytes, 1)
}

fn shown_with(bytes: u64, digits: usize) -> String {
    let bytes = bytes as f64;
    let (size, unit) = match bytes {
        _ if bytes >= 1e9 => (1e9, "GB"),
        _ if bytes >= 1e6 => (1e6, "MB"),
        _ => (1e3, "kB"),
    };
    format!("{:.digits$} {unit}", bytes / size)
}
