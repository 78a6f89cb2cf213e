//! Values of the database that the question mentions.

use std::collections::HashSet;

use super::untrusted_text::without_disguise;
use text2sql_domain::config::Egress;
use text2sql_domain::ports::search_index::ValueHit;
use text2sql_domain::schema::{quote_identifier, quote_literal};
use text2sql_domain::shown::Shows;
use text2sql_language::terms::{Analyzer, fold};
use text2sql_retrieval::found_table::Reason;
use text2sql_retrieval::values::{Sureness, how_sure};
use text2sql_retrieval::{Context, in_play};
use text2sql_sql::masking::looks_private;

/// Maximum number of values that the question may mean.
const MAX_GUESSES: usize = 3;

/// The values that the question mentions, a line for each, and the columns they are of; none below
/// the egress of values, and no more than `most`. What is spelled like a value of one column only, in a table that the
/// question is about or as a name, is a fact; the rest are guesses, a few, those in such tables first.
pub(super) fn values(context: &Context, shows: Shows, most: usize) -> (String, Vec<String>) {
    let mut columns: Vec<String> = Vec::new();
    if shows.egress < Egress::Values || !shows.ingredients.schema || most == 0 {
        return (String::new(), columns);
    }
    let analyzer = Analyzer::new(&context.asked.language);
    let mut linked: Vec<Linked<'_>> = context
        .values
        .iter()
        .filter_map(|(phrase, hit)| Linked::of(phrase, hit, context, &analyzer))
        .collect();
    // Where Mary is there, Marie is somebody else, although both have the same stem.
    let is_exact = |one: &Linked<'_>| fold(one.phrase) == fold(one.value);
    let exact: HashSet<(&str, String)> = linked
        .iter()
        .filter(|one| is_exact(one))
        .map(|one| (one.phrase, one.column.clone()))
        .collect();
    linked.retain(|one| is_exact(one) || !exact.contains(&(one.phrase, one.column.clone())));
    let about = match linked.is_empty() {
        true => HashSet::new(),
        false => in_play(context, &analyzer),
    };
    // "movies" that were read as films may be the playlist of that name, or not.
    let is_read = |phrase: &str| {
        let mut reasons = context.found.iter().flat_map(|found| &found.reasons);
        reasons.any(|reason| match reason {
            Reason::ReadAs { written, .. } => fold(written) == fold(phrase),
            _ => false,
        })
    };
    let is_fact = |one: &Linked<'_>| {
        if one.phrase.starts_with(char::is_lowercase) && is_read(one.phrase) {
            return false;
        }
        let spelled = linked
            .iter()
            .filter(|other| other.phrase == one.phrase && other.sureness == Sureness::Spelled);
        let is_only = one.sureness == Sureness::Spelled && spelled.count() == 1;
        is_only && (about.contains(&one.table) || one.phrase.contains(char::is_uppercase))
    };
    let mut ordered: Vec<(&Linked<'_>, bool)> =
        linked.iter().map(|one| (one, is_fact(one))).collect();
    ordered.sort_by_key(|(one, fact)| (!fact, !about.contains(&one.table)));
    let mut lines: Vec<String> = Vec::new();
    let mut guesses = 0;
    for (one, fact) in ordered {
        if lines.len() == most || (!fact && guesses == MAX_GUESSES) {
            continue;
        }
        let (column, value) = (&one.column, quote_literal(&without_disguise(one.value)));
        let phrase = without_disguise(one.phrase);
        let line = match fact {
            true => format!("\"{phrase}\": {column} holds {value}"),
            false => format!("\"{phrase}\": may be {column} = {value}"),
        };
        if !lines.contains(&line) {
            guesses += usize::from(!fact);
            lines.push(line);
            columns.push(one.column.clone());
        }
    }
    for phrase in &context.unfound {
        lines.push(format!("\"{}\": no value found", without_disguise(phrase)));
    }
    (lines.join("\n"), columns)
}

/// A value that a phrase of the question is linked to.
struct Linked<'a> {
    phrase: &'a str,
    value: &'a str,
    table: u32,
    /// The column as SQL names it.
    column: String,
    sureness: Sureness,
}

impl<'a> Linked<'a> {
    /// None where the value is private, or something else than what the phrase says.
    fn of(
        phrase: &'a str,
        hit: &'a ValueHit,
        context: &Context,
        analyzer: &Analyzer,
    ) -> Option<Self> {
        let table = context.tables.iter().find(|table| table.oid == hit.table)?;
        let mut columns = table.columns.iter();
        let column = columns.find(|column| column.number == hit.column)?;
        let sureness = how_sure(phrase, hit, table, column, analyzer);
        let is_left_out = sureness == Sureness::Other || looks_private(&hit.value);
        (!is_left_out).then(|| Self {
            phrase,
            value: &hit.value,
            table: hit.table,
            column: format!("{}.{}", table.sql_name(), quote_identifier(&column.name)),
            sureness,
        })
    }
}

