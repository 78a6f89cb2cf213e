//! English nouns in the singular and the plural.

use super::super::frame::bare;
use crate::english::lexicon::PREPOSITIONS;
use crate::names::{plural, singular};
use text2sql_domain::word_pairs;

/// Words that are the same in the singular and the plural, or that end like plurals.
const NOT_PLURAL: &[&str] = &[
    "status", "address", "class", "process", "business", "bonus", "campus", "virus", "gas",
    "analysis", "basis", "access", "census", "bus", "loss", "boss", "glass", "pass", "kiss",
];

/// Plurals without their ending.
const IRREGULAR: &[(&str, &str)] = word_pairs!(
    "people = person, children = child, men = man, women = woman, movies = movie, \
     cookies = cookie, staff = staff, data = data, species = species, series = series"
);

/// Whether a word is a plural.
pub(super) fn is_plural(word: &str) -> bool {
    let irregular = IRREGULAR.iter().any(|(many, _)| *many == word);
    irregular
        || word.len() > 2
            && word.ends_with('s')
            && !word.ends_with("ss")
            && !NOT_PLURAL.contains(&word)
}

/// "films" as "film".
fn one(word: &str) -> String {
    let lower = word.to_lowercase();
    if let Some((_, one)) = IRREGULAR.iter().find(|(many, _)| *many == lower) {
        return (*one).to_owned();
    }
    if !is_plural(&lower) || word != lower {
        // A name in capitals keeps its case; only its last letter goes.
        let short = word.strip_suffix('s').filter(|_| is_plural(&lower));
        return short.unwrap_or(word).to_owned();
    }
    singular(word)
}

/// The head of the noun phrase before the verb: the word before its first preposition.
pub(super) fn head_of(lower: &[String], end: usize) -> usize {
    let phrase = lower.get(..end).unwrap_or_default();
    let attached = |word: &String| {
        PREPOSITIONS.contains(&word.as_str())
            || ["with", "without", "that", "who", "which"].contains(&word.as_str())
    };
    let stop = phrase.iter().position(attached).unwrap_or(phrase.len());
    stop.saturating_sub(1)
}

/// "copies of the film" as "copy of the film".
pub(super) fn one_of(phrase: &str) -> String {
    let words: Vec<&str> = phrase.split(' ').collect();
    let lower: Vec<String> = words.iter().map(|word| bare(word)).collect();
    let head = head_of(&lower, words.len());
    let parts = words.iter().enumerate().map(|(at, word)| match at == head {
        true => one(word),
        false => (*word).to_owned(),
    });
    parts.collect::<Vec<_>>().join(" ")
}

/// "category" as "categories".
pub fn many(noun: &str) -> String {
    if let Some((many, _)) = IRREGULAR.iter().find(|(_, one)| *one == noun) {
        return (*many).to_owned();
    }
    match NOT_PLURAL.contains(&noun) {
        true => format!("{noun}es"),
        false => plural(noun),
    }
}

/// The form of a predicate for one thing: "are late" as "is late", "live in Rome" as "lives in Rome". `None` if
/// its verb is not known.
pub(super) fn predicate_of_one(predicate: &str) -> Option<String> {
    let (verb, rest) = predicate.split_once(' ').unwrap_or((predicate, ""));
    let verb = match verb.to_lowercase().as_str() {
        "are" => "is".to_owned(),
        "were" => "was".to_owned(),
        "have" => "has".to_owned(),
        "do" => "does".to_owned(),
        same @ ("can" | "could" | "will" | "would" | "had" | "did" | "never" | "is" | "was"
        | "has" | "does" | "made" | "took" | "sold" | "bought" | "paid" | "won" | "got"
        | "lost" | "spent" | "held" | "taught" | "wrote" | "sang" | "left" | "brought"
        | "grew" | "cost") => same.to_owned(),
        past if past.ends_with("ed") => past.to_owned(),
        third if third.ends_with('s') && !third.ends_with("ss") => third.to_owned(),
        base if base.ends_with("ss")
            || base.ends_with("ch")
            || base.ends_with("sh")
            || base.ends_with('x') =>
        {
            format!("{base}es")
        }
        base if base.ends_with('y') && !base.ends_with("ay") && !base.ends_with("oy") => {
            format!("{}ies", base.trim_end_matches('y'))
        }
        base if base.chars().all(|c| c.is_ascii_alphabetic()) => format!("{base}s"),
        _ => return None,
    };
    Some(format!("{verb} {rest}").trim_end().to_owned())
}
