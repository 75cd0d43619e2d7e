//! A state as bytes, to go on from later: in another process, on another machine.

use crate::describe::error::Error;
use crate::describe::pose::Pose;
use crate::plan::Plan;
use crate::run::state::State;
use seidel_kernels::{BATCH, Pack};

/// The first bytes of a kept state; the number is that of this form.
const MAGIC: &[u8; 16] = b"seidel state  1\n";

/// Reads numbers one after another.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn bytes<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*first)
    }

    fn fill(&mut self, numbers: &mut [f32]) -> Option<()> {
        numbers.iter_mut().try_for_each(|number| self.bytes().map(|bytes| *number = f32::from_le_bytes(bytes)))
    }

    fn number(&mut self) -> Option<f64> {
        self.bytes().map(f64::from_le_bytes)
    }
}

impl State {
    /// Everything that a step changes, as bytes: the same on every machine. [`State::from_bytes`] makes a state of them that goes on bit
    /// for bit.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend(self.plan.to_le_bytes());
        out.extend(self.time.to_le_bytes());
        out.extend([self.stopped, self.placed, self.driven].map(u8::from));
        let mut add = |numbers: &[f32]| numbers.iter().for_each(|number| out.extend(number.to_le_bytes()));
        for rows in [&self.x, &self.r, &self.v, &self.past.d, &self.past.dv] {
            add(bytemuck::cast_slice(rows));
        }
        if self.past.is_kept() {
            add(&[self.past.h]);
        }
        for pose in &self.poses {
            pose.position.iter().chain(&pose.rotation).for_each(|number| out.extend(number.to_le_bytes()));
        }
        self.rotations.as_flattened().iter().for_each(|number| out.extend(number.to_le_bytes()));
        for soft in &self.soft {
            out.extend((soft.len() as u64).to_le_bytes());
            soft.iter().flat_map(|pack| pack.0).for_each(|number| out.extend(number.to_le_bytes()));
        }
        out
    }

    /// The state that [`State::to_bytes`] wrote, of the same plan.
    ///
    /// # Errors
    /// If the bytes are of another plan, or no such bytes.
    ///
    /// # Example
    /// ```
    /// use seidel::{Cloth, Plan, Scene, State};
    /// let mut scene = Scene::new();
    /// scene.add(Cloth::grid([3, 3], [1.0, 1.0]));
    /// let plan = Plan::new(&scene)?;
    /// let state = State::new(&plan);
    /// assert_eq!(State::from_bytes(&plan, &state.to_bytes())?, state);
    /// assert!(State::from_bytes(&plan, b"something else").is_err());
    /// # Ok::<(), seidel::Error>(())
    /// ```
    pub fn from_bytes(plan: &Plan, bytes: &[u8]) -> Result<State, Error> {
        let mut state = State::new(plan);
        let mut from = Reader(bytes);
        let begins = from.bytes::<16>().as_ref() == Some(MAGIC);
        if begins && from.bytes().map(u64::from_le_bytes) != Some(plan.id) {
            return Err(Error::OtherPlan { what: "state" });
        }
        let filled = begins.then(|| state.refill(&mut from)).flatten();
        let whole = from.0.is_empty() && state.poses.iter().all(Pose::is_valid) && state.fits(plan);
        match filled.filter(|()| whole) {
            Some(()) => Ok(state),
            None => Err(Error::NoState),
        }
    }

    /// Whether numbers that others made are such as a step leaves.
    fn fits(&self, plan: &Plan) -> bool {
        let number = |row: u32| {
            let body = &plan.bodies[plan.bodies.partition_point(|body| body.start + body.rows <= row as usize)];
            body.layout.read(&self.x, row as usize)[3]
        };
        self.time.is_finite()
            && self.past.h.is_finite()
            && self.past.h >= 0.0
            && self.rotations.as_flattened().iter().all(|number| number.is_finite())
            && self.soft.iter().zip(&plan.families).all(|(soft, f)| soft.is_empty() || soft.len() == f.batches.len())
            && plan.shared.iter().all(|&row| number(row) == 0.0)
    }

    fn refill(&mut self, from: &mut Reader<'_>) -> Option<()> {
        self.time = from.number()?;
        let flags = from.bytes::<3>()?;
        [self.stopped, self.placed, self.driven] = flags.map(|flag| flag != 0);
        for rows in [&mut self.x, &mut self.r, &mut self.v, &mut self.past.d, &mut self.past.dv] {
            from.fill(bytemuck::cast_slice_mut(rows))?;
        }
        if self.past.is_kept() {
            from.fill(std::slice::from_mut(&mut self.past.h))?;
        }
        for pose in &mut self.poses {
            for number in pose.position.iter_mut().chain(&mut pose.rotation) {
                *number = from.number()?;
            }
        }
        for number in self.rotations.as_flattened_mut() {
            *number = from.number()?;
        }
        for soft in &mut self.soft {
            let count = u64::from_le_bytes(from.bytes()?);
            if count > (from.0.len() / (4 * BATCH)) as u64 {
                return None;
            }
            soft.resize(count as usize, Pack([0.0; BATCH]));
            soft.iter_mut().try_for_each(|pack| from.fill(&mut pack.0))?;
        }
        Some(())
    }
}
