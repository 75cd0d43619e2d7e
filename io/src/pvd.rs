//! Frames for VTK and ParaView: `flag.pvd`, a list of times, and the folder `flag` beside it with a file for each
//! frame, `flag/flag_0000.vtu` and so on.
//!
//! Each is an unstructured grid: all vertices in order, with `velocity` (m/s) at the points; tetrahedra, triangles of
//! bodies without any, and lines of those that have neither, with the number of the `body` at the cells; the field
//! `TimeValue`, seconds. Numbers are little-endian, deflated and base64 (`vtkZLibDataCompressor`), which every reader
//! of the format knows. Rigid bodies are the list's second part, `flag/flag_rigid_0000.vtu`: the surfaces of their
//! shapes, without velocities; the numbers of their bodies go on from the others'. Fluids are the last part,
//! `flag/flag_fluid_0000.vtu`: the particles that are there, each a vertex cell, with `velocity`, `speed` (m/s),
//! `density` (kg/m^3), `id` (a number that no other has, as `fluid_ids` of .npz) and `fluid` (the number of its body)
//! at the points. They are not in the first part, which a scene of fluids alone does not have.
//!
//! Points are Float32. Where the scene's origin is not zero they are Float64 in the world: origin + position.
//!
//! Files in the folder are replaced by those of the same name; others stay. The list is written last: without it,
//! nothing of a run that failed is there.

mod fluid;
mod grid;
mod rigid;

use crate::aside::{PendingFile, Spool, Target};
use crate::frames::{FrameWriter, Header, RecordedFrame};
use crate::shape::FrameShape;
use crate::{Error, kept};
use fluid::Fluids;
use grid::{FrameGrid, PointArray, VtkArray};
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, Event};
use rigid::Rigid;
use std::fs;
use std::hash::{Hash, Hasher};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The parts of a file's name that tell the other parts from the first.
const RIGID: &str = "_rigid";
const FLUID: &str = "_fluid";

/// Writes a `.pvd` file and its `.vtu` files.
#[derive(Debug)]
pub struct PvdWriter {
    target: Target,
    shape: FrameShape,
    /// Where the frames go, and the name that they and it share.
    folder: PathBuf,
    stem: String,
    grid: Option<FrameGrid>,
    rigid: Option<Rigid>,
    fluids: Option<Fluids>,
    /// Whether points are written in the world, in f64.
    is_away: bool,
    times: Vec<f64>,
    positions: Spool,
    velocities: Spool,
    poses: Spool,
    densities: Spool,
    ids: Spool,
}

impl PvdWriter {
    /// Prepares a list at `path`; files stay as they are until `finish`.
    ///
    /// # Errors
    /// When no file can be made there, its name is not UTF-8, something that is no folder has the folder's name, or the
    /// header's arrays do not agree.
    pub fn new(path: &Path, header: &Header) -> Result<Self, Error> {
        let target = Target::new(path)?;
        let fail = |what: String| Error::Format { path: path.to_owned(), what };
        if target.is_stream() {
            return Err(fail("frames go into a folder beside the list; name a file".to_owned()));
        }
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        let stem = stem.ok_or_else(|| fail("a name that is not UTF-8 cannot stand in the list".to_owned()))?.to_owned();
        let folder = path.with_file_name(&stem);
        // A link stays one: its folder gets the frames.
        let folder = fs::canonicalize(&folder).unwrap_or(folder);
        if fs::metadata(&folder).is_ok_and(|there| !there.is_dir()) {
            return Err(fail(format!(
                "frames go into the folder {}, which is a file",
                path.with_file_name(&stem).display()
            )));
        }
        Ok(Self {
            // What the grid relies on.
            shape: FrameShape::new(&target, header)?,
            folder,
            stem,
            grid: FrameGrid::new(header).map_err(|e| target.error(e))?,
            rigid: Rigid::new(header).map_err(|e| target.error(e))?,
            fluids: Fluids::new(header),
            is_away: header.is_away(),
            times: Vec::new(),
            positions: target.spool()?,
            velocities: target.spool()?,
            poses: target.spool()?,
            densities: target.spool()?,
            ids: target.spool()?,
            target,
        })
    }

