//! text2sql-server under load: connections that say nothing, or say their headers or their body slowly, questions of the
//! built-in engine from many sessions, and a database that restarts in the middle. Beyond the restart every question is
//! answered, and afterwards memory, open files and sessions of the database are back where they were.
//! `TEXT2SQL_LOAD` is the number of seconds, with the full load: `scripts/bench.sh load` runs that with a release build.

mod clients;
mod figures;

use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, Scope, sleep};
use std::time::{Duration, Instant};

use serde_json::json;
use text2sql_server_tests::TestDatabase;
use text2sql_server_tests::standby::Standby;
use text2sql_server_tests::waiting::wait_until;
use text2sql_server_tests::web::{PASSWORD, Server, person};

use self::clients::{Says, ask, ask_on, hold};
use self::figures::{Figures, Questions};

/// How much there is of everything.
struct Load {
    time: Duration,
    idle: usize,
    slow: usize,
    sessions: usize,
    questions_a_second: usize,
}

const FULL: Load = Load {
    time: Duration::from_secs(300),
    idle: 1_000,
    slow: 200,
    sessions: 100,
    questions_a_second: 50,
};

/// In a test of every commit, on whatever machine.
const SMALL: Load = Load {
    time: Duration::from_secs(10),
    idle: 100,
    slow: 20,
    sessions: 10,
    questions_a_second: 5,
};

/// Sessions of one role: no more than it may have questions at a time.
const SESSIONS_OF_ROLE: usize = 2;

/// How long all connections are held once before, and until the server has noticed that they are gone.
const FIRST_WAVE: Duration = Duration::from_secs(2);

/// What the process may keep after the load, beside what it had when each session had asked and all connections had been
/// there once.
const KEPT_KB: i64 = 16 * 1024;

const QUESTIONS: [&str; 4] = [
    "How many orders are there?",
    "How many customers are in France?",
    "What is the total of all orders?",
    "How many orders are there in January 2025?",
];

