//! What a source gave before, and what is stored about it.

use std::collections::HashSet;

use serde::Deserialize;
use serde_json::{Value, json};
use text2sql_domain::error::{Error, failure};

use super::file::Line;
use crate::pg::server::session::user_name;
use crate::pg::server::spi;
use crate::pg::server::spi::advisory_locks::{Purpose, take_turns};
use crate::pg::stored::teaching::{as_owner, definitions, examples};

/// Maximum length of the name of a source, as `sql/schema/imports.sql` checks.
const MAX_SOURCE_CHARS: usize = 200;
/// Rows of one INSERT.
const BATCH: usize = 1_000;

const READ: &str = "
    SELECT coalesce(json_agg(json_build_object('id', id, 'subject', subject, 'entry', entry, 'entry_id', entry_id,
        'is_own', is_own) ORDER BY line NULLS LAST, id), '[]')::text
    FROM text2sql._import_lines WHERE source = $1";
/// The lines of a source about entries that exist, whoever may see them.
const ABOUT_SOMETHING: &str = "
    SELECT l.id FROM text2sql._import_lines l JOIN text2sql._definitions d ON d.id = l.entry_id
    WHERE l.source = $1 AND l.entry = 'definition'
    UNION ALL
    SELECT l.id FROM text2sql._import_lines l JOIN text2sql._examples e ON e.id = l.entry_id
    WHERE l.source = $1 AND l.entry = 'example'";
const FORGET: &str = "DELETE FROM text2sql._import_lines WHERE source = $1";
const FORGET_DROPPED: &str = "
    DELETE FROM text2sql._import_lines WHERE source = $1 AND id NOT IN (
        SELECT l.id FROM text2sql._import_lines l JOIN text2sql._examples e ON e.id = l.entry_id
        WHERE l.source = $1 AND l.entry = 'example' AND l.is_own)";
const KEEP: &str = "
    INSERT INTO text2sql._import_lines (source, kind, line, subject, outcome, reason, entry, entry_id, is_own, imported_by)
    SELECT $1, $2, l.line, l.subject, l.outcome, l.reason, l.entry, l.entry_id, l.is_own, $4::name
    FROM json_to_recordset($3::json) AS l(line bigint, subject text, outcome text, reason text, entry text, entry_id bigint, is_own boolean)";

/// A line of an earlier import.
#[derive(Debug, Deserialize)]
pub(super) struct Stored {
    pub(super) id: i64,
    pub(super) subject: String,
    pub(super) entry: Option<String>,
    pub(super) entry_id: Option<i64>,
    pub(super) is_own: bool,
}

/// What a source gave before.
#[derive(Debug, Default)]
pub(super) struct Before {
    pub(super) lines: Vec<Stored>,
    /// Its definitions.
    pub(super) definitions: HashSet<i64>,
    /// Its examples.
    pub(super) examples: HashSet<i64>,
}

impl Before {
    /// Reads it, when nobody else imports or takes back that source.
    pub(super) fn read(source: &str) -> Result<Self, Error> {
        check_name(source)?;
        take_turns(Purpose::Source(source));
        let lines: Vec<Stored> = spi::read_json(READ, &[source.into()])?;
        let seen: HashSet<i64> = lines.iter().map(|line| line.id).collect();
        let arguments = [source.into()];
        let all =
            as_owner(|| spi::read_rows(ABOUT_SOMETHING, &arguments, 0, |row| row.read::<i64>(1)))?;
        if all.into_iter().flatten().any(|id| !seen.contains(&id)) {
            return Err(failure!(Denied, "the source \"{source}\" was imported by another role, and is about tables that the role may not read")
            .with_hint("Ask a role that may read them, or import the file under another name: source => 'terms of sales'."));
        }
        let of = |kind: &str| {
            let own = lines
                .iter()
                .filter(|line| line.is_own && line.entry.as_deref() == Some(kind));
            own.filter_map(|line| line.entry_id).collect()
        };
        Ok(Self {
            definitions: of("definition"),
            examples: of("example"),
            lines,
        })
    }

