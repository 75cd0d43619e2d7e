//! What passes tell of a step.

use crate::run::emitter::Throughputs;
use crate::run::passes::fluid::Fluid;
use crate::run::passes::grains::Grains;
use crate::run::passes::rigid::Rigid;
use crate::run::report::Report;
use crate::run::rigid_events::RigidEvent;

/// What rigid bodies, fluids and grains tell.
pub(crate) fn told(rigid: Option<&mut Rigid<'_>>, fluid: Option<&Fluid<'_>>, grains: Option<&Grains<'_>>) -> Report {
    let rigid = rigid.map(Rigid::outcome).unwrap_or_default();
    Report {
        lost_rigid: rigid.lost,
        broken: rigid.broken,
        rigid_contacts: rigid.contacts,
        rigid_particle_contacts: rigid.particle_contacts,
        rigid_overflowed: rigid.overflowed,
        rigid_asleep: rigid.asleep,
        rigid_events: rigid.events,
        rigid_events_dropped: rigid.events_dropped,
        fluid_overflowed: fluid.map_or(0, Fluid::overflowed),
        fluid_born: fluid.map_or(0, |fluid| fluid.gave().0),
        fluid_blocked: fluid.map_or(0, |fluid| fluid.gave().1),
        grain_contacts: grains.map_or(0, Grains::touching),
        grain_overflowed: grains.map_or(0, Grains::overflowed),
        ..Report::default()
    }
}

impl Throughputs {
    /// The same with who came and went; and first of all contacts that an edit has `ended`.
    pub(crate) fn told(self, mut report: Report, ended: &mut Vec<RigidEvent>) -> Report {
        if !ended.is_empty() {
            report.rigid_events.splice(0..0, ended.drain(..));
        }
        let Throughputs { fluids, grains } = self;
        Report {
            fluid_drained: fluids.drained,
            fluid_full: fluids.full,
            grain_born: grains.born,
            grain_drained: grains.drained,
            grain_full: grains.full,
            grain_blocked: grains.blocked,
            ..report
        }
    }
}
