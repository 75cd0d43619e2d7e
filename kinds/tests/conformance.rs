//! Runs every kind of the table through the conformance harness, on the kernels that the table has compiled.

use seidel_kernels::conformance;
use seidel_kinds::{KINDS, by_name};

#[test]
fn every_listed_kind_conforms() {
    let wrong: Vec<String> = KINDS.iter().filter_map(|kind| conformance::check(kind).err()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn names_find_their_kinds() {
    for kind in KINDS {
        assert!(by_name(kind.name()).is_some_and(|found| found.is(kind)));
        assert_eq!(KINDS.iter().filter(|other| other.name() == kind.name()).count(), 1);
    }
    assert!(by_name("no such kind").is_none());
}

/// A kind that has a static but is not in `KINDS` would be neither tested nor found by its name.
#[test]
fn every_kind_of_the_file_is_listed() {
    let file = include_str!("../src/lib.rs");
    let (statics, table) = file.split_once("pub static KINDS: &[Kind] = &[").expect("the table");
    let (table, _) = table.split_once("];").expect("its end");
    let listed: Vec<&str> = table.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    let named = statics.lines().filter_map(|line| line.strip_prefix("pub static ")?.split_once(": Kind"));
    let named: Vec<&str> = named.map(|(name, _)| name).collect();
    assert_eq!(named, listed);
    assert_eq!(listed.len(), KINDS.len());
}

/// A constraint without a kind would not be tested either.
#[test]
fn every_constraint_makes_a_kind() {
    let exports = include_str!("../src/constraint/mod.rs").lines().filter_map(|line| line.strip_prefix("pub use "));
    let exports: Vec<&str> = exports.flat_map(|line| line.split([':', '{', ',', '}', ';']).map(str::trim)).collect();
    // Names of modules begin with a small letter. `Energy` is a trait, not a constraint.
    let is_constraint = |name: &&&str| name.starts_with(char::is_uppercase) && **name != "Energy";
    assert!(exports.iter().filter(is_constraint).count() > 20, "{exports:?}");
    let table = include_str!("../src/lib.rs").split_once("pub static ").expect("kinds").1;
    for name in exports.iter().filter(is_constraint) {
        let is_made = ["<", ", "]
            .iter()
            .any(|before| [",", ">", "<"].iter().any(|after| table.contains(&format!("{before}{name}{after}"))));
        assert!(is_made, "{name} is in no kind of kinds/src/lib.rs");
    }
}
