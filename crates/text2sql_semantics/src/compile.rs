//! From meaning to SQL.

mod alike;
mod derived_figures;

use std::sync::Arc;

use crate::definitions::qualified;
use crate::family;
use crate::query::{
    Aggregate, Answer, ColumnRef, Condition, DatePart, Defined, Dimension, Expression, Function,
    Literal, Operator, Order, OrderBy, SemanticQuery, Step, TableRef, Value,
};
use crate::refusal::Refusal;
use crate::scope::{Names, Scope};
use text2sql_domain::schema::{Table, TypeCategory, quote_identifier, quote_literal};

/// A statement, and what its reader has to know of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Compiled {
    /// One SELECT.
    pub sql: String,
    /// What the statement does with rows that the question says nothing about.
    pub notes: Vec<Note>,
}

/// What a statement does with rows that the question says nothing about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// Rows without a value of this column count as those that have another one.
    WithoutValueCounts {
        /// Its table.
        table: String,
        /// The column.
        column: String,
    },
    /// Rows that reach no row of this table are left out.
    WithoutRowLeftOut {
        /// The table.
        table: String,
    },
    /// A row that belongs to several rows of this table counts for each of them.
    CountsForEach {
        /// The table.
        table: String,
    },
    /// Nobody declared that the column is a key of the table.
    TakenAsKey {
        /// The table with the column.
        from: String,
        /// The column.
        column: String,
        /// The table that it refers to.
        to: String,
    },
}

/// Compiles the meaning over the tables.
pub fn compile(query: &SemanticQuery, tables: &[Arc<Table>]) -> Result<Compiled, Refusal> {
    match family::narrowed(query, tables) {
        Some((query, tables)) => compiled(&query, &tables),
        None => compiled(query, tables),
    }
}

fn compiled(query: &SemanticQuery, tables: &[Arc<Table>]) -> Result<Compiled, Refusal> {
    Compiler::check_alike(query)?;
    let mut names = Names::default();
    let scope = Scope::of(tables, &query.subject, &mut names)?;
    let mut compiler = Compiler {
        scope,
        names,
        notes: Vec::new(),
    };
    let sql = match &query.answer {
        Answer::Exists => {
            let conditions = compiler.conditions(&query.conditions)?;
            let from = compiler.scope.joined_tables();
            format!(
                "SELECT EXISTS (SELECT 1\n{from}{}) AS answer",
                where_clause(&conditions)
            )
        }
        Answer::Rows { columns, distinct } => compiler.rows(query, columns, *distinct)?,
        Answer::Figures {
            measures,
            dimensions,
        } => compiler.figures(query, measures, dimensions)?,
    };
    let Compiler {
        scope, mut notes, ..
    } = compiler;
    for (from, column, to) in scope.assumed {
        let note = Note::TakenAsKey { from, column, to };
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    let sql = family::written(sql, tables);
    Ok(Compiled { sql, notes })
}

struct Compiler<'t> {
    scope: Scope<'t>,
    names: Names,
    notes: Vec<Note>,
}

fn where_clause(conditions: &[String]) -> String {
    match conditions {
        [] => String::new(),
        all => format!("\nWHERE {}", all.join("\n  AND ")),
    }
}

impl<'t> Compiler<'t> {
    fn note(&mut self, note: Note) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    fn rows(
        &mut self,
        query: &SemanticQuery,
        columns: &[crate::query::Shown],
        distinct: bool,
    ) -> Result<String, Refusal> {
        if columns.is_empty() {
            return Err(Refusal::Unsupported("a list has no column"));
        }
        let mut shown = Vec::new();
        for column in columns {
            let sql = self.expression(&column.value, false)?;
            shown.push(match &column.name {
                Some(name) => format!("{sql} AS {}", quote_identifier(name)),
                None => sql,
            });
        }
        let conditions = self.conditions(&query.conditions)?;
        let ordered = match &query.order {
            None if distinct || self.scope.base.primary_key.is_empty() => String::new(),
            None => {
                let key = self.scope.base.primary_key.iter();
                let key: Vec<String> = key
                    .map(|column| format!("{}.{}", self.scope.alias, quote_identifier(column)))
                    .collect();
                format!("\nORDER BY {}", key.join(", "))
            }
            Some(order) => {
                let OrderBy::Value(value) = &order.by else {
                    return Err(Refusal::Unsupported(
                        "a list has no figures to be ordered by",
                    ));
                };
                let key = self.expression(value, false)?;
                if distinct && !shown.contains(&key) {
                    return Err(Refusal::Unsupported(
                        "different values are ordered by another column",
                    ));
                }
                ordered(&key, order)
            }
        };
        let distinct = if distinct { "DISTINCT " } else { "" };
        Ok(format!(
            "SELECT {distinct}{}\n{}{}{ordered}",
            shown.join(", "),
            self.scope.joined_tables(),
            where_clause(&conditions)
        ))
    }

