//! Why bytes are no state, or no input.

/// Why bytes are no state of a plan ([`crate::State::from_bytes`]).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// They do not begin as a state does.
    #[error("this is no state of the engine: its first bytes are others")]
    Foreign,
    /// Another version of the engine wrote them.
    #[error("the state has format {got}, and this version reads format {want}")]
    Format {
        /// The format's number.
        got: u32,
        /// The one that is read.
        want: u32,
    },
    /// There are fewer or more than there should be.
    #[error("the state has {got} bytes, and should have {want}: it is not whole, or something follows it")]
    Length {
        /// Bytes that there are.
        got: u64,
        /// Bytes that the header or the plan asks for.
        want: u64,
    },
    /// They have changed since they were written.
    #[error("the state is damaged: its bytes have the checksum {got:016x}, and it says {want:016x}")]
    Damaged {
        /// The checksum of the bytes.
        got: u64,
        /// The checksum at their end.
        want: u64,
    },
    /// They are the state of other bodies.
    #[error("the state is one of other bodies: its layout is {got:016x}, and the scene's is {want:016x}")]
    Layout {
        /// The layout of the state ([`crate::Plan::layout_id`]).
        got: u64,
        /// The plan's.
        want: u64,
    },
    /// A number that no step leaves.
    #[error("the state holds a wrong number: {what}")]
    Value {
        /// Of what, and what it should be.
        what: &'static str,
    },
}

/// Why bytes are no input of a scene ([`crate::Input::from_bytes`]).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// They do not begin as an input does.
    #[error("this is no input: its first bytes are others")]
    Foreign,
    /// Another version of the engine wrote them.
    #[error("the input has format {got}, and this version reads format {want}")]
    Format {
        /// The format's number.
        got: u32,
        /// The one that is read.
        want: u32,
    },
    /// There are fewer or more than there should be.
    #[error("the input has {got} bytes, and should have {want}: it is not whole, or something follows it")]
    Length {
        /// Bytes that there are.
        got: u64,
        /// Bytes that there should be.
        want: u64,
    },
    /// They have changed since they were written.
    #[error("the input is damaged: its bytes have another checksum than it says")]
    Damaged,
    /// Something that no input writes.
    #[error("the input holds something wrong: {what}")]
    Value {
        /// What.
        what: &'static str,
    },
}

impl From<SnapshotError> for InputError {
    /// Of numbers that were to be read from its bytes.
    fn from(error: SnapshotError) -> InputError {
        match error {
            SnapshotError::Length { got, want } => InputError::Length { got, want },
            _ => InputError::Damaged,
        }
    }
}
