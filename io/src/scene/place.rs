//! What an error is about that was found after the scene was read: a line of its file, or a change or option of the
//! command line.

use seidel_scenes::{SceneSpec, key};
use toml::de::DeTable;
use toml::{Table, Value};

use super::way::{Step, keys_in, line_at, spans, table_at, value_at};
use super::words::{counted, named, names, parts, place, quoted, refused};

/// Places of a number that are compared, at most.
const MOST_FOUND: usize = 10_000;

/// Options of the command line by the table and key that they give.
const OPTIONS: [([&str; 2], &str); 6] = [
    (["", "frames"], "--frames"),
    (["", "fps"], "--fps"),
    (["", "settle"], "--settle"),
    ([key::SOLVER, "substeps"], "--substeps"),
    ([key::SOLVER, "iterations"], "--iterations"),
    ([key::SOLVER, "method"], "--solver"),
];

/// The error with what it is about before it, if that can be told: `line 3: `, `--set cloth.density=-1: `, `--fps: `;
/// behind it the key, where the error calls it something else. It begins with the table (`cloth 0: ...`), the body or
/// collider (``body `flag`: ...``), the settings, or a key of the scene itself (`fps is ...`).
pub(super) fn located(text: Option<&Text<'_>>, changes: &[String], spec: &SceneSpec, error: &str) -> String {
    let Ok(now) = spec.to_keys() else { return error.to_owned() };
    let scene = Read { text, changes, now: &now };
    let (label, rest) = error.split_once(": ").unwrap_or(("", error));
    let (label, inner) = label.split_once(", ").map_or((label, None), |(label, inner)| (label, Some(inner)));
    let solver = [Step::Key(key::SOLVER)];
    // From the inmost table outwards.
    let mut ways: Vec<Vec<Step<'_>>> = Vec::new();
    match label {
        "" => match of_one_name(spec, error) {
            Some(both) => return scene.twice(&both, error),
            None => ways.push(Vec::new()),
        },
        "settings" => ways.extend([solver.into(), Vec::new()]),
        "scene" => ways.push(Vec::new()),
        _ if now.get(label).is_some_and(Value::is_table) => ways.push(vec![Step::Key(label)]),
        _ => {
            let Some((what, number)) = table_of(spec, label) else { return error.to_owned() };
            let entry = now.get(what).and_then(|list| list.get(number));
            let name = entry.and_then(|entry| entry.get("name")).and_then(Value::as_str);
            let deeper = inner.map(|inner| entries(entry, inner)).unwrap_or_default();
            let outer = vec![Step::Key(what), Step::Number(number, name)];
            if !deeper.is_empty() {
                ways.push(outer.iter().copied().chain(deeper).collect());
            }
            ways.push(outer);
        }
    }
    let said = inner.map_or_else(|| rest.to_owned(), |inner| format!("{inner}: {rest}"));
    let file = ways.iter().find_map(|way| scene.file(way, rest));
    let found = file.or_else(|| {
        ways.iter().enumerate().find_map(|(i, way)| {
            let quoted = scene.quoted(way, &said, rest);
            // An inner table is named by itself.
            quoted.or_else(|| scene.refused(way, &said, i + 1 == ways.len()))
        })
    });
    let found = found.or_else(|| ways.iter().find_map(|way| scene.word(way, rest)));
    let found = found.or_else(|| ways.iter().find_map(|way| scene.named(way, &said, rest, true)));
    let found = found.or_else(|| ways.iter().find_map(|way| scene.refused(way, &said, false)));
    let found = found.or_else(|| ways.iter().find_map(|way| scene.named(way, &said, rest, false)));
    found.map_or_else(|| scene.at_table(&ways, error), |(way, table)| scene.told(&way, table, error))
}

/// A scene's text, its keys, and those of its description.
pub(super) struct Text<'a> {
    pub(super) text: &'a str,
    pub(super) keys: &'a DeTable<'a>,
    pub(super) was: &'a Table,
}

/// A way, and how many of its steps are to the table that the error names.
type Found<'a> = (Vec<Step<'a>>, usize);

/// A scene as it was read: its text, if it has one, the changes, and the keys of what both describe.
struct Read<'a> {
    text: Option<&'a Text<'a>>,
    changes: &'a [String],
    now: &'a Table,
}

