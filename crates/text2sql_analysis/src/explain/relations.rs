//! The relations of a FROM list with their names and columns.

use sqlparser::ast::{TableAlias, TableFactor, TableWithJoins};

use super::narrator::Narrator;
use super::scope::{OutputColumn, Relation, Scope, Source};
use text2sql_domain::schema::quote_identifier;
use text2sql_sql::tree::syntax::{find_table, fold, fold_parts};

impl Narrator<'_> {
    /// The relations of a FROM list, in order.
    pub fn relations(&self, scope: &Scope<'_>, from: &[TableWithJoins]) -> Vec<Relation> {
        let mut relations = Vec::new();
        for item in from {
            self.add_joined(scope, item, &mut relations);
        }
        relations
    }

    fn add_joined(&self, scope: &Scope<'_>, item: &TableWithJoins, into: &mut Vec<Relation>) {
        self.add_factor(scope, &item.relation, into);
        for join in &item.joins {
            self.add_factor(scope, &join.relation, into);
        }
    }

    fn add_factor(&self, scope: &Scope<'_>, factor: &TableFactor, into: &mut Vec<Relation>) {
        let (base_name, alias, source) = match factor {
            TableFactor::Table {
                name, alias, args, ..
            } => {
                let parts = fold_parts(name);
                let base_name = parts.last().cloned().unwrap_or_default();
                let source = if args.is_some() {
                    function_source(&base_name, alias.as_ref())
                } else {
                    self.named_source(scope, &parts)
                };
                (base_name, alias, source)
            }
            TableFactor::Derived {
                subquery, alias, ..
            } => {
                let columns = self.output_columns(scope, subquery);
                (String::new(), alias, Source::Result(columns))
            }
            TableFactor::Function { name, alias, .. } => {
                let base_name = fold_parts(name).pop().unwrap_or_default();
                let source = function_source(&base_name, alias.as_ref());
                (base_name, alias, source)
            }
            TableFactor::UNNEST { alias, .. } => {
                let source = function_source("unnest", alias.as_ref());
                ("unnest".to_owned(), alias, source)
            }
            TableFactor::NestedJoin {
                table_with_joins,
                alias: None,
            } => {
                self.add_joined(scope, table_with_joins, into);
                return;
            }
            TableFactor::NestedJoin { alias, .. }
            | TableFactor::TableFunction { alias, .. }
            | TableFactor::JsonTable { alias, .. }
            | TableFactor::XmlTable { alias, .. } => (String::new(), alias, Source::Unknown),
            _ => (String::new(), &None, Source::Unknown),
        };
        let qualifier = match alias {
            Some(alias) => fold(&alias.name),
            None => base_name.clone(),
        };
        let is_named = matches!(factor, TableFactor::Table { args: None, .. });
        let full_name = match factor {
            TableFactor::Table { name, .. } => {
                let parts: Vec<String> = fold_parts(name)
                    .iter()
                    .map(|part| quote_identifier(part))
                    .collect();
                parts.join(".")
            }
            _ => quote_identifier(&qualifier),
        };
        into.push(Relation {
            base_name: if is_named {
                base_name
            } else {
                qualifier.clone()
            },
            full_name,
            label: quote_identifier(&qualifier),
            qualifier,
            source: renamed(source, alias.as_ref()),
        });
    }

    fn named_source(&self, scope: &Scope<'_>, parts: &[String]) -> Source {
        if let [name] = parts
            && let Some(cte) = scope.cte(name)
        {
            return Source::Result(cte.columns.clone());
        }
        find_table(self.tables, parts).map_or(Source::Unknown, |table| Source::Table(table.clone()))
    }
}

/// The columns of a function in FROM: a scalar function has one, named like its alias.
fn function_source(name: &str, alias: Option<&TableAlias>) -> Source {
    let is_scalar = matches!(name, "generate_series" | "unnest" | "regexp_split_to_table");
    match alias {
        Some(alias) if !alias.columns.is_empty() => Source::Result(Vec::new()),
        Some(alias) if is_scalar => Source::Result(vec![OutputColumn {
            name: Some(fold(&alias.name)),
            category: None,
        }]),
        None if is_scalar => Source::Result(vec![OutputColumn {
            name: Some(name.to_owned()),
            category: None,
        }]),
        _ => Source::Unknown,
    }
}

/// A source with the column names of its alias.
pub(super) fn renamed(source: Source, alias: Option<&TableAlias>) -> Source {
    let names: Vec<String> = match alias {
        Some(alias) => alias
            .columns
            .iter()
            .map(|column| fold(&column.name))
            .collect(),
        None => return source,
    };
    if names.is_empty() {
        return source;
    }
    let mut columns = source.columns();
    for (position, name) in names.into_iter().enumerate() {
        match columns.get_mut(position) {
            Some(column) => column.name = Some(name),
            None => columns.push(OutputColumn {
                name: Some(name),
                category: None,
            }),
        }
    }
    Source::Result(columns)
}
