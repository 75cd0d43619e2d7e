//! Any bytes as messages to a session. Each line is a message: JSON, and behind a zero byte the bytes that come with
//! it.

use seidel::{Execution, Isa};
use seidel_live::{Reply, Session};
use serde_json::Value;

/// Bytes that a scene may need: some thousand particles.
const MEMORY: u64 = 4 << 20;
/// The scene that is open before the first message.
const FIRST: &[u8] =
    br#"{"do": "open", "text": "[[cloth]]\nresolution = 5\nposition = [0, 1, 0]\n[[collider]]\nshape = \"plane\""}"#;

/// Every message has an answer that can be read, and the same one on other lanes; what was opened can be stepped.
pub fn message(bytes: &[u8]) {
    let session = |isa| Session::in_memory(Execution::new(isa, 1)).within(MEMORY);
    let [mut one, mut other] = [Isa::detect(), Isa::PORTABLE].map(session);
    let last = br#"{"do": "step"}"#;
    for line in [FIRST].into_iter().chain(bytes.split(|&b| b == b'\n')).chain([&last[..]]) {
        let (json, with) = match line.iter().position(|&b| b == 0) {
            Some(zero) => (&line[..zero], &line[zero + 1..]),
            None => (line, &[][..]),
        };
        if takes_long(json) {
            continue;
        }
        let replies = [&mut one, &mut other].map(|session| told(session.answer(json, with)));
        assert!(replies[0] == replies[1], "{}", String::from_utf8_lossy(json));
    }
}

/// An answer that was encoded and decoded, without what tells the lanes.
fn told(reply: Reply) -> (Value, Vec<(String, Vec<u8>)>) {
    if let Some(error) = reply.error() {
        assert!(!error.is_empty());
    }
    let (mut json, arrays) = decoded(&reply.encode());
    json["lanes"] = Value::Null;
    (json, arrays)
}

/// The JSON and the arrays of an answer in bytes.
pub fn decoded(bytes: &[u8]) -> (Value, Vec<(String, Vec<u8>)>) {
    let length = u32::from_le_bytes(bytes[..4].try_into().expect("four bytes")) as usize;
    let mut json: Value = serde_json::from_slice(&bytes[4..4 + length]).expect("an answer is JSON");
    let start = (4 + length).next_multiple_of(4);
    let places = json.as_object_mut().and_then(|json| json.remove("arrays")).expect("the arrays' places");
    let mut arrays: Vec<(usize, String, Vec<u8>)> = Vec::new();
    for (name, place) in places.as_object().expect("an object") {
        let [at, length] = [0, 1].map(|k| place[k].as_u64().expect("a number") as usize);
        arrays.push((at, name.clone(), bytes[start + at..start + at + length].to_vec()));
    }
    // Those without bytes stand before the one that begins where they do.
    arrays.sort_by_key(|(at, _, array)| (*at, !array.is_empty()));
    (json, arrays.into_iter().map(|(_, name, array)| (name, array)).collect())
}

/// Whether a message asks for more work than a case may take; such scenes and counts are no faults.
fn takes_long(json: &[u8]) -> bool {
    let Ok(message) = serde_json::from_slice::<Value>(json) else { return false };
    if message["count"].as_u64().is_some_and(|count| (4..=1000).contains(&count)) {
        return true;
    }
    let text = match (&message["text"], &message["scene"]) {
        (Value::String(text), _) => text.clone(),
        (_, Value::String(name)) => {
            match seidel_io::scene::load(name, &[]).and_then(|spec| seidel_io::scene::to_toml(&spec)) {
                Ok(text) if !name.ends_with(".toml") && name != "-" => text,
                _ => return name.ends_with(".toml") || name == "-",
            }
        }
        _ => return false,
    };
    let set = message["set"].as_array().into_iter().flatten().filter_map(|change| change.as_str().map(str::to_owned));
    let Ok(spec) = seidel_io::scene::parse_changed("any.toml".as_ref(), &text, &set.collect::<Vec<_>>()) else {
        return false;
    };
    let substeps = match spec.solver.substeps {
        seidel::Substeps::Fixed(substeps) => substeps,
        _ => 1,
    };
    spec.settle > 0.0 && spec.settle * spec.fps > 3.0 || substeps > 40 || spec.solver.iterations > 20
}
