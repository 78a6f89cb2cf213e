//! What each column of a result is for a chart: a measure, a time, a category, or nothing that can be drawn.

use crate::moments::Moment;
use crate::numbers::Number;
use crate::table::{Cell, ResultColumn, Row, keys};
use text2sql_domain::words;

/// What a column is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Role {
    /// Numbers that have a size.
    Measure(Vec<Option<Number>>),
    /// Points in time.
    Time(Vec<Option<Moment>>),
    /// Names of things. `None` is NULL.
    Category(Vec<Option<String>>),
    /// Numbers or codes that only tell things apart.
    Identifier(Vec<Option<String>>),
    /// Which unit or currency the other columns are in.
    Unit,
    /// Nothing that a chart shows: arrays, documents, network addresses, intervals …
    Other,
}

/// A column with its role.
#[derive(Debug, Clone)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) role: Role,
    /// Values that could not be drawn: NULL, NaN, infinity, years with five digits.
    pub(crate) missing: usize,
    /// How many different values it has, without NULL.
    pub(crate) distinct: usize,
}

/// The type without its modifier: `numeric(10,2)` is `numeric`.
fn base_type(data_type: &str) -> String {
    let mut base = String::new();
    let mut depth = 0_u32;
    for c in data_type.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            c if depth == 0 => base.push(c),
            _ => {}
        }
    }
    base.split_whitespace().collect::<Vec<_>>().join(" ")
}

enum Family {
    Integer,
    Fraction,
    Time,
    Identifier,
    Text,
    Other,
}

fn family(data_type: &str) -> Family {
    let base = base_type(data_type);
    match base.as_str() {
        "smallint" | "integer" | "bigint" => Family::Integer,
        "numeric" | "real" | "double precision" => Family::Fraction,
        "date" | "timestamp" | "timestamp without time zone" | "timestamp with time zone" => {
            Family::Time
        }
        "uuid" | "oid" | "xid" | "ctid" => Family::Identifier,
        // `money` is written as the server's locale says, so its digits are not certain.
        "money"
        | "json"
        | "jsonb"
        | "xml"
        | "bytea"
        | "interval"
        | "inet"
        | "cidr"
        | "macaddr"
        | "macaddr8"
        | "tsvector"
        | "tsquery"
        | "point"
        | "line"
        | "lseg"
        | "box"
        | "path"
        | "polygon"
        | "circle"
        | "bit"
        | "bit varying"
        | "time without time zone"
        | "time with time zone"
        | "pg_lsn"
        | "vector" => Family::Other,
        _ if base.ends_with("[]") || base.ends_with("range") => Family::Other,
        // Texts, and types that users made: enumerations and domains.
        _ => Family::Text,
    }
}

/// The words of a column's name, in lower case.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_lower = false;
    for c in name.chars() {
        let begins = !c.is_alphanumeric() || (c.is_uppercase() && after_lower);
        if begins && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        after_lower = c.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether numbers of a column of this name only tell things apart.
fn names_an_identifier(words: &[String]) -> bool {
    let is = |word: &str| {
        words!(
            "id, ids, uid, oid, nr, no, key, code, zip, zipcode, plz, postcode, phone, telefon, \
             isbn, ean, sku, iban"
        )
        .contains(&word)
    };
    match words {
        [word] => is(word) && word != "no",
        // "order number", but not "number of orders" nor "number".
        [.., last] => is(last) || matches!(last.as_str(), "number" | "nummer"),
        [] => false,
    }
}

fn names_a_year(words: &[String]) -> bool {
    words
        .last()
        .is_some_and(|word| matches!(word.as_str(), "year" | "jahr"))
}

/// Whether numbers of a column of this name are parts of a calendar or a clock, which are not added.
fn names_a_part_of_time(words: &[String]) -> bool {
    words.last().is_some_and(|word| {
        words!(
            "month, monat, quarter, quartal, week, woche, kw, weekday, wochentag, dow, hour, \
             stunde, day, tag"
        )
        .contains(&word.as_str())
    })
}

fn names_a_unit(words: &[String]) -> bool {
    words.iter().any(|word| {
        words!("currency, waehrung, währung, unit, units, uom, einheit").contains(&word.as_str())
    })
}

/// Whether numbers of a column of this name are shares, which share an axis with nothing else.
pub(crate) fn names_a_share(name: &str) -> bool {
    words(name).iter().any(|word| {
        words!("percent, percentage, pct, share, ratio, rate, prozent, anteil, quote, rank, rang")
            .contains(&word.as_str())
    }) || name.contains('%')
}

/// Whether numbers of a column of this name add up to a whole, as averages and prices do not.
pub(crate) fn adds_up(name: &str) -> bool {
    !names_a_share(name)
        && !words(name).iter().any(|word| {
            words!(
                "average, avg, mean, median, min, max, minimum, maximum, highest, lowest, price, rating, score, \
                 growth, durchschnitt, mittel, mittelwert, höchste, niedrigste, preis, bewertung"
            )
            .contains(&word.as_str())
        })
}

fn texts(cells: &[Option<&Cell>]) -> Vec<Option<String>> {
    cells
        .iter()
        .map(|cell| match cell {
            Some(Cell::Text(text) | Cell::Number(text)) => Some(text.clone()),
            Some(Cell::Other) => Some("…".to_owned()),
            Some(Cell::Null) | None => None,
        })
        .collect()
}

fn digits<'a>(cell: &Option<&'a Cell>) -> Option<&'a str> {
    match cell {
        Some(Cell::Number(text) | Cell::Text(text)) => Some(text),
        _ => None,
    }
}

