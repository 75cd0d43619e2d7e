//! `seidel check`: what a mesh holds and what is wrong with it; and the mesh without that.

use seidel_io::aside::Target;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::table::print;

type Failure = Box<dyn std::error::Error>;

/// Reports on every mesh, also behind one that cannot be read; fails if one is unfit for a cloth. With `repair`, there is
/// one mesh, what is written there is reported on too, and that one decides.
pub(crate) fn check(meshes: &[PathBuf], json: bool, repair: Option<&Path>) -> Result<ExitCode, Failure> {
    let mut reports = Vec::new();
    let (mut fit, mut read) = (true, true);
    for path in meshes {
        match seidel_io::check::check(path) {
            Ok(report) => {
                fit &= report.clean;
                if json {
                    reports.push(report);
                } else {
                    print(&format!("{report}\n"));
                }
            }
            Err(error) => {
                (fit, read) = (false, false);
                eprintln!("error: {error}");
            }
        }
    }
    if let (Some(to), [from], true) = (repair, meshes, read) {
        if Target::new(to)?.is_same(&Target::new(from)?) {
            let to = to.display();
            return Err(format!("{to}: the repaired mesh would replace its source; name another file").into());
        }
        let (mesh, repairs) = seidel_io::mesh::read(from)?.repaired();
        if mesh.triangles.is_empty() {
            return Err(format!("{}: no triangle is left after the repair; nothing is written", from.display()).into());
        }
        seidel_io::mesh::write(to, &mesh)?;
        let report = seidel_io::check::report(to.display().to_string(), &mesh);
        fit = report.clean;
        if json {
            reports.push(report);
            eprintln!("{} is written: {repairs}", to.display());
        } else {
            print(&format!("\n{} is written: {repairs}\n{report}\n", to.display()));
        }
    }
    if json {
        print(&(serde_json::to_string_pretty(&reports)? + "\n"));
    }
    Ok(if fit { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
