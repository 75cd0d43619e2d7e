//! Advice at the end of a run.

use crate::inside::{Inside, Solid};
use crate::overlaps::{DEEP_OVERLAP, deepest_overlap, pair};
use crate::stats::{Stats, Sunk};
use seidel::collider::Shape;
use seidel::glam::Vec3;
use seidel::{ColliderId, Plan, RigidKind, Solver, State};
use seidel_scenes::{
    ClothSpec, RigidJointKindSpec, RigidJointSolverSpec, RigidJointSpec, RigidSpec, SceneSpec, TearSpec, key,
};

/// Stretch in the last frame, part of a rest length, from which on more substeps are recommended.
const MUCH_STRETCH: f32 = 0.1;

/// The same where substeps were chosen to leave 2 % at rest.
const MUCH_OF_AUTO: f32 = 0.03;
/// The same in any frame.
const MUCH_ONCE: f32 = 0.5;

/// Rows that found no room, added up over substeps: from so many on, that is the cause of a stretch.
const MUCH_UNRESOLVED: u64 = 100;

/// The stretch from which on a body that is in a collider is held in its way, by pins or by other colliders.
const STRETCH_IN_THE_WAY: f32 = 2.0;

/// The stretch that recommended substeps should leave, and how many are recommended at most.
const WANTED_STRETCH: f32 = 0.02;
const MOST_SUBSTEPS: f64 = 1000.0;

/// Metres: how deep a deformable body may be in a rigid one without a word.
const MOST_IN_RIGID: f32 = 1e-3;

/// The share of the smallest grains' size by which grains may be in each other without a word.
const MOST_IN_GRAIN: f64 = 0.5;

/// The share of an emitter's particles that may be missing without a word.
const MOST_BLOCKED: f64 = 0.05;

/// Errors of a fluid's density, the mean and the largest of a frame, from which on something presses on it: what pours,
/// falls and is stirred has less.
const CROWDED_MEAN: f64 = 0.05;
const CROWDED_MAX: f64 = 0.25;

/// Position error of a joint of rigid bodies, metres, in all of the last frames, from which on it carries more than
/// sweeps can hold; and how many frames these are: an impact opens a joint for a moment.
const OPEN_JOINT: f64 = 0.01;
const OPEN_FRAMES: usize = 10;
/// Rad.
const BENT_JOINT: f64 = 0.1;

/// A rigid body that is deeper than [`DEEP_OVERLAP`] in all of so many last frames, and by this share of the least side
/// of the thinner shape at the end, is not pushed out: an impact sinks in for a frame.
const DEEP_SHARE: f64 = 0.1;
const DEEP_FRAMES: usize = 10;

/// How far gravity may move a rigid body in a substep, a share of half its least side: of cubes of 1 mm, which fall by
/// 1.4 % at 20 substeps, six stay on each other for ten seconds; of 0.4 mm (3.4 %) they do not.
const MUCH_FALL: f64 = 0.015;

/// Speed, m/s, above which a body still swings at the end of a run.
const SWINGING: f32 = 0.1;

/// Advice, if rows or elements are stretched much.
pub(crate) fn stretched(stats: &Stats, spec: &SceneSpec, plan: &Plan, solver: &Solver, dt: f32) -> Option<String> {
    rows_stretched(stats, spec, plan, solver, dt).or_else(|| elements_stretched(stats, spec, plan))
}

/// Advice, if a cloth's elements are stretched much. Solids and balloons are there to be stretched.
fn elements_stretched(stats: &Stats, spec: &SceneSpec, plan: &Plan) -> Option<String> {
    let stiff =
        spec.soft_body.is_empty() && spec.balloon.is_empty() && !spec.cloth.iter().any(|cloth| tears_near(cloth.tear));
    let much = if stats.auto_substeps { MUCH_OF_AUTO } else { MUCH_STRETCH };
    let of = |stretch: Option<f32>, much: f32| stretch.filter(|s| *s > much && stiff);
    let (stretch, when, wanted) = match of(stats.end_element_stretch, much) {
        Some(stretch) => (stretch, "at the end", more_substeps(plan, stretch).filter(|_| !stats.auto_substeps)),
        None => (of(stats.max_element_stretch, MUCH_ONCE)?, "for a moment", None),
    };
    let (mend, percent) = (wanted.unwrap_or("more substeps leave less".to_owned()), stretch * 100.0);
    Some(format!("a stretch of elements of {percent:.0} % {when}; {mend}, unless its fabric is as soft as that"))
}

