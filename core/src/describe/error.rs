//! Errors of a scene. They are found when it is planned, never later.

use crate::describe::defects::tets;
use crate::describe::defects::triangles::Found;
use crate::describe::memory::both_shown;
use crate::describe::snapshot::SnapshotError;

/// An error that names the body or collider, the row, the value and its limit.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A mesh cannot become this body; the first offender and the number of others are named.
    #[error("body `{body}`: {found}{}", others(*more))]
    Mesh {
        /// The body's name.
        body: String,
        /// The defect with its first offender.
        found: Box<Found>,
        /// Further kinds of defects.
        more: usize,
    },
    /// A mesh of tetrahedra is no body; the first offender and the number of others are named.
    #[error("{of}: {found}{}", others(*more))]
    TetMesh {
        /// The body or mesh.
        of: String,
        /// The defect with its first offender.
        found: Box<tets::Found>,
        /// Further kinds of defects.
        more: usize,
    },
    /// A number is outside its range.
    #[error("{of}: {what} is {}, which is not {limit}", shortest(*value))]
    Range {
        /// Body, collider or settings.
        of: String,
        /// The quantity, with its row or vertex.
        what: String,
        /// Its value.
        value: f64,
        /// The range in words.
        limit: &'static str,
    },
    /// A row, vertex, body or collider that does not exist.
    #[error("{of}: {what} {index} does not exist; there are {count}")]
    Missing {
        /// Body, collider or settings.
        of: String,
        /// The thing that is named.
        what: &'static str,
        /// Its number.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// An id that belongs to another scene.
    #[error("{of}: {what} {index} belongs to another scene; take its id from this one, or find it by its name")]
    ForeignId {
        /// Body, joint or input.
        of: String,
        /// The thing that is named.
        what: &'static str,
        /// Its number there.
        index: usize,
    },
    /// An id of something that was removed from the scene.
    #[error("{of}: {what} {index} was removed from the scene")]
    Removed {
        /// Scene, body, joint or input.
        of: String,
        /// The thing that is named.
        what: &'static str,
        /// Its number.
        index: usize,
    },
    /// Rows of a kind without a rest value that could flow are to be plastic.
    #[error(
        "{of}: it has no rest length, angle or tetrahedron that could yield; leave its plasticity out, or take another kind or model"
    )]
    DoesNotYield {
        /// Body and kind.
        of: String,
    },
    /// A plasticity of something that the body does not have.
    #[error("{of}: `{plasticity}` is given, and there is no {what}; leave it out, or give one")]
    NothingYields {
        /// Body.
        of: String,
        /// The plasticity that is given.
        plasticity: &'static str,
        /// The resistance that the body lacks.
        what: &'static str,
    },
    /// A body is to tear that cannot.
    #[error("{of}: it has {what}, and a body that tears or is cut has not; leave out that, or its tearing and cuts")]
    DoesNotTear {
        /// Body.
        of: String,
        /// The kind of thing that it has.
        what: &'static str,
    },
    /// In a scene with a body that tears rows are to yield, or to change their stiffness.
    #[error("{of}: in a scene where something tears, {what}; leave out that, or what tears")]
    BesideTears {
        /// Body or input.
        of: String,
        /// The rule that it breaks, in words.
        what: &'static str,
    },
    /// A state has torn since its plan was made.
    #[error("{of}: the state has torn otherwise than its plan: go on with `Plan::torn`, as a solver does")]
    OtherTears {
        /// The name of the call that was refused.
        of: String,
    },
    /// Splits of vertices are not those of a body.
    #[error("{of}: what has torn is not of this mesh, or more than its tearing has room for")]
    ForeignTears {
        /// Body.
        of: String,
    },
    /// Two arrays that belong together differ in length.
    #[error("{of}: {what} has {got} entries and should have {want}")]
    Length {
        /// Body, collider or settings.
        of: String,
        /// The array.
        what: String,
        /// Its length.
        got: usize,
        /// The length that fits.
        want: usize,
    },
    /// Numbers are given for vertices, and no row takes the mean of those.
    #[error("{of}: {what} is given for each vertex; give one number, or one for each row")]
    ByVertex {
        /// Joint, field, tether or input.
        of: String,
        /// The numbers.
        what: String,
    },
    /// Grains begin in each other.
    #[error(
        "{of}: grain {vertex} and {other} are {distance:.3e} m apart at the start, and touch at {limit} m: they would be thrown apart"
    )]
    GrainsOverlap {
        /// The body.
        of: String,
        /// The grain.
        vertex: u32,
        /// The other, in words.
        other: String,
        /// How far their middles are apart, metres.
        distance: f64,
        /// At which distance they touch, metres.
        limit: f32,
    },
    /// Grains are asked to collide in a way that they do not.
    #[error(
        "{of}: grains collide with `others` or with `nothing`, not with `{got}`: with each other, and with other grains, they always do"
    )]
    GrainsCollide {
        /// The body.
        of: String,
        /// The mode that was asked for.
        got: &'static str,
    },
    /// A fluid has something beside its particles, or a body of grains.
    #[error(
        "{of}: a fluid, or a body of grains, has particles alone: no triangles, edges, tetrahedra, constraints, fields, frames, pins, attachments, tethers, joints, and no `collide` or `method`"
    )]
    FluidWithMore {
        /// The body.
        of: String,
    },
    /// A part of a grid is to be pinned on a cloth that is none.
    #[error(
        "{of}: `pin_grid` names a part of a grid, and this cloth was made from a mesh: name its vertices, with `pin`"
    )]
    NoGrid {
        /// The body.
        of: String,
    },
    /// A cloth is to resist stretch as a fabric does, and has none.
    #[error("{of}: the model `{model}` wants a fabric, which says how stiff the cloth is")]
    NoFabric {
        /// The body.
        of: String,
        /// The model's name.
        model: &'static str,
    },
    /// A cloth has a fabric, and is told again how stiff it is.
    #[error("{of}: its fabric says how it resists {what}; leave one of them out, or change the fabric")]
    FabricTells {
        /// The body.
        of: String,
        /// The deformation whose stiffness is given twice.
        what: &'static str,
    },
    /// A factor on a number of a cloth's fabric that its rows do not have.
    #[error("{of}: `{factor}` is a factor on its fabric's number, {why}; leave it out")]
    IdleFactor {
        /// The body.
        of: String,
        /// The factor.
        factor: &'static str,
        /// Why there is none.
        why: &'static str,
    },
    /// A fabric's warp has no direction in a triangle.
    #[error("{of}: the warp stands upright on triangle {triangle}; give it a direction that lies nearer to the cloth")]
    Upright {
        /// The body.
        of: String,
        /// The triangle.
        triangle: usize,
    },
    /// Something needs a surface and is given none.
    #[error("{of} has no triangle with an area")]
    NoTriangles {
        /// The body or mesh.
        of: String,
    },
    /// A mesh has no inside, and one is needed.
    #[error(
        "{of}: the mesh is not closed: edge {}-{} has a triangle on one side alone, or two that run through it the same way \
         (such edges: {count})", edge[0], edge[1]
    )]
    NotClosed {
        /// The mesh.
        of: String,
        /// The first such edge, its vertices ascending.
        edge: [u32; 2],
        /// How many there are.
        count: usize,
    },
    /// A grid would have more nodes than memory is given.
    #[error(
        "{of}: cells of {cell} m make {} nodes; at most {limit}: make cells {least:.2e} m wide or wider", many(*nodes)
    )]
    TooFine {
        /// The field.
        of: String,
        /// Distance between nodes, metres.
        cell: f32,
        /// Nodes wanted; `u64::MAX` if there are more.
        nodes: u64,
        /// Nodes allowed.
        limit: u64,
        /// A cell that fits, of three digits, metres.
        least: f32,
    },
    /// Cells are so wide that no node is inside of what they are about, or wider than all of it.
    #[error("{of}: cells of {cell} m are too wide for what is to be found; make them {most:.2e} m wide or less")]
    TooCoarse {
        /// The field or body.
        of: String,
        /// Distance between nodes, metres.
        cell: f32,
        /// A cell that finds something, metres.
        most: f32,
    },
    /// A cluster of a soft shape has so few vertices that nothing holds them in a shape.
    #[error(
        "{of}: radius of the clusters is {radius} m, and one of them has {members} of the {count} vertices, fewer than {limit}: \
         make it {least:.2e} m or more"
    )]
    SmallCluster {
        /// The body.
        of: String,
        /// Radius of the clusters, metres.
        radius: f32,
        /// Vertices of the smallest cluster.
        members: usize,
        /// Vertices of the body.
        count: usize,
        /// Vertices that a cluster needs.
        limit: usize,
        /// A radius that fits, of three digits, metres.
        least: f32,
    },
    /// Points do not enclose a volume.
    #[error("{of}: {points} points lie in a plane; a hull needs four that do not")]
    Flat {
        /// The hull.
        of: String,
        /// How many there are.
        points: usize,
    },
    /// A mesh encloses no volume.
    #[error("{of}: the mesh lies in a plane, so that nothing is inside of it; give one that encloses a volume")]
    FlatMesh {
        /// The field.
        of: String,
    },
    /// Points in one plane cannot be matched linearly.
    #[error(
        "{of}: shape {field} lies in a plane or on a line, so that nothing tells how it is stretched: it cannot be linear"
    )]
    FlatField {
        /// The body.
        of: String,
        /// Which of its shapes.
        field: usize,
    },
    /// An input gives a pressure to a body that holds no volume.
    #[error("{of}: body `{body}` has no field that holds a volume")]
    NoVolume {
        /// The input.
        of: String,
        /// The body.
        body: String,
    },
    /// A hull has more faces than a kernel is to go through.
    #[error("{of} has {faces} faces; at most {limit}: give fewer points, or make a signed distance field of it")]
    TooManyFaces {
        /// The hull.
        of: String,
        /// Its faces, coplanar ones counted once.
        faces: usize,
        /// Faces allowed.
        limit: usize,
    },
    /// A shape is to have two sides, and has an inside.
    #[error("{of}: a {shape} has an inside; two-sided is a plane, or the shell of a mesh")]
    OneSided {
        /// The collider.
        of: String,
        /// Its shape.
        shape: &'static str,
    },
    /// A row names the same particle or frame twice.
    #[error("{of}: row {row} names {what} {number} twice")]
    Repeated {
        /// The body and the kind.
        of: String,
        /// The row.
        row: usize,
        /// Vertex or frame.
        what: &'static str,
        /// Its number.
        number: u32,
    },
    /// An input cuts a body that cannot tear.
    #[error("{of}: body `{body}` cannot be cut; give it `Tearing::by_cuts()`, in a scene file `tear = {{}}`")]
    NoTearing {
        /// The input.
        of: String,
        /// The body.
        body: String,
    },
    /// An attachment, or a path, names a body that is no obstacle.
    #[error("{of}: body `{body}` is no obstacle")]
    NoObstacle {
        /// The input, or the body and its attachment.
        of: String,
        /// The body that is no obstacle.
        body: String,
    },
    /// A joint is to turn frames.
    #[error("{of}: the kind turns frames; a joint is of points")]
    JointOfFrames {
        /// The joint and its kind.
        of: String,
    },
    /// A body is to be joined to the nearest of its own places.
    #[error("{of}: body `{body}` is joined to itself; name the pairs of vertices")]
    JoinedToItself {
        /// The joint.
        of: String,
        /// The body.
        body: String,
    },
    /// A joint holds nothing.
    #[error("{of}: no vertex of body `{body}` that it may join is within {within} m of body `{to}`")]
    NothingNear {
        /// The joint.
        of: String,
        /// The body whose vertices are joined.
        body: String,
        /// The body that they are joined to.
        to: String,
        /// Metres.
        within: f32,
    },
    /// A body is to stay near its pins, and has none.
    #[error("{of}: nothing is pinned that the rest could stay near: pin a vertex, or leave out `long_range`")]
    NoPins {
        /// The body.
        of: String,
    },
    /// A vertex would have to follow two paths.
    #[error("{of}: vertex {vertex} is named twice; it can follow one path")]
    Driven {
        /// The body and its moving pins.
        of: String,
        /// The vertex.
        vertex: u32,
    },
    /// A body has frames, which a method cannot solve.
    #[error("body `{body}` has frames, which the method {method} cannot solve: use gauss-seidel")]
    Framed {
        /// The body.
        body: String,
        /// The method's name.
        method: &'static str,
    },
    /// An input gives compliances to rows that have PBD's k, or k to those that have compliances.
    #[error("{of}: {given} are given, and its rows have {has}: give those")]
    OtherStiffness {
        /// The input, the body and the kind.
        of: String,
        /// The stiffness that is given.
        given: &'static str,
        /// The stiffness that the rows have.
        has: &'static str,
    },
    /// A rigid body has a shape that only colliders have.
    #[error(
        "{of}: a rigid body cannot be a {shape}; it can be a sphere, a capsule, a cuboid, a cylinder, a cone, a hull, a torus or the inside of a mesh, or a compound of these"
    )]
    NotRigid {
        /// The body, with its part.
        of: String,
        /// The shape's name.
        shape: &'static str,
    },
    /// A surface that has no inside, or not only one.
    #[error("{of}: the surface that has its mass {what}; give it a closed one, counter-clockwise seen from outside")]
    NoInside {
        /// The body.
        of: String,
        /// What is wrong with it.
        what: String,
    },
    /// A joint of one thing.
    #[error("{of}: joins a body to itself, or the world to the world; name two, one of which may be the world")]
    JoinedAlone {
        /// The joint.
        of: String,
    },
    /// A joint's axis has no direction.
    #[error("{of}: its axis has no length, or its two axes are parallel; give a direction such as [0, 1, 0]")]
    NoAxis {
        /// The joint.
        of: String,
    },
    /// A joint with limits that has no axis.
    #[error("{of}: it moves along no axis, so it has no limits; leave them out, or take another kind")]
    NoLimits {
        /// The joint.
        of: String,
    },
    /// A joint that nothing can move.
    #[error("{of}: neither of its bodies can move; make one dynamic, or leave the joint out")]
    JoinedFixed {
        /// The joint.
        of: String,
    },
    /// A rigid body that is not kinematic has a path.
    #[error(
        "{of}: only a kinematic body has a motion, and this one is {kind}: make it kinematic, or leave its motion out"
    )]
    NoPath {
        /// The body.
        of: String,
        /// Its kind.
        kind: &'static str,
    },
    /// A rigid body has no shape.
    #[error("{of}: a compound needs a shape, and this one has none")]
    NoShape {
        /// The body.
        of: String,
    },
    /// Two things have the same name.
    #[error("two {what} are called `{name}`")]
    Name {
        /// Bodies, rigid bodies or colliders.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// The scene needs more memory than [`crate::Settings::memory`] allows.
    #[error(
        "{of}: the scene needs {} of memory, most for this body of {particles} particles, and {} are allowed: use {less}, or allow more",
        both_shown(*need, *limit)[0], both_shown(*need, *limit)[1]
    )]
    Memory {
        /// The body that needs most.
        of: String,
        /// Its particles.
        particles: u64,
        /// The settings that would make it need less.
        less: &'static str,
        /// Bytes that the scene needs, estimated.
        need: u64,
        /// Bytes that are allowed.
        limit: u64,
    },
    /// Rigid bodies need more memory than [`crate::Settings::memory`] allows.
    #[error(
        "{bodies} rigid bodies make the scene need {} of memory, and {} are allowed: use fewer or coarser meshes, or allow more",
        both_shown(*need, *limit)[0], both_shown(*need, *limit)[1]
    )]
    RigidMemory {
        /// How many there are.
        bodies: usize,
        /// Bytes that the scene needs, estimated.
        need: u64,
        /// Bytes that are allowed.
        limit: u64,
    },
    /// The scene is larger than indices can number.
    #[error("the scene has {got} particles; at most {limit} can be numbered")]
    TooLarge {
        /// Particles wanted.
        got: usize,
        /// Particles allowed.
        limit: usize,
    },
    /// More contacts would have to be remembered from one iteration to the next than there may be.
    #[error(
        "more than one iteration remembers every contact of {particles} particles and {triangles} triangles (padded) \
         with {colliders} colliders: {got}; at most {limit}. Use one iteration and more substeps, or fewer colliders"
    )]
    TooManyContacts {
        /// Particles, rounded up to 16 in each body.
        particles: usize,
        /// Triangles, rounded up to 16 in each color.
        triangles: usize,
        /// Colliders.
        colliders: usize,
        /// Contacts; `u64::MAX` if there are more.
        got: u64,
        /// Contacts allowed.
        limit: u64,
    },
    /// Not one input for each state, nor one for all.
    #[error("{states} states are given {inputs} inputs: give one for each, or one for all")]
    Inputs {
        /// Number of states.
        states: usize,
        /// Number of inputs.
        inputs: usize,
    },
    /// More boxes of triangles overlap than are looked at.
    #[error("more than {limit} pairs of triangles' boxes overlap; no more are looked at")]
    Crowded {
        /// Pairs allowed.
        limit: usize,
    },
    /// Bytes that should be a state are none.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
    /// The state or the input belongs to another plan.
    #[error("the {what} was made for another plan")]
    OtherPlan {
        /// State or scratch.
        what: &'static str,
    },
    /// A solver is to be edited that was made of a plan.
    #[error(
        "the solver was made of a plan and does not know the scene: make it of a scene, or plan the edited scene and go on in that plan"
    )]
    NoScene,
    /// A vertex is to be let go whose mass nothing tells.
    #[error("{of}: vertex {vertex} has no mass to go back to: give it one with State::write_inv_masses")]
    NoMass {
        /// The body.
        of: String,
        /// The vertex.
        vertex: u32,
    },
    /// A body cannot have substeps of its own.
    #[error("{of} cannot have substeps of its own: {why}; leave them out")]
    OwnSubsteps {
        /// The body.
        of: String,
        /// The reason against it.
        why: &'static str,
    },
    /// A joint holds bodies together whose constraints are solved in different ways.
    #[error(
        "{of} is solved by {method} and {other} by {others}, but a joint holds them together: give both one `method` with one relaxation"
    )]
    MethodsDiffer {
        /// A body.
        of: String,
        /// Its method, with the relaxation.
        method: String,
        /// The other.
        other: String,
        /// The method of the other.
        others: String,
    },
    /// Two that take different numbers of substeps may touch, or one holds the other.
    #[error("{of} takes {substeps} substeps and {other} {others}, but {why}: give both as many{}", apart(*filters))]
    SubstepsDiffer {
        /// A body with substeps of its own.
        of: String,
        /// Its substeps.
        substeps: u32,
        /// The other.
        other: String,
        /// The substeps of the other.
        others: u32,
        /// The reason why both need as many.
        why: &'static str,
        /// Whether groups and masks can keep them apart.
        filters: bool,
    },
    /// A body cannot be disabled while others rely on it.
    #[error("{of} cannot be disabled or enabled: {why}")]
    NotAlone {
        /// The body.
        of: String,
        /// The reason against it.
        why: &'static str,
    },
    /// A body has as many vertices as another, and is another nevertheless.
    #[error("{of}: body `{body}` has other triangles or tetrahedra")]
    OtherElements {
        /// The state.
        of: String,
        /// The body.
        body: String,
    },
}

