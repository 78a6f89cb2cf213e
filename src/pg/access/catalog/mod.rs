//! The catalog port: what the caller may read, found and described for a question.
//!
//! Everything is read under the caller's role and privileges by the queries in `sql/`, and cached per session
//! by role and effective `search_path` ([`cache`]), until PostgreSQL reports a change ([`invalidation`]).
//! PostgreSQL sends no message for comments; an event trigger does ([`comments`]).
//!
//! Whether an unqualified name resolves to a table depends on every schema of the path and on each of its
//! tables; that is looked up each time and not cached.

mod annotations;
mod attribute;
mod cache;
mod column_types;
mod column_words;
mod comment_words;
mod comments;
pub(crate) mod definitions;
mod forbidden;
mod generation;
mod invalidation;
mod keys;
mod matching;
mod names;
mod privileges;
mod read;
mod readable_names;
mod rows;
mod schemas;
mod searched;
mod session_cache;
mod statistics;
mod visibility;
mod words;

#[cfg(feature = "pg_test")]
mod describe_tests;
#[cfg(feature = "pg_test")]
mod find_tests;

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use text2sql_domain::error::Error;
use text2sql_domain::ports::{Catalog, ForbiddenName};
use text2sql_domain::schema::{SchemaNote, Table, TableName};

use self::cache::{CACHE, Search};
use self::column_types::ColumnTypes;
use self::generation::prepare;
pub(crate) use self::generation::{catalog_generation, generation_and_change_of_index};
use self::names::is_visible;
pub(crate) use self::privileges::PlainTable;
pub(crate) use self::readable_names::READABLE;
pub(crate) use self::session_cache::SessionCache;
use self::visibility::Scope;
use self::words::Patterns;
use crate::pg::access::objects::search_path;
use crate::pg::access::protection;
use crate::pg::server::spi;
use crate::pg::server::spi::internal_settings::with_internal_settings;
use crate::pg::server::spi::role::{EffectiveRole, with_role};
use crate::pg::server::spi::sandbox::keep_no_locks;

/// Completes a query of `sql/` once per process.
macro_rules! query {
    ($name:ident, $file:literal) => {
        static $name: LazyLock<String> =
            LazyLock::new(|| include_str!($file).replace("%READABLE%", READABLE.trim_end()));
    };
}

query!(COUNT_TABLES, "../../../../sql/queries/count_tables.sql");
query!(READ_CATALOG, "../../../../sql/queries/read_catalog.sql");
const FIND_FORBIDDEN: &str = include_str!("../../../../sql/queries/find_forbidden.sql");
const FINGERPRINT_COMMENTS: &str = include_str!("../../../../sql/queries/fingerprint_comments.sql");

/// Maximum number of tables described by one query: limits the document it builds (about 5 kB per table).
const TABLES_PER_READ: usize = 100;

/// The catalog of this database, read over SPI as the current user.
pub(crate) struct SpiCatalog;

/// Reads the catalog with the privileges of `role`, which differs from the caller only for a superuser. Keeps no lock,
/// because a model may be called next.
pub(crate) fn read_as<T>(
    role: &EffectiveRole,
    read: impl FnOnce(&SpiCatalog) -> Result<T, Error>,
) -> Result<T, Error> {
    keep_no_locks(|| with_role(role, || read(&SpiCatalog)))
}

impl Catalog for SpiCatalog {
    fn count(&self, at_most: usize) -> Result<usize, Error> {
        let (role, scope) = prepare();
        let search = Search::count(role, at_most);
        if let Some(found) = CACHE.with_borrow_mut(|cache| cache.find_search(&search, None)) {
            return Ok(found.first().map_or(0, |count| *count as usize));
        }
        // One more shows whether there are more.
        let counted = scope.first(at_most.saturating_add(1), |most| {
            spi::read_json(&COUNT_TABLES, &[most.into()])
        })?;
        let count = u32::try_from(counted.len()).unwrap_or(u32::MAX);
        CACHE.with_borrow_mut(|cache| cache.store_search(search, None, &[count]));
        Ok(count as usize)
    }

