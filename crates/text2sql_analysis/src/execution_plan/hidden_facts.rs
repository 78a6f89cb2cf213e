//! A plan shows tables, columns and constants of view definitions and policies that the
//! caller may not know. They are removed before the plan is described.

use std::sync::Arc;
use text2sql_domain::words;

use serde_json::Value;

use super::{Plan, PlanNode};
use text2sql_domain::schema::{Table, TableKind};

/// Replaces what is hidden.
const UNSEEN: &str = "a condition that you may not see";
const UNSEEN_KEY: &str = "something that you may not see";

/// Plan properties with a condition.
const CONDITIONS: [&str; 11] = *words!(
    "Filter, Index Cond, Recheck Cond, Join Filter, Hash Cond, Merge Cond, One-Time Filter, \
     TID Cond, Order By, Cache Key, Function Call"
);

/// Plan properties with lists of expressions.
const LISTS: [&str; 4] = ["Sort Key", "Presorted Key", "Group Key", "Output"];

/// Plan properties that reveal how many rows a policy removes.
const COUNTS: [&str; 3] =
    *words!("Rows Removed by Filter, Rows Removed by Index Recheck, Rows Removed by Join Filter");

impl Plan {
    /// Names of the relations in the plan.
    pub fn relations(&self) -> Vec<String> {
        let mut names: Vec<String> = self
            .steps
            .iter()
            .filter_map(|step| step.text("Relation Name"))
            .map(str::to_owned)
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Whether it may reveal more than the statement: with views, functions and policies. With only
    /// plain tables, everything comes from the statement.
    pub fn may_show_more(named: &[Arc<Table>]) -> bool {
        named.is_empty()
            || named.iter().any(|table| {
                table.has_row_security
                    || matches!(table.kind, TableKind::View | TableKind::MaterializedView)
            })
    }

    /// Removes the names of relations that are not among `visible`, and every condition with
    /// a word or constant that is not in `sql`.
    #[must_use]
    pub fn without_unseen(mut self, sql: &str, visible: &[Arc<Table>]) -> Self {
        let known = words(sql);
        for step in &mut self.steps {
            hide(step, &known, visible);
        }
        self
    }
}

fn hide(step: &mut PlanNode, known: &[String], visible: &[Arc<Table>]) {
    let table = visible.iter().find(|table| {
        Some(table.name.as_str()) == step.text("Relation Name")
            && step
                .text("Schema")
                .is_none_or(|schema| schema == table.schema)
    });
    if table.is_none() && step.text("Relation Name").is_some() {
        for member in ["Relation Name", "Schema", "Alias"] {
            step.facts.remove(member);
        }
    }
    // An index name often contains its table and columns; a bitmap step names no table.
    let is_seen = |index: &str| visible.iter().any(|table| index.starts_with(&table.name));
    if table.is_none() && step.text("Index Name").is_some_and(|index| !is_seen(index)) {
        step.facts.remove("Index Name");
    }
    if table.is_none_or(|table| table.has_row_security) {
        for member in COUNTS {
            step.facts.remove(member);
        }
    }
    for member in CONDITIONS {
        if let Some(condition) = step.text(member) {
            let shown = shown(condition, known);
            step.facts.insert(member.to_owned(), Value::String(shown));
        }
    }
    for member in LISTS {
        let keys: Vec<Value> = step
            .list(member)
            .into_iter()
            .map(|key| match is_known(key, known) {
                true => key.into(),
                false => UNSEEN_KEY.into(),
            })
            .collect();
        if !keys.is_empty() {
            step.facts.insert(member.to_owned(), Value::Array(keys));
        }
    }
}

/// The conjuncts of a condition that come from the statement.
fn shown(condition: &str, known: &[String]) -> String {
    let members = members(condition);
    let mut kept: Vec<&str> = members
        .iter()
        .copied()
        .filter(|member| is_known(member, known))
        .collect();
    if kept.len() < members.len() {
        kept.push(UNSEEN);
    }
    kept.join(" AND ")
}

/// The conjuncts of a condition.
fn members(condition: &str) -> Vec<&str> {
    let inner = condition
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'))
        .filter(|inner| super::node_in_words::closes_at_end(inner))
        .unwrap_or(condition);
    let mut found = Vec::new();
    let (mut depth, mut is_quoted, mut start) = (0_i32, false, 0);
    for (at, c) in inner.char_indices() {
        match c {
            '\'' => is_quoted = !is_quoted,
            '(' if !is_quoted => depth += 1,
            ')' if !is_quoted => depth -= 1,
            ' ' if !is_quoted && depth == 0 && starts_and(inner, at) => {
                found.extend(inner.get(start..at));
                start = at + " AND ".len();
            }
            _ => {}
        }
    }
    found.extend(inner.get(start..));
    found
}

fn starts_and(condition: &str, at: usize) -> bool {
    condition
        .get(at..)
        .is_some_and(|rest| rest.starts_with(" AND "))
}

/// Whether every word and constant of an expression is in the statement, ignoring types, which the
/// server adds to constants.
fn is_known(expression: &str, known: &[String]) -> bool {
    let without_types = without_casts(expression);
    words(&without_types)
        .iter()
        .all(|word| GRAMMAR.contains(&word.as_str()) || known.contains(word))
}

/// Words that the server adds when it prints an expression.
const GRAMMAR: [&str; 22] = [
    "and", "or", "not", "is", "null", "any", "all", "array", "case", "when", "then", "else", "end",
    "distinct", "from", "count", "subplan", "desc", "nulls", "first", "last", "true",
];

fn without_casts(expression: &str) -> String {
    let mut out = String::new();
    let mut rest = expression;
    while let Some((before, after)) = rest.split_once("::") {
        out.push_str(before);
        let end = after
            .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '[' | ']' | '"')))
            .unwrap_or(after.len());
        rest = after.get(end..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

/// Words and numbers, in lower case.
fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execution_plan::describe;

    fn plan(node: &str) -> Plan {
        Plan::read(&format!("[{{\"Plan\": {node}}}]")).unwrap()
    }

    fn table(name: &str, has_row_security: bool) -> Arc<Table> {
        Arc::new(Table {
            schema: "public".to_owned(),
            name: name.to_owned(),
            row_estimate: Some(10.0),
            has_row_security,
            ..Table::default()
        })
    }

    fn described(plan: Plan, sql: &str, visible: &[Arc<Table>]) -> String {
        let steps = describe(&plan.without_unseen(sql, visible), visible, 4096.0);
        let lines: Vec<String> = steps
            .into_iter()
            .map(|step| format!("{} {}", step.explanation, step.problem.unwrap_or_default()))
            .collect();
        lines.join("\n").trim().to_owned()
    }

    #[test]
    fn hides_the_definition_of_a_view() {
        let node = r#"{"Node Type": "Index Scan", "Relation Name": "salaries", "Schema": "public",
            "Alias": "salaries", "Index Name": "salaries_pkey", "Plan Rows": 1, "Total Cost": 8,
            "Index Cond": "(salaries.employee = 'e5'::text)",
            "Filter": "(salaries.salary < '987000'::numeric)"}"#;
        let sql = "SELECT * FROM staff WHERE employee = 'e5'";
        let described = described(plan(node), sql, &[table("staff", false)]);
        for secret in ["salar", "987000"] {
            assert!(!described.contains(secret), "{described}");
        }
        assert!(described.starts_with("Finds rows of a table by the index on it: "));
    }

    #[test]
    fn hides_the_conditions_of_a_policy() {
        let node = r#"{"Node Type": "Seq Scan", "Relation Name": "notes", "Schema": "public",
            "Alias": "notes", "Plan Rows": 1, "Total Cost": 8, "Rows Removed by Filter": 4711,
            "Filter": "((notes.owner <> 'topsecret'::text) AND (notes.body = 'x y'::text))"}"#;
        let sql = "SELECT id FROM notes WHERE notes.body = 'x y'";
        let described = described(plan(node), sql, &[table("notes", true)]);
        assert_eq!(
            described,
            "Reads every row of notes; keeps the rows where (notes.body = 'x y') AND a condition that you may not see."
        );
    }

    #[test]
    fn only_views_and_policies_show_more() {
        assert!(!Plan::may_show_more(&[table("t", false)]));
        assert!(Plan::may_show_more(&[table("t", true)]));
        assert!(Plan::may_show_more(&[]));
    }
}
