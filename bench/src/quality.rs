//! Quality for time: milliseconds a frame and the stretch that they leave, for orders and ways to spend sweeps.

use crate::Sweep;
use crate::entry::{Entry, MS};
use crate::hanging::{Hanging, Way};
use crate::rounds::{Budget, Contender, alternate};
use crate::swept::Swept;
use seidel::{Error, Isa, Order};
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::time::Duration;

/// Frames that a cloth is given to come to rest.
const FRAMES: usize = 300;
/// Frames that are timed, at least.
const ROUNDS: usize = 6;
/// Orders by their names.
pub const ORDERS: [(&str, Order); 5] = [
    ("patches", Order::Patches),
    ("colored patches", Order::ColoredPatches),
    ("registers colored", Order::Registers),
    ("rows colored", Order::Greedy),
    ("rows as listed", Order::Listed),
];

/// A way to solve a cloth, and what it came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Particles along a side.
    pub side: u32,
    /// One of [`ORDERS`].
    pub order: String,
    /// Rows from tether to tether; 0: there are none.
    pub tethers: u32,
    /// Of a frame.
    pub substeps: u32,
    /// Of a substep.
    pub iterations: u32,
    /// Constraints in a sweep.
    pub constraints: usize,
    /// A frame, one thread, the widest lanes: the smallest of several.
    pub ms: f64,
    /// Largest (length - rest) / rest at rest.
    pub stretch: f32,
    /// What the hem hangs too low, over the cloth's height.
    pub sag: f32,
    /// Whether it came to rest.
    pub still: bool,
    /// Of the state at rest.
    pub state_hash: String,
    /// Lanes.
    pub lanes: String,
    /// Processor and number of cores.
    pub machine: String,
    /// Day of the measurement.
    pub date: String,
}

/// Points of one curve: the same order, tethers, and substeps or iterations.
pub(crate) type Curve = (String, u32, bool);

impl Point {
    pub(crate) fn curve(&self) -> Curve {
        (self.order.clone(), self.tethers, self.iterations == 1)
    }

    /// Its order, and its tethers.
    pub(crate) fn name(&self) -> String {
        let Point { order, tethers, .. } = self;
        if *tethers > 0 { format!("{order}, a tether every {tethers} rows") } else { order.clone() }
    }
}

/// All ways that are compared: substeps of one iteration, and iterations of one substep.
#[must_use]
pub fn ways() -> Vec<Way> {
    let mut ways = Vec::new();
    let mut add = |order, tethers, substeps: &[u32], iterations: &[u32]| {
        ways.extend(substeps.iter().map(|&substeps| Way { order, substeps, iterations: 1, tethers }));
        ways.extend(iterations.iter().map(|&iterations| Way { order, substeps: 1, iterations, tethers }));
    };
    add(Order::Patches, 0, &[40, 80, 160], &[64, 256]);
    add(Order::Patches, 16, &[10, 20, 40], &[20, 80, 160]);
    add(Order::ColoredPatches, 0, &[40, 80, 160], &[64, 256]);
    add(Order::Registers, 0, &[40, 80, 160], &[]);
    add(Order::Greedy, 0, &[40, 80, 160], &[64, 256]);
    add(Order::Listed, 0, &[40, 80, 160], &[64, 256]);
    ways
}

/// Measures ways on a cloth of n x n particles; frames of all take turns.
///
/// # Errors
/// As [`Hanging::new`].
pub fn measure(n: u32, ways: &[Way]) -> Result<Vec<Point>, Error> {
    let cloths = ways.iter().map(|&way| Hanging::new(n, way)).collect::<Result<Vec<_>, _>>()?;
    let mut frames: Vec<Box<dyn Contender + '_>> = cloths.iter().map(Hanging::frames).collect();
    let times = alternate(&mut frames, Budget { time: Duration::ZERO, rounds: ROUNDS });
    drop(frames);
    let point = |((way, cloth), times): ((&Way, &Hanging), &Option<crate::rounds::Times>)| {
        let rest = cloth.settle(FRAMES);
        let order = ORDERS.iter().find(|(_, order)| *order == way.order).expect("every order has a name").0;
        let ms = times.expect("every way has its rounds").min;
        let Entry { value, lanes, machine, date, .. } = Entry::here("", Isa::detect().name(), 1, ms, MS);
        let point = Point {
            side: n,
            order: order.to_owned(),
            tethers: way.tethers,
            substeps: way.substeps,
            iterations: way.iterations,
            constraints: cloth.constraints(),
            ms: value,
            stretch: rest.stretch,
            sag: rest.sag,
            still: rest.still,
            state_hash: format!("{:016x}", rest.hash),
            lanes,
            machine,
            date,
        };
        let Point { substeps, iterations, ms, stretch, sag, tethers, .. } = &point;
        println!(
            "{order:<18} {tethers:>3} {substeps:>4} x {iterations:<4} {ms:>8.2} ms {:>9.3} % {:>9.3} % {:>4}",
            100.0 * stretch,
            100.0 * sag,
            if rest.still { rest.frames.to_string() } else { format!("{}+", rest.frames) }
        );
        point
    };
    Ok(ways.iter().zip(&cloths).zip(&times).map(point).collect())
}

