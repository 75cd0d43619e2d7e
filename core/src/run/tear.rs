//! Tearing at the end of a step: which edges are too long, which vertices are split, and what a state has of it.
//!
//! Müller et al. 2007, "Position Based Dynamics", section 4.5: a plane through an end of the edge, across it, divides the triangles around that vertex.
//! There the user may choose the end; here the crack's tip is split before what lies inside. An edge that is above its limit only because its neighbour
//! is about to tear is left for the next step.

use crate::describe::error::Error;
use crate::describe::tears::{Tears, shared, sum};
use crate::geometry::fans::Fans;
use crate::geometry::vector::{P, add, dot, length, scale, sub};
use crate::plan::Plan;
use crate::plan::body::BodyPlan;
use crate::plan::tearing::TearPlan;
use crate::run::report::{Report, Torn};
use crate::run::state::State;
use crate::tuning::{LIPS, LIPS_ROUNDING, MOST_LIPS};
use seidel_kernels::Lanes;
use std::cmp::Reverse;

impl Plan {
    /// The plan with which a state goes on that has torn: [`crate::Report::torn`]. Its id and its layout are this plan's, and what was read with this one can
    /// still be read with it; copies of vertices have numbers behind those that a body begins with.
    ///
    /// Bodies that have not torn since are copied. A [`crate::Solver`] does it by itself.
    ///
    /// # Errors
    /// If the state is another plan's, or a compliance of what is left, which grows with the parts of a row, is beyond its range.
    ///
    /// # Example
    /// ```
    /// use seidel::{Cloth, Execution, Input, Plan, Scene, Scratch, State, Tearing, step};
    /// let mut scene = Scene::new();
    /// scene.settings.gravity = [0.0, -300.0, 0.0].into();
    /// scene.add(Cloth::grid([8, 8], [1.0, 1.0]).stretch(1e-3).pin(&[0, 7]).tear(Tearing::new(0.05)));
    /// let mut plan = Plan::new(&scene)?;
    /// let (mut state, mut scratch) = (State::new(&plan), Scratch::new(&plan, Execution::default()));
    /// for _ in 0..30 {
    ///     let report = step(&plan, &mut state, &Input::frame(1.0 / 60.0), &mut scratch);
    ///     if !report.torn.is_empty() {
    ///         plan = plan.torn(&state)?;
    ///         scratch = Scratch::new(&plan, Execution::default());
    ///     }
    /// }
    /// assert!(plan.copies() > 0);
    /// # Ok::<(), seidel::Error>(())
    /// ```
    pub fn torn(&self, state: &State) -> Result<Plan, Error> {
        match state.plan == self.id {
            true => self.with_tears(&state.tears),
            false => Err(Error::OtherPlan { what: "state" }),
        }
    }

    /// Whether a state has torn as this plan has. No step is taken of another.
    #[must_use]
    pub fn is_torn_as(&self, state: &State) -> bool {
        self.tears == state.tears
    }

    /// How many copies of vertices there are, of all bodies.
    #[must_use]
    pub fn copies(&self) -> usize {
        self.tears.len()
    }

    /// Whether a body can tear ([`crate::Tearing`]).
    ///
    /// # Panics
    /// If there is no such body.
    #[must_use]
    pub fn tears(&self, body: crate::BodyId) -> bool {
        let place = self.body_place(body);
        self.tearing.iter().any(|all| all.bodies.iter().any(|of| of.body == place))
    }
}

/// An edge that is too long: the bits of its squared length over the squared limit, largest first, and its ends, ascending.
type TooLong = (Reverse<u32>, [u32; 2]);

/// A body while it tears.
struct Tearing<'a> {
    of: &'a TearPlan,
    body: &'a BodyPlan,
    fans: Fans,
    /// Vertices near what has torn in this step.
    busy: Vec<bool>,
}

impl State {
    /// Splits vertices at edges that are too long, and tells of it.
    pub(crate) fn tear(&mut self, plan: &Plan, report: &mut Report) {
        let Some(tearing) = &plan.tearing else { return };
        for of in &tearing.bodies {
            if self.off.bodies[of.body] {
                continue;
            }
            let body = &plan.bodies[of.body];
            let found = self.too_long(of, body);
            if found.is_empty() {
                continue;
            }
            let fans = Fans::new(body.triangles.to_vec(), body.to_row.len());
            let mut tearing = Tearing { of, body, busy: vec![false; of.begins + of.copies], fans };
            for (_, edge) in found {
                if edge.iter().any(|&v| tearing.busy[v as usize]) {
                    continue;
                }
                if tearing.room() == 0 {
                    report.tears_refused += 1;
                } else if let Some(torn) = tearing.tear(self, edge) {
                    report.torn.extend(torn);
                }
            }
        }
    }

    /// Edges that are too long, the most above its limit first; of equal ones that with the lower vertices.
    fn too_long(&self, of: &TearPlan, body: &BodyPlan) -> Vec<TooLong> {
        let at = |v: u32| body.get(&self.x, v as usize);
        let mut found: Vec<TooLong> = Vec::new();
        for (t, most) in body.triangles.iter().zip(&of.longest) {
            let corners = t.map(at);
            for k in 0..3 {
                let ([ax, ay, az, wa], [bx, by, bz, wb]) = (corners[k], corners[(k + 1) % 3]);
                let d = [bx - ax, by - ay, bz - az];
                let squared = (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
                // What is no number is not above it.
                if squared > most[k] && (wa > 0.0 || wb > 0.0) {
                    let mut edge = [t[k], t[(k + 1) % 3]];
                    edge.sort_unstable();
                    found.push((Reverse((squared / most[k]).to_bits()), edge));
                }
            }
        }
        found.sort_unstable();
        // Both triangles beside an edge tell of it, with the same bits.
        found.dedup_by_key(|(_, edge)| *edge);
        found
    }

    fn place(&self, body: &BodyPlan, row: usize) -> (P, f32) {
        let [x, y, z, w] = body.layout.read(&self.x, row);
        ([x, y, z].map(f64::from), w)
    }
}

impl Tearing<'_> {
    /// The row of a vertex, or of a copy that was made in this step.
    fn row(&self, vertex: u32) -> usize {
        match (vertex as usize) < self.of.begins {
            true => self.body.particle(vertex) as usize,
            false => self.body.start + vertex as usize,
        }
    }

