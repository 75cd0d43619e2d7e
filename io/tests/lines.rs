//! Errors of scenes name the line of the key, the row or the number that they are about.

use seidel::Plan;
use seidel_io::Error;
use seidel_io::scene::{build_changed, build_from, load, located_changed, located_in, parse};
use std::path::Path;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Scenes with a line for each number; each in turn becomes one that cannot be.
const SCENES: [&str; 8] = [
    // Cloths.
    "\
fps = 60
frames = 3
settle = 0.1
min_contacts = 0
gravity = [
  0,
  -9.81,
  0,
]
[air]
density = 1.2
wind = [
  1,
  0,
  0,
]
gusts = 0.1
seed = 3
[solver]
substeps = 4
iterations = 1
method = \"jacobi\"
relaxation = 1.1
[[cloth]]
name = \"a\"
resolution = [
  4,
  5,
]
size = [
  1,
  1.5,
]
scale = [
  1,
  2,
  1,
]
rotation.axis = [
  1,
  0,
  0,
]
rotation.degrees = 3
position = [
  0,
  1,
  0,
]
velocity = [
  0,
  1,
  0,
]
density = 0.2
stretch_compliance = 1e-5
compress = 1e-4
shear_compliance = 0.1
bend_compliance = 10
pin_vertices = [
  0,
  1,
]
long_range = 0.1
thickness = 0.01
friction = 0.4
restitution = 0.5
damping = 0.1
linear_damping = 0.1
drag = 1
lift = 1
groups = 1
mask = 3
[cloth.plastic]
yield = 0.1
creep = 0.5
limit = 2
fatigue = 0.1
breaks = 900
[cloth.plastic_bend]
yield = 10
creep = 0.5
limit = 90
fatigue = 0.1
breaks = 900
[[cloth.moving_pins]]
pin_vertices = [
  2,
  3,
]
about = [
  0,
  1,
  0,
]
[cloth.moving_pins.motion]
path = \"sinusoidal\"
amplitude = [
  0,
  1,
  0,
]
period = 2
phase = 1
[[cloth.constraint]]
kind = \"rope\"
at = [
  [6, 7],
  [6,
    8],
]
rest = [
  0.5,
  0.6,
]
damping = 0.1
compliance = 1e-5
[[cloth.constraint]]
kind = \"rope\"
at = [
  [6, 9],
  [6, 10],
]
rest = [
  0.5,
  0.6,
]
stiffness = 0.5
[[cloth.map]]
key = \"density\"
value = 0.3
where = [
  { ball = [0, 1, 0, 9] },
]
[[cloth.map]]
key = \"friction\"
value = 0.3
where = [
  { ball = [0, 1, 0, 9] },
]
[[cloth.attach]]
to = \"o\"
pin_vertices = [
  12,
  13,
]
within = 10
max_distance = 0.2
backstop = 0.1
backstop_radius = 0.5
[[cloth.attach]]
to = \"o\"
pin_vertices = [
  14,
  15,
]
[[cloth]]
name = \"b\"
resolution = 3
stretch_stiffness = 0.5
shear_stiffness = 0.5
bend_stiffness = 0.5
vertex_mass = 0.1
compress = 0.1
[[cloth]]
resolution = 3
fabric = \"cotton\"
warp = [
  1,
  0,
  0,
]
stretch_factor = 2
shear_factor = 3
bend_factor = 4
[[cloth]]
resolution = 3
[cloth.fabric]
density = 0.2
thickness = 0.001
stretch = [
  100,
  200,
]
shear = 10
poisson = 0.3
bend = [
  1e-5,
  1e-6,
]
[[obstacle]]
name = \"o\"
position = [
  0,
  -1,
  0,
]
rotation.axis = [
  1,
  0,
  0,
]
rotation.degrees = 3
scale = 1
about = [
  0,
  1,
  0,
]
thickness = 0.01
friction = 0.5
groups = 1
mask = 3
[obstacle.limb]
radius = 0.05
length = 0.6
around = 3
along = 3
bend = 90
period = 4
[obstacle.motion]
path = \"steady\"
velocity = [
  1,
  0,
  0,
]
axis = [
  1,
  0,
  0,
]
turns = 1
start = 1
end = 2
[[join]]
a = \"a\"
b = \"b\"
pairs = [
  [16, 0],
  [17,
    1],
]
compliance = 1e-4
damping = 0.1
[[join]]
a = \"a\"
b = \"b\"
within = 10
vertices = [
  18,
  19,
]
stiffness = 0.5
",
    // Ropes, rods, balloons.
    "\
[[cloth]]
resolution = 4
pin_where = [
  { ball = [0, 0, 0, 0.9] },
  { box = [[-9, -9, -9],
    [9, 9, 9]] },
  { side = [[0, -9, 0],
    [0, 1, 0]] },
]
[cloth.tear]
strain = 0.5
copies = 3
[[cloth.cut]]
time = 0.5
plane = [
  [0, 0, 0],
  [1, 0, 0],
]
[[cloth.cut]]
time = 1
blade = [
  [0, 0, 0],
  [0, 1, 0],
  [1, 0, 0],
  [1, 1, 0],
]
[[rope]]
from = [
  0,
  1,
  0,
]
to = [
  1,
  1,
  0,
]
segments = 8
link_mass = 0.01
end_mass = 0.1
thickness = 0.01
pin_vertices = [
  0,
]
stretch_compliance = 1e-6
friction = 0.4
[[rope]]
points = [
  [0, 2, 0],
  [1, 2, 0],
  [2,
    2, 0],
]
stretch_stiffness = 0.5
damping = 0.1
[[rod]]
from = [
  0,
  3,
  0,
]
to = [
  1,
  3,
  0,
]
segments = 4
radius = 0.01
density = 1000
young = 1e6
poisson = 0.3
end_masses = [
  0.1,
  0.1,
]
relaxation = 0.1
thickness = 0.01
pin_vertices = [
  0,
  1,
]
[[rod]]
shear_modulus = 1e5
shear_correction = 0.9
points = [
  [0, 4, 0],
  [1, 4, 0],
  [2, 4, 0],
]
[[rod.map]]
key = \"young\"
value = 2e6
[[rod.map]]
key = \"radius\"
value = 0.02
[[balloon]]
radius = 0.3
detail = 2
position = [
  0,
  5,
  0,
]
density = 0.1
volume_compliance = 1e-6
stretch_compliance = 1e-5
compress = 1e-4
bend_compliance = 1
thickness = 0.01
pressure_path = [
  [0, 1],
  [1,
    2],
]
",
    // Solids and matched shapes.
    "\
[[soft_body]]
size = [
  1,
  1,
  1,
]
cells = [
  2,
  2,
  2,
]
position = [
  0,
  1,
  0,
]
density = 1000
young = 1e5
poisson = 0.3
relaxation = 0.01
thickness = 0.01
[[soft_body]]
tube = [
  0.2,
  0.1,
]
vertex_mass = 0.1
stiffness = 0.5
[[shape_matched]]
radius = 0.3
detail = 2
mass = 0.1
clusters = 0.3
stiffness = 0.5
linear = 0.5
thickness = 0.01
[[shape_matched]]
half = [
  1,
  1,
  1,
]
cells = [
  2,
  2,
  2,
]
compliance = 1e-5
",
    "\
[[soft_body]]
cell = 0.3
balls = [
  [0, 0, 0, 0.5],
  [0.5, 0, 0,
    0.4],
]
density = 1000
[soft_body.plastic]
yield = 0.1
creep = 0.5
limit = 2
fatigue = 0.1
breaks = 900
[[soft_body.map]]
key = \"young\"
value = 1e5
",
    // Fluids and grains.
    "\
[[fluid]]
spacing = 0.1
support = 2
from = [
  0,
  0,
  0,
]
to = [
  0.5,
  0.5,
  0.5,
]
density = 1000
viscosity = 0.1
surface_tension = 0.07
vorticity_confinement = 0.1
slip_length = 0.1
velocity = [
  0,
  1,
  0,
]
friction = 0.1
linear_damping = 0.1
capacity = 2000
groups = 1
[[fluid.emitter]]
position = [
  0,
  2,
  0,
]
rotation = { axis = [0, 0, 1], degrees = 10 }
radius = 0.1
speed = 1
from = 0
until = 2
jitter = 0.1
seed = 3
[[fluid.emitter]]
half = [
  0.2,
  0.2,
]
position = [
  3,
  2,
  0,
]
[[fluid.drain]]
box = [
  [-1, -1, -1],
  [-2, -2, -2],
]
[[grains]]
radius = 0.05
from = [
  2,
  0,
  0,
]
to = [
  3,
  1,
  1,
]
fraction = 0.2
seed = 1
density = 1000
friction = 0.5
dynamic_friction = 0.3
cohesion = 1
mass_scaling = 0.1
velocity = [
  0,
  1,
  0,
]
linear_damping = 0.1
[[grains]]
radius = 0.05
points = [
  [5, 0, 0],
  [6, 0,
    0],
]
",
    // Rigid bodies.
    "\
[[body]]
name = \"a\"
shape = \"capsule\"
radius = 0.1
half_length = 0.2
position = [
  0,
  1,
  0,
]
rotation.axis = [
  1,
  0,
  0,
]
rotation.degrees = 3
density = 1000
velocity = [
  0,
  1,
  0,
]
angular_velocity = [
  0,
  1,
  0,
]
friction = 0.5
restitution = 0.1
gravity_scale = 1
linear_damping = 0.1
angular_damping = 0.1
additional_mass = 0.1
additional_at = [
  0,
  0.1,
  0,
]
rolling_resistance = 0.1
spinning_resistance = 0.1
groups = 1
mask = 1
[[body]]
name = \"b\"
shape = \"cuboid\"
half = [
  0.1,
  0.1,
  0.1,
]
mass = 2
[[body]]
shape = \"hull\"
points = [
  [0, 0, 0],
  [1, 0, 0],
  [0, 1, 0],
  [0, 0,
    1],
]
mass = 2
[[body]]
shape = \"torus\"
radius = 0.1
ring = 0.5
[[body]]
name = \"c\"
position = [
  3,
  3,
  3,
]
[[joint]]
kind = \"hinge\"
a = \"a\"
b = \"b\"
position = [
  0,
  1,
  0,
]
axis = [
  0,
  0,
  1,
]
limits = [
  -1,
  1,
]
break_force = 1000
break_torque = 100
motor = { velocity = 3, limit = 2 }
[[joint]]
kind = \"spring\"
a = \"a\"
b = \"c\"
position = [
  0,
  1,
  0,
]
position_b = [
  3,
  3,
  3,
]
stiffness = 1000
damping = 0.1
rest = 2
[[joint]]
kind = \"ball\"
a = \"b\"
b = \"c\"
cone = 1
axis = [1, 0, 0]
[[joint]]
kind = \"hinge\"
a = \"b\"
b = \"c\"
axis = [0, 1, 0]
[joint.motor]
limit = 3
position_path = [
  [0, 0],
  [1,
    10],
]
[[rope]]
from = [
  0,
  5,
  0,
]
[[particle_joint]]
rigid = \"a\"
body = \"rope-0\"
vertices = [
  3,
  4,
]
compliance = 1e-4
",
    // Colliders.
    "\
[[rope]]
segments = 3
[[collider]]
name = \"c\"
shape = \"sphere\"
radius = 0.1
position = [
  0,
  1,
  0,
]
rotation.axis = [
  1,
  0,
  0,
]
rotation.degrees = 3
friction = 0.5
friction_kinetic = 0.4
restitution = 0.1
thickness = 0.01
groups = 1
mask = 1
[collider.motion]
path = \"key-frames\"
keys = [
  { time = 0, offset = [0, 0, 0] },
  { time = 1, offset = [0, 1, 0], axis = [1, 0, 0], degrees = 20 },
  { time = 2, offset = [0,
      2, 0], degrees = 0 },
]
[[collider]]
shape = \"capsule\"
radius = 0.1
half_length = 0.4
[collider.motion]
path = \"linear\"
velocity = [
  1,
  0,
  0,
]
[[collider]]
shape = \"cuboid\"
half = [
  0.1,
  0.1,
  0.1,
]
[collider.motion]
path = \"sinusoidal\"
amplitude = [0, 1, 0]
period = 2
phase = 0.1
[[collider]]
shape = \"torus\"
radius = 0.1
ring = 0.4
[[collider]]
shape = \"hull\"
points = [
  [0, 0, 0],
  [1, 0, 0],
  [0, 1, 0],
  [0, 0,
    1],
]
[[collider]]
shape = \"height-field\"
cell = 0.1
heights = [
  [0, 0, 0],
  [0, 0, 0],
  [0,
    0, 0],
]
",
    "\
[[rope]]
segments = 3
[[collider]]
shape = \"mesh\"
balls = [
  [0, 0, 0, 0.5],
  [0.5, 0, 0,
    0.4],
]
cell = 0.2
hollow = 0.05
",
];

