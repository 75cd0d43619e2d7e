//! The program `seidel`: runs scenes, checks meshes.

#![forbid(unsafe_code)]

mod check;
mod intersections;
mod run;
mod stats;
mod table;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};
use clap::{Args, Parser, Subcommand, ValueEnum};
use seidel::Isa;
use seidel::tuning::MAX_SUBSTEPS;

/// Position based dynamics: simulates a scene and shows it.
///
/// Without a command: the scene cloth-sphere, written to cloth-sphere.html.
#[derive(Debug, Parser)]
#[command(name = "seidel", version, args_conflicts_with_subcommands = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Simulate a scene; print times, measurements and the state hash.
    Run(RunArgs),
    /// List the named scenes; with a name, print its scene file.
    Scenes {
        /// A named scene.
        name: Option<String>,
    },
    /// Say what a mesh holds and what is wrong with it; exit code 1 if a cloth, or a body of tetrahedra, cannot be made from it.
    Check {
        /// Surfaces in .obj, .ply, .stl, .gltf or .glb files; tetrahedra in .node and .ele (either is named) or .msh files.
        #[arg(required = true)]
        mesh: Vec<PathBuf>,
        /// Print JSON.
        #[arg(long)]
        json: bool,
        /// Write the mesh without what forbids that, and say what changed; takes one mesh. Surfaces are written as .obj or .ply,
        /// tetrahedra as .node and .ele.
        #[arg(long, value_name = "OUT")]
        repair: Option<PathBuf>,
    },
}

#[derive(Args, Clone, Debug)]
struct RunArgs {
    /// A named scene, a .toml file, or - for such a file from standard input.
    #[arg(default_value = "cloth-sphere")]
    scene: String,
    /// Number of frames [default: the scene's].
    #[arg(long, allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..))]
    frames: Option<u32>,
    /// Frames a second [default: the scene's].
    #[arg(long, allow_negative_numbers = true)]
    fps: Option<f64>,
    /// Substeps in a frame [default: the scene's].
    #[arg(long, allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_SUBSTEPS)))]
    substeps: Option<u32>,
    /// Iterations in a substep [default: the scene's].
    #[arg(long, allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_SUBSTEPS)))]
    iterations: Option<u32>,
    /// How constraints are solved [default: the scene's]: one after another, or all at once with averaged corrections.
    #[arg(long, value_parser = ["gauss-seidel", "jacobi"])]
    solver: Option<String>,
    /// Threads [default: all cores]. The result does not depend on it.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Instruction set: auto, scalar, portable, avx2 or avx512. The result does not depend on it.
    #[arg(long, default_value = "auto", value_parser = |name: &str| name.to_ascii_lowercase().parse::<Isa>())]
    isa: Isa,
    /// Change a key of the scene, such as solver.substeps=40; `none` takes a key away. cloth.density=0.3 changes all cloths,
    /// cloth.NAME.density=0.3 or cloth.0.density=0.3 one.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Write the frames: .html (a page with a viewer), .npz (arrays), .glb (an animated model, glTF) or .pvd (for ParaView, with
    /// a folder of .vtu files beside it).
    #[arg(long, value_name = "FILE")]
    out: Vec<PathBuf>,
    /// Write only the N-th frame, the 2 N-th, and so on.
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..))]
    every: u32,
    /// How a .glb file goes from one frame to the next.
    #[arg(long, value_enum, default_value_t = Between::Linear)]
    interpolation: Between,
    /// Write times and measurements as JSON; - for standard output, with the table on standard error.
    #[arg(long, value_name = "FILE.json")]
    stats: Option<PathBuf>,
    /// Look for something in every frame; exit code 1 if a frame has it. Files are written all the same, --stats with the
    /// numbers of every frame.
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    check: Vec<Watched>,
}

/// What can be looked for in every frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Watched {
    /// Triangles that go through each other or touch, of one body or of two, and edges of ropes in triangles; by an exact test.
    Intersections,
}

/// Between two frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Between {
    /// In a straight line.
    Linear,
    /// The frame stays until the next.
    Step,
}

fn main() -> ExitCode {
    let result = match Cli::try_parse().unwrap_or_else(|error| misused(&error)).command {
        None => run::run(&RunArgs {
            scene: "cloth-sphere".to_owned(),
            frames: None,
            fps: None,
            substeps: None,
            iterations: None,
            solver: None,
            threads: None,
            isa: Isa::detect(),
            set: Vec::new(),
            out: vec!["cloth-sphere.html".into()],
            every: 1,
            interpolation: Between::Linear,
            stats: None,
            check: Vec::new(),
        }),
        Some(Command::Run(args)) => run::run(&args),
        Some(Command::Scenes { name }) => scenes(name.as_deref()),
        Some(Command::Check { mesh, repair: Some(_), .. }) if mesh.len() > 1 => {
            Err("--repair takes one mesh at a time".into())
        }
        Some(Command::Check { mesh, json, repair }) => check::check(&mesh, json, repair.as_deref()),
    };
    result.unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::FAILURE
    })
}

/// Ends with the error; a scene in the place of a command gets its command named.
fn misused(error: &clap::Error) -> ! {
    if let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand)
        && (word == "-" || word.ends_with(".toml") || seidel::scenes::NAMES.contains(&word.as_str()))
    {
        eprintln!("error: `{word}` is a scene and no command; try `seidel run {word}`");
        std::process::exit(2);
    }
    error.exit()
}

fn scenes(name: Option<&str>) -> Result<ExitCode, Box<dyn std::error::Error>> {
    match name {
        Some(name) => table::print(&seidel_io::scene::to_toml(&seidel_io::scene::load(name, &[])?)?),
        None => {
            let width = seidel::scenes::NAMES.iter().map(|n| n.len()).max().unwrap_or(0);
            for name in seidel::scenes::NAMES {
                let about = seidel::scenes::named(name).map(|spec| spec.about).unwrap_or_default();
                table::print(&format!("{name:width$}  {about}\n"));
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}
