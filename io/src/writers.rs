//! Chooses the writer of frames by a file's ending.

use std::path::Path;

use crate::Error;
use crate::frames::{FrameWriter, Header};
use crate::html::HtmlWriter;
use crate::npz::NpzWriter;

/// Opens a writer for `path`: `.npz` for arrays, `.html` for a page with a viewer; upper or lower case.
///
/// # Errors
/// When the ending is another one, when no file can be made there, or when the header's arrays do not agree.
pub fn open(path: &Path, header: &Header) -> Result<Box<dyn FrameWriter>, Error> {
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    match ending.as_str() {
        "npz" => Ok(Box::new(NpzWriter::new(path, header)?)),
        "html" => Ok(Box::new(HtmlWriter::new(path, header)?)),
        _ => Err(Error::Format {
            path: path.to_owned(),
            what: "no known ending for frames; use .npz (arrays) or .html (a page with a viewer)".into(),
        }),
    }
}
