//! Closed meshes of balls and boxes, made to be deformed: their triangles are much alike.

use super::Mesh;

/// Halvings of a ball's edges at most: a million vertices.
const MAX_DETAIL: u32 = 8;

/// Cells along a box's edge at most.
const MAX_CELLS: u32 = 1000;

impl Mesh {
    /// A ball about the origin, radius in metres: an icosahedron whose edges are halved `detail` times (8 at most),
    /// 10 * 4^detail + 2 vertices.
    ///
    /// # Example
    /// ```
    /// let ball = seidel::Mesh::ball(0.5, 2);
    /// assert_eq!((ball.positions.len(), ball.triangles.len()), (162, 320));
    /// ```
    #[must_use]
    pub fn ball(radius: f32, detail: u32) -> Mesh {
        let golden = 0.5 * (1.0 + f64::sqrt(5.0));
        // Three rectangles at right angles.
        let mut points: Vec<[f64; 3]> = Vec::new();
        let corners = [[-1.0, golden], [1.0, golden], [-1.0, -golden], [1.0, -golden]];
        points.extend(corners.map(|[a, b]| [a, b, 0.0]));
        points.extend(corners.map(|[a, b]| [0.0, a, b]));
        points.extend(corners.map(|[a, b]| [b, 0.0, a]));
        let near = |points: &[[f64; 3]], a: u32, b: u32| {
            let (a, b) = (points[a as usize], points[b as usize]);
            (0..3).map(|k| (a[k] - b[k]) * (a[k] - b[k])).sum::<f64>() < 4.1
        };
        // Corners are 2 apart, or more than 3.
        let mut triangles: Vec<[u32; 3]> = Vec::new();
        for a in 0..12 {
            for b in (a + 1..12).filter(|&b| near(&points, a, b)) {
                triangles
                    .extend((b + 1..12).filter(|&c| near(&points, b, c) && near(&points, a, c)).map(|c| [a, b, c]));
            }
        }
        orient(&points, &mut triangles);
        for _ in 0..detail.min(MAX_DETAIL) {
            halve(&mut points, &mut triangles);
        }
        let onto = |p: &[f64; 3]| {
            let length = f64::sqrt((p[0] * p[0] + p[1] * p[1]) + p[2] * p[2]);
            p.map(|c| (f64::from(radius) * c / length) as f32)
        };
        Mesh { positions: points.iter().map(onto).collect(), triangles }
    }

    /// A box about the origin, half its edges in metres, each cut into as many cells (1 to 1000); two triangles a cell
    /// of its surface.
    ///
    /// # Example
    /// ```
    /// let brick = seidel::Mesh::cuboid([0.2, 0.1, 0.1], [4, 2, 2]);
    /// assert_eq!((brick.positions.len(), brick.triangles.len()), (42, 80));
    /// ```
    #[must_use]
    pub fn cuboid(half: impl Into<glam::Vec3>, cells: [u32; 3]) -> Mesh {
        let half = half.into().to_array();
        let n = cells.map(|c| c.clamp(1, MAX_CELLS) as usize);
        let border = Border { n };
        let mut vertices = vec![u32::MAX; border.count()];
        let mut mesh = Mesh::default();
        let mut vertex = |mesh: &mut Mesh, at: [usize; 3]| {
            let slot = &mut vertices[border.number(at)];
            if *slot == u32::MAX {
                *slot = mesh.positions.len() as u32;
                let place = |k: usize| f64::from(half[k]) * (2.0 * at[k] as f64 / n[k] as f64 - 1.0);
                mesh.positions.push(std::array::from_fn(|k| place(k) as f32));
            }
            *slot
        };
        for axis in 0..3 {
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            for end in [0, n[axis]] {
                for (i, j) in (0..n[v]).flat_map(|j| (0..n[u]).map(move |i| (i, j))) {
                    let mut corner = |di: usize, dj: usize| {
                        let mut at = [0; 3];
                        (at[axis], at[u], at[v]) = (end, i + di, j + dj);
                        vertex(&mut mesh, at)
                    };
                    let [a, b, c, d] = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                    let (one, other) = if (i + j) % 2 == 0 { ([a, b, c], [a, c, d]) } else { ([a, b, d], [b, c, d]) };
                    for [p, q, r] in [one, other] {
                        mesh.triangles.push(if end == 0 { [p, r, q] } else { [p, q, r] });
                    }
                }
            }
        }
        mesh
    }

    /// A third of the area around each vertex, m^2.
    pub(crate) fn areas(&self) -> Vec<f64> {
        let mut areas = vec![0.0f64; self.positions.len()];
        for t in &self.triangles {
            let [a, b, c] = t.map(|v| self.positions[v as usize].map(f64::from));
            let (e, f): ([f64; 3], [f64; 3]) =
                (std::array::from_fn(|k| b[k] - a[k]), std::array::from_fn(|k| c[k] - a[k]));
            let n = [e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]];
            let area = 0.5 * f64::sqrt((n[0] * n[0] + n[1] * n[1]) + n[2] * n[2]);
            t.iter().for_each(|&v| areas[v as usize] += area / 3.0);
        }
        areas
    }
}

