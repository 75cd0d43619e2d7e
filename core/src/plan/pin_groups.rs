//! Groups of connected pins.

use crate::describe::body::Body;

/// Groups of connected pins up to which each has attachments of its own. A sheet that hangs by two corners is pulled
/// apart in its middle if each half is held by its own corner alone; with many hooks the nearest is enough, and
/// planning takes a search for each group.
const MOST_GROUPS: usize = 16;

/// Pinned vertices, those together that edges connect; all together if there are many groups.
pub(super) fn groups(body: &Body) -> Vec<Vec<u32>> {
    let pinned: Vec<u32> = (0..body.inv_mass.len() as u32).filter(|&v| body.inv_mass[v as usize] == 0.0).collect();
    let is_pinned = |v: u32| body.inv_mass[v as usize] == 0.0;
    let sides = body.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    let edges = sides.chain(body.edges.iter().copied()).filter(|edge| edge.iter().all(|&v| is_pinned(v)));
    // Each vertex points to a lower one of its group, the lowest to itself.
    let mut lower: Vec<u32> = (0..body.inv_mass.len() as u32).collect();
    fn lowest(lower: &mut [u32], mut v: u32) -> u32 {
        while lower[v as usize] != v {
            lower[v as usize] = lower[lower[v as usize] as usize];
            v = lower[v as usize];
        }
        v
    }
    for [a, b] in edges {
        let [a, b] = [a, b].map(|v| lowest(&mut lower, v));
        lower[a.max(b) as usize] = a.min(b);
    }
    let firsts: Vec<u32> = pinned.iter().copied().filter(|&v| lower[v as usize] == v).collect();
    if firsts.len() > MOST_GROUPS {
        return vec![pinned];
    }
    let mut groups = vec![Vec::new(); firsts.len()];
    for v in pinned {
        let first = lowest(&mut lower, v);
        groups[firsts.partition_point(|f| *f < first)].push(v);
    }
    groups
}
