//! Lines with a question and its SQL: judged one by one, stored in batches.

use std::collections::HashMap;

use serde_json::Value;
use text2sql_domain::error::Error;
use text2sql_knowledge::mapping::Mapping;
use text2sql_knowledge::pair::Pair;

use super::file::{Line, subject};
use super::provenance::Before;
use crate::pg::access::objects::references::References;
use crate::pg::stored::knowledge::stored_sql::SqlCheck;
use crate::pg::stored::teaching::is_about_one_entry;
use crate::pg::stored::teaching::{check_visible, examples};

/// Rows of one INSERT.
const BATCH: usize = 1_000;

/// The examples of a file.
pub(super) struct Examples<'b> {
    before: &'b Before,
    judge: SqlCheck,
    /// Benchmarks repeat their SQL: each statement is judged once.
    judged: HashMap<String, Result<References, String>>,
    batch: Vec<Value>,
    /// The pairs of the batch, and their places among the lines.
    pending: Vec<(usize, Pair)>,
}

impl<'b> Examples<'b> {
    pub(super) fn new(before: &'b Before) -> Result<Self, Error> {
        Ok(Self {
            before,
            judge: SqlCheck::new()?,
            judged: HashMap::new(),
            batch: Vec::new(),
            pending: Vec::new(),
        })
    }

    /// Takes a line, if its SQL is valid.
    pub(super) fn take(
        &mut self,
        number: i64,
        mapping: &Mapping,
        lines: &mut Vec<Line>,
    ) -> Result<(), Error> {
        let pair = match &mapping.sql {
            Some(sql) => Pair::new(&mapping.term, sql),
            None => Err("it has no \"sql\" or \"SQL\"".to_owned()),
        };
        let row = match pair {
            Ok(pair) => self.row(&pair)?.map(|row| (pair, row)),
            Err(message) => Err(message),
        };
        match row {
            Ok((pair, row)) => {
                self.pending.push((lines.len(), pair));
                self.batch.push(row);
                lines.push(Line {
                    number: Some(number),
                    entry: Some("example"),
                    subject: subject(mapping),
                    outcome: "known",
                    ..Line::default()
                });
            }
            Err(message) => lines.push(Line::refused(number, subject(mapping), message)),
        }
        match self.batch.len() >= BATCH {
            true => self.finish(lines),
            false => Ok(()),
        }
    }

    fn row(&mut self, pair: &Pair) -> Result<Result<Value, String>, Error> {
        if !self.judged.contains_key(&pair.sql) {
            let verdict = self.judged_now(&pair.sql)?;
            self.judged.insert(pair.sql.clone(), verdict);
        }
        Ok(match self.judged.get(&pair.sql) {
            Some(Ok(references)) => Ok(examples::row(pair, references)),
            Some(Err(message)) => Err(message.clone()),
            None => Err("it was not checked".to_owned()),
        })
    }

    fn judged_now(&self, sql: &str) -> Result<Result<References, String>, Error> {
        let objects = match self.judge.reads(sql)? {
            Ok(objects) => objects,
            Err(problem) => return Ok(Err(problem.message)),
        };
        let references = References::to(&objects);
        match check_visible(&references) {
            Ok(()) => Ok(Ok(references)),
            Err(error) if is_about_one_entry(&error) => Ok(Err(error.message().to_owned())),
            Err(error) => Err(error),
        }
    }

    /// Stores what waits, and says which lines are new.
    pub(super) fn finish(&mut self, lines: &mut [Line]) -> Result<(), Error> {
        if self.batch.is_empty() {
            return Ok(());
        }
        let mut added = examples::insert(&self.batch, "import")?;
        let known = match added.len() < self.batch.len() {
            true => examples::find(&self.batch)?,
            false => HashMap::new(),
        };
        self.batch.clear();
        for (place, pair) in self.pending.drain(..) {
            let Some(line) = lines.get_mut(place) else {
                continue;
            };
            let key = (pair.question, pair.sql);
            match added.remove(&key) {
                Some(id) => {
                    (line.outcome, line.is_own, line.entry_id) = ("taken", true, Some(id));
                }
                None => {
                    line.entry_id = known.get(&key).copied();
                    line.is_own = line
                        .entry_id
                        .is_some_and(|id| self.before.examples.contains(&id));
                }
            }
        }
        Ok(())
    }
}
