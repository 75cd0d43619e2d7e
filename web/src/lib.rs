//! The engine as WebAssembly: one session, and messages through one buffer in and one out (`seidel_live::message`).
//! Addresses and lengths are all that goes over the border, so a worker needs no generated code. There is no unsafe
//! block here; only the names of the functions are exported as they are.

use seidel::{Execution, Isa};
use seidel_live::Session;
use seidel_live::page::MEMORY;
use std::cell::RefCell;
use std::sync::Mutex;

struct Engine {
    session: Session,
    request: Vec<u8>,
    reply: Vec<u8>,
}

thread_local! {
    static ENGINE: RefCell<Engine> = RefCell::new({
        // One thread, and the lanes that a browser has.
        let session = Session::in_memory(Execution::new(Isa::detect(), 1)).within(MEMORY);
        Engine { session, request: Vec::new(), reply: Vec::new() }
    });
}

/// What a panic says: the page reads it after the trap.
static LAST_WORDS: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// Makes room for a request of so many bytes, and returns its address.
#[unsafe(no_mangle)]
pub extern "C" fn seidel_request(length: usize) -> *mut u8 {
    ENGINE.with_borrow_mut(|engine| {
        engine.request.clear();
        engine.request.resize(length, 0);
        engine.request.as_mut_ptr()
    })
}

/// Answers the request: its first `json` bytes are JSON. Returns the length of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn seidel_answer(json: usize) -> usize {
    ENGINE.with_borrow_mut(|Engine { session, request, reply }| {
        let (json, bytes) = request.split_at(json.min(request.len()));
        *reply = session.answer(json, bytes).encode();
        // A large file is not kept.
        *request = Vec::new();
        reply.len()
    })
}

/// The address of the answer; it is there until the next one.
#[unsafe(no_mangle)]
pub extern "C" fn seidel_reply() -> *const u8 {
    ENGINE.with_borrow(|engine| engine.reply.as_ptr())
}

/// From now on a panic leaves its text behind.
#[unsafe(no_mangle)]
pub extern "C" fn seidel_begin() {
    std::panic::set_hook(Box::new(|panic| {
        if let Ok(mut words) = LAST_WORDS.try_lock() {
            *words = panic.to_string().into_bytes();
        }
    }));
}

/// The address of the text of the last panic.
#[unsafe(no_mangle)]
pub extern "C" fn seidel_panic() -> *const u8 {
    LAST_WORDS.try_lock().map_or(std::ptr::null(), |words| words.as_ptr())
}

/// Its length; 0 if there was none.
#[unsafe(no_mangle)]
pub extern "C" fn seidel_panic_length() -> usize {
    LAST_WORDS.try_lock().map_or(0, |words| words.len())
}
