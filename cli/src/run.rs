//! `seidel run`: a scene, frame by frame, into files and figures.

use std::io::IsTerminal;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use seidel::glam::Vec3;
use seidel::{Execution, FluidLook, Input, Plan, Recording, Report, Scene, Solver};
use seidel_io::aside::{Target, discard_parts};
use seidel_io::frames::FrameWriter;
use seidel_io::glb::Interpolation;
use seidel_io::recording::Plotted;
use seidel_io::room::{self, Purpose};
use seidel_io::{recording, scene, writers};
use seidel_scenes::{MethodSpec, SceneSpec, key};

use crate::args::{Between, RunArgs, Watched};
use crate::closed;
use crate::convert::tell;
use crate::events::{self, Events};
use crate::hints;
use crate::memory;
use crate::rebound;
use crate::record;
use crate::resume::{self, About, Resumed};
use crate::snapshot;
use crate::stats::{Record, Stats, Tangled};
use crate::table;

type Failure = Box<dyn std::error::Error>;

/// What a shell calls the end by Ctrl-C.
const BY_CTRL_C: u8 = 130;
/// The signals beside Ctrl-C's that end a run between frames: SIGTERM, and SIGHUP (a terminal that is closed) unless
/// this program was told to ignore it, as by `nohup`. Where that is not known, SIGHUP stays as it is.
#[cfg(unix)]
fn ending_signals() -> Vec<i32> {
    use signal_hook::consts::{SIGHUP, SIGTERM};
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    let hangs_up = ignored.is_some_and(|mask| mask & (1 << (SIGHUP - 1)) == 0);
    if hangs_up { vec![SIGTERM, SIGHUP] } else { vec![SIGTERM] }
}

/// By which signal a run was interrupted.
static CODE: AtomicU8 = AtomicU8::new(BY_CTRL_C);

/// Ends the run after the frame that it is at; the second time at once.
fn interrupt(code: u8) {
    CODE.store(code, Ordering::Relaxed);
    if INTERRUPTED.swap(true, Ordering::Relaxed) {
        discard_parts();
        std::process::exit(i32::from(code));
    }
}

/// m/s: what moves faster than this has not come to rest.
const RESTS: f64 = 0.01;

/// m/s. What moves faster at the end of settling may still fall.
const FALLING: f64 = 0.5;

/// Set by the first Ctrl-C; looked at between frames, so that files are whole. The second ends at once, and leaves
/// none.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

