//! Sentences about rankings.

use text2sql_phrases::say_in;

use super::super::frame::{Frame, Says, capital, says, words_after};
use super::super::grammar::Words;
use super::super::kinds::{Figure, Measure, Next, Ranking};
use super::speaker::Worded;

/// A ranking.
pub(super) fn ranking(worded: &Worded, frame: &Frame, ranking: &Ranking) -> String {
    let language = worded.language;
    let known = ranking.figure.clone();
    let known = known.map(|known| named_by(worded, frame, known));
    let figure = known.as_ref().map(|known| figure(worded, known));
    let with = figure
        .as_ref()
        .map_or_else(String::new, |figure| say_in!(language, " with {figure}"));
    let each = figure.as_ref().map_or_else(String::new, |figure| {
        say_in!(language, " with {figure} each")
    });
    let more = worded.number(ranking.further as u64);
    let others = match (ranking.others.as_slice(), ranking.further) {
        ([], 0) => String::new(),
        ([], _) => say_in!(language, "; {more} more follow"),
        (others, 0) => say_in!(language, "; then {others}", others = worded.and(others)),
        (others, _) => say_in!(
            language,
            "; then {others} and {more} more",
            others = others.join(", ")
        ),
    };
    let rest = next(worded, ranking);
    match (ranking.leaders.as_slice(), ranking.equal) {
        ([name], Some(1)) => match frame {
            Frame::Which {
                is_plural: false,
                says: Says::Predicate(says),
                ..
            } if ranking.rows == 1 => {
                format!(
                    "{name} {says}{}{rest}.",
                    after(worded, known.as_ref(), says)
                )
            }
            Frame::What { verb, subject } if worded.is(Words::IsOne, verb) && ranking.rows == 1 => {
                format!(
                    "{} {verb} {name}{}{rest}.",
                    capital(subject),
                    after(worded, known.as_ref(), subject)
                )
            }
            _ => say_in!(language, "{name} comes first{with}{rest}{others}."),
        },
        ([name], None) => say_in!(
            language,
            "{name} is the first row{with}; others may be equal{others}."
        ),
        (names, Some(equal)) if names.len() as u64 == equal => say_in!(
            language,
            "{names} share the first place{each}{rest}{others}.",
            names = worded.and(names)
        ),
        ([name], Some(equal)) => say_in!(
            language,
            "{name} is one of {equal} that share the first place{each}.",
            equal = worded.number(equal)
        ),
        (names, Some(equal)) => say_in!(
            language,
            "{names} are among {equal} that share the first place{each}{rest}.",
            names = worded.and(names),
            equal = worded.number(equal)
        ),
        (names, None) => format!("{}{with}.", worded.and(names)),
    }
}

/// The figure of a count with the word of the question: "the most films".
fn named_by(worded: &Worded, frame: &Frame, figure: Figure) -> Figure {
    let grammar = worded.grammar;
    let things = match figure.of {
        Measure::Count | Measure::Things(_) => {
            words_after(frame.statement(), grammar.words(Words::Most), |word| {
                grammar.is_counted(word)
            })
        }
        Measure::Named(_) => None,
    };
    match things {
        Some(things) => Figure {
            of: Measure::Things(things),
            ..figure
        },
        None => figure,
    }
}

/// The figure after a statement, without the words that the statement has. Where things cannot be inflected, the
/// question names what is counted, not a column in another language.
fn after(worded: &Worded, known: Option<&Figure>, statement: &str) -> String {
    let Some(known) = known else {
        return String::new();
    };
    let is_said = match &known.of {
        Measure::Things(things) => {
            worded.grammar.one_of(things).is_none() || says(statement, things)
        }
        Measure::Named(name) => says(statement, name) || says(statement, &worded.measure(name)),
        Measure::Count => false,
    };
    match is_said {
        true => format!(": {}", known.value),
        false => format!(": {}", figure(worded, known)),
    }
}

fn figure(worded: &Worded, figure: &Figure) -> String {
    let value = &figure.value;
    match &figure.of {
        Measure::Things(things) => {
            let one = figure.is_one.then(|| worded.grammar.one_of(things));
            format!("{value} {}", one.flatten().as_ref().unwrap_or(things))
        }
        Measure::Count => value.clone(),
        Measure::Named(name) => format!("{} {value}", worded.measure(name)),
    }
}

fn next(worded: &Worded, ranking: &Ranking) -> String {
    let language = worded.language;
    let Some(Next { name, value, gap }) = &ranking.next else {
        return String::new();
    };
    match (gap, ranking.is_descending) {
        (Some(gap), true) => {
            say_in!(language, ", {gap} more than {name} ({value})")
        }
        (Some(gap), false) => {
            say_in!(language, ", {gap} less than {name} ({value})")
        }
        (None, _) => say_in!(language, ", before {name} ({value})"),
    }
}
