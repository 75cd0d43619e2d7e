//! Sessions open scenes, step them as a solver does, and go on, back, and to another scene.

use crate::asked::{SHEET, answer, ask, hash, numbers, position, refused, session, sheet, steps};
use seidel::{Execution, Input, Isa, Solver};
use seidel_io::scene;
use seidel_scenes::{NAMES, SceneSpec, named};
use serde_json::json;
use std::sync::Arc;

/// A named scene at a small size.
fn small(name: &str) -> SceneSpec {
    let mut spec = named(name).unwrap();
    for cloth in spec.cloth.iter_mut().filter(|cloth| cloth.mesh.is_none()) {
        cloth.resolution = cloth.resolution.map(|n| n.min(12));
    }
    spec.balloon.iter_mut().for_each(|balloon| balloon.detail = 1);
    spec
}

#[test]
fn every_named_scene_steps_as_a_solver_does() {
    for name in NAMES {
        let spec = small(name);
        let mut session = session();
        let opened = ask(&mut session, &json!({ "do": "open", "text": scene::to_toml(&spec).unwrap() }));
        assert_eq!((&opened.json["frame"], &opened.json["carried"]), (&0.into(), &false.into()), "{name}");
        let plan = seidel::Plan::new(&scene::build(name, &spec).unwrap()).unwrap();
        let mut solver = Solver::with(Arc::new(plan), Execution::new(Isa::PORTABLE, 2));
        let input = Input::new((1.0 / spec.fps) as f32).unwrap();
        if spec.settle > 0.0 {
            assert!(solver.settle(&input, spec.settle).failed.is_none());
        }
        assert_eq!(hash(&opened), format!("{:016x}", solver.state().hash()), "{name}");
        (0..3).for_each(|_| drop(solver.step(&input)));
        let got = steps(&mut session, 3);
        assert_eq!(got, format!("{:016x}", solver.state().hash()), "{name}");
    }
}

/// Arrays have the lengths that the description says.
#[test]
fn a_scene_is_described() {
    for name in ["cloth-sphere", "soft-heap", "jelly-drop", "rod-twist", "sleeve", "rope-bridge", "shapes"] {
        let mut session = session();
        let spec = small(name);
        let opened = ask(&mut session, &json!({ "do": "open", "text": scene::to_toml(&spec).unwrap() }));
        let vertices = opened.json["vertices"].as_u64().unwrap() as usize;
        assert!(vertices > 0);
        for array in ["positions", "velocities"] {
            assert_eq!(opened.array(array).unwrap().len(), 12 * vertices, "{name}: {array}");
        }
        let bodies = opened.json["bodies"].as_array().unwrap();
        let last = bodies.last().unwrap();
        assert_eq!(last["first"].as_u64().unwrap() + last["count"].as_u64().unwrap(), vertices as u64, "{name}");
        let colliders = opened.json["colliders"].as_array().unwrap();
        assert_eq!(opened.array("poses").unwrap().len(), 28 * colliders.len(), "{name}");
        let surfaces = colliders.iter().filter_map(|c| c["surface"].as_array());
        let counts = surfaces.fold([0, 0], |[p, t], s| [p + s[0].as_u64().unwrap(), t + s[1].as_u64().unwrap()]);
        let lengths = ["surface-points", "surface-triangles"].map(|of| opened.array(of).unwrap().len() as u64);
        assert_eq!(counts.map(|count| 12 * count), lengths, "{name}");
        let edges = opened.array("edges").unwrap().len() / 8;
        assert_eq!(opened.array("rests").unwrap().len(), 4 * edges, "{name}");
        assert!([0, 8 * edges].contains(&opened.array("order").unwrap().len()), "{name}");
        let indices = |array: &str| -> Vec<u32> {
            opened.array(array).unwrap().chunks_exact(4).map(|c| u32::from_le_bytes(c.try_into().unwrap())).collect()
        };
        for array in ["triangles", "edges", "pinned"] {
            assert!(indices(array).iter().all(|&v| (v as usize) < vertices), "{name}: {array}");
        }
        assert_eq!(opened.json["scene"], spec.name.as_str(), "{name}");
        assert!(opened.json["spec"].is_object() && opened.json["text"].is_string());
    }
}

/// Names, changes and texts of one scene are one scene.
#[test]
fn a_name_with_changes_is_the_text_with_them() {
    let set = ["cloth.resolution=[9, 7]", "gravity=[0, -3, 0]"];
    let mut one = session();
    let opened = ask(&mut one, &json!({ "do": "open", "scene": "flag", "set": set }));
    let mut other = session();
    let again = ask(&mut other, &json!({ "do": "open", "text": opened.json["text"] }));
    assert_eq!(opened.json["spec"], again.json["spec"]);
    assert_eq!(steps(&mut one, 4), steps(&mut other, 4));
    assert_eq!(opened.json["spec"]["gravity"], json!([0.0, -3.0, 0.0]));
}

