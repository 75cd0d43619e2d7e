//! Fabrics: what a sheet weighs and how it resists stretch, shear and bending, as laboratories measure it.

use crate::describe::error::{Error, range};
use crate::describe::values::{Values, mean};
use serde::{Deserialize, Serialize};

/// A sheet material by numbers that are measured: woven, knitted, or an even skin. Warp is the first of a pair, weft
/// the second.
///
/// From a table of the Kawabata system (KES-F), with 1 gf = 9.807e-3 N: bending B in gf cm^2/cm times 9.807e-5 is N m;
/// shear G in gf/(cm deg) times 56.2 is N/m; tensile, an extension EMT (%) at 500 gf/cm with the linearity LT, is
/// 49,000 LT / EMT N/m, the linear sheet that takes the same work.
///
/// # Example
/// ```
/// use seidel::{Cloth, ClothModel, Fabric};
/// let heavy = Fabric { density: 0.5, ..Fabric::DENIM };
/// let apron = Cloth::grid([30, 30], [0.6, 0.6]).fabric(heavy).model(ClothModel::Orthotropic);
/// assert_eq!(Fabric::by_name("silk"), Some(Fabric::SILK));
/// # let _ = apron;
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fabric {
    /// Mass per area, kg/m^2, > 0.
    pub density: f32,
    /// Thickness, m, > 0: of no effect on stretch or bending, whose stiffnesses are those of the whole sheet.
    pub thickness: f32,
    /// Tensile stiffness along warp and weft, N/m, > 0: force per width and strain, which is Young's modulus times
    /// thickness.
    pub stretch: [f32; 2],
    /// Shear stiffness, N/m, > 0: force per width and shear angle in rad, which is the shear modulus times thickness.
    pub shear: f32,
    /// Poisson's ratio: how much the weft contracts for a strain along the warp. The other one is this times the
    /// stiffness of the weft over that of the warp, and their product is below 1.
    pub poisson: f32,
    /// Bending rigidity along warp and weft, N m: moment per width and curvature. Both above 0, or both 0.
    pub bend: [f32; 2],
}

/// Least radius of contact that a fabric gives a cloth, metres: contacts of what is thinner would want edges as fine.
const LEAST_CONTACT: f32 = 1e-3;

impl Fabric {
    /// A shirt's plain weave.
    ///
    /// # Source
    /// Weight, thickness and Poisson's ratio: the cotton of Penava et al. 2014, the first two from table 1, as others
    /// quote it; not seen in the original. (Quoted beside them is a Young's modulus of 0.82 MPa, a twentieth of this
    /// one: not taken.) Tensile, shear and bending stiffness are typical of shirtings on KES-F (EMT 3 to 8 %, G 0.5 to
    /// 1.5 gf/(cm deg), B 0.04 to 0.1 gf cm^2/cm), and not confirmed by any one source.
    pub const COTTON: Fabric = Fabric {
        density: 0.1503,
        thickness: 3.18e-4,
        stretch: [6e3, 4e3],
        shear: 45.0,
        poisson: 0.243,
        bend: [7e-6, 5e-6],
    };

    /// A charmeuse of 16 momme.
    ///
    /// # Source
    /// Weight: one momme is 4.3 g/m^2 by its definition. All else is typical of light silks on KES-F (G 0.2 to 0.4
    /// gf/(cm deg), B 0.01 to 0.04 gf cm^2/cm), and not confirmed by any one source.
    pub const SILK: Fabric = Fabric {
        density: 0.069,
        thickness: 1.5e-4,
        stretch: [4e3, 3e3],
        shear: 15.0,
        poisson: 0.2,
        bend: [2e-6, 1.5e-6],
    };

    /// A twill for jeans, 11 oz by its name.
    ///
    /// # Source
    /// Weight and bending: Wang, O'Brien, Ramamoorthi 2011, "Data-driven elastic models for cloth", their 11oz black
    /// denim (99 % cotton, 1 % spandex), 0.324 kg/m^2 and 6.42e-5 N m where it is flat, as others quote their data.
    /// Tensile, shear and thickness: within the six denims of "Regenerated cellulose-based denim fabric for tropical
    /// regions", Journal of Textiles 2016, table 5 (EMT 4.7 to 5.7 %, LT 0.66 to 0.78, so 5.6e3 to 8.1e3 N/m; G 1.5 to
    /// 3.4 gf/(cm deg), so 84 to 191 N/m; 0.8 to 1.2 mm). Their bending rigidity is 1.4e-5 to 2.2e-5 N m. How stiffness
    /// is shared between warp and weft, and Poisson's ratio, are typical.
    pub const DENIM: Fabric = Fabric {
        density: 0.324,
        thickness: 8e-4,
        stretch: [8e3, 5.8e3],
        shear: 120.0,
        poisson: 0.2,
        bend: [6.42e-5, 6.42e-5],
    };

