//! An evaluation as one self-contained HTML page: summary with intervals, charts, failures with gold and
//! candidate side by side, and changes since an earlier evaluation.

mod charts;
mod failures;
mod html;
mod measures;
mod trials;

use std::fmt::Write;

use html::{escape, milliseconds, percent};
pub use trials::TrialRow;

use super::evaluation_data::EvaluationData;
use super::measures::{Named, level_place};
use super::summary::{Difference, Share, Summary, compare, cost_in_words, summarise};

const STYLE: &str = include_str!("style.css");
const CHARTS: &str = text2sql_charts::STYLE;

/// Maximum number of groups of a kind in a chart.
const MAX_GROUPS: usize = 24;

/// Renders the page.
pub fn render(
    data: &EvaluationData,
    earlier: Option<&EvaluationData>,
    variants: &[Named],
    tried: &[TrialRow],
) -> String {
    let summary = summarise(data);
    let title = match &data.evaluation.name {
        Some(name) => format!("{}: {name}", data.evaluation.suite),
        None => data.evaluation.suite.clone(),
    };
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><title>{0}</title><style>{CHARTS}{STYLE}</style></head><body><main><h1>{0}</h1>",
        escape(&title)
    );
    page.push_str(&origin(data));
    page.push_str(&cards(&summary));
    page.push_str(&verdicts(&summary));
    if let Some(earlier) = earlier {
        page.push_str(&changes(earlier, data));
    }
    if !variants.is_empty() {
        page.push_str(&variants_plot(data, &summary, variants));
    }
    page.push_str(&trials::trials(tried));
    let mut evaluations = vec![Named {
        variant: if variants.is_empty() {
            title
        } else {
            "as it is".to_owned()
        },
        data: data.clone(),
    }];
    evaluations.extend(variants.iter().cloned());
    page.push_str(&measures::measures(&evaluations));
    page.push_str(&refusals_and_repeats(&summary));
    page.push_str(&groups(&summary));
    page.push_str(&reasons_and_time(&summary));
    page.push_str(&failures::failures(data));
    page.push_str(&configuration(data));
    page.push_str("<footer>Intervals are 95 % Wilson intervals over cases. No rows of results are in this page; statements are, with their literals.</footer></main></body></html>\n");
    page
}

fn origin(data: &EvaluationData) -> String {
    let evaluation = &data.evaluation;
    let mut parts = Vec::new();
    if evaluation.evaluation_id > 0 {
        parts.push(format!("evaluation {}", evaluation.evaluation_id));
    }
    parts.extend(
        evaluation
            .started_at
            .as_ref()
            .map(|at| at.get(..16).unwrap_or(at).replace('T', " ")),
    );
    let read = |path: &str| {
        evaluation
            .configured
            .pointer(path)
            .and_then(|value| value.as_str())
            .map(str::to_owned)
    };
    parts.extend(read("/settings/text2sql.model").map(|model| format!("model {model}")));
    parts.extend(read("/model/model"));
    parts.extend(read("/extension").map(|version| format!("pg_text2sql {version}")));
    parts.extend(read("/server").map(|version| format!("PostgreSQL {version}")));
    if evaluation.repeats > 1 {
        parts.push(format!("{} repeats", evaluation.repeats));
    }
    parts.extend(
        evaluation
            .clock
            .as_ref()
            .map(|at| format!("clock at {}", at.get(..10).unwrap_or(at))),
    );
    if evaluation.state != "done" {
        parts.push(format!("state: {}", evaluation.state));
    }
    format!("<p class=\"meta\">{}</p>", escape(&parts.join(" · ")))
}

fn card(class: &str, figure: &str, label: &str) -> String {
    format!(
        "<div class=\"card {class}\"><b>{}</b><span>{}</span></div>",
        escape(figure),
        escape(label)
    )
}

fn with_interval(share: &Share, what: &str) -> String {
    format!("{what}; {} to {}", percent(share.low), percent(share.high))
}

fn cards(summary: &Summary) -> String {
    let mut cards = String::from("<div class=\"cards\">");
    let accuracy = &summary.accuracy;
    let what = format!("right of {} cases", accuracy.cases);
    cards.push_str(&card(
        "main",
        &percent(accuracy.value()),
        &with_interval(accuracy, &what),
    ));
    let precision = &summary.precision;
    if precision.cases > 0 {
        let what = format!("right of {} answers given", precision.cases);
        cards.push_str(&card(
            "",
            &percent(precision.value()),
            &with_interval(precision, &what),
        ));
    }
    if let Some(answered) = summary.answered {
        cards.push_str(&card(
            "",
            &percent(answered),
            "of the questions were answered",
        ));
    }
    if let Some(time) = summary.milliseconds {
        let label = match summary.model_calls {
            0 => "a question, without any model call".to_owned(),
            calls => format!(
                "a question; {calls} model calls, {} tokens in, {} out{}",
                summary.tokens.0,
                summary.tokens.1,
                cost_in_words(summary.cost.as_ref())
            ),
        };
        cards.push_str(&card("", &milliseconds(time), &label));
    }
    cards.push_str("</div>");
    cards
}

