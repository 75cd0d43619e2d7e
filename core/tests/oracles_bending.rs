//! Oracle: the dihedral angle against the 2007 paper's acos form and its Appendix A, and its independence of stretch.

use crate::runs;
use crate::runs::{P, Random, add, cross, dot, norm, scale, sub};
use seidel::kinds;
use std::f64::consts::PI;

/// Four random points whose triangles are no slivers.
fn hinges() -> Vec<[P; 4]> {
    let mut random = Random(3);
    let mut hinges = Vec::new();
    while hinges.len() < 500 {
        let x: [P; 4] = std::array::from_fn(|_| random.point());
        let e = sub(x[1], x[0]);
        let heights = [2, 3].map(|k| norm(cross(e, sub(x[k], x[0]))) / norm(e));
        if norm(e) > 0.3 && heights.iter().all(|h| *h > 0.3) {
            hinges.push(x);
        }
    }
    hinges
}

/// theta and its gradients.
fn theta(x: &[P; 4]) -> (f64, Vec<P>) {
    kinds::DIHEDRAL.reference(x, &[0.0])
}

fn unit(a: P) -> P {
    scale(a, 1.0 / norm(a))
}

/// acos(n1.n2) = pi - |theta|: flat is pi in the paper and 0 here, and the paper's angle has no side.
#[test]
fn the_angle_is_the_papers_without_its_side() {
    for x in hinges() {
        let (e, a, b) = (sub(x[1], x[0]), sub(x[2], x[0]), sub(x[3], x[0]));
        let d = dot(unit(cross(e, a)), unit(cross(e, b)));
        let (angle, _) = theta(&x);
        assert!((d.clamp(-1.0, 1.0).acos() - (PI - angle.abs())).abs() < 1e-6, "{x:?}");
        // Mirrored in the plane through the hinge, the side changes and nothing else.
        let n = unit(cross(e, a));
        let mirror = |p: P| sub(p, scale(n, 2.0 * dot(sub(p, x[0]), n)));
        let mirrored = x.map(mirror);
        assert!((theta(&mirrored).0 + angle).abs() < 1e-6);
    }
}

/// Appendix A's q_i = -grad d; grad C = q_i / sqrt(1 - d^2) = -sign(theta) grad theta.
#[test]
fn the_gradients_are_appendix_a() {
    let mut worst = 0.0f64;
    for x in hinges() {
        let (p2, p3, p4) = (sub(x[1], x[0]), sub(x[2], x[0]), sub(x[3], x[0]));
        let (c3, c4) = (norm(cross(p2, p3)), norm(cross(p2, p4)));
        let (n1, n2) = (unit(cross(p2, p3)), unit(cross(p2, p4)));
        let d = dot(n1, n2);
        let (angle, gradients) = theta(&x);
        if d.abs() > 0.999 {
            continue; // there the acos form is singular, and ours is not
        }
        let q3 = scale(add(cross(p2, n2), scale(cross(n1, p2), d)), 1.0 / c3);
        let q4 = scale(add(cross(p2, n1), scale(cross(n2, p2), d)), 1.0 / c4);
        let q2 = sub(
            scale(add(cross(p3, n2), scale(cross(n1, p3), d)), -1.0 / c3),
            scale(add(cross(p4, n1), scale(cross(n2, p4), d)), 1.0 / c4),
        );
        let q1 = scale(add(add(q2, q3), q4), -1.0);
        for (q, g) in [q1, q2, q3, q4].into_iter().zip(gradients) {
            let papers = scale(q, 1.0 / (1.0 - d * d).sqrt());
            let error = norm(sub(papers, scale(g, -angle.signum())));
            worst = worst.max(error);
            assert!(error < 1e-9, "{error:.1e} at {x:?}");
        }
    }
    println!("gradients differ by {worst:.1e}");
}

