//! Data blocks of the page: base64 of a zlib stream in a script element that no browser runs.

use std::io::{self, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::{Compression, write::ZlibEncoder};

/// Writes `bytes` as the block `id`.
pub(super) fn write(out: &mut impl Write, id: &str, bytes: &[u8]) -> io::Result<()> {
    write_smaller(out, id, bytes, LEVEL)
}

/// The same with another level of zlib.
pub(super) fn write_smaller(out: &mut impl Write, id: &str, bytes: &[u8], level: u32) -> io::Result<()> {
    let mut zlib = ZlibEncoder::new(Vec::new(), Compression::new(level));
    zlib.write_all(bytes)?;
    let text = STANDARD.encode(zlib.finish()?);
    writeln!(out, "<script type=\"application/octet-stream\" id=\"{id}\">{text}</script>")
}

/// Writes words as differences from the one `stride` before, signs folded in, in four byte planes: a mesh's indices
/// then repeat themselves and deflate to almost nothing. Floats go by their bits.
pub(super) fn write_words(
    out: &mut impl Write,
    id: &str,
    stride: usize,
    words: impl ExactSizeIterator<Item = u32>,
) -> io::Result<()> {
    let n = words.len();
    let words: Vec<u32> = words.collect();
    let mut bytes = vec![0; 4 * n];
    for (i, &word) in words.iter().enumerate() {
        let before = if i >= stride { words[i - stride] } else { 0 };
        let signed = word.wrapping_sub(before) as i32;
        let folded = ((signed << 1) ^ (signed >> 31)) as u32;
        for (plane, byte) in folded.to_le_bytes().into_iter().enumerate() {
            bytes[plane * n + i] = byte;
        }
    }
    write(out, id, &bytes)
}

/// Residuals are near to noise: higher levels took twice the time for 1 %.
const LEVEL: u32 = 6;
