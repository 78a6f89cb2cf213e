//! The first rows of an order.

use super::*;
use text2sql_domain::words;

pub(super) const DURATIONS: &[&str] =
    words!("length, duration, minutes, seconds, milliseconds, runtime");

impl Composer<'_> {
    pub(super) fn ranked(&mut self) -> Result<SemanticQuery, Stop> {
        let Some(rank) = self.rank else {
            return stop("no rank");
        };
        let is_descending = !matches!(
            rank.concept,
            Concept::Bottom
                | Concept::Fewest
                | Concept::Lowest
                | Concept::Cheap
                | Concept::Oldest
                | Concept::Short
                | Concept::Light
        );
        self.take(rank.at);
        // By a figure: "by revenue", "by number of orders".
        for at in 0..self.spans.len() {
            if (self.is(at, Concept::By) || self.is(at, Concept::Ranked)) && !self.is_used(at) {
                self.take(at);
            }
        }
        let is_part = self
            .groups
            .iter()
            .any(|group| matches!(group, Group::Part(_)));
        // "When did the most recent order come in?"
        if let Some(when) = self.find(Concept::When)
            && matches!(rank.concept, Concept::Newest | Concept::Oldest)
            && let Some((table, noun)) = self.dated_last()
        {
            self.take(when);
            if let Some(noun) = noun {
                self.take(noun);
            }
            for (verb, _) in self.verbs() {
                self.take(verb);
            }
            self.finish_conditions(Some(table))?;
            let Some((column, _)) = day_of(self.schema, table) else {
                return stop("which date is meant is not clear");
            };
            let conditions = self.place_all(table)?;
            let function = if is_descending {
                Function::Maximum
            } else {
                Function::Minimum
            };
            let measure = Measure {
                name: column.column.clone(),
                value: Value::Aggregate(Aggregate {
                    function,
                    of: Some(Expression::Column(column)),
                    only: Vec::new(),
                }),
            };
            return self.query(
                table,
                conditions,
                Answer::Figures {
                    measures: vec![measure],
                    dimensions: Vec::new(),
                },
                None,
            );
        }
        let subject = match is_part {
            true => None,
            false => (0..self.spans.len()).find(|at| {
                !self.is_used(*at)
                    && !self.is(*at, Concept::Revenue)
                    && (self.is_noun(*at)
                        || self.span(*at).is_some_and(|span| span.concept.is_none())
                            && !self.columns_of(*at).is_empty())
            }),
        };
        let subject = subject.or_else(|| self.priced(rank));
        let subject = subject.map(|at| self.owner_of(at, rank));
        let subject = self.who_of(rank, subject).or(subject);
        let subject = subject.or_else(|| self.bestsellers(rank));
        // "revenue by country, top 10"
        let is_of_groups = subject.is_none() && !self.groups.is_empty();
        if is_of_groups && matches!(rank.concept, Concept::Top | Concept::Bottom) {
            return self.rank_by_figure(None, rank, is_descending);
        }
        if subject.is_none() && !is_part {
            if matches!(rank.concept, Concept::Newest | Concept::Oldest) {
                return self.person_of_date(rank, is_descending);
            }
            let mut paid = (0..self.schema.tables.len()).filter(|at| {
                self.schema.is_base(*at)
                    && self.schema.has_name(*at)
                    && self.pay_column(*at).is_some()
            });
            if let Some(table) = paid.next().filter(|_| paid.next().is_none())
                && let Some(column) = self.pay_column(table)
                && matches!(rank.concept, Concept::Most | Concept::Fewest)
            {
                for (at, verb) in self.verbs() {
                    if verb == "earn" {
                        self.take(at);
                    }
                }
                return self.list_by(table, column, rank, is_descending);
            }
            return stop("what is ranked is not clear");
        }
        if let Some(at) = subject.filter(|at| !self.is_noun(*at)) {
            let is_figure = !self.numeric_columns(at).is_empty();
            let is_key = self
                .columns_of(at)
                .first()
                .is_some_and(|(table, column, _)| self.schema.is_key(*table, *column));
            let is_counted = matches!(rank.concept, Concept::Most | Concept::Fewest)
                && (0..self.spans.len()).any(|other| other != at && self.is_noun(other));
            let is_code = self
                .columns_of(at)
                .first()
                .is_some_and(|(table, column, _)| {
                    self.schema
                        .column(*table, *column)
                        .is_some_and(|column| column.category == TypeCategory::Integer)
                });
            let word = self.span(rank.at).map(|span| span.text.to_lowercase());
            let is_common = word.is_some_and(|word| {
                ["common", "frequent", "popular", "häufig"]
                    .iter()
                    .any(|part| word.contains(part))
            });
            let tables: Vec<usize> = self
                .columns_of(at)
                .iter()
                .map(|(table, _, _)| *table)
                .collect();
            if is_common
                && let Some(table) = tables.first().copied()
                && tables.iter().all(|other| *other == table)
                && (0..self.spans.len()).all(|other| {
                    other == at || !self.is_noun(other) || self.table_of(other) == Some(table)
                })
            {
                self.take(at);
                self.groups.push(Group::Named(at));
                self.measures.push(Measured {
                    function: Function::Count,
                    what: What::Rows(table),
                });
                self.finish_conditions(Some(table))?;
                let order = self.order_by_first(rank, is_descending);
                return self.figures(order);
            }
            if (is_figure || is_key) && !(is_counted && is_code) {
                return stop("what is ranked is not clear");
            }
        }
        if let Some(at) = subject {
            let mut named = at;
            self.take(at);
            // "product categories"
            let next = at + 1;
            if self.is_noun(at)
                && self.is_noun(next)
                && !self.is_used(next)
                && self.span(next).is_some_and(|span| span.concept.is_none())
            {
                self.take(next);
                named = next;
            }
            self.rank_by(named, rank, is_descending)
        } else {
            self.rank_by_figure(None, rank, is_descending)
        }
    }

    /// "the id of the account with the most transactions": the account.
    fn owner_of(&self, at: usize, rank: Rank) -> usize {
        if self.is_noun(at) {
            return at;
        }
        let columns = self.columns_of(at);
        let is_counting = matches!(
            rank.concept,
            Concept::Most | Concept::Fewest | Concept::Highest | Concept::Lowest
        );
        let owner = (at + 1..self.spans.len()).find(|other| {
            let table = self.table_of(*other).filter(|_| self.is_noun(*other));
            let is_placed = *other < rank.at || !is_counting && *other == rank.at + 1;
            is_placed
                && !self.is_used(*other)
                && table.is_some_and(|table| {
                    columns
                        .iter()
                        .any(|(of, _, score)| *of == table && *score > 0.7)
                })
        });
        owner.unwrap_or(at)
    }

    pub(super) fn order_by_first(&self, rank: Rank, is_descending: bool) -> Option<Order> {
        let limit = rank.limit.or(match rank.concept {
            Concept::Top | Concept::Bottom if !self.is_about_one() => Some(10),
            _ => Some(1),
        });
        Some(Order {
            by: OrderBy::Measure(0),
            is_descending,
            limit,
        })
    }

    /// The question once for each of the columns by which the things may be ranked, where nothing else is asked.
    fn by_each(
        &self,
        subject: usize,
        rank: Rank,
        is_descending: bool,
        table: usize,
        columns: &[usize],
    ) -> Vec<String> {
        let is_part = |at: usize| at == subject || at == rank.at || self.is_filler(at);
        let noun = self.span(subject).map(|span| span.text.to_lowercase());
        let (true, true, Some(noun)) = (
            (2..=4).contains(&columns.len()) && rank.limit.is_none(),
            (0..self.spans.len()).all(is_part),
            noun,
        ) else {
            return Vec::new();
        };
        let most = if is_descending { "highest" } else { "lowest" };
        columns
            .iter()
            .map(|column| {
                let words = self.schema.column_words(table, *column).join(" ");
                format!("Which {noun} has the {most} {words}?")
            })
            .collect()
    }

    pub(super) fn rank_by(
        &mut self,
        subject: usize,
        rank: Rank,
        is_descending: bool,
    ) -> Result<SemanticQuery, Stop> {
        let table = self.table_of(subject);
        // An attribute of the thing itself: "the most expensive product", "opened most recently".
        if let Some(table) = table {
            let column = match rank.concept {
                Concept::Dear | Concept::Cheap => {
                    let columns = self.price_columns();
                    let own: Vec<usize> = columns
                        .iter()
                        .filter(|(of, _)| *of == table)
                        .map(|(_, column)| *column)
                        .collect();
                    match own.as_slice() {
                        [only] => Some(*only),
                        own => {
                            let reason = "the price is not clear";
                            return Err(Stop {
                                missing: Vec::new(),
                                reason,
                                readings: self.by_each(subject, rank, is_descending, table, own),
                            });
                        }
                    }
                }
                Concept::Most | Concept::Fewest if self.pay_column(table).is_some() => {
                    for (at, verb) in self.verbs() {
                        if verb == "earn" {
                            self.take(at);
                        }
                    }
                    self.pay_column(table)
                }
                Concept::Newest | Concept::Oldest => {
                    let text = self.span(subject).map(|span| span.text.to_lowercase());
                    let is_plural =
                        text.is_some_and(|text| text.ends_with('s') && !text.ends_with("ss"));
                    let is_one = self.spans.iter().any(|span| {
                        matches!(
                            span.text.to_lowercase().as_str(),
                            "is" | "was" | "ist" | "war"
                        )
                    });
                    if is_plural && !is_one && rank.limit.is_none() {
                        return stop("how many of the newest is not said");
                    }
                    let age = self.columns_with(&["age"], |_| true).into_iter();
                    let age = age
                        .filter(|(of, _)| *of == table)
                        .map(|(_, column)| column)
                        .next();
                    let word = self.span(rank.at).map(|span| span.text.to_lowercase());
                    let word = word.unwrap_or_default();
                    let is_age = ["old", "young", "ält", "jüng"]
                        .iter()
                        .any(|start| word.starts_with(start));
                    if let Some(age) = age.filter(|_| is_age) {
                        return self.list_by(table, age, rank, !is_descending);
                    }
                    // "Welcher Film ist am längsten?"
                    if word == "am längsten"
                        && let Ok(length) = self.sole_column(table, DURATIONS)
                    {
                        return self.list_by(table, length, rank, true);
                    }
                    Some(self.date_for(table)?)
                }
                Concept::Long | Concept::Short if self.find(Concept::Average).is_some() => {
                    self.average_length(table, subject)?;
                    let order = self.order_by_first(rank, is_descending);
                    return self.figures(order);
                }
                Concept::Long | Concept::Short => Some(self.sole_column(table, DURATIONS)?),
                Concept::Heavy | Concept::Light => Some(self.sole_column(table, &["weight"])?),
                Concept::Highest | Concept::Lowest => {
                    let own = (0..self.spans.len()).find_map(|at| {
                        let is_free = !self.is_used(at) && !self.is(at, Concept::Revenue);
                        let columns = self.numeric_columns(at);
                        let column = columns
                            .iter()
                            .find(|(of, _)| *of == table)
                            .filter(|_| is_free)?;
                        Some((at, column.1))
                    });
                    if let Some((at, column)) = own {
                        if self.find(Concept::Average).is_some() {
                            return stop("an average of a row is not understood");
                        }
                        self.take(at);
                        Some(column)
                    } else if self.is_of_pay(rank) {
                        Some(self.sole_column(table, &["salary", "wage", "pay", "income"])?)
                    } else if self.is_alone(subject, rank) && !self.schema.has_name(table) {
                        // "the biggest invoice"
                        self.amount_of(table).map(|(_, column)| column)
                    } else {
                        None
                    }
                }
                // "top 5 stores by floor area"
                Concept::Top | Concept::Bottom => {
                    let named = match self.groups.as_slice() {
                        [Group::Named(at)] => self.numeric_columns(*at),
                        _ => Vec::new(),
                    };
                    let own = named.into_iter().find(|(of, _)| *of == table);
                    if own.is_some() {
                        self.groups.clear();
                    }
                    own.map(|(_, column)| column)
                }
                _ => None,
            };
            if let Some(column) = column {
                let several = self.order_by_first(rank, is_descending);
                let limit = match rank.concept {
                    Concept::Top | Concept::Bottom => several.and_then(|order| order.limit),
                    _ => rank.limit,
                };
                let rank = Rank { limit, ..rank };
                return self.list_by(table, column, rank, is_descending);
            }
        }
        self.rank_by_figure(Some(subject), rank, is_descending)
    }

    /// Whether nothing but the rank and periods says what is meant of the thing.
    fn is_alone(&self, subject: usize, rank: Rank) -> bool {
        (0..self.spans.len()).all(|at| at == subject || at == rank.at || self.is_used(at))
    }

    /// The pay of the rows of a table, where the question asks who earns the most.
    fn pay_column(&self, table: usize) -> Option<usize> {
        let earns = self.verbs().iter().any(|(_, verb)| *verb == "earn");
        if !earns || self.line_of(table).is_some() {
            return None;
        }
        let mut own = self
            .columns_with(&["salary", "wage", "pay", "income"], |_| true)
            .into_iter()
            .filter(|(of, _)| *of == table)
            .map(|(_, column)| column);
        own.next().filter(|_| own.next().is_none())
    }

    /// Rows in the order of one of their columns.
    fn list_by(
        &mut self,
        table: usize,
        column: usize,
        rank: Rank,
        is_descending: bool,
    ) -> Result<SemanticQuery, Stop> {
        let each = std::mem::take(&mut self.groups);
        let mut shown_first = self.read_shown(table);
        self.finish_conditions(Some(table))?;
        let Some(value) = self.schema.own_column(table, column, Vec::new()) else {
            return stop("no such column");
        };
        self.says_by(rank.at, table, &value.column);
        match each.as_slice() {
            [] => {}
            [each] if rank.limit.is_none() && shown_first.is_empty() => {
                return self.first_of_each(table, value, each, is_descending);
            }
            _ => return stop("the first of each group is not understood"),
        }
        let order = Order {
            by: OrderBy::Value(Expression::Column(value.clone())),
            is_descending,
            limit: rank.limit.or(Some(1)),
        };
        // Rows without the value are neither first nor last.
        if !is_descending
            || self
                .schema
                .column(table, column)
                .is_some_and(|column| !column.not_null)
        {
            self.asked.push(Asked::Missing {
                table,
                column,
                is_negated: true,
            });
        }
        shown_first.push(value);
        self.list(table, shown_first, Some(order))
    }

    pub(super) fn sole_column(&self, table: usize, words: &[&str]) -> Result<usize, Stop> {
        let found: Vec<(usize, usize)> = self
            .columns_with(words, |_| true)
            .into_iter()
            .filter(|(of, _)| *of == table)
            .collect();
        let is_plain =
            |(of, column): &&(usize, usize)| self.schema.column_words(*of, *column).len() == 1;
        let plain: Vec<&(usize, usize)> = found.iter().filter(is_plain).collect();
        match (plain.as_slice(), found.as_slice()) {
            ([(_, column)], _) | (_, [(_, column)]) => Ok(*column),
            _ => stop("what it is ranked by is not clear"),
        }
    }

    /// The date by which rows of the table are new or old.
    pub(super) fn date_for(&mut self, table: usize) -> Result<usize, Stop> {
        for (at, verb) in self.verbs() {
            if let Some(date) = self.date_of_verb(table, at, verb) {
                self.take(at);
                return Ok(date);
            }
        }
        if self.verbs().iter().any(|(at, _)| !self.is_used(*at)) {
            return stop("a verb is not understood");
        }
        let text = self
            .rank
            .and_then(|rank| self.span(rank.at))
            .map(|span| span.text.to_lowercase())
            .unwrap_or_default();
        let is_age = ["oldest", "youngest", "ältest", "jüngst"]
            .iter()
            .any(|start| text.starts_with(start));
        let birth = self.schema.dates(table).into_iter().find(|date| {
            self.schema
                .column_words(table, *date)
                .iter()
                .any(|word| word.starts_with("birth") || word == "dob")
        });
        // "the oldest campus", of which only the year is known.
        let years = self.columns_with(&["founded", "established"], |_| true);
        let mut years = years.into_iter().filter(|(of, _)| *of == table);
        let year = match (years.next(), years.next()) {
            (Some((_, year)), None) => Some(year),
            _ => self.schema.year_column(table),
        };
        if let (true, Some(year)) = (self.schema.dates(table).is_empty(), year) {
            return Ok(year);
        }
        match (birth, self.schema.main_date(table)) {
            (Some(birth), _) if is_age => Ok(birth),
            (None, Some(date)) => Ok(date),
            (None, None) if self.beginning_date(table).is_some() => self
                .beginning_date(table)
                .map_or_else(|| stop("which date is meant is not clear"), Ok),
            _ => stop("which date is meant is not clear"),
        }
    }

    /// "our bestsellers" are the things of which the most pieces are sold: the word names their table, where there is one.
    fn bestsellers(&mut self, rank: Rank) -> Option<usize> {
        let text = self.span(rank.at)?.text.to_lowercase();
        // People who sell are sellers as well.
        if !text.trim_end_matches('s').ends_with("seller") || self.spans.iter().any(Span::asks_who)
        {
            return None;
        }
        let sold = money::units(self.schema).into_iter().next()?.table;
        let mut things = (0..self.schema.tables.len()).filter(|table| {
            let reached = self.schema.reach(sold, *table);
            self.schema.has_name(*table)
                && reached.is_some_and(|reached| !reached.is_tied && reached.path.len() == 1)
        });
        let table = things.next().filter(|_| things.next().is_none())?;
        self.spans.get_mut(rank.at)?.names.push(Name {
            kind: NameKind::Table(table),
            score: 1.0,
        });
        Some(rank.at)
    }

    pub(super) fn rank_by_figure(
        &mut self,
        subject: Option<usize>,
        rank: Rank,
        is_descending: bool,
    ) -> Result<SemanticQuery, Stop> {
        if let Some(subject) = subject {
            if !self.groups.is_empty() {
                return stop("the first of each group is not understood");
            }
            self.groups.insert(0, Group::Named(subject));
        }
        let is_most = matches!(rank.concept, Concept::Most | Concept::Fewest);
        let term = (0..self.spans.len()).find_map(|at| {
            let (term, kind) = self.term_at(at).filter(|_| !self.is_used(at))?;
            (kind == TermKind::Aggregate).then_some((at, term))
        });
        // "earned us the most", "take the most money"
        if let Some((at, term)) = term {
            self.take(at);
            self.say_term(term);
            self.measures.push(Measured {
                function: Function::Sum,
                what: What::Term(term),
            });
        } else if let Some(at) = self.find(Concept::Revenue) {
            self.take(at);
            if let Some(sum) = self.find(Concept::Sum) {
                self.take(sum);
            }
            for (verb, name) in self.verbs() {
                if matches!(name, "earn" | "spend" | "sell") {
                    self.take(verb);
                }
            }
            if self.find(Concept::Average).is_some() {
                return stop("an average of revenue has several meanings");
            }
            self.measures.push(Measured {
                function: Function::Sum,
                what: What::Revenue,
            });
        } else if let Some(at) = self.find(Concept::Units).filter(|at| {
            self.numeric_columns(*at).iter().all(|(table, _)| {
                money::units(self.schema)
                    .iter()
                    .any(|figure| figure.table == *table)
            })
        }) {
            self.take(at);
            for (verb, name) in self.verbs() {
                if name == "sell" {
                    self.take(verb);
                }
            }
            self.measures.push(Measured {
                function: Function::Sum,
                what: What::Units,
            });
        } else if matches!(rank.concept, Concept::Top | Concept::Bottom)
            && self
                .span(rank.at)
                .is_some_and(|span| !matches!(span.text.to_lowercase().as_str(), "top" | "bottom"))
        {
            let what = match money::units(self.schema).is_empty() {
                true => What::Revenue,
                false => What::Units,
            };
            if what == What::Units {
                self.says("bestsellers are by units sold".to_owned(), true);
            }
            self.measures.push(Measured {
                function: Function::Sum,
                what,
            });
        } else {
            let column = (0..self.spans.len()).find(|at| {
                !self.is_used(*at)
                    && !self.numeric_columns(*at).is_empty()
                    && (!self.is_noun(*at) || self.find(Concept::Average).is_some())
            });
            let count = self.find(Concept::Count);
            let average = self.find(Concept::Average);
            if let Some(at) = column {
                self.take(at);
                let function = match average {
                    Some(_) => self.function_before(at),
                    None => self.find(Concept::Sum).map(|sum| {
                        self.take(sum);
                        Function::Sum
                    }),
                };
                let columns = self.numeric_columns(at);
                let is_additive = columns
                    .first()
                    .is_some_and(|(table, column)| self.is_additive(*table, *column));
                let function = match function {
                    Some(function) => function,
                    None if is_additive
                        && !self.is_pay(&columns)
                        && (is_most || rank.concept == Concept::Top) =>
                    {
                        Function::Sum
                    }
                    None => return stop("whether a total or an average is meant is not clear"),
                };
                self.measures.push(Measured {
                    function,
                    what: What::Column(columns),
                });
            } else {
                if let Some(sum) = self.find(Concept::Sum)
                    && count.is_none()
                    && let Some(noun) = self.first_noun()
                    && let Some(amount) =
                        self.table_of(noun).and_then(|table| self.amount_of(table))
                {
                    self.take(sum);
                    self.take(noun);
                    self.measures.push(Measured {
                        function: Function::Sum,
                        what: What::Column(vec![amount]),
                    });
                    self.finish_conditions(Some(amount.0))?;
                    let order = self.order_by_first(rank, is_descending);
                    return self.figures(order);
                }
                let noun = (0..self.spans.len())
                    .find(|at| !self.is_used(*at) && self.is_noun(*at) && *at > rank.at)
                    .or_else(|| {
                        count.and_then(|count| {
                            (count..self.spans.len())
                                .find(|at| !self.is_used(*at) && self.is_noun(*at))
                        })
                    });
                let counted = noun.and_then(|noun| self.table_of(noun));
                if let Some(count) = count {
                    self.take(count);
                }
                match (noun, counted) {
                    (Some(noun), Some(table))
                        if is_most
                            || count.is_some()
                            || rank.concept == Concept::Highest
                            || rank.concept == Concept::Lowest =>
                    {
                        if !is_most && count.is_none() || self.is_own_column(noun, table) {
                            return stop("what it is ranked by is not clear");
                        }
                        self.take(noun);
                        // "by number of songs sold"
                        let sold = self.verbs().into_iter().find(|(_, verb)| *verb == "sell");
                        if let Some((verb, _)) = sold
                            && !is_sale(self.schema, table)
                            && self.line_of(table).is_some()
                            && !self.has(Concept::Distinct)
                            && !money::units(self.schema).is_empty()
                        {
                            self.take(verb);
                            self.measures.push(Measured {
                                function: Function::Sum,
                                what: What::Units,
                            });
                            self.finish_conditions(None)?;
                            let order = self.order_by_first(rank, is_descending);
                            return self.figures(order);
                        }
                        let table = self.done_to(table).unwrap_or(table);
                        self.measures.push(Measured {
                            function: Function::Count,
                            what: What::Rows(table),
                        });
                        for (verb, name) in self.verbs() {
                            if self.event_of(name) == Some(table)
                                || matches!(name, "order" | "ship" | "deliver" | "work" | "live")
                                    && !self.is_used(verb)
                            {
                                self.take(verb);
                            }
                        }
                    }
                    _ => self.measure_of_verb(is_most)?,
                }
            }
        }
        if let Some(distinct) = self.find(Concept::Distinct) {
            self.take(distinct);
        }
        let subject_table = self.subject_of_measure();
        if !is_descending
            && rank.concept == Concept::Fewest
            && let (
                Some(subject),
                Some(Measured {
                    what: What::Rows(counted),
                    ..
                }),
            ) = (subject, self.measures.first().cloned())
            && let Some(table) = self.table_of(subject)
        {
            return self.fewest(table, counted, rank);
        }
        self.finish_conditions(subject_table)?;
        let order = self.order_by_first(rank, is_descending);
        self.figures(order)
    }

    pub(super) fn measure_of_verb(&mut self, is_most: bool) -> Result<(), Stop> {
        for (at, verb) in self.verbs() {
            if self.is_used(at) {
                continue;
            }
            let paid = match verb {
                "pay" => self.event_of(verb).and_then(|event| self.amount_of(event)),
                _ => None,
            };
            let what = match verb {
                "earn" | "spend" => What::Revenue,
                "pay" if is_most && paid.is_some() => What::Column(paid.into_iter().collect()),
                "pay" if is_most => What::Revenue,
                "sell" if is_most && !money::units(self.schema).is_empty() => What::Units,
                _ => match self.event_of(verb).or_else(|| self.event_of_groups(at)) {
                    Some(table) => What::Rows(table),
                    None => {
                        let sales = sales_table(self.schema);
                        match sales.filter(|sales| self.date_of_verb(*sales, at, verb).is_some()) {
                            Some(sales) => What::Rows(sales),
                            None => continue,
                        }
                    }
                },
            };
            self.take(at);
            let function = match what {
                What::Rows(_) => Function::Count,
                _ => Function::Sum,
            };
            self.measures.push(Measured { function, what });
            return Ok(());
        }
        // "our busiest day of the week"
        let is_busy = self
            .rank
            .and_then(|rank| self.span(rank.at))
            .is_some_and(|span| {
                words!("busiest, belebteste, am meisten los")
                    .contains(&span.text.to_lowercase().as_str())
            });
        let mut events = (0..self.schema.tables.len()).filter(|at| {
            self.schema.is_base(*at)
                && money::is_event(self.schema, *at)
                && self.party_of(*at).is_some()
        });
        let only = events.next().filter(|_| events.next().is_none());
        let visits = self.event_of("visit").or(only);
        if is_busy && let Some(table) = visits {
            let says = format!("busy is by the number of {}", self.table_name(table));
            self.says(says, true);
            self.measures.push(Measured {
                function: Function::Count,
                what: What::Rows(table),
            });
            return Ok(());
        }
        stop("what it is ranked by is not clear")
    }
}
