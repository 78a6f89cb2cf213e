//! Bars: across for categories, whose names are long, upright for times, which go from left to right.

use super::captions::{captions, extremes, no_value};
use super::layout::Layout;
use crate::numbers::Number;
use crate::plot::text::{fit, width};
use crate::plot::{Align, Axis, Class, Margins, Mark, Plot, Shape, Tick, nice_axis};
use crate::request::Kind;
use crate::rule::{Design, Series};
use text2sql_phrases::say_in;

/// Height of a bar that is alone in its row, with the room around it.
const ROW: u32 = 24;
const BAR: u32 = 16;
/// Height of each of several bars in a row.
const THIN_BAR: u32 = 11;
const GAP: u32 = 10;
/// Room at the right.
const RIGHT: u32 = 12;
/// Pixels between a bar and its figure.
const DISTANCE: i32 = 5;

/// Where the bar of each series begins, for each category or time: at zero, or at the end of the series before.
fn bases(series: &[Series], are_stacked: bool) -> Vec<Vec<f64>> {
    let count = series.iter().map(|one| one.values.len()).max().unwrap_or(0);
    let mut ends = vec![0.0; count];
    series
        .iter()
        .map(|one| {
            let bases = ends.clone();
            if are_stacked {
                for (end, number) in ends.iter_mut().zip(&one.values) {
                    *end += number.as_ref().map_or(0.0, |number| number.value);
                }
            }
            bases
        })
        .collect()
}

/// The range of all ends of bars, and zero.
fn range_of_bars(series: &[Series], bases: &[Vec<f64>]) -> (f64, f64) {
    let ends = series.iter().zip(bases).flat_map(|(one, bases)| {
        one.values
            .iter()
            .zip(bases)
            .filter_map(|(number, base)| Some(base + number.as_ref()?.value))
    });
    ends.fold((0.0, 0.0), |(low, high), end| {
        (f64::min(low, end), f64::max(high, end))
    })
}

fn heading(measure: &str, by: &str, layout: Layout) -> String {
    say_in!(layout.language, "{measure} by {by}")
}

/// Bars, or dots, from left to right, a row for each category.
pub(super) fn across(
    measure: &str,
    category: &str,
    labels: &[Option<String>],
    series: &[Series],
    kind: Kind,
    layout: Layout,
) -> Plot {
    let (as_dots, are_stacked) = (kind == Kind::Point, kind == Kind::StackedBar);
    let is_one_row = series.len() == 1 || as_dots || are_stacked;
    let bases = bases(series, are_stacked);
    let language = layout.language;
    let name = |label: &Option<String>| match label {
        None => no_value(layout),
        Some(label) if label.is_empty() => say_in!(language, "(empty)"),
        Some(label) => label.clone(),
    };
    let names: Vec<String> = labels.iter().map(name).collect();
    let (thick, row) = if is_one_row {
        (BAR, ROW)
    } else {
        (THIN_BAR, THIN_BAR * series.len() as u32 + GAP)
    };
    let widest = names.iter().map(|name| width(name)).max().unwrap_or(0);
    let left = (widest + 14).min(layout.width * if layout.is_narrow() { 36 } else { 38 } / 100);
    let (captions, top) = captions(&heading(measure, category, layout), series, None, layout);

    let all = || {
        series
            .iter()
            .flat_map(|series| series.values.iter().flatten())
    };
    let (low, high) = range_of_bars(series, &bases);
    let divisions = if layout.is_narrow() { 3 } else { 6 };
    let mut axis = nice_axis(low, high, divisions, language);
    // Room for the figures, inside the axis where they stand.
    let room = |is_negative: bool| {
        all()
            .filter(|_| !are_stacked)
            .filter(|number| (number.value < 0.0) == is_negative)
            .map(|number| width(&number.label(language)))
            .max()
            .map_or(0.0, |width| f64::from(width + 12))
    };
    let (before, after) = (room(true), room(false));
    let plot_width = f64::from(layout.width.saturating_sub(left + RIGHT));
    let inner = (plot_width - before - after).max(plot_width * 0.3);
    let pixel = (axis.high - axis.low) / inner;
    axis.low = axis.low.min(low - before * pixel);
    axis.high = axis.high.max(high + after * pixel);
    axis.thin_out(plot_width);
    // The label of the last division is as much at its right as at its left.
    let after_last = axis.ticks.last().map_or(0.0, |tick| {
        (axis.high - tick.at) / (axis.high - axis.low) * plot_width
    });
    let half = f64::from(axis.label_width().div_ceil(2)) - after_last;
    let right = (half.ceil() as u32).max(RIGHT);

    let mut marks = Vec::new();
    for (index, label) in names.iter().enumerate() {
        let y = -(index as f64);
        marks.push(
            Mark::new(
                Class::Label,
                Shape::Text {
                    at: (axis.low, y),
                    offset: (-8, 0),
                    text: fit(label, left - 12),
                    align: Align::Right,
                },
            )
            .titled(label),
        );
        let lines = series.len() as f64;
        for (line, one) in series.iter().enumerate() {
            // Bars of a row are below each other, dots on one line, stacked ones behind each other.
            let down = if as_dots || are_stacked {
                0
            } else {
                ((line as f64 - (lines - 1.0) / 2.0) * f64::from(thick)).round() as i32
            };
            let base = bases
                .get(line)
                .and_then(|bases| bases.get(index))
                .copied()
                .unwrap_or(0.0);
            let Some(number) = one.values.get(index).cloned().flatten() else {
                if !as_dots && !are_stacked {
                    marks.push(Mark::new(
                        Class::Missing,
                        Shape::Text {
                            at: (0.0, y),
                            offset: (DISTANCE, down),
                            text: no_value(layout),
                            align: Align::Left,
                        },
                    ));
                }
                continue;
            };
            let title = match series.len() {
                1 => format!("{label}: {}", number.exact(language)),
                _ => format!("{label}, {}: {}", one.name, number.exact(language)),
            };
            let at = (number.value, y);
            let shape = if as_dots {
                Shape::Dot {
                    at,
                    radius: 5,
                    down,
                }
            } else {
                // A row is 1 high.
                let middle = y - f64::from(down) / f64::from(row);
                let half = f64::from(thick - 1) / 2.0 / f64::from(row);
                Shape::Bar {
                    from: (base, middle + half),
                    to: (base + number.value, middle - half),
                }
            };
            marks.push(Mark::new(Class::Series(line), shape).titled(title));
            if series.len() == 1 || !(as_dots || are_stacked) {
                let (offset, align) = if number.value < 0.0 {
                    (-DISTANCE, Align::Right)
                } else {
                    (DISTANCE, Align::Left)
                };
                let extra = if as_dots { offset.signum() * 5 } else { 0 };
                marks.push(Mark::new(
                    Class::Label,
                    Shape::Text {
                        at,
                        offset: (offset + extra, down),
                        text: number.label(language),
                        align,
                    },
                ));
            }
        }
    }
    // Where bars of both signs part.
    marks.push(Mark::new(
        Class::Axis,
        Shape::Line(vec![(0.0, 0.5), (0.0, 0.5 - names.len() as f64)]),
    ));
    let kind = if as_dots {
        say_in!(language, "Dot plot")
    } else {
        say_in!(language, "Bar chart")
    };
    let count = names.len();
    let description = format!(
        "{kind}: {}.{}",
        say_in!(language, "{measure} for {count} values of {category}"),
        extremes(named_values(series, &names), layout)
    );
    Plot {
        width: layout.width,
        height: top + row * count as u32 + 26,
        margins: Margins {
            left,
            top,
            right,
            bottom: 26,
        },
        x: axis,
        y: Axis::plain(0.5 - count as f64, 0.5),
        marks,
        captions,
        title: heading(measure, category, layout),
        description,
        is_document: true,
    }
}

