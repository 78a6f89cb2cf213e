//! Questions that run: who leaves frees the database, a cancel hits nobody else, and there is an end to how many run.

use std::time::{Duration, Instant};

use model_double::{ModelDouble, Script};
use postgres::Client;
use serde_json::json;
use text2sql_server_tests::TestDatabase;
use text2sql_server_tests::waiting::wait_until;
use text2sql_server_tests::web::{EventStream, Issuer, Request, Server, person};

const QUESTION: &str = "What is slow?";
/// It takes some minutes, and the planner expects less.
const LONG: &str =
    "WITH RECURSIVE r(n) AS (SELECT 1::bigint UNION ALL SELECT n + 1 FROM r WHERE n < 10000000000)
    SELECT count(*) FROM r";
/// A test of an hour has more rounds: `make soak` says how many.
const ROUNDS: &str = "TEXT2SQL_CANCEL_ROUNDS";

/// How many statements of this login run.
fn active(admin: &mut Client, login: &str) -> i64 {
    let sql = "SELECT count(*) FROM pg_stat_activity WHERE usename = $1 AND state <> 'idle'";
    admin.query_one(sql, &[&login]).unwrap().get(0)
}

fn ask(server: &Server, question: &str) -> Request {
    server.post("/api/v1/ask", json!({"question": question}))
}

fn waiting_for_model(request: Request) -> EventStream {
    let mut stream = request.stream();
    stream.wait_for_stage("generate");
    stream
}

#[test]
fn who_leaves_frees_the_database() {
    let double = ModelDouble::start(Script::new()).unwrap();
    let database = TestDatabase::new("web_leave");
    database.add_model("slow", "openai", &double.base_url("delay-600000"), "");
    let ana = person(&database, "ana");
    let server = Server::start(&database, &[]);
    let mut admin = database.superuser();
    let mut times = Vec::new();
    let mut leave = |what: &str, admin: &mut Client, left: &dyn Fn()| {
        wait_until(what, || active(admin, &ana) == 1);
        let start = Instant::now();
        left();
        wait_until(what, || active(admin, &ana) == 0);
        times.push(start.elapsed());
    };
    for _ in 0..10 {
        let stream = std::cell::Cell::new(Some(waiting_for_model(
            ask(&server, QUESTION).as_role(&ana),
        )));
        leave("a stream that is closed", &mut admin, &|| {
            drop(stream.take())
        });
    }
    for request in [
        ask(&server, QUESTION),
        server.post("/api/v1/run", json!({"sql": LONG})),
        server.post("/api/v1/export", json!({"sql": LONG, "format": "csv"})),
    ] {
        let connection = std::cell::Cell::new(Some(request.as_role(&ana).begin()));
        leave("a request that is given up", &mut admin, &|| {
            drop(connection.take())
        });
    }
    times.sort();
    let median = times[times.len() / 2];
    println!(
        "free after {median:?} (median), {:?} (maximum)",
        times.last().unwrap()
    );
    assert!(median < Duration::from_secs(1), "{times:?}");
    // The connections are the ones that were there before.
    let rows = server
        .post("/api/v1/run", json!({"sql": "SELECT 1 AS n"}))
        .as_role(&ana)
        .send();
    rows.of_status(200);
    let open = "SELECT count(*) FROM pg_stat_activity WHERE usename = $1";
    let open: i64 = admin.query_one(open, &[&ana]).unwrap().get(0);
    assert!(open <= 3, "{open}");
}

#[test]
fn a_question_with_a_name_is_found_again() {
    let double = ModelDouble::start(Script::new()).unwrap();
    let database = TestDatabase::new("web_again");
    database.add_model("slow", "openai", &double.base_url("delay-600000"), "");
    let (ana, bob) = (person(&database, "ana"), person(&database, "bob"));
    let server = Server::start(&database, &[]);
    let mut admin = database.superuser();
    let named = server.post("/api/v1/ask?run=mine", json!({"question": QUESTION}));
    drop(waiting_for_model(named.as_role(&ana)));
    // It runs on, and tells its steps from the beginning, to the role that asked it.
    let mut again = server.get("/api/v1/running/mine").as_role(&ana).stream();
    again.wait_for_stage("retrieve");
    again.wait_for_stage("generate");
    assert_eq!(active(&mut admin, &ana), 1);
    let other = server.get("/api/v1/running/mine").as_role(&bob).send();
    assert_eq!(other.problem(404), "no such question is running");
    let stop = |role: &str| {
        let stop = server.request("DELETE", "/api/v1/running/mine");
        stop.as_role(role).send()
    };
    stop(&bob).problem(404);
    assert_eq!(stop(&ana).status, 204);
    assert_eq!(again.ending().json()["status"], 499);
    wait_until("nothing runs", || active(&mut admin, &ana) == 0);
    wait_until("it is forgotten", || stop(&ana).status == 404);
    let unnamed = server.post("/api/v1/ask?run=", json!({"question": QUESTION}));
    unnamed.as_role(&ana).send().problem(400);
}

