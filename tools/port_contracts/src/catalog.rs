//! The contract of [`Catalog`], and a test double.

use std::sync::Arc;

use super::world::{World, tables};
use text2sql_domain::error::Error;
use text2sql_domain::ports::Catalog;
use text2sql_domain::schema::{Column, Table};

/// A catalog of given tables, all readable except the hidden ones.
#[derive(Debug, Default)]
pub struct MemoryCatalog {
    tables: Vec<Arc<Table>>,
    hidden: Vec<u32>,
}

impl MemoryCatalog {
    /// A catalog of these tables.
    pub fn new(tables: Vec<Arc<Table>>) -> Self {
        Self {
            tables,
            hidden: Vec::new(),
        }
    }

    /// Makes a table unreadable for the caller.
    pub fn hide(&mut self, table: u32) {
        self.hidden.push(table);
    }

    fn readable(&self) -> Vec<&Arc<Table>> {
        let mut readable: Vec<&Arc<Table>> = self
            .tables
            .iter()
            .filter(|table| !self.hidden.contains(&table.oid))
            .collect();
        readable.sort_by_key(|table| (&table.schema, &table.name));
        readable
    }
}

/// Whether a part of a name begins with the word or, for words of four letters and more, the name contains it.
fn is_in(name: &str, word: &str) -> bool {
    let name = name.to_lowercase();
    match word.chars().count() {
        0..3 => false,
        3 => name.split('_').any(|part| part.starts_with(word)),
        _ => name.contains(word),
    }
}

/// Number of words that match a table's name, columns and comment.
type Hits = (usize, usize, usize);

impl Catalog for MemoryCatalog {
    fn count(&self, at_most: usize) -> Result<usize, Error> {
        Ok(self.readable().len().min(at_most.saturating_add(1)))
    }

    fn find(&self, words: &[String], limit: usize) -> Result<Vec<u32>, Error> {
        let hits = |table: &Table| {
            let in_name = |word: &&String| is_in(&table.name, word);
            let in_column = |word: &&String| {
                let mut columns = table.columns.iter();
                columns.any(|column| is_in(&column.name, word))
            };
            let in_comment = |word: &&String| {
                let comment = table.comment.as_deref().unwrap_or_default();
                is_in(comment, word)
            };
            (
                words.iter().filter(in_name).count(),
                words.iter().filter(in_column).count(),
                words.iter().filter(in_comment).count(),
            )
        };
        let mut found: Vec<(Hits, &Arc<Table>)> = self
            .readable()
            .into_iter()
            .map(|table| (hits(table), table))
            .filter(|(hits, _)| words.is_empty() || *hits != (0, 0, 0))
            .collect();
        if !words.is_empty() {
            found.sort_by(|one, other| {
                let shorter = |table: &Table| table.name.chars().count();
                other
                    .0
                    .cmp(&one.0)
                    .then(shorter(one.1).cmp(&shorter(other.1)))
            });
        }
        let oids = found.into_iter().take(limit).map(|(_, table)| table.oid);
        Ok(oids.collect())
    }

    fn describe(&self, oids: &[u32]) -> Result<Vec<Arc<Table>>, Error> {
        let readable = self.readable();
        let of = |oid: &u32| readable.iter().find(|table| table.oid == *oid);
        let tables = oids.iter().filter_map(of);
        Ok(tables.map(|table| Arc::clone(table)).collect())
    }

