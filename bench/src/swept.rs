//! Names of sweeps, and what they mean.

use crate::{meshes, motion, rows};
use seidel::{MaterialFrame, Mesh, kinds};
use seidel_kernels::Kind;

/// A kind of constraint on all of a mesh, as its name says: `distance-grid-100`, `dihedral-irregular-250k`,
/// `volume-solid-24`, `bend-twist-rod-10000`.
#[derive(Clone, Copy, Debug)]
pub struct Swept {
    /// What is swept.
    pub kind: Kind,
    /// Over what.
    pub on: On,
}

/// A mesh of a square metre, tetrahedra of a cubic one, or a rod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    /// n x n vertices in rows.
    Grid(u32),
    /// So many thousand vertices, numbered at random.
    Irregular(u32),
    /// n x n x n cells of six tetrahedra.
    Solid(u32),
    /// The same, vertices off their places and numbered at random.
    Scattered(u32),
    /// So many segments of a centimetre, one after another.
    Rod(u32),
}

/// What is swept: positions and what is drawn, the rows' vertices, the distance between points.
pub(crate) struct Made {
    pub(crate) mesh: Mesh,
    pub(crate) at: Vec<u32>,
    pub(crate) spacing: f32,
    pub(crate) inv_mass: Vec<f32>,
    pub(crate) frames: Vec<MaterialFrame>,
}

/// Whether a kind is of tetrahedra: it has a volume at rest or three directions.
#[must_use]
pub fn is_solid(kind: Kind) -> bool {
    kind.params().iter().any(|p| ["volume", "Dm^-1 [2, 2]"].contains(&p.name))
}

impl Swept {
    /// Takes a name apart.
    ///
    /// # Errors
    /// What is wrong with it, in one line.
    pub fn parse(name: &str) -> Result<Swept, String> {
        let parts: Vec<&str> = name.rsplitn(3, '-').collect();
        let [size, mesh, kind] = parts[..] else { return Err(format!("`{name}` is not KIND-MESH-SIZE")) };
        let kind = kinds::by_name(kind).ok_or_else(|| {
            let known: Vec<_> = kinds::KINDS.iter().map(Kind::name).collect();
            format!("`{name}`: there is no kind `{kind}`, only {}", known.join(", "))
        })?;
        let number = |text: &str, (least, most): (u32, u32)| match text.parse::<u32>() {
            Ok(n) if (least..=most).contains(&n) => Ok(n),
            _ => Err(format!("`{name}`: `{text}` is no number from {least} to {most}")),
        };
        let on = match (mesh, size.strip_suffix('k')) {
            ("grid", None) => On::Grid(number(size, (4, 4096))?),
            ("irregular", Some(k)) => On::Irregular(number(k, (1, 16_000))?),
            ("solid", None) => On::Solid(number(size, (2, 256))?),
            ("scattered", None) => On::Scattered(number(size, (2, 256))?),
            ("rod", None) => On::Rod(number(size, (4, 1_000_000))?),
            _ => {
                let known = "only grid-N, irregular-Nk, solid-N, scattered-N and rod-N";
                return Err(format!("`{name}`: there is no mesh `{mesh}-{size}`, {known}"));
            }
        };
        if is_solid(*kind) != matches!(on, On::Solid(_) | On::Scattered(_)) {
            return Err(format!(
                "`{name}`: tetrahedra are on solid-N and scattered-N, all others on grid-N and irregular-Nk"
            ));
        }
        if kind.has_frames() != matches!(on, On::Rod(_)) {
            return Err(format!("`{name}`: kinds with frames, and no others, are on rod-N"));
        }
        Ok(Swept { kind: *kind, on })
    }

    /// Its name again.
    #[must_use]
    pub fn name(&self) -> String {
        match self.on {
            On::Grid(n) => format!("{}-grid-{n}", self.kind.name()),
            On::Irregular(k) => format!("{}-irregular-{k}k", self.kind.name()),
            On::Solid(n) => format!("{}-solid-{n}", self.kind.name()),
            On::Scattered(n) => format!("{}-scattered-{n}", self.kind.name()),
            On::Rod(n) => format!("{}-rod-{n}", self.kind.name()),
        }
    }

