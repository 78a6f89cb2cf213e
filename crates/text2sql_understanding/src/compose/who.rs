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
            (Some(event), of) if of != Some(event) => Some((event, None)),
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
        let mut people: Vec<(usize, usize)> = (0..self.schema.tables.len())
            .filter(|at| *at != counted && self.schema.is_base(*at))
            .filter(|at| self.schema.shown(*at).len() == 2 || self.is_party(*at))
            .filter(|at| event.is_none() || self.is_party(*at))
            .filter_map(|at| Some((self.schema.reach(counted, at)?.cost, at)))
            .collect();
        people.sort_unstable();
        let table = match people.as_slice() {
            [(_, only)] => *only,
            [(one, first), (other, _), ..] if one + 5 < *other => *first,
            _ => return None,
        };
        let span = self.spans.get_mut(who)?;
        span.concept = None;
        span.names = vec![Name {
            kind: NameKind::Table(table),
            score: 1.0,
        }];
        self.note_table(who, table);
        Some(who)
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

    /// "rented the most films": the rentals, each of which is of one film.
    pub(super) fn done_to(&mut self, table: usize) -> Option<usize> {
        if self.has(Concept::Distinct) || self.is_party(table) {
            return None;
        }
        let event = self.verbs().into_iter().find_map(|(_, verb)| {
            let event = self.event_of(verb).filter(|event| *event != table)?;
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
