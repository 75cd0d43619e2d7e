//! The boxes and the numbering, against all pairs.

use super::oracle::{V, expected};
use super::{Crossings, Intersections, Pairs, shared_first};
use crate::describe::error::Error;
use crate::{Cloth, Plan, Rope, Scene, State};
use glam::Vec3;
use proptest::prelude::*;

/// Two small sheets, a rope before and one behind them; and their vertices, 9, 9, 4 and 3 points.
fn scene() -> Plan {
    let mut scene = Scene::new();
    scene.add(Rope::new([0.0; 3], [1.0, 0.0, 0.0], 3));
    scene.add(Cloth::grid([3, 3], [1.0, 1.0]));
    scene.add(Rope::new([0.0; 3], [1.0, 0.0, 0.0], 2));
    scene.add(Cloth::grid([3, 3], [1.0, 1.0]));
    Plan::new(&scene).expect("a sound scene")
}

fn state(plan: &Plan, places: &[V]) -> State {
    let mut state = State::new(plan);
    let mut places = places.iter();
    for body in plan.body_ids() {
        let points: Vec<Vec3> =
            places.by_ref().take(plan.vertices(body)).map(|p| Vec3::from_array(p.map(|c| c as f32))).collect();
        state.write_positions(plan, body, &points).expect("within the world");
    }
    state
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_found_is_all_there_is(places in prop::collection::vec(prop::array::uniform3(0i128..=6), 4 + 9 + 3 + 9)) {
        let plan = scene();
        let ids: Vec<_> = plan.body_ids().collect();
        let first = |body: usize| ids[..body].iter().map(|&id| plan.vertices(id)).sum::<usize>() as u32;
        let at = |vertex: u32| places[vertex as usize];
        let triangles: Vec<_> = [1, 3]
            .into_iter()
            .flat_map(|b| plan.triangles(ids[b]).iter().enumerate().map(move |(i, t)| ((b, i), t.map(|v| v + first(b)))))
            .map(|((b, i), t)| ((ids[b], i), t))
            .collect();
        let (mut pairs, mut edges) = (Vec::new(), Vec::new());
        for (i, (name, a)) in triangles.iter().enumerate() {
            for (other, b) in &triangles[i + 1..] {
                let (shared, a, b) = shared_first(*a, *b, |v| v);
                if expected(a.map(at), b.map(at), shared) {
                    pairs.push([*name, *other]);
                }
            }
        }
        for (b, links) in [(0, 3u32), (2, 2)] {
            for link in 0..links {
                let [p, q] = [link, link + 1].map(|v| at(v + first(b)));
                let met = triangles.iter().filter(|(_, t)| expected([p, q, q], t.map(at), 0));
                edges.extend(met.map(|(name, _)| ((ids[b], [link, link + 1]), *name)));
            }
        }
        let mut found = Intersections::new();
        let count = found.count(&plan, &state(&plan, &places)).expect("few triangles");
        prop_assert_eq!(count, Crossings { triangles: pairs.len(), edges: edges.len(), ..Crossings::default() });
        prop_assert_eq!(found.pairs().collect::<Vec<_>>(), pairs);
        prop_assert_eq!(found.edges().collect::<Vec<_>>(), edges);
    }
}

#[test]
fn a_crowd_is_refused() {
    let plan = scene();
    let mut found = Intersections { overlaps: Pairs::new().most(20), ..Intersections::new() };
    let flat = State::new(&plan);
    let error = found.count(&plan, &flat).expect_err("two sheets in one place");
    assert!(matches!(error, Error::Crowded { .. }));
    assert_eq!(found.pairs().len(), 0);
    // In the limit itself they are counted.
    let count = Intersections::new().count(&plan, &flat).expect("few triangles");
    assert!(count.triangles > 20);
}
