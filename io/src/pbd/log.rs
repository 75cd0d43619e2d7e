//! What a reader has to say of a file.

/// What is found on the way.
#[derive(Debug, Default)]
pub(super) struct Log {
    pub(super) unknown_keys: Vec<String>,
    pub(super) notes: Vec<String>,
}
