//! Builds the blocks of a query.

use std::collections::HashMap;
use std::sync::Arc;

use sqlparser::ast::{
    Cte, Expr, JoinConstraint, JoinOperator, LimitClause, Query, Select, SetExpr, SetOperator,
    SetQuantifier, TableAlias, TableFactor, TableWithJoins, Value,
};

use super::blocks::{Block, JoinKind, Output, Place, ResultRows, Rows, Source, Tree, address};
use super::walk::{constraint, expressions, subqueries};
use crate::tree::syntax::{find_table, flatten, fold, fold_parts};
use text2sql_domain::schema::Table;

impl<'q> Tree<'q> {
    /// Analyses a query. `tables` are the tables that it may read.
    pub fn read(query: &'q Query, tables: &[Arc<Table>]) -> Self {
        let mut reader = Reader {
            tables,
            tree: Self {
                blocks: Vec::new(),
                results: HashMap::new(),
            },
        };
        reader.query(query, &Around::default(), Place::Top);
        reader.tree
    }
}

/// The context of a query.
#[derive(Clone, Default)]
struct Around<'q> {
    parent: Option<usize>,
    /// CTEs with their results, outermost first.
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
                    // The columns of its recursive reference are not known yet.
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
        Rows::Result(Arc::new(self.tree.outputs(block, select)))
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

/// The columns of USING or NATURAL, with the earlier source that has each of them.
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

/// Rows with the column names of an alias.
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
            repeated: match quantifier {
                SetQuantifier::All => [left.repeated.clone(), right.repeated.clone()].concat(),
                _ => Vec::new(),
            },
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
