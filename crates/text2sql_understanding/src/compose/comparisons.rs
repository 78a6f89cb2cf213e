//! Comparisons with numbers, with other columns and with the average.

use super::*;
use text2sql_domain::words;

impl Composer<'_> {
    /// "more than 40 orders", "between 50 and 100 euros", "price over 20", "stock below the reorder level".
    pub(super) fn read_comparisons(&mut self) -> Result<(), Stop> {
        for at in 0..self.spans.len() {
            let operator = match self.span(at).and_then(|span| span.concept) {
                Some(Concept::Over) => Operator::Greater,
                Some(Concept::Under) => Operator::Less,
                Some(Concept::AtLeast) => Operator::AtLeast,
                Some(Concept::AtMost) => Operator::AtMost,
                Some(Concept::Exactly) => Operator::Equal,
                Some(Concept::Between) => Operator::Equal,
                _ => continue,
            };
            let Some(mut next) = self.after(at) else {
                continue;
            };
            let mut is_currency = false;
            if self.is(next, Concept::Money)
                && self
                    .span(next + 1)
                    .is_some_and(|span| span.number.is_some())
            {
                self.take(next);
                next += 1;
                is_currency = true;
            }
            // "at least two different products"
            let number = self.span(next).and_then(|span| span.number.clone());
            let is_one = self.span(at + 1).is_some_and(|span| {
                words!("ein, eine, einen, einem, a, an").contains(&span.text.as_str())
            });
            let number = match is_one && next > at + 1 {
                true => {
                    next = at + 1;
                    Some("1".to_owned())
                }
                false => number,
            };
            let Some(low) = number else {
                if !self.compare_with_average(at, operator, next)
                    && !self.compare_with_boss(at, operator, next)
                {
                    self.compare_columns(at, operator, next);
                }
                continue;
            };
            let mut last = next;
            let mut high = None;
            if self.is(at, Concept::Between) {
                let Some(and) = self.joint_after(next) else {
                    continue;
                };
                let Some(second) = self.after(and) else {
                    continue;
                };
                high = self.span(second).and_then(|span| span.number.clone());
                if high.is_none() {
                    continue;
                }
                self.take(and);
                self.take(second);
                last = second;
            }
            self.take(at);
            self.take(next);
            let unit = self.after(last);
            if let Some(unit) = unit
                && self.read_duration(at, (operator, low.clone(), high.clone()), unit)?
            {
                continue;
            }
            if self.is_about_age(at) {
                let columns = self.age_columns();
                if columns.is_empty() {
                    return stop("there is no age");
                }
                if let Some(unit) = unit.filter(|unit| self.is(*unit, Concept::Age)) {
                    self.take(unit);
                }
                self.asked.push(Asked::Number {
                    columns,
                    operator,
                    low,
                    high,
                });
                continue;
            }
            let unit = match unit {
                Some(distinct) if self.is(distinct, Concept::Distinct) && distinct == last + 1 => {
                    self.take(distinct);
                    last = distinct;
                    self.after(distinct)
                }
                unit => unit,
            };
            let is_money = is_currency || unit.is_some_and(|unit| self.is(unit, Concept::Money));
            if let Some(unit) = unit
                && (self.is(unit, Concept::Times))
            {
                self.take(unit);
                let Some(sales) = self.event_of_verbs().or_else(|| self.event_beside(at)) else {
                    return stop("what happened is not clear");
                };
                self.asked.push(Asked::Counted {
                    table: sales,
                    operator,
                    number: low,
                });
                continue;
            }
            if let Some(unit) = unit.filter(|unit| self.is(*unit, Concept::Money)) {
                self.take(unit);
            } else if let Some(unit) = unit
                && unit == last + 1
                && high.is_none()
                && self.is_noun(unit)
                && !self.is_used(unit)
                && self.numeric_columns(unit).is_empty()
                && let Some(table) = self.table_of(unit)
            {
                self.take(unit);
                self.asked.push(Asked::Counted {
                    table,
                    operator,
                    number: low,
                });
                continue;
            } else if let Some(unit) = unit
                && unit == last + 1
                && !self.numeric_columns(unit).is_empty()
            {
                // "more than 100 units in stock"
                self.take(unit);
                let columns = self.numeric_columns(unit);
                let Some(columns) = self.of_the_thing_before(at, unit, columns) else {
                    return stop("what is compared is not clear");
                };
                self.asked.push(Asked::Number {
                    columns,
                    operator,
                    low,
                    high,
                });
                continue;
            }
            // "products that we sold more than 1000 units of"
            if let Some(unit) = unit.filter(|unit| self.is(*unit, Concept::Units) && high.is_none())
                && self.verbs().iter().any(|(_, verb)| *verb == "sell")
            {
                self.take(unit);
                for (verb, _) in self.verbs() {
                    self.take(verb);
                }
                self.asked.push(Asked::Figure {
                    function: Function::Sum,
                    columns: money::quantities(self.schema),
                    operator,
                    number: low,
                });
                continue;
            }
            // The column before: "a price over 50", "cost more than 50".
            let column = (0..at).rev().take(3).find(|before| {
                !self.is_used(*before)
                    && (!self.numeric_columns(*before).is_empty()
                        || self.is(*before, Concept::Verb("cost"))
                        || self.is_earning(*before))
                    && !self.is(*before, Concept::Revenue)
            });
            match column {
                Some(before) => {
                    let function = (0..before).rev().find(|other| !self.is_filler(*other));
                    let is_figure = function.is_some_and(|function| {
                        [Concept::Average, Concept::Sum, Concept::Median]
                            .iter()
                            .any(|one| self.is(function, *one))
                    });
                    if is_figure && self.amount_before(at).is_none() {
                        let function = self.function_before(before);
                        let (Some(function), None) = (function, &high) else {
                            return stop("a condition on a figure is not understood");
                        };
                        self.take(before);
                        self.asked.push(Asked::Figure {
                            function,
                            columns: self.numeric_columns(before),
                            operator,
                            number: low,
                        });
                        continue;
                    }
                    self.take(before);
                    let columns = match self.span(before).and_then(|span| span.concept) {
                        Some(Concept::Verb("cost")) => self.price_columns(),
                        Some(Concept::Verb("earn")) => self.salary_columns(),
                        _ => self.compared_columns(before),
                    };
                    let columns = self.of_their_currency(columns, is_money);
                    let (low, high) = self.in_their_unit(&columns, is_money, low, high)?;
                    self.asked.push(Asked::Number {
                        columns,
                        operator,
                        low,
                        high,
                    });
                }
                None if self.repeats_comparison(at) => {
                    if let Some(Asked::Number { columns, .. }) = self.asked.last().cloned() {
                        self.asked.push(Asked::Number {
                            columns,
                            operator,
                            low,
                            high,
                        });
                    }
                }
                None if self.amount_before(at).is_some() => {
                    if let Some((table, column)) = self.amount_before(at) {
                        let name = self
                            .schema
                            .column(table, column)
                            .map(|column| column.name.clone())
                            .unwrap_or_default();
                        let says = format!("the amount is {}.{name}", self.table_name(table));
                        self.says(says, true);
                        let columns = vec![(table, column)];
                        let (low, high) = self.in_their_unit(&columns, is_money, low, high)?;
                        self.asked.push(Asked::Number {
                            columns,
                            operator,
                            low,
                            high,
                        });
                    }
                }
                None if is_money
                    || self.has(Concept::Revenue)
                    || self.has(Concept::Verb("spend")) =>
                {
                    if is_money && self.is_in_cents() {
                        return stop("the unit of the amount is another one");
                    }
                    self.having = Some((operator, low, high));
                }
                None => return stop("what is compared is not clear"),
            }
        }
        Ok(())
    }

    /// The columns, if each row of the noun before the comparison has one of them. "Students with more than 120 credits"
    /// are not compared by the credits of a course, but by their own column with a shorter name: `tot_cred`.
    fn of_the_thing_before(
        &self,
        at: usize,
        unit: usize,
        columns: Vec<(usize, usize)>,
    ) -> Option<Vec<(usize, usize)>> {
        let noun = (0..at).rev().find(|before| self.is_noun(*before));
        let Some(table) = noun.and_then(|noun| self.table_of(noun)) else {
            return Some(columns);
        };
        if columns
            .iter()
            .any(|(of, _)| self.schema.reach(table, *of).is_some())
        {
            return Some(columns);
        }
        let word = stem(&self.span(unit)?.text.to_lowercase());
        let own = self.schema.table(table)?.columns.iter().enumerate();
        let mut short = own.filter(|(column, described)| {
            let mut words = words_of(&described.name).into_iter();
            self.schema.is_numeric(table, *column)
                && words.any(|own| own.len() > 3 && word.starts_with(&own))
        });
        let (column, _) = short.next()?;
        short.next().is_none().then(|| vec![(table, column)])
    }

    /// The "and" or "to" of a range.
    pub(super) fn joint_after(&self, number: usize) -> Option<usize> {
        let text = |at: usize| self.span(at).map(|span| span.text.to_lowercase());
        let next = number + 1;
        let is_to = text(next).is_some_and(|text| matches!(text.as_str(), "to" | "bis"));
        let and = self.after(number).filter(|and| self.is(*and, Concept::And));
        and.or(is_to.then_some(next))
    }

    /// "lower than 600 or higher than 900": the second comparison is of the same column.
    pub(super) fn repeats_comparison(&self, at: usize) -> bool {
        let joint = self
            .before(at)
            .filter(|joint| self.is(*joint, Concept::Or) || self.is(*joint, Concept::And));
        let number = joint.and_then(|joint| self.before(joint));
        number.is_some_and(|number| {
            self.is_used(number) && self.span(number).is_some_and(|span| span.number.is_some())
        })
    }

    /// The amount of what stands before a comparison: "invoices over 15", "products between 10 and 20 dollars".
    pub(super) fn amount_before(&self, at: usize) -> Option<(usize, usize)> {
        let before = self.before(at)?;
        if self.is_noun(before) {
            return self.amount_of(self.table_of(before)?);
        }
        // "refunds over 100": rows whose type says so.
        let values = self.values_of(before);
        let mut tables = values.iter().filter_map(|name| match name.kind {
            NameKind::Value(table, _, _) => Some(table),
            _ => None,
        });
        let table = tables
            .next()
            .filter(|table| tables.all(|other| other == *table))?;
        self.amount_of(table)
            .filter(|_| self.columns_of(before).is_empty())
    }

    /// The one column that says what a row of the table is worth.
    pub(super) fn amount_of(&self, table: usize) -> Option<(usize, usize)> {
        let figures = money::revenue(self.schema);
        let own = figures.iter().find(|figure| figure.table == table);
        if let Some(figure) = own {
            let Expression::Column(name) = &figure.value else {
                return None;
            };
            let column = self
                .schema
                .table(table)?
                .columns
                .iter()
                .position(|column| column.name == name.column)?;
            return Some((table, column));
        }
        let prices: Vec<(usize, usize)> = self
            .price_columns()
            .into_iter()
            .filter(|(of, _)| *of == table)
            .collect();
        match prices.as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }

    /// Whether amounts of this schema may be in cents: then a number of euros is another one.
    pub(super) fn is_in_cents(&self) -> bool {
        let columns = self.schema.tables.iter().flat_map(|table| &table.columns);
        columns
            .filter(|column| {
                matches!(
                    column.category,
                    TypeCategory::Integer | TypeCategory::Number
                )
            })
            .any(|column| {
                let comment = column.comment.as_deref().unwrap_or_default().to_lowercase();
                comment.contains("cents") || column.name.to_lowercase().contains("cents")
            })
    }

    pub(super) fn price_columns(&self) -> Vec<(usize, usize)> {
        self.columns_with(&["price", "cost", "preis", "fee", "rate"], |name| {
            !["purchase", "shipping"]
                .iter()
                .any(|other| name.contains(other))
        })
    }

    /// The salaries of the people that the question names.
    pub(super) fn salary_columns(&self) -> Vec<(usize, usize)> {
        let named: Vec<usize> = (0..self.spans.len())
            .filter_map(|at| self.table_of(at))
            .collect();
        let mut columns = self.columns_with(&["salary"], |name| {
            !name.contains("min") && !name.contains("max")
        });
        columns.retain(|(table, _)| named.contains(table));
        columns
    }

    /// "employees earn more than 12,000": what they are paid.
    fn is_earning(&self, at: usize) -> bool {
        self.is(at, Concept::Verb("earn")) && !self.salary_columns().is_empty()
    }

    pub(super) fn columns_with(
        &self,
        words: &[&str],
        is_meant: impl Fn(&str) -> bool,
    ) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        for word in words {
            for (at, table) in self.schema.tables.iter().enumerate() {
                if !self.schema.is_base(at) {
                    continue;
                }
                for (column, described) in table.columns.iter().enumerate() {
                    let own = self.schema.column_words(at, column);
                    if own.iter().any(|own| own == word)
                        && self.schema.is_numeric(at, column)
                        && is_meant(&described.name.to_lowercase())
                        && !found.contains(&(at, column))
                    {
                        found.push((at, column));
                    }
                }
            }
        }
        found
    }

    /// "a price above the average", "more than the average price"
    pub(super) fn compare_with_average(
        &mut self,
        at: usize,
        operator: Operator,
        next: usize,
    ) -> bool {
        if !self.is(next, Concept::Average) {
            return false;
        }
        let beside = self.after(next);
        let after = beside.filter(|after| !self.numeric_columns(*after).is_empty());
        let before = (0..at).rev().take(4).find(|before| {
            !self.is_used(*before)
                && (!self.numeric_columns(*before).is_empty()
                    || self.is(*before, Concept::Verb("cost")))
        });
        // "more expensive than the average"
        let text = self
            .span(at)
            .map(|span| span.text.to_lowercase())
            .unwrap_or_default();
        let is_of_price = words!("expensive, cheap, pric, teurer, billiger, günstiger")
            .iter()
            .any(|part| text.contains(part));
        let Some(named) = after.or(before).or(is_of_price.then_some(at)) else {
            return false;
        };
        let columns = match self.is(named, Concept::Verb("cost")) || named == at {
            true => self.price_columns(),
            false => self.numeric_columns(named),
        };
        for part in [Some(at), Some(next), after, before].into_iter().flatten() {
            self.take(part);
        }
        self.asked.push(Asked::AgainstAverage { columns, operator });
        true
    }

    /// "lower than 600 or higher than 900": either of two comparisons of one column.
    pub(super) fn join_alternatives(&mut self) {
        let [.., first, second] = self.asked.as_slice() else {
            return;
        };
        let (Asked::Number { high: None, .. }, Asked::Number { high: None, .. }) = (first, second)
        else {
            return;
        };
        let Some(or) = self.find(Concept::Or) else {
            return;
        };
        self.take(or);
        let second = self.asked.pop();
        let first = self.asked.pop();
        let either = first.into_iter().chain(second).collect();
        self.asked.push(Asked::Any(either));
    }

    pub(super) fn compare_columns(&mut self, at: usize, operator: Operator, next: usize) {
        let right = self.columns_of(next);
        let Some(before) = (0..at)
            .rev()
            .find(|before| !self.is_used(*before) && !self.columns_of(*before).is_empty())
        else {
            return;
        };
        for (table, left, _) in self.columns_of(before) {
            for (other, right, _) in &right {
                let is_number =
                    self.schema.is_numeric(table, left) && self.schema.is_numeric(*other, *right);
                if table == *other && left != *right && is_number {
                    self.take(at);
                    self.take(next);
                    self.take(before);
                    self.asked.push(Asked::Columns {
                        table,
                        left,
                        operator,
                        right: *right,
                    });
                    return;
                }
            }
        }
    }

    /// The columns that a compared word may mean: one of the things that are named goes before a better name elsewhere.
    pub(super) fn compared_columns(&self, at: usize) -> Vec<(usize, usize)> {
        let named: Vec<usize> = (0..self.spans.len())
            .filter(|other| *other != at)
            .filter_map(|other| self.table_of(other))
            .collect();
        let best = self.numeric_columns(at);
        if best.iter().any(|(table, _)| named.contains(table)) {
            return best;
        }
        let all = self.columns_of(at).into_iter();
        let own: Vec<(usize, usize)> = all
            .filter(|(table, column, _)| {
                named.contains(table) && self.schema.is_numeric(*table, *column)
            })
            .map(|(table, column, _)| (table, column))
            .collect();
        if own.is_empty() { best } else { own }
    }
}
