//! A tree of joints, solved at once: all that they lock, exactly, in time that grows with the number of joints.
//!
//! ```text
//!        b0            Bodies are eliminated from the leaves on. A subtree answers an impulse p at its top body c with
//!       /  \             dv = A_c p + b_c,  A_c its articulated inverse inertia, b_c what its own rows ask for.
//!     j1    j2         A joint j between c and its parent p, with J = [J_p, J_c] and J dv + e dl = r, so adds to p
//!     /      \           G = A_p J_p^T,  T = e + J_c A_c J_c^T + J_p G,  s = r - J_c b_c - J_p b_p
//!    b1       b2         A_p -= G T^-1 G^T,  b_p += G T^-1 s
//!             |        Back from the root, with f the impulses that a body has got so far:
//!            j3          dl = T^-1 (s - G^T f_p),  f_p += J_p^T dl,  f_c = J_c^T dl
//! ```
//!
//! Deul, Kugelstadt, Weiler, Bender 2018, "Direct Position-Based Solver for Stiff Rods", solve the same system (after
//! Baraff 1996, "Linear-Time Dynamics using Lagrange Multipliers") with the masses on its diagonal. Here the inverse
//! masses are carried (as in Featherstone's articulated bodies), because locked axes have none, and because a joint
//! with the world is then a leaf like any other. Rows are of velocities, as those of the sweeps: bias before the poses
//! move, none after. All in f64, which a ratio of masses of 1e6 needs.

// Indices as in the formulas.
#![allow(clippy::needless_range_loop)]

use super::rows::{JointRows, ones};
use super::softness::{bias, spring_yield};
use super::{Motion, WORLD};
use crate::BodyRow;
use crate::tuning::TREE_COMPLIANCE;

type M6 = [[f64; 6]; 6];
type V6 = [f64; 6];

const ZERO: M6 = [[0.0; 6]; 6];

/// A joint of a tree: between a body and one that is nearer to the root, or between a body and what does not move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The body nearer to the root, by its place in the tree.
    pub parent: usize,
    /// The other; none of what does not move.
    pub child: Option<usize>,
    /// Whether the parent is the joint's body B.
    pub parent_is_b: bool,
}

/// What a link is made of while it is solved.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// Number of rows.
    count: usize,
    /// Rows of the parent and of the child.
    of_parent: M6,
    of_child: M6,
    /// A_p J_p^T, transposed: a row for each of the joint's.
    response: M6,
    /// L and 1/D of T.
    factors: M6,
    /// e.
    compliance: V6,
    /// s, then the change of the impulses.
    asked: V6,
    change: V6,
}

const NOTHING: Node = Node {
    count: 0,
    of_parent: ZERO,
    of_child: ZERO,
    response: ZERO,
    factors: ZERO,
    compliance: [0.0; 6],
    asked: [0.0; 6],
    change: [0.0; 6],
};

/// A tree of joints during a step.
#[derive(Clone, Debug)]
pub struct Tree {
    /// From the leaves to the root: a body's links to children and to what does not move come before that to its
    /// parent.
    links: Vec<Link>,
    nodes: Vec<Node>,
    /// Inverse masses and inertias of bodies alone, and with all that hangs on them.
    alone: Vec<M6>,
    articulated: Vec<M6>,
    /// Inertia in the place of what joints' forces do to bodies that turn.
    pulls: Vec<[[f64; 3]; 3]>,
    /// Angular velocities as the substep begins.
    before: Vec<[f64; 3]>,
    /// b, then f.
    of_bodies: Vec<V6>,
    /// Bodies have moved since it was factored, or their inertia has turned with them.
    stale: bool,
}

impl Tree {
    /// Of so many bodies, with links from the leaves to the root.
    #[must_use]
    pub fn new(bodies: usize, links: Vec<Link>) -> Tree {
        let nodes = vec![NOTHING; links.len()];
        let (alone, articulated) = (vec![ZERO; bodies], vec![ZERO; bodies]);
        let pulls = vec![[[0.0; 3]; 3]; bodies];
        let before = vec![[0.0; 3]; bodies];
        Tree { links, nodes, alone, articulated, pulls, before, of_bodies: vec![[0.0; 6]; bodies], stale: true }
    }

