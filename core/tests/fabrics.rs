//! Fabrics: what cannot be meant is refused, what is meant reaches the body, by recipes and by keys.

use seidel::{BendModel, Cloth, ClothModel, Error, Fabric, Mesh, Plan, Pose, Scene};
use seidel_scenes::{ClothSpec, FabricSpec, SceneSpec};

fn plan(cloth: Cloth) -> Result<Plan, Error> {
    let mut scene = Scene::new();
    scene.add(cloth.named("a"));
    Plan::new(&scene)
}

fn grid() -> Cloth {
    Cloth::grid([4, 4], [1.0, 1.0])
}

#[test]
fn numbers_beyond_their_limits_are_named() {
    let with = |change: fn(&mut Fabric)| {
        let mut fabric = Fabric::COTTON;
        change(&mut fabric);
        grid().fabric(fabric)
    };
    for (cloth, says) in [
        (with(|f| f.density = 0.0), "body `a`: density is 0, which is not within 1e-9"),
        (with(|f| f.thickness = 0.0), "body `a`: thickness of the fabric is 0, which is not within 1e-9"),
        (with(|f| f.stretch[0] = -1.0), "body `a`: tensile stiffness along the warp is -1, which is not within 1e-6"),
        (with(|f| f.stretch[1] = f32::NAN), "body `a`: tensile stiffness along the weft is NaN"),
        (with(|f| f.shear = 0.0), "body `a`: shear stiffness is 0, which is not within 1e-6"),
        (with(|f| f.bend[1] = 0.0), "body `a`: bending rigidity along the weft is 0, which is not within 1e-15"),
        // 6e3 / 4e3 = 1.2247^2
        (with(|f| f.poisson = 1.23), "body `a`: Poisson's ratio is 1.23, which is not between -r and r"),
        (
            with(|f| f.poisson = 0.5).model(ClothModel::Fem),
            "body `a`: Poisson's ratio is 0.5, which is not between -1 and 0.5",
        ),
        (
            with(|f| f.poisson = -1.0).model(ClothModel::Fem),
            "body `a`: Poisson's ratio is -1, which is not between -1 and",
        ),
        (grid().model(ClothModel::Strain), "body `a`: the model `strain` wants a fabric"),
        (grid().fabric(Fabric::SILK).stretch(1e-3), "body `a`: its fabric says how it resists stretch; leave one"),
        (grid().fabric(Fabric::SILK).compress(1e-3), "body `a`: its fabric says how it resists compression"),
        (grid().fabric(Fabric::SILK).shear(1e-3), "body `a`: its fabric says how it resists shear"),
        (grid().bend(1e3).fabric(Fabric::SILK), "body `a`: its fabric says how it resists bending"),
        (grid().fabric(Fabric::SILK).warp([0.0; 3]), "body `a`: length of the warp's direction is 0"),
        (grid().fabric(Fabric::SILK).warp([0.0, 1.0, 0.0]), "body `a`: the warp stands upright on triangle 0"),
        (Cloth::grid([4, 4], [1.0, 0.3]).fabric(Fabric::LEATHER), "body `a`: stiffness of a spring of cell 0, 0 is -"),
    ] {
        let error = plan(cloth).unwrap_err().to_string();
        assert!(error.contains(says), "{error}\nand not {says}");
    }
    // What is the same in all directions has no use for a warp.
    assert!(plan(grid().fabric(Fabric::RUBBER).model(ClothModel::Fem).warp([0.0, 1.0, 0.0])).is_ok());
    assert!(plan(with(|f| f.bend = [0.0; 2])).is_ok());
    assert!(plan(with(|f| f.poisson = 1.22).model(ClothModel::Orthotropic)).is_ok());
}

/// Kinds and numbers of rows.
fn families(cloth: Cloth) -> Vec<(&'static str, usize)> {
    plan(cloth).unwrap().families().map(|(kind, n, _)| (kind, n)).collect()
}

