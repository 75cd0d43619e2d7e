//! A recording of what was done to a state, and its replay.
//!
//! ```text
//!   0   8  "seidelrc"
//!   8   4  format: 2 where the scene was edited, otherwise 1
//!  12   4  0
//!  16   8  the plan (`Plan::id`)
//!  24   8  steps
//!  32   8  bytes of all, the checksum's included
//!  40      the state at the start: its length, u64, and its bytes. Then in turn
//!          0, and the hash after a step of the input before        1, an input (length, bytes), and the hash after its step
//!          2, a state that was put in place of the last (length, bytes)
//!          3, the scene was edited: length of what follows, the plan (`Plan::id`), and the state in it
//!  -8   8  XXH3-64 of all bytes before
//! ```

use crate::describe::error::Error;
use crate::describe::snapshot::{InputError, SnapshotError};
use crate::plan::Plan;
use crate::run::bytes::Reader;
use crate::run::input::Input;
use crate::run::scratch::{Execution, Scratch};
use crate::run::state::State;
use crate::run::step::step;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

const MAGIC: [u8; 8] = *b"seidelrc";
/// The newest form. The first has no edits, and is written where there are none; both are read.
const FORMAT: u32 = 2;
const AGAIN: u8 = 0;
const INPUT: u8 = 1;
const PLACED: u8 = 2;
const EDITED: u8 = 3;

/// A recording of a state: its inputs, states written and edits made in between, and the hash after every step. A step
/// of an input like the last takes nine bytes.
///
/// # Example
/// ```
/// use seidel::{Cloth, Execution, Input, Recording, Scene, Solver};
/// let mut scene = Scene::new();
/// let flag = scene.add(Cloth::grid([8, 8], [1.0, 1.0]).pin(&[0, 7]));
/// let mut solver = Solver::new(&scene)?;
/// let mut recording = Recording::new(solver.plan(), solver.state());
/// for frame in 0..20 {
///     if frame == 10 {
///         solver.unpin(flag, 7)?;
///         recording.placed(solver.state());
///     }
///     let input = Input::frame(1.0 / 60.0).wind([frame as f32, 0.0, 0.0]);
///     solver.step(&input);
///     recording.step(&input, solver.state());
/// }
/// let bytes = recording.to_bytes();
/// let again = Recording::from_bytes(&bytes)?.replay(solver.plan(), Execution::default(), |_, _| ())?;
/// assert_eq!(again.hash(), solver.state().hash());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    plan: u64,
    steps: u64,
    start: Vec<u8>,
    entries: Vec<u8>,
    last: Vec<u8>,
    edited: bool,
}

impl Recording {
    /// Begins with a state of a plan.
    #[must_use]
    pub fn new(plan: &Plan, state: &State) -> Recording {
        let (entries, last) = (Vec::new(), Vec::new());
        Recording { plan: plan.id(), steps: 0, start: state.to_bytes(), entries, last, edited: false }
    }

    /// Notes a step that was taken, and the state after it.
    pub fn step(&mut self, input: &Input, after: &State) {
        let bytes = input.to_bytes();
        if bytes == self.last {
            self.entries.push(AGAIN);
        } else {
            self.note(INPUT, &bytes);
            self.last = bytes;
        }
        self.entries.extend_from_slice(&after.hash().to_le_bytes());
        self.steps += 1;
    }

    /// Notes that a state was written between two steps: all of it is kept.
    pub fn placed(&mut self, state: &State) {
        self.note(PLACED, &state.to_bytes());
    }

    /// Notes that the scene was edited between two steps ([`crate::Solver::edit`]): the plan that goes on, and all of
    /// the state in it. The edit itself is yours to keep: [`Recording::replay_edited`] asks for its plan.
    pub fn edited(&mut self, plan: &Plan, state: &State) {
        let mut bytes = plan.id().to_le_bytes().to_vec();
        bytes.extend_from_slice(&state.to_bytes());
        self.note(EDITED, &bytes);
        // An input is read for its plan.
        self.last.clear();
        self.edited = true;
    }

    fn note(&mut self, what: u8, bytes: &[u8]) {
        self.entries.push(what);
        self.entries.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        self.entries.extend_from_slice(bytes);
    }

    /// How many steps it has.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The plan that it is of ([`Plan::id`]).
    #[must_use]
    pub fn plan(&self) -> u64 {
        self.plan
    }

