//! Vertices by name and place in scene files: groups, regions, painted attributes.

use std::path::Path;

use seidel::mesh::VertexMaps;
use seidel::{Mesh, Plan, Scene};
use seidel_io::scene::parse;
use seidel_scenes::Geometry;

/// Vertices of a row of squares: x is 0, 1 and so on, z 0 or 1.
///
/// ```text
///   0 - 2 - 4 - 6     z = 0     group `far`: 0, 2; `mid`: 2, 3, 4; attribute `x`: a tenth of x; `steep`: 0 or 1
///   |   |   |   |
///   1 - 3 - 5 - 7     z = 1
/// ```
pub(crate) fn strip() -> Geometry {
    let positions = (0..8).map(|v| [(v / 2) as f32, 0.0, (v % 2) as f32]).collect();
    let triangles = (0..3).flat_map(|i| [[2 * i, 2 * i + 1, 2 * i + 2], [2 * i + 2, 2 * i + 1, 2 * i + 3]]).collect();
    let maps = VertexMaps {
        groups: vec![("far".to_owned(), vec![0, 2]), ("middle".to_owned(), vec![2, 3, 4])],
        attributes: vec![
            ("x".to_owned(), (0..8).map(|v| (v / 2) as f32 * 0.1).collect()),
            ("steep".to_owned(), (0..8).map(|v| if v < 4 { 0.0 } else { 1.0 }).collect()),
        ],
    };
    Geometry::Surface(Mesh { positions, triangles }, maps)
}

/// The scene of a text; its mesh is [`strip`], whatever its name.
pub(crate) fn built(text: &str) -> Result<Scene, String> {
    let spec = parse(Path::new("x.toml"), text).map_err(|e| e.to_string())?;
    spec.build(|_| Ok::<_, String>(strip())).map_err(|e| e.to_string())
}

