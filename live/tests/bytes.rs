//! Answers in bytes, and any bytes as a request.

// `pub` there is for the fuzz target.
#[path = "../../fuzz/src/message.rs"]
#[allow(unreachable_pub)]
mod message;

use crate::asked::{SHEET, ask, session, sheet};
use message::{decoded, message};
use seidel_live::Reply;
use serde_json::json;
use std::path::Path;

#[test]
fn an_answer_is_laid_out_as_the_documentation_says() {
    let reply = Reply {
        json: json!({ "umlaut": "ä" }).as_object().unwrap().clone(),
        arrays: vec![("one", vec![1, 2, 3]), ("none", vec![]), ("two", vec![4, 5, 6, 7, 8])],
    };
    let bytes = reply.encode();
    let length = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
    let json: serde_json::Value = serde_json::from_slice(&bytes[4..4 + length]).unwrap();
    assert_eq!(json["umlaut"], "ä");
    assert_eq!(json["arrays"], json!({ "one": [0, 3], "none": [4, 0], "two": [4, 5] }));
    let start = (4 + length).next_multiple_of(4);
    assert!(bytes[4 + length..start].iter().all(|b| *b == 0));
    assert_eq!(bytes[start..], [1, 2, 3, 0, 4, 5, 6, 7, 8, 0, 0, 0]);
    assert_eq!(Reply::default().encode(), [&[13, 0, 0, 0], &b"{\"arrays\":{}}"[..], &[0, 0, 0]].concat());
}

#[test]
fn a_scene_comes_back_from_its_bytes() {
    let mut session = sheet();
    for request in [json!({ "do": "open", "text": SHEET }), json!({ "do": "step" }), json!({ "do": "snapshot" })] {
        let reply = ask(&mut session, &request);
        let (json, arrays) = decoded(&reply.encode());
        assert_eq!(json, serde_json::Value::Object(reply.json.clone()));
        let own: Vec<_> = reply.arrays.iter().map(|(name, bytes)| ((*name).to_owned(), bytes.clone())).collect();
        assert_eq!(arrays, own);
    }
    let (json, _) = decoded(&session.answer(br#"{"do": "open", "text": "frames = -1"}"#, &[]).encode());
    assert_eq!(json["line"], 1);
    assert!(!json["error"].as_str().unwrap().starts_with("line"));
}

#[test]
fn an_error_has_its_line_apart() {
    let mut session = session();
    let reply = session.answer(br#"{"do": "open", "text": "fps = 60\nframes = -1"}"#, &[]);
    assert_eq!(reply.json["line"], 2);
    assert_eq!(reply.error_at_line(), Some(format!("line 2: {}", reply.error().unwrap())));
    let fault = Reply::fault("it has broken");
    assert_eq!((fault.error(), fault.error_at_line()), (Some("it has broken"), Some("it has broken".to_owned())));
}

/// Requests of all sorts, cut short, and with bytes that are others.
#[test]
fn any_bytes_have_an_answer() {
    let requests = [
        r#"{"do": "file", "name": "a.obj"}"#,
        r#"{"do": "open", "text": "[[cloth]]\nresolution = 3\n[[collider]]", "set": ["cloth.size=[1, 2]"], "keep": true}"#,
        r#"{"do": "open", "scene": "chain"}"#,
        r#"{"do": "step", "count": 2}"#,
        r#"{"do": "hold", "pulls": [{"body": 0, "vertex": 4, "target": [0, 1, 0]}], "wind": [1, 0, 0]}"#,
        r#"{"do": "hold", "colliders": [{"collider": 0, "position": [0, 0, 0]}]}"#,
        r#"{"do": "nearest", "body": 0, "point": [0, 1, 2]}"#,
        r#"{"do": "pin", "body": 0, "vertex": 3, "on": true}"#,
        r#"{"do": "throw", "from": [0, 1, 0], "velocity": [1, 0, 0], "radius": 0.1}"#,
        r#"{"do": "contacts", "on": true}"#,
        r#"{"do": "snapshot"}"#,
        r#"{"do": "restore", "number": 1}"#,
        r#"{"do": "export", "name": "a.glb"}"#,
        r#"{"do": "export-frame", "time": 0, "energy": [0, 0], "stretch": 0}"#,
        r#"{"do": "export-end"}"#,
        r#"{"do": "reset"}"#,
    ];
    message(requests.join("\n").as_bytes());
    // splitmix64 (Steele, Lea, Flood 2014): the same cases on every machine.
    let mut state = 7u64;
    let mut random = move |below: usize| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % below as u64) as usize
    };
    let odd = b"0129-+.eE\"\\{}[]:, \0\n\xff\xc3x";
    for request in requests {
        let mut all = Vec::new();
        for length in (0..request.len()).step_by(3) {
            all.extend(&request.as_bytes()[..length]);
            all.push(b'\n');
        }
        for _ in 0..40 {
            let mut changed = request.as_bytes().to_vec();
            for _ in 0..1 + random(3) {
                let at = random(changed.len());
                changed[at] = odd[random(odd.len())];
            }
            all.extend(changed);
            all.push(b'\n');
        }
        message(&all);
    }
}

/// The fuzz target's corpus, on stable Rust.
#[test]
fn messages_of_the_corpus_have_an_answer() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus/message");
    let mut files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 20, "{} files", files.len());
    for file in files {
        let read = std::fs::read(&file).unwrap();
        let run = std::panic::AssertUnwindSafe(|| message(&read));
        assert!(std::panic::catch_unwind(run).is_ok(), "{}", file.display());
    }
}
