//! Plan: a scene cooked once. Immutable; every check that makes stepping infallible is made here.
//!
//! scene -> bodies (recipes, masses, rows) -> order of particles -> patches, cells, colors -> batches -> tiles and
//! blocks

mod air;
pub(crate) mod attachment;
mod averages;
pub(crate) mod blocks;
pub(crate) mod body;
mod carried;
pub(crate) mod carve;
mod check;
pub(crate) mod color;
mod compared;
pub(crate) mod coupling;
pub(crate) mod damping;
pub(crate) mod embedding;
pub(crate) mod family;
pub(crate) mod fields;
pub(crate) mod fluid;
mod folds;
pub(crate) mod frame;
pub(crate) mod grains;
mod hanging;
pub(crate) mod joint;
pub(crate) mod kept;
mod lattice;
mod layout;
mod levels;
mod loads;
pub(crate) mod long_range;
pub(crate) mod moved;
pub(crate) mod obstacle;
pub(crate) mod order;
pub(crate) mod particle_joints;
pub(crate) mod patch;
mod pin_groups;
pub(crate) mod pins;
mod place;
mod plasticity;
mod pressed;
mod queries;
pub(crate) mod rigid;
mod samples;
mod section;
pub(crate) mod skins;
pub(crate) mod sources;
pub(crate) mod spheres;
mod substeps;
pub(crate) mod surfaces;
mod sweep;
pub(crate) mod tearing;
pub(crate) mod tether;
mod torn;
pub(crate) mod triangles;

use crate::describe::body::{Body, Collide};
use crate::describe::collider::{Collider, Shape};
use crate::describe::error::Error;
use crate::describe::filter::Filter;
use crate::describe::ids::{SceneNumbers, SceneTag};
use crate::describe::memory::Need;
use crate::describe::plasticity::Plasticity;
use crate::describe::rigid::RigidBody;
use crate::describe::scene::Scene;
use crate::describe::settings::{Settings, Substeps};
use crate::describe::torn::Tears;
use crate::plan::coupling::Coupling;
use crate::plan::hanging::AllHanging;
use crate::plan::joint::{Joined, JointRows};
use crate::plan::kept::Kept;
use crate::plan::long_range::Attachments;
use crate::plan::obstacle::Obstacles;
use crate::plan::particle_joints::ParticleJoints;
use crate::plan::pins::DrivenPins;
use crate::plan::rigid::Rigid;
use crate::plan::skins::Skins;
use crate::plan::spheres::Spheres;
use crate::plan::surfaces::Surfaces;
use crate::plan::surfaces::regions::Regions;
use crate::plan::tearing::Tearable;
use crate::plan::tether::AllTethers;
use crate::tuning::{AUTO_SUBSTEPS, MAX_COLLIDER_SUBSTEPS, MAX_PARTICLES};
use attachment::Attachment;
use averages::Averages;
use blocks::{Cell, RowBlock};
pub(crate) use body::BodyPlan;
use check::{
    check_framed, check_ids, check_joined, check_memory, check_origin, check_settings, check_substeps, few_contacts,
    unique,
};
use damping::Damped;
pub(crate) use family::Family;
pub(crate) use fields::Fields;
use fluid::Fluids;
use grains::Grains;
pub(crate) use patch::{BatchRange, Patch};
use place::{StartRows, divide, grips, place, solved_by_cell};
use pressed::Pressed;
pub(crate) use section::Section;
use section::{Cut, InOrder, Laid, New, Ordered, Whole};
use seidel_kernels::contact::SignedDistance;
use seidel_kernels::integrate::Run;
use seidel_kernels::integrate::air::AeroTriangles;
use seidel_kernels::{BATCH, Layout, Rows};
use std::ops::Range;
use std::sync::Arc;
pub(crate) use substeps::Needed;
pub use sweep::Order;
pub(crate) use triangles::Triangles;
use xxhash_rust::xxh3::Xxh3;

/// A plan before, and what was kept of its bodies.
#[derive(Clone, Copy)]
struct PreviousPlan<'a> {
    plan: &'a Plan,
    kept: &'a Kept,
}

