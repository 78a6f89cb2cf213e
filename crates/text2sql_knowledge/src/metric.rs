//! Metrics that are made of other definitions: ratios, running totals, and the share of events that others follow.
//!
//! A metric names its parts by their terms, so a part that changes changes the metric. What a metric computes is
//! composed whenever definitions are read: an expression over one table where it is one, else a query.

use serde::{Deserialize, Serialize};
use text2sql_domain::schema::{
    Definition, DefinitionJoin, DefinitionQuery, TableName, from_clause, quote_identifier,
};

/// Maximum number of metrics that are made of each other.
const MAX_DEPTH: usize = 8;

/// The units of time that periods are counted in.
pub const UNITS: [&str; 5] = ["day", "week", "month", "quarter", "year"];

/// How a metric is made of its parts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Metric {
    /// One measure divided by another.
    Ratio {
        /// The term of the measure that is divided.
        numerator: String,
        /// The term of the measure that divides.
        denominator: String,
    },
    /// A measure up to the end of each period. Its column is the time.
    Cumulative {
        /// The term of the measure.
        measure: String,
        /// The periods, one of [`UNITS`].
        per: String,
        /// How long before the end of a period rows count: `3 months`. Without it, all rows before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        over_last: Option<String>,
        /// The unit with whose beginning the sum begins again: `year` for year to date.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        since_start_of: Option<String>,
    },
    /// The share of events that another event of the same thing follows. Its columns are the time and the thing of
    /// the first, and those of the second.
    Conversion {
        /// The time in which the second event has to follow: `7 days`. Without it, ever.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        within: Option<String>,
        /// The term of a condition that the first event satisfies.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        base_condition: Option<String>,
        /// The term of a condition that the second event satisfies.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        conversion_condition: Option<String>,
    },
}

/// What an expression is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A condition on a row.
    Condition,
    /// A value of a row.
    Value,
    /// An aggregate over rows.
    Aggregate,
}

/// A definition as it is stored.
#[derive(Debug, Clone, Default)]
pub struct Stored {
    /// The definition, without what a metric computes.
    pub definition: Definition,
    /// The table that it applies to.
    pub table: Option<TableName>,
    /// What its expression is.
    pub kind: Option<Kind>,
    /// How it is made of others.
    pub metric: Option<Metric>,
    /// The columns that the metric names, in their order.
    pub columns: Vec<(TableName, String)>,
}

impl Metric {
    /// The terms that it is made of, with their role in it.
    pub fn parts(&self) -> Vec<(&'static str, &str)> {
        match self {
            Self::Ratio {
                numerator,
                denominator,
            } => vec![
                ("numerator", numerator.as_str()),
                ("denominator", denominator.as_str()),
            ],
            Self::Cumulative { measure, .. } => vec![("measure", measure.as_str())],
            Self::Conversion {
                base_condition,
                conversion_condition,
                ..
            } => {
                let base = base_condition.iter().map(|term| ("base condition", term));
                let next = conversion_condition
                    .iter()
                    .map(|term| ("conversion condition", term));
                base.chain(next)
                    .map(|(role, term)| (role, term.as_str()))
                    .collect()
            }
        }
    }
}

/// The interval of a length such as `3 months`, or `1 quarter`, as PostgreSQL reads it; `None` if it is none.
pub fn interval(text: &str) -> Option<String> {
    let mut words = text.split_whitespace();
    let (count, unit) = (words.next()?, words.next()?);
    let count: u32 = count
        .parse()
        .ok()
        .filter(|count| (1..=10_000).contains(count))?;
    let lower = unit.to_lowercase();
    let unit = lower.strip_suffix('s').unwrap_or(&lower);
    let has_more = words.next().is_some();
    let found = match unit {
        "quarter" => format!("{} months", count * 3),
        "hour" | "minute" => format!("{count} {unit}s"),
        unit if UNITS.contains(&unit) => format!("{count} {unit}s"),
        _ => return None,
    };
    (!has_more).then_some(found)
}

/// What a definition counts once: a row of its table, or what the rows of its query are.
pub fn grain(
    metric: Option<&Metric>,
    definition: Option<&Definition>,
    table: Option<&TableName>,
) -> Option<String> {
    let definition = definition?;
    match (metric, &definition.query) {
        (Some(Metric::Cumulative { per, .. }), _) => Some(format!("a {per}")),
        (_, Some(_)) => Some("all rows together".to_owned()),
        (_, None) => {
            definition.sql_expression.as_ref()?;
            table.map(|table| format!("a row of {}", table.sql_name()))
        }
    }
}

