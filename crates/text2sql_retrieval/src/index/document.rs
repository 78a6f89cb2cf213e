//! The document of a table, a definition or an example: made here, stored in the index by the extension.
//! The stored and the live form of a table are therefore the same.
//!
//! A table is one item of several units, see [`crate::index::postings`]. A column's document, as BM25 sees
//! it, is its own words and those of the table's name, which are stored once and not with every
//! column.

use std::collections::hash_map::{Entry, HashMap};
use std::collections::{BTreeMap, BTreeSet};
use text2sql_domain::ports::search_index::JoinSource;
use text2sql_domain::ports::search_index::Joining;
use text2sql_domain::ports::search_index::Totals;

use crate::index::postings::{FIRST_SYNONYM, Hit, MAX_SYNONYMS, Posting, is_called, is_part, pack};
use crate::sql_skeleton::skeleton;
use text2sql_domain::ports::search_index::{DESCRIPTION, NAME};
use text2sql_domain::schema::{Column, Definition, ForeignKey, Table, TableKind};
use text2sql_language::names::family_keys::{self, FamilyKey};
use text2sql_language::names::name_reader::{NameReader, Reading};
use text2sql_language::names::vocabulary::Vocabulary;
use text2sql_language::terms::{Analyzer, is_function_word, split, split_as_written};

/// Maximum length of an indexed comment, in characters: the first sentences of a long description say what
/// the object is.
const MAX_TEXT_CHARS: usize = 2_000;

/// Maximum length of an embedded text, in characters. Sentence models read about 256 tokens.
const MAX_EMBEDDED_CHARS: usize = 1_000;

/// What the index stores of one item.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Document {
    /// Each term with its packed posting, see [`crate::index::postings`]; sorted by term.
    pub postings: Vec<(String, Vec<u8>)>,
    /// Texts to embed, each with the unit it is of.
    pub texts: Vec<(i16, String)>,
    /// The distinct words of a table's names, descriptions and synonyms, in lower case with their accents;
    /// sorted.
    pub words: Vec<String>,
    /// Foreign keys and other joins from this table.
    pub joins: Vec<Joining>,
    /// Keys that tables of the same family share.
    pub families: Vec<FamilyKey>,
    /// What the item adds to the totals of the index.
    pub totals: Totals,
}

/// Adds the words of a table to those of its catalog.
pub fn add_words(table: &Table, analyzer: &Analyzer, vocabulary: &mut Vocabulary) {
    let columns = table.columns.iter();
    let names = std::iter::once(&table.name).chain(columns.clone().map(|column| &column.name));
    for name in names {
        vocabulary.add_name(name, 1, analyzer);
    }
    let of_columns = columns.flat_map(|column| column.comment.iter().chain(&column.synonyms));
    let texts = table.comment.iter().chain(&table.synonyms);
    for text in texts.chain(of_columns) {
        vocabulary.add_text(&cut(text, MAX_TEXT_CHARS), analyzer);
    }
}

/// What the index stores of a table; `reader` knows the words of the whole catalog.
pub fn of_table(table: &Table, analyzer: &Analyzer, reader: &NameReader<'_>) -> Document {
    let mut units = vec![
        name_unit(NAME, &table.name, &[], &reader.read(&table.name), analyzer),
        unit(DESCRIPTION, "", &as_slices(&table.comment), analyzer),
    ];
    let synonyms = table.synonyms.iter().zip(0..MAX_SYNONYMS);
    units.extend(
        synonyms.map(|(synonym, number)| unit(FIRST_SYNONYM + number, synonym, &[], analyzer)),
    );
    units.extend(
        table
            .columns
            .iter()
            .map(|column| column_unit(column, analyzer, reader)),
    );
    let keys = table.foreign_keys.iter().zip(1i16..);
    units.extend(keys.map(|(key, number)| foreign_key_unit(key, -number, analyzer, reader)));
    let mut document = from_units(units);
    document.texts = embedded_texts(table, reader);
    document.words = words(table, reader);
    document.joins = table
        .foreign_keys
        .iter()
        .map(|key| Joining {
            from: table.oid,
            from_columns: key.columns.clone(),
            to: key.target,
            to_columns: key.target_columns.clone(),
            source: if key.is_taught {
                JoinSource::Taught
            } else {
                JoinSource::ForeignKey
            },
        })
        .collect();
    let likely = table.likely_joins.iter().map(|join| Joining {
        from: table.oid,
        from_columns: join.key.columns.clone(),
        to: join.key.target,
        to_columns: join.key.target_columns.clone(),
        source: JoinSource::Inferred {
            percent: join.percent,
        },
    });
    document.joins.extend(likely);
    document.families = family_keys::keys(table);
    document
}

