//! Rows of a fabric on the mesh of a cloth: stretch and shear by a [`ClothModel`], bending by hinges.
//!
//! ```text
//!   stretch of a triangle of area A           D = 1 - nu_xy nu_yx, moduli times thickness
//!     fem           1 / (mu A),  mu = E / (2 (1 + nu))
//!     orthotropic   D / (E_x A)
//!     strain        1 / (E_x A),  1 / (E_y A),  1 / (G A)
//!   springs of a mesh: k = sum E A / L^2. In equilateral triangles their energy is E / 2 sum_e (n_e.eps n_e)^2 an area; over all
//!     directions n_x^4 is 3/8 and n_x^2 n_y^2 1/8, so C11 = 9/8 E, C12 = 3/8 E: modulus E, Poisson's ratio 1/3
//!   springs of a grid's cell a x b, l^2 = a^2 + b^2: k_1 and k_2 on the diagonals, k_a and k_b along its sides. Springs resist
//!     shear as they resist two stretches at once, C_1122 = C_1212 = G, so that T of warp and weft is known from E_x, E_y and G:
//!     P = T_1111 = (E_x + sqrt(E_x^2 + 4 G^2 E_x / E_y)) / 2,  Q = T_2222 = P E_y / E_x,  T_1122 = G
//!     and turned to the sides of the cell, u and v,
//!     k_1 + k_2 = T_uuvv l^2 / (a b),  k_1 - k_2 = l^2 (a^2 T_uuuv + b^2 T_uvvv) / (a^4 + b^4)
//!     k_a = b / a (T_uuuu - T_uuvv a^2 / b^2),  k_b = a / b (T_vvvv - T_uuvv b^2 / a^2)
//!     Four springs for five numbers: of T_uuuv and T_uvvv only this mean is met, exactly where the warp lies along a side or, in
//!     squares, over a diagonal
//!   hinge over an edge e between areas A0 and A1: k = B |e|^2 / (A0 + A1) of the angle, 3 / B isometrically, B the rigidity across
//!     the edge, B_x sin^2 + B_y cos^2 of the angle between edge and warp
//! ```
//! E, G and B of a triangle, a cell or a hinge are the fabric's times the mean of the factors at its vertices.
//!
//! The factor of a hinge is that of Bergou et al. 2006 with the energy B kappa^2 / 2 of a cylinder.

use super::fabric::{ClothModel, Fabric, Factors};
use super::grid::Grid;
use crate::describe::body::Constraints;
use crate::describe::error::{Error, range};
use crate::describe::mesh::Mesh;
use crate::describe::stiffness::{Stiffness, Values};
use crate::geometry::vector::{P, cross, dot, length as norm, scale, sub};
use seidel_kinds as kinds;

/// The part of the warp direction that must lie in a triangle's plane: at least a thousandth of its length.
const LEAST_IN_PLANE: f64 = 1e-3;

/// Stiffness of a hinge over a grid's diagonal, beside that of a general mesh. The hinges over its sides, two over
/// each, resist all bending by themselves, in every direction alike; only a wave of one vertex up, the next one down,
/// does not bend them. With 1/20 a sheet is at most 5 % stiffer, where it bends over a diagonal.
const DIAGONAL: f64 = 0.05;

/// Difference of a cell's diagonals, beside their sum, at most.
const MOST_UNLIKE: f64 = 0.9;

/// Where rows of a fabric are made: the mesh as placed, and which way it lies.
pub(super) struct Weave<'a> {
    pub(super) mesh: &'a Mesh,
    pub(super) grid: Option<Grid>,
    pub(super) fabric: Fabric,
    pub(super) model: ClothModel,
    pub(super) warp: P,
    pub(super) factors: &'a Factors,
    pub(super) isometric: bool,
    /// PBD's k of stretch, and of bending, in place of the fabric's numbers.
    pub(super) k: [Option<Values>; 2],
    /// The body in messages.
    pub(super) of: &'a dyn Fn() -> String,
}

/// A triangle's area and the directions of warp and weft in it.
struct Element {
    area: f64,
    warp: P,
    weft: P,
}

