//! How the scoreboard's works are measured.

use crate::contest::{Bench, Entrant, contest, milliseconds, of_line};
use crate::entry::{Entry, MS, NS};
use crate::limits::Need;
use crate::motion::SWEEPS;
use crate::neighbours::{Cloud, NeighboursRun};
use crate::overhead::overhead;
use crate::peers::PeerRun;
use crate::rounds::Budget;
use crate::swept::{On, Swept};
use crate::table::WHOLE;
use crate::work::Work;
use crate::{Line, Steps, Sweep};
use seidel::{Cloth, Isa, Plan, Scene, kinds};
use std::time::{Duration, Instant};

/// Of a step here, whatever the scene says, so that scenes can be compared.
const SUBSTEPS: u32 = 20;
/// Constraints from which a quick run leaves the narrow lanes out.
const LARGE: usize = 200_000;
/// Time of one round of a sweep, so that the clock's own grain does not show.
const ROUND: Duration = Duration::from_micros(200);

impl Bench {
    /// Measures a work; prints what was run, with hashes, and then the times.
    #[must_use]
    pub fn measure(&self, work: &Work) -> Vec<Entry> {
        match work {
            Work::Sweep(swept) => self.sweep(swept),
            Work::Many(count, n) => self.many(*count, *n),
            Work::Step(scene) => self.step(scene),
            Work::Plan(n) => self.plan(*n),
            Work::Overhead => overhead(self.quick),
            Work::Neighbours(cloud) => self.neighbours(*cloud),
            Work::Touching(touched) => self.touching(touched),
            Work::Balls(balls) => self.balls(balls),
        }
    }

    /// One thread on each lane type, and two on the widest; in a quick run only the widest for much work.
    fn runs(&self, constraints: usize) -> Vec<(Isa, usize)> {
        let large = self.quick && constraints > LARGE;
        let one = Isa::available().into_iter().filter(|&isa| !large || isa == Isa::detect()).map(|isa| (isa, 1));
        one.chain([(Isa::detect(), 2)]).collect()
    }

    fn sweep(&self, swept: &Swept) -> Vec<Entry> {
        let work = Sweep::of(swept);
        let mut entrants = self.sweepers(&work, &self.runs(work.constraints()));
        // What a peer takes is not worth waiting for on the largest meshes.
        let bearable = match swept.on {
            On::Grid(n) => n <= if self.quick || swept.kind.slots() > 2 { 100 } else { 512 },
            On::Irregular(_) | On::Solid(_) | On::Scattered(_) | On::Rod(_) => !self.quick,
        };
        let peers = [1, 2].into_iter().filter(|_| bearable).flat_map(|t| self.peers.at(&swept.name(), t));
        entrants.extend(peers.map(|peer: PeerRun| Entrant { entry: peer.entry.clone(), contender: Box::new(peer) }));
        let mut entries = contest(entrants, self.budget(), |e| self.need(&work, e.threads));
        entries.extend([1, 2].map(|threads| self.whole(&work, threads)));
        entries
    }

    /// Of the whole step, with prediction and velocities, which read as much memory as the constraints.
    fn whole(&self, work: &Sweep, threads: usize) -> Entry {
        let mut run = work.on(Isa::detect(), threads);
        let projections = f64::from(SWEEPS) * work.constraints() as f64;
        let Budget { time, rounds } = self.budget();
        let (begin, mut times) = (Instant::now(), Vec::new());
        while begin.elapsed() < time / 4 || times.len() < rounds {
            run.restore();
            times.push(run.step().0.as_nanos() as f64 / projections);
        }
        times.sort_by(f64::total_cmp);
        let name = format!("{}{WHOLE}", work.name());
        println!("    {name} {threads} min {:9.3} median {:9.3} ns", times[0], times[times.len() / 2]);
        let entry = Entry::here(&name, Isa::detect().name(), threads, times[0], NS).median(times[times.len() / 2]);
        Entry { constraints: Some(work.constraints()), ..entry }
    }

    fn need(&self, work: &Sweep, threads: usize) -> Option<f64> {
        let need = Need { constraints: work.constraints(), particles: work.particles(), kind: work.kind() };
        self.limits.sweep(&need, threads)
    }

