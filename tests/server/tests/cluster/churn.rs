//! A long session during catalog changes: each prompt contains the current objects and
//! no former ones, for every role, and the session's caches remain bounded.
//! `TEXT2SQL_CHURN` is the number of questions; `make soak` takes 5,000.

use model_double::{ModelDouble, Script};
use postgres::Client;
use text2sql_server_tests::processes::{private_kb, process_of};
use text2sql_server_tests::{ANALYST, TestDatabase};

/// The caches are bounded by a few megabytes, which thousands of questions reach; all tables of 5,000
/// questions would be six times that.
const GROWTH_KB: i64 = 10 * 1024;

/// The catalog as a number: the texts of one step are unlike those of any other.
struct Catalog(usize);

impl Catalog {
    /// Existing names and comments.
    fn present(&self) -> Vec<String> {
        let step = self.0;
        vec![
            format!("amount_{step} numeric"),
            format!("extra_{step} {}", ["integer", "bigint"][step % 2]),
            format!("remark {step}."),
            format!("batch_{step} ("),
        ]
    }

    /// The next step, made by another session.
    fn advance(&mut self, admin: &mut Client) {
        let (old, new) = (self.0, self.0 + 1);
        self.0 = new;
        let kind = ["integer", "bigint"][new % 2];
        admin
            .batch_execute(&format!(
                "ALTER TABLE orders RENAME COLUMN amount_{old} TO amount_{new};
                 ALTER TABLE orders RENAME COLUMN extra_{old} TO extra_{new};
                 ALTER TABLE orders ALTER COLUMN extra_{new} TYPE {kind};
                 COMMENT ON COLUMN orders.amount_{new} IS 'remark {new}.';
                 DROP TABLE batch_{old};
                 CREATE TABLE batch_{new} (batch_id integer PRIMARY KEY, order_id bigint REFERENCES orders, kind_{new} text);
                 GRANT SELECT ON batch_{new} TO {ANALYST}, t2s_churn_reader"
            ))
            .unwrap();
    }
}

/// The role, its settings, and what it must not see.
const TURNS: [(&str, &str); 5] = [
    ("SET ROLE t2s_analyst", "salary numeric"),
    ("SET ROLE t2s_churn_reader", "customers ("),
    (
        "SET text2sql.max_result_rows = 7; SET text2sql.tuning = '{\"enable_narration\": false}'",
        "customers (",
    ),
    (
        "SET ROLE t2s_analyst; SET search_path = pg_catalog; RESET text2sql.tuning",
        "salary numeric",
    ),
    (
        r#"RESET search_path; SET text2sql.tuning = '{"max_schema_chars": 20000, "without": ["interpret"]}'"#,
        "salary numeric",
    ),
];

#[test]
fn a_long_session_remembers_nothing_that_is_gone() {
    let questions: usize =
        std::env::var("TEXT2SQL_CHURN").map_or(150, |count| count.parse().unwrap());
    let double = ModelDouble::start(Script::new()).unwrap();
    let database = TestDatabase::new("churn");
    database.create_role("reader", "");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    let mut admin = database.superuser();
    admin
        .batch_execute(&format!(
            "SELECT text2sql.grant_access('t2s_churn_reader');
             GRANT USAGE ON FOREIGN SERVER m TO t2s_churn_reader; GRANT SELECT ON orders, salaries TO t2s_churn_reader;
             ALTER TABLE orders RENAME COLUMN total TO amount_0;
             ALTER TABLE orders ADD COLUMN extra_0 integer;
             COMMENT ON COLUMN orders.amount_0 IS 'remark 0.';
             CREATE TABLE batch_0 (batch_id integer); GRANT SELECT ON batch_0 TO {ANALYST}, t2s_churn_reader"
        ))
        .unwrap();
    let mut catalog = Catalog(0);
    let mut session = database.superuser();
    let process = process_of(&mut session);
    let mut held = Vec::new();
    for number in 0..questions {
        // Two questions of each step: one that must read again, one that may use the cache.
        if number % 2 == 0 {
            catalog.advance(&mut admin);
        }
        let (turn, closed) = TURNS[number % TURNS.len()];
        session.batch_execute(turn).unwrap();
        let step = catalog.0;
        let columns = ["amount", "extra"][number % 2];
        double.reset();
        let ask = format!(
            "SELECT status FROM text2sql.ask('What is the largest {columns} of orders in batch {number}?')"
        );
        let status: String = session.query_one(&ask, &[]).unwrap().get(0);
        assert_eq!(status, "ok", "question {number}");
        let sent = serde_json::to_string(&double.requests()[0].body).unwrap();
        for text in catalog.present() {
            assert!(
                sent.contains(&text),
                "question {number} lacks {text}: {sent}"
            );
        }
        assert!(!sent.contains(closed), "question {number}: {closed}");
        for name in ["amount_", "extra_", "batch_", "kind_", "remark "] {
            let others = sent.split(name).skip(1).filter(|rest| {
                let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
                !digits.is_empty() && digits != step.to_string()
            });
            assert_eq!(others.count(), 0, "question {number}, step {step}: {sent}");
        }
        if number % (questions / 10).max(1) == 0 {
            held.push(private_kb(process).unwrap_or_default());
        }
    }
    println!("{questions} questions, {} steps: {held:?} kB", catalog.0);
    // The first tenths fill the caches.
    let growth = held.last().unwrap() - held[held.len() / 3];
    assert!(growth < GROWTH_KB, "{growth} kB more: {held:?}");
}
