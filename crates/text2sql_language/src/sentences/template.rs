//! The sentence of an answer: a template with placeholders that is filled from the rows on this side. A
//! model writes the template before any row exists, so it sees no rows. The template is untrusted text:
//! markup is removed, placeholders must exist, and a number that the question does not contain is rejected
//! as a guess. If a template fails a check, the caller shows the sentence that is made from the rows.

use std::borrow::Cow;

use super::values::{fits, readable};
use crate::numbers::{in_digits, of_folded};
use crate::terms::fold;
use crate::understanding::Understanding;
use text2sql_domain::hidden_characters::is_hidden;
use text2sql_domain::sql_result::{Cell, ResultColumn};

/// Maximum length of a template in characters: three sentences.
const TEMPLATE_CHARACTERS: usize = 500;

/// Maximum length of a finished sentence in characters.
const SENTENCE_CHARACTERS: usize = 2_000;

/// Maximum length of model-written text that is examined, in characters.
const INPUT_CHARACTERS: usize = 4_000;

/// Fills `{row_count}`, `{rows[0].name}` and `{rows[-1].name}` (counted from the end); `{{` and
/// `}}` stand for braces. Values go in as the server wrote them, fractions without end rounded.
///
/// `None` when a placeholder is malformed or names a row or column that is not there, when the
/// value is NULL, long or has invisible characters, or when it counts from the end of a result
/// that was cut. A cut result has "at least" so many rows.
pub fn fill(
    template: &str,
    columns: &[ResultColumn],
    rows: &[Vec<Cell>],
    is_truncated: bool,
) -> Option<String> {
    let template = strip_markup(template);
    let mut sentence = String::new();
    for piece in pieces(&template)? {
        match piece {
            Piece::Text(text) => sentence.push_str(text),
            Piece::Placeholder("row_count") if is_truncated => {
                sentence.push_str(&format!("at least {}", rows.len()));
            }
            Piece::Placeholder("row_count") => sentence.push_str(&rows.len().to_string()),
            Piece::Placeholder(name) => {
                sentence.push_str(&value(name, columns, rows, is_truncated)?);
            }
        }
    }
    let is_useful = !sentence.trim().is_empty() && sentence.chars().count() <= SENTENCE_CHARACTERS;
    is_useful.then_some(sentence)
}

/// Whether each number that the template states itself, outside its placeholders, is one that the
/// question states: in digits, or in words.
pub fn is_grounded(template: &str, understanding: &Understanding) -> bool {
    let mut known = understanding.digits().to_vec();
    for word in understanding.words() {
        let one = (word == "one").then_some(1.0);
        if let Some(number) = one.or_else(|| of_folded(&fold(word))) {
            known.push(number.to_string());
        }
    }
    let stated: String = match pieces(template) {
        Some(pieces) => pieces
            .into_iter()
            .map(|piece| match piece {
                Piece::Text(text) => text,
                // Keeps the digits on its two sides apart.
                Piece::Placeholder(_) => " ",
            })
            .collect(),
        None => template.to_owned(),
    };
    in_digits(&stated)
        .iter()
        .all(|number| known.contains(number))
}

/// Makes one plain line of model-written text: without URLs, Markdown images and links (their
/// words stay), HTML tags, control characters and changes of writing direction; at most 500
/// characters.
///
/// Clients that render Markdown or HTML would otherwise fetch a picture whose address holds a
/// value, which is how answers leak.
pub fn strip_markup(text: &str) -> String {
    let mut text: String = text
        .chars()
        .take(INPUT_CHARACTERS)
        .map(|c| if c.is_whitespace() { ' ' } else { c })
        .filter(|&c| !is_hidden(c))
        .collect();
    // What is left after one pass may be markup again, such as `<scr<b>ipt>`.
    loop {
        let stripped = without_urls(&without_tags(&without_links(&text)));
        if stripped.len() == text.len() {
            break;
        }
        text = stripped;
    }
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut line: String = line.chars().take(TEMPLATE_CHARACTERS).collect();
    line.truncate(line.trim_end().len());
    line
}

pub enum Piece<'t> {
    Text(&'t str),
    Placeholder(&'t str),
}

/// Splits a template at its placeholders; `None` when a brace is open or closed too often.
pub fn pieces(template: &str) -> Option<Vec<Piece<'_>>> {
    let mut pieces = Vec::new();
    let mut rest = template;
    while let Some(position) = rest.find(['{', '}']) {
        let (text, from_brace) = rest.split_at_checked(position)?;
        pieces.push(Piece::Text(text));
        if let Some(after) = from_brace.strip_prefix("{{") {
            pieces.push(Piece::Text("{"));
            rest = after;
        } else if let Some(after) = from_brace.strip_prefix("}}") {
            pieces.push(Piece::Text("}"));
            rest = after;
        } else {
            let (name, after) = from_brace.strip_prefix('{')?.split_once('}')?;
            if name.contains('{') {
                return None;
            }
            pieces.push(Piece::Placeholder(name.trim()));
            rest = after;
        }
    }
    pieces.push(Piece::Text(rest));
    Some(pieces)
}

