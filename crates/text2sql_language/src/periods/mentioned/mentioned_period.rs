//! A period that a question mentions, with its days.

use super::wording::{ENGLISH, GERMAN, Wording};
use crate::calendar::{parse_date, plus_days};
use crate::periods::spans::Span;
use text2sql_phrases::Language;

/// A phrase of the question that means days counted from today.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MentionedPeriod {
    /// The words of the question.
    pub text: String,
    /// The first day, `YYYY-MM-DD`; `None` if the period has no beginning.
    pub from: Option<String>,
    /// The first day after the period; `None` if it has no end.
    pub before: Option<String>,
    /// What the words mean by a definition: "last 7 days".
    pub means: Option<String>,
    pub(super) wording: &'static Wording,
}

impl MentionedPeriod {
    /// Words that stand for days.
    pub fn of(text: &str, (from, before): Span, language: Language) -> Self {
        Self {
            text: text.to_owned(),
            from: from.map(|day| day.to_string()),
            before: before.map(|day| day.to_string()),
            means: None,
            wording: match language.tag() {
                "de" => &GERMAN,
                _ => &ENGLISH,
            },
        }
    }

    /// "2026-10-01 up to but without 2026-11-01", in the language of the question.
    pub fn days(&self) -> String {
        let is_one_day = match (&self.from, &self.before) {
            (Some(from), Some(before)) => {
                parse_date(from).map(|day| plus_days(day, 1)) == parse_date(before)
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
        let days = self.days();
        match &self.means {
            Some(means) => format!("'{}' {} {means}: {days}", self.text, self.wording.means),
            None => format!("'{}' {} {days}", self.text, self.wording.is),
        }
    }
}

/// Maximum distance of a word such as "same" before a period, in tokens.
pub(super) const COMPARISON_REACH: usize = 3;
