//! A cloth of a fabric: which one, its direction, and factors on its numbers.

use super::fabric::{ClothModel, Fabric};
use crate::describe::cloth::Cloth;
use crate::describe::values::Values;

impl Cloth {
    /// Of a fabric, which tells how it resists stretch, shear and bending; and its density and its thickness in
    /// contacts, half the fabric's and 1 mm or more, unless [`Cloth::density`] and [`Cloth::thickness`] follow.
    ///
    /// Compliances and stiffnesses of stretch, compression, shear or bending beside it are refused when the scene is
    /// planned.
    #[must_use]
    pub fn fabric(mut self, fabric: Fabric) -> Cloth {
        self.density = fabric.density.into();
        self.traits.thickness = fabric.contact().into();
        self.woven.fabric = Some(fabric);
        self
    }

    /// How its fabric resists stretch: by springs, unless this says otherwise.
    #[must_use]
    pub fn model(mut self, model: ClothModel) -> Cloth {
        self.woven.model = model;
        self
    }

    /// Direction of the warp, beside the mesh as it is now; what places it later turns this too. In each triangle it is
    /// what lies in its plane. Along x unless told: along the rows of a grid, so that columns are weft.
    ///
    /// A direction that stands upright on a triangle is refused when the scene is planned.
    #[must_use]
    pub fn warp(mut self, direction: impl Into<glam::DVec3>) -> Cloth {
        self.woven.warp = direction.into().to_array();
        self
    }

    /// Factor on the tensile stiffness of its fabric, along warp and weft, within 1e-6 .. 1e6; 1 unless told: one, or
    /// one for each vertex, of which a triangle and a grid's cell have the mean. With [`ClothModel::Fem`] it is one on
    /// shear, too.
    ///
    /// # Example
    /// ```
    /// use seidel::{Cloth, Fabric, Values};
    /// // A collar that is lined: the first of 20 rows of vertices.
    /// let lined: Vec<u32> = (0..20).collect();
    /// let lining = |factor| Values::from(1.0).with(20 * 20, &lined, factor);
    /// let shirt = Cloth::grid([20, 20], [0.5, 0.5]).fabric(Fabric::COTTON);
    /// let shirt = shirt.stretch_factor(lining(3.0)).shear_factor(lining(5.0)).bend_factor(lining(50.0));
    /// # let mut scene = seidel::Scene::new();
    /// # scene.add(shirt);
    /// # assert!(seidel::Plan::new(&scene).is_ok());
    /// ```
    #[must_use]
    pub fn stretch_factor(mut self, factor: impl Into<Values>) -> Cloth {
        self.woven.factors.stretch = factor.into();
        self
    }

    /// Factor on the shear stiffness of its fabric, as [`Cloth::stretch_factor`]; not with [`ClothModel::Fem`].
    #[must_use]
    pub fn shear_factor(mut self, factor: impl Into<Values>) -> Cloth {
        self.woven.factors.shear = factor.into();
        self
    }

    /// Factor on the bending rigidity of its fabric, within 1e-6 .. 1e6; 1 unless told: one, or one for each vertex, of
    /// which a hinge has the mean of its four.
    #[must_use]
    pub fn bend_factor(mut self, factor: impl Into<Values>) -> Cloth {
        self.woven.factors.bend = factor.into();
        self
    }
}
