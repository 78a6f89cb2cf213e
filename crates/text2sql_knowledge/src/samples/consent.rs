//! Whether the owner of a table may consent that frequent values of a column are shown.

use text2sql_domain::error::{Error, ErrorKind};
use text2sql_domain::object_name;
use text2sql_domain::schema::{Column, Table};
use text2sql_language::names::private_by_name;
use text2sql_sql::masking::private_kind_in;

/// What to do instead.
const WRITE_OR_INVENT: &str = "Have samples invented, or write some: SELECT text2sql.describe(";

/// Refuses consent for a column whose name or frequent values are those of private data. The message names no value.
pub fn refuse_consent(table: &Table, column: &Column) -> Result<(), Error> {
    let name = object_name::join(&[&table.schema, &table.name, &column.name]);
    let Some(what) = private_column(&table.name, column) else {
        return Ok(());
    };
    let message = format!("no samples of {name} are shown: {what}");
    let quoted = name.replace('\'', "''");
    Err(Error::new(ErrorKind::Denied, message).with_hint(format!(
        "{WRITE_OR_INVENT}'{quoted}', invented_samples => 1);"
    )))
}

/// Why the column looks private: by its name or by its frequent values.
pub fn private_column(table: &str, column: &Column) -> Option<String> {
    match private_by_name(table, &column.name) {
        Some(what) => Some(format!("its name is that of a column with {what}")),
        None => {
            let what = private_value(column)?;
            Some(format!("one of its frequent values looks like {what}"))
        }
    }
}

/// What private data a value of the column looks like, as far as the statistics know it.
pub(super) fn private_value(column: &Column) -> Option<&'static str> {
    let facts = column.statistics.as_ref()?;
    let bounds = facts.lowest.iter().chain(&facts.highest);
    let mut values = facts.most_common_values.iter().chain(bounds);
    values.find_map(|value| private_kind_in(column.category, value))
}
