//! seidel
fn main() {}
