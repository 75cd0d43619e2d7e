//! Points of the surfaces that are shown in place of tetrahedra, in tiles, for contacts with colliders.
//!
//! Contacts are those of a skin's vertices, and of points between them where its triangles are larger than the
//! tetrahedra. Points of neighbouring tetrahedra are a tile; tiles of a color share no particle, so they are solved at
//! once.

use super::color::Coloring;
use crate::geometry::vector::{P, add, scale, sub};
use crate::plan::body::BodyPlan;
use crate::plan::embedding::Bond;
use crate::plan::order::by_halves;
use crate::plan::samples::edges;
use crate::tuning::{MAX_SHARE, SKIN_ROUNDING, SKIN_SLACK, SKIN_STRETCH, TETS_A_PART, TILES_A_BLOCK};
use seidel_kernels::contact::{CARRIERS, EmbeddedTile};
use seidel_kernels::{BATCH, Layout, Row, Rows};
use std::ops::Range;

/// The skins of all bodies that have one. Immutable, in the plan.
#[derive(Clone, Debug, Default)]
pub(crate) struct Skins {
    pub(crate) bodies: Vec<SkinPlan>,
    /// Color by color.
    pub(crate) tiles: Vec<SkinTile>,
    /// For each color the tiles that a worker takes at a time.
    pub(crate) stages: Vec<Vec<Range<usize>>>,
    /// The vertex that each point is, or is near; a tile's points begin at a multiple of 16.
    pub(crate) vertices: Vec<u32>,
}

/// A body's.
#[derive(Clone, Debug)]
pub(crate) struct SkinPlan {
    /// Its number in the plan.
    pub(crate) body: usize,
    /// Its tiles, ascending.
    pub(crate) tiles: Vec<usize>,
    /// The largest share below 0 that its tiles have.
    pub(crate) overhang: f32,
    /// Metres. No point is farther outside of the body's box, while no edge is longer than `SKIN_STRETCH` times the
    /// longest at rest.
    pub(crate) out: f32,
    /// Metres. Rounds of contacts end with one that moves no point further.
    pub(crate) done: f32,
    /// Metres. Points that are so much farther from a collider than they keep are looked at again only when pushes may
    /// have brought them near.
    pub(crate) slack: f32,
    /// Vertices that are so far from all tetrahedra that they meet no collider.
    pub(crate) far: Vec<u32>,
}

/// Points of neighbouring tetrahedra.
#[derive(Clone, Debug)]
pub(crate) struct SkinTile {
    /// Its skin's number.
    pub(crate) skin: usize,
    /// Its first point's place among those of all tiles.
    pub(crate) first: usize,
    pub(crate) points: EmbeddedTile,
}

impl Skins {
    /// Of bodies that have been bound; `x` are all rows at the start.
    pub(crate) fn of(plans: &[BodyPlan], x: &Rows) -> Skins {
        let mut skins = Skins::default();
        let mut coloring = Coloring::new(x.len());
        let mut colored: Vec<(u32, SkinTile)> = Vec::new();
        let mut vertices: Vec<Vec<u32>> = Vec::new();
        for (number, plan) in plans.iter().enumerate() {
            let Some(skin) = &plan.skin else { continue };
            let vertex = (0u32..).zip(skin.bonds()).map(|(vertex, bond)| (*bond, vertex));
            let (near, far): (Vec<_>, Vec<_>) =
                vertex.chain(plan.samples.iter().copied()).partition(|(bond, _)| bond.is_near());
            let far: Vec<u32> =
                far.into_iter().map(|(_, vertex)| vertex).filter(|&v| !skin.bonds()[v as usize].is_near()).collect();
            let tiles = tiles(plan, x, near);
            let colors = coloring.of(tiles.iter().map(|(points, _)| points.carriers().iter().copied()));
            let overhang = tiles.iter().map(|(points, _)| points.overhang()).fold(0.0, f32::max);
            for ((points, of), color) in tiles.into_iter().zip(colors) {
                colored.push((color, SkinTile { skin: skins.bodies.len(), first: vertices.len(), points }));
                vertices.push(of);
            }
            let (edge, longest) = edges(&plan.tets, |v| plan.get(x, v as usize));
            let [done, slack] = [SKIN_ROUNDING, SKIN_SLACK].map(|part| (edge * part) as f32);
            // Points outside of their tetrahedra move further than these.
            let slack = slack / (1.0 + 2.0 * overhang);
            let out = overhang * longest as f32 * SKIN_STRETCH;
            skins.bodies.push(SkinPlan { body: number, tiles: Vec::new(), overhang, out, done, slack, far });
        }
        // Bodies in their order, and a body's tiles.
        colored.sort_by_key(|(color, _)| *color);
        for (color, mut tile) in colored {
            let (number, of) = (skins.tiles.len(), std::mem::take(&mut vertices[tile.first]));
            skins.stages.resize(skins.stages.len().max(color as usize + 1), Vec::new());
            let blocks = &mut skins.stages[color as usize];
            match blocks.last_mut().filter(|block| block.len() < TILES_A_BLOCK) {
                Some(block) => block.end = number + 1,
                None => blocks.push(number..number + 1),
            }
            tile.first = skins.vertices.len();
            skins.vertices.extend(of);
            skins.vertices.resize(skins.vertices.len().next_multiple_of(BATCH), 0);
            skins.bodies[tile.skin].tiles.push(number);
            skins.tiles.push(tile);
        }
        skins
    }

