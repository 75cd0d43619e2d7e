//! Numbers by vertex: maps that say a key's number for some vertices of a body.

use super::geometry::{Files, Left};
use super::near::nearest;
use super::select::{SelectSpec, selected};
use super::vertices::{Numbers, Vertices};
use seidel::Values;
use seidel::memory::Need;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The number of one of a body's keys for some of its vertices; of several maps of a key the last counts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MapSpec {
    /// The key.
    pub key: String,
    /// Its number there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f32>,
    /// A painted attribute of the file that says it, instead of `value`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attribute: Option<String>,
    /// Numbers of the attribute that mean `from` and `to`; 0 and 1 if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<[f32; 2]>,
    /// The key's number where the attribute has the first of `range`, or is beyond it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<f32>,
    /// The key's number where the attribute has the second of `range`, or is beyond it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<f32>,
    /// Even factors between `from` and `to`, not even steps.
    #[serde(skip_serializing_if = "super::check::is_off")]
    pub log: bool,
    /// Where: vertices in any of these; all without.
    #[serde(rename = "where", skip_serializing_if = "Vec::is_empty")]
    pub at: Vec<SelectSpec>,
}

/// Keys of all bodies of which there are maps.
const OF_ALL: [&str; 2] = ["thickness", "friction"];

/// The numbers that a key of a body may have, and these in words.
fn limits<B: Vertices>(key: &str) -> (std::ops::RangeInclusive<f32>, &'static str) {
    match key {
        "density" if B::IS_ROD => (1e-3..=1e6, "1e-3 .. 1e6 kg/m^3"),
        "young" if B::IS_ROD => (1.0..=1e13, "1 .. 1e13 Pa"),
        "thickness" => (0.0..=1e6, "0 .. 1e6 m"),
        "friction" => (0.0..=1e6, "0 .. 1e6"),
        "density" => (1e-9..=1e9, "1e-9 .. 1e9"),
        "young" => (1e-6..=1e15, "1e-6 .. 1e15 Pa"),
        "radius" => (1e-7..=1e3, "1e-7 .. 1e3 m"),
        _ if key.ends_with("_factor") => (1e-6..=1e6, "1e-6 .. 1e6"),
        _ if key.ends_with("_stiffness") => (0.0..=1.0, "0 .. 1"),
        // Compliances, and `compress`, which is one or a k.
        _ => (0.0..=1e18, "0 .. 1e18"),
    }
}

/// All maps of a body.
pub(super) struct Maps<'a> {
    /// The body in errors.
    of: &'a str,
    /// Its vertices.
    count: usize,
    layers: Vec<Layer<'a>>,
    /// What is left beside it.
    left: Left,
}

/// What a map says.
struct Layer<'a> {
    key: &'a str,
    /// By vertex.
    numbers: Vec<(u32, f32)>,
}

impl<'a> Maps<'a> {
    /// Of a body's tables, unless they take more memory than there may be; `keys` are those of its kind that may be
    /// mapped, beside those of all bodies.
    pub(super) fn new<B: Vertices>(
        (of, files): (&'a str, &mut Files),
        tables: &'a [MapSpec],
        keys: &[&str],
        body: &B,
        numbers: &Numbers,
    ) -> Result<Maps<'a>, String> {
        // A solid's places take time.
        let count = if tables.is_empty() { 0 } else { body.places()?.len() };
        let distinct: BTreeSet<&str> = tables.iter().map(|table| &table.key[..]).collect();
        files.take(of, "map", Need::default().mapped(count as u64 * distinct.len() as u64))?;
        // While the table is read, each map has the numbers of its vertices, and lists these.
        files.pass(of, "map", Need::default().numbers(4 * count as u64 * tables.len() as u64))?;
        let layer = |(i, table): (usize, &'a MapSpec)| {
            let of = format!("{of}, map {i}");
            let all: Vec<&str> = keys.iter().copied().chain(OF_ALL).collect();
            if !all.contains(&&table.key[..]) {
                let (near, all) = (nearest(&table.key, all.iter().copied()), all.join("`, `"));
                return Err(format!("{of}: `key` is `{}`{near}; maps are of `{all}`", table.key));
            }
            let vertices = match table.at.is_empty() {
                true => (0..count as u32).collect(),
                false => selected(&format!("{of}, where"), &table.at, body, numbers)?,
            };
            let numbers = table.numbers(&of, vertices, count, numbers)?;
            let (good, limit) = limits::<B>(&table.key);
            if let Some((vertex, number)) = numbers.iter().find(|(_, number)| !good.contains(number)) {
                let key = &table.key;
                let number = super::figure(*number);
                return Err(format!("{of}: `{key}` of vertex {vertex} is {number}, which is not within {limit}"));
            }
            Ok(Layer { key: &table.key, numbers })
        };
        let layers = tables.iter().enumerate().map(layer).collect::<Result<_, _>>()?;
        Ok(Maps { of, count, layers, left: files.left() })
    }

