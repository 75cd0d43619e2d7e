//! What a body is made of unless a key says something else, and the keys that mean nothing then.

use std::path::Path;

use toml::{Table, Value};

use super::tables::{each_with, entries, forget, tables};
use crate::tets;

/// A form that tables of bodies have on their own.
struct Form {
    /// What errors call it.
    name: &'static str,
    /// Tables that have it.
    of: &'static [&'static str],
    /// Keys that say something of it only.
    keys: &'static [&'static str],
    /// Keys that put something else in its place.
    other: &'static [&'static str],
}

/// All of them. (A cloth's `pin` is of a grid too; the scene refuses it when it is built.)
const FORMS: [Form; 8] = [
    Form {
        name: "a grid",
        of: &["cloth"],
        keys: &["resolution", "size", "tube", "shear_compliance", "shear_stiffness"],
        other: &["mesh"],
    },
    Form { name: "a line", of: &["rope", "rod"], keys: &["from", "to", "segments"], other: &["points"] },
    Form { name: "a bar or tube", of: &["soft_body"], keys: &["size", "cells", "tube"], other: &["mesh", "balls"] },
    Form { name: "an elastic material", of: &["soft_body"], keys: &["young"], other: &["stiffness"] },
    Form { name: "a ball", of: &["balloon", "shape_matched"], keys: &["radius", "detail"], other: &["mesh", "half"] },
    Form { name: "a box", of: &["shape_matched"], keys: &["half", "cells"], other: &["mesh"] },
    Form { name: "an obstacle without a file", of: &["obstacle"], keys: &["limb"], other: &["mesh"] },
    Form { name: "a mesh of files", of: &["obstacle"], keys: &["frames", "fps", "repeat"], other: &["limb"] },
];

impl Form {
    /// The key that puts something else in its place.
    fn replaced_by(&self, table: &Table) -> Option<&'static str> {
        self.other.iter().copied().find(|key| table.contains_key(*key))
    }
}

/// Takes away keys of forms that something else has the place of.
pub(super) fn without_replaced(table: &mut Table) {
    for form in &FORMS {
        for what in form.of {
            for body in tables(table.get_mut(*what)).filter(|body| form.replaced_by(body).is_some()) {
                body.retain(|key, _| !form.keys.contains(&key));
            }
        }
    }
}

/// Refuses known keys that would be ignored beside the others.
pub(super) fn has_meaning(table: &Table) -> Result<(), String> {
    let numbered = |what: &'static str| entries(table.get(what)).enumerate().map(move |(i, entry)| (what, i, entry));
    let of = |what: &str, i: usize, entry: &Table| match entry.get("name").and_then(Value::as_str) {
        Some(name) if !name.is_empty() => format!("{what} `{name}`"),
        _ => format!("{what} {i}"),
    };
    for form in &FORMS {
        for (what, i, body) in form.of.iter().flat_map(|what| numbered(what)) {
            let key = form.keys.iter().find(|key| body.contains_key(**key));
            if let Some((key, other)) = key.zip(form.replaced_by(body)) {
                let (of, form) = (of(what, i, body), form.name);
                return Err(format!(
                    "{of}: `{key}` is for {form} and means nothing beside `{other}`; leave one of them out"
                ));
            }
        }
    }
    for (what, i, collider) in numbered("collider") {
        let Some(motion) = collider.get("motion").and_then(Value::as_table) else { continue };
        let fixed = motion.get("path").and_then(Value::as_str) == Some("fixed");
        if let Some(key) = motion.keys().find(|key| fixed && *key != "path") {
            let of = of(what, i, collider);
            return Err(format!("{of}: `{key}` means nothing to the path `fixed`; leave one of them out"));
        }
    }
    Ok(())
}

/// Where changes have put something else in the place of what was in `base`, the keys of that go, unless they were changed too.
pub(super) fn forget_replaced(table: &mut Table, base: &Table) {
    for form in &FORMS {
        for what in form.of {
            each_with(table, base, what, |new, old| {
                if form.other.iter().any(|key| new.contains_key(*key) && !old.contains_key(*key)) {
                    forget(new, old, |key| form.keys.contains(&key));
                }
            });
        }
    }
    // A file for balls; one of tetrahedra has no cells that it is filled with.
    each_with(table, base, "soft_body", |new, old| {
        let solid = new.get("mesh").and_then(Value::as_str).map(|file| tets::is_tets(Path::new(file)));
        if let Some(solid) = solid.filter(|_| !old.contains_key("mesh")) {
            forget(new, old, |key| key == "balls" || solid && key == "cell");
        }
    });
    each_with(table, base, "collider", |new, old| {
        if new.contains_key("file") && !old.contains_key("file") {
            forget(new, old, |key| key == "balls");
        }
    });
}
