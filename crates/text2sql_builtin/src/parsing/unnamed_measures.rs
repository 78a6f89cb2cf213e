//! Numbers of rows whose column the question does not name: "the average payment", "payments over 10", "the total of
//! the orders". The only number of a row is taken; of several, the user is asked which.

use crate::linking::column_types::{is_number, is_year};
use crate::linking::mention::{ColumnId, Mention};
use crate::linking::names;
use crate::linking::readable_names::readable;
use crate::no_answer::Stop;
use crate::parsing::alternatives::is_size;
use crate::parsing::parser::Parser;
use crate::parsing::request::{Literal, Target};
use text2sql_domain::schema::Column;
use text2sql_language::english::lexicon::{self, Aggregate};
use text2sql_language::words::TokenKind;

/// Maximum number of columns that are offered for a number.
const MAX_MEASURES: usize = 4;

impl Parser<'_> {
    /// "the average payment": of the only number that a payment has.
    pub(crate) fn measure_of_rows(&mut self, functions: &[Aggregate], rows: &Mention) -> bool {
        let table = match rows.best_tables().as_slice() {
            [table] => *table,
            _ => return false,
        };
        let id = self.only_measure(table);
        // The latest order is no number, and the total of payments may be how many there are.
        let is_mean =
            |function: &Aggregate| matches!(function, Aggregate::Average | Aggregate::Median);
        let Some(id) = id.filter(|_| functions.iter().all(is_mean)) else {
            return false;
        };
        self.at = rows.end;
        let mention = Mention {
            tables: Vec::new(),
            // The answer says which column it is, as for the last word of a name.
            columns: vec![(id, names::HEAD)],
            ..rows.clone()
        };
        let targets = functions.iter().map(|function| Target::Aggregate {
            function: *function,
            mention: mention.clone(),
            owner: Some(table),
            with: None,
        });
        self.request.targets.extend(targets);
        true
    }

    /// "the total of the orders" for a numeric column "total" of orders: its sum, not a list of totals. Without such a
    /// column, asks for the total of what.
    pub(crate) fn total_of_rows(&mut self) -> Result<bool, Stop> {
        let before = self.at;
        if lexicon::aggregate(self.lower(0)) != Some(Aggregate::Sum) {
            return Ok(false);
        }
        self.at += 1;
        let is_of = self.eat("of");
        self.skip(&["the", "all", "our"]);
        let table = self.entity_at(self.at).map(|(table, _)| table);
        self.at = before;
        let Some(table) = table.filter(|_| is_of) else {
            return Ok(false);
        };
        let mention = self
            .links
            .name_at(before)
            .filter(|found| found.end == before + 1);
        let is_column = |(id, tier): &(ColumnId, u8)| {
            *tier == names::EXACT && id.table == table && self.is_numeric(*id)
        };
        match mention.cloned() {
            Some(mention) if mention.columns.iter().any(is_column) => {
                self.at = mention.end;
                self.request.targets.push(Target::Aggregate {
                    function: Aggregate::Sum,
                    mention,
                    owner: Some(table),
                    with: None,
                });
                Ok(true)
            }
            _ => self.ask_total_of_what(before, table),
        }
    }

    /// Asks which number of the table's rows is added up, or whether the rows are counted.
    fn ask_total_of_what(&self, at: usize, index: usize) -> Result<bool, Stop> {
        const MAX_READINGS: usize = 3;
        let measures: Vec<String> = self
            .measures(index)
            .iter()
            .filter_map(|id| self.tables.get(index)?.columns.get(id.column))
            .take(MAX_READINGS)
            .map(|column| readable(&column.name))
            .collect();
        if measures.is_empty() {
            return Ok(false);
        }
        let what = [measures.clone(), vec!["number".to_owned()]].concat();
        let totals = measures.iter().map(|measure| format!("total {measure}"));
        Err(Stop::Ambiguous {
            question: format!("the total of what: {}?", what.join(" or ")),
            start: at,
            end: at + 1,
            replacements: totals.chain(["number".to_owned()]).collect(),
        })
    }

    /// "by total payments" may be by their number or by what they add up to.
    pub(crate) fn refuse_total_of_rows(
        &self,
        function: Aggregate,
        id: ColumnId,
        rows: &Mention,
    ) -> Result<(), Stop> {
        let column = self
            .tables
            .get(id.table)
            .and_then(|table| table.columns.get(id.column));
        let (Some(column), Aggregate::Sum) = (column, function) else {
            return Ok(());
        };
        let measure = readable(&column.name);
        let words = self.tokens.get(rows.start..rows.end).unwrap_or_default();
        let words: Vec<&str> = words.iter().map(|token| token.surface.as_str()).collect();
        let words = words.join(" ");
        Err(Stop::Ambiguous {
            question: format!("is the total {measure} of {words} meant, or their number?"),
            start: rows.start.saturating_sub(1),
            end: rows.end,
            replacements: vec![format!("total {measure}"), format!("number of {words}")],
        })
    }

    /// "payments over 10": the only number of a payment is its amount; of several, asks which.
    pub(crate) fn measured_rows(&mut self, negated: bool) -> Result<bool, Stop> {
        let before = self.at;
        let shows_rows = self.request.targets.iter().all(|target| match target {
            Target::Named { mention, .. } => !mention.best_tables().is_empty(),
            target => matches!(
                target,
                Target::Entity(_) | Target::All(_) | Target::Count(_)
            ),
        });
        let owner = self.owner.or(self.request.subject);
        let (Some(owner), true) = (owner, shows_rows) else {
            return Ok(false);
        };
        let comparison = self.comparison().filter(|comparison| is_size(*comparison));
        self.skip(&["$", "€", "£"]);
        let number = self.token(0).and_then(|token| token.number.clone());
        self.at += usize::from(number.is_some());
        let end = self.at;
        self.skip(lexicon::CURRENCIES);
        let is_end = self.is_sentence_end()
            || self
                .token(0)
                .is_some_and(|token| token.kind == TokenKind::Comma);
        let (Some(comparison), Some(number), true) = (comparison, number, is_end) else {
            self.at = before;
            return Ok(false);
        };
        let ids = self.measures(owner);
        let named = |id: &ColumnId| {
            let column = self.tables.get(owner)?.columns.get(id.column)?;
            Some(column.name.clone())
        };
        let words: Vec<&str> = self
            .tokens
            .get(before..end)
            .unwrap_or_default()
            .iter()
            .map(|token| token.surface.as_str())
            .collect();
        let words = words.join(" ");
        match ids.as_slice() {
            [only] => {
                let table = self.tables.get(owner).map_or("", |table| &table.name);
                let name = named(only).unwrap_or_default();
                self.request
                    .notes
                    .push(format!("'{words}' is {table}.{name}"));
                self.owner = Some(owner);
                let column = Mention {
                    start: before,
                    end: before,
                    columns: vec![(*only, names::EXACT)],
                    ..Mention::default()
                };
                self.push_compare(negated, column, comparison, vec![Literal::number(number)]);
                Ok(true)
            }
            several if (2..=MAX_MEASURES).contains(&several.len()) => {
                let names: Vec<String> = several
                    .iter()
                    .filter_map(|id| Some(readable(&named(id)?)))
                    .collect();
                Err(Stop::Ambiguous {
                    question: format!("what is '{words}': {}?", names.join(" or ")),
                    start: before,
                    end: self.at,
                    replacements: names
                        .iter()
                        .map(|name| format!("with {name} {words}"))
                        .collect(),
                })
            }
            _ => {
                self.at = before;
                Ok(false)
            }
        }
    }

    pub(crate) fn only_measure(&self, index: usize) -> Option<ColumnId> {
        match self.measures(index).as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }

    /// The columns of the table that measure something: numbers that are no key and no year.
    pub(crate) fn measures(&self, table: usize) -> Vec<ColumnId> {
        let Some(definition) = self.tables.get(table) else {
            return Vec::new();
        };
        let is_key = |name: &String| {
            let mut keys = definition.foreign_keys.iter();
            definition.primary_key.contains(name) || keys.any(|key| key.columns.contains(name))
        };
        let is_measure = |column: &Column| {
            is_number(column)
                && !is_year(column)
                && !is_key(&column.name)
                && !names::ends_with_kind_word(&column.name)
        };
        let columns = definition.columns.iter().enumerate();
        columns
            .filter(|(_, column)| is_measure(column))
            .map(|(column, _)| ColumnId { table, column })
            .collect()
    }
}