    /// Begins a substep: bodies have turned since the last one, and their inertia with them.
    pub fn restart(&mut self) {
        self.stale = true;
    }

    /// Fills it with what is no number, to show that nothing of it is kept.
    pub fn poison(&mut self) {
        let nan = [[f64::NAN; 6]; 6];
        self.nodes.fill(Node { response: nan, factors: nan, of_parent: nan, of_child: nan, ..NOTHING });
        self.alone.fill(nan);
        self.articulated.fill(nan);
        self.of_bodies.fill([f64::NAN; 6]);
        self.pulls.fill([[f64::NAN; 3]; 3]);
        self.before.fill([f64::NAN; 3]);
        self.stale = true;
    }

    /// Whether it is of so many bodies and these links.
    #[must_use]
    pub fn is_of(&self, bodies: usize, links: &[Link]) -> bool {
        self.alone.len() == bodies && self.links == links
    }

    /// Whether bodies have moved, or turned since it was factored: then [`Tree::weigh_body`] of all bodies, [`Tree::take_pull`] of all links and
    /// [`Tree::stiffen`] come first.
    #[must_use]
    pub fn is_stale(&self) -> bool {
        self.stale
    }

    /// Takes up what a joint's force does to bodies that turn: an impulse p at an arm r resists a turn across r like a
    /// spring of p r / h, which after half its period would be overshot. As inertia h p r it is calm at any h (Andrews,
    /// Teichmann, Kry 2017, "Geometric Stiffness for Real-time Constrained Multibody Dynamics", after Tournier et al.
    /// 2015).
    pub fn take_pull(&mut self, link: usize, joint: &JointRows) {
        let Link { parent, child, parent_is_b } = self.links[link];
        let p = f64::from(joint.pull.length()) * f64::from(joint.h);
        let [a, b] = joint.pulled.map(|r| [r.x, r.y, r.z].map(f64::from));
        let (of_parent, of_child) = if parent_is_b { (b, a) } else { (a, b) };
        for (body, r) in [(Some(parent), of_parent), (child, of_child)] {
            let (Some(body), squared) = (body, (r[0] * r[0] + r[1] * r[1]) + r[2] * r[2]) else { continue };
            if squared > 0.0 {
                let length = f64::sqrt(squared);
                for i in 0..3 {
                    for j in 0..3 {
                        let across = if i == j { 1.0 } else { 0.0 } - r[i] * r[j] / squared;
                        self.pulls[body][i][j] += p * length * across;
                    }
                }
            }
        }
    }

    /// Begins a substep: a body before any impulse of it, but for a torque's, N m s.
    pub fn begin_body(&mut self, body: usize, row: &BodyRow, impulse: [f64; 3]) {
        let [x, y, z] = impulse.map(|c| c as f32);
        let turned = row.inverse_inertia(seidel_kernels::V3::new(x, y, z));
        self.before[body] = [row.w[0] - turned.x, row.w[1] - turned.y, row.w[2] - turned.z].map(f64::from);
    }

    /// Before the substep's first solve: all impulses so far, of torques, contacts, springs and motors, turn a body
    /// with the inertia that the tree has, too. Otherwise they would not balance those of the tree.
    #[must_use]
    pub fn settled(&self, body: usize, row: &BodyRow) -> BodyRow {
        let (mut row, before, s) = (*row, &self.before[body], &self.pulls[body]);
        let gained: [f64; 3] = [0, 1, 2].map(|k| f64::from(row.w[k]) - before[k]);
        // (1 + I^-1 S)^-1 = 1 - (I + S)^-1 S.
        let lost: [f64; 3] = [0, 1, 2].map(|k| (s[k][0] * gained[0] + s[k][1] * gained[1]) + s[k][2] * gained[2]);
        for k in 0..3 {
            let of = &self.alone[body][3 + k];
            let less = (of[3] * lost[0] + of[4] * lost[1]) + of[5] * lost[2];
            row.w[k] = (f64::from(row.w[k]) - less) as f32;
        }
        row
    }

