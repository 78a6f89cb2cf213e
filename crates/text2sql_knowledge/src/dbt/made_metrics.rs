//! Metrics of a dbt project that no expression over one table says: ratios of several tables, running totals and
//! conversions. They are made of definitions, each under its own term.

use serde_json::Value;

use super::super::metric::{Metric, UNITS, interval};
use super::lesson::Lesson;
use super::members::{column_of, list, members, table_of_semantic_model, text};

/// What metrics are made of.
pub(super) struct Project<'a> {
    pub(super) manifest: &'a Value,
    pub(super) models: &'a [&'a Value],
}

/// The term of a metric or measure: its label, else its name with spaces.
pub(super) fn term_of(named: &Value) -> Option<String> {
    let plain = || text(named, "name").map(|name| name.replace('_', " "));
    text(named, "label").map(str::to_owned).or_else(plain)
}

/// The name of an input, without a filter or another period of its own.
fn name_of(input: Option<&Value>) -> Result<&str, String> {
    let input = input.ok_or("a part of it is missing")?;
    if let Value::String(name) = input {
        return Ok(name);
    }
    let name = text(input, "name").ok_or("a part of it is missing")?;
    let has = |part: &str| input.get(part).is_some_and(|part| !part.is_null());
    if has("filter") {
        return Err(format!("it has a filter of its own on \"{name}\""));
    }
    if has("offset_window") || has("offset_to_grain") {
        return Err(format!("it compares \"{name}\" with an earlier period"));
    }
    Ok(name)
}

/// A length as `7 days`, from a text or from a count and a granularity.
fn length(value: &Value) -> Result<Option<String>, String> {
    let text = match value {
        Value::Null => return Ok(None),
        Value::String(text) => text.clone(),
        value => format!(
            "{} {}",
            value
                .get("count")
                .and_then(Value::as_u64)
                .unwrap_or_default(),
            text(value, "granularity").unwrap_or_default()
        ),
    };
    match interval(&text) {
        Some(_) => Ok(Some(text)),
        None => Err(format!("its window \"{text}\" is not understood")),
    }
}

/// A measure with its model.
struct Measured<'a> {
    measure: &'a Value,
    model: &'a Value,
    table: String,
}

impl<'a> Project<'a> {
    /// The metric as one that is made of definitions, which come first, or why it cannot be.
    pub(super) fn made(&self, metric: &Value) -> Result<Vec<Lesson>, String> {
        if metric.get("filter").is_some_and(|filter| !filter.is_null()) {
            return Err("it has a filter, and is made of other metrics".to_owned());
        }
        let none = Value::Null;
        let parameters = metric.get("type_params").unwrap_or(&none);
        match text(metric, "type").unwrap_or_default() {
            "ratio" => {
                let numerator = self.metric_term(name_of(parameters.get("numerator"))?)?;
                let denominator = self.metric_term(name_of(parameters.get("denominator"))?)?;
                let made = Metric::Ratio {
                    numerator,
                    denominator,
                };
                Ok(vec![lesson(metric, made, Vec::new())?])
            }
            "cumulative" => self.cumulative(metric, parameters),
            "conversion" => self.conversion(metric, parameters),
            kind => Err(format!("metrics of type \"{kind}\" are not known")),
        }
    }

    fn metric_term(&self, name: &str) -> Result<String, String> {
        let found = members(self.manifest, "metrics")
            .map(|(_, metric)| metric)
            .find(|metric| text(metric, "name") == Some(name));
        found
            .and_then(term_of)
            .ok_or_else(|| format!("the metric \"{name}\" is not to be found"))
    }