    /// A garment's leather, 1 mm thick, the same in all directions.
    ///
    /// # Source
    /// None that could be confirmed: leathers differ by more than ten times. 700 kg/m^3, Young's modulus 20 MPa at
    /// small strains and a Poisson's ratio of 0.3 are typical of soft ones. The bending rigidity is a third of an even
    /// sheet's of that modulus, as the loose layers under the grain give way.
    pub const LEATHER: Fabric = Fabric {
        density: 0.7,
        thickness: 1e-3,
        stretch: [2e4, 2e4],
        shear: 7.692_308e3,
        poisson: 0.3,
        bend: [6e-4, 6e-4],
    };

    /// A sheet of vulcanised natural rubber, 1 mm thick.
    ///
    /// # Source
    /// MatWeb, "Natural Rubber, Vulcanized": 950 kg/m^3, shear modulus 0.5 MPa. Young's modulus is three times that, as
    /// rubber keeps its volume; Poisson's ratio 0.49, as 0.5 is beyond the limit. Bending is that of an even sheet. At
    /// strains above some 20 % real rubber gives way before it stiffens, and this does not.
    pub const RUBBER: Fabric = Fabric {
        density: 0.95,
        thickness: 1e-3,
        stretch: [1.5e3, 1.5e3],
        shear: 503.355_7,
        poisson: 0.49,
        bend: [1.645e-4, 1.645e-4],
    };

    /// The presets, by name.
    pub const NAMED: [(&str, Fabric); 5] = [
        ("cotton", Fabric::COTTON),
        ("silk", Fabric::SILK),
        ("denim", Fabric::DENIM),
        ("leather", Fabric::LEATHER),
        ("rubber", Fabric::RUBBER),
    ];

    /// The preset of a name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Fabric> {
        Fabric::NAMED.iter().find(|(known, _)| *known == name).map(|(_, fabric)| *fabric)
    }

    /// An even sheet of a thickness (m), a density (kg/m^3), Young's modulus E (Pa) and Poisson's ratio nu: E t along
    /// both, E t / (2 (1 + nu)) in shear, E t^3 / (12 (1 - nu^2)) in bending.
    ///
    /// # Example
    /// ```
    /// let rubber = seidel::Fabric::sheet(1e-3, 950.0, 1.5e6, 0.49);
    /// assert!((rubber.bend[0] / seidel::Fabric::RUBBER.bend[0] - 1.0).abs() < 1e-3);
    /// ```
    #[must_use]
    pub fn sheet(thickness: f32, density: f32, young: f32, poisson: f32) -> Fabric {
        let stretch = young * thickness;
        let bend = stretch * thickness * thickness / (12.0 * (1.0 - poisson * poisson));
        Fabric {
            density: density * thickness,
            thickness,
            stretch: [stretch; 2],
            shear: stretch / (2.0 * (1.0 + poisson)),
            poisson,
            bend: [bend; 2],
        }
    }

    /// Young's moduli along warp and weft, Pa: tensile stiffness over thickness.
    #[must_use]
    pub fn young(&self) -> [f32; 2] {
        [self.stretch[0] / self.thickness, self.stretch[1] / self.thickness]
    }

    /// 1 - nu_xy nu_yx: above 0 for a sheet that resists everything.
    pub(super) fn coupling(&self) -> f64 {
        let [warp, weft] = self.stretch.map(f64::from);
        let nu = f64::from(self.poisson);
        1.0 - nu * nu * weft / warp
    }

    /// Distance that a cloth of it keeps from colliders: half its thickness, or [`LEAST_CONTACT`].
    pub(super) fn contact(&self) -> f32 {
        let half = 0.5 * self.thickness;
        if half > LEAST_CONTACT { half } else { LEAST_CONTACT }
    }

    /// Whether its numbers are within their limits, for a model; `of` names the body.
    pub(super) fn check(&self, of: impl Fn() -> String, model: ClothModel) -> Result<(), Error> {
        let thickness = f64::from(self.thickness);
        let what = || "thickness of the fabric".to_owned();
        range(&of, what, thickness, (1e-9..=1e3).contains(&thickness), "within 1e-9 .. 1e3 m")?;
        for (k, along) in ["warp", "weft"].into_iter().enumerate() {
            let stretch = f64::from(self.stretch[k]);
            let what = || format!("tensile stiffness along the {along}");
            range(&of, what, stretch, (1e-6..=1e12).contains(&stretch), "within 1e-6 .. 1e12 N/m")?;
            let bend = f64::from(self.bend[k]);
            let good = (1e-15..=1e6).contains(&bend) || self.bend == [0.0; 2];
            let what = || format!("bending rigidity along the {along}");
            range(&of, what, bend, good, "within 1e-15 .. 1e6 N m, or 0 along both warp and weft")?;
        }
        let shear = f64::from(self.shear);
        range(&of, || "shear stiffness".to_owned(), shear, (1e-6..=1e12).contains(&shear), "within 1e-6 .. 1e12 N/m")?;
        let nu = f64::from(self.poisson);
        let what = || "Poisson's ratio".to_owned();
        let limit = "between -1 and 0.5, as the model `fem` wants it: above that it would grow as it is stretched";
        let good = model != ClothModel::Fem || (nu > -1.0 && nu < 0.5);
        range(&of, what, nu, good, limit)?;
        let limit = "between -r and r, with r^2 the tensile stiffness of the warp over that of the weft: nu_xy nu_yx is below 1";
        range(&of, what, nu, self.coupling() > 0.0, limit)
    }
}

