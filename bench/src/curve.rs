//! The curve of quality for time, as a picture.

use crate::quality::Point;
use plotters::prelude::*;

/// Pixels.
const SIZE: (u32, u32) = (860, 480);
/// Of each curve in turn: dark enough on white, apart for those who do not see red or green (Okabe and Ito).
const COLORS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(60, 60, 60),
];

/// Largest stretch over the milliseconds of a frame, both on scales of powers of ten: a curve for each order and way to
/// spend sweeps, as an SVG. Substeps are drawn through, iterations faint.
///
/// # Errors
/// If there is nothing to draw, or drawing fails.
pub fn svg(points: &[Point]) -> Result<String, String> {
    let range = |of: fn(&Point) -> f64| {
        let (low, high) =
            points.iter().map(of).fold((f64::MAX, 0.0), |(low, high): (f64, f64), v| (low.min(v), high.max(v)));
        low * 0.8..high * 1.25
    };
    if points.is_empty() {
        return Err("there are no points".to_owned());
    }
    let (time, stretch) = (range(|p| p.ms), range(|p| 100.0 * f64::from(p.stretch)));
    let mut text = String::new();
    draw(points, &mut text, time, stretch).map_err(|e| e.to_string())?;
    Ok(text)
}

fn draw(
    points: &[Point],
    text: &mut String,
    time: std::ops::Range<f64>,
    stretch: std::ops::Range<f64>,
) -> Result<(), Box<dyn std::error::Error>> {
    let area = SVGBackend::with_string(text, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .margin(12)
        .x_label_area_size(42)
        .y_label_area_size(62)
        .build_cartesian_2d(time.log_scale(), stretch.log_scale())?;
    chart
        .configure_mesh()
        .x_desc("ms a frame, one thread")
        .y_desc("largest stretch, %")
        .x_label_formatter(&|v| format!("{v}"))
        .y_label_formatter(&|v| format!("{v}"))
        .light_line_style(BLACK.mix(0.04))
        .bold_line_style(BLACK.mix(0.12))
        .draw()?;
    let curves: Vec<&[Point]> = points.chunk_by(|a, b| a.curve() == b.curve()).collect();
    let mut orders: Vec<String> = Vec::new();
    for curve in curves {
        let (order, iterations) = (curve[0].name(), curve.iter().any(|p| p.iterations > 1));
        let known = orders.iter().position(|o| *o == order);
        let color = COLORS[known.unwrap_or(orders.len()) % COLORS.len()];
        let style = if iterations { color.mix(0.35) } else { color.mix(1.0) };
        let at: Vec<(f64, f64)> = curve.iter().map(|p| (p.ms, 100.0 * f64::from(p.stretch))).collect();
        let drawn = chart.draw_series(LineSeries::new(at.iter().copied(), style.stroke_width(2)).point_size(3))?;
        if known.is_none() {
            drawn
                .label(order.clone())
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], color.stroke_width(3)));
            orders.push(order);
        }
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerLeft)
        .background_style(WHITE.mix(0.85))
        .border_style(BLACK.mix(0.2))
        .draw()?;
    area.present()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_has_a_curve() {
        let points: Vec<Point> = serde_json::from_str(include_str!("../record/quality.json")).expect("a record");
        let text = svg(&points).expect("points");
        for p in &points {
            assert!(text.contains(&p.name()), "{} is missing", p.order);
        }
        assert!(svg(&[]).is_err());
    }
}