/// A cooked scene, shareable among many states.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(crate) id: u64,
    /// What states belong to.
    pub(crate) layout: u64,
    /// The scene whose ids are valid here.
    pub(crate) scene: SceneTag,
    pub(crate) numbers: Arc<SceneNumbers>,
    pub(crate) settings: Settings,
    /// Where the zero of coordinates is in the world, metres. Nothing is computed with it.
    pub(crate) origin: [f64; 3],
    /// The shift of all places that the scene describes, metres; and, unless that is zero, the plan without it.
    pub(crate) shift: [f64; 3],
    home: Option<Arc<Plan>>,
    /// Substeps in a step, as many as settings say or as were chosen.
    pub(crate) substeps: u32,
    /// The numbers of substeps that bodies take, in the order of a step ([`Plan::levels`]).
    levels: Vec<u32>,
    /// The estimate from which substeps were chosen, if they were.
    pub(crate) needed: Option<Needed>,
    /// A rigid body that may press through a sheet.
    pub(crate) pressed: Option<Pressed>,
    pub(crate) bodies: Vec<BodyPlan>,
    pub(crate) colliders: Vec<Collider>,
    /// Pins that follow paths.
    pub(crate) moving_pins: Vec<DrivenPins>,
    pub(crate) damped: Damped,
    pub(crate) obstacles: Obstacles,
    /// Vertices that are kept over obstacles.
    pub(crate) attachments: Vec<Attachment>,
    pub(crate) tethers: AllTethers,
    pub(crate) long_range: Attachments,
    pub(crate) families: Vec<Family>,
    /// Batches of families that yield, as many as a worker takes at a time.
    pub(crate) flowing: Vec<BatchRange>,
    /// Fixed particles, ascending, that rows which are solved at once have in common: they stay fixed.
    pub(crate) shared: Vec<u32>,
    /// Particles that joints hold together.
    pub(crate) joined: Joined,
    /// Constraints on any number of particles, if there are any.
    pub(crate) fields: Option<Fields>,
    /// Fluids, if there are any.
    pub(crate) fluids: Option<Fluids>,
    /// Grains, if there are any.
    pub(crate) grains: Option<Grains>,
    pub(crate) triangles: Triangles,
    /// Rigid bodies, if there are any.
    pub(crate) rigid: Option<Rigid>,
    pub(crate) particle_joints: ParticleJoints,
    /// Features of the other bodies, which meet these, if there are any of both.
    pub(crate) coupling: Option<Coupling>,
    /// Points of surfaces that are shown in place of tetrahedra; none without a collider.
    pub(crate) skins: Skins,
    /// The triangles that the air pushes, if there are any.
    pub(crate) aero: Option<AeroTriangles>,
    /// The surfaces of bodies that collide with themselves or each other, if there are any.
    pub(crate) surfaces: Option<Surfaces>,
    /// Bytes that the scene needs ([`Scene::need`]), and rows of bodies that collide.
    need: u64,
    colliding: u64,
    /// The particles of bodies that collide as spheres, if there are any.
    pub(crate) spheres: Option<Spheres>,
    /// For each particle [span, 0, 0, 0]: how far its triangles may reach into a ball that it touches, m^2. Empty if
    /// there is no ball or no triangle.
    pub(crate) spans: Rows,
    /// For each particle [radius, friction, 0, 0]. Empty if no vertices have their own.
    pub(crate) grips: Rows,
    /// The order of solving: see [`Schedule`]. A batch range of family `families.len()` is one of triangles.
    pub(crate) batch_ranges: Vec<BatchRange>,
    pub(crate) stages: Vec<Vec<Patch>>,
    /// All rows, cell by cell, and the cells of each patch; none where an order has no patches that are solved at once.
    pub(crate) cells: Vec<Cell>,
    pub(crate) patches: Vec<Range<usize>>,
    /// Rows that a worker takes at a time, none of two bodies or cells.
    pub(crate) blocks: Vec<RowBlock>,
    /// Rows under one box, none of two bodies.
    pub(crate) tiles: Vec<Run>,
    /// Bodies whose rows were put in order by themselves.
    pub(crate) sections: Vec<Section>,
    /// The split of particles in Jacobi sweeps; empty if no body is solved so.
    pub(crate) averages: Averages,
    /// Positions with inverse masses, and velocities, at the start.
    pub(crate) x: Rows,
    pub(crate) v: Rows,
    /// Inverse inertias of frames, as a state has them; empty if there is none.
    pub(crate) r: Rows,
    /// What can tear, if anything can.
    pub(crate) tearing: Option<Arc<Tearable>>,
    /// What has torn.
    pub(crate) tears: Tears,
    /// The plan in which nothing has, if something has.
    pub(crate) base: Option<Arc<Plan>>,
    /// Tells plans of one scene apart that have torn otherwise; of the first its id. Working memory belongs to it.
    pub(crate) stamp: u64,
}

