//! Coloring: which rows may be solved side by side. Greedy first fit in the rows' own order: the same on every machine.

/// Sorts rows into colors; inside a color no particle stands twice. `at` holds `slots` particles a row, all below
/// `particles`; a row of no slots gets the first color.
///
/// Linear in the rows for meshes. A hub with n neighbours needs n colors: they are found 64 at a time.
pub(crate) fn greedy(slots: usize, at: &[u32], particles: usize) -> Vec<Vec<u32>> {
    let rows = at.len().checked_div(slots).unwrap_or(0);
    let mut colors: Vec<Vec<u32>> = Vec::new();
    let mut left: Vec<u32> = (0..rows as u32).collect();
    let mut used = vec![0u64; particles];
    let mut base = 0;
    while !left.is_empty() {
        let mut rest = Vec::new();
        for row in left {
            let of = &at[row as usize * slots..(row as usize + 1) * slots];
            let taken = of.iter().fold(0, |mask, &p| mask | used[p as usize]);
            if taken == u64::MAX {
                rest.push(row);
                continue;
            }
            let color = taken.trailing_ones() as usize;
            for &p in of {
                used[p as usize] |= 1 << color;
            }
            if colors.len() <= base + color {
                colors.resize(base + color + 1, Vec::new());
            }
            colors[base + color].push(row);
        }
        if !rest.is_empty() {
            used.fill(0);
        }
        left = rest;
        base += 64;
    }
    colors
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
