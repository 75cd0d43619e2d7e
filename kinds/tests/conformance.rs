//! Every listed kind through the conformance harness: what is in the table is tested. No kernel is compiled for this: the table's are.

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

/// A kind that has its static and is not in `KINDS` would not be tested, nor found by its name.
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