/// The nodes on the border of a box of so many cells.
struct Border {
    n: [usize; 3],
}

impl Border {
    /// In the layer at one end of z, and in the ring of one between.
    fn sizes(&self) -> (usize, usize) {
        let [nx, ny, _] = self.n;
        ((nx + 1) * (ny + 1), 2 * (nx + ny))
    }

    fn count(&self) -> usize {
        let (layer, ring) = self.sizes();
        2 * layer + (self.n[2] - 1) * ring
    }

    /// Layer after layer: both layers at the ends of z are whole, of the others there are the two rows at the ends of
    /// y, then what is between at the ends of x.
    fn number(&self, [i, j, k]: [usize; 3]) -> usize {
        let ([nx, ny, nz], (layer, ring)) = (self.n, self.sizes());
        let before = if k == 0 { 0 } else { layer + (k - 1) * ring };
        let within = match j {
            _ if k == 0 || k == nz => i + (nx + 1) * j,
            0 => i,
            _ if j == ny => nx + 1 + i,
            _ => 2 * (nx + 1) + 2 * (j - 1) + usize::from(i == nx),
        };
        before + within
    }
}

/// Turns triangles about the origin so that they face outward.
fn orient(points: &[[f64; 3]], triangles: &mut [[u32; 3]]) {
    for t in triangles {
        let [a, b, c] = t.map(|v| points[v as usize]);
        let n = [b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]];
        if (a[0] * n[0] + a[1] * n[1]) + a[2] * n[2] < 0.0 {
            t.swap(1, 2);
        }
    }
}

/// Halves all edges; new points lie on the sphere through the first.
fn halve(points: &mut Vec<[f64; 3]>, triangles: &mut Vec<[u32; 3]>) {
    let old = points.len() as u32;
    let mut edges: Vec<[u32; 2]> =
        triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).map(|[a, b]| [a.min(b), a.max(b)]).collect();
    edges.sort_unstable();
    edges.dedup();
    let length = |p: [f64; 3]| f64::sqrt((p[0] * p[0] + p[1] * p[1]) + p[2] * p[2]);
    let radius = length(points[0]);
    for [a, b] in &edges {
        let (a, b) = (points[*a as usize], points[*b as usize]);
        let middle: [f64; 3] = std::array::from_fn(|k| a[k] + b[k]);
        points.push(middle.map(|c| c * radius / length(middle)));
    }
    let half = |a: u32, b: u32| old + edges.partition_point(|edge| *edge < [a.min(b), a.max(b)]) as u32;
    *triangles = triangles
        .iter()
        .flat_map(|&[a, b, c]| {
            let (ab, bc, ca) = (half(a, b), half(b, c), half(c, a));
            [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
        })
        .collect();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::field::measured;

    /// Every node of a box's border has a number of its own, and there are no others.
    #[test]
    fn borders_are_numbered_without_gaps() {
        for n in [[1, 1, 1], [1, 4, 2], [5, 1, 1], [2, 1, 6], [5, 4, 3]] {
            let border = Border { n };
            let mut numbers = Vec::new();
            for (i, j, k) in (0..=n[0]).flat_map(|i| (0..=n[1]).flat_map(move |j| (0..=n[2]).map(move |k| (i, j, k)))) {
                if [i, j, k].iter().zip(n).any(|(&at, n)| at == 0 || at == n) {
                    numbers.push(border.number([i, j, k]));
                }
            }
            numbers.sort_unstable();
            assert_eq!(numbers, (0..border.count()).collect::<Vec<_>>(), "{n:?}");
            let brick = Mesh::cuboid([1.0; 3], n.map(|n| n as u32));
            assert_eq!(brick.positions.len(), border.count());
            assert_eq!(brick.positions[0], [-1.0; 3]);
        }
    }

    #[test]
    fn they_close_and_hold_their_volume() {
        for detail in 0..5 {
            let ball = Mesh::ball(0.5, detail);
            assert!(ball.closed("ball").is_ok() && ball.defects().errors().count() == 0, "{detail}");
            assert_eq!(ball.positions.len() + ball.triangles.len() - ball.edges().len(), 2);
            let (volume, area) = measured(&ball.triangles, &ball.positions);
            let (full, all) = (std::f64::consts::PI / 6.0, std::f64::consts::PI);
            let off = 0.6 / f64::from(1 << (2 * detail));
            assert!(volume < full && volume > full * (1.0 - off), "{detail}: {volume} of {full}");
            assert!(area < all && (ball.areas().iter().sum::<f64>() - area).abs() < 1e-12);
        }
        let brick = Mesh::cuboid([0.3, 0.2, 0.1], [5, 4, 3]);
        assert!(brick.closed("brick").is_ok() && brick.defects().errors().count() == 0);
        let (volume, area) = measured(&brick.triangles, &brick.positions);
        assert!((volume / 0.048 - 1.0).abs() < 1e-6 && (area / 0.88 - 1.0).abs() < 1e-6, "{volume} {area}");
    }
}