/// The substeps that leave little of a stretch at rest, which falls as their inverse square; none if they are more than
/// are recommended, or if bodies have their own.
fn more_substeps(plan: &Plan, stretch: f32) -> Option<String> {
    let tens = (f64::from(plan.substeps()) * f64::from(stretch / WANTED_STRETCH).sqrt() / 10.0).ceil();
    let wanted = (10.0 * tens).min(MOST_SUBSTEPS);
    let are_alike = plan.levels() == [plan.substeps()];
    (are_alike && wanted > f64::from(plan.substeps())).then(|| format!("more substeps: --substeps {wanted:.0}"))
}

/// Advice, if rows are stretched much.
fn rows_stretched(stats: &Stats, spec: &SceneSpec, plan: &Plan, solver: &Solver, dt: f32) -> Option<String> {
    // A balloon's skin is there to be stretched.
    let of = |stretch: Option<f32>, much: f32| stretch.filter(|s| *s > much && spec.balloon.is_empty());
    let much = if stats.auto_substeps { MUCH_OF_AUTO } else { MUCH_STRETCH };
    // What tears is stretched up to its strain, and beyond it at the tip of a crack, whatever the substeps.
    let tears = spec.cloth.iter().any(|cloth| tears_near(cloth.tear))
        || spec.soft_body.iter().any(|body| tears_near(body.tear));
    let ends = if tears { stats.end_stretch.map(|_| stretch_of_whole(spec, solver)) } else { stats.end_stretch };
    let (stretch, when) = match of(ends, much) {
        Some(stretch) => (stretch, "at the end"),
        None => (of(stats.max_stretch.filter(|_| !tears), MUCH_ONCE)?, "for a moment"),
    };
    let has_no_room = stats.pairs.is_some_and(|pairs| pairs.unresolved > MUCH_UNRESOLVED)
        || stats.in_collider.is_some() && stretch > STRETCH_IN_THE_WAY;
    let mend = if has_no_room {
        "pins, obstacles or colliders leave it no room (`unresolved` in `--stats`): move them less, or out of each other's way; \
         more substeps help little"
            .to_owned()
    } else if plan.compliant_share(solver.state(), dt).is_some_and(|share| share > 0.5) {
        "its compliance asks for it: a smaller one makes it stiffer, more substeps do not".to_owned()
    } else if spec.cloth.iter().any(ClothSpec::is_of_plates) && plan.max_stretch(solver.state()) > much {
        "where both diagonals of a grid's cells are rigid a sheet cannot lie on what is round: `shear_compliance = 0.01`, or \
         more substeps"
            .to_owned()
    } else if stats.auto_substeps && (when == "for a moment" || swings(solver)) {
        // Until it rests, more is no sign of too few.
        "substeps are chosen for less than 2 % at rest, and a swing or an impact pulls harder than its weight: more substeps leave less of that; \
         `settle = 5` brings what swings to rest before the first frame, `linear_damping` ends a swing sooner"
            .to_owned()
    } else {
        let wanted = more_substeps(plan, stretch).filter(|_| ends.is_some_and(|s| s > much));
        wanted.unwrap_or("more substeps leave less".to_owned())
    };
    Some(format!("a stretch of {:.0} % {when}; {mend}", stretch * 100.0))
}

/// Whether a body gives way before its stretch says much of the substeps.
fn tears_near(tear: Option<TearSpec>) -> bool {
    tear.and_then(|tear| tear.strain).is_some_and(|strain| strain < 1.0)
}

/// The largest stretch of what does not tear.
fn stretch_of_whole(spec: &SceneSpec, solver: &Solver) -> f32 {
    let (plan, mut most) = (solver.plan(), 0.0f32);
    for (number, body) in plan.body_ids().enumerate() {
        let tears = match spec.table_of(number) {
            Some((key::CLOTH, cloth)) => tears_near(spec.cloth[cloth].tear),
            Some((key::SOFT_BODY, body)) => tears_near(spec.soft_body[body].tear),
            _ => false,
        };
        if !tears {
            let at = solver.positions(body);
            let stretch =
                |(edge, rest): ([u32; 2], f32)| at[edge[0] as usize].distance(at[edge[1] as usize]) / rest - 1.0;
            most = plan.lengths(body).into_iter().filter(|(_, rest)| *rest > 0.0).map(stretch).fold(most, f32::max);
        }
    }
    most
}

