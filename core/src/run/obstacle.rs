//! The motion of obstacles, and of vertices attached to them, in a step.

use crate::plan::Plan;
use crate::plan::attachment::Attachment;
use crate::plan::obstacle::Obstacles;
use crate::run::input::Input;
use crate::run::passes::tethers::Span;
use crate::run::state::State;

impl Obstacles {
    /// Writes where the vertices of all obstacles are at the end of a step, metres, to `ends`.
    fn ends(&self, plan: &Plan, state: &State, input: &Input, ends: &mut Vec<[f32; 3]>) {
        ends.clear();
        let time = input.after(state.time, 1.0);
        for of in &self.each {
            let body = &plan.bodies[of.body];
            let given = input.vertices.iter().rfind(|(id, _)| plan.body_place(*id) == of.body);
            if let Some((_, given)) = given {
                ends.extend_from_slice(given);
            } else if of.track.rests() {
                ends.extend((0..of.rest.len()).map(|v| first_three(body.get(&state.x, v))));
            } else {
                let pose = of.track.pose(time);
                ends.extend((0..of.rest.len()).map(|v| of.at(&pose, v, time)));
            }
        }
        // A position given for a single vertex overrides the obstacle's path; attached vertices follow it.
        for &(body, vertex, target) in &input.pins {
            if let Some(of) = self.each.iter().find(|of| of.body == plan.body_place(body)) {
                ends[of.first + vertex as usize] = target;
            }
        }
    }
}

fn first_three([x, y, z, _]: [f32; 4]) -> [f32; 3] {
    [x, y, z]
}

/// A vertex and where it is to be at the end of a step, metres.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    body: usize,
    vertex: usize,
    to: [f32; 3],
}

/// Working memory for obstacles.
#[derive(Debug, Default)]
pub(crate) struct ObstacleScratch {
    starts: Vec<[f32; 3]>,
    ends: Vec<[f32; 3]>,
    /// Points near which tethered vertices stay.
    pub(crate) spans: Vec<Span>,
    targets: Vec<Target>,
}

impl ObstacleScratch {
    /// Gives the vertices of obstacles, and those attached to them, the velocities that take them to their targets.
    pub(crate) fn begin(&mut self, plan: &Plan, state: &mut State, input: &Input) {
        self.targets.clear();
        let all = &plan.obstacles;
        if all.is_empty() {
            return;
        }
        all.ends(plan, state, input, &mut self.ends);
        for of in &all.each {
            let body = &plan.bodies[of.body];
            let all = input.vertices.iter().map(|(id, _)| id).chain(input.pins.iter().map(|(id, ..)| id));
            let rests = of.track.rests() && !all.into_iter().any(|id| plan.body_place(*id) == of.body);
            for (vertex, &to) in self.ends[of.first..of.first + of.rest.len()].iter().enumerate() {
                if rests && to == first_three(body.get(&state.x, vertex)) {
                    // The remainder that rounding left of its place, where the origin was moved, stays.
                    body.set(&mut state.v, vertex, [0.0; 4]);
                } else {
                    self.targets.push(Target { body: of.body, vertex, to });
                }
            }
        }
        if !plan.tethers.is_empty() {
            self.starts.clear();
            for of in &all.each {
                let body = &plan.bodies[of.body];
                self.starts.extend((0..of.rest.len()).map(|v| first_three(body.get(&state.x, v))));
            }
            plan.tethers.span(&self.starts, &self.ends, &mut self.spans);
        }
        let pinned = |of: &Attachment| {
            input.pins.iter().any(|&(body, v, _)| v as usize == of.vertex && plan.body_place(body) == of.body)
        };
        let (ends, attached) = (&self.ends, plan.attachments.iter().filter(|of| !pinned(of)));
        self.targets.extend(attached.map(|of| Target { body: of.body, vertex: of.vertex, to: of.place.at(ends) }));
        for target in &self.targets {
            push((plan, target.body), state, target.vertex, target.to, input.dt);
        }
    }

    /// Fills everything that no step may read before it writes it.
    pub(crate) fn poison(&mut self) {
        self.starts.fill([f32::NAN; 3]);
        self.ends.fill([f32::NAN; 3]);
        self.spans.fill([[[f32::NAN; 3]; 2]; 2]);
        let nowhere = Target { body: usize::MAX, vertex: usize::MAX, to: [f32::NAN; 3] };
        self.targets.fill(nowhere);
    }

    /// Ends a step: puts vertices of inverse mass 0 at their targets, to the bit.
    pub(crate) fn end(&self, plan: &Plan, state: &mut State) {
        for &Target { body, vertex, to } in self.targets.iter().filter(|target| !state.off.bodies[target.body]) {
            let body = &plan.bodies[body];
            let [.., w] = body.get(&state.x, vertex);
            if w == 0.0 {
                body.set(&mut state.x, vertex, [to[0], to[1], to[2], w]);
                body.set(&mut state.r, vertex, [0.0; 4]);
            }
        }
    }
}

/// Gives a vertex of inverse mass 0, if its body is enabled, the velocity that takes it to `to`, metres, within `dt`
/// seconds.
pub(crate) fn push((plan, number): (&Plan, usize), state: &mut State, vertex: usize, to: [f32; 3], dt: f32) {
    let body = &plan.bodies[number];
    let (x, r) = (body.get(&state.x, vertex), body.get(&state.r, vertex));
    if x[3] == 0.0 && !state.off.bodies[number] {
        let v: [f32; 3] = std::array::from_fn(|k| (to[k] - x[k] - r[k]) / dt);
        body.set(&mut state.v, vertex, [v[0], v[1], v[2], 0.0]);
    }
}
