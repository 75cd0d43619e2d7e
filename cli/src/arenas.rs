//! One heap for all threads, where the address space is limited.
//!
//! The GNU C library gives threads arenas of their own, and each takes 64 MiB of addresses before anything is in it.
//! Under `ulimit -v` they are what is missing elsewhere: of 300 MB two threads took 128, and allocations that the rest
//! should have held were refused, which aborts. Threads then wait for each other where they allocate, so that nothing
//! changes where there is no limit. The library has no other way to say it than this call: its environment variable is
//! read before `main`.
#![allow(unsafe_code)]

/// Lets no thread take an arena of its own from now on.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn share_one() {
    use std::ffi::c_int;

    unsafe extern "C" {
        fn mallopt(param: c_int, value: c_int) -> c_int;
    }

    /// `M_ARENA_MAX` of malloc.h.
    const ARENA_MAX: c_int = -8;
    // SAFETY: the declaration is malloc.h's; the function takes two numbers, checks them itself and may be called by
    // any thread at any time.
    unsafe { mallopt(ARENA_MAX, 1) };
}

/// Others have none.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn share_one() {}