pub(crate) fn run(args: &RunArgs) -> Result<ExitCode, Failure> {
    let resumed = args.resume.as_deref().map(Resumed::open).transpose()?;
    let mut args = args.clone();
    let mut remarks = scene::Remarks::default();
    let memory = args.memory.map_or_else(memory::free, |given| given.as_u64());
    let mut spec = match &resumed {
        Some(Resumed { about, path, .. }) => {
            (args.scene, args.out, args.every) = (about.scene.clone(), about.out.clone(), about.every);
            args.interpolation = if about.step { Between::Step } else { Between::Linear };
            args.surface = about.surface;
            args.stats = args.stats.or_else(|| about.stats.clone());
            args.save = args.save.or_else(|| about.save.clone());
            args.record.clone_from(&about.record);
            if args.check.is_empty() {
                args.check.clone_from(&about.check);
            }
            scene::parse(path, &about.spec)?
        }
        None => {
            let (spec, said) = memory::loaded(&args.scene, &args.set, memory)?;
            remarks = said;
            spec
        }
    };
    let (args, first) = (&args, resumed.as_ref().map_or(0, |resumed| resumed.about.frames));
    if let Some(frames) = args.frames.filter(|frames| *frames < first) {
        return Err(format!("--frames {frames}: the run that is to go on has {first} frames already").into());
    }
    if args.stats.as_deref() == Some(Path::new("-")) {
        closed::is_open().map_err(|e| format!("--stats -: {e}"))?;
    }
    let before = resumed.as_ref().and_then(|resumed| Record::of_interrupted(resumed.about.figures.as_ref(), first));
    // A part of a run has a part of its contacts.
    let whole = (first == 0 || before.is_some())
        && !resumed.as_ref().is_some_and(|resumed| resumed.about.part)
        && args.frames.is_none_or(|frames| frames >= spec.frames);
    let min_contacts = if whole { spec.min_contacts } else { 0 };
    spec.frames = args.frames.unwrap_or(spec.frames);
    spec.fps = args.fps.unwrap_or(spec.fps);
    spec.settle = args.settle.unwrap_or(spec.settle);
    spec.solver.substeps = args.substeps.unwrap_or(spec.solver.substeps);
    spec.solver.iterations = args.iterations.unwrap_or(spec.solver.iterations);
    spec.solver.method = match args.solver.as_deref() {
        Some("jacobi") => MethodSpec::Jacobi,
        Some(_) => {
            // The other method's key; a scene that has it may still be compared.
            spec.solver.relaxation = None;
            MethodSpec::GaussSeidel
        }
        None => spec.solver.method,
    };
    if spec.name.is_empty() {
        spec.name = if args.scene == "-" { "standard input".to_owned() } else { args.scene.clone() };
    }
    let threads = args.threads.map_or_else(|| Execution::default().threads, usize::from);
    // Planning and measuring are shared out among rayon's threads: as many as the run may have.
    seidel::rayon::ThreadPoolBuilder::new().num_threads(threads).build_global()?;
    let start = Instant::now();
    let built = made(&args.scene, &args.set, &spec, memory)?;
    let ms = |start: Instant| start.elapsed().as_secs_f64() * 1e3;
    let build_ms = ms(start);
    let start = Instant::now();
    let plan = Arc::new(Plan::new(&built).map_err(|e| unplanned(&args.scene, &args.set, &spec, &e))?);
    let plan_ms = ms(start);
    tell(&remarks);
    let start = Instant::now();
    plan.warnings().iter().for_each(|warning| note!("warning: {warning}"));
    let warnings_ms = ms(start);
    let input = Input::new((1.0 / spec.fps) as f32).map_err(|e| format!("--fps {}: {e}", spec.fps))?;

    let stats_file = args.stats.as_deref().filter(|path| *path != Path::new("-"));
    apart(
        &sources(&args.scene, &spec),
        &args.out,
        stats_file.into_iter().chain(args.save.as_deref()).chain(args.record.as_deref()),
    )?;
    if args.every > spec.frames {
        let (every, frames) = (args.every, spec.frames);
        return Err(format!("--every {every}: the run has {frames} frames, and none would be written").into());
    }
    let fps = spec.fps / f64::from(args.every);
    let load = args.load.as_ref().filter(|_| resumed.is_none());
    let loaded = load.map(|path| snapshot::load(path, &plan)).transpose()?;
    let mut header = recording::header(&plan, &spec.name, fps);
    let mut picture = recording::picture(&plan, &spec.name, fps);
    if let Some(state) = &loaded {
        // It brings its own; the plan is the same.
        (spec.origin, header.origin, picture.origin) = (state.origin(), state.origin(), state.origin());
    }
    if args.out.iter().any(|path| writers::draws(path) || writers::maps(path)) {
        // Meshes are read again, beside what the run has.
        let left = memory.saturating_sub(built.need().bytes);
        spec.surfaces().try_for_each(|(_, file, _)| {
            room::fits(&scene::beside(&args.scene, file), Purpose::Read, left)
                .map_err(|e| format!("{e}{}", memory::how(&e.to_string())))
        })?;
    }
    if args.out.iter().any(|path| writers::draws(path)) {
        recording::dress(&mut picture, &args.scene, &spec)?;
    }
    for (header, pictures) in [(&mut header, false), (&mut picture, true)] {
        if args.out.iter().any(|path| writers::maps(path) && writers::pictures(path) == pictures) {
            recording::trace(header, &plan, &args.scene, &spec, pictures)?;
        }
    }
    if args.surface && !args.out.iter().any(|path| writers::draws(path)) {
        return Err("--surface: surfaces are written into .glb files, and no --out is one".into());
    }
    if args.surface && plan.fluids().next().is_none() {
        return Err(format!("--surface: scene {} has no fluid", spec.name).into());
    }
    let interpolation = match args.interpolation {
        Between::Linear => Interpolation::Linear,
        Between::Step => Interpolation::Step,
    };
    let mut files: Vec<OutputFile> = Vec::new();
    for path in &args.out {
        let pictures = writers::pictures(path);
        let header = if pictures { &picture } else { &header };
        let writer = writers::open(
            path,
            header,
            &writers::Options::default().interpolation(interpolation).surfaces(args.surface),
        )?;
        // The start, too.
        writer.room(1 + u64::from(spec.frames / args.every))?;
        files.push(OutputFile { path: path.clone(), writer, pictures, plots: writers::plots(path), frames: 0 });
    }
    drop((header, picture));
    let stats_target = stats_file.map(Target::new).transpose()?;
    let save_target = args.save.as_deref().map(Target::new).transpose()?;
    let record_target = args.record.as_deref().map(Target::new).transpose()?;

    ctrlc::set_handler(|| interrupt(BY_CTRL_C))?;
    #[cfg(unix)]
    {
        // Without it, a file that is larger than may be (`ulimit -f`) ends the program; with it, writing is an error.
        signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default())?;
        let mut signals = signal_hook::iterator::Signals::new(ending_signals())?;
        std::thread::spawn(move || signals.forever().for_each(|signal| interrupt(128 + signal as u8)));
    }
    let mut solver = Solver::with(Arc::clone(&plan), Execution::new(args.isa, threads).memory(memory));
    let mut settle_ms = 0.0;
    let resume = args.out.first().map(|path| resume::path(path));
    if let Some(resumed) = resumed {
        files.iter_mut().zip(&resumed.about.written).for_each(|(file, written)| file.frames = *written);
        let resumed_from = resumed.path.clone();
        solver.set_state(resumed.load(&plan, files.iter_mut().map(|file| &mut file.writer))?)?;
        note!("resumed after {first} frames");
        if before.is_none() {
            note!("note: figures are of the frames from here on: those before are not in {}", resumed_from.display());
        }
    } else if let Some(state) = loaded {
        solver.set_state(state)?;
    } else {
        let start = Instant::now();
        settle(&mut solver, &input, spec.settle)?;
        if spec.settle > 0.0 {
            settle_ms = ms(start);
        }
        if INTERRUPTED.load(Ordering::Relaxed) {
            note!("interrupted before the first frame; nothing is written");
            return Ok(ExitCode::from(CODE.load(Ordering::Relaxed)));
        }
    }
    let mut record = before.unwrap_or_default();
    if args.check.contains(&Watched::Intersections) {
        record.and_looking();
    }
    if Events::are_asked(&spec) {
        record.events.get_or_insert_default();
    }
    let of_record = first - record.count();
    let recording = match &args.record {
        Some(path) if first > 0 => record::going_on(path, &plan, first),
        Some(_) => Some(Recording::new(&plan, solver.state())),
        None => None,
    };
    let mut output = Output { files, every: args.every, recording, failures: Failures::default() };
    let record = frames(&mut solver, &input, first..spec.frames, &mut output, &spec.name, record);
    let Output { mut files, recording, mut failures, .. } = output;
    // The plan of the last frame: a tear has changed it.
    let plan = Arc::clone(solver.plan());
    let done = of_record + record.count();
    let is_whole = !failures.is_lost;
    if let (Some(target), Some(recording), true) = (&record_target, &recording, is_whole) {
        failures.keep(record::save(target, &args.scene, &spec, recording));
    }
    if let Some(target) = save_target.as_ref().filter(|_| is_whole) {
        failures.keep(snapshot::save(target, solver.state()));
    }
    let is_cut = done < spec.frames && (INTERRUPTED.load(Ordering::Relaxed) || failures.has_some());
    let figures = if is_cut { serde_json::to_value(&record).ok() } else { None };
    let start = Instant::now();
    let tangled = match is_cut {
        true => Vec::new(),
        false => Tangled::all(&plan, solver.state()).unwrap_or_else(|e| {
            note!("warning: bodies that go through each other at the end are not looked for: {e}");
            Vec::new()
        }),
    };
    let tangled_ms = ms(start);
    let stats = Stats {
        scene: spec.name.clone(),
        threads: solver.scratch().threads(),
        isa: solver.scratch().isa().name().to_owned(),
        build_ms,
        plan_ms,
        settle_ms,
        warnings_ms,
        tangled_ms,
        frame_s: f64::from(input.dt()),
        bodies: remarks.rigid_bodies.unwrap_or(spec.body.len()),
        joints: joints(&spec),
        unknown_keys: remarks.unknown_keys,
        tangled,
        state_hash: format!("{:016x}", solver.state().hash()),
        origin: Some(solver.origin()).filter(|origin| *origin != [0.0; 3]),
        ..record.stats(&plan)
    };
    let json = serde_json::to_string_pretty(&stats)?;
    if is_cut {
        let how = if failures.has_some() { "ended" } else { "interrupted" };
        note!("{how} after {done} of {} frames", spec.frames);
        let mut kept = None;
        if let Some(path) = resume.as_ref().filter(|_| is_whole) {
            let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
            let beside = Path::new(&args.scene).is_file().then(|| absolute(&PathBuf::from(&args.scene)));
            let about = About {
                scene: beside.map_or_else(|| args.scene.clone(), |path| path.to_string_lossy().into_owned()),
                spec: scene::to_toml(&spec)?,
                out: files.iter().map(|file| absolute(&file.path)).collect(),
                every: args.every,
                step: matches!(args.interpolation, Between::Step),
                surface: args.surface,
                stats: args
                    .stats
                    .as_ref()
                    .map(|path| if path == Path::new("-") { path.clone() } else { absolute(path) }),
                save: args.save.as_ref().map(absolute),
                record: args.record.as_ref().map(absolute),
                check: args.check.clone(),
                part: !whole,
                figures,
                frames: done,
                written: files.iter().map(|file| file.frames).collect(),
            };
            // The finished frames are worth more than what could not be kept beside them.
            match resume::save(path, &about, solver.state(), files.iter_mut().map(|file| &mut file.writer)) {
                Ok(()) => kept = Some(path.as_path()),
                Err(e) => note!("warning: the run cannot be gone on with: {e}"),
            }
        }
        if let Some((file, path)) = stats_target.as_ref().zip(stats_file) {
            if failures.keep(file.write(json.as_bytes())) {
                note!("{} is written, of {} frames", path.display(), stats.frames);
            }
        } else if args.stats.is_some() {
            failures.keep(table::print(&(json + "\n")).map_err(|e| format!("--stats -: {e}")));
        }
        for file in files {
            let (path, frames) = (file.path, file.frames);
            if failures.keep(file.writer.finish()) {
                note!("{} is written, with {frames} frames", path.display());
            }
        }
        if let Some(resume) = kept {
            note!("go on with: seidel run --resume {}", resume.display());
        }
        return failures.end(ExitCode::from(CODE.load(Ordering::Relaxed)));
    }
    let mut written = Vec::new();
    for file in files {
        if failures.keep(file.writer.finish()) {
            written.push(file.path);
        }
    }
    if let Some(file) = &stats_target
        && failures.keep(file.write(json.as_bytes()))
    {
        written.extend(stats_file.map(Path::to_owned));
    }
    if let Some(path) = args.resume.as_ref().filter(|_| !failures.has_some()) {
        // The run is whole: there is nothing to go on with.
        let _ = std::fs::remove_file(path);
    }

    let mut text = table::report(&stats);
    for path in &written {
        let several = plan.body_ids().count() > 1;
        text += &format!("{}{}\n", path.display(), hint(path, several, stats.fluid.is_some(), args.surface));
    }
    if args.stats.is_some() && stats_file.is_none() {
        note!(raw "{text}");
        failures.keep(table::print(&(json + "\n")).map_err(|e| format!("--stats -: {e}")));
    } else {
        let printed = table::print(&text);
        if !failures.has_some() {
            printed?;
        }
    }
    if failures.has_some() {
        return failures.end(ExitCode::FAILURE);
    }
    for tangled in &stats.tangled {
        note!("warning: {tangled} and are not parted: see docs/contacts.md, Promises");
    }
    if let Some(note) = events::all_broken(stats.broken_joint_count) {
        note!("note: {note}");
    }
    if let Some(hint) = hints::stretched(&stats, &spec, &plan, &solver, input.dt()) {
        note!("hint: {hint}; see docs/tuning.md");
    }
    // Only once something has touched something.
    if let Some(note) = rebound::note(&spec).filter(|_| stats.all_contacts > 0) {
        note!("note: {note}");
    }
    let of_cloth = spec.cloth.iter().map(|cloth| cloth.cut.len()).sum::<usize>();
    let cuts = of_cloth + spec.soft_body.iter().map(|body| body.cut.len()).sum::<usize>();
    if cuts > 0 && stats.torn + stats.tears_refused == 0 {
        note!(
            "hint: no cut has cut anything: `plane` or `blade` has to go through the body where it is at the cut's `time`"
        );
    }
    if let Some(hint) = hints::crowded_fluid(&stats, &spec) {
        note!("hint: {hint}");
    }
    let grains = [hints::in_rigid(&stats), hints::deep_grains(&stats, solver.plan())];
    for hint in hints::blocked_emitters(&stats).into_iter().chain(grains).flatten() {
        note!("hint: {hint}");
    }
    if let Some(hint) = hints::in_collider(&stats, &spec, solver.plan()) {
        note!("hint: {hint}");
    }
    if let Some(hint) = hints::open_joints(&stats, &spec) {
        note!("hint: {hint}; see docs/tuning.md");
    }
    if let Some(hint) = stats.rigid.as_ref().and_then(|rigid| rigid.motors.advice()) {
        note!("hint: {hint}");
    }
    if let Some(hint) = hints::deep_overlaps(&stats, solver.plan(), solver.state()) {
        note!("hint: {hint}");
    }
    if let Some(hint) = hints::small_bodies(&spec, solver.plan(), input.dt()).filter(|_| stats.rigid_contacts > 0) {
        note!("hint: {hint}");
    }
    if let Some(hint) = hints::refused_splits(&stats, &spec) {
        note!("hint: {hint}");
    }
    if stats.stopped {
        let frame = (of_record + stats.frames).saturating_sub(1);
        note!("error: frame {frame}: `non_finite = \"stop\"` ends the run: a particle or rigid body was lost");
        return Ok(ExitCode::FAILURE);
    }
    if let Some(check) = stats.intersections {
        if !check.is_passed() {
            note!("error: --check intersections: {check}");
            return Ok(ExitCode::FAILURE);
        }
        if stats.lost_frames > 0 {
            let (lost, of) = (stats.lost_frames, stats.frames);
            note!(
                "error: --check intersections: {check}, but something was lost (not finite) in {lost} of {of} frames"
            );
            return Ok(ExitCode::FAILURE);
        }
        if !spec.body.is_empty() {
            note!(
                "note: --check intersections looks at what is deformable; `rigid` in --stats tells how bodies overlap"
            );
        }
    }
    if stats.frames == spec.frames && stats.all_contacts < u64::from(min_contacts) {
        let (got, of) = (stats.all_contacts, stats.frames);
        note!(
            "error: {got} contacts in {of} frames, and the scene must have {min_contacts} or more: what it shows has not \
             happened; `--set min_contacts=0` asks for none"
        );
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

/// Joints of rigid bodies by their kinds, in the order of the first of each.
fn joints(spec: &SceneSpec) -> Vec<(String, usize)> {
    let mut joints: Vec<(String, usize)> = Vec::new();
    let particles = spec.particle_joint.iter().map(|joint| ("particle", joint.vertices.len()));
    for (kind, more) in spec.joint.iter().map(|joint| (joint.kind.name(), 1)).chain(particles) {
        match joints.iter_mut().find(|(of, _)| of == kind) {
            Some((_, count)) => *count += more,
            None => joints.push((kind.to_owned(), more)),
        }
    }
    joints
}

/// Makes the scene; on a terminal, with a bar while a distance field is made.
pub(crate) fn made(scene: &str, changes: &[String], spec: &SceneSpec, memory: u64) -> Result<Scene, Failure> {
    let bar = ProgressBar::with_draw_target(Some(1000), draw_target());
    bar.set_style(ProgressStyle::with_template("{prefix} {wide_bar} {percent} %, {eta} left")?);
    let watch = |what: &str, part: f64| {
        let now = (part * 1000.0) as u64;
        // Many rows of nodes are done a second.
        if now != bar.position() || now == 0 {
            bar.set_prefix(format!("distance field of {what}"));
            bar.set_position(now);
        }
    };
    let scene = scene::build_changed(scene, changes, spec, memory, &watch);
    bar.finish_and_clear();
    scene.map_err(|e| format!("{e}{}", memory::how(&e.to_string())).into())
}

/// Brings the scene to rest before its first frame, and says how far that has come.
fn settle(solver: &mut Solver, input: &Input, seconds: f64) -> Result<(), Failure> {
    if seconds == 0.0 {
        return Ok(());
    }
    let bar = ProgressBar::with_draw_target(Some(1000), draw_target());
    bar.set_style(ProgressStyle::with_template("settling {wide_bar} {percent} %, {eta} left")?);
    let before = places(solver);
    let settled = solver.settle_while(input, seconds, |part| {
        bar.set_position((part * 1000.0) as u64);
        !INTERRUPTED.load(Ordering::Relaxed)
    });
    bar.finish_and_clear();
    if INTERRUPTED.load(Ordering::Relaxed) {
        return Ok(());
    }
    if let Some(report) = &settled.failed {
        let step = settled.steps;
        let why = not_taken(report, solver).unwrap_or_else(|| match &report.lost {
            Some(lost) => format!("vertex {} of `{}` is lost (not finite)", lost.vertex, lost.body),
            None => "the scene has stopped".to_owned(),
        });
        return Err(format!("settle: step {step}: {why}").into());
    }
    let rests = settled.speed < RESTS;
    let said = if rests { "settled" } else { "not at rest yet, let it settle longer: settled" };
    note!("{said} for {seconds} s: the fastest vertex moves at {:.3} mm/s", settled.speed * 1e3);
    for (name, count, fallen) in fallen(solver, &before, settled.speed) {
        note!(
            "hint: nothing holds {count} vertices of body `{name}`: they have fallen by {fallen:.3} m; pin them, or give them a collider to rest on"
        );
    }
    Ok(())
}

/// Where all vertices are, body by body, metres.
fn places(solver: &Solver) -> Vec<Vec<Vec3>> {
    solver.plan().body_ids().map(|body| solver.positions(body).to_vec()).collect()
}

/// Of each body the vertices that have fallen for longer than something can hold them, while what moves is still fast:
/// name, number, and how far the farthest has fallen. A vertex that hangs by another of its body goes no farther than
/// twice across it.
fn fallen(solver: &Solver, before: &[Vec<Vec3>], speed: f64) -> Vec<(String, usize, f32)> {
    let (plan, gravity) = (solver.plan(), solver.plan().settings().gravity);
    let mut all = Vec::new();
    for (body, before) in plan.body_ids().zip(before) {
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        before.iter().for_each(|&x| (low, high) = (low.min(x), high.max(x)));
        let free = 2.0 * (high - low).length();
        let down = |(now, before): (&Vec3, &Vec3)| (*now - *before).dot(gravity) / gravity.length();
        let ways = solver.positions(body).iter().zip(before).map(down).filter(|way| *way > free);
        let (count, most) = ways.fold((0, 0.0f32), |(count, most), way| (count + 1, most.max(way)));
        if count > 0 && speed > FALLING {
            all.push((plan.body_name(body).to_owned(), count, most));
        }
    }
    all
}

/// The files that a scene is read from: its own, and those of its meshes.
fn sources(scene: &str, spec: &SceneSpec) -> Vec<Target> {
    let meshes = spec.files().map(|file| scene::beside(scene, file));
    let files = std::iter::once(PathBuf::from(scene)).chain(meshes).filter(|file| file.is_file());
    files.filter_map(|file| Target::new(&file).ok()).collect()
}

/// Errors since the first frame: they end the run, and finished frames are kept.
#[derive(Default)]
struct Failures {
    /// Why a frame could not be simulated, and whether the state of the frame before is lost, too.
    step: Option<String>,
    is_lost: bool,
    /// Files that could not be written, a sentence each.
    files: Vec<String>,
}

impl Failures {
    fn has_some(&self) -> bool {
        self.step.is_some() || !self.files.is_empty()
    }

    /// Whether something was written; takes down why not.
    fn keep<E: ToString>(&mut self, written: Result<(), E>) -> bool {
        let is_written = written.is_ok();
        self.files.extend(written.err().map(|e| e.to_string()));
        is_written
    }

    /// Tells all of them, if there are any; otherwise the run ends with `code`.
    fn end(self, code: ExitCode) -> Result<ExitCode, Failure> {
        let all: Vec<String> = self.step.into_iter().chain(self.files).collect();
        all.iter().for_each(|failure| note!("error: {failure}"));
        Ok(if all.is_empty() { code } else { ExitCode::FAILURE })
    }
}

/// Refuses two outputs to one place, and one to a file that the scene is read from: the later would replace the
/// earlier.
fn apart<'a>(read: &[Target], out: &'a [PathBuf], others: impl Iterator<Item = &'a Path>) -> Result<(), Failure> {
    let mut before: Vec<Target> = Vec::new();
    for path in out.iter().map(PathBuf::as_path).chain(others) {
        let target = Target::new(path)?;
        if read.iter().any(|read| target.is_same(read)) {
            return Err(
                format!("{}: the scene is read from there; give the output another file", path.display()).into()
            );
        }
        if before.iter().any(|other| target.is_same(other)) {
            return Err(format!("{}: two outputs go there; give each a file of its own", path.display()).into());
        }
        before.push(target);
    }
    Ok(())
}

