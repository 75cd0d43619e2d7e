//! The law of imports: which part of a crate may use which.
//!
//! Modules are rooms of a graph whose arrows are imports. In no crate do they form a circle, nor do the modules of one
//! folder with the file of the folder itself; and in core/, whose folders are storeys, nothing looks up: geometry <-
//! describe <- plan <- run <- observe. A folder is one room, but a storey holds many. A module that hands on (`pub
//! use`) what a module in it has, and does not use it, does not import it.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The storeys of core/, from the ground up. What is in none of them stands on the roof.
const STOREYS: [&str; 5] = ["geometry", "describe", "plan", "run", "observe"];

/// Crates without a workspace, beside the members of ours.
const APART: [&str; 4] = ["fuzz", "bench/peers", "capi/header", "examples/bevy"];

/// The folders of all crates that have sources.
fn crates(root: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let members = text.lines().find_map(|line| line.strip_prefix("members = [")).expect("a list of members");
    let members = members.trim_end_matches(']').split(',').map(|name| name.trim().trim_matches('"'));
    // Tests in packages of their own have no sources.
    let has = |name: &&str| root.join(name).join("src").is_dir();
    members.chain(APART).filter(has).map(str::to_owned).collect()
}

type Module = Vec<String>;

/// A path in a file, and the name that its target has there: its last, or what stands behind `as`.
type Named = (Module, String);

/// Modules of a crate with their files. The crate's root has no name.
fn modules(src: &Path) -> BTreeMap<Module, PathBuf> {
    let mut found = BTreeMap::new();
    let mut folders = vec![src.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let stem = path.strip_prefix(src).unwrap().with_extension("");
                let mut module: Module = stem.iter().map(|part| part.to_str().unwrap().to_owned()).collect();
                if matches!(module.last().map(String::as_str), Some("mod" | "lib" | "main")) {
                    module.pop();
                }
                found.insert(module, path);
            }
        }
    }
    found
}

/// Paths that begin with one of `heads` in what is compiled outside of tests.
fn paths(tokens: TokenStream, heads: &dyn Fn(&str) -> bool, found: &mut Vec<Named>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut at = 0;
    while at < tokens.len() {
        let is_test = |group: &TokenTree| {
            let text = group.to_string().replace(' ', "");
            text == "[cfg(test)]" || text.starts_with("[cfg(all(test,")
        };
        match &tokens[at] {
            TokenTree::Punct(hash) if hash.as_char() == '#' && tokens.get(at + 1).is_some_and(is_test) => {
                // The item ends with its body or a semicolon.
                let ends = |token: &TokenTree| match token {
                    TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
                    token => token.to_string() == ";",
                };
                at += 2 + tokens[at + 2..].iter().position(ends).map_or(tokens.len(), |end| end + 1);
                continue;
            }
            TokenTree::Ident(head) if heads(&head.to_string()) && follows(&tokens, at + 1) => {
                let behind = at > 1 && tokens[at - 1].to_string() == ":" && tokens[at - 2].to_string() == ":";
                if !behind {
                    at = path(&tokens, at, &Vec::new(), found);
                    continue;
                }
            }
            // `pub(in a::b)` uses nothing.
            TokenTree::Group(_) if at > 0 && tokens[at - 1].to_string() == "pub" => {}
            TokenTree::Group(group) => {
                let mut inside = Vec::new();
                paths(group.stream(), heads, &mut inside);
                // Out of a module that stands in this file leads only to the file.
                if at > 1 && tokens[at - 2].to_string() == "mod" {
                    let out = inside.iter_mut().filter(|(path, _)| path[0] == "super");
                    out.for_each(|(path, _)| path[0] = "self".to_owned());
                }
                found.append(&mut inside);
            }
            _ => {}
        }
        at += 1;
    }
}

