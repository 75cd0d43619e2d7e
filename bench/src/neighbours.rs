//! All neighbours of clouds of points: the works whose figures neighbour searches are compared by.

use crate::random::Random;
use seidel_hash::{Isa, Neighbours, PointGrid};
use std::time::{Duration, Instant};

/// A cloud and a radius.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cloud {
    /// So many thousand points anywhere in a cube, in no order; about 33 neighbours.
    Random(u32),
    /// So many thousand points of a lattice, each moved by up to a quarter of its spacing, in rows; about 28
    /// neighbours.
    Block(u32),
}

impl Cloud {
    /// The cloud of a name: `random-100k`, `random-1m`, `block-986k`.
    #[must_use]
    pub fn parse(name: &str) -> Option<Cloud> {
        let (shape, size) = name.split_once('-')?;
        let number = |text: &str, times: u32| text.parse::<u32>().ok()?.checked_mul(times);
        let thousands = match size.strip_suffix('k') {
            Some(k) => number(k, 1)?,
            None => number(size.strip_suffix('m')?, 1000)?,
        };
        if !(1..=16_000).contains(&thousands) {
            return None;
        }
        match shape {
            "random" => Some(Cloud::Random(thousands)),
            "block" => Some(Cloud::Block(thousands)),
            _ => None,
        }
    }

    /// Its name again.
    #[must_use]
    pub fn name(&self) -> String {
        let (shape, thousands) = match self {
            Cloud::Random(k) => ("random", k),
            Cloud::Block(k) => ("block", k),
        };
        match thousands % 1000 {
            0 => format!("{shape}-{}m", thousands / 1000),
            _ => format!("{shape}-{thousands}k"),
        }
    }

    /// Its points, and the radius.
    #[must_use]
    pub fn points(&self) -> (Vec<[f32; 3]>, f32) {
        let mut random = Random(1);
        match *self {
            Cloud::Random(thousands) => {
                let n = 1000 * thousands as usize;
                let points = (0..n).map(|_| [random.signed(), random.signed(), random.signed()]);
                // A ball of 34.8 points, the one in the middle included; less at the sides of the cube.
                (points.collect(), (8.0 * 34.8 * 0.75 / std::f64::consts::PI / n as f64).cbrt() as f32)
            }
            Cloud::Block(thousands) => {
                let n = 1000 * thousands;
                let side = (1..).find(|s| s * s * s >= n).unwrap_or(1);
                let row = |k: u32| [k % side, k / side % side, k / (side * side)];
                let points = (0..n).map(|k| row(k).map(|c| c as f32 + 0.25 * random.signed()));
                (points.collect(), 1.92)
            }
        }
    }
}

/// A grid and lists that are made again and again, on some lanes and threads.
#[derive(Debug)]
pub struct NeighboursRun {
    points: Vec<[f32; 3]>,
    radius: f32,
    grid: PointGrid,
    lists: Neighbours,
    pool: rayon::ThreadPool,
}

impl NeighboursRun {
    /// Nothing is found yet.
    ///
    /// # Panics
    /// If the system gives no threads.
    #[must_use]
    pub fn new(cloud: Cloud, isa: Isa, threads: usize) -> NeighboursRun {
        let (points, radius) = cloud.points();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        NeighboursRun { points, radius, grid: PointGrid::default().on(isa), lists: Neighbours::new(), pool }
    }

    /// Sorts the points and finds all lists, so often: how long it took.
    ///
    /// # Panics
    /// Never: the clouds are sound.
    pub fn timed(&mut self, rounds: u64) -> Duration {
        let NeighboursRun { points, radius, grid, lists, pool } = self;
        pool.install(|| {
            let start = Instant::now();
            for _ in 0..rounds {
                grid.build(points, *radius).expect("a sound cloud");
                lists.find(grid, *radius).expect("not crowded");
            }
            start.elapsed()
        })
    }

    /// The part of it that sorts the points.
    ///
    /// # Panics
    /// Never: the clouds are sound.
    pub fn timed_build(&mut self, rounds: u64) -> Duration {
        let NeighboursRun { points, radius, grid, pool, .. } = self;
        pool.install(|| {
            let start = Instant::now();
            for _ in 0..rounds {
                grid.build(points, *radius).expect("a sound cloud");
            }
            start.elapsed()
        })
    }

    /// Number of points.
    #[must_use]
    pub fn points(&self) -> usize {
        self.points.len()
    }

    /// Neighbours a point, on average.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.lists.total() as f64 / self.lists.len().max(1) as f64
    }

    /// Of all lists, in the order of the points (FNV-1a over words).
    #[must_use]
    pub fn hash(&self) -> u64 {
        let mut hash = 0xcbf2_9ce4_8422_2325u64;
        let mut add = |word: u32| hash = (hash ^ u64::from(word)).wrapping_mul(0x0000_0100_0000_01b3);
        for point in 0..self.lists.len() {
            let list = self.lists.of(point);
            add(list.len() as u32);
            list.iter().copied().for_each(&mut add);
        }
        hash
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clouds_have_names_and_about_as_many_neighbours_as_they_say() {
        for name in ["random-100k", "random-1m", "block-986k"] {
            assert_eq!(Cloud::parse(name).unwrap().name(), name);
        }
        for name in ["random-0k", "random-100", "block-99999999k", "sphere-1k", "random-99999999m"] {
            assert_eq!(Cloud::parse(name), None);
        }
        let mut hashes = Vec::new();
        for (isa, threads) in [(Isa::SCALAR, 1), (Isa::detect(), 2)] {
            for (cloud, about) in [(Cloud::Random(20), 30.0), (Cloud::Block(20), 25.0)] {
                let mut run = NeighboursRun::new(cloud, isa, threads);
                run.timed(1);
                assert!((run.mean() - about).abs() < 2.0, "{}", run.mean());
                hashes.push(run.hash());
            }
        }
        assert_eq!(hashes[..2], hashes[2..]);
    }
}
