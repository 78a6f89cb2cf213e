//! Random statements: a few thousand here, 100,000 in `make soak`.

use guard_proof::{generated, report, sqlsmith};
use text2sql_server_tests::skipped::skip;

#[test]
fn generated_statements_leave_no_trace() {
    let plan = generated::Plan {
        statements: 4_000,
        seed: 1,
        is_alone: false,
    };
    let tally = generated::run(plan, "t2s_generated").unwrap();
    let text = report::text("generated", &tally);
    println!("{text}");
    assert!(tally.findings.is_empty(), "{text}");
    let (reached, _) = report::reviewed_reached(&tally);
    assert!(tally.completed > 1_000 && reached > 300, "{text}");
}

#[test]
fn statements_of_sqlsmith_leave_no_trace() {
    if !sqlsmith::is_installed() {
        skip("the program sqlsmith");
        return;
    }
    let tally = sqlsmith::run(500, 1, false, "t2s_sqlsmith").unwrap();
    let text = report::text("sqlsmith", &tally);
    println!("{text}");
    assert!(
        tally.findings.is_empty() && tally.statements >= 400,
        "{text}"
    );
}
