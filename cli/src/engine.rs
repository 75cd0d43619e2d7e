//! The engine as WebAssembly, for pages. A release has it as `seidel.wasm` beside the program; in a checkout of the
//! sources cargo builds it.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const TARGET: &str = "wasm32-unknown-unknown";
/// Its name beside the program.
const BESIDE: &str = "seidel.wasm";

/// The engine's bytes: of `given`, of the file beside the program, or built from the sources of this program.
pub(crate) fn bytes(given: Option<&Path>) -> Result<Vec<u8>, Box<dyn Error>> {
    let beside = std::env::current_exe().ok().and_then(|exe| exe.parent().map(|folder| folder.join(BESIDE)));
    let path = match (given, beside.filter(|path| path.is_file())) {
        (Some(path), _) => path.to_owned(),
        (None, Some(path)) => path,
        (None, None) => build()?,
    };
    let bytes = std::fs::read(&path).map_err(|e| format!("{}: cannot be read: {e}", path.display()))?;
    if !bytes.starts_with(b"\0asm") {
        return Err(format!("{}: no WebAssembly; the engine is the file {BESIDE} of a release", path.display()).into());
    }
    Ok(bytes)
}

/// Builds it in the checkout that this program comes from; cargo does nothing if it is there.
fn build() -> Result<PathBuf, Box<dyn Error>> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    if !sources.join("web/Cargo.toml").is_file() {
        return Err(format!(
            "the engine for browsers is missing: put {BESIDE} of the release beside this program, or name it with --engine"
        )
        .into());
    }
    let sources = sources.canonicalize()?;
    standard_library()?;
    // Where this program was built, so that cargo's --target-dir holds for both.
    let exe = std::env::current_exe()?;
    let target = exe.ancestors().find(|folder| folder.join("CACHEDIR.TAG").is_file());
    let target = target.map_or_else(|| sources.join("target"), Path::to_owned);
    let built = target.join(TARGET).join("web/seidel_web.wasm");
    if !built.is_file() {
        note!("building the engine for browsers, once (one to three minutes)");
    }
    let status = cargo()
        .current_dir(&sources)
        .args([
            "build",
            "--quiet",
            "--locked",
            "-p",
            "seidel-web",
            "--profile",
            "web",
            "--target",
            TARGET,
            "--target-dir",
        ])
        .arg(&target)
        // Lanes that every browser has had since 2021, and none besides (kernels/src/lanes/isa.rs).
        .env("RUSTFLAGS", "-Ctarget-feature=+simd128 --cfg seidel_portable")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .stdout(Stdio::null())
        .status()
        .map_err(|e| format!("cargo, which builds the engine for browsers, cannot be run: {e}"))?;
    if !status.success() {
        return Err("the engine for browsers could not be built; cargo's errors are above".into());
    }
    Ok(built)
}

/// The cargo that runs this program, or the one that is there.
fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Makes sure that Rust has its standard library for browsers.
fn standard_library() -> Result<(), Box<dyn Error>> {
    let has = || -> Option<bool> {
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let found = Command::new(rustc).args(["--print", "target-libdir", "--target", TARGET]).output().ok()?;
        Some(Path::new(String::from_utf8(found.stdout).ok()?.trim()).is_dir())
    };
    if has() == Some(true) {
        return Ok(());
    }
    note!("adding Rust's target {TARGET}, once: rustup target add {TARGET}");
    let added =
        Command::new("rustup").args(["target", "add", TARGET]).stdout(Stdio::null()).stderr(Stdio::null()).status();
    if added.is_ok_and(|status| status.success()) && has() == Some(true) {
        return Ok(());
    }
    Err(format!(
        "Rust has no standard library for {TARGET} here; `rustup target add {TARGET}` gets it, or take {BESIDE} of a release with --engine"
    )
    .into())
}