#[test]
fn a_cancel_hits_no_other_statement() {
    let double = ModelDouble::start(Script::new()).unwrap();
    let issuer = Issuer::new("web_cancel");
    let Issuer {
        database,
        ana,
        bob,
        door,
        ..
    } = &issuer;
    database.add_model("slow", "openai", &double.base_url("delay-600000"), "");
    // All of them share two connections.
    let server = issuer.start(
        &format!("{ana},{bob}"),
        &["--limits-connections", "2", "--limits-role-waiting", "100"],
    );
    let rounds: u32 = std::env::var(ROUNDS).map_or(300, |rounds| rounds.parse().unwrap());
    let (token, other) = (issuer.token(ana), issuer.token(bob));
    let mut random = fastrand::Rng::with_seed(18);
    for round in 0..rounds {
        let connection = match round % 3 {
            0 => ask(&server, QUESTION)
                .token(&token)
                .header("Accept", "text/event-stream")
                .begin(),
            1 => ask(&server, QUESTION).token(&token).begin(),
            _ => server
                .post("/api/v1/run", json!({"sql": LONG}))
                .token(&token)
                .begin(),
        };
        // At any moment of it: before it began, while it plans, while it waits.
        std::thread::sleep(Duration::from_micros(random.u64(..30_000)));
        drop(connection);
        let response = server
            .post(
                "/api/v1/run",
                json!({"sql": format!("SELECT {round} AS n, count(*) AS c FROM orders")}),
            )
            .token(&other)
            .send();
        let rows = response.of_status(200);
        assert_eq!(rows["result_rows"], json!([{"n": round, "c": 400}]));
    }
    let mut admin = database.superuser();
    wait_until("nothing runs", || active(&mut admin, door) == 0);
}

#[test]
fn there_is_an_end_to_open_streams() {
    let double = ModelDouble::start(Script::new()).unwrap();
    let database = TestDatabase::new("web_many");
    database.add_model("slow", "openai", &double.base_url("delay-600000"), "");
    let (ana, bob) = (person(&database, "ana"), person(&database, "bob"));
    let server = Server::start(
        &database,
        &["--limits-role-waiting", "250", "--limits-connections", "4"],
    );
    let before = resident_kb(&server);
    let stream = |role: &str| ask(&server, QUESTION).as_role(role).stream();
    let mut streams: Vec<EventStream> = (0..200).map(|_| stream(&ana)).collect();
    let memory = resident_kb(&server);
    println!("200 streams: {memory} kB resident, {before} kB before");
    assert!(memory < 64 * 1024, "{memory} kB");
    let start = Instant::now();
    let refused = ask(&server, QUESTION)
        .as_role(&bob)
        .header("Accept", "text/event-stream")
        .send();
    assert_eq!(
        refused.problem(503),
        "too many questions are running on this server"
    );
    assert_eq!(refused.header("retry-after"), Some("10"));
    assert!(start.elapsed() < Duration::from_secs(5));
    // Requests that are not questions go on.
    server
        .get("/api/v1/session")
        .as_role(&bob)
        .send()
        .of_status(200);
    assert_eq!(server.get("/healthz").send().status, 200);
    let mut admin = database.superuser();
    assert_eq!(active(&mut admin, &ana), 2);
    // Each of them is alive, and says so.
    let mut last = streams.pop().unwrap();
    let event = last.next_event().unwrap();
    assert_eq!(
        (event.name.as_str(), &event.json()["stage"]),
        ("step", &json!("wait"))
    );
    assert_eq!(last.next_comment(), ":");
    drop((streams, last));
    wait_until("room again", || active(&mut admin, &ana) == 0);
    let answer = server
        .post(
            "/api/v1/ask",
            json!({"question": "How many customers are there?", "options": {"model": "builtin"}}),
        )
        .as_role(&bob)
        .stream()
        .ending();
    assert_eq!(answer.json()["status"], "ok");
}

#[test]
fn a_role_has_its_share_and_no_more() {
    let double = ModelDouble::start(Script::new()).unwrap();
    let database = TestDatabase::new("web_share");
    database.add_model("slow", "openai", &double.base_url("delay-600000"), "");
    let (ana, bob) = (person(&database, "ana"), person(&database, "bob"));
    let server = Server::start(
        &database,
        &[
            "--limits-role-running",
            "1",
            "--limits-role-waiting",
            "1",
            "--limits-connections",
            "3",
            "--limits-connection-seconds",
            "1",
        ],
    );
    let first = waiting_for_model(ask(&server, QUESTION).as_role(&ana));
    let mut second = ask(&server, QUESTION).as_role(&ana).stream();
    let waits = second.next_event().unwrap().json();
    assert_eq!(
        (&waits["stage"], &waits["position"]),
        (&json!("wait"), &json!(1))
    );
    let refused = ask(&server, QUESTION).as_role(&ana).send();
    assert_eq!(
        refused.problem(429),
        "2 questions of this role are running or waiting already"
    );
    assert_eq!(refused.header("retry-after"), Some("5"));
    // Others are not held up.
    let others = waiting_for_model(ask(&server, QUESTION).as_role(&bob));
    // The one that waited runs when its turn comes.
    drop(first);
    second.wait_for_stage("generate");
    // A request that finds no connection says when to come again.
    let held: Vec<_> = (0..3)
        .map(|_| {
            server
                .post("/api/v1/run", json!({"sql": LONG}))
                .as_role(&ana)
                .begin()
        })
        .collect();
    let mut admin = database.superuser();
    wait_until("all connections are in use", || {
        active(&mut admin, &ana) + active(&mut admin, &bob) == 3
    });
    let busy = server.get("/api/v1/session").as_role(&bob).send();
    assert_eq!(
        busy.problem(503),
        "all connections to the database are in use"
    );
    assert_eq!(busy.header("retry-after"), Some("5"));
    drop((held, others, second));
    wait_until("nothing runs", || {
        active(&mut admin, &ana) + active(&mut admin, &bob) == 0
    });
    server
        .get("/api/v1/session")
        .as_role(&bob)
        .send()
        .of_status(200);
}

/// Memory of the program that is not elsewhere.
fn resident_kb(server: &Server) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.process())).unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}
