//! What the planner's statistics say about a column: the share of NULL and what text holds, which are no values;
//! and, where values may leave the server, all values of a small column, some of a larger one, or the range.

use std::fmt::Write;

use super::untrusted_text::without_disguise;
use text2sql_domain::schema::{
    Column, ColumnStatistics, Holds, Table, TypeCategory, quote_literal,
};
use text2sql_sql::masking::{is_secret, looks_private};

/// How many values of a column are shown if those are not all, and how long each may be.
const MAX_SAMPLE_VALUES: usize = 4;
const MAX_SAMPLE_CHARS: usize = 40;

/// A column with at most this many values, and this many characters in all of them, shows all.
const MAX_ALL_VALUES: usize = 12;
const MAX_ALL_CHARS: usize = 160;

/// ANALYZE reads every row of a table that is no larger: 300 times the default of `default_statistics_target`.
/// In a larger table it may have missed a rare value.
const ROWS_OF_SAMPLE: f64 = 30_000.0;

/// The least share of NULL that a prompt mentions.
const MANY_NULLS: f64 = 0.3;

/// Adds what are no values: `, holds numbers, 60% null`.
pub(super) fn push_kind(text: &mut String, column: &Column) {
    let Some(facts) = column.statistics.as_ref().filter(|_| !column.is_private) else {
        return;
    };
    if column.category == TypeCategory::Text {
        text.push_str(match facts.holds {
            Some(Holds::Numbers) => ", holds numbers",
            Some(Holds::Dates) => ", holds dates",
            None => "",
        });
    }
    if !column.not_null && facts.null_share >= MANY_NULLS {
        let _ = write!(text, ", {:.0}% null", 100.0 * facts.null_share);
    }
}

/// Whether dates or numbers are stored as text.
pub(super) fn is_stored_as_text(column: &Column) -> bool {
    let facts = column.statistics.as_ref().filter(|_| !column.is_private);
    column.category == TypeCategory::Text && facts.is_some_and(|facts| facts.holds.is_some())
}

/// Adds values: ` one of 'a', 'b'`, ` e.g. 'a', 'b', …` or ` from 1 to 5`.
pub(super) fn push_values(text: &mut String, table: &Table, column: &Column) {
    let is_kept = column.is_private || is_secret(&column.name);
    let Some(facts) = column.statistics.as_ref().filter(|_| !is_kept) else {
        return;
    };
    match column.category {
        TypeCategory::Text => push_texts(text, table, facts),
        TypeCategory::Integer | TypeCategory::Number if !is_key(table, column) => {
            push_numbers(text, table, facts);
        }
        TypeCategory::Date | TypeCategory::Timestamp => push_range(text, facts, &day),
        _ => {}
    }
}

/// The values of a column as a prompt shows them; empty where it shows none.
pub fn value_text(table: &Table, column: &Column) -> String {
    let mut text = String::new();
    push_values(&mut text, table, column);
    text.trim_start().to_owned()
}

fn push_texts(text: &mut String, table: &Table, facts: &ColumnStatistics) {
    let is_tame = |value: &&String| {
        value.chars().count() <= MAX_SAMPLE_CHARS
            && !value.trim().is_empty()
            && !looks_private(value)
    };
    // Many values are known of a column, and few shown: only these are looked at.
    let known = facts.most_common_values.len();
    let (are_few, looked_at) = match known <= MAX_ALL_VALUES && are_all(facts) {
        true => (true, known),
        false => (false, MAX_SAMPLE_VALUES + 1),
    };
    let tame = facts.most_common_values.iter().filter(is_tame);
    let quoted: Vec<String> = tame
        .take(looked_at)
        .map(|value| quote_literal(&without_disguise(value)))
        .collect();
    if quoted.is_empty() {
        return;
    }
    let chars: usize = quoted.iter().map(|value| value.chars().count()).sum();
    if are_few && quoted.len() == known && chars <= MAX_ALL_CHARS {
        let _ = write!(text, " {} {}", one_of(table), quoted.join(", "));
        return;
    }
    let shown = quoted.get(..MAX_SAMPLE_VALUES).unwrap_or(&quoted);
    // Always open: those left out may be private, rare or long.
    let _ = write!(text, " e.g. {}, …", shown.join(", "));
}

fn push_numbers(text: &mut String, table: &Table, facts: &ColumnStatistics) {
    let values = facts.most_common_values.iter();
    let mut numbers: Vec<(f64, &String)> = values
        .filter_map(|value| Some((value.parse().ok()?, value)))
        .collect();
    if !numbers.is_empty() && numbers.len() <= MAX_ALL_VALUES && are_all(facts) {
        numbers.sort_by(|one, other| one.0.total_cmp(&other.0));
        let numbers: Vec<&str> = numbers.iter().map(|(_, value)| value.as_str()).collect();
        let _ = write!(text, " {} {}", one_of(table), numbers.join(", "));
        return;
    }
    push_range(text, facts, &str::to_owned);
}

