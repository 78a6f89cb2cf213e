//! The PostgreSQL form of a query of another dialect: what people know from there, in the words of here.
//!
//! What differs is rewritten where both mean the same, or nearly so, and each change is said. What has no form that is
//! known here is said too, and then the form is not complete. Nothing is judged: PostgreSQL decides what may run.

mod functions;
pub mod known_columns;
mod time_formats;

use std::ops::ControlFlow;

use sqlparser::ast::{
    BinaryOperator, CastKind, DataType, Expr, Function, GroupByExpr, Ident, JoinOperator,
    LimitClause, ObjectName, Query, Select, SetExpr, Statement, TableFactor, Top, TopQuantity,
    Value, ValueWithSpan, VisitorMut,
};
use text2sql_domain::dialect::Dialect;
use text2sql_domain::error::Error;
use text2sql_domain::schema::quote_identifier;

use crate::reader::{self, SyntaxError};
use crate::visit;

/// Maximum number of remarks: a query of thousands of calls is not explained by thousands of lines.
const MAX_REMARKS: usize = 12;

/// A query as PostgreSQL would have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostgreSqlForm {
    /// The SQL, on one line. What has no known form stays as it was.
    pub sql: String,
    /// What was changed, a sentence each.
    pub changes: Vec<String>,
    /// What has no form that is known here, a sentence each.
    pub unknown: Vec<String>,
}

/// The PostgreSQL form of one query, or why the text is not one of the dialect.
///
/// # Errors
/// [`text2sql_domain::error::ErrorKind::Limit`] and [`text2sql_domain::error::ErrorKind::Complexity`] for a text that
/// is too long or too deep to be read.
pub fn postgresql_form(
    dialect: Dialect,
    sql: &str,
) -> Result<Result<PostgreSqlForm, SyntaxError>, Error> {
    let mut statements = match reader::statements_in(dialect, sql)? {
        Ok(statements) => statements,
        Err(error) => return Ok(Err(error)),
    };
    let [Statement::Query(query)] = statements.as_mut_slice() else {
        return Ok(Err(SyntaxError {
            message: "only one SELECT can be explained in another dialect".to_owned(),
            line: None,
            column: None,
        }));
    };
    finished(dialect, query).map(Ok)
}

/// A call that PostgreSQL does not have as it writes it, if a dialect has it and both mean the same: the expression, and
/// what a reader is shown of it.
pub fn call_of_another_dialect(function: &Function) -> Option<(String, String)> {
    use Dialect::{DuckDb, MySql, Sqlite, TSql};
    [MySql, Sqlite, TSql, DuckDb]
        .into_iter()
        .find_map(|dialect| match functions::call(dialect, function) {
            functions::Call::Other { sql, instead, .. } => Some((sql, instead)),
            functions::Call::Same | functions::Call::Unknown(_) => None,
        })
}

/// Rewrites a query, and says what was changed.
fn finished(dialect: Dialect, query: &mut Query) -> Result<PostgreSqlForm, Error> {
    let mut rewriting = Rewriting::new(dialect);
    let _ = visit::change(query, &mut rewriting);
    let form = query.to_string();
    if rewriting.unknown.is_empty() && reader::statements(&form)?.is_none() {
        let remark = "A part of this query has no PostgreSQL form that is known here.".to_owned();
        rewriting.unknown.push(remark);
    }
    Ok(PostgreSqlForm {
        sql: form,
        changes: rewriting.changes,
        unknown: rewriting.unknown,
    })
}

/// The changes that are being made.
struct Rewriting {
    dialect: Dialect,
    changes: Vec<String>,
    unknown: Vec<String>,
}

impl Rewriting {
    fn new(dialect: Dialect) -> Self {
        Self {
            dialect,
            changes: Vec::new(),
            unknown: Vec::new(),
        }
    }

    fn changed(&mut self, what: &str, instead: &str) {
        let remark = format!("`{what}` is {}; PostgreSQL writes {instead}.", self.dialect);
        if self.changes.len() < MAX_REMARKS && !self.changes.contains(&remark) {
            self.changes.push(remark);
        }
    }

    fn not_known(&mut self, what: &str) {
        let remark = format!("`{what}` has no PostgreSQL form that is known here.");
        if self.unknown.len() < MAX_REMARKS && !self.unknown.contains(&remark) {
            self.unknown.push(remark);
        }
    }

