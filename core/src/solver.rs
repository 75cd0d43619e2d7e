//! Solver: plan, state and scratch in one, for whoever wants one object.

mod origin;

use crate::describe::error::Error;
use crate::describe::ids::{BodyId, ColliderId, RigidId};
use crate::describe::scene::Scene;
use crate::describe::snapshot::SnapshotError;
use crate::observe::Measurements;
use crate::observe::contacts::{Contact, PairContact};
use crate::plan::kept::Kept;
use crate::plan::{Order, Plan};
use crate::run::input::Input;
use crate::run::report::Report;
use crate::run::scratch::{Execution, Scratch};
use crate::run::state::State;
use crate::run::step::step;
use crate::settle::{Settled, settle_while};
use glam::Vec3;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// A running simulation.
pub struct Solver {
    /// What was planned, if it is known.
    scene: Option<Scene>,
    /// What was made of each of its bodies, for the next edit.
    kept: Option<Kept>,
    plan: Arc<Plan>,
    state: State,
    scratch: Scratch,
    /// Positions of each body in its mesh's order, made on the first request after a step.
    positions: Vec<OnceLock<Vec<Vec3>>>,
    /// Real time that no step has used yet, seconds.
    waiting: f64,
    recording: bool,
}

/// Not its arrays: nobody could read them.
impl fmt::Debug for Solver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (bodies, particles) = (self.plan.bodies(), self.plan.particles());
        write!(f, "Solver({bodies} bodies, {particles} particles, {} s)", self.state.time())
    }
}

impl Solver {
    /// Plans a scene and allocates. All cores, the widest lanes. It keeps a clone of the scene, to be edited while it
    /// runs.
    ///
    /// # Errors
    /// As [`Plan::new`].
    pub fn new(scene: &Scene) -> Result<Solver, Error> {
        Solver::on(scene, Execution::default())
    }

    /// [`Solver::new`] on given lanes and threads.
    ///
    /// # Errors
    /// As [`Plan::new`].
    pub fn on(scene: &Scene, execution: Execution) -> Result<Solver, Error> {
        let (plan, kept) = Plan::after(scene, Order::Patches, None)?;
        let solver = Solver::with(Arc::new(plan), execution);
        Ok(Solver { scene: Some(scene.clone()), kept: Some(kept), ..solver })
    }

    /// From a plan that may be shared, on given lanes and threads. It does not know the scene, so it cannot be edited
    /// ([`Solver::edit`]); it may go on in another plan ([`Solver::go_on_in`]).
    #[must_use]
    pub fn with(plan: Arc<Plan>, execution: Execution) -> Solver {
        let state = State::new(&plan);
        let scratch = Scratch::new(&plan, execution);
        let positions = vec![OnceLock::new(); plan.bodies()];
        Solver { scene: None, kept: None, plan, state, scratch, positions, waiting: 0.0, recording: false }
    }

    /// The scene as it is now, if the solver knows it: [`Solver::new`], [`Solver::on`].
    #[must_use]
    pub fn scene(&self) -> Option<&Scene> {
        self.scene.as_ref()
    }

