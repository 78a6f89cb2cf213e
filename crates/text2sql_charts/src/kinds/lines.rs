//! Values over time, as lines or as points. Where a value is missing, a line has a gap.

use super::bars::named_values;
use super::captions::{captions, extremes};
use super::layout::Layout;
use crate::moments::divide;
use crate::plot::{Axis, Class, Margins, Mark, Plot, Shape, Tick, nice_axis};
use crate::rule::Design;
use text2sql_phrases::say_in;

/// Lines of more points have no dots on them.
const MAX_DOTS: usize = 80;
/// Zero is on the axis if it costs at most half of the height.
const ZERO_COSTS: f64 = 0.5;

/// None for a design without times.
pub(super) fn lines(design: &Design, as_lines: bool, layout: Layout) -> Option<Plot> {
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
    let heading = say_in!(language, "{measure} by {by}", by = time);
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for number in series.iter().flat_map(|one| one.values.iter().flatten()) {
        low = low.min(number.value);
        high = high.max(number.value);
    }
    if low > high {
        return None;
    }
    if low > 0.0 && low <= high * ZERO_COSTS {
        low = 0.0;
    } else if high < 0.0 && high >= low * ZERO_COSTS {
        high = 0.0;
    }
    let y = nice_axis(low, high, 5, language);
    let note = (y.low > 0.0 || y.high < 0.0)
        .then(|| say_in!(language, "The axis does not begin at zero."));
    let (captions, top) = captions(&heading, series, note.as_deref(), layout);
    let left = y.label_width() + 16;
    let (first, last) = (moments.first()?, moments.last()?);
    let divisions = (layout.width.saturating_sub(left) / 96).max(2) as usize;
    let ticks = divide(*first, *last, *grain, divisions, language);
    // Half a pixel more than nothing, so that the first and the last point are whole.
    let margin = ((last.seconds - first.seconds) * 0.02).max(1.0);
    let x = Axis {
        low: first.seconds - margin,
        high: last.seconds + margin,
        ticks: ticks
            .into_iter()
            .map(|(at, label)| Tick { at, label })
            .collect(),
        has_grid: false,
    };
    let names: Vec<String> = moments
        .iter()
        .map(|moment| moment.write(*grain, language))
        .collect();
    let mut marks = Vec::new();
    let has_dots = !as_lines || moments.len() <= MAX_DOTS;
    for (line, one) in series.iter().enumerate() {
        let class = Class::Series(line);
        if as_lines {
            let mut part = Vec::new();
            for (moment, number) in moments.iter().zip(&one.values) {
                match number {
                    Some(number) => part.push((moment.seconds, number.value)),
                    None => close(&mut part, class, &mut marks),
                }
            }
            close(&mut part, class, &mut marks);
        }
        for ((moment, number), name) in moments.iter().zip(&one.values).zip(&names) {
            let Some(number) = number else { continue };
            if !has_dots {
                break;
            }
            let title = match series.len() {
                1 => format!("{name}: {}", number.exact(language)),
                _ => format!("{name}, {}: {}", one.name, number.exact(language)),
            };
            marks.push(
                Mark::new(
                    class,
                    Shape::Dot {
                        at: (moment.seconds, number.value),
                        radius: if as_lines { 3 } else { 4 },
                        down: 0,
                    },
                )
                .titled(title),
            );
        }
    }
    let count = moments.len();
    let kind = if as_lines {
        say_in!(language, "Line chart")
    } else {
        say_in!(language, "Points over time")
    };
    let from = names.first().map_or("", String::as_str);
    let to = names.last().map_or("", String::as_str);
    let description = format!(
        "{kind}: {}.{}",
        say_in!(
            language,
            "{measure} at {count} points in time from {from} to {to}"
        ),
        extremes(named_values(series, &names), layout)
    );
    Some(Plot {
        width: layout.width,
        height: top + if layout.is_narrow() { 220 } else { 280 },
        margins: Margins {
            left,
            top,
            // Half of the last label.
            right: 36,
            bottom: 28,
        },
        x,
        y,
        marks,
        captions,
        title: heading,
        description,
        is_document: true,
    })
}

/// Ends a part of a line. A single point is a dot: a line of one point cannot be seen.
fn close(part: &mut Vec<(f64, f64)>, class: Class, marks: &mut Vec<Mark>) {
    let part = std::mem::take(part);
    match part.as_slice() {
        [] => {}
        [at] => marks.push(Mark::new(
            class,
            Shape::Dot {
                at: *at,
                radius: 3,
                down: 0,
            },
        )),
        _ => marks.push(Mark::new(class, Shape::Line(part))),
    }
}
