//! How bodies hang: their long range attachments, and the substeps that they need.
//!
//! Loads flow through a body, and through joints to others: so each body is estimated by itself, and those that joints
//! hold are together. The attachments and estimates of a body go on to the plan of an edited scene.

use crate::describe::body::Body;
use crate::plan::folds::Plates;
use crate::plan::joint::JointRows;
use crate::plan::loads::{Carried, Loads};
use crate::plan::long_range::{Meeting, OfBody, Ways, wants_choice};
use crate::plan::substeps::Estimate;
use std::cell::OnceCell;
use std::sync::Arc;

/// Estimates that are kept of a body: of a few lengths of substeps.
const KEPT_ESTIMATES: usize = 8;

/// Attachments and estimates of a body that no joint holds, under some gravity.
#[derive(Clone, Debug)]
pub(crate) struct Hung {
    gravity: [f32; 3],
    ways: Arc<OfBody>,
    /// The loads that may lie on it.
    carried: Carried,
    /// By the bits of a substep's length, squared.
    estimates: Vec<(u64, Estimate)>,
    locked: Option<bool>,
}

/// A body, or all that joints hold.
struct Hanging<'a> {
    bodies: &'a [Arc<Body>],
    /// Number of the first of these.
    first: usize,
    is_member: Vec<bool>,
    joints: &'a [JointRows],
    loaded: OnceCell<Loaded<'a>>,
    ways: Ways,
    known: Hung,
}

/// Its loads, and what is made of them.
struct Loaded<'a> {
    loads: Loads<'a>,
    plates: Plates,
    meetings: Vec<Meeting>,
    held: Vec<bool>,
    carried: Carried,
}

impl<'a> Loaded<'a> {
    fn of(bodies: &[Arc<Body>], loads: Loads<'a>, ways: &Ways, carried: Carried) -> Loaded<'a> {
        let (plates, meetings) = (Plates::of(bodies, &loads), ways.meetings(&loads));
        let held = ways.held_nodes(&loads);
        Loaded { loads, plates, meetings, held, carried }
    }
}

/// All of a scene's.
pub(super) struct AllHanging<'a> {
    each: Vec<Hanging<'a>>,
}

impl<'a> AllHanging<'a> {
    /// `auto`: whether substeps will be asked for. `before` has what is known of bodies that are as they were,
    /// `carried` what each body may have to carry, if any does.
    pub(super) fn of<'b>(
        bodies: &'a [Arc<Body>],
        joints: &'a [JointRows],
        (auto, gravity): (bool, [f32; 3]),
        before: impl Fn(usize) -> Option<&'b Hung>,
        mut carried: Vec<Carried>,
    ) -> AllHanging<'a> {
        carried.resize(bodies.len(), Carried::default());
        let mut joined = vec![false; bodies.len()];
        joints.iter().flat_map(JointRows::ends).for_each(|(body, _)| joined[body] = true);
        let mut each = Vec::with_capacity(bodies.len());
        for (number, body) in bodies.iter().enumerate().filter(|(number, _)| !joined[*number]) {
            let known = before(number).filter(|hung| hung.gravity == gravity).cloned();
            let needs = auto || wants_choice(body);
            let alone = (std::slice::from_ref(body), number);
            let carried = std::mem::take(&mut carried[number]);
            each.push(Hanging::of(alone, vec![true], &[], (auto, needs, gravity), (known, carried)));
        }
        if joined.contains(&true) {
            let needs = auto || (0..bodies.len()).any(|body| joined[body] && wants_choice(&bodies[body]));
            // Their nodes are those of one after another.
            let mut all = Carried::default();
            if (0..bodies.len()).any(|body| joined[body] && carried[body] != Carried::default()) {
                for (body, carried) in
                    bodies.iter().zip(&mut carried).zip(&joined).filter(|(_, joined)| **joined).map(|(of, _)| of)
                {
                    carried.bodies.resize(body.positions.len(), 0.0);
                    carried.fluids.resize(body.positions.len(), 0.0);
                    all.bodies.append(&mut carried.bodies);
                    all.fluids.append(&mut carried.fluids);
                }
            }
            each.push(Hanging::of((bodies, 0), joined, joints, (auto, needs, gravity), (None, all)));
        }
        AllHanging { each }
    }

    /// The attachments of so many bodies, which are all.
    pub(super) fn ways(&self, bodies: usize) -> Ways {
        let mut ways = vec![Arc::default(); bodies];
        for Hanging { ways: own, is_member, first, .. } in &self.each {
            let members = own.0.iter().zip(is_member).enumerate().filter(|(_, (_, is_member))| **is_member);
            members.for_each(|(number, (of, _))| ways[first + number] = Arc::clone(of));
        }
        Ways(ways)
    }

    /// The estimate for substeps of this length, squared.
    pub(super) fn estimate(&mut self, h2: f64) -> Estimate {
        let each = self.each.iter_mut();
        each.fold(Estimate::default(), |all, hanging| all.and(&hanging.estimate(h2), hanging.first))
    }

    /// Whether a body has pins around which it cannot fold.
    pub(super) fn locked(&mut self, body: usize) -> bool {
        let is_in =
            |of: &&mut Hanging<'_>| body.checked_sub(of.first).and_then(|own| of.is_member.get(own)) == Some(&true);
        self.each.iter_mut().find(is_in).is_some_and(|hanging| hanging.locked(body - hanging.first))
    }

    /// Attachments and estimates of each of so many bodies, if no joint holds it.
    pub(super) fn known(self, bodies: usize) -> Vec<Option<Hung>> {
        let mut known = vec![None; bodies];
        let alone = self.each.into_iter().filter(|hanging| hanging.joints.is_empty());
        alone.for_each(|hanging| known[hanging.first] = Some(hanging.known));
        known
    }
}