impl<'a> Read<'a> {
    /// Names of a table's keys, in the text or as they are.
    fn keys(&self, way: &[Step<'_>]) -> impl Iterator<Item = &'a str> {
        let given = self.text.and_then(|text| keys_in(text.keys, way));
        let given = given.into_iter().flat_map(|table| table.keys().map(|key| key.get_ref().as_ref()));
        given.chain(table_at(self.now, way).into_iter().flat_map(|table| table.keys().map(String::as_str)))
    }

    /// The key of a table that the error has in quotes.
    fn quoted(&self, way: &[Step<'a>], said: &str, rest: &str) -> Option<Found<'a>> {
        let key = quoted(self.keys(way).filter(|key| self.is_given(&with(way, key), way.len())), rest)?;
        Some((self.inside(with(way, key), said, rest), way.len()))
    }

    /// The key that the error names in any way; if it is `given`.
    fn named(&self, way: &[Step<'a>], said: &str, rest: &str, given: bool) -> Option<Found<'a>> {
        let (key, _) = named(self.keys(way), rest)?;
        if given && !self.is_given(&with(way, key), way.len()) {
            return None;
        }
        Some((self.inside(with(way, key), said, rest), way.len()))
    }

    /// The way to what the error is about in a key's value: the number that it refuses, the key or the entry of a list
    /// that it names.
    fn inside(&self, mut way: Vec<Step<'a>>, said: &str, rest: &str) -> Vec<Step<'a>> {
        if let Some((deeper, _)) = self.refused(&way, said, false) {
            return deeper;
        }
        while let Some(value) = value_at(self.now, &way) {
            let next = match value {
                Value::Table(table) => named(table.keys().map(String::as_str), rest).map(|(key, _)| Step::Key(key)),
                Value::Array(list) => {
                    let number = counted(rest).into_iter().find(|&number| number < list.len());
                    // Of numbers those of vertices are told, not their places.
                    number.filter(|_| list[0].is_array() || list[0].is_table()).map(|number| Step::Number(number, None))
                }
                _ => None,
            };
            let Some(next) = next else { break };
            way.push(next);
        }
        way
    }

    /// The number that the error refuses, where it stands; of several the one whose keys and place the error names. If
    /// it must be `sure`, it names a part of them.
    fn refused(&self, way: &[Step<'a>], said: &str, sure: bool) -> Option<Found<'a>> {
        let wanted = refused(said)?;
        let is_it = |value: &Value| {
            let number = value.as_float().or_else(|| value.as_integer().map(|number| number as f64));
            // As 32 bits have it; an angle in radians.
            number.is_some_and(|number| {
                let near = |number: f64| (number as f32 - wanted as f32).abs() <= 1e-6 * (wanted as f32).abs();
                near(number) || wanted != 0.0 && near(number.to_radians())
            })
        };
        self.best(way, said, sure, is_it)
    }

    /// The word that the error has in quotes, where it is a value.
    fn word(&self, way: &[Step<'a>], rest: &str) -> Option<Found<'a>> {
        let words: Vec<&str> = rest.split('`').skip(1).step_by(2).collect();
        self.best(way, rest, false, |value| value.as_str().is_some_and(|text| words.first() == Some(&text)))
    }

    /// The value of a given kind below a way that a text names best, if it names one of them better than the others, or
    /// they are of one key.
    fn best(&self, way: &[Step<'a>], said: &str, sure: bool, is_it: impl Fn(&Value) -> bool) -> Option<Found<'a>> {
        let (mut all, numbers) = (Vec::new(), counted(said));
        // Those behind the table's name say more.
        let later = said.split_once(": ").map_or(numbers.clone(), |(_, rest)| counted(rest));
        match value_at(self.now, way) {
            Some(value) => values(value, way.to_vec(), &is_it, &mut all),
            None if !way.is_empty() => {}
            // The scene's own keys.
            None => self.now.iter().filter(|(_, value)| !has_tables(value)).for_each(|(key, value)| {
                values(value, with(way, key), &is_it, &mut all);
            }),
        }
        // In so many places a number tells nothing.
        if all.len() > MOST_FOUND {
            return None;
        }
        all.retain(|found| self.is_given(found, way.len()) && self.is_of_kind(found, said));
        let score = |found: &Vec<Step<'_>>| {
            let (mut sum, mut key) = (0, 0);
            for step in &found[way.len()..] {
                match step {
                    Step::Key(name) => {
                        key = 8 * usize::from(names(name, said) || self.is_number_of(found, step, said));
                        key += parts(name, said);
                        sum += key;
                    }
                    // Of a list that is named.
                    Step::Number(number, _) if key > 0 => {
                        sum += 2 * usize::from(numbers.contains(number)) + usize::from(later.contains(number));
                    }
                    Step::Number(..) => {}
                }
            }
            // What lies deeper is less likely meant.
            (sum, std::cmp::Reverse(found.len()))
        };
        let most = all.iter().map(score).max()?;
        let key = |found: &Vec<Step<'a>>| found.iter().rev().find(|step| matches!(step, Step::Key(_))).copied();
        if most.0 == 0 && (sure || all.iter().any(|found| key(found) != key(&all[0]))) {
            return None;
        }
        let found = all.into_iter().find(|found| score(found) == most)?;
        Some((found, way.len()))
    }

    /// Whether a step is the `value` of a map whose key a text has in quotes.
    fn is_number_of(&self, way: &[Step<'_>], step: &Step<'_>, said: &str) -> bool {
        let [map @ .., last] = way else { return false };
        let of = || value_at(self.now, map)?.get("key")?.as_str();
        *step == Step::Key("value") && last == step && of().is_some_and(|key| said.contains(&format!("`{key}`")))
    }

    /// The file that cannot be read, or is no mesh: the error begins with its name, behind the folder of the scene.
    fn file(&self, way: &[Step<'a>], rest: &str) -> Option<Found<'a>> {
        let is_it = |text: &str| {
            let Some((folder, behind)) = rest.split_once(text).filter(|_| !text.is_empty()) else { return false };
            let ends = behind.starts_with(": ") || text.contains('.') && behind.starts_with(' ');
            ends && (folder.is_empty() || folder.ends_with(std::path::is_separator) && !folder.contains(": "))
        };
        let mut all = Vec::new();
        let table = value_at(self.now, way)?;
        values(table, way.to_vec(), &|value| value.as_str().is_some_and(is_it), &mut all);
        let found = all.into_iter().find(|found| self.is_given(found, way.len()))?;
        Some((found, way.len()))
    }

    /// Whether the entries of lists that a way goes through are of the kind that a text names, if it names one.
    fn is_of_kind(&self, way: &[Step<'_>], said: &str) -> bool {
        let Some(kind) = said.split_once("kind `").and_then(|(_, kind)| kind.split('`').next()) else { return true };
        let other =
            |steps| value_at(self.now, &way[..steps]).and_then(|entry| entry.get("kind")?.as_str()) != Some(kind);
        !way.windows(2).enumerate().any(|(i, pair)| pair[0] == Step::Key(key::CONSTRAINT) && other(i + 2))
    }

    /// Whether the text or a change gives what a way leads to, beyond a table of so many steps.
    fn is_given(&self, way: &[Step<'_>], table: usize) -> bool {
        let in_text = self.text.is_some_and(|text| spans(text.keys, way).len() > table);
        in_text || self.changes.iter().any(|change| gives(change, way)) || option(way).is_some()
    }

    /// The error with the place of a key, entry or number.
    fn told(&self, way: &[Step<'_>], table: usize, error: &str) -> String {
        let key = way.iter().rev().find_map(|step| match step {
            Step::Key(key) => Some(*key),
            Step::Number(..) => None,
        });
        let key = key.filter(|key| place(error, key).is_none());
        let behind = key.map_or_else(|| error.to_owned(), |key| format!("{error} (`{key}`)"));
        let found = self.text.map(|text| (text, spans(text.keys, way)));
        let gone = found.as_ref().map_or(0, |(_, spans)| spans.len());
        let was = self.text.and_then(|text| value_at(text.was, way));
        // A change takes the place of a key's whole value.
        let end = way.iter().rposition(|step| matches!(step, Step::Key(_))).map_or(0, |last| last + 1);
        let whole = self.text.and_then(|text| value_at(text.was, &way[..end]));
        let same = whole.is_some() && whole == value_at(self.now, &way[..end]);
        if let Some((text, spans)) = &found
            && gone > table
            && same
        {
            return format!("line {}: {behind}", line_at(text.text, &spans[gone - 1]));
        }
        if let Some(change) = self.changes.iter().rev().find(|change| gives(change, way)) {
            return format!("--set {change}: {behind}");
        }
        if let Some(option) = option(way).filter(|_| was.is_some() && !same) {
            return format!("{option}: {behind}");
        }
        match found {
            Some((text, spans)) if table > 0 && gone >= table => {
                format!("line {}: {behind}", line_at(text.text, &spans[table - 1]))
            }
            _ => behind,
        }
    }

    /// The error with the line of a table, or the change that gave it.
    fn at_table(&self, ways: &[Vec<Step<'_>>], error: &str) -> String {
        let line = |way: &Vec<Step<'_>>| {
            if let Some(change) = self.changes.iter().rev().find(|change| gives(change, way)) {
                return Some(format!("--set {change}"));
            }
            let text = self.text?;
            let spans = spans(text.keys, way);
            let line = line_at(text.text, spans.last().filter(|_| spans.len() == way.len())?);
            Some(format!("line {line}"))
        };
        match ways.iter().find_map(line) {
            Some(line) => format!("{line}: {error}"),
            None => error.to_owned(),
        }
    }

    /// The error with the lines of two tables that have one name.
    fn twice(&self, [first, second]: &[Vec<Step<'_>>; 2], error: &str) -> String {
        if let Some(change) = self.changes.iter().rev().find(|change| gives(change, first) || gives(change, second)) {
            return format!("--set {change}: {error}");
        }
        // That of the name, or of the table that has none.
        let line = |way: &[Step<'_>]| {
            let spans = spans(self.text?.keys, way);
            Some(line_at(self.text?.text, spans.last().filter(|_| spans.len() + 1 >= way.len())?))
        };
        match (line(first), line(second)) {
            (Some(first), Some(second)) => format!("line {second}: {error}; the other stands in line {first}"),
            _ => error.to_owned(),
        }
    }
}

fn with<'a>(way: &[Step<'a>], key: &'a str) -> Vec<Step<'a>> {
    way.iter().copied().chain([Step::Key(key)]).collect()
}

/// Whether a value is a table or a list of tables.
fn has_tables(value: &Value) -> bool {
    value.is_table() || value.as_array().is_some_and(|list| list.first().is_some_and(Value::is_table))
}

/// The ways to all numbers and words in a value that are wanted.
fn values<'a>(value: &'a Value, way: Vec<Step<'a>>, is_it: &impl Fn(&Value) -> bool, found: &mut Vec<Vec<Step<'a>>>) {
    let mut inside = |step: Step<'a>, value: &'a Value| {
        let way = way.iter().copied().chain([step]).collect();
        values(value, way, is_it, found);
    };
    match value {
        Value::Table(table) => table.iter().for_each(|(key, value)| inside(Step::Key(key), value)),
        Value::Array(list) => {
            for (number, value) in list.iter().enumerate() {
                inside(Step::Number(number, value.get("name").and_then(Value::as_str)), value);
            }
        }
        value if found.len() <= MOST_FOUND && is_it(value) => found.push(way),
        _ => {}
    }
}

/// The option that gives what a way leads to.
fn option(way: &[Step<'_>]) -> Option<&'static str> {
    let given = match way {
        [Step::Key(key)] => ["", key],
        [Step::Key(table), Step::Key(key)] => [*table, key],
        _ => return None,
    };
    OPTIONS.iter().find(|(of, _)| *of == given).map(|(_, option)| *option)
}

/// The ways to the names of two tables that an error says are the same.
fn of_one_name<'a>(spec: &'a SceneSpec, error: &str) -> Option<[Vec<Step<'a>>; 2]> {
    let (what, name) = error.strip_prefix("two ")?.split_once(" are called `")?;
    let name = name.strip_suffix('`')?;
    // One without a name has one by its number.
    let numbered = |table, what: &str, names: Vec<&'a str>| -> Vec<(&'static str, usize)> {
        let is_it = |number: usize, of: &str| of == name || of.is_empty() && format!("{what}-{number}") == name;
        let of = |(number, of): (usize, &str)| is_it(number, of).then_some((table, number));
        names.into_iter().enumerate().filter_map(of).collect()
    };
    let tables = match what {
        "bodies" => {
            let all = spec.names().into_iter().enumerate().filter(|(_, of)| of == name);
            all.filter_map(|(body, _)| spec.table_of(body)).collect()
        }
        "colliders" => numbered(key::COLLIDER, key::COLLIDER, spec.collider.iter().map(|of| &of.name[..]).collect()),
        "rigid bodies" => numbered(key::BODY, "rigid", spec.body.iter().map(|of| &of.name[..]).collect()),
        _ => numbered(key::JOINT, key::JOINT, spec.joint.iter().map(|of| &of.name[..]).collect()),
    };
    let way = |&(table, number): &(&'static str, usize)| {
        vec![Step::Key(table), Step::Number(number, None), Step::Key("name")]
    };
    let [first, second, ..] = &tables[..] else { return None };
    Some([way(first), way(second)])
}

/// Whether a change `cloth.0.density=1` gives what a way leads to, or what that is in.
fn gives(change: &str, way: &[Step<'_>]) -> bool {
    let Some((path, _)) = change.split_once('=') else { return false };
    let mut parts = path.split('.').map(str::trim).peekable();
    let mut last = "";
    for step in way {
        let Some(part) = parts.peek().copied() else { return !last.is_empty() };
        match step {
            Step::Key(table) if part == *table => last = table,
            Step::Key(_) => return false,
            // Without a number or name all entries are meant.
            Step::Number(number, name) => {
                let numbered = part.strip_prefix(last).and_then(|rest| rest.strip_prefix('-')).unwrap_or(part);
                let is_other = part.parse::<usize>().is_ok_and(|other| other != *number);
                if is_other {
                    return false;
                }
                if numbered.parse() == Ok(*number) || Some(part) == *name {
                    parts.next();
                }
                continue;
            }
        }
        parts.next();
    }
    parts.next().is_none()
}

/// The table that a label names, and its number among those of its key.
fn table_of(spec: &SceneSpec, label: &str) -> Option<(&'static str, usize)> {
    let quoted = label.split('`').nth(1);
    let body = |name: &str| spec.table_of(spec.names().iter().position(|of| of == name)?);
    let collider = |name: &str| {
        let named = spec.collider.iter().position(|collider| collider.name == name);
        named.or_else(|| name.strip_prefix("collider-")?.parse().ok()).map(|number| (key::COLLIDER, number))
    };
    let rigid = |name: &str| {
        let named = spec.body.iter().position(|body| body.name == name);
        named.or_else(|| name.strip_prefix("rigid-")?.parse().ok()).map(|number| (key::BODY, number))
    };
    let joint = |name: &str| {
        let named = spec.joint.iter().position(|joint| joint.name == name);
        named.or_else(|| name.strip_prefix("joint-")?.parse().ok()).map(|number| (key::JOINT, number))
    };
    match label.split([' ', '`']).next()? {
        key::JOINT if quoted.is_some() => joint(quoted?),
        // Those of rigid bodies have names.
        key::JOINT => Some((key::JOIN, label.split_whitespace().nth(1)?.parse().ok()?)),
        "particle" => {
            // One for each vertex of a table.
            let number: usize = label.split_whitespace().nth(2)?.parse().ok()?;
            let ends = spec.particle_joint.iter().scan(0, |end, table| {
                *end += table.vertices.len();
                Some(*end)
            });
            Some((key::PARTICLE_JOINT, ends.take_while(|end| *end <= number).count()))
        }
        key::BODY if quoted.is_some() => body(quoted?).or_else(|| rigid(quoted?)),
        key::COLLIDER if quoted.is_some() => collider(quoted?),
        word => {
            let what = SceneSpec::TABLES.iter().find(|table| **table == word)?;
            let number = label.split_whitespace().nth(1).and_then(|number| number.parse().ok());
            let by_name = || quoted.and_then(body).map(|(_, number)| number);
            Some((what, number.or_else(by_name)?))
        }
    }
}

/// The way to the entry of a list that a label such as `map 1` or `map 1, where 0` names, as far as there are such
/// entries.
fn entries<'a>(mut table: Option<&'a Value>, label: &'a str) -> Vec<Step<'a>> {
    let mut way = Vec::new();
    for part in label.split(", ") {
        // Rows are called by their kind: the first of it.
        let (key, number) = if let Some(kind) = part.strip_prefix("kind `") {
            let rows = table.and_then(|table| table.get(key::CONSTRAINT)?.as_array());
            let is_it = |rows: &Value| rows.get("kind").and_then(Value::as_str) == kind.split('`').next();
            (key::CONSTRAINT, rows.and_then(|rows| rows.iter().position(is_it)))
        } else {
            let Some((key, number)) = part.rsplit_once(' ') else { break };
            let list = SceneSpec::INNER_LISTS.iter().find(|list| **list == key || list.replace('_', " ") == key);
            let key = list.copied().unwrap_or(if key == "attachment" { seidel_scenes::key::ATTACH } else { key });
            (key, number.parse::<usize>().ok())
        };
        let Some(number) = number else { break };
        table = table.and_then(|table| table.get(key)?.get(number));
        if table.is_none_or(|table| !table.is_table()) {
            break;
        }
        way.extend([Step::Key(key), Step::Number(number, None)]);
    }
    way
}
