//! Tearing at the end of a step: which edges are too long, which vertices are split, and what a state has of it.
//!
//! Müller et al. 2007, "Position Based Dynamics", section 4.5: a plane through an end of the edge, across it, divides
//! the cells around that vertex, which are triangles there, and tetrahedra of a solid. There the user may choose the
//! end; here the crack's tip is split before what lies inside. An edge that is above its limit only because its
//! neighbour is about to tear is left for the next step.

use crate::describe::cut::Cut;
use crate::describe::error::Error;
use crate::describe::torn::Tears;
use crate::geometry::vector::{add, dot, scale, sub};
use crate::plan::Plan;
use crate::plan::body::BodyPlan;
use crate::plan::tearing::TearPlan;
use crate::run::input::Input;
use crate::run::report::{Report, Torn};
use crate::run::split::{Splitting, smooth};
use crate::run::state::State;
use std::cmp::Reverse;
use std::sync::Arc;

impl Plan {
    /// The plan with which a state goes on that has torn: [`crate::Report::torn`]. Its id and its layout are this
    /// plan's, and what was read with this one can still be read with it; copies of vertices have numbers behind those
    /// that a body begins with.
    ///
    /// Bodies that have not torn since are copied. A [`crate::Solver`] does it by itself.
    ///
    /// # Errors
    /// If the state is another plan's, or a compliance of what is left, which grows with the parts of a row, is beyond
    /// its range.
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

