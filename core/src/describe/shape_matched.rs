//! Soft shape: particles that go back to their shape, as a whole or in clusters that overlap (Müller et al. 2005).

use crate::describe::body::Body;
use crate::describe::error::{Error, advised, range};
use crate::describe::field::ShapeMatching;
use crate::describe::memory::Need;
use crate::describe::mesh::Mesh;
use crate::describe::pose::Pose;
use crate::describe::scale::Scale;
use crate::describe::stiffness::Stiffness;
use crate::describe::traits::{Traits, shared};
use crate::tuning::{CLUSTER_COVER, MAX_CLUSTER_DISTANCES, MAX_CLUSTER_PARTICLES, MAX_COORDINATE, MIN_CLUSTER};
use std::sync::{Arc, OnceLock};

/// Particles that keep their shape.
///
/// # Example
/// ```
/// use seidel::{Collider, Input, Mesh, Scene, ShapeMatched, Solver};
/// let mut scene = Scene::new();
/// let ball = ShapeMatched::new(&Mesh::ball(0.2, 2)).placed(seidel::Pose::at([0.0, 0.5, 0.0]), 1.0);
/// scene.add(ball.clusters(0.2).compliance(1e-4).linear(0.5));
/// scene.add_collider(Collider::ground());
/// let mut solver = Solver::new(&scene)?;
/// assert!(solver.step(&Input::frame(1.0 / 60.0)).rejected.is_none());
/// # Ok::<(), seidel::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ShapeMatched {
    traits: Traits,
    mesh: Arc<Mesh>,
    mass: f32,
    stiffness: Stiffness,
    linear: f32,
    clusters: Option<Clusters>,
}

/// Clusters of a radius; which vertices are in each is found once, and both memory and rows are told by it.
#[derive(Clone, Debug)]
struct Clusters {
    radius: f32,
    found: OnceLock<Arc<Vec<Vec<u32>>>>,
}

shared!(ShapeMatched);

impl ShapeMatched {
    /// From a mesh, in its own vertex order: 1 kg, shared out by the triangles' areas; one shape, rigid, thickness 2
    /// mm. The mesh need not close.
    #[must_use]
    pub fn new(mesh: impl Into<Arc<Mesh>>) -> ShapeMatched {
        ShapeMatched {
            traits: Traits::new(0.002),
            mesh: mesh.into(),
            mass: 1.0,
            stiffness: Stiffness::compliance(0.0),
            linear: 0.0,
            clusters: None,
        }
    }

    /// From points, metres: 1 kg, of which each has as much.
    #[must_use]
    pub fn of_points(points: &[[f32; 3]]) -> ShapeMatched {
        ShapeMatched::new(Mesh { positions: points.to_vec(), triangles: Vec::new() })
    }

    /// Scales it, then turns and moves it.
    #[must_use]
    pub fn placed(mut self, pose: Pose, scale: impl Into<Scale>) -> ShapeMatched {
        scale.into().place_all(&mut Arc::make_mut(&mut self.mesh).positions, &pose);
        // Others are within a radius of each other now.
        if let Some(clusters) = &mut self.clusters {
            clusters.found = OnceLock::new();
        }
        self
    }

    /// Mass of all, kg, > 0.
    #[must_use]
    pub fn mass(mut self, mass: f32) -> ShapeMatched {
        self.mass = mass;
        self
    }

    /// Compliance of each shape, m/N of the root of the mean square distance from its goals, >= 0.
    #[must_use]
    pub fn compliance(self, compliance: f32) -> ShapeMatched {
        self.stiffness_by(Stiffness::compliance(compliance))
    }

    /// Stiffness of each shape, as compliance or as PBD's k.
    #[must_use]
    pub fn stiffness_by(mut self, stiffness: Stiffness) -> ShapeMatched {
        self.stiffness = stiffness;
        self
    }

    /// Share of the best linear map in the goals, 0..=1: with more it is stretched and sheared, its volume kept, before
    /// it resists. Not for shapes that are flat.
    #[must_use]
    pub fn linear(mut self, beta: f32) -> ShapeMatched {
        self.linear = beta;
        self
    }

    /// Balls of a radius, metres, about some of its vertices, instead of one shape of all: it bends as a whole. The
    /// vertices are as far from each other as they can be, so many that each is within 0.6 radii of one; so most are in
    /// several. A radius that leaves a ball fewer than four vertices, of a body that has so many, is refused when the
    /// scene is planned: nothing would hold those.
    #[must_use]
    pub fn clusters(mut self, radius: f32) -> ShapeMatched {
        self.clusters = Some(Clusters { radius, found: OnceLock::new() });
        self
    }

