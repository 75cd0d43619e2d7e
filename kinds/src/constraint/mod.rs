//! One file a kind: the paper's equation and nothing else.

mod attach;
mod bend_twist;
mod dihedral;
mod distance;
mod edge_edge;
mod elastic_triangle;
mod hooke;
mod isometric;
mod neo_hookean;
mod point_edge;
mod point_triangle;
mod stable_neo_hookean;
mod strain;
mod stretch_shear;
mod stvk;
mod tet;
mod volume;

pub use attach::{Attach, AttachTriangle};
pub use bend_twist::BendTwist;
pub use dihedral::Dihedral;
pub use distance::Distance;
pub use edge_edge::EdgeEdge;
pub use elastic_triangle::{ElasticTriangle, OrthotropicTriangle};
pub use hooke::Hooke;
pub use isometric::Isometric;
pub use neo_hookean::NeoHookean;
pub use point_edge::PointEdge;
pub use point_triangle::PointTriangle;
pub use stable_neo_hookean::{StableEnergy, StableNeoHookean};
pub use strain::{StrainTet, StrainTriangle};
pub use stretch_shear::StretchShear;
pub use stvk::StVenantKirchhoff;
pub use tet::{Elastic, Energy};
pub use volume::Volume;
