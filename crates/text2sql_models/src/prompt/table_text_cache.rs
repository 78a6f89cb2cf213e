//! A cache of table texts, one for each thread: a question needs the same tables as the one before it,
//! and each of them three times (does all of it fit, what is cut, the prompt itself).

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::{Arc, Weak};

use super::samples;
use super::table_text::render_table;
use text2sql_domain::schema::Table;
use text2sql_domain::shown::Shows;

/// Maximum size of the cached texts: a few prompts of the largest usual size. A pooled backend lives for
/// days.
const MAX_BYTES: usize = 1024 * 1024;

/// A table's text in a prompt.
#[derive(Debug)]
pub(super) struct TableText {
    /// The text, with an empty line at its end.
    pub(super) text: String,
    /// Its length in characters.
    pub(super) chars: usize,
    /// The signs in it whose meaning a legend gives.
    pub(super) signs: Signs,
}

/// Signs of values in the text of a table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Signs {
    /// `{'a', 'b'}`: the values that are allowed.
    pub(super) allowed: bool,
    /// `['A' = active]`: what values mean.
    pub(super) meanings: bool,
    /// `one of 'a', 'b'`: all values there are.
    pub(super) all: bool,
    /// `e.g. 'a'`: frequent values.
    pub(super) frequent: bool,
    /// Samples that the owner consented to show, that the owner wrote, and that were invented.
    pub(super) consented: bool,
    pub(super) written: bool,
    pub(super) invented: bool,
}

impl Signs {
    fn of(text: &str) -> Self {
        let has = |sign: &str| text.contains(sign);
        Self {
            allowed: has(" {'"),
            meanings: has(" ['"),
            all: has(" one of "),
            frequent: has(" e.g. '"),
            consented: has(samples::CONSENTED),
            written: has(samples::WRITTEN),
            invented: has(samples::INVENTED),
        }
    }

    /// The union of both texts' facts.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            allowed: self.allowed || other.allowed,
            meanings: self.meanings || other.meanings,
            all: self.all || other.all,
            frequent: self.frequent || other.frequent,
            consented: self.consented || other.consented,
            written: self.written || other.written,
            invented: self.invented || other.invented,
        }
    }
}

/// A text, and what it was made from.
struct CachedText {
    // Keeps another table from being allocated at the same address. Weak, because a table takes ten times
    // the memory of its text, and the catalog may change at every question of a long session.
    table: Weak<Table>,
    // All that the text holds of other tables are the names of those that keys and joins lead to.
    targets: Vec<Weak<Table>>,
    text: Rc<TableText>,
}

#[derive(Default)]
struct Cache {
    texts: HashMap<(*const Table, Shows), CachedText>,
    bytes: usize,
}

thread_local! {
    static CACHE: RefCell<Cache> = RefCell::new(Cache::default());
}

/// The text of `table` among `tables`.
pub(super) fn table_text(table: &Arc<Table>, tables: &[Arc<Table>], shows: Shows) -> Rc<TableText> {
    let key = (Arc::as_ptr(table), shows);
    let known = CACHE.with_borrow(|cache| {
        let known = cache.texts.get(&key)?;
        let places = known.targets.iter().map(Weak::as_ptr);
        places
            .eq(targets(table, tables))
            .then(|| Rc::clone(&known.text))
    });
    if let Some(known) = known {
        return known;
    }
    let text = render_table(table, tables, shows);
    let new_text = Rc::new(TableText {
        chars: text.chars().count(),
        signs: Signs::of(&text),
        text,
    });
    // A table that nobody else holds, such as one that was just cut, is not asked for again.
    if Arc::strong_count(table) > 1 {
        CACHE.with_borrow_mut(|cache| {
            cache.bytes += new_text.text.len();
            if cache.bytes > MAX_BYTES {
                *cache = Cache {
                    bytes: new_text.text.len(),
                    ..Cache::default()
                };
            }
            let cached = CachedText {
                table: Arc::downgrade(table),
                targets: held_targets(table, tables),
                text: Rc::clone(&new_text),
            };
            if let Some(replaced) = cache.texts.insert(key, cached) {
                cache.bytes -= replaced.text.text.len();
                debug_assert!(std::ptr::eq(replaced.table.as_ptr(), Arc::as_ptr(table)));
            }
        });
    }
    new_text
}

