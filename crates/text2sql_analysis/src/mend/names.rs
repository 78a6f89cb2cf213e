//! Names that do not exist, or that several tables have.

use std::sync::Arc;

use sqlparser::ast::{Expr, JoinConstraint, Query, SelectItem, TableFactor};

use text2sql_domain::schema::{Table, quote_identifier};
use text2sql_domain::sql_result::DatabaseError;
use text2sql_phrases::say;
use text2sql_sql::tree::keys::Fixing;
use text2sql_sql::tree::syntax::{fold, fold_parts, without_parentheses};
use text2sql_sql::tree::walk::constraint;
use text2sql_sql::tree::{Reference, Rows, Source, Tree, aggregate, aggregates, walk};

use super::apply::{self, Edit, named_output};
use super::mended::Mended;
use super::near;
use super::routes::{Route, finer, is_reachable, only_route};
use super::uses::{Clause, Use, address, is_taken, uses};

/// Most changes of one statement: more are no slips.
const MAX_CHANGES: usize = 12;

/// Columns that every table has.
const SYSTEM_COLUMNS: [&str; 6] = ["ctid", "tableoid", "xmin", "xmax", "cmin", "cmax"];

/// One change, and the sentence that says it.
struct Change {
    edits: Vec<Edit>,
    said: String,
}

/// What is wrong with a name.
enum Wrong {
    /// The source, of this block and position, has no such column.
    Lacking(usize, usize),
    /// There is no such source.
    NoSource,
    /// No source has it.
    Nowhere,
    /// These sources of this block have it.
    Several(usize, Vec<usize>),
}

/// All names mended, or nothing.
pub(super) fn mend(
    mut query: Box<Query>,
    error: &DatabaseError,
    tables: &[Arc<Table>],
) -> Option<Mended> {
    let mut changes: Vec<String> = Vec::new();
    loop {
        let change = match next(&query, error, tables) {
            Next::Change(change) if changes.len() < MAX_CHANGES => change,
            Next::Change(_) | Next::Unproved => return None,
            Next::Nothing => break,
        };
        if !apply::apply(&mut query, change.edits) {
            return None;
        }
        if !changes.contains(&change.said) {
            changes.push(change.said);
        }
    }
    (!changes.is_empty()).then(|| Mended {
        sql: query.to_string(),
        changes,
    })
}

/// What is to be done next.
enum Next {
    Change(Change),
    /// All names are right.
    Nothing,
    /// A name is wrong, and nothing proves what is meant.
    Unproved,
}

impl From<Option<Change>> for Next {
    fn from(change: Option<Change>) -> Self {
        change.map_or(Self::Unproved, Self::Change)
    }
}

fn next(query: &Query, error: &DatabaseError, tables: &[Arc<Table>]) -> Next {
    let tree = Tree::read(query, tables);
    let schema = Schema {
        tree: &tree,
        tables,
    };
    // What a table is decides what its columns are. One that is only not among those given may exist.
    let is_missing = |parts: &[String]| {
        let mut name = parts.last().into_iter();
        error.sqlstate == "42P01" && name.any(|name| error.message.contains(name.as_str()))
    };
    for block in &tree.blocks {
        for source in &block.sources {
            if let (
                Rows::Unknown,
                TableFactor::Table {
                    name, args: None, ..
                },
            ) = (&source.rows, source.factor)
                && !block.is_recursive
                && is_missing(&fold_parts(name))
            {
                return schema
                    .table(&fold_parts(name), source.factor, &source.name)
                    .into();
            }
        }
    }
    let all = uses(&tree);
    for one in &all {
        if let Some(wrong) = schema.wrong(one) {
            return schema.change(one, &wrong, &all).into();
        }
    }
    Next::Nothing
}

struct Schema<'t, 'q> {
    tree: &'t Tree<'q>,
    tables: &'t [Arc<Table>],
}

