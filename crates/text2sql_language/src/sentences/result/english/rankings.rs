//! English sentences about rankings.

use super::super::frame::{Frame, Says, capital, says, words_after};
use super::super::kinds::{Figure, Measure, Next, Ranking};
use super::nouns::{is_plural, one_of};
use super::words::{and, grouped, number};

/// A ranking.
pub(super) fn ranking(frame: &Frame, ranking: &Ranking) -> String {
    let known = ranking.figure.clone().map(|known| named_by(frame, known));
    let figure = known.as_ref().map(figure);
    let with = figure
        .as_ref()
        .map_or_else(String::new, |figure| format!(" with {figure}"));
    let others = match (ranking.others.as_slice(), ranking.further) {
        ([], 0) => String::new(),
        ([], more) => format!("; {} more follow", number(more)),
        (others, 0) => format!("; then {}", and(others)),
        (others, more) => format!("; then {} and {} more", others.join(", "), number(more)),
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
                if (verb == "is" || verb == "was") && ranking.rows == 1 =>
            {
                format!(
                    "{} {verb} {name}{}{rest}.",
                    capital(subject),
                    after(known.as_ref(), subject)
                )
            }
            _ => format!("{name} comes first{with}{rest}{others}."),
        },
        ([name], None) => {
            format!("{name} is the first row{with}; others may be equal{others}.")
        }
        (names, Some(equal)) if names.len() as u64 == equal => {
            format!(
                "{} share the first place{}{rest}{others}.",
                and(names),
                each(&with)
            )
        }
        ([name], Some(equal)) => {
            format!(
                "{name} is one of {} that share the first place{}.",
                grouped(equal),
                each(&with)
            )
        }
        (names, Some(equal)) => format!(
            "{} are among {} that share the first place{}{rest}.",
            and(names),
            grouped(equal),
            each(&with)
        ),
        (names, None) => format!("{}{with}.", and(names)),
    }
}

/// The figure of a count with the word of the question: "the most films".
fn named_by(frame: &Frame, figure: Figure) -> Figure {
    let things = match figure.of {
        Measure::Count | Measure::Things(_) => {
            words_after(frame.statement(), &["most", "fewest"], |word| {
                is_plural(&word.to_lowercase())
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

/// The figure after a statement, without the words that the statement has.
fn after(known: Option<&Figure>, statement: &str) -> String {
    match known {
        Some(Figure {
            value,
            of: Measure::Things(name) | Measure::Named(name),
            ..
        }) if says(statement, name) => {
            format!(": {value}")
        }
        Some(known) => format!(": {}", figure(known)),
        None => String::new(),
    }
}

fn each(with: &str) -> String {
    if with.is_empty() {
        String::new()
    } else {
        format!("{with} each")
    }
}

fn figure(figure: &Figure) -> String {
    let value = &figure.value;
    match &figure.of {
        Measure::Things(things) if figure.is_one => format!("{value} {}", one_of(things)),
        Measure::Things(things) => format!("{value} {things}"),
        Measure::Count => value.clone(),
        Measure::Named(name) => format!("{name} {value}"),
    }
}

fn next(ranking: &Ranking) -> String {
    let Some(Next { name, value, gap }) = &ranking.next else {
        return String::new();
    };
    let more = if ranking.is_descending {
        "more"
    } else {
        "less"
    };
    match gap {
        Some(gap) => format!(", {gap} {more} than {name} ({value})"),
        None => format!(", before {name} ({value})"),
    }
}
