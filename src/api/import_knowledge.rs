//! `text2sql.import_knowledge(content, kind, …)` and `export_knowledge(format)`: knowledge that is written elsewhere,
//! and all that is stored, as text.

use pgrx::default;
use pgrx::prelude::*;
use text2sql_domain::error::{Error, ErrorKind};

use super::array_argument::elements;
use crate::pg::search::documents;
use crate::pg::server::array_argument::Texts;
use crate::pg::server::error::{ErrorReport, report};
use crate::pg::server::text_argument::{FileText, Text};
use crate::pg::stored::teaching::imports::{self, File, Line};
use crate::pg::stored::teaching::{dbt, knowledge, second_of};

const KINDS: &str = "The kinds are knowledge (what export_knowledge() wrote), examples, glossary, dbt (a manifest), cube, lookml, metricflow, and documents.";

/// What a call says about its content.
struct Given<'a> {
    content: Option<&'a str>,
    kind: &'a str,
    source: Option<&'a str>,
    format: Option<&'a str>,
    replaces: bool,
    skips: bool,
    readers: Vec<String>,
}

impl Given<'_> {
    fn import(&self) -> Result<Vec<Line>, Error> {
        self.check()?;
        match self.kind {
            "knowledge" => knowledge::import(self.content, self.replaces, self.skips),
            "examples" | "glossary" => imports::import(&File {
                content: self.content,
                source: self.source,
                format: self.format,
                is_glossary: self.kind == "glossary",
                skips: self.skips,
            }),
            "documents" => self.documents(),
            kind => dbt::import(self.content, kind),
        }
    }

    fn documents(&self) -> Result<Vec<Line>, Error> {
        let added = documents::import(self.content, self.source, &self.readers, self.replaces)?;
        Ok(added
            .into_iter()
            .map(|(number, title)| Line {
                number: Some(number),
                entry: Some("document"),
                entry_id: None,
                is_own: true,
                subject: title,
                outcome: "taken",
                reason: None,
            })
            .collect())
    }

    /// Each argument is for some kinds.
    fn check(&self) -> Result<(), Error> {
        let is_file = matches!(self.kind, "examples" | "glossary");
        let is_documents = self.kind == "documents";
        let wrong = match self.kind {
            "knowledge" | "examples" | "glossary" | "dbt" | "cube" | "lookml" | "metricflow"
            | "documents" => [
                (
                    self.source.is_some() && !is_file && !is_documents,
                    "source is for examples, glossary and documents",
                ),
                (
                    self.format.is_some() && !is_file,
                    "format is for examples and glossary",
                ),
                (
                    self.replaces && self.kind != "knowledge" && !is_documents,
                    "mode is for knowledge and documents",
                ),
                (
                    !self.readers.is_empty() && !is_documents,
                    "readers is for documents",
                ),
                (self.skips && is_documents, "on_error is not for documents"),
            ]
            .into_iter()
            .find_map(|(is_wrong, problem)| is_wrong.then(|| problem.to_owned())),
            other => Some(format!("invalid kind \"{other}\"")),
        };
        match wrong {
            None => Ok(()),
            Some(problem) => Err(Error::new(ErrorKind::Setting, problem)
                .with_detail(KINDS)
                .with_hint("SELECT * FROM text2sql.import_knowledge(content, 'glossary', source => 'terms.csv');")),
        }
    }
}

/// Imports a text, and returns what became of each of its lines, or of each thing that a model of another program
/// declares.
#[pg_extern(volatile, parallel_unsafe, name = "import_knowledge")]
fn import(
    content: Option<FileText<'_>>,
    kind: default!(Option<Text<'_>>, "'knowledge'"),
    source: default!(Option<Text<'_>>, "NULL"),
    format: default!(Option<Text<'_>>, "NULL"),
    mode: default!(Option<Text<'_>>, "'merge'"),
    on_error: default!(Option<Text<'_>>, "'abort'"),
    readers: default!(Option<Texts>, "'{}'"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(line, Option<i64>),
            name!(kind, Option<String>),
            name!(name, String),
            name!(outcome, String),
            name!(reason, Option<String>),
        ),
    >,
    ErrorReport,
> {
    let (mode, on_error) = (mode.as_deref(), on_error.as_deref());
    let given = Given {
        content: content.as_deref(),
        kind: kind.as_deref().unwrap_or("knowledge"),
        source: source.as_deref(),
        format: format.as_deref(),
        replaces: second_of("mode", mode, ["merge", "replace"]).map_err(report)?,
        skips: second_of("on_error", on_error, ["abort", "skip"]).map_err(report)?,
        readers: elements(readers, "readers")?,
    };
    let lines = given.import().map_err(report)?;
    Ok(TableIterator::new(lines.into_iter().map(|line| {
        let kind = line.entry.map(str::to_owned);
        let outcome = line.outcome.to_owned();
        (line.number, kind, line.subject, outcome, line.reason)
    })))
}

/// All stored knowledge visible to the caller: one JSON object per line, in a stable order; or its definitions as
/// semantic models and metrics of dbt, where what has no such form becomes a comment.
#[pg_extern(volatile, parallel_unsafe, name = "export_knowledge")]
fn export(format: default!(Option<Text<'_>>, "'knowledge'")) -> Result<String, ErrorReport> {
    let exported = match format.as_deref() {
        None | Some("knowledge") => knowledge::export(),
        Some("dbt") => dbt::export(),
        Some(other) => Err(
            Error::new(ErrorKind::Setting, format!("invalid format \"{other}\""))
                .with_hint("Use format => 'knowledge' or format => 'dbt'."),
        ),
    };
    exported.map_err(report)
}
