//! The mark of an attempt, with a hint that names the clause to look at and not the answer.

use text2sql_domain::named_enum;
use text2sql_metrics::components::components;
use text2sql_metrics::exact_match::exact_match;
use text2sql_metrics::execution_accuracy::{RowOrder, equal_results};
use text2sql_metrics::reasons::{reasons_for_rows, reasons_for_sql};
use text2sql_metrics::result_table::{Comparison, ResultTable};
use text2sql_phrases::say;

/// The best score of an attempt that is not right.
const MOST_WRONG: f64 = 0.9;

/// The share of equal parts from which an attempt is partly right.
const PARTLY: f64 = 0.6;

named_enum! {
    /// How right an attempt is.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Mark {
        /// It gives the rows that were asked for.
        Right = "right",
        /// Much of it is right.
        Partly = "partly",
        /// It is about something else.
        Wrong = "wrong",
        /// The guard does not run it.
        Refused = "refused",
    }
}

/// A marked attempt.
#[derive(Debug, Clone, PartialEq)]
pub struct Marked {
    /// How right it is.
    pub mark: Mark,
    /// From 0 to 1.
    pub score: f64,
    /// What to look at.
    pub hint: Option<String>,
}

/// One side of a comparison: a query and its rows.
pub type Answer<'a> = (&'a str, &'a ResultTable);

/// Marks an attempt by its rows; `reads_tables` is whether it reads a table that the answer reads.
pub fn mark(gold: Answer<'_>, attempt: Answer<'_>, reads_tables: bool) -> Marked {
    let order = order_of(gold.0);
    let comparison = Comparison::default();
    let parts = components(gold.0).zip(components(attempt.0));
    let share = parts
        .as_ref()
        .map_or(0.0, |(gold, attempt)| exact_match(gold, attempt).share());
    let is_equal = |order: &RowOrder, comparison: &Comparison| {
        equal_results(gold.1, attempt.1, order, comparison).is_some()
    };
    let partly = |hint: String| Marked {
        mark: Mark::Partly,
        score: share.clamp(PARTLY, MOST_WRONG),
        hint: Some(hint),
    };
    if is_equal(&order, &comparison) {
        if !reads_tables {
            return partly(say!(
                "The result is right, but the query reads none of the tables that the question is about: compute it from them."
            ));
        }
        return Marked {
            mark: Mark::Right,
            score: 1.0,
            hint: None,
        };
    }
    let wider = Comparison {
        extra_columns: true,
        ..comparison.clone()
    };
    if is_equal(&order, &wider) {
        return partly(say!(
            "The rows are right, but there are more columns than the question asks for: look at SELECT."
        ));
    }
    let by_rows = reasons_for_rows(gold.1, attempt.1, &order, &comparison);
    let by_sql = parts.map_or_else(Vec::new, |(gold, attempt)| reasons_for_sql(&gold, &attempt));
    let first = |reasons: &[String]| reasons.first().cloned().unwrap_or_default();
    match first(&by_rows).as_str() {
        "order differs" => {
            return partly(say!(
                "The rows are right, but not in the order that the question asks for: look at ORDER BY."
            ));
        }
        "only duplicates differ" => {
            return partly(say!(
                "The same rows, but not the same number of times: look at DISTINCT, and at joins that repeat rows."
            ));
        }
        _ => {}
    }
    let hints: Vec<String> = [hint_of_sql(&first(&by_sql)), hint_of_rows(&first(&by_rows))]
        .into_iter()
        .flatten()
        .collect();
    Marked {
        // Without a table that the question is about, nothing of the answer can be right.
        mark: if share >= PARTLY && !first(&by_sql).starts_with("wrong table: without") {
            Mark::Partly
        } else {
            Mark::Wrong
        },
        score: share.min(MOST_WRONG),
        hint: Some(hints.join(" ")),
    }
}

/// The order counts where the answer sorts by what it shows.
fn order_of(gold: &str) -> RowOrder {
    let parts = components(gold).unwrap_or_default();
    RowOrder {
        counts: !parts.sort.is_empty() && !parts.sort_keys.is_empty(),
        keys: parts.sort_keys,
    }
}

