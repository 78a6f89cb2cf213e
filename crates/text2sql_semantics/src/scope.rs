//! The FROM clause of one SELECT: tables that are reached along keys, each joined once.

use std::sync::Arc;

use crate::family;
use crate::query::{ColumnRef, Related, Step, TableRef};
use crate::refusal::Refusal;
use text2sql_domain::schema::{Column, Table, quote_identifier};

/// Finds a table by its names.
pub(crate) fn find<'t>(tables: &'t [Arc<Table>], named: &TableRef) -> Result<&'t Table, Refusal> {
    let found = tables
        .iter()
        .find(|table| table.name == named.name && table.schema == named.schema);
    found
        .map(Arc::as_ref)
        .ok_or_else(|| Refusal::UnknownTable(named.name.clone()))
}

/// Gives each table of a statement its own name.
#[derive(Debug, Default)]
pub(crate) struct Names(Vec<String>);

impl Names {
    pub(crate) fn take(&mut self, table: &str) -> String {
        let initials: String = table
            .chars()
            .filter(|c| c.is_ascii_alphabetic())
            .take(1)
            .map(|c| c.to_ascii_lowercase())
            .collect();
        let initial = if initials.is_empty() {
            "t".to_owned()
        } else {
            initials
        };
        let mut name = initial.clone();
        let mut count = 1;
        while self.0.contains(&name) {
            count += 1;
            name = format!("{initial}{count}");
        }
        self.0.push(name.clone());
        name
    }
}

struct Joined {
    path: Vec<Step>,
    alias: String,
    sql: String,
    condition: String,
    /// Whether the row before may have none: a foreign key that may be null.
    may_miss: bool,
    is_required: bool,
}

/// A sub-query with one row for each row of the subject that has any, joined to it.
struct Derived {
    related: Related,
    alias: String,
    sql: String,
}

/// The tables of one SELECT.
pub(crate) struct Scope<'t> {
    pub(crate) tables: &'t [Arc<Table>],
    pub(crate) base: &'t Table,
    pub(crate) alias: String,
    joined: Vec<Joined>,
    derived: Vec<Derived>,
    /// Whether a dimension is compiled, which may go to several rows over a table of pairs.
    pub(crate) may_fan: bool,
    /// The table that a dimension reaches that way.
    pub(crate) fanned: Option<String>,
    /// Columns that were taken as keys: their table, they, and the table that they refer to.
    pub(crate) assumed: Vec<(String, String, String)>,
}

impl<'t> Scope<'t> {
    pub(crate) fn of(
        tables: &'t [Arc<Table>],
        base: &TableRef,
        names: &mut Names,
    ) -> Result<Self, Refusal> {
        let base = find(tables, base)?;
        Ok(Self {
            tables,
            base,
            alias: names.take(&base.name),
            joined: Vec::new(),
            derived: Vec::new(),
            may_fan: false,
            fanned: None,
            assumed: Vec::new(),
        })
    }

    /// The alias of the table at the end of the path, which is joined if it was not.
    pub(crate) fn reach(
        &mut self,
        path: &[Step],
        is_required: bool,
        names: &mut Names,
    ) -> Result<(String, &'t Table), Refusal> {
        let (mut alias, mut table, mut may_miss) = (self.alias.clone(), self.base, false);
        for length in 1..=path.len() {
            let (Some(part), Some(step)) = (path.get(..length), path.get(length - 1)) else {
                break;
            };
            let target = find(self.tables, &step.to)?;
            match step.fans_out {
                true => self.check_fan(table, target, path, length)?,
                false => check_step(table, target, step)?,
            }
            self.assume(table, target, step);
            may_miss |= step.key.iter().any(|pair| {
                table
                    .column(&pair.own)
                    .is_none_or(|column| !column.not_null)
            }) || !is_declared(table, target, step);
            if let Some(known) = self.joined.iter_mut().find(|known| known.path == part) {
                known.is_required |= is_required;
                alias = known.alias.clone();
            } else {
                let own = names.take(&target.name);
                let equal = step.key.iter().map(|pair| {
                    format!(
                        "{own}.{} = {alias}.{}",
                        quote_identifier(&pair.other),
                        quote_identifier(&pair.own)
                    )
                });
                let condition = equal.collect::<Vec<_>>().join(" AND ");
                self.joined.push(Joined {
                    path: part.to_vec(),
                    alias: own.clone(),
                    sql: family::source(target),
                    condition,
                    may_miss,
                    is_required,
                });
                alias = own;
            }
            table = target;
        }
        Ok((alias, table))
    }

