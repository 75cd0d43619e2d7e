//! Scenes that no sane program would make: degenerate triangle soups as cloths, as raw bodies with constraint rows of
//! every kind, and as ropes; hostile settings, colliders, inputs and states.

use super::bytes::Bytes;
use super::check::settles;
use super::obj::repaired;
use glam::{Quat, Vec3};
use seidel::Values;
use seidel::collider::{Key, Motion, Shape};
use seidel::kinds::KINDS;
use seidel::{
    BendModel, Body, Cloth, Collider, Constraints, Cut, Input, MaterialFrame, Mesh, NonFinite, Plan, Plasticity, Pose,
    Recipe, Rope, Scene, State, Stiffness, Tearing,
};

pub fn mesh(data: &[u8]) {
    let mut bytes = Bytes(data);
    let mut scene = Scene::new();
    settings(&mut bytes, &mut scene);
    for _ in 0..bytes.below(4) {
        let collider = collider(&mut bytes);
        scene.add_collider(collider);
    }
    for _ in 0..1 + bytes.below(3) {
        let body = body(&mut bytes);
        scene.add(body);
    }
    // What is left decides on inputs and on writes to the state: the same for every lane.
    let rest = bytes.0;
    settles(&scene, |step, plan, state| act(&mut Bytes(&rest[(step * 32).min(rest.len())..]), plan, state));
}

fn settings(bytes: &mut Bytes, scene: &mut Scene) {
    let s = &mut scene.settings;
    s.substeps = (1 + bytes.below(4) as u32).into();
    s.iterations = 1 + bytes.below(3) as u32;
    s.non_finite = match bytes.byte() {
        254 => NonFinite::Stop,
        255 => NonFinite::Ignore,
        _ => NonFinite::Freeze,
    };
    s.gravity[1] = -bytes.mostly(20.0);
}

fn collider(bytes: &mut Bytes) -> Collider {
    let shape = if bytes.flag() { Shape::Plane } else { Shape::Sphere { radius: bytes.mostly(2.0) } };
    let motion = match bytes.below(8) {
        0 => Motion::Linear { velocity: bytes.doubles().into() },
        1 => Motion::Sinusoidal { amplitude: bytes.doubles().into(), period: bytes.double(), phase: bytes.double() },
        2 => {
            let key = |_| Key {
                time: bytes.double(),
                offset: bytes.doubles().into(),
                axis: bytes.doubles().into(),
                angle: seidel::degrees(bytes.double()),
            };
            Motion::KeyFrames { keys: (0..2).map(key).collect() }
        }
        _ => Motion::Fixed,
    };
    let place = Collider::new(shape).at(bytes.point());
    let turned = if bytes.flag() { place.turned(bytes.doubles(), seidel::degrees(bytes.double())) } else { place };
    turned.moving(motion).friction(bytes.mostly(2.0))
}

fn body(bytes: &mut Bytes) -> Recipe {
    match bytes.below(8) {
        0 => rope(bytes).into(),
        1..4 => raw(bytes).into(),
        4 => {
            let grid = Cloth::grid([bytes.byte(), bytes.byte()].map(|n| u32::from(n % 12)), [bytes.mostly(2.0); 2]);
            cloth(bytes, grid).into()
        }
        5 => {
            let mesh = repaired(&soup(bytes));
            cloth(bytes, Cloth::new(&mesh)).into()
        }
        _ => {
            let mesh = soup(bytes);
            cloth(bytes, Cloth::new(&mesh)).into()
        }
    }
}

/// Up to 255 vertices, then up to 255 triangles; both end with the bytes.
fn soup(bytes: &mut Bytes) -> Mesh {
    let mut mesh = Mesh::default();
    for _ in 0..bytes.byte() {
        if !bytes.is_empty() {
            mesh.positions.push(bytes.point());
        }
    }
    let n = mesh.positions.len();
    for _ in 0..bytes.byte() {
        if !bytes.is_empty() {
            mesh.triangles.push([bytes.index(n), bytes.index(n), bytes.index(n)]);
        }
    }
    mesh
}

