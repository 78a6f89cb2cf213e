//! Reads the semantic models and metrics of a dbt project as definitions and joins.
//!
//! A measure is an aggregate over one table. So is a metric that consists of one measure, or of the ratio
//! of two measures of the same table. Metrics over several tables, cumulative and conversion metrics need
//! more than one expression; they are reported as left out.

use serde_json::Value;

use super::lesson::{Lesson, Manifest};
use super::members::{column_of, members, text};
use text2sql_domain::object_name;

/// Maximum nesting depth of metrics.
const MAX_DEPTH: usize = 8;

/// A measure in SQL.
#[derive(Debug, Clone)]
struct Measure {
    name: String,
    table: String,
    sql: String,
    description: Option<String>,
    label: Option<String>,
    model: usize,
}

pub(super) fn read(manifest: &Value, read: &mut Manifest) {
    let models: Vec<&Value> = members(manifest, "semantic_models")
        .map(|(_, model)| model)
        .collect();
    let mut measures: Vec<Measure> = Vec::new();
    for (place, model) in models.iter().enumerate() {
        match table_of(model) {
            Some(table) => {
                describe_dimensions(model, &table, read);
                measures.extend(measures_of(model, place, &table));
            }
            None => read.left_out.push((
                text(model, "name").unwrap_or("semantic model").to_owned(),
                "its table is not to be found".to_owned(),
            )),
        }
    }
    joins(&models, read);
    let mut used_measures: Vec<String> = Vec::new();
    for (id, metric) in members(manifest, "metrics") {
        match expression(manifest, metric, &measures, &models, 0) {
            Ok((table, sql)) => {
                if let Some(measure) = simple_measure(metric) {
                    used_measures.push(measure.to_owned());
                }
                read.lessons.push(definition(
                    text(metric, "name").unwrap_or(id),
                    text(metric, "label"),
                    text(metric, "description"),
                    table,
                    sql,
                ));
            }
            Err(why) => read.left_out.push((id.clone(), why)),
        }
    }
    for measure in measures {
        // A measure without description adds nothing to the schema.
        if !used_measures.contains(&measure.name) && measure.description.is_some() {
            read.lessons.push(definition(
                &measure.name,
                measure.label.as_deref(),
                measure.description.as_deref(),
                measure.table,
                measure.sql,
            ));
        }
    }
}

fn definition(
    name: &str,
    label: Option<&str>,
    description: Option<&str>,
    table: String,
    sql_expression: String,
) -> Lesson {
    let plain_name = name.replace('_', " ");
    let term = label.unwrap_or(&plain_name).to_owned();
    let mut synonyms: Vec<String> = Vec::new();
    if term.to_lowercase() != plain_name.to_lowercase() {
        synonyms.push(plain_name.clone());
    }
    Lesson::Definition {
        meaning: description.unwrap_or(&term).to_owned(),
        term,
        synonyms,
        table,
        sql_expression,
    }
}

fn table_of(model: &Value) -> Option<String> {
    let relation = model.get("node_relation")?;
    Some(object_name::join(&[
        text(relation, "schema_name")?,
        text(relation, "alias")?,
    ]))
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    let list = value.get(name).and_then(Value::as_array);
    list.map(Vec::as_slice).unwrap_or_default()
}

fn describe_dimensions(model: &Value, table: &str, read: &mut Manifest) {
    for dimension in list(model, "dimensions") {
        let column = text(dimension, "expr").or_else(|| text(dimension, "name"));
        if let (Some(column), Some(description)) = (column, text(dimension, "description"))
            && is_name(column)
        {
            let object = column_of(table, column);
            let is_described = read.lessons.iter().any(|lesson| {
                matches!(lesson, Lesson::Description { object: known, .. } if *known == object)
            });
            if !is_described {
                read.lessons.push(Lesson::Description {
                    object,
                    text: description.to_owned(),
                });
            }
        }
    }
}