impl Weave<'_> {
    fn place(&self, v: u32) -> P {
        self.mesh.positions[v as usize].map(f64::from)
    }

    /// Stretch and shear, then bending.
    pub(super) fn constraints(&self) -> Result<Vec<Constraints>, Error> {
        let length = norm(self.warp);
        let good = length.is_finite() && length > 1e-6;
        range(self.of, || "length of the warp's direction".to_owned(), length, good, "above 1e-6")?;
        let elements = self.elements(length)?;
        let mut families = match (self.model, self.grid) {
            (ClothModel::Edges, Some(grid)) => self.springs_of_grid(grid, &elements)?,
            (ClothModel::Edges, None) => vec![self.springs(&elements)],
            (ClothModel::Fem, _) => vec![self.even(&elements)],
            (ClothModel::Orthotropic, _) => vec![self.orthotropic(&elements)],
            (ClothModel::Strain, _) => vec![self.strain(&elements)],
        };
        let [stretch, bend] = &self.k;
        if let Some(k) = stretch {
            families.iter_mut().for_each(|rows| rows.stiffness = Stiffness::Pbd(k.clone()));
        }
        if let Some(k) = bend {
            families.push(Constraints { stiffness: Stiffness::Pbd(k.clone()), ..self.bending() });
        } else if self.fabric.bend != [0.0; 2] {
            families.push(self.bending());
        }
        Ok(families)
    }

    /// Whether stretch, shear and bending are the same whatever the warp's direction.
    fn is_even(&self) -> bool {
        let Fabric { stretch: [warp, weft], bend: [along, across], shear, poisson, .. } = self.fabric;
        let even = warp / (2.0 * (1.0 + poisson));
        let sheared = self.factors.stretch == self.factors.shear && (shear / even - 1.0).abs() < 1e-3;
        warp == weft && along == across && (self.model == ClothModel::Fem || sheared)
    }

    /// Tensile stiffness along warp and weft, and shear stiffness, N/m, of what lies between these vertices.
    fn moduli(&self, at: &[u32]) -> ([f64; 2], f64) {
        let Fabric { stretch, shear, .. } = self.fabric;
        let [by, sheared] = [&self.factors.stretch, &self.factors.shear].map(|values| Factors::of(values, at));
        (stretch.map(|modulus| f64::from(modulus) * by), f64::from(shear) * sheared)
    }

    fn elements(&self, length: f64) -> Result<Vec<Element>, Error> {
        let mut elements = Vec::with_capacity(self.mesh.triangles.len());
        for (t, triangle) in self.mesh.triangles.iter().enumerate() {
            let [a, b, c] = triangle.map(|v| self.place(v));
            let (e, n) = (sub(b, a), cross(sub(b, a), sub(c, a)));
            let twice = norm(n);
            let n = scale(n, 1.0 / twice);
            let mut warp = sub(self.warp, scale(n, dot(self.warp, n)));
            if norm(warp) < LEAST_IN_PLANE * length {
                if !self.is_even() {
                    return Err(Error::Upright { of: (self.of)(), triangle: t });
                }
                warp = e;
            }
            let warp = scale(warp, 1.0 / norm(warp));
            elements.push(Element { area: 0.5 * twice, warp, weft: cross(n, warp) });
        }
        Ok(elements)
    }

    fn corners(&self) -> Vec<u32> {
        self.mesh.triangles.as_flattened().to_vec()
    }

    /// Dm^-1 of a triangle in the directions of warp and weft, column after column.
    fn shape(&self, t: usize, element: &Element) -> [f32; 4] {
        let [x0, x1, x2] = self.mesh.triangles[t].map(|v| self.place(v));
        let (e1, e2) = (sub(x1, x0), sub(x2, x0));
        let (a, b) = (dot(e1, element.warp), dot(e2, element.warp));
        let (c, d) = (dot(e1, element.weft), dot(e2, element.weft));
        let det = a * d - b * c;
        [d / det, -c / det, -b / det, a / det].map(|v| v as f32)
    }

    fn even(&self, elements: &[Element]) -> Constraints {
        let nu = f64::from(self.fabric.poisson);
        let soft = |(element, at): (&Element, &[u32; 3])| {
            let ([warp, weft], _) = self.moduli(at);
            let mu = 0.5 * (warp + weft) / (2.0 * (1.0 + nu));
            (1.0 / (mu * element.area)) as f32
        };
        let compliance: Vec<f32> = elements.iter().zip(&self.mesh.triangles).map(soft).collect();
        Constraints::measured(kinds::FEM_TRIANGLE, self.corners(), Stiffness::compliance(compliance))
            .of_material(vec![(2.0 * nu / (1.0 - nu)) as f32])
    }

    fn orthotropic(&self, elements: &[Element]) -> Constraints {
        let (nu, coupling) = (f64::from(self.fabric.poisson), self.fabric.coupling());
        let (mut rest, mut compliance) = (Vec::new(), Vec::new());
        for (t, element) in elements.iter().enumerate() {
            let ([warp, weft], shear) = self.moduli(&self.mesh.triangles[t]);
            rest.extend(self.shape(t, element));
            rest.extend([nu * weft / warp, weft / warp, 2.0 * shear * coupling / warp].map(|v| v as f32));
            compliance.push((coupling / (warp * element.area)) as f32);
        }
        Constraints::new(kinds::ORTHOTROPIC, self.corners(), rest, Stiffness::compliance(compliance))
    }

    fn strain(&self, elements: &[Element]) -> Constraints {
        let (mut rest, mut compliance) = (Vec::new(), Vec::new());
        for (t, element) in elements.iter().enumerate() {
            let ([warp, weft], shear) = self.moduli(&self.mesh.triangles[t]);
            rest.extend(self.shape(t, element));
            let others = [weft, shear];
            match &self.k[0] {
                // As much softer than the warp as the fabric says, but no stiffer than all there is.
                Some(k) => {
                    let k = f64::from(k.of_row(t, &self.mesh.triangles[t]));
                    let share = |modulus: f64| if k * modulus < warp { (k * modulus / warp) as f32 } else { 1.0 };
                    rest.extend(others.map(share));
                }
                None => rest.extend(others.map(|modulus| (1.0 / (modulus * element.area)) as f32)),
            }
            compliance.push((1.0 / (warp * element.area)) as f32);
        }
        Constraints::new(kinds::STRAIN_TRIANGLE, self.corners(), rest, Stiffness::compliance(compliance))
    }

    /// Springs along a mesh's edges.
    fn springs(&self, elements: &[Element]) -> Constraints {
        let edges: Vec<[u32; 2]> = self.mesh.edges().iter().map(|edge| edge.vertices).collect();
        let mut stiff = vec![0.0f64; edges.len()];
        for (element, triangle) in elements.iter().zip(&self.mesh.triangles) {
            let ([warp, weft], shear) = self.moduli(triangle);
            let mixed = 1.0 / shear - 2.0 * f64::from(self.fabric.poisson) / warp;
            let &[a, b, c] = triangle;
            for [a, b] in [[a, b], [b, c], [c, a]] {
                let edge = [a.min(b), a.max(b)];
                let e = edges.binary_search(&edge).expect("every triangle's edges are listed");
                let along = sub(self.place(b), self.place(a));
                let squared = dot(along, along);
                let x = dot(along, element.warp);
                let (cc, ss) = (x * x / squared, 1.0 - x * x / squared);
                let modulus = 1.0 / ((cc * cc / warp + ss * ss / weft) + mixed * (cc * ss));
                stiff[e] += modulus * element.area / squared;
            }
        }
        let compliance: Vec<f32> = stiff.iter().map(|k| (1.0 / k) as f32).collect();
        Constraints::measured(kinds::DISTANCE, edges.concat(), Stiffness::compliance(compliance))
    }

    /// Springs along a grid's rows and columns, and along both diagonals of its cells.
    fn springs_of_grid(&self, grid: Grid, elements: &[Element]) -> Result<Vec<Constraints>, Error> {
        let (sides, diagonals) = grid.springs();
        let (columns, cells) = (grid.columns as usize, grid.columns as usize - 1);
        let rows_of_cells = elements.len() / (2 * cells);
        let first_along_z = grid.rows as usize * cells;
        let mut stiff = vec![0.0f64; sides.len()];
        let mut across = vec![0.0f64; diagonals.len()];
        for j in 0..rows_of_cells {
            for i in 0..cells {
                let cell = j * cells + i;
                let [[x0, x1, x2], [x3, x4, x5]] = [self.mesh.triangles[2 * cell], self.mesh.triangles[2 * cell + 1]];
                let far = [x3, x4, x5].into_iter().find(|v| ![x0, x1, x2].contains(v)).unwrap_or(x0);
                let ([warp, weft], g) = self.moduli(&[x0, x1, x2, far]);
                let p = 0.5 * (warp + f64::sqrt(warp * warp + 4.0 * g * g * warp / weft));
                let q = p * weft / warp;
                let [corner, below, beside] = [x0, x1, x2].map(|v| self.place(v));
                let (u, v) = (sub(beside, corner), sub(below, corner));
                let (a, b) = (norm(u), norm(v));
                let element = &elements[2 * cell];
                // Of the row in the directions of warp and weft; which side the weft is on tells the sense of the turn.
                let (c, s) = (dot(u, element.warp) / a, dot(u, element.weft) / a);
                let s = if dot(cross(element.warp, element.weft), cross(u, v)) < 0.0 { -s } else { s };
                let (cc, ss, cs) = (c * c, s * s, c * s);
                let uuuu = (p * cc * cc + q * ss * ss) + 6.0 * g * cc * ss;
                let vvvv = (p * ss * ss + q * cc * cc) + 6.0 * g * cc * ss;
                let uuvv = (p + q) * cc * ss + g * (cc * cc + ss * ss - 4.0 * cc * ss);
                let uuuv = cs * ((q * ss - p * cc) + 3.0 * g * (cc - ss));
                let uvvv = cs * ((q * cc - p * ss) - 3.0 * g * (cc - ss));
                let (aa, bb) = (a * a, b * b);
                let sum = uuvv * (aa + bb) / (a * b);
                let difference = (aa + bb) * (aa * uuuv + bb * uvvv) / (aa * aa + bb * bb);
                // Both are to pull: next to a row's direction they could not be as unlike as that.
                let most = MOST_UNLIKE * sum;
                let difference = if difference.abs() > most { most.copysign(difference) } else { difference };
                let along = [b / a * (uuuu - uuvv * aa / bb), a / b * (vvvv - uuvv * bb / aa)];
                let diagonal = [0.5 * (sum + difference), 0.5 * (sum - difference)];
                let least =
                    along.into_iter().chain(diagonal).fold(f64::INFINITY, |least, k| if k < least { k } else { least });
                let limit =
                    "above 0 N/m: cells of springs are to be nearer squares for this fabric, or the model another";
                range(self.of, || format!("stiffness of a spring of cell {i}, {j}"), least, least > 0.0, limit)?;
                // Each side is a part of two cells.
                let next = (j + 1) % grid.rows as usize;
                for row in [j, next] {
                    stiff[row * cells + i] += 0.5 * along[0];
                }
                for column in [i, i + 1] {
                    stiff[first_along_z + j * columns + column] += 0.5 * along[1];
                }
                across[cell] = diagonal[0];
                across[diagonals.len() / 2 + cell] = diagonal[1];
            }
        }
        let of = |stiff: Vec<f64>| Stiffness::compliance(stiff.iter().map(|k| (1.0 / k) as f32).collect::<Vec<_>>());
        Ok(vec![
            Constraints::measured(kinds::DISTANCE, sides.concat(), of(stiff)),
            Constraints::measured(kinds::SHEAR, diagonals.concat(), of(across)),
        ])
    }

    /// Hinges: of a mesh over each inner edge; of a grid two over each side, with the wings of either diagonal, and
    /// weak ones over the diagonals that it has.
    fn bending(&self) -> Constraints {
        let edges = self.mesh.edges();
        let inner = edges.iter().filter_map(|edge| match edge.opposite {
            [Some(a), Some(b)] => Some([edge.vertices[0], edge.vertices[1], a, b]),
            _ => None,
        });
        let hinges: Vec<([u32; 4], f64)> = match self.grid {
            None => inner.map(|hinge| (hinge, 1.0)).collect(),
            Some(grid) => {
                grid.hinges().into_iter().map(|(hinge, side)| (hinge, if side { 0.5 } else { DIAGONAL })).collect()
            }
        };
        let (mut at, mut compliance) = (Vec::with_capacity(4 * hinges.len()), Vec::with_capacity(hinges.len()));
        for (hinge, share) in hinges {
            let [x0, x1, x2, x3] = hinge.map(|v| self.place(v));
            let e = sub(x1, x0);
            let (n0, n1) = (cross(e, sub(x2, x0)), cross(sub(x3, x0), e));
            let squared = dot(e, e);
            let [along, across] = self.fabric.bend.map(f64::from);
            // The warp as it lies in both triangles together.
            let n = [n0[0] + n1[0], n0[1] + n1[1], n0[2] + n1[2]];
            let nn = dot(n, n);
            let warp = if nn > 0.0 { sub(self.warp, scale(n, dot(self.warp, n) / nn)) } else { self.warp };
            let (x, ww) = (dot(e, warp), dot(warp, warp));
            let cc = if ww > 0.0 { x * x / (squared * ww) } else { 0.0 };
            let rigidity = share * (along * (1.0 - cc) + across * cc) * Factors::of(&self.factors.bend, &hinge);
            let areas = 0.5 * (norm(n0) + norm(n1));
            let soft = if self.isometric { 3.0 / rigidity } else { areas / (rigidity * squared) };
            at.extend(hinge);
            compliance.push(soft as f32);
        }
        let kind = if self.isometric { kinds::ISOMETRIC } else { kinds::DIHEDRAL };
        Constraints::measured(kind, at, Stiffness::compliance(compliance))
    }
}
