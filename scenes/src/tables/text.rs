//! A scene as TOML. What serde makes of all keys is compiled here, in a crate that the optimiser passes by quickly.

use super::SceneSpec;
use serde::Deserialize;
use toml::de::{DeTable, Deserializer};
use toml::{Spanned, Table};

impl SceneSpec {
    /// The scene that a text's keys describe; `seidel_io::scene` reads files.
    ///
    /// # Errors
    /// If a key is unknown, or its value is not of its type: with the place in the text.
    pub fn of_keys(keys: Spanned<DeTable<'_>>) -> Result<SceneSpec, toml::de::Error> {
        SceneSpec::deserialize(Deserializer::from(keys))
    }

    /// Its keys and values.
    ///
    /// # Errors
    /// If a number has no form in TOML: an integer beyond 64 bits with a sign.
    pub fn to_keys(&self) -> Result<Table, toml::ser::Error> {
        Table::try_from(self)
    }
}