/// Milliseconds a frame at which a curve comes under a stretch: on a straight line between logarithms of its points, as
/// stretch falls with a power of the sweeps. None if it does not within its points.
#[must_use]
pub fn until(points: &[&Point], stretch: f32) -> Option<f64> {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a.ms.total_cmp(&b.ms));
    if sorted.first()?.stretch <= stretch {
        return Some(sorted[0].ms);
    }
    let pair = sorted.windows(2).find(|two| two[0].stretch > stretch && two[1].stretch <= stretch)?;
    let log = |of: &Point| (of.ms.ln(), f64::from(of.stretch).ln());
    let ((t0, s0), (t1, s1)) = (log(pair[0]), log(pair[1]));
    Some((t0 + (t1 - t0) * (f64::from(stretch).ln() - s0) / (s1 - s0)).exp())
}

/// The table of docs/benchmarks.md: a line a curve.
#[must_use]
pub fn table(points: &[Point]) -> String {
    let mut curves: Vec<Curve> = Vec::new();
    for point in points {
        if !curves.contains(&point.curve()) {
            curves.push(point.curve());
        }
    }
    let mut text = "| order | sweeps | under 5 % | under 1 % | most measured |\n|---|---|---|---|---|\n".to_owned();
    for curve in curves {
        let of: Vec<&Point> = points.iter().filter(|point| point.curve() == curve).collect();
        let (_, _, substeps) = &curve;
        let time = |stretch| {
            let below = |least: f64| if of.iter().any(|p| p.ms < least) { "" } else { "< " };
            until(&of, stretch).map_or("-".to_owned(), |ms| format!("{}{} ms", below(ms), short(ms)))
        };
        let name = of[0].name();
        let last = of.iter().max_by(|a, b| a.ms.total_cmp(&b.ms)).expect("a curve has a point");
        let how = if *substeps { "substeps" } else { "iterations" };
        let (five, one) = (time(0.05), time(0.01));
        let most = format!("{:.2} % at {} ms", 100.0 * last.stretch, short(last.ms));
        writeln!(text, "| {name} | {how} | {five} | {one} | {most} |").expect("a string takes it");
    }
    text
}

/// Milliseconds: whole ones, and two decimals where there would be hardly any.
fn short(ms: f64) -> String {
    if ms < 2.0 { format!("{ms:.2}") } else { format!("{ms:.0}") }
}

/// Root mean square of C after 20 sweeps of a work, in each order, over that of rows colored greedily: as 20 substeps,
/// 5 of 4 iterations, and 20 iterations.
#[must_use]
pub fn residuals(work: &Swept) -> String {
    let mut text = String::new();
    for sweeps in [[20, 1], [5, 4], [1, 20]] {
        let of = |order| Sweep::in_order(work, order, sweeps).on(Isa::detect(), 1).residual(20.0 / 1200.0);
        let greedy = of(Order::Greedy);
        let [substeps, iterations] = sweeps;
        write!(text, "{} {substeps} x {iterations}: rows colored {greedy:.3e}", work.name())
            .expect("a string takes it");
        for (name, order) in ORDERS.iter().filter(|(_, order)| *order != Order::Greedy) {
            write!(text, ", {name} {:+.1} %", 100.0 * (of(*order) / greedy - 1.0)).expect("a string takes it");
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_is_read_where_it_crosses() {
        let way = Way { order: Order::Patches, substeps: 4, iterations: 1, tethers: 0 };
        let mut points = measure(8, &[way, Way { substeps: 8, ..way }]).unwrap();
        (points[0].ms, points[0].stretch) = (10.0, 0.08);
        (points[1].ms, points[1].stretch) = (20.0, 0.02);
        let of: Vec<&Point> = points.iter().collect();
        // Stretch falls with the square of the time: a half of it at the root of two.
        assert!((until(&of, 0.04).unwrap() - 10.0 * 2f64.sqrt()).abs() < 1e-4);
        assert_eq!((until(&of, 0.01), until(&of, 0.09)), (None, Some(10.0)));
        assert!(table(&points).contains("| patches | substeps | 13 ms | - | 2.00 % at 20 ms |"), "{}", table(&points));
        (points[0].ms, points[1].ms) = (0.1, 0.2);
        assert!(
            table(&points).contains("| patches | substeps | 0.13 ms | - | 2.00 % at 0.20 ms |"),
            "{}",
            table(&points)
        );
    }

    #[test]
    fn patches_leave_no_more_than_colors_do() {
        let of = |order| {
            Sweep::in_order(&Swept::parse("distance-grid-64").unwrap(), order, [1, 20])
                .on(Isa::detect(), 1)
                .residual(20.0 / 1200.0)
        };
        let (patches, greedy) = (of(Order::Patches), of(Order::Greedy));
        assert!(patches > 0.0 && patches < 1.1 * greedy, "{patches} {greedy}");
    }
}
