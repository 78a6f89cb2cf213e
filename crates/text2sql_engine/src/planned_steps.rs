//! The steps in which a question would be answered: read from the reply of a model, or taken from the query that
//! would answer it.

use std::sync::Arc;

use serde_json::{Value, json};

use text2sql_analysis::explain;
use text2sql_domain::answer::Answer;
use text2sql_domain::schema::Table;
use text2sql_language::sentences::strip_markup;
use text2sql_models::reply::object_with;

/// Maximum number of steps that a model is asked for, and that are read from its reply.
pub const MAX_STEPS: usize = 8;

/// Maximum length of a step, in characters.
const MAX_WHAT_CHARS: usize = 300;

/// The plan, or the answer that explains why there is none.
pub type Planned = Result<Plan, Box<Answer>>;

/// A plan below this confidence is worth a warning.
const DOUBTFUL: f64 = 0.5;

/// In which steps a question would be answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The steps in their order.
    pub steps: Vec<PlannedStep>,
    /// How likely they answer the question: of a query that the built-in engine knows as measured, of a model's plan as
    /// the model says, which nobody measured.
    pub confidence: Option<f64>,
}

impl Plan {
    /// A warning, if the plan is more likely wrong than right.
    pub fn doubt(&self) -> Option<String> {
        let confidence = self
            .confidence
            .filter(|confidence| *confidence < DOUBTFUL)?;
        Some(format!(
            "the confidence of this plan is {confidence:.2}: read its steps before you ask"
        ))
    }
}

/// One step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedStep {
    /// What it does, in a sentence.
    pub what: String,
    /// The numbers of the earlier steps whose result it uses, from 1.
    pub depends_on: Vec<usize>,
    /// The tables that it reads, as SQL writes them.
    pub tables: Vec<String>,
    /// The number of the statement that it is a part of, from 1.
    pub statement: usize,
    /// The statement, on its last step, if it is known.
    pub sql: Option<String>,
}

/// Adds the steps of a query that is known: each uses the one before it.
pub fn add_query(steps: &mut Vec<PlannedStep>, sql: &str, tables: &[Arc<Table>]) {
    let before = steps.len();
    let statement = steps.last().map_or(1, |last| last.statement + 1);
    let mut lines = explain::outline(sql, tables);
    if lines.is_empty() {
        lines.push(explain::Step {
            clause: String::new(),
            explanation: "Run one query.".to_owned(),
        });
    }
    for line in lines {
        // Inside a common table expression the clause follows its name.
        let reads = ["FROM", "JOIN"]
            .iter()
            .any(|clause| line.clause.ends_with(clause));
        let depends_on = match steps.len() {
            first if first == before => Vec::new(),
            number => vec![number],
        };
        steps.push(PlannedStep {
            depends_on,
            tables: match reads {
                true => named_in(&line.explanation, tables),
                false => Vec::new(),
            },
            what: line.explanation,
            statement,
            sql: None,
        });
    }
    if let Some(last) = steps.last_mut() {
        last.sql = Some(sql.to_owned());
    }
}

/// The tables that a text names as SQL writes them.
pub fn named_in(text: &str, tables: &[Arc<Table>]) -> Vec<String> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '"';
    let names = |name: &String| {
        text.match_indices(name.as_str()).any(|(at, found)| {
            let before = text.get(..at).and_then(|text| text.chars().next_back());
            let after = text
                .get(at + found.len()..)
                .and_then(|text| text.chars().next());
            // `.` before a name is a schema's or a table's, so the name is that of something else.
            !before.is_some_and(|letter| is_part(letter) || letter == '.')
                && !after.is_some_and(is_part)
        })
    };
    let all = tables.iter().map(|table| table.sql_name());
    all.filter(names).collect()
}

/// The statements of a plan as one text; `None` if none is known.
pub fn all_sql(steps: &[PlannedStep]) -> Option<String> {
    let known: Vec<&str> = steps
        .iter()
        .filter_map(|step| step.sql.as_deref())
        .collect();
    match known.as_slice() {
        [] => None,
        [only] => Some((*only).to_owned()),
        several => Some(several.join(";\n\n")),
    }
}

