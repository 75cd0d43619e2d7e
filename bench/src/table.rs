//! Tables of measured figures: the scoreboard's own, and those of docs/benchmarks.md.

use crate::entry::{Entry, MS, NS};
use std::fmt::Write;

/// Figures that were measured elsewhere, of engines that are not built here: bench/record/elsewhere.json.
///
/// # Panics
/// If that file is not a list of entries; a test reads it.
#[must_use]
pub fn elsewhere() -> Vec<Entry> {
    serde_json::from_str(include_str!("../record/elsewhere.json")).expect("the record is a list of entries")
}

/// All figures, each beside the best peer's at the same work: the value's part of that peer's time, on any number of
/// threads up to as many.
#[must_use]
pub fn board(entries: &[Entry]) -> String {
    let elsewhere = elsewhere();
    let mut rows = vec![
        [
            "work",
            "engine",
            "lanes",
            "threads",
            "value",
            "unit",
            "median",
            "best peer here",
            "best elsewhere",
            "% of limit",
            "state hash",
        ]
        .map(str::to_owned),
    ];
    for e in entries {
        let beside = |others: &[Entry]| match best(others, e).filter(|_| e.is_ours()) {
            Some(peer) => format!("{:.1}x {}", peer.value / e.value, name(peer)),
            None => String::new(),
        };
        let [work, engine, lanes, threads, value, unit] = told(e);
        rows.push([
            work,
            engine,
            lanes,
            threads,
            value,
            unit,
            e.median.map_or(String::new(), figure),
            beside(entries),
            beside(&elsewhere),
            e.percent_of_limit.map_or(String::new(), |p| format!("{p:.*}", usize::from(p < 10.0))),
            e.state_hash.clone().unwrap_or_default(),
        ]);
    }
    let mut out = aligned(&rows);
    let works: Vec<&Entry> = elsewhere.iter().filter(|e| entries.iter().any(|own| own.work == e.work)).collect();
    if let Some(first) = works.first() {
        let _ = writeln!(out, "\nRecorded elsewhere, {} ({}):\n", first.date, first.machine);
        let mut rows = vec![["work", "engine", "lanes", "threads", "value", "unit"].map(str::to_owned)];
        rows.extend(works.iter().map(|e| told(e)));
        out += &aligned(&rows);
    }
    out
}

/// Work, engine, lanes, threads, value and unit.
fn told(e: &Entry) -> [String; 6] {
    [e.work.clone(), e.engine.clone(), e.lanes.clone(), e.threads.to_string(), figure(e.value), e.unit.clone()]
}

/// The fastest of the others at the work of `e`.
fn best<'a>(others: &'a [Entry], e: &Entry) -> Option<&'a Entry> {
    let is = |o: &&Entry| {
        o.work == e.work && o.unit == e.unit && o.threads <= e.threads && !o.is_ours() && o.engine != MACHINE
    };
    others.iter().filter(is).min_by(|a, b| a.value.total_cmp(&b.value))
}

fn name(e: &Entry) -> &str {
    e.engine.split(' ').next().unwrap_or_default()
}

/// To three digits or so.
fn figure(value: f64) -> String {
    match value {
        v if v < 0.1 => format!("{v:.3}"),
        v if v < 100.0 => format!("{v:.2}"),
        v => format!("{v:.0}"),
    }
}

