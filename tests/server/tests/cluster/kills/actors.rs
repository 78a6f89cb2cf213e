//! Those who use the server while its processes are ended. What is answered must be right; that there is no answer is no
//! fault, and the next call tries again.

use std::sync::PoisonError;
use std::thread::{Scope, ScopedJoinHandle, sleep};
use std::time::Duration;

use postgres::Client;
use serde_json::json;

use super::checks;
use super::scene::{Scene, UPDATED_DATABASE};

const QUESTION: &str = "How many orders are there?";

/// Questions of submit() that wait at a time.
const WAITING: i64 = 12;

type Outcome = Result<(), postgres::Error>;

/// Starts all of them. They end with the scene.
pub(super) fn start<'scope, 'scene: 'scope>(
    scene: &'scene Scene,
    scope: &'scope Scope<'scope, 'scene>,
) -> Vec<ScopedJoinHandle<'scope, ()>> {
    let (database, alice) = (scene.database(), scene.alice.as_str());
    let models: &[&str] = match scene.has_program() {
        true => &["builtin", "m", "own"],
        false => &["builtin", "m"],
    };
    let mut threads = vec![scope.spawn(move || ask_over_http(scene))];
    for &model in models {
        threads.push(scope.spawn(move || {
            act(scene, database, alice, "ask", |client, _| {
                ask(client, model)
            });
        }));
    }
    threads.push(scope.spawn(move || {
        act(scene, database, alice, "submit", |client, _| {
            submit(scene, client)
        });
    }));
    threads.push(scope.spawn(move || {
        act(scene, database, alice, "ask_batch", ask_batch);
    }));
    threads.push(scope.spawn(move || {
        act(scene, database, "postgres", "refresh", refresh);
    }));
    threads.push(scope.spawn(move || {
        act(scene, database, "postgres", "import", import);
    }));
    threads.push(scope.spawn(move || {
        act(scene, UPDATED_DATABASE, "postgres", "upgrade", upgrade);
    }));
    threads
}

/// Repeats a step, with a number that grows, in one session after another.
fn act(
    scene: &Scene,
    database: &str,
    role: &str,
    name: &str,
    mut step: impl FnMut(&mut Client, usize) -> Outcome,
) {
    let mut number = 0;
    while !scene.is_over() {
        let Ok(mut client) = scene.server.try_connect(database, role) else {
            sleep(Duration::from_millis(20));
            continue;
        };
        while !scene.is_over() && !client.is_closed() {
            number += 1;
            match step(&mut client, number) {
                Ok(()) => scene.note(&format!("{name}: ok")),
                Err(error) => {
                    let code = error.code().map_or("connection lost", |code| code.code());
                    scene.note(&format!("{name}: {code}"));
                    assert!(!code.starts_with("XX"), "{name}: {error:?}");
                }
            }
        }
    }
}

fn ask(client: &mut Client, model: &str) -> Outcome {
    let sql = "SELECT status, coalesce(answer, ''), coalesce(result_rows::text, '')
                 FROM text2sql.ask($1, options => jsonb_build_object('model', $2::text))";
    let row = client.query_one(sql, &[&QUESTION, &model])?;
    let (status, answer, rows): (&str, &str, &str) = (row.get(0), row.get(1), row.get(2));
    match status {
        "ok" => assert!(rows.contains("400"), "{model}: {answer}: {rows}"),
        // The program of a model file is ended as well: a question that it was answering fails, and says so. And the
        // workers of the batch take what one role may ask of models at a time.
        _ => {
            let is_crowded = answer.starts_with("too many questions of role");
            assert!(
                status == "failed" && (model == "own" || is_crowded),
                "{model}: {answer}"
            );
        }
    }
    Ok(())
}

fn ask_over_http(scene: &Scene) {
    while !scene.is_over() {
        let server = scene.web.lock().unwrap_or_else(PoisonError::into_inner);
        let request = server
            .post(
                "/api/v1/ask",
                json!({"question": QUESTION, "options": {"model": "m"}}),
            )
            .as_role(&scene.person);
        drop(server);
        match request.try_send() {
            Ok(response) if response.status == 200 => {
                let row = response.json();
                if row["answer"].to_string().contains("too many questions") {
                    scene.note("http: crowded");
                    continue;
                }
                assert_eq!(row["status"], "ok", "{row}");
                assert!(row["result_rows"].to_string().contains("400"), "{row}");
                scene.note("http: ok");
            }
            Ok(response) => {
                // The database restarts: nothing else is a reason not to answer.
                assert_eq!(response.status, 503, "{}", response.body);
                scene.note("http: 503");
                sleep(Duration::from_millis(20));
            }
            Err(_) => {
                scene.note("http: connection lost");
                sleep(Duration::from_millis(20));
            }
        }
    }
}

