//! The scoreboard's works: their names.

use crate::fields::Balls;
use crate::neighbours::Cloud;
use crate::swept::Swept;
use crate::touching::Touched;
use crate::{step, sweep};

/// What every run measures.
const MAIN: [&str; 18] = [
    "distance-grid-32",
    "distance-grid-100",
    "distance-grid-512",
    "distance-grid-1000",
    "distance-irregular-250k",
    "dihedral-grid-100",
    "dihedral-irregular-250k",
    "isometric-grid-100",
    "step-cloth-sphere-100",
    "many-1000x32",
    "plan-grid-1000",
    "overhead",
    "neighbours-random-100k",
    "neighbours-random-1m",
    "neighbours-block-986k",
    "balloon-5",
    "shape-5",
    "shape-clusters-5",
];
/// Some moments of these take half a minute to come to.
const TOUCHING: [&str; 2] = ["touching-twist-100", "touching-layers-100"];

/// One line of the scoreboard.
#[derive(Clone, Debug)]
pub enum Work {
    /// ns a constraint and sweep.
    Sweep(Swept),
    /// The same for as many cloths of n x n vertices in one scene, beside one cloth of as many constraints.
    Many(usize, u32),
    /// ms a step of a scene, from a moment when much is going on.
    Step(String),
    /// us a constraint to plan a cloth of n x n vertices: lengths, diagonals and angles.
    Plan(u32),
    /// us of a step beside its work.
    Overhead,
    /// ms to sort a cloud of points and find all neighbours.
    Neighbours(Cloud),
    /// ms a step of what touches itself, with and without that.
    Touching(Touched),
    /// ns a triangle or particle of a ball that holds its volume or keeps its shape.
    Balls(Balls),
}

impl Work {
    /// The work of a name: a sweep (`distance-grid-100`), `step-SCENE`, `step-SCENE-SIDE`, `many-COUNTxSIDE`,
    /// `plan-grid-SIDE`, `overhead`, `neighbours-CLOUD`, `touching-SCENE-SIDE`, `balloon-DETAIL`, `shape-DETAIL`,
    /// `shape-clusters-DETAIL`.
    ///
    /// # Errors
    /// What is wrong with it, in one line.
    pub fn parse(name: &str) -> Result<Work, String> {
        let number = |text: &str| text.parse().ok().filter(|n| (4..=4096).contains(n));
        if let Some(scene) = name.strip_prefix("step-") {
            let found = step::find(scene).map(|_| Work::Step(scene.to_owned()));
            return found.ok_or_else(|| format!("`{name}`: there is no scene `{scene}`"));
        }
        if let Some(many) = name.strip_prefix("many-") {
            let parsed = many.split_once('x').and_then(|(count, n)| {
                let count = count.parse().ok().filter(|count| (1..=100_000).contains(count))?;
                Some(Work::Many(count, number(n)?))
            });
            return parsed.ok_or_else(|| {
                format!("`{name}` is not many-COUNTxSIDE, COUNT from 1 to 100000 and SIDE from 4 to 4096")
            });
        }
        if let Some(plan) = name.strip_prefix("plan-") {
            let side = plan.strip_prefix("grid-").and_then(number);
            return side.map(Work::Plan).ok_or_else(|| format!("`{name}` is not plan-grid-SIDE, SIDE from 4 to 4096"));
        }
        if let Some(cloud) = name.strip_prefix("neighbours-") {
            let cloud = Cloud::parse(cloud).map(Work::Neighbours);
            let said = "is not neighbours-random-Nk or neighbours-block-Nk, N from 1 to 16000";
            return cloud.ok_or_else(|| format!("`{name}` {said}"));
        }
        if let Some(touched) = name.strip_prefix("touching-") {
            let said = "is not touching-twist-SIDE or touching-layers-SIDE, SIDE from 4 to 512";
            return Touched::parse(touched).map(Work::Touching).ok_or_else(|| format!("`{name}` {said}"));
        }
        if name.starts_with("balloon-") || name.starts_with("shape-") {
            let said = "is not balloon-DETAIL, shape-DETAIL or shape-clusters-DETAIL, DETAIL from 1 to 7";
            return Balls::parse(name).map(Work::Balls).ok_or_else(|| format!("`{name}` {said}"));
        }
        if name == "overhead" {
            return Ok(Work::Overhead);
        }
        Swept::parse(name).map(Work::Sweep)
    }

    /// What every run measures, as far as the table of kinds has it; and if `all`, every other kind and mesh too, and
    /// what touches itself.
    #[must_use]
    pub fn listed(all: bool) -> Vec<Work> {
        let others = sweep::names().into_iter().filter(|name| all && !MAIN.contains(&name.as_str()));
        let main = MAIN.into_iter().map(str::to_owned);
        let touching = TOUCHING.into_iter().filter(|_| all).map(str::to_owned);
        main.chain(others).chain(touching).filter_map(|name| Work::parse(&name).ok()).collect()
    }

    /// Its name again.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Work::Sweep(swept) => swept.name(),
            Work::Many(count, n) => format!("many-{count}x{n}"),
            Work::Step(scene) => format!("step-{scene}"),
            Work::Plan(n) => format!("plan-grid-{n}"),
            Work::Overhead => "overhead".to_owned(),
            Work::Neighbours(cloud) => format!("neighbours-{}", cloud.name()),
            Work::Touching(touched) => format!("touching-{}", touched.name()),
            Work::Balls(balls) => balls.name(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::swept::is_solid;
    use crate::{Line, Sweep};
    use seidel::kinds;

    #[test]
    fn names_come_back_and_wrong_ones_are_refused_in_a_line() {
        for name in MAIN.into_iter().chain(TOUCHING) {
            match Work::parse(name) {
                Ok(work) => assert_eq!(work.name(), name),
                // Its kind comes to the table later.
                Err(e) => assert!(name.starts_with("isometric") && e.contains("no kind"), "{e}"),
            }
        }
        for name in [
            "step-nothing",
            "many-1000",
            "many-0x32",
            "many-3x2",
            "plan-grid-",
            "plan-irregular-3k",
            "x-y-z",
            "",
            "touching-twist",
            "balloon-9",
            "shape-round",
            "touching-flag-100",
        ] {
            let error = Work::parse(name).unwrap_err();
            assert!(error.contains(&format!("`{name}`")) && !error.contains('\n'), "{error}");
        }
    }

    #[test]
    fn every_kind_in_the_table_is_on_the_board() {
        let all: Vec<String> = Work::listed(true).iter().map(Work::name).collect();
        for kind in kinds::KINDS {
            let mesh = match (is_solid(*kind), kind.has_frames()) {
                (true, _) => "solid-24",
                (_, true) => "rod-10000",
                _ => "grid-100",
            };
            assert!(all.contains(&format!("{}-{mesh}", kind.name())), "{all:?}");
        }
        assert!(Work::listed(false).len() < all.len());
    }

    #[test]
    fn many_small_cloths_are_as_many_constraints() {
        let many = Sweep::many(3, 8);
        assert_eq!(
            (many.name(), many.constraints(), many.constraints()),
            ("many-3x8", 3 * 210, 3 * crate::rows::springs(&crate::meshes::grid(8), Some(8)).len() / 2)
        );
        Line::print(&many.lines());
    }
}