/// The JSON Schema of a model's plan.
pub fn json_schema() -> Value {
    let step = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["what", "depends_on", "tables", "statement"],
        "properties": {
            "what": {"type": "string"},
            "depends_on": {"type": "array", "items": {"type": "integer"}},
            "tables": {"type": "array", "items": {"type": "string"}},
            "statement": {"type": "integer"}
        }
    });
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["status", "steps", "confidence", "missing"],
        "properties": {
            "status": {"type": "string", "enum": ["ok", "unanswerable"]},
            "steps": {"type": "array", "items": step},
            "confidence": {"type": "number"},
            "missing": {"type": "array", "items": {"type": "string"}}
        }
    })
}

/// Reads a model's plan; `None` if the reply has none. Of the tables that it names only those of `tables` are
/// kept, and of the steps that it depends on only earlier ones.
pub fn read(text: &str, tables: &[Arc<Table>]) -> Option<Plan> {
    let object = object_with(text, &["steps"])?;
    let known: Vec<String> = tables.iter().map(|table| table.sql_name()).collect();
    let mut steps: Vec<PlannedStep> = Vec::new();
    // The numbers that the model counts by, without the steps that say nothing.
    let mut places: Vec<Option<usize>> = Vec::new();
    for step in object.get("steps")?.as_array()?.iter().take(MAX_STEPS) {
        let what = step.get("what").and_then(Value::as_str).unwrap_or_default();
        let what: String = strip_markup(what).chars().take(MAX_WHAT_CHARS).collect();
        if what.is_empty() {
            places.push(None);
            continue;
        }
        let mut depends_on: Vec<usize> = members(step, "depends_on")
            .filter_map(Value::as_u64)
            .filter_map(|number| usize::try_from(number).ok()?.checked_sub(1))
            .filter_map(|place| places.get(place).copied().flatten())
            .collect();
        depends_on.sort_unstable();
        depends_on.dedup();
        let named: Vec<&str> = members(step, "tables").filter_map(Value::as_str).collect();
        let is_named = |name: &&String| named.iter().any(|named| is_same(named, name));
        steps.push(PlannedStep {
            what,
            depends_on,
            tables: known.iter().filter(is_named).cloned().collect(),
            statement: step
                .get("statement")
                .and_then(Value::as_u64)
                .and_then(|number| usize::try_from(number).ok())
                .unwrap_or(1)
                .clamp(1, MAX_STEPS),
            sql: None,
        });
        places.push(Some(steps.len()));
    }
    let confidence = object.get("confidence").and_then(Value::as_f64);
    let confidence = confidence.filter(|confidence| (0.0..=1.0).contains(confidence));
    (!steps.is_empty()).then_some(Plan { steps, confidence })
}

/// What the schema lacks, if the model says that there is no answer.
pub fn lacking(text: &str) -> Option<Vec<String>> {
    let object = object_with(text, &["status"])?;
    let is_declined = object.get("status").and_then(Value::as_str) == Some("unanswerable");
    let missing = members(&object, "missing").filter_map(Value::as_str);
    let missing = missing.take(MAX_STEPS).map(|what| {
        let what = strip_markup(what);
        what.chars().take(MAX_WHAT_CHARS).collect::<String>()
    });
    is_declined.then(|| missing.filter(|what| !what.is_empty()).collect())
}

fn members<'v>(object: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> {
    let values = object.get(name).and_then(Value::as_array);
    values.into_iter().flatten()
}

