//! Requests that are refused: each says what is wrong, and the line where the text says it.

use crate::asked::{SHEET, answer, ask, refused, session, sheet};
use seidel_io::scene;
use seidel_live::Session;
use serde_json::json;
use std::path::Path;

#[test]
fn requests_that_are_none() {
    let mut session = session();
    for (bytes, says) in [
        (&b""[..], "EOF"),
        (b"{", "EOF"),
        (b"[]", "missing field"),
        (b"\xff\xfe", "expected value"),
        (b"{}", "missing field `do`"),
        (br#"{"do": "dance"}"#, "unknown variant `dance`"),
        (br#"{"do": "step", "count": -1}"#, "invalid value"),
        (br#"{"do": "step", "count": 1e30}"#, "invalid"),
        (br#"{"do": "step", "cuont": 1}"#, "unknown field `cuont`"),
        (br#"{"do": "nearest", "body": 0, "point": [1, 2]}"#, "invalid length 2"),
        (br#"{"do": "nearest", "body": 0, "point": [NaN, 0, 0]}"#, "expected value"),
        (br#"{"do": "nearest", "body": 0, "point": [1e400, 0, 0]}"#, "out of range"),
    ] {
        let reply = session.answer(bytes, &[]);
        let error = reply.error().unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(bytes)));
        assert!(error.starts_with("a request that is not understood: ") && error.contains(says), "{error}");
        assert!(!error.contains('\n'));
    }
}

#[test]
fn without_a_scene_there_is_nothing_to_do() {
    let mut session = session();
    for request in [
        json!({ "do": "step" }),
        json!({ "do": "reset" }),
        json!({ "do": "hold" }),
        json!({ "do": "nearest", "body": 0, "point": [0, 0, 0] }),
        json!({ "do": "pin", "body": 0, "vertex": 0, "on": true }),
        json!({ "do": "throw", "from": [0, 0, 0], "velocity": [0, 0, 0], "radius": 1 }),
        json!({ "do": "contacts", "on": true }),
        json!({ "do": "snapshot" }),
        json!({ "do": "export", "name": "a.npz" }),
    ] {
        assert_eq!(refused(&mut session, &request), "no scene is open", "{request}");
    }
    assert_eq!(refused(&mut session, &json!({ "do": "restore", "number": 0 })), "there is no snapshot 0");
    for request in
        [json!({ "do": "export-end" }), json!({ "do": "export-frame", "time": 0, "energy": [0, 0], "stretch": 0 })]
    {
        assert_eq!(refused(&mut session, &request), "no file was begun");
    }
    assert_eq!(refused(&mut session, &json!({ "do": "open" })), "name a scene, or give the text of one");
    let error = refused(&mut session, &json!({ "do": "open", "scene": "clothsphere" }));
    assert!(error.starts_with("there is no scene `clothsphere`; did you mean `cloth-sphere`?"), "{error}");
}

/// The program's own errors, but for the name of the file: malformed texts of io/tests, and scenes that cannot be
/// planned.
#[test]
fn texts_are_refused_as_the_program_does() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("my.toml");
    let name = file.to_str().unwrap();
    let mut lines = 0;
    for text in [
        "[solver]\nsubsteps = 3\n\n[[cloth]]\nresolutoin = 3\n",
        "[[collider]]\nshape = \"spere\"\n",
        "frames = \n",
        "frames = -3\n",
        "frames = 2\n[[soft]]",
        "[[cloth]]\n[[cloth.constraint]]\nkind = \"roap\"\nat = [[0, 1]]",
        "[[cloth]]\n[[cloth.constraint]]\nkind = \"rope\"\nat = [[0, 9999]]",
        "[[cloth]]\nmesh = \"a.obj\"\nsize = [1, 1]",
        "[[cloth]]\nrotation = { degrees = 90 }",
        "[[rope]]\n[[collider]]\nmotion = { path = \"key-frames\", keys = [] }",
        "[[cloth]]\nresolution = 1\n",
        "\n\n[[cloth]]\ndensity = -1\n",
        "[[cloth]]\nresolution = 4\n[[collider]]\nshape = \"sphere\"\nradius = 0\n",
        "fps = 0\n[[cloth]]\n",
        "[[cloth]]\nname = \"a\"\n[[cloth]]\nname = \"a\"\n",
        "frames = 3\n",
        "",
        "\u{0}",
    ] {
        std::fs::write(&file, text).unwrap();
        let own = scene::load(name, &[]).and_then(|spec| {
            let built = scene::build(name, &spec)?;
            seidel::Plan::new(&built)
                .map(drop)
                .map_err(|e| seidel_io::Error::Scene(scene::located(name, &spec, &e.to_string())))
        });
        let own = own.unwrap_err().to_string();
        let own = own.strip_prefix(&format!("{name}: ")).unwrap_or(&own);
        let request = json!({ "do": "open", "text": text });
        assert_eq!(refused(&mut session(), &request), own, "{text:?}");
        let mut beside = Session::beside(seidel::Execution::default(), u64::MAX, &file);
        assert_eq!(refused(&mut beside, &request), own, "{text:?}");
        // A text that is not what the file says has its own lines.
        std::fs::write(&file, "[[rope]]").unwrap();
        assert_eq!(refused(&mut beside, &request), own, "{text:?}");
        let reply = answer(&mut session(), &request);
        let line = reply.json["line"].as_u64();
        assert_eq!(line.is_some(), own.starts_with("line "), "{own}");
        lines += usize::from(line.is_some());
    }
    assert!(lines >= 9, "{lines} have a line");
}

#[test]
fn changes_are_refused_as_the_program_does() {
    for change in ["cloth.resolutoin=3", "cloth.shirt.density=1", "frames", "frames=x", "gravity=[1, 2]"] {
        let own = scene::load("flag", &[change.to_owned()]).unwrap_err().to_string();
        let error = refused(&mut session(), &json!({ "do": "open", "scene": "flag", "set": [change] }));
        assert_eq!(error, own);
    }
}

#[test]
fn meshes_are_found_beside_the_scene_or_among_what_was_sent() {
    let mesh = b"v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n";
    let open = json!({ "do": "open", "text": "[[cloth]]\nmesh = \"a.obj\"\n" });
    let mut session = session();
    let error = refused(&mut session, &open);
    assert!(error.ends_with("the file a.obj is not here: drop it on the page"), "{error}");
    session.answer(br#"{"do": "file", "name": "a.obj"}"#, mesh);
    assert_eq!(ask(&mut session, &open).json["vertices"], 3);
    session.answer(br#"{"do": "file", "name": "a.obj"}"#, b"v 0 0 x");
    let error = refused(&mut session, &open);
    assert!(error.contains("a.obj: line 1"), "{error}");
    // Names are names, not ways through folders.
    session.answer(br#"{"do": "file", "name": "/etc/../a/b.obj"}"#, mesh);
    ask(&mut session, &json!({ "do": "open", "text": "[[cloth]]\nmesh = \"/etc/../a/b.obj\"\n" }));

    let folder = tempfile::tempdir().unwrap();
    let mut beside = Session::beside(seidel::Execution::default(), u64::MAX, &folder.path().join("my.toml"));
    let error = refused(&mut beside, &open);
    assert!(error.contains("a.obj: cannot be read"), "{error}");
    std::fs::write(folder.path().join("a.obj"), mesh).unwrap();
    assert_eq!(ask(&mut beside, &open).json["vertices"], 3);
    // One that was sent goes before the one on the disk.
    let larger = b"v 0 0 0\nv 1 0 0\nv 0 0 1\nv 1 0 1\nf 1 2 3\nf 2 4 3\n";
    assert_eq!(beside.answer(br#"{"do": "file", "name": "a.obj"}"#, larger).error(), None);
    assert_eq!(ask(&mut beside, &open).json["vertices"], 4);
    // A path that is nowhere.
    let nowhere =
        Session::beside(seidel::Execution::default(), u64::MAX, Path::new("")).answer(open.to_string().as_bytes(), &[]);
    assert!(nowhere.error().is_some_and(|error| error.contains("a.obj: cannot be read")));
}

#[test]
fn memory_is_bounded() {
    let mut session = session().within(1 << 20);
    let error = refused(&mut session, &json!({ "do": "open", "text": "[[cloth]]\nresolution = 3000" }));
    assert!(error.contains("particles") && !error.contains('\n'), "{error}");
    let error =
        refused(&mut session, &json!({ "do": "open", "text": "[[cloth]]\nresolution = [4000000000, 4000000000]" }));
    assert!(!error.is_empty());
    // Files together.
    let half = vec![0; 600_000];
    assert_eq!(session.answer(br#"{"do": "file", "name": "a"}"#, &half).error(), None);
    assert_eq!(session.answer(br#"{"do": "file", "name": "a"}"#, &half).error(), None, "it replaces the first");
    let error = session.answer(br#"{"do": "file", "name": "b"}"#, &half);
    assert_eq!(error.error(), Some("the file b is not taken: there is no memory left for it"));
    // What a mesh takes while it is read, and a text: more than its size.
    let mesh = b"v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n".repeat(5000);
    assert_eq!(session.answer(br#"{"do": "file", "name": "a.obj"}"#, &mesh).error(), None);
    let error = refused(&mut session, &json!({ "do": "open", "text": "[[cloth]]\nmesh = \"a.obj\"\n" }));
    assert!(error.contains("a.obj: to read it takes about 1.6 MB of memory, and 1.0 MB are allowed"), "{error}");
    let error = refused(&mut session, &json!({ "do": "open", "text": format!("#{}\n{SHEET}", "x".repeat(400_000)) }));
    assert!(error.contains("scene.toml: to read it takes about 1.2 MB of memory, and 1.0 MB are allowed"), "{error}");
    // Frames of a file.
    ask(&mut session, &json!({ "do": "open", "text": SHEET }));
    ask(&mut session, &json!({ "do": "export", "name": "a.npz" }));
    let frame = json!({ "do": "export-frame", "time": 0, "energy": [0, 0], "stretch": 0 }).to_string();
    let bytes = vec![0; 36 * 24 + 28];
    let taken = (0..2000).take_while(|_| session.answer(frame.as_bytes(), &bytes).error().is_none()).count();
    assert!((1000..1200).contains(&taken), "{taken} frames");
}

#[test]
fn a_request_asks_for_so_many_frames() {
    let mut session = sheet();
    let error = refused(&mut session, &json!({ "do": "step", "count": 100_000 }));
    assert_eq!(error, "count is 100000, which is not 0 to 1000: ask again for more");
    assert_eq!(ask(&mut session, &json!({ "do": "step", "count": 0 })).json["frame"], 0);
}
