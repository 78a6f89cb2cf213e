//! The SQL expression of a measure and of a metric, or why it has none.

use serde_json::Value;

use super::members::{list, members, table_of_semantic_model, text};

/// Maximum nesting depth of metrics.
const MAX_DEPTH: usize = 8;

/// A measure in SQL.
#[derive(Debug, Clone)]
pub(super) struct Measure {
    pub(super) name: String,
    pub(super) table: String,
    /// Its aggregate, or why it has none.
    pub(super) sql: Result<String, String>,
    pub(super) description: Option<String>,
    pub(super) label: Option<String>,
    /// Position of its semantic model.
    pub(super) model: usize,
}

/// What metrics are made of.
struct Project<'a> {
    manifest: &'a Value,
    measures: &'a [Measure],
    models: &'a [&'a Value],
}

/// The aggregate that a measure declares, or why it cannot be used.
pub(super) fn aggregate(measure: &Value, name: &str) -> Result<String, String> {
    if measure
        .get("non_additive_dimension")
        .is_some_and(|dimension| !dimension.is_null())
    {
        return Err(
            "it is not additive over time: which rows count depends on the period".to_owned(),
        );
    }
    // A number means that rows are counted.
    let inner = match measure.get("expr") {
        Some(Value::String(expression)) => expression.trim().to_owned(),
        Some(number @ Value::Number(_)) => number.to_string(),
        _ => name.to_owned(),
    };
    Ok(match text(measure, "agg").unwrap_or_default() {
        "sum" if inner == "1" => "count(*)".to_owned(),
        aggregate @ ("sum" | "min" | "max") => format!("{aggregate}({inner})"),
        "average" | "avg" => format!("avg({inner})"),
        "count" if inner == "1" => "count(*)".to_owned(),
        "count" => format!("count({inner})"),
        "count_distinct" => format!("count(DISTINCT {inner})"),
        "sum_boolean" => format!("count(*) FILTER (WHERE {inner})"),
        "median" => format!("percentile_cont(0.5) WITHIN GROUP (ORDER BY {inner})"),
        "percentile" => {
            let parameters = measure.get("agg_params").unwrap_or(&Value::Null);
            let fraction = parameters
                .get("percentile")
                .and_then(Value::as_f64)
                .filter(|fraction| (0.0..=1.0).contains(fraction))
                .ok_or("its percentile is not between 0 and 1")?;
            let function = match parameters.get("use_discrete_percentile") {
                Some(Value::Bool(true)) => "percentile_disc",
                _ => "percentile_cont",
            };
            format!("{function}({fraction}) WITHIN GROUP (ORDER BY {inner})")
        }
        "" => return Err("it names no aggregate".to_owned()),
        other => return Err(format!("its aggregate \"{other}\" is none of PostgreSQL's")),
    })
}

/// The name of the only measure of a simple metric.
pub(super) fn simple_measure(metric: &Value) -> Option<&str> {
    match metric.get("type_params")?.get("measure")? {
        Value::String(name) => Some(name),
        measure => text(measure, "name"),
    }
}

/// The table and SQL expression of a metric, or why it has none.
pub(super) fn of_metric(
    manifest: &Value,
    metric: &Value,
    measures: &[Measure],
    models: &[&Value],
) -> Result<(String, String), String> {
    let project = Project {
        manifest,
        measures,
        models,
    };
    project.metric(metric, &[], 0)
}

