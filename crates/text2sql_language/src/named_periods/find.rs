//! Finds the terms that stand for days.

use super::term::{NamedPeriod, OWNERS, PeriodTerm, Relation, Undefined};
use super::words::{begins_with, is_same};
use crate::calendar::{parse_date, plus_days};
use crate::english::lexicon;
use crate::periods::Period;
use crate::periods::defined::{DefinedPeriod, Yearly};
use crate::periods::spans::Span;
use crate::understanding::{Understanding, lower_words};
use crate::words::{Token, TokenKind};
use jiff::civil::Date;
use std::ops::Range;
use std::sync::LazyLock;
use text2sql_domain::words;

/// The terms in a question, in its order. `nouns` gives the names of tables, which are made only where a term is
/// found: "recent" belongs to the one that follows.
pub fn find(
    understanding: &Understanding,
    terms: &[PeriodTerm],
    nouns: &dyn Fn() -> Vec<Vec<String>>,
) -> Vec<NamedPeriod> {
    let Some(today) = parse_date(understanding.today()) else {
        return Vec::new();
    };
    let question = Question {
        understanding,
        words: understanding.words(),
        today,
        nouns,
    };
    let mut names: Vec<(Vec<String>, &PeriodTerm, Named)> = Vec::new();
    for term in terms {
        for name in &term.names {
            let words = lower_words(name);
            if let Some(quarter) = quarter_name(&words, term) {
                names.push((quarter, term, Named::Quarter));
            }
            names.push((words, term, Named::Whole));
        }
    }
    // The longest first: "fiscal year" before "year".
    names.sort_by_key(|(words, ..)| std::cmp::Reverse(words.len()));
    let mut found: Vec<NamedPeriod> = Vec::new();
    let mut at = 0;
    while at < question.words.len() {
        let rest = question.words.get(at..).unwrap_or_default();
        let here = names.iter().find(|(name, ..)| begins_with(rest, name));
        let period = match here {
            Some((name, term, named)) => question.period(at..at + name.len(), term, *named),
            None => {
                let mut short = terms
                    .iter()
                    .filter_map(|term| glued_year(question.word(at), term));
                short
                    .next()
                    .and_then(|(term, year)| question.glued(at, term, year))
            }
        };
        at = match &period {
            Some(period) => period.place.end.max(at + 1),
            None => at + 1,
        };
        found.extend(period);
    }
    found
}

/// The words of the terms of [`OWNERS`]: every question is searched for them.
static OWNERS_WORDS: LazyLock<Vec<Vec<String>>> = LazyLock::new(|| {
    let terms = OWNERS.iter().map(|(term, _)| lower_words(term));
    terms.collect()
});

