//! Sessions as tests ask them.
#![allow(unreachable_pub)]

use seidel::{Execution, Isa};
use seidel_live::{Reply, Session};
use serde_json::{Value, json};

/// One thread, no files.
pub fn session() -> Session {
    Session::in_memory(Execution::new(Isa::detect(), 1))
}

/// The answer, whatever it says.
pub fn answer(session: &mut Session, request: &Value) -> Reply {
    session.answer(request.to_string().as_bytes(), &[])
}

/// The answer, which has no error.
pub fn ask(session: &mut Session, request: &Value) -> Reply {
    let reply = answer(session, request);
    assert_eq!(reply.error_at_line(), None, "{request}");
    reply
}

/// The error of a request.
pub fn refused(session: &mut Session, request: &Value) -> String {
    answer(session, request).error_at_line().unwrap_or_else(|| panic!("{request} is not refused"))
}

/// A sheet of 6 x 6 vertices over a ball, one corner pinned.
pub const SHEET: &str = r#"
fps = 60
[[cloth]]
name = "sheet"
resolution = 6
size = [0.5, 0.5]
position = [0, 0.5, 0]
pin_vertices = [0]

[[collider]]
name = "ball"
shape = "sphere"
radius = 0.2
position = [0, 0.2, 0]
"#;

/// A session in which [`SHEET`] is open.
pub fn sheet() -> Session {
    let mut session = session();
    ask(&mut session, &json!({ "do": "open", "text": SHEET }));
    session
}

/// The state's hash.
pub fn hash(reply: &Reply) -> String {
    reply.json["hash"].as_str().expect("a hash").to_owned()
}

/// Takes steps and gives the state's hash.
pub fn steps(session: &mut Session, count: u32) -> String {
    hash(&ask(session, &json!({ "do": "step", "count": count })))
}

/// Numbers of an array.
pub fn numbers(reply: &Reply, name: &str) -> Vec<f32> {
    let bytes = reply.array(name).unwrap_or_else(|| panic!("no {name}"));
    bytes.chunks_exact(4).map(|c| f32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
}

/// The position of a vertex.
pub fn position(reply: &Reply, vertex: usize) -> [f32; 3] {
    let all = numbers(reply, "positions");
    [0, 1, 2].map(|k| all[3 * vertex + k])
}
