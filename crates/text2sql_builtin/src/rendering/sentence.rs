//! The template of the sentence about the rows, in the language of the question.

use crate::binding::select::{Select, Shape};
use crate::parsing::request::{RankBy, Request, Target};
use text2sql_domain::language::Language;
use text2sql_language::english::lexicon;

/// The template, with placeholders for values of the rows.
pub(crate) fn render_sentence(
    select: &Select,
    request: &Request,
    noun: Option<String>,
    language: Language,
) -> String {
    match language {
        Language::English => english(select, request, noun),
        Language::German => german(select, request, noun),
    }
}

fn english(select: &Select, request: &Request, noun: Option<String>) -> String {
    let noun = noun.unwrap_or_else(|| "rows".to_owned());
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
                [(name, phrase)] if counts => {
                    format!("The number of {phrase}{tail} is {{rows[0].{name}}}.")
                }
                [(name, phrase)] => format!("The {phrase}{tail} is {{rows[0].{name}}}."),
                several => {
                    let parts: Vec<String> = several
                        .iter()
                        .map(|(name, phrase)| format!("{phrase}: {{rows[0].{name}}}"))
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
        // Whether there are ties is checked later, in `lookup/ties.rs`.
        Shape::Leader { names, measure } => {
            let first = first_row(names);
            let counts = matches!(
                request.rank.as_ref().map(|rank| &rank.by),
                Some(RankBy::Count(_))
            );
            match measure {
                Some((output, phrase)) if counts => format!(
                    "{first} is the first row, with {{rows[0].{output}}} {phrase}; others may be equal."
                ),
                Some((output, phrase)) => format!(
                    "{first} is the first row: {phrase} {{rows[0].{output}}}; others may be equal."
                ),
                None => format!("{first} is the first row; others may be equal."),
            }
        }
    }
}

/// The placeholders that name the first row.
fn first_row(names: &[String]) -> String {
    let names: Vec<String> = names
        .iter()
        .map(|name| format!("{{rows[0].{name}}}"))
        .collect();
    names.join(" ")
}

/// The same in German; names of tables and columns are not translated.
fn german(select: &Select, request: &Request, noun: Option<String>) -> String {
    let noun = noun.unwrap_or_else(|| "Zeilen".to_owned());
    let tail: String = request
        .phrases
        .iter()
        .map(|phrase| format!(" {}", phrase.trim_start_matches([',', ' '])))
        .collect();
    match &select.shape {
        Shape::List if select.is_distinct => {
            format!("Anzahl verschiedener Werte{tail}: {{row_count}}.")
        }
        Shape::List if select.scope.multiplies => {
            format!("Anzahl der Zeilen{tail}: {{row_count}}.")
        }
        Shape::List => format!("Anzahl {noun}{tail}: {{row_count}}."),
        Shape::Aggregates(words) => {
            let counts = matches!(
                request.targets.as_slice(),
                [Target::Count(_) | Target::CountDistinct { .. }]
            );
            match words.as_slice() {
                [(name, phrase)] if counts => {
                    format!("Anzahl {}{tail}: {{rows[0].{name}}}.", in_german(phrase))
                }
                several => {
                    let parts: Vec<String> = several
                        .iter()
                        .map(|(name, phrase)| {
                            format!("{}{tail}: {{rows[0].{name}}}", in_german(phrase))
                        })
                        .collect();
                    format!("{}.", parts.join(", "))
                }
            }
        }
        Shape::Groups { measures, keys } => {
            let measures: Vec<String> = measures.iter().map(|phrase| in_german(phrase)).collect();
            format!(
                "{} je {}{tail}: {{row_count}} Zeilen.",
                measures.join(" und "),
                keys.join(" und ")
            )
        }
        Shape::Leader { names, measure } => {
            let first = first_row(names);
            match measure {
                Some((output, phrase)) => {
                    format!(
                        "{first} ist die erste Zeile ({}: {{rows[0].{output}}}); andere können gleichauf sein.",
                        in_german(phrase)
                    )
                }
                None => format!("{first} ist die erste Zeile; andere können gleichauf sein."),
            }
        }
    }
}

/// The words before a measure's name.
fn in_german(phrase: &str) -> String {
    const WORDS: [(&str, &str); 8] = [
        (
            "number of different values of ",
            "Anzahl verschiedener Werte von ",
        ),
        ("different values of ", "verschiedener Werte von "),
        ("number of ", "Anzahl "),
        ("average ", "Durchschnitt von "),
        ("total ", "Summe von "),
        ("minimum ", "Minimum von "),
        ("maximum ", "Maximum von "),
        ("median ", "Median von "),
    ];
    WORDS
        .iter()
        .find_map(|(english, german)| Some(format!("{german}{}", phrase.strip_prefix(english)?)))
        .unwrap_or_else(|| phrase.to_owned())
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        format!("{}{}", first.to_uppercase(), letters.as_str())
    })
}

/// A filter in the words of the question, changed to follow a noun: "were placed in 2024" becomes "placed
/// in 2024".
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
