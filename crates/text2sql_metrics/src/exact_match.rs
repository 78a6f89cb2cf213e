//! **EM share** and **EM rate**: how similar a candidate is to the gold statement in its SQL.
//!
//! Six components are compared on normalised SQL ([`super::components`]): tables, columns, operations,
//! dates, sort direction, limit. The share of a component is `matching elements / elements of the gold`,
//! counted as multisets; a component that is empty in both matches (1), one that only the candidate has does
//! not (0). `EM share` is the mean of the six shares. `EM rate` is the share of cases in which all six are
//! equal, with nothing missing and nothing extra. After the component matching of Yu et al. 2018 (Spider),
//! extended by dates, sort direction and limit, where differences are most visible. A correct query
//! can be written differently: a low share with EX 1 is not a fault.

use serde::Serialize;

use super::components::Components;

/// The shares of the six components, and whether each is equal.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ExactMatch {
    /// Share of the gold's tables.
    pub tables: f64,
    /// Share of the gold's columns.
    pub columns: f64,
    /// Share of the gold's operations.
    pub operations: f64,
    /// Share of the gold's dates.
    pub dates: f64,
    /// Share of the gold's sort directions.
    pub sort: f64,
    /// Whether the limit equals the gold's.
    pub limit: f64,
    /// Whether all six are equal.
    pub is_equal: bool,
}

impl ExactMatch {
    /// The mean of the six shares.
    pub fn share(&self) -> f64 {
        (self.tables + self.columns + self.operations + self.dates + self.sort + self.limit) / 6.0
    }
}

/// Number of matching elements, of elements of the gold, and of elements of the candidate.
type Counts = (usize, usize, usize);

/// Compares the components of two statements.
pub fn exact_match(gold: &Components, candidate: &Components) -> ExactMatch {
    let tables = count(gold.tables.iter(), candidate.tables.iter(), |a, b| a == b);
    let columns = count(gold.columns.iter(), candidate.columns.iter(), |a, b| {
        same_column(a, b)
    });
    let operations = count(
        gold.operations.iter(),
        candidate.operations.iter(),
        |a, b| a == b,
    );
    let dates = count(gold.dates.iter(), candidate.dates.iter(), |a, b| a == b);
    let sort = (
        gold.sort
            .iter()
            .zip(&candidate.sort)
            .filter(|(a, b)| a == b)
            .count(),
        gold.sort.len(),
        candidate.sort.len(),
    );
    let limit = count(gold.limit.iter(), candidate.limit.iter(), |a, b| a == b);
    let all = [tables, columns, operations, dates, sort, limit];
    ExactMatch {
        tables: share(tables),
        columns: share(columns),
        operations: share(operations),
        dates: share(dates),
        sort: share(sort),
        limit: share(limit),
        is_equal: all
            .iter()
            .all(|(matching, ours, theirs)| matching == ours && ours == theirs),
    }
}

fn share((matching, expected, found): Counts) -> f64 {
    match (expected, found) {
        (0, 0) => 1.0,
        (0, _) => 0.0,
        _ => matching as f64 / expected as f64,
    }
}

/// A column without its table matches a column with the same name.
pub(super) fn same_column(one: &str, other: &str) -> bool {
    let bare = |name: &'_ str| name.rsplit('.').next().unwrap_or_default().to_owned();
    one == other || ((!one.contains('.') || !other.contains('.')) && bare(one) == bare(other))
}

/// Counts matching pairs of elements, each used once.
pub(super) fn count<'a>(
    gold: impl Iterator<Item = &'a String>,
    candidate: impl Iterator<Item = &'a String>,
    same: impl Fn(&str, &str) -> bool,
) -> Counts {
    let gold: Vec<&String> = gold.collect();
    let mut free: Vec<&String> = candidate.collect();
    let found = free.len();
    let mut matching = 0;
    for element in &gold {
        // Exact matches first, so that a column without a table does not take another's match.
        let place = free
            .iter()
            .position(|other| other == element)
            .or_else(|| free.iter().position(|other| same(element, other)));
        if let Some(place) = place {
            free.swap_remove(place);
            matching += 1;
        }
    }
    (matching, gold.len(), found)
}

#[cfg(test)]
mod tests {
    use super::super::components::components;
    use super::*;

    fn matched(gold: &str, candidate: &str) -> ExactMatch {
        exact_match(&components(gold).unwrap(), &components(candidate).unwrap())
    }

