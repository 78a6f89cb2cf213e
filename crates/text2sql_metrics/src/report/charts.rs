//! Charts of a report: shares with their intervals, bars, and confidence against accuracy.

use text2sql_charts::drawing::{self, Bar, Interval, Point};

use crate::calibration::Calibration;
use crate::measures::Cell;
use crate::summary::Share;

/// Shares with their 95 % intervals, one per line.
pub(super) fn shares(title: &str, rows: &[(String, Share)]) -> String {
    let rows: Vec<_> = rows
        .iter()
        .map(|(label, share)| Interval {
            label: label.clone(),
            value: share.value(),
            low: share.low,
            high: share.high,
            figure: format!("{:.0} %, n {}", share.value() * 100.0, share.cases),
            title: format!(
                "{label}: {:.1} % of {} cases, 95 % interval {:.1} % to {:.1} %",
                share.value() * 100.0,
                share.cases,
                share.low * 100.0,
                share.high * 100.0
            ),
        })
        .collect();
    drawing::intervals(title, &rows)
}

/// Means of measures with their 95 % intervals, one per line, each with its label.
pub(super) fn cells(title: &str, rows: &[(String, &Cell)]) -> String {
    let rows: Vec<_> = rows
        .iter()
        .map(|(label, cell)| Interval {
            label: label.clone(),
            value: cell.mean,
            low: cell.low.unwrap_or(cell.mean),
            high: cell.high.unwrap_or(cell.mean),
            figure: format!("{:.2}, n {}", cell.mean, cell.cases),
            title: said(label, cell),
        })
        .collect();
    drawing::intervals(title, &rows)
}

/// A cell in words.
fn said(label: &str, cell: &Cell) -> String {
    let mut text = format!("{label}: mean {:.3} of {} cases", cell.mean, cell.cases);
    if let (Some(low), Some(high)) = (cell.low, cell.high) {
        text.push_str(&format!(", 95 % interval {low:.3} to {high:.3}"));
    }
    if let (true, Some(worst), Some(best)) = (cell.runs > 1, cell.minimum, cell.maximum) {
        text.push_str(&format!(", worst run {worst:.3}, best run {best:.3}"));
    }
    text
}

/// Bars with their figures; a second, lighter bar shows the second figure.
pub(super) fn bars(title: &str, rows: &[(String, f64, Option<f64>, String)]) -> String {
    let rows: Vec<_> = rows
        .iter()
        .map(|(label, value, behind, figure)| Bar {
            label: label.clone(),
            value: *value,
            behind: *behind,
            figure: figure.clone(),
        })
        .collect();
    drawing::bars(title, &rows)
}

/// Confidence against accuracy: one dot per bin, its area proportional to the number of attempts; on the dashed
/// line both are equal.
pub(super) fn calibration(title: &str, found: &Calibration) -> String {
    let total: usize = found.bins.iter().map(|bin| bin.count).sum();
    let points: Vec<_> = found
        .bins
        .iter()
        .map(|bin| Point {
            x: bin.confidence,
            y: bin.right,
            weight: bin.count as f64 / total.max(1) as f64,
            title: format!(
                "{} attempts: confidence {:.2}, accuracy {:.2}",
                bin.count, bin.confidence, bin.right
            ),
        })
        .collect();
    drawing::against_diagonal(title, "confidence", "accuracy", &points)
}
