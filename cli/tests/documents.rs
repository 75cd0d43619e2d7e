//! The documents name files that exist.

use seidel_scenes::SceneSpec;
use std::path::Path;

/// Words of a text that look like paths of this repository.
fn paths(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| c.is_whitespace() || "`()[]<>,;:!\"'|*".contains(c));
    let tops = [
        "core/",
        "kernels/",
        "hash/",
        "rigid/",
        "io/",
        "cli/",
        "kinds/",
        "scenes/",
        "workers/",
        "bench/",
        "fuzz/",
        "docs/",
        ".ci/",
        "capi/",
        "python/",
        "live/",
        "web/",
        "examples/",
    ];
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
    let mut decisions: Vec<String> = std::fs::read_dir(root.join("docs/decisions"))
        .unwrap()
        .map(|entry| format!("docs/decisions/{}", entry.unwrap().file_name().to_str().unwrap()))
        .collect();
    decisions.sort();
    let documents = [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "hash/README.md",
        "docs/scene.md",
        "docs/tuning.md",
        "docs/contacts.md",
        "docs/contacts-in-detail.md",
        "docs/glossary.md",
        "docs/benchmarks.md",
        "docs/linking.md",
        "docs/page.md",
        "docs/pbd-scenes.md",
        "python/README.md",
        "io/src/html/README.md",
    ];
    for document in documents.into_iter().chain(decisions.iter().map(String::as_str)) {
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
fn the_map_and_the_readme_stay_short() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for (document, limit) in [("ARCHITECTURE.md", 150), ("README.md", 160)] {
        let lines = std::fs::read_to_string(root.join(document)).unwrap().lines().count();
        assert!(lines < limit, "{document} has {lines} lines: what goes into detail belongs in docs/");
    }
}

/// The step reads top to bottom on a few pages.
#[test]
fn the_loop_of_the_step_stays_short() {
    let step = Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/src/run/step.rs");
    let lines = std::fs::read_to_string(step).unwrap().lines().count();
    assert!(lines < 200, "step.rs has {lines} lines: what goes into detail belongs in a pass (core/src/run/passes/)");
}

/// The table of largest stretch has a row for each named scene.
#[test]
fn every_scene_stands_in_the_table_of_stretch() {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/tuning.md")).unwrap();
    let first = |line: &str| Some(line.strip_prefix("| ")?.split([' ', '|']).next()?.to_owned());
    let rows: Vec<String> = text.lines().filter_map(first).collect();
    let missing: Vec<_> = seidel_scenes::NAMES.iter().filter(|name| !rows.iter().any(|row| row == *name)).collect();
    assert!(missing.is_empty(), "docs/tuning.md has no row for {missing:?}");
}

#[test]
fn every_decision_is_listed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/decisions");
    let list = std::fs::read_to_string(folder.join("README.md")).unwrap();
    for entry in std::fs::read_dir(&folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(name == "README.md" || list.contains(&format!("({name})")), "docs/decisions/README.md misses {name}");
    }
}

#[test]
fn the_first_scene_file_of_the_documents_is_one() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let text = std::fs::read_to_string(root.join("docs/scene.md")).unwrap();
    let mut blocks = text.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let (scene, rows) = (blocks.next().unwrap(), blocks.next().unwrap());
    // The end of its run, and its largest stretch.
    let run = |text: &str| {
        let spec = seidel_io::scene::parse(Path::new("scene.md"), text).unwrap();
        let mut solver = seidel::Solver::new(&seidel_io::scene::build("scene", &spec).unwrap()).unwrap();
        let input = seidel::Input::frame((1.0 / spec.fps) as f32);
        let mut stretch = 0.0f32;
        for _ in 0..spec.frames {
            solver.step(&input);
            stretch = stretch.max(solver.measure().max_stretch);
        }
        (solver.state().hash(), stretch)
    };
    let (plain, with_rows) = (run(scene), run(&format!("{scene}\n{rows}")));
    // At rest by less than 2 %; when the ball hits, by 5.1 % (20 substeps are chosen).
    assert!(plain.1 < 0.055 && with_rows.1 < 0.055, "they stretch by {} and {}", plain.1, with_rows.1);
    assert_ne!(plain.0, with_rows.0, "the added rows do nothing");
}

