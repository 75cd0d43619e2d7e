//! What chooses between the ways in which a table may be filled in.

/// A variant of a table: keys that mean something to it alone, and keys that choose another variant instead.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    /// What errors call it, such as "a grid".
    pub name: &'static str,
    /// Keys that describe it, and nothing else.
    pub keys: &'static [&'static str],
    /// Keys that choose another variant.
    pub other: &'static [&'static str],
}