fn verdicts(summary: &Summary) -> String {
    let total: usize = summary.verdicts.values().sum();
    let (mut bar, mut legend) = (String::new(), String::new());
    for verdict in ["right", "wrong", "failed", "declined"] {
        let count = summary.verdicts.get(verdict).copied().unwrap_or(0);
        if count > 0 {
            let share = 100.0 * count as f64 / total as f64;
            let _ = write!(
                bar,
                "<i class=\"{verdict}\" style=\"width:{share:.3}%\"></i>"
            );
            let _ = write!(
                legend,
                "<span><i class=\"{verdict}\"></i>{count} {verdict}</span>"
            );
        }
    }
    for (count, what) in [
        (
            summary.broken,
            "cases whose gold no longer runs: not counted",
        ),
        (summary.waiting, "attempts that wait"),
    ] {
        if count > 0 {
            let _ = write!(legend, "<span>{count} {what}</span>");
        }
    }
    format!("<div class=\"verdicts\">{bar}</div><div class=\"legend\">{legend}</div>")
}

fn changes(earlier: &EvaluationData, data: &EvaluationData) -> String {
    let found = compare(earlier, data);
    let sign = if found.after >= found.before {
        "+"
    } else {
        "−"
    };
    let meaning = match found.p_mid {
        p if p < 0.05 => "hardly chance",
        p if p < 0.2 => "may be chance",
        _ => "no evidence of a difference",
    };
    let mut html = format!(
        "<h2>Since {}</h2><p>Over the {} cases of both: {} before, {} now ({sign}{:.1} points; McNemar mid-p {:.3}: {meaning}).</p>",
        escape(
            &match (earlier.evaluation.evaluation_id, &earlier.evaluation.name) {
                (_, Some(name)) => name.clone(),
                (0, None) => "the earlier evaluation".to_owned(),
                (number, None) => format!("evaluation {number}"),
            }
        ),
        found.cases,
        percent(found.before),
        percent(found.after),
        (found.after - found.before).abs() * 100.0,
        found.p_mid
    );
    html.push_str("<div class=\"grid\">");
    html.push_str(&changed_cases("Now right", "plus", &found, true));
    html.push_str(&changed_cases("No longer right", "minus", &found, false));
    html.push_str("</div>");
    html
}

fn changed_cases(title: &str, class: &str, found: &Difference, won: bool) -> String {
    let cases = if won { &found.won } else { &found.lost };
    let mut html = format!(
        "<div class=\"card\"><h3><span class=\"{class}\">{title}: {}</span></h3><table>",
        cases.len()
    );
    for (database, key, question) in cases.iter().take(60) {
        let place = if database.is_empty() { key } else { database };
        let _ = write!(
            html,
            "<tr><td>{}</td><td class=\"number\"><span class=\"key\">{}</span></td></tr>",
            escape(question),
            escape(place.get(..12).unwrap_or(place))
        );
    }
    if cases.len() > 60 {
        let _ = write!(
            html,
            "<tr><td>and {} more</td><td></td></tr>",
            cases.len() - 60
        );
    }
    html.push_str("</table></div>");
    html
}

fn variants_plot(data: &EvaluationData, summary: &Summary, variants: &[Named]) -> String {
    let mut rows = vec![("as it is".to_owned(), summary.accuracy)];
    let mut lines = String::new();
    for variant in variants {
        let other = summarise(&variant.data);
        let found = compare(data, &variant.data);
        rows.push((variant.variant.clone(), other.accuracy));
        let _ = write!(
            lines,
            "<tr><td>{}</td><td class=\"number\">{:+.1}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{:.3}</td><td class=\"number\">{}</td></tr>",
            escape(&variant.variant),
            (found.after - found.before) * 100.0,
            found.won.len(),
            found.lost.len(),
            found.p_mid,
            other.milliseconds.map(milliseconds).unwrap_or_default()
        );
    }
    format!(
        "<h2>Variants</h2><div class=\"grid\"><div class=\"card\"><h3>Accuracy</h3>{}</div><div class=\"card\"><h3>Against the settings as they are</h3><table><tr><th></th><th class=\"number\">points</th><th class=\"number\">won</th><th class=\"number\">lost</th><th class=\"number\">mid-p</th><th class=\"number\">time</th></tr>{lines}</table></div></div>",
        charts::shares("Accuracy of the variants", &rows)
    )
}

fn refusals_and_repeats(summary: &Summary) -> String {
    let figures = [
        ("refusal precision", summary.refusals.precision),
        ("refusal recall", summary.refusals.recall),
        ("right refusal status", summary.refusals.right_status),
        ("SQL agreement", summary.reliability.sql_agreement),
        ("result agreement", summary.reliability.result_agreement),
        ("mean cosine of repeats", summary.reliability.mean_cosine),
    ];
    let rows: Vec<_> = figures
        .into_iter()
        .filter_map(|(name, value)| {
            let value = value?;
            Some((name.to_owned(), value, Some(1.0), format!("{value:.2}")))
        })
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    format!(
        "<h2>Refusals and repeats</h2><div class=\"grid\"><div class=\"card\">{}</div></div>",
        charts::bars("Refusals and repeats", &rows)
    )
}

