//! A file to import, and what became of its lines.

use text2sql_knowledge::mapping::Mapping;

/// How much of a question is shown, in characters.
const MAX_SUBJECT_CHARS: usize = 200;

/// A file to import.
#[derive(Debug)]
pub(crate) struct File<'a> {
    pub(crate) content: Option<&'a str>,
    /// The name under which it can be updated and taken back.
    pub(crate) source: Option<&'a str>,
    /// `csv`, `tsv` or `jsonl`; `None`: found.
    pub(crate) format: Option<&'a str>,
    pub(crate) is_glossary: bool,
    /// Whether invalid lines are left out, and do not end the call.
    pub(crate) skips: bool,
}

/// What became of a line, or of what the file had before.
#[derive(Debug, Default)]
pub(crate) struct Line {
    pub(crate) number: Option<i64>,
    /// `definition` or `example`.
    pub(crate) entry: Option<&'static str>,
    pub(crate) entry_id: Option<i64>,
    /// Whether this source made it.
    pub(crate) is_own: bool,
    pub(crate) subject: String,
    /// `taken`, `known`, `refused`, `kept` or `dropped`.
    pub(crate) outcome: &'static str,
    pub(crate) reason: Option<String>,
}

impl Line {
    pub(super) fn refused(number: i64, subject: String, reason: String) -> Self {
        Self {
            number: Some(number),
            subject,
            outcome: "refused",
            reason: Some(reason),
            ..Self::default()
        }
    }

    /// What is wrong with it: `line 3: it has no "SQL"`.
    pub(crate) fn problem(&self) -> String {
        let reason = self.reason.as_deref().unwrap_or_default();
        match self.number {
            Some(number) => format!("line {number}: {reason}"),
            None => reason.to_owned(),
        }
    }
}

/// What a line is about, as lists show it.
pub(super) fn subject(mapping: &Mapping) -> String {
    mapping.term.chars().take(MAX_SUBJECT_CHARS).collect()
}