fn is_name(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn measures_of(model: &Value, place: usize, table: &str) -> Vec<Measure> {
    list(model, "measures")
        .iter()
        .filter_map(|measure| {
            let name = text(measure, "name")?;
            // A number means that rows are counted.
            let inner = match measure.get("expr") {
                Some(Value::String(expression)) => expression.trim().to_owned(),
                Some(number @ Value::Number(_)) => number.to_string(),
                _ => name.to_owned(),
            };
            let sql = match text(measure, "agg")? {
                "sum" if inner == "1" => "count(*)".to_owned(),
                aggregate @ ("sum" | "min" | "max") => format!("{aggregate}({inner})"),
                "average" | "avg" => format!("avg({inner})"),
                "count" if inner == "1" => "count(*)".to_owned(),
                "count" => format!("count({inner})"),
                "count_distinct" => format!("count(DISTINCT {inner})"),
                "sum_boolean" => format!("count(*) FILTER (WHERE {inner})"),
                "median" => format!("percentile_cont(0.5) WITHIN GROUP (ORDER BY {inner})"),
                _ => return None,
            };
            Some(Measure {
                name: name.to_owned(),
                table: table.to_owned(),
                sql,
                description: text(measure, "description").map(str::to_owned),
                label: text(measure, "label").map(str::to_owned),
                model: place,
            })
        })
        .collect()
}

/// Adds a join for each entity that is foreign in one model and primary in another.
fn joins(models: &[&Value], read: &mut Manifest) {
    let entities = |model: &Value, kinds: &[&str]| -> Vec<(String, String)> {
        list(model, "entities")
            .iter()
            .filter(|entity| text(entity, "type").is_some_and(|kind| kinds.contains(&kind)))
            .filter_map(|entity| {
                let name = text(entity, "name")?;
                let column = text(entity, "expr").unwrap_or(name);
                is_name(column).then(|| (name.to_owned(), column.to_owned()))
            })
            .collect()
    };
    for from in models {
        let Some(from_table) = table_of(from) else {
            continue;
        };
        for (entity, column) in entities(from, &["foreign"]) {
            for to in models {
                let Some(to_table) = table_of(to).filter(|to_table| *to_table != from_table) else {
                    continue;
                };
                for (other, target) in entities(to, &["primary", "unique"]) {
                    let join = Lesson::Join {
                        column: column_of(&from_table, &column),
                        target: column_of(&to_table, &target),
                    };
                    if other == entity && !read.lessons.contains(&join) {
                        read.lessons.push(join);
                    }
                }
            }
        }
    }
}

/// The name of the only measure of a simple metric.
fn simple_measure(metric: &Value) -> Option<&str> {
    match metric.get("type_params")?.get("measure")? {
        Value::String(name) => Some(name),
        measure => text(measure, "name"),
    }
}

/// The table and SQL expression of a metric, or why it has none.
fn expression(
    manifest: &Value,
    metric: &Value,
    measures: &[Measure],
    models: &[&Value],
    depth: usize,
) -> Result<(String, String), String> {
    if depth > MAX_DEPTH {
        return Err("it is made of too many other metrics".to_owned());
    }
    let parameters = metric.get("type_params").unwrap_or(&Value::Null);
    match text(metric, "type").unwrap_or_default() {
        "simple" => {
            let name = simple_measure(metric).ok_or("it names no measure")?;
            let measure = measures
                .iter()
                .find(|measure| measure.name == name)
                .ok_or_else(|| format!("its measure \"{name}\" has no SQL of one table"))?;
            let model = models.get(measure.model).copied().unwrap_or(&Value::Null);
            let mut conditions = conditions(metric.get("filter"), model)?;
            if let Some(of_measure) = parameters.get("measure") {
                conditions.extend(self::conditions(of_measure.get("filter"), model)?);
            }
            let sql = match conditions.as_slice() {
                [] => measure.sql.clone(),
                _ if measure.sql.contains(" FILTER ") => {
                    return Err("its measure has a condition of its own".to_owned());
                }
                conditions => {
                    format!(
                        "{} FILTER (WHERE {})",
                        measure.sql,
                        conditions.join(" AND ")
                    )
                }
            };
            Ok((measure.table.clone(), sql))
        }
        "ratio" => {
            let part = |name: &str| {
                let other = input_metric(manifest, parameters.get(name))
                    .ok_or_else(|| format!("its {name} is not to be found"))?;
                expression(manifest, other, measures, models, depth + 1)
            };
            let (table, above) = part("numerator")?;
            let (other, below) = part("denominator")?;
            if table != other {
                return Err("it is about several tables".to_owned());
            }
            Ok((table, format!("({above})::numeric / nullif({below}, 0)")))
        }
        "" => Err("it is written in the form of before dbt 1.6".to_owned()),
        kind => Err(format!(
            "metrics of type \"{kind}\" are more than an expression"
        )),
    }
}

/// A metric by name, if the reference has no filter.
fn input_metric<'a>(manifest: &'a Value, input: Option<&Value>) -> Option<&'a Value> {
    let name = match input? {
        Value::String(name) => name,
        input if input.get("filter").is_none_or(Value::is_null) => text(input, "name")?,
        _ => return None,
    };
    let mut metrics = members(manifest, "metrics").map(|(_, metric)| metric);
    metrics.find(|metric| text(metric, "name") == Some(name))
}

