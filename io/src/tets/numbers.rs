//! Numbers one after another, as text or as bytes.

use crate::source::Excerpt;

/// How the numbers of a file are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Text,
    Little,
    Big,
}

/// What is left of a file, and how it is written.
pub(super) struct Numbers<'a> {
    all: &'a [u8],
    rest: &'a [u8],
    pub(super) encoding: Encoding,
}

macro_rules! binary {
    ($self:ident, $what:ident, $type:ty) => {{
        let bytes = $self.take($what)?;
        if $self.encoding == Encoding::Big { <$type>::from_be_bytes(bytes) } else { <$type>::from_le_bytes(bytes) }
    }};
}

impl<'a> Numbers<'a> {
    pub(super) fn new(all: &'a [u8]) -> Self {
        Self { all, rest: all, encoding: Encoding::Text }
    }

    /// An integer of four bytes.
    pub(super) fn int(&mut self, what: &str) -> Result<i32, String> {
        match self.encoding {
            Encoding::Text => self.parse(what, "a whole number"),
            _ => Ok(binary!(self, what, i32)),
        }
    }

    /// A count or name of eight bytes.
    pub(super) fn size(&mut self, what: &str) -> Result<u64, String> {
        match self.encoding {
            Encoding::Text => self.parse(what, "a whole number"),
            _ => Ok(binary!(self, what, u64)),
        }
    }

    /// A number of eight bytes, rounded once.
    pub(super) fn double(&mut self, what: &str) -> Result<f32, String> {
        match self.encoding {
            Encoding::Text => self.parse(what, "a number such as -1.5e-3"),
            _ => Ok(binary!(self, what, f64) as f32),
        }
    }

    /// The next word of a text.
    pub(super) fn word(&mut self) -> Option<&'a str> {
        let rest = self.rest.trim_ascii_start();
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        let (word, rest) = rest.split_at(length);
        self.rest = rest;
        // What is no text is no number and no name of a section, and is told as such.
        if word.is_empty() { None } else { Some(std::str::from_utf8(word).unwrap_or("\u{fffd}")) }
    }

    /// Goes on at the next line.
    pub(super) fn end_line(&mut self) {
        let end = self.rest.iter().position(|&b| b == b'\n').map_or(self.rest.len(), |end| end + 1);
        self.rest = &self.rest[end..];
    }

    /// Goes on behind the first place that spells `mark`; false if there is none.
    pub(super) fn skip_to(&mut self, mark: &str) -> bool {
        let found = self.rest.windows(mark.len()).position(|window| window == mark.as_bytes());
        self.rest = found.map_or(&[], |at| &self.rest[at + mark.len()..]);
        found.is_some()
    }

    /// Puts the place to an error.
    pub(super) fn error(&self, what: &str) -> String {
        let read = &self.all[..self.all.len() - self.rest.len()];
        match self.encoding {
            Encoding::Text => format!("line {}: {what}", 1 + read.iter().filter(|&&b| b == b'\n').count()),
            _ => format!("byte {}: {what}", read.len()),
        }
    }

    fn parse<T: std::str::FromStr>(&mut self, what: &str, such: &str) -> Result<T, String> {
        let word = self.word().ok_or_else(|| self.error(&format!("the file ends where {what} should be")))?;
        word.parse().map_err(|_| self.error(&format!("{what}: `{}` is not {such}", Excerpt(word))))
    }

    fn take<const N: usize>(&mut self, what: &str) -> Result<[u8; N], String> {
        let Some((&bytes, rest)) = self.rest.split_first_chunk() else {
            return Err(self.error(&format!("the file ends where {what} should be")));
        };
        self.rest = rest;
        Ok(bytes)
    }
}