    /// There is memory for so many vertices that tables of a key name.
    pub(super) fn named(&self, key: &str, vertices: usize) -> Result<(), String> {
        self.left.pass(self.of, key, Need::default().named(vertices as u64))
    }

    /// Whether there is one of a key.
    pub(super) fn has(&self, key: &str) -> bool {
        self.layers.iter().any(|layer| layer.key == key)
    }

    /// The numbers of a key: that of the body's own, and over it those of its maps.
    pub(super) fn over(&self, key: &str, own: Option<f32>) -> Result<Option<Values>, String> {
        self.over_usual(key, own, None)
    }

    /// The same, of a key that the body has as `usual` where nothing is said of it.
    pub(super) fn over_usual(&self, key: &str, own: Option<f32>, usual: Option<f32>) -> Result<Option<Values>, String> {
        if !self.has(key) {
            return Ok(own.map(Values::Uniform));
        }
        self.over_each(key, vec![own.or(usual); self.count]).map(Some)
    }

    /// The numbers of a key that has maps, over those that vertices have without.
    pub(super) fn over_each(&self, key: &str, mut all: Vec<Option<f32>>) -> Result<Values, String> {
        for layer in self.layers.iter().filter(|layer| layer.key == key) {
            layer.numbers.iter().for_each(|&(vertex, number)| all[vertex as usize] = Some(number));
        }
        let of = |(vertex, number): (usize, &Option<f32>)| {
            number.ok_or_else(|| {
                let of = self.of;
                format!("{of}: its maps of `{key}` leave out vertex {vertex}; give the body a `{key}`, which the others have")
            })
        };
        Ok(Values::PerVertex(all.iter().enumerate().map(of).collect::<Result<_, _>>()?))
    }
}

impl MapSpec {
    /// Whether it names what only a file can have.
    pub(super) fn is_named(&self) -> bool {
        self.attribute.is_some() || self.at.iter().any(SelectSpec::is_named)
    }

    /// The number of each of some vertices, of `count`.
    fn numbers(
        &self,
        of: &str,
        vertices: Vec<u32>,
        count: usize,
        numbers: &Numbers,
    ) -> Result<Vec<(u32, f32)>, String> {
        let given = [
            ("range", self.range.is_some()),
            ("from", self.from.is_some()),
            ("to", self.to.is_some()),
            ("log", self.log),
        ];
        let Some(name) = &self.attribute else {
            if let Some((key, _)) = given.into_iter().find(|(_, given)| *given) {
                return Err(format!("{of}: `{key}` means nothing without `attribute`"));
            }
            let value =
                self.value.ok_or_else(|| format!("{of}: give it `value`, or `attribute` with `from` and `to`"))?;
            return Ok(vertices.into_iter().map(|vertex| (vertex, value)).collect());
        };
        if self.value.is_some() {
            return Err(format!("{of}: give it `value` or `attribute`, not both"));
        }
        let (Some(from), Some(to)) = (self.from, self.to) else {
            return Err(format!("{of}: `attribute` wants `from` and `to`: what its numbers {:?} mean", self.between()));
        };
        let [first, last] = self.between();
        let width = last - first;
        if !(first.is_finite() && last.is_finite() && width.is_finite() && width != 0.0) {
            return Err(format!("{of}: `range` is [{first}, {last}], which are not two numbers apart from each other"));
        }
        if self.log && !(from > 0.0 && to > 0.0) {
            let least = if from > 0.0 { ("to", to) } else { ("from", from) };
            return Err(format!(
                "{of}: `{}` is {}, which is not above 0, as `log` wants it",
                least.0,
                super::check::figure(least.1)
            ));
        }
        let painted = numbers.attribute(of, name, count)?;
        if let Some(&vertex) = vertices.iter().find(|&&v| painted[v as usize].is_nan()) {
            return Err(format!(
                "{of}: attribute `{name}` is NaN at vertex {vertex}; paint it, or leave it out by `where`"
            ));
        }
        let shares: Vec<f32> = vertices.iter().map(|&v| (painted[v as usize] - first) / width).collect();
        let values = match self.log {
            true => Values::painted_log(&shares, from, to),
            false => Values::painted(&shares, from, to),
        };
        Ok(vertices.into_iter().enumerate().map(|(i, vertex)| (vertex, values.get(i))).collect())
    }

    fn between(&self) -> [f32; 2] {
        self.range.unwrap_or([0.0, 1.0])
    }
}
