//! Joins without a declared foreign key, learned from the SQL that users run: suggestions with evidence,
//! which a curator accepts before they are used.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use sqlparser::ast::{
    BinaryOperator, Expr, JoinConstraint, JoinOperator, ObjectName, Query, Select, SetExpr,
    TableFactor, TableWithJoins, Visitor,
};
use sqlparser::tokenizer::Token;

use text2sql_sql::reader as sql_reader;
use text2sql_sql::tree::syntax::fold;
use text2sql_sql::visit;

/// A table as a statement names it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NamedTable {
    /// The schema, if the name is qualified.
    pub schema: Option<String>,
    /// The table.
    pub table: String,
}

/// Columns of two tables that statements set equal; `left` is the lesser of the two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LearnedJoin {
    /// One table.
    pub left: NamedTable,
    /// The other.
    pub right: NamedTable,
    /// Pairs of columns: of the left, of the right.
    pub columns: Pairs,
    /// Number of statements with this join.
    pub statements: usize,
    /// Number of calls of these statements, if the source counts them.
    pub calls: u64,
    /// The first of the statements without its literals, cut to a readable length.
    pub example: String,
}

/// Maximum length of the evidence, in characters.
const MAX_EVIDENCE_CHARS: usize = 300;

/// Columns that are equal: of one table, of the other.
type Pairs = Vec<(String, String)>;

/// Two tables and the columns of them that are equal.
type Equality = (NamedTable, NamedTable, Pairs);

/// The equalities between columns of two different tables in statements, each with its number of calls,
/// in descending order of calls. Statements that cannot be parsed are ignored.
pub fn learn<'a>(statements: impl IntoIterator<Item = (&'a str, u64)>) -> Vec<LearnedJoin> {
    let mut learned: BTreeMap<Equality, LearnedJoin> = BTreeMap::new();
    for (sql, calls) in statements {
        for equality in equalities(sql) {
            let entry = learned.entry(equality.clone()).or_insert_with(|| {
                let (left, right, columns) = equality;
                LearnedJoin {
                    left,
                    right,
                    columns,
                    statements: 0,
                    calls: 0,
                    example: without_literals(sql),
                }
            });
            entry.statements += 1;
            entry.calls = entry.calls.saturating_add(calls);
        }
    }
    let mut joins: Vec<LearnedJoin> = learned.into_values().collect();
    joins.sort_by_key(|join| std::cmp::Reverse((join.calls, join.statements)));
    joins
}