/// Models leave out the quotes of a name and its schema.
fn is_same(named: &str, name: &str) -> bool {
    let plain = |text: &str| text.replace('"', "").to_lowercase();
    let (named, name) = (plain(named), plain(name));
    named == name || named.rsplit('.').next() == Some(name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(name: &str) -> Arc<Table> {
        Arc::new(Table {
            name: name.to_owned(),
            is_visible: true,
            ..Table::default()
        })
    }

    #[test]
    fn a_query_has_a_chain_of_steps_and_its_sql_on_the_last() {
        let tables = [table("orders"), table("order_items")];
        let mut steps = Vec::new();
        add_query(
            &mut steps,
            "SELECT count(*) AS n FROM orders WHERE id > 3",
            &tables,
        );
        add_query(&mut steps, "SELECT 1", &[]);
        let lines: Vec<_> = steps
            .iter()
            .map(|step| {
                let what = step.what.as_str();
                let has_sql = step.sql.is_some();
                (
                    what,
                    &step.depends_on[..],
                    &step.tables[..],
                    step.statement,
                    has_sql,
                )
            })
            .collect();
        let orders = ["orders".to_owned()];
        assert_eq!(
            lines[0],
            ("Start with orders.", &[][..], &orders[..], 1, false)
        );
        assert_eq!(lines[1].1, [1]);
        assert!(lines[2].4);
        assert_eq!((lines[3].1, lines[3].3), (&[][..], 2));
        assert_eq!(
            all_sql(&steps).as_deref(),
            Some("SELECT count(*) AS n FROM orders WHERE id > 3;\n\nSELECT 1")
        );
    }

    #[test]
    fn a_models_plan_is_read_within_bounds() {
        let tables = [table("orders"), table("stores")];
        let reply = json!({"status": "ok", "steps": [
            {"what": "Read <b>orders</b> of [2025](http://x.example)", "depends_on": [1, 2], "tables": ["public.orders", "secrets"], "statement": 1},
            {"what": "", "depends_on": [], "tables": [], "statement": 1},
            {"what": "Count them", "depends_on": [1, 1, 2, 9, -1, "x"], "tables": "orders", "statement": 0},
            {"what": "List stores", "tables": ["STORES"], "statement": 2}
        ], "confidence": 0.4})
        .to_string();
        let plan = read(&reply, &tables).unwrap();
        let doubt = plan.doubt().unwrap_or_default();
        assert!(doubt.contains("is 0.40: read"), "{doubt}");
        let steps = plan.steps;
        assert_eq!(steps.len(), 3);
        assert!(!steps[0].what.contains('<'), "{}", steps[0].what);
        assert!(!steps[0].what.contains("http"), "{}", steps[0].what);
        assert_eq!(steps[0].depends_on, Vec::<usize>::new());
        assert_eq!(steps[0].tables, ["orders"]);
        assert_eq!(
            (&steps[1].depends_on[..], steps[1].statement),
            (&[1][..], 1)
        );
        assert_eq!(
            (&steps[2].tables[..], steps[2].statement),
            (&["stores".to_owned()][..], 2)
        );
        let steps = vec![json!({"what": "x".repeat(5_000)}); 100];
        let long = json!({"steps": steps, "confidence": 90}).to_string();
        let Plan { steps, confidence } = read(&long, &tables).unwrap();
        assert_eq!(confidence, None);
        assert_eq!(steps.len(), MAX_STEPS);
        assert!(
            steps
                .iter()
                .all(|step| step.what.chars().count() <= MAX_WHAT_CHARS)
        );
        for reply in [
            "",
            "no JSON",
            r#"{"steps": []}"#,
            r#"{"steps": "a"}"#,
            r#"{"sql": "SELECT 1"}"#,
        ] {
            assert_eq!(read(reply, &tables), None, "{reply}");
        }
    }

    #[test]
    fn a_model_may_decline() {
        assert_eq!(
            lacking(
                r#"{"status": "unanswerable", "steps": [], "missing": ["the <i>weather</i>"]}"#
            ),
            Some(vec!["the weather".to_owned()])
        );
        assert_eq!(lacking(r#"{"status": "ok", "steps": []}"#), None);
    }

    #[test]
    fn only_whole_names_are_tables_of_a_step() {
        let tables = [table("orders"), table("order_items"), table("items")];
        assert_eq!(
            named_in("Add order_items, orders.id", &tables),
            ["orders", "order_items"]
        );
    }
}
