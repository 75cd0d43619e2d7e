//! Joints of rigid bodies that are there twice.

use crate::plan::Plan;
use crate::plan::rigid::RigidJointPlan;

impl Plan {
    /// The first two joints that hold the same bodies in the same place in the same way, as a warning. Springs do not
    /// count: two are stiffer than one.
    pub(super) fn joined_twice(&self) -> Option<String> {
        let rigid = self.rigid.as_ref()?;
        let bodies = |number: u32| {
            let [a, b] = rigid.joints[number as usize].joint.bodies;
            if a < b { [a, b] } else { [b, a] }
        };
        let frames = |number: u32| {
            let joint = &rigid.joints[number as usize].joint;
            let [a, b] = joint.frames;
            if joint.bodies[0] < joint.bodies[1] { [a, b] } else { [b, a] }
        };
        let axes = |number: u32| &rigid.joints[number as usize].joint.axes;
        let kind = |number: u32| rigid.joints[number as usize].joint.kind;
        let locks = |(number, of): (u32, &RigidJointPlan)| of.joint.locks().then_some(number);
        let mut order: Vec<u32> = (0..).zip(&rigid.joints).filter_map(locks).collect();
        order.sort_unstable_by_key(|&number| (bodies(number), number));
        let of_bodies = order.chunk_by(|&a, &b| bodies(a) == bodies(b));
        // Bodies seldom have more than a few joints with each other.
        let found = of_bodies.filter_map(|same| {
            let pairs = same.iter().enumerate().flat_map(|(i, &a)| same[i + 1..].iter().map(move |&b| [a, b]));
            pairs.take(MOST_PAIRS).find(|&[a, b]| kind(a) == kind(b) && frames(a) == frames(b) && axes(a) == axes(b))
        });
        let [a, b] = found.min()?.map(|number| &rigid.joints[number as usize].name);
        Some(format!(
            "joints `{a}` and `{b}` hold the same bodies in the same place in the same way: leave one of them out"
        ))
    }
}

/// Pairs of joints of the same two bodies that are compared.
const MOST_PAIRS: usize = 1000;