#[test]
fn what_is_kept_goes_on() {
    let mut session = sheet();
    let mut alone = sheet();
    assert_eq!(steps(&mut session, 5), steps(&mut alone, 5));
    // The same again: the same bits.
    let kept = ask(&mut session, &json!({ "do": "open", "text": SHEET, "keep": true }));
    assert_eq!((&kept.json["carried"], &kept.json["frame"]), (&true.into(), &5.into()));
    assert_eq!((&kept.json["anew"], &kept.json["touched"]), (&serde_json::Value::Null, &true.into()));
    assert_eq!(steps(&mut session, 5), steps(&mut alone, 5));
    // Another material: from the same place.
    let before = ask(&mut session, &json!({ "do": "step", "count": 0 }));
    let set = ["cloth.stretch_compliance=1e-2", "collider.radius=0.15"];
    let kept = ask(&mut session, &json!({ "do": "open", "text": SHEET, "set": set, "keep": true }));
    assert_eq!(numbers(&before, "positions"), numbers(&kept, "positions"));
    assert_ne!(steps(&mut session, 5), steps(&mut alone, 5));
    // Another body: from the start, and why.
    let finer = json!({ "do": "open", "text": SHEET, "set": ["cloth.resolution=7"], "keep": true });
    let anew = ask(&mut session, &finer);
    assert_eq!(
        (&anew.json["carried"], &anew.json["frame"], &anew.json["touched"]),
        (&false.into(), &0.into(), &false.into())
    );
    assert_eq!(anew.json["anew"], "carried state: vertices of body `sheet` has 36 entries and should have 49");
    // Without `keep`: from the start.
    let fresh = ask(&mut session, &json!({ "do": "open", "text": SHEET }));
    assert_eq!((&fresh.json["carried"], &fresh.json["anew"]), (&false.into(), &serde_json::Value::Null));
}

/// Before the first frame a scene begins where its text says, and nothing has been done by hand.
#[test]
fn what_has_not_begun_begins_anew() {
    let mut session = sheet();
    let moved = json!({ "do": "open", "text": SHEET, "set": ["cloth.position=[0, 2, 0]"], "keep": true });
    let kept = ask(&mut session, &moved);
    assert_eq!((position(&kept, 7)[1], &kept.json["touched"]), (2.0, &false.into()));
    let mut other = crate::asked::session();
    ask(&mut other, &json!({ "do": "open", "text": SHEET, "set": ["cloth.position=[0, 2, 0]"] }));
    assert_eq!(steps(&mut session, 3), steps(&mut other, 3));
}

/// An error leaves the last scene as it is.
#[test]
fn a_scene_that_cannot_be_opened_changes_nothing() {
    let (mut session, mut alone) = (sheet(), sheet());
    steps(&mut session, 2);
    for open in [
        json!({ "do": "open", "text": "[[cloth]]\nresolution = 1" }),
        json!({ "do": "open", "scene": "nothere" }),
        json!({ "do": "open", "text": SHEET, "set": ["cloth.density=-1"], "keep": true }),
        json!({ "do": "throw", "from": [0, 1, 0], "velocity": [0, 0, 0], "radius": 0 }),
    ] {
        refused(&mut session, &open);
    }
    steps(&mut alone, 2);
    assert_eq!(steps(&mut session, 4), steps(&mut alone, 4));
}

#[test]
fn a_reset_goes_back_to_the_start() {
    let mut session = sheet();
    let start = ask(&mut session, &json!({ "do": "step", "count": 0 }));
    let first = steps(&mut session, 4);
    ask(&mut session, &json!({ "do": "pin", "body": 0, "vertex": 9, "on": true }));
    ask(&mut session, &json!({ "do": "hold", "pulls": [{ "body": 0, "vertex": 5, "target": [1, 1, 1] }] }));
    assert_ne!(steps(&mut session, 4), first);
    let reset = ask(&mut session, &json!({ "do": "reset" }));
    assert_eq!((hash(&reset), &reset.json["touched"], &reset.json["frame"]), (hash(&start), &false.into(), &0.into()));
    assert_eq!(steps(&mut session, 4), first);
    // One that comes to rest first does so again.
    let settled = json!({ "do": "open", "text": SHEET, "set": ["settle=0.1"] });
    let opened = ask(&mut session, &settled);
    assert_ne!(hash(&opened), hash(&start));
    steps(&mut session, 2);
    assert_eq!(hash(&ask(&mut session, &json!({ "do": "reset" }))), hash(&opened));
}

