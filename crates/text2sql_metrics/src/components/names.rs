//! The first pass over a statement: which names are tables, aliases, and columns of the result.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use sqlparser::ast::{ObjectName, Query, Select, SelectItem, TableFactor, Visitor};
use text2sql_sql::tree::syntax::fold;

/// The meanings of the names in a statement.
#[derive(Default)]
pub(super) struct Names {
    /// Tables and views, without CTEs.
    pub(super) tables: BTreeSet<String>,
    /// Names defined by WITH.
    pub(super) ctes: BTreeSet<String>,
    /// The table of an alias; `None` for a derived table or a function.
    pub(super) aliases: BTreeMap<String, Option<String>>,
    /// Names of the result's columns.
    pub(super) outputs: BTreeSet<String>,
}

/// A name, folded as in PostgreSQL.
pub(super) fn relation_name(name: &ObjectName) -> String {
    let parts: Vec<String> = name
        .0
        .iter()
        .filter_map(|part| part.as_ident())
        .map(fold)
        .collect();
    match parts.as_slice() {
        [schema, name] if schema == "public" => name.clone(),
        parts => parts.join("."),
    }
}

impl Visitor for Names {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        for cte in query.with.iter().flat_map(|with| &with.cte_tables) {
            let name = fold(&cte.alias.name);
            self.aliases.insert(name.clone(), None);
            self.ctes.insert(name);
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<()> {
        for item in &select.projection {
            if let SelectItem::ExprWithAlias { alias, .. } = item {
                self.outputs.insert(fold(alias));
            }
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
        match factor {
            TableFactor::Table {
                name,
                alias,
                args: None,
                ..
            } => {
                let table = relation_name(name);
                let is_cte = self.ctes.contains(&table);
                let stands_for = (!is_cte).then(|| table.clone());
                if !is_cte {
                    self.tables.insert(table.clone());
                    let bare = table.rsplit('.').next().unwrap_or(&table).to_owned();
                    self.aliases.insert(bare, Some(table));
                }
                if let Some(alias) = alias {
                    self.aliases.insert(fold(&alias.name), stands_for);
                }
            }
            TableFactor::Derived {
                alias: Some(alias), ..
            }
            | TableFactor::Function {
                alias: Some(alias), ..
            }
            | TableFactor::Table {
                alias: Some(alias), ..
            } => {
                self.aliases.insert(fold(&alias.name), None);
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}