/// What is wrong with a scene, and what to do about a mesh: its table, its file, and the command that helps.
fn unplanned(scene: &str, changes: &[String], spec: &SceneSpec, error: &seidel::Error) -> String {
    let what = error.to_string();
    let text = format!("{}{}", scene::located_changed(scene, changes, spec, &what), memory::how(&what));
    let (of, closes) = match error {
        seidel::Error::Mesh { body, .. } => (format!("body `{body}`"), false),
        seidel::Error::TetMesh { of, .. } => (of.clone(), false),
        seidel::Error::NotClosed { of, .. } => (of.clone(), true),
        _ => return text,
    };
    let is_it = |name: &String| {
        let rest = of.strip_prefix(&format!("body `{name}`"));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(", "))
    };
    let Some(body) = spec.names().iter().position(is_it) else { return text };
    let Some((what, number)) = spec.table_of(body) else { return text };
    let solid =
        spec.soft_body.get(number).filter(|_| what == key::SOFT_BODY && matches!(error, seidel::Error::TetMesh { .. }));
    let surface = || spec.surfaces().find(|(of, ..)| *of == body).map(|(_, file, _)| file);
    let Some(file) = solid.map_or_else(surface, |solid| solid.mesh.as_deref()) else { return text };
    let of = format!("{text}; [[{what}]] {number} is of {file}");
    let out = if seidel_io::tets::is_tets(Path::new(file)) { "OUT.node" } else { "OUT.obj" };
    match what {
        _ if closes => format!("{of}: close it where it was made; `seidel check {file}` says more"),
        key::CLOTH => format!("{of}: `seidel check {file} --repair {out}` or `repair = true` beside `mesh` may help"),
        _ => format!("{of}: `seidel check {file} --repair {out}` may help, and then {out} in its place"),
    }
}

