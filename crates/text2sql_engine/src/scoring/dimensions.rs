//! Computes each dimension of a score.

use super::facts::{Ending, Facts};
use super::mentions::{Mention, Mentions};
use crate::query_judge::rule_of;
use text2sql_analysis::findings::{Check, Finding, Severity};
use text2sql_domain::score::{Dimension, Part};
use text2sql_domain::sql_result::Execution;
use text2sql_domain::validate::Rule;

/// Planner cost below which a query counts as fast: some hundred pages.
const CHEAP_COST: f64 = 1.0e4;

/// Maximum number of things named in one sentence.
const MAX_NAMED: usize = 4;

/// Checks about the result: a finding lowers the correctness.
const ABOUT_RESULTS: [Check; 20] = [
    Check::Period,
    Check::Direction,
    Check::Definition,
    Check::Value,
    Check::Aggregate,
    Check::Repeated,
    Check::Grouping,
    Check::JoinFanOut,
    Check::PartialKey,
    Check::WrongKey,
    Check::NameIsFunction,
    Check::UnknownValue,
    Check::DroppedNulls,
    Check::UndoneOuterJoin,
    Check::NotInWithNulls,
    Check::IntegerDivision,
    Check::ArbitraryLimit,
    Check::TimestampRange,
    Check::AverageOfAverages,
    Check::MixedUnits,
];

/// Checks about how a query is written.
const ABOUT_PRACTICE: [Check; 3] = [
    Check::TimeZone,
    Check::ImplicitCast,
    Check::DistinctHidesFanOut,
];

/// One dimension of the score.
pub(super) fn part(dimension: Dimension, facts: &Facts<'_>, mentions: &Mentions) -> Part {
    let (score, reason) = match dimension {
        Dimension::Correctness => known(correctness(facts)),
        Dimension::Safety => known(safety(facts)),
        Dimension::Efficiency | Dimension::PlanQuality
            if matches!(facts.ending, Ending::Checked) =>
        {
            (None, "It was not run.".to_owned())
        }
        Dimension::Efficiency => known(efficiency(facts)),
        Dimension::Completeness => completeness(facts, mentions),
        Dimension::SemanticAccuracy => semantic_accuracy(mentions),
        Dimension::BestPractices => known(best_practices(facts, mentions)),
        Dimension::PlanQuality => known(plan_quality(facts)),
    };
    Part {
        dimension,
        score: score.map(|score| score.clamp(0.0, 1.0)),
        reason,
    }
}

fn known((score, reason): (f64, String)) -> (Option<f64>, String) {
    (Some(score), reason)
}

fn correctness(facts: &Facts<'_>) -> (f64, String) {
    let execution = match facts.ending {
        Ending::Ran(execution) => Some(execution),
        Ending::Checked => None,
        Ending::Rejected(_) => return (0.0, "The guard refused it.".to_owned()),
        Ending::Failed(error) => {
            return (0.0, format!("It failed with SQLSTATE {}.", error.sqlstate));
        }
    };
    let mut score: f64 = 1.0;
    let mut reasons = Vec::new();
    for finding in worst_of(facts.findings, &ABOUT_RESULTS) {
        score *= match finding.severity {
            _ if finding.is_certain() => 0.2,
            Severity::Note => 0.95,
            Severity::Warning | Severity::Error => 0.5,
        };
        reasons.push(sentence(rule_of(finding.check)));
    }
    if execution.is_some_and(is_empty) {
        // Often rightly so.
        score *= 0.8;
        reasons.push("It gives nothing.".to_owned());
    }
    if reasons.is_empty() {
        reasons.push(match execution {
            Some(_) => "It ran and gave rows, and no check found a fault.".to_owned(),
            None => "No check found a fault.".to_owned(),
        });
    }
    (score, reasons.join(" "))
}

fn safety(facts: &Facts<'_>) -> (f64, String) {
    match facts.ending {
        Ending::Rejected(rejection) => match rejection.rule {
            // Exceeding a limit does not endanger the data.
            Rule::Cost | Rule::Limit => (0.5, "It asks for more than it may take.".to_owned()),
            rule => (0.0, format!("The guard refused it by its rule {rule}.")),
        },
        Ending::Ran(_) | Ending::Checked | Ending::Failed(_) => {
            (1.0, "The guard let it run.".to_owned())
        }
    }
}

/// 1 up to `CHEAP_COST`, then falling with the logarithm of the cost to 0.2 at the limit.
fn efficiency(facts: &Facts<'_>) -> (f64, String) {
    let Ending::Ran(execution) = facts.ending else {
        return (0.0, "It did not run.".to_owned());
    };
    let cost = execution.plan_cost;
    let cap = if facts.max_cost > CHEAP_COST {
        facts.max_cost
    } else {
        CHEAP_COST * 1_000.0
    };
    let way = ((cost / CHEAP_COST).ln() / (cap / CHEAP_COST).ln()).clamp(0.0, 1.0);
    let mut score = 1.0 - 0.8 * way;
    let mut reason = format!("The planner expects a cost of {cost:.0}.");
    if worst_of(facts.findings, &[Check::CartesianProduct])
        .next()
        .is_some()
    {
        score = score.min(0.3);
        reason.push(' ');
        reason.push_str(&sentence(rule_of(Check::CartesianProduct)));
    }
    (score, reason)
}

