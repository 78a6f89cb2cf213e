//! Numbers with a noun behind them: "more than three orders", "over 50 credits".

use crate::linking::column_types::is_date;
use crate::linking::column_types::{is_number, is_year};
use crate::linking::mention::ColumnId;
use crate::linking::mention::Mention;
use crate::linking::names;
use crate::linking::readable_names::readable;
use crate::no_answer::Stop;
use crate::parsing::alternatives::is_size;
use crate::parsing::parser::Parser;
use crate::parsing::request::{Comparison, Condition, ConditionKind, Literal, Target};
use text2sql_domain::schema::{Column, TypeCategory};
use text2sql_language::english::lexicon;
use text2sql_language::words::TokenKind;

/// Maximum number of columns that are offered for a number.
const MAX_MEASURES: usize = 4;

impl Parser<'_> {
    /// A comparison and a number, then a noun: rows of a table, or a number column.
    pub(crate) fn quantity(&mut self, negated: bool) -> Result<bool, Stop> {
        let before = self.at;
        let mut comparison = self.comparison().unwrap_or(Comparison::Equal);
        self.eat_any(&["exactly", "only", "just"]);
        self.skip(&["$", "€", "£"]);
        if self.lower(0) == "multiple"
            && let Some((table, end)) = self.entity_at(self.at + 1)
            && Some(table) != self.owner
        {
            self.at = end;
            self.note_table(table);
            self.push(
                negated,
                ConditionKind::Count {
                    table,
                    comparison: Comparison::More,
                    number: "1".to_owned(),
                    period: None,
                },
            );
            self.counted_until = Some(self.at);
            return Ok(true);
        }
        let Some(number) = self.token(0).and_then(|token| token.number.clone()) else {
            self.at = before;
            return self.aggregate_of_column(negated);
        };
        self.at += 1;
        if comparison == Comparison::Between {
            if self.eat("and")
                && let Some(high) = self.token(0).and_then(|token| token.number.clone())
            {
                self.at += 1;
                let column = self.links.name_at(self.at).filter(|mention| {
                    mention.columns.iter().any(|(id, tier)| {
                        Some(id.table) == self.owner
                            && *tier <= names::SPELLED_OUT
                            && self.is_numeric(*id)
                    })
                });
                if let Some(column) = column {
                    self.at = column.end;
                    let literal = |text: String| Literal::number(text);
                    self.push_compare(
                        negated,
                        column.clone(),
                        comparison,
                        vec![literal(number), literal(high)],
                    );
                    return Ok(true);
                }
            }
            self.at = before;
            return Ok(false);
        }
        if comparison == Comparison::Equal {
            if self.eat_any(&["or more", "or greater", "and more"]) {
                comparison = Comparison::AtLeast;
            } else if self.eat_any(&["or less", "or fewer"]) {
                comparison = Comparison::AtMost;
            }
        }
        if self.eat("times") {
            return Ok(self.counted_times(negated, comparison, number));
        }
        self.skip(&["different", "distinct", "of", "the"]);
        let own_column = self.links.name_at(self.at).filter(|mention| {
            mention.columns.iter().any(|(id, tier)| {
                Some(id.table) == self.owner
                    && *tier <= names::WITHOUT_TABLE
                    && self.is_numeric(*id)
            })
        });
        if let Some(mention) = own_column {
            self.at = mention.end;
            let literals = vec![Literal::number(number)];
            self.push_compare(negated, mention.clone(), comparison, literals);
            return Ok(true);
        }
        if let Some((table, end)) = self.entity_at(self.at)
            && Some(table) != self.owner
            && self.owner.or(self.request.subject).is_some()
        {
            self.at = end;
            self.note_table(table);
            let verb = self.at;
            self.skip_verbs();
            let start = self.at;
            let period = self.date_range().map(|range| (range, start));
            if period.is_none() {
                self.at = verb;
            }
            self.push(
                negated,
                ConditionKind::Count {
                    table,
                    comparison,
                    number,
                    period,
                },
            );
            self.counted_until = Some(self.at);
            return Ok(true);
        }
        self.at = before;
        self.measured_rows(negated)
    }

    /// "payments over 10": the only number of a payment is its amount; of several, asks which.
    fn measured_rows(&mut self, negated: bool) -> Result<bool, Stop> {
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

    /// "more than the average salary": the column follows.
    pub(crate) fn aggregate_of_column(&mut self, negated: bool) -> Result<bool, Stop> {
        let before = self.at;
        let comparison = self.comparison();
        self.skip(&["the", "overall"]);
        if let Some(comparison) = comparison.filter(|comparison| is_size(*comparison))
            && let Some(function) = lexicon::aggregate(self.lower(0))
            && function != lexicon::Aggregate::Sum
            && let Some(column) = self.links.name_at(self.at + 1).cloned()
            && column
                .columns
                .iter()
                .any(|(id, tier)| Some(id.table) == self.owner && *tier <= names::HEAD)
        {
            self.at = column.end;
            if !matches!(
                self.lower(0),
                "of" | "in" | "for" | "from" | "among" | "per" | "by"
            ) {
                self.push(
                    negated,
                    ConditionKind::Average {
                        column,
                        comparison,
                        function,
                    },
                );
                return Ok(true);
            }
        }
        self.at = before;
        Ok(false)
    }

    /// "reserved more than 60 times": counts the rows that the preceding verb names.
    pub(crate) fn counted_times(
        &mut self,
        negated: bool,
        comparison: Comparison,
        number: String,
    ) -> bool {
        let Some(Condition {
            kind: ConditionKind::Related { table },
            is_negated: false,
            owner,
        }) = self.request.conditions.last().cloned()
        else {
            return false;
        };
        if self.owner != Some(table) {
            return false;
        }
        self.request.conditions.pop();
        self.owner = owner;
        self.push(
            negated,
            ConditionKind::Count {
                table,
                comparison,
                number,
                period: None,
            },
        );
        self.counted_until = Some(self.at);
        true
    }

    /// Whether the column is a number or a date.
    pub(crate) fn is_measure(&self, mention: &Mention) -> bool {
        mention.columns.iter().any(|(id, tier)| {
            Some(id.table) == self.owner.or(self.request.subject)
                && *tier <= names::HEAD
                && self
                    .tables
                    .get(id.table)
                    .and_then(|table| table.columns.get(id.column))
                    .is_some_and(|column| is_number(column) || is_date(column))
        })
    }

    pub(crate) fn is_numeric(&self, id: ColumnId) -> bool {
        self.tables
            .get(id.table)
            .and_then(|table| table.columns.get(id.column))
            .is_some_and(|column| {
                matches!(
                    column.category,
                    TypeCategory::Integer | TypeCategory::Number
                )
            })
    }
}
