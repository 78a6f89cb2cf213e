//! How good each deterministic check is: queries over the demo company with known faults, and without
//! any. `cases/judgement.jsonl` holds question, SQL, result and faults; correct queries of the demo's
//! suite are among them, and each kind of fault was put into correct ones. Prints precision and recall.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use postgres::Client;
use text2sql_server_tests::corpus::{lines, read};
use text2sql_server_tests::demo::DemoDatabase;

/// Minimum recall and precision of each check. The rarest
/// faults have five cases: one missed is a fifth.
const MIN_RECALL: f64 = 0.80;
const MIN_PRECISION: f64 = 0.95;

fn found(client: &mut Client, sql: &str) -> BTreeSet<String> {
    let rows = client.query("SELECT finding FROM text2sql.trust_report($1)", &[&sql]);
    rows.expect(sql).iter().map(|row| row.get(0)).collect()
}

#[derive(Default)]
struct Counts {
    found: u32,
    missed: u32,
    false_alarms: u32,
}

impl Counts {
    fn share(part: u32, rest: u32) -> f64 {
        match part + rest {
            0 => 1.0,
            all => f64::from(part) / f64::from(all),
        }
    }

    fn recall(&self) -> f64 {
        Self::share(self.found, self.missed)
    }

    fn precision(&self) -> f64 {
        Self::share(self.found, self.false_alarms)
    }
}

#[test]
fn each_check_finds_its_faults_and_cries_no_wolf() {
    let demo = DemoDatabase::new("demo_faults");
    let mut analyst = demo.analyst();
    analyst.batch_execute("SET timezone = 'UTC'").unwrap();
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let cases = lines(&read(&cases, "judgement.jsonl"));
    assert!(cases.len() >= 400, "{}", cases.len());
    let mut counts: BTreeMap<String, Counts> = BTreeMap::new();
    for case in &cases {
        let sql = case["sql"].as_str().unwrap();
        // The label belongs to a result: other data could have other faults.
        let row = analyst
            .query_one(
                "SELECT row_count, result_rows::json -> 0 ->> (SELECT json_object_keys(result_rows::json -> 0) LIMIT 1)
                 FROM text2sql.run_json($1)",
                &[&sql],
            )
            .expect(sql);
        let (rows, result): (i64, Option<String>) = (row.get(0), row.get(1));
        assert_eq!(Some(rows), case["rows"].as_i64(), "{sql}");
        if let Some(expected) = case["result"].as_str() {
            assert_eq!(result.unwrap_or_default(), expected, "{sql}");
        }
        let labels = case["faults"].as_array().unwrap().iter();
        let labels: BTreeSet<String> = labels
            .map(|fault| fault.as_str().unwrap().to_owned())
            .collect();
        let found = found(&mut analyst, sql);
        for check in labels.union(&found) {
            let own = counts.entry(check.clone()).or_default();
            match (labels.contains(check), found.contains(check)) {
                (true, true) => own.found += 1,
                (true, false) => {
                    own.missed += 1;
                    println!("missed {check}: {sql}");
                }
                _ => {
                    own.false_alarms += 1;
                    println!("false {check}: {sql}");
                }
            }
        }
    }
    println!("| check | faults | found | recall | false alarms | precision |");
    for (check, own) in &counts {
        println!(
            "| `{check}` | {} | {} | {:.1} % | {} | {:.1} % |",
            own.found + own.missed,
            own.found,
            100.0 * own.recall(),
            own.false_alarms,
            100.0 * own.precision()
        );
    }
    for (check, own) in &counts {
        assert!(own.recall() >= MIN_RECALL, "{check}: {}", own.recall());
        assert!(
            own.precision() >= MIN_PRECISION,
            "{check}: {}",
            own.precision()
        );
    }
}