/// The words for days in a question that none of the terms is.
pub fn undefined(understanding: &Understanding, terms: &[PeriodTerm]) -> Vec<Undefined> {
    let words = understanding.words();
    let is_defined = |name: &[String]| {
        let mut names = terms.iter().flat_map(|term| {
            let own = term.names.iter().map(move |own| (lower_words(own), term));
            own.flat_map(|(own, term)| [quarter_name(&own, term).unwrap_or_default(), own])
        });
        names.any(|own| own.len() == name.len() && begins_with(&own, name))
    };
    let mut found: Vec<Undefined> = Vec::new();
    // "FY2025" is a fiscal year by its first letters.
    let yearly = OWNERS.iter().filter(|(term, _)| term.ends_with("year"));
    let short = yearly.filter_map(|(term, example)| {
        let initials: String = term
            .split(' ')
            .filter_map(|own| own.chars().next())
            .collect();
        let is = |word: &String| {
            let digits = word.strip_prefix(&initials).unwrap_or_default();
            matches!(digits.len(), 2 | 4) && digits.chars().all(|c| c.is_ascii_digit())
        };
        let at = words.iter().position(is)?;
        let word = words.get(at)?;
        let is_known = terms.iter().any(|own| glued_year(word, own).is_some());
        (!is_known && !understanding.is_quoted(at)).then(|| Undefined {
            text: understanding.as_written(at..at + 1),
            term: (*term).to_owned(),
            example,
        })
    });
    found.extend(short.take(1));
    for ((term, example), name) in OWNERS.iter().zip(OWNERS_WORDS.iter()) {
        let mut places = 0..words.len();
        let begins = |at: &usize| begins_with(words.get(*at..).unwrap_or_default(), name);
        let place = places.find(|at| begins(at) && !understanding.is_quoted(*at));
        if let Some(at) = place.filter(|_| !is_defined(name)) {
            // The year is what is defined.
            let term = term.replace("quarter", "year");
            found.push(Undefined {
                text: understanding.as_written(at..at + name.len()),
                term,
                example,
            });
        }
    }
    found
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Named {
    Whole,
    /// A quarter of the year that the term is.
    Quarter,
}

/// "fiscal quarter" where "fiscal year" is defined, "Geschäftsquartal" where "Geschäftsjahr" is.
fn quarter_name(words: &[String], term: &PeriodTerm) -> Option<Vec<String>> {
    let DefinedPeriod::Yearly(yearly) = &term.period else {
        return None;
    };
    let (last, first) = words.split_last().filter(|_| yearly.is_whole_year())?;
    let quarter = match last.as_str() {
        "year" if !first.is_empty() => "quarter".to_owned(),
        german => format!(
            "{}quartal",
            german.strip_suffix("jahr").filter(|own| !own.is_empty())?
        ),
    };
    Some(first.iter().cloned().chain([quarter]).collect())
}

/// "FY2025", "FY25": a name of the term, or its first letters, and the year in one word.
fn glued_year<'t>(word: &str, term: &'t PeriodTerm) -> Option<(&'t PeriodTerm, i16)> {
    let name = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = word.get(name.len()..)?;
    let year: i16 = match digits.len() {
        4 => digits.parse().ok()?,
        2 => 2000 + digits.parse::<i16>().ok()?,
        _ => return None,
    };
    let is_year = matches!(term.period, DefinedPeriod::Yearly(_)) && (1900..=2200).contains(&year);
    let is_name = term.names.iter().any(|own| {
        let words = lower_words(own);
        let initials: String = words.iter().filter_map(|own| own.chars().next()).collect();
        matches!(words.as_slice(), [only] if only == name) || (words.len() > 1 && initials == name)
    });
    (is_year && is_name).then_some((term, year))
}

struct Question<'a> {
    understanding: &'a Understanding,
    words: &'a [String],
    today: Date,
    nouns: &'a dyn Fn() -> Vec<Vec<String>>,
}

const ARTICLES: &[&str] = &["the", "a", "der", "die", "das", "den", "dem", "des"];
/// Words before which "recent" is a superlative or a comparison.
const DEGREES: &[&str] = &[
    "most", "more", "least", "less", "how", "as", "wie", "am", "not", "nicht",
];
const EACH: &[&str] = &[
    "by", "per", "each", "every", "pro", "je", "jedes", "jede", "jeder",
];
const WITHIN: &[&str] =
    words!("in, during, of, for, over, within, from, im, während, innerhalb, vom, von, für");