fn cloth(bytes: &mut Bytes, cloth: Cloth) -> Cloth {
    let count = cloth.mesh().positions.len();
    let pins: Vec<_> = (0..bytes.below(4)).map(|_| bytes.index(count)).collect();
    let rows = cloth.mesh().edges().len();
    let mut cloth = cloth
        .density(bytes.mostly(1.0))
        .thickness(bytes.mostly(0.1))
        .friction(bytes.mostly(1.0))
        .damping(bytes.mostly(1.0))
        .stretch_by(stiffness(bytes, rows))
        .pin(&pins);
    if bytes.flag() {
        cloth = cloth.compress(bytes.mostly(1.0));
    }
    let bend = bytes.byte();
    if bend & 1 == 1 {
        let model = if bend & 2 == 0 { BendModel::Dihedral } else { BendModel::Isometric };
        cloth = cloth.bend_by(stiffness(bytes, rows)).bend_model(model);
    }
    if bend & 4 != 0 {
        cloth = cloth.plastic(plasticity(bytes));
    }
    if bend & 8 != 0 {
        cloth = cloth.plastic_bend(plasticity(bytes));
    }
    if bend & 16 != 0 {
        let tearing = Tearing::new(bytes.mostly(0.2)).capacity(u32::from(bytes.byte()));
        cloth = cloth.tear(if bend & 32 == 0 { tearing } else { tearing.cut(0.0, cut(bytes)) });
    } else if bend & 32 != 0 {
        cloth = cloth.tear(Tearing::by_cuts().cut(0.0, cut(bytes)).cut(bytes.double(), cut(bytes)));
    }
    if bytes.flag() {
        cloth = cloth.velocity(bytes.point());
    }
    if bytes.byte() < 32 {
        let pose = Pose::at(bytes.point()).turned(bytes.doubles(), seidel::degrees(bytes.double()));
        cloth = cloth.placed(pose, bytes.mostly(2.0));
    }
    cloth
}

/// When something yields. Whether it does is told by bits that nothing else has, so that what was found before means
/// the same.
fn plasticity(bytes: &mut Bytes) -> Plasticity {
    let yields = Plasticity::new(bytes.mostly(0.1));
    let yields = if bytes.flag() { yields.creep(bytes.mostly(60.0)) } else { yields };
    let bits = bytes.byte();
    let yields = if bits & 1 == 1 { yields.limit(bytes.mostly(2.0)) } else { yields };
    let yields = if bits & 2 == 2 { yields.fatigue(bytes.mostly(100.0)) } else { yields };
    if bits & 4 == 4 { yields.breaks(bytes.mostly(1.0)) } else { yields }
}

fn cut(bytes: &mut Bytes) -> Cut {
    let blade = bytes.flag();
    let points = [bytes.doubles(), bytes.doubles()];
    if blade { Cut::blade(points, [bytes.doubles(), bytes.doubles()]) } else { Cut::plane(points[0], points[1]) }
}

fn stiffness(bytes: &mut Bytes, rows: usize) -> Stiffness {
    let pbd = bytes.flag();
    let values = match bytes.byte() {
        tag @ 0..200 => Values::Uniform(f32::from(tag) / 199.0 * if pbd { 1.0 } else { 1.0e-3 }),
        200..210 => Values::PerRow((0..rows).map(|_| bytes.mostly(1.0)).collect()),
        210..216 => Values::PerRow((0..bytes.below(64)).map(|_| bytes.mostly(1.0)).collect()),
        _ => Values::Uniform(bytes.number()),
    };
    if pbd { Stiffness::Pbd(values) } else { Stiffness::Compliance(values) }
}

fn rope(bytes: &mut Bytes) -> Rope {
    let rope = if bytes.flag() {
        Rope::new(bytes.point(), bytes.point(), u32::from(bytes.byte()))
    } else {
        Rope::through((0..bytes.below(32)).map(|_| bytes.point()).collect())
    };
    let rope = rope.link_mass(bytes.mostly(0.1)).thickness(bytes.mostly(0.1)).damping(bytes.mostly(1.0));
    let bits = bytes.byte();
    let rope = rope.slack(bits & 1 == 1).stretch_by(stiffness(bytes, 31)).pin(&[bytes.index(31)]);
    let rope = if bits & 2 == 0 { rope } else { rope.plastic(plasticity(bytes)) };
    if bytes.flag() { rope.end_mass(bytes.mostly(1.0)) } else { rope }
}

