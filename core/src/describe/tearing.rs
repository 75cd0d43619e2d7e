//! Tearing: how far an edge stretches before the mesh gives way at one of its ends, and when it is cut. Sheets part
//! along edges, solids along faces.

use crate::describe::cut::Cut;
use crate::describe::error::{Error, range};
use crate::describe::memory::Need;
use crate::describe::values::Values;

/// When a cloth tears (Müller et al. 2007, "Position Based Dynamics", section 4.5), or a solid breaks.
///
/// At the end of a step an edge of the mesh whose strain is above the limit tears: the plane across it through one of
/// its ends divides the triangles around that vertex, of a solid the tetrahedra, and those on one side get a copy of
/// it. A solid opens along faces so, once all three corners of one are split. The edge that is most above its limit is
/// first, of equal ones that with the lower vertices; near it nothing else tears in that step. A crack goes on at its
/// tip, for an end that lies on a border is split before one that does not. The larger part keeps the vertex and all
/// that names it, such as joints; a copy has its tether, too, and its share of forces. Masses are shared by area or
/// volume, and a row that both parts have (an edge along the crack) is shared, too: its parts together are as stiff as
/// it was. Rest shapes stay.
///
/// Pinned vertices hold: what is sewn to a pin tears beside it. All that tears is in the [`crate::State`], and in its
/// bytes; [`crate::Report::torn`] tells of it. A [`crate::Solver`] goes on with the torn plan by itself, and
/// [`crate::Plan::torn`] makes it. What was made of a plan for drawing ([`crate::render`]) is made anew of the torn
/// one; contacts that are recorded are not told of a step in which something tears. Stiffness that an input has set is
/// the planned one again where an edit adds something that tears. Both lips of a crack count as neighbours in the
/// sheet: they keep no distance from each other.
///
/// # Example
/// ```
/// use seidel::{Cloth, Input, Scene, Solver, Tearing};
/// let mut scene = Scene::new();
/// scene.settings.gravity = [0.0, -300.0, 0.0].into();
/// let weak = Cloth::grid([8, 8], [1.0, 1.0]).stretch(1e-3).pin(&[0, 7]).tear(Tearing::new(0.05));
/// let sheet = scene.add(weak);
/// let mut solver = Solver::new(&scene)?;
/// let torn: usize = (0..30).map(|_| solver.step(&Input::frame(1.0 / 60.0)).torn.len()).sum();
/// assert!(torn > 0 && solver.positions(sheet).len() == 64 + torn);
/// # Ok::<(), seidel::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Tearing {
    /// Strain, (length - rest) / rest, > 0, above which an edge tears; one, or one for each vertex, of which an edge
    /// has the mean. Infinite: never. The rest length is that of the mesh as it is placed.
    pub strain: Values,
    /// How many copies of vertices there may be, up to 2^20; where all are used, nothing tears any more. As many as the
    /// mesh has vertices, and not more than 2^20, if none.
    pub capacity: Option<u32>,
    /// Cuts, each in the step in which its time comes, seconds.
    pub cuts: Vec<(f64, Cut)>,
    /// Copies that there are.
    copies: u32,
}

/// Copies of vertices, at most.
const MAX_COPIES: usize = 1 << 20;

impl Tearing {
    /// Beyond a strain: 0.1 is an edge that is longer by a tenth.
    #[must_use]
    pub fn new(strain: impl Into<Values>) -> Tearing {
        Tearing { strain: strain.into(), capacity: None, cuts: Vec::new(), copies: 0 }
    }

    /// Only where it is cut: [`Tearing::cut`], [`crate::Input::cut`].
    #[must_use]
    pub fn by_cuts() -> Tearing {
        Tearing::new(f32::INFINITY)
    }

    /// Cuts it at a time of the scene, seconds, at the end of the step that it falls into. A cut whose time passes
    /// while the body is disabled, or before it is added, is not made.
    #[must_use]
    pub fn cut(mut self, time: f64, cut: Cut) -> Tearing {
        self.cuts.push((time, cut));
        self
    }

    /// With so many copies of vertices at most: [`Tearing::capacity`].
    #[must_use]
    pub fn capacity(mut self, copies: u32) -> Tearing {
        self.capacity = Some(copies);
        self
    }

    /// One more copy, of a vertex.
    pub(super) fn copied(&mut self, vertex: usize) {
        self.strain.extend(vertex);
        self.copies += 1;
    }

    /// Copies that there are.
    pub(crate) fn copies(&self) -> usize {
        self.copies as usize
    }

    /// The need of a body of so many vertices that needs so much where it cannot tear: the torn plan is made while the
    /// one before is there.
    pub(super) fn counted(&self, need: Need, vertices: u64) -> Need {
        need + need + Need::particles(self.capacity.map_or(vertices, u64::from))
    }

    /// How many there may be, of so many vertices.
    pub(crate) fn most_copies(&self, vertices: usize) -> usize {
        self.capacity.map_or(vertices.min(MAX_COPIES), |capacity| capacity as usize)
    }

    /// Whether its numbers are in their ranges, for a body of so many vertices.
    pub(super) fn check(&self, of: &dyn Fn() -> String, vertices: usize) -> Result<(), Error> {
        self.strain.check(of, ("strain of its tearing", "vertex"), vertices, |strain| strain > 0.0, "above 0")?;
        let got = f64::from(self.capacity.unwrap_or(0));
        range(of, || "capacity of its tearing".to_owned(), got, got <= MAX_COPIES as f64, "at most 1048576")?;
        self.cuts.iter().try_for_each(|(time, cut)| {
            range(of, || "time of a cut".to_owned(), *time, (0.0..=1e9).contains(time), "within 0 .. 1e9 s")?;
            cut.check(of)
        })
    }
}
