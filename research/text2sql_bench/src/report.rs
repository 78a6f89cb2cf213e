//! The report: a plain table for people, and the same as JSON for programs.

use std::fmt::Write;

use serde::Serialize;

use crate::statistics::{Summary, summarise};

/// Everything one run found.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) machine: Vec<Fact>,
    pub(crate) sections: Vec<Section>,
    pub(crate) aims: Vec<Aim>,
}

/// A fact about the machine.
#[derive(Debug, Serialize)]
pub(crate) struct Fact {
    pub(crate) name: String,
    pub(crate) value: String,
}

/// Figures that belong together.
#[derive(Debug, Serialize)]
pub(crate) struct Section {
    pub(crate) title: String,
    pub(crate) rows: Vec<Row>,
    /// What a reader must know to read them right.
    pub(crate) notes: Vec<String>,
}

/// One figure.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) unit: &'static str,
    pub(crate) median: f64,
    /// Missing for what is not a series.
    pub(crate) p95: Option<f64>,
    pub(crate) count: usize,
}

/// What we want a figure to be.
#[derive(Debug, Serialize)]
pub(crate) struct Aim {
    pub(crate) aim: String,
    pub(crate) measured: f64,
    pub(crate) unit: &'static str,
    pub(crate) most: f64,
    pub(crate) is_met: bool,
}

impl Aim {
    /// An aim is met when the figure is at most `most`.
    pub(crate) fn at_most(aim: &str, measured: f64, most: f64, unit: &'static str) -> Self {
        Self {
            aim: aim.to_owned(),
            measured,
            unit,
            most,
            is_met: measured <= most,
        }
    }
}

impl Section {
    pub(crate) fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            rows: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Adds a series.
    pub(crate) fn series(&mut self, name: &str, unit: &'static str, values: &[f64]) {
        let Summary { median, p95, count } = summarise(values);
        self.rows.push(Row {
            name: name.to_owned(),
            unit,
            median,
            p95: Some(p95),
            count,
        });
    }

    /// Adds a single number.
    pub(crate) fn number(&mut self, name: &str, unit: &'static str, value: f64) {
        self.rows.push(Row {
            name: name.to_owned(),
            unit,
            median: value,
            p95: None,
            count: 1,
        });
    }

    pub(crate) fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }
}

/// Width of the column of names.
const NAME: usize = 58;

impl Report {
    /// Renders the table.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for fact in &self.machine {
            line(&mut text, format_args!("{:<12} {}", fact.name, fact.value));
        }
        for section in &self.sections {
            line(&mut text, format_args!(""));
            line(
                &mut text,
                format_args!("{:<NAME$} {:>10} {:>10}", section.title, "median", "p95"),
            );
            for row in &section.rows {
                let p95 = row.p95.map(figure).unwrap_or_default();
                let name = format!("  {}", row.name);
                line(
                    &mut text,
                    format_args!(
                        "{name:<NAME$} {:>10} {p95:>10} {}",
                        figure(row.median),
                        row.unit
                    ),
                );
            }
            for note in &section.notes {
                line(&mut text, format_args!("  ({note})"));
            }
        }
        line(&mut text, format_args!("\nAims"));
        for aim in &self.aims {
            let verdict = if aim.is_met { "met" } else { "aim missed" };
            let (measured, most, unit) = (figure(aim.measured), figure(aim.most), aim.unit);
            line(
                &mut text,
                format_args!(
                    "  {}: {measured} {unit} of at most {most} {unit}: {verdict}",
                    aim.aim
                ),
            );
        }
        text
    }
}

fn line(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    let mut line = String::new();
    // Writing to a string does not fail.
    let _ = line.write_fmt(arguments);
    text.push_str(line.trim_end());
    text.push('\n');
}

/// A number with three figures that count; whole ones as they are.
fn figure(value: f64) -> String {
    let decimals = match value.abs() {
        value if value.fract() == 0.0 => 0,
        value if value >= 100.0 => 0,
        value if value >= 10.0 => 1,
        value if value >= 1.0 => 2,
        _ => 3,
    };
    match value.is_nan() {
        true => "-".to_owned(),
        false => format!("{value:.decimals$}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short() {
        for (value, expected) in [
            (0.1234, "0.123"),
            (1.234, "1.23"),
            (12.34, "12.3"),
            (1234.5, "1234"),
            (30_000.0, "30000"),
            (-0.5, "-0.500"),
            (f64::NAN, "-"),
        ] {
            assert_eq!(figure(value), expected);
        }
    }

    #[test]
    fn a_report_shows_units_and_missed_aims() {
        let mut section = Section::new("Questions");
        section.series("asked", "ms", &[1.0, 2.0, 3.0]);
        section.number("prompt", "characters", 812.0);
        section.note("warm");
        let report = Report {
            machine: vec![Fact {
                name: "cores".to_owned(),
                value: "2".to_owned(),
            }],
            sections: vec![section],
            aims: vec![
                Aim::at_most("the ratio", 1.5, 2.0, "x"),
                Aim::at_most("the guard", 120.0, 99.0, "µs"),
            ],
        };
        let text = report.text();
        for expected in [
            "cores        2",
            "2       2.90 ms",
            "812            characters",
            "(warm)",
            "the ratio: 1.50 x of at most 2 x: met",
            "the guard: 120 µs of at most 99 µs: aim missed",
        ] {
            assert!(text.contains(expected), "{expected} is not in\n{text}");
        }
        assert!(text.lines().all(|line| line.len() <= 100), "{text}");
    }

    #[test]
    fn nothing_measured_meets_no_aim() {
        assert!(!Aim::at_most("x", f64::NAN, 1.0, "ms").is_met);
    }
}
