//! From a question to a proposal: SQL, a question back, or the reason why there is no answer.

use std::sync::Arc;

use crate::ambiguity::unclear;
use crate::decline::{decline, retold_in};
use crate::linking::business_terms;
use crate::linking::derived_tables;
use crate::linking::readable_names::readable;
use crate::linking::sql_names::addressed;
use crate::no_answer::Stop;
use crate::notes;
use crate::unclear_questions::{several_holders, two_meanings};
use text2sql_domain::proposal::{Proposal, SqlProposal};
use text2sql_domain::schema::{Definition, ForeignKey, Table, TableKind};
use text2sql_language::understanding::{Understanding, lower_words};
use text2sql_phrases::{Language, is_told, retold, say_in};
use text2sql_understanding::{Understood, understand};

/// Maximum nesting depth at which readings of readings are tried.
const MAX_DEPTH: usize = 2;

/// Why nothing was made of a question: the words that were not understood, or what stood in the way.
pub(crate) struct NotUnderstood {
    missing: Vec<String>,
    reason: &'static str,
    readings: Vec<String>,
}

/// Proposes an answer to a question that is a reading of `depth` other questions.
pub(crate) fn propose_within(
    understanding: &Understanding,
    tables: &[Arc<Table>],
    definitions: &[Definition],
    depth: usize,
) -> Proposal {
    if is_text(understanding) {
        return not_understood(understanding, tables, "too short or too long");
    }
    if let Some((question, tables)) = along_named_key(understanding, tables, definitions) {
        return propose_within(&question, &tables, definitions, depth);
    }
    let language = understanding.language();
    let unclear = unclear(understanding, tables, definitions);
    let asked = Asked {
        language,
        definitions,
        today: understanding.today(),
        depth,
    };
    let (wording, names) = match unclear {
        Some(unclear) if unclear.is_wording || unclear.is_about_value => {
            (Some(unclear.declined), None)
        }
        unclear => (None, unclear.map(|unclear| unclear.declined)),
    };
    if let Some(declined) = wording {
        return asked.back(tables, declined);
    }
    let why = match meaning(understanding, tables, definitions) {
        // What is misspelt is asked again with its right spelling, or is no answer.
        Ok(answer) => match misspelt(understanding, &answer) {
            missing if missing.is_empty() => {
                // Readings are clear: they name one table each.
                return match depth {
                    0 => of_one_table(understanding, tables, definitions, answer),
                    _ => Proposal::Sql(answer),
                };
            }
            missing => NotUnderstood {
                missing,
                reason: "a word is misspelt",
                readings: Vec::new(),
            },
        },
        Err(why) => why,
    };
    if depth == 0
        && let Some(back) = of_several_tables(understanding, tables, definitions, None)
    {
        return back;
    }
    if let Some(declined) = names {
        return asked.back(tables, declined);
    }
    if why.readings.len() > 1 {
        let back = Proposal::Ambiguous {
            question: say_in!(language, "which of these is meant?").to_string(),
            readings: why.readings,
        };
        return asked.back(tables, back);
    }
    let by_term = business_terms::unusable_term(definitions, &why.missing);
    by_term.map_or_else(
        || match why.missing.is_empty() {
            false => declined(understanding, tables, Stop::Missing(why.missing)),
            true => not_understood(understanding, tables, why.reason),
        },
        |by_term| retold_in(language, by_term),
    )
}

/// The answer, or the question back where several tables hold what it counts.
pub(crate) fn of_one_table(
    understanding: &Understanding,
    tables: &[Arc<Table>],
    definitions: &[Definition],
    answer: SqlProposal,
) -> Proposal {
    of_several_tables(understanding, tables, definitions, Some(&answer))
        .unwrap_or(Proposal::Sql(answer))
}

/// The question back where several tables hold what it counts.
fn of_several_tables(
    understanding: &Understanding,
    tables: &[Arc<Table>],
    definitions: &[Definition],
    answer: Option<&SqlProposal>,
) -> Option<Proposal> {
    let mut readings = several_holders::readings(understanding, tables, answer);
    readings.retain(|reading| {
        let reading = Understanding::of(reading, understanding.today());
        let proposal = propose_within(&reading, tables, definitions, 1);
        matches!(proposal, Proposal::Sql(_))
    });
    (readings.len() > 1).then(|| Proposal::Ambiguous {
        question: say_in!(understanding.language(), "which of these is meant?").to_string(),
        readings,
    })
}

