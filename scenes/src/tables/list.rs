//! The keys of a scene that are arrays of tables, each with its constant and what its tables are: those of bodies, in
//! the order in which bodies are numbered, and the others.

/// Calls a macro with all keys, their constants and their tables.
macro_rules! listed {
    ($with:ident) => {
        $with! {
            bodies: cloth CLOTH ClothSpec, rope ROPE RopeSpec, rod ROD RodSpec, balloon BALLOON BalloonSpec,
                shape_matched SHAPE_MATCHED ShapeMatchedSpec, soft_body SOFT_BODY SoftBodySpec, fluid FLUID FluidSpec,
                grains GRAINS GrainsSpec;
            others: obstacle OBSTACLE ObstacleSpec, join JOIN JoinSpec, body BODY RigidSpec, joint JOINT RigidJointSpec,
                particle_joint PARTICLE_JOINT ParticleJointSpec, collider COLLIDER ColliderSpec
        }
    };
}

pub(super) use listed;
