//! Charts of figures that are known beforehand, for a report: no rule, no languages. They are elements of a page of
//! HTML, and have no namespace.

use crate::numbers::Number;
use crate::plot::text::{fit, width};
use crate::plot::{Align, Axis, Class, Margins, Mark, Plot, Shape, Tick, render};

const WIDTH: u32 = 520;
const ROW: u32 = 24;
/// How much of a row a bar takes.
const THICK: f64 = 0.66;
/// The largest part of the width that labels take.
const LABELS: u32 = 230;

/// A share with the interval that it lies in.
#[derive(Debug, Clone, PartialEq)]
pub struct Interval {
    /// What it is the share of.
    pub label: String,
    /// The share, from 0 to 1.
    pub value: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
    /// The figure beside it.
    pub figure: String,
    /// What is said of it when it is pointed at.
    pub title: String,
}

/// A bar with its figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// Its name.
    pub label: String,
    /// Its length.
    pub value: f64,
    /// The length of a lighter bar behind it.
    pub behind: Option<f64>,
    /// The figure beside it.
    pub figure: String,
}

/// A point of [`against_diagonal`].
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// From 0 to 1, to the right.
    pub x: f64,
    /// From 0 to 1, upwards.
    pub y: f64,
    /// Its part of all, from 0 to 1: its area.
    pub weight: f64,
    /// What is said of it when it is pointed at.
    pub title: String,
}

fn finite(value: f64) -> f64 {
    Number::of(if value.is_nan() { 0.0 } else { value }).value
}

fn label(text: &str, at: (f64, f64), left: u32) -> Mark {
    let mark = Mark::new(
        Class::Label,
        Shape::Text {
            at,
            offset: (-10, 0),
            text: fit(text, left - 10),
            align: Align::Right,
        },
    );
    mark.titled(text)
}

fn figure(text: &str, at: (f64, f64)) -> Mark {
    Mark::new(
        Class::Label,
        Shape::Text {
            at,
            offset: (8, 0),
            text: text.to_owned(),
            align: Align::Left,
        },
    )
}

fn label_room<'a>(labels: impl Iterator<Item = &'a String>) -> u32 {
    let widest = labels.map(|label| width(label)).max().unwrap_or(0);
    (widest + 16).clamp(60, LABELS)
}

fn figure_room<'a>(figures: impl Iterator<Item = &'a String>) -> u32 {
    figures.map(|figure| width(figure)).max().unwrap_or(0) + 14
}

fn plot(margins: Margins, rows: usize, x: Axis, marks: Vec<Mark>) -> Plot {
    Plot {
        width: WIDTH,
        height: ROW * rows as u32 + margins.top + margins.bottom,
        margins,
        x,
        y: Axis::plain(0.5 - rows as f64, 0.5),
        marks,
        captions: Vec::new(),
        title: String::new(),
        description: String::new(),
        is_document: false,
    }
}

fn drawn(plot: Plot, title: &str, description: String) -> String {
    let plot = Plot {
        title: title.to_owned(),
        description,
        ..plot
    };
    render(&plot).unwrap_or_default()
}

/// Shares with their intervals, one below the other.
pub fn intervals(title: &str, rows: &[Interval]) -> String {
    let left = label_room(rows.iter().map(|row| &row.label));
    let right = figure_room(rows.iter().map(|row| &row.figure));
    let mut marks = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        let y = -(index as f64);
        let whisker = Shape::Line(vec![(finite(row.low), y), (finite(row.high), y)]);
        let dot = Shape::Dot {
            at: (finite(row.value), y),
            radius: 5,
            down: 0,
        };
        marks.push(label(&row.label, (0.0, y), left));
        marks.push(Mark::new(Class::Whisker, whisker).titled(&row.title));
        marks.push(Mark::new(Class::Series(0), dot).titled(&row.title));
        marks.push(figure(&row.figure, (1.0, y)));
    }
    let ticks = [0, 25, 50, 75, 100].map(|percent| Tick {
        at: f64::from(percent) / 100.0,
        label: format!("{percent} %"),
    });
    let axis = Axis {
        ticks: ticks.to_vec(),
        has_grid: true,
        ..Axis::plain(0.0, 1.0)
    };
    let margins = Margins {
        left,
        top: 0,
        right,
        bottom: 26,
    };
    let description = rows
        .iter()
        .map(|row| format!("{}: {}.", row.label, row.figure))
        .collect::<Vec<_>>()
        .join(" ");
    drawn(plot(margins, rows.len(), axis, marks), title, description)
}

