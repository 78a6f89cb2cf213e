//! German sentences about rankings.

use super::super::frame::{Frame, Says, capital, says, words_after};
use super::super::kinds::{Figure, Measure, Next, Ranking};
use super::words::{and, grouped, in_german, number};

/// A ranking.
pub(super) fn ranking(frame: &Frame, ranking: &Ranking) -> String {
    let known = ranking.figure.clone().map(|known| named_by(frame, known));
    let figure = known.as_ref().map(figure);
    let with = figure
        .as_ref()
        .map_or_else(String::new, |figure| format!(" ({figure})"));
    let with_each = figure
        .as_ref()
        .map_or_else(String::new, |figure| format!(" (je {figure})"));
    let others = match (ranking.others.as_slice(), ranking.further) {
        ([], 0) => String::new(),
        ([], more) => format!("; {} weitere folgen", number(more)),
        (others, 0) => format!("; dann {}", and(others)),
        (others, more) => format!("; dann {} und {} weitere", others.join(", "), number(more)),
    };
    let rest = next(ranking);
    match (ranking.leaders.as_slice(), ranking.equal) {
        ([name], Some(1)) => match frame {
            Frame::Which {
                is_plural: false,
                says: Says::Predicate(says),
                ..
            } if ranking.rows == 1 => {
                format!("{name} {says}{}{rest}.", after(known.as_ref(), says))
            }
            Frame::What { verb, subject }
                if (verb == "ist" || verb == "war") && ranking.rows == 1 =>
            {
                format!(
                    "{} {verb} {name}{}{rest}.",
                    capital(subject),
                    after(known.as_ref(), subject)
                )
            }
            _ => format!("{name} steht vorn{with}{rest}{others}."),
        },
        ([name], None) => {
            format!("{name} ist die erste Zeile{with}; andere können gleichauf sein{others}.")
        }
        (names, Some(equal)) if names.len() as u64 == equal => {
            format!(
                "{} teilen sich den ersten Platz{with_each}{rest}{others}.",
                and(names)
            )
        }
        ([name], Some(equal)) => {
            format!(
                "{name} ist eine von {} Zeilen, die sich den ersten Platz teilen{with_each}.",
                grouped(equal)
            )
        }
        (names, Some(equal)) => format!(
            "{} gehören zu {} Zeilen, die sich den ersten Platz teilen{with_each}{rest}.",
            and(names),
            grouped(equal)
        ),
        (names, None) => format!("{}{with}.", and(names)),
    }
}

/// The figure of a count with the word of the question: "die meisten Filme".
fn named_by(frame: &Frame, figure: Figure) -> Figure {
    let is_noun = |word: &str| word.starts_with(char::is_uppercase);
    let things = match figure.of {
        Measure::Count | Measure::Things(_) => {
            words_after(frame.statement(), &["meisten", "wenigsten"], is_noun)
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

/// The figure after a statement. What is counted is named by the question, not by a column in another language.
fn after(known: Option<&Figure>, statement: &str) -> String {
    match known {
        Some(Figure {
            value,
            of: Measure::Things(_),
            ..
        }) => format!(": {value}"),
        Some(Figure {
            value,
            of: Measure::Named(name),
            ..
        }) if says(statement, name) => format!(": {value}"),
        Some(known) => format!(": {}", figure(known)),
        None => String::new(),
    }
}

fn figure(figure: &Figure) -> String {
    let value = &figure.value;
    match &figure.of {
        Measure::Things(things) => format!("{value} {things}"),
        Measure::Count => value.clone(),
        Measure::Named(name) => format!("{} {value}", in_german(name)),
    }
}

fn next(ranking: &Ranking) -> String {
    let Some(Next { name, value, gap }) = &ranking.next else {
        return String::new();
    };
    let more = if ranking.is_descending {
        "mehr"
    } else {
        "weniger"
    };
    match gap {
        Some(gap) => format!(", {gap} {more} als {name} ({value})"),
        None => format!(", vor {name} ({value})"),
    }
}
