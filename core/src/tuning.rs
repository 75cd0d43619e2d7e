//! Thresholds: unit, reason, and what moves if one changes.

pub use seidel_kernels::tuning::MAX_COORDINATE;

/// Least height of a triangle, as a fraction of its longest side. Below it the height is within a few roundings of an
/// f32 of nothing: the normal is noise, and so is a bend constraint's gradient. Changing it changes which meshes a plan
/// refuses.
pub const MIN_TRIANGLE_HEIGHT: f64 = 1.0e-6;

/// Least height of a tetrahedron above its largest face, as a fraction of its longest edge. Below it the height is
/// within a few roundings of an f32 of nothing: the volume is noise, and so is its sign. Changing it changes which
/// meshes are flat.
pub const MIN_TET_HEIGHT: f64 = 1.0e-6;

/// Metres. The farthest that a scene's origin is from the world's zero along an axis: f64 has steps of 1e-4 m there,
/// and 1e-6 m at 1e10. Changing it changes which scenes and snapshots are refused, and nothing that is computed.
pub(crate) const MAX_ORIGIN: f64 = 1.0e12;

/// 1/kg. A heavier particle (above 1e9 kg) is a fixed one (0) in a wrong unit; the sums of w |grad C|^2 stay normal
/// numbers.
pub(crate) const MIN_INV_MASS: f32 = 1.0e-9;

/// 1/kg. A lighter particle (below 1e-12 kg) makes corrections that overflow against a heavy one.
pub(crate) const MAX_INV_MASS: f32 = 1.0e12;

/// Share of a split vertex's mass that a part of the triangles around it has at least: parts of no area would have no
/// mass. Changing it changes what slivers weigh.
pub(crate) const LEAST_SHARE: f64 = 1.0e-3;

/// Blocks of sixteen particles in a cell. 64 take 32 KiB of positions and displacements: the first-level cache of most
/// processors. Order, and so every result, changes with it.
pub(crate) const CELL_BLOCKS: usize = 64;

/// Of so many cells one is watched, to tell motion's time from constraints': reading a clock costs some 25 ns, a cell
/// 2,000.
pub(crate) const CELLS_A_SAMPLE: u64 = 4;

/// Patches of a body at most: enough for 16 workers to share, few enough that little is left between them. Order, and
/// so every result, changes with it.
pub(crate) const MAX_PATCHES: usize = 32;

/// Slabs of a solid's lattice in a patch, at least: with two the interfaces between patches share none. Order, and so
/// every result, changes with it.
pub(crate) const MIN_PATCH_SLABS: usize = 2;

/// Slabs that a solid's lattice has at least, or it is cut otherwise: with fewer there are few patches for workers to
/// share. Order, and so every result, changes with it.
pub(crate) const MIN_SLABS: usize = 18;

/// Rows of a mesh that its constraints reach over at least, if it is a solid: a sheet's reach over two. Order, and so
/// every result, changes with it.
pub(crate) const SOLID_REACH: u32 = 4;

/// One in so many of a body's rows have an offset at least, or it decides nothing about slabs: a tube's closing rows,
/// or what somebody
/// has added. Order, and so every result, changes with it.
pub(crate) const MOST_CLASSES: usize = 32;

/// A strip of a solid that is as often as long as its constraints reach, or longer, is cut by halves: there are more
/// patches then, and an
/// eighth of the rows go on in the next lane at most. Order, and so every result, changes with it.
pub(crate) const STRIP_REACH: usize = 8;

/// Numbers of blocks that are tried for a lattice: in some, strips are whole rows of the mesh, or no offset falls into
/// one block. Of more
/// than `MANY_VERTICES` vertices, whose rows take long to count, `FEW_TRIES`; of slabs `SLAB_TRIES` widths. Order, and
/// so every result,
/// changes with them.
pub(crate) const TRIES: usize = 8;
/// See [`TRIES`].
pub(crate) const FEW_TRIES: usize = 3;
/// See [`TRIES`].
pub(crate) const MANY_VERTICES: usize = 100_000;
/// See [`TRIES`].
pub(crate) const SLAB_TRIES: usize = 3;

/// Batches that a row costs which no batch of whole registers can hold, in sixteenths. Which bodies are lattices, and
/// so every result of
/// theirs, changes with it.
pub(crate) const ODD_COST: usize = 3;

/// Share of its best fill that a lattice keeps in slabs, or it is cut otherwise. Order, and so every result, changes
/// with it.
pub(crate) const KEPT_FILL: f64 = 0.9;

/// Fewer rows than this that lie in the same blocks are reached by index. Order, and so every result, changes with it.
pub(crate) const MIN_UNIT_ROWS: usize = 3;

/// Batches in a wavefront, on average. With fewer each waits for the one before it, and the cell is colored: a chain
/// would have one. Order, and so every result, changes with it.
pub(crate) const MIN_WAVEFRONT: usize = 2;

