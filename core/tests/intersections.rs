//! Intersecting triangles of a state: known numbers of pairs, what counts and what does not, and in which order.

use crate::runs::{FRAME, Random};
use glam::Vec3;
use seidel::{
    BodyId, Cloth, Crossings, Error, Input, Intersections, Mesh, NonFinite, Obstacle, Plan, Pose, Rope, Scene,
    SoftBody, Solver, State,
};

fn plan(cloths: &[&Mesh]) -> (Plan, Vec<BodyId>) {
    let mut scene = Scene::new();
    let ids = cloths.iter().map(|mesh| scene.add(Cloth::new(*mesh))).collect();
    (Plan::new(&scene).expect("a sound scene"), ids)
}

/// A count of one sort alone.
fn only(set: impl Fn(&mut Crossings)) -> Crossings {
    let mut found = Crossings::default();
    set(&mut found);
    found
}

fn count(plan: &Plan, state: &State) -> Crossings {
    Intersections::new().count(plan, state).expect("few triangles")
}

/// A sheet of n x n cells in the unit square of two axes, moved.
fn sheet(n: u32, axes: [usize; 2], by: [f32; 3]) -> Mesh {
    let mut mesh = Cloth::grid([n + 1, n + 1], [1.0, 1.0]).mesh().clone();
    for p in &mut mesh.positions {
        let mut at = by;
        at[axes[0]] += p[0];
        at[axes[1]] += p[2];
        *p = at;
    }
    mesh
}

/// Two vertices of a triangle that are held in one place: what is flat goes through nothing.
#[test]
fn vertices_held_in_one_place_are_each_other_s_no_more_than_by_number() {
    let mut scene = Scene::new();
    let cloth = scene.add(Cloth::grid([3, 3], [1.0, 1.0]));
    let rope = scene.add(Rope::new([-0.5, 0.0, -0.5], [-0.5, 1.0, -0.5], 2));
    scene.join(seidel::Joint::points(cloth, rope, &[[0, 0], [1, 0]]));
    let plan = Plan::new(&scene).expect("a sound scene");
    assert_eq!(count(&plan, &State::new(&plan)).triangles, 0);
}

/// Two sheets cross on a line that each divides into 2 n parts, of different ends: one part more than there are ends
/// within.
#[test]
fn crossing_sheets_have_a_known_number_of_pairs() {
    for n in [1, 2, 10, 37] {
        let cell = 1.0 / n as f32;
        // From corners at the origin and 0.13, -0.7 and 0.4 of a cell beside it.
        let level = sheet(n, [0, 2], [0.5, 0.0, 0.5]);
        let upright = sheet(n, [0, 1], [0.5 + 0.13 * cell, 0.5 - 0.7 * cell, 0.4 * cell]);
        let (plan, ids) = plan(&[&level, &upright]);
        let mut found = Intersections::new();
        let crossings = found.count(&plan, &State::new(&plan)).expect("few triangles");
        let want = 1 + 2 * (2 * n as usize - 1);
        assert_eq!(crossings, only(|found| found.triangles = want), "{n} cells");
        assert!(!crossings.is_clean());
        let pairs: Vec<_> = found.pairs().collect();
        assert!(pairs.is_sorted() && pairs.iter().all(|[(a, _), (b, _)]| [*a, *b] == ids[..]));
    }
}

#[test]
fn sheets_beside_each_other_have_none() {
    let level = sheet(10, [0, 2], [0.0; 3]);
    let (plan, _) = plan(&[&level, &sheet(10, [0, 2], [0.0, f32::MIN_POSITIVE, 0.0])]);
    assert!(count(&plan, &State::new(&plan)).is_clean());
    let mut far = Scene::new();
    far.add(
        Cloth::grid([12, 12], [1.0, 1.0])
            .placed(Pose::at([9.0e5; 3]).turned([1.0, 2.0, 3.0], seidel::degrees(40.0)), 1e4),
    );
    let far = Plan::new(&far).expect("a sound scene");
    assert!(count(&far, &State::new(&far)).is_clean());
}

