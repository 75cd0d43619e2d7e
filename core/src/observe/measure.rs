//! Measurements of a state: energy, stretch, penetration. For reports and tests; a step needs none of them.

use crate::describe::collider::Collider;
use crate::describe::ids::BodyId;
use crate::describe::settings::Method;
use crate::geometry::vector::{length, sub};
use crate::plan::body::BodyPlan;
use crate::plan::{Family, Needed, Plan};
use crate::run::passes::colliders::gap::{gap, point};
use crate::run::passes::colliders::moving::Transform;
use crate::run::state::State;
use crate::tuning::{AUTO_BEND, AUTO_STRETCH, AUTO_SUBSTEPS, MANY_COLORS};
use seidel_kernels::plasticity::plastic_strain;
use seidel_kernels::tuning::{BEGINS_INSIDE, INSIDE_ROUNDING};
use seidel_kernels::{Pack, Particles, Row, Rows, V3};
use seidel_kinds as kinds;
use std::ops::Range;

/// Parameters that flow of a row, at most.
const MOST_FLOWING: usize = 6;

/// Share of a mesh's largest side. A greater thickness is told: it may be in another unit.
const THICK: f64 = 0.5;

/// Energies in joules, stretch, and penetration in metres.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Measurements {
    /// sum m v^2 / 2, and of frames and rigid bodies sum I omega^2 / 2
    pub kinetic: f64,
    /// -sum m g.x, of rigid bodies times their gravity's scale
    pub potential: f64,
    /// Constraint error as an energy: sum C^2 / (2 alpha) over rows with a compliance above 0, as the plan or an
    /// [`crate::Input::stiffness`] has it; rows that have broken have none. Of kinds that are several numbers a row
    /// (fabrics, rods, tetrahedra in blocks), C is their length and alpha the first compliance; what others the row has
    /// among its parameters is left out. It is the elastic energy only where constraints have converged. Where they are
    /// stiffer than a substep can solve it is far above what could ever come back (thousands of joules for a cloth that
    /// fell one metre), so it is no part of an energy balance: do not add it to the other two.
    pub constraint_error: f64,
    /// Largest (length - rest) / rest over rows whose first parameter is a length above 0, and that can move, and over
    /// a rod's segments; of rows that yield at rest is what they are now. Elements have no length and are not in it.
    pub max_stretch: f32,
    /// How far the deepest particle or triangle is inside a collider's surface plus its own thickness; 0 if none is. Of
    /// a body with a skin ([`crate::SoftBody::skin`]), the deepest vertex of it, or point between the vertices of its
    /// large triangles. Pinned particles, and triangles of three of them, do not count.
    pub max_penetration: f32,
}

/// The rows [x, y, z, w] and velocities of a body's vertices that can move.
fn free<'a>(state: &'a State, body: &'a BodyPlan) -> impl Iterator<Item = (Row, Row)> + 'a {
    let rows = (body.start..body.start + body.rows).filter(|row| body.vertex(*row).is_some());
    let read = |row| (body.layout.read(&state.x, row), body.layout.read(&state.v, row));
    rows.map(read).filter(|(x, _)| x[3] > 0.0)
}

/// The larger of `most` and of what the edges of a body's cells have been stretched by, (length - rest) / rest.
fn stretched<const N: usize>(state: &State, start: &Rows, body: &BodyPlan, cells: &[[u32; N]], most: f32) -> f32 {
    let at = |rows: &Rows, vertex: u32| V3::<f32>::set(first_three(body.get(rows, vertex as usize)));
    let fixed = |vertex: u32| body.get(&state.x, vertex as usize)[3] == 0.0;
    cells.iter().fold(most, |mut most, cell| {
        for (i, &a) in cell.iter().enumerate() {
            for &b in &cell[..i] {
                let rest = (at(start, a) - at(start, b)).length();
                let length = (at(&state.x, a) - at(&state.x, b)).length();
                if rest > 0.0 && !(fixed(a) && fixed(b)) {
                    most = most.max((length - rest) / rest);
                }
            }
        }
        most
    })
}

