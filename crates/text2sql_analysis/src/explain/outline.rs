//! What a query does in a few short lines: the steps of its explanation without comments and aliases.

use std::sync::Arc;

use super::Step;
use super::narrator::Narrator;
use super::scope::Scope;
use text2sql_domain::schema::Table;
use text2sql_language::english::shorten;
use text2sql_sql::tree::parse::parse_query;

/// Maximum number of lines: a query with more clauses is read as SQL.
const MAX_LINES: usize = 12;

/// Maximum length of a line, in characters: three lines of a terminal.
const MAX_CHARS: usize = 240;

/// The steps of a query, one line each; none if the query cannot be parsed.
pub(super) fn outline(sql: &str, tables: &[Arc<Table>]) -> Vec<Step> {
    let Ok(Some(query)) = parse_query(sql) else {
        return Vec::new();
    };
    let mut narrator = Narrator::brief(tables);
    narrator.query(&Scope::default(), &query);
    let all = narrator.steps.len();
    let steps = narrator.steps.into_iter().take(MAX_LINES);
    let mut lines: Vec<Step> = steps
        .map(|step| Step {
            explanation: shorten(&step.explanation, MAX_CHARS),
            clause: step.clause,
        })
        .collect();
    if all > MAX_LINES {
        lines.push(Step {
            clause: "…".to_owned(),
            explanation: "…".to_owned(),
        });
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use text2sql_domain::schema::Column;

    fn lines(sql: &str) -> Vec<String> {
        let column = |name: &str| Column {
            name: name.to_owned(),
            comment: Some("a long comment".to_owned()),
            ..Column::default()
        };
        let table = |oid, name: &str| {
            Arc::new(Table {
                oid,
                name: name.to_owned(),
                is_visible: true,
                comment: Some("another comment".to_owned()),
                columns: vec![column("id"), column("name")],
                ..Table::default()
            })
        };
        let tables = [table(1, "orders"), table(2, "customers")];
        let steps = outline(sql, &tables).into_iter();
        steps.map(|step| step.explanation).collect()
    }

    #[test]
    fn comments_aliases_and_keys_are_left_out() {
        assert_eq!(
            lines("SELECT c.name FROM orders o JOIN customers c ON c.id = o.id WHERE c.name = 'x'"),
            [
                "Start with orders.",
                "Add the matching rows of customers.",
                "Keep only the rows where customers.name is 'x'.",
                "Show customers.name.",
            ]
        );
        // An outer join changes the result, so the outline says that rows without a match stay.
        let left = lines("SELECT c.name FROM orders o LEFT JOIN customers c ON c.id = o.id");
        assert!(left[1].contains("Rows without a match stay"), "{left:?}");
        // An alias that names the table is needed.
        let own = lines("SELECT a.id FROM orders a JOIN orders b ON a.id = b.id");
        assert_eq!(own[0], "Start with orders, called a here.");
    }

    #[test]
    fn a_long_query_is_cut_and_no_query_has_no_lines() {
        let many: Vec<String> = (0..20).map(|n| format!("a{n} AS (SELECT 1)")).collect();
        let cut = lines(&format!("WITH {} SELECT 1", many.join(", ")));
        assert_eq!(cut.len(), MAX_LINES + 1);
        assert_eq!(cut.last().map(String::as_str), Some("…"));
        for sql in ["", "DELETE FROM orders", "SELECT )", "no SQL"] {
            assert!(lines(sql).is_empty(), "{sql}");
        }
        let wide: Vec<String> = (0..500).map(|n| format!("{n} AS column_{n}")).collect();
        let wide = lines(&format!("SELECT {}", wide.join(", ")));
        assert!(
            wide.iter()
                .all(|line| line.chars().count() <= MAX_CHARS + 4)
        );
    }
}
