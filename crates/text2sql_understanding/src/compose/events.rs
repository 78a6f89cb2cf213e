//! What verbs say of events: who bought, what was returned, who reports to whom.

use super::*;
use text2sql_domain::words;

impl Composer<'_> {
    /// Verbs that are not read yet.
    pub(super) fn read_verbs(&mut self, subject: Option<usize>) -> Result<(), Stop> {
        for (at, verb) in self.verbs() {
            if self.is_used(at) {
                continue;
            }
            let is_negated = self.negation_near_verb(at);
            if verb == "report" && !is_negated && self.read_report(at, subject) {
                continue;
            }
            let Some(subject) = subject else {
                // "how much did we sell": the verb says the measure, which is read.
                if words!("sell, earn, spend, buy, order, pay, live, work, write, relate")
                    .contains(&verb)
                    && !is_negated
                {
                    self.take(at);
                }
                continue;
            };
            if matches!(verb, "live" | "work" | "deliver" | "cost" | "report")
                && !is_negated
                && self.date_of_verb(subject, at, verb).is_none()
            {
                // "orders that were delivered", of which the data say nothing.
                let is_done = at.checked_sub(1).is_some_and(|before| {
                    self.span(before).is_some_and(|span| {
                        let text = span.text.to_lowercase();
                        matches!(text.as_str(), "was" | "were" | "been" | "wurde" | "wurden")
                    })
                });
                if verb == "live"
                    || verb == "work"
                    || verb == "deliver" && !is_done
                    || verb == "cost" && self.is_of_money(at)
                {
                    self.take(at);
                }
                continue;
            }
            if matches!(verb, "write" | "relate") && !is_negated {
                self.take(at);
                // "candidates who were assessed in 2014": there are assessments of that year.
                if !self.periods.is_empty()
                    && self
                        .measures
                        .iter()
                        .all(|one| one.what == What::Rows(subject))
                    && day_of(self.schema, subject).is_none()
                    && let Some(table) = self.event_of_root(at, subject)
                {
                    self.asked.push(Asked::Happened {
                        table,
                        is_negated: false,
                    });
                }
                continue;
            }
            let date = self.date_of_verb(subject, at, verb);
            if let Some(date) = date {
                self.take(at);
                let is_main = self.schema.main_date(subject) == Some(date);
                // "shipped by Speedy Express" says by whom, "that were shipped" that they were.
                let has_value =
                    (at + 1..self.spans.len()).any(|next| !self.values_of(next).is_empty());
                if is_negated {
                    self.asked.push(Asked::Missing {
                        table: subject,
                        column: date,
                        is_negated: false,
                    });
                } else if !self.periods.is_empty() {
                    for period in std::mem::take(&mut self.periods) {
                        self.asked.push(Asked::Days {
                            period,
                            by: Some((subject, date)),
                        });
                    }
                } else if self
                    .groups
                    .iter()
                    .any(|group| matches!(group, Group::Part(_)))
                {
                    self.day_of_verb = Some((subject, date));
                    let may_miss = self.schema.column(subject, date);
                    if may_miss.is_some_and(|column| !column.not_null) {
                        self.asked.push(Asked::Missing {
                            table: subject,
                            column: date,
                            is_negated: true,
                        });
                    }
                } else if !is_main
                    && !has_value
                    && self
                        .schema
                        .column(subject, date)
                        .is_some_and(|column| !column.not_null)
                {
                    self.asked.push(Asked::Missing {
                        table: subject,
                        column: date,
                        is_negated: true,
                    });
                }
                continue;
            }
            if date.is_none() && !is_negated && self.is_year_of_verb(subject, at, verb) {
                self.take(at);
                continue;
            }
            // "How many different books do we sell?": those that are offered, whether or not one was sold.
            let is_offered = verb == "sell"
                && !is_negated
                && self.periods.is_empty()
                && self.has(Concept::Count)
                && self.has(Concept::Distinct)
                && self.span(at).is_some_and(|span| {
                    words!("sell, verkaufen").contains(&span.text.to_lowercase().as_str())
                });
            if is_offered {
                self.take(at);
                let says = format!("{} count, sold or not", self.table_name(subject));
                self.says(says, true);
                continue;
            }
            let event = match verb {
                "sell" => self.line_of(subject).or_else(|| self.event_of(verb)),
                // What is not denied is a relation, which was read.
                "relate" | "write" => self.event_of_root(at, subject),
                _ => self.event_of(verb),
            };
            match event {
                None if matches!(verb, "issue" | "create" | "order" | "book")
                    && is_sale(self.schema, subject)
                    && !is_negated =>
                {
                    self.take(at)
                }
                None if !is_negated && self.is_about_value(verb) => self.take(at),
                Some(table) if table == subject => self.take(at),
                Some(table) if self.schema.reach(subject, table).is_some() && !is_negated => {
                    self.take(at)
                }
                Some(_) if matches!(verb, "buy" | "order" | "spend") && !self.may_buy(subject) => {
                    return stop("who did it is not clear");
                }
                Some(table) => {
                    if self.schema.reach(table, subject).is_none() {
                        // Through the lines of the sale.
                        let Some(line) = self.line_of(subject) else {
                            return stop("a verb is not related");
                        };
                        self.take(at);
                        self.asked.push(Asked::Happened {
                            table: line,
                            is_negated,
                        });
                        continue;
                    }
                    self.take(at);
                    let is_said = self.asked.iter().any(|one| matches!(one, Asked::Counted { table: counted, .. } if *counted == table));
                    let names_event = self.spans.iter().enumerate().any(|(other, _)| {
                        self.table_of(other) == Some(table) && self.is_used(other)
                    });
                    // "owners who have never been in with an animal" need have none.
                    if is_negated {
                        let way = self.tables_between(table, subject);
                        self.asked.retain(|one| {
                            !matches!(one, Asked::Happened { table, is_negated: false } if way.contains(table))
                        });
                    }
                    if !is_said && (!names_event || is_negated) {
                        self.asked.push(Asked::Happened { table, is_negated });
                    }
                }
                None if matches!(verb, "order" | "buy" | "sell" | "earn" | "spend")
                    && !is_negated
                    && !self.measures.is_empty() =>
                {
                    self.take(at)
                }
                None if !is_negated
                    && (self.leads_to_value(at, subject)
                        || self.made_some(at, verb)
                        || matches!(verb, "spend" | "earn" | "pay") && self.is_of_money(at)) =>
                {
                    self.take(at)
                }
                None => return stop("a verb is not understood"),
            }
            // "anything", "an order": what was ordered is no condition.
            for other in 0..self.spans.len() {
                if !self.is_used(other)
                    && self.table_of(other).is_some()
                    && self.table_of(other) == event
                {
                    self.take(other);
                }
                let is_thing = self.span(other).is_some_and(|span| {
                    matches!(
                        span.text.to_lowercase().as_str(),
                        "anything" | "something" | "etwas" | "nichts" | "irgendetwas"
                    )
                });
                if is_thing {
                    self.take(other);
                }
            }
        }
        Ok(())
    }

    /// The tables that the way from one table to another one goes through.
    fn tables_between(&self, from: usize, to: usize) -> Vec<usize> {
        let path = self.schema.reach(from, to).map(|reached| reached.path);
        let names: Vec<String> = path
            .into_iter()
            .flatten()
            .map(|step| step.to.name)
            .collect();
        let is_on = |at: &usize| *at != to && names.contains(&self.table_name(*at));
        (0..self.schema.tables.len()).filter(is_on).collect()
    }

    /// "released in 2010", where rows have only `release_year`.
    fn is_year_of_verb(&self, subject: usize, at: usize, verb: &str) -> bool {
        let root = self
            .span(at)
            .map(|span| verb_root(&span.text.to_lowercase()));
        let words = self
            .schema
            .year_column(subject)
            .map(|column| self.schema.column_words(subject, column));
        let like = lexicon::dates_of(verb);
        let is_said = !self.periods.is_empty() || !self.groups.is_empty();
        is_said
            && words.into_iter().flatten().any(|word| {
                // "campuses founded before 1900", of which only a year is known.
                let is_only = word == "year" && matches!(verb, "open" | "launch");
                Some(verb_root(word)) == root
                    || like.contains(&word.as_str())
                    || is_only && self.schema.has_name(subject)
            })
    }

    /// "report to Ann": the values are those of the row that a row of the subject refers to.
    pub(super) fn read_report(&mut self, at: usize, subject: Option<usize>) -> bool {
        // "Who does Ann report to?" asks for the boss.
        let is_before = (0..at).any(|before| !self.values_of(before).is_empty());
        if is_before {
            return false;
        }
        let Some(subject) = subject.filter(|at| self.schema.own_reference(*at).is_some()) else {
            return false;
        };
        let is_own = |names: &[Name]| {
            names
                .iter()
                .any(|name| matches!(name.kind, NameKind::Value(table, _, _) if table == subject))
        };
        let mut above = Vec::new();
        self.asked.retain(|one| match one {
            Asked::Values {
                names,
                is_negated: false,
                ..
            } => match names.as_slice() {
                [only] if is_own(only) => {
                    above.push(only.clone());
                    false
                }
                _ => true,
            },
            _ => true,
        });
        if above.is_empty() {
            return false;
        }
        self.take(at);
        self.asked
            .extend(above.into_iter().map(|names| Asked::Above {
                table: subject,
                names,
            }));
        true
    }

    /// Whether the most of it is one of the highest, not the highest sum: a salary.
    pub(super) fn is_pay(&self, columns: &[(usize, usize)]) -> bool {
        columns.iter().any(|(table, column)| {
            let words = self.schema.column_words(*table, *column);
            words
                .iter()
                .any(|word| matches!(word.as_str(), "salary" | "wage" | "income" | "pay"))
        })
    }

    /// Whether rows of the table buy: customers, in whatever word.
    pub(super) fn is_party(&self, subject: usize) -> bool {
        let parties = words!(
            "customer, user, guest, patient, company, account, household, passenger, \
             student, person, member"
        );
        let words = self.schema.table_words(subject);
        parties
            .iter()
            .any(|party| words.contains(&canonical(party)))
    }

    /// Whether rows of the table buy, or are bought: a customer, or what the lines of sales refer to.
    pub(super) fn may_buy(&self, subject: usize) -> bool {
        let sales = sales_table(self.schema);
        self.is_party(subject)
            || self
                .line_of(subject)
                .is_some_and(|line| Some(line) != sales)
    }

    /// Whether a value is of a column that the verb is about: "pay by credit card" of payment_method.
    pub(super) fn is_about_value(&self, verb: &str) -> bool {
        self.asked.iter().any(|one| match one {
            Asked::Values { names, .. } => names.iter().flatten().any(|name| match name.kind {
                NameKind::Value(table, column, _) => self
                    .schema
                    .column_words(table, column)
                    .iter()
                    .any(|word| word.starts_with(verb)),
                _ => false,
            }),
            _ => false,
        })
    }

    pub(super) fn negation_near_verb(&mut self, at: usize) -> bool {
        for other in at.saturating_sub(4)..(at + 3).min(self.spans.len()) {
            if [Concept::Not, Concept::Never]
                .iter()
                .any(|concept| self.is(other, *concept))
                && !self.is_used(other)
            {
                self.take(other);
                return true;
            }
        }
        false
    }

    /// "What does each department cost us in salaries?": a column of money that is named says what it costs.
    fn is_of_money(&self, verb: usize) -> bool {
        const MONEY: &[&str] = words!(
            "salary, wage, wages, pay, cost, price, amount, rate, fee, total, value, \
             budget, bonus, commission, rent, freight, tax"
        );
        let is_money = |one: &Measured| match &one.what {
            What::Column(columns) => columns.iter().all(|(table, column)| {
                let words = self.schema.column_words(*table, *column);
                words.iter().any(|word| MONEY.contains(&word.as_str()))
            }),
            _ => false,
        };
        // What was paid may be a state: some invoices are not.
        let is_done = self.span(verb).is_some_and(|span| {
            matches!(
                span.text.to_lowercase().as_str(),
                "paid" | "bezahlt" | "gezahlt"
            )
        });
        !is_done && !self.measures.is_empty() && self.measures.iter().all(is_money)
    }

    /// "ended with a yes": the next word that says something is a value of the rows themselves, which is read.
    fn leads_to_value(&self, verb: usize, subject: usize) -> bool {
        let Some(next) = self.after(verb).filter(|next| *next < verb + 4) else {
            return false;
        };
        let shown = self.schema.shown(subject);
        let is_own = |name: &Name| match name.kind {
            NameKind::Value(table, column, ref value) => {
                let is_word = value.chars().any(char::is_alphabetic);
                table == subject && is_word && !shown.contains(&column)
            }
            _ => false,
        };
        let values = self.values_of(next);
        let leaves = [
            Concept::Verb("leave"),
            Concept::Verb("return"),
            Concept::Verb("close"),
        ];
        !leaves.iter().any(|one| self.is(verb, *one))
            && self.is_used(next)
            && values.iter().any(is_own)
    }

    /// "released more than 10 albums": what came to be by the verb is counted.
    fn made_some(&self, verb: usize, of: &str) -> bool {
        let next = self.after(verb);
        let counts = next.is_some_and(|next| self.is_used(next) && self.is_comparison(next));
        let is_counted = |one: &Asked| matches!(one, Asked::Counted { .. });
        matches!(of, "launch" | "create" | "open" | "issue" | "write")
            && counts
            && self.asked.iter().any(is_counted)
    }

    /// "been here at least three times": the one table of events that refers to what is named before, which is said.
    pub(super) fn event_beside(&mut self, at: usize) -> Option<usize> {
        if self.verbs().iter().any(|(verb, _)| !self.is_used(*verb)) {
            return None;
        }
        let nouns: Vec<usize> = (0..at).filter(|at| self.is_noun(*at)).collect();
        // "patients who had appointments more than once"
        if let [_, noun] = nouns.as_slice() {
            self.take(*noun);
            return self.table_of(*noun);
        }
        let [noun] = nouns.as_slice() else {
            return None;
        };
        let subject = self.table_of(*noun)?;
        let is_event = |(table, reached): &(usize, crate::schema::Reached)| {
            reached.path.len() == 1 && money::is_event(self.schema, *table)
        };
        let referring = self.schema.referring(subject);
        let mut events = referring.iter().filter(|one| is_event(one));
        let (event, _) = events.next().filter(|_| events.next().is_none())?;
        let says = format!("times are counted by {}", self.table_name(*event));
        self.says(says, true);
        Some(*event)
    }

    /// The lines of sales that refer to the subject.
    pub(super) fn line_of(&self, subject: usize) -> Option<usize> {
        let sales = sales_table(self.schema)?;
        let mut referring = self.schema.referring(subject).into_iter();
        referring.find_map(|(at, reached)| {
            let is_line = at == sales
                || self
                    .schema
                    .reach(at, sales)
                    .is_some_and(|path| path.path.len() == 1);
            (is_line && !reached.is_tied).then_some(at)
        })
    }
}