fn first_three([x, y, z, _]: Row) -> [f32; 3] {
    [x, y, z]
}

/// I omega^2 / 2 of a body's frames, joules.
fn turning<'a>(state: &'a State, body: &'a BodyPlan) -> impl Iterator<Item = f64> + 'a {
    let frames = (0..body.frames.to_row.len()).map(|frame| body.frame(frame)).filter(|&row| state.r[row][3] > 0.0);
    frames.map(|row| 0.5 / f64::from(state.r[row][3]) * dot(&state.v[row], &state.v[row]))
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    (0..3).map(|k| f64::from(a[k]) * f64::from(b[k])).sum()
}

impl Plan {
    /// Measures a state: everything below at once. Particles and triangles in colliders are searched on the threads of
    /// the rayon pool that the caller is in (rayon's global one outside of any); the rest on the caller's.
    ///
    /// # Panics
    /// If the state is another plan's.
    #[must_use]
    pub fn measure(&self, state: &State) -> Measurements {
        let [kinetic, potential] = self.energies(state);
        Measurements {
            kinetic,
            potential,
            constraint_error: self.constraint_error(state),
            max_stretch: self.max_stretch(state),
            max_penetration: self.max_penetration(state),
        }
    }

    /// [`Measurements::kinetic`] and [`Measurements::potential`], joules.
    ///
    /// # Panics
    /// If the state is another plan's.
    #[must_use]
    pub fn energies(&self, state: &State) -> [f64; 2] {
        self.owns(state);
        let (mut kinetic, mut potential) = (0.0, 0.0);
        for (x, v) in self.bodies.iter().flat_map(|body| free(state, body)) {
            let mass = 1.0 / f64::from(x[3]);
            kinetic += 0.5 * mass * dot(&v, &v);
            potential -= mass * dot(&self.settings.gravity.to_array(), &x);
        }
        kinetic += self.bodies.iter().flat_map(|body| turning(state, body)).sum::<f64>();
        let rigid = self.rigid.iter().flat_map(|rigid| &rigid.bodies).zip(&state.rigid.motions);
        for (body, motion) in rigid.filter(|(body, _)| body.inv_mass > 0.0) {
            kinetic += motion.energy(&body.mass());
            let g = self.settings.gravity.as_dvec3() * f64::from(body.gravity_scale);
            potential -= g.dot(motion.position.into()) / body.inv_mass;
        }
        [kinetic, potential]
    }

    /// Largest (length - rest) / rest of the edges of elements, which have no rows with lengths: of tetrahedra, and of
    /// triangles of bodies without such rows. At rest is what they are at the start. 0 without elements.
    ///
    /// # Panics
    /// If the state is another plan's.
    #[must_use]
    pub fn max_element_stretch(&self, state: &State) -> f32 {
        self.owns(state);
        let bodies = self.bodies.iter().zip(self.body_ids());
        bodies.fold(0.0, |most, (body, id)| {
            if !body.tets.is_empty() {
                return stretched(state, &self.x, body, &body.tets, most);
            }
            let of_elements = !body.triangles.is_empty() && self.lengths(id).is_empty();
            if of_elements { stretched(state, &self.x, body, &body.triangles, most) } else { most }
        })
    }

    /// The kinetic energy of a body, joules.
    pub(crate) fn kinetic(&self, state: &State, body: usize) -> f64 {
        let body = &self.bodies[body];
        let moving = free(state, body).map(|(x, v)| 0.5 / f64::from(x[3]) * dot(&v, &v));
        moving.sum::<f64>() + turning(state, body).sum::<f64>()
    }

    /// The largest speed of a vertex that can move, m/s.
    pub(crate) fn largest_speed(&self, state: &State) -> f64 {
        let squares = self.bodies.iter().flat_map(|body| free(state, body)).map(|(_, v)| dot(&v, &v));
        squares.fold(0.0, f64::max).sqrt()
    }

