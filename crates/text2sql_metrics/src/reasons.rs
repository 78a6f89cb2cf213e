//! Why a case failed, derived from the results and the two statements alone: the same case always gets the
//! same reasons, and no model is involved.
//!
//! The first reason is about the result, the others are about the statement. A reason about the statement
//! is a hint, not a proof: a query can be written in many ways.

use super::components::Components;
use super::exact_match::{count, same_column};
use super::execution_accuracy::{RowOrder, equal_results};
use super::result_table::{Comparison, ResultTable, Value, is_numeric};

/// How a candidate without rows ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended<'a> {
    /// The status of the answer.
    pub status: &'a str,
    /// SQLSTATE of the database's error, if there was one.
    pub sqlstate: Option<&'a str>,
}

/// Reasons for an answer without rows.
pub fn reasons_without_rows(ended: Ended<'_>) -> Vec<String> {
    let reason = match (ended.status, ended.sqlstate) {
        (_, Some("57014")) => "timeout".to_owned(),
        (_, Some(state)) => format!("error: {}", category(state)),
        ("failed", None) => "error: no statement".to_owned(),
        (status, None) => format!("refused: {status}"),
    };
    vec![reason]
}

/// The category of an SQLSTATE.
fn category(sqlstate: &str) -> &'static str {
    match sqlstate {
        "42P01" => "unknown table",
        "42703" => "unknown column",
        "42883" => "unknown function or operator",
        "42803" => "grouping",
        "42702" | "42725" => "ambiguous name",
        "42804" | "42846" => "type mismatch",
        "42501" => "permission",
        "42601" => "syntax",
        "22012" => "division by zero",
        "21000" => "several rows where one is needed",
        _ => match sqlstate.get(..2) {
            Some("22") => "bad value",
            Some("42") => "wrong SQL",
            Some("53" | "54") => "too large",
            Some("0A") => "not supported",
            _ => "other",
        },
    }
}

/// Reasons for wrong rows.
pub fn reasons_for_rows(
    gold: &ResultTable,
    candidate: &ResultTable,
    order: &RowOrder,
    comparison: &Comparison,
) -> Vec<String> {
    let mut reasons = Vec::new();
    let unordered = RowOrder::default();
    if order.counts && equal_results(gold, candidate, &unordered, comparison).is_some() {
        return vec!["order differs".to_owned()];
    }
    let as_set = Comparison {
        ignore_duplicates: true,
        ..comparison.clone()
    };
    if candidate.rows.is_empty() && !gold.rows.is_empty() {
        reasons.push("empty result".to_owned());
    } else if equal_results(gold, candidate, &unordered, &as_set).is_some() {
        reasons.push("only duplicates differ".to_owned());
    } else if is_only_type(gold, candidate, comparison) {
        reasons.push("type differs".to_owned());
    } else if gold.width() == 1
        && gold.rows.len() == 1
        && candidate.width() == 1
        && candidate.rows.len() == 1
    {
        reasons.push("single cell differs".to_owned());
    } else {
        if candidate.width() < gold.width() {
            reasons.push("missing columns".to_owned());
        }
        if candidate.width() > gold.width() {
            reasons.push("extra columns".to_owned());
        }
        if candidate.rows.len() < gold.rows.len() {
            reasons.push("missing rows".to_owned());
        }
        if candidate.rows.len() > gold.rows.len() {
            reasons.push("extra rows".to_owned());
        }
        if reasons.is_empty() {
            reasons.push("values differ".to_owned());
        }
    }
    reasons
}

/// Whether the values are equal and only their types differ: `'5'` and `5`.
fn is_only_type(gold: &ResultTable, candidate: &ResultTable, comparison: &Comparison) -> bool {
    let differs = gold.width() == candidate.width()
        && gold
            .types
            .iter()
            .zip(&candidate.types)
            .any(|(a, b)| is_numeric(a) != is_numeric(b));
    if !differs {
        return false;
    }
    let as_texts = |table: &ResultTable| ResultTable {
        rows: table
            .rows
            .iter()
            .map(|row| {
                row.iter()
                    .map(|value| Value::Text(value.as_text().unwrap_or("∅").to_owned()))
                    .collect()
            })
            .collect(),
        ..table.clone()
    };
    equal_results(
        &as_texts(gold),
        &as_texts(candidate),
        &RowOrder::default(),
        comparison,
    )
    .is_some()
}