/// Whether `::` stands there.
fn follows(tokens: &[TokenTree], at: usize) -> bool {
    tokens.len() > at + 1 && tokens[at].to_string() == ":" && tokens[at + 1].to_string() == ":"
}

/// Reads a path, or a tree of them, from `at` on; returns where it ends.
fn path(tokens: &[TokenTree], mut at: usize, before: &Module, found: &mut Vec<Named>) -> usize {
    let mut path = before.clone();
    while let Some(token) = tokens.get(at) {
        match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace && !path.is_empty() => {
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                for branch in inner.split(|token| token.to_string() == ",").filter(|branch| !branch.is_empty()) {
                    self::path(branch, 0, &path, found);
                }
                return at + 1;
            }
            TokenTree::Ident(name) => path.push(name.to_string()),
            _ => break,
        }
        at += 1;
        if !follows(tokens, at) {
            break;
        }
        at += 2;
    }
    let text = |at: usize| tokens.get(at).map(TokenTree::to_string).unwrap_or_default();
    let name = if text(at) == "as" { text(at + 1) } else { path.last().cloned().unwrap_or_default() };
    found.push((path, name));
    at
}

/// Names that a file hands on (`pub use`) and does not name anywhere else itself, each with its path: those are no
/// uses.
fn handed_on(tokens: TokenStream) -> BTreeSet<Module> {
    let (mut handed, mut named) = (Vec::new(), BTreeSet::new());
    reads(&tokens.into_iter().collect::<Vec<_>>(), &mut handed, &mut named);
    handed.into_iter().filter(|(_, name)| !named.contains(name)).map(|(path, _)| path).collect()
}

/// Paths of `pub use`, each with the name that it gets; and names in all that is no import, but neither methods nor
/// fields.
fn reads(tokens: &[TokenTree], handed: &mut Vec<Named>, named: &mut BTreeSet<String>) {
    let text = |at: usize| tokens.get(at).map(TokenTree::to_string).unwrap_or_default();
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at] {
            TokenTree::Ident(word) if *word == "use" => {
                let end = at + tokens[at..].iter().position(|token| token.to_string() == ";").unwrap_or(0);
                let public = at > 0 && (text(at - 1) == "pub" || at > 1 && text(at - 2) == "pub");
                let mut found = Vec::new();
                path(&tokens[..end], at + 1, &Vec::new(), &mut found);
                if public {
                    handed.append(&mut found);
                }
                at = end;
            }
            TokenTree::Ident(word) if at == 0 || !matches!(text(at - 1).as_str(), "." | "fn") => {
                named.insert(word.to_string());
            }
            TokenTree::Group(group) => reads(&group.stream().into_iter().collect::<Vec<_>>(), handed, named),
            _ => {}
        }
        at += 1;
    }
}

/// The room of a module: the first of its names, in a storey the first two.
fn room(module: &[String], storeys: &[&str]) -> Module {
    let storey = module.first().is_some_and(|first| storeys.contains(&first.as_str()));
    module[..module.len().min(if storey { 2 } else { 1 })].to_vec()
}

/// A path from the crate's root on.
fn absolute(module: &Module, path: Module) -> Module {
    let mut target = module.clone();
    for name in path {
        match name.as_str() {
            "crate" => target.clear(),
            "self" => {}
            "super" => drop(target.pop()),
            _ => target.push(name),
        }
    }
    target
}

/// For every room the rooms that it uses, each with one file that does.
type Uses = BTreeMap<Module, BTreeMap<Module, PathBuf>>;

