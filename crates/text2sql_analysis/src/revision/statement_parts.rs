//! The parts of a statement: columns, tables, filters, grouping, order, limit.
//!
//! Each part has a text to show and a key to compare: the same text with columns qualified by table
//! names instead of aliases, and with names folded as in PostgreSQL.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use sqlparser::ast::{
    BinaryOperator, Distinct, Expr, GroupByExpr, Ident, Join, JoinConstraint, JoinOperator,
    LimitClause, ObjectNamePart, OrderByKind, Query, Select, SelectItem, SetExpr, TableFactor,
    Value, Visitor, VisitorMut,
};

use text2sql_domain::schema::Table;
use text2sql_sql::tree::syntax::{fold, table_text};
use text2sql_sql::visit;

/// A part of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) key: String,
    pub(super) shown: String,
}

/// A column of the result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Output {
    pub(super) name: String,
    pub(super) key: String,
    pub(super) shown: String,
}

/// The parts of a statement, including those of sub-queries except their outputs.
#[derive(Debug, Default)]
pub(super) struct Parts {
    pub(super) outputs: Vec<Output>,
    pub(super) tables: Vec<String>,
    pub(super) helpers: Vec<String>,
    /// The kind of join of each joined table.
    pub(super) joins: Vec<(String, &'static str)>,
    /// Conjuncts of ON conditions.
    pub(super) conditions: Vec<Piece>,
    /// Conjuncts of WHERE conditions.
    pub(super) filters: Vec<Piece>,
    /// Conjuncts of HAVING conditions.
    pub(super) having: Vec<Piece>,
    pub(super) groups: Vec<Piece>,
    pub(super) order: Vec<Piece>,
    pub(super) limit: Option<String>,
    pub(super) offset: Option<String>,
    /// Number of levels with DISTINCT.
    pub(super) distinct: usize,
    pub(super) set_operations: Vec<String>,
    /// The key of the complete statement.
    pub(super) whole: String,
}

impl Parts {
    pub(super) fn of(query: &Query, tables: &[Arc<Table>]) -> Self {
        let mut names = Names::default();
        let _ = visit::query(query, &mut names);
        let mut normal = query.clone();
        let mut normalise = Normalise {
            names: &names,
            tables,
        };
        let _ = visit::change(&mut normal, &mut normalise);
        let (shown, keys) = (Collected::of(query), Collected::of(&normal));
        let (limit, offset) = limits(query);
        Self {
            outputs: outputs(query, &normal),
            tables: names.tables,
            helpers: names.helpers,
            joins: keys.joins,
            conditions: paired(shown.conditions, keys.conditions),
            filters: paired(shown.filters, keys.filters),
            having: paired(shown.having, keys.having),
            groups: paired(shown.groups, keys.groups),
            order: paired(order(query), order(&normal)),
            limit,
            offset,
            distinct: shown.distinct,
            set_operations: shown.set_operations,
            whole: normal.to_string(),
        }
    }
}

fn paired(shown: Vec<String>, keys: Vec<String>) -> Vec<Piece> {
    let pairs = shown.into_iter().zip(keys);
    pairs.map(|(shown, key)| Piece { key, shown }).collect()
}

/// The names of a statement and their meanings.
#[derive(Default)]
struct Names {
    tables: Vec<String>,
    helpers: Vec<String>,
    /// The table of each alias or unqualified name.
    aliases: BTreeMap<String, String>,
}

impl Visitor for Names {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        let helpers = query.with.iter().flat_map(|with| &with.cte_tables);
        self.helpers
            .extend(helpers.map(|cte| fold(&cte.alias.name)));
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
        if let TableFactor::Table { name, alias, .. } = factor {
            let table = table_text(name);
            if !self.helpers.contains(&table) && !self.tables.contains(&table) {
                self.tables.push(table.clone());
            }
            let bare = table.rsplit('.').next().unwrap_or(&table).to_owned();
            let called = alias.as_ref().map_or(bare, |alias| fold(&alias.name));
            self.aliases.insert(called, table);
        }
        ControlFlow::Continue(())
    }
}

