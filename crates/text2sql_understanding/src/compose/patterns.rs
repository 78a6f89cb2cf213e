//! Parts of texts, and the order of lists.

use super::*;

impl Composer<'_> {
    /// "names that start with A": a part of a text.
    pub(super) fn read_patterns(&mut self) -> Result<(), Stop> {
        for at in 0..self.spans.len() {
            let concept = self.span(at).and_then(|span| span.concept);
            let Some(concept @ (Concept::Starts | Concept::Ends | Concept::Contains)) = concept
            else {
                continue;
            };
            let mut next = at + 1;
            while self.says_text(next) {
                self.take(next);
                next += 1;
            }
            let Some(text) = self.span(next).map(|span| span.text.clone()) else {
                return stop("a part of a text is not understood");
            };
            let is_plain = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '.');
            if text.is_empty() || !text.chars().all(is_plain) {
                return stop("a part of a text is not understood");
            }
            let columns = self.texts_before(at);
            if columns.is_empty() {
                return stop("of which column a part is meant is not clear");
            }
            let is_negated = self.negation(at);
            self.take(at);
            self.take(next);
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

    fn says_text(&self, at: usize) -> bool {
        self.span(at).is_some_and(|span| {
            matches!(
                span.text.to_lowercase().as_str(),
                "the"
                    | "letter"
                    | "word"
                    | "text"
                    | "string"
                    | "den"
                    | "dem"
                    | "buchstaben"
                    | "wort"
            )
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
        let at = self
            .find(Concept::Sorted)
            .or(direction.map(|(at, _)| at))
            .or(alphabetical);
        let Some(at) = at else { return };
        let by = (at + 1..self.spans.len())
            .find(|next| !self.is_used(*next) && !self.columns_of(*next).is_empty());
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
