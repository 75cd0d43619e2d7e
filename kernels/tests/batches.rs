//! Batches: packing proves what solving relies on, and solves row by row what a loop over rows would.

use proptest::prelude::*;
use seidel_kernels::{
    Access, BATCH, Batches, Isa, Kind, Layout, NO_ROW, PackError, Parameter, Particles, Piece, RowArrays, Rows,
    in_sixteens,
};
use seidel_kinds::Distance;

const DISTANCE: Kind = Kind::projecting::<Distance, 2, 1>("distance", &[Parameter::rest("length", "m", 0.0, 1e6)]);

fn pack(at: &[u32], batches: &[&[u32]], blocks: usize) -> Result<Batches, PackError> {
    let rows = at.len() / 2;
    let (rest, soft) = (vec![1.0; rows], vec![0.5; rows]);
    let lane_maps: Vec<_> = batches.iter().flat_map(|rows| in_sixteens(rows)).collect();
    let arrays = RowArrays { slots: 2, params: 1, at, rest: &rest, soft: &soft, shared: &[] };
    Batches::pack(arrays, &lane_maps, &vec![Layout::Rows; blocks], &[])
}

#[test]
fn a_wrong_packing_is_refused() {
    let at = [0, 1, 2, 3, 1, 2];
    assert!(pack(&at, &[&[0, 1], &[2]], 1).is_ok());
    let meets = |row| Err(PackError::NotIndependent { row });
    assert_eq!(pack(&at, &[&[0, 1, 2]], 1).map(|_| ()), meets(2), "a particle twice in a batch");
    assert_eq!(pack(&at, &[&[0, 1]], 1).map(|_| ()), meets(2), "a row is missing");
    assert_eq!(pack(&at, &[&[0, 1], &[2], &[0]], 1).map(|_| ()), meets(0), "a row stands twice");
    assert_eq!(pack(&at, &[&[0, 1], &[2, 3]], 1).map(|_| ()), meets(3), "a row that does not exist");
    assert_eq!(pack(&[1, 1], &[&[0]], 1).map(|_| ()), meets(0), "a row that names a particle twice");
    let outside = PackError::OutOfRange { row: 1, particle: 16 };
    assert_eq!(pack(&[0, 1, 2, 16], &[&[0, 1]], 1).map(|_| ()), Err(outside));
    let arrays = RowArrays { slots: 2, params: 1, at: &at, rest: &[1.0; 2], soft: &[0.0; 3], shared: &[] };
    assert_eq!(Batches::pack(arrays, &[], &[Layout::Rows], &[]).map(|_| ()), Err(PackError::Lengths));
}

#[test]
#[should_panic(expected = "another plan")]
fn too_few_particles_are_refused() {
    let batches = pack(&[0, 7], &[&[0]], 1).unwrap();
    let (x, mut u) = (Rows::zeros(4, 0), Rows::zeros(4, 16));
    DISTANCE.solve_all(Isa::SCALAR, &batches, &x, &mut u, 0.0);
}

#[test]
fn reach_is_found() {
    let (rest, soft) = ([1.0; 12], [0.5; 12]);
    let within = |from: u32, to: u32, layouts: &[Layout], borders: &[u32]| {
        let at: Vec<u32> = (0..12).flat_map(|i| [from + i, to + i]).collect();
        let arrays = RowArrays { slots: 2, params: 1, at: &at, rest: &rest, soft: &soft, shared: &[] };
        let lane_maps = in_sixteens(&(0..12).collect::<Vec<_>>());
        let batches = Batches::pack(arrays, &lane_maps, layouts, borders).unwrap();
        for lane in 0..12 {
            assert_eq!([0, 1].map(|slot| batches.particle(0, slot, lane)), [from + lane as u32, to + lane as u32]);
        }
        batches.reach(0)
    };
    let reach = |from: u32, to: u32, layouts: &[Layout]| within(from, to, layouts, &[]);
    let lanes = [Layout::Lanes; 4];
    assert_eq!(reach(16, 0, &lanes), Access::Contiguous);
    assert_eq!(reach(18, 4, &lanes), Access::Contiguous);
    assert_eq!(reach(0, 52, &lanes), Access::Mixed, "a register would end behind the particles");
    assert_eq!(reach(0, 21, &lanes), Access::Mixed, "two blocks");
    assert_eq!(reach(0, 15, &lanes), Access::Mixed, "two blocks");
    assert_eq!(reach(0, 16, &[Layout::Rows; 2]), Access::Gathered);
    assert_eq!(reach(0, 16, &[Layout::Lanes, Layout::Rows]), Access::Mixed);
    assert_eq!(within(16, 0, &lanes, &[0, 1]), Access::Contiguous, "whole blocks");
    assert_eq!(within(18, 4, &lanes, &[2]), Access::Contiguous, "another block's border");
    assert_eq!(within(18, 0, &lanes, &[0, 1]), Access::Mixed, "a register would end behind the border");
    assert_eq!(within(16, 4, &lanes, &[0, 3]), Access::Mixed, "a register would end behind the border");
}

