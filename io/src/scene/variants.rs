//! What a body is made of unless a key says something else ([`SceneSpec::VARIANTS`]), and the keys that mean nothing
//! then.

use std::path::Path;

use seidel_scenes::{SceneSpec, Variant, key};
use toml::{Table, Value};

use super::tables::{each_with, entries, forget, tables};
use crate::tets;

/// All variants, each with the key of its tables.
fn variants() -> impl Iterator<Item = (&'static str, &'static Variant)> {
    SceneSpec::VARIANTS.iter().flat_map(|(what, variants)| variants.iter().map(move |variant| (*what, variant)))
}

/// The key that chooses another variant.
fn replaced_by(variant: &Variant, table: &Table) -> Option<&'static str> {
    variant.other.iter().copied().find(|key| table.contains_key(*key))
}

/// Takes away keys of variants that are replaced by another.
pub(super) fn without_replaced(table: &mut Table) {
    for (what, variant) in variants() {
        for body in tables(table.get_mut(what)).filter(|body| replaced_by(variant, body).is_some()) {
            body.retain(|key, _| !variant.keys.contains(&key));
        }
    }
}

/// Refuses known keys that would be ignored beside the others.
pub(super) fn has_meaning(table: &Table) -> Result<(), String> {
    let numbered = |what: &'static str| entries(table.get(what)).enumerate();
    let of = |what: &str, i: usize, entry: &Table| match entry.get("name").and_then(Value::as_str) {
        Some(name) if !name.is_empty() => format!("{what} `{name}`"),
        _ => format!("{what} {i}"),
    };
    for (what, variant) in variants() {
        for (i, body) in numbered(what) {
            let key = variant.keys.iter().find(|key| body.contains_key(**key));
            if let Some((key, other)) = key.zip(replaced_by(variant, body)) {
                let (of, variant) = (of(what, i, body), variant.name);
                return Err(format!(
                    "{of}: `{key}` is for {variant} and means nothing beside `{other}`; leave one of them out"
                ));
            }
        }
    }
    let moving = [key::COLLIDER, key::BODY].into_iter().flat_map(|what| numbered(what).map(move |of| (what, of)));
    for (what, (i, entry)) in moving {
        let Some(motion) = entry.get(key::MOTION).and_then(Value::as_table) else { continue };
        let fixed = motion.get("path").and_then(Value::as_str) == Some("fixed");
        if let Some(key) = motion.keys().find(|key| fixed && *key != "path") {
            let of = of(what, i, entry);
            return Err(format!("{of}: `{key}` means nothing to the path `fixed`; leave one of them out"));
        }
    }
    Ok(())
}

/// Where changes have chosen another variant than `base` has, the keys of the old one go, unless they were changed too.
pub(super) fn forget_replaced(table: &mut Table, base: &Table) {
    for (what, variant) in variants() {
        each_with(table, base, what, |new, old| {
            if variant.other.iter().any(|key| new.contains_key(*key) && !old.contains_key(*key)) {
                forget(new, old, |key| variant.keys.contains(&key));
            }
        });
    }
    // A file of tetrahedra has no cells that it is filled with.
    each_with(table, base, key::SOFT_BODY, |new, old| {
        let file = new.get("mesh").filter(|_| !old.contains_key("mesh")).and_then(Value::as_str);
        if file.is_some_and(|file| tets::is_tets(Path::new(file))) {
            forget(new, old, |key| key == "cell");
        }
    });
}
