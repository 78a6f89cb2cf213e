//! What a text can be read as, and what it then is in PostgreSQL's notation.

pub(crate) mod dates;
pub(crate) mod numbers;

use std::borrow::Cow;

use crate::options::{DateOrder, Decimal};

/// A way to read a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// As it is.
    Text,
    /// true, false, yes, no, ja, nein, wahr, falsch.
    Boolean,
    /// A number.
    Number(NumberStyle),
    /// A day.
    Date(Order),
    /// A day with a time, or only the day.
    Timestamp(Order),
    /// A day with a time and a distance to UTC.
    Zoned(Order),
    /// A UUID.
    Uuid,
    /// JSON, as it is.
    Json,
}

pub(crate) type NumberStyle = Decimal;
pub(crate) type Order = DateOrder;

/// All ways to read a text other than as it is, from the narrow to the wide.
pub(crate) const FORMATS: [Format; 13] = [
    Format::Boolean,
    Format::Number(Decimal::Point),
    Format::Number(Decimal::Comma),
    Format::Date(DateOrder::Ymd),
    Format::Date(DateOrder::Dmy),
    Format::Date(DateOrder::Mdy),
    Format::Timestamp(DateOrder::Ymd),
    Format::Timestamp(DateOrder::Dmy),
    Format::Timestamp(DateOrder::Mdy),
    Format::Zoned(DateOrder::Ymd),
    Format::Zoned(DateOrder::Dmy),
    Format::Zoned(DateOrder::Mdy),
    Format::Uuid,
];

/// Texts that mean that there is no value, in columns that have no texts.
pub(crate) const NULL_TEXTS: [&str; 16] = [
    "null", "\\n", "n/a", "na", "#n/a", "#nv", "-", "--", "–", "—", "none", "nil", "k.a.", "k. a.",
    "?", "nan",
];

/// Whether a text means that there is no value.
pub(crate) fn is_null_text(text: &str) -> bool {
    text.len() < 8
        && NULL_TEXTS
            .iter()
            .any(|known| known.eq_ignore_ascii_case(text))
}

impl Format {
    /// The value in PostgreSQL's notation; `None` if the text cannot be read this way.
    pub(crate) fn read(self, text: &str) -> Option<Cow<'_, str>> {
        let trimmed = text.trim();
        match self {
            Self::Text | Self::Json => Some(Cow::Borrowed(text)),
            Self::Boolean => boolean(trimmed).map(Cow::Borrowed),
            Self::Number(style) => numbers::read(trimmed, style).map(|number| number.written),
            Self::Date(order) => dates::read(trimmed, order)
                .filter(|moment| moment.time.is_none())
                .map(|moment| Cow::Owned(moment.written())),
            Self::Timestamp(order) => dates::read(trimmed, order)
                .filter(|moment| !moment.is_zoned())
                .map(|moment| Cow::Owned(moment.written())),
            Self::Zoned(order) => dates::read(trimmed, order)
                .filter(dates::Moment::is_zoned)
                .map(|moment| Cow::Owned(moment.written())),
            Self::Uuid => is_uuid(trimmed).then_some(Cow::Borrowed(trimmed)),
        }
    }

    /// What a value is, in words.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Boolean => "yes or no",
            Self::Number(_) => "a number",
            Self::Date(_) => "a date",
            Self::Timestamp(_) => "a date with a time",
            Self::Zoned(_) => "a date with a time and a time zone",
            Self::Uuid => "a UUID",
            Self::Json => "JSON",
        }
    }
}

/// `true` or `false`, if a text means one of them.
pub(crate) fn boolean(text: &str) -> Option<&'static str> {
    const YES: [&str; 7] = ["true", "yes", "ja", "wahr", "t", "y", "j"];
    const NO: [&str; 6] = ["false", "no", "nein", "falsch", "f", "n"];
    let is = |list: &[&str]| list.iter().any(|known| known.eq_ignore_ascii_case(text));
    match text.len() {
        1..=6 if is(&YES) => Some("true"),
        1..=6 if is(&NO) => Some("false"),
        _ => None,
    }
}

/// Whether a text is a UUID with hyphens.
pub(crate) fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(index, byte)| match index {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}