/// Share of the batches of two-particle rows that lead in another direction than the one before them: with more, as
/// where the rows of a mesh are listed vertex by vertex, there are colors and no wavefronts. A sheet of 160 x 160
/// without a second diagonal flew apart in wavefronts of rows that are listed so. Grids list theirs direction by
/// direction. Order, and so every result, changes with it.
pub(crate) const MOST_TURNS: f64 = 0.67;

/// Share of the sixteen lanes that hold a row, on average. Below it a body's rows are reached by index: a batch of
/// whole registers costs about a third of one that is gathered. Which bodies are lattices, and so every result of
/// theirs, changes with it.
pub(crate) const MIN_FILL: f64 = 0.5;

/// Offsets of the vertex number between the slots of a kind's rows: with more the mesh is no lattice. A grid has four,
/// with borders and alternating diagonals some dozens; it bounds the time that is spent on meshes that are none.
pub(crate) const MAX_CLASSES: usize = 512;

/// Rows that a worker takes at a time, a multiple of `ROWS_A_TILE`. The blocks of ordered sums are these, so damped
/// results change with it.
pub(crate) const ROWS_A_BLOCK: usize = 256;

/// Rows under one bounding box when contacts are searched, a multiple of 16.
pub(crate) const ROWS_A_TILE: usize = 64;

/// Particles. A smaller scene is stepped by the caller alone: waking a worker costs more than it gains.
pub(crate) const MIN_SHARED_ROWS: usize = 2048;

/// The least and the most substeps that are chosen automatically. With fewer than 20 contacts and swings suffer before
/// rows stretch (Macklin et al. 2019 use 20); 1000 of a sheet of a million take a minute a frame, and are for the user
/// to choose.
pub(crate) const AUTO_SUBSTEPS: [u32; 2] = [20, 1000];

/// Static stretch of a row that automatic substeps aim at, a share of its length: 2 % at most are promised, and the
/// estimate may be too small by a third (a sheet of equal rows that hangs straight).
pub(crate) const AUTO_STRETCH: f64 = 0.0125;

/// Where attachments to two pins meet, the growth of an edge that automatic substeps aim at, a share of its length:
/// what is found is 1.1 times this (a weave of 20 x 20, 30 x 30 and 60 x 60 by two corners).
pub(crate) const MEETING: f64 = 0.0165;

/// Share by which the softest rows of a sheet are strained by what hangs on one thread, above which they leave it to
/// the thread. A weave of 20 x 20 and one of 30 x 30 that hang by two corners are stretched by 1.5 % where it is 0.13,
/// by 2.0 % where it is 0.27.
pub(crate) const SHEARED: f64 = 0.2;

/// How much softer against bending automatic substeps may leave a rod, a share.
pub(crate) const AUTO_BEND: f64 = 0.05;

/// Times its weight with which a load pulls that lies sideways of its pin: it swings down (a pendulum from the
/// horizontal pulls with 3 m g at its lowest), or hangs between pins as a flat curve.
pub(crate) const SIDEWAYS: f64 = 3.0;

/// Times half its weight with which a body is pulled that is not pinned: it falls, and something stops it. The main
/// job, which falls by a few decimetres on a ball, is stretched by 2.6 % when it hits with this (112 substeps), by 5.2
/// % with 81 substeps, by 10.5 % with 40.
pub(crate) const FALL: f64 = 6.0;

/// Factors on a load that lies on a sheet, in the tension of rows on the way to the pins, of rows under what spreads,
/// and of rows under a body, which are level and few. A box of 5 kg on a sheet of 30 x 30 that all sides hold leaves
/// 2.5 % with 3.5 for the last; sand on one of 6 x 6 by its corners 2.7 % with 2 for the second, 2.2 % with 3; a bag of
/// 12 x 12 by four ropes with four balls of 0.3 kg in it 3.6 % with 1 for the first, with 2 between 1.8 and 2.8 %, as they
/// come to lie to one side, and with 3 between 1.0 and 2.1 %.
pub(crate) const CARRIED: [f64; 3] = [3.0, 3.5, 5.0];

/// Times the load of rows beside others that give more than twice as much: loads gather in single threads of a weave.
/// Without it a sheet of silk of 30 x 30 that hangs by two corners is stretched by 2.1 % more than its threads allow.
pub(crate) const GATHERED: f64 = 1.3;

/// Of a sheet that cannot fold around the cell that it is pinned by: part of the moment of its weight that a row there
/// carries. Grids of 20, 30, 40 and 60 a side need 0.11, 0.19, 0.14 and 0.13.
pub(crate) const LOCKED: f64 = 0.2;

/// Part of its length by which a diagonal is strained where such a sheet folds in spite of it: so rows that give bound
/// that load.
pub(crate) const FOLD: f64 = 0.07;

/// Times the tension of its rows with which a closed sheet that hangs by pins pulls at some: it falls together, and
/// what hangs below a crease hangs by its ends. A cow and an animal of 2,900 vertices that hang by two were stretched
/// by 4.8 % and 6.3 % in a few edges where 1.9 % was expected.
pub(crate) const CREASED: f64 = 3.5;

