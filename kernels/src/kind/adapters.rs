//! What a kind holds of its constraint: functions over slices, in f64, for checks and rest shapes.

use super::{Parameter, Reference};
use crate::{AtRest, Constraint, CoupledConstraint, Framed, Quat, Softness, V3};

fn points<const N: usize>(x: &[[f64; 3]]) -> [V3<f64>; N] {
    std::array::from_fn(|i| V3::set(x[i]))
}

pub(super) fn references<K: Constraint<N, P>, const N: usize, const P: usize>(
    x: &[[f64; 3]],
    rest: &[f64],
) -> Vec<Reference> {
    let (c, gradients) = K::eval::<f64>(points(x), std::array::from_fn(|p| rest[p]));
    vec![(c, gradients.iter().map(|g| [g.x, g.y, g.z]).collect())]
}

pub(super) fn softnesses(soft: f64, inv_h2: f64, _: &[f64]) -> Vec<[f64; 2]> {
    let Softness { a, k, .. } = Softness::new(soft, inv_h2);
    vec![[a, k]]
}

pub(super) fn block_references<K: CoupledConstraint<N, P, M>, const N: usize, const P: usize, const M: usize>(
    x: &[[f64; 3]],
    rest: &[f64],
) -> Vec<Reference> {
    let (c, gradients) = K::eval::<f64>(points(x), std::array::from_fn(|p| rest[p]));
    let each = c.into_iter().zip(gradients);
    each.map(|(c, gradients)| (c, gradients.iter().map(|g| [g.x, g.y, g.z]).collect())).collect()
}

pub(super) fn block_softnesses<K: CoupledConstraint<N, P, M>, const N: usize, const P: usize, const M: usize>(
    soft: f64,
    inv_h2: f64,
    rest: &[f64],
) -> Vec<[f64; 2]> {
    let each = K::softness(Softness::new(soft, inv_h2), &std::array::from_fn(|p| rest[p]));
    each.iter().map(|soft| [soft.a, soft.k]).collect()
}

/// Writes what a shape tells of the parameters.
fn write<const N: usize, const P: usize>(
    given: AtRest<N, P>,
    params: &[Parameter],
    x: &[[f32; 3]],
    rest: &mut [f32],
) -> bool {
    let values = given(std::array::from_fn(|i| V3::set(x[i].map(f64::from))));
    for ((rest, value), _) in rest.iter_mut().zip(values).zip(params).filter(|(_, param)| param.is_shape()) {
        *rest = value as f32;
    }
    true
}

pub(super) fn at_rest<K: Constraint<N, P>, const N: usize, const P: usize>(
    params: &[Parameter],
    x: &[[f32; 3]],
    rest: &mut [f32],
) -> bool {
    if let Some(given) = K::AT_REST {
        return write(given, params, x, rest);
    }
    if params.first().is_some_and(Parameter::is_shape) {
        rest[0] = 0.0;
        // With the roundings of a step, which adds displacements, here none: what is at rest is so to the bit.
        let points = std::array::from_fn(|i| V3::set(std::array::from_fn(|k| (x[i][k] - x[0][k]) + 0.0)));
        rest[0] = K::eval::<f32>(points, std::array::from_fn(|p| rest[p])).0;
    }
    !params.iter().skip(1).any(Parameter::is_shape)
}

pub(super) fn block_at_rest<K: CoupledConstraint<N, P, M>, const N: usize, const P: usize, const M: usize>(
    params: &[Parameter],
    x: &[[f32; 3]],
    rest: &mut [f32],
) -> bool {
    match K::AT_REST {
        Some(given) => write(given, params, x, rest),
        None => !params.iter().any(Parameter::is_shape),
    }
}

pub(super) fn framed_references<K: Framed<P, M>, const P: usize, const M: usize>(
    x: &[[f64; 3]],
    q: &[[f64; 4]],
    rest: &[f64],
) -> Vec<Reference> {
    let (points, frames): (Vec<_>, Vec<_>) =
        (x.iter().map(|&x| V3::set(x)).collect(), q.iter().map(|&q| Quat::set(q)).collect());
    K::references(&points, &frames, std::array::from_fn(|p| rest[p])).to_vec()
}

pub(super) fn framed_at_rest<K: Framed<P, M>, const P: usize, const M: usize>(
    params: &[Parameter],
    x: &[[f32; 3]],
    q: &[[f32; 4]],
    rest: &mut [f32],
) {
    let points: Vec<_> = x.iter().map(|x| V3::set(x.map(f64::from))).collect();
    let frames: Vec<_> = q.iter().map(|q| Quat::<f64>::set(q.map(f64::from)).normalised()).collect();
    let values = K::at_rest(&points, &frames);
    for ((rest, value), _) in rest.iter_mut().zip(values).zip(params).filter(|(_, param)| param.is_shape()) {
        *rest = value as f32;
    }
}

pub(super) fn nothing(_: &[[f64; 3]], _: &[f64]) -> Vec<Reference> {
    Vec::new()
}

pub(super) fn untold(_: &[Parameter], _: &[[f32; 3]], _: &mut [f32]) -> bool {
    false
}