/// Whether a body that lengths hold still moves, where it is free to. An obstacle, a fluid or grains that move have no
/// lengths to stretch.
fn swings(solver: &Solver) -> bool {
    let (plan, state) = (solver.plan(), solver.state());
    plan.body_ids().filter(|&body| !plan.lengths(body).is_empty()).any(|body| {
        let count = solver.positions(body).len();
        let (mut velocities, mut masses) = (vec![Vec3::ZERO; count], vec![0.0; count]);
        state.read_velocities(plan, body, &mut velocities);
        state.read_inv_masses(plan, body, &mut masses);
        velocities.iter().zip(masses).any(|(v, w)| w > 0.0 && v.length() > SWINGING)
    })
}

/// Advice, if a fluid was pressed together: by what cannot give way.
pub(crate) fn crowded_fluid(stats: &Stats, spec: &SceneSpec) -> Option<String> {
    let by_frame = &stats.fluid.as_ref()?.by_frame;
    let most = |all: &[f64]| all.iter().copied().fold(0.0, f64::max);
    let [mean, max] = [&by_frame.density_error_mean, &by_frame.density_error_max].map(|all| most(all));
    if mean < CROWDED_MEAN && max < CROWDED_MAX {
        return None;
    }
    let cause = match spec.fluid.iter().any(|fluid| !fluid.emitter.is_empty()) {
        false => "something presses on it that cannot give way, or it began where others were",
        true => {
            "an emitter pours into what has no room (something blocks it, it lies in the fluid, or the space is full), or \
             something presses on the fluid that cannot give way"
        }
    };
    Some(format!(
        "a fluid was up to {:.0} % too dense, {:.0} % on average, and is flung apart by that: {cause}",
        100.0 * max,
        100.0 * mean
    ))
}

/// Advice, if a good part of what emitters were to give did not come: of fluids, and of grains.
pub(crate) fn blocked_emitters(stats: &Stats) -> [Option<String>; 2] {
    let is_much = |born: u64, missing: u64| missing as f64 > MOST_BLOCKED * (born + missing) as f64;
    let fluid = stats.fluid.as_ref().filter(|of| is_much(of.born, of.blocked)).map(|of| {
        format!(
            "emitters gave {} of {} particles: for the others there was no room, as fluid lay at the opening or could not \
             give way before it; put the opening where no fluid is, or give the fluid somewhere to go",
            of.born,
            of.born + of.blocked
        )
    });
    let grains = stats.grains.as_ref().filter(|of| is_much(of.born, of.blocked)).map(|of| {
        format!(
            "emitters gave {} of {} grains: where the others were to come, grains or something solid lay already; put the \
             opening where it is free, make it faster, or give the grains somewhere to go",
            of.born,
            of.born + of.blocked
        )
    });
    [fluid, grains]
}

/// Advice, if grains were deep in each other.
pub(crate) fn deep_grains(stats: &Stats, plan: &Plan) -> Option<String> {
    let least = plan.grains().map(|(_, grain)| 2.0 * f64::from(grain.radius)).fold(f64::INFINITY, f64::min);
    let deepest = stats.grains.as_ref()?.by_frame.deepest_overlap.iter().copied().fold(0.0, f64::max);
    (deepest > MOST_IN_GRAIN * least).then(|| {
        format!(
            "grains were {:.1} mm in each other, of {:.1} mm: they come faster than their size in a substep, or heaps are high \
             for so few; --substeps {}",
            1e3 * deepest,
            1e3 * least,
            4 * stats.substeps
        )
    })
}

/// Advice, if a deformable body was pressed into a rigid one.
pub(crate) fn in_rigid(stats: &Stats) -> Option<String> {
    let Inside { frame, depth, body, solid: Solid::Rigid(rigid), .. } = stats.in_rigid.as_ref()? else { return None };
    (*depth > MOST_IN_RIGID).then(|| {
        format!(
            "`{body}` was {:.1} mm inside of rigid body `{rigid}` in frame {frame}: few substeps press what is light through \
             what is heavy; --substeps {} leave less, or make `{body}` heavier",
            1e3 * depth,
            4 * stats.substeps
        )
    })
}

