//! Bars beside a text table of one label and one number: the largest value has the longest bar.

use text2sql_domain::words;
use unicode_width::UnicodeWidthStr;

use text2sql_domain::sql_result::{Cell, ResultColumn};

/// Width of the longest bar, in terminal columns.
const WIDTH: f64 = 24.0;

/// Parts of a column that a bar can end with.
const EIGHTHS: [char; 7] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/// A full column.
const FULL: char = '█';

/// Words that a number column has in its name if its values are no amounts.
const LABELS: &[&str] = &[
    "id", "year", "quarter", "month", "week", "day", "hour", "no", "nr", "code", "zip",
];

/// Adds a bar to each row of `table`, as [`crate::text_table::render_table`] gives it: a header, a rule, the rows. Does nothing
/// unless the result is several rows of one label and one number, and no number is negative.
pub fn add_bars(table: &mut [String], columns: &[ResultColumn], rows: &[Vec<Cell>]) {
    let Some(bars) = bars(columns, rows) else {
        return;
    };
    let longest = bars.iter().map(|bar| bar.width()).max().unwrap_or_default();
    let [header, rule, lines @ ..] = table else {
        return;
    };
    let width = rule.width();
    rule.push_str(&format!("+{}", "-".repeat(longest + 2)));
    widen(header, width, "|");
    for (line, bar) in lines.iter_mut().zip(&bars) {
        let end = format!("| {bar}");
        widen(line, width, end.trim_end());
    }
}

fn widen(line: &mut String, width: usize, end: &str) {
    let missing = width.saturating_sub(line.width());
    line.push_str(&" ".repeat(missing));
    line.push_str(end);
}

/// The bars; `None` if the result is no list of amounts.
fn bars(columns: &[ResultColumn], rows: &[Vec<Cell>]) -> Option<Vec<String>> {
    let [first, second] = columns else {
        return None;
    };
    let number = match (is_amount(first), is_amount(second)) {
        (false, true) => 1,
        (true, false) => 0,
        _ => return None,
    };
    let values = rows.iter().map(|row| match &row.get(number)?.text {
        Some(text) => text.parse::<f64>().ok(),
        None => Some(0.0),
    });
    let values: Vec<f64> = values.collect::<Option<_>>()?;
    let most = values.iter().copied().fold(0.0, f64::max);
    let can_be_drawn = values.len() > 1
        && most > 0.0
        && values.iter().all(|value| (0.0..=f64::MAX).contains(value));
    can_be_drawn.then(|| values.iter().map(|value| bar(value / most)).collect())
}

/// The bar of a part of the largest value.
fn bar(part: f64) -> String {
    let eighths = part * WIDTH * 8.0;
    // What is more than nothing is seen.
    let smallest = if part > 0.0 { 1.0 } else { 0.0 };
    let eighths = eighths.round().max(smallest) as usize;
    let mut bar = FULL.to_string().repeat(eighths / 8);
    bar.extend(
        (eighths % 8)
            .checked_sub(1)
            .and_then(|end| EIGHTHS.get(end)),
    );
    bar
}

fn is_amount(column: &ResultColumn) -> bool {
    let base = column
        .type_name
        .split('(')
        .next()
        .unwrap_or_default()
        .trim();
    let is_number = !column.type_name.ends_with(']')
        && words!("smallint, integer, bigint, numeric, real, double precision").contains(&base);
    let name = column.name.to_lowercase();
    let mut words = name.split(|c: char| !c.is_alphanumeric());
    is_number && !words.any(|word| LABELS.contains(&word))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use serde_json::value::RawValue;

    use super::*;
    use crate::text_table::render_table;

    fn check(columns: [(&str, &str); 2], rows: &[[Option<&str>; 2]], expect: Expect) {
        let columns = columns.map(|(name, type_name)| ResultColumn {
            name: name.to_owned(),
            type_name: type_name.to_owned(),
        });
        let cell = |text: &Option<&str>| Cell {
            text: text.map(str::to_owned),
            json: RawValue::from_string("null".to_owned()).unwrap(),
        };
        let rows: Vec<Vec<Cell>> = rows
            .iter()
            .map(|row| row.iter().map(cell).collect())
            .collect();
        let mut table = render_table(&columns, &rows, 60);
        add_bars(&mut table, &columns, &rows);
        expect.assert_eq(&format!("{}\n", table.join("\n")));
    }

    #[test]
    fn a_label_and_a_number_are_drawn() {
        check(
            [("country", "text"), ("customers", "bigint")],
            &[
                [Some("Germany"), Some("3600")],
                [Some("Österreich"), Some("2594")],
                [Some("日本"), Some("51")],
                [Some("Malta"), Some("1")],
                [Some("Norway"), Some("0")],
                [None, None],
            ],
            expect![[r#"
                  country   | customers |
                ------------+-----------+--------------------------
                 Germany    |      3600 | ████████████████████████
                 Österreich |      2594 | █████████████████▎
                 日本       |        51 | ▍
                 Malta      |         1 | ▏
                 Norway     |         0 |
                            |           |
            "#]],
        );
        check(
            [("year", "integer"), ("total", "numeric(10,2)")],
            &[[Some("2024"), Some("1.50")], [Some("2025"), Some("3.00")]],
            expect![[r#"
                 year | total |
                ------+-------+--------------------------
                 2024 |  1.50 | ████████████
                 2025 |  3.00 | ████████████████████████
            "#]],
        );
    }

    #[test]
    fn other_results_have_no_bars() {
        let plain = expect![[r#"
             a | b
            ---+---
             x | 1
             y | 2
        "#]];
        let rows = [[Some("x"), Some("1")], [Some("y"), Some("2")]];
        check([("a", "text"), ("b", "text")], &rows, plain);
        let mut negative = vec!["h".to_owned(), "r".to_owned()];
        let columns = ["a", "n"].map(|name| ResultColumn {
            name: name.to_owned(),
            type_name: if name == "n" { "numeric" } else { "text" }.to_owned(),
        });
        for texts in [["1", "-1"], ["NaN", "1"], ["0", "0"], ["Infinity", "1"]] {
            let rows: Vec<Vec<Cell>> = texts
                .iter()
                .map(|text| {
                    ["x", text]
                        .map(|text| Cell {
                            text: Some(text.to_owned()),
                            json: RawValue::from_string("null".to_owned()).unwrap(),
                        })
                        .to_vec()
                })
                .collect();
            add_bars(&mut negative, &columns, &rows);
            assert_eq!(negative, ["h", "r"], "{texts:?}");
        }
    }
}
