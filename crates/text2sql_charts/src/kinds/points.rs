//! Pairs of values as points.

use super::captions::captions;
use super::layout::Layout;
use crate::numbers::Number;
use crate::plot::{Axis, Class, Margins, Mark, Plot, Shape, nice_axis};
use text2sql_phrases::{Language, say_in};

/// An axis of all values, with zero if that costs at most half of it.
fn axis<'a>(values: impl Iterator<Item = &'a Number>, count: usize, language: Language) -> Axis {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for number in values {
        low = low.min(number.value);
        high = high.max(number.value);
    }
    if low > high {
        (low, high) = (0.0, 1.0);
    }
    if low > 0.0 && low <= high * 0.5 {
        low = 0.0;
    } else if high < 0.0 && high >= low * 0.5 {
        high = 0.0;
    }
    nice_axis(low, high, count, language)
}

pub(super) fn points(
    x_name: &str,
    y_name: &str,
    points: &[(Number, Number, Option<String>)],
    layout: Layout,
) -> Plot {
    let language = layout.language;
    let heading = say_in!(language, "{y_name} (up) by {x_name} (right)");
    let (captions, top) = captions(&heading, &[], None, layout);
    let divisions = if layout.is_narrow() { 3 } else { 7 };
    let x = axis(points.iter().map(|(x, _, _)| x), divisions, language);
    let y = axis(points.iter().map(|(_, y, _)| y), 5, language);
    let marks = points
        .iter()
        .map(|(x, y, name)| {
            let values = format!(
                "{x_name} {}, {y_name} {}",
                x.exact(language),
                y.exact(language)
            );
            let title = match name {
                Some(name) => format!("{name}: {values}"),
                None => values,
            };
            Mark::new(
                Class::Series(0),
                Shape::Dot {
                    at: (x.value, y.value),
                    radius: if points.len() > 200 { 3 } else { 4 },
                    down: 0,
                },
            )
            .titled(title)
        })
        .collect();
    let count = points.len();
    let left = y.label_width() + 16;
    Plot {
        width: layout.width,
        height: top + if layout.is_narrow() { 260 } else { 360 },
        margins: Margins {
            left,
            top,
            right: 36,
            bottom: 28,
        },
        x,
        y,
        marks,
        captions,
        title: heading,
        description: say_in!(
            language,
            "Scatter plot: {count} points, each with {x_name} and {y_name}."
        ),
        is_document: true,
    }
}