/// The value of the placeholder `rows[0].name`.
fn value<'r>(
    placeholder: &str,
    columns: &[ResultColumn],
    rows: &'r [Vec<Cell>],
    is_truncated: bool,
) -> Option<Cow<'r, str>> {
    let (index, rest) = placeholder.strip_prefix("rows[")?.split_once(']')?;
    let name = rest.strip_prefix('.')?;
    let row = match index.trim().strip_prefix('-') {
        Some(_) if is_truncated => return None,
        Some(from_end) => rows.len().checked_sub(position(from_end)?)?,
        None => position(index.trim())?,
    };
    let column = column_position(name, columns)?;
    let text = rows.get(row)?.get(column)?.text.as_deref()?;
    let type_name = &columns.get(column)?.type_name;
    fits(text).then(|| readable(text, type_name))
}

fn position(digits: &str) -> Option<usize> {
    let is_number = !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit());
    is_number.then(|| digits.parse().ok()).flatten()
}

/// The column of that name; the second of the same name is called `name_2`, as in the JSON rows.
/// Without an exact match, the only one that differs in case.
pub fn column_position(name: &str, columns: &[ResultColumn]) -> Option<usize> {
    if let Some(position) = columns.iter().position(|column| column.name == name) {
        return Some(position);
    }
    if let Some((base, number)) = name.rsplit_once('_')
        && let Some(number) = position(number)
        && number > 1
    {
        let mut same_name = columns
            .iter()
            .enumerate()
            .filter(|(_, column)| column.name == base);
        if let Some((position, _)) = same_name.nth(number - 1) {
            return Some(position);
        }
    }
    let mut similar = columns
        .iter()
        .enumerate()
        .filter(|(_, column)| column.name.to_lowercase() == name.to_lowercase());
    let (position, _) = similar.next()?;
    similar.next().is_none().then_some(position)
}

/// Replaces `[words](address)` and `![words](address)` by the words.
fn without_links(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("](") {
        let (start, words) = before.rsplit_once('[').unwrap_or((before, ""));
        kept.push_str(start.strip_suffix('!').unwrap_or(start));
        kept.push_str(words);
        rest = after.split_once(')').map_or("", |(_, rest)| rest);
    }
    kept.push_str(rest);
    kept
}

/// Drops HTML tags and comments; a `<` that begins none stays.
fn without_tags(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        kept.push_str(before);
        let begins_tag = after
            .chars()
            .next()
            .is_some_and(|c| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?'));
        if !begins_tag {
            kept.push('<');
            rest = after;
        } else if let Some((_, behind)) = after.split_once('>') {
            rest = behind;
        } else {
            // No tag without its end, but a page that goes on could supply one.
            rest = after;
        }
    }
    kept.push_str(rest);
    kept
}

/// Drops addresses: whatever has a scheme, and what clients take for one.
fn without_urls(text: &str) -> String {
    let words: Vec<&str> = text
        .split(' ')
        .map(|word| match url_start(word) {
            Some(start) => word.get(..start).unwrap_or_default(),
            None => word,
        })
        .collect();
    words.join(" ")
}

