//! The words of business questions: what they mean, which mean the same, and the days of German ones.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::german_names;
use crate::noun_list::{NOUN_OF, lines};
use text2sql_language::german::nouns;
use text2sql_language::words::stem;
use text2sql_semantics::DatePart;

/// Maximum number of words of a phrase.
pub(crate) const MAX_WORDS: usize = 5;

/// What a phrase means, whatever the schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Concept {
    Filler,
    Count,
    Sum,
    Average,
    Median,
    Highest,
    Lowest,
    Most,
    Fewest,
    Top,
    Bottom,
    Dear,
    Cheap,
    Newest,
    Oldest,
    Long,
    Short,
    Heavy,
    Light,
    Vague,
    By,
    Each,
    Distinct,
    Not,
    Without,
    Never,
    Over,
    Under,
    AtLeast,
    AtMost,
    Exactly,
    Between,
    And,
    Or,
    /// Each of two by itself: "both A and B".
    Both,
    Share,
    Growth,
    Compare,
    Ranked,
    Develop,
    Revenue,
    OrderValue,
    Units,
    List,
    When,
    Times,
    Money,
    Percent,
    Than,
    YesNo,
    AverageDays,
    Half,
    Open,
    Owe,
    Overdue,
    Late,
    /// What holds now: rows that have not ended.
    Current,
    OutOfStock,
    /// "years old"
    Age,
    /// In the order of the names.
    Alphabetical,
    /// Every column.
    Everything,
    Ascending,
    Descending,
    Sorted,
    Starts,
    Ends,
    Contains,
    /// A unit of time, in seconds.
    Unit(u32),
    Part(DatePart),
    Verb(&'static str),
}

impl Concept {
    fn of(name: &'static str) -> Option<Self> {
        Some(match name {
            "filler" => Self::Filler,
            "count" => Self::Count,
            "sum" => Self::Sum,
            "average" => Self::Average,
            "median" => Self::Median,
            "highest" => Self::Highest,
            "lowest" => Self::Lowest,
            "most" => Self::Most,
            "fewest" => Self::Fewest,
            "top" => Self::Top,
            "bottom" => Self::Bottom,
            "dear" => Self::Dear,
            "cheap" => Self::Cheap,
            "newest" => Self::Newest,
            "oldest" => Self::Oldest,
            "long" => Self::Long,
            "short" => Self::Short,
            "heavy" => Self::Heavy,
            "light" => Self::Light,
            "vague" => Self::Vague,
            "by" => Self::By,
            "each" => Self::Each,
            "distinct" => Self::Distinct,
            "not" => Self::Not,
            "without" => Self::Without,
            "never" => Self::Never,
            "over" => Self::Over,
            "under" => Self::Under,
            "atleast" => Self::AtLeast,
            "atmost" => Self::AtMost,
            "exactly" => Self::Exactly,
            "between" => Self::Between,
            "and" => Self::And,
            "or" => Self::Or,
            "both" => Self::Both,
            "share" => Self::Share,
            "growth" => Self::Growth,
            "compare" => Self::Compare,
            "ranked" => Self::Ranked,
            "develop" => Self::Develop,
            "revenue" => Self::Revenue,
            "ordervalue" => Self::OrderValue,
            "units" => Self::Units,
            "list" => Self::List,
            "when" => Self::When,
            "times" => Self::Times,
            "money" => Self::Money,
            "percent" => Self::Percent,
            "than" => Self::Than,
            "yesno" => Self::YesNo,
            "average_days" => Self::AverageDays,
            "half" => Self::Half,
            "open" => Self::Open,
            "owe" => Self::Owe,
            "overdue" => Self::Overdue,
            "late" => Self::Late,
            "current" => Self::Current,
            "outofstock" => Self::OutOfStock,
            "age" => Self::Age,
            "alphabetical" => Self::Alphabetical,
            "everything" => Self::Everything,
            "ascending" => Self::Ascending,
            "descending" => Self::Descending,
            "sorted" => Self::Sorted,
            "starts" => Self::Starts,
            "ends" => Self::Ends,
            "contains" => Self::Contains,
            "unit.second" => Self::Unit(1),
            "unit.minute" => Self::Unit(60),
            "unit.hour" => Self::Unit(3600),
            "part.year" => Self::Part(DatePart::Year),
            "part.quarter" => Self::Part(DatePart::Quarter),
            "part.month" => Self::Part(DatePart::Month),
            "part.week" => Self::Part(DatePart::Week),
            "part.day" => Self::Part(DatePart::Day),
            "part.weekday" => Self::Part(DatePart::Weekday),
            "part.hour" => Self::Part(DatePart::Hour),
            verb => Self::Verb(verb.strip_prefix("verb.")?),
        })
    }
}

