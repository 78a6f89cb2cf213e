//! The synthetic catalog: a thousand tables of twenty columns. All have id, name, status and
//! created_at, and their other names are drawn by Zipf's law, so that the words of a question hit
//! many tables, as they do in a large company's database.

use std::collections::HashSet;

use rand::distr::Distribution;
use rand::distr::weighted::WeightedIndex;
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{RngCore, SeedableRng};

use crate::vocabulary::{ATTRIBUTES, Kind, NOUNS};
use crate::workload::Question;

/// The database that is made for it and dropped afterwards.
pub(crate) const DATABASE: &str = "bench_1000";

pub(crate) const TABLES: usize = 1_000;
pub(crate) const COLUMNS: usize = 20;

/// Rows of each table: enough for statistics, few enough to load a thousand tables in seconds.
const ROWS: usize = 50;
/// One table in this many references an earlier one.
const FOREIGN_KEY_EVERY: usize = 4;
/// One table in this many has a comment.
const COMMENT_EVERY: usize = 5;
/// Questions, each about another table.
const QUESTIONS: usize = 24;
/// Any number; fixed, so that every run has the same catalog.
const SEED: u64 = 20;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Table {
    pub(crate) name: String,
    /// Name and type of the columns, in order.
    pub(crate) columns: Vec<(String, Kind)>,
    /// The column that refers to another table's id, and that table's name.
    pub(crate) reference: Option<(String, String)>,
}

/// Generates the catalog; the same on every run.
pub(crate) fn tables() -> Vec<Table> {
    catalog(TABLES)
}

/// Generates a catalog of `count` tables; the same on every run.
pub(crate) fn catalog(count: usize) -> Vec<Table> {
    let mut random = SplitMix64::seed_from_u64(SEED);
    let (Some(nouns), Some(attributes)) = (zipf(NOUNS.len()), zipf(ATTRIBUTES.len())) else {
        return Vec::new();
    };
    let mut taken = HashSet::new();
    let mut tables: Vec<Table> = Vec::with_capacity(count);
    while tables.len() < count {
        let Some(name) = table_name(&mut random, &nouns, &mut taken) else {
            break;
        };
        let reference = match tables.len() % FOREIGN_KEY_EVERY {
            1 => {
                let earlier = random.next_u64() as usize % tables.len();
                tables
                    .get(earlier)
                    .map(|t| (format!("{}_id", t.name), t.name.clone()))
            }
            _ => None,
        };
        let mut columns: Vec<(String, Kind)> = vec![
            ("id".to_owned(), Kind::Number),
            ("name".to_owned(), Kind::Text),
            ("status".to_owned(), Kind::Text),
            ("created_at".to_owned(), Kind::Moment),
        ];
        if let Some((column, _)) = &reference {
            columns.push((column.clone(), Kind::Number));
        }
        while columns.len() < COLUMNS {
            let Some((name, kind)) = ATTRIBUTES.get(attributes.sample(&mut random)) else {
                break;
            };
            if columns.iter().all(|(known, _)| known != name) {
                columns.push(((*name).to_owned(), *kind));
            }
        }
        tables.push(Table {
            name,
            columns,
            reference,
        });
    }
    tables
}

/// Ranks 0, 1, 2 … with weights 1, 1/2, 1/3 …
fn zipf(ranks: usize) -> Option<WeightedIndex<f64>> {
    WeightedIndex::new((1..=ranks).map(|rank| 1.0 / rank as f64)).ok()
}

/// A name of two nouns, or of three if all attempts with two are taken.
fn table_name(
    random: &mut SplitMix64,
    nouns: &WeightedIndex<f64>,
    taken: &mut HashSet<String>,
) -> Option<String> {
    for attempt in 0..1_000 {
        let count = if attempt < 10 { 2 } else { 3 };
        let words: Option<Vec<&str>> = (0..count)
            .map(|_| NOUNS.get(nouns.sample(random)).copied())
            .collect();
        let words = words?;
        let repeats = words.windows(2).any(|pair| pair.first() == pair.last());
        let name = words.join("_");
        if !repeats && taken.insert(name.clone()) {
            return Some(name);
        }
    }
    None
}

