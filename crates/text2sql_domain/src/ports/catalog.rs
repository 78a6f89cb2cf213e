//! The catalog, as the caller may see it.

use std::fmt;
use std::sync::Arc;

use crate::error::Error;
use crate::schema::{Definition, Table};

/// The definitions that a question may need.
#[derive(Debug, Clone, Default)]
pub struct Definitions {
    /// Their terms are in the question; those of the longest terms first.
    pub used: Vec<Definition>,
    /// A term is nearly written in the question: in parts, glued together, in an inflection that stemming
    /// does not know. Best first, without those that are used.
    pub similar: Vec<Definition>,
}

/// The catalog as the caller may see it. Nothing here may read the whole catalog of a large database.
pub trait Catalog {
    /// Counts the readable tables, but stops counting above `at_most`.
    fn count(&self, at_most: usize) -> Result<usize, Error>;

    /// Finds readable tables whose names, column names or comments match any of the words, best
    /// first, at most `limit`. With no words: the first tables by schema and name.
    fn find(&self, words: &[String], limit: usize) -> Result<Vec<u32>, Error>;

    /// Describes those of the tables that the caller may read, in the order given.
    fn describe(&self, oids: &[u32]) -> Result<Vec<Arc<Table>>, Error>;

    /// Describes them without what the planner knows of the values in their columns, unless that is at
    /// hand: reading it takes most of the time.
    fn outline(&self, oids: &[u32]) -> Result<Vec<Arc<Table>>, Error> {
        self.describe(oids)
    }

    /// Definitions whose terms the question uses, those of the longest terms first, and with `similar`
    /// those of which a term is nearly written in it: only ones about what the caller may read, and only
    /// ones whose expression the server accepts at this moment.
    fn definitions(&self, _question: &str, _similar: bool) -> Result<Definitions, Error> {
        Ok(Definitions::default())
    }

    /// Names of tables, in schemas where the caller has USAGE, that match any of the words but
    /// that the caller may not read. They decide between "not permitted" and "unanswerable" and
    /// never go into a prompt.
    fn find_forbidden(&self, words: &[String], limit: usize) -> Result<Vec<String>, Error>;

    /// What exists for questions, is called exactly like one of the words, and may not be read: tables in
    /// schemas where the caller has USAGE, and columns of `tables`. Found by index, so that every answer
    /// can ask; never goes into a prompt.
    fn forbidden_names(
        &self,
        _words: &[String],
        _tables: &[u32],
    ) -> Result<Vec<ForbiddenName>, Error> {
        Ok(Vec::new())
    }
}

/// A table or column that the caller may not read, as SQL writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForbiddenName {
    /// `schema.table`.
    pub table: String,
    /// The column, where the table may be read in part.
    pub column: Option<String>,
}

impl ForbiddenName {
    /// A table as a whole.
    pub fn of_table(table: String) -> Self {
        Self {
            table,
            column: None,
        }
    }

    /// What the owner would have to grant: what follows `GRANT SELECT`, up to `TO`.
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
