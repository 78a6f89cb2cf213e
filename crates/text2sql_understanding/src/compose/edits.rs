//! What a follow-up changes of the meaning before it.

use super::*;
use crate::phrases::{Change, Shift};
use text2sql_language::calendar::{parse_date, plus_days, plus_months};
use text2sql_semantics::Edit;

impl Composer<'_> {
    /// The changes, if each word of the follow-up is one.
    pub(crate) fn edits(
        &mut self,
        before: &SemanticQuery,
        said: &[Change],
    ) -> Result<Vec<Edit>, Stop> {
        let mut tables = self.schema.tables.iter();
        let Some(grain) = tables.position(|table| table_ref(table) == before.subject) else {
            return stop("the table is not there any more");
        };
        let is_added = said.contains(&Change::Also);
        if let Some(edit) = self.other_subject(before, grain, is_added)? {
            return Ok(edit);
        }
        let mut edits = self.edits_of_phrases(before, said)?;
        let is_rows = matches!(before.answer, Answer::Rows { .. });
        self.read_count_alone(before, &mut edits)?;
        self.read_periods();
        let periods = std::mem::take(&mut self.periods);
        self.read_groups()?;
        self.read_patterns()?;
        self.read_contained();
        self.read_comparisons()?;
        if self.having.is_some() {
            return stop("what is compared is not clear");
        }
        self.join_alternatives();
        self.read_sorting();
        self.read_equal_numbers();
        let ordered = self.order_edits(before, grain)?;
        let measured = self.measure_edit(grain, is_added)?;
        self.finish_conditions(Some(grain))?;
        if is_rows {
            let shown = self.read_shown(grain);
            if !shown.is_empty() {
                edits.push(Edit::Shown(shown));
            }
        }
        let conditions = self.place_all(grain)?;
        edits.extend(conditions.into_iter().map(Edit::Only));
        match periods.as_slice() {
            [] => {}
            [period] => edits.push(self.period_edit(before, grain, period)?),
            _ => return stop("several periods are not understood here"),
        }
        edits.extend(measured);
        let mut dimensions = Vec::new();
        let mut words = Vec::new();
        for group in &self.groups {
            dimensions.push(self.dimension_at(grain, group, &mut words)?);
        }
        self.said.extend(words);
        if !dimensions.is_empty() {
            edits.push(Edit::By {
                dimensions,
                is_added,
            });
        }
        edits.extend(ordered);
        let missing: Vec<String> = (0..self.spans.len())
            .filter(|at| !self.is_used(*at))
            .filter_map(|at| self.span(at).map(|span| span.text.clone()))
            .collect();
        if !missing.is_empty() || edits.is_empty() {
            return Err(Stop {
                missing,
                reason: "words are not explained",
                readings: Vec::new(),
            });
        }
        // A share and a comparison are of the figures as they are in the end.
        edits.sort_by_key(|edit| match edit {
            Edit::Counted | Edit::Listed(_) => 0,
            Edit::Share | Edit::Against { .. } => 2,
            Edit::First { .. } | Edit::Ordered(_) => 3,
            _ => 1,
        });
        Ok(edits)
    }

    /// Parts of the follow-up that words of any schema say.
    fn edits_of_phrases(&self, before: &SemanticQuery, said: &[Change]) -> Result<Vec<Edit>, Stop> {
        let mut edits = Vec::new();
        for change in said {
            edits.push(match change {
                Change::Share => Edit::Share,
                Change::InTotal => Edit::InTotal,
                Change::Against(shift) => {
                    let (_, from, before) = shifted(before, *shift)?;
                    Edit::Against { from, before }
                }
                Change::Before(shift) => {
                    let (column, from, before) = shifted(before, *shift)?;
                    Edit::During {
                        column,
                        from: Some(from),
                        before: Some(before),
                    }
                }
                Change::Them | Change::Also | Change::Their => continue,
            });
        }
        Ok(edits)
    }

    /// "and products?": the same of another table; of groups, the different ones in each.
    fn other_subject(
        &mut self,
        before: &SemanticQuery,
        grain: usize,
        is_added: bool,
    ) -> Result<Option<Vec<Edit>>, Stop> {
        let mut parts = (0..self.spans.len()).filter(|at| !self.is_filler(*at));
        let (Some(only), None) = (parts.next(), parts.next()) else {
            return Ok(None);
        };
        let is_rows = self.span(only).is_some_and(|span| span.concept.is_none());
        let table = self
            .table_of(only)
            .filter(|table| is_rows && counts_any(before) && self.is_noun(only) && *table != grain);
        let Some(table) = table else {
            return Ok(None);
        };
        self.take(only);
        let measured = Measured {
            function: Function::Count,
            what: What::Rows(table),
        };
        let of = self.schema.table(table).map(table_ref);
        let is_grouped = matches!(
            &before.answer,
            Answer::Figures { dimensions, .. } if !dimensions.is_empty()
        );
        let name = self.name_of(&measured);
        self.note_table(only, table);
        if !is_grouped && !is_added {
            let (Some(subject), Some(conditions)) = (of, self.conditions_of(before, grain, table))
            else {
                return stop("the parts are not related");
            };
            return Ok(Some(vec![Edit::Of {
                subject,
                name,
                conditions,
            }]));
        }
        let (aggregate, _) = self
            .aggregate_at(grain, &measured)
            .ok_or(Stop::from(Misfit::Unreachable))?;
        let measures = vec![Measure {
            name,
            value: Value::Aggregate(aggregate),
        }];
        Ok(Some(vec![Edit::Measured { measures, is_added }]))
    }

    /// The conditions on rows of another table, where all of them are on what that reaches as well.
    fn conditions_of(
        &self,
        before: &SemanticQuery,
        grain: usize,
        table: usize,
    ) -> Option<Vec<Condition>> {
        let place = |column: &ColumnRef| {
            let of = match column.path.last() {
                Some(step) => {
                    let mut tables = self.schema.tables.iter();
                    tables.position(|table| table_ref(table) == step.to)?
                }
                None => grain,
            };
            let reached = self.schema.reach(table, of)?;
            (!reached.is_tied).then(|| ColumnRef {
                path: reached.path,
                column: column.column.clone(),
            })
        };
        let each = before.conditions.iter().map(|condition| {
            Some(match condition {
                Condition::OneOf {
                    column,
                    values,
                    is_negated,
                } => Condition::OneOf {
                    column: place(column)?,
                    values: values.clone(),
                    is_negated: *is_negated,
                },
                Condition::Period { from, before, .. } => Condition::Period {
                    column: day_of(self.schema, table)?.0,
                    from: from.clone(),
                    before: before.clone(),
                },
                _ => return None,
            })
        });
        each.collect()
    }

    /// "how many of them": the rows are counted, or were counted already.
    fn read_count_alone(
        &mut self,
        before: &SemanticQuery,
        edits: &mut Vec<Edit>,
    ) -> Result<(), Stop> {
        let Some(at) = self.find(Concept::Count) else {
            return Ok(());
        };
        if (at + 1..self.spans.len()).any(|next| self.is_noun(next)) {
            return Ok(());
        }
        self.take(at);
        while let Some(is_there) = self.find(Concept::YesNo) {
            self.take(is_there);
        }
        match &before.answer {
            Answer::Rows { .. } => edits.push(Edit::Counted),
            Answer::Figures {
                measures,
                dimensions,
            } => {
                let is_count = |measure: &Measure| matches!(&measure.value, Value::Aggregate(one) if one.function == Function::Count);
                if !measures.iter().all(is_count) || !dimensions.is_empty() {
                    return stop("what is counted is not clear");
                }
            }
            Answer::Exists => return stop("what is counted is not clear"),
        }
        Ok(())
    }

    /// Days in the place of those before, or beside them.
    fn period_edit(
        &mut self,
        before: &SemanticQuery,
        grain: usize,
        period: &Period,
    ) -> Result<Edit, Stop> {
        let known = before.periods();
        let period = period.clone();
        let compare = [Concept::Compare, Concept::Growth]
            .into_iter()
            .find_map(|concept| self.find(concept));
        if let Some(compare) = compare {
            self.take(compare);
            return match (period.from, period.before) {
                (Some(from), Some(before)) => Ok(Edit::Against { from, before }),
                _ => stop("what is compared is not clear"),
            };
        }
        let asked = [Asked::Days {
            period: period.clone(),
            by: None,
        }];
        let mut said = Vec::new();
        let edit = match known.as_slice() {
            [(column, ..)] => {
                said.extend(
                    crate::conditions::period_note(self.schema, grain, column, &period)
                        .map(|note| (note, true)),
                );
                Edit::During {
                    column: column.clone(),
                    from: period.from,
                    before: period.before,
                }
            }
            _ => match place(self.schema, grain, &asked, &mut said)?.as_slice() {
                [
                    Condition::Period {
                        column,
                        from,
                        before,
                    },
                ] => Edit::During {
                    column: column.clone(),
                    from: from.clone(),
                    before: before.clone(),
                },
                [other] => Edit::Only(other.clone()),
                _ => return stop("the period is not clear"),
            },
        };
        self.said.extend(said);
        Ok(edit)
    }

    /// "top 5", "the most expensive of them", "sorted by price".
    fn order_edits(&mut self, before: &SemanticQuery, grain: usize) -> Result<Vec<Edit>, Stop> {
        let is_rows = matches!(before.answer, Answer::Rows { .. });
        if let Some((at, is_descending)) = self.sorted_by.take() {
            let by = match is_rows {
                true => self
                    .sorting_column(at, grain)
                    .map(|column| OrderBy::Value(Expression::Column(column))),
                false => self.shown_at(at, before),
            };
            let Some(by) = by else {
                return stop("what it is sorted by is not clear");
            };
            return Ok(vec![Edit::Ordered(Order {
                by,
                is_descending,
                limit: before.order.as_ref().and_then(|order| order.limit),
            })]);
        }
        self.read_rank();
        let Some(rank) = self.rank else {
            return Ok(Vec::new());
        };
        let is_ascending = matches!(
            rank.concept,
            Concept::Bottom
                | Concept::Fewest
                | Concept::Lowest
                | Concept::Cheap
                | Concept::Oldest
                | Concept::Short
                | Concept::Light
        );
        let is_figure = matches!(
            rank.concept,
            Concept::Top
                | Concept::Bottom
                | Concept::Most
                | Concept::Fewest
                | Concept::Highest
                | Concept::Lowest
        );
        if is_figure {
            let is_function = matches!(rank.concept, Concept::Highest | Concept::Lowest)
                && rank.limit.is_none()
                && !adds_up(before);
            if is_function {
                self.rank = None;
                return Ok(Vec::new());
            }
            self.take(rank.at);
            let limit = rank.limit.unwrap_or(match rank.concept {
                Concept::Top | Concept::Bottom => 10,
                _ => 1,
            });
            return Ok(vec![Edit::First {
                limit,
                is_ascending,
            }]);
        }
        if !is_rows && !counts_rows(before) {
            return stop("what is ranked is not clear");
        }
        let column = match rank.concept {
            Concept::Dear | Concept::Cheap => {
                let own = self.price_columns().into_iter();
                let own: Vec<usize> = own
                    .filter(|(of, _)| *of == grain)
                    .map(|(_, column)| column)
                    .collect();
                match own.as_slice() {
                    [only] => *only,
                    _ => return stop("the price is not clear"),
                }
            }
            Concept::Newest | Concept::Oldest => self.date_for(grain)?,
            Concept::Long | Concept::Short => self.sole_column(grain, ranks::DURATIONS)?,
            _ => self.sole_column(grain, &["weight"])?,
        };
        self.take(rank.at);
        let Some(value) = self.schema.own_column(grain, column, Vec::new()) else {
            return stop("no such column");
        };
        self.says_by(rank.at, grain, &value.column);
        let mut edits = Vec::new();
        if !is_rows {
            edits.push(Edit::Listed(self.shown_of(grain)));
        }
        edits.push(Edit::Ordered(Order {
            by: OrderBy::Value(Expression::Column(value)),
            is_descending: !is_ascending,
            limit: rank.limit.or(Some(1)),
        }));
        Ok(edits)
    }

    /// The figure or the group that a word names.
    fn shown_at(&self, at: usize, before: &SemanticQuery) -> Option<OrderBy> {
        let Answer::Figures {
            measures,
            dimensions,
        } = &before.answer
        else {
            return None;
        };
        let word = canonical(&self.span(at)?.text.to_lowercase());
        let is_called = |name: &str| words_of(name).iter().any(|own| canonical(own) == word);
        let is_figure = self.is(at, Concept::Revenue)
            || self.is(at, Concept::Units)
            || measures.iter().any(|measure| is_called(&measure.name));
        if is_figure {
            return Some(OrderBy::Measure(0));
        }
        let names = |dimension: &Dimension| match dimension {
            Dimension::Entity { key, .. } => key
                .first()
                .and_then(|key| key.path.last())
                .is_some_and(|step| is_called(&step.to.name)),
            Dimension::Column(column) => is_called(&column.column),
            Dimension::Date(..) => false,
        };
        dimensions.iter().position(names).map(OrderBy::Dimension)
    }

    /// "the number of orders instead", "and the average?".
    fn measure_edit(&mut self, grain: usize, is_added: bool) -> Result<Option<Edit>, Stop> {
        let free: Vec<usize> = (0..self.spans.len())
            .filter(|at| !self.is_used(*at))
            .collect();
        if let [only] = free.as_slice()
            && let Some(function) =
                measures::function_of(self.span(*only).and_then(|span| span.concept))
        {
            self.take(*only);
            return Ok(Some(Edit::Combined(function)));
        }
        let is_figure = |at: &usize| {
            let is_term = self
                .term_at(*at)
                .is_some_and(|(_, kind)| kind != TermKind::Condition);
            is_term
                || self.span(*at).is_some_and(|span| {
                    measures::function_of(span.concept).is_some()
                        || matches!(
                            span.concept,
                            Some(
                                Concept::Count
                                    | Concept::Revenue
                                    | Concept::Units
                                    | Concept::OrderValue
                            )
                        )
                })
        };
        if !free.iter().any(is_figure) {
            return Ok(None);
        }
        self.read_measures()?;
        let mut measures = Vec::new();
        for measured in std::mem::take(&mut self.measures) {
            if let Some(measure) = self.defined_at(grain, &measured)? {
                measures.push(measure);
                continue;
            }
            let (aggregate, says) = self
                .aggregate_at(grain, &measured)
                .ok_or(Stop::from(Misfit::Unreachable))?;
            let name = self.name_of(&measured);
            if !says.is_empty() {
                let is_default = matches!(measured.what, What::Revenue | What::Units);
                self.says(format!("{name} is {says}"), is_default);
            }
            measures.push(Measure {
                name,
                value: Value::Aggregate(aggregate),
            });
        }
        match measures.is_empty() {
            true => stop("what is measured is not clear"),
            false => Ok(Some(Edit::Measured { measures, is_added })),
        }
    }
}

