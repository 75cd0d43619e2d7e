//! Springs of rigid joints that are stiffer than substeps can be.

use crate::observe::overlaps::three_digits;
use crate::plan::Plan;
use seidel_rigid::joint::{ABOUT, Measure};

impl Plan {
    /// The joint whose spring counts as softer than it is by the largest factor, more than two, because sweeps with so
    /// many substeps can be no stiffer, as a warning.
    pub(super) fn too_stiff_a_spring(&self) -> Option<String> {
        let rigid = self.rigid.as_ref()?;
        let h = (self.settings.dt / f64::from(self.substeps)) as f32;
        let softened = (0..).zip(&rigid.joints).filter(|(_, of)| !of.in_tree).filter_map(|(number, of)| {
            let (axis, most) = of.joint.softened(of.joint.bodies.map(|body| rigid.begins(body)), h)?;
            let stiffness = f64::from(of.joint.axes[axis].spring.stiffness);
            Some((number, of, axis, stiffness, f64::from(most)))
        });
        let all: Vec<_> = softened.collect();
        let by = |&(.., stiffness, most): &(u32, _, _, f64, f64)| stiffness / most;
        let worst = all.iter().reduce(|a, b| if by(b) > by(a) { b } else { a })?;
        let &(number, of, axis, stiffness, most) = worst;
        let unit = match of.joint.kind.measure() {
            Measure::Gimbal | Measure::Swing if axis >= ABOUT => "N m/rad",
            _ => "N/m",
        };
        let more = match all.len() - 1 {
            0 => String::new(),
            1 => ", and another joint's as softer, too".to_owned(),
            count => format!(", and those of {count} more joints as softer, too"),
        };
        let needed = (f64::from(self.substeps) * by(worst).sqrt()).ceil();
        let mut mend = Vec::new();
        if needed <= MOST_SUBSTEPS {
            mend.push(format!("{needed} substeps carry it"));
        }
        if of.joint.locks() && !rigid.forest.loops.contains(&number) {
            mend.push("the direct solver has it as stiff as it is".to_owned());
        }
        let mend = if mend.is_empty() { String::new() } else { format!("; {}", mend.join(", and ")) };
        Some(format!(
            "joint `{}`: the stiffness of its spring, {} {unit}, counts as {} with {} substeps{more}{mend}",
            of.name,
            say(stiffness),
            say(most),
            self.substeps,
        ))
    }
}

/// More are not recommended.
const MOST_SUBSTEPS: f64 = 300.0;

/// In three digits.
fn say(number: f64) -> String {
    let number = three_digits(number);
    if (1e-3..1e6).contains(&number) { number.to_string() } else { format!("{number:e}") }
}
