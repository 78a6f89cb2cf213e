//! The language that the reader of an explanation reads.

use text2sql_domain::error::{Error, failure};
use text2sql_domain::question::Question;
use text2sql_language::understanding::Understanding;
use text2sql_phrases::{Language, in_language};

use crate::pg::server::error::Raised;
use crate::pg::server::{settings, spi};

const LOCALE: &str = "SELECT current_setting('lc_messages')";

/// Runs `work` in the reader's language: that of the setting, else that of the server's messages.
pub(crate) fn in_reader_language<T>(work: impl FnOnce() -> Result<T, Raised>) -> Result<T, Raised> {
    in_language_named(None, work)
}

/// The same in a language that the call names.
pub(crate) fn in_language_named<T>(
    name: Option<&str>,
    work: impl FnOnce() -> Result<T, Raised>,
) -> Result<T, Raised> {
    let language = match name {
        Some(name) => named(name)?,
        None => reader_language(None)?,
    };
    in_language(language, work)
}

fn named(name: &str) -> Result<Language, Error> {
    Language::named(name).ok_or_else(|| {
        let codes: Vec<&str> = Language::all().map(Language::tag).collect();
        failure!(Setting, "there are no lessons in the language \"{name}\"")
            .with_hint(format!("The languages are: {}.", codes.join(", ")))
    })
}

/// The reader's language; a question tells it where no setting does.
pub(crate) fn reader_language(question: Option<&Question>) -> Result<Language, Error> {
    if let Some(language) = settings::language() {
        return Ok(language);
    }
    if let Some(question) = question {
        let written = Understanding::of(question.as_str(), "").written_language();
        return Ok(written.and_then(Language::named).unwrap_or_default());
    }
    let locale = spi::read_one::<String>(LOCALE, &[])?.unwrap_or_default();
    Ok(Language::named(&locale).unwrap_or_default())
}
