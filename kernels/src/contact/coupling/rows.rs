//! What of a deformable body meets rigid bodies: points and triangles, in clusters; and their rows.

use super::P;
use crate::integrate::Motion;
use crate::{BATCH, Layout, Row, V3};
use seidel_workers::Shared;
use seidel_workers::claims::{Use, claim};

/// A point that particles carry, or a triangle of three.
#[derive(Clone, Debug, PartialEq)]
pub struct Feature {
    /// First numbers of the particles' rows; those of a point with fewer carriers repeat the first, with a share of 0.
    pub(super) at: [u32; 4],
    /// Shares of the particles in a point. Of a triangle zeros.
    pub(super) shares: [f32; 4],
    /// Metres.
    pub(super) thickness: f32,
    /// As [`super::super::Combine`] takes it.
    pub(super) friction: f32,
    /// [`super::super::Shape::contact`]'s span, m^2.
    pub(super) span: f32,
    pub(super) triangle: bool,
}

impl Feature {
    /// A point that up to four rows carry with these shares, which sum to 1.
    ///
    /// # Panics
    /// If there are none, or more than four.
    #[must_use]
    pub fn point(layout: Layout, carriers: &[(usize, f32)], (thickness, friction, span): (f32, f32, f32)) -> Feature {
        assert!((1..=4).contains(&carriers.len()), "a point has one to four carriers");
        let carrier = |k: usize| carriers.get(k).copied().unwrap_or((carriers[0].0, 0.0));
        Feature {
            at: std::array::from_fn(|k| layout.offset(carrier(k).0) as u32),
            shares: std::array::from_fn(|k| carrier(k).1),
            thickness,
            friction,
            span,
            triangle: false,
        }
    }

    /// A triangle of three rows.
    #[must_use]
    pub fn triangle(layout: Layout, rows: [usize; 3], thickness: f32, friction: f32) -> Feature {
        let at = rows.map(|row| layout.offset(row) as u32);
        Feature { at: [at[0], at[1], at[2], at[0]], shares: [0.0; 4], thickness, friction, span: 0.0, triangle: true }
    }
}

impl Feature {
    /// The rows of its particles.
    pub fn rows(&self, layout: Layout) -> impl Iterator<Item = u32> + use<> {
        // Numbers of rows that lie in lanes stand in blocks of sixteen for each component.
        let row = move |at: u32| match layout {
            Layout::Rows => at / 4,
            Layout::Lanes => at / (4 * BATCH as u32) * BATCH as u32 + at % BATCH as u32,
        };
        self.at.into_iter().map(row)
    }
}

/// Features of a body that are near each other at rest.
#[derive(Clone, Debug, PartialEq)]
pub struct CoupledCluster {
    /// The deformable body.
    pub body: u32,
    stride: u32,
    /// First numbers of the rows of all its features, ascending.
    rows: Vec<u32>,
    pub(super) features: Vec<Feature>,
    /// The numbers of each feature's particles among `rows`.
    particles: Vec<[u32; 4]>,
    is_between: bool,
    /// Whether particles without a mass are not there.
    is_loose: bool,
    /// The largest thickness, metres.
    pub thickness: f32,
}

impl CoupledCluster {
    /// Of features of one body.
    #[must_use]
    pub fn new(body: u32, layout: Layout, features: Vec<Feature>) -> CoupledCluster {
        let mut rows: Vec<u32> = features.iter().flat_map(|feature| feature.at).collect();
        rows.sort_unstable();
        rows.dedup();
        let thickness = features.iter().fold(0.0, |most, of| if of.thickness > most { of.thickness } else { most });
        let number = |at: u32| rows.partition_point(|&row| row < at) as u32;
        let particles = features.iter().map(|feature| feature.at.map(number)).collect();
        let is_between = features.iter().all(|feature| feature.shares.iter().all(|share| (0.0..=1.0).contains(share)));
        let (stride, is_loose) = (layout.stride() as u32, false);
        CoupledCluster { body, stride, rows, features, particles, is_between, is_loose, thickness }
    }

    /// The same, of whose particles those without a mass are not there.
    #[must_use]
    pub fn loose(mut self) -> CoupledCluster {
        self.is_loose = true;
        self
    }

    /// Number of features.
    #[must_use]
    pub fn len(&self) -> usize {
        self.features.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.features.is_empty()
    }

