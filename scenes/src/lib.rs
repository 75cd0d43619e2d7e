//! Scenes of the seidel engine: tables of keys that turn into a [`seidel::Scene`], and named scenes as values of these
//! tables.
//!
//! A scene file (`seidel_io::scene`) is such tables in TOML, so a file can say all that a named scene says.
//!
//! # Example
//! ```
//! let mut flag = seidel_scenes::named("flag").unwrap();
//! assert_eq!(flag.cloth[0].resolution, [96, 64]);
//! flag.cloth[0].resolution = [24, 16];
//! let scene = flag.build(|file| Err::<seidel_scenes::Geometry, _>(format!("no file is read here: {file}")))?;
//! assert!(seidel::Solver::new(&scene).is_ok());
//! # Ok::<(), seidel_scenes::SpecError<String>>(())
//! ```

#![forbid(unsafe_code)]

mod named;
mod tables;

pub use named::{NAMES, named};
pub use tables::*;
