//! A table of a JSON file, with its path; what of it was asked for, and so what nobody knows.

use super::log::Log;
use serde_json::{Map, Value};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// A table.
pub(super) struct Item<'a> {
    map: &'a Map<String, Value>,
    /// Empty of the file's own.
    path: String,
    asked: RefCell<BTreeSet<&'static str>>,
}

/// Coordinates, speeds, angles.
pub(super) const COORDINATE: (f64, &str) = (1e6, "within +-1e6");

impl<'a> Item<'a> {
    /// The file's own table.
    pub(super) fn root(value: &'a Value) -> Result<Item<'a>, String> {
        Item::of(value, String::new())
            .map_err(|_| format!("it holds {}, and a table is needed: {{ ... }}", shown(value)))
    }

    fn of(value: &'a Value, path: String) -> Result<Item<'a>, String> {
        match value {
            Value::Object(map) => Ok(Item { map, path, asked: RefCell::default() }),
            other => Err(format!("{path}: is {}, and a table is needed", shown(other))),
        }
    }

    /// The path of a key.
    pub(super) fn at(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    /// Keys that the format has and that mean nothing here.
    pub(super) fn known(&self, keys: &[&'static str]) {
        self.asked.borrow_mut().extend(keys);
    }

    /// Whether it has a key.
    pub(super) fn has(&self, key: &str) -> bool {
        self.map.contains_key(key)
    }

    fn get(&self, key: &'static str) -> Option<&'a Value> {
        self.asked.borrow_mut().insert(key);
        self.map.get(key)
    }

    /// An error about a key.
    pub(super) fn wrong<T>(&self, key: &str, what: impl std::fmt::Display) -> Result<T, String> {
        Err(format!("{}: {what}", self.at(key)))
    }

    fn not<T>(&self, key: &str, value: &Value, needed: &str) -> Result<T, String> {
        self.wrong(key, format!("is {}, and {needed} is needed", shown(value)))
    }

    /// A key that has to be there.
    pub(super) fn required<T>(&self, key: &'static str, value: Option<T>) -> Result<T, String> {
        value.map_or_else(|| self.wrong(key, "is missing, and is needed"), Ok)
    }

    pub(super) fn number(&self, key: &'static str) -> Result<Option<f64>, String> {
        let Some(value) = self.get(key) else { return Ok(None) };
        match value.as_f64() {
            Some(number) => Ok(Some(number)),
            None => self.not(key, value, "a number"),
        }
    }

    /// A number within limits.
    pub(super) fn within(&self, key: &'static str, limits: RangeInclusive<f64>) -> Result<Option<f64>, String> {
        let number = self.number(key)?;
        match number.filter(|x| !limits.contains(x)) {
            Some(x) => {
                self.wrong(key, format!("is {x}, which is not within {:?} .. {:?}", limits.start(), limits.end()))
            }
            None => Ok(number),
        }
    }

    /// A number above 0.
    pub(super) fn above_zero(&self, key: &'static str, most: f64) -> Result<Option<f64>, String> {
        let number = self.number(key)?;
        match number.filter(|x| !(*x > 0.0 && *x <= most)) {
            Some(x) => self.wrong(key, format!("is {x}, which is not above 0 and at most {most:?}")),
            None => Ok(number),
        }
    }

    /// A whole number, 0 or more.
    pub(super) fn whole(&self, key: &'static str) -> Result<Option<u64>, String> {
        let Some(value) = self.get(key) else { return Ok(None) };
        match whole(value) {
            Some(number) => Ok(Some(number)),
            None => self.not(key, value, "a whole number, 0 or more,"),
        }
    }

    /// One of several methods.
    pub(super) fn method(&self, key: &'static str, most: u64) -> Result<Option<u64>, String> {
        let method = self.whole(key)?;
        match method.filter(|method| *method > most) {
            Some(method) => self.wrong(key, format!("is {method}, which is not within 0 .. {most}")),
            None => Ok(method),
        }
    }

    /// `true` and `false`, or a whole number, of which 0 is false.
    pub(super) fn flag(&self, key: &'static str) -> Result<Option<bool>, String> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(Value::Number(number)) if number.is_i64() || number.is_u64() => Ok(Some(number.as_f64() != Some(0.0))),
            Some(value) => self.not(key, value, "true, false, 0 or 1"),
        }
    }

    pub(super) fn text(&self, key: &'static str) -> Result<Option<String>, String> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(value) => self.not(key, value, "a text"),
        }
    }

    /// The name of a file; an empty one is none. Folders may be parted as on Windows.
    pub(super) fn file(&self, key: &'static str) -> Result<Option<String>, String> {
        Ok(self.text(key)?.filter(|name| !name.is_empty()).map(|name| name.replace('\\', "/")))
    }

    pub(super) fn numbers(&self, key: &'static str) -> Result<Option<Vec<f64>>, String> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let Value::Array(values) = value else { return self.not(key, value, "a list of numbers") };
        let number = |(i, value): (usize, &Value)| {
            let what = || format!("{}[{i}]: is {}, and a number is needed", self.at(key), shown(value));
            value.as_f64().ok_or_else(what)
        };
        values.iter().enumerate().map(number).collect::<Result<_, _>>().map(Some)
    }

    /// Three numbers.
    pub(super) fn vector(&self, key: &'static str) -> Result<Option<[f64; 3]>, String> {
        let Some(numbers) = self.numbers(key)? else { return Ok(None) };
        match <[f64; 3]>::try_from(numbers.as_slice()) {
            Ok(vector) => Ok(Some(vector)),
            Err(_) => self.wrong(key, format!("has {} numbers, and 3 are needed", numbers.len())),
        }
    }

    /// Three coordinates or speeds.
    pub(super) fn place(&self, key: &'static str) -> Result<Option<[f64; 3]>, String> {
        let vector = self.vector(key)?;
        let (most, limit) = COORDINATE;
        match vector.iter().flatten().find(|c| c.abs() > most) {
            Some(c) => self.wrong(key, format!("has {c}, which is not {limit}")),
            None => Ok(vector),
        }
    }

    /// Three factors.
    pub(super) fn factors(&self, key: &'static str) -> Result<[f32; 3], String> {
        let vector = self.vector(key)?.unwrap_or([1.0; 3]);
        match vector.iter().find(|c| !(**c >= 1e-6 && **c <= 1e6)) {
            Some(c) => self.wrong(key, format!("has {c}, which is not within 1e-6 .. 1e6")),
            None => Ok(vector.map(|c| c as f32)),
        }
    }

    /// A direction.
    pub(super) fn axis(&self, key: &'static str) -> Result<[f64; 3], String> {
        let axis = self.required(key, self.place(key)?)?;
        if axis.iter().all(|c| c.abs() < 1e-9) {
            return self.wrong(key, format!("is {axis:?}, which has no direction; give one such as [0, 1, 0]"));
        }
        Ok(axis)
    }

    /// Whole numbers, 0 or more.
    pub(super) fn wholes(&self, key: &'static str) -> Result<Vec<u64>, String> {
        let Some(value) = self.get(key) else { return Ok(Vec::new()) };
        let Value::Array(values) = value else { return self.not(key, value, "a list of whole numbers") };
        let number = |(i, value): (usize, &Value)| {
            let what =
                || format!("{}[{i}]: is {}, and a whole number, 0 or more, is needed", self.at(key), shown(value));
            whole(value).ok_or_else(what)
        };
        values.iter().enumerate().map(number).collect()
    }

    /// A table in it.
    pub(super) fn table(&self, key: &'static str) -> Result<Option<Item<'a>>, String> {
        self.get(key).map(|value| Item::of(value, self.at(key))).transpose()
    }

    /// A list of tables; empty without the key.
    pub(super) fn list(&self, key: &'static str) -> Result<Vec<Item<'a>>, String> {
        match self.get(key) {
            None => Ok(Vec::new()),
            Some(Value::Array(values)) => {
                let each = values.iter().enumerate();
                each.map(|(i, value)| Item::of(value, format!("{}[{i}]", self.at(key)))).collect()
            }
            Some(value) => self.not(key, value, "a list of tables"),
        }
    }

    /// All that nobody has asked for is unknown.
    pub(super) fn finish(self, log: &mut Log) {
        let asked = self.asked.borrow();
        let unknown = self.map.keys().filter(|key| !asked.contains(key.as_str()));
        log.unknown_keys.extend(unknown.map(|key| self.at(key)));
    }
}

fn whole(value: &Value) -> Option<u64> {
    let exact = |x: f64| ((0.0..=1e15).contains(&x) && x.trunc() == x).then_some(x as u64);
    value.as_u64().or_else(|| value.as_f64().and_then(exact))
}

/// A value in errors.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) if text.chars().count() > 40 => "a long text".to_owned(),
        Value::String(text) => format!("{text:?}"),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "a table".to_owned(),
    }
}
