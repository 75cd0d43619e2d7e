//! Position based fluids (Macklin, Müller 2013) in the volume form: the kernels of a substep, sixteen particles at a
//! time.
//!
//! ```text
//!   C_i = sum_j V_j W_ij + F_i - 1 <= 0                              j: neighbours, i itself among them; F_i: walls (`walls`)
//!   lambda_i = -omega C_i / sum_k w_k |grad_k C_i|^2
//!   dx_i = w_i (sum_j (V_j lambda_i + V_i lambda_j) grad W_ij + lambda_i grad F_i)
//! ```
//! V is the same for all particles of a scene's fluids, whatever their density, so phases need no case of their own,
//! and what i does to j is the opposite of what j does to i: linear momentum is conserved. The sum of a substep's
//! lambda is clamped to <= 0. Where particles separate and the warm start was too large, the sweep takes the excess
//! back, so that a warm start adds no energy. All particles see the same positions (Jacobi). One sweep is stable only
//! for omega < 0.476 at a support of two spacings: the largest eigenvalue of the sweep is 2.8 omega there, and it must
//! be below 4/3.
//!
//! Lanes are particles: each goes through its own list of neighbours, in the order of the list, and adds up for itself.
//! No sum goes across lanes, so the bits are those of every instruction set, and no result depends on threads.
//! Particles are in slots, which follow the cells of a grid: neighbours are near in memory. Positions are relative to a
//! point near the fluid.

mod density;
mod drag;
mod gather;
mod lists;
mod pass;
mod push;
mod spiky;
mod tension;
mod viscosity;
mod vorticity;
mod walls;

pub use density::Density;
pub use drag::{Cling, Drag};
pub use gather::{Gather, Places, Range3};
pub use lists::{Block, FAR, GROUPS_A_LIST, Lists, Neighbourhood, Side};
pub use pass::{Displace, Find};
pub use push::Push;
pub use spiky::Spiky;
pub use tension::{SurfaceNormals, Tension};
pub use viscosity::Viscosity;
pub use vorticity::{Confine, Curl};
pub use walls::Walls;

/// Groups of 16 slots that a worker takes at a time.
pub const GROUPS_A_BLOCK: usize = 16;
