//! Takes a query apart into blocks.

use std::collections::HashMap;
use std::sync::Arc;

use sqlparser::ast::{
    Cte, Distinct, Expr, GroupByExpr, JoinConstraint, JoinOperator, LimitClause, Query, Select,
    SelectItem, SelectItemQualifiedWildcardKind, SetExpr, SetOperator, SetQuantifier, TableAlias,
    TableFactor, TableWithJoins, Value,
};

use super::walk::{constraint, expressions};
use super::{
    Block, JoinKind, Output, Place, Reference, ResultRows, Rows, Source, Tree, address, aggregate,
    aggregates, subqueries,
};
use crate::explain::condition::{flatten, without_parentheses};
use crate::explain::function::read_call;
use crate::explain::literal::constant_text;
use crate::explain::scope::{find_table, fold, fold_parts};
use crate::schema::Table;

/// Reads a whole statement.
pub(super) fn read<'q>(query: &'q Query, tables: &[Arc<Table>]) -> Tree<'q> {
    let mut reader = Reader {
        tables,
        tree: Tree {
            blocks: Vec::new(),
            results: HashMap::new(),
        },
    };
    reader.query(query, &Around::default(), Place::Top);
    reader.tree
}

/// What a query finds around it.
#[derive(Clone, Default)]
struct Around<'q> {
    parent: Option<usize>,
    /// Helper results with what they give, outermost first.
    helpers: Vec<(&'q Cte, Rows)>,
    is_recursive: bool,
}

struct Reader<'q, 't> {
    tables: &'t [Arc<Table>],
    tree: Tree<'q>,
}