/// Advice, if a body was in a collider's surface.
pub(crate) fn in_collider(stats: &Stats, spec: &SceneSpec, plan: &Plan) -> Option<String> {
    let Inside { frame, depth, body, solid: Solid::Collider(collider), .. } = stats.in_collider.as_ref()? else {
        return None;
    };
    let number = plan.collider(collider).map(ColliderId::index);
    let meets_particles = number.and_then(|number| spec.collider.get(number)).is_some_and(|of| !of.triangles);
    let mend = match meets_particles {
        true => "with `triangles = false` it meets particles only; a finer mesh, or without that key, less gets in",
        false => {
            "more substeps or `iterations` leave less; docs/contacts.md, \"Promises\", tells where that is not enough"
        }
    };
    Some(format!(
        "in frame {frame} body `{body}` was {:.2} mm inside collider `{collider}`, thicknesses aside: {mend}",
        depth * 1e3
    ))
}

/// Advice, if a joint of rigid bodies stays open or bent, or its bodies are lost: a heavy load on light bodies.
pub(crate) fn open_joints(stats: &Stats, spec: &SceneSpec) -> Option<String> {
    let rigid = stats.rigid.as_ref()?;
    // Limits are left to the sweeps, and so are joints that close a loop.
    let is_held = |joint: &RigidJointSpec| {
        joint.solver == RigidJointSolverSpec::Sweeps && joint.kind != RigidJointKindSpec::Distance
    };
    if rigid.lost > 0 && spec.joint.iter().any(is_held) {
        let open = match &rigid.flung {
            Some((name, gap)) => format!(" (before, joint `{name}` was open by {:.0} mm)", gap * 1e3),
            None => String::new(),
        };
        return Some(format!(
            "rigid bodies were lost that joints may have flung apart{open}, as a heavy one on light ones \
             is, or one whose motor or spring asks for too much: `solver = \"direct\"` of these joints carries it, or \
             more substeps"
        ));
    }
    let stays = |by_frame: &[f64]| by_frame.iter().rev().take(OPEN_FRAMES).copied().fold(f64::INFINITY, f64::min);
    let (number, name, how, by) = if stays(&rigid.by_frame.joint_gap) > OPEN_JOINT {
        let by = format!("{:.0} mm", rigid.joint_gap * 1e3);
        (rigid.widest?, rigid.widest_joint.as_deref()?, "open", by)
    } else if stays(&rigid.by_frame.joint_bend) > BENT_JOINT {
        let by = format!("{:.0} degrees", rigid.joint_bend.to_degrees());
        (rigid.most_bent?, rigid.most_bent_joint.as_deref()?, "bent where it should be rigid", by)
    } else {
        return None;
    };
    let more = "more substeps leave less";
    let is_held = spec.joint.get(number).is_some_and(is_held);
    let mend = if is_held { format!("`solver = \"direct\"` carries heavy loads, and {more}") } else { more.to_owned() };
    Some(format!("joint `{name}` stays {how}, by {by} at the end: {mend}"))
}

/// Advice, if a rigid body stays deep in another, or in a collider, or was so deep in it that it may have come out on
/// the other side: what presses on it is too much for the substeps, or leaves it no room.
pub(crate) fn deep_overlaps(stats: &Stats, plan: &Plan, state: &State) -> Option<String> {
    let rigid = stats.rigid.as_ref()?;
    let last = rigid.by_frame.deepest_overlap.iter().rev().take(DEEP_FRAMES);
    let stays = last.fold(f64::INFINITY, |least, &depth| least.min(depth)) > DEEP_OVERLAP;
    let why = "squeezed between what does not give way, carries or stops many times its mass, or began there";
    if let Some(of) = deepest_overlap(plan, state, DEEP_SHARE).filter(|_| stays) {
        let (pair, depth, share) = (pair(plan, &of)?, of.depth * 1e3, of.share * 100.0);
        return Some(format!(
            "{pair} end {depth:.0} mm in each other, {share:.0} % of the least side of the thinner: it is {why}; more \
             room, more substeps or lighter loads leave less"
        ));
    }
    let Sunk { pair, frame, depth, share } = rigid.sunk.as_ref()?;
    Some(format!(
        "{pair} were {:.0} mm in each other in frame {frame}, {:.0} % of the least side of the thinner, and may have \
         changed sides: it was {why}; more room, more substeps or lighter loads leave less",
        depth * 1e3,
        share * 100.0
    ))
}

