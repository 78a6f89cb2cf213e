//! Which indexes are proposed: greedily the one that saves most, given those that are chosen already.

use super::budget::Budget;
use super::merge::Merged;
use text2sql_domain::error::Error;
use text2sql_domain::interrupts;

/// Minimum share of the cost of the whole workload that a further index saves.
const MIN_SHARE: f64 = 0.01;

/// What a statement costs with a set of indexes.
pub(super) trait Costs {
    /// The cost of one call of the statement; `None` if it has no plan.
    fn cost(
        &mut self,
        indexes: &[Merged],
        set: &[usize],
        statement: usize,
    ) -> Result<Option<f64>, Error>;
}

/// The positions of the chosen indexes, in the order of the choice. `weights` are the calls of the statements.
///
/// The largest saving first may fill the budget of bytes with one large index, the largest saving for each byte with many
/// that save little: both are tried, and what saves more in all is taken.
pub(super) fn choose(
    indexes: &[Merged],
    weights: &[f64],
    budget: &Budget,
    costs: &mut dyn Costs,
) -> Result<Vec<usize>, Error> {
    let (by_saving, saved) = greedy(indexes, weights, budget, costs, |saving, _| saving)?;
    if budget.max_bytes.is_none() {
        return Ok(by_saving);
    }
    let by_byte = |saving: f64, size: f64| saving / size.max(1.0);
    let (by_byte, saved_by_byte) = greedy(indexes, weights, budget, costs, by_byte)?;
    Ok(match saved_by_byte > saved {
        true => by_byte,
        false => by_saving,
    })
}

fn greedy(
    indexes: &[Merged],
    weights: &[f64],
    budget: &Budget,
    costs: &mut dyn Costs,
    worth: impl Fn(f64, f64) -> f64,
) -> Result<(Vec<usize>, f64), Error> {
    let mut chosen: Vec<usize> = Vec::new();
    let mut current = Vec::new();
    for statement in 0..weights.len() {
        current.push(costs.cost(indexes, &[], statement)?);
    }
    let weight = |statement: usize| weights.get(statement).copied().unwrap_or(0.0);
    let total = |costs: &[Option<f64>]| -> f64 {
        let costs = costs.iter().enumerate();
        costs
            .map(|(statement, cost)| cost.unwrap_or(0.0) * weight(statement))
            .sum()
    };
    let whole = total(&current);
    while chosen.len() <= budget.max_indexes {
        interrupts::check()?;
        let mut best: Option<(f64, Vec<usize>, Vec<Option<f64>>)> = None;
        for place in 0..indexes.len() {
            let Some(set) = with_another(indexes, &chosen, place, budget) else {
                continue;
            };
            let mut with = current.clone();
            let concerned = set
                .iter()
                .chain(&chosen)
                .filter_map(|one| indexes.get(*one));
            for &statement in concerned.flat_map(|index| &index.statements) {
                if let Some(cost) = with.get_mut(statement) {
                    *cost = costs.cost(indexes, &set, statement)?;
                }
            }
            let saving = total(&current) - total(&with);
            if saving < whole * MIN_SHARE || saving <= 0.0 {
                continue;
            }
            let size = indexes.get(place).map_or(0.0, |index| index.size);
            let worth = worth(saving, size);
            if best.as_ref().is_none_or(|(most, ..)| worth > *most) {
                best = Some((worth, set, with));
            }
        }
        let Some((_, set, with)) = best else {
            break;
        };
        chosen = set;
        current = with;
    }
    Ok((chosen, whole - total(&current)))
}

/// The set with another index, which replaces its own beginnings; `None` if it is there, begins one that is there, or
/// exceeds the budget.
fn with_another(
    indexes: &[Merged],
    chosen: &[usize],
    place: usize,
    budget: &Budget,
) -> Option<Vec<usize>> {
    let index = indexes.get(place)?;
    let others = || {
        chosen
            .iter()
            .filter_map(|other| Some((*other, indexes.get(*other)?)))
    };
    if chosen.contains(&place) || others().any(|(_, other)| index.is_beginning_of(other)) {
        return None;
    }
    let mut set: Vec<usize> = others()
        .filter(|(_, other)| !other.is_beginning_of(index))
        .map(|(other, _)| other)
        .collect();
    set.push(place);
    let bytes: f64 = set
        .iter()
        .filter_map(|one| indexes.get(*one))
        .map(|one| one.size)
        .sum();
    let fits = set.len() <= budget.max_indexes && budget.max_bytes.is_none_or(|max| bytes <= max);
    fits.then_some(set)
}