    /// After all pulls S: inertia I + S' has the inverse (1 + I^-1 S')^-1 I^-1, also where locked axes have no inverse;
    /// S' = S (I + S)^-1 S is S where pulls are large, and nothing where substeps are short enough for them.
    pub fn stiffen(&mut self) {
        for ((alone, articulated), pull) in self.alone.iter_mut().zip(&mut self.articulated).zip(&mut self.pulls) {
            if *pull == [[0.0; 3]; 3] {
                continue;
            }
            let inertia = |s: &[[f64; 3]; 3]| {
                let mut matrix = [[0.0; 6]; 3];
                for i in 0..3 {
                    for j in 0..3 {
                        let of = alone[3 + i];
                        matrix[i][j] =
                            if i == j { 1.0 } else { 0.0 } + ((of[3] * s[0][j] + of[4] * s[1][j]) + of[5] * s[2][j]);
                        matrix[i][3 + j] = of[3 + j];
                    }
                }
                eliminated(matrix)
            };
            let product = |a: &[[f64; 3]; 3], b: &[[f64; 3]; 3]| {
                [0, 1, 2].map(|i| [0, 1, 2].map(|j| (a[i][0] * b[0][j] + a[i][1] * b[1][j]) + a[i][2] * b[2][j]))
            };
            let large = product(&product(pull, &inertia(pull)), pull);
            *pull = [0, 1, 2].map(|i| [0, 1, 2].map(|j| 0.5 * (large[i][j] + large[j][i])));
            let inverse = inertia(pull);
            for i in 0..3 {
                for j in 0..3 {
                    // Symmetric, but for roundings.
                    alone[3 + i][3 + j] = 0.5 * (inverse[i][j] + inverse[j][i]);
                }
            }
            *articulated = *alone;
        }
    }

