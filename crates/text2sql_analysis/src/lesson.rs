//! A query built up clause by clause, for somebody who learns SQL: each step is a complete query of its own, with
//! the words of its clause.
//!
//! The steps are those in which a query is read: CTEs, tables and joins one at a time, conditions one at a time,
//! groups, outputs, order, limit. Before there are outputs, a step shows the columns that matter. The last step is
//! the query itself.

use std::sync::Arc;

use sqlparser::ast::{
    BinaryOperator, Distinct, Expr, GroupByExpr, Query, Select, SelectItem, SetExpr, TableFactor,
    TableWithJoins, Value,
};

use crate::explain::{self, Step};
use text2sql_domain::error::Error;
use text2sql_domain::schema::{Table, quote_identifier};
use text2sql_domain::words;
use text2sql_phrases::say;
use text2sql_sql::tree::parse::parse_query;
use text2sql_sql::tree::syntax::{find_table, flatten, fold, fold_parts};

/// Number of columns of a table that a step shows, if the query names fewer.
const MIN_COLUMNS: usize = 2;

/// Maximum number of columns of a table that a step shows.
const MAX_COLUMNS: usize = 6;

/// A step of a lesson.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LessonStep {
    /// The clause that it adds, in SQL terms.
    pub clause: String,
    /// The query up to this clause.
    pub sql: String,
    /// The clause in words.
    pub words: String,
}

/// The steps of a query, in reading order. A query that cannot be taken apart is one step.
pub fn lesson(sql: &str, tables: &[Arc<Table>]) -> Result<Vec<LessonStep>, Error> {
    let sql = sql.trim().trim_end_matches(';').trim_end();
    let mut words = Words::of(explain::explain(sql, tables)?);
    let Some(query) = parse_query(sql)? else {
        return Ok(vec![whole(sql, &mut words)]);
    };
    let mut steps = helpers(&query, &mut words);
    let builder = Builder {
        tables,
        query: &query,
        text: sql.to_lowercase(),
    };
    match &*query.body {
        SetExpr::Select(select) => builder.select(select, &mut words, &mut steps),
        SetExpr::SetOperation { .. } => builder.set_operation(&mut words, &mut steps),
        _ => steps.push(whole(sql, &mut words)),
    }
    // What follows the last clause, such as a second way to write the same, changes nothing in the rows.
    if let Some(last) = steps.last_mut() {
        sql.clone_into(&mut last.sql);
    }
    Ok(steps)
}

fn whole(sql: &str, words: &mut Words) -> LessonStep {
    LessonStep {
        clause: "SELECT".to_owned(),
        sql: sql.to_owned(),
        words: words.until(|_| false),
    }
}

/// One step for each CTE: its rows.
fn helpers(query: &Query, words: &mut Words) -> Vec<LessonStep> {
    let Some(with) = &query.with else {
        return Vec::new();
    };
    let mut steps = Vec::new();
    for (place, helper) in with.cte_tables.iter().enumerate() {
        let mut shown = with.clone();
        shown.cte_tables.truncate(place + 1);
        let (clause, said) = words.next_where(|clause| clause.starts_with("WITH"));
        steps.push(LessonStep {
            clause,
            sql: format!("{shown} SELECT * FROM {}", helper.alias.name),
            words: said,
        });
    }
    steps
}

/// The explanation of a query by its clauses: what is nested in a CTE or a sub-query belongs to the step that needs
/// it.
struct Words {
    groups: std::collections::VecDeque<(String, String)>,
}

impl Words {
    fn of(steps: Vec<Step>) -> Self {
        let mut groups: std::collections::VecDeque<(String, String)> = Default::default();
        let mut waiting: Vec<String> = Vec::new();
        let sub_query = say!("sub-query");
        for step in steps {
            let is_nested = step.clause.contains(": ");
            let in_helper = groups
                .back()
                .is_some_and(|(clause, _)| clause.starts_with("WITH"));
            if is_nested && in_helper && waiting.is_empty() {
                if let Some((_, words)) = groups.back_mut() {
                    words.push(' ');
                    words.push_str(&step.explanation);
                }
            } else if is_nested || step.clause.starts_with(&sub_query) {
                waiting.push(step.explanation);
            } else {
                waiting.push(step.explanation);
                groups.push_back((step.clause, waiting.join(" ")));
                waiting.clear();
            }
        }
        Self { groups }
    }

    /// The words of the next clause, if it is one of these; otherwise none.
    fn next_where(&mut self, is_meant: impl Fn(&str) -> bool) -> (String, String) {
        match self.groups.front() {
            Some((clause, _)) if is_meant(clause) => self.groups.pop_front().unwrap_or_default(),
            _ => Default::default(),
        }
    }

