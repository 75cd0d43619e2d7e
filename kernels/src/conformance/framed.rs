//! What holds for kinds with frames: gradients by rotation vectors, balance of forces and torques, the projection by
//! its gradients, rest.

use super::case::{Case, Softened};
use super::random::{MapF32, Random, pose, rest};
use crate::project::Reference;
use crate::{BATCH, Isa, Kind, Parameter, Quat, V3};

/// The gradient is C's central difference, by points and by rotation vectors, and forces and torques balance (all in
/// f64).
pub(super) fn gradients(kind: &Kind) -> Result<(), String> {
    let mut random = Random(1);
    for case in 0..200 {
        let (x, q) = pose(kind, &mut random, 1.0);
        let mut values = vec![0.0; kind.params().len()];
        rest(kind, &mut random, &mut values);
        let values: Vec<f64> = values.into_iter().map(f64::from).collect();
        for of in 0..kind.references_framed(&x, &q, &values).len() {
            let at = |x: &[[f64; 3]], q: &[[f64; 4]]| kind.references_framed(x, q, &values).swap_remove(of);
            gradient(&x, &q, at).map_err(|e| format!("case {case}, constraint {of}: {e}"))?;
        }
    }
    Ok(())
}

fn gradient(x: &[[f64; 3]], q: &[[f64; 4]], at: impl Fn(&[[f64; 3]], &[[f64; 4]]) -> Reference) -> Result<(), String> {
    let (_, g) = at(x, q);
    let step = 1e-6;
    let size = g.iter().flatten().fold(1.0, |a: f64, b| a.max(b.abs()));
    for slot in 0..g.len() {
        for axis in 0..3 {
            let moved = |by: f64| {
                let (mut x, mut q) = (x.to_vec(), q.to_vec());
                if slot < x.len() {
                    x[slot][axis] += by;
                } else {
                    let q = &mut q[slot - x.len()];
                    let mut theta = [0.0; 3];
                    theta[axis] = by;
                    let turned = Quat::<f64>::set(*q).turned(V3::set(theta));
                    *q = [turned.v.x, turned.v.y, turned.v.z, turned.w];
                }
                at(&x, &q).0
            };
            let difference = (moved(step) - moved(-step)) / (2.0 * step);
            // Where the other of q and -q is meant C jumps.
            if difference.abs() < 1e3 && (difference - g[slot][axis]).abs() > 1e-7 * size {
                return Err(format!(
                    "the gradient of slot {slot}, axis {axis} is {} and not {difference}",
                    g[slot][axis]
                ));
            }
        }
    }
    for axis in 0..3 {
        let (b, c) = ((axis + 1) % 3, (axis + 2) % 3);
        let push: f64 = g.iter().take(x.len()).map(|g| g[axis]).sum();
        let moments = x.iter().zip(&g).map(|(x, g)| x[b] * g[c] - x[c] * g[b]);
        let turn: f64 = moments.sum::<f64>() + g.iter().skip(x.len()).map(|g| g[axis]).sum::<f64>();
        if push.abs().max(turn.abs()) > 1e-12 * size {
            return Err(format!("the gradients push by {push:.1e} and turn by {turn:.1e}"));
        }
    }
    Ok(())
}

/// A case whose rows are `off` from the shape of their parameters.
fn posed(kind: &Kind, rows: usize, off: f64, random: &mut Random) -> Case {
    let mut case = Case::random(kind, rows, random);
    let (slots, points, params) = (kind.slots(), kind.points(), kind.params().len());
    for row in 0..rows {
        let (mut x, mut q) = pose(kind, random, 0.3);
        if points > 0 {
            // Straight along the frame's axis: what a segment is at rest.
            (x, q) = pose(kind, random, 0.0);
        }
        let _ = kind.at_rest_framed(&x.map_f32(), &q.map_f32(), &mut case.rest[row * params..][..params]);
        for (slot, i) in (row * slots..(row + 1) * slots).enumerate() {
            let by: [f64; 3] = std::array::from_fn(|_| random.unit() * off);
            if slot < points {
                let w = case.x[i][3];
                let [a, b, c]: [f32; 3] = std::array::from_fn(|k| (x[slot][k] + by[k]) as f32);
                case.x[i] = [a, b, c, w];
                case.u[i] = [0.0; 4];
            } else {
                let turned = Quat::<f64>::set(q[slot - points]).turned(V3::set(by)).normalised();
                case.x[i] = [turned.v.x, turned.v.y, turned.v.z, turned.w].map(|c| c as f32);
                case.u[i] = [0.0, 0.0, 0.0, case.u[i][3]];
            }
        }
    }
    case
}