/// The part of the prompt that holds values; nothing when there are none.
pub(super) fn section(values: &str, fence: &str) -> String {
    if values.is_empty() {
        return String::new();
    }
    format!(
        "\nWords of the question among the values of the database. `may be` is a guess; not all values are known here.\n<data-{fence}>\n{values}\n</data-{fence}>\n"
    )
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use text2sql_domain::schema::{Column, Table};
    use text2sql_retrieval::AskedWords;
    use text2sql_retrieval::found_table::FoundTable;

    fn table(oid: u32, name: &str) -> Arc<Table> {
        Arc::new(Table {
            oid,
            name: name.into(),
            is_visible: true,
            columns: vec![Column {
                number: 2,
                name: "name".into(),
                ..Column::default()
            }],
            ..Table::default()
        })
    }

    /// The lines for these links: each a phrase, a table, a value and its similarity.
    fn lines(links: &[(&str, u32, &str, f32)], unfound: &[&str]) -> Vec<String> {
        let hit = |(phrase, table, value, similarity): &(&str, u32, &str, f32)| {
            let hit = ValueHit {
                phrase: 0,
                table: *table,
                column: 2,
                value: (*value).into(),
                similarity: *similarity,
            };
            ((*phrase).to_owned(), hit)
        };
        let context = Context {
            tables: vec![
                table(7, "countries"),
                table(8, "airports"),
                table(9, "students"),
            ],
            values: links.iter().map(hit).collect(),
            unfound: unfound.iter().map(|phrase| (*phrase).to_owned()).collect(),
            ..Context::default()
        };
        assert_eq!(values(&context, Egress::Schema.into(), 20).0, "");
        let (text, columns) = values(&context, Egress::Values.into(), 20);
        assert!(
            columns.len() <= links.len(),
            "only columns that are shown: {columns:?}"
        );
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn the_only_value_that_is_spelled_so_is_a_fact() {
        let links = [
            ("germany", 7, "Germany", 1.0),
            ("germani", 7, "Germany", 0.8),
        ];
        assert_eq!(
            lines(&links, &[]),
            [
                "\"germany\": countries.name holds 'Germany'",
                "\"germani\": may be countries.name = 'Germany'"
            ]
        );
        let links = [("Jersey", 7, "Jersey", 1.0), ("Jersey", 8, "Jersey", 1.0)];
        assert_eq!(
            lines(&links, &[]),
            [
                "\"Jersey\": may be countries.name = 'Jersey'",
                "\"Jersey\": may be airports.name = 'Jersey'"
            ]
        );
    }

    #[test]
    fn beside_the_value_itself_nothing_that_is_merely_near_is_shown() {
        let links = [
            ("Mary", 9, "MARY", 1.0),
            ("Mary", 9, "MARIE", 1.0),
            ("Mary", 8, "Maryland", 0.8),
        ];
        assert_eq!(
            lines(&links, &[]),
            [
                "\"Mary\": students.name holds 'MARY'",
                "\"Mary\": may be airports.name = 'Maryland'"
            ]
        );
    }

    #[test]
    fn a_value_of_a_table_that_the_question_is_not_about_is_a_guess() {
        let hit = |table| ValueHit {
            phrase: 0,
            table,
            column: 2,
            value: "Power".into(),
            similarity: 1.0,
        };
        let named = |phrase: &str, asked: &str, tables: &[u32]| {
            let context = Context {
                tables: vec![table(7, "countries"), table(8, "airports")],
                values: tables
                    .iter()
                    .map(|table| (phrase.to_owned(), hit(*table)))
                    .collect(),
                asked: AskedWords {
                    language: "english".into(),
                    terms: Analyzer::default().terms(asked),
                },
                ..Context::default()
            };
            values(&context, Egress::Values.into(), 20).0
        };
        let shown = |asked: &str, tables: &[u32]| named("power", asked, tables);
        assert_eq!(
            shown("Which airport has power?", &[8]),
            "\"power\": airports.name holds 'Power'"
        );
        assert_eq!(
            shown("Which country has power?", &[8]),
            "\"power\": may be airports.name = 'Power'"
        );
        // Nothing says what the question is about.
        assert_eq!(
            shown("Who has power?", &[8]),
            "\"power\": airports.name holds 'Power'"
        );
        // A name is meant, wherever it is.
        assert_eq!(
            named("Power", "Which country has Power?", &[8]),
            "\"Power\": airports.name holds 'Power'"
        );
        let both = shown("Which country has power?", &[8, 7]);
        assert!(both.starts_with("\"power\": may be countries"), "{both}");
    }

    #[test]
    fn a_word_that_was_read_as_a_table_is_no_value_for_sure() {
        let hit = ValueHit {
            phrase: 0,
            table: 8,
            column: 2,
            value: "Power".into(),
            similarity: 1.0,
        };
        let context = Context {
            tables: vec![table(8, "airports")],
            values: vec![("power".to_owned(), hit)],
            found: vec![FoundTable {
                table: 7,
                score: 1.0,
                ranks: Vec::new(),
                reasons: vec![Reason::ReadAs {
                    written: "power".to_owned(),
                    word: "energy".to_owned(),
                }],
                columns: Vec::new(),
            }],
            ..Context::default()
        };
        assert_eq!(
            values(&context, Egress::Values.into(), 20).0,
            "\"power\": may be airports.name = 'Power'"
        );
    }

    #[test]
    fn a_name_is_not_completed_to_that_of_another_person() {
        let links = [
            ("Jane Doe", 9, "Jane Smith", 0.5),
            ("Martin", 9, "Martin Odersky", 0.6),
            ("Research", 7, "Free Research State", 0.5),
            ("Gross National", 8, "GIN", 0.4),
        ];
        assert_eq!(
            lines(&links, &["Atlantis"]),
            [
                "\"Research\": may be countries.name = 'Free Research State'",
                "\"Atlantis\": no value found"
            ]
        );
    }
}
