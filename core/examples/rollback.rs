//! Rollback, as games over a network do it: the last 60 states lie in a ring; an input that comes late is put where it
//! belongs, and the frames since then are stepped again. Both players end with the same bits. The match is recorded and
//! played again from its bytes.
//!
//! cargo run --release -p seidel --example rollback

use seidel::{Cloth, Collider, Execution, GridPins, Input, Plan, Pose, Recording, RigidBody, RigidId, Scene, Solver};

const FRAMES: usize = 180;
/// Frames that may still be taken back.
const RING: usize = 60;
/// A player's input is there so many frames late.
const LATE: usize = 7;

/// The push of the other player in a frame, N.
fn push(frame: usize) -> Option<[f64; 3]> {
    (frame % 20 == 3).then(|| [if frame % 40 == 3 { 90.0 } else { -90.0 }, 0.0, 20.0])
}

/// The input of a frame, if one knows what was done in it.
fn input(puck: RigidId, push: Option<[f64; 3]>) -> Input {
    let input = Input::frame(1.0 / 60.0);
    match push {
        Some(force) => input.push(puck, force, [0.0; 3]),
        None => input,
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut scene = Scene::new();
    scene.settings.substeps = 10.into();
    scene.add_collider(Collider::ground());
    let puck = scene.add_rigid(RigidBody::cylinder(0.1, 0.03).mass(1.0).at([0.0, 0.03, 0.0]).friction(0.2));
    let curtain = Cloth::grid([12, 12], [0.6, 0.6]).placed(Pose::at([0.0, 0.7, 0.2]), 1.0);
    scene.add(curtain.pin_grid(GridPins::FirstRow));

    // Here everybody's inputs are known at once.
    let mut host = Solver::new(&scene)?;
    let mut recording = Recording::new(host.plan(), host.state());
    for frame in 0..FRAMES {
        let input = input(puck, push(frame));
        host.step(&input);
        recording.step(&input, host.state());
    }

    // There they come late: until then nobody is thought to push.
    let mut guest = Solver::new(&scene)?;
    let mut ring: Vec<Vec<u8>> = vec![Vec::new(); RING];
    let (mut taken_back, mut stepped) = (0, 0);
    for now in 0..FRAMES + LATE {
        if now < FRAMES {
            ring[now % RING] = guest.state().to_bytes();
            guest.step(&input(puck, None));
        }
        let Some(then) = now.checked_sub(LATE) else { continue };
        if push(then).is_some() {
            guest.restore(&ring[then % RING])?;
            taken_back += 1;
            for frame in then..=now.min(FRAMES - 1) {
                ring[frame % RING] = guest.state().to_bytes();
                guest.step(&input(puck, push(frame).filter(|_| frame <= then)));
                stepped += 1;
            }
        }
    }
    assert_eq!(guest.state().hash(), host.state().hash(), "both have the same bits");
    println!("{taken_back} inputs came late, {stepped} frames were stepped again; state {:016x}", host.state().hash());

    // The match as a file would have it, on one thread in place of all.
    let bytes = recording.to_bytes();
    let again = Recording::from_bytes(&bytes)?;
    let plan = Plan::new(&scene)?;
    let end = again.replay(&plan, Execution::default().threads(1), |_, _| {})?;
    assert_eq!(end.hash(), host.state().hash());
    println!("the recording has {} steps in {} bytes, and comes to the same state", again.steps(), bytes.len());
    Ok(())
}
