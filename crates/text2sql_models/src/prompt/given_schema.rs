//! The instructions for a query over a schema that the caller handed over, with the section of its dialect.

use super::replaceable::{
    DIALECT_DUCKDB, DIALECT_MYSQL, DIALECT_POSTGRESQL, DIALECT_SQLITE, DIALECT_TSQL,
    GENERATE_FOR_SCHEMA,
};
use text2sql_domain::dialect::Dialect;
use text2sql_domain::own_prompts::OwnPrompts;

/// The rules of generated SQL in a dialect.
pub(super) fn rules(own: &OwnPrompts, dialect: Dialect) -> String {
    let of_dialect = match dialect {
        Dialect::PostgreSql => DIALECT_POSTGRESQL,
        Dialect::Sqlite => DIALECT_SQLITE,
        Dialect::DuckDb => DIALECT_DUCKDB,
        Dialect::MySql => DIALECT_MYSQL,
        Dialect::TSql => DIALECT_TSQL,
    };
    GENERATE_FOR_SCHEMA.fill(
        own,
        &[
            ("dialect", dialect.title()),
            ("rules_of_dialect", &of_dialect.fill(own, &[])),
        ],
    )
}
