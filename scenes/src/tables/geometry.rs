//! What files hold: surfaces, or solids.

use super::vertices::Numbers;
use seidel::collider::Sdf;
use seidel::limits::{MAX_BALL_NODES, MAX_SDF_NODES};
use seidel::memory::{Need, both_shown, shown};
use seidel::mesh::VertexMaps;
use seidel::{Error, Mesh, Recipe, SoftBody, TetMesh};
use std::sync::Arc;

/// What a file of a mesh holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Geometry {
    /// Triangles, with what the file names of their vertices.
    Surface(Mesh, VertexMaps),
    /// Tetrahedra.
    Solid(TetMesh),
}

impl From<Mesh> for Geometry {
    fn from(mesh: Mesh) -> Geometry {
        Geometry::Surface(mesh, VertexMaps::default())
    }
}

impl From<TetMesh> for Geometry {
    fn from(mesh: TetMesh) -> Geometry {
        Geometry::Solid(mesh)
    }
}

/// Is told from any thread what is being made, and the part of it that is done, 0 to 1.
pub type Watch<'a> = dyn Fn(&str, f64) + Sync + 'a;

/// Files, by a function that reads them; and how much memory there is.
pub(super) struct Files<'a> {
    /// Bytes that the scene may need, and what its tables have been found to need so far.
    pub(super) memory: u64,
    pub(super) taken: u64,
    /// The body that needs most of it.
    pub(super) largest: Option<Largest>,
    /// The fields that have been made: the same mesh and cell are made once.
    pub(super) fields: Vec<Arc<Sdf>>,
    /// Surfaces of balls that have been made, with the balls and the width of their triangles; and solids that were
    /// filled, with the surface and the cell: copies share them, too.
    pub(super) surfaces: Vec<(Vec<[f32; 4]>, f32, Arc<Mesh>)>,
    pub(super) filled: Vec<(Arc<Mesh>, f32, SoftBody)>,
    /// Is told what is being made, and the part of it that is done, 0 to 1.
    pub(super) watch: &'a Watch<'a>,
    /// Reads for the first the file of the second name, if that takes no more bytes than the third.
    pub(super) read: &'a mut dyn FnMut(&str, &str, u64) -> Result<Geometry, String>,
}

/// What is said of the body that needs most.
pub(super) struct Largest {
    name: String,
    need: Need,
    less: &'static str,
}

/// Bytes that are counted, of those that there may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Left {
    taken: u64,
    memory: u64,
}

impl Left {
    /// As [`Files::pass`].
    pub(super) fn pass(self, of: &str, key: &str, need: Need) -> Result<(), String> {
        let all = self.taken.saturating_add(need.bytes);
        if all <= self.memory { Ok(()) } else { Err(too_much((of, key), need, all, self.memory)) }
    }
}

/// What is said where a key needs more than there may be.
fn too_much((of, key): (&str, &str), need: Need, all: u64, memory: u64) -> String {
    let made = if need.particles > 0 {
        format!("makes {} particles, which means", need.particles)
    } else {
        "means".to_owned()
    };
    let [all, memory] = both_shown(all, memory);
    format!(
        "{of}: `{key}` {made} that the scene needs {all} of memory; {memory} are allowed: change `{key}`, or allow more"
    )
}

