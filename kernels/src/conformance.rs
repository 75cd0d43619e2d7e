//! One harness for every kind: what a constraint has to be, whoever wrote it.
//!
//! [`check`] takes any [`Kind`], also a user's own. It is a library function so that tests here, in the engine and in
//! other people's crates run the same checks.

mod case;
mod framed;
mod random;

use crate::{Access, BATCH, Isa, Kind, Layout, Parameter, Reference, Row};
use case::{Case, Softened};
use random::{Random, shape};

/// Runs every check on a kind.
///
/// # Errors
/// The first check that fails, in words.
pub fn check(kind: &Kind) -> Result<(), String> {
    let named = |e: String| format!("{}: {e}", kind.name());
    if kind.has_frames() {
        framed::gradients(kind).map_err(named)?;
        every_isa_agrees(kind).map_err(named)?;
        every_reach_agrees(kind).map_err(named)?;
        rows_without_parameters_do_nothing(kind).map_err(named)?;
        framed::rest_pose_is_fixed(kind).map_err(named)?;
        framed::equals_the_formula(kind).map_err(named)?;
        framed::rates_equal_the_formula(kind).map_err(named)?;
        return framed::degenerate_rows_stay_finite(kind).map_err(named);
    }
    gradients(kind).map_err(named)?;
    every_isa_agrees(kind).map_err(named)?;
    every_reach_agrees(kind).map_err(named)?;
    rows_without_parameters_do_nothing(kind).map_err(named)?;
    rest_pose_is_fixed(kind).map_err(named)?;
    equals_the_formula(kind).map_err(named)?;
    degenerate_rows_stay_finite(kind).map_err(named)
}

/// The gradient is C's central difference; gradients neither push nor turn the whole (all in f64).
fn gradients(kind: &Kind) -> Result<(), String> {
    let mut random = Random(1);
    for case in 0..200 {
        let x: Vec<[f64; 3]> = (0..kind.slots()).map(|_| std::array::from_fn(|_| random.unit())).collect();
        let ordinary = |p: &Parameter| p.usual.unwrap_or(p.min.max(-3.0).abs() * 0.1);
        let mut rest: Vec<f32> = kind.params().iter().map(ordinary).collect();
        if rest.len() > 1 {
            let _ = kind.at_rest(&shape(kind, &mut random), &mut rest);
        }
        let rest: Vec<f64> = rest.into_iter().map(f64::from).collect();
        for of in 0..kind.references(&x, &rest).len() {
            let reference = |x: &[[f64; 3]]| kind.references(x, &rest).swap_remove(of);
            gradient(&x, reference).map_err(|e| format!("case {case}, constraint {of}: {e}"))?;
        }
    }
    Ok(())
}

/// The gradient of one constraint at one place.
fn gradient(x: &[[f64; 3]], reference: impl Fn(&[[f64; 3]]) -> Reference) -> Result<(), String> {
    let (c, g) = reference(x);
    let moved: Vec<[f64; 3]> = x.iter().map(|x| [x[0] + 0.5, x[1] - 0.25, x[2] + 0.125]).collect();
    let change = reference(&moved).0 - c;
    // An angle of half a turn may be either.
    if change.abs() > 1e-9 * c.abs().max(1.0) && g.iter().flatten().all(|g| g.abs() < 50.0) && change.abs() < 6.0 {
        return Err(format!(
            "C changes by {change:.1e} when all points are moved alike: positions are relative to the first point"
        ));
    }
    let size = g.iter().flatten().fold(1.0, |a: f64, b| a.max(b.abs()));
    if size > 50.0 {
        return Ok(()); // a sliver: its differences are rounding
    }
    for point in 0..x.len() {
        for axis in 0..3 {
            let at = |offset: f64| {
                let mut moved = x.to_vec();
                moved[point][axis] += offset;
                reference(&moved).0
            };
            let step = 1e-5;
            let difference = (at(step) - at(-step)) / (2.0 * step);
            if difference.abs() > 1e3 {
                continue; // the branch of an angle lies between
            }
            let error = (difference - g[point][axis]).abs();
            // The polynomial of an angle is off by 8e-9, its slope by a hundred times that.
            if error > 5e-6 * size * size {
                return Err(format!("dC/dx{point}[{axis}] is {} but differs by {error:.1e}", g[point][axis]));
            }
        }
    }
    for axis in 0..3 {
        let (b, c) = ((axis + 1) % 3, (axis + 2) % 3);
        let push: f64 = g.iter().map(|g| g[axis]).sum();
        let turn: f64 = x.iter().zip(&g).map(|(x, g)| x[b] * g[c] - x[c] * g[b]).sum();
        if push.abs().max(turn.abs()) > 1e-12 * size * size {
            return Err(format!("the gradients push by {push:.1e} and turn by {turn:.1e}"));
        }
    }
    Ok(())
}