    fn figures(
        &mut self,
        query: &SemanticQuery,
        measures: &[crate::query::Measure],
        dimensions: &[Dimension],
    ) -> Result<String, Refusal> {
        if measures.is_empty() {
            return Err(Refusal::Unsupported("no figure is asked for"));
        }
        let (mut shown, mut groups, mut sorts) = (Vec::new(), Vec::new(), Vec::new());
        for dimension in dimensions {
            self.scope.may_fan = true;
            let made = self.dimension(dimension);
            self.scope.may_fan = false;
            let (mut own, key, sort) = made?;
            shown.append(&mut own);
            for group in key {
                if !groups.contains(&group) {
                    groups.push(group);
                }
            }
            sorts.push(sort);
        }
        if let Some(table) = self.scope.fanned.clone() {
            let is_whole =
                |measure: &crate::query::Measure| matches!(measure.value, Value::ShareOfAll(_));
            if measures.iter().any(is_whole) {
                return Err(Refusal::Unsupported("a row counts in several groups"));
            }
            self.note(Note::CountsForEach { table });
        }
        let mut figures = Vec::new();
        for measure in measures {
            let sql = match &measure.value {
                Value::GrowthByPeriod(one) => self.growth_by_period(one, dimensions, &groups)?,
                value => self.value(value, &groups)?,
            };
            shown.push(format!("{sql} AS {}", quote_identifier(&measure.name)));
            figures.push(sql);
        }
        let conditions = self.conditions(&query.conditions)?;
        let grouped = match groups.as_slice() {
            [] => String::new(),
            groups => format!("\nGROUP BY {}", groups.join(", ")),
        };
        let ordered = match &query.order {
            Some(order) => {
                let key = match &order.by {
                    OrderBy::Measure(at) => figures.get(*at),
                    OrderBy::Dimension(at) => sorts.get(*at),
                    OrderBy::Value(_) => None,
                };
                let key = key.ok_or(Refusal::Unsupported(
                    "the order is by nothing that is shown",
                ))?;
                ordered(key, order)
            }
            None if sorts.is_empty() => String::new(),
            None => format!("\nORDER BY {}", sorts.join(", ")),
        };
        Ok(format!(
            "SELECT {}\n{}{}{grouped}{ordered}",
            shown.join(", "),
            self.scope.joined_tables(),
            where_clause(&conditions)
        ))
    }

