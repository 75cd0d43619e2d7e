//! Every block runs once, whoever comes, and a panic comes out.

use super::*;

#[test]
fn every_block_runs_once_and_stages_follow_one_another() {
    for threads in [1, 2, 5, 16] {
        let mut workers = Workers::new(threads);
        for _ in 0..50 {
            let counts: Vec<AtomicU32> = (0..100).map(|_| AtomicU32::new(0)).collect();
            workers.run(&|crew| {
                for stage in 0..20 {
                    let done = || assert!(counts.iter().all(|c| c.load(Ordering::Relaxed) == stage + 1));
                    crew.each(
                        counts.len(),
                        |block| {
                            assert_eq!(counts[block].fetch_add(1, Ordering::Relaxed), stage);
                        },
                        done,
                    );
                    crew.each(0, |_| unreachable!(), || unreachable!());
                    crew.each(1, |_| assert!(counts.iter().all(|c| c.load(Ordering::Relaxed) == stage + 1)), || ());
                }
            });
            assert!(counts.iter().all(|c| c.load(Ordering::Relaxed) == 20));
        }
    }
}

fn pool(threads: usize) -> Pool {
    Pool::Of(Arc::new(rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads")))
}

/// Two blocks that wait for each other: one is a pool's.
#[test]
fn a_pool_takes_part() {
    let mut workers = Workers::in_pool(2, pool(1));
    for _ in 0..20 {
        let both = std::sync::Barrier::new(2);
        workers.run(&|crew| {
            crew.each(
                2,
                |_| {
                    both.wait();
                },
                || (),
            );
        });
    }
}

/// However many jobs there are, a busy pool is asked for each worker once.
#[test]
fn tasks_do_not_heap_up() {
    let Pool::Of(pool) = pool(1) else { unreachable!() };
    let mut workers = Workers::in_pool(3, Pool::Of(Arc::clone(&pool)));
    pool.install(|| {
        for _ in 0..100 {
            workers.run(&|crew| crew.each(10, |_| (), || ()));
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

fn a_panic_comes_out_of(mut workers: Workers) {
    for _ in 0..20 {
        let panicking = catch_unwind(AssertUnwindSafe(|| {
            workers.run(&|crew| {
                crew.each(10, |block| assert!(block != 7, "seven"), || ());
                crew.each(10, |_| (), || ());
            });
        }));
        assert!(panicking.is_err());
        let ran = AtomicU32::new(0);
        workers.run(&|crew| {
            crew.each(
                10,
                |_| {
                    ran.fetch_add(1, Ordering::Relaxed);
                },
                || assert_eq!(ran.load(Ordering::Relaxed), 10),
            );
        });
        assert_eq!(ran.load(Ordering::Relaxed), 10);
    }
}
