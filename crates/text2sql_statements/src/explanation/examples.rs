//! Finds the verified examples most similar to a query.

use std::collections::BTreeSet;

use sqlparser::tokenizer::Token;

use text2sql_analysis::explain::Step;
use text2sql_domain::ports::search_index::Example;
use text2sql_language::english::shorten;
use text2sql_phrases::say;
use text2sql_retrieval::sql_skeleton::skeleton;
use text2sql_sql::reader as sql_reader;
use text2sql_sql::tree::relations::table_names;

/// Maximum number of examples in an explanation.
const MAX_NAMED: usize = 3;

/// Minimum similarity of an example. Less similar ones answer another question.
const MIN_SIMILARITY: f64 = 0.5;

/// Weight of common tables relative to the same structure.
const TABLES_WEIGHT: f64 = 0.5;

/// Maximum length of a quoted question and query, in characters.
const MAX_QUESTION_CHARS: usize = 160;
const MAX_QUERY_CHARS: usize = 200;

/// Steps that name the examples most similar to `sql`, best first. An example without a common table is
/// never included.
pub fn nearest(sql: &str, examples: &[Example]) -> Vec<Step> {
    let shape = skeleton(sql);
    let pairs = pairs_of(&shape);
    let tables: BTreeSet<String> = table_names(sql).into_iter().collect();
    let mut found: Vec<(f64, &Example, bool)> = Vec::new();
    for example in examples {
        let its_tables: BTreeSet<String> = table_names(&example.sql).into_iter().collect();
        let its_shape = skeleton(&example.sql);
        let overlap = shared(&tables, &its_tables);
        let likeness =
            TABLES_WEIGHT * overlap + (1.0 - TABLES_WEIGHT) * shared(&pairs, &pairs_of(&its_shape));
        if overlap > 0.0 && likeness >= MIN_SIMILARITY {
            found.push((likeness, example, is_same(sql, &example.sql)));
        }
    }
    found.sort_by(|one, other| {
        let nearer = other.2.cmp(&one.2).then(other.0.total_cmp(&one.0));
        nearer.then(one.1.id.cmp(&other.1.id))
    });
    found.truncate(MAX_NAMED);
    found
        .iter()
        .map(|(_, example, same)| step(example, *same))
        .collect()
}

fn step(example: &Example, is_same: bool) -> Step {
    let question = shorten(&example.question, MAX_QUESTION_CHARS);
    let by = &example.verified_by;
    let explanation = if is_same {
        say!("\"{question}\" (verified by {by}) is answered by this query, constants aside.")
    } else {
        let sql = shorten(&example.sql, MAX_QUERY_CHARS);
        say!("\"{question}\" (verified by {by}) is answered by a query like this one: `{sql}`.")
    };
    Step {
        clause: "EXAMPLE".to_owned(),
        explanation,
    }
}

/// Whether two queries differ only in constants and formatting.
fn is_same(one: &str, other: &str) -> bool {
    let plain = |sql: &str| {
        let tokens = sql_reader::tokens(sql).ok()?;
        let words: Vec<String> = tokens
            .iter()
            .filter(|token| !matches!(token, Token::Whitespace(_) | Token::SemiColon))
            .map(|token| match token {
                Token::Number(..) | Token::SingleQuotedString(_) => "?".to_owned(),
                Token::Word(word) if word.quote_style.is_none() => word.value.to_lowercase(),
                other => other.to_string(),
            })
            .collect();
        Some(words)
    };
    plain(one).is_some_and(|words| Some(words) == plain(other))
}

/// Pairs of adjacent words in a skeleton.
fn pairs_of(shape: &str) -> BTreeSet<String> {
    let words: Vec<&str> = shape.split(' ').collect();
    words.windows(2).map(|pair| pair.join(" ")).collect()
}

/// The similarity of two sets, from 0 to 1.
fn shared(one: &BTreeSet<String>, other: &BTreeSet<String>) -> f64 {
    let both = one.intersection(other).count();
    let all = one.len() + other.len();
    if all == 0 {
        return 0.0;
    }
    2.0 * both as f64 / all as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(id: u32, question: &str, sql: &str) -> Example {
        Example {
            id,
            question: question.to_owned(),
            sql: sql.to_owned(),
            verified_by: "anna".to_owned(),
        }
    }

    #[test]
    fn names_the_same_query_first_then_like_ones_over_the_same_tables() {
        let examples = [
            example(1, "Customers?", "SELECT name FROM customers"),
            example(
                2,
                "How many orders per status in 2024?",
                "SELECT o.status, count(*) FROM orders o WHERE o.total > 5 GROUP BY o.status",
            ),
            example(
                3,
                "How many orders above 100 in each state?",
                "SELECT status, count(*) FROM orders WHERE total > 100 GROUP BY status",
            ),
            example(
                4,
                "Products per shop?",
                "SELECT shop, count(*) FROM products WHERE price > 7 GROUP BY shop",
            ),
        ];
        let sql = "select status, count(*) from orders where total > 7 group by status";
        let steps = nearest(sql, &examples);
        let told: Vec<&str> = steps.iter().map(|step| step.explanation.as_str()).collect();
        assert_eq!(
            told,
            [
                "\"How many orders above 100 in each state?\" (verified by anna) is answered by this query, constants aside.",
                "\"How many orders per status in 2024?\" (verified by anna) is answered by a query like this one: `SELECT o.status, count(*) FROM orders o WHERE o.total > 5 GROUP BY o.status`.",
            ]
        );
    }

    #[test]
    fn an_empty_query_has_no_similar_example() {
        assert!(nearest("SELECT 1", &[example(1, "One?", "SELECT 1")]).is_empty());
        assert!(nearest("SELECT 'open", &[]).is_empty());
    }
}
