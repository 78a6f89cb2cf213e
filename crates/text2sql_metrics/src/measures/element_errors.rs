//! Which elements of the statements are wrong, and how often: of all statements, and of those that are wrong anywhere.

use serde::Serialize;

use super::cases::cases;
use super::filter::Filter;
use super::named::Named;
use crate::evaluation_data::{AttemptRow, Components};

/// A way to read the share of an element.
type Read = fn(&Components) -> Option<f64>;

/// The six elements, as EM compares them.
const ELEMENTS: [(&str, Read); 6] = [
    ("tables", |em| em.tables),
    ("columns", |em| em.columns),
    ("operations", |em| em.operations),
    ("dates", |em| em.dates),
    ("sort", |em| em.sort),
    ("limit", |em| em.limit),
];

/// How often an element is wrong.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ElementErrors {
    /// The variant.
    pub variant: String,
    /// The element.
    pub element: &'static str,
    /// Number of statements that were compared with a gold statement.
    pub statements: usize,
    /// Number of those in which something of the gold's element is missing, or is there without being in the gold.
    pub wrong: usize,
    /// Their share of all statements.
    pub share_of_statements: f64,
    /// Their share of the statements in which any element is wrong; `None` if there are none.
    pub share_of_wrong_statements: Option<f64>,
    /// The same of the statements whose rows are not those of the gold.
    pub share_of_wrong_results: Option<f64>,
}

/// The errors of each element in each evaluation.
pub fn element_errors(evaluations: &[Named], filter: &Filter) -> Vec<ElementErrors> {
    let mut found = Vec::new();
    for evaluation in evaluations {
        let cases = cases(&evaluation.data, filter);
        let rows: Vec<(&AttemptRow, &Components)> = cases
            .values()
            .flatten()
            .filter_map(|row| Some((*row, row.em.as_ref()?)))
            .collect();
        let is_wrong = |em: &Components, read: Read| read(em).is_some_and(|share| share < 1.0);
        let any = |em: &Components| ELEMENTS.iter().any(|(_, read)| is_wrong(em, *read));
        let wrong_statements = rows.iter().filter(|(_, em)| any(em)).count();
        let wrong_results = rows.iter().filter(|(row, _)| row.ex == Some(false)).count();
        for (element, read) in ELEMENTS {
            let wrong: Vec<&(&AttemptRow, &Components)> =
                rows.iter().filter(|(_, em)| is_wrong(em, read)).collect();
            let with_wrong_result = wrong
                .iter()
                .filter(|(row, _)| row.ex == Some(false))
                .count();
            let share = |part: usize, of: usize| (of > 0).then(|| part as f64 / of as f64);
            if let Some(share_of_statements) = share(wrong.len(), rows.len()) {
                found.push(ElementErrors {
                    variant: evaluation.variant.clone(),
                    element,
                    statements: rows.len(),
                    wrong: wrong.len(),
                    share_of_statements,
                    share_of_wrong_statements: share(wrong.len(), wrong_statements),
                    share_of_wrong_results: share(with_wrong_result, wrong_results),
                });
            }
        }
    }
    found
}
