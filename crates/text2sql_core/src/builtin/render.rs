//! The statement as text, and the sentence that reads its rows.

use super::bind::speak;
use super::lexicon;
use super::request::{RankBy, Request, Target};
use super::select::{Select, Shape};
use crate::schema::{Table, quote_identifier};

/// Writes the statement.
pub(super) fn render_sql(select: &Select) -> String {
    let columns: Vec<String> = select
        .columns
        .iter()
        .map(|(expression, name)| {
            let name = quote_identifier(name);
            let same = expression
                .split_once('.')
                .is_some_and(|(_, column)| column == name);
            if same {
                expression.clone()
            } else {
                format!("{expression} AS {name}")
            }
        })
        .collect();
    let mut sql = format!(
        "SELECT {}{}",
        if select.is_distinct { "DISTINCT " } else { "" },
        columns.join(", ")
    );
    for (i, line) in select.scope.from.iter().enumerate() {
        sql.push_str(if i == 0 { "\nFROM " } else { "\n" });
        sql.push_str(line);
    }
    if !select.scope.wheres.is_empty() {
        sql.push_str(&format!("\nWHERE {}", select.scope.wheres.join(" AND ")));
    }
    if !select.group_by.is_empty() {
        sql.push_str(&format!("\nGROUP BY {}", select.group_by.join(", ")));
    }
    if !select.order_by.is_empty() {
        sql.push_str(&format!("\nORDER BY {}", select.order_by.join(", ")));
    }
    if let Some(limit) = select.limit {
        sql.push_str(&format!("\nLIMIT {limit}"));
    }
    sql
}

/// Says the answer, with placeholders for what the rows hold.
pub(super) fn render_sentence(
    select: &Select,
    request: &Request,
    subject: Option<&Table>,
) -> String {
    let noun = subject.map_or_else(|| "rows".to_owned(), |table| speak(&table.name));
    let tail: String = request
        .phrases
        .iter()
        .map(|phrase| format!(" {}", tidy(phrase)))
        .collect();
    match &select.shape {
        Shape::List if select.is_distinct => {
            format!("The number of different values{tail} is {{row_count}}.")
        }
        Shape::List if select.scope.multiplies => {
            format!("The number of rows{tail} is {{row_count}}.")
        }
        Shape::List => format!("The number of {noun}{tail} is {{row_count}}."),
        Shape::Aggregates(words) => {
            let counts = matches!(
                request.targets.as_slice(),
                [Target::Count(_) | Target::CountDistinct { .. }]
            );
            match words.as_slice() {
                [(name, said)] if counts => {
                    format!("The number of {said}{tail} is {{rows[0].{name}}}.")
                }
                [(name, said)] => format!("The {said}{tail} is {{rows[0].{name}}}."),
                several => {
                    let parts: Vec<String> = several
                        .iter()
                        .map(|(name, said)| format!("{said}: {{rows[0].{name}}}"))
                        .collect();
                    format!("{}.", capital(&parts.join(", ")))
                }
            }
        }
        Shape::Groups { measures, keys } => {
            format!(
                "{} by {}{tail}: {{row_count}} rows.",
                capital(&measures.join(" and ")),
                keys.join(" and ")
            )
        }
        Shape::Leader { name, measure } => {
            let first = format!("{{rows[0].{name}}}");
            let is_descending = request.rank.as_ref().is_none_or(|rank| rank.is_descending);
            let comes = if is_descending {
                "leads"
            } else {
                "comes first"
            };
            let counts = matches!(
                request.rank.as_ref().map(|rank| &rank.by),
                Some(RankBy::Count(_))
            );
            match measure {
                Some((output, said)) if counts => {
                    format!("{first} {comes} with {{rows[0].{output}}} {said}.")
                }
                Some((output, said)) => format!("{first} {comes}: {said} {{rows[0].{output}}}."),
                None => format!("{first} {comes}."),
            }
        }
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        format!("{}{}", first.to_uppercase(), letters.as_str())
    })
}

/// A filter in the question's words, made to follow a noun: "were placed in 2024" is "placed in 2024".
fn tidy(phrase: &str) -> String {
    let words: Vec<&str> = phrase.split_whitespace().collect();
    let is = |i: usize, list: &[&str]| {
        words
            .get(i)
            .is_some_and(|word| list.contains(&word.to_lowercase().as_str()))
    };
    let start = usize::from(is(0, &["is", "are", "was", "were", "do", "does", "did"]));
    let rest = words.get(start..).unwrap_or_default().join(" ");
    if is(start, &["have", "has", "had"]) {
        return format!(
            "with {}",
            words.get(start + 1..).unwrap_or_default().join(" ")
        );
    }
    let compares =
        is(0, &["at"]) && is(1, &["least", "most"]) || is(0, &["under", "over", "exactly"]);
    let follows = start > 0
        || !compares
            && [
                lexicon::PREPOSITIONS,
                lexicon::RELATIVES,
                lexicon::LINKING_VERBS,
                lexicon::EVENT_VERBS,
                lexicon::TIME_WORDS,
                FOLLOWERS,
            ]
            .iter()
            .any(|list| is(0, list))
        || words
            .first()
            .is_some_and(|word| word.ends_with("ed") || word.ends_with("ing"));
    if follows {
        rest
    } else {
        format!("with {rest}")
    }
}

/// Words that follow a noun as they are.
const FOLLOWERS: &[&str] = &[
    "since", "before", "after", "between", "until", "without", "never", "not",
];