fn submit(scene: &Scene, client: &mut Client) -> Outcome {
    let waiting = "SELECT count(*) FROM text2sql.answers WHERE state IN ('waiting', 'running') AND batch IS NULL";
    if client.query_one(waiting, &[])?.get::<_, i64>(0) >= WAITING {
        sleep(Duration::from_millis(50));
        return Ok(());
    }
    let row = client.query_one("SELECT text2sql.submit($1)", &[&QUESTION])?;
    let mut submitted = scene
        .submitted
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    submitted.push(row.get(0));
    Ok(())
}

/// A batch that is called again until it is whole, and then begun anew under another name.
fn ask_batch(client: &mut Client, _: usize) -> Outcome {
    let begun =
        "SELECT count(DISTINCT batch), count(*) FILTER (WHERE state IN ('waiting', 'running'))
                   FROM text2sql.answers WHERE batch IS NOT NULL";
    let row = client.query_one(begun, &[])?;
    let (batches, open): (i64, i64) = (row.get(0), row.get(1));
    let number = if open > 0 { batches } else { batches + 1 };
    client.batch_execute(&call_of_batch(&format!("batch {number}")))
}

pub(super) fn call_of_batch(name: &str) -> String {
    format!(
        "CALL text2sql.ask_batch('SELECT order_id, ''{QUESTION}'' FROM orders WHERE order_id <= 8', '{name}')"
    )
}

fn refresh(client: &mut Client, number: usize) -> Outcome {
    client.batch_execute(&format!(
        "COMMENT ON TABLE orders IS 'sales, as of change {number}';
         INSERT INTO countries SELECT max(country_id) + 1, 'Country ' || max(country_id) + 1 FROM countries"
    ))?;
    let options = if number.is_multiple_of(3) {
        "'{\"rebuild\": true}'"
    } else {
        ""
    };
    client.batch_execute(&format!("CALL text2sql.refresh({options})"))
}

/// Files that replace what was imported before.
fn import(client: &mut Client, number: usize) -> Outcome {
    match number % 3 {
        0 => {
            let lines: String = (0..checks::TERMS)
                .map(|term| format!("term {term},version {number} of it\n"))
                .collect();
            let sql =
                "SELECT count(*) FROM text2sql.import_knowledge($1, 'glossary', 'glossary.csv')";
            client.query_one(sql, &[&format!("term,meaning\n{lines}")])?;
        }
        1 => {
            let lines: String = (0..checks::DOCUMENTS)
                .map(|page| json!({"title": format!("page {page}"), "body": format!("Version {number} of the page.")}).to_string() + "\n")
                .collect();
            let sql = "SELECT count(*) FROM text2sql.import_knowledge($1, 'documents', 'handbook', mode => 'replace')";
            client.query_one(sql, &[&lines])?;
        }
        _ => {
            let lines: String = (0..checks::LOADED)
                .map(|line| format!("{line},name {line}\n"))
                .collect();
            client.batch_execute("DROP TABLE IF EXISTS public.loaded")?;
            let sql = "SELECT count(*) FROM text2sql.load_file('public.loaded', $1)";
            client.query_one(sql, &[&format!("id,name\n{lines}")])?;
        }
    }
    Ok(())
}

/// Updates a database from the version before, which works whatever ended the update before: that has happened or not.
pub(super) fn upgrade(client: &mut Client, _: usize) -> Outcome {
    let updated =
        "SELECT FROM pg_extension WHERE extname = 'pg_text2sql' AND extversion <> '0.1.0'";
    if client.query_opt(updated, &[])?.is_some() {
        client.batch_execute("SELECT count(*) FROM text2sql.status()")?;
    }
    client.batch_execute(
        "SET client_min_messages = error;
         DROP EXTENSION IF EXISTS pg_text2sql CASCADE;
         CREATE EXTENSION pg_text2sql VERSION '0.1.0' CASCADE",
    )?;
    client.batch_execute("ALTER EXTENSION pg_text2sql UPDATE")
}
