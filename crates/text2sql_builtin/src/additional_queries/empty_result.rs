//! The sentence for an empty result: the period asked for, the first or last date of the data, and the
//! condition that is the cause. The pipeline runs the queries.

use crate::binding::select::Select;
use crate::rendering::sql::render_sql;
use jiff::civil::Date;
use text2sql_domain::language::Language;
use text2sql_domain::sentence_checks::{Emptiness, Period};
use text2sql_language::calendar::{parse_date, plus_days};

/// The first or last date of the data.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct End {
    is_last: bool,
    day: Date,
}

/// The query for the first and the last date, independent of DateStyle.
pub fn data_range_sql(period: &Period) -> String {
    let Period { table, column, .. } = period;
    format!(
        "SELECT to_char(min({column}), 'YYYY-MM-DD') AS first_day, \
         to_char(max({column}), 'YYYY-MM-DD') AS last_day\nFROM {table}"
    )
}

/// The last date of the data if the period is after it, or the first date if the period is before it.
pub fn outside_data(period: &Period, first: &str, last: &str) -> Option<End> {
    let (first, last) = (parse_date(first)?, parse_date(last)?);
    if period.from.is_some_and(|from| last < from) {
        return Some(End {
            is_last: true,
            day: last,
        });
    }
    let is_before = period.to.is_some_and(|to| first >= to);
    is_before.then_some(End {
        is_last: false,
        day: first,
    })
}

fn days(period: &Period, language: Language) -> String {
    let last = period.to.map(|to| plus_days(to, -1));
    match (period.from, last, language) {
        (Some(from), Some(last), _) if from == last => match language {
            Language::English => format!(" on {from}"),
            Language::German => format!(" am {from}"),
        },
        (Some(from), Some(last), Language::English) => format!(" from {from} to {last}"),
        (Some(from), Some(last), Language::German) => format!(" von {from} bis {last}"),
        (Some(from), None, Language::English) => format!(" from {from} on"),
        (Some(from), None, Language::German) => format!(" ab {from}"),
        (None, Some(_), _) => {
            let to = period.to.map_or_else(String::new, |to| to.to_string());
            match language {
                Language::English => format!(" before {to}"),
                Language::German => format!(" vor {to}"),
            }
        }
        (None, None, _) => String::new(),
    }
}

pub(crate) fn emptiness_of(select: &Select, language: Language) -> Emptiness {
    let rows = Select {
        columns: vec![("1".to_owned(), "found".to_owned())],
        scope: select.scope.clone(),
        ..Select::default()
    };
    Emptiness {
        periods: select.scope.periods.clone(),
        rows: render_sql(&rows),
        language,
    }
}

/// The sentence: nothing was found, the range of the data, the cause.
pub fn sentence(
    emptiness: &Emptiness,
    period: Option<&Period>,
    end: Option<End>,
    cause: Option<&str>,
) -> String {
    let days = period.map_or_else(String::new, |period| days(period, emptiness.language));
    let mut sentence = match emptiness.language {
        Language::English => format!("Nothing was found{days}."),
        Language::German => format!("Es wurde nichts gefunden{days}."),
    };
    if let (Some(end), Some(period)) = (end, period) {
        sentence.push_str(&format!(" {}.", end_sentence(emptiness, period, end)));
    }
    // The cause is in English in every language, because it quotes SQL.
    if let Some(cause) = cause {
        sentence.push(' ');
        sentence.push_str(cause);
    }
    sentence
}

/// The sentence about the first or last date of the data.
pub fn end_sentence(emptiness: &Emptiness, period: &Period, End { is_last, day }: End) -> String {
    let column = &period.label;
    match (is_last, emptiness.language) {
        (false, Language::English) => format!("The first date in {column} is {day}"),
        (true, Language::English) => format!("The last date in {column} is {day}"),
        (false, Language::German) => format!("Das erste Datum in {column} ist {day}"),
        (true, Language::German) => format!("Das letzte Datum in {column} ist {day}"),
    }
}
