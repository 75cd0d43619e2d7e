//! Coloring: which rows may be solved side by side. Greedy first fit in the rows' own order: the same on every machine.

/// Sorts rows into colors; inside a color no particle stands twice. `at` holds `slots` particles a row, all below
/// `particles`; a row of no slots gets the first color.
///
/// The first 64 colors by first fit. A hub with n neighbours needs n: its other rows come after all that their particles
/// are in, so that time stays linear.
pub(crate) fn greedy(slots: usize, at: &[u32], particles: usize) -> Vec<Vec<u32>> {
    let rows = at.len().checked_div(slots).unwrap_or(0);
    let mut colors: Vec<Vec<u32>> = Vec::new();
    let mut used = vec![0u64; particles];
    let mut late = Vec::new();
    for row in 0..rows {
        let of = &at[row * slots..(row + 1) * slots];
        let taken = of.iter().fold(0, |mask, &p| mask | used[p as usize]);
        if taken == u64::MAX {
            late.push(row);
            continue;
        }
        let color = taken.trailing_ones() as usize;
        for &p in of {
            used[p as usize] |= 1 << color;
        }
        put(&mut colors, color, row);
    }
    let mut next = if late.is_empty() { Vec::new() } else { vec![64usize; particles] };
    for row in late {
        let of = &at[row * slots..(row + 1) * slots];
        let color = of.iter().map(|&p| next[p as usize]).max().unwrap_or(64);
        for &p in of {
            next[p as usize] = color + 1;
        }
        put(&mut colors, color, row);
    }
    colors
}

fn put(colors: &mut Vec<Vec<u32>>, color: usize, row: usize) {
    if colors.len() <= color {
        colors.resize(color + 1, Vec::new());
    }
    colors[color].push(row as u32);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fan_needs_a_color_a_row() {
        let at: Vec<u32> = (1..=200).flat_map(|i| [0, i]).collect();
        let colors = greedy(2, &at, 201);
        assert_eq!(colors.len(), 200);
        assert!(colors.iter().all(|rows| rows.len() == 1));
    }

    #[test]
    fn a_chain_needs_two() {
        let at: Vec<u32> = (0..100).flat_map(|i| [i, i + 1]).collect();
        let colors = greedy(2, &at, 101);
        assert_eq!(colors.iter().map(Vec::len).collect::<Vec<_>>(), [50, 50]);
    }
}
