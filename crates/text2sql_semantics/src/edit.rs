//! Changes to a meaning: a follow-up changes one part of it and leaves the others as they are.

use crate::query::{
    Aggregate, Answer, ColumnRef, Condition, DatePart, Dimension, Expression, Function, Literal,
    Measure, Operator, Order, OrderBy, SemanticQuery, Shown, Step, TableRef, Value,
};
use crate::refusal::Refusal;

/// A change of one part.
#[derive(Debug, Clone, PartialEq)]
pub enum Edit {
    /// Other groups, or one more.
    By {
        /// What the rows are for.
        dimensions: Vec<Dimension>,
        /// Whether those before stay.
        is_added: bool,
    },
    /// One row of all.
    InTotal,
    /// Only rows that meet it, in the place of what was said of the same column.
    Only(Condition),
    /// Other days.
    During {
        /// The date, where the meaning has no days yet.
        column: ColumnRef,
        /// The first day, `YYYY-MM-DD`.
        from: Option<String>,
        /// The day after the last.
        before: Option<String>,
    },
    /// Other days beside those that there are.
    Against {
        /// The first day, `YYYY-MM-DD`.
        from: String,
        /// The day after the last.
        before: String,
    },
    /// The first rows by the figure, or of the order that there is.
    First {
        /// How many.
        limit: u32,
        /// Whether the smallest come first.
        is_ascending: bool,
    },
    /// Another order.
    Ordered(Order),
    /// The share of the whole beside the figure.
    Share,
    /// Other figures, or one more.
    Measured {
        /// What is measured.
        measures: Vec<Measure>,
        /// Whether those before stay.
        is_added: bool,
    },
    /// Another function of the same values.
    Combined(Function),
    /// How many rows there are.
    Counted,
    /// The rows that were counted.
    Listed(Vec<Shown>),
    /// How many rows of another table meet the same conditions.
    Of {
        /// The other table.
        subject: TableRef,
        /// The name of the figure.
        name: String,
        /// The conditions on its rows.
        conditions: Vec<Condition>,
    },
    /// More of each row.
    Shown(Vec<ColumnRef>),
}

const NO_GROUPS: Refusal = Refusal::Unsupported("there are no groups");
const NO_FIGURES: Refusal = Refusal::Unsupported("there are no figures");

impl SemanticQuery {
    /// The meaning with the change.
    pub fn edited(&self, edit: &Edit) -> Result<Self, Refusal> {
        let mut query = self.clone();
        match edit {
            Edit::By {
                dimensions,
                is_added,
            } => query.group(dimensions, *is_added)?,
            Edit::InTotal => {
                let own = query.dimensions_mut()?;
                if own.is_empty() {
                    return Err(NO_GROUPS);
                }
                own.clear();
                query.order = None;
                query.figures_mut()?.retain(|one| !is_share(one));
            }
            Edit::Only(condition) => query.restrict(condition)?,
            Edit::During {
                column,
                from,
                before,
            } => query.move_to(column, from.clone(), before.clone())?,
            Edit::Against { from, before } => query.compare(from, before)?,
            Edit::First {
                limit,
                is_ascending,
            } => query.cut(*limit, *is_ascending)?,
            Edit::Ordered(order) => {
                if let (OrderBy::Value(value), Answer::Rows { columns, .. }) =
                    (&order.by, &mut query.answer)
                    && !columns.iter().any(|column| column.value == *value)
                {
                    columns.push(Shown {
                        value: value.clone(),
                        name: None,
                    });
                }
                query.order = Some(order.clone());
            }
            Edit::Share => query.share()?,
            Edit::Measured { measures, is_added } => {
                let own = query.figures_mut()?;
                match is_added {
                    true => own.extend(measures.iter().cloned()),
                    false => own.clone_from(measures),
                }
                if own.is_empty() {
                    return Err(NO_FIGURES);
                }
            }
            Edit::Combined(function) => query.combine(*function)?,
            Edit::Counted => query.count()?,
            Edit::Listed(columns) => {
                query.answer = Answer::Rows {
                    columns: columns.clone(),
                    distinct: false,
                };
                query.order = None;
            }
            Edit::Of {
                subject,
                name,
                conditions,
            } => {
                query.subject.clone_from(subject);
                query.conditions.clone_from(conditions);
                query.order = None;
                query.answer = Answer::Figures {
                    measures: vec![counted(name)],
                    dimensions: Vec::new(),
                };
            }
            Edit::Shown(shown) => {
                let Answer::Rows {
                    columns,
                    distinct: false,
                } = &mut query.answer
                else {
                    return Err(Refusal::Unsupported("there are no rows to show more of"));
                };
                for column in shown {
                    let value = Expression::Column(column.clone());
                    if !columns.iter().any(|known| known.value == value) {
                        columns.push(Shown { value, name: None });
                    }
                }
            }
        }
        match query == *self {
            true => Err(Refusal::Unsupported("nothing changes")),
            false => Ok(query),
        }
    }

