//! Files of frames that are made in memory are those that the program writes.

use crate::asked::{ask, refused, session, sheet};
use seidel::{Execution, Input, Isa, Solver};
use seidel_io::recording::{self, Buffers, Plotted};
use seidel_io::{scene, writers};
use seidel_live::{Reply, Session};
use serde_json::{Value, json};
use std::sync::Arc;

/// The request for a frame, and its bytes, of what a step has answered.
fn frame(shown: &Reply) -> (Value, Vec<u8>) {
    let [time, energy, stretch] = ["time", "energy", "stretch"].map(|key| &shown.json[key]);
    let request = json!({ "do": "export-frame", "time": time, "energy": energy, "stretch": stretch });
    let arrays =
        ["positions", "velocities", "poses", "rigid", "densities", "ids"].map(|name| shown.array(name).unwrap());
    (request, arrays.concat())
}

fn export(session: &mut Session, name: &str, frames: u32) -> Vec<u8> {
    let mut shown = ask(session, &json!({ "do": "reset" }));
    ask(session, &json!({ "do": "export", "name": name }));
    for _ in 0..frames {
        let (request, bytes) = frame(&shown);
        assert_eq!(session.answer(request.to_string().as_bytes(), &bytes).error(), None);
        shown = ask(session, &json!({ "do": "step" }));
    }
    ask(session, &json!({ "do": "export-end" })).array("file").unwrap().to_vec()
}

#[test]
fn a_file_has_the_bytes_that_the_program_writes() {
    let folder = tempfile::tempdir().unwrap();
    for (name, set) in [
        ("cloth-sphere", &["cloth.resolution=8"][..]),
        ("jelly-drop", &[]),
        ("rod-twist", &[]),
        ("ragdolls", &[]),
        ("shapes", &["cloth.resolution=6"]),
        ("fountain", &["fluid.spacing=0.1", "fluid.capacity=40"]),
    ] {
        let mut session = session();
        ask(&mut session, &json!({ "do": "open", "scene": name, "set": set }));
        let spec = scene::load(name, &set.iter().map(|&s| s.to_owned()).collect::<Vec<_>>()).unwrap();
        let plan = Arc::new(seidel::Plan::new(&scene::build(name, &spec).unwrap()).unwrap());
        for ending in ["npz", "glb"] {
            let path = folder.path().join(format!("{name}.{ending}"));
            let header = recording::picture(&plan, &spec.name, spec.fps);
            let mut writer = writers::open(&path, &header, &writers::Options::default()).unwrap();
            let mut solver = Solver::with(Arc::clone(&plan), Execution::new(Isa::PORTABLE, 1));
            let (mut buffers, input) = (Buffers::of_picture(), Input::new((1.0 / spec.fps) as f32).unwrap());
            for _ in 0..3 {
                let state = solver.state();
                let max_stretch = plan.max_stretch(state).max(plan.max_element_stretch(state));
                let plotted = Plotted::new(plan.energies(state), max_stretch);
                writer.frame(&buffers.read(&plan, state, plotted)).unwrap();
                solver.step(&input);
            }
            writer.finish().unwrap();
            let own = export(&mut session, &format!("any.{ending}"), 3);
            assert!(own == std::fs::read(path).unwrap(), "{name}.{ending}: {} bytes", own.len());
        }
    }
}

#[test]
fn frames_of_another_length_are_refused() {
    let mut session = sheet();
    for name in ["a.html", "a.pvd", "a", ""] {
        let error = refused(&mut session, &json!({ "do": "export", "name": name }));
        assert!(error.contains("only .npz and .glb files can be made in memory"), "{error}");
    }
    ask(&mut session, &json!({ "do": "export", "name": "a.npz" }));
    let (request, bytes) = frame(&ask(&mut session, &json!({ "do": "step" })));
    let mut of = |bytes: &[u8]| session.answer(request.to_string().as_bytes(), bytes).error_at_line();
    for length in [0, 1, 12, bytes.len() - 1, bytes.len() - 4] {
        assert_eq!(of(&bytes[..length]), Some(format!("a frame has {length} bytes, and {} are wanted", 36 * 24 + 28)));
    }
    assert!(of(&[&bytes[..], &[0]].concat()).is_some());
    // What was refused is not in the file; numbers may be any.
    assert_eq!(of(&bytes), None);
    assert_eq!(of(&vec![0xff; bytes.len()]), None, "NaN");
    assert!(ask(&mut session, &json!({ "do": "export-end" })).array("file").unwrap().starts_with(b"PK"));
    assert_eq!(refused(&mut session, &json!({ "do": "export-end" })), "no file was begun");
}

/// Of no frame, of frames without numbers, and in the wrong order: a file or an error.
#[test]
fn odd_files_end_in_a_file_or_an_error() {
    let mut session = sheet();
    for name in ["a.npz", "a.glb"] {
        for (times, fill) in [(&[][..], 0u8), (&[0.0], 0xff), (&[1.0, 0.5, 0.5, -1e300], 0x7f), (&[0.0, 1e300], 0)] {
            ask(&mut session, &json!({ "do": "export", "name": name }));
            for time in times {
                let request = json!({ "do": "export-frame", "time": time, "energy": [1e308, -1e308], "stretch": 1e39 });
                session.answer(request.to_string().as_bytes(), &[fill; 36 * 24 + 28]);
            }
            let ended = session.answer(br#"{"do": "export-end"}"#, &[]);
            assert!(ended.error().is_some() || !ended.array("file").unwrap().is_empty(), "{name}: {times:?}");
        }
    }
    // One that is begun anew begins empty; a scene that is opened meanwhile does not change it.
    ask(&mut session, &json!({ "do": "export", "name": "a.npz" }));
    let (request, bytes) = frame(&ask(&mut session, &json!({ "do": "step" })));
    ask(&mut session, &json!({ "do": "open", "scene": "chain" }));
    assert_eq!(session.answer(request.to_string().as_bytes(), &bytes).error(), None);
    ask(&mut session, &json!({ "do": "export-end" }));
}
