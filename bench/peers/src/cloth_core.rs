//! rapier-cloth-core's XPBD solver: the slope of a step's time over its number of iterations, one thread (it has no
//! more).
//!
//! Its cloth has a distance for each edge of its triangles, a dihedral for each edge between two, and `stitches`,
//! distances by the same code. Distances alone: every second triangle of a grid, which share no edge, and the missing
//! springs as stitches, so that the rows are ours. Dihedrals: what all triangles add to that, a hinge.

use crate::prepared::{Prepared, positive};
use rapier_cloth_core::mesh::Stitch;
use rapier_cloth_core::{Cloth, ClothMaterial, ClothMesh, Solver, SolverSettings, Vec3};
use seidel_bench::motion::{DT, Motion, SWEEPS};
use seidel_bench::rounds::Contender;
use seidel_bench::rows;
use seidel_bench::swept::{On, Swept};
use std::collections::BTreeSet;
use std::time::Instant;

const ITERATIONS: usize = 10;

/// A cloth in motion, and a solver that keeps its memory.
struct Moving {
    start: Cloth,
    solver: Solver,
}

struct Slope {
    with: Moving,
    /// Taken off.
    without: Option<Moving>,
    constraints: usize,
}

pub(crate) fn iterations(swept: &Swept, threads: usize) -> Option<Prepared> {
    let On::Grid(_) = swept.on else { return None };
    if threads != 1 {
        return None;
    }
    let distances = cloth(swept, false)?;
    let slope = match swept.kind.name() {
        "distance" => {
            let constraints = distances.start.mesh().edges().len() + distances.start.mesh().stitches().len();
            Slope { with: distances, without: None, constraints }
        }
        "dihedral" => {
            let all = cloth(swept, true)?;
            let constraints = all.start.mesh().hinges().len();
            Slope { with: all, without: Some(distances), constraints }
        }
        _ => return None,
    };
    Some(Prepared { constraints: slope.constraints, lanes: "-", contender: Box::new(slope) })
}

/// A grid with all springs, and with all its hinges or none.
fn cloth(swept: &Swept, hinges: bool) -> Option<Moving> {
    let (mesh, side) = swept.mesh();
    let n = side?;
    let positions = mesh.positions.iter().map(|&p| Vec3::from_array(p)).collect();
    // Triangles lie in pairs, a cell each. One of each pair touches all vertices but a corner, which its own cell
    // covers with the other.
    let corner = [n - 1, n * n - 1, n * (n - 1), 0];
    let chosen = |k: usize| hinges || k.is_multiple_of(2);
    let mut triangles: Vec<[u32; 3]> =
        (0..mesh.triangles.len()).filter(|&k| chosen(k)).map(|k| mesh.triangles[k]).collect();
    for v in corner {
        if !triangles.iter().any(|t| t.contains(&v)) {
            let k = mesh.triangles.iter().position(|t| t.contains(&v))?;
            triangles.retain(|&t| t != mesh.triangles[k ^ 1]);
            triangles.push(mesh.triangles[k]);
        }
    }
    let mut cloth_mesh = ClothMesh::new(positions, triangles).ok()?;
    let edges: BTreeSet<[u32; 2]> = cloth_mesh.edges().iter().map(|e| sorted(e.vertices)).collect();
    let springs = rows::springs(&mesh, side);
    let stitches = springs.chunks_exact(2).map(|s| [s[0], s[1]]).filter(|&s| !edges.contains(&sorted(s)));
    let length = |[a, b]: [u32; 2]| {
        let rest = cloth_mesh.rest_positions();
        rest[a as usize].distance(rest[b as usize])
    };
    let stitches: Vec<Stitch> = stitches.map(|vertices| Stitch { vertices, rest_length: length(vertices) }).collect();
    cloth_mesh.add_stitches(stitches).ok()?;

    // Soft, for a rigid cloth with pins gets tethers too.
    let material = ClothMaterial {
        stretch_compliance: 1e-7,
        stitch_compliance: 1e-7,
        bend_compliance: 1e3,
        ..ClothMaterial::default()
    };
    let mut start = Cloth::new(cloth_mesh, material).ok()?;
    let motion = Motion::of(&mesh);
    let x: Vec<Vec3> = motion.x.iter().map(|p| Vec3::from_array(p.to_array())).collect();
    start.set_positions(&x).ok()?;
    for (i, v) in (0..).zip(&motion.v) {
        start.set_velocity(i, Vec3::from_array(v.to_array())).ok()?;
    }
    for i in 0..n {
        start.pin(i, x[i as usize]).ok()?;
    }
    Some(Moving { start, solver: Solver::new() })
}

fn sorted([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

impl Moving {
    /// ns of one more iteration.
    fn iteration(&mut self) -> Option<f64> {
        let few = self.step(1)?;
        let more = self.step(1 + ITERATIONS)?;
        Some((more - few) / ITERATIONS as f64)
    }

    /// ns of a substep from the start: the least of three.
    fn step(&mut self, iterations: usize) -> Option<f64> {
        let settings = SolverSettings { iterations, ..SolverSettings::default() };
        let mut least = f64::MAX;
        for _ in 0..3 {
            let mut cloth = self.start.clone();
            let start = Instant::now();
            self.solver.step(&mut cloth, DT / SWEEPS as f32, Vec3::Y * -9.81, &settings).ok()?;
            least = least.min(start.elapsed().as_nanos() as f64);
        }
        Some(least)
    }
}

impl Contender for Slope {
    fn round(&mut self) -> Option<f64> {
        let mut time = self.with.iteration()?;
        if let Some(without) = &mut self.without {
            time -= without.iteration()?;
        }
        Some(positive(time / self.constraints as f64))
    }
}