    /// The dates by which days are meant, each once with its days.
    pub fn periods(&self) -> Vec<(ColumnRef, Option<String>, Option<String>)> {
        let mut found = Vec::new();
        self.clone().each_condition(&mut |condition| {
            if let Condition::Period {
                column,
                from,
                before,
            } = condition
            {
                let one = (column.clone(), from.clone(), before.clone());
                if !found.contains(&one) {
                    found.push(one);
                }
            }
        });
        found
    }

    fn figures_mut(&mut self) -> Result<&mut Vec<Measure>, Refusal> {
        match &mut self.answer {
            Answer::Figures { measures, .. } => Ok(measures),
            _ => Err(NO_FIGURES),
        }
    }

    fn dimensions_mut(&mut self) -> Result<&mut Vec<Dimension>, Refusal> {
        match &mut self.answer {
            Answer::Figures { dimensions, .. } => Ok(dimensions),
            _ => Err(NO_FIGURES),
        }
    }

    fn group(&mut self, dimensions: &[Dimension], is_added: bool) -> Result<(), Refusal> {
        let own = self.dimensions_mut()?;
        if !is_added {
            own.clear();
        }
        for dimension in dimensions {
            if !own.contains(dimension) {
                own.push(dimension.clone());
            }
        }
        // The first ten customers say nothing of how many countries are wanted.
        let keeps = |order: &Order| matches!(order.by, OrderBy::Measure(_));
        self.order = self
            .order
            .take()
            .filter(|order| is_added || keeps(order))
            .map(|order| Order {
                limit: order.limit.filter(|_| is_added),
                ..order
            });
        Ok(())
    }

    fn restrict(&mut self, condition: &Condition) -> Result<(), Refusal> {
        let place = place_of(condition);
        if let (Some(place), Some((values, true))) = (&place, values_of(condition)) {
            // "without Germany" of Germany and France leaves France.
            for own in &mut self.conditions {
                if place_of(own).as_ref() == Some(place)
                    && let Condition::OneOf {
                        values: known,
                        is_negated: false,
                        ..
                    } = own
                {
                    known.retain(|value| !values.contains(value));
                    return match known.is_empty() {
                        true => Err(Refusal::Unsupported("no rows would be left")),
                        false => Ok(()),
                    };
                }
            }
        } else if let Some(place) = &place {
            let is_replaced = |own: &Condition| {
                place_of(own).as_ref() == Some(place) && same_kind(own, condition)
            };
            self.conditions.retain(|own| !is_replaced(own));
        }
        if !self.conditions.contains(condition) {
            self.conditions.push(condition.clone());
        }
        Ok(())
    }

