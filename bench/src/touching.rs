//! What it costs that bodies touch themselves and each other: whole steps with that and without.

use crate::contest::{Bench, Entrant, contest, milliseconds, of_line};
use crate::entry::{Entry, MS};
use crate::{Line, Steps, step};
use seidel::{Collide, Isa};

/// A scene in which much touches, at that moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moment {
    /// A sheet that is wrung, 20 substeps: after two turns of its ends against each other.
    Twist,
    /// Five sheets that fall on each other and a ball, 20 substeps.
    Layers,
}

/// Such a scene with n x n vertices a sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touched {
    moment: Moment,
    side: u32,
}

impl Touched {
    /// Of a name: `twist-100`, `layers-100`.
    #[must_use]
    pub fn parse(name: &str) -> Option<Touched> {
        let (moment, side) = name.rsplit_once('-')?;
        let moment = [Moment::Twist, Moment::Layers].into_iter().find(|of| of.name() == moment)?;
        let side = side.parse().ok().filter(|side| (4..=512).contains(side))?;
        Some(Touched { moment, side })
    }

    /// Its name again.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}-{}", self.moment.name(), self.side)
    }

    /// Its steps from that moment on; without, nothing but colliders is touched, on the way there neither.
    #[must_use]
    pub fn steps(&self, with: bool) -> Steps {
        let mut spec = step::find(&self.name()).expect("a named scene");
        spec.solver.substeps = self.moment.substeps().into();
        // A sheet that touches itself where it is flat would be all contacts.
        for cloth in &mut spec.cloth {
            let shortest = cloth.size[0].min(cloth.size[1]) / (self.side - 1) as f32;
            cloth.thickness = cloth.thickness.map(|thickness| thickness.min(THIN * shortest));
        }
        if !with {
            spec.cloth.iter_mut().for_each(|cloth| cloth.collide = Collide::Nothing);
        }
        let name = format!("touching-{}{}", self.name(), if with { "" } else { WITHOUT });
        Steps::after(&name, &spec, self.moment.frames())
    }
}

impl Moment {
    fn name(self) -> &'static str {
        match self {
            Moment::Twist => "twist",
            Moment::Layers => "layers",
        }
    }

    fn substeps(self) -> u32 {
        match self {
            Moment::Twist => 20,
            Moment::Layers => 20,
        }
    }

    fn frames(self) -> u32 {
        match self {
            Moment::Twist => 120,
            Moment::Layers => 25,
        }
    }
}

/// Part of the shortest edge that sheets are thick, at most.
const THIN: f32 = 0.4;

/// What ends the name of the same step without.
pub const WITHOUT: &str = "-without";

impl Bench {
    /// Both in turns, on one thread and two; and the part of the step that touching takes.
    pub(crate) fn touching(&self, touched: &Touched) -> Vec<Entry> {
        let works = [true, false].map(|with| touched.steps(with));
        let widest = [1, 2].map(|threads| (Isa::detect(), threads));
        let mut entrants = Vec::new();
        for work in &works {
            let lines: Vec<Line> = widest.iter().map(|&(isa, threads)| work.line(isa, threads)).collect();
            Line::print(&lines);
            for line in &lines {
                let mut run = work.run(line.isa, line.threads);
                let contender = Box::new(move || milliseconds(run.timed(1)));
                entrants.push(Entrant { entry: of_line(line, work.name(), MS), contender });
            }
        }
        let mut entries = contest(entrants, self.budget(), |_| None);
        for (isa, threads) in widest {
            let of = |work: &Steps| entries.iter().find(|e| e.work == work.name() && e.threads == threads);
            if let [Some(with), Some(without)] = works.each_ref().map(of) {
                let (name, share) = (format!("{}-share", with.work), 100.0 * (1.0 - without.value / with.value));
                entries.push(Entry::here(&name, isa.name(), threads, share, "%"));
            }
        }
        entries
    }
}
