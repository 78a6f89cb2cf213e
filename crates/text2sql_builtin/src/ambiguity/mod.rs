//! Questions whose names and values alone show that they have several readings.
//!
//! The engine only answers questions with one reading. For every other question this module looks at each
//! name, value and period on its own, together with the tables that the question names or implies, and
//! reports an ambiguity only if nothing in the question prefers one of the candidates. This needs no
//! grammar, so it also covers questions that only a model can answer.

mod candidates;
mod doubt;
mod join_paths;
mod linked_question;
mod periods;
mod remembered;
mod values;

use std::sync::Arc;

pub use self::doubt::Doubt;
use crate::linking::derived_tables;
use crate::linking::links::Links;
use crate::linking::sql_names::addressed;
use crate::parsing::request::Request;
use crate::proposal::decline::{decline, retold_in};
use crate::proposal::statement::{MAX_TOKENS, ReadWith, propose_sql};
use crate::unclear_questions::nothing_named;
use crate::unclear_questions::two_meanings;
use text2sql_domain::proposal::Proposal;
use text2sql_domain::schema::{Definition, Table};
use text2sql_language::calendar::parse_date;
use text2sql_language::understanding::Understanding;

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
    let all = tables;
    let tables = beneath.as_deref().unwrap_or(tables);
    let links = Links::find(&tokens, tables, definitions);
    let nothing = Request::default();
    let day = parse_date(understanding.today())?;
    let by_links = || {
        let linked = linked_question::LinkedQuestion::new(&tokens, tables, &links, &nothing, day);
        let (stop, doubtful) = linked.first_ambiguity()?;
        let may_be_settled = linked.says_more_than(&doubtful.tokens);
        Some((stop, may_be_settled, doubtful.is_value))
    };
    let is_named_twice = derived_name.is_some();
    let (stop, may_be_settled, is_about_value) = derived_name
        .or_else(|| nothing_named::check(&tokens, language, &links, tables))
        .or_else(|| two_meanings::check(&tokens, &links, tables))
        .map(|stop| (stop, false, false))
        .or_else(by_links)?;
    // Rarely needed, and the most expensive part.
    let read_with = ReadWith {
        language,
        definitions,
        today: understanding.today(),
        through: None,
    };
    let is_answered = |tables: &[Arc<Table>]| propose_sql(&tokens, tables, &read_with).is_ok();
    let reads_derived =
        beneath.is_some() && derived_tables::names_derived_table(&tokens, all, tables);
    if !is_named_twice && (is_answered(tables) || (reads_derived && is_answered(all))) {
        return None;
    }
    let declined = decline(understanding.text(), &tokens, tables, stop);
    match retold_in(language, declined) {
        Proposal::Ambiguous { question, readings } => Some(Doubt {
            question,
            readings,
            may_be_settled,
            is_about_value,
        }),
        _ => None,
    }
}
