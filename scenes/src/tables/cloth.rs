//! Cloths by keys.

use super::attach::Worn;
use super::body_table::BodyTable;
use super::check::{above_zero, is_off, needless, stiffness};
use super::geometry::Files;
use super::keys::table;
use super::map::Maps;
use super::tear::tearing;
use super::variant::Variant;
use super::vertices::Numbers;
use super::{CutSpec, FabricSpec, LongRangeSpec, PlasticSpec, TearSpec};
use seidel::memory::Need;
use seidel::{BendModel, Cloth, ClothModel, Collide, GridPins, Recipe};

table! {
    /// A cloth: a grid of `resolution` and `size`, flat or rolled into a tube, or the mesh of a file.
    ClothSpec of Cloth: met, placed, blown, body {
        /// Mesh file, relative to the scene file; instead of a grid.
        #[serde(skip_serializing_if = "Option::is_none")]
        mesh: Option<String> = None,
        /// Repair the mesh before it is used; vertices keep the numbers of the file in the keys of this cloth.
        #[serde(skip_serializing_if = "is_off")]
        repair: bool = false,
        /// Vertices along x and z: one number for both, or two.
        #[serde(with = "one_or_two")]
        resolution: [u32; 2] = [64, 64],
        /// Metres along x and z.
        size: [f32; 2] = [1.0, 1.0],
        /// The grid is a tube about x: its first row follows its last, and the second of `size` is its girth.
        #[serde(skip_serializing_if = "is_off")]
        tube: bool = false,
        /// kg/m^2; of the fabric, or 0.2, if absent.
        #[serde(skip_serializing_if = "Option::is_none")]
        density: Option<f32> = None,
        /// kg of each vertex, whatever the area around it; instead of a density.
        #[serde(skip_serializing_if = "Option::is_none")]
        vertex_mass: Option<f32> = None,
        /// What it is made of, instead of the compliances and stiffnesses below.
        #[serde(skip_serializing_if = "Option::is_none")]
        fabric: Option<FabricSpec> = None,
        /// How its fabric resists stretch; springs if absent.
        #[serde(skip_serializing_if = "Option::is_none")]
        model: Option<ClothModel> = None,
        /// Direction of its fabric's warp before it is turned; along x if absent.
        #[serde(skip_serializing_if = "Option::is_none")]
        warp: Option<[f64; 3]> = None,
        /// Factor on its fabric's tensile stiffness; 1 if absent.
        #[serde(skip_serializing_if = "Option::is_none")]
        stretch_factor: Option<f32> = None,
        /// Factor on its fabric's shear stiffness; 1 if absent.
        #[serde(skip_serializing_if = "Option::is_none")]
        shear_factor: Option<f32> = None,
        /// Factor on its fabric's bending rigidity; 1 if absent.
        #[serde(skip_serializing_if = "Option::is_none")]
        bend_factor: Option<f32> = None,
        /// m/N; instead of `stretch_stiffness`.
        #[serde(skip_serializing_if = "Option::is_none")]
        stretch_compliance: Option<f32> = None,
        /// PBD's k, 0..1.
        #[serde(skip_serializing_if = "Option::is_none")]
        stretch_stiffness: Option<f32> = None,
        /// m/N (or PBD's k beside `stretch_stiffness`), when compressed; as in stretch if absent.
        #[serde(skip_serializing_if = "Option::is_none")]
        compress: Option<f32> = None,
        /// m/N of a grid's diagonals; 1e-2 without this and `shear_stiffness`, or as in stretch where that has more or
        /// is PBD's k.
        #[serde(skip_serializing_if = "Option::is_none")]
        shear_compliance: Option<f32> = None,
        /// PBD's k, 0..1.
        #[serde(skip_serializing_if = "Option::is_none")]
        shear_stiffness: Option<f32> = None,
        /// How it bends; dihedral if absent.
        #[serde(skip_serializing_if = "Option::is_none")]
        bend: Option<BendModel> = None,
        /// rad^2/J, isometric 1/J; no bending without this and `bend_stiffness`.
        #[serde(skip_serializing_if = "Option::is_none")]
        bend_compliance: Option<f32> = None,
        /// PBD's k, 0..1.
        #[serde(skip_serializing_if = "Option::is_none")]
        bend_stiffness: Option<f32> = None,
        /// Edges and diagonals stay stretched beyond a strain.
        #[serde(skip_serializing_if = "Option::is_none")]
        plastic: Option<PlasticSpec> = None,
        /// Hinges stay bent beyond an angle.
        #[serde(skip_serializing_if = "Option::is_none")]
        plastic_bend: Option<PlasticSpec> = None,
        /// It tears where edges are stretched beyond a strain.
        #[serde(skip_serializing_if = "Option::is_none")]
        tear: Option<TearSpec> = None,
        /// It is cut.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        cut: Vec<CutSpec> = Vec::new(),
        /// m/(s Pa): the speed at which a fluid goes through per difference of pressure; 0 is watertight.
        permeance: f32 = 0.0,
        /// Pinned parts of a grid.
        pin: Vec<GridPins> = Vec::new(),
        /// Share of its way at rest by which each vertex may be further from its nearest pins, or "auto" (as if absent)
        /// or "off".
        #[serde(skip_serializing_if = "Option::is_none")]
        long_range: Option<LongRangeSpec> = None,
        /// Metres; of the fabric, or 0.002, if absent.
        #[serde(skip_serializing_if = "Option::is_none")]
        thickness: Option<f32> = None,
    }
}

