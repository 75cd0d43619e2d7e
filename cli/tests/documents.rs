//! The documents name files that exist.

use std::path::Path;

/// Words of a text that look like paths of this repository.
fn paths(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| c.is_whitespace() || "`()[]<>,;:!\"'|*".contains(c));
    let tops = ["core/", "kernels/", "hash/", "io/", "cli/", "bench/", "fuzz/", "docs/", ".ci/"];
    words
        .map(|word| word.trim_end_matches('.'))
        .filter(move |word| {
            tops.iter().any(|top| word.starts_with(top)) || (word.ends_with(".md") && !word.contains("//"))
        })
        .filter(|word| !word.contains(['{', '$']))
}

#[test]
fn every_path_that_a_document_names_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut checked = 0;
    for document in
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "hash/README.md", "docs/scene.md"]
    {
        let text = std::fs::read_to_string(root.join(document)).unwrap_or_else(|e| panic!("{document}: {e}"));
        let folder = root.join(document);
        let folder = folder.parent().unwrap();
        for path in paths(&text) {
            assert!(
                root.join(path).exists() || folder.join(path).exists(),
                "{document} names {path}, which does not exist"
            );
            checked += 1;
        }
    }
    assert!(checked > 20, "the search for paths found only {checked}");
}

#[test]
fn the_scene_file_in_the_readme_is_one() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let mut blocks = readme.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let (scene, rows) = (blocks.next().unwrap(), blocks.next().unwrap());
    // The end of its run, and its largest stretch.
    let run = |text: &str| {
        let spec = seidel_io::scene::parse(Path::new("README.md"), text).unwrap();
        let mut solver = seidel::Solver::new(&seidel_io::scene::build("README", &spec).unwrap()).unwrap();
        let input = seidel::Input::frame((1.0 / spec.fps) as f32);
        let mut stretch = 0.0f32;
        for _ in 0..spec.frames {
            solver.step(&input);
            stretch = stretch.max(solver.measure().max_stretch);
        }
        (solver.state().hash(), stretch)
    };
    let (plain, with_rows) = (run(scene), run(&format!("{scene}\n{rows}")));
    assert!(plain.1 < 0.05 && with_rows.1 < 0.05, "they stretch by {} and {}", plain.1, with_rows.1);
    assert_ne!(plain.0, with_rows.0, "the added rows do nothing");
}
