//! Each trigger of the gate fails a query by itself, and the cause of an empty result is sent within the egress.

use port_contracts::ScriptedDatabase;
use text2sql_domain::config::{Egress, Limits, RepairTrigger};
use text2sql_domain::ports::Outcome;
use text2sql_domain::schema_fixture::shop;
use text2sql_domain::score::{Dimension, Part, Proof, Relevance, Score, ScoreConfig};
use text2sql_domain::sql_result::Execution;
use text2sql_engine::empty_result::{EmptyResult, Nothing};
use text2sql_engine::gate::{EmptyReason, Failure, Judged, failure_warnings, in_force};
use text2sql_engine::query_judge::Sight;
use text2sql_engine::scoring::{Ending, Facts};
use text2sql_language::understanding::Understanding;

/// A score of perfect parts, but for what is proved and for the completeness.
fn score(proof: Proof, complete: f64) -> Score {
    let parts = Dimension::ALL.into_iter().map(|dimension| Part {
        dimension,
        score: Some(match dimension {
            Dimension::Completeness => complete,
            _ => 1.0,
        }),
        reason: format!("About {}.", dimension.as_str()),
    });
    let proof = Proof {
        has_run: true,
        ..proof
    };
    Score::new(parts.collect(), proof, ScoreConfig::default())
}

fn failures(score: Score) -> Vec<Failure> {
    let judged = Judged {
        score: Some(score),
        ..Judged::default()
    };
    judged.failures(&[])
}

#[test]
fn each_share_below_its_own_threshold_fails_alone() {
    let passing = Proof {
        topic: Some(0.5),
        is_whole: true,
        ..Proof::default()
    };
    let follow_up = Proof {
        is_whole: false,
        ..passing.clone()
    };
    assert_eq!(failures(score(passing.clone(), 0.6)), []);
    assert_eq!(failures(score(follow_up, 0.2)), []);
    for (proof, complete, trigger, from) in [
        (
            Proof {
                topic: Some(0.49),
                ..passing.clone()
            },
            1.0,
            "off_topic",
            RepairTrigger::Findings,
        ),
        (passing, 0.59, "incomplete", RepairTrigger::Gate),
    ] {
        let failed = failures(score(proof, complete));
        let [failure] = failed.as_slice() else {
            panic!("{trigger}: {failed:?}");
        };
        assert_eq!((failure.trigger, failure.from), (trigger, from));
        assert_eq!(in_force(&failed, RepairTrigger::Errors).count(), 0);
        assert_eq!(in_force(&failed, RepairTrigger::Gate).count(), 1);
        // There is a warning about what fails by default even where only errors are repaired.
        let told = failure_warnings(&failed, RepairTrigger::Errors);
        assert_eq!(told.len(), usize::from(from == RepairTrigger::Findings));
    }
}

#[test]
fn a_low_opinion_and_a_low_total_fail_alone() {
    let mut opinion = score(Proof::default(), 1.0);
    opinion.relevance = Some(Relevance {
        score: 0.4,
        reason: "Orders were asked for.".to_owned(),
        is_for_asker_only: true,
    });
    let failed = failures(opinion);
    assert_eq!(failed[0].trigger, "irrelevant");
    assert!(failed[0].warning.ends_with("Orders were asked for."));
    // The reason of a model that may see rows is not told to one that may not.
    assert!(!failed[0].problem.contains("Orders"));
    let mut low = score(Proof::default(), 1.0);
    for part in &mut low.parts {
        part.score = Some(0.7);
    }
    let failed = failures(low);
    assert_eq!((failed[0].trigger, failed.len()), ("low_total", 1));
    assert!(failed[0].warning.contains("0.70, and 0.75"), "{failed:?}");
}

const SQL: &str = "SELECT o.total FROM orders o WHERE o.status = 'paid' AND o.total > 4711";

/// A database in which no order of the statement has a large total.
fn database() -> ScriptedDatabase {
    ScriptedDatabase::new(|sql| match sql {
        sql if sql.contains("max(total)") => ScriptedDatabase::one_row("max", "text", "400"),
        sql if sql.contains("4711") => Outcome::Passed(Execution::default()),
        _ => ScriptedDatabase::one_row("n", "bigint", "1"),
    })
}

fn empty(sql: &str, execution: &Execution) -> EmptyResult {
    let limits = Limits::DEFAULT;
    let found = EmptyResult::of(sql, execution, &shop(), &database(), &limits).unwrap();
    found.unwrap()
}

fn reason(question: &str, empty: &EmptyResult) -> EmptyReason {
    let facts = Facts {
        understanding: &Understanding::of(question, "2026-11-22"),
        sql: SQL,
        ending: Ending::Ran(&Execution::default()),
        findings: &[],
        tables: &shop(),
        values: &[],
        definitions: &[],
        is_follow_up: false,
        max_cost: 0.0,
    };
    EmptyReason::of(empty, &facts)
}

#[test]
fn a_condition_that_nobody_asked_for_is_the_fault_of_the_query() {
    let empty = empty(SQL, &Execution::default());
    assert_eq!(empty.nothing, Nothing::NoRows);
    let unasked = reason("Which orders are paid?", &empty);
    assert_eq!(unasked, EmptyReason::Query);
    let asked = reason("Which paid orders have a total over 4711?", &empty);
    assert_eq!(asked, EmptyReason::Question);
}

#[test]
fn the_cause_is_told_within_the_egress() {
    let found = empty(SQL, &Execution::default());
    let schema = found.for_model(Egress::Schema).unwrap();
    assert!(schema.contains("`o.total > 4711`") && !schema.contains("400"));
    for egress in [Egress::Values, Egress::Rows] {
        assert!(found.for_model(egress).unwrap().contains("400"));
    }
    let private = Execution {
        is_private: true,
        ..Execution::default()
    };
    let private = empty(SQL, &private);
    for egress in [Egress::Schema, Egress::Values, Egress::Rows] {
        assert!(!private.for_model(egress).unwrap().contains("400"));
    }
    assert!(!private.for_caller().unwrap().explanation.contains("400"));
}

#[test]
fn a_sum_of_nothing_has_a_cause_too() {
    let sql = "SELECT sum(o.total) FROM orders o WHERE o.status = 'paid' AND o.total > 4711";
    let nothing = match ScriptedDatabase::one_row("sum", "numeric", "0") {
        Outcome::Passed(mut execution) => {
            for cell in execution.rows.iter_mut().flatten() {
                cell.text = None;
            }
            execution
        }
        other => panic!("{other:?}"),
    };
    let found = empty(sql, &nothing);
    assert_eq!(found.nothing, Nothing::OnlyNulls);
    let judged = Judged {
        reason: reason("What is the total of the paid orders?", &found),
        empty: Some(found),
        sight: Sight::default(),
        ..Judged::default()
    };
    let failed = judged.failures(&shop());
    assert_eq!(
        (failed[0].trigger, failed[0].from),
        ("empty_by_query", RepairTrigger::Findings)
    );
    assert!(
        failed[0]
            .problem
            .starts_with("it gives only NULL. `o.total > 4711`")
    );
}

#[test]
fn a_table_without_rows_fails_nothing() {
    let database = ScriptedDatabase::new(|_| Outcome::Passed(Execution::default()));
    let limits = Limits::DEFAULT;
    let found = EmptyResult::of(SQL, &Execution::default(), &shop(), &database, &limits).unwrap();
    let found = found.unwrap();
    let judged = Judged {
        reason: reason("Which orders are paid?", &found),
        empty: Some(found),
        ..Judged::default()
    };
    assert_eq!(judged.failures(&shop()), []);
}