static CONCEPTS: LazyLock<HashMap<&'static str, Concept>> = LazyLock::new(|| {
    let mut concepts: HashMap<&str, Concept> = HashMap::new();
    for line in lines(include_str!("concepts.txt")) {
        let Some((name, phrases)) = line.split_once(':') else {
            continue;
        };
        let Some(concept) = Concept::of(name.trim()) else {
            continue;
        };
        for phrase in phrases.split('|').map(str::trim) {
            let known = concepts.entry(phrase).or_insert(concept);
            if *known == Concept::Filler {
                *known = concept;
            }
        }
    }
    concepts
});

/// What the phrase, in lower case with single blanks, means.
pub(crate) fn concept(phrase: &str) -> Option<Concept> {
    CONCEPTS.get(phrase).copied()
}

/// Single words that a misspelt one may be.
pub(crate) fn spelled_words() -> impl Iterator<Item = &'static str> {
    let nouns = NOUN_OF.keys().map(String::as_str);
    CONCEPTS
        .iter()
        .filter(|(phrase, concept)| !phrase.contains(' ') && **concept != Concept::Filler)
        .map(|(phrase, _)| *phrase)
        .chain(nouns)
        .filter(|word| word.len() > 4)
}

/// The nouns of several words, by their last word's stem.
static NOUN_OF_SEVERAL: LazyLock<HashMap<String, &'static str>> = LazyLock::new(|| {
    let several = NOUN_OF.iter().filter_map(|(words, noun)| {
        let (start, last) = words.rsplit_once('_')?;
        Some((format!("{start}_{}", stem(last)), *noun))
    });
    several.collect()
});

/// Whether the word is a noun of business questions.
pub(crate) fn is_noun(word: &str) -> bool {
    NOUN_OF.contains_key(word)
}

/// One word for all that mean the same thing: its stem if none is known.
pub(crate) fn canonical(word: &str) -> String {
    let lower = word.to_lowercase();
    let stemmed = stem(&lower);
    if let Some(noun) = NOUN_OF.get(&lower).or_else(|| NOUN_OF.get(&stemmed)) {
        return stem(noun);
    }
    let known = |english: &str| {
        let english = stem(english);
        NOUN_OF.get(&english).map_or(english, |noun| stem(noun))
    };
    let noun = nouns::noun(&lower).and_then(|noun| noun.english.first());
    noun.map(|english| known(english))
        .or_else(|| {
            let words = german_names::listed(&lower)?;
            Some(words.iter().map(|word| known(word)).collect())
        })
        .unwrap_or(stemmed)
}

/// The stem of the one word that several words together mean: "shipping company" is a shipper.
pub(crate) fn compound_noun(words: &[String]) -> Option<String> {
    let (last, rest) = words.split_last()?;
    if rest.is_empty() {
        return None;
    }
    let start = rest.join("_");
    let noun = NOUN_OF
        .get(&format!("{start}_{last}"))
        .or_else(|| NOUN_OF_SEVERAL.get(&format!("{start}_{}", stem(last))))?;
    Some(stem(noun))
}