/// Every lane type gives the scalar lanes' bits, in XPBD and PBD, with full and with partial batches.
fn every_isa_agrees(kind: &Kind) -> Result<(), String> {
    for rows in [1, 3, 15, 16, 17, 40] {
        for soft in [Softened::PBD, Softened::xpbd(1.44e6), Softened::rates(1.44e6)] {
            let case = Case::random(kind, rows, &mut Random(rows as u64));
            let scalar = case.solve(kind, Isa::available()[0], soft, 3)?;
            for isa in Isa::available() {
                let (u, lambda) = case.solve(kind, isa, soft, 3)?;
                let same =
                    |a: &[Row], b: &[Row]| bytemuck::cast_slice::<Row, u32>(a) == bytemuck::cast_slice::<Row, u32>(b);
                if !same(&u, &scalar.0) {
                    return Err(format!("{isa} differs from scalar with {rows} rows, {soft:?}"));
                }
                if bytemuck::cast_slice::<_, u32>(&lambda) != bytemuck::cast_slice::<_, u32>(&scalar.1) {
                    return Err(format!("{isa} multipliers differ from scalar with {rows} rows, {soft:?}"));
                }
            }
        }
    }
    Ok(())
}

/// Particles that are reached in whole registers, in registers that begin inside of a block, one by one: the same bits.
fn every_reach_agrees(kind: &Kind) -> Result<(), String> {
    let slots = kind.slots();
    let mut random = Random(11);
    let case = Case::random(kind, 53, &mut random);
    let shifted = |lane: usize, slot: usize| lane + slot % 2;
    let scattered = |lane: usize, slot: usize| if slot == 0 { lane } else { (lane * 7 + slot) % BATCH };
    let others = [
        (Access::Contiguous, case.in_lanes(slots, BATCH, |lane, _| lane)),
        (Access::Contiguous, case.in_lanes(slots, BATCH - 1, shifted)),
        (if slots > 1 { Access::Mixed } else { Access::Contiguous }, case.in_lanes(slots, BATCH, scattered)),
    ];
    for isa in Isa::available() {
        for (softened, iterations) in [(Softened::PBD, 2), (Softened::xpbd(400.0), 3), (Softened::rates(400.0), 2)] {
            let (u, lambda) = case.solve(kind, isa, softened, iterations)?;
            for (reach, other) in &others {
                let packed = other.batches(kind)?;
                // A lone row at the end may well be anything.
                if packed.reach(0) != *reach {
                    return Err(format!("packed as {:?}, not {reach:?}", packed.reach(0)));
                }
                let (v, mu) = other.solve(kind, isa, softened, iterations)?;
                for (from, to) in case.at.iter().zip(&other.at) {
                    let (a, b) = (u[*from as usize], Layout::Lanes.read(&v, *to as usize));
                    if a.map(|c| (c + 0.0).to_bits()) != b.map(|c| (c + 0.0).to_bits()) {
                        return Err(format!("{isa}, {reach:?}: {a:?} by rows, {b:?} by lanes"));
                    }
                }
                if lambda != mu {
                    return Err(format!("{isa}, {reach:?}: other multipliers"));
                }
            }
        }
    }
    Ok(())
}

/// A row whose parameters are NaN, as those of a lane without a row and of one that has broken, moves nothing and
/// leaves its multipliers as they were; its neighbours do not depend on it.
fn rows_without_parameters_do_nothing(kind: &Kind) -> Result<(), String> {
    let (slots, params, multipliers) = (kind.slots(), kind.params().len(), kind.multipliers());
    let whole = Case::random(kind, 40, &mut Random(17));
    let mut broken = Case::random(kind, 40, &mut Random(17));
    let is_broken = |row: usize| row % 3 == 1;
    for row in (0..40).filter(|&row| is_broken(row)) {
        broken.rest[row * params..(row + 1) * params].fill(f32::NAN);
    }
    // A kind without parameters has no such rows.
    if params == 0 {
        return Ok(());
    }
    // Adding nothing makes a zero a positive one.
    let bits = |row: &Row| row.map(|c| (c + 0.0).to_bits());
    for isa in Isa::available() {
        for softened in [Softened::PBD, Softened::xpbd(400.0), Softened::rates(400.0)] {
            let ((u, lambda), (v, mu)) = (whole.solve(kind, isa, softened, 3)?, broken.solve(kind, isa, softened, 3)?);
            for row in 0..40 {
                let (wanted, sums) = if is_broken(row) {
                    (&broken.u, &[0.0; 8][..multipliers])
                } else {
                    (&u, &lambda[row * multipliers..(row + 1) * multipliers])
                };
                let own = row * slots..(row + 1) * slots;
                if own.clone().any(|i| bits(&v[i]) != bits(&wanted[i])) {
                    return Err(format!(
                        "{isa}: row {row} moves otherwise beside rows without parameters, {softened:?}"
                    ));
                }
                let moved = bytemuck::cast_slice::<_, u32>(&mu[row * multipliers..(row + 1) * multipliers]);
                if moved != bytemuck::cast_slice::<_, u32>(sums) {
                    return Err(format!("{isa}: row {row} has other multipliers beside rows without parameters"));
                }
            }
        }
    }
    Ok(())
}

