//! What stages make from a table, made once and kept with it: the next question asks about the same
//! tables.

use std::fmt;
use std::sync::OnceLock;

use crate::builtin::TableNames;
use crate::schema::{Table, quote_identifier};

/// Kept with a [`Table`], and no part of what it is: two tables are equal whatever they remember, and a
/// copy, which may be changed, remembers nothing.
#[derive(Default)]
pub struct Remembered {
    /// For the linker of the built-in engine.
    pub(crate) names: OnceLock<TableNames>,
    words: OnceLock<String>,
    sql_names: OnceLock<SqlNames>,
}

/// The name of a table as SQL needs it.
pub(crate) struct SqlNames {
    pub(crate) bare: String,
    pub(crate) with_schema: String,
}

impl Remembered {
    /// The table's name as SQL needs it.
    pub(crate) fn sql_names(table: &Table) -> &SqlNames {
        table.remembered.sql_names.get_or_init(|| {
            let bare = quote_identifier(&table.name);
            SqlNames {
                with_schema: format!("{}.{bare}", quote_identifier(&table.schema)),
                bare,
            }
        })
    }

    /// Whether anything of the table is called so, the word being a part of a name or of another word
    /// for it, in small letters.
    pub(crate) fn is_called(table: &Table, word: &str) -> bool {
        let words = table.remembered.words.get_or_init(|| {
            let columns = table.columns.iter();
            let own = std::iter::once(&table.name).chain(&table.synonyms);
            let names = own.chain(
                columns.flat_map(|column| std::iter::once(&column.name).chain(&column.synonyms)),
            );
            let mut words = String::new();
            for name in names {
                words.push_str(&name.to_lowercase());
                // No word of a question holds one.
                words.push('\n');
            }
            words
        });
        words.contains(word)
    }
}

impl Clone for Remembered {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for Remembered {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Debug for Remembered {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Remembered")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_remembered_is_no_part_of_a_table() {
        let table = Table {
            name: "Orders".into(),
            synonyms: vec!["Purchases".into()],
            ..Table::default()
        };
        assert!(Remembered::is_called(&table, "order"));
        assert!(Remembered::is_called(&table, "purchase"));
        assert!(!Remembered::is_called(&table, "orderspurchases"));
        let mut copy = table.clone();
        assert_eq!(copy, table);
        copy.name = "returns".into();
        assert!(Remembered::is_called(&copy, "return"));
        assert!(!Remembered::is_called(&copy, "order"));
    }
}