impl<'q> Reader<'q, '_> {
    fn query(&mut self, query: &'q Query, around: &Around<'q>, place: Place) -> Rows {
        let mut around = around.clone();
        if let Some(with) = &query.with {
            around.is_recursive |= with.recursive;
            for helper in &with.cte_tables {
                if with.recursive {
                    // What it reads of itself is not known yet.
                    around.helpers.push((helper, Rows::Unknown));
                }
                let rows = self.query(&helper.query, &around, Place::Helper);
                let rows = renamed(rows, Some(&helper.alias));
                if with.recursive {
                    around.helpers.pop();
                }
                around.helpers.push((helper, rows));
            }
        }
        let rows = self.body(&query.body, Some(query), &around, place);
        let rows = match (rows, &query.limit_clause) {
            (Rows::Result(result), Some(limit)) if is_one(limit) && !result.is_single_row => {
                Rows::Result(Arc::new(ResultRows {
                    columns: result.columns.clone(),
                    keys: result.keys.clone(),
                    is_single_row: true,
                }))
            }
            (rows, _) => rows,
        };
        self.tree.results.insert(address(query), rows.clone());
        rows
    }

    fn body(
        &mut self,
        body: &'q SetExpr,
        query: Option<&'q Query>,
        around: &Around<'q>,
        place: Place,
    ) -> Rows {
        match body {
            SetExpr::Select(select) => self.select(select, query, around, place),
            SetExpr::Query(inner) => self.query(inner, around, place),
            SetExpr::SetOperation {
                left,
                op,
                set_quantifier,
                right,
            } => {
                let first = self.body(left, None, around, Place::Branch);
                let second = self.body(right, None, around, Place::Branch);
                combined(&first, &second, *op, *set_quantifier)
            }
            SetExpr::Values(_) => Rows::Function,
            _ => Rows::Unknown,
        }
    }

    fn select(
        &mut self,
        select: &'q Select,
        query: Option<&'q Query>,
        around: &Around<'q>,
        place: Place,
    ) -> Rows {
        let mut sources = Vec::new();
        for (position, item) in select.from.iter().enumerate() {
            let join = if position == 0 {
                JoinKind::First
            } else {
                JoinKind::Comma
            };
            self.joined(item, join, false, around, &mut sources);
        }
        let block = self.tree.blocks.len();
        self.tree.blocks.push(Block {
            select,
            query,
            place,
            parent: around.parent,
            sources,
            helpers: around.helpers.iter().map(|(helper, _)| *helper).collect(),
            is_recursive: around.is_recursive,
        });
        let mut inside = around.clone();
        inside.parent = Some(block);
        for expression in expressions(select, query) {
            for subquery in subqueries(expression) {
                self.query(subquery, &inside, Place::Expression);
            }
        }
        Rows::Result(Arc::new(self.outputs(block, select)))
    }

    fn joined(
        &mut self,
        item: &'q TableWithJoins,
        join: JoinKind,
        is_nested: bool,
        around: &Around<'q>,
        sources: &mut Vec<Source<'q>>,
    ) {
        self.factor(&item.relation, join, None, is_nested, around, sources);
        for join in &item.joins {
            let operator = &join.join_operator;
            let condition = constraint(operator);
            let kind = kind_of(operator, condition);
            self.factor(&join.relation, kind, condition, is_nested, around, sources);
        }
    }

    fn factor(
        &mut self,
        factor: &'q TableFactor,
        join: JoinKind,
        condition: Option<&'q JoinConstraint>,
        is_nested: bool,
        around: &Around<'q>,
        sources: &mut Vec<Source<'q>>,
    ) {
        let (name, alias, rows, is_lateral) = match factor {
            TableFactor::Table {
                name, alias, args, ..
            } => {
                let parts = fold_parts(name);
                let rows = if args.is_some() {
                    Rows::Function
                } else {
                    self.named(&parts, around)
                };
                (
                    parts.last().cloned().unwrap_or_default(),
                    alias.as_ref(),
                    rows,
                    args.is_some(),
                )
            }
            TableFactor::Derived {
                subquery,
                alias,
                lateral,
                ..
            } => {
                let rows = self.query(subquery, around, Place::Derived);
                (String::new(), alias.as_ref(), rows, *lateral)
            }
            TableFactor::NestedJoin {
                table_with_joins,
                alias: None,
            } => {
                let first = sources.len();
                self.joined(table_with_joins, join, true, around, sources);
                if let Some(source) = sources.get_mut(first) {
                    source.join = join;
                }
                if let Some(source) = sources.last_mut() {
                    source.conditions.extend(members(condition));
                }
                return;
            }
            TableFactor::Function { alias, .. } | TableFactor::UNNEST { alias, .. } => {
                (String::new(), alias.as_ref(), Rows::Function, true)
            }
            _ => (String::new(), None, Rows::Unknown, true),
        };
        let shared = shared_columns(condition, sources, &rows);
        sources.push(Source {
            name: alias.map_or(name, |alias| fold(&alias.name)),
            rows: renamed(rows, alias),
            join,
            conditions: members(condition),
            shared,
            is_lateral,
            is_nested,
            factor,
        });
    }

    fn named(&self, parts: &[String], around: &Around<'q>) -> Rows {
        if let [name] = parts
            && let Some((_, rows)) = around
                .helpers
                .iter()
                .rev()
                .find(|(helper, _)| fold(&helper.alias.name) == *name)
        {
            return rows.clone();
        }
        find_table(self.tables, parts).map_or(Rows::Unknown, |table| Rows::Table(table.clone()))
    }

    /// What a SELECT gives: columns, keys, whether it is one row.
    fn outputs(&self, block: usize, select: &'q Select) -> ResultRows {
        let query = self.tree.block(block).and_then(|block| block.query);
        let mut columns = Vec::new();
        let mut names_of: HashMap<Reference, String> = HashMap::new();
        for item in &select.projection {
            match item {
                SelectItem::UnnamedExpr(expression) => {
                    columns.push(self.output(block, expression, None));
                }
                SelectItem::ExprWithAlias { expr, alias } => {
                    columns.push(self.output(block, expr, Some(fold(alias))));
                }
                SelectItem::Wildcard(_) => columns.extend(self.all_columns(block, None)),
                SelectItem::QualifiedWildcard(
                    SelectItemQualifiedWildcardKind::ObjectName(name),
                    _,
                ) => {
                    let name = fold_parts(name).pop();
                    columns.extend(self.all_columns(block, name.as_deref()));
                }
                _ => columns.push((Output::default(), None)),
            }
        }
        for (output, reference) in &columns {
            if let (Some(name), Some(reference)) = (&output.name, reference) {
                names_of
                    .entry(reference.clone())
                    .or_insert_with(|| name.clone());
            }
        }
        let outputs: Vec<Output> = columns.into_iter().map(|(output, _)| output).collect();
        let groups = match &select.group_by {
            GroupByExpr::Expressions(groups, modifiers) if modifiers.is_empty() => {
                Some(groups.as_slice())
            }
            _ => None,
        };
        let has_groups = groups.is_none_or(|groups| !groups.is_empty());
        let is_single_row = !has_groups
            && (select.from.is_empty()
                || (!aggregates(select, query).is_empty() || select.having.is_some()));
        let mut keys = Vec::new();
        if matches!(select.distinct, Some(Distinct::Distinct)) {
            keys.extend(
                outputs
                    .iter()
                    .map(|output| output.name.clone())
                    .collect::<Option<Vec<_>>>(),
            );
        }
        match groups {
            Some(groups) if !groups.is_empty() => {
                keys.extend(self.group_key(block, groups, select, &names_of));
            }
            Some(_) if !is_single_row => {
                for key in self.tree.row_keys(block) {
                    let names: Option<Vec<String>> = key
                        .iter()
                        .map(|column| names_of.get(column).cloned())
                        .collect();
                    keys.extend(names);
                }
            }
            _ => {}
        }
        ResultRows {
            columns: outputs,
            keys,
            is_single_row,
        }
    }

    /// The outputs that name a group, when all of them are shown.
    fn group_key(
        &self,
        block: usize,
        groups: &[Expr],
        select: &Select,
        names_of: &HashMap<Reference, String>,
    ) -> Option<Vec<String>> {
        groups
            .iter()
            .map(|group| {
                if matches!(group, Expr::Rollup(_) | Expr::Cube(_) | Expr::GroupingSets(_)) {
                    return None;
                }
                if let Some(reference) = self.tree.resolve(block, group) {
                    return names_of.get(&reference).cloned();
                }
                let same = select.projection.iter().enumerate().find(|(position, item)| {
                    match item {
                        SelectItem::ExprWithAlias { expr, alias } => {
                            expr == group
                                || matches!(group, Expr::Identifier(name) if fold(name) == fold(alias))
                                || is_position(group, *position)
                        }
                        SelectItem::UnnamedExpr(expr) => {
                            expr == group || is_position(group, *position)
                        }
                        _ => false,
                    }
                });
                match same?.1 {
                    SelectItem::ExprWithAlias { alias, .. } => Some(fold(alias)),
                    SelectItem::UnnamedExpr(expr) => name_of(expr),
                    _ => None,
                }
            })
            .collect()
    }

    fn output(
        &self,
        block: usize,
        expression: &Expr,
        alias: Option<String>,
    ) -> (Output, Option<Reference>) {
        let reference = self.tree.resolve(block, expression);
        let found = aggregate(without_parentheses(expression));
        let handed_on =
            reference
                .as_ref()
                .and_then(|reference| match &self.tree.source(reference)?.rows {
                    Rows::Result(result) => result.output(&reference.column).cloned(),
                    _ => None,
                });
        let origin = reference.as_ref().and_then(|reference| {
            let (table, column) = self.tree.column(reference)?;
            Some((table.clone(), column.name.clone()))
        });
        let is_never_null = match (&reference, &found) {
            (_, Some(found)) => found.name == "count",
            (Some(reference), None) => {
                self.tree.can_be_null(reference) == Some(false)
                    && !self.tree.is_optional(reference.block, reference.source)
            }
            _ => false,
        };
        let output = Output {
            name: alias.or_else(|| name_of(expression)),
            origin,
            category: self.tree.category(block, expression),
            aggregate: found
                .map(|found| found.name)
                .or_else(|| inner_aggregate(expression))
                .or(handed_on.and_then(|output| output.aggregate)),
            is_never_null,
            grain: grain(expression),
        };
        (output, reference)
    }

    fn all_columns(
        &self,
        block: usize,
        qualifier: Option<&str>,
    ) -> Vec<(Output, Option<Reference>)> {
        let Some(here) = self.tree.block(block) else {
            return Vec::new();
        };
        let mut columns = Vec::new();
        for (position, source) in here.sources.iter().enumerate() {
            if qualifier.is_some_and(|qualifier| qualifier != source.name) {
                continue;
            }
            let names: Vec<String> = match &source.rows {
                Rows::Table(table) => table.columns.iter().map(|c| c.name.clone()).collect(),
                Rows::Result(result) => result
                    .columns
                    .iter()
                    .filter_map(|output| output.name.clone())
                    .collect(),
                _ => vec![String::new()],
            };
            for name in names {
                if name.is_empty() {
                    columns.push((Output::default(), None));
                    continue;
                }
                let reference = Reference {
                    block,
                    source: position,
                    column: name.clone(),
                };
                let column = self.tree.column(&reference);
                let handed_on = match &source.rows {
                    Rows::Result(result) => result.output(&name).cloned(),
                    _ => None,
                };
                let output = Output {
                    name: Some(name),
                    origin: column.map(|(table, column)| (table.clone(), column.name.clone())),
                    category: column
                        .map(|(_, column)| column.category)
                        .or_else(|| handed_on.as_ref()?.category),
                    aggregate: handed_on.and_then(|output| output.aggregate),
                    is_never_null: self.tree.can_be_null(&reference) == Some(false)
                        && !self.tree.is_optional(block, position),
                    grain: None,
                };
                columns.push((output, Some(reference)));
            }
        }
        columns
    }
}