/// The tables of docs/benchmarks.md: nanoseconds a constraint, milliseconds a step, and what else there is; the fastest
/// of many rounds.
#[must_use]
pub fn readme(entries: &[Entry]) -> String {
    let elsewhere = elsewhere();
    let ours: Vec<&Entry> = entries.iter().filter(|e| e.is_ours()).collect();
    let mut out = String::new();
    let Some(first) = ours.first() else { return out };
    let _ = writeln!(out, "{} on {}, {}\n", first.engine, first.machine, first.date);

    let is_whole = |e: &Entry| e.work.ends_with(WHOLE);
    let sweeps: Vec<&Entry> = ours.iter().copied().filter(|e| e.unit == NS && !is_whole(e)).collect();
    let wholes: Vec<&Entry> = ours.iter().copied().filter(|e| is_whole(e)).collect();
    let (columns, steps_columns) = (columns(&sweeps), columns(&wholes));
    let mut works: Vec<&str> = sweeps.iter().map(|e| e.work.as_str()).collect();
    works.dedup();
    let mut rows = vec![vec!["ns a constraint".to_owned(), "constraints".to_owned()]];
    rows[0].extend(columns.iter().map(column));
    rows[0].extend(steps_columns.iter().map(|of| format!("whole step, {}", column(of))));
    rows[0].extend(["% of limit", "best peer here", "best elsewhere"].map(str::to_owned));
    for work in works {
        let whole = format!("{work}{WHOLE}");
        let value = |of: &[&Entry], work: &str, (lanes, threads): &(&str, usize)| {
            let is = |e: &&&Entry| e.work == work && e.lanes == *lanes && e.threads == *threads;
            of.iter().find(is).map_or(String::new(), |e| figure(e.value))
        };
        let of: Vec<&&Entry> = sweeps.iter().filter(|e| e.work == work).collect();
        let constraints = of.first().and_then(|e| e.constraints).map_or(String::new(), |c| c.to_string());
        let mut row = vec![work.to_owned(), constraints];
        row.extend(columns.iter().map(|column| value(&sweeps, work, column)));
        row.extend(steps_columns.iter().map(|column| value(&wholes, &whole, column)));
        let widest = of.iter().rfind(|e| e.threads == 1);
        row.push(widest.and_then(|e| e.percent_of_limit).map_or(String::new(), |p| format!("{p:.0}")));
        for others in [entries, &elsewhere] {
            let peer = widest.and_then(|e| best(others, e));
            row.push(peer.map_or(String::new(), |peer| format!("{} {}", figure(peer.value), name(peer))));
        }
        rows.push(row);
    }
    out += &markdown(&rows);

    let steps: Vec<&&Entry> = ours.iter().filter(|e| e.unit == MS).collect();
    let whole: Vec<&&&Entry> = steps
        .iter()
        .filter(|e| steps.iter().any(|p| p.work == format!("{}-p99", e.work) && p.lanes == e.lanes))
        .collect();
    if !whole.is_empty() {
        let head = [
            "ms a step",
            "lanes",
            "threads",
            "step",
            "constraints",
            "contacts",
            "rest",
            "median of a run",
            "p99 of it",
        ];
        let mut rows = vec![head.map(str::to_owned).to_vec()];
        for e in whole {
            let part = |what: &str| {
                let work = format!("{}-{what}", e.work);
                steps.iter().find(|p| p.work == work && p.lanes == e.lanes && p.threads == e.threads)
            };
            let value = |what: &str| part(what).map_or(String::new(), |p| figure(p.value));
            let median = part("p99").and_then(|p| p.median).map_or(String::new(), figure);
            let mut row = vec![e.work.clone(), e.lanes.clone(), e.threads.to_string(), figure(e.value)];
            row.extend(["constraints", "contacts", "rest"].map(value));
            row.extend([median, value("p99")]);
            rows.push(row);
        }
        out.push('\n');
        out += &markdown(&rows);
    }

    let others = ours.iter().copied().filter(|e| {
        e.unit != NS && (e.unit != MS || ["neighbours-", "touching-"].iter().any(|of| e.work.starts_with(of)))
    });
    let others: Vec<&Entry> = others.collect();
    let limits: Vec<&Entry> = entries.iter().filter(|e| e.engine == MACHINE).collect();
    let peers: Vec<&Entry> = entries.iter().filter(|e| !e.is_ours() && e.engine != MACHINE).collect();
    let with_unit = |e: &Entry| format!("{}, {}", e.work, e.unit);
    for table in [
        pivot("what", &others, with_unit),
        pivot("this machine", &limits, with_unit),
        pivot("peers", &peers, |e| format!("{}, {}, {}", e.work, e.engine, e.unit)),
    ] {
        if table.len() > 1 {
            out.push('\n');
            out += &markdown(&table);
        }
    }
    out
}

/// What ends the name of a sweep's whole step.
pub(crate) const WHOLE: &str = "-whole-step";
/// Who the machine's limits are of.
pub(crate) const MACHINE: &str = "machine";

/// Lanes and threads, in the order in which they come first.
fn columns<'a>(entries: &[&'a Entry]) -> Vec<(&'a str, usize)> {
    let mut columns: Vec<(&str, usize)> = Vec::new();
    for e in entries {
        if !columns.contains(&(&e.lanes, e.threads)) {
            columns.push((&e.lanes, e.threads));
        }
    }
    columns
}

fn column((lanes, threads): &(&str, usize)) -> String {
    if *threads == 1 { (*lanes).to_owned() } else { format!("{lanes}, {threads}") }
}

