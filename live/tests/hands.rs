//! What a user does by hand.

use crate::asked::{SHEET, ask, hash, position, refused, sheet, steps};
use serde_json::json;

fn distance(a: [f32; 3], b: [f32; 3]) -> f32 {
    a.iter().zip(&b).map(|(a, b)| (a - b) * (a - b)).sum::<f32>().sqrt()
}

#[test]
fn a_pull_draws_a_vertex_until_it_is_let_go() {
    let mut session = sheet();
    let target = [0.2, 0.7, 0.2];
    let hold = json!({ "do": "hold", "pulls": [{ "body": 0, "vertex": 35, "target": target }] });
    ask(&mut session, &hold);
    let held = ask(&mut session, &json!({ "do": "step", "count": 60 }));
    // The whole sheet hangs a centimetre below its hand, and less where a pin holds a part of it.
    assert!(distance(position(&held, 35), target) < 0.02, "{:?}", position(&held, 35));
    assert_eq!(held.json["touched"], true);
    ask(&mut session, &json!({ "do": "hold" }));
    let free = ask(&mut session, &json!({ "do": "step", "count": 20 }));
    assert!(position(&free, 35)[1] < 0.6, "{:?}", position(&free, 35));
}

#[test]
fn a_hold_survives_a_change_of_the_scene() {
    let mut session = sheet();
    ask(&mut session, &json!({ "do": "hold", "pulls": [{ "body": 0, "vertex": 35, "target": [0.2, 0.7, 0.2] }] }));
    steps(&mut session, 40);
    ask(&mut session, &json!({ "do": "open", "text": SHEET, "set": ["cloth.stretch_compliance=1e-4"], "keep": true }));
    let held = ask(&mut session, &json!({ "do": "step", "count": 20 }));
    assert!(distance(position(&held, 35), [0.2, 0.7, 0.2]) < 0.03);
    // A body that lacks the vertex is not held.
    ask(&mut session, &json!({ "do": "open", "text": SHEET, "set": ["cloth.resolution=4"], "keep": true }));
    assert_eq!(ask(&mut session, &json!({ "do": "step" })).json["touched"], false);
}

#[test]
fn colliders_and_wind_are_held() {
    let mut session = sheet();
    ask(&mut session, &json!({ "do": "hold", "colliders": [{ "collider": 0, "position": [0.5, 0.25, 0] }] }));
    let held = ask(&mut session, &json!({ "do": "step", "count": 2 }));
    assert_eq!(crate::asked::numbers(&held, "poses")[..3], [0.5, 0.25, 0.0]);
    // A fixed one stays where it was left.
    ask(&mut session, &json!({ "do": "hold" }));
    let left = ask(&mut session, &json!({ "do": "step" }));
    assert_eq!(crate::asked::numbers(&left, "poses")[..3], [0.5, 0.25, 0.0]);

    let text = SHEET.replace("pin_vertices = [0]", "pin_vertices = [0]\ndrag = 1.0\nlift = 1.0");
    let [mut calm, mut windy] = [(); 2].map(|()| {
        let mut session = crate::asked::session();
        ask(&mut session, &json!({ "do": "open", "text": text }));
        session
    });
    ask(&mut windy, &json!({ "do": "hold", "wind": [5, 0, 0] }));
    assert_ne!(steps(&mut calm, 10), steps(&mut windy, 10));
}

#[test]
fn a_knife_cuts_in_one_step_what_can_be_cut() {
    let cut = |far: f64| json!({ "from": [[far, -9, 0.01], [far, 9, 0.01]], "to": [[9, -9, 0.01], [9, 9, 0.01]] });
    let hold = |far: f64| json!({ "do": "hold", "cuts": [cut(far)] });
    let mut whole = sheet();
    let error = refused(&mut whole, &hold(-9.0));
    assert!(error.starts_with("nothing here can be cut"), "{error}");
    let text = SHEET.replace("pin_vertices = [0]", "pin_vertices = [0]\ntear = { strain = 1000 }");
    let text = text.split("[[collider]]").next().unwrap();
    let height = |cuts: bool| {
        let mut session = crate::asked::session();
        ask(&mut session, &json!({ "do": "open", "text": text }));
        let error = refused(&mut session, &hold(9.0));
        assert!(error.contains("area that a cut's blade sweeps over"), "{error}");
        if cuts {
            ask(&mut session, &hold(-9.0));
        }
        let fallen = ask(&mut session, &json!({ "do": "step", "count": 36 }));
        assert_eq!(fallen.json["touched"], cuts);
        // The last corner of 50 triangles.
        position(&fallen, 149)[1]
    };
    let (free, hanging) = (height(true), height(false));
    assert!(free < -0.8 && hanging > -0.3, "{free} and {hanging}");
}

