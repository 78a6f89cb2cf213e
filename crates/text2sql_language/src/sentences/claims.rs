//! Claims of a sentence that the rows contradict: `{rows[0].x} leads with {rows[0].n}` was written before
//! there were rows, and the second row may have the same number. Of a result that was cut, no row shows what is the
//! highest of all, unless the rows are ordered by it.

use super::result::facts::Order;
use super::template::{Piece, column_position, pieces};
use crate::english::lexicon::superlative;
use crate::understanding::lower_words;
use text2sql_domain::sql_result::{Cell, ResultColumn};
use text2sql_domain::words;

/// Words that speak of all rows, also of those that a cut result does not show.
const OF_ALL: &[&str] = words!(
    "all, every, none, overall, altogether, alle, allen, aller, jede, jeder, jedes, \
     insgesamt, todos, tous"
);

/// Whether a sentence about a result that was cut speaks of all rows: by a word for them, or by a superlative where the
/// first row is not the end of the order that the sentence names.
pub fn reaches_beyond(sentence: &str, order: Option<&Order>, columns: &[ResultColumn]) -> bool {
    let mut said = String::new();
    let mut placeholders = Vec::new();
    for piece in pieces(sentence).unwrap_or_default() {
        match piece {
            Piece::Text(text) => said.push_str(text),
            Piece::Placeholder(name) => {
                // Keeps the words on its two sides apart.
                said.push_str(" , ");
                placeholders.push(name.to_owned());
            }
        }
    }
    let words = lower_words(&said);
    let mut ends = words
        .iter()
        .enumerate()
        .filter(|(place, _)| {
            let before = place.checked_sub(1).and_then(|before| words.get(before));
            before.is_none_or(|before| before != "at")
        })
        .filter_map(|(_, word)| end_of(word))
        .peekable();
    if ends.peek().is_none() {
        return words.iter().any(|word| OF_ALL.contains(&word.as_str()));
    }
    // "The three largest are …" tells of other rows after the first one.
    let has_first =
        placeholders.is_empty() || placeholders.iter().any(|name| name.starts_with("rows[0]."));
    let is_of_order = order.is_some_and(|order| {
        let of_key = |name: &String| {
            let column = name.strip_prefix("rows[0].");
            column.is_none_or(|column| {
                let place = column_position(column, columns);
                let is_number = place
                    .and_then(|place| columns.get(place))
                    .is_some_and(is_number);
                !is_number || order.output.is_none() || place == order.output
            })
        };
        has_first
            && placeholders.iter().all(of_key)
            && ends.all(|is_high| is_high.is_none_or(|is_high| is_high == order.is_descending))
    });
    !is_of_order
}

/// Whether a word is a superlative, and if that is known, whether of the high end.
fn end_of(word: &str) -> Option<Option<bool>> {
    if let Some(is_high) = superlative(word) {
        return Some(Some(is_high));
    }
    let ending = ["ste", "sten", "ster", "stes"];
    let is_german = word.chars().count() > 6 && ending.iter().any(|end| word.ends_with(end));
    (is_german || ["leads", "tops", "führt"].contains(&word)).then_some(None)
}

/// Whether the template says something of the first row with a number that the second row has as well: it
/// may say that the first one leads. Where several of its numbers differ, one of them may be what orders the
/// rows.
pub fn singles_out_an_equal(template: &str, columns: &[ResultColumn], rows: &[Vec<Cell>]) -> bool {
    let [first, second, ..] = rows else {
        return false;
    };
    let mut numbers = Vec::new();
    let mut names_another = false;
    for piece in pieces(template).unwrap_or_default() {
        let Piece::Placeholder(placeholder) = piece else {
            continue;
        };
        let Some(name) = placeholder.strip_prefix("rows[0].") else {
            // It tells of other rows too.
            names_another |= placeholder.starts_with("rows[");
            continue;
        };
        let Some(place) = column_position(name, columns) else {
            continue;
        };
        if columns.get(place).is_some_and(is_number) {
            numbers.push(place);
        }
    }
    let text = |row: &[Cell], place: usize| row.get(place).and_then(|cell| cell.text.clone());
    !names_another
        && !numbers.is_empty()
        && numbers
            .iter()
            .all(|place| text(first, *place) == text(second, *place))
}

fn is_number(column: &ResultColumn) -> bool {
    let name = column.type_name.split('(').next().unwrap_or_default();
    words!("smallint, integer, bigint, numeric, real, double precision, money").contains(&name)
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::super::result::facts::Output;
    use super::*;

    #[test]
    fn a_cut_result_has_no_highest_but_that_of_its_order() {
        let columns = [("ward", "text"), ("beds", "integer"), ("nurses", "integer")].map(
            |(name, type_name)| ResultColumn {
                name: name.to_owned(),
                type_name: type_name.to_owned(),
            },
        );
        let by_beds = |is_descending| Order {
            output: Some(1),
            is_descending,
            is: Output::default(),
        };
        let leads = "{rows[0].ward} has the most beds, {rows[0].beds}.";
        for (sentence, order, is_beyond) in [
            (leads, None, true),
            (leads, Some(by_beds(true)), false),
            (leads, Some(by_beds(false)), true),
            (
                "{rows[0].ward} has the highest number: {rows[0].nurses}.",
                Some(by_beds(true)),
                true,
            ),
            (
                "{rows[3].ward} is the largest with {rows[3].beds}.",
                Some(by_beds(true)),
                true,
            ),
            ("Die höchste Zahl hat {rows[0].ward}.", None, true),
            (
                "All wards have at least {rows[0].beds} beds.",
                Some(by_beds(true)),
                true,
            ),
            (
                "The largest are {rows[0].ward} and {rows[1].ward}.",
                Some(by_beds(true)),
                false,
            ),
            (
                "{rows[0].ward} has at least {rows[0].beds} beds.",
                None,
                false,
            ),
        ] {
            assert_eq!(
                reaches_beyond(sentence, order.as_ref(), &columns),
                is_beyond,
                "{sentence} {order:?}"
            );
        }
    }

    #[test]
    fn the_first_row_is_not_singled_out_where_the_second_has_its_numbers() {
        let columns = [
            ("title", "text"),
            ("length", "integer"),
            ("rate", "numeric(4,2)"),
        ]
        .map(|(name, type_name)| ResultColumn {
            name: name.to_owned(),
            type_name: type_name.to_owned(),
        });
        let row = |texts: [&str; 3]| -> Vec<Cell> {
            let cell = |text: &str| Cell {
                text: Some(text.to_owned()),
                json: RawValue::from_string("null".to_owned()).unwrap(),
            };
            texts.map(cell).into()
        };
        let tied = [row(["A", "185", "1.00"]), row(["B", "185", "2.00"])];
        let alone = [row(["A", "186", "1.00"]), row(["B", "185", "1.00"])];
        let check = |template: &str, rows: &[Vec<Cell>], expect: bool| {
            assert_eq!(
                singles_out_an_equal(template, &columns, rows),
                expect,
                "{template}"
            );
        };
        let leads = "{rows[0].title} is the longest with {rows[0].length} minutes.";
        check(leads, &tied, true);
        check(leads, &alone, false);
        // Another of its numbers may be what orders the rows.
        check(
            "{rows[0].title}: {rows[0].length}, {rows[0].rate}",
            &tied,
            false,
        );
        // It tells of the second row too, of no number, or there is no second row.
        check(
            "{rows[0].title} and {rows[1].title}: {rows[0].length}",
            &tied,
            false,
        );
        check("{row_count} films, first {rows[0].title}", &tied, false);
        check(leads, &[row(["A", "185", "1.00"])], false);
    }
}