/// Of edges between vertices that long range attachments hold, part of the tension that a column of such vertices up to
/// the pin would have. A sheet that hangs straight needs a tenth of it (its rows are stretched by 0.4 % where this says
/// 4 %). But where a sheet bends around its pins, the straight way is shorter than the way along it, and rows carry
/// their column until attachments are taut: by 2.8 % with 20 substeps, where 28 are chosen.
pub(crate) const HELD: f64 = 0.5;

/// Part of a body's mean edge: shorter edges are taken for so long, or one sliver would decide for all.
pub(crate) const MIN_SHARE_OF_EDGE: f64 = 0.5;

/// Largest number of substeps in a step, of iterations in a substep, and of both multiplied.
pub const MAX_SUBSTEPS: u32 = 100_000;

/// Share of the distance that two features keep by which they part in a substep if they begin it nearer: they were
/// pressed together. Getting apart becomes velocity. With less, what presses is stronger, and the clamp, which is slow,
/// has to hold it apart (with 0.1 m/s whatever the substep, `layers` took twice the time); with more, what is crumpled
/// boils in few substeps (docs/decisions/opening-what-is-pressed.md).
pub(crate) const OPENING_SHARE: f32 = 0.1;

/// m/s: no faster than this, whatever the substep. What keeps 8 mm in 20 substeps of a frame opens so fast.
pub(crate) const OPENING_SPEED: f32 = 0.5;

/// m/s: no faster than this where a particle was clamped in the last substep. The clamp does not conserve momentum: what
/// opens and is clamped in turn drives itself along, faster and faster.
pub(crate) const CLAMPED_OPENING_SPEED: f32 = 0.1;

/// The same of spheres, m/s. Their corrections are averaged, so what presses leaves them a little in each other, and
/// that has to open, too: with 0.1 m/s five falling layers were pressed flat and took 251 ms a frame, with 2 m/s 127,
/// with 4 m/s 109, without a limit 103.
pub(crate) const SPHERES_OPENING_SPEED: f32 = 4.0;

/// Particles of a cluster, at most: its triangles are about twice as many, its edges three times. Larger ones, and more
/// of what lies
/// between two of them is far; smaller ones, and there are more pairs of them.
pub(crate) const POINTS_A_CLUSTER: usize = 16;

/// Particles of a part of a cluster.
pub(crate) const POINTS_A_PART: usize = 4;

/// Triangles, and edges, of a cluster at most: those of a hub are shared out. Some ten times what a cluster usually
/// has.
pub(crate) const FEATURES_A_CLUSTER: usize = 512;

/// Pairs of clusters that a worker looks at in one go.
pub(crate) const PAIRS_A_CACHE: usize = 32;

/// Mean edges. Pairs of features are listed that particles may bring together while they move so far against each
/// other: of what rests. Larger lists are longer, smaller ones are made more often.
pub(crate) const LEAST_MARGIN: f32 = 0.1;

/// The same in ways of the last substep, for what moves.
pub(crate) const WAYS_A_LIST: f32 = 6.0;

/// Mean edges. A cluster that moves further than that in a few substeps is listed for fewer substeps, but always for at
/// least one more.
pub(crate) const MOST_MARGIN: f32 = 0.5;

/// Mean edges by which a cluster may leave the place where pairs of clusters were found, at most, unless it is faster.
pub(crate) const CLUSTER_GROWTH: f32 = 0.5;

/// Factor on a substep's displacement: how far particles may go in each later substep of the search.
pub(crate) const LATER_WAY: f32 = 1.25;

/// Part of the distance that points keep from triangles at which edges of triangles keep from each other. Less, so that
/// sheets that lie on each other rest on their points.
pub(crate) const EDGES_KEEP: f32 = 0.6;

/// Margin of contacts, as a share of the largest distance that pairs keep: pairs nearer than distance + margin are
/// contacts.
pub(crate) const CONTACT_MARGIN: f32 = 0.25;

/// Pairs for each point and edge, at most. More do not fit around one another unless they lie on one heap.
pub(crate) const PAIRS_A_FEATURE: usize = 400;

/// Factor on the averages of a Jacobi sweep, at least and at most. At 2 the worst errors would change sign from sweep
/// to sweep and not shrink, beyond it they grow; near 0 nothing is solved.
pub(crate) const RELAXATION: [f32; 2] = [0.01, 1.99];

/// Particles in a scene: indices are u32, and rows are padded.
pub const MAX_PARTICLES: u32 = 1 << 28;

/// Times its rest length an edge may be long, for its particles to keep their triangles out of balls (a square that
/// shears flat has a diagonal 1.41 times as long, but no area); longer, and the triangles are pushed out themselves.
pub(crate) const SPHERE_STRETCH: f64 = 1.35;