    fn find(&self, words: &[String], limit: usize) -> Result<Vec<u32>, Error> {
        let (role, scope) = prepare();
        let search = Search::find(role, words, limit);
        if words.is_empty() {
            if let Some(found) = CACHE.with_borrow_mut(|cache| cache.find_search(&search, None)) {
                return Ok(found);
            }
            let names = searched::names(role)?;
            let found = scope.first(limit, |most| {
                let names = names
                    .iter()
                    .take(usize::try_from(most).unwrap_or(usize::MAX));
                Ok(names.map(|table| table.oid).collect())
            })?;
            CACHE.with_borrow_mut(|cache| cache.store_search(search, None, &found));
            return Ok(found);
        }
        let Some(patterns) = Patterns::of(words) else {
            return Ok(Vec::new());
        };
        let comments: Option<String> = match comments::are_notified() {
            true => None,
            false => spi::read_one(FINGERPRINT_COMMENTS, &[])?,
        };
        if let Some(found) =
            CACHE.with_borrow_mut(|cache| cache.find_search(&search, comments.as_deref()))
        {
            return Ok(found);
        }
        let found = scope.first(limit, |most| {
            let most = usize::try_from(most).unwrap_or(usize::MAX);
            matching::find(role, &patterns.needles, most, comments.as_deref())
        })?;
        CACHE.with_borrow_mut(|cache| cache.store_search(search, comments, &found));
        Ok(found)
    }

    fn describe(&self, oids: &[u32]) -> Result<Vec<Arc<Table>>, Error> {
        described(oids, true)
    }

    fn outline(&self, oids: &[u32]) -> Result<Vec<Arc<Table>>, Error> {
        described(oids, false)
    }

    fn names(&self, oids: &[u32]) -> Result<Vec<TableName>, Error> {
        let (_, scope) = prepare();
        names::names(&scope, oids)
    }

    fn schema_notes(&self) -> Result<Vec<SchemaNote>, Error> {
        schemas::notes()
    }

    fn find_forbidden(&self, words: &[String], limit: usize) -> Result<Vec<String>, Error> {
        let Some(patterns) = Patterns::of(words) else {
            return Ok(Vec::new());
        };
        let (_, scope) = prepare();
        let names = RefCell::new(HashMap::<u32, String>::new());
        let found = scope.first(limit, |most| {
            let found: Vec<(u32, String)> = spi::read_json(
                FIND_FORBIDDEN,
                &[
                    patterns.exact.clone().into(),
                    patterns.sieve.clone().into(),
                    most.into(),
                ],
            )?;
            let oids = found.iter().map(|(oid, _)| *oid).collect();
            names.borrow_mut().extend(found);
            Ok(oids)
        })?;
        let mut names = names.into_inner();
        Ok(found.iter().filter_map(|oid| names.remove(oid)).collect())
    }

    fn forbidden_names(
        &self,
        words: &[String],
        tables: &[u32],
    ) -> Result<Vec<ForbiddenName>, Error> {
        let (_, scope) = prepare();
        forbidden::names(&scope, words, tables)
    }
}

