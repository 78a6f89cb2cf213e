//! English questions as statements.

use super::super::frame::{Frame, Says, bare, one_sentence};
use super::english_nouns::{head_of, is_plural};
use crate::english::lexicon::{EVENT_VERBS, LINKING_VERBS, PREPOSITIONS};
use text2sql_domain::words;

/// Words before what is asked for.
const OPENERS: &[&str] = words!(
    "please, show, list, give, find, display, get, return, print, tell, fetch, retrieve, provide, \
     select, report, identify, determine, calculate, compute, me, us, out"
);

/// Verbs that stand before their subject in a question.
const AUXILIARIES: &[&str] = &[
    "is", "are", "was", "were", "has", "have", "had", "can", "could", "will", "would", "do",
    "does", "did",
];

const PRONOUNS: &[&str] = &[
    "we", "you", "they", "i", "he", "she", "it", "our", "the", "my", "his", "her", "their", "a",
    "an",
];

/// Reads a question.
pub(super) fn read(question: &str) -> Frame {
    let Some(line) = one_sentence(question) else {
        return Frame::Unknown;
    };
    let words: Vec<&str> = line.split(' ').collect();
    let is_open = |word: &&&str| OPENERS.contains(&bare(word).as_str());
    // "Name the customers", which "name of the customer" is not.
    let names = matches!(words.as_slice(), [name, the, ..] if bare(name) == "name" && ["the", "all", "every"].contains(&bare(the).as_str()));
    let opened = words.iter().take_while(is_open).count() + usize::from(names);
    let rest = words.get(opened..).unwrap_or_default();
    let lower: Vec<String> = rest.iter().map(|word| bare(word)).collect();
    let is = |at: usize, word: &str| lower.get(at).is_some_and(|known| known == word);
    let asks = |word: &String| {
        [
            "what", "which", "how", "who", "when", "where", "list", "show",
        ]
        .contains(&word.as_str())
    };
    let asks_twice = lower
        .windows(2)
        .any(|pair| matches!(pair, [and, word] if and == "and" && asks(word)));
    if asks_twice
        || lower
            .iter()
            .any(|word| ["i", "my", "me"].contains(&word.as_str()))
    {
        return Frame::Unknown;
    }
    if is(0, "how") && is(1, "many") {
        return count(rest.get(2..).unwrap_or_default());
    }
    let is_counted = matches!(
        words.first().map(|word| bare(word)).as_deref(),
        Some("count")
    );
    if is_counted && words.len() > 1 {
        let things = words.get(1..).unwrap_or_default();
        return count(without_articles(things));
    }
    let first = lower.first().map(String::as_str).unwrap_or_default();
    let copula = lower
        .get(1)
        .filter(|word| ["is", "are", "was", "were"].contains(&word.as_str()));
    match (first, copula) {
        ("what" | "who" | "which", Some(verb)) => subject(verb, rest.get(2..).unwrap_or_default()),
        ("which" | "what", None) if rest.len() > 2 => which(rest.get(1..).unwrap_or_default()),
        ("is" | "are" | "was" | "were" | "does" | "do" | "did" | "has" | "have" | "can", _) => {
            Frame::YesNo
        }
        ("who" | "how" | "when" | "where" | "why" | "what" | "which" | "whose", _) | ("", _) => {
            Frame::Unknown
        }
        _ => phrase(rest),
    }
}

fn phrase(words: &[&str]) -> Frame {
    let words = without_articles(words);
    let is_clause = words
        .iter()
        .any(|word| ["what", "how", "you", "whether"].contains(&bare(word).as_str()));
    match (words.is_empty(), is_clause) {
        (false, false) => Frame::Phrase(words.join(" ")),
        _ => Frame::Unknown,
    }
}

/// Strips leading "the", "all", "all the".
fn without_articles<'w, 't>(words: &'w [&'t str]) -> &'w [&'t str] {
    let is_article = |word: &&&str| ["the", "all", "a", "an", "of"].contains(&bare(word).as_str());
    let articles = words.iter().take_while(is_article).count();
    words.get(articles..).unwrap_or_default()
}

