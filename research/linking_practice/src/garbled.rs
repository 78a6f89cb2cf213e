//! Makes the names of a catalog as hard to read as those of many real ones, see [`garbled_name`]. Comments say the names
//! in full words and are left out.

use std::collections::{HashMap, HashSet};

use practice_catalog::garbled_name;
use text2sql_domain::schema::Table;

/// Renames all tables and columns; with `without_keys`, no table has keys.
pub(crate) fn garble(tables: &mut [Table], without_keys: bool) {
    let mut names: HashMap<u32, String> = HashMap::new();
    let mut columns: HashMap<(u32, String), String> = HashMap::new();
    let mut taken: HashSet<(String, String)> = HashSet::new();
    for table in tables.iter() {
        let name = unique(garbled_name(&table.schema, &table.name, true), |name| {
            taken.insert((table.schema.clone(), name.to_lowercase()))
        });
        names.insert(table.oid, name);
        let mut taken: HashSet<String> = HashSet::new();
        for column in &table.columns {
            let name = unique(garbled_name(&table.schema, &column.name, false), |name| {
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
