//! States that columns say, what is missing, and rows that are related.

use super::*;
use text2sql_domain::words;

impl Composer<'_> {
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
            let mut is_read = self.read_nobody(at, subject);
            for next in beside.into_iter().flatten() {
                if self.is_used(next) && self.table_of(next) != Some(subject) || is_read {
                    continue;
                }
                // "candidates who have not been assessed": the rows themselves are not missing.
                if next < at && self.is_used(next) && self.is_noun(next) {
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
                    let missing = Asked::Missing {
                        table: subject,
                        column,
                        is_negated: false,
                    };
                    self.asked.push(if self.is_flag(subject, column) {
                        Asked::Flag {
                            table: subject,
                            column,
                            is_negated: true,
                        }
                    } else if self.is_quantity(subject, column) {
                        // "without kids": the number is 0 or missing.
                        let none = Asked::Number {
                            columns: vec![(subject, column)],
                            operator: Operator::Equal,
                            low: "0".to_owned(),
                            high: None,
                        };
                        Asked::Any(vec![none, missing])
                    } else {
                        missing
                    });
                    is_read = true;
                } else if let Some(column) = self.reference_to(subject, next) {
                    self.take(at);
                    self.take(next);
                    self.asked.push(Asked::Missing {
                        table: subject,
                        column,
                        is_negated: false,
                    });
                    is_read = true;
                } else if let Some(table) = self.table_of(next).filter(|table| *table != subject)
                    && !self.is_other_event(at, table)
                    && (self.schema.reach(table, subject).is_some()
                        || self.schema.reach(subject, table).is_none()
                            && between(self.schema, table, subject).is_ok())
                {
                    self.take(at);
                    self.take(next);
                    for (verb, says) in self.verbs() {
                        // "who have not returned their rentals" have some.
                        if says == "return" && self.event_of(says) != Some(table) {
                            return stop("what is denied is not clear");
                        }
                        self.take(verb);
                    }
                    self.asked.push(Asked::Happened {
                        table,
                        is_negated: true,
                    });
                    is_read = true;
                    // Whether what follows is denied as well is not said.
                    let follows = (next + 1..self.spans.len())
                        .any(|other| !self.values_of(other).is_empty() && !self.is_noun(other));
                    if follows {
                        return stop("what is denied is not clear");
                    }
                }
            }
        }
        Ok(())
    }

    /// "appointments without a nurse": the one column of the rows that refers to the noun's table and may be empty.
    fn reference_to(&self, subject: usize, at: usize) -> Option<usize> {
        let table = self.table_of(at).filter(|_| self.is_noun(at))?;
        let target = self.schema.table(table)?.oid;
        let of = self.schema.table(subject)?;
        let mut keys = of.foreign_keys.iter().filter(|key| key.target == target);
        let (key, None) = (keys.next()?, keys.next()) else {
            return None;
        };
        let [name] = key.columns.as_slice() else {
            return None;
        };
        let column = of.columns.iter().position(|column| column.name == *name)?;
        // A crew beside the captain is another relation.
        let mut pairs = self.schema.pairs();
        let is_only =
            table != subject && !pairs.any(|(_, near, far)| near.to == subject && far.to == table);
        (is_only && !of.columns.get(column)?.not_null).then_some(column)
    }

    /// Whether the column says how many of them: `kids`. A limit of 0 is one.
    pub(super) fn is_quantity(&self, table: usize, column: usize) -> bool {
        let is_whole = self
            .schema
            .column(table, column)
            .is_some_and(|column| column.category == TypeCategory::Integer);
        let words = self.schema.column_words(table, column);
        let is_plural = |word: &String| {
            matches!(word.as_str(), "children" | "people")
                || word.ends_with('s') && stem(word) != *word
        };
        is_whole && !self.schema.is_key(table, column) && words.last().is_some_and(is_plural)
    }

    /// "Which allergies does nobody have?": the only table that refers to them has no row for it.
    fn read_nobody(&mut self, at: usize, subject: usize) -> bool {
        const NOBODY: &[&str] = &["nobody", "no one", "niemand", "niemandem"];
        let text = self.span(at).map(|span| span.text.to_lowercase());
        if !text.is_some_and(|text| NOBODY.contains(&text.as_str())) {
            return false;
        }
        if let Some((verb, table)) = self.done_by_nobody(at, subject) {
            self.take(at);
            self.take(verb);
            self.asked.push(Asked::Happened {
                table,
                is_negated: true,
            });
            return true;
        }
        let says_more = (at + 1..self.spans.len()).any(|next| {
            !self.is_filler(next)
                && !self.is_used(next)
                && self.span(next).is_none_or(|span| span.text != "have")
        });
        if says_more {
            return false;
        }
        let referring = self.schema.referring(subject);
        let mut near = referring
            .iter()
            .filter(|(_, reached)| reached.path.len() == 1);
        let (Some((table, _)), None) = (near.next(), near.next()) else {
            return false;
        };
        let table = *table;
        self.take(at);
        self.asked.push(Asked::Happened {
            table,
            is_negated: true,
        });
        true
    }

    /// "courses that nobody has signed up for": the verb, and the one table that is called by it or by enrolments.
    fn done_by_nobody(&self, nobody: usize, subject: usize) -> Option<(usize, usize)> {
        const ENROL: &[&str] = &["enrol", "regist", "attend", "particip", "booking", "reserv"];
        let done =
            (nobody + 1..self.spans.len()).filter(|at| !self.is_used(*at) || self.is_filler(*at));
        let mut of_root = done
            .clone()
            .filter_map(|at| Some((at, self.event_of_root(at, subject)?)));
        if let Some(found) = of_root.next() {
            return Some(found);
        }
        // "departments that nobody works in"
        let works = done.clone().find(|at| {
            ["work", "hire"]
                .iter()
                .any(|verb| self.is(*at, Concept::Verb(verb)))
        });
        if let Some(at) = works {
            let people = self.stand_in(lexicon::stand_ins("workers"), true)?;
            return (self.schema.reach(people, subject)?.path.len() == 1).then_some((at, people));
        }
        let at = done.into_iter().find(|at| {
            let verbs = ["create", "book", "relate", "visit"];
            verbs.iter().any(|verb| self.is(*at, Concept::Verb(verb)))
        })?;
        let is_enrolment = |table: &usize| {
            let words = self.schema.table(*table).map(|table| words_of(&table.name));
            let mut words = words.into_iter().flatten();
            let is_called = words.any(|word| ENROL.iter().any(|start| word.starts_with(start)));
            is_called && *table != subject && self.schema.is_base(*table)
        };
        let mut tables = (0..self.schema.tables.len())
            .filter(|table| is_enrolment(table) && self.schema.reach(*table, subject).is_some());
        let table = tables.next().filter(|_| tables.next().is_none())?;
        Some((at, table))
    }

    /// Whether something is had, and nothing says which: "who have a company", "mit einer Faxnummer".
    pub(super) fn is_had(&self, at: usize) -> bool {
        let text = |back: usize| {
            let span = at.checked_sub(back).and_then(|at| self.span(at));
            span.map(|span| span.text.to_lowercase())
                .unwrap_or_default()
        };
        let has_article =
            words!("a, an, any, ein, eine, einen, einer, einem").contains(&text(1).as_str());
        let has_verb = words!(
            "have, has, had, with, mit, haben, hat, get, gets, got, receive, receives, bekommt, \
             erhält, bekommen, erhalten"
        )
        .contains(&text(2).as_str());
        let is_received = matches!(
            text(1).as_str(),
            "bekommen" | "bekommt" | "erhalten" | "erhält"
        );
        let next = self.after(at);
        (has_article && has_verb || is_received)
            && next.is_none_or(|next| self.is(next, Concept::And))
    }

    /// "reservations with children": the column of the rows that says how many of them they have.
    pub(super) fn had_number(&self, at: usize, subject: usize) -> Option<usize> {
        let before = at.checked_sub(1).and_then(|before| self.span(before))?;
        let is_with = matches!(before.text.to_lowercase().as_str(), "with" | "mit");
        let is_last = self.after(at).is_none()
            && self
                .measures
                .iter()
                .all(|one| one.what == What::Rows(subject));
        let own = self
            .columns_of(at)
            .into_iter()
            .find(|(table, column, score)| {
                *table == subject && *score > 0.7 && self.is_quantity(*table, *column)
            });
        own.map(|(_, column, _)| column)
            .filter(|_| is_with && is_last)
    }

    /// Rows with a value of a column.
    pub(super) fn read_had(&mut self, subject: Option<usize>) {
        let Some(subject) = subject else { return };
        for at in 0..self.spans.len() {
            if self.is_used(at) || self.is_noun(at) {
                continue;
            }
            if let Some(column) = self.had_number(at, subject) {
                self.take(at);
                self.asked.push(Asked::Number {
                    columns: vec![(subject, column)],
                    operator: Operator::Greater,
                    low: "0".to_owned(),
                    high: None,
                });
                continue;
            }
            if !self.is_had(at) {
                continue;
            }
            let columns = self.columns_of(at).into_iter();
            let own = columns.filter(|(table, column, score)| {
                *table == subject && *score > 0.7 && !self.is_flag(*table, *column)
            });
            if let Some((table, column, _)) = own.max_by(|one, other| one.2.total_cmp(&other.2)) {
                self.take(at);
                // A commission of 0 is none.
                self.asked
                    .push(match self.schema.is_numeric(table, column) {
                        true => Asked::Number {
                            columns: vec![(table, column)],
                            operator: Operator::Greater,
                            low: "0".to_owned(),
                            high: None,
                        },
                        false => Asked::Missing {
                            table,
                            column,
                            is_negated: true,
                        },
                    });
            }
        }
    }

    /// "courses that have enrolled students", "customers with an account": rows of another table are related to it.
    pub(super) fn read_related(&mut self, subject: Option<usize>) {
        let Some(subject) = subject else { return };
        // A sum of which rows would not be said.
        if self
            .measures
            .iter()
            .any(|one| one.function == Function::Sum)
        {
            return;
        }
        for at in 0..self.spans.len() {
            let Some(table) = self.table_of(at).filter(|table| *table != subject) else {
                continue;
            };
            let text = |back: usize| {
                let span = at.checked_sub(back).and_then(|at| self.span(at));
                span.map(|span| span.text.to_lowercase())
                    .unwrap_or_default()
            };
            let has = |text: &str| words!("have, has, had, with, mit, haben, hat").contains(&text);
            let is_some =
                words!("a, an, any, some, at least one, enrolled").contains(&text(1).as_str());
            let is_of_value = self.asked.iter().any(|one| match one {
                Asked::Values { names, .. } => names
                    .iter()
                    .flatten()
                    .any(|name| matches!(name.kind, NameKind::Value(of, _, _) if of == table)),
                _ => false,
            });
            let is_had = has(&text(1)) || is_some && has(&text(2));
            let is_joined = self.has_relating_verb()
                && !matches!(text(1).as_str(), "their" | "its" | "his" | "her" | "the");
            if self.is_used(at)
                || !self.is_noun(at)
                || self.is_near_value(at)
                || self.asked.iter().any(|one| {
                    matches!(
                        one,
                        Asked::Happened {
                            is_negated: true,
                            ..
                        }
                    )
                })
                || is_of_value
                || !(is_had || is_joined)
                || self.schema.reach(subject, table).is_some()
                || between(self.schema, table, subject).is_err()
            {
                continue;
            }
            self.take(at);
            self.is_of_related = true;
            self.asked.push(Asked::Happened {
                table,
                is_negated: false,
            });
        }
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
            let words = words_of(&column.name);
            let named = words
                .iter()
                .any(|word| word.len() > 2 && canonical(word) == wanted);
            let reports =
                wanted == canonical("boss") && words.first().is_some_and(|word| word == "reports");
            // "manager_id" refers to one, whether that is declared or not.
            let is_role = words.len() == 2
                && words.last().is_some_and(|last| last == "id")
                && wanted == canonical("boss")
                && table.primary_key != [column.name.clone()];
            (is_reference || is_role) && (named || reports)
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
                    let columns = self.stock_columns();
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
                    if let Some(name) = subject.and_then(|subject| self.value_of_now(subject)) {
                        self.read_value(at, vec![name]);
                        continue;
                    }
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
                    } else if self.says_which(at) && self.periods.is_empty() {
                        return stop("a state is not understood");
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
                    let done = find(words!(
                        "shipped, delivered, paid, returned, completed, actual, arrived, \
                         received"
                    ));
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

    /// "ongoing projects", "aktuelle Bestellungen" are some of them, where no days say which; "orders at the moment" are all.
    fn says_which(&self, at: usize) -> bool {
        const STATES: &[&str] = &["ongoing", "laufend", "bestehend", "aktuelle"];
        let text = self.span(at).map(|span| span.text.to_lowercase());
        let text = text.unwrap_or_default();
        STATES.iter().any(|state| text.starts_with(state))
    }

    /// The state of the rows that says that they hold now: "active".
    fn value_of_now(&self, subject: usize) -> Option<Name> {
        let found = ["active", "running", "current"]
            .iter()
            .flat_map(|state| self.schema.valued(&stem(state)));
        let mut own = found.filter(|name| match name.kind {
            NameKind::Value(table, column, _) => {
                let words = self.schema.column_words(table, column);
                table == subject
                    && words
                        .last()
                        .is_some_and(|last| last == "status" || last == "state")
            }
            _ => false,
        });
        own.next().filter(|_| own.next().is_none())
    }

    /// The columns with how much of a thing is there.
    pub(super) fn stock_columns(&self) -> Vec<(usize, usize)> {
        self.columns_with(&["stock", "hand", "inventory", "available"], |_| true)
    }

    /// The date on which somebody left or something ended for good.
    pub(super) fn left_date(&self, subject: usize) -> Option<usize> {
        let mut dates = self.schema.dates(subject).into_iter();
        dates.find(|date| {
            let words = self.schema.column_words(subject, *date);
            let ends = words.iter().any(|word| {
                words!("left, end, ended, terminated, termination, closed, discontinued, until")
                    .contains(&word.as_str())
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
                    words!(
                        "closed, resolved, completed, paid, finished, return, returned, ended, \
                         redeemed, settled"
                    )
                    .contains(&word.as_str())
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