/// "what is the average price": the subject; a question whose subject is not its last part is not turned.
fn subject(verb: &str, words: &[&str]) -> Frame {
    let starts_badly = words.first().is_none_or(|word| {
        PREPOSITIONS.contains(&bare(word).as_str())
            || ["there", "we", "you", "they", "in"].contains(&bare(word).as_str())
    });
    if starts_badly {
        return Frame::Unknown;
    }
    Frame::What {
        verb: verb.to_owned(),
        subject: words.join(" "),
    }
}

/// "which country has the most customers", without "which".
fn which(words: &[&str]) -> Frame {
    let lower: Vec<String> = words.iter().map(|word| bare(word)).collect();
    let Some(verb) = verb_at(&lower) else {
        return match lower.first() {
            // "which films in Italian": no statement.
            Some(_) => Frame::Unknown,
            None => Frame::Unknown,
        };
    };
    let noun: Vec<&str> = words.get(..verb).unwrap_or_default().to_vec();
    let is_share = lower.first().is_some_and(|word| {
        words!("percentage, percent, share, number, proportion, amount, fraction")
            .contains(&word.as_str())
    });
    if noun.is_empty() || is_share {
        return Frame::Unknown;
    }
    let head = head_of(&lower, verb);
    let verb_word = lower.get(verb).map(String::as_str).unwrap_or_default();
    let is_plural = match verb_word {
        "is" | "was" | "has" | "does" => false,
        "are" | "were" | "have" => true,
        _ => lower.get(head).is_some_and(|noun| is_plural(noun)),
    };
    let says = match is_inverted(&lower, verb) || ends_with_preposition(words) {
        true => Says::Inverted,
        false => Says::Predicate(words.get(verb..).unwrap_or_default().join(" ")),
    };
    Frame::Which {
        noun: noun.join(" "),
        is_plural,
        says,
    }
}

/// "how many films have rating R", without "how many".
fn count(words: &[&str]) -> Frame {
    let is_number =
        matches!(words, [number, of, ..] if bare(number) == "number" && bare(of) == "of");
    let words = if is_number {
        words.get(2..).unwrap_or_default()
    } else {
        words
    };
    let lower: Vec<String> = words.iter().map(|word| bare(word)).collect();
    let things = |to: usize| {
        let words = without_articles(words.get(..to).unwrap_or_default());
        words.join(" ")
    };
    let there = lower.windows(2).position(|pair| {
        matches!(pair, [verb, there] if there == "there" && ["is", "are", "was", "were"].contains(&verb.as_str()))
    });
    if let Some(verb) = there.filter(|verb| *verb > 0) {
        return Frame::Count {
            things: things(verb),
            says: Says::Exists {
                verb: lower.get(verb).cloned().unwrap_or_default(),
                rest: words.get(verb + 2..).unwrap_or_default().join(" "),
            },
        };
    }
    if let Some(owned) = lower.windows(3).position(
        |three| matches!(three, [aux, we, have] if aux == "do" && we == "we" && have == "have"),
    ) && owned > 0
    {
        return Frame::Count {
            things: things(owned),
            says: Says::Exists {
                verb: "are".to_owned(),
                rest: words.get(owned + 3..).unwrap_or_default().join(" "),
            },
        };
    }
    if words.is_empty()
        || lower
            .first()
            .is_some_and(|word| AUXILIARIES.contains(&word.as_str()))
    {
        return Frame::Unknown;
    }
    let Some(verb) = verb_at(&lower) else {
        return Frame::Count {
            things: things(words.len()),
            says: Says::Exists {
                verb: "are".to_owned(),
                rest: String::new(),
            },
        };
    };
    // "How many films is Nick in": things are many, so its subject is another.
    let is_singular = lower
        .get(verb)
        .is_some_and(|verb| ["is", "was", "has", "does"].contains(&verb.as_str()));
    let says = match is_singular || is_inverted(&lower, verb) || ends_with_preposition(words) {
        true => Says::Inverted,
        false => Says::Predicate(words.get(verb..).unwrap_or_default().join(" ")),
    };
    Frame::Count {
        things: things(verb),
        says,
    }
}

