//! The text of each table of a schema, written once and remembered by this thread: a question writes
//! the same tables as the one before it, and each of them three times (does all of it fit, what is
//! cut, the prompt itself).

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::{Arc, Weak};

use super::{render_table, target_name};
use text2sql_domain::config::Egress;
use text2sql_domain::schema::Table;

/// Most bytes of text remembered: a few prompts of the largest usual size. A pooled backend lives for
/// days.
const MAX_BYTES: usize = 1024 * 1024;

/// A table's text in a prompt.
#[derive(Debug)]
pub(super) struct Rendered {
    /// The text, with an empty line at its end.
    pub(super) text: String,
    /// Its length in characters.
    pub(super) chars: usize,
}

/// What a text was made from.
struct Remembered {
    // So that no other table comes to lie at the same address. Weak: what was described anew takes ten
    // times the memory of its text, and the catalog may change at every question of a long session.
    table: Weak<Table>,
    targets: Vec<String>,
    rendered: Rc<Rendered>,
}

#[derive(Default)]
struct Memory {
    texts: HashMap<(*const Table, Egress), Remembered>,
    bytes: usize,
}

thread_local! {
    static MEMORY: RefCell<Memory> = RefCell::new(Memory::default());
}

/// The text of `table` where it stands among `tables`.
pub(super) fn rendered(table: &Arc<Table>, tables: &[Arc<Table>], egress: Egress) -> Rc<Rendered> {
    // The only thing about the others that is in it.
    let targets: Vec<String> = table
        .foreign_keys
        .iter()
        .map(|key| target_name(key, tables))
        .collect();
    let key = (Arc::as_ptr(table), egress);
    let known = MEMORY.with_borrow(|memory| {
        let known = memory.texts.get(&key)?;
        (known.targets == targets).then(|| Rc::clone(&known.rendered))
    });
    if let Some(known) = known {
        return known;
    }
    let text = render_table(table, tables, egress);
    let chars = text.chars().count();
    let rendered = Rc::new(Rendered { text, chars });
    // One that nobody else holds, such as a table just cut, will not come again.
    if Arc::strong_count(table) > 1 {
        MEMORY.with_borrow_mut(|memory| {
            memory.bytes += rendered.text.len();
            if memory.bytes > MAX_BYTES {
                *memory = Memory {
                    bytes: rendered.text.len(),
                    ..Memory::default()
                };
            }
            let remembered = Remembered {
                table: Arc::downgrade(table),
                targets,
                rendered: Rc::clone(&rendered),
            };
            if let Some(replaced) = memory.texts.insert(key, remembered) {
                memory.bytes -= replaced.rendered.text.len();
                debug_assert!(std::ptr::eq(replaced.table.as_ptr(), Arc::as_ptr(table)));
            }
        });
    }
    rendered
}

#[cfg(test)]
mod tests {
    use super::*;
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
        rendered(&orders, &shown, Egress::Schema);
        let remains = Arc::downgrade(&orders);
        drop((orders, shown));
        assert!(remains.upgrade().is_none());
        // Another one is written anew, wherever it lies.
        let renamed = Arc::new(table(7, "purchases"));
        let shown = [Arc::clone(&renamed)];
        let text = &rendered(&renamed, &shown, Egress::Schema).text;
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
        let first = rendered(&orders, &both, Egress::Schema);
        assert!(first.text.contains("countries(country_id)"));
        assert_eq!(first.chars, first.text.chars().count());
        let again = rendered(&orders, &both, Egress::Schema);
        assert!(Rc::ptr_eq(&first, &again), "the same text");
        // A target that is not shown is written with its schema.
        let alone = [Arc::clone(&orders)];
        let other = rendered(&orders, &alone, Egress::Schema);
        assert!(other.text.contains("public.countries(country_id)"));
        // The same table described anew is another one.
        let renamed = Arc::new(table(1, "purchases"));
        let shown = [Arc::clone(&renamed)];
        assert!(
            rendered(&renamed, &shown, Egress::Schema)
                .text
                .starts_with("purchases")
        );
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let mut kept = Vec::new();
        for oid in 0..3_000 {
            let mut wide = table(oid, "wide");
            wide.comment = Some("x".repeat(400));
            kept.push(Arc::new(wide));
        }
        for table in &kept {
            rendered(table, &[Arc::clone(table)], Egress::Schema);
        }
        MEMORY.with_borrow(|memory| {
            let bytes: usize = memory
                .texts
                .values()
                .map(|one| one.rendered.text.len())
                .sum();
            assert_eq!(bytes, memory.bytes);
            assert!(bytes <= MAX_BYTES && memory.texts.len() > 100);
        });
    }
}