impl Plan {
    /// Cooks a scene.
    ///
    /// # Errors
    /// The first thing that would make stepping fail: it names the body or collider, the row, the value and the limit.
    ///
    /// # Example
    /// ```
    /// use seidel::{Cloth, Plan, Scene};
    /// let mut scene = Scene::new();
    /// scene.add(Cloth::grid([8, 8], [1.0, 1.0]).density(-1.0).named("flag"));
    /// let error = Plan::new(&scene).unwrap_err();
    /// assert_eq!(error.to_string(), "body `flag`: density is -1, which is not within 1e-9 .. 1e9 kg/m^2");
    /// ```
    pub fn new(scene: &Scene) -> Result<Plan, Error> {
        Plan::in_order(scene, Order::Patches)
    }

    /// The same with another order of rows, to compare orders with.
    ///
    /// # Errors
    /// As [`Plan::new`].
    #[doc(hidden)]
    pub fn in_order(scene: &Scene, order: Order) -> Result<Plan, Error> {
        Ok(Plan::after(scene, order, None)?.0)
    }

    /// The same from a plan before and what was kept of its bodies, with the same result; and what is to be kept of
    /// these.
    pub(crate) fn after(scene: &Scene, order: Order, before: Option<(&Plan, &Kept)>) -> Result<(Plan, Kept), Error> {
        Plan::make(scene, order, before, None)
    }