    /// Takes up a body's inverse masses, of a stale tree.
    pub fn weigh_body(&mut self, body: usize, row: &BodyRow) {
        let mut own = ZERO;
        let m = row.inv_masses();
        let ([xx, yy, zz, _], [xy, yz, xz, _]) = (row.diagonal, row.sides);
        for (k, m) in [m.x, m.y, m.z].into_iter().enumerate() {
            own[k][k] = f64::from(m);
        }
        for (i, of) in [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]].into_iter().enumerate() {
            own[3 + i][3..].copy_from_slice(&of.map(f64::from));
        }
        (self.alone[body], self.articulated[body]) = (own, own);
        self.pulls[body] = [[0.0; 3]; 3];
    }

    /// Takes up a link's joint and its bodies A and B: what its rows ask for. With bias before the poses move, without
    /// it after.
    pub fn take_joint(&mut self, link: usize, joint: &JointRows, [a, b]: [&BodyRow; 2], biased: bool) {
        let Link { parent, child, parent_is_b } = self.links[link];
        let node = &mut self.nodes[link];
        let soft = if biased { joint.rigid } else { joint.rigid.relaxed() };
        node.count = 0;
        for i in ones(joint.pattern.locked) {
            let Motion::Locked { at } = joint.joint.axes[i].motion else { continue };
            let n = node.count;
            let rate = node.take(joint, i, parent_is_b, [a, b], self.stale);
            if self.stale {
                let (of_parent, of_child) = (node.of_parent[n], node.of_child[n]);
                let weight = |body: usize, row: &V6| dot(row, &times(&self.alone[body], row));
                let k = weight(parent, &of_parent) + child.map_or(0.0, |child| weight(child, &of_child));
                node.compliance[n] = TREE_COMPLIANCE * k;
            }
            let held = if biased { node.compliance[n] * f64::from(joint.kept.hold[i]) } else { 0.0 };
            node.asked[n] = -(rate + f64::from(bias(soft, joint.value(i) - at))) - held;
        }
        // A spring's impulse is -(h k x + y v) after the solve, so its row has the compliance 1 / y.
        for i in ones(joint.springs_in_tree()) {
            let spring = joint.joint.axes[i].spring;
            let y = f64::from(spring_yield(spring, joint.found.inv_mass[i], joint.h));
            let pull = f64::from(joint.h) * f64::from(spring.stiffness) * f64::from(joint.kept.sprung[i] - spring.rest);
            let n = node.count;
            let rate = node.take(joint, i, parent_is_b, [a, b], self.stale);
            node.compliance[n] = 1.0 / y;
            node.asked[n] = -rate - (pull + f64::from(joint.kept.spring[i])) / y;
        }
    }

    /// Instead of [`Tree::take_joint`], of a joint that sleeps: it holds nothing.
    pub fn leave_out(&mut self, link: usize) {
        self.nodes[link].count = 0;
    }

    /// Solves what was taken up.
    pub fn solve(&mut self, biased: bool) {
        self.of_bodies.fill([0.0; 6]);
        for k in 0..self.links.len() {
            let Link { parent, child, .. } = self.links[k];
            if self.stale {
                self.factor(k);
            }
            let node = &mut self.nodes[k];
            for n in 0..node.count {
                let below = child.map_or(0.0, |child| dot(&node.of_child[n], &self.of_bodies[child]));
                node.asked[n] -= below + dot(&node.of_parent[n], &self.of_bodies[parent]);
            }
            let solved = node.solved(node.asked);
            let of_parent = &mut self.of_bodies[parent];
            for (n, solved) in solved.iter().enumerate().take(node.count) {
                add(of_parent, &node.response[n], *solved);
            }
        }
        self.of_bodies.fill([0.0; 6]);
        for k in (0..self.links.len()).rev() {
            let Link { parent, child, .. } = self.links[k];
            let node = &mut self.nodes[k];
            let mut asked = node.asked;
            for (n, asked) in asked.iter_mut().enumerate().take(node.count) {
                *asked -= dot(&node.response[n], &self.of_bodies[parent]);
            }
            node.change = node.solved(asked);
            for n in 0..node.count {
                add(&mut self.of_bodies[parent], &node.of_parent[n], node.change[n]);
                if let Some(child) = child {
                    add(&mut self.of_bodies[child], &node.of_child[n], node.change[n]);
                }
            }
        }
        // The sweep with bias is the last before poses move.
        self.stale = biased;
    }

    /// Whether all that was found is finite, in f32, too: otherwise nothing is to be given back.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        let impulses = self.nodes.iter().flat_map(|node| &node.change[..node.count]);
        impulses.chain(self.of_bodies.as_flattened()).all(|x| (*x as f32).is_finite())
    }

    /// A body's velocities with what it was given.
    #[must_use]
    pub fn changed(&self, body: usize, row: &BodyRow) -> BodyRow {
        let (mut row, change) = (*row, times(&self.alone[body], &self.of_bodies[body]));
        for k in 0..3 {
            row.v[k] = (f64::from(row.v[k]) + change[k]) as f32;
            row.w[k] = (f64::from(row.w[k]) + change[3 + k]) as f32;
        }
        row
    }

    /// Gives a link's joint its new impulses.
    pub fn give_joint(&self, link: usize, joint: &mut JointRows) {
        let node = &self.nodes[link];
        let locked = ones(joint.pattern.locked).map(|i| (i, false));
        for (n, (i, sprung)) in
            locked.chain(ones(joint.springs_in_tree()).map(|i| (i, true))).enumerate().take(node.count)
        {
            let impulse = if sprung { &mut joint.kept.spring[i] } else { &mut joint.kept.hold[i] };
            *impulse = (f64::from(*impulse) + node.change[n]) as f32;
        }
    }

    fn factor(&mut self, link: usize) {
        let Link { parent, child, .. } = self.links[link];
        let node = &mut self.nodes[link];
        let mut matrix = ZERO;
        for n in 0..node.count {
            node.response[n] = times(&self.articulated[parent], &node.of_parent[n]);
            let below = child.map(|child| times(&self.articulated[child], &node.of_child[n]));
            for m in 0..=n {
                let of_child = below.as_ref().map_or(0.0, |below| dot(&node.of_child[m], below));
                matrix[n][m] = of_child + dot(&node.of_parent[m], &node.response[n]);
            }
            matrix[n][n] += node.compliance[n];
        }
        node.factors = factored(&matrix, node.count);
        // A_p -= G T^-1 G^T.
        let columns: [V6; 6] = std::array::from_fn(|k| {
            let mut column = [0.0; 6];
            for (n, x) in column.iter_mut().enumerate().take(node.count) {
                *x = node.response[n][k];
            }
            node.solved(column)
        });
        let of_parent = &mut self.articulated[parent];
        for i in 0..6 {
            for j in 0..=i {
                let mut sum = 0.0;
                for n in 0..node.count {
                    sum += node.response[n][i] * columns[j][n];
                }
                of_parent[i][j] -= sum;
                of_parent[j][i] = of_parent[i][j];
            }
        }
    }
}

