//! Defects of meshes: their kinds, where they are, and how they are told. Triangles and tetrahedra have kinds and
//! places of their own; what follows from a table of kinds is written once, here.

pub(crate) mod tets;
pub(crate) mod triangles;

/// All that follows from a table of kinds, in the order of its enum: name, whether it is fatal, remedy.
macro_rules! kinds {
    ($Defect:ident, $TABLE:ident) => {
        impl $Defect {
            /// All kinds, errors first.
            pub const ALL: [Self; $TABLE.len()] = {
                let mut all = [Self::TooLarge; $TABLE.len()];
                let mut k = 0;
                while k < $TABLE.len() {
                    all[k] = $TABLE[k].0;
                    assert!(all[k] as usize == k, "the table is in the order of the enum");
                    k += 1;
                }
                all
            };

            /// Its name in reports and in JSON, in the singular.
            #[must_use]
            pub fn name(self) -> &'static str {
                $TABLE[self as usize].1
            }

            /// Whether it forbids making a body.
            #[must_use]
            pub fn is_fatal(self) -> bool {
                $TABLE[self as usize].2
            }

            /// The remedy.
            #[must_use]
            pub fn remedy(self) -> &'static str {
                $TABLE[self as usize].3
            }
        }

        impl std::fmt::Display for $Defect {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl serde::Serialize for $Defect {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }
    };
}

/// Findings, one for each kind of defect that a mesh has, and access to them.
macro_rules! found {
    ($Defects:ident of $Defect:ident at $Place:ident) => {
        /// All defects of one kind.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
        pub struct Found {
            /// The kind.
            pub defect: $Defect,
            /// How many there are, >= 1; what is counted stands at [`Defect`].
            pub count: usize,
            /// The first of them.
            pub first: $Place,
        }

        impl std::fmt::Display for Found {
            /// Kind, count, first offender, remedy: one line of an error.
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let Self { defect, count, first } = self;
                write!(f, "{defect}: {count}, first: {first}; {}", defect.remedy())
            }
        }

        impl $Defects {
            /// Whether a body can be made: there is no error, though there may be warnings.
            #[must_use]
            pub fn is_clean(&self) -> bool {
                self.errors().next().is_none()
            }

            /// Those that forbid making a body.
            pub fn errors(&self) -> impl Iterator<Item = &Found> {
                self.found.iter().filter(|found| found.defect.is_fatal())
            }

            /// Those that are worth knowing only.
            pub fn warnings(&self) -> impl Iterator<Item = &Found> {
                self.found.iter().filter(|found| !found.defect.is_fatal())
            }

            /// How many there are of one kind.
            #[must_use]
            pub fn count(&self, defect: $Defect) -> usize {
                self.get(defect).map_or(0, |found| found.count)
            }

            /// The finding of one kind.
            #[must_use]
            pub fn get(&self, defect: $Defect) -> Option<&Found> {
                self.found.iter().find(|found| found.defect == defect)
            }
        }

        /// Count and first place by kind, while a mesh is searched.
        #[derive(Default)]
        pub(crate) struct Counts([(usize, Option<$Place>); $Defect::ALL.len()]);

        impl Counts {
            pub(crate) fn add(&mut self, defect: $Defect, place: $Place) {
                let (count, first) = &mut self.0[defect as usize];
                *count += 1;
                first.get_or_insert(place);
            }

            /// The findings, in the order of the kinds.
            pub(crate) fn found(&self) -> Vec<Found> {
                let of = |defect: $Defect| {
                    let (count, first) = self.0[defect as usize];
                    first.map(|first| Found { defect, count, first })
                };
                $Defect::ALL.into_iter().filter_map(of).collect()
            }
        }
    };
}

use {found, kinds};
