//! Messages between a page and a session.
//!
//! A request is a JSON object whose key `do` says what to do, and bytes, which only a few requests have. An answer is a
//! JSON object and arrays. On its way an answer is: the length of the JSON text (4 bytes, little-endian), the text,
//! zeros up to a multiple of 4, and the arrays one after another; the key `arrays` of the object has the place and
//! length of each, in bytes from the first array.

use seidel_scenes::SceneSpec;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// What a page asks.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Request {
    /// Keeps the bytes as a file of this name, for scenes that name it.
    File {
        /// The name in the scene.
        name: String,
    },
    /// Plans a scene.
    Open {
        /// A named scene.
        #[serde(default)]
        scene: Option<String>,
        /// Or the text of a scene file.
        #[serde(default)]
        text: Option<String>,
        /// Changes, `key=value`.
        #[serde(default)]
        set: Vec<String>,
        /// Goes on from the state of the last scene, if it has the same bodies ([`seidel::State::carried`]) and
        /// something has happened to it: before the first frame the scene begins as its text says.
        #[serde(default)]
        keep: bool,
    },
    /// Goes back to the start.
    Reset,
    /// Takes steps, a frame each.
    Step {
        /// How many, up to 1000.
        #[serde(default = "one")]
        count: u32,
    },
    /// Sets what hands do, until they do something else.
    Hold(Hold),
    /// The vertex of a body that is nearest to a point.
    Nearest {
        /// Number of the body.
        body: usize,
        /// Metres.
        point: [f32; 3],
    },
    /// Pins a vertex where it is, or lets it go.
    Pin {
        /// Number of the body.
        body: usize,
        /// Its vertex.
        vertex: u32,
        /// Whether it is pinned from now on.
        on: bool,
    },
    /// Adds a ball that flies as gravity has it, and pushes what it meets.
    Throw {
        /// Metres.
        from: [f32; 3],
        /// m/s.
        velocity: [f32; 3],
        /// Metres.
        radius: f32,
    },
    /// Whether frames come with contacts.
    Contacts {
        /// Yes.
        on: bool,
    },
    /// Keeps the state under a number: the last sixteen, or fewer where they do not fit into the session's memory.
    Snapshot,
    /// Goes back to a kept state.
    Restore {
        /// Its number.
        number: usize,
    },
    /// Begins a file of frames: `.npz` or `.glb`.
    Export {
        /// Its name, whose ending says which.
        name: String,
    },
    /// Adds a frame, whose bytes are positions, velocities, poses of shapes and of rigid bodies, and densities of
    /// fluids, f32, and the numbers of their particles' births, u32.
    ExportFrame {
        /// Seconds.
        time: f64,
        /// Kinetic and gravitational, joules.
        energy: [f64; 2],
        /// Largest stretch.
        stretch: f32,
    },
    /// Ends the file, and gives its bytes.
    ExportEnd,
}

fn one() -> u32 {
    1
}

/// What hands do in every step.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Hold {
    /// Vertices that are drawn towards points.
    pub pulls: Vec<PullOf>,
    /// Colliders that are held at positions.
    pub colliders: Vec<Held>,
    /// Wind instead of the scene's, m/s.
    pub wind: Option<[f32; 3]>,
    /// Blades that cut all cloths that can be cut, in the next step alone.
    pub cuts: Vec<Blade>,
}

/// What a segment sweeps over, metres.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Blade {
    /// Its ends at first.
    pub from: [[f64; 3]; 2],
    /// Where they have moved to.
    pub to: [[f64; 3]; 2],
}

/// A vertex that a hand draws.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PullOf {
    /// Number of the body.
    pub body: usize,
    /// Its vertex.
    pub vertex: u32,
    /// Where to, metres.
    pub target: [f32; 3],
}

/// A collider that a hand holds.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Held {
    /// Number of the collider.
    pub collider: usize,
    /// Metres.
    pub position: [f32; 3],
}

/// An answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reply {
    /// The object, without the key `arrays`.
    pub json: Map<String, Value>,
    /// Arrays by name.
    pub arrays: Vec<(&'static str, Vec<u8>)>,
}

impl Reply {
    /// An answer that has this object.
    pub(crate) fn of(json: Value) -> Reply {
        Reply { json: json.as_object().cloned().unwrap_or_default(), arrays: Vec::new() }
    }

    /// An answer that says what is wrong; a line of the scene's text is named apart.
    pub(crate) fn wrong(what: &str) -> Reply {
        let (line, rest) = match what.strip_prefix("line ").and_then(|rest| rest.split_once(": ")) {
            Some((line, rest)) => (line.parse::<u32>().ok(), rest),
            None => (None, what),
        };
        let what = if line.is_some() { rest } else { what };
        Reply::of(json!({ "error": what, "line": line }))
    }

    /// Adds an array.
    pub(crate) fn with<T: bytemuck::NoUninit>(mut self, name: &'static str, values: &[T]) -> Reply {
        self.arrays.push((name, bytemuck::cast_slice(values).to_vec()));
        self
    }

    /// An answer of an engine that has a fault.
    #[must_use]
    pub fn fault(what: &str) -> Reply {
        Reply::wrong(what)
    }

    /// What is wrong, with its line if that is known.
    #[must_use]
    pub fn error_at_line(&self) -> Option<String> {
        let line = self.json.get("line").and_then(Value::as_u64);
        self.error().map(|what| line.map_or_else(|| what.to_owned(), |line| format!("line {line}: {what}")))
    }

    /// What is wrong, if something is.
    #[must_use]
    pub fn error(&self) -> Option<&str> {
        self.json.get("error").and_then(Value::as_str)
    }

    /// An array.
    #[must_use]
    pub fn array(&self, name: &str) -> Option<&[u8]> {
        self.arrays.iter().find(|(of, _)| *of == name).map(|(_, bytes)| bytes.as_slice())
    }

    /// The answer in bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut places = Map::new();
        let mut end = 0;
        for (name, bytes) in &self.arrays {
            places.insert((*name).to_owned(), json!([end, bytes.len()]));
            end += bytes.len().next_multiple_of(4);
        }
        let mut json = self.json.clone();
        json.insert("arrays".to_owned(), places.into());
        let text = Value::Object(json).to_string();
        let mut out = Vec::with_capacity(8 + text.len() + end);
        out.extend((text.len() as u32).to_le_bytes());
        out.extend(text.as_bytes());
        out.resize(out.len().next_multiple_of(4), 0);
        for (_, bytes) in &self.arrays {
            out.extend(bytes);
            out.resize(out.len().next_multiple_of(4), 0);
        }
        out
    }
}

/// A description as the page gets it: numbers of f32 with as many digits as they need.
pub(crate) fn spec(spec: &SceneSpec) -> Value {
    fn parsed(spec: &impl Serialize) -> serde_json::Result<Value> {
        serde_json::from_str(&serde_json::to_string(spec)?)
    }
    parsed(spec).unwrap_or_default()
}