    fn move_to(
        &mut self,
        column: &ColumnRef,
        from: Option<String>,
        before: Option<String>,
    ) -> Result<(), Refusal> {
        match self.periods().as_slice() {
            [] => self.conditions.push(Condition::Period {
                column: column.clone(),
                from,
                before,
            }),
            [_] => self.each_condition(&mut |condition| {
                if let Condition::Period {
                    from: first,
                    before: last,
                    ..
                } = condition
                {
                    first.clone_from(&from);
                    last.clone_from(&before);
                }
            }),
            _ => return Err(Refusal::Unsupported("there are several periods")),
        }
        self.parts
            .retain(|part| !part.says.starts_with("the period is "));
        Ok(())
    }

    fn compare(&mut self, from: &str, before: &str) -> Result<(), Refusal> {
        let periods = self.periods();
        let at = self
            .conditions
            .iter()
            .position(|one| matches!(one, Condition::Period { .. }));
        let ([(column, Some(first), Some(last))], Some(at)) = (periods.as_slice(), at) else {
            return Err(Refusal::Unsupported("there is no period to compare with"));
        };
        let (column, first, last) = (column.clone(), first.clone(), last.clone());
        if first == from {
            return Err(Refusal::Unsupported("nothing changes"));
        }
        for dimension in self.dimensions_mut()? {
            if let Dimension::Date(_, part) = dimension {
                // January of both years is one row.
                *part = match part {
                    DatePart::Month | DatePart::MonthOfYear if is_year(from, &first) => {
                        DatePart::MonthOfYear
                    }
                    DatePart::Quarter | DatePart::QuarterOfYear if is_year(from, &first) => {
                        DatePart::QuarterOfYear
                    }
                    DatePart::Weekday | DatePart::Hour => *part,
                    _ => return Err(Refusal::Unsupported("the parts of both periods differ")),
                };
            }
        }
        let period = |from: &str, before: &str| Condition::Period {
            column: column.clone(),
            from: Some(from.to_owned()),
            before: Some(before.to_owned()),
        };
        let (own, other) = (period(&first, &last), period(from, before));
        let measures = self.figures_mut()?;
        let [
            Measure {
                name,
                value: Value::Aggregate(whole),
            },
        ] = measures.as_slice()
        else {
            return Err(Refusal::Unsupported("several figures are compared"));
        };
        let only = |period: &Condition| Aggregate {
            only: whole
                .only
                .iter()
                .chain(std::iter::once(period))
                .cloned()
                .collect(),
            ..whole.clone()
        };
        let figure = |aggregate: Aggregate, name: String| Measure {
            name,
            value: Value::Aggregate(aggregate),
        };
        *measures = vec![
            figure(only(&own), name.clone()),
            figure(
                only(&other),
                format!("{name}_from_{}", from.replace('-', "_")),
            ),
            Measure {
                name: "growth_percent".to_owned(),
                value: Value::Growth(only(&other), only(&own)),
            },
        ];
        let both = match (before == first, last == from) {
            (true, _) => period(from, &last),
            (_, true) => period(&first, before),
            _ => Condition::Any(vec![own, other]),
        };
        if let Some(slot) = self.conditions.get_mut(at) {
            *slot = both;
        }
        Ok(())
    }

    fn cut(&mut self, limit: u32, is_ascending: bool) -> Result<(), Refusal> {
        if limit == 0 {
            return Err(Refusal::Unsupported("no rows would be left"));
        }
        match (&self.answer, &mut self.order) {
            (Answer::Figures { dimensions, .. }, order) if !dimensions.is_empty() => {
                let is_kept = order
                    .as_ref()
                    .is_some_and(|order| matches!(order.by, OrderBy::Measure(_)))
                    && !is_ascending;
                match order {
                    Some(order) if is_kept => order.limit = Some(limit),
                    order => {
                        *order = Some(Order {
                            by: OrderBy::Measure(0),
                            is_descending: !is_ascending,
                            limit: Some(limit),
                        });
                    }
                }
                Ok(())
            }
            (Answer::Rows { .. }, Some(order)) if !is_ascending => {
                order.limit = Some(limit);
                Ok(())
            }
            _ => Err(Refusal::Unsupported("there is no order")),
        }
    }

