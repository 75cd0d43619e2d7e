//! Variants of a table: a cloth is a grid or a mesh, a rope a line or points. Each table says which of its keys belong
//! to which.

use super::SceneSpec;
use super::key;
use super::list::listed;
use super::variant::Variant;
use super::{
    BalloonSpec, ClothSpec, ColliderSpec, FluidSpec, GrainsSpec, JoinSpec, ObstacleSpec, ParticleJointSpec,
    RigidJointSpec, RigidSpec, RodSpec, RopeSpec, ShapeMatchedSpec, SoftBodySpec,
};

/// What tables have that give no `VARIANTS`: none. (`table!` gives `KEYS`; a table that it has not made has none here.)
trait Varied {
    const VARIANTS: &'static [Variant] = &[];
    #[cfg(test)]
    const KEYS: &'static [&'static str] = &[];
}

impl<T> Varied for T {}

macro_rules! variants {
    (bodies: $($body:ident $BODY:ident $Body:ident),+; others: $($other:ident $OTHER:ident $Other:ident),+) => {
        impl SceneSpec {
            /// Variants of the tables in [`SceneSpec::TABLES`]; most have none. (A cloth's `pin` is of a grid too; the
            /// scene refuses it when it is built.)
            pub const VARIANTS: &[(&str, &[Variant])] =
                &[$((stringify!($body), $Body::VARIANTS),)+ $((stringify!($other), $Other::VARIANTS)),+];

            /// Keys of these tables.
            #[cfg(test)]
            const KEYS_OF: &[(&str, &[&str])] =
                &[$((stringify!($body), $Body::KEYS),)+ $((stringify!($other), $Other::KEYS)),+];

            /// Checks the keys of these tables.
            #[cfg(test)]
            fn each_table(check: &mut tests::Inner) {
                $(check.of::<$Body>($Body::KEYS);)+
                $(check.of::<$Other>($Other::KEYS);)+
            }
        }
    };
}

listed!(variants);

impl SceneSpec {
    /// Keys that are tables of their own, here or in other tables.
    pub const INNER_TABLES: &[&str] = key::INNER_TABLES;

    /// Keys of tables that are lists of tables.
    pub const INNER_LISTS: &[&str] = key::INNER_LISTS;

    /// Keys and values that were called otherwise once: the old name and the new one.
    pub const RENAMED: [(&str, &str); 3] =
        [("jelly", key::SOFT_BODY), ("soft", key::SHAPE_MATCHED), ("go-on", "ignore")];
}

#[cfg(test)]
mod tests {
    use super::super::{AirSpec, EmitterSpec, LimbSpec, PartSpec, SolverSpec};
    use super::*;

    #[test]
    fn variants_name_keys_that_exist() {
        for ((table, variants), (of, keys)) in SceneSpec::VARIANTS.iter().zip(SceneSpec::KEYS_OF) {
            assert!(table == of && SceneSpec::TABLES.contains(table), "{table}");
            for key in variants.iter().flat_map(|variant| variant.keys.iter().chain(variant.other)) {
                assert!(keys.contains(key), "[[{table}]] has no `{key}`; it has {keys:?}");
            }
        }
        let varied = SceneSpec::VARIANTS.iter().filter(|(_, variants)| !variants.is_empty()).count();
        assert!(varied >= 10, "{varied} tables have variants");
        let all = || SceneSpec::KEYS_OF.iter().flat_map(|(_, keys)| *keys).chain(SceneSpec::KEYS);
        for inner in SceneSpec::INNER_TABLES.iter().chain(SceneSpec::INNER_LISTS) {
            assert!(all().any(|key| key == inner), "no table has `{inner}`");
        }
        for (old, new) in SceneSpec::RENAMED {
            assert!(all().all(|key| *key != old), "`{old}` is a key, and is said to be called `{new}`");
        }
    }

    /// Keys that take a table, or a list of tables, and are in no list of such keys.
    #[derive(Default)]
    pub(super) struct Inner(Vec<&'static str>);

    impl Inner {
        pub(super) fn of<T: serde::de::DeserializeOwned>(&mut self, keys: &[&'static str]) {
            // A table that must have keys is known by the one that is missing.
            let takes = |text: String| match toml::from_str::<T>(&text) {
                Ok(_) => true,
                Err(error) => error.message().starts_with("missing field"),
            };
            for &key in keys {
                let listed = SceneSpec::TABLES.contains(&key) || SceneSpec::INNER_LISTS.contains(&key);
                let is_left_out = takes(format!("[[{key}]]\n")) && !listed
                    || takes(format!("[{key}]\n")) && !SceneSpec::INNER_TABLES.contains(&key);
                self.0.extend(is_left_out.then_some(key));
            }
        }
    }

    #[test]
    fn no_table_is_left_out() {
        let mut inner = Inner::default();
        inner.of::<SceneSpec>(SceneSpec::KEYS);
        SceneSpec::each_table(&mut inner);
        inner.of::<AirSpec>(AirSpec::KEYS);
        inner.of::<SolverSpec>(SolverSpec::KEYS);
        inner.of::<EmitterSpec>(EmitterSpec::KEYS);
        inner.of::<LimbSpec>(LimbSpec::KEYS);
        inner.of::<PartSpec>(PartSpec::KEYS);
        assert!(inner.0.is_empty(), "name them in list.rs or key.rs: {:?}", inner.0);
    }
}