/// Numbers of a text: their keys and places.
fn numbers(value: &Spanned<DeValue<'_>>, path: &str, found: &mut Vec<(String, std::ops::Range<usize>)>) {
    match value.get_ref() {
        DeValue::Table(table) => numbers_of(table, path, found),
        DeValue::Array(values) => {
            for (i, value) in values.iter().enumerate() {
                numbers(value, &format!("{path}.{i}"), found);
            }
        }
        DeValue::Float(_) | DeValue::Integer(_) => found.push((path.to_owned(), value.span())),
        _ => {}
    }
}

fn numbers_of(table: &DeTable<'_>, path: &str, found: &mut Vec<(String, std::ops::Range<usize>)>) {
    for (key, value) in table {
        numbers(value, &format!("{path}.{}", key.get_ref()), found);
    }
}

/// What is wrong with a text, with its place.
fn error_of(text: &str) -> Option<String> {
    let spec = match parse(Path::new("my.toml"), text) {
        Ok(spec) => spec,
        Err(e) => return Some(e.to_string().strip_prefix("my.toml: ").unwrap().to_owned()),
    };
    let error = match build_from(&spec, u64::MAX, &|_, _| {}, |_| Err::<Vec<u8>, _>(Error::Scene("no file".to_owned())))
    {
        Err(e) => e.to_string(),
        Ok(scene) => Plan::new(&scene).err()?.to_string(),
    };
    Some(located_in(text, &spec, &error))
}

