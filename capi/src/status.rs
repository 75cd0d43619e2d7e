//! How a call ended: a status, and on the thread that called a text.

use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How a call ended. All but `SEIDEL_STATUS_OK` leave a text: `seidel_last_error`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub enum SeidelStatus {
    /// It did what it should.
    Ok = 0,
    /// A pointer is null that may not be.
    Null = 1,
    /// An argument is wrong: an index, a length, a field, text that is not UTF-8.
    Argument = 2,
    /// The text, or its meshes, make no scene.
    Scene = 3,
    /// A step's input does not fit. The state is as it was.
    Rejected = 4,
    /// The state has stopped at a lost particle, or did so in this step.
    Stopped = 5,
    /// The bytes are no state of this scene. The state is as it was.
    Snapshot = 6,
    /// The buffer is too small: the length that is needed was written.
    Small = 7,
    /// Another thread is using the solver.
    Busy = 8,
    /// The handle was freed, or is none.
    Handle = 9,
    /// An internal error (a panic). The solver in which it happened refuses further calls; free it.
    Panic = 10,
}

/// A status with its text.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) status: SeidelStatus,
    pub(crate) text: String,
}

impl Failure {
    pub(crate) fn new(status: SeidelStatus, text: impl Display) -> Failure {
        Failure { status, text: text.to_string() }
    }

    pub(crate) fn argument(text: impl Display) -> Failure {
        Failure::new(SeidelStatus::Argument, text)
    }
}

thread_local! {
    static TEXT: RefCell<CString> = RefCell::default();
}

/// Runs the work of a function and returns its status. A panic goes no further.
pub(crate) fn guard(run: impl FnOnce() -> Result<(), Failure>) -> SeidelStatus {
    let failure = match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(())) => return SeidelStatus::Ok,
        Ok(Err(failure)) => failure,
        Err(panic) => {
            let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
            Failure::new(SeidelStatus::Panic, format!("a fault of the engine: {text}"))
        }
    };
    let text = CString::new(failure.text.replace('\0', " ")).unwrap_or_default();
    // At the end of a thread there is no text any more, and no caller to read it.
    let _ = TEXT.try_with(|last| *last.borrow_mut() = text);
    failure.status
}

/// The text of the last call on this thread that did not end with `SEIDEL_STATUS_OK`; empty if there was none. It is
/// valid until the next call on this thread.
#[unsafe(no_mangle)]
pub extern "C" fn seidel_last_error() -> *const c_char {
    TEXT.try_with(|last| last.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}

/// The name of a status, such as "rejected".
#[unsafe(no_mangle)]
pub extern "C" fn seidel_status_name(status: u32) -> *const c_char {
    const NAMES: [&std::ffi::CStr; 11] = [
        c"ok",
        c"null",
        c"argument",
        c"scene",
        c"rejected",
        c"stopped",
        c"snapshot",
        c"small",
        c"busy",
        c"handle",
        c"panic",
    ];
    NAMES.get(status as usize).unwrap_or(&c"unknown").as_ptr()
}
