//! Texts in a chart: how wide they are, and what they may hold.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Width of a column of a terminal, in pixels, at the size of the style sheet. Measured in Chromium at 12 pixels: the
/// mean of letters is 6.2 in Roboto and 7.2 in DejaVu Sans, which is wide, and what Linux has where nothing else is.
const COLUMN: f64 = 7.2;

/// How many pixels a text takes, about.
pub(crate) fn width(text: &str) -> u32 {
    (text.width() as f64 * COLUMN).ceil() as u32
}

/// A text in one line, without what XML cannot hold and without the marks that change the direction of their
/// neighbours.
pub(crate) fn clean(text: &str) -> String {
    text.chars()
        .filter_map(|c| match c {
            '\n' | '\r' | '\t' => Some(' '),
            '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => None,
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' => None,
            c => Some(c),
        })
        .collect()
}

/// The beginning of a text, at most this many columns wide.
pub(crate) fn short(text: &str, columns: usize) -> String {
    let text = clean(text);
    if text.width() <= columns {
        return text;
    }
    let mut used = 1;
    let mut cut = String::new();
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used > columns {
            break;
        }
        cut.push(c);
    }
    cut.truncate(cut.trim_end().len());
    cut.push('…');
    cut
}

/// The beginning of a text, at most this many pixels wide.
pub(crate) fn fit(text: &str, pixels: u32) -> String {
    short(text, (f64::from(pixels) / COLUMN) as usize)
}

/// A text as XML and HTML hold it.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}
