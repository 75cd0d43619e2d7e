//! Sand that lies in a box: nanoseconds a contact and sweep, on one thread.
//!
//! ```sh
//! cargo run --release -p seidel --example grains [grains along a side] [threads]
//! ```

use seidel::{Collider, Execution, Grains, Input, Isa, Plan, Scene, Scratch, State, step};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut numbers = std::env::args().skip(1).map(|number| number.parse::<usize>());
    let side = numbers.next().unwrap_or(Ok(24))?;
    let threads = numbers.next().unwrap_or(Ok(1))?;
    let radius = 0.005;
    let wide = 2.2 * radius * side as f32;
    let mut scene = Scene::new();
    scene.settings.substeps = 20.into();
    scene.add_collider(Collider::ground());
    for (axis, degrees, at) in [
        ([0.0, 0.0, 1.0], -90.0, [0.0, 0.0, 0.0]),
        ([0.0, 0.0, 1.0], 90.0, [wide, 0.0, 0.0]),
        ([1.0, 0.0, 0.0], 90.0, [0.0, 0.0, 0.0]),
        ([1.0, 0.0, 0.0], -90.0, [0.0, 0.0, wide]),
    ] {
        let pose = seidel::Pose::at(at).turned(axis, seidel::degrees(degrees));
        scene.add_collider(Collider { pose, ..Collider::ground() });
    }
    let high = 2.2 * radius * (side / 2) as f32;
    scene.add(Grains::block([0.0; 3], [wide, high, wide]).radius(radius));
    let plan = Plan::new(&scene)?;
    let mut state = State::new(&plan);
    let mut scratch = Scratch::new(&plan, Execution::new(Isa::detect(), threads));
    for _ in 0..60 {
        step(&plan, &mut state, &Input::frame(1.0 / 60.0), &mut scratch);
    }
    let frames = 30;
    let (mut contacts, mut search, mut solve, mut all) = (0u64, 0.0, 0.0, 0.0);
    for _ in 0..frames {
        let begin = std::time::Instant::now();
        let report = step(&plan, &mut state, &Input::frame(1.0 / 60.0), &mut scratch);
        all += begin.elapsed().as_secs_f64();
        let parts = report.times.contact_parts;
        contacts += u64::from(report.grain_contacts) * u64::from(plan.substeps());
        search += parts.grain_search.as_secs_f64();
        solve += parts.grain_contacts.as_secs_f64();
    }
    let nanoseconds = |time: f64| 1e9 * time / contacts as f64;
    println!(
        "{} grains, {} contacts a sweep, {:?}, {threads} threads: {:.2} ns a contact and sweep, {:.2} with the search; {:.1} ms a frame",
        side * side * (side / 2),
        contacts / frames / u64::from(plan.substeps()),
        scratch.isa(),
        nanoseconds(solve),
        nanoseconds(solve + search),
        1e3 * all / frames as f64
    );
    Ok(())
}