/// Part of a sphere's radius. Where a contact pushes a triangle further at once, contacts are solved again in the same
/// sweep: so far round a ball, triangles drag their neighbours into it. A cloth hit by a 10 cm sphere at 100 m/s was 7
/// cm deep in it after a substep of 1/1200 s, and is 1 mm deep (with 1/4: 3 mm). Ordinary contacts push a hundredth of
/// it.
pub(crate) const HARD_PUSH: f32 = 1.0 / 8.0;

/// The same of solids, part of half of what they are thick where they are thinnest.
pub(crate) const SOLID_PUSH: f32 = 1.0 / 64.0;

/// Sweeps of a substep, at most, while moving colliders press what the clamp holds back; and those of them that solve
/// constraints, too. With constraints in all of them, sheets between two colliders are pulled back into these.
pub(crate) const MOST_SWEEPS: u32 = 16;
pub(crate) const FULL_SWEEPS: u32 = 8;

/// After a substep in which these sweeps have not helped, but carrying has, the next one of the step takes half as many,
/// and at least so many.
pub(crate) const LEAST_SWEEPS: u32 = 4;

/// After so many substeps of a step in which nothing has helped, colliders leave no room: the others take no such sweep.
pub(crate) const MOST_FAILED: u32 = 4;

/// How often contacts are solved again in a sweep, at most. A cloth caught between spheres that leave it no room would
/// go on.
pub(crate) const MAX_REPEATS: u32 = 4;

/// How often triangles that are in a solid after these go back on their way, at most: the first half of the rounds to
/// where they were outside, then to where they began. Where two solids leave no room, all are taken in every sweep.
pub(crate) const MAX_BACK: u32 = 16;

/// Tetrahedra with points of a skin that stay together when a skin is cut into tiles. Order, and so every result of
/// bodies with a skin, changes with it.
pub(crate) const TETS_A_PART: usize = 4;

/// Tiles of a skin that a worker takes at a time: some microseconds where they touch nothing.
pub(crate) const TILES_A_BLOCK: usize = 8;

/// Largest share of a corner in a point of a skin: so many heights of its tetrahedron a point may lie outside. One that
/// lies farther out is a lever that turns its tetrahedron rather than moves it, and meets no collider. A filled surface
/// has shares up to 2.
pub(crate) const MAX_SHARE: f32 = 8.0;

/// Parts into which an edge of a skin is cut, at most, where it is longer than the tetrahedra's.
pub(crate) const MAX_SAMPLES_AN_EDGE: usize = 64;

/// Mean edges of tetrahedra. Rounds of a skin's contacts end with one that moves no point further. What a round leaves
/// of a slip, a body on a slope creeps in every substep: with 1e-5 a box of 30 cm crept by 0.07 mm in a second.
pub(crate) const SKIN_ROUNDING: f64 = 1e-7;

/// Mean edges of tetrahedra. Points of a skin that are farther than this from all colliders are not looked at again in
/// a sweep, as long as contacts have pushed no particle so far. Ordinary pushes are a tenth of it; a larger one, and
/// more points are looked at one by one.
pub(crate) const SKIN_SLACK: f64 = 0.05;

/// Part of the mean edge of a body's tetrahedra: by so much more at most do their features keep away from other bodies
/// where a skin sticks out of them. A filled surface sticks out by half a cell at most, a third of that edge; one that
/// is farther out is a hair or a fin, and others stay away from all that is near its root.
pub(crate) const SKIN_OUT: f64 = 0.5;

/// Times the longest edge at rest. A body's box is grown for points of its skin outside of their tetrahedra as if no
/// edge were longer. Larger, and a falling body is looked at earlier.
pub(crate) const SKIN_STRETCH: f32 = 4.0;

/// Rounds of a skin's contacts in a sweep, at most: docs/decisions/skins-at-colliders.md has the figures.
pub(crate) const SKIN_ROUNDS: u32 = 3;

/// Contacts that may be remembered from iteration to iteration: (particles + triangles) x colliders, 16 bytes each (1
/// GiB). Only scenes of more than one iteration remember them. The same on every machine, and less than 32 bits can
/// address.
pub(crate) const MAX_HELD_CONTACTS: u64 = 1 << 26;

/// Colliders times substeps: a step writes down where each collider is in each substep (some 100 bytes each).
pub(crate) const MAX_COLLIDER_SUBSTEPS: usize = 1 << 20;

/// Pairs of triangles whose boxes overlap, when intersections are counted: 1.3 GiB. A cloth of a million particles has
/// some 20 million; a heap of 12,000 triangles in one place reaches it. Changing it changes which states are refused.
pub(crate) const MAX_BOX_PAIRS: usize = 1 << 26;

/// Nodes of a signed distance field, 8 bytes each (256 MiB). Beyond, a cell is nearly always in another unit than the
/// mesh.
pub const MAX_SDF_NODES: u64 = 1 << 25;

/// Cells of a signed distance field on each side beyond its mesh. Thicker bodies rest outside of the grid, where
/// distances are rougher.
pub(crate) const SDF_MARGIN: u32 = 3;

/// Nodes of a height field, 8 bytes each.
pub(crate) const MAX_HEIGHTS: usize = 1 << 24;

