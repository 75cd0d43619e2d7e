//! The step: Müller et al. 2007, lines 5-16, in substeps (Macklin et al. 2019), read top to bottom.

use crate::describe::settings::{NonFinite, Settings};
use crate::plan::Plan;
use crate::run::emitter::Throughputs;
use crate::run::input::Input;
use crate::run::level::{Passes, level};
use crate::run::passes::{At, rigid::Rigid};
use crate::run::prescribe::{fits, prescribe};
use crate::run::report::{Laps, Report};
use crate::run::scratch::Scratch;
use crate::run::state::State;
use crate::tuning::FULL_SWEEPS;
use seidel_kernels::Shared;
use seidel_workers::Crew;

/// Takes a state one step further. It cannot fail: an input that does not fit leaves the state as it is and says so in
/// the report. The result depends on plan, state and input alone: not on lanes, threads or what `scratch` holds.
pub fn step(plan: &Plan, state: &mut State, input: &Input, scratch: &mut Scratch) -> Report {
    if let Err(error) = fits(plan, state, input, scratch) {
        return Report { rejected: Some(error), ..Report::default() };
    }
    if state.stopped {
        return Report { stopped: true, ..Report::default() };
    }
    let end = input.after(state.time, 1.0);
    let times = [state.time, end];
    let flows = !input.holds_time();
    let mut throughput = if flows { state.emit(plan, times, &mut scratch.inlet) } else { Throughputs::default() };
    // A user, or an emitter, may have placed particles inside colliders; particles that have once been outside are kept
    // outside.
    state.placed = (state.placed || throughput.grains.born > 0) && plan.begins_inside(state);
    prescribe(plan, state, input, scratch);
    let (laps, now) = (Laps::start(), (input, state.time));
    let mut report: Option<Report> = None;
    // A particle that is lost stops the levels that follow, too.
    for &substeps in plan.levels() {
        if state.stopped {
            break;
        }
        let told =
            level(plan, state, scratch, (input, &laps), substeps, |passes, crew| passes.run(crew, plan, substeps));
        let lost = told.lost.is_some() || told.lost_rigid.is_some();
        state.stopped = lost && plan.settings.non_finite == NonFinite::Stop;
        match &mut report {
            None => report = Some(told),
            Some(report) => report.add(told),
        }
    }
    state.past.end(scratch.h(plan.substeps));
    state.time = end;
    if !input.holds_time() {
        state.drain(plan, &mut throughput);
    }
    if !state.stopped {
        scratch.obstacles.end(plan, state);
    }
    let report = throughput.told(report.unwrap_or_default(), &mut state.ended);
    let mut report = Report { stopped: state.stopped, times: laps.times(), ..report };
    // A scene that is brought to rest stays whole.
    if !state.stopped && !input.holds_time() {
        state.tear(plan, now, &mut report);
    }
    report
}

impl Passes<'_> {
    /// All substeps: Müller et al. 2007, algorithm 1, with the passes that have been added to it since.
    fn run(&mut self, crew: &mut Crew<'_>, plan: &Plan, substeps: u32) {
        let settings = &plan.settings;
        let stops = settings.non_finite == NonFinite::Stop;
        when(&mut self.rigid, |rigid| rigid.find(crew));
        for substep in 0..substeps {
            // The end of a substep is fused with the begin of the next, unless the step must stop at a lost particle.
            self.velocity.begin(substep);
            self.constraints.begin(substep);
            when(&mut self.fields, |fields| fields.begin(substep));
            let ended = substep.checked_sub(1).filter(|_| !stops);
            when(&mut self.rigid, |rigid| rigid.begin(crew, substep));
            self.predict.run(crew, ended, &self.velocity, &self.constraints);
            for iteration in 0.. {
                self.sweep(crew, settings, At { substep, iteration });
                let over = iteration + 1;
                if over >= settings.iterations && self.clamp(crew, At { substep, iteration: over }) {
                    break;
                }
            }
            when(&mut self.colliders, |colliders| colliders.bounce(crew));
            when(&mut self.rigid, |rigid| rigid.end(crew, substep));
            when(&mut self.flowing, |flowing| flowing.run(crew));
            if stops || substep + 1 == substeps {
                when(&mut self.grains, |grains| grains.end(crew));
                self.velocity.run(crew, substep);
            }
            let lost = self.velocity.lost().is_some() || self.rigid.as_ref().is_some_and(Rigid::has_lost);
            if stops && lost {
                break;
            }
        }
    }

    /// A sweep over all constraints, then all contacts.
    fn sweep(&mut self, crew: &mut Crew<'_>, settings: &Settings, at: At) {
        let At { substep, iteration } = at;
        // A further sweep is for what moving colliders press; the last of them are for contacts alone.
        let further = iteration >= settings.iterations;
        if !further || iteration < FULL_SWEEPS {
            when(&mut self.momentum, |momentum| momentum.note(crew, at));
            self.constraints.run(crew, at);
            when(&mut self.fields, |fields| fields.run(crew, at));
            when(&mut self.momentum, |momentum| momentum.run(crew, at));
            when(&mut self.pulls, |pulls| pulls.run(crew, at));
        }
        when(&mut self.onsets, |onsets| onsets.before(crew, at));
        when(&mut self.tethers, |tethers| tethers.run(crew, substep));
        if !further {
            when(&mut self.grains, |grains| grains.run(crew));
        }
        if let Some(pairs) = &mut self.pairs {
            pairs.run(crew, at);
            when(&mut self.tethers, |tethers| tethers.run(crew, substep));
        }
        when(&mut self.spheres, |spheres| spheres.run(crew, at));
        if let Some(fluid) = self.fluid.as_mut().filter(|_| !further) {
            let moving = self.colliders.as_ref().map_or(&[][..], |colliders| colliders.moving(substep));
            fluid.run(crew, at, moving, self.rigid.as_mut());
        }
        if let Some(rigid) = &mut self.rigid {
            let colliders = self.colliders.as_ref();
            rigid.couple(crew, at, colliders.map_or((&[][..], Shared::new(&mut [])), |all| all.met(substep)));
        }
        when(&mut self.colliders, |colliders| colliders.run(crew, at));
        when(&mut self.onsets, |onsets| onsets.after(crew));
    }

    /// Clamps what would go through another feature. Returns whether that is done: it is not while moving colliders
    /// press what is clamped, and another sweep is to be made.
    fn clamp(&mut self, crew: &mut Crew<'_>, at: At) -> bool {
        let moving = self.colliders.as_ref().map_or(&[][..], |colliders| colliders.moving(at.substep));
        self.pairs.as_mut().is_none_or(|pairs| pairs.finish(crew, at, moving))
    }
}

/// Runs a pass, if there is one.
fn when<P>(pass: &mut Option<P>, run: impl FnOnce(&mut P)) {
    if let Some(pass) = pass {
        run(pass);
    }
}
