//! What the fuzz targets check. Nothing here needs libFuzzer, so a stable test (`io/tests/corpus.rs`) runs the same
//! code over the committed corpus. `message.rs` is for sessions, which stand above io/: `live/tests/bytes.rs` runs it.

mod bytes;
mod check;
mod contact;
mod fluid;
mod gltf;
mod hash;
mod mesh;
mod obj;
mod rigid;
mod snapshot;
mod surface;
mod tets;

pub use contact::contact;
pub use fluid::fluid;
pub use gltf::gltf;
pub use hash::hash;
pub use mesh::mesh;
pub use obj::obj;
pub use rigid::rigid;
pub use snapshot::snapshot;
pub use surface::surface;
pub use tets::tets;
