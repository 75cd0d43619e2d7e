//! Colors as a plan makes them: greedy in the rows' order, rows of a color in order of their lowest particle.

/// Sorts rows of `slots` particles into colors; fewer than 64 are enough for the meshes here.
pub(crate) fn greedy(slots: usize, at: &[u32], particles: usize) -> Vec<Vec<u32>> {
    let mut used = vec![0u64; particles];
    let mut colors: Vec<Vec<u32>> = Vec::new();
    for (row, of) in at.chunks_exact(slots).enumerate() {
        let color = of.iter().fold(0, |mask, &p| mask | used[p as usize]).trailing_ones() as usize;
        of.iter().for_each(|&p| used[p as usize] |= 1 << color);
        if colors.len() <= color {
            colors.resize(color + 1, Vec::new());
        }
        colors[color].push(row as u32);
    }
    for rows in &mut colors {
        rows.sort_by_key(|&row| (at[row as usize * slots..][..slots].iter().copied().min(), row));
    }
    colors
}