    fn measured(&self, name: &str) -> Result<Measured<'a>, String> {
        let found = self.models.iter().find_map(|model| {
            let measure = list(model, "measures")
                .iter()
                .find(|measure| text(measure, "name") == Some(name))?;
            Some(Measured {
                measure,
                model,
                table: table_of_semantic_model(model)?,
            })
        });
        found.ok_or_else(|| format!("the measure \"{name}\" is not to be found"))
    }

    /// The measure of a simple metric without a filter.
    fn measure_of_metric(&self, name: &str) -> Option<&'a str> {
        let (_, metric) = members(self.manifest, "metrics")
            .find(|(_, metric)| text(metric, "name") == Some(name))?;
        let measure = metric.get("type_params")?.get("measure")?;
        match measure {
            Value::String(name) => Some(name),
            measure => text(measure, "name"),
        }
    }

    fn cumulative(&self, metric: &Value, parameters: &Value) -> Result<Vec<Lesson>, String> {
        let none = Value::Null;
        let own = parameters.get("cumulative_type_params").unwrap_or(&none);
        let part = |name: &str| {
            let found = own.get(name).filter(|found| !found.is_null());
            found.or_else(|| parameters.get(name)).unwrap_or(&none)
        };
        let mut lessons = Vec::new();
        let (term, measured) = match own.get("metric").filter(|metric| !metric.is_null()) {
            Some(input) => {
                let name = name_of(Some(input))?;
                let measure = self.measure_of_metric(name);
                let measure = measure.ok_or_else(|| format!("\"{name}\" is not one measure"))?;
                (self.metric_term(name)?, self.measured(measure)?)
            }
            None => {
                let name = name_of(parameters.get("measure"))?;
                let measured = self.measured(name)?;
                (
                    self.term_of_measure(name, &measured, &mut lessons)?,
                    measured,
                )
            }
        };
        let (time, unit) = time_of(&measured)?;
        let to_date = part("grain_to_date").as_str().map(str::to_owned);
        if to_date
            .as_deref()
            .is_some_and(|unit| !UNITS.contains(&unit))
        {
            return Err("its grain is not understood".to_owned());
        }
        let made = Metric::Cumulative {
            measure: term,
            per: unit,
            over_last: length(part("window"))?,
            since_start_of: to_date,
        };
        lessons.push(lesson(metric, made, vec![time])?);
        Ok(lessons)
    }

    /// The term of a measure: that of a metric which is nothing else, or one of its own.
    fn term_of_measure(
        &self,
        name: &str,
        measured: &Measured<'_>,
        lessons: &mut Vec<Lesson>,
    ) -> Result<String, String> {
        let simple = members(self.manifest, "metrics")
            .map(|(_, metric)| metric)
            .find(|metric| {
                let is_simple = text(metric, "type") == Some("simple");
                let has_filter = metric.get("filter").is_some_and(|filter| !filter.is_null());
                is_simple
                    && !has_filter
                    && text(metric, "name").and_then(|metric| self.measure_of_metric(metric))
                        == Some(name)
            });
        if let Some(term) = simple.and_then(term_of) {
            return Ok(term);
        }
        let term = term_of(measured.measure).ok_or("its measure has no name")?;
        lessons.push(Lesson::Definition {
            meaning: text(measured.measure, "description")
                .unwrap_or(&term)
                .to_owned(),
            term: term.clone(),
            synonyms: Vec::new(),
            table: measured.table.clone(),
            sql_expression: super::expression::aggregate(measured.measure, name)?,
            joins: Vec::new(),
        });
        Ok(term)
    }

    fn conversion(&self, metric: &Value, parameters: &Value) -> Result<Vec<Lesson>, String> {
        let own = parameters
            .get("conversion_type_params")
            .ok_or("it says nothing about its events")?;
        if !list(own, "constant_properties").is_empty() {
            return Err("its events must agree in further properties".to_owned());
        }
        if text(own, "calculation").is_some_and(|how| how != "conversion_rate") {
            return Err("it counts conversions, and is no share".to_owned());
        }
        let entity = text(own, "entity").ok_or("it names no entity")?;
        let mut columns = Vec::new();
        for part in ["base", "conversion"] {
            let measure = own
                .get(format!("{part}_measure"))
                .filter(|found| !found.is_null());
            let name = match measure {
                Some(measure) => name_of(Some(measure))?,
                None => {
                    let metric = name_of(own.get(format!("{part}_metric")))?;
                    self.measure_of_metric(metric)
                        .ok_or_else(|| format!("\"{metric}\" is not one measure"))?
                }
            };
            let measured = self.measured(name)?;
            if super::expression::aggregate(measured.measure, name)? != "count(*)" {
                return Err(format!("\"{name}\" does not count rows"));
            }
            let found = list(measured.model, "entities")
                .iter()
                .find(|known| text(known, "name") == Some(entity));
            let column = found
                .map(|found| text(found, "expr").unwrap_or(entity))
                .filter(|column| is_name(column))
                .ok_or_else(|| format!("\"{entity}\" is no column of {}", measured.table))?;
            columns.push(time_of(&measured)?.0);
            columns.push(column_of(&measured.table, column));
        }
        let made = Metric::Conversion {
            within: length(own.get("window").unwrap_or(&Value::Null))?,
            base_condition: None,
            conversion_condition: None,
        };
        Ok(vec![lesson(metric, made, columns)?])
    }
}

/// The column of a measure's time, and the unit of its periods.
fn time_of(measured: &Measured<'_>) -> Result<(String, String), String> {
    let of_model = measured.model.get("defaults");
    let name = text(measured.measure, "agg_time_dimension")
        .or_else(|| of_model.and_then(|defaults| text(defaults, "agg_time_dimension")))
        .ok_or("its measure has no time")?;
    let dimension = list(measured.model, "dimensions")
        .iter()
        .find(|dimension| text(dimension, "name") == Some(name))
        .ok_or_else(|| format!("the dimension \"{name}\" is not to be found"))?;
    let column = text(dimension, "expr").unwrap_or(name);
    if !is_name(column) {
        return Err("its time is an expression, not a column".to_owned());
    }
    let parameters = dimension.get("type_params");
    let unit = parameters.and_then(|parameters| text(parameters, "time_granularity"));
    let unit = unit.filter(|unit| UNITS.contains(unit)).unwrap_or("day");
    Ok((column_of(&measured.table, column), unit.to_owned()))
}

fn is_name(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn lesson(named: &Value, metric: Metric, columns: Vec<String>) -> Result<Lesson, String> {
    let term = term_of(named).ok_or("it has no name")?;
    let plain = text(named, "name").unwrap_or_default().replace('_', " ");
    let synonyms = match plain.to_lowercase() == term.to_lowercase() {
        true => Vec::new(),
        false => vec![plain],
    };
    Ok(Lesson::Metric {
        meaning: text(named, "description").unwrap_or(&term).to_owned(),
        term,
        synonyms,
        metric,
        columns,
    })
}
