//! Claims of a sentence that the rows contradict: `{rows[0].x} leads with {rows[0].n}` was written before
//! there were rows, and the second row may have the same number.

use super::template::{Piece, column_position, pieces};
use text2sql_domain::sql_result::{Cell, ResultColumn};

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
    matches!(
        name,
        "smallint" | "integer" | "bigint" | "numeric" | "real" | "double precision" | "money"
    )
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;

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
