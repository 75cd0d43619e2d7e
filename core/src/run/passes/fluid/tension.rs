//! Surface tension, once a substep: forces between particles (`seidel_kernels::fluid::Tension`), and between them and
//! walls. Rigid bodies get the opposite.

use super::Fluid;
use super::groups::{block, blocks};
use crate::run::passes::colliders::moving::Moving;
use crate::run::passes::rigid::Rigid;
use crate::run::report::Phase;
use seidel_kernels::fluid::{Displace, Find, Spiky, SurfaceNormals, Tension};
use seidel_kernels::{BATCH, Shared};
use seidel_workers::Crew;

impl<'a> Fluid<'a> {
    /// Changes displacements by the surface tension of a substep.
    pub(super) fn tension(
        &mut self,
        crew: &mut Crew<'_>,
        spiky: Spiky,
        moving: &[Moving],
        rigid: &mut Option<&mut Rigid<'a>>,
    ) {
        let walls = self.walls(moving, rigid.as_deref());
        let (common, plan, groups) = (self.common, self.plan, self.scratch.groups());
        let h = f64::from(common.h);
        let scratch = &mut *self.scratch;
        scratch.coefficients.clear();
        scratch.coefficients.extend(plan.bodies.iter().map(|fluid| plan.pull(&fluid.liquid, h)));
        scratch.normals.grow(scratch.at.len(), 56);
        scratch.normals[groups * BATCH..].fill([0.0; 4]);
        let (fluid_of, pulls) = (&scratch.fluid_of, &scratch.coefficients);
        let (at, pulled, normals) =
            (Shared::new(&mut scratch.at), Shared::new(&mut scratch.pressed), Shared::new(&mut scratch.normals));
        let of_walls = Shared::new(&mut scratch.walls);
        let walled = if walls.is_empty() { of_walls.within(0, 0) } else { of_walls };
        let (lists, side) = (scratch.lists.lists(), scratch.side.side());
        let surface = SurfaceNormals { spiky, at, lists, side, walls: walled, normals };
        common.each(crew, Phase::Fluid, blocks(groups), |b| {
            let of = block(groups, b);
            let (first, len) = (of.start * BATCH, of.len() * BATCH);
            // SAFETY: nobody writes positions in this stage; what is written for a slot is its block's alone.
            unsafe {
                walls.fill((common.isa, spiky), of.clone(), at, of_walls);
                surface.run(common.isa, of);
                let pulled = pulled.part(first, len).iter_mut().zip(at.read(first, len));
                for ((to, at), &fluid) in pulled.zip(&fluid_of[first..]) {
                    *to = [at[0], at[1], at[2], pulls[fluid as usize]];
                }
            }
        });
        let (wetting, row_of, u) = (plan.wetting() as f32, &scratch.row_of, common.motion.u);
        let tension = Tension { spiky, at, pulled, wetting, normals, lists, walls: walled, row_of, u };
        common.each(crew, Phase::Fluid, blocks(groups), |b| {
            // SAFETY: nobody writes positions, normals or walls in this stage; a slot's row is that slot's alone.
            unsafe { tension.run(common.isa, block(groups, b)) };
        });
        if let Some(rigid) = rigid.as_deref_mut().filter(|_| !walls.afloat.is_empty()) {
            let mut slots = self.slots(walls.afloat.len(), spiky);
            let by = slots.pressure(crew, common, &walls.afloat, |x| x[3] > 0.0);
            rigid.float(&walls.afloat, by);
        }
        (self.scratch.colliders, self.scratch.afloat) = walls.end();
    }
}
