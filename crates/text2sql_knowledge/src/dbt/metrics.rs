//! Reads the semantic models and metrics of a dbt project as definitions and joins.
//!
//! A measure is an aggregate over one table. So is a metric that consists of one measure, of the ratio of two, or of
//! an expression over several, if all are of the same table (`expression.rs`). Everything else is reported as left
//! out, with the reason.

use serde_json::Value;

use super::expression::{self, Measure, aggregate, simple_measure};
use super::lesson::{Lesson, Manifest};
use super::made_metrics::Project;
use super::members::{column_of, list, members, own_meta, table_of_semantic_model, text};

pub(super) fn read(manifest: &Value, read: &mut Manifest) {
    let models: Vec<&Value> = members(manifest, "semantic_models")
        .map(|(_, model)| model)
        .collect();
    let mut measures: Vec<Measure> = Vec::new();
    for (place, model) in models.iter().enumerate() {
        match table_of_semantic_model(model) {
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
    let project = Project {
        manifest,
        models: &models,
    };
    // What is made of other metrics comes after them.
    let mut made: Vec<Lesson> = Vec::new();
    for (id, metric) in members(manifest, "metrics") {
        if let Some(lesson) = exported(metric) {
            match &lesson {
                Lesson::Metric { .. } => made.push(lesson),
                _ => read.lessons.push(lesson),
            }
            continue;
        }
        match expression::of_metric(manifest, metric, &measures, &models) {
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
            Err(why) => match project.made(metric) {
                Ok(lessons) => made.extend(lessons),
                Err(other) => {
                    let is_made = matches!(text(metric, "type"), Some("cumulative" | "conversion"));
                    let why = if is_made { other } else { why };
                    read.left_out.push((id.to_owned(), why));
                }
            },
        }
    }
    let made_measures: Vec<String> = made
        .iter()
        .filter(|lesson| matches!(lesson, Lesson::Definition { .. }))
        .map(Lesson::subject)
        .collect();
    read.lessons.extend(made);
    for measure in measures {
        let term = measure
            .label
            .clone()
            .unwrap_or_else(|| measure.name.replace('_', " "));
        if made_measures.contains(&term) {
            continue;
        }
        // A measure without description adds nothing to the schema.
        if used_measures.contains(&measure.name) || measure.description.is_none() {
            continue;
        }
        match measure.sql {
            Ok(sql) => read.lessons.push(definition(
                &measure.name,
                measure.label.as_deref(),
                measure.description.as_deref(),
                measure.table,
                sql,
            )),
            Err(why) => read.left_out.push((measure.name, why)),
        }
    }
}

/// The definition or metric that an export of this extension wrote, as it was.
fn exported(metric: &Value) -> Option<Lesson> {
    let own = own_meta(metric)?;
    let term = text(metric, "label")?.to_owned();
    let meaning = text(metric, "description").unwrap_or(&term).to_owned();
    let texts = |part: &str| -> Vec<String> {
        let texts = list(own, part).iter().filter_map(Value::as_str);
        texts.map(str::to_owned).collect()
    };
    if let Some(made) = own.get("metric") {
        return Some(Lesson::Metric {
            term,
            meaning,
            synonyms: texts("synonyms"),
            metric: serde_json::from_value(made.clone()).ok()?,
            columns: texts("columns"),
        });
    }
    Some(Lesson::Definition {
        term,
        meaning,
        synonyms: texts("synonyms"),
        table: text(own, "table")?.to_owned(),
        sql_expression: text(own, "sql_expression")?.to_owned(),
        joins: Vec::new(),
    })
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
        joins: Vec::new(),
    }
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
            Some(Measure {
                name: name.to_owned(),
                table: table.to_owned(),
                sql: aggregate(measure, name),
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
        let Some(from_table) = table_of_semantic_model(from) else {
            continue;
        };
        for (entity, column) in entities(from, &["foreign"]) {
            for to in models {
                let Some(to_table) =
                    table_of_semantic_model(to).filter(|to_table| *to_table != from_table)
                else {
                    continue;
                };
                for (other, target) in entities(to, &["primary", "unique"]) {
                    let (column, target) = (
                        column_of(&from_table, &column),
                        column_of(&to_table, &target),
                    );
                    if other == entity && !read.has_join(&column, &target) {
                        read.lessons.push(Lesson::Join {
                            column,
                            target,
                            is_unique: true,
                        });
                    }
                }
            }
        }
    }
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
                ("metric.shop.running", "a part of it is missing"),
            ]
            .map(|(id, why)| (id.to_owned(), why.to_owned()))
        );
        assert!(found.lessons.contains(&Lesson::Join {
            column: "dbt.orders.customer_id".into(),
            target: "dbt.customers.id".into(),
            is_unique: true
        }));
        assert!(found.lessons.contains(&Lesson::Description {
            object: "dbt.orders.order_status".into(),
            text: "where it stands".into()
        }));
    }
}
