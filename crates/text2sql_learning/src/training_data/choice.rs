//! Which examples are learned, and in which part.

use std::collections::{HashMap, HashSet};

use serde::Deserialize;
use sqlparser::tokenizer::Token;

use crate::stable_hash::stable_hash;
use text2sql_sql::reader as sql_reader;

/// A question with its SQL that could be learned.
#[derive(Debug, Clone, Deserialize)]
pub struct Candidate {
    /// The question.
    pub question: String,
    /// The SQL; `None` if the question cannot be answered.
    pub sql: Option<String>,
    /// Where it is from.
    pub source: String,
    /// The verified example that it is, if it is one.
    pub example: Option<i64>,
}

/// A case of a suite, which must not be learned.
#[derive(Debug, Clone, Deserialize)]
pub struct Case {
    /// Its question and the questions before it.
    pub questions: Vec<String>,
    /// The SQL that answers it.
    pub sql: Vec<String>,
}

/// A part of the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// What a model learns from.
    Train,
    /// What tells when to stop.
    Validation,
}

impl Part {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Train => "train",
            Self::Validation => "validation",
        }
    }
}

/// What becomes of a candidate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    /// The part, or why it is left out.
    pub part: Result<Part, &'static str>,
    /// Examples with the same SQL, itself included: a prompt with one of them would show the answer.
    pub same_sql: Vec<i64>,
}

/// Number of equal shares that hashes are divided into.
const SHARES: u64 = 1 << 16;

/// Decides about the candidates, the newest first. `validation` is the share of the second part. Candidates with the same
/// SQL are in the same part, which depends on the SQL alone.
pub fn choose(candidates: &[Candidate], cases: &[Case], validation: f64) -> Vec<Chosen> {
    let held_questions: HashSet<String> = cases
        .iter()
        .flat_map(|case| {
            case.questions
                .iter()
                .map(|question| plain_question(question))
        })
        .collect();
    let held_sql: HashSet<String> = cases
        .iter()
        .flat_map(|case| case.sql.iter().map(|sql| plain_sql(sql)))
        .collect();
    let plain: Vec<(String, Option<String>)> = candidates
        .iter()
        .map(|candidate| {
            let sql = candidate.sql.as_deref().map(plain_sql);
            (plain_question(&candidate.question), sql)
        })
        .collect();
    let mut by_sql: HashMap<&str, Vec<i64>> = HashMap::new();
    for (candidate, (_, sql)) in candidates.iter().zip(&plain) {
        if let (Some(sql), Some(example)) = (sql, candidate.example) {
            by_sql.entry(sql).or_default().push(example);
        }
    }
    let mut answered: HashMap<&str, Vec<Option<&str>>> = HashMap::new();
    let parts = plain.iter().map(|(question, sql)| {
        let sql = sql.as_deref();
        let is_held =
            held_questions.contains(question) || sql.is_some_and(|sql| held_sql.contains(sql));
        if is_held {
            return Err("a case of a suite");
        }
        let answers = answered.entry(question).or_default();
        let is_again = answers.contains(&sql);
        let is_older = !answers.is_empty();
        answers.push(sql);
        match (is_again, is_older) {
            (true, _) => Err("the same again"),
            (false, true) => Err("an older answer to the same question"),
            (false, false) => Ok(part_of(sql.unwrap_or(question), validation)),
        }
    });
    let parts: Vec<Result<Part, &'static str>> = parts.collect();
    parts
        .into_iter()
        .zip(&plain)
        .map(|(part, (_, sql))| {
            let same = sql.as_deref().and_then(|sql| by_sql.get(sql));
            Chosen {
                part,
                same_sql: same.cloned().unwrap_or_default(),
            }
        })
        .collect()
}

fn part_of(text: &str, validation: f64) -> Part {
    let share = (stable_hash(text) % SHARES) as f64;
    match share < validation * SHARES as f64 {
        true => Part::Validation,
        false => Part::Train,
    }
}

/// A question without case, spaces and the punctuation of sentences: what differs in nothing else is the same question.
/// Signs that mean something stay, as in "> 5" and "C++".
fn plain_question(question: &str) -> String {
    const PUNCTUATION: &str = ".,;:!?\"'`()[]{}-–—_…„“”‚‘’«»‹›¿¡、。，？！：；「」";
    question
        .chars()
        .filter(|c| !c.is_whitespace() && !PUNCTUATION.contains(*c))
        .flat_map(char::to_lowercase)
        .collect()
}