/// What the definition at `place` computes: an expression over one table with its joins, or a query.
pub fn composed(all: &[Stored], place: usize) -> Result<Definition, String> {
    Composer {
        all,
        path: Vec::new(),
    }
    .definition(place)
    .map(|part| part.definition)
}

/// A part of a metric, composed.
struct Part {
    definition: Definition,
    table: Option<TableName>,
    kind: Option<Kind>,
}

/// An aggregate over one table with its joins.
struct Measure {
    sql: String,
    table: TableName,
    joins: Vec<DefinitionJoin>,
}

impl Measure {
    fn from(&self) -> String {
        from_clause(&self.table.sql_name(), &self.joins)
    }

    fn oids(&self) -> impl Iterator<Item = u32> {
        let joined = self.joins.iter().map(|join| join.to.oid);
        std::iter::once(self.table.oid).chain(joined)
    }
}

struct Composer<'a> {
    all: &'a [Stored],
    /// The places of the metrics that are being composed.
    path: Vec<usize>,
}

impl Composer<'_> {
    fn definition(&mut self, place: usize) -> Result<Part, String> {
        let Some(stored) = self.all.get(place) else {
            return Err("it is not defined".to_owned());
        };
        let Some(metric) = &stored.metric else {
            return Ok(Part {
                definition: stored.definition.clone(),
                table: stored.table.clone(),
                kind: stored.kind,
            });
        };
        if self.path.contains(&place) {
            return Err(self.circle(place));
        }
        if self.path.len() >= MAX_DEPTH {
            return Err(format!(
                "more than {MAX_DEPTH} metrics are made of each other"
            ));
        }
        self.path.push(place);
        let composed = match metric {
            Metric::Ratio {
                numerator,
                denominator,
            } => self.ratio(stored, numerator, denominator),
            Metric::Cumulative {
                measure,
                per,
                over_last,
                since_start_of,
            } => self.cumulative(
                stored,
                measure,
                per,
                (over_last.as_deref(), since_start_of.as_deref()),
            ),
            Metric::Conversion {
                within,
                base_condition,
                conversion_condition,
            } => self.conversion(
                stored,
                within.as_deref(),
                [base_condition.as_deref(), conversion_condition.as_deref()],
            ),
        };
        self.path.pop();
        composed
    }

    /// "it is made of itself: a, b, a".
    fn circle(&self, place: usize) -> String {
        let start = self.path.iter().position(|known| *known == place);
        let places = self.path.iter().skip(start.unwrap_or_default());
        let terms: Vec<String> = places
            .chain([&place])
            .filter_map(|place| self.all.get(*place))
            .map(|stored| format!("\"{}\"", stored.definition.term))
            .collect();
        format!("it is made of itself: {}", terms.join(" -> "))
    }

    fn part(&mut self, role: &str, term: &str) -> Result<Part, String> {
        let lower = term.to_lowercase();
        let places: Vec<usize> = self
            .all
            .iter()
            .enumerate()
            .filter(|(_, stored)| stored.definition.term.to_lowercase() == lower)
            .map(|(place, _)| place)
            .collect();
        match places.as_slice() {
            [place] => self.definition(*place),
            [] => Err(format!("its {role} \"{term}\" is not defined")),
            _ => Err(format!("its {role} \"{term}\" has several definitions")),
        }
    }

    /// A part that is a number over rows: an aggregate, or the number of rows for which a condition holds.
    fn measure(&mut self, role: &str, term: &str) -> Result<Measure, String> {
        let part = self.part(role, term)?;
        let (Some(expression), Some(table)) = (part.definition.sql_expression, part.table) else {
            return Err(format!(
                "its {role} \"{term}\" has no SQL expression over a table"
            ));
        };
        let sql = match part.kind {
            Some(Kind::Aggregate) => expression,
            Some(Kind::Condition) => format!("count(*) FILTER (WHERE {expression})"),
            Some(Kind::Value) | None => {
                return Err(format!(
                    "its {role} \"{term}\" is a value of one row, not an aggregate"
                ));
            }
        };
        Ok(Measure {
            sql,
            table,
            joins: part.definition.joins,
        })
    }

    fn ratio(
        &mut self,
        stored: &Stored,
        numerator: &str,
        denominator: &str,
    ) -> Result<Part, String> {
        let above = self.measure("numerator", numerator)?;
        let below = self.measure("denominator", denominator)?;
        let joins = (above.table.oid == below.table.oid)
            .then(|| united(&above.joins, &below.joins))
            .flatten();
        let mut definition = stored.definition.clone();
        let Some(joins) = joins else {
            let tables = above.oids().chain(below.oids()).collect();
            definition.query = Some(DefinitionQuery {
                sql: format!(
                    "SELECT (SELECT {} FROM {})::numeric / nullif((SELECT {} FROM {}), 0) AS {}",
                    above.sql,
                    above.from(),
                    below.sql,
                    below.from(),
                    quote_identifier(&definition.term)
                ),
                tables,
            });
            return Ok(Part {
                definition,
                table: None,
                kind: None,
            });
        };
        definition.sql_expression = Some(format!(
            "({})::numeric / nullif({}, 0)",
            above.sql, below.sql
        ));
        definition.applies_to = Some(above.table.oid);
        definition.joins = joins;
        Ok(Part {
            definition,
            table: Some(above.table),
            kind: Some(Kind::Aggregate),
        })
    }

    fn cumulative(
        &mut self,
        stored: &Stored,
        term: &str,
        per: &str,
        (over_last, since_start_of): (Option<&str>, Option<&str>),
    ) -> Result<Part, String> {
        let measure = self.measure("measure", term)?;
        let [(table, time)] = stored.columns.as_slice() else {
            return Err("its time column does not exist".to_owned());
        };
        let is_of_path = measure.oids().any(|oid| oid == table.oid);
        if !is_of_path {
            return Err(format!(
                "its time is a column of {}, which \"{term}\" does not read",
                table.sql_name()
            ));
        }
        let unit = unit(per)?;
        let step = length(&format!("1 {unit}"))?;
        let time = format!(
            "{}.{}",
            quote_identifier(&table.name),
            quote_identifier(time)
        );
        let end = format!("periods.{unit} + interval '{step}'");
        let mut conditions = vec![format!("{time} < {end}")];
        if let Some(over_last) = over_last {
            conditions.push(format!(
                "{time} >= {end} - interval '{}'",
                length(over_last)?
            ));
        }
        if let Some(start) = since_start_of {
            conditions.push(format!(
                "{time} >= date_trunc('{}', periods.{unit})",
                self::unit(start)?
            ));
        }
        let mut definition = stored.definition.clone();
        definition.query = Some(DefinitionQuery {
            sql: format!(
                "SELECT periods.{unit}::date AS {unit}, (SELECT {} FROM {} WHERE {}) AS {} \
                 FROM (SELECT min({time})::timestamp AS first_time, max({time})::timestamp AS last_time FROM {}) AS span, \
                 generate_series(date_trunc('{unit}', span.first_time), span.last_time, interval '{step}') AS periods({unit}) \
                 ORDER BY 1",
                measure.sql,
                measure.from(),
                conditions.join(" AND "),
                quote_identifier(&definition.term),
                table.sql_name(),
            ),
            tables: measure.oids().collect(),
        });
        Ok(Part {
            definition,
            table: None,
            kind: None,
        })
    }

    fn conversion(
        &mut self,
        stored: &Stored,
        within: Option<&str>,
        conditions: [Option<&str>; 2],
    ) -> Result<Part, String> {
        let [first_time, first_thing, next_time, next_thing] = stored.columns.as_slice() else {
            return Err("a column that it names does not exist".to_owned());
        };
        let [base, next] = conditions;
        let base = self.events("base condition", base, &first_time.0)?;
        let next = self.events("conversion condition", next, &next_time.0)?;
        let name = |(table, column): &(TableName, String)| {
            format!(
                "{}.{}",
                quote_identifier(&table.name),
                quote_identifier(column)
            )
        };
        let (time, thing) = (name(first_time), name(first_thing));
        let mut follows = vec![
            format!("later.thing = {thing}"),
            // A row does not follow itself.
            format!(
                "later.happened_at {} {time}",
                if next_time == first_time { ">" } else { ">=" }
            ),
        ];
        if let Some(within) = within {
            follows.push(format!(
                "later.happened_at < {time} + interval '{}'",
                length(within)?
            ));
        }
        let restriction = next
            .sql
            .map_or_else(String::new, |sql| format!(" WHERE {sql}"));
        let exists = format!(
            "EXISTS (SELECT FROM (SELECT {} AS thing, {} AS happened_at FROM {}{restriction}) AS later WHERE {})",
            name(next_thing),
            name(next_time),
            from_clause(&next.table.sql_name(), &next.joins),
            follows.join(" AND ")
        );
        let (converted, all) = match &base.sql {
            Some(sql) => (
                format!("count(*) FILTER (WHERE ({sql}) AND {exists})"),
                format!("count(*) FILTER (WHERE {sql})"),
            ),
            None => (
                format!("count(*) FILTER (WHERE {exists})"),
                "count(*)".to_owned(),
            ),
        };
        let mut definition = stored.definition.clone();
        definition.sql_expression = Some(format!("{converted}::numeric / nullif({all}, 0)"));
        definition.applies_to = Some(base.table.oid);
        definition.joins = base.joins;
        Ok(Part {
            definition,
            table: Some(base.table),
            kind: Some(Kind::Aggregate),
        })
    }

    /// The rows of a table, or those for which a condition holds.
    fn events(
        &mut self,
        role: &str,
        term: Option<&str>,
        table: &TableName,
    ) -> Result<Events, String> {
        let Some(term) = term else {
            return Ok(Events {
                sql: None,
                table: table.clone(),
                joins: Vec::new(),
            });
        };
        let part = self.part(role, term)?;
        if part.kind != Some(Kind::Condition) {
            return Err(format!("its {role} \"{term}\" is not a condition on a row"));
        }
        match (part.definition.sql_expression, part.table) {
            (Some(sql), Some(of)) if of.oid == table.oid => Ok(Events {
                sql: Some(sql),
                table: of,
                joins: part.definition.joins,
            }),
            _ => Err(format!(
                "its {role} \"{term}\" is not about the rows of {}",
                table.sql_name()
            )),
        }
    }
}

