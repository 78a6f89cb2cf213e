//! Which tables a name of a query can belong to: one scope for each query around it, the innermost last.

use sqlparser::ast::{Query, Select, SelectItem, SetExpr, TableFactor, TableWithJoins};

use super::columns::{ColumnKind, KnownColumns};

/// The sources of a SELECT.
#[derive(Debug, Default)]
struct Scope {
    /// The name in the query, and the table; both in lower case. A subquery has no table.
    sources: Vec<(String, Option<String>)>,
    /// Names of output columns.
    aliases: Vec<String>,
}

/// The scopes around a place of a query.
#[derive(Debug, Default)]
pub(super) struct Scopes(Vec<Scope>);

impl Scopes {
    /// ORDER BY is outside the SELECT, and sees its tables.
    pub(super) fn enter_query(&mut self, query: &Query) {
        self.0.push(match query.body.as_ref() {
            SetExpr::Select(select) => Scope::of(select),
            _ => Scope::default(),
        });
    }

    pub(super) fn enter_select(&mut self, select: &Select) {
        self.0.push(Scope::of(select));
    }

    pub(super) fn leave(&mut self) {
        self.0.pop();
    }

    /// What the column holds that a name means.
    pub(super) fn kind(
        &self,
        columns: &KnownColumns,
        source: Option<&str>,
        column: &str,
    ) -> Option<ColumnKind> {
        let column = column.to_lowercase();
        let source = source.map(str::to_lowercase);
        self.0.iter().rev().find_map(|scope| {
            scope
                .sources
                .iter()
                .filter(|(name, _)| source.as_ref().is_none_or(|source| source == name))
                .find_map(|(_, table)| columns.table(table.as_deref()?)?.get(&column).copied())
        })
    }

    /// Whether a name without a table means a column: of a table, of an output, or perhaps of a subquery.
    pub(super) fn has_column(&self, columns: &KnownColumns, name: &str) -> bool {
        let folded = name.to_lowercase();
        self.kind(columns, None, name).is_some()
            || self.0.iter().any(|scope| scope.aliases.contains(&folded))
    }
}

impl Scope {
    fn of(select: &Select) -> Self {
        let mut scope = Self::default();
        for from in &select.from {
            scope.add_all(from);
        }
        for item in &select.projection {
            if let SelectItem::ExprWithAlias { alias, .. } = item {
                scope.aliases.push(alias.value.to_lowercase());
            }
        }
        scope
    }

    fn add_all(&mut self, from: &TableWithJoins) {
        self.add(&from.relation);
        for join in &from.joins {
            self.add(&join.relation);
        }
    }

    fn add(&mut self, factor: &TableFactor) {
        match factor {
            TableFactor::Table { name, alias, .. } => {
                let table = name
                    .0
                    .last()
                    .and_then(|part| part.as_ident())
                    .map(|part| part.value.to_lowercase());
                let shown = alias
                    .as_ref()
                    .map(|alias| alias.name.value.to_lowercase())
                    .or_else(|| table.clone());
                self.sources.extend(shown.map(|shown| (shown, table)));
            }
            TableFactor::Derived {
                alias, subquery, ..
            } => {
                if let SetExpr::Select(inner) = subquery.body.as_ref() {
                    self.aliases.extend(outputs(inner));
                }
                if let Some(alias) = alias {
                    self.sources.push((alias.name.value.to_lowercase(), None));
                }
            }
            TableFactor::NestedJoin {
                table_with_joins, ..
            } => self.add_all(table_with_joins),
            _ => {}
        }
    }
}

/// The names of the columns that a subquery shows.
fn outputs(select: &Select) -> impl Iterator<Item = String> {
    select.projection.iter().filter_map(|item| match item {
        SelectItem::ExprWithAlias { alias, .. } => Some(alias.value.to_lowercase()),
        SelectItem::UnnamedExpr(expr) => {
            let name = expr.to_string();
            let last = name.rsplit('.').next().unwrap_or_default();
            Some(last.trim_matches(['"', '`', '[', ']']).to_lowercase())
        }
        _ => None,
    })
}