impl Project<'_> {
    /// `filters` are those that other metrics put on this one.
    fn metric(
        &self,
        metric: &Value,
        filters: &[&Value],
        depth: usize,
    ) -> Result<(String, String), String> {
        if depth > MAX_DEPTH {
            return Err("it is made of too many other metrics".to_owned());
        }
        let parameters = metric.get("type_params").unwrap_or(&Value::Null);
        let mut filters = filters.to_vec();
        filters.extend(metric.get("filter"));
        match text(metric, "type").unwrap_or_default() {
            "simple" => self.simple(metric, parameters, &filters),
            "ratio" => {
                let (table, above) = self.input(parameters.get("numerator"), &filters, depth)?;
                let (other, below) = self.input(parameters.get("denominator"), &filters, depth)?;
                if table != other {
                    return Err("it is about several tables".to_owned());
                }
                Ok((table, format!("({above})::numeric / nullif({below}, 0)")))
            }
            "derived" => self.derived(parameters, &filters, depth),
            "cumulative" => Err(
                "a cumulative metric adds up over a window of time, which no expression over a group of rows says"
                    .to_owned(),
            ),
            "conversion" => Err(
                "a conversion metric follows an entity from one event to a later one, which no expression over a \
                 group of rows says"
                    .to_owned(),
            ),
            "" => Err("it is written in the form of before dbt 1.6".to_owned()),
            kind => Err(format!("metrics of type \"{kind}\" are not known")),
        }
    }

    fn simple(
        &self,
        metric: &Value,
        parameters: &Value,
        filters: &[&Value],
    ) -> Result<(String, String), String> {
        let (table, sql, model) = match simple_measure(metric) {
            Some(name) => {
                let measure = self
                    .measures
                    .iter()
                    .find(|measure| measure.name == name)
                    .ok_or_else(|| format!("its measure \"{name}\" is not to be found"))?;
                let model = self.models.get(measure.model).copied();
                (measure.table.clone(), measure.sql.clone()?, model)
            }
            // Without a measure of its own, the metric says how it is computed.
            None => {
                let own = parameters
                    .get("metric_aggregation_params")
                    .filter(|own| own.is_object())
                    .ok_or("it names no measure")?;
                let name = text(own, "semantic_model").unwrap_or_default();
                let mut models = self.models.iter().copied();
                let model = models
                    .find(|model| text(model, "name") == Some(name))
                    .ok_or("its semantic model is not to be found")?;
                let table = table_of_semantic_model(model).ok_or("its table is not to be found")?;
                let own_name = text(metric, "name").unwrap_or_default();
                let mut measure = own.clone();
                // The expression stands beside the aggregate.
                if let (Some(measure), Some(expression)) =
                    (measure.as_object_mut(), parameters.get("expr"))
                    && !expression.is_null()
                {
                    measure.insert("expr".to_owned(), expression.clone());
                }
                (table, aggregate(&measure, own_name)?, Some(model))
            }
        };
        let model = model.unwrap_or(&Value::Null);
        let mut conditions = Vec::new();
        let of_measure = parameters.get("measure");
        for filter in filters
            .iter()
            .copied()
            .chain(of_measure.and_then(|measure| measure.get("filter")))
        {
            conditions.extend(self::conditions(filter, model)?);
        }
        if conditions.is_empty() {
            return Ok((table, sql));
        }
        if sql.contains(" FILTER ") {
            return Err("its measure has a condition of its own".to_owned());
        }
        let condition = conditions.join(" AND ");
        Ok((table, format!("{sql} FILTER (WHERE {condition})")))
    }

    /// A metric that another one is made of, with the filters of both.
    fn input(
        &self,
        input: Option<&Value>,
        filters: &[&Value],
        depth: usize,
    ) -> Result<(String, String), String> {
        let input = input
            .filter(|input| !input.is_null())
            .ok_or("a metric that it is made of is not named")?;
        let name = match input {
            Value::String(name) => name.as_str(),
            input => text(input, "name").unwrap_or_default(),
        };
        for offset in ["offset_window", "offset_to_grain"] {
            if input.get(offset).is_some_and(|offset| !offset.is_null()) {
                return Err(format!("it compares \"{name}\" with an earlier period"));
            }
        }
        let mut metrics = members(self.manifest, "metrics").map(|(_, metric)| metric);
        let metric = metrics
            .find(|metric| text(metric, "name") == Some(name))
            .ok_or_else(|| format!("the metric \"{name}\" is not to be found"))?;
        let mut filters = filters.to_vec();
        filters.extend(input.get("filter"));
        self.metric(metric, &filters, depth + 1)
    }

    fn derived(
        &self,
        parameters: &Value,
        filters: &[&Value],
        depth: usize,
    ) -> Result<(String, String), String> {
        let expression = text(parameters, "expr").ok_or("it has no expression")?;
        let mut table: Option<String> = None;
        let mut parts: Vec<(String, String)> = Vec::new();
        for input in list(parameters, "metrics") {
            let (of_input, sql) = self.input(Some(input), filters, depth)?;
            if table.get_or_insert_with(|| of_input.clone()) != &of_input {
                return Err("it is about several tables".to_owned());
            }
            let name = match input {
                Value::String(name) => name.as_str(),
                input => text(input, "alias")
                    .or_else(|| text(input, "name"))
                    .unwrap_or_default(),
            };
            // MetricFlow divides numbers, not integers.
            let sql = match expression.contains('/') {
                true => format!("({sql})::numeric"),
                false => format!("({sql})"),
            };
            parts.push((name.to_owned(), sql));
        }
        let table = table.ok_or("it is made of no metric")?;
        Ok((table, with_metrics(expression, &parts)?))
    }
}

/// The expression with the SQL of metrics in place of their names. Texts and quoted names are kept.
fn with_metrics(expression: &str, parts: &[(String, String)]) -> Result<String, String> {
    let mut sql = String::with_capacity(expression.len());
    let mut rest = expression;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '\'' | '"' => {
                let end = rest[1..]
                    .find(first)
                    .ok_or("its expression is not closed")?;
                end + 2
            }
            first if first.is_alphanumeric() || first == '_' => rest
                .find(|c: char| !(c.is_alphanumeric() || c == '_'))
                .unwrap_or(rest.len()),
            first => first.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        match parts.iter().find(|(name, _)| name == token) {
            Some((_, part)) => sql.push_str(part),
            None => sql.push_str(token),
        }
        rest = after;
    }
    Ok(sql)
}