impl Case {
    /// A row's points and frames as a kernel sees them, and the inverse masses and inertias.
    fn row(&self, kind: &Kind, row: usize, rates: bool) -> (Vec<[f64; 3]>, Vec<[f64; 4]>, Vec<f64>) {
        let (mut x, mut q, mut w) = (Vec::new(), Vec::new(), Vec::new());
        for slot in 0..kind.slots() {
            let i = self.at[row * kind.slots() + slot] as usize;
            let (at, u) = (self.x[i].map(f64::from), self.u[i].map(f64::from));
            let off: [f64; 3] = std::array::from_fn(|k| self.point(i as u32, k, rates) - at[k]);
            if slot < kind.points() {
                x.push(std::array::from_fn(|k| at[k] + off[k]));
                w.push(at[3]);
            } else {
                let turned = Quat::<f64>::set(at).turned(V3::set(off));
                q.push([turned.v.x, turned.v.y, turned.v.z, turned.w]);
                w.push(u[3]);
            }
        }
        (x, q, w)
    }
}

/// What is moved is moved along the gradients by the multipliers; these solve each row by itself near to rest, and
/// nowhere overshoot; a few iterations bring rigid rows to rest.
pub(super) fn equals_the_formula(kind: &Kind) -> Result<(), String> {
    let rows = 64;
    for (off, inv_h2) in [(0.01, 0.0), (0.01, 100.0), (0.5, 0.0), (0.5, 100.0)] {
        let case = posed(kind, rows, off, &mut Random(11));
        let (u, lambda) = case.solve(kind, Isa::detect(), Softened::xpbd(inv_h2), 1)?;
        for row in 0..rows {
            let (x, q, w) = case.row(kind, row, false);
            let params = kind.params().len();
            let rest: Vec<f64> = case.rest[row * params..][..params].iter().map(|&r| f64::from(r)).collect();
            let each = kind.references_framed(&x, &q, &rest);
            let lambda: Vec<f64> = lambda[row * each.len()..][..each.len()].iter().map(|&l| f64::from(l)).collect();
            for (slot, &w) in w.iter().enumerate() {
                let i = case.at[row * kind.slots() + slot] as usize;
                for axis in 0..3 {
                    let moved = f64::from(u[i][axis]) - f64::from(case.u[i][axis]);
                    let along = each.iter().zip(&lambda).map(|((_, g), l)| w * g[slot][axis] * l);
                    let (wanted, size) = (along.clone().sum::<f64>(), along.fold(0.0, |a: f64, b| a + b.abs()));
                    if (moved - wanted).abs() > 2e-6 + 1e-5 * size {
                        return Err(format!("row {row}: slot {slot} moved by {moved} and not by {wanted}"));
                    }
                }
            }
            // Of the stiffnesses in the parameters those that are soft belong to constraints in an order that only the
            // kind knows: a rigid row has none.
            if inv_h2 == 0.0 {
                let k = f64::from(case.soft[row]);
                for (m, ((c, g), l)) in each.iter().zip(&lambda).enumerate().filter(|_| k > 0.0) {
                    let exact: f64 = w.iter().zip(g).map(|(w, g)| w * g.iter().map(|g| g * g).sum::<f64>()).sum();
                    let soft = kind.params().iter().zip(&rest).filter(|(p, _)| p.soft).map(|(_, &k)| k);
                    let stiffness: Vec<f64> = soft.chain([k]).collect();
                    // -k C / W for one of its stiffnesses.
                    let fits = stiffness.iter().any(|k| {
                        let wanted = -k * c / exact;
                        (l - wanted).abs() <= (0.2 * off.max(0.3)) * wanted.abs() + 2e-6 / exact
                    });
                    let less = stiffness.iter().any(|k| l.abs() <= k * c.abs() / exact * 1.001 + 2e-6 / exact);
                    if !less || off < 0.1 && !fits {
                        return Err(format!("row {row}, constraint {m}: a multiplier of {l}, C = {c}, W = {exact}"));
                    }
                }
            }
        }
    }
    let mut case = posed(kind, rows, 0.1, &mut Random(5));
    case.soft.fill(0.0);
    for row in case.rest.chunks_exact_mut(kind.params().len()) {
        row.iter_mut().zip(kind.params()).filter(|(_, p)| p.soft).for_each(|(value, _)| *value = 0.0);
    }
    for iterations in [1, 2, 8] {
        let (u, _) = case.solve(kind, Isa::detect(), Softened::xpbd(1.44e6), iterations)?;
        let solved = Case { x: case.x.clone(), u, at: case.at.clone(), rest: case.rest.clone(), ..Case::default() };
        let params = kind.params().len();
        let left = (0..rows).map(|row| {
            let (x, q, _) = solved.row(kind, row, false);
            let rest: Vec<f64> = solved.rest[row * params..][..params].iter().map(|&r| f64::from(r)).collect();
            kind.references_framed(&x, &q, &rest).iter().map(|(c, _)| c * c).sum::<f64>().sqrt()
        });
        let worst = |most: f64, c: f64| if c > most || c.is_nan() { c } else { most };
        let (most, limit) =
            (left.fold(0.0, worst), [0.1, 0.02, 2e-6][[1, 2, 8].iter().position(|&n| n == iterations).unwrap_or(0)]);
        if most.is_nan() || most > limit {
            return Err(format!("{iterations} iterations leave {most:.1e} of rigid rows"));
        }
    }
    Ok(())
}

