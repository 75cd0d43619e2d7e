//! Soft shapes by keys.

use super::attach::Worn;
use super::balloon::{ball, ball_counts};
use super::body_table::BodyTable;
use super::check::{above_zero, stiffness};
use super::geometry::Files;
use super::keys::table;
use super::variant::Variant;
use super::vertices::Numbers;
use seidel::memory::Need;
use seidel::{Collide, Mesh, Recipe, ShapeMatched};

table! {
    /// Particles that keep their shape: a ball, a box, or the mesh of a file.
    ShapeMatchedSpec of ShapeMatched: met, placed, blown, body {
        /// Mesh file, relative to the scene file; instead of a ball.
        #[serde(skip_serializing_if = "Option::is_none")]
        mesh: Option<String> = None,
        /// Metres.
        radius: f32 = 0.2,
        /// Halvings of the ball's edges.
        detail: u32 = 3,
        /// Half the edges of a box, metres; instead of a ball.
        #[serde(skip_serializing_if = "Option::is_none")]
        half: Option<[f32; 3]> = None,
        /// Cells along the edges of a box; 8 each if absent.
        #[serde(skip_serializing_if = "Option::is_none")]
        cells: Option<[u32; 3]> = None,
        /// kg of all.
        mass: f32 = 1.0,
        /// m/N; rigid without it and `stiffness`.
        #[serde(skip_serializing_if = "Option::is_none")]
        compliance: Option<f32> = None,
        /// PBD's k, 0..1.
        #[serde(skip_serializing_if = "Option::is_none")]
        stiffness: Option<f32> = None,
        /// Share of the best linear map.
        linear: f32 = 0.0,
        /// Radius of clusters, metres; one shape without it.
        #[serde(skip_serializing_if = "Option::is_none")]
        clusters: Option<f32> = None,
        /// Metres.
        thickness: f32 = 0.002,
    }
}

impl ShapeMatchedSpec {
    pub(super) const VARIANTS: &[Variant] = &[
        Variant { name: "a ball", keys: &["radius", "detail"], other: &["mesh", "half"] },
        Variant { name: "a box", keys: &["half", "cells"], other: &["mesh"] },
    ];
}

impl ShapeMatchedSpec {
    /// What keeps its shape, before it is placed.
    fn mesh(&self, of: &str, file: Option<Mesh>) -> Result<Mesh, String> {
        if self.cells.is_some() && self.half.is_none() {
            return Err(format!("{of}: `cells` means nothing without half; leave it out or add it"));
        }
        match (file, self.half) {
            (Some(_), Some(_)) => Err(format!("{of}: give mesh or half, not both")),
            (Some(mesh), None) => Ok(mesh),
            (None, Some(half)) => {
                half.iter().try_for_each(|&side| above_zero(of, "half", side, " m"))?;
                let cells = self.cells.unwrap_or([8; 3]);
                if let Some(n) = cells.iter().find(|n| !(1..=1000).contains(*n)) {
                    return Err(format!("{of}: cells has {n}, which is not within 1 .. 1000"));
                }
                Ok(Mesh::cuboid(half, cells))
            }
            (None, None) => ball(of, self.radius, self.detail),
        }
    }
}

impl BodyTable for ShapeMatchedSpec {
    fn surface(&self) -> Option<(&str, bool)> {
        self.mesh.as_deref().map(|file| (file, false))
    }

    fn placed(&self) -> Option<(seidel::Pose, seidel::Scale)> {
        Some(self.placement())
    }

    fn names_maps(&self) -> bool {
        self.names_maps()
    }

    fn need(&self) -> Option<(&'static str, Need)> {
        let (key, vertices, triangles) = match (&self.mesh, self.half) {
            (Some(_), _) => return None,
            (None, Some(_)) => {
                let [a, b, c] = self.cells.unwrap_or([8; 3]).map(u64::from);
                let faces = a.saturating_mul(b).saturating_add(b.saturating_mul(c)).saturating_add(c.saturating_mul(a));
                ("cells", faces.saturating_mul(2).saturating_add(2), faces.saturating_mul(4))
            }
            (None, None) => {
                let [vertices, triangles] = ball_counts(self.detail);
                ("detail", vertices, triangles)
            }
        };
        Some((key, Need::particles(vertices).triangles(triangles).colliding(self.collide != Collide::Nothing)))
    }

    fn build(&self, of: &str, files: &mut Files, worn: &[Worn]) -> Result<Recipe, String> {
        let pose = self.pose(of)?;
        let (file, numbers) = match self.mesh.as_deref() {
            Some(file) => files.mapped(of, file).map(|(mesh, numbers)| (Some(mesh), numbers))?,
            None => (None, Numbers::default()),
        };
        let mut soft = ShapeMatched::new(self.mesh(of, file)?);
        if let Some(s) = stiffness(of, "", self.compliance, self.stiffness)? {
            soft = soft.stiffness_by(s);
        }
        if let Some(radius) = self.clusters {
            files.pass(of, "clusters", Need::clusters(soft.mesh().positions.len() as u64))?;
            soft = soft.clusters(radius);
        }
        let mut soft = soft.placed(pose, self.scale).mass(self.mass).linear(self.linear);
        let maps = self.maps(of, files, &[], &soft, &numbers)?;
        if let Some(thickness) = maps.over("thickness", Some(self.thickness))? {
            soft = soft.thickness(thickness);
        }
        Ok(self.bodily(of, self.blown(soft), worn, (&maps, &numbers))?.into())
    }
}
