//! What a model calls missing, against the schema that it was shown.

use std::sync::Arc;

use text2sql_domain::schema::Table;

/// Words around a name in such a claim.
const AROUND: [&str; 32] = [
    "a", "an", "the", "no", "not", "there", "is", "are", "table", "tables", "column", "columns",
    "field", "named", "called", "schema", "database", "lacks", "lack", "missing", "does", "do",
    "have", "has", "hold", "exist", "exists", "contain", "any", "of", "in", "data",
];

/// The proof that a claim is wrong: the table or the column that it names, and nothing else, exists.
pub(crate) fn disproved(claim: &str, tables: &[Arc<Table>]) -> Option<String> {
    let lower = claim.to_lowercase();
    let names: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty() && !AROUND.contains(word))
        .collect();
    let table_of = |name: &str| {
        tables
            .iter()
            .find(|table| table.name.to_lowercase() == name)
    };
    let column_of = |table: &Arc<Table>, name: &str| {
        let mut columns = table.columns.iter();
        columns.any(|column| column.name.to_lowercase() == name)
    };
    let has_column = |table: &Arc<Table>, name: &str| {
        format!(
            "the schema has the column \"{name}\" in {}",
            table.sql_name()
        )
    };
    match names.as_slice() {
        [name] => match table_of(name) {
            Some(table) => Some(format!("the schema has the table {}", table.sql_name())),
            None => {
                let mut with = tables.iter().filter(|table| column_of(table, name));
                with.next().map(|table| has_column(table, name))
            }
        },
        [first, second] => {
            let pairs = [(first, second), (second, first)];
            pairs.into_iter().find_map(|(table, column)| {
                let table = table_of(table).filter(|table| column_of(table, column))?;
                Some(has_column(table, column))
            })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use text2sql_domain::schema_fixture::Build;

    #[test]
    fn only_a_claim_about_a_name_that_exists_is_disproved() {
        let tables = [Build::table(1, "kennels")
            .columns("kennel_id integer!, yard_size integer")
            .done()];
        for (claim, proof) in [
            (
                "The schema lacks the table `kennels`",
                Some("the schema has the table kennels"),
            ),
            (
                "column yard_size",
                Some("the schema has the column \"yard_size\" in kennels"),
            ),
            (
                "kennels.yard_size",
                Some("the schema has the column \"yard_size\" in kennels"),
            ),
            (
                "the column yard_size of the table kennels",
                Some("the schema has the column \"yard_size\" in kennels"),
            ),
            ("the owners of kennels", None),
            ("yard_size in square feet", None),
            ("dogs", None),
            ("", None),
        ] {
            assert_eq!(disproved(claim, &tables).as_deref(), proof, "{claim}");
        }
    }
}
