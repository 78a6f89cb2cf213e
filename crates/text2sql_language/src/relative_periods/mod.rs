//! Which periods a question speaks of that only today's date tells: for the prompt, and for people.

mod dutch;
mod french;
mod italian;
mod languages;
mod portuguese;
mod spanish;
#[cfg(test)]
mod tests;

use self::languages::Wording;
use super::german_words::{ENGLISH_MARKS, MARKS};
use super::spans;
use super::words::Token;
use crate::spans::Span;
use crate::words::placed_text;
use text2sql_domain::date::Date;
use text2sql_domain::language::Language;

/// A stretch of the question that means days counted from today.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpokenPeriod {
    /// The words, as they were said.
    pub said: String,
    /// The first day, `YYYY-MM-DD`; `None` where it reaches back without end.
    pub from: Option<String>,
    /// The first day that is no longer in it; `None` where it has no end.
    pub before: Option<String>,
    wording: &'static Wording,
}

impl SpokenPeriod {
    /// "2026-10-01 up to but without 2026-11-01", in the language of the question.
    pub fn days(&self) -> String {
        let is_one_day = match (&self.from, &self.before) {
            (Some(from), Some(before)) => {
                Date::parse(from).map(|day| day.plus_days(1)) == Date::parse(before)
            }
            _ => false,
        };
        let filled = |template: &str, days: [&str; 2]| {
            let mut text = template.to_owned();
            for day in days {
                text = text.replacen("{}", day, 1);
            }
            text
        };
        match (&self.from, &self.before) {
            (Some(from), Some(_)) if is_one_day => from.clone(),
            (Some(from), Some(before)) => filled(self.wording.range, [from, before]),
            (Some(from), None) => filled(self.wording.from, [from, ""]),
            (None, Some(before)) => filled(self.wording.before, [before, ""]),
            (None, None) => String::new(),
        }
    }

    /// "'last month' is 2026-10-01 up to but without 2026-11-01", in the language of the question.
    pub fn statement(&self) -> String {
        format!("'{}' {} {}", self.said, self.wording.is, self.days())
    }
}

/// Words that leave a period what it is: they are not said again.
const PLAIN_PREPOSITIONS: &[&str] = &["in", "during", "on", "for", "of", "within", "over", "from"];

/// Words after which a period is that of another one: "the same month last year".
const COMPARISONS: &[&str] = &["same", "gleichen", "gleiche", "selben", "selbe"];

/// How many tokens before a period such a word may stand.
const COMPARISON_REACH: usize = 3;

/// The periods of a question that are counted from today, in order: `own` are its tokens as they are
/// written, `tokens` those in the words of the grammar of its language. `today` is `YYYY-MM-DD`.
pub(crate) fn read(
    own: &[Token],
    tokens: &[Token],
    language: Language,
    today: &str,
) -> Vec<SpokenPeriod> {
    let Some(today) = Date::parse(today) else {
        return Vec::new();
    };
    let (foreign, is_known) = languages::periods(own, today, marks(own));
    if is_known {
        return foreign;
    }
    let periods = in_grammar(tokens, language, today);
    if periods.is_empty() { foreign } else { periods }
}

/// How many of the tokens are small words of English or German, whichever has more.
fn marks(own: &[Token]) -> usize {
    let count = |marks: &[&str]| {
        let words = own.iter().map(|token| token.lower.as_str());
        words.filter(|word| marks.contains(word)).count()
    };
    count(ENGLISH_MARKS).max(count(MARKS))
}

fn in_grammar(tokens: &[Token], language: Language, today: Date) -> Vec<SpokenPeriod> {
    let wording = match language {
        Language::English => &languages::ENGLISH,
        Language::German => &languages::GERMAN,
    };
    let mut periods: Vec<SpokenPeriod> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let Some((span, taken)) = read_at(tokens, at, today, language) else {
            at += 1;
            continue;
        };
        let (from, before) = span;
        let said = placed_text(tokens.get(at..at + taken).unwrap_or_default());
        at += taken;
        let period = SpokenPeriod {
            said,
            from: from.map(|day| day.to_string()),
            before: before.map(|day| day.to_string()),
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
    // A name with a capital, such as that of a song, is no day.
    let is_name = taken == 1
        && at > 0
        && language == Language::English
        && first.text.starts_with(char::is_uppercase)
        && !first.text.chars().all(char::is_uppercase);
    let is_of_another = tokens
        .get(at.saturating_sub(COMPARISON_REACH)..at)
        .unwrap_or_default()
        .iter()
        .any(|token| COMPARISONS.contains(&token.lower.as_str()));
    (!is_name && !is_of_another && is_relative(rest, span, today)).then_some((span, taken))
}

/// Whether another today gives other days.
fn is_relative(tokens: &[Token], span: Span, today: Date) -> bool {
    // Another day, week, month, quarter and year.
    let another = today.plus_months(-17).plus_days(-9);
    spans::read(tokens, another).is_some_and(|(other, _)| other != span)
}
