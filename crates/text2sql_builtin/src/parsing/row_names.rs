//! Names of rows: "named Berlin", "category Tents", or a stored value alone.

use crate::linking::readable_names::plural;
use crate::no_answer::Stop;
use crate::parsing::conditions::end_of_last;
use crate::parsing::parser::Parser;
use crate::parsing::request::{Condition, ConditionKind, Target};
use text2sql_language::english::lexicon;
use text2sql_language::words::TokenKind;

impl Parser<'_> {
    /// "… that are named X", "… have the name X", "… whose name is X": always the row's own name.
    pub(crate) fn name_filter(&mut self) -> Result<bool, Stop> {
        let before = self.at;
        let Some(owner) = self.owner.or(self.request.subject) else {
            return Ok(false);
        };
        self.skip(&["that", "which", "who", "do", "does"]);
        self.skip(&["is", "are", "was", "were"]);
        let negated = self.eat("not");
        let is_name_word = self.eat_any(&[
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
        let Some(text) = is_name_word.then(|| self.name_text()).flatten() else {
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

    /// A stored value with or without its noun, or a table whose rows must be related.
    pub(crate) fn value_or_entity(&mut self, negated: bool) -> Result<bool, Stop> {
        let value = self.links.value_at(self.at).cloned();
        let entity = self.entity_at(self.at);
        let name_is_longer = match (&value, entity) {
            (Some(value), Some((_, end))) => end >= value.end,
            (None, Some(_)) => true,
            _ => false,
        };
        if let Some(value) = value.filter(|_| !name_is_longer) {
            self.at = value.end;
            let mut negated = negated;
            let noun = self.entity_at(self.at);
            if let Some((table, end)) = noun {
                self.at = end;
                if Some(table) != self.owner {
                    self.note_table(table);
                    if self.request.subject.is_some_and(|subject| subject != table) {
                        self.push(negated, ConditionKind::Related { table });
                        negated = false;
                    } else {
                        self.request.subject.get_or_insert(table);
                    }
                    self.owner = Some(table);
                }
            } else if let Some(column) = self.links.name_at(self.at)
                && column
                    .columns
                    .iter()
                    .any(|(id, _)| value.values.iter().any(|link| link.column == *id))
            {
                self.at = column.end;
            } else if value.values.iter().all(|link| !link.is_exact) {
                self.at = value.start;
                return Ok(false);
            }
            let mut alternatives = vec![value];
            while self.is_at(&["or"]) && noun.is_none() {
                let Some(next) = self.links.value_at(self.at + 1).cloned() else {
                    break;
                };
                self.at = next.end;
                alternatives.push(next);
            }
            if let (true, Some((table, end))) = (noun.is_none(), self.entity_at(self.at))
                && alternatives.len() > 1
            {
                self.at = end;
                if Some(table) != self.owner
                    && self.request.subject.is_some_and(|subject| subject != table)
                {
                    self.note_table(table);
                    self.push(negated, ConditionKind::Related { table });
                    negated = false;
                    self.owner = Some(table);
                }
            }
            self.push(negated, ConditionKind::Value { alternatives });
            return Ok(true);
        }
        let Some((table, end)) = entity else {
            return Ok(false);
        };
        let start = self.at;
        self.at = end;
        let is_subject = self.request.subject.is_none() && !negated;
        let is_attached = end_of_last(&self.request).is_none_or(|last| last != start);
        if is_subject && !is_attached {
            self.at = start;
            return self.unplaced();
        }
        if !is_subject {
            self.refuse_compound(start, end, table)?;
        }
        if is_subject {
            self.enter(table);
        } else if self.owner != Some(table) && self.request.subject != Some(table) {
            self.note_table(table);
            self.push(negated, ConditionKind::Related { table });
            self.owner = Some(table);
        } else {
            self.owner = Some(table);
        }
        self.entity_name();
        Ok(true)
    }

    /// "product categories" asks for the categories rather than for products with one.
    fn refuse_compound(&self, start: usize, end: usize, table: usize) -> Result<(), Stop> {
        let Some(first) = start.checked_sub(1) else {
            return Ok(());
        };
        let (Some(token), Some((before, _))) = (self.tokens.get(first), self.entity_at(first))
        else {
            return Ok(());
        };
        let is_singular = token.kind == TokenKind::Word && token.lower == token.stem;
        let is_asked = self.request.subject == Some(before)
            && matches!(
                self.request.targets.as_slice(),
                [Target::Entity(_) | Target::Count(_) | Target::Named { owner: None, .. }]
            );
        if !is_singular || !is_asked || before == table || !self.request.conditions.is_empty() {
            return Ok(());
        }
        let nouns: Vec<&str> = self
            .tokens
            .get(start..end)
            .unwrap_or_default()
            .iter()
            .map(|token| token.surface.as_str())
            .collect();
        let nouns = nouns.join(" ");
        let rows = plural(&token.surface);
        Err(Stop::Ambiguous {
            question: format!("is each of the {nouns} meant, or {rows} with {nouns}?"),
            start: first,
            end,
            replacements: vec![nouns.clone(), format!("{rows} with {nouns}")],
        })
    }

    /// The name of a row directly after its noun: "department Marketing", "room 111".
    pub(crate) fn entity_name(&mut self) {
        let Some(owner) = self.owner else { return };
        if matches!(self.name_filter(), Ok(true)) {
            return;
        }
        if let Some(value) = self.links.value_at(self.at).cloned()
            && value.values.iter().any(|link| link.column.table == owner)
            && self.entity_at(self.at).is_none()
        {
            self.at = value.end;
            self.push(
                false,
                ConditionKind::Value {
                    alternatives: vec![value],
                },
            );
            return;
        }
        if let Some(token) = self.token(0) {
            if token.kind == TokenKind::Number {
                self.at += 1;
                self.push(
                    false,
                    ConditionKind::Key {
                        number: token.lower.clone(),
                    },
                );
            } else if token.kind == TokenKind::Quoted && self.links.value_at(self.at).is_none() {
                self.at += 1;
                self.push(
                    false,
                    ConditionKind::Label {
                        text: token.text.clone(),
                    },
                );
            }
        }
    }
}