impl Question<'_> {
    fn word(&self, at: usize) -> &str {
        self.words.get(at).map_or("", String::as_str)
    }

    /// The period at these words.
    fn period(&self, name: Range<usize>, term: &PeriodTerm, named: Named) -> Option<NamedPeriod> {
        let before = |at: usize| at.checked_sub(1).map_or("", |at| self.word(at));
        if self.understanding.is_quoted(name.start) || DEGREES.contains(&before(name.start)) {
            return None;
        }
        let (mut start, mut end) = (name.start, name.end);
        let days = match &term.period {
            DefinedPeriod::Yearly(yearly) => self.of_year(*yearly, named, &mut start, &mut end),
            // "the current month" is a period of its own.
            DefinedPeriod::Relative(_) | DefinedPeriod::Fixed(_) if self.is_unit(end) => None,
            DefinedPeriod::Relative(_) | DefinedPeriod::Fixed(_) => term.period.days(self.today),
        }?;
        self.with_preposition(start..end, term, days)
    }

    /// The period with the words around it: preposition, article, noun.
    fn with_preposition(
        &self,
        Range { mut start, mut end }: Range<usize>,
        term: &PeriodTerm,
        days: Span,
    ) -> Option<NamedPeriod> {
        let before = |at: usize| at.checked_sub(1).map_or("", |at| self.word(at));
        let is_each = EACH.contains(&before(start));
        let place = self.understanding.place_of(start..end)?;
        let text = self.understanding.text().get(place)?.to_owned();
        let mut relation = Relation::Within;
        if !is_each {
            if ARTICLES.contains(&before(start)) {
                start -= 1;
            }
            let preposition = before(start);
            let related = match preposition {
                "since" | "seit" => Some(Relation::Since),
                "before" | "until" | "till" | "vor" | "bis" => Some(Relation::Before),
                "after" | "nach" => Some(Relation::After),
                within if WITHIN.contains(&within) => Some(Relation::Within),
                _ => None,
            };
            if let Some(related) = related {
                relation = related;
                start -= 1;
            }
        }
        let noun_end = self
            .noun_after(&mut end)
            .filter(|_| relation == Relation::Within && !is_each);
        Some(NamedPeriod {
            term: term.term.clone(),
            text,
            said: term.said.clone(),
            days: (!is_each).then_some(days),
            is_default: term.is_default,
            place: start..end,
            noun_end,
            relation,
        })
    }

    /// The year of a term that is one word with it.
    fn glued(&self, at: usize, term: &PeriodTerm, year: i16) -> Option<NamedPeriod> {
        let DefinedPeriod::Yearly(yearly) = &term.period else {
            return None;
        };
        let period = yearly.of_year(year);
        let days = (Some(period.start), Some(period.end));
        self.with_preposition(at..at + 1, term, days)
    }

    fn is_unit(&self, at: usize) -> bool {
        const UNITS: &[&str] = &[
            "day", "week", "month", "quarter", "year", "tag", "tage", "woche", "monat", "quartal",
            "jahr",
        ];
        let word = self.word(at);
        UNITS.iter().any(|unit| is_same(word, unit))
            || matches!(word, "jahres" | "jahre" | "monats" | "tagen")
    }

    /// Where the noun or verb after the term ends: "recent orders", "recently placed". A genitive "'s" belongs to the
    /// term.
    fn noun_after(&self, end: &mut usize) -> Option<usize> {
        let genitive = usize::from(self.word(*end) == "s");
        let rest = self.words.get(*end + genitive..)?;
        let nouns = (self.nouns)();
        let fitting = nouns.iter().filter(|noun| begins_with(rest, noun));
        let Some(length) = fitting.map(Vec::len).max() else {
            let is_verb = |word: &str| word.ends_with("ed") || lexicon::EVENT_VERBS.contains(&word);
            return is_verb(self.word(*end)).then_some(*end + 1);
        };
        *end += genitive;
        Some(*end + length)
    }

    /// The days of a yearly period, with the words before it ("last", "the last 3", "the first quarter of") and after
    /// it ("2025/26", "to date").
    fn of_year(
        &self,
        yearly: Yearly,
        named: Named,
        start: &mut usize,
        end: &mut usize,
    ) -> Option<Span> {
        let before = |at: usize| at.checked_sub(1).map_or("", |at| self.word(at));
        let at = |offset: i32| match named {
            Named::Whole => yearly.at(self.today, offset),
            Named::Quarter => yearly.quarter_at(self.today, offset),
        };
        let closed = |period: Period| Some((Some(period.start), Some(period.end)));
        // "last 3 fiscal years"
        if let Some(count) = count(before(*start))
            && let Some(offset) = start
                .checked_sub(1)
                .and_then(|place| neighbour(before(place)))
        {
            *start -= 2;
            return match offset {
                -1 => closed(Period {
                    start: at(-count).start,
                    end: at(0).start,
                }),
                1 => closed(Period {
                    start: at(1).start,
                    end: at(count).end,
                }),
                _ => None,
            };
        }
        let mut period = at(0);
        if let Some(offset) = neighbour(before(*start)) {
            *start -= 1;
            period = at(offset);
        } else if named == Named::Whole
            && let Some((year, taken)) = self.year_at(*end)
        {
            *end += taken;
            period = yearly.of_year(year);
            if taken == 2 {
                period = yearly.starting_in(year);
            }
        }
        if self.word(*end) == "to" && self.word(*end + 1) == "date"
            || self.word(*end) == "so" && self.word(*end + 1) == "far"
        {
            *end += 2;
            period.end = plus_days(self.today, 1).min(period.end);
        }
        if named == Named::Whole && yearly.is_whole_year() {
            let mut place = *start;
            while ARTICLES.contains(&before(place)) || matches!(before(place), "of" | "in" | "im") {
                place -= 1;
            }
            if let Some((number, taken)) = self.quarter_before(place) {
                *start = place - taken;
                period = yearly.quarter_of(period, number);
            }
        }
        closed(period)
    }

    /// "2025" or "2025/26", and the number of words.
    fn year_at(&self, at: usize) -> Option<(i16, usize)> {
        let number = |at: usize| self.word(at).parse::<i16>().ok();
        let year = number(at).filter(|year| (1900..=2200).contains(year))?;
        let is_next =
            number(at + 1).is_some_and(|next| next == year + 1 || next == (year + 1) % 100);
        Some((year, 1 + usize::from(is_next)))
    }

    /// "Q1", "first quarter", "erstes Quartal" before a word, and the number of words.
    fn quarter_before(&self, place: usize) -> Option<(i32, usize)> {
        const ORDINALS: [[&str; 2]; 4] = [
            ["first", "erstes"],
            ["second", "zweites"],
            ["third", "drittes"],
            ["fourth", "viertes"],
        ];
        let word = |back: usize| place.checked_sub(back).map_or("", |at| self.word(at));
        let number = match word(1) {
            "q1" => 1,
            "q2" => 2,
            "q3" => 3,
            "q4" => 4,
            "quarter" | "quartal" | "quartals" => {
                let ordinal = word(2);
                let mut all = (1..).zip(ORDINALS);
                let (number, _) =
                    all.find(|(_, words)| words.iter().any(|own| is_same(ordinal, own)))?;
                return Some((number, 2));
            }
            _ => return None,
        };
        Some((number, 1))
    }
}

/// How many units "this", "last" and "next" are away.
fn neighbour(word: &str) -> Option<i32> {
    const THIS: &[&str] = words!("this, current, dieses, laufendes, aktuelles, jetziges, diese");
    const LAST: &[&str] =
        words!("last, previous, past, prior, letztes, letzte, voriges, vergangenes, vorheriges");
    const NEXT: &[&str] = &["next", "coming", "nächstes", "kommendes"];
    let is_one_of = |words: &[&str]| words.iter().any(|own| is_same(word, own));
    match word {
        "" => None,
        _ if is_one_of(THIS) => Some(0),
        _ if is_one_of(LAST) => Some(-1),
        _ if is_one_of(NEXT) => Some(1),
        _ => None,
    }
}

/// A number from 2 to 100, in digits or words.
fn count(word: &str) -> Option<i32> {
    const GERMAN: &[&str] = &[
        "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf",
    ];
    let german = || (2..).zip(GERMAN).find(|(_, own)| **own == word);
    let token = Token::new(word, TokenKind::Word);
    let number = word.parse::<i32>().ok();
    let number = number.or_else(|| token.number?.parse().ok());
    let number = number.or_else(|| german().map(|(number, _)| number));
    number.filter(|number| (2..=100).contains(number))
}