/// The grain of `date_trunc('month', …)`, casts aside.
fn grain(expression: &Expr) -> Option<String> {
    match expression {
        Expr::Nested(inner) | Expr::Cast { expr: inner, .. } => grain(inner),
        Expr::Function(function) => {
            let call = read_call(function);
            if call.name != "date_trunc" {
                return None;
            }
            constant_text(call.arguments.first()?).map(str::to_lowercase)
        }
        _ => None,
    }
}

/// The aggregate inside `round(avg(…), 2)`, `avg(…)::int` and `coalesce(avg(…), 0)`.
fn inner_aggregate(expression: &Expr) -> Option<String> {
    let inner = match expression {
        Expr::Nested(inner) | Expr::Cast { expr: inner, .. } => inner,
        Expr::Function(function) if function.over.is_none() => {
            let call = read_call(function);
            if !matches!(call.name.as_str(), "round" | "coalesce" | "trunc") {
                return None;
            }
            call.arguments.first().copied()?
        }
        _ => return None,
    };
    aggregate(inner)
        .map(|found| found.name)
        .or_else(|| inner_aggregate(inner))
}

/// The name that PostgreSQL gives an output without an alias.
fn name_of(expression: &Expr) -> Option<String> {
    match expression {
        Expr::Identifier(name) => Some(fold(name)),
        Expr::CompoundIdentifier(names) => names.last().map(fold),
        Expr::Function(function) => fold_parts(&function.name).pop(),
        Expr::Nested(inner) | Expr::Cast { expr: inner, .. } => name_of(inner),
        _ => None,
    }
}

