//! The next step of a search, from what was asked so far.

use super::front::{dominates, ranked};
use super::leaders::{expense, leaders, scale};
use super::objectives::Objectives;
use super::paired::gains;
use super::race::loses;
use super::rungs::{block, kept, rungs};
use super::sample::next_generation;
use super::search::{Plan, State, Trial};
use super::space::Choice;

/// The largest number of generations.
const GENERATIONS: usize = 8;
/// The largest number of proposals of a search for several objectives.
const MAX_WINNERS: usize = 4;

/// What to do next.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Ask a trial these cases.
    Ask {
        /// Its number.
        trial: usize,
        /// The cases; it was asked none of them.
        cases: Vec<i64>,
    },
    /// Add trials of a new generation.
    Add {
        /// Their places in the space.
        choices: Vec<Choice>,
        /// Its number.
        generation: usize,
    },
    /// The search is over.
    End {
        /// Numbers of the trials that are proposed; none where nothing is better.
        winners: Vec<usize>,
        /// Why it is over.
        why: String,
    },
}

/// The trials with their states, and what to do next.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// The trials; some may have passed a rung or been stopped.
    pub trials: Vec<Trial>,
    /// Why trials were stopped that were not before, by number.
    pub stopped: Vec<(usize, String)>,
    /// The next step.
    pub step: Step,
}

/// Decides what to do next. The first trial must be the settings as they are.
pub fn decide(plan: &Plan, trials: &[Trial]) -> Decision {
    let mut decision = Decision {
        trials: trials.to_vec(),
        stopped: Vec::new(),
        step: Step::End {
            winners: Vec::new(),
            why: "there is nothing to ask".to_owned(),
        },
    };
    let rungs = rungs(plan.cases.len());
    // Each turn of the loop stops a trial, lets one pass a rung, or is the last one.
    loop {
        race(plan, &mut decision);
        let generation = latest(&decision.trials);
        let racing = |trial: &&Trial| trial.number > 0 && trial.state == State::Racing;
        let contestants: Vec<&Trial> = decision.trials.iter().filter(racing).collect();
        let Some(rung) = contestants.iter().map(|trial| trial.rung).min() else {
            decision.step = between_generations(plan, &decision.trials, generation);
            return decision;
        };
        let target = rungs.get(rung).copied().unwrap_or(plan.cases.len());
        let at_rung = contestants.iter().filter(|trial| trial.rung == rung);
        // The settings as they are come first, so that everything can be compared with them.
        let behind = decision.trials.first().filter(|trial| trial.asked < target);
        let behind = behind.or_else(|| {
            at_rung
                .filter(|trial| trial.asked < target)
                .min_by_key(|trial| (trial.asked, index_settings(plan, trial), trial.number))
                .copied()
        });
        match behind {
            Some(trial) => {
                decision.step = ask(plan, trial, target)
                    .unwrap_or_else(|| end(plan, &decision.trials, "the budget is used up"));
                return decision;
            }
            None => cut(plan, &mut decision, rung, rungs.len()),
        }
    }
}

fn latest(trials: &[Trial]) -> usize {
    trials
        .iter()
        .map(|trial| trial.generation)
        .max()
        .unwrap_or(0)
}

/// The values of settings for which the index is made anew.
fn index_settings(plan: &Plan, trial: &Trial) -> Vec<usize> {
    let places = plan.index_dimensions.iter();
    places
        .filter_map(|place| trial.choice.get(*place).copied())
        .collect()
}

/// The next block of cases; `None` where the budget has no more.
fn ask(plan: &Plan, trial: &Trial, target: usize) -> Option<Step> {
    let rest = target.saturating_sub(trial.asked);
    // Where trials are not compared in between, a whole rung runs at once.
    let size = match trial.number == 0 || !plan.index_dimensions.is_empty() {
        true => rest,
        false => rest.min(block(plan.cases.len())),
    };
    let fits = plan
        .left
        .map_or(u64::MAX, |left| left / plan.repeats.max(1));
    let size = size.min(usize::try_from(fits).unwrap_or(usize::MAX));
    let cases: Vec<i64> = plan
        .cases
        .iter()
        .skip(trial.asked)
        .take(size)
        .copied()
        .collect();
    (!cases.is_empty()).then_some(Step::Ask {
        trial: trial.number,
        cases,
    })
}