impl<'q> Schema<'_, 'q> {
    fn wrong(&self, one: &Use<'q>) -> Option<Wrong> {
        match &one.qualifier {
            Some(qualifier) => self.wrong_qualified(one, qualifier),
            None => self.wrong_alone(one),
        }
    }

    fn wrong_qualified(&self, one: &Use<'q>, qualifier: &str) -> Option<Wrong> {
        let mut level = Some(one.block);
        while let Some(at) = level {
            let block = self.tree.block(at)?;
            let mut named = block.sources.iter().enumerate();
            if let Some((position, source)) = named.find(|(_, source)| source.name == qualifier) {
                let is_lacking = source.has_column(&one.column) == Some(false);
                let is_everywhere = SYSTEM_COLUMNS.contains(&one.column.as_str());
                return (is_lacking && !is_everywhere).then_some(Wrong::Lacking(at, position));
            }
            level = block.parent;
        }
        Some(Wrong::NoSource)
    }

    fn wrong_alone(&self, one: &Use<'q>) -> Option<Wrong> {
        let mut level = Some(one.block);
        let is_output = named_output(self.tree.block(one.block)?.select, &one.column).is_some();
        while let Some(at) = level {
            let block = self.tree.block(at)?;
            if block
                .sources
                .iter()
                .any(|source| source.name == one.column || source.has_column(&one.column).is_none())
            {
                return None;
            }
            let here = block.sources.iter().enumerate();
            let have: Vec<usize> = here
                .filter(|(_, source)| source.has_column(&one.column) == Some(true))
                .map(|(position, _)| position)
                .collect();
            if have.len() > 1 {
                // The name of an output comes first in ORDER BY, and USING makes one column of two.
                let is_named = is_output && matches!(one.clause, Clause::Order { is_whole: true });
                let is_one = self.tree.find(at, None, &one.column).is_some();
                return (!is_named && !is_one).then_some(Wrong::Several(at, have));
            }
            if !have.is_empty() {
                return None;
            }
            level = block.parent;
        }
        let may_be_output = is_output
            && matches!(
                one.clause,
                Clause::Order { is_whole: true } | Clause::Group { is_whole: true }
            );
        let is_known = may_be_output || SYSTEM_COLUMNS.contains(&one.column.as_str());
        (!is_known).then_some(Wrong::Nowhere)
    }

    fn change(&self, one: &Use<'q>, wrong: &Wrong, all: &[Use<'q>]) -> Option<Change> {
        match wrong {
            Wrong::Lacking(block, position) => self.lacking(one, *block, *position),
            Wrong::NoSource => self.no_source(one, all),
            Wrong::Nowhere => self.nowhere(one),
            Wrong::Several(block, have) => {
                let position = self.same_value(*block, have, &one.column)?;
                self.attribute(one, *block, position, &one.column)
            }
        }
    }

    /// A table that is not there under this name.
    fn table(&self, parts: &[String], factor: &TableFactor, name: &str) -> Option<Change> {
        let wanted = parts.last()?;
        let table = near::table(self.tables, wanted)?;
        // Columns are qualified by the name that the query has for it.
        let alias = match name == table.name {
            true => String::new(),
            false => format!(" AS {}", quote_identifier(name)),
        };
        let (name, alias) = apply::table(&format!("{}{alias}", table.sql_name()))?;
        let table = table.sql_name();
        Some(Change {
            edits: vec![Edit::Table {
                at: address(factor),
                name,
                alias,
            }],
            said: say!("\"{wanted}\" was read as the table {table}"),
        })
    }

    fn lacking(&self, one: &Use<'q>, block: usize, position: usize) -> Option<Change> {
        let source = self.tree.block(block)?.sources.get(position)?;
        if let Some(table) = source.table()
            && let Some(column) = near::by_words(table, &one.column)
        {
            return self.attribute(one, block, position, &column.name);
        }
        match self.holders(one, block)?.as_slice() {
            [] => self.elsewhere(one, block, &[position]),
            [holder] => self.attribute(one, block, *holder, &one.column),
            several => {
                let holder = self.same_value(block, several, &one.column)?;
                self.attribute(one, block, holder, &one.column)
            }
        }
    }

    fn nowhere(&self, one: &Use<'q>) -> Option<Change> {
        let block = self.tree.block(one.block)?;
        if let Some(output) = named_output(block.select, &one.column) {
            return self.output(one, output);
        }
        let sources = || block.sources.iter().enumerate();
        let meant = sources().filter_map(|(position, source)| {
            let column = near::by_words(source.table()?, &one.column)?;
            Some((position, column.name.clone()))
        });
        let meant: Vec<(usize, String)> = meant.collect();
        match meant.as_slice() {
            [(position, column)] => {
                return self.attribute(one, one.block, *position, column);
            }
            [] => {}
            _ => return None,
        }
        let all: Vec<usize> = sources().map(|(position, _)| position).collect();
        self.elsewhere(one, one.block, &all)
    }

    /// A column that no table of FROM has under this name: of a table behind keys, or of one of `sources` under a longer
    /// or nearly the same name. Where both could be meant, nothing is done.
    fn elsewhere(&self, one: &Use<'q>, block: usize, sources: &[usize]) -> Option<Change> {
        let here = self.tree.block(block)?;
        let tables = || {
            sources.iter().filter_map(|position| {
                let table = here.sources.get(*position)?.table()?;
                Some((*position, table))
            })
        };
        let named = |columns: Vec<(usize, String)>| {
            let (position, column) = near::only(columns.into_iter())?;
            self.attribute(one, block, position, &column)
        };
        let mut longer = Vec::new();
        for (position, table) in tables() {
            let columns = near::longer(table, &one.column);
            longer.extend(columns.map(|column| (position, column.name.clone())));
        }
        let has_it = |table: &Table| table.column(&one.column).is_some();
        let given_to = match sources {
            [position] if one.qualifier.is_some() => Some(*position),
            _ => None,
        };
        match (self.joined(one, block, given_to), longer.is_empty()) {
            (change @ Some(_), true) => change,
            (Some(_), false) => None,
            (None, _) if is_reachable(here, self.tables, &has_it) => None,
            (None, false) => named(longer),
            (None, true) => {
                let misspelt = tables().filter_map(|(position, table)| {
                    let column = near::misspelt(table, &one.column)?;
                    Some((position, column.name.clone()))
                });
                named(misspelt.collect())
            }
        }
    }

    /// The name of an output where only columns are known.
    fn output(&self, one: &Use<'q>, output: &Expr) -> Option<Change> {
        let mut is_aggregate = false;
        let mut has_window = false;
        walk(output, &mut |part| {
            is_aggregate |= aggregate(part).is_some();
            has_window |= matches!(part, Expr::Function(call) if call.over.is_some());
        });
        let fits = match one.clause {
            Clause::Having | Clause::Order { .. } => !has_window,
            Clause::Where | Clause::Group { .. } => !is_aggregate && !has_window,
            Clause::Output | Clause::On(_) => false,
        };
        if !fits {
            return None;
        }
        let name = &one.column;
        Some(Change {
            edits: vec![Edit::Replace {
                at: one.at,
                by: Expr::Nested(Box::new(without_parentheses(output).clone())),
            }],
            said: say!("\"{name}\" was written out, because it is an output here"),
        })
    }

    /// A qualifier that is no source: the name of a table that has an alias or is missing, or an alias of nothing.
    fn no_source(&self, one: &Use<'q>, all: &[Use<'q>]) -> Option<Change> {
        let qualifier = one.qualifier.as_ref()?;
        let block = self.tree.block(one.block)?;
        let columns: Vec<&str> = all
            .iter()
            .filter(|other| other.qualifier == one.qualifier)
            .map(|other| other.column.as_str())
            .collect();
        let has_all = |table: &Table| columns.iter().all(|name| table.column(name).is_some());
        if let Some(table) = near::table(self.tables, qualifier)
            .filter(|table| near::is_same(&table.name, qualifier))
        {
            let mut level = Some(one.block);
            while let Some(at) = level {
                let here = self.tree.block(at)?;
                let mut places =
                    here.sources.iter().enumerate().filter(|(_, source)| {
                        source.table().is_some_and(|own| own.oid == table.oid)
                    });
                if let Some((position, _)) = places.next() {
                    return match places.next() {
                        None => self.attribute(one, at, position, &one.column),
                        Some(_) => None,
                    };
                }
                level = here.parent;
            }
            let route = only_route(block, self.tables, &|other| other.oid == table.oid, None)?;
            return self.join(one, one.block, &route, Some(qualifier));
        }
        let is_open =
            |source: &Source<'_>| columns.iter().any(|name| source.has_column(name).is_none());
        if block.sources.iter().any(is_open) {
            return None;
        }
        let mut holders = block.sources.iter().enumerate().filter(|(_, source)| {
            columns
                .iter()
                .all(|name| source.has_column(name) == Some(true))
        });
        if let Some((position, _)) = holders.next() {
            return match holders.next() {
                None => self.attribute(one, one.block, position, &one.column),
                Some(_) => None,
            };
        }
        let route = only_route(block, self.tables, &has_all, None).or_else(|| {
            let is_meant =
                |table: &Table| has_all(table) && near::abbreviates(qualifier, &table.name);
            only_route(block, self.tables, &is_meant, None)
        })?;
        self.join(one, one.block, &route, Some(qualifier))
    }

    /// The sources of a block that have the column of a name and could be meant by it; `None` where that of one is not
    /// known.
    fn holders(&self, one: &Use<'q>, block: usize) -> Option<Vec<usize>> {
        let here = self.tree.block(block)?;
        let other = one
            .equal
            .and_then(|equal| self.tree.resolve(one.block, equal))
            .filter(|other| other.block == block)
            .map(|other| other.source);
        let known = |position: usize| match one.clause {
            Clause::On(last) => one.block != block || position <= last,
            _ => true,
        };
        let mut found = Vec::new();
        for (position, source) in here.sources.iter().enumerate() {
            let is_one = source.has_column(&one.column)?;
            if is_one && known(position) && other != Some(position) {
                found.push(position);
            }
        }
        Some(found)
    }

    /// The first of sources whose columns of this name are equal in every row.
    fn same_value(&self, block: usize, sources: &[usize], column: &str) -> Option<usize> {
        let reference = |source: usize| Reference {
            block,
            source,
            column: column.to_owned(),
        };
        let fixing: Fixing<'_, '_> = self.tree.fixing(block);
        let first = *sources.first()?;
        let all_equal = sources.iter().all(|other| {
            !self.tree.is_optional(block, *other)
                && (*other == first || fixing.are_equal(&reference(first), &reference(*other)))
        });
        all_equal.then_some(first)
    }

    /// The same name, or another, as the column of a source.
    fn attribute(
        &self,
        one: &Use<'q>,
        block: usize,
        position: usize,
        column: &str,
    ) -> Option<Change> {
        let source = self.tree.block(block)?.sources.get(position)?;
        source.has_column(column).filter(|has| *has)?;
        // A source of the same name in between would be taken instead.
        let found = self.tree.find(one.block, Some(&source.name), column)?;
        if (found.block, found.source) != (block, position) {
            return None;
        }
        let to = format!(
            "{}.{}",
            quote_identifier(&source.name),
            quote_identifier(column)
        );
        let by = apply::expression(&to)?;
        let owner = match source.table() {
            Some(table) => table.sql_name(),
            None => quote_identifier(&source.name),
        };
        let name = match &one.qualifier {
            Some(qualifier) => format!("{qualifier}.{}", one.column),
            None => one.column.clone(),
        };
        let column = quote_identifier(column);
        Some(Change {
            edits: vec![Edit::Replace { at: one.at, by }],
            said: say!("\"{name}\" was read as {column} of {owner}"),
        })
    }

    /// The column of a table that is not in FROM: the only one that keys lead to, or that the key of the table at `named`
    /// leads to.
    fn joined(&self, one: &Use<'q>, block: usize, named: Option<usize>) -> Option<Change> {
        let here = self.tree.block(block)?;
        let has_it = |table: &Table| table.column(&one.column).is_some();
        let is_open = here
            .sources
            .iter()
            .any(|source| source.has_column(&one.column).is_none());
        let route = only_route(here, self.tables, &has_it, named)
            .or_else(|| self.finer(block, &has_it))
            .filter(|_| !is_open)?;
        self.join(one, block, &route, None)
    }

    /// A way that repeats rows of a block, where only the rows that are joined are added up: each of them counts once.
    fn finer(&self, block: usize, has_it: &dyn Fn(&Table) -> bool) -> Option<Route> {
        let here = self.tree.block(block)?;
        // A table behind keys would be meant as well.
        if is_reachable(here, self.tables, has_it) {
            return None;
        }
        let route = finer(here, self.tables, has_it)?;
        let end = route.end()?;
        let determined = self.tree.fixing(block).determined(&[route.from]);
        let adds = aggregates(here.select, here.query);
        let is_of_end = |argument: &Expr| {
            let mut all = true;
            let mut some = false;
            walk(argument, &mut |part| {
                let column = match part {
                    Expr::Identifier(name) => fold(name),
                    Expr::CompoundIdentifier(names) => names.last().map(fold).unwrap_or_default(),
                    _ => return,
                };
                let is_own = self.tree.resolve(block, part).is_none_or(|reference| {
                    let source = self.tree.source(&reference);
                    source.is_some_and(|source| source.has_column(&column) == Some(false))
                });
                all &= is_own && end.column(&column).is_some();
                some = true;
            });
            all && some
        };
        let counts_each_once = adds
            .iter()
            .filter(|call| call.counts_duplicates())
            .all(|call| call.argument.is_some_and(is_of_end));
        (determined.iter().all(|is_one| *is_one) && !adds.is_empty() && counts_each_once)
            .then_some(route)
    }

    /// Joins the tables of a way; the last is called `alias` where the query has a name for it.
    fn join(
        &self,
        one: &Use<'q>,
        block: usize,
        route: &Route,
        alias: Option<&str>,
    ) -> Option<Change> {
        let source = self.tree.block(block)?.sources.get(route.from)?;
        let is_behind =
            matches!(one.clause, Clause::On(last) if one.block == block && route.from >= last);
        if source.is_nested || source.is_lateral || is_behind || self.changes_others(block, route) {
            return None;
        }
        let end = route.end()?;
        end.column(&one.column)?;
        let mut names: Vec<String> = Vec::new();
        for (place, step) in route.steps.iter().enumerate() {
            let is_last = place + 1 == route.steps.len();
            let given = alias.filter(|_| is_last).map(str::to_owned);
            names.push(given.unwrap_or_else(|| self.free_name(&step.table.name, &names)));
        }
        let is_optional = self.tree.is_optional(block, route.from);
        let joins = apply::joins(&route.sql(&source.name, is_optional, &names))?;
        let mut edits = vec![Edit::Join {
            behind: address(source.factor),
            joins,
        }];
        let own = names.last()?;
        if alias.is_none() {
            let to = format!(
                "{}.{}",
                quote_identifier(own),
                quote_identifier(&one.column)
            );
            let by = apply::expression(&to)?;
            edits.push(Edit::Replace { at: one.at, by });
        }
        let along: Vec<String> = route
            .steps
            .iter()
            .flat_map(|step| &step.pairs)
            .map(|(left, _)| left.clone())
            .collect();
        let (column, table, along) = (
            quote_identifier(&one.column),
            end.sql_name(),
            along.join(", "),
        );
        Some(Change {
            edits,
            said: say!("{column} is a column of {table}, which was joined along {along}"),
        })
    }

    /// Whether more tables in a block would change what other parts of it say: all columns, those of the same name, or a
    /// name that is an output or a column around the block.
    fn changes_others(&self, block: usize, route: &Route) -> bool {
        let Some(here) = self.tree.block(block) else {
            return true;
        };
        let select = here.select;
        let mut outputs = select.projection.iter();
        let mut joins = select.from.iter().flat_map(|item| &item.joins);
        if outputs.any(|output| matches!(output, SelectItem::Wildcard(_)))
            || joins.any(|join| {
                matches!(
                    constraint(&join.join_operator),
                    Some(JoinConstraint::Natural)
                )
            })
        {
            return true;
        }
        uses(self.tree).iter().any(|other| {
            let is_new = || {
                let mut steps = route.steps.iter();
                steps.any(|step| step.table.column(&other.column).is_some())
            };
            if other.qualifier.is_some() || !is_new() {
                return false;
            }
            match self.tree.find(other.block, None, &other.column) {
                Some(found) => {
                    let mut level = Some(other.block);
                    while let Some(at) = level.filter(|at| *at != found.block) {
                        if at == block {
                            return true;
                        }
                        level = self.tree.block(at).and_then(|inner| inner.parent);
                    }
                    false
                }
                None => other.block == block && named_output(select, &other.column).is_some(),
            }
        })
    }

    fn free_name(&self, table: &str, taken: &[String]) -> String {
        let is_free = |name: &String| !is_taken(self.tree, name) && !taken.contains(name);
        let numbered = (2..).map(|number| format!("{table}_{number}"));
        std::iter::once(table.to_owned())
            .chain(numbered)
            .find(is_free)
            .unwrap_or_default()
    }
}
