//! Every known way to exceed a limit has one of three outcomes, listed in docs/reference/limits.md.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use postgres::Client;
use serde_json::Value;
use text2sql_server_tests::connect_with;
use text2sql_server_tests::corpus::{expanded, hostile_database, lines, read, verdict};
use text2sql_server_tests::processes::{private_kb, process_of};
use text2sql_server_tests::skipped::shared_or_skip;

const LIMIT: Duration = Duration::from_secs(1);
/// The aim is 100 ms, and docs/reference/limits.md lists measurements on an idle machine; here other tests run as well.
const GRACE: Duration = Duration::from_secs(3);
/// What may stay: the allocator keeps some of what was freed for the next statement. How much depends on what stood in
/// memory before, so a statement that kept more runs again: what leaks is kept again, what was freed is used again.
const KEPT_KB: i64 = 48 * 1024;

/// Series whose rows the planner estimates since PostgreSQL 18: their cost refuses them.
const ESTIMATED_SINCE_18: [&str; 2] = ["L23", "B04"];

const DOCUMENT: &str = include_str!("../../../../docs/reference/limits.md");

/// The outcome of each statement in the document, by its name there.
fn documented() -> BTreeMap<String, &'static str> {
    let mut fates = BTreeMap::new();
    let mut fate = "";
    for line in DOCUMENT.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            fate = match heading {
                "Refused before it runs" => "refused",
                "Ended within the limit" => "ended",
                "Not interruptible" => "residual",
                _ => "",
            };
        }
        let names = line
            .strip_prefix("| ")
            .and_then(|row| row.split(" | ").next());
        for name in names.into_iter().flat_map(|names| names.split(", ")) {
            let is_name = name.len() == 3 && name.starts_with(['L', 'B']);
            if is_name && !fate.is_empty() {
                let before = fates.insert(name.to_owned(), fate);
                assert_eq!(before, None, "{name} stands twice in the document");
            }
        }
    }
    fates
}

struct Outcome {
    verdict: String,
    took: Duration,
    kept_kb: i64,
}

fn run(client: &mut Client, sql: &str) -> Outcome {
    let process = process_of(client);
    let before = private_kb(process).unwrap_or_default();
    let start = Instant::now();
    let verdict = verdict(client, sql);
    let took = start.elapsed();
    let alive: i32 = client.query_one("SELECT 1", &[]).unwrap().get(0);
    assert_eq!(alive, 1);
    Outcome {
        verdict,
        took,
        kept_kb: private_kb(process).unwrap_or_default() - before,
    }
}

/// Judges each statement by its fate in the document.
fn judge(database: &str, cases: &[Value]) {
    let fates = documented();
    let mut client = connect_with(
        database,
        "analyst",
        "SET text2sql.query_timeout = '1s'; SET text2sql.memory_limit = '256MB'",
    );
    // The first statement of a session fills its caches.
    verdict(&mut client, "SELECT count(*) FROM orders");
    let estimates_series: bool = client
        .query_one(
            "SELECT current_setting('server_version_num')::int >= 180000",
            &[],
        )
        .unwrap()
        .get(0);
    let mut wrong = Vec::new();
    for case in cases {
        let id = case["id"].as_str().unwrap();
        let sql = expanded(case["sql"].as_str().unwrap());
        let mut outcome = run(&mut client, &sql);
        if outcome.kept_kb >= KEPT_KB {
            outcome = run(&mut client, &sql);
        }
        let figures = format!(
            "{id} {} after {} ms, {} kB kept",
            outcome.verdict,
            outcome.took.as_millis(),
            outcome.kept_kb
        );
        println!("{figures}");
        let is_sqlstate = |text: &str| text.len() == 5 && text.chars().all(|c| !c.is_lowercase());
        let is_code = |verdict: &str| verdict == "allow" || is_sqlstate(verdict);
        let is_refused = !is_code(&outcome.verdict);
        let is_in_time = outcome.took < LIMIT + GRACE && outcome.kept_kb < KEPT_KB;
        let is_right = match fates.get(id) {
            _ if estimates_series && ESTIMATED_SINCE_18.contains(&id) => outcome.verdict == "cost",
            Some(&"refused") => is_refused,
            Some(&"ended") => !is_refused && is_in_time,
            Some(&"residual") => !is_refused && outcome.took < Duration::from_secs(60),
            _ => false,
        };
        if !is_right {
            wrong.push(format!(
                "{figures}, documented as {:?}: {sql:.200}",
                fates.get(id)
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_bomb_of_ours_has_its_documented_fate() {
    let cases = lines(include_str!("../../cases/bombs.jsonl"));
    let fates = documented();
    for case in &cases {
        let (id, fate) = (case["id"].as_str().unwrap(), case["fate"].as_str().unwrap());
        assert_eq!(fates.get(id), Some(&fate), "{id}");
        assert!(DOCUMENT.contains(case["what"].as_str().unwrap()), "{id}");
    }
    let own = fates.keys().filter(|name| name.starts_with('L')).count();
    assert_eq!(
        own,
        cases.len(),
        "the document and the corpus have the same names"
    );
    let _database = hostile_database("own_bombs", include_str!("../../cases/guard_setup.sql"));
    judge("t2s_own_bombs", &cases);
}

#[test]
fn each_shared_bomb_has_its_documented_fate() {
    let Some(shared) = shared_or_skip("the guard's corpus") else {
        return;
    };
    let cases = lines(&read(&shared, "runtime_bombs.jsonl"));
    let own = documented()
        .keys()
        .filter(|name| name.starts_with('B'))
        .count();
    assert_eq!(
        own,
        cases.len(),
        "the document and the corpus have the same names"
    );
    let _database = hostile_database("bombs", &read(&shared, "attacks_setup.sql"));
    judge("t2s_bombs", &cases);
}