/// Where the tables lie that keys and joins of `table` lead to; a dangling place for one that is not among `tables`,
/// whose name is in the key.
fn targets<'a>(
    table: &'a Table,
    tables: &'a [Arc<Table>],
) -> impl Iterator<Item = *const Table> + 'a {
    let none = Weak::<Table>::new();
    held(table, tables).map(move |target| target.map_or(none.as_ptr(), Arc::as_ptr))
}

/// The same, held so that no other table comes to lie there.
fn held_targets(table: &Table, tables: &[Arc<Table>]) -> Vec<Weak<Table>> {
    held(table, tables)
        .map(|target| target.map_or_else(Weak::new, Arc::downgrade))
        .collect()
}

fn held<'a>(
    table: &'a Table,
    tables: &'a [Arc<Table>],
) -> impl Iterator<Item = Option<&'a Arc<Table>>> {
    let likely = table.likely_joins.iter().map(|join| &join.key);
    let keys = table.foreign_keys.iter().chain(likely);
    keys.map(|key| tables.iter().find(|other| other.oid == key.target))
}

#[cfg(test)]
mod tests {
    use super::*;
    use text2sql_domain::config::Egress;
    use text2sql_domain::schema::{Column, ForeignKey};

    fn table(oid: u32, name: &str) -> Table {
        Table {
            oid,
            schema: "public".into(),
            name: name.into(),
            is_visible: true,
            columns: vec![Column {
                number: 1,
                name: "country_id".into(),
                type_name: "integer".into(),
                ..Column::default()
            }],
            ..Table::default()
        }
    }

    #[test]
    fn what_the_catalog_forgets_is_not_held() {
        let orders = Arc::new(table(7, "orders"));
        let shown = [Arc::clone(&orders)];
        table_text(&orders, &shown, Egress::Schema.into());
        let remains = Arc::downgrade(&orders);
        drop((orders, shown));
        assert!(remains.upgrade().is_none());
        // Another one is written anew, wherever it lies.
        let renamed = Arc::new(table(7, "purchases"));
        let shown = [Arc::clone(&renamed)];
        let text = &table_text(&renamed, &shown, Egress::Schema.into()).text;
        assert!(text.starts_with("purchases"));
    }

    #[test]
    fn a_text_is_written_once_and_anew_when_anything_in_it_changed() {
        let mut orders = table(1, "orders");
        orders.foreign_keys.push(ForeignKey {
            columns: vec!["country_id".into()],
            target: 2,
            target_schema: "public".into(),
            target_name: "countries".into(),
            target_columns: vec!["country_id".into()],
            ..ForeignKey::default()
        });
        let orders = Arc::new(orders);
        let countries = Arc::new(table(2, "countries"));
        let both = [Arc::clone(&orders), Arc::clone(&countries)];
        let first = table_text(&orders, &both, Egress::Schema.into());
        assert!(first.text.contains("countries(country_id)"));
        assert_eq!(first.chars, first.text.chars().count());
        let again = table_text(&orders, &both, Egress::Schema.into());
        assert!(Rc::ptr_eq(&first, &again), "the same text");
        // A target that is not shown is written with its schema.
        let alone = [Arc::clone(&orders)];
        let other = table_text(&orders, &alone, Egress::Schema.into());
        assert!(other.text.contains("public.countries(country_id)"));
        // The same table described anew is another one.
        let renamed = Arc::new(table(1, "purchases"));
        let shown = [Arc::clone(&renamed)];
        assert!(
            table_text(&renamed, &shown, Egress::Schema.into())
                .text
                .starts_with("purchases")
        );
    }

    #[test]
    fn the_cache_is_bounded() {
        let mut kept = Vec::new();
        for oid in 0..3_000 {
            let mut wide = table(oid, "wide");
            wide.comment = Some("x".repeat(400));
            kept.push(Arc::new(wide));
        }
        for table in &kept {
            table_text(table, &[Arc::clone(table)], Egress::Schema.into());
        }
        CACHE.with_borrow(|cache| {
            let bytes: usize = cache.texts.values().map(|one| one.text.text.len()).sum();
            assert_eq!(bytes, cache.bytes);
            assert!(bytes <= MAX_BYTES && cache.texts.len() > 100);
        });
    }
}
