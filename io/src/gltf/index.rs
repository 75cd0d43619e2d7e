//! What an index of a glTF file names, and what errors call it.

use ::gltf::json::Index;

/// What an index names, or an error that names both.
pub(super) fn get<'a, T>(all: &'a [T], index: Index<T>, what: &str) -> Result<&'a T, String> {
    all.get(index.value()).ok_or_else(|| format!("names {what} {index}; there are {}", all.len()))
}

/// One of an error's words for a part that may have a name.
pub(super) fn called(what: &str, index: usize, name: Option<&String>) -> String {
    match name {
        Some(name) => format!("{what} {index} {name:?}"),
        None => format!("{what} {index}"),
    }
}
