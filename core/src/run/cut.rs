//! Cuts at the end of a step: which facets of cells lie along them, and which vertices are split for it.

use crate::describe::cut::Cut;
use crate::geometry::vector::{add, scale};
use crate::run::report::Report;
use crate::run::split::{Splitting, smooth};
use crate::run::state::State;

impl Splitting<'_> {
    /// Splits vertices along cuts, the lowest first, and tells of it. Marks in `busy` the vertices of their cells:
    /// nothing tears there in this step.
    pub(super) fn cut(&mut self, state: &mut State, cuts: &[Cut], report: &mut Report, busy: &mut [bool]) {
        if cuts.is_empty() {
            return;
        }
        let number = self.of.body as u32;
        // With what was cut before and hangs together still: a blade may be drawn over many steps.
        let mut parted = self.along(state, cuts);
        parted.extend(state.tears.slits_of(number));
        parted.sort_unstable();
        parted.dedup();
        let mut ends: Vec<(u32, [u32; 2])> = Vec::new();
        for facet in parted.iter().filter_map(|&two| self.facet(two)) {
            ends.extend(facet.iter().map(|&v| (v, [facet[0], facet[1]])));
        }
        ends.sort_unstable();
        ends.dedup_by_key(|(v, _)| *v);
        for (vertex, edge) in ends {
            for &t in self.fans.around(vertex) {
                self.fans.cell(t).iter().for_each(|&v| busy[v as usize] = true);
            }
            let hang_together = |a: u32, b: u32| parted.binary_search(&[a.min(b), a.max(b)]).is_err();
            let parts = self.fans.parts(vertex, hang_together);
            if parts.len() == 1 || self.place(state, vertex).1 == 0.0 {
                continue;
            }
            report.tears_refused += (parts.len() - 1).saturating_sub(self.room()) as u32;
            self.split(state, (vertex, parts), edge, &mut report.torn);
        }
        let hang = parted.into_iter().filter(|&two| self.facet(two).is_some()).collect::<Vec<_>>();
        state.tears.set_slits(number, hang.into_iter());
    }

    /// The vertices of the facet that two cells share, ascending.
    fn facet(&self, [a, b]: [u32; 2]) -> Option<Vec<u32>> {
        let b = self.fans.cell(b);
        let mut shared: Vec<u32> = self.fans.cell(a).iter().copied().filter(|v| b.contains(v)).collect();
        shared.sort_unstable();
        (shared.len() + 1 == b.len()).then_some(shared)
    }

    /// Pairs of cells that lie on both sides of cuts.
    fn along(&self, state: &State, cuts: &[Cut]) -> Vec<[u32; 2]> {
        let cells = self.fans.cells();
        let middle = |of: &mut dyn Iterator<Item = u32>| {
            let (count, all) =
                of.fold((0.0, [0.0; 3]), |(count, all), v| (count + 1.0, add(all, self.place(state, v).0)));
            scale(all, 1.0 / count)
        };
        // The vertices of each facet, ascending, with its cell.
        let mut sides: Vec<([u32; 3], u32)> = Vec::with_capacity(cells.corners().len());
        for (t, cell) in (0u32..).zip(cells.each()) {
            for &out in cell {
                let mut others = cell.iter().copied().filter(|&v| v != out);
                let mut side = [(); 3].map(|()| others.next().unwrap_or(u32::MAX));
                side.sort_unstable();
                sides.push((side, t));
            }
        }
        sides.sort_unstable();
        // Pairs of cells, and the way from one's middle over the facet's to the other's.
        let mut ways = Vec::new();
        for of_facet in sides.chunk_by(|a, b| a.0 == b.0) {
            let over = || middle(&mut of_facet[0].0.into_iter().filter(|&v| v != u32::MAX));
            for (i, &(_, a)) in of_facet.iter().enumerate() {
                for &(_, b) in &of_facet[i + 1..] {
                    let [a_middle, b_middle] = [a, b].map(|t| middle(&mut cells.get(t).iter().copied()));
                    ways.push(([a, b], [a_middle, over(), b_middle]));
                }
            }
        }
        let mut parted = Vec::new();
        for cut in cuts {
            let mut pairs: Vec<_> = ways.iter().map(|&(two, way)| (two, cut.crosses(way))).collect();
            // A blade has no two sides.
            if cells.size() == 4 && cut.is_plane() {
                smooth(&mut pairs, cells.count());
            }
            parted.extend(pairs.into_iter().filter(|(_, parted)| *parted).map(|(two, _)| two));
        }
        parted
    }
}
