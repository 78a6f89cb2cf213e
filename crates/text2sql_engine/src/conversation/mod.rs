//! Follow-up questions.
//!
//! A turn keeps its question and its SQL, never a row. A turn may be old, so the guard
//! checks again whether this caller may still read what its SQL reads; if not, the turn is ignored.
//! String literals that the user did not type may be values of rows, so they are not sent to a model.
//!
//! A model gets the earlier turns in its prompt. The built-in engine changes the meaning of the last answer as the
//! follow-up says (`text2sql_builtin::follow_up`), or declines it.

mod beginning;
mod masked;

pub use self::beginning::{NotKept, explain_missing_beginning};
pub use self::masked::masked;
use serde_json::Value;
pub use text2sql_builtin::Following;
use text2sql_builtin::{Before, follow_up, goes_on};
use text2sql_domain::answer::Answer;
use text2sql_domain::config::Egress;
use text2sql_domain::error::Error;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::ports::Outcome;
use text2sql_domain::question::Earlier;
use text2sql_domain::question::Question;
use text2sql_language::understanding::{Understanding, lower_words};
use text2sql_retrieval::Context;

/// Maximum length of the earlier turns in a prompt, in characters: a fifth of the default schema budget.
/// The latest turns are the most relevant ones.
const MAX_EARLIER_CHARS: usize = 6_000;

/// Maximum length of the SQL of an earlier turn in a prompt. Turns with longer SQL are left out, because
/// truncated SQL would be misleading.
const MAX_SQL_CHARS: usize = 2_000;

/// Number of turns whose words are searched too. In a chain of follow-ups, the first names the topic.
const MAX_SEARCHED_TURNS: usize = 3;

/// Maximum number of words in a reply that picks a reading.
const MAX_PICKING_WORDS: usize = 8;

/// A stored turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// The question as asked.
    pub question: String,
    /// The complete question, if this one was a follow-up.
    pub standalone: Option<String>,
    /// The SQL that ran, if the question was answered.
    pub sql: Option<String>,
    /// The readings, if the question was ambiguous.
    pub readings: Vec<String>,
    /// The egress level under which the SQL was written.
    pub egress: Egress,
    /// What the question means, where the built-in engine answered it.
    pub meaning: Option<Value>,
}

impl Turn {
    /// The turn to store for a question and its answer.
    pub fn of(question: &str, answer: &Answer, egress: Egress) -> Self {
        Self {
            question: question.to_owned(),
            standalone: answer.trace.standalone.clone(),
            sql: answer.sql.clone().filter(|_| answer.execution.is_some()),
            readings: answer.readings.clone(),
            egress,
            meaning: answer.trace.meaning.clone(),
        }
    }

    /// The complete question.
    pub fn whole(&self) -> &str {
        self.standalone.as_deref().unwrap_or(&self.question)
    }
}

/// The turns that the caller may still read, oldest first. The others are ignored.
pub fn recall(cx: &Run<'_>, turns: &[Turn]) -> Result<Vec<Turn>, Error> {
    let mut kept = Vec::new();
    for turn in turns {
        let may_read = match &turn.sql {
            Some(sql) => matches!(
                cx.database.check(sql, &cx.config.limits)?,
                Outcome::Passed(_)
            ),
            None => !turn.readings.is_empty(),
        };
        if may_read {
            kept.push(turn.clone());
        }
    }
    Ok(kept)
}

/// The turns as shown to a model: the latest that fit, oldest first.
pub fn shown(turns: &[Turn], understanding: &Understanding, egress: Egress) -> Vec<Earlier> {
    let mut typed = understanding.text().to_lowercase();
    for turn in turns {
        typed.push('\n');
        typed.push_str(&turn.question.to_lowercase());
    }
    let mut left = MAX_EARLIER_CHARS;
    let mut shown = Vec::new();
    for turn in turns.iter().rev() {
        let sql = match &turn.sql {
            Some(sql) => match masked(sql, &typed, turn.egress <= egress) {
                Some(sql) if sql.chars().count() <= MAX_SQL_CHARS => Some(sql),
                _ => continue,
            },
            None => None,
        };
        // The completed question may contain words of the model that completed it.
        let question = match turn.egress <= egress {
            true => turn.whole(),
            false => &turn.question,
        };
        let chars = question.chars().count();
        let chars = chars + sql.as_ref().map_or(0, |sql| sql.chars().count());
        if chars > left {
            break;
        }
        left -= chars;
        shown.push(Earlier {
            question: question.to_owned(),
            sql,
        });
    }
    shown.reverse();
    shown
}

/// The reading of the last turn that the question picks: by its number ("2", "the second one"), or by
/// words that only that reading contains.
pub fn picked(turns: &[Turn], understanding: &Understanding) -> Option<Understanding> {
    let readings = &turns.last()?.readings;
    let words = understanding.words();
    if words.is_empty() || words.len() > MAX_PICKING_WORDS {
        return None;
    }
    let distinctive: Vec<&String> = words
        .iter()
        .filter(|word| !PICKING_WORDS.contains(&word.as_str()))
        .collect();
    let by_number = match distinctive.as_slice() {
        [only] => ordinal(only).and_then(|number| readings.get(number)),
        _ => None,
    };
    let by_words = || {
        let has_all = |reading: &&String| {
            let own = lower_words(reading);
            !distinctive.is_empty() && distinctive.iter().all(|word| own.contains(word))
        };
        let mut fitting = readings.iter().filter(has_all);
        let first = fitting.next()?;
        fitting.next().is_none().then_some(first)
    };
    let reading = Question::new(by_number.or_else(by_words)?).ok()?;
    Some(Understanding::of(reading.as_str(), understanding.today()))
}

