//! The dialects of SQL that queries for schemas of other databases are written in.

use crate::named_enum;
use std::fmt;

use crate::error::{Error, failure};

named_enum! {
    listed:
    /// A dialect of SQL.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub enum Dialect {
        /// PostgreSQL.
        #[default]
        PostgreSql = "postgresql",
        /// SQLite 3.
        Sqlite = "sqlite",
        /// DuckDB.
        DuckDb = "duckdb",
        /// MySQL 8, and MariaDB where it does not differ.
        MySql = "mysql",
        /// Transact-SQL: SQL Server and Azure SQL.
        TSql = "tsql",
    }
}

impl Dialect {
    /// The dialect of that name, in any case; common other names are known.
    ///
    /// # Errors
    /// [`ErrorKind::Setting`] for any other name.
    pub fn named(name: &str) -> Result<Self, Error> {
        let plain: String = name
            .chars()
            .filter(|c| c.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .collect();
        match plain.as_str() {
            "postgresql" | "postgres" | "pg" => Ok(Self::PostgreSql),
            "sqlite" | "sqlite3" => Ok(Self::Sqlite),
            "duckdb" => Ok(Self::DuckDb),
            "mysql" | "mariadb" => Ok(Self::MySql),
            "tsql" | "transactsql" | "mssql" | "sqlserver" | "azuresql" => Ok(Self::TSql),
            _ => Err(failure!(Setting, "unknown dialect \"{}\"", shown(name))
                .with_detail("The dialects are postgresql, sqlite, duckdb, mysql and tsql.")
                .with_hint("Use dialect => 'sqlite'.")),
        }
    }

    /// The name in sentences.
    pub fn title(self) -> &'static str {
        match self {
            Self::PostgreSql => "PostgreSQL",
            Self::Sqlite => "SQLite",
            Self::DuckDb => "DuckDB",
            Self::MySql => "MySQL",
            Self::TSql => "T-SQL (SQL Server)",
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.title())
    }
}

/// Maximum number of characters of a name that an error repeats.
const MAX_SHOWN: usize = 40;

fn shown(name: &str) -> String {
    let shown: String = name.chars().take(MAX_SHOWN).collect();
    match name.chars().nth(MAX_SHOWN) {
        Some(_) => format!("{shown}…"),
        None => shown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_the_names_that_people_use() {
        for dialect in Dialect::ALL {
            assert_eq!(Dialect::named(dialect.as_str()).unwrap(), dialect);
            assert_eq!(
                Dialect::named(&dialect.as_str().to_uppercase()).unwrap(),
                dialect
            );
        }
        for (name, expect) in [
            ("T-SQL", Dialect::TSql),
            ("SQL Server", Dialect::TSql),
            ("Postgres", Dialect::PostgreSql),
            ("MariaDB", Dialect::MySql),
        ] {
            assert_eq!(Dialect::named(name).unwrap(), expect, "{name}");
        }
        let error = Dialect::named("oracle").unwrap_err();
        assert_eq!(error.message(), "unknown dialect \"oracle\"");
        assert!(
            Dialect::named(&"x".repeat(500))
                .unwrap_err()
                .message()
                .len()
                < 80
        );
    }
}
