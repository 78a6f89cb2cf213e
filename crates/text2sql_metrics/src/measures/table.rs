//! Means of the measures by any combination of level, style, tag, model, variant and suite, with the range over the
//! runs and the 95 % interval over the cases.

use std::collections::BTreeMap;
use text2sql_domain::words;

use serde::Serialize;

use super::cases::cases;
use super::filter::Filter;
use super::list::{Kind, MEASURES, Measure, mean};
use super::named::Named;
use crate::evaluation_data::AttemptRow;
use crate::significance::bootstrap::mean_interval;
use text2sql_domain::interrupts;
use text2sql_domain::interval::wilson;

/// What cases are grouped by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dimension {
    /// The level of the case.
    Level,
    /// The style of its question.
    Style,
    /// Each of its tags.
    Tag,
    /// The kind of its question.
    Kind,
    /// The model that was asked.
    Model,
    /// The name of the variant.
    Variant,
    /// The suite.
    Suite,
}

/// Their names in SQL.
const DIMENSIONS: [(&str, Dimension); 7] = [
    ("level", Dimension::Level),
    ("style", Dimension::Style),
    ("tag", Dimension::Tag),
    ("kind", Dimension::Kind),
    ("model", Dimension::Model),
    ("variant", Dimension::Variant),
    ("suite", Dimension::Suite),
];

impl Dimension {
    /// The dimension with that name; the error text names those that exist.
    pub fn named(name: &str) -> Result<Self, String> {
        let found = DIMENSIONS.iter().find(|(known, _)| *known == name);
        found.map(|(_, dimension)| *dimension).ok_or_else(|| {
            let names: Vec<&str> = DIMENSIONS.iter().map(|(known, _)| *known).collect();
            names.join(", ")
        })
    }
}

/// The values of a group; those that are not grouped by are `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Group {
    /// The suite.
    pub suite: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// The variant.
    pub variant: Option<String>,
    /// The level.
    pub level: Option<String>,
    /// The style.
    pub style: Option<String>,
    /// The tag.
    pub tag: Option<String>,
    /// The kind.
    pub kind: Option<String>,
}

/// A measure of a group.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cell {
    /// The group.
    #[serde(flatten)]
    pub group: Group,
    /// The name of the measure.
    pub measure: &'static str,
    /// What it is: `rate`, `share` or `amount`.
    pub measured_as: &'static str,
    /// Number of cases to which it applies.
    pub cases: usize,
    /// Number of runs: passes over the cases, by evaluation and number of the attempt.
    pub runs: usize,
    /// The mean over the cases.
    pub mean: f64,
    /// The mean of the worst run; `None` where a measure needs several runs.
    pub minimum: Option<f64>,
    /// The mean of the best run.
    pub maximum: Option<f64>,
    /// The 95 % interval of the mean: Wilson's for a rate, else by resampling cases; `None` for one case.
    pub low: Option<f64>,
    /// Its upper end.
    pub high: Option<f64>,
}

/// The attempts of a group: by case, and by run.
#[derive(Default)]
struct Attempts<'a> {
    cases: BTreeMap<(usize, String, String), Vec<&'a AttemptRow>>,
    runs: BTreeMap<(usize, i64), Vec<&'a AttemptRow>>,
}

