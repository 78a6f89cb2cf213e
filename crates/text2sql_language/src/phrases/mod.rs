//! The sentences of explanations, findings and hints in the reader's language.
//!
//! The code writes each sentence once, in English, with named placeholders: `say!("Start with {rows}.", rows)`.
//! A language is a file beside this one (`german.txt`) with a translation for each; `tools/repository_checks`
//! compares it with the code. A sentence without a translation stays English. The language holds for a call
//! ([`in_language`]), as the server's own messages follow `lc_messages`, so that a sentence made deep inside
//! needs no parameter.
//!
//! Forms: a translation may give a phrase in several cases, `[die|die|der] Summe von {value:dat}`, and a placeholder
//! says which it needs: `{x}` or `{x:nom}` the first, `{x:acc}` the second, `{x:dat}` the third, `{x:keep}` leaves
//! that to the sentence around it.

mod catalogue;
mod forms;
mod language;
#[cfg(test)]
mod tests;

use std::fmt::Display;

pub use self::catalogue::{Entry, entries};
pub use self::forms::finished;
pub use self::language::{Language, current, in_language};

/// A sentence in the current language; `parts` are the values of its placeholders.
pub fn say(template: &str, parts: &[(&str, &dyn Display)]) -> String {
    let text = match catalogue::translation(current(), template.trim()) {
        Some(translated) => translated,
        None => return forms::fill(without_context(template), parts, false),
    };
    // The space around a template belongs to the sentence around it.
    let (start, end) = (template.trim_start(), template.trim_end());
    let before = template
        .get(..template.len() - start.len())
        .unwrap_or_default();
    let after = template.get(end.len()..).unwrap_or_default();
    format!("{before}{}{after}", forms::fill(text, parts, true))
}

/// A text in the current language, if it is one that the file knows; any other is returned as it is, whatever signs it
/// contains.
pub fn translated(text: &str) -> String {
    catalogue::translation(current(), text)
        .unwrap_or(text)
        .to_owned()
}

/// A template without what stands before `^`, which tells apart equal English texts.
fn without_context(template: &str) -> &str {
    template.split_once('^').map_or(template, |(_, text)| text)
}

/// A sentence in the current language: `say!("Start with {rows}.", rows)`, `say!("{n} rows", n = count)`.
#[macro_export]
macro_rules! say {
    ($template:expr $(, $name:ident $(= $value:expr)?)* $(,)?) => {
        $crate::phrases::say($template, &[$((stringify!($name), &$crate::say!(@value $name $(, $value)?))),*])
    };
    (@value $name:ident) => { $name };
    (@value $name:ident, $value:expr) => { $value };
}

/// Marks a template that is said elsewhere, so that it is found with the others.
#[macro_export]
macro_rules! template {
    ($template:literal) => {
        $template
    };
}
