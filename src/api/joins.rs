//! `text2sql.add_join(column_names, target_column_names)`: joins that no foreign key declares.

use pgrx::default;
use pgrx::prelude::*;

use super::array_argument::elements;
use crate::pg::server::array_argument::Texts;
use crate::pg::server::error::{ErrorReport, report};
use crate::pg::server::text_argument::Text;
use crate::pg::stored::teaching::joins;

/// Declares that columns of one table reference columns of another, as a foreign key would; returns the id.
#[pg_extern(volatile, parallel_unsafe)]
fn add_join(
    column_names: Option<Texts>,
    target_column_names: Option<Texts>,
    evidence: default!(Option<Text<'_>>, "NULL"),
) -> Result<i64, ErrorReport> {
    let evidence = evidence.as_deref();
    let columns = elements(column_names, "column_names")?;
    let targets = elements(target_column_names, "target_column_names")?;
    joins::add(&columns, &targets, evidence, "taught").map_err(report)
}