    /// The columns that show a dimension, what is grouped by, and what sorts it.
    fn dimension(
        &mut self,
        dimension: &Dimension,
    ) -> Result<(Vec<String>, Vec<String>, String), Refusal> {
        match dimension {
            Dimension::Column(column) => {
                let (sql, _) = self.column(column, false)?;
                Ok((vec![sql.clone()], vec![sql.clone()], sql))
            }
            Dimension::Entity { key, names, label } => {
                let (mut shown, mut groups) = (Vec::new(), Vec::new());
                for column in key {
                    // Nobody is no customer: rows that reach none belong to no group.
                    if self.scope.may_be_null(column) {
                        let (_, table) = self.scope.reach(&column.path, true, &mut self.names)?;
                        let table = table.name.clone();
                        if !column.path.is_empty() {
                            self.note(Note::WithoutRowLeftOut { table });
                        }
                    }
                    groups.push(self.column(column, true)?.0);
                }
                for name in names {
                    let (sql, _) = self.column(name, true)?;
                    if !groups.contains(&sql) {
                        groups.push(sql.clone());
                    }
                    shown.push(sql);
                }
                let mut sort = shown
                    .first()
                    .cloned()
                    .ok_or(Refusal::Unsupported("a group has no name"))?;
                if let (Some(label), [first, ..]) = (label, shown.as_mut_slice()) {
                    *first = format!("{first} AS {}", quote_identifier(label));
                    sort = quote_identifier(label).to_string();
                }
                Ok((shown, groups, sort))
            }
            Dimension::Date(column, part) => {
                let (sql, found) = self.column(column, false)?;
                if !matches!(found.category, TypeCategory::Date | TypeCategory::Timestamp) {
                    return Err(Refusal::Unsupported(
                        "a part of a date is asked of what is no date",
                    ));
                }
                let truncated = |unit: &str| format!("date_trunc('{unit}', {sql})::date");
                let value = match part {
                    DatePart::Year => format!("extract(year FROM {sql})::int"),
                    DatePart::Quarter => truncated("quarter"),
                    DatePart::Month => truncated("month"),
                    DatePart::Week => truncated("week"),
                    DatePart::Day => format!("{sql}::date"),
                    DatePart::Weekday => format!("to_char({sql}, 'FMDay')"),
                    DatePart::Hour => format!("extract(hour FROM {sql})::int"),
                    DatePart::MonthOfYear => format!("extract(month FROM {sql})::int"),
                    DatePart::QuarterOfYear => format!("extract(quarter FROM {sql})::int"),
                };
                let name = match part {
                    DatePart::Year => "year",
                    DatePart::Quarter | DatePart::QuarterOfYear => "quarter",
                    DatePart::Month | DatePart::MonthOfYear => "month",
                    DatePart::Week => "week",
                    DatePart::Day => "day",
                    DatePart::Weekday => "weekday",
                    DatePart::Hour => "hour",
                };
                let shown = format!("{value} AS {name}");
                if *part == DatePart::Weekday {
                    let number = format!("extract(isodow FROM {sql})");
                    return Ok((vec![shown], vec![value, number.clone()], number));
                }
                Ok((vec![shown], vec![value.clone()], value))
            }
        }
    }

    /// The frame is the one period before: nothing where that has no rows.
    /// An interval is written with its keyword: what explains and judges SQL reads no cast in a frame.
    fn growth_by_period(
        &mut self,
        one: &Aggregate,
        dimensions: &[Dimension],
        groups: &[String],
    ) -> Result<String, Refusal> {
        let ([Dimension::Date(_, part)], [period]) = (dimensions, groups) else {
            return Err(Refusal::Unsupported("growth by period needs periods"));
        };
        let step = match part {
            DatePart::Year => "1",
            DatePart::Quarter => "INTERVAL '3 months'",
            DatePart::Month => "INTERVAL '1 month'",
            DatePart::Week => "INTERVAL '7 days'",
            DatePart::Day => "INTERVAL '1 day'",
            DatePart::Weekday
            | DatePart::Hour
            | DatePart::MonthOfYear
            | DatePart::QuarterOfYear => {
                return Err(Refusal::Unsupported(
                    "no period is before such a part of a date",
                ));
            }
        };
        let own = self.aggregate(one)?;
        let before = format!(
            "sum({own}) OVER (ORDER BY {period} RANGE BETWEEN {step} PRECEDING AND {step} PRECEDING)"
        );
        Ok(format!("100.0 * ({own} - {before}) / nullif({before}, 0)"))
    }

    fn value(&mut self, value: &Value, groups: &[String]) -> Result<String, Refusal> {
        Ok(match value {
            Value::Aggregate(one) => self.aggregate(one)?,
            Value::Percentage(part, whole) => {
                let (part, whole) = (self.aggregate(part)?, self.aggregate(whole)?);
                format!("100.0 * coalesce({part}, 0) / nullif({whole}, 0)")
            }
            Value::Growth(from, to) => {
                let (from, to) = (self.aggregate(from)?, self.aggregate(to)?);
                format!("100.0 * ({to} - {from}) / nullif({from}, 0)")
            }
            Value::Change(from, to) => {
                let (from, to) = (self.aggregate(from)?, self.aggregate(to)?);
                format!("{to} - {from}")
            }
            Value::GrowthByPeriod(_) => {
                return Err(Refusal::Unsupported("growth by period needs periods"));
            }
            Value::ShareOfAll(one) => {
                if groups.is_empty() {
                    return Err(Refusal::Unsupported("a share of the whole needs groups"));
                }
                let own = self.aggregate(one)?;
                format!("100.0 * {own} / nullif(sum({own}) OVER (), 0)")
            }
            Value::Defined(defined) if !defined.path.is_empty() => {
                return Err(Refusal::Unsupported("an aggregate is over other rows"));
            }
            Value::Defined(defined) => self.defined(defined)?,
        })
    }

