//! Values as a sentence writes them: the digits of a language, days, long texts cut. The rows keep every digit.

use std::cmp::Ordering;
use text2sql_domain::words;

use super::facts::{Output, Role};
use super::kinds::Change;
use super::phrases::Phrases;
use crate::numbers::of_cell;
use crate::sentences::values::readable;
use text2sql_domain::hidden_characters::is_hidden;
use text2sql_domain::sql_result::ResultColumn;

/// Maximum length of a name among others, in characters.
pub const MAX_NAME: usize = 60;

/// Significant digits that a sum in floating point keeps.
const EXACT_DIGITS: usize = 15;

/// Words in the name of a column whose numbers are not amounts.
const NOT_AMOUNTS: &[&str] = &[
    "id", "ids", "year", "years", "jahr", "no", "nr", "code", "zip", "plz", "postcode", "phone",
    "number", "nummer", "key", "isbn", "ean", "sku", "version",
];

/// Whether a type is one of numbers.
pub fn is_number_type(type_name: &str) -> bool {
    let name = type_name.split('(').next().unwrap_or_default().trim();
    let is_array = type_name.ends_with(']');
    !is_array
        && words!("smallint, integer, bigint, numeric, real, double precision").contains(&name)
}

/// Whether a type is one of days and times.
pub fn is_time_type(type_name: &str) -> bool {
    type_name == "date" || type_name.starts_with("timestamp")
}

/// Whether the numbers of a column are amounts, for thousands and for comparisons.
pub fn is_amount(column: &ResultColumn, output: &Output) -> bool {
    if !is_number_type(&column.type_name) {
        return false;
    }
    match output.role {
        Role::Count | Role::DistinctCount | Role::Sum | Role::Measure => true,
        Role::Id | Role::Time(_) => false,
        Role::Unknown | Role::Value => {
            let name = crate::names::readable(&column.name);
            !name.split(' ').any(|word| NOT_AMOUNTS.contains(&word))
        }
    }
}

/// A value, at most `max` characters long.
pub fn said(
    phrases: &dyn Phrases,
    text: &str,
    column: &ResultColumn,
    output: &Output,
    max: usize,
) -> String {
    if is_amount(column, output) {
        let is_computed = matches!(output.role, Role::Sum | Role::Measure);
        let amount = match is_computed.then(|| rounded(phrases, text)).flatten() {
            Some(rounded) => rounded,
            None => amount(phrases, text, &column.type_name),
        };
        return match &output.unit {
            Some(unit) if unit == "%" => phrases.percent(&amount),
            Some(unit) => format!("{amount} {unit}"),
            None => amount,
        };
    }
    match column.type_name.as_str() {
        "boolean" if text == "t" || text == "f" => phrases.truth(text == "t"),
        name if name.starts_with("timestamp") => time(text),
        name if is_number_type(name) => readable(text, name).into_owned(),
        _ => one_line(text, max),
    }
}

/// Magnitude from which a computed number shows no more than two digits of its fraction.
const LARGE: f64 = 100.0;

/// A large computed number with two digits of its fraction, if it has more.
fn rounded(phrases: &dyn Phrases, text: &str) -> Option<String> {
    let (whole, fraction) = text.split_once('.')?;
    let value = of_cell(text)
        .filter(|value| value.abs() >= LARGE && fraction.len() > 2 && whole.len() < EXACT_DIGITS)?;
    Number::text(phrases, value, 3)
}

/// A number in the digits of the language.
pub fn amount(phrases: &dyn Phrases, text: &str, type_name: &str) -> String {
    let (thousands, point) = phrases.separators();
    grouped(&readable(text, type_name), thousands, point)
}

/// A plain number with the signs of a language; anything else as it is.
pub fn grouped(text: &str, thousands: Option<char>, point: char) -> String {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let is_plain = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_plain(whole) || !is_plain(fraction) {
        return text.to_owned();
    }
    let mut all = String::from(sign);
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            all.extend(thousands);
        }
        all.push(digit);
    }
    if !fraction.is_empty() {
        all.push(point);
        all.push_str(fraction);
    }
    all
}

/// A time without what says nothing: midnight, and fractions of a second.
fn time(text: &str) -> String {
    let (day, clock) = text.split_once(' ').unwrap_or((text, ""));
    let bare = clock.split(['+', '-', '.']).next().unwrap_or_default();
    match bare {
        "" | "00:00:00" => day.to_owned(),
        clock => format!("{day} {clock}"),
    }
}

