//! The page as one file: style, scripts, the engine and the scene. It loads nothing.

use crate::reference;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use seidel_io::html::{SCRIPTS, STYLE, write_block};
use seidel_scenes::{NAMES, named};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};

const TEMPLATE: &str = include_str!("../page/live.html");
const LIVE_STYLE: &str = include_str!("../page/live.css");
/// Parts of one module after those of [`SCRIPTS`], each using those before it.
const LIVE_SCRIPTS: [&str; 17] = [
    include_str!("../page/ui.js"),
    include_str!("../page/presets.js"),
    include_str!("../page/engine.js"),
    include_str!("../page/recording.js"),
    include_str!("../page/pane.js"),
    include_str!("../page/controls.js"),
    include_str!("../page/editor.js"),
    include_str!("../page/hands.js"),
    include_str!("../page/address.js"),
    include_str!("../page/running.js"),
    include_str!("../page/app.js"),
    include_str!("../page/pointer.js"),
    include_str!("../page/picture.js"),
    include_str!("../page/keeping.js"),
    include_str!("../page/listen.js"),
    include_str!("../page/served.js"),
    include_str!("../page/main.js"),
];
const WORKER: &str = include_str!("../page/worker.js");

/// A picture of each named scene, in their order.
macro_rules! pictures {
    ($($name:literal)*) => {
        [$(($name, include_bytes!(concat!("../page/scenes/", $name, ".webp")).as_slice()),)*]
    };
}
const PICTURES: [(&str, &[u8]); NAMES.len()] = pictures!(
    "cloth-sphere"
    "flag"
    "curtain"
    "chain"
    "shapes"
    "folds"
    "twist"
    "layers"
    "funnel"
    "knot"
    "drape-bunny"
    "bullet"
    "tangled"
    "sleeve"
    "balloons"
    "soft-heap"
    "bar-bend"
    "jelly-drop"
    "dents"
    "tear"
    "fracture"
    "rod-twist"
    "flag-materials"
    "orthotropic"
    "rope-bridge"
    "curtain-hooks"
    "stack"
    "pyramid"
    "dominoes"
    "cradle"
    "top"
    "hammock"
    "cards"
    "washer"
    "chain-1000"
    "ragdolls"
    "car"
    "crane"
    "wrecking-ball"
    "marbles"
    "dam-break"
    "fountain"
    "two-phase"
    "buoyant-balls"
    "stirrer"
    "cloth-bag"
    "sand-pile"
    "hourglass"
    "sand-on-cloth"
    "mudslide"
);

/// Bytes that a scene may need in a page: half of what a browser's memory can address.
pub const MEMORY: u64 = 2 << 30;

/// What a page has inside.
#[derive(Clone, Debug, Default)]
pub struct Page<'a> {
    /// The engine as WebAssembly (the crate `seidel-web`).
    pub engine: Option<&'a [u8]>,
    /// The named scene that opens first.
    pub scene: Option<&'a str>,
    /// Or the name and the text of a scene file.
    pub text: Option<(&'a str, &'a str)>,
    /// Names, as the scene has them, and bytes of its meshes.
    pub files: &'a [(String, Vec<u8>)],
    /// The number of a page that a program serves, which is its engine then.
    pub served: Option<u64>,
    /// How often the scene's file has been saved, if the page is served.
    pub saved: u64,
}

/// The JSON element that the page's script reads first.
#[derive(Serialize)]
struct Meta<'a> {
    version: &'static str,
    served: Option<u64>,
    scene: Option<&'a str>,
    name: Option<&'a str>,
    text: Option<&'a str>,
    files: Vec<&'a str>,
    saved: u64,
    scenes: Vec<About>,
    keys: BTreeMap<&'static str, Vec<reference::Key>>,
    first: &'static [(&'static str, &'static [&'static str])],
    starts: &'static [&'static str],
}

/// A scene in the list.
#[derive(Serialize)]
struct About {
    name: &'static str,
    about: String,
    /// The address of its picture.
    picture: String,
}

impl Page<'_> {
    /// Writes the page.
    ///
    /// # Errors
    /// When `out` cannot be written.
    ///
    /// # Example
    /// ```
    /// let mut page = Vec::new();
    /// seidel_live::page::Page { scene: Some("flag"), ..Default::default() }.write(&mut page)?;
    /// assert!(page.starts_with(b"<!doctype html>"));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        // Text and names in turn: the template has a name between two `@@`.
        for (i, piece) in TEMPLATE.split("@@").enumerate() {
            match piece {
                "style" if i % 2 == 1 => {
                    [STYLE, LIVE_STYLE].iter().try_for_each(|style| out.write_all(style.as_bytes()))?
                }
                "connect" if i % 2 == 1 => out.write_all(if self.served.is_none() { b"'none'" } else { b"'self'" })?,
                // `<` would end the script element early; JSON has another spelling for it.
                "page" if i % 2 == 1 => out.write_all(self.meta()?.replace('<', "\\u003c").as_bytes())?,
                "data" if i % 2 == 1 => {
                    if let Some(engine) = self.engine {
                        write_block(out, "engine", engine)?;
                    }
                    for (number, (_, bytes)) in self.files.iter().enumerate() {
                        write_block(out, &format!("file-{number}"), bytes)?;
                    }
                }
                "worker" if i % 2 == 1 => out.write_all(WORKER.as_bytes())?,
                "script" if i % 2 == 1 => {
                    let scripts = SCRIPTS.iter().chain(&LIVE_SCRIPTS);
                    scripts.copied().try_for_each(|script| out.write_all(script.as_bytes()))?;
                }
                text => out.write_all(text.as_bytes())?,
            }
        }
        Ok(())
    }

    fn meta(&self) -> io::Result<String> {
        let meta = Meta {
            version: env!("CARGO_PKG_VERSION"),
            served: self.served,
            scene: self.scene,
            name: self.text.map(|(name, _)| name),
            text: self.text.map(|(_, text)| text),
            files: self.files.iter().map(|(name, _)| name.as_str()).collect(),
            saved: self.saved,
            scenes: PICTURES.iter().filter_map(|(name, picture)| about(name, picture)).collect(),
            keys: reference::keys(),
            first: reference::FIRST,
            starts: reference::STARTS,
        };
        Ok(serde_json::to_string(&meta)?)
    }
}

fn about(name: &'static str, picture: &[u8]) -> Option<About> {
    let picture = format!("data:image/webp;base64,{}", STANDARD.encode(picture));
    named(name).map(|spec| About { name, about: spec.about, picture })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scene_has_a_picture() {
        assert!(PICTURES.iter().map(|(name, _)| name).eq(NAMES));
    }
}
