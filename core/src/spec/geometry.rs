//! What files hold: surfaces, or solids.

use super::SpecError;
use crate::mesh::Mesh;
use crate::tets::TetMesh;

/// What a file of a mesh holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Geometry {
    /// Triangles.
    Surface(Mesh),
    /// Tetrahedra.
    Solid(TetMesh),
}

impl From<Mesh> for Geometry {
    fn from(mesh: Mesh) -> Geometry {
        Geometry::Surface(mesh)
    }
}

impl From<TetMesh> for Geometry {
    fn from(mesh: TetMesh) -> Geometry {
        Geometry::Solid(mesh)
    }
}

/// Files, by a function that reads one; `of` names who asks for it.
pub(super) struct Files<R> {
    pub(super) read: R,
}

impl<R: FnMut(&str) -> Result<Geometry, E>, E> Files<R> {
    pub(super) fn any(&mut self, of: &str, file: &str) -> Result<Geometry, SpecError<E>> {
        (self.read)(file).map_err(|source| SpecError::Mesh { of: of.to_owned(), source })
    }

    pub(super) fn surface(&mut self, of: &str, file: &str) -> Result<Mesh, SpecError<E>> {
        match self.any(of, file)? {
            Geometry::Surface(mesh) => Ok(mesh),
            Geometry::Solid(_) => Err(SpecError::Keys(format!(
                "{of}: {file} holds tetrahedra, and triangles are needed: OBJ, PLY, STL or glTF; solids are for [[jelly]]"
            ))),
        }
    }

    pub(super) fn surface_if(&mut self, of: &str, file: Option<&str>) -> Result<Option<Mesh>, SpecError<E>> {
        file.map(|file| self.surface(of, file)).transpose()
    }
}