    fn aggregate(&mut self, aggregate: &Aggregate) -> Result<String, Refusal> {
        let argument = match &aggregate.of {
            None => "*".to_owned(),
            Some(of) => self.expression(of, false)?,
        };
        if aggregate.of.is_none() && aggregate.function != Function::Count {
            return Err(Refusal::Unsupported("rows can only be counted"));
        }
        if matches!(
            aggregate.function,
            Function::Sum | Function::Average | Function::Median
        ) && let Some(Expression::Column(column)) = &aggregate.of
        {
            let (_, found) = self.column(column, false)?;
            if !matches!(
                found.category,
                TypeCategory::Integer | TypeCategory::Number | TypeCategory::Interval
            ) {
                return Err(Refusal::NoNumber(column.column.clone()));
            }
        }
        let call = call_of(aggregate.function, &argument);
        let only = self.conditions(&aggregate.only)?;
        Ok(match only.as_slice() {
            [] => call,
            only => format!("{call} FILTER (WHERE {})", only.join(" AND ")),
        })
    }

    fn column(
        &mut self,
        column: &ColumnRef,
        is_required: bool,
    ) -> Result<(String, &'t text2sql_domain::schema::Column), Refusal> {
        self.scope.column(column, is_required, &mut self.names)
    }

    fn expression(
        &mut self,
        expression: &Expression,
        is_required: bool,
    ) -> Result<String, Refusal> {
        Ok(match expression {
            Expression::Column(column) => self.column(column, is_required)?.0,
            Expression::Product(factors) => {
                let mut product = Vec::new();
                for factor in factors {
                    product.push(self.expression(factor, is_required)?);
                }
                product.join(" * ")
            }
            Expression::Remainder { of, is_percent } => {
                let (sql, _) = self.column(of, is_required)?;
                match is_percent {
                    true => format!("(1 - coalesce({sql}, 0) / 100.0)"),
                    false => format!("(1 - coalesce({sql}, 0))"),
                }
            }
            Expression::InUnit { of, divisor } => {
                format!("({} / {divisor}.0)", self.column(of, is_required)?.0)
            }
            Expression::Difference(from, to) => {
                let (from, to) = (
                    self.expression(from, is_required)?,
                    self.expression(to, is_required)?,
                );
                format!("({to} - {from})")
            }
            Expression::Days(from, to) => {
                let (from, first) = self.column(from, is_required)?;
                let (to, second) = self.column(to, is_required)?;
                let is_day = |column: &text2sql_domain::schema::Column| {
                    column.category == TypeCategory::Date
                };
                match is_day(first) && is_day(second) {
                    true => format!("({to} - {from})"),
                    false => format!("(extract(epoch FROM {to} - {from}) / 86400.0)"),
                }
            }
            Expression::Related(related) => self.related(related)?,
            Expression::Defined(defined) => format!("({})", self.defined(defined)?),
        })
    }

    fn defined(&mut self, defined: &Defined) -> Result<String, Refusal> {
        let (alias, table) = self.scope.reach(&defined.path, false, &mut self.names)?;
        let mut tables = vec![(table, alias)];
        for path in &defined.joins {
            let (alias, table) = self.scope.reach(path, false, &mut self.names)?;
            tables.push((table, alias));
        }
        Ok(qualified(&defined.expression, &tables))
    }

    fn conditions(&mut self, conditions: &[Condition]) -> Result<Vec<String>, Refusal> {
        let mut all = Vec::new();
        for condition in conditions {
            let sql = self.condition(condition)?;
            if !all.contains(&sql) {
                all.push(sql);
            }
        }
        Ok(all)
    }