    /// [`Measurements::max_stretch`].
    ///
    /// # Panics
    /// If the state is another plan's.
    #[must_use]
    pub fn max_stretch(&self, state: &State) -> f32 {
        self.owns(state);
        let mut most = 0.0f32;
        let of_segment = |family: &Family| family.kind.is(&kinds::STRETCH_SHEAR);
        self.each_row(
            state,
            |family| of_segment(family) || family.is_length(),
            |f, batch, lane, c| {
                let family = &self.families[f];
                let rest = self.rests(state, family, batch..batch + 1).first().map_or(0.0, |first| first.0[lane]);
                if of_segment(family) {
                    let [a, b] = [0, 1].map(|slot| self.row(state, family.batches.particle(batch, slot, lane)));
                    let length = V3::<f32>::set([b[0] - a[0], b[1] - a[1], b[2] - a[2]]).length();
                    most = most.max((length - rest) / rest);
                } else if rest > 0.0 {
                    most = most.max(c / rest);
                }
            },
        );
        most
    }

    /// Of the row between two particles that is stretched most, how much of its stretch its own compliance asks for, 0
    /// to 1, in steps of `dt` seconds with one sweep a substep; the rest is left by the solver, and shrinks with more
    /// substeps. None if no such row has a length.
    ///
    /// Under a tension a row grows by its compliance a, and by y^2 / (y + a), y = h^2 (w0 + w1), for what one sweep
    /// leaves.
    ///
    /// # Panics
    /// If the state is another plan's.
    #[must_use]
    pub fn compliant_share(&self, state: &State, dt: f32) -> Option<f32> {
        self.owns(state);
        let (mut most, mut share) = (0.0f32, None);
        let wanted = |family: &Family| family.is_length() && family.kind.slots() == 2;
        self.each_row(state, wanted, |f, batch, lane, c| {
            let family = &self.families[f];
            let rest = self.rests(state, family, batch..batch + 1).first().map_or(0.0, |first| first.0[lane]);
            if rest > 0.0 && c / rest > most {
                most = c / rest;
                let particle = |slot: usize| family.batches.particle(batch, slot, lane);
                let w = [0, 1].map(|slot| f64::from(self.row(state, particle(slot))[3]));
                let h = f64::from(dt) / f64::from(self.bodies[self.body_of(particle(0))].substeps);
                let soft = state.soft[f].get(batch).unwrap_or_else(|| family.batches.soft(batch)).0[lane];
                let (a, y) = (if family.xpbd { f64::from(soft) } else { 0.0 }, h * h * (w[0] + w[1]));
                let (own, left) = (a * (y + a), y * y);
                share = Some(if own > 0.0 { (own / (own + left)) as f32 } else { 0.0 });
            }
        });
        share
    }

    /// [`Measurements::constraint_error`], joules.
    ///
    /// # Panics
    /// If the state is another plan's.
    #[must_use]
    pub fn constraint_error(&self, state: &State) -> f64 {
        self.owns(state);
        let mut error = 0.0;
        self.each_row(
            state,
            |family| family.xpbd,
            |f, batch, lane, c| {
                let (family, given) = (&self.families[f], &state.soft[f]);
                let soft = family.kind.params().iter().position(|p| p.soft).filter(|_| c < 0.0);
                let own = || given.get(batch).unwrap_or_else(|| family.batches.soft(batch));
                let alpha = f64::from(soft.map_or_else(|| own().0[lane], |p| family.batches.rest(batch)[p].0[lane]));
                let c = f64::from(c);
                if alpha > 0.0 && !family.kind.holds(c) {
                    error += c * c / (2.0 * alpha);
                }
            },
        );
        error
    }

    pub(super) fn owns(&self, state: &State) {
        assert_eq!(state.plan, self.id, "the state is another plan's");
    }