    fn find_forbidden(&self, words: &[String], limit: usize) -> Result<Vec<String>, Error> {
        let hidden = self.tables.iter().filter(|table| {
            self.hidden.contains(&table.oid) && words.iter().any(|word| is_in(&table.name, word))
        });
        Ok(hidden.take(limit).map(|table| table.sql_name()).collect())
    }
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// What any catalog must do when called by `contract_caller`.
pub fn catalog(catalog: &dyn Catalog, world: &World) {
    let find = |list: &[&str], limit| catalog.find(&words(list), limit).expect("find");
    let oid = |name: &str| world.table(name);

    // Counts are exact up to the limit, and may stop above it.
    assert_eq!(
        catalog.count(100).expect("count"),
        6,
        "wages is not counted"
    );
    assert!(
        (3..=6).contains(&catalog.count(3).expect("count")),
        "a bound of 3"
    );

    // Without words: ordered by schema and name.
    let all = find(&[], 100);
    let in_order = [
        "Größen",
        "clients",
        "regions",
        "sales",
        "visits_2023",
        "visits_2024",
    ];
    assert_eq!(all.len(), in_order.len(), "all that may be read");
    assert!(
        in_order.iter().all(|name| all.contains(&oid(name))),
        "each once"
    );
    assert_eq!(find(&[], 2), all[..2], "the first of them");
    assert!(
        find(&[], 0).is_empty() && find(&["sales"], 0).is_empty(),
        "a limit of 0"
    );

    // With words: names before columns before comments, and only matches.
    assert_eq!(find(&["sales"], 10).first(), Some(&oid("sales")));
    assert_eq!(find(&["sold"], 10), [oid("sales")], "a comment");
    assert_eq!(
        find(&["amount"], 10),
        [oid("sales")],
        "a column; not that of wages"
    );
    assert_eq!(
        find(&["größen"], 10),
        [oid("Größen")],
        "whatever its case, any letters"
    );
    assert!(find(&["nothing_like_it"], 10).is_empty());
    assert!(find(&["%", "_", "\\"], 10).is_empty(), "no patterns");
    assert!(
        find(&["wages"], 10).is_empty(),
        "what may not be read is not there"
    );
    assert_eq!(
        find(&["sales", "sales"], 10),
        find(&["sales"], 10),
        "twice the same"
    );
    let once = find(&["client", "region"], 10);
    assert_eq!(once, find(&["client", "region"], 10), "the same each time");
    assert_eq!(
        find(&["client", "region"], 2),
        once[..2],
        "a limit takes the best"
    );

    // Descriptions come in the requested order, and only for readable tables.
    let asked = [oid("sales"), oid("wages"), 0, oid("regions")];
    let described = catalog.describe(&asked).expect("describe");
    let names: Vec<&str> = described.iter().map(|table| table.name.as_str()).collect();
    assert_eq!(
        names,
        ["sales", "regions"],
        "nothing of what may not be read"
    );
    assert!(catalog.describe(&[]).expect("describe").is_empty());
    let outlined = catalog.outline(&asked).expect("outline");
    let outlined: Vec<&str> = outlined.iter().map(|table| table.name.as_str()).collect();
    assert_eq!(outlined, names, "an outline is of the same tables");
    let columns = |table: &Table| {
        let columns = table.columns.iter();
        let column = |column: &Column| {
            (
                column.number,
                column.name.clone(),
                column.type_name.clone(),
                column.category,
            )
        };
        columns.map(column).collect::<Vec<_>>()
    };
    let all = catalog.describe(&world.tables).expect("describe");
    for found in &all {
        let known = tables(&world.tables);
        let known = known.iter().find(|known| known.oid == found.oid);
        let known = known.expect("a table of the world");
        assert_eq!(known.name, found.name);
        assert_eq!(columns(known), columns(found), "{}", known.name);
        assert_eq!(known.comment, found.comment, "{}", known.name);
        let targets = |table: &Table| {
            let keys = table.foreign_keys.iter();
            let mut targets: Vec<u32> = keys.map(|key| key.target).collect();
            targets.sort_unstable();
            targets
        };
        assert_eq!(targets(known), targets(found), "{}", known.name);
    }

    // Only this method names objects that the caller may not read.
    let forbidden = |list: &[&str], limit| {
        catalog
            .find_forbidden(&words(list), limit)
            .expect("find_forbidden")
    };
    assert_eq!(forbidden(&["wages"], 10), ["shop.wages"]);
    assert!(forbidden(&["sales"], 10).is_empty() && forbidden(&[], 10).is_empty());
    assert!(forbidden(&["wages"], 0).is_empty(), "a limit of 0");
}