    /// The mesh, as placed.
    #[must_use]
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// Vertices of all its shapes, each counted in all that it is in.
    ///
    /// # Errors
    /// If there are clusters, and their radius is not above 0 and at most 1e6 m, a coordinate is not within +-1e6 m,
    /// one has fewer than four vertices of a body that has more, there are more than 2^24 vertices in all of them, or
    /// clusters times vertices of the mesh are more than 2^33.
    pub fn members(&self) -> Result<usize, Error> {
        match &self.clusters {
            None => Ok(self.mesh.positions.len()),
            Some(clusters) => Ok(self.found(clusters)?.iter().map(Vec::len).sum()),
        }
    }

    /// The vertices of each cluster.
    fn found(&self, clusters: &Clusters) -> Result<Arc<Vec<Vec<u32>>>, Error> {
        if let Some(found) = clusters.found.get() {
            return Ok(Arc::clone(found));
        }
        let found = Arc::new(self.balls(clusters.radius, MAX_CLUSTER_DISTANCES)?);
        Ok(Arc::clone(clusters.found.get_or_init(|| found)))
    }

    /// Whether it has clusters.
    pub(crate) fn has_clusters(&self) -> bool {
        self.clusters.is_some()
    }

    pub(super) fn need(&self) -> Need {
        let (vertices, triangles) = (self.mesh.positions.len(), self.mesh.triangles.len() as u64);
        let body = self.traits.counted(Need::particles(vertices as u64).triangles(triangles));
        match self.clusters.as_ref().map(|clusters| self.found(clusters)) {
            None => body.shapes([vertices].into_iter()),
            Some(Ok(found)) => body.shapes(found.iter().map(Vec::len)),
            // They are refused when the scene is planned.
            Some(Err(_)) => body,
        }
    }

    pub(crate) fn body(&self) -> Result<Body, Error> {
        let of = || self.traits.of();
        let mass = self.mass;
        range(of, || "mass".to_owned(), f64::from(mass), (1e-9..=1e9).contains(&mass), "within 1e-9 .. 1e9 kg")?;
        let count = self.mesh.positions.len();
        range(of, || "number of vertices".to_owned(), count as f64, count > 0, "1 or more")?;
        let weights = if self.mesh.triangles.is_empty() {
            vec![1.0; count]
        } else {
            let defects = self.mesh.defects();
            let mut errors = defects.errors();
            if let Some(found) = errors.next() {
                let more = errors.count();
                return Err(Error::Mesh { body: self.traits.name.clone(), found: Box::new(*found), more });
            }
            self.mesh.areas()
        };
        let all: f64 = weights.iter().sum();
        let masses: Vec<f32> = weights.iter().map(|w| (f64::from(mass) * w / all) as f32).collect();
        let body = Body::particles(self.mesh.positions.clone(), masses.iter().map(|m| 1.0 / m).collect());
        let shape = |vertices: Vec<u32>| {
            let masses = vertices.iter().map(|&v| masses[v as usize]).collect();
            ShapeMatching { vertices, masses, stiffness: self.stiffness.clone(), linear: self.linear }
        };
        let matched_shapes = match &self.clusters {
            None => vec![shape((0..count as u32).collect())],
            Some(clusters) => self.found(clusters)?.iter().cloned().map(shape).collect(),
        };
        let triangles = self.mesh.triangles.clone().into();
        self.traits.given_to(Body { triangles, matched_shapes, ..body })
    }

