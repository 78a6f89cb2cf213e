//! Values in sentences: rows keep every digit, sentences only a few.

use std::borrow::Cow;

use text2sql_domain::hidden_characters::is_hidden;

/// Digits behind the point from which a number is rounded: money, rates and coordinates have fewer,
/// a quotient has sixteen.
const LONG: usize = 7;

/// Significant digits kept of a long fraction without an integer part.
const KEPT: usize = 2;

/// Maximum length of a value in a sentence, in characters; longer ones are only shown in the rows.
pub const VALUE_CHARACTERS: usize = 200;

/// A value of that type, rounded where it is a fraction without end.
pub fn readable<'t>(text: &'t str, type_name: &str) -> Cow<'t, str> {
    match type_name {
        "numeric" | "double precision" | "real" => {
            rounded(text).map_or(Cow::Borrowed(text), Cow::Owned)
        }
        _ => Cow::Borrowed(text),
    }
}

/// Whether a sentence can hold the value.
pub fn fits(text: &str) -> bool {
    text.chars().take(VALUE_CHARACTERS + 1).count() <= VALUE_CHARACTERS
        && !text.chars().any(is_hidden)
}

fn rounded(text: &str) -> Option<String> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text),
    };
    let (whole, fraction) = digits.split_once('.')?;
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    if !is_number(whole) || !is_number(fraction) || fraction.len() < LONG {
        return None;
    }
    let zeros = fraction.bytes().take_while(|&digit| digit == b'0').count();
    let kept = match whole.bytes().all(|digit| digit == b'0') {
        true => (zeros + KEPT).min(fraction.len()),
        false => KEPT,
    };
    let rounds_up = fraction
        .as_bytes()
        .get(kept)
        .is_some_and(|&digit| digit >= b'5');
    let mut all: Vec<u8> = whole.bytes().chain(fraction.bytes().take(kept)).collect();
    if rounds_up {
        let mut carries = true;
        for digit in all.iter_mut().rev() {
            if !carries {
                break;
            }
            carries = *digit == b'9';
            *digit = if carries { b'0' } else { *digit + 1 };
        }
        if carries {
            all.insert(0, b'1');
        }
    }
    let all = String::from_utf8(all).ok()?;
    let (whole, fraction) = all.split_at_checked(all.len().checked_sub(kept)?)?;
    let fraction = fraction.trim_end_matches('0');
    let is_zero = fraction.is_empty() && whole.bytes().all(|digit| digit == b'0');
    let sign = if is_zero { "" } else { sign };
    Some(match fraction {
        "" => format!("{sign}{whole}"),
        fraction => format!("{sign}{whole}.{fraction}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &str) {
        assert_eq!(readable(text, "numeric"), expect, "{text}");
    }

    #[test]
    fn fractions_without_end_are_rounded() {
        check("38.2500000000000000", "38.25");
        check("5.3333333333333333", "5.33");
        check("-5.6666666666666667", "-5.67");
        check("99.9999999999", "100");
        check("20.0000000000000000", "20");
        check("0.00012345678", "0.00012");
        check("0.9999999", "1");
        check("-0.0000000", "0");
    }

    #[test]
    fn everything_else_stays() {
        check("38.25", "38.25");
        check("00042.500", "00042.500");
        check("52.520008", "52.520008");
        check("1e-07", "1e-07");
        check("NaN", "NaN");
        check("10000000", "10000000");
        assert_eq!(readable("10.20.300000001", "text"), "10.20.300000001");
        assert_eq!(readable("38.2500000000", "text"), "38.2500000000");
    }
}