    /// Calls `row` with each row of some families that can move: number of the family, batch, lane, and C.
    fn each_row(&self, state: &State, wanted: impl Fn(&Family) -> bool, mut row: impl FnMut(usize, usize, usize, f32)) {
        // The rounding of positions counts: it is a tenth of a stiff spring's extension.
        let mut u = Rows::zeros(state.x.len(), 16);
        u.copy_from_slice(&state.r);
        let mut values = Vec::new();
        for (f, family) in self.families.iter().enumerate().filter(|(_, family)| wanted(family)) {
            values.resize(family.batches.rows(), 0.0);
            let rest = self.rests(state, family, 0..family.batches.len());
            family.kind.measure_with(&family.batches, rest, Particles::new(&state.x, &mut u), &mut values);
            let pair = family.kind.is(&kinds::STRETCH_SHEAR) || family.is_length() && family.kind.slots() == 2;
            for (batch, lane, number) in family.batches.each() {
                // Nothing can be done about two pins.
                let pinned = |slot| self.row(state, family.batches.particle(batch, slot, lane))[3] == 0.0;
                let off = || state.off.bodies[self.body_of(family.batches.particle(batch, 0, lane))];
                let broken = || state.plasticity.is_broken(family, batch, lane);
                if !(off() || broken() || pair && pinned(0) && pinned(1)) {
                    row(f, batch, lane, values[number]);
                }
            }
        }
    }