    /// A sweep on lanes and threads, all with the same hash.
    fn sweepers<'a>(&self, work: &'a Sweep, runs: &[(Isa, usize)]) -> Vec<Entrant<'a>> {
        let lines: Vec<Line> = runs.iter().map(|&(isa, threads)| work.line(isa, threads)).collect();
        Line::print(&lines);
        let entrant = |line: &Line| {
            let mut run = work.on(line.isa, line.threads);
            let once = run.timed(2) / 2;
            let count = (ROUND.as_nanos() / once.as_nanos().max(1)).clamp(1, 1000) as u64;
            let projections = count * u64::from(SWEEPS) * line.constraints as u64;
            let contender = Box::new(move || run.timed(count).as_nanos() as f64 / projections as f64);
            Entrant { entry: of_line(line, work.name(), NS), contender }
        };
        lines.iter().map(entrant).collect()
    }

    fn many(&self, count: usize, n: u32) -> Vec<Entry> {
        let many = Sweep::many(count, n);
        let springs = |n: usize| 4 * n * n - 6 * n + 2;
        let side = (4..).find(|&side| springs(side) >= many.constraints()).unwrap_or(4);
        let one = Sweep::named(&format!("distance-grid-{side}"));
        let widest = [(Isa::detect(), 1), (Isa::detect(), 2)];
        let mut entrants = self.sweepers(&many, &self.runs(many.constraints()));
        entrants.extend(self.sweepers(&one, &widest));
        let mut entries =
            contest(entrants, self.budget(), |e| self.need(if e.work == one.name() { &one } else { &many }, e.threads));
        // How much of the large cloth's throughput the many have.
        for (isa, threads) in widest {
            let of = |work: &str| {
                let is = |e: &&Entry| e.work == work && e.lanes == isa.name() && e.threads == threads;
                entries.iter().find(is).map(|e| e.value)
            };
            if let (Some(one), Some(each)) = (of(one.name()), of(many.name())) {
                entries.push(Entry::here(
                    &format!("{}-share", many.name()),
                    isa.name(),
                    threads,
                    100.0 * one / each,
                    "%",
                ));
            }
        }
        // Measured for its own sake under this name.
        entries.retain(|e| e.work != one.name());
        entries
    }

    fn step(&self, scene: &str) -> Vec<Entry> {
        let name = format!("step-{scene}");
        let work = Steps::with_substeps(scene, SUBSTEPS);
        let lines: Vec<Line> =
            self.runs(work.constraints()).iter().map(|&(isa, threads)| work.line(isa, threads)).collect();
        Line::print(&lines);
        let entrant = |line: &Line| {
            let mut run = work.run(line.isa, line.threads);
            let contender = Box::new(move || milliseconds(run.timed(1)));
            Entrant { entry: of_line(line, &name, MS), contender }
        };
        let mut entries = contest(lines.iter().map(entrant).collect(), self.budget(), |_| None);
        for line in lines.iter().filter(|line| line.isa == Isa::detect()) {
            entries.extend(self.frames(&work, line, &name));
        }
        entries
    }

    /// A run of frames as a user sees it: the slowest of a hundred beside the middle one; and the stages of the
    /// fastest.
    fn frames(&self, work: &Steps, line: &Line, name: &str) -> Vec<Entry> {
        let mut run = work.run(line.isa, line.threads);
        let mut frames = Vec::new();
        for _ in 0..if self.quick { 1 } else { 3 } {
            run.restore();
            for _ in 0..200 {
                let start = Instant::now();
                let t = run.frame().times;
                let frame = start.elapsed();
                frames.push([frame, t.constraints, t.contacts, t.motion].map(milliseconds));
            }
        }
        let hash = Some(format!("{:016x}", run.hash()));
        frames.sort_by(|a, b| a[0].total_cmp(&b[0]));
        let of = |what: &str, value| Entry {
            state_hash: hash.clone(),
            constraints: Some(line.constraints),
            ..Entry::here(&format!("{name}-{what}"), line.isa.name(), line.threads, value, MS)
        };
        let [_, constraints, contacts, rest] = frames[0];
        let p99 = frames[frames.len() * 99 / 100][0];
        let median = frames[frames.len() / 2][0];
        println!("    {name}-p99 {} threads p99 {p99:.3} median {median:.3} ms of {}", line.threads, frames.len());
        vec![of("p99", p99).median(median), of("constraints", constraints), of("contacts", contacts), of("rest", rest)]
    }

    fn plan(&self, n: u32) -> Vec<Entry> {
        let mut scene = Scene::new();
        scene.add(Cloth::grid([n, n], [1.0, 1.0]).stretch(1e-7).shear(1e-7).bend(1e3));
        let planned = || Plan::new(&scene).expect("a grid is sound");
        let plan = planned();
        let constraints: usize = plan.families().map(|(_, constraints, _)| constraints).sum();
        let entry = Entry {
            state_hash: Some(format!("{:016x}", plan.id())),
            constraints: Some(constraints),
            ..Entry::here(&format!("plan-grid-{n}"), "-", 1, 0.0, "us")
        };
        drop(plan);
        let contender = Box::new(|| {
            let start = Instant::now();
            let plan = planned();
            let time = start.elapsed().as_nanos() as f64 * 1e-3 / constraints as f64;
            drop(plan);
            time
        });
        let budget = Budget { time: Duration::ZERO, rounds: if self.quick { 1 } else { 3 } };
        contest(vec![Entrant { entry, contender }], budget, |_| None)
    }
}

