//! `seidel replay`: takes the steps of a recording again.

use std::process::ExitCode;

use seidel::{Execution, Plan};

use crate::args::ReplayArgs;
use crate::record::{self, Read};
use crate::{memory, run, table};

type Failure = Box<dyn std::error::Error>;

/// Takes the steps again; an error names the first that comes to another state.
pub(crate) fn replay(args: &ReplayArgs) -> Result<ExitCode, Failure> {
    let Read { scene, spec, recording } = record::read(&args.file)?;
    let threads = args.threads.map_or_else(|| Execution::default().threads, usize::from);
    let memory = args.memory.map_or_else(memory::free, |given| given.as_u64());
    let plan = Plan::new(&run::made(&scene, &[], &spec, memory)?)?;
    let execution = Execution::new(args.isa, threads);
    let state = recording.replay(&plan, execution, |_, _| ()).map_err(|e| format!("{}: {e}", args.file.display()))?;
    table::print(&format!("{} steps, the same bits; state hash {:016x}\n", recording.steps(), state.hash()))?;
    Ok(ExitCode::SUCCESS)
}
