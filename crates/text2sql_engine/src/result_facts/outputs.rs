//! The columns of a result: counts, sums, periods, stored values.

use std::sync::Arc;
use text2sql_domain::{word_pairs, words};

use sqlparser::ast::{
    DataType, DateTimeField, Expr, OrderByKind, OrderBySort, Query, Select, SelectItem, SetExpr,
};

use super::query::{has_subtotals, is_distinct_on, is_grouped, limit, top};
use text2sql_domain::schema::{Column, ForeignKey, Table, TypeCategory};
use text2sql_language::names::{readable, singular};
use text2sql_language::sentences::result::facts::{Order, Output, QueryFacts, Role, TimeUnit};
use text2sql_sql::tree::syntax::{constant_text, read_call};
use text2sql_sql::tree::{self, Tree, aggregate, keys::meant_by, walk::output_of};

/// Names of columns that only say that they name a row: a person calls the values by the table.
const NAMES: &[&str] = words!(
    "name, first_name, firstname, last_name, lastname, given_name, family_name, surname, full_name"
);

/// Maximum number of words of a description that is a name.
const MAX_NAME_WORDS: usize = 3;

/// Words of a name or a comment that state a currency.
const CURRENCIES: &[(&str, &str)] = word_pairs!(
    "eur = EUR, euro = EUR, euros = EUR, usd = USD, dollars = USD, gbp = GBP, chf = CHF, jpy = JPY"
);

pub(super) fn facts_of(query: &Query, tables: &[Arc<Table>]) -> Option<QueryFacts> {
    let tree = Tree::read(query, tables);
    let (position, block) = top(&tree)?;
    let SetExpr::Select(select) = &*query.body else {
        return None;
    };
    let reader = Reader {
        tree: &tree,
        block: position,
        select,
        counts_distinct: query.to_string().to_lowercase().contains("count(distinct"),
    };
    let known = &tree.result_of(query)?.columns;
    let has_wildcard = select
        .projection
        .iter()
        .any(|item| output_of(item).is_none());
    let outputs: Vec<Output> = known
        .iter()
        .enumerate()
        .map(|(at, known)| {
            let item = select.projection.get(at).filter(|_| !has_wildcard);
            reader.output(item.and_then(output_of), item.is_some_and(has_alias), known)
        })
        .collect();
    let hands_on_groups = known.iter().any(|output| output.aggregate.is_some())
        && known.iter().any(|output| output.aggregate.is_none())
        && !block.sources.is_empty();
    let limit = limit(query);
    Some(QueryFacts {
        is_grouped: (is_grouped(select) || hands_on_groups) && !has_subtotals(select),
        is_partial: select.having.is_some() || limit.is_err() || is_distinct_on(select),
        limit: limit.ok().flatten(),
        all: None,
        order: reader.order(query, &outputs, has_wildcard),
        outputs,
    })
}

fn has_alias(item: &SelectItem) -> bool {
    matches!(item, SelectItem::ExprWithAlias { .. })
}

struct Reader<'t, 'q> {
    tree: &'t Tree<'q>,
    block: usize,
    select: &'t Select,
    /// Whether a count of distinct values is anywhere in the query.
    counts_distinct: bool,
}