    /// The same after something has torn: the plan in which nothing has, and the splits.
    fn make(
        scene: &Scene,
        order: Order,
        before: Option<(&Plan, &Kept)>,
        torn: Option<(&Arc<Plan>, &Tears)>,
    ) -> Result<(Plan, Kept), Error> {
        check_settings(&scene.settings)?;
        check_origin(scene.origin)?;
        unique("bodies", scene.bodies.iter().map(|b| b.name()))?;
        unique("colliders", scene.colliders.iter().map(|c| c.name.as_str()))?;
        unique("joints of rigid bodies", scene.rigid_joints.iter().map(|j| j.name.as_str()))?;
        unique("rigid bodies", scene.rigid.iter().map(|b| b.name.as_str()))?;
        scene.colliders.iter().try_for_each(Collider::check)?;
        scene.rigid.iter().try_for_each(RigidBody::check)?;
        let need = check_memory(scene)?;
        let by_places = scene.by_places()?;
        let placed = by_places.as_ref().unwrap_or(scene);
        let rigid = Rigid::of(placed)?;
        let past = before.filter(|(plan, _)| plan.scene == scene.tag).map(|(plan, kept)| PreviousPlan { plan, kept });
        let same = past.map_or_else(
            || vec![None; scene.bodies.len()],
            |PreviousPlan { plan, kept }| kept.same(scene, &plan.numbers.bodies),
        );
        let made = scene.bodies.iter().zip(&same).map(|(recipe, same)| match (past, *same) {
            (Some(past), Some(place)) => Ok(Arc::clone(&past.kept.bodies[place])),
            _ => recipe.body().map(Arc::new),
        });
        let made = made.collect::<Result<Vec<Arc<Body>>, _>>()?;
        let mut bodies = made.clone();
        let left_out = carve::carve(&mut bodies, &scene.colliders, rigid.as_ref());
        tearing::check_beside(&bodies)?;
        check_ids(scene, &mut bodies)?;
        check_framed(&bodies, &scene.settings)?;
        // Near vertices are found on whole bodies: a crack brings new surfaces, and moves no joint.
        let joints = JointRows::of(&placed.joints, &bodies)?;
        check_joined(&bodies, &joints, &scene.settings)?;
        let splits = |number: usize| torn.iter().flat_map(move |(_, tears)| tears.of(number));
        for (number, body) in bodies.iter_mut().enumerate().filter(|(number, _)| splits(*number).next().is_some()) {
            let foreign = || Error::ForeignTears { of: format!("body `{}`", body.name) };
            let left = body.torn(splits(number)).ok_or_else(foreign)?;
            left.check()?;
            *body = Arc::new(left);
        }

        let auto = scene.settings.substeps == Substeps::Auto && torn.is_none();
        // What is kept of a body is of one that has not torn.
        let is_whole = |body: &usize| splits(*body).next().is_none();
        let known =
            |body: usize| past.and_then(|past| past.kept.hung[same[body].filter(|_| is_whole(&body))?].as_ref());
        let carried = if auto { carried::carried(placed, &bodies, rigid.as_ref(), &joints) } else { Vec::new() };
        let mut hanging = AllHanging::of(&bodies, &joints, (auto, scene.settings.gravity.to_array()), known, carried);
        let ways = hanging.ways(bodies.len());
        let needed = auto.then(|| {
            let needed = Needed::of(|h2| hanging.estimate(h2), &scene.settings);
            Needed { locked: needed.body.is_some_and(|body| hanging.locked(body)), ..needed }
        });
        let hung = hanging.known(bodies.len());
        // An edit's plan does not tell of it, for it is to be quick.
        let tells = rigid.as_ref().filter(|_| auto || past.is_none());
        let pressed = tells.and_then(|rigid| pressed::pressed(placed, &bodies, rigid, &joints));
        // Substeps stay as they were chosen.
        let needed = torn.map_or(needed, |(base, _)| base.needed);
        let substeps = match (scene.settings.substeps, &needed) {
            _ if torn.is_some() => torn.map_or(0, |(base, _)| base.substeps),
            (Substeps::Fixed(substeps), _) => substeps,
            (Substeps::Auto, needed) => {
                // Not so many that the scene could not have them with its colliders.
                let most = (MAX_COLLIDER_SUBSTEPS / scene.colliders.len().max(1)).max(1) as u32;
                let of_grains = Grains::substeps(&bodies, &scene.settings).min(f64::from(AUTO_SUBSTEPS[1])) as u32;
                let of_fluids = Fluids::substeps(&bodies, &scene.settings).min(f64::from(AUTO_SUBSTEPS[1])) as u32;
                let of_sheets = pressed.map_or(0.0, |pressed| (scene.settings.dt / pressed.longest.sqrt()).ceil());
                let of_sheets = of_sheets.min(f64::from(AUTO_SUBSTEPS[1])) as u32;
                let needed = needed.map_or(AUTO_SUBSTEPS[0], |needed| needed.substeps);
                needed.max(of_fluids).max(of_grains).max(of_sheets).min(most)
            }
        };
        check_substeps(&|| "settings".to_owned(), substeps, scene)?;
        // Bodies that are planned as they were. What a fluid leaves out depends on what it meets.
        let lasting = |number: usize| {
            let there = past.zip(same[number]).filter(|(past, place)| past.plan.tears.of(*place).eq(splits(number)));
            there.filter(|_| bodies[number].fluid.is_none() && bodies[number].grain.is_none())
        };
        let planned = bodies.iter().enumerate().map(|(number, body)| match lasting(number) {
            Some((past, place)) => past.plan.bodies[place].clone(),
            None => BodyPlan::alone(body, order),
        });
        let mut plans: Vec<BodyPlan> = planned.collect();
        // Registers that begin inside of the last block end behind it.
        let got = plans.iter().map(|plan| plan.rows).sum::<usize>() + BATCH;
        if got > MAX_PARTICLES as usize {
            return Err(Error::TooLarge { got, limit: MAX_PARTICLES as usize });
        }
        let mut layouts = Vec::with_capacity(got / BATCH);
        plans.iter().for_each(|plan| layouts.resize(layouts.len() + plan.rows / BATCH, plan.layout));
        layouts.push(Layout::Rows);
        let rows_of = |PreviousPlan { plan: Plan { x, v, r, .. }, .. }| [x, v, r];
        let from: Vec<_> = (0..bodies.len()).map(|number| Some(rows_of(lasting(number)?.0))).collect();
        let StartRows { x, v, r } = place(&bodies, &mut plans, got, (substeps, &scene.settings), &from);
        plans.iter_mut().zip(&bodies).try_for_each(|(plan, body)| plan.bind(body))?;
        let levels = levels::levels(placed, &bodies, &plans, &joints, substeps)?;
        for plan in plans.iter().filter(|plan| plan.substeps != substeps) {
            check_substeps(&|| format!("body `{}`", plan.name), plan.substeps, scene)?;
        }
        for (plan, _) in plans.iter_mut().zip(&from).filter(|(_, from)| from.is_none()) {
            let own = plan.start..plan.start + plan.rows;
            // Without frames it has none of r, though others may.
            let turned = if plan.frames.to_row.is_empty() { &[] } else { &r[own.clone()] };
            plan.fingerprint(&[&x[own.clone()], &v[own], turned]);
        }
        let cut = Cut::of(&plans, &joints, order);
        let (blocks, tiles) = divide(&mut plans, &cut.cells);
        let joined = Joined::of(&joints, &plans);
        let mut surfaces = Surfaces::new(&bodies, &plans, &x, &joined);
        if let Some(surfaces) = &mut surfaces {
            surfaces.regions = Regions::of_sheets(surfaces);
            let all = surfaces.bodies.iter().flat_map(|body| &blocks[body.blocks.clone()]);
            surfaces.runs = all.filter(|block| !block.frames).map(|block| block.run).collect();
        }
        let colliding = bodies.iter().zip(&plans).filter(|(body, _)| body.collide != Collide::Nothing);
        let colliding = colliding.map(|(_, plan)| plan.rows as u64).sum();
        let spheres = Spheres::new(&bodies, &plans);
        let iterations = scene.settings.iterations;
        let of_bodies = bodies.iter().zip(&plans);
        let of_bodies = of_bodies.flat_map(|(body, plan)| body.constraints.iter().map(|rows| (rows, plan.method)));
        let of_joints = joints.iter().map(|rows| (&rows.constraints, section::joint_method(rows, &bodies, &plans)));
        let keys = family::Key::all(of_bodies, of_joints);
        let whole = Whole {
            bodies: &bodies,
            plans: &plans,
            joints: &joints,
            x: &x,
            tiles: &tiles,
            layouts: &layouts,
            keys: &keys,
            iterations,
            order,
            may_share: torn.map(|(base, _)| base.shared.as_slice()),
        };
        let alike = |plan: &Plan| {
            let (old, new) = (&plan.settings, &scene.settings);
            (old.iterations, old.friction_rule) == (new.iterations, new.friction_rule)
        };
        let stood: Vec<Option<usize>> = (0..bodies.len()).map(|number| Some(lasting(number)?.1)).collect();
        let ordered = cut.sections.iter().map(|section| {
            let before = past.filter(|past| alike(past.plan) && !section.joined);
            let old = before.and_then(|past| Ordered::before(past.plan.laid(), &section.bodies, &stood, &keys));
            old.unwrap_or_else(|| Ordered::New(Box::new(New::of(&whole, section))))
        });
        let ordered: Vec<Ordered<'_>> = ordered.collect();
        let InOrder { families, triangles, shared, batch_ranges, stages, cells: visits_of, sections } =
            InOrder::of(&cut, &ordered, &keys, &layouts);
        let first_tile =
            |section: &Section| tiles.partition_point(|run| run.start < section.blocks.start * BATCH) as u32;
        let beside = sections
            .iter()
            .zip(&ordered)
            .map(|(section, of)| (of.beside(), first_tile(section), section.bodies.start as u32));
        let filters: Vec<Filter> = scene.colliders.iter().map(|c| c.filter).collect();
        let triangles = Triangles::of(triangles, beside, &plans, &filters);
        drop(ordered);
        let skins = if scene.colliders.is_empty() { Skins::default() } else { Skins::of(&plans, &x) };
        let round = |shape: &Shape| match shape {
            Shape::Sphere { .. } => true,
            _ => shape.solid().is_some_and(|solid| solid.round().is_some()),
        };
        let round = scene.colliders.iter().any(|c| round(&c.shape));
        let grips = grips(&plans, x.len());
        let old_spans = |number: usize| {
            let (past, place) = lasting(number)?;
            Some((&past.plan.spans, past.plan.bodies[place].start))
        };
        let spans = if round { triangles::spans(&bodies, &plans, x.len(), old_spans) } else { Rows::default() };
        let averages = Averages::of(&families, &layouts, &plans, &blocks);
        let (cells, patches) = solved_by_cell(&blocks, &cut.cells, visits_of);
        let aero = air::aero(&bodies, &triangles);
        if iterations > 1 {
            few_contacts(x.len() - BATCH, triangles.batches.len() * BATCH, scene.colliders.len())?;
        }
        let fields = Fields::of(&bodies, &plans, &x, (scene.settings.iterations, &joints))?;
        let (of_grains, of_fluids) = left_out.into_iter().partition(|left| bodies[left.body].grain.is_some());
        let fluids = Fluids::of(&bodies, &plans, of_fluids)?;
        let grains = Grains::of(&bodies, &plans, scene.settings.friction_rule, of_grains)?;
        let obstacles = Obstacles::of(&bodies);
        let attachments = Attachment::of(&bodies, &obstacles.each)?;
        let tethers = AllTethers::of(&bodies, &obstacles.each, &plans, &blocks)?;
        let long_range = Attachments::of(&plans, &blocks, x.len(), &ways);
        let coupling = rigid.as_ref().and_then(|_| Coupling::new(&bodies, &plans, x.len()));
        let particle_joints = ParticleJoints::of(placed, rigid.as_ref(), &bodies, &plans)?;
        for (number, plan) in plans.iter_mut().enumerate() {
            let held = placed.particle_joints.iter().any(|joint| joint.body.index() == number);
            plan.joined = held || joints.iter().any(|rows| rows.others(number));
        }
        let damped = Damped::of(&plans);
        let mut plan = Plan {
            id: 0,
            layout: 0,
            scene: scene.tag,
            numbers: Arc::new(scene.numbers.clone()),
            settings: scene.settings,
            origin: scene.origin,
            shift: [0.0; 3],
            home: None,
            substeps,
            levels,
            needed,
            pressed,
            bodies: plans,
            colliders: scene.colliders.clone(),
            moving_pins: DrivenPins::of(&bodies),
            damped,
            obstacles,
            attachments,
            tethers,
            long_range,
            flowing: plasticity::flowing(&families),
            families,
            shared,
            joined,
            fields,
            fluids,
            grains,
            triangles,
            rigid,
            particle_joints,
            coupling,
            skins,
            aero,
            surfaces,
            need,
            colliding,
            spheres,
            spans,
            grips,
            batch_ranges,
            stages,
            cells,
            patches,
            blocks,
            tiles,
            sections,
            averages,
            x,
            v,
            r,
            tearing: None,
            tears: Tears::default(),
            base: None,
            stamp: 0,
        };
        let kept = Kept { recipes: scene.bodies.clone(), bodies: made, hung };
        if let Some((base, tears)) = torn {
            (plan.id, plan.layout, plan.tearing) = (base.id, base.layout, base.tearing.clone());
            (plan.tears, plan.base) = (tears.clone(), Some(Arc::clone(base)));
        } else {
            plan.tearing = Tearable::of(scene, order, &bodies, &kept);
            plan.id = plan.fingerprint();
            plan.layout = plan.layout_fingerprint();
        }
        plan.stamp = plan.tears.stamp(plan.id);
        Ok((plan, kept))
    }