#[test]
fn a_number_that_is_refused_names_its_line() {
    let (mut told, mut wrong) = (0, Vec::new());
    for (number, text) in SCENES.iter().enumerate() {
        assert_eq!(error_of(text), None, "scene {number}");
        let keys = DeTable::parse(text).unwrap();
        let mut found = Vec::new();
        numbers_of(keys.get_ref(), "", &mut found);
        for (path, span) in found {
            let line = 1 + text[..span.start].matches('\n').count();
            let vertices = ["vertices.", ".at.", ".pairs."].iter().any(|list| path.contains(list));
            for value in if vertices { &["77777"][..] } else { &["3e37", "-7.25"] } {
                let Some(error) = error_of(&format!("{}{value}{}", &text[..span.start], &text[span.end..])) else {
                    continue;
                };
                // Others are about what the number makes of another.
                if error.contains(&format!(" {value}, which")) || error.contains("does not exist") {
                    told += 1;
                    if !error.starts_with(&format!("line {line}: ")) {
                        wrong.push(format!("{number}{path} = {value} in line {line}: {error}"));
                    }
                }
                break;
            }
        }
    }
    println!("{told} numbers are refused");
    assert!(wrong.is_empty(), "{} of {told}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(told > 350, "{told}");
}

/// What is wrong in these is no number that the error shows.
#[test]
fn words_rows_and_names_have_lines_too() {
    let cloth = "[[cloth]]\nresolution = 4\n";
    let keys = "[[rope]]\n[[collider]]\nfriction = 0.1\nmotion = { path = \"key-frames\", keys = [\n{ time = 0, offset = [0, 0, 0] },\n";
    let rows = format!("{cloth}[[cloth.constraint]]\nkind = \"rope\"\nat = [[0, 1]]\n[[cloth.constraint]]\n");
    for (text, want) in [
        (format!("{rows}at = [[0, 1]]\nkind = \"roap\"\n"), "line 8: cloth 0: there is no kind `roap`"),
        (format!("{rows}kind = \"distance\"\nat = [\n[0, 1],\n[2, 3, 4],\n]\n"), "line 10: cloth 0, kind `distance`: row 1 has 3"),
        (format!("{rows}kind = \"distance\"\nat = [\n[0, 1],\n[2, 2],\n]\n"), "line 10: body `cloth-0`, kind `distance`: row 1 names vertex 2 twice"),
        (format!("{rows}kind = \"distance\"\nat = [\n[0, 1],\n[2,\n77],\n]\n"), "line 11: body `cloth-0`, kind `distance` row 1: vertex 77"),
        (format!("{cloth}name = \"a\"\n[[rope]]\nsegments = 3\nname = \"a\"\n"), "line 6: two bodies are called `a`; the other stands in line 3"),
        ("[[body]]\nradius = 1\nname = \"a\"\n[[body]]\nname = \"a\"\n".to_owned(), "line 5: two rigid bodies are called `a`; the other stands in line 3"),
        ("[[rope]]\nto = [1, 0, 0]\npin_where = [\n{ ball = [9, 9, 9, 1] },\n]\n".to_owned(), "line 4: rope 0, pin_where 0: no vertex is in it"),
        (format!("{cloth}[[cloth.attach]]\nwithin = 1\nto = \"nobody\"\n"), "line 5: cloth 0, attach 0: there is no obstacle `nobody`"),
        (format!("{cloth}bend_compliance = 1\n[cloth.plastic_bend]\ncreep = 1\nyield = -10\n"), "line 6: body `cloth-0`, kind `dihedral`: yield point"),
        (format!("{cloth}[cloth.plastic]\nyield = 0.1\nfatigue = -2\n"), "line 5: body `cloth-0`, kind `distance`: fatigue"),
        (format!("{cloth}[cloth.plastic]\nyield = 0.1\nbreaks = -2\n"), "line 5: body `cloth-0`, kind `distance`: breaking strain"),
        (format!("{cloth}[[obstacle]]\nlimb.radius = 0.05\nfps = 30\n"), "line 5: obstacle 0: `fps` is for a mesh"),
        ("[[rope]]\n[[collider]]\n[collider.motion]\npath = \"key-frames\"\nkeys = [\n{ time = 0, offset = [0, 0, 0] },\n{ time = 1, offset = [0, 0, 0], degrees = 9 },\n]\n".to_owned(), "line 7: collider 0: key 1 turns by 9 degrees about no axis"),
        (format!("{cloth}name = \"a\"\n[[rope]]\n[[join]]\nb = \"rope-0\"\na = \"a\"\npairs = [\n[0, 0],\n[0, 55],\n]\n"), "line 10: joint 0, kind `attach` row 1, body `rope-0`: vertex 55"),
        // Numbers that stand elsewhere, too.
        ("[[rope]]\nfrom = [0, 1, 0]\nsegments = 0\n".to_owned(), "line 3: body `rope-0`: number of particles is 1"),
        (
            format!("{cloth}[[cloth.map]]\nkey = \"density\"\nwhere = [{{ ball = [0, 0, 0, 9] }}]\nvalue = 0\n"),
            "line 6: cloth 0, map 0: `density` of vertex 0 is 0",
        ),
        (
            "[[cloth]]\ndensity = 1\nresolution = 4\n[[cloth.map]]\nkey = \"density\"\nvalue = -1\n".to_owned(),
            "line 6: cloth 0, map 0: `density` of vertex 0 is -1",
        ),
        (
            "[[balloon]]\npressure_path = [\n[0, 1],\n[0, 2],\n]\n".to_owned(),
            "line 4: body `balloon-0`, volume 0: time of pressure 1 is 0",
        ),
        (
            "[[rope]]\n[[collider]]\n[collider.motion]\npath = \"key-frames\"\nkeys = [\n{ time = 0, offset = [0, 0, 0] },\n{ time = 0, offset = [0, 0, 0] },\n]\n".to_owned(),
            "line 7: collider `collider-0`: time of key 1 is 0",
        ),
        // The number of a map, where the body has such a key and the map more numbers of its kind.
        (
            "[[rod]]\nradius = 0.01\n[[rod.map]]\nwhere = [{ side = [[0, 0, 0], [0, 1, 0]] }]\nkey = \"radius\"\nvalue = 0\n".to_owned(),
            "line 6: rod 0, map 0: `radius` of vertex 0 is 0, which is not within 1e-7 .. 1e3 m (`value`)",
        ),
        // Limits of a rod's material are told once.
        ("[[rod]]\n[[rod.map]]\nkey = \"young\"\nvalue = -1\n".to_owned(), "line 4: rod 0, map 0: `young` of vertex 0 is -1, which is not within 1 .. 1e13 Pa"),
        ("[[rod]]\n[[rod.map]]\nkey = \"young\"\nvalue = 1e-3\n".to_owned(), "line 4: rod 0, map 0: `young` of vertex 0 is 0.001, which is not within 1 .. 1e13 Pa"),
        ("[[rod]]\n[[rod.map]]\nkey = \"density\"\nvalue = -1\n".to_owned(), "line 4: rod 0, map 0: `density` of vertex 0 is -1, which is not within 1e-3 .. 1e6 kg/m^3"),
        ("[[rod]]\n[[rod.map]]\nkey = \"density\"\nvalue = 1e8\n".to_owned(), "line 4: rod 0, map 0: `density` of vertex 0 is 100000000, which is not within 1e-3 .. 1e6 kg/m^3"),
        // A name that two have, and that another table means.
        ("[[rope]]\nname = \"a\"\n[[rod]]\nname = \"a\"\n[[join]]\na = \"a\"\nb = \"b\"\npairs = [[0, 0]]\n".to_owned(), "line 4: two bodies are called `a`; the other stands in line 2"),
        ("[[body]]\nname = \"a\"\n[[body]]\nname = \"a\"\n[[joint]]\nkind = \"ball\"\na = \"b\"\n".to_owned(), "line 4: two rigid bodies are called `a`; the other stands in line 2"),
        ("[[body]]\nradius = 1\n[[body]]\nname = \"rigid-0\"\n".to_owned(), "line 4: two rigid bodies are called `rigid-0`; the other stands in line 1"),
        (
            "[[body]]\nname = \"a\"\n[[joint]]\nkind = \"hinge\"\na = \"a\"\naxis = [0, 1, 0]\nlimits = [2, 1]\nmotor = { position_path = [[0, 0], [2, 0.7]], limit = 10 }\n".to_owned(),
            "line 7: joint `joint-0`: lower limit is 2, which is not at most the upper one (`limits`)",
        ),
        // Where serde tells no more than the table.
        (format!("{keys}{{ time = 1, offset = [1, 0] }},\n] }}\n"), "line 6: `collider.motion`, `offset`: invalid length 2, expected an array of length 3"),
        (format!("{keys}{{ tim = 1, offset = [1, 0, 0] }},\n] }}\n"), "line 6: unknown key `tim`; did you mean `time`?"),
        (format!("{keys}{{ time = \"b\", offset = [1, 0, 0] }},\n] }}\n"), "line 6: `collider.motion`, `time`: invalid type: string \"b\", expected a number"),
        ("[[grains]]\nradius = 0.1\npoints = [\n[0, 0, 0],\n[0.1, 0, 0]]\n".to_owned(), "line 4: body `grains-0`: grain 0 and grain 1 are 1.000e-1 m apart"),
        (
            format!("{cloth}fabric = \"denim\"\nplastic = {{ yield = 0.1 }}\n[[cloth.cut]]\ntime = 0\nplane = [[0, 0, 0], [1, 0, 0]]\n"),
            "line 4: body `cloth-0`: it has rest shapes that yield, and a body that tears or is cut has not",
        ),
        ("[[collider]]\nshape = \"hull\"\nfriction = 0.1\npoints = [[0, 0, 0], [1, 0, 0], [0, 0, 1], [1, 0, 1]]\n[[rope]]\n".to_owned(), "line 4: collider 0: convex hull: 4 points lie in a plane"),
        (
            "[[rod]]\npoints = [[0, 4, 0], [1, 4, 0]]\nshear_correction = 0\n".to_owned(),
            "line 3: body `rod-0`: correction of shear is 0",
        ),
        (
            "[[rod]]\nfrom = [0, -1, 0]\nrelaxation = -1\n".to_owned(),
            "line 1: body `rod-0`, kind `stretch-shear`: damping is -1",
        ),
    ] {
        let error = error_of(&text).unwrap_or_default();
        assert!(error.starts_with(want), "{error}\nand not\n{want}");
    }
}

/// A change that gave the number is named in place of a line, also deep in a table.
#[test]
fn a_change_of_an_inner_number_is_named() {
    let text = "[[cloth]]\nresolution = 4\n[[cloth.map]]\nkey = \"density\"\nvalue = 1\nwhere = [{ ball = [0, 0, 0, 9] }]\n\
                [[cloth.cut]]\ntime = 0\nplane = [[0, 0, 0], [1, 0, 0]]\n[[collider]]\nmotion.path = \"sinusoidal\"\n\
                motion.amplitude = [0, 1, 0]\nmotion.period = 1\n";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("my.toml");
    std::fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap();
    for change in [
        "cloth.0.map.0.value=-1",
        "cloth.map.value=-1",
        "collider.0.motion.period=-1",
        "cloth.0.stretch_compliance=-1",
        // The text has a 0 there, too.
        "cloth.cut.plane=[[0, 0, 0], [0, 0, 0]]",
        "cloth.0.map.0.where=[{ ball = [9, 9, 9, 1] }]",
        "cloth.0.mesh=missing.obj",
    ] {
        let changes = [change.to_owned()];
        let spec = load(path, &changes).unwrap();
        let error = match build_changed(path, &changes, &spec, u64::MAX, &|_, _| {}) {
            Err(e) => e.to_string(),
            Ok(scene) => located_changed(path, &changes, &spec, &Plan::new(&scene).unwrap_err().to_string()),
        };
        assert!(error.starts_with(&format!("{path}: --set {change}: ")), "{error}");
    }
}

/// A file that is missing, or is no mesh, has the line of the key that names it.
#[test]
fn a_file_that_is_wrong_names_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("my.toml");
    std::fs::write(folder.path().join("bad.obj"), "v 0 0\n").unwrap();
    for (table, key) in
        [("cloth", "mesh"), ("balloon", "mesh"), ("soft_body", "mesh"), ("collider", "file"), ("obstacle", "mesh")]
    {
        for file in ["missing.obj", "bad.obj"] {
            let text = format!("[[rope]]\n[[{table}]]\nname = \"a\"\nfriction = 0.1\n{key} = \"{file}\"\n");
            let form = if table == "collider" { "shape = \"mesh\"\ncell = 0.1\n" } else { "" };
            std::fs::write(&path, text + form).unwrap();
            let path = path.to_str().unwrap();
            let spec = load(path, &[]).unwrap();
            let error = build_changed(path, &[], &spec, u64::MAX, &|_, _| {}).unwrap_err().to_string();
            assert!(error.starts_with(&format!("{path}: line 5: {table} `a`: ")) && error.contains(file), "{error}");
        }
    }
}