/// Points of a convex hull: each is held against all faces so far.
pub const MAX_HULL_POINTS: usize = 8192;

/// Faces of a convex hull: its kernel goes through all of them at each step along a path, some 10 instructions each.
pub const MAX_HULL_FACES: usize = 64;

/// Part of a hull's size by which corners may lie off a face that is counted once: an f32's roundings.
pub(crate) const SAME_FACE: f64 = 1e-6;

/// Batches of triangles that a worker finds the air's forces on at a time: 512 triangles, some microseconds.
pub(crate) const AERO_A_BLOCK: usize = 32;

/// Of the volume at rest. A larger multiple is a wrong unit.
pub(crate) const MAX_PRESSURE: f64 = 1e6;

/// Volume over area^1.5 (a ball: 0.094). A closed mesh below it is flat, to the rounding of f32, and has no volume to
/// hold.
pub(crate) const MIN_ROUNDNESS: f64 = 1e-6;

/// kg. As `MAX_INV_MASS`, of a weight in a shape.
pub(crate) const MIN_FIELD_MASS: f64 = 1e-12;

/// Share of a corner from which on the nearest place of a triangle is the corner itself: a seam of two grids whose
/// vertices lie on each other is one of pairs.
pub(crate) const AT_CORNER: f64 = 1e-4;

/// Registers of sixteen particles of a field that a worker takes at a time. The blocks of ordered sums are these, so
/// results of volumes and of shapes that are larger than `ALONE` change with it.
pub(crate) const REGISTERS_A_BLOCK: usize = 16;

/// Registers of a shape that one worker solves from first to last. Larger ones are cut into blocks. Results of those
/// between change with it.
pub(crate) const ALONE: usize = 64;

/// Radii. Each vertex is within so many of a cluster's middle: smaller, and clusters overlap more and cost more; from 1
/// on some hang
/// together by nothing. Which clusters there are, and so every result of theirs, changes with it.
pub(crate) const CLUSTER_COVER: f64 = 0.6;

/// Vertices of a cluster of a soft shape, at least, where its body has so many: a tetrahedron's.
pub(crate) const MIN_CLUSTER: usize = 4;

/// Vertices in all clusters of a body, each counted in all that it is in.
pub(crate) const MAX_CLUSTER_PARTICLES: usize = 1 << 24;

/// Clusters of a body times its vertices: a distance each is looked at twice, some 30 s in all.
pub(crate) const MAX_CLUSTER_DISTANCES: u64 = 1 << 33;

/// Tetrahedra of a bar or tube: 16 bytes each, and 80 more while their faces are sorted (1.5 GiB).
pub(crate) const MAX_LATTICE_TETS: u64 = 1 << 24;

/// Nodes of the grid about balls whose surface is a mesh, 36 bytes each (576 MiB).
pub const MAX_BALL_NODES: u64 = 1 << 24;

/// The same times balls: an exponential each, some minutes in all.
pub(crate) const MAX_BALL_DISTANCES: u64 = 1 << 32;

/// Corners of cells in the box around a surface that is filled: 8 bytes each for a while.
pub(crate) const MAX_FILL_NODES: u64 = 1 << 24;

/// Rounds in which a filled lattice's outer vertices are drawn in to its surface: those after the first move vertices
/// whose neighbours
/// stood in the way. Changes filled solids, and so every result of theirs.
pub(crate) const FILL_PASSES: usize = 3;

/// Volume that a tetrahedron of a filled lattice keeps when its corners are drawn in, of what it had. Less, and the
/// lattice is nearer to its
/// surface, but its tetrahedra are as flat as that.
pub(crate) const MIN_FILL_SHARE: f64 = 0.2;

/// Bytes of a name: names stand in reports, tables and files, once for each array that is made of them.
pub const MAX_NAME: usize = 1000;

/// A fixed particle that more rows of a kind have than this is no conflict between them: they are solved at once. Such
/// a particle stays fixed. Below, rows wait for each other, and an input may let it go: pinned vertices of a mesh have
/// some twenty rows.
pub(crate) const HUB_ROWS: usize = 64;

/// Colors of a kind from which on [`crate::Plan::warnings`] names the particle that makes them.
pub(crate) const MANY_COLORS: usize = 128;

/// Distance at rest / sum of the radii: two spheres of a body that are nearer than this at rest do not meet. Neighbours
/// along edges do not, those across a cell of a lattice (1.41) do.
pub(crate) const SPHERES_AT_REST: f32 = 1.25;

/// Ways / the largest radius: how far a cluster of spheres may leave the place where neighbours were searched, at least
/// and at most, unless it is faster.
pub(crate) const SPHERES_LEAST_GROWTH: f32 = 0.2;
/// The most.
pub(crate) const SPHERES_MOST_GROWTH: f32 = 1.0;

/// Bodies that push each other, at most, for which one number says how much of their kept impulses they need.
pub(crate) const GROUP_BODIES: u32 = 32;

