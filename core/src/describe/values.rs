//! Numbers for rows of constraints and for vertices: one for all, or one each.

use crate::describe::error::{Error, range};

/// One number for all rows (or vertices), one for each row, or one for each vertex.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// The same for all.
    Uniform(f32),
    /// One a row; of numbers that vertices have (density, thickness, friction), one a vertex.
    PerRow(Vec<f32>),
    /// One a vertex of the body. A row of constraints has the mean of its vertices' numbers: of compliances, that of a
    /// spring whose halves have those of its ends.
    PerVertex(Vec<f32>),
}

impl From<f32> for Values {
    fn from(value: f32) -> Self {
        Values::Uniform(value)
    }
}

impl From<Vec<f32>> for Values {
    fn from(values: Vec<f32>) -> Self {
        Values::PerRow(values)
    }
}

impl Values {
    /// One a vertex, from numbers that are painted: `from` where these are 0 or less, `to` where they are 1 or more,
    /// linear between.
    #[must_use]
    pub fn painted(numbers: &[f32], from: f32, to: f32) -> Values {
        let (from, to) = (f64::from(from), f64::from(to));
        Values::by_share(numbers, |share| (1.0 - share) * from + share * to)
    }

    /// The same with even factors between: `from (to / from)^s`, for numbers of several orders of magnitude, as
    /// compliances are. Both are above 0; what others make is refused when the scene is planned.
    #[must_use]
    pub fn painted_log(numbers: &[f32], from: f32, to: f32) -> Values {
        let (from, to) = (f64::from(from), f64::from(to));
        let of = |share| if from > 0.0 && to > 0.0 { from * libm::pow(to / from, share) } else { f64::NAN };
        Values::by_share(numbers, of)
    }

    fn by_share(numbers: &[f32], of: impl Fn(f64) -> f64) -> Values {
        let value = |&number: &f32| {
            let share = if number < 0.0 { 0.0 } else { f64::from(number) };
            of(if share > 1.0 { 1.0 } else { share }) as f32
        };
        Values::PerVertex(numbers.iter().map(value).collect())
    }

    /// One for each of `count` vertices: these, and `value` for those that are listed.
    ///
    /// # Example
    /// ```
    /// use seidel::{Cloth, GridPins, Values};
    /// let cloth = Cloth::grid([2, 3], [1.0, 1.0]);
    /// let hem = cloth.grid_part(GridPins::LastRow);
    /// let density = Values::from(0.2).with(6, &hem, 2.0);
    /// assert_eq!(density, Values::PerVertex(vec![0.2, 0.2, 0.2, 0.2, 2.0, 2.0]));
    /// let cloth = cloth.density(density);
    /// ```
    ///
    /// # Panics
    /// If a vertex is not below `count`, or there are less numbers than that.
    #[must_use]
    pub fn with(self, count: usize, vertices: &[u32], value: f32) -> Values {
        let mut all = match self {
            Values::Uniform(value) => vec![value; count],
            Values::PerRow(values) | Values::PerVertex(values) => values,
        };
        vertices.iter().for_each(|&vertex| all[vertex as usize] = value);
        Values::PerVertex(all)
    }

    /// The value of a row, or of a vertex.
    ///
    /// # Panics
    /// If there are not so many.
    #[must_use]
    pub fn get(&self, row: usize) -> f32 {
        match self {
            Values::Uniform(value) => *value,
            Values::PerRow(values) | Values::PerVertex(values) => values[row],
        }
    }

    /// The value of a row of constraints on these vertices.
    ///
    /// The mean of equal numbers is that number: in f64 a sum of up to 2^29 numbers of f32 that are equal is exact.
    pub(super) fn of_row(&self, row: usize, vertices: &[u32]) -> f32 {
        match self {
            Values::Uniform(value) => *value,
            Values::PerRow(values) => values[row],
            Values::PerVertex(values) => mean(vertices.iter().map(|&v| values[v as usize])),
        }
    }

    /// The largest of `count`; the first of several that cannot be compared.
    pub(crate) fn largest(&self, count: usize) -> f32 {
        (0..count.max(1))
            .map(|i| self.get(i))
            .fold(f32::NEG_INFINITY, |most, value| if value > most { value } else { most })
    }

    /// How many there are, if not one for all.
    pub(crate) fn count(&self) -> Option<usize> {
        match self {
            Values::Uniform(_) => None,
            Values::PerRow(values) | Values::PerVertex(values) => Some(values.len()),
        }
    }

    /// Whether they are one for all of `count` vertices or one for each, and all `good`; `of` names the body.
    pub(super) fn check(
        &self,
        of: impl Fn() -> String,
        (what, each): (&str, &str),
        count: usize,
        good: impl Fn(f32) -> bool,
        limit: &'static str,
    ) -> Result<(), Error> {
        match self {
            Values::Uniform(value) => range(of, || what.to_owned(), f64::from(*value), good(*value), limit),
            Values::PerRow(values) | Values::PerVertex(values) => {
                if values.len() != count {
                    return Err(Error::Length { of: of(), what: what.to_owned(), got: values.len(), want: count });
                }
                let value = |(i, &value): (usize, &f32)| {
                    range(&of, || format!("{what} of {each} {i}"), f64::from(value), good(value), limit)
                };
                values.iter().enumerate().try_for_each(value)
            }
        }
    }
}

/// The mean of some numbers.
pub(crate) fn mean(numbers: impl ExactSizeIterator<Item = f32>) -> f32 {
    let count = numbers.len() as f64;
    (numbers.fold(0.0, |sum, number| sum + f64::from(number)) / count) as f32
}
