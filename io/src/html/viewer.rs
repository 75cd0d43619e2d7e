//! The style and the scripts of pages, which need no others.

/// The style of pages with a picture.
pub const STYLE: &str = include_str!("viewer.css");

/// The scripts with which pages draw: parts of one module, in this order, each using those before it. They unpack
/// blocks (`inflate`), make what one frame looks like (`Geometry`), look at it (`Camera`), draw it (`Renderer`), and
/// draw curves (`Plot`).
pub const SCRIPTS: [&str; 10] = [
    include_str!("decode.js"),
    include_str!("fluids.js"),
    include_str!("geometry.js"),
    include_str!("solids.js"),
    include_str!("camera.js"),
    include_str!("cross.js"),
    include_str!("shaders.js"),
    include_str!("surface.js"),
    include_str!("render.js"),
    include_str!("plots.js"),
];