/// 1e39 is JSON, and infinite in f32.
#[test]
fn hands_that_reach_too_far_are_refused() {
    let mut session = sheet();
    let mut alone = sheet();
    for (hold, says) in [
        (json!({ "pulls": [{ "body": 0, "vertex": 0, "target": [0, 1e39, 0] }] }), "target of a pull is inf"),
        (json!({ "pulls": [{ "body": 0, "vertex": 0, "target": [0, -2e6, 0] }] }), "target of a pull is -2000000"),
        (json!({ "pulls": [{ "body": 1, "vertex": 0, "target": [0, 0, 0] }] }), "there is no such body"),
        (
            json!({ "pulls": [{ "body": 0, "vertex": 36, "target": [0, 0, 0] }] }),
            "body 0 has no vertex 36: there are 36",
        ),
        (json!({ "colliders": [{ "collider": 1, "position": [0, 0, 0] }] }), "there is no collider 1: there are 1"),
        (json!({ "colliders": [{ "collider": 0, "position": [-1e39, 0, 0] }] }), "position of a held collider is -inf"),
        (json!({ "wind": [0, 0, 1e39] }), "wind is inf"),
    ] {
        let mut request = hold.clone();
        request["do"] = "hold".into();
        let error = refused(&mut session, &request);
        assert!(error.starts_with(says), "{error}");
    }
    assert_eq!(steps(&mut session, 3), steps(&mut alone, 3));
    // The farthest that may be.
    ask(
        &mut session,
        &json!({ "do": "hold", "pulls": [{ "body": 0, "vertex": 7, "target": [1e6, 0, 0] }],
        "colliders": [{ "collider": 0, "position": [0, -1e6, 0] }], "wind": [1e6, 0, 0] }),
    );
    ask(&mut session, &json!({ "do": "step", "count": 3 }));
}

#[test]
fn the_nearest_vertex_is_found() {
    let mut session = sheet();
    let start = ask(&mut session, &json!({ "do": "step", "count": 0 }));
    for vertex in [0, 17, 35] {
        let point = position(&start, vertex).map(|c| c + 0.01);
        let found = ask(&mut session, &json!({ "do": "nearest", "body": 0, "point": point }));
        assert_eq!(found.json["vertex"], vertex);
    }
    let far = ask(&mut session, &json!({ "do": "nearest", "body": 0, "point": [1e39, 0, 0] }));
    assert!(far.json["vertex"].as_u64().unwrap() < 36);
    assert_eq!(refused(&mut session, &json!({ "do": "nearest", "body": 1, "point": [0, 0, 0] })), "there is no body 1");
}

#[test]
fn vertices_are_pinned_and_let_go() {
    let mut session = sheet();
    let pinned = ask(&mut session, &json!({ "do": "pin", "body": 0, "vertex": 35, "on": true }));
    assert_eq!(pinned.array("pinned").unwrap(), bytes(&[0, 35]));
    assert_eq!(pinned.json["touched"], true);
    let at = position(&pinned, 35);
    let after = ask(&mut session, &json!({ "do": "step", "count": 30 }));
    assert_eq!(position(&after, 35), at);
    // The scene's own pin is let go with the mass of another vertex.
    ask(&mut session, &json!({ "do": "pin", "body": 0, "vertex": 35, "on": false }));
    let free = ask(&mut session, &json!({ "do": "pin", "body": 0, "vertex": 0, "on": false }));
    assert!(free.array("pinned").unwrap().is_empty());
    let fallen = ask(&mut session, &json!({ "do": "step", "count": 30 }));
    assert!(position(&fallen, 0)[1] < 0.4 && position(&fallen, 35)[1] < 0.4);
    let error = refused(&mut session, &json!({ "do": "pin", "body": 0, "vertex": 36, "on": true }));
    assert_eq!(error, "body 0 has no vertex 36: there are 36");
    assert_eq!(
        refused(&mut session, &json!({ "do": "pin", "body": 7, "vertex": 0, "on": true })),
        "there is no body 7"
    );
}

fn bytes(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|n| n.to_le_bytes()).collect()
}

