//! Parts of texts, and the order of lists.

use super::*;
use text2sql_domain::words;

impl Composer<'_> {
    /// "names that start with A": a part of a text.
    pub(super) fn read_patterns(&mut self) -> Result<(), Stop> {
        for at in 0..self.spans.len() {
            let concept = self.span(at).and_then(|span| span.concept);
            let Some(concept @ (Concept::Starts | Concept::Ends | Concept::Contains)) = concept
            else {
                continue;
            };
            // "albums that contain tracks": what is contained is no text.
            let contained = self
                .after(at)
                .filter(|next| *next <= at + 2)
                .filter(|next| self.is_noun(*next) || self.is_comparison(*next));
            if concept == Concept::Contains && contained.is_some() {
                if let Some(span) = self.spans.get_mut(at) {
                    span.concept = Some(Concept::Verb("relate"));
                }
                continue;
            }
            let mut next = at + 1;
            while self.says_text(next) {
                self.take(next);
                next += 1;
            }
            // "deren name mit Z beginnt": the verb is last.
            let verb = self
                .span(at)
                .map(|span| span.text.to_lowercase())
                .unwrap_or_default();
            let is_last = words!("beginnt, beginnen, endet, enden, enthält, enthalten")
                .contains(&verb.as_str());
            if is_last && self.after(at).is_none() && at > 0 {
                next = at - 1;
            }
            let Some(text) = self.span(next).map(|span| span.text.clone()) else {
                return stop("a part of a text is not understood");
            };
            let is_plain = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '.');
            if text.is_empty() || !text.chars().all(is_plain) {
                return stop("a part of a text is not understood");
            }
            let columns = self.texts_before(at);
            let has_noun = (0..self.spans.len()).any(|other| self.is_noun(other));
            if columns.is_empty() || !has_noun {
                return stop("of which column a part is meant is not clear");
            }
            let is_negated = self.negation(at);
            self.take(at);
            self.take(next);
            let named = (0..at).rev().take(3).find(|before| {
                let of = self.columns_of(*before);
                let is_meant =
                    |column: &(usize, usize)| of.iter().any(|(t, c, _)| (*t, *c) == *column);
                !self.is_noun(*before) && columns.iter().any(is_meant)
            });
            if let Some(named) = named {
                self.take(named);
            }
            let pattern = match concept {
                Concept::Starts => format!("{text}%"),
                Concept::Ends => format!("%{text}"),
                _ => format!("%{text}%"),
            };
            self.asked.push(Asked::Like {
                columns,
                pattern,
                is_negated,
            });
        }
        Ok(())
    }

    /// "more than", "at least": what follows is a number, no text.
    pub(super) fn is_comparison(&self, at: usize) -> bool {
        let all = [
            Concept::Over,
            Concept::Under,
            Concept::AtLeast,
            Concept::AtMost,
            Concept::Exactly,
            Concept::Between,
        ];
        all.iter().any(|one| self.is(at, *one))
    }

    /// "the letter 'a' in their names", "mention a shark in their description": a text that stands before its column.
    pub(super) fn read_contained(&mut self) {
        for at in 0..self.spans.len() {
            let word = self.span(at).map(|span| span.text.to_lowercase());
            // An article after a verb is not the text: "mention a shark".
            let text_at = match word.unwrap_or_default().as_str() {
                "letter" | "word" | "substring" | "text" => Some(at + 1),
                "mention" | "mentions" | "mentioning" => self.after(at),
                _ => None,
            };
            let Some((text_at, text)) =
                text_at.and_then(|next| Some((next, self.span(next)?.text.clone())))
            else {
                continue;
            };
            let is_plain = !text.is_empty() && text.chars().all(char::is_alphanumeric);
            let is_taken = self.is_used(text_at) && text.len() > 1;
            if self.is_used(at) || is_taken || !is_plain {
                continue;
            }
            let is_in = |next: usize| {
                self.span(next).is_some_and(|span| {
                    matches!(span.text.to_lowercase().as_str(), "in" | "within")
                })
            };
            let Some(named) = self
                .after(text_at)
                .filter(|named| (text_at + 1..*named).any(is_in))
            else {
                continue;
            };
            let columns = self.texts_before(named + 1);
            let has_noun = (0..self.spans.len()).any(|other| self.is_noun(other));
            if columns.is_empty() || !has_noun {
                continue;
            }
            for part in [at, text_at, named] {
                self.take(part);
            }
            self.asked.push(Asked::Like {
                columns,
                pattern: format!("%{text}%"),
                is_negated: false,
            });
        }
    }

    fn says_text(&self, at: usize) -> bool {
        self.span(at).is_some_and(|span| {
            words!("the, letter, word, text, string, den, dem, buchstaben, wort")
                .contains(&span.text.to_lowercase().as_str())
        })
    }

    /// The columns whose text a pattern is about: those named before it, or the name of the thing.
    fn texts_before(&self, at: usize) -> Vec<(usize, usize)> {
        let is_text = |table: usize, column: usize| {
            let column = self.schema.column(table, column);
            column.is_some_and(|column| column.category == TypeCategory::Text)
        };
        let noun = (0..self.spans.len())
            .find_map(|other| self.table_of(other).filter(|_| self.is_noun(other)));
        let named = (0..at).rev().take(3).find(|before| {
            let columns = self.columns_of(*before);
            columns
                .iter()
                .any(|(table, column, _)| is_text(*table, *column))
        });
        let of_noun = |table: usize| noun.is_none_or(|noun| noun == table);
        let columns = named
            .map(|named| self.columns_of(named))
            .unwrap_or_default();
        let found: Vec<(usize, usize)> = columns
            .into_iter()
            .map(|(table, column, _)| (table, column))
            .filter(|(table, column)| is_text(*table, *column) && of_noun(*table))
            .collect();
        if !found.is_empty() {
            return found;
        }
        match noun.map(|noun| (noun, self.schema.shown(noun))) {
            Some((noun, shown)) if shown.len() == 1 && self.schema.has_name(noun) => {
                shown.into_iter().map(|column| (noun, column)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// "sorted by price in descending order"
    pub(super) fn read_sorting(&mut self) {
        let direction = [Concept::Ascending, Concept::Descending]
            .into_iter()
            .find_map(|concept| Some((self.find(concept)?, concept)));
        let alphabetical = self.find(Concept::Alphabetical);
        let last_direction = direction.map(|(at, _)| at);
        let last =
            |at: &usize| (*at + 1..self.spans.len()).any(|next| !self.columns_of(next).is_empty());
        let at = self
            .find(Concept::Sorted)
            .max(last_direction.filter(last))
            .or(last_direction)
            .or(alphabetical);
        let Some(at) = at else { return };
        let by = (at + 1..self.spans.len())
            .find(|next| !self.is_used(*next) && !self.columns_of(*next).is_empty());
        // "ordered by their names"
        let name = self.after(at).filter(|name| self.is(*name, Concept::List));
        if let Some(name) = name.filter(|name| by.is_none_or(|by| by >= *name)) {
            self.take(name);
            if let Some(alphabetical) = alphabetical {
                self.take(alphabetical);
            }
            self.is_alphabetical = true;
            self.take_sorting();
            return;
        }
        if let Some(alphabetical) = alphabetical {
            self.take(alphabetical);
            self.is_alphabetical = true;
        }
        if let Some(by) = by {
            self.sorted_by = Some((by, matches!(direction, Some((_, Concept::Descending)))));
            self.is_alphabetical = false;
            self.take(by);
        } else if alphabetical.is_none() {
            return;
        }
        self.take_sorting();
    }

    fn take_sorting(&mut self) {
        for concept in [
            Concept::Sorted,
            Concept::Ascending,
            Concept::Descending,
            Concept::Ranked,
        ] {
            while let Some(at) = self.find(concept) {
                self.take(at);
            }
        }
    }
}