    fn condition(&mut self, condition: &Condition) -> Result<String, Refusal> {
        Ok(match condition {
            Condition::Compare {
                left,
                operator,
                right,
            } => {
                let sql = self.expression(left, false)?;
                let right = literal(right);
                if *operator == Operator::NotEqual {
                    self.note_nulls(left);
                    format!("{sql} IS DISTINCT FROM {right}")
                } else {
                    format!("{sql} {} {right}", operator.as_sql())
                }
            }
            Condition::CompareColumns {
                left,
                operator,
                right,
            } => {
                let (left, right) = (
                    self.expression(left, false)?,
                    self.expression(right, false)?,
                );
                format!("{left} {} {right}", operator.as_sql())
            }
            Condition::OneOf {
                column,
                values,
                is_negated,
            } => {
                let (sql, _) = self.column(column, false)?;
                let list: Vec<String> = values.iter().map(literal).collect();
                match (list.as_slice(), is_negated) {
                    ([], _) => return Err(Refusal::Unsupported("one of no values")),
                    ([one], false) => format!("{sql} = {one}"),
                    (_, false) => format!("{sql} IN ({})", list.join(", ")),
                    (_, true) => {
                        let may_be_null = self.scope.may_be_null(column);
                        self.note_nulls(&Expression::Column(column.clone()));
                        match (list.as_slice(), may_be_null) {
                            ([one], true) => format!("{sql} IS DISTINCT FROM {one}"),
                            ([one], false) => format!("{sql} <> {one}"),
                            (_, true) => format!("({sql} IN ({})) IS NOT TRUE", list.join(", ")),
                            (_, false) => format!("{sql} NOT IN ({})", list.join(", ")),
                        }
                    }
                }
            }
            Condition::Between { value, low, high } => {
                let sql = self.expression(value, false)?;
                format!("{sql} BETWEEN {} AND {}", literal(low), literal(high))
            }
            Condition::Like {
                column,
                pattern,
                is_negated,
            } => {
                let (sql, _) = self.column(column, false)?;
                let pattern = quote_literal(pattern);
                match is_negated {
                    false => format!("{sql} ILIKE {pattern}"),
                    true => format!("({sql} ILIKE {pattern}) IS NOT TRUE"),
                }
            }
            Condition::Null { column, is_negated } => {
                let (sql, found) = self.column(column, false)?;
                let is_array = found.category == TypeCategory::Array;
                match (is_negated, is_array) {
                    (false, true) => format!("coalesce(cardinality({sql}), 0) = 0"),
                    (true, true) => format!("cardinality({sql}) > 0"),
                    (false, false) => format!("{sql} IS NULL"),
                    (true, false) => format!("{sql} IS NOT NULL"),
                }
            }
            Condition::Truth { column, is_negated } => {
                let (sql, _) = self.column(column, false)?;
                if *is_negated && self.scope.may_be_null(column) {
                    self.note_nulls(&Expression::Column(column.clone()));
                    return Ok(format!("{sql} IS NOT TRUE"));
                }
                match is_negated {
                    false => sql,
                    true => format!("NOT {sql}"),
                }
            }
            Condition::Period {
                column,
                from,
                before,
            } => {
                let (sql, found) = self.column(column, false)?;
                if !matches!(found.category, TypeCategory::Date | TypeCategory::Timestamp) {
                    return Err(Refusal::Unsupported("a period is asked of what is no date"));
                }
                let mut bounds = Vec::new();
                bounds.extend(
                    from.as_ref()
                        .map(|day| format!("{sql} >= DATE {}", quote_literal(day))),
                );
                bounds.extend(
                    before
                        .as_ref()
                        .map(|day| format!("{sql} < DATE {}", quote_literal(day))),
                );
                if bounds.is_empty() {
                    return Err(Refusal::Unsupported(
                        "a period without a beginning and an end",
                    ));
                }
                bounds.join(" AND ")
            }
            Condition::Exists {
                table,
                link,
                of,
                conditions,
                is_negated,
            } => {
                let (outer, _) = self.scope.reach(of, false, &mut self.names)?;
                self.exists(table, link, &outer, conditions, *is_negated)?
            }
            Condition::AgainstAverage { column, operator } => {
                let (sql, _) = self.column(column, false)?;
                if !column.path.is_empty() {
                    return Err(Refusal::Unsupported("an average over another table"));
                }
                format!(
                    "{sql} {} (SELECT avg({}) FROM {})",
                    operator.as_sql(),
                    quote_identifier(&column.column),
                    family::source(self.scope.base)
                )
            }
            Condition::AmongAlike {
                each,
                function,
                of,
                than,
            } => {
                let figure = Aggregate {
                    function: *function,
                    of: of.clone().map(Expression::Column),
                    only: Vec::new(),
                };
                self.among_alike(each, &figure, than.as_ref())?
            }
            Condition::Defined {
                condition,
                is_negated,
            } => {
                let sql = self.defined(condition)?;
                match is_negated {
                    false => format!("({sql})"),
                    true => format!("({sql}) IS NOT TRUE"),
                }
            }
            Condition::Any(either) => {
                let either = self.conditions(either)?;
                format!("({})", either.join(" OR "))
            }
        })
    }

