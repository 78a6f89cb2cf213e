//! The catalog as seen by the effective role.

use std::rc::Rc;
use std::sync::Arc;

use once_cell::unsync::OnceCell;
use text2sql_domain::error::Error;
use text2sql_domain::instruction::Instruction;
use text2sql_domain::ports::{Catalog, Definitions, ForbiddenName};
use text2sql_domain::schema::{Definition, SchemaNote, Table, TableName};

use crate::pg::access::catalog::{SpiCatalog, read_as};
use crate::pg::access::execution::database::GuardedDatabase;
use crate::pg::search::search_index::PgSearchIndex;
use crate::pg::server::spi;
use crate::pg::server::spi::role::{EffectiveRole, with_role};
use crate::pg::server::spi::sandbox::keep_no_locks;
use crate::pg::stored::knowledge::{glossary, instructions};

const NAMED_TABLES: &str = include_str!("../../../sql/queries/named_tables.sql");

/// Maximum number of relations with the same few names that are considered.
const MAX_NAMED: i64 = 100;

/// Reads the catalog with the privileges of the role, which differs from the caller only for a superuser. Keeps
/// no lock, because a model may be called next.
pub(crate) struct RoleCatalog {
    role: EffectiveRole,
    index: OnceCell<Rc<PgSearchIndex>>,
}

impl RoleCatalog {
    /// The catalog as seen by `role`.
    pub(crate) fn new(role: EffectiveRole) -> Self {
        Self {
            role,
            index: OnceCell::new(),
        }
    }

    /// The same, with a search index used for the same question.
    pub(crate) fn beside(role: EffectiveRole, index: Rc<PgSearchIndex>) -> Self {
        Self {
            role,
            index: OnceCell::with_value(index),
        }
    }

    /// Relations that have one of these names, in any schema.
    pub(crate) fn find_named(&self, names: Vec<String>) -> Result<Vec<u32>, Error> {
        read_as(&self.role, |_| {
            spi::read_json(NAMED_TABLES, &[names.into(), MAX_NAMED.into()])
        })
    }

    /// The tables that the role can read by schema and name, when the search index knows that they are few.
    fn few(&self) -> Result<Option<Rc<[u32]>>, Error> {
        let index = self
            .index
            .get_or_init(|| Rc::new(PgSearchIndex::new(self.role)));
        keep_no_locks(|| index.few_readable())
    }
}

impl Catalog for RoleCatalog {
    fn count(&self, at_most: usize) -> Result<usize, Error> {
        // For a role that can read few of very many tables, the tables are not checked one by one.
        if let Some(few) = self.few()? {
            return Ok(few.len().min(at_most));
        }
        read_as(&self.role, |catalog| catalog.count(at_most))
    }

    fn find(&self, words: &[String], limit: usize) -> Result<Vec<u32>, Error> {
        if words.is_empty()
            && let Some(few) = self.few()?
        {
            return Ok(few.iter().take(limit).copied().collect());
        }
        read_as(&self.role, |catalog| catalog.find(words, limit))
    }

    fn describe(&self, oids: &[u32]) -> Result<Vec<Arc<Table>>, Error> {
        read_as(&self.role, |catalog| catalog.describe(oids))
    }

    fn outline(&self, oids: &[u32]) -> Result<Vec<Arc<Table>>, Error> {
        read_as(&self.role, |catalog| catalog.outline(oids))
    }

    fn names(&self, oids: &[u32]) -> Result<Vec<TableName>, Error> {
        read_as(&self.role, |catalog| catalog.names(oids))
    }

    fn schema_notes(&self) -> Result<Vec<SchemaNote>, Error> {
        read_as(&self.role, |catalog| catalog.schema_notes())
    }

    fn definitions(&self, question: &str, similar: bool) -> Result<Definitions, Error> {
        keep_no_locks(|| glossary::definitions_for(question, similar, &GuardedDatabase::new()?))
    }

    fn period_definitions(&self) -> Result<Vec<Definition>, Error> {
        keep_no_locks(|| glossary::period_definitions(&GuardedDatabase::new()?))
    }

    fn instructions(&self) -> Result<Vec<Instruction>, Error> {
        match instructions::known() {
            Some(known) => Ok(known),
            None => keep_no_locks(|| instructions::for_role(&self.role)),
        }
    }

    fn find_forbidden(&self, words: &[String], limit: usize) -> Result<Vec<String>, Error> {
        read_as(&self.role, |catalog| catalog.find_forbidden(words, limit))
    }

    fn forbidden_names(
        &self,
        words: &[String],
        tables: &[u32],
    ) -> Result<Vec<ForbiddenName>, Error> {
        with_role(&self.role, || SpiCatalog.forbidden_names(words, tables))
    }
}
