//! Names of sweeps, and what they mean.

use crate::meshes;
use seidel::{Mesh, kinds};
use seidel_kernels::Kind;

/// A kind of constraint on all of a mesh, as its name says: `distance-grid-100`, `dihedral-irregular-250k`.
#[derive(Clone, Copy, Debug)]
pub struct Swept {
    /// What is swept.
    pub kind: Kind,
    /// Over what.
    pub on: On,
}

/// A mesh of a square metre.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    /// n x n vertices in rows.
    Grid(u32),
    /// So many thousand vertices, numbered at random.
    Irregular(u32),
}

impl Swept {
    /// Takes a name apart.
    ///
    /// # Errors
    /// What is wrong with it, in one line.
    pub fn parse(name: &str) -> Result<Swept, String> {
        let parts: Vec<&str> = name.split('-').collect();
        let [kind, mesh, size] = parts[..] else { return Err(format!("`{name}` is not KIND-MESH-SIZE")) };
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
            _ => return Err(format!("`{name}`: there is no mesh `{mesh}-{size}`, only grid-N and irregular-Nk")),
        };
        Ok(Swept { kind: *kind, on })
    }

    /// Its name again.
    #[must_use]
    pub fn name(&self) -> String {
        match self.on {
            On::Grid(n) => format!("{}-grid-{n}", self.kind.name()),
            On::Irregular(k) => format!("{}-irregular-{k}k", self.kind.name()),
        }
    }

    /// The mesh, and a grid's side.
    #[must_use]
    pub fn mesh(&self) -> (Mesh, Option<u32>) {
        match self.on {
            On::Grid(n) => (meshes::grid(n), Some(n)),
            On::Irregular(k) => (meshes::irregular(f64::from(k * 1000).sqrt() as u32), None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        for name in ["distance-grid-32", "rope-grid-100", "dihedral-irregular-250k"] {
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
            ("distance-grid--1", "KIND-MESH-SIZE"),
        ] {
            let error = Swept::parse(name).unwrap_err();
            assert!(error.contains(says) && error.contains(name) && !error.contains('\n'), "{error}");
        }
    }
}
