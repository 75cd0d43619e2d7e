//! Motion in few bytes: positions on a grid, predicted in time, the residuals split into byte planes.
//!
//! A particle of constant acceleration a has x[t] = 2 x[t-1] - x[t-2] + a dt^2: what is left is a few steps of the
//! grid, and deflate finds the high bytes all zero. All of it wraps at 16 bits, so nothing is lost after the grid.

/// Steps of the grid along the box's longest side, at most: what 16 bits name.
const MAX_STEPS: f64 = 65_535.0;
/// Steps along the longest side, at least: a coarser grid shows in the normals of a small scene.
const MIN_STEPS: f64 = 16_384.0;
/// Coarsest step that is asked for, metres: an error of 0.05 mm.
const COARSE: f64 = 1e-4;
/// Steps on a mean edge: the stretch of an edge then has an error of about 0.1 % rms, a fiftieth of the legend's end.
const STEPS_PER_EDGE: f64 = 400.0;

/// Steps on a spacing of a fluid's particles, which has neither edges nor normals: speeds at 60 frames a second then
/// have an error of 1 cm/s at 2 cm.
const STEPS_PER_SPACING: f64 = 64.0;

/// A box about all positions of all frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bounds {
    pub(super) low: [f32; 3],
    pub(super) high: [f32; 3],
}

impl Bounds {
    /// About nothing.
    pub(super) const EMPTY: Self = Self { low: [f32::INFINITY; 3], high: [f32::NEG_INFINITY; 3] };

    /// Grows to hold finite positions.
    pub(super) fn add(&mut self, positions: &[[f32; 3]]) {
        for p in positions {
            for (axis, &x) in p.iter().enumerate() {
                self.low[axis] = self.low[axis].min(x);
                self.high[axis] = self.high[axis].max(x);
            }
        }
    }

    /// The box, or the origin where there is none.
    pub(super) fn or_origin(self) -> Self {
        if self.low[0] <= self.high[0] { self } else { Self { low: [0.0; 3], high: [0.0; 3] } }
    }
}

/// A grid of equal steps over the box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Grid {
    /// Place of 0, metres.
    pub(super) origin: [f64; 3],
    /// Metres; a position is wrong by half of it at most, along each axis.
    pub(super) step: f64,
}

impl Grid {
    /// As fine as `mean_edge` (metres; 0 if unknown) deserves and 16 bits can name.
    pub(super) fn new(bounds: Bounds, mean_edge: f64) -> Self {
        let bounds = bounds.or_origin();
        let origin = bounds.low.map(f64::from);
        let extent = (0..3).map(|axis| f64::from(bounds.high[axis]) - origin[axis]).fold(0.0, f64::max);
        let wanted = if mean_edge > 0.0 { COARSE.min(mean_edge / STEPS_PER_EDGE) } else { COARSE };
        let step = wanted.clamp(extent / MAX_STEPS, extent / MIN_STEPS);
        Self { origin, step: if step > 0.0 { step } else { COARSE } }
    }

    /// For fluids alone: as fine as the `spacing` of their particles deserves, metres, and 16 bits can name.
    pub(super) fn of_fluids(bounds: Bounds, spacing: f64) -> Self {
        let Self { origin, step } = Self::new(bounds, 0.0);
        Self { origin, step: if step > spacing / STEPS_PER_SPACING { step } else { spacing / STEPS_PER_SPACING } }
    }

    fn nearest(&self, p: [f32; 3], axis: usize) -> u16 {
        // Within 0..=65535 but for rounding, and `as` saturates.
        ((f64::from(p[axis]) - self.origin[axis]) / self.step).round() as u16
    }
}

/// Turns frames into residuals; keeps the last two.
#[derive(Debug)]
pub(super) struct Predictor {
    grid: Grid,
    vertices: usize,
    frames: usize,
    last: Vec<u16>,
    before: Vec<u16>,
}

impl Predictor {
    pub(super) fn new(grid: Grid, vertices: usize) -> Self {
        Self { grid, vertices, frames: 0, last: vec![0; 3 * vertices], before: vec![0; 3 * vertices] }
    }

