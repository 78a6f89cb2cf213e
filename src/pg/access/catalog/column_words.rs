//! Column names for searches without an index, cached by the session.
//!
//! A search in SQL would match each of ten thousand names with each pattern for every question. Here the names
//! of a table are a single lower-case text, read once and again when the table changes. They are shared by all
//! roles: visibility is checked when they are used.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use pgrx::pg_sys;
use text2sql_domain::error::Error;

use super::invalidation::Changes;
use super::rows::for_each_column;
use super::words::WordSearch;
use crate::pg::server::spi;
use crate::pg::server::spi::encoding::text_of;

/// Maximum number of tables whose columns are searched: 80,000 names of typical length are 2 MB.
const MAX_TABLES: usize = 4_000;

/// Maximum number of changed tables that are read one by one; above it, all are read again.
const MAX_CHANGED: usize = 400;

const TABLES: &str =
    "SELECT c.oid FROM pg_class c WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
     AND c.oid >= 16384 ORDER BY c.oid LIMIT $1";

/// The names of a table's columns.
#[derive(Debug)]
pub(super) struct ColumnWords {
    numbers: Box<[i16]>,
    /// In column order; each name begins with `_` and ends with a line feed.
    names: Box<str>,
}

#[derive(Default)]
struct Known {
    tables: HashMap<u32, Rc<ColumnWords>>,
    /// Whether all existing tables were read, up to the maximum.
    is_complete: bool,
    /// What changed since then.
    changed: HashSet<u32>,
    /// Made of the tables when it is wanted.
    dictionary: Option<Rc<Dictionary>>,
}

thread_local! {
    /// Never borrowed while a catalog is read, because that may raise an error.
    static KNOWN: RefCell<Known> = RefCell::default();
}

impl ColumnWords {
    fn read(table: u32) -> Self {
        let mut numbers = Vec::new();
        let mut names = String::new();
        for_each_column(table.into(), |column| {
            numbers.push(column.attnum);
            // SAFETY: a name ends with NUL.
            let name = unsafe { text_of(column.attname.data.as_ptr()) };
            parted(&name, &mut names);
            names.push('\n');
        });
        Self {
            numbers: numbers.into(),
            names: names.into(),
        }
    }

    /// Whether a column for which `is_shown` is true contains the word.
    pub(super) fn any(&self, word: &str, is_shown: Option<&dyn Fn(i16) -> bool>) -> bool {
        if !self.names.contains(word) {
            return false;
        }
        let Some(is_shown) = is_shown else {
            return true;
        };
        let mut columns = self.numbers.iter().zip(self.names.lines());
        columns.any(|(number, name)| name.contains(word) && is_shown(*number))
    }
}

/// The distinct names of columns, each with the tables that have it: twenty columns of a thousand tables have some
/// hundred names.
#[derive(Default)]
struct Dictionary(Vec<(Box<str>, Vec<u32>)>);

impl Dictionary {
    fn of(tables: &HashMap<u32, Rc<ColumnWords>>) -> Self {
        let mut by_name: HashMap<&str, Vec<u32>> = HashMap::new();
        for (table, columns) in tables {
            for name in columns.names.lines() {
                by_name.entry(name).or_default().push(*table);
            }
        }
        let names = by_name.into_iter();
        Self(names.map(|(name, tables)| (name.into(), tables)).collect())
    }
}

/// The names of a table's columns.
pub(super) fn of_table(table: u32) -> Rc<ColumnWords> {
    if let Some(known) = KNOWN.with_borrow(|known| known.tables.get(&table).cloned()) {
        return known;
    }
    let words = Rc::new(ColumnWords::read(table));
    KNOWN.with_borrow_mut(|known| {
        if known.tables.len() < MAX_TABLES {
            known.tables.insert(table, Rc::clone(&words));
            known.dictionary = None;
        }
    });
    words
}

/// The tables with columns that contain one of the words, with the number of these columns.
pub(super) fn tables_with(words: &WordSearch) -> Result<HashMap<u32, usize>, Error> {
    complete()?;
    let dictionary = KNOWN.with_borrow_mut(|known| {
        let Known {
            tables, dictionary, ..
        } = known;
        Rc::clone(dictionary.get_or_insert_with(|| Rc::new(Dictionary::of(tables))))
    });
    let mut found: HashMap<u32, usize> = HashMap::new();
    for (name, tables) in &dictionary.0 {
        if words.is_in(name) {
            for table in tables {
                *found.entry(*table).or_default() += 1;
            }
        }
    }
    Ok(found)
}

/// Reads what is missing.
fn complete() -> Result<(), Error> {
    let (is_complete, changed) =
        KNOWN.with_borrow_mut(|known| (known.is_complete, std::mem::take(&mut known.changed)));
    let wanted: Vec<u32> = if is_complete {
        changed.into_iter().filter(|oid| is_table(*oid)).collect()
    } else {
        let most = i64::try_from(MAX_TABLES).unwrap_or(i64::MAX);
        spi::read_rows(TABLES, &[most.into()], 0, |row| {
            Ok(row.read::<pg_sys::Oid>(1)?.map_or(0, pg_sys::Oid::to_u32))
        })?
    };
    for table in wanted {
        of_table(table);
    }
    KNOWN.with_borrow_mut(|known| known.is_complete = true);
    Ok(())
}

fn is_table(oid: u32) -> bool {
    // SAFETY: a look-up in the cache; 0 for a dropped relation.
    let kind = unsafe { pg_sys::get_rel_relkind(oid.into()) };
    matches!(kind.cast_unsigned(), b'r' | b'p' | b'v' | b'm' | b'f')
}

/// Removes what changed.
pub(super) fn forget(changes: &Changes) {
    KNOWN.with_borrow_mut(|known| {
        if changes.is_everything() {
            *known = Known::default();
            return;
        }
        for relation in changes.relations() {
            if known.tables.remove(&relation).is_some() {
                known.dictionary = None;
            }
            known.changed.insert(relation);
        }
        if known.changed.len() > MAX_CHANGED {
            known.is_complete = false;
            known.changed.clear();
        }
    });
}

/// Writes a name in lower case with its parts separated by `_`, and a leading `_`.
pub(super) fn parted(name: &str, text: &mut String) {
    text.push('_');
    let mut follows_small = false;
    for letter in name.chars() {
        if letter.is_uppercase() && follows_small {
            text.push('_');
        }
        follows_small = letter.is_lowercase() || letter.is_numeric();
        match letter {
            // Ends a name.
            '\n' => text.push('_'),
            letter => text.extend(letter.to_lowercase()),
        }
    }
}
