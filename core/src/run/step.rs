//! The step: Müller et al. 2007, lines 5-16, in substeps (Macklin et al. 2019), read top to bottom.

use crate::describe::settings::NonFinite;
use crate::plan::Plan;
use crate::plan::body::BodyPlan;
use crate::run::emitter::Throughput;
use crate::run::input::Input;
use crate::run::passes::momentum::{Momentum, Moved};
use crate::run::passes::{At, Common, Drag, tethers::Tethers, velocity::Velocity};
use crate::run::passes::{air::Air, colliders::Colliders, plasticity::Flowing};
use crate::run::passes::{constraints::Constraints, damping::Damping, strain_damping::StrainDamping};
use crate::run::passes::{fields::Fields, fluid::Fluid, grains::Grains, onsets::Onsets};
use crate::run::passes::{pairs::Pairs, predict::Predict, pulls::Pulls};
use crate::run::passes::{rigid::Rigid, spheres::Spheres};
use crate::run::prescribe::{fits, prescribe};
use crate::run::report::{Laps, NonFiniteParticle, Report};
use crate::run::scratch::Scratch;
use crate::run::state::State;
use crate::run::told::told;
use seidel_kernels::Shared;
use seidel_kernels::integrate::Motion;
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
    // A user may have placed particles inside colliders; particles that have once been outside are kept outside.
    state.placed = state.placed && plan.begins_inside(state);
    let end = input.after(state.time, 1.0);
    let mut throughput = if input.holds_time() { Throughput::default() } else { state.emit(plan, end) };
    prescribe(plan, state, input, scratch);
    scratch.h = (f64::from(input.dt) / f64::from(plan.substeps)) as f32;
    let drag = |body: &BodyPlan| Drag::new(body.linear_damping, scratch.h);
    scratch.drags.clear();
    scratch.drags.extend(plan.bodies.iter().map(drag));
    let (laps, workers) = (Laps::start(), &mut scratch.workers);
    let outer = Shared::new(if input.forces.is_empty() { &mut [] } else { &mut scratch.force });
    let weights = state.past.weights(scratch.h);
    let history = state.past.history(&mut scratch.met);
    scratch.ways.fill(0.0);
    let common = &Common {
        plan,
        isa: scratch.isa,
        h: scratch.h,
        weights,
        gravity: input.gravity.unwrap_or(plan.settings.gravity.to_array()),
        motion: Motion {
            x: Shared::new(&mut state.x),
            r: Shared::new(&mut state.r),
            v: Shared::new(&mut state.v),
            u: Shared::new(&mut scratch.u),
            force: if plan.aero.is_some() { Shared::new(&mut scratch.air.force) } else { outer },
        },
        history,
        drags: &scratch.drags,
        ways: Shared::new(&mut scratch.ways),
        off: &state.off,
        laps: &laps,
    };
    let (now, moved) = ((input, state.time), Moved::new(&mut scratch.moments));
    let (rest, flowing) = Flowing::new(common, &mut state.plasticity);
    let mut passes = Passes {
        predict: Predict {
            common,
            air: Air::new(common, now, &mut scratch.air.pushes, outer),
            strain_damping: StrainDamping::new(common),
            damping: Damping::new(common, moved),
        },
        constraints: Constraints::new(common, (&state.soft, rest), &mut scratch.constraints),
        fields: Fields::new(common, &mut scratch.fields, &mut state.rotations, now),
        momentum: Momentum::new(common, moved),
        pulls: Pulls::new(common, &mut scratch.pulls),
        onsets: Onsets::new(common),
        tethers: Tethers::new(common, &scratch.obstacles.spans, &mut scratch.anchors),
        pairs: Pairs::new(common, &mut scratch.touching),
        spheres: Spheres::new(common, &mut scratch.spheres),
        grains: Grains::new(common, &mut scratch.grains, &mut state.grains),
        fluid: Fluid::new(common, &mut scratch.fluid, &mut state.fluid, now),
        rigid: Rigid::new(common, &mut state.rigid, &mut scratch.rigid, now),
        colliders: Colliders::new(common, &mut scratch.colliders, state.placed),
        flowing,
        velocity: Velocity::new(common),
    };
    workers.run(|crew| passes.run(crew, plan));
    let (lost, times) = (passes.velocity.lost(), laps.times());
    let told = told(passes.rigid.as_mut(), passes.fluid.as_ref(), passes.grains.as_ref());
    let contacts = passes.colliders.as_ref().map_or(0, Colliders::count);
    let mut pairs = passes.pairs.as_ref().map(Pairs::counts).unwrap_or_default();
    when(&mut passes.spheres, |spheres| spheres.count(&mut pairs));
    state.past.end(scratch.h);
    state.time = end;
    if !input.holds_time() {
        state.drain(plan, &mut throughput);
    }
    state.stopped = (lost.is_some() || told.lost_rigid.is_some()) && plan.settings.non_finite == NonFinite::Stop;
    if !state.stopped {
        scratch.obstacles.end(plan, state);
    }
    let mut report = Report {
        contacts,
        pairs,
        lost: NonFiniteParticle::of(plan, lost),
        stopped: state.stopped,
        times,
        ..throughput.told(told, &mut state.ended)
    };
    // A scene that is brought to rest stays whole.
    if !state.stopped && !input.holds_time() {
        state.tear(plan, now, &mut report);
    }
    report
}

