//! Where the particles of a fluid, or grains, come from, and where they go.

use crate::describe::body::Body;
use crate::describe::emitter::{Emitter, Outlet};
use crate::describe::region::Region;

/// The emitters and drains of a body.
#[derive(Clone, Debug)]
pub(crate) struct Sources {
    /// Distance of a layer's places, metres.
    pub(crate) spacing: f64,
    pub(crate) emitters: Vec<Emitter>,
    /// Of each emitter the places of a layer.
    pub(crate) openings: Vec<Vec<Outlet>>,
    /// How far layers are apart, metres.
    pub(crate) gaps: Vec<f64>,
    pub(crate) drains: Vec<Region>,
}

impl Sources {
    pub(super) fn of(body: &Body, spacing: f64) -> Sources {
        let openings: Vec<_> = body.emitters.iter().map(|emitter| emitter.layer(spacing)).collect();
        let gaps = body.emitters.iter().zip(&openings).map(|(of, places)| of.gap_of(places.len(), spacing));
        Sources {
            spacing,
            gaps: gaps.collect(),
            openings,
            emitters: body.emitters.clone(),
            drains: body.drains.clone(),
        }
    }

    /// Whether nothing comes or goes.
    pub(crate) fn is_empty(&self) -> bool {
        self.emitters.is_empty() && self.drains.is_empty()
    }

    /// How many layers each emitter has due by a time.
    pub(crate) fn due(&self, time: f64) -> Vec<u64> {
        self.emitters.iter().zip(&self.gaps).map(|(emitter, gap)| emitter.due(*gap, time)).collect()
    }
}
