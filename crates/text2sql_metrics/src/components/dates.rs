//! Normalises texts that mean a date, a part of a date, or an interval.

/// The date or timestamp that a text means: `2024-01-01`; midnight is omitted.
pub(crate) fn as_date(text: &str) -> Option<String> {
    let day = text.get(..10)?;
    let shape: String = day
        .chars()
        .map(|c| if c.is_ascii_digit() { '9' } else { c })
        .collect();
    if shape != "9999-99-99" {
        return None;
    }
    let time = text
        .get(10..)
        .unwrap_or_default()
        .trim_start_matches(['T', ' ']);
    let is_midnight = time
        .chars()
        .all(|c| matches!(c, '0' | ':' | '.' | '+' | 'Z'));
    Some(if is_midnight {
        day.to_owned()
    } else {
        format!("{day} {time}")
    })
}

/// Whether a text names a part of a date, as `date_trunc` takes it.
pub(super) fn is_date_part_name(text: &str) -> bool {
    const PARTS: [&str; 12] = [
        "year", "quarter", "month", "week", "day", "hour", "minute", "second", "dow", "isodow",
        "doy", "decade",
    ];
    PARTS.contains(&text.to_lowercase().as_str())
}

/// Normalises intervals: `INTERVAL '1 months'` and `INTERVAL '1' MONTH` are equal.
pub(super) fn interval_text(text: &str) -> String {
    let words: Vec<String> = text
        .to_lowercase()
        .replace("interval", "")
        .replace('\'', "")
        .split_whitespace()
        .map(|word| word.trim_end_matches('s').to_owned())
        .collect();
    words.join(" ")
}
