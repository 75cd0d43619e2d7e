//! What is drawn of a mesh, beside what is simulated: corners at one place that differ in texture coordinates or normals.

mod obj;

use crate::Error;
use seidel::mesh::Mesh;
use std::path::Path;

/// The drawn mesh of a simulated one: where a seam of the texture or a hard edge runs, one physics vertex is drawn as
/// several. As [`read`] returns it, its triangles are those of the simulated mesh, one by one and corner by corner.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drawn {
    /// Physics vertex of each drawn vertex.
    pub vertex: Vec<u32>,
    /// Corners, drawn vertices, three a triangle; counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Texture coordinates of each drawn vertex, from the upper left corner of the image as in glTF; [0, 0] where the source
    /// has none. Empty if it has none at all.
    pub uvs: Vec<[f32; 2]>,
    /// The source's normals of each drawn vertex, in the shape at rest; zeros where it has none. Empty if it has none at all.
    pub normals: Vec<[f32; 3]>,
}

impl Drawn {
    /// A mesh that is drawn as it is simulated.
    #[must_use]
    pub fn plain(mesh: &Mesh) -> Self {
        let vertex = (0..mesh.positions.len() as u32).collect();
        Self { vertex, triangles: mesh.triangles.clone(), ..Self::default() }
    }

    /// What is left of it after a repair ([`Mesh::repaired`]): `vertex_map` has the new number of each physics vertex, and
    /// `triangles` are those that were kept, in their order. None if they are not a part of this mesh's.
    #[must_use]
    pub fn repaired(&self, vertex_map: &[Option<u32>], triangles: &[[u32; 3]]) -> Option<Self> {
        let new = |&drawn: &u32| vertex_map.get(*self.vertex.get(drawn as usize)? as usize).copied().flatten();
        let mut left = triangles.iter().peekable();
        let mut kept = Self::default();
        let mut numbers = vec![None; self.vertex.len()];
        for triangle in &self.triangles {
            let [Some(a), Some(b), Some(c)] = [0, 1, 2].map(|k: usize| new(&triangle[k])) else { continue };
            if left.next_if(|next| **next == [a, b, c]).is_none() {
                continue;
            }
            let mut corners = [0; 3];
            for ((corner, &drawn), vertex) in corners.iter_mut().zip(triangle).zip([a, b, c]) {
                let drawn = drawn as usize;
                *corner = *numbers[drawn].get_or_insert_with(|| {
                    kept.vertex.push(vertex);
                    kept.uvs.extend(self.uvs.get(drawn));
                    kept.normals.extend(self.normals.get(drawn));
                    kept.vertex.len() as u32 - 1
                });
            }
            kept.triangles.push(corners);
        }
        left.next().is_none().then_some(kept)
    }

    /// Says what does not fit together, or to a body of `vertices` vertices.
    pub(crate) fn fault(&self, vertices: usize) -> Option<String> {
        let count = self.vertex.len();
        let lengths = [("texture coordinates", self.uvs.len()), ("normals", self.normals.len())];
        if let Some((what, got)) = lengths.into_iter().find(|&(_, got)| got != 0 && got != count) {
            return Some(format!("{count} drawn vertices have {got} {what}"));
        }
        if let Some(v) = self.vertex.iter().find(|&&v| v as usize >= vertices) {
            return Some(format!("a drawn vertex names vertex {v}; there are {vertices}"));
        }
        let outside = |t: &&[u32; 3]| t.iter().any(|&v| v as usize >= count);
        self.triangles.iter().find(outside).map(|t| format!("the drawn triangle {t:?} ends past the last of {count}"))
    }
}

/// Reads a mesh and what is drawn of it: of `.gltf` and `.glb` files and of `.obj` files, with texture coordinates and
/// normals; a mesh of another format is drawn as it is simulated.
///
/// # Errors
/// As [`crate::mesh::read`]; for an OBJ file also a `vt` or `vn` line that is not understood, and a corner that names none.
pub fn read(path: impl AsRef<Path>) -> Result<(Mesh, Drawn), Error> {
    let path = path.as_ref();
    if crate::gltf::is_gltf(path) {
        return crate::gltf::read(path);
    }
    let mesh = crate::mesh::read(path)?;
    if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("obj")) {
        let bytes = std::fs::read(path).map_err(|source| Error::Read { path: path.to_owned(), source })?;
        let drawn = obj::drawn(&mesh, &bytes).map_err(|what| Error::Format { path: path.to_owned(), what })?;
        return Ok((mesh, drawn));
    }
    let drawn = Drawn::plain(&mesh);
    Ok((mesh, drawn))
}

/// Reads a mesh and what is drawn of it from the bytes of an OBJ file; `name` stands in errors only.
///
/// # Errors
/// As [`read`].
///
/// # Example
/// ```
/// let quad = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nf 1/1 2/2 3/3\nf 1/4 3/3 4/1\n";
/// let (mesh, drawn) = seidel_io::drawn::parse_obj("quad.obj".as_ref(), quad)?;
/// assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
/// assert_eq!(drawn.triangles, [[0, 1, 2], [3, 2, 4]]);
/// assert_eq!(drawn.vertex, [0, 1, 2, 0, 3]);
/// # Ok::<(), seidel_io::Error>(())
/// ```
pub fn parse_obj(name: &Path, bytes: &[u8]) -> Result<(Mesh, Drawn), Error> {
    let mesh = crate::mesh::parse_obj(name, bytes)?;
    let drawn = obj::drawn(&mesh, bytes).map_err(|what| Error::Format { path: name.to_owned(), what })?;
    Ok((mesh, drawn))
}
