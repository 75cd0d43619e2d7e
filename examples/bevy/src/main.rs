//! A cloth falls on a ball, in a window: `cargo run --release` in this folder.
//!
//! `cargo run --release -- --frames 60` takes 60 steps without a window, checks that the mesh has moved, and prints the
//! state's hash.

mod plugin;

use bevy::core_pipeline::tonemapping::Tonemapping;
use bevy::mesh::{MeshPlugin, VertexAttributeValues};
use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use plugin::{SeidelPlugin, Shown, Simulation, mesh_of};
use seidel::{BodyId, Cloth, Collide, Collider, Pose, Scene, Solver};

const BALL: [f32; 3] = [0.0, 0.6, 0.0];
const RADIUS: f32 = 0.5;
/// Steps a second.
const RATE: u32 = 60;

fn main() -> Result {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut app = App::new();
    app.insert_resource(Time::<Fixed>::from_hz(RATE.into())).add_systems(Startup, cloth);
    match &arguments[..] {
        [] => {
            app.add_plugins((DefaultPlugins, SeidelPlugin)).add_systems(Startup, scenery.after(cloth));
            app.run();
            Ok(())
        }
        [option, frames] if option == "--frames" => {
            app.add_plugins((MinimalPlugins, AssetPlugin::default(), MeshPlugin, SeidelPlugin));
            check(app, frames.parse()?)
        }
        _ => Err("usage: seidel-bevy [--frames N]".into()),
    }
}

/// What is simulated.
fn scene() -> (Scene, BodyId) {
    let mut scene = Scene::new();
    scene.settings.substeps = 10.into();
    scene.add_collider(Collider::ground());
    // The cloth is kept a little off the ball that is drawn.
    scene.add_collider(Collider::sphere(RADIUS).at(BALL).thickness(0.01));
    let sheet = Cloth::grid([40, 40], [2.0, 2.0]).placed(Pose::at([0.2, 1.5, 0.1]), 1.0);
    let cloth = scene.add(sheet.named("cloth").collide(Collide::All));
    (scene, cloth)
}

/// Plans the scene, and adds an entity that shows the cloth.
fn cloth(mut commands: Commands, mut meshes: ResMut<Assets<Mesh>>) -> Result {
    let (scene, cloth) = scene();
    let solver = Solver::new(&scene)?;
    let mesh = meshes.add(mesh_of(solver.plan(), cloth));
    commands.spawn((Shown::new(solver.plan(), cloth)?, Mesh3d(mesh)));
    commands.insert_resource(Simulation { solver });
    Ok(())
}

/// What is needed to see it: materials, the ball, the ground, a light and a camera.
fn scenery(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
    cloth: Single<Entity, With<Shown>>,
) {
    let red = Color::srgb(0.8, 0.15, 0.1);
    let both_sides = StandardMaterial { double_sided: true, cull_mode: None, ..red.into() };
    commands.entity(*cloth).insert(MeshMaterial3d(materials.add(both_sides)));
    commands.spawn((
        Mesh3d(meshes.add(Sphere::new(RADIUS))),
        MeshMaterial3d(materials.add(Color::srgb(0.9, 0.9, 0.85))),
        Transform::from_translation(BALL.into()),
    ));
    commands.spawn((
        Mesh3d(meshes.add(Plane3d::default().mesh().size(20.0, 20.0))),
        MeshMaterial3d(materials.add(Color::srgb(0.3, 0.35, 0.3))),
        // The cloth lies on the ground that is simulated, y = 0.
        Transform::from_xyz(0.0, -0.005, 0.0),
    ));
    commands.spawn((
        DirectionalLight { shadow_maps_enabled: true, ..default() },
        Transform::from_xyz(2.0, 4.0, 3.0).looking_at(Vec3::ZERO, Vec3::Y),
    ));
    commands.spawn((
        Camera3d::default(),
        Transform::from_xyz(1.5, 1.6, 3.0).looking_at(Vec3::new(0.0, 0.5, 0.0), Vec3::Y),
        // The default needs tables that are a feature of Bevy.
        Tonemapping::AcesFitted,
        AmbientLight { brightness: 300.0, ..default() },
    ));
}

/// Runs without a window, one step a frame, and looks at the mesh.
fn check(mut app: App, frames: u32) -> Result {
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    app.finish();
    app.cleanup();
    // Bevy's clock begins with the first update, which takes no step.
    app.update();
    let before = heights(&mut app)?;
    for _ in 0..frames {
        app.update();
    }
    let after = heights(&mut app)?;
    let moved = before.iter().zip(&after).filter(|(before, after)| before != after).count();
    let (least, most) = after.iter().fold((f32::MAX, f32::MIN), |(least, most), &y| (least.min(y), most.max(y)));
    let state = app.world().resource::<Simulation>().solver.state();
    println!(
        "{:016x}: {moved} of {} vertices have moved, heights {least:.3} to {most:.3} m",
        state.hash(),
        after.len()
    );
    assert!((state.time() - f64::from(frames) / f64::from(RATE)).abs() < 1e-3, "{} s have passed", state.time());
    assert!(frames == 0 || moved == after.len(), "some vertices of the mesh have not moved");
    Ok(())
}

/// Heights of the mesh's vertices.
fn heights(app: &mut App) -> Result<Vec<f32>> {
    let handle = app.world_mut().query_filtered::<&Mesh3d, With<Shown>>().single(app.world())?.clone();
    let meshes = app.world().resource::<Assets<Mesh>>();
    match meshes.get(&handle).and_then(|mesh| mesh.attribute(Mesh::ATTRIBUTE_POSITION)) {
        Some(VertexAttributeValues::Float32x3(vertices)) => Ok(vertices.iter().map(|vertex| vertex[1]).collect()),
        _ => Err("the mesh has no positions".into()),
    }
}