    /// Edits the scene while it runs: bodies, colliders and joints are added, removed and replaced, settings changed.
    /// What stays goes on where it is, as [`State::carried`] says; ids stay good, and those of what was removed are
    /// refused ([`Error::Removed`]).
    ///
    /// The result is that of planning the edited scene and carrying the state over by hand, but only what is another is
    /// planned: bodies with another recipe, what shares a cell with them (neighbours in the scene with fewer than 1,024
    /// vertices together), what joints hold, and what bodies that collide have in common. All else is copied from the
    /// plan before. For that a solver keeps its bodies' rows and attachments, estimated 300 bytes a vertex of a cloth;
    /// after [`Solver::go_on_with`] it has none, and the next edit plans everything.
    ///
    /// Where substeps are fixed, a body that meets nothing new goes on with the same bits as without the edit, for
    /// things are added behind those that are there. Some share an order or a rounding, near or far: bodies that
    /// collide exactly ([`crate::Collide::Others`], [`crate::Collide::All`]); fluids, with the bodies that they may
    /// meet; bodies whose triangles push at colliders in the same substep; and bodies that stand next to each other in
    /// the scene and have fewer than 1,024 vertices together. Where something is removed, kinds of constraints may be
    /// solved in another order.
    ///
    /// A new body begins as its recipe says. Colliders and obstacles that are new are where their paths are by now;
    /// pins on paths are taken there in one step: let such a body begin where its path is at this time. A new fluid
    /// leaves out what would be inside something at the scene's start.
    ///
    /// Contacts and overlaps of rigid bodies that are told ([`crate::Report::rigid_events`]) end where one of the two
    /// is removed or replaced: the next step that is taken tells of it first, with the ids that were.
    /// [`Solver::settle`] leaves that to the step behind it. Where the state is put back meanwhile ([`Solver::reset`],
    /// [`State::restore`]), nothing is told, and a state's bytes do not have it.
    ///
    /// # Errors
    /// What `edit` returns, or as [`Plan::new`] and [`State::carried`], or [`Error::NoScene`]. Then nothing has
    /// changed.
    ///
    /// # Example
    /// ```
    /// use seidel::{Cloth, Collider, Error, Input, Pose, Scene, Solver};
    /// let mut scene = Scene::new();
    /// let flag = scene.add(Cloth::grid([8, 8], [1.0, 1.0]).pin(&[0, 7]).named("flag"));
    /// let ball = scene.add_collider(Collider::sphere(0.2));
    /// let mut solver = Solver::new(&scene)?;
    /// let input = Input::frame(1.0 / 60.0);
    /// (0..10).for_each(|_| drop(solver.step(&input)));
    /// let rug = solver.edit(|scene| {
    ///     scene.remove_collider(ball)?;
    ///     Ok(scene.add(Cloth::grid([8, 8], [1.0, 1.0]).placed(Pose::at([3.0, 0.0, 0.0]), 1.0)))
    /// })?;
    /// assert!(solver.step(&input).rejected.is_none());
    /// assert_eq!((solver.positions(flag).len(), solver.positions(rug).len()), (64, 64));
    /// let gone = solver.step(&input.clone().pose(ball, Pose::IDENTITY)).rejected;
    /// assert_eq!(gone.unwrap().to_string(), "input: collider 0 was removed from the scene");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn edit<T>(&mut self, edit: impl FnOnce(&mut Scene) -> Result<T, Error>) -> Result<T, Error> {
        let mut scene = self.scene.clone().ok_or(Error::NoScene)?;
        let made = edit(&mut scene)?;
        let before = self.kept.as_ref().map(|kept| (self.plan.described().untorn(), kept));
        let (plan, kept) = Plan::after(&scene, Order::Patches, before)?;
        self.go_on_with(scene, Arc::new(plan))?;
        self.kept = Some(kept);
        Ok(made)
    }

    /// [`Solver::edit`] in two parts, so that no frame waits for the plan: a clone of [`Solver::scene`] is edited and
    /// planned in another thread, while this one steps on, and then the solver goes on with both. That costs what
    /// [`State::carried`] costs.
    ///
    /// # Errors
    /// If the plan is of another scene, or of one with other things in it, or as [`Solver::go_on_in`]; then nothing has
    /// changed. That the plan was made of this scene after its last change is up to you, and that this solver was not
    /// edited meanwhile: such an edit would be lost.
    ///
    /// # Example
    /// ```
    /// use seidel::{Cloth, Input, Plan, Scene, Solver};
    /// use std::{sync::Arc, thread};
    /// let mut scene = Scene::new();
    /// scene.settings.substeps = 10.into();
    /// scene.add(Cloth::grid([8, 8], [1.0, 1.0]));
    /// let mut solver = Solver::new(&scene)?;
    /// let mut edited = solver.scene().expect("it was made of one").clone();
    /// let rug = edited.add(Cloth::grid([8, 8], [1.0, 1.0]));
    /// let planning = thread::spawn(move || (Plan::new(&edited).map(Arc::new), edited));
    /// solver.step(&Input::frame(0.01));
    /// let (plan, edited) = planning.join().unwrap();
    /// solver.go_on_with(edited, plan?)?;
    /// solver.step(&Input::frame(0.01));
    /// assert!(solver.positions(rug)[0].y < 0.0);
    /// # Ok::<(), seidel::Error>(())
    /// ```
    pub fn go_on_with(&mut self, scene: Scene, plan: Arc<Plan>) -> Result<(), Error> {
        if !plan.is_of(&scene) {
            return Err(Error::OtherPlan { what: "scene" });
        }
        self.go_on_in(plan)?;
        self.scene = Some(scene);
        Ok(())
    }

    /// Plans what has torn, if the plan does not have it: after a step, or after the state was put back.
    fn follow(&mut self) -> Result<(), Error> {
        if self.plan.is_torn_as(&self.state) {
            return Ok(());
        }
        let plan = Arc::new(self.plan.torn(&self.state)?);
        let scratch = self.scratch.for_plan(&plan);
        (self.plan, self.scratch) = (plan, scratch);
        self.forget();
        self.scratch.record_contacts(&self.plan, self.recording)
    }

    /// Goes on in another plan: [`State::carried`]. Real time that no step has used yet stays, and contacts are
    /// recorded as before. The solver no longer knows the scene.
    ///
    /// # Errors
    /// As there, and [`Solver::record_contacts`]; then nothing has changed.
    pub fn go_on_in(&mut self, plan: Arc<Plan>) -> Result<(), Error> {
        self.follow()?;
        let tears = self.state.tears_in(&self.plan, &plan)?;
        let plan = if plan.tears == tears { plan } else { Arc::new(plan.with_tears(&tears)?) };
        let plan = plan.beside(&self.plan)?.map_or(plan, Arc::new);
        let state = self.state.carried_into(&self.plan, &plan)?;
        if self.recording {
            Scratch::check_recording(&plan)?;
        }
        let scratch = self.scratch.for_plan(&plan);
        (self.plan, self.state, self.scratch) = (plan, state, scratch);
        self.positions = vec![OnceLock::new(); self.plan.bodies()];
        (self.scene, self.kept) = (None, None);
        self.scratch.record_contacts(&self.plan, self.recording)
    }

    /// Takes one step. Where something tears in it ([`crate::Tearing`]) it plans what is left, and [`Solver::plan`] is
    /// that: about as long as [`Plan::new`] takes for the bodies that have torn.
    pub fn step(&mut self, input: &Input) -> Report {
        self.forget();
        if let Err(error) = self.follow() {
            return Report { rejected: Some(error), ..Report::default() };
        }
        let report = step(&self.plan, &mut self.state, input, &mut self.scratch);
        if !report.torn.is_empty() {
            // If it cannot be planned, the next step says why.
            let _ = self.follow();
        }
        report
    }

    /// Brings the scene to rest before it starts: [`crate::settle`] for `seconds`, in steps of `input`.
    pub fn settle(&mut self, input: &Input, seconds: f64) -> Settled {
        self.settle_while(input, seconds, |_| true)
    }

    /// [`Solver::settle`] for as long as `go_on`, which is told the part of the time that is over, 0 to 1, says so.
    pub fn settle_while(&mut self, input: &Input, seconds: f64, mut go_on: impl FnMut(f64) -> bool) -> Settled {
        self.forget();
        if let Err(error) = self.follow() {
            let failed = Some(Report { rejected: Some(error), ..Report::default() });
            return Settled { steps: 0, speed: 0.0, failed };
        }
        let steps = (seconds / f64::from(input.dt())).ceil().clamp(0.0, f64::from(u32::MAX)) as u32;
        let go_on = |step: u32| step < steps && go_on(f64::from(step) / f64::from(steps));
        settle_while(&self.plan, &mut self.state, input, &mut self.scratch, go_on)
    }

    /// Takes as many steps of `input` as `real_dt` seconds and what is left of earlier calls hold, at most 8 (time
    /// beyond is dropped, so that a slow frame does not make the next one slower). What the input cuts is cut in the
    /// first of them. Returns one report of all these steps, none if no step was due.
    pub fn advance(&mut self, real_dt: f64, input: &Input) -> Option<Report> {
        let dt = f64::from(input.dt());
        if real_dt.is_finite() && real_dt > 0.0 {
            self.waiting = (self.waiting + real_dt).min(8.0 * dt);
        }
        let mut report: Option<Report> = None;
        // A cut is made once.
        let uncut = (!input.cuts.is_empty()).then(|| input.uncut());
        while self.waiting >= dt {
            self.waiting -= dt;
            let next = self.step(uncut.as_ref().filter(|_| report.is_some()).unwrap_or(input));
            match &mut report {
                Some(report) => report.add(next),
                None => report = Some(next),
            }
        }
        report
    }

    /// A body's positions, metres, in the mesh's vertex order; copied on the first call after a step.
    /// `state().read_positions(plan(), body, &mut out)` copies them into an array of yours.
    ///
    /// # Panics
    /// If the body is another scene's, or was removed.
    pub fn positions(&self, body: BodyId) -> &[Vec3] {
        let count = self.plan.vertices(body);
        self.positions[self.plan.body_place(body)].get_or_init(|| {
            let mut out = vec![Vec3::ZERO; count];
            self.state.read_positions(&self.plan, body, &mut out);
            out
        })
    }

    /// Positions will be others.
    fn forget(&mut self) {
        self.positions.iter_mut().for_each(|positions| drop(positions.take()));
    }

    /// Records contacts from the next step on, or no longer: [`Scratch::record_contacts`].
    ///
    /// # Errors
    /// As there.
    pub fn record_contacts(&mut self, on: bool) -> Result<(), Error> {
        self.recording = false;
        self.scratch.record_contacts(&self.plan, on)?;
        self.recording = on;
        Ok(())
    }

    /// Contacts of the last step, if they are recorded: [`Scratch::contacts`]. None of a step in which something tears.
    pub fn contacts(&self) -> impl Iterator<Item = Contact> {
        self.scratch.contacts(&self.plan, &self.state)
    }

    /// Contacts of bodies with themselves and each other, of the last step, if they are recorded:
    /// [`Scratch::pair_contacts`].
    pub fn pair_contacts(&self) -> impl Iterator<Item = PairContact> {
        self.scratch.pair_contacts(&self.plan, &self.state)
    }

    /// Pins a vertex where it is: [`State::pin`].
    ///
    /// # Errors
    /// As there.
    ///
    /// # Panics
    /// If there is no such body.
    pub fn pin(&mut self, body: BodyId, vertex: u32) -> Result<(), Error> {
        self.state.pin(&self.plan, body, vertex)
    }

    /// Lets a vertex go, with the mass that it had: [`State::unpin`].
    ///
    /// # Errors
    /// As there.
    ///
    /// # Panics
    /// If there is no such body.
    pub fn unpin(&mut self, body: BodyId, vertex: u32) -> Result<(), Error> {
        self.state.unpin(&self.plan, body, vertex)
    }

    /// Takes a body out of the scene without planning: [`State::disable`].
    ///
    /// # Errors
    /// As there.
    ///
    /// # Panics
    /// If there is no such body.
    pub fn disable(&mut self, body: BodyId) -> Result<(), Error> {
        self.state.disable(&self.plan, body)
    }

    /// Puts a body back, as the scene begins: [`State::enable`].
    ///
    /// # Errors
    /// As there.
    ///
    /// # Panics
    /// If there is no such body.
    pub fn enable(&mut self, body: BodyId) -> Result<(), Error> {
        self.forget();
        self.state.enable(&self.plan, body)?;
        self.follow()
    }

    /// Takes a rigid body out of the scene: [`State::disable_rigid`].
    ///
    /// # Errors
    /// As there.
    ///
    /// # Panics
    /// If there is no such body.
    pub fn disable_rigid(&mut self, body: RigidId) -> Result<(), Error> {
        self.state.disable_rigid(&self.plan, body)
    }

    /// Puts a rigid body back, as the scene begins: [`State::enable_rigid`].
    ///
    /// # Errors
    /// As there.
    ///
    /// # Panics
    /// If there is no such body.
    pub fn enable_rigid(&mut self, body: RigidId) -> Result<(), Error> {
        self.state.enable_rigid(&self.plan, body)
    }

    /// Takes a collider out of the scene: [`State::disable_collider`].
    ///
    /// # Panics
    /// If there is no such collider.
    pub fn disable_collider(&mut self, collider: ColliderId) {
        self.state.disable_collider(&self.plan, collider);
    }

    /// Puts a collider back: [`State::enable_collider`].
    ///
    /// # Panics
    /// If there is no such collider.
    pub fn enable_collider(&mut self, collider: ColliderId) {
        self.state.enable_collider(&self.plan, collider);
    }

    /// The plan.
    #[must_use]
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// The state; clone it for a snapshot.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The state, to write.
    pub fn state_mut(&mut self) -> &mut State {
        self.forget();
        &mut self.state
    }

    /// Goes back to the scene's start.
    pub fn reset(&mut self) {
        *self.state_mut() = State::new(&self.plan);
        self.waiting = 0.0;
        // What is whole has its plan already; if contacts cannot be recorded, the next step says so.
        let _ = self.follow();
    }

    /// Goes on from another state of this plan, or of one that it has torn into: a snapshot. [`Solver::plan`] is then
    /// that of what has torn in it; with [`Solver::state_mut`] alone it is so from the next step on.
    ///
    /// # Errors
    /// If the state is another plan's; then nothing has changed.
    pub fn set_state(&mut self, state: State) -> Result<(), Error> {
        if state.plan != self.plan.id {
            return Err(Error::OtherPlan { what: "state" });
        }
        *self.state_mut() = state;
        self.follow()
    }

    /// Goes on from a snapshot: [`State::restore`] with the plan of what has torn in it, as [`Solver::set_state`].
    ///
    /// # Errors
    /// As for [`State::restore`]; then nothing has changed.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), SnapshotError> {
        let plan = Arc::clone(&self.plan);
        self.state_mut().restore(plan.untorn(), bytes)?;
        // What does not fit is told by the next step.
        let _ = self.follow();
        Ok(())
    }

    /// The working memory: lanes and threads in use.
    #[must_use]
    pub fn scratch(&self) -> &Scratch {
        &self.scratch
    }

    /// Energy, stretch, penetration.
    #[must_use]
    pub fn measure(&self) -> Measurements {
        match self.plan.is_torn_as(&self.state) {
            true => self.plan.measure(&self.state),
            // It was written: the next step would plan what is left of it.
            false => {
                self.plan.torn(&self.state).map_or_else(|_| self.plan.measure(&self.state), |p| p.measure(&self.state))
            }
        }
    }
}
