//! A table as the core sees it: the result of `sql/queries/read_catalog.sql`, with its columns and keys.

use pgrx::pg_sys;
use serde::Deserialize;
use text2sql_domain::schema::{Column, DerivedBy, Table, TableKind, quote_identifier};

use super::attribute::Attribute;
use super::column_types::ColumnTypes;
use super::privileges::{PlainTable, has_row_security, reads_column};
use super::rows::for_each_column;
use super::statistics::as_written;
use super::{comments, definitions, keys};
use crate::pg::access::objects::answer_comment::is_answer_comment;
use crate::pg::server::citus::{self, Distribution};
use crate::pg::server::spi::encoding::text_of;

/// A table as returned by the query.
#[derive(Deserialize)]
pub(super) struct TableDocument {
    oid: u32,
    schema: String,
    name: String,
    kind: char,
    row_estimate: Option<f64>,
    has_row_security: bool,
    partition_key: Option<String>,
    reads_every_column: bool,
    /// OIDs of what a view reads; `None` for a table, and for a view that reads nothing.
    made_of: Option<Vec<u32>>,
    /// How many columns there may be, if known.
    #[serde(skip)]
    columns: usize,
}

/// A table that was read, and what its description depends on besides the table itself.
pub(super) struct ReadTable {
    pub(super) table: Table,
    /// OIDs of the relations that foreign keys and row types reference, readable or not.
    pub(super) related: Vec<u32>,
    /// OIDs of user-defined types.
    pub(super) type_oids: Vec<u32>,
}

impl TableDocument {
    /// What the query would return, where the system caches provide it.
    pub(super) fn of_plain(oid: u32) -> Option<Self> {
        let table = PlainTable::of(oid)?;
        // Children of the table are counted, and may not be visible to questions.
        if table.kind != b'r' || table.has_children {
            return None;
        }
        Some(Self {
            oid,
            schema: table.schema_name,
            name: table.name,
            kind: 'r',
            row_estimate: (table.rows >= 0.0).then(|| as_written(table.rows)),
            has_row_security: has_row_security(oid.into()),
            partition_key: None,
            reads_every_column: true,
            made_of: None,
            columns: table.columns,
        })
    }

    /// Reads the rest of the table; `None` when it has been dropped meanwhile, or would take too much memory to open. To
    /// be called under the settings of internal queries.
    pub(super) fn read(self, types: &mut ColumnTypes<'_>) -> Option<ReadTable> {
        let relation = pg_sys::Oid::from(self.oid);
        let behind = self.made_of.iter().flatten();
        let mut opened = behind.map(|oid| pg_sys::Oid::from(*oid)).chain([relation]);
        if opened.any(definitions::are_too_large) {
            return None;
        }
        let mut comments = comments::texts(relation);
        let mut attributes = Vec::with_capacity(self.columns);
        let mut columns = Vec::with_capacity(self.columns);
        let (mut related, mut type_oids) = (Vec::new(), Vec::new());
        let mut room = Room::default();
        for_each_column(relation, |form| {
            // SAFETY: a name ends with NUL.
            let name = unsafe { text_of(form.attname.data.as_ptr()) };
            let is_readable = self.reads_every_column || reads_column(relation, form.attnum);
            attributes.push(Attribute {
                number: form.attnum,
                name: name.clone(),
                is_readable,
            });
            let found = is_readable
                .then(|| types.of(form.atttypid, form.atttypmod))
                .flatten();
            let Some(found) = found else {
                return;
            };
            type_oids.extend(&found.made);
            if found.row_of != 0 {
                related.push(found.row_of);
            }
            columns.push(Column {
                number: form.attnum,
                name,
                type_name: found.name.clone(),
                category: found.category,
                domain_base: found.domain_base.clone(),
                enum_labels: room.take(&found.enum_labels),
                composite_fields: room.take(&found.composite_fields),
                not_null: form.attnotnull || found.is_not_null,
                is_generated: form.attgenerated != 0,
                is_identity: form.attidentity != 0,
                comment: comments.remove(&i32::from(form.attnum)),
                ..Column::default()
            });
        });
        if attributes.is_empty() && !exists(relation) {
            return None;
        }
        type_oids.sort_unstable();
        type_oids.dedup();
        let unique = keys::unique(relation, &attributes);
        let is_partitioned = matches!(self.kind, 'p');
        let (foreign_keys, targets) = keys::foreign(relation, is_partitioned, &attributes);
        related.extend(targets);
        // A replaced view reads other relations, and so does a view over it.
        let made_of = self.made_of.unwrap_or_default();
        related.extend(&made_of);
        let comment = comments.remove(&0);
        let is_answer =
            matches!(self.kind, 'v') && comment.as_deref().is_some_and(is_answer_comment);
        let distribution = citus::distribution(relation).map(|spread| match spread {
            Distribution::By(column) => {
                format!("distributed by {}", quote_identifier(&column))
            }
            Distribution::Everywhere => "a copy on every worker".to_owned(),
            Distribution::OneShard => "on one worker".to_owned(),
        });
        let table = Table {
            oid: self.oid,
            schema: self.schema,
            name: self.name,
            kind: TableKind::of_relkind(self.kind),
            comment,
            // The table itself is empty where its rows are in shards.
            row_estimate: match citus::counts(relation) {
                Some(counts) => Some(counts.rows),
                None => self.row_estimate.filter(|_| distribution.is_none()),
            },
            distribution,
            has_row_security: self.has_row_security,
            columns,
            primary_key: unique.primary,
            unique_keys: unique.others,
            foreign_keys,
            partition_key: self.partition_key,
            made_of,
            derived_by: is_answer.then_some(DerivedBy::Answer),
            ..Table::default()
        };
        Some(ReadTable {
            table,
            related,
            type_oids,
        })
    }
}

/// Bytes of labels and fields of row types that are read for one table: each column has a copy of those of its type, and
/// an owner may give a type thousands to a thousand columns.
const MAX_TYPE_BYTES: usize = 128 * 1024;

/// What is left of them.
struct Room(usize);

impl Default for Room {
    fn default() -> Self {
        Self(MAX_TYPE_BYTES)
    }
}

impl Room {
    /// A copy of the first of these texts, as many as there is room for.
    fn take(&mut self, texts: &[String]) -> Vec<String> {
        let mut taken = Vec::new();
        for text in texts {
            let Some(left) = self.0.checked_sub(text.len() + size_of::<String>()) else {
                break;
            };
            self.0 = left;
            taken.push(text.clone());
        }
        taken
    }
}

fn exists(relation: pg_sys::Oid) -> bool {
    // SAFETY: a look-up in the cache; 0 for a dropped relation.
    unsafe { pg_sys::get_rel_relkind(relation) != 0 }
}