/// Converts filters to SQL: `{{ Dimension('order__status') }} = 'sent'` becomes the dimension's
/// expression.
fn conditions(filter: Option<&Value>, model: &Value) -> Result<Vec<String>, String> {
    let filters: Vec<&str> = match filter {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::String(filter)) => vec![filter],
        Some(filter) => list(filter, "where_filters")
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
        let inside = inside.trim();
        let named = inside
            .strip_prefix("Dimension(")
            .and_then(|call| call.strip_suffix(')'))
            .map(|name| name.trim().trim_matches(['\'', '"']));
        let name = named.ok_or_else(|| format!("its filter uses {inside}"))?;
        let bare = name.rsplit("__").next().unwrap_or(name);
        let dimension = list(model, "dimensions")
            .iter()
            .find(|dimension| text(dimension, "name") == Some(bare))
            .ok_or_else(|| format!("its filter uses \"{name}\" of another table"))?;
        sql.push_str(before);
        sql.push_str(text(dimension, "expr").unwrap_or(bare));
        rest = tail;
    }
    sql.push_str(rest);
    sql.push(')');
    Ok(sql)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn project() -> Value {
        let relation = |name: &str| json!({"schema_name": "dbt", "alias": name});
        let simple = |name: &str, measure: &str, filter: Value| {
            json!({"name": name, "type": "simple", "description": format!("{name} of all"),
                "label": null, "filter": filter, "type_params": {"measure": {"name": measure}}})
        };
        json!({
            "nodes": {},
            "semantic_models": {
                "semantic_model.shop.orders": {"name": "orders", "node_relation": relation("orders"),
                    "entities": [{"name": "order", "type": "primary", "expr": "id"},
                                 {"name": "customer", "type": "foreign", "expr": "customer_id"}],
                    "dimensions": [{"name": "status", "type": "categorical", "expr": "order_status",
                                    "description": "where it stands"}],
                    "measures": [{"name": "total", "agg": "sum", "expr": "amount"},
                                 {"name": "orders", "agg": "sum", "expr": 1},
                                 {"name": "buyers", "agg": "count_distinct", "expr": "customer_id",
                                  "description": "who bought"}]},
                "semantic_model.shop.customers": {"name": "customers", "node_relation": relation("customers"),
                    "entities": [{"name": "customer", "type": "primary", "expr": "id"}],
                    "dimensions": [], "measures": []}},
            "metrics": {
                "metric.shop.revenue": simple("revenue", "total", Value::Null),
                "metric.shop.sent": simple("sent_revenue", "total",
                    json!({"where_filters": [{"where_sql_template": "{{ Dimension('order__status') }} = 'sent'"}]})),
                "metric.shop.foreign": simple("foreign", "total",
                    json!({"where_filters": [{"where_sql_template": "{{ Dimension('customer__country') }} = 'x'"}]})),
                "metric.shop.count": simple("order_count", "orders", Value::Null),
                "metric.shop.average": {"name": "average_order", "type": "ratio", "label": "AOV",
                    "description": "revenue per order",
                    "type_params": {"numerator": {"name": "revenue"}, "denominator": {"name": "order_count"}}},
                "metric.shop.running": {"name": "running", "type": "cumulative", "type_params": {}}}
        })
    }

    #[test]
    fn metrics_with_one_expression_become_definitions() {
        let mut found = Manifest::default();
        read(&project(), &mut found);
        let definitions: Vec<(&str, &str)> = found
            .lessons
            .iter()
            .filter_map(|lesson| match lesson {
                Lesson::Definition {
                    term,
                    sql_expression,
                    ..
                } => Some((term.as_str(), sql_expression.as_str())),
                _ => None,
            })
            .collect();
        assert_eq!(
            definitions,
            [
                ("revenue", "sum(amount)"),
                (
                    "sent revenue",
                    "sum(amount) FILTER (WHERE (order_status = 'sent'))"
                ),
                ("order count", "count(*)"),
                ("AOV", "(sum(amount))::numeric / nullif(count(*), 0)"),
                ("buyers", "count(DISTINCT customer_id)"),
            ]
        );
        assert_eq!(
            found.left_out,
            [
                (
                    "metric.shop.foreign",
                    "its filter uses \"customer__country\" of another table"
                ),
                (
                    "metric.shop.running",
                    "metrics of type \"cumulative\" are more than an expression"
                ),
            ]
            .map(|(id, why)| (id.to_owned(), why.to_owned()))
        );
        assert!(found.lessons.contains(&Lesson::Join {
            column: "dbt.orders.customer_id".into(),
            target: "dbt.customers.id".into()
        }));
        assert!(found.lessons.contains(&Lesson::Description {
            object: "dbt.orders.order_status".into(),
            text: "where it stands".into()
        }));
    }
}