impl Node {
    /// Takes up a row, and returns its rate.
    fn take(&mut self, joint: &JointRows, i: usize, parent_is_b: bool, [a, b]: [&BodyRow; 2], stale: bool) -> f64 {
        let row = &joint.found.coordinates[i].row;
        let side = |k: usize, sign: f64| {
            let (l, r) = (row.linear[k], row.angular[k]);
            [l.x, l.y, l.z, r.x, r.y, r.z].map(|c| sign * f64::from(c))
        };
        let both = [side(0, -1.0), side(1, 1.0)];
        if stale {
            let [of_parent, of_child] = if parent_is_b { [both[1], both[0]] } else { both };
            (self.of_parent[self.count], self.of_child[self.count]) = (of_parent, of_child);
        }
        self.count += 1;
        dot(&both[0], &velocities(a)) + dot(&both[1], &velocities(b))
    }

    /// T^-1 x.
    fn solved(&self, mut x: V6) -> V6 {
        for i in 0..self.count {
            for j in 0..i {
                x[i] -= self.factors[i][j] * x[j];
            }
        }
        for i in (0..self.count).rev() {
            x[i] *= self.factors[i][i];
            for j in i + 1..self.count {
                x[i] -= self.factors[j][i] * x[j];
            }
        }
        x
    }
}

/// L below the diagonal and 1/D on it; 0 of a row that moves nothing.
fn factored(k: &M6, count: usize) -> M6 {
    let mut factors = ZERO;
    for i in 0..count {
        // L_ij D_j.
        let mut scaled = [0.0; 6];
        let mut pivot = k[i][i];
        for j in 0..i {
            let mut sum = k[i][j];
            for m in 0..j {
                sum -= scaled[m] * factors[j][m];
            }
            scaled[j] = sum;
            factors[i][j] = sum * factors[j][j];
            pivot -= sum * factors[i][j];
        }
        // Compliance keeps it above 0 where anything moves.
        factors[i][i] = if pivot > 0.25 * TREE_COMPLIANCE * k[i][i] { 1.0 / pivot } else { 0.0 };
    }
    factors
}

/// Gauss-Jordan's last three columns, with pivots.
fn eliminated(mut m: [[f64; 6]; 3]) -> [[f64; 3]; 3] {
    for k in 0..3 {
        let pivot = (k..3).fold(k, |best, i| if m[i][k].abs() > m[best][k].abs() { i } else { best });
        m.swap(k, pivot);
        let scale = 1.0 / m[k][k];
        m[k] = m[k].map(|x| x * scale);
        for i in (0..3).filter(|i| *i != k) {
            let factor = m[i][k];
            for j in 0..6 {
                m[i][j] -= factor * m[k][j];
            }
        }
    }
    m.map(|row| [row[3], row[4], row[5]])
}

fn velocities(row: &BodyRow) -> V6 {
    let ([x, y, z, _], [p, q, r, _]) = (row.v, row.w);
    [x, y, z, p, q, r].map(f64::from)
}

