//! Rigid bodies: scenes described once and built in each engine, which then take turns, step by step.
//!
//! Each engine takes as many substeps as it needs for ten boxes to stand ([`stands`]); what its state is worth at the
//! end of a scene is measured from poses alone, by the same code for all ([`truth`]).

mod board;
mod ours;
mod rapier;
mod scenes;
mod stands;
mod truth;
mod work;

pub(crate) use board::{Row, alone, measure, table};
pub(crate) use scenes::NAMES;
use seidel_bench::entry::OURS;
use work::{Engine, Setting, Work};

const RAPIER: &str = "rapier3d 0.36.1";

fn build(work: &Work, setting: Setting) -> Result<Box<dyn Engine>, String> {
    match setting.engine {
        RAPIER => rapier::build(work, setting).map(|engine| Box::new(engine) as _),
        _ => ours::build(work, setting).map(|engine| Box::new(engine) as _),
    }
}
