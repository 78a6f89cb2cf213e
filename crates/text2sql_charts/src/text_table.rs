//! Rows as an aligned text table in the style of psql, for reading in a terminal.

use text2sql_domain::words;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use text2sql_domain::hidden_characters::is_hidden;
use text2sql_domain::sql_result::{Cell, ResultColumn};

/// Replaces the truncated part of a value.
const ELLIPSIS: char = '…';

/// Numbers up to this width are never truncated: a truncated number is a wrong number.
const NUMBER_WIDTH: usize = 40;

/// Renders a header, a rule and one line per row, without trailing white space.
///
/// Numbers are right-aligned, all other values left-aligned, and NULL is empty, as in psql. Unlike in
/// psql, a value stays on one line: line breaks and other invisible characters are written as
/// escapes (`\n`, `\x07`, `\u202e`), and a value wider than `max_cell_width` columns of a terminal
/// is truncated.
pub fn render_table(
    columns: &[ResultColumn],
    rows: &[Vec<Cell>],
    max_cell_width: usize,
) -> Vec<String> {
    if columns.is_empty() {
        return vec!["--".to_owned()];
    }
    let names: Vec<String> = columns
        .iter()
        .map(|column| visible(&column.name, max_cell_width))
        .collect();
    let is_number: Vec<bool> = columns
        .iter()
        .map(|column| is_number_type(&column.type_name))
        .collect();
    let cells: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            is_number
                .iter()
                .enumerate()
                .map(|(index, &is_number)| {
                    let text = row.get(index).and_then(|cell| cell.text.as_deref());
                    let max_width = if is_number {
                        max_cell_width.max(NUMBER_WIDTH)
                    } else {
                        max_cell_width
                    };
                    visible(text.unwrap_or_default(), max_width)
                })
                .collect()
        })
        .collect();
    let mut widths: Vec<usize> = names.iter().map(|name| name.width()).collect();
    for row in &cells {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.width());
        }
    }
    let mut lines = Vec::with_capacity(rows.len() + 2);
    let header = names.iter().zip(&widths).map(|(name, &width)| {
        let missing = width.saturating_sub(name.width());
        pad(name, missing / 2, missing - missing / 2)
    });
    lines.push(join(header));
    let rules: Vec<String> = widths.iter().map(|&width| "-".repeat(width + 2)).collect();
    lines.push(rules.join("+"));
    for row in &cells {
        let padded = row
            .iter()
            .zip(&widths)
            .zip(&is_number)
            .map(|((cell, &width), &is_number)| {
                let missing = width.saturating_sub(cell.width());
                if is_number {
                    pad(cell, missing, 0)
                } else {
                    pad(cell, 0, missing)
                }
            });
        lines.push(join(padded));
    }
    lines
}

fn pad(text: &str, before: usize, after: usize) -> String {
    format!(" {}{text}{} ", " ".repeat(before), " ".repeat(after))
}

fn join(cells: impl Iterator<Item = String>) -> String {
    let mut line = cells.collect::<Vec<_>>().join("|");
    line.truncate(line.trim_end_matches(' ').len());
    line
}

/// A text on one line without invisible characters, at most `max_width` columns wide.
fn visible(text: &str, max_width: usize) -> String {
    let max_width = max_width.max(1);
    let mut line = String::new();
    let mut width = 0;
    // Where to truncate: the last position that leaves room for the ellipsis.
    let mut cut = 0;
    for character in text.chars() {
        let piece = visible_character(character);
        let piece_width = piece.as_deref().map_or_else(
            || character.width().unwrap_or_default(),
            UnicodeWidthStr::width,
        );
        if width + piece_width > max_width {
            line.truncate(cut);
            line.push(ELLIPSIS);
            return line;
        }
        match piece {
            Some(piece) => line.push_str(&piece),
            None => line.push(character),
        }
        width += piece_width;
        if width < max_width {
            cut = line.len();
        }
    }
    line
}