    /// Ratios of two years: the candidate lacks the CASE branches, the zero check and the year.
    #[test]
    fn nine_of_fourteen_operations_and_no_date_are_a_share_of_0_77() {
        let gold = "SELECT c.region, \
                    round(sum(CASE WHEN o.ordered_on >= DATE '2024-01-01' THEN o.revenue ELSE 0 END) \
                    / sum(o.revenue), 1) AS ratio \
                    FROM orders o JOIN customers c ON c.customer_id = o.customer_id \
                    WHERE o.ordered_on < DATE '2025-01-01' AND o.status <> 'cancelled' AND c.region IS NOT NULL \
                    GROUP BY c.region HAVING count(*) > 5 ORDER BY ratio DESC LIMIT 3";
        let candidate = "SELECT customers.region, round(sum(revenue) / sum(orders.customer_id), 1) AS share \
                    FROM orders, customers \
                    WHERE customers.customer_id = orders.customer_id AND status <> 'cancelled' \
                    AND ordered_on IS NOT NULL \
                    GROUP BY customers.region HAVING sum(revenue) IS NOT NULL ORDER BY share DESC LIMIT 3";
        let gold_parts = components(gold).unwrap();
        let parts = components(candidate).unwrap();
        let operations = count(
            gold_parts.operations.iter(),
            parts.operations.iter(),
            |a, b| a == b,
        );
        assert_eq!(
            (operations.0, operations.1),
            (9, 14),
            "{gold_parts:?}\n{parts:?}"
        );
        let found = exact_match(&gold_parts, &parts);
        assert_eq!(
            (found.tables, found.columns, found.dates),
            (1.0, 1.0, 0.0),
            "{gold_parts:?}\n{parts:?}"
        );
        assert_eq!((found.sort, found.limit), (1.0, 1.0));
        assert_eq!(format!("{:.2}", found.share()), "0.77");
        assert!(!found.is_equal);
    }

    #[test]
    fn spelling_does_not_matter() {
        for (gold, candidate) in [
            (
                "SELECT c.name FROM customers c JOIN orders o ON o.customer_id = c.customer_id WHERE o.total BETWEEN 1 AND 5",
                "select customers.name from public.customers, orders where customers.customer_id = orders.customer_id and orders.total >= 1 and orders.total <= 5",
            ),
            (
                "SELECT count(*) FROM t WHERE a != 3",
                "SELECT COUNT(*) AS n FROM \"t\" x WHERE (x.a) <> 3",
            ),
            (
                "SELECT a FROM t WHERE d >= '2024-01-01' ORDER BY a DESC LIMIT 5",
                "SELECT a AS b FROM t WHERE d >= TIMESTAMP '2024-01-01 00:00:00' ORDER BY b DESC FETCH FIRST 5 ROWS ONLY",
            ),
            (
                "SELECT a FROM t WHERE d > CURRENT_DATE - INTERVAL '1 month'",
                "SELECT a FROM t WHERE d > now() - INTERVAL '1 months'",
            ),
        ] {
            let found = matched(gold, candidate);
            assert!(
                found.is_equal,
                "{gold}\n{candidate}\n{found:?}\n{:?}\n{:?}",
                components(gold),
                components(candidate)
            );
            assert_eq!(found.share(), 1.0);
        }
    }

    #[test]
    fn what_differs_lowers_its_own_component() {
        let base = "SELECT name FROM t WHERE a = 1 ORDER BY name LIMIT 3";
        assert_eq!(
            matched(base, "SELECT name FROM u WHERE a = 1 ORDER BY name LIMIT 3").tables,
            0.0
        );
        assert_eq!(
            matched(base, "SELECT name FROM t WHERE b = 1 ORDER BY name LIMIT 3").columns,
            0.5
        );
        assert_eq!(
            matched(base, "SELECT name FROM t WHERE a > 1 ORDER BY name LIMIT 3").operations,
            0.0
        );
        assert_eq!(
            matched(
                base,
                "SELECT name FROM t WHERE a = 1 ORDER BY name DESC LIMIT 3"
            )
            .sort,
            0.0
        );
        assert_eq!(
            matched(base, "SELECT name FROM t WHERE a = 1 ORDER BY name LIMIT 4").limit,
            0.0
        );
        assert_eq!(
            matched(
                base,
                "SELECT name FROM t WHERE a = 1 AND d > '2024-01-01' ORDER BY name LIMIT 3"
            )
            .dates,
            0.0
        );
        assert_eq!(
            matched(
                "SELECT a FROM t WHERE extract(year from d) = 2024",
                "SELECT a FROM t WHERE extract(year from d) = 2023"
            )
            .dates,
            0.5
        );
    }

    #[test]
    fn components_know_tables_columns_and_keys() {
        let found = components(
            "WITH big AS (SELECT customer_id, sum(total) AS spent FROM orders GROUP BY 1) \
             SELECT c.name, b.spent FROM big b JOIN customers c USING (customer_id) \
             WHERE c.city = 'Wien' ORDER BY 2 DESC LIMIT 3",
        )
        .unwrap();
        assert_eq!(
            found.tables.iter().collect::<Vec<_>>(),
            ["customers", "orders"]
        );
        assert!(found.columns.contains("customers.city") && found.columns.contains("total"));
        assert_eq!(found.sort_keys, [1]);
        assert_eq!(
            (found.limit.as_deref(), found.sort.as_slice()),
            (Some("3"), ["DESC".to_owned()].as_slice())
        );
        assert_eq!(found.aggregates, ["sum"]);
        assert!(found.literals.contains(&"'Wien'".to_owned()));
        assert!(components("DELETE FROM t").is_none());
        assert!(components("this is no SQL").is_none());
    }
}
