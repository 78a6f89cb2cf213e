//! Tries the base tables before derived relations, and offers only those readings of an ambiguous question
//! that have an answer.

use std::sync::Arc;

use crate::joins::named_path;
use crate::linking::business_terms;
use crate::linking::derived_tables;
use crate::linking::sql_names::addressed;
use crate::no_answer::Stop;
use crate::proposal::decline::{decline, retold_in};
use crate::proposal::statement::{ReadWith, propose_sql};
use crate::unclear_questions::two_meanings;
use text2sql_domain::proposal::Proposal;
use text2sql_domain::schema::{Definition, Table};
use text2sql_language::understanding::Understanding;
use text2sql_language::words::Token;
use text2sql_phrases::{Language, is_told, retold, say_in};

/// Proposes an answer to a question that is a reading of `depth` other questions.
pub(crate) fn propose_within(
    understanding: &Understanding,
    tables: &[Arc<Table>],
    definitions: &[Definition],
    depth: usize,
) -> Proposal {
    let (asked_for, through) = named_path::split_named_path(understanding.text());
    let front = through
        .is_some()
        .then(|| Understanding::of(asked_for, understanding.today()));
    let front = front.as_ref().unwrap_or(understanding);
    let tokens = addressed(front.tokens().to_vec(), tables);
    let asked = Asked {
        question: understanding.text(),
        tokens: &tokens,
        language: front.language(),
        definitions,
        today: understanding.today(),
        through,
        depth,
    };
    let Some(beneath) = derived_tables::base_tables(&tokens, tables, definitions) else {
        return asked.propose(tables);
    };
    if let Some(doubt) = two_meanings::check_derived_name(&tokens, tables, definitions) {
        return asked.declined(tables, doubt);
    }
    let first = asked.propose(&beneath);
    if matches!(first, Proposal::Sql(_)) {
        return first;
    }
    let missing = match &first {
        Proposal::Unanswerable { missing, .. } => missing.as_slice(),
        _ => &[],
    };
    let Some(wanted) = derived_tables::requested_tables(&tokens, missing, tables, &beneath) else {
        return first;
    };
    let second = asked.propose(&wanted);
    match (&first, &second) {
        (Proposal::Ambiguous { .. }, Proposal::Sql(_)) => {
            match derived_tables::names_derived_table(&tokens, tables, &beneath) {
                true => second,
                false => first,
            }
        }
        (_, Proposal::Sql(_)) => second,
        (Proposal::Ambiguous { .. }, _) => first,
        (_, Proposal::Ambiguous { .. }) => second,
        (Proposal::Unanswerable { missing, .. }, _) if !missing.is_empty() => second,
        _ => first,
    }
}

/// A question with its tokens and what it is interpreted with.
struct Asked<'a> {
    question: &'a str,
    tokens: &'a [Token],
    language: Language,
    definitions: &'a [Definition],
    today: &'a str,
    /// The join path that it names.
    through: Option<Vec<String>>,
    /// The nesting depth of readings.
    depth: usize,
}

impl Asked<'_> {
    /// The answer over these tables, or why there is none.
    fn propose(&self, tables: &[Arc<Table>]) -> Proposal {
        let read_with = ReadWith {
            language: self.language,
            definitions: self.definitions,
            today: self.today,
            through: self.through.as_ref(),
        };
        match propose_sql(self.tokens, tables, &read_with) {
            Ok(proposal) => Proposal::Sql(proposal),
            Err(stop) => self.declined(tables, stop),
        }
    }

    fn declined(&self, tables: &[Arc<Table>], stop: Stop) -> Proposal {
        let declined = match &stop {
            Stop::Missing(missing) => business_terms::unusable_term(self.definitions, missing),
            _ => None,
        };
        let declined = declined.unwrap_or_else(|| {
            let stop = with_readings_in(self.language, stop);
            decline(self.question, self.tokens, tables, stop)
        });
        match retold_in(self.language, declined) {
            Proposal::Ambiguous { question, readings } if self.depth < MAX_DEPTH => {
                self.answerable(tables, question, readings)
            }
            declined => declined,
        }
    }

    /// Keeps the readings that have an answer. A single remaining reading is answered if the schema rules
    /// out the others; if only the grammar does, they may be what was meant. Without any, the reason is
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

/// Maximum nesting depth at which readings of readings are tried.
const MAX_DEPTH: usize = 2;

/// The readings in the words of a language.
fn with_readings_in(language: Language, stop: Stop) -> Stop {
    match stop {
        Stop::Ambiguous {
            question,
            start,
            end,
            replacements,
        } => Stop::Ambiguous {
            question,
            start,
            end,
            replacements: replacements
                .iter()
                .map(|words| retold(language, "reading", words))
                .collect(),
        },
        stop => stop,
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