/// The parts of a German compound, each a known noun: "Kundensegment".
pub(crate) fn compound(word: &str) -> Option<(String, String)> {
    let lower = word.to_lowercase();
    if lower.chars().count() < 8 {
        return None;
    }
    let is_noun = |part: &str| NOUN_OF.contains_key(part) || nouns::noun(part).is_some();
    for (at, _) in lower.char_indices().skip(3) {
        let (Some(left), Some(right)) = (lower.get(..at), lower.get(at..)) else {
            continue;
        };
        if right.chars().count() < 3 || !is_noun(right) {
            continue;
        }
        let shorter = ["", "s", "n", "en", "es"]
            .iter()
            .filter_map(|link| left.strip_suffix(link));
        for stripped in shorter {
            let with_e = format!("{stripped}e");
            for candidate in [stripped, with_e.as_str()] {
                if is_noun(candidate) {
                    return Some((canonical(candidate), canonical(right)));
                }
            }
        }
    }
    None
}

/// The tables that each word may stand for, in the words of `nouns.txt`; those that are meant rather come first.
static STAND_INS: LazyLock<HashMap<&'static str, Vec<Vec<String>>>> = LazyLock::new(|| {
    let mut known: HashMap<&str, Vec<Vec<String>>> = HashMap::new();
    for line in lines(include_str!("stand_ins.txt")) {
        let Some((words, meant)) = line.split_once(':') else {
            continue;
        };
        let of_rank = |meant: &str| {
            let meant = meant.split_whitespace();
            let tables = meant.flat_map(|word| match known.get(word) {
                Some(all) if word == "persons" => all.concat(),
                _ => vec![canonical(word)],
            });
            tables.collect()
        };
        let tables: Vec<Vec<String>> = meant.split('>').map(of_rank).collect();
        for word in words.split([' ', '|']).filter(|word| !word.is_empty()) {
            known.entry(word).or_insert_with(|| tables.clone());
        }
    }
    known
});

/// The tables that the word may stand for, by rank.
pub(crate) fn stand_ins(word: &str) -> &'static [Vec<String>] {
    STAND_INS.get(word).map_or(&[], Vec::as_slice)
}

static PLACES: LazyLock<HashMap<String, Vec<&'static str>>> = LazyLock::new(|| {
    let mut places = HashMap::new();
    for line in lines(include_str!("places.txt")) {
        if let Some((words, names)) = line.split_once(':') {
            let names: Vec<&str> = names.split('|').map(str::trim).collect();
            for word in words.split_whitespace() {
                places.insert(word.replace('_', " "), names.clone());
            }
        }
    }
    places
});

/// Names of the place that the word means.
pub(crate) fn places(word: &str) -> &'static [&'static str] {
    PLACES.get(word).map_or(&[], Vec::as_slice)
}

static VERB_DATES: LazyLock<HashMap<&'static str, Vec<&'static str>>> = LazyLock::new(|| {
    let of_verbs = lines(include_str!("verb_dates.txt")).filter_map(|line| line.split_once(':'));
    of_verbs
        .map(|(verb, words)| (verb, words.split_whitespace().collect()))
        .collect()
});

/// Words of the dates on which what the verb says was done; those of a beginning for "began", of an end for "ended".
pub(crate) fn dates_of(verb: &str) -> &'static [&'static str] {
    VERB_DATES.get(verb).map_or(&[], Vec::as_slice)
}

static DAYS: LazyLock<HashMap<&'static str, &'static str>> = LazyLock::new(|| {
    let mut days = HashMap::new();
    for line in lines(include_str!("days.txt")) {
        if let Some((words, english)) = line.split_once(':') {
            days.extend(words.split_whitespace().map(|word| (word, english.trim())));
        }
    }
    days
});

/// The English word of periods for a German one.
pub(crate) fn day_word(word: &str) -> Option<&'static str> {
    DAYS.get(word).copied()
}
