//! `seidel check`: what a mesh holds and what is wrong with it.

use std::path::PathBuf;
use std::process::ExitCode;

use crate::table::print;

/// Reports on every mesh, also behind one that cannot be read; fails if one is unfit for a cloth.
pub(crate) fn check(meshes: &[PathBuf], json: bool) -> Result<ExitCode, Box<dyn std::error::Error>> {
    let mut reports = Vec::new();
    let mut fit = true;
    for path in meshes {
        match seidel_io::check::check(path) {
            Ok(report) => {
                fit &= !report.defects.iter().any(|d| d.fatal);
                if json {
                    reports.push(report);
                } else {
                    print(&format!("{report}\n"));
                }
            }
            Err(error) => {
                fit = false;
                eprintln!("error: {error}");
            }
        }
    }
    if json {
        print(&(serde_json::to_string_pretty(&reports)? + "\n"));
    }
    Ok(if fit { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
