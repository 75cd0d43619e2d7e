//! Solids by keys.

use super::PlasticSpec;
use super::attach::Worn;
use super::body_table::BodyTable;
use super::check::{above_zero, factors, is_zero, needless};
use super::geometry::{Files, Geometry};
use super::keys::table;
use super::variant::Variant;
use super::vertices::Numbers;
use seidel::limits::MAX_BALL_NODES;
use seidel::memory::Need;
use seidel::{Collide, Mesh, Recipe, Scale, Side, SoftBody, SolidModel};

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
    /// What so many cells make it need.
    fn need_of(&self, cells: u64) -> Need {
        Need::solid(cells, cells.saturating_mul(6)).colliding(self.collide != Collide::Nothing)
    }

    /// The solid, and the factors that it still wants.
    fn source(&self, of: &str, mesh: Option<Geometry>, files: &Files) -> Result<(SoftBody, Scale), String> {
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
                Ok((SoftBody::filled(mesh, cell / scale), scale.into()))
            }
            None if filled => {
                let cell = cell()?;
                let Some(scale) = self.scale.uniform() else {
                    return Err(format!("{of}: `balls` have one factor `scale`, and three are given"));
                };
                let cell = cell / scale;
                if Mesh::count_ball_nodes(&self.balls, cell * FINE) <= MAX_BALL_NODES {
                    files.pass(of, "cell", self.need_of(cells_of(&self.balls, cell)))?;
                }
                let mesh = files
                    .of_balls(of, &self.balls, cell * FINE)?
                    .map_err(|e| format!("{of}: {}", e.of_cells(FINE / scale)))?;
                Ok((SoftBody::filled(mesh, cell), self.scale))
            }
            None => Ok(match self.tube {
                Some(radii) => (SoftBody::tube(self.size[0], radii, self.cells), self.scale),
                None => (SoftBody::bar(self.size, self.cells), self.scale),
            }),
        }
    }
}

/// About how many cells balls reach into, at most: those inside, and those that their surfaces go through. What several
/// balls share counts once, where it does not take long to tell.
fn cells_of(balls: &[[f32; 4]], cell: f32) -> u64 {
    /// Columns of cells times balls that are looked through.
    const MOST: f64 = 1e7;
    let cell = f64::from(cell);
    // In cells; a cell is reached into if its middle is within a cell of the ball.
    let reach = |ball: &[f32; 4]| f64::from(ball[3]) / cell + 1.0;
    let middle = |ball: &[f32; 4], k: usize| f64::from(ball[k]) / cell;
    let range = |k: usize| {
        let low = balls.iter().map(|ball| middle(ball, k) - reach(ball)).fold(f64::INFINITY, f64::min);
        let high = balls.iter().map(|ball| middle(ball, k) + reach(ball)).fold(f64::NEG_INFINITY, f64::max);
        (low, (high - low).max(0.0).ceil() + 1.0)
    };
    let [(_, length), (y, rows), (z, layers)] = [0, 1, 2].map(range);
    let of_ball = |ball: &[f32; 4]| 4.0 / 3.0 * std::f64::consts::PI * ((reach(ball) * reach(ball)) * reach(ball));
    let most = balls.iter().map(of_ball).sum::<f64>().min((length * rows) * layers);
    if rows * layers * balls.len() as f64 > MOST || !most.is_finite() {
        return most as u64;
    }
    // Column by column, the union of what the balls have of it.
    let (mut cells, mut spans) = (0.0, Vec::with_capacity(balls.len()));
    for column in 0..(rows * layers) as u64 {
        let at = [y + (column % rows as u64) as f64, z + (column / rows as u64) as f64];
        spans.clear();
        spans.extend(balls.iter().filter_map(|ball| {
            let [dy, dz] = [at[0] - middle(ball, 1), at[1] - middle(ball, 2)];
            let half = (reach(ball) * reach(ball) - dy * dy - dz * dz).sqrt();
            (half > 0.0).then(|| [middle(ball, 0) - half, middle(ball, 0) + half])
        }));
        spans.sort_unstable_by(|a: &[f64; 2], b| a[0].total_cmp(&b[0]));
        let mut end = f64::NEG_INFINITY;
        for &[from, to] in &spans {
            cells += (to - from.max(end)).max(0.0);
            end = end.max(to);
        }
    }
    (cells as u64).min(most as u64)
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

#[cfg(test)]
mod tests {
    use super::cells_of;

    /// A thousand balls along a line take what a rod takes, not a thousand balls; apart they take their sum.
    #[test]
    fn what_balls_share_counts_once() {
        let row = |step: f32| (0..1000).map(|i| [i as f32 * step, 0.1 * i as f32 * step, 0.0, 0.5]).collect::<Vec<_>>();
        let (near, cell) = (row(0.01), 0.05);
        let [rod, sum] =
            [10.05 * std::f64::consts::PI * 0.55f64.powi(2) + 0.7, 1000.0 * 0.7].map(|volume| volume / 1.25e-4);
        let got = cells_of(&near, cell) as f64;
        assert!(got > 0.95 * rod && got < 1.05 * rod, "{got} and not {rod}");
        let apart = cells_of(&row(2.0)[..50], cell) as f64;
        assert!((apart - sum / 20.0).abs() < 0.05 * sum / 20.0, "{apart} and not {}", sum / 20.0);
        // So many columns that the smaller of the two bounds is taken.
        assert!(cells_of(&near, 0.002) < (1.1 * 1e3 * 0.53 / 8e-9) as u64);
        assert_eq!(cells_of(&[[0.0, 0.0, 0.0, f32::INFINITY]], 0.1), u64::MAX);
    }
}