/// Whether rows are counted, perhaps for each group.
fn counts_any(before: &SemanticQuery) -> bool {
    match &before.answer {
        Answer::Figures { measures, .. } => match measures.as_slice() {
            [measure] => matches!(
                &measure.value,
                Value::Aggregate(one) if one.of.is_none() && one.only.is_empty()
            ),
            _ => false,
        },
        _ => false,
    }
}

/// Whether all rows are counted.
fn counts_rows(before: &SemanticQuery) -> bool {
    let is_one =
        matches!(&before.answer, Answer::Figures { dimensions, .. } if dimensions.is_empty());
    is_one && counts_any(before)
}

/// Whether figures of groups are sums or counts, of which the highest is one of the groups.
fn adds_up(before: &SemanticQuery) -> bool {
    let Answer::Figures {
        measures,
        dimensions,
    } = &before.answer
    else {
        return false;
    };
    let is_sum = |measure: &Measure| matches!(&measure.value, Value::Aggregate(one) if matches!(one.function, Function::Sum | Function::Count | Function::CountDistinct));
    !dimensions.is_empty() && measures.iter().any(is_sum)
}

/// The days before those of the meaning.
fn shifted(before: &SemanticQuery, shift: Shift) -> Result<(ColumnRef, String, String), Stop> {
    let periods = before.periods();
    let [(column, Some(from), Some(last))] = periods.as_slice() else {
        return stop("there is no period to go back from");
    };
    let (Some(from), Some(last)) = (parse_date(from), parse_date(last)) else {
        return stop("there is no period to go back from");
    };
    let months = match shift {
        Shift::Year => Some(12),
        Shift::Period => {
            let months = (i32::from(last.year()) - i32::from(from.year())) * 12
                + i32::from(last.month())
                - i32::from(from.month());
            (from.day() == 1 && last.day() == 1).then_some(months)
        }
    };
    let moved = |day| match months {
        Some(months) => plus_months(day, -months).to_string(),
        None => plus_days(day, -(last - from).get_days()).to_string(),
    };
    Ok((column.clone(), moved(from), moved(last)))
}
