//! Short questions about the tables, numbers and values of a question. Whether they have an answer is tried.

use text2sql_language::english::article;
use text2sql_language::english::lexicon::Aggregate;
use text2sql_phrases::{Language, say_in};

use super::table_nouns::Nouns;
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
                let nouns = Nouns::of(
                    understood.tables.get(*table)?,
                    language,
                    &understood.asked_nouns,
                );
                Some((*table, nouns))
            })
            .collect(),
    };
    let mut all = Vec::new();
    if language == Language::ENGLISH {
        all.extend(writer.comparisons());
        all.extend(writer.without_value());
        all.extend(writer.text_parts());
        all.extend(writer.without_rows());
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
        Some(Nouns::of(
            table,
            self.language,
            &self.understood.asked_nouns,
        ))
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

    /// "Which customers have no orders?"
    fn without_rows(&self) -> Vec<String> {
        let understood = self.understood;
        let Some((_, rows)) = self.named.first().filter(|_| understood.is_negated) else {
            return Vec::new();
        };
        let related = self.named.iter().skip(1);
        related
            .map(|(_, related)| format!("Which {} have no {}?", rows.many, related.many))
            .collect()
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
            let Some(aggregate) = understood.aggregate.or(understood.of_the_most) else {
                continue;
            };
            let rest = |rest: &str| aggregated(aggregate, &column, &rows.many, rest, self.language);
            for (table, other) in &self.named {
                if *table == measure.table {
                    continue;
                }
                if understood.ranks && self.language == Language::ENGLISH {
                    let first = understood.first.as_deref().unwrap_or("10");
                    let sum = worded(
                        understood.aggregate.unwrap_or(Aggregate::Sum),
                        &column,
                        self.language,
                    );
                    all.push(format!(
                        "Which {first} {} have the highest {sum} of {}?",
                        other.many, rows.many
                    ));
                }
                if let Some((_, key)) = understood.row.as_ref().filter(|(row, _)| row == table)
                    && self.language == Language::ENGLISH
                {
                    all.push(rest(&format!(" of {} {key}", other.one)));
                }
                let per = say_in!(self.language, " per {group}", group = other.one);
                all.push(rest(&per));
            }
            if let Some(period) = understood.period {
                let period = say_in!(self.language, period);
                let per = say_in!(self.language, " per {group}", group = period);
                all.push(rest(&per));
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
                if self.understood.ranks && self.language == Language::ENGLISH {
                    all.push(format!(
                        "Which {} has the most {}?",
                        grouping.one, counted.many
                    ));
                }
                all.push(grouped(counted, grouping, self.language));
            }
        }
        if let Some((_, counted)) = self.named.first()
            && let Some(period) = self.understood.period
        {
            all.push(say_in!(
                self.language,
                "How many {many} are there per {group}?",
                many = counted.many,
                group = say_in!(self.language, period)
            ));
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
        let (mut all, mut last) = (Vec::new(), Vec::new());
        for (id, value) in &understood.values {
            let Some(table) = understood.tables.get(id.table) else {
                continue;
            };
            let Some(column) = column_words(understood, *id) else {
                continue;
            };
            let is_label = names::label_columns(table) == [id.column];
            if is_label && self.language == Language::ENGLISH {
                let one = singular(&table.name);
                all.extend(self.understood.with_noun(value, &one));
                last.push(format!("Show all information about the {one} '{value}'"));
            }
            let own = self.nouns(id.table).map(|nouns| (id.table, nouns));
            let own = own.filter(|_| self.named.is_empty());
            for (rows, nouns) in self.named.iter().chain(own.as_ref()) {
                let many = &nouns.many;
                let one = singular(&table.name);
                let column = match (*rows == id.table, is_label) {
                    (true, _) => column.clone(),
                    (false, true) => one,
                    (false, false) => format!("{one} {column}"),
                };
                if *rows != id.table && self.language == Language::ENGLISH {
                    all.push(format!("Show the {many} with {column} '{value}'"));
                }
                all.push(say_in!(
                    self.language,
                    "How many {many} with {column} '{value}' are there?",
                    many,
                    column,
                    value
                ));
            }
        }
        all.extend(last);
        all
    }
}

/// How many rows there are of each table: as near as nothing else is.
pub(super) fn counts(understood: &Understood, language: Language) -> Vec<String> {
    let tables = understood.named.iter();
    let tables = tables.filter_map(|table| understood.tables.get(*table));
    tables
        .map(|table| {
            let many = Nouns::of(table, language, &understood.asked_nouns).many;
            say_in!(language, "How many {many} are there?", many)
        })
        .collect()
}

fn grouped(rows: &Nouns, group: &Nouns, language: Language) -> String {
    say_in!(
        language,
        "How many {many} are there per {group}?",
        many = rows.many,
        group = group.one
    )
}

/// `rest` is what follows the noun: " per customer".
fn aggregated(
    aggregate: Aggregate,
    column: &str,
    rows: &str,
    rest: &str,
    language: Language,
) -> String {
    let number = worded(aggregate, column, language);
    say_in!(
        language,
        "What is the {number} of {rows}{rest}?",
        number,
        rows,
        rest
    )
}

/// "average length"; "sum of total" of a column with that name.
fn worded(aggregate: Aggregate, column: &str, language: Language) -> String {
    match aggregate {
        Aggregate::Sum if column.contains("total") => {
            say_in!(language, "sum of {column}", column)
        }
        Aggregate::Sum => say_in!(language, "total {column}", column),
        Aggregate::Average => say_in!(language, "average {column}", column),
        Aggregate::Minimum => say_in!(language, "minimum {column}", column),
        Aggregate::Maximum => say_in!(language, "maximum {column}", column),
        Aggregate::Median => say_in!(language, "median {column}", column),
    }
}

/// The column's name in words.
fn column_words(understood: &Understood, id: ColumnId) -> Option<String> {
    let column = understood.tables.get(id.table)?.columns.get(id.column)?;
    Some(readable(&column.name))
}
