//! A cloth in motion, from which every sweep starts: the same for this engine and its peers.

use crate::random::Random;
use glam::Vec3;
use seidel::Mesh;

/// Substeps of a run: sweeps over a cloth that moves.
pub const SWEEPS: u32 = 10;
/// Length of a run, s: of 1/1200 s, as 20 substeps of 1/60 s.
pub const DT: f32 = SWEEPS as f32 / 1200.0;
/// Of the cloth, kg/m^2.
const DENSITY: f32 = 0.2;

/// Positions and velocities of a mesh's vertices.
#[derive(Clone, Debug)]
pub struct Motion {
    /// Jittered by a tenth of the spacing, m.
    pub x: Vec<Vec3>,
    /// A hundredth of the spacing in a substep, m/s.
    pub v: Vec<Vec3>,
}

/// Vertices in a row, if the mesh is a square.
fn side(mesh: &Mesh) -> f32 {
    (mesh.positions.len() as f32).sqrt()
}

pub(crate) fn random(mesh: &Mesh) -> Random {
    Random(mesh.positions.len() as u64)
}

/// Inverse masses, 1/kg: a square metre's over all vertices; the first row is pinned.
#[must_use]
pub fn inv_masses(mesh: &Mesh) -> Vec<f32> {
    let side = side(mesh);
    let inv_mass = side * side / DENSITY;
    (0..mesh.positions.len()).map(|v| if v < side as usize { 0.0 } else { inv_mass }).collect()
}

impl Motion {
    /// The motion of a mesh.
    #[must_use]
    pub fn of(mesh: &Mesh) -> Motion {
        Motion::next(mesh, &mut random(mesh))
    }

    /// That of one more.
    pub(crate) fn next(mesh: &Mesh, random: &mut Random) -> Motion {
        Motion::spaced(mesh, 1.0 / (side(mesh) - 1.0), random)
    }

    /// That of points so far apart, m.
    pub(crate) fn spaced(mesh: &Mesh, spacing: f32, random: &mut Random) -> Motion {
        let mut jitter = |size: f32| Vec3::from_array(std::array::from_fn(|_| size * random.signed()));
        let x: Vec<Vec3> = mesh.positions.iter().map(|&p| Vec3::from(p) + jitter(0.1 * spacing)).collect();
        let v = x.iter().map(|_| jitter(0.01 * spacing * SWEEPS as f32 / DT)).collect();
        Motion { x, v }
    }
}
