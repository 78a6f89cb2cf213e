//! Finds the column that a literal of a verified example is compared with, and looks up values of that
//! column.

use std::ops::ControlFlow;
use std::sync::Arc;

use sqlparser::ast::{ObjectNamePart, TableFactor, Visitor};
use sqlparser::tokenizer::Word;

use text2sql_domain::ports::search_index::SearchIndex;
use text2sql_domain::schema::{Column, Table};
use text2sql_sql::reader as sql_reader;
use text2sql_sql::tree::syntax::fold;
use text2sql_sql::visit;

/// A column name in a query, folded like PostgreSQL folds names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnName {
    /// The table name or alias.
    pub qualifier: Option<String>,
    /// The column.
    pub name: String,
}

/// An identifier, folded like PostgreSQL folds names.
pub(super) fn folded(word: &Word) -> String {
    match word.quote_style {
        Some(_) => word.value.clone(),
        None => word.value.to_lowercase(),
    }
}

/// The spelling under which the column stores the text. `None` if the column does not contain it, if that
/// is unknown, or if several tables of the query have a column of that name.
pub fn stored_value(
    index: &dyn SearchIndex,
    tables: &[Arc<Table>],
    sql: &str,
    column: &ColumnName,
    text: &str,
) -> Option<String> {
    let (table, column) = owner(tables, sql, column)?;
    let is_same = |value: &&String| value.to_lowercase() == text.to_lowercase();
    let statistics = column.statistics.as_ref();
    if let Some(value) = statistics.and_then(|known| known.most_common_values.iter().find(is_same))
    {
        return Some(value.clone());
    }
    // If the index cannot be read, nothing is known.
    let known = index.value_of(table, column.number, text).ok().flatten()?;
    if known.occurs {
        return Some(text.to_owned());
    }
    known.nearest.iter().find(is_same).cloned()
}

/// The only table of the query that has the column, with the column.
fn owner<'t>(
    tables: &'t [Arc<Table>],
    sql: &str,
    column: &ColumnName,
) -> Option<(u32, &'t Column)> {
    let sources = sources(sql);
    let called = sources.iter().filter(|(called, _)| {
        let qualifier = column.qualifier.as_ref();
        qualifier.is_none_or(|qualifier| qualifier == called)
    });
    let named: Vec<&String> = called.map(|(_, table)| table).collect();
    let mut owners = tables
        .iter()
        .filter(|table| named.contains(&&table.name))
        .filter_map(|table| Some((table.oid, table.column(&column.name)?)));
    let owner = owners.next()?;
    owners.next().is_none().then_some(owner)
}

/// All tables in the query, including subqueries, each with its alias.
fn sources(sql: &str) -> Vec<(String, String)> {
    struct Sources(Vec<(String, String)>);

    impl Visitor for Sources {
        type Break = ();

        fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
            if let TableFactor::Table { name, alias, .. } = factor
                && let Some(ObjectNamePart::Identifier(table)) = name.0.last()
            {
                let called = alias.as_ref().map_or(table, |alias| &alias.name);
                self.0.push((fold(called), fold(table)));
            }
            ControlFlow::Continue(())
        }
    }

    let Ok(Some(statements)) = sql_reader::statements(sql) else {
        return Vec::new();
    };
    let mut sources = Sources(Vec::new());
    let _ = visit::statements(&statements, &mut sources);
    sources.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use text2sql_domain::ports::search_index::NoIndex;
    use text2sql_domain::schema::ColumnStatistics;

    fn table(oid: u32, name: &str, values: &[&str]) -> Arc<Table> {
        let column = Column {
            name: "name".to_owned(),
            statistics: Some(ColumnStatistics {
                most_common_values: values.iter().map(|value| (*value).to_owned()).collect(),
                ..ColumnStatistics::default()
            }),
            ..Column::default()
        };
        Arc::new(Table {
            oid,
            name: name.to_owned(),
            columns: vec![column],
            ..Table::default()
        })
    }

    #[test]
    fn a_qualifier_selects_one_of_two_tables() {
        let tables = [
            table(1, "customers", &["France"]),
            table(2, "countries", &["Germany", "FRANCE"]),
        ];
        let sql = "SELECT count(*) FROM customers AS k JOIN Countries AS c USING (country_id) WHERE c.name = 'Germany'";
        let value = |qualifier: Option<&str>, sql: &str| {
            let column = ColumnName {
                qualifier: qualifier.map(str::to_owned),
                name: "name".to_owned(),
            };
            stored_value(&NoIndex, &tables, sql, &column, "france")
        };
        assert_eq!(value(Some("c"), sql).as_deref(), Some("FRANCE"));
        assert_eq!(value(Some("k"), sql).as_deref(), Some("France"));
        assert_eq!(value(None, sql), None, "two tables have one");
        assert_eq!(value(Some("x"), sql), None);
        let twice = format!("{sql} AND EXISTS (SELECT FROM customers AS c WHERE c.name = 'x')");
        assert_eq!(value(Some("c"), &twice), None, "one name for two tables");
    }
}