    /// Box about the paths of its particles in this substep, and the longest of these, metres. Particles that are
    /// nowhere count for nothing; without others the box is empty.
    ///
    /// # Safety
    /// Nobody writes these rows meanwhile.
    ///
    /// # Panics
    /// If it is of other rows.
    #[must_use]
    pub unsafe fn bounds(&self, motion: &Motion<'_>) -> ([[f32; 3]; 2], f32) {
        let (mut low, mut high, mut most) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3], 0.0f32);
        for &at in &self.rows {
            // SAFETY: the caller promises that nobody writes these rows; `read` checks that they are there.
            let Carrier { x, u, r, w } = unsafe { Carrier::read(motion, at, self.stride) };
            let ends = [x + r, x + u].map(|p| [p.x, p.y, p.z].map(|c| c as f32));
            if ends.as_flattened().iter().any(|c| !c.is_finite()) || (self.is_loose && w == 0.0) {
                continue;
            }
            for end in ends {
                for k in 0..3 {
                    low[k] = if end[k] < low[k] { end[k] } else { low[k] };
                    high[k] = if end[k] > high[k] { end[k] } else { high[k] };
                }
            }
            let way = (u - r).length() as f32;
            most = if way > most { way } else { most };
        }
        ([low, high], most)
    }

    /// Whatever a result depends on, for fingerprints.
    pub fn numbers(&self) -> impl Iterator<Item = u32> {
        let of = |f: &Feature| {
            let [a, b, c, d] = f.shares.map(f32::to_bits);
            let more = [f.thickness, f.friction, f.span].map(f32::to_bits);
            f.at.into_iter().chain([a, b, c, d]).chain(more).chain([u32::from(f.triangle)])
        };
        [self.body, self.stride].into_iter().chain(self.features.iter().flat_map(of))
    }

    /// Whether all points lie between their particles.
    pub(super) fn is_between(&self) -> bool {
        self.is_between
    }

    /// First numbers of the rows of all features, ascending.
    pub(super) fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// All features, with the numbers of their particles among the rows.
    pub(super) fn features(&self) -> impl Iterator<Item = (&Feature, [u32; 4])> {
        self.features.iter().zip(self.particles.iter().copied())
    }

    pub(super) fn stride(&self) -> u32 {
        self.stride
    }

    pub(super) fn is_loose(&self) -> bool {
        self.is_loose
    }
}

/// A particle's numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Carrier {
    pub(super) x: P,
    /// 1/kg.
    pub(super) w: f64,
    pub(super) u: P,
    pub(super) r: P,
}

impl Carrier {
    /// Reads a row.
    ///
    /// # Safety
    /// Nobody writes it meanwhile.
    ///
    /// # Panics
    /// If there is no such row.
    #[inline]
    pub(super) unsafe fn read(Motion { x, u, r, .. }: &Motion<'_>, at: u32, stride: u32) -> Carrier {
        check(*x, at, stride);
        check(*u, at, stride);
        check(*r, at, stride);
        let number = |rows: &Shared<'_, Row>, k: usize| {
            // SAFETY: within the rows, as just checked; nobody writes it, as the caller promises.
            f64::from(unsafe { rows.as_ptr().cast::<f32>().add(at as usize + k * stride as usize).read() })
        };
        let vector = |rows: &Shared<'_, Row>| V3::new(number(rows, 0), number(rows, 1), number(rows, 2));
        Carrier { x: vector(x), w: number(x, 3), u: vector(u), r: vector(r) }
    }

    /// Writes its displacement and rounding.
    ///
    /// # Safety
    /// Nobody else uses the row meanwhile.
    ///
    /// # Panics
    /// As [`Carrier::read`].
    #[inline]
    pub(super) unsafe fn write(&self, Motion { u, r, .. }: &Motion<'_>, at: u32, stride: u32) {
        for (rows, v) in [(u, self.u), (r, self.r)] {
            check(*rows, at, stride);
            claim(rows.as_ptr().cast::<f32>().wrapping_add(at as usize), 1, Use::Write);
            for (k, c) in [v.x, v.y, v.z].into_iter().enumerate() {
                // SAFETY: within the rows, as just checked; the row is the caller's.
                unsafe { rows.as_ptr().cast::<f32>().add(at as usize + k * stride as usize).write(c as f32) };
            }
        }
    }
}

#[inline]
pub(super) fn check(rows: Shared<'_, Row>, at: u32, stride: u32) {
    assert!(at as usize + 3 * (stride as usize) < 4 * rows.len(), "a row beyond the others");
}
