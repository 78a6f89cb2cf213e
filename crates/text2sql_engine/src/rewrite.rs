//! Makes explicit what a question takes for granted: days counted from today, words of the house.
//!
//! Deterministic, in any mood of the model. Periods are those that the built-in engine understands
//! (`builtin/spoken.rs`), counted from the transaction's own date in its time zone; the words are
//! those that people taught. Each is a fact for the model and an assumption for the reader. What no
//! rule decides ("since Easter") is left to the model.
//!
//! It comes behind retrieval, because what a word of the house stands for is something to retrieve.

use std::sync::Arc;
use text2sql_language::interpretation::Facts;

use text2sql_domain::proposal::SqlProposal;
use text2sql_domain::question::Question;
use text2sql_domain::schema::{Definition, Table};
use text2sql_language::periods::mentioned::{MentionedPeriod, mentioned_periods};
use text2sql_retrieval::Context;

/// Most words of the house that are explained: more than that nobody uses in a question.
const MAX_TERMS: usize = 12;

/// Longest meaning that is shown, in characters.
const MAX_MEANING_CHARS: usize = 200;

/// Finds what the question takes for granted. `today` is `YYYY-MM-DD`.
pub fn rewrite(question: &Question, context: &Context, today: &str) -> Facts {
    let text = folded(question.as_str());
    let mut terms: Vec<String> = context
        .definitions
        .iter()
        .map(|definition| explained(definition, &text, question.as_str()))
        .collect();
    terms.dedup();
    terms.truncate(MAX_TERMS);
    Facts {
        whole: None,
        periods: mentioned_periods(question.as_str(), today),
        names: names(&text, question.as_str(), &context.tables),
        terms,
    }
}

/// Puts what was taken for granted in front of what the writer of the query says it took words for;
/// and says where a period does not show in the query.
pub fn state(facts: &Facts, proposal: &mut SqlProposal) {
    let mut links = facts.statements();
    for link in std::mem::take(&mut proposal.links) {
        if !links.contains(&link) {
            links.push(link);
        }
    }
    proposal.links = links;
    let unapplied = facts
        .periods
        .iter()
        .filter(|period| !applies(period, &proposal.sql));
    let notes = unapplied.map(|period| {
        format!(
            "the query has no date for '{}', which is {}",
            period.text,
            period.days()
        )
    });
    let notes: Vec<String> = notes.collect();
    proposal.notes.extend(notes);
}

/// Whether the query may hold the period: it asks for the time, or has one of its years.
fn applies(period: &MentionedPeriod, sql: &str) -> bool {
    const CLOCKS: [&str; 8] = [
        "current_date",
        "current_timestamp",
        "localtimestamp",
        "now(",
        "transaction_timestamp",
        "statement_timestamp",
        "'today'",
        "'yesterday'",
    ];
    let sql = sql.to_lowercase();
    let years = [&period.from, &period.before];
    let years = years.into_iter().flatten().filter_map(|day| day.get(..4));
    CLOCKS.iter().any(|clock| sql.contains(clock))
        || years.into_iter().any(|year| sql.contains(year))
}

/// "'AOV' means average order value: sum(total) / count(*)", as the built-in engine says it.
fn explained(definition: &Definition, text: &str, question: &str) -> String {
    let words = std::iter::once(&definition.term).chain(&definition.synonyms);
    let said = words
        .clone()
        .find_map(|word| spelled(text, question, word))
        .unwrap_or_else(|| definition.term.clone());
    let meaning: String = definition.meaning.chars().take(MAX_MEANING_CHARS).collect();
    match (meaning.is_empty(), &definition.sql_expression) {
        (false, Some(expression)) => format!("'{said}' means {meaning}: {}", expression.trim()),
        (true, Some(expression)) => format!("'{said}' means {}", expression.trim()),
        (_, None) => format!("'{said}' means {meaning}"),
    }
}

/// Words that people taught for one table or one column.
fn names(text: &str, question: &str, tables: &[Arc<Table>]) -> Vec<String> {
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    let mut add = |word: &str, name: String| {
        let Some(said) = spelled(text, question, word).filter(|said| !is_name(said, &name)) else {
            return;
        };
        match found.iter_mut().find(|(known, _)| *known == said) {
            Some((_, objects)) => objects.push(name),
            None => found.push((said, vec![name])),
        }
    };
    for table in tables {
        for word in &table.synonyms {
            add(word, table.sql_name());
        }
        for column in &table.columns {
            for word in &column.synonyms {
                let name = text2sql_domain::schema::quote_identifier(&column.name);
                add(word, format!("{}.{name}", table.sql_name()));
            }
        }
    }
    let certain = found
        .into_iter()
        .filter_map(|(said, objects)| match objects.as_slice() {
            [only] => Some(format!("'{said}' is {only}")),
            _ => None,
        });
    certain.take(MAX_TERMS).collect()
}

