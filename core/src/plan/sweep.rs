//! The sequence of a sweep.

/// In which order a sweep goes over the rows.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Patches at once, then the interfaces between them, interface by interface in colors: the engine's own.
    #[default]
    Patches,
    /// Every row in a patch, those over a border in the last that they touch; patches are colored, colors follow one
    /// another.
    ColoredPatches,
    /// Registers of sixteen rows, colored greedily over all bodies, one worker: as in one cell of the engine that has
    /// no end.
    Registers,
    /// Rows, colored greedily over all bodies, family after family, one worker: the textbook's. Particles lie in rows
    /// of numbers.
    Greedy,
    /// Rows one after another as recipes list them, one worker. Rows that wait for none but those before them go
    /// together, which changes no bit. Particles lie in rows of numbers.
    Listed,
}

impl Order {
    /// Whether a sweep's registers are whole only by chance, so that particles had better lie in rows of numbers.
    pub(crate) fn by_index(self) -> bool {
        matches!(self, Order::Greedy | Order::Listed)
    }
}
