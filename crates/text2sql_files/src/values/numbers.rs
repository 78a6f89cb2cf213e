//! Numbers as people and programs write them.

use std::borrow::Cow;

use crate::options::Decimal;

/// PostgreSQL's numeric holds more; what is longer is no number but a code.
const MAX_DIGITS: usize = 1_000;
/// The largest exponent of ten that is read.
const MAX_EXPONENT: u32 = 300;

/// Symbols and codes of units before or after a number.
const UNITS: [&str; 12] = [
    "%", "€", "$", "£", "¥", "₹", "EUR", "USD", "GBP", "CHF", "JPY", "CAD",
];

/// A number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Number<'a> {
    /// As PostgreSQL writes it.
    pub(crate) written: Cow<'a, str>,
    /// Its unit.
    pub(crate) unit: Option<&'static str>,
    /// Whether it has no fraction.
    pub(crate) is_whole: bool,
    /// Whether separators of thousands were read.
    pub(crate) is_grouped: bool,
}

/// Whether a text consists of digits but is a code: with a leading zero or a plus, a phone number for example.
pub(crate) fn is_code(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let has_zeros = digits.len() > 1
        && digits.starts_with('0')
        && digits.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
    (has_zeros || text.starts_with('+') || digits.len() > MAX_DIGITS)
        && digits.bytes().filter(u8::is_ascii_digit).count() * 2 > digits.len()
}

/// Reads a number. `None` for what is none, and for what would not be the same number again: with leading zeros,
/// or a sign that stands for something else.
pub(crate) fn read(text: &str, style: Decimal) -> Option<Number<'_>> {
    let bytes = text.as_bytes();
    // Most numbers are these.
    if !bytes.is_empty() && bytes.len() <= 18 && bytes.iter().all(u8::is_ascii_digit) {
        return (bytes.len() == 1 || bytes.first() != Some(&b'0')).then_some(Number {
            written: Cow::Borrowed(text),
            unit: None,
            is_whole: true,
            is_grouped: false,
        });
    }
    if text.len() > MAX_DIGITS + 40 || !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (is_negative, rest) = signed(text);
    let (unit, rest) = without_unit(rest);
    let (is_negative, rest) = match signed(rest) {
        (true, rest) if !is_negative && unit.is_some() => (true, rest),
        (false, rest) => (is_negative, rest),
        (true, _) => return None,
    };
    if let Some((written, is_whole)) = scientific(rest) {
        let written = if is_negative {
            format!("-{written}")
        } else {
            written
        };
        return Some(Number {
            written: Cow::Owned(written),
            unit,
            is_whole,
            is_grouped: false,
        });
    }
    let (whole, fraction, is_grouped) = parts(rest, style)?;
    if whole.len() > 1 && whole.starts_with('0') || whole.len() + fraction.len() > MAX_DIGITS {
        return None;
    }
    let mut written = String::with_capacity(text.len() + 1);
    if is_negative {
        written.push('-');
    }
    written.push_str(if whole.is_empty() { "0" } else { &whole });
    if !fraction.is_empty() {
        written.push('.');
        written.push_str(fraction);
    }
    Some(Number {
        written: Cow::Owned(written),
        unit,
        is_whole: fraction.is_empty(),
        is_grouped,
    })
}

/// A number of JSON, as PostgreSQL reads it.
pub(crate) fn is_json_number(text: &str) -> bool {
    let exponent = text
        .split(['e', 'E'])
        .nth(1)
        .map(|exponent| exponent.trim_start_matches(['+', '-']));
    text.len() <= MAX_DIGITS
        && exponent.is_none_or(|exponent| {
            exponent
                .parse::<u32>()
                .is_ok_and(|exponent| exponent <= MAX_EXPONENT)
        })
}

fn signed(text: &str) -> (bool, &str) {
    match text.strip_prefix(['-', '−']) {
        Some(rest) => (true, rest.trim_start()),
        None => (false, text),
    }
}

/// The unit before or after a number, and the number.
fn without_unit(text: &str) -> (Option<&'static str>, &str) {
    if text.starts_with(|c: char| c.is_ascii_digit())
        && text.ends_with(|c: char| c.is_ascii_digit())
    {
        return (None, text);
    }
    for unit in UNITS {
        let rest = text.strip_prefix(unit).or_else(|| text.strip_suffix(unit));
        if let Some(rest) = rest {
            return (Some(unit), rest.trim());
        }
    }
    (None, text)
}

/// `1.5e+10`: with a fraction or a sign, because `12E5` may be the code of something.
fn scientific(text: &str) -> Option<(String, bool)> {
    let (mantissa, exponent) = text.split_once(['e', 'E'])?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = exponent.trim_start_matches(['+', '-']);
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_certain = mantissa.contains('.') || digits.len() < exponent.len();
    let is_number = whole.len() == 1
        && is_digits(whole)
        && is_digits(fraction)
        && !digits.is_empty()
        && exponent.len() - digits.len() <= 1
        && is_digits(digits)
        && digits
            .parse::<u32>()
            .is_ok_and(|exponent| exponent <= MAX_EXPONENT);
    (is_certain && is_number).then(|| (text.to_owned(), false))
}

/// The digits before and after the decimal separator, and whether there were separators of thousands.
fn parts(text: &str, style: Decimal) -> Option<(String, &str, bool)> {
    let (decimal, thousands) = match style {
        Decimal::Point => ('.', ','),
        Decimal::Comma => (',', '.'),
    };
    let (whole, fraction) = match text.split_once(decimal) {
        Some((_, "")) => return None,
        Some((whole, fraction)) => (whole, fraction),
        None => (text, ""),
    };
    if !fraction.bytes().all(|byte| byte.is_ascii_digit())
        || (whole.is_empty() && fraction.is_empty())
    {
        return None;
    }
    let separator = whole.chars().find(|c| !c.is_ascii_digit());
    let Some(separator) = separator else {
        return Some((whole.to_owned(), fraction, false));
    };
    if separator != thousands && !matches!(separator, '\'' | '’' | '\u{a0}' | '\u{202f}') {
        return None;
    }
    let mut groups = whole.split(separator);
    let first = groups.next()?;
    let is_group =
        |group: &str| group.len() == 3 && group.bytes().all(|byte| byte.is_ascii_digit());
    let is_grouped = (1..=3).contains(&first.len())
        && first.bytes().all(|byte| byte.is_ascii_digit())
        && !first.starts_with('0')
        && groups.all(is_group);
    is_grouped.then(|| (whole.replace(separator, ""), fraction, true))
}
