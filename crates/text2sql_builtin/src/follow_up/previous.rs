//! The previous question, and the parts of it that a follow-up replaces: its grouping, its period, a value.

use super::words::{GROUPING, PREPOSITIONS, is_open, is_preposition, without_preposition};
use crate::linking::links::Links;
use jiff::civil::Date;
use std::sync::Arc;
use text2sql_domain::schema::{Definition, Table};
use text2sql_language::periods::spans;
use text2sql_language::words::placed_text;
use text2sql_language::words::reading;
use text2sql_language::words::{Token, TokenKind};
use text2sql_phrases::Language;

/// The previous question as linked tokens.
pub(super) struct Before<'a> {
    pub(super) text: &'a str,
    pub(super) tokens: &'a [Token],
    pub(super) links: &'a Links,
}

impl Before<'_> {
    /// Replaces its grouping, or adds one.
    pub(super) fn grouped(&self, added: &str) -> Vec<String> {
        let text = match self.grouping() {
            Some((start, end)) => reading(self.text, self.tokens, start, end, added),
            None => format!("{} {added}", self.text),
        };
        vec![text]
    }

    /// Its grouping, if it is near the end: "by country" of "orders by country in 2024".
    pub(super) fn grouping(&self) -> Option<(usize, usize)> {
        let at = self.tokens.iter().rposition(|token| {
            GROUPING.contains(&token.surface.to_lowercase().as_str())
                && token.kind == TokenKind::Word
        })?;
        let before = self.tokens.get(at.checked_sub(1)?)?;
        let orders = matches!(
            before.lower.as_str(),
            "sorted" | "ordered" | "ranked" | "filtered"
        );
        let named = self.links.name_at(at + 1).map(|mention| mention.end);
        let end = named.unwrap_or(at + 2).min(self.tokens.len());
        // A second grouping column, or a qualifier of the first, cannot be replaced on its own.
        let goes_on = self.tokens.get(end).is_some_and(|next| {
            next.kind == TokenKind::Comma
                || matches!(next.lower.as_str(), "and" | "or" | "of" | "with")
                || next.lower == "'s"
        });
        (!orders && !goes_on && at > 1).then_some((at, end))
    }

    /// Replaces its period, or adds one.
    pub(super) fn in_period(&self, addition: &[Token], today: Date) -> Vec<String> {
        let own = (0..self.tokens.len()).find_map(|at| {
            let (bare, taken) = period_at(self.tokens, at, today)?;
            Some((at, bare, at + taken))
        });
        let bare = without_preposition(addition);
        let has_preposition = bare.len() < addition.len();
        let is_open = addition.first().is_some_and(is_open);
        let (text, bare) = (placed_text(addition), placed_text(bare));
        match own {
            // "since March" replaces the preposition as well.
            Some((start, _, end)) if is_open => {
                vec![reading(self.text, self.tokens, start, end, &text)]
            }
            Some((_, start, end)) => vec![reading(self.text, self.tokens, start, end, &bare)],
            None if has_preposition || is_open => vec![format!("{} {text}", self.text)],
            None => vec![
                format!("{} {text}", self.text),
                format!("{} in {text}", self.text),
            ],
        }
    }

    /// Replaces a value of the same column, or adds one.
    pub(super) fn about_value(
        &self,
        addition: &[Token],
        language: Language,
        tables: &[Arc<Table>],
        definitions: &[Definition],
    ) -> Vec<String> {
        let bare = without_preposition(addition);
        let phrase = placed_text(bare);
        let mut texts = Vec::new();
        let new = Links::find(bare, tables, definitions);
        let value = new.value_at(0).filter(|mention| mention.end == bare.len());
        if let Some(value) = value {
            let same_column = (0..self.tokens.len()).find_map(|at| {
                let mention = self.links.value_at(at)?;
                let shares = mention
                    .values
                    .iter()
                    .any(|link| value.values.iter().any(|other| other.column == link.column));
                shares.then_some((mention.start, mention.end))
            });
            if let Some((start, end)) = same_column {
                return vec![reading(self.text, self.tokens, start, end, &phrase)];
            }
        }
        texts.push(format!("{} {}", self.text, placed_text(addition)));
        // A bare word may be anything; a value or a capitalised name needs a preposition.
        let is_name = bare
            .first()
            .is_some_and(|token| token.text != token.lower || token.kind == TokenKind::Quoted);
        if value.is_some() || is_name {
            let ties = match language.tag() {
                "de" => PREPOSITIONS[1],
                _ => PREPOSITIONS[0],
            };
            texts.extend(
                ties.iter()
                    .map(|tie| format!("{} {tie} {phrase}", self.text)),
            );
        }
        texts
    }
}

/// A period at the token, without its preposition: its start, and the number of tokens read.
pub(super) fn period_at(tokens: &[Token], at: usize, today: Date) -> Option<(usize, usize)> {
    let rest = tokens.get(at..)?;
    if let Some((_, taken)) = spans::read(rest, today) {
        let first = rest.first()?;
        let skipped = usize::from(is_preposition(first) && !is_open(first));
        return Some((at + skipped, taken));
    }
    let (_, taken) = text2sql_language::periods::dates::read_period(rest, today)?;
    Some((at, taken))
}
