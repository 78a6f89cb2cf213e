//! A row as `COPY … FROM STDIN` reads it in its text format.

use std::borrow::Cow;

/// Appends a row to a text that COPY will read.
pub fn push_row(values: &[Option<Cow<'_, str>>], to: &mut String) {
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            to.push('\t');
        }
        match value {
            Some(value) => push_value(value, to),
            None => to.push_str("\\N"),
        }
    }
    to.push('\n');
}

fn push_value(value: &str, to: &mut String) {
    let mut rest = value;
    while let Some(at) = rest.find(['\\', '\t', '\n', '\r']) {
        let (before, after) = rest.split_at(at);
        to.push_str(before);
        to.push_str(match after.as_bytes().first() {
            Some(b'\t') => "\\t",
            Some(b'\n') => "\\n",
            Some(b'\r') => "\\r",
            _ => "\\\\",
        });
        rest = after.get(1..).unwrap_or_default();
    }
    to.push_str(rest);
}