/// Qualifies every column with its table's name, and folds names as PostgreSQL does.
struct Normalise<'a> {
    names: &'a Names,
    tables: &'a [Arc<Table>],
}

impl Normalise<'_> {
    /// The only table of the statement that has such a column.
    fn owner(&self, column: &str) -> Option<String> {
        let mut owners = self.names.tables.iter().filter(|name| {
            let bare = name.rsplit('.').next().unwrap_or(name);
            self.tables
                .iter()
                .any(|table| table.name == bare && table.column(column).is_some())
        });
        let owner = owners.next()?;
        owners.next().is_none().then(|| owner.clone())
    }
}

impl VisitorMut for Normalise<'_> {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        match expr {
            Expr::Identifier(name) => {
                let column = fold(name);
                *expr = Expr::Identifier(Ident::new(match self.owner(&column) {
                    Some(table) => format!("{table}.{column}"),
                    None => column,
                }));
            }
            Expr::CompoundIdentifier(parts) => {
                let parts: Vec<String> = parts.iter().map(fold).collect();
                let name = match parts.as_slice() {
                    [qualifier, column] => {
                        let table = self.names.aliases.get(qualifier).unwrap_or(qualifier);
                        format!("{table}.{column}")
                    }
                    parts => parts.join("."),
                };
                *expr = Expr::Identifier(Ident::new(name));
                // Its parts are already folded and must not be folded again.
                return ControlFlow::Continue(());
            }
            Expr::Function(function) => {
                for part in &mut function.name.0 {
                    if let ObjectNamePart::Identifier(name) = part {
                        *name = Ident::new(fold(name));
                    }
                }
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<()> {
        if let TableFactor::Table { name, alias, .. } = factor {
            let table = table_text(name);
            name.0 = vec![ObjectNamePart::Identifier(Ident::new(table))];
            *alias = None;
        }
        ControlFlow::Continue(())
    }
}

/// Texts of the parts of all levels, in order of appearance.
#[derive(Default)]
struct Collected {
    joins: Vec<(String, &'static str)>,
    conditions: Vec<String>,
    filters: Vec<String>,
    having: Vec<String>,
    groups: Vec<String>,
    distinct: usize,
    set_operations: Vec<String>,
}

impl Collected {
    fn of(query: &Query) -> Self {
        let mut collected = Self::default();
        let _ = visit::query(query, &mut collected);
        collected
    }