    /// The words of all clauses before the first of these, as one text.
    fn until(&mut self, is_end: impl Fn(&str) -> bool) -> String {
        let mut said = Vec::new();
        while let Some((clause, _)) = self.groups.front() {
            if is_end(clause) {
                break;
            }
            said.extend(self.groups.pop_front().map(|(_, words)| words));
        }
        said.join(" ")
    }
}

/// Builds the queries of the steps.
struct Builder<'q> {
    tables: &'q [Arc<Table>],
    query: &'q Query,
    /// The query in lower case, to see which columns it names.
    text: String,
}

impl Builder<'_> {
    fn select(&self, select: &Select, words: &mut Words, steps: &mut Vec<LessonStep>) {
        self.tables(select, words, steps);
        self.conditions(select, words, steps);
        self.groups(select, words, steps);
        let mut shown = select.clone();
        let is_first_of_each = matches!(shown.distinct, Some(Distinct::On(_)));
        let distinct = shown.distinct.take();
        let said = words.until(|clause| !matches!(clause, "WINDOW" | "SELECT"));
        let plain = self.query_of(SetExpr::Select(Box::new(shown.clone())), false, false);
        steps.push(step("SELECT", plain, said));
        if distinct.is_some() && !is_first_of_each {
            shown.distinct = distinct;
            let sql = self.query_of(SetExpr::Select(Box::new(shown.clone())), false, false);
            let (clause, said) = words.next_where(|clause| clause.starts_with("DISTINCT"));
            steps.push(step(&clause, sql, said));
        } else {
            shown.distinct = distinct;
        }
        let body = SetExpr::Select(Box::new(shown));
        self.tail(&body, is_first_of_each, words, steps);
    }

    /// Tables and joins, one at a time.
    fn tables(&self, select: &Select, words: &mut Words, steps: &mut Vec<LessonStep>) {
        let mut parts: Vec<TableWithJoins> = Vec::new();
        let mut factors: Vec<&TableFactor> = Vec::new();
        for item in &select.from {
            parts.push(TableWithJoins {
                relation: item.relation.clone(),
                joins: Vec::new(),
            });
            factors.push(&item.relation);
            steps.push(self.table_step(&parts, &factors, words));
            for join in &item.joins {
                if let Some(last) = parts.last_mut() {
                    last.joins.push(join.clone());
                }
                factors.push(&join.relation);
                steps.push(self.table_step(&parts, &factors, words));
            }
        }
    }

    fn table_step(
        &self,
        parts: &[TableWithJoins],
        factors: &[&TableFactor],
        words: &mut Words,
    ) -> LessonStep {
        let is_from = |clause: &str| clause == "FROM" || clause.ends_with("JOIN");
        let (clause, said) = words.next_where(is_from);
        let clause = if clause.is_empty() { "FROM" } else { &clause };
        let sql = format!("{}{}", self.start(factors), listed(parts));
        step(clause, sql, said)
    }

    /// The start of a query that shows the columns that matter, up to FROM.
    fn start(&self, factors: &[&TableFactor]) -> String {
        let items: Vec<String> = factors
            .iter()
            .flat_map(|factor| self.items(factor))
            .collect();
        let items = if items.is_empty() {
            "*".to_owned()
        } else {
            items.join(", ")
        };
        format!("{}SELECT {items} FROM ", self.with())
    }

    fn with(&self) -> String {
        let with = self.query.with.as_ref();
        with.map_or_else(String::new, |with| format!("{with} "))
    }

    /// The columns of a relation that a step shows.
    fn items(&self, factor: &TableFactor) -> Vec<String> {
        let TableFactor::Table { name, alias, .. } = factor else {
            return match factor {
                TableFactor::Derived {
                    alias: Some(alias), ..
                }
                | TableFactor::Function {
                    alias: Some(alias), ..
                }
                | TableFactor::UNNEST {
                    alias: Some(alias), ..
                } => vec![format!("{}.*", alias.name)],
                _ => Vec::new(),
            };
        };
        let parts = fold_parts(name);
        let qualifier = match alias {
            Some(alias) => fold(&alias.name),
            None => parts.last().cloned().unwrap_or_default(),
        };
        let qualifier = quote_identifier(&qualifier);
        let is_helper = self.query.with.iter().any(|with| {
            let mut helpers = with.cte_tables.iter();
            helpers
                .any(|helper| parts.len() == 1 && parts.first() == Some(&fold(&helper.alias.name)))
        });
        let table = find_table(self.tables, &parts).filter(|_| !is_helper);
        let Some(table) = table else {
            return vec![format!("{qualifier}.*")];
        };
        let mut columns: Vec<(bool, usize, &str)> = table
            .columns
            .iter()
            .enumerate()
            .map(|(place, column)| {
                let is_named = self.names(&column.name) || table.primary_key.contains(&column.name);
                (!is_named, place, column.name.as_str())
            })
            .collect();
        columns.sort_unstable();
        let named = columns.iter().filter(|(is_other, _, _)| !is_other).count();
        columns.truncate(named.clamp(MIN_COLUMNS, MAX_COLUMNS));
        columns.sort_unstable_by_key(|&(_, place, _)| place);
        let columns = columns.into_iter();
        columns
            .map(|(_, _, column)| format!("{qualifier}.{}", quote_identifier(column)))
            .collect()
    }

    /// Whether the query names a column.
    fn names(&self, column: &str) -> bool {
        let column = column.to_lowercase();
        self.text
            .split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .any(|word| word == column)
    }

    /// The conditions of WHERE, one at a time.
    fn conditions(&self, select: &Select, words: &mut Words, steps: &mut Vec<LessonStep>) {
        let Some(condition) = &select.selection else {
            return;
        };
        let (_, said) = words.next_where(|clause| clause == "WHERE");
        let parts = flatten(condition, &BinaryOperator::And);
        let start = self.rows(select);
        for count in 1..=parts.len() {
            let texts: Vec<String> = parts.iter().take(count).map(ToString::to_string).collect();
            let said = match (parts.len(), texts.last()) {
                (2.., Some(last)) => self.condition_words(&format!("{start} WHERE {last}")),
                _ => said.clone(),
            };
            let sql = format!("{start} WHERE {}", texts.join(" AND "));
            steps.push(step("WHERE", sql, said));
        }
    }

    /// One condition in words: the last WHERE of the short explanation of a query that has no other.
    fn condition_words(&self, sql: &str) -> String {
        let steps = explain::outline(sql, self.tables).into_iter();
        let mut wheres = steps.filter(|step| step.clause == "WHERE");
        wheres
            .next_back()
            .map(|step| step.explanation)
            .unwrap_or_default()
    }

    /// The query of all rows before conditions.
    fn rows(&self, select: &Select) -> String {
        if select.from.is_empty() {
            return format!("{}SELECT 1", self.with());
        }
        let factors: Vec<&TableFactor> = select
            .from
            .iter()
            .flat_map(|item| {
                std::iter::once(&item.relation).chain(item.joins.iter().map(|join| &join.relation))
            })
            .collect();
        format!("{}{}", self.start(&factors), listed(&select.from))
    }

    /// The groups with their number of rows, then those that HAVING keeps.
    fn groups(&self, select: &Select, words: &mut Words, steps: &mut Vec<LessonStep>) {
        let GroupByExpr::Expressions(keys, _) = &select.group_by else {
            words.until(|clause| !matches!(clause, "GROUP BY" | "HAVING"));
            return;
        };
        let said = words.next_where(|clause| clause == "GROUP BY").1;
        let having = words.next_where(|clause| clause == "HAVING").1;
        if keys.is_empty() {
            return;
        }
        let items: Vec<String> = keys
            .iter()
            .filter(|key| !matches!(key, Expr::Rollup(_) | Expr::Cube(_) | Expr::GroupingSets(_)))
            .map(|key| output_of(key, &select.projection))
            .chain(["count(*) AS rows".to_owned()])
            .collect();
        let condition = select.selection.as_ref();
        let condition = condition.map_or_else(String::new, |part| format!(" WHERE {part}"));
        // Outputs are named by their expression: their positions and aliases differ in this step.
        let grouped: Vec<String> = keys
            .iter()
            .map(|key| match meant(key, &select.projection) {
                Some(SelectItem::ExprWithAlias { expr, .. } | SelectItem::UnnamedExpr(expr)) => {
                    expr.to_string()
                }
                _ => key.to_string(),
            })
            .collect();
        let sql = format!(
            "{}SELECT {} FROM {}{condition} GROUP BY {}",
            self.with(),
            items.join(", "),
            listed(&select.from),
            grouped.join(", ")
        );
        steps.push(step("GROUP BY", sql.clone(), said));
        if let Some(condition) = &select.having {
            steps.push(step("HAVING", format!("{sql} HAVING {condition}"), having));
        }
    }

    /// Each branch of a set operation, added to those before it.
    fn set_operation(&self, words: &mut Words, steps: &mut Vec<LessonStep>) {
        let mut bodies = vec![&*self.query.body];
        let mut first = &*self.query.body;
        while let SetExpr::SetOperation { left, .. } = first {
            first = left;
            bodies.push(first);
        }
        let is_next = |clause: &str| {
            words!("UNION, INTERSECT, EXCEPT, ORDER BY, LIMIT, OFFSET, FETCH")
                .iter()
                .any(|name| clause.starts_with(name))
        };
        for (place, body) in bodies.into_iter().rev().enumerate() {
            let (clause, said) = match place {
                0 => ("SELECT".to_owned(), String::new()),
                _ => words.next_where(is_next),
            };
            let branch = words.until(is_next);
            let said = format!("{said} {branch}").trim().to_owned();
            let sql = self.query_of(body.clone(), false, false);
            steps.push(step(&clause, sql, said));
        }
        self.tail(&self.query.body, false, words, steps);
    }

    /// ORDER BY, then the cut.
    fn tail(
        &self,
        body: &SetExpr,
        is_first_of_each: bool,
        words: &mut Words,
        steps: &mut Vec<LessonStep>,
    ) {
        let is_cut = self.query.limit_clause.is_some() || self.query.fetch.is_some();
        if self.query.order_by.is_some() || is_first_of_each {
            let clause = if is_first_of_each {
                "DISTINCT ON"
            } else {
                "ORDER BY"
            };
            let said = words
                .until(|clause| !clause.starts_with("DISTINCT") && !clause.starts_with("ORDER BY"));
            let sql = self.query_of(body.clone(), true, false);
            steps.push(step(clause, sql, said));
        }
        if is_cut {
            let said = words.until(|clause| clause == "FOR UPDATE");
            let sql = self.query_of(body.clone(), true, true);
            steps.push(step("LIMIT", sql, said));
        }
    }

    /// The query with this body, with its order and its cut or without.
    fn query_of(&self, body: SetExpr, is_sorted: bool, is_cut: bool) -> String {
        let mut query = self.query.clone();
        *query.body = body;
        if !is_sorted {
            query.order_by = None;
        }
        if !is_cut {
            query.limit_clause = None;
            query.fetch = None;
        }
        query.locks.clear();
        query.to_string()
    }
}

