//! The parts of a question that stand by themselves: periods, groups, comparisons, ranks.

use super::*;

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
        self.read_comparisons()?;
        self.join_alternatives();
        self.read_sorting();
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
            return Err(Stop {
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
        if !self.groups.is_empty() && !is_grouped {
            return stop("groups of rows are not understood");
        }
        if self.having.is_some() {
            return stop("what is compared is not clear");
        }
        if self.sorted_by.is_some() && query.order.is_none() {
            return stop("what it is sorted by is not clear");
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
                    && crate::table_names::words_of(&table.name)
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
    pub(super) fn unknown_words(&self) -> Vec<String> {
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
        for at in 0..self.spans.len() {
            let is_possessive = |at: usize| {
                self.span(at)
                    .is_some_and(|span| span.text.starts_with('\''))
            };
            let is_beside_noun = |at: usize| self.is_used(at) && self.is_noun(at);
            let is_beside = is_possessive(at + 1)
                || is_beside_noun(at + 1)
                || at > 0 && (is_beside_noun(at - 1) || is_possessive(at - 1));
            if !self.is_used(at)
                && is_beside
                && self.is_noun(at)
                && self
                    .table_of(at)
                    .is_some_and(|table| self.schema.reach(grain, table).is_some())
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
        for at in 0..self.spans.len() {
            if let Some(period) = self.span(at).and_then(|span| span.period.clone()) {
                if !self.periods.contains(&period) {
                    self.periods.push(period);
                }
                self.take(at);
            }
        }
    }

    /// "by country", "for each store", "monthly".
    pub(super) fn read_groups(&mut self) -> Result<(), Stop> {
        let mut at = 0;
        while at < self.spans.len() {
            if let Some(Concept::Part(part)) = self.span(at).and_then(|span| span.concept) {
                self.groups.push(Group::Part(part));
                self.take(at);
            } else if self.is(at, Concept::By) || self.is(at, Concept::Each) {
                let mut next = self.after(at);
                if let Some(each) = next.filter(|each| self.is(*each, Concept::Each)) {
                    self.take(at);
                    at = each;
                    next = self.after(at);
                }
                // "placed by customers" says who did it.
                let is_agent = (at.saturating_sub(2)..at).any(|before| {
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
                    && !is_ranked(next)
                    && !self.is_named_by_value(next)
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

    /// "the artist AC/DC", "the customer with first name Meaghan": one row, not a group for each.
    pub(super) fn is_named_by_value(&self, at: usize) -> bool {
        let mut next = at;
        for _ in 0..3 {
            let Some(following) = self.after(next) else {
                return false;
            };
            next = following;
            if !self.values_of(next).is_empty() && self.table_of(next).is_none() {
                return next <= at + 4;
            }
            if self.columns_of(next).is_empty() {
                return false;
            }
        }
        false
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
        if !self.groups.contains(&Group::Named(named)) {
            self.groups.push(Group::Named(named));
        }
    }

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
            let Some(next) = self.after(at) else { continue };
            let number = self.span(next).and_then(|span| span.number.clone());
            let Some(low) = number else {
                if !self.compare_with_average(at, operator, next) {
                    self.compare_columns(at, operator, next);
                }
                continue;
            };
            let mut last = next;
            let mut high = None;
            if self.is(at, Concept::Between) {
                let Some(and) = self.after(next).filter(|and| self.is(*and, Concept::And)) else {
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
            let is_money = unit.is_some_and(|unit| self.is(unit, Concept::Money));
            if let Some(unit) = unit
                && (self.is(unit, Concept::Times))
            {
                self.take(unit);
                let Some(sales) = self.event_of_verbs() else {
                    return stop("what happened is not clear");
                };
                self.asked.push(Asked::Counted {
                    table: sales,
                    operator,
                    number: low,
                });
                continue;
            }
            if is_money && let Some(unit) = unit {
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
                self.asked.push(Asked::Number {
                    columns,
                    operator,
                    low,
                    high,
                });
                continue;
            }
            // The column before: "a price over 50", "cost more than 50".
            let column = (0..at).rev().take(3).find(|before| {
                !self.is_used(*before)
                    && (!self.numeric_columns(*before).is_empty()
                        || self.is(*before, Concept::Verb("cost")))
                    && !self.is(*before, Concept::Revenue)
            });
            match column {
                Some(before) => {
                    self.take(before);
                    let columns = match self.is(before, Concept::Verb("cost")) {
                        true => self.price_columns(),
                        false => self.numeric_columns(before),
                    };
                    let (low, high) = self.in_their_unit(&columns, is_money, low, high)?;
                    self.asked.push(Asked::Number {
                        columns,
                        operator,
                        low,
                        high,
                    });
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

    /// The amount of what stands before a comparison: "invoices over 15", "products between 10 and 20 dollars".
    pub(super) fn amount_before(&self, at: usize) -> Option<(usize, usize)> {
        let before = self.before(at).filter(|before| self.is_noun(*before))?;
        self.amount_of(self.table_of(before)?)
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
    fn compare_with_average(&mut self, at: usize, operator: Operator, next: usize) -> bool {
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
        let Some(named) = after.or(before) else {
            return false;
        };
        let columns = match self.is(named, Concept::Verb("cost")) {
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
    fn join_alternatives(&mut self) {
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
            let Some(count) = self
                .after(and)
                .filter(|next| self.is(*next, Concept::Count))
            else {
                continue;
            };
            let Some(counted) = (count + 1..self.spans.len()).find(|at| self.is_noun(*at)) else {
                continue;
            };
            let is_name = |at: &usize| {
                !self.is_used(*at)
                    && !self.is(*at, Concept::List)
                    && self.span(*at).is_some_and(|span| span.concept.is_none())
                    && (self.is_noun(*at) || !self.columns_of(*at).is_empty())
            };
            let named: Vec<usize> = (0..and).filter(is_name).collect();
            let [group] = named.as_slice() else { continue };
            let group = *group;
            if self.is_noun(group) && self.table_of(group) == self.table_of(counted) {
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
        self.rank = Some(Rank { at, concept, limit });
    }
}
