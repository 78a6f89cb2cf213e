//! The parts of a question that stand by themselves: periods, groups, comparisons, ranks.

use super::*;
use text2sql_domain::words;

impl Composer<'_> {
    pub(crate) fn compose(&mut self) -> Result<SemanticQuery, Stop> {
        self.check_vague()?;
        for at in 0..self.spans.len() {
            if let Some(word) = self.span(at).and_then(|span| span.read_as.clone())
                && !self.is_filler(at)
            {
                let text = self
                    .span(at)
                    .map(|span| span.text.clone())
                    .unwrap_or_default();
                self.says(format!("'{text}' is read as {word}"), false);
            }
        }
        self.read_periods();
        self.read_groups()?;
        self.read_patterns()?;
        self.read_contained();
        self.read_comparisons()?;
        self.join_alternatives();
        self.read_sorting();
        self.read_equal_numbers();
        self.read_rank();
        self.read_listed_groups();
        let query = match self.read_form() {
            Ok(query) => query,
            Err(mut stop) => {
                stop.missing = self.unknown_words();
                return Err(stop);
            }
        };
        self.check_complete(&query)?;
        self.take_nouns_on_the_way(&query);
        let missing: Vec<String> = (0..self.spans.len())
            .filter(|at| !self.is_used(*at))
            .filter_map(|at| self.span(at).map(|span| span.text.clone()))
            .collect();
        if !missing.is_empty() {
            let unknown = self.unknown_words();
            let missing = if unknown.is_empty() { missing } else { unknown };
            return Err(Stop {
                readings: Vec::new(),
                missing,
                reason: "words are not explained",
            });
        }
        Ok(query)
    }

    /// Nothing that was read may be missing in the meaning.
    pub(super) fn check_complete(&self, query: &SemanticQuery) -> Result<(), Stop> {
        let is_grouped =
            matches!(&query.answer, Answer::Figures { dimensions, .. } if !dimensions.is_empty());
        if (!self.groups.is_empty() || self.is_for_each) && !is_grouped {
            return stop("groups of rows are not understood");
        }
        if self.having.is_some() {
            return stop("what is compared is not clear");
        }
        if self.sorted_by.is_some() && query.order.is_none() {
            return stop("what it is sorted by is not clear");
        }
        if counts_itself(query, self.schema) {
            return stop("what it is ranked by is not clear");
        }
        self.check_verbs(query)?;
        if self.rank.is_some() && query.order.is_none() && !self.has(Concept::When) {
            return stop("what is ranked is not clear");
        }
        Ok(())
    }

    /// "enrolled" of a table "enrollment" is about its rows.
    fn check_verbs(&self, query: &SemanticQuery) -> Result<(), Stop> {
        let meant = format!("{query:?}");
        for (at, verb) in self.verbs() {
            let Some(span) = self.span(at).filter(|_| matches!(verb, "relate" | "write")) else {
                continue;
            };
            let root = verb_root(&span.text.to_lowercase());
            let named = self.schema.tables.iter().enumerate().find(|(at, table)| {
                root.len() > 3
                    && self.schema.is_base(*at)
                    && words_of(&table.name)
                        .iter()
                        .any(|word| verb_root(word).starts_with(&root))
            });
            if let Some((_, table)) = named
                && !meant.contains(&format!("name: \"{}\"", table.name))
            {
                return stop("a verb is the name of a table");
            }
        }
        Ok(())
    }

    /// The question without its typing errors, if it has any.
    pub(crate) fn corrected(&self, text: &str) -> Option<String> {
        let mut corrected = text.to_owned();
        for span in &self.spans {
            if let Some(word) = &span.read_as {
                corrected = corrected.replacen(&span.text, word, 1);
            }
        }
        (corrected != text).then_some(corrected)
    }

    /// Words that neither the schema nor the lists have.
    pub(crate) fn unknown_words(&self) -> Vec<String> {
        let unknown = self.spans.iter().filter(|span| {
            span.concept.is_none()
                && span.names.is_empty()
                && span.number.is_none()
                && span.period.is_none()
                && !span.is_filler()
        });
        unknown.map(|span| span.text.clone()).collect()
    }

    /// Nouns that say what is counted or listed in other words, and restrict nothing: "the customer's orders".
    pub(super) fn take_nouns_on_the_way(&mut self, query: &SemanticQuery) {
        let place = self
            .schema
            .tables
            .iter()
            .position(|table| table_ref(table) == query.subject);
        let Some(grain) = place else { return };
        let meant = format!("{query:?}");
        for at in 0..self.spans.len() {
            let is_possessive = |at: usize| {
                self.span(at)
                    .is_some_and(|span| span.text.starts_with('\''))
            };
            let is_beside_noun = |at: usize| self.is_used(at) && self.is_noun(at);
            // "On which weekday do customers rent most?"
            let is_agent = self
                .span(at)
                .is_some_and(|span| span.text.ends_with(['s', 'n']))
                && self.after(at) == Some(at + 1)
                && self.is_used(at + 1)
                && matches!(
                    self.span(at + 1).and_then(|span| span.concept),
                    Some(Concept::Verb(
                        "order" | "buy" | "spend" | "pay" | "rent" | "book"
                    ))
                );
            // "product categories", where products refer to them.
            let is_first_of_two = is_beside_noun(at + 1)
                && self.table_of(at + 1) == Some(grain)
                && self
                    .table_of(at)
                    .is_some_and(|table| self.schema.reach(table, grain).is_some());
            let is_beside = is_agent
                || is_first_of_two
                || is_possessive(at + 1)
                || is_beside_noun(at + 1)
                || at > 0 && (is_beside_noun(at - 1) || is_possessive(at - 1));
            // "the revenue of orders" is over orders.
            if !self.is_used(at) && self.is_noun(at) && self.table_of(at) == Some(grain) {
                self.take(at);
            }
            let is_meant =
                |table: usize| meant.contains(&format!("name: \"{}\"", self.table_name(table)));
            let is_verb = self.span(at).is_some_and(|span| !span.text.ends_with('s'));
            if !self.is_used(at) && is_verb && self.table_of(at).is_some_and(is_meant) {
                self.take(at);
            }
            if !self.is_used(at)
                && is_beside
                && self.is_noun(at)
                && self.table_of(at).is_some_and(|table| {
                    is_first_of_two || self.schema.reach(grain, table).is_some()
                })
            {
                self.take(at);
            }
        }
    }

    pub(super) fn check_vague(&self) -> Result<(), Stop> {
        for at in 0..self.spans.len() {
            if self.is(at, Concept::Vague) && self.names(at).is_empty() {
                return stop("a word has several meanings");
            }
        }
        Ok(())
    }

    pub(super) fn read_periods(&mut self) {
        // "zwischen 2009 und 2011"
        for at in 0..self.spans.len() {
            let period = |at: usize| self.span(at).and_then(|span| span.period.clone());
            if self.is(at, Concept::Between)
                && self.is(at + 2, Concept::And)
                && let (Some(first), Some(last)) = (period(at + 1), period(at + 3))
            {
                self.periods.push(Period {
                    from: first.from,
                    before: last.before,
                });
                (at..at + 4).for_each(|at| self.take(at));
            }
        }
        for at in 0..self.spans.len() {
            if let Some(period) = self.span(at).and_then(|span| span.period.clone())
                && !self.is_used(at)
            {
                // "so far this year" is this year.
                let is_open = self.span(at).is_some_and(|span| {
                    words!("so far, bisher, bislang").contains(&span.text.to_lowercase().as_str())
                }) && self.span(at + 1).is_some_and(|next| next.period.is_some());
                if !is_open && !self.periods.contains(&period) {
                    self.periods.push(period);
                }
                self.take(at);
            }
        }
    }

    /// Whether the span is a column that measures: square meters, kilometres, litres.
    fn is_unit_of_measure(&self, at: usize) -> bool {
        let columns = self.columns_of(at);
        !self.is_noun(at)
            && columns.first().is_some_and(|(table, column, _)| {
                let words = self.schema.column_words(*table, *column);
                self.schema.is_numeric(*table, *column)
                    && words.iter().any(|word| {
                        words!(
                        "meter, meters, metres, sqm, m2, km, kilometers, kilometres, kg, litre, \
                             litres, liters, kwh, hours, minutes, seats"
                    )
                    .contains(&word.as_str())
                    })
            })
    }

    /// "by country", "for each store", "monthly".
    pub(super) fn read_groups(&mut self) -> Result<(), Stop> {
        let mut at = 0;
        while at < self.spans.len() {
            if let Some(Concept::Part(part)) = self.span(at).and_then(|span| span.concept) {
                self.groups.push(Group::Part(part));
                self.take(at);
            } else if self.is(at, Concept::By)
                || self.is(at, Concept::Each)
                || self.is_for_different(at)
            {
                let mut next = self.after(at);
                if next.is_none() && self.is(at, Concept::Each) {
                    self.take(at);
                    self.is_for_each = true;
                }
                let is_each = self.is(at, Concept::Each);
                if let Some(different) = next.filter(|next| self.is(*next, Concept::Distinct)) {
                    self.take(different);
                    next = self.after(different);
                    if !is_each && !self.is_used(at) {
                        self.take(at);
                    }
                }
                if let Some(each) = next.filter(|each| self.is(*each, Concept::Each)) {
                    self.take(at);
                    at = each;
                    next = self.after(at);
                }
                // "placed by customers" says who did it.
                let is_value = next
                    .is_some_and(|next| !self.values_of(next).is_empty() && !self.is_noun(next));
                let is_agent_allowed = is_each
                    || is_value
                    || self.is_for_different(at)
                    || next
                        .is_some_and(|next| next > at + 1 && self.is(next - 1, Concept::Distinct));
                let is_one = next.is_some_and(|next| self.is_numbered(next));
                if is_one {
                    self.take(at);
                    at += 1;
                    continue;
                }
                let is_by = self.span(at).is_some_and(|span| {
                    matches!(span.text.to_lowercase().as_str(), "by" | "von" | "durch")
                });
                let is_agent = is_by
                    && !is_agent_allowed
                    && (at.saturating_sub(2)..at).any(|before| {
                        let is_beside = (before + 1..at).all(|between| self.is_filler(between));
                        is_beside
                            && matches!(
                                self.span(before).and_then(|span| span.concept),
                                Some(Concept::Verb(
                                    "order"
                                        | "buy"
                                        | "spend"
                                        | "pay"
                                        | "rent"
                                        | "return"
                                        | "book"
                                        | "visit"
                                        | "relate"
                                        | "write"
                                ))
                            )
                    });
                if is_agent {
                    return stop("who did it is no group");
                }
                // "rent per square meter" is a ratio.
                let is_per = self.span(at).is_some_and(|span| {
                    matches!(span.text.to_lowercase().as_str(), "per" | "pro" | "je")
                });
                if is_per && next.is_some_and(|next| self.is_unit_of_measure(next)) {
                    return stop("a figure for each unit is not understood");
                }
                // "nach Frankreich"
                if next.is_some_and(|next| {
                    !self.values_of(next).is_empty()
                        && self.table_of(next).is_none()
                        && self.columns_of(next).is_empty()
                }) {
                    self.take(at);
                }
                let is_ranked = |at: usize| {
                    self.span(at).is_some_and(|span| {
                        span.concept.is_some_and(|one| {
                            matches!(
                                one,
                                Concept::Revenue
                                    | Concept::Units
                                    | Concept::Count
                                    | Concept::Sum
                                    | Concept::Average
                                    | Concept::Verb(_)
                            )
                        }) && (self.is(at, Concept::Revenue)
                            || self.is(at, Concept::Units)
                            || self.table_of(at).is_none())
                    })
                };
                if let Some(next) = next
                    && let Some(Concept::Part(_)) = self.span(next).and_then(|span| span.concept)
                {
                    self.take(at);
                } else if let Some(next) = next
                    && !is_each
                    && self.is_named_by_value(next)
                {
                    // "orders by customers in Germany" are those of each of them.
                    let is_from = (next..(next + 4).min(self.spans.len())).any(|at| {
                        self.span(at).is_some_and(|span| {
                            matches!(span.text.as_str(), "in" | "from" | "aus" | "im")
                        })
                    });
                    if !is_from {
                        self.take(at);
                    }
                } else if let Some(next) = next
                    && !is_ranked(next)
                    && (self.table_of(next).is_some() || !self.columns_of(next).is_empty())
                {
                    self.take(at);
                    self.add_group(next);
                    let mut last = next;
                    while let Some(and) = self.after(last).filter(|and| self.is(*and, Concept::And))
                        && let Some(more) = self.after(and)
                        && (self.table_of(more).is_some()
                            || !self.columns_of(more).is_empty()
                            || self.is_part(more))
                        && !is_ranked_later(self, more)
                    {
                        self.take(and);
                        if !self.is_part(more) {
                            self.add_group(more);
                        }
                        last = more;
                    }
                }
            }
            at += 1;
        }
        let is_dated = self
            .groups
            .iter()
            .any(|group| matches!(group, Group::Part(_)));
        if let Some(develop) = self.find(Concept::Develop).filter(|_| is_dated) {
            self.take(develop);
        }
        Ok(())
    }

    /// "for different departments"
    fn is_for_different(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.span(before));
        self.is(at, Concept::Distinct)
            && (before.is_some_and(|before| before.text.eq_ignore_ascii_case("for"))
                || at > 1
                    && before.is_some_and(|before| before.text.eq_ignore_ascii_case("the"))
                    && self
                        .span(at - 2)
                        .is_some_and(|span| span.text.eq_ignore_ascii_case("for")))
            && (0..at).any(|other| {
                let figures = [Concept::Count, Concept::Average, Concept::Sum];
                figures.iter().any(|figure| self.is(other, *figure))
            })
    }

    /// "the artist AC/DC", "the customer with first name Meaghan": one row, not a group for each.
    pub(super) fn is_named_by_value(&self, at: usize) -> bool {
        let mut next = at;
        for _ in 0..3 {
            let Some(following) = self.after(next) else {
                return false;
            };
            // "per article of Wildlife": each of them.
            let is_within = (next + 1..following).any(|at| {
                let span = self.span(at).map(|span| span.text.to_lowercase());
                matches!(span.as_deref(), Some("of" | "von"))
            });
            next = following;
            if is_within {
                return false;
            }
            if !self.values_of(next).is_empty() && self.table_of(next).is_none() {
                return next <= at + 4;
            }
            if self.columns_of(next).is_empty() {
                return false;
            }
        }
        false
    }

    /// "supplier 3", "supplier with id 2": one row, not a group for each.
    pub(super) fn is_numbered(&self, at: usize) -> bool {
        let is_number = |at: usize| {
            self.span(at)
                .is_some_and(|span| span.number.is_some() && span.names.is_empty())
        };
        let next = self.after(at);
        next.is_some_and(|next| {
            is_number(next)
                || !self.is_noun(next)
                    && !self.columns_of(next).is_empty()
                    && self.after(next) == Some(next + 1)
                    && is_number(next + 1)
        })
    }

    pub(super) fn is_part(&self, at: usize) -> bool {
        matches!(
            self.span(at).and_then(|span| span.concept),
            Some(Concept::Part(_))
        )
    }

    pub(super) fn add_group(&mut self, at: usize) {
        self.take(at);
        // "product category": the category, of products.
        let mut named = at;
        if let Some(next) = self.after(at).filter(|next| *next == at + 1)
            && self.span(next).is_some_and(|span| span.concept.is_none())
            && (self.table_of(next).is_some())
            && self.table_of(at).is_some()
        {
            self.take(next);
            named = next;
        }
        // "customer country": the column of the customers.
        let column = self.table_of(at).and_then(|table| {
            let shown = self.schema.shown(table);
            let own = self
                .columns_of(at + 1)
                .into_iter()
                .find(|(of, column, score)| {
                    *of == table && *score > 0.9 && !shown.contains(column)
                });
            own.filter(|_| named == at && !self.is_noun(at + 1) && !self.is_used(at + 1))
        });
        if let (Some((table, ..)), Some(span)) = (column, self.spans.get_mut(at + 1)) {
            span.names
                .retain(|name| matches!(name.kind, NameKind::Column(of, _) if of == table));
            named = at + 1;
            self.take(named);
        }
        if !self.groups.contains(&Group::Named(named)) {
            self.groups.push(Group::Named(named));
        }
    }

    /// "cities and the number of students": one figure for each.
    pub(super) fn read_listed_groups(&mut self) {
        let starts_with_count = (0..self.spans.len())
            .find(|at| !self.is_filler(*at))
            .is_some_and(|first| self.is(first, Concept::Count));
        if starts_with_count || self.rank.is_some() || !self.groups.is_empty() {
            return;
        }
        for and in 0..self.spans.len() {
            let is_joint = self.is(and, Concept::And)
                || self.span(and).is_some_and(|span| {
                    matches!(
                        span.text.to_lowercase().as_str(),
                        "with" | "along with" | "together with" | "mit"
                    )
                });
            if !is_joint || self.is_used(and) && !self.is_filler(and) {
                continue;
            }
            let is_figure = |at: &usize| {
                let figures = [
                    Concept::Count,
                    Concept::Average,
                    Concept::Sum,
                    Concept::Median,
                ];
                figures.iter().any(|figure| self.is(*at, *figure))
            };
            // "with us on average"
            let is_us = self
                .span(and + 1)
                .is_some_and(|span| matches!(span.text.to_lowercase().as_str(), "us" | "uns"));
            let Some(count) = self.after(and).filter(is_figure).filter(|_| !is_us) else {
                continue;
            };
            let counted = (count + 1..self.spans.len()).find(|at| self.is_noun(*at));
            if counted.is_none() && self.is(count, Concept::Count) {
                continue;
            }
            let is_name = |at: &usize| {
                !self.is_used(*at)
                    && !self.is(*at, Concept::List)
                    && self.span(*at).is_some_and(|span| span.concept.is_none())
                    && (self.is_noun(*at) || !self.columns_of(*at).is_empty())
            };
            let named: Vec<usize> = (0..and).filter(is_name).collect();
            let nouns: Vec<usize> = named
                .iter()
                .copied()
                .filter(|at| self.is_noun(*at))
                .collect();
            let group = match (named.as_slice(), nouns.as_slice()) {
                ([group], _) | (_, [group]) => *group,
                _ => continue,
            };
            let is_counted =
                counted.is_some_and(|counted| self.table_of(group) == self.table_of(counted));
            if self.is_noun(group) && is_counted {
                continue;
            }
            self.take(and);
            for at in 0..and {
                if self.is(at, Concept::List) {
                    self.take(at);
                }
            }
            self.add_group(group);
            return;
        }
    }

    /// Whether people are asked for who work somewhere: for how long they have been there.
    fn is_of_service(&mut self, rank: usize) -> bool {
        let works = [Concept::Verb("work"), Concept::Verb("hire")];
        let work = (0..rank).find(|at| works.iter().any(|one| self.is(*at, *one)));
        let is_hired = |at: &usize| {
            let mut tables =
                (0..self.schema.tables.len()).filter(|table| self.schema.is_base(*table));
            tables.any(|table| self.date_of_verb(table, *at, "hire").is_some())
        };
        let Some(at) = work.filter(is_hired) else {
            return false;
        };
        if let Some(span) = self.spans.get_mut(at) {
            span.concept = Some(Concept::Verb("hire"));
        }
        true
    }

    /// "top 10", "which three … most", "the highest".
    pub(super) fn read_rank(&mut self) {
        const RANKS: &[Concept] = &[
            Concept::Top,
            Concept::Bottom,
            Concept::Most,
            Concept::Fewest,
            Concept::Highest,
            Concept::Lowest,
            Concept::Dear,
            Concept::Cheap,
            Concept::Newest,
            Concept::Oldest,
            Concept::Long,
            Concept::Short,
            Concept::Heavy,
            Concept::Light,
        ];
        let found = RANKS.iter().find_map(|concept| {
            let at = self.find(*concept)?;
            Some((at, *concept))
        });
        let Some((mut at, mut concept)) = found else {
            return;
        };
        // "last revised before June"
        let is_last = self
            .span(at)
            .is_some_and(|span| span.text.eq_ignore_ascii_case("last"));
        if is_last
            && !self.periods.is_empty()
            && self
                .verbs()
                .iter()
                .any(|(verb, name)| *verb == at + 1 && *name == "done")
        {
            self.take(at);
            return;
        }
        // "top 10 longest songs"
        if matches!(concept, Concept::Top | Concept::Bottom)
            && let Some((other, by)) = RANKS
                .iter()
                .skip(2)
                .find_map(|concept| Some((self.find(*concept)?, *concept)))
        {
            self.take(at);
            (at, concept) = (other, by);
        }
        let number = (0..self.spans.len()).find(|number| {
            !self.is_used(*number)
                && self
                    .span(*number)
                    .is_some_and(|span| span.number.is_some() && span.names.is_empty())
        });
        let limit = number.and_then(|number| self.span(number)?.number.clone()?.parse().ok());
        if limit.is_some()
            && let Some(number) = number
        {
            self.take(number);
        }
        // "Who has been working here the longest?"
        if matches!(concept, Concept::Long | Concept::Short) && self.is_of_service(at) {
            concept = match concept {
                Concept::Long => Concept::Oldest,
                _ => Concept::Newest,
            };
        }
        self.rank = Some(Rank { at, concept, limit });
    }
}

/// Whether each row is counted by itself, which is one: "the biggest order" is not the one with the most orders.
fn counts_itself(query: &SemanticQuery, schema: &Schema<'_>) -> bool {
    let Answer::Figures {
        measures,
        dimensions,
    } = &query.answer
    else {
        return false;
    };
    let mut tables = schema.tables.iter();
    let key = tables.find(|table| table_ref(table) == query.subject);
    let key = key
        .map(|table| table.primary_key.as_slice())
        .unwrap_or_default();
    let is_own = |dimension: &Dimension| match dimension {
        Dimension::Entity { key: own, .. } => {
            !key.is_empty()
                && own.len() == key.len()
                && own
                    .iter()
                    .all(|one| one.path.is_empty() && key.contains(&one.column))
        }
        _ => false,
    };
    let is_count = |measure: &Measure| matches!(&measure.value, Value::Aggregate(one) if one.function == Function::Count && one.of.is_none());
    measures.iter().all(is_count) && dimensions.iter().any(is_own)
}