impl Table {
    /// CREATE TABLE, its rows and its comment.
    pub(crate) fn definition(&self, index: usize) -> String {
        let mut columns: Vec<String> = Vec::new();
        let mut values: Vec<String> = Vec::new();
        for (name, kind) in &self.columns {
            let reference = self.reference.as_ref().filter(|(column, _)| column == name);
            columns.push(match (name.as_str(), reference) {
                ("id", _) => "id bigint PRIMARY KEY".to_owned(),
                ("name" | "status", _) => format!("{name} text NOT NULL"),
                (_, Some((_, target))) => {
                    format!("{name} bigint REFERENCES {target}")
                }
                _ => format!("{name} {}", type_name(*kind)),
            });
            values.push(match (name.as_str(), reference) {
                ("id", _) => "n".to_owned(),
                ("status", _) => {
                    "(ARRAY['active', 'active', 'closed', 'open'])[1 + n % 4]".to_owned()
                }
                (_, Some(_)) => format!("1 + n * 7 % {ROWS}"),
                _ => value(*kind).to_owned(),
            });
        }
        let name = &self.name;
        let comment = match index.is_multiple_of(COMMENT_EVERY) {
            true => format!(
                "COMMENT ON TABLE {name} IS 'One row for each {}.';\n",
                self.words()
            ),
            false => String::new(),
        };
        format!(
            "CREATE TABLE {name} ({});\n\
             INSERT INTO {name} SELECT {} FROM generate_series(1, {ROWS}) AS n;\n{comment}",
            columns.join(", "),
            values.join(", "),
        )
    }

    fn words(&self) -> String {
        self.name.replace('_', " ")
    }

    fn plural(&self) -> String {
        let words = self.words();
        match words
            .strip_suffix('y')
            .filter(|stem| !stem.ends_with(['a', 'e', 'o']))
        {
            Some(stem) => format!("{stem}ies"),
            None if words.ends_with(['s', 'x', 'h']) => format!("{words}es"),
            None => format!("{words}s"),
        }
    }
}

fn type_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Text => "text",
        Kind::Number => "integer",
        Kind::Amount => "numeric(12,2)",
        Kind::Date => "date",
        Kind::Moment => "timestamptz",
        Kind::Flag => "boolean",
    }
}

fn value(kind: Kind) -> &'static str {
    match kind {
        Kind::Text => "'text ' || n % 10",
        Kind::Number => "n",
        Kind::Amount => "n * 1.25",
        Kind::Date => "date '2024-01-01' + n",
        Kind::Moment => "timestamptz '2024-01-01 00:00+00' + n * interval '1 hour'",
        Kind::Flag => "n % 2 = 0",
    }
}

/// Questions about tables spread over the catalog, common names and rare ones. The name stands
/// last, because the double recognises a question by its end.
pub(crate) fn questions(tables: &[Table]) -> Vec<Question> {
    let questions = questions_of(tables, (0, 1)).into_iter();
    questions.map(|(question, _)| question).collect()
}

/// The questions that one of this many sessions asks, each with its table. As far as there are enough tables, every
/// session asks about others: an uncertain question in 24 would decide alone what 95 of 100 take.
pub(crate) fn questions_of(
    tables: &[Table],
    (session, sessions): (usize, usize),
) -> Vec<(Question, &Table)> {
    let step = (tables.len() / QUESTIONS).max(1);
    tables
        .iter()
        .skip(session * step / sessions.max(1))
        .step_by(step)
        .take(QUESTIONS)
        .enumerate()
        .map(|(index, table)| (question(index, table), table))
        .collect()
}

fn question(index: usize, table: &Table) -> Question {
    let (name, plural) = (&table.name, table.plural());
    match (&table.reference, index % 3) {
        (Some((column, target)), _) => Question::new(
            &format!(
                "Which status and which {} name have the newest {plural}?",
                target.replace('_', " ")
            ),
            &format!(
                "SELECT t.name, t.status, r.name AS target FROM {name} t JOIN {target} r ON r.id = t.{column}\n\
                 ORDER BY t.created_at DESC LIMIT 5"
            ),
            "{rows[0].name} is the newest.",
        ),
        (None, 0) => Question::new(
            &format!("How many are active among the {plural}?"),
            &format!("SELECT count(*) AS active FROM {name} WHERE status = 'active'"),
            "{rows[0].active} are active.",
        ),
        (None, 1) => Question::new(
            &format!("What are the names of the five newest {plural}?"),
            &format!("SELECT name, created_at FROM {name} ORDER BY created_at DESC LIMIT 5"),
            "{rows[0].name} is the newest.",
        ),
        (None, _) => Question::new(
            &format!("How many of each status are among the {plural}?"),
            &format!(
                "SELECT status, count(*) AS number FROM {name} GROUP BY status ORDER BY number DESC, status"
            ),
            "{rows[0].status} is the most frequent with {rows[0].number}.",
        ),
    }
}