    fn exists(
        &mut self,
        table: &TableRef,
        link: &[Step],
        outer: &str,
        conditions: &[Condition],
        is_negated: bool,
    ) -> Result<String, Refusal> {
        let (path, keys) = link_keys(link)?;
        let scope = Scope::of(self.scope.tables, table, &mut self.names)?;
        let mut inner = Compiler {
            scope,
            names: std::mem::take(&mut self.names),
            notes: Vec::new(),
        };
        let made = inner.exists_select(path, &keys, conditions, outer);
        self.names = inner.names;
        let not = if is_negated { "NOT " } else { "" };
        Ok(format!("{not}EXISTS ({})", made?))
    }

    fn exists_select(
        &mut self,
        path: &[Step],
        keys: &[crate::query::Key],
        conditions: &[Condition],
        outer: &str,
    ) -> Result<String, Refusal> {
        let mut all = Vec::new();
        for key in keys {
            let column = ColumnRef {
                path: path.to_vec(),
                column: key.own.clone(),
            };
            let (sql, _) = self.column(&column, true)?;
            all.push(format!("{sql} = {outer}.{}", quote_identifier(&key.other)));
        }
        all.extend(self.conditions(conditions)?);
        let select = format!(
            "SELECT 1 {}{}",
            self.scope.joined_tables(),
            where_clause(&all)
        );
        Ok(select.replace("\n  ", " ").replace('\n', " "))
    }

    fn note_nulls(&mut self, of: &Expression) {
        if let Expression::Column(column) = of
            && self.scope.may_be_null(column)
        {
            let table = column
                .path
                .last()
                .map_or(&self.scope.base.name, |step| &step.to.name);
            let (table, column) = (table.clone(), column.column.clone());
            self.note(Note::WithoutValueCounts { table, column });
        }
    }
}

/// The path of a link without its last step, and the key of that step, which is the subject's.
fn link_keys(link: &[Step]) -> Result<(&[Step], Vec<crate::query::Key>), Refusal> {
    let (last, path) = link
        .split_last()
        .ok_or(Refusal::Unsupported("rows are related by no key"))?;
    Ok((path, last.key.clone()))
}

fn call_of(function: Function, argument: &str) -> String {
    match function {
        Function::Count => format!("count({argument})"),
        Function::CountDistinct => format!("count(DISTINCT {argument})"),
        Function::Sum => format!("sum({argument})"),
        Function::Average => format!("avg({argument})"),
        Function::Minimum => format!("min({argument})"),
        Function::Maximum => format!("max({argument})"),
        Function::Median => format!("percentile_cont(0.5) WITHIN GROUP (ORDER BY {argument})"),
    }
}

fn literal(value: &Literal) -> String {
    match value {
        Literal::Number(number) if is_number(number) => number.clone(),
        Literal::Number(text) | Literal::Text(text) | Literal::Date(text) => quote_literal(text),
        Literal::Boolean(true) => "true".to_owned(),
        Literal::Boolean(false) => "false".to_owned(),
    }
}

fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.parse::<f64>().is_ok_and(f64::is_finite)
}

/// Rows without the value come last; those that are equal to the last one shown are shown too.
fn ordered(key: &str, order: &Order) -> String {
    let direction = if order.is_descending {
        " DESC NULLS LAST"
    } else {
        ""
    };
    let limit = match order.limit {
        None => String::new(),
        Some(1) => "\nFETCH FIRST 1 ROW WITH TIES".to_owned(),
        Some(rows) => format!("\nFETCH FIRST {rows} ROWS WITH TIES"),
    };
    format!("\nORDER BY {key}{direction}{limit}")
}