impl Reader<'_, '_> {
    fn output(&self, expression: Option<&Expr>, has_alias: bool, known: &tree::Output) -> Output {
        let found = expression.map(unwrapped).and_then(aggregate);
        let role = self.role(expression, known);
        let argument = found
            .as_ref()
            .and_then(|found| found.argument)
            .and_then(|argument| self.column(argument));
        let label = match (&found, &known.origin) {
            (Some(found), _) if found.name == "count" => self.counted(found.argument),
            (Some(found), _) if !has_alias => argument.as_ref().map(|(_, column)| {
                let column = readable(&column.name);
                match found.name.as_str() {
                    "sum" => format!("total {column}"),
                    "avg" => format!("average {column}"),
                    "min" => format!("lowest {column}"),
                    "max" => format!("highest {column}"),
                    _ => column,
                }
            }),
            (None, Some((table, column))) if self.says_only_name(known, column) => {
                Some(singular(&table.name))
            }
            _ => None,
        };
        let origin = argument.or_else(|| {
            let (table, column) = known.origin.as_ref()?;
            Some((Arc::clone(table), table.column(column)?.clone()))
        });
        let may_have_unit = !matches!(
            role,
            Role::Count | Role::DistinctCount | Role::Id | Role::Time(_)
        );
        let name = known.name.as_deref().unwrap_or_default();
        let taught = match (&label, &origin) {
            (Some(_), Some((table, _))) if found.is_none() => taught(&table.synonyms, None),
            (_, Some((_, column))) => taught(&column.synonyms, column.comment.as_deref()),
            (_, None) => Vec::new(),
        };
        Output {
            role,
            label,
            taught,
            unit: unit(name, origin.as_ref().map(|(_, column)| column)).filter(|_| may_have_unit),
        }
    }

    fn says_only_name(&self, known: &tree::Output, column: &str) -> bool {
        let name = known.name.as_deref().unwrap_or_default();
        name == column && NAMES.contains(&name.to_lowercase().as_str())
    }

    fn role(&self, expression: Option<&Expr>, known: &tree::Output) -> Role {
        if let Some(expression) = expression {
            if let Some(found) = aggregate(unwrapped(expression)) {
                return match (found.name.as_str(), found.is_distinct) {
                    ("count", true) => Role::DistinctCount,
                    ("count", false) if self.counts_pairs() => Role::DistinctCount,
                    ("count", false) => Role::Count,
                    ("sum", false) if !self.may_repeat(found.argument) => Role::Sum,
                    _ => Role::Measure,
                };
            }
            let mut computes = false;
            tree::walk(expression, &mut |part| {
                let is_window = matches!(part, Expr::Function(function) if function.over.is_some());
                computes |= is_window || aggregate(part).is_some();
            });
            if computes {
                return Role::Measure;
            }
            if let Some(unit) = time_unit(expression) {
                return Role::Time(unit);
            }
        }
        match known.aggregate.as_deref() {
            Some("count") if self.counts_distinct => return Role::DistinctCount,
            Some("count") => return Role::Count,
            Some("sum") => return Role::Sum,
            Some(_) => return Role::Measure,
            None => {}
        }
        if let Some(unit) = known.grain.as_deref().and_then(unit_called) {
            return Role::Time(unit);
        }
        let Some((table, column)) = &known.origin else {
            return Role::Unknown;
        };
        let is_key = table.primary_key.contains(column)
            || table
                .foreign_keys
                .iter()
                .any(|key| key.columns.contains(column));
        match table.column(column).map(|column| column.category) {
            Some(TypeCategory::Integer | TypeCategory::Number | TypeCategory::Uuid) if is_key => {
                Role::Id
            }
            Some(TypeCategory::Date) if is_grouped(self.select) => Role::Time(TimeUnit::Day),
            _ => Role::Value,
        }
    }

    /// The stored column that an expression is.
    fn column(&self, expression: &Expr) -> Option<(Arc<Table>, Column)> {
        let reference = self.tree.resolve(self.block, expression)?;
        let (table, column) = self.tree.column(&reference)?;
        Some((Arc::clone(table), column.clone()))
    }

    /// The table whose rows are counted, if that is certain.
    fn counted(&self, argument: Option<&Expr>) -> Option<String> {
        if let Some((table, column)) = argument.and_then(|argument| self.column(argument)) {
            return table
                .primary_key
                .contains(&column.name)
                .then(|| readable(&table.name));
        }
        match self.tree.block(self.block)?.sources.as_slice() {
            [only] => Some(readable(&only.table()?.name)),
            _ => None,
        }
    }

