//! Automatic substeps: how many a step needs so that gravity does not stretch it visibly.
//!
//! One sweep a substep of length h leaves the row between two particles as soft as a spring of the compliance h^2 W,
//! W = w0 + w1 the sum of their inverse masses. Under a tension T its length L grows by h^2 W T: the stretch of a
//! hanging sheet, where T is the weight of the column below, is 2 g height h^2 n^2 / size^2 for n rows. A row with a
//! compliance a converges faster:
//!
//! ```text
//! stretch = T / L y^2 / (y + a),   y = h^2 W
//! ```
//!
//! A rod's bending is softer by the share h^2 (i0 + i1) / (8 a), i the inverse inertias of its two frames.
//! The tensions are estimated by `loads.rs`.

use crate::describe::body::Body;
use crate::describe::settings::Settings;
use crate::plan::loads::Loads;
use crate::plan::long_range::Meeting;
use crate::tuning::{AUTO_BEND, AUTO_STRETCH, AUTO_SUBSTEPS, MEETING, MIN_SHARE_OF_EDGE};
use seidel_kinds as kinds;
use std::sync::Arc;

/// How often loads are shared again with the substeps that were found.
const REPEATS: usize = 2;

/// How many substeps a scene needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Needed {
    /// Within `AUTO_SUBSTEPS`.
    pub(crate) substeps: u32,
    /// The most by which gravity is expected to stretch a row with them, a share of its length; or, if it `bends`, how
    /// much softer against bending a rod is.
    pub(crate) stretch: f64,
    pub(crate) bends: bool,
    /// Whether that is because it cannot fold around its pins (`folds.rs`).
    pub(crate) locked: bool,
    /// The body that needs most, if one does.
    pub(crate) body: Option<usize>,
}

/// The longest substep that will do for some bodies, squared, s^2, and the body that asks for it: for the bending of
/// rods, for edges where attachments meet, and for rows.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Estimate([Option<(f64, usize)>; 3]);

/// What each of them allows.
const ALLOWED: [f64; 3] = [AUTO_BEND, MEETING, AUTO_STRETCH];

impl Estimate {
    /// From the `tensions` of all edges, and from where attachments meet. Bodies with substeps of their own ask for none.
    pub(super) fn of(bodies: &[Arc<Body>], loads: &Loads<'_>, tensions: &[f64], meetings: &[Meeting]) -> Estimate {
        let mut estimate = Estimate::default();
        let asks = |body: usize| bodies[body].substeps.is_none();
        bend(bodies, loads, |squared, body| {
            if asks(body) {
                estimate.add(0, squared, body);
            }
        });
        let meetings = meetings.iter().filter(|meeting| asks(meeting.body));
        meetings.for_each(|meeting| estimate.add(1, meeting.longest, meeting.body));
        let mean = loads.mean_lengths();
        for (edge, &tension) in loads.edges.iter().zip(tensions) {
            let (body, [a, b]) = (loads.body(edge), edge.ends);
            if !asks(body) {
                continue;
            }
            let w = loads.inv_mass(a) + loads.inv_mass(b);
            let length = edge.length.max(MIN_SHARE_OF_EDGE * mean[body]);
            if tension > 0.0 && w > 0.0 && length > 0.0 {
                let q = AUTO_STRETCH * length / tension;
                // A rod's segments turn while they stretch: with as few substeps as their compliance asks for, one with
                // a weight at its end flies apart.
                let compliance = if bodies[body].frames.is_empty() { edge.compliance } else { 0.0 };
                let y = 0.5 * (q + (q * q + 4.0 * q * compliance).sqrt());
                estimate.add(2, y / w, body);
            }
        }
        estimate
    }

    /// Of several that are as short, that of the first body stays.
    fn add(&mut self, of: usize, squared: f64, body: usize) {
        let (least, first) = self.0[of].unwrap_or((f64::INFINITY, 0));
        if squared < least || squared == least && body < first {
            self.0[of] = Some((squared, body));
        }
    }

    /// With that of other bodies, of which number 0 is `first` here.
    pub(super) fn and(mut self, other: &Estimate, first: usize) -> Estimate {
        for (of, least) in other.0.iter().enumerate() {
            if let Some((squared, body)) = *least {
                self.add(of, squared, first + body);
            }
        }
        self
    }
}

impl Needed {
    /// The estimate. Rows that gravity stretches share loads by their softness, and this follows the substeps: so it is
    /// made again with those that it has found: `estimate` takes a substep's length, squared. Whether what needs most
    /// is `locked` is told later.
    pub(super) fn of(mut estimate: impl FnMut(f64) -> Estimate, settings: &Settings) -> Needed {
        let mut needed = Needed::with(estimate(f64::INFINITY), settings);
        for _ in 0..REPEATS {
            let h = settings.dt / f64::from(needed.substeps);
            needed = Needed::with(estimate(h * h), settings);
        }
        needed
    }

    fn with(estimate: Estimate, settings: &Settings) -> Needed {
        // The longest substep that will do, squared; and what stretch is allowed.
        let mut longest = (f64::INFINITY, AUTO_STRETCH, None);
        for (least, allowed) in estimate.0.iter().zip(ALLOWED) {
            if let Some((squared, body)) = *least
                && squared < longest.0
            {
                longest = (squared, allowed, Some(body));
            }
        }
        let (squared, allowed, body) = longest;
        let dt2 = settings.dt * settings.dt;
        let wanted = (dt2 / squared).sqrt().ceil();
        let [least, most] = AUTO_SUBSTEPS.map(f64::from);
        let substeps = if wanted > most { most } else { wanted.max(least) };
        let stretch = allowed * (dt2 / (substeps * substeps)) / squared;
        Needed { substeps: substeps as u32, stretch, bends: allowed == AUTO_BEND, locked: false, body }
    }
}

/// The longest substep for the bending of rods, squared.
fn bend(bodies: &[Arc<Body>], loads: &Loads<'_>, mut shorter: impl FnMut(f64, usize)) {
    for (number, body) in bodies.iter().enumerate().filter(|(number, _)| !loads.nodes(*number).is_empty()) {
        for c in body.constraints.iter().filter(|c| c.kind.is(&kinds::BEND_TWIST) && c.stiffness.is_compliance()) {
            for (row, at) in c.at.chunks_exact(c.kind.slots()).enumerate() {
                let inertias = at.iter().map(|&frame| f64::from(body.frames[frame as usize].inv_inertia)).sum::<f64>();
                let compliance = f64::from(c.stiffness.values().get(row));
                if inertias > 0.0 && compliance > 0.0 {
                    shorter(AUTO_BEND * 8.0 * compliance / inertias, number);
                }
            }
        }
    }
}
