//! Parts of sheets that are plane at rest: two clusters each, and the triangles between them.
//!
//! In the plane at rest, the convex hull of two clusters' particles must be covered by triangles, each point once. They are found
//! from one of them across edges that lead through the hull; where such an edge has no triangle beyond, or two, there is no region.
//! All connected, of one orientation, without a border inside: a covering of the hull, which has no other coverings than copies of
//! itself.

use super::surfaces::{Cluster, Surfaces};
use seidel_hash::{Aabb, BoxGrid, Pairs};
use seidel_kernels::contact::pairs::Triangles;
use seidel_kernels::{BATCH, Pack, Row};
use std::f64::consts::TAU;
use std::ops::Range;

/// Regions of all sheets that are plane at rest.
#[derive(Clone, Debug, Default)]
pub(crate) struct Regions {
    /// Triangles of clusters.
    pub(crate) triangles: Vec<Triangles>,
    /// Of each cluster, its part of these.
    pub(crate) of_cluster: Vec<Range<usize>>,
    pub(crate) each: Vec<Region>,
    /// Numbers of triangles, twice each: sixteen for a pack above.
    pub(crate) numbers: Vec<Pack<u32>>,
    /// Clusters whose triangles regions have.
    pub(crate) clusters: Vec<u32>,
    /// The region of two clusters, in their order.
    pairs: Vec<([u32; 2], u32)>,
}

/// A region.
#[derive(Clone, Debug)]
pub(crate) struct Region {
    pub(crate) numbers: Range<usize>,
    pub(crate) clusters: Range<usize>,
    /// Rows far from each other: from the first to the second, and from the third to the fourth.
    corners: [u32; 4],
    /// (p1 - p0, p3 - p2)^-1 by rows, 1/m.
    inverse: [f32; 4],
}

impl Region {
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
                regions.add(&mut sheet, pair);
            }
        }
        regions.pairs.sort_unstable();
        regions
    }

    /// Adds the region of two clusters, if there is one.
    fn add(&mut self, sheet: &mut Sheet<'_>, pair: [u32; 2]) {
        let Some((corners, inverse)) = sheet.flood(pair) else { return };
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
        self.pairs.push((pair, self.each.len() as u32));
        self.each.push(Region {
            numbers: numbers..self.numbers.len(),
            clusters: clusters..self.clusters.len(),
            corners,
            inverse,
        });
    }

    /// The region of two clusters, the lower one first.
    pub(crate) fn of(&self, pair: [u32; 2]) -> Option<u32> {
        let found = self.pairs.binary_search_by_key(&pair, |(pair, _)| *pair);
        found.ok().map(|at| self.pairs[at].1)
    }
}

/// A point of the plane at rest.
type Point = [f64; 2];

/// No triangle beyond an edge, or several.
const BORDER: usize = usize::MAX;
/// Of the mean edge: how far a border may lie inside a hull, particles off the plane, and corners be apart.
const TINY: f64 = 1e-3;

/// A body that is plane at rest.
struct Sheet<'a> {
    surfaces: &'a Surfaces,
    clusters: Range<usize>,
    /// Its first triangle.
    first: usize,
    /// Where each row of the body lies in the plane, from the body's first row on.
    p: Vec<Point>,
    /// Whether triangles go round a row's point more than once.
    wound: Vec<bool>,
    /// Across the edges 01, 12, 20 of each triangle.
    beyond: Vec<[usize; 3]>,
    /// The cluster of each triangle.
    owner: Vec<u32>,
    /// Whether a cluster has edges that are no triangle's.
    loose: Vec<bool>,
    /// Triangles found in the last flood.
    found: Vec<usize>,
    /// The last flood that found a triangle, or a row.
    seen: Vec<u32>,
    seen_rows: Vec<u32>,
    flood: u32,
}