/// A row for each name, a column for each kind of lanes and number of threads.
fn pivot(head: &str, entries: &[&Entry], name: impl Fn(&Entry) -> String) -> Vec<Vec<String>> {
    let columns = columns(entries);
    let mut rows: Vec<Vec<String>> = vec![std::iter::once(head.to_owned()).chain(columns.iter().map(column)).collect()];
    for e in entries {
        let (name, at) = (name(e), columns.iter().position(|c| *c == (&e.lanes, e.threads)).unwrap_or_default());
        let row = rows.iter().skip(1).position(|row| row[0] == name).map_or(rows.len(), |row| row + 1);
        if row == rows.len() {
            rows.push(vec![String::new(); columns.len() + 1]);
            rows[row][0] = name;
        }
        rows[row][at + 1] = figure(e.value);
    }
    rows
}

fn markdown(rows: &[Vec<String>]) -> String {
    let mut out = String::new();
    for (i, row) in rows.iter().enumerate() {
        let _ = writeln!(out, "| {} |", row.join(" | "));
        if i == 0 {
            let _ = writeln!(out, "|:--|{}", "--:|".repeat(row.len() - 1));
        }
    }
    out
}

/// Columns of one width each: numbers to the right.
fn aligned<const N: usize>(rows: &[[String; N]]) -> String {
    let widths: [usize; N] = std::array::from_fn(|c| rows.iter().map(|row| row[c].len()).max().unwrap_or(0));
    let mut out = String::new();
    for row in rows {
        let cells: Vec<String> = row
            .iter()
            .zip(widths)
            .map(|(cell, width)| match cell.parse::<f64>() {
                Ok(_) if cell.len() < 16 => format!("{cell:>width$}"),
                _ => format!("{cell:<width$}"),
            })
            .collect();
        out += cells.join("  ").trim_end();
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries() -> Vec<Entry> {
        let ours = |lanes, threads, value| Entry {
            constraints: Some(39_402),
            ..Entry::here("distance-grid-100", lanes, threads, value, NS).limit(Some(0.25))
        };
        let peer = |threads, value| Entry { engine: "other 1.0".to_owned(), ..ours("simd8", threads, value) };
        let step = |work, threads, value| Entry::here(work, "avx2", threads, value, MS);
        vec![
            ours("avx2", 1, 1.0),
            ours("avx2", 2, 0.5),
            Entry::here("distance-grid-100-whole-step", "avx2", 1, 1.3, NS),
            peer(1, 8.0),
            peer(2, 4.5),
            step("step-x", 1, 5.0),
            step("step-x-p99", 1, 7.0).median(5.5),
        ]
    }

    #[test]
    fn what_was_recorded_elsewhere_is_whole() {
        let elsewhere = elsewhere();
        assert!(
            elsewhere.iter().any(|e| e.engine.starts_with("NvCloth"))
                && elsewhere.iter().any(|e| e.engine.starts_with("Jolt"))
        );
        for e in elsewhere {
            assert!(e.value > 0.0 && !e.is_ours() && !e.machine.is_empty() && e.date.len() == 10, "{e:?}");
            assert!(crate::work::Work::parse(&e.work).is_ok() || e.work.starts_with("isometric"), "{e:?}");
        }
    }

    #[test]
    fn a_figure_stands_beside_the_best_peer_with_no_more_threads() {
        let board = board(&entries());
        let lines: Vec<&str> = board.lines().collect();
        assert!(lines[1].contains("8.0x other") && lines[1].contains("1.7x NvCloth"), "{board}");
        assert!(lines[2].contains("9.0x other"), "{board}");
        assert!(!lines[4].contains("x other"), "a peer stands beside no peer: {board}");
    }

    #[test]
    fn the_readme_has_a_row_a_work() {
        let readme = readme(&entries());
        assert!(
            readme.contains("| distance-grid-100 | 39402 | 1.00 | 0.50 | 1.30 | 25 | 8.00 other | 1.72 NvCloth |"),
            "{readme}"
        );
        assert!(readme.contains("| step-x | avx2 | 1 | 5.00 |  |  |  | 5.50 | 7.00 |"), "{readme}");
        assert!(readme.contains("| peers | simd8 | simd8, 2 |"), "{readme}");
        assert!(readme.contains("| distance-grid-100, other 1.0, ns | 8.00 | 4.50 |"), "{readme}");
    }
}
