//! Solids by keys.

use super::attach::Worn;
use super::body_table::BodyTable;
use super::check::{above_zero, factors, is_zero, needless};
use super::geometry::{Files, Geometry};
use super::keys::table;
use super::tear::tearing;
use super::variant::Variant;
use super::vertices::Numbers;
use super::{CutSpec, PlasticSpec, TearSpec};
use seidel::memory::Need;
use seidel::{Collide, Recipe, Scale, Side, SoftBody, SolidModel};

table! {
    /// A solid: a bar, a tube, tetrahedra of a file, or a closed surface that is filled with some.
    SoftBodySpec of SoftBody: met, placed, blown, body {
        /// File of tetrahedra or of a closed surface, relative to the scene file; instead of a bar.
        #[serde(skip_serializing_if = "Option::is_none")]
        mesh: Option<String> = None,
        /// Balls [x, y, z, radius] that flow into one another, metres: a closed surface, instead of a bar.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        balls: Vec<[f32; 4]> = Vec::new(),
        /// Width of the cells that a closed surface is filled with, metres.
        #[serde(skip_serializing_if = "Option::is_none")]
        cell: Option<f32> = None,
        /// File of a surface that goes with tetrahedra of a file and is shown instead of theirs.
        #[serde(skip_serializing_if = "Option::is_none")]
        skin: Option<String> = None,
        /// Metres along x, y and z.
        size: [f32; 3] = [1.0, 0.2, 0.2],
        /// Outer and inner radius of a tube about x, metres, as long as the first of `size`; instead of a bar.
        #[serde(skip_serializing_if = "Option::is_none")]
        tube: Option<[f32; 2]> = None,
        /// Cells along x, y and z; of a tube along it, through its wall and around it.
        cells: [u32; 3] = [20, 4, 4],
        /// kg/m^3.
        density: f32 = 1000.0,
        /// kg of each vertex, whatever the volume around it; instead of `density`.
        #[serde(skip_serializing_if = "Option::is_none")]
        vertex_mass: Option<f32> = None,
        /// Pa; 1e5 if absent.
        #[serde(skip_serializing_if = "Option::is_none")]
        young: Option<f32> = None,
        /// Ratio.
        poisson: f32 = 0.3,
        /// How it resists strain.
        model: SolidModel = SolidModel::default(),
        /// PBD's k, 0..1; instead of `young`.
        #[serde(skip_serializing_if = "Option::is_none")]
        stiffness: Option<f32> = None,
        /// Relaxation time, s.
        #[serde(skip_serializing_if = "is_zero")]
        relaxation: f32 = 0.0,
        /// Tetrahedra stay deformed beyond a strain.
        #[serde(skip_serializing_if = "Option::is_none")]
        plastic: Option<PlasticSpec> = None,
        /// It breaks where edges are stretched beyond a strain.
        #[serde(skip_serializing_if = "Option::is_none")]
        tear: Option<TearSpec> = None,
        /// It is cut.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        cut: Vec<CutSpec> = Vec::new(),
        /// Sides whose vertices are pinned.
        pin_sides: Vec<Side> = Vec::new(),
        /// Metres.
        thickness: f32 = 0.001,
    }
}

impl SoftBodySpec {
    pub(super) const VARIANTS: &[Variant] = &[
        Variant { name: "a bar or tube", keys: &["size", "cells", "tube"], other: &["mesh", "balls"] },
        Variant { name: "a surface of balls", keys: &["balls"], other: &["mesh"] },
        Variant { name: "a mass of a volume", keys: &["density"], other: &["vertex_mass"] },
        Variant { name: "an elastic material", keys: &["young"], other: &["stiffness"] },
    ];
}

/// Triangles of balls are so wide, of the cells that they are filled with.
const FINE: f32 = 0.35;

impl SoftBodySpec {
    /// Whether it can break, or be cut.
    #[must_use]
    pub fn can_tear(&self) -> bool {
        self.tear.is_some() || !self.cut.is_empty()
    }

    /// What so many cells make it need.
    fn need_of(&self, cells: u64) -> Need {
        Need::solid(cells, cells.saturating_mul(6)).colliding(self.collide != Collide::Nothing)
    }