    /// Vertices within a radius of seeds; each seed is the vertex farthest from those before it, the first of all
    /// vertex 0. Refused are more distances between seeds and vertices than `most`, [`MAX_CLUSTER_DISTANCES`].
    fn balls(&self, radius: f32, most: u64) -> Result<Vec<Vec<u32>>, Error> {
        let (of, positions) = (|| self.traits.of(), &self.mesh.positions);
        let good = radius > 0.0 && radius <= MAX_COORDINATE;
        range(of, || "radius of the clusters".to_owned(), f64::from(radius), good, "above 0 and at most 1e6 m")?;
        for (v, p) in positions.iter().enumerate() {
            for &c in p {
                let good = c.abs() <= MAX_COORDINATE;
                range(of, || format!("position of vertex {v}"), f64::from(c), good, "within +-1e6 m")?;
            }
        }
        let square = |a: usize, b: usize| {
            let d: [f64; 3] = std::array::from_fn(|k| f64::from(positions[a][k]) - f64::from(positions[b][k]));
            (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2]
        };
        let (within, cover) = (f64::from(radius) * f64::from(radius), CLUSTER_COVER * f64::from(radius));
        let mut nearest = vec![f64::INFINITY; positions.len()];
        let (mut seed, mut clusters, mut members) = (0, Vec::new(), 0);
        // For each number of seeds: how far (squared) a cluster has to reach for its vertices, and to cover all of
        // them.
        let limit = MIN_CLUSTER.min(positions.len());
        let (mut reach, mut wants) = (0.0f64, Vec::new());
        loop {
            let distances = (clusters.len() as u64 + 1) * positions.len() as u64;
            range(
                of,
                || format!("number of clusters of radius {radius} m, times that of vertices,"),
                distances as f64,
                distances <= most,
                "at most 8589934592: fewer cover it with a larger radius",
            )?;
            let cluster: Vec<u32> =
                (0..positions.len()).filter(|&v| square(v, seed) <= within).map(|v| v as u32).collect();
            members += cluster.len();
            let mut about = [f64::INFINITY; MIN_CLUSTER];
            for v in 0..positions.len() {
                let (mut d, last) = (square(v, seed), MIN_CLUSTER - 1);
                if d < about[last] {
                    about.iter_mut().for_each(|other| (*other, d) = (other.min(d), other.max(d)));
                }
            }
            reach = reach.max(about[limit - 1]);
            let few = members <= MAX_CLUSTER_PARTICLES;
            range(
                of,
                || "vertices in all clusters".to_owned(),
                members as f64,
                few,
                "at most 16777216: fewer overlap with a smaller radius",
            )?;
            clusters.push(cluster);
            for (v, nearest) in nearest.iter_mut().enumerate() {
                *nearest = nearest.min(square(v, seed));
            }
            // The first of the farthest.
            let mut farthest = 0;
            for (v, d) in nearest.iter().enumerate() {
                if *d > nearest[farthest] {
                    farthest = v;
                }
            }
            wants.push([reach, nearest[farthest]]);
            if nearest[farthest] <= cover * cover || nearest[farthest].is_nan() {
                break;
            }
            seed = farthest;
        }
        let members = clusters.iter().map(Vec::len).min().unwrap_or(0);
        if members >= limit {
            return Ok(clusters);
        }
        // A larger radius has the first of these seeds.
        let fits = |radius: f32| {
            let (within, cover) = (f64::from(radius) * f64::from(radius), CLUSTER_COVER * f64::from(radius));
            wants.iter().any(|&[reach, rest]| reach <= within && rest <= cover * cover)
        };
        let of_each = wants.iter().map(|&[reach, rest]| f64::sqrt(reach).max(f64::sqrt(rest) / CLUSTER_COVER));
        let least = advised(of_each.fold(f64::INFINITY, f64::min), fits);
        Err(Error::SmallCluster { of: of(), radius, members, count: positions.len(), limit, least })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(count: usize) -> ShapeMatched {
        ShapeMatched::of_points(&(0..count).map(|i| [i as f32, 0.0, 0.0]).collect::<Vec<_>>())
    }

    #[test]
    fn a_place_that_is_none_is_named() {
        for bad in [f32::NAN, f32::INFINITY, -2e6] {
            let mut soft = line(5);
            Arc::make_mut(&mut soft.mesh).positions[3][1] = bad;
            let error = soft.clusters(1.5).members().unwrap_err().to_string();
            assert!(error.contains(&format!("position of vertex 3 is {bad}, which is not within +-1e6 m")), "{error}");
        }
    }

    /// The advised radius passes, and is the first of three digits that does.
    #[test]
    fn clusters_of_too_few_vertices_are_refused() {
        let ball = ShapeMatched::new(Mesh::ball(0.2, 3)).named("ball");
        for (soft, radius) in [(&ball, 1e-3), (&ball, 0.02), (&ball, 0.03), (&line(5), 0.5), (&line(5), 1.5)] {
            let error = soft.clone().clusters(radius).members().unwrap_err();
            let Error::SmallCluster { members, count, limit, least, .. } = error else { panic!("{error}") };
            assert!(members < 4 && limit == 4 && count == soft.mesh.positions.len() && least > radius, "{error}");
            assert!(soft.balls(least, MAX_CLUSTER_DISTANCES).unwrap().iter().all(|cluster| cluster.len() >= 4));
            assert!(soft.balls(least * 0.989, MAX_CLUSTER_DISTANCES).is_err(), "{error}");
        }
        let error = ball.clusters(1e-3).members().unwrap_err().to_string();
        assert!(
            error.starts_with(
                "body `ball`: radius of the clusters is 0.001 m, and one of them has 1 of the 642 vertices"
            ),
            "{error}"
        );
        // All there are are enough, and none is too many to ask for.
        assert_eq!(line(3).clusters(2.0).members().unwrap(), 3 + 3);
        assert!(line(3).clusters(1.0).members().is_err());
    }

    /// Seeds 0, 9 and 4 cover a line of ten with 2.4 m each.
    #[test]
    fn too_many_distances_are_refused() {
        let soft = line(10);
        assert_eq!(soft.balls(4.0, 30).unwrap().len(), 3);
        let error = soft.balls(4.0, 29).unwrap_err().to_string();
        assert!(
            error.contains("clusters of radius 4 m, times that of vertices, is 30, which is not at most"),
            "{error}"
        );
    }
}
