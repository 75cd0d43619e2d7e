//! The command line: commands and their arguments.

use std::fmt::Display;
use std::path::PathBuf;
use std::str::FromStr;

use bytesize::ByteSize;
use clap::{Args, Parser, Subcommand, ValueEnum};
use seidel::limits::MAX_SUBSTEPS;
use seidel::{Isa, Substeps};
use serde::{Deserialize, Serialize};

/// Position based dynamics: simulates a scene and shows it.
///
/// Without a command: the scene cloth-sphere, written to cloth-sphere.html.
#[derive(Debug, Parser)]
#[command(name = "seidel", version, args_conflicts_with_subcommands = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Simulate a scene; print times, measurements and the state hash.
    Run(Box<RunArgs>),
    /// Take the steps of a recording again, which `seidel run --record` has written; exit code 1 at the first that
    /// comes to other bits.
    Replay(ReplayArgs),
    /// Write a page that has the engine inside: the scene runs in the browser, and every setting can be changed there.
    /// One file, which needs no server and no network.
    Page(PageArgs),
    /// Show a scene live in the browser, with this program as the engine; a scene file is run anew whenever it is
    /// saved.
    View(ViewArgs),
    /// Write a scene as a scene file of this engine: a .json file of the PositionBasedDynamics library, or any other
    /// scene with changes made. Meshes stay where they are.
    Convert {
        /// A .json or .toml file, or a named scene.
        scene: String,
        /// The scene file, which ends in .toml.
        out: PathBuf,
        /// Change a key of the scene, as for `seidel run`.
        #[arg(long, value_name = "KEY=VALUE")]
        set: Vec<String>,
    },
    /// List the named scenes; with a name, print its scene file.
    Scenes {
        /// A named scene.
        name: Option<String>,
    },
    /// Say what a mesh holds and what is wrong with it; exit code 1 if a cloth, or a body of tetrahedra, cannot be made
    /// from it.
    Check {
        /// Surfaces in .obj, .ply, .stl, .gltf or .glb files; tetrahedra in .node and .ele (either is named) or .msh
        /// files.
        #[arg(required = true)]
        mesh: Vec<PathBuf>,
        /// Print JSON.
        #[arg(long)]
        json: bool,
        /// Write the mesh without what forbids that, and say what changed; takes one mesh. Surfaces are written as .obj
        /// or .ply, tetrahedra as .node and .ele.
        #[arg(long, value_name = "OUT")]
        repair: Option<PathBuf>,
        /// Memory that reading a mesh may take, such as 8GB [default: nine tenths of what is free]. A file that takes
        /// more is refused before it is read.
        #[arg(long, value_name = "SIZE", value_parser = size)]
        memory: Option<ByteSize>,
    },
}

#[derive(Args, Clone, Debug)]
pub(crate) struct RunArgs {
    /// A named scene, a .toml file, a .json file of the PositionBasedDynamics library, or - for a .toml file from
    /// standard input.
    #[arg(default_value = "cloth-sphere")]
    pub(crate) scene: String,
    /// Go on with a run that Ctrl-C has ended, from the .resume file that it left. Scene and outputs are that run's,
    /// and so are --stats, --save, --record and --check; --frames may ask for more, and threads and lanes may be
    /// others.
    #[arg(
        long, value_name = "FILE",
        conflicts_with_all = ["scene", "fps", "settle", "substeps", "iterations", "solver", "set", "out", "every", "interpolation"]
    )]
    pub(crate) resume: Option<PathBuf>,
    /// Begin with the state in this file, which --save wrote: of the same bodies; settings, materials and colliders may
    /// be others. The scene does not settle.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["resume", "settle"])]
    pub(crate) load: Option<PathBuf>,
    /// Write the state with which the run ends, also by Ctrl-C.
    #[arg(long, value_name = "FILE")]
    pub(crate) save: Option<PathBuf>,
    /// Write a recording: the scene, the state at the start, the input of every step, and the hash after it.
    /// `seidel replay` takes the steps again.
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    pub(crate) record: Option<PathBuf>,
    /// Number of frames [default: the scene's].
    #[arg(long, allow_negative_numbers = true, value_parser = |text: &str| whole(text, u32::MAX))]
    pub(crate) frames: Option<u32>,
    /// Frames a second [default: the scene's].
    #[arg(long, allow_negative_numbers = true, value_parser = number)]
    pub(crate) fps: Option<f64>,
    /// Seconds in which the scene comes to rest before its first frame [default: the scene's].
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = number)]
    pub(crate) settle: Option<f64>,
    /// Substeps in a frame, or `auto` [default: the scene's].
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = substeps)]
    pub(crate) substeps: Option<Substeps>,
    /// Iterations in a substep [default: the scene's].
    #[arg(long, allow_negative_numbers = true, value_parser = |text: &str| whole(text, MAX_SUBSTEPS))]
    pub(crate) iterations: Option<u32>,
    /// How constraints are solved [default: the scene's]: one after another, or all at once with averaged corrections.
    #[arg(long, value_parser = ["gauss-seidel", "jacobi"])]
    pub(crate) solver: Option<String>,
    /// Threads [default: all cores]. The result does not depend on it.
    #[arg(long, value_parser = |text: &str| whole(text, 1024u16))]
    pub(crate) threads: Option<u16>,
    /// Instruction set: auto, scalar, portable, avx2 or avx512. The result does not depend on it.
    #[arg(long, default_value = "auto", value_parser = |name: &str| name.to_ascii_lowercase().parse::<Isa>())]
    pub(crate) isa: Isa,
    /// Memory that the scene may need, such as 8GB [default: nine tenths of what is free]. A scene that needs more is
    /// refused before it takes any.
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) memory: Option<ByteSize>,
    /// Change a key of the scene, such as solver.substeps=40; `none` takes a key away. cloth.density=0.3 changes all
    /// cloths, cloth.NAME.density=0.3 or cloth.0.density=0.3 one.
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// Write the frames: .html (a page with a viewer), .npz (arrays), .glb (an animated model, glTF), .pvd (for
    /// ParaView, with a folder of .vtu files beside it) or .pc2 (a point cache, for the mesh that was sent; one for
    /// each body).
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Vec<PathBuf>,
    /// Write only the start, the N-th frame, the 2 N-th, and so on.
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true, value_parser = |text: &str| whole(text, u32::MAX))]
    pub(crate) every: u32,
    /// How a .glb file goes from one frame to the next.
    #[arg(long, value_enum, default_value_t = Between::Linear)]
    pub(crate) interpolation: Between,
    /// Write fluids into .glb files as the triangles of their surfaces, in place of points: a mesh for each frame, for
    /// short clips. Wants a program that is built with the feature `surface`.
    #[arg(long, conflicts_with = "resume")]
    pub(crate) surface: bool,
    /// Write times and measurements as JSON; - for standard output, with the table on standard error.
    #[arg(long, value_name = "FILE.json")]
    pub(crate) stats: Option<PathBuf>,
    /// Look for something in every frame; exit code 1 if a frame has it. Files are written all the same, --stats with
    /// the numbers of every frame.
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub(crate) check: Vec<Watched>,
}