/// What to look at in the query. A reason may name what is missing; the hint does not.
fn hint_of_sql(reason: &str) -> Option<String> {
    let kind = reason.split(": ").next().unwrap_or_default();
    Some(match kind {
        "wrong table" if reason.contains(": with ") => {
            say!("The query reads a table that the question does not need: look at FROM and JOIN.")
        }
        "wrong table" => say!("A table that the question needs is missing: look at FROM and JOIN."),
        "wrong column" => {
            say!("A column that the question speaks of is not used: read the question again.")
        }
        "wrong join" => {
            say!("Look at the kind of join: which rows without a match belong to the answer?")
        }
        "wrong aggregation" => say!(
            "Look at the aggregate and at GROUP BY: what is counted or added up, and for each what?"
        ),
        "wrong date" => say!("Look at the dates in the conditions."),
        "wrong literal" => say!("Look at the values in the conditions."),
        "wrong order or limit" => say!("Look at ORDER BY and LIMIT."),
        _ => return None,
    })
}

/// What differs in the rows.
fn hint_of_rows(reason: &str) -> Option<String> {
    Some(match reason {
        "empty result" => {
            say!("The query gives no rows: text2sql.why_empty() shows which condition leaves none.")
        }
        "missing columns" => say!("There are fewer columns than the question asks for."),
        "extra columns" => say!("There are more columns than the question asks for."),
        "missing rows" => say!(
            "There are fewer rows than there should be: a condition is too narrow, or a join drops rows."
        ),
        "extra rows" => {
            say!("There are more rows than there should be: a condition or a group is missing.")
        }
        "type differs" => {
            say!("The values are right, but of another type: a number is not a text.")
        }
        "single cell differs" | "values differ" => {
            say!("The values differ: look at what is computed.")
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use text2sql_metrics::result_table::Value;
    use text2sql_phrases::{Language, in_language};

    use super::*;

    fn table(names: &str, rows: &[&str]) -> ResultTable {
        let names: Vec<String> = names.split(' ').map(str::to_owned).collect();
        ResultTable {
            types: vec!["text".to_owned(); names.len()],
            names,
            rows: rows
                .iter()
                .map(|row| {
                    row.split('|')
                        .map(|cell| Value::read(Some(cell), "text"))
                        .collect()
                })
                .collect(),
            is_truncated: false,
        }
    }

    #[test]
    fn an_attempt_is_marked_by_its_rows() {
        let gold = "SELECT status, count(*) FROM orders GROUP BY status ORDER BY 2 DESC";
        let rows = table("status count", &["paid|5", "new|2"]);
        let marked = |sql: &str, attempt: &ResultTable| mark((gold, &rows), (sql, attempt), true);
        let right = marked(
            "SELECT status, count(*) AS n FROM orders GROUP BY 1 ORDER BY n DESC",
            &rows,
        );
        assert_eq!((right.mark, right.hint), (Mark::Right, None));
        let turned = table("status count", &["new|2", "paid|5"]);
        let order = marked(
            "SELECT status, count(*) FROM orders GROUP BY status",
            &turned,
        );
        assert_eq!(order.mark, Mark::Partly);
        assert!(order.hint.unwrap().contains("ORDER BY"));
        let wide = table("status count x", &["paid|5|1", "new|2|1"]);
        let wider = marked(
            "SELECT status, count(*), 1 FROM orders GROUP BY status ORDER BY 2 DESC",
            &wide,
        );
        assert_eq!(wider.mark, Mark::Partly);
        let other = marked("SELECT name FROM products", &table("name", &["x"]));
        assert_eq!(other.mark, Mark::Wrong);
        assert!(other.score < 0.6, "{}", other.score);
    }

    #[test]
    fn constants_are_not_an_answer() {
        let rows = table("count", &["5"]);
        let marked = mark(
            ("SELECT count(*) FROM orders", &rows),
            ("SELECT 5", &rows),
            false,
        );
        assert_eq!(marked.mark, Mark::Partly);
    }

    #[test]
    fn no_hint_names_what_is_missing() {
        let gold = "SELECT sum(o.total) FROM orders o JOIN customers c ON c.id = o.customer_id WHERE c.country = 'AT' AND o.status = 'paid'";
        let attempts = [
            "SELECT sum(total) FROM orders",
            "SELECT sum(o.net) FROM orders o JOIN customers c ON c.id = o.customer_id",
            "SELECT avg(o.total) FROM orders o LEFT JOIN customers c ON c.id = o.customer_id",
        ];
        for language in Language::all() {
            for attempt in attempts {
                let marked = in_language(language, || {
                    mark(
                        (gold, &table("sum", &["5"])),
                        (attempt, &table("sum", &["7"])),
                        true,
                    )
                });
                let hint = marked.hint.unwrap();
                for secret in ["customers", "total", "country", "AT'", "paid", "status"] {
                    assert!(!hint.contains(secret), "{hint}");
                }
                assert!(!hint.is_empty());
            }
        }
    }
}
