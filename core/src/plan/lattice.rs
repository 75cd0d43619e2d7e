//! Lattices: meshes whose rows repeat at constant offsets of the vertex number, as those of a grid do.
//!
//! Vertex k is put into lane k / S of block k mod S, S = n / 16: sixteen strips of the mesh lie side by side. Then the
//! rows k -> k + d of all strips are one batch whose lanes are consecutive particles: registers are loaded and stored
//! whole.
//!
//! ```text
//! 4 x 8 grid, S = 2 (of 16 lanes)         k = 0 1 | 2 3 | 4 5 | ...
//!   block 0:  0  2  4  6 ... 30           edge k -> k + 1:  block 0 -> block 1, all lanes
//!   block 1:  1  3  5  7 ... 31                             block 1 -> block 0, one lane further
//! ```

use crate::tuning::{
    FEW_TRIES, KEPT_FILL, MANY_VERTICES, MAX_CLASSES, MIN_FILL, MIN_SLABS, MOST_CLASSES, ODD_COST, SLAB_TRIES,
    SOLID_REACH, STRIP_REACH, TRIES,
};
use seidel_kernels::BATCH;
use std::collections::HashMap;

/// Rows of one kind on a body: particles in a row, and the vertices of all rows.
pub(crate) type VertexRows<'a> = (usize, &'a [u32]);

/// Offsets of the slots of a row from its first.
type Class = [i32; 7];

/// How vertices lie in blocks: vertex k in block k mod `blocks`, lane k / `blocks`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lattice {
    pub(crate) blocks: usize,
    /// Blocks of a slab: slab i has the blocks b with b mod (`blocks` / `slab`) = i, and no row reaches further than
    /// the next slab. Where there are none, 1.
    pub(crate) slab: usize,
}