fn completeness(facts: &Facts<'_>, mentions: &Mentions) -> (Option<f64>, String) {
    let mut score = (!mentions.mentioned.is_empty()).then_some(1.0);
    let lacks = |finding: &&Finding| {
        finding.is_certain() && matches!(finding.check, Check::LeftOut | Check::Name)
    };
    let mut reason = match (
        facts.findings.iter().find(lacks),
        said_otherwise(&mentions.mentioned),
    ) {
        (Some(finding), _) => {
            score = Some(0.2);
            sentence(rule_of(finding.check))
        }
        (None, Some(words)) => {
            format!("Words of the question that it does not have, perhaps said otherwise: {words}.")
        }
        (None, None) if mentions.mentioned.is_empty() => {
            "The question names nothing that could be left out.".to_owned()
        }
        (None, None) => "Everything that the question names is in it.".to_owned(),
    };
    if let Ending::Ran(execution) = facts.ending
        && execution.is_truncated
    {
        score = Some(score.unwrap_or(1.0) * 0.8);
        reason.push_str(" A cap cut the rows.");
    }
    if worst_of(facts.findings, &[Check::RowSecurity, Check::StaleView])
        .next()
        .is_some()
    {
        score = Some(score.unwrap_or(1.0) * 0.8);
        reason.push(' ');
        reason.push_str(&sentence(rule_of(Check::RowSecurity)));
    }
    (score, reason)
}

/// A constant may be said in other words, so what the question does not have proves nothing; what candidates agree on
/// is added later.
fn semantic_accuracy(mentions: &Mentions) -> (Option<f64>, String) {
    let compared = &mentions.compared;
    match said_otherwise(compared) {
        Some(words) => (
            Some(1.0),
            format!("Constants that the question does not have, perhaps said otherwise: {words}."),
        ),
        None if compared.is_empty() => (
            None,
            "It compares with nothing that would have to be asked for.".to_owned(),
        ),
        None => (
            Some(1.0),
            "The question asks for all that it compares with.".to_owned(),
        ),
    }
}

fn best_practices(facts: &Facts<'_>, mentions: &Mentions) -> (f64, String) {
    let mut reasons: Vec<String> = worst_of(facts.findings, &ABOUT_PRACTICE)
        .map(|finding| sentence(rule_of(finding.check)))
        .collect();
    if mentions.shows_all {
        reasons.push("It shows every column, asked for or not.".to_owned());
    }
    let score = 1.0 - 0.25 * reasons.len() as f64;
    if reasons.is_empty() {
        reasons.push("It is written as one should.".to_owned());
    }
    (score, reasons.join(" "))
}

/// How far the planner's row estimates were off. A factor of up to ten is normal.
fn plan_quality(facts: &Facts<'_>) -> (f64, String) {
    let Ending::Ran(execution) = facts.ending else {
        return (0.0, "It did not run.".to_owned());
    };
    let (expected, given) = (
        execution.plan_rows.max(1.0),
        (execution.rows.len() as f64).max(1.0),
    );
    let factor = if execution.is_truncated {
        1.0
    } else {
        (expected / given).max(given / expected)
    };
    let mut score = match factor {
        ..=10.0 => 1.0,
        ..=100.0 => 0.7,
        ..=1_000.0 => 0.4,
        _ => 0.2,
    };
    let mut reason = if execution.is_truncated {
        "A cap cut the rows, so nobody knows how far the planner was off.".to_owned()
    } else {
        let given = execution.rows.len();
        match (expected.round() as u64, given) {
            (1, 1) => "The planner expected one row, and one came.".to_owned(),
            _ => format!("Rows that the planner expected: {expected:.0}; that came: {given}."),
        }
    };
    if worst_of(facts.findings, &[Check::NotAnalysed])
        .next()
        .is_some()
    {
        score *= 0.5;
        reason.push_str(" It knows nothing of a table that was never analysed.");
    }
    (score, reason)
}

/// The mentions that are not in the other one, quoted.
fn said_otherwise(all: &[Mention]) -> Option<String> {
    let missing: Vec<&str> = all
        .iter()
        .filter(|mention| !mention.is_there)
        .map(|mention| mention.text.as_str())
        .collect();
    let mut named: Vec<String> = missing
        .iter()
        .take(MAX_NAMED)
        .map(|text| format!("\"{text}\""))
        .collect();
    if missing.len() > MAX_NAMED {
        named.push("…".to_owned());
    }
    (!named.is_empty()).then(|| named.join(", "))
}

/// The worst finding of each check.
fn worst_of<'a>(findings: &'a [Finding], checks: &'a [Check]) -> impl Iterator<Item = &'a Finding> {
    checks.iter().filter_map(|check| {
        findings
            .iter()
            .filter(|finding| finding.check == *check && !finding.is_question())
            .max_by_key(|finding| finding.severity)
    })
}

/// Whether the result is empty: no rows, or one row of NULLs.
pub(super) fn is_empty(execution: &Execution) -> bool {
    match execution.rows.as_slice() {
        [] => true,
        [row] => row.iter().all(|cell| cell.text.is_none()),
        _ => false,
    }
}

/// Formats a rule as a sentence.
fn sentence(rule: &str) -> String {
    let mut letters = rule.chars();
    match letters.next() {
        Some(first) => format!("{}{}.", first.to_uppercase(), letters.as_str()),
        None => String::new(),
    }
}