#[test]
fn snapshots_come_back() {
    let mut session = sheet();
    ask(&mut session, &json!({ "do": "contacts", "on": true }));
    steps(&mut session, 5);
    let kept = ask(&mut session, &json!({ "do": "snapshot" }));
    assert_eq!((&kept.json["number"], &kept.json["kept"]), (&1.into(), &json!([1])));
    let first = steps(&mut session, 15);
    // From another scene, too.
    ask(&mut session, &json!({ "do": "open", "scene": "chain" }));
    assert_eq!(ask(&mut session, &json!({ "do": "snapshot" })).json["kept"], json!([1, 2]));
    let back = ask(&mut session, &json!({ "do": "restore", "number": 1 }));
    assert_eq!((&back.json["frame"], &back.json["carried"]), (&5.into(), &true.into()));
    assert_eq!(back.json["bodies"][0]["name"], "sheet");
    let again = ask(&mut session, &json!({ "do": "step", "count": 15 }));
    assert_eq!(hash(&again), first);
    assert!(!again.array("touching").unwrap().is_empty(), "contacts are shown as before");
    assert_eq!(refused(&mut session, &json!({ "do": "restore", "number": 3 })), "there is no snapshot 3");
    // The oldest goes.
    for _ in 0..20 {
        ask(&mut session, &json!({ "do": "snapshot" }));
    }
    assert_eq!(refused(&mut session, &json!({ "do": "restore", "number": 1 })), "there is no snapshot 1");
    let kept = ask(&mut session, &json!({ "do": "snapshot" }));
    assert_eq!(kept.json["kept"].as_array().unwrap().len(), 16);
}

/// States that are kept have a limit, like all else.
#[test]
fn snapshots_fit_into_the_memory() {
    let mut roomy = crate::asked::session();
    let opened = ask(&mut roomy, &json!({ "do": "open", "text": SHEET }));
    assert_eq!(opened.json["vertices"], 36);
    // As much as a scene of this size needs, by trial.
    let fits = |memory: u64| {
        let mut session = crate::asked::session().within(memory);
        answer(&mut session, &json!({ "do": "open", "text": SHEET })).error().is_none()
    };
    let needs = (1..40).map(|power| 1u64 << power).find(|&memory| fits(memory)).unwrap();
    let mut session = crate::asked::session().within(needs);
    let mut kept = Vec::new();
    for number in 0..10 {
        // Each has a plan of its own.
        let set = [format!("cloth.density={}", 1 + number)];
        ask(&mut session, &json!({ "do": "open", "text": SHEET, "set": set }));
        kept = ask(&mut session, &json!({ "do": "snapshot" })).json["kept"].as_array().unwrap().clone();
    }
    assert!(kept.len() < 10 && kept.last().unwrap() == 10, "{kept:?}");
    assert!(ask(&mut session, &json!({ "do": "restore", "number": 10 })).error().is_none());
}

/// After a fault nothing of it is used.
#[test]
fn a_session_is_made_anew() {
    let mut session = sheet();
    let mesh = b"v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n";
    session.answer(br#"{"do": "file", "name": "a.obj"}"#, mesh);
    steps(&mut session, 3);
    ask(&mut session, &json!({ "do": "snapshot" }));
    let mut anew = session.anew();
    assert_eq!(refused(&mut anew, &json!({ "do": "step" })), "no scene is open");
    assert_eq!(refused(&mut anew, &json!({ "do": "restore", "number": 1 })), "there is no snapshot 1");
    ask(&mut anew, &json!({ "do": "open", "text": "[[cloth]]\nmesh = \"a.obj\"" }));
}

/// From another thread; the next request is answered as if nothing had been.
#[test]
fn what_takes_long_can_be_stopped() {
    let mut session = crate::asked::session();
    let stop = session.stop();
    let settles = json!({ "do": "open", "text": SHEET, "set": ["settle=10000"] });
    let long = json!({ "do": "step", "count": 1000 });
    ask(&mut session, &json!({ "do": "open", "text": SHEET, "set": ["solver.substeps=400"] }));
    for request in [&long, &settles] {
        let error = std::thread::scope(|scope| {
            let asks = scope.spawn(|| refused(&mut session, request));
            // A stop that comes before the request has begun is for none.
            while !asks.is_finished() {
                std::thread::sleep(std::time::Duration::from_millis(20));
                stop.now();
            }
            asks.join().unwrap()
        });
        assert_eq!(error, "it was stopped");
    }
    let shown = ask(&mut session, &json!({ "do": "step", "count": 0 }));
    assert!(shown.json["frame"].as_u64().unwrap() < 1000, "the scene that was open goes on");
    steps(&mut session, 2);
    // One that is made anew hears the same stop.
    ask(&mut session, &json!({ "do": "reset" }));
    let mut anew = session.anew();
    stop.now();
    ask(&mut anew, &json!({ "do": "open", "text": SHEET }));
    assert_eq!(steps(&mut anew, 3), steps(&mut sheet(), 3));
}
