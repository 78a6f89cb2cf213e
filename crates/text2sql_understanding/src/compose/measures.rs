//! What is measured: revenue, units, columns, counts.

use super::*;
use crate::rates::is_rate;
use text2sql_domain::words;

/// The function that a word asks for.
pub(super) fn function_of(concept: Option<Concept>) -> Option<Function> {
    Some(match concept? {
        Concept::Average => Function::Average,
        Concept::Sum => Function::Sum,
        Concept::Median => Function::Median,
        Concept::Highest => Function::Maximum,
        Concept::Lowest => Function::Minimum,
        _ => return None,
    })
}

impl Composer<'_> {
    pub(super) fn function_before(&mut self, at: usize) -> Option<Function> {
        let near = (0..self.spans.len())
            .filter(|other| !self.is_used(*other) && *other != at)
            .filter_map(|other| {
                let function = function_of(self.span(other)?.concept)?;
                Some((at.abs_diff(other), other, function))
            });
        let (_, other, function) = near.min_by_key(|(distance, _, _)| *distance)?;
        self.take(other);
        Some(function)
    }

    /// Revenue, units, columns that are added up, counts.
    pub(super) fn read_measures(&mut self) -> Result<(), Stop> {
        for at in 0..self.spans.len() {
            if self.is_used(at) {
                continue;
            }
            if let Some((term, kind)) = self
                .term_at(at)
                .filter(|(_, kind)| *kind != TermKind::Condition)
            {
                self.take(at);
                self.say_term(term);
                let function = self.function_before(at);
                let function = match (kind, function) {
                    (TermKind::Aggregate, None | Some(Function::Sum)) => Function::Sum,
                    (TermKind::Value, Some(function)) => function,
                    (TermKind::Value, None) => {
                        return stop("how several values are combined is not said");
                    }
                    _ => return stop("a figure of a figure is not understood"),
                };
                self.measures.push(Measured {
                    function,
                    what: What::Term(term),
                });
                continue;
            }
            match self.span(at).and_then(|span| span.concept) {
                Some(Concept::OrderValue)
                    if self.has(Concept::Average) || self.has(Concept::Median) =>
                {
                    self.take(at);
                    let function = self.function_before(at).unwrap_or(Function::Average);
                    let Some(sales) = sales_table(self.schema) else {
                        return stop("no table of sales");
                    };
                    let _ = sales;
                    self.measures.push(Measured {
                        function,
                        what: What::Revenue,
                    });
                    self.is_sold = true;
                }
                Some(Concept::Revenue) => {
                    if self.is_sales_noun(at) || self.has_figure_of_sales(at) {
                        continue;
                    }
                    self.take(at);
                    let function = self.function_before(at).unwrap_or(Function::Sum);
                    // "the average revenue of orders", where an order has its revenue.
                    let columns = self.numeric_columns(at);
                    let is_of_rows = function != Function::Sum
                        && columns.len() == 1
                        && self.after(at).is_some_and(|next| self.is_noun(next))
                        && columns.first().map(|(table, _)| *table)
                            == self.after(at).and_then(|next| self.table_of(next));
                    if !is_of_rows && function != Function::Sum {
                        return stop("an average of revenue has several meanings");
                    }
                    self.measures.push(Measured {
                        function,
                        what: match is_of_rows {
                            true => What::Column(columns),
                            false => What::Revenue,
                        },
                    });
                }
                Some(Concept::Units) if self.numeric_columns(at).is_empty() => {
                    self.take(at);
                    if self
                        .function_before(at)
                        .is_some_and(|function| function != Function::Sum)
                    {
                        return stop("an average of units has several meanings");
                    }
                    self.measures.push(Measured {
                        function: Function::Sum,
                        what: What::Units,
                    });
                }
                Some(Concept::Count) => self.read_count(at)?,
                _ => {}
            }
        }
        self.read_functions()?;
        // "The highest price of the products" ranks nothing.
        let extremes = [Concept::Highest, Concept::Lowest];
        let is_extreme =
            self.rank.is_none() && extremes.iter().any(|one| self.find(*one).is_some());
        let aggregates = [Concept::Average, Concept::Sum, Concept::Median];
        let has_aggregate = is_extreme || aggregates.iter().any(|one| self.find(*one).is_some());
        for at in 0..self.spans.len() {
            let columns = self.numeric_columns(at);
            let is_plain = self.span(at).is_some_and(|span| {
                span.concept.is_none()
                    || span.is(Concept::Units)
                    || span.is(Concept::Sum)
                    || matches!(span.concept, Some(Concept::Verb(_)))
            });
            // "the total salary" where another table has a column "total".
            let is_function = self.is(at, Concept::Sum)
                && self.after(at).is_some_and(|next| {
                    next == at + 1 && !self.is_noun(next) && !self.numeric_columns(next).is_empty()
                });
            if is_function {
                continue;
            }
            let is_missing =
                at > 0 && self.is(at - 1, Concept::Without) || self.is_had(at) && !has_aggregate;
            if self.is_used(at)
                || is_missing
                || columns.is_empty()
                || !is_plain
                || self.is_noun(at) && !has_aggregate
            {
                continue;
            }
            let is_verb = matches!(
                self.span(at).and_then(|span| span.concept),
                Some(Concept::Verb(_))
            );
            if is_verb && !has_aggregate {
                continue;
            }
            if self.measures.is_empty() && !has_aggregate && self.groups.is_empty() {
                continue;
            }
            let function = self.function_before(at);
            let is_additive = columns
                .first()
                .is_some_and(|(table, column)| self.is_additive(*table, *column));
            let function = match function {
                Some(function) => function,
                None if is_additive && self.is_amount(&columns) => Function::Sum,
                None => continue,
            };
            if function == Function::Sum && !is_additive {
                return stop("a sum of what cannot be added up");
            }
            let columns = self.of_named_tables(columns);
            if columns.is_empty() {
                return stop("of which table the column is is not clear");
            }
            self.take(at);
            self.measures.push(Measured {
                function,
                what: What::Column(columns),
            });
        }
        if self.measures.is_empty()
            && has_aggregate
            && let Some(noun) = self.first_noun()
            && let Some(table) = self.table_of(noun)
        {
            // "average payment", "total of the orders"
            let amount = self.amount_of(table);
            let what = match amount {
                Some(amount) => What::Column(vec![amount]),
                None if is_sale(self.schema, table) && self.has(Concept::Average) => What::Revenue,
                None => return stop("what is added up is not clear"),
            };
            if let Some((table, column)) = amount {
                let name = self
                    .schema
                    .column(table, column)
                    .map(|column| column.name.clone())
                    .unwrap_or_default();
                let says = format!("the amount is {}.{name}", self.table_name(table));
                self.says(says, true);
            }
            self.take(noun);
            self.take_amount_beside(noun);
            let function = self.function_before(noun).unwrap_or(Function::Sum);
            self.measures.push(Measured { function, what });
        }
        if self.measures.is_empty() {
            self.read_verb_measure()?;
        }
        Ok(())
    }

    /// "minimum, average and maximum age": several functions of one column.
    fn read_functions(&mut self) -> Result<(), Stop> {
        let found: Vec<(usize, Function)> = (0..self.spans.len())
            .filter(|at| !self.is_used(*at))
            .filter_map(|at| Some((at, function_of(self.span(at)?.concept)?)))
            .collect();
        let named: Vec<usize> = (0..self.spans.len())
            .filter(|at| {
                !self.is_used(*at)
                    && !self.is_noun(*at)
                    && !self.numeric_columns(*at).is_empty()
                    && self.span(*at).is_some_and(|span| {
                        span.concept.is_none() || span.is(Concept::Verb("cost"))
                    })
            })
            .collect();
        let (true, Some(first)) = (found.len() > 1, named.first()) else {
            return Ok(());
        };
        let columns = self.of_named_tables(self.numeric_columns(*first));
        let is_same = named
            .iter()
            .all(|at| self.of_named_tables(self.numeric_columns(*at)) == columns);
        if columns.is_empty() || !is_same {
            return Ok(());
        }
        let sums = found.iter().any(|(_, function)| *function == Function::Sum);
        if sums
            && columns
                .iter()
                .any(|(table, column)| !self.is_additive(*table, *column))
        {
            return stop("a sum of what cannot be added up");
        }
        self.rank = None;
        for at in named {
            self.take(at);
        }
        for (at, function) in found {
            self.take(at);
            self.measures.push(Measured {
                function,
                what: What::Column(columns.clone()),
            });
        }
        for at in 0..self.spans.len() {
            if self.is(at, Concept::And) {
                self.take(at);
            }
        }
        Ok(())
    }

    /// Whether values of the columns are added up where nobody says so: amounts, not codes.
    fn is_amount(&self, columns: &[(usize, usize)]) -> bool {
        const AMOUNTS: &[&str] = &[
            "quantity", "amount", "total", "sum", "revenue", "sales", "freight", "budget", "units",
            "stock", "turnover", "hours", "points", "count", "weight", "value", "cost", "costs",
            "profit", "spend", "spent", "salary", "paid", "due", "refund",
        ];
        columns.iter().all(|(table, column)| {
            let words = self.schema.column_words(*table, *column);
            let is_number = self
                .schema
                .column(*table, *column)
                .is_some_and(|column| column.category == TypeCategory::Number);
            is_number || words.iter().any(|word| AMOUNTS.contains(&word.as_str()))
        })
    }

    /// "invoice amount" is the amount of an invoice.
    pub(super) fn take_amount_beside(&mut self, noun: usize) {
        let beside = [Some(noun + 1), noun.checked_sub(1)];
        for at in beside.into_iter().flatten() {
            let text = self.span(at).map(|span| span.text.to_lowercase());
            let is_amount = text.is_some_and(|text| {
                matches!(canonical(&text).as_str(), "amount" | "valu" | "value")
            });
            if is_amount && !self.is_used(at) && self.columns_of(at).is_empty() {
                self.take(at);
            }
        }
    }

    /// Whether "sales" names a table whose rows are counted: "how many sales", which may also be pieces.
    pub(super) fn is_sales_noun(&self, at: usize) -> bool {
        self.before(at)
            .is_some_and(|before| self.is(before, Concept::Count))
    }

    /// "the total amount of sales" of a table of that name.
    fn has_figure_of_sales(&self, at: usize) -> bool {
        let Some(table) = self.table_of(at) else {
            return false;
        };
        (0..at).any(|before| {
            !self.is_used(before)
                && self.span(before).is_some_and(|span| span.concept.is_none())
                && self
                    .numeric_columns(before)
                    .iter()
                    .any(|(of, _)| *of == table)
        })
    }

    pub(super) fn is_additive(&self, table: usize, column: usize) -> bool {
        !is_rate(self.schema.column_words(table, column))
    }

    pub(super) fn read_count(&mut self, at: usize) -> Result<(), Stop> {
        // The thing that is counted is the next noun.
        let free = |next: &usize| !self.is_used(*next);
        let noun = (at + 1..(at + 5).min(self.spans.len()))
            .filter(free)
            .find(|next| self.is_noun(*next))
            .map(|noun| self.head_of(noun));
        let noun = noun.filter(|_| {
            !self.has(Concept::Distinct)
                || (at + 1..self.spans.len())
                    .filter(free)
                    .find(|next| self.is_noun(*next) || !self.columns_of(*next).is_empty())
                    .is_some_and(|first| self.is_noun(first))
        });
        // "how many credits": a column of numbers is added up.
        let first = (at + 1..self.spans.len())
            .filter(free)
            .find(|next| !self.is_filler(*next));
        if let Some(first) = first
            && noun.is_some_and(|noun| noun > first)
            && !self.is_noun(first)
            && self
                .numeric_columns(first)
                .iter()
                .any(|(table, column)| !self.is_flag(*table, *column))
            && self
                .columns_of(first)
                .first()
                .is_some_and(|(_, _, score)| *score > 0.8)
        {
            return stop("whether a total or a count is meant is not clear");
        }
        if let Some(first) = first.filter(|first| !self.is_noun(*first))
            && let Some(column) = self.counting_column(first)
        {
            self.take(at);
            self.take(first);
            let says = format!(
                "'{}' is the sum of {}",
                self.span(first).map_or("", |span| span.text.as_str()),
                self.column_name(column.0, column.1)
            );
            self.says(says, true);
            self.measures.push(Measured {
                function: Function::Sum,
                what: What::Column(vec![column]),
            });
            return Ok(());
        }
        let noun = noun.or_else(|| {
            (at + 1..self.spans.len()).filter(free).find(|next| {
                self.is_noun(*next)
                    || !self.values_of(*next).is_empty() && self.columns_of(*next).is_empty()
                    || !self.columns_of(*next).is_empty()
            })
        });
        let is_negated = [Concept::Not, Concept::Never, Concept::Without]
            .iter()
            .any(|concept| self.has(*concept));
        let is_state = noun
            .and_then(|noun| self.table_of(noun))
            .is_some_and(|table| {
                self.verbs().iter().any(|(at, verb)| {
                    *verb == "sell"
                        && self.names(*at).iter().any(|name| match name.kind {
                            NameKind::Value(of, _, _) | NameKind::Column(of, _) => of == table,
                            NameKind::Table(_) => false,
                        })
                })
            });
        if self.verbs().iter().any(|(_, verb)| *verb == "sell") && !is_negated && !is_state {
            let is_thing = noun.is_none_or(|noun| {
                self.table_of(noun).is_none_or(|table| {
                    !is_sale(self.schema, table) && self.line_of(table).is_some()
                })
            });
            if is_thing && !self.has(Concept::Distinct) {
                self.take(at);
                if let Some(noun) = noun.filter(|noun| self.is_noun(*noun)) {
                    self.take(noun);
                }
                self.measures.push(Measured {
                    function: Function::Sum,
                    what: What::Units,
                });
                for (verb, name) in self.verbs() {
                    if name == "sell" {
                        self.take(verb);
                    }
                }
                return Ok(());
            }
        }
        if let Some(next) = self.after(at).filter(|next| self.is(*next, Concept::Count)) {
            self.take(at);
            return self.read_count(next);
        }
        let Some(noun) = noun else {
            return stop("what is counted is not clear");
        };
        if self.is(noun, Concept::Revenue) && self.named_table(noun).is_none() {
            return stop("sales have several meanings");
        }
        // "how many payments": rows whose type says so.
        let values = self.values_of(noun);
        let mut kinds: Vec<(usize, usize)> = values
            .iter()
            .filter_map(|name| match name.kind {
                NameKind::Value(table, column, _) => Some((table, column)),
                _ => None,
            })
            .collect();
        kinds.dedup();
        if let [(table, column)] = kinds.as_slice()
            && self.columns_of(noun).is_empty()
            && !self.is_noun(noun)
            && !self.has(Concept::Distinct)
            && self
                .schema
                .column_words(*table, *column)
                .iter()
                .any(|word| matches!(word.as_str(), "type" | "kind" | "category" | "role"))
        {
            let table = *table;
            self.take(at);
            self.measures.push(Measured {
                function: Function::Count,
                what: What::Rows(table),
            });
            return Ok(());
        }
        if let Some(table) = self.table_of(noun).filter(|_| self.is_noun(noun)) {
            if self.is_own_column(noun, table) {
                return stop("a word is a table and a column of it");
            }
            // "how many order lines": the last of two nouns that stand together.
            self.take(at);
            self.take(noun);
            if let Some(distinct) = self.find(Concept::Distinct) {
                self.take(distinct);
                // "How many different cities do our customers live in?": those with any.
                let other = (noun + 1..self.spans.len()).find(|other| {
                    !self.is_used(*other)
                        && self.is_noun(*other)
                        && self
                            .table_of(*other)
                            .is_some_and(|of| of != table && self.schema.reach(of, table).is_some())
                });
                if let Some(of) = other.and_then(|other| self.table_of(other))
                    && self.groups.is_empty()
                {
                    other.into_iter().for_each(|other| self.take(other));
                    self.asked.push(Asked::Happened {
                        table: of,
                        is_negated: false,
                    });
                }
            }
            self.note_table(noun, table);
            // "How many tents are in stock?" does not count the rows that say so.
            if first != Some(noun)
                && let Some(column) = self.quantity_of(table)?
            {
                self.measures.push(Measured {
                    function: Function::Sum,
                    what: What::Column(vec![(table, column)]),
                });
                return Ok(());
            }
            // "How many films did each customer rent?"
            let has_scope = !self.groups.is_empty() || !self.periods.is_empty();
            // "How many films have not been returned yet?" is about rentals.
            let comes_back = self.verbs().iter().any(|(_, verb)| *verb == "return");
            let done = match has_scope && !is_negated || comes_back {
                true => self.done_to(table),
                false => None,
            };
            let table = done.unwrap_or(table);
            self.measures.push(Measured {
                function: Function::Count,
                what: What::Rows(table),
            });
            return Ok(());
        }
        let columns = self.columns_of(noun);
        if !columns.is_empty() && self.has(Concept::Distinct) {
            self.take(at);
            self.take(noun);
            if let Some(distinct) = self.find(Concept::Distinct) {
                self.take(distinct);
            }
            let best = columns.first().map_or(0.0, |(_, _, score)| *score);
            let near = columns
                .iter()
                .filter(|(_, _, score)| best - score < 0.1)
                .map(|(table, column, _)| (*table, *column));
            let near = self.of_named_tables(near.collect());
            if near.is_empty() {
                return stop("of which table the column is is not clear");
            }
            self.measures.push(Measured {
                function: Function::CountDistinct,
                what: What::Column(near),
            });
            return Ok(());
        }
        // "How many titles are there?": what rows are known by counts them.
        if let [(table, column, _)] = columns.as_slice()
            && self.schema.shown(*table) == [*column]
            && self.values_of(noun).is_empty()
        {
            self.take(at);
            self.take(noun);
            self.note_table(noun, *table);
            self.measures.push(Measured {
                function: Function::Count,
                what: What::Rows(*table),
            });
            return Ok(());
        }
        stop("what is counted is not clear")
    }

    /// "how much did we sell", "what did customers in Brazil spend".
    pub(super) fn read_verb_measure(&mut self) -> Result<(), Stop> {
        for (at, verb) in self.verbs() {
            if self.is_used(at) {
                continue;
            }
            match verb {
                // "What did we spend on films?" is not what customers spent.
                "spend" if self.is_ours(at) => {
                    return stop("what is spent is not in the data");
                }
                "pay" if self.having.is_none() && !self.is_ours(at) && self.asks_amount() => {
                    let Some(amount) = self.event_of(verb).and_then(|event| self.amount_of(event))
                    else {
                        continue;
                    };
                    self.take(at);
                    self.measures.push(Measured {
                        function: Function::Sum,
                        what: What::Column(vec![amount]),
                    });
                    return Ok(());
                }
                "spend" | "earn" if self.having.is_none() => {
                    self.take(at);
                    self.measures.push(Measured {
                        function: Function::Sum,
                        what: What::Revenue,
                    });
                    return Ok(());
                }
                "sell"
                    if self.spans.iter().any(|span| {
                        matches!(
                            span.text.to_lowercase().as_str(),
                            "how much" | "much" | "wie viel"
                        )
                    }) =>
                {
                    self.take(at);
                    self.measures.push(Measured {
                        function: Function::Sum,
                        what: What::Revenue,
                    });
                    return Ok(());
                }
                _ => {}
            }
        }
        self.read_takings();
        Ok(())
    }

    /// "How much did they pay?"
    fn asks_amount(&self) -> bool {
        let mut first = self.spans.iter().take(3);
        first.any(|span| {
            words!("how much, wie viel, wieviel").contains(&span.text.to_lowercase().as_str())
        })
    }

    /// Whether the word before a verb says that we do it.
    fn is_ours(&self, verb: usize) -> bool {
        (0..verb).rev().take(2).any(|at| {
            let text = self.span(at).map(|span| span.text.to_lowercase());
            text.is_some_and(|text| matches!(text.rsplit(' ').next(), Some("we" | "wir")))
        })
    }

    /// "How much did we take last month?", where nothing else is named.
    fn read_takings(&mut self) {
        let says = |words: &[&str]| {
            let mut texts = self.spans.iter().map(|span| span.text.to_lowercase());
            texts.any(|text| words.contains(&text.as_str()))
        };
        let is_asked = says(&["how much", "wie viel", "wieviel", "what", "was"])
            && says(&["we", "did we", "have we", "wir", "haben wir"])
            && says(&["take", "taken", "took", "make", "made", "gemacht"]);
        let is_alone = (0..self.spans.len()).all(|at| self.is_used(at));
        if is_asked && is_alone && self.having.is_none() {
            self.measures.push(Measured {
                function: Function::Sum,
                what: What::Revenue,
            });
        }
    }

    /// The rows that the conditions of a figure are about.
    pub(super) fn subject_of_measure(&self) -> Option<usize> {
        self.measures
            .iter()
            .find_map(|measure| match &measure.what {
                What::Rows(table) => Some(*table),
                What::Column(columns) => columns.first().map(|(table, _)| *table),
                What::Days(table, _, _) => Some(*table),
                What::Term(term) => self.schema.terms.get(*term).map(|term| term.table),
                _ => None,
            })
    }
}
