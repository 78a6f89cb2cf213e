//! Comparison words and the values after them.

use crate::linking::mention::Mention;
use crate::parsing::parser::Parser;
use crate::parsing::request::{Comparison, Literal};
use text2sql_language::english::lexicon;
use text2sql_language::words::TokenKind;

impl Parser<'_> {
    /// Words that compare.
    pub(crate) fn comparison(&mut self) -> Option<Comparison> {
        const TABLE: &[(&[&str], Comparison)] = &[
            (
                &[
                    "greater than or equal to",
                    "more than or equal to",
                    "no less than",
                    "not less than",
                    "no fewer than",
                    "at least",
                    ">=",
                    "a minimum of",
                    "or more",
                ],
                Comparison::AtLeast,
            ),
            (
                &[
                    "less than or equal to",
                    "no more than",
                    "not more than",
                    "at most",
                    "up to",
                    "<=",
                    "a maximum of",
                ],
                Comparison::AtMost,
            ),
            (
                &[
                    "more than",
                    "greater than",
                    "higher than",
                    "larger than",
                    "bigger than",
                    "longer than",
                    "over",
                    "above",
                    "exceeding",
                    "exceeds",
                    "older than",
                    "later than",
                    ">",
                    "greater",
                    "bigger",
                ],
                Comparison::More,
            ),
            (
                &[
                    "less than",
                    "fewer than",
                    "lower than",
                    "smaller than",
                    "shorter than",
                    "below",
                    "under",
                    "earlier than",
                    "cheaper than",
                    "<",
                ],
                Comparison::Less,
            ),
            (
                &["not equal to", "different from", "other than", "<>"],
                Comparison::NotEqual,
            ),
            (
                &[
                    "between",
                    "in the range of",
                    "in the range from",
                    "ranging from",
                    "in the range between",
                    "ranges from",
                ],
                Comparison::Between,
            ),
            (
                &[
                    "starting with the letter",
                    "starts with the letter",
                    "beginning with the letter",
                    "starting with letter",
                    "starting with",
                    "starts with",
                    "start with",
                    "begins with",
                    "begin with",
                    "beginning with",
                ],
                Comparison::StartsWith,
            ),
            (
                &[
                    "ending with the letter",
                    "ends with the letter",
                    "ending with",
                    "ends with",
                    "end with",
                ],
                Comparison::EndsWith,
            ),
            (
                &[
                    "containing the letter",
                    "contains the letter",
                    "containing the word",
                    "contains the word",
                    "containing the substring",
                    "contains the substring",
                    "containing",
                    "contains",
                    "contain the letter",
                    "contain the word",
                    "contain the substring",
                    "contain",
                    "including the word",
                    "includes the word",
                    "has the substring",
                    "have the substring",
                    "includes",
                    "include",
                ],
                Comparison::Contains,
            ),
            (&["equal to", "=", "exactly"], Comparison::Equal),
        ];
        let before = self.at;
        self.eat("that");
        for (phrases, comparison) in TABLE {
            if self.eat_any(phrases) {
                return Some(*comparison);
            }
        }
        self.at = before;
        None
    }

    /// The literals of a comparison; several are alternatives, or the ends of a range.
    pub(crate) fn literals(
        &mut self,
        column: &Mention,
        comparison: Option<Comparison>,
        is_compared: bool,
    ) -> Option<Vec<Literal>> {
        let before = self.at;
        let like = matches!(
            comparison,
            Some(Comparison::Contains | Comparison::StartsWith | Comparison::EndsWith)
        );
        if like
            && let Some(token) = self.token(0).filter(|token| {
                token.kind == TokenKind::Quoted
                    || (token.kind == TokenKind::Word
                        && (token.text.chars().count() == 1 || token.text != token.lower))
            })
        {
            self.at += 1;
            return Some(vec![Literal::text(token.text.clone())]);
        }
        let first = self.literal(column, is_compared)?;
        let mut literals = vec![first];
        if comparison == Some(Comparison::Between) {
            if !self.eat_any(&["and", "to"]) {
                self.at = before;
                return None;
            }
            self.skip(&["$", "€", "£"]);
            match self.literal(column, true) {
                Some(second) => literals.push(second),
                None => {
                    self.at = before;
                    return None;
                }
            }
        } else {
            while self.is_at(&["or"]) {
                let at = self.at;
                self.at += 1;
                match self.literal(column, true) {
                    Some(next) => literals.push(next),
                    None => {
                        self.at = at;
                        break;
                    }
                }
            }
        }
        Some(literals)
    }

    pub(crate) fn literal(&mut self, column: &Mention, is_compared: bool) -> Option<Literal> {
        let token = self.token(0)?;
        let here = self.at;
        if let Some(value) = self.links.value_at(here) {
            let links: Vec<_> = value
                .values
                .iter()
                .filter(|link| column.columns.iter().any(|(id, _)| *id == link.column))
                .cloned()
                .collect();
            if let Some(link) = links.first() {
                self.at = value.end;
                return Some(Literal {
                    text: link.text.clone(),
                    is_number: false,
                    links,
                });
            }
        }
        if token.kind == TokenKind::Quoted {
            self.at += 1;
            return Some(Literal::text(token.text.clone()));
        }
        if let Some(number) = &token.number {
            if self.entity_at(here + 1).is_some() || (token.kind == TokenKind::Word && !is_compared)
            {
                return None;
            }
            self.at += 1;
            return Some(Literal::number(number.clone()));
        }
        if self.links.value_at(here).is_some() {
            return None;
        }
        let is_name = |text: &str, lower: &str| text != lower && !lexicon::is_function_word(lower);
        if token.kind != TokenKind::Word
            || !is_name(&token.text, &token.lower)
            || self.links.name_at(here).is_some()
        {
            return None;
        }
        let mut words = Vec::new();
        while let Some(token) = self.token(0)
            && token.kind == TokenKind::Word
            && is_name(&token.text, &token.lower)
            && self.links.name_at(self.at).is_none()
        {
            words.push(token.text.clone());
            self.at += 1;
        }
        let text = words.join(" ");
        // An abbreviation may refer to a value that is stored in full.
        if text.len() < 3 && !text.chars().any(|c| c.is_ascii_digit()) {
            self.at = here;
            return None;
        }
        Some(Literal::text(words.join(" ")))
    }
}
