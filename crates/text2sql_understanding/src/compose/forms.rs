//! What is asked: rows, figures, whether there are any.

use super::*;

impl Composer<'_> {
    pub(super) fn read_form(&mut self) -> Result<SemanticQuery, Stop> {
        if self.has(Concept::Half) {
            return stop("a half is not understood");
        }
        if self.spans.first().is_some_and(|span| {
            matches!(
                span.text.to_lowercase().as_str(),
                "where" | "wo" | "why" | "warum"
            )
        }) {
            return stop("a question for a place or a reason is not understood");
        }
        let first = (0..self.spans.len()).find(|at| !self.is_filler(*at));
        let starts_with_which = self.spans.first().is_some_and(|span| {
            let text = span.text.to_lowercase();
            ["wh", "welch", "wie", "how", "in w"]
                .iter()
                .any(|start| text.starts_with(start))
                && !span.is(Concept::YesNo)
        });
        let is_yesno =
            !starts_with_which && first.is_some_and(|first| self.is(first, Concept::YesNo));
        for at in 0..self.spans.len() {
            if self.is(at, Concept::YesNo)
                || self.is(at, Concept::List) && self.columns_of(at).is_empty()
            {
                self.take(at);
            }
        }
        self.read_equal_numbers();
        if let Some(query) = self.average_per()? {
            return Ok(query);
        }
        if let Some(at) = self.find(Concept::Share) {
            self.take(at);
            return self.share();
        }
        if self.has(Concept::Compare)
            || self.has(Concept::Growth)
            || self.periods.len() == 2 && self.has(Concept::And) && self.has(Concept::Revenue)
        {
            return self.comparison();
        }
        if self.rank.is_some() && !self.has_several_functions() {
            return self.ranked();
        }
        self.read_measures()?;
        if let Some(query) = self.days_between()? {
            return Ok(query);
        }
        if let Some(at) = self.find(Concept::When) {
            return self.when(at);
        }
        if !self.measures.is_empty() {
            let subject = self.subject_of_measure();
            self.finish_conditions(subject)?;
            return self.figures(None);
        }
        if let Some((operator, low, high)) = self.having.take() {
            return self.spenders(operator, low, high);
        }
        let Some(noun) = self.first_noun() else {
            return self.without_noun();
        };
        let Some(subject) = self.table_of(noun) else {
            return stop("what is asked for is not clear");
        };
        if self.is_own_column(noun, subject) {
            return stop("a word is a table and a column of it");
        }
        self.take(noun);
        self.note_table(noun, subject);
        let asks_values = self.asks_values(noun, subject);
        let shown = self.read_shown(subject);
        self.finish_conditions(Some(subject))?;
        if !self.groups.is_empty() && !shown.is_empty() {
            return stop("a list for each is not understood");
        }
        if !self.groups.is_empty() {
            self.measures.push(Measured {
                function: Function::Count,
                what: What::Rows(subject),
            });
            return self.figures(None);
        }
        if is_yesno {
            let conditions = self.place_all(subject)?;
            return self.query(subject, conditions, Answer::Exists, None);
        }
        // "What did we pay our staff?" asks for no list.
        let asks_what = self.spans.first().is_some_and(|span| {
            matches!(
                span.text.to_lowercase().as_str(),
                "what" | "was" | "how" | "wie" | "how much" | "wie viel" | "why" | "warum"
            )
        });
        let asks_what_is_done = self.verbs().iter().any(|(_, verb)| {
            matches!(
                *verb,
                "order"
                    | "buy"
                    | "rent"
                    | "pay"
                    | "sell"
                    | "return"
                    | "visit"
                    | "book"
                    | "review"
                    | "spend"
                    | "earn"
            )
        });
        if asks_what && asks_what_is_done {
            return stop("what is asked for is not clear");
        }
        if asks_values && !shown.is_empty() {
            return self.values_list(subject, shown);
        }
        self.list(subject, shown, None)
    }

    /// Whether the word names the table and, as well, a column of it that is not its name.
    pub(super) fn is_own_column(&self, at: usize, table: usize) -> bool {
        let shown = self.schema.shown(table);
        self.columns_of(at)
            .iter()
            .any(|(of, column, score)| *of == table && *score > 0.9 && !shown.contains(column))
    }

    fn has_several_functions(&self) -> bool {
        let is_function = |span: &&Span| {
            matches!(
                span.concept,
                Some(
                    Concept::Average
                        | Concept::Sum
                        | Concept::Median
                        | Concept::Highest
                        | Concept::Lowest
                )
            )
        };
        self.spans.iter().filter(is_function).count() > 1
    }

    /// "Which cities do our students live in?": values of a column, not rows.
    fn asks_values(&self, noun: usize, subject: usize) -> bool {
        let first = (0..self.spans.len()).find(|at| !self.is_filler(*at));
        let asks = self.spans.first().is_some_and(|span| {
            let text = span.text.to_lowercase();
            [
                "which",
                "what",
                "welche",
                "in which",
                "from which",
                "in what",
                "aus welchen",
                "show",
                "list",
                "find",
                "give",
                "zeig",
            ]
            .iter()
            .any(|start| text.starts_with(start))
        });
        let has_verb = self.verbs().iter().any(|(at, _)| *at > noun);
        let of_noun = noun > 0
            && (first.unwrap_or_default()..noun).any(|at| {
                self.span(at)
                    .is_some_and(|span| matches!(span.text.as_str(), "of" | "von" | "der"))
            });
        first.is_some_and(|first| {
            asks && first < noun
                && has_verb
                && !of_noun
                && self.columns_of(first).iter().any(|(table, column, _)| {
                    *table == subject && !self.schema.shown(subject).contains(column)
                })
        })
    }

    /// What is asked without the name of a table: "Who reports to Ann?", "all majors".
    fn without_noun(&mut self) -> Result<SemanticQuery, Stop> {
        let asks_who = self
            .spans
            .iter()
            .any(|span| matches!(span.text.to_lowercase().as_str(), "who" | "wer"));
        if asks_who && self.verbs().iter().any(|(_, verb)| *verb == "report") {
            let mut people = (0..self.schema.tables.len()).filter(|at| {
                self.schema.is_base(*at)
                    && self.schema.has_name(*at)
                    && self.schema.own_reference(*at).is_some()
            });
            if let Some(table) = people.next().filter(|_| people.next().is_none()) {
                self.finish_conditions(Some(table))?;
                return self.list(table, Vec::new(), None);
            }
        }
        let mut found: Vec<(usize, usize, usize)> = Vec::new();
        for at in 0..self.spans.len() {
            if self.is_used(at) || self.span(at).is_none_or(|span| span.concept.is_some()) {
                continue;
            }
            let columns = self.columns_of(at);
            let best = columns.first().map_or(0.0, |(_, _, score)| *score);
            let near: Vec<_> = columns
                .iter()
                .filter(|(_, _, score)| best - score < 0.1)
                .collect();
            let [(table, column, score)] = near.as_slice() else {
                continue;
            };
            if *score > 0.8 && self.values_of(at).is_empty() {
                found.push((at, *table, *column));
            }
        }
        let Some((_, table, _)) = found.first().copied() else {
            return stop("what is asked for is not clear");
        };
        let is_list = self.verbs().iter().all(|(at, _)| self.is_used(*at));
        if !is_list || found.iter().any(|(_, other, _)| *other != table) {
            return stop("what is asked for is not clear");
        }
        if found
            .iter()
            .any(|(_, table, column)| self.schema.is_numeric(*table, *column))
        {
            return stop("whether a figure or a list is meant is not clear");
        }
        let mut shown = Vec::new();
        for (at, table, column) in found {
            self.take(at);
            let and = self.before(at).filter(|and| self.is(*and, Concept::And));
            if let Some(and) = and {
                self.take(and);
            }
            shown.extend(self.schema.own_column(table, column, Vec::new()));
        }
        self.finish_conditions(Some(table))?;
        self.values_list(table, shown)
    }

    pub(super) fn note_table(&mut self, at: usize, table: usize) {
        let text = self
            .span(at)
            .map(|span| span.text.clone())
            .unwrap_or_default();
        let name = self.table_name(table);
        if !text.eq_ignore_ascii_case(&name) {
            self.says(format!("'{text}' is table {name}"), false);
        }
    }

    pub(super) fn first_noun(&self) -> Option<usize> {
        let first = (0..self.spans.len()).find(|at| !self.is_used(*at) && self.is_noun(*at))?;
        Some(self.head_of(first))
    }

    /// "product categories" are categories: the second of two nouns that stand together.
    pub(super) fn head_of(&self, at: usize) -> usize {
        let next = at + 1;
        let is_head = !self.is_used(next)
            && self.is_noun(next)
            && self.span(next).is_some_and(|span| {
                let first = span
                    .text
                    .split(' ')
                    .next()
                    .unwrap_or_default()
                    .to_lowercase();
                span.concept.is_none()
                    && lexicon::concept(&first) != Some(Concept::Filler)
                    && span
                        .names
                        .iter()
                        .all(|name| !matches!(name.kind, NameKind::Value(..)))
            })
            && match (self.table_of(at), self.table_of(next)) {
                (Some(one), Some(other)) => {
                    one != other
                        && (self.schema.reach(one, other).is_some()
                            || self.schema.reach(other, one).is_some())
                }
                _ => false,
            };
        if is_head { next } else { at }
    }

    /// Columns of the subject that a list shows.
    pub(super) fn read_shown(&mut self, subject: usize) -> Vec<ColumnRef> {
        let mut shown = Vec::new();
        for at in 0..self.spans.len() {
            let is_plain = self
                .span(at)
                .is_some_and(|span| span.concept.is_none() || span.is(Concept::List));
            if self.is_used(at) || !is_plain || self.is_noun(at) {
                continue;
            }
            let follows_negation = self.before(at).is_some_and(|before| {
                [Concept::Not, Concept::Without, Concept::Never]
                    .iter()
                    .any(|concept| self.is(before, *concept))
            });
            if follows_negation {
                continue;
            }
            let next_is_value = self
                .after(at)
                .is_some_and(|next| !self.values_of(next).is_empty());
            let columns = self.columns_of(at);
            let own = columns.iter().find(|(table, column, score)| {
                *table == subject && *score > 0.7 && !self.is_flag(*table, *column)
            });
            let next_is_number = self
                .span(at + 1)
                .is_some_and(|span| span.number.is_some() && span.names.is_empty());
            if let Some((table, column, _)) = own
                && !next_is_value
                && !next_is_number
                && let Some(name) = self.schema.own_column(*table, *column, Vec::new())
            {
                shown.push(name);
                self.take(at);
                // "and" between columns.
                if let Some(and) = self.before(at).filter(|and| self.is(*and, Concept::And)) {
                    self.take(and);
                }
            } else if own.is_none() && !next_is_value && !next_is_number {
                shown.extend(self.shown_of_other(at, subject, &columns));
            }
        }
        shown
    }

    /// A column of the one row of another table that belongs to a row of the subject: the country of a customer.
    fn shown_of_other(
        &mut self,
        at: usize,
        subject: usize,
        columns: &[(usize, usize, f64)],
    ) -> Option<ColumnRef> {
        let mut found: Vec<(usize, usize, usize)> = columns
            .iter()
            .filter(|(table, column, score)| *score > 0.9 && !self.is_flag(*table, *column))
            .filter_map(|(table, column, _)| {
                let reached = self.schema.reach(subject, *table)?;
                (!reached.is_tied).then_some((reached.cost, *table, *column))
            })
            .collect();
        found.sort_unstable();
        let (cost, table, column) = *found.first()?;
        if found.get(1).is_some_and(|(other, _, _)| *other < cost + 8) {
            return None;
        }
        let path = self.schema.reach(subject, table)?.path;
        self.take(at);
        if let Some(and) = self.before(at).filter(|and| self.is(*and, Concept::And)) {
            self.take(and);
        }
        let says = format!(
            "'{}' is {}",
            self.span(at).map(|span| span.text.clone())?,
            self.column_name(table, column)
        );
        self.says(says, false);
        self.schema.own_column(table, column, path)
    }

    /// What is left after the form is known: values, flags, verbs, negations.
    pub(super) fn finish_conditions(&mut self, subject: Option<usize>) -> Result<(), Stop> {
        self.read_conditions(subject)?;
        self.read_missing(subject)?;
        self.read_verbs(subject)?;
        self.read_states(subject)?;
        if self.is_undated_state {
            return stop("the data do not say when that happened");
        }
        let has_happened = self
            .asked
            .iter()
            .any(|one| matches!(one, Asked::Happened { .. }));
        if self.periods.len() > 1 && !has_happened {
            return stop("several periods are not understood here");
        }
        for period in self.periods.clone() {
            self.asked.push(Asked::Days { period, by: None });
        }
        // Nouns that only say where a value or a date belongs: "customers from Brazil", "of an order".
        for at in 0..self.spans.len() {
            if self.is_used(at) {
                continue;
            }
            let is_beside = self.is_noun(at)
                && (self.is_near_value(at)
                    || self
                        .table_of(at)
                        .is_some_and(|table| Some(table) == subject));
            if is_beside
                || self.is(at, Concept::Distinct)
                || self.is(at, Concept::And) && self.is_between_used(at)
            {
                self.take(at);
            }
        }
        Ok(())
    }

    pub(super) fn is_between_used(&self, at: usize) -> bool {
        self.measures.len() > 1 && at > 0 && self.is_used(at - 1)
    }

    pub(super) fn is_near_value(&self, at: usize) -> bool {
        let Some(table) = self.table_of(at) else {
            return false;
        };
        self.asked
            .iter()
            .any(|one| matches!(one, Asked::Values { near: Some(near), .. } if *near == table))
    }

    /// "have no fax number", "without an e-mail address", "no boss", "never ordered anything".
    pub(super) fn read_missing(&mut self, subject: Option<usize>) -> Result<(), Stop> {
        for at in 0..self.spans.len() {
            let is_negation = [Concept::Not, Concept::Without, Concept::Never]
                .iter()
                .any(|concept| self.is(at, *concept));
            if self.is_used(at) || !is_negation {
                continue;
            }
            let Some(subject) = subject else {
                return stop("a negation is not understood");
            };
            let beside = [
                self.after(at),
                self.after(at).and_then(|next| self.after(next)),
                self.before(at),
            ];
            let mut is_read = false;
            for next in beside.into_iter().flatten() {
                if self.is_used(next) && self.table_of(next) != Some(subject) || is_read {
                    continue;
                }
                // A reference to a row of the same table: "no boss" is an empty manager_id.
                let own_column = self
                    .columns_of(next)
                    .into_iter()
                    .find(|(table, _, score)| *table == subject && *score > 0.6);
                let own_key = self.reference_named(subject, next);
                if let Some(column) = own_column.map(|(_, column, _)| column).or(own_key) {
                    self.take(at);
                    self.take(next);
                    if self.is_flag(subject, column) {
                        self.asked.push(Asked::Flag {
                            table: subject,
                            column,
                            is_negated: true,
                        });
                    } else {
                        self.asked.push(Asked::Missing {
                            table: subject,
                            column,
                            is_negated: false,
                        });
                    }
                    is_read = true;
                } else if let Some(table) = self.table_of(next).filter(|table| *table != subject)
                    && !self.is_other_event(at, table)
                    && (self.schema.reach(table, subject).is_some()
                        || self.has_relating_verb() && self.schema.reach(subject, table).is_none())
                {
                    self.take(at);
                    self.take(next);
                    for (verb, _) in self.verbs() {
                        self.take(verb);
                    }
                    self.asked.push(Asked::Happened {
                        table,
                        is_negated: true,
                    });
                    is_read = true;
                }
            }
        }
        Ok(())
    }

    /// "never sold a single track" is about sales, not about tracks.
    pub(super) fn is_other_event(&self, negation: usize, table: usize) -> bool {
        self.is(negation, Concept::Never)
            && self.verbs().iter().any(|(at, verb)| {
                *at > negation && self.event_of(verb).is_some_and(|event| event != table)
            })
    }

    pub(super) fn has_relating_verb(&self) -> bool {
        self.verbs()
            .iter()
            .any(|(_, verb)| matches!(*verb, "relate" | "write"))
    }

    /// A column of the subject that refers to a row by the role that the span names: "boss" is reports_to, manager_id.
    pub(super) fn reference_named(&self, subject: usize, at: usize) -> Option<usize> {
        let table = self.schema.table(subject)?;
        let text = self.span(at)?.text.to_lowercase();
        let wanted = canonical(text.split(' ').next_back()?);
        table.columns.iter().position(|column| {
            let is_reference = table
                .foreign_keys
                .iter()
                .any(|key| key.columns.len() == 1 && key.columns.contains(&column.name));
            let words = crate::table_names::words_of(&column.name);
            let named = words
                .iter()
                .any(|word| word.len() > 2 && canonical(word) == wanted);
            let reports =
                wanted == canonical("boss") && words.first().is_some_and(|word| word == "reports");
            is_reference && (named || reports)
        })
    }

    /// "open", "overdue", "late": states that columns say.
    pub(super) fn read_states(&mut self, subject: Option<usize>) -> Result<(), Stop> {
        for at in 0..self.spans.len() {
            if self.is_used(at) {
                continue;
            }
            match self.span(at).and_then(|span| span.concept) {
                Some(Concept::Open) => {
                    let Some(subject) = subject else {
                        return stop("a state is not understood");
                    };
                    let column = self.end_date(subject);
                    let Some(column) = column else {
                        return stop("a state is not understood");
                    };
                    self.take(at);
                    let name = self
                        .schema
                        .column(subject, column)
                        .map(|column| column.name.clone())
                        .unwrap_or_default();
                    let says = format!("'open' is without {}.{name}", self.table_name(subject));
                    self.says(says, true);
                    self.asked.push(Asked::Missing {
                        table: subject,
                        column,
                        is_negated: false,
                    });
                }
                Some(Concept::OutOfStock) => {
                    let Some(subject) = subject else {
                        return stop("a state is not understood");
                    };
                    let columns =
                        self.columns_with(&["stock", "hand", "inventory", "available"], |_| true);
                    let own: Vec<usize> = columns
                        .iter()
                        .filter(|(table, _)| *table == subject)
                        .map(|(_, column)| *column)
                        .collect();
                    let [column] = own.as_slice() else {
                        return stop("a state is not understood");
                    };
                    self.take(at);
                    self.asked.push(Asked::Number {
                        columns: vec![(subject, *column)],
                        operator: Operator::Equal,
                        low: "0".to_owned(),
                        high: None,
                    });
                }
                Some(Concept::Current) => {
                    self.take(at);
                    let left = subject.and_then(|subject| self.left_date(subject));
                    if let (Some(subject), Some(column)) = (subject, left) {
                        let name = self
                            .schema
                            .column(subject, column)
                            .map(|column| column.name.clone())
                            .unwrap_or_default();
                        let says = format!("now is without {}.{name}", self.table_name(subject));
                        self.says(says, true);
                        self.asked.push(Asked::Missing {
                            table: subject,
                            column,
                            is_negated: false,
                        });
                    }
                }
                Some(Concept::Late) => {
                    let Some(subject) = subject else {
                        return stop("a state is not understood");
                    };
                    let dates = self.schema.dates(subject);
                    let find = |words: &[&str]| {
                        dates.iter().copied().find(|date| {
                            self.schema
                                .column_words(subject, *date)
                                .iter()
                                .any(|word| words.contains(&word.as_str()))
                        })
                    };
                    let due = find(&[
                        "required", "due", "promised", "expected", "deadline", "planned",
                    ]);
                    let done = find(&[
                        "shipped",
                        "delivered",
                        "paid",
                        "returned",
                        "completed",
                        "actual",
                        "arrived",
                        "received",
                    ]);
                    let (Some(due), Some(done)) = (due, done) else {
                        return stop("a state is not understood");
                    };
                    self.take(at);
                    self.says("late is after the date that was due".to_owned(), true);
                    self.asked.push(Asked::Columns {
                        table: subject,
                        left: done,
                        operator: Operator::Greater,
                        right: due,
                    });
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The date on which somebody left or something ended for good.
    pub(super) fn left_date(&self, subject: usize) -> Option<usize> {
        let mut dates = self.schema.dates(subject).into_iter();
        dates.find(|date| {
            let words = self.schema.column_words(subject, *date);
            let ends = words.iter().any(|word| {
                matches!(
                    word.as_str(),
                    "left"
                        | "end"
                        | "ended"
                        | "terminated"
                        | "termination"
                        | "closed"
                        | "discontinued"
                        | "until"
                )
            });
            ends && self
                .schema
                .column(subject, *date)
                .is_some_and(|column| !column.not_null)
        })
    }

    /// The date that ends something, which is empty while it lasts.
    pub(super) fn end_date(&self, subject: usize) -> Option<usize> {
        let found: Vec<usize> = self
            .schema
            .dates(subject)
            .into_iter()
            .filter(|date| {
                let words = self.schema.column_words(subject, *date);
                let ends = words.iter().any(|word| {
                    matches!(
                        word.as_str(),
                        "closed"
                            | "resolved"
                            | "completed"
                            | "paid"
                            | "finished"
                            | "returned"
                            | "ended"
                            | "redeemed"
                    )
                });
                ends && self
                    .schema
                    .column(subject, *date)
                    .is_some_and(|column| !column.not_null)
            })
            .collect();
        match found.as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }
}
