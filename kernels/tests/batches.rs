//! Batches: packing proves what solving relies on, and solves row by row what a loop over rows would.

use proptest::prelude::*;
use seidel_kernels::{BATCH, Batches, Distance, Isa, Kind, PackError, Parameter, Particles, RowArrays, Rows};

const DISTANCE: Kind = Kind::projecting::<Distance, 2, 1>("distance", &[Parameter::rest("length", "m", 0.0, 1e6)]);

fn pack(at: &[u32], colors: &[Vec<u32>], particles: usize) -> Result<Batches, PackError> {
    let rows = at.len() / 2;
    let (rest, soft) = (vec![1.0; rows], vec![0.5; rows]);
    Batches::pack(RowArrays { slots: 2, params: 1, at, rest: &rest, soft: &soft }, colors, particles)
}

#[test]
fn a_wrong_packing_is_refused() {
    let at = [0, 1, 2, 3, 1, 2];
    assert!(pack(&at, &[vec![0, 1], vec![2]], 4).is_ok());
    let meets = |row| Err(PackError::NotIndependent { row });
    assert_eq!(pack(&at, &[vec![0, 1, 2]], 4).map(|_| ()), meets(2), "a particle twice in a color");
    assert_eq!(pack(&at, &[vec![0, 1]], 4).map(|_| ()), meets(2), "a row is missing");
    assert_eq!(pack(&at, &[vec![0, 1], vec![2], vec![0]], 4).map(|_| ()), meets(0), "a row stands twice");
    assert_eq!(pack(&at, &[vec![0, 1], vec![2, 3]], 4).map(|_| ()), meets(3), "a row that does not exist");
    assert_eq!(pack(&[1, 1], &[vec![0]], 4).map(|_| ()), meets(0), "a row that names a particle twice");
    let outside = PackError::OutOfRange { row: 1, particle: 3 };
    assert_eq!(pack(&at, &[vec![0, 1], vec![2]], 3).map(|_| ()), Err(outside));
    let arrays = RowArrays { slots: 2, params: 1, at: &at, rest: &[1.0; 2], soft: &[0.0; 3] };
    assert_eq!(Batches::pack(arrays, &[vec![0, 1], vec![2]], 4).map(|_| ()), Err(PackError::Lengths));
}

#[test]
#[should_panic(expected = "another plan")]
fn too_few_particles_are_refused() {
    let batches = pack(&[0, 7], &[vec![0]], 8).unwrap();
    let (x, mut u) = (Rows::zeros(4, 0), Rows::zeros(4, 16));
    DISTANCE.solve_all(Isa::SCALAR, &batches, &x, &mut u, 0.0);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Every row stands in its place: particles, parameters, order; lanes beyond the last repeat the first row.
    #[test]
    fn packing_keeps_every_row(rows in 1usize..70, shift in 0u32..50) {
        let at: Vec<u32> = (0..rows as u32).flat_map(|r| [2 * r, 2 * r + 1]).collect();
        let rest: Vec<f32> = (0..rows).map(|r| r as f32).collect();
        let soft: Vec<f32> = (0..rows).map(|r| 0.25 * r as f32).collect();
        let order: Vec<u32> = (0..rows as u32).map(|r| (r + shift) % rows as u32).collect();
        let arrays = RowArrays { slots: 2, params: 1, at: &at, rest: &rest, soft: &soft };
        let batches = Batches::pack(arrays, std::slice::from_ref(&order), 2 * rows).unwrap();
        prop_assert_eq!(batches.order(), &order[..]);
        prop_assert_eq!(batches.rows(), rows);
        prop_assert_eq!(batches.len(), rows.div_ceil(BATCH));
        for b in 0..batches.len() {
            for lane in 0..BATCH {
                let live = lane < batches.lanes(b);
                let row = order[b * BATCH + if live { lane } else { 0 }];
                prop_assert_eq!([batches.at(b)[0].0[lane], batches.at(b)[1].0[lane]], [2 * row, 2 * row + 1]);
                prop_assert_eq!((batches.rest(b)[0].0[lane], batches.soft(b).0[lane]), (row as f32, 0.25 * row as f32));
            }
        }
        let x = {
            let mut x = Rows::zeros((2 * rows).next_multiple_of(4), 0);
            for r in 0..rows {
                x[2 * r] = [3.0 * r as f32, 0.0, 0.0, 1.0];
            }
            x
        };
        let mut u = Rows::zeros(x.len(), 16);
        for isa in Isa::available() {
            let mut values = vec![f32::NAN; rows];
            DISTANCE.measure(isa, &batches, Particles::new(&x, &mut u), &mut values);
            // |3 r| - r, in the order of the rows, not of the batches.
            prop_assert!(values.iter().enumerate().all(|(r, v)| *v == 2.0 * r as f32), "{}: {:?}", isa, values);
        }
    }
}
