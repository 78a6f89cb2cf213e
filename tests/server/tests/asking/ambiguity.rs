//! Sixty questions with several readings and their clear twins, over the demo company and the practice
//! databases: decided by names and values, through the SQL function, without a word to the model.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use model_double::{ModelDouble, Script};
use postgres::Client;
use serde_json::Value;
use text2sql_server_tests::connect;
use text2sql_server_tests::skipped::shared_or_skip;

const PAIRS: &str = include_str!("../../cases/ambiguity.jsonl");

/// The shares that must be reached. Of what is asked back, nearly all must have several readings: a
/// question back to a clear question costs more than a model that is asked once too often.
const MIN_PRECISION: f64 = 0.97;
const MIN_RECALL: f64 = 0.90;

fn run(command: &mut Command) {
    let status = command
        .stdout(std::process::Stdio::null())
        .status()
        .unwrap();
    assert!(status.success(), "{command:?}");
}

/// Loads the databases of the pairs: the practice ones by their own script, the demo company by psql.
fn load(shared: &Path) {
    run(Command::new("bash")
        .arg(shared.join("data/load.sh"))
        .arg("practice"));
    let mut admin = connect("postgres", None);
    admin
        .batch_execute("DROP DATABASE IF EXISTS t2s_ambiguity WITH (FORCE)")
        .unwrap();
    admin
        .batch_execute("CREATE DATABASE t2s_ambiguity TEMPLATE template0 ENCODING 'UTF8'")
        .unwrap();
    admin
        .batch_execute("ALTER DATABASE t2s_ambiguity SET text2sql.maintenance_interval = 0")
        .unwrap();
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../demo");
    for file in ["schema.sql", "data.sql"] {
        run(Command::new("psql")
            .args([
                "-X",
                "-q",
                "-v",
                "ON_ERROR_STOP=1",
                "-d",
                "t2s_ambiguity",
                "-f",
            ])
            .arg(demo.join(file)));
    }
    connect("t2s_ambiguity", None)
        .batch_execute("ANALYZE")
        .unwrap();
}

/// A connection that asks a model of that address.
fn asker(database: &str, base_url: &str) -> Client {
    let mut client = connect(database, None);
    client
        .batch_execute(&format!(
            "SET client_min_messages = error;
             CREATE EXTENSION IF NOT EXISTS pg_text2sql CASCADE;
             DROP SERVER IF EXISTS ambiguity CASCADE;
             CREATE SERVER ambiguity FOREIGN DATA WRAPPER text2sql OPTIONS (protocol 'openai',
                 base_url '{base_url}', model 'double-1', allow_private 'true', allow_http 'true');
             CREATE USER MAPPING FOR PUBLIC SERVER ambiguity OPTIONS (api_key 'sk-test');
             SET text2sql.model = 'ambiguity'"
        ))
        .unwrap();
    client
}

fn status(client: &mut Client, question: &str) -> (String, usize) {
    let row = client
        .query_one(
            "SELECT status, coalesce(json_array_length(clarification -> 'readings'), 0) FROM text2sql.ask($1)",
            &[&question],
        )
        .unwrap();
    (row.get(0), usize::try_from(row.get::<_, i32>(1)).unwrap())
}

#[test]
fn ambiguous_questions_are_asked_back_and_clear_ones_are_not() {
    let Some(shared) = shared_or_skip("the practice databases") else {
        return;
    };
    load(&shared);
    let double = ModelDouble::start(
        Script::new().otherwise(r#"{"status": "ok", "sql": "SELECT 1 AS one"}"#),
    )
    .unwrap();
    let mut clients: BTreeMap<String, Client> = BTreeMap::new();
    let (mut pairs, mut found, mut alarms) = (0_u32, 0_u32, 0_u32);
    for line in PAIRS.lines() {
        let pair: Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| pair[key].as_str().unwrap().to_owned();
        let database = match text("database").as_str() {
            "demo" => "t2s_ambiguity".to_owned(),
            practice => practice.to_owned(),
        };
        let client = clients
            .entry(database.clone())
            .or_insert_with(|| asker(&database, &double.base_url("ok")));
        pairs += 1;
        let before = double.requests().len();
        let (ambiguous, readings) = status(client, &text("ambiguous"));
        if ambiguous == "ambiguous" {
            found += 1;
            assert!((2..=4).contains(&readings), "{}", text("ambiguous"));
            assert_eq!(double.requests().len(), before, "no model was asked");
        } else {
            println!("not asked back: {}", text("ambiguous"));
        }
        if status(client, &text("clear")).0 == "ambiguous" {
            alarms += 1;
            println!("asked back: {}", text("clear"));
        }
    }
    drop(clients);
    // Other tests make standbys, which copy whatever is left.
    let mut admin = connect("postgres", None);
    let made = "SELECT datname::text FROM pg_database WHERE datname = 't2s_ambiguity' OR datname LIKE 'practice\\_%'";
    for row in admin.query(made, &[]).unwrap() {
        let name: String = row.get(0);
        admin
            .batch_execute(&format!("DROP DATABASE {name} WITH (FORCE)"))
            .unwrap();
    }
    let precision = f64::from(found) / f64::from(found + alarms);
    let recall = f64::from(found) / f64::from(pairs);
    println!("{pairs} pairs: precision {precision:.3}, recall {recall:.3}");
    assert!(precision >= MIN_PRECISION, "precision {precision:.3}");
    assert!(recall >= MIN_RECALL, "recall {recall:.3}");
}
