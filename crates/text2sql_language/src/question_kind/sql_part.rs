//! The part of a question that tables answer.

use super::cues::Cues;
use crate::understanding::lower_words;
use text2sql_domain::words;
use text2sql_phrases::{Language, say_in};

/// What joins a question about rows with one about texts.
const JOINTS: &[&str] = &[" and ", " und ", "; ", "? "];

/// At how many of them it is looked for the two: both sides of each are read, and a question has up to 16 kB.
const MAX_JOINTS: usize = 16;

/// What joins rows with what their texts say.
const MENTIONS: &[&str] = &[
    " whose reviews mention ",
    " whose review mentions ",
    " whose comments mention ",
    " with reviews that mention ",
    " with reviews about ",
    " who complain about ",
    " who complained about ",
    " that complain about ",
    " who write about ",
    " who mention ",
    " who mentioned ",
    " deren bewertungen ",
    " deren bewertung ",
    " die sich über ",
    " deren kommentare ",
];

/// Measures that have a value and are not counted.
const MEASURES: &[&str] = words!(
    "revenue, sales, turnover, profit, income, cost, costs, price, prices, margin, rate, rating, \
     ratings, score, share, average, umsatz, umsätze, gewinn, kosten, preis, preise, ertrag, \
     quote, bewertung, anteil, durchschnitt, verkäufe, verkaufszahlen"
);

/// "How many products … whose reviews mention zippers": the question about the rows, and what the texts mention.
pub(super) fn of_mention(question: &str, cues: &Cues<'_>) -> Option<(String, String)> {
    if !cues.begins_with_quantity() {
        return None;
    }
    let lower = lowered(question)?;
    let (place, phrase) = first_of(&lower, MENTIONS)?;
    let tables = question.get(..place)?.trim();
    let after = question.get(place + phrase.len()..)?;
    // German puts the verb at the end.
    let mentioned = [
        " erwähnen",
        " nennen",
        " beschweren",
        " beschwert haben",
        " beklagen",
        " erwähnt",
    ];
    let after = after.trim().trim_end_matches(['?', '.', '!']);
    let after = mentioned
        .iter()
        .find_map(|verb| after.strip_suffix(verb))
        .unwrap_or(after);
    (tables.split_whitespace().count() >= 2 && !after.trim().is_empty()).then(|| {
        (
            format!("{}?", tables.trim_end_matches([',', '?'])),
            after.trim().to_owned(),
        )
    })
}

/// The question about rows of two in one, of which the other is about texts: "How many returns were there, and why?",
/// "What do customers complain about, and how many returns were there?".
pub(super) fn beside_texts(question: &str) -> Option<String> {
    let lower = lowered(question)?;
    let mut places: Vec<(usize, &str)> = JOINTS
        .iter()
        .flat_map(|joint| lower.match_indices(joint))
        .collect();
    places.sort_unstable();
    places
        .into_iter()
        .take(MAX_JOINTS)
        .find_map(|(place, joint)| {
            let (before, after) = (question.get(..place)?, question.get(place + joint.len()..)?);
            let (words, others) = (lower_words(before), lower_words(after));
            let (first, second) = (Cues::of(&words), Cues::of(&others));
            // "April and May customers" is no second question.
            let is_apart = before.ends_with(',') || !joint.trim().chars().all(char::is_alphabetic);
            if words.len() >= 3
                && first.begins_with_quantity()
                && second.goes_on_about_texts(is_apart)
            {
                return Some(as_question(before));
            }
            (others.len() >= 3 && second.begins_with_figure() && first.is_about_texts())
                .then(|| as_question(after))
        })
}

/// The text with a capital and a question mark.
fn as_question(text: &str) -> String {
    let text = text.trim().trim_matches([',', ';', '?', '.']).trim();
    let mut characters = text.chars();
    let first = characters.next().map(char::to_uppercase);
    let first: String = first.into_iter().flatten().collect();
    format!("{first}{}?", characters.as_str())
}

