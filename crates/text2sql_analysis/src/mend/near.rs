//! Names that are nearly the same.

use std::sync::Arc;

use text2sql_domain::schema::{Column, Table};
use text2sql_language::edit_distance::is_typo;
use text2sql_language::names::singular;

/// The letters of a name: how its words are put together differs from author to author.
fn letters(name: &str) -> String {
    let characters = name.chars().filter(|c| c.is_alphanumeric());
    characters.flat_map(char::to_lowercase).collect()
}

/// The letters of a name in the singular.
fn one(name: &str) -> String {
    letters(&singular(name))
}

/// Whether two names have the same words, in the singular or the plural.
pub(super) fn is_same(name: &str, other: &str) -> bool {
    letters(name) == letters(other) || one(name) == one(other)
}

/// Whether a name is an abbreviation of a table's: its beginning, or the first letters of its words.
pub(super) fn abbreviates(short: &str, table: &str) -> bool {
    let short = letters(short.trim_end_matches(|c: char| c.is_ascii_digit()));
    let initials: String = table
        .split('_')
        .filter_map(|word| word.chars().next())
        .collect();
    !short.is_empty() && (short == initials.to_lowercase() || letters(table).starts_with(&short))
}

/// The one column of a table that a name means by its words: those of the column, with or without the name of the
/// table, or a synonym.
pub(super) fn by_words<'t>(table: &'t Table, name: &str) -> Option<&'t Column> {
    let (wanted, owner) = (letters(name), one(&table.name));
    let means = |column: &&Column| {
        let own = letters(&column.name);
        let synonyms = column.synonyms.iter();
        is_same(&column.name, name)
            || own == format!("{owner}{wanted}")
            || wanted == format!("{owner}{own}")
            || synonyms.into_iter().any(|synonym| is_same(synonym, name))
    };
    only(table.columns.iter().filter(means))
}

/// The columns of a table whose names say more than a name: `billing_state` for `state`.
pub(super) fn longer<'t>(table: &'t Table, name: &str) -> impl Iterator<Item = &'t Column> {
    let end = format!("_{}", name.to_lowercase());
    let columns = table.columns.iter();
    columns.filter(move |column| column.name.to_lowercase().ends_with(&end))
}

/// The one column of a table that a name misspells.
pub(super) fn misspelt<'t>(table: &'t Table, name: &str) -> Option<&'t Column> {
    let wanted = letters(name);
    only(
        table
            .columns
            .iter()
            .filter(|column| is_typo(&wanted, &letters(&column.name))),
    )
}

/// The one table that a name means by its words, or by a synonym.
pub(super) fn table<'t>(tables: &'t [Arc<Table>], name: &str) -> Option<&'t Arc<Table>> {
    only(tables.iter().filter(|table| {
        let mut synonyms = table.synonyms.iter();
        is_same(&table.name, name) || synonyms.any(|synonym| is_same(synonym, name))
    }))
}

/// The only one.
pub(super) fn only<T>(mut all: impl Iterator<Item = T>) -> Option<T> {
    let first = all.next()?;
    all.next().is_none().then_some(first)
}
