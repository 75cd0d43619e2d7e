//! Bodies of seidel in a Bevy app: a resource owns the solver, `FixedUpdate` steps it, and `Update` writes positions
//! and normals into the vertices of meshes, in place. Copy this file into your game.

use bevy::asset::RenderAssetUsages;
use bevy::mesh::{Indices, PrimitiveTopology, VertexAttributeValues};
use bevy::prelude::*;
use seidel::render::Normals;
use seidel::{BodyId, Input, Plan, Solver};

/// The simulation. Insert it, and it runs.
#[derive(Resource)]
pub struct Simulation {
    pub solver: Solver,
}

/// The entity whose mesh shows a body. Vertices are in the simulation's coordinates, so it needs no `Transform`.
#[derive(Component)]
pub struct Shown {
    body: BodyId,
    normals: Normals,
    /// Normals of this frame. seidel and Bevy may depend on different versions of glam.
    of_vertices: Vec<seidel::glam::Vec3>,
}

impl Shown {
    pub fn new(plan: &Plan, body: BodyId) -> Result<Shown, seidel::Error> {
        let of_vertices = vec![seidel::glam::Vec3::ZERO; plan.vertices(body)];
        Ok(Shown { body, normals: Normals::new(plan, body)?, of_vertices })
    }
}

/// A mesh with a body's triangles; its vertices are written when the simulation runs.
pub fn mesh_of(plan: &Plan, body: BodyId) -> Mesh {
    let zeros = vec![[0.0f32; 3]; plan.vertices(body)];
    // The main world keeps the vertices, to write them again.
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default())
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, zeros.clone())
        .with_inserted_attribute(Mesh::ATTRIBUTE_NORMAL, zeros)
        .with_inserted_indices(Indices::U32(plan.triangles(body).as_flattened().to_vec()))
}

pub struct SeidelPlugin;

impl Plugin for SeidelPlugin {
    fn build(&self, app: &mut App) {
        // Bevy runs the first before the second, and computes the meshes' bounds after it.
        app.add_systems(FixedUpdate, step.run_if(resource_exists::<Simulation>))
            .add_systems(Update, draw.run_if(resource_exists_and_changed::<Simulation>));
    }
}

/// One step, as long as one of `FixedUpdate`: the same steps, so the same bits, on every machine.
fn step(time: Res<Time>, mut simulation: ResMut<Simulation>) -> Result {
    let report = simulation.solver.step(&Input::new(time.delta_secs())?);
    match (report.rejected, report.lost) {
        (Some(error), _) => Err(error.into()),
        (_, Some(lost)) => Err(format!("lost: {lost:?}").into()),
        _ => Ok(()),
    }
}

/// Writes positions and normals into the meshes.
fn draw(
    simulation: Res<Simulation>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut shown: Query<(&mut Shown, &Mesh3d)>,
) -> Result {
    for (mut shown, handle) in &mut shown {
        let Shown { body, normals, of_vertices } = &mut *shown;
        let positions = simulation.solver.positions(*body);
        normals.update(positions, of_vertices);
        let mut mesh = meshes.get_mut(handle).ok_or("the mesh of a body is gone")?;
        for (attribute, values) in [(Mesh::ATTRIBUTE_POSITION, positions), (Mesh::ATTRIBUTE_NORMAL, &of_vertices[..])] {
            let Some(VertexAttributeValues::Float32x3(vertices)) = mesh.attribute_mut(attribute) else {
                return Err("the mesh of a body has other attributes".into());
            };
            for (vertex, value) in vertices.iter_mut().zip(values) {
                *vertex = value.to_array();
            }
        }
    }
    Ok(())
}