    /// All of it as bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let Recording { plan, steps, start, entries, last: _, edited } = self;
        let length = 48 + start.len() + entries.len() + 8;
        let mut out = Vec::with_capacity(length);
        out.extend_from_slice(&MAGIC);
        [if *edited { FORMAT } else { 1 }, 0].iter().for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
        let longs = [*plan, *steps, length as u64, start.len() as u64];
        longs.iter().for_each(|long| out.extend_from_slice(&long.to_le_bytes()));
        out.extend_from_slice(start);
        out.extend_from_slice(entries);
        let sum = xxh3_64(&out);
        out.extend_from_slice(&sum.to_le_bytes());
        out
    }

    /// The recording that [`Recording::to_bytes`] wrote; it may go on.
    ///
    /// # Errors
    /// If the bytes are no recording, are not whole or were changed.
    pub fn from_bytes(bytes: &[u8]) -> Result<Recording, ReplayError> {
        let mut from = Reader::new(bytes);
        if from.array().ok() != Some(MAGIC) {
            return Err(ReplayError::Foreign);
        }
        let damaged = |_| ReplayError::Damaged;
        let (format, _) = (from.word().map_err(damaged)?, from.word().map_err(damaged)?);
        if !(1..=FORMAT).contains(&format) {
            return Err(ReplayError::Format { got: format, want: FORMAT });
        }
        let Some((before, sum)) = bytes.split_last_chunk::<8>() else { return Err(ReplayError::Damaged) };
        if xxh3_64(before) != u64::from_le_bytes(*sum) {
            return Err(ReplayError::Damaged);
        }
        let mut from = from.without_last(8);
        let plan = from.long().map_err(damaged)?;
        let (steps, _, start) =
            (from.long().map_err(damaged)?, from.long().map_err(damaged)?, from.long().map_err(damaged)?);
        let start = from.many(start, 1).map_err(damaged)?.to_vec();
        let (mut counted, mut last, mut edited) = (0, Vec::new(), false);
        let entries = from.rest().to_vec();
        for entry in Entries(Reader::new(&entries)) {
            match entry? {
                Entry::Step(input, _) => {
                    counted += 1;
                    if let Some(input) = input {
                        last = input.to_vec();
                    }
                }
                Entry::Placed(_) => {}
                Entry::Edited(..) => {
                    last.clear();
                    edited = true;
                }
            }
        }
        match counted == steps {
            true => Ok(Recording { plan, steps, start, entries, last, edited }),
            false => Err(ReplayError::Damaged),
        }
    }

    /// Takes all steps again, and compares hashes; `each` is told the number of each step, from 0, and the state after
    /// it.
    ///
    /// # Errors
    /// If the plan is another, an input or a state cannot be read, the scene was edited, a step is not taken, or the
    /// hash after one differs: the first is named.
    pub fn replay(
        &self,
        plan: &Plan,
        execution: Execution,
        each: impl FnMut(u64, &State),
    ) -> Result<State, ReplayError> {
        self.replay_edited(plan, execution, |_, _| None, each)
    }

    /// The same of a recording with edits ([`Recording::edited`]): `edit` is told the number of each edit, from 0, and
    /// the state before it, and gives the plan of the edited scene. The state goes on as it was recorded after the
    /// edit; what is returned is the last plan's.
    ///
    /// # Errors
    /// As [`Recording::replay`]; [`ReplayError::Edited`] where `edit` has no plan.
    ///
    /// # Example
    /// ```
    /// use seidel::{Cloth, Execution, Input, Plan, Recording, Scene, Solver};
    /// use std::sync::Arc;
    /// let mut scene = Scene::new();
    /// scene.add(Cloth::grid([8, 8], [1.0, 1.0]).pin(&[0, 7]));
    /// let (mut solver, input) = (Solver::new(&scene)?, Input::frame(1.0 / 60.0));
    /// let mut recording = Recording::new(solver.plan(), solver.state());
    /// for frame in 0..10 {
    ///     if frame == 5 {
    ///         solver.edit(|scene| Ok(scene.add(Cloth::grid([4, 4], [1.0, 1.0]))))?;
    ///         recording.edited(solver.plan(), solver.state());
    ///     }
    ///     solver.step(&input);
    ///     recording.step(&input, solver.state());
    /// }
    /// let begin = Plan::new(&scene)?;
    /// scene.add(Cloth::grid([4, 4], [1.0, 1.0]));
    /// let after = Arc::new(Plan::new(&scene)?);
    /// let again = recording.replay_edited(&begin, Execution::default(), |_, _| Some(Arc::clone(&after)), |_, _| ())?;
    /// assert_eq!(again.hash(), solver.state().hash());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn replay_edited(
        &self,
        plan: &Plan,
        execution: Execution,
        mut edit: impl FnMut(u64, &State) -> Option<Arc<Plan>>,
        mut each: impl FnMut(u64, &State),
    ) -> Result<State, ReplayError> {
        let is_of = |plan: &Plan, got: u64| match plan.id() == got {
            true => Ok(()),
            false => Err(ReplayError::OtherPlan { got, want: plan.id() }),
        };
        is_of(plan, self.plan)?;
        let (mut state, mut scratch) = (State::from_bytes(plan, &self.start)?, Scratch::new(plan, execution));
        let (mut number, mut edits, mut last) = (0, 0, None);
        let (begin, mut edited): (&Plan, Option<Arc<Plan>>) = (plan, None);
        for entry in Entries(Reader::new(&self.entries)) {
            // What has torn is planned as it was.
            let plan = edited.as_deref().unwrap_or(begin);
            if !plan.is_torn_as(&state) {
                let torn = |error| ReplayError::Rejected { step: number, error };
                let next = plan.torn(&state).map_err(torn)?;
                (scratch, edited) = (Scratch::new(&next, execution), Some(Arc::new(next)));
            }
            let plan = edited.as_deref().unwrap_or(begin);
            match entry? {
                Entry::Placed(bytes) => state.restore(plan, bytes)?,
                Entry::Edited(id, bytes) => {
                    let next = edit(edits, &state).ok_or(ReplayError::Edited { edit: edits, step: number })?;
                    is_of(&next, id)?;
                    (state, scratch) = (State::from_bytes(&next, bytes)?, Scratch::new(&next, execution));
                    (edited, last) = (Some(next), None);
                    edits += 1;
                }
                Entry::Step(bytes, want) => {
                    if let Some(bytes) = bytes {
                        last = Some(Input::from_bytes(plan, bytes)?);
                    }
                    let input = last.as_ref().ok_or(ReplayError::Damaged)?;
                    // A step that was not taken when it was recorded is not taken now.
                    let rejected = step(plan, &mut state, input, &mut scratch).rejected;
                    let got = state.hash();
                    if got != want {
                        return Err(match rejected {
                            Some(error) => ReplayError::Rejected { step: number, error },
                            None => ReplayError::Differs { step: number, got, want },
                        });
                    }
                    each(number, &state);
                    number += 1;
                }
            }
        }
        Ok(state)
    }
}

