//! Bodies whose velocities are damped.

use crate::plan::body::BodyPlan;

/// The bodies, and their blocks of rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Damped {
    pub(crate) bodies: Vec<usize>,
    pub(crate) blocks: Vec<usize>,
}

impl Damped {
    /// Those of all bodies.
    pub(crate) fn of(plans: &[BodyPlan]) -> Damped {
        let bodies: Vec<usize> = (0..plans.len()).filter(|&body| plans[body].damping > 0.0).collect();
        let blocks = bodies.iter().flat_map(|&body| plans[body].blocks.clone()).collect();
        Damped { bodies, blocks }
    }
}
