//! The engine's tests, but for those that are programs of their own.
//!
//! One program, because each that is linked costs seconds: `cargo test --release -p seidel-tests --test all NAME` runs
//! the tests whose path has the name, a file's for instance.

mod begins_inside;
mod carried;
mod conformance;
mod contact_list;
mod cutting;
mod edits;
mod fabrics;
mod filters;
mod fracture;
mod grains;
mod grains_poured;
mod hubs;
mod intersections;
mod joints;
mod level_of_detail;
mod light_and_apart;
mod many;
mod mesh_defects;
mod mesh_repair;
mod mesh_size;
mod methods;
mod moved_origin;
mod non_finite;
mod oracles_air;
mod oracles_balloon;
mod oracles_bending;
mod oracles_contact;
mod oracles_damping;
mod oracles_draped;
mod oracles_energy;
mod oracles_fabric;
mod oracles_fatigue;
mod oracles_fields;
mod oracles_fluid;
mod oracles_fluid_drag;
mod oracles_fluid_flows;
mod oracles_fluid_porous;
mod oracles_fluid_surface;
mod oracles_free;
mod oracles_friction;
mod oracles_isometric;
mod oracles_jacobi;
mod oracles_joint;
mod oracles_long_range;
mod oracles_lost;
mod oracles_maps;
mod oracles_momentum;
mod oracles_obstacle;
mod oracles_pairs;
mod oracles_pins;
mod oracles_plasticity;
mod oracles_rebound;
mod oracles_rest;
mod oracles_restitution;
mod oracles_rod;
mod oracles_shape_matching;
mod oracles_shapes;
mod oracles_skin;
mod oracles_solid;
mod oracles_squeezed;
mod oracles_stiffness;
mod oracles_substeps;
mod oracles_swing;
mod order_of_lengths;
mod origin;
mod particle_joints;
mod pulls;
mod random_scenes;
mod recipes;
mod render;
mod replays;
mod rigid;
mod rigid_coupling;
mod rigid_events;
mod rigid_figures;
mod rigid_impacts;
mod rigid_joints;
mod rigid_moving;
mod rigid_on_floors;
mod rigid_options;
mod rigid_overlaps;
mod rigid_paths;
mod rigid_penetration;
mod rigid_readings;
mod rigid_shapes;
mod rigid_sleep;
mod rigid_surfaces;
mod rigid_trees;
mod runs;
mod scenes;
mod second_order;
mod snapshot;
mod spheres;
mod state;
mod substeps;
mod switches;
mod tearing;
mod tets;

/// A file that is not listed above would never run.
#[test]
fn every_file_is_listed() {
    let apart: &[&str] = &["allocations", "golden", "mint"];
    let files = std::fs::read_dir(env!("CARGO_MANIFEST_DIR")).expect("the tests' folder");
    for file in files.map(|file| file.expect("a file").path()) {
        let name = file.file_stem().and_then(|name| name.to_str()).expect("a name in UTF-8").to_owned();
        let listed = include_str!("all.rs").lines().any(|line| line == format!("mod {name};"));
        let is_rust = file.is_dir() || file.extension().is_some_and(|ending| ending == "rs");
        assert!(listed || !is_rust || name == "all" || apart.contains(&name.as_str()), "{name} is not in tests/all.rs");
    }
}
