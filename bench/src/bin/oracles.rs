//! Prints what mechanics says beside what the engine reaches: tables of docs/oracles.md.

use seidel_bench::oracles::{grains, rigid, table};

fn main() {
    for rows in [rigid::all, grains::all] {
        println!("{}", table(&rows()));
    }
}
