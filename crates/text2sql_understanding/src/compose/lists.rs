//! Lists of rows.

use super::verbs::ends;
use super::*;
use crate::references::Edge;
use text2sql_domain::schema::Column;

/// The columns that have one value in all rows.
fn only_values(conditions: &[Condition]) -> impl Iterator<Item = &ColumnRef> {
    conditions.iter().filter_map(|condition| match condition {
        Condition::OneOf {
            column,
            values,
            is_negated: false,
        } => (values.len() == 1).then_some(column),
        _ => None,
    })
}

/// How many columns stand beside the key of a row without a name.
const MOST_BESIDE: usize = 3;

impl Composer<'_> {
    pub(super) fn shown_of(&self, table: usize) -> Vec<Shown> {
        let columns = self.schema.shown(table).into_iter();
        columns
            .filter_map(|column| self.schema.own_column(table, column, Vec::new()))
            .map(|column| Shown {
                value: Expression::Column(column),
                name: None,
            })
            .collect()
    }

    pub(super) fn list(
        &mut self,
        subject: usize,
        shown: Vec<ColumnRef>,
        order: Option<Order>,
    ) -> Result<SemanticQuery, Stop> {
        let conditions = self.place_all(subject)?;
        let asks_which = self.spans.iter().take(3).any(|span| {
            let text = span.text.to_lowercase();
            ["which", "who", "welche", "wer"]
                .iter()
                .any(|start| text.starts_with(start))
        });
        let is_number = |one: &Condition| match one {
            Condition::OneOf { values, .. } => values.iter().all(|value| match value {
                Literal::Text(text) => text.parse::<f64>().is_ok(),
                _ => true,
            }),
            Condition::Compare { operator, .. } => *operator != Operator::Equal,
            _ => true,
        };
        let is_of_numbers = conditions.iter().any(|one| match one {
            Condition::Exists {
                conditions,
                is_negated: false,
                ..
            } => !conditions.is_empty() && conditions.iter().all(is_number),
            _ => false,
        });
        let is_of_related = self.is_of_related || is_of_numbers && !shown.is_empty();
        if is_of_related && !asks_which && !self.has(Concept::Distinct) {
            return stop("each once or once for each of the others is not said");
        }
        let has_shown = !shown.is_empty();
        let figure = self.quantity_shown(subject, &shown)?;
        if let Some(column) = figure.as_ref().filter(|_| order.is_none())
            && self.is_of_named(subject, &conditions)
        {
            let table = self.schema.table(subject);
            let column =
                table.and_then(|of| of.columns.iter().position(|own| own.name == column.column));
            self.measures.extend(column.map(|column| Measured {
                function: Function::Sum,
                what: What::Column(vec![(subject, column)]),
            }));
            return self.figures(None);
        }
        let mut columns = match self.has(Concept::Everything) || has_shown && figure.is_none() {
            true => self.shown_of(subject),
            false => self.columns_of_list(subject, figure, &conditions)?,
        };
        let as_shown = |column: &ColumnRef| Shown {
            value: Expression::Column(column.clone()),
            name: None,
        };
        let only_shown: Vec<Shown> = shown.iter().map(as_shown).collect();
        if has_shown {
            let own: Vec<Shown> = shown
                .into_iter()
                .map(|column| Shown {
                    value: Expression::Column(column),
                    name: None,
                })
                .collect();
            columns.retain(|column| !own.contains(column));
            columns.extend(own);
        }
        let everything = self.find(Concept::Everything);
        if let Some(at) = everything {
            self.take(at);
        }
        // Rows without a name and a key, such as those of a file, are listed with all their columns.
        if everything.is_some() || columns.is_empty() {
            let all = self.schema.table(subject).into_iter();
            columns = all
                .flat_map(|table| &table.columns)
                .map(|column| as_shown(&ColumnRef::own(&column.name)))
                .collect();
        }
        if columns.is_empty() {
            return stop("the rows have no name");
        }
        let order = match self.sorted_by {
            Some((at, is_descending)) if order.is_none() => {
                let Some(by) = self.sorting_column(at, subject) else {
                    return stop("what it is sorted by is not clear");
                };
                Some(Order {
                    by: OrderBy::Value(Expression::Column(by)),
                    is_descending,
                    limit: None,
                })
            }
            _ => order,
        };
        let by_name = match has_shown {
            true => only_shown.first(),
            false => columns.first(),
        };
        let order = match by_name {
            Some(first) if order.is_none() && self.is_alphabetical => Some(Order {
                by: OrderBy::Value(first.value.clone()),
                is_descending: false,
                limit: None,
            }),
            _ => order,
        };
        let distinct = self.has(Concept::Distinct) && order.is_none();
        let has_names = self.spans.iter().any(|span| {
            let is_said = span.is(Concept::List) || span.is(Concept::Filler);
            is_said && span.text.to_lowercase().contains("name")
        });
        let is_of_column = |at: usize| {
            self.after(at)
                .is_some_and(|next| !self.is_noun(next) && !self.is(next, Concept::And))
        };
        let is_name = |at: &usize| {
            self.span(*at)
                .is_some_and(|span| span.text.to_lowercase().contains("name"))
        };
        let has_names = has_names && !(0..self.spans.len()).filter(is_name).any(is_of_column);
        if distinct && has_shown && !has_names {
            columns = only_shown;
        }
        self.query(
            subject,
            conditions,
            Answer::Rows { columns, distinct },
            order,
        )
    }

    /// The columns that a list shows: the names of its rows or, where they have none, the quantity that is asked for, or the
    /// names of what the keys refer to. Keys alone mean nothing to a reader.
    fn columns_of_list(
        &mut self,
        subject: usize,
        figure: Option<ColumnRef>,
        conditions: &[Condition],
    ) -> Result<Vec<Shown>, Stop> {
        let own = self.shown_of(subject);
        let Some(table) = self.schema.table(subject) else {
            return Ok(own);
        };
        let keys = &table.primary_key;
        let refers = |edge: &Edge, column: &String| {
            edge.step.key.iter().any(|key| key.own == *column) && !edge.step.fans_out
        };
        let edges = self.schema.edges_of(subject);
        let is_reference = |column: &String| edges.iter().any(|edge| refers(edge, column));
        let is_only_keys = !keys.is_empty() && keys.iter().all(is_reference);
        if figure.is_none() && self.schema.has_name(subject) {
            return Ok(own);
        }
        if figure.is_none() && !is_only_keys {
            // A number of its own says nothing of a row: what it is about stands beside it.
            let tells = |column: &&Column| {
                let is_plain = matches!(
                    column.category,
                    TypeCategory::Number
                        | TypeCategory::Integer
                        | TypeCategory::Enum
                        | TypeCategory::Date
                        | TypeCategory::Timestamp
                        | TypeCategory::Text
                );
                is_plain && !keys.contains(&column.name) && !is_reference(&column.name)
            };
            let beside = table.columns.iter().filter(tells).take(MOST_BESIDE);
            let beside = beside.map(|column| Shown {
                value: Expression::Column(ColumnRef::own(&column.name)),
                name: None,
            });
            return Ok(own.into_iter().chain(beside).collect());
        }
        let is_said = |column: &ColumnRef| only_values(conditions).any(|said| said == column);
        let mut shown = Vec::new();
        let mut has_names = figure.is_some();
        for edge in edges {
            if figure.is_none() && !keys.iter().any(|column| refers(edge, column)) {
                continue;
            }
            let names: Vec<ColumnRef> = match self.schema.has_name(edge.to) {
                true => {
                    let path = || vec![edge.step.clone()];
                    let shown = self.schema.shown(edge.to).into_iter();
                    let names = shown.filter_map(|at| self.schema.own_column(edge.to, at, path()));
                    names.collect()
                }
                // The own key of what has no name needs no join.
                false => {
                    let own = edge.step.key.iter();
                    let own = own.filter(|key| figure.is_some() || keys.contains(&key.own));
                    own.map(|key| ColumnRef::own(&key.own)).collect()
                }
            };
            has_names |= self.schema.has_name(edge.to);
            // What the question says of all rows is not repeated in each.
            if figure.is_none() || !names.iter().all(is_said) {
                shown.extend(names);
            }
        }
        if !has_names {
            return stop("the rows have no name");
        }
        shown.extend(figure);
        let shown = shown.into_iter().map(|column| Shown {
            value: Expression::Column(column),
            name: None,
        });
        Ok(shown.collect())
    }

    /// Whether rows are of one thing in one place, and whatever else they relate: a value is said of each.
    fn is_of_named(&self, subject: usize, conditions: &[Condition]) -> bool {
        let is_said = |edge: &Edge| {
            only_values(conditions).any(|column| column.path.first() == Some(&edge.step))
        };
        let edges = self.schema.edges_of(subject);
        !edges.is_empty() && edges.iter().all(is_said)
    }

    /// The column with how much of a thing there is, where the question asks for that column or for a stock.
    fn quantity_shown(
        &mut self,
        subject: usize,
        shown: &[ColumnRef],
    ) -> Result<Option<ColumnRef>, Stop> {
        let schema = self.schema;
        let column = |at: usize| schema.own_column(subject, at, Vec::new());
        match shown {
            [] => Ok(self.quantity_of(subject)?.and_then(column)),
            [asked] if !schema.has_name(subject) => {
                let columns = self.stock_columns().into_iter();
                let mut own = columns.filter(|(table, _)| *table == subject);
                Ok(own.find_map(|(_, at)| column(at).filter(|one| one == asked)))
            }
            _ => Ok(None),
        }
    }

    /// The column with how much of a thing there is, where the question names a stock whose rows have no name.
    pub(super) fn quantity_of(&mut self, subject: usize) -> Result<Option<usize>, Stop> {
        const BOUNDS: &[&str] = &[
            "reorder", "min", "minimum", "max", "maximum", "target", "safety", "price", "cost",
            "value",
        ];
        let stock = canonical("stock");
        let names_stock = |span: &Span| {
            let text = span.text.to_lowercase();
            text.split_whitespace().any(|word| canonical(word) == stock)
        };
        if self.schema.has_name(subject) || !self.spans.iter().any(names_stock) {
            return Ok(None);
        }
        let own = |columns: Vec<(usize, usize)>| -> Vec<usize> {
            let own = columns.into_iter().filter(|(table, column)| {
                let words = self.schema.column_words(*table, *column);
                *table == subject && !words.iter().any(|word| BOUNDS.contains(&word.as_str()))
            });
            own.map(|(_, column)| column).collect()
        };
        let mut columns = own(self.stock_columns());
        if columns.is_empty() {
            columns =
                own(self.columns_with(&["quantity", "qty", "units", "amount", "pieces"], |_| true));
        }
        match columns.as_slice() {
            [] => Ok(None),
            [only] => {
                let says = format!("the figure is {}", self.column_name(subject, *only));
                self.says(says, true);
                Ok(Some(*only))
            }
            _ => stop("which quantity is meant is not clear"),
        }
    }

    pub(super) fn sorting_column(&self, at: usize, subject: usize) -> Option<ColumnRef> {
        let columns = self.columns_of(at);
        let own = columns.iter().find(|(table, _, _)| *table == subject);
        let (table, column, _) = match (own, columns.as_slice()) {
            (Some(own), _) => own,
            (None, [only]) => only,
            _ => return None,
        };
        let reached = self
            .schema
            .reach(subject, *table)
            .filter(|reached| !reached.is_tied)?;
        self.schema.own_column(*table, *column, reached.path)
    }

    /// The different values of columns.
    pub(super) fn values_list(
        &mut self,
        subject: usize,
        shown: Vec<ColumnRef>,
    ) -> Result<SemanticQuery, Stop> {
        let mut conditions = self.place_all(subject)?;
        if let [only] = shown.as_slice() {
            conditions.push(Condition::Null {
                column: only.clone(),
                is_negated: true,
            });
        }
        let columns: Vec<Shown> = shown
            .into_iter()
            .map(|column| Shown {
                value: Expression::Column(column),
                name: None,
            })
            .collect();
        let order = columns.first().map(|first| Order {
            by: OrderBy::Value(first.value.clone()),
            is_descending: false,
            limit: None,
        });
        let answer = Answer::Rows {
            columns,
            distinct: true,
        };
        self.query(subject, conditions, answer, order)
    }

    /// Customers who spent more than an amount: the figure of each, compared.
    pub(super) fn spenders(
        &mut self,
        operator: Operator,
        low: String,
        high: Option<String>,
    ) -> Result<SemanticQuery, Stop> {
        if high.is_some() {
            return stop("a range of a figure is not understood");
        }
        let Some(noun) = self.first_noun() else {
            return stop("what is asked for is not clear");
        };
        let Some(subject) = self.table_of(noun) else {
            return stop("what is asked for is not clear");
        };
        self.take(noun);
        for (at, verb) in self.verbs() {
            if matches!(verb, "spend" | "earn" | "buy" | "order" | "sell") {
                self.take(at);
            }
        }
        if let Some(at) = self.find(Concept::Revenue) {
            self.take(at);
        }
        let periods = std::mem::take(&mut self.periods);
        self.finish_conditions(Some(subject))?;
        let found = money::revenue(self.schema).into_iter().find_map(|figure| {
            let reached = self
                .schema
                .reach(figure.table, subject)
                .filter(|reached| !reached.is_tied && !reached.path.is_empty())?;
            Some((figure, reached))
        });
        let Some((figure, reached)) = found else {
            return stop("there is nothing to measure it by");
        };
        let mut inner = Vec::new();
        let mut said = Vec::new();
        let days: Vec<Asked> = periods
            .into_iter()
            .map(|period| Asked::Days { period, by: None })
            .collect();
        inner.extend(place(self.schema, figure.table, &days, &mut said)?);
        if figure.rank != 0
            && let Some((says, condition)) = money::not_cancelled(self.schema, figure.table)
        {
            said.push((format!("without {says}"), true));
            inner.push(condition);
        }
        said.push((format!("revenue is {}", figure.says), true));
        self.said.extend(said);
        let Some(table) = self.schema.table(figure.table) else {
            return stop("there is no such table");
        };
        let related = Expression::Related(Box::new(Related {
            table: table_ref(table),
            link: reached.path,
            function: Function::Sum,
            of: Some(figure.value),
            conditions: inner,
        }));
        let mut conditions = self.place_all(subject)?;
        conditions.push(Condition::Compare {
            left: related.clone(),
            operator,
            right: Literal::Number(low),
        });
        let mut columns = self.shown_of(subject);
        columns.push(Shown {
            value: related.clone(),
            name: Some("revenue".to_owned()),
        });
        let order = Some(Order {
            by: OrderBy::Value(related),
            is_descending: true,
            limit: None,
        });
        self.query(
            subject,
            conditions,
            Answer::Rows {
                columns,
                distinct: false,
            },
            order,
        )
    }

    /// "When did the most recent order come in?", "when was Ada hired?"
    pub(super) fn when(&mut self, at: usize) -> Result<SemanticQuery, Stop> {
        let mut found: Vec<(usize, usize, usize)> = Vec::new();
        for (verb_at, verb) in self.verbs() {
            for table in 0..self.schema.tables.len() {
                let is_named = (0..self.spans.len()).any(|other| {
                    self.table_of(other) == Some(table)
                        || self.values_of(other).iter().any(
                            |name| matches!(name.kind, NameKind::Value(of, _, _) if of == table),
                        )
                });
                if self.schema.is_base(table)
                    && is_named
                    && let Some(date) = self
                        .date_of_verb(table, verb_at, verb)
                        // "Since when does she work here?"
                        .or_else(|| match verb {
                            "work" => self.date_of_verb(table, verb_at, "hire"),
                            _ => None,
                        })
                {
                    found.push((verb_at, table, date));
                }
            }
        }
        let [(verb, table, date)] = found.as_slice() else {
            return stop("which date is meant is not clear");
        };
        let (verb, table, date) = (*verb, *table, *date);
        self.take(at);
        self.take(verb);
        self.finish_conditions(Some(table))?;
        if self.asked.is_empty() {
            return stop("of what the date is asked is not clear");
        }
        let shown = self.schema.own_column(table, date, Vec::new());
        self.list(table, shown.into_iter().collect(), None)
    }

    /// "How long is a film rented on average?": from the day of a rental to its return.
    fn days_of_event(&mut self) -> Result<Option<SemanticQuery>, Stop> {
        let nouns = (0..self.spans.len()).filter_map(|at| self.table_of(at));
        let events = self.verbs().into_iter();
        let events = events.filter_map(|(_, verb)| self.event_of(verb));
        let lasting = |table: usize| {
            let from = self.schema.main_date(table)?;
            let dates = self.schema.dates(table);
            let to = dates.iter().copied().find(|date| *date != from)?;
            let is_end = self.end_date(table) == Some(to) || {
                let words = self.schema.column_words(table, to);
                words.iter().any(|word| ends(word))
            };
            (dates.len() == 2 && is_end).then_some((table, from, to))
        };
        let mut found: Vec<_> = nouns.chain(events).filter_map(lasting).collect();
        found.dedup();
        let [(table, from, to)] = found.as_slice() else {
            return Ok(None);
        };
        let (table, from, to) = (*table, *from, *to);
        for at in 0..self.spans.len() {
            let of = self.table_of(at);
            let is_way = of.is_some_and(|of| self.schema.reach(table, of).is_some());
            let is_event = self.verbs().iter().any(|(verb, _)| *verb == at);
            let is_group = self.groups.contains(&Group::Named(at));
            if !is_group && (is_way && self.is_noun(at) || is_event) {
                self.take(at);
            }
        }
        self.measures.push(Measured {
            function: Function::Average,
            what: What::Days(table, from, to),
        });
        self.finish_conditions(Some(table))?;
        self.figures(None).map(Some)
    }

    fn says_until(&self, at: usize) -> bool {
        self.span(at)
            .is_some_and(|span| matches!(span.text.to_lowercase().as_str(), "until" | "bis"))
    }

    /// "how many days does it take on average from order to shipment"
    pub(super) fn days_between(&mut self) -> Result<Option<SemanticQuery>, Stop> {
        let Some(at) = self.find(Concept::AverageDays) else {
            return Ok(None);
        };
        if let Some(average) = self.find(Concept::Average) {
            self.take(average);
        }
        self.take(at);
        if let Some(until) = (at..self.spans.len()).find(|at| self.says_until(*at)) {
            self.take(until);
        }
        self.measures.clear();
        // The two dates are those that the words name: a verb or a noun each.
        let mut found: Vec<(usize, Vec<(usize, usize)>)> = Vec::new();
        for other in 0..self.spans.len() {
            if self.is_filler(other)
                || matches!(
                    self.span(other).and_then(|span| span.concept),
                    Some(Concept::Average | Concept::AverageDays)
                )
            {
                continue;
            }
            let text = self
                .span(other)
                .map(|span| span.text.to_lowercase())
                .unwrap_or_default();
            let verb = match self.span(other).and_then(|span| span.concept) {
                Some(Concept::Verb(verb)) => verb.to_owned(),
                _ => match canonical(&text).as_str() {
                    "shipment" => "ship".to_owned(),
                    "order" => "order".to_owned(),
                    other => other.to_owned(),
                },
            };
            let verb = if text.starts_with("versand") || text.starts_with("versend") {
                "ship".to_owned()
            } else {
                verb
            };
            let mut dates = Vec::new();
            for table in 0..self.schema.tables.len() {
                if self.schema.is_base(table)
                    && self.schema.dates(table).len() > 1
                    && let Some(date) = self.date_of_verb(table, other, &verb)
                {
                    dates.push((table, date));
                }
            }
            if !dates.is_empty() {
                found.push((other, dates));
            }
        }
        if let Some(query) = self.days_of_event()? {
            return Ok(Some(query));
        }
        // "How long is a track on average?"
        if found.is_empty()
            && self.has(Concept::Average)
            && let [(table, column)] = self.duration_columns().as_slice()
        {
            let (table, column) = (*table, *column);
            self.measures.push(Measured {
                function: Function::Average,
                what: What::Column(vec![(table, column)]),
            });
            let noun = (0..self.spans.len())
                .find(|at| !self.is_used(*at) && self.table_of(*at) == Some(table));
            if let Some(noun) = noun {
                self.take(noun);
            }
            self.finish_conditions(Some(table))?;
            return self.figures(None).map(Some);
        }
        // "until an invoice gets paid": from the day of the row itself.
        if let [(verb, dates)] = found.as_slice()
            && let [(table, to)] = dates.as_slice()
            && let Some(from) = self.schema.main_date(*table).filter(|from| from != to)
        {
            let (verb, table, to) = (*verb, *table, *to);
            self.take(verb);
            let noun = (0..self.spans.len())
                .find(|at| !self.is_used(*at) && self.table_of(*at) == Some(table));
            if let Some(noun) = noun {
                self.take(noun);
            }
            self.measures.push(Measured {
                function: Function::Average,
                what: What::Days(table, from, to),
            });
            self.finish_conditions(Some(table))?;
            return self.figures(None).map(Some);
        }
        let [(first, from), (second, to)] = found.as_slice() else {
            return stop("which dates are meant is not clear");
        };
        let pairs: Vec<(usize, usize, usize)> = from
            .iter()
            .flat_map(|(table, from)| {
                to.iter()
                    .filter(move |(other, _)| other == table)
                    .map(move |(_, to)| (*table, *from, *to))
            })
            .filter(|(_, from, to)| from != to)
            .collect();
        let [(table, from, to)] = pairs.as_slice() else {
            return stop("which dates are meant is not clear");
        };
        let (first, second, table, mut from, mut to) = (*first, *second, *table, *from, *to);
        // "to ship an order": from the day of the row itself.
        if self.schema.main_date(table) == Some(to) {
            std::mem::swap(&mut from, &mut to);
        }
        self.take(first);
        self.take(second);
        self.measures.push(Measured {
            function: Function::Average,
            what: What::Days(table, from, to),
        });
        self.finish_conditions(Some(table))?;
        self.figures(None).map(Some)
    }
}