fn apart(filters: bool) -> &'static str {
    if filters { ", or groups and masks that keep them apart" } else { "" }
}

fn others(more: usize) -> String {
    match more {
        0 => String::new(),
        1 => "; one more kind of defect was found".to_owned(),
        n => format!("; {n} more kinds of defects were found"),
    }
}

fn many(count: u64) -> String {
    if count == u64::MAX { "too many".to_owned() } else { count.to_string() }
}

impl Error {
    /// The same about cells of another width: what was found of cells `share` times as wide as those that a user chose,
    /// told in terms of the user's. Other errors stay as they are.
    #[must_use]
    pub fn of_cells(self, share: f32) -> Error {
        match self {
            Error::TooFine { of, cell, nodes, limit, least } => {
                let least = advised(f64::from(least / share), |cell| cell * share >= least);
                Error::TooFine { of, cell: cell / share, nodes, limit, least }
            }
            Error::TooCoarse { of, cell, most } => Error::TooCoarse { of, cell: cell / share, most: most / share },
            other => other,
        }
    }
}

/// The first number of three digits from about `least` on, > 0, that fits: what an error advises passes.
pub(crate) fn advised(least: f64, fits: impl Fn(f32) -> bool) -> f32 {
    let text = format!("{least:.2e}");
    let parts = text.split_once('e').and_then(|(digits, exponent)| {
        Some((digits.replace('.', "").parse::<u32>().ok()?, exponent.parse::<i32>().ok()? - 2))
    });
    let Some((mut digits, mut exponent)) = parts else { return least as f32 };
    loop {
        let number = format!("{digits}e{exponent}").parse::<f32>().unwrap_or(f32::INFINITY);
        if fits(number) || number.is_infinite() {
            return number;
        }
        digits += 1;
        if digits == 1000 {
            (digits, exponent) = (100, exponent + 1);
        }
    }
}

/// A number with as many digits as it had, if it was an f32.
fn shortest(value: f64) -> String {
    let narrow = value as f32;
    match (f64::from(narrow) == value, (1e-5..1e16).contains(&value.abs()) || value == 0.0 || !value.is_finite()) {
        (true, true) => narrow.to_string(),
        (true, false) => format!("{narrow:e}"),
        (false, true) => value.to_string(),
        (false, false) => format!("{value:e}"),
    }
}

/// `Ok` if a value is in its range.
pub(crate) fn range(
    of: impl Fn() -> String,
    what: impl Fn() -> String,
    value: f64,
    good: bool,
    limit: &'static str,
) -> Result<(), Error> {
    if good { Ok(()) } else { Err(Error::Range { of: of(), what: what(), value, limit }) }
}
