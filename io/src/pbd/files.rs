//! The files that a scene names: read once, to be counted and checked before the scene is made.

use super::item::Item;
use crate::room::{self, Purpose};
use crate::{mesh, tets};
use seidel::{Mesh, TetMesh};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Files beside a scene.
pub(super) struct Files {
    folder: PathBuf,
    /// Bytes that reading them may take, less what has been read.
    memory: u64,
    meshes: BTreeMap<String, Rc<Mesh>>,
    tets: BTreeMap<String, Rc<TetMesh>>,
}

impl Files {
    pub(super) fn beside(scene: &Path, memory: u64) -> Files {
        let folder = scene.parent().unwrap_or(Path::new("")).to_owned();
        Files { folder, memory, meshes: BTreeMap::new(), tets: BTreeMap::new() }
    }

    /// Whether there is such a file.
    pub(super) fn exists(&self, file: &str) -> bool {
        self.folder.join(file).is_file()
    }

    /// The mesh that a key names, and its name.
    pub(super) fn mesh(&mut self, item: &Item<'_>, key: &'static str) -> Result<(String, Rc<Mesh>), String> {
        let file = item.required(key, item.file(key)?)?;
        let mesh = self.mesh_of(&file).or_else(|e| item.wrong(key, e))?;
        Ok((file, mesh))
    }

    /// The mesh of a file.
    pub(super) fn mesh_of(&mut self, file: &str) -> Result<Rc<Mesh>, String> {
        if let Some(mesh) = self.meshes.get(file) {
            return Ok(Rc::clone(mesh));
        }
        let path = self.folder.join(file);
        room::fits(&path, Purpose::Read, self.memory).map_err(|e| e.to_string())?;
        let mesh = Rc::new(mesh::read(path).map_err(|e| e.to_string())?);
        self.keeps(size_of_val(&*mesh.positions) + size_of_val(&*mesh.triangles));
        self.meshes.insert(file.to_owned(), Rc::clone(&mesh));
        Ok(mesh)
    }

    /// The tetrahedra of two keys, and the name of the first.
    pub(super) fn solid(&mut self, item: &Item<'_>) -> Result<(String, Rc<TetMesh>), String> {
        let node = item.required("nodeFile", item.file("nodeFile")?)?;
        let ele = item.required("eleFile", item.file("eleFile")?)?;
        let of_node = tets::pair(Path::new(&node));
        let Some([_, beside]) = of_node else {
            return item.wrong("nodeFile", format!("is {node:?}, and a file that ends in .node is needed"));
        };
        if self.folder.join(&beside) != self.folder.join(&ele) {
            let beside = beside.display();
            return item
                .wrong("eleFile", format!("is {ele:?}, and `nodeFile` needs `{beside}`: two files of one name"));
        }
        if let Some(mesh) = self.tets.get(&node) {
            return Ok((node, Rc::clone(mesh)));
        }
        let path = self.folder.join(&node);
        let read = room::fits(&path, Purpose::Read, self.memory).and_then(|()| tets::read(path));
        let mesh = Rc::new(read.or_else(|e| item.wrong("nodeFile", e))?);
        self.keeps(size_of_val(&*mesh.positions) + size_of_val(&*mesh.tets));
        self.tets.insert(node.clone(), Rc::clone(&mesh));
        Ok((node, mesh))
    }

    /// What has been read stays until the scene is made.
    fn keeps(&mut self, bytes: usize) {
        self.memory = self.memory.saturating_sub(bytes as u64);
    }
}