    /// Pairs of features whose lists fit into what so many bytes leave.
    pub(crate) fn pairs_within(&self, memory: u64) -> usize {
        let pairs = Need::listed(self.colliding, memory.saturating_sub(self.need));
        if memory == u64::MAX { usize::MAX } else { usize::try_from(pairs).unwrap_or(usize::MAX) }
    }

    /// Its rows in order.
    fn laid(&self) -> Laid<'_> {
        let Plan { sections, families, triangles, tiles, shared, batch_ranges, stages, cells, .. } = self;
        Laid { sections, families, triangles, tiles, shared, batch_ranges, stages, cells }
    }

    /// The place of a particle's body.
    pub(crate) fn body_of(&self, particle: u32) -> usize {
        self.bodies.partition_point(|body| body.start + body.rows <= particle as usize)
    }

    /// Whether anything can bounce off a collider.
    pub(crate) fn bounces(&self) -> bool {
        self.colliders.iter().any(|c| c.restitution > 0.0) && self.bodies.iter().any(|b| b.restitution > 0.0)
    }

    /// Colliders, in order of their ids.
    #[must_use]
    pub fn colliders(&self) -> &[Collider] {
        &self.colliders
    }

    /// Settings of the scene.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Substeps in a step: as many as its settings say, or as were chosen ([`crate::Substeps::Auto`]).
    #[must_use]
    pub fn substeps(&self) -> u32 {
        self.substeps
    }

    /// Name, number of constraints and number of sets of independent ones that follow one another (the most in a cell:
    /// colors, or in lattices wavefronts) of each family, in the order in which they are solved; then of shapes and of
    /// volumes.
    pub fn families(&self) -> impl Iterator<Item = (&'static str, usize, usize)> {
        let families = self.families.iter().map(|f| (f.kind.name(), f.batches.rows(), f.colors));
        families.chain(self.fields.iter().flat_map(Fields::counts))
    }

    /// Number of patches that are solved at once, in each stage of a sweep.
    pub fn patches(&self) -> impl Iterator<Item = usize> {
        self.stages.iter().map(Vec::len)
    }

    /// Where the zero of coordinates is in the world, metres, of states that begin here: [`Scene::origin`], or where
    /// [`Plan::with_origin`] has put it.
    #[must_use]
    pub fn origin(&self) -> [f64; 3] {
        self.origin
    }

    /// A fingerprint of the whole plan: states carry it, so that none is stepped by another plan. The scene's origin is
    /// no part of it, because a step has the same bits wherever that is: states go from one origin to another.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.id
    }

    fn fingerprint(&self) -> u64 {
        let mut hash = Xxh3::new();
        let mut add = |bytes: &[u8]| hash.update(bytes);
        // How much memory there was changes nothing, nor why substeps are as many as they are.
        let settings = Settings { memory: u64::MAX, substeps: self.substeps.into(), dt: 1.0, ..self.settings };
        add(format!("{settings:?} {:?}", self.colliders).as_bytes());
        if !self.moving_pins.is_empty() {
            add(format!("{:?}", self.moving_pins).as_bytes());
        }
        if !self.obstacles.is_empty() {
            self.obstacles.bytes(&mut add);
            add(format!("{:?}", self.attachments).as_bytes());
            self.tethers.bytes(&mut add);
        }
        self.long_range.bytes(&mut add);
        add(bytemuck::cast_slice(&self.grips));
        for body in &self.bodies {
            add(bytemuck::bytes_of(&[body.start as u64, body.rows as u64, body.hash]));
            add(bytemuck::bytes_of(&[body.filter.groups, body.filter.mask]));
            add(bytemuck::bytes_of(&[body.thickness, body.friction, body.restitution, body.damping]));
            if body.linear_damping > 0.0 {
                add(&body.linear_damping.to_le_bytes());
            }
            if body.substeps != self.substeps {
                add(&body.substeps.to_le_bytes());
            }
            if body.method != self.settings.method {
                add(format!("{:?}", body.method).as_bytes());
            }
        }
        if let Some(spheres) = &self.spheres {
            spheres.bytes(&mut add);
        }
        if let Some(surfaces) = &self.surfaces {
            surfaces.bytes(&mut add);
        }
        if let Some(aero) = &self.aero {
            aero.bytes(&mut add);
        }
        if let Some(fields) = &self.fields {
            fields.bytes(&mut add);
        }
        if let Some(fluids) = &self.fluids {
            fluids.bytes(&mut add);
        }
        if let Some(grains) = &self.grains {
            grains.bytes(&mut add);
        }
        if let Some(rigid) = &self.rigid {
            rigid.bytes(&mut add);
        }
        self.particle_joints.bytes(&mut add);
        if let Some(tearing) = &self.tearing {
            tearing.bytes(&mut add);
        }
        for family in &self.families {
            add(family.kind.name().as_bytes());
            add(&[u8::from(family.xpbd)]);
            if family.damping > 0.0 {
                add(&family.damping.to_le_bytes());
            }
            if let Some((plasticity, _)) = family.plastic {
                let Plasticity { yield_point, creep, limit, fatigue, breaks } = plasticity;
                add(bytemuck::bytes_of(&[yield_point, creep, limit]));
                if plasticity.accumulates() {
                    add(bytemuck::bytes_of(&[fatigue, breaks]));
                }
            }
        }
        self.sections.iter().for_each(|section| section.bytes(&mut add));
        hash.digest()
    }
}