fn is_position(group: &Expr, position: usize) -> bool {
    matches!(group, Expr::Value(value)
        if matches!(&value.value, Value::Number(digits, _) if *digits == (position + 1).to_string()))
}

fn is_one(limit: &LimitClause) -> bool {
    matches!(limit, LimitClause::LimitOffset { limit: Some(Expr::Value(value)), .. }
        if matches!(&value.value, Value::Number(digits, _) if digits == "1"))
}

fn kind_of(operator: &JoinOperator, condition: Option<&JoinConstraint>) -> JoinKind {
    let is_crossed = match condition {
        Some(JoinConstraint::None) | None => true,
        Some(JoinConstraint::On(Expr::Value(value))) => {
            matches!(value.value, Value::Boolean(true))
        }
        _ => false,
    };
    match operator {
        JoinOperator::Left(_) | JoinOperator::LeftOuter(_) => JoinKind::Left,
        JoinOperator::Right(_) | JoinOperator::RightOuter(_) => JoinKind::Right,
        JoinOperator::FullOuter(_) => JoinKind::Full,
        _ if is_crossed => JoinKind::Cross,
        _ => JoinKind::Inner,
    }
}

fn members(condition: Option<&JoinConstraint>) -> Vec<&Expr> {
    match condition {
        Some(JoinConstraint::On(condition)) => {
            flatten(condition, &sqlparser::ast::BinaryOperator::And)
        }
        _ => Vec::new(),
    }
}

