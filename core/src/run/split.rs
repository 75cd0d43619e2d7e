//! How a vertex of a body that tears is split, and what the state has of it.

use super::state::State;
use crate::describe::torn::{shared, sum};
use crate::geometry::fans::Fans;
use crate::geometry::vector::{P, add, cross, dot, length, scale, sub};
use crate::plan::body::BodyPlan;
use crate::plan::tearing::TearPlan;
use crate::run::report::Torn;
use crate::tuning::{LIPS, LIPS_ROUNDING, LIPS_TRIES, MOST_LIPS};
use seidel_kernels::Lanes;

/// A body while vertices are split.
pub(super) struct Splitting<'a> {
    pub(super) of: &'a TearPlan,
    pub(super) body: &'a BodyPlan,
    pub(super) fans: Fans,
}

/// Where a row of a state is, and its inverse mass.
pub(super) fn place(state: &State, body: &BodyPlan, row: usize) -> (P, f32) {
    let [x, y, z, w] = body.layout.read(&state.x, row);
    ([x, y, z].map(f64::from), w)
}

impl<'a> Splitting<'a> {
    pub(super) fn new(of: &'a TearPlan, body: &'a BodyPlan) -> Splitting<'a> {
        Splitting { of, body, fans: Fans::new(body.cells(), body.to_row.len()) }
    }

    /// The row of a vertex, or of a copy that was made in this step.
    fn row(&self, vertex: u32) -> usize {
        match (vertex as usize) < self.of.begins {
            true => self.body.particle(vertex) as usize,
            false => self.body.start + vertex as usize,
        }
    }

    /// Where a vertex is, and its inverse mass.
    pub(super) fn place(&self, state: &State, vertex: u32) -> (P, f32) {
        place(state, self.body, self.row(vertex))
    }

    /// How many more copies there may be.
    pub(super) fn room(&self) -> usize {
        self.of.begins + self.of.copies - self.fans.count() as usize
    }

    /// Gives all parts but the largest copies of a vertex, as far as there is room.
    pub(super) fn split(
        &mut self,
        state: &mut State,
        (vertex, mut parts): (u32, Vec<Vec<u32>>),
        edge: [u32; 2],
        torn: &mut Vec<Torn>,
    ) {
        let sizes = &self.of.sizes;
        // Of equal ones the first stays.
        let mut largest = 0;
        for (number, part) in parts.iter().enumerate() {
            if sum(sizes, part) > sum(sizes, &parts[largest]) {
                largest = number;
            }
        }
        parts.remove(largest);
        let mut all_of = vec![vertex];
        for moved in parts {
            if self.room() == 0 {
                break;
            }
            let (goes, all) = (sum(sizes, &moved), sum(sizes, self.fans.around(vertex)));
            let copy = self.fans.part(vertex, &moved);
            state.tears.push(self.of.body as u32, vertex, &moved);
            let (from, to) = (self.row(vertex), self.row(copy));
            let layout = self.body.layout;
            let [x, y, z, w] = layout.read(&state.x, from);
            let [stays, goes] = shared(w, goes, all);
            layout.write(&mut state.x, from, [x, y, z, stays]);
            layout.write(&mut state.x, to, [x, y, z, goes]);
            let State { r, v, past, .. } = state;
            for rows in [r, v, &mut past.d, &mut past.dv].into_iter().filter(|rows| !rows.is_empty()) {
                let row = layout.read(rows, from);
                layout.write(rows, to, row);
            }
            all_of.push(copy);
            torn.push(Torn { body: self.body.name.clone(), edge, vertex, copy });
        }
        if self.of.meets_itself {
            self.open(state, &all_of);
        }
    }

    /// The way from a vertex of a solid that goes from all open faces around it, as far from the nearest as can be, so
    /// long: into its own cells. (The mean of its neighbours may lie beyond the crack, where that is ragged.) 0 where
    /// there is no such way.
    ///
    /// It is the point of the hull of the faces' normals that is nearest to 0: Gilbert 1966, "An iterative procedure
    /// for computing the minimum of a quadratic form on a convex set".
    fn inwards(&self, state: &State, vertex: u32, long: f64) -> P {
        let at = |v: u32| self.place(state, v).0;
        let x = at(vertex);
        let mut normals = Vec::new();
        for ([a, b], cell) in self.fans.borders(vertex) {
            let normal = cross(sub(at(a), x), sub(at(b), x));
            let other = self.fans.cell(cell).iter().find(|v| ![vertex, a, b].contains(v));
            let inside = other.map_or(0.0, |&v| dot(sub(at(v), x), normal));
            normals.push(scale(normal, 1.0f64.copysign(inside) / length(normal)));
        }
        let mut way = scale(normals.iter().copied().fold([0.0; 3], add), 1.0 / normals.len() as f64);
        for _ in 0..LIPS_TRIES {
            let along = |n: &P| dot(*n, way);
            let Some(&most) = normals.iter().min_by(|a, b| along(a).total_cmp(&along(b))) else { break };
            let to = sub(most, way);
            let part = -dot(way, to) / dot(to, to);
            if part.is_nan() || part <= 0.0 {
                break;
            }
            way = add(way, scale(to, if part < 1.0 { part } else { 1.0 }));
        }
        let leads_away = normals.iter().all(|n| dot(*n, way) > 0.0);
        if leads_away { scale(way, long / length(way)) } else { [0.0; 3] }
    }

    /// Moves a vertex and its copies a little apart, each towards its own cells; their center of mass stays.
    /// Contacts keep features on the sides on which they are, and the lips of a crack that lie in one place are on
    /// none.
    fn open(&self, state: &mut State, vertices: &[u32]) {
        let (mut mass, mut sum) = (0.0, [0.0; 3]);
        let mut displacements = Vec::with_capacity(vertices.len());
        for &vertex in vertices {
            let (x, w) = self.place(state, vertex);
            let corners = self.fans.around(vertex).iter().flat_map(|&t| self.fans.cell(t));
            let others = corners.copied().filter(|&v| v != vertex);
            let to_others = others.map(|v| sub(self.place(state, v).0, x));
            let (count, all, far) = to_others
                .fold((0.0, [0.0; 3], 0.0), |(count, all, far), to| (count + 1.0, add(all, to), far + length(to)));
            let way = match self.fans.cells().size() {
                3 => all,
                _ => self.inwards(state, vertex, far),
            };
            let largest = x.iter().fold(0.0, |most: f64, x| Lanes::larger(most, x.abs()));
            let share = Lanes::larger(LIPS, Lanes::smaller(LIPS_ROUNDING * largest * count / length(way), MOST_LIPS));
            let displacement = if way == [0.0; 3] { way } else { scale(way, share / count) };
            if !(w > 0.0 && length(displacement).is_finite()) {
                return;
            }
            mass += 1.0 / f64::from(w);
            sum = add(sum, scale(displacement, 1.0 / f64::from(w)));
            displacements.push(displacement);
        }
        for (&vertex, displacement) in vertices.iter().zip(displacements) {
            let row = self.row(vertex);
            let (x, w) = place(state, self.body, row);
            let [x, y, z] = add(x, sub(displacement, scale(sum, 1.0 / mass))).map(|x| x as f32);
            self.body.layout.write(&mut state.x, row, [x, y, z, w]);
        }
    }
}

/// Gives a cell to the other one of two sides where it is parted from more of its neighbours than not: a spike. (One that
/// has a single neighbour is one only in a solid that is more than a strip: that has two others, or more.) The lips of a
/// crack with spikes have corners that no way leads out of ([`Splitting::open`]). The lowest cells first; the faces that
/// are parted become fewer each time.
pub(super) fn smooth(pairs: &mut [([u32; 2], bool)], cells: usize) {
    let mut around = vec![Vec::new(); cells];
    for (number, (two, _)) in pairs.iter().enumerate() {
        two.iter().for_each(|&cell| around[cell as usize].push(number));
    }
    let mut again = true;
    while std::mem::take(&mut again) {
        for own in &around {
            let parted = own.iter().filter(|&&number| pairs[number].1).count();
            let widest = own.iter().flat_map(|&number| pairs[number].0).map(|cell| around[cell as usize].len()).max();
            if 2 * parted > own.len() && widest >= Some(3) {
                own.iter().for_each(|&number| pairs[number].1 ^= true);
                again = true;
            }
        }
    }
}