enum Entry<'a> {
    /// An input, if it is another than the last, and the hash after the step.
    Step(Option<&'a [u8]>, u64),
    Placed(&'a [u8]),
    /// A plan, and the state in it.
    Edited(u64, &'a [u8]),
}

/// Entries one after another.
struct Entries<'a>(Reader<'a>);

impl<'a> Iterator for Entries<'a> {
    type Item = Result<Entry<'a>, ReplayError>;

    fn next(&mut self) -> Option<Self::Item> {
        let Entries(from) = self;
        let [what] = from.array().ok()?;
        let mut entry = || {
            let bytes = match what {
                AGAIN => None,
                INPUT | PLACED | EDITED => {
                    let length = from.long()?;
                    Some(from.many(length, 1)?)
                }
                _ => return Err(SnapshotError::Foreign),
            };
            match (what, bytes) {
                (PLACED, Some(bytes)) => Ok(Entry::Placed(bytes)),
                (EDITED, Some(bytes)) => {
                    let (id, bytes) = bytes.split_first_chunk().ok_or(SnapshotError::Foreign)?;
                    Ok(Entry::Edited(u64::from_le_bytes(*id), bytes))
                }
                (_, bytes) => Ok(Entry::Step(bytes, from.long()?)),
            }
        };
        Some(entry().map_err(|_| ReplayError::Damaged))
    }
}

/// Why a recording cannot be read, or how its replay differs.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// They do not begin as a recording does.
    #[error("this is no recording: its first bytes are others")]
    Foreign,
    /// Another version of the engine wrote it.
    #[error("the recording has format {got}, and this version reads up to format {want}")]
    Format {
        /// The format's number.
        got: u32,
        /// The newest that is read.
        want: u32,
    },
    /// It has changed since it was written, or is not whole.
    #[error("the recording is damaged, or not whole")]
    Damaged,
    /// It is of another plan.
    #[error(
        "the recording is of another plan, {got:016x}, and this is {want:016x}: the scene or the program has changed"
    )]
    OtherPlan {
        /// The recording's plan.
        got: u64,
        /// The one that is given.
        want: u64,
    },
    /// The scene was edited, and the plan of the edit is not given.
    #[error("the scene was edited before step {step}, and the plan of edit {edit} is not given")]
    Edited {
        /// The edit's number, from 0.
        edit: u64,
        /// The number of the next step, from 0.
        step: u64,
    },
    /// A state in it cannot be read.
    #[error(transparent)]
    State(#[from] SnapshotError),
    /// An input in it cannot be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A step is not taken that was.
    #[error("step {step} is not taken: {error}")]
    Rejected {
        /// Its number, from 0.
        step: u64,
        /// Why.
        error: Error,
    },
    /// A step comes to another state than it did.
    #[error("step {step} differs: its hash is {got:016x}, and was {want:016x}")]
    Differs {
        /// Its number, from 0.
        step: u64,
        /// The hash now.
        got: u64,
        /// The hash when it was recorded.
        want: u64,
    },
}