fn is_year(cell: &Option<&Cell>) -> bool {
    digits(cell).is_some_and(|text| {
        text.parse::<i32>()
            .is_ok_and(|year| (1000..3000).contains(&year))
    })
}

/// Whole numbers can be years, parts of a calendar, identifiers and measures: the name of the column says which.
fn role_of_numbers(name: &str, cells: &[Option<&Cell>], are_whole: bool) -> Role {
    let words = words(name);
    if names_a_year(&words)
        && cells
            .iter()
            .all(|cell| matches!(cell, Some(Cell::Null) | None) || is_year(cell))
    {
        return Role::Time(
            cells
                .iter()
                .map(|cell| Moment::of_year(digits(cell)?))
                .collect(),
        );
    }
    if are_whole && names_an_identifier(&words) {
        return Role::Identifier(texts(cells));
    }
    // `extract` returns numeric.
    if names_a_part_of_time(&words) {
        return Role::Category(texts(cells));
    }
    Role::Measure(
        cells
            .iter()
            .map(|cell| Number::read(digits(cell)?))
            .collect(),
    )
}

fn role(column: &ResultColumn, cells: &[Option<&Cell>]) -> Role {
    match family(&column.data_type) {
        Family::Integer => role_of_numbers(&column.name, cells, true),
        Family::Fraction => role_of_numbers(&column.name, cells, false),
        Family::Time => Role::Time(
            cells
                .iter()
                .map(|cell| Moment::read(digits(cell)?))
                .collect(),
        ),
        Family::Identifier => Role::Identifier(texts(cells)),
        Family::Text if names_a_unit(&words(&column.name)) => Role::Unit,
        Family::Text if cells.iter().any(|cell| matches!(cell, Some(Cell::Other))) => Role::Other,
        Family::Text => Role::Category(texts(cells)),
        Family::Other => Role::Other,
    }
}

fn count_distinct(cells: &[Option<&Cell>]) -> usize {
    cells
        .iter()
        .filter_map(digits)
        .collect::<std::collections::HashSet<_>>()
        .len()
}

/// The columns of a result with their roles.
pub(crate) fn fields(columns: &[ResultColumn], rows: &[Row]) -> Vec<Field> {
    columns
        .iter()
        .zip(keys(columns))
        .enumerate()
        .map(|(index, (column, key))| {
            let cells: Vec<_> = rows.iter().map(|row| row.cell(index, &key)).collect();
            let role = role(column, &cells);
            let missing = match &role {
                Role::Measure(values) => values.iter().filter(|value| value.is_none()).count(),
                Role::Time(values) => values.iter().filter(|value| value.is_none()).count(),
                Role::Category(values) | Role::Identifier(values) => {
                    values.iter().filter(|value| value.is_none()).count()
                }
                Role::Unit | Role::Other => 0,
            };
            Field {
                name: column.name.clone(),
                role,
                missing,
                distinct: count_distinct(&cells),
            }
        })
        .collect()
}
