//! Binds a request to one SELECT: lists, aggregates, groups and rankings.

use crate::binding::binder::Binder;
use crate::binding::scope::Scope;
use crate::linking::mention::{ColumnId, Mention};
use crate::linking::names;
use crate::linking::readable_names::readable;
use crate::no_answer::Stop;
use crate::parsing::request::{Condition, Target};
use text2sql_domain::schema::quote_identifier;

/// The parts of the statement.
#[derive(Debug, Clone, Default)]
pub(crate) struct Select {
    pub(crate) is_distinct: bool,
    /// Expression and output name.
    pub(crate) columns: Vec<(String, String)>,
    pub(crate) scope: Scope,
    pub(crate) group_by: Vec<String>,
    pub(crate) order_by: Vec<String>,
    pub(crate) limit: Option<u64>,
    /// Whether a superlative orders the rows.
    pub(crate) is_ranked: bool,
}

/// The note about possible ties, before they are looked up.
fn ties_note(limit: Option<u64>) -> &'static str {
    match limit {
        Some(1) => "ties are possible: only the first of them is shown",
        _ => "ties are possible: rows equal to the last one may be left out",
    }
}

impl Select {
    /// The note about possible ties, before they are looked up; `None` if the ranking has no limit.
    pub(crate) fn ties_note(&self) -> Option<&'static str> {
        (self.is_ranked && self.limit.is_some()).then(|| ties_note(self.limit))
    }

    /// Adds an output column under a name that no other has.
    pub(crate) fn push(&mut self, expression: String, name: &str) -> String {
        let base = output_name(name);
        let mut unique = base.clone();
        let mut number = 2;
        while self.columns.iter().any(|(_, known)| *known == unique) {
            unique = format!("{base}_{number}");
            number += 1;
        }
        self.columns.push((expression, unique.clone()));
        unique
    }

    pub(crate) fn has(&self, expression: &str) -> bool {
        self.columns.iter().any(|(known, _)| known == expression)
    }

    /// What follows a measure in ORDER BY: the greatest first, and NULL after every number.
    pub(crate) fn direction(
        &self,
        measure: &str,
        is_descending: bool,
        may_be_null: bool,
    ) -> &'static str {
        let named = self.columns.iter().find(|(_, name)| name == measure);
        let expression = named.map_or(measure, |(expression, _)| expression.as_str());
        let is_count = expression.starts_with("count(") && expression.matches('(').count() == 1;
        match (is_descending, may_be_null && !is_count) {
            (false, _) => "",
            (true, false) => " DESC",
            (true, true) => " DESC NULLS LAST",
        }
    }

    /// The expression's output name, or the expression.
    pub(crate) fn order_term(&self, expression: &str) -> String {
        let named = self.columns.iter().find(|(known, _)| known == expression);
        named.map_or_else(|| expression.to_owned(), |(_, name)| quote_identifier(name))
    }
}

/// A column name that is a plain placeholder: lower snake case, in letters of any script.
pub(crate) fn output_name(name: &str) -> String {
    let mut plain = String::new();
    for c in readable(name).chars() {
        plain.push(if c.is_alphanumeric() { c } else { '_' });
    }
    if plain.is_empty() || plain.starts_with(|c: char| c.is_ascii_digit()) {
        format!("column_{plain}")
    } else {
        plain
    }
}

