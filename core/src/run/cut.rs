//! Cuts at the end of a step: which edges lie along them, and which vertices are split for it.

use crate::describe::cut::Cut;
use crate::geometry::vector::{P, add, scale};
use crate::run::report::Report;
use crate::run::split::Splitting;
use crate::run::state::State;

impl Splitting<'_> {
    /// Splits vertices along cuts, the lowest first, and tells of it. Marks in `busy` the vertices of their triangles:
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
        let mut ends: Vec<(u32, [u32; 2])> =
            parted.iter().filter_map(|&two| self.edge(two)).flat_map(|edge| edge.map(|v| (v, edge))).collect();
        ends.sort_unstable();
        ends.dedup_by_key(|(v, _)| *v);
        for (vertex, edge) in ends {
            for &t in self.fans.around(vertex) {
                self.fans.triangles()[t as usize].into_iter().for_each(|v| busy[v as usize] = true);
            }
            let hang_together = |a: u32, b: u32| parted.binary_search(&[a.min(b), a.max(b)]).is_err();
            let parts = self.fans.parts(vertex, hang_together);
            if parts.len() == 1 || self.place(state, vertex).1 == 0.0 {
                continue;
            }
            report.tears_refused += (parts.len() - 1).saturating_sub(self.room()) as u32;
            self.split(state, (vertex, parts), edge, &mut report.torn);
        }
        let hang = parted.into_iter().filter(|&two| self.edge(two).is_some()).collect::<Vec<_>>();
        state.tears.set_slits(number, hang.into_iter());
    }

    /// The edge that two triangles share.
    fn edge(&self, [a, b]: [u32; 2]) -> Option<[u32; 2]> {
        let [a, b] = [a, b].map(|t| self.fans.triangles()[t as usize]);
        let mut shared = a.into_iter().filter(|v| b.contains(v));
        let (one, other) = (shared.next()?, shared.next()?);
        Some([one.min(other), one.max(other)])
    }

    /// Pairs of triangles that lie on both sides of cuts.
    fn along(&self, state: &State, cuts: &[Cut]) -> Vec<[u32; 2]> {
        let at = |v: u32| self.place(state, v).0;
        let triangles = self.fans.triangles();
        let middle = |t: u32| {
            let [a, b, c] = triangles[t as usize].map(at);
            scale(add(add(a, b), c), 1.0 / 3.0)
        };
        let mut sides: Vec<([u32; 2], u32)> = Vec::with_capacity(3 * triangles.len());
        for (t, &[a, b, c]) in (0u32..).zip(triangles) {
            sides.extend([[a, b], [b, c], [c, a]].map(|[a, b]| ([a.min(b), a.max(b)], t)));
        }
        sides.sort_unstable();
        let mut parted = Vec::new();
        for of_edge in sides.chunk_by(|a, b| a.0 == b.0) {
            let edge = of_edge[0].0;
            let over: P = scale(add(at(edge[0]), at(edge[1])), 0.5);
            for (i, &(_, a)) in of_edge.iter().enumerate() {
                for &(_, b) in &of_edge[i + 1..] {
                    let way = [middle(a), over, middle(b)];
                    if cuts.iter().any(|cut| cut.crosses(way)) {
                        parted.push([a, b]);
                    }
                }
            }
        }
        parted
    }
}
