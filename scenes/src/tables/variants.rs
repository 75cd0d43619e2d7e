//! Variants of a table: a cloth is a grid or a mesh, a rope a line or points. Each table says which of its keys belong to which.

use super::SceneSpec;
use super::variant::Variant;
use super::{
    BalloonSpec, ClothSpec, ColliderSpec, FluidSpec, GrainsSpec, ObstacleSpec, RodSpec, RopeSpec, ShapeMatchedSpec,
    SoftBodySpec,
};

impl SceneSpec {
    /// Variants of the tables that have several. (A cloth's `pin` is of a grid too; the scene refuses it when it is built.)
    pub const VARIANTS: [(&str, &[Variant]); 10] = [
        ("cloth", ClothSpec::VARIANTS),
        ("rope", RopeSpec::VARIANTS),
        ("rod", RodSpec::VARIANTS),
        ("soft_body", SoftBodySpec::VARIANTS),
        ("balloon", BalloonSpec::VARIANTS),
        ("shape_matched", ShapeMatchedSpec::VARIANTS),
        ("fluid", FluidSpec::VARIANTS),
        ("grains", GrainsSpec::VARIANTS),
        ("obstacle", ObstacleSpec::VARIANTS),
        ("collider", ColliderSpec::VARIANTS),
    ];

    /// Keys that are tables of their own, here or in other tables.
    pub const INNER_TABLES: [&str; 6] = ["air", "solver", "rotation", "motion", "limb", "fabric"];

    /// Keys of tables that are lists of tables.
    pub const INNER_LISTS: [&str; 6] = ["moving_pins", "attach", "map", "constraint", "emitter", "drain"];

    /// Keys and values that were called otherwise once: the old name and the new one.
    pub const RENAMED: [(&str, &str); 3] = [("jelly", "soft_body"), ("soft", "shape_matched"), ("go-on", "ignore")];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_name_keys_that_exist() {
        let keys: [(&str, &[&str]); 10] = [
            ("cloth", ClothSpec::KEYS),
            ("rope", RopeSpec::KEYS),
            ("rod", RodSpec::KEYS),
            ("soft_body", SoftBodySpec::KEYS),
            ("balloon", BalloonSpec::KEYS),
            ("shape_matched", ShapeMatchedSpec::KEYS),
            ("fluid", FluidSpec::KEYS),
            ("grains", GrainsSpec::KEYS),
            ("obstacle", ObstacleSpec::KEYS),
            ("collider", ColliderSpec::KEYS),
        ];
        for ((table, variants), (of, keys)) in SceneSpec::VARIANTS.into_iter().zip(keys) {
            assert!(table == of && SceneSpec::TABLES.contains(&table), "{table}");
            for key in variants.iter().flat_map(|variant| variant.keys.iter().chain(variant.other)) {
                assert!(keys.contains(key), "[[{table}]] has no `{key}`; it has {keys:?}");
            }
        }
        let all = || keys.iter().flat_map(|(_, keys)| *keys).chain(SceneSpec::KEYS);
        for inner in SceneSpec::INNER_TABLES.iter().chain(&SceneSpec::INNER_LISTS) {
            assert!(all().any(|key| key == inner), "no table has `{inner}`");
        }
        for (old, new) in SceneSpec::RENAMED {
            assert!(all().all(|key| *key != old), "`{old}` is a key, and is said to be called `{new}`");
        }
    }
}
