//! `seidel check`: what a mesh holds and what is wrong with it; and the mesh without that.

use bytesize::ByteSize;
use seidel::mesh::Repairs;
use seidel_io::Drawn;
use seidel_io::aside::Target;
use seidel_io::check::MeshReport;
use seidel_io::mesh;
use seidel_io::room::{self, Purpose};
use seidel_io::tets::{self, TetReport};
use serde::Serialize;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::memory;
use crate::table::print;

type Failure = Box<dyn std::error::Error>;

/// The error for a mesh that is to come through standard input.
const STDIN: &str = "a mesh from standard input has no name whose ending says its format: write it to a file that ends in .obj, .ply, .stl, \
                     .gltf, .glb, .node, .ele or .msh, or to a named pipe that does";

/// What is said of a surface, or of tetrahedra.
#[derive(Serialize)]
#[serde(untagged)]
enum Report {
    Mesh(MeshReport),
    Tets(TetReport),
}

impl Report {
    fn of(path: &Path, memory: u64) -> Result<Self, seidel_io::Error> {
        if tets::is_tets(path) {
            return seidel_io::check::check_tets_within(path, memory).map(Self::Tets);
        }
        seidel_io::check::check_within(path, memory).map(Self::Mesh)
    }

    fn is_clean(&self) -> bool {
        match self {
            Self::Mesh(report) => report.clean,
            Self::Tets(report) => report.clean,
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mesh(report) => report.fmt(f),
            Self::Tets(report) => report.fmt(f),
        }
    }
}

/// Reports on every mesh, also behind one that cannot be read; fails if one is unfit for a cloth or a body. With
/// `repair`, there is one mesh, what is written there is reported on too, and that one decides.
pub(crate) fn check(
    meshes: &[PathBuf],
    json: bool,
    repair: Option<&Path>,
    memory: Option<ByteSize>,
) -> Result<ExitCode, Failure> {
    let memory = memory.map_or_else(memory::free, |given| given.as_u64());
    let mut reports = Vec::new();
    let (mut fit, mut read) = (true, true);
    for path in meshes {
        if path.as_os_str() == "-" && !path.exists() {
            (fit, read) = (false, false);
            note!("error: -: {STDIN}");
            continue;
        }
        match Report::of(path, memory) {
            Ok(report) => {
                fit &= report.is_clean();
                if json {
                    reports.push(report);
                } else {
                    print(&format!("{report}\n"))?;
                }
            }
            Err(error) => {
                (fit, read) = (false, false);
                note!("error: {error}{}", memory::how(&error.to_string()));
            }
        }
    }
    if let (Some(to), [from], true) = (repair, meshes, read) {
        room::fits(from, Purpose::Repair, memory).map_err(|e| format!("{e}{}", memory::how(&e.to_string())))?;
        let (report, repairs) = if tets::is_tets(from) { repair_tets(from, to)? } else { repair_mesh(from, to)? };
        fit = report.is_clean();
        let said = format!("{} is written: {repairs}", to.display());
        if json {
            reports.push(report);
            note!("{said}");
        } else {
            print(&format!("\n{said}\n{report}\n"))?;
        }
    }
    if json {
        print(&(serde_json::to_string_pretty(&reports)? + "\n"))?;
    }
    Ok(if fit { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Writes the repaired surface; what it is now, and what that took.
fn repair_mesh(from: &Path, to: &Path) -> Result<(Report, String), Failure> {
    if Target::new(to)?.replaces(from) {
        return Err(replaces(to));
    }
    let (source, drawn) = mesh::read_drawn(from).or_else(|error| {
        // Texture coordinates and names may be broken where the mesh is not.
        let plain = mesh::read(from)?;
        note!("warning: {error}; texture coordinates, normals and names are left out");
        let drawn = Drawn::plain(&plain);
        Ok::<_, seidel_io::Error>((plain, drawn))
    })?;
    let (repaired, repairs) = source.repaired();
    if repaired.triangles.is_empty() {
        return Err(format!("{}: no triangle is left after the repair; nothing is written", from.display()).into());
    }
    // A mesh that is too large comes back as it is, with an empty map.
    let kept = if repairs.vertex_map.is_empty() {
        Some(drawn)
    } else {
        drawn.repaired(&repairs.vertex_map, &repaired.triangles)
    };
    let kept = kept.ok_or_else(|| format!("{}: its triangles are not those that are drawn", from.display()))?;
    let attributes = painted(from, &repairs);
    let left_out = mesh::write_drawn(to, &repaired, &kept, &attributes)?;
    let report = seidel_io::check::report(to.display().to_string(), &repaired);
    let mut said = repairs.to_string();
    if !left_out.is_empty() {
        said += &format!("; left out, since a file of this format has no place for them: {}", left_out.join(", "));
    }
    if !kept.unread.is_empty() {
        said += &format!("; left out, since it is not read: {}", kept.unread.join(", "));
    }
    Ok((Report::Mesh(report), said))
}

/// The painted numbers of a surface's vertices after its repair.
fn painted(from: &Path, repairs: &Repairs) -> Vec<(String, Vec<f32>)> {
    // Other formats have none, and a pipe is read once.
    let may_have = |ending: &str| from.extension().is_some_and(|e| e.eq_ignore_ascii_case(ending));
    if !["ply", "gltf", "glb"].into_iter().any(may_have) || !from.is_file() || repairs.vertex_map.is_empty() {
        return Vec::new();
    }
    match mesh::read_maps(from) {
        Ok(maps) => maps.repaired(repairs).attributes,
        Err(error) => {
            note!("warning: {error}; painted numbers are left out");
            Vec::new()
        }
    }
}

/// Writes the repaired tetrahedra.
fn repair_tets(from: &Path, to: &Path) -> Result<(Report, String), Failure> {
    if tets::targets(to)?.iter().any(|to| to.replaces(from)) {
        return Err(replaces(to));
    }
    let (mesh, repairs) = tets::read(from)?.repaired();
    if mesh.tets.is_empty() {
        return Err(format!("{}: no tetrahedron is left after the repair; nothing is written", from.display()).into());
    }
    tets::write(to, &mesh)?;
    Ok((Report::Tets(tets::report(to.display().to_string(), &mesh)), repairs.to_string()))
}

fn replaces(to: &Path) -> Failure {
    format!("{}: the repaired mesh would replace its source; name another file", to.display()).into()
}