/// The text to search the catalog for. A follow-up omits words of the earlier questions, so those are
/// searched too.
pub fn searched(turns: &[Turn], understanding: &Understanding) -> Option<Understanding> {
    if turns.is_empty() {
        return None;
    }
    let before = turns.iter().rev().take(MAX_SEARCHED_TURNS).rev();
    let mut texts: Vec<&str> = before.map(Turn::whole).collect();
    texts.push(understanding.text());
    let text = Question::new(&texts.join(" ")).ok()?;
    Some(Understanding::of(text.as_str(), understanding.today()))
}

/// Whether a question needs the earlier ones to be understood: one that names what it asks for by itself is judged like
/// any other, wherever it stands in a conversation.
pub fn needs_earlier(has_earlier: bool, understanding: &Understanding) -> bool {
    has_earlier && goes_on(understanding)
}

/// Determines how the question relates to the last answer, for the built-in engine.
pub fn follow(turns: &[Turn], understanding: &Understanding, context: &Context) -> Following {
    let last = turns.iter().rev().find_map(|turn| {
        Some(Before {
            question: turn.whole(),
            sql: turn.sql.as_deref()?,
            meaning: turn.meaning.as_ref(),
        })
    });
    match last {
        Some(last) => follow_up(last, understanding, &context.tables, &context.definitions),
        None => Following::Alone,
    }
}

/// Words that may accompany the word that picks a reading.
const PICKING_WORDS: &[&str] = &[
    "the", "one", "please", "i", "mean", "meant", "with", "number", "reading", "option", "der",
    "die", "das", "den", "bitte", "ich", "meine", "meinte", "nummer", "mit",
];

fn ordinal(word: &str) -> Option<usize> {
    const ORDINALS: [&[&str]; 4] = [
        &["1", "first", "erste", "ersten", "erster", "erstes"],
        &["2", "second", "zweite", "zweiten", "zweiter", "zweites"],
        &["3", "third", "dritte", "dritten", "dritter", "drittes"],
        &["4", "fourth", "vierte", "vierten", "vierter", "viertes"],
    ];
    ORDINALS.iter().position(|words| words.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(text: &str) -> Understanding {
        Understanding::of(text, "2026-11-21")
    }

    fn turn(question: &str, sql: &str) -> Turn {
        Turn {
            question: question.into(),
            standalone: None,
            sql: Some(sql.into()),
            readings: Vec::new(),
            egress: Egress::Schema,
            meaning: None,
        }
    }

    #[test]
    fn a_short_reply_picks_a_reading() {
        let ambiguous = Turn {
            sql: None,
            readings: vec![
                "total net amount of orders".into(),
                "total gross amount of orders".into(),
            ],
            ..turn("total amount of orders", "")
        };
        let picks = |text: &str| {
            picked(std::slice::from_ref(&ambiguous), &question(text))
                .map(|reading| reading.text().to_owned())
        };
        let gross = Some("total gross amount of orders".to_owned());
        for reply in [
            "2",
            "the second one",
            "Gross!",
            "the gross amount, please",
            "die zweite",
        ] {
            assert_eq!(picks(reply), gross, "{reply}");
        }
        for reply in [
            "3",
            "amount",
            "How many customers are there?",
            "the other one",
        ] {
            assert_eq!(picks(reply), None, "{reply}");
        }
        assert!(picked(&[turn("x", "SELECT 1")], &question("1")).is_none());
    }

    #[test]
    fn texts_not_typed_by_the_user_are_masked() {
        let turns = [
            turn(
                "customers in germany",
                "SELECT * FROM customers WHERE country = 'Germany' AND tier = 'gold'",
            ),
            Turn {
                egress: Egress::Rows,
                standalone: Some("orders since January by month".into()),
                ..turn(
                    "orders since January",
                    "SELECT 1 FROM orders WHERE d >= DATE '2026-01-01' -- O'Brien",
                )
            },
        ];
        let sql = |egress: Egress| {
            shown(&turns, &question("and by month?"), egress)
                .into_iter()
                .filter_map(|turn| turn.sql)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            sql(Egress::Rows),
            [
                "SELECT * FROM customers WHERE country = 'Germany' AND tier = '…'",
                "SELECT 1 FROM orders WHERE d >= DATE '2026-01-01'"
            ]
        );
        let question_of = |egress: Egress| {
            let mut shown = shown(&turns, &question("and by month?"), egress);
            shown.pop().map(|turn| turn.question)
        };
        assert_eq!(
            question_of(Egress::Rows).as_deref(),
            Some("orders since January by month")
        );
        assert_eq!(
            question_of(Egress::Schema).as_deref(),
            Some("orders since January")
        );
        assert_eq!(
            sql(Egress::Schema)[1],
            "SELECT 1 FROM orders WHERE d >= DATE '…'"
        );
    }

    #[test]
    fn only_the_latest_turns_fit() {
        let long = |letter: &str| turn(&letter.repeat(3_500), "SELECT 1");
        let turns = [long("a"), long("b"), turn("c", "SELECT 2")];
        let shown = shown(&turns, &question("and by month?"), Egress::Schema);
        let firsts: Vec<_> = shown
            .iter()
            .map(|turn| turn.question.chars().next())
            .collect();
        assert_eq!(firsts, [Some('b'), Some('c')]);
    }
}
