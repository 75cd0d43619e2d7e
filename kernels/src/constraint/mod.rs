//! One file a kind: the paper's equation and nothing else.

mod apart;
mod dihedral;
mod distance;
mod isometric;

pub use apart::Apart;
pub use dihedral::Dihedral;
pub use distance::Distance;
pub use isometric::Isometric;
