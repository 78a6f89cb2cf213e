//! Periods of a question, and the days that its query keeps.

use super::super::Check;
use super::carried::asked;
use text2sql_domain::schema::Definition;

#[test]
fn another_period_than_the_question_asks_for_is_found() {
    let sql = |condition: &str| format!("SELECT sum(cost) FROM repairs WHERE {condition}");
    for (question, condition, expected) in [
        (
            "What did repairs cost in 2025?",
            "done_on >= '2024-01-01' AND done_on < '2025-01-01'",
            true,
        ),
        (
            "What did repairs cost in 2025?",
            "done_on >= '2025-01-01'",
            true,
        ),
        (
            "What did repairs cost in 2025?",
            "done_on < '2025-01-01'",
            true,
        ),
        ("What did repairs cost in 2025?", "cost > 0", true),
        (
            "What did repairs cost since 2025?",
            "done_on < '2025-01-01'",
            true,
        ),
        (
            "What did repairs cost last year?",
            "done_on >= current_date - 300",
            true,
        ),
        (
            "What did repairs cost in the last 2 years?",
            "done_on >= current_date - interval '2 months'",
            true,
        ),
        (
            "Was kosteten die repairs im Jahr 2025?",
            "extract(year FROM done_on) = 2024",
            true,
        ),
        ("What did repairs cost yesterday?", "done_on < now()", true),
        ("What did repairs cost so far?", "cost > 0", false),
        (
            "What did repairs cost so far?",
            "done_on < '2025-01-01'",
            true,
        ),
        (
            "What do repairs cost that are overdue today?",
            "done_on < '2026-11-01'",
            false,
        ),
        (
            "What did repairs cost in 2025?",
            "done_on >= '2025-01-01' AND done_on < '2026-01-01'",
            false,
        ),
        (
            "What did repairs cost in 2025?",
            "done_on BETWEEN '2025-01-01' AND '2025-12-31'",
            false,
        ),
        (
            "What did repairs cost in 2025?",
            "extract(year FROM done_on) = 2025",
            false,
        ),
        (
            "What did repairs cost this year?",
            "done_on >= date_trunc('year', current_date)",
            false,
        ),
        (
            "What did repairs cost in May 2025?",
            "done_on >= '2025-05-01' AND done_on < '2025-06-01'",
            false,
        ),
        (
            "What did repairs cost in May 2025?",
            "done_on >= '2025-06-01' AND done_on < '2025-07-01'",
            true,
        ),
        ("Total cost of the repairs of 2025", "cost > 0", true),
        (
            "What did repairs cost in the spring of 2025?",
            "yard = 'Spring' AND season = 2024",
            false,
        ),
        (
            "What did repairs cost before 2025-06-21?",
            "done_on < '2025-06-21'",
            false,
        ),
        (
            "What did repairs cost in the first half of 2025?",
            "done_on >= '2025-01-01' AND done_on < '2025-07-01'",
            false,
        ),
        (
            "What did repairs cost in the first half of 2025?",
            "done_on >= '2025-01-01' AND done_on < '2025-04-01'",
            true,
        ),
        (
            "What did repairs cost per yard in the first quarter of 2025?",
            "done_on >= '2025-04-01' AND done_on < '2025-07-01'",
            true,
        ),
        (
            "What did repairs cost per yard in the first quarter of 2025?",
            "done_on BETWEEN '2025-01-01' AND '2025-03-31'",
            false,
        ),
        (
            "What did repairs cost in each yard after 2023?",
            "done_on >= '2023-01-01'",
            false,
        ),
        (
            "What did repairs cost in each yard after 2023?",
            "done_on >= '2022-01-01'",
            true,
        ),
        (
            "What did repairs cost in Q3 2025?",
            "extract(quarter FROM done_on) = 3 AND extract(year FROM done_on) = 2025",
            false,
        ),
        (
            "What did repairs cost in Q3 2025?",
            "extract(quarter FROM done_on) = 2 AND extract(year FROM done_on) = 2025",
            true,
        ),
        (
            "Was kosteten die repairs im zweiten Quartal 2025?",
            "done_on >= '2025-01-01' AND done_on < '2025-04-01'",
            true,
        ),
        (
            "Was kosteten die repairs im zweiten Quartal 2025?",
            "done_on >= '2025-04-01' AND done_on < '2025-07-01'",
            false,
        ),
        (
            "How did cost change from 2024 to 2025?",
            "done_on >= '2024-01-01' AND done_on < '2026-01-01'",
            false,
        ),
        (
            "What did repairs cost in fiscal year 2025?",
            "done_on >= '2024-07-01' AND done_on < '2025-07-01'",
            false,
        ),
        (
            "What did repairs cost? In 2025 the yard burnt.",
            "cost > 0",
            false,
        ),
        (
            "What did repairs cost in 2025?",
            "extract(month FROM done_on) = 3",
            false,
        ),
        (
            "What did repairs of season 2025 cost?",
            "season = 2025",
            false,
        ),
        ("What did repairs cost in 2025?", "season = 25", false),
    ] {
        let all = asked(question, &sql(condition), &[]);
        let has = all
            .iter()
            .any(|finding| finding.check == Check::Period && finding.is_certain());
        assert_eq!(has, expected, "{question} {condition}: {all:#?}");
    }
    let all = asked(
        "What did repairs cost in 2025?",
        &sql("done_on >= '2024-01-01' AND done_on < '2025-01-01'"),
        &[],
    );
    assert_eq!(
        all[0].evidence,
        "'in 2025' is 2025-01-01 up to but without 2026-01-01, and the query keeps 2024-01-01 up to but without 2025-01-01."
    );
}

#[test]
fn a_period_that_owners_defined_is_compared() {
    let fiscal = Definition {
        term: "fiscal year".to_owned(),
        period: Some("year starting in July".to_owned()),
        ..Definition::default()
    };
    for (question, condition, expected) in [
        (
            "What did repairs cost in fiscal year 2025?",
            "done_on >= '2025-01-01' AND done_on < '2026-01-01'",
            true,
        ),
        (
            "What did repairs cost in fiscal year 2025?",
            "done_on >= '2024-07-01' AND done_on < '2025-07-01'",
            false,
        ),
        (
            "What did repairs cost in 2023 and fiscal year 2025?",
            "done_on >= '2025-01-01'",
            false,
        ),
        (
            "What did repairs cost in FY2025?",
            "done_on >= '2025-01-01' AND done_on < '2026-01-01'",
            true,
        ),
        (
            "What did repairs cost in FY25?",
            "done_on >= '2024-07-01' AND done_on < '2025-07-01'",
            false,
        ),
        (
            "What did repairs cost before the fiscal year 2025?",
            "done_on < '2024-07-01'",
            false,
        ),
        (
            "What did repairs cost until fiscal year 2025?",
            "done_on < '2025-07-01'",
            false,
        ),
    ] {
        let sql = format!("SELECT sum(cost) FROM repairs WHERE {condition}");
        let all = asked(question, &sql, std::slice::from_ref(&fiscal));
        let has = all.iter().any(|finding| finding.check == Check::Period);
        assert_eq!(has, expected, "{question} {condition}: {all:#?}");
    }
}
