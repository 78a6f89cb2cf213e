//! What retrieval hands on: everything that a prompt or the built-in engine is given for a question.

use std::collections::HashSet;
use std::sync::Arc;

use crate::asked_words::AskedWords;
use crate::certainty::{Certainty, Level};
use crate::found_table::{FoundTable, Reason};
use crate::prompt_size;
use crate::tables::families::Family;
use text2sql_domain::config::Config;
use text2sql_domain::instruction::Instruction;
use text2sql_domain::ports::search_index::{Example, Joining, ValueHit};
use text2sql_domain::proposal::SqlProposal;
use text2sql_domain::question::Earlier;
use text2sql_domain::schema::{Definition, SchemaNote, Table, TableName};
use text2sql_language::interpretation::Facts;

/// What was retrieved for a question.
#[derive(Debug, Clone, Default)]
pub struct Context {
    /// The tables, best first.
    pub tables: Vec<Arc<Table>>,
    /// Whether these are all tables the caller may read.
    pub is_whole: bool,
    /// Readable tables that are not among them, best first. Where there are too many to list, those that share
    /// something with the question.
    pub others: Vec<TableName>,
    /// How certain the search is; `None` where nothing was searched for, or only by names.
    pub certainty: Option<Certainty>,
    /// What is said of the schemas of these tables.
    pub schema_notes: Vec<SchemaNote>,
    /// Definitions of the business terms in the question.
    pub definitions: Vec<Definition>,
    /// Definitions that the question may mean without using their terms, best first.
    pub related: Vec<Definition>,
    /// Why each table is there; empty where nothing was searched for.
    pub found: Vec<FoundTable>,
    /// The joins among the tables.
    pub joins: Vec<Joining>,
    /// Families that one table represents.
    pub families: Vec<Family>,
    /// Values that the question mentions, in these tables, each with the phrase.
    pub values: Vec<(String, ValueHit)>,
    /// Names and codes of the question that no indexed value is even near.
    pub unfound: Vec<String>,
    /// Verified examples, best first.
    pub examples: Vec<Example>,
    /// Notes for the user about the search, such as an endpoint that failed.
    pub notes: Vec<String>,
    /// The answer of a follow-up that changes the meaning of the answer before it, for the built-in engine.
    pub changed: Option<Box<SqlProposal>>,
    /// The earlier turns of the conversation.
    pub earlier: Vec<Earlier>,
    /// The owner's instructions that may apply.
    pub instructions: Vec<Instruction>,
    /// Facts that interpret words of the question.
    pub facts: Facts,
    /// The words that columns are chosen by, where a prompt does not show all of a table.
    pub asked: AskedWords,
}

impl Context {
    /// Words of the question that were read as words of the catalog, as `'kunden' is customers`; each is in a table
    /// that was found, which the caller may read.
    pub fn read(&self) -> Vec<String> {
        let mut read: Vec<String> = Vec::new();
        for reason in self.found.iter().flat_map(|found| &found.reasons) {
            if let Reason::ReadAs { written, word } = reason {
                let text = format!("'{written}' is {word}");
                if !read.contains(&text) {
                    read.push(text);
                }
            }
        }
        read
    }

    /// Size of the schema part of a prompt for the question.
    pub fn schema_chars(&self, config: &Config) -> usize {
        prompt_size::chars(self.level(), config.schema_chars())
    }

    /// How many of `chars` characters the names of the tables that are not shown may take.
    pub fn name_chars(&self, chars: usize) -> usize {
        prompt_size::name_chars(self.level(), chars)
    }

    /// The tables that are described in full; `None` where all are. They are the best, those that the question or a term
    /// names, and those that hold a value of the question.
    pub fn in_full(&self) -> Option<HashSet<u32>> {
        let level = self.certainty.as_ref()?.level;
        let is_meant = |found: &FoundTable| {
            let mut reasons = found.reasons.iter();
            reasons.any(|reason| matches!(reason, Reason::Named | Reason::Defined(_)))
        };
        let best = self.found.iter().take(prompt_size::in_full(level));
        let meant = self.found.iter().filter(|found| is_meant(found));
        let found = best.chain(meant).map(|found| found.table);
        let values = self.values.iter().map(|(_, hit)| hit.table);
        Some(found.chain(values).collect())
    }

    fn level(&self) -> Level {
        let level = self.certainty.as_ref().map(|certainty| certainty.level);
        level.unwrap_or(Level::Uncertain)
    }
}