impl<'a> Sheet<'a> {
    /// A body's clusters; None if it has no triangles or is not plane.
    fn new(surfaces: &'a Surfaces, clusters: Range<usize>) -> Option<Sheet<'a>> {
        let all = &surfaces.clusters[clusters.clone()];
        let body = &surfaces.bodies[all.first()?.body];
        let triangles = all.first()?.triangles.start..all.last()?.triangles.end;
        let at = |row: u32| surfaces.at_rest[row as usize].map(f64::from);
        let cross = |t: &[u32; 3]| {
            let [a, b, c] = t.map(at);
            let (e, f): ([f64; 3], [f64; 3]) =
                (std::array::from_fn(|k| b[k] - a[k]), std::array::from_fn(|k| c[k] - a[k]));
            [e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]]
        };
        let square = |n: &[f64; 3]| n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
        // The first of the largest triangles tells the plane.
        let largest = triangles.clone().fold((0.0, None), |(most, best), t| {
            let squared = square(&cross(&surfaces.triangles[t]));
            if squared > most { (squared, Some(t)) } else { (most, best) }
        });
        let (squared, Some(t)) = largest else { return None };
        let n = cross(&surfaces.triangles[t]).map(|n| n / squared.sqrt());
        let origin = at(surfaces.triangles[t][0]);
        // The axis that is most across n, made perpendicular.
        let k = (0..3).fold(0, |least, k| if n[k].abs() < n[least].abs() { k } else { least });
        let mut u: [f64; 3] = std::array::from_fn(|i| f64::from(u8::from(i == k)) - n[k] * n[i]);
        let length = square(&u).sqrt();
        u = u.map(|u| u / length);
        let v = [n[1] * u[2] - n[2] * u[1], n[2] * u[0] - n[0] * u[2], n[0] * u[1] - n[1] * u[0]];
        let mut p = Vec::new();
        for row in body.rows.clone() {
            let from: [f64; 3] = std::array::from_fn(|k| at(row)[k] - origin[k]);
            let along = |a: &[f64; 3]| a[0] * from[0] + a[1] * from[1] + a[2] * from[2];
            p.push([along(&u), along(&v)]);
        }
        let off = |row: &u32| (0..3).map(|k| (at(*row)[k] - origin[k]) * n[k]).sum::<f64>().abs();
        let points = &surfaces.points[all.first()?.points.start..all.last()?.points.end];
        if !points.iter().all(|row| off(row) <= TINY * f64::from(surfaces.edge)) {
            return None;
        }
        let owners = clusters.clone().zip(all).flat_map(|(number, c)| c.triangles.clone().map(move |_| number as u32));
        let owner = owners.collect();
        let count = triangles.len();
        let mut sheet = Sheet {
            surfaces,
            clusters,
            first: triangles.start,
            wound: vec![false; p.len()],
            seen_rows: vec![0; p.len()],
            p,
            beyond: vec![[BORDER; 3]; count],
            owner,
            loose: Vec::new(),
            found: Vec::new(),
            seen: vec![0; count],
            flood: 0,
        };
        sheet.connect(triangles.clone());
        sheet.wind(triangles);
        Some(sheet)
    }

    /// Where a row lies.
    fn at(&self, row: u32) -> Point {
        self.p[(row - self.base()) as usize]
    }

    /// The body's first row.
    fn base(&self) -> u32 {
        self.surfaces.bodies[self.surfaces.clusters[self.clusters.start].body].rows.start
    }

    /// A triangle's cluster.
    fn owner(&self, t: usize) -> u32 {
        self.owner[t - self.first]
    }

    /// Which triangles share an edge, where two do; and which edges are none's.
    fn connect(&mut self, triangles: Range<usize>) {
        let mut sides = Vec::with_capacity(3 * triangles.len());
        for t in triangles {
            let [a, b, c] = self.surfaces.triangles[t];
            for (side, [a, b]) in [[a, b], [b, c], [c, a]].into_iter().enumerate() {
                sides.push(([a.min(b), a.max(b)], t, side));
            }
        }
        sides.sort_unstable();
        for both in sides.chunk_by(|a, b| a.0 == b.0) {
            if let [(_, t, side), (_, other, across)] = *both {
                self.beyond[t - self.first][side] = other;
                self.beyond[other - self.first][across] = t;
            }
        }
        let is_side = |&[a, b]: &[u32; 2]| sides.binary_search_by_key(&[a.min(b), a.max(b)], |side| side.0).is_ok();
        let loose = |c: &Cluster| !self.surfaces.edges[c.edges.clone()].iter().all(is_side);
        self.loose = self.surfaces.clusters[self.clusters.clone()].iter().map(loose).collect();
    }

