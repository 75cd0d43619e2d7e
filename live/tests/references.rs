//! The reference of keys, as pages show it.

use seidel_live::reference::{FIRST, STARTS, keys};
use seidel_scenes::{
    AirSpec, BalloonSpec, ClothSpec, ColliderSpec, FluidSpec, ObstacleSpec, ParticleJointSpec, RigidJointSpec,
    RigidSpec, RodSpec, RopeSpec, SceneSpec, ShapeMatchedSpec, SoftBodySpec, SolverSpec,
};
use std::collections::BTreeSet;

const TABLES: [(&str, &[&str]); 15] = [
    ("scene", SceneSpec::KEYS),
    ("air", AirSpec::KEYS),
    ("solver", SolverSpec::KEYS),
    ("cloth", ClothSpec::KEYS),
    ("rope", RopeSpec::KEYS),
    ("rod", RodSpec::KEYS),
    ("balloon", BalloonSpec::KEYS),
    ("shape_matched", ShapeMatchedSpec::KEYS),
    ("soft_body", SoftBodySpec::KEYS),
    ("fluid", FluidSpec::KEYS),
    ("obstacle", ObstacleSpec::KEYS),
    ("body", RigidSpec::KEYS),
    ("joint", RigidJointSpec::KEYS),
    ("particle_joint", ParticleJointSpec::KEYS),
    ("collider", ColliderSpec::KEYS),
];

#[test]
fn every_key_of_every_table_is_explained() {
    let all = keys();
    let tables: BTreeSet<&str> = all.keys().copied().collect();
    for (table, wanted) in TABLES {
        assert!(tables.contains(table), "no {table} among {tables:?}");
        let known: BTreeSet<&str> = all[table].iter().map(|key| key.name).collect();
        assert_eq!(known.len(), all[table].len(), "{table}: a key stands twice");
        // Tables in tables have sections of their own.
        let missing: Vec<_> = wanted.iter().filter(|key| !known.contains(**key) && !tables.contains(**key)).collect();
        assert!(missing.is_empty(), "{table}: {missing:?}");
        let strange: Vec<_> = known.iter().filter(|key| !wanted.contains(key)).collect();
        assert!(strange.is_empty(), "{table}: {strange:?}");
    }
}

#[test]
fn cells_are_in_their_columns() {
    let all = keys();
    let key = |table: &str, name: &str| all[table].iter().find(|key| key.name == name).unwrap().clone();
    let gravity = key("scene", "gravity");
    assert!(gravity.unit.contains("m/s^2") && gravity.default.contains("-9.81"), "{gravity:?}");
    let radius = key("collider", "radius");
    assert!(radius.unit == "m" && !radius.what.is_empty(), "{radius:?}");
    for (table, keys) in &all {
        for key in keys {
            assert!(!key.name.is_empty() && !key.name.contains(['`', ' ', '|']), "{table}: {key:?}");
            // A bar in a cell would cut a pair of quotes in two.
            for cell in [key.unit, key.default, key.limits, key.what] {
                assert!(cell.matches('`').count().is_multiple_of(2), "{table}: {key:?}");
            }
        }
    }
}

/// A name that no table has would be shown nowhere.
#[test]
fn names_that_pages_know_are_keys() {
    let bodies: Vec<&str> = SceneSpec::BODIES.to_vec();
    let keys_of = |table: &str| TABLES.iter().find(|(name, _)| *name == table).unwrap_or_else(|| panic!("{table}")).1;
    for (table, names) in FIRST {
        let tables = if *table == "*" { bodies.clone() } else { vec![*table] };
        for name in *names {
            assert!(tables.iter().any(|table| keys_of(table).contains(name)), "{table}: {name}");
        }
    }
    for name in STARTS {
        assert!(TABLES.iter().any(|(_, keys)| keys.contains(name)), "{name}");
    }
}
