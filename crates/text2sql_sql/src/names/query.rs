//! Checks a query: its common table expressions, the sources of each SELECT, and every expression in the scope that
//! it is in.

use std::collections::HashSet;
use std::rc::Rc;

use sqlparser::ast::{
    ExcludeSelectItem, Expr, FunctionArg, GroupByExpr, Ident, JoinConstraint, JoinOperator,
    ObjectName, OrderBy, OrderByKind, Query, Select, SelectItem, SelectItemQualifiedWildcardKind,
    SetExpr, TableAlias, TableFactor, TableWithJoins, WildcardAdditionalOptions,
};

use super::checker::{Checker, Cte, Output, Outputs};
use super::scope::{Scope, Source};

/// What a FROM list gives.
#[derive(Default)]
struct From<'q> {
    sources: Vec<Source>,
    merged: HashSet<String>,
    /// Conditions of joins, which are checked when all sources are known.
    conditions: Vec<&'q Expr>,
}

impl Checker<'_> {
    /// Checks a query and gives its outputs.
    pub(super) fn query(
        &mut self,
        query: &Query,
        parent: Option<&Scope<'_>>,
        ctes: &[Cte],
    ) -> Outputs {
        let mut own = ctes.to_vec();
        for cte in query.with.iter().flat_map(|with| &with.cte_tables) {
            let key = self.key(&cte.alias.name);
            // In its own query it may stand for itself; its columns are those of the first part.
            own.push(Cte {
                key: key.clone(),
                columns: None,
            });
            let columns = self.query(&cte.query, parent, &own);
            own.pop();
            let columns = self.renamed(columns, Some(&cte.alias));
            own.push(Cte { key, columns });
        }
        match query.body.as_ref() {
            SetExpr::Select(select) => self.select(select, parent, &own, query.order_by.as_ref()),
            body => {
                let outputs = self.body(body, parent, &own);
                if let (Some(order_by), Some(columns)) = (&query.order_by, &outputs) {
                    let sources = [Source {
                        key: String::new(),
                        schema: None,
                        columns: Some(Rc::clone(columns)),
                        is_table: false,
                    }];
                    let scope = Scope {
                        sources: &sources,
                        merged: &names_of(columns),
                        aliases: &[],
                        parent,
                    };
                    self.order_by(order_by, &scope, &own);
                }
                outputs
            }
        }
    }

    fn body(&mut self, body: &SetExpr, parent: Option<&Scope<'_>>, ctes: &[Cte]) -> Outputs {
        match body {
            SetExpr::Select(select) => self.select(select, parent, ctes, None),
            SetExpr::Query(query) => self.query(query, parent, ctes),
            SetExpr::SetOperation { left, right, .. } => {
                // A chain of unions is as deep as it is long; the reader limits its length.
                let outputs = self.body(left, parent, ctes);
                self.body(right, parent, ctes);
                outputs
            }
            SetExpr::Values(values) => {
                let scope = empty_scope(parent);
                let rows = values.rows.iter().map(|row| &row.content);
                let width = rows.clone().map(Vec::len).max().unwrap_or(0);
                for value in rows.flatten() {
                    self.expression(value, &scope, ctes);
                }
                let outputs = (1..=width).map(|number| self.output(&format!("column{number}")));
                Some(outputs.collect())
            }
            SetExpr::Table(table) => {
                let name = table.table_name.as_ref()?;
                let ident = Ident::new(name.clone());
                let parts = match &table.schema_name {
                    Some(schema) => vec![Ident::new(schema.clone()), ident],
                    None => vec![ident],
                };
                self.table(&parts, ctes).and_then(|source| source.columns)
            }
            SetExpr::Insert(_) | SetExpr::Update(_) | SetExpr::Delete(_) | SetExpr::Merge(_) => {
                None
            }
        }
    }

    fn select(
        &mut self,
        select: &Select,
        parent: Option<&Scope<'_>>,
        ctes: &[Cte],
        order_by: Option<&OrderBy>,
    ) -> Outputs {
        let mut from = From::default();
        for item in &select.from {
            self.joined(item, &mut from, parent, ctes);
        }
        let aliases: Vec<String> = select
            .projection
            .iter()
            .filter_map(|item| match item {
                SelectItem::ExprWithAlias { alias, .. } => Some(self.key(alias)),
                _ => None,
            })
            .collect();
        let scope = |has_aliases: bool| Scope {
            sources: &from.sources,
            merged: &from.merged,
            aliases: if has_aliases { &aliases } else { &[] },
            parent,
        };
        let (rules, plain) = (self.rules, scope(false));
        for condition in &from.conditions {
            self.expression(condition, &plain, ctes);
        }
        let outputs = self.projection(select, &scope(rules.aliases_in_outputs), ctes);
        let in_where = scope(rules.aliases_in_where);
        self.expressions(
            select.selection.iter().chain(&select.prewhere),
            &in_where,
            ctes,
        );
        if let GroupByExpr::Expressions(keys, _) = &select.group_by {
            self.expressions(keys, &scope(rules.aliases_in_group_by), ctes);
        }
        let in_having = scope(rules.aliases_in_having);
        self.expressions(
            select.having.iter().chain(&select.qualify),
            &in_having,
            ctes,
        );
        if let Some(order_by) = order_by {
            let everything = scope(true);
            self.order_by(order_by, &everything, ctes);
        }
        self.grouping(select, &plain);
        outputs
    }

    fn order_by(&mut self, order_by: &OrderBy, scope: &Scope<'_>, ctes: &[Cte]) {
        if let OrderByKind::Expressions(keys) = &order_by.kind {
            self.expressions(keys.iter().map(|key| &key.expr), scope, ctes);
        }
    }

    pub(super) fn expressions<'e>(
        &mut self,
        expressions: impl IntoIterator<Item = &'e Expr>,
        scope: &Scope<'_>,
        ctes: &[Cte],
    ) {
        for expression in expressions {
            self.expression(expression, scope, ctes);
        }
    }

    /// Checks the outputs of a SELECT and names them.
    fn projection(&mut self, select: &Select, scope: &Scope<'_>, ctes: &[Cte]) -> Outputs {
        let mut outputs: Vec<Output> = Vec::new();
        let mut is_open = false;
        for item in &select.projection {
            match item {
                SelectItem::UnnamedExpr(expr) => {
                    self.expression(expr, scope, ctes);
                    outputs.push(self.output_of(expr, scope));
                }
                SelectItem::ExprWithAlias { expr, alias } => {
                    self.expression(expr, scope, ctes);
                    let origin = self.output_of(expr, scope).origin;
                    outputs.push(Output {
                        name: self.stored_name(alias),
                        key: self.key(alias),
                        origin,
                    });
                }
                SelectItem::ExprWithAliases { expr, .. } => {
                    self.expression(expr, scope, ctes);
                    is_open = true;
                }
                SelectItem::Wildcard(options) => {
                    let mut all: Vec<Output> = Vec::new();
                    for source in scope.sources {
                        match &source.columns {
                            Some(columns) => {
                                let is_new = |output: &&Output| {
                                    !scope.merged.contains(&output.key)
                                        || !all.iter().any(|known| known.key == output.key)
                                };
                                let new: Vec<Output> =
                                    columns.iter().filter(is_new).cloned().collect();
                                all.extend(new);
                            }
                            None => is_open = true,
                        }
                    }
                    is_open |= !self.without_excluded(&mut all, options);
                    outputs.extend(all);
                }
                SelectItem::QualifiedWildcard(
                    SelectItemQualifiedWildcardKind::ObjectName(name),
                    options,
                ) => match self.rows_of(name, scope) {
                    Some(columns) => {
                        let mut all = columns.to_vec();
                        is_open |= !self.without_excluded(&mut all, options);
                        outputs.extend(all);
                    }
                    None => is_open = true,
                },
                SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::Expr(expr), _) => {
                    self.expression(expr, scope, ctes);
                    is_open = true;
                }
            }
        }
        (!is_open).then(|| outputs.into())
    }

    /// The columns of `name.*`.
    fn rows_of(&mut self, name: &ObjectName, scope: &Scope<'_>) -> Outputs {
        let parts = idents(name);
        let last = parts.last()?;
        let key = self.key(last);
        let schema = parts
            .len()
            .checked_sub(2)
            .and_then(|place| parts.get(place));
        let schema = schema.map(|schema| self.key(schema));
        match scope.source(&key, schema.as_deref()) {
            Some(source) => source.columns.clone(),
            None => {
                self.missing_source(last);
                None
            }
        }
    }

    /// Takes away what `EXCLUDE` names. Whether the rest is known.
    fn without_excluded(
        &self,
        outputs: &mut Vec<Output>,
        options: &WildcardAdditionalOptions,
    ) -> bool {
        let excluded: Vec<&ObjectName> = match &options.opt_exclude {
            Some(ExcludeSelectItem::Single(name)) => vec![name],
            Some(ExcludeSelectItem::Multiple(names)) => names.iter().collect(),
            None => Vec::new(),
        };
        for name in excluded {
            if let Some(last) = idents(name).last() {
                let key = self.key(last);
                outputs.retain(|output| output.key != key);
            }
        }
        options.opt_ilike.is_none() && options.opt_except.is_none() && options.opt_rename.is_none()
    }

    fn joined<'q>(
        &mut self,
        item: &'q TableWithJoins,
        from: &mut From<'q>,
        parent: Option<&Scope<'_>>,
        ctes: &[Cte],
    ) {
        self.factor(&item.relation, from, parent, ctes);
        for join in &item.joins {
            let left = from.sources.len();
            self.factor(&join.relation, from, parent, ctes);
            let constraint = match &join.join_operator {
                JoinOperator::Join(constraint)
                | JoinOperator::Inner(constraint)
                | JoinOperator::Left(constraint)
                | JoinOperator::LeftOuter(constraint)
                | JoinOperator::Right(constraint)
                | JoinOperator::RightOuter(constraint)
                | JoinOperator::FullOuter(constraint)
                | JoinOperator::CrossJoin(constraint)
                | JoinOperator::Semi(constraint)
                | JoinOperator::LeftSemi(constraint)
                | JoinOperator::RightSemi(constraint)
                | JoinOperator::Anti(constraint)
                | JoinOperator::LeftAnti(constraint)
                | JoinOperator::RightAnti(constraint)
                | JoinOperator::StraightJoin(constraint) => constraint,
                JoinOperator::AsOf {
                    match_condition,
                    constraint,
                } => {
                    from.conditions.push(match_condition);
                    constraint
                }
                JoinOperator::CrossApply
                | JoinOperator::OuterApply
                | JoinOperator::ArrayJoin
                | JoinOperator::LeftArrayJoin
                | JoinOperator::InnerArrayJoin => continue,
            };
            match constraint {
                JoinConstraint::On(condition) => from.conditions.push(condition),
                JoinConstraint::Using(columns) => {
                    for name in columns {
                        self.shared_column(name, from, left);
                    }
                }
                JoinConstraint::Natural => {
                    let right = from.sources.get(left..).unwrap_or_default();
                    let right: HashSet<String> = keys_of(right);
                    let left = keys_of(from.sources.get(..left).unwrap_or_default());
                    from.merged.extend(left.intersection(&right).cloned());
                }
                JoinConstraint::None => {}
            }
        }
    }

    /// A column of USING, which both sides have.
    fn shared_column(&mut self, name: &ObjectName, from: &mut From<'_>, left: usize) {
        let Some(ident) = idents(name).last().cloned() else {
            return;
        };
        let key = self.key(&ident);
        let has = |sources: &[Source]| {
            let mut sources = sources.iter();
            sources.any(|source| source.columns.is_none() || source.column(&key).is_some())
        };
        let (before, behind) = from.sources.split_at(left.min(from.sources.len()));
        if !has(before) || !has(behind) {
            self.unknown_column(&ident, None);
        }
        from.merged.insert(key);
    }

    /// Adds the sources of one item of FROM.
    fn factor<'q>(
        &mut self,
        factor: &'q TableFactor,
        from: &mut From<'q>,
        parent: Option<&Scope<'_>>,
        ctes: &[Cte],
    ) {
        let before = std::mem::take(&mut from.sources);
        let none = HashSet::new();
        let beside = Scope {
            sources: &before,
            merged: &none,
            aliases: &[],
            parent,
        };
        let mut added: Vec<Source> = Vec::new();
        match factor {
            TableFactor::Table {
                name,
                alias,
                args: Some(args),
                ..
            } => {
                self.arguments(&args.args, &beside, ctes);
                self.function(&idents(name), &beside);
                added.push(self.open_source(alias.as_ref(), idents(name).last()));
            }
            TableFactor::Table { name, alias, .. } => {
                let source = self.table(&idents(name), ctes);
                added.extend(source.map(|source| self.aliased(source, alias.as_ref())));
            }
            TableFactor::Derived {
                lateral,
                subquery,
                alias,
                ..
            } => {
                let sees_siblings = *lateral || self.rules.is_implicitly_lateral || self.applies();
                let around = if sees_siblings { Some(&beside) } else { parent };
                let columns = self.query(subquery, around, ctes);
                let source = Source {
                    key: String::new(),
                    schema: None,
                    columns,
                    is_table: false,
                };
                added.push(self.aliased(source, alias.as_ref()));
            }
            TableFactor::NestedJoin {
                table_with_joins,
                alias,
            } => {
                let mut inner = From::default();
                self.joined(table_with_joins, &mut inner, parent, ctes);
                from.merged.extend(inner.merged);
                from.conditions.extend(inner.conditions);
                match alias {
                    Some(alias) => added.push(self.open_source(Some(alias), None)),
                    None => added.extend(inner.sources),
                }
            }
            TableFactor::Function {
                name, args, alias, ..
            } => {
                self.arguments(args, &beside, ctes);
                self.function(&idents(name), &beside);
                added.push(self.open_source(alias.as_ref(), idents(name).last()));
            }
            TableFactor::UNNEST {
                alias, array_exprs, ..
            } => {
                self.expressions(array_exprs, &beside, ctes);
                added.push(self.open_source(alias.as_ref(), None));
            }
            TableFactor::TableFunction { expr, alias } => {
                self.expression(expr, &beside, ctes);
                added.push(self.open_source(alias.as_ref(), None));
            }
            TableFactor::JsonTable {
                json_expr, alias, ..
            }
            | TableFactor::OpenJsonTable {
                json_expr, alias, ..
            } => {
                self.expression(json_expr, &beside, ctes);
                added.push(self.open_source(alias.as_ref(), None));
            }
            TableFactor::Pivot { table, alias, .. }
            | TableFactor::Unpivot { table, alias, .. }
            | TableFactor::MatchRecognize { table, alias, .. } => {
                // Its tables must exist; what it makes of their columns is not worked out.
                let mut inner = From::default();
                self.factor(table, &mut inner, parent, ctes);
                added.push(self.open_source(alias.as_ref(), None));
            }
            TableFactor::XmlTable { alias, .. } | TableFactor::SemanticView { alias, .. } => {
                added.push(self.open_source(alias.as_ref(), None));
            }
            TableFactor::UnpivotExpr { .. } => added.push(self.open_source(None, None)),
        }
        from.sources = before;
        from.sources.append(&mut added);
    }

    /// Whether CROSS APPLY lets a sub-query see what is before it: SQL Server has no LATERAL.
    fn applies(&self) -> bool {
        self.schema.dialect == text2sql_domain::dialect::Dialect::TSql
    }

    fn arguments(&mut self, arguments: &[FunctionArg], scope: &Scope<'_>, ctes: &[Cte]) {
        for argument in arguments {
            self.argument(argument, scope, ctes);
        }
    }

    /// The table of that name; a fault if there is none.
    fn table(&mut self, parts: &[Ident], ctes: &[Cte]) -> Option<Source> {
        let last = parts.last()?;
        let key = self.key(last);
        if parts.len() == 1
            && let Some(cte) = ctes.iter().rev().find(|cte| cte.key == key)
        {
            return Some(Source {
                key,
                schema: None,
                columns: cte.columns.clone(),
                is_table: false,
            });
        }
        let places = self.tables.get(&key).cloned().unwrap_or_default();
        let schema = parts
            .len()
            .checked_sub(2)
            .and_then(|place| parts.get(place));
        let schema = schema.map(|schema| self.key(schema));
        let fits = |place: &&usize| {
            let Some(table) = self.schema.tables.get(**place) else {
                return false;
            };
            match &schema {
                Some(schema) => self.rules.stored(&table.schema) == *schema,
                None => table.is_visible,
            }
        };
        let place = places.iter().find(fits).copied();
        let Some((place, table)) =
            place.and_then(|place| Some((place, self.schema.tables.get(place)?)))
        else {
            self.unknown_table(parts, &places);
            return Some(Source {
                key,
                schema,
                columns: None,
                is_table: true,
            });
        };
        self.used.insert(place);
        let columns: Vec<Output> = table
            .columns
            .iter()
            .enumerate()
            .map(|(number, column)| Output {
                name: column.name.clone(),
                key: self.rules.stored(&column.name),
                origin: Some((place, number)),
            })
            .collect();
        Some(Source {
            key,
            schema: Some(self.rules.stored(&table.schema)),
            columns: (!columns.is_empty()).then(|| columns.into()),
            is_table: true,
        })
    }

    fn unknown_table(&mut self, parts: &[Ident], elsewhere: &[usize]) {
        let names: Vec<&str> = parts.iter().map(|part| part.value.as_str()).collect();
        let hint = elsewhere
            .first()
            .and_then(|place| self.schema.tables.get(*place))
            .map(|table| format!("There is {}.", table.sql_name()));
        let Some(place) = parts.first().map(|part| part.span.start) else {
            return;
        };
        self.fault(
            place,
            "42P01",
            format!("relation \"{}\" does not exist", names.join(".")),
        );
        if let Some(fault) = self.faults.last_mut() {
            fault.hint = hint;
        }
    }

    fn aliased(&self, source: Source, alias: Option<&TableAlias>) -> Source {
        let Some(alias) = alias else {
            return source;
        };
        Source {
            key: self.key(&alias.name),
            schema: None,
            columns: self.renamed(source.columns, Some(alias)),
            is_table: source.is_table,
        }
    }

    fn open_source(&self, alias: Option<&TableAlias>, name: Option<&Ident>) -> Source {
        let name = alias.map(|alias| &alias.name).or(name);
        Source {
            key: name.map_or_else(String::new, |name| self.key(name)),
            schema: None,
            columns: None,
            is_table: false,
        }
    }

    /// The outputs with the names that an alias gives them.
    fn renamed(&self, outputs: Outputs, alias: Option<&TableAlias>) -> Outputs {
        let names = alias
            .map(|alias| alias.columns.as_slice())
            .unwrap_or_default();
        let columns = outputs?;
        if names.is_empty() {
            return Some(columns);
        }
        let renamed = columns
            .iter()
            .enumerate()
            .map(|(place, output)| match names.get(place) {
                Some(column) => Output {
                    name: self.stored_name(&column.name),
                    key: self.key(&column.name),
                    origin: output.origin,
                },
                None => output.clone(),
            });
        Some(renamed.collect())
    }

    fn output(&self, name: &str) -> Output {
        Output {
            name: name.to_owned(),
            key: self.rules.stored(name),
            origin: None,
        }
    }

    /// The name of an identifier as the database stores it.
    fn stored_name(&self, name: &Ident) -> String {
        match self.rules.folds_to_lower_case && name.quote_style.is_none() {
            true => name.value.to_lowercase(),
            false => name.value.clone(),
        }
    }

    /// The output that an expression without an alias makes.
    fn output_of(&self, expr: &Expr, scope: &Scope<'_>) -> Output {
        match expr {
            Expr::Identifier(name) => {
                let key = self.key(name);
                let origin = match scope.column(&key, &[]) {
                    super::scope::Meaning::Known(origin) => origin,
                    _ => None,
                };
                Output {
                    name: self.stored_name(name),
                    key,
                    origin,
                }
            }
            Expr::CompoundIdentifier(parts) => {
                let Some(name) = parts.last() else {
                    return self.output("");
                };
                let key = self.key(name);
                let table = parts
                    .len()
                    .checked_sub(2)
                    .and_then(|place| parts.get(place));
                let source = table.and_then(|table| scope.source(&self.key(table), None));
                Output {
                    name: self.stored_name(name),
                    origin: source.and_then(|source| source.column(&key)?.origin),
                    key,
                }
            }
            Expr::Function(function) => {
                let name = idents(&function.name)
                    .last()
                    .map(|name| self.stored_name(name));
                self.output(&name.unwrap_or_default())
            }
            Expr::Nested(inner) => self.output_of(inner, scope),
            Expr::Cast { expr: inner, .. } => Output {
                origin: None,
                ..self.output_of(inner, scope)
            },
            _ => self.output(""),
        }
    }
}

/// The identifiers of a name.
pub(super) fn idents(name: &ObjectName) -> Vec<Ident> {
    name.0
        .iter()
        .filter_map(|part| part.as_ident().cloned())
        .collect()
}

fn names_of(outputs: &[Output]) -> HashSet<String> {
    outputs.iter().map(|output| output.key.clone()).collect()
}

fn keys_of(sources: &[Source]) -> HashSet<String> {
    let columns = sources.iter().filter_map(|source| source.columns.as_ref());
    columns.flat_map(|columns| names_of(columns)).collect()
}

fn empty_scope<'p>(parent: Option<&'p Scope<'p>>) -> Scope<'p> {
    static NONE: std::sync::LazyLock<HashSet<String>> = std::sync::LazyLock::new(HashSet::new);
    Scope {
        sources: &[],
        merged: &NONE,
        aliases: &[],
        parent,
    }
}