impl Files<'_> {
    /// Counts what a table needs, before it is made; refuses more than there may be, and names the key that makes it.
    pub(super) fn take(&mut self, of: &str, key: &str, need: Need) -> Result<(), String> {
        self.pass(of, key, need)?;
        self.taken = self.taken.saturating_add(need.bytes);
        Ok(())
    }

    /// Counts rigid bodies and colliders before they are made; refuses more than there may be.
    pub(super) fn count_rigid(&mut self, bodies: usize, colliders: usize) -> Result<(), String> {
        let need = Need::rigid_bodies(bodies as u64).colliders(colliders as u64);
        self.taken = self.taken.saturating_add(need.bytes);
        if self.taken <= self.memory {
            return Ok(());
        }
        Err(format!(
            "{bodies} rigid bodies and {colliders} colliders need {} of memory; {} are allowed: use fewer, or allow more",
            shown(need.bytes),
            shown(self.memory)
        ))
    }

    /// Counts the contacts of so many rigid bodies in one place, of which `of` is the first; refuses more than there
    /// may be.
    pub(super) fn count_stacked(&mut self, of: &str, count: u64) -> Result<(), String> {
        let need = Need::rigid_contacts(count * (count - 1) / 2);
        self.taken = self.taken.saturating_add(need.bytes);
        if self.taken <= self.memory {
            return Ok(());
        }
        Err(format!(
            "{of}: its `position` is that of {} more, so that each touches all others: the scene needs {} of memory; {} are allowed: move \
             them apart, or allow more",
            count - 1,
            shown(self.taken),
            shown(self.memory)
        ))
    }

    /// What has been counted and is gone.
    pub(super) fn give_back(&mut self, need: Need) {
        self.taken = self.taken.saturating_sub(need.bytes);
    }

    /// Counts a body that has been made, which still is to be planned; refuses more than there may be, and names the
    /// largest so far.
    pub(super) fn count(&mut self, name: &str, recipe: &Recipe) -> Result<(), String> {
        let need = recipe.need();
        self.taken = self.taken.saturating_add(need.bytes);
        if self.largest.as_ref().is_none_or(|largest| largest.need.bytes < need.bytes) {
            self.largest = Some(Largest { name: name.to_owned(), need, less: recipe.needs_less_with() });
        }
        match &self.largest {
            Some(largest) if self.taken > self.memory => Err(largest.refused(self.taken, self.memory)),
            _ => Ok(()),
        }
    }

    /// [`Files::take`] of what is given back before the next thing is made.
    pub(super) fn pass(&self, of: &str, key: &str, need: Need) -> Result<(), String> {
        let all = self.taken.saturating_add(need.bytes);
        if all <= self.memory {
            return Ok(());
        }
        // What comes on top of a larger body is not what to change.
        if let Some(largest) = self.largest.as_ref().filter(|largest| largest.need.bytes > need.bytes) {
            return Err(largest.refused(all, self.memory));
        }
        Err(too_much((of, key), need, all, self.memory))
    }

    /// What is left, for who cannot wait until it is counted here.
    pub(super) fn left(&self) -> Left {
        Left { taken: self.taken, memory: self.memory }
    }

    /// The surface of balls that a distance field of as wide cells is made of, unless both take more memory than there
    /// may be.
    pub(super) fn of_balls(
        &mut self,
        of: &str,
        balls: &[[f32; 4]],
        cell: f32,
    ) -> Result<Result<Arc<Mesh>, Error>, String> {
        let is_made = self.made_of_balls(balls, cell).is_some();
        // More are refused by their number.
        if !is_made && Mesh::count_ball_nodes(balls, cell) <= MAX_BALL_NODES {
            self.pass(of, "cell", Sdf::need_of_balls(balls, cell))?;
        }
        Ok(self.ball_surface(balls, cell))
    }

    /// The surface of balls, if it has been made.
    pub(super) fn made_of_balls(&self, balls: &[[f32; 4]], width: f32) -> Option<Arc<Mesh>> {
        let is_same = |made: &&(Vec<[f32; 4]>, f32, _)| made.1 == width && made.0 == balls;
        self.surfaces.iter().find(is_same).map(|(.., mesh)| Arc::clone(mesh))
    }

    /// The surface of balls with triangles of a width, which is made once.
    pub(super) fn ball_surface(&mut self, balls: &[[f32; 4]], width: f32) -> Result<Arc<Mesh>, Error> {
        if let Some(made) = self.made_of_balls(balls, width) {
            return Ok(made);
        }
        let mesh = Arc::new(Mesh::of_balls(balls, width)?);
        self.surfaces.push((balls.to_vec(), width, Arc::clone(&mesh)));
        Ok(mesh)
    }

    /// A surface that is filled with cells; copies share its tetrahedra.
    pub(super) fn filled(&mut self, mesh: Arc<Mesh>, cell: f32) -> SoftBody {
        let is_same = |made: &&(Arc<Mesh>, f32, SoftBody)| made.1 == cell && made.0 == mesh;
        if let Some((.., made)) = self.filled.iter().find(is_same) {
            return made.clone();
        }
        let made = SoftBody::filled(Arc::clone(&mesh), cell);
        self.filled.push((mesh, cell, made.clone()));
        made
    }

    /// The signed distance field of a mesh, unless it takes more memory than there may be.
    pub(super) fn field(
        &mut self,
        of: &str,
        mesh: &Mesh,
        cell: f32,
        wrong: impl Fn(Error) -> String,
    ) -> Result<Arc<Sdf>, String> {
        if let Some(made) = self.fields.iter().find(|made| made.cell() == cell && made.surface() == mesh) {
            return Ok(Arc::clone(made));
        }
        let nodes = Sdf::count_nodes(mesh, cell);
        if nodes <= MAX_SDF_NODES {
            self.take(of, "cell", Need::field(nodes, mesh.positions.len() as u64))?;
        }
        let watch = self.watch;
        let made = Sdf::from_mesh_watched(mesh, cell, &|part| watch(of, part)).map_err(wrong)?;
        self.fields.push(Arc::new(made));
        Ok(Arc::clone(&self.fields[self.fields.len() - 1]))
    }

    pub(super) fn any(&mut self, of: &str, file: &str) -> Result<Geometry, String> {
        (self.read)(of, file, self.memory.saturating_sub(self.taken))
    }

    pub(super) fn surface(&mut self, of: &str, file: &str) -> Result<Mesh, String> {
        self.mapped(of, file).map(|(mesh, _)| mesh)
    }

    /// A surface, and what its file tells of its vertices.
    pub(super) fn mapped(&mut self, of: &str, file: &str) -> Result<(Mesh, Numbers), String> {
        match self.any(of, file)? {
            Geometry::Surface(mesh, maps) => Ok((mesh, Numbers { maps, file: file.to_owned(), new: Vec::new() })),
            Geometry::Solid(_) => Err(format!(
                "{of}: {file} holds tetrahedra, and triangles are needed: OBJ, PLY, STL or glTF; solids are for [[soft_body]]"
            )),
        }
    }

    pub(super) fn surface_if(&mut self, of: &str, file: Option<&str>) -> Result<Option<Mesh>, String> {
        file.map(|file| self.surface(of, file)).transpose()
    }
}

