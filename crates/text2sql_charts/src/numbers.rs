//! Numbers: read from their digits, and written as a language writes them.

use text2sql_phrases::{Language, say_in};

/// A number that can be drawn, with the digits it was written with.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Number {
    pub(crate) digits: String,
    pub(crate) value: f64,
}

/// Beyond it sums of two numbers could overflow.
const LARGEST: f64 = 1e300;
/// Numbers of more characters are written in short.
const MAX_DIGITS: usize = 16;

impl Number {
    /// Reads a number; `None` if it is not a number, is not finite, or is too large to be drawn.
    pub(crate) fn read(digits: &str) -> Option<Self> {
        let digits = digits.trim();
        // `f64` reads "inf" and "nan", too.
        let value: f64 = digits.parse().ok()?;
        (value.abs() <= LARGEST).then(|| Self {
            digits: digits.to_owned(),
            value: if value.abs() < 1.0 / LARGEST {
                0.0
            } else {
                value
            },
        })
    }

    /// A number that was computed.
    pub(crate) fn of(value: f64) -> Self {
        let value = if value.abs() <= LARGEST { value } else { 0.0 };
        Self {
            digits: value.to_string(),
            value,
        }
    }

    /// All its digits, with separators.
    pub(crate) fn exact(&self, language: Language) -> String {
        let (sign, rest) = match self.digits.strip_prefix('-') {
            Some(rest) => ("\u{2212}", rest),
            None => ("", self.digits.trim_start_matches('+')),
        };
        let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.trim_start_matches('+')),
            None => (rest, ""),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let mut text = format!("{sign}{}", grouped(whole, language));
        if !fraction.is_empty() {
            text.push_str(&say_in!(language, "decimal^."));
            text.push_str(fraction);
        }
        if !exponent.is_empty() {
            text.push_str(&power_of_ten(exponent));
        }
        text
    }

    /// All its digits where they fit beside a mark, else in short.
    pub(crate) fn label(&self, language: Language) -> String {
        let exact = self.exact(language);
        if exact.chars().count() <= MAX_DIGITS {
            return exact;
        }
        let scale = Scale::of(self.value);
        scale.write(self.value, 2, language)
    }
}

/// Digits in groups of three.
fn grouped(whole: &str, language: Language) -> String {
    let separator = say_in!(language, "thousands^,");
    let count = whole.len();
    let mut text = String::with_capacity(count + count / 3);
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (count - index).is_multiple_of(3) {
            text.push_str(&separator);
        }
        text.push(digit);
    }
    text
}

fn power_of_ten(exponent: &str) -> String {
    let raised: String = exponent
        .chars()
        .filter_map(|c| match c {
            '-' => Some('⁻'),
            '1' => Some('¹'),
            '2' => Some('²'),
            '3' => Some('³'),
            '0' | '4'..='9' => char::from_u32('⁰' as u32 + (c as u32 - '0' as u32)),
            _ => None,
        })
        .collect();
    format!("×10{raised}")
}

/// What numbers are divided by before they are written, so that an axis has short labels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Scale {
    One,
    Million,
    Billion,
    Trillion,
    PowerOfTen(i32),
}

impl Scale {
    /// The scale for numbers up to this one.
    pub(crate) fn of(largest: f64) -> Self {
        let largest = largest.abs();
        if largest == 0.0 || largest.is_nan() {
            Self::One
        } else if !(1e-3..1e15).contains(&largest) {
            Self::PowerOfTen(largest.log10().floor() as i32)
        } else if largest >= 1e12 {
            Self::Trillion
        } else if largest >= 1e9 {
            Self::Billion
        } else if largest >= 1e6 {
            Self::Million
        } else {
            Self::One
        }
    }

    fn divide(self, value: f64) -> f64 {
        match self {
            Self::One => value,
            Self::Million => value / 1e6,
            Self::Billion => value / 1e9,
            Self::Trillion => value / 1e12,
            Self::PowerOfTen(exponent) => value / 10_f64.powi(exponent),
        }
    }

    fn suffix(self, language: Language) -> String {
        match self {
            Self::One => String::new(),
            Self::Million => say_in!(language, " M"),
            Self::Billion => say_in!(language, " bn"),
            Self::Trillion => say_in!(language, " tn"),
            Self::PowerOfTen(exponent) => power_of_ten(&exponent.to_string()),
        }
    }

    /// How many decimals numbers that are this far apart need.
    pub(crate) fn decimals(self, step: f64) -> usize {
        let step = self.divide(step).abs();
        if step <= 0.0 || !step.is_finite() {
            return 0;
        }
        // A step of 0.2 is computed as 0.19999…
        (-(step * 1.000_001).log10().floor()).clamp(0.0, 12.0) as usize
    }

    /// A number in this scale.
    pub(crate) fn write(self, value: f64, decimals: usize, language: Language) -> String {
        let divided = self.divide(value);
        let digits = format!("{divided:.decimals$}");
        // "-0" is a zero that was rounded.
        let is_zero = digits.chars().all(|c| matches!(c, '-' | '0' | '.'));
        let digits = if is_zero {
            digits.trim_start_matches('-')
        } else {
            &digits
        };
        let number = Number {
            digits: digits.to_owned(),
            value: divided,
        };
        let text = number.exact(language);
        if is_zero {
            return text;
        }
        text + &self.suffix(language)
    }
}
