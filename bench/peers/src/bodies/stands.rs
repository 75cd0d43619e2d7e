//! How many substeps an engine needs for ten boxes to stand.

use super::work::{Setting, Work};
use super::{build, scenes, truth};

/// Seconds that the boxes are given.
const SECONDS: usize = 60;
/// The bar: a box goes sideways by so many millimetres at most, and moves by so many mm/s at the end.
const BAR: f64 = 1.0;
/// Numbers of substeps that are tried.
const SUBSTEPS: [usize; 12] = [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 32];

/// The fewest substeps at which ten boxes, each 2 cm beside the last, stand; with what was measured on the way.
pub(super) fn least(engine: &'static str) -> Result<(usize, Vec<String>), String> {
    let work: Work = scenes::stack();
    let mut said = Vec::new();
    for substeps in SUBSTEPS {
        let mut built = build(&work, Setting { engine, substeps, threads: 1 })?;
        for _ in 0..60 * SECONDS {
            built.step();
        }
        let truth = truth::measure(&work, &*built)?;
        said.push(format!(
            "{engine}, {substeps} substeps: ten boxes, {SECONDS} s: {:.3} mm aside, {:.2} mm down, {:.3} mm/s",
            truth.aside, truth.down, truth.fastest
        ));
        if truth.aside < BAR && truth.fastest < BAR {
            return Ok((substeps, said));
        }
    }
    said.push(format!(
        "{engine}: ten boxes do not stand within {BAR} mm and {BAR} mm/s; the most that was tried is taken"
    ));
    Ok((SUBSTEPS[SUBSTEPS.len() - 1], said))
}