/// The escape for an invisible or control character; `None` for all others.
fn visible_character(character: char) -> Option<String> {
    match character {
        '\n' => Some("\\n".to_owned()),
        '\r' => Some("\\r".to_owned()),
        '\t' => Some("\\t".to_owned()),
        c if c.is_ascii_control() => Some(format!("\\x{:02x}", u32::from(c))),
        c if is_hidden(c) => Some(format!("\\u{:04x}", u32::from(c))),
        _ => None,
    }
}

/// Whether psql would right-align values of the type.
fn is_number_type(type_name: &str) -> bool {
    let base = type_name.split('(').next().unwrap_or_default().trim();
    !type_name.ends_with(']')
        && words!(
            "smallint, integer, bigint, numeric, real, double precision, money, oid, xid, xid8, \
             cid"
        )
        .contains(&base)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use serde_json::value::RawValue;

    use super::*;

    fn check(columns: &[(&str, &str)], rows: &[&[Option<&str>]], width: usize, expect: Expect) {
        let columns: Vec<ResultColumn> = columns
            .iter()
            .map(|(name, type_name)| ResultColumn {
                name: (*name).to_owned(),
                type_name: (*type_name).to_owned(),
            })
            .collect();
        let rows: Vec<Vec<Cell>> = rows
            .iter()
            .map(|row| {
                row.iter()
                    .map(|text| Cell {
                        text: text.map(str::to_owned),
                        json: RawValue::from_string("null".to_owned()).unwrap(),
                    })
                    .collect()
            })
            .collect();
        let mut table = render_table(&columns, &rows, width).join("\n");
        table.push('\n');
        expect.assert_eq(&table);
    }

    #[test]
    fn aligns_as_psql_does() {
        check(
            &[
                ("name", "text"),
                ("revenue", "numeric(10,2)"),
                ("tags", "integer[]"),
            ],
            &[
                &[Some("Anna"), Some("1234567.50"), Some("{1,2}")],
                &[Some("Bartholomew"), Some("-3"), None],
                &[None, None, Some("{}")],
            ],
            40,
            expect![[r#"
                    name     |  revenue   | tags
                -------------+------------+-------
                 Anna        | 1234567.50 | {1,2}
                 Bartholomew |         -3 |
                             |            | {}
            "#]],
        );
    }

    #[test]
    fn shows_what_a_terminal_would_hide() {
        check(
            &[("v\n", "text")],
            &[
                &[Some("two\nlines\r\tand a \u{7} bell")],
                &[Some("\u{1b}[31mred")],
                &[Some("a\u{202e}b\u{200b}c\u{2028}d")],
            ],
            60,
            expect![[r#"
                              v\n
                -------------------------------
                 two\nlines\r\tand a \x07 bell
                 \x1b[31mred
                 a\u202eb\u200bc\u2028d
            "#]],
        );
    }

    #[test]
    fn measures_and_cuts_by_display_width() {
        check(
            &[("a very long column name", "text"), ("n", "integer")],
            &[
                &[Some("日本語のテキスト"), Some("1")],
                &[Some("e\u{301}e\u{301}e\u{301}"), Some("12345678901")],
                &[Some("exactly 10"), Some("123")],
                &[Some("eleven char"), Some("1")],
            ],
            10,
            expect![[r#"
                 a very lo… |      n
                ------------+-------------
                 日本語の…  |           1
                 ééé        | 12345678901
                 exactly 10 |         123
                 eleven ch… |           1
            "#]],
        );
        check(
            &[("abc", "text")],
            &[&[Some("日本")]],
            0,
            expect![[r#"
             …
            ---
             …
        "#]],
        );
    }

    #[test]
    fn renders_results_without_rows_or_columns() {
        check(
            &[("id", "integer")],
            &[],
            10,
            expect![[r#"
             id
            ----
        "#]],
        );
        check(
            &[],
            &[&[], &[]],
            10,
            expect![[r#"
            --
        "#]],
        );
        check(
            &[("a", "text"), ("b", "text")],
            &[&[Some("1")]],
            10,
            expect![[r#"
                 a | b
                ---+---
                 1 |
            "#]],
        );
    }
}
