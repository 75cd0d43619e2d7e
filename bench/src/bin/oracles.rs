//! Prints what mechanics says beside what the engine reaches: the first table of docs/oracles.md.

use seidel_bench::oracles;

fn main() {
    print!("{}", oracles::table(&oracles::rigid::all()));
}