/// Bars with their figures, one below the other.
pub fn bars(title: &str, rows: &[Bar]) -> String {
    let left = label_room(rows.iter().map(|row| &row.label));
    let right = figure_room(rows.iter().map(|row| &row.figure));
    let longest = rows
        .iter()
        .map(|row| finite(row.value).max(finite(row.behind.unwrap_or(0.0))))
        .fold(f64::MIN_POSITIVE, f64::max);
    let mut marks = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        let y = -(index as f64);
        // A bar of nothing is a line.
        let bar = |class, value: f64| {
            let to = (finite(value).max(longest / 300.0), y);
            let shape = Shape::Bar {
                from: (0.0, y + THICK / 2.0),
                to: (to.0, y - THICK / 2.0),
            };
            (Mark::new(class, shape), to)
        };
        marks.push(label(&row.label, (0.0, y), left));
        let mut end = (0.0, y);
        if let Some(behind) = row.behind {
            let (mark, to) = bar(Class::Soft, behind);
            marks.push(mark);
            end = to;
        }
        let (mark, to) = bar(Class::Series(0), row.value);
        marks.push(mark.titled(format!("{}: {}", row.label, row.figure)));
        if to.0 > end.0 {
            end = to;
        }
        marks.push(figure(&row.figure, end));
    }
    let margins = Margins {
        left,
        top: 0,
        right,
        bottom: 0,
    };
    let description = rows
        .iter()
        .map(|row| format!("{}: {}.", row.label, row.figure))
        .collect::<Vec<_>>()
        .join(" ");
    let axis = Axis::plain(0.0, longest);
    drawn(plot(margins, rows.len(), axis, marks), title, description)
}

/// Points whose values are both from 0 to 1, against the line on which both are equal.
pub fn against_diagonal(title: &str, right: &str, up: &str, points: &[Point]) -> String {
    let diagonal = Shape::Line(vec![(0.0, 0.0), (1.0, 1.0)]);
    let diagonal = Mark::new(Class::Diagonal, diagonal);
    dots(title, [right, up], vec![diagonal], points)
}

/// Points whose values are both from 0 to 1.
pub fn scatter(title: &str, right: &str, up: &str, points: &[Point]) -> String {
    dots(title, [right, up], Vec::new(), points)
}

fn dots(title: &str, [right, up]: [&str; 2], mut marks: Vec<Mark>, points: &[Point]) -> String {
    let axis = |name: &str| Axis {
        ticks: [0.0, 0.5, 1.0]
            .map(|at| Tick {
                at,
                // The name stands at the end of its axis.
                label: if at == 1.0 {
                    format!("{name} 1")
                } else {
                    at.to_string()
                },
            })
            .to_vec(),
        has_grid: true,
        ..Axis::plain(0.0, 1.0)
    };
    for point in points {
        let radius = 4.0 + 14.0 * finite(point.weight).clamp(0.0, 1.0).sqrt();
        let dot = Shape::Dot {
            at: (finite(point.x), finite(point.y)),
            radius: radius.round() as i32,
            down: 0,
        };
        marks.push(Mark::new(Class::Series(0), dot).titled(&point.title));
    }
    let (x, y) = (axis(right), axis(up));
    let margins = Margins {
        left: y.label_width() + 16,
        top: 14,
        right: x.label_width() / 2 + 10,
        bottom: 28,
    };
    let whole = Plot {
        height: 320,
        y,
        ..plot(margins, 1, x, marks)
    };
    let description = points
        .iter()
        .map(|point| format!("{}.", point.title))
        .collect::<Vec<_>>()
        .join(" ");
    drawn(whole, title, description)
}
