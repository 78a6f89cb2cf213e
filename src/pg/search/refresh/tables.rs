//! Indexes tables: finds those that changed and stores them in batches.

use std::fmt;

use pgrx::pg_sys::Oid;
use serde::Deserialize;
use text2sql_domain::error::Error;
use text2sql_domain::object_name;
use text2sql_domain::ports::search_index::Collection;
use text2sql_domain::schema::{Column, ForeignKey, Table, TableKind};
use text2sql_language::english::counted;
use text2sql_language::names::name_reader::NameReader;
use text2sql_language::names::vocabulary::Vocabulary;
use text2sql_retrieval::index::document::{self, Document};

use super::changes::{FORGET_CHANGES, read_change};
use super::run::Refresh;
use super::store::Item;
use crate::pg::access::catalog::add_annotations;
use crate::pg::access::protection::{self, Level};
use crate::pg::search::search_index::SCHEMA;
use crate::pg::server::spi;

const CHANGED_TABLES: &str = include_str!("../../../../sql/queries/changed_tables.sql");
const INDEXED_TABLES: &str = include_str!("../../../../sql/queries/indexed_tables.sql");
const CHANGES_OF: &str = "SELECT id FROM text2sql._index_changes WHERE relation = ANY ($1)";
const SET_PUBLIC: &str =
    "UPDATE text2sql._index_documents SET is_public = $2 WHERE collection = 's' AND item = $1";
const SET_TOTAL: &str = "UPDATE text2sql._index_state SET done = 0, total = $1";
const ADD_DONE: &str = "UPDATE text2sql._index_state SET done = done + $1";

/// Texts embedded between two commits: a few seconds of work with an endpoint, which is the maximum that an
/// interruption loses.
const TEXTS_PER_BATCH: usize = 500;

/// Tables that are read as one document, which has a megabyte for each of them at most.
const TABLES_PER_READ: usize = 100;

/// A table that differs from what the index holds.
struct Changed {
    oid: u32,
    /// `None` when it was dropped.
    fingerprint: Option<i64>,
    is_public: bool,
    /// Whether more than `is_public` differs.
    needs_document: bool,
}

/// A summary for the user.
#[derive(Default)]
pub(super) struct Indexed {
    tables: usize,
    gone: usize,
}

impl Indexed {
    /// Whether anything changed.
    pub(super) fn is_any(&self) -> bool {
        self.tables + self.gone > 0
    }
}

impl fmt::Display for Indexed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tables = counted(self.tables, "table", "tables");
        write!(f, "{tables} indexed, {} taken out", self.gone)
    }
}

/// One table as returned by `sql/queries/indexed_tables.sql`, an array in this order.
#[derive(Deserialize)]
struct TableRow {
    oid: u32,
    schema: String,
    name: String,
    kind: char,
    comment: Option<String>,
    columns: Vec<ColumnRow>,
    foreign_keys: Vec<ForeignKeyRow>,
}

#[derive(Deserialize)]
struct ColumnRow {
    number: i16,
    name: String,
    type_name: String,
    comment: Option<String>,
    enum_labels: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct ForeignKeyRow {
    columns: Vec<String>,
    target: u32,
    target_schema: String,
    target_name: String,
    target_columns: Vec<String>,
}

impl Refresh {
    /// Stores every table that changed and removes those that were dropped.
    pub(super) fn tables(&self) -> Result<Indexed, Error> {
        let changed = self.as_owner(|| spi::execute(CHANGED_TABLES, &[], read_changed))?;
        let mut indexed = Indexed::default();
        let total = changed.len();
        if total > 0 {
            self.start()?;
        }
        if self.has_begun.get() {
            self.as_owner(|| spi::write(SET_TOTAL, &[as_count(total)], |_| Ok(())))?;
        }
        let vocabulary = match changed.iter().any(|table| table.needs_document) {
            true => self.vocabulary()?,
            false => Vocabulary::default(),
        };
        let reader = NameReader::new(&vocabulary, &self.analyzer);
        let mut done = 0;
        for batch in changed.chunks(self.tables_per_batch()) {
            let gone = batch.iter().filter(|table| table.fingerprint.is_none());
            indexed.gone += gone.count();
            indexed.tables += self.batch(batch, &reader)?;
            done += batch.len();
            self.as_owner(|| spi::write(ADD_DONE, &[as_count(batch.len())], |_| Ok(())))?;
            self.commit()?;
            self.progress.tell(done, total, "tables indexed");
        }
        Ok(indexed)
    }

    /// How many tables are embedded between two commits.
    pub(super) fn tables_per_batch(&self) -> usize {
        let texts_per_table = match self.embedder.embeds_columns() {
            true => 21,
            false => 1,
        };
        TEXTS_PER_BATCH / texts_per_table
    }

