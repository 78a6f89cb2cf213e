//! What is refused, what is only partly explained, and that nothing panics.

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
        let told = std::thread::Builder::new()
            .stack_size(8 * 1024 * 1024)
            .spawn(move || explain(&sql, &shop()).map(|steps| steps.len()))
            .unwrap()
            .join();
        assert!(told.is_ok(), "{start}");
    }
}

/// Pseudo-random numbers that are the same in each run.
struct Sequence(u64);

impl Sequence {
    fn below(&mut self, limit: usize) -> usize {
        // The multiplier and increment of Knuth's MMIX.
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit.max(1)
    }
}

const SEEDS: &[&str] = &[
    "SELECT c.name, count(*) FROM customers c LEFT JOIN orders o ON o.customer_id = c.id WHERE o.total BETWEEN 1 AND 2 OR c.name ILIKE 'a%' GROUP BY c.name HAVING count(*) > 1 ORDER BY 2 DESC LIMIT 3",
    "WITH RECURSIVE t(a, b) AS (SELECT 1, 'x' UNION ALL SELECT a + 1, b || 'é' FROM t WHERE a < 5) SELECT * FROM t WHERE a IN (SELECT id FROM orders) AND NOT EXISTS (SELECT 1 FROM products)",
    "SELECT rank() OVER (PARTITION BY a ORDER BY b DESC NULLS LAST ROWS BETWEEN 1 PRECEDING AND 2 FOLLOWING), CASE WHEN a THEN 1 ELSE -2.5e3 END, x[1], j->>'k' FROM \"Legacy Stock\", LATERAL (SELECT 1) s",
    "SELECT DISTINCT ON (a) extract(year FROM d), d - interval '1 day', date '2024-01-01', $1, E'\\n', $$x$$ FROM generate_series(1, 2) d UNION (SELECT 1 EXCEPT SELECT 2) FETCH FIRST 1 ROW WITH TIES",
];

#[test]
fn never_panics_on_mutated_statements() {
    let tables = shop();
    let words = [
        "(", ")", ",", "SELECT", "FROM", "'", "\"", "NOT", "::", "[", "]", ";", "--", "/*", "NULL",
        "WITH", "OVER", "CASE", "END", "AND", "OR", "*", ".", "$1", "é", "\u{0}", "UNION", "BY",
        "LIMIT 1", "1", "INTERVAL", "EXISTS", "IN", "AS",
    ];
    let mut sequence = Sequence(7);
    for round in 0..6_000 {
        let seed = SEEDS.get(round % SEEDS.len()).unwrap();
        let mut characters: Vec<char> = seed.chars().collect();
        for _ in 0..=sequence.below(4) {
            let at = sequence.below(characters.len() + 1);
            match sequence.below(4) {
                0 => characters.truncate(at),
                1 => {
                    let end = (at + sequence.below(12)).min(characters.len());
                    characters.drain(at..end);
                }
                2 => {
                    let word = words.get(sequence.below(words.len())).unwrap();
                    let text: Vec<char> = format!(" {word} ").chars().collect();
                    characters.splice(at..at, text);
                }
                _ => {
                    let end = (at + sequence.below(30)).min(characters.len());
                    let copied: Vec<char> = characters.get(at..end).unwrap().to_vec();
                    let to = sequence.below(characters.len() + 1);
                    characters.splice(to..to, copied);
                }
            }
        }
        let sql: String = characters.into_iter().collect();
        if let Ok(steps) = explain(&sql, &tables) {
            assert!(!steps.is_empty(), "{sql}");
            assert!(
                steps.iter().all(|step| !step.explanation.is_empty()),
                "{sql}"
            );
        }
    }
}
