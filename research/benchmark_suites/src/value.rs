//! A value of a source, and what it looks like.

/// A value as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Raw {
    Null,
    Integer(i64),
    Real(f64),
    Text(String),
    Blob(Vec<u8>),
}

/// What a value looks like, whatever the type of its column says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    Integer,
    Number,
    Date,
    Moment,
    /// A word for true or false.
    Truth,
    /// A text of nothing but spaces.
    Empty,
    Text,
    Blob,
}

impl Raw {
    /// What it looks like; `None` for NULL.
    pub(crate) fn look(&self) -> Option<Look> {
        Some(match self {
            Self::Null => return None,
            Self::Integer(_) => Look::Integer,
            Self::Real(number) if number.fract() == 0.0 && number.abs() < 9e15 => Look::Integer,
            Self::Real(_) => Look::Number,
            Self::Blob(_) => Look::Blob,
            Self::Text(text) => look_of_text(text.trim()),
        })
    }

    /// The value as text.
    pub(crate) fn text(&self) -> Option<String> {
        Some(match self {
            Self::Null => return None,
            Self::Integer(number) => number.to_string(),
            Self::Real(number) => number.to_string(),
            Self::Text(text) => text.clone(),
            Self::Blob(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        })
    }
}

fn look_of_text(text: &str) -> Look {
    if text.is_empty() {
        Look::Empty
    } else if is_integer(text) {
        Look::Integer
    } else if text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte))
        && text.parse::<f64>().is_ok()
    {
        Look::Number
    } else if is_day(text) {
        Look::Date
    } else if text
        .split_once([' ', 'T'])
        .is_some_and(|(day, time)| is_day(day) && is_time(time))
    {
        Look::Moment
    } else if ["true", "false", "t", "f", "yes", "no", "y", "n"]
        .iter()
        .any(|word| text.eq_ignore_ascii_case(word))
    {
        Look::Truth
    } else {
        Look::Text
    }
}

fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    !digits.is_empty() && digits.len() <= 18 && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// A day of the calendar, as in `2024-02-29`.
fn is_day(text: &str) -> bool {
    let mut parts = text.split('-');
    let mut number = |length: usize| -> Option<u32> {
        let part = parts.next().filter(|part| part.len() == length)?;
        match part.bytes().all(|byte| byte.is_ascii_digit()) {
            true => part.parse().ok(),
            false => None,
        }
    };
    let (Some(year), Some(month), Some(day)) = (number(4), number(2), number(2)) else {
        return false;
    };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 28 + u32::from(is_leap),
        _ => return false,
    };
    parts.next().is_none() && year > 0 && (1..=days).contains(&day)
}

/// A time of the day, with or without seconds.
fn is_time(text: &str) -> bool {
    let whole = text.split_once('.').map_or(text, |(whole, _)| whole);
    let numbers: Option<Vec<u32>> = whole
        .split(':')
        .map(|part| match part.len() {
            2 => part.parse().ok(),
            _ => None,
        })
        .collect();
    match numbers.as_deref() {
        Some([hour, minute]) => *hour < 24 && *minute < 60,
        Some([hour, minute, second]) => *hour < 24 && *minute < 60 && *second < 60,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_look_like_what_they_are() {
        for (text, look) in [
            ("12", Look::Integer),
            (" -7 ", Look::Integer),
            ("1.5e3", Look::Number),
            ("2024-02-29", Look::Date),
            ("2023-02-29", Look::Text),
            ("2024-02-29 10:30", Look::Moment),
            ("2024-02-29T10:30:59.25", Look::Moment),
            ("2024-02-29 25:30", Look::Text),
            ("F", Look::Truth),
            ("  ", Look::Empty),
            ("inf", Look::Text),
            ("12/31/2020", Look::Text),
            ("123456789012345678901", Look::Number),
        ] {
            assert_eq!(Raw::Text(text.to_owned()).look(), Some(look), "{text}");
        }
        assert_eq!(Raw::Real(3.0).look(), Some(Look::Integer));
        assert_eq!(Raw::Null.look(), None);
    }
}
