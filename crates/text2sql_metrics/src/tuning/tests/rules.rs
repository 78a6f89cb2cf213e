//! Each rule of the decisions, with trials whose answers are known.

use serde_json::{Map, Value, json};

use super::super::*;
use super::planted::trial;

fn plan(values: &Value, objectives: &Value, cases: usize) -> Plan {
    let mut current = Map::new();
    current.insert("a".to_owned(), json!(0));
    Plan {
        space: Space::read(&json!({"a": values}), &current).unwrap(),
        objectives: Objectives::read(objectives).unwrap(),
        seed: 1,
        cases: (0..cases as i64).collect(),
        repeats: 1,
        left: None,
        index_dimensions: Vec::new(),
    }
}

/// A trial with known answers: right where the function says so.
fn asked(number: usize, cases: usize, right: impl Fn(usize) -> bool, cost: f64) -> Trial {
    let outcomes = (0..cases).map(|case| Outcome {
        case: case as i64,
        right: f64::from(u8::from(right(case))),
        cost,
        milliseconds: 100.0,
    });
    Trial {
        asked: cases,
        outcomes: outcomes.collect(),
        ..trial(number, vec![number], usize::from(number > 0))
    }
}

fn next(plan: &Plan, trials: &[Trial]) -> Decision {
    decide(plan, trials)
}

#[test]
fn the_settings_as_they_are_are_asked_first_and_then_each_trial_the_same_cases() {
    let plan = plan(&json!([1, 2]), &json!({"accuracy": 1}), 32);
    let first = next(&plan, &[trial(0, vec![0], 0)]);
    let Step::Add {
        choices,
        generation: 1,
    } = first.step
    else {
        panic!("{:?}", first.step)
    };
    assert_eq!(choices, [vec![1], vec![2]]);
    let mut trials = vec![
        trial(0, vec![0], 0),
        trial(1, vec![1], 1),
        trial(2, vec![2], 1),
    ];
    for number in 0..3 {
        let step = next(&plan, &trials).step;
        let cases = vec![0, 1, 2, 3];
        assert_eq!(
            step,
            Step::Ask {
                trial: number,
                cases
            }
        );
        trials[number] = asked(number, 4, |case| case == 0, 1.0);
    }
    // Nothing is worse: both pass, and are asked the next four.
    let decision = next(&plan, &trials);
    assert!(decision.stopped.is_empty(), "{:?}", decision.stopped);
    assert_eq!(decision.trials[1].rung, 1);
    assert_eq!(
        decision.step,
        Step::Ask {
            trial: 0,
            cases: vec![4, 5, 6, 7]
        }
    );
}

#[test]
fn a_trial_that_is_worse_over_the_same_cases_stops() {
    let plan = plan(&json!([1, 2]), &json!({"accuracy": 1}), 32);
    // Eight of eight cases differ in one direction: 2/256 is below 0.1 shared by eight looks.
    let trials = [
        asked(0, 32, |case| case < 30, 1.0),
        asked(1, 8, |_| false, 1.0),
        asked(2, 8, |case| case > 0, 1.0),
    ];
    let decision = next(&plan, &trials);
    assert_eq!(decision.trials[1].state, State::Stopped);
    assert_eq!(decision.trials[2].state, State::Racing);
    let (number, why) = &decision.stopped[0];
    assert_eq!(*number, 1);
    assert_eq!(
        why,
        "worse than trial 0 over the same 8 cases: -1.000, p 0.0078"
    );
}

#[test]
fn a_trial_that_cannot_catch_up_stops() {
    let plan = plan(&json!([1]), &json!({"accuracy": 1}), 16);
    let trials = [
        asked(0, 16, |case| case < 15, 1.0),
        // Five wrong answers are no proof, but eight questions more cannot make up for two.
        asked(1, 14, |case| case < 12, 1.0),
    ];
    let decision = next(&plan, &trials);
    assert_eq!(
        decision.stopped,
        [(
            1,
            "cannot catch up with trial 0, even if it were right in all 2 cases that remain"
                .to_owned()
        )]
    );
    assert_eq!(
        decision.step,
        Step::End {
            winners: vec![],
            why: "every combination was tried".to_owned()
        }
    );
}

#[test]
fn of_equally_right_trials_the_cheaper_one_is_proposed() {
    let plan = plan(&json!([1, 2]), &json!({"accuracy": 1}), 4);
    let trials = [
        asked(0, 4, |case| case < 3, 100.0),
        asked(1, 4, |case| case < 3, 99.0),
        asked(2, 4, |case| case < 3, 60.0),
    ];
    let Step::End { winners, .. } = next(&plan, &trials).step else {
        panic!("not over")
    };
    assert_eq!(winners, [2]);
    let trials = [
        trials[0].clone(),
        trials[1].clone(),
        asked(2, 4, |case| case < 3, 101.0),
    ];
    let Step::End { winners, .. } = next(&plan, &trials).step else {
        panic!("not over")
    };
    assert!(winners.is_empty(), "one percent is nothing");
}