#[derive(Args, Clone, Debug)]
pub(crate) struct ReplayArgs {
    /// The recording. Meshes of its scene are read again from where they were.
    pub(crate) file: PathBuf,
    /// Threads [default: all cores].
    #[arg(long, value_parser = |text: &str| whole(text, 1024u16))]
    pub(crate) threads: Option<u16>,
    /// Instruction set: auto, scalar, portable, avx2 or avx512.
    #[arg(long, default_value = "auto", value_parser = |name: &str| name.to_ascii_lowercase().parse::<Isa>())]
    pub(crate) isa: Isa,
    /// Memory that the scene may need, such as 8GB [default: nine tenths of what is free].
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) memory: Option<ByteSize>,
}

#[derive(Args, Clone, Debug)]
pub(crate) struct PageArgs {
    /// A named scene, or a .toml file, which goes into the page with its meshes [default: a small cloth on a sphere].
    pub(crate) scene: Option<String>,
    /// The page.
    #[arg(long, value_name = "FILE.html", default_value = "seidel.html")]
    pub(crate) out: PathBuf,
    /// Change a key of the scene, as for `seidel run`.
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// The engine as WebAssembly [default: seidel.wasm beside this program; in a checkout of the sources cargo builds
    /// it].
    #[arg(long, value_name = "FILE.wasm")]
    pub(crate) engine: Option<PathBuf>,
}

#[derive(Args, Clone, Debug)]
pub(crate) struct ViewArgs {
    /// A named scene, or a .toml file [default: a small cloth on a sphere].
    pub(crate) scene: Option<String>,
    /// Change a key of the scene, as for `seidel run`.
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// Port of the loopback address [default: 8321, or any that is free].
    #[arg(long, value_parser = |text: &str| whole(text, u16::MAX))]
    pub(crate) port: Option<u16>,
    /// Threads [default: all cores].
    #[arg(long, value_parser = |text: &str| whole(text, 1024u16))]
    pub(crate) threads: Option<u16>,
    /// Instruction set: auto, scalar, portable, avx2 or avx512.
    #[arg(long, default_value = "auto", value_parser = |name: &str| name.to_ascii_lowercase().parse::<Isa>())]
    pub(crate) isa: Isa,
    /// Memory that a scene may need, such as 8GB [default: nine tenths of what is free].
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) memory: Option<ByteSize>,
}

/// A whole number from 1 on.
fn whole<T: FromStr + PartialOrd + From<u8> + Display + Copy>(text: &str, most: T) -> Result<T, String> {
    let number = text.parse().ok().filter(|number| (T::from(1)..=most).contains(number));
    number.ok_or_else(|| format!("a whole number from 1 to {most} is wanted"))
}

/// Any number.
fn number(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| "a number is wanted".to_owned())
}

/// A size in bytes, with a unit or without.
fn size(text: &str) -> Result<ByteSize, String> {
    text.parse().map_err(|_| "a size is a number with a unit, such as 500MB or 8GB".to_owned())
}

/// Checks that can be made in every frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub(crate) enum Watched {
    /// Triangles that go through each other or touch, of one body or of two, and edges of ropes in triangles; by an
    /// exact test.
    Intersections,
}

/// Between two frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Between {
    /// In a straight line.
    Linear,
    /// The frame stays until the next.
    Step,
}

/// A number of substeps, or `auto`.
fn substeps(text: &str) -> Result<Substeps, String> {
    if text == "auto" {
        return Ok(Substeps::Auto);
    }
    match text.parse::<u32>() {
        Ok(count) if (1..=MAX_SUBSTEPS).contains(&count) => Ok(Substeps::Fixed(count)),
        _ => Err(format!("a whole number from 1 to {MAX_SUBSTEPS}, or `auto`, is wanted")),
    }
}