/// What the index stores of a definition: its term is the name, its meaning the text.
pub fn of_definition(definition: &Definition, analyzer: &Analyzer) -> Document {
    let mut document = from_units(vec![
        unit(NAME, &definition.term, &[], analyzer),
        unit(DESCRIPTION, "", &[&definition.meaning], analyzer),
    ]);
    let term = format!(
        "{}{}",
        definition.term,
        described(None, &definition.synonyms)
    );
    let text = format!("{term}: {}", definition.meaning);
    document.texts = vec![(NAME, cut(&text, MAX_EMBEDDED_CHARS))];
    document
}

/// What the index stores of an example: the question is its name, the SQL's skeleton its
/// description.
pub fn of_example(question: &str, sql: &str, analyzer: &Analyzer) -> Document {
    let skeleton = skeleton(sql);
    let units = vec![
        unit(NAME, question, &[], analyzer),
        unit(DESCRIPTION, "", &[&skeleton], analyzer),
    ];
    let mut document = from_units(units);
    document.texts = vec![
        (NAME, cut(question, MAX_EMBEDDED_CHARS)),
        (DESCRIPTION, cut(&skeleton, MAX_EMBEDDED_CHARS)),
    ];
    document
}

/// The terms of one unit.
struct Unit {
    number: i16,
    name: Vec<String>,
    text: Vec<String>,
    /// Terms that the name has only where it is read, each with the number of such terms.
    read: Vec<(String, usize)>,
}

impl Unit {
    fn length(&self) -> usize {
        self.name.len() + self.text.len()
    }
}

fn unit(number: i16, name: &str, texts: &[&str], analyzer: &Analyzer) -> Unit {
    let text = texts
        .iter()
        .flat_map(|text| analyzer.terms(&cut(text, MAX_TEXT_CHARS)));
    Unit {
        number,
        name: analyzer.terms(name),
        text: text.collect(),
        read: Vec::new(),
    }
}

/// A unit with a name of the catalog. It also holds each pair of neighbouring words joined, as a question has
/// them: of many tables whose names have the same words, the one with them in the question's order is meant.
fn name_unit(
    number: i16,
    name: &str,
    texts: &[&str],
    reading: &Reading,
    analyzer: &Analyzer,
) -> Unit {
    let mut unit = unit(number, name, texts, analyzer);
    let length = reading.length();
    let further = reading.further_words();
    let further = further.flat_map(|word| analyzer.terms(word));
    let mut read: BTreeMap<String, usize> = further.map(|term| (term, length)).collect();
    if number >= NAME {
        let written = split(name);
        for words in [written, split(&reading.text())] {
            let pairs = analyzer.pairs(&words);
            let count = pairs.len();
            for pair in pairs {
                read.entry(pair).or_insert(count);
            }
        }
    }
    let is_written = |term: &String| unit.name.contains(term) || unit.text.contains(term);
    read.retain(|term, _| !is_written(term));
    unit.read = read.into_iter().collect();
    unit
}

fn as_slices(text: &Option<String>) -> Vec<&str> {
    text.as_deref().into_iter().collect()
}

fn column_unit(column: &Column, analyzer: &Analyzer, reader: &NameReader<'_>) -> Unit {
    let mut texts = as_slices(&column.comment);
    texts.extend(column.synonyms.iter().map(String::as_str));
    // Documents are sent to an embedder, which may be an external endpoint.
    if !column.is_private {
        let meanings = column.value_meanings.iter();
        texts.extend(meanings.map(|(_, meaning)| meaning.as_str()));
        texts.extend(column.enum_labels.iter().map(String::as_str));
    }
    let reading = reader.read(&column.name);
    name_unit(column.number, &column.name, &texts, &reading, analyzer)
}

fn foreign_key_unit(
    key: &ForeignKey,
    number: i16,
    analyzer: &Analyzer,
    reader: &NameReader<'_>,
) -> Unit {
    let columns = key.columns.join(" ");
    let reading = reader.read(&format!("{columns} {}", key.target_name));
    name_unit(number, &columns, &[&key.target_name], &reading, analyzer)
}