    /// Writes all files but the list into a folder, and remembers the parts of each frame.
    fn write_frames(&mut self, folder: &Path, written: &mut Vec<Vec<String>>) -> Result<(), Error> {
        let unread = |e| self.target.error(e);
        let (mut positions, mut velocities) =
            (self.positions.rewind().map_err(unread)?, self.velocities.rewind().map_err(unread)?);
        let mut poses = self.poses.rewind().map_err(unread)?;
        let mut densities = self.densities.rewind().map_err(unread)?;
        let mut ids = self.ids.rewind().map_err(unread)?;
        let width = self.times.len().saturating_sub(1).to_string().len().max(4);
        let bytes = self.shape.vertices * 12;
        for (i, &time) in self.times.iter().enumerate() {
            let (x, v) = (take(&mut positions, bytes).map_err(unread)?, take(&mut velocities, bytes).map_err(unread)?);
            let mut parts = Vec::new();
            let mut part = |what: &str| {
                let name = format!("{}{what}_{i:0width$}.vtu", self.stem);
                let target = Target::new(&folder.join(&name));
                parts.push(name);
                target
            };
            if let Some(fluids) = &self.fluids {
                let densities = take(&mut densities, fluids.bytes()).map_err(unread)?;
                let ids = take(&mut ids, fluids.bytes()).map_err(unread)?;
                part(FLUID)?.persist(|out| fluids.write(out, time, (&x, &v), (&densities, &ids)))?;
            }
            if let Some(grid) = &self.grid {
                let [x, v] = [x, v].map(|vectors| match &self.fluids {
                    Some(fluids) => fluids.others(vectors),
                    None => vectors,
                });
                let velocity = PointArray { name: "velocity", numbers: VtkArray::Vectors(&v) };
                part("")?.persist(|out| grid.write(out, time, &x, &[velocity]))?;
            }
            if let Some(rigid) = &self.rigid {
                let placed = rigid.place(&take(&mut poses, rigid.bytes()[0]).map_err(unread)?);
                part(RIGID)?.persist(|out| rigid.grid.write(out, time, &placed, &[]))?;
            }
            // In the list fluids are last.
            parts.rotate_left(usize::from(self.fluids.is_some()));
            written.push(parts);
        }
        Ok(())
    }

    fn write_list(&self, written: &[Vec<String>]) -> Result<(), Error> {
        self.target.persist(|out| {
            let mut xml = Writer::new_with_indent(&mut *out, b' ', 2);
            xml.write_event(Event::Decl(BytesDecl::new("1.0", None, None)))?;
            let file = xml.create_element("VTKFile").with_attributes([("type", "Collection"), ("version", "1.0")]);
            file.write_inner_content(|xml| {
                xml.create_element("Collection").write_inner_content(|xml| {
                    for (parts, time) in written.iter().zip(&self.times) {
                        for (part, name) in parts.iter().enumerate() {
                            let (time, part, file) =
                                (time.to_string(), part.to_string(), format!("{}/{name}", self.stem));
                            let attributes = [("timestep", &time), ("part", &part), ("file", &file)];
                            let attributes = attributes.map(|(name, text)| (name, text.as_str()));
                            xml.create_element("DataSet").with_attributes(attributes).write_empty()?;
                        }
                    }
                    Ok(())
                })?;
                Ok(())
            })?;
            out.write_all(b"\n")
        })
    }
}

impl FrameWriter for PvdWriter {
    fn room(&self, frames: u64) -> Result<(), Error> {
        let rigid = self.rigid.as_ref().map_or(0, |rigid| {
            let [poses, vertices] = rigid.bytes();
            (poses + 2 * vertices) as u64 + rigid.grid.bytes()
        });
        let grid = self.grid.as_ref().map_or(0, FrameGrid::bytes);
        let fluids = self.fluids.as_ref().map_or(0, |fluids| 2 * fluids.bytes() as u64 + fluids.file_bytes());
        // Points in the world take twice as much, as text.
        let solid = self.rigid.as_ref().map_or(0, |rigid| rigid.bytes()[1]);
        let wide = if self.is_away { 16 * self.shape.vertices + 2 * solid } else { 0 };
        self.target.room(frames * (2 * self.shape.vertices as u64 * 24 + grid + rigid + fluids + wide as u64))
    }

    fn frame(&mut self, frame: &RecordedFrame<'_>) -> Result<(), Error> {
        self.shape.check(&self.target, self.times.len(), frame)?;
        self.times.push(frame.time);
        self.positions
            .push(frame.positions.as_flattened())
            .and_then(|()| self.velocities.push(frame.velocities.as_flattened()))
            .and_then(|()| match &self.rigid {
                Some(rigid) => self.poses.push(rigid.poses(frame).as_flattened()),
                None => Ok(()),
            })
            .and_then(|()| self.densities.push(frame.densities))
            .and_then(|()| self.ids.push_words(frame.ids))
            .map_err(|e| self.target.error(e))
    }

    fn save(&mut self, out: &mut dyn Write) -> io::Result<()> {
        kept::put(out, &self.times)?;
        self.positions.save(out)?;
        self.velocities.save(out)?;
        self.poses.save(out)?;
        self.densities.save(out)?;
        self.ids.save(out)
    }

    fn load(&mut self, from: &mut dyn Read) -> io::Result<()> {
        self.times = kept::take(from)?;
        let bytes = (self.times.len() * self.shape.vertices) as u64 * 12;
        self.positions.load(from, bytes)?;
        self.velocities.load(from, bytes)?;
        let poses = self.rigid.as_ref().map_or(0, |rigid| rigid.bytes()[0]);
        self.poses.load(from, (self.times.len() * poses) as u64)?;
        let of_fluids = (self.times.len() * self.shape.fluid * 4) as u64;
        self.densities.load(from, of_fluids)?;
        self.ids.load(from, of_fluids)
    }

