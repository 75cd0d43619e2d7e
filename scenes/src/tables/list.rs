//! The keys of a scene that are arrays of tables, each with what its tables are: those of bodies, in the order in which bodies are numbered, and
//! the others.

/// Calls a macro with all keys and their tables.
macro_rules! listed {
    ($with:ident) => {
        $with! {
            bodies: cloth ClothSpec, rope RopeSpec, rod RodSpec, balloon BalloonSpec, shape_matched ShapeMatchedSpec,
                soft_body SoftBodySpec, fluid FluidSpec, grains GrainsSpec;
            others: obstacle ObstacleSpec, join JoinSpec, body RigidSpec, joint RigidJointSpec,
                particle_joint ParticleJointSpec, collider ColliderSpec
        }
    };
}

pub(super) use listed;