fn step(clause: &str, sql: String, words: String) -> LessonStep {
    LessonStep {
        clause: clause.to_owned(),
        sql,
        words,
    }
}

fn listed(from: &[TableWithJoins]) -> String {
    let items: Vec<String> = from.iter().map(ToString::to_string).collect();
    items.join(", ")
}

/// The output that a key of GROUP BY names by its position or alias.
fn meant<'s>(key: &Expr, projection: &'s [SelectItem]) -> Option<&'s SelectItem> {
    match key {
        Expr::Value(value) => {
            let Value::Number(digits, _) = &value.value else {
                return None;
            };
            projection.get(digits.parse::<usize>().ok()?.checked_sub(1)?)
        }
        Expr::Identifier(name) => projection.iter().find(|item| {
            matches!(item, SelectItem::ExprWithAlias { alias, .. } if fold(alias) == fold(name))
        }),
        _ => None,
    }
}

/// A key of GROUP BY as an output.
fn output_of(key: &Expr, projection: &[SelectItem]) -> String {
    meant(key, projection).map_or_else(|| key.to_string(), ToString::to_string)
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use expect_test::expect_file;
    use text2sql_domain::schema_fixture;
    use text2sql_phrases::{Language, in_language};

    use super::*;

    fn taught(sql: &str) -> String {
        let mut text = String::new();
        for step in lesson(sql, &schema_fixture::shop()).unwrap() {
            let _ = writeln!(text, "{}: {}\n    {}", step.clause, step.words, step.sql);
        }
        text
    }

    #[test]
    fn lessons_are_those_a_person_agreed_to() {
        golden_text::check(&expect_file!["lesson/english.txt"], taught);
        golden_text::check(&expect_file!["lesson/german.txt"], |sql| {
            in_language(Language::named("de").unwrap_or_default(), || taught(sql))
        });
    }

    #[test]
    fn the_last_step_is_the_query_itself() {
        for sql in [
            "SELECT 1",
            "VALUES (1), (2)",
            "SELECT count(*) FROM orders;",
            "TABLE orders",
            "SELECT a FROM ROWS FROM (f(1), g(2)) AS r(a, b)",
        ] {
            let steps = lesson(sql, &[]).unwrap();
            let last = steps.last().unwrap();
            assert_eq!(last.sql, sql.trim_end_matches(';'));
        }
        assert!(lesson("no SQL", &[]).is_err());
    }
}