    /// Refuses a step to several rows unless each pair of rows is there once, and is all that the path goes on to.
    fn check_fan(
        &mut self,
        from: &Table,
        to: &Table,
        path: &[Step],
        length: usize,
    ) -> Result<(), Refusal> {
        let refused = || Refusal::RepeatsRows(from.name.clone(), to.name.clone());
        let (Some(step), Some(next)) = (path.get(length - 1), path.get(length)) else {
            return Err(refused());
        };
        let target = find(self.tables, &next.to)?;
        let is_in_pair = |column: &String| {
            step.key.iter().any(|pair| pair.other == *column)
                || next.key.iter().any(|pair| pair.own == *column)
        };
        let is_whole = |key: &Vec<String>| !key.is_empty() && key.iter().all(is_in_pair);
        let has_pairs_once = is_whole(&to.primary_key) || to.unique_keys.iter().any(is_whole);
        let is_other = self
            .fanned
            .as_ref()
            .is_some_and(|known| *known != target.name);
        if !self.may_fan || !has_pairs_once || path.len() != length + 1 || is_other {
            return Err(refused());
        }
        self.fanned = Some(target.name.clone());
        Ok(())
    }

    fn assume(&mut self, from: &Table, to: &Table, step: &Step) {
        let is_known = step.fans_out
            || is_declared(from, to, step)
            || from
                .likely_joins
                .iter()
                .any(|join| join.key.target == to.oid)
            || from.foreign_keys.iter().any(|key| key.target == to.oid);
        if let Some(pair) = step.key.first().filter(|_| !is_known) {
            let one = (from.name.clone(), pair.own.clone(), to.name.clone());
            if !self.assumed.contains(&one) {
                self.assumed.push(one);
            }
        }
    }

    /// The column in SQL, with its description.
    pub(crate) fn column(
        &mut self,
        column: &ColumnRef,
        is_required: bool,
        names: &mut Names,
    ) -> Result<(String, &'t Column), Refusal> {
        let (alias, table) = self.reach(&column.path, is_required, names)?;
        let found = table
            .column(&column.column)
            .ok_or_else(|| Refusal::UnknownColumn(table.name.clone(), column.column.clone()))?;
        Ok((format!("{alias}.{}", quote_identifier(&found.name)), found))
    }

    /// Whether a row of the subject may lack the value.
    pub(crate) fn may_be_null(&self, column: &ColumnRef) -> bool {
        let mut table = self.base;
        for step in &column.path {
            let is_sure = step
                .key
                .iter()
                .all(|pair| table.column(&pair.own).is_some_and(|own| own.not_null));
            match find(self.tables, &step.to) {
                Ok(target) if is_sure && is_declared(table, target, step) => table = target,
                _ => return true,
            }
        }
        table.column(&column.column).is_none_or(|own| !own.not_null)
    }

    pub(crate) fn known_derived(&self, related: &Related) -> Option<String> {
        let known = self
            .derived
            .iter()
            .find(|known| known.related == *related)?;
        Some(known.alias.clone())
    }

    pub(crate) fn add_derived(&mut self, related: &Related, alias: String, sql: String) {
        self.derived.push(Derived {
            related: related.clone(),
            alias,
            sql,
        });
    }

    /// `FROM …` with its joins.
    pub(crate) fn joined_tables(&self) -> String {
        let mut clause = format!("FROM {} AS {}", family::source(self.base), self.alias);
        for joined in &self.joined {
            let kind = match joined.may_miss && !joined.is_required {
                true => "LEFT JOIN",
                false => "JOIN",
            };
            clause.push_str(&format!(
                "\n{kind} {} AS {} ON {}",
                joined.sql, joined.alias, joined.condition
            ));
        }
        for derived in &self.derived {
            clause.push_str(&format!("\nLEFT JOIN {}", derived.sql));
        }
        clause
    }
}

/// Whether the key is a constraint of the table, so that a row without NULL in it always reaches one.
fn is_declared(from: &Table, to: &Table, step: &Step) -> bool {
    from.foreign_keys.iter().any(|key| {
        !key.is_taught
            && key.target == to.oid
            && key.columns.len() == step.key.len()
            && step.key.iter().all(|pair| {
                let mut pairs = key.columns.iter().zip(&key.target_columns);
                pairs.any(|(own, other)| *own == pair.own && *other == pair.other)
            })
    })
}

/// Refuses a step that may reach more than one row: it must use a whole key of its target.
fn check_step(from: &Table, to: &Table, step: &Step) -> Result<(), Refusal> {
    let has = |table: &Table, name: &str| table.column(name).is_some();
    if let Some(pair) = step
        .key
        .iter()
        .find(|pair| !has(from, &pair.own) || !has(to, &pair.other))
    {
        return Err(Refusal::UnknownColumn(to.name.clone(), pair.other.clone()));
    }
    let uses = |column: &String| step.key.iter().any(|pair| pair.other == *column);
    let is_whole = |key: &Vec<String>| !key.is_empty() && key.iter().all(uses);
    let is_unique = is_whole(&to.primary_key) || to.unique_keys.iter().any(is_whole);
    match is_unique || is_declared(from, to, step) {
        true => Ok(()),
        false => Err(Refusal::RepeatsRows(from.name.clone(), to.name.clone())),
    }
}
