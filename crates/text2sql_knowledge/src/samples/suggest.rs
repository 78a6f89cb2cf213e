//! Columns whose frequent values may help a model and have nothing private in them: by their names, by the form of
//! the values, and because each value is in many rows.

use text2sql_domain::object_name;
use text2sql_domain::schema::{Column, ColumnStatistics, Table, TypeCategory};
use text2sql_language::names::private_by_name;
use text2sql_models::prompt::value_text;

use super::consent::private_value;

/// A column with more values is no list of kinds.
const MAX_DISTINCT: f64 = 50.0;

/// The rows that the rarest known value must be in: what is in fewer may be about a person.
const FEWEST_ROWS: f64 = 10.0;

/// A column that is proposed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggested {
    /// Its name as SQL writes it.
    pub object: String,
    /// What a prompt would show.
    pub shows: String,
    /// Why it is proposed.
    pub reason: String,
    /// The statement that consents.
    pub statement: String,
}

/// The columns of the table that can be samples.
pub fn suggest(table: &Table) -> Vec<Suggested> {
    let columns = table.columns.iter();
    columns
        .filter_map(|column| suggest_column(table, column))
        .collect()
}

fn suggest_column(table: &Table, column: &Column) -> Option<Suggested> {
    let facts = column.statistics.as_ref()?;
    let is_known = column.is_private || column.shows_samples || !column.value_meanings.is_empty();
    let is_kind = matches!(column.category, TypeCategory::Text | TypeCategory::Integer);
    if is_known
        || !is_kind
        || private_by_name(&table.name, &column.name).is_some()
        || private_value(column).is_some()
    {
        return None;
    }
    let (distinct, rows) = (facts.distinct_values?, table.row_estimate?);
    let fewest = fewest_rows(facts, rows)?;
    if distinct > MAX_DISTINCT || fewest < FEWEST_ROWS {
        return None;
    }
    let shows = value_text(table, column);
    // The range of a number is no sample.
    if shows.is_empty() || shows.starts_with("from ") {
        return None;
    }
    let object = object_name::join(&[&table.schema, &table.name, &column.name]);
    Some(Suggested {
        reason: format!(
            "{distinct:.0} different values, each known one in about {fewest:.0} rows or more"
        ),
        statement: format!(
            "SELECT text2sql.protect('{}', 'sample');",
            object.replace('\'', "''")
        ),
        object,
        shows,
    })
}

/// The rows that the rarest of the known values is in.
fn fewest_rows(facts: &ColumnStatistics, rows: f64) -> Option<f64> {
    let rarest = facts.most_common_shares.iter().copied().reduce(f64::min)?;
    Some(rarest * rows)
}
