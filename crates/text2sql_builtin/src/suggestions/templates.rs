//! Short questions about the tables, numbers and values of a question. Whether they have an answer is tried.

use text2sql_domain::language::Language;
use text2sql_language::english::article;
use text2sql_language::english::lexicon::Aggregate;

use super::nouns::Nouns;
use super::understood::Understood;
use crate::joins::paths::Joins;
use crate::linking::mention::ColumnId;
use crate::linking::names;
use crate::linking::readable_names::{readable, singular};

/// Questions about what is named, the nearest first.
pub(super) fn questions(understood: &Understood, language: Language) -> Vec<String> {
    let writer = Writer {
        understood,
        language,
        named: understood
            .named
            .iter()
            .filter_map(|table| {
                let nouns = Nouns::of(understood.tables.get(*table)?, language);
                Some((*table, nouns))
            })
            .collect(),
    };
    let mut all = Vec::new();
    if language == Language::English {
        all.extend(writer.comparisons());
        all.extend(writer.without_value());
        all.extend(writer.text_parts());
    }
    all.extend(writer.about_numbers());
    all.extend(writer.groups());
    all.extend(writer.about_values());
    all
}

/// What the questions are written from.
struct Writer<'a> {
    understood: &'a Understood,
    language: Language,
    /// The named tables with their nouns.
    named: Vec<(usize, Nouns)>,
}

impl Writer<'_> {
    fn nouns(&self, table: usize) -> Option<Nouns> {
        let table = self.understood.tables.get(table)?;
        Some(Nouns::of(table, self.language))
    }

    /// "Which payments have an amount over 10?"
    fn comparisons(&self) -> Vec<String> {
        let Some(compared) = &self.understood.compared else {
            return Vec::new();
        };
        let word = if compared.is_more { "over" } else { "below" };
        let measures = self.understood.measures.iter();
        let questions = measures.filter_map(|id| {
            let (rows, column) = (self.nouns(id.table)?, column_words(self.understood, *id)?);
            Some(format!(
                "Which {} have {} {column} {word} {}?",
                rows.many,
                article(&column),
                compared.number
            ))
        });
        questions.collect()
    }

    /// "How many rentals have no return date?"
    fn without_value(&self) -> Vec<String> {
        let columns = self.understood.missing.iter();
        let questions = columns.filter_map(|id| {
            let (rows, column) = (self.nouns(id.table)?, column_words(self.understood, *id)?);
            Some(format!("How many {} have no {column}?", rows.many))
        });
        questions.collect()
    }

    /// "How many films have a title that contains 'dinosaur'?"
    fn text_parts(&self) -> Vec<String> {
        let [part] = self.understood.unknown.as_slice() else {
            return Vec::new();
        };
        let is_named = |id: &&ColumnId| self.understood.named.contains(&id.table);
        let columns = self.understood.texts.iter().filter(is_named);
        let questions = columns.filter_map(|id| {
            let (rows, column) = (self.nouns(id.table)?, column_words(self.understood, *id)?);
            let article = article(&column);
            Some(format!(
                "How many {} have {article} {column} that contains '{part}'?",
                rows.many
            ))
        });
        questions.collect()
    }

    /// "What is the total amount of payments per customer?"
    fn about_numbers(&self) -> Vec<String> {
        let understood = self.understood;
        let mut all = Vec::new();
        for measure in &understood.measures {
            let Some(rows) = self.nouns(measure.table) else {
                continue;
            };
            let Some(column) = column_words(understood, *measure) else {
                continue;
            };
            let rest = |rest: &str| {
                aggregated(
                    understood.aggregate,
                    &column,
                    &rows.many,
                    rest,
                    self.language,
                )
            };
            for (table, other) in &self.named {
                if *table == measure.table {
                    continue;
                }
                if understood.ranks && self.language == Language::English {
                    let first = understood.first.as_deref().unwrap_or("10");
                    let word = understood.aggregate.map_or("total", Aggregate::word);
                    all.push(format!(
                        "Which {first} {} have the highest {word} {column} of {}?",
                        other.many, rows.many
                    ));
                }
                if let Some((_, key)) = understood.row.as_ref().filter(|(row, _)| row == table)
                    && self.language == Language::English
                {
                    all.push(rest(&format!(" of {} {key}", other.one)));
                }
                all.push(match self.language {
                    Language::English => rest(&format!(" per {}", other.one)),
                    Language::German => rest(&format!(" pro {}", other.one)),
                });
            }
            if let Some(period) = understood.period {
                all.push(match self.language {
                    Language::English => rest(&format!(" per {period}")),
                    Language::German => rest(&format!(" pro {}", german_period(period))),
                });
            }
            all.push(rest(""));
        }
        all
    }

    /// "Which actor has the most films?", "How many films are there per category?"
    fn groups(&self) -> Vec<String> {
        let joins = Joins::of(&self.understood.tables);
        let mut all = Vec::new();
        for (place, (rows, counted)) in self.named.iter().enumerate() {
            for (other_place, (group, grouping)) in self.named.iter().enumerate() {
                // Rows belong to a group; a step down alone leads from a group to its rows.
                let belongs = place != other_place
                    && joins
                        .path(*rows, *group)
                        .is_ok_and(|path| path.iter().any(|step| step.is_to_one));
                if !belongs {
                    continue;
                }
                if self.understood.ranks && self.language == Language::English {
                    all.push(format!(
                        "Which {} has the most {}?",
                        grouping.one, counted.many
                    ));
                }
                all.push(grouped(counted, grouping, self.language));
            }
        }
        // Those that count the table named first come last where the question asks which of them is first.
        if self.understood.ranks {
            all.sort_by_key(|question| !question.starts_with("Which"));
            let first = self
                .named
                .first()
                .map(|(_, nouns)| format!("Which {} ", nouns.one));
            all.sort_by_key(|question| {
                !first
                    .as_ref()
                    .is_some_and(|first| question.starts_with(first))
            });
        }
        all
    }

    /// "How many films with rating 'R' are there?", "Show all information about the film 'ACADEMY DINOSAUR'"
    fn about_values(&self) -> Vec<String> {
        let understood = self.understood;
        let mut all = Vec::new();
        for (id, value) in &understood.values {
            let Some(table) = understood.tables.get(id.table) else {
                continue;
            };
            let Some(column) = column_words(understood, *id) else {
                continue;
            };
            if names::label_columns(table) == [id.column] && self.language == Language::English {
                let one = singular(&table.name);
                all.push(format!("Show all information about the {one} '{value}'"));
            }
            let own = self.nouns(id.table).filter(|_| self.named.is_empty());
            for rows in self
                .named
                .iter()
                .map(|(_, nouns)| nouns)
                .chain(own.as_ref())
            {
                let many = &rows.many;
                all.push(match self.language {
                    Language::English => {
                        format!("How many {many} with {column} '{value}' are there?")
                    }
                    Language::German => {
                        format!("Wie viele {many} mit {column} '{value}' gibt es?")
                    }
                });
            }
        }
        all
    }
}