/// A statement as evidence for other users than its author, without the values that it compares with.
fn without_literals(sql: &str) -> String {
    let Ok(tokens) = sql_reader::tokens(sql) else {
        return String::new();
    };
    let mut text = String::new();
    for token in tokens {
        match token {
            Token::Word(_)
            | Token::Placeholder(_)
            | Token::Comma
            | Token::Period
            | Token::LParen
            | Token::RParen
            | Token::Eq
            | Token::Neq
            | Token::Lt
            | Token::Gt
            | Token::LtEq
            | Token::GtEq
            | Token::Mul
            | Token::Plus
            | Token::Minus
            | Token::Div
            | Token::DoubleColon => text.push_str(&token.to_string()),
            Token::Whitespace(_) => text.push(' '),
            // Literals of any kind, comments, and tokens that are rare in a join.
            _ => text.push('?'),
        }
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(MAX_EVIDENCE_CHARS).collect()
}

/// The equalities of one statement, without repetition.
fn equalities(sql: &str) -> Vec<Equality> {
    let Ok(Some(statements)) = sql_reader::statements(sql) else {
        return Vec::new();
    };
    let mut reader = Reader::default();
    let _ = visit::statements(&statements, &mut reader);
    let mut found: Vec<Equality> = Vec::new();
    for (mut pair, columns) in reader.found {
        let mut columns = columns;
        let is_turned = pair.0.name > pair.1.name;
        if is_turned {
            std::mem::swap(&mut pair.0, &mut pair.1);
            columns = columns
                .into_iter()
                .map(|(one, other)| (other, one))
                .collect();
        }
        columns.sort();
        columns.dedup();
        found.push((pair.0.name, pair.1.name, columns));
    }
    found.sort();
    found.dedup();
    found
}

/// One occurrence of a table in a statement: the same table may occur several times.
#[derive(Clone, PartialEq, Eq)]
struct Place {
    query: usize,
    alias: String,
    name: NamedTable,
}

/// Visits a statement; each nested query has its own table names.
#[derive(Default)]
struct Reader {
    scopes: Vec<Vec<Place>>,
    queries: usize,
    /// Names of common table expressions, which are not tables.
    made: Vec<String>,
    /// Depth of ORs around an expression: equalities in alternatives are separate joins.
    ors: usize,
    /// Equal columns, grouped by the pair of table occurrences.
    found: Vec<((Place, Place), Pairs)>,
}

impl Visitor for Reader {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        for made in query.with.iter().flat_map(|with| &with.cte_tables) {
            self.made.push(fold(&made.alias.name));
        }
        self.queries += 1;
        self.scopes.push(Vec::new());
        self.tables_of(&query.body);
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.scopes.pop();
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expression: &Expr) -> ControlFlow<()> {
        if let Expr::BinaryOp { left, op, right } = expression {
            match op {
                BinaryOperator::Or => self.ors += 1,
                BinaryOperator::Eq => {
                    if let (Some(left), Some(right)) = (self.column(left), self.column(right)) {
                        self.note(left, right);
                    }
                }
                _ => {}
            }
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expression: &Expr) -> ControlFlow<()> {
        if let Expr::BinaryOp {
            op: BinaryOperator::Or,
            ..
        } = expression
        {
            self.ors = self.ors.saturating_sub(1);
        }
        ControlFlow::Continue(())
    }
}

impl Reader {
    fn note(
        &mut self,
        (left, left_column): (Place, String),
        (right, right_column): (Place, String),
    ) {
        if left.name == right.name {
            return;
        }
        let may_gather = self.ors == 0;
        for ((one, other), columns) in self.found.iter_mut().filter(|_| may_gather) {
            if (&*one, &*other) == (&left, &right) {
                columns.push((left_column, right_column));
                return;
            }
            if (&*one, &*other) == (&right, &left) {
                columns.push((right_column, left_column));
                return;
            }
        }
        self.found
            .push(((left, right), vec![(left_column, right_column)]));
    }

    /// The column of a qualified name; an unqualified one could belong to any table.
    fn column(&self, expression: &Expr) -> Option<(Place, String)> {
        let Expr::CompoundIdentifier(parts) = expression else {
            return None;
        };
        let (column, qualifier) = parts.split_last()?;
        let name = fold(qualifier.last()?);
        let mut places = self.scopes.iter().rev().flatten();
        let place = places.find(|place| place.alias == name)?;
        // A common table expression hides a table of the same name.
        let is_table = place.name.schema.is_some() || !self.made.contains(&place.name.table);
        is_table.then(|| (place.clone(), fold(column)))
    }

    fn tables_of(&mut self, body: &SetExpr) {
        match body {
            SetExpr::Select(select) => self.tables_of_select(select),
            SetExpr::SetOperation { left, right, .. } => {
                self.tables_of(left);
                self.tables_of(right);
            }
            // A query in parentheses opens its own scope.
            _ => {}
        }
    }

    fn tables_of_select(&mut self, select: &Select) {
        for from in &select.from {
            self.tables_of_from(from);
        }
    }

    fn tables_of_from(&mut self, from: &TableWithJoins) {
        let first = self.table_of(&from.relation);
        let mut merged: Option<Vec<String>> = None;
        for (number, join) in from.joins.iter().enumerate() {
            let joined = self.table_of(&join.relation);
            let columns = columns_of_using(&join.join_operator);
            // Later in the row, a merged column is that of the first table as long as all merge the same.
            let is_of_first = number == 0 || merged == columns;
            if let (Some(first), Some(joined), Some(columns), true) =
                (&first, &joined, &columns, is_of_first)
            {
                for column in columns {
                    self.note(
                        (first.clone(), column.clone()),
                        (joined.clone(), column.clone()),
                    );
                }
                merged = Some(columns.clone());
            } else {
                merged = None;
            }
        }
    }

    fn table_of(&mut self, factor: &TableFactor) -> Option<Place> {
        match factor {
            TableFactor::Table { name, alias, .. } => {
                let name = table_name(name)?;
                let alias = alias.as_ref().map(|alias| fold(&alias.name));
                let place = Place {
                    query: self.queries,
                    alias: alias.unwrap_or_else(|| name.table.clone()),
                    name,
                };
                self.scopes.last_mut()?.push(place.clone());
                let is_made = place.name.schema.is_none() && self.made.contains(&place.name.table);
                (!is_made).then_some(place)
            }
            TableFactor::NestedJoin {
                table_with_joins, ..
            } => {
                self.tables_of_from(table_with_joins);
                None
            }
            _ => None,
        }
    }
}

/// The columns of USING.
fn columns_of_using(operator: &JoinOperator) -> Option<Vec<String>> {
    let (JoinOperator::Join(constraint)
    | JoinOperator::Inner(constraint)
    | JoinOperator::Left(constraint)
    | JoinOperator::LeftOuter(constraint)
    | JoinOperator::Right(constraint)
    | JoinOperator::RightOuter(constraint)
    | JoinOperator::FullOuter(constraint)) = operator
    else {
        return None;
    };
    let JoinConstraint::Using(columns) = constraint else {
        return None;
    };
    let names = columns.iter().filter_map(table_name);
    Some(names.map(|name| name.table).collect())
}

fn table_name(name: &ObjectName) -> Option<NamedTable> {
    let parts: Vec<String> = name
        .0
        .iter()
        .filter_map(|part| part.as_ident().map(fold))
        .collect();
    let (table, before) = parts.split_last()?;
    Some(NamedTable {
        schema: before.last().cloned(),
        table: table.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(sql: &str, expect: &[&str]) {
        let shown: Vec<_> = learn([(sql, 1)])
            .iter()
            .map(|join| {
                let name = |table: &NamedTable| {
                    let schema = table.schema.iter().map(|schema| format!("{schema}."));
                    let schema: String = schema.collect();
                    format!("{schema}{}", table.table)
                };
                let pairs = join.columns.iter().map(|(left, right)| {
                    format!(
                        "{}.{left} = {}.{right}",
                        name(&join.left),
                        name(&join.right)
                    )
                });
                pairs.collect::<Vec<_>>().join(" AND ")
            })
            .collect();
        assert_eq!(shown, expect, "{sql}");
    }

    #[test]
    fn joins_are_read_from_on_from_using_and_from_where() {
        check(
            "SELECT count(*) FROM shop.orders o JOIN \"Client\" c ON o.client_no = c.no WHERE o.x = $1",
            &["Client.no = shop.orders.client_no"],
        );
        check(
            "SELECT 1 FROM a WHERE EXISTS (SELECT FROM b WHERE b.a_id = a.id)",
            &["a.id = b.a_id"],
        );
        check("SELECT 1 FROM s JOIN u USING (id)", &["s.id = u.id"]);
        check(
            "SELECT 1 FROM s JOIN u USING (id) LEFT JOIN v USING (id)",
            &["s.id = u.id", "s.id = v.id"],
        );
        // The second merged column may be of either of the first two.
        check(
            "SELECT 1 FROM s JOIN u USING (id) JOIN v USING (k)",
            &["s.id = u.id"],
        );
    }

    #[test]
    fn columns_that_join_together_are_one_join() {
        check(
            "SELECT 1 FROM a, b WHERE b.l = a.l AND a.k = b.k",
            &["a.k = b.k AND a.l = b.l"],
        );
        check(
            "SELECT 1 FROM a, b WHERE a.k = b.k OR a.l = b.l",
            &["a.k = b.k", "a.l = b.l"],
        );
        // The same table in two roles.
        check(
            "SELECT 1 FROM orders o JOIN place p ON o.from_id = p.id JOIN place q ON o.to_id = q.id",
            &["orders.from_id = place.id", "orders.to_id = place.id"],
        );
    }

    #[test]
    fn what_is_not_a_join_of_tables_is_ignored() {
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
        assert_eq!(joins[1].example, "SELECT ? FROM a JOIN b ON a.k = b.k");
    }

    #[test]
    fn the_evidence_has_no_values() {
        let sql = "CREATE TABLE t AS /* of Ann */ SELECT \"C\".no FROM a JOIN \"C\" ON a.k = \"C\".no\n WHERE a.name = 'Ann' AND a.pin < 4711 AND a.note = $$x$$";
        assert_eq!(
            learn([(sql, 1)])[0].example,
            "CREATE TABLE t AS SELECT \"C\".no FROM a JOIN \"C\" ON a.k = \"C\".no WHERE a.name = ? AND a.pin < ? AND a.note = ?"
        );
    }
}
