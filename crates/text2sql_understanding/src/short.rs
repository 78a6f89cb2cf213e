//! A meaning in the short form that a model writes: names as `table.column`, without the ways between tables, which are
//! found here.

use std::sync::Arc;

use crate::routes::{best_route, entity};
use crate::schema::{Schema, table_ref};
use serde::Deserialize;
use serde_json::Value;
use text2sql_domain::schema::{Table, TypeCategory};
use text2sql_semantics::{
    Aggregate, Answer, ColumnRef, Condition, DatePart, Dimension, Expression, Function, Literal,
    Measure, Operator, Order, OrderBy, SemanticQuery, Shown, Value as Figure,
};

/// What a model says is meant. All is optional: models leave out what is empty, or write null.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Short {
    measure: Option<String>,
    show: Option<Vec<String>>,
    by: Option<Vec<String>>,
    only: Option<Vec<String>>,
    date: Option<String>,
    from: Option<String>,
    before: Option<String>,
    order: Option<String>,
    top: Option<u32>,
}

/// The words before a column that are functions, and those before a date that are parts of it.
const FUNCTIONS: &[(&str, Function)] = &[
    ("count distinct", Function::CountDistinct),
    ("count", Function::Count),
    ("sum", Function::Sum),
    ("total", Function::Sum),
    ("average", Function::Average),
    ("avg", Function::Average),
    ("minimum", Function::Minimum),
    ("min", Function::Minimum),
    ("maximum", Function::Maximum),
    ("max", Function::Maximum),
    ("median", Function::Median),
];
const PARTS: &[(&str, DatePart)] = &[
    ("year", DatePart::Year),
    ("quarter", DatePart::Quarter),
    ("month", DatePart::Month),
    ("weekday", DatePart::Weekday),
    ("week", DatePart::Week),
    ("day", DatePart::Day),
    ("hour", DatePart::Hour),
];
/// Longer ones first: `<` is in `<=`.
const OPERATORS: &[(&str, Operator)] = &[
    ("<=", Operator::AtMost),
    (">=", Operator::AtLeast),
    ("<>", Operator::NotEqual),
    ("!=", Operator::NotEqual),
    ("=", Operator::Equal),
    ("<", Operator::Less),
    (">", Operator::Greater),
];

/// The meaning over the tables; the error is a sentence for who wrote it.
pub fn read_short(value: &Value, tables: &[Arc<Table>]) -> Result<SemanticQuery, String> {
    let short: Short = serde_json::from_value(value.clone()).map_err(|error| error.to_string())?;
    let schema = Schema::of(tables);
    Reader { schema: &schema }.query(&short)
}

struct Reader<'s> {
    schema: &'s Schema<'s>,
}

type Column = (usize, usize);