#[test]
fn a_server_under_load_answers_and_gives_everything_back() {
    let load = match std::env::var("TEXT2SQL_LOAD") {
        Ok(seconds) => Load {
            time: Duration::from_secs(seconds.parse().unwrap()),
            ..FULL
        },
        Err(_) => SMALL,
    };
    raise_limit_of_files();
    let database = TestDatabase::new("load");
    let people: Vec<String> = (0..load.sessions.div_ceil(SESSIONS_OF_ROLE))
        .map(|number| person(&database, &format!("person_{number}")))
        .collect();
    let mut standby = Standby::start(
        "load",
        &[
            "listen_addresses=127.0.0.1",
            "max_connections=300",
            // The call that promotes it must not be cancelled.
            "max_standby_streaming_delay=-1",
        ],
    );
    standby
        .connect("postgres", "postgres")
        .batch_execute("SELECT pg_promote()")
        .unwrap();
    let (name, port) = (database.name(), standby.port());
    // Each person has connections of their own: with fewer, every question would open one.
    let connections = load.sessions + 20;
    let mut server = Server::start_at(
        &format!("host=127.0.0.1 port={port} dbname={name}"),
        &["--limits-connections", &connections.to_string()],
    );
    let process = server.process();
    let host = std::env::var("PGHOST").unwrap();
    let own = format!("host={host} port={port} dbname={name} user=postgres");
    let figures = || Figures::now(process, &own);
    let before = figures();
    let cookies: Vec<String> = (0..load.sessions)
        .map(|number| {
            let user = &people[number / SESSIONS_OF_ROLE];
            let login = json!({"user": user, "password": PASSWORD});
            server.post("/api/v1/session", &login).send().cookie()
        })
        .collect();
    for cookie in &cookies {
        for question in QUESTIONS {
            ask(&server, cookie, question).unwrap();
        }
    }
    // The C library keeps the memory of the first wave of connections; what each further wave adds would be a leak.
    let (is_over, closed) = (AtomicBool::new(false), AtomicUsize::new(0));
    thread::scope(|scope| {
        hold_all(scope, &load, &server, &cookies[0], &is_over, &closed);
        sleep(FIRST_WAVE);
        is_over.store(true, Ordering::SeqCst);
    });
    sleep(FIRST_WAVE);
    let warm = figures();

    is_over.store(false, Ordering::SeqCst);
    let most = Mutex::new(warm);
    let questions = Questions::default();
    let begin = Instant::now();
    let mut restart = (begin, begin);
    thread::scope(|scope| {
        let (server, is_over, closed, questions) = (&server, &is_over, &closed, &questions);
        hold_all(scope, &load, server, &cookies[0], is_over, closed);
        scope.spawn(|| {
            while !is_over.load(Ordering::SeqCst) {
                let now = figures();
                let mut most = most.lock().unwrap();
                *most = most.or_more(now);
                drop(most);
                sleep(Duration::from_millis(500));
            }
        });
        let sessions = u32::try_from(load.sessions).unwrap();
        let pause =
            Duration::from_secs(1) * sessions / u32::try_from(load.questions_a_second).unwrap();
        for (number, cookie) in (0..).zip(&cookies) {
            let first = begin + pause * number / sessions;
            scope.spawn(move || ask_on(server, cookie, first, pause, is_over, questions));
        }
        sleep(load.time / 2);
        let stopped = Instant::now();
        standby.stop("fast");
        standby.start_again();
        wait_until("the database is back", || {
            server.get("/readyz").send().status == 200
        });
        restart = (stopped, Instant::now());
        sleep((begin + load.time).saturating_duration_since(Instant::now()));
        is_over.store(true, Ordering::SeqCst);
    });
    let time = begin.elapsed();
    let most = *most.lock().unwrap();

    // Those that were held are closed, and the people log out; the server notices that at once.
    for cookie in &cookies {
        let logged_out = server
            .request("DELETE", "/api/v1/session")
            .in_session(cookie)
            .send();
        assert_eq!(logged_out.status, 204);
    }
    let mut after = figures();
    let given_up = Instant::now() + Duration::from_secs(60);
    while !after.are_back(&before, &warm, KEPT_KB) && Instant::now() < given_up {
        sleep(Duration::from_secs(1));
        after = figures();
    }
    let found = questions.within(restart);
    println!(
        "{} s on {} processors: {} idle and {} slow connections, {} sessions; {} connections closed by the server
{found}
before:           {before}
first wave:       {warm}
at most:          {most}
after:            {after}
the database was away for {:.1?}
{}",
        time.as_secs(),
        thread::available_parallelism().map_or(0, usize::from),
        load.idle,
        load.slow,
        load.sessions,
        closed.load(Ordering::SeqCst),
        restart.1 - restart.0,
        figures::warnings(&server.log()),
    );
    assert_eq!(
        found.beyond(),
        0,
        "not answered, though the database was there"
    );
    assert!(
        most.sessions <= connections,
        "{} sessions of the database",
        most.sessions
    );
    assert!(
        after.are_back(&before, &warm, KEPT_KB),
        "something was not given back"
    );
    server.signal("TERM");
    assert!(server.wait().success());
}

/// Holds the idle and the slow connections until it is over.
fn hold_all<'scope>(
    scope: &'scope Scope<'scope, '_>,
    load: &Load,
    server: &Server,
    cookie: &'scope str,
    is_over: &'scope AtomicBool,
    closed: &'scope AtomicUsize,
) {
    let (address, of_headers) = (server.address(), load.slow / 2);
    let mut first = 0;
    for (count, says) in [
        (load.idle, Says::Nothing),
        (of_headers, Says::Headers),
        (load.slow - of_headers, Says::Body(cookie)),
    ] {
        let places = first..first + count;
        first += count;
        scope.spawn(move || hold(address, places, says, is_over, closed));
    }
}

/// Connections on both sides, of this process and of those that it starts.
fn raise_limit_of_files() {
    let process = std::process::id().to_string();
    let mut command = Command::new("prlimit");
    command.args(["--pid", &process, "--nofile=4096:"]);
    assert!(
        command.status().unwrap().success(),
        "no more files may be opened"
    );
}
