//! What is asked: rows, figures, whether there are any.

use super::*;
use text2sql_domain::words;

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
        if let Some(query) = self.boss_of_named()? {
            return Ok(query);
        }
        if let Some(query) = self.average_per()? {
            return Ok(query);
        }
        if let Some(query) = self.average_revenue_per()? {
            return Ok(query);
        }
        if let Some(at) = self.find(Concept::Share) {
            self.take(at);
            // "How much did it drop, in percent?" is a change, and so is "what percentage did it rise from May to June?".
            let is_unit = self.periods.len() == 2
                || self
                    .span(at)
                    .is_some_and(|span| span.text.to_lowercase().starts_with("in "));
            if !(is_unit && self.has(Concept::Growth)) {
                return self.share();
            }
        }
        if let Some(query) = self.values_compared()? {
            return Ok(query);
        }
        if self.has(Concept::Compare)
            || self.has(Concept::Growth)
            || self.periods.len() == 2 && self.has(Concept::And) && self.has(Concept::Revenue)
        {
            return self.comparison();
        }
        if self.asks_extreme() {
            self.rank = None;
        }
        if self.rank.is_some() && !self.has_several_functions() {
            return self.ranked();
        }
        if let Some(query) = self.days_between()? {
            return Ok(query);
        }
        self.read_measures()?;
        if let Some(at) = self.find(Concept::When) {
            return self.when(at);
        }
        if !self.measures.is_empty() {
            if self.is_state_taken() {
                return stop("a verb is not understood");
            }
            // "Who works in sales?" does not ask for a revenue.
            if self.groups.is_empty() && self.spans.iter().take(2).any(Span::asks_who) {
                return stop("who is asked for is not clear");
            }
            let subject = self.subject_of_measure();
            self.finish_conditions(subject)?;
            return self.figures(None);
        }
        if let Some((operator, low, high)) = self.having.take() {
            return self.spenders(operator, low, high);
        }
        // "the phone numbers for each employee" are a list.
        let each = match self.groups.as_slice() {
            [Group::Named(each)] if self.is_noun(*each) && self.first_noun().is_none() => {
                Some(*each)
            }
            _ => None,
        };
        if each.is_some() {
            self.groups.clear();
        }
        let Some(noun) = each.or_else(|| self.first_noun()) else {
            return self.without_noun();
        };
        let Some(subject) = self.table_of(noun) else {
            return stop("what is asked for is not clear");
        };
        let (noun, subject) = self.named_by_column(noun).unwrap_or((noun, subject));
        if each.is_some()
            && (0..self.spans.len()).all(|at| self.is_used(at) || self.columns_of(at).is_empty())
        {
            return stop("what is asked for is not clear");
        }
        if self.is_noun(noun) && self.is_own_column(noun, subject) {
            return stop("a word is a table and a column of it");
        }
        // "Who teaches the course?" asks for no course.
        let asks_who = self.spans.first().is_some_and(Span::asks_who);
        let is_done = self.verbs().iter().any(|(at, _)| *at < noun);
        if asks_who && is_done {
            return stop("who is asked for is not clear");
        }
        if self.is_noun(noun) {
            self.take(noun);
            self.note_table(noun, subject);
        }
        let asks_values = self.asks_values(noun, subject);
        let shown = self.read_shown(subject);
        self.finish_conditions(Some(subject))?;
        let is_relative = self
            .spans
            .iter()
            .any(|span| matches!(span.text.as_str(), "that" | "who"));
        let asks_list = self
            .spans
            .iter()
            .any(|span| matches!(span.text.to_lowercase().as_str(), "list" | "liste"))
            || noun < 3
                && self.has(Concept::Each)
                && self.spans.first().is_some_and(|span| {
                    let text = span.text.to_lowercase();
                    text == "which" || text.starts_with("welche")
                });
        if !self.groups.is_empty() && (!shown.is_empty() || is_relative || asks_list) {
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
            words!("what, was, how, wie, how much, wie viel, why, warum")
                .contains(&span.text.to_lowercase().as_str())
        });
        let asks_what_is_done = self.verbs().iter().any(|(_, verb)| {
            words!("order, buy, rent, pay, sell, return, visit, book, review, spend, earn")
                .contains(verb)
        });
        if asks_what && asks_what_is_done {
            return stop("what is asked for is not clear");
        }
        if self.asked.is_empty() && shown.is_empty() && self.asks_who_does() {
            return stop("a verb is not understood");
        }
        if asks_values && !shown.is_empty() {
            return self.values_list(subject, shown);
        }
        self.list(subject, shown, None)
    }

    /// Whether the word names the table and, as well, a column of it that is not its name.
    pub(super) fn is_own_column(&self, at: usize, table: usize) -> bool {
        // "reviews" is how the table is called, not its column "review".
        let text = self.span(at).map(|span| span.text.to_lowercase());
        let is_table = self.schema.table(table).is_some_and(|table| {
            text.as_ref().is_some_and(|text| {
                table.name.eq_ignore_ascii_case(text) && table.column(text).is_none()
            })
        });
        if is_table && text.is_some_and(|text| text.ends_with('s')) {
            return false;
        }
        let shown = self.schema.shown(table);
        self.columns_of(at)
            .iter()
            .any(|(of, column, score)| *of == table && *score > 0.9 && !shown.contains(column))
    }

    /// "Show the product names without an order": a column that says whose it is stands before the first noun.
    fn named_by_column(&self, noun: usize) -> Option<(usize, usize)> {
        let at = (0..noun).find(|at| {
            !self.is_used(*at)
                && self.span(*at).is_some_and(|span| span.concept.is_none())
                && !self.columns_of(*at).is_empty()
        })?;
        let columns = self.columns_of(at);
        let (table, _, score) = *columns.first()?;
        let is_one = columns
            .iter()
            .all(|(of, _, other)| *of == table || score - other > 0.1);
        let text = self.span(at)?.text.to_lowercase();
        let first = canonical(text.split(' ').next()?);
        let is_own = score > 0.84 && self.schema.table_words(table).last() == Some(&first);
        let is_of = (at..noun).any(|other| {
            self.span(other).is_some_and(|span| {
                words!("of, von, for, der, des, den").contains(&span.text.as_str())
            })
        });
        let is_other = self.table_of(noun).is_some_and(|other| other != table);
        (is_one && is_own && is_other && !is_of && text.contains(' ')).then_some((at, table))
    }

    /// "Which employees come in?": all of them are no answer.
    fn asks_who_does(&self) -> bool {
        const DO: &[&str] = &[
            "come", "comes", "came", "go", "goes", "went", "happen", "happened", "gave", "take",
            "taken", "took", "kommen", "kommt", "kamen", "gehen", "geht", "ging", "gingen",
        ];
        let has = |words: &[&str]| {
            let mut texts = self.spans.iter().map(|span| span.text.to_lowercase());
            texts.any(|text| words.contains(&text.as_str()))
        };
        has(DO) && has(&["which", "who", "welche", "welcher", "welches", "wer"])
    }

    /// "How many rooms are taken?": those that are, which nothing says.
    fn is_state_taken(&self) -> bool {
        let text = |at: usize| self.span(at).map(|span| span.text.to_lowercase());
        let is = ["are", "is", "were", "was", "been"];
        (1..self.spans.len()).any(|at| {
            text(at).is_some_and(|text| text == "taken")
                && text(at - 1).is_some_and(|text| is.contains(&text.as_str()))
                && self.after(at).is_none()
                && self.periods.is_empty()
                && self.groups.is_empty()
        })
    }

    /// "What is the highest price of our products?": a figure, not the thing that has it.
    fn asks_extreme(&self) -> bool {
        let Some(rank) = self.rank.filter(|rank| rank.limit.is_none()) else {
            return false;
        };
        let next = (rank.at + 1..self.spans.len()).find(|at| !self.is_filler(*at));
        let is_name = |at: &usize| {
            !self.is_used(*at) && (self.is_noun(*at) || !self.columns_of(*at).is_empty())
        };
        matches!(rank.concept, Concept::Highest | Concept::Lowest)
            && !(0..rank.at).any(|at| is_name(&at))
            && !self.has(Concept::Average)
            && !self.has(Concept::Sum)
            && next.is_some_and(|next| {
                !self.is_noun(next)
                    && self.span(next).is_some_and(|span| span.concept.is_none())
                    && !self.numeric_columns(next).is_empty()
            })
    }

    fn has_several_functions(&self) -> bool {
        let is_function = |span: &Span| {
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
        // "the highest total revenue" is one figure that is ranked.
        let is_ranked = |at: usize| {
            [Concept::Highest, Concept::Lowest]
                .iter()
                .any(|one| self.is(at, *one))
                && self.span(at + 1).is_some_and(|next| {
                    let figures = [Concept::Average, Concept::Sum, Concept::Median];
                    figures.iter().any(|one| next.is(*one))
                })
        };
        let all = self.spans.iter().enumerate();
        let own = all.filter(|(at, span)| is_function(span) && !is_ranked(*at));
        own.count() > 1
    }

    /// "Which cities do our students live in?": values of a column, not rows.
    fn asks_values(&self, noun: usize, subject: usize) -> bool {
        let first = (0..self.spans.len()).find(|at| !self.is_filler(*at));
        let asks = self.spans.first().is_some_and(|span| {
            let text = span.text.to_lowercase();
            words!(
                "which, what, welche, in which, from which, in what, aus welchen, show, \
                 list, find, give, zeig"
            )
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
        let asks_who = self.spans.iter().any(Span::asks_who);
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
        if self.find(Concept::OutOfStock).is_some() {
            let stocked = self.stock_columns();
            let mut tables = stocked.iter().map(|(table, _)| *table);
            if let Some(table) = tables.next()
                && tables.all(|other| other == table)
                && self.schema.has_name(table)
            {
                self.note_kind(table);
                self.finish_conditions(Some(table))?;
                return self.list(table, Vec::new(), None);
            }
        }
        if let Some(query) = self.figure_of_named()? {
            return Ok(query);
        }
        let of_values = self.tables_of_values();
        let mut found: Vec<(usize, usize, usize)> = Vec::new();
        for at in 0..self.spans.len() {
            if self.is_used(at) || self.span(at).is_none_or(|span| span.concept.is_some()) {
                continue;
            }
            let mut columns = self.columns_of(at);
            // "the phone number of Nancy Edwards": of the table that has her.
            if !of_values.is_empty() {
                columns.retain(|(table, _, _)| of_values.contains(table));
            }
            // "countries with two customers": that of the customers.
            if let [Asked::Counted { table: counted, .. }] = self.asked.as_slice()
                && columns.iter().any(|(table, column, _)| {
                    table == counted && !self.schema.is_reference(*table, *column)
                })
            {
                columns.retain(|(table, ..)| table == counted);
            }
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
        if let Some(query) = self.values_with_rows(&found)? {
            return Ok(query);
        }
        let Some((_, table, _)) = found.first().copied() else {
            return stop("what is asked for is not clear");
        };
        // "quantity on hand of oak boards in Linz": a row for each thing in each place.
        let is_of_named = (0..self.spans.len()).any(|at| !self.values_of(at).is_empty());
        if let [(at, _, column)] = found.as_slice()
            && is_of_named
            && !self.schema.has_name(table)
            && self.stock_columns().contains(&(table, *column))
        {
            self.take(*at);
            self.finish_conditions(Some(table))?;
            let figure = self.schema.own_column(table, *column, Vec::new());
            return self.list(table, figure.into_iter().collect(), None);
        }
        let is_list = self.verbs().iter().all(|(at, _)| self.is_used(*at));
        if !is_list || found.iter().any(|(_, other, _)| *other != table) {
            return stop("what is asked for is not clear");
        }
        let is_of_value = (0..self.spans.len()).any(|at| {
            self.values_of(at)
                .iter()
                .any(|name| matches!(name.kind, NameKind::Value(of, _, _) if of == table))
        });
        let is_of_all = is_of_value
            || self.has(Concept::Distinct)
            || self
                .spans
                .iter()
                .any(|span| span.text.eq_ignore_ascii_case("all"));
        if !is_of_all
            && found
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
            match self.person_of(at, table, column) {
                Some(names) => shown.extend(names),
                None => shown.extend(self.schema.own_column(table, column, Vec::new())),
            }
        }
        self.finish_conditions(Some(table))?;
        self.values_list(table, shown)
    }

    /// That rows of a table are asked for which nothing names.
    fn note_kind(&mut self, table: usize) {
        let says = format!("what is asked for is table {}", self.table_name(table));
        self.says(says, true);
    }

    /// The tables that have all the values of the question.
    pub(super) fn tables_of_values(&self) -> Vec<usize> {
        let mut common: Option<Vec<usize>> = None;
        for at in 0..self.spans.len() {
            let values = self.values_of(at);
            if values.is_empty() || self.is_used(at) || !self.columns_of(at).is_empty() {
                continue;
            }
            let own = values.iter().filter_map(|name| match name.kind {
                NameKind::Value(table, _, _) => Some(table),
                _ => None,
            });
            let own: Vec<usize> = own.collect();
            common = Some(match common {
                None => own,
                Some(before) => before
                    .into_iter()
                    .filter(|table| own.contains(table))
                    .collect(),
            });
        }
        common.unwrap_or_default()
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
            let is_plain = self.span(at).is_some_and(|span| {
                span.concept.is_none()
                    || span.is(Concept::List)
                    || span.is(Concept::Verb("cost")) && !self.columns_of(at).is_empty()
            });
            if self.is_used(at) || !is_plain || self.is_noun(at) {
                continue;
            }
            let follows_negation = self.before(at).is_some_and(|before| {
                [Concept::Not, Concept::Without, Concept::Never]
                    .iter()
                    .any(|concept| self.is(before, *concept))
            });
            if follows_negation || self.is_had(at) || self.had_number(at, subject).is_some() {
                continue;
            }
            // "the names of the brands" are the brands.
            let of = self.after(at).filter(|next| {
                !self.is_noun(*next)
                    && !self.columns_of(*next).is_empty()
                    && (at + 1..*next).any(|between| {
                        self.span(between).is_some_and(|span| {
                            matches!(span.text.as_str(), "of" | "der" | "von" | "des")
                        })
                    })
            });
            if self.is(at, Concept::List) && of.is_some() {
                self.take(at);
                continue;
            }
            let columns = self.columns_of(at);
            let next_is_value = self.after(at).is_some_and(|next| {
                self.values_of(next).iter().any(|name| match name.kind {
                    NameKind::Value(table, column, _) => {
                        columns.iter().any(|(t, c, _)| (*t, *c) == (table, column))
                    }
                    _ => false,
                })
            });
            let of_subject = columns.iter().filter(|(table, _, _)| *table == subject);
            let is_one = of_subject.count() == 1;
            let own = columns.iter().find(|(table, column, score)| {
                *table == subject
                    && (*score > 0.7 || is_one && *score > 0.6)
                    && !self.is_flag(*table, *column)
            });
            let next_is_number = self
                .span(at + 1)
                .is_some_and(|span| span.number.is_some() && span.names.is_empty());
            if let Some((table, column, _)) = own
                && !next_is_value
                && !next_is_number
                && let Some(name) = self.schema.own_column(*table, *column, Vec::new())
            {
                match self.person_of(at, *table, *column) {
                    Some(names) => shown.extend(names),
                    None => shown.push(name),
                }
                self.take(at);
                // "and" between columns.
                if let Some(and) = self.before(at).filter(|and| self.is(*and, Concept::And)) {
                    self.take(and);
                }
            } else if own.is_none() && !next_is_value && !next_is_number {
                shown.extend(self.shown_of_other(at, subject, &columns));
            }
        }
        // Rows are shown by their names in any case.
        for at in 0..self.spans.len() {
            if self.is(at, Concept::List) && self.schema.has_name(subject) {
                self.take(at);
            }
        }
        shown
    }

    /// The names of the row that a column refers to: nobody asks for the key of the head of a department.
    fn person_of(&self, at: usize, table: usize, column: usize) -> Option<Vec<ColumnRef>> {
        let of = self.schema.table(table)?;
        let own = &of.columns.get(column)?.name;
        let is_key = self
            .schema
            .column_words(table, column)
            .last()
            .is_some_and(|last| matches!(last.as_str(), "id" | "code" | "key" | "no" | "number"));
        let key = of
            .foreign_keys
            .iter()
            .find(|key| key.columns == [own.clone()])?;
        let other = self
            .schema
            .tables
            .iter()
            .position(|other| other.oid == key.target)?;
        if is_key || other == table || self.table_of(at).is_some() || !self.schema.has_name(other) {
            return None;
        }
        let step = text2sql_semantics::Step {
            to: table_ref(self.schema.table(other)?),
            key: vec![text2sql_semantics::Key {
                own: own.clone(),
                other: key.target_columns.first()?.clone(),
            }],
            fans_out: false,
        };
        let shown = self.schema.shown(other).into_iter();
        Some(
            shown
                .filter_map(|name| self.schema.own_column(other, name, vec![step.clone()]))
                .collect(),
        )
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
        self.read_same(subject);
        self.read_conditions(subject)?;
        self.read_missing(subject)?;
        self.read_had(subject);
        self.read_related(subject);
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
            let is_read = |other: Option<usize>| other.is_some_and(|other| self.is_used(other));
            if self.is(at, Concept::And)
                && is_read(self.before(at))
                && is_read(self.after(at))
                && self.measures.is_empty()
            {
                self.take(at);
            }
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
}
