//! What a total means: how many of the queries with it are right, over each half of the databases, and how far it is from
//! that (Brier score). A model writes more right queries than there are here beside their mutants, so both are weighted:
//! a share of wrong ones, each class of fault as often as another, and of the right ones a few that rightly find nothing.

use std::collections::BTreeMap;

use text2sql_domain::score::Score;

/// Shares of wrong queries that a model may write.
const WRONG: [f64; 2] = [0.3, 0.1];

/// The share of right queries that find nothing: the practice questions hardly ask for what does not occur.
const EMPTY: f64 = 0.05;

/// Lower bounds of the bands of totals.
const BANDS: [f64; 5] = [0.99, 0.9, 0.75, 0.2, 0.0];

/// Shares of the total that a fault might leave.
const FACTORS: [f64; 7] = [0.65, 0.4, 0.3, 0.2, 0.1, 0.05, 0.0];

/// A class of right queries, and that of those that find nothing.
const RIGHT: &str = "right";
pub(crate) const RIGHTLY_EMPTY: &str = "right, empty";

struct Scored {
    half: usize,
    class: String,
    total: f64,
    mean: f64,
    is_faulty: bool,
}

impl Scored {
    fn is_right(&self) -> bool {
        self.class.starts_with(RIGHT)
    }
}

/// The scores of right queries and mutants.
#[derive(Default)]
pub(crate) struct Curve(Vec<Scored>);

impl Curve {
    /// Notes the score of a query. Other queries than right ones and mutants do not count.
    pub(crate) fn add(&mut self, half: usize, class: &str, score: &Score) {
        let is_other = class != RIGHT && class != RIGHTLY_EMPTY;
        if is_other && (class.starts_with(RIGHT) || class.starts_with("wrong")) {
            return;
        }
        self.0.push(Scored {
            half,
            class: class.to_owned(),
            total: score.total(),
            mean: score.mean(),
            is_faulty: !score.faults().is_empty(),
        });
    }

    /// The queries of a half, with their weights, which sum to 1.
    fn weighted(&self, half: usize, wrong: f64) -> Vec<(&Scored, f64)> {
        let own: Vec<&Scored> = self.0.iter().filter(|one| one.half == half).collect();
        let mut classes: BTreeMap<&str, usize> = BTreeMap::new();
        for one in &own {
            *classes.entry(one.class.as_str()).or_default() += 1;
        }
        let faults = classes
            .keys()
            .filter(|class| !class.starts_with(RIGHT))
            .count();
        let share = |class: &str| match class {
            RIGHT => (1.0 - wrong) * (1.0 - EMPTY),
            RIGHTLY_EMPTY => (1.0 - wrong) * EMPTY,
            _ => wrong / faults.max(1) as f64,
        };
        own.into_iter()
            .map(|one| {
                let count = classes.get(one.class.as_str()).copied().unwrap_or(1);
                (one, share(&one.class) / count as f64)
            })
            .collect()
    }

    pub(crate) fn print(&self) {
        if !self.0.iter().any(|one| !one.is_right()) {
            return;
        }
        for wrong in WRONG {
            println!("\nif {:.0} % of the queries are wrong", 100.0 * wrong);
            let halves = [self.weighted(0, wrong), self.weighted(1, wrong)];
            let mut above = f64::INFINITY;
            for least in BANDS {
                let of_half = |half: &Vec<(&Scored, f64)>| {
                    let band = half
                        .iter()
                        .filter(|(one, _)| one.total >= least && one.total < above);
                    let (mut all, mut right, mut count) = (0.0, 0.0, 0);
                    for (one, weight) in band {
                        all += weight;
                        count += 1;
                        right += if one.is_right() { *weight } else { 0.0 };
                    }
                    format!(
                        "{:>5.1} % right, {:>4.1} % of all, {count} queries",
                        100.0 * right / f64::max(all, f64::MIN_POSITIVE),
                        100.0 * all
                    )
                };
                println!(
                    "  from {least:.2}: {}",
                    halves.iter().map(of_half).collect::<Vec<_>>().join(" | ")
                );
                above = least;
            }
            let both = |value: &dyn Fn(&Scored) -> f64| {
                let of_half = |half: &Vec<(&Scored, f64)>| {
                    format!(
                        "Brier {:.4}, order {:.4}",
                        brier(half, value),
                        order(half, value)
                    )
                };
                halves.iter().map(of_half).collect::<Vec<_>>().join(" | ")
            };
            println!("  total: {}", both(&|one| one.total));
            println!("  always the same: {}", both(&|_| 1.0 - wrong));
            for factor in FACTORS {
                let value = |one: &Scored| match one.is_faulty {
                    true => factor * one.mean,
                    false => one.mean,
                };
                println!("  a fault leaves {factor:.2}: {}", both(&value));
            }
        }
    }
}

/// The mean squared distance of a value from 1 for a right query and 0 for a wrong one.
fn brier(queries: &[(&Scored, f64)], value: &dyn Fn(&Scored) -> f64) -> f64 {
    let distance = |one: &Scored| value(one) - if one.is_right() { 1.0 } else { 0.0 };
    queries
        .iter()
        .map(|(one, weight)| weight * distance(one).powi(2))
        .sum()
}

/// How often a right query has a higher value than a wrong one; equal ones count half (the area under the curve).
fn order(queries: &[(&Scored, f64)], value: &dyn Fn(&Scored) -> f64) -> f64 {
    let mut sorted: Vec<(f64, bool, f64)> = queries
        .iter()
        .map(|(one, weight)| (value(one), one.is_right(), *weight))
        .collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut below, mut won, mut all) = (0.0, 0.0, 0.0);
    for tied in sorted.chunk_by(|a, b| (a.0 - b.0).abs() < 1e-9) {
        let sum = |is_right: bool| -> f64 {
            tied.iter()
                .filter(|one| one.1 == is_right)
                .map(|one| one.2)
                .sum()
        };
        won += sum(true) * (below + sum(false) / 2.0);
        below += sum(false);
        all += sum(true);
    }
    won / f64::max(below * all, f64::MIN_POSITIVE)
}