    /// `TOP 5` belongs to the SELECT, `LIMIT 5` to the end of the query.
    fn top(&mut self, top: &Top, query: &mut Query) {
        let shown = top.to_string();
        let Some(quantity) = &top.quantity else {
            return self.not_known(&shown);
        };
        if top.percent || query.limit_clause.is_some() || query.fetch.is_some() {
            return self.not_known(&shown);
        }
        let quantity = match quantity {
            TopQuantity::Constant(rows) => rows.to_string(),
            TopQuantity::Expr(rows) => rows.to_string(),
        };
        let clause = match top.with_ties {
            true => format!("FETCH FIRST {quantity} ROWS WITH TIES"),
            false => format!("LIMIT {quantity}"),
        };
        let Some((limit, fetch)) = limit_of(&clause) else {
            return self.not_known(&shown);
        };
        query.limit_clause = limit;
        query.fetch = fetch;
        self.changed(&shown, &format!("`{clause}` at the end of the query"));
    }

    fn operator(&mut self, left: &Expr, operator: &mut BinaryOperator, right: &Expr) {
        match (self.dialect, &operator) {
            (Dialect::TSql, BinaryOperator::Plus) if is_text(left) || is_text(right) => {
                *operator = BinaryOperator::StringConcat;
                self.changed("+", "`||` between texts");
            }
            (Dialect::MySql, BinaryOperator::StringConcat) => {
                *operator = BinaryOperator::Or;
                self.changed("||", "`OR`");
            }
            (Dialect::MySql | Dialect::DuckDb, BinaryOperator::Divide) => {
                let remark = format!(
                    "`/` of two integers gives a fraction in {}; PostgreSQL cuts it off unless one of them is numeric.",
                    self.dialect
                );
                if !self.changes.contains(&remark) {
                    self.changes.push(remark);
                }
            }
            (Dialect::MySql, BinaryOperator::Spaceship) => {
                self.not_known("<=>");
            }
            _ => {}
        }
    }

    fn cast(&mut self, kind: &CastKind, data_type: &mut DataType) {
        if matches!(kind, CastKind::TryCast | CastKind::SafeCast) {
            self.not_known("TRY_CAST");
        }
        let shown = data_type.to_string();
        if let Some(instead) = type_name(self.dialect, &shown) {
            let cast = reader::expression(&format!("CAST(x AS {instead})"));
            if let Ok(Some(Expr::Cast { data_type: new, .. })) = cast {
                *data_type = new;
                self.changed(&shown, &format!("`{instead}`"));
            }
        }
    }

    /// Replaces an expression by one that is written in PostgreSQL.
    fn replace(&mut self, expr: &mut Expr, what: &str, sql: &str, instead: &str) {
        match reader::expression(sql) {
            Ok(Some(new)) => {
                *expr = new;
                self.changed(what, instead);
            }
            Ok(None) | Err(_) => self.not_known(what),
        }
    }
}

impl VisitorMut for Rewriting {
    type Break = ();