    /// What is stored about a table. Texts may be sent to an endpoint: hidden columns are in none of them.
    pub(super) fn document_of(
        &self,
        table: &mut Table,
        reader: &NameReader<'_>,
    ) -> Result<Document, Error> {
        let levels = protection::of_relation(table.oid.into())?;
        for column in &mut table.columns {
            column.is_private = levels.column(column.number) >= Level::Private;
        }
        let mut document = document::of_table(table, &self.analyzer, reader);
        if levels.is_hidden() {
            document.texts.clear();
            document.words.clear();
        } else if levels.strictest() == Level::Hidden {
            let mut shown = table.clone();
            shown
                .columns
                .retain(|column| levels.column(column.number) < Level::Hidden);
            document.texts = document::embedded_texts(&shown, reader);
            document.words = document::words(&shown, reader);
        }
        Ok(document)
    }

    /// Stores one batch; returns the number of tables.
    fn batch(&self, batch: &[Changed], reader: &NameReader<'_>) -> Result<usize, Error> {
        let oids = |wanted: &dyn Fn(&&Changed) -> bool| -> Vec<Oid> {
            let wanted = batch.iter().filter(wanted);
            wanted.map(|table| Oid::from(table.oid)).collect()
        };
        // Changes recorded before the catalog is read are covered by reading it.
        let all = oids(&|_| true);
        let (notes, tables) = self.as_owner(|| {
            let notes = spi::read_rows(CHANGES_OF, &[all.into()], 0, read_change)?;
            let wanted = oids(&|table| table.fingerprint.is_some() && table.needs_document);
            Ok::<_, Error>((notes, described(wanted)?))
        })?;
        let mut items = Vec::with_capacity(tables.len());
        let mut names = Vec::new();
        for mut table in tables {
            let known = batch.iter().find(|changed| changed.oid == table.oid);
            let Some((fingerprint, is_public)) =
                known.and_then(|changed| Some((changed.fingerprint?, changed.is_public)))
            else {
                continue;
            };
            let document = self.document_of(&mut table, reader)?;
            if !document.texts.is_empty() {
                names.push(object_name::join(&[&table.schema, &table.name]));
            }
            items.push(Item {
                item: table.oid,
                fingerprint,
                is_public,
                document: Some(document),
                vectors: Vec::new(),
            });
        }
        let stored = items.len();
        self.embed(Collection::Schema, &mut items, names)?;
        for table in batch {
            // Includes tables dropped since the catalogs were compared.
            if table.needs_document && !items.iter().any(|item| item.item == table.oid) {
                items.push(Item::gone(table.oid));
            }
        }
        self.as_owner(|| {
            self.store(SCHEMA, items)?;
            for table in batch.iter().filter(|table| !table.needs_document) {
                let arguments = [Oid::from(table.oid).into(), table.is_public.into()];
                spi::write(SET_PUBLIC, &arguments, |_| Ok(()))?;
            }
            spi::write(FORGET_CHANGES, &[notes.into()], |_| Ok(()))
        })?;
        Ok(stored)
    }
}

/// The tables of a list as they are now, with what is stored about them. As the owner.
pub(super) fn described(wanted: Vec<Oid>) -> Result<Vec<Table>, Error> {
    let mut tables = Vec::with_capacity(wanted.len());
    for some in wanted.chunks(TABLES_PER_READ) {
        let rows: Vec<TableRow> = spi::read_json(INDEXED_TABLES, &[some.to_vec().into()])?;
        tables.extend(rows.into_iter().map(TableRow::into_table));
    }
    add_annotations(&mut tables)?;
    Ok(tables)
}

impl TableRow {
    fn into_table(self) -> Table {
        Table {
            oid: self.oid,
            schema: self.schema,
            name: self.name,
            kind: TableKind::of_relkind(self.kind),
            comment: self.comment,
            columns: self
                .columns
                .into_iter()
                .map(|column| Column {
                    number: column.number,
                    name: column.name,
                    type_name: column.type_name,
                    comment: column.comment,
                    enum_labels: column.enum_labels.unwrap_or_default(),
                    ..Column::default()
                })
                .collect(),
            foreign_keys: self
                .foreign_keys
                .into_iter()
                .map(|key| ForeignKey {
                    columns: key.columns,
                    target: key.target,
                    target_schema: key.target_schema,
                    target_name: key.target_name,
                    target_columns: key.target_columns,
                    is_taught: false,
                })
                .collect(),
            ..Table::default()
        }
    }
}

fn read_changed(row: &spi::Row) -> Result<Changed, Error> {
    Ok(Changed {
        oid: row.read::<Oid>(1)?.map_or(0, Oid::to_u32),
        fingerprint: row.read(2)?,
        is_public: row.read(3)?.unwrap_or_default(),
        needs_document: row.read(4)?.unwrap_or(true),
    })
}

fn as_count(count: usize) -> pgrx::datum::DatumWithOid<'static> {
    i32::try_from(count).unwrap_or(i32::MAX).into()
}