/// Bodies that may touch in a step, at most, among which such groups are looked for.
pub(crate) const NEAR_BODIES: u32 = 256;

/// m/s. A group is looked at where kept impulses give one of its bodies more than this, and more than twice what
/// gravity and forces give it in a substep.
pub(crate) const GUESS_SPEED: f64 = 0.1;

/// No unit. Groups that need more than this of their kept impulses get all of them.
pub(crate) const GUESS_SHARE: f64 = 0.9;

/// Sweeps without bias after each substep of rigid bodies; with anchored friction two stand better than one
/// (docs/decisions/rigid-contacts.md).
pub(crate) const RELAXING_SWEEPS: u32 = 2;

/// Metres, seconds. A rigid body none of whose points has gone farther in this time is at rest, and an island of such
/// sleeps. It is the way that counts, not the speed: boxes in a pyramid of 40 rows tremble at 6 cm/s and go nowhere;
/// the top box of one of 20 rows walks by 1.3 cm. Box2D has 5 cm/s for half a second (2.5 cm), Jolt 1.5 cm. Longer or
/// shorter, and what creeps is stopped, or tall stacks stay awake.
pub(crate) const SLEEP_WAY: f64 = 0.02;
/// See [`SLEEP_WAY`].
pub(crate) const SLEEP_TIME: f32 = 0.5;

/// m/s. With a point that is faster no rigid body is at rest, wherever it is: what turns on the spot, what swings to
/// and fro.
pub(crate) const SLEEP_SPEED: f64 = 0.2;

/// Events of rigid bodies in a step's report at most (2.6 MB); more are counted (`Report::rigid_events_dropped`).
pub(crate) const MAX_RIGID_EVENTS: usize = 65_536;

/// A rigid body that may go this many radii of the ball inside it in a step is held back by that ball, too.
pub(crate) const FAST: f64 = 0.5;

/// Patches of a surface at most whose contacts are found anew within a step: what three or four normals hold is wedged, and
/// other four that are as good (a ball in the hole of a ring has any four) would shake it out.
pub(crate) const MOST_PATCHES: u8 = 2;

/// Metres. A plane that turns is searched for what lies up to so far from its position.
pub(crate) const HALF_SPACE_ARM: f64 = 100.0;

/// Metres. A rigid body farther out is lost, as particles are.
pub(crate) const MAX_BODY_POSITION: f64 = 1e9;

/// Pairs of rigid shapes that a step looks at, for each shape; with more of them none is looked at, but for those with
/// planes (`Report::rigid_overflowed`).
pub(crate) const PAIRS_A_SHAPE: usize = 1_000;

/// Share of the least side of two rigid shapes. What begins deeper in each other is told.
pub(crate) const BEGINS_OVERLAPPING: f64 = 1e-2;

/// Share of a joint's limit, or of where it starts. What starts farther outside of its limits is told; roundings and
/// lengths of three digits are not.
pub(crate) const BEGINS_OUTSIDE: f64 = 1e-2;

/// Depth / distance to the origin. Roundings of places that are given in f32 may put shapes that touch this deep in each
/// other.
pub(crate) const OVERLAP_ROUNDING: f64 = 1e-6;

/// Pairs of rigid shapes whose boxes meet that a scene's warnings look at: so many, or so many a shape. Two cylinders in
/// one place take 45 microseconds.
pub(crate) const MOST_OVERLAPS: usize = 100_000;
/// See [`MOST_OVERLAPS`].
pub(crate) const OVERLAPS_A_SHAPE: usize = 8;

/// Metres. A rigid body's sizes are no smaller: squares and fifth powers of them stay normal numbers of an f32, with
/// their inverses.
pub(crate) const MIN_RIGID_SIZE: f32 = 1.0e-6;

/// kg. Limits of a rigid body's mass: with sizes from 1e-6 to 1e6 m its moments of inertia and their inverses are
/// normal numbers of an f32.
pub(crate) const RIGID_MASS: [f64; 2] = [1.0e-18, 1.0e24];

/// Least moment of inertia of a rigid body as a share of its largest. Below it the least is no more than some roundings
/// of an f64 of the largest where a body's axes are turned.
pub(crate) const MIN_INERTIA_SHARE: f64 = 1.0e-12;

/// Ways / the spacing of particles, or a quarter of a shape's longest side: how far a cluster or shape may leave the
/// place where rigid bodies and particles were looked for, at least and at most, unless it is faster.
pub(crate) const COUPLED_LEAST_GROWTH: f32 = 0.25;
/// The most.
pub(crate) const COUPLED_MOST_GROWTH: f32 = 2.0;

/// Metres. Distances of a fluid's particles: mass and volume stay normal numbers of an f32.
pub(crate) const FLUID_SPACING: [f32; 2] = [1e-4, 100.0];

/// Spacings. Below it a particle has six neighbours at rest, above it more than a hundred.
pub(crate) const FLUID_SUPPORT: [f32; 2] = [1.5, 3.0];