    fn share(&mut self) -> Result<(), Refusal> {
        if self.dimensions_mut()?.is_empty() {
            return Err(NO_GROUPS);
        }
        let measures = self.figures_mut()?;
        let [
            Measure {
                value: Value::Aggregate(one),
                ..
            },
        ] = measures.as_slice()
        else {
            return Err(Refusal::Unsupported("the share of which figure"));
        };
        if !matches!(one.function, Function::Sum | Function::Count) {
            return Err(Refusal::Unsupported("a share of what cannot be added up"));
        }
        let share = Measure {
            name: "share_percent".to_owned(),
            value: Value::ShareOfAll(one.clone()),
        };
        measures.push(share);
        Ok(())
    }

    fn combine(&mut self, function: Function) -> Result<(), Refusal> {
        let measures = self.figures_mut()?;
        let [
            Measure {
                name,
                value:
                    Value::Aggregate(Aggregate {
                        function: own,
                        of: Some(_),
                        ..
                    }),
            },
        ] = measures.as_mut_slice()
        else {
            return Err(Refusal::Unsupported("of which values"));
        };
        if *own == Function::CountDistinct {
            return Err(Refusal::Unsupported("of which values"));
        }
        let bare = PREFIXES
            .iter()
            .find_map(|(_, prefix)| name.strip_prefix(prefix));
        let bare = bare.unwrap_or(name).to_owned();
        let prefix = PREFIXES.iter().find(|(known, _)| *known == function);
        *name = format!("{}{bare}", prefix.map_or("", |(_, prefix)| *prefix));
        *own = function;
        Ok(())
    }

    fn count(&mut self) -> Result<(), Refusal> {
        let measure = match &self.answer {
            Answer::Rows {
                distinct: false, ..
            } => counted(&self.subject.name),
            Answer::Rows { columns, .. } => match columns.as_slice() {
                [only] => Measure {
                    name: self.subject.name.clone(),
                    value: Value::Aggregate(Aggregate {
                        function: Function::CountDistinct,
                        of: Some(only.value.clone()),
                        only: Vec::new(),
                    }),
                },
                _ => return Err(Refusal::Unsupported("rows of several columns are counted")),
            },
            _ => return Err(Refusal::Unsupported("there are no rows to count")),
        };
        if self
            .order
            .as_ref()
            .is_some_and(|order| order.limit.is_some())
        {
            return Err(Refusal::Unsupported("the first rows are counted"));
        }
        self.answer = Answer::Figures {
            measures: vec![measure],
            dimensions: Vec::new(),
        };
        self.order = None;
        Ok(())
    }

    /// Every condition, also those on other rows and on what is measured.
    fn each_condition(&mut self, visit: &mut dyn FnMut(&mut Condition)) {
        in_conditions(&mut self.conditions, visit);
        match &mut self.answer {
            Answer::Figures { measures, .. } => {
                for measure in measures {
                    match &mut measure.value {
                        Value::Aggregate(one)
                        | Value::GrowthByPeriod(one)
                        | Value::ShareOfAll(one) => in_aggregate(one, visit),
                        Value::Percentage(one, other)
                        | Value::Growth(one, other)
                        | Value::Change(one, other) => {
                            in_aggregate(one, visit);
                            in_aggregate(other, visit);
                        }
                        Value::Defined(_) => {}
                    }
                }
            }
            Answer::Rows { columns, .. } => {
                for column in columns {
                    in_expression(&mut column.value, visit);
                }
            }
            Answer::Exists => {}
        }
        if let Some(Order {
            by: OrderBy::Value(value),
            ..
        }) = &mut self.order
        {
            in_expression(value, visit);
        }
    }
}

/// What names of figures begin with.
const PREFIXES: [(Function, &str); 5] = [
    (Function::Average, "average_"),
    (Function::Median, "median_"),
    (Function::Maximum, "highest_"),
    (Function::Minimum, "lowest_"),
    (Function::Sum, "total_"),
];