#[test]
fn the_examples_of_scene_files_are_some() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let text = std::fs::read_to_string(root.join("docs/scene.md")).unwrap();
    let examples = text.split("\n## Examples\n").nth(1).expect("a section of them");
    let blocks: Vec<&str> = examples.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert_eq!(blocks.len(), 6);
    let (mut ends, mut deepest) = (Vec::new(), f32::INFINITY);
    for (i, block) in blocks.iter().enumerate() {
        let spec = seidel_io::scene::parse(Path::new("scene.md"), block).unwrap_or_else(|e| panic!("{block}\n{e}"));
        let mut solver = seidel::Solver::new(&seidel_io::scene::build("scene", &spec).unwrap()).unwrap();
        let before = solver.state().hash();
        for _ in 0..60 {
            let report = solver.step(&seidel::Input::frame((1.0 / spec.fps) as f32));
            assert!(report.lost.is_none(), "example {i}: {:?}", report.lost);
            if i == 1 {
                let rod = solver.plan().body_ids().next().unwrap();
                deepest = deepest.min(solver.positions(rod)[10].y);
            }
        }
        assert_ne!(before, solver.state().hash(), "example {i} stands still");
        ends.push(solver);
    }
    // What is said of them.
    let of = |solver: &mut seidel::Solver| {
        let body = solver.plan().body_ids().next().unwrap();
        let mut places = solver.positions(body).to_vec();
        // Colliders meet what is shown.
        if let Some(skin) = solver.plan().skin(body) {
            let simulated = std::mem::take(&mut places);
            places.resize(skin.mesh().positions.len(), Default::default());
            skin.update(&simulated, &mut places);
        }
        places.iter().map(|x| x.to_array()).collect::<Vec<_>>()
    };
    let [rope, rod, balloon, soft, jelly, curtain]: [Vec<[f32; 3]>; 6] =
        ends.iter_mut().map(of).collect::<Vec<_>>().try_into().unwrap();
    let apart = |a: [f32; 3], b: [f32; 3]| (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f32>().sqrt();
    assert!((1..60).all(|i| apart(rope[0], rope[i]).min(apart(rope[60], rope[i])) < 1.52), "{rope:?}");
    // It swings about where it is to rest, and has come back.
    assert!((0.11..0.14).contains(&(1.0 - deepest)) && rod[10][1] > deepest, "the rod swings down to {deepest} m");
    let lowest = |x: &[[f32; 3]]| x.iter().fold(f32::INFINITY, |low, x| low.min(x[1]));
    assert!((0.0..0.1).contains(&lowest(&soft)) && (0.0..0.1).contains(&lowest(&jelly)), "they have fallen");
    // Twice its volume by then, from 0.4 m.
    let wide = balloon.iter().fold(0.0f32, |wide, x| wide.max(x[0])) * 2.0;
    assert!((0.47..0.7).contains(&wide), "the balloon is {wide} m wide");
    // How far the hem's vertices stand out of the line between their neighbours, on average, metres.
    let folds = |columns: std::ops::Range<usize>| {
        let hem = &curtain[39 * 48..];
        let bent = columns.clone().map(|i| (hem[i - 1][2] + hem[i + 1][2] - 2.0 * hem[i][2]).abs() / 2.0);
        bent.sum::<f32>() / columns.len() as f32
    };
    let (board, folded) = (folds(1..23), folds(25..47));
    assert!(folded > 5.0 * board, "the curtain's halves are bent by {board} and {folded} m");
}

/// Files of a folder that end in `.rs`, all the way down, with slashes.
fn sources(folder: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path.to_str().unwrap().replace('\\', "/"));
        }
    }
}

#[test]
fn unsafe_code_is_where_the_architecture_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let text = std::fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    let section = text.split("\n## ").find(|section| section.starts_with("Unsafe")).expect("a section of it");
    let list = section.split("\n\nEverything else").next().expect("the list");
    let listed: Vec<&str> = paths(list).collect();
    let (mut used, mut files) = (vec![false; listed.len()], Vec::new());
    for of in [
        "core",
        "kernels",
        "kinds",
        "hash",
        "rigid",
        "workers",
        "io",
        "cli",
        "capi",
        "web",
        "bench/src",
        "bench/benches",
        "fuzz/fuzz_targets",
    ] {
        sources(&root.join(of), &mut files);
    }
    let prefix = format!("{}/", root.to_str().unwrap().replace('\\', "/"));
    for file in files {
        let code = std::fs::read_to_string(&file).unwrap();
        let words = [" {", " fn ", " impl<", " impl ", " trait ", " extern ", "(no_mangle)", "(link_section"];
        let words = words.map(|next| format!("unsafe{next}"));
        let name = file.strip_prefix(&prefix).expect("below the root");
        if name == "cli/tests/documents.rs" || !words.iter().any(|word| code.contains(word)) {
            continue;
        }
        let at = listed.iter().position(|of| name == *of || of.ends_with('/') && name.starts_with(of));
        used[at.unwrap_or_else(|| panic!("ARCHITECTURE.md, Unsafe: {name} is not listed"))] = true;
    }
    let idle: Vec<_> = listed.iter().zip(used).filter(|(_, used)| !used).map(|(of, _)| of).collect();
    assert!(idle.is_empty(), "ARCHITECTURE.md, Unsafe: nothing unsafe in {idle:?}");
}

/// String literals of a file, outside of its tests.
fn literals(tokens: proc_macro2::TokenStream, found: &mut Vec<String>) {
    for token in tokens {
        match token {
            proc_macro2::TokenTree::Group(group) => literals(group.stream(), found),
            proc_macro2::TokenTree::Literal(literal) => found.push(literal.to_string()),
            _ => {}
        }
    }
}

/// Where the text of a scene is read, changed or shown, keys of tables are constants of seidel-scenes: a table that
/// gets another name does not compile there.
#[test]
fn keys_of_tables_are_spelt_in_their_crate_alone() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = vec!["io/src/scene.rs".to_owned(), "live/src/reference.rs".to_owned(), "cli/src/run.rs".to_owned()];
    files = files.iter().map(|file| root.join(file).to_str().unwrap().to_owned()).collect();
    ["io/src/scene", "io/src/recording"].iter().for_each(|folder| sources(&root.join(folder), &mut files));
    files.push(root.join("io/src/recording.rs").to_str().unwrap().to_owned());
    let keys = [SceneSpec::TABLES, SceneSpec::INNER_TABLES, SceneSpec::INNER_LISTS].concat();
    let spelt = |file: &String| {
        let text = std::fs::read_to_string(file).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        let mut found = Vec::new();
        literals(code.parse().unwrap_or_else(|e| panic!("{file}: {e}")), &mut found);
        found.retain(|literal| keys.iter().any(|key| *literal == format!("\"{key}\"")));
        found
    };
    let all: Vec<String> =
        files.iter().flat_map(|file| spelt(file).into_iter().map(move |key| format!("{file}: {key}"))).collect();
    assert!(all.is_empty() && files.len() >= 9, "use seidel_scenes::key: {all:?}");
    let mut found = Vec::new();
    literals("f(\"cloth\", [g(\"b\")])".parse().unwrap(), &mut found);
    assert_eq!(found, ["\"cloth\"", "\"b\""]);
}