/// kg/m^3: from a thin gas to five times the heaviest metal.
pub(crate) const FLUID_DENSITY: [f32; 2] = [1e-3, 1e5];

/// No unit: the share of a density's correction that a sweep makes. The sweep is a Jacobi iteration whose largest
/// eigenvalue is 2.8 times this at a support of two spacings and 4.2 times at 2.5; beyond 4/3 in all it grows with one
/// sweep a substep.
pub(crate) const FLUID_RELAXATION: f64 = 0.4;

/// No unit: a support of two spacings is what `FLUID_RELAXATION` is for; the eigenvalue grows about as the number of
/// neighbours.
pub(crate) const FLUID_RELAXATION_SUPPORT: f64 = 2.0;

/// XSPH with the coefficient c has the kinematic viscosity 0.028 c s^2 / h: s is the support, h the substep.
pub(crate) const XSPH_VISCOSITY: f64 = 0.028;

/// No unit: XSPH's coefficient, at most. With 1 a particle takes the mean velocity of its neighbours; beyond, it would
/// overshoot.
pub(crate) const FLUID_VISCOSITY_SHARE: f64 = 0.7;

/// Supports: by how much lists of a fluid's neighbours reach farther, so that they are good for more than a substep.
pub(crate) const FLUID_LIST_MARGIN: f32 = 0.1;

/// Supports: the same where a flow is so violent that lists last for one substep whatever they reach.
pub(crate) const FLUID_THIN_LIST_MARGIN: f32 = 0.005;

/// Neighbours of a particle of a fluid, on the average, beyond which its lists are not made: so many lie in one place
/// only where something has crushed the fluid, and all lists together must have an end.
pub(crate) const FLUID_NEIGHBOURS: usize = 512;

/// No unit: the share a of a fluid's last multipliers that a substep takes up again before its first sweep. A resting
/// column is (1 - a) times as dense at its bottom as without. A long wave of compression, of which a sweep corrects the
/// share g, goes as z^3 = (1 - g) ((2 + a) z^2 - (1 + 2 a) z + a): to first order in g its square falls by (2 - 1 /
/// (1 - a)) g / (1 - a) a substep. At one half it does not fall at all, and beyond it grows.
pub(crate) const FLUID_WARM: f32 = 0.45;

/// No unit: over-density of a resting column at its bottom is this times g h^2 H / (omega spacing^2), without a warm
/// start.
pub(crate) const FLUID_BOTTOM: f64 = 0.316;

/// No unit: XSPH's coefficient of fluids whose viscosity does not act in every substep, but in one of several for all
/// of them.
pub(crate) const FLUID_THIN: f32 = 0.05;

/// 1/s: XSPH's coefficient over the substep of fluids of less viscosity. What falls ends as a trembling of single
/// particles: of what moves in a tank one second after, three quarters. Nothing else damps it: 1,500 particles of 2 cm
/// tremble at 1 cm/s after ten seconds without, and at 1 mm/s with 4.5 per second.
pub(crate) const FLUID_CALM: f64 = 3.0;

/// No unit: by how much a fluid may be denser than at rest at its bottom, where substeps are chosen.
pub(crate) const FLUID_COLUMN: f64 = 0.0125;

/// N/m: from none to a thousand times the heaviest metals'.
pub(crate) const FLUID_TENSION: [f32; 2] = [0.0, 1e3];

/// Spacings: how far forces of surface tension reach. Lists reach as far as the support, which is this or more.
pub(crate) const FLUID_TENSION_RANGE: f32 = 2.0;

/// No unit: surface tension is this times the largest cohesion of two particles over the spacing. Measured by the time
/// in which drops swing, of 4 to 10 spacings in radius (`omega^2 = 8 sigma / (rho R^3)`;
/// core/tests/oracles_fluid_surface.rs): 3.6 to 4.
pub(crate) const FLUID_COHESION: f64 = 3.7;

/// Spacings: kappa of `seidel_kernels::fluid::Tension`. A layer of particles at a wall is drawn to it by half of what a
/// layer of fluid would draw it with: by Young and Dupre the fluid then meets the wall at a right angle. (Cohesion of a
/// layer, 2 pi 16 / 35 times the largest of a pair, over the gradient of F half a spacing from a wall, 0.379.)
pub(crate) const FLUID_WETTING: f64 = 3.79;

/// No unit: the most surface tension, over density spacing^3 / h^2. Cohesion presses the fluid to 0.06 denser than at
/// rest then.
pub(crate) const FLUID_TENSION_SHARE: f64 = 0.1;

/// No unit: the same where substeps are chosen: 0.012 denser.
pub(crate) const FLUID_TENSION_CHOSEN: f64 = 0.02;

/// Spacings: the distance that a fluid's particles keep from triangles at least. At half a spacing their density alone
/// holds them; nearer, what presses hard would go through.
pub(crate) const FLUID_SKIN_RADIUS: f32 = 0.25;

/// Spacings. What is nearer than this to a place where a particle is to be born is at it.
pub(crate) const FLUID_TAKEN: f64 = 0.85;

