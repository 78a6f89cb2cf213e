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

/// Words by which a text says that something is not there.
const ABSENCE: [&str; 6] = ["no", "not", "lack", "lacks", "missing", "without"];

/// What a text claims not to exist: its clauses with such a word.
pub(crate) fn claims(text: &str) -> Vec<String> {
    let says_so = |clause: &&str| {
        let mut words = clause.split_whitespace();
        words.any(|word| ABSENCE.contains(&word.to_lowercase().as_str()))
    };
    let clauses = text.split(['.', ',', ';', ':', '?', '!', '(', ')', '–', '—']);
    clauses.filter(says_so).map(str::to_owned).collect()
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
            (
                " There is no table kennels",
                Some("the schema has the table kennels"),
            ),
            ("the owners of kennels", None),
            ("yard_size in square feet", None),
            ("dogs", None),
            ("", None),
        ] {
            assert_eq!(disproved(claim, &tables).as_deref(), proof, "{claim}");
        }
    }

    #[test]
    fn a_question_back_claims_what_its_clauses_deny() {
        let asked = "There is no table kennels; do you mean the yards, or shelters?";
        assert_eq!(claims(asked), ["There is no table kennels"]);
        assert!(claims("By number of dogs, or by size?").is_empty());
    }
}