/// The lattice that `vertices` vertices with these rows are, if they are one: in slabs, if it is a solid's and has
/// enough.
///
/// A solid is too short for its strips to be cut: n^3 vertices reach from one to n^2 + n + 1 further, of n^3 / 16. But
/// where strips begin and end with rows of the mesh, columns across those rows go on from lane to lane, and slabs of
/// whole columns meet only the slabs beside them: the interfaces between patches share nothing. Cut by halves instead,
/// 21 % of the tetrahedra of 24^3 cells are inside of a patch, and 15 stages of interfaces follow.
pub(crate) fn lattice(vertices: usize, rows: &[VertexRows<'_>]) -> Option<Lattice> {
    let classes: Vec<Classes> = rows.iter().map(Classes::of).collect::<Option<_>>()?;
    let (blocks, fill) = blocks(vertices, rows, &classes)?;
    // In some widths an offset falls into one block.
    let count = slabs(vertices, &classes).unwrap_or(1);
    let least = vertices.div_ceil(BATCH).div_ceil(count);
    let (slab, best) = (least..least + SLAB_TRIES)
        .map(|slab| (slab, filled(rows, &classes, slab * count)))
        .fold((0, 0.0), |best, this| if this.1 > best.1 { this } else { best });
    let in_slabs = count > 1 && best >= fill * KEPT_FILL;
    Some(if in_slabs { Lattice { blocks: slab * count, slab } } else { Lattice { blocks, slab: 1 } })
}

/// The number of slabs that nearly all rows allow, the least; the few others are interfaces.
fn slabs(vertices: usize, classes: &[Classes]) -> Option<usize> {
    // How far apart the slots of a row are.
    let mut apart: Vec<u32> = Vec::new();
    let rows: usize = classes.iter().map(|classes| classes.of.len()).sum();
    for class in classes.iter().flat_map(|classes| classes.of_share(rows / MOST_CLASSES)) {
        let slots = || std::iter::once(0).chain(class.iter().copied());
        apart.extend(slots().flat_map(|a| slots().map(move |b| a.abs_diff(b))));
    }
    apart.sort_unstable();
    apart.dedup();
    let near = |count: u32| apart.iter().all(|d| matches!(d % count, 0 | 1) || d % count == count - 1);
    let least = vertices.div_ceil(BATCH);
    let count = apart.iter().copied().find(|&d| d as usize >= MIN_SLABS && d as usize <= least && near(d))?;
    // A sheet's rows reach over two rows of its mesh, and long strips of a solid are cut as well as a sheet's.
    let reach = *apart.last()?;
    (reach / count >= SOLID_REACH && reach as usize * STRIP_REACH > least).then_some(count as usize)
}

/// Share of the lanes of all batches that have a row.
fn filled(rows: &[VertexRows<'_>], classes: &[Classes], blocks: usize) -> f64 {
    let total: usize = rows.iter().map(|(slots, at)| at.len() / slots).sum();
    let batches: usize = rows.iter().zip(classes).map(|(rows, classes)| classes.batches(rows, blocks)).sum();
    // A few rows that all are odd make none.
    if batches == 0 { 0.0 } else { total as f64 / (batches * BATCH) as f64 }
}

/// Number of blocks, and how they are filled, if they are so well enough.
fn blocks(vertices: usize, rows: &[VertexRows<'_>], classes: &[Classes]) -> Option<(usize, f64)> {
    let least = vertices.div_ceil(BATCH);
    let total: usize = rows.iter().map(|(slots, at)| at.len() / slots).sum();
    if total == 0 || least < 2 {
        return None;
    }
    // A few sizes: in some, strips are whole rows of the mesh, or offsets do not fall into one block.
    let tries = if vertices > MANY_VERTICES { FEW_TRIES } else { TRIES };
    let (blocks, best) = (least..least + tries)
        .map(|blocks| (blocks, filled(rows, classes, blocks)))
        .fold((0, 0.0), |best, this| if this.1 > best.1 { this } else { best });
    (best >= MIN_FILL).then_some((blocks, best))
}

/// The class of each row of a kind.
struct Classes {
    of: Vec<u16>,
    offsets: Vec<Class>,
}

impl Classes {
    fn of(&(slots, at): &VertexRows<'_>) -> Option<Classes> {
        if slots > Class::default().len() + 1 {
            return None;
        }
        let mut numbers: HashMap<Class, u16> = HashMap::new();
        let mut classes = Classes { of: Vec::with_capacity(at.len() / slots), offsets: Vec::new() };
        let mut last = (Class::default(), u16::MAX);
        for row in at.chunks_exact(slots) {
            let mut class = Class::default();
            for (offset, &v) in class.iter_mut().zip(&row[1..]) {
                *offset = v.wrapping_sub(row[0]) as i32;
            }
            // Rows of a direction follow one another.
            if last.1 == u16::MAX || class != last.0 {
                let next = numbers.len() as u16;
                let number = *numbers.entry(class).or_insert(next);
                if number == next {
                    classes.offsets.push(class);
                }
                if numbers.len() > MAX_CLASSES {
                    return None;
                }
                last = (class, number);
            }
            classes.of.push(last.1);
        }
        Some(classes)
    }

    /// The offsets that more rows than `least` have.
    fn of_share(&self, least: usize) -> impl Iterator<Item = &Class> {
        let mut count = vec![0; self.offsets.len()];
        self.of.iter().for_each(|&class| count[usize::from(class)] += 1);
        self.offsets.iter().zip(count).filter(move |(_, count)| *count > least).map(|(class, _)| class)
    }

    /// How many batches the rows make; a row that no batch of whole registers can hold counts for three.
    fn batches(&self, &(slots, at): &VertexRows<'_>, blocks: usize) -> usize {
        let fits: Vec<bool> = self
            .offsets
            .iter()
            .map(|class| {
                let block = |slot: usize| if slot == 0 { 0 } else { class[slot - 1].rem_euclid(blocks as i32) };
                (1..slots).all(|a| (0..a).all(|b| block(a) != block(b)))
            })
            .collect();
        // A bit for each class and block.
        let mut seen = vec![0u64; (self.offsets.len() * blocks).div_ceil(64)];
        let (mut batches, mut odd) = (0, 0);
        for (&class, row) in self.of.iter().zip(at.chunks_exact(slots)) {
            if !fits[usize::from(class)] {
                odd += 1;
                continue;
            }
            let entry = usize::from(class) * blocks + row[0] as usize % blocks;
            let (word, bit) = (&mut seen[entry / 64], 1 << (entry % 64));
            batches += usize::from(*word & bit == 0);
            *word |= bit;
        }
        batches + odd * ODD_COST / BATCH
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A block of cells is as many slabs as it has vertices in a row, if these are enough; a sheet, and a bar of few,
    /// is none.
    #[test]
    fn solids_lie_in_slabs() {
        let of = |cells: [u32; 3]| {
            let mesh = crate::SoftBody::bar([1.0; 3], cells).mesh().expect("there are cells");
            lattice(mesh.positions.len(), &[(4, mesh.tets.as_flattened()), (3, mesh.surface().as_flattened())])
        };
        assert_eq!(of([24; 3]), Some(Lattice { blocks: 1000, slab: 40 }));
        assert_eq!(of([40, 23, 17]), Some(Lattice { blocks: 64 * 18, slab: 64 }));
        assert_eq!(of([40, 23, 9]).map(|lattice| lattice.slab), Some(1));
        let sheet = crate::Cloth::grid([100, 100], [1.0; 2]);
        let lattice = lattice(10_000, &[(3, sheet.mesh().triangles.as_flattened())]);
        assert_eq!(lattice, Some(Lattice { blocks: 625, slab: 1 }));
    }

    /// A tube's closing rows are few, as are those that somebody adds to a sheet or a solid.
    #[test]
    fn few_rows_decide_nothing_about_slabs() {
        let of_edges =
            |cloth: &crate::Cloth| cloth.mesh().edges().iter().flat_map(|edge| edge.vertices).collect::<Vec<u32>>();
        let tube = crate::Cloth::tube([40, 64], [1.0; 2]);
        let edges = of_edges(&tube);
        let slab = |vertices: usize, rows: &[VertexRows<'_>]| lattice(vertices, rows).map(|lattice| lattice.slab);
        assert_eq!(slab(40 * 64, &[(2, &edges)]), Some(1));
        let sheet = crate::Cloth::grid([100, 100], [1.0; 2]);
        let edges = of_edges(&sheet);
        let tethers: Vec<u32> = (1..7).flat_map(|k| (0..100).flat_map(move |v| [v, v + 1600 * k])).collect();
        assert_eq!(slab(10_000, &[(2, &edges), (2, &tethers)]), Some(1));
        let mesh = crate::SoftBody::bar([1.0; 3], [24; 3]).mesh().expect("there are cells");
        assert_eq!(slab(mesh.positions.len(), &[(4, mesh.tets.as_flattened()), (2, &[0, 5003])]), Some(40));
    }

    /// Where a strip holds many of a solid's layers, it is cut by halves.
    #[test]
    fn long_solids_are_cut_by_halves() {
        let slabs = |cells: [u32; 3]| {
            let mesh = crate::SoftBody::bar([1.0; 3], cells).mesh().expect("there are cells");
            lattice(mesh.positions.len(), &[(4, mesh.tets.as_flattened())]).map(|lattice| lattice.slab > 1)
        };
        assert_eq!((slabs([160, 5, 17]), slabs([40, 5, 17])), (Some(false), Some(true)));
    }

    /// Sixteen strips of three vertices: rows that stay in one block fit no batch, however few they are.
    #[test]
    fn rows_that_fit_no_batch_are_no_lattice() {
        // Offsets that every size tried divides.
        let all: u32 = (4..12).product();
        for rows in 1..8 {
            let at: Vec<u32> = (0..rows).flat_map(|row| [row, row + all]).collect();
            assert_eq!(lattice(64, &[(2, &at)]), None, "{rows} rows");
        }
    }
}