/// Stretched along the hinge, across it in each wing's own plane, or as a whole: the angle stays.
#[test]
fn the_angle_does_not_depend_on_stretch() {
    for x in hinges() {
        let (angle, _) = theta(&x);
        let e = sub(x[1], x[0]);
        let along = |p: P, s: f64| add(p, scale(e, s));
        let across = |p: P, s: f64| {
            let t = dot(sub(p, x[0]), e) / dot(e, e);
            let foot = add(x[0], scale(e, t));
            add(foot, scale(sub(p, foot), s))
        };
        let changed = [
            [x[0], along(x[1], 0.7), x[2], x[3]],
            [x[0], x[1], along(x[2], -0.4), along(x[3], 1.3)],
            [x[0], x[1], across(x[2], 2.5), across(x[3], 0.6)],
            x.map(|p| scale(p, 3.0)),
        ];
        for y in changed {
            assert!((theta(&y).0 - angle).abs() < 1e-6, "{} and not {angle}", theta(&y).0);
        }
        // To first order: no gradient lies in its wing's plane, so bending does not stretch.
        let (_, g) = theta(&x);
        for (wing, g) in [(x[2], g[2]), (x[3], g[3])] {
            assert!(dot(g, e).abs() < 1e-9 && dot(g, sub(wing, x[0])).abs() < 1e-9);
        }
    }
}

/// The angle's sign: wings that rise towards their normals are negative; a right angle is one.
#[test]
fn signs_and_right_angles() {
    let hinge = |rise: f64| [[0.0; 3], [1.0, 0.0, 0.0], [0.5, 1.0, 0.0], [0.5, -1.0, rise]];
    assert_eq!(theta(&hinge(0.0)).0, 0.0);
    let right = [[0.0; 3], [1.0, 0.0, 0.0], [0.5, 1.0, 0.0], [0.5, 0.0, 1.0]];
    // Normals are +z here: a wing at +z rises towards them.
    assert!((theta(&right).0 + PI / 2.0).abs() < 1e-7, "{}", theta(&right).0);
    assert!(theta(&hinge(0.1)).0 < 0.0 && theta(&hinge(-0.1)).0 > 0.0);
    // A rest angle near pi and an angle just beyond it are close: the difference is wrapped.
    let folded = [[0.0; 3], [1.0, 0.0, 0.0], [0.5, 1.0, 0.0], [0.5, 1.0, 0.01]];
    let (c, _) = kinds::DIHEDRAL.reference(&folded, &[PI - 0.01]);
    assert!(c.abs() < 0.03, "{c}");
}

/// A hinge at rest at a right angle, flattened, springs back to its own side.
#[test]
fn a_flattened_hinge_returns_to_its_side() {
    for side in [1.0, -1.0] {
        let points = [[0.0; 3], [1.0, 0.0, 0.0], [0.5, 1.0, 0.0], [0.5, 0.0, side]];
        let mut body = runs::particles(&points, &[1.0; 4]);
        let edges = seidel::Constraints::measured(
            kinds::DISTANCE,
            vec![0, 1, 0, 2, 1, 2, 0, 3, 1, 3],
            seidel::Stiffness::compliance(0.0),
        );
        let bend =
            seidel::Constraints::measured(kinds::DIHEDRAL, vec![0, 1, 2, 3], seidel::Stiffness::compliance(1e-3));
        (body.constraints, body.damping) = (vec![edges, bend], 0.2);
        let mut scene = runs::scene(0.0, 20);
        let body = scene.add(body);
        let mut solver = runs::solver(&scene);
        let plan = std::sync::Arc::clone(solver.plan());
        let flat = [[0.0; 3], [1.0, 0.0, 0.0], [0.5, 1.0, 0.0], [0.5, -1.0, 0.0]].map(runs::narrow);
        solver.state_mut().write_positions(&plan, body, &flat).unwrap();
        runs::run(&mut solver, 300, runs::FRAME);
        let x = runs::positions(&solver, body);
        let found = theta(&[x[0], x[1], x[2], x[3]]).0;
        assert!((found + side * PI / 2.0).abs() < 0.01, "side {side}: {found}");
    }
}
