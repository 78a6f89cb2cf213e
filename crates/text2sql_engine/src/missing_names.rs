//! What a model calls missing, against the schema that it was shown.

use std::sync::Arc;
use text2sql_domain::words;

use text2sql_domain::schema::{Table, quote_identifier};
use text2sql_language::names::{plural, singular};
use text2sql_phrases::{Language, say_in};

/// Words around a name in such a claim.
const AROUND: [&str; 43] = *words!(
    "a, an, the, no, not, there, is, are, table, tables, column, columns, field, fields, named, \
     called, schema, database, lacks, lack, lacking, missing, does, do, doesn, t, have, has, \
     hold, exist, exists, contain, any, of, in, on, for, about, such, data, information, \
     attribute, s"
);

/// What exists although a model calls it missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Present {
    /// A table, by its SQL name.
    Table(String),
    /// A column, and the SQL name of its table.
    Column(String, String),
}

impl Present {
    /// That it exists, as a clause of a sentence.
    pub(crate) fn in_words(&self, language: Language) -> String {
        match self {
            Self::Table(table) => {
                say_in!(language, "the schema has the table {table}")
            }
            Self::Column(column, table) => {
                say_in!(language, "the schema has the column {column} in {table}")
            }
        }
    }
}

/// What was refused although all of it exists.
pub(crate) fn refusal(present: &[Present], language: Language) -> String {
    let clauses = present.iter().map(|one| one.in_words(language));
    let and = format!(" {} ", say_in!(language, "and"));
    let clauses = clauses.collect::<Vec<_>>().join(&and);
    say_in!(language, "the model wrote no query, although {clauses}")
}

/// The proof that a claim is wrong: the table or the column that it names, and nothing else, exists.
pub(crate) fn disproved(claim: &str, tables: &[Arc<Table>]) -> Option<Present> {
    let lower = claim.to_lowercase();
    let names: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty() && !AROUND.contains(word))
        .collect();
    let table_of = |name: &str| {
        let called = [name.to_owned(), plural(name), singular(name)];
        let is_called = |table: &&Arc<Table>| called.contains(&table.name.to_lowercase());
        tables.iter().find(is_called)
    };
    let column_of = |table: &Arc<Table>, name: &str| {
        let column = table
            .columns
            .iter()
            .find(|column| column.name.to_lowercase() == name)?;
        Some(Present::Column(
            quote_identifier(&column.name),
            table.sql_name(),
        ))
    };
    match names.as_slice() {
        [name] => match table_of(name) {
            Some(table) => Some(Present::Table(table.sql_name())),
            None => tables.iter().find_map(|table| column_of(table, name)),
        },
        [first, second] => {
            let pairs = [(first, second), (second, first)];
            pairs
                .into_iter()
                .find_map(|(table, column)| column_of(table_of(table)?, column))
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
                Some("the schema has the column yard_size in kennels"),
            ),
            (
                "kennels.yard_size",
                Some("the schema has the column yard_size in kennels"),
            ),
            (
                "the column yard_size of the table kennels",
                Some("the schema has the column yard_size in kennels"),
            ),
            (
                "The schema lacks yard_size",
                Some("the schema has the column yard_size in kennels"),
            ),
            (
                "There's no information about yard_size for a kennel",
                Some("the schema has the column yard_size in kennels"),
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
            let said = disproved(claim, &tables).map(|one| one.in_words(Language::ENGLISH));
            assert_eq!(said.as_deref(), proof, "{claim}");
        }
        let both = ["kennels", "yard_size"].map(|claim| disproved(claim, &tables).unwrap());
        assert_eq!(
            refusal(&both, Language::named("de").unwrap()),
            "das Modell hat keine Abfrage geschrieben, obwohl das Schema die Tabelle kennels hat und das Schema die Spalte yard_size in kennels hat"
        );
    }

    #[test]
    fn a_question_back_claims_what_its_clauses_deny() {
        let asked = "There is no table kennels; do you mean the yards, or shelters?";
        assert_eq!(claims(asked), ["There is no table kennels"]);
        assert!(claims("By number of dogs, or by size?").is_empty());
    }
}