fn in_conditions(conditions: &mut [Condition], visit: &mut dyn FnMut(&mut Condition)) {
    for condition in conditions {
        visit(condition);
        match condition {
            Condition::Exists { conditions, .. } | Condition::Any(conditions) => {
                in_conditions(conditions, visit);
            }
            Condition::Compare { left, .. } => in_expression(left, visit),
            Condition::CompareColumns { left, right, .. } => {
                in_expression(left, visit);
                in_expression(right, visit);
            }
            Condition::Between { value, .. } => in_expression(value, visit),
            _ => {}
        }
    }
}

fn in_aggregate(aggregate: &mut Aggregate, visit: &mut dyn FnMut(&mut Condition)) {
    in_conditions(&mut aggregate.only, visit);
    if let Some(of) = &mut aggregate.of {
        in_expression(of, visit);
    }
}

fn in_expression(expression: &mut Expression, visit: &mut dyn FnMut(&mut Condition)) {
    match expression {
        Expression::Related(related) => {
            in_conditions(&mut related.conditions, visit);
            if let Some(of) = &mut related.of {
                in_expression(of, visit);
            }
        }
        Expression::Product(factors) => {
            for factor in factors {
                in_expression(factor, visit);
            }
        }
        Expression::Difference(from, to) => {
            in_expression(from, visit);
            in_expression(to, visit);
        }
        Expression::Column(_)
        | Expression::Remainder { .. }
        | Expression::InUnit { .. }
        | Expression::Days(..)
        | Expression::Defined(_) => {}
    }
}

/// The rows and the column that a condition is on.
type Place = (Option<(TableRef, Vec<Step>, Vec<Step>)>, ColumnRef);

fn place_of(condition: &Condition) -> Option<Place> {
    let own = |column: &ColumnRef| Some((None, column.clone()));
    match condition {
        Condition::Compare {
            left: Expression::Column(column),
            ..
        }
        | Condition::Between {
            value: Expression::Column(column),
            ..
        }
        | Condition::OneOf { column, .. }
        | Condition::Like { column, .. }
        | Condition::Null { column, .. }
        | Condition::Truth { column, .. }
        | Condition::Period { column, .. } => own(column),
        Condition::Exists {
            table,
            link,
            of,
            conditions,
            ..
        } => match conditions.as_slice() {
            [only] => {
                let (None, column) = place_of(only)? else {
                    return None;
                };
                Some((Some((table.clone(), link.clone(), of.clone())), column))
            }
            _ => None,
        },
        _ => None,
    }
}

/// The values that a condition names, and whether they are left out.
fn values_of(condition: &Condition) -> Option<(&[Literal], bool)> {
    match condition {
        Condition::OneOf {
            values, is_negated, ..
        } => Some((values, *is_negated)),
        _ => None,
    }
}

/// Whether the one says the same kind of thing as the other, so that both cannot be meant.
fn same_kind(own: &Condition, new: &Condition) -> bool {
    let is_lower = |operator: &Operator| matches!(operator, Operator::Greater | Operator::AtLeast);
    match (own, new) {
        (
            Condition::Compare {
                operator: known, ..
            },
            Condition::Compare { operator, .. },
        ) => {
            *operator == Operator::Equal
                || *known == Operator::Equal
                || is_lower(known) == is_lower(operator)
        }
        (
            Condition::Exists {
                is_negated: known, ..
            },
            Condition::Exists { is_negated, .. },
        ) => known == is_negated,
        (Condition::Period { .. }, _) | (_, Condition::Period { .. }) => false,
        _ => true,
    }
}

/// How many rows there are, by that name.
fn counted(name: &str) -> Measure {
    Measure {
        name: name.to_owned(),
        value: Value::Aggregate(Aggregate {
            function: Function::Count,
            of: None,
            only: Vec::new(),
        }),
    }
}

fn is_share(measure: &Measure) -> bool {
    matches!(measure.value, Value::ShareOfAll(_))
}

/// Whether whole years lie between two days.
fn is_year(one: &str, other: &str) -> bool {
    one.get(4..) == other.get(4..)
}
