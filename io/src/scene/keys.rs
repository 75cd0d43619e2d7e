//! Keys and values that have got other names.

use seidel_scenes::SceneSpec;

/// What a key or value is called now, if it has got another name.
pub(super) fn renamed(word: &str) -> Option<&'static str> {
    SceneSpec::RENAMED.iter().find(|(old, _)| *old == word).map(|(_, now)| *now)
}
