//! Whether standard output was closed when the program began, as by `>&-` in a shell.
//!
//! The runtime opens /dev/null in the place of a closed stream before `main`, so that nothing else gets its number;
//! then all that is written there is lost without an error. Other programs give /dev/null as deliberately (Python's
//! `DEVNULL`), and open it in the same way, so that the two cannot be told apart in `main`. On Linux the loader calls
//! what stands in `.init_array` before the runtime begins, and there the stream is looked at; elsewhere a closed one
//! counts as open.
#![allow(unsafe_code)]

#[cfg(target_os = "linux")]
mod at_start {
    use std::io::ErrorKind;
    use std::sync::atomic::{AtomicBool, Ordering};

    static WAS_CLOSED: AtomicBool = AtomicBool::new(false);

    extern "C" fn look() {
        let is_listed = |path: &str| std::fs::symlink_metadata(path).map_err(|e| e.kind());
        // Without /proc nothing is known.
        let was_closed =
            is_listed("/proc/self/fd").is_ok() && is_listed("/proc/self/fd/1").err() == Some(ErrorKind::NotFound);
        WAS_CLOSED.store(was_closed, Ordering::Relaxed);
    }

    // SAFETY: the section holds pointers to functions of C's calling convention, as this is one; the loader calls each
    // once, on the only thread. `look` asks the kernel about two paths and stores a bool, which needs nothing that the
    // runtime sets up.
    #[unsafe(link_section = ".init_array")]
    #[used]
    static LOOK: extern "C" fn() = look;

    pub(super) fn was_closed() -> bool {
        WAS_CLOSED.load(Ordering::Relaxed)
    }
}

#[cfg(not(target_os = "linux"))]
mod at_start {
    pub(super) fn was_closed() -> bool {
        false
    }
}

/// Standard output was closed from the start: all that is written there is lost.
#[derive(Debug, thiserror::Error)]
#[error("standard output is closed, so what is asked for there would be lost: leave it open, or send it to a file")]
pub(crate) struct ClosedAtStart;

/// Refuses a standard output that was closed when the program began.
pub(crate) fn is_open() -> Result<(), ClosedAtStart> {
    if at_start::was_closed() { Err(ClosedAtStart) } else { Ok(()) }
}
