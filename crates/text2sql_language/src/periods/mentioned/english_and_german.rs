//! The periods of an English or German question that are counted from today.

use super::mentioned_period::{COMPARISON_REACH, MentionedPeriod};
use super::other_languages;
use super::wording::{ENGLISH, GERMAN};
use crate::calendar::{parse_date, plus_days, plus_months};
use crate::german::{ENGLISH_MARKS, MARKS};
use crate::periods::spans::{self, Span};
use crate::words::{Token, placed_text};
use jiff::civil::Date;
use text2sql_domain::words;
use text2sql_phrases::Language;

/// Prepositions that do not change a period, and are not part of its text.
const PLAIN_PREPOSITIONS: &[&str] = &["in", "during", "on", "for", "of", "within", "over", "from"];

/// Words that make a period relative to another one: "the same month last year".
const COMPARISONS: &[&str] = &["same", "gleichen", "gleiche", "selben", "selbe"];

/// Words by which a question says itself how its days are counted: "over the last month, counting from 1 month ago
/// inclusive". What they change differs too much to be worked out, and a wrong fact is worse than none.
const COUNTED: &[&str] = &["inclusive", "exclusive", "gerechnet", "inklusive"];
const COUNTED_FROM: &[(&str, &[&str])] = &[
    ("counting", &["from", "back"]),
    ("including", &["current", "today", "this"]),
    (
        "einschließlich",
        &["aktuellen", "heute", "laufenden", "diesem"],
    ),
];

fn says_how_days_are_counted(tokens: &[Token]) -> bool {
    tokens.iter().enumerate().any(|(place, token)| {
        let mut next = tokens.iter().skip(place + 1).take(2);
        let word = token.lower.as_str();
        COUNTED.contains(&word)
            || COUNTED_FROM.iter().any(|(begin, ends)| {
                *begin == word && next.any(|token| ends.contains(&token.lower.as_str()))
            })
    })
}

/// The periods of a question that are counted from today, in order: `own` are its tokens as they are
/// written, `tokens` those in the words of the grammar of its language. `today` is `YYYY-MM-DD`.
pub fn mentioned_periods(
    own: &[Token],
    tokens: &[Token],
    language: Language,
    today: &str,
) -> Vec<MentionedPeriod> {
    let Some(today) = parse_date(today).filter(|_| !says_how_days_are_counted(own)) else {
        return Vec::new();
    };
    let (foreign, is_known) = other_languages::periods(own, today, marks(own));
    if is_known {
        return foreign;
    }
    let periods = in_grammar(tokens, language, today);
    if periods.is_empty() { foreign } else { periods }
}

/// The number of function words of English or German among the tokens, whichever has more.
fn marks(own: &[Token]) -> usize {
    let count = |marks: &[&str]| {
        let words = own.iter().map(|token| token.lower.as_str());
        words.filter(|word| marks.contains(word)).count()
    };
    count(ENGLISH_MARKS).max(count(MARKS))
}

fn in_grammar(tokens: &[Token], language: Language, today: Date) -> Vec<MentionedPeriod> {
    let wording = match language.tag() {
        "de" => &GERMAN,
        _ => &ENGLISH,
    };
    let mut periods: Vec<MentionedPeriod> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let Some((span, taken)) = read_at(tokens, at, today, language) else {
            at += 1;
            continue;
        };
        let (from, before) = span;
        let text = placed_text(tokens.get(at..at + taken).unwrap_or_default());
        at += taken;
        let period = MentionedPeriod {
            text,
            from: from.map(|day| day.to_string()),
            before: before.map(|day| day.to_string()),
            means: None,
            wording,
        };
        if !periods.contains(&period) {
            periods.push(period);
        }
    }
    periods
}

fn read_at(tokens: &[Token], at: usize, today: Date, language: Language) -> Option<(Span, usize)> {
    let rest = tokens.get(at..)?;
    let first = rest.first()?;
    let (span, taken) = spans::read(rest, today)?;
    let joins_two = taken > 3 && first.lower == "from";
    if PLAIN_PREPOSITIONS.contains(&first.lower.as_str()) && !joins_two {
        return None;
    }
    // A capitalised name, such as a song title, is not a day.
    let is_name = taken == 1
        && at > 0
        && language == Language::ENGLISH
        && first.text.starts_with(char::is_uppercase)
        && !first.text.chars().all(char::is_uppercase);
    let is_of_another = tokens
        .get(at.saturating_sub(COMPARISON_REACH)..at)
        .unwrap_or_default()
        .iter()
        .any(|token| COMPARISONS.contains(&token.lower.as_str()));
    let is_told = !is_name
        && !is_of_another
        && !is_before_each(tokens, at, taken)
        && is_relative(rest, span, today);
    is_told.then_some((span, taken))
}

/// Words of a comparison with the period before each row's own: "change against the month before".
const AGAINST: &[&str] = words!(
    "against, versus, vs, than, relative, compared, change, growth, difference, gegenüber, gegen, \
     zum, vergleich, veränderung, wachstum"
);

/// Whether "the previous month" is that before each month of the result, because the question is by month or
/// compares without saying "this month".
fn is_before_each(tokens: &[Token], at: usize, taken: usize) -> bool {
    let lower = |place: usize| tokens.get(place).map_or("", |token| token.lower.as_str());
    let unit = lower(at + taken - 1);
    let is_previous = taken == 2 && matches!(lower(at), "last" | "previous" | "prior");
    let is_unit = |word: &str| word == unit || word.strip_suffix("ly") == Some(unit);
    let pairs = (0..tokens.len()).map(|place| (lower(place), lower(place + 1)));
    let is_by_unit = |(word, next): (&str, &str)| {
        is_unit(next) && matches!(word, "by" | "per" | "each" | "every")
            || word.strip_suffix("ly") == Some(unit)
    };
    let is_current =
        |(word, next): (&str, &str)| is_unit(next) && matches!(word, "this" | "current");
    let before = at.saturating_sub(COMPARISON_REACH)..at;
    let is_against = before.clone().any(|place| AGAINST.contains(&lower(place)));
    is_previous && (pairs.clone().any(is_by_unit) || (is_against && !pairs.clone().any(is_current)))
}

/// Whether the days depend on today.
fn is_relative(tokens: &[Token], span: Span, today: Date) -> bool {
    // A different day, week, month, quarter and year.
    let another = plus_days(plus_months(today, -17), -9);
    spans::read(tokens, another).is_some_and(|(other, _)| other != span)
}