/// What each module uses: itself, the other, its file.
fn imports(src: &Path) -> Vec<(Module, Module, PathBuf)> {
    let modules = modules(src);
    let text = |file: &Path| std::fs::read_to_string(file).unwrap();
    let child = |module: &Module, name: &str| modules.contains_key(&[module.as_slice(), &[name.to_owned()]].concat());
    let found: BTreeMap<&Module, Vec<Named>> = modules
        .iter()
        .map(|(module, file)| {
            let tokens = text(file).parse().unwrap_or_else(|e| panic!("{}: {e}", file.display()));
            let heads = |name: &str| matches!(name, "crate" | "super" | "self") || child(module, name);
            let mut found = Vec::new();
            paths(tokens, &heads, &mut found);
            (module, found)
        })
        .collect();
    // A re-export counts as the module that the name comes from, wherever it is taken up again. All that another has
    // (`pub use m::*`) is exported under no name.
    let exported = found.iter().map(|(module, paths)| {
        let named = paths.iter().filter(|(path, _)| path.len() > 1);
        let named = named.map(|(path, name)| (name.clone(), absolute(module, path.clone())));
        ((*module).clone(), named.filter(|(_, path)| !path.is_empty()).collect())
    });
    let exported: BTreeMap<Module, BTreeMap<String, Module>> = exported.collect();
    // Files of modules that only tests have.
    let is_test = |module: &Module| {
        let [parent @ .., name] = module.as_slice() else { return false };
        modules.get(parent).is_some_and(|file| text(file).contains(&format!("#[cfg(test)]\nmod {name};")))
    };
    let mut imports = Vec::new();
    for (module, file) in modules.iter().filter(|(module, _)| !is_test(module)) {
        let handed = handed_on(text(file).parse().unwrap());
        for (path, _) in &found[module] {
            let target = origin(absolute(module, path.clone()), &modules, &exported);
            // What a module hands on from those inside it is theirs, not its own.
            if handed.contains(path) && target.len() > module.len() && target.starts_with(module) {
                continue;
            }
            imports.push((module.clone(), target, file.clone()));
        }
    }
    imports
}

/// The module that a path leads to, through all that modules have from others.
fn origin(
    mut target: Module,
    modules: &BTreeMap<Module, PathBuf>,
    exported: &BTreeMap<Module, BTreeMap<String, Module>>,
) -> Module {
    // As often as the longest chain of re-exports; what leads back to itself ends, too.
    for _ in 0..8 {
        let depth = (0..=target.len()).rev().find(|&depth| modules.contains_key(&target[..depth])).unwrap_or(0);
        let module = target[..depth].to_vec();
        match target.get(depth).and_then(|name| exported.get(&module)?.get(name)) {
            Some(path) if *path != target => target = path.iter().chain(&target[depth + 1..]).cloned().collect(),
            _ => return module,
        }
    }
    target
}

/// Uses between rooms.
fn uses(imports: &[(Module, Module, PathBuf)], storeys: &[&str]) -> Uses {
    let mut uses = Uses::new();
    for (from, to, file) in imports {
        let (from, to) = (room(from, storeys), room(to, storeys));
        if from != to {
            uses.entry(from).or_default().entry(to).or_insert_with(|| file.clone());
        }
    }
    uses
}

/// Uses between modules of one folder, of what is in them too, and between them and the file of the folder itself
/// (`a::mod`).
fn siblings(imports: &[(Module, Module, PathBuf)]) -> Uses {
    let mut uses = Uses::new();
    for (from, to, file) in imports {
        let common = from.iter().zip(to).take_while(|(one, other)| one == other).count();
        let room = |module: &Module| match module.get(common) {
            Some(_) => module[..=common].to_vec(),
            None => [module.as_slice(), &["mod".to_owned()]].concat(),
        };
        let (from, to) = (room(from), room(to));
        if from != to {
            uses.entry(from).or_default().entry(to).or_insert_with(|| file.clone());
        }
    }
    uses
}