/// The verb of the main clause: an auxiliary before any relative clause, else a verb of the lexicon after a
/// noun without a preposition other than "of".
fn verb_at(lower: &[String]) -> Option<usize> {
    let is_relative =
        |word: &String| ["that", "which", "who", "whose", "where", "when"].contains(&word.as_str());
    let end = lower.iter().position(is_relative).unwrap_or(lower.len());
    let main = lower.get(..end).unwrap_or_default();
    let auxiliary = main
        .iter()
        .position(|word| AUXILIARIES.contains(&word.as_str()));
    if let Some(found) = auxiliary.filter(|at| *at > 0) {
        return Some(found);
    }
    let lexical = |word: &String| {
        word.ends_with("ed")
            || LINKING_VERBS.contains(&word.as_str())
            || EVENT_VERBS.contains(&word.as_str())
            || MORE_VERBS.contains(&word.as_str())
    };
    let verb = main
        .iter()
        .enumerate()
        .skip(1)
        .find(|(_, word)| lexical(word) && !word.ends_with("ing"))?
        .0;
    let before = main.get(..verb)?;
    let is_attached = |word: &String| {
        word != "of"
            && (PREPOSITIONS.contains(&word.as_str())
                || ["with", "without", "than", "per", "each"].contains(&word.as_str()))
    };
    (!before.iter().any(is_attached)).then_some(verb)
}

/// Verbs of questions that the lexicon of joins does not need.
const MORE_VERBS: &[&str] = words!(
    "earn, earned, earns, cost, costs, speak, speaks, start, started, starts, begin, begins, end, \
     ended, ends, won, win, wins, got, get, lost, never, ordered, spent, spend, weigh, weighs, \
     exceed, exceeds, came, went, gave, began, ran, saw, broke, drove, flew, fell, rose, led, \
     met, kept, sent, built, chose, became, expire, expires, need, needs, want, reach, leave, \
     leaves, go, goes, know, like, prefer, generated, generate, brought, arrived, joined, left, \
     returned, lack, lacks, sold, grew, last, lasted"
);

/// Whether the subject stands behind the verb: "did we sell", "have we", "do customers buy".
fn is_inverted(lower: &[String], verb: usize) -> bool {
    let word = |at: usize| lower.get(at).map(String::as_str).unwrap_or_default();
    let next = word(verb + 1);
    match word(verb) {
        "do" | "does" | "did" | "don't" | "didn't" => next != "not",
        "is" | "are" | "was" | "were" => {
            ["we", "you", "they", "he", "she", "it", "our"].contains(&next)
        }
        "has" | "have" | "had" => ["we", "you", "they", "he", "she", "it", "our"].contains(&next),
        "can" | "could" | "will" | "would" => PRONOUNS.contains(&next),
        _ => false,
    }
}

fn ends_with_preposition(words: &[&str]) -> bool {
    words.last().is_some_and(|word| {
        ["in", "from", "to", "of", "at", "by", "for", "with", "on"].contains(&bare(word).as_str())
    })
}

/// A noun phrase as the subject of a statement, with its article; `None` if it names no measure.
pub(super) fn with_article(phrase: &str) -> Option<String> {
    const MEASURES: &[&str] = words!(
        "average, mean, total, sum, number, minimum, maximum, highest, lowest, median, largest, \
         smallest, most, least, latest, earliest, oldest, newest, youngest, cheapest, longest, \
         shortest, biggest, first, last, overall, amount, percentage, share, count"
    );
    let first = phrase.split(' ').next().map(bare).unwrap_or_default();
    MEASURES.contains(&first.as_str()).then(|| {
        let mut letters = phrase.chars();
        let begin = letters
            .next()
            .map(|letter| letter.to_lowercase().to_string());
        format!("The {}{}", begin.unwrap_or_default(), letters.as_str())
    })
}
