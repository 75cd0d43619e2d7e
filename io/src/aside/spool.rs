//! Bytes that are kept until they are wanted, and where finished bytes go: in files, or in memory.

use crate::kept;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Cursor, Read, Seek, SeekFrom, Write};

/// Where the bytes of a target go.
#[derive(Debug)]
pub enum Sink<'a> {
    /// Into a file.
    File(BufWriter<&'a File>),
    /// Into memory.
    Memory(Cursor<Vec<u8>>),
}

impl Sink<'_> {
    /// What was written into memory.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        match self {
            Sink::File(_) => Vec::new(),
            Sink::Memory(bytes) => bytes.into_inner(),
        }
    }
}

impl Write for Sink<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Sink::File(file) => file.write(bytes),
            Sink::Memory(memory) => memory.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Sink::File(file) => file.flush(),
            Sink::Memory(_) => Ok(()),
        }
    }
}

impl Seek for Sink<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Sink::File(file) => file.seek(to),
            Sink::Memory(memory) => memory.seek(to),
        }
    }
}

/// First-in first-out bytes: a file without a name, which the system removes when it is dropped, or memory.
#[derive(Debug)]
pub(crate) enum Spool {
    File(BufWriter<File>),
    Memory(Cursor<Vec<u8>>),
}

/// A spool from its start.
pub(crate) enum Rewound<'a> {
    File(BufReader<&'a File>),
    Memory(&'a mut Cursor<Vec<u8>>),
}

impl Spool {
    /// Appends numbers, little-endian on every host.
    pub(crate) fn push(&mut self, numbers: &[f32]) -> io::Result<()> {
        if cfg!(target_endian = "little") {
            return self.write_all(bytemuck::cast_slice(numbers));
        }
        numbers.iter().try_for_each(|v| self.write_all(&v.to_le_bytes()))
    }

    /// The same of words.
    pub(crate) fn push_words(&mut self, words: &[u32]) -> io::Result<()> {
        if cfg!(target_endian = "little") {
            return self.write_all(bytemuck::cast_slice(words));
        }
        words.iter().try_for_each(|word| self.write_all(&word.to_le_bytes()))
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Spool::File(file) => file.write_all(bytes),
            Spool::Memory(memory) => memory.write_all(bytes),
        }
    }

    /// Writes all of it, and its length.
    pub(crate) fn save(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let mut all = self.rewind()?;
        out.write_all(&all.length()?.to_le_bytes())?;
        // To its end, where the next frame goes.
        io::copy(&mut all, out).map(drop)
    }

    /// Appends what was saved, of `length` bytes.
    pub(crate) fn load(&mut self, from: &mut dyn Read, length: u64) -> io::Result<()> {
        if kept::length(from)? != length {
            return Err(kept::short());
        }
        let mut from = from.take(length);
        let got = match self {
            Spool::File(file) => io::copy(&mut from, file)?,
            Spool::Memory(memory) => io::copy(&mut from, memory)?,
        };
        if got == length { Ok(()) } else { Err(kept::short()) }
    }

    /// Reads from the start again.
    pub(crate) fn rewind(&mut self) -> io::Result<Rewound<'_>> {
        match self {
            Spool::File(file) => {
                file.flush()?;
                let mut file = file.get_ref();
                file.rewind()?;
                Ok(Rewound::File(BufReader::with_capacity(1 << 16, file)))
            }
            Spool::Memory(memory) => {
                memory.set_position(0);
                Ok(Rewound::Memory(memory))
            }
        }
    }
}

impl Rewound<'_> {
    fn length(&self) -> io::Result<u64> {
        match self {
            Rewound::File(file) => Ok(file.get_ref().metadata()?.len()),
            Rewound::Memory(memory) => Ok(memory.get_ref().len() as u64),
        }
    }
}

impl Read for Rewound<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Rewound::File(file) => file.read(into),
            Rewound::Memory(memory) => memory.read(into),
        }
    }
}

impl Seek for Rewound<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Rewound::File(file) => file.seek(to),
            Rewound::Memory(memory) => memory.seek(to),
        }
    }
}
