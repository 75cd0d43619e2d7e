//! The loop of a game: a ball that is driven by hand, an interleaved vertex buffer, pins that are set and let go,
//! things that wait in a pool, saving and loading, and a body that is added while it runs. It checks itself and prints
//! the state's hash.
//!
//! cargo run --release -p seidel --example game_loop

use seidel::render::Normals;
use seidel::{Cloth, Collider, GridPins, Input, Plan, Pose, RigidBody, Scene, Solver, State, glam::Vec3};

/// A vertex as a graphics card wants it: position, normal and texture coordinates in one buffer.
const STRIDE: usize = 32;
const NORMAL: usize = 12;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut scene = Scene::new();
    // The number of substeps does not change when something is added.
    scene.settings.substeps = 10.into();
    let curtain = Cloth::grid([24, 24], [1.0, 1.0]).placed(Pose::at([0.0, 1.5, 0.0]), 1.0).pin_grid(GridPins::FirstRow);
    let curtain = scene.add(curtain.named("curtain"));
    scene.add_collider(Collider::ground());
    let fist = scene.add_collider(Collider::sphere(0.15).at([0.0, 1.2, 1.0]).named("fist"));
    // Three crates that wait until somebody throws them: planned once, and switched on without planning.
    let pool: Vec<_> = (0..3).map(|_| scene.add_rigid(RigidBody::cuboid([0.1; 3]).density(200.0))).collect();
    let mut solver = Solver::new(&scene)?;
    pool.iter().try_for_each(|&crate_| solver.disable_rigid(crate_))?;

    let count = solver.plan().vertices(curtain);
    let mut buffer = vec![0u8; count * STRIDE];
    let mut normals = Normals::new(solver.plan(), curtain)?;
    let mut of_vertices = vec![Vec3::ZERO; count];
    let mut saved = None;
    let mut rug = None;
    // One input for all frames: cleared, not made anew.
    let mut input = Input::frame(1.0 / 60.0);
    for frame in 0..120u32 {
        input.clear();
        // The player's move: the fist goes to and fro.
        let z = 0.6 * (f64::from(frame) / 30.0).cos();
        input = input.pose(fist, Pose::at([0.0, 1.2, z as f32]));
        match frame {
            // A hook is taken off, and a corner is held where it is.
            20 => {
                solver.unpin(curtain, 0)?;
                solver.pin(curtain, count as u32 - 1)?;
            }
            // A crate is thrown.
            30 => {
                let plan = std::sync::Arc::clone(solver.plan());
                solver.enable_rigid(pool[0])?;
                solver.state_mut().teleport_rigid(&plan, pool[0], Pose::at([0.0, 1.0, 1.0]));
                let thrown = [[0.0, 1.0, -4.0].into(), [0.0; 3].into()];
                solver.state_mut().set_rigid_velocity(&plan, pool[0], thrown);
            }
            // A quick save: bytes that another machine may load.
            60 => saved = Some((frame, solver.state().to_bytes(), solver.plan().id())),
            // Something new is bought. All that moves goes on; ids stay good.
            90 => {
                let sheet = Cloth::grid([16, 16], [0.6, 0.6]).placed(Pose::at([1.5, 0.5, 0.0]), 1.0).named("rug");
                rug = Some(solver.edit(|scene| Ok(scene.add(sheet)))?);
            }
            _ => {}
        }
        let report = solver.step(&input);
        assert!(report.rejected.is_none() && report.lost.is_none(), "frame {frame}: {report:?}");
        // Positions go straight into the buffer, normals beside them.
        solver.state().read_positions_strided(solver.plan(), curtain, &mut buffer, 0, STRIDE);
        normals.update(solver.positions(curtain), &mut of_vertices);
        for (vertex, normal) in buffer.chunks_exact_mut(STRIDE).zip(&of_vertices) {
            for (k, c) in normal.to_array().into_iter().enumerate() {
                vertex[NORMAL + 4 * k..][..4].copy_from_slice(&c.to_le_bytes());
            }
        }
    }
    let hash = solver.state().hash();
    let lowest = |id| solver.positions(id).iter().map(|p| p.y).fold(f32::INFINITY, f32::min);
    println!("after 120 frames: state {hash:016x}, the rug lies {:.3} m high", rug.map_or(f32::NAN, lowest));

    // The quick save is loaded: in the plan that it was saved with. That is the scene as it was before the rug.
    let (frame, bytes, id) = saved.ok_or("nothing was saved")?;
    let before = Plan::new(&scene)?;
    assert_eq!(before.id(), id);
    let state = State::from_bytes(&before, &bytes)?;
    // Frames 0 to 59 are in it.
    assert!((state.time() - f64::from(frame) / 60.0).abs() < 1e-6);
    println!("loaded: {} bytes, {:.2} s after the start", bytes.len(), state.time());
    Ok(())
}