/// What to do with a file.
fn hint(path: &Path, several: bool, has_fluids: bool, surfaces: bool) -> &'static str {
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    match ending.as_str() {
        "html" => " is written: open it in a browser",
        "pc2" if several => " is written, a file with the name of each body",
        "glb" if surfaces => " is written; fluids are surfaces in it, a mesh for each frame",
        "glb" if has_fluids => " is written; fluids are points in it",
        "npz" if has_fluids => " is written; fluids have arrays of their own in it (fluid_...)",
        "pvd" if has_fluids => " is written; fluids are points, a part of their own",
        _ => " is written",
    }
}

/// Files, and how many frames there are to one that they get.
struct Output {
    files: Vec<OutputFile>,
    every: u32,
    recording: Option<Recording>,
    failures: Failures,
}

/// A file, whether it gets pictures or what is simulated, and whether it plots measurements.
struct OutputFile {
    path: PathBuf,
    writer: Box<dyn FrameWriter>,
    pictures: bool,
    plots: bool,
    /// Frames that it has got.
    frames: u32,
}

impl Output {
    /// Writes the state to all files: pictures to some, what is simulated to the others. The fluids' neighbours and the
    /// largest stretch, of lengths and of elements, are those of the state. A file that cannot take the frame is given
    /// up, with the room that it had on its disk.
    fn write(
        &mut self,
        buffers: &mut [recording::Buffers; 2],
        solver: &Solver,
        when: &str,
        (look, max_stretch): (&FluidLook, f32),
    ) {
        let (plan, state) = (solver.plan(), solver.state());
        let plotted = match self.files.iter().any(|file| file.plots) {
            true => Plotted::new(plan.energies(state), max_stretch),
            false => Plotted::default(),
        };
        let Output { files, failures, .. } = self;
        for (buffers, pictures) in buffers.iter_mut().zip([false, true]) {
            if files.iter().any(|file| file.pictures == pictures) {
                let read = buffers.read_with(plan, state, plotted, look);
                files.retain_mut(|file| {
                    if file.pictures != pictures {
                        return true;
                    }
                    file.frames += 1;
                    failures.keep(file.writer.frame(&read).map_err(|e| format!("{when}: {e}; its frames are lost")))
                });
            }
        }
    }
}