/// Two triangles on one edge: flat, folded onto each other, and opened by the least that f32 can hold.
#[test]
fn a_fold_is_one_pair_only_where_it_is_closed() {
    let hinge = |x: f32, y: f32| {
        let positions = vec![[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.5], [-1.0, 0.0, 0.5]];
        let (plan, ids) = plan(&[&Mesh { positions, triangles: vec![[0, 1, 2], [1, 0, 3]] }]);
        let mut state = State::new(&plan);
        let places = [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.5], [x, y, 0.5]].map(Vec3::from_array);
        state.write_positions(&plan, ids[0], &places).expect("within the world");
        count(&plan, &state).triangles
    };
    assert_eq!(hinge(-1.0, 0.0), 0);
    assert_eq!(hinge(1.0, 0.0), 1);
    assert_eq!(hinge(0.25, 0.0), 1);
    assert_eq!(hinge(0.25, f32::from_bits(1)), 0);
    assert_eq!(hinge(0.0, 0.0), 0, "fallen onto the edge");
}

/// A sheet that is folded along a row: open, shut, and through itself.
#[test]
fn a_folded_sheet() {
    let n = 8;
    let mesh = sheet(n, [0, 2], [0.0; 3]);
    let (plan, ids) = plan(&[&mesh]);
    let folded = |slope: f32, through: f32| {
        let mut state = State::new(&plan);
        let places: Vec<Vec3> = mesh
            .positions
            .iter()
            .map(|&[x, _, z]| if z > 0.0 { Vec3::new(x, slope * z - through, -z) } else { Vec3::new(x, 0.0, z) })
            .collect();
        state.write_positions(&plan, ids[0], &places).expect("within the world");
        count(&plan, &state).triangles
    };
    assert_eq!(folded(1e-3, 0.0), 0);
    assert_eq!(folded(-1e-3, 0.0), 0);
    // All the cells over each other, and their neighbours, which touch.
    assert!(folded(0.0, 0.0) > 2 * (n * n) as usize / 2);
    // Down through the lower half and up again, half a cell behind the crease: the row of triangles around it has on
    // either side no vertex of the other.
    assert!(folded(1.0, 0.25) > 0);
}

