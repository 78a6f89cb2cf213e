//! The session's catalog cache: described tables and the results of searches.
//!
//! A backend is a single thread, so a `thread_local` suffices. There are two limits, because a pooled backend
//! lives for days: the size of the described tables and the number of searches.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use text2sql_domain::schema::{Column, Table};

use super::comment_words::CommentWords;
use super::invalidation::{Changes, Watched};
use super::readable_names::ReadableName;
use super::visibility::Scope;

/// Maximum number of bytes of described tables. A table of 20 columns takes 10 to 30 kB with its statistics, so
/// this holds a few thousand: far more than the prompts of a session name.
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// Maximum number of cached searches, and of distinct `search_path`s.
const MAX_SEARCHES: usize = 256;

/// Maximum length of a cached search result: more tables than a prompt holds.
const MAX_FOUND: usize = 1000;

/// Maximum number of roles whose readable tables are cached: a hundred kilobytes for a thousand tables.
const MAX_ROLES: usize = 4;

thread_local! {
    /// The session's cache. Never borrowed while a query runs: a query may raise.
    pub(super) static CACHE: RefCell<Cache> = RefCell::new(Cache::default());
}

/// Role, number of the `search_path`, OID of the table.
pub(super) type TableKey = (u32, u32, u32);

/// A search as requested.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Search {
    role: u32,
    /// `None` counts tables, `Some` finds them.
    words: Option<Vec<String>>,
    limit: usize,
}

impl Search {
    /// Counting readable tables up to `limit`.
    pub(super) fn count(role: u32, limit: usize) -> Self {
        Self {
            role,
            words: None,
            limit,
        }
    }

    /// Finding tables by words, or the first ones without words.
    pub(super) fn find(role: u32, words: &[String], limit: usize) -> Self {
        Self {
            role,
            words: Some(words.to_vec()),
            limit,
        }
    }
}

struct Found {
    comments: Option<String>,
    oids: Vec<u32>,
}

struct Described {
    table: Arc<Table>,
    has_statistics: bool,
    comments: Option<u64>,
    watched: Watched,
    bytes: usize,
    last_used: u64,
}

/// What the session caches.
#[derive(Default)]
pub(super) struct Cache {
    tables: HashMap<TableKey, Described>,
    searches: HashMap<Search, Found>,
    /// By role; invalidated with the searches.
    names: HashMap<u32, Rc<[ReadableName]>>,
    /// With the state of the comments; invalidated with the searches.
    comment_words: Option<(Option<String>, Rc<CommentWords>)>,
    paths: Vec<Vec<u32>>,
    scope: Scope,
    bytes: usize,
    clock: u64,
    generation: u64,
}

/// The generation of the catalog when changes were last applied.
pub(super) fn generation() -> u64 {
    CACHE.with_borrow(|cache| cache.generation())
}

impl Cache {
    /// Incremented whenever searches are invalidated.
    pub(super) fn generation(&self) -> u64 {
        self.generation
    }

    /// A short number for a `search_path`, used in the keys.
    pub(super) fn number_of(&mut self, path: &[u32]) -> u32 {
        let known = self.paths.iter().position(|known| known == path);
        let number = known.unwrap_or_else(|| {
            if self.paths.len() >= MAX_SEARCHES {
                self.clear();
            }
            self.paths.push(path.to_vec());
            self.paths.len() - 1
        });
        u32::try_from(number).unwrap_or(u32::MAX)
    }

    /// The table, if it is cached and its comments have not changed.
    pub(super) fn table(&mut self, key: TableKey, comments: Option<u64>) -> Option<Arc<Table>> {
        self.clock += 1;
        let described = self.tables.get_mut(&key)?;
        if described.comments != comments {
            return None;
        }
        described.last_used = self.clock;
        Some(Arc::clone(&described.table))
    }

    /// Whether the table is cached with its statistics.
    pub(super) fn has_statistics(&self, key: TableKey) -> bool {
        let described = self.tables.get(&key);
        described.is_some_and(|described| described.has_statistics)
    }

    /// Caches the table, without statistics, and evicts the least recently used ones when the cache is full.
    pub(super) fn store(
        &mut self,
        key: TableKey,
        table: Arc<Table>,
        comments: Option<u64>,
        watched: Watched,
    ) {
        self.clock += 1;
        let bytes = size_of_table(&table) + watched.bytes();
        let described = Described {
            table,
            has_statistics: false,
            comments,
            watched,
            bytes,
            last_used: self.clock,
        };
        if let Some(replaced) = self.tables.insert(key, described) {
            self.bytes -= replaced.bytes;
        }
        self.bytes += bytes;
        if self.bytes > MAX_BYTES {
            self.forget_oldest();
        }
    }

    /// Replaces the cached table by the same table with its statistics.
    pub(super) fn complete(&mut self, key: TableKey, table: &Arc<Table>) {
        if let Some(described) = self.tables.get_mut(&key) {
            let bytes = size_of_table(table) + described.watched.bytes();
            self.bytes = self.bytes - described.bytes + bytes;
            described.table = Arc::clone(table);
            described.has_statistics = true;
            described.bytes = bytes;
        }
        if self.bytes > MAX_BYTES {
            self.forget_oldest();
        }
    }

    /// Replaces a cached table by another description of the same size.
    pub(super) fn replace(&mut self, key: TableKey, table: &Arc<Table>) {
        if let Some(described) = self.tables.get_mut(&key) {
            described.table = Arc::clone(table);
        }
    }