/// Converts filters to SQL: `{{ Dimension('order__status') }} = 'sent'` becomes the dimension's
/// expression.
fn conditions(filter: &Value, model: &Value) -> Result<Vec<String>, String> {
    let filters: Vec<&str> = match filter {
        Value::Null => Vec::new(),
        Value::String(filter) => vec![filter],
        Value::Array(filters) => filters.iter().filter_map(Value::as_str).collect(),
        filter => list(filter, "where_filters")
            .iter()
            .filter_map(|filter| text(filter, "where_sql_template"))
            .collect(),
    };
    filters
        .into_iter()
        .map(|filter| condition(filter, model))
        .collect()
}

fn condition(filter: &str, model: &Value) -> Result<String, String> {
    let mut sql = String::from("(");
    let mut rest = filter.trim();
    while let Some((before, after)) = rest.split_once("{{") {
        let (inside, tail) = after.split_once("}}").ok_or("its filter is not closed")?;
        sql.push_str(before);
        sql.push_str(&member(inside.trim(), model)?);
        rest = tail;
    }
    sql.push_str(rest);
    sql.push(')');
    Ok(sql)
}

/// The expression of `Dimension('order__status')`, `TimeDimension('order__ordered_at', 'day')` or `Entity('order')`.
fn member(call: &str, model: &Value) -> Result<String, String> {
    let unknown = || format!("its filter uses {call}");
    let (function, arguments) = call
        .strip_suffix(')')
        .and_then(|call| call.split_once('('))
        .ok_or_else(unknown)?;
    let mut arguments = arguments
        .split(',')
        .map(|argument| argument.trim().trim_matches(['\'', '"']));
    let name = arguments.next().unwrap_or_default();
    let grain = arguments.next();
    if arguments.next().is_some() {
        return Err(unknown());
    }
    let of_another = || format!("its filter uses \"{name}\" of another table");
    let (entity, bare) = match name.rsplit_once("__") {
        Some((entity, bare)) => (Some(entity), bare),
        None => (None, name),
    };
    // With the entity of another model, the dimension is that model's, whatever its name.
    let own_entities = || {
        list(model, "entities")
            .iter()
            .filter(|entity| matches!(text(entity, "type"), Some("primary" | "unique" | "natural")))
            .filter_map(|entity| text(entity, "name"))
            .chain(text(model, "primary_entity"))
    };
    if let Some(entity) = entity
        && own_entities().next().is_some()
        && !own_entities().any(|own| own == entity)
    {
        return Err(of_another());
    }
    let part = match function.trim() {
        "Dimension" | "TimeDimension" => "dimensions",
        "Entity" => "entities",
        _ => return Err(unknown()),
    };
    let found = list(model, part)
        .iter()
        .find(|found| text(found, "name") == Some(bare))
        .ok_or_else(of_another)?;
    let expression = text(found, "expr").unwrap_or(bare);
    match (function.trim(), grain) {
        ("TimeDimension", Some(grain)) if grain.chars().all(|c| c.is_ascii_lowercase()) => {
            Ok(format!("date_trunc('{grain}', {expression})"))
        }
        (_, None) => Ok(expression.to_owned()),
        _ => Err(unknown()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn found(metric: Value) -> Result<String, String> {
        let model = json!({"name": "orders", "node_relation": {"schema_name": "dbt", "alias": "orders"},
            "entities": [{"name": "order", "type": "primary", "expr": "id"},
                         {"name": "customer", "type": "foreign", "expr": "customer_id"}],
            "dimensions": [{"name": "status", "type": "categorical"},
                           {"name": "ordered_at", "type": "time", "expr": "at"}]});
        let measure = |name: &str, measure: Value| Measure {
            name: name.to_owned(),
            table: "dbt.orders".to_owned(),
            sql: aggregate(&measure, name),
            description: None,
            label: None,
            model: 0,
        };
        let measures = [
            measure("total", json!({"agg": "sum", "expr": "amount"})),
            measure("number", json!({"agg": "sum", "expr": "1"})),
            measure("sent", json!({"agg": "sum_boolean", "expr": "is_sent"})),
            measure(
                "p95",
                json!({"agg": "percentile", "expr": "amount", "agg_params": {"percentile": 0.95}}),
            ),
            measure(
                "stock",
                json!({"agg": "sum", "expr": "stock", "non_additive_dimension": {"name": "at"}}),
            ),
            Measure {
                table: "dbt.others".to_owned(),
                ..measure("others", json!({"agg": "count", "expr": "1"}))
            },
        ];
        let simple = |name: &str| json!({"name": name, "type": "simple", "type_params": {"measure": {"name": name}}});
        let manifest = json!({"metrics": {
            "a": simple("total"), "b": simple("number"), "c": simple("others"), "d": simple("sent"),
            "e": {"name": "circle", "type": "derived", "type_params": {"expr": "circle", "metrics": [{"name": "circle"}]}}}});
        of_metric(&manifest, &metric, &measures, &[&model]).map(|(_, sql)| sql)
    }

    fn derived(expression: &str, metrics: Value) -> Result<String, String> {
        found(
            json!({"name": "x", "type": "derived", "type_params": {"expr": expression, "metrics": metrics}}),
        )
    }

    #[test]
    fn derived_metrics_are_expressions_over_one_table() {
        assert_eq!(
            derived(
                "total - 2 * n",
                json!([{"name": "total"}, {"name": "number", "alias": "n"}])
            )
            .unwrap(),
            "(sum(amount)) - 2 * (count(*))"
        );
        assert_eq!(
            derived("total / number", json!(["total", "number"])).unwrap(),
            "(sum(amount))::numeric / (count(*))::numeric"
        );
        assert_eq!(
            derived(
                "total",
                json!([{"name": "total", "filter": "{{ Dimension('order__status') }} = 'sent'"}])
            )
            .unwrap(),
            "(sum(amount) FILTER (WHERE (status = 'sent')))"
        );
        for (expression, metrics, why) in [
            (
                "total - others",
                json!(["total", "others"]),
                "it is about several tables",
            ),
            (
                "total - before",
                json!(["total", {"name": "total", "alias": "before", "offset_window": "1 month"}]),
                "it compares \"total\" with an earlier period",
            ),
            ("nothing", json!([]), "it is made of no metric"),
            (
                "gone",
                json!(["gone"]),
                "the metric \"gone\" is not to be found",
            ),
            (
                "circle",
                json!(["circle"]),
                "it is made of too many other metrics",
            ),
        ] {
            assert_eq!(derived(expression, metrics).unwrap_err(), why);
        }
    }

    #[test]
    fn filters_name_dimensions_and_times_of_the_same_model() {
        let filtered = |filter: &str, measure: &str| {
            found(
                json!({"name": "x", "type": "simple", "filter": filter, "type_params": {"measure": measure}}),
            )
        };
        assert_eq!(
            filtered(
                "{{ TimeDimension('order__ordered_at', 'month') }} > '2025-01-01'",
                "total"
            )
            .unwrap(),
            "sum(amount) FILTER (WHERE (date_trunc('month', at) > '2025-01-01'))"
        );
        assert_eq!(
            filtered("{{ Entity('customer') }} = 5", "p95").unwrap(),
            "percentile_cont(0.95) WITHIN GROUP (ORDER BY amount) FILTER (WHERE (customer_id = 5))"
        );
        for (filter, measure, why) in [
            (
                "{{ Dimension('customer__status') }} = 1",
                "total",
                "its filter uses \"customer__status\" of another table",
            ),
            (
                "{{ Metric('total') }} = 1",
                "total",
                "its filter uses Metric('total')",
            ),
            (
                "{{ TimeDimension('order__ordered_at', 'a b') }} = 1",
                "total",
                "its filter uses TimeDimension('order__ordered_at', 'a b')",
            ),
            (
                "{{ Dimension('order__status')",
                "total",
                "its filter is not closed",
            ),
            ("is_open", "sent", "its measure has a condition of its own"),
            (
                "true",
                "stock",
                "it is not additive over time: which rows count depends on the period",
            ),
        ] {
            assert_eq!(filtered(filter, measure).unwrap_err(), why);
        }
    }

    #[test]
    fn a_metric_may_say_itself_how_it_is_computed() {
        let own = json!({"name": "buyers", "type": "simple", "type_params": {"expr": "customer_id",
            "metric_aggregation_params": {"semantic_model": "orders", "agg": "count_distinct"}}});
        assert_eq!(found(own).unwrap(), "count(DISTINCT customer_id)");
        let unknown = json!({"name": "buyers", "type": "simple", "type_params": {
            "metric_aggregation_params": {"semantic_model": "gone", "agg": "count"}}});
        assert_eq!(
            found(unknown).unwrap_err(),
            "its semantic model is not to be found"
        );
    }

    #[test]
    fn a_part_of_a_name_is_no_metric() {
        let parts = [("a".to_owned(), "(sum(x))".to_owned())];
        assert_eq!(
            with_metrics("a + ab * 'a' || \"a\" - a", &parts).unwrap(),
            "(sum(x)) + ab * 'a' || \"a\" - (sum(x))"
        );
        assert!(with_metrics("'a", &parts).is_err());
    }
}
