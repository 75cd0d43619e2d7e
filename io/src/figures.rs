//! Figures of reports.

use std::fmt;

pub(crate) fn is_finite(p: &[f32; 3]) -> bool {
    p.iter().all(|x| x.is_finite())
}

/// Least and greatest coordinates of the finite vertices.
pub(crate) fn bounds(positions: &[[f32; 3]]) -> Option<[[f32; 3]; 2]> {
    let finite = positions.iter().copied().filter(is_finite);
    finite
        .map(|p| [p, p])
        .reduce(|[lo, hi], [p, _]| [[0, 1, 2].map(|k| lo[k].min(p[k])), [0, 1, 2].map(|k| hi[k].max(p[k]))])
}

/// A number with so many significant digits as the precision says.
pub(crate) struct Short(pub(crate) f64);

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = f.precision().unwrap_or(6);
        // Through the text: rounding by powers of ten would round twice.
        let rounded = format!("{:.*e}", digits.saturating_sub(1), self.0).parse::<f64>().unwrap_or(self.0);
        if rounded == 0.0 || (1e-4..1e7).contains(&rounded.abs()) {
            write!(f, "{rounded}")
        } else {
            write!(f, "{rounded:e}")
        }
    }
}