fn groups(summary: &Summary) -> String {
    let mut html = String::new();
    for kind in [
        "level",
        "style",
        "expected status",
        "kind",
        "tag",
        "database",
    ] {
        let mut rows: Vec<(String, Share)> = summary
            .groups
            .iter()
            .filter(|(of, _, _)| *of == kind)
            .map(|(_, value, share)| (value.clone(), *share))
            .collect();
        rows.sort_by_key(|(value, share)| (level_place(value), share.cases == 0));
        rows.truncate(MAX_GROUPS);
        if rows.len() > 1 {
            let _ = write!(
                html,
                "<div class=\"card\"><h3>By {kind}</h3>{}</div>",
                charts::shares(&format!("Accuracy by {kind}"), &rows)
            );
        }
    }
    if html.is_empty() {
        return html;
    }
    format!("<h2>Accuracy</h2><div class=\"masonry\">{html}</div>")
}

fn reasons_and_time(summary: &Summary) -> String {
    let mut html = String::from("<h2>Reasons and time</h2><div class=\"masonry\">");
    if !summary.reasons.is_empty() {
        let rows: Vec<_> = summary
            .reasons
            .iter()
            .take(16)
            .map(|(reason, count)| (reason.clone(), *count as f64, None, count.to_string()))
            .collect();
        let _ = write!(
            html,
            "<div class=\"card\"><h3>Why attempts are not right</h3>{}</div>",
            charts::bars("Why attempts are not right", &rows)
        );
    }
    if !summary.stages.is_empty() {
        let rows: Vec<_> = summary
            .stages
            .iter()
            .map(|(stage, mean, high)| {
                let figure = format!("{} / {}", milliseconds(*mean), milliseconds(*high));
                (stage.clone(), *mean, Some(*high), figure)
            })
            .collect();
        let _ = write!(
            html,
            "<div class=\"card\"><h3>Time by stage: mean / 95th percentile</h3>{}</div>",
            charts::bars("Time by stage", &rows)
        );
    }
    if let Some(found) = &summary.calibration {
        let _ = write!(
            html,
            "<div class=\"card\"><h3>Calibration: expected error {:.3}, Brier score {:.3}</h3>{}</div>",
            found.expected_error,
            found.brier,
            charts::calibration("Confidence against accuracy", found)
        );
    }
    html.push_str("</div>");
    html
}

fn configuration(data: &EvaluationData) -> String {
    let mut lines = String::new();
    let object = |value: Option<&serde_json::Value>| {
        value
            .and_then(|value| value.as_object().cloned())
            .unwrap_or_default()
    };
    for (name, value) in object(Some(&data.evaluation.settings)) {
        let _ = write!(
            lines,
            "<tr><td><b>{}</b></td><td>{} (set for this evaluation)</td></tr>",
            escape(&name),
            escape(&value.to_string())
        );
    }
    for (name, value) in object(data.evaluation.configured.pointer("/settings")) {
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        let _ = write!(
            lines,
            "<tr><td>{}</td><td>{}</td></tr>",
            escape(&name),
            escape(&text)
        );
    }
    if lines.is_empty() {
        return lines;
    }
    format!(
        "<h2>Configuration</h2><details class=\"case\"><summary><span class=\"question\">Everything that was in force</span></summary><div class=\"sides\"><table>{lines}</table></div></details>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation_data::AttemptRow;

    #[test]
    fn the_page_is_whole_loads_nothing_and_escapes() {
        let row = AttemptRow {
            key: "1".into(),
            attempt: 1,
            state: "done".into(),
            question: "<script>alert(1)</script>?".into(),
            gold: vec!["SELECT 1".into()],
            expected_status: "ok".into(),
            status: Some("ok".into()),
            verdict: Some("wrong".into()),
            sql: Some("SELECT 2".into()),
            reasons: Some(vec!["single cell differs".into()]),
            confidence: Some(0.9),
            level: Some("easy".into()),
            ..AttemptRow::default()
        };
        let right = AttemptRow {
            key: "2".into(),
            verdict: Some("right".into()),
            level: Some("hard".into()),
            ..row.clone()
        };
        let data = EvaluationData {
            results: vec![row, right],
            ..EvaluationData::default()
        };
        let variant = Named {
            variant: "other".into(),
            data: data.clone(),
        };
        let page = render(&data, Some(&data), &[variant], &[]);
        for expected in [
            "50.0 %",
            "single cell differs",
            "Variants",
            "Calibration",
            "By level",
            "Metrics of the variants",
            "Significance",
            "</html>",
        ] {
            assert!(page.contains(expected), "{expected}");
        }
        for foreign in ["<script", "http://", "https://", "url(", "src="] {
            assert!(!page.contains(foreign), "{foreign}");
        }
    }
}