/// A text on one line, without invisible characters, cut after `max` characters.
pub fn one_line(text: &str, max: usize) -> String {
    let visible = text.chars().map(|c| {
        if c.is_whitespace() || is_hidden(c) {
            ' '
        } else {
            c
        }
    });
    let mut line = String::new();
    let mut length = 0;
    for c in visible.skip_while(|c| *c == ' ') {
        if c == ' ' && line.ends_with(' ') {
            continue;
        }
        if length == max {
            line.truncate(line.trim_end().len());
            line.push('…');
            return line;
        }
        line.push(c);
        length += 1;
    }
    line.truncate(line.trim_end().len());
    if line.is_empty() {
        "''".to_owned()
    } else {
        line
    }
}

/// Numbers that may be added and subtracted: as values, and with the digits of their fraction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Number {
    /// The value.
    pub value: f64,
    digits: usize,
}

impl Number {
    /// The number of a cell.
    pub fn read(text: &str, type_name: &str) -> Option<Self> {
        let is_short = text.bytes().filter(u8::is_ascii_digit).count() <= EXACT_DIGITS + 6;
        let value = is_short.then(|| of_cell(text)).flatten()?;
        let shown = readable(text, type_name);
        let digits = shown
            .split_once('.')
            .map_or(0, |(_, fraction)| fraction.len());
        Some(Self { value, digits })
    }

    /// The result of a computation in which this number took part.
    fn text(phrases: &dyn Phrases, value: f64, digits: usize) -> Option<String> {
        let mut text = format!("{value:.*}", shown_digits(value, digits));
        // Amounts of money keep their two digits.
        if digits != 2 && text.contains('.') {
            text.truncate(text.trim_end_matches('0').trim_end_matches('.').len());
        }
        let is_exact = text.bytes().filter(u8::is_ascii_digit).count() <= EXACT_DIGITS;
        let (thousands, point) = phrases.separators();
        is_exact.then(|| grouped(&text, thousands, point))
    }
}

/// The digits of a fraction that a computed number shows.
fn shown_digits(value: f64, digits: usize) -> usize {
    if value.abs() >= 1.0 {
        digits.min(2)
    } else {
        digits
    }
}

/// The sum of numbers, as a value and in words.
pub fn total(
    phrases: &dyn Phrases,
    numbers: &[Number],
    unit: Option<&str>,
) -> Option<(f64, String)> {
    let value: f64 = numbers.iter().map(|number| number.value).sum();
    let digits = numbers.iter().map(|number| number.digits).max()?;
    Some((
        value,
        with_unit(phrases, Number::text(phrases, value, digits)?, unit),
    ))
}

/// The difference of two numbers, without sign.
pub fn gap(
    phrases: &dyn Phrases,
    one: Number,
    other: Number,
    unit: Option<&str>,
) -> Option<String> {
    let digits = one.digits.max(other.digits);
    let text = Number::text(phrases, (one.value - other.value).abs(), digits)?;
    Some(with_unit(phrases, text, unit))
}

fn with_unit(phrases: &dyn Phrases, text: String, unit: Option<&str>) -> String {
    match unit {
        Some("%") => phrases.percent(&text),
        Some(unit) => format!("{text} {unit}"),
        None => text,
    }
}

/// What part of `whole` a number is, in percent.
pub fn share(phrases: &dyn Phrases, part: f64, whole: f64) -> Option<String> {
    let percent = part / whole * 100.0;
    let digits = (whole > 0.0 && (0.0..=100.0).contains(&percent))
        .then(|| percent_digits(phrases, percent))?;
    // What is more than nothing is no 0 %.
    (percent == 0.0 || digits != "0").then(|| phrases.percent(&digits))
}

/// The change from one number to another.
pub fn change(
    phrases: &dyn Phrases,
    from: Number,
    to: Number,
    unit: Option<&str>,
) -> Option<Change> {
    let percent = (to.value - from.value).abs() / from.value * 100.0;
    // A loss is no percentage of a profit.
    let is_useful = from.value > 0.0 && to.value >= 0.0 && percent.is_finite() && percent < 1_000.0;
    Some(Change {
        direction: to.value.partial_cmp(&from.value).unwrap_or(Ordering::Equal),
        difference: gap(phrases, from, to, unit)?,
        percent: is_useful.then(|| phrases.percent(&percent_digits(phrases, percent))),
    })
}

/// Two digits of a percentage, or those before the point.
fn percent_digits(phrases: &dyn Phrases, percent: f64) -> String {
    let (thousands, point) = phrases.separators();
    let digits = match percent {
        _ if percent >= 9.95 => 0,
        _ if percent >= 0.095 || percent == 0.0 => 1,
        _ => 2,
    };
    let text = format!("{percent:.digits$}");
    let text = match text.split_once('.') {
        Some((whole, fraction)) if fraction.bytes().all(|digit| digit == b'0') => whole.to_owned(),
        _ => text,
    };
    grouped(&text, thousands, point)
}