/// Rooms that lead back to themselves, and how: each circle once, from its first room on.
fn circles(uses: &Uses) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for start in uses.keys() {
        // The shortest way back, breadth first.
        let mut ways = vec![vec![start]];
        let mut seen = BTreeSet::new();
        while let Some(way) = (!ways.is_empty()).then(|| ways.remove(0)) {
            for next in uses.get(*way.last().unwrap()).into_iter().flat_map(BTreeMap::keys) {
                if next == start && way.iter().all(|room| *room >= start) {
                    let names = way.iter().chain([&start]).map(|room| room.join("::"));
                    found.insert(names.collect::<Vec<_>>().join(" -> "));
                } else if seen.insert(next) {
                    ways.push([way.as_slice(), &[next]].concat());
                }
            }
        }
    }
    found
}

#[test]
fn no_modules_of_a_crate_use_each_other_in_a_circle() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let (mut found, mut checked) = (Vec::new(), 0);
    for name in crates(&root) {
        let storeys = if name == "core" { &STOREYS[..] } else { &[] };
        let imports = imports(&root.join(&name).join("src"));
        checked += imports.len();
        let all = circles(&uses(&imports, storeys)).into_iter().chain(circles(&siblings(&imports)));
        found.extend(all.map(|circle| format!("{name}: {circle}")));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert!(checked > 2000, "{checked} imports");
}

#[test]
fn nothing_in_core_looks_up() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let storey = |room: &Module| STOREYS.iter().position(|storey| room.first().is_some_and(|first| first == storey));
    let (mut inside, mut checked) = (BTreeSet::new(), 0);
    for (room, used) in uses(&imports(&root.join("core/src")), &STOREYS) {
        for (other, file) in used {
            // Thresholds stand below all; the crate's root and what is beside the storeys stand above.
            let height = |room: &Module| match storey(room) {
                _ if room.first().is_some_and(|first| first == "tuning") => 0,
                Some(storey) => storey,
                None => STOREYS.len(),
            };
            assert!(height(&other) <= height(&room), "{} uses {}", file.display(), other.join("::"));
            inside.extend(storey(&room));
            checked += 1;
        }
    }
    assert!(inside.len() == STOREYS.len() && checked > 100, "{checked} imports in {} storeys", inside.len());
}

#[test]
fn imports_are_found() {
    let text = "use crate::a::{b, c::{self, D}}; #[cfg(test)] mod tests { use crate::x; } fn f() { super::g::h() } mod m { use super::n; } const C: T = k::K;";
    let mut found = Vec::new();
    paths(text.parse().unwrap(), &|name| matches!(name, "crate" | "super" | "k"), &mut found);
    let found: Vec<String> = found.iter().map(|(path, _)| path.join("::")).collect();
    assert_eq!(found, ["crate::a::b", "crate::a::c::self", "crate::a::c::D", "super::g::h", "self::n", "k::K"]);
}

#[test]
fn what_is_handed_on_is_no_use_and_what_is_named_is_one() {
    let text = "pub use a::{X, Y as Z}; pub(crate) use b::f; use c::g; pub(in a::b) fn h() { f(); self.Z() }";
    let handed: Vec<String> = handed_on(text.parse().unwrap()).iter().map(|path| path.join("::")).collect();
    assert_eq!(handed, ["a::X", "a::Y"]);
    let mut found = Vec::new();
    paths("pub(in k::m) struct S(k::T);".parse().unwrap(), &|name| name == "k", &mut found);
    assert_eq!(found, [(vec!["k".to_owned(), "T".to_owned()], "T".to_owned())]);
}

#[test]
fn a_module_and_the_file_of_its_folder_are_a_circle() {
    let import = |from: &str, to: &str| {
        let module = |text: &str| text.split("::").map(str::to_owned).collect::<Module>();
        (module(from), module(to), PathBuf::from(from))
    };
    let one_way = [import("a", "a::b"), import("a::b::c", "a::d"), import("e", "a")];
    assert_eq!(circles(&siblings(&one_way)), BTreeSet::new());
    let both = [import("a", "a::b"), import("a::b::c", "a")];
    assert_eq!(circles(&siblings(&both)), BTreeSet::from(["a::b -> a::mod -> a::b".to_owned()]));
}