    /// Mesh, rows and masses.
    pub(crate) fn made(&self) -> Made {
        if let On::Rod(n) = self.on {
            return self.rod(n);
        }
        let (On::Solid(n) | On::Scattered(n)) = self.on else {
            let (mesh, side) = self.mesh();
            let at = rows::of(self.kind.slots(), &mesh, side);
            let spacing = 1.0 / ((mesh.positions.len() as f32).sqrt() - 1.0);
            let inv_mass = motion::inv_masses(&mesh);
            return Made { mesh, at, spacing, inv_mass, frames: Vec::new() };
        };
        let tets = if matches!(self.on, On::Solid(_)) { meshes::solid(n) } else { meshes::scattered(n) };
        let (triangles, at) = (tets.surface(), tets.tets.concat());
        let low = tets.positions.iter().map(|p| p[0] <= -0.5 + 0.5 / n as f32);
        // A cubic metre of 1000 kg; one side is pinned.
        let inv_mass = tets.positions.len() as f32 / 1000.0;
        let inv_mass = low.map(|pinned| if pinned { 0.0 } else { inv_mass }).collect();
        let mesh = Mesh { positions: tets.positions, triangles };
        Made { mesh, at, spacing: 1.0 / n as f32, inv_mass, frames: Vec::new() }
    }

    /// A rod along z, a centimetre thick and of rubber; one end is clamped.
    fn rod(&self, n: u32) -> Made {
        let (spacing, mass) = (0.01f32, 1e-3f32);
        let positions = (0..=n).map(|i| [0.0, 0.0, i as f32 * spacing]).collect();
        let inv_mass = (0..=n).map(|i| if i < 2 { 0.0 } else { 1.0 / mass }).collect();
        let inv_inertia = |i: u32| if i == 0 { 0.0 } else { 12.0 / (mass * spacing * spacing) };
        let frame = |i| MaterialFrame::new(seidel::glam::Quat::IDENTITY, inv_inertia(i), [i, i + 1]);
        let at = match self.kind.points() {
            0 => (0..n - 1).flat_map(|i| [i, i + 1]).collect(),
            _ => (0..n).flat_map(|i| [i, i + 1, i]).collect(),
        };
        let mesh = Mesh { positions, triangles: Vec::new() };
        Made { mesh, at, spacing, inv_mass, frames: (0..n).map(frame).collect() }
    }

    /// The mesh, and a grid's side.
    #[must_use]
    pub fn mesh(&self) -> (Mesh, Option<u32>) {
        match self.on {
            On::Grid(n) => (meshes::grid(n), Some(n)),
            On::Irregular(k) => (meshes::irregular(f64::from(k * 1000).sqrt() as u32), None),
            On::Solid(_) | On::Scattered(_) | On::Rod(_) => {
                let Made { mesh, .. } = self.made();
                (mesh, None)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        for name in [
            "distance-grid-32",
            "rope-grid-100",
            "dihedral-irregular-250k",
            "stable-neo-hookean-solid-8",
            "bend-twist-rod-64",
        ] {
            assert_eq!(Swept::parse(name).unwrap().name(), name);
        }
    }

    #[test]
    fn what_is_no_sweep_is_named() {
        for (name, says) in [
            ("distance", "KIND-MESH-SIZE"),
            ("distanse-grid-32", "no kind `distanse`"),
            ("distance-grid-32k", "no mesh"),
            ("distance-irregular-32", "no mesh"),
            ("distance-grid-99999", "from 4 to 4096"),
            ("distance-grid-0", "from 4 to 4096"),
            ("distance-irregular-0k", "from 1 to 16000"),
            ("distance-grid--1", "no kind `distance-grid`"),
            ("volume-grid-8", "tetrahedra are on solid-N"),
            ("distance-solid-8", "all others on grid-N"),
            ("distance-rod-8", "kinds with frames"),
            ("stretch-shear-grid-8", "kinds with frames"),
        ] {
            let error = Swept::parse(name).unwrap_err();
            assert!(error.contains(says) && error.contains(name) && !error.contains('\n'), "{error}");
        }
    }
}
