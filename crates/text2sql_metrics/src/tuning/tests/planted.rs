//! A search with a known best, answers by chance, and what a random search needs for the same.

use serde_json::{Map, json};

use super::super::*;
use crate::random::Random;

const CASES: usize = 64;
/// Searches, each with its own seed.
const SEEDS: u64 = 30;

/// Three settings of five numbers and one of four names, 625 combinations with the settings as they are: more retrieval
/// helps up to a point, examples too, and one strategy is right for these questions.
fn space() -> Space {
    let declared = json!({
        "depth": {"min": 1, "max": 16, "steps": 5, "log": true, "integer": true},
        "examples": [1, 2, 3, 5],
        "weight": {"min": 0.5, "max": 2.0, "steps": 4},
        "strategy": ["direct", "one_shot", "decompose", "chain_of_thought"],
    });
    let mut current = Map::new();
    current.insert("depth".to_owned(), json!(1));
    current.insert("examples".to_owned(), json!(0));
    current.insert("weight".to_owned(), json!(0));
    current.insert("strategy".to_owned(), json!("auto"));
    Space::read(&declared, &current).unwrap()
}

/// The planted best.
const BEST: [usize; 4] = [3, 4, 2, 3];

/// How often a question is answered rightly: 0.95 at the best, less with each step away from it.
fn expected(choice: &[usize]) -> f64 {
    let steps = |place: usize| choice[place].abs_diff(BEST[place]) as f64;
    let strategy = if choice[3] == BEST[3] { 0.0 } else { 0.2 };
    0.95 - 0.11 * (steps(0) + steps(1) + steps(2)).min(6.0) - strategy
}

/// The answer to a case under some settings: the same each time, and harder for some cases than for others, as with a
/// model of temperature 0.
fn is_right(world: u64, choice: &[usize], case: i64) -> bool {
    let mut hash = Random(world ^ (case as u64).wrapping_mul(0x9e37_79b9));
    let hardness = hash.next();
    for place in choice {
        hash = Random(hash.next() ^ *place as u64);
    }
    // Half of the chance is that of the case, half that of the case under these settings.
    let share = |bits: u64| (bits >> 11) as f64 / (1_u64 << 53) as f64;
    0.5 * share(hardness) + 0.5 * share(hash.next()) < quantile(expected(choice))
}

/// Below this the mean of two random shares is with probability `p`.
fn quantile(p: f64) -> f64 {
    if p < 0.5 {
        (p / 2.0).sqrt()
    } else {
        1.0 - ((1.0 - p) / 2.0).sqrt()
    }
}

fn outcome(world: u64, choice: &[usize], case: i64) -> Outcome {
    Outcome {
        case,
        right: f64::from(u8::from(is_right(world, choice, case))),
        cost: 100.0,
        milliseconds: 10.0,
    }
}

/// A plan of this space.
pub(super) fn plan(seed: u64) -> Plan {
    Plan {
        space: space(),
        objectives: Objectives::default(),
        seed,
        cases: order((0..CASES as i64).collect(), seed),
        repeats: 1,
        left: None,
        index_dimensions: Vec::new(),
    }
}

pub(super) fn trial(number: usize, choice: Choice, generation: usize) -> Trial {
    Trial {
        number,
        choice,
        generation,
        rung: 0,
        state: State::Racing,
        asked: 0,
        outcomes: Vec::new(),
    }
}

/// A whole search: the winner, and the number of questions.
fn search(world: u64) -> (Option<Choice>, usize) {
    let plan = plan(world);
    let mut trials = vec![trial(0, plan.space.as_it_is(), 0)];
    let mut questions = 0;
    loop {
        let decision = decide(&plan, &trials);
        trials = decision.trials;
        match decision.step {
            Step::Add {
                choices,
                generation,
            } => {
                for choice in choices {
                    trials.push(trial(trials.len(), choice, generation));
                }
            }
            Step::Ask { trial, cases } => {
                questions += cases.len();
                let asked = &mut trials[trial];
                for case in cases {
                    assert!(
                        asked.outcomes.iter().all(|known| known.case != case),
                        "asked twice"
                    );
                    asked.outcomes.push(outcome(world, &asked.choice, case));
                    asked.asked += 1;
                }
            }
            Step::End { winners, .. } => {
                return (
                    winners.first().map(|winner| trials[*winner].choice.clone()),
                    questions,
                );
            }
        }
    }
}

/// How many questions a random search asks until it has tried settings that are right as often as `expected`: every
/// question of the search for each combination that it draws.
fn random_search(world: u64, wanted: f64) -> usize {
    let space = space();
    let mut random = Random(world ^ 0x5eed);
    let mut all: Vec<usize> = (0..space.size()).collect();
    random.shuffle(&mut all);
    let drawn = all
        .iter()
        .position(|n| expected(&space.nth(*n)) >= wanted - 1e-9);
    (drawn.unwrap() + 1) * CASES
}

/// With the same number of questions a random search finds, as best of what it drew: by its own measurement.
fn best_of_random(world: u64, questions: usize) -> f64 {
    let space = space();
    let mut random = Random(world ^ 0x5eed);
    let mut all: Vec<usize> = (0..space.size()).collect();
    random.shuffle(&mut all);
    let drawn = all
        .iter()
        .take((questions / CASES).max(1))
        .map(|n| space.nth(*n));
    let measured = |choice: &Choice| {
        (0..CASES as i64)
            .filter(|case| is_right(world, choice, *case))
            .count()
    };
    expected(&drawn.max_by_key(measured).unwrap())
}

#[test]
fn finds_a_planted_best_with_fewer_questions_than_a_random_search() {
    let (mut found, mut asked, mut by_chance) = (0, 0, 0);
    let (mut quality, mut quality_by_chance) = (0.0, 0.0);
    for world in 0..SEEDS {
        let (winner, questions) = search(world);
        let winner = winner.expect("something is better than the settings as they are");
        found += u64::from(winner == BEST);
        asked += questions;
        by_chance += random_search(world, expected(&winner));
        quality += expected(&winner);
        quality_by_chance += best_of_random(world, questions);
    }
    let mean = |sum: f64| sum / SEEDS as f64;
    println!(
        "best found in {found} of {SEEDS}; questions {:.0}, a random search {:.0} for the same; expected accuracy {:.3}, a random search {:.3} with as many questions",
        mean(asked as f64),
        mean(by_chance as f64),
        mean(quality),
        mean(quality_by_chance)
    );
    assert!(
        2 * asked < by_chance,
        "{asked} questions, a random search {by_chance}"
    );
    assert!(3 * found >= 2 * SEEDS, "found in {found} of {SEEDS}");
    assert!(quality > quality_by_chance + 0.03 * SEEDS as f64);
}

#[test]
fn the_same_seed_decides_the_same() {
    assert_eq!(search(7), search(7));
    assert_ne!(search(7).1, search(8).1);
}