fn push_range(text: &mut String, facts: &ColumnStatistics, written: &dyn Fn(&str) -> String) {
    if let (Some(lowest), Some(highest)) = (&facts.lowest, &facts.highest) {
        let _ = write!(text, " from {} to {}", written(lowest), written(highest));
    }
}

/// The day of a timestamp: the time of the first and the last row says nothing.
fn day(value: &str) -> String {
    match value.split_once(' ') {
        Some((day, time)) if time.contains(':') && !value.ends_with("BC") => day.to_owned(),
        _ => value.to_owned(),
    }
}

/// Whether the most common values are all that ANALYZE saw.
fn are_all(facts: &ColumnStatistics) -> bool {
    let known = facts.most_common_values.len() as f64;
    facts
        .distinct_values
        .is_some_and(|distinct| distinct <= known)
}

fn one_of(table: &Table) -> &'static str {
    match table
        .row_estimate
        .is_some_and(|rows| rows <= ROWS_OF_SAMPLE)
    {
        true => "one of",
        false => "mostly one of",
    }
}

/// Whether the column is a key by itself, or refers to one: its numbers mean nothing.
fn is_key(table: &Table, column: &Column) -> bool {
    let is_alone = |key: &Vec<String>| *key == [column.name.clone()];
    let mut keys = table.foreign_keys.iter();
    let mut likely = table.likely_joins.iter();
    is_alone(&table.primary_key)
        || table.unique_keys.iter().any(is_alone)
        || keys.any(|key| key.columns.contains(&column.name))
        || likely.any(|join| join.key.columns.contains(&column.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(category: TypeCategory, rows: f64, values: &[&str], distinct: f64) -> String {
        let mut table = Table {
            row_estimate: Some(rows),
            ..Table::default()
        };
        table.columns.push(Column {
            name: "kind".into(),
            category,
            statistics: Some(ColumnStatistics {
                most_common_values: values.iter().map(|value| (*value).to_owned()).collect(),
                distinct_values: Some(distinct),
                lowest: Some("2024-01-01 08:30:00".into()),
                highest: Some("2024-12-31 23:59:59".into()),
                ..ColumnStatistics::default()
            }),
            ..Column::default()
        });
        let mut text = String::new();
        push_values(&mut text, &table, &table.columns[0]);
        text
    }

    #[test]
    fn small_columns_show_all_values_and_say_so() {
        let codes = ["open", "closed", "void"];
        let of = |rows, distinct| shown(TypeCategory::Text, rows, &codes, distinct);
        assert_eq!(of(900.0, 3.0), " one of 'open', 'closed', 'void'");
        assert_eq!(
            of(900_000.0, 3.0),
            " mostly one of 'open', 'closed', 'void'"
        );
        assert_eq!(of(900.0, 400.0), " e.g. 'open', 'closed', 'void', …");
        let many: Vec<String> = (0..30).map(|number| format!("code {number}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(
            shown(TypeCategory::Text, 900.0, &many, 30.0),
            " e.g. 'code 0', 'code 1', 'code 2', 'code 3', …"
        );
        // One that is not shown leaves the list open.
        let private = ["open", "anna@example.org"];
        assert_eq!(
            shown(TypeCategory::Text, 900.0, &private, 2.0),
            " e.g. 'open', …"
        );
    }

    #[test]
    fn numbers_show_small_sets_and_times_their_days() {
        assert_eq!(
            shown(TypeCategory::Integer, 900.0, &["5", "1", "10"], 3.0),
            " one of 1, 5, 10"
        );
        assert_eq!(
            shown(TypeCategory::Timestamp, 900.0, &[], 800.0),
            " from 2024-01-01 to 2024-12-31"
        );
    }

    #[test]
    fn what_text_holds_and_many_nulls_are_told() {
        let holds = |values: &[&str]| Holds::of(values.iter().map(|value| (*value).to_owned()));
        assert_eq!(holds(&["1", "20", "-3.5"]), Some(Holds::Numbers));
        assert_eq!(
            holds(&["2024-01-31", "2024-02-01 10:00", "2023-12-1"]),
            Some(Holds::Dates)
        );
        assert_eq!(
            holds(&["31/01/2024", "1/2/24", "02/03/2024"]),
            Some(Holds::Dates)
        );
        for other in [
            &["02134", "10115", "80331"][..],
            &["1", "2"],
            &["1", "2", "n/a"],
            &["1.2.3", "4.5.6", "7.8.9"],
            &["12345678901234567890", "1", "2"],
        ] {
            assert_eq!(holds(other), None, "{other:?}");
        }
        let mut column = Column {
            category: TypeCategory::Text,
            statistics: Some(ColumnStatistics {
                null_share: 0.6,
                holds: Some(Holds::Dates),
                ..ColumnStatistics::default()
            }),
            ..Column::default()
        };
        let kind = |column: &Column| {
            let mut text = String::new();
            push_kind(&mut text, column);
            text
        };
        assert_eq!(kind(&column), ", holds dates, 60% null");
        column.is_private = true;
        assert_eq!(kind(&column), "");
    }
}