/// The differences between the two statements, most significant first.
pub fn reasons_for_sql(gold: &Components, candidate: &Components) -> Vec<String> {
    let list = |names: Vec<&String>| {
        let names: Vec<&str> = names.into_iter().map(String::as_str).take(3).collect();
        names.join(", ")
    };
    let mut reasons = Vec::new();
    let missing = gold
        .tables
        .difference(&candidate.tables)
        .collect::<Vec<_>>();
    let extra = candidate
        .tables
        .difference(&gold.tables)
        .collect::<Vec<_>>();
    let same_tables = missing.is_empty() && extra.is_empty();
    if !missing.is_empty() {
        reasons.push(format!("wrong table: without {}", list(missing)));
    } else if !extra.is_empty() {
        reasons.push(format!("wrong table: with {}", list(extra)));
    }
    let columns = count(gold.columns.iter(), candidate.columns.iter(), same_column);
    if same_tables && columns.0 < columns.1 {
        let missing = gold.columns.iter().filter(|column| {
            !candidate
                .columns
                .iter()
                .any(|other| same_column(column, other))
        });
        let missing: Vec<&String> = missing.collect();
        if !missing.is_empty() {
            reasons.push(format!("wrong column: without {}", list(missing)));
        }
    }
    if same_tables && gold.joins != candidate.joins {
        reasons.push("wrong join".to_owned());
    }
    let groups = |of: &Components| {
        of.operations
            .iter()
            .filter(|name| *name == "GROUP BY")
            .count()
    };
    if gold.aggregates != candidate.aggregates || groups(gold) != groups(candidate) {
        reasons.push("wrong aggregation".to_owned());
    }
    if gold.dates != candidate.dates {
        reasons.push("wrong date".to_owned());
    }
    // An extra number (the 1 of an EXISTS) is not significant; an extra text is an extra condition.
    let without = |of: &Components, other: &Components| {
        let missing = of
            .literals
            .iter()
            .filter(|literal| !other.literals.contains(literal));
        missing.cloned().collect::<Vec<String>>()
    };
    let too_many = without(candidate, gold);
    if !without(gold, candidate).is_empty()
        || too_many.iter().any(|literal| literal.starts_with('\''))
    {
        reasons.push("wrong literal".to_owned());
    }
    // Without a limit, an order that was not requested changes nothing.
    let sorts = !gold.sort.is_empty() || gold.limit.is_some();
    if gold.limit != candidate.limit || (sorts && gold.sort != candidate.sort) {
        reasons.push("wrong order or limit".to_owned());
    }
    reasons
}

#[cfg(test)]
mod tests {
    use super::super::components::components;
    use super::super::result_table::tests::table;
    use super::*;

    #[test]
    fn results_tell_what_is_missing() {
        let comparison = Comparison::default();
        let unordered = RowOrder::default();
        let gold = table("name n", &["x|1", "y|2"]);
        for (candidate, reasons) in [
            (table("name n", &[]), vec!["empty result"]),
            (table("name n", &["x|1"]), vec!["missing rows"]),
            (
                table("name n", &["x|1", "y|2", "y|2"]),
                vec!["only duplicates differ"],
            ),
            (table("name n", &["x|1", "y|2", "z|3"]), vec!["extra rows"]),
            (table("name", &["x", "y"]), vec!["missing columns"]),
            (
                table("name n k", &["x|1|5"]),
                vec!["extra columns", "missing rows"],
            ),
            (table("name n", &["x|1", "y|9"]), vec!["values differ"]),
        ] {
            assert_eq!(
                reasons_for_rows(&gold, &candidate, &unordered, &comparison),
                reasons
            );
        }
        let one = |value: &str| table("n", &[value]);
        assert_eq!(
            reasons_for_rows(&one("5"), &one("6"), &unordered, &comparison),
            ["single cell differs"]
        );
        let mut number = one("5");
        number.types = vec!["integer".into()];
        let text = ResultTable {
            rows: vec![vec![Value::Text("5".into())]],
            types: vec!["text".into()],
            ..one("5")
        };
        assert_eq!(
            reasons_for_rows(&number, &text, &unordered, &comparison),
            ["type differs"]
        );
        let ordered = RowOrder {
            counts: true,
            keys: Vec::new(),
        };
        let turned = table("name n", &["y|2", "x|1"]);
        assert_eq!(
            reasons_for_rows(&gold, &turned, &ordered, &comparison),
            ["order differs"]
        );
    }

    #[test]
    fn endings_have_a_category() {
        let ended = |status, sqlstate| reasons_without_rows(Ended { status, sqlstate }).join(", ");
        assert_eq!(ended("failed", Some("42703")), "error: unknown column");
        assert_eq!(ended("failed", Some("57014")), "timeout");
        assert_eq!(ended("failed", Some("22P02")), "error: bad value");
        assert_eq!(ended("unanswerable", None), "refused: unanswerable");
        assert_eq!(ended("blocked", None), "refused: blocked");
    }

    #[test]
    fn statements_tell_what_is_suspect() {
        let gold = "SELECT c.name, sum(o.total) FROM customers c JOIN orders o ON o.customer_id = c.customer_id \
                    WHERE o.ordered_on >= '2024-01-01' AND c.city = 'Wien' GROUP BY c.name ORDER BY 2 DESC LIMIT 3";
        let first = |candidate: &str| {
            let reasons =
                reasons_for_sql(&components(gold).unwrap(), &components(candidate).unwrap());
            reasons.first().cloned().unwrap_or_default()
        };
        assert_eq!(first(gold), "");
        assert_eq!(
            first(&gold.replace(" AND c.city", " AND EXISTS (SELECT 1) AND c.city")),
            ""
        );
        assert_eq!(
            first(&gold.replace("orders o", "payments o")),
            "wrong table: without orders"
        );
        assert_eq!(
            first(&gold.replace("o.total", "o.net")),
            "wrong column: without orders.total"
        );
        assert_eq!(first(&gold.replace("c JOIN", "c LEFT JOIN")), "wrong join");
        assert_eq!(first(&gold.replace("sum(", "avg(")), "wrong aggregation");
        assert_eq!(first(&gold.replace("2024", "2023")), "wrong date");
        assert_eq!(first(&gold.replace("Wien", "Graz")), "wrong literal");
        assert_eq!(
            first(&gold.replace("LIMIT 3", "LIMIT 5")),
            "wrong order or limit"
        );
    }
}
