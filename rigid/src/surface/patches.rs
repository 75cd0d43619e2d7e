//! Contacts with many triangles, joined where they have nearly one normal.

use crate::manifold::Manifold;
use crate::manifold::convex::{CUT, NO_TOUCH, TouchPoint, manifold, narrow};
use crate::tuning::{SAME_PATCH, SAME_POINT};
use crate::vector::V;

/// Manifolds of a body and a surface at most: in a corner of three walls three touch.
pub const PATCHES: usize = 4;

/// Points of one normal, COUNT at most.
struct Patch<const COUNT: usize> {
    normal: V,
    least: f64,
    points: [TouchPoint; COUNT],
    count: usize,
}

/// All patches of a body.
pub(super) struct Patches<const COUNT: usize> {
    patches: [Patch<COUNT>; PATCHES],
    count: usize,
}

impl<const COUNT: usize> Patches<COUNT> {
    pub(super) fn new() -> Patches<COUNT> {
        Patches { patches: [Patch::EMPTY; PATCHES], count: 0 }
    }

    /// Takes up the contact with a triangle, along a normal; `name` is the triangle's.
    pub(super) fn add(&mut self, normal: V, points: &[TouchPoint], name: u32) {
        let least =
            points.iter().fold(f64::INFINITY, |least, p| if p.separation < least { p.separation } else { least });
        if points.is_empty() {
            return;
        }
        let like = |patch: &Patch<COUNT>| patch.normal.dot(normal);
        let mut best = (0, f64::NEG_INFINITY);
        for (k, patch) in self.patches[..self.count].iter().enumerate() {
            if like(patch) > best.1 {
                best = (k, like(patch));
            }
        }
        let patch = if best.1 > SAME_PATCH {
            &mut self.patches[best.0]
        } else if let Some(free) = self.room(best.1, least) {
            &mut self.patches[free]
        } else {
            return;
        };
        if least < patch.least {
            (patch.least, patch.normal) = (least, normal);
        }
        for point in points {
            // Fibonacci hashing: names of triangles that are neighbours differ in many bits. What a triangle's side
            // cuts comes after the body's own corners, so that these are kept: they are farthest out.
            let cut = u32::from(point.feature & CUT != 0) << 31;
            let feature = (point.feature ^ name.wrapping_mul(0x9e37_79b1)) >> 1 | cut;
            patch.push(TouchPoint { feature, ..*point });
        }
    }

    /// A patch for a contact that is like the most alike one only so much, and so deep. Where all are taken, of the two
    /// that are more alike than that the less deep one goes: so a ball in a ring is held from all sides. Else the least
    /// deep one goes, if this is deeper. Its points are not joined to another's: along a normal that is not theirs they
    /// would turn the body.
    fn room(&mut self, alike: f64, least: f64) -> Option<usize> {
        if self.count < PATCHES {
            self.count += 1;
            return Some(self.count - 1);
        }
        let mut closest = (0, 0, f64::NEG_INFINITY);
        for i in 0..PATCHES {
            for j in i + 1..PATCHES {
                let dot = self.patches[i].normal.dot(self.patches[j].normal);
                closest = if dot > closest.2 { (i, j, dot) } else { closest };
            }
        }
        let (i, j, dot) = closest;
        let least_deep =
            |most: usize, k: usize| if self.patches[k].least > self.patches[most].least { k } else { most };
        let goes = if dot > alike { least_deep(j, i) } else { (1..PATCHES).fold(0, least_deep) };
        (dot > alike || self.patches[goes].least > least).then(|| {
            self.patches[goes] = Patch::EMPTY;
            goes
        })
    }

    pub(super) fn manifolds(&self) -> [Manifold; PATCHES] {
        let mut all = [Manifold::NONE; PATCHES];
        for (to, patch) in all.iter_mut().zip(&self.patches[..self.count]) {
            *to = patch.manifold();
        }
        all
    }
}

impl<const COUNT: usize> Patch<COUNT> {
    const EMPTY: Patch<COUNT> =
        Patch { normal: V { x: 0.0, y: 0.0, z: 0.0 }, least: f64::INFINITY, points: [NO_TOUCH; COUNT], count: 0 };

    fn push(&mut self, point: TouchPoint) {
        // Two triangles have what is above their common side both.
        let same = f64::from(SAME_POINT * SAME_POINT);
        let known = self.points[..self.count]
            .iter()
            .any(|p| (p.b - point.b).length_squared() < same && (p.a - point.a).length_squared() < same);
        if known {
            return;
        }
        if self.count == COUNT {
            // The body's own corners stay, and what four points would keep of all.
            let few = self.manifold();
            let mut count = 0;
            for k in 0..self.count {
                let feature = self.points[k].feature;
                let kept = few.points().iter().any(|p| p.feature == feature);
                if kept || (feature >> 31 == 0 && count < COUNT.saturating_sub(8)) {
                    self.points[count] = self.points[k];
                    count += 1;
                }
            }
            if count == COUNT {
                return;
            }
            self.count = count;
        }
        self.points[self.count] = point;
        self.count += 1;
    }

    fn manifold(&self) -> Manifold {
        let mut points = self.points;
        for point in &mut points[..self.count] {
            point.separation = self.normal.dot(point.b - point.a);
        }
        manifold(narrow(self.normal), &points[..self.count])
    }
}