    /// The solid, and the factors that it still wants.
    fn source(&self, of: &str, mesh: Option<Geometry>, files: &mut Files) -> Result<(SoftBody, Scale), String> {
        let cell = || {
            let cell = self.cell.ok_or_else(|| {
                format!(
                    "{of}: a surface is filled with cells, and `cell` is not given; add it, such as cell = 0.05 (m)"
                )
            })?;
            above_zero(of, "cell", cell, " m")?;
            factors(of, "scale", self.scale)?;
            Ok::<f32, String>(cell)
        };
        let only = [self.mesh.is_some(), !self.balls.is_empty(), self.tube.is_some()];
        if only.iter().filter(|given| **given).count() > 1 {
            return Err(format!("{of}: give one of `mesh`, `balls` and `tube`"));
        }
        let filled = matches!(&mesh, Some(Geometry::Surface(..))) || !self.balls.is_empty();
        if self.cell.is_some() && !filled {
            return Err(format!("{of}: `cell` is for a surface that is filled, and there is none"));
        }
        match mesh {
            Some(Geometry::Solid(solid)) => Ok((SoftBody::new(solid), self.scale)),
            // Cells are cubes, so what is scaled along its axes apart is scaled before it is filled.
            Some(Geometry::Surface(mut mesh, _)) => {
                let (cell, scale) = (cell()?, self.scale.uniform());
                if scale.is_none() {
                    self.scale.scale_all(&mut mesh.positions);
                }
                // In the units of the surface.
                let scale = scale.unwrap_or(1.0);
                Ok((files.filled(mesh.into(), cell / scale), scale.into()))
            }
            None if filled => {
                let cell = cell()?;
                let Some(scale) = self.scale.uniform() else {
                    return Err(format!("{of}: `balls` have one factor `scale`, and three are given"));
                };
                let cell = cell / scale;
                // All of it at once, before the surface is made; a copy is counted by the surface that is there.
                if files.made_of_balls(&self.balls, cell * FINE).is_none() {
                    let need = SoftBody::need_of_balls(&self.balls, cell, cell * FINE);
                    files.pass(of, "cell", need.colliding(self.collide != Collide::Nothing))?;
                }
                let mesh = files.ball_surface(&self.balls, cell * FINE);
                let mesh = mesh.map_err(|e| format!("{of}: {}", e.of_cells(FINE / scale)))?;
                Ok((files.filled(mesh, cell), self.scale))
            }
            None => Ok(match self.tube {
                Some(radii) => (SoftBody::tube(self.size[0], radii, self.cells), self.scale),
                None => (SoftBody::bar(self.size, self.cells), self.scale),
            }),
        }
    }
}

/// Pa, unless told, as [`SoftBody`] has it.
const USUAL_YOUNG: f32 = 1e5;

/// Keys of which there are maps.
const MAPPED: &[&str] = &["density", "young"];

impl BodyTable for SoftBodySpec {
    /// Of tetrahedra, their skin's.
    fn surface(&self) -> Option<(&str, bool)> {
        let filled = self.mesh.as_deref().filter(|_| self.cell.is_some());
        self.skin.as_deref().or(filled).map(|file| (file, false))
    }

    fn placed(&self) -> Option<(seidel::Pose, seidel::Scale)> {
        Some(self.placement())
    }

    fn names_maps(&self) -> bool {
        self.names_maps()
    }

    fn need(&self) -> Option<(&'static str, Need)> {
        let cells = self.cells.iter().fold(1u64, |count, &cells| count.saturating_mul(cells.into()));
        (self.mesh.is_none() && self.balls.is_empty()).then(|| ("cells", self.need_of(cells)))
    }

    fn build(&self, of: &str, files: &mut Files, worn: &[Worn]) -> Result<Recipe, String> {
        let pose = self.pose(of)?;
        let mesh = self.mesh.as_deref().map(|file| files.any(of, file)).transpose()?;
        let skin = files.surface_if(of, self.skin.as_deref())?;
        let (mut body, scale) = self.source(of, mesh, files)?;
        // Before anything asks for the places of its vertices, which fills it.
        if self.cell.is_some() {
            files.pass(of, "cell", Recipe::from(body.clone()).need())?;
        }
        if let Some(skin) = skin {
            body = body.skin(skin);
        }
        for &side in &self.pin_sides {
            body = body.pin_side(side);
        }
        let mut body = body.placed(pose, scale).poisson(self.poisson).model(self.model).relaxation(self.relaxation);
        if let Some(plastic) = self.plastic {
            body = body.plastic(plastic.build());
        }
        if let Some(tearing) = tearing(of, self.tear, &self.cut)? {
            body = body.tear(tearing);
        }
        let maps = self.maps(of, files, MAPPED, &body, &Numbers::default())?;
        if let Some(k) = self.stiffness {
            let young = self.young.is_some() || maps.has("young");
            needless(of, "`stiffness` says how stiff it is", &[("young", young)])?;
            body = body.pbd(k);
        }
        if let Some(modulus) = maps.over_usual("young", self.young, Some(USUAL_YOUNG))? {
            body = body.young(modulus);
        }
        if let Some(thickness) = maps.over("thickness", Some(self.thickness))? {
            body = body.thickness(thickness);
        }
        if let Some(density) = maps.over("density", Some(self.density))? {
            body = body.density(density);
        }
        if let Some(mass) = self.vertex_mass {
            needless(of, "`vertex_mass` says what it weighs", &[("density", maps.has("density"))])?;
            body = body.vertex_mass(mass);
        }
        Ok(self.bodily(of, self.blown(body), worn, (&maps, &Numbers::default()))?.into())
    }
}