    /// Whether a value that is added up may be in several groups: rows of its table, or rows that these refer to, are
    /// joined with others that refer to them, such as an order with its campaigns, a payment with the categories of its film.
    fn may_repeat(&self, argument: Option<&Expr>) -> bool {
        let Some((table, _)) = argument.and_then(|argument| self.column(argument)) else {
            return false;
        };
        let others: Vec<&Table> = self
            .tables()
            .filter(|other| other.oid != table.oid)
            .collect();
        let mut above = vec![table.oid];
        let mut known = 0;
        while known < above.len() {
            known = above.len();
            for other in others.iter().copied().chain([&*table]) {
                if above.contains(&other.oid) {
                    let targets = other.foreign_keys.iter().map(|key| key.target);
                    let joined =
                        targets.filter(|target| others.iter().any(|one| one.oid == *target));
                    above.extend(joined);
                }
            }
            above.sort_unstable();
            above.dedup();
        }
        others.iter().any(|other| {
            let refers = |key: &ForeignKey| {
                let is_one_each = |column: &String| key.columns.contains(column);
                above.contains(&key.target)
                    && (other.primary_key.is_empty() || !other.primary_key.iter().all(is_one_each))
            };
            !above.contains(&other.oid) && other.foreign_keys.iter().any(refers)
        })
    }

    /// Whether the rows that are counted are those of a table of pairs, such as films with their categories: one of a pair
    /// counts for each of the others.
    fn counts_pairs(&self) -> bool {
        self.tables().any(|table| {
            let joined = table.foreign_keys.iter().filter(|key| {
                let mut tables = self.tables();
                tables.any(|other| other.oid == key.target)
            });
            let is_of_key = |column: &String| {
                let mut keys = table.foreign_keys.iter();
                keys.any(|key| key.columns.contains(column))
            };
            table.primary_key.len() > 1
                && table.primary_key.iter().all(is_of_key)
                && joined.count() > 1
        })
    }

    /// The tables of the query's block.
    fn tables(&self) -> impl Iterator<Item = &Table> {
        let block = self.tree.block(self.block);
        let sources = block.map(|block| block.sources.as_slice());
        sources
            .into_iter()
            .flatten()
            .filter_map(|source| source.table().map(AsRef::as_ref))
    }

    /// The first key of ORDER BY.
    fn order(&self, query: &Query, outputs: &[Output], has_wildcard: bool) -> Option<Order> {
        let OrderByKind::Expressions(keys) = &query.order_by.as_ref()?.kind else {
            return None;
        };
        let first = keys.first()?;
        let meant = meant_by(&first.expr, &self.select.projection);
        let output = match has_wildcard {
            true => None,
            false => self.select.projection.iter().position(|item| {
                let same = |expression: &Expr| {
                    expression == meant || self.is_same_column(expression, meant)
                };
                output_of(item).is_some_and(same)
            }),
        };
        let is = match output.and_then(|at| outputs.get(at)) {
            Some(output) => output.clone(),
            None => self.hidden(meant),
        };
        Some(Order {
            output,
            is_descending: first.options.sort == Some(OrderBySort::Desc),
            is,
        })
    }

    fn is_same_column(&self, one: &Expr, other: &Expr) -> bool {
        let reference = |expression| self.tree.resolve(self.block, expression);
        reference(one).is_some_and(|one| reference(other) == Some(one))
    }

    /// A sort key that is not shown.
    fn hidden(&self, expression: &Expr) -> Output {
        let column = self.column(expression);
        let known = tree::Output {
            origin: column
                .as_ref()
                .map(|(table, column)| (Arc::clone(table), column.name.clone())),
            ..tree::Output::default()
        };
        let output = self.output(Some(expression), false, &known);
        Output {
            label: output
                .label
                .or_else(|| column.map(|(_, column)| readable(&column.name))),
            ..output
        }
    }
}

/// What curators call a column: a description of more words says what it holds.
fn taught(synonyms: &[String], description: Option<&str>) -> Vec<String> {
    let is_name = |text: &&str| text.split_whitespace().count() <= MAX_NAME_WORDS;
    let name = description.filter(is_name).map(str::to_owned);
    name.into_iter().chain(synonyms.iter().cloned()).collect()
}