impl ClothSpec {
    pub(super) const VARIANTS: &[Variant] = &[Variant {
        name: "a grid",
        keys: &["resolution", "size", "tube", "shear_compliance", "shear_stiffness"],
        other: &["mesh"],
    }];
}

impl BodyTable for ClothSpec {
    fn surface(&self) -> Option<(&str, bool)> {
        self.mesh.as_deref().map(|file| (file, self.repair))
    }

    fn placed(&self) -> Option<(seidel::Pose, seidel::Scale)> {
        Some(self.placement())
    }

    fn names_maps(&self) -> bool {
        self.names_maps()
    }

    fn need(&self) -> Option<(&'static str, Need)> {
        let [columns, rows] = self.resolution.map(u64::from);
        let vertices = columns.saturating_mul(rows);
        let bends = self.bend_compliance.is_some() || self.bend_stiffness.is_some() || self.fabric.is_some();
        let need = Need::sheet(vertices, vertices.saturating_mul(2), bends).colliding(self.collide != Collide::Nothing);
        self.mesh.is_none().then_some(("resolution", need))
    }

    fn build(&self, of: &str, files: &mut Files, worn: &[Worn]) -> Result<Recipe, String> {
        let pose = self.pose(of)?;
        let (mut cloth, numbers) = self.source(of, files)?;
        for &part in &self.pin {
            cloth = cloth.pin_grid(part);
        }
        if let Some(warp) = self.warp {
            cloth = cloth.warp(warp);
        }
        let mut cloth = cloth.placed(pose, self.scale);
        let maps = self.maps(of, files, if self.mesh.is_some() { OF_MESHES } else { MAPPED }, &cloth, &numbers)?;
        // Diagonals that no key and no map tells of shear; those of PBD's k are as stiff as the edges.
        let told = |key: &str| maps.has(key);
        let springs = self.mesh.is_none() && self.fabric.is_none() && self.stretch_stiffness.is_none();
        let springs = springs && !told("stretch_stiffness") && !told("shear_stiffness") && !told("stretch_compliance");
        let own = self.stretch_compliance.unwrap_or(0.0);
        let usual_shear = springs.then_some(if own > USUAL_SHEAR { own } else { USUAL_SHEAR });
        let stiff = |what: &str, compliance: Option<f32>, pbd: Option<f32>| {
            let usual = match what {
                "stretch_" => Some(USUAL_STRETCH),
                "shear_" => usual_shear,
                _ => None,
            };
            let usual = usual.filter(|_| pbd.is_none());
            // What is usual for a stretch the recipe knows by itself.
            let compliance = if what == "shear_" { compliance.or(usual) } else { compliance };
            let compliance = maps.over_usual(&format!("{what}compliance"), compliance, usual)?;
            stiffness(of, what, compliance, maps.over(&format!("{what}stiffness"), pbd)?)
        };
        if let Some(s) = stiff("stretch_", self.stretch_compliance, self.stretch_stiffness)? {
            cloth = cloth.stretch_by(s);
        }
        if let Some(s) = stiff("shear_", self.shear_compliance, self.shear_stiffness)? {
            cloth = cloth.shear_by(s);
        }
        if let Some(s) = stiff("bend_", self.bend_compliance, self.bend_stiffness)? {
            cloth = cloth.bend_by(s).bend_model(self.bend.unwrap_or_default());
        } else if let Some(model) = self.bend {
            if self.fabric.is_none() {
                return Err(format!(
                    "{of}: `bend` means nothing without bend_compliance, bend_stiffness or a fabric; add one of them"
                ));
            }
            cloth = cloth.bend_model(model);
        }
        if let Some(numbers) = maps.over("compress", self.compress)? {
            cloth = cloth.compress(numbers);
        }
        if let Some(plastic) = self.plastic {
            cloth = cloth.plastic(plastic.build());
        }
        if let Some(plastic) = self.plastic_bend {
            cloth = cloth.plastic_bend(plastic.of_hinges());
        }
        if let Some(tearing) = tearing(of, self.tear, &self.cut)? {
            cloth = cloth.tear(tearing);
        }
        if let Some(slack) = self.long_range {
            cloth = cloth.long_range(slack.build());
        }
        let mut cloth = self.woven(of, cloth.permeance(self.permeance), &maps)?;
        let fabric = self.fabric.as_ref().map(|fabric| fabric.build(of)).transpose()?;
        let usual = fabric.map_or(USUAL_DENSITY, |fabric| fabric.density);
        if let Some(density) = maps.over_usual("density", self.density, Some(usual))? {
            cloth = cloth.density(density);
        }
        if let Some(mass) = self.vertex_mass {
            needless(
                of,
                "`vertex_mass` says what it weighs",
                &[("density", self.density.is_some() || maps.has("density"))],
            )?;
            cloth = cloth.vertex_mass(mass);
        }
        let usual = fabric.map_or(USUAL_THICKNESS, |fabric| (0.5 * fabric.thickness).max(LEAST_OF_FABRIC));
        if let Some(thickness) = maps.over_usual("thickness", self.thickness, Some(usual))? {
            cloth = cloth.thickness(thickness);
        }
        Ok(self.bodily(of, self.blown(cloth), worn, (&maps, &numbers))?.into())
    }
}

