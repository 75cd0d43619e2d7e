//! Numbers to bytes and back, little endian on every machine.

use crate::describe::snapshot::SnapshotError;
use bytemuck::Pod;

/// Appends numbers of four bytes each, as they are.
pub(crate) fn write_words<T: Pod>(out: &mut Vec<u8>, words: &[T]) {
    if cfg!(target_endian = "little") {
        out.extend_from_slice(bytemuck::cast_slice(words));
    } else {
        let words: &[u32] = bytemuck::cast_slice(words);
        words.iter().for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
    }
}

/// Appends numbers.
pub(crate) fn write_doubles<'a>(out: &mut Vec<u8>, numbers: impl IntoIterator<Item = &'a f64>) {
    numbers.into_iter().for_each(|number| out.extend_from_slice(&number.to_le_bytes()));
}

/// Sets numbers of four bytes each from as many bytes.
pub(crate) fn set_words<T: Pod>(words: &mut [T], bytes: &[u8]) {
    let to: &mut [u8] = bytemuck::cast_slice_mut(words);
    to.copy_from_slice(bytes);
    if cfg!(target_endian = "big") {
        let words: &mut [u32] = bytemuck::cast_slice_mut(words);
        words.iter_mut().for_each(|word| *word = u32::from_le(*word));
    }
}

/// Takes numbers from the front. It never takes memory by a number that it reads.
#[derive(Clone, Debug)]
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
    /// Bytes of the whole, for messages: also of what is before and behind.
    all: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { rest: bytes, all: bytes.len() }
    }

    /// Without so many bytes at the end, which are not read.
    pub(crate) fn without_last(mut self, count: usize) -> Reader<'a> {
        self.rest = &self.rest[..self.rest.len().saturating_sub(count)];
        self
    }

    /// The next bytes; an error if there are not so many.
    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8], SnapshotError> {
        let Some((first, rest)) = self.rest.split_at_checked(count) else {
            let want = ((self.all - self.rest.len()) as u64).saturating_add(count as u64);
            return Err(SnapshotError::Length { got: self.all as u64, want });
        };
        self.rest = rest;
        Ok(first)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], SnapshotError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    pub(crate) fn word(&mut self) -> Result<u32, SnapshotError> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn long(&mut self) -> Result<u64, SnapshotError> {
        self.array().map(u64::from_le_bytes)
    }

    pub(crate) fn single(&mut self) -> Result<f32, SnapshotError> {
        self.array().map(f32::from_le_bytes)
    }

    pub(crate) fn double(&mut self) -> Result<f64, SnapshotError> {
        self.array().map(f64::from_le_bytes)
    }

    pub(crate) fn doubles<const N: usize>(&mut self) -> Result<[f64; N], SnapshotError> {
        let mut numbers = [0.0; N];
        for number in &mut numbers {
            *number = self.double()?;
        }
        Ok(numbers)
    }

    /// So many things of `size` bytes, if so many bytes are left: memory is taken for what is there.
    pub(crate) fn many(&mut self, count: u64, size: usize) -> Result<&'a [u8], SnapshotError> {
        let count = usize::try_from(count).ok().and_then(|count| count.checked_mul(size));
        self.take(count.unwrap_or(usize::MAX))
    }

    /// All that is left.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// An error if anything is left.
    pub(crate) fn end(&self) -> Result<(), SnapshotError> {
        match self.rest.len() {
            0 => Ok(()),
            left => Err(SnapshotError::Length { got: self.all as u64, want: (self.all - left) as u64 }),
        }
    }
}
