//! Parts of sheets that are plane at rest: two clusters each, and the triangles between them.
//!
//! In the plane at rest, the convex hull of two clusters' particles must be covered by triangles, each point once.

mod sheet;

use crate::plan::surfaces::Surfaces;
use crate::tuning::{POINTS_A_CLUSTER, POINTS_A_PART};
use seidel_kernels::contact::pairs::Triangles;
use seidel_kernels::{BATCH, Lanes, Pack, Row};
use sheet::Sheet;
use std::ops::Range;

/// Regions of all sheets that are plane at rest.
#[derive(Clone, Debug, Default)]
pub(crate) struct Regions {
    /// Triangles of clusters.
    pub(crate) triangles: Vec<Triangles>,
    /// Of each cluster, its part of these.
    pub(crate) of_cluster: Vec<Range<usize>>,
    pub(crate) each: Vec<PlaneRegion>,
    /// Numbers of triangles, twice each: sixteen for a pack above.
    pub(crate) numbers: Vec<Pack<u32>>,
    /// Clusters whose triangles regions have.
    pub(crate) clusters: Vec<u32>,
    /// For each cluster, where those begin that have triangles of the regions of which it is the first, ascending; and all of these.
    around: (Vec<u32>, Vec<u32>),
    /// The region of two clusters, in their order, and of two parts of clusters.
    pairs: Vec<([u32; 2], u32)>,
    parts: Vec<([u32; 2], u32)>,
}

/// A region.
#[derive(Clone, Debug)]
pub(crate) struct PlaneRegion {
    pub(crate) numbers: Range<usize>,
    pub(crate) clusters: Range<usize>,
    /// Rows far from each other: from the first to the second, and from the third to the fourth.
    corners: [u32; 4],
    /// (p1 - p0, p3 - p2)^-1 by rows, 1/m.
    inverse: [f32; 4],
}

impl PlaneRegion {
    /// Two tangents Q for which Q^T F is symmetric, F being the whole region's; None if it has none.
    pub(crate) fn tangents(&self, x: &[Row]) -> Option<[[f32; 3]; 2]> {
        let way = |a: u32, b: u32| -> [f32; 3] { std::array::from_fn(|k| x[b as usize][k] - x[a as usize][k]) };
        let [a, b, c, d] = self.corners;
        let (e, f, m) = (way(a, b), way(c, d), self.inverse);
        let f0: [f32; 3] = std::array::from_fn(|k| e[k] * m[0] + f[k] * m[2]);
        let f1: [f32; 3] = std::array::from_fn(|k| e[k] * m[1] + f[k] * m[3]);
        let dot = |a: [f32; 3], b: [f32; 3]| (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
        let unit = |a: [f32; 3]| {
            let length = dot(a, a).sqrt();
            (length > 1e-6 && length.is_finite()).then(|| a.map(|a| a / length))
        };
        let t = unit(f0)?;
        let along = dot(t, f1);
        let s = unit(std::array::from_fn(|k| f1[k] - t[k] * along))?;
        // [t s]^T F = [[a, b], [0, d]]; turned by (c, s) in the plane it is symmetric.
        let (a, b, d) = (dot(t, f0), along, dot(s, f1));
        let length = ((a + d) * (a + d) + b * b).sqrt();
        let (c, n) = ((a + d) / length, -b / length);
        length
            .is_finite()
            .then(|| [std::array::from_fn(|k| t[k] * c + s[k] * n), std::array::from_fn(|k| s[k] * c - t[k] * n)])
    }
}

/// Numbers of two parts among those of all clusters.
fn part_keys(pair: [u32; 2], numbers: [u8; 2]) -> [u32; 2] {
    const MOST: u32 = (POINTS_A_CLUSTER / POINTS_A_PART) as u32;
    std::array::from_fn(|k| pair[k] * MOST + u32::from(numbers[k]))
}

impl Regions {
    /// Of all bodies that collide with themselves and are plane.
    pub(crate) fn new(surfaces: &Surfaces) -> Regions {
        let mut regions = Regions::default();
        let mut from = 0;
        for number in 0..surfaces.bodies.len() {
            let count = surfaces.clusters[from..].iter().take_while(|cluster| cluster.body == number).count();
            let clusters = from..from + count;
            from += count;
            let sheet = if surfaces.bodies[number].itself { Sheet::new(surfaces, clusters.clone()) } else { None };
            let Some(mut sheet) = sheet else {
                regions.of_cluster.extend(clusters.map(|_| regions.triangles.len()..regions.triangles.len()));
                continue;
            };
            for cluster in clusters.clone() {
                let start = regions.triangles.len();
                let own = surfaces.clusters[cluster].triangles.clone();
                for sixteen in own.clone().step_by(BATCH) {
                    let all =
                        (sixteen..own.end.min(sixteen + BATCH)).map(|t| (surfaces.triangles[t], sheet.inverse(t)));
                    regions.triangles.push(Triangles::new(&all.collect::<Vec<_>>()));
                }
                regions.of_cluster.push(start..regions.triangles.len());
            }
            for pair in sheet.neighbours() {
                let region = sheet.flood(pair).map(|of| regions.add(&sheet, of));
                regions.pairs.extend(region.map(|region| (pair, region)));
                regions.add_parts(&mut sheet, pair);
            }
        }
        regions.pairs.sort_unstable();
        regions.parts.sort_unstable();
        regions.find_around(surfaces.clusters.len());
        regions
    }