    fn join(&mut self, join: &Join) {
        let (kind, constraint) = match &join.join_operator {
            JoinOperator::Join(constraint) | JoinOperator::Inner(constraint) => {
                ("JOIN", constraint)
            }
            JoinOperator::Left(constraint) | JoinOperator::LeftOuter(constraint) => {
                ("LEFT JOIN", constraint)
            }
            JoinOperator::Right(constraint) | JoinOperator::RightOuter(constraint) => {
                ("RIGHT JOIN", constraint)
            }
            JoinOperator::FullOuter(constraint) => ("FULL JOIN", constraint),
            _ => ("CROSS JOIN", &JoinConstraint::None),
        };
        if let TableFactor::Table { name, .. } = &join.relation {
            self.joins.push((table_text(name), kind));
        }
        match constraint {
            JoinConstraint::On(condition) => members(condition, &mut self.conditions),
            JoinConstraint::Using(_) | JoinConstraint::Natural | JoinConstraint::None => {}
        }
    }
}

impl Visitor for Collected {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        collect_set_operations(&query.body, &mut self.set_operations);
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<()> {
        for from in &select.from {
            for join in &from.joins {
                self.join(join);
            }
        }
        if let Some(condition) = &select.selection {
            members(condition, &mut self.filters);
        }
        if let Some(condition) = &select.having {
            members(condition, &mut self.having);
        }
        if let GroupByExpr::Expressions(keys, _) = &select.group_by {
            let keys = keys.iter().map(|key| at_position(key, select));
            self.groups.extend(keys);
        }
        if matches!(select.distinct, Some(Distinct::Distinct | Distinct::On(_))) {
            self.distinct += 1;
        }
        ControlFlow::Continue(())
    }
}

/// The conjuncts of a condition.
fn members(condition: &Expr, into: &mut Vec<String>) {
    match condition {
        Expr::BinaryOp {
            left,
            op: BinaryOperator::And,
            right,
        } => {
            members(left, into);
            members(right, into);
        }
        Expr::Nested(inner) => members(inner, into),
        other => into.push(other.to_string()),
    }
}

fn collect_set_operations(body: &SetExpr, into: &mut Vec<String>) {
    if let SetExpr::SetOperation {
        op,
        set_quantifier,
        left,
        right,
    } = body
    {
        collect_set_operations(left, into);
        into.push(format!("{op} {set_quantifier}").trim_end().to_owned());
        collect_set_operations(right, into);
    }
}

/// The SELECT that names the result columns.
fn naming_select(body: &SetExpr) -> Option<&Select> {
    match body {
        SetExpr::Select(select) => Some(select),
        SetExpr::Query(query) => naming_select(&query.body),
        SetExpr::SetOperation { left, .. } => naming_select(left),
        _ => None,
    }
}

fn outputs(query: &Query, normal: &Query) -> Vec<Output> {
    let items = |query: &'_ Query| -> Vec<(Option<String>, String)> {
        let select = naming_select(&query.body);
        let items = select.map(|select| select.projection.as_slice());
        items
            .unwrap_or_default()
            .iter()
            .map(|item| match item {
                SelectItem::ExprWithAlias { expr, alias } => (Some(fold(alias)), expr.to_string()),
                SelectItem::UnnamedExpr(expr) => (last_name(expr), expr.to_string()),
                other => (None, other.to_string()),
            })
            .collect()
    };
    let pairs = items(query).into_iter().zip(items(normal));
    pairs
        .map(|((name, shown), (_, key))| Output {
            name: name.unwrap_or_else(|| shown.clone()),
            key,
            shown,
        })
        .collect()
}

/// The name that PostgreSQL gives a column without AS.
fn last_name(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Identifier(name) => Some(fold(name)),
        Expr::CompoundIdentifier(parts) => parts.last().map(fold),
        _ => None,
    }
}

fn order(query: &Query) -> Vec<String> {
    let Some(OrderByKind::Expressions(keys)) = query.order_by.as_ref().map(|order| &order.kind)
    else {
        return Vec::new();
    };
    let select = naming_select(&query.body);
    keys.iter()
        .map(|key| {
            let text = key.to_string();
            let place = key.expr.to_string();
            match select {
                Some(select) => text.replacen(&place, &at_position(&key.expr, select), 1),
                None => text,
            }
        })
        .collect()
}

/// The expression at a position in GROUP BY or ORDER BY.
fn at_position(key: &Expr, select: &Select) -> String {
    let position = match key {
        Expr::Value(value) => match &value.value {
            Value::Number(number, _) => number.to_string().parse::<usize>().ok(),
            _ => None,
        },
        _ => None,
    };
    let item = position
        .and_then(|position| position.checked_sub(1))
        .and_then(|place| select.projection.get(place));
    match item {
        Some(SelectItem::ExprWithAlias { expr, .. } | SelectItem::UnnamedExpr(expr)) => {
            expr.to_string()
        }
        _ => key.to_string(),
    }
}

fn limits(query: &Query) -> (Option<String>, Option<String>) {
    let fetch = query
        .fetch
        .as_ref()
        .and_then(|fetch| fetch.quantity.as_ref())
        .map(ToString::to_string);
    match &query.limit_clause {
        Some(LimitClause::LimitOffset { limit, offset, .. }) => (
            limit.as_ref().map(ToString::to_string).or(fetch),
            offset.as_ref().map(|offset| offset.value.to_string()),
        ),
        Some(LimitClause::OffsetCommaLimit { limit, offset }) => {
            (Some(limit.to_string()), Some(offset.to_string()))
        }
        None => (fetch, None),
    }
}
