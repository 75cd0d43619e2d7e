//! A note about elastic solids that are asked to rebound by a coefficient.

use seidel::{BodyId, ColliderId, Solver};
use seidel_scenes::{SceneSpec, key};

/// Vertices times colliders up to which contacts are recorded to see who meets whom: 16 bytes each.
const MOST_RECORDED: usize = 1 << 22;

/// An elastic solid, and the colliders with restitution that it may meet: its own elasticity throws it back.
struct Solid {
    name: String,
    body: BodyId,
    /// With their coefficients.
    colliders: Vec<(ColliderId, f32)>,
    /// The coefficient of the first that it has met.
    met: Option<f32>,
}

/// Elastic solids of a scene, and what they have met.
pub(crate) struct Rebounds {
    solids: Vec<Solid>,
    records: bool,
}

impl Rebounds {
    /// Looks for those of a scene; records contacts where there are some.
    pub(crate) fn of(spec: &SceneSpec, solver: &mut Solver) -> Rebounds {
        let (names, plan) = (spec.names(), solver.plan().clone());
        let solids = plan.body_ids().enumerate().filter_map(|(number, body)| {
            let (key::SOFT_BODY, at) = spec.table_of(number)? else { return None };
            let solid = &spec.soft_body[at];
            let elastic = solid.relaxation == 0.0 && solid.stiffness.is_none() && solid.plastic.is_none();
            let meets = |groups: u32, mask: u32| solid.groups & mask != 0 && groups & solid.mask != 0;
            let colliders = spec.collider.iter().zip(plan.collider_ids());
            let bouncing = colliders.filter(|(of, _)| of.restitution > 0.0 && meets(of.groups, of.mask));
            let colliders: Vec<_> = bouncing.map(|(of, id)| (id, of.restitution)).collect();
            let is_one = elastic && solid.restitution > 0.0 && !colliders.is_empty();
            is_one.then(|| Solid { name: names[number].clone(), body, colliders, met: None })
        });
        let solids: Vec<Solid> = solids.collect();
        let count = plan.particles().saturating_mul(spec.collider.len());
        let records = !solids.is_empty() && count <= MOST_RECORDED && solver.record_contacts(true).is_ok();
        Rebounds { solids, records }
    }

    /// Sees who has met whom in the last step; once all have met something, no contacts are recorded any more.
    pub(crate) fn look(&mut self, solver: &mut Solver) {
        if !self.records {
            return;
        }
        for contact in solver.contacts() {
            for solid in self.solids.iter_mut().filter(|solid| solid.met.is_none() && solid.body == contact.body) {
                let with = solid.colliders.iter().find(|(id, _)| *id == contact.collider);
                solid.met = with.map(|(_, restitution)| *restitution);
            }
        }
        if self.solids.iter().all(|solid| solid.met.is_some()) {
            self.records = solver.record_contacts(false).is_err();
        }
    }

    /// What to say of all that have met something.
    pub(crate) fn note(&self) -> Option<String> {
        let met: Vec<(&str, f32)> =
            self.solids.iter().filter_map(|solid| Some((&solid.name[..], solid.met?))).collect();
        let names = met.iter().map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let (what, throws) = match met[..] {
            [] => return None,
            [_] => ("body", "is elastic: its material throws it back"),
            _ => ("bodies", "are elastic: their material throws them back"),
        };
        Some(format!(
            "{what} {names} {throws}, whatever the `restitution` of {} that is met; `relaxation` (s) of a soft body, such as 0.01, is what makes it \
             rebound less: see docs/tuning.md, Restitution of what deforms",
            met[0].1
        ))
    }
}