    /// How many more copies there may be.
    fn room(&self) -> usize {
        self.of.begins + self.of.copies - self.fans.count() as usize
    }

    /// Tears an edge at the end that is to be split first, if one of them can be; tells which vertices were.
    fn tear(&mut self, state: &mut State, edge: [u32; 2]) -> Option<Vec<Torn>> {
        let mut ends = edge;
        // The tip of a crack, or a border.
        if !self.fans.is_border(edge[0]) && self.fans.is_border(edge[1]) {
            ends.reverse();
        }
        let [a, b] = ends;
        let (vertex, parts) = [[a, b], [b, a]].into_iter().find_map(|[vertex, other]| {
            let parts = self.across(state, vertex, other);
            (parts.len() > 1).then_some((vertex, parts))
        })?;
        let beside: Vec<u32> =
            self.fans.around(vertex).iter().flat_map(|&t| self.fans.triangles()[t as usize]).collect();
        let mut torn = Vec::new();
        self.split(state, (vertex, parts), edge, &mut torn);
        // Where two cracks have met, or one has met the border, nothing but a vertex holds two fans together.
        let mut near = beside;
        near.sort_unstable();
        near.dedup();
        for &vertex in &near {
            self.busy[vertex as usize] = true;
            let (_, w) = state.place(self.body, self.row(vertex));
            let parts = self.fans.parts(vertex, |_| false);
            if w > 0.0 && parts.len() > 1 {
                self.split(state, (vertex, parts), edge, &mut torn);
            }
        }
        Some(torn)
    }

    /// The triangles around a vertex on both sides of the plane through it across the way to another vertex. Those that have the other are on its side.
    fn across(&self, state: &State, vertex: u32, other: u32) -> Vec<Vec<u32>> {
        let place = |v: u32| state.place(self.body, self.row(v));
        let ((x, w), (to, _)) = (place(vertex), place(other));
        if w == 0.0 {
            return Vec::new();
        }
        let way = sub(to, x);
        let side = |t: u32| {
            let corners = self.fans.triangles()[t as usize];
            let [a, b, c] = corners.map(|v| place(v).0);
            let middle = scale(add(add(a, b), c), 1.0 / 3.0);
            corners.contains(&other) || dot(sub(middle, x), way) > 0.0
        };
        self.fans.parts(vertex, side)
    }

    /// Gives all parts but the largest copies of a vertex, as far as there is room.
    fn split(
        &mut self,
        state: &mut State,
        (vertex, mut parts): (u32, Vec<Vec<u32>>),
        edge: [u32; 2],
        torn: &mut Vec<Torn>,
    ) {
        let areas = &self.of.areas;
        // Of equal ones the first stays.
        let mut largest = 0;
        for (number, part) in parts.iter().enumerate() {
            if sum(areas, part) > sum(areas, &parts[largest]) {
                largest = number;
            }
        }
        parts.remove(largest);
        let mut all_of = vec![vertex];
        for moved in parts {
            if self.room() == 0 {
                break;
            }
            let (goes, all) = (sum(areas, &moved), sum(areas, self.fans.around(vertex)));
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

    /// Moves a vertex and its copies a little apart, each towards its own triangles; their center of mass stays. Contacts keep features on the sides on
    /// which they are, and the lips of a crack that lie in one place are on none.
    fn open(&self, state: &mut State, vertices: &[u32]) {
        let (mut mass, mut sum) = (0.0, [0.0; 3]);
        let mut displacements = Vec::with_capacity(vertices.len());
        for &vertex in vertices {
            let (x, w) = state.place(self.body, self.row(vertex));
            let corners = self.fans.around(vertex).iter().map(|&t| self.fans.triangles()[t as usize]);
            let others = corners.flatten().filter(|&v| v != vertex);
            let to_others = others.map(|v| sub(state.place(self.body, self.row(v)).0, x));
            let (count, all) = to_others.fold((0.0, [0.0; 3]), |(count, all), to| (count + 1.0, add(all, to)));
            let largest = x.iter().fold(0.0, |most: f64, x| Lanes::larger(most, x.abs()));
            let share = Lanes::larger(LIPS, Lanes::smaller(LIPS_ROUNDING * largest * count / length(all), MOST_LIPS));
            let displacement = scale(all, share / count);
            if !(w > 0.0 && length(displacement).is_finite()) {
                return;
            }
            mass += 1.0 / f64::from(w);
            sum = add(sum, scale(displacement, 1.0 / f64::from(w)));
            displacements.push(displacement);
        }
        for (&vertex, displacement) in vertices.iter().zip(displacements) {
            let row = self.row(vertex);
            let (x, w) = state.place(self.body, row);
            let [x, y, z] = add(x, sub(displacement, scale(sum, 1.0 / mass))).map(|x| x as f32);
            self.body.layout.write(&mut state.x, row, [x, y, z, w]);
        }
    }
}

impl Tears {
    /// The same as words of bytes behind their counts.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        self.words(|word| out.extend_from_slice(&word.to_le_bytes()));
    }
}