    /// The result of a search, if it is cached and `comments` have not changed.
    pub(super) fn find_search(
        &mut self,
        search: &Search,
        comments: Option<&str>,
    ) -> Option<Vec<u32>> {
        let found = self.searches.get(search)?;
        (found.comments.as_deref() == comments).then(|| found.oids.clone())
    }

    /// Caches the result of a search made while the comments had this fingerprint.
    pub(super) fn store_search(&mut self, search: Search, comments: Option<String>, oids: &[u32]) {
        if oids.len() > MAX_FOUND {
            return;
        }
        if self.searches.len() >= MAX_SEARCHES {
            self.searches.clear();
        }
        let oids = oids.to_vec();
        self.searches.insert(search, Found { comments, oids });
    }

    /// The names of the tables that the role can read.
    pub(super) fn names_of(&self, role: u32) -> Option<Rc<[ReadableName]>> {
        self.names.get(&role).cloned()
    }

    /// Caches the names of the tables that the role can read.
    pub(super) fn store_names(&mut self, role: u32, names: Rc<[ReadableName]>) {
        if self.names.len() >= MAX_ROLES {
            self.names.clear();
        }
        self.names.insert(role, names);
    }

    /// The words of all comments, if they are cached and the comments have not changed.
    pub(super) fn comment_words(&self, state: Option<&str>) -> Option<Rc<CommentWords>> {
        let (known, words) = self.comment_words.as_ref()?;
        (known.as_deref() == state).then(|| Rc::clone(words))
    }

    /// Caches the words of all comments.
    pub(super) fn store_comment_words(&mut self, state: Option<&str>, words: Rc<CommentWords>) {
        self.comment_words = Some((state.map(str::to_owned), words));
    }

    /// Invalidates everything that was found under another scope.
    pub(super) fn keep_only(&mut self, scope: &Scope) {
        if self.scope != *scope {
            self.clear();
            self.scope = scope.clone();
        }
    }

    /// Invalidates what the changes may affect. All tables are invalidated when knowledge about any of them
    /// changed.
    pub(super) fn forget(&mut self, changes: &Changes, are_annotations_stale: bool) {
        if changes.is_everything() || are_annotations_stale {
            self.clear();
            return;
        }
        if changes.has_relations() {
            // Any of them may be a new table, or one that the role can read from now on.
            self.searches.clear();
            self.names.clear();
            self.comment_words = None;
            self.generation += 1;
        }
        self.tables.retain(|(_, _, oid), described| {
            let stays = !changes.concern(*oid, &described.watched);
            if !stays {
                self.bytes -= described.bytes;
            }
            stays
        });
    }

    /// Number of tables and their bytes.
    #[cfg(feature = "pg_test")]
    pub(super) fn size(&self) -> (usize, usize) {
        (self.tables.len(), self.bytes)
    }

    fn clear(&mut self) {
        *self = Self {
            clock: self.clock,
            scope: self.scope.clone(),
            generation: self.generation + 1,
            ..Self::default()
        };
    }

    /// Evicts half of the cache: rare large evictions cost less than one at a time.
    fn forget_oldest(&mut self) {
        let mut by_age: Vec<(u64, TableKey)> = self
            .tables
            .iter()
            .map(|(key, described)| (described.last_used, *key))
            .collect();
        by_age.sort_unstable();
        for (_, key) in by_age {
            if self.bytes <= MAX_BYTES / 2 {
                break;
            }
            if let Some(described) = self.tables.remove(&key) {
                self.bytes -= described.bytes;
            }
        }
    }
}

/// Approximate heap size of a table.
fn size_of_table(table: &Table) -> usize {
    let names = |names: &[String]| -> usize {
        names
            .iter()
            .map(|name| name.capacity() + size_of::<String>())
            .sum()
    };
    let column = |column: &Column| -> usize {
        let statistics = column.statistics.as_ref().map_or(0, |facts| {
            names(&facts.most_common_values)
                + facts.most_common_shares.capacity() * size_of::<f64>()
                + facts.lowest.as_ref().map_or(0, String::capacity)
                + facts.highest.as_ref().map_or(0, String::capacity)
        });
        size_of::<Column>()
            + column.name.capacity()
            + column.type_name.capacity()
            + column.domain_base.as_ref().map_or(0, String::capacity)
            + column.comment.as_ref().map_or(0, String::capacity)
            + names(&column.synonyms)
            + column
                .value_meanings
                .iter()
                .map(|(value, meaning)| {
                    size_of::<(String, String)>() + value.capacity() + meaning.capacity()
                })
                .sum::<usize>()
            + names(&column.enum_labels)
            + names(&column.composite_fields)
            + statistics
    };
    size_of::<Table>()
        + table.schema.capacity()
        + table.name.capacity()
        + table.comment.as_ref().map_or(0, String::capacity)
        + names(&table.synonyms)
        + table.partition_key.as_ref().map_or(0, String::capacity)
        + table.distribution.as_ref().map_or(0, String::capacity)
        + table.columns.iter().map(column).sum::<usize>()
        + names(&table.primary_key)
        + table
            .unique_keys
            .iter()
            .map(|key| names(key))
            .sum::<usize>()
        + table
            .foreign_keys
            .iter()
            .chain(table.likely_joins.iter().map(|join| &join.key))
            .map(|key| {
                size_of_val(key)
                    + names(&key.columns)
                    + names(&key.target_columns)
                    + key.target_schema.capacity()
                    + key.target_name.capacity()
            })
            .sum::<usize>()
}
