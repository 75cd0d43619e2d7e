//! Scenes whose outcome mechanics tells, run as a user runs them: at the engine's interface, with its defaults where
//! nothing else is said.

pub mod rigid;

/// What was asked, and what came.
#[derive(Clone, Debug)]
pub struct Row {
    /// The scene.
    pub oracle: &'static str,
    /// What is allowed.
    pub bar: &'static str,
    /// What was reached.
    pub reached: String,
    /// Whether that is allowed.
    pub good: bool,
}

/// A table in Markdown.
#[must_use]
pub fn table(rows: &[Row]) -> String {
    let mut text = String::from("| oracle | bar | reached | |\n|:--|:--|:--|:--|\n");
    for Row { oracle, bar, reached, good } in rows {
        let missed = if *good { "" } else { "missed" };
        text += &format!("| {oracle} | {bar} | {reached} | {missed} |\n");
    }
    text
}
