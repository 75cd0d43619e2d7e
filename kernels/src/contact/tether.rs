//! Tethers: particles that stay near points of an animated surface, and in front of something behind it.
//!
//! ```text
//!   d = x - p, p the particle's point, n the surface's normal there
//!   max distance:  |d| <= r
//!   backstop:      |d - c| >= R,  c = -n (R + b): a ball that begins b behind the point; R infinite: n.d >= -b
//!   how deep:      R - |e| = -(|g|^2 + 2 R n.g) / (R + |e|),  e = d - c,  g = d + b n: nothing of the size of R cancels
//! ```
//! Each is a projection to the nearest place that it allows (Kim, Chentanez, Müller 2012, "Long Range Attachments",
//! section 3, for the first). Where what the backstop pushes leaves the first ball, it goes to where both surfaces
//! meet: n.d = t with t = -(b (2 R + b) + r^2) / (2 (R + b)), or -b, and |d| = r. If they do not meet, the distance has
//! the last word.

use crate::lanes::{Dispatch, Kernel, Lanes, Mask};
use crate::tuning::MIN_LENGTH;
use crate::{BATCH, Chunk, InChunks, Isa, Pack, V3};

/// Sixteen particles with their tethers.
#[derive(Clone, Copy, Debug)]
pub struct Tethers {
    /// From the point to the particle, metres.
    pub d: [Pack<f32>; 3],
    /// The surface's normal, of any length; zero has no backstop.
    pub n: [Pack<f32>; 3],
    /// Max distance r, metres, >= 0, or infinite.
    pub distance: Pack<f32>,
    /// How far behind the point the backstop begins, b, metres, >= 0.
    pub behind: Pack<f32>,
    /// The backstop's radius R, metres, > 0; infinite: a plane; no number: no backstop.
    pub radius: Pack<f32>,
}

impl Tethers {
    /// Without a particle.
    pub const NONE: Tethers = Tethers {
        d: [Pack([0.0; BATCH]); 3],
        n: [Pack([0.0; BATCH]); 3],
        distance: Pack([f32::INFINITY; BATCH]),
        behind: Pack([0.0; BATCH]),
        radius: Pack([f32::NAN; BATCH]),
    };

    /// Moves particles to where they may be; `d` of the others keeps its bits.
    ///
    /// # Example
    /// ```
    /// use seidel_kernels::{Isa, contact::Tethers};
    /// let mut tethers = Tethers::NONE;
    /// (tethers.d[0].0[3], tethers.distance.0[3]) = (5.0, 2.0);
    /// tethers.keep(Isa::detect());
    /// assert_eq!(tethers.d[0].0[3], 2.0);
    /// ```
    pub fn keep(&mut self, isa: Isa) {
        isa.dispatch(Keep(self));
    }
}

struct Keep<'a>(&'a mut Tethers);

impl Kernel for Keep<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes<Elem = f32>>(self) {
        let Tethers { d, distance, n, behind, radius, .. } = self.0;
        for chunk in Chunk::<L>::all() {
            let within = [distance.load(chunk), behind.load(chunk), radius.load(chunk)];
            d.store(chunk, kept(d.load(chunk), n.load(chunk), within));
        }
    }
}

/// Where a particle may be that is nearest to where it is.
#[inline(always)]
fn kept<L: Lanes>(mut d: V3<L>, n: V3<L>, [distance, behind, radius]: [L; 3]) -> V3<L> {
    let (zero, one, tiny) = (L::zero(), L::splat(1.0), L::splat(MIN_LENGTH));
    d = within(d, distance);
    let length = n.length();
    let has = length.gt(tiny) & radius.gt(zero);
    if !has.any() {
        return d;
    }
    let n = (n * (one / length)).or_zero(has);
    let round = has & radius.finite();
    let two = L::splat(2.0);
    // From where the ball begins, and from its middle.
    let (g, ball, ahead) = (d + n * behind, radius.or_zero(round), n.dot(d) + behind);
    let e = g + n * ball;
    let from_middle = e.length();
    let depth = -(g.length_squared() + two * ball * ahead) / (ball + from_middle);
    let depth = L::select(round, depth, -ahead);
    // In the very middle every way out is as long: along the normal.
    let out = V3::select(round & from_middle.gt(tiny), e * (one / from_middle), n);
    let inside = has & depth.gt(zero);
    d = V3::select(inside, d + out * depth, d);
    let left = inside & d.length().gt(distance);
    if left.any() {
        let squared = distance * distance;
        let t = -(behind * (two * radius + behind) + squared) * (one / (two * (radius + behind)));
        let t = L::select(round, t, -behind);
        let across = d - n * n.dot(d);
        let width = across.length();
        let meet = left & squared.ge(t * t) & width.gt(tiny);
        let both = n * t + across * ((squared - t * t).larger(zero).sqrt() * (one / width));
        d = V3::select(meet, both, V3::select(left, within(d, distance), d));
    }
    d
}