    fn finish(mut self: Box<Self>) -> Result<(), Error> {
        // All frames first, in a folder of their own: frames of another run are never among them.
        let (fresh, mut written) = (Fresh::new(&self.folder)?, Vec::new());
        self.write_frames(&fresh.path, &mut written)?;
        // Of two runs that end at once, the folder and the list are those of one.
        let _lock = lock(&self.folder);
        let replaced = fresh.replace(&self.folder, &self.stem)?;
        self.write_list(&written).inspect_err(|_| replaced.undo(&self.folder))?;
        replaced.keep_others(&self.folder, &self.stem);
        Ok(())
    }
}

/// A new folder beside the one whose place it takes.
struct Fresh {
    path: PathBuf,
    _part: PendingFile,
}

/// The folder that was there before, if there was one.
struct Replaced(Option<PathBuf>);

impl Fresh {
    /// Makes a folder beside another; it goes when this is dropped.
    fn new(folder: &Path) -> Result<Fresh, Error> {
        let path = new_folder(folder)?;
        Ok(Fresh { _part: PendingFile::new(&path), path })
    }

    /// Takes the place of `folder`, whose frames are called `stem_NUMBER.vtu`.
    fn replace(self, folder: &Path, stem: &str) -> Result<Replaced, Error> {
        let fail = |source| Error::Write { path: folder.to_owned(), source };
        if !folder.is_dir() {
            fs::rename(&self.path, folder).map_err(fail)?;
            return Ok(Replaced(None));
        }
        let old = new_folder(folder)?;
        if fs::rename(folder, old.join("old")).is_err() {
            // Such as the place of a disk: its frames are replaced one by one.
            let _ = fs::remove_dir(&old);
            self.pour(folder, stem).map_err(fail)?;
            return Ok(Replaced(None));
        }
        if let Err(e) = fs::rename(&self.path, folder) {
            let _ = fs::rename(old.join("old"), folder);
            let _ = fs::remove_dir(&old);
            return Err(fail(e));
        }
        Ok(Replaced(Some(old)))
    }

    /// Puts the frames into `folder` in place of those that are there.
    fn pour(&self, folder: &Path, stem: &str) -> io::Result<()> {
        for entry in
            fs::read_dir(folder)?.flatten().filter(|entry| is_frame(&entry.file_name().to_string_lossy(), stem))
        {
            fs::remove_file(entry.path())?;
        }
        for entry in fs::read_dir(&self.path)? {
            let entry = entry?;
            let to = folder.join(entry.file_name());
            fs::rename(entry.path(), &to).or_else(|_| fs::copy(entry.path(), &to).map(drop))?;
        }
        Ok(())
    }
}

/// Makes a folder beside another.
fn new_folder(folder: &Path) -> Result<PathBuf, Error> {
    // No name twice in a program: whoever has moved a folder away would take the next of its name along.
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    loop {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = folder.with_file_name(format!(".{name}-{}-{number}", std::process::id()));
        match fs::create_dir(&path) {
            Ok(()) => return Ok(path),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            Err(source) => return Err(Error::Write { path, source }),
        }
    }
}

/// Whether a file is called as frames are.
fn is_frame(name: &str, stem: &str) -> bool {
    let rest = name.strip_prefix(stem);
    let rest = rest.map(|rest| [RIGID, FLUID].iter().find_map(|part| rest.strip_prefix(part)).unwrap_or(rest));
    let number = rest.and_then(|rest| rest.strip_prefix('_')?.strip_suffix(".vtu"));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}

impl Drop for Fresh {
    fn drop(&mut self) {
        // Gone already if it has got its place.
        let _ = fs::remove_dir_all(&self.path);
    }
}

impl Replaced {
    /// Puts the folder back that was there before.
    fn undo(&self, folder: &Path) {
        if let Some(old) = &self.0 {
            let _ = fs::remove_dir_all(folder);
            let _ = fs::rename(old.join("old"), folder);
            let _ = fs::remove_dir(old);
        }
    }

    /// Takes the old frames away, and puts what else was there, which is somebody else's, into the new folder. What
    /// cannot be moved stays where the old folder is.
    fn keep_others(self, folder: &Path, stem: &str) {
        let Some(old) = self.0 else { return };
        for entry in fs::read_dir(old.join("old")).into_iter().flatten().flatten() {
            let name = entry.file_name();
            if is_frame(&name.to_string_lossy(), stem) {
                let _ = fs::remove_file(entry.path());
            } else {
                let _ = fs::rename(entry.path(), folder.join(name));
            }
        }
        // Folders that hold nothing any more.
        let _ = fs::remove_dir(old.join("old"));
        let _ = fs::remove_dir(old);
    }
}

/// Waits for other runs that are putting frames in this folder. Without a lock where none can be had.
fn lock(folder: &Path) -> Option<fs::File> {
    let place =
        fs::canonicalize(folder.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))).ok()?;
    let mut hash = std::hash::DefaultHasher::new();
    place.join(folder.file_name()?).hash(&mut hash);
    let file = fs::File::create(std::env::temp_dir().join(format!("seidel-{:016x}.lock", hash.finish()))).ok()?;
    file.lock().ok()?;
    Some(file)
}

fn take(spool: &mut impl Read, bytes: usize) -> io::Result<Vec<u8>> {
    let mut taken = vec![0; bytes];
    spool.read_exact(&mut taken).map(|()| taken)
}
