//! What a body is drawn with: its triangles, or its edges if it has none, or its points.

use crate::frames::Header;

/// The cells of one body; vertices from 0 on, in the body's order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cells {
    Triangles(Vec<[u32; 3]>),
    Lines(Vec<[u32; 2]>),
    Points,
}

/// The cells of each body. What reaches from one body to another is none's.
pub(crate) fn cells(header: &Header) -> Vec<Cells> {
    let owner = owners(header);
    let triangles = split(header, &owner, &header.triangles);
    let lines = split(header, &owner, &header.edges);
    let choose = |(triangles, lines): (Vec<[u32; 3]>, Vec<[u32; 2]>)| match (triangles.is_empty(), lines.is_empty()) {
        (false, _) => Cells::Triangles(triangles),
        (true, false) => Cells::Lines(lines),
        (true, true) => Cells::Points,
    };
    triangles.into_iter().zip(lines).map(choose).collect()
}

/// The tetrahedra of each body.
pub(crate) fn tetrahedra(header: &Header) -> Vec<Vec<[u32; 4]>> {
    split(header, &owners(header), &header.tets)
}

/// The body of each vertex.
fn owners(header: &Header) -> Vec<u32> {
    let mut owner = vec![u32::MAX; header.inv_mass.len()];
    for (number, body) in (0..).zip(&header.bodies) {
        owner[body.first as usize..][..body.count as usize].fill(number);
    }
    owner
}

fn split<const N: usize>(header: &Header, owner: &[u32], all: &[[u32; N]]) -> Vec<Vec<[u32; N]>> {
    let mut split = vec![Vec::new(); header.bodies.len()];
    for cell in all {
        let body = owner[cell[0] as usize];
        if body != u32::MAX && cell.iter().all(|&v| owner[v as usize] == body) {
            let first = header.bodies[body as usize].first;
            split[body as usize].push(cell.map(|v| v - first));
        }
    }
    split
}