    /// Drops what the file no longer has, and says so in further lines. What was verified or cannot be replaced is kept.
    pub(super) fn drop_gone(&self, lines: &mut Vec<Line>) -> Result<(), Error> {
        let present: HashSet<(Option<&str>, i64)> = lines
            .iter()
            .filter_map(|line| Some((line.entry, line.entry_id?)))
            .collect();
        let is_present = |kind: &'static str, id: &i64| present.contains(&(Some(kind), *id));
        let gone = |kind: &'static str, of: &HashSet<i64>| -> Vec<i64> {
            of.iter()
                .filter(|id| !is_present(kind, id))
                .copied()
                .collect()
        };
        let definitions = definitions::existing(&gone("definition", &self.definitions))?;
        let examples = examples::existing(&gone("example", &self.examples))?;
        let refused: HashSet<String> = lines
            .iter()
            .filter(|line| line.outcome == "refused")
            .map(|line| line.subject.to_lowercase())
            .collect();
        let (mut drop_definitions, mut drop_examples) = (Vec::new(), Vec::new());
        for line in self.lines.iter().filter(|line| line.is_own) {
            pgrx::check_for_interrupts!();
            let Some(id) = line.entry_id else { continue };
            let is_definition = line.entry.as_deref() == Some("definition");
            let verified_by = match (is_definition, examples.get(&id)) {
                (true, _) if definitions.contains(&id) => None,
                (false, Some(verified_by)) => verified_by.as_deref(),
                _ => continue,
            };
            let reason = match verified_by {
                Some(role) => Some(format!("the file no longer has it, but {role} verified it")),
                None if refused.contains(&line.subject.to_lowercase()) => {
                    Some("as it was before: its new line was refused".to_owned())
                }
                None => None,
            };
            match (reason.is_some(), is_definition) {
                (true, _) => {}
                (false, true) => drop_definitions.push(id),
                (false, false) => drop_examples.push(id),
            }
            lines.push(Line {
                number: None,
                entry: Some(if is_definition {
                    "definition"
                } else {
                    "example"
                }),
                entry_id: Some(id),
                is_own: true,
                subject: line.subject.clone(),
                outcome: if reason.is_some() { "kept" } else { "dropped" },
                reason: reason.or_else(|| Some("the file no longer has it".to_owned())),
            });
        }
        definitions::drop_all(&drop_definitions)?;
        examples::drop_all(&drop_examples)
    }
}

/// Stores what became of the lines, in place of what was stored for that source.
pub(super) fn keep(source: &str, is_glossary: bool, lines: &[Line]) -> Result<(), Error> {
    let kind = if is_glossary { "glossary" } else { "examples" };
    let user = user_name();
    as_owner(|| spi::write(FORGET, &[source.into()], |_| Ok(())))?;
    let stored: Vec<&Line> = lines
        .iter()
        .filter(|line| line.outcome != "dropped")
        .collect();
    for batch in stored.chunks(BATCH) {
        pgrx::check_for_interrupts!();
        let rows: Vec<Value> = batch
            .iter()
            .map(|line| {
                json!({
                    "line": line.number,
                    "subject": line.subject,
                    "outcome": line.outcome,
                    "reason": line.reason,
                    "entry": line.entry,
                    "entry_id": line.entry_id,
                    "is_own": line.is_own,
                })
            })
            .collect();
        let document = Value::from(rows).to_string();
        let arguments = [
            source.into(),
            kind.into(),
            document.into(),
            user.clone().into(),
        ];
        as_owner(|| spi::write(KEEP, &arguments, |_| Ok(())))?;
    }
    Ok(())
}

/// Forgets a source, except for its examples that are still there.
pub(super) fn forget(source: &str) -> Result<(), Error> {
    as_owner(|| spi::write(FORGET_DROPPED, &[source.into()], |_| Ok(()))).map(drop)
}

fn check_name(source: &str) -> Result<(), Error> {
    if source.chars().count() > MAX_SOURCE_CHARS {
        return Err(failure!(
            Limit,
            "the source has more than {MAX_SOURCE_CHARS} characters"
        ));
    }
    match source.chars().any(char::is_control) {
        true => Err(failure!(Setting, "the source has a control character")),
        false => Ok(()),
    }
}
