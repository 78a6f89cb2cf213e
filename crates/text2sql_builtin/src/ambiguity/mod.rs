//! Questions whose names and values alone show that they have several readings.
//!
//! The engine only answers questions with one reading. For every other question this module looks at each
//! name, value and period on its own, together with the tables that the question names or implies, and
//! reports an ambiguity only if nothing in the question prefers one of the candidates. So it
//! also covers questions that only a model can answer.

mod candidates;
mod doubt;
mod join_paths;
mod known;
mod linked_question;
mod periods;
mod remembered;
mod values;

use std::sync::Arc;

pub use self::doubt::Doubt;
use crate::decline::{decline, in_words_of, retold_in};
use crate::families;
use crate::linking::derived_tables;
use crate::linking::links::Links;
use crate::linking::sql_names::addressed;
use crate::unclear_questions::nothing_named;
use crate::unclear_questions::two_meanings;
use text2sql_domain::proposal::Proposal;
use text2sql_domain::schema::{Definition, Table};
use text2sql_language::calendar::parse_date;
use text2sql_language::understanding::Understanding;

/// Maximum number of tokens: longer texts are not simple questions.
const MAX_TOKENS: usize = 80;

/// The doubt about a question that certainly has several readings by its names and values alone.
pub fn ambiguity(
    understanding: &Understanding,
    tables: &[Arc<Table>],
    definitions: &[Definition],
) -> Option<Doubt> {
    remembered::or_made(understanding, tables, definitions, || {
        doubt(understanding, tables, definitions)
    })
}

fn doubt(
    understanding: &Understanding,
    tables: &[Arc<Table>],
    definitions: &[Definition],
) -> Option<Doubt> {
    let tables = families::united(understanding.text(), tables, definitions);
    let found = unclear(understanding, &tables, definitions)?;
    match found.declined {
        Proposal::Ambiguous { question, readings } => Some(Doubt {
            question,
            readings,
            may_be_settled: found.may_be_settled,
            is_about_value: found.is_about_value,
        }),
        _ => None,
    }
}

/// What is unclear in a question by its names and values alone.
pub(crate) struct Unclear {
    /// The question back, or why there is none.
    pub(crate) declined: Proposal,
    /// Whether it is the wording that has two meanings, or none.
    pub(crate) is_wording: bool,
    may_be_settled: bool,
    /// Whether a value is of several columns.
    pub(crate) is_about_value: bool,
}

/// What is unclear in the question by its names and values alone.
pub(crate) fn unclear(
    understanding: &Understanding,
    tables: &[Arc<Table>],
    definitions: &[Definition],
) -> Option<Unclear> {
    let (tokens, language) = (understanding.tokens(), understanding.language());
    if tokens.is_empty() || tokens.len() > MAX_TOKENS {
        return None;
    }
    let tokens = addressed(tokens.to_vec(), tables);
    let beneath = derived_tables::base_tables(&tokens, tables, definitions);
    let derived_name = beneath
        .is_some()
        .then(|| two_meanings::check_derived_name(&tokens, tables, definitions))
        .flatten();
    let tables = beneath.as_deref().unwrap_or(tables);
    let links = Links::find(&tokens, tables, definitions);
    let day = parse_date(understanding.today())?;
    let by_links = || {
        let linked = linked_question::LinkedQuestion::new(&tokens, tables, &links, day);
        let (stop, doubtful) = linked.first_ambiguity()?;
        let may_be_settled = linked.says_more_than(&doubtful.tokens);
        Some((stop, may_be_settled, doubtful.is_value))
    };
    let by_wording = derived_name
        .or_else(|| nothing_named::check(&tokens, language, &links, tables))
        .or_else(|| two_meanings::check(&tokens, &links, tables))
        .map(|stop| (stop, false, false));
    let is_wording = by_wording.is_some();
    let (stop, may_be_settled, is_about_value) = by_wording.or_else(by_links)?;
    let stop = in_words_of(language, stop);
    let declined = decline(understanding.text(), &tokens, tables, stop);
    Some(Unclear {
        declined: retold_in(language, declined),
        is_wording,
        may_be_settled,
        is_about_value,
    })
}