/// Whether it is too long for a question. Reading thousands of words and signs takes seconds, and nothing interrupts it.
pub(crate) fn is_text(understanding: &Understanding) -> bool {
    const MAX_TOKENS: usize = 400;
    understanding.tokens().len() > MAX_TOKENS
}

fn not_understood(understanding: &Understanding, tables: &[Arc<Table>], reason: &str) -> Proposal {
    let reason = format!("the built-in engine does not understand the question: {reason}");
    declined(understanding, tables, Stop::Unanswerable(reason))
}

/// The stop in the language of the question.
fn declined(understanding: &Understanding, tables: &[Arc<Table>], stop: Stop) -> Proposal {
    let declined = decline(understanding.text(), understanding.tokens(), tables, stop);
    retold_in(understanding.language(), declined)
}

/// The words that were read as others.
fn misspelt(understanding: &Understanding, answer: &SqlProposal) -> Vec<String> {
    let Some(corrected) = &answer.corrected_question else {
        return Vec::new();
    };
    let kept: Vec<String> = lower_words(corrected).to_vec();
    let words = lower_words(understanding.text()).to_vec().into_iter();
    words.filter(|word| !kept.contains(word)).collect()
}

/// The answer that the question means: over base tables, or else over the derived ones that it asks for.
pub(crate) fn meaning(
    understanding: &Understanding,
    tables: &[Arc<Table>],
    definitions: &[Definition],
) -> Result<SqlProposal, NotUnderstood> {
    if let Some((question, tables)) = without_schemas(understanding, tables) {
        return meaning(&question, &tables, definitions);
    }
    let tokens = addressed(understanding.tokens().to_vec(), tables);
    let beneath = derived_tables::base_tables(&tokens, tables, definitions);
    let base = beneath.as_deref().unwrap_or(tables);
    let first = meaning_over(understanding, base, definitions);
    let (Err(why), Some(beneath)) = (&first, &beneath) else {
        return first;
    };
    let wanted = derived_tables::requested_tables(&tokens, &why.missing, tables, beneath);
    let is_named_twice =
        || two_meanings::check_derived_name(&tokens, tables, definitions).is_some();
    match wanted.filter(|_| !is_named_twice()) {
        Some(wanted) => meaning_over(understanding, &wanted, definitions).or(first),
        None => first,
    }
}

/// "films in Italian by original language id", a reading of "films in Italian": of several keys between two tables only
/// the one that it names. Where the question without it has no such reading, "by" asks for groups.
fn along_named_key(
    understanding: &Understanding,
    tables: &[Arc<Table>],
    definitions: &[Definition],
) -> Option<(Understanding, Vec<Arc<Table>>)> {
    let text = understanding.text();
    for (at, table) in tables.iter().enumerate() {
        for key in &table.foreign_keys {
            let [column] = key.columns.as_slice() else {
                continue;
            };
            let is_other = |other: &ForeignKey| other.target == key.target && other != key;
            let way = format!(" by {}", readable(column));
            if !table.foreign_keys.iter().any(is_other) || !text.contains(&way) {
                continue;
            }
            let asked = Understanding::of(&text.replacen(&way, "", 1), understanding.today());
            let is_reading = match unclear(&asked, tables, definitions).map(|one| one.declined) {
                Some(Proposal::Ambiguous { readings, .. }) => {
                    readings.iter().any(|one| one == text)
                }
                _ => false,
            };
            if is_reading {
                let mut only = table.as_ref().clone();
                only.foreign_keys.retain(|other| !is_other(other));
                let mut tables = tables.to_vec();
                *tables.get_mut(at)? = Arc::new(only);
                return Some((asked, tables));
            }
        }
    }
    None
}

/// The question with bare names for `schema.name`, and the tables without others of those names.
fn without_schemas(
    understanding: &Understanding,
    tables: &[Arc<Table>],
) -> Option<(Understanding, Vec<Arc<Table>>)> {
    let mut text = understanding.text().to_owned();
    let mut kept = tables.to_vec();
    for table in tables {
        let address = format!("{}.{}", table.schema, table.name);
        if text.contains(&address) {
            text = text.replace(&address, &table.name);
            kept.retain(|other| other.oid == table.oid || other.name != table.name);
            // Who names its schema means it, also where it is derived.
            for named in kept.iter_mut().filter(|other| other.oid == table.oid) {
                *named = as_base(named);
            }
        }
    }
    let is_read = text != understanding.text();
    is_read.then(|| (Understanding::of(&text, understanding.today()), kept))
}