/// Rows of a table for which a condition holds.
struct Events {
    sql: Option<String>,
    table: TableName,
    joins: Vec<DefinitionJoin>,
}

/// The joins of both, if none of them reaches a table in another way.
fn united(one: &[DefinitionJoin], other: &[DefinitionJoin]) -> Option<Vec<DefinitionJoin>> {
    let mut joins = one.to_vec();
    for join in other {
        match joins.iter().find(|known| known.to.oid == join.to.oid) {
            Some(known) if known == join => {}
            Some(_) => return None,
            None => joins.push(join.clone()),
        }
    }
    Some(joins)
}

fn unit(text: &str) -> Result<&'static str, String> {
    let lower = text.trim().to_lowercase();
    let found = UNITS.into_iter().find(|unit| *unit == lower);
    found.ok_or_else(|| format!("\"{text}\" is not one of {}", UNITS.join(", ")))
}

fn length(text: &str) -> Result<String, String> {
    interval(text).ok_or_else(|| format!("\"{text}\" is not a length of time such as \"3 months\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(oid: u32, name: &str) -> TableName {
        TableName {
            oid,
            schema: "shop".to_owned(),
            name: name.to_owned(),
            is_visible: false,
        }
    }

    fn stored(term: &str, expression: &str, kind: Kind, of: &TableName) -> Stored {
        Stored {
            definition: Definition {
                term: term.to_owned(),
                sql_expression: Some(expression.to_owned()),
                applies_to: Some(of.oid),
                ..Definition::default()
            },
            table: Some(of.clone()),
            kind: Some(kind),
            ..Stored::default()
        }
    }

    fn metric(term: &str, json: &str, columns: &[(&TableName, &str)]) -> Stored {
        Stored {
            definition: Definition {
                term: term.to_owned(),
                ..Definition::default()
            },
            metric: Some(serde_json::from_str(json).unwrap()),
            columns: columns
                .iter()
                .map(|(table, column)| ((*table).clone(), (*column).to_owned()))
                .collect(),
            ..Stored::default()
        }
    }

    fn shop() -> Vec<Stored> {
        let (orders, customers, visits) = (
            table(1, "orders"),
            table(2, "customers"),
            table(3, "visits"),
        );
        let mut foreign = stored(
            "foreign sales",
            "sum(total) FILTER (WHERE customers.is_foreign)",
            Kind::Aggregate,
            &orders,
        );
        foreign.definition.joins = vec![DefinitionJoin {
            from: orders.clone(),
            to: customers.clone(),
            columns: vec![("customer".to_owned(), "id".to_owned())],
        }];
        vec![
            stored("sales", "sum(total)", Kind::Aggregate, &orders),
            stored("big order", "total > 100", Kind::Condition, &orders),
            stored("tax", "total * 0.2", Kind::Value, &orders),
            stored("customers", "count(*)", Kind::Aggregate, &customers),
            foreign,
            metric(
                "foreign share",
                r#"{"kind": "ratio", "numerator": "Foreign Sales", "denominator": "sales"}"#,
                &[],
            ),
            metric(
                "sales per customer",
                r#"{"kind": "ratio", "numerator": "sales", "denominator": "customers"}"#,
                &[],
            ),
            metric(
                "running sales",
                r#"{"kind": "cumulative", "measure": "sales", "per": "month", "over_last": "1 quarter"}"#,
                &[(&orders, "At")],
            ),
            metric(
                "bought",
                r#"{"kind": "conversion", "within": "7 days", "conversion_condition": "big order"}"#,
                &[
                    (&visits, "at"),
                    (&visits, "who"),
                    (&orders, "At"),
                    (&orders, "customer"),
                ],
            ),
            metric(
                "a",
                r#"{"kind": "ratio", "numerator": "b", "denominator": "sales"}"#,
                &[],
            ),
            metric(
                "b",
                r#"{"kind": "ratio", "numerator": "sales", "denominator": "A"}"#,
                &[],
            ),
            metric(
                "bad",
                r#"{"kind": "ratio", "numerator": "tax", "denominator": "sales"}"#,
                &[],
            ),
            metric(
                "gone",
                r#"{"kind": "ratio", "numerator": "profit", "denominator": "sales"}"#,
                &[],
            ),
            metric(
                "late",
                r#"{"kind": "cumulative", "measure": "sales", "per": "month"}"#,
                &[(&visits, "at")],
            ),
            metric(
                "share of big orders",
                r#"{"kind": "ratio", "numerator": "big order", "denominator": "sales"}"#,
                &[],
            ),
        ]
    }

    fn made(term: &str) -> Result<Definition, String> {
        let all = shop();
        let place = all.iter().position(|stored| stored.definition.term == term);
        composed(&all, place.unwrap())
    }

    #[test]
    fn a_ratio_over_one_table_is_an_expression_with_the_joins_of_both() {
        let share = made("foreign share").unwrap();
        assert_eq!(
            share.sql_expression.unwrap(),
            "(sum(total) FILTER (WHERE customers.is_foreign))::numeric / nullif(sum(total), 0)"
        );
        assert_eq!((share.applies_to, share.joins.len()), (Some(1), 1));
        assert_eq!(
            made("share of big orders").unwrap().sql_expression.unwrap(),
            "(count(*) FILTER (WHERE total > 100))::numeric / nullif(sum(total), 0)"
        );
    }

    #[test]
    fn other_metrics_are_queries_or_conditions_on_later_rows() {
        let query = |term: &str| made(term).unwrap().query.unwrap();
        assert_eq!(
            query("sales per customer").sql,
            "SELECT (SELECT sum(total) FROM shop.orders)::numeric / nullif((SELECT count(*) FROM shop.customers), 0) AS \"sales per customer\""
        );
        assert_eq!(query("sales per customer").tables, [1, 2]);
        assert_eq!(
            query("running sales").sql,
            "SELECT periods.month::date AS month, (SELECT sum(total) FROM shop.orders WHERE orders.\"At\" < periods.month + interval '1 months' AND orders.\"At\" >= periods.month + interval '1 months' - interval '3 months') AS \"running sales\" FROM (SELECT min(orders.\"At\")::timestamp AS first_time, max(orders.\"At\")::timestamp AS last_time FROM shop.orders) AS span, generate_series(date_trunc('month', span.first_time), span.last_time, interval '1 months') AS periods(month) ORDER BY 1"
        );
        assert_eq!(
            made("bought").unwrap().sql_expression.unwrap(),
            "count(*) FILTER (WHERE EXISTS (SELECT FROM (SELECT orders.customer AS thing, orders.\"At\" AS happened_at FROM shop.orders WHERE total > 100) AS later WHERE later.thing = visits.who AND later.happened_at >= visits.at AND later.happened_at < visits.at + interval '7 days'))::numeric / nullif(count(*), 0)"
        );
    }

    #[test]
    fn a_circle_and_parts_of_another_kind_are_refused() {
        let why = |term: &str| made(term).unwrap_err();
        assert_eq!(why("a"), "it is made of itself: \"a\" -> \"b\" -> \"a\"");
        assert_eq!(
            why("bad"),
            "its numerator \"tax\" is a value of one row, not an aggregate"
        );
        assert_eq!(why("gone"), "its numerator \"profit\" is not defined");
        assert_eq!(
            why("late"),
            "its time is a column of shop.visits, which \"sales\" does not read"
        );
    }

    #[test]
    fn lengths_of_time_are_a_number_and_a_unit() {
        assert_eq!(interval("2 Quarters").unwrap(), "6 months");
        for text in [
            "",
            "3",
            "month",
            "0 days",
            "3 months ago",
            "3 parsecs",
            "99999 days",
            "-1 day",
        ] {
            assert_eq!(interval(text), None, "{text}");
        }
    }
}
