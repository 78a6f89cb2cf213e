//! Makes the names of a catalog as hard to read as those of many real ones: words are abbreviated and written
//! together. Always the same, so that two measurements are about the same names.
//!
//! Within a schema a word is always abbreviated in one way, and all names are written in one style. Of ten
//! words of five letters or more, four stay, two are cut after four letters, two lose their vowels, and two
//! lose them and all after the fourth letter; usual abbreviations replace their words in half of the schemas.
//! Styles: words apart, written together, `tblWordWord`, `T_WORD_WORD`. Comments say the names in full words
//! and are left out.

use std::collections::{HashMap, HashSet};

use text2sql_domain::schema::Table;
use text2sql_language::terms::split;

/// Abbreviations that everybody writes.
const USUAL: &[(&str, &str)] = &[
    ("account", "acct"),
    ("address", "addr"),
    ("amount", "amt"),
    ("average", "avg"),
    ("building", "bldg"),
    ("category", "cat"),
    ("code", "cd"),
    ("country", "ctry"),
    ("course", "crs"),
    ("customer", "cust"),
    ("date", "dt"),
    ("department", "dept"),
    ("description", "desc"),
    ("document", "doc"),
    ("employee", "emp"),
    ("history", "hist"),
    ("invoice", "inv"),
    ("location", "loc"),
    ("manager", "mgr"),
    ("name", "nm"),
    ("number", "no"),
    ("order", "ord"),
    ("payment", "pmt"),
    ("product", "prod"),
    ("quantity", "qty"),
    ("staff", "stf"),
    ("status", "stat"),
    ("student", "stu"),
    ("transaction", "txn"),
    ("type", "typ"),
    ("year", "yr"),
];

/// Words of fewer letters are not shortened.
const SHORTEST: usize = 5;

/// Renames all tables and columns; with `without_keys`, no table has keys.
pub(crate) fn garble(tables: &mut [Table], without_keys: bool) {
    let mut names: HashMap<u32, String> = HashMap::new();
    let mut columns: HashMap<(u32, String), String> = HashMap::new();
    let mut taken: HashSet<(String, String)> = HashSet::new();
    for table in tables.iter() {
        let name = unique(garbled(&table.schema, &table.name, true), |name| {
            taken.insert((table.schema.clone(), name.to_lowercase()))
        });
        names.insert(table.oid, name);
        let mut taken: HashSet<String> = HashSet::new();
        for column in &table.columns {
            let name = unique(garbled(&table.schema, &column.name, false), |name| {
                taken.insert(name.to_lowercase())
            });
            columns.insert((table.oid, column.name.clone()), name);
        }
    }
    let of_column = |table: u32, name: &str| -> String {
        let known = columns.get(&(table, name.to_owned()));
        known.map_or_else(|| name.to_owned(), Clone::clone)
    };
    for table in tables {
        let oid = table.oid;
        let rename = |names: &mut Vec<String>, table: u32| {
            for name in names {
                *name = of_column(table, name);
            }
        };
        rename(&mut table.primary_key, oid);
        for key in &mut table.unique_keys {
            rename(key, oid);
        }
        for key in &mut table.foreign_keys {
            rename(&mut key.columns, oid);
            rename(&mut key.target_columns, key.target);
            if let Some(name) = names.get(&key.target) {
                key.target_name.clone_from(name);
            }
        }
        for column in &mut table.columns {
            column.name = of_column(oid, &column.name);
            column.comment = None;
        }
        if let Some(name) = names.get(&oid) {
            table.name.clone_from(name);
        }
        table.comment = None;
        if without_keys {
            table.foreign_keys.clear();
            table.primary_key.clear();
            table.unique_keys.clear();
        }
    }
}

fn unique(name: String, mut take: impl FnMut(&str) -> bool) -> String {
    if take(&name) {
        return name;
    }
    let numbered = (2..).map(|number| format!("{name}{number}"));
    numbered.into_iter().find(|name| take(name)).unwrap_or(name)
}

fn garbled(schema: &str, name: &str, is_table: bool) -> String {
    let words: Vec<String> = split(name)
        .iter()
        .map(|word| shortened(schema, word))
        .collect();
    let capital = |word: &String| -> String {
        let mut letters = word.chars();
        let first = letters.next().into_iter().flat_map(char::to_uppercase);
        first.chain(letters).collect()
    };
    match dice(schema, "style") % 4 {
        0 => words.join("_"),
        1 => words.concat(),
        2 => {
            let joined: String = words.iter().map(capital).collect();
            if is_table {
                format!("tbl{joined}")
            } else {
                joined
            }
        }
        _ => {
            let joined = words.join("_").to_uppercase();
            if is_table {
                format!("T_{joined}")
            } else {
                joined
            }
        }
    }
}

fn shortened(schema: &str, word: &str) -> String {
    let singular = word.strip_suffix('s').unwrap_or(word);
    if dice(schema, "usual").is_multiple_of(2)
        && let Some((_, short)) = USUAL
            .iter()
            .find(|(long, _)| *long == word || *long == singular)
    {
        return (*short).to_owned();
    }
    if word.chars().count() < SHORTEST {
        return word.to_owned();
    }
    let without_vowels = || {
        let (first, rest) = word.split_at(word.chars().next().map_or(0, char::len_utf8));
        let rest = rest.chars().filter(|letter| !"aeiou".contains(*letter));
        first.chars().chain(rest).collect::<String>()
    };
    match dice(schema, word) % 10 {
        0..4 => word.to_owned(),
        4..6 => word.chars().take(4).collect(),
        6..8 => without_vowels(),
        _ => without_vowels().chars().take(4).collect(),
    }
}

/// FNV-1a: any number that depends on both and never changes.
fn dice(schema: &str, word: &str) -> u64 {
    let bytes = schema.bytes().chain([0]).chain(word.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    }) >> 7
}

#[cfg(test)]
mod tests {
    use super::*;
    use text2sql_domain::schema::{Column, ForeignKey};

    #[test]
    fn names_change_everywhere_and_always_alike() {
        let column = |number, name: &str| Column {
            number,
            name: name.into(),
            comment: Some("the customer's address".into()),
            ..Column::default()
        };
        let customer = Table {
            oid: 1,
            schema: "shop".into(),
            name: "customers".into(),
            columns: vec![column(1, "customer_id"), column(2, "customer_address")],
            primary_key: vec!["customer_id".into()],
            ..Table::default()
        };
        let order = Table {
            oid: 2,
            schema: "shop".into(),
            name: "orders".into(),
            columns: vec![column(1, "customer_id")],
            foreign_keys: vec![ForeignKey {
                columns: vec!["customer_id".into()],
                target: 1,
                target_name: "customers".into(),
                target_columns: vec!["customer_id".into()],
                ..ForeignKey::default()
            }],
            ..Table::default()
        };
        let mut tables = vec![customer, order];
        let mut again = tables.clone();
        garble(&mut tables, false);
        assert_ne!(tables[0].columns[1].name, "customer_address");
        assert_eq!(tables[0].primary_key, [tables[0].columns[0].name.clone()]);
        let key = &tables[1].foreign_keys[0];
        assert_eq!(key.columns, [tables[1].columns[0].name.clone()]);
        assert_eq!(key.target_columns, tables[0].primary_key);
        assert_eq!(key.target_name, tables[0].name);
        assert!(tables[0].columns.iter().all(|c| c.comment.is_none()));
        garble(&mut again, true);
        assert_eq!(again[0].name, tables[0].name);
        assert!(again[1].foreign_keys.is_empty() && again[0].primary_key.is_empty());
    }
}