/// Each value with the name of its place and, where there are several, of its series.
pub(super) fn named_values<'a>(
    series: &'a [Series],
    names: &'a [String],
) -> impl Iterator<Item = (&'a Number, String)> {
    series.iter().flat_map(move |one| {
        one.values
            .iter()
            .zip(names)
            .filter_map(move |(number, name)| {
                let name = if series.len() == 1 {
                    name.clone()
                } else {
                    format!("{name}, {}", one.name)
                };
                Some((number.as_ref()?, name))
            })
    })
}

/// Bars over time. None for a design without times.
pub(super) fn upright(design: &Design, are_stacked: bool, layout: Layout) -> Option<Plot> {
    let Design::Times {
        measure,
        time,
        moments,
        grain,
        series,
    } = design
    else {
        return None;
    };
    let language = layout.language;
    let names: Vec<String> = moments
        .iter()
        .map(|moment| moment.write(*grain, language))
        .collect();
    let (captions, top) = captions(&heading(measure, time, layout), series, None, layout);
    let bases = bases(series, are_stacked);
    let (low, high) = range_of_bars(series, &bases);
    let y = nice_axis(low, high, 5, language);
    let left = y.label_width() + 16;
    // As many labels as there is room for.
    let widest = names.iter().map(|name| width(name)).max().unwrap_or(1) + 10;
    let room = layout.width.saturating_sub(left + 12);
    let every = ((names.len() as u32 * widest).div_ceil(room.max(1)) as usize).max(1);
    let count = moments.len();
    let x = Axis {
        low: -0.5,
        high: count as f64 - 0.5,
        ticks: names
            .iter()
            .enumerate()
            .step_by(every)
            .map(|(index, label)| Tick {
                at: index as f64,
                label: label.clone(),
            })
            .collect(),
        has_grid: false,
    };
    let mut marks = Vec::new();
    let beside = if are_stacked { 1 } else { series.len().max(1) };
    let share = 0.76 / beside as f64;
    for (line, (one, bases)) in series.iter().zip(&bases).enumerate() {
        for (index, (number, base)) in one.values.iter().zip(bases).enumerate() {
            let (Some(number), Some(name)) = (number, names.get(index)) else {
                continue;
            };
            let title = match series.len() {
                1 => format!("{name}: {}", number.exact(language)),
                _ => format!("{name}, {}: {}", one.name, number.exact(language)),
            };
            let place = if are_stacked { 0 } else { line };
            let from = index as f64 - 0.38 + share * place as f64;
            marks.push(
                Mark::new(
                    Class::Series(line),
                    Shape::Bar {
                        from: (from, *base),
                        to: (from + share * 0.94, base + number.value),
                    },
                )
                .titled(title),
            );
        }
    }
    marks.push(Mark::new(
        Class::Axis,
        Shape::Line(vec![(x.low, 0.0), (x.high, 0.0)]),
    ));
    let description = format!(
        "{}: {}.{}",
        say_in!(language, "Bar chart"),
        say_in!(language, "{measure} for {count} points in time"),
        extremes(named_values(series, &names), layout)
    );
    Some(Plot {
        width: layout.width,
        height: top + if layout.is_narrow() { 220 } else { 280 },
        margins: Margins {
            left,
            top,
            right: 12,
            bottom: 28,
        },
        x,
        y,
        marks,
        captions,
        title: heading(measure, time, layout),
        description,
        is_document: true,
    })
}