fn from_units(units: Vec<Unit>) -> Document {
    let size = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
    let named = units.iter().filter(|unit| is_called(unit.number));
    let name_length: usize = named.map(Unit::length).sum();
    let length: usize = units.iter().map(Unit::length).sum();
    let parts = units.iter().filter(|unit| is_part(unit.number));
    let parts: Vec<usize> = parts.map(Unit::length).collect();
    let posting = Posting {
        name_length: size(name_length),
        length: size(length),
        parts: size(parts.len()),
        shortest_part: size(parts.iter().min().copied().unwrap_or(0)),
    };
    let mut postings: BTreeMap<&str, Vec<Hit>> = BTreeMap::new();
    for unit in &units {
        let mut counts: HashMap<&str, (u32, bool)> = HashMap::new();
        let names = unit.name.iter().map(|term| (term, true));
        for (term, in_name) in names.chain(unit.text.iter().map(|term| (term, false))) {
            match counts.entry(term) {
                Entry::Occupied(mut entry) => entry.get_mut().0 += 1,
                Entry::Vacant(entry) => {
                    entry.insert((1, in_name));
                }
            }
        }
        for (term, (count, in_name)) in counts {
            postings.entry(term).or_default().push(Hit {
                unit: unit.number,
                count,
                in_name,
                is_read: false,
                length: size(unit.length()),
                name_length: size(unit.name.len()),
            });
        }
        for (term, length) in &unit.read {
            postings.entry(term).or_default().push(Hit {
                unit: unit.number,
                count: 1,
                in_name: false,
                is_read: true,
                length: size(unit.length()),
                name_length: size(*length),
            });
        }
    }
    let unit_terms: usize = parts.iter().map(|part| part + name_length).sum();
    let totals = Totals {
        items: 1,
        item_terms: length as u64,
        units: parts.len() as u64,
        unit_terms: unit_terms as u64,
    };
    let packed = postings
        .into_iter()
        .map(|(term, hits)| (term.to_owned(), pack(posting, &hits)));
    Document {
        postings: packed.collect(),
        totals,
        ..Document::default()
    }
}

/// The texts of a table for an embedder: the table with its columns, then each column with the
/// table it is of.
pub fn embedded_texts(table: &Table, reader: &NameReader<'_>) -> Vec<(i16, String)> {
    let as_read = |name: &str| reader.read(name).text();
    let name = as_read(&table.name);
    let mut texts = vec![(NAME, text_by(table, &as_read))];
    texts.extend(table.columns.iter().map(|column| {
        let comment = described(column.comment.as_deref(), &column.synonyms);
        let text = format!("{} of {name}{comment}", as_read(&column.name));
        (column.number, cut(&text, MAX_EMBEDDED_CHARS))
    }));
    texts
}

/// The words of a table for [`Document::words`], with those that its names have where they are read. Neither
/// numbers nor single letters, which mean nothing by themselves.
pub fn words(table: &Table, reader: &NameReader<'_>) -> Vec<String> {
    let columns = table.columns.iter().flat_map(|column| {
        let described = column.comment.iter().chain(&column.synonyms);
        std::iter::once(&column.name).chain(described)
    });
    let described = table.comment.iter().chain(&table.synonyms);
    let texts = std::iter::once(&table.name).chain(described).chain(columns);
    let names = table.columns.iter().map(|column| &column.name);
    let read = std::iter::once(&table.name).chain(names).flat_map(|name| {
        let reading = reader.read(name);
        let further = reading.further_words().map(str::to_owned);
        further.collect::<Vec<String>>()
    });
    let texts = texts.map(|text| cut(text, MAX_TEXT_CHARS));
    let mut words: BTreeSet<String> = BTreeSet::new();
    for text in texts.chain(read) {
        for (folded, written) in split_as_written(&text) {
            let is_word =
                folded.chars().any(char::is_alphabetic) && folded.chars().nth(1).is_some();
            if is_word && !is_function_word(&folded) {
                words.insert(written);
            }
        }
    }
    words.into_iter().collect()
}

/// The text of a table for an embedder or re-ranker: its name, description and columns.
pub fn text_of(table: &Table) -> String {
    text_by(table, &name_as_words)
}

