//! A sheet in the plane in which it rests, and the triangles that cover the hull of two of its clusters.
//!
//! They are found from one of them across edges that lead through the hull; where such an edge has no triangle beyond,
//! or two, there is no region. All connected, of one orientation, without a border inside: a covering of the hull,
//! which has no other coverings than copies of itself.

use crate::plan::surfaces::{Cluster, Surfaces};
use seidel_hash::{Aabb, BoxGrid, Pairs};
use std::f64::consts::TAU;
use std::ops::Range;

/// A point of the plane at rest.
type PlanePoint = [f64; 2];

/// No triangle beyond an edge, or several.
const BORDER: usize = usize::MAX;
/// Of the mean edge: how far a border may lie inside a hull, particles off the plane, and corners be apart.
const TINY: f64 = 1e-3;

/// A body that is plane at rest.
pub(super) struct Sheet<'a> {
    pub(super) surfaces: &'a Surfaces,
    clusters: Range<usize>,
    /// Its first triangle.
    first: usize,
    /// Where each row of the body lies in the plane, from the body's first row on.
    p: Vec<PlanePoint>,
    /// Whether triangles go round a row's point more than once.
    wound: Vec<bool>,
    /// Across the edges 01, 12, 20 of each triangle.
    beyond: Vec<[usize; 3]>,
    /// The cluster of each triangle.
    owner: Vec<u32>,
    /// Whether a cluster has edges that are no triangle's.
    loose: Vec<bool>,
    /// Triangles found in the last flood.
    pub(super) found: Vec<usize>,
    /// The last flood that found a triangle, or a row.
    seen: Vec<u32>,
    seen_rows: Vec<u32>,
    flood: u32,
}

impl<'a> Sheet<'a> {
    /// A body's clusters; None if it has no triangles or is not plane.
    pub(super) fn new(surfaces: &'a Surfaces, clusters: Range<usize>) -> Option<Sheet<'a>> {
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
    fn at(&self, row: u32) -> PlanePoint {
        self.p[(row - self.base()) as usize]
    }

    /// The body's first row.
    fn base(&self) -> u32 {
        self.surfaces.bodies[self.surfaces.clusters[self.clusters.start].body].rows.start
    }

    /// A triangle's cluster.
    pub(super) fn owner(&self, t: usize) -> u32 {
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
    pub(super) fn inverse(&self, t: usize) -> [f32; 4] {
        let [a, b, c] = self.surfaces.triangles[t].map(|row| self.at(row));
        inverse([b[0] - a[0], b[1] - a[1]], [c[0] - a[0], c[1] - a[1]])
    }

    /// Pairs of clusters, the lower one first, that are so near at rest that they are looked at.
    pub(super) fn neighbours(&self) -> Vec<[u32; 2]> {
        let Sheet { surfaces, clusters, .. } = self;
        let all = &surfaces.clusters[clusters.clone()];
        let margin = surfaces.bodies[all[0].body].thickness + 0.5 * surfaces.edge;
        let around = |cluster: &Cluster| {
            let mut b = Aabb { low: [f32::INFINITY; 3], high: [f32::NEG_INFINITY; 3] };
            for &row in surfaces.rows(cluster) {
                for k in 0..3 {
                    let x = surfaces.at_rest[row as usize][k];
                    (b.low[k], b.high[k]) = (b.low[k].min(x - margin), b.high[k].max(x + margin));
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
    pub(super) fn flood(&mut self, pair: [u32; 2]) -> Option<([u32; 4], [f32; 4])> {
        if pair.iter().any(|&c| self.loose[c as usize - self.clusters.start]) {
            return None;
        }
        let surfaces = self.surfaces;
        let [a, b] = pair.map(|c| &surfaces.clusters[c as usize]);
        let rows: Vec<u32> = [a, b].into_iter().flat_map(|c| surfaces.rows(c)).copied().collect();
        self.cover(&rows, [a.triangles.clone(), b.triangles.clone()])
    }

    /// The same for parts of two clusters.
    pub(super) fn flood_parts(&mut self, pair: [u32; 2], numbers: [u8; 2]) -> Option<([u32; 4], [f32; 4])> {
        if pair.iter().any(|&c| self.loose[c as usize - self.clusters.start]) {
            return None;
        }
        let surfaces = self.surfaces;
        let of = |k: usize| &surfaces.clusters[pair[k] as usize].parts[usize::from(numbers[k])];
        let rows: Vec<u32> = of(0).corners.rows().chain(of(1).corners.rows()).collect();
        self.cover(&rows, [of(0).triangles.clone(), of(1).triangles.clone()])
    }

    /// Finds the triangles that cover the hull of some rows, with all of `triangles`, which are these rows'.
    fn cover(&mut self, rows: &[u32], triangles: [Range<usize>; 2]) -> Option<([u32; 4], [f32; 4])> {
        let hull = hull(rows.iter().map(|&row| self.at(row)).collect());
        let [a, b] = triangles;
        let seed = a.clone().chain(b.clone()).next()?;
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
            let corners = self.surfaces.triangles[t];
            for (side, &row) in corners.iter().enumerate() {
                let at = (row - self.base()) as usize;
                if self.wound[at] {
                    return None;
                }
                self.seen_rows[at] = self.flood;
                if !leads_through(&hull, self.at(row), self.at(corners[(side + 1) % 3]), tiny) {
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
        let all_seen = a.chain(b).all(|t| self.seen[t - self.first] == self.flood)
            && rows.iter().all(|&row| self.seen_rows[(row - self.base()) as usize] == self.flood);
        if !all_seen {
            return None;
        }
        let far = |f: &dyn Fn(PlanePoint) -> f64| {
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
fn inverse(e: PlanePoint, f: PlanePoint) -> [f32; 4] {
    let d = e[0] * f[1] - e[1] * f[0];
    [f[1] / d, -f[0] / d, -e[1] / d, e[0] / d].map(|m| m as f32)
}

/// The corners of the convex hull, counterclockwise (Andrew 1979).
fn hull(mut p: Vec<PlanePoint>) -> Vec<PlanePoint> {
    p.sort_unstable_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    p.dedup();
    let mut hull: Vec<PlanePoint> = Vec::new();
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
fn leads_through(hull: &[PlanePoint], a: PlanePoint, b: PlanePoint, tiny: f64) -> bool {
    let (mut from, mut to) = (0.0f64, 1.0f64);
    for (k, &p) in hull.iter().enumerate() {
        let q = hull[(k + 1) % hull.len()];
        let e = [q[0] - p[0], q[1] - p[1]];
        let length = (e[0] * e[0] + e[1] * e[1]).sqrt();
        let inside = |x: PlanePoint| (e[0] * (x[1] - p[1]) - e[1] * (x[0] - p[0])) / length - tiny;
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