/// Shapes that are tried until a row is at rest in one, every other one flat.
const SHAPES: usize = 128;
/// Metres. A row of a few metres is no nearer to its rest shape where its parameters are rounded to f32.
const OFF_REST: f64 = 1e-6;

/// A row whose parameters are those of the shape that it has does not move.
fn rest_pose_is_fixed(kind: &Kind) -> Result<(), String> {
    let mut random = Random(7);
    let mut case = Case::random(kind, 40, &mut random);
    let slots = kind.slots();
    if !kind.params().iter().any(Parameter::is_shape) {
        return Ok(()); // nothing to set: no random pose is one of rest
    }
    // A rest value that is subtracted leaves exactly 0; coefficients leave their rounding.
    let allowed = if kind.params().iter().filter(|p| p.is_shape()).count() > 1 { 10.0 * OFF_REST as f32 } else { 0.0 };
    for row in 0..40 {
        let points = row * slots..(row + 1) * slots;
        let mut off = case.put_at_rest(kind, row);
        // Some kinds are at rest in flat shapes only, and not in all of these: two triangles not where they overlap.
        for attempt in 0..SHAPES {
            if off <= OFF_REST {
                break;
            }
            let flat = if attempt % 2 == 0 { 0.0 } else { 1.0 };
            for i in points.clone() {
                case.x[i][0] = random.unit() as f32;
                case.x[i][1] = random.unit() as f32 * flat;
                case.x[i][2] = random.unit() as f32;
                case.u[i][1] = 0.0;
            }
            off = case.put_at_rest(kind, row);
        }
        if off > OFF_REST {
            return Err(format!("row {row} is {off:.1e} m from rest with the parameters of its own shape"));
        }
    }
    for inv_h2 in [0.0, 1.44e6] {
        let (u, _) = case.solve(kind, Isa::detect(), Softened::xpbd(inv_h2), 3)?;
        let mut pairs = u.iter().flatten().zip(case.u.iter().flatten());
        if !pairs.all(|(a, b)| (a - b).abs() <= allowed) {
            return Err(format!("the rest pose moves, 1/h^2 = {inv_h2}"));
        }
    }
    Ok(())
}

/// The kernel equals XPBD's eq. 18 and PBD's eq. 9 on the reference's C and gradients, and with rates the same on grad
/// C . u.
fn equals_the_formula(kind: &Kind) -> Result<(), String> {
    let case = Case::random(kind, 64, &mut Random(11));
    let (slots, params) = (kind.slots(), kind.params());
    // One C and several multipliers: of a vector, whose sideways rate is damped too.
    let vector = kind.multipliers() > 1;
    let mut compared = 0;
    for softened in [Softened::PBD, Softened::xpbd(100.0), Softened::rates(100.0)] {
        let Softened { inv_h2, rates } = softened;
        let (u, _) = case.solve(kind, Isa::detect(), softened, 1)?;
        for row in 0..64 {
            let at = &case.at[row * slots..(row + 1) * slots];
            let x: Vec<[f64; 3]> = at.iter().map(|&i| std::array::from_fn(|k| case.point(i, k, rates))).collect();
            let rest: Vec<f64> =
                case.rest[row * params.len()..][..params.len()].iter().map(|&r| f64::from(r)).collect();
            let each = kind.references(&x, &rest);
            let other = params.iter().position(|p| p.soft).filter(|_| each.len() == 1);
            let soft = match other {
                Some(p) if each[0].0 < 0.0 => rest[p],
                _ => f64::from(case.soft[row]),
            };
            let soft = kind.softnesses(soft, f64::from(inv_h2), &rest);
            let w: Vec<f64> = at.iter().map(|&i| f64::from(case.x[i as usize][3])).collect();
            let c = |(c, g): &Reference| if rates { case.rate(at, g) } else { *c };
            let wanted: Vec<f64> = each.iter().map(c).collect();
            let Some(wanted) = projected(kind, &each, &soft, &wanted, &w) else { continue };
            compared += 1;
            let along = (vector && each.len() == 1 && rates).then(|| each[0].1.clone());
            // Near to a singular system corrections are as wrong as its pivots are poor.
            let reach = wanted.iter().flatten().fold(0.0, |a: f64, b| a.max(b.abs()));
            let slack = if each.len() > 1 { 4e-3 * reach } else { 5e-5 * reach };
            let size = each.iter().flat_map(|(_, g)| g).flatten().fold(1.0, |a: f64, b| a.max(b.abs()));
            for (slot, (&i, wanted)) in at.iter().zip(wanted).enumerate() {
                let mut moved: [f64; 3] =
                    std::array::from_fn(|k| f64::from(u[i as usize][k]) - f64::from(case.u[i as usize][k]));
                if let Some(g) = along.as_ref().map(|g| g[slot]) {
                    let share = (0..3).map(|k| moved[k] * g[k]).sum::<f64>() / (0..3).map(|k| g[k] * g[k]).sum::<f64>();
                    moved = g.map(|g| if share.is_finite() { share * g } else { 0.0 });
                }
                for axis in 0..3 {
                    let (moved, wanted) = (moved[axis], wanted[axis]);
                    // f32's roundings of the positions, which gradients magnify, and of the correction.
                    if (moved - wanted).abs() > 2e-6 * (size * size).max(1.0) + slack {
                        return Err(format!(
                            "row {row}: particle {i} moved by {moved} and not by {wanted}, {softened:?}"
                        ));
                    }
                }
            }
        }
    }
    if compared < 96 {
        return Err(format!("of 192 rows only {compared} could be compared with the formula"));
    }
    Ok(())
}

