#![allow(missing_docs)]
use seidel::*;
use std::sync::Arc;
fn main() {
    let name = std::env::args().nth(1).unwrap_or("cloth-sphere".into());
    let frames: u32 = std::env::args().nth(2).map(|s| s.parse().unwrap()).unwrap_or(120);
    let spec = scenes::named(&name).unwrap();
    let scene = spec.build(|_| Err::<Mesh, ()>(())).unwrap_or_else(|_| panic!());
    let t = std::time::Instant::now();
    let plan = Arc::new(Plan::new(&scene).unwrap());
    println!("plan {:?} {:?}", t.elapsed(), plan.families().collect::<Vec<_>>());
    for (isa, threads) in [("avx512", 1), ("avx512", 2), ("avx2", 1), ("portable", 1), ("scalar", 2)] {
        let mut s = Solver::with(plan.clone(), Execution { isa: isa.parse().unwrap(), threads });
        let t = std::time::Instant::now();
        let mut tt = StageTimes::default();
        let mut c = 0;
        let (mut ms, mut mp) = (0f32, 0f32);
        for f in 0..frames {
            let r = s.step(&Input::frame(1.0 / 60.0));
            if let Some(l) = r.lost {
                println!("{f} {l:?}");
                break;
            }
            tt.predict += r.times.predict;
            tt.constraints += r.times.constraints;
            tt.contacts += r.times.contacts;
            tt.velocity += r.times.velocity;
            c += r.contacts;
            if threads == 2 {
                let m = s.measure();
                ms = ms.max(m.max_stretch);
                mp = mp.max(m.max_penetration);
                if f % 30 == 29 {
                    println!("{f} {m:?} {}", r.contacts);
                }
            }
        }
        println!(
            "{isa} {threads}: {:?}/frame {tt:?} hash {:016x} contacts {c} stretch {ms} pen {mp}",
            t.elapsed() / frames,
            s.state().hash()
        );
    }
}
