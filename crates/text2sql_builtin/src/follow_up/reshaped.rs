//! Follow-ups about the rows of the previous question: another table, another aggregate, a subset, the
//! first rows, their names.

use super::previous::Before;
use super::words::{GROUPING, is_preposition};
use crate::linking::links::Links;
use crate::linking::mention::Mention;
use text2sql_language::english::lexicon;
use text2sql_language::words::placed_text;
use text2sql_language::words::reading;
use text2sql_language::words::{Token, TokenKind};
use text2sql_phrases::{Language, say_in};

/// Words before the noun in a question that asks for rows or their number.
const WORDS_BEFORE: &[&str] = &[
    "how", "many", "number", "of", "which", "what", "are", "is", "the", "all", "list", "show",
    "me", "us", "give", "find", "get", "display", "please", "do", "does", "we", "have",
];

/// Words after the noun that carry no meaning.
const WORDS_AFTER: &[&str] = &[
    "are", "is", "was", "were", "there", "exist", "exists", "do", "we", "did",
];

/// Pronouns for the rows of the previous question.
const ROW_PRONOUNS: &[&str] = &["them", "these", "those"];

/// The noun of a question: the table whose rows it asks for.
struct Subject {
    table: usize,
    start: usize,
    end: usize,
}

impl Before<'_> {
    /// The complete questions that the follow-up stands for, if it has one of these forms; an empty list if
    /// it has the form but no such question exists. `bare` is the follow-up without a leading article, and
    /// `new` its links.
    pub(crate) fn reshaped(
        &self,
        bare: &[Token],
        new: &Links,
        language: Language,
    ) -> Option<Vec<String>> {
        let first = bare.first()?;
        let is_all = |list: &[&str]| {
            bare.len() == list.len()
                && bare
                    .iter()
                    .zip(list)
                    .all(|(token, word)| token.lower == *word)
        };
        if is_all(&["in", "total"]) || is_all(&["overall"]) || is_all(&["altogether"]) {
            let (start, end) = self.grouping()?;
            let mut kept = self.tokens.get(..start)?.to_vec();
            kept.extend_from_slice(self.tokens.get(end..)?);
            return Some(vec![placed_text(&kept)]);
        }
        if lexicon::aggregate(&first.lower).is_some()
            && let Some(texts) = self.aggregated(bare, new, language)
        {
            return Some(texts);
        }
        if matches!(first.lower.as_str(), "their" | "its") {
            let (phrase, rows) = (placed_text(bare.get(1..)?), self.rows());
            return Some(
                rows.into_iter()
                    .map(|rows| say_in!(language, "List the {phrase} of {rows}", phrase, rows))
                    .collect(),
            );
        }
        if bare.len() > 1 && is_ranking(bare) {
            let phrase = placed_text(bare);
            return Some(
                self.rows()
                    .into_iter()
                    .map(|rows| say_in!(language, "Show the {phrase} {rows}", phrase, rows))
                    .collect(),
            );
        }
        if let Some((last, phrase)) = bare.split_last()
            && matches!(last.lower.as_str(), "ones" | "one")
            && !phrase.is_empty()
        {
            let subject = self.subject()?;
            let phrase = placed_text(phrase);
            return Some(vec![reading(
                self.text,
                self.tokens,
                subject.start,
                subject.start,
                &phrase,
            )]);
        }
        self.of_other_table(bare, new)
    }

    /// "how many of them are …", "which of those have …".
    pub(crate) fn of_them(&self, addition: &[Token]) -> Option<Vec<String>> {
        let at = addition.windows(2).position(|pair| match pair {
            [of, them] => of.lower == "of" && ROW_PRONOUNS.contains(&them.lower.as_str()),
            _ => false,
        });
        let (head, rest) = match at {
            Some(at) => (addition.get(..at)?, addition.get(at + 2..)?),
            None => {
                let at = addition
                    .iter()
                    .position(|token| token.surface.to_lowercase() == "davon")?;
                (addition.get(..at)?, addition.get(at + 1..)?)
            }
        };
        let is_head = head
            .iter()
            .all(|token| WORDS_BEFORE.contains(&token.lower.as_str()));
        if !is_head || head.is_empty() || rest.is_empty() {
            return Some(Vec::new());
        }
        let texts = self
            .rows()
            .into_iter()
            .map(|rows| format!("{} {rows} {}", placed_text(head), placed_text(rest)));
        Some(texts.collect())
    }

    /// The noun phrase of the question with its filters: "orders placed in 2024".
    fn rows(&self) -> Option<String> {
        let subject = self.subject()?;
        let front = self
            .tokens
            .iter()
            .position(|token| !WORDS_BEFORE.contains(&token.lower.as_str()))?;
        let before = self.tokens.get(front..subject.start)?;
        let names_column =
            (front..subject.start).any(|at| self.links.name_at(at).is_some_and(names_column));
        // Top rows, aggregates and groups are not plain rows with a filter.
        let is_plain = front > 0
            && !names_column
            && self.grouping().is_none()
            && !self.tokens.iter().any(|token| {
                token.kind == TokenKind::Word
                    && (ranks(&token.lower)
                        || lexicon::aggregate(&token.lower).is_some()
                        || matches!(token.lower.as_str(), "each" | "every")
                        || GROUPING.contains(&token.lower.as_str()))
            });
        if !is_plain || before.iter().any(|token| token.number.is_some()) {
            return None;
        }
        let behind = self.tokens.get(subject.end..)?;
        let phrase = behind
            .iter()
            .position(|token| !WORDS_AFTER.contains(&token.lower.as_str()))
            .unwrap_or(behind.len());
        let behind = behind.get(phrase..)?;
        let has_verb = behind.first().is_some_and(|token| {
            matches!(token.lower.as_str(), "have" | "has" | "had" | "and" | "or")
        });
        if has_verb {
            return None;
        }
        let mut rows = before.to_vec();
        rows.extend_from_slice(self.tokens.get(subject.start..subject.end)?);
        rows.extend_from_slice(behind);
        Some(placed_text(&rows))
    }

    /// The first table that the question names, unless it only groups by it.
    fn subject(&self) -> Option<Subject> {
        (0..self.tokens.len())
            .find_map(|at| {
                let (table, end) = only_table(self.links, at)?;
                Some(Subject {
                    table,
                    start: at,
                    end,
                })
            })
            .filter(|subject| {
                let before = subject
                    .start
                    .checked_sub(1)
                    .and_then(|at| self.tokens.get(at));
                before.is_none_or(|token| {
                    !GROUPING.contains(&token.lower.as_str())
                        && !matches!(token.lower.as_str(), "each" | "every")
                })
            })
    }

    /// "and returns?", "the same for returns": the same question about another table.
    fn of_other_table(&self, bare: &[Token], new: &Links) -> Option<Vec<String>> {
        let (table, end) = only_table(new, 0)?;
        if end != bare.len() || bare.first().is_some_and(is_preposition) {
            return None;
        }
        let phrase = placed_text(bare);
        let texts = self
            .subject()
            .filter(|subject| subject.table != table)
            .map(|subject| reading(self.text, self.tokens, subject.start, subject.end, &phrase));
        Some(texts.into_iter().collect())
    }

    /// "and the average?", "and the highest price?": another aggregate of the same rows.
    fn aggregated(&self, bare: &[Token], new: &Links, language: Language) -> Option<Vec<String>> {
        let of = bare
            .iter()
            .skip(1)
            .take_while(|token| matches!(token.lower.as_str(), "of" | "the"));
        let at = 1 + of.count();
        let named = match bare.len() {
            1 => None,
            length => Some(new.name_at(at).filter(|name| name.end == length)?),
        };
        let own = self.tokens.iter().enumerate().find_map(|(at, token)| {
            lexicon::aggregate(&token.lower).filter(|_| token.kind == TokenKind::Word)?;
            let skipped = self
                .tokens
                .iter()
                .skip(at + 1)
                .take_while(|token| matches!(token.lower.as_str(), "of" | "the"))
                .count();
            let name = self.links.name_at(at + 1 + skipped)?;
            Some((at, name.end))
        });
        let phrase = placed_text(bare);
        Some(match (own, named) {
            (Some((at, _)), None) => vec![reading(self.text, self.tokens, at, at + 1, &phrase)],
            (Some((at, end)), Some(_)) => vec![reading(self.text, self.tokens, at, end, &phrase)],
            (None, Some(_)) => self
                .rows()
                .into_iter()
                .map(|rows| say_in!(language, "What is the {phrase} of {rows}", phrase, rows))
                .collect(),
            (None, None) => Vec::new(),
        })
    }
}

/// The table that the span unambiguously names, and the end of the span.
fn only_table(links: &Links, at: usize) -> Option<(usize, usize)> {
    links
        .names_at(at)
        .filter(|mention| !mention.is_derived())
        .find_map(|mention| match mention.best_tables()[..] {
            [table] => Some((table, mention.end)),
            _ => None,
        })
}

fn names_column(mention: &Mention) -> bool {
    mention.is_name_word
        || (mention.best_tables().is_empty()
            && !mention.columns.is_empty()
            && !mention.is_derived())
}

/// "three most expensive", "cheapest": a ranking and nothing else.
fn is_ranking(bare: &[Token]) -> bool {
    bare.iter()
        .any(|token| ranks(&token.lower) && token.lower != "total")
        && bare.iter().all(|token| {
            token.number.is_some()
                || ranks(&token.lower)
                || matches!(token.lower.as_str(), "ones" | "one")
        })
}

fn ranks(lower: &str) -> bool {
    matches!(
        lower,
        "top" | "first" | "last" | "best" | "worst" | "newest" | "most" | "least" | "common"
    ) || lexicon::adjective(lower).is_some()
        || lexicon::superlative(lower).is_some()
}
