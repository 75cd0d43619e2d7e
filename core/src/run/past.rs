//! What a state keeps of its last substep where velocities are updated in second order
//! (`kernels/src/integrate/history.rs`).

use crate::describe::settings::VelocityUpdate;
use crate::plan::Plan;
use crate::plan::body::BodyPlan;
use seidel_kernels::integrate::history::{ANEW, History, Weights};
use seidel_kernels::{Row, Rows, Shared};

/// The last substep's displacements and changes of velocity. Empty where velocities are updated in first order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Past {
    /// Displacements [dx, dy, dz, count of substeps in contact]; of frames rotations, rad.
    pub(crate) d: Rows,
    /// Changes of velocity by forces [dvx, dvy, dvz, 0].
    pub(crate) dv: Rows,
    /// Length of the last substep, seconds; 0 if there was none.
    pub(crate) h: f32,
}

impl Past {
    /// Notes the length of a step's substeps, seconds, where it is kept.
    pub(crate) fn end(&mut self, h: f32) {
        if self.is_kept() {
            self.h = h;
        }
    }

    /// None yet.
    pub(crate) fn new(plan: &Plan) -> Past {
        match plan.settings.velocity_update {
            VelocityUpdate::FirstOrder => Past::default(),
            VelocityUpdate::SecondOrder => {
                Past { d: Rows::zeros(plan.x.len(), 56), dv: Rows::zeros(plan.x.len(), 64), h: 0.0 }
            }
        }
    }

    /// Whether states of a plan have any.
    pub(crate) fn is_kept_by(plan: &Plan) -> bool {
        plan.settings.velocity_update == VelocityUpdate::SecondOrder
    }

    /// Whether there is any.
    pub(crate) fn is_kept(&self) -> bool {
        !self.d.is_empty()
    }

    /// Weights of the first substep of a step, and of those after it, of `h` seconds each.
    pub(crate) fn weights(&self, h: f32) -> [Weights; 2] {
        if self.is_kept() {
            [Weights::second_order(h, self.h), Weights::second_order(h, h)]
        } else {
            [Weights::first_order(h); 2]
        }
    }

    /// As kernels see it, with what was met in this substep.
    pub(crate) fn history<'a>(&'a mut self, met: &'a mut [Row]) -> Option<History<'a>> {
        self.is_kept().then(|| History {
            d: Shared::new(&mut self.d),
            dv: Shared::new(&mut self.dv),
            met: Shared::new(met),
        })
    }

    /// A row's velocity is changed by `jump`, m/s, which no force has done: the past is that of a motion which has
    /// always had it.
    pub(crate) fn shift(&mut self, body: &BodyPlan, row: usize, jump: [f32; 3]) {
        if self.is_kept() {
            let [x, y, z, count] = body.layout.read(&self.d, row);
            let [jx, jy, jz] = jump.map(|v| v * self.h);
            body.layout.write(&mut self.d, row, [x + jx, y + jy, z + jz, count]);
        }
    }

    /// A row begins with a velocity, m/s, which nothing has changed yet.
    pub(crate) fn restart(&mut self, body: &BodyPlan, row: usize, [x, y, z, _]: Row) {
        if self.is_kept() {
            body.layout.write(&mut self.d, row, [x * self.h, y * self.h, z * self.h, 0.0]);
            body.layout.write(&mut self.dv, row, [0.0; 4]);
        }
    }

    /// The time in which rows take a push of the last substep, seconds: a contact's impulse is push / inverse mass /
    /// this. A particle whose contact has begun takes the push in the substep, h; of a lasting contact h'^2 / h, since
    /// the past carries a part of it on.
    pub(crate) fn taken(&self, plan: &Plan, mut rows: impl Iterator<Item = usize>, h: f32) -> f32 {
        let lasts = |row: usize| {
            let body = &plan.bodies[plan.bodies.partition_point(|body| body.start + body.rows <= row)];
            let (fixed, [.., count]) = (body.layout.read(&plan.x, row)[3] == 0.0, body.layout.read(&self.d, row));
            fixed || count > ANEW
        };
        if self.is_kept() && rows.all(lasts) {
            let effective = Weights::second_order(h, h).effective;
            return effective * effective / h;
        }
        h
    }
}
