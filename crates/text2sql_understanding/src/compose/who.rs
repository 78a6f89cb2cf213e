//! Who or what is ranked: the people of a verb, one or several, and what was done to what is counted.

use super::*;

impl Composer<'_> {
    /// What the last date is asked of: "when did we last sell something", or the first noun.
    pub(super) fn dated_last(&self) -> Option<(usize, Option<usize>)> {
        let event = self
            .verbs()
            .into_iter()
            .find_map(|(_, verb)| self.event_of(verb));
        let noun = self.first_noun();
        match (event, noun.and_then(|noun| self.table_of(noun))) {
            // "When did we last rent a copy?" names what is rented.
            (Some(event), of) if of != Some(event) => {
                let is_object = |of: &usize| self.schema.reach(event, *of).is_some();
                Some((event, noun.filter(|_| of.as_ref().is_some_and(is_object))))
            }
            (_, of) => Some((of?, noun)),
        }
    }

    /// "Who rented the most films?", "Who has the most invoices?": the people nearest to what is counted.
    pub(super) fn who_of(&mut self, rank: Rank, subject: Option<usize>) -> Option<usize> {
        let who = self.spans.iter().take(2).position(Span::asks_who)?;
        let is_counting = matches!(rank.concept, Concept::Most | Concept::Fewest);
        let is_first = (who..rank.at).all(|at| !self.is_noun(at));
        let event = self.verbs().into_iter().find_map(|(_, verb)| {
            let is_buying = matches!(verb, "buy" | "order" | "rent" | "spend" | "pay" | "book");
            self.event_of(verb).map(|event| (event, is_buying))
        });
        let is_selling = event.is_some_and(|(_, is_buying)| !is_buying);
        if !is_counting || !is_first || is_selling {
            return None;
        }
        let counted = match event {
            Some((event, _)) => event,
            None => self.table_of(subject?)?,
        };
        let table = match event {
            Some(_) => self.party_of(counted),
            None => self.nearest(counted, |at| {
                self.schema.shown(at).len() == 2 || self.is_party(at)
            }),
        }?;
        let span = self.spans.get_mut(who)?;
        span.concept = None;
        span.names = vec![Name {
            kind: NameKind::Table(table),
            score: 1.0,
        }];
        self.note_table(who, table);
        Some(who)
    }

    /// "Who is Ann Miller's boss?": the row of the same table that hers refers to.
    pub(super) fn boss_of_named(&mut self) -> Result<Option<SemanticQuery>, Stop> {
        let is_boss = |span: &Span| {
            let names_table = |name: &Name| matches!(name.kind, NameKind::Table(_));
            canonical(&span.text.to_lowercase()) == canonical("boss")
                && !span.names.iter().any(names_table)
        };
        let boss = self.spans.iter().position(is_boss);
        let of_values = self.tables_of_values();
        let mut staff = of_values.into_iter().filter_map(|table| {
            let step = self.schema.own_reference(table)?;
            Some((table, step))
        });
        let (Some(at), Some((table, step)), None) = (boss, staff.next(), staff.next()) else {
            return Ok(None);
        };
        self.take(at);
        self.finish_conditions(Some(table))?;
        let names = self.schema.shown(table).into_iter();
        let shown = names
            .filter_map(|column| self.schema.own_column(table, column, vec![step.clone()]))
            .collect();
        let mut query = self.list(table, shown, None)?;
        if let Answer::Rows { columns, .. } = &mut query.answer {
            for shown in columns {
                if let Expression::Column(column) = &shown.value
                    && !column.path.is_empty()
                {
                    shown.name = Some(format!("boss_{}", column.column));
                }
            }
        }
        Ok(Some(query))
    }

    /// The parties that rows of the table refer to: customers, guests, patients.
    pub(super) fn party_of(&self, event: usize) -> Option<usize> {
        self.nearest(event, |at| self.is_party(at))
    }

    /// The one table of that kind that is clearly nearest to rows of another one.
    fn nearest(&self, from: usize, is_meant: impl Fn(usize) -> bool) -> Option<usize> {
        let mut found: Vec<(usize, usize)> = (0..self.schema.tables.len())
            .filter(|at| *at != from && self.schema.is_base(*at) && is_meant(*at))
            .filter_map(|at| Some((self.schema.reach(from, at)?.cost, at)))
            .collect();
        found.sort_unstable();
        match found.as_slice() {
            [(_, only)] => Some(*only),
            [(one, first), (other, _), ..] if one + 5 < *other => Some(*first),
            _ => None,
        }
    }

    /// The parties of what a verb says that they do: those who buy, rent or book.
    pub(super) fn party_of_verbs(&self) -> Option<usize> {
        let event = self.verbs().into_iter().find_map(|(_, verb)| {
            let is_buying = matches!(
                verb,
                "buy" | "order" | "rent" | "spend" | "pay" | "book" | "visit"
            );
            self.event_of(verb).filter(|_| is_buying)
        })?;
        self.party_of(event)
    }

    /// "Who": the one table of people with a date for what a verb says, the verb and the date.
    fn person_with_date(&self) -> Option<(usize, usize, usize)> {
        let mut found = Vec::new();
        for (at, verb) in self.verbs() {
            for table in 0..self.schema.tables.len() {
                if self.schema.is_base(table)
                    && self.schema.shown(table).len() == 2
                    && self.schema.has_name(table)
                    && let Some(date) = self.date_of_verb(table, at, verb)
                {
                    found.push((at, table, date));
                }
            }
        }
        match found.as_slice() {
            [only] if self.spans.iter().any(Span::asks_who) => Some(*only),
            _ => None,
        }
    }

    /// "Who was hired first?": the one table of people with a date for the verb.
    pub(super) fn person_of_date(
        &mut self,
        rank: Rank,
        is_descending: bool,
    ) -> Result<SemanticQuery, Stop> {
        let Some((at, table, date)) = self.person_with_date() else {
            return stop("what is ranked is not clear");
        };
        self.take(at);
        self.finish_conditions(Some(table))?;
        let Some(value) = self.schema.own_column(table, date, Vec::new()) else {
            return stop("no such column");
        };
        self.asked.push(Asked::Missing {
            table,
            column: date,
            is_negated: true,
        });
        let order = Order {
            by: OrderBy::Value(Expression::Column(value.clone())),
            is_descending,
            limit: rank.limit.or(Some(1)),
        };
        self.list(table, vec![value], Some(order))
    }

    /// "our best-selling film": one of them.
    pub(super) fn is_about_one(&self) -> bool {
        let text = |at: usize| self.span(at).map(|span| span.text.to_lowercase());
        let says = |words: &[&str]| {
            let mut texts = (0..self.spans.len()).filter_map(text);
            texts.any(|text| words.contains(&text.as_str()))
        };
        let named = self.groups.iter().find_map(|group| match group {
            Group::Named(at) => self.table_of(*at).zip(text(*at)),
            Group::Part(_) => None,
        });
        let is_singular = named.is_some_and(|(table, text)| {
            let name = self.table_name(table).to_lowercase();
            text2sql_language::names::singular(&name) == text
        });
        is_singular
            || says(&["is", "was", "ist", "war"]) && !says(&["are", "were", "sind", "waren"])
    }

    /// "films that came back": the one table of events with a day on which that was.
    fn returned(&self, at: usize, verb: &str) -> Option<usize> {
        let mut dated = (0..self.schema.tables.len()).filter(|table| {
            self.schema.is_base(*table)
                && money::is_event(self.schema, *table)
                && self.date_of_verb(*table, at, verb).is_some()
        });
        dated
            .next()
            .filter(|_| verb == "return" && dated.next().is_none())
    }

    /// "rented the most films": the rentals, each of which is of one film.
    pub(super) fn done_to(&mut self, table: usize) -> Option<usize> {
        if self.has(Concept::Distinct) || self.is_party(table) {
            return None;
        }
        let event = self.verbs().into_iter().find_map(|(at, verb)| {
            let event = self
                .event_of(verb)
                .or_else(|| self.returned(at, verb))
                .filter(|event| *event != table)?;
            let reached = self.schema.reach(event, table)?;
            (!reached.path.is_empty()).then_some(event)
        })?;
        let says = format!(
            "{} are counted by {}",
            self.table_name(table),
            self.table_name(event)
        );
        self.says(says, true);
        Some(event)
    }
}