fn german_period(period: &str) -> &'static str {
    match period {
        "month" => "Monat",
        "quarter" => "Quartal",
        _ => "Jahr",
    }
}

/// How many rows there are of each table: as near as nothing else is.
pub(super) fn counts(understood: &Understood, language: Language) -> Vec<String> {
    let tables = understood.named.iter();
    let tables = tables.filter_map(|table| understood.tables.get(*table));
    tables
        .map(|table| {
            let many = Nouns::of(table, language).many;
            match language {
                Language::English => format!("How many {many} are there?"),
                Language::German => format!("Wie viele {many} gibt es?"),
            }
        })
        .collect()
}

fn grouped(rows: &Nouns, group: &Nouns, language: Language) -> String {
    match language {
        Language::English => format!("How many {} are there per {}?", rows.many, group.one),
        Language::German => format!("Wie viele {} gibt es pro {}?", rows.many, group.one),
    }
}

/// `rest` is what follows the noun: " per customer".
fn aggregated(
    aggregate: Option<Aggregate>,
    column: &str,
    rows: &str,
    rest: &str,
    language: Language,
) -> String {
    match language {
        Language::English => {
            let word = aggregate.map_or("average", Aggregate::word);
            format!("What is the {word} {column} of {rows}{rest}?")
        }
        Language::German => {
            let word = match aggregate {
                Some(Aggregate::Sum) => "die Summe",
                _ => "den Durchschnitt",
            };
            format!("Zeige {word} von {column} der {rows}{rest}")
        }
    }
}

/// The column's name in words.
fn column_words(understood: &Understood, id: ColumnId) -> Option<String> {
    let column = understood.tables.get(id.table)?.columns.get(id.column)?;
    Some(readable(&column.name))
}