/// The columns that USING names, or that NATURAL finds, with the earlier source that has each.
fn shared_columns(
    condition: Option<&JoinConstraint>,
    sources: &[Source<'_>],
    rows: &Rows,
) -> Vec<(usize, String)> {
    let names: Vec<String> = match condition {
        Some(JoinConstraint::Using(columns)) => columns
            .iter()
            .filter_map(|column| fold_parts(column).pop())
            .collect(),
        Some(JoinConstraint::Natural) => match rows {
            Rows::Table(table) => table.columns.iter().map(|c| c.name.clone()).collect(),
            Rows::Result(result) => result
                .columns
                .iter()
                .filter_map(|output| output.name.clone())
                .collect(),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    };
    names
        .into_iter()
        .filter_map(|name| {
            let left = sources
                .iter()
                .position(|source| source.has_column(&name) == Some(true))?;
            Some((left, name))
        })
        .collect()
}

/// Rows with the column names that an alias gives them.
fn renamed(rows: Rows, alias: Option<&TableAlias>) -> Rows {
    let names: Vec<String> = alias
        .iter()
        .flat_map(|alias| &alias.columns)
        .map(|column| fold(&column.name))
        .collect();
    let Rows::Result(result) = &rows else {
        return if names.is_empty() {
            rows
        } else {
            Rows::Unknown
        };
    };
    if names.is_empty() {
        return rows;
    }
    let mut columns = result.columns.clone();
    for (column, name) in columns.iter_mut().zip(names) {
        column.name = Some(name);
    }
    Rows::Result(Arc::new(ResultRows {
        columns,
        keys: Vec::new(),
        is_single_row: result.is_single_row,
    }))
}

fn combined(first: &Rows, second: &Rows, op: SetOperator, quantifier: SetQuantifier) -> Rows {
    let (Rows::Result(left), Rows::Result(right)) = (first, second) else {
        return Rows::Unknown;
    };
    let columns: Vec<Output> = left
        .columns
        .iter()
        .zip(&right.columns)
        .map(|(left, right)| Output {
            name: left.name.clone(),
            origin: None,
            category: left.category.or(right.category),
            aggregate: left
                .aggregate
                .clone()
                .filter(|_| left.aggregate == right.aggregate),
            is_never_null: left.is_never_null && right.is_never_null,
            grain: None,
        })
        .collect();
    let mut keys = Vec::new();
    if quantifier != SetQuantifier::All {
        keys.extend(
            columns
                .iter()
                .map(|output| output.name.clone())
                .collect::<Option<Vec<_>>>(),
        );
    }
    let is_single_row =
        matches!(op, SetOperator::Except | SetOperator::Intersect) && left.is_single_row;
    Rows::Result(Arc::new(ResultRows {
        columns,
        keys,
        is_single_row,
    }))
}
