//! Chooses the writer of frames by a file's ending.

use std::path::Path;

use crate::Error;
use crate::aside::{Memory, Target};
use crate::frames::{FrameWriter, Header};
use crate::glb::{GlbWriter, Interpolation};
use crate::html::HtmlWriter;
use crate::npz::NpzWriter;
use crate::pc2::Pc2Writer;
use crate::pvd::PvdWriter;

/// What a user may choose of writers, beside the ending.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// Between the frames of a `.glb` file.
    pub interpolation: Interpolation,
    /// Whether fluids are surfaces in a `.glb` file, in place of points: with the feature `surface` alone
    /// ([`GlbWriter::surfaces`]).
    pub surfaces: bool,
}

impl Options {
    /// With this between the frames of a `.glb` file.
    #[must_use]
    pub fn interpolation(mut self, interpolation: Interpolation) -> Options {
        self.interpolation = interpolation;
        self
    }

    /// With surfaces of fluids, or without.
    #[must_use]
    pub fn surfaces(mut self, surfaces: bool) -> Options {
        self.surfaces = surfaces;
        self
    }
}

/// The writer of a `.glb` file as the options say.
fn glb(writer: GlbWriter, options: &Options) -> Result<GlbWriter, Error> {
    if options.surfaces { writer.surfaces() } else { Ok(writer) }
}

/// Opens a writer for `path`: `.npz` for arrays, `.html` for a page with a viewer, `.glb` for an animated model, `.pvd`
/// for VTK and ParaView, `.pc2` for a point cache; upper or lower case.
///
/// # Errors
/// When the ending is another one, when no file can be made there, or when the header's arrays do not agree.
pub fn open(path: &Path, header: &Header, options: &Options) -> Result<Box<dyn FrameWriter>, Error> {
    match ending(path).as_str() {
        "npz" => Ok(Box::new(NpzWriter::new(path, header)?)),
        "html" => Ok(Box::new(HtmlWriter::new(path, header)?)),
        "glb" => Ok(Box::new(glb(GlbWriter::new(path, header, options.interpolation)?, options)?)),
        "pvd" => Ok(Box::new(PvdWriter::new(path, header)?)),
        "pc2" => Ok(Box::new(Pc2Writer::new(path, header)?)),
        _ => Err(Error::Format {
            path: path.to_owned(),
            what: "no known ending for frames; use .npz (arrays), .html (a page with a viewer), .glb (an animated model), .pvd \
                   (for ParaView) or .pc2 (a point cache)"
                .into(),
        }),
    }
}

/// Opens a writer whose file is made in memory, for places without files (a browser). `name` ends in `.npz` or `.glb`.
///
/// # Errors
/// When the ending is another one, or when the header's arrays do not agree.
///
/// # Example
/// ```
/// use seidel_io::{frames::Header, writers};
/// let (writer, file) = writers::in_memory("run.npz", &Header::default(), &writers::Options::default())?;
/// writer.finish()?;
/// assert!(file.take().starts_with(b"PK"));
/// # Ok::<(), seidel_io::Error>(())
/// ```
pub fn in_memory(
    name: &str,
    header: &Header,
    options: &Options,
) -> Result<(Box<dyn FrameWriter + Send>, Memory), Error> {
    let (target, memory) = Target::in_memory(name);
    let writer: Box<dyn FrameWriter + Send> = match ending(Path::new(name)).as_str() {
        "npz" => Box::new(NpzWriter::to(target, header)?),
        "glb" => Box::new(glb(GlbWriter::to(target, header, options.interpolation)?, options)?),
        _ => {
            let what = "only .npz and .glb files can be made in memory".to_owned();
            return Err(Error::Format { path: name.into(), what });
        }
    };
    Ok((writer, memory))
}

/// Whether the writer for `path` makes pictures: it takes the header and the frames of [`crate::recording::picture`].
#[must_use]
pub fn pictures(path: &Path) -> bool {
    matches!(ending(path).as_str(), "glb" | "html" | "pc2")
}

/// Whether the writer for `path` makes use of what is drawn of bodies ([`crate::recording::dress`]).
#[must_use]
pub fn draws(path: &Path) -> bool {
    ending(path) == "glb"
}

/// Whether the writer for `path` makes use of the vertices of bodies' files ([`crate::recording::trace`]).
#[must_use]
pub fn maps(path: &Path) -> bool {
    matches!(ending(path).as_str(), "npz" | "pc2")
}

/// Whether the writer for `path` plots energies and stretch ([`crate::recording::Plotted`]).
#[must_use]
pub fn plots(path: &Path) -> bool {
    ending(path) == "html"
}

fn ending(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}
