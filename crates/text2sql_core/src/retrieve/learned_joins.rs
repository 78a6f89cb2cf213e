//! Joins that people write though no foreign key declares them, learned from their SQL: suggestions
//! with evidence, which a curator confirms before they are used.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use sqlparser::ast::{
    BinaryOperator, Expr, Ident, ObjectName, Query, Select, SetExpr, TableFactor, Visit, Visitor,
};
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::parser::Parser;

/// Longest statement that is read, in bytes.
const MAX_SQL_BYTES: usize = 100_000;

/// A column as a statement names it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NamedColumn {
    /// The schema, where it is written.
    pub schema: Option<String>,
    /// The table.
    pub table: String,
    /// The column.
    pub column: String,
}

/// A pair of columns that statements set equal; `left` is the lesser of the two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LearnedJoin {
    /// One column.
    pub left: NamedColumn,
    /// The other.
    pub right: NamedColumn,
    /// How many statements hold it.
    pub statements: usize,
    /// How often these ran, as far as their source counts.
    pub calls: u64,
    /// The first of the statements, cut to a length that people read.
    pub example: String,
}

/// Longest evidence that is kept, in characters.
const MAX_EVIDENCE_CHARS: usize = 300;

/// The equalities between columns of two different tables in statements, each with how often it ran:
/// those of most calls first. Statements that do not parse teach nothing.
pub fn learn<'a>(statements: impl IntoIterator<Item = (&'a str, u64)>) -> Vec<LearnedJoin> {
    let mut learned: BTreeMap<(NamedColumn, NamedColumn), LearnedJoin> = BTreeMap::new();
    for (sql, calls) in statements {
        for (left, right) in equalities(sql) {
            let entry = learned
                .entry((left.clone(), right.clone()))
                .or_insert_with(|| LearnedJoin {
                    left,
                    right,
                    statements: 0,
                    calls: 0,
                    example: sql.chars().take(MAX_EVIDENCE_CHARS).collect(),
                });
            entry.statements += 1;
            entry.calls = entry.calls.saturating_add(calls);
        }
    }
    let mut joins: Vec<LearnedJoin> = learned.into_values().collect();
    joins.sort_by_key(|join| std::cmp::Reverse((join.calls, join.statements)));
    joins
}

/// The equalities of one statement, without repetition.
fn equalities(sql: &str) -> Vec<(NamedColumn, NamedColumn)> {
    if sql.len() > MAX_SQL_BYTES {
        return Vec::new();
    }
    let Ok(statements) = Parser::parse_sql(&PostgreSqlDialect {}, sql) else {
        return Vec::new();
    };
    let mut reader = Reader::default();
    for statement in &statements {
        let _ = statement.visit(&mut reader);
    }
    reader.found.sort();
    reader.found.dedup();
    reader.found
}

/// Goes through a statement; each query that is open has its own names for tables.
#[derive(Default)]
struct Reader {
    scopes: Vec<Vec<(String, TableName)>>,
    /// Names of common table expressions: they are no tables.
    made: Vec<String>,
    found: Vec<(NamedColumn, NamedColumn)>,
}

#[derive(Clone)]
struct TableName {
    schema: Option<String>,
    table: String,
}

impl Visitor for Reader {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        for made in query.with.iter().flat_map(|with| &with.cte_tables) {
            self.made.push(folded(&made.alias.name));
        }
        let mut scope = Vec::new();
        tables_of(&query.body, &mut scope);
        scope.retain(|(_, table)| table.schema.is_some() || !self.made.contains(&table.table));
        self.scopes.push(scope);
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.scopes.pop();
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expression: &Expr) -> ControlFlow<()> {
        if let Expr::BinaryOp {
            left,
            op: BinaryOperator::Eq,
            right,
        } = expression
            && let (Some(left), Some(right)) = (self.column(left), self.column(right))
            && (&left.schema, &left.table) != (&right.schema, &right.table)
        {
            let pair = if left <= right {
                (left, right)
            } else {
                (right, left)
            };
            self.found.push(pair);
        }
        ControlFlow::Continue(())
    }
}

