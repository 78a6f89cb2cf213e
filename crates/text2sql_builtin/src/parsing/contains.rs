//! "that contain the word 'you'", "that have 'a' in their names": a part of a text.

use crate::linking::mention::Mention;
use crate::no_answer::Stop;
use crate::parsing::parser::Parser;
use crate::parsing::request::{Comparison, Literal, Target};
use text2sql_language::words::TokenKind;

impl Parser<'_> {
    /// After "that" or "who": the text is the one asked for, else the one named after "in their".
    pub(crate) fn label_contains(&mut self) -> Result<bool, Stop> {
        let before = self.at;
        let comparison = self.comparison().filter(|comparison| {
            matches!(
                comparison,
                Comparison::Contains | Comparison::StartsWith | Comparison::EndsWith
            )
        });
        if let Some(comparison) = comparison
            && let Some(text) = self
                .part()
                .or_else(|| self.letter())
                .or_else(|| self.announced())
        {
            let named = self.text_after_in();
            let column = named.or_else(|| match self.request.targets.as_slice() {
                [Target::Named { mention, .. }] => Some(mention.clone()),
                _ => None,
            });
            if let Some(column) = column {
                self.push_part(column, comparison, text);
                return Ok(true);
            }
        }
        self.at = before;
        if self.eat_any(&[
            "have", "has", "had", "with", "include", "includes", "contain", "contains",
        ]) && let Some(text) = self.part()
            && let Some(column) = self.text_after_in()
        {
            self.push_part(column, Comparison::Contains, text);
            return Ok(true);
        }
        self.at = before;
        Ok(false)
    }

    fn push_part(&mut self, column: Mention, comparison: Comparison, text: String) {
        let literals = vec![Literal::text(text)];
        self.push_compare(false, column, comparison, literals);
    }

    /// A text in quotes, or the word or letters after "the word" or "the letter".
    fn part(&mut self) -> Option<String> {
        let before = self.at;
        self.skip(&["the", "a", "an"]);
        let is_said = self.eat_any(&[
            "word",
            "letter",
            "letters",
            "substring",
            "string",
            "phrase",
            "text",
            "prefix",
        ]);
        let token = self.token(0)?;
        let is_capital = token.kind == TokenKind::Word
            && token.text.len() > 1
            && token.text == token.text.to_uppercase();
        if token.kind == TokenKind::Quoted
            || (is_said && token.kind == TokenKind::Word)
            || is_capital
        {
            self.at += 1;
            return Some(token.text.clone());
        }
        self.at = before;
        None
    }

    /// The word behind "the word", which the comparison took.
    fn announced(&mut self) -> Option<String> {
        let is_announced = self
            .at
            .checked_sub(1)
            .and_then(|before| self.tokens.get(before))
            .is_some_and(|before| {
                matches!(
                    before.lower.as_str(),
                    "word" | "letter" | "letters" | "substring"
                )
            });
        let token = self
            .token(0)
            .filter(|token| token.kind == TokenKind::Word && is_announced)?;
        self.at += 1;
        Some(token.text.clone())
    }

    /// "A" alone, where a text starts or ends with it.
    fn letter(&mut self) -> Option<String> {
        let token = self.token(0)?;
        let is_letter = token.kind == TokenKind::Word
            && token.text.chars().count() == 1
            && token.text != token.lower;
        is_letter.then(|| {
            self.at += 1;
            token.text.clone()
        })
    }

    /// "in their names", "in them".
    fn text_after_in(&mut self) -> Option<Mention> {
        let before = self.at;
        if self.eat("in") {
            self.skip(&["its", "their", "the", "his", "her"]);
            if let Some(mention) = self.links.name_at(self.at) {
                self.at = mention.end;
                return Some(mention.clone());
            }
            if self.eat_any(&["them", "it"]) {
                return None;
            }
        }
        self.at = before;
        None
    }
}
