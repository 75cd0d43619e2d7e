//! Cuts at the end of a step: which edges lie along them, and which vertices are split for it.

use crate::describe::cut::Cut;
use crate::geometry::vector::{P, add, scale};
use crate::run::report::Report;
use crate::run::split::Splitting;
use crate::run::state::State;

impl Splitting<'_> {
    /// Splits vertices along cuts, the lowest first, and tells of it; `busy` are then those near them.
    pub(super) fn cut(&mut self, state: &mut State, cuts: &[Cut], report: &mut Report, busy: &mut [bool]) {
        if cuts.is_empty() {
            return;
        }
        let (edges, parted) = self.along(state, cuts);
        let mut ends: Vec<(u32, [u32; 2])> = edges.iter().flat_map(|&edge| edge.map(|v| (v, edge))).collect();
        ends.sort_unstable();
        ends.dedup_by_key(|(v, _)| *v);
        for (vertex, edge) in ends {
            for &t in self.fans.around(vertex) {
                self.fans.triangles()[t as usize].into_iter().for_each(|v| busy[v as usize] = true);
            }
            let hang_together = |a: u32, b: u32| parted.binary_search(&[a.min(b), a.max(b)]).is_err();
            let parts = self.fans.parts_by(vertex, hang_together);
            if parts.len() == 1 || self.place(state, vertex).1 == 0.0 {
                continue;
            }
            report.tears_refused += (parts.len() - 1).saturating_sub(self.room()) as u32;
            self.split(state, (vertex, parts), edge, &mut report.torn);
        }
    }

    /// Edges along cuts, ascending, and the pairs of triangles that lie on both sides of them.
    fn along(&self, state: &State, cuts: &[Cut]) -> (Vec<[u32; 2]>, Vec<[u32; 2]>) {
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
        let (mut edges, mut parted) = (Vec::new(), Vec::new());
        for of_edge in sides.chunk_by(|a, b| a.0 == b.0) {
            let edge = of_edge[0].0;
            let over: P = scale(add(at(edge[0]), at(edge[1])), 0.5);
            for (i, &(_, a)) in of_edge.iter().enumerate() {
                for &(_, b) in &of_edge[i + 1..] {
                    let way = [middle(a), over, middle(b)];
                    if cuts.iter().any(|cut| cut.crosses(way)) {
                        edges.push(edge);
                        parted.push([a, b]);
                    }
                }
            }
        }
        edges.dedup();
        parted.sort_unstable();
        (edges, parted)
    }
}
