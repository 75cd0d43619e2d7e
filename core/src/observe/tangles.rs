//! Which bodies go through each other although they collide: they began so, or were carried there (docs/contacts.md).

use crate::describe::error::Error;
use crate::describe::ids::BodyId;
use crate::observe::intersections::Intersections;
use crate::plan::Plan;
use crate::run::state::State;
use seidel_kernels::Row;

/// Two bodies that collide with each other, or one with itself, and go through each other in a state. Bodies that
/// collide as spheres do not count: nothing is promised of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tangle {
    /// The bodies, the first in the scene first; twice the same for one that goes through itself.
    pub bodies: [BodyId; 2],
    /// Pairs of triangles that intersect. This or `edges` is above 0.
    pub triangles: usize,
    /// Pairs of a rope's edge and a triangle.
    pub edges: usize,
}

/// A triangle, or an edge of a rope, that goes through a triangle.
#[derive(Clone, Copy)]
enum Through {
    Triangle([(BodyId, usize); 2]),
    Edge((BodyId, [u32; 2]), (BodyId, usize)),
}

impl Through {
    fn bodies(self) -> [BodyId; 2] {
        let (Through::Triangle([(a, _), (b, _)]) | Through::Edge((a, _), (b, _))) = self;
        [a, b]
    }
}

impl Plan {
    /// Which bodies that collide go through each other in a state. They began so, or were taken there
    /// (docs/contacts.md, "Promises"), and are not parted. In the order of the scene. What is not finite is left out.
    /// For reports: a search over all triangles.
    ///
    /// # Errors
    /// As [`Intersections::count`].
    pub fn tangles(&self, state: &State) -> Result<Vec<Tangle>, Error> {
        if state.plan != self.id {
            return Err(Error::OtherPlan { what: "state" });
        }
        let mut search = Intersections::new();
        let mut tangles: Vec<Tangle> = Vec::new();
        for through in self.through(&mut search, &state.x, |body| state.off.bodies[body])? {
            let mut bodies = through.bodies();
            bodies.sort_unstable_by_key(|body| body.index());
            let at = tangles.iter().position(|tangle| tangle.bodies == bodies).unwrap_or_else(|| {
                tangles.push(Tangle { bodies, triangles: 0, edges: 0 });
                tangles.len() - 1
            });
            match through {
                Through::Triangle(_) => tangles[at].triangles += 1,
                Through::Edge(..) => tangles[at].edges += 1,
            }
        }
        tangles.sort_unstable_by_key(|tangle| tangle.bodies.map(BodyId::index));
        Ok(tangles)
    }

    /// All that goes through something it collides with, of bodies where rows say, without those that are disabled.
    fn through<'a, F: Fn(usize) -> bool>(
        &'a self,
        search: &'a mut Intersections,
        x: &[Row],
        is_off: F,
    ) -> Result<impl Iterator<Item = Through> + use<'a, F>, Error> {
        if self.surfaces.is_some() {
            search.count_rows(self, x, is_off)?;
        }
        let of = |body: BodyId| self.part(body);
        let corners = move |(body, t): (BodyId, usize)| of(body).triangles[t].map(|v| of(body).particle(v));
        let surfaces = self.surfaces.as_ref();
        let meet = move |a: BodyId, b: BodyId| {
            surfaces.is_some_and(|surfaces| surfaces.collide(of(a).start as u32, of(b).start as u32))
        };
        // Features that a joint holds in one place touch there.
        let pairs =
            search.pairs().filter(move |[a, b]| meet(a.0, b.0) && !self.joined.hold(&corners(*a), &corners(*b)));
        let edges = search.edges().filter(move |((a, edge), b)| {
            meet(*a, b.0) && !self.joined.hold(&edge.map(|v| of(*a).particle(v)), &corners(*b))
        });
        Ok(pairs.map(Through::Triangle).chain(edges.map(|(edge, triangle)| Through::Edge(edge, triangle))))
    }

    /// The first pair of features that intersect at the start, if any do, as a warning.
    pub(crate) fn begins_tangled(&self) -> Option<String> {
        // Copies of what has torn begin nowhere.
        if self.base.is_some() {
            return self.untorn().begins_tangled();
        }
        self.surfaces.as_ref()?;
        let mut search = Intersections::new();
        let mut all = self.through(&mut search, &self.x, |_| false).ok()?;
        let first = all.next()?;
        let [a, b] = first.bodies().map(|body| &self.part(body).name);
        let what = match first {
            Through::Triangle([(_, i), (_, j)]) => format!("triangles {i} and {j}"),
            Through::Edge((_, [i, j]), (_, k)) => format!("edge {i}-{j} and triangle {k}"),
        };
        Some(format!("body `{a}` starts through body `{b}` ({what}; {} more) and stays so", all.count()))
    }
}
