//! What a writer of frames has so far, as bytes: to go on from later.

use bytemuck::{AnyBitPattern, NoUninit};
use std::io::{self, Read, Write};

/// Writes numbers, and how many.
pub(crate) fn put<T: NoUninit>(out: &mut dyn Write, values: &[T]) -> io::Result<()> {
    let bytes = bytemuck::cast_slice::<T, u8>(values);
    out.write_all(&(bytes.len() as u64).to_le_bytes())?;
    out.write_all(bytes)
}

/// Reads what [`put`] wrote. Memory is taken as bytes come.
pub(crate) fn take<T: AnyBitPattern>(from: &mut dyn Read) -> io::Result<Vec<T>> {
    let mut bytes = Vec::new();
    let count = length(from)?;
    from.take(count).read_to_end(&mut bytes)?;
    if bytes.len() as u64 != count || !bytes.len().is_multiple_of(size_of::<T>()) {
        return Err(short());
    }
    Ok(bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect())
}

/// The length of what follows.
pub(crate) fn length(from: &mut dyn Read) -> io::Result<u64> {
    let mut length = [0; 8];
    from.read_exact(&mut length)?;
    Ok(u64::from_le_bytes(length))
}

/// What has another length than it says.
pub(crate) fn short() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "it ends early; it was not written whole, or is another file")
}
