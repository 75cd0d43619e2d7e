//! Builds and queries ask for no memory once their arrays have grown, alone and in a pool.

use seidel_hash::{Aabb, BoxGrid, Neighbours, Pairs, PointGrid};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The system's allocator, with the number of times that any thread has asked for memory.
struct Counting;

static COUNT: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller promises that the layout and the pointer are as `GlobalAlloc` demands.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller promises that the layout and the pointer are as `GlobalAlloc` demands.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller promises that the layout and the pointer are as `GlobalAlloc` demands.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// One test, so that nothing else runs beside what is counted.
#[test]
fn nothing_is_allocated_once_arrays_have_grown() {
    let lattice = |k: usize| [k % 30, k / 30 % 30, k / 900].map(|c| c as f32);
    let moved = |k: usize, by: f32| lattice(k).map(|c| c * (1.0 - by) + by);
    let frames: Vec<Vec<[f32; 3]>> =
        [0.0, 0.01, 0.02].iter().map(|&by| (0..27_000).map(|k| moved(k, by)).collect()).collect();
    let boxes = |points: &[[f32; 3]]| -> Vec<Aabb> {
        points.iter().map(|&p| Aabb { low: p, high: p.map(|c| c + 1.1) }).collect()
    };
    let boxed: Vec<Vec<Aabb>> = frames.iter().map(|points| boxes(points)).collect();
    let run = || {
        let (mut grid, mut lists) = (PointGrid::default(), Neighbours::new());
        let (mut box_grid, mut pairs) = (BoxGrid::default(), Pairs::new());
        let mut frame = |k: usize| {
            grid.build(&frames[k], 1.5).unwrap();
            lists.find(&grid, 1.5).unwrap();
            box_grid.build(&boxed[k]).unwrap();
            pairs.among(&box_grid).unwrap();
            let mut near = 0;
            grid.for_each_within([3.0; 3], 1.5, |_| near += 1);
            assert!(near > 0 && lists.total() > 400_000 && pairs.len() > 100_000);
        };
        // A pool's queues grow once, too.
        (0..30).for_each(|k| frame(k % 3));
        let before = COUNT.load(Ordering::Relaxed);
        (0..3).for_each(frame);
        COUNT.load(Ordering::Relaxed) - before
    };
    assert_eq!(run(), 0, "alone");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    assert_eq!(pool.install(run), 0, "in a pool");
}
