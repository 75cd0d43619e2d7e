//! `--check intersections`: what goes through what, frame by frame.

use std::collections::BTreeMap;
use std::fmt;

use seidel::{Crossings, Error, Intersections, Solver};
use serde::{Deserialize, Serialize};

/// What was found in the frames so far.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Check {
    #[serde(skip)]
    search: Intersections,
    /// Of each frame: pairs of triangles; edges of ropes with triangles; what could not be looked at, for it is not
    /// finite.
    triangles: Vec<usize>,
    edges: Vec<usize>,
    skipped: Vec<usize>,
    /// Pairs of triangles of obstacles among themselves, which are where they were put: no fault of a frame.
    of_obstacles: Vec<usize>,
    /// Pairs of triangles of skins that intersect in their files, too: no fault of a frame.
    #[serde(default)]
    of_skins: Vec<usize>,
    /// Pairs of triangles, and edges in triangles, of bodies that contacts do not keep apart: faults all the same.
    #[serde(default)]
    not_colliding: Vec<usize>,
    /// Those in which a body with a skin shows that: its own triangles may be apart.
    #[serde(default)]
    of_shown: Vec<usize>,
    /// The bodies that have most of the worst frame's.
    #[serde(default)]
    worst_bodies: Option<[String; 2]>,
    /// Number of frames that are not clean.
    frames_with_any: usize,
    /// Of these the first that has most of all together, from 0.
    worst_frame: Option<usize>,
}

impl Check {
    /// Looks at a frame.
    pub(crate) fn look(&mut self, solver: &Solver) -> Result<(), Error> {
        let plan = solver.plan();
        let found = self.search.count(plan, solver.state())?;
        let triangles = self.search.pairs().map(|[(a, _), (b, _)]| [a, b]);
        let edges = self.search.edges().map(|((a, _), (b, _))| [a, b]);
        let (mut not_colliding, mut shown, mut of_bodies) = (0, 0, BTreeMap::new());
        for bodies in triangles.chain(edges) {
            let [a, b] = bodies;
            not_colliding += usize::from(!plan.keeps_apart(a, b));
            shown += usize::from(bodies.iter().any(|&body| plan.skin(body).is_some()));
            *of_bodies.entry([a.min(b), a.max(b)]).or_insert(0) += 1;
        }
        // The first of those that have most.
        let most = of_bodies.iter().rev().max_by_key(|(_, count)| **count);
        let named = most.map(|(bodies, _)| bodies.map(|body| plan.body_name(body).to_owned()));
        if self.note(found, not_colliding, shown) {
            self.worst_bodies = named;
        }
        Ok(())
    }

    /// Notes a frame. Returns whether it is the worst so far.
    fn note(&mut self, found: Crossings, not_colliding: usize, shown: usize) -> bool {
        let frame = self.triangles.len();
        self.not_colliding.push(not_colliding);
        self.of_shown.push(shown);
        self.triangles.push(found.triangles);
        self.edges.push(found.edges);
        self.skipped.push(found.skipped);
        self.of_obstacles.push(found.of_obstacles);
        self.of_skins.push(found.of_skins);
        if found.is_clean() {
            return false;
        }
        self.frames_with_any += 1;
        let is_worst = self.worst_frame.is_none_or(|worst| self.all(frame) > self.all(worst));
        if is_worst {
            self.worst_frame = Some(frame);
        }
        is_worst
    }

    fn all(&self, frame: usize) -> usize {
        self.triangles[frame] + self.edges[frame] + self.skipped[frame]
    }

    /// Whether every frame could be looked at and nothing was found.
    pub(crate) fn is_passed(&self) -> bool {
        self.frames_with_any == 0
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = self.triangles.len();
        let aside = [(&self.of_obstacles, "obstacles among themselves"), (&self.of_skins, "skins that cross at rest")];
        let aside = aside.map(|(counts, of)| match counts.iter().max() {
            Some(own) if *own > 0 => format!("; up to {own} pairs of {of}"),
            _ => String::new(),
        });
        let aside = aside.concat();
        let Some(worst) = self.worst_frame else { return write!(f, "none in {of} frames{aside}") };
        let (triangles, edges, skipped) = (self.triangles[worst], self.edges[worst], self.skipped[worst]);
        write!(f, "in {} of {of} frames; most in frame {worst}: {triangles} pairs of triangles", self.frames_with_any)?;
        if edges > 0 {
            write!(f, ", {edges} edges of ropes in triangles")?;
        }
        if skipped > 0 {
            write!(f, ", {skipped} triangles or edges that are not finite")?;
        }
        match &self.worst_bodies {
            Some([a, b]) if a == b => write!(f, ", most of `{a}` with itself")?,
            Some([a, b]) => write!(f, ", most of `{a}` and `{b}`")?,
            None => {}
        }
        // Not known of frames that an older program has looked at.
        if let Some(some @ 1..) = self.not_colliding.get(worst) {
            write!(f, "; {some} of them of bodies that are not kept apart exactly, or from themselves (`collide`)")?;
        }
        if let Some(some @ 1..) = self.of_shown.get(worst) {
            write!(
                f,
                "; {some} of them of the surface that a body shows, which sinks in (docs/contacts.md, \"Promises\")"
            )?;
        }
        f.write_str(&aside)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_the_worst_frames_is_told() {
        let mut check = Check::default();
        assert_eq!(check.to_string(), "none in 0 frames");
        let found = |triangles, edges, skipped| {
            let mut found = Crossings::default();
            (found.triangles, found.edges, found.skipped) = (triangles, edges, skipped);
            found
        };
        for crossings in [found(0, 0, 0), found(1, 1, 0), found(0, 1, 2), found(3, 0, 0), found(2, 0, 0)] {
            check.note(crossings, 0, 0);
        }
        assert!(!check.is_passed());
        let told = "in 4 of 5 frames; most in frame 2: 0 pairs of triangles, 1 edges of ropes in triangles, \
                    2 triangles or edges that are not finite";
        assert_eq!(check.to_string(), told);
        assert!(check.note(found(5, 0, 0), 2, 3) && !check.note(found(5, 0, 0), 0, 0));
        check.worst_bodies = Some(["sheet".to_owned(), "jelly".to_owned()]);
        let told = "in 6 of 7 frames; most in frame 5: 5 pairs of triangles, most of `sheet` and `jelly`; \
                    2 of them of bodies that are not kept apart exactly, or from themselves (`collide`); \
                    3 of them of the surface that a body shows, which sinks in (docs/contacts.md, \"Promises\")";
        assert_eq!(check.to_string(), told);
        let mut check = Check::default();
        let mut of_obstacles = Crossings::default();
        of_obstacles.of_obstacles = 7;
        check.note(of_obstacles, 0, 0);
        assert!(check.is_passed());
        assert_eq!(check.to_string(), "none in 1 frames; up to 7 pairs of obstacles among themselves");
        of_obstacles.of_skins = 2;
        check.note(of_obstacles, 0, 0);
        assert!(check.is_passed());
        let told =
            "none in 2 frames; up to 7 pairs of obstacles among themselves; up to 2 pairs of skins that cross at rest";
        assert_eq!(check.to_string(), told);
    }
}
