//! Scenes whose outcome mechanics tells, run as a user runs them: at the engine's interface, with its defaults where
//! nothing else is said.

pub mod grains;
pub mod rigid;

/// An oracle, its bar, and the value that the engine reaches.
#[derive(Clone, Debug)]
pub struct Row {
    /// The scene.
    pub oracle: &'static str,
    /// The bar, with its unit.
    pub bar: &'static str,
    /// The value that was reached.
    pub reached: String,
    /// Whether this is within the bar.
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