/// The tables among these that are visible to questions, in the given order.
fn described(oids: &[u32], with_statistics: bool) -> Result<Vec<Arc<Table>>, Error> {
    if oids.is_empty() {
        return Ok(Vec::new());
    }
    let (role, scope) = prepare();
    let path = search_path();
    // Read before the tables, so that a comment that changes in between is read again next time.
    let comments = comments::fingerprints(oids);
    let (mut described, missing) = CACHE.with_borrow_mut(|cache| {
        let path = cache.number_of(&path);
        let mut described: HashMap<u32, Arc<Table>> = HashMap::with_capacity(oids.len());
        let mut missing = Vec::new();
        for &oid in oids {
            match cache.table((role, path, oid), comments.get(&oid).copied()) {
                Some(table) => {
                    described.insert(oid, table);
                }
                None => missing.push(oid),
            }
        }
        (described, missing)
    });
    for wanted in missing.chunks(TABLES_PER_READ) {
        let (mut documents, mut others) = (Vec::with_capacity(wanted.len()), Vec::new());
        for oid in wanted {
            match read::TableDocument::of_plain(*oid) {
                Some(document) => documents.push(document),
                None => others.push(*oid),
            }
        }
        if !others.is_empty() {
            let arguments = [
                spi::oid_array(others.into_iter()),
                scope.allows_foreign_tables.into(),
            ];
            documents.extend(spi::read_json::<Vec<_>>(&READ_CATALOG, &arguments)?);
        }
        let read: Vec<read::ReadTable> = with_internal_settings(|| {
            let mut types = ColumnTypes::new(&path);
            let read = documents.into_iter().map(|one| one.read(&mut types));
            read.flatten().collect()
        });
        let (watched, mut tables): (Vec<_>, Vec<_>) = read
            .into_iter()
            .map(|read| (invalidation::Watched::of(&read), read.table))
            .unzip();
        for table in &mut tables {
            table.is_visible = is_visible(table.oid, &table.name, &path);
        }
        annotations::add(&mut tables)?;
        let targets = annotations::targets_of_joins(&tables)?;
        for (table, mut watched) in tables.into_iter().zip(watched) {
            watched.also(targets.get(&table.oid).map_or(&[], Vec::as_slice));
            let table = Arc::new(table);
            described.insert(table.oid, Arc::clone(&table));
            let comments = comments.get(&table.oid).copied();
            CACHE.with_borrow_mut(|cache| {
                let path = cache.number_of(&path);
                cache.store((role, path, table.oid), table, comments, watched);
            });
        }
    }
    if with_statistics {
        complete(role, &path, &mut described);
    }
    for table in described.values_mut() {
        let is_visible = is_visible(table.oid, &table.name, &path);
        if is_visible != table.is_visible {
            Arc::make_mut(table).is_visible = is_visible;
            CACHE.with_borrow_mut(|cache| {
                let path = cache.number_of(&path);
                cache.replace((role, path, table.oid), table);
            });
        }
    }
    // Done last and not cached with the table: protection can depend on other tables.
    oids.iter()
        .filter_map(|oid| described.get(oid))
        .filter_map(|table| scope.narrow(table).transpose())
        .collect()
}

/// Adds stored knowledge to tables that the session has not cached.
pub(crate) fn add_annotations(tables: &mut [Table]) -> Result<(), Error> {
    prepare();
    annotations::add(tables)
}

/// Adds statistics to the tables that have none yet.
fn complete(role: u32, path: &[u32], described: &mut HashMap<u32, Arc<Table>>) {
    let bare = CACHE.with_borrow_mut(|cache| {
        let path = cache.number_of(path);
        let lacks = |oid: &u32| !cache.has_statistics((role, path, *oid));
        described
            .keys()
            .copied()
            .filter(lacks)
            .collect::<Vec<u32>>()
    });
    if bare.is_empty() {
        return;
    }
    with_internal_settings(|| {
        for oid in &bare {
            let Some(table) = described.get_mut(oid) else {
                continue;
            };
            let mut whole = Table::clone(table);
            statistics::add(&mut whole);
            whole.has_statistics = true;
            *table = Arc::new(whole);
            CACHE.with_borrow_mut(|cache| {
                let path = cache.number_of(path);
                cache.complete((role, path, table.oid), table);
            });
        }
    });
}

/// The columns of a relation that are visible to questions, among those that are readable: `None` when the
/// relation is not visible, all columns where `columns` is `None`.
pub(crate) fn shown_columns(
    oid: u32,
    columns: Option<Vec<i16>>,
) -> Result<Option<Option<Vec<i16>>>, Error> {
    if !Scope::current().shows(oid)? {
        return Ok(None);
    }
    let levels = protection::of_relation(oid.into())?;
    if levels.strictest() < protection::Level::Hidden {
        return Ok(Some(columns));
    }
    let is_shown = |number: &i16| levels.column(*number) < protection::Level::Hidden;
    let all = || protection::column_numbers(oid.into());
    let columns = columns.unwrap_or_else(all);
    Ok(Some(Some(columns.into_iter().filter(is_shown).collect())))
}