fn frames(
    solver: &mut Solver,
    input: &Input,
    wanted: Range<u32>,
    output: &mut Output,
    name: &str,
    mut record: Record,
) -> Record {
    let bar =
        ProgressBar::with_draw_target(Some(u64::from(wanted.end)), draw_target()).with_position(wanted.start.into());
    if let Ok(style) = ProgressStyle::with_template("{prefix} {wide_bar} {pos}/{len} frames, {eta} left") {
        bar.set_style(style);
    }
    bar.set_prefix(name.to_owned());
    let mut buffers = [recording::Buffers::default(), recording::Buffers::of_picture()];
    if wanted.start == 0 && !output.files.is_empty() {
        let (plan, state) = (solver.plan(), solver.state());
        let stretch = plan.max_stretch(state).max(plan.max_element_stretch(state));
        output.write(&mut buffers, solver, "the start", (record.look(solver.plan(), solver.state()), stretch));
    }
    if wanted.start == 0 {
        record.begins(solver.plan(), solver.state());
    }
    let (mut are_dropped, mut touches) = (false, true);
    let mut news = News::of(wanted.clone());
    for frame in wanted {
        if output.failures.has_some() {
            break;
        }
        // Of a step that finds no memory for what touches.
        let before = touches.then(|| solver.state().clone());
        let start = Instant::now();
        let report = solver.step(input);
        touches = report.pairs.candidates > 0;
        if let Some(why) = not_taken(&report, solver) {
            let is_back = before.is_some_and(|state| solver.set_state(state).is_ok());
            output.failures.step = Some(format!("frame {frame}: {why}"));
            output.failures.is_lost = report.rejected.is_none() && !is_back;
            break;
        }
        record.step(start.elapsed(), &report);
        for line in record.broken_joints.add(frame, &report) {
            bar.suspend(|| note!("{line}"));
        }
        if let Some(events) = &mut record.events {
            events.add(frame, solver.plan(), &report, input.dt());
        }
        if let Some(recording) = &mut output.recording {
            recording.step(input, solver.state());
        }
        warn(&bar, frame, &report, &mut are_dropped);
        let start = Instant::now();
        let due = (frame + 1).is_multiple_of(output.every);
        record.measured(solver.plan(), solver.state());
        let elements = solver.plan().max_element_stretch(solver.state());
        record.elements(elements);
        record.shown(solver.plan().max_shown_penetration(solver.state()));
        record.flowing(solver.plan(), solver.state());
        if let Some(check) = &mut record.intersections {
            let looked = check.look(solver).map_err(|e| format!("--check intersections: frame {frame}: {e}"));
            output.failures.keep(looked);
        }
        record.measuring(start.elapsed());
        if due && !output.files.is_empty() {
            let start = Instant::now();
            let measured = (record.looked(), record.end_stretch.max(elements));
            output.write(&mut buffers, solver, &format!("frame {frame}"), measured);
            record.writing(start.elapsed());
        }
        bar.inc(1);
        if let Some(told) = news.after(frame) {
            bar.suspend(|| note!("{name}: {told}"));
        }
        if report.stopped || INTERRUPTED.load(Ordering::Relaxed) {
            break;
        }
    }
    bar.finish_and_clear();
    record
}

