//! Every block runs once, whoever comes, and a panic comes out.

use super::*;

#[test]
fn every_block_runs_once_and_stages_follow_one_another() {
    for threads in [1, 2, 5, 16] {
        let mut workers = Workers::new(threads);
        for _ in 0..50 {
            let counts: Vec<AtomicU32> = (0..100).map(|_| AtomicU32::new(0)).collect();
            workers.run(|crew| {
                for stage in 0..20 {
                    crew.each(counts.len(), |block| {
                        assert_eq!(counts[block].fetch_add(1, Ordering::Relaxed), stage);
                    });
                    assert!(counts.iter().all(|c| c.load(Ordering::Relaxed) == stage + 1));
                    crew.each(0, |_| unreachable!());
                    crew.each(1, |_| assert!(counts.iter().all(|c| c.load(Ordering::Relaxed) == stage + 1)));
                }
            });
            assert!(counts.iter().all(|c| c.load(Ordering::Relaxed) == 20));
        }
    }
}

#[test]
fn stages_in_turn_follow_one_another() {
    let sizes = [100, 0, 1, 7, 1, 0, 300, 2];
    for threads in [1, 2, 5] {
        let mut workers = Workers::new(threads);
        for _ in 0..200 {
            let done: Vec<AtomicU32> = sizes.iter().map(|_| AtomicU32::new(0)).collect();
            workers.run(|crew| {
                for _ in 0..2 {
                    let at = |stage: usize| done[stage].load(Ordering::Relaxed) as usize;
                    let before: Vec<usize> = (0..sizes.len()).map(at).collect();
                    crew.in_turn(
                        sizes.len(),
                        |stage| sizes[stage],
                        |stage, _| {
                            assert!((0..stage).all(|earlier| at(earlier) == before[earlier] + sizes[earlier]));
                            assert!((stage + 1..sizes.len()).all(|later| at(later) == before[later]));
                            done[stage].fetch_add(1, Ordering::Relaxed);
                        },
                    );
                }
            });
            assert!(sizes.iter().zip(&done).all(|(size, done)| 2 * size == done.load(Ordering::Relaxed) as usize));
        }
    }
}

#[test]
fn a_worker_runs_one_block_at_a_time() {
    let threads = 4;
    let mut workers = Workers::new(threads);
    for _ in 0..50 {
        let busy: Vec<AtomicBool> = (0..threads).map(|_| AtomicBool::new(false)).collect();
        workers.run(|crew| {
            crew.each_by(200, |me, _| {
                assert!(!busy[me].swap(true, Ordering::Relaxed));
                std::hint::spin_loop();
                assert!(busy[me].swap(false, Ordering::Relaxed));
            });
        });
    }
}

fn pool(threads: usize) -> Pool {
    Pool::Of(std::sync::Arc::new(rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads")))
}

/// Two blocks that wait for each other: one is a helper's.
#[test]
fn a_pool_takes_part() {
    for mut workers in [Workers::in_pool(2, pool(1)), Workers::new(2)] {
        for _ in 0..20 {
            let both = std::sync::Barrier::new(2);
            workers.run(|crew| {
                for _ in 0..3 {
                    crew.each(2, |_| {
                        both.wait();
                    });
                }
            });
        }
    }
}

/// However many regions there are, a busy pool is asked for each worker once.
#[test]
fn tasks_do_not_heap_up() {
    let Pool::Of(pool) = pool(1) else { unreachable!() };
    let mut workers = Workers::in_pool(3, Pool::Of(std::sync::Arc::clone(&pool)));
    pool.install(|| {
        for _ in 0..100 {
            workers.run(|crew| crew.each(10, |_| ()));
        }
        assert_eq!(Arc::strong_count(&workers.shared), 3);
    });
}

#[test]
fn a_panic_comes_out_and_the_workers_live_on() {
    for workers in [Workers::new(3), Workers::in_pool(3, pool(2))] {
        a_panic_comes_out_of(workers);
    }
}

/// In the middle of a sequence, in a stage of one block, in the count of blocks, between stages, and many at a time.
#[test]
fn panics_anywhere_end_a_region() {
    let panics = |workers: &mut Workers, job: &dyn Fn(&mut Crew<'_>)| {
        assert!(catch_unwind(AssertUnwindSafe(|| workers.run(|crew| job(crew)))).is_err());
        let ran = AtomicU32::new(0);
        workers.run(|crew| {
            crew.in_turn(
                3,
                |_| 40,
                |_, _| {
                    ran.fetch_add(1, Ordering::Relaxed);
                },
            );
        });
        assert_eq!(ran.load(Ordering::Relaxed), 120);
    };
    for mut workers in [Workers::new(1), Workers::new(3), Workers::in_pool(3, pool(2))] {
        for _ in 0..20 {
            let after = |stage: usize| assert!(stage < 2, "a stage after a panic");
            panics(&mut workers, &|crew| {
                crew.in_turn(
                    4,
                    |_| 30,
                    |stage, block| {
                        after(stage);
                        assert!((stage, block) != (1, 13), "in the middle");
                    },
                );
            });
            panics(&mut workers, &|crew| crew.in_turn(3, |s| [20, 1, 20][s], |stage, _| assert!(stage != 1, "alone")));
            panics(&mut workers, &|crew| crew.in_turn(3, |s| [20, 20][s], |_, _| ()));
            panics(&mut workers, &|crew| {
                crew.each(10, |_| ());
                panic!("between");
            });
            panics(&mut workers, &|crew| crew.each(50, |block| panic!("block {block}")));
        }
    }
}

fn a_panic_comes_out_of(mut workers: Workers) {
    for _ in 0..20 {
        let ran = AtomicU32::new(0);
        let panicking = catch_unwind(AssertUnwindSafe(|| {
            workers.run(|crew| {
                crew.each(10, |block| {
                    ran.fetch_add(1, Ordering::Relaxed);
                    assert!(block != 7, "seven");
                });
                crew.each(10, |_| unreachable!("a stage after a panic"));
            });
        }));
        let panic = panicking.expect_err("a block panicked");
        assert_eq!(panic.downcast_ref::<&str>(), Some(&"seven"));
        assert_eq!(ran.load(Ordering::Relaxed), 10, "what works on borrowed memory has ended");
        let ran = AtomicU32::new(0);
        workers.run(|crew| {
            crew.each(10, |_| {
                ran.fetch_add(1, Ordering::Relaxed);
            });
            assert_eq!(ran.load(Ordering::Relaxed), 10);
        });
    }
}

#[test]
fn fewer_blocks_than_workers_are_all_run() {
    for threads in [3, 8, 16] {
        let mut workers = Workers::new(threads);
        for _ in 0..500 {
            let done: Vec<AtomicU32> = (0..7).map(|_| AtomicU32::new(0)).collect();
            let blocks = |stage: usize| 1 + stage % 4;
            workers.run(|crew| {
                crew.in_turn(6, blocks, |stage, _| {
                    let before =
                        done[..stage].iter().enumerate().all(|(s, n)| n.load(Ordering::Relaxed) as usize == blocks(s));
                    assert!(before, "stage {stage} has begun too early");
                    done[stage].fetch_add(1, Ordering::Relaxed);
                });
                crew.each(2, |_| {
                    done[6].fetch_add(1, Ordering::Relaxed);
                });
            });
            let done: Vec<u32> = done.iter().map(|n| n.load(Ordering::Relaxed)).collect();
            assert_eq!(done, [1, 2, 3, 4, 1, 2, 2]);
        }
    }
}