/// Where in a word an address begins.
fn url_start(word: &str) -> Option<usize> {
    // Every beginning of an address has one of them.
    if !word.bytes().any(|byte| matches!(byte, b':' | b'.')) {
        return None;
    }
    let lower = word.to_ascii_lowercase();
    let with_scheme = lower.find("://").map(|colon| {
        lower
            .get(..colon)
            .unwrap_or_default()
            .trim_end_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '.' | '-'))
            .len()
    });
    let without_slashes = ["www.", "mailto:", "javascript:", "vbscript:", "data:"]
        .iter()
        .filter_map(|prefix| {
            let start = lower.find(prefix)?;
            let begins_word = lower
                .get(..start)?
                .chars()
                .next_back()
                .is_none_or(|c| !c.is_alphanumeric());
            let goes_on = lower.len() > start + prefix.len();
            (begins_word && goes_on).then_some(start)
        })
        .min();
    with_scheme.into_iter().chain(without_slashes).min()
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;

    fn columns(names: &[&str]) -> Vec<ResultColumn> {
        names
            .iter()
            .map(|name| ResultColumn {
                name: (*name).to_owned(),
                type_name: "text".to_owned(),
            })
            .collect()
    }

    fn row(texts: &[Option<&str>]) -> Vec<Cell> {
        texts
            .iter()
            .map(|text| Cell {
                text: text.map(str::to_owned),
                json: RawValue::from_string("null".to_owned()).unwrap(),
            })
            .collect()
    }

    fn check(template: &str, expect: Option<&str>) {
        let columns = columns(&["country", "count", "Größe", "count"]);
        let long = "x".repeat(300);
        let rows = [
            row(&[Some("Chad"), Some("00042.500"), None, Some("7")]),
            row(&[Some(&long), Some("2"), Some("a\nb"), Some("8")]),
            row(&[Some("Peru {row_count}"), Some("1"), Some("gold"), Some("9")]),
        ];
        assert_eq!(
            fill(template, &columns, &rows, false).as_deref(),
            expect,
            "{template}"
        );
    }

    #[test]
    fn fills_in_values_exactly_as_they_are() {
        check(
            "{row_count} countries; {rows[0].country} leads with {rows[0].count}",
            Some("3 countries; Chad leads with 00042.500"),
        );
        check(
            "last is {rows[-1].country}",
            Some("last is Peru {row_count}"),
        );
        check("{ rows[2].größe } {{as is}}", Some("gold {as is}"));
        check(
            "{rows[-3].count} and {rows[0].count_2}",
            Some("00042.500 and 7"),
        );
        check("{rows[2].GRÖSSE}", None);
        check("no placeholder at all", Some("no placeholder at all"));
    }

    #[test]
    fn gives_up_rather_than_guess() {
        for template in [
            "{rows[3].country}",
            "{rows[-4].country}",
            "{rows[-0].country}",
            "{rows[0].nothing}",
            "{rows[0].count_3}",
            "{rows[0].Größe}",
            "{rows[1].Größe}",
            "{rows[1].country}",
            "{rows[0]}",
            "{rows.country}",
            "{rows[].country}",
            "{rows[+1].country}",
            "{rows[99999999999999999999999].country}",
            "{columns}",
            "{}",
            "{row_count",
            "row_count}",
            "{row{row_count}}",
            "",
            "  ",
        ] {
            check(template, None);
        }
    }

    #[test]
    fn a_cut_result_claims_no_total_and_no_last_row() {
        let columns = columns(&["a"]);
        let rows = [row(&[Some("x")]), row(&[Some("y")])];
        let filled = |template| fill(template, &columns, &rows, true);
        assert_eq!(
            filled("{row_count} rows").as_deref(),
            Some("at least 2 rows")
        );
        assert_eq!(filled("first {rows[0].a}").as_deref(), Some("first x"));
        assert_eq!(filled("last {rows[-1].a}"), None);
    }

    #[test]
    fn a_result_without_rows_has_no_first_one() {
        assert_eq!(fill("{rows[0].a}", &columns(&["a"]), &[], false), None);
        assert_eq!(
            fill("{row_count} found", &[], &[], false).as_deref(),
            Some("0 found")
        );
    }

    #[test]
    fn numbers_of_the_template_must_be_the_questions() {
        let check = |template: &str, question: &str, expect: bool| {
            assert_eq!(
                is_grounded(template, &Understanding::of(question, "2026-11-21")),
                expect,
                "{template} | {question}"
            );
        };
        check("{row_count} countries", "which countries?", true);
        check("The top 5: {rows[0].country}", "top 5 countries", true);
        check(
            "The top 5: {rows[0].country}",
            "which five countries lead?",
            true,
        );
        check("There are 42 countries", "how many countries?", false);
        check("20 of them", "in 2024", false);
        check("Orders above 1,000 euros", "orders over 1000", true);
        check("Orders above 10.5", "over 10.5", true);
        check("Orders above 10.5", "over 10 or 5", false);
        check("Since 2024-01-31", "since 2024-01-31", true);
        check("The first and the second one", "who leads?", true);
        check("٤٢ rows", "how many?", false);
        check("half: ½", "how many?", false);
        check("5{row_count}6 open {", "5 and 6", true);
        check("{rows[7].a} and {", "who?", false);
        check("{rows[7].a", "who?", false);
    }

    #[test]
    fn model_written_text_loses_its_markup() {
        let check = |text: &str, expect: &str| assert_eq!(strip_markup(text), expect, "{text}");
        check("two\n\nlines\tand  spaces ", "two lines and spaces");
        check(
            "see [the report](https://evil.example/?q={rows[0].a}) now",
            "see the report now",
        );
        check("![x](http://evil.example/p.png)done", "xdone");
        check("[a](b)[c](d", "ac");
        check("<b>bold</b> <img src=x onerror=alert(1)>", "bold");
        check("<scr<b>ipt>alert(1)</script>", "ipt>alert(1)");
        check("a < b and c > d", "a < b and c > d");
        check("open <img src=", "open img src=");
        check("go to HTTPS://evil.example/x, now", "go to now");
        check("(ftp://x) www.evil.example mailto:a@b", "(");
        check("javascript:alert(1) data: five", "data: five");
        check("\u{202e}evil\u{0}\u{1b}[0m\u{200b}", "evil[0m");
        check(
            "{rows[0].name} has {row_count}",
            "{rows[0].name} has {row_count}",
        );
        check("שלום 日本", "שלום 日本");
        assert_eq!(strip_markup(&"ä".repeat(9_999)).chars().count(), 500);
        assert!(strip_markup(&"[](".repeat(5_000)).len() < 500);
        assert!(strip_markup(&"<a".repeat(5_000)).chars().count() <= 500);
    }
}
