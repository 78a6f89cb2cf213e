//! The confidence of an answer of the built-in engine by the kind of its query: the lower end of the 95 %
//! interval (Wilson 1927) of the share of correct answers to the practice questions.
//!
//! The figures come from `builtin_practice` over 1,469 questions with gold queries; the engine was
//! developed on only half of them (`docs/reference/builtin.md`). Because other users ask other questions, only the
//! lower end is promised.

use text2sql_domain::interval::wilson;
use text2sql_domain::named_enum;

named_enum! {
    /// A kind of query, by its shape.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Kind {
        /// One row of aggregates.
        Figure = "figure",
        /// A row for each group.
        Groups = "groups",
        /// The first rows of an order.
        Ranked = "ranked",
        /// Rows with a sub-query in a condition.
        Nested = "nested",
        /// Rows of one table.
        List = "list",
        /// Rows of joined tables.
        JoinedList = "joined list",
    }
}

/// Every kind with the number of answers and of correct answers.
pub const FIGURES: [(Kind, u32, u32); 6] = [
    (Kind::Figure, 112, 109),
    (Kind::Groups, 87, 67),
    (Kind::Ranked, 67, 61),
    (Kind::Nested, 115, 108),
    (Kind::List, 140, 139),
    (Kind::JoinedList, 39, 36),
];

impl Kind {
    /// The kind of a query that the engine wrote.
    pub fn of(sql: &str) -> Self {
        let sql = sql.to_lowercase();
        let has = |word: &str| sql.contains(word);
        if has("\nlimit ") || has(" limit ") || has("fetch first") {
            Self::Ranked
        } else if sql.matches("select").count() > 1 {
            Self::Nested
        } else if has("group by") {
            Self::Groups
        } else if ["count(", "sum(", "avg(", "min(", "max(", "percentile_cont("]
            .into_iter()
            .any(has)
        {
            Self::Figure
        } else if has("join ") {
            Self::JoinedList
        } else {
            Self::List
        }
    }
}

/// How likely an answer with this query is right.
pub fn confidence(sql: &str) -> Option<f64> {
    let kind = Kind::of(sql);
    let (_, answers, right) = FIGURES.into_iter().find(|(known, _, _)| *known == kind)?;
    let (low, _) = wilson(f64::from(right), f64::from(answers))?;
    Some((low * 100.0).round() / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_query_is_of_one_kind() {
        for (sql, kind) in [
            ("SELECT count(*) AS n\nFROM t AS t", Kind::Figure),
            ("SELECT a, count(*)\nFROM t\nGROUP BY a", Kind::Groups),
            (
                "SELECT a, count(*)\nFROM t\nGROUP BY a\nORDER BY 2 DESC\nLIMIT 1",
                Kind::Ranked,
            ),
            (
                "SELECT a\nFROM t\nWHERE b = (SELECT max(b) FROM t)",
                Kind::Nested,
            ),
            ("SELECT a\nFROM t\nWHERE b = 1", Kind::List),
            ("SELECT a\nFROM t\nJOIN u ON u.x = t.x", Kind::JoinedList),
        ] {
            assert_eq!(Kind::of(sql), kind, "{sql}");
        }
    }

    #[test]
    fn confidences_are_lower_than_the_shares() {
        for (kind, answers, right) in FIGURES {
            let share = f64::from(right) / f64::from(answers);
            let (low, _) = wilson(f64::from(right), f64::from(answers)).expect("answers");
            assert!(low < share && low > 0.5, "{}", kind.as_str());
        }
    }
}