/// The cells of all groups, in the order of the evaluations; a measure that applies nowhere in a group has none.
pub fn table(evaluations: &[Named], by: &[Dimension], filter: &Filter) -> Vec<Cell> {
    let mut groups: Vec<(Group, Attempts<'_>)> = Vec::new();
    let mut places: BTreeMap<Group, usize> = BTreeMap::new();
    for (number, evaluation) in evaluations.iter().enumerate() {
        for ((database, key), attempts) in cases(&evaluation.data, filter) {
            if interrupts::is_pending() {
                return Vec::new();
            }
            let Some(first) = attempts.first() else {
                continue;
            };
            for group in groups_of(evaluation, first, by) {
                let place = *places.entry(group.clone()).or_insert_with(|| {
                    groups.push((group, Attempts::default()));
                    groups.len() - 1
                });
                let Some((_, found)) = groups.get_mut(place) else {
                    continue;
                };
                for row in &attempts {
                    let run = found.runs.entry((number, row.attempt)).or_default();
                    run.push(row);
                }
                let of_case = (number, database.clone(), key.clone());
                found.cases.entry(of_case).or_default().extend(&attempts);
            }
        }
    }
    if by.contains(&Dimension::Level) || by.contains(&Dimension::Style) {
        sort_within_variants(&mut groups);
    }
    let mut cells = Vec::new();
    for (group, attempts) in &groups {
        for measure in MEASURES {
            if interrupts::is_pending() {
                return cells;
            }
            cells.extend(cell(group, attempts, measure));
        }
    }
    cells
}

/// Levels from easy to hard, styles by name, in the order in which suites, models and variants came.
fn sort_within_variants(groups: &mut [(Group, Attempts<'_>)]) {
    let outer = |group: &Group| {
        (
            group.suite.clone(),
            group.model.clone(),
            group.variant.clone(),
        )
    };
    let mut order = Vec::new();
    for (group, _) in groups.iter() {
        let key = outer(group);
        if !order.contains(&key) {
            order.push(key);
        }
    }
    groups.sort_by_key(|(group, _)| {
        let place = order.iter().position(|known| *known == outer(group));
        let level = group.level.as_deref().map(level_place);
        (place, level, group.clone())
    });
}

/// Sort position of a level, from easy to hard; unknown names come last.
pub(crate) fn level_place(value: &str) -> usize {
    const LEVELS: [&str; 10] = *words!(
        "trivial, easy, simple, medium, moderate, hard, complex, challenging, extra, extra hard"
    );
    LEVELS
        .iter()
        .position(|level| *level == value)
        .unwrap_or(LEVELS.len())
}

/// The groups of a case: one, or one for each tag.
fn groups_of(evaluation: &Named, row: &AttemptRow, by: &[Dimension]) -> Vec<Group> {
    let when = |dimension, value: &dyn Fn() -> Option<String>| match by.contains(&dimension) {
        true => value(),
        false => None,
    };
    let group = Group {
        suite: when(Dimension::Suite, &|| {
            Some(evaluation.data.evaluation.suite.clone())
        }),
        model: when(Dimension::Model, &|| Some(evaluation.model())),
        variant: when(Dimension::Variant, &|| Some(evaluation.variant.clone())),
        level: when(Dimension::Level, &|| row.level.clone()),
        style: when(Dimension::Style, &|| row.style.clone()),
        kind: when(Dimension::Kind, &|| row.expected_kind.clone()),
        tag: None,
    };
    if !by.contains(&Dimension::Tag) {
        return vec![group];
    }
    let of_tag = |tag: &String| Group {
        tag: Some(tag.clone()),
        ..group.clone()
    };
    row.tags.iter().map(of_tag).collect()
}

fn cell(group: &Group, attempts: &Attempts<'_>, measure: &'static Measure) -> Option<Cell> {
    let values: Vec<f64> = attempts
        .cases
        .values()
        .filter_map(|attempts| measure.of_case(attempts))
        .collect();
    let of_all = mean(values.iter().copied())?;
    let of_runs: Vec<f64> = attempts
        .runs
        .values()
        .filter_map(|rows| mean(rows.iter().filter_map(|row| measure.of_attempt(row))))
        .collect();
    let interval = match measure.kind {
        Kind::Rate => wilson(values.iter().sum(), values.len() as f64),
        Kind::Share | Kind::Amount => mean_interval(&values),
    };
    Some(Cell {
        group: group.clone(),
        measure: measure.name,
        measured_as: measure.kind.as_str(),
        cases: values.len(),
        runs: attempts.runs.len(),
        mean: of_all,
        minimum: of_runs.iter().copied().reduce(f64::min),
        maximum: of_runs.iter().copied().reduce(f64::max),
        low: interval.map(|(low, _)| low),
        high: interval.map(|(_, high)| high),
    })
}
