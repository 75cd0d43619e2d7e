//! Bytes of buffers: in the file itself, in `data:` addresses, or in files beside it.

use super::index::get;
use ::gltf::json::buffer::View;
use ::gltf::json::{Index, Root};
use base64::Engine as _;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Component, Path, PathBuf};

/// Most bytes of a file, and of all buffers together.
const MAX_BYTES: usize = 1 << 30;

/// With or without padding: both are about.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// All buffers of a file.
pub(super) struct Buffers<'a> {
    root: &'a Root,
    bytes: Vec<Cow<'a, [u8]>>,
}

impl<'a> Buffers<'a> {
    /// `blob` is the binary part of a GLB file; without a folder no other file is read.
    pub(super) fn load(root: &'a Root, blob: Option<&'a [u8]>, folder: Option<&Path>) -> Result<Self, String> {
        let (mut bytes, mut room) = (Vec::new(), MAX_BYTES);
        for (i, buffer) in root.buffers.iter().enumerate() {
            let of = |what: String| format!("buffer {i}: {what}");
            let all = match &buffer.uri {
                // Only the first may have none; one that nothing reads may have no bytes.
                None => Cow::Borrowed(blob.filter(|_| i == 0).unwrap_or_default()),
                Some(uri) => Cow::Owned(match uri.strip_prefix("data:") {
                    Some(data) => embedded(data).map_err(of)?,
                    None => neighbour(uri, folder, room).map_err(of)?,
                }),
            };
            let claimed = buffer.byte_length.0;
            let has = all.len();
            if claimed > has as u64 {
                return Err(of(format!("says it has {claimed} bytes; there are {has}")));
            }
            room = room.checked_sub(has).ok_or_else(|| of(format!("beyond the limit of {MAX_BYTES} bytes")))?;
            bytes.push(all);
        }
        Ok(Self { root, bytes })
    }

    /// The bytes of a view, and the distance of its elements if it says one.
    pub(super) fn view(&self, index: Index<View>) -> Result<(&[u8], Option<usize>), String> {
        let view = get(&self.root.buffer_views, index, "bufferView")?;
        let of = |what: String| format!("bufferView {index}: {what}");
        get(&self.root.buffers, view.buffer, "buffer").map_err(of)?;
        let all = &self.bytes[view.buffer.value()];
        let (from, length) = (view.byte_offset.unwrap_or_default().0, view.byte_length.0);
        let bytes =
            from.checked_add(length).and_then(|to| all.get(usize::try_from(from).ok()?..usize::try_from(to).ok()?));
        let bytes = bytes.ok_or_else(|| of(format!("{length} bytes from {from} on; its buffer has {}", all.len())))?;
        Ok((bytes, view.byte_stride.map(|stride| stride.0)))
    }
}

/// Reads a file, or the first byte beyond the limit.
pub(super) fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    read_within(path, MAX_BYTES)
}

fn read_within(path: &Path, limit: usize) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory; name a file in it"));
    }
    let mut bytes = Vec::new();
    // Also of a file that has no size, such as a pipe.
    file.take(limit as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > limit {
        return Err(io::Error::other(format!(
            "larger than {MAX_BYTES} bytes, with all its buffers; simplify the mesh"
        )));
    }
    Ok(bytes)
}

fn embedded(data: &str) -> Result<Vec<u8>, String> {
    let (kind, text) = data.split_once(',').ok_or("a `data:` address without a comma")?;
    if !kind.ends_with(";base64") {
        return Err(format!("a `data:` address that is not base64 but {kind:.40?}"));
    }
    BASE64.decode(text).map_err(|e| format!("its base64 text is broken: {e}"))
}

/// Reads a file that stands in the folder or below.
fn neighbour(uri: &str, folder: Option<&Path>, room: usize) -> Result<Vec<u8>, String> {
    let path = neighbour_path(uri, folder)?;
    // A pipe might never end.
    match path.metadata() {
        Ok(there) if !there.is_file() => Err(format!("{} is no file", path.display())),
        _ => read_within(&path, room).map_err(|e| format!("{} cannot be read: {e}", path.display())),
    }
}

/// Where a file stands that must be in the folder or below.
pub(super) fn neighbour_path(uri: &str, folder: Option<&Path>) -> Result<PathBuf, String> {
    let path = percent_encoding::percent_decode_str(uri).decode_utf8();
    let path = PathBuf::from(path.map_err(|_| format!("{uri:.80?} is not UTF-8"))?.into_owned());
    let is_below = path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if !is_below || uri.contains("://") || path.as_os_str().is_empty() {
        return Err(format!("{uri:.80?} is not in the folder of the file; buffers are read from there and below"));
    }
    let folder =
        folder.ok_or_else(|| format!("it is in the file {uri:.80?}, and only embedded ones can be read here"))?;
    Ok(folder.join(path))
}
