//! Bytes as a source of choices. A reader of our own: a seed stays what it is when a crate changes its encoding, and
//! can be written by hand (`corpus/seeds.py` has the same encoding).

use std::f32::consts::PI;

/// What is left of an input; 0 for ever after its end.
pub struct Bytes<'a>(pub &'a [u8]);

/// Where arithmetic goes wrong.
const SPECIAL: [f32; 24] = [
    0.0,
    -0.0,
    f32::NAN,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::MAX,
    f32::MIN,
    f32::MIN_POSITIVE,
    1.0e-45,
    -1.0e-45,
    f32::EPSILON,
    1.0e30,
    -1.0e30,
    1.0e18,
    1.0e12,
    1.0e9,
    -1.0e9,
    1.0e6,
    -1.0e6,
    1.0e-6,
    1.0e-9,
    1.0e-18,
    PI,
    16_777_216.0,
];

impl Bytes<'_> {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    pub fn flag(&mut self) -> bool {
        self.byte() & 1 == 1
    }

    /// A number below `n`, which is 1..=256.
    pub fn below(&mut self, n: usize) -> usize {
        usize::from(self.byte()) % n
    }

    /// 0..24 special, 24..184 a step of a sixteenth within -5..5, beyond that any four bytes.
    pub fn number(&mut self) -> f32 {
        match self.byte() {
            tag @ 0..24 => SPECIAL[usize::from(tag)],
            tag @ 24..184 => (f32::from(tag) - 104.0) / 16.0,
            _ => f32::from_le_bytes([self.byte(), self.byte(), self.byte(), self.byte()]),
        }
    }

    /// One in the range of an `f64`: that of an `f32`, or, after a tag of 254, the seventh power of one.
    pub fn double(&mut self) -> f64 {
        if self.0.first() != Some(&254) {
            return f64::from(self.number());
        }
        self.byte();
        let x = f64::from(self.number());
        let cube = x * x * x;
        cube * cube * x
    }

    pub fn doubles(&mut self) -> [f64; 3] {
        [self.double(), self.double(), self.double()]
    }

    pub fn point(&mut self) -> [f32; 3] {
        [self.number(), self.number(), self.number()]
    }

    /// Mostly a sane number, between 0 and `scale`; one time in four any.
    pub fn mostly(&mut self, scale: f32) -> f32 {
        match self.byte() {
            tag @ 0..192 => f32::from(tag) / 191.0 * scale,
            _ => self.number(),
        }
    }

    /// Mostly an index below `n`.
    pub fn index(&mut self, n: usize) -> u32 {
        match self.byte() {
            255 => u32::MAX,
            254 => n as u32,
            253 => 1 << 31,
            tag => u32::from(tag) % n.max(1) as u32,
        }
    }
}
