//! Numbers with a noun behind them: "more than three orders", "over 50 credits".

use crate::linking::column_types::is_date;
use crate::linking::column_types::is_number;
use crate::linking::mention::ColumnId;
use crate::linking::mention::Mention;
use crate::linking::names;
use crate::no_answer::Stop;
use crate::parsing::alternatives::is_size;
use crate::parsing::parser::Parser;
use crate::parsing::request::{Comparison, Condition, ConditionKind, Literal};
use text2sql_domain::schema::TypeCategory;
use text2sql_language::english::lexicon;

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