fn dot(a: &V6, b: &V6) -> f64 {
    ((a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]) + ((a[3] * b[3] + a[4] * b[4]) + a[5] * b[5])
}

fn times(m: &M6, x: &V6) -> V6 {
    [0, 1, 2, 3, 4, 5].map(|k| dot(&m[k], x))
}

fn add(sum: &mut V6, x: &V6, factor: f64) {
    for (sum, x) in sum.iter_mut().zip(x) {
        *sum += x * factor;
    }
}

/// The bodies and joints of a tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Branches {
    /// Bodies, ascending by how far they are from the root.
    pub bodies: Vec<u32>,
    /// Joints, from the leaves to the root.
    pub joints: Vec<u32>,
    /// The link of each joint.
    pub links: Vec<Link>,
}

/// The links of a forest of joints between bodies: which joints are solved together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Forest {
    /// The trees.
    pub trees: Vec<Branches>,
    /// Joints that close a loop, which are left to the sweeps.
    pub loops: Vec<u32>,
}

impl Forest {
    /// Of joints, each with its number and its bodies, where `moves` says which bodies give way. A joint whose bodies
    /// earlier ones connect closes a loop. A tree's root is its body of the lowest number.
    #[must_use]
    pub fn new(bodies: usize, joints: &[(u32, [u32; 2])], moves: impl Fn(u32) -> bool) -> Forest {
        let gives = |body: u32| body != WORLD && moves(body);
        // Sets of connected bodies, by the lowest of them.
        let mut set: Vec<u32> = (0..bodies as u32).collect();
        let lowest = |set: &mut [u32], mut body: u32| {
            while set[body as usize] != body {
                let above = set[set[body as usize] as usize];
                set[body as usize] = above;
                body = above;
            }
            body
        };
        let mut at = vec![Vec::<(u32, u32, bool)>::new(); bodies];
        let mut with_world = vec![Vec::<(u32, bool)>::new(); bodies];
        let (mut forest, mut joined) = (Forest::default(), vec![false; bodies]);
        for &(joint, [a, b]) in joints {
            match [gives(a), gives(b)] {
                [false, false] => continue,
                [true, false] => with_world[a as usize].push((joint, false)),
                [false, true] => with_world[b as usize].push((joint, true)),
                [true, true] => {
                    let [x, y] = [lowest(&mut set, a), lowest(&mut set, b)];
                    if x == y {
                        forest.loops.push(joint);
                        continue;
                    }
                    set[x.max(y) as usize] = x.min(y);
                    at[a as usize].push((joint, b, false));
                    at[b as usize].push((joint, a, true));
                }
            }
            [a, b].into_iter().filter(|&body| gives(body)).for_each(|body| joined[body as usize] = true);
        }
        for root in (0..bodies as u32).filter(|&body| joined[body as usize] && set[body as usize] == body) {
            // Breadth first: body, its place's parent, the joint with it, and whether the parent is B.
            let mut found = vec![(root, None)];
            let mut next = 0;
            while let Some(&(body, up)) = found.get(next) {
                let above = up.map(|(_, joint, _)| joint);
                for &(joint, other, is_b) in at[body as usize].iter().filter(|(joint, ..)| Some(*joint) != above) {
                    found.push((other, Some((next, joint, is_b))));
                }
                next += 1;
            }
            let mut tree = Branches::default();
            let mut add = |joint, link| {
                tree.joints.push(joint);
                tree.links.push(link);
            };
            for (place, &(body, up)) in found.iter().enumerate().rev() {
                for &(joint, is_b) in &with_world[body as usize] {
                    add(joint, Link { parent: place, child: None, parent_is_b: is_b });
                }
                if let Some((parent, joint, is_b)) = up {
                    add(joint, Link { parent, child: Some(place), parent_is_b: is_b });
                }
            }
            tree.bodies = found.into_iter().map(|(body, _)| body).collect();
            forest.trees.push(tree);
        }
        forest
    }
}
