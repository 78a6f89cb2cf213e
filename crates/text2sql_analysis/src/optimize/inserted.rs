//! The query of `INSERT INTO … SELECT`, which is what takes the time.

use sqlparser::ast::{Insert, SetExpr, Statement};

use text2sql_domain::error::Error;
use text2sql_sql::reader;
use text2sql_sql::tree;

/// An INSERT with a query.
pub struct Inserted(Insert);

impl Inserted {
    /// Reads the statement; `None` if it is another one.
    pub fn read(sql: &str) -> Result<Option<Self>, Error> {
        let Some(statements) = reader::statements(sql)? else {
            return Ok(None);
        };
        let [Statement::Insert(insert)] = statements.as_slice() else {
            return Ok(None);
        };
        let has_query = insert
            .source
            .as_deref()
            .is_some_and(|query| !matches!(&*query.body, SetExpr::Values(_)));
        Ok(has_query.then(|| Self(insert.clone())))
    }

    /// Its query.
    pub fn query(&self) -> Option<String> {
        self.0.source.as_deref().map(ToString::to_string)
    }

    /// The statement with another query; `None` if that cannot be read.
    pub fn with(&self, query: &str) -> Result<Option<String>, Error> {
        Ok(tree::parse(query)?.map(|query| {
            let mut changed = self.0.clone();
            changed.source = Some(query);
            Statement::Insert(changed).to_string()
        }))
    }
}