/// The expression inside casts, `round` and `coalesce`.
fn unwrapped(expression: &Expr) -> &Expr {
    match expression {
        Expr::Nested(inner) | Expr::Cast { expr: inner, .. } => unwrapped(inner),
        Expr::Function(function) if function.over.is_none() => {
            let call = read_call(function);
            let is_wrapper = ["round", "coalesce", "trunc"].contains(&call.name.as_str());
            match call.arguments.first() {
                Some(inner) if is_wrapper => unwrapped(inner),
                _ => expression,
            }
        }
        _ => expression,
    }
}

/// The length of the periods that an expression cuts times into.
fn time_unit(expression: &Expr) -> Option<TimeUnit> {
    match expression {
        Expr::Nested(inner) => time_unit(inner),
        Expr::Cast {
            expr, data_type, ..
        } => {
            let is_day = matches!(data_type, DataType::Date);
            time_unit(expr).or_else(|| is_day.then_some(TimeUnit::Day))
        }
        Expr::Extract { field, .. } => match field {
            DateTimeField::Year | DateTimeField::Isoyear => Some(TimeUnit::Year),
            DateTimeField::Month => Some(TimeUnit::Month),
            DateTimeField::Quarter => Some(TimeUnit::Quarter),
            _ => None,
        },
        Expr::Function(function) => {
            let call = read_call(function);
            let text = |at: usize| {
                call.arguments
                    .get(at)
                    .and_then(|argument| constant_text(argument))
            };
            match call.name.as_str() {
                "date_trunc" => unit_called(text(0)?),
                "date_part" => unit_called(text(0)?)
                    .filter(|unit| *unit != TimeUnit::Week && *unit != TimeUnit::Day),
                "date" => Some(TimeUnit::Day),
                "to_char" => match text(1)? {
                    "YYYY" => Some(TimeUnit::Year),
                    "YYYY-MM" | "YYYY/MM" => Some(TimeUnit::Month),
                    "YYYY-MM-DD" => Some(TimeUnit::Day),
                    "YYYY-\"Q\"Q" | "YYYY \"Q\"Q" | "YYYY-Q" => Some(TimeUnit::Quarter),
                    _ => None,
                },
                _ => None,
            }
        }
        _ => None,
    }
}

fn unit_called(name: &str) -> Option<TimeUnit> {
    match name.to_lowercase().as_str() {
        "year" => Some(TimeUnit::Year),
        "quarter" => Some(TimeUnit::Quarter),
        "month" => Some(TimeUnit::Month),
        "week" => Some(TimeUnit::Week),
        "day" => Some(TimeUnit::Day),
        _ => None,
    }
}

/// The unit that a name or a comment states.
fn unit(name: &str, column: Option<&Column>) -> Option<String> {
    let own = readable(name);
    let stored = column
        .map(|column| readable(&column.name))
        .unwrap_or_default();
    let comment = column
        .and_then(|column| column.comment.clone())
        .unwrap_or_default()
        .to_lowercase();
    let named = || own.split(' ').chain(stored.split(' '));
    if named().any(|word| ["pct", "percent", "percentage", "prozent"].contains(&word)) {
        return Some("%".to_owned());
    }
    let said: Vec<&str> = comment.split(|c: char| !c.is_alphanumeric()).collect();
    // An amount in cents is none in the currency.
    let is_cents = |word: &str| matches!(word, "cent" | "cents" | "pence" | "rappen");
    if named().any(is_cents) || said.iter().copied().any(is_cents) {
        return Some("cents".to_owned());
    }
    let after_in = said.windows(2).filter_map(|pair| match pair {
        ["in", unit] => Some(*unit),
        _ => None,
    });
    let states = |word: &str| CURRENCIES.iter().find(|(known, _)| *known == word);
    let found = named()
        .find_map(states)
        .or_else(|| after_in.into_iter().find_map(states));
    found.map(|(_, unit)| (*unit).to_owned())
}