impl Binder<'_> {
    /// Builds the statement for the request.
    pub(crate) fn select(&mut self) -> Result<Select, Stop> {
        let aggregated = self.request.targets.iter().any(Target::is_aggregate);
        let mut select = if aggregated {
            self.select_aggregates()?
        } else if let Some(counted) = self.counted_rank()? {
            self.select_ranked_groups(counted)?
        } else {
            self.select_list()?
        };
        if self.request.limit.is_some() && select.limit.is_none() {
            if self.request.rank.is_none() {
                return Err(Stop::Unanswerable(
                    "the question does not say which rows come first".to_owned(),
                ));
            }
            select.limit = self.request.limit;
            self.note(ties_note(select.limit).to_owned());
        }
        Ok(select)
    }

    pub(crate) fn owner_of(&self, owner: Option<usize>) -> Option<usize> {
        owner.or(self.request.subject)
    }

    /// Resolves a named target to a column, or to a table whose label is shown.
    pub(crate) fn named(&self, mention: &Mention, owner: Option<usize>) -> Result<Named, Stop> {
        let owner_or_subject = self.owner_of(owner);
        if mention.is_name_word
            && let Some(owner) = owner_or_subject
            && (mention.is_full_name_word || self.resolve(mention, Some(owner)).is_err())
        {
            return Ok(Named::Table(owner));
        }
        let table = match mention.best_tables().as_slice() {
            [table] => Some(*table),
            _ => None,
        };
        match (table, owner_or_subject) {
            (Some(table), Some(owner)) if table != owner => {
                let own = mention
                    .columns
                    .iter()
                    .any(|(id, tier)| id.table == owner && *tier <= names::WITHOUT_TABLE);
                let exact = mention
                    .columns
                    .iter()
                    .any(|(id, tier)| id.table == owner && *tier == names::EXACT);
                if own
                    && !exact
                    && mention
                        .tables
                        .iter()
                        .any(|(known, tier)| *known == table && *tier == names::EXACT)
                    && self.joins.path(owner, table).is_ok()
                {
                    let name = &self.table(table)?.name;
                    return Err(Stop::Unanswerable(format!(
                        "{name} is a table, and a column of {} has that name",
                        self.table(owner)?.name
                    )));
                }
                if own {
                    let id = self.resolve(mention, Some(owner))?;
                    Ok(self.row_of_key(mention, id))
                } else {
                    Ok(Named::Table(table))
                }
            }
            (Some(table), _) if owner_or_subject.is_none() || owner.is_none() => {
                Ok(Named::Table(table))
            }
            _ => {
                let id = self.resolve(mention, owner_or_subject)?;
                Ok(self.row_of_key(mention, id))
            }
        }
    }

    /// Refuses a table that has a column of the same name: "how many degrees" may count rows or add up the
    /// column.
    pub(crate) fn refuse_same_named_column(&self, table: usize) -> Result<(), Stop> {
        let definition = self.table(table)?;
        let words = names::glued_key(&definition.name);
        let twin = definition
            .columns
            .iter()
            .position(|column| names::glued_key(&column.name) == words);
        match twin {
            // Text that only names the rows is no other thing: "cities" are rows of `city` by their names.
            Some(column)
                if !(self.is_text(ColumnId { table, column })
                    && names::label_columns(definition) == [column])
                    && !self.is_unique(ColumnId { table, column })
                    && self.question_contains(&words) =>
            {
                Err(Stop::Unanswerable(format!(
                    "{0} is a table and a column of it: rows or values may be meant",
                    definition.name
                )))
            }
            _ => Ok(()),
        }
    }

    /// Whether consecutive words of the question, joined, are this name.
    fn question_contains(&self, key: &str) -> bool {
        const MAX_WORDS: usize = 4;
        (0..self.tokens.len()).any(|start| {
            let mut together = String::new();
            self.tokens.iter().skip(start).take(MAX_WORDS).any(|token| {
                together.push_str(&token.lower);
                names::glued_key(&together) == key
            })
        })
    }

    /// The outputs of a named target.
    pub(crate) fn columns_of(&self, named: &Named) -> Result<Vec<ColumnId>, Stop> {
        match named {
            Named::Column(id) => Ok(vec![*id]),
            Named::Table(table) => self.label(*table),
        }
    }

    /// The outputs that name the first row: a first name alone does not.
    pub(crate) fn leader_names(&self, select: &Select) -> Vec<String> {
        let label = match self.request.targets.first() {
            Some(Target::Entity(table)) => self.label(*table),
            Some(Target::Named { mention, owner }) => self
                .named(mention, *owner)
                .and_then(|named| self.columns_of(&named)),
            Some(Target::All(table)) => {
                let names = self.label(*table).unwrap_or_default();
                let names: Vec<String> = names
                    .iter()
                    .filter_map(|id| Some(output_name(&self.column(*id).ok()?.name)))
                    .filter(|name| select.columns.iter().any(|(_, known)| known == name))
                    .collect();
                if !names.is_empty() {
                    return names;
                }
                Ok(Vec::new())
            }
            _ => Ok(Vec::new()),
        };
        let count = label.map_or(1, |label| label.len().max(1));
        let names = select.columns.iter().take(count);
        names.map(|(_, name)| name.clone()).collect()
    }

    /// The columns that identify a row for a person: its label, else its key.
    pub(crate) fn label(&self, index: usize) -> Result<Vec<ColumnId>, Stop> {
        let table = self.table(index)?;
        let mut columns = names::label_columns(table);
        if columns.is_empty()
            && let Some(named) = self.names_of_connected(index)
        {
            return Ok(named);
        }
        if columns.is_empty() {
            columns = table
                .primary_key
                .iter()
                .filter_map(|key| table.columns.iter().position(|column| column.name == *key))
                .collect();
        }
        if columns.is_empty() {
            return Err(Stop::Unanswerable(format!(
                "no column of {} names its rows",
                table.name
            )));
        }
        Ok(columns
            .into_iter()
            .map(|column| ColumnId {
                table: index,
                column,
            })
            .collect())
    }

    pub(crate) fn conditions(&self) -> Vec<Condition> {
        self.request.conditions.clone()
    }
}

/// A resolved target or group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Named {
    Column(ColumnId),
    Table(usize),
}