/// The same triangles in another order, with other corners first, of vertices that are numbered otherwise.
#[test]
fn numbers_do_not_matter() {
    let (a, b) = (sheet(6, [0, 2], [0.0; 3]), sheet(5, [0, 1], [0.03, 0.02, 0.01]));
    let behind = a.positions.len() as u32;
    let positions: Vec<_> = [a.positions, b.positions].concat();
    let triangles: Vec<_> =
        a.triangles.into_iter().chain(b.triangles.into_iter().map(|t| t.map(|v| v + behind))).collect();
    let mut random = Random(5);
    let mut shuffled = |n: usize| {
        let mut order: Vec<(f64, usize)> = (0..n).map(|i| (random.unit(), i)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        order.into_iter().map(|(_, i)| i).collect::<Vec<_>>()
    };
    let (of_vertex, of_triangle) = (shuffled(positions.len()), shuffled(triangles.len()));
    let new = |v: u32| of_vertex.iter().position(|&old| old == v as usize).expect("a permutation") as u32;
    let other = Mesh {
        positions: of_vertex.iter().map(|&old| positions[old]).collect(),
        triangles: of_triangle
            .iter()
            .enumerate()
            .map(|(i, &old)| {
                let [a, b, c] = triangles[old].map(new);
                [[a, b, c], [b, c, a], [c, a, b]][i % 3]
            })
            .collect(),
    };
    let pairs = |mesh: &Mesh| {
        let (plan, _) = plan(&[mesh]);
        let mut found = Intersections::new();
        found.count(&plan, &State::new(&plan)).expect("few triangles");
        found.pairs().map(|pair| pair.map(|(_, triangle)| triangle)).collect::<Vec<_>>()
    };
    let first = pairs(&Mesh { positions, triangles });
    let mut second: Vec<_> = pairs(&other)
        .into_iter()
        .map(|pair| {
            let [a, b] = pair.map(|triangle| of_triangle[triangle]);
            [a.min(b), a.max(b)]
        })
        .collect();
    second.sort_unstable();
    assert!(first.len() > 10);
    assert_eq!(first, second);
}

#[test]
fn threads_change_nothing() {
    let (plan, _) = plan(&[&sheet(60, [0, 2], [0.0; 3]), &sheet(50, [0, 1], [0.0; 3])]);
    let state = State::new(&plan);
    let found = || {
        let mut found = Intersections::new();
        found.count(&plan, &state).expect("few triangles");
        found.pairs().collect::<Vec<_>>()
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("three threads");
    let alone = found();
    assert!(alone.len() > 100);
    assert_eq!(pool.install(found), alone);
}

/// A rope's links count where they meet a triangle: through it, with an end on it, in its plane. Two ropes never do.
#[test]
fn ropes_go_through_cloths() {
    let mut scene = Scene::new();
    let mut rope = |from: [f32; 3], to: [f32; 3]| scene.add(Rope::new(from, to, 3));
    let through = rope([0.1, 1.5, 0.2], [0.1, -1.5, 0.2]);
    rope([-1.0, 1.0, 0.2], [1.0, 1.0, 0.2]);
    rope([0.1, 1.2, -1.0], [0.1, 1.2, 1.0]);
    let touching = rope([0.1, 3.0, 0.3], [0.1, 0.0, 0.3]);
    let cloth = scene.add(Cloth::grid([2, 2], [1.0, 1.0]));
    let plan = Plan::new(&scene).expect("a sound scene");
    let mut found = Intersections::new();
    let crossings = found.count(&plan, &State::new(&plan)).expect("few triangles");
    assert_eq!(crossings, only(|found| found.edges = 2));
    let edges: Vec<_> = found.edges().collect();
    assert_eq!(edges, [((through, [1, 2]), (cloth, 1)), ((touching, [2, 3]), (cloth, 1))]);
}

#[test]
fn what_is_not_finite_is_left_out() {
    let mut scene = Scene::new();
    scene.settings.non_finite = NonFinite::Ignore;
    scene.settings.gravity = [0.0; 3].into();
    let cloth = scene.add(Cloth::grid([4, 4], [1.0, 1.0]));
    let mut solver = Solver::new(&scene).expect("a sound scene");
    let mut forces = vec![Vec3::ZERO; 16];
    forces[5].x = f32::NAN;
    solver.step(&Input::frame(FRAME).forces(cloth, &forces));
    // An inner vertex of this grid has six triangles.
    assert_eq!(count(solver.plan(), solver.state()), only(|found| found.skipped = 6));
}

#[test]
fn a_state_of_another_plan_is_refused_and_a_plan_can_change() {
    let (crossed, _) = plan(&[&sheet(2, [0, 2], [0.0; 3]), &sheet(2, [0, 1], [0.1; 3])]);
    let (alone, _) = plan(&[&sheet(2, [0, 2], [0.0; 3])]);
    let mut found = Intersections::new();
    assert!(found.count(&crossed, &State::new(&crossed)).expect("few triangles").triangles > 0);
    let refused = found.count(&crossed, &State::new(&alone));
    assert_eq!(refused, Err(Error::OtherPlan { what: "state" }));
    assert_eq!(found.pairs().len(), 0);
    assert!(found.count(&alone, &State::new(&alone)).expect("few triangles").is_clean());
    assert!(found.count(&crossed, &State::new(&crossed)).expect("few triangles").triangles > 0);
}

/// An obstacle that goes through itself is where it was put: counted apart, and clean.
#[test]
fn crossings_of_obstacles_are_counted_apart() {
    let mut scene = Scene::new();
    let upright = Pose::at([0.0; 3]).turned([1.0, 0.0, 0.0], seidel::degrees(90.0));
    let sheet = |pose| Cloth::grid([2, 2], [1.0, 1.0]).placed(pose, 1.0).mesh().clone();
    let (a, b) = (sheet(Pose::default()), sheet(upright));
    let triangles = a.triangles.iter().copied().chain(b.triangles.iter().map(|t| t.map(|v| v + 4))).collect();
    let crossed = Mesh { positions: [a.positions, b.positions].concat(), triangles };
    scene.add(Obstacle::new(crossed));
    let plan = Plan::new(&scene).unwrap();
    let found = count(&plan, &State::new(&plan));
    assert_eq!(found, only(|found| found.of_obstacles = 4));
    assert!(found.is_clean());
    // With a sheet through it, those with the sheet count.
    scene.add(Cloth::grid([2, 2], [1.0, 1.0]).placed(Pose::at([0.0, 0.1, 0.0]), 1.0));
    let plan = Plan::new(&scene).unwrap();
    let found = count(&plan, &State::new(&plan));
    assert!(found.of_obstacles == 4 && found.triangles > 0, "{found:?}");
}

/// Tetrahedra that fill a surface may touch themselves where the surface does not: what is shown counts.
#[test]
fn of_a_filled_solid_the_skin_counts() {
    let pear = Mesh::of_balls(&[[0.0, 0.0, 0.0, 0.22], [0.2, 0.17, 0.0, 0.13], [0.2, 0.34, 0.06, 0.06]], 0.065 * 0.35)
        .unwrap();
    let solid = SoftBody::filled(pear, 0.065);
    let mut scene = Scene::new();
    scene.add(SoftBody::new(solid.mesh().unwrap()));
    let plan = Plan::new(&scene).unwrap();
    assert!(count(&plan, &State::new(&plan)).triangles > 0, "its tetrahedra's surface touches itself");
    let mut scene = Scene::new();
    let first = scene.add(solid.clone());
    let plan = Plan::new(&scene).unwrap();
    assert_eq!(count(&plan, &State::new(&plan)), Crossings::default());
    // Two whose skins cross do so, and those beside each other do not.
    let second = scene.add(solid.clone().placed(Pose::at([0.3, 0.0, 0.0]), 1.0));
    scene.add(solid.placed(Pose::at([0.0, 0.0, 1.0]), 1.0));
    let plan = Plan::new(&scene).unwrap();
    let mut found = Intersections::new();
    let crossings = found.count(&plan, &State::new(&plan)).unwrap();
    assert_eq!((crossings.of_skins, crossings.skipped), (0, 0));
    assert!(crossings.triangles > 10);
    let triangles = plan.skin(first).unwrap().mesh().triangles.len();
    assert!(found.pairs().all(|[(a, i), (b, j)]| (a, b) == (first, second) && i.max(j) < triangles));
}

/// A skin that goes through itself in its file is not a fault of a frame; its seams are none at all.
#[test]
fn crossings_of_skins_at_rest_are_counted_apart() {
    let cube = Mesh::cuboid([0.1; 3], [2; 3]);
    let (mut two, mut split) = (cube.clone(), Mesh::default());
    for t in &cube.triangles {
        let corner = |k: usize| cube.positions[t[k] as usize];
        split.triangles.push([0, 1, 2].map(|k| (split.positions.len() + k) as u32));
        split.positions.extend([0, 1, 2].map(corner));
    }
    let first = two.positions.len() as u32;
    two.positions.extend(cube.positions.iter().map(|[x, y, z]| [x + 0.07, y + 0.05, z + 0.03]));
    two.triangles.extend(cube.triangles.iter().map(|t| t.map(|v| v + first)));
    let bar = |skin: &Mesh| SoftBody::bar([0.4; 3], [4; 3]).skin(skin);
    let plan = |solids: &[SoftBody]| {
        let mut scene = Scene::new();
        for solid in solids {
            scene.add(solid.clone());
        }
        Plan::new(&scene).unwrap()
    };
    let clean = plan(&[bar(&split)]);
    assert_eq!(count(&clean, &State::new(&clean)), Crossings::default());
    let own = plan(&[bar(&two)]);
    let found = count(&own, &State::new(&own));
    assert!(found.of_skins > 10 && found == only(|crossings| crossings.of_skins = found.of_skins), "{found:?}");
    assert!(found.is_clean());
    let both = plan(&[bar(&two), bar(&split).placed(Pose::at([-0.11, 0.0, 0.0]), 1.0)]);
    let mixed = count(&both, &State::new(&both));
    assert!(mixed.of_skins == found.of_skins && mixed.triangles > 10 && !mixed.is_clean(), "{mixed:?}");
}

/// A rope that hangs by a vertex under a skin goes through the skin there, and one beside it that nothing holds, too:
/// that one is a fault.
#[test]
fn a_rope_held_under_a_skin_may_go_through_it() {
    let mut scene = Scene::new();
    let solid = scene.add(SoftBody::bar([0.4; 3], [4; 3]).skin(Mesh::ball(0.15, 3)));
    let at = positions_of(&scene, solid);
    let inside = at.iter().position(|x| (*x - Vec3::new(0.1, 0.0, 0.0)).length() < 1e-4).expect("a vertex");
    let rope = scene.add(Rope::new([0.1, 0.0, 0.0], [0.5, 0.0, 0.0], 1));
    let free = scene.clone();
    scene.join(seidel::Joint::points(solid, rope, &[[inside as u32, 0]]));
    let edges = |scene: &Scene| {
        let plan = Plan::new(scene).expect("a sound scene");
        count(&plan, &State::new(&plan)).edges
    };
    assert!(edges(&free) > 0);
    assert_eq!(edges(&scene), 0);
}

fn positions_of(scene: &Scene, body: BodyId) -> Vec<Vec3> {
    let plan = Plan::new(scene).expect("a sound scene");
    let mut at = vec![Vec3::ZERO; plan.vertices(body)];
    State::new(&plan).read_positions(&plan, body, &mut at);
    at
}
