//! Other engines at the same work, as programs of their own: none is linked into the scoreboard, and none is there by
//! default.
//!
//! A peer program (bench/peers/) is called `PROGRAM list`, and prints the engines that it has, one a line; and
//! `PROGRAM answer ENGINE WORK THREADS`: it prepares the work and prints an [`Entry`] that says what it has prepared,
//! as one line of JSON, or `null` if this engine does not do this work. Then, for each line on its input, it runs one
//! round and prints its time. So peers take turns with everybody else, round by round.

use crate::entry::{Entry, machine};
use crate::rounds::Contender;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Programs that were found.
#[derive(Clone, Debug, Default)]
pub struct Peers {
    engines: Vec<(Vec<OsString>, String)>,
    /// What is missing, and how it can be had.
    pub notes: Vec<String>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("peers")
}

/// A folder of its own among the build outputs: the peers are compiled for this very processor.
fn target() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| folder().join("../../target"), PathBuf::from);
    std::path::absolute(&target).unwrap_or(target).join("peers")
}

impl Peers {
    /// What is built or installed; the crates are built first if that is wanted.
    ///
    /// # Errors
    /// If they cannot be built.
    pub fn find(build: bool) -> Result<Peers, String> {
        let mut peers = Peers::default();
        if build {
            let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
            // In the folder, for its own .cargo/config.toml.
            cargo.current_dir(folder()).args(["build", "--release", "--locked", "--target-dir"]).arg(target());
            let status = cargo.status().map_err(|e| format!("cargo cannot be started: {e}"))?;
            if !status.success() {
                return Err(format!("the peers in {} cannot be built: {status}", folder().display()));
            }
        }
        let program = target().join("release").join(format!("seidel-peers{}", std::env::consts::EXE_SUFFIX));
        peers.add(vec![program.into()], "rapier3d, rapier-cloth-core: not built; --peers builds them");
        let script = folder().join("pypbd_peer.py");
        peers.add(vec!["python3".into(), script.into()], "pyPBD: not installed; pip install pyPBD");
        Ok(peers)
    }

    fn add(&mut self, command: Vec<OsString>, otherwise: &str) {
        let listed = Command::new(&command[0]).args(&command[1..]).arg("list").stderr(Stdio::null()).output();
        match listed {
            Ok(out) if out.status.success() => {
                let names = String::from_utf8_lossy(&out.stdout).lines().map(str::to_owned).collect::<Vec<_>>();
                self.engines.extend(names.into_iter().map(|name| (command.clone(), name)));
            }
            _ => self.notes.push(otherwise.to_owned()),
        }
    }

    /// All who do this work, prepared.
    #[must_use]
    pub fn at(&self, work: &str, threads: usize) -> Vec<PeerRun> {
        self.engines.iter().filter_map(|(command, engine)| PeerRun::start(command, engine, work, threads)).collect()
    }
}

/// A peer that has prepared its work. It ends when this is dropped.
#[derive(Debug)]
pub struct PeerRun {
    /// What it does, without a value.
    pub entry: Entry,
    child: Child,
    /// Closed to end it.
    ask: Option<ChildStdin>,
    answer: BufReader<ChildStdout>,
}

impl PeerRun {
    fn start(command: &[OsString], engine: &str, work: &str, threads: usize) -> Option<PeerRun> {
        let mut program = Command::new(&command[0]);
        program.args(&command[1..]).args(["answer", engine, work, &threads.to_string()]);
        // OpenMP's own number of threads, for those that use it.
        program.env("OMP_NUM_THREADS", threads.to_string());
        let mut child = program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
        let (ask, mut answer) = (child.stdin.take(), BufReader::new(child.stdout.take()?));
        let mut line = String::new();
        let entry = answer.read_line(&mut line).ok().and_then(|_| serde_json::from_str(&line).ok().flatten());
        let Some(entry): Option<Entry> = entry else {
            drop(ask);
            let _ = child.wait();
            return None;
        };
        // It runs here, whether it says so or not.
        let entry = Entry { machine: machine(), ..entry };
        Some(PeerRun { entry, child, ask, answer })
    }
}

/// Whose figures are slopes (bench/peers/src/rapier.rs).
const BY_DIFFERENCE: &str = "rapier3d ";

impl Contender for PeerRun {
    fn round(&mut self) -> Option<f64> {
        self.ask.as_mut()?.write_all(b"\n").ok()?;
        let mut line = String::new();
        self.answer.read_line(&mut line).ok()?;
        line.trim().parse().ok()
    }

    fn is_difference(&self) -> bool {
        self.entry.engine.starts_with(BY_DIFFERENCE)
    }
}

impl Drop for PeerRun {
    fn drop(&mut self) {
        self.ask = None;
        let _ = self.child.wait();
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn peer(script: &str) -> Option<PeerRun> {
        // What follows the script are its $0, $1, ...
        PeerRun::start(&["sh", "-c", script].map(OsString::from), "engine", "work", 1)
    }

    #[test]
    fn a_peer_answers_round_by_round_until_it_ends() {
        let entry = Entry { engine: "other".to_owned(), ..Entry::here("work", "-", 1, 0.0, "ns") };
        let header = serde_json::to_string(&entry).unwrap();
        let mut peer = peer(&format!("echo '{header}'; read a; echo 2.5; read a; echo 3; exit")).unwrap();
        assert_eq!(peer.entry.engine, "other");
        assert_eq!([peer.round(), peer.round(), peer.round()], [Some(2.5), Some(3.0), None]);
    }

    #[test]
    fn one_that_does_not_do_the_work_is_no_contender() {
        assert!(peer("echo null").is_none());
        assert!(peer("exit 1").is_none());
    }

    #[test]
    fn what_is_missing_is_said() {
        let mut peers = Peers::default();
        peers.add(vec!["/there/is/no/such/program".into()], "not built");
        peers.add(vec!["true".into()], "not asked");
        assert_eq!((peers.notes.as_slice(), peers.engines.len()), (&["not built".to_owned()][..], 0));
    }
}