/// Rigid rows that move: dlambda = -grad C . u / W.
pub(super) fn rates_equal_the_formula(kind: &Kind) -> Result<(), String> {
    let rows = 64;
    let mut random = Random(17);
    let mut case = posed(kind, rows, 0.02, &mut random);
    case.soft.fill(0.0);
    for row in case.rest.chunks_exact_mut(kind.params().len()) {
        row.iter_mut().zip(kind.params()).filter(|(_, p)| p.soft).for_each(|(value, _)| *value = 0.0);
    }
    for i in 0..rows * kind.slots() {
        for k in 0..3 {
            case.u[i][k] = (random.unit() * 0.05) as f32;
        }
    }
    let (_, lambda) = case.solve(kind, Isa::detect(), Softened::rates(100.0), 1)?;
    for row in 0..rows {
        let (x, q, w) = case.row(kind, row, true);
        let params = kind.params().len();
        let rest: Vec<f64> = case.rest[row * params..][..params].iter().map(|&r| f64::from(r)).collect();
        let each = kind.references_framed(&x, &q, &rest);
        let at = &case.at[row * kind.slots()..][..kind.slots()];
        for (m, (_, g)) in each.iter().enumerate() {
            let exact: f64 = w.iter().zip(g).map(|(w, g)| w * g.iter().map(|g| g * g).sum::<f64>()).sum();
            let rate = case.rate(at, g);
            let (delta, wanted) = (f64::from(lambda[row * each.len() + m]), -rate / exact);
            // A frame's W is that of rest: some percent.
            let slack = 0.1 * rate.abs() / exact + 2e-6 / exact;
            if exact > 1e-6 && (delta - wanted).abs() > slack {
                return Err(format!(
                    "row {row}, constraint {m}: a multiplier of {delta} and not {wanted} for a rate of {rate}"
                ));
            }
        }
    }
    Ok(())
}

/// A row whose parameters are those of the shape that it has does not move.
pub(super) fn rest_pose_is_fixed(kind: &Kind) -> Result<(), String> {
    if !kind.params().iter().any(Parameter::is_shape) {
        return Ok(());
    }
    let case = posed(kind, 40, 0.0, &mut Random(7));
    for inv_h2 in [0.0, 1.44e6] {
        let (u, _) = case.solve(kind, Isa::detect(), Softened::xpbd(inv_h2), 3)?;
        let mut pairs = u.iter().flatten().zip(case.u.iter().flatten());
        if !pairs.all(|(a, b)| (a - b).abs() <= 2e-6) {
            return Err(format!("the rest pose moves, 1/h^2 = {inv_h2}"));
        }
    }
    Ok(())
}

/// Zero, tiny, huge and non-finite rows leave everything else finite, and do not spread.
pub(super) fn degenerate_rows_stay_finite(kind: &Kind) -> Result<(), String> {
    let values = [0.0, 1e-38, 1e30, f32::NAN, f32::INFINITY];
    for (s, &value) in values.iter().enumerate() {
        for slot in 0..kind.slots() {
            let mut case = Case::random(kind, BATCH + 4, &mut Random(13));
            case.x[slot] = [value, value, value, if slot < kind.points() { 1.0 } else { value }];
            for soft in [Softened::PBD, Softened::xpbd(1.44e6), Softened::rates(1.44e6)] {
                let (u, _) = case.solve(kind, Isa::detect(), soft, 4)?;
                if u.iter().flatten().any(|v| !v.is_finite()) {
                    return Err(format!("degenerate row {s} of slot {slot} spreads, {soft:?}"));
                }
            }
        }
    }
    Ok(())
}
