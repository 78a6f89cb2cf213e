//! "Mary Smith" as the row of a table with first and last names, where only one table has both.

use std::sync::Arc;

use text2sql_domain::schema::{Definition, Table};
use text2sql_language::understanding::Understanding;
use text2sql_language::words::{Token, TokenKind, reading};

use crate::linking::derived_tables::base_tables;
use crate::linking::links::Links;
use crate::linking::names;
use crate::linking::readable_names::singular;

/// The text with the noun of the table before the name, and the name in quotes; `None` if it has no such name.
pub(super) fn quoted(
    text: &str,
    today: &str,
    tables: &[Arc<Table>],
    definitions: &[Definition],
) -> Option<String> {
    let question = Understanding::of(text, today);
    let tokens = question.tokens();
    let base = base_tables(tokens, tables, definitions);
    let base = base.as_deref().unwrap_or(tables);
    let links = Links::find(tokens, base, definitions);
    (0..tokens.len()).find_map(|at| {
        let (first, last) = (name_at(tokens, at)?, name_at(tokens, at + 1)?);
        let holds = |place: usize, table: usize, column: usize| {
            links.value_at(place).is_some_and(|value| {
                let mut columns = value.values.iter().map(|link| link.column);
                columns.any(|id| id.table == table && id.column == column)
            })
        };
        let mut of_people = base.iter().enumerate().filter(|(index, table)| {
            matches!(names::label_columns(table).as_slice(), [one, other]
                if holds(at, *index, *one) && holds(at + 1, *index, *other))
        });
        let (index, table) = of_people.next()?;
        if of_people.next().is_some() {
            return None;
        }
        let before = at.checked_sub(1).and_then(|before| links.name_at(before));
        let is_named = before.is_some_and(|noun| noun.best_tables() == [index]);
        let noun = match is_named {
            true => String::new(),
            false => format!("{} ", singular(&table.name)),
        };
        let name = format!("{noun}'{} {}'", first.text, last.text);
        Some(reading(text, tokens, at, at + 2, &name))
    })
}

/// A capitalised word.
fn name_at(tokens: &[Token], at: usize) -> Option<&Token> {
    let is_name = |token: &&Token| token.kind == TokenKind::Word && token.text != token.lower;
    tokens.get(at).filter(is_name)
}