#[test]
fn weights_decide_between_accuracy_and_cost() {
    let dear = asked(1, 4, |_| true, 400.0);
    let cheap = asked(2, 4, |case| case < 2, 10.0);
    let winner = |objectives: &Value| {
        let plan = plan(&json!([1, 2]), objectives, 4);
        let trials = [
            asked(0, 4, |case| case < 3, 100.0),
            dear.clone(),
            cheap.clone(),
        ];
        let Step::End { winners, .. } = next(&plan, &trials).step else {
            panic!("not over")
        };
        winners
    };
    assert_eq!(winner(&json!({"accuracy": 1})), [1]);
    // 0.75 − 0.2, 1 − 0.8, 0.5 − 0.02.
    assert_eq!(winner(&json!({"accuracy": 1, "cost": 0.2})), [0_usize; 0]);
    // 0.75 − 0.5, 1 − 2, 0.5 − 0.05.
    assert_eq!(winner(&json!({"accuracy": 1, "cost": 0.5})), [2]);
    assert_eq!(winner(&json!({"pareto": ["accuracy", "cost"]})), [1, 2]);
    // Time is the same for all: nothing is better than being right.
    assert_eq!(winner(&json!({"pareto": ["accuracy", "latency"]})), [1]);
}

#[test]
fn the_budget_ends_the_search_and_is_never_exceeded() {
    let mut plan = plan(&json!([1, 2]), &json!({"accuracy": 1}), 32);
    plan.left = Some(3);
    let trials = [trial(0, vec![0], 0), trial(1, vec![1], 1)];
    assert_eq!(
        next(&plan, &trials).step,
        Step::Ask {
            trial: 0,
            cases: vec![0, 1, 2]
        }
    );
    plan.left = Some(1);
    plan.repeats = 2;
    let Step::End { why, .. } = next(&plan, &trials).step else {
        panic!("asked more than the budget has")
    };
    assert_eq!(why, "the budget is used up");
}

#[test]
fn cases_without_a_verdict_count_as_asked_and_for_nothing_else() {
    let plan = plan(&json!([1]), &json!({"accuracy": 1}), 4);
    let mut broken = asked(0, 4, |_| true, 1.0);
    broken.outcomes.remove(1);
    let mut other = asked(1, 4, |_| true, 1.0);
    other.outcomes.remove(1);
    let decision = next(&plan, &[broken, other]);
    assert!(matches!(decision.step, Step::End { .. }));
    let found = figures(&plan.objectives, &decision.trials, &[1]);
    assert_eq!(
        (found[0].cases, found[0].accuracy, found[0].gain),
        (3, Some(1.0), Some(0.0))
    );
}

#[test]
fn trials_with_the_same_index_follow_each_other() {
    let mut current = Map::new();
    current.insert("e".to_owned(), json!("hash"));
    let mut plan = plan(&json!([1, 2]), &json!({"accuracy": 1}), 16);
    let declared = json!({"e": ["hash", "multilingual"], "a": [1]});
    plan.space = Space::read(&declared, &current).unwrap();
    plan.index_dimensions = vec![0];
    let mut trials = vec![trial(0, vec![0, 0], 0)];
    for (number, choice) in [vec![1, 0], vec![0, 1], vec![1, 1]].into_iter().enumerate() {
        trials.push(trial(number + 1, choice, 1));
    }
    let mut order = Vec::new();
    for _ in 0..4 {
        let Step::Ask {
            trial: number,
            cases,
        } = next(&plan, &trials).step
        else {
            panic!("nothing to ask")
        };
        assert_eq!(cases.len(), 4);
        order.push(number);
        let choice = trials[number].choice.clone();
        trials[number] = Trial {
            choice,
            ..asked(number, 4, |_| true, 1.0)
        };
    }
    assert_eq!(order, [0, 2, 1, 3]);
}

#[test]
fn a_judgement_says_by_how_much_and_with_which_certainty() {
    let now = asked(0, 40, |case| case % 2 == 0, 1.0).outcomes;
    let proposal = asked(1, 40, |case| case % 10 != 1, 1.0).outcomes;
    let found = judgement::judge(&Objectives::default(), &now, &proposal);
    assert_eq!((found.cases, found.difference), (40, Some(0.4)));
    assert!(found.low.unwrap() > 0.2 && found.high.unwrap() < 0.6);
    // All 16 that differ do so in one direction.
    assert!((found.p.unwrap() - 2.0 / 65_536.0).abs() < 1e-12);
}
