//! Obstacle: a triangle mesh that goes where it is taken, and that other bodies collide with.

use crate::describe::body::{Body, Collide};
use crate::describe::collider::Motion;
use crate::describe::error::Error;
use crate::describe::filter::Filter;
use crate::describe::memory::Need;
use crate::describe::mesh::Mesh;
use crate::describe::track::{Track, VertexAnimation};
use glam::DVec3;
use std::sync::Arc;

/// A triangle mesh whose vertices are given, step by step or by frames: an animated character. Bodies that collide with
/// others ([`Collide::Others`]) stay on their side of its triangles, on whichever side they are; it need not be closed.
/// It does not collide with itself, with other obstacles or with colliders.
///
/// # Example
/// ```
/// use seidel::{Cloth, Collide, Input, Obstacle, Scene, Solver, glam::Vec3};
/// let mut scene = Scene::new();
/// let table = Cloth::grid([2, 2], [1.0, 1.0]);
/// let table = scene.add(Obstacle::new(table.mesh()).named("table"));
/// scene.add(Cloth::grid([8, 8], [0.4, 0.4]).placed(seidel::Pose::at([0.0, 0.01, 0.0]), 1.0).collide(Collide::Others));
/// let mut solver = Solver::new(&scene)?;
/// let raised: Vec<Vec3> = solver.positions(table).iter().map(|x| *x + Vec3::Y * 0.1).collect();
/// assert!(solver.step(&Input::frame(1.0 / 60.0).vertices(table, &raised)).rejected.is_none());
/// assert_eq!(solver.positions(table), raised);
/// # Ok::<(), seidel::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Obstacle {
    name: String,
    mesh: Arc<Mesh>,
    track: Track,
    thickness: f32,
    friction: f32,
    filter: Filter,
    substeps: Option<u32>,
}

impl Obstacle {
    /// From a mesh, in its own vertex order: at rest, thickness 0, friction 0.5.
    #[must_use]
    pub fn new(mesh: impl Into<Arc<Mesh>>) -> Obstacle {
        Obstacle {
            name: String::new(),
            mesh: mesh.into(),
            track: Track::default(),
            thickness: 0.0,
            friction: 0.5,
            filter: Filter::default(),
            substeps: None,
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn rename(&mut self, name: String) {
        self.name = name;
    }

    /// Gives it a name.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Obstacle {
        self.name = name.into();
        self
    }

    /// Shapes that it takes in time, each of as many vertices as the mesh; its first is where it is at the start. They
    /// are not copied
    /// into scenes and plans: who makes several of the same gives them as an [`Arc`].
    #[must_use]
    pub fn frames(mut self, frames: impl Into<Arc<VertexAnimation>>) -> Obstacle {
        self.track.frames = Some(frames.into());
        self
    }

    /// A path along which all of it moves, in addition to its frames; turns are about a point, metres.
    #[must_use]
    pub fn motion(mut self, motion: Motion, about: impl Into<DVec3>) -> Obstacle {
        (self.track.motion, self.track.about) = (motion, about.into());
        self
    }

    /// Distance that it adds to that which others keep from it, metres, >= 0.
    #[must_use]
    pub fn thickness(mut self, thickness: f32) -> Obstacle {
        self.thickness = thickness;
        self
    }

    /// Friction coefficient, >= 0.
    #[must_use]
    pub fn friction(mut self, coefficient: f32) -> Obstacle {
        self.friction = coefficient;
        self
    }

    /// Which bodies it meets; all unless told.
    #[must_use]
    pub fn filter(mut self, filter: Filter) -> Obstacle {
        self.filter = filter;
        self
    }

    /// Substeps in which it moves, 1 to 100,000, in place of the scene's: as many as the bodies have that meet it, or
    /// are attached to it ([`crate::Cloth::substeps`]).
    #[must_use]
    pub fn substeps(mut self, count: u32) -> Obstacle {
        self.substeps = Some(count);
        self
    }

    /// Where its vertices are at the start, metres.
    ///
    /// # Errors
    /// As [`crate::Plan::new`], if it cannot be followed.
    pub fn start(&self) -> Result<Vec<[f32; 3]>, Error> {
        self.body().map(|body| body.positions)
    }

    pub(super) fn need(&self) -> Need {
        let frames = self.track.frames.as_ref().map_or(0, |frames| frames.positions.iter().map(Vec::len).sum());
        let sheet = Need::sheet(self.mesh.positions.len() as u64, self.mesh.triangles.len() as u64, false);
        sheet.numbers(3 * frames as u64)
    }

    pub(crate) fn body(&self) -> Result<Body, Error> {
        let Obstacle { mesh, mut track, .. } = self.clone();
        // The path moves the mesh, not the mesh as placed by the path's first key.
        if track.frames.is_none() && track.motion != Motion::Fixed {
            let positions = vec![mesh.positions.clone()];
            track.frames = Some(Arc::new(VertexAnimation { fps: 1.0, positions, repeat: false }));
        }
        let mut body = Body::particles(mesh.positions.clone(), vec![0.0; mesh.positions.len()]);
        body.name.clone_from(&self.name);
        body.triangles = mesh.triangles.clone().into();
        (body.thickness, body.friction, body.filter) = (self.thickness.into(), self.friction.into(), self.filter);
        (body.collide, body.obstacle) = (Collide::Others, Some(track.clone()));
        body.substeps = self.substeps;
        // An invalid path has no first pose.
        body.check()?;
        let pose = track.pose(0.0);
        let start = |(v, x): (usize, &[f32; 3])| track.at(&pose, v, *x, 0.0);
        body.positions = mesh.positions.iter().enumerate().map(start).collect();
        Ok(body)
    }
}