/// All passes of a substep. A pass that the scene does not need is None.
struct Passes<'a> {
    predict: Predict<'a>,
    constraints: Constraints<'a>,
    fields: Option<Fields<'a>>,
    momentum: Option<Momentum<'a>>,
    pulls: Option<Pulls<'a>>,
    onsets: Option<Onsets<'a>>,
    tethers: Option<Tethers<'a>>,
    pairs: Option<Pairs<'a>>,
    spheres: Option<Spheres<'a>>,
    grains: Option<Grains<'a>>,
    fluid: Option<Fluid<'a>>,
    rigid: Option<Rigid<'a>>,
    colliders: Option<Colliders<'a>>,
    flowing: Option<Flowing<'a>>,
    velocity: Velocity<'a>,
}

impl Passes<'_> {
    /// All substeps: Müller et al. 2007, algorithm 1, with the passes that have been added to it since.
    fn run(&mut self, crew: &mut Crew<'_>, plan: &Plan) {
        let Plan { settings, substeps, .. } = plan;
        let stops = settings.non_finite == NonFinite::Stop;
        when(&mut self.rigid, |rigid| rigid.find(crew));
        for substep in 0..*substeps {
            // The end of a substep is fused with the begin of the next, unless the step must stop at a lost particle.
            self.velocity.begin(substep);
            self.constraints.begin(substep);
            when(&mut self.fields, |fields| fields.begin(substep));
            let ended = substep.checked_sub(1).filter(|_| !stops);
            when(&mut self.rigid, |rigid| rigid.begin(crew, substep));
            self.predict.run(crew, ended, &self.velocity, &self.constraints);
            for iteration in 0..settings.iterations {
                let at = At { substep, iteration };
                when(&mut self.momentum, |momentum| momentum.note(crew, at));
                self.constraints.run(crew, at);
                when(&mut self.fields, |fields| fields.run(crew, at));
                when(&mut self.momentum, |momentum| momentum.run(crew, at));
                when(&mut self.pulls, |pulls| pulls.run(crew, at));
                when(&mut self.onsets, |onsets| onsets.before(crew, at));
                when(&mut self.tethers, |tethers| tethers.run(crew, substep));
                when(&mut self.grains, |grains| grains.run(crew));
                if let Some(pairs) = &mut self.pairs {
                    pairs.run(crew, at);
                    when(&mut self.tethers, |tethers| tethers.run(crew, substep));
                }
                when(&mut self.spheres, |spheres| spheres.run(crew, at));
                if let Some(fluid) = &mut self.fluid {
                    let moving = self.colliders.as_ref().map_or(&[][..], |colliders| colliders.moving(substep));
                    fluid.run(crew, at, moving, self.rigid.as_mut());
                }
                when(&mut self.rigid, |rigid| rigid.couple(crew, at));
                when(&mut self.colliders, |colliders| colliders.run(crew, at));
                when(&mut self.onsets, |onsets| onsets.after(crew));
            }
            if let Some(pairs) = &mut self.pairs {
                pairs.finish(crew, substep, self.colliders.as_ref().map_or(&[], |colliders| colliders.moving(substep)));
            }
            when(&mut self.colliders, |colliders| colliders.bounce(crew));
            when(&mut self.rigid, |rigid| rigid.end(crew, substep));
            when(&mut self.flowing, |flowing| flowing.run(crew));
            if stops || substep + 1 == *substeps {
                when(&mut self.grains, |grains| grains.end(crew));
                self.velocity.run(crew, substep);
            }
            let lost = self.velocity.lost().is_some() || self.rigid.as_ref().is_some_and(Rigid::has_lost);
            if stops && lost {
                break;
            }
        }
    }
}

/// Runs a pass, if there is one.
fn when<P>(pass: &mut Option<P>, run: impl FnOnce(&mut P)) {
    if let Some(pass) = pass {
        run(pass);
    }
}