/// The table, as one whose rows are entered.
fn as_base(table: &Arc<Table>) -> Arc<Table> {
    match table.kind == TableKind::Table && table.derived_by.is_none()
        || table.kind == TableKind::PartitionedTable
    {
        true => Arc::clone(table),
        false => Arc::new(Table {
            kind: TableKind::Table,
            derived_by: None,
            ..table.as_ref().clone()
        }),
    }
}

/// The answer over these tables, all of which may be asked for.
fn meaning_over(
    understanding: &Understanding,
    tables: &[Arc<Table>],
    definitions: &[Definition],
) -> Result<SqlProposal, NotUnderstood> {
    let asked_for: Vec<Arc<Table>> = tables.iter().map(as_base).collect();
    match understand(understanding, &asked_for, definitions) {
        Understood::Meaning(_, mut proposal) => {
            let language = understanding.language();
            let said = proposal.links.iter_mut().chain(&mut proposal.notes);
            said.for_each(|note| *note = retold(language, "reason", note));
            let derived = notes::derived_tables(&proposal.sql, tables, language);
            proposal.notes.extend(derived);
            Ok(*proposal)
        }
        Understood::Nothing {
            missing,
            reason,
            readings,
        } => Err(NotUnderstood {
            missing,
            reason,
            readings,
        }),
    }
}

/// What the readings of a question are asked with.
struct Asked<'a> {
    language: Language,
    definitions: &'a [Definition],
    today: &'a str,
    depth: usize,
}

impl Asked<'_> {
    /// The question back with the readings that have an answer.
    fn back(&self, tables: &[Arc<Table>], declined: Proposal) -> Proposal {
        match declined {
            Proposal::Ambiguous { question, readings } if self.depth < MAX_DEPTH => {
                self.answerable(tables, question, readings)
            }
            declined => declined,
        }
    }

    /// Keeps the readings that have an answer. A single remaining reading is answered if the schema rules
    /// out the others; otherwise they may be what was meant. Without any, the reason is
    /// reported.
    fn answerable(&self, tables: &[Arc<Table>], back: String, readings: Vec<String>) -> Proposal {
        let (mut kept, mut answers, mut why) = (Vec::new(), Vec::new(), None);
        let mut is_certain = true;
        for reading in readings {
            let depth = self.depth + 1;
            let understanding = Understanding::of(&reading, self.today);
            match propose_within(&understanding, tables, self.definitions, depth) {
                Proposal::Unanswerable { reason, .. } => {
                    // Readings in parentheses choose how to count, not what is meant.
                    is_certain &=
                        depends_on_schema_only(self.language, &reason) && !reading.ends_with(')');
                    why = why.or(Some(reason));
                }
                answer => {
                    kept.push(reading);
                    answers.push(answer);
                }
            }
        }
        match (kept.as_slice(), answers.as_slice()) {
            ([], _) => Proposal::Unanswerable {
                reason: match why {
                    None => back,
                    Some(why) => say_in!(
                        self.language,
                        "{back} The built-in engine answers none of the readings: {why}",
                        back,
                        why
                    ),
                },
                missing: Vec::new(),
                nearest: Vec::new(),
            },
            ([reading], _) if !is_certain => Proposal::Unanswerable {
                reason: say_in!(
                    self.language,
                    "{back} The built-in engine answers only: {reading}",
                    back,
                    reading
                ),
                missing: Vec::new(),
                nearest: Vec::new(),
            },
            ([reading], [Proposal::Sql(answer)]) => {
                let mut answer = answer.clone();
                let said = say_in!(self.language, "{back} Answered: {reading}", back, reading);
                answer.links.insert(0, said);
                Proposal::Sql(answer)
            }
            ([_], [answer]) => answer.clone(),
            _ => Proposal::Ambiguous {
                question: back,
                readings: kept,
            },
        }
    }
}

/// Whether the reason depends on the schema only: rephrasing the question would not help.
fn depends_on_schema_only(language: Language, reason: &str) -> bool {
    const REASONS: [&str; 3] = [
        "a value of the question belongs to a table that is not connected",
        "no foreign keys connect {} and {}",
        "{} has no date column for the period",
    ];
    REASONS
        .iter()
        .any(|template| is_told(language, "reason", template, reason))
}
