//! Which rigid bodies sleep, and how long the others have been at rest.

use crate::describe::snapshot::SnapshotError;
use crate::plan::rigid::Rigid;
use crate::run::bytes::{Reader, set_words, write_doubles, write_words};

/// The island of a body that is awake.
pub(crate) const AWAKE: u32 = u32::MAX;

/// Sleep of rigid bodies. Empty where the settings let none sleep.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Sleep {
    /// Seconds for which each body has been at rest, and the pose that it had when this began: position, rotation.
    pub(crate) calm: Vec<f32>,
    pub(crate) marks: Vec<[f64; 7]>,
    /// The lowest body of the island in which each body sleeps, or [`AWAKE`].
    pub(crate) islands: Vec<u32>,
    /// Gravity of the last step, m/s^2: where it changes, all wake.
    pub(crate) gravity: [f32; 3],
}

impl Sleep {
    /// All are awake.
    pub(super) fn new(plan: &Rigid) -> Sleep {
        let bodies = if plan.sleeps { plan.bodies.len() } else { 0 };
        Sleep {
            calm: vec![0.0; bodies],
            marks: vec![[0.0; 7]; bodies],
            islands: vec![AWAKE; bodies],
            gravity: [0.0; 3],
        }
    }

    /// Whether a body sleeps.
    pub(crate) fn is_asleep(&self, body: usize) -> bool {
        self.islands.get(body).is_some_and(|island| *island != AWAKE)
    }

    /// How many sleep.
    pub(crate) fn count(&self) -> u32 {
        self.islands.iter().filter(|island| **island != AWAKE).count() as u32
    }

    /// Wakes a body, and all that sleep with it.
    pub(crate) fn wake(&mut self, body: usize) {
        let Some(&island) = self.islands.get(body) else { return };
        self.calm[body] = 0.0;
        if island != AWAKE {
            for (body, of) in self.islands.iter_mut().enumerate().filter(|(_, of)| **of == island) {
                (*of, self.calm[body]) = (AWAKE, 0.0);
            }
        }
    }

    /// Wakes all.
    pub(crate) fn wake_all(&mut self) {
        self.islands.fill(AWAKE);
        self.calm.fill(0.0);
    }

    /// Everything, as bytes for a hash (little endian).
    pub(super) fn hash(&self, mut add: impl FnMut(&[u8])) {
        let Sleep { calm, marks, islands, gravity } = self;
        if islands.is_empty() {
            return;
        }
        calm.iter().chain(gravity).for_each(|number| add(&number.to_le_bytes()));
        marks.as_flattened().iter().for_each(|number| add(&number.to_le_bytes()));
        islands.iter().for_each(|island| add(&island.to_le_bytes()));
    }

    /// Everything, as bytes of a snapshot.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        let Sleep { calm, marks, islands, gravity } = self;
        out.push(u8::from(!islands.is_empty()));
        if !islands.is_empty() {
            write_words(out, calm);
            write_doubles(out, marks.as_flattened());
            write_words(out, islands);
            write_words(out, gravity);
        }
    }

    /// What `write` has written. Where the settings are others, and let bodies sleep or none, all are awake.
    pub(super) fn read(plan: &Rigid, from: &mut Reader<'_>) -> Result<Sleep, SnapshotError> {
        let mut sleep = Sleep::new(plan);
        let bodies = plan.bodies.len();
        match from.array()? {
            [0] => return Ok(sleep),
            [1] => {}
            _ => return Err(SnapshotError::Value { what: "rigid bodies neither sleep nor not" }),
        }
        let mut read = Sleep {
            calm: vec![0.0; bodies],
            marks: vec![[0.0; 7]; bodies],
            islands: vec![AWAKE; bodies],
            gravity: [0.0; 3],
        };
        set_words(&mut read.calm, from.take(4 * bodies)?);
        for mark in &mut read.marks {
            *mark = from.doubles()?;
        }
        set_words(&mut read.islands, from.take(4 * bodies)?);
        set_words(&mut read.gravity, from.take(12)?);
        if !read.islands.iter().all(|&island| island == AWAKE || (island as usize) < bodies) {
            return Err(SnapshotError::Value { what: "a rigid body sleeps with one that does not exist" });
        }
        if plan.sleeps {
            sleep = read;
        }
        Ok(sleep)
    }
}
