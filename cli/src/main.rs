//! The program `seidel`: runs scenes, shows them in a browser, checks meshes.

#![deny(unsafe_code)]

/// A line on standard error. Where that cannot be written, such as on a full disk, the line is lost and the run goes
/// on; `eprintln!` would panic.
macro_rules! note {
    (raw $($text:tt)*) => { { let _ = std::io::Write::write_fmt(&mut std::io::stderr(), format_args!($($text)*)); } };
    ($($text:tt)*) => { {
        let line = format!($($text)*);
        let _ = std::io::Write::write_all(&mut std::io::stderr(), format!("{line}\n").as_bytes());
    } };
}

mod arenas;
mod args;
mod check;
mod closed;
mod convert;
mod engine;
mod events;
mod hints;
mod inside;
mod intersections;
mod memory;
mod motors;
mod overlaps;
mod page;
mod rebound;
mod record;
mod replay;
mod resume;
mod run;
mod snapshot;
mod stats;
mod table;
mod view;

use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser as _;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use seidel::Isa;

use args::{Between, Cli, Command, RunArgs};
use table::Closed;

/// The exit code that shells give a program whose reader has gone, as `| head` does.
const BY_CLOSED_PIPE: u8 = 141;

/// The longest path of Linux, bytes; and so many characters are told of what is longer.
const LONGEST_WORD: usize = 4096;
const MOST_OF_A_WORD: usize = 80;

fn main() -> ExitCode {
    if memory::is_limited() {
        arenas::share_one();
    }
    let result = match Cli::try_parse().unwrap_or_else(|error| misused(&error)).command {
        None => run::run(&RunArgs {
            scene: "cloth-sphere".to_owned(),
            load: None,
            save: None,
            record: None,
            resume: None,
            frames: None,
            fps: None,
            settle: None,
            memory: None,
            substeps: None,
            iterations: None,
            solver: None,
            threads: None,
            isa: Isa::detect(),
            set: Vec::new(),
            out: vec!["cloth-sphere.html".into()],
            every: 1,
            interpolation: Between::Linear,
            surface: false,
            stats: None,
            check: Vec::new(),
        }),
        Some(Command::Run(args)) => run::run(&args),
        Some(Command::Replay(args)) => replay::replay(&args),
        Some(Command::Page(args)) => page::page(&args),
        Some(Command::View(args)) => view::view(&args),
        Some(Command::Convert { scene, out, set }) => convert::convert(&scene, &out, &set),
        Some(Command::Scenes { name }) => scenes(name.as_deref()),
        Some(Command::Check { mesh, repair: Some(_), .. }) if mesh.len() > 1 => {
            Err("--repair takes one mesh at a time".into())
        }
        Some(Command::Check { mesh, json, repair, memory }) => check::check(&mesh, json, repair.as_deref(), memory),
    };
    result.unwrap_or_else(|error| {
        if error.downcast_ref::<Closed>().is_some() {
            return ExitCode::from(BY_CLOSED_PIPE);
        }
        note!("error: {}", shortened(&error.to_string()));
        ExitCode::FAILURE
    })
}

/// A text in which no word is longer than a path may be: one that a file gives without end is cut.
fn shortened(text: &str) -> String {
    let word = |word: &str| match word.char_indices().nth(MOST_OF_A_WORD) {
        Some((end, _)) if word.len() > LONGEST_WORD => format!("{}...", &word[..end]),
        _ => word.to_owned(),
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// Prints help or the version, or ends with the error; a scene in the place of a command gets its command named.
fn misused(error: &clap::Error) -> ! {
    if !error.use_stderr() {
        let open = closed::is_open().map_err(std::io::Error::other);
        match open.and_then(|()| error.print()).and_then(|()| std::io::stdout().flush()) {
            Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => std::process::exit(i32::from(BY_CLOSED_PIPE)),
            Err(e) => note!("error: standard output: {e}"),
            Ok(()) => std::process::exit(0),
        }
        std::process::exit(1);
    }
    if let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand)
        && (word == "-"
            || word.ends_with(".toml")
            || word.ends_with(".json")
            || seidel_scenes::NAMES.contains(&word.as_str()))
    {
        note!("error: `{word}` is a scene and no command; try `seidel run {word}`");
        std::process::exit(2);
    }
    if error.kind() == ErrorKind::InvalidUtf8 {
        let all: Vec<_> = std::env::args_os().collect();
        let at = all.iter().position(|arg| arg.to_str().is_none()).unwrap_or_default();
        let option = at.checked_sub(1).and_then(|before| all[before].to_str()).filter(|arg| arg.starts_with("--"));
        let named = all[at].to_string_lossy();
        match option {
            Some(option) => note!("error: {option}: `{named}` is not UTF-8, and its value has to be"),
            None if named.starts_with("--") => note!("error: `{named}` is not UTF-8, and an option has to be"),
            None => note!("error: `{named}` is not UTF-8, and a scene's name is; rename the file"),
        }
        std::process::exit(2);
    }
    error.exit()
}

fn scenes(name: Option<&str>) -> Result<ExitCode, Box<dyn std::error::Error>> {
    match name {
        Some(name) => table::print(&seidel_io::scene::to_toml(&seidel_io::scene::load(name, &[])?)?)?,
        None => {
            let width = seidel_scenes::NAMES.iter().map(|n| n.len()).max().unwrap_or(0);
            for name in seidel_scenes::NAMES {
                let about = seidel_scenes::named(name).map(|spec| spec.about).unwrap_or_default();
                table::print(&format!("{name:width$}  {about}\n"))?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}
