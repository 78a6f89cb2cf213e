//! Writes definitions as semantic models and metrics of dbt, as YAML.
//!
//! MetricFlow knows aggregates of one expression over one table, and metrics that are made of them. What is
//! something else becomes a comment. The definition as it is stored here stands beside each metric
//! (`config: meta: text2sql`), where an import finds it again.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use sqlparser::ast::{DuplicateTreatment, Expr, FunctionArg, FunctionArgExpr, FunctionArguments};

use super::super::dbt::text;
use super::super::metric::{Kind, Metric, Stored};
use super::yaml;
use text2sql_domain::error::Error;
use text2sql_domain::schema::TableName;
use text2sql_sql::reader;

/// The semantic models by table, the metrics, and what cannot be written.
#[derive(Default)]
struct Export {
    models: BTreeMap<String, Model>,
    metrics: Vec<Value>,
    left_out: Vec<String>,
}

/// A semantic model.
#[derive(Default)]
struct Model {
    table: TableName,
    entities: BTreeMap<String, Value>,
    dimensions: BTreeMap<String, Value>,
    measures: BTreeMap<String, Value>,
}

/// Writes the definitions.
pub fn export(all: &[Stored]) -> Result<String, Error> {
    let mut export = Export::default();
    for stored in all {
        let written = match &stored.metric {
            None => export.measure(stored),
            Some(_) => Ok(()),
        };
        export.note(stored, written);
    }
    for stored in all {
        if let Some(metric) = &stored.metric {
            let written = export.metric(all, stored, metric);
            export.note(stored, written);
        }
    }
    export.written()
}

/// A name as dbt needs it: lower case, digits and underscores.
fn name_of(term: &str) -> String {
    let mut name = String::new();
    for c in term.to_lowercase().chars() {
        match c.is_ascii_alphanumeric() {
            true => name.push(c),
            false if name.ends_with('_') => {}
            false => name.push('_'),
        }
    }
    let name = name.trim_matches('_').to_owned();
    match name.starts_with(|c: char| c.is_ascii_lowercase()) {
        true => name,
        false => format!("m_{name}"),
    }
}

/// The aggregate and the expression of a MetricFlow measure, or why the definition cannot be one.
fn aggregate(sql: &str) -> Result<(&'static str, String), String> {
    let no = || "it is not one aggregate over columns of one table".to_owned();
    let parsed = reader::expression(sql).ok().flatten().ok_or_else(no)?;
    let Expr::Function(function) = &parsed else {
        return Err(no());
    };
    let FunctionArguments::List(list) = &function.args else {
        return Err(no());
    };
    let is_plain = function.over.is_none()
        && function.within_group.is_empty()
        && list.clauses.is_empty()
        && list.args.len() == 1;
    let (Some(FunctionArg::Unnamed(argument)), true) = (list.args.first(), is_plain) else {
        return Err(no());
    };
    let is_distinct = list.duplicate_treatment == Some(DuplicateTreatment::Distinct);
    let name = function.name.to_string().to_lowercase();
    let (aggregate, operand) = match (name.as_str(), argument, is_distinct) {
        ("count", FunctionArgExpr::Wildcard, false) => ("sum", "1".to_owned()),
        ("count", FunctionArgExpr::Expr(operand), true) => ("count_distinct", operand.to_string()),
        ("count", FunctionArgExpr::Expr(operand), false) => ("count", operand.to_string()),
        ("sum", FunctionArgExpr::Expr(operand), false) => ("sum", operand.to_string()),
        ("avg", FunctionArgExpr::Expr(operand), false) => ("average", operand.to_string()),
        ("min", FunctionArgExpr::Expr(operand), _) => ("min", operand.to_string()),
        ("max", FunctionArgExpr::Expr(operand), _) => ("max", operand.to_string()),
        _ => return Err(no()),
    };
    Ok(match (&function.filter, operand.as_str()) {
        (None, _) => (aggregate, operand),
        (Some(filter), "1") => (aggregate, format!("CASE WHEN {filter} THEN 1 ELSE 0 END")),
        (Some(filter), _) => (aggregate, format!("CASE WHEN {filter} THEN {operand} END")),
    })
}