/// Advice, if a rigid body is so small that gravity moves it by much of its size in a substep: contacts give way by
/// about that, and a stack of such bodies falls over.
pub(crate) fn small_bodies(spec: &SceneSpec, plan: &Plan, dt: f32) -> Option<String> {
    let h = f64::from(dt) / f64::from(plan.substeps());
    let g = spec.gravity.iter().map(|g| f64::from(*g).powi(2)).sum::<f64>().sqrt();
    let fall = |body: &RigidSpec| g * f64::from(body.gravity_scale.abs()) * h * h;
    let shapes = plan.rigid_shapes().filter_map(|(number, shape)| {
        let body = spec.body.get(number).filter(|body| body.kind == RigidKind::Dynamic)?;
        let size = f64::from(half_of(shape)?);
        Some((number, size, fall(body) / size))
    });
    let (number, size, share) = shapes.reduce(|most, of| if of.2 > most.2 { of } else { most })?;
    if share <= MUCH_FALL {
        return None;
    }
    let name = plan.rigid_ids().nth(number).map(|id| plan.rigid_name(id).to_owned())?;
    let wanted = 10.0 * (f64::from(plan.substeps()) * (share / MUCH_FALL).sqrt() / 10.0).ceil();
    let mend = match wanted <= MOST_SUBSTEPS {
        true => format!("more substeps (`--substeps {wanted:.0}`)"),
        false => "a higher `fps` and more substeps".to_owned(),
    };
    Some(format!(
        "gravity moves rigid body `{name}` by {:.3} mm in a substep, and half of its least side is {:.4} mm: what is as \
         small sinks in, may tremble, and may not stay in stacks; {mend}, or larger bodies, leave less",
        share * size * 1e3,
        size * 1e3
    ))
}

/// The least of half the sides of a shape, metres; none of a shape that has no such number.
fn half_of(shape: &Shape) -> Option<f32> {
    match shape {
        Shape::Sphere { radius } | Shape::Capsule { radius, .. } => Some(*radius),
        Shape::Cuboid { half } => Some(half.min_element()),
        Shape::Cylinder { radius, half_height } | Shape::Cone { radius, half_height } => Some(radius.min(*half_height)),
        Shape::Torus { tube, .. } => Some(*tube),
        _ => None,
    }
}

/// Advice, if vertices could not be split where a body tears or is cut.
pub(crate) fn refused_splits(stats: &Stats, spec: &SceneSpec) -> Option<String> {
    let all = stats.torn + stats.tears_refused;
    // An edge that is too long is refused in each step anew, a cut once.
    let own = spec.cloth.iter().map(|cloth| cloth.tear).chain(spec.soft_body.iter().map(|body| body.tear));
    let tears = own.flatten().any(|tear| tear.strain.is_some());
    match stats.tears_refused {
        0 => None,
        _ if tears || spec.cloth.len() + spec.soft_body.len() > 1 => Some(
            "vertices could not be split, so cuts and cracks are not whole: more `copies` of `tear` have room for them"
                .to_owned(),
        ),
        refused => Some(format!(
            "{refused} of {all} splits were refused, so cuts are not whole: `tear = {{ copies = {all} }}` or more has room for them"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::{SWINGING, swings};
    use seidel::glam::Vec3;
    use seidel::{Input, Solver};
    use seidel_io::scene::{build, parse};
    use std::path::Path;

    /// An obstacle that bends beside a sheet at rest is no swing; a sheet that falls may be one.
    #[test]
    fn what_moves_beside_a_sheet_is_no_swing() {
        let obstacle = "[[obstacle]]\nlimb = { around = 8, along = 8, period = 0.2 }\nposition = [5, 0, 0]\n";
        for (gravity, swinging) in [("gravity = [0, 0, 0]\n", false), ("", true)] {
            let text = format!("{gravity}[[cloth]]\nresolution = 4\n{obstacle}");
            let spec = parse(Path::new("a.toml"), &text).unwrap();
            let mut solver = Solver::new(&build("a.toml", &spec).unwrap()).unwrap();
            for _ in 0..3 {
                solver.step(&Input::frame(1.0 / 60.0));
            }
            let moving = solver.plan().body_ids().last().unwrap();
            let mut velocities = vec![Vec3::ZERO; solver.positions(moving).len()];
            solver.state().read_velocities(solver.plan(), moving, &mut velocities);
            assert!(velocities.iter().any(|v| v.length() > SWINGING), "the obstacle moves");
            assert_eq!(swings(&solver), swinging);
        }
    }
}