impl Bench {
    /// The whole of it, on unsorted points: sorting them and writing all lists.
    fn neighbours(&self, cloud: Cloud) -> Vec<Entry> {
        let name = format!("neighbours-{}", cloud.name());
        let mut first = None;
        let mut entrants = Vec::new();
        let points = cloud.points().0.len();
        for (isa, threads) in self.runs(points) {
            // The hash has lanes of its own, by the same names.
            let Ok(lanes) = isa.name().parse() else { continue };
            let mut run = NeighboursRun::new(cloud, lanes, threads);
            run.timed(1);
            let hash = run.hash();
            println!("{name:<24} {points:>8} {:.1} neighbours {:<8} {threads} {hash:016x}", run.mean(), isa.name());
            assert_eq!(hash, *first.get_or_insert(hash), "{isa} differs");
            let entry =
                Entry { state_hash: Some(format!("{hash:016x}")), ..Entry::here(&name, isa.name(), threads, 0.0, MS) };
            let contender = Box::new(move || milliseconds(run.timed(1)));
            entrants.push(Entrant { entry, contender });
        }
        contest(entrants, self.budget(), |_| None)
    }
}

/// ns a constraint on the widest lanes with 4,000,000 constraints as a multiple of that with 40,000, where both were
/// measured.
#[must_use]
pub fn growth(entries: &[Entry]) -> Vec<Entry> {
    let widest = Isa::detect().name();
    let of = |work: &str, threads| {
        let is = |e: &&Entry| e.work == work && e.is_ours() && e.lanes == widest && e.threads == threads;
        entries.iter().find(is).map(|e| e.value)
    };
    let kinds = kinds::KINDS.iter().flat_map(|kind| [1, 2].map(|threads| (kind.name(), threads)));
    let growth = kinds.filter_map(|(kind, threads)| {
        let (small, large) = (of(&format!("{kind}-grid-100"), threads)?, of(&format!("{kind}-grid-1000"), threads)?);
        Some(Entry::here(&format!("growth-{kind}-grid"), widest, threads, large / small, "x"))
    });
    growth.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_that_of_the_widest_lanes() {
        let entry = |work, lanes, value| Entry::here(work, lanes, 1, value, NS);
        let widest = Isa::detect().name();
        let entries = [
            entry("distance-grid-100", "scalar", 9.0),
            entry("distance-grid-100", widest, 0.5),
            entry("distance-grid-1000", widest, 1.0),
        ];
        let growth = growth(&entries);
        assert_eq!(
            growth.iter().map(|e| (e.work.as_str(), e.value)).collect::<Vec<_>>(),
            [("growth-distance-grid", 2.0)]
        );
    }
}
