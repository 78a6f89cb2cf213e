//! What is said to people, in their language: one catalogue for the extension, its sentences, charts and the page.
//!
//! The code writes each sentence once, in English, with named placeholders, which take the variables of their names
//! unless a value is given: `say!("Start with {rows}.")`, `say!("Start with {rows}.", rows = number)`.
//! A language is a file of `po/` with a translation for each, in the form of GNU gettext; nothing else names the
//! languages. `tools/repository_checks` compares the files with the code. A sentence without a translation stays
//! English. The language holds for a call ([`in_language`]), as the server's own messages follow `lc_messages`, so that
//! a sentence made deep inside needs no parameter; where a text has a language of its own, `say_in!(language, "…")`.
//!
//! What stands before `^` tells apart equal English texts, and is not said: `say!("first^row")`.
//!
//! Numbers: `say_count!(language, n, "{n} row", "{n} rows")` takes the plural form by the rule of the language.
//!
//! Forms: a translation may give a phrase in several cases, `[die|die|der] Summe von {value:dat}`, and a placeholder
//! says which it needs. The header of the file names the cases in order, `X-Cases: nom acc dat`; `{x}` is the first, and
//! `{x:keep}` leaves that to the sentence around it.

#![forbid(unsafe_code)]

mod catalogue;
mod forms;
mod language;
mod po;
mod retold;
#[cfg(test)]
mod tests;

use std::fmt::Display;

pub use self::forms::finished;
pub use self::language::{Language, current, in_language};
pub use self::po::Entry;
pub use self::retold::{is_told, retold, retold_with};
#[doc(hidden)]
pub use text2sql_phrase_parts::parts;

/// The values of a template's placeholders.
pub type Parts<'p> = [(&'p str, &'p dyn Display)];

/// A sentence in the current language.
pub fn say(template: &str, parts: &Parts<'_>) -> String {
    say_in(current(), template, parts)
}

/// A sentence in a language.
pub fn say_in(language: Language, template: &str, parts: &Parts<'_>) -> String {
    filled(language, template.trim(), template, None, parts)
}

/// A sentence in the form that a number needs.
pub fn say_count(language: Language, number: u64, texts: [&str; 2], parts: &Parts<'_>) -> String {
    let [one, many] = texts;
    let english = if number == 1 { one } else { many };
    filled(language, one.trim(), english, Some(number), parts)
}

fn filled(
    language: Language,
    key: &str,
    english: &str,
    number: Option<u64>,
    parts: &Parts<'_>,
) -> String {
    let translated = match language == Language::ENGLISH {
        true => None,
        false => language.0.text(key, number),
    };
    let Some(text) = translated else {
        return forms::fill(without_context(english), parts, None);
    };
    // The space around a template belongs to the sentence around it.
    let (start, end) = (english.trim_start(), english.trim_end());
    let before = english.len() - start.len();
    let before = english.get(..before).unwrap_or_default();
    let after = english.get(end.len()..).unwrap_or_default();
    let text = forms::fill(text, parts, Some(language.0.header()));
    format!("{before}{text}{after}")
}

/// A text in the current language, if it is one that the file knows; any other is returned as it is, whatever signs it
/// contains.
pub fn translated(text: &str) -> String {
    let language = current();
    match language == Language::ENGLISH {
        true => text.to_owned(),
        false => language.0.text(text, None).unwrap_or(text).to_owned(),
    }
}

/// A template without what stands before `^`, which tells apart equal English texts.
fn without_context(template: &str) -> &str {
    template.split_once('^').map_or(template, |(_, text)| text)
}

/// A sentence: `say!("Start with {rows}.")`, `say!("{n} rows", n = count)`.
#[macro_export]
macro_rules! say {
    ($($template_and_values:tt)+) => {
        $crate::say_in!($crate::current(), $($template_and_values)+)
    };
}

/// A sentence in a language: `say_in!(language, "Start with {rows}.")`.
#[macro_export]
macro_rules! say_in {
    ($language:expr, $template:expr $(, $name:ident $(= $value:expr)?)* $(,)?) => {
        $crate::say_in(
            $language,
            $template,
            $crate::parts!([$template] $($name $(= $value)?),*),
        )
    };
}

/// A sentence in the form that a number needs: `say_count!(language, n, "{n} row", "{n} rows")`.
#[macro_export]
macro_rules! say_count {
    ($language:expr, $number:expr, $one:literal, $many:literal $(, $name:ident $(= $value:expr)?)* $(,)?) => {
        $crate::say_count(
            $language,
            $number,
            [$one, $many],
            $crate::parts!([$one, $many] $($name $(= $value)?),*),
        )
    };
}

/// Marks a template that is said elsewhere, so that it is found with the others.
#[macro_export]
macro_rules! template {
    ($template:literal) => {
        $template
    };
}
