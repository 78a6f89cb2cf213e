//! Parameters of statements.

use tokio_postgres::types::{ToSql, Type};

/// A parameter of a statement. All are passed as text, and the statement casts them (`$1::text::bigint`), so that
/// one wrong value is an error of PostgreSQL with its own words.
pub type Parameter<'a> = Option<&'a str>;

/// The parameters as the driver takes them.
pub(super) fn bound<'a>(parameters: &'a [Parameter<'a>]) -> Vec<(&'a (dyn ToSql + Sync), Type)> {
    parameters
        .iter()
        .map(|parameter| (parameter as &(dyn ToSql + Sync), Type::TEXT))
        .collect()
}
