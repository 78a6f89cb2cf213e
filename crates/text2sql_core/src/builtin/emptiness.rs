//! What is said where nothing was found: for which period, where the data end, and which condition is the
//! cause. What these are is looked up by the pipeline.

use super::dates::Date;
use super::german::Language;
use super::render::render_sql;
use super::select::Select;

/// A period that a statement filters on.
#[derive(Debug, Clone, PartialEq)]
pub struct Period {
    /// The table as SQL names it.
    table: String,
    /// The column as SQL names it.
    column: String,
    /// `table.column`, as people read it.
    said: String,
    from: Option<Date>,
    /// The first day behind it.
    to: Option<Date>,
}

/// What is to be looked up where a statement gives nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct Emptiness {
    /// The periods of the statement.
    pub(crate) periods: Vec<Period>,
    /// The statement's rows without what is made of them.
    pub(crate) rows: String,
    language: Language,
}

/// An end of the data.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct End {
    is_last: bool,
    day: Date,
}

impl Period {
    pub(super) fn new(
        (table, column): (String, String),
        said: String,
        (from, to): (Option<Date>, Option<Date>),
    ) -> Self {
        Self {
            table,
            column,
            said,
            from,
            to,
        }
    }

    /// The first and the last date that there is, whatever DateStyle says.
    pub(crate) fn ends_sql(&self) -> String {
        let Self { table, column, .. } = self;
        format!(
            "SELECT to_char(min({column}), 'YYYY-MM-DD') AS first_day, \
             to_char(max({column}), 'YYYY-MM-DD') AS last_day\nFROM {table}"
        )
    }

    /// Where the data end, if the period lies behind that, or where they begin, if it lies before.
    pub(crate) fn beyond(&self, first: &str, last: &str) -> Option<End> {
        let (first, last) = (Date::parse(first)?, Date::parse(last)?);
        if self.from.is_some_and(|from| last < from) {
            return Some(End {
                is_last: true,
                day: last,
            });
        }
        let is_before = self.to.is_some_and(|to| first >= to);
        is_before.then_some(End {
            is_last: false,
            day: first,
        })
    }

    fn days(&self, language: Language) -> String {
        let last = self.to.map(|to| to.plus_days(-1));
        match (self.from, last, language) {
            (Some(from), Some(last), _) if from == last => match language {
                Language::English => format!(" on {from}"),
                Language::German => format!(" am {from}"),
            },
            (Some(from), Some(last), Language::English) => format!(" from {from} to {last}"),
            (Some(from), Some(last), Language::German) => format!(" von {from} bis {last}"),
            (Some(from), None, Language::English) => format!(" from {from} on"),
            (Some(from), None, Language::German) => format!(" ab {from}"),
            (None, Some(_), _) => {
                let to = self.to.map_or_else(String::new, |to| to.to_string());
                match language {
                    Language::English => format!(" before {to}"),
                    Language::German => format!(" vor {to}"),
                }
            }
            (None, None, _) => String::new(),
        }
    }
}

impl Emptiness {
    pub(super) fn of(select: &Select, language: Language) -> Self {
        let rows = Select {
            columns: vec![("1".to_owned(), "found".to_owned())],
            scope: select.scope.clone(),
            ..Select::default()
        };
        Self {
            periods: select.scope.periods.clone(),
            rows: render_sql(&rows),
            language,
        }
    }

    /// The sentence: nothing was found, the end of the data, the cause.
    pub(crate) fn said(
        &self,
        period: Option<&Period>,
        end: Option<End>,
        cause: Option<&str>,
    ) -> String {
        let days = period.map_or_else(String::new, |period| period.days(self.language));
        let mut said = match self.language {
            Language::English => format!("Nothing was found{days}."),
            Language::German => format!("Es wurde nichts gefunden{days}."),
        };
        if let (Some(end), Some(period)) = (end, period) {
            said.push_str(&format!(" {}.", self.end_said(period, end)));
        }
        // It is in English whatever the language is, for it quotes SQL.
        if let Some(cause) = cause {
            said.push(' ');
            said.push_str(cause);
        }
        said
    }

    /// Where the data end or begin.
    pub(crate) fn end_said(&self, period: &Period, End { is_last, day }: End) -> String {
        let column = &period.said;
        match (is_last, self.language) {
            (false, Language::English) => format!("The first date in {column} is {day}"),
            (true, Language::English) => format!("The last date in {column} is {day}"),
            (false, Language::German) => format!("Das erste Datum in {column} ist {day}"),
            (true, Language::German) => format!("Das letzte Datum in {column} ist {day}"),
        }
    }
}
