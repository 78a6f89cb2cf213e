//! What stands around the marks: heading, legend, and the description for screen readers.

use super::layout::Layout;
use crate::numbers::Number;
use crate::plot::text::{fit, short, width};
use crate::plot::{Caption, Class};
use crate::rule::Series;
use text2sql_phrases::say_in;

/// Height of a line of text.
pub(super) const LINE: u32 = 18;

/// A heading, a legend if there are several series, a note, and their height.
pub(super) fn captions(
    heading: &str,
    series: &[Series],
    note: Option<&str>,
    layout: Layout,
) -> (Vec<Caption>, u32) {
    let mut y = LINE;
    let mut captions = vec![Caption::Text {
        at: (4, (y / 2 + 2) as i32),
        text: fit(heading, layout.width - 12),
        class: Class::Heading,
    }];
    if series.len() > 1 {
        let mut x = 4;
        for (index, one) in series.iter().enumerate() {
            let name = short(&one.name, if layout.is_narrow() { 20 } else { 32 });
            let room = 16 + width(&name) + 14;
            if x > 4 && x + room > layout.width {
                x = 4;
                y += LINE;
            }
            let middle = (y + LINE / 2 + 2) as i32;
            captions.push(Caption::Swatch {
                at: (x as i32, middle - 5),
                series: index,
            });
            captions.push(Caption::Text {
                at: (x as i32 + 16, middle),
                text: name,
                class: Class::Label,
            });
            x += room;
        }
        y += LINE;
    }
    if let Some(note) = note {
        captions.push(Caption::Text {
            at: (4, (y + LINE / 2 + 2) as i32),
            text: fit(note, layout.width - 12),
            class: Class::Note,
        });
        y += LINE;
    }
    (captions, y + 8)
}

/// The smallest and the largest value in words, with the names of their places.
pub(super) fn extremes<'a>(
    values: impl Iterator<Item = (&'a Number, String)>,
    layout: Layout,
) -> String {
    let mut extremes: Option<[(&Number, String); 2]> = None;
    for place in values {
        let [low, high] = extremes.get_or_insert_with(|| [place.clone(), place.clone()]);
        if place.0.value < low.0.value {
            *low = place;
        } else if place.0.value > high.0.value {
            *high = place;
        }
    }
    let Some([(low, low_name), (high, high_name)]) = extremes else {
        return String::new();
    };
    let language = layout.language;
    let (low, high) = (low.exact(language), high.exact(language));
    let (low_name, high_name) = (short(&low_name, 80), short(&high_name, 80));
    say_in!(
        language,
        " Highest: {high_name}, {high}. Lowest: {low_name}, {low}."
    )
}

/// What is said in the place of a value that is not there.
pub(super) fn no_value(layout: Layout) -> String {
    say_in!(layout.language, "no value")
}
