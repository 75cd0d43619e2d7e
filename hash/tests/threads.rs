//! Lists and pairs do not depend on threads or lanes, down to their order.

use rayon::ThreadPoolBuilder;
use seidel_hash::{Aabb, BoxGrid, CurrentPool, Isa, Lists, Neighbours, POINTS_A_BLOCK, Pairs, PointGrid};

/// SplitMix64 (Steele, Lea, Flood 2014): numbers in [-1, 1).
fn random(seed: u64) -> impl FnMut() -> f32 {
    let mut state = seed;
    move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    }
}

/// In a cube; in two clusters so far apart that cells are hashed; in one cell.
fn sets() -> Vec<(Vec<[f32; 3]>, f32)> {
    let mut x = random(1);
    let cube: Vec<_> = (0..30_000).map(|_| [x(), x(), x()]).collect();
    let clusters = cube.iter().enumerate().map(|(i, &p)| if i % 2 == 0 { p } else { p.map(|x| x + 1e5) }).collect();
    let crowd = cube[..1500].to_vec();
    vec![(cube, 0.08), (clusters, 0.08), (crowd, 3.0)]
}

#[test]
fn lists_are_the_same_on_all_threads_and_lanes() {
    for (points, radius) in sets() {
        let found = |isa: Isa, threads: usize| {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let (mut grid, mut lists) = (PointGrid::default().on(isa), Neighbours::new());
                grid.build(&points, radius).unwrap();
                lists.find(&grid, radius).unwrap();
                let all: Vec<Vec<u32>> = (0..points.len()).map(|i| lists.of(i).to_vec()).collect();
                // Read at once, block by block, with a block's memory for each thread.
                let mut read = vec![(0, 0); points.len().div_ceil(POINTS_A_BLOCK)];
                let mut passing = Neighbours::new();
                let look = |block: usize, of: &mut (usize, u64), lists: Lists<'_>| {
                    let all = (0..lists.len()).step_by(16).flat_map(|first| {
                        let (numbers, spans) = lists.sixteen(first);
                        spans.map(|[start, end]| numbers[start as usize..end as usize].to_vec())
                    });
                    let sum = all.flatten().fold(0u64, |sum, n| sum.wrapping_mul(31).wrapping_add(u64::from(n)));
                    *of = (block, sum);
                };
                passing.visit_with(&mut CurrentPool, (&grid, radius), &mut read, look).unwrap();
                (grid.order().to_vec(), all, read)
            })
        };
        let mut lists = Neighbours::new();
        let grid = PointGrid::new(&points, radius).unwrap();
        lists.find(&grid, radius).unwrap();
        assert!(lists.total() > points.len());
        let slots = |block: usize| block * POINTS_A_BLOCK..points.len().min((block + 1) * POINTS_A_BLOCK);
        let sum = |block: usize| {
            let all = slots(block).flat_map(|slot| lists.in_slot(slot));
            all.fold(0u64, |sum, &n| sum.wrapping_mul(31).wrapping_add(u64::from(n)))
        };
        let read = (0..points.len().div_ceil(POINTS_A_BLOCK)).map(|block| (block, sum(block))).collect();
        let reference = (grid.order().to_vec(), (0..points.len()).map(|i| lists.of(i).to_vec()).collect(), read);
        for isa in Isa::available() {
            assert_eq!(found(isa, 1), reference, "{isa}");
        }
        for threads in [2, 3, 8, 16] {
            for _ in 0..3 {
                assert_eq!(found(Isa::detect(), threads), reference, "{threads} threads");
            }
        }
    }
}

#[test]
fn pairs_are_the_same_on_all_threads_and_lanes() {
    for (points, size) in sets() {
        let mut x = random(2);
        let sized = |scale: f32, x: &mut dyn FnMut() -> f32| {
            let of = |p: &[f32; 3]| Aabb { low: *p, high: p.map(|c| c + scale * (x() + 1.1)) };
            points.iter().map(of).collect::<Vec<_>>()
        };
        // Most of one size, some ten times as large: several levels.
        let mut first = sized(size / 4.0, &mut x);
        let second = sized(size, &mut x);
        first.iter_mut().step_by(97).for_each(|b| b.high = b.low.map(|c| c + 4.0 * size));
        let found = |isa: Isa, threads: usize| {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let (mut a, mut b, mut pairs) = (BoxGrid::default().on(isa), BoxGrid::default().on(isa), Pairs::new());
                a.build(&first).unwrap();
                b.build(&second).unwrap();
                pairs.among(&a).unwrap();
                let among: Vec<_> = pairs.iter().collect();
                pairs.between(&a, &b).unwrap();
                (among, pairs.iter().collect::<Vec<_>>())
            })
        };
        let reference = found(Isa::SCALAR, 1);
        assert!(reference.0.len() > points.len() / 4 && reference.1.len() > points.len());
        assert!(reference.0.is_sorted() && reference.1.is_sorted());
        for isa in Isa::available() {
            assert_eq!(found(isa, 1), reference, "{isa}");
        }
        for threads in [2, 3, 8] {
            assert_eq!(found(Isa::detect(), threads), reference, "{threads} threads");
        }
    }
}

/// A reader that waits for the pool that it runs in may be given another block before its own is read.
#[test]
fn readers_may_wait_for_their_pool() {
    let (points, radius) = sets().swap_remove(0);
    let pool = ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let read = pool.install(|| {
        let grid = PointGrid::new(&points, radius).unwrap();
        let mut read = vec![0; points.len().div_ceil(POINTS_A_BLOCK)];
        let look = |_: usize, of: &mut usize, lists: Lists<'_>| {
            let (a, b) = rayon::join(|| lists.len(), || std::hint::black_box(lists.len()));
            *of = (a + b) / 2;
        };
        Neighbours::new().visit_with(&mut CurrentPool, (&grid, radius), &mut read, look).unwrap();
        read
    });
    assert_eq!(read.iter().sum::<usize>(), points.len());
}

#[test]
#[should_panic(expected = "an item for each block")]
fn as_many_items_as_blocks_are_asked_for() {
    let grid = PointGrid::new(&[[0.0; 3]], 1.0).unwrap();
    let none: &mut [()] = &mut [];
    let _ = Neighbours::new().visit_with(&mut CurrentPool, (&grid, 1.0), none, |_, _, _| {});
}