/// By how much denser than at rest a fluid is before an opening that cannot be given way to, no unit. Where jets meet
/// or fall back they are some 0.1 denser.
pub(crate) const FLUID_BLOCKED: f64 = 0.15;

/// Spacings: particles of a fluid nearer than this to a collider or rigid body at the start, or inside, are left out. A
/// lattice that ends at a wall is half a spacing away.
pub(crate) const FLUID_CARVED: f64 = 0.4;

/// Spacings: particles of a fluid nearer than this to a sheet at the start are left out. A sheet's vertices have the
/// volume of a layer of particles, a wall has none: with 0.4 a sheet in water presses it apart.
pub(crate) const FLUID_CARVED_AT_SHEETS: f64 = 0.7;

/// No unit: density over that at rest beyond which a start is warned about. It springs apart at some metres a second.
pub(crate) const FLUID_DENSE: f32 = 1.1;

/// Spacings: the longest edge of a mesh beside a fluid that is not warned about. Vertices are the fluid's neighbours:
/// farther apart, particles find a way between them.
pub(crate) const FLUID_COARSE: f32 = 1.5;

/// Substeps, at least, where they are chosen and a fluid lies on cloths, ropes or solids: with 40 a sheet of 0.2 kg/m^2
/// throws 5 cm of water off, with 100 it holds it.
pub(crate) const FLUID_LOADED: f64 = 100.0;

/// No unit: how much denser a fluid may be than another of the scene before a warning says so. Where the denser one
/// lies on the lighter, that is denser than at rest by a column's law for all of the weight: a hundred times want ten
/// times the substeps.
pub(crate) const FLUID_RATIO: f32 = 100.0;

/// Metres. Radii of grains: mass stays a normal number of an f32.
pub(crate) const GRAIN_RADIUS: [f32; 2] = [5e-5, 50.0];

/// No unit: the share of the distance at which two grains touch that they may be nearer at the start. Heaps that were
/// taken from another run are pressed into each other by some percents.
pub(crate) const GRAINS_APART: f64 = 0.9;

/// Radii: the distance of the places in an opening from which grains come. They fill a quarter of the space before it:
/// at random there is room for them.
pub(crate) const GRAIN_OPENING: f64 = 2.5;

/// No unit: the share of the distance at which two grains touch that they are apart when one comes: all of it, but for
/// roundings.
pub(crate) const GRAIN_ROOM: f32 = 0.999;

/// Places about its own that are tried for a grain that comes.
pub(crate) const GRAIN_TRIES: u32 = 16;

/// No unit: how much larger grains may be than others of a scene: all are searched as far as the largest reach, and of
/// smaller ones there are too many.
pub(crate) const GRAIN_RATIO: f32 = 2.5;

/// No unit: how deep grains at the bottom of what is there may be pressed into each other, a share of their size, where
/// substeps are chosen.
pub(crate) const GRAINS_PRESSED: f64 = 0.1;

/// No unit: by how much farther than they touch grains are looked for, a share of that distance, so that lists are good
/// for more than a substep.
pub(crate) const GRAIN_LIST_MARGIN: f32 = 0.1;

/// The same for the rest of a step in which lists were not good for two sweeps. `hourglass`, in which nearly each
/// substep wanted lists of its own: 1.7 times as fast as with 0.1 throughout (0.3: 1.5 times, 0.8: 1.5 times).
pub(crate) const GRAIN_WIDE_LIST_MARGIN: f32 = 0.5;

/// No unit: how far apart cohesion still draws, a share of the distance at which grains touch.
pub(crate) const GRAIN_COHESION_RANGE: f32 = 0.05;

/// Neighbours of a grain, on the average, beyond which contacts are not looked for. Twelve touch it at most where none
/// is in another.
pub(crate) const GRAIN_NEIGHBOURS: usize = 256;

/// Batches whose rest shapes a worker lets flow at a time: few enough to share, and enough to be worth a claim (a
/// thousand springs take some 10 us).
pub(crate) const FLOW_BATCHES: usize = 32;

/// No unit: how far a vertex and its copies are moved apart when they are split in a body that collides with itself, a
/// share of the way from each to the mean of its neighbours. Enough for a side to be told, too little to be seen.
pub(crate) const LIPS: f64 = 1e-3;

/// No unit: the same as a share of the largest coordinate, where that is more: some sixteen roundings, as contacts
/// count them.
pub(crate) const LIPS_ROUNDING: f64 = 16e-6;

/// No unit: the most of [`LIPS`], far from the origin.
pub(crate) const MOST_LIPS: f64 = 0.1;

/// Rounds: how often the way of a solid's vertex into its own cells is mended.
pub(crate) const LIPS_TRIES: usize = 256;

/// No unit: in this part of a step a motor has to be able to reach the velocity of a controller's next target, which it
/// then goes to evenly, if no target came a step before. A single one is overshot by half of that part of its
/// displacement; taken at once, by 7 %.
pub(crate) const AIM_SHARE: f32 = 0.1;
