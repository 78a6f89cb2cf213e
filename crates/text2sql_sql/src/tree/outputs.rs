//! The result of a SELECT: its columns, its keys, and whether it is a single row.

use std::collections::HashMap;

use sqlparser::ast::{
    Distinct, Expr, GroupByExpr, Select, SelectItem, SelectItemQualifiedWildcardKind, Value,
};

use super::{Output, Reference, ResultRows, Rows, Tree, aggregate, aggregates};
use crate::tree::syntax::{constant_text, fold, fold_parts, read_call, without_parentheses};

impl Tree<'_> {
    /// The result of a SELECT: its columns, its keys, and whether it is a single row.
    pub(super) fn outputs(&self, block: usize, select: &Select) -> ResultRows {
        let query = self.block(block).and_then(|block| block.query);
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
        let is_one_for_one = select.distinct.is_none()
            && select.having.is_none()
            && matches!(&select.group_by, GroupByExpr::Expressions(groups, _) if groups.is_empty())
            && aggregates(select, query).is_empty();
        if is_one_for_one {
            self.add_repeated(block, &mut columns);
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
                for key in self.row_keys(block) {
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

    /// Says of each column whose rows a join of the block, or of what it reads, repeats.
    fn add_repeated(&self, block: usize, columns: &mut [(Output, Option<Reference>)]) {
        let sources = self.block(block).map_or(0, |block| block.sources.len());
        let is_repeated: Vec<bool> = (0..sources)
            .map(|source| !self.repeating(block, source, &[]).is_empty())
            .collect();
        for (output, reference) in columns {
            let Some(reference) = reference.as_ref().filter(|of| of.block == block) else {
                continue;
            };
            if let Some(below) = self.passed_on(reference) {
                output.repeated.clone_from(&below.repeated);
            }
            if is_repeated.get(reference.source).copied().unwrap_or(false) {
                output.repeated.push((block, reference.source));
            }
        }
    }

    /// The outputs that identify a group, if all GROUP BY expressions are outputs.
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
                if let Some(reference) = self.resolve(block, group) {
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
        let reference = self.resolve(block, expression);
        let found = aggregate(without_parentheses(expression));
        let handed_on =
            reference
                .as_ref()
                .and_then(|reference| match &self.source(reference)?.rows {
                    Rows::Result(result) => result.output(&reference.column).cloned(),
                    _ => None,
                });
        let origin = reference.as_ref().and_then(|reference| {
            let (table, column) = self.column(reference)?;
            Some((table.clone(), column.name.clone()))
        });
        let is_never_null = match (&reference, &found) {
            (_, Some(found)) => found.name == "count",
            (Some(reference), None) => {
                self.can_be_null(reference) == Some(false)
                    && !self.is_optional(reference.block, reference.source)
            }
            _ => false,
        };
        let output = Output {
            name: alias.or_else(|| name_of(expression)),
            origin,
            category: self.category(block, expression),
            aggregate: found
                .map(|found| found.name)
                .or_else(|| inner_aggregate(expression))
                .or(handed_on.and_then(|output| output.aggregate)),
            is_never_null,
            grain: grain(expression),
            repeated: Vec::new(),
        };
        (output, reference)
    }

    fn all_columns(
        &self,
        block: usize,
        qualifier: Option<&str>,
    ) -> Vec<(Output, Option<Reference>)> {
        let Some(here) = self.block(block) else {
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
                let column = self.column(&reference);
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
                    is_never_null: self.can_be_null(&reference) == Some(false)
                        && !self.is_optional(block, position),
                    grain: None,
                    repeated: Vec::new(),
                };
                columns.push((output, Some(reference)));
            }
        }
        columns
    }
}

/// The unit of `date_trunc('month', …)`, ignoring casts.
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
