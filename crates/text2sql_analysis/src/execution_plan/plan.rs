//! The parsed output of `EXPLAIN (FORMAT JSON)`: its steps, and the cost of each step itself.

use serde_json::Value;

use text2sql_domain::error::{Error, failure};
use text2sql_domain::schema::quote_identifier;

/// A plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Its steps, each before its inputs.
    pub steps: Vec<PlanNode>,
    /// Execution time in milliseconds, if it was run.
    pub milliseconds: Option<f64>,
}

/// A step of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanNode {
    /// Its depth in the plan.
    pub depth: usize,
    /// Position of its parent step.
    pub parent: Option<usize>,
    /// The properties of the JSON object, without its child plans.
    pub(super) facts: serde_json::Map<String, Value>,
}

impl Plan {
    /// Parses the JSON output of EXPLAIN.
    pub fn read(json: &str) -> Result<Self, Error> {
        let unreadable = || failure!(Internal, "the plan has a shape that is not known");
        let value: Value = serde_json::from_str(json).map_err(|_| unreadable())?;
        let whole = value.get(0).ok_or_else(unreadable)?;
        let root = whole.get("Plan").ok_or_else(unreadable)?;
        let mut steps = Vec::new();
        let mut waiting = vec![(root, 0, None)];
        while let Some((next, depth, parent)) = waiting.pop() {
            let Value::Object(object) = next else {
                return Err(unreadable());
            };
            let position = steps.len();
            let mut facts = object.clone();
            facts.remove("Plans");
            steps.push(PlanNode {
                depth,
                parent,
                facts,
            });
            let inner = object.get("Plans").and_then(Value::as_array);
            for plan in inner.into_iter().flatten().rev() {
                waiting.push((plan, depth + 1, Some(position)));
            }
        }
        Ok(Self {
            steps,
            milliseconds: whole.get("Execution Time").and_then(Value::as_f64),
        })
    }

    /// The planner's total cost.
    pub fn cost(&self) -> f64 {
        self.steps
            .first()
            .map_or(0.0, |root| root.number("Total Cost"))
    }

    /// Rows that the planner expects.
    pub fn expected_rows(&self) -> f64 {
        self.steps
            .first()
            .map_or(0.0, |root| root.number("Plan Rows"))
    }

    /// Names of the indexes that it uses.
    pub fn indexes(&self) -> Vec<&str> {
        self.steps
            .iter()
            .filter_map(|step| step.text("Index Name"))
            .collect()
    }

    /// The child steps of a step.
    pub(super) fn children(&self, position: usize) -> impl Iterator<Item = (usize, &PlanNode)> {
        self.steps
            .iter()
            .enumerate()
            .filter(move |(_, step)| step.parent == Some(position))
    }

    /// The planner's cost of a step itself, over all loops.
    pub(crate) fn own_cost(&self, position: usize) -> f64 {
        let Some(step) = self.steps.get(position) else {
            return 0.0;
        };
        let inner: f64 = self
            .children(position)
            .filter(|(_, child)| !matches!(child.text("Parent Relationship"), Some("InitPlan")))
            .map(|(_, child)| child.number("Total Cost"))
            .sum();
        (step.number("Total Cost") - inner).max(0.0)
    }

    /// Milliseconds of a step itself, over all loops.
    pub(super) fn own_time(&self, position: usize) -> Option<f64> {
        let total = |step: &PlanNode| {
            let runs = step.maybe_number("Actual Loops")?;
            Some(step.maybe_number("Actual Total Time")? * runs)
        };
        let own = total(self.steps.get(position)?)?;
        let inner: f64 = self
            .children(position)
            .filter_map(|(_, child)| total(child))
            .sum();
        Some((own - inner).max(0.0))
    }
}

impl PlanNode {
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.facts.get(name).and_then(Value::as_str)
    }

    pub(crate) fn number(&self, name: &str) -> f64 {
        self.maybe_number(name).unwrap_or(0.0)
    }

    pub(super) fn maybe_number(&self, name: &str) -> Option<f64> {
        self.facts.get(name).and_then(Value::as_f64)
    }

    pub(super) fn list(&self, name: &str) -> Vec<&str> {
        let list = self.facts.get(name).and_then(Value::as_array);
        list.into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect()
    }

    pub(crate) fn kind(&self) -> &str {
        self.text("Node Type").unwrap_or_default()
    }

    /// The SQL name of the relation: with its schema unless that is `public`.
    pub(super) fn relation(&self) -> Option<String> {
        let name = quote_identifier(self.text("Relation Name")?);
        Some(match self.text("Schema") {
            Some(schema) if schema != "public" => {
                format!("{}.{name}", quote_identifier(schema))
            }
            _ => name,
        })
    }

    pub(super) fn actual_rows(&self) -> Option<f64> {
        Some(self.maybe_number("Actual Rows")? * self.maybe_number("Actual Loops")?)
    }
}
