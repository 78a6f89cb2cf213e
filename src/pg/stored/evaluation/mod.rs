//! What is stored of evaluations: who may change it, confidences, copies of tables.

use text2sql_domain::error::{Error, failure};

use crate::pg::server::session::user_name;
use crate::pg::server::spi;

pub(crate) mod confidence;
pub(crate) mod perturbed_tables;

/// Curators may use the schema, too.
const MAY_EVALUATE: &str = "SELECT has_schema_privilege('text2sql_eval', 'USAGE')
     AND has_table_privilege('text2sql_eval.suites', 'INSERT')";

/// An error unless the role may measure; the privileges on each table decide what it may change.
pub(crate) fn require_evaluator(refused: &str) -> Result<(), Error> {
    if spi::read_one::<bool>(MAY_EVALUATE, &[])? == Some(true) {
        return Ok(());
    }
    Err(
        failure!(Denied, "{refused}: the role does not evaluate").with_hint(format!(
            "Ask the owner of pg_text2sql to run: SELECT text2sql.grant_access('{}', 'evaluation');",
            user_name().replace('\'', "''")
        )),
    )
}
