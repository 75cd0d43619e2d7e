//! The line that stands before a measurement.

use seidel_kernels::Isa;
use std::fmt;

/// What was run, and a hash of what came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Name of the workload.
    pub name: String,
    /// Constraints in a sweep.
    pub constraints: usize,
    /// Colors, or waves, of all families.
    pub colors: usize,
    /// Lanes.
    pub isa: Isa,
    /// Threads.
    pub threads: usize,
    /// Of the state, or of the displacements.
    pub hash: u64,
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Line { name, constraints, colors, isa, threads, hash } = self;
        write!(f, "{name:<24} {constraints:>8} {colors:>3} {:<8} {threads} {hash:016x}", isa.name())
    }
}

impl Line {
    /// Prints lines of one workload on several lanes or threads.
    ///
    /// # Panics
    /// If their hashes differ: then they are not the same work, and no time is worth anything.
    pub fn print(lines: &[Line]) {
        for line in lines {
            println!("{line}");
            assert_eq!(line.hash, lines[0].hash, "{} differs from {}", line.isa, lines[0].isa);
        }
    }
}
