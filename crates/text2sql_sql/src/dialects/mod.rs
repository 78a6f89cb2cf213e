//! How the dialects differ, as far as names of a query are concerned: one file for each. The functions that a
//! dialect has are in `functions/`, a list of names for each; functions that read or write anything outside of the
//! given schema (files, other servers, sessions, locks) are left out on purpose.

mod duckdb;
mod mysql;
mod postgresql;
mod rules;
mod sqlite;
mod tsql;

use text2sql_domain::dialect::Dialect;

pub use self::rules::Rules;

/// The rules of a dialect.
pub fn rules_of(dialect: Dialect) -> &'static Rules {
    match dialect {
        Dialect::PostgreSql => &postgresql::RULES,
        Dialect::Sqlite => &sqlite::RULES,
        Dialect::DuckDb => &duckdb::RULES,
        Dialect::MySql => &mysql::RULES,
        Dialect::TSql => &tsql::RULES,
    }
}
