//! Words whose meaning depends on their neighbours: "new", "who", "best", "people", "in total".

use super::*;
use text2sql_domain::words;

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
        let is_ranked = [
            Concept::Most,
            Concept::Fewest,
            Concept::Top,
            Concept::Bottom,
            Concept::Newest,
            Concept::Oldest,
        ]
        .iter()
        .any(|rank| self.has(*rank));
        let asks_when = self
            .spans
            .iter()
            .any(|span| matches!(span.concept, Some(Concept::Part(_) | Concept::When)));
        let asks_who = !has_noun && (is_paid || does(&["work", "hire", "born", "live", "leave"]));
        for at in 0..self.spans.len() {
            let Some(span) = self.spans.get(at).filter(|span| span.names.is_empty()) else {
                continue;
            };
            let text = span
                .read_as
                .clone()
                .unwrap_or_else(|| span.text.to_lowercase());
            let is_who = asks_who && span.asks_who();
            // "Who has bought something this month?"
            let buyers = match span.asks_who() && !has_noun && !is_ranked {
                true => self.party_of_verbs(),
                false => None,
            };
            let meant = lexicon::stand_ins(if is_who { "people" } else { &text });
            let is_said = span.concept.is_some_and(|one| one != Concept::Filler);
            if is_said || meant.is_empty() && buyers.is_none() {
                continue;
            }
            let is_anybody = meant == lexicon::stand_ins("people");
            if is_anybody && let Some(party) = self.party_of_verbs() {
                // "On which weekday do people rent the most?" asks for nobody in particular; "which people" does.
                let is_counted = self
                    .before(at)
                    .is_some_and(|before| self.is(before, Concept::Count));
                match asks_when && !is_counted {
                    true => self.take(at),
                    false => self.mean(at, party),
                }
                continue;
            }
            let Some(table) = buyers.or_else(|| self.stand_in(meant, is_work)) else {
                // "How many people are there as customers?"
                let has_party = (0..self.spans.len()).any(|other| {
                    self.table_of(other)
                        .is_some_and(|table| self.is_party(table))
                });
                if is_anybody && has_party {
                    self.take(at);
                }
                continue;
            };
            self.mean(at, table);
        }
    }

    /// The word stands for the table.
    fn mean(&mut self, at: usize, table: usize) {
        // "customer segment" is the segment of customers.
        let is_of_next = self.span(at + 1).is_some_and(|next| {
            let is_own = |name: &Name| matches!(name.kind, NameKind::Column(of, _) if of == table);
            next.concept.is_none() && next.names.iter().any(is_own)
        });
        if let (Some(span), Some(used)) = (self.spans.get_mut(at), self.used.get_mut(at)) {
            span.concept = None;
            span.names = vec![Name {
                kind: NameKind::Table(table),
                score: 0.9,
            }];
            *used = is_of_next;
        }
    }

    /// The one table of such persons or things; of several that of those who work here, where that is asked.
    pub(super) fn stand_in(&self, meant: &[Vec<String>], is_work: bool) -> Option<usize> {
        let called = |names: &Vec<String>| -> Vec<usize> {
            // A row of `film_category` is none of the things that are meant.
            let all = (0..self.schema.tables.len())
                .filter(|at| !self.schema.meant_by_pairs.contains_key(at));
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

    /// "What do people spend on our music?" is not about the playlist "Music".
    pub(super) fn read_own_things(&mut self) {
        for at in 1..self.spans.len() {
            let is_ours = self.span(at - 1).is_some_and(|span| {
                let text = span.text.to_lowercase();
                text == "our" || text.starts_with("unser")
            });
            let is_plain = self.span(at).is_some_and(|span| {
                span.concept.is_none()
                    && span.text == span.text.to_lowercase()
                    && !span.names.is_empty()
                    && span
                        .names
                        .iter()
                        .all(|name| matches!(name.kind, NameKind::Value(..)))
            });
            if is_ours
                && is_plain
                && !self.is_noun(at + 1)
                && let Some(span) = self.spans.get_mut(at)
            {
                span.names.clear();
            }
        }
    }

    /// "bands and artists", "bands or artists": two words for one thing.
    pub(super) fn read_same_nouns(&mut self) {
        for at in 1..self.spans.len() {
            if !self.is(at, Concept::And) && !self.is(at, Concept::Or) {
                continue;
            }
            let (Some(before), Some(after)) = (self.before(at), self.after(at)) else {
                continue;
            };
            let table = self.table_of(before).filter(|_| self.is_noun(before));
            if table.is_some() && table == self.table_of(after) && self.is_noun(after) {
                self.take(at);
                self.take(after);
            }
        }
    }

    /// "How much does a customer spend per order?" asks for no customer in particular.
    pub(super) fn read_any_party(&mut self) {
        if !self.has(Concept::OrderValue) {
            return;
        }
        for at in 1..self.spans.len() {
            let is_any = self.span(at - 1).is_some_and(|span| {
                words!("a, an, ein, eine").contains(&span.text.to_lowercase().as_str())
            });
            let is_party = self.table_of(at).is_some_and(|table| self.is_party(table));
            if is_any && is_party {
                self.take(at);
            }
        }
    }

    /// "How many songs do we have on offer?": all of them, where nothing says which are sold no more.
    pub(super) fn read_on_offer(&mut self) {
        let ends = words!(
            "active, inactive, discontinued, status, state, available, visible, published, archived, deleted, enabled, \
             sold, stock, end, until, to"
        );
        let may_end = (0..self.spans.len())
            .filter_map(|at| self.table_of(at))
            .any(|table| {
                let columns = self
                    .schema
                    .table(table)
                    .map_or(0, |table| table.columns.len());
                (0..columns).any(|column| {
                    let mut words = self.schema.column_words(table, column).iter();
                    words.any(|word| ends.contains(&word.as_str()))
                })
            });
        for at in 0..self.spans.len() {
            let is_said = self.is(at, Concept::Vague)
                && self.span(at).is_some_and(|span| {
                    words!("on offer, in our range").contains(&span.text.to_lowercase().as_str())
                });
            if is_said
                && !may_end
                && let Some(span) = self.spans.get_mut(at)
            {
                span.concept = Some(Concept::Filler);
                self.take(at);
            }
        }
    }

    /// "the best 3 customers by revenue": by what they are ranked is said.
    pub(super) fn read_best_by(&mut self) {
        let by = self.spans.iter().position(|span| span.is(Concept::By));
        let is_measured = by.and_then(|by| self.after(by)).is_some_and(|next| {
            let is_spent = self.is(next, Concept::Verb("spend")) || self.is(next, Concept::Money);
            is_spent
                || [Concept::Revenue, Concept::Units, Concept::Count]
                    .iter()
                    .any(|one| self.is(next, *one))
        });
        for at in 0..by.unwrap_or_default() {
            let text = self.span(at).filter(|span| span.is(Concept::Vague));
            let concept = match text.map(|span| span.text.to_lowercase()).as_deref() {
                Some("best" | "beste" | "besten") => Concept::Top,
                Some("worst" | "schlechteste" | "schlechtesten") => Concept::Bottom,
                _ => continue,
            };
            if is_measured && let Some(span) = self.spans.get_mut(at) {
                span.concept = Some(concept);
                span.text = match concept {
                    Concept::Top => "top".to_owned(),
                    _ => "bottom".to_owned(),
                };
            }
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
