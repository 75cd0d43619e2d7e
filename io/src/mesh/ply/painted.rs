//! What a PLY file has beside its mesh: further numbers of vertices, and texture coordinates of faces' corners.

use super::names::unescaped;
use crate::drawn::Drawn;
use ply_rs_bw::ply::{ElementDef, PropertyType, ScalarType};
use seidel::mesh::{Mesh, VertexMaps};

/// What the first and the second texture coordinate of a vertex are called; v goes up from the lower edge of the image.
pub(super) const UVS: [[&str; 2]; 4] = [["s", "t"], ["u", "v"], ["texture_u", "texture_v"], ["texture_s", "texture_t"]];

/// The normal of a vertex.
pub(super) const NORMAL: [&str; 3] = ["nx", "ny", "nz"];

/// Colors, which are 0 to 255 if they are bytes.
pub(super) const COLORS: [&str; 4] = ["red", "green", "blue", "alpha"];

/// What a color's byte is multiplied by.
pub(super) const BYTE: f32 = 1.0 / 255.0;

/// Numbers of vertices, row by row, and texture coordinates of corners.
#[derive(Debug, Default)]
pub(in crate::mesh) struct Painted {
    /// Numbers of a vertex beside its coordinates: their names, and what they are multiplied by.
    columns: Vec<(String, f32)>,
    pub(super) rows: Vec<f32>,
    /// For each triangle, if a face has any.
    pub(super) corners: Vec<[[f32; 2]; 3]>,
    pub(super) any_corner: bool,
    /// What is passed over: numbers of faces, and rows of other elements.
    pub(super) unread: Vec<String>,
}

impl Painted {
    /// Of vertices with these properties.
    pub(super) fn begin(&mut self, vertex: &ElementDef) {
        let scalars = vertex.properties.values().filter_map(|property| match &property.data_type {
            PropertyType::Scalar(scalar) if !["x", "y", "z"].contains(&property.name.as_str()) => {
                let is_byte = *scalar == ScalarType::UChar && COLORS.contains(&property.name.as_str());
                Some((unescaped(&property.name), if is_byte { BYTE } else { 1.0 }))
            }
            _ => None,
        });
        self.columns = scalars.collect();
    }

    fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|(column, _)| column == name)
    }

    /// The columns of numbers that go together, if all of them are there.
    fn columns<const N: usize>(&self, names: [&str; N]) -> Option<[usize; N]> {
        let found = names.map(|name| self.column(name));
        found.iter().all(Option::is_some).then(|| found.map(Option::unwrap_or_default))
    }

    fn uv_columns(&self) -> Option<[usize; 2]> {
        UVS.into_iter().find_map(|names| self.columns(names))
    }

    fn vectors<const N: usize>(&self, columns: Option<[usize; N]>) -> Vec<[f32; N]> {
        let Some(columns) = columns else { return Vec::new() };
        self.rows.chunks_exact(self.columns.len()).map(|row| columns.map(|column| row[column])).collect()
    }

    /// What is drawn of the mesh. A corner's texture coordinates go before its vertex's.
    pub(in crate::mesh) fn drawn(&self, mesh: &Mesh) -> Drawn {
        let (uvs, normals) = (self.vectors(self.uv_columns()), self.vectors(self.columns(NORMAL)));
        let mut drawn = Drawn { v_up: true, unread: self.unread.clone(), ..Drawn::plain(mesh) };
        if !self.any_corner {
            drawn.uvs = uvs.into_iter().map(Drawn::given).collect();
            drawn.normals = normals;
            return drawn;
        }
        drawn.vertex = mesh.triangles.as_flattened().to_vec();
        drawn.triangles = (0..mesh.triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        let bits = |uv: [f32; 2]| uv.map(f32::to_bits);
        let named = |(corner, &vertex): (&[f32; 2], &u32)| match uvs.get(vertex as usize) {
            Some(&uv) if bits(*corner) == bits(Drawn::NO_UV) => Drawn::given(uv),
            _ => *corner,
        };
        drawn.uvs = self.corners.as_flattened().iter().zip(&drawn.vertex).map(named).collect();
        drawn.normals = drawn.vertex.iter().filter_map(|&vertex| normals.get(vertex as usize).copied()).collect();
        drawn.ordered(mesh.positions.len())
    }

    /// The numbers of vertices that are neither normals nor texture coordinates.
    pub(in crate::mesh) fn maps(&self) -> VertexMaps {
        let [uv, normal] = [self.uv_columns().map(|uv| uv.to_vec()), self.columns(NORMAL).map(|n| n.to_vec())];
        let taken: Vec<usize> = uv.into_iter().chain(normal).flatten().collect();
        let columns = self.columns.iter().enumerate().filter(|(column, _)| !taken.contains(column));
        let numbers = |column: usize, factor: f32| {
            let column = self.rows.iter().skip(column).step_by(self.columns.len());
            column.map(|number| number * factor).collect()
        };
        let attributes = columns.map(|(column, (name, factor))| (name.clone(), numbers(column, *factor)));
        VertexMaps { groups: Vec::new(), attributes: attributes.collect() }
    }
}