impl Reader {
    /// The column of a qualified name; a bare one could be of any table.
    fn column(&self, expression: &Expr) -> Option<NamedColumn> {
        let Expr::CompoundIdentifier(parts) = expression else {
            return None;
        };
        let (column, qualifier) = parts.split_last()?;
        let name = folded(qualifier.last()?);
        let found = self
            .scopes
            .iter()
            .rev()
            .flatten()
            .find(|(alias, _)| *alias == name)
            .map(|(_, table)| table)?;
        Some(NamedColumn {
            schema: found.schema.clone(),
            table: found.table.clone(),
            column: folded(column),
        })
    }
}

fn tables_of(body: &SetExpr, scope: &mut Vec<(String, TableName)>) {
    match body {
        SetExpr::Select(select) => tables_of_select(select, scope),
        SetExpr::SetOperation { left, right, .. } => {
            tables_of(left, scope);
            tables_of(right, scope);
        }
        // A query in parentheses opens its own scope.
        _ => {}
    }
}

fn tables_of_select(select: &Select, scope: &mut Vec<(String, TableName)>) {
    for from in &select.from {
        table_of(&from.relation, scope);
        for join in &from.joins {
            table_of(&join.relation, scope);
        }
    }
}

fn table_of(factor: &TableFactor, scope: &mut Vec<(String, TableName)>) {
    match factor {
        TableFactor::Table { name, alias, .. } => {
            let Some(table) = table_name(name) else {
                return;
            };
            let alias = alias.as_ref().map(|alias| folded(&alias.name));
            scope.push((alias.unwrap_or_else(|| table.table.clone()), table));
        }
        TableFactor::NestedJoin {
            table_with_joins, ..
        } => {
            table_of(&table_with_joins.relation, scope);
            for join in &table_with_joins.joins {
                table_of(&join.relation, scope);
            }
        }
        _ => {}
    }
}

fn table_name(name: &ObjectName) -> Option<TableName> {
    let parts: Vec<String> = name
        .0
        .iter()
        .filter_map(|part| part.as_ident().map(folded))
        .collect();
    let (table, before) = parts.split_last()?;
    Some(TableName {
        schema: before.last().cloned(),
        table: table.clone(),
    })
}

/// A name as PostgreSQL stores it.
fn folded(name: &Ident) -> String {
    match name.quote_style {
        Some(_) => name.value.clone(),
        None => name.value.to_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(sql: &str, expect: &[&str]) {
        let shown: Vec<_> = learn([(sql, 1)])
            .iter()
            .map(|join| {
                let side = |column: &NamedColumn| {
                    let schema = column.schema.iter().map(|schema| format!("{schema}."));
                    let schema: String = schema.collect();
                    format!("{schema}{}.{}", column.table, column.column)
                };
                format!("{} = {}", side(&join.left), side(&join.right))
            })
            .collect();
        assert_eq!(shown, expect, "{sql}");
    }

    #[test]
    fn joins_are_read_from_on_and_from_where() {
        check(
            "SELECT count(*) FROM shop.orders o JOIN \"Client\" c ON o.client_no = c.no WHERE o.x = $1",
            &["Client.no = shop.orders.client_no"],
        );
        check(
            "SELECT 1 FROM a, b WHERE a.k = b.k AND a.l = b.l",
            &["a.k = b.k", "a.l = b.l"],
        );
        check(
            "SELECT 1 FROM a WHERE EXISTS (SELECT FROM b WHERE b.a_id = a.id)",
            &["a.id = b.a_id"],
        );
        check(
            "UPDATE t SET x = 1 WHERE id IN (SELECT s.t_id FROM s JOIN u USING (id))",
            &[],
        );
    }

    #[test]
    fn what_is_no_join_of_tables_teaches_nothing() {
        check(
            "WITH m AS (SELECT 1 AS k) SELECT 1 FROM m JOIN a ON m.k = a.k",
            &[],
        );
        check("SELECT 1 FROM a x JOIN a y ON x.boss = y.id", &[]);
        check("SELECT 1 FROM a JOIN b ON k = l", &[]);
        check("SELEKT nonsense", &[]);
    }

    #[test]
    fn calls_are_the_evidence() {
        let once = "SELECT 1 FROM a JOIN b ON a.k = b.k";
        let often = "SELECT 2 FROM c JOIN d ON c.k = d.k";
        let joins = learn([(once, 3), (often, 90), (once, 4)]);
        assert_eq!(joins[0].left.table, "c");
        assert_eq!((joins[1].statements, joins[1].calls), (2, 7));
        assert_eq!(joins[1].example, once);
    }
}