    /// The tiles of a body; none if it has no skin.
    pub(crate) fn of_body(&self, body: usize) -> impl Iterator<Item = &SkinTile> {
        let skin = self.bodies.iter().find(|skin| skin.body == body);
        skin.into_iter().flat_map(|skin| skin.tiles.iter().map(|&tile| &self.tiles[tile]))
    }
}

impl SkinTile {
    /// Where a point is, metres, and whether it can move.
    pub(crate) fn place(&self, point: usize, layout: Layout, x: &[Row]) -> (P, bool) {
        let (at, shares) = self.points.point(point);
        let rows = at.map(|row| layout.read(x, row as usize));
        let [x0, x1, x2, x3]: [P; 4] = rows.map(|[x, y, z, _]| [x, y, z].map(f64::from));
        let along = |x: P, share: f32| scale(sub(x, x0), f64::from(share));
        let place = add(x0, add(add(along(x1, shares[1]), along(x2, shares[2])), along(x3, shares[3])));
        (place, rows.iter().zip(shares).any(|(row, share)| row[3] > 0.0 && share != 0.0))
    }
}

impl Bond {
    /// Whether the tetrahedron may be pushed by this point.
    pub(crate) fn is_near(&self) -> bool {
        let [b1, b2, b3] = self.shares;
        [((1.0 - b1) - b2) - b3, b1, b2, b3].iter().all(|share| share.abs() <= MAX_SHARE)
    }
}

/// Points in tiles, with the vertex of each: tetrahedra that are neighbours together, as many as their particles allow.
fn tiles(plan: &BodyPlan, x: &Rows, mut points: Vec<(Bond, u32)>) -> Vec<(EmbeddedTile, Vec<u32>)> {
    points.sort_by_key(|(bond, _)| bond.corners);
    let of_tet: Vec<&[(Bond, u32)]> = points.chunk_by(|a, b| a.0.corners == b.0.corners).collect();
    let middle = |of: &&[(Bond, u32)]| {
        let x = of[0].0.corners.map(|v| plan.get(x, v as usize));
        std::array::from_fn(|k| ((x[0][k] + x[1][k]) + (x[2][k] + x[3][k])) * 0.25)
    };
    let middles: Vec<[f32; 3]> = of_tet.iter().map(middle).collect();
    let (mut tiles, mut carriers) = (Vec::new(), Vec::<u32>::new());
    let (mut corners, mut shares, mut vertices) = (Vec::new(), Vec::new(), Vec::new());
    let mut end = |corners: &mut Vec<[u32; 4]>, shares: &mut Vec<[f32; 3]>, vertices: &mut Vec<u32>| {
        if let Some(tile) = EmbeddedTile::new(plan.layout, corners, shares) {
            tiles.push((tile, std::mem::take(vertices)));
        }
        corners.clear();
        shares.clear();
    };
    for tet in by_halves(&middles, middles.len().div_ceil(TETS_A_PART)) {
        let of = of_tet[tet as usize];
        let rows = of[0].0.corners.map(|v| plan.particle(v));
        let more = rows.iter().filter(|row| !carriers.contains(row)).count();
        if carriers.len() + more > CARRIERS {
            end(&mut corners, &mut shares, &mut vertices);
            carriers.clear();
        }
        for row in rows {
            if !carriers.contains(&row) {
                carriers.push(row);
            }
        }
        for (bond, vertex) in of {
            corners.push(rows);
            shares.push(bond.shares);
            vertices.push(*vertex);
        }
    }
    end(&mut corners, &mut shares, &mut vertices);
    tiles
}
