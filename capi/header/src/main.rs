//! Prints the header of the C interface, as cbindgen makes it of capi/src:
//! `cargo run --manifest-path capi/header/Cargo.toml > capi/include/seidel.h`.

use std::path::Path;

/// In the order of the header.
const SOURCES: [&str; 6] = ["status", "defs", "plan", "solver", "switches", "snapshot"];

fn main() {
    let capi = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let config = cbindgen::Config::from_file(capi.join("cbindgen.toml")).expect("cbindgen.toml is a configuration");
    let builder = SOURCES.iter().fold(cbindgen::Builder::new().with_config(config), |builder, name| {
        builder.with_src(capi.join("src").join(format!("{name}.rs")))
    });
    let mut header = Vec::new();
    builder.generate().expect("the sources are good").write(&mut header);
    let header = String::from_utf8(header).expect("the sources are UTF-8");
    // What is unsafe in Rust is a matter of course in C.
    let (mut is_safety, lines) = (false, header.lines().map(str::trim_end));
    let next = lines.clone().skip(1).chain([""]);
    for (line, next) in lines.zip(next) {
        is_safety = next == "// # Safety" || is_safety && line.starts_with("//");
        if !is_safety {
            println!("{line}");
        }
    }
}
