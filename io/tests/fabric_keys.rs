//! Fabrics in scene files: a name, a table, and changes of either.

use seidel::Fabric;
use seidel_io::scene::{load, parse, to_toml};
use std::path::Path;

fn fabric(text: &str) -> Result<String, String> {
    let spec = parse(Path::new("x"), &format!("[[cloth]]\nfabric = {text}")).map_err(|e| e.to_string())?;
    let written = to_toml(&spec).map_err(|e| e.to_string())?;
    assert_eq!(parse(Path::new("x"), &written).map_err(|e| e.to_string())?, spec, "{written}");
    Ok(written.lines().skip_while(|line| !line.contains("fabric")).take(3).collect::<Vec<_>>().join("; "))
}

#[test]
fn a_name_or_a_table() {
    assert!(fabric("\"denim\"").unwrap().contains("fabric = \"denim\""));
    let changed = fabric("{ like = \"denim\", density = 0.5 }").unwrap();
    assert!(changed.contains("like = \"denim\"") && changed.contains("density = 0.5"), "{changed}");
    let unknown = fabric("{ like = \"denim\", weight = 0.5 }").unwrap_err();
    assert!(
        unknown.contains("line 2") && unknown.contains("unknown key `weight`; known are like, density"),
        "{unknown}"
    );
    let number = fabric("3").unwrap_err();
    assert!(number.contains("the name of a fabric, or a table of its numbers"), "{number}");
}

#[test]
fn a_change_of_a_name_makes_it_a_table() {
    let changes = ["cloth.0.fabric.density=0.3", "cloth.1.fabric=rubber", "cloth.model=strain"].map(str::to_owned);
    let spec = load("flag-materials", &changes).unwrap();
    let first = spec.cloth[0].fabric.as_ref().unwrap();
    assert_eq!((first.like.as_deref(), first.density), (Some("silk"), Some(0.3)));
    assert_eq!(spec.cloth[1].fabric.as_ref().unwrap().like.as_deref(), Some("rubber"));
    assert!(Fabric::by_name(spec.cloth[2].fabric.as_ref().unwrap().like.as_deref().unwrap()).is_some());
    assert_eq!(spec.cloth[4].model, Some(seidel::ClothModel::Strain));
}
