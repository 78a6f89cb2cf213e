//! What flows from one statement to the next: the tables that it writes, and those that it reads.

use std::ops::ControlFlow;

use sqlparser::ast::{
    Delete, FromTable, ObjectName, Query, Statement, TableFactor, TableObject, TableWithJoins,
    Visitor,
};
use text2sql_domain::error::Error;
use text2sql_domain::object_name;
use text2sql_phrases::say;
use text2sql_sql::reader as sql_reader;
use text2sql_sql::tree::syntax::{fold, fold_parts};
use text2sql_sql::visit;

/// What a statement does to a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    Makes,
    Fills,
    Changes,
    Empties,
    Removes,
}

/// A name in parts, folded as PostgreSQL folds it.
pub(crate) type Name = Vec<String>;

/// The tables that a statement reads and writes.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    reads: Vec<Name>,
    writes: Vec<(Name, Effect)>,
    helpers: Vec<String>,
}

impl Facts {
    /// The effects of a statement; none if the parser does not support its syntax.
    pub(crate) fn of(statement: &str) -> Result<Self, Error> {
        let mut facts = Self::default();
        let Some(statements) = sql_reader::statements(statement)? else {
            return Ok(facts);
        };
        let _ = visit::statements(&statements, &mut facts);
        // A target is visited like a relation that is read.
        for (target, effect) in &facts.writes {
            if let Some(place) = facts.reads.iter().position(|read| read == target)
                && *effect != Effect::Makes
            {
                facts.reads.remove(place);
            }
        }
        let helpers = std::mem::take(&mut facts.helpers);
        facts
            .reads
            .retain(|read| !matches!(read.as_slice(), [name] if helpers.contains(name)));
        Ok(facts)
    }

    /// What is read.
    pub(crate) fn reads(&self) -> &[Name] {
        &self.reads
    }

    /// What is made, filled, changed, emptied or removed.
    pub(crate) fn writes(&self) -> impl Iterator<Item = &Name> {
        self.writes.iter().map(|(name, _)| name)
    }

    /// What is made.
    pub(crate) fn makes(&self) -> impl Iterator<Item = &Name> {
        let made = self
            .writes
            .iter()
            .filter(|(_, effect)| *effect == Effect::Makes);
        made.map(|(name, _)| name)
    }

    /// The bare names of what is read and written.
    pub(super) fn names(&self) -> impl Iterator<Item = String> {
        let written = self.writes.iter().map(|(name, _)| name);
        self.reads
            .iter()
            .chain(written)
            .filter_map(|name| name.last().cloned())
    }
}

impl Visitor for Facts {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        let helpers = query.with.iter().flat_map(|with| &with.cte_tables);
        self.helpers
            .extend(helpers.map(|helper| fold(&helper.alias.name)));
        ControlFlow::Continue(())
    }

    fn pre_visit_relation(&mut self, name: &ObjectName) -> ControlFlow<()> {
        self.reads.push(fold_parts(name));
        ControlFlow::Continue(())
    }

    fn pre_visit_statement(&mut self, statement: &Statement) -> ControlFlow<()> {
        let mut writes = |name: &ObjectName, effect| self.writes.push((fold_parts(name), effect));
        match statement {
            Statement::Insert(insert) => {
                if let TableObject::TableName(name) = &insert.table {
                    writes(name, Effect::Fills);
                }
            }
            Statement::Update(update) => {
                if let TableFactor::Table { name, .. } = &update.table.relation {
                    writes(name, Effect::Changes);
                }
            }
            Statement::Delete(Delete { from, .. }) => {
                let (FromTable::WithFromKeyword(tables) | FromTable::WithoutKeyword(tables)) = from;
                if let Some(TableWithJoins {
                    relation: TableFactor::Table { name, .. },
                    ..
                }) = tables.first()
                {
                    writes(name, Effect::Empties);
                }
            }
            Statement::Merge(merge) => {
                if let TableFactor::Table { name, .. } = &merge.table {
                    writes(name, Effect::Changes);
                }
            }
            Statement::CreateTable(table) => writes(&table.name, Effect::Makes),
            Statement::CreateView(view) => writes(&view.name, Effect::Makes),
            Statement::AlterTable(alter) => writes(&alter.name, Effect::Changes),
            Statement::Truncate(truncate) => {
                for target in &truncate.table_names {
                    writes(&target.name, Effect::Empties);
                }
            }
            Statement::Drop { names, .. } => {
                for name in names {
                    writes(name, Effect::Removes);
                }
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

/// What the statements so far have written, the latest last.
#[derive(Debug, Default)]
pub(super) struct Written(Vec<(Name, Effect, String)>);

impl Written {
    /// What a statement takes from earlier ones, in sentences, and remembers what it writes as that of `number`.
    pub(super) fn after(&mut self, facts: Facts, number: &str) -> Vec<String> {
        let mut sentences: Vec<String> = Vec::new();
        let mut told: Vec<Name> = Vec::new();
        for read in facts.reads {
            if told.contains(&read) {
                continue;
            }
            let words = self
                .about(&read)
                .into_iter()
                .map(|(effect, earlier)| reading(&object_name::join(&read), effect, earlier));
            sentences.extend(words);
            told.push(read);
        }
        for (target, effect) in facts.writes {
            if effect != Effect::Makes && !told.contains(&target) {
                let made = self
                    .about(&target)
                    .into_iter()
                    .find(|(effect, _)| *effect == Effect::Makes);
                sentences.extend(made.map(|(_, earlier)| {
                    say!(
                        "It works on {name}, which statement {number} creates.",
                        name = object_name::join(&target),
                        number = earlier
                    )
                }));
                told.push(target.clone());
            }
            self.0.retain(|(name, known, _)| {
                // A table is as the last statement of each kind left it.
                !(is_same(name, &target) && (*known == effect || effect == Effect::Makes))
            });
            self.0.push((target, effect, number.to_owned()));
        }
        sentences
    }

    fn about(&self, name: &Name) -> Vec<(Effect, &str)> {
        let known = self.0.iter().filter(|(known, ..)| is_same(known, name));
        let known: Vec<(Effect, &str)> = known
            .map(|(_, effect, number)| (*effect, number.as_str()))
            .collect();
        match known.last() {
            Some((Effect::Removes, _)) => known.last().copied().into_iter().collect(),
            _ => known
                .into_iter()
                .filter(|(effect, _)| *effect != Effect::Removes)
                .collect(),
        }
    }
}

pub(crate) fn is_same(one: &Name, other: &Name) -> bool {
    match (one.as_slice(), other.as_slice()) {
        ([name], [.., last]) | ([.., last], [name]) => name == last,
        (one, other) => one == other,
    }
}

fn reading(name: &str, effect: Effect, number: &str) -> String {
    match effect {
        Effect::Makes => say!("It reads {name}, which statement {number} creates."),
        Effect::Fills => say!("It reads {name}, to which statement {number} adds rows."),
        Effect::Changes => say!("It reads {name}, which statement {number} changes."),
        Effect::Empties => say!("It reads {name}, from which statement {number} deletes rows."),
        Effect::Removes => {
            say!("It reads {name}, which statement {number} has removed: that would be an error.")
        }
    }
}