/// What an import finds again.
fn meta(stored: &Stored, own: Value) -> Value {
    let mut meta = Map::new();
    if !stored.definition.synonyms.is_empty() {
        meta.insert("synonyms".to_owned(), json!(stored.definition.synonyms));
    }
    if let Value::Object(own) = own {
        meta.extend(own);
    }
    json!({"meta": {"text2sql": meta}})
}

fn column_name((table, column): &(TableName, String)) -> String {
    text2sql_domain::object_name::join(&[&table.schema, &table.name, column])
}

impl Export {
    fn note(&mut self, stored: &Stored, written: Result<(), String>) {
        if let Err(why) = written {
            let term = stored.definition.term.replace(['\n', '\r'], " ");
            self.left_out.push(format!("# {term}: {why}\n"));
        }
    }

    fn model(&mut self, table: &TableName) -> &mut Model {
        let name = match table.schema.as_str() {
            "public" => name_of(&table.name),
            schema => name_of(&format!("{schema}_{}", table.name)),
        };
        let model = self.models.entry(name).or_default();
        model.table = table.clone();
        model
    }

    /// A definition with an aggregate, as a measure and a metric of it.
    fn measure(&mut self, stored: &Stored) -> Result<(), String> {
        let definition = &stored.definition;
        let (Some(sql), Some(table)) = (&definition.sql_expression, &stored.table) else {
            return Err("it has no SQL over a table".to_owned());
        };
        if stored.kind != Some(Kind::Aggregate) {
            return Err("it is a condition or a value of a row, not a measure".to_owned());
        }
        if !definition.joins.is_empty() {
            return Err(
                "it is over several tables, and a measure of MetricFlow over one".to_owned(),
            );
        }
        let (aggregate, expression) = aggregate(sql)?;
        let name = name_of(&definition.term);
        let measure =
            json!({"name": name, "label": definition.term, "agg": aggregate, "expr": expression});
        self.model(table).measures.insert(name.clone(), measure);
        let own = json!({"table": table.sql_name(), "sql_expression": sql});
        self.metrics.push(json!({
            "name": name, "label": definition.term, "description": definition.meaning, "type": "simple",
            "type_params": {"measure": {"name": name}}, "config": meta(stored, own)}));
        Ok(())
    }

    fn has(&self, term: &str) -> Result<String, String> {
        let name = name_of(term);
        let is_there = self
            .metrics
            .iter()
            .any(|metric| metric["name"] == name.as_str());
        match is_there {
            true => Ok(name),
            false => Err(format!("\"{term}\", of which it is made, is not exported")),
        }
    }

    fn metric(&mut self, all: &[Stored], stored: &Stored, metric: &Metric) -> Result<(), String> {
        let (kind, parameters) = match metric {
            Metric::Ratio {
                numerator,
                denominator,
            } => {
                let (numerator, denominator) = (self.has(numerator)?, self.has(denominator)?);
                let parameters =
                    json!({"numerator": {"name": numerator}, "denominator": {"name": denominator}});
                ("ratio", parameters)
            }
            Metric::Cumulative {
                measure,
                over_last,
                since_start_of,
                ..
            } => {
                let name = self.has(measure)?;
                self.time(stored.columns.first())?;
                let mut own = Map::new();
                if let Some(window) = over_last {
                    own.insert("window".to_owned(), json!(window));
                }
                if let Some(unit) = since_start_of {
                    own.insert("grain_to_date".to_owned(), json!(unit));
                }
                (
                    "cumulative",
                    json!({"measure": {"name": name}, "cumulative_type_params": own}),
                )
            }
            Metric::Conversion {
                within,
                base_condition: None,
                conversion_condition: None,
            } => ("conversion", self.conversion(stored, within.as_deref())?),
            Metric::Conversion { .. } => {
                return Err("its events are those of a condition".to_owned());
            }
        };
        let columns: Vec<String> = stored.columns.iter().map(column_name).collect();
        let definition = &stored.definition;
        let is_again = all
            .iter()
            .filter(|other| name_of(&other.definition.term) == name_of(&definition.term));
        if is_again.count() > 1 {
            return Err("another term has the same name in dbt".to_owned());
        }
        self.metrics.push(json!({
            "name": name_of(&definition.term), "label": definition.term, "description": definition.meaning,
            "type": kind, "type_params": parameters,
            "config": meta(stored, json!({"metric": metric, "columns": columns}))}));
        Ok(())
    }

