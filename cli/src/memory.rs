//! How much memory a run may need: what the machine has free, or what it is given.

use seidel_io::scene::{self, Remarks};
use seidel_scenes::SceneSpec;
use sysinfo::System;

/// Part of the free memory that a run may need: the estimate is above what is taken, but others want some, too.
const SHARE: f64 = 0.9;

/// The same of an address space that is limited: what is given back leaves holes in it, and what grows is there twice
/// for a moment.
const SHARE_OF_SPACE: f64 = 0.6;

/// Bytes of a thread's stack, which are taken from the address space when it starts, and threads beside those of the
/// cores, twice: the planner's and the step's.
const STACK: u64 = 2 << 20;
const OTHERS: u64 = 4;

/// Bytes that are free now, to this program: of the machine, of its control group, of its own limit.
pub(crate) fn free() -> u64 {
    let mut system = System::new();
    system.refresh_memory();
    // The cache of files is free, too.
    let group = system.cgroup_limits().map_or(u64::MAX, |limits| limits.total_memory.saturating_sub(limits.rss));
    let machine = Some(system.available_memory()).filter(|free| *free > 0).unwrap_or(u64::MAX);
    let free = machine.min(group);
    let free = if free == u64::MAX { free } else { (free as f64 * SHARE) as u64 };
    free.min(own_limit())
}

/// Reads a scene whose text takes no more than `memory` bytes, with changes.
pub(crate) fn loaded(scene: &str, changes: &[String], memory: u64) -> Result<(SceneSpec, Remarks), String> {
    scene::load_within(scene, changes, memory).map_err(|e| format!("{e}{}", how(&e.to_string())))
}

/// The words behind an error about too little memory, where the command line can allow more.
pub(crate) fn how(error: &str) -> &'static str {
    if error.ends_with("or allow more") { "; --memory SIZE allows more" } else { "" }
}

/// Whether the address space is limited, as by `ulimit -v`.
pub(crate) fn is_limited() -> bool {
    address_limit().is_some()
}

#[cfg(unix)]
fn address_limit() -> Option<u64> {
    rlimit::Resource::AS.get_soft().ok().filter(|limit| *limit != u64::MAX)
}

#[cfg(not(unix))]
fn address_limit() -> Option<u64> {
    None
}

/// Bytes that a limited address space leaves: it counts addresses, whether there is memory behind them or not.
fn own_limit() -> u64 {
    let Some(limit) = address_limit() else { return u64::MAX };
    let cores = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    let stacks = (2 * cores + OTHERS) * STACK;
    (limit.saturating_sub(mapped()).saturating_sub(stacks) as f64 * SHARE_OF_SPACE) as u64
}

/// Bytes of address space that the program, its libraries and its first allocations have; none where that is not told.
fn mapped() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let size = status.lines().find_map(|line| line.strip_prefix("VmSize:")?.trim().strip_suffix(" kB")?.parse().ok());
    size.map_or(0, |kilobytes: u64| kilobytes * 1024)
}
