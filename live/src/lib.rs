//! The engine behind a page. A [`Session`] runs a scene and answers messages: in a browser's worker (`web/`), or in the
//! program, for `seidel view`. Both speak the same messages, so the page is the same.
//!
//! | module | what |
//! |---|---|
//! | [`message`] | what a page asks, and how answers are laid out in bytes |
//! | [`session`] | a scene that runs: open, change, step, hold, pin, keep |
//! | [`reference`](mod@reference) | units, limits and texts of all keys, from docs/scene.md |
//! | [`page`] | the page as one file |
//!
//! ```
//! let mut session = seidel_live::Session::in_memory(seidel::Execution::default());
//! let opened = session.answer(br#"{"do": "open", "scene": "flag", "set": ["cloth.resolution=[12, 8]"]}"#, &[]);
//! let frame = session.answer(br#"{"do": "step"}"#, &[]);
//! assert_eq!((opened.error(), frame.error()), (None, None));
//! assert_eq!(frame.array("positions").unwrap().len(), 12 * 8 * 12);
//! ```

#![forbid(unsafe_code)]

mod export;
mod hands;
pub mod message;
pub mod page;
pub mod reference;
mod run;
pub mod session;

pub use message::Reply;
pub use run::Stop;
pub use session::Session;