/// The nearest place within a ball about the origin.
#[inline(always)]
fn within<L: Lanes>(d: V3<L>, most: L) -> V3<L> {
    let length = d.length();
    V3::select(length.gt(most), d * (most / length), d)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn vector() -> impl Strategy<Value = V3<f64>> {
        prop::array::uniform3(-2.0f64..2.0).prop_map(|[x, y, z]| V3::new(x, y, z))
    }

    fn allowed(d: V3<f64>, n: V3<f64>, [r, b, radius]: [f64; 3], slack: f64) -> bool {
        let n = n * (1.0 / n.length());
        let front =
            if radius.is_finite() { (d + n * (radius + b)).length() >= radius - slack } else { n.dot(d) >= -b - slack };
        front && d.length() <= r + slack
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        /// Where it ends is allowed, and what was allowed stays where it was.
        #[test]
        fn what_is_kept_is_allowed(d in vector(), n in vector(), r in 0.1f64..2.0, b in 0.0f64..1.0, radius in 0.05f64..3.0, plane in any::<bool>()) {
            prop_assume!(n.length() > 0.1);
            let b = b * r;
            let given = [r, b, if plane { f64::INFINITY } else { radius }];
            let end = kept(d, n, given);
            prop_assert!(allowed(end, n, given, 1e-9), "{d:?} ends at {end:?}");
            if allowed(d, n, given, -1e-12) {
                prop_assert_eq!((end.x, end.y, end.z), (d.x, d.y, d.z));
            }
        }

        /// In f32, on all lanes and for radii up to the limit: where the definition in f64 has it, and allowed.
        #[test]
        fn large_balls_are_as_exact_as_small_ones(
            d in prop::array::uniform16(vector()), n in vector(), r in 0.1f32..4.0, b in 0.0f32..1.0, exponent in -1.3f32..6.0,
        ) {
            prop_assume!(n.length() > 0.1);
            let pack = |v: V3<f64>| [v.x as f32, v.y as f32, v.z as f32];
            let wide = |v: [f32; 3]| V3::new(f64::from(v[0]), f64::from(v[1]), f64::from(v[2]));
            let (b, radius) = (b * r, if exponent > 5.9 { 1e6 } else { 10f32.powf(exponent) });
            let most = |lane: usize| if lane.is_multiple_of(2) { f32::INFINITY } else { r };
            let mut given = Tethers::NONE;
            for (lane, d) in d.iter().enumerate() {
                (0..3).for_each(|k| (given.d[k].0[lane], given.n[k].0[lane]) = (pack(*d)[k], pack(n)[k]));
                (given.distance.0[lane], given.behind.0[lane], given.radius.0[lane]) = (most(lane), b, radius);
            }
            let n = wide(pack(n));
            let n = n * (1.0 / n.length());
            let (radius, b) = (f64::from(radius), f64::from(b));
            for isa in Isa::available() {
                let mut tethers = given;
                tethers.keep(isa);
                for (lane, d) in d.iter().enumerate() {
                    let end = wide(std::array::from_fn(|k| tethers.d[k].0[lane]));
                    let limits = [f64::from(most(lane)), b, radius];
                    let given = wide(pack(*d));
                    // The nearer it is to the line of n, the less f32 knows on which side of it a way out of both is.
                    let width = (given - n * n.dot(given)).length();
                    let slack = if most(lane).is_finite() { 2e-6 + 1e-6 / width } else { 2e-6 };
                    prop_assert!(allowed(end, n, limits, slack), "{d:?} ends at {end:?}, {limits:?}");
                    let d = given;
                    let from_middle = d + n * (radius + b);
                    let depth = radius - from_middle.length();
                    if most(lane).is_infinite() {
                        let want = d + from_middle * (depth.max(0.0) / from_middle.length());
                        let slack = 1e-6 * (1.0 + radius / from_middle.length());
                        prop_assert!((end - want).length() < slack, "{end:?} and not {want:?}, {limits:?}");
                    }
                }
            }
        }

        /// All lanes do the same, and a particle without a number does no harm to others.
        #[test]
        fn lanes_agree(d in prop::array::uniform16(vector()), n in vector(), r in 0.0f32..2.0, b in 0.0f32..1.0, radius in 0.05f32..3.0) {
            let mut given = Tethers::NONE;
            for lane in 0..BATCH {
                let pack = |v: V3<f64>| [v.x as f32, v.y as f32, v.z as f32];
                (0..3).for_each(|k| (given.d[k].0[lane], given.n[k].0[lane]) = (pack(d[lane])[k], pack(n)[k]));
                given.distance.0[lane] = if lane % 3 == 0 { f32::INFINITY } else { r };
                given.behind.0[lane] = b;
                given.radius.0[lane] = [radius, f32::INFINITY, f32::NAN][lane % 3];
            }
            given.d[1].0[7] = f32::NAN;
            let bits = |t: &Tethers| t.d.map(|pack| pack.0.map(f32::to_bits));
            let mut wanted = None;
            for isa in Isa::available() {
                let mut tethers = given;
                tethers.keep(isa);
                prop_assert!((0..BATCH).all(|lane| lane == 7 || tethers.d.iter().all(|d| d.0[lane].is_finite())));
                // Which NaN it is differs between processors.
                tethers.d.iter_mut().for_each(|pack| pack.0[7] = 0.0);
                prop_assert_eq!(*wanted.get_or_insert(bits(&tethers)), bits(&tethers));
            }
        }
    }
}