impl ClothSpec {
    /// Whether it can tear, or be cut.
    #[must_use]
    pub fn can_tear(&self) -> bool {
        self.tear.is_some() || !self.cut.is_empty()
    }

    /// Whether both diagonals of its cells are rigid.
    #[must_use]
    pub fn is_of_plates(&self) -> bool {
        let rigid = self.shear_compliance.map_or(self.stretch_stiffness.is_some(), |shear| shear < 1e-3);
        self.mesh.is_none() && self.fabric.is_none() && self.shear_stiffness.is_none() && rigid
    }
}

/// m/N of the diagonals of a grid, whose own default is that of its edges: then each cell is a plate, and a sheet that
/// is laid over a ball or a corner is stretched by some percents. The inverse, 100 N/m, is between those of cotton and
/// denim.
const USUAL_SHEAR: f32 = 1e-2;

/// What a cloth has unless told, as [`Cloth::new`] and [`Cloth::fabric`] have it: m/N, kg/m^2, m.
const USUAL_STRETCH: f32 = 1e-6;
const USUAL_DENSITY: f32 = 0.2;
const USUAL_THICKNESS: f32 = 0.002;
const LEAST_OF_FABRIC: f32 = 1e-3;

/// Keys of which there are maps.
const MAPPED: &[&str] = &[
    "density",
    "stretch_compliance",
    "stretch_stiffness",
    "compress",
    "bend_compliance",
    "bend_stiffness",
    "stretch_factor",
    "shear_factor",
    "bend_factor",
    "shear_compliance",
    "shear_stiffness",
];