/// A ball flies as gravity has it: from + v t + g t^2 / 2, from now on.
#[test]
fn a_thrown_ball_flies() {
    let mut session = sheet();
    steps(&mut session, 6);
    let before = ask(&mut session, &json!({ "do": "step", "count": 0 }));
    let throw = json!({ "do": "throw", "from": [1, 1, 0], "velocity": [-2, 3, 0], "radius": 0.05 });
    let thrown = ask(&mut session, &throw);
    assert_eq!((&thrown.json["carried"], &thrown.json["frame"]), (&true.into(), &6.into()));
    assert_eq!(crate::asked::numbers(&before, "positions"), crate::asked::numbers(&thrown, "positions"));
    assert_eq!(thrown.json["colliders"][1]["name"], "ball-0");
    let after = ask(&mut session, &json!({ "do": "step", "count": 12 }));
    let place = &crate::asked::numbers(&after, "poses")[7..10];
    // A path of thirty keys a second: a millimetre from the parabola.
    let t = 0.2f32;
    assert!(
        distance([place[0], place[1], place[2]], [1.0 - 2.0 * t, 1.0 + 3.0 * t - 0.5 * 9.81 * t * t, 0.0]) < 2e-3,
        "{place:?}"
    );
    // Another, and one more after the first was taken away: names are unique.
    assert_eq!(ask(&mut session, &throw).json["colliders"][2]["name"], "ball-1");
    let text = ask(&mut session, &throw).json["text"].as_str().unwrap().to_owned();
    let without = text.replace("name = \"ball-0\"", "name = \"other\"");
    ask(&mut session, &json!({ "do": "open", "text": without, "keep": true }));
    assert_eq!(ask(&mut session, &throw).json["colliders"][4]["name"], "ball-0");
    // Its text is a scene.
    let mut again = crate::asked::session();
    ask(&mut again, &json!({ "do": "open", "text": text }));
    steps(&mut again, 2);
}

#[test]
fn balls_that_cannot_be_are_refused() {
    let mut session = sheet();
    for (from, velocity, radius) in [
        (json!([0, 1, 0]), json!([0, 0, 0]), json!(0)),
        (json!([0, 1, 0]), json!([0, 0, 0]), json!(-1)),
        (json!([0, 1, 0]), json!([0, 0, 0]), json!(1e39)),
        (json!([1e39, 1, 0]), json!([0, 0, 0]), json!(0.1)),
        (json!([0, 1, 0]), json!([0, 1e39, 0]), json!(0.1)),
    ] {
        let request = json!({ "do": "throw", "from": from, "velocity": velocity, "radius": radius });
        let error = refused(&mut session, &request);
        assert!(error.contains("ball-0") && !error.contains('\n'), "{request}: {error}");
    }
    let mut alone = sheet();
    assert_eq!(steps(&mut session, 3), steps(&mut alone, 3));
}

#[test]
fn contacts_are_shown_when_asked_for() {
    let mut session = sheet();
    let without = ask(&mut session, &json!({ "do": "step", "count": 25 }));
    assert!(without.array("touching").is_none() && without.json["contacts"].as_u64().unwrap() > 0);
    ask(&mut session, &json!({ "do": "contacts", "on": true }));
    let with = ask(&mut session, &json!({ "do": "step" }));
    let touching = crate::asked::numbers(&with, "touching");
    assert!(!touching.is_empty() && touching.len().is_multiple_of(6));
    // Points on the ball, and normals of length 1 away from it.
    for contact in touching.chunks_exact(6) {
        let normal = [contact[3], contact[4], contact[5]];
        assert!((distance(normal, [0.0; 3]) - 1.0).abs() < 1e-3);
        assert!((distance([contact[0], contact[1], contact[2]], [0.0, 0.2, 0.0]) - 0.2).abs() < 0.05, "{contact:?}");
    }
    // A change of the scene keeps them, and they change no bit.
    ask(&mut session, &json!({ "do": "open", "text": SHEET, "keep": true }));
    let kept = ask(&mut session, &json!({ "do": "step" }));
    assert!(kept.array("touching").is_some());
    ask(&mut session, &json!({ "do": "contacts", "on": false }));
    assert!(ask(&mut session, &json!({ "do": "step" })).array("touching").is_none());
    let [mut one, mut other] = [sheet(), sheet()];
    ask(&mut one, &json!({ "do": "contacts", "on": true }));
    assert_eq!(steps(&mut one, 26), steps(&mut other, 26));
    assert_eq!(
        hash(&ask(&mut session, &json!({ "do": "reset" }))),
        hash(&ask(&mut sheet(), &json!({ "do": "reset" })))
    );
}
