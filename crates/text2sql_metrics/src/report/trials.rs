//! The trials of a search of `tune`: accuracy with intervals, accuracy against cost, and every trial with its settings and
//! why it was stopped.

use std::fmt::Write;

use serde::Deserialize;
use serde_json::{Map, Value};
use text2sql_charts::drawing::{self, Point};
use text2sql_domain::interval::wilson;

use super::charts;
use super::html::{escape, milliseconds};
use crate::summary::Share;

/// The largest number of trials in the plot of accuracies.
const MAX_BARS: usize = 24;

/// A trial, as the view `text2sql_eval.trials` shows it.
#[derive(Debug, Clone, Deserialize)]
pub struct TrialRow {
    trial: usize,
    settings: Map<String, Value>,
    state: String,
    why: Option<String>,
    cases: usize,
    accuracy: Option<f64>,
    cost: Option<f64>,
    cost_in: String,
    latency: Option<f64>,
    gain: Option<f64>,
    incumbent: Option<usize>,
    difference: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    p: Option<f64>,
}

impl TrialRow {
    fn name(&self) -> String {
        if self.settings.is_empty() {
            return "as it is".to_owned();
        }
        let settings = self.settings.iter().map(|(name, value)| {
            let value = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            format!("{name} = {value}")
        });
        settings.collect::<Vec<_>>().join(", ")
    }

    /// Those that were asked most come first, then the best.
    fn rank(&self) -> (std::cmp::Reverse<usize>, std::cmp::Reverse<i64>, usize) {
        let gain = (self.gain.unwrap_or_default() * 1e6).round() as i64;
        (
            std::cmp::Reverse(self.cases),
            std::cmp::Reverse(gain),
            self.trial,
        )
    }
}

/// The section of the page; empty without trials.
pub(super) fn trials(trials: &[TrialRow]) -> String {
    let mut asked: Vec<&TrialRow> = trials.iter().filter(|trial| trial.cases > 0).collect();
    if asked.len() < 2 {
        return String::new();
    }
    asked.sort_by_key(|trial| trial.rank());
    let accuracies: Vec<(String, Share)> = asked
        .iter()
        .take(MAX_BARS)
        .filter_map(|trial| Some((trial.name(), share(trial)?)))
        .collect();
    let has_cost = asked
        .iter()
        .any(|trial| trial.cost.unwrap_or_default() > 0.0);
    let title = match has_cost {
        true => "Accuracy and cost",
        // What all cost alike, the time stands for.
        false => "Accuracy and time",
    };
    format!(
        "<h2>Trials</h2><div class=\"grid\"><div class=\"card\"><h3>Accuracy</h3>{}</div><div class=\"card\"><h3>{title}</h3>{}</div></div>{}",
        charts::shares("Accuracy of the trials", &accuracies),
        against(&asked, has_cost, title),
        table(&asked)
    )
}

fn share(trial: &TrialRow) -> Option<Share> {
    let cases = trial.cases as f64;
    let right = trial.accuracy? * cases;
    let (low, high) = wilson(right.clamp(0.0, cases), cases)?;
    Some(Share {
        right,
        cases: trial.cases,
        low,
        high,
    })
}

/// Accuracy against cost, or time.
fn against(asked: &[&TrialRow], has_cost: bool, title: &str) -> String {
    let unit = asked.first().map_or("tokens", |trial| &trial.cost_in);
    let cost = |trial: &TrialRow| match has_cost {
        true => trial.cost.unwrap_or_default(),
        false => trial.latency.unwrap_or_default(),
    };
    let most = asked
        .iter()
        .map(|trial| cost(trial))
        .fold(f64::MIN_POSITIVE, f64::max);
    let total: usize = asked.iter().map(|trial| trial.cases).sum();
    let points: Vec<Point> = asked
        .iter()
        .map(|trial| Point {
            x: cost(trial) / most,
            y: trial.accuracy.unwrap_or_default(),
            weight: trial.cases as f64 / total.max(1) as f64,
            title: format!(
                "{}: accuracy {:.2}, {} over {} cases",
                trial.name(),
                trial.accuracy.unwrap_or_default(),
                if has_cost {
                    format!("{:.4} {unit}", cost(trial))
                } else {
                    milliseconds(cost(trial))
                },
                trial.cases
            ),
        })
        .collect();
    let axis = if has_cost {
        "share of the dearest"
    } else {
        "share of the slowest"
    };
    drawing::scatter(title, axis, "accuracy", &points)
}

fn table(asked: &[&TrialRow]) -> String {
    let mut lines = String::new();
    for trial in asked {
        let number = |value: Option<f64>, digits: usize| {
            value
                .map(|value| format!("{value:.digits$}"))
                .unwrap_or_default()
        };
        let signed = |value: Option<f64>| {
            value
                .map(|value| format!("{value:+.3}"))
                .unwrap_or_default()
        };
        let interval = match (trial.low, trial.high) {
            (Some(low), Some(high)) => format!("{low:+.3} to {high:+.3}"),
            _ => String::new(),
        };
        let against = match trial.incumbent {
            Some(incumbent) => format!("{} to trial {incumbent}", signed(trial.difference)),
            None => String::new(),
        };
        let class = match trial.state.as_str() {
            "winner" => " class=\"plus\"",
            _ => "",
        };
        let _ = write!(
            lines,
            "<tr><td class=\"number\">{}</td><td>{}</td><td><span{class}>{}</span></td><td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{against}</td><td class=\"number\">{interval}</td><td class=\"number\">{}</td><td>{}</td></tr>",
            trial.trial,
            escape(&trial.name()),
            escape(&trial.state),
            trial.cases,
            number(trial.accuracy, 2),
            number(trial.cost, 0),
            trial.latency.map(milliseconds).unwrap_or_default(),
            signed(trial.gain),
            number(trial.p, 4),
            escape(trial.why.as_deref().unwrap_or_default())
        );
    }
    format!(
        "<p class=\"note\">Trials were asked the same cases in the same order, and stopped early where they could not win. The gain is over the settings as they are (trial 0), the difference over the best trial at that time, both over the same cases.</p><div class=\"wide\"><table><tr><th class=\"number\">trial</th><th>settings</th><th>state</th><th class=\"number\">cases</th><th class=\"number\">accuracy</th><th class=\"number\">cost</th><th class=\"number\">time</th><th class=\"number\">gain</th><th class=\"number\">difference</th><th class=\"number\">95 %</th><th class=\"number\">p</th><th>why stopped</th></tr>{lines}</table></div>"
    )
}