#[test]
fn each_model_has_its_rows() {
    let cotton = || grid().fabric(Fabric::COTTON);
    // Two hinges over each of 2 x 3 inner sides along x and along z, one over each of nine diagonals.
    let hinges = ("dihedral", 2 * 12 + 9);
    assert_eq!(families(cotton()), [("distance", 24), ("shear", 18), hinges]);
    for (model, kind) in [
        (ClothModel::Fem, "fem-triangle"),
        (ClothModel::Orthotropic, "orthotropic"),
        (ClothModel::Strain, "strain-triangle"),
    ] {
        assert_eq!(families(cotton().model(model)), [(kind, 18), hinges]);
    }
    let isometric = families(cotton().bend_model(BendModel::Isometric));
    assert_eq!(isometric[2], ("isometric", 33));
    let mesh = Cloth::new(grid().mesh()).fabric(Fabric::COTTON);
    assert_eq!(families(mesh), [("distance", 33), ("dihedral", 21)]);
    // Around a tube every side along x has cells on both sides.
    let tube = families(Cloth::tube([4, 5], [0.3, 0.6]).fabric(Fabric::COTTON));
    assert_eq!(tube, [("distance", 15 + 20), ("shear", 30), ("dihedral", 2 * (15 + 10) + 15)]);
    assert_eq!(families(grid()), [("distance", 24 + 18)], "what has no fabric is as it was");
}

/// The body of a spec's only cloth, as its plan shows it: masses, and the state after a second.
fn hash(cloth: ClothSpec) -> u64 {
    let spec = SceneSpec { cloth: vec![cloth], ..SceneSpec::default() };
    let mut solver = seidel::Solver::new(&spec.build(|_| Err(())).unwrap()).unwrap();
    for _ in 0..5 {
        let _ = solver.step(&seidel::Input::frame(1.0 / 60.0));
    }
    solver.state().hash()
}

#[test]
fn keys_make_what_recipes_make() {
    let pose = Pose::at([0.0, 1.0, 0.0]).turned([1.0, 0.0, 0.0], seidel::degrees(60.0));
    let fabric = Fabric { density: 0.4, shear: 20.0, ..Fabric::SILK };
    let like = FabricSpec { density: Some(0.4), shear: Some(20.0), ..FabricSpec::like("silk") };
    let spec = |fabric: FabricSpec| ClothSpec {
        resolution: [6, 5],
        size: [1.0, 0.8],
        position: [0.0, 1.0, 0.0],
        rotation: seidel_scenes::Turn { axis: [1.0, 0.0, 0.0], degrees: 60.0 },
        fabric: Some(fabric),
        model: Some(ClothModel::Strain),
        warp: Some([1.0, 0.0, 2.0]),
        pin_vertices: vec![0],
        ..ClothSpec::default()
    };
    let by_recipe = |cloth: Cloth| {
        let mut scene = Scene::new();
        scene.add(cloth.model(ClothModel::Strain).warp([1.0, 0.0, 2.0]).placed(pose, 1.0).pin(&[0]));
        let mut solver = seidel::Solver::new(&scene).unwrap();
        for _ in 0..5 {
            let _ = solver.step(&seidel::Input::frame(1.0 / 60.0));
        }
        solver.state().hash()
    };
    let plain = || Cloth::grid([6, 5], [1.0, 0.8]);
    assert_eq!(hash(spec(like.clone())), by_recipe(plain().fabric(fabric)));
    // The cloth's own density comes after the fabric's.
    let heavier = ClothSpec { density: Some(0.7), ..spec(like) };
    assert_eq!(hash(heavier), by_recipe(plain().fabric(fabric).density(0.7)));
}