fn text_by(table: &Table, in_words: &dyn Fn(&str) -> String) -> String {
    let name = in_words(&table.name);
    let kind = match table.kind {
        TableKind::View | TableKind::MaterializedView => "view",
        TableKind::Table | TableKind::PartitionedTable => "table",
    };
    let columns: Vec<_> = table
        .columns
        .iter()
        .map(|column| in_words(&column.name))
        .collect();
    let comment = described(table.comment.as_deref(), &table.synonyms);
    let text = format!("{kind} {name}{comment}: {}", columns.join(", "));
    cut(&text, MAX_EMBEDDED_CHARS)
}

fn described(comment: Option<&str>, synonyms: &[String]) -> String {
    let parts: Vec<&str> = comment
        .into_iter()
        .chain(synonyms.iter().map(String::as_str))
        .collect();
    if parts.is_empty() {
        String::new()
    } else {
        format!(" ({})", parts.join("; "))
    }
}

/// The words of a name, separated by spaces.
pub fn name_as_words(name: &str) -> String {
    split(name).join(" ")
}

fn cut(text: &str, max_chars: usize) -> String {
    text.chars().take(max_chars).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::postings::unpack;

    fn orders() -> Table {
        let column = |number, name: &str, comment: Option<&str>| Column {
            number,
            name: name.into(),
            comment: comment.map(str::to_owned),
            ..Column::default()
        };
        Table {
            oid: 7,
            name: "customer_orders".into(),
            synonyms: vec!["purchases".into()],
            columns: vec![
                column(1, "id", None),
                column(2, "customerId", Some("who ordered")),
            ],
            foreign_keys: vec![ForeignKey {
                columns: vec!["customerId".into()],
                target: 9,
                target_name: "customers".into(),
                ..ForeignKey::default()
            }],
            ..Table::default()
        }
    }

    fn posting(document: &Document, term: &str) -> (Posting, Vec<Hit>) {
        let (_, packed) = document.postings.iter().find(|(t, _)| t == term).unwrap();
        let mut found = None;
        unpack(packed, &mut |posting, hits| {
            found = Some((posting, hits.to_vec()))
        });
        found.unwrap()
    }

    fn of_table(table: &Table, analyzer: &Analyzer) -> Document {
        let mut vocabulary = Vocabulary::default();
        add_words(table, analyzer, &mut vocabulary);
        super::of_table(table, analyzer, &NameReader::new(&vocabulary, analyzer))
    }

    #[test]
    fn a_table_is_its_name_its_columns_and_its_keys() {
        let document = of_table(&orders(), &Analyzer::default());
        let terms: Vec<_> = document.postings.iter().map(|(t, _)| t.as_str()).collect();
        // The last word of a pair is stemmed with it.
        assert_eq!(
            terms,
            [
                "custom",
                "customerid",
                "customerord",
                "id",
                "order",
                "purchas"
            ]
        );
        let (customer, hits) = posting(&document, "custom");
        let units: Vec<_> = hits.iter().map(|hit| hit.unit).collect();
        assert_eq!(units, [0, 2, -1]);
        assert_eq!(hits[2].count, 2);
        assert_eq!(posting(&document, "purchas").1[0].unit, FIRST_SYNONYM);
        // 3 of the table, 1 and 3 of the columns, 3 of the key.
        assert_eq!((customer.length, customer.shortest_part), (10, 1));
        assert_eq!(
            document.totals,
            Totals {
                items: 1,
                item_terms: 10,
                units: 3,
                unit_terms: 7 + 3 * 3
            }
        );
    }

    #[test]
    fn an_embedder_reads_names_as_words() {
        let document = of_table(&orders(), &Analyzer::default());
        assert_eq!(
            document.texts[0].1,
            "table customer orders (purchases): id, customer id"
        );
        assert_eq!(
            document.texts[2],
            (2, "customer id of customer orders (who ordered)".to_owned())
        );
    }

    #[test]
    fn words_are_those_of_names_descriptions_and_synonyms() {
        let document = of_table(&orders(), &Analyzer::default());
        assert_eq!(
            document.words,
            ["customer", "id", "ordered", "orders", "purchases"]
        );
    }

    #[test]
    fn a_description_of_a_megabyte_is_cut() {
        let mut table = orders();
        table.comment = Some("word ".repeat(200_000));
        let document = of_table(&table, &Analyzer::default());
        assert!(document.totals.item_terms < 500);
    }
}