/// SQL without white space, comments and semicolons, and with the case of names and keywords that PostgreSQL makes of
/// them; constants stay as they are. SQL that cannot be read is the same only where nothing but white space differs.
fn plain_sql(sql: &str) -> String {
    let Ok(tokens) = sql_reader::tokens(sql) else {
        return sql.split_whitespace().collect::<Vec<_>>().join(" ");
    };
    let texts = tokens.iter().filter_map(|token| match token {
        Token::Whitespace(_) | Token::SemiColon => None,
        Token::Word(word) => Some(match word.quote_style {
            Some(_) if !is_plain_name(&word.value) => format!("\"{}\"", word.value),
            Some(_) => word.value.clone(),
            None => word.value.to_lowercase(),
        }),
        other => Some(other.to_string()),
    });
    texts.collect::<Vec<_>>().join(" ")
}

/// Whether a name is the same with and without quotes.
fn is_plain_name(name: &str) -> bool {
    let mut characters = name.chars();
    characters
        .next()
        .is_some_and(|first| first.is_lowercase() || first == '_')
        && characters.all(|c| c.is_lowercase() || c.is_ascii_digit() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(question: &str, sql: &str, example: i64) -> Candidate {
        Candidate {
            question: question.into(),
            sql: Some(sql.into()).filter(|sql: &String| !sql.is_empty()),
            source: String::new(),
            example: Some(example),
        }
    }

    fn reasons(candidates: &[Candidate], cases: &[Case]) -> Vec<&'static str> {
        let chosen = choose(candidates, cases, 0.0);
        chosen
            .iter()
            .map(|one| one.part.map_or_else(|reason| reason, Part::name))
            .collect()
    }

    #[test]
    fn repetitions_and_older_answers_are_left_out() {
        let candidates = [
            candidate("How many orders?", "SELECT count(*) FROM orders", 4),
            candidate(
                "how many - orders",
                "select  COUNT(*) from \"orders\"; -- all",
                3,
            ),
            candidate("How many orders?", "SELECT count(order_id) FROM orders", 2),
            candidate("Number of orders", "SELECT count(*) FROM orders", 1),
        ];
        assert_eq!(
            reasons(&candidates, &[]),
            [
                "train",
                "the same again",
                "an older answer to the same question",
                "train"
            ]
        );
        let chosen = choose(&candidates, &[], 0.0);
        let same: Vec<&[i64]> = chosen.iter().map(|one| one.same_sql.as_slice()).collect();
        assert_eq!(same, [[4, 3, 1].as_slice(), &[4, 3, 1], &[2], &[4, 3, 1]]);
    }

    #[test]
    fn what_means_something_else_is_no_repetition() {
        let candidates = [
            candidate("Orders > 5", "SELECT 1 FROM orders WHERE n > 5", 1),
            candidate("Orders < 5", "SELECT 1 FROM orders WHERE n < 5", 2),
            candidate(
                "Customers in Graz",
                "SELECT 1 FROM c WHERE town = 'Graz'",
                3,
            ),
            candidate(
                "Customers in GRAZ code",
                "SELECT 1 FROM c WHERE town = 'GRAZ'",
                4,
            ),
            candidate("Quoted", "SELECT \"Total\" FROM c", 5),
            candidate("Not quoted", "SELECT Total FROM c", 6),
        ];
        assert_eq!(reasons(&candidates, &[]), ["train"; 6]);
        let chosen = choose(&candidates, &[], 0.0);
        assert!(chosen.iter().all(|one| one.same_sql.len() == 1));
    }

    #[test]
    fn cases_of_suites_are_left_out_by_question_and_by_sql() {
        let case = Case {
            questions: vec!["What did we sell?".into(), "And in 2024?".into()],
            sql: vec!["SELECT sum(total) FROM orders".into()],
        };
        let candidates = [
            candidate("and in 2024", "SELECT 1", 1),
            candidate("Revenue", "select SUM(total)\nfrom orders;", 2),
            candidate("Count", "SELECT count(*) FROM orders", 3),
            candidate("What is love?", "", 4),
        ];
        assert_eq!(
            reasons(&candidates, &[case]),
            ["a case of a suite", "a case of a suite", "train", "train"]
        );
    }

    #[test]
    fn the_part_depends_on_the_sql_alone_and_its_share_on_validation() {
        let candidates: Vec<Candidate> = (0..2_000)
            .map(|n| candidate(&format!("Question {n}"), &format!("SELECT {}", n / 2), n))
            .collect();
        let chosen = choose(&candidates, &[], 0.1);
        for pair in chosen.chunks(2) {
            assert_eq!(pair[0].part, pair[1].part);
        }
        let validation = chosen.iter().filter(|one| one.part == Ok(Part::Validation));
        let count = validation.count();
        assert!((120..=280).contains(&count), "{count}");
        // A candidate more changes nothing for the others.
        let fewer = choose(&candidates[1..], &[], 0.1);
        assert_eq!(fewer[5].part, chosen[6].part);
        assert!(
            choose(&candidates, &[], 0.0)
                .iter()
                .all(|one| one.part == Ok(Part::Train))
        );
    }
}
