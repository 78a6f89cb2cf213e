//! A part of a table for the whole: a partition in place of its parent, and `ONLY`.

use std::sync::Arc;

use sqlparser::ast::{ObjectNamePart, TableFactor};
use text2sql_domain::schema::{Table, TableKind};
use text2sql_phrases::say;
use text2sql_sql::tree::{Rows, Source, Tree};

use super::said::{Asked, Said};
use super::{Check, Finding};

/// The fewest columns that two tables share where one may inherit from the other.
const FEWEST_COLUMNS: usize = 3;

pub(super) fn find(
    tree: &Tree<'_>,
    tables: &[Arc<Table>],
    said: &Said<'_>,
    asked: &Asked<'_>,
) -> Vec<Finding> {
    let sources = || tree.blocks.iter().flat_map(|block| &block.sources);
    let only = sources().filter_map(|source| without_children(source, tables));
    // A year, a number or a value of the question may be what sets the part apart.
    let is_part_asked = !asked.periods.is_empty()
        || !said.question.periods().is_empty()
        || !said.question.numbers().is_empty()
        || !asked.values.is_empty()
        || said.is_negated();
    let parts = sources().filter(|_| !is_part_asked);
    only.chain(parts.filter_map(|source| partition(source, tables, said)))
        .collect()
}

/// `FROM ONLY parent`, which the parser reads as a table `only` that is called like the parent.
fn without_children(source: &Source<'_>, tables: &[Arc<Table>]) -> Option<Finding> {
    let TableFactor::Table { name, .. } = source.factor else {
        return None;
    };
    let [ObjectNamePart::Identifier(word)] = name.0.as_slice() else {
        return None;
    };
    let is_only = word.quote_style.is_none() && word.value.eq_ignore_ascii_case("only");
    let named = |table: &&Arc<Table>| is_only && table.name == source.name;
    let table = tables.iter().find(named)?.sql_name();
    let sql = format!(
        "SELECT 1 WHERE (SELECT count(*) FROM {table}) > (SELECT count(*) FROM ONLY {table})"
    );
    let evidence = say!(
        "`ONLY {table}` leaves out the rows of the tables that belong to {table}, and there are such rows.",
        table
    );
    Some(Finding::asked_of_data(Check::Name, sql, evidence, table))
}

/// A table that is a partition of one that the question names, and not shown to questions, or inherits from it.
fn partition(source: &Source<'_>, tables: &[Arc<Table>], said: &Said<'_>) -> Option<Finding> {
    let TableFactor::Table {
        name, args: None, ..
    } = source.factor
    else {
        return None;
    };
    let is_named = |table: &Table| said.names(&said.analyzer.terms_of_name(&table.name));
    let whole = match &source.rows {
        Rows::Unknown => tables
            .iter()
            .find(|table| table.kind == TableKind::PartitionedTable && is_named(table))?,
        // A table of another name with the columns of the named one may inherit from it: the rows say so.
        Rows::Table(part) if part.kind == TableKind::Table && !is_named(part) => {
            let mut wholes = tables.iter().filter(|table| {
                let mut columns = table.columns.iter();
                table.oid != part.oid
                    && table.columns.len() >= FEWEST_COLUMNS
                    && table.kind == TableKind::Table
                    && is_named(table)
                    && columns.all(|column| {
                        let own = part.column(&column.name);
                        own.is_some_and(|own| own.type_name == column.type_name)
                    })
            });
            wholes.next()?
        }
        _ => return None,
    };
    let (part, whole) = (name.to_string(), whole.sql_name());
    let own = format!("(SELECT tableoid FROM {part} LIMIT 1)");
    let sql = format!(
        "SELECT 1 FROM {whole} WHERE tableoid = {own} AND EXISTS (SELECT 1 FROM {whole} AS other WHERE other.tableoid <> {own}) LIMIT 1"
    );
    let evidence = say!(
        "{part} has only some of the rows of {whole}, which the question asks about.",
        part,
        whole
    );
    Some(Finding::asked_of_data(Check::Name, sql, evidence, whole))
}
