//! Rejected and partly explained statements, and absence of panics.

use proptest::collection::vec;
use proptest::prelude::{Strategy, any, prop_assert, prop_oneof};
use proptest::sample::{Index, select};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::super::explain;
use super::shop;
use text2sql_domain::error::ErrorKind;

#[test]
fn refuses_what_does_not_read() {
    let check = |sql: &str, expect: &str| {
        let error = explain(sql, &shop()).unwrap_err();
        assert_eq!(error.to_string(), expect);
        assert_eq!(error.kind(), ErrorKind::Setting);
    };
    check("", "there is no statement to explain");
    check(" -- nothing\n;", "there is no statement to explain");
    check(
        "explain select 1 from",
        "explain takes a SELECT, and this statement begins with EXPLAIN",
    );
    check(
        "SELECT 1; DROP TABLE orders",
        "explain takes one statement, and there are several",
    );
    check(
        "SELECT 'open",
        "could not read the statement at line 1, column 8",
    );
    check("SELECT ,", "could not read the statement as a SELECT");
    check("SELECT ) (", "could not read the statement as a SELECT");
}

#[test]
fn refuses_what_is_too_long() {
    let check = |sql: String| {
        let error = explain(&sql, &[]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Limit);
    };
    check(format!("SELECT '{}'", "x".repeat(300_000)));
    check(format!("SELECT 1{}", " + 1".repeat(5_000)));
}

#[test]
fn the_longest_chains_fit_the_stack_of_a_backend() {
    let chains = [
        format!("SELECT 1{}", " + 1".repeat(499)),
        format!("SELECT overlay(1{} placing 'a' from 1)", " + 1".repeat(490)),
        format!("SELECT 1 WHERE a{}", " AND a".repeat(499)),
        format!("SELECT 1 WHERE a{}", " OR a = 1".repeat(249)),
        format!("SELECT 1{}", " UNION SELECT 1".repeat(499)),
        format!("SELECT a{}", "::int".repeat(249)),
        format!("SELECT a{}", "[1]".repeat(499)),
        format!("SELECT a{}", " COLLATE x".repeat(499)),
        format!("SELECT a{}", " IS NULL".repeat(499)),
        format!("SELECT a{}", " AT TIME ZONE 'x'".repeat(160)),
        format!("SELECT * FROM a{}", " JOIN a ON true".repeat(900)),
        format!("SELECT {}1", "NOT ".repeat(499)),
        format!("SELECT {}1", "- ".repeat(499)),
        format!("SELECT {}1{}", "(".repeat(240), ")".repeat(240)),
        format!("SELECT * FROM {}a{}", "(".repeat(240), ")".repeat(240)),
        format!("SELECT {}1{}", "f(".repeat(240), ")".repeat(240)),
        format!("SELECT {}1{}", "f(".repeat(40), " + 1)".repeat(40)),
        format!("{}SELECT 1{}", "SELECT (".repeat(40), ")".repeat(40)),
        format!(
            "{}SELECT 1{}",
            "SELECT * FROM (".repeat(22),
            ") x".repeat(22)
        ),
        format!(
            "WITH {} a AS (SELECT 1) SELECT 1",
            "a AS (SELECT * FROM a), ".repeat(600)
        ),
    ];
    for sql in chains {
        let start: String = sql.chars().take(40).collect();
        let explained = std::thread::Builder::new()
            .stack_size(8 * 1024 * 1024)
            .spawn(move || explain(&sql, &shop()).map(|steps| steps.len()))
            .unwrap()
            .join();
        assert!(explained.is_ok(), "{start}");
    }
}

const SEEDS: &[&str] = &[
    "SELECT c.name, count(*) FROM customers c LEFT JOIN orders o ON o.customer_id = c.id WHERE o.total BETWEEN 1 AND 2 OR c.name ILIKE 'a%' GROUP BY c.name HAVING count(*) > 1 ORDER BY 2 DESC LIMIT 3",
    "WITH RECURSIVE t(a, b) AS (SELECT 1, 'x' UNION ALL SELECT a + 1, b || 'é' FROM t WHERE a < 5) SELECT * FROM t WHERE a IN (SELECT id FROM orders) AND NOT EXISTS (SELECT 1 FROM products)",
    "SELECT rank() OVER (PARTITION BY a ORDER BY b DESC NULLS LAST ROWS BETWEEN 1 PRECEDING AND 2 FOLLOWING), CASE WHEN a THEN 1 ELSE -2.5e3 END, x[1], j->>'k' FROM \"Legacy Stock\", LATERAL (SELECT 1) s",
    "SELECT DISTINCT ON (a) extract(year FROM d), d - interval '1 day', date '2024-01-01', $1, E'\\n', $$x$$ FROM generate_series(1, 2) d UNION (SELECT 1 EXCEPT SELECT 2) FETCH FIRST 1 ROW WITH TIES",
];

const WORDS: &[&str] = &[
    "(", ")", ",", "SELECT", "FROM", "'", "\"", "NOT", "::", "[", "]", ";", "--", "/*", "NULL",
    "WITH", "OVER", "CASE", "END", "AND", "OR", "*", ".", "$1", "é", "\u{0}", "UNION", "BY",
    "LIMIT 1", "1", "INTERVAL", "EXISTS", "IN", "AS",
];

/// A change of characters at a position of a statement.
#[derive(Debug, Clone)]
enum Mutation {
    Truncate(Index),
    Delete(Index, usize),
    Insert(Index, &'static str),
    Copy(Index, usize, Index),
}

impl Mutation {
    fn any() -> impl Strategy<Value = Self> {
        prop_oneof![
            any::<Index>().prop_map(Self::Truncate),
            (any::<Index>(), 0..12_usize).prop_map(|(at, length)| Self::Delete(at, length)),
            (any::<Index>(), select(WORDS)).prop_map(|(at, word)| Self::Insert(at, word)),
            (any::<Index>(), 0..30_usize, any::<Index>())
                .prop_map(|(at, length, to)| Self::Copy(at, length, to)),
        ]
    }

    fn apply(&self, text: &mut Vec<char>) {
        let places = text.len() + 1;
        match self {
            Self::Truncate(at) => text.truncate(at.index(places)),
            Self::Delete(at, length) => {
                let at = at.index(places);
                text.drain(at..(at + length).min(text.len()));
            }
            Self::Insert(at, word) => {
                let at = at.index(places);
                text.splice(at..at, format!(" {word} ").chars());
            }
            Self::Copy(at, length, to) => {
                let at = at.index(places);
                let copied = text[at..(at + length).min(text.len())].to_vec();
                let to = to.index(places);
                text.splice(to..to, copied);
            }
        }
    }
}

#[test]
fn never_panics_on_mutated_statements() {
    let tables = shop();
    let config = Config {
        cases: 6_000,
        failure_persistence: None,
        ..Config::default()
    };
    // A fixed seed, so that every run uses the same statements.
    let mut runner =
        TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let mutated = (select(SEEDS), vec(Mutation::any(), 1..=4));
    let outcome = runner.run(&mutated, |(seed, mutations)| {
        let mut characters: Vec<char> = seed.chars().collect();
        for mutation in mutations {
            mutation.apply(&mut characters);
        }
        let sql: String = characters.into_iter().collect();
        if let Ok(steps) = explain(&sql, &tables) {
            prop_assert!(!steps.is_empty(), "{sql}");
            prop_assert!(
                steps.iter().all(|step| !step.explanation.is_empty()),
                "{sql}"
            );
        }
        Ok(())
    });
    if let Err(error) = outcome {
        panic!("{error}");
    }
}