/// A body as a user may write it: nothing of it need fit together.
fn raw(bytes: &mut Bytes) -> Body {
    let Mesh { positions, triangles } = soup(bytes);
    let n = positions.len();
    let uniform = bytes.flag();
    let inv_mass = (0..n).map(|_| if uniform { 1.0 } else { bytes.mostly(2.0) }).collect();
    let mut body = Body::particles(positions, inv_mass);
    body.triangles = triangles.into();
    body.thickness = bytes.mostly(0.1).into();
    body.friction = bytes.mostly(1.0).into();
    body.damping = bytes.mostly(1.0);
    if bytes.flag() {
        body.velocities = (0..n).map(|_| bytes.point()).collect();
    }
    for _ in 0..bytes.below(4) {
        let kind = KINDS[bytes.below(KINDS.len())];
        let (slots, params) = (kind.slots(), kind.params().len());
        let rows = usize::from(bytes.byte());
        // A hub: every row begins with the first vertex.
        let bits = bytes.byte();
        let hub = bits & 1 == 1;
        let at: Vec<u32> = (0..rows * slots)
            .map(|i| match hub {
                true if i % slots == 0 => 0,
                true => ((i / slots + i % slots) % n.max(1)) as u32,
                false => bytes.index(n),
            })
            .collect();
        let rest = match bytes.below(4) {
            0 => Vec::new(),
            1 => (0..bytes.below(64)).map(|_| bytes.number()).collect(),
            _ => (0..rows * params).map(|_| bytes.mostly(1.0)).collect(),
        };
        let rows = Constraints::new(kind, at, rest, stiffness(bytes, rows));
        body.constraints.push(if bits & 2 == 0 { rows } else { rows.plastic(plasticity(bytes)) });
    }
    if bytes.byte() == 255 {
        body.inv_mass.pop();
    }
    for _ in 0..bytes.below(8) {
        let rotation = [0.0, 0.0, 0.0, 1.0].map(|c: f32| if bytes.byte() < 240 { c } else { bytes.number() });
        let between = [bytes.index(n), bytes.index(n)];
        body.frames.push(MaterialFrame::new(Quat::from_array(rotation), bytes.mostly(100.0), between));
    }
    body
}

/// Writes to the state, and the step's input.
fn act(bytes: &mut Bytes, plan: &Plan, state: &mut State) -> Input {
    let body = plan.body_ids().nth(bytes.below(plan.bodies())).expect("a scene has a body");
    let n = plan.vertices(body);
    // Refused or taken: both are well.
    match bytes.byte() {
        200..210 => drop(state.write_positions(plan, body, &points(bytes, n))),
        210..220 => drop(state.write_velocities(plan, body, &points(bytes, n))),
        220..230 => {
            let inv_masses: Vec<_> = (0..n).map(|_| bytes.mostly(2.0)).collect();
            drop(state.write_inv_masses(plan, body, &inv_masses));
        }
        230..240 => state.resume(),
        _ => {}
    }
    let dt = if bytes.byte() < 192 { 1.0 / 60.0 } else { bytes.number() };
    let Ok(mut input) = Input::new(dt) else { return Input::frame(1.0 / 60.0) };
    if bytes.byte() > 200 {
        input = input.gravity(bytes.point());
    }
    for _ in 0..bytes.below(4) {
        input = input.pin(body, bytes.index(n), bytes.point());
    }
    if bytes.byte() > 200 {
        input = input.forces(body, &points(bytes, n));
    }
    if let Some(collider) = plan.collider_ids().next().filter(|_| bytes.byte() > 200) {
        let pose = Pose::at(bytes.point());
        match bytes.flag() && pose.is_valid() {
            true => state.teleport(collider, pose),
            false => input = input.pose(collider, pose),
        }
    }
    input
}

fn points(bytes: &mut Bytes, n: usize) -> Vec<Vec3> {
    (0..n).map(|_| Vec3::from(bytes.point())).collect()
}
