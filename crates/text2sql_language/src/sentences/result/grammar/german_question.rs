//! German questions as statements: the verb stays second, so what asks is replaced by its answer.

use super::super::frame::{Frame, Says, bare, one_sentence};
use text2sql_domain::words;

/// Words before what is asked for.
const OPENERS: &[&str] = words!(
    "bitte, zeig, zeige, zeigen, liste, gib, nenne, nenn, nennen, finde, suche, mir, uns, sie, \
     auf, alle, die, der, das, den, eine, einen, ein"
);

/// Finite verbs of questions.
#[rustfmt::skip]
const VERBS: &[&str] = &[
    "ist", "sind", "war", "waren", "hat", "haben", "hatte", "hatten", "wird", "werden", "wurde", "wurden", "gibt", "gab",
    "kommt", "kommen", "kam", "kamen", "lebt", "leben", "wohnt", "wohnen", "liegt", "liegen", "lag", "lagen", "kostet", "kosten",
    "arbeitet", "arbeiten", "heißt", "heißen", "heisst", "heissen", "stammt", "stammen", "besitzt", "besitzen", "kann",
    "können", "gehört", "gehören", "dauert", "dauern", "verdient", "verdienen", "kaufte", "kauften", "verkauft", "macht",
    "machte", "machten", "bestellte", "bestellten", "enthält", "enthalten", "erscheint", "erschienen", "spielt", "spielen",
    "steht", "stehen", "bekommt", "bekommen", "erhielt", "erhielten", "fehlt", "fehlen", "entfallen", "entfällt", "passt",
];

/// Reads a question.
pub(super) fn read(question: &str) -> Frame {
    let Some(line) = one_sentence(question) else {
        return Frame::Unknown;
    };
    let words: Vec<&str> = line.split(' ').collect();
    let lower: Vec<String> = words.iter().map(|word| bare(word)).collect();
    let is = |at: usize, word: &str| lower.get(at).is_some_and(|known| known == word);
    let after = |from: usize| words.get(from..).unwrap_or_default();
    let first = lower.first().map(String::as_str).unwrap_or_default();
    let asks = |word: &String| {
        word.starts_with("welch") || ["wie", "was", "wer", "wann", "wo"].contains(&word.as_str())
    };
    if lower
        .windows(2)
        .any(|pair| matches!(pair, [and, word] if and == "und" && asks(word)))
    {
        return Frame::Unknown;
    }
    if is(0, "wie") && (is(1, "viele") || is(1, "viel")) {
        return count(after(2), lower.get(2..).unwrap_or_default());
    }
    if is(0, "wieviele") || is(0, "wieviel") {
        return count(after(1), lower.get(1..).unwrap_or_default());
    }
    match first {
        "welche" | "welcher" | "welches" | "welchen" | "welchem" => {
            which(first, after(1), lower.get(1..).unwrap_or_default())
        }
        "was" | "wer" => subject(&lower, 1, after(2)),
        // "Wie hoch ist der Preis", "Wie lautet die Adresse".
        "wie" if is(1, "lautet") || is(1, "lauten") || is(1, "heißt") || is(1, "heißen") => {
            subject(&lower, 1, after(2))
        }
        "wie" => subject(&lower, 2, after(3)),
        "wo" | "wann" | "warum" | "wieso" | "wem" | "wen" | "womit" => Frame::Unknown,
        verb if VERBS.contains(&verb) => Frame::YesNo,
        _ => phrase(&words, &lower),
    }
}

fn phrase(words: &[&str], lower: &[String]) -> Frame {
    let opened = lower
        .iter()
        .take_while(|word| OPENERS.contains(&word.as_str()))
        .count();
    let rest = words.get(opened..).unwrap_or_default();
    let is_clause = lower
        .iter()
        .skip(opened)
        .any(|word| ["wie", "was", "wer", "welche", "ich"].contains(&word.as_str()));
    match rest.is_empty() || is_clause {
        true => Frame::Unknown,
        false => Frame::Phrase(rest.join(" ")),
    }
}

/// The subject after the verb at `verb`.
fn subject(lower: &[String], verb: usize, words: &[&str]) -> Frame {
    let verb = lower.get(verb).map(String::as_str).unwrap_or_default();
    let verb = match verb {
        "lautet" | "heißt" => "ist",
        "lauten" | "heißen" => "sind",
        "ist" | "sind" | "war" | "waren" => verb,
        _ => return Frame::Unknown,
    };
    if words.is_empty() {
        return Frame::Unknown;
    }
    Frame::What {
        verb: verb.to_owned(),
        subject: words.join(" "),
    }
}

/// "Welches Land hat die meisten Kunden", without the first word.
fn which(asks: &str, words: &[&str], lower: &[String]) -> Frame {
    if let Some("ist" | "sind" | "war" | "waren") = lower.first().map(String::as_str) {
        return subject(lower, 0, words.get(1..).unwrap_or_default());
    }
    let Some(verb) = verb_at(lower) else {
        return Frame::Unknown;
    };
    let verb_word = lower.get(verb).map(String::as_str).unwrap_or_default();
    let is_plural = asks == "welche"
        && ![
            "ist", "war", "hat", "hatte", "wird", "wurde", "kommt", "kostet", "gibt",
        ]
        .contains(&verb_word)
        && !verb_word.ends_with('t');
    Frame::Which {
        noun: words.get(..verb).unwrap_or_default().join(" "),
        is_plural,
        says: match verb_word {
            "gibt" | "gab" => Says::Inverted,
            _ => Says::Predicate(words.get(verb..).unwrap_or_default().join(" ")),
        },
    }
}

/// "Wie viele Kunden kommen aus Wien", without "wie viele".
fn count(words: &[&str], lower: &[String]) -> Frame {
    if words.is_empty() {
        return Frame::Unknown;
    }
    let Some(verb) = verb_at(lower) else {
        return Frame::Count {
            things: words.join(" "),
            says: Says::Exists {
                verb: "gibt".to_owned(),
                rest: String::new(),
            },
        };
    };
    let things = words.get(..verb).unwrap_or_default().join(" ");
    let verb_word = lower.get(verb).map(String::as_str).unwrap_or_default();
    let is_existence = ["gibt", "gab"].contains(&verb_word)
        && lower.get(verb + 1).is_some_and(|word| word == "es");
    let says = match is_existence {
        true => Says::Exists {
            verb: verb_word.to_owned(),
            rest: words.get(verb + 2..).unwrap_or_default().join(" "),
        },
        false => Says::Predicate(words.get(verb..).unwrap_or_default().join(" ")),
    };
    Frame::Count { things, says }
}

/// The first finite verb after a noun.
fn verb_at(lower: &[String]) -> Option<usize> {
    let found = lower.iter().position(|word| VERBS.contains(&word.as_str()));
    found.filter(|at| *at > 0)
}
