//! Words whose meaning depends on their neighbours: "new", "who", "best", "people", "in total".

use super::*;

impl Composer<'_> {
    /// "How many people work in Seattle?", "Who works in Sales?", "customers" of a club: words that stand for what the tables
    /// call otherwise.
    pub(super) fn read_stand_ins(&mut self) {
        let does = |verbs: &[&str]| {
            let mut spans = self.spans.iter();
            spans.any(
                |span| matches!(span.concept, Some(Concept::Verb(verb)) if verbs.contains(&verb)),
            )
        };
        let is_work = does(&["work", "earn", "hire", "report", "start", "leave"]);
        let has_noun = (0..self.spans.len()).any(|at| self.is_noun(at));
        let is_paid = does(&["earn"])
            && self.spans.iter().any(|span| {
                matches!(
                    span.text.to_lowercase().as_str(),
                    "earn" | "earns" | "verdient"
                )
            })
            && (0..self.spans.len()).any(|at| self.is_comparison(at));
        let asks_who = !has_noun && (is_paid || does(&["work", "hire", "born", "live", "leave"]));
        for at in 0..self.spans.len() {
            let Some(span) = self.spans.get(at).filter(|span| span.names.is_empty()) else {
                continue;
            };
            let text = span.text.to_lowercase();
            let is_who = asks_who && span.asks_who();
            let meant = lexicon::stand_ins(if is_who { "people" } else { &text });
            if meant.is_empty() || span.concept.is_some_and(|one| one != Concept::Filler) {
                continue;
            }
            let Some(table) = self.stand_in(meant, is_work) else {
                continue;
            };
            if let (Some(span), Some(used)) = (self.spans.get_mut(at), self.used.get_mut(at)) {
                span.concept = None;
                span.names = vec![Name {
                    kind: NameKind::Table(table),
                    score: 0.9,
                }];
                // "customer segment" is the segment of customers.
                *used = self.spans.get(at + 1).is_some_and(|next| {
                    let is_own =
                        |name: &Name| matches!(name.kind, NameKind::Column(of, _) if of == table);
                    next.concept.is_none() && next.names.iter().any(is_own)
                });
            }
        }
    }

    /// The one table of such persons or things; of several that of those who work here, where that is asked.
    pub(super) fn stand_in(&self, meant: &[Vec<String>], is_work: bool) -> Option<usize> {
        let called = |names: &Vec<String>| -> Vec<usize> {
            let all = 0..self.schema.tables.len();
            let is_meant = |at: &usize| {
                let words = self.schema.table_words(*at);
                let is_called = words.last().is_some_and(|last| names.contains(last))
                    || names.contains(&words.concat());
                self.schema.is_base(*at) && is_called
            };
            all.filter(is_meant).collect()
        };
        let found = meant.iter().map(called).find(|found| !found.is_empty())?;
        if let [only] = found.as_slice() {
            return Some(*only);
        }
        let works = canonical("employee");
        let mut own = found
            .into_iter()
            .filter(|at| self.schema.table_words(*at).last() == Some(&works));
        own.next().filter(|_| is_work && own.next().is_none())
    }

    /// "the average number of seats" is the average of the column `seats`; "what did the toll cost" the sum of `toll`.
    pub(super) fn read_figures_of_columns(&mut self) {
        let counted = |count: &usize| {
            let next = self.after(*count);
            self.has(Concept::Average) && next.is_some_and(|next| self.is_figure(next))
        };
        if let Some(count) = self.find(Concept::Count).filter(counted) {
            self.take(count);
        }
        let all = 0..self.spans.len();
        let figures = all.clone().filter(|at| self.is_figure(*at)).count();
        let has_noun = all.into_iter().any(|at| self.is_noun(at));
        let is_said = [
            Concept::Sum,
            Concept::Average,
            Concept::Median,
            Concept::Highest,
            Concept::Lowest,
            Concept::Count,
        ]
        .iter()
        .any(|one| self.has(*one));
        let cost = self.find(Concept::Verb("cost"));
        if figures == 1
            && !has_noun
            && !is_said
            && let Some(span) = cost.and_then(|cost| self.spans.get_mut(cost))
        {
            span.concept = Some(Concept::Sum);
        }
    }

    fn is_figure(&self, at: usize) -> bool {
        !self.is_noun(at) && !self.numeric_columns(at).is_empty()
    }

    /// "the amount", "what they cost": where no column is called so, the one with the money of the rows.
    pub(super) fn read_amount(&mut self) {
        const MONEY: &[&str] = &["amount", "total", "cost"];
        let Some(subject) = (0..self.spans.len())
            .find(|at| self.is_noun(*at))
            .and_then(|at| self.table_of(at))
        else {
            return;
        };
        // The plainest word first: the total of a line, not the price of one piece.
        let columns = self
            .schema
            .table(subject)
            .map_or(0, |table| table.columns.len());
        let of_word = |word: &&str| {
            let own = (0..columns).filter(|column| {
                let words = self.schema.column_words(subject, *column);
                words.iter().any(|own| own == word) && self.schema.is_numeric(subject, *column)
            });
            own.map(|column| (subject, column)).collect::<Vec<_>>()
        };
        let own = MONEY.iter().map(of_word).find(|own| !own.is_empty());
        let Some([(table, column)]) = own.as_deref() else {
            return;
        };
        let (table, column) = (*table, *column);
        for at in 0..self.spans.len() {
            let is_amount = self.span(at).is_some_and(|span| {
                let word = canonical(&span.text.to_lowercase());
                let is_cost = span.is(Concept::Verb("cost")) && span.text.ends_with('s');
                let is_plain = span.concept.is_none() || is_cost;
                // "damage costs", where another table has a column of that name.
                let is_elsewhere = span
                    .names
                    .iter()
                    .all(|name| matches!(name.kind, NameKind::Column(of, _) if of != subject));
                is_plain && is_elsewhere && MONEY.iter().any(|one| canonical(one) == word)
            });
            if is_amount && let Some(span) = self.spans.get_mut(at) {
                span.concept = None;
                span.names = vec![Name {
                    kind: NameKind::Column(table, column),
                    score: 0.9,
                }];
                let says = format!("the amount is {}", self.column_name(table, column));
                self.says(says, true);
            }
        }
    }

    /// "What did they cost in total?" asks for a sum; behind a count it says nothing more.
    pub(super) fn read_total(&mut self) {
        const TOTAL: &[&str] = &["in total", "altogether", "insgesamt"];
        let counts = self.has(Concept::Count);
        let is_figure = (0..self.spans.len()).any(|at| {
            self.is(at, Concept::Verb("cost"))
                || self.span(at).is_some_and(|span| span.concept.is_none())
                    && !self.is_noun(at)
                    && !self.numeric_columns(at).is_empty()
        });
        if counts || !is_figure || self.has(Concept::Sum) {
            return;
        }
        for at in 0..self.spans.len() {
            let text = self.span(at).map(|span| span.text.to_lowercase());
            if text.is_some_and(|text| TOTAL.contains(&text.as_str()))
                && let (Some(span), Some(used)) = (self.spans.get_mut(at), self.used.get_mut(at))
            {
                span.concept = Some(Concept::Sum);
                *used = false;
            }
        }
    }

    /// "How many docks are there in each city?": a column that counts them, `dock_count` or `docks`, is added up.
    pub(super) fn counting_column(&self, at: usize) -> Option<(usize, usize)> {
        const COUNTS: &[&str] = &["count", "number", "num", "no", "total", "quantity", "qty"];
        let text = self.span(at)?.text.to_lowercase();
        let wanted = canonical(&text);
        let mut found = Vec::new();
        for (table, described) in self.schema.tables.iter().enumerate() {
            for column in 0..described.columns.len() {
                let words = self.schema.column_words(table, column);
                let (counts, others): (Vec<&String>, Vec<&String>) = words
                    .iter()
                    .partition(|word| COUNTS.contains(&word.as_str()));
                let is_of_it = matches!(others.as_slice(), [only] if canonical(only) == wanted);
                let is_count = match counts.len() {
                    0 => self.is_quantity(table, column),
                    1 => true,
                    _ => false,
                };
                if is_of_it
                    && is_count
                    && self.schema.is_base(table)
                    && self.schema.is_numeric(table, column)
                    && !self.schema.is_key(table, column)
                {
                    found.push((table, column));
                }
            }
        }
        match found.as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }

    /// "new customers per year" are those that were created, hired or opened then, where a date says so.
    pub(super) fn read_new(&mut self) {
        let is_dated = self
            .spans
            .iter()
            .any(|span| span.period.is_some() || matches!(span.concept, Some(Concept::Part(_))));
        for at in 0..self.spans.len() {
            let is_new = self.span(at).is_some_and(|span| {
                let text = span.text.to_lowercase();
                span.names.is_empty()
                    && matches!(text.as_str(), "new" | "neu" | "neue" | "neuen" | "neuer")
            });
            let table = self.after(at).and_then(|noun| self.table_of(noun));
            let (true, true, Some(table)) = (is_new, is_dated, table) else {
                continue;
            };
            let mut known = ["create", "hire", "open", "launch"].into_iter();
            let verb = known.find(|verb| self.date_of_verb(table, at, verb).is_some());
            if let (Some(verb), Some(span)) = (verb, self.spans.get_mut(at)) {
                span.concept = Some(Concept::Verb(verb));
            }
        }
    }

    /// "Who has the highest salary?" asks for the row, not for the salary alone.
    pub(super) fn read_who(&mut self) {
        let Some(asked_at) = self.spans.iter().take(2).position(Span::asks_who) else {
            return;
        };
        let is_end = |span: &Span| span.is(Concept::Highest) || span.is(Concept::Lowest);
        let Some(rank) = self.spans.iter().position(is_end) else {
            return;
        };
        let columns = self.numeric_columns(rank + 1);
        let (Some((table, _)), true) = (columns.first(), self.verbs().is_empty()) else {
            return;
        };
        let table = *table;
        let is_one = columns.iter().all(|(of, _)| *of == table);
        let has_noun = (asked_at + 1..rank).any(|at| self.is_noun(at));
        if !is_one || has_noun || !self.schema.has_name(table) {
            return;
        }
        if let (Some(span), Some(used)) =
            (self.spans.get_mut(asked_at), self.used.get_mut(asked_at))
        {
            span.concept = None;
            span.names = vec![Name {
                kind: NameKind::Table(table),
                score: 1.0,
            }];
            *used = false;
        }
    }

    /// The best of what is better the higher it is, which is said: "the best rating".
    pub(super) fn read_best(&mut self) {
        const BETTER: &[&str] = &["gpa", "rating", "score", "satisfaction", "points"];
        for at in 0..self.spans.len() {
            let text = self.span(at).filter(|span| span.is(Concept::Vague));
            let Some(text) = text.map(|span| span.text.to_lowercase()) else {
                continue;
            };
            let concept = match text.as_str() {
                "best" | "beste" | "besten" | "bester" | "bestes" => Concept::Highest,
                "worst" | "schlechteste" | "schlechtesten" => Concept::Lowest,
                _ => continue,
            };
            let columns = self.numeric_columns(at + 1);
            let is_better = |(table, column): &(usize, usize)| {
                let words = self.schema.column_words(*table, *column);
                words.iter().any(|word| BETTER.contains(&word.as_str()))
            };
            if columns.is_empty() || !columns.iter().all(is_better) {
                continue;
            }
            let end = match concept {
                Concept::Highest => "highest",
                _ => "lowest",
            };
            self.said.push((format!("'{text}' is the {end}"), true));
            if let Some(span) = self.spans.get_mut(at) {
                span.concept = Some(concept);
            }
        }
    }
}
