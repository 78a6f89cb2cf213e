//! Whether variants differ from their baseline, for every measure, over the cases of both.
//!
//! Rates are tested with McNemar's mid-p, where a case counts as a yes from one half of its repeats on; shares and
//! amounts with Wilcoxon's signed-rank test over the means of the cases. The interval of the difference resamples
//! cases. With several variants the p values of a measure are corrected by Holm: the chance to see any of them by
//! luck stays 5 %.

use serde::Serialize;

use super::cases::{Cases, cases};
use super::filter::Filter;
use super::list::{Kind, MEASURES, mean};
use super::named::Named;
use crate::significance::bootstrap::mean_interval;
use crate::significance::mcnemar;
use crate::significance::{holm, wilcoxon};
use text2sql_domain::interrupts;

/// A measure of a variant against the baseline.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Compared {
    /// The variant.
    pub variant: String,
    /// Its evaluation.
    pub evaluation_id: i64,
    /// The name of the measure.
    pub measure: &'static str,
    /// The test: `McNemar` or `Wilcoxon`.
    pub test: &'static str,
    /// Number of cases of both to which the measure applies in both.
    pub cases: usize,
    /// The mean of the baseline over them.
    pub baseline: f64,
    /// The mean of the variant.
    pub candidate: f64,
    /// The difference of both.
    pub difference: f64,
    /// Its 95 % interval; `None` for one case.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// Cases in which the variant has more.
    pub more: usize,
    /// Cases in which it has less.
    pub less: usize,
    /// The two-sided p.
    pub p: f64,
    /// The same, corrected for the number of variants.
    pub p_holm: f64,
}

/// Two styles in which the same is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phrasings {
    /// The style of the baseline's questions.
    pub baseline: String,
    /// The style of the candidates' questions.
    pub candidate: String,
}

/// Compares each variant with the baseline, over the same cases; with `phrasings` over the questions in one style and
/// those in the other that have the same gold statements.
pub fn compare(
    baseline: &Named,
    variants: &[Named],
    filter: &Filter,
    phrasings: Option<&Phrasings>,
) -> Vec<Compared> {
    let before = chosen(baseline, filter, phrasings.map(|both| &both.baseline));
    let mut found = Vec::new();
    for variant in variants {
        let after = chosen(variant, filter, phrasings.map(|both| &both.candidate));
        for measure in MEASURES {
            if interrupts::is_pending() {
                return found;
            }
            let pairs: Vec<(f64, f64)> = after
                .iter()
                .filter_map(|(key, attempts)| {
                    let earlier = before.get(key)?;
                    Some((measure.of_case(earlier)?, measure.of_case(attempts)?))
                })
                .collect();
            let (Some(of_baseline), Some(of_candidate)) = (
                mean(pairs.iter().map(|pair| pair.0)),
                mean(pairs.iter().map(|pair| pair.1)),
            ) else {
                continue;
            };
            let differences: Vec<f64> = pairs.iter().map(|(one, other)| other - one).collect();
            let count = |is_there: &dyn Fn(&(f64, f64)) -> bool| {
                pairs.iter().filter(|pair| is_there(pair)).count()
            };
            let (more, less, test, p) = match measure.kind {
                Kind::Rate => {
                    let more = count(&|(one, other)| *one < 0.5 && *other >= 0.5);
                    let less = count(&|(one, other)| *one >= 0.5 && *other < 0.5);
                    let number = |cases| u32::try_from(cases).unwrap_or(u32::MAX);
                    let p = mcnemar(number(less), number(more)).mid_p;
                    (more, less, "McNemar", p)
                }
                Kind::Share | Kind::Amount => {
                    let more = count(&|(one, other)| other > one);
                    let less = count(&|(one, other)| other < one);
                    (more, less, "Wilcoxon", wilcoxon(&differences).p)
                }
            };
            let interval = mean_interval(&differences);
            found.push(Compared {
                variant: variant.variant.clone(),
                evaluation_id: variant.data.evaluation.evaluation_id,
                measure: measure.name,
                test,
                cases: pairs.len(),
                baseline: of_baseline,
                candidate: of_candidate,
                difference: of_candidate - of_baseline,
                low: interval.map(|(low, _)| low),
                high: interval.map(|(_, high)| high),
                more,
                less,
                p,
                p_holm: p,
            });
        }
    }
    for measure in MEASURES {
        let places: Vec<usize> = (0..found.len())
            .filter(|place| {
                found
                    .get(*place)
                    .is_some_and(|row| row.measure == measure.name)
            })
            .collect();
        let p: Vec<f64> = places
            .iter()
            .filter_map(|place| Some(found.get(*place)?.p))
            .collect();
        for (place, adjusted) in places.into_iter().zip(holm(&p)) {
            if let Some(row) = found.get_mut(place) {
                row.p_holm = adjusted;
            }
        }
    }
    found
}

/// The cases that count; of a style by their gold statements.
fn chosen<'a>(named: &'a Named, filter: &Filter, style: Option<&String>) -> Cases<'a> {
    match style {
        None => cases(&named.data, filter),
        Some(style) => {
            let styles = vec![style.clone()];
            let filter = Filter {
                styles,
                ..filter.clone()
            };
            by_gold(cases(&named.data, &filter))
        }
    }
}

/// The attempts at all cases with the same gold statements after the same questions. A case without gold is no phrasing of
/// another.
fn by_gold(cases: Cases<'_>) -> Cases<'_> {
    let mut merged = Cases::new();
    for ((database, _), attempts) in cases {
        let Some(first) = attempts.first().filter(|first| !first.gold.is_empty()) else {
            continue;
        };
        let (gold, previous) = (first.gold.join("\n"), first.previous.join("\n"));
        let key = (database, format!("{gold}\n{previous}"));
        merged.entry(key).or_default().extend(attempts);
    }
    merged
}