    /// Finds the clusters around each of `count`.
    fn find_around(&mut self, count: usize) {
        let Regions { each, clusters, around: (starts, all), .. } = self;
        let of = |region: &PlaneRegion| &clusters[region.clusters.clone()];
        let mut links: Vec<(u32, u32)> =
            each.iter().map(of).flat_map(|of| of.iter().map(|&cluster| (of[0], cluster))).collect();
        links.sort_unstable();
        links.dedup();
        *starts = (0..=count as u32).map(|first| links.partition_point(|link| link.0 < first) as u32).collect();
        *all = links.into_iter().map(|(_, cluster)| cluster).collect();
    }

    /// For each cluster, the largest of some numbers of clusters, >= 0, in the regions of which it is the first.
    pub(crate) fn largest_around(&self, of: &[f32], to: &mut [f32]) {
        let (starts, all) = &self.around;
        for (to, range) in to.iter_mut().zip(starts.windows(2)) {
            let around = &all[range[0] as usize..range[1] as usize];
            *to = around.iter().fold(0.0, |most, &cluster| Lanes::larger(most, of[cluster as usize]));
        }
    }

    /// Adds the regions of those parts of two clusters that have a corner in common: no plane is between these.
    fn add_parts(&mut self, sheet: &mut Sheet<'_>, [a, b]: [u32; 2]) {
        let clusters = &sheet.surfaces.clusters;
        let [of_a, of_b] = [a, b].map(|cluster| &clusters[cluster as usize].parts);
        for (first, of_first) in of_a.iter().enumerate() {
            for (second, of_second) in of_b.iter().enumerate().skip(if a == b { first } else { 0 }) {
                if of_first.corners.share_with(&of_second.corners) {
                    let numbers = [first as u8, second as u8];
                    let region = sheet.flood_parts([a, b], numbers).map(|of| self.add(sheet, of));
                    self.parts.extend(region.map(|region| (part_keys([a, b], numbers), region)));
                }
            }
        }
    }

    /// Adds the region that was flooded last.
    fn add(&mut self, sheet: &Sheet<'_>, (corners, inverse): ([u32; 4], [f32; 4])) -> u32 {
        // The number of a triangle among the packs of its cluster.
        let number = |&t: &usize| {
            let cluster = sheet.owner(t);
            let first = sheet.surfaces.clusters[cluster as usize].triangles.start;
            (self.of_cluster[cluster as usize].start * BATCH + (t - first), cluster)
        };
        let mut all: Vec<(usize, u32)> = sheet.found.iter().map(number).collect();
        all.sort_unstable();
        let (numbers, clusters) = (self.numbers.len(), self.clusters.len());
        for sixteen in all.chunks(BATCH) {
            let of = |lane: usize| sixteen[lane.min(sixteen.len() - 1)].0 as u32 * 2;
            self.numbers.push(Pack(std::array::from_fn(of)));
        }
        self.clusters.extend(all.iter().map(|(_, cluster)| *cluster));
        self.clusters[clusters..].sort_unstable();
        let mut last = clusters;
        for at in clusters..self.clusters.len() {
            if at == clusters || self.clusters[at] != self.clusters[last - 1] {
                self.clusters[last] = self.clusters[at];
                last += 1;
            }
        }
        self.clusters.truncate(last);
        self.each.push(PlaneRegion {
            numbers: numbers..self.numbers.len(),
            clusters: clusters..self.clusters.len(),
            corners,
            inverse,
        });
        self.each.len() as u32 - 1
    }

    /// The region of two parts of two clusters, the lower ones first.
    pub(crate) fn of_parts(&self, pair: [u32; 2], numbers: [u8; 2]) -> Option<u32> {
        let key = part_keys(pair, numbers);
        let found = self.parts.binary_search_by_key(&key, |(key, _)| *key);
        found.ok().map(|at| self.parts[at].1)
    }

    /// The region of two clusters, the lower one first.
    pub(crate) fn of(&self, pair: [u32; 2]) -> Option<u32> {
        let found = self.pairs.binary_search_by_key(&pair, |(pair, _)| *pair);
        found.ok().map(|at| self.pairs[at].1)
    }
}