fn is_name(said: &str, name: &str) -> bool {
    let plain = |text: &str| text.to_lowercase().replace(['_', ' ', '"'], "");
    let own = name.rsplit('.').next().unwrap_or(name);
    plain(said) == plain(own)
}

/// Lower case, with a space for everything that is no letter or digit, one at each end.
fn folded(text: &str) -> String {
    let mut folded = String::with_capacity(text.len() + 2);
    folded.push(' ');
    for c in text.chars() {
        if c.is_alphanumeric() {
            folded.extend(c.to_lowercase());
        } else if !folded.ends_with(' ') {
            folded.push(' ');
        }
    }
    if !folded.ends_with(' ') {
        folded.push(' ');
    }
    folded
}

/// The word as the question spells it, or `None` when the question does not hold it.
fn spelled(text: &str, question: &str, word: &str) -> Option<String> {
    let key = folded(word);
    if key.trim().chars().count() < 2 || !text.contains(&key) {
        return None;
    }
    let count = key.split_whitespace().count();
    let parts: Vec<&str> = question
        .split(|c: char| !c.is_alphanumeric())
        .filter(|part| !part.is_empty())
        .collect();
    let said = parts
        .windows(count)
        .find(|window| folded(&window.join(" ")) == key);
    Some(said.map_or_else(|| word.to_owned(), |window| window.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use text2sql_domain::schema::Column;

    fn question(text: &str) -> Question {
        Question::new(text).expect("a question")
    }

    fn house() -> Context {
        let orders = Table {
            oid: 1,
            name: "purchase_orders".into(),
            is_visible: true,
            synonyms: vec!["PO".into(), "purchase orders".into()],
            columns: vec![Column {
                name: "total".into(),
                synonyms: vec!["turnover".into()],
                ..Column::default()
            }],
            ..Table::default()
        };
        let refunds = Table {
            oid: 2,
            name: "refunds".into(),
            is_visible: true,
            synonyms: vec!["RMA".into()],
            ..Table::default()
        };
        let returns = Table {
            oid: 3,
            name: "returns".into(),
            is_visible: true,
            synonyms: vec!["rma".into()],
            ..Table::default()
        };
        Context {
            tables: [orders, refunds, returns].map(Arc::new).to_vec(),
            definitions: vec![Definition {
                term: "average order value".into(),
                synonyms: vec!["AOV".into()],
                meaning: "mean total of an order".into(),
                sql_expression: Some("avg(total)".into()),
                ..Definition::default()
            }],
            ..Context::default()
        }
    }

    #[test]
    fn says_what_the_words_of_the_house_stand_for() {
        let facts = rewrite(
            &question("What is the AOV of each PO, and the turnover, last month?"),
            &house(),
            "2026-11-21",
        );
        assert_eq!(
            facts.statements(),
            [
                "'last month' is 2026-10-01 up to but without 2026-11-01",
                "'PO' is purchase_orders",
                "'turnover' is purchase_orders.total",
                "'AOV' means mean total of an order: avg(total)",
            ]
        );
    }

    #[test]
    fn a_word_for_two_things_and_a_name_itself_say_nothing() {
        let context = Context {
            definitions: Vec::new(),
            ..house()
        };
        let facts = rewrite(
            &question("purchase orders with an RMA"),
            &context,
            "2026-11-21",
        );
        assert_eq!(facts, Facts::default());
    }

    #[test]
    fn a_period_that_the_query_leaves_out_is_told() {
        let facts = rewrite(
            &question("orders last month"),
            &Context::default(),
            "2026-11-21",
        );
        let notes = |sql: &str| {
            let mut proposal = SqlProposal {
                sql: sql.into(),
                links: vec!["'x' is y".into()],
                ..SqlProposal::default()
            };
            state(&facts, &mut proposal);
            assert_eq!(
                proposal.links,
                [
                    "'last month' is 2026-10-01 up to but without 2026-11-01",
                    "'x' is y"
                ]
            );
            proposal.notes
        };
        assert_eq!(
            notes("SELECT count(*) FROM orders"),
            [
                "the query has no date for 'last month', which is 2026-10-01 up to but without 2026-11-01"
            ]
        );
        for sql in [
            "SELECT 1 FROM orders WHERE d >= '2026-10-01' AND d < '2026-11-01'",
            "SELECT 1 FROM orders WHERE extract(month FROM d) = 10 AND extract(year FROM d) = 2026",
            "SELECT 1 FROM orders WHERE d >= date_trunc('month', CURRENT_DATE) - INTERVAL '1 month'",
        ] {
            assert_eq!(notes(sql), Vec::<String>::new(), "{sql}");
        }
    }
}
