//! Names under which a source lists its triangles: object, group, material.

use gltf::json::extras::RawValue;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

/// What a triangle belongs to in its source. An empty name is none; one of more than 16384 bytes (64 names of 255 in a
/// `g` line) is cut.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// Object: `o` of an OBJ file, the node of a glTF file.
    pub object: Arc<str>,
    /// Group: `g` of an OBJ file, several names with blanks between them; the mesh of a glTF file if it is not called
    /// as the node.
    pub group: Arc<str>,
    /// Material: `usemtl` of an OBJ file.
    pub material: Arc<str>,
}

impl Part {
    /// Object, group, material.
    #[must_use]
    pub fn names(&self) -> [&Arc<str>; 3] {
        [&self.object, &self.group, &self.material]
    }
}

/// The names as a reader comes to them. Each is kept once, however often it stands in the file.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    names: HashMap<Arc<str>, u32>,
    list: Vec<Arc<str>>,
    known: HashMap<[u32; 3], u32>,
    parts: Vec<Part>,
    current: [Option<u32>; 3],
    of_triangle: Vec<u32>,
}

impl Parts {
    /// From here on triangles belong to the object (0), the group (1) or the material (2) of that name.
    pub(crate) fn set(&mut self, which: usize, name: &str) {
        let name = plain(name);
        let known = self.names.get(&*name).copied();
        self.current[which] = (!name.is_empty()).then(|| {
            known.unwrap_or_else(|| {
                let (name, number) = (Arc::<str>::from(&*name), self.list.len() as u32);
                self.list.push(Arc::clone(&name));
                self.names.insert(name, number);
                number
            })
        });
    }

    /// Adds triangles of the names that were set last.
    pub(crate) fn push(&mut self, triangles: usize) {
        if triangles == 0 {
            return;
        }
        let key = self.current.map(|name| name.unwrap_or(u32::MAX));
        let part = *self.known.entry(key).or_insert_with(|| {
            let [object, group, material] =
                self.current.map(|name| name.map_or_else(Arc::default, |name| Arc::clone(&self.list[name as usize])));
            self.parts.push(Part { object, group, material });
            self.parts.len() as u32 - 1
        });
        self.of_triangle.resize(self.of_triangle.len() + triangles, part);
    }

    /// The parts, and the part of each triangle; both empty if no triangle has a name.
    pub(crate) fn finish(self) -> (Vec<Part>, Vec<u32>) {
        if self.parts.iter().all(|part| *part == Part::default()) {
            return (Vec::new(), Vec::new());
        }
        (self.parts, self.of_triangle)
    }
}

/// Objects and groups of a glTF primitive's triangles, as its `extras` say them. Names stand once, the first is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Runs {
    names: Vec<String>,
    /// Triangles that follow one another: the object's and the group's name, and how many.
    runs: Vec<[u32; 3]>,
}

impl Runs {
    /// From a primitive's `extras`; None if they are another program's, or do not cover exactly so many triangles.
    pub(crate) fn read(extras: &str, triangles: usize) -> Option<Self> {
        let runs: Self = serde_json::from_str(extras).ok()?;
        let covered: u64 = runs.runs.iter().map(|run| u64::from(run[2])).sum();
        let named = |run: &[u32; 3]| run[..2].iter().all(|&name| (name as usize) < runs.names.len());
        (covered == triangles as u64 && runs.runs.iter().all(named)).then_some(runs)
    }

    /// As `extras`.
    pub(crate) fn to_extras(&self) -> Option<Box<RawValue>> {
        RawValue::from_string(serde_json::to_string(self).ok()?).ok()
    }

    /// Object, group and number of triangles.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &str, usize)> {
        let name = |name: u32| &*self.names[name as usize];
        self.runs.iter().map(move |&[object, group, triangles]| (name(object), name(group), triangles as usize))
    }
}

/// Runs as triangles come.
#[derive(Debug, Default)]
pub(crate) struct RunsOf<'a> {
    numbers: HashMap<&'a str, u32>,
    names: Vec<&'a str>,
    runs: Vec<[u32; 3]>,
    last: Option<u32>,
}

impl<'a> RunsOf<'a> {
    /// Adds a triangle of a part, which has this number.
    pub(crate) fn push(&mut self, number: u32, part: &'a Part) {
        match self.runs.last_mut().filter(|_| self.last == Some(number)) {
            Some(run) => run[2] += 1,
            None => {
                let [object, group] = [&*part.object, &*part.group].map(|name| self.name(name));
                self.runs.push([object, group, 1]);
                self.last = Some(number);
            }
        }
    }

    fn name(&mut self, name: &'a str) -> u32 {
        if self.names.is_empty() {
            self.names.push("");
            self.numbers.insert("", 0);
        }
        let names = &mut self.names;
        *self.numbers.entry(name).or_insert_with(|| {
            names.push(name);
            names.len() as u32 - 1
        })
    }

    pub(crate) fn finish(self) -> Runs {
        Runs { names: self.names.into_iter().map(str::to_owned).collect(), runs: self.runs }
    }
}

/// Longest name, bytes: what is longer is cut.
const MAX_NAME: usize = 1 << 14;

/// A name in one line, without blanks around it.
fn plain(name: &str) -> Cow<'_, str> {
    let name = name.trim();
    let end = (0..=MAX_NAME.min(name.len())).rev().find(|&end| name.is_char_boundary(end));
    let name = name[..end.unwrap_or(0)].trim_end();
    match name.contains(char::is_control) {
        true => Cow::Owned(name.chars().map(|c| if c.is_control() { '_' } else { c }).collect()),
        false => Cow::Borrowed(name),
    }
}