    /// Finds points around which triangles go more than once.
    fn wind(&mut self, triangles: Range<usize>) {
        let mut angle = vec![0.0; self.p.len()];
        for t in triangles {
            let rows = self.surfaces.triangles[t];
            let p = rows.map(|row| self.at(row));
            for k in 0..3 {
                let way = |to: usize| [p[to][0] - p[k][0], p[to][1] - p[k][1]];
                let (e, f) = (way((k + 1) % 3), way((k + 2) % 3));
                let across = (e[0] * f[1] - e[1] * f[0]).abs();
                angle[(rows[k] - self.base()) as usize] += libm::atan2(across, e[0] * f[0] + e[1] * f[1]);
            }
        }
        for (wound, angle) in self.wound.iter_mut().zip(angle) {
            *wound = angle > TAU * (1.0 + TINY);
        }
    }

    /// Twice the area of a triangle, with its sign.
    fn area(&self, t: usize) -> f64 {
        let [a, b, c] = self.surfaces.triangles[t].map(|row| self.at(row));
        (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    }

    /// (p1 - p0, p2 - p0)^-1 by rows; no numbers where the triangle has no area.
    fn inverse(&self, t: usize) -> [f32; 4] {
        let [a, b, c] = self.surfaces.triangles[t].map(|row| self.at(row));
        inverse([b[0] - a[0], b[1] - a[1]], [c[0] - a[0], c[1] - a[1]])
    }

    /// Pairs of clusters, the lower one first, that are so near at rest that they are looked at.
    fn neighbours(&self) -> Vec<[u32; 2]> {
        let Sheet { surfaces, clusters, .. } = self;
        let all = &surfaces.clusters[clusters.clone()];
        let spare = surfaces.bodies[all[0].body].thickness + 0.5 * surfaces.edge;
        let around = |cluster: &Cluster| {
            let mut b = Aabb { low: [f32::INFINITY; 3], high: [f32::NEG_INFINITY; 3] };
            for &row in surfaces.rows(cluster) {
                for k in 0..3 {
                    let x = surfaces.at_rest[row as usize][k];
                    (b.low[k], b.high[k]) = (b.low[k].min(x - spare), b.high[k].max(x + spare));
                }
            }
            b
        };
        let mut found: Vec<[u32; 2]> = clusters.clone().map(|c| [c as u32; 2]).collect();
        let (mut grid, mut pairs) = (BoxGrid::default(), Pairs::new());
        let boxes: Vec<Aabb> = all.iter().map(around).collect();
        if grid.build(&boxes).is_ok() && pairs.among(&grid).is_ok() {
            let base = clusters.start as u32;
            found.extend(pairs.iter().map(|[a, b]| [base + a.min(b), base + a.max(b)]));
        }
        found
    }

    /// Finds the triangles that cover the hull of two clusters; gives its corners and the inverse of their ways.
    fn flood(&mut self, pair: [u32; 2]) -> Option<([u32; 4], [f32; 4])> {
        if pair.iter().any(|&c| self.loose[c as usize - self.clusters.start]) {
            return None;
        }
        let [a, b] = pair.map(|c| &self.surfaces.clusters[c as usize]);
        let rows: Vec<u32> = [a, b].into_iter().flat_map(|c| self.surfaces.rows(c)).copied().collect();
        let hull = hull(rows.iter().map(|&row| self.at(row)).collect());
        let seed = a.triangles.clone().chain(b.triangles.clone()).next()?;
        let (tiny, sign) = (TINY * f64::from(self.surfaces.edge), self.area(seed).signum());
        self.flood += 1;
        self.found.clear();
        self.found.push(seed);
        self.seen[seed - self.first] = self.flood;
        let mut next = 0;
        while next < self.found.len() {
            let t = self.found[next];
            next += 1;
            let area = self.area(t) * sign;
            if area.is_nan() || area <= tiny * tiny {
                return None;
            }
            let rows = self.surfaces.triangles[t];
            for (side, &row) in rows.iter().enumerate() {
                let at = (row - self.base()) as usize;
                if self.wound[at] {
                    return None;
                }
                self.seen_rows[at] = self.flood;
                if !leads_through(&hull, self.at(row), self.at(rows[(side + 1) % 3]), tiny) {
                    continue;
                }
                let beyond = self.beyond[t - self.first][side];
                if beyond == BORDER {
                    return None;
                }
                if std::mem::replace(&mut self.seen[beyond - self.first], self.flood) != self.flood {
                    self.found.push(beyond);
                }
            }
        }
        let all_seen = a.triangles.clone().chain(b.triangles.clone()).all(|t| self.seen[t - self.first] == self.flood)
            && rows.iter().all(|&row| self.seen_rows[(row - self.base()) as usize] == self.flood);
        if !all_seen {
            return None;
        }
        let far = |f: &dyn Fn(Point) -> f64| {
            let mut rows = rows.iter();
            let first = *rows.next()?;
            Some(rows.fold(first, |best, &row| if f(self.at(row)) > f(self.at(best)) { row } else { best }))
        };
        let corners = [far(&|p| -p[0])?, far(&|p| p[0])?, far(&|p| -p[1])?, far(&|p| p[1])?];
        let p = corners.map(|row| self.at(row));
        let (e, f) = ([p[1][0] - p[0][0], p[1][1] - p[0][1]], [p[3][0] - p[2][0], p[3][1] - p[2][1]]);
        let inverse = inverse(e, f);
        inverse.iter().all(|m| m.is_finite()).then_some((corners, inverse))
    }
}

/// (e, f)^-1 by rows.
fn inverse(e: Point, f: Point) -> [f32; 4] {
    let d = e[0] * f[1] - e[1] * f[0];
    [f[1] / d, -f[0] / d, -e[1] / d, e[0] / d].map(|m| m as f32)
}

/// The corners of the convex hull, counterclockwise (Andrew 1979).
fn hull(mut p: Vec<Point>) -> Vec<Point> {
    p.sort_unstable_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    p.dedup();
    let mut hull: Vec<Point> = Vec::new();
    for upper in [false, true] {
        let base = hull.len() + 1;
        for k in 0..p.len() {
            let c = p[if upper { p.len() - 1 - k } else { k }];
            while hull.len() > base {
                let (a, b) = (hull[hull.len() - 2], hull[hull.len() - 1]);
                if (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) > 0.0 {
                    break;
                }
                hull.pop();
            }
            hull.push(c);
        }
        hull.pop();
    }
    hull
}

/// Whether an edge has a part that is deeper inside a hull than `tiny`.
fn leads_through(hull: &[Point], a: Point, b: Point, tiny: f64) -> bool {
    let (mut from, mut to) = (0.0f64, 1.0f64);
    for (k, &p) in hull.iter().enumerate() {
        let q = hull[(k + 1) % hull.len()];
        let e = [q[0] - p[0], q[1] - p[1]];
        let length = (e[0] * e[0] + e[1] * e[1]).sqrt();
        let inside = |x: Point| (e[0] * (x[1] - p[1]) - e[1] * (x[0] - p[0])) / length - tiny;
        let (start, end) = (inside(a), inside(b));
        if start <= 0.0 && end <= 0.0 {
            return false;
        }
        let at = start / (start - end);
        if start < 0.0 {
            from = from.max(at);
        } else if end < 0.0 {
            to = to.min(at);
        }
    }
    hull.len() > 2 && from < to
}
