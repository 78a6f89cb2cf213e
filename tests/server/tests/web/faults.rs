//! What fails while a question runs: models, the database, the server itself. Every stream ends, with exactly one ending.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use model_double::{ModelDouble, Script};
use serde_json::json;
use text2sql_server_tests::TestDatabase;
use text2sql_server_tests::standby::Standby;
use text2sql_server_tests::waiting::wait_until;
use text2sql_server_tests::web::{EventStream, PASSWORD, Server, free_port, person};

fn ask(server: &Server, role: &str, model: &str) -> EventStream {
    let question = json!({"question": "What is slow?", "options": {"model": model}});
    server.post("/api/v1/ask", question).as_role(role).stream()
}

#[test]
fn a_model_that_misbehaves_ends_its_question() {
    let double = ModelDouble::start(Script::new()).unwrap();
    let database = TestDatabase::new("web_models");
    let dead = format!("http://127.0.0.1:{}/v1", free_port());
    database.add_model("dead", "openai", &dead, "");
    let behaviours = [
        "html",
        "truncated-json",
        "malformed-json",
        "empty-body",
        "empty-content",
        "no-sql",
        "refusal",
        "hang-up",
        "reset",
        "cut-body",
        "status-500",
        "status-401",
        "redirect",
        "big",
        "model-not-found",
        "delay-600000",
    ];
    for (number, behaviour) in behaviours.iter().enumerate() {
        let more = if behaviour.starts_with("delay") {
            ", timeout_ms '1000'"
        } else {
            ""
        };
        database.add_model(
            &format!("m{number}"),
            "openai",
            &double.base_url(behaviour),
            more,
        );
    }
    let ana = person(&database, "ana");
    let server = Server::start(&database, &[]);
    let models = (0..behaviours.len()).map(|number| format!("m{number}"));
    for (model, behaviour) in models.zip(behaviours).chain([("dead".to_owned(), "dead")]) {
        let ending = ask(&server, &ana, &model).ending();
        assert_eq!(ending.name, "answer", "{behaviour}: {ending:?}");
        let row = ending.json();
        assert!(
            matches!(row["status"].as_str(), Some("failed" | "unanswerable")),
            "{behaviour}: {row}"
        );
        assert!(
            !row["answer"].as_str().unwrap_or_default().is_empty(),
            "{behaviour}: {row}"
        );
        assert!(
            !row.to_string().contains("sk-test-key-4711"),
            "{behaviour}: {row}"
        );
    }
    // One that never stops, byte by byte, and the limit of the server on a question.
    database.add_model("drip", "openai", &double.base_url("delay-600000"), "");
    let limited = Server::start(&database, &["--limits-question-seconds", "1"]);
    let ending = ask(&limited, &ana, "drip").ending();
    assert_eq!(
        (ending.name.as_str(), &ending.json()["status"]),
        ("error", &json!(504))
    );
    assert_eq!(ending.json()["sqlstate"], "57014");
}

#[test]
fn the_end_of_the_database_ends_its_streams() {
    let double = ModelDouble::start(Script::new()).unwrap();
    let database = TestDatabase::new("web_restart");
    database.add_model("slow", "openai", &double.base_url("delay-600000"), "");
    let ana = person(&database, "ana");
    let mut standby = Standby::start("web_restart", &["listen_addresses=127.0.0.1"]);
    let target = format!(
        "host=127.0.0.1 port={} dbname={}",
        standby.port(),
        database.name()
    );
    let server = Server::start_at(&target, &[]);
    let login = json!({"user": ana, "password": PASSWORD});
    let session = server.post("/api/v1/session", &login).send();
    assert_eq!(session.of_status(200)["warnings"][0]["code"], "read_only");
    let cookie = session.cookie();
    let run = || {
        server
            .post(
                "/api/v1/run",
                json!({"sql": "SELECT count(*) AS n FROM orders"}),
            )
            .in_session(&cookie)
            .send()
    };
    run().of_status(200);
    for mode in ["fast", "immediate"] {
        let mut stream = ask(&server, &ana, "slow");
        stream.wait_for_stage("generate");
        standby.stop(mode);
        let ending = stream.ending();
        assert_eq!(
            (ending.name.as_str(), &ending.json()["status"]),
            ("error", &json!(503)),
            "{mode}: {ending:?}"
        );
        // While it is away everything says so, and the page is still there.
        let away = run();
        assert_eq!(
            away.problem(503),
            "the database cannot be reached",
            "{mode}"
        );
        assert_eq!(away.header("retry-after"), Some("5"));
        assert_eq!(server.get("/readyz").send().status, 503);
        assert_eq!(server.get("/healthz").send().status, 200);
        standby.start_again();
        // Sessions survive: no new login is needed.
        wait_until("the database is back", || {
            server.get("/readyz").send().status == 200
        });
        assert_eq!(
            run().of_status(200)["result_rows"],
            json!([{"n": 400}]),
            "{mode}"
        );
    }
    // A connection that was idle when its backend ended is no error for the next request.
    let mut admin = standby.connect(database.name(), "postgres");
    let end =
        "SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity WHERE usename = $1";
    let ended: i64 = admin.query_one(end, &[&ana]).unwrap().get(0);
    assert!(ended > 0);
    run().of_status(200);
}

