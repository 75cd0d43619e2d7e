//! Handles: numbers in the place of pointers. A number is never reused, so a freed handle is recognised as freed.

use crate::status::{Failure, SeidelStatus};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// All things of one sort that are not freed.
pub(crate) struct Handles<T> {
    what: &'static str,
    live: RwLock<BTreeMap<usize, Arc<T>>>,
}

/// Numbers are multiples of 16, as pointers are, and far from small ones, which a wrong program might pass.
static NEXT: AtomicU64 = AtomicU64::new(0x5e1d);

impl<T> Handles<T> {
    pub(crate) const fn new(what: &'static str) -> Handles<T> {
        Handles { what, live: RwLock::new(BTreeMap::new()) }
    }

    /// A handle for it.
    pub(crate) fn add<H>(&self, thing: T) -> *mut H {
        let number = NEXT.fetch_add(1, Ordering::Relaxed) as usize * 16;
        let mut live = self.live.write().unwrap_or_else(PoisonError::into_inner);
        live.insert(number, Arc::new(thing));
        std::ptr::without_provenance_mut(number)
    }

    /// What it stands for. It stays until the last call that uses it has ended, whoever frees the handle.
    pub(crate) fn get<H>(&self, handle: *const H) -> Result<Arc<T>, Failure> {
        let live = self.live.read().unwrap_or_else(PoisonError::into_inner);
        live.get(&handle.addr()).cloned().ok_or_else(|| self.unknown(handle))
    }

    pub(crate) fn free<H>(&self, handle: *const H) -> Result<(), Failure> {
        let removed = self.live.write().unwrap_or_else(PoisonError::into_inner).remove(&handle.addr());
        // Dropped here, with nothing locked.
        removed.map(drop).ok_or_else(|| self.unknown(handle))
    }

    fn unknown<H>(&self, handle: *const H) -> Failure {
        match handle.is_null() {
            true => Failure::new(SeidelStatus::Null, format!("the {} is null", self.what)),
            false => Failure::new(SeidelStatus::Handle, format!("the {} was freed, or is none", self.what)),
        }
    }
}