/// How a cloth of a fabric resists stretch and shear.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ClothModel {
    /// Springs along edges and a grid's diagonals ([`crate::kinds::DISTANCE`], [`crate::kinds::SHEAR`]). A grid's have
    /// the fabric's stiffness in every direction, if its warp lies along rows, along columns or over the diagonals of
    /// square cells; between these an even sheet's is off by 1 to 5 %, and a weave's bias is up to tens of times too
    /// stiff: for that, take another model. Their Poisson's ratio is what follows from the other numbers, 1/3 for an
    /// even sheet of 1/3. Cells too long for that are refused. An edge of a mesh has k = sum E t A / L^2 over the
    /// triangles beside it, E the modulus in its own direction: exact for an even sheet of Poisson's ratio 1/3 in
    /// equilateral triangles.
    #[default]
    Edges,
    /// Finite elements of an even sheet: the mean of warp and weft, and Poisson's ratio; what it has in shear follows
    /// from these ([`crate::kinds::FEM_TRIANGLE`]).
    Fem,
    /// Finite elements with warp and weft ([`crate::kinds::ORTHOTROPIC`]). All strains of a triangle are one
    /// constraint: where a fabric shears hundreds of times as easily as it stretches it wants some four times the
    /// substeps of [`ClothModel::Strain`], or it wrinkles where it should not.
    Orthotropic,
    /// Stretch of warp and weft and their shear, each on its own: without a Poisson's ratio
    /// ([`crate::kinds::STRAIN_TRIANGLE`]).
    Strain,
}

impl ClothModel {
    /// Its name in scene files.
    pub(super) fn name(self) -> &'static str {
        match self {
            ClothModel::Edges => "edges",
            ClothModel::Fem => "fem",
            ClothModel::Orthotropic => "orthotropic",
            ClothModel::Strain => "strain",
        }
    }
}

/// Factors on a fabric's numbers, each one for all vertices or one for each.
#[derive(Clone, Debug)]
pub(super) struct Factors {
    pub(super) stretch: Values,
    pub(super) shear: Values,
    pub(super) bend: Values,
}

impl Factors {
    /// Of a row on these vertices: their mean.
    pub(super) fn of(values: &Values, at: &[u32]) -> f64 {
        f64::from(match values {
            Values::Uniform(value) => *value,
            Values::PerRow(each) | Values::PerVertex(each) => mean(at.iter().map(|&v| each[v as usize])),
        })
    }

    /// Whether they are within their limits, one for each of `count` vertices, and the rows of the model have what they
    /// are of. `k` tells whether PBD's numbers stand in the place of stretch, and of bending.
    pub(super) fn check(
        &self,
        of: impl Fn() -> String,
        count: usize,
        (fabric, model): (Option<Fabric>, ClothModel),
        k: [bool; 2],
    ) -> Result<(), Error> {
        let (good, limit) = (|factor| (1e-6..=1e6).contains(&factor), "within 1e-6 .. 1e6");
        let told = [("stretch_factor", &self.stretch), ("shear_factor", &self.shear), ("bend_factor", &self.bend)];
        for (factor, values) in told {
            values.check(&of, (factor, "vertex"), count, good, limit)?;
            let idle = |why| Err(Error::IdleFactor { of: of(), factor, why });
            match (fabric, factor) {
                _ if *values == Values::Uniform(1.0) => {}
                (None, _) => idle("and it has no fabric")?,
                (_, "stretch_factor" | "shear_factor") if k[0] => {
                    idle("in whose place PBD's stiffness of stretch stands")?;
                }
                (_, "shear_factor") if model == ClothModel::Fem => {
                    idle("and what the model `fem` has in shear follows from its stretch")?;
                }
                (_, "bend_factor") if k[1] => idle("in whose place PBD's stiffness of bending stands")?,
                (Some(fabric), "bend_factor") if fabric.bend == [0.0; 2] => idle("which is 0")?,
                _ => {}
            }
        }
        Ok(())
    }
}

impl Default for Factors {
    fn default() -> Factors {
        let one = || Values::Uniform(1.0);
        Factors { stretch: one(), shear: one(), bend: one() }
    }
}

/// A cloth's fabric, how it is modelled and which way it lies.
#[derive(Clone, Debug)]
pub(super) struct Woven {
    pub(super) fabric: Option<Fabric>,
    pub(super) model: ClothModel,
    /// Along the warp, with the mesh as placed; of any length.
    pub(super) warp: [f64; 3],
    pub(super) factors: Factors,
}

impl Default for Woven {
    fn default() -> Woven {
        Woven { fabric: None, model: ClothModel::default(), warp: [1.0, 0.0, 0.0], factors: Factors::default() }
    }
}