impl Largest {
    fn refused(&self, need: u64, limit: u64) -> String {
        let (of, particles) = (format!("body `{}`", self.name), self.need.particles);
        Error::Memory { of, particles, less: self.less, need, limit }.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ColliderSpec, SceneSpec, ShapeSpec, SoftBodySpec};

    /// Bodies and colliders of the same balls, or file, have one surface, and are filled once.
    #[test]
    fn copies_are_made_once() {
        let balls = vec![[0.0, 0.0, 0.0, 0.5]];
        let solid = SoftBodySpec { balls: balls.clone(), cell: Some(0.3), ..SoftBodySpec::default() };
        let of_file = SoftBodySpec { mesh: Some("a.obj".to_owned()), cell: Some(0.3), ..SoftBodySpec::default() };
        let other = SoftBodySpec { cell: Some(0.25), ..solid.clone() };
        let moved = SoftBodySpec { position: [3.0, 0.0, 0.0], ..solid.clone() };
        let collider =
            ColliderSpec { shape: ShapeSpec::Mesh, balls: Some(balls), cell: Some(0.3), ..ColliderSpec::default() };
        let spec = SceneSpec {
            soft_body: vec![solid, moved, other, of_file.clone(), of_file],
            collider: vec![collider.clone(), collider],
            ..SceneSpec::default()
        };
        let mut files = Files {
            memory: u64::MAX,
            taken: 0,
            largest: None,
            fields: Vec::new(),
            surfaces: Vec::new(),
            filled: Vec::new(),
            watch: &|_, _| {},
            read: &mut |_, _, _| Ok(Mesh::ball(0.5, 2).into()),
        };
        spec.scene(&mut files).unwrap();
        assert_eq!((files.surfaces.len(), files.filled.len(), files.fields.len()), (3, 3, 1));
    }
}