#[test]
fn keys_that_contradict_each_other_are_refused() {
    let says = |cloth: ClothSpec| {
        let spec = SceneSpec { cloth: vec![ClothSpec { name: "a".to_owned(), ..cloth }], ..SceneSpec::default() };
        spec.build(|_| Err("none")).unwrap_err().to_string()
    };
    let silk = || ClothSpec { fabric: Some(FabricSpec::like("silk")), ..ClothSpec::default() };
    for (cloth, wanted) in [
        (ClothSpec { stretch_compliance: Some(0.0), ..silk() }, "so `stretch_compliance` means nothing"),
        (ClothSpec { compress: Some(0.0), ..silk() }, "so `compress` means nothing"),
        (ClothSpec { model: Some(ClothModel::Fem), ..ClothSpec::default() }, "`model` means nothing without a fabric"),
        (ClothSpec { warp: Some([1.0; 3]), ..ClothSpec::default() }, "`warp` means nothing without a fabric"),
        (
            ClothSpec { fabric: Some(FabricSpec::like("felt")), ..ClothSpec::default() },
            "no fabric `felt`; fabrics are cotton",
        ),
        (ClothSpec { fabric: Some(FabricSpec::default()), ..ClothSpec::default() }, "its fabric has no `density`"),
    ] {
        let error = says(cloth);
        assert!(error.contains("cloth `a`: ") && error.contains(wanted), "{error}\nand not {wanted}");
    }
}

/// A tube's warp runs along it whichever way it is placed; a fabric bends with it, its thickness is kept from
/// colliders.
#[test]
fn presets_are_sound_on_grids_tubes_and_balls() {
    for (name, fabric) in Fabric::NAMED {
        assert_eq!(Fabric::by_name(name), Some(fabric));
        for model in [ClothModel::Edges, ClothModel::Fem, ClothModel::Orthotropic, ClothModel::Strain] {
            let placed = Pose::IDENTITY.turned([0.3, 1.0, 0.2], seidel::degrees(50.0));
            for cloth in [grid(), Cloth::tube([5, 8], [0.5, 0.8]), Cloth::new(Mesh::ball(0.3, 2))] {
                let made = plan(cloth.fabric(fabric).model(model).placed(placed, 1.0));
                assert!(made.is_ok(), "{name}, {model:?}: {made:?}");
            }
        }
    }
    assert_eq!(Fabric::by_name("felt"), None);
    let [warp, weft] = Fabric::DENIM.young();
    assert!((warp / 1e7 - 1.0).abs() < 1e-6 && (weft / 7.25e6 - 1.0).abs() < 1e-6);
}

/// What the scene shows: on the bias the sheet is longer by a thirtieth, although the yarns that it hangs by hold it,
/// and narrower; along its yarns it is as long as it was.
#[test]
fn the_bias_gives_way() {
    let mut spec = seidel_scenes::named("orthotropic").unwrap();
    spec.cloth.iter_mut().for_each(|cloth| cloth.resolution = [9, 17]);
    let mut solver = seidel::Solver::new(&spec.build(|_| Err(())).unwrap()).unwrap();
    for _ in 0..spec.frames {
        let _ = solver.step(&seidel::Input::frame((1.0 / spec.fps) as f32));
    }
    let bodies: Vec<_> = solver.plan().body_ids().collect();
    let shapes: Vec<[f32; 2]> = bodies
        .into_iter()
        .map(|body| {
            let x = solver.positions(body);
            [x[4].y - x[16 * 9 + 4].y, (x[11 * 9 + 8] - x[11 * 9]).length()]
        })
        .collect();
    println!("length and width of warp, bias, weft: {shapes:?}");
    let [warp, bias, weft] = shapes[..] else { panic!("three sheets") };
    // 0.5 kg/m^2 x 9.81 m/s^2 x (1.2 m)^2 / 2 over 6e3 and 4e3 N/m: 0.6 and 0.9 mm.
    assert!(warp[0] > 1.2 && warp[0] < 1.205 && weft[0] > 1.2 && weft[0] < 1.205, "{shapes:?}");
    assert!(bias[0] > 1.23 && bias[0] < 1.26 && bias[1] < 0.57, "{shapes:?}");
    assert!(warp[1] > 0.598 && weft[1] > 0.598, "{shapes:?}");
}
