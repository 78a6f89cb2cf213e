//! A second sentence that says what to show or how to order: "Give me their names."

use crate::no_answer::Stop;
use crate::parsing::parser::Parser;
use crate::parsing::request::Target;
use text2sql_language::english::lexicon;
use text2sql_language::words::TokenKind;

impl Parser<'_> {
    /// After the end of the first sentence.
    pub(crate) fn next_sentence(&mut self) -> Result<(), Stop> {
        while self
            .token(0)
            .is_some_and(|token| token.kind == TokenKind::Stop)
        {
            self.at += 1;
        }
        if self.is_end() {
            return Ok(());
        }
        let before = self.at;
        self.skip(&["please", "just", "and", "also", "then"]);
        if self.order()? {
            return Ok(());
        }
        self.skip(&["sort", "order"]);
        self.at = before;
        let Some(subject) = self.request.subject else {
            return Ok(());
        };
        let only_rows = match self.request.targets.as_slice() {
            [Target::Entity(table)] => *table == subject,
            [
                Target::Named {
                    mention,
                    owner: None,
                },
            ] => mention.best_tables() == [subject],
            _ => false,
        };
        let opens = lexicon::OPENERS.contains(&self.lower(0));
        if !only_rows || !opens {
            return Ok(());
        }
        let earlier = std::mem::take(&mut self.request.targets);
        let owner = self.owner;
        self.opener();
        self.skip(&["only", "just", "the"]);
        self.skip(lexicon::PRONOUNS);
        self.targets()?;
        if self.eat_any(&[
            "of these",
            "of those",
            "of the",
            "for these",
            "for those",
            "of them",
            "for them",
        ]) && let Some((table, end)) = self
            .entity_at(self.at)
            .filter(|(table, _)| *table == subject)
        {
            self.at = end;
            self.owner = Some(table);
        }
        let says_columns = self
            .request
            .targets
            .iter()
            .all(|target| matches!(target, Target::Named { .. }));
        if !says_columns {
            self.request.targets = earlier;
            self.at = before;
            return self.unplaced();
        }
        for target in &mut self.request.targets {
            if let Target::Named { owner, .. } = target {
                owner.get_or_insert(subject);
            }
        }
        self.owner = owner;
        Ok(())
    }
}