    /// The time of a model's measures.
    fn time(&mut self, column: Option<&(TableName, String)>) -> Result<(), String> {
        let (table, column) = column.ok_or("a column that it names does not exist")?;
        let dimension =
            json!({"name": column, "type": "time", "type_params": {"time_granularity": "day"}});
        self.model(table)
            .dimensions
            .insert(column.clone(), dimension);
        Ok(())
    }

    fn conversion(&mut self, stored: &Stored, within: Option<&str>) -> Result<Value, String> {
        let [base_time, base, next_time, next] = stored.columns.as_slice() else {
            return Err("a column that it names does not exist".to_owned());
        };
        let entity = format!("{}_subject", name_of(&stored.definition.term));
        let mut names = Vec::new();
        for (time, thing) in [(base_time, base), (next_time, next)] {
            self.time(Some(time))?;
            let model = self.model(&thing.0);
            let found = json!({"name": entity, "type": "foreign", "expr": thing.1});
            let known = model.entities.insert(entity.clone(), found);
            if known.is_some_and(|known| text(&known, "expr") != Some(thing.1.as_str())) {
                return Err("both events are rows of one table, with different columns".to_owned());
            }
            let measure = format!("{}_rows", name_of(&thing.0.name));
            let found =
                json!({"name": measure, "agg": "sum", "expr": "1", "agg_time_dimension": time.1});
            model.measures.insert(measure.clone(), found);
            names.push(measure);
        }
        let mut own = json!({"entity": entity, "calculation": "conversion_rate",
            "base_measure": {"name": names.first()}, "conversion_measure": {"name": names.last()}});
        if let (Some(within), Some(own)) = (within, own.as_object_mut()) {
            own.insert("window".to_owned(), json!(within));
        }
        Ok(json!({"conversion_type_params": own}))
    }

    fn written(self) -> Result<String, Error> {
        let models: Vec<Value> = self
            .models
            .into_iter()
            .map(|(name, model)| model.written(&name))
            .collect();
        let document = json!({"semantic_models": models, "metrics": self.metrics});
        let mut text = "# Definitions of text2sql.\n".to_owned();
        if !self.left_out.is_empty() {
            text.push_str("# Not in the form of MetricFlow, and left out:\n");
            text.push_str(&self.left_out.concat());
        }
        text.push_str(&yaml::write(&document)?);
        Ok(text)
    }
}

impl Model {
    fn written(self, name: &str) -> Value {
        let list = |part: BTreeMap<String, Value>| part.into_values().collect::<Vec<_>>();
        let mut model = Map::new();
        model.insert("name".to_owned(), json!(name));
        model.insert(
            "model".to_owned(),
            json!(format!("ref('{}')", self.table.name)),
        );
        if let Some(time) = self.dimensions.keys().next() {
            model.insert("defaults".to_owned(), json!({"agg_time_dimension": time}));
        }
        model.insert("primary_entity".to_owned(), json!(format!("{name}_row")));
        for (key, part) in [
            ("entities", list(self.entities)),
            ("dimensions", list(self.dimensions)),
            ("measures", list(self.measures)),
        ] {
            if !part.is_empty() {
                model.insert(key.to_owned(), Value::Array(part));
            }
        }
        let table = json!({"meta": {"text2sql": {"table": self.table.sql_name()}}});
        model.insert("config".to_owned(), table);
        Value::Object(model)
    }
}