/// Stops what cannot win.
fn race(plan: &Plan, decision: &mut Decision) {
    let scale = scale(&plan.objectives, &decision.trials);
    let order = leaders(&scale, &decision.trials);
    let rivals: Vec<Trial> = order
        .iter()
        .filter_map(|place| decision.trials.get(*place).cloned())
        .collect();
    let mut lost: Vec<usize> = Vec::new();
    for trial in &mut decision.trials {
        if trial.number == 0 || trial.state != State::Racing || trial.outcomes.is_empty() {
            continue;
        }
        let able: Vec<&Trial> = rivals
            .iter()
            .filter(|rival| {
                rival.number != trial.number
                    && rival.asked >= trial.asked
                    && !lost.contains(&rival.number)
            })
            .collect();
        if let Some(why) = loses(plan, &scale, trial, &able) {
            trial.state = State::Stopped;
            lost.push(trial.number);
            decision.stopped.push((trial.number, why));
        }
    }
}

/// The better half of the trials of a rung passes it.
fn cut(plan: &Plan, decision: &mut Decision, rung: usize, rungs: usize) {
    let scale = scale(&plan.objectives, &decision.trials);
    let places: Vec<usize> = (0..decision.trials.len())
        .filter(|place| {
            decision.trials.get(*place).is_some_and(|trial| {
                trial.number > 0 && trial.state == State::Racing && trial.rung == rung
            })
        })
        .collect();
    let as_it_is = decision
        .trials
        .first()
        .map(|trial| trial.outcomes.clone())
        .unwrap_or_default();
    let gains: Vec<Vec<f64>> = places
        .iter()
        .filter_map(|place| {
            Some(gains(
                &scale,
                &decision.trials.get(*place)?.outcomes,
                &as_it_is,
            ))
        })
        .collect();
    let is_last = rung + 1 >= rungs;
    let passing = if is_last {
        places.len()
    } else {
        kept(places.len())
    };
    for (rank, place) in ranked(&gains).into_iter().enumerate() {
        let trial = places
            .get(place)
            .and_then(|place| decision.trials.get_mut(*place));
        let Some(trial) = trial else { continue };
        trial.rung += 1;
        if rank >= passing {
            trial.state = State::Stopped;
            let why = format!(
                "place {} of {} after {} cases: the better {passing} went on",
                rank + 1,
                places.len(),
                trial.asked
            );
            decision.stopped.push((trial.number, why));
        } else if is_last {
            trial.state = State::Finished;
        }
    }
}

fn between_generations(plan: &Plan, trials: &[Trial], generation: usize) -> Step {
    let scale = scale(&plan.objectives, trials);
    let best = leaders(&scale, trials)
        .first()
        .and_then(|place| trials.get(*place));
    let best_generation = best.map_or(0, |trial| trial.generation);
    if plan.left == Some(0) {
        return end(plan, trials, "the budget is used up");
    }
    if generation >= GENERATIONS {
        return end(plan, trials, "the last generation is over");
    }
    if best_generation + 1 < generation {
        return end(plan, trials, "two generations brought nothing better");
    }
    match next_generation(plan, &scale, trials) {
        choices if choices.is_empty() => end(plan, trials, "every combination was tried"),
        choices => Step::Add {
            choices,
            generation: generation + 1,
        },
    }
}

fn end(plan: &Plan, trials: &[Trial], why: &str) -> Step {
    Step::End {
        winners: winners(plan, trials),
        why: why.to_owned(),
    }
}

/// The trials to propose: the best one if it is better than the settings as they are, or as good and cheaper; for several
/// objectives those for which no other is better in all.
fn winners(plan: &Plan, trials: &[Trial]) -> Vec<usize> {
    let scale = scale(&plan.objectives, trials);
    let order = leaders(&scale, trials);
    let leaders = || order.iter().filter_map(|place| trials.get(*place));
    let Some(as_it_is) = trials.first() else {
        return Vec::new();
    };
    let gain = |trial: &Trial| gains(&scale, &trial.outcomes, &as_it_is.outcomes);
    match plan.objectives {
        Objectives::Sum(_) => {
            let best = leaders().find(|trial| trial.number > 0);
            let is_better = |trial: &&Trial| {
                gain(trial).first().is_some_and(|gain| {
                    *gain > 1e-9
                        || *gain > -1e-9 && expense(&trial.outcomes, &as_it_is.outcomes) < (0, 0)
                })
            };
            best.filter(is_better)
                .map(|trial| trial.number)
                .into_iter()
                .collect()
        }
        Objectives::Pareto(_) => {
            let on_front = |trial: &&Trial| {
                let own = gain(trial);
                trial.number > 0
                    && own.iter().any(|gain| *gain != 0.0)
                    && !leaders().any(|other| dominates(&gain(other), &own))
            };
            let mut front: Vec<&Trial> = leaders().filter(on_front).take(MAX_WINNERS).collect();
            front.sort_by(|one, other| {
                let first = |trial: &Trial| gain(trial).first().copied().unwrap_or_default();
                first(other).total_cmp(&first(one))
            });
            front.into_iter().map(|trial| trial.number).collect()
        }
    }
}
