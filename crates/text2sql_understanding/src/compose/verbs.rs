//! Verbs: the events and dates that they are about.

use super::*;

/// Whether the word of a date says that something ended.
pub(super) fn ends(word: &str) -> bool {
    lexicon::dates_of("ended").contains(&word)
        || word.len() > 4 && (word.ends_with("end") || word == "checkout")
}

impl Composer<'_> {
    pub(super) fn verbs(&self) -> Vec<(usize, &'static str)> {
        let verbs = self.spans.iter().enumerate();
        verbs
            .filter_map(|(at, span)| match span.concept {
                Some(Concept::Verb(verb))
                    if !self.is_used(at) || !span.text.eq_ignore_ascii_case("return") =>
                {
                    Some((at, verb))
                }
                _ => None,
            })
            .collect()
    }

    /// The table whose rows are what a verb says.
    pub(super) fn event_of(&self, verb: &str) -> Option<usize> {
        let of = |noun: &str| {
            let wanted = canonical(noun);
            let mut found: Vec<usize> = (0..self.schema.tables.len())
                .filter(|at| {
                    self.schema.is_base(*at)
                        && self
                            .schema
                            .table_words(*at)
                            .last()
                            .is_some_and(|last| *last == wanted)
                })
                .collect();
            found.sort_by_key(|at| self.schema.table_words(*at).len());
            found.first().copied()
        };
        match verb {
            "order" => of("order").or_else(|| sales_table(self.schema)),
            "buy" | "sell" | "spend" => sales_table(self.schema),
            "rent" => of("rental"),
            "return" => of("return"),
            "book" => of("booking").or_else(|| of("reservation")),
            "pay" => of("payment"),
            "visit" => of("visit").or_else(|| of("appointment")),
            "review" => of("review"),
            "ship" | "deliver" => of("shipment"),
            _ => None,
        }
    }

    /// The one table that is called by what the verb at the span says and whose rows are about the subject: enrolments for
    /// "enrolled".
    pub(super) fn event_of_root(&self, at: usize, subject: usize) -> Option<usize> {
        let root = verb_root(&self.span(at)?.text.to_lowercase());
        // "enrolled" is of an enrolment.
        let root = root
            .strip_suffix("ll")
            .map_or(root.clone(), |start| format!("{start}l"));
        let is_of = |table: &usize| {
            let words = self.schema.table(*table).map(|table| words_of(&table.name));
            let mut words = words.into_iter().flatten();
            // "tests taken" are tests.
            words.any(|word| {
                word.len() > 3 && word != "taken" && verb_root(&word).starts_with(&root)
            })
        };
        let is_about = |table: &usize| {
            *table != subject
                && self.schema.is_base(*table)
                && self.schema.reach(*table, subject).is_some()
        };
        let mut tables =
            (0..self.schema.tables.len()).filter(|table| is_about(table) && is_of(table));
        let found = tables.next().filter(|_| root.len() > 3)?;
        tables.next().is_none().then_some(found)
    }

    /// The one date on which rows of the table began.
    pub(super) fn beginning_date(&self, table: usize) -> Option<usize> {
        let dates = self.schema.dates(table).into_iter();
        let mut found = dates.filter(|date| {
            let words = self.schema.column_words(table, *date);
            words
                .iter()
                .any(|word| lexicon::dates_of("began").contains(&word.as_str()))
        });
        found.next().filter(|_| found.next().is_none())
    }

    pub(super) fn event_of_verbs(&mut self) -> Option<usize> {
        for (at, verb) in self.verbs() {
            if let Some(table) = self.event_of(verb) {
                self.take(at);
                return Some(table);
            }
        }
        None
    }

    /// The date of the table that the verb is about: "shipped" is shipped_date.
    pub(super) fn date_of_verb(&self, table: usize, at: usize, verb: &str) -> Option<usize> {
        let text = self
            .span(at)
            .map(|span| span.text.to_lowercase())
            .unwrap_or_default();
        let roots = [verb_root(&text), verb.to_owned(), verb_root(verb)];
        let like = lexicon::dates_of(verb);
        let has = |date: &usize, is_meant: &dyn Fn(&str) -> bool| {
            let words = self.schema.column_words(table, *date);
            words.iter().any(|word| is_meant(word))
        };
        let dates = self.schema.dates(table);
        // "revised" is of the latest revision.
        let root = text
            .strip_suffix("ed")
            .filter(|root| verb == "done" && root.len() > 4);
        let own = dates.iter().find(|date| {
            has(date, &|word| {
                like.contains(&word)
                    || roots.contains(&verb_root(word)) && word.len() > 3
                    || root.is_some_and(|root| word.starts_with(root))
            })
        });
        // "stations that were set up in 2014" are those of that installation_date.
        let class = lexicon::dates_of(match verb {
            "hire" | "open" | "launch" | "start" => "began",
            "leave" | "close" | "end" => "ended",
            _ => "",
        });
        let mut of_class = dates
            .iter()
            .filter(|date| has(date, &|word| class.contains(&word)));
        let only = of_class.next().filter(|_| of_class.next().is_none());
        own.or(only).copied()
    }
}