impl Reader<'_> {
    fn query(&self, short: &Short) -> Result<SemanticQuery, String> {
        let list = |texts: &Option<Vec<String>>| texts.clone().unwrap_or_default();
        let (shown, only) = (list(&short.show), list(&short.only));
        let measure = short
            .measure
            .as_deref()
            .map(|text| self.measure(text))
            .transpose()?;
        let columns: Vec<Column> = shown
            .iter()
            .map(|name| self.column(name))
            .collect::<Result<_, _>>()?;
        let grain = match (&measure, columns.as_slice()) {
            (Some((table, _)), _) => *table,
            (None, [first, ..]) => self.grain(*first, &columns),
            (None, []) => return Err("it has neither \"measure\" nor \"show\"".to_owned()),
        };
        let mut conditions = only
            .iter()
            .map(|text| self.condition(grain, text))
            .collect::<Result<Vec<_>, _>>()?;
        if short.from.is_some() || short.before.is_some() {
            conditions.push(self.period(grain, short)?);
        }
        let answer = match measure {
            Some((_, measure)) => Answer::Figures {
                measures: vec![measure],
                dimensions: list(&short.by)
                    .iter()
                    .map(|text| self.dimension(grain, text))
                    .collect::<Result<_, _>>()?,
            },
            None => Answer::Rows {
                columns: columns
                    .iter()
                    .map(|column| {
                        let value = Expression::Column(self.reached(grain, *column)?);
                        Ok(Shown { value, name: None })
                    })
                    .collect::<Result<_, String>>()?,
                distinct: self.schema.shown(grain).is_empty(),
            },
        };
        let order = self.order(grain, short, &answer)?;
        let table = self.schema.table(grain).ok_or("there is no table")?;
        Ok(SemanticQuery {
            subject: table_ref(table),
            conditions,
            answer,
            order,
            parts: Vec::new(),
        })
    }

    fn table(&self, name: &str) -> Result<usize, String> {
        let bare = name.rsplit('.').next().unwrap_or(name).trim_matches('"');
        let is_called = |table: &Arc<Table>| table.name.eq_ignore_ascii_case(bare);
        let found = self.schema.tables.iter().position(is_called);
        found.ok_or_else(|| format!("there is no table {bare}"))
    }

    /// The column of `table.column`, or the one column of that name.
    fn column(&self, name: &str) -> Result<Column, String> {
        let name = name.trim().trim_matches(|c| matches!(c, '(' | ')'));
        let (table, column) = match name.rsplit_once('.') {
            Some((table, column)) => (Some(self.table(table)?), column),
            None => (None, name),
        };
        let column = column.trim_matches('"');
        let mut found = Vec::new();
        for (at, of) in self.schema.tables.iter().enumerate() {
            if table.is_none_or(|table| table == at) {
                let own = of
                    .columns
                    .iter()
                    .position(|one| one.name.eq_ignore_ascii_case(column));
                found.extend(own.map(|own| (at, own)));
            }
        }
        match found.as_slice() {
            [only] => Ok(*only),
            [] => Err(format!("there is no column {name}")),
            _ => Err(format!("several tables have a column {name}")),
        }
    }

    fn reached(&self, grain: usize, (table, column): Column) -> Result<ColumnRef, String> {
        let path = match table == grain {
            true => Vec::new(),
            false => {
                let reached = self
                    .schema
                    .reach(grain, table)
                    .filter(|reached| !reached.is_tied);
                reached
                    .ok_or("a column is in a table that is not reached by keys")?
                    .path
            }
        };
        let own = self.schema.own_column(table, column, path);
        own.ok_or_else(|| "there is no such column".to_owned())
    }

    /// The table of which a row is listed: one from which all columns are reached.
    fn grain(&self, first: Column, columns: &[Column]) -> usize {
        let reaches = |table: &usize| {
            columns
                .iter()
                .all(|column| self.reached(*table, *column).is_ok())
        };
        let mut tables = columns.iter().map(|(table, _)| *table);
        tables.find(reaches).unwrap_or(first.0)
    }

    /// `count orders`, `sum orders.total`, `avg(orders.total)`.
    fn measure(&self, text: &str) -> Result<(usize, Measure), String> {
        let words = text.replace(['(', ')', ','], " ").to_lowercase();
        let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
        let read = FUNCTIONS.iter().find_map(|(word, function)| {
            let rest = words.strip_prefix(word)?.strip_prefix(' ')?;
            Some((*function, rest))
        });
        let (function, of) =
            read.ok_or_else(|| format!("\"{text}\" is no measure such as sum orders.total"))?;
        let of = of.trim_start_matches("distinct ").trim_start_matches("of ");
        let (table, of, name) = match (function, self.table(of)) {
            (Function::Count, Ok(table)) => (table, None, "count".to_owned()),
            _ => {
                let (table, column) = self.column(of)?;
                let own = self.reached(table, (table, column))?;
                let name = own.column.clone();
                (table, Some(Expression::Column(own)), name)
            }
        };
        let value = Figure::Aggregate(Aggregate {
            function,
            of,
            only: Vec::new(),
        });
        Ok((table, Measure { name, value }))
    }

    /// A column, or a part of a date: `month orders.ordered_at`.
    fn dimension(&self, grain: usize, text: &str) -> Result<Dimension, String> {
        let words = text.replace(['(', ')'], " ");
        let words = words.trim();
        if let Some((first, rest)) = words.split_once(' ')
            && let Some((_, part)) = PARTS
                .iter()
                .find(|(word, _)| first.eq_ignore_ascii_case(word))
        {
            return Ok(Dimension::Date(
                self.reached(grain, self.column(rest)?)?,
                *part,
            ));
        }
        let (table, column) = self.column(words)?;
        let reached = self.reached(grain, (table, column))?;
        let names_rows = table != grain && self.schema.shown(table).contains(&column);
        let group = match names_rows {
            true => entity(self.schema, table, reached.path.clone(), &[]),
            false => None,
        };
        Ok(group.unwrap_or(Dimension::Column(reached)))
    }

    /// `orders.status = shipped`, `customers.email is null`.
    fn condition(&self, grain: usize, text: &str) -> Result<Condition, String> {
        let no_condition = || format!("\"{text}\" is no condition such as orders.status = shipped");
        let lower = text.to_lowercase();
        let null = ["is not null", "is null"].iter().find_map(|end| {
            let name = text.get(..lower.strip_suffix(end)?.len())?;
            Some((name, *end == "is not null"))
        });
        if let Some((name, is_negated)) = null {
            return self.placed(grain, self.column(name)?, |column| Condition::Null {
                column,
                is_negated,
            });
        }
        let split = OPERATORS.iter().filter_map(|(sign, operator)| {
            let at = text.find(sign)?;
            Some((at, text.get(..at)?, text.get(at + sign.len()..)?, *operator))
        });
        let (_, name, value, operator) =
            split.min_by_key(|(at, ..)| *at).ok_or_else(no_condition)?;
        let of = self.column(name)?;
        let right = self.literal(of, value.trim().trim_matches(|c| matches!(c, '\'' | '"')))?;
        self.placed(grain, of, |column| match (&right, operator) {
            (Literal::Text(_), Operator::Equal | Operator::NotEqual) => Condition::OneOf {
                column,
                values: vec![right],
                is_negated: operator == Operator::NotEqual,
            },
            _ => Condition::Compare {
                left: Expression::Column(column),
                operator,
                right,
            },
        })
    }

    /// The condition on the row itself, or on rows that refer to it.
    fn placed(
        &self,
        grain: usize,
        of: Column,
        on: impl FnOnce(ColumnRef) -> Condition,
    ) -> Result<Condition, String> {
        let way = best_route(self.schema, grain, &[of])
            .map_err(|_| "a condition is on a table that is not reached by keys")?;
        let placed = way.condition(self.schema, false, |column, _| on(column));
        placed.map_err(|_| "a condition has no place".to_owned())
    }

    /// The constant as the column stores it.
    fn literal(&self, (table, column): Column, text: &str) -> Result<Literal, String> {
        let column = self
            .schema
            .column(table, column)
            .ok_or("there is no such column")?;
        Ok(match column.category {
            TypeCategory::Integer | TypeCategory::Number => match text.parse::<f64>() {
                Ok(_) => Literal::Number(text.to_owned()),
                Err(_) => return Err(format!("{} holds numbers, not {text}", column.name)),
            },
            TypeCategory::Boolean => Literal::Boolean(matches!(
                text.to_lowercase().as_str(),
                "true" | "yes" | "t" | "1"
            )),
            TypeCategory::Date | TypeCategory::Timestamp => Literal::Date(text.to_owned()),
            _ => {
                let stored = column
                    .statistics
                    .iter()
                    .flat_map(|one| &one.most_common_values);
                let mut stored = stored.chain(&column.enum_labels);
                let own = stored.find(|own| own.to_lowercase() == text.to_lowercase());
                Literal::Text(own.map_or(text, String::as_str).to_owned())
            }
        })
    }

    fn period(&self, grain: usize, short: &Short) -> Result<Condition, String> {
        let column = match &short.date {
            Some(name) => self.reached(grain, self.column(name)?)?,
            None => {
                let day = crate::money::day_of(self.schema, grain);
                day.ok_or("the date that \"from\" and \"before\" are about is not clear")?
                    .0
            }
        };
        let day = |text: &Option<String>| {
            let text = text.as_ref().map(|text| text.get(..10).unwrap_or(text));
            match text.map(|text| (text, text2sql_language::calendar::parse_date(text))) {
                Some((text, None)) => Err(format!("{text} is no day such as 2025-01-31")),
                Some((text, Some(_))) => Ok(Some(text.to_owned())),
                None => Ok(None),
            }
        };
        Ok(Condition::Period {
            column,
            from: day(&short.from)?,
            before: day(&short.before)?,
        })
    }

    fn order(&self, grain: usize, short: &Short, answer: &Answer) -> Result<Option<Order>, String> {
        let text = short.order.as_deref().unwrap_or_default().trim();
        let (name, direction) = match text.rsplit_once(' ') {
            Some((name, direction)) => (name.trim(), direction),
            None => ("", text),
        };
        let is_ascending = direction.eq_ignore_ascii_case("asc");
        let by = match answer {
            Answer::Figures { dimensions, .. } if dimensions.is_empty() => return Ok(None),
            Answer::Figures { .. } if short.top.is_none() && text.is_empty() => return Ok(None),
            Answer::Figures { .. } => OrderBy::Measure(0),
            _ if name.is_empty() => return Ok(None),
            _ => OrderBy::Value(Expression::Column(self.reached(grain, self.column(name)?)?)),
        };
        Ok(Some(Order {
            by,
            is_descending: !is_ascending,
            limit: short.top.filter(|top| *top > 0),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use text2sql_domain::schema_fixture::shop;
    use text2sql_semantics::compile;

    fn sql(short: Value) -> String {
        let tables = shop();
        let query = read_short(&short, &tables).unwrap();
        compile(&query, &tables).unwrap().sql.replace('\n', " ")
    }

    #[test]
    fn names_are_enough() {
        assert_eq!(
            sql(
                json!({"measure": "SUM(orders.total)", "by": ["countries.name", "month orders.ordered_at"],
                "from": "2025-01-01", "before": "2026-01-01", "top": 3})
            ),
            "SELECT c2.name AS country, date_trunc('month', o.ordered_at)::date AS month, sum(o.total) AS total \
             FROM orders AS o JOIN customers AS c ON c.customer_id = o.customer_id \
             JOIN countries AS c2 ON c2.country_id = c.country_id \
             WHERE o.ordered_at >= DATE '2025-01-01' AND o.ordered_at < DATE '2026-01-01' \
             GROUP BY c2.country_id, c2.name, date_trunc('month', o.ordered_at)::date \
             ORDER BY sum(o.total) DESC NULLS LAST FETCH FIRST 3 ROWS WITH TIES",
        );
        assert_eq!(
            sql(
                json!({"show": ["customers.name", "countries.name"], "only": ["orders.total > 100"], "by": null})
            ),
            "SELECT c.name, c2.name FROM customers AS c JOIN countries AS c2 ON c2.country_id = c.country_id \
             WHERE EXISTS (SELECT 1 FROM orders AS o WHERE o.customer_id = c.customer_id AND o.total > 100) \
             ORDER BY c.customer_id",
        );
    }

    #[test]
    fn what_it_does_not_find_is_said() {
        let wrong = |short| read_short(&short, &shop()).unwrap_err();
        assert_eq!(
            wrong(json!({"measure": "sum orders.weight"})),
            "there is no column orders.weight"
        );
        assert_eq!(
            wrong(json!({"measure": "revenue"})),
            "\"revenue\" is no measure such as sum orders.total"
        );
        assert_eq!(
            wrong(json!({"by": ["name"]})),
            "it has neither \"measure\" nor \"show\""
        );
        assert_eq!(
            wrong(json!({"measure": "count orders", "only": ["orders.total > much"]})),
            "total holds numbers, not much"
        );
    }
}