/// Of a pivot's diagonal: less is left where f32 cannot be expected to solve the system.
const POOR_PIVOT: f64 = 1e-3;

/// Corrections of the points by (W + diag a) dlambda = -k `wanted`, in f64. `None` if the system is near to a singular
/// one.
fn projected(kind: &Kind, each: &[Reference], soft: &[[f64; 2]], wanted: &[f64], w: &[f64]) -> Option<Vec<[f64; 3]>> {
    let count = each.len();
    let along = |a: usize, b: usize| {
        let products = (0..w.len()).map(|i| w[i] * (0..3).map(|k| each[a].1[i][k] * each[b].1[i][k]).sum::<f64>());
        products.sum::<f64>()
    };
    let mut rows: Vec<Vec<f64>> = (0..count)
        .map(|a| {
            let mut row: Vec<f64> = (0..count).map(|b| along(a, b)).collect();
            row[a] += soft[a][0];
            row.push(-soft[a][1] * wanted[a]);
            row
        })
        .collect();
    let diagonal: Vec<f64> = (0..count).map(|a| rows[a][a]).collect();
    let moves = (0..count).any(|a| along(a, a) > 0.0) && !(count == 1 && kind.holds(each[0].0));
    // Gauss-Jordan; the system is positive.
    for a in 0..count {
        let pivot = rows[a].clone();
        if count > 1 && pivot[a] < POOR_PIVOT * diagonal[a] {
            return None;
        }
        for (b, row) in rows.iter_mut().enumerate() {
            let factor = if pivot[a] == 0.0 { 0.0 } else { row[a] / pivot[a] };
            if b != a {
                row.iter_mut().zip(&pivot).for_each(|(value, of)| *value -= factor * of);
            }
        }
    }
    let delta = |a: usize| if moves && rows[a][a] != 0.0 { rows[a][count] / rows[a][a] } else { 0.0 };
    let of = |i: usize, k: usize| (0..count).map(|a| w[i] * each[a].1[i][k] * delta(a)).sum();
    Some((0..w.len()).map(|i| std::array::from_fn(|k| of(i, k))).collect())
}

/// Coincident, collinear, tiny, huge and non-finite rows leave everything else finite, and do not spread.
fn degenerate_rows_stay_finite(kind: &Kind) -> Result<(), String> {
    let shapes: [fn(usize, usize) -> f32; 6] = [
        |_, _| 0.0,
        |i, axis| if axis == 0 { i as f32 } else { 0.0 },
        |i, axis| (i + axis) as f32 * 1e-38,
        |i, axis| (i * 3 + axis) as f32 * 1e30,
        |i, axis| {
            if i == 0 && axis == 1 { f32::NAN } else { (i * axis) as f32 }
        },
        |i, axis| {
            if i == 0 && axis == 2 { f32::INFINITY } else { (i + axis) as f32 }
        },
    ];
    for (s, shape) in shapes.iter().enumerate() {
        let mut case = Case::random(kind, 20, &mut Random(13));
        for i in 0..kind.slots() {
            for axis in 0..3 {
                case.u[i][axis] = 0.0;
                case.x[i][axis] = shape(i, axis);
            }
            case.x[i][3] = 1.0;
        }
        for soft in [Softened::PBD, Softened::xpbd(1.44e6), Softened::rates(1.44e6)] {
            let (u, _) = case.solve(kind, Isa::detect(), soft, 4)?;
            if u.iter().flatten().any(|v| !v.is_finite()) {
                return Err(format!("degenerate shape {s} makes a displacement that is not finite, {soft:?}"));
            }
        }
    }
    Ok(())
}
