//! The catalog, limited to what the caller may read.

use std::fmt;
use std::sync::Arc;

use crate::error::Error;
use crate::instruction::Instruction;
use crate::schema::{Definition, SchemaNote, Table, TableName};

/// The definitions that may be relevant to a question.
#[derive(Debug, Clone, Default)]
pub struct Definitions {
    /// Definitions whose terms occur in the question, longest terms first.
    pub used: Vec<Definition>,
    /// Definitions whose terms nearly occur in the question: split, joined, or in an inflection that stemming
    /// does not handle. Best first, without those in `used`.
    pub similar: Vec<Definition>,
}

/// The catalog, limited to what the caller may read. No method may read the whole catalog of a large database.
pub trait Catalog {
    /// Counts the readable tables, up to `at_most`.
    fn count(&self, at_most: usize) -> Result<usize, Error>;

    /// Finds readable tables whose names, column names or comments match any of the words, best
    /// first, up to `limit`. Without words: the first tables by schema and name.
    fn find(&self, words: &[String], limit: usize) -> Result<Vec<u32>, Error>;

    /// Describes those of the tables that the caller may read, in the given order.
    fn describe(&self, oids: &[u32]) -> Result<Vec<Arc<Table>>, Error>;

    /// Describes them without column statistics, unless those are cached: reading statistics takes
    /// most of the time.
    fn outline(&self, oids: &[u32]) -> Result<Vec<Arc<Table>>, Error> {
        self.describe(oids)
    }

    /// The names of tables that [`Self::find`] or a search of the index returned, in the given order, without
    /// those that are gone meanwhile. Reads nothing else of them: a prompt lists hundreds.
    fn names(&self, oids: &[u32]) -> Result<Vec<TableName>, Error> {
        let tables = self.outline(oids)?;
        Ok(tables.iter().map(|table| TableName::of(table)).collect())
    }

    /// What is said of schemas that the caller may use, where something is.
    fn schema_notes(&self) -> Result<Vec<SchemaNote>, Error> {
        Ok(Vec::new())
    }

    /// Definitions whose terms occur in the question, longest terms first, and with `similar` those whose terms
    /// nearly occur in it. Only definitions on tables that the caller may read, and only those
    /// whose expression the server currently accepts.
    fn definitions(&self, _question: &str, _similar: bool) -> Result<Definitions, Error> {
        Ok(Definitions::default())
    }

    /// The definitions that say which days a term stands for: all of them that the caller may see, because a question
    /// may use a word of the term alone ("fiscal quarter").
    fn period_definitions(&self) -> Result<Vec<Definition>, Error> {
        Ok(Vec::new())
    }

    /// The owner's instructions that the caller may see and that are for the caller's role, in the order in which a
    /// prompt has them: for the database, for schemas, for tables.
    fn instructions(&self) -> Result<Vec<Instruction>, Error> {
        Ok(Vec::new())
    }

    /// Names of tables that match any of the words and that the caller may not read, in schemas
    /// where the caller has USAGE. They distinguish "not permitted" from "unanswerable" and
    /// never enter a prompt.
    fn find_forbidden(&self, words: &[String], limit: usize) -> Result<Vec<String>, Error>;

    /// Objects whose name equals one of the words and that the caller may not read: tables in
    /// schemas where the caller has USAGE, and columns of `tables`. Uses an index, because every answer
    /// calls it; the names never enter a prompt.
    fn forbidden_names(
        &self,
        _words: &[String],
        _tables: &[u32],
    ) -> Result<Vec<ForbiddenName>, Error> {
        Ok(Vec::new())
    }
}

/// A table or column that the caller may not read, with SQL names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForbiddenName {
    /// `schema.table`.
    pub table: String,
    /// The column, if the caller may read other columns of the table.
    pub column: Option<String>,
}

impl ForbiddenName {
    /// A complete table.
    pub fn of_table(table: String) -> Self {
        Self {
            table,
            column: None,
        }
    }

    /// The missing grant: the text between `GRANT SELECT` and `TO`.
    pub fn grant(&self) -> String {
        match &self.column {
            Some(column) => format!(" ({column}) ON {}", self.table),
            None => format!(" ON {}", self.table),
        }
    }
}

impl fmt::Display for ForbiddenName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.column {
            Some(column) => write!(f, "{}.{column}", self.table),
            None => f.write_str(&self.table),
        }
    }
}