    /// Parameters of some batches, as the state has them.
    fn rests<'a>(&'a self, state: &'a State, family: &'a Family, batches: Range<usize>) -> &'a [Pack<f32>] {
        if family.plastic.is_none() {
            return family.batches.rests(batches);
        }
        let params = family.batches.params();
        &state.plasticity.rest[family.flowed.clone()][batches.start * params..batches.end * params]
    }

    /// The largest plastic strain of a body's rows ([`crate::Plasticity`]): of lengths and tetrahedra a strain, of
    /// hinges an angle in radians; 0 if nothing of it has yielded, or can. Rows that have broken have none.
    ///
    /// # Panics
    /// If the state is another plan's, or there is no such body.
    #[must_use]
    pub fn plastic_strain(&self, state: &State, body: BodyId) -> f32 {
        self.owns(state);
        let (body, mut most) = (self.body_place(body), 0.0f32);
        for family in &self.families {
            let (Some((_, flows)), Some(rows)) = (family.plastic, family.rows_of(body)) else { continue };
            let of = |packs: &[Pack<f32>], lane: usize| -> [f32; MOST_FLOWING] {
                std::array::from_fn(|p| packs.get(p).map_or(0.0, |pack| pack.0[lane]))
            };
            for (batch, lane, _) in family.batches.each().filter(|(.., row)| rows.contains(row)) {
                let now = of(self.rests(state, family, batch..batch + 1), lane);
                most = most.max(plastic_strain(flows, &now, &of(family.batches.rest(batch), lane)));
            }
        }
        most
    }

    /// The largest plastic strain that a row of a body has accumulated, to and fro: of lengths and tetrahedra a strain,
    /// of hinges an angle in radians. Of rows that soften or may break ([`crate::Plasticity::fatigue`],
    /// [`crate::Plasticity::breaks`]); 0 if nothing of them has yielded, or there are none.
    ///
    /// # Panics
    /// If the state is another plan's, or there is no such body.
    ///
    /// # Example
    /// ```
    /// use seidel::{Input, Plasticity, Rope, Scene, Solver};
    /// let softens = Plasticity::new(0.001).fatigue(20.0).breaks(0.01);
    /// let mut scene = Scene::new();
    /// let wire = scene.add(Rope::new([0.0; 3], [0.0, -1.0, 0.0], 10).stretch(0.1).plastic(softens).pin(&[0]));
    /// let mut solver = Solver::new(&scene)?;
    /// (0..20).for_each(|_| drop(solver.step(&Input::frame(1.0 / 60.0))));
    /// let (plan, state) = (solver.plan(), solver.state());
    /// assert!(plan.accumulated_strain(state, wire) >= 0.01 && plan.broken_rows(state, wire) >= 1);
    /// # Ok::<(), seidel::Error>(())
    /// ```
    #[must_use]
    pub fn accumulated_strain(&self, state: &State, body: BodyId) -> f32 {
        let of = |(family, batch, lane)| state.plasticity.accumulated(family, batch, lane);
        self.accumulating(state, Some(body)).map(of).fold(0.0, f32::max)
    }

    /// Rows of a body, or of all, that have broken ([`crate::Plasticity::breaks`]).
    ///
    /// # Panics
    /// As [`Plan::accumulated_strain`].
    #[must_use]
    pub fn broken_rows(&self, state: &State, body: impl Into<Option<BodyId>>) -> usize {
        let is_broken =
            |&(family, batch, lane): &(&Family, usize, usize)| state.plasticity.is_broken(family, batch, lane);
        self.accumulating(state, body.into()).filter(is_broken).count()
    }

    /// Rows of a body, or of all, that soften or may break: family, batch and lane.
    fn accumulating(&self, state: &State, body: Option<BodyId>) -> impl Iterator<Item = (&Family, usize, usize)> {
        self.owns(state);
        let body = body.map(|body| self.body_place(body));
        let families = self.families.iter().filter(|family| !family.accumulated.is_empty());
        families.flat_map(move |family| {
            let rows = body.map_or(Some(0..family.batches.rows()), |body| family.rows_of(body));
            let each =
                rows.into_iter().flat_map(|rows| family.batches.each().filter(move |(.., row)| rows.contains(row)));
            each.map(move |(batch, lane, _)| (family, batch, lane))
        })
    }

    fn row(&self, state: &State, particle: u32) -> Row {
        self.bodies[self.body_of(particle)].layout.read(&state.x, particle as usize)
    }

    /// Tells what is probably not meant.
    ///
    /// A Jacobi relaxation that may shake chains; bodies that begin inside a collider, the deepest vertex of each: they
    /// get out slowly, at 1 m/s, and are not flung. A sheet that cannot fold around its pins and takes many substeps
    /// for it. Vertices of a skin that are farther outside of its tetrahedra than these are high, eight times: they
    /// meet no collider. Rigid bodies that begin in each other or in a collider by more than a hundredth of their least
    /// side, with the deepest pair: not those that filters or joints keep from colliding. The first two joints that
    /// hold the same bodies in the same place. The first gear with a body that no other joint holds. The first joint
    /// that starts outside of its limits, by more than a hundredth of the limit or of where it starts: it pulls them in
    /// at once. The first joint whose limit or whose motor's target is an angle of more than two turns, as if in
    /// degrees, the first motor with a limit of 0, and the first whose target its joint's limits exclude. The joint whose spring counts as softest,
    /// if as less than half as stiff as it is. Joints to be solved at once ([`crate::RigidJoint::direct`]), and close a
    /// loop or lock nothing: the sweeps solve them. Bodies that collide as spheres beside others that collide exactly:
    /// they do not meet. Bodies that collide and begin through themselves or each other, the first two triangles: they
    /// stay so.
    ///
    /// # Example
    /// ```
    /// use seidel::{Cloth, Collider, Plan, Pose, Scene};
    /// let mut scene = Scene::new();
    /// scene.add(Cloth::grid([8, 8], [1.0, 1.0]).placed(Pose::at([0.0, -1.0, 0.0]), 1.0).thickness(0.0).named("sheet"));
    /// scene.add_collider(Collider::ground().named("ground"));
    /// let notes = Plan::new(&scene)?.warnings();
    /// assert_eq!(notes, ["body `sheet` starts 1 m inside collider `ground` (vertex 0)"]);
    /// # Ok::<(), seidel::Error>(())
    /// ```
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let mut shaking: Vec<f32> = Vec::new();
        for method in self.bodies.iter().map(|body| body.method) {
            if let Method::Jacobi { relaxation } = method
                && self.settings.shakes(method)
                && !shaking.contains(&relaxation)
            {
                shaking.push(relaxation);
            }
        }
        for relaxation in shaking {
            let n = self.settings.iterations;
            notes.push(format!("chains may shake at a relaxation of {relaxation} and {n} sweeps a substep"));
        }
        let is_short = |needed: &Needed| {
            let limit = if needed.substeps == AUTO_SUBSTEPS[1] && !needed.bends { AUTO_STRETCH } else { AUTO_BEND };
            needed.stretch > limit
        };
        let short = self.needed.filter(is_short);
        if let Some(Needed { substeps, stretch, bends, body: Some(body), .. }) = short {
            let (name, percent) = (&self.bodies[body].name, 100.0 * stretch);
            let (what, mend) = match bends {
                true => ("bend more easily than its moduli say by", "longer segments"),
                false => ("be stretched by", "a coarser mesh"),
            };
            notes.push(format!(
                "body `{name}` will {what} about {percent:.0} % with {substeps} substeps, the most that are chosen automatically: give \
                 more, or {mend}"
            ));
        }
        if let Some(Needed { substeps, locked: true, body: Some(body), .. }) = self.needed {
            let name = &self.bodies[body].name;
            notes.push(format!(
                "body `{name}` cannot fold around the cell that it is pinned by, because the diagonals of its cells are rigid, and takes \
                 {substeps} substeps: a shear compliance of 1e-2 m/N lets it fold, with fewer"
            ));
        }
        self.warn_of_pressed(&mut notes);
        self.warn_of_fluids(&mut notes);
        self.warn_of_grains(&mut notes);
        for (number, body) in self.bodies.iter().enumerate() {
            // The points that meet colliders: places, whether they can move, and vertices.
            let particle = |vertex: usize| (vertex, body.get(&self.x, vertex));
            let particles = (0..if body.skin.is_some() { 0 } else { body.to_row.len() }).map(particle);
            let mut places: Vec<([f64; 3], bool, u32)> =
                particles.map(|(vertex, x)| (point(&x), x[3] > 0.0, vertex as u32)).collect();
            for tile in self.skins.of_body(number) {
                places.extend((0..tile.points.points()).map(|i| {
                    let (x, free) = tile.place(i, body.layout, &self.x);
                    (x, free, self.skins.vertices[tile.first + i])
                }));
            }
            let side = |k: usize| {
                let along = places.iter().map(|(x, ..)| x[k]);
                along.clone().fold(f64::NEG_INFINITY, f64::max) - along.fold(f64::INFINITY, f64::min)
            };
            let size = side(0).max(side(1)).max(side(2));
            if !body.triangles.is_empty() && f64::from(body.thickness) > THICK * size {
                let (name, thickness) = (&body.name, body.thickness);
                notes.push(format!(
                    "body `{name}` is {size:.2} m large and keeps {thickness} m from what it touches: its thickness is in metres"
                ));
            }
            let what = if body.skin.is_some() { "vertex of its skin" } else { "vertex" };
            for collider in self.colliders.iter().filter(|collider| collider.filter.meets(body.filter)) {
                let frame = Transform::of(&collider.motion.at(&collider.pose, 0.0));
                let mut deepest = (0.0, 0);
                for &(x, free, vertex) in &places {
                    let own = if body.skin.is_some() { body.thickness } else { body.thickness_of(&[vertex]) };
                    let depth = -gap(collider, &frame, &[x], own);
                    let rests = BEGINS_INSIDE * f64::from(own + collider.thickness)
                        + INSIDE_ROUNDING * length(sub(x, frame.position));
                    if free && depth > rests && depth > deepest.0 {
                        deepest = (depth, vertex);
                    }
                }
                if deepest.0 > 0.0 {
                    let ((depth, vertex), name, of) = (deepest, &body.name, &collider.name);
                    let depth = depth as f32;
                    notes.push(format!("body `{name}` starts {depth} m inside collider `{of}` ({what} {vertex})"));
                }
            }
        }
        if let Some(rigid) = &self.rigid {
            notes.extend(rigid.ignored(self.colliders.len()).map(|c| {
                let Collider { name, shape, .. } = &self.colliders[c];
                format!(
                    "rigid bodies pass through collider `{name}`: its {} has no surface that they can touch",
                    shape.name()
                )
            }));
        }
        notes.extend(self.begins_overlapping());
        notes.extend(self.joined_twice());
        notes.extend(self.unguided_gear());
        notes.extend(self.begins_outside_limits());
        notes.extend(self.strange_goals());
        notes.extend(self.too_stiff_a_spring());
        let looped = |name: &str| {
            format!("joint `{name}` closes a loop of joints that are solved at once: it is left to the sweeps")
        };
        notes.extend(self.joint_loops().map(looped));
        let idle =
            self.rigid.iter().flat_map(|rigid| rigid.idle.iter().map(|&joint| &rigid.joints[joint as usize].name));
        notes.extend(idle.map(|name| {
            format!(
                "joint `{name}` is to be solved at once with others and locks nothing: all of it is left to the sweeps"
            )
        }));
        notes.extend(self.skins.bodies.iter().filter_map(|skin| {
            let (count, vertex, name) = (skin.far.len(), skin.far.first()?, &self.bodies[skin.body].name);
            Some(format!(
                "{count} vertices of the skin of body `{name}` are so far from its tetrahedra that they meet no collider (first {vertex})"
            ))
        }));
        notes.extend(self.overcrowded());
        notes.extend(self.spheres_that_meet_nothing());
        notes.extend(self.begins_tangled());
        notes
    }

    /// A rigid body that may press through a sheet.
    fn warn_of_pressed(&self, notes: &mut Vec<String>) {
        let Some((pressed, rigid)) = self.pressed.as_ref().zip(self.rigid.as_ref()) else { return };
        let (body, rigid) = (&self.bodies[pressed.body], &rigid.bodies[pressed.rigid].name);
        let (has, wanted) = (body.substeps, (self.settings.dt / pressed.longest.sqrt()).ceil());
        if wanted > 1.2 * f64::from(has) {
            notes.push(format!(
                "rigid body `{rigid}` may come to lie on body `{}` and is {:.0} times as heavy as that is under it: with {has} substeps \
                 it is pressed through to what is below, {wanted:.0} hold it",
                body.name, pressed.ratio
            ));
        }
    }

    /// A body that collides as spheres and would meet one that collides exactly, by their filters.
    fn spheres_that_meet_nothing(&self) -> Option<String> {
        let spheres = self.spheres.as_ref()?;
        let first = |body: &usize| {
            let meets = |other: &&usize| self.bodies[**other].filter.meets(self.bodies[*body].filter);
            Some([*body, *spheres.exact.iter().find(meets)?])
        };
        let mut all = spheres.bodies.iter().filter_map(first);
        let [name, other] = all.next()?.map(|body| &self.bodies[body].name);
        let more = match all.count() {
            0 => String::new(),
            count => format!(", and so do {count} more bodies"),
        };
        Some(format!(
            "body `{name}` collides as spheres and body `{other}` exactly, so they pass through each other{more}: with \
             `collide` \"others\" or \"all\" `{name}` does not"
        ))
    }

    /// The particle that keeps most rows of a kind from being solved at once, if that costs much.
    fn overcrowded(&self) -> Option<String> {
        let family = self.families.iter().filter(|family| family.colors > MANY_COLORS).max_by_key(|f| f.colors)?;
        let (mut at, slots) = (Vec::new(), family.kind.slots());
        for (batch, lane, _) in family.batches.each() {
            at.extend((0..slots).map(|slot| family.batches.particle(batch, slot, lane)));
        }
        at.sort_unstable();
        // The lowest of those with most.
        let rows = at.chunk_by(|a, b| a == b).rev().max_by_key(|same| same.len())?;
        let body = self.bodies.iter().find(|b| (b.start..b.start + b.rows).contains(&(rows[0] as usize)))?;
        let vertex = body.vertex(rows[0] as usize)?;
        Some(format!(
            "{} rows of kind `{}` share vertex {vertex} of body `{}` and are solved one after another ({} colors); give each a vertex of \
             its own, or fix it (inverse mass 0)",
            rows.len(),
            family.kind.name(),
            body.name,
            family.colors
        ))
    }
}
