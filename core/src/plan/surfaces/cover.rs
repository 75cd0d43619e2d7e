//! Finds the regions of sheets that are plane at rest.

mod sheet;

use super::regions::{PlaneRegion, Regions, part_keys};
use crate::plan::surfaces::Surfaces;
use seidel_kernels::contact::pairs::Triangles;
use seidel_kernels::{BATCH, Pack};
use sheet::Sheet;

impl Regions {
    /// Of all bodies that collide with themselves and are plane.
    pub(crate) fn of_sheets(surfaces: &Surfaces) -> Regions {
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
}
