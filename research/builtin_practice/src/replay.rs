//! Measures verified replay: each practice question is a verified example, and the others of its
//! database are asked. A replay is right when its SQL gives what the gold of the asked question gives;
//! one wrong replay is one too many.
//!
//! Four kinds are asked: the other questions (paraphrases of one question among them); every question
//! as it is, in other dress (case, spaces, no question mark); and every question with another value of
//! the same column in the place of its literal, whose gold is the gold with that value; and every question
//! with a word more, none of which may be replayed.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;

use postgres::Client;
use text2sql_domain::ports::search_index::{Example, NoIndex};
use text2sql_domain::schema::{Table, quote_identifier, quote_literal};
use text2sql_engine::verified_examples::{ColumnName, KnownValue, replay, stored_value};
use text2sql_language::understanding::Understanding;

use crate::questions::{self, Case};
use crate::{TODAY, compare};

/// Other values put into a literal's place.
const MAX_VALUES: i64 = 3;

/// Words that change what a question asks.
const MORE: [&str; 4] = ["not", "without", "2024", "distinct"];

/// How one kind of pairs came out.
#[derive(Default)]
struct Count {
    asked: usize,
    replayed: usize,
    wrong: usize,
}

/// Measures all databases; fails when a single replay is wrong.
pub(crate) fn measure(
    by_database: &BTreeMap<String, Vec<Case>>,
    prefix: &str,
    shows: bool,
) -> Result<(), Box<dyn Error>> {
    let mut counts: BTreeMap<&'static str, Count> = BTreeMap::new();
    for (database, cases) in by_database {
        let mut client = questions::connect(&format!("{prefix}{database}"))?;
        let tables = practice_catalog::read_tables(&mut client)?;
        let client = RefCell::new(client);
        for example in cases {
            let pairs = Pairs {
                tables: &tables,
                client: &client,
                example,
                shows,
            };
            pairs.others(cases, counts.entry("other questions").or_default());
            pairs.dressed(counts.entry("the same in other dress").or_default());
            pairs.with_more(counts.entry("a word more").or_default());
            pairs.literals(counts.entry("other literals").or_default())?;
        }
    }
    let mut wrong = 0;
    println!(
        "{:<26}{:>10}{:>10}{:>10}{:>8}",
        "asked of each example", "pairs", "replayed", "share", "wrong"
    );
    for (kind, count) in &counts {
        let share = 100.0 * count.replayed as f64 / count.asked.max(1) as f64;
        println!(
            "{kind:<26}{:>10}{:>10}{share:>8.2} %{:>8}",
            count.asked, count.replayed, count.wrong
        );
        wrong += count.wrong;
    }
    if wrong > 0 {
        return Err(format!("{wrong} replays are wrong").into());
    }
    Ok(())
}

/// One example and what is asked of it.
struct Pairs<'a> {
    tables: &'a [Arc<Table>],
    client: &'a RefCell<Client>,
    example: &'a Case,
    shows: bool,
}