/// Vertices of the first body that do not move.
fn fixed(text: &str) -> Vec<u32> {
    let scene = built(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    let plan = Plan::new(&scene).unwrap_or_else(|e| panic!("{text}: {e}"));
    let masses = plan.inv_masses(plan.body_ids().next().expect("a body"));
    (0..).zip(masses).filter(|(_, w)| *w == 0.0).map(|(vertex, _)| vertex).collect()
}

fn refused(text: &str, wanted: &str) {
    let error = built(text).expect_err(text);
    assert!(error.contains(wanted), "{text}:\n{error}\nshould say: {wanted}");
}

#[test]
fn groups_regions_and_attributes_pin() {
    let pinned = |select: &str| fixed(&format!("[[cloth]]\nmesh = \"strip.obj\"\npin_where = {select}"));
    assert_eq!(pinned("[{ group = \"far\" }]"), [0, 2]);
    assert_eq!(pinned("[{ group = \"far\" }, { group = \"middle\" }]"), [0, 2, 3, 4], "those of any");
    assert_eq!(pinned("[{ group = \"middle\", side = [[0, 0, 0.5], [0, 0, 1]] }]"), [3], "those of all");
    assert_eq!(pinned("[{ box = [[2, -1, 0.5], [9, 1, -0.5]] }]"), [4, 6], "any two opposite corners");
    assert_eq!(pinned("[{ ball = [3, 0, 0.5, 0.6] }]"), [6, 7]);
    assert_eq!(pinned("[{ attribute = \"x\", above = 0.1 }]"), [4, 5, 6, 7]);
    let turned = "position = [0, 5, 0]\nscale = 2\nrotation = { axis = [0, 0, 1], degrees = 90 }";
    let text = format!("[[cloth]]\nmesh = \"s\"\n{turned}\npin_where = [{{ side = [[0, 10.9, 0], [0, 1, 0]] }}]");
    assert_eq!(fixed(&text), [6, 7], "places are those of the placed body");
}

#[test]
fn every_body_is_pinned_by_place() {
    let select = "pin_where = [{ side = [[0, 0, 0], [-1, 0, 0]] }]";
    assert_eq!(fixed(&format!("[[rope]]\nfrom = [-1, 0, 0]\nto = [1, 0, 0]\nsegments = 4\n{select}")), [0, 1, 2]);
    assert_eq!(fixed(&format!("[[rod]]\nfrom = [-1, 0, 0]\nto = [1, 0, 0]\nsegments = 4\n{select}")), [0, 1, 2]);
    assert_eq!(fixed(&format!("[[cloth]]\nresolution = 3\n{select}")), [0, 1, 3, 4, 6, 7]);
    let solid = format!("[[soft_body]]\nsize = [2, 1, 1]\ncells = [2, 1, 1]\n{select}");
    assert_eq!(fixed(&solid).len(), 8, "two of three layers of four");
    let ball = format!("[[balloon]]\ndetail = 1\n{select}");
    let shape = format!("[[shape_matched]]\ndetail = 1\n{select}");
    assert!(!fixed(&ball).is_empty() && fixed(&ball) == fixed(&shape));
}

#[test]
fn paths_and_attachments_take_selections() {
    let moved = "[[cloth]]\nmesh = \"s\"\n[[cloth.moving_pins]]\npin_where = [{ group = \"far\" }]\n\
                 motion = { path = \"linear\", velocity = [1, 0, 0] }";
    assert_eq!(fixed(moved), [0, 2]);
    let attached = "[[cloth]]\nmesh = \"s\"\n[[cloth.attach]]\nto = \"o\"\npin_where = [{ attribute = \"steep\", above = 0.5 }]\n\
                    [[obstacle]]\nname = \"o\"\nmesh = \"s\"";
    assert_eq!(fixed(attached), [4, 5, 6, 7]);
}

#[test]
fn a_repair_takes_groups_with_it() {
    // A vertex that nothing uses comes first, so that all others have new numbers.
    let Geometry::Surface(mut mesh, mut maps) = strip() else { unreachable!() };
    mesh.positions.insert(0, [9.0; 3]);
    mesh.triangles.iter_mut().flatten().for_each(|v| *v += 1);
    maps.groups.iter_mut().flat_map(|(_, group)| group).for_each(|v| *v += 1);
    maps.groups[0].1.insert(0, 0);
    maps.attributes.iter_mut().for_each(|(_, numbers)| numbers.insert(0, 7.0));
    let geometry = Geometry::Surface(mesh, maps);
    for (select, wanted) in [("group = \"far\"", 2), ("attribute = \"x\", above = 0.1", 4)] {
        let text = format!("[[cloth]]\nmesh = \"s\"\nrepair = true\npin_where = [{{ {select} }}]");
        let spec = parse(Path::new("x"), &text).unwrap();
        let scene = spec.build(|_| Ok::<_, String>(geometry.clone())).unwrap();
        let plan = Plan::new(&scene).unwrap();
        let masses = plan.inv_masses(plan.body_ids().next().unwrap());
        assert_eq!(masses.iter().filter(|w| **w == 0.0).count(), wanted, "{select}");
        assert_eq!(masses.len(), 8, "the vertex that nothing uses is gone");
    }
}

#[test]
fn selections_that_say_nothing_are_refused() {
    let with = |select: &str| format!("[[cloth]]\nname = \"c\"\nmesh = \"strip.obj\"\npin_where = [{{ {select} }}]");
    let group = "cloth `c`, pin_where 0: strip.obj has no group `fat`; did you mean `far`?; it has `far`, `middle`";
    refused(&with("group = \"fat\""), group);
    let attribute = "strip.obj has no attribute `weight`; it has `x`, `steep`";
    refused(&with("attribute = \"weight\", above = 0"), attribute);
    refused(&with("attribute = \"x\""), "`attribute` wants `above`");
    refused(&with("above = 1"), "`above` means nothing without `attribute`");
    refused(&with("below = 1"), "`below` means nothing without `attribute`");
    refused(&with(""), "it names no vertices; give it `group`, `box`, `ball`, `side` or `attribute`");
    let nobody =
        "no vertex is in it; the body lies within x 0.0000 to 3.0000 m, y 0.0000 to 0.0000 m, z 0.0000 to 1.0000 m";
    refused(&with("ball = [0, 5, 0, 1]"), nobody);
    refused(&with("group = \"far\", side = [[0, 0, 0.5], [0, 0, 1]]"), "no vertex is in it");
    refused(&with("ball = [0, 0, 0, 0]"), "`ball` has the radius 0, which is not above 0 m");
    refused(&with("side = [[0, 0, 0], [0, 0, 0]]"), "`side` has a normal of length 0");
    refused(&with("box = [[0, 0, 0], [nan, 0, 0]]"), "line 4: `cloth.pin_where.box` is nan, which is no number");
    let none = "`group` names what the file of a surface has, and the vertices here are of none";
    refused("[[cloth]]\npin_where = [{ group = \"far\" }]", none);
    refused(
        "[[rope]]\n[[rope.attach]]\nto = \"o\"\npin_where = [{ group = \"far\" }]\n[[obstacle]]\nname = \"o\"\nlimb = {}",
        none,
    );
    let unknown = "unknown key `grup`; did you mean `group`?";
    refused(&with("grup = \"far\""), unknown);
}

/// Above all that is painted there is no vertex: the error tells the range.
#[test]
fn above_the_range_of_an_attribute_tells_the_range() {
    let refused = |select: &str| {
        built(&format!("[[cloth]]\nmesh = \"strip.obj\"\npin_where = [{select}]")).map(drop).expect_err("a refusal")
    };
    let error = refused("{ attribute = \"x\", above = 2 }");
    assert!(error.ends_with("pin_where 0: `above` is 2, and attribute `x` is 0 to 0.3 there"), "{error}");
    let error = refused("{ group = \"far\", attribute = \"x\", above = 0.2 }");
    assert!(error.ends_with("`above` is 0.2, and attribute `x` is 0 to 0.1 there"), "{error}");
    let error = refused("{ attribute = \"x\", above = 0.1, below = 0.15 }");
    assert!(error.ends_with("`above` is 0.1, `below` is 0.15, and attribute `x` is 0 to 0.3 there"), "{error}");
}
