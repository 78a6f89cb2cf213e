//! A schema that the caller handed over, behind the ports of the pipeline: it stands in for the catalog, and the
//! check of names for the guard. Nothing can be run, and nothing else of the server is reached.

use std::collections::HashMap;
use std::sync::Arc;

use text2sql_domain::config::Limits;
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_domain::ports::{Catalog, Database, Outcome};
use text2sql_domain::schema::Table;
use text2sql_domain::sql_result::{DatabaseError, Execution, ResultColumn};
use text2sql_domain::validate::{Rejection, Rule};
use text2sql_sql::ddl::GivenSchema;
use text2sql_sql::dialects::rules_of;
use text2sql_sql::names::{self, Verdict};

/// How much more a word in the name of a table says than one in a column or a comment.
const NAME_WEIGHT: usize = 4;

/// Fewer letters are in too many names.
const MIN_WORD_CHARS: usize = 3;

/// The tables of the schema.
pub struct GivenCatalog<'a> {
    tables: &'a [Arc<Table>],
    places: HashMap<u32, usize>,
}

impl<'a> GivenCatalog<'a> {
    /// The catalog of a schema.
    pub fn of(schema: &'a GivenSchema) -> Self {
        let places = schema.tables.iter().enumerate();
        Self {
            tables: &schema.tables,
            places: places.map(|(place, table)| (table.oid, place)).collect(),
        }
    }
}

impl Catalog for GivenCatalog<'_> {
    fn count(&self, at_most: usize) -> Result<usize, Error> {
        Ok(self.tables.len().min(at_most))
    }

    fn find(&self, words: &[String], limit: usize) -> Result<Vec<u32>, Error> {
        if words.is_empty() {
            return Ok(self
                .tables
                .iter()
                .take(limit)
                .map(|table| table.oid)
                .collect());
        }
        let words: Vec<String> = words
            .iter()
            .map(|word| word.to_lowercase())
            .filter(|word| word.chars().count() >= MIN_WORD_CHARS)
            .collect();
        let mut found: Vec<(usize, u32)> = Vec::new();
        for table in self.tables {
            let weight = weight(table, &words);
            if weight > 0 {
                found.push((weight, table.oid));
            }
        }
        found.sort_by_key(|(weight, oid)| (usize::MAX - weight, *oid));
        Ok(found.into_iter().take(limit).map(|(_, oid)| oid).collect())
    }

    fn describe(&self, oids: &[u32]) -> Result<Vec<Arc<Table>>, Error> {
        let places = oids.iter().filter_map(|oid| self.places.get(oid));
        Ok(places
            .filter_map(|place| self.tables.get(*place).cloned())
            .collect())
    }

    fn find_forbidden(&self, _: &[String], _: usize) -> Result<Vec<String>, Error> {
        Ok(Vec::new())
    }
}

/// How much of the words a table's names and comments hold.
fn weight(table: &Table, words: &[String]) -> usize {
    let name = table.name.to_lowercase();
    let comment = table.comment.as_deref().unwrap_or_default().to_lowercase();
    let columns: Vec<String> = table
        .columns
        .iter()
        .map(|column| column.name.to_lowercase())
        .collect();
    let of_word = |word: &String| {
        let in_name = usize::from(name.contains(word)) * NAME_WEIGHT;
        let in_comment = usize::from(comment.contains(word));
        let in_columns = usize::from(columns.iter().any(|column| column.contains(word)));
        in_name + in_comment + in_columns
    };
    words.iter().map(of_word).sum()
}

/// Checks statements against the schema.
pub struct NameCheck<'a>(pub &'a GivenSchema);

impl NameCheck<'_> {
    /// What a reader should know about the names of a statement that passed.
    pub fn notes(&self, sql: &str) -> Result<Vec<String>, Error> {
        Ok(match names::check(sql, self.0)? {
            Verdict::Passed(checked) => checked.notes,
            Verdict::Refused(_) | Verdict::Wrong(_) => Vec::new(),
        })
    }
}

impl Database for NameCheck<'_> {
    /// There is no data: stages that look at data find that they cannot.
    fn run(&self, _: &str, _: &Limits) -> Result<Outcome<Execution>, Error> {
        Ok(Outcome::Failed(DatabaseError {
            sqlstate: "0A000".to_owned(),
            message: "a schema without its data was given: no query runs over it".to_owned(),
            detail: None,
            hint: None,
            position: None,
            is_private: false,
        }))
    }

    fn functions_like(&self, _: &str) -> Result<Vec<String>, Error> {
        let known = rules_of(self.0.dialect).functions().map(str::to_owned);
        Ok(known.chain(self.0.functions.iter().cloned()).collect())
    }

    fn check(&self, sql: &str, _: &Limits) -> Result<Outcome<Vec<ResultColumn>>, Error> {
        match names::check(sql, self.0) {
            Ok(Verdict::Passed(checked)) => Ok(Outcome::Passed(checked.columns)),
            Ok(Verdict::Refused(rejection)) => Ok(Outcome::Rejected(rejection)),
            Ok(Verdict::Wrong(error)) => Ok(Outcome::Failed(error)),
            // A model wrote it: too long or too deep is its mistake.
            Err(error) if matches!(error.kind(), ErrorKind::Limit | ErrorKind::Complexity) => {
                Ok(Outcome::Rejected(Rejection {
                    rule: Rule::Limit,
                    reason: error.message().to_owned(),
                    offender: None,
                    position: None,
                }))
            }
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use text2sql_domain::dialect::Dialect;
    use text2sql_sql::ddl;

    const DDL: &str = "CREATE TABLE customers (id integer, town text);
        CREATE TABLE orders (id integer, customer_id integer REFERENCES customers);";

    #[test]
    fn tables_are_found_by_their_words() {
        let schema = ddl::read(DDL, Dialect::Sqlite).unwrap();
        let catalog = GivenCatalog::of(&schema);
        let found = catalog.find(&["customer".to_owned()], 10).unwrap();
        assert_eq!(found, [1, 2]);
        assert_eq!(catalog.find(&["town".to_owned()], 10).unwrap(), [1]);
        assert_eq!(catalog.describe(&[2, 7]).unwrap().len(), 1);
        assert_eq!(catalog.count(1).unwrap(), 1);
    }

    #[test]
    fn statements_are_checked_and_never_run() {
        let schema = ddl::read(DDL, Dialect::Sqlite).unwrap();
        let check = NameCheck(&schema);
        let limits = Limits::default();
        let outcome = |sql: &str| check.check(sql, &limits).unwrap();
        assert!(matches!(
            outcome("SELECT town FROM customers"),
            Outcome::Passed(_)
        ));
        assert!(matches!(
            outcome("SELECT city FROM customers"),
            Outcome::Failed(_)
        ));
        assert!(matches!(
            outcome("DELETE FROM customers"),
            Outcome::Rejected(_)
        ));
        let long = format!("SELECT {}", "1,".repeat(60_000));
        assert!(matches!(outcome(&long), Outcome::Rejected(_)));
        let ran = check.run("SELECT 1", &limits).unwrap();
        assert!(matches!(ran, Outcome::Failed(_)));
    }
}
