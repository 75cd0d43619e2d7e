//! Atomics and threads: std's, or loom's, which takes them through every order of turns.

#[cfg(loom)]
pub(crate) use loom::{
    hint,
    sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering},
    sync::{Arc, Mutex},
    thread,
};
#[cfg(not(loom))]
pub(crate) use std::{
    hint,
    sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering},
    sync::{Arc, Mutex},
    thread,
};