impl<'a> Hanging<'a> {
    fn of(
        (bodies, first): (&'a [Arc<Body>], usize),
        is_member: Vec<bool>,
        joints: &'a [JointRows],
        (auto, needs, gravity): (bool, bool, [f32; 3]),
        (known, carried): (Option<Hung>, Carried),
    ) -> Hanging<'a> {
        let loaded = OnceCell::new();
        if let Some(mut known) = known {
            if known.carried != carried {
                known.estimates.clear();
                known.carried = carried;
            }
            let ways = Ways(vec![Arc::clone(&known.ways)]);
            return Hanging { bodies, first, is_member, joints, loaded, ways, known };
        }
        let loads = needs.then(|| Loads::of(bodies, &is_member, joints, gravity));
        let ways = Ways::of(bodies, &is_member, joints, loads.as_ref());
        let known = Hung { gravity, ways: Arc::clone(&ways.0[0]), carried, estimates: Vec::new(), locked: None };
        if let Some(loads) = loads.filter(|_| auto) {
            loaded.get_or_init(|| Loaded::of(bodies, loads, &ways, known.carried.clone()));
        }
        Hanging { bodies, first, is_member, joints, loaded, ways, known }
    }

    fn loaded(&self) -> &Loaded<'a> {
        self.loaded.get_or_init(|| {
            let loads = Loads::of(self.bodies, &self.is_member, self.joints, self.known.gravity);
            Loaded::of(self.bodies, loads, &self.ways, self.known.carried.clone())
        })
    }

    fn estimate(&mut self, h2: f64) -> Estimate {
        if let Some((_, known)) = self.known.estimates.iter().find(|(of, _)| *of == h2.to_bits()) {
            return *known;
        }
        let Loaded { loads, plates, meetings, held, carried } = self.loaded();
        let mut tensions = loads.tensions(|node| held[node as usize], h2);
        loads.carry(&mut tensions, carried, |node| held[node as usize], h2);
        plates.raise(loads, &mut tensions);
        let estimate = Estimate::of(self.bodies, loads, &tensions, meetings);
        if self.known.estimates.len() == KEPT_ESTIMATES {
            self.known.estimates.remove(0);
        }
        self.known.estimates.push((h2.to_bits(), estimate));
        estimate
    }

    fn locked(&mut self, body: usize) -> bool {
        if let (Some(locked), true) = (self.known.locked, self.joints.is_empty()) {
            return locked;
        }
        let loaded = self.loaded();
        let locked = loaded.plates.hold(&loaded.loads, body);
        self.known.locked = Some(locked);
        locked
    }
}