fn bytes(batches: &Batches) -> Vec<u8> {
    let mut all = Vec::new();
    batches.bytes(|bytes| all.extend_from_slice(bytes));
    all
}

/// Pieces that are joined are what is packed at once, wherever they were; one that does not fit is refused.
#[test]
fn pieces_are_joined() {
    // In each block lengths along it, and two across that fit no register.
    let layouts = [Layout::Lanes, Layout::Rows, Layout::Lanes, Layout::Rows, Layout::Lanes];
    let at_of = |first: u32| -> Vec<u32> {
        let along = (0..10).flat_map(|i| [first + i, first + 32 + i]);
        along.chain([first + 15, first + 16, first + 17, first + 30]).collect()
    };
    let lane_maps_of = |first: u32| -> Vec<[u32; BATCH]> {
        let rows = |rows: std::ops::Range<u32>| in_sixteens(&rows.map(|row| first + row).collect::<Vec<_>>());
        rows(0..10).into_iter().chain(rows(10..11)).chain(rows(11..12)).collect()
    };
    let packed = |at: &[u32], lane_maps: &[[u32; BATCH]], layouts: &[Layout], soft: &[f32]| {
        let rest: Vec<f32> = (0..12).cycle().map(|i| i as f32).take(at.len() / 2).collect();
        Batches::pack(RowArrays { slots: 2, params: 1, at, rest: &rest, soft, shared: &[] }, lane_maps, layouts, &[])
    };
    let layouts = [&layouts[..], &layouts[..], &[Layout::Rows]].concat();
    for second in [0.5, 0.25] {
        let (at, lane_maps) = ([at_of(0), at_of(80)].concat(), [lane_maps_of(0), lane_maps_of(12)].concat());
        let whole = packed(&at, &lane_maps, &layouts, &[[0.5; 12], [second; 12]].concat()).unwrap();
        let one = |soft: f32| packed(&at_of(0), &lane_maps_of(0), &layouts[..5], &[soft; 12]).unwrap();
        let (first, other) = (one(0.5), one(second));
        let piece = |of, blocks| Piece { of, batches: 0..3, rows: 0..12, blocks };
        let join = |pieces: &[Piece<'_>]| Batches::joined([2, 1], pieces, &layouts, &[]);
        let joined = join(&[piece(&first, 0), piece(&other, 5)]).unwrap();
        assert_eq!((joined.rows(), joined.particles()), (whole.rows(), whole.particles()));
        assert_eq!(bytes(&joined), bytes(&whole));
        (0..6).for_each(|batch| assert_eq!(joined.lane_map(batch), whole.lane_map(batch)));
        // Parts of what is joined, in another order.
        let part = |batches, rows, blocks| Piece { of: &joined, batches, rows, blocks };
        let turned = join(&[part(3..6, 12..24, -5), part(0..3, 0..12, 5)]).unwrap();
        let wanted = join(&[piece(&other, 0), piece(&first, 5)]).unwrap();
        assert_eq!(bytes(&turned), bytes(&wanted));
        assert_eq!(turned.lane_map(3), wanted.lane_map(3));
        let refused = |pieces: &[Piece<'_>]| join(pieces).map(|_| ()).unwrap_err();
        assert!(matches!(refused(&[piece(&first, -1)]), PackError::OutOfRange { .. }));
        assert!(matches!(refused(&[piece(&first, 9)]), PackError::OutOfRange { .. }));
        assert!(matches!(refused(&[piece(&first, 1)]), PackError::OutOfRange { .. }), "they lie otherwise there");
        assert_eq!(refused(&[part(0..3, 12..24, 0)]), PackError::NotIndependent { row: 0 });
        assert_eq!(refused(&[part(0..2, 0..12, 0)]), PackError::NotIndependent { row: 0 });
        assert_eq!(Batches::joined([3, 1], &[piece(&first, 0)], &layouts, &[]).map(|_| ()), Err(PackError::Lengths));
        let shifted: Vec<u32> = (0..8).flat_map(|i| [i, 33 + i]).collect();
        let shifted =
            packed(&shifted, &in_sixteens(&[0, 1, 2, 3, 4, 5, 6, 7]), &[Layout::Lanes; 4], &[0.0; 8]).unwrap();
        let within = |borders: &[u32]| {
            let piece = Piece { of: &shifted, batches: 0..1, rows: 0..8, blocks: 3 };
            Batches::joined([2, 1], &[piece], &[Layout::Lanes; 9], borders).map(|_| ())
        };
        assert!(within(&[4]).is_ok() && within(&[5]).is_err(), "a register would end behind the border");
    }
}

/// What may be gathered ahead: a batch that shares nothing with the one before it.
#[test]
fn batches_apart_are_found() {
    let batches = pack(&[0, 1, 2, 3, 4, 5, 6, 5, 1, 8], &[&[0, 1], &[2], &[3], &[4]], 1).unwrap();
    assert_eq!([0, 1, 2, 3].map(|batch| batches.apart(batch)), [false, true, false, true]);

    // Whole registers: what shares a block is not apart, though it shares no particle.
    let of = |first: u32, second: u32, lanes: std::ops::Range<u32>| lanes.flat_map(move |l| [first + l, second + l]);
    let at: Vec<u32> = of(0, 16, 0..8).chain(of(32, 48, 0..8)).chain(of(48, 0, 8..16)).collect();
    let lane_maps: Vec<_> =
        [0, 8, 16].iter().flat_map(|from| in_sixteens(&(*from..from + 8).collect::<Vec<_>>())).collect();
    let mut shifted = lane_maps.clone();
    shifted[2].rotate_right(8);
    let arrays = RowArrays { slots: 2, params: 1, at: &at, rest: &[1.0; 24], soft: &[0.5; 24], shared: &[] };
    let batches = Batches::pack(arrays, &shifted, &[Layout::Lanes; 5], &[]).unwrap();
    assert_eq!(
        [0, 1, 2].map(|batch| (batches.reach(batch), batches.apart(batch))),
        [(Access::Contiguous, false), (Access::Contiguous, true), (Access::Contiguous, false)]
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Every row stands in its place: particles, parameters, order; lanes beyond the last read the first row's
    /// particles.
    #[test]
    fn packing_keeps_every_row(rows in 1usize..70, shift in 0u32..50) {
        let at: Vec<u32> = (0..rows as u32).flat_map(|r| [2 * r, 2 * r + 1]).collect();
        let rest: Vec<f32> = (0..rows).map(|r| r as f32).collect();
        let soft: Vec<f32> = (0..rows).map(|r| 0.25 * r as f32).collect();
        let order: Vec<u32> = (0..rows as u32).map(|r| (r + shift) % rows as u32).collect();
        let arrays = RowArrays { slots: 2, params: 1, at: &at, rest: &rest, soft: &soft, shared: &[] };
        let blocks = (2 * rows).div_ceil(BATCH);
        let batches = Batches::pack(arrays, &in_sixteens(&order), &vec![Layout::Rows; blocks], &[]).unwrap();
        prop_assert_eq!(batches.rows(), rows);
        prop_assert_eq!(batches.len(), rows.div_ceil(BATCH));
        for b in 0..batches.len() {
            for lane in 0..BATCH {
                let live = lane < batches.lanes(b);
                let row = order[b * BATCH + if live { lane } else { 0 }];
                prop_assert_eq!([0, 1].map(|slot| batches.particle(b, slot, lane)), [2 * row, 2 * row + 1]);
                prop_assert_eq!(batches.lane_map(b)[lane], if live { row } else { NO_ROW });
                let (rest, soft) = (batches.rest(b)[0].0[lane], batches.soft(b).0[lane]);
                prop_assert!(!live && rest.is_nan() || rest == row as f32, "{}", rest);
                prop_assert!(!live || soft == 0.25 * row as f32, "{}", soft);
            }
        }
        let x = {
            let mut x = Rows::zeros(blocks * BATCH, 0);
            for r in 0..rows {
                x[2 * r] = [3.0 * r as f32, 0.0, 0.0, 1.0];
            }
            x
        };
        let mut u = Rows::zeros(x.len(), 16);
        let mut values = vec![f32::NAN; rows];
        DISTANCE.measure(&batches, Particles::new(&x, &mut u), &mut values);
        // |3 r| - r, in the order of the rows, not of the batches.
        prop_assert!(values.iter().enumerate().all(|(r, v)| *v == 2.0 * r as f32), "{:?}", values);
    }
}

/// Rows may share a particle that nothing moves: then they stand in one batch, and every lane type gives the same bits.
#[test]
fn rows_share_a_fixed_particle() {
    use seidel_kernels::{Isa, Row};
    let at: Vec<u32> = (1..41).flat_map(|i| [0, i]).collect();
    let (rest, soft) = (vec![0.5; 40], vec![1.0; 40]);
    let pack = |shared: &[u32]| {
        let arrays = RowArrays { slots: 2, params: 1, at: &at, rest: &rest, soft: &soft, shared };
        Batches::pack(arrays, &in_sixteens(&(0..40).collect::<Vec<_>>()), &[Layout::Rows; 3], &[])
    };
    assert_eq!(pack(&[]).map(|_| ()), Err(PackError::NotIndependent { row: 1 }));
    let batches = pack(&[0]).unwrap();
    let x: Vec<Row> = (0..48).map(|i| [i as f32 * 0.1, (i % 7) as f32, 1.0, if i == 0 { 0.0 } else { 1.0 }]).collect();
    let solved = |isa: Isa| {
        let mut u = vec![[0.0; 4]; 48];
        u[0] = [0.01, -0.02, 0.0, 0.0];
        seidel_kinds::DISTANCE.solve_all(isa, &batches, &x, &mut u, 0.0);
        u.into_iter().map(|row| row.map(f32::to_bits)).collect::<Vec<_>>()
    };
    let scalar = solved(Isa::SCALAR);
    assert_eq!(scalar[0], [0.01f32, -0.02, 0.0, 0.0].map(f32::to_bits));
    assert!(scalar[1..41].iter().all(|u| *u != [0; 4]));
    assert!(Isa::available().into_iter().all(|isa| solved(isa) == scalar));
}
