//! A level's part of a step: the passes over bodies that take as many substeps, while all others wait.

use crate::plan::Plan;
use crate::plan::body::BodyPlan;
use crate::run::input::Input;
use crate::run::passes::momentum::{Momentum, Moved};
use crate::run::passes::{Common, Drag, tethers::Tethers, velocity::Velocity};
use crate::run::passes::{air::Air, colliders::Colliders, plasticity::Flowing};
use crate::run::passes::{constraints::Constraints, damping::Damping, strain_damping::StrainDamping};
use crate::run::passes::{fields::Fields, fluid::Fluid, grains::Grains, onsets::Onsets};
use crate::run::passes::{pairs::Pairs, predict::Predict, pulls::Pulls};
use crate::run::passes::{rigid::Rigid, spheres::Spheres};
use crate::run::prescribe::move_colliders;
use crate::run::report::{Laps, NonFiniteParticle, Report};
use crate::run::scratch::Scratch;
use crate::run::state::State;
use crate::run::told::told;
use seidel_kernels::Shared;
use seidel_kernels::integrate::Motion;
use seidel_workers::Crew;

/// All passes of a substep. A pass that the level does not need is None.
pub(crate) struct Passes<'a> {
    pub(crate) predict: Predict<'a>,
    pub(crate) constraints: Constraints<'a>,
    pub(crate) fields: Option<Fields<'a>>,
    pub(crate) momentum: Option<Momentum<'a>>,
    pub(crate) pulls: Option<Pulls<'a>>,
    pub(crate) onsets: Option<Onsets<'a>>,
    pub(crate) tethers: Option<Tethers<'a>>,
    pub(crate) pairs: Option<Pairs<'a>>,
    pub(crate) spheres: Option<Spheres<'a>>,
    pub(crate) grains: Option<Grains<'a>>,
    pub(crate) fluid: Option<Fluid<'a>>,
    pub(crate) rigid: Option<Rigid<'a>>,
    pub(crate) colliders: Option<Colliders<'a>>,
    pub(crate) flowing: Option<Flowing<'a>>,
    pub(crate) velocity: Velocity<'a>,
}

/// Takes the bodies of a level through its substeps, which `run` does, and tells what happened; `prescribe` has begun
/// the step. Rigid bodies, fluids and grains have the scene's substeps.
pub(crate) fn level(
    plan: &Plan,
    state: &mut State,
    scratch: &mut Scratch,
    (input, laps): (&Input, &Laps),
    substeps: u32,
    run: impl FnOnce(&mut Passes<'_>, &mut Crew<'_>),
) -> Report {
    let (h, is_scenes) = (scratch.h(substeps), substeps == plan.substeps);
    scratch.waiting.hold(plan, state, &mut scratch.u, substeps);
    move_colliders(plan, &state.off, &mut scratch.colliders, substeps);
    scratch.drags.clear();
    scratch.drags.extend(plan.bodies.iter().map(|body: &BodyPlan| Drag::new(body.linear_damping, h)));
    let workers = &mut scratch.workers;
    let outer = Shared::new(if input.forces.is_empty() { &mut [] } else { &mut scratch.force });
    let weights = state.past.weights(h);
    let history = state.past.history(&mut scratch.met);
    scratch.ways.fill(0.0);
    let common = &Common {
        plan,
        isa: scratch.isa,
        substeps,
        h,
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
        off: &scratch.waiting.off,
        idle: &scratch.waiting.idle,
        laps,
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
        grains: is_scenes.then(|| Grains::new(common, &mut scratch.grains, &mut state.grains)).flatten(),
        fluid: is_scenes.then(|| Fluid::new(common, &mut scratch.fluid, &mut state.fluid, now)).flatten(),
        rigid: is_scenes.then(|| Rigid::new(common, &mut state.rigid, &mut scratch.rigid, now)).flatten(),
        colliders: Colliders::new(common, &mut scratch.colliders, state.placed),
        flowing,
        velocity: Velocity::new(common),
    };
    workers.run(|crew| run(&mut passes, crew));
    let lost = passes.velocity.lost();
    let told = told(passes.rigid.as_mut(), passes.fluid.as_ref(), passes.grains.as_ref());
    let contacts = passes.colliders.as_ref().map_or(0, Colliders::count);
    let mut pairs = passes.pairs.as_ref().map(Pairs::counts).unwrap_or_default();
    if let Some(spheres) = &passes.spheres {
        spheres.count(&mut pairs);
    }
    scratch.waiting.release(plan, state, substeps);
    Report { contacts, pairs, lost: NonFiniteParticle::of(plan, lost), ..told }
}
