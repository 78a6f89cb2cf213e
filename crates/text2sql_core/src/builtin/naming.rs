//! "named Berlin", "with the name 'Huber'": what names a row.

use super::lexicon;
use super::parse::Parser;
use super::request::{Condition, ConditionKind, Stop};
use super::words::TokenKind;

impl Parser<'_> {
    /// "… that are named X", "… have the name X", "… whose name is X": always the row's own name.
    pub(super) fn name_filter(&mut self) -> Result<bool, Stop> {
        let before = self.at;
        let Some(owner) = self.owner.or(self.request.subject) else {
            return Ok(false);
        };
        self.skip(&["that", "which", "who", "do", "does"]);
        self.skip(&["is", "are", "was", "were"]);
        let negated = self.eat("not");
        let says_name = self.eat_any(&[
            "named",
            "called",
            "with the name of",
            "with the name",
            "with a name of",
            "with name",
            "have the name",
            "has the name",
            "having the name",
            "had the name",
            "have name",
            "has name",
            "by the name of",
            "by the name",
            "whose name is",
            "whose names are",
        ]);
        let Some(text) = says_name.then(|| self.name_text()).flatten() else {
            self.at = before;
            return Ok(false);
        };
        if self.lower(0) == "or" {
            return self.unplaced();
        }
        self.request.conditions.push(Condition {
            owner: Some(owner),
            is_negated: negated,
            kind: ConditionKind::Label { text },
        });
        Ok(true)
    }

    /// A name as the question spells it: in quotes, in capitals, a number, or one word.
    fn name_text(&mut self) -> Option<String> {
        let before = self.at;
        let first = self.token(0)?;
        if first.kind == TokenKind::Quoted {
            self.at += 1;
            return Some(first.text.clone());
        }
        let is_capital = |text: &str, lower: &str| text != lower;
        let mut words: Vec<&str> = Vec::new();
        while let Some(token) = self.token(0)
            && matches!(token.kind, TokenKind::Word | TokenKind::Number)
            && (is_capital(&token.text, &token.lower)
                || (token.kind == TokenKind::Number && !words.is_empty()))
        {
            words.push(&token.text);
            self.at += 1;
        }
        if words.is_empty() {
            let is_plain = match first.kind {
                TokenKind::Number => true,
                TokenKind::Word => {
                    !lexicon::is_known(&first.lower) && self.links.name_at(before).is_none()
                }
                _ => false,
            };
            if !is_plain {
                return None;
            }
            words.push(&first.text);
            self.at += 1;
        }
        // Words in lower case behind it may belong to the name.
        let goes_on = self
            .token(0)
            .is_some_and(|token| token.kind == TokenKind::Word && !lexicon::is_known(&token.lower));
        if goes_on {
            self.at = before;
            return None;
        }
        Some(words.join(" "))
    }
}