    /// [`Plan::torn`], without a copy of the plan for what is left.
    pub(crate) fn torn_into(self: &Arc<Plan>, state: &State) -> Result<Plan, Error> {
        match self.shift == [0.0; 3] && self.is_untorn() && state.plan == self.id && !state.tears.is_empty() {
            true => self.with_tears_of(Arc::clone(self), &state.tears),
            false => self.torn(state),
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

    /// Checks that an input with this cut is taken: [`Input::cut`].
    ///
    /// # Errors
    /// If the body cannot tear, or the cut cuts nothing: a plane without a normal, a blade that does not move, what is
    /// beyond +-1e6 m.
    ///
    /// # Panics
    /// If there is no such body.
    pub fn check_cut(&self, body: crate::BodyId, cut: &Cut) -> Result<(), Error> {
        let of = || "input".to_owned();
        match self.tears(body) {
            true => cut.check(&of),
            false => Err(Error::NoTearing { of: of(), body: self.body_name(body).to_owned() }),
        }
    }
}

/// An edge that is too long: the bits of its squared length over the squared limit, largest first, and its ends,
/// ascending.
type TooLong = (Reverse<u32>, [u32; 2]);

/// A body while it tears.
struct Tearing<'a> {
    splitting: Splitting<'a>,
    /// Vertices near what has torn or was cut in this step.
    busy: Vec<bool>,
}

impl State {
    /// Makes the cuts of the step, then splits vertices at edges that are too long, and tells of both. `now`: the
    /// input, and the time at which the step began.
    pub(crate) fn tear(&mut self, plan: &Plan, now: (&Input, f64), report: &mut Report) {
        let Some(tearing) = &plan.tearing else { return };
        for of in &tearing.bodies {
            if self.off.bodies[of.body] {
                continue;
            }
            let body = &plan.bodies[of.body];
            let cuts = cuts_of_step(plan, of, now);
            let found = if of.at_a_strain { self.too_long(of, body) } else { Vec::new() };
            if cuts.is_empty() && found.is_empty() {
                continue;
            }
            let mut splitting = Splitting::new(of, body);
            let mut busy = vec![false; of.begins + of.copies];
            splitting.cut(self, &cuts, report, &mut busy);
            let mut tearing = Tearing { splitting, busy };
            for (_, edge) in found {
                if edge.iter().any(|&v| tearing.busy[v as usize]) {
                    continue;
                }
                if tearing.splitting.room() == 0 {
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
        let cells = body.cells();
        let mut found: Vec<TooLong> = Vec::new();
        for (cell, most) in cells.each().zip(of.longest.chunks_exact(cells.edges().len())) {
            for (&[i, k], &most) in cells.edges().iter().zip(most) {
                let ([ax, ay, az, wa], [bx, by, bz, wb]) = (at(cell[i]), at(cell[k]));
                let d = [bx - ax, by - ay, bz - az];
                let squared = (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
                // What is no number is not above it.
                if squared > most && (wa > 0.0 || wb > 0.0) {
                    let mut edge = [cell[i], cell[k]];
                    edge.sort_unstable();
                    found.push((Reverse((squared / most).to_bits()), edge));
                }
            }
        }
        found.sort_unstable();
        // All cells beside an edge tell of it, with the same bits.
        found.dedup_by_key(|(_, edge)| *edge);
        found
    }
}

/// The cuts of a body in a step: those whose time comes, and those of the input.
fn cuts_of_step(plan: &Plan, of: &TearPlan, (input, begin): (&Input, f64)) -> Vec<Cut> {
    let timed = of.cuts.iter().filter(|(at, _)| (begin..input.after(begin, 1.0)).contains(at)).map(|(_, cut)| *cut);
    let given = input.cuts.iter().filter(|(body, _)| plan.body_place(*body) == of.body).map(|(_, cut)| *cut);
    timed.chain(given).collect()
}

impl Tearing<'_> {
    /// Tears an edge at the end that is to be split first, if one of them can be; tells which vertices were.
    fn tear(&mut self, state: &mut State, edge: [u32; 2]) -> Option<Vec<Torn>> {
        let mut ends = edge;
        // The tip of a crack, or a border.
        if !self.splitting.fans.is_border(edge[0]) && self.splitting.fans.is_border(edge[1]) {
            ends.reverse();
        }
        let [a, b] = ends;
        let (vertex, parts) = [[a, b], [b, a]].into_iter().find_map(|[vertex, other]| {
            let parts = self.across(state, vertex, other);
            (parts.len() > 1).then_some((vertex, parts))
        })?;
        let fans = &self.splitting.fans;
        let beside: Vec<u32> = fans.around(vertex).iter().flat_map(|&t| fans.cell(t)).copied().collect();
        let mut torn = Vec::new();
        self.splitting.split(state, (vertex, parts), edge, &mut torn);
        // Where two cracks have met, or one has met the border, nothing but a vertex holds two fans together.
        let mut near = beside;
        near.sort_unstable();
        near.dedup();
        for &vertex in &near {
            self.busy[vertex as usize] = true;
            let (_, w) = self.splitting.place(state, vertex);
            let parts = self.splitting.fans.parts(vertex, |_, _| true);
            if w > 0.0 && parts.len() > 1 {
                self.splitting.split(state, (vertex, parts), edge, &mut torn);
            }
        }
        Some(torn)
    }

    /// The cells around a vertex on both sides of the plane through it across the way to another vertex. Those that
    /// have the other are on its side.
    fn across(&self, state: &State, vertex: u32, other: u32) -> Vec<Vec<u32>> {
        let place = |v: u32| self.splitting.place(state, v);
        let ((x, w), (to, _)) = (place(vertex), place(other));
        if w == 0.0 {
            return Vec::new();
        }
        let way = sub(to, x);
        let side = |t: u32| {
            let corners = self.splitting.fans.cell(t);
            let all = corners.iter().fold([0.0; 3], |all, &v| add(all, place(v).0));
            let middle = scale(all, 1.0 / corners.len() as f64);
            corners.contains(&other) || dot(sub(middle, x), way) > 0.0
        };
        let fans = &self.splitting.fans;
        if fans.cells().size() == 3 {
            return fans.parts(vertex, |a, b| side(a) == side(b));
        }
        let around = fans.around(vertex);
        let place = |cell: u32| around.partition_point(|&t| t < cell);
        let sides: Vec<bool> = around.iter().map(|&t| side(t)).collect();
        let placed = |two: [u32; 2]| two.map(|t| place(t) as u32);
        let parted = |[a, b]: [u32; 2]| sides[a as usize] != sides[b as usize];
        let mut pairs: Vec<([u32; 2], bool)> =
            fans.pairs(vertex).into_iter().map(placed).map(|two| (two, parted(two))).collect();
        smooth(&mut pairs, around.len());
        pairs.retain(|(_, parted)| *parted);
        let smoothed = fans.parts(vertex, |a, b| pairs.binary_search_by_key(&placed([a, b]), |(two, _)| *two).is_err());
        // Where all of one side was a spike.
        if smoothed.len() > 1 { smoothed } else { fans.parts(vertex, |a, b| side(a) == side(b)) }
    }
}

impl Tears {
    /// The same as words of bytes behind their counts.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        self.words(|word| out.extend_from_slice(&word.to_le_bytes()));
    }
}
