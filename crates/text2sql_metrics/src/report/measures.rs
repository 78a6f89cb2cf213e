//! The measures of an evaluation and of its variants: means with intervals, by level and style, elements that are
//! wrong, and the significance of differences.

use std::fmt::Write;
use text2sql_domain::words;

use super::charts;
use super::html::escape;
use crate::measures::{Cell, Dimension, Filter, Kind, MEASURES, Measure, Named};
use crate::measures::{compare, element_errors, table};

/// The measures that are shown for each variant, and for each group of cases.
const MAIN: [&str; 8] =
    *words!("accuracy, valid_syntax, valid_names, valid, ex, ea_share, em_rate, em_share");

/// Maximum number of rows of a chart.
const MAX_ROWS: usize = 40;

/// The part of the page; `evaluations` begins with that of the page.
pub(super) fn measures(evaluations: &[Named]) -> String {
    let filter = Filter::default();
    let (first, others) = evaluations.split_at(evaluations.len().min(1));
    let mut html = String::from(
        "<h2>Metrics</h2><p class=\"note\">Means over the cases to which a metric applies, with their 95 % intervals. Formulas and sources are in docs/reference/evaluation.md.</p><div class=\"grid\">",
    );
    let cells = table(first, &[], &filter);
    let shares: Vec<&Cell> = cells.iter().filter(|cell| is_share(cell)).collect();
    for half in shares.chunks(shares.len().div_ceil(2).max(1)) {
        let rows: Vec<_> = half.iter().map(|cell| (title(cell), *cell)).collect();
        let _ = write!(
            html,
            "<div class=\"card\">{}</div>",
            charts::cells("Means of the metrics", &rows)
        );
    }
    html.push_str("</div>");
    if !others.is_empty() {
        let by = [Dimension::Variant];
        html.push_str(&charts_of("Metrics of the variants", evaluations, &by));
    }
    let by: &[Dimension] = match others.is_empty() {
        true => &[Dimension::Level, Dimension::Style],
        false => &[Dimension::Variant, Dimension::Level, Dimension::Style],
    };
    html.push_str(&charts_of("By level and style", evaluations, by));
    html.push_str(&elements(evaluations));
    if !others.is_empty() {
        html.push_str(&significance(evaluations));
    }
    html
}

fn is_share(cell: &Cell) -> bool {
    cell.measured_as != Kind::Amount.as_str()
}

fn title(cell: &Cell) -> String {
    let measure = Measure::named(cell.measure);
    measure
        .map_or(cell.measure, |measure| measure.title)
        .to_owned()
}

/// A chart for each of the main measures, with a row for each group; nothing where there is one group only.
fn charts_of(heading: &str, evaluations: &[Named], by: &[Dimension]) -> String {
    let cells = table(evaluations, by, &Filter::default());
    let mut html = String::new();
    for name in MAIN {
        let rows: Vec<(String, &Cell)> = cells
            .iter()
            .filter(|cell| cell.measure == name)
            .map(|cell| {
                let group = &cell.group;
                let parts = [&group.variant, &group.level, &group.style];
                let parts: Vec<&str> = parts.iter().filter_map(|part| part.as_deref()).collect();
                (parts.join(", "), cell)
            })
            .take(MAX_ROWS)
            .collect();
        if let ([_, _, ..], Some((_, cell))) = (rows.as_slice(), rows.first()) {
            let title = title(cell);
            let _ = write!(
                html,
                "<div class=\"card\"><h3>{}</h3>{}</div>",
                escape(&title),
                charts::cells(&title, &rows)
            );
        }
    }
    match html.is_empty() {
        true => html,
        false => format!("<h2>{heading}</h2><div class=\"masonry\">{html}</div>"),
    }
}

/// The elements of statements that are not those of the gold.
fn elements(evaluations: &[Named]) -> String {
    let errors = element_errors(evaluations, &Filter::default());
    let mut html = String::new();
    for evaluation in evaluations {
        let rows: Vec<_> = errors
            .iter()
            .filter(|row| row.variant == evaluation.variant)
            .map(|row| {
                let figure = format!(
                    "{:.0} %, {} of {}",
                    row.share_of_statements * 100.0,
                    row.wrong,
                    row.statements
                );
                (
                    row.element.to_owned(),
                    row.share_of_statements,
                    Some(1.0),
                    figure,
                )
            })
            .collect();
        if rows.iter().any(|(_, share, ..)| *share > 0.0) {
            let _ = write!(
                html,
                "<div class=\"card\"><h3>{}</h3>{}</div>",
                escape(&evaluation.variant),
                charts::bars("Statements in which the element differs", &rows)
            );
        }
    }
    match html.is_empty() {
        true => html,
        false => format!(
            "<h2>Elements that differ from the gold statement</h2><p class=\"note\">A right statement can be written in another way.</p><div class=\"masonry\">{html}</div>"
        ),
    }
}

/// Every measure of each variant against the first evaluation.
fn significance(evaluations: &[Named]) -> String {
    let Some((baseline, variants)) = evaluations.split_first() else {
        return String::new();
    };
    let compared = compare(baseline, variants, &Filter::default(), None);
    let mut lines = String::new();
    for measure in MEASURES {
        for row in compared.iter().filter(|row| row.measure == measure.name) {
            let digits = if measure.kind == Kind::Amount { 1 } else { 3 };
            let interval = match (row.low, row.high) {
                (Some(low), Some(high)) => format!("{low:+.digits$} to {high:+.digits$}"),
                _ => String::new(),
            };
            let class = match (row.p_holm < 0.05, row.difference > 0.0) {
                (false, _) => "",
                (true, true) => " class=\"plus\"",
                (true, false) => " class=\"minus\"",
            };
            let _ = write!(
                lines,
                "<tr><td>{}</td><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{:.digits$}</td><td class=\"number\">{:.digits$}</td><td class=\"number\"><span{class}>{:+.digits$}</span></td><td class=\"number\">{interval}</td><td>{}</td><td class=\"number\">{:.4}</td><td class=\"number\">{:.4}</td></tr>",
                escape(measure.title),
                escape(&row.variant),
                row.cases,
                row.baseline,
                row.candidate,
                row.difference,
                row.test,
                row.p,
                row.p_holm
            );
        }
    }
    format!(
        "<h2>Significance</h2><p class=\"note\">Over the cases of both. McNemar's mid-p for rates, Wilcoxon's signed-rank test for shares and amounts; the last column has Holm's correction over the variants. Coloured is what it leaves below 0.05.</p><details class=\"case\"><summary><span class=\"question\">All metrics of all variants</span></summary><div class=\"wide\"><table><tr><th>metric</th><th>variant</th><th class=\"number\">cases</th><th class=\"number\">{}</th><th class=\"number\">variant</th><th class=\"number\">difference</th><th class=\"number\">95 %</th><th>test</th><th class=\"number\">p</th><th class=\"number\">Holm</th></tr>{lines}</table></div></details>",
        escape(&baseline.variant)
    )
}
