//! What files hold: surfaces, or solids.

use seidel::{Mesh, TetMesh};

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

/// Files, by a function that reads the second for what the first names.
pub(super) struct Files<'a> {
    pub(super) read: &'a mut dyn FnMut(&str, &str) -> Result<Geometry, String>,
}

impl Files<'_> {
    pub(super) fn any(&mut self, of: &str, file: &str) -> Result<Geometry, String> {
        (self.read)(of, file)
    }

    pub(super) fn surface(&mut self, of: &str, file: &str) -> Result<Mesh, String> {
        match self.any(of, file)? {
            Geometry::Surface(mesh) => Ok(mesh),
            Geometry::Solid(_) => Err(format!(
                "{of}: {file} holds tetrahedra, and triangles are needed: OBJ, PLY, STL or glTF; solids are for [[soft_body]]"
            )),
        }
    }

    pub(super) fn surface_if(&mut self, of: &str, file: Option<&str>) -> Result<Option<Mesh>, String> {
        file.map(|file| self.surface(of, file)).transpose()
    }
}