    /// Appends 6 bytes a vertex: for x, y, z the low bytes of all vertices, then the high bytes. What is not there
    /// stays at its last place, which costs little.
    pub(super) fn push(&mut self, positions: &[[f32; 3]], is_there: impl Fn(usize) -> bool, out: &mut Vec<u8>) {
        let n = self.vertices;
        for axis in 0..3 {
            let (last, before) = (&mut self.last[axis * n..][..n], &mut self.before[axis * n..][..n]);
            let start = out.len();
            out.resize(start + 2 * n, 0);
            let (low, high) = out[start..].split_at_mut(n);
            let mut left = 0;
            for v in 0..n {
                let x = match is_there(v) {
                    true => self.grid.nearest(positions[v], axis),
                    false if self.frames == 0 => left,
                    false => last[v],
                };
                let guess = match self.frames {
                    0 => left,
                    1 => last[v],
                    _ => last[v].wrapping_mul(2).wrapping_sub(before[v]),
                };
                [low[v], high[v]] = zigzag(x.wrapping_sub(guess)).to_le_bytes();
                (before[v], last[v], left) = (last[v], x, x);
            }
        }
        self.frames += 1;
    }
}

/// Folds the sign in: 0, -1, 1, -2, ... become 0, 1, 2, 3, ...
fn zigzag(residual: u16) -> u16 {
    let signed = residual as i16;
    ((signed << 1) ^ (signed >> 15)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_is_fine_enough_and_fits() {
        let side = |s: f32| Bounds { low: [0.0; 3], high: [s, 0.0, 0.0] };
        let cases = [(side(1.0), 8e-3), (side(1.0), 0.0), (side(0.01), 0.0), (side(400.0), 0.1), (side(2.0), 1e-5)];
        for (bounds, edge) in cases {
            let grid = Grid::new(bounds, edge);
            let steps = f64::from(bounds.high[0]) / grid.step;
            assert!((MIN_STEPS - 0.1..=MAX_STEPS + 0.1).contains(&steps), "{steps} steps over {bounds:?}");
        }
        assert!((Grid::new(side(1.0), 8e-3).step - 2e-5).abs() < 1e-12);
        assert_eq!(Grid::of_fluids(side(1.0), 0.02).step, 0.02 / 64.0);
        assert!((Grid::of_fluids(side(400.0), 0.02).step - 400.0 / MAX_STEPS).abs() < 0.01);
        assert_eq!(Grid::new(Bounds::EMPTY, 0.0), Grid { origin: [0.0; 3], step: COARSE });
    }

    #[test]
    fn steady_fall_leaves_one_number() {
        let grid = Grid { origin: [0.0; 3], step: 1.0 };
        let mut predictor = Predictor::new(grid, 1);
        let mut out = Vec::new();
        for t in 0..6 {
            predictor.push(&[[0.0, 100.0 - (t * t) as f32, 0.0]], |_| true, &mut out);
        }
        // The y axis' low byte, from the third frame on: zigzag(-2).
        assert!(out.chunks(6).skip(2).all(|f| f == [0, 0, 3, 0, 0, 0]), "{out:?}");
    }

    #[test]
    fn what_is_not_there_stays() {
        let grid = Grid { origin: [0.0; 3], step: 1.0 };
        let mut predictor = Predictor::new(grid, 1);
        let mut out = Vec::new();
        for (x, is_there) in [(5.0, true), (900.0, false), (900.0, false), (6.0, true)] {
            predictor.push(&[[x, 0.0, 0.0]], |_| is_there, &mut out);
        }
        // The x axis' low byte: 5 from 0, twice where it was, one on.
        assert_eq!(out.chunks(6).map(|f| f[0]).collect::<Vec<_>>(), [10, 0, 0, 2]);
    }

    #[test]
    fn zigzag_folds_signs() {
        assert_eq!([0i16, -1, 1, -2, i16::MAX, i16::MIN].map(|r| zigzag(r as u16)), [0, 1, 2, 3, 65534, 65535]);
    }
}