/// Those of a mesh, which has no diagonals.
const OF_MESHES: &[&str] = MAPPED.split_at(MAPPED.len() - 2).0;

impl ClothSpec {
    /// The grid or mesh that it is made of, and what numbers the repair has given its vertices.
    fn source(&self, of: &str, files: &mut Files) -> Result<(Cloth, Numbers), String> {
        let mapped = self.mesh.as_deref().map(|file| files.mapped(of, file)).transpose()?;
        let (mesh, numbers) = match mapped {
            Some(_) if !self.pin.is_empty() => {
                return Err(format!(
                    "{of}: `pin` names parts of a grid; a mesh is pinned by `pin_vertices` or `pin_where`"
                ));
            }
            Some((mesh, mut numbers)) if self.repair => {
                let (mesh, repairs) = mesh.repaired();
                if mesh.triangles.is_empty() {
                    return Err(format!(
                        "{of}: no triangle of {} is left after the repair; use another mesh",
                        numbers.file
                    ));
                }
                numbers.maps = numbers.maps.repaired(&repairs);
                numbers.new = repairs.vertex_map;
                (mesh, numbers)
            }
            Some((mesh, numbers)) => (mesh, numbers),
            None if self.repair => return Err(format!("{of}: `repair` is for a mesh; there is no key `mesh`")),
            None => {
                self.size.iter().try_for_each(|&side| above_zero(of, "size", side, " m"))?;
                let cloth = if self.tube { Cloth::tube } else { Cloth::grid };
                return Ok((cloth(self.resolution, self.size), Numbers::default()));
            }
        };
        Ok((Cloth::new(mesh), numbers))
    }

    /// Of its fabric.
    fn woven(&self, of: &str, cloth: Cloth, maps: &Maps<'_>) -> Result<Cloth, String> {
        let factors = [
            ("stretch_factor", self.stretch_factor),
            ("shear_factor", self.shear_factor),
            ("bend_factor", self.bend_factor),
        ];
        let Some(fabric) = &self.fabric else {
            let told = [("model", self.model.is_some()), ("warp", self.warp.is_some())];
            let factors = factors.map(|(key, own)| (key, own.is_some() || maps.has(key)));
            return match told.into_iter().chain(factors).find(|(_, told)| *told) {
                Some((key, _)) => Err(format!("{of}: `{key}` means nothing without a fabric; add `fabric`")),
                None => Ok(cloth),
            };
        };
        let told = [
            ("stretch_compliance", self.stretch_compliance.is_some()),
            ("compress", self.compress.is_some()),
            ("shear_compliance", self.shear_compliance.is_some()),
            ("shear_stiffness", self.shear_stiffness.is_some()),
            ("bend_compliance", self.bend_compliance.is_some()),
        ];
        let told = told.map(|(key, told)| (key, told || maps.has(key)));
        needless(of, "its fabric says how stiff it is", &told)?;
        let mut cloth = cloth.fabric(fabric.build(of)?).model(self.model.unwrap_or_default());
        for (key, own) in factors {
            if let Some(factor) = maps.over_usual(key, own, Some(1.0))? {
                cloth = match key {
                    "stretch_factor" => cloth.stretch_factor(factor),
                    "shear_factor" => cloth.shear_factor(factor),
                    _ => cloth.bend_factor(factor),
                };
            }
        }
        Ok(cloth)
    }
}

/// `128`, or `[128, 64]`.
mod one_or_two {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Deserialize)]
    #[serde(untagged, expecting = "neither a whole number up to 4294967295 nor two in brackets")]
    enum OneOrTwo {
        One(u32),
        Two([u32; 2]),
    }

    pub(super) fn serialize<S: Serializer>(value: &[u32; 2], serializer: S) -> Result<S::Ok, S::Error> {
        value.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<[u32; 2], D::Error> {
        Ok(match OneOrTwo::deserialize(deserializer)? {
            OneOrTwo::One(n) => [n, n],
            OneOrTwo::Two(n) => n,
        })
    }
}