impl Pairs<'_> {
    fn gold(&self) -> &str {
        self.example.gold.first().map_or("", String::as_str)
    }

    /// Asks, and compares what a replay gives with what `gold` does.
    fn ask(&self, question: &str, gold: &[String], ordered: bool, count: &mut Count) {
        let example = Example {
            question: self.example.question.clone(),
            sql: self.gold().to_owned(),
            ..Example::default()
        };
        count.asked += 1;
        let known: &KnownValue<'_> =
            &|column: &ColumnName, text: &str| self.known(&example.sql, column, text);
        let understanding = Understanding::of(question, TODAY);
        let Some(sql) = replay(&example, &understanding, known) else {
            return;
        };
        count.replayed += 1;
        let is_right = gold.contains(&sql)
            || compare::is_right(&mut self.client.borrow_mut(), &sql, gold, ordered) == Ok(true);
        if !is_right {
            count.wrong += 1;
        }
        if !is_right || self.shows {
            println!(
                "{} -- {question}\n   of: {}\n   gives: {sql}\n   gold: {}",
                if is_right { "right" } else { "WRONG" },
                example.question,
                gold.first().map_or("", String::as_str)
            );
        }
    }

    /// A value as the column holds it: the planner's statistics know it, or the column itself.
    fn known(&self, sql: &str, column: &ColumnName, text: &str) -> Option<String> {
        if let Some(value) = stored_value(&NoIndex, self.tables, sql, column, text) {
            return Some(value);
        }
        let (table, column) = self.owner(sql, column)?;
        let query = format!(
            "SELECT min({column}::text) FROM {table} WHERE lower({column}::text) = lower($1) HAVING count(DISTINCT {column}::text) = 1"
        );
        let row = self
            .client
            .borrow_mut()
            .query_opt(&query, &[&text])
            .ok()??;
        row.get(0)
    }

    /// The one table of the query that has the column, both as SQL writes them.
    fn owner(&self, sql: &str, column: &ColumnName) -> Option<(String, String)> {
        let named = text2sql_sql::tree::relations::table_names(sql);
        let mut owners = self
            .tables
            .iter()
            .filter(|table| named.contains(&table.name) && table.column(&column.name).is_some());
        let owner = owners.next()?;
        // A qualified name is resolved by the product; here two owners are one too many.
        owners
            .next()
            .is_none()
            .then(|| (owner.sql_name(), quote_identifier(&column.name)))
    }

    fn others(&self, cases: &[Case], count: &mut Count) {
        for other in cases {
            if other.question != self.example.question {
                self.ask(&other.question, &other.gold, other.ordered, count);
            }
        }
    }

    fn dressed(&self, count: &mut Count) {
        let dressed = format!(
            "  {}  ",
            self.example
                .question
                .to_lowercase()
                .trim_end_matches(['?', '.', ' '])
        );
        self.ask(&dressed, &self.example.gold, self.example.ordered, count);
    }

    /// The question with a word that changes what it asks, in each place.
    fn with_more(&self, count: &mut Count) {
        let words: Vec<&str> = self.example.question.split_whitespace().collect();
        for place in 1..=words.len() {
            for more in MORE {
                let mut asked = words.clone();
                asked.insert(place, more);
                // No gold: whatever is given is wrong.
                self.ask(&asked.join(" "), &[], false, count);
            }
        }
    }

    /// Other values of the columns that the gold compares with, in question and gold alike.
    fn literals(&self, count: &mut Count) -> Result<(), Box<dyn Error>> {
        let gold = self.gold();
        for (column, literal) in compared(gold) {
            let bare = literal.trim_matches('\'').replace("''", "'");
            let question = &self.example.question;
            // It occurs once in the question and once in the SQL; otherwise it is ambiguous.
            if question.matches(&bare).count() != 1 || gold.matches(&literal).count() != 1 {
                continue;
            }
            let Some((table, column)) = self.owner(gold, &column) else {
                continue;
            };
            let rows = self.client.borrow_mut().query(
                &format!(
                    "SELECT DISTINCT {column}::text FROM {table} WHERE {column}::text <> $1 ORDER BY 1 LIMIT $2"
                ),
                &[&bare, &MAX_VALUES],
            )?;
            for value in rows
                .iter()
                .filter_map(|row| row.get::<_, Option<String>>(0))
            {
                let written = match literal.starts_with('\'') {
                    true => quote_literal(&value),
                    false => value.clone(),
                };
                let gold = gold.replace(&literal, &written);
                self.ask(
                    &question.replace(&bare, &value),
                    &[gold],
                    self.example.ordered,
                    count,
                );
            }
        }
        Ok(())
    }
}

/// Columns with the literals that they are compared with for equality: the words around each `=`.
pub(crate) fn compared(sql: &str) -> Vec<(ColumnName, String)> {
    let mut found = Vec::new();
    for (place, _) in sql.match_indices(" = ") {
        let (before, after) = (sql.get(..place), sql.get(place + 3..));
        let (Some(before), Some(after)) = (before, after) else {
            continue;
        };
        let name = before
            .rsplit(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '"')))
            .next()
            .unwrap_or_default();
        let mut parts = name
            .rsplit('.')
            .map(|part| part.trim_matches('"').to_owned());
        let literal = match after.strip_prefix('\'') {
            Some(rest) => rest.find('\'').and_then(|end| after.get(..end + 2)),
            None => {
                let end = after
                    .find(|c: char| !(c.is_ascii_digit() || c == '.'))
                    .unwrap_or(after.len());
                after.get(..end).filter(|digits| !digits.is_empty())
            }
        };
        if let (Some(name), Some(literal)) = (parts.next().filter(|name| !name.is_empty()), literal)
        {
            let column = ColumnName {
                qualifier: parts.next(),
                name,
            };
            found.push((column, literal.to_owned()));
        }
    }
    found
}