    fn post_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        let top = match query.body.as_mut() {
            SetExpr::Select(select) => select.top.take(),
            _ => None,
        };
        if let Some(top) = top {
            self.top(&top, query);
        }
        if let Some(LimitClause::OffsetCommaLimit { offset, limit }) = &query.limit_clause {
            let clause = format!("LIMIT {limit} OFFSET {offset}");
            if let Some((limit_clause, _)) = limit_of(&clause) {
                let shown = format!("LIMIT {offset}, {limit}");
                query.limit_clause = limit_clause;
                self.changed(&shown, &format!("`{clause}`"));
            }
        }
        ControlFlow::Continue(())
    }

    fn post_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        if select.qualify.is_some() {
            self.not_known("QUALIFY");
        }
        if matches!(select.group_by, GroupByExpr::All(_)) {
            self.not_known("GROUP BY ALL");
        }
        for join in select.from.iter_mut().flat_map(|from| &mut from.joins) {
            let (shown, instead) = match join.join_operator {
                JoinOperator::CrossApply => ("CROSS APPLY", "`CROSS JOIN LATERAL`"),
                JoinOperator::OuterApply => ("OUTER APPLY", "`LEFT JOIN LATERAL … ON true`"),
                JoinOperator::StraightJoin(_) => {
                    self.not_known("STRAIGHT_JOIN");
                    continue;
                }
                _ => continue,
            };
            let has_lateral = match &mut join.relation {
                TableFactor::Derived { lateral, .. } | TableFactor::Function { lateral, .. } => {
                    *lateral = true;
                    true
                }
                _ => false,
            };
            let on_true = reader::expression("true").ok().flatten();
            match (&join.join_operator, on_true) {
                (JoinOperator::OuterApply, Some(on_true)) => {
                    let on = sqlparser::ast::JoinConstraint::On(on_true);
                    join.join_operator = JoinOperator::LeftOuter(on);
                }
                _ => {
                    let none = sqlparser::ast::JoinConstraint::None;
                    join.join_operator = JoinOperator::CrossJoin(none);
                }
            }
            // A function in FROM is lateral in any case.
            let instead = if has_lateral {
                instead
            } else {
                "`CROSS JOIN` or `LEFT JOIN … ON true`"
            };
            self.changed(shown, instead);
        }
        ControlFlow::Continue(())
    }

    fn post_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<()> {
        if let TableFactor::Table {
            with_hints,
            index_hints,
            ..
        } = factor
        {
            if !with_hints.is_empty() {
                with_hints.clear();
                self.changed("WITH (…)", "nothing: readers wait for nobody");
            }
            if !index_hints.is_empty() {
                index_hints.clear();
                self.changed("USE INDEX", "nothing: the planner chooses");
            }
        }
        ControlFlow::Continue(())
    }

    fn post_visit_relation(&mut self, relation: &mut ObjectName) -> ControlFlow<()> {
        let is_default = self.dialect == Dialect::TSql
            && relation.0.len() == 2
            && relation
                .0
                .first()
                .is_some_and(|part| part.to_string().eq_ignore_ascii_case("dbo"));
        if is_default {
            relation.0.remove(0);
            self.changed("dbo.", "no schema, or that of the table: `public`");
        }
        ControlFlow::Continue(())
    }

    fn post_visit_ident(&mut self, ident: &mut Ident) -> ControlFlow<()> {
        let quote = match ident.quote_style {
            Some(quote @ ('[' | '`')) => quote,
            _ => return ControlFlow::Continue(()),
        };
        let shown = match quote {
            '[' => format!("[{}]", ident.value),
            _ => format!("`{}`", ident.value),
        };
        let plain = ident.value.to_lowercase();
        let quoted = quote_identifier(&plain);
        if quoted == plain {
            ident.quote_style = None;
        } else {
            ident.quote_style = Some('"');
        }
        if quote == '[' {
            self.changed(&shown, &format!("`{ident}`"));
        } else {
            // A backtick inside of backticks would not be read as one.
            let remark = format!(
                "A name in backticks, here {}, is {}; PostgreSQL writes `{ident}`.",
                ident.value, self.dialect
            );
            if self.changes.len() < MAX_REMARKS && !self.changes.contains(&remark) {
                self.changes.push(remark);
            }
        }
        ControlFlow::Continue(())
    }

    fn post_visit_value(&mut self, value: &mut ValueWithSpan) -> ControlFlow<()> {
        let text = match (&value.value, self.dialect) {
            (Value::NationalStringLiteral(text), _) => text.clone(),
            (Value::DoubleQuotedString(text), _) => text.clone(),
            _ => return ControlFlow::Continue(()),
        };
        let shown = value.to_string();
        value.value = Value::SingleQuotedString(text);
        let instead = value.to_string();
        self.changed(&shown, &format!("`{instead}`"));
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        match expr {
            Expr::BinaryOp { left, op, right } => self.operator(left, op, right),
            Expr::Cast {
                kind, data_type, ..
            } => self.cast(kind, data_type),
            Expr::Convert {
                is_try: false,
                expr: inner,
                data_type: Some(data_type),
                styles,
                ..
            } if styles.is_empty() => {
                let name = data_type.to_string();
                let instead = type_name(self.dialect, &name).unwrap_or(name);
                let sql = format!("CAST({inner} AS {instead})");
                let shown = "CONVERT(…)";
                self.replace(expr, shown, &sql, &format!("`CAST(… AS {instead})`"));
            }
            Expr::Convert { .. } => self.not_known("CONVERT(…)"),
            Expr::RLike {
                negated,
                expr: inner,
                pattern,
                ..
            } => {
                let operator = if *negated { "!~*" } else { "~*" };
                let sql = format!("{inner} {operator} {pattern}");
                self.replace(expr, "REGEXP", &sql, &format!("`{operator}`"));
            }
            Expr::Function(function) => match functions::call(self.dialect, function) {
                functions::Call::Same => {}
                functions::Call::Other {
                    shown,
                    sql,
                    instead,
                } => self.replace(expr, &shown, &sql, &format!("`{instead}`")),
                functions::Call::Unknown(shown) => self.not_known(&shown),
            },
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

/// A clause at the end of a query.
fn limit_of(clause: &str) -> Option<(Option<LimitClause>, Option<sqlparser::ast::Fetch>)> {
    let statements = reader::statements(&format!("SELECT 1 {clause}")).ok()??;
    match statements.into_iter().next()? {
        Statement::Query(query) => Some((query.limit_clause, query.fetch)),
        _ => None,
    }
}

fn is_text(expr: &Expr) -> bool {
    match expr {
        Expr::Value(value) => matches!(value.value, Value::SingleQuotedString(_)),
        // `a + ' ' + b` is read from the left.
        Expr::BinaryOp { op, .. } => *op == BinaryOperator::StringConcat,
        Expr::Cast { data_type, .. } => matches!(
            data_type,
            DataType::Varchar(_) | DataType::Text | DataType::Char(_)
        ),
        _ => false,
    }
}

/// The type of PostgreSQL that stands for one of another dialect; `None` where it has the same name.
fn type_name(dialect: Dialect, name: &str) -> Option<String> {
    let upper = name.to_uppercase();
    let (base, length) = match upper.split_once('(') {
        Some((base, length)) => (base.trim(), length.trim_end_matches(')')),
        None => (upper.as_str(), ""),
    };
    let with_length = |base: &str| match length {
        "" | "MAX" => "text".to_owned(),
        length => format!("{base}({length})"),
    };
    let is = |dialects: &[Dialect]| dialects.contains(&dialect);
    Some(match base {
        "NVARCHAR" => with_length("varchar"),
        "NCHAR" => with_length("char"),
        "VARCHAR" if length == "MAX" => "text".to_owned(),
        "DATETIME" | "DATETIME2" | "SMALLDATETIME" => "timestamp".to_owned(),
        "DATETIMEOFFSET" => "timestamptz".to_owned(),
        "BIT" if is(&[Dialect::TSql]) => "boolean".to_owned(),
        "MONEY" if is(&[Dialect::TSql]) => "numeric(19, 4)".to_owned(),
        "UNIQUEIDENTIFIER" => "uuid".to_owned(),
        "TINYINT" => "smallint".to_owned(),
        "SIGNED" | "SIGNED INTEGER" => "bigint".to_owned(),
        "UNSIGNED" | "UNSIGNED INTEGER" | "HUGEINT" | "UBIGINT" => "numeric".to_owned(),
        "DOUBLE" => "double precision".to_owned(),
        "STRING" => "text".to_owned(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(dialect: Dialect, sql: &str) -> PostgreSqlForm {
        postgresql_form(dialect, sql).unwrap().unwrap()
    }

    #[test]
    fn what_other_databases_write_gets_its_postgresql_form() {
        use Dialect::{DuckDb, MySql, Sqlite, TSql};
        for (dialect, sql, expected) in [
            (
                TSql,
                "SELECT TOP 5 name FROM customers ORDER BY name",
                "SELECT name FROM customers ORDER BY name LIMIT 5",
            ),
            (
                TSql,
                "SELECT TOP (3) WITH TIES a FROM t ORDER BY a",
                "SELECT a FROM t ORDER BY a FETCH FIRST 3 ROWS WITH TIES",
            ),
            (
                TSql,
                "SELECT [Name], [Order Details] FROM [dbo].[Orders]",
                "SELECT Name, \"Order Details\" FROM Orders",
            ),
            (
                TSql,
                "SELECT ISNULL(a, 0), LEN(b), GETDATE() FROM t WITH (NOLOCK)",
                "SELECT COALESCE(a, 0), length(b), now() FROM t",
            ),
            (
                TSql,
                "SELECT a + ' ' + b FROM t WHERE c = N'x'",
                "SELECT a || ' ' || b FROM t WHERE c = 'x'",
            ),
            (
                TSql,
                "SELECT IIF(a > 1, 'x', 'y') FROM t",
                "SELECT CASE WHEN a > 1 THEN 'x' ELSE 'y' END FROM t",
            ),
            (
                TSql,
                "SELECT DATEADD(month, -1, d), DATEDIFF(day, a, b) FROM t",
                "SELECT (d) + (-1) * INTERVAL '1 month', (b)::DATE - (a)::DATE FROM t",
            ),
            (
                TSql,
                "SELECT CONVERT(NVARCHAR(10), a) FROM t",
                "SELECT CAST(a AS VARCHAR(10)) FROM t",
            ),
            (
                MySql,
                "SELECT `name` FROM `t` LIMIT 5, 10",
                "SELECT name FROM t LIMIT 10 OFFSET 5",
            ),
            (
                MySql,
                "SELECT IFNULL(a, 0), GROUP_CONCAT(b SEPARATOR '; ') FROM t GROUP BY 1",
                "SELECT COALESCE(a, 0), string_agg((b)::TEXT, '; ') FROM t GROUP BY 1",
            ),
            (
                MySql,
                "SELECT DATE_FORMAT(d, '%Y-%m') FROM t WHERE a REGEXP '^x'",
                "SELECT to_char(d, 'YYYY-MM') FROM t WHERE a ~* '^x'",
            ),
            (
                Sqlite,
                "SELECT strftime('%Y', d), group_concat(a) FROM t",
                "SELECT to_char((d)::TIMESTAMP, 'YYYY'), string_agg((a)::TEXT, ',') FROM t",
            ),
            (
                DuckDb,
                "SELECT strftime(d, '%d.%m.%Y') FROM t",
                "SELECT to_char(d, 'DD.MM.YYYY') FROM t",
            ),
        ] {
            let form = form(dialect, sql);
            assert_eq!(form.sql, expected, "{sql}");
            assert_eq!(form.unknown, Vec::<String>::new(), "{sql}");
            assert!(!form.changes.is_empty(), "{sql}");
            // What comes out is SQL that PostgreSQL's own grammar has.
            assert!(reader::statements(&form.sql).unwrap().is_some(), "{sql}");
        }
    }

    #[test]
    fn each_change_is_said() {
        let form = form(Dialect::TSql, "SELECT TOP 5 [name] FROM customers");
        assert_eq!(
            form.changes,
            [
                "`[name]` is T-SQL (SQL Server); PostgreSQL writes `name`.",
                "`TOP 5` is T-SQL (SQL Server); PostgreSQL writes `LIMIT 5` at the end of the query.",
            ]
        );
    }

    #[test]
    fn what_has_no_known_form_is_said() {
        for (dialect, sql, expected) in [
            (
                Dialect::TSql,
                "SELECT TOP 5 PERCENT a FROM t",
                "TOP 5 PERCENT",
            ),
            (
                Dialect::TSql,
                "SELECT TRY_CAST(a AS INT) FROM t",
                "TRY_CAST",
            ),
            (
                Dialect::TSql,
                "SELECT DATEDIFF(month, a, b) FROM t",
                "datediff(…)",
            ),
            (
                Dialect::DuckDb,
                "SELECT a FROM t QUALIFY row_number() OVER () = 1",
                "QUALIFY",
            ),
            (
                Dialect::DuckDb,
                "SELECT list_reverse_sort(a) FROM t",
                "list_reverse_sort(…)",
            ),
            (
                Dialect::MySql,
                "SELECT found_rows() FROM t",
                "found_rows(…)",
            ),
        ] {
            let form = form(dialect, sql);
            assert_eq!(
                form.unknown,
                [format!(
                    "`{expected}` has no PostgreSQL form that is known here."
                )],
                "{sql}"
            );
        }
    }

    #[test]
    fn what_is_the_same_stays() {
        for dialect in Dialect::ALL {
            let sql = "SELECT a, count(*) FROM t JOIN u ON t.id = u.id WHERE b > 1 GROUP BY a ORDER BY 2 DESC";
            let form = form(dialect, sql);
            assert_eq!(
                (form.sql.as_str(), form.changes.len(), form.unknown.len()),
                (sql, 0, 0)
            );
        }
    }

    #[test]
    fn only_a_query_is_taken() {
        for sql in [
            "DELETE FROM t",
            "SELECT 1; SELECT 2",
            "",
            "SELECT FROM WHERE",
            "EXEC x",
        ] {
            assert!(
                postgresql_form(Dialect::TSql, sql).unwrap().is_err(),
                "{sql}"
            );
        }
        let deep = format!("SELECT {}1{}", "(".repeat(5_000), ")".repeat(5_000));
        assert!(postgresql_form(Dialect::TSql, &deep).is_err());
    }
}