/// Why a step was not taken, or not as it should.
fn not_taken(report: &Report, solver: &Solver) -> Option<String> {
    if let Some(error) = &report.rejected {
        return Some(error.to_string());
    }
    (report.pairs.beyond_memory > 0).then(|| {
        let limit = seidel::memory::shown(solver.scratch().memory());
        format!(
            "lists of contacts do not fit into the {limit} of memory that are allowed: more substeps may keep apart what lies on one \
             heap, a coarser mesh has fewer; --memory SIZE allows more"
        )
    })
}

/// Lines with which a run whose output is no terminal tells how far it is: after ten seconds, and when twice as many
/// have gone by.
struct News {
    begun: Instant,
    frames: Range<u32>,
    /// Seconds; none on a terminal, which has a bar.
    next: Option<f64>,
}

impl News {
    fn of(frames: Range<u32>) -> News {
        News { begun: Instant::now(), frames, next: (!std::io::stderr().is_terminal()).then_some(10.0) }
    }

    /// Once this frame is there.
    fn after(&mut self, frame: u32) -> Option<String> {
        let (gone, next) = (self.begun.elapsed().as_secs_f64(), self.next.as_mut()?);
        if gone < *next {
            return None;
        }
        *next = 2.0 * gone;
        let done = frame + 1 - self.frames.start;
        let left = self.frames.end - (frame + 1);
        (left > 0).then(|| {
            let seconds = gone / f64::from(done) * f64::from(left);
            format!("{} of {} frames after {gone:.0} s, some {seconds:.0} s left", frame + 1, self.frames.end)
        })
    }
}

/// On a terminal, a bar; in a pipe, nothing.
fn draw_target() -> ProgressDrawTarget {
    if std::io::stderr().is_terminal() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() }
}

/// Says what a step could not do; of contacts that are dropped the first time.
fn warn(bar: &ProgressBar, frame: u32, report: &Report, are_dropped: &mut bool) {
    if report.pairs.overflowed > 0 && !std::mem::replace(are_dropped, true) {
        let text = format!(
            "warning: frame {frame}: contacts are missing: more features lie on one heap than are looked at; more substeps may keep them \
             apart"
        );
        bar.suspend(|| note!("{text}"));
    }
    if let Some(lost) = &report.lost {
        let (body, vertex, substep) = (&lost.body, lost.vertex, lost.substep);
        let text =
            format!("warning: frame {frame}, substep {substep}: vertex {vertex} of `{body}` is lost (not finite)");
        bar.suspend(|| note!("{text}"));
    }
    if let Some(body) = &report.lost_rigid {
        let text = format!("warning: frame {frame}: rigid body `{body}` is lost (not finite, or beyond 1e9 m)");
        bar.suspend(|| note!("{text}"));
    }
}
