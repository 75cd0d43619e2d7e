//! Bad files of the PositionBasedDynamics library: one error that names the file, the path of the key, and the limit.

use crate::pbd::Folder;
use seidel_io::pbd;
use std::path::Path;

const BODY: &str = r#""id": 1, "geometryFile": "cube.obj", "collisionObjectType": 2"#;

/// An error of a scene.
fn refused(folder: &Folder, json: &str, says: &[&str]) {
    let error = folder.read(json).map(|read| read.notes).unwrap_err();
    let file = folder.path().display().to_string();
    assert!(error.starts_with(&file), "{error}");
    assert_eq!(error.lines().count(), 1, "{error}");
    for says in says {
        assert!(error.contains(says), "{json}\n{error}\nand not {says}");
    }
}

/// An error of a body with more keys.
fn body_refused(folder: &Folder, more: &str, says: &[&str]) {
    refused(folder, &format!(r#"{{"RigidBodies": [{{{BODY}, {more}}}]}}"#), says);
}

#[test]
fn what_is_no_json_names_line_and_column() {
    let folder = Folder::new();
    refused(&folder, "", &["line 1", "JSON"]);
    refused(&folder, "{\n\"a\": NaN}", &["line 2, column 6"]);
    refused(&folder, "{\"a\": Infinity}", &["line 1"]);
    refused(&folder, "{\n\n\"density\": 1e999}", &["line 3", "out of range"]);
    refused(&folder, "{\"a\": 1", &["line 1"]);
    refused(&folder, "[]", &["a list", "a table is needed"]);
    refused(&folder, "3", &["is needed"]);
    refused(&folder, "{} {}", &["line 1"]);
    refused(&folder, &"[".repeat(1000), &["line 1", "recursion"]);
    refused(&folder, "{}", &["nothing in it can move"]);
    let missing = pbd::read(Path::new("nowhere/at all.json")).unwrap_err().to_string();
    assert!(missing.starts_with("nowhere/at all.json: cannot be read"), "{missing}");
    // Bytes that are no UTF-8, and a mark that says they are.
    assert!(pbd::parse(&folder.path(), b"{\"Name\": \"\xff\"}").is_err());
    assert!(pbd::parse(&folder.path(), b"\xef\xbb\xbf{").unwrap_err().to_string().contains("line 1"));
}

#[test]
fn files_that_are_not_there_are_named() {
    let folder = Folder::new();
    let at = "RigidBodies[0].geometryFile: ";
    refused(&folder, r#"{"RigidBodies": [{"geometryFile": "gone.obj"}]}"#, &[at, "gone.obj", "cannot be read"]);
    refused(&folder, r#"{"RigidBodies": [{"geometryFile": ""}]}"#, &[at, "is missing"]);
    refused(&folder, r#"{"RigidBodies": [{}]}"#, &[at, "is missing"]);
    refused(
        &folder,
        r#"{"TriangleModels": [{"geometryFile": "gone.obj"}]}"#,
        &["TriangleModels[0].geometryFile", "gone.obj"],
    );
    refused(
        &folder,
        r#"{"TetModels": [{"nodeFile": "gone.node", "eleFile": "gone.ele"}]}"#,
        &["TetModels[0].nodeFile"],
    );
    refused(&folder, r#"{"TetModels": [{"nodeFile": "two.node"}]}"#, &["TetModels[0].eleFile: is missing"]);
    refused(
        &folder,
        r#"{"TetModels": [{"nodeFile": "two.node", "eleFile": "other.ele"}]}"#,
        &["TetModels[0].eleFile", "two.ele"],
    );
    refused(
        &folder,
        r#"{"TetModels": [{"nodeFile": "cube.obj", "eleFile": "two.ele"}]}"#,
        &["TetModels[0].nodeFile", ".node"],
    );
    body_refused(
        &folder,
        r#""collisionObjectType": 5, "collisionObjectFileName": "gone.obj""#,
        &["RigidBodies[0].collisionObjectFileName", "gone.obj"],
    );
}

#[test]
fn values_of_a_wrong_type_are_named() {
    let folder = Folder::new();
    for (list, keys) in [
        (
            "TriangleModels",
            "id geometryFile translation scale rotationAxis rotationAngle staticParticles restitution friction",
        ),
        (
            "TetModels",
            "id nodeFile eleFile visFile translation scale rotationAxis rotationAngle staticParticles restitution friction \
            collisionObjectType collisionObjectScale testMesh invertSDF thicknessSDF resolutionSDF",
        ),
        (
            "RigidBodies",
            "id geometryFile translation scale rotationAxis rotationAngle isDynamic density velocity angularVelocity \
            restitution friction collisionObjectType collisionObjectFileName collisionObjectScale testMesh invertSDF thicknessSDF resolutionSDF \
            collisionCategoryBits collisionFilterMaskBits",
        ),
    ] {
        let base = match list {
            "TriangleModels" => r#""geometryFile": "sheet.obj", "rotationAxis": [1, 0, 0], "rotationAngle": 1"#,
            "TetModels" => {
                r#""nodeFile": "two.node", "eleFile": "two.ele", "rotationAxis": [1, 0, 0], "rotationAngle": 1"#
            }
            _ => {
                r#""geometryFile": "cube.obj", "collisionObjectType": 2, "rotationAxis": [1, 0, 0], "rotationAngle": 1"#
            }
        };
        for key in keys.split_whitespace() {
            // A table is no value of any key, nor is null.
            for wrong in ["{}", "null"] {
                let at = format!("{list}[0].{key}: is ");
                refused(&folder, &format!(r#"{{"{list}": [{{{base}, "{key}": {wrong}}}]}}"#), &[&at, "is needed"]);
            }
        }
    }
    for key in "timeStepSize gravitation gravity subSteps maxIterations maxIter velocityUpdateMethod clothSimulationMethod \
        triangleModelSimulationMethod clothBendingMethod triangleModelBendingMethod solidSimulationMethod tetModelSimulationMethod \
        cloth_stiffness cloth_xxStiffness cloth_yyStiffness cloth_xyStiffness cloth_xyPoissonRatio cloth_yxPoissonRatio \
        cloth_bendingStiffness cloth_normalizeStretch solid_stiffness solid_poissonRatio contactTolerance pauseAt \
        contactStiffnessRigidBody"
        .split_whitespace()
    {
        let json = format!(r#"{{"Simulation": {{"{key}": "much"}}, "RigidBodies": [{{{BODY}}}]}}"#);
        refused(&folder, &json, &[&format!("Simulation.{key}: is \"much\""), "is needed"]);
    }
    refused(&folder, r#"{"Name": 3}"#, &["Name: is 3, and a text is needed"]);
    refused(&folder, r#"{"Simulation": []}"#, &["Simulation: is a list, and a table is needed"]);
    refused(&folder, r#"{"RigidBodies": {}}"#, &["RigidBodies: is a table, and a list of tables is needed"]);
    refused(&folder, r#"{"RigidBodies": [3]}"#, &["RigidBodies[0]: is 3, and a table is needed"]);
    refused(&folder, r#"{"BallJoints": 3}"#, &["BallJoints: is 3, and a list of tables is needed"]);
    body_refused(&folder, r#""translation": [1, 2]"#, &["RigidBodies[0].translation: has 2 numbers, and 3 are needed"]);
    body_refused(
        &folder,
        r#""translation": [1, "2", 3]"#,
        &["RigidBodies[0].translation[1]: is \"2\", and a number is needed"],
    );
    body_refused(&folder, r#""isDynamic": 0.5"#, &["RigidBodies[0].isDynamic: is 0.5"]);
    body_refused(&folder, r#""collisionObjectType": 1.5"#, &["RigidBodies[0].collisionObjectType: is 1.5"]);
    body_refused(&folder, r#""id": -4"#, &["RigidBodies[0].id: is -4"]);
}

#[test]
fn numbers_beyond_their_limits_are_named() {
    let folder = Folder::new();
    for (more, says) in [
        (r#""density": 0"#, "density: is 0 kg/m^3, which is not within 1e-9 .. 1e9"),
        (r#""density": -3"#, "density: is -3 kg/m^3"),
        (r#""density": 1e300"#, "density: is 1"),
        (r#""scale": [1, 0, 1]"#, "scale: has 0, which is not within 1e-6 .. 1e6"),
        (r#""scale": [1, -1, 1]"#, "scale: has -1"),
        (r#""collisionObjectScale": [0, 1, 1]"#, "collisionObjectScale: has 0"),
        (r#""translation": [0, 1e7, 0]"#, "translation: has 10000000, which is not within +-1e6"),
        (r#""velocity": [0, -1e9, 0]"#, "velocity: has -1000000000"),
        (r#""angularVelocity": [1e8, 0, 0]"#, "angularVelocity: has 100000000"),
        (r#""restitution": 1.5"#, "restitution: is 1.5, which is not within 0.0 .. 1.0"),
        (r#""friction": -0.1"#, "friction: is -0.1, which is not within 0.0"),
        (r#""collisionObjectType": 8"#, "collisionObjectType: is 8, which is not within 0 .. 7"),
        (
            r#""collisionObjectType": 4, "collisionObjectScale": [1, 2, 1]"#,
            "collisionObjectScale: has a tube of radius 2 in a ring of radius 1",
        ),
        (
            r#""collisionObjectType": 5, "resolutionSDF": [0, 1, 1]"#,
            "resolutionSDF: is not three numbers within 1 .. 10000",
        ),
        (r#""thicknessSDF": 0"#, "thicknessSDF: is 0, which is not above 0"),
        (
            r#""rotationAxis": [0, 0, 0], "rotationAngle": 1"#,
            "rotationAxis: is [0.0, 0.0, 0.0], which has no direction",
        ),
        (r#""rotationAxis": [1, 0, 0], "rotationAngle": 1e9"#, "rotationAngle: is 1000000000"),
    ] {
        body_refused(&folder, more, &[&format!("RigidBodies[0].{says}")]);
    }
    let simulation = |more: &str, says: &str| {
        let json = format!(r#"{{"Simulation": {{{more}}}, "RigidBodies": [{{{BODY}}}]}}"#);
        refused(&folder, &json, &[&format!("Simulation.{says}")]);
    };
    simulation(r#""timeStepSize": 0"#, "timeStepSize: is 0 s, which is not within 1e-6 .. 1e3");
    simulation(r#""timeStepSize": -1"#, "timeStepSize: is -1 s");
    simulation(r#""subSteps": 0"#, "subSteps: is 0, which is not within 1 .. 100000");
    simulation(r#""maxIter": 200000"#, "maxIter: is 200000");
    simulation(r#""subSteps": 1000, "maxIterations": 1000"#, "subSteps: times maxIterations is 1000000");
    simulation(r#""gravitation": [0, -1e9, 0]"#, "gravitation: has -1000000000");
    simulation(r#""clothSimulationMethod": 5"#, "clothSimulationMethod: is 5, which is not within 0 .. 4");
    simulation(r#""solidSimulationMethod": 7"#, "solidSimulationMethod: is 7, which is not within 0 .. 6");
    simulation(r#""velocityUpdateMethod": 2"#, "velocityUpdateMethod: is 2, which is not within 0 .. 1");
    simulation(r#""contactTolerance": -1"#, "contactTolerance: is -1");
    simulation(
        r#""solid_poissonRatio": 0.5"#,
        "solid_poissonRatio: is 0.5, which is not above -0.9999 and below 0.49995",
    );
    simulation(r#""cloth_xyPoissonRatio": 1.0"#, "cloth_xyPoissonRatio: is 1");
    simulation(
        r#""clothSimulationMethod": 1, "cloth_stiffness": 1.5"#,
        "cloth_stiffness: is 1.5, and as PBD's stiffness",
    );
}

#[test]
fn vertices_and_models_that_cannot_be_are_named() {
    let folder = Folder::new();
    let sheet = |more: &str| format!(r#"{{"TriangleModels": [{{"geometryFile": "sheet.obj", {more}}}]}}"#);
    let says = "TriangleModels[0].staticParticles: number 1 is 5, and the model has 5 vertices, from 0";
    refused(&folder, &sheet(r#""staticParticles": [0, 5]"#), &[says]);
    refused(&folder, &sheet(r#""staticParticles": [0, -1]"#), &["TriangleModels[0].staticParticles[1]: is -1"]);
    let tets = r#"{"TetModels": [{"nodeFile": "two.node", "eleFile": "two.ele", "staticParticles": [7]}]}"#;
    refused(&folder, tets, &["TetModels[0].staticParticles: number 0 is 7, and the model has 5 vertices"]);
    // A sheet has no inside: what moves and has no collision object has no mass.
    let open = r#"{"RigidBodies": [{"geometryFile": "open.obj"}]}"#;
    refused(&folder, open, &["RigidBodies[0].geometryFile: ", "is open"]);
    let noted = folder.read(r#"{"RigidBodies": [{"geometryFile": "open.obj", "collisionObjectType": 1}]}"#).unwrap();
    assert!(
        noted.notes[0].contains("`RigidBodies[0].geometryFile`: ") && noted.notes[0].contains("is open"),
        "{noted:?}"
    );
}

#[test]
fn joints_of_bodies_that_are_not_there_are_named() {
    let folder = Folder::new();
    let scene = |list: &str, joint: &str| {
        format!(
            r#"{{"RigidBodies": [{{{BODY}}}, {{"id": 2, "geometryFile": "cube.obj", "collisionObjectType": 1, "translation": [3, 0, 0]}},
            {{"id": 3, "geometryFile": "cube.obj", "isDynamic": 0, "collisionObjectType": 2}},
            {{"id": 4, "geometryFile": "cube.obj", "isDynamic": 0, "collisionObjectType": 2}}],
            "TriangleModels": [{{"geometryFile": "sheet.obj"}}], "{list}": [{{{joint}}}]}}"#
        )
    };
    let check = |list: &str, joint: &str, says: &str| {
        refused(&folder, &scene(list, joint), &[&format!("{list}[0].{says}")]);
    };
    let ids = r#""bodyID1": 1, "bodyID2": 2"#;
    for list in [
        "BallJoints",
        "BallOnLineJoints",
        "HingeJoints",
        "UniversalJoints",
        "SliderJoints",
        "DistanceJoints",
        "RigidBodySprings",
        "DamperJoints",
        "TargetAngleMotorHingeJoints",
        "TargetVelocityMotorHingeJoints",
        "TargetPositionMotorSliderJoints",
        "TargetVelocityMotorSliderJoints",
        "CosseratJoints",
    ] {
        check(list, "", "bodyID1: is missing, and is needed");
        check(list, r#""bodyID1": 1"#, "bodyID2: is missing");
        check(
            list,
            r#""bodyID1": 1, "bodyID2": 9"#,
            "bodyID2: is 9, and no rigid body has this id; ids are 1, 2, 3, 4",
        );
        check(list, r#""bodyID1": 1, "bodyID2": 1"#, "bodyID2: is that of bodyID1");
        check(list, r#""bodyID1": 3, "bodyID2": 4"#, "bodyID2: names a body that does not move");
        check(list, r#""bodyID1": "1", "bodyID2": 4"#, "bodyID1: is \"1\"");
        // Each needs a place or an axis.
        refused(&folder, &scene(list, ids), &[&format!("{list}[0]."), "is missing, and is needed"]);
    }
    let at = r#""position": [0, 0, 0]"#;
    check(
        "HingeJoints",
        &format!(r#"{ids}, {at}, "axis": [0, 0, 0]"#),
        "axis: is [0.0, 0.0, 0.0], which has no direction",
    );
    check("HingeJoints", &format!(r#"{ids}, {at}, "axis": [1e-12, 0, 0]"#), "axis: is ");
    check("HingeJoints", &format!(r#"{ids}, {at}, "axis": 3"#), "axis: is 3, and a list of numbers is needed");
    check("SliderJoints", &format!(r#"{ids}, "axis": [0, 0]"#), "axis: has 2 numbers");
    check(
        "UniversalJoints",
        &format!(r#"{ids}, {at}, "axis1": [0, 1, 0], "axis2": [0, -2, 0]"#),
        "axis2: is [0.0, -2.0, 0.0], which is along axis1",
    );
    check("BallJoints", &format!(r#"{ids}, "position": [0, 1e8, 0]"#), "position: has 100000000");
    check(
        "RigidBodySprings",
        &format!(r#"{ids}, "position1": [0, 0, 0], "position2": [1, 0, 0]"#),
        "stiffness: is missing",
    );
    check(
        "RigidBodySprings",
        &format!(r#"{ids}, "position1": [0, 0, 0], "position2": [1, 0, 0], "stiffness": -1"#),
        "stiffness: is -1",
    );
    check("DamperJoints", &format!(r#"{ids}, "axis": [0, 1, 0], "stiffness": "x""#), "stiffness: is \"x\"");
    let hinge = format!(r#"{ids}, {at}, "axis": [0, 1, 0]"#);
    let motor = "TargetAngleMotorHingeJoints";
    check(motor, &format!(r#"{hinge}, "target": 1e9"#), "target: is 1000000000");
    check(
        motor,
        &format!(r#"{hinge}, "targetSequence": [0, 0, 2, 1, 1, 0]"#),
        "targetSequence: time 1 of pair 2 is before 2",
    );
    check(
        motor,
        &format!(r#"{hinge}, "targetSequence": [0, 1e300]"#).replace("1e300", "\"a\""),
        "targetSequence[1]: is \"a\"",
    );
    check(
        motor,
        &format!(r#"{hinge}, "targetSequence": [0, 0], "repeatSequence": "yes""#),
        "repeatSequence: is \"yes\"",
    );
    let particle = "RigidBodyParticleBallJoints";
    check(particle, r#""rbID": 9, "particleID": 0"#, "rbID: is 9, and no rigid body has this id");
    check(particle, r#""rbID": 1, "particleID": 5"#, "particleID: is 5, and the models have 5 vertices, from 0");
    check(particle, r#""rbID": 1"#, "particleID: is missing");
    check(particle, r#""rbID": 1, "particleID": -1"#, "particleID: is -1");
}

#[test]
fn ids_that_stand_twice_are_named() {
    let folder = Folder::new();
    let json = format!(r#"{{"RigidBodies": [{{{BODY}}}, {{{BODY}}}]}}"#);
    refused(&folder, &json, &["RigidBodies[1].id: is 1, and RigidBodies[0].id has this id, too"]);
    // Bodies without an id have none to share.
    let json = r#"{"RigidBodies": [{"geometryFile": "cube.obj"}, {"geometryFile": "cube.obj"}]}"#;
    assert_eq!(folder.read(json).unwrap().spec.body.len(), 2);
}

/// Meshes are measured before they are read, and those that have been read leave less for others.
#[test]
fn what_a_scene_names_is_measured_before_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.json");
    let body = |file: &str| format!(r#"{{"geometryFile": "{file}"}}"#);
    let load = |files: &[&str], memory: u64| {
        let bodies: Vec<String> = files.iter().map(|file| body(file)).collect();
        std::fs::write(&path, format!(r#"{{"RigidBodies": [{}]}}"#, bodies.join(", "))).unwrap();
        seidel_io::scene::load_within(path.to_str().unwrap(), &[], memory).map(|_| ()).map_err(|e| e.to_string())
    };
    std::fs::File::create(folder.path().join("large.obj")).unwrap().set_len(900_000_000).unwrap();
    let error = load(&["large.obj"], 100_000_000).unwrap_err();
    assert!(
        error.contains("RigidBodies[0].geometryFile") && error.contains("to read it takes about 9.0 GB"),
        "{error}"
    );
    assert!(error.ends_with("100.0 MB are allowed: use a smaller file, or allow more"), "{error}");
    let cube = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
    let padded = format!("{cube}#{}\n", "x".repeat(10_000));
    for name in ["a.obj", "b.obj"] {
        std::fs::write(folder.path().join(name), &padded).unwrap();
    }
    let takes = 10 * padded.len() as u64;
    load(&["a.obj", "a.obj"], takes).unwrap();
    // What stays of the first is not there for the second.
    let error = load(&["a.obj", "b.obj"], takes).unwrap_err();
    assert!(error.contains("RigidBodies[1].geometryFile") && error.contains("b.obj: to read it takes"), "{error}");
    load(&["a.obj", "b.obj"], takes + 1000).unwrap();
}
