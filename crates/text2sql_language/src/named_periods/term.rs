//! Terms that stand for days, and what is found of them in a question.

use super::words::are_same;
use crate::periods::defined::DefinedPeriod;
use crate::periods::spans::Span;
use std::ops::Range;
use std::sync::LazyLock;
use text2sql_domain::words;
use text2sql_phrases::{Language, say_in};

/// A term that stands for days.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeriodTerm {
    /// The term of the definition.
    pub term: String,
    /// All its names.
    pub names: Vec<String>,
    /// What the definition says, in words.
    pub said: String,
    /// The days.
    pub period: DefinedPeriod,
    /// Whether nobody defined it.
    pub is_default: bool,
}

/// Words that mean the days up to today, in English and German.
const RECENTLY: &[&str] = words!(
    "recent, recently, lately, in recent times, kürzlich, neulich, jüngst, in letzter Zeit, \
     in der letzten Zeit"
);

/// Words for days that differ from owner to owner, each with an example of a definition.
pub(super) const OWNERS: &[(&str, &str)] = &[
    ("fiscal year", FISCAL),
    ("fiscal quarter", FISCAL),
    ("financial year", FISCAL),
    ("Geschäftsjahr", FISCAL),
    ("Wirtschaftsjahr", FISCAL),
    ("season", SEASON),
    ("Saison", SEASON),
];
const FISCAL: &str = "year starting in April";
const SEASON: &str = "from 1 October to 31 March";

/// How long "recently" is, unless a definition says otherwise.
const RECENT_DAYS: &str = "the last 30 days";

/// The same, read once: every question needs it.
static RECENT_PERIOD: LazyLock<Option<DefinedPeriod>> =
    LazyLock::new(|| DefinedPeriod::read(RECENT_DAYS));

impl PeriodTerm {
    /// The term of a definition; `None` if its words are no period. A definition of "recent" is one of "lately" as well.
    pub fn defined(term: &str, synonyms: &[String], said: &str) -> Option<Self> {
        let period = DefinedPeriod::read(said)?;
        let mut names: Vec<String> = std::iter::once(term.to_owned())
            .chain(synonyms.iter().cloned())
            .collect();
        if RECENTLY.iter().any(|word| are_same(word, term)) {
            names.extend(RECENTLY.iter().map(|word| (*word).to_owned()));
        }
        Some(Self {
            term: term.to_owned(),
            names,
            said: said.to_owned(),
            period,
            is_default: false,
        })
    }
}

/// The terms that need no definition, without those that have one.
pub fn defaults(defined: &[PeriodTerm]) -> Vec<PeriodTerm> {
    let is_defined = |word: &&&str| {
        let mut names = defined.iter().flat_map(|term| &term.names);
        names.any(|name| are_same(name, word))
    };
    let names: Vec<String> = RECENTLY
        .iter()
        .filter(|word| !is_defined(word))
        .map(|word| (*word).to_owned())
        .collect();
    match (RECENT_PERIOD.clone(), names.is_empty()) {
        (Some(period), false) => vec![PeriodTerm {
            term: "recent".to_owned(),
            names,
            said: RECENT_DAYS.to_owned(),
            period,
            is_default: true,
        }],
        _ => Vec::new(),
    }
}

/// A term in a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedPeriod {
    /// The term of its definition.
    pub term: String,
    /// The words of the question, without preposition and article.
    pub text: String,
    /// What the term means, in words.
    pub said: String,
    /// The days meant; `None` where each of them is meant ("per fiscal year").
    pub days: Option<Span>,
    /// Whether nobody defined the term.
    pub is_default: bool,
    /// The words of the question with preposition and article, counted as [`Understanding::words`] does.
    ///
    /// [`Understanding::words`]: crate::understanding::Understanding::words
    pub(crate) place: Range<usize>,
    /// Where a noun follows that it belongs to ("recent orders", "this season's orders"): the word after the noun.
    pub(crate) noun_end: Option<usize>,
    /// Whether the days begin or end a longer time.
    pub(crate) relation: Relation,
}

/// A word for days in a question that nobody defined, and that has no default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undefined {
    /// The words of the question.
    pub text: String,
    /// The term to define.
    pub term: String,
    /// What a definition may say.
    pub(super) example: &'static str,
}

impl Undefined {
    /// Says that the period is not defined; `may_define` adds how to define it.
    pub fn note(&self, language: Language, may_define: bool) -> String {
        let mut note = say_in!(
            language,
            "nobody has defined which days '{term}' is",
            term = self.text
        );
        if may_define {
            note.push_str(&format!(
                ": SELECT text2sql.define('{}', period => '{}')",
                self.term, self.example
            ));
        }
        note
    }
}

/// How a period and the time meant are related.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Relation {
    Within,
    Since,
    Before,
    After,
}

impl NamedPeriod {
    /// "the last 30 days", in the language of the question where nobody wrote it down.
    pub fn meaning(&self, language: Language) -> String {
        match self.is_default {
            true => say_in!(language, "the last 30 days"),
            false => self.said.clone(),
        }
    }

    /// The assumption where nobody defined the term; `may_define` adds how to.
    pub fn assumption(&self, language: Language, may_define: bool) -> Option<String> {
        if !self.is_default {
            return None;
        }
        let meaning = self.meaning(language);
        let mut text = say_in!(
            language,
            "assumed: '{term}' means {meaning}",
            term = self.text
        );
        if may_define {
            let change = say_in!(language, "; change it with");
            text.push_str(&format!(
                "{change} SELECT text2sql.define('{}', period => 'last 7 days')",
                self.term
            ));
        }
        Some(text)
    }
}