/// The question about the figures whose change is to be explained: "How many returns of jackets in March?" of "Why did
/// returns of jackets rise in March?".
pub(super) fn of_reason(question: &str, language: Language) -> Option<String> {
    let text = question.trim().trim_end_matches(['?', '.', '!']);
    let mut words: Vec<&str> = text.split_whitespace().collect();
    const OPENERS: &[&str] = words!(
        "why, warum, weshalb, wieso, weswegen, how, come, did, do, does, have, has, had, are, is, \
         were, was, there, sind, ist, waren, war, haben, hat, hatten, gibt, gab, es, the, number, \
         our, die, der, das, den, unsere, unser, so, viele, wenige, many, few, been, stieg, \
         stiegen, sank, sanken, fiel, fielen, wuchs, wuchsen, steigt, steigen, sinkt, sinken, \
         what, caused, causes, explains, led, to, nahm, nahmen, fällt, fallen, rise, increase, \
         drop, fall, decline, decrease, growth, spike, surge, jump, of, in"
    );
    let is_opener = |word: &&str| OPENERS.contains(&word.trim_matches(',').to_lowercase().as_str());
    let first = words.iter().position(|word| !is_opener(word))?;
    words.drain(..first);
    const CUT: &[&str] = words!(
        "rise, rose, risen, rising, increase, increased, increasing, grow, grew, grown, growing, \
         drop, dropped, dropping, fall, fell, fallen, falling, decline, declined, declining, \
         decrease, decreased, decreasing, climb, climbed, jump, jumped, spike, spiked, surge, \
         surged, shrink, shrank, shrunk, collapse, collapsed, peak, peaked, double, doubled, so, \
         much, sharply, strongly, suddenly, that, high, higher, low, lower, there, been, \
         gestiegen, gesunken, gefallen, zugenommen, abgenommen, eingebrochen, verdoppelt, \
         gewachsen, zurückgegangen, stark, deutlich, plötzlich, hoch, niedrig, höher, niedriger, \
         zu, ab"
    );
    words.retain(|word| !CUT.contains(&word.trim_matches(',').to_lowercase().as_str()));
    // "sales are down in Germany", but not "returns of down jackets".
    const WAYS: &[&str] = words!("down, up, better, worse, runter, rauf, besser, schlechter");
    const AFTER: &[&str] = words!(
        "in, at, for, on, since, this, last, during, compared, versus, from, im, seit, bei, diesen, \
         dieses, diese, letzten, letztes, letzte, gegenüber"
    );
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let is_one_of =
        |list: &[&str], at: usize| lower.get(at).map(|word| list.contains(&word.as_str()));
    let mut at = 0..;
    words.retain(|_| {
        let at = at.next().unwrap_or_default();
        let ends = is_one_of(AFTER, at + 1).unwrap_or(true);
        !(ends && is_one_of(WAYS, at) == Some(true))
    });
    let subject = words.first()?.to_lowercase();
    let rest = words.join(" ");
    let is_measure = words
        .iter()
        .take(2)
        .any(|word| MEASURES.contains(&word.to_lowercase().as_str()));
    if subject.is_empty() || words.is_empty() {
        return None;
    }
    Some(match is_measure {
        true => say_in!(language, "What is the {rest}?"),
        false => say_in!(language, "How many {rest}?"),
    })
}

/// The text in lower case, if every character keeps its place.
fn lowered(question: &str) -> Option<String> {
    let lower = question.to_lowercase();
    let same = lower
        .char_indices()
        .map(|(place, _)| place)
        .eq(question.char_indices().map(|(place, _)| place));
    same.then_some(lower)
}

fn first_of<'p>(text: &str, phrases: &[&'p str]) -> Option<(usize, &'p str)> {
    let found = phrases
        .iter()
        .filter_map(|phrase| Some((text.find(phrase)?, *phrase)));
    found.min_by_key(|(place, _)| *place)
}
