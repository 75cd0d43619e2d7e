//! Printing: the table at the end of a run.

use std::io::Write;

use comfy_table::{CellAlignment, Table, presets};

use crate::closed;
use crate::inside::{Inside, Solid};
use crate::stats::{CONTACTS, FLUIDS, RigidStats, Spread, Stats};

/// Rad: joints that were bent by more have a line.
const SEEN_BEND: f64 = 0.01;

/// Whoever read standard output has gone, as in `| head`: the program ends without a word.
#[derive(Debug, thiserror::Error)]
#[error("standard output is closed")]
pub(crate) struct Closed;

/// Prints to standard output.
///
/// # Errors
/// [`Closed`], or one line where it cannot be written, as on a full disk, or where it was closed from the start.
pub(crate) fn print(text: &str) -> Result<(), Box<dyn std::error::Error>> {
    closed::is_open()?;
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => Err(Closed.into()),
        Err(e) => Err(format!("standard output: {e}").into()),
        Ok(()) => Ok(()),
    }
}

/// What a run was, how long it took and what came out.
pub(crate) fn report(stats: &Stats) -> String {
    let constraints: Vec<String> = stats.constraints.iter().map(|(kind, n)| format!("{n} {kind}")).collect();
    let colors: Vec<String> = stats.colors.iter().map(|(kind, n)| format!("{n} {kind}")).collect();
    let real_time = if stats.frame_ms.median > 0.0 { stats.frame_s * 1e3 / stats.frame_ms.median } else { 0.0 };
    let relaxed = stats.relaxation.filter(|r| *r != 1.0).map_or(String::new(), |r| format!(", relaxation {r}"));
    let chosen = if stats.auto_substeps { " (auto)" } else { "" };
    let own: Vec<String> = stats.own_substeps.iter().map(u32::to_string).collect();
    let own = if own.is_empty() { String::new() } else { format!(" (of some bodies {})", own.join(", ")) };
    let solver =
        format!("{}{relaxed}, {} substeps{chosen}{own} x {} sweeps", stats.solver, stats.substeps, stats.iterations);
    let stretch = match (stats.max_stretch, stats.end_stretch) {
        (Some(most), Some(last)) => format!("{:.2} % (last frame {:.2} %)", most * 100.0, last * 100.0),
        _ => "- (no row has a length)".to_owned(),
    };
    let elements = stats.max_element_stretch.map(|most| {
        let last = stats.end_element_stretch.unwrap_or(0.0);
        ("  of elements", format!("{:.2} % (last frame {:.2} %)", most * 100.0, last * 100.0))
    });
    let percents = |of: &[f64]| of.iter().copied().fold(0.0, f64::max) * 100.0;
    let fluid = stats.fluid.as_ref().map(|fluid| {
        let (mean, max) = (fluid.density_error_mean * 100.0, fluid.density_error_max * 100.0);
        let most = [&fluid.by_frame.density_error_mean, &fluid.by_frame.density_error_max].map(|all| percents(all));
        let density = format!("mean {:.2} % (last frame {mean:.2} %), max {:.2} % ({max:.2} %)", most[0], most[1]);
        let lost = if fluid.lost > 0 { format!(", {} lost", fluid.lost) } else { String::new() };
        [("fluid particles", format!("{}{lost}", fluid.particles)), ("largest density error", density)]
    });
    let grains = stats.grains.as_ref().map(|grains| {
        let most = grains.by_frame.deepest_overlap.iter().copied().fold(0.0, f64::max);
        let overlap = format!("{most:.2e} m (last frame {:.2e} m)", grains.deepest_overlap);
        [
            ("grains", format!("{}, {} contacts (last frame)", grains.particles, grains.contacts)),
            ("deepest overlap", overlap),
        ]
    });
    let rigid = stats.rigid.as_ref().map(|rigid| {
        let (overlaps, gaps) = (&rigid.by_frame.deepest_overlap, &rigid.by_frame.joint_gap);
        let most = |of: &[f64]| of.iter().copied().fold(0.0, f64::max);
        let millimetres = |of: &[f64], last: f64| format!("{:.3} mm (last frame {:.3} mm)", most(of) * 1e3, last * 1e3);
        let lost = if rigid.lost > 0 { format!(", {} lost", rigid.lost) } else { String::new() };
        let RigidStats { bodies, asleep, contacts, joints, .. } = rigid;
        let all = format!("{bodies}{lost}, {joints} joints, {contacts} contacts, {asleep} asleep (last frame)");
        let gap = (most(gaps) > 0.0).then(|| ("  joints open by", millimetres(gaps, rigid.joint_gap)));
        let bends = &rigid.by_frame.joint_bend;
        let bend = (most(bends) > SEEN_BEND).then(|| {
            let [most, last] = [most(bends), rigid.joint_bend].map(f64::to_degrees);
            ("  joints bent by", format!("{most:.1} degrees (last frame {last:.1})"))
        });
        let overlap = ("  deepest overlap", millimetres(overlaps, rigid.deepest_overlap));
        [Some(("rigid bodies", all)), Some(overlap), gap, bend].into_iter().flatten()
    });
    // Fluids alone have no rows, and rigid bodies no particles.
    let rigid_alone = stats.rigid.is_some() && stats.particles == 0;
    let alone = rigid_alone || stats.fluid.is_some() && stats.constraints.is_empty();
    let of_particles = ["particles", "deepest penetration"];
    let rows = [
        ("scene", format!("{}, {} frames of {:.2} ms", stats.scene, stats.frames, stats.frame_s * 1e3)),
        ("particles", stats.particles.to_string()),
        ("constraints", constraints.join(", ")),
        ("colors, wavefronts", colors.join(", ")),
        ("solver", solver),
        ("lanes, threads", format!("{}, {}", stats.isa, stats.threads)),
        ("scene made, plan", format!("{:.1} ms, {:.1} ms", stats.build_ms, stats.plan_ms)),
        ("settling", format!("{:.1} ms", stats.settle_ms)),
        ("checks: start, end", format!("{:.1} ms, {:.1} ms", stats.warnings_ms, stats.tangled_ms)),
        ("real-time factor", format!("{real_time:.2}")),
        ("largest stretch", stretch),
        ("contacts, all frames", stats.all_contacts.to_string()),
        ("deepest penetration", format!("{:.4} mm", stats.max_penetration * 1e3)),
    ];
    let intersections = stats.intersections.as_ref().map(|check| ("intersections", check.to_string()));
    let shown = stats.shown_penetration.map(|depth| ("  of what is shown", format!("{:.4} mm", depth * 1e3)));
    let in_rigid = stats.max_rigid_penetration.map(|depth| {
        let which = match &stats.in_rigid {
            Some(Inside { body, vertex: Some(vertex), solid: Solid::Rigid(rigid), .. }) => {
                format!(" (vertex {vertex} of `{body}` in `{rigid}`)")
            }
            _ => String::new(),
        };
        ("  in rigid bodies", format!("{:.4} mm{which}", depth * 1e3))
    });
    let torn = (stats.torn + stats.tears_refused > 0).then(|| {
        let refused = match stats.tears_refused {
            0 => String::new(),
            count => format!("; {count} refused, no `copies` left"),
        };
        ("vertices split", format!("{}{refused}", stats.torn))
    });
    let lost =
        (stats.lost_frames > 0).then(|| ("frames that lost something", format!("{} (not finite)", stats.lost_frames)));
    let broken = (stats.broken_rows > 0).then(|| ("rows broken", stats.broken_rows.to_string()));
    let parted = (stats.broken_joint_count > 0).then(|| ("joints broken", stats.broken_joint_count.to_string()));
    let hash = ("state hash", stats.state_hash.clone());
    let mut about = Table::new();
    about.load_preset(presets::NOTHING);
    let of_rows = ["constraints", "colors, wavefronts", "largest stretch"];
    let settles = stats.settle_ms > 0.0;
    let rows = rows.into_iter().filter(|(what, _)| !alone || !of_rows.contains(what));
    let rows = rows.filter(|(what, _)| !rigid_alone || !of_particles.contains(what));
    let rows = rows.filter(|(what, _)| settles || *what != "settling");
    let rows = rows.flat_map(|row| {
        let behind = match row.0 {
            "largest stretch" => [elements.clone(), None],
            "deepest penetration" => [shown.clone(), in_rigid.clone()],
            _ => [None, None],
        };
        std::iter::once(row).chain(behind.into_iter().flatten())
    });
    for (what, value) in rows
        .chain(fluid.into_iter().flatten())
        .chain(grains.into_iter().flatten())
        .chain(rigid.into_iter().flatten())
        .chain(lost)
        .chain(torn)
        .chain(parted)
        .chain(broken)
        .chain(intersections)
        .chain([hash])
    {
        about.add_row([what.to_owned(), value]);
    }
    let mut times = Table::new();
    times.load_preset(presets::NOTHING).set_header(["ms a frame", "min", "median", "p99", "max"]);
    let mut line = |what: &str, s: &Spread| {
        times.add_row([what.to_owned(), ms(s.min), ms(s.median), ms(s.p99), ms(s.max)]);
    };
    line("whole step", &stats.frame_ms);
    for (stage, spread) in &stats.stage_ms {
        line(&format!("  {stage}"), spread);
        let parts: &[(String, Spread)] = match stage.as_str() {
            CONTACTS => &stats.contact_ms,
            FLUIDS => &stats.fluid_ms,
            _ => &[],
        };
        parts.iter().for_each(|(part, spread)| line(&format!("    {}", part.replace('_', " ")), spread));
    }
    line("measuring", &stats.measure_ms);
    if let Some(spread) = &stats.write_ms {
        line("writing", spread);
    }
    for column in times.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    format!("{about}\n\n{times}\n")
}

fn ms(value: f64) -> String {
    format!("{value:.3}")
}