/// Questions that the built-in engine may be able to answer alone.
pub(crate) fn builtin_questions(tables: &[Table]) -> Vec<String> {
    tables
        .iter()
        .step_by(TABLES / 5)
        .take(5)
        .map(|table| format!("How many {} are there?", table.plural()))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::workload::tests::check_patterns;

    #[test]
    fn the_catalog_is_the_same_on_every_run() {
        let (one, other) = (tables(), tables());
        assert_eq!(one, other);
        assert_eq!(questions(&one), questions(&other));
    }

    #[test]
    fn there_are_a_thousand_tables_of_twenty_columns() {
        let tables = tables();
        assert_eq!(tables.len(), TABLES);
        let names: HashSet<&str> = tables.iter().map(|table| table.name.as_str()).collect();
        assert_eq!(names.len(), TABLES);
        for table in &tables {
            let columns: HashSet<&str> = table
                .columns
                .iter()
                .map(|(name, _)| name.as_str())
                .collect();
            assert_eq!(columns.len(), COLUMNS, "{}", table.name);
            for usual in ["id", "name", "status", "created_at"] {
                assert!(columns.contains(usual), "{} {usual}", table.name);
            }
            assert!(table.name.len() < 64 && columns.iter().all(|name| name.len() < 64));
        }
    }

    #[test]
    fn a_reference_points_at_an_earlier_table() {
        let tables = tables();
        let mut seen = HashSet::new();
        let mut references = 0;
        for table in &tables {
            if let Some((column, target)) = &table.reference {
                references += 1;
                assert!(seen.contains(target.as_str()));
                assert!(table.columns.iter().any(|(name, _)| name == column));
            }
            seen.insert(table.name.as_str());
        }
        assert_eq!(references, TABLES / FOREIGN_KEY_EVERY);
    }

    #[test]
    fn common_words_are_far_more_common_than_rare_ones() {
        let tables = tables();
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for word in tables.iter().flat_map(|table| table.name.split('_')) {
            *counts.entry(word).or_default() += 1;
        }
        let (first, last) = (counts["order"], counts.get("audit").copied().unwrap_or(0));
        assert!(first > 10 * last, "{first} {last}");
        let with = |column: &str| {
            let has = |table: &&Table| table.columns.iter().any(|(name, _)| name == column);
            tables.iter().filter(has).count()
        };
        assert!(with("description") > 900 && with("retries") < 400);
    }

    #[test]
    fn every_question_is_recognised_as_itself() {
        let questions = questions(&tables());
        assert_eq!(questions.len(), QUESTIONS);
        check_patterns(&questions);
        assert!(
            questions
                .iter()
                .any(|question| question.sql.contains("JOIN"))
        );
    }

    #[test]
    fn words_get_their_plural() {
        let check = |name: &str, expected: &str| {
            let table = Table {
                name: name.to_owned(),
                columns: Vec::new(),
                reference: None,
            };
            assert_eq!(table.plural(), expected);
        };
        check("order_item", "order items");
        check("product_category", "product categories");
        check("user_address", "user addresses");
        check("stock_batch", "stock batches");
    }

    #[test]
    fn a_definition_creates_fills_and_sometimes_comments() {
        let tables = tables();
        let sql = tables[0].definition(0);
        assert!(sql.starts_with(&format!(
            "CREATE TABLE {} (id bigint PRIMARY KEY",
            tables[0].name
        )));
        assert!(sql.contains("COMMENT ON TABLE"));
        assert!(!tables[1].definition(1).contains("COMMENT"));
        assert!(tables[1].definition(1).contains("REFERENCES"));
    }

    #[test]
    fn the_first_rank_comes_twice_as_often_as_the_second() {
        let ranks = zipf(50).unwrap();
        let mut random = SplitMix64::seed_from_u64(7);
        let mut counts = [0u32; 50];
        for _ in 0..100_000 {
            counts[ranks.sample(&mut random)] += 1;
        }
        let share = |rank: usize| f64::from(counts[0]) / f64::from(counts[rank]);
        assert!((1.9..2.1).contains(&share(1)), "{counts:?}");
        assert!((9.0..11.0).contains(&share(9)), "{counts:?}");
        assert!(counts.iter().all(|count| *count > 0));
    }
}