#[test]
fn a_backend_that_is_ended_ends_its_stream() {
    let double = ModelDouble::start(Script::new()).unwrap();
    let database = TestDatabase::new("web_ended");
    database.add_model("slow", "openai", &double.base_url("delay-600000"), "");
    let ana = person(&database, "ana");
    let server = Server::start(&database, &[]);
    let mut admin = database.superuser();
    for function in ["pg_cancel_backend(pid)", "pg_terminate_backend(pid)"] {
        let mut stream = ask(&server, &ana, "slow");
        stream.wait_for_stage("generate");
        let end = format!(
            "SELECT {function} FROM pg_stat_activity WHERE usename = '{ana}' AND state = 'active'"
        );
        admin.batch_execute(&end).unwrap();
        let ending = stream.ending();
        assert_eq!(ending.name, "error", "{function}: {ending:?}");
        let status = ending.json()["status"].as_u64().unwrap();
        assert!(matches!(status, 503 | 504), "{function}: {ending:?}");
    }
    let rows = server
        .post("/api/v1/run", json!({"sql": "SELECT 1 AS n"}))
        .as_role(&ana)
        .send();
    rows.of_status(200);
}

#[test]
fn the_end_of_the_server_leaves_nothing_behind() {
    let double = ModelDouble::start(Script::new()).unwrap();
    let database = TestDatabase::new("web_killed");
    database.add_model("slow", "openai", &double.base_url("delay-600000"), "");
    let ana = person(&database, "ana");
    let mut admin = database.superuser();
    let connected = "SELECT count(*) FROM pg_stat_activity WHERE usename = $1";
    let mut none_is_left = || {
        let start = Instant::now();
        wait_until("no backend is left", || {
            admin
                .query_one(connected, &[&ana])
                .unwrap()
                .get::<_, i64>(0)
                == 0
        });
        start.elapsed()
    };
    // Killed: nobody can cancel any more, and the backends look after their client themselves.
    let mut killed = Server::start(&database, &[]);
    let mut stream = ask(&killed, &ana, "slow");
    stream.wait_for_stage("generate");
    killed.signal("KILL");
    killed.wait();
    let time = none_is_left();
    println!("no backend is left after {time:?}");
    assert!(time < Duration::from_secs(10), "{time:?}");
    // Asked to end: streams get their end, and it succeeds.
    let mut ended = Server::start(&database, &[]);
    let mut stream = ask(&ended, &ana, "slow");
    stream.wait_for_stage("generate");
    ended.signal("TERM");
    let ending = stream.ending();
    assert_eq!(
        (ending.name.as_str(), &ending.json()["status"]),
        ("error", &json!(503))
    );
    assert_eq!(ending.json()["title"], "the server is shutting down");
    assert!(ended.wait().success());
    none_is_left();
}

/// Takes connections and says nothing.
#[test]
fn a_database_that_says_nothing_is_an_error_in_time() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        let open: Vec<TcpStream> = listener.incoming().flatten().collect();
        drop(open);
    });
    let target = format!("host=127.0.0.1 port={port} dbname=nowhere connect_timeout=2");
    let server = Server::start_at(&target, &[]);
    let begin = Instant::now();
    server.get("/readyz").send().problem(503);
    let run = server.post("/api/v1/run", json!({"sql": "SELECT 1"}));
    let said = run.as_role("nobody").send().problem(503);
    assert_eq!(said, "the database cannot be reached");
    assert!(
        begin.elapsed() < Duration::from_secs(20),
        "{:?}",
        begin.elapsed()
    );
}

/// A network between that becomes silent: calls end in time, and the next one works when it is there again.
#[test]
fn a_network_that_becomes_silent_is_an_error_in_time() {
    let database = TestDatabase::new("web_silent");
    let ana = person(&database, "ana");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let is_silent = Arc::new(AtomicBool::new(false));
    let to = format!("127.0.0.1:{}", std::env::var("PGPORT").unwrap());
    let stops = Arc::clone(&is_silent);
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let Ok(database) = TcpStream::connect(&to) else {
                continue;
            };
            for (from, into) in [
                (client.try_clone().unwrap(), database.try_clone().unwrap()),
                (database, client),
            ] {
                let stops = Arc::clone(&stops);
                std::thread::spawn(move || forward(from, into, &stops));
            }
        }
    });
    let target = format!("host=127.0.0.1 port={port} dbname={}", database.name());
    let server = Server::start_at(&target, &["--limits-question-seconds", "2"]);
    let run = |sql: &str| {
        server
            .post("/api/v1/run", json!({"sql": sql}))
            .as_role(&ana)
    };
    run("SELECT 1 AS n").send().of_status(200);
    // Its own limit names itself.
    let slow = "SELECT count(*) AS n FROM generate_series(1, 100000000) a, generate_series(1, 1000) b WHERE a = b";
    let response = run(slow).send();
    if response.status == 504 {
        assert_eq!(response.problem(504), "the call took longer than 2 seconds");
    }
    is_silent.store(true, Ordering::Relaxed);
    let begin = Instant::now();
    let said = run("SELECT 2 AS n").send().problem(503);
    assert_eq!(said, "the database cannot be reached");
    assert!(
        begin.elapsed() < Duration::from_secs(30),
        "{:?}",
        begin.elapsed()
    );
    is_silent.store(false, Ordering::Relaxed);
    wait_until("the next call works", || {
        run("SELECT 3 AS n").send().status == 200
    });
}

/// Hands bytes on, unless the network is silent.
fn forward(mut from: TcpStream, mut into: TcpStream, is_silent: &AtomicBool) {
    let mut bytes = [0; 4096];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        if is_silent.load(Ordering::Relaxed) {
            // The connection stays open, and never says anything again.
            loop {
                std::thread::sleep(Duration::from_secs(1));
            }
        }
        if into
            .write_all(bytes.get(..count).unwrap_or_default())
            .is_err()
        {
            return;
        }
    }
    let _ = into.shutdown(std::net::Shutdown::Write);
}
