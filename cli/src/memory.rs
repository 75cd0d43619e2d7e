//! How much memory a run may need: what the machine has free, or what it is given.

use sysinfo::System;

/// Part of the free memory that a run may need: the estimate is above what is taken, but others want some, too.
const SHARE: f64 = 0.9;

/// Bytes that are free now, to this program: of the machine, of its control group, of its own limit.
pub(crate) fn free() -> u64 {
    let mut system = System::new();
    system.refresh_memory();
    // The cache of files is free, too.
    let group = system.cgroup_limits().map_or(u64::MAX, |limits| limits.total_memory.saturating_sub(limits.rss));
    let machine = Some(system.available_memory()).filter(|free| *free > 0).unwrap_or(u64::MAX);
    let free = machine.min(group).min(own_limit());
    if free == u64::MAX { free } else { (free as f64 * SHARE) as u64 }
}

/// What `ulimit -v` allows.
#[cfg(unix)]
fn own_limit() -> u64 {
    rlimit::Resource::AS.get_soft().unwrap_or(u64::MAX)
}

/// Without such a limit.
#[cfg(not(unix))]
fn own_limit() -> u64 {
    u64::MAX
}
