//! Charts as inline SVG: shares with their intervals, bars, and confidence against accuracy.

use std::fmt::Write;

use super::html::escape;
use crate::calibration::Calibration;
use crate::summary::Share;

const WIDTH: f64 = 520.0;
const LABELS: f64 = 150.0;
/// Width of long bar labels, which are sentences.
const LONG_LABELS: f64 = 230.0;
const FIGURES: f64 = 100.0;
const ROW: f64 = 24.0;

/// A text truncated to fit next to a chart.
fn short(label: &str, max_chars: usize) -> String {
    if label.chars().count() <= max_chars {
        return escape(label);
    }
    let cut: String = label.chars().take(max_chars - 1).collect();
    format!("{}…", escape(&cut))
}

/// Shares with their 95 % intervals, one per line.
pub(super) fn shares(rows: &[(String, Share)]) -> String {
    let height = ROW * rows.len() as f64 + 26.0;
    let plot = WIDTH - LABELS - FIGURES;
    let at = |share: f64| LABELS + plot * share;
    let mut svg = format!(r#"<svg viewBox="0 0 {WIDTH} {height}" role="img">"#);
    for tick in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let x = at(tick);
        let _ = write!(
            svg,
            r#"<line class="axis" x1="{x}" y1="0" x2="{x}" y2="{}"/><text class="soft" x="{x}" y="{}" text-anchor="middle">{:.0} %</text>"#,
            height - 20.0,
            height - 5.0,
            tick * 100.0
        );
    }
    for (number, (label, share)) in rows.iter().enumerate() {
        let y = ROW * number as f64 + ROW / 2.0;
        let _ = write!(
            svg,
            r#"<g><title>{}: {:.1} % of {} cases, 95 % interval {:.1} % to {:.1} %</title><text x="{}" y="{}" text-anchor="end">{}</text><line class="whisker" x1="{}" y1="{y}" x2="{}" y2="{y}"/><circle class="dot" cx="{}" cy="{y}" r="5"/><text class="soft" x="{}" y="{}">{:.0} %, n {}</text></g>"#,
            escape(label),
            share.value() * 100.0,
            share.cases,
            share.low * 100.0,
            share.high * 100.0,
            LABELS - 12.0,
            y + 4.0,
            short(label, 22),
            at(share.low),
            at(share.high),
            at(share.value()),
            WIDTH - FIGURES + 10.0,
            y + 4.0,
            share.value() * 100.0,
            share.cases
        );
    }
    svg.push_str("</svg>");
    svg
}

/// Bars with their figures; a second, lighter bar shows the second figure.
pub(super) fn bars(rows: &[(String, f64, Option<f64>, String)]) -> String {
    let height = ROW * rows.len() as f64 + 4.0;
    // Sentences and pairs of figures need more room.
    let is_long = rows.iter().any(|(label, ..)| label.chars().count() > 22);
    let labels = if is_long { LONG_LABELS } else { LABELS };
    let figures = 130.0;
    let plot = WIDTH - labels - figures;
    let max_value = rows
        .iter()
        .map(|(_, value, high, _)| value.max(high.unwrap_or(0.0)))
        .fold(f64::MIN_POSITIVE, f64::max);
    let mut svg = format!(r#"<svg viewBox="0 0 {WIDTH} {height}" role="img">"#);
    for (number, (label, value, high, figure)) in rows.iter().enumerate() {
        let y = ROW * number as f64 + 4.0;
        let length = |value: f64| (plot * value / max_value).max(1.5);
        let _ = write!(
            svg,
            r#"<text x="{}" y="{}" text-anchor="end">{}</text>"#,
            labels - 12.0,
            y + 12.5,
            short(label, if is_long { 31 } else { 22 })
        );
        if let Some(high) = high {
            let _ = write!(
                svg,
                r#"<rect class="bar-soft" x="{labels}" y="{y}" width="{}" height="16" rx="3"/>"#,
                length(*high)
            );
        }
        let longest = length(value.max(high.unwrap_or(0.0)));
        let _ = write!(
            svg,
            r#"<rect class="bar" x="{labels}" y="{y}" width="{}" height="16" rx="3"/><text class="soft" x="{}" y="{}">{}</text>"#,
            length(*value),
            labels + longest + 8.0,
            y + 12.5,
            escape(figure)
        );
    }
    svg.push_str("</svg>");
    svg
}

/// Confidence against accuracy: one dot per bin, its area proportional to the number of attempts; on the dashed
/// line both are equal.
pub(super) fn calibration(found: &Calibration) -> String {
    let (side, left, top) = (240.0, 60.0, 10.0);
    let x = |share: f64| left + side * share;
    let y = |share: f64| top + side * (1.0 - share);
    let mut svg = format!(r#"<svg viewBox="0 0 {WIDTH} {}" role="img">"#, side + 50.0);
    for tick in [0.0, 0.5, 1.0] {
        let _ = write!(
            svg,
            r#"<line class="axis" x1="{}" y1="{}" x2="{}" y2="{}"/><line class="axis" x1="{}" y1="{}" x2="{}" y2="{}"/><text class="soft" x="{}" y="{}" text-anchor="middle">{tick:.1}</text><text class="soft" x="{}" y="{}" text-anchor="end">{tick:.1}</text>"#,
            x(0.0),
            y(tick),
            x(1.0),
            y(tick),
            x(tick),
            y(0.0),
            x(tick),
            y(1.0),
            x(tick),
            y(0.0) + 16.0,
            x(0.0) - 8.0,
            y(tick) + 4.0
        );
    }
    let _ = write!(
        svg,
        r#"<line class="diagonal" x1="{}" y1="{}" x2="{}" y2="{}"/><text class="soft" x="{}" y="{}" text-anchor="middle">confidence</text><text class="soft" x="{}" y="{}">accuracy</text>"#,
        x(0.0),
        y(0.0),
        x(1.0),
        y(1.0),
        x(0.5),
        y(0.0) + 34.0,
        x(1.0) + 14.0,
        y(1.0) + 4.0
    );
    let total: usize = found.bins.iter().map(|bin| bin.count).sum();
    for bin in &found.bins {
        let radius = 4.0 + 14.0 * (bin.count as f64 / total.max(1) as f64).sqrt();
        let _ = write!(
            svg,
            r#"<circle class="dot" cx="{}" cy="{}" r="{radius:.1}" opacity="0.8"><title>{} attempts: confidence {:.2}, accuracy {:.2}</title></circle>"#,
            x(bin.confidence),
            y(bin.right),
            bin.count,
            bin.confidence,
            bin.right
        );
    }
    svg.push_str("</svg>");
    svg
}
