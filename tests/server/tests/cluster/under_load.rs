//! text2sql-server under load: connections that say nothing or say it slowly, questions of the built-in engine from many
//! sessions, and a database that restarts in the middle. `TEXT2SQL_LOAD` is the number of seconds, with
//! the full load; without it, a tenth of it. Not of every commit: shortly after the restart some questions still get 503.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use postgres::{Client, NoTls};
use serde_json::json;
use text2sql_server_tests::TestDatabase;
use text2sql_server_tests::processes::private_kb;
use text2sql_server_tests::standby::Standby;
use text2sql_server_tests::waiting::wait_until;
use text2sql_server_tests::web::{PASSWORD, Server, person};

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

/// For trying, on whatever machine.
const SMALL: Load = Load {
    time: Duration::from_secs(12),
    idle: 100,
    slow: 20,
    sessions: 10,
    questions_a_second: 5,
};

/// Sessions of one role: no more than it may have questions at a time.
const SESSIONS_OF_ROLE: usize = 2;

/// Connections of one address: fewer than it may have.
const OF_ADDRESS: usize = 300;

/// What the process may keep after the load, beside what it had when it was warm.
const KEPT_KB: i64 = 32 * 1024;

const QUESTIONS: [&str; 4] = [
    "How many orders are there?",
    "How many customers are in France?",
    "What is the total of all orders?",
    "How many orders are there in January 2025?",
];

/// What came of a question: when it began, how long it took, and its status; 0 where the connection was lost.
struct Asked {
    begin: Instant,
    time: Duration,
    status: u16,
}

#[test]
#[ignore = "for make soak: it does not pass yet, see the head of this file"]
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
    let mut admin = standby.connect("postgres", "postgres");
    admin.batch_execute("SELECT pg_promote()").unwrap();
    let target = format!(
        "host=127.0.0.1 port={} dbname={}",
        standby.port(),
        database.name()
    );
    let own = format!(
        "host={} port={} dbname={} user=postgres",
        std::env::var("PGHOST").unwrap(),
        standby.port(),
        database.name()
    );
    // Each person has connections of their own: with fewer, every question would open one.
    let connections = load.sessions + 20;
    let limit = connections.to_string();
    let mut server = Server::start_at(&target, &["--limits-connections", &limit]);
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
    let warm = private_kb(server.process()).unwrap_or(0);
    drop(admin);

    let is_over = AtomicBool::new(false);
    let (closed, most) = (AtomicUsize::new(0), Mutex::new((0_i64, 0_i64)));
    let asked = Mutex::new(Vec::new());
    let begin = Instant::now();
    let mut restart = (begin, begin);
    thread::scope(|scope| {
        scope.spawn(|| hold(server.address(), load.idle, None, &is_over, &closed));
        scope.spawn(|| hold(server.address(), load.slow, Some(b'a'), &is_over, &closed));
        scope.spawn(|| watch(&server, &own, &is_over, &most));
        let pause = Duration::from_secs(1) * u32::try_from(load.sessions).unwrap()
            / u32::try_from(load.questions_a_second).unwrap();
        for (number, cookie) in cookies.iter().enumerate() {
            let (server, is_over, asked) = (&server, &is_over, &asked);
            let first = begin
                + pause * u32::try_from(number).unwrap() / u32::try_from(load.sessions).unwrap();
            scope.spawn(move || ask_on(server, cookie, first, pause, is_over, asked));
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

    let asked = asked.into_inner().unwrap();
    let is_of_restart =
        |asked: &&Asked| asked.begin + asked.time >= restart.0 && asked.begin <= restart.1;
    let failed: Vec<&Asked> = asked.iter().filter(|asked| asked.status != 200).collect();
    let beyond: Vec<u16> = failed
        .iter()
        .filter(|asked| !is_of_restart(asked))
        .map(|asked| asked.status)
        .collect();
    let mut times: Vec<Duration> = asked
        .iter()
        .filter(|asked| asked.status == 200)
        .map(|asked| asked.time)
        .collect();
    times.sort();
    let percentile = |percent: usize| {
        times
            .get(times.len() * percent / 100)
            .copied()
            .unwrap_or_default()
    };
    let (most_kb, most_sessions) = *most.lock().unwrap();
    // Those that were held are closed; the server notices that at once.
    let mut after = i64::MAX;
    let given_up = Instant::now() + Duration::from_secs(60);
    while after > warm + KEPT_KB && Instant::now() < given_up {
        sleep(Duration::from_secs(1));
        after = private_kb(server.process()).unwrap_or(0);
    }
    println!(
        "{} questions in {time:.0?} ({:.1} a second): median {:?}, p95 {:?}, p99 {:?}, longest {:?}
{} not answered, {} of them beyond the restart of {:?}; connections closed by the server: {}
memory: {warm} kB warm, at most {most_kb} kB, {after} kB after; sessions of the database: at most {most_sessions}",
        asked.len(),
        asked.len() as f64 / time.as_secs_f64(),
        percentile(50),
        percentile(95),
        percentile(99),
        times.last().copied().unwrap_or_default(),
        failed.len(),
        beyond.len(),
        restart.1 - restart.0,
        closed.load(Ordering::SeqCst),
    );
    assert!(
        beyond.is_empty(),
        "not answered, though the database was there: {beyond:?}"
    );
    assert!(
        usize::try_from(most_sessions).unwrap() <= connections,
        "{most_sessions} sessions of the database"
    );
    assert!(
        after <= warm + KEPT_KB,
        "{warm} kB before and {after} kB after"
    );
    server.signal("TERM");
    assert!(server.wait().success());
    let mut admin = standby.connect(database.name(), "postgres");
    let left = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
    wait_until("no session is left", || {
        admin.query_one(left, &[]).unwrap().get::<_, i64>(0) == 0
    });
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

fn ask(server: &Server, cookie: &str, question: &str) -> std::io::Result<u16> {
    let body = json!({"question": question, "options": {"model": "builtin"}});
    let response = server
        .post("/api/v1/ask", body)
        .in_session(cookie)
        .try_send()?;
    if response.status == 200 {
        assert_eq!(response.json()["status"], "ok", "{}", response.body);
    }
    Ok(response.status)
}

/// Asks at a steady pace.
fn ask_on(
    server: &Server,
    cookie: &str,
    first: Instant,
    pause: Duration,
    is_over: &AtomicBool,
    asked: &Mutex<Vec<Asked>>,
) {
    let mut next = first;
    for number in 0.. {
        sleep(next.saturating_duration_since(Instant::now()));
        if is_over.load(Ordering::SeqCst) {
            return;
        }
        let begin = Instant::now();
        let status = ask(server, cookie, QUESTIONS[number % QUESTIONS.len()]).unwrap_or(0);
        let time = begin.elapsed();
        asked.lock().unwrap().push(Asked {
            begin,
            time,
            status,
        });
        next += pause;
    }
}

/// Keeps so many connections open that send nothing, or a byte a second of a header. One that the server closes is
/// followed by another.
fn hold(
    server: SocketAddr,
    count: usize,
    byte: Option<u8>,
    is_over: &AtomicBool,
    closed: &AtomicUsize,
) {
    let mut held: Vec<Option<TcpStream>> = (0..count).map(|_| None).collect();
    while !is_over.load(Ordering::SeqCst) {
        for (number, place) in held.iter_mut().enumerate() {
            if place.is_none() {
                *place = connect_from(number, server);
                if let (Some(stream), Some(_)) = (place.as_mut(), byte) {
                    let _ = stream.write_all(b"GET / HTTP/1.1\r\nX-a: ");
                }
            }
            let Some(stream) = place else { continue };
            let is_open = match stream.read(&mut [0; 256]) {
                Err(error) => error.kind() == ErrorKind::WouldBlock,
                Ok(_) => false,
            };
            let is_sent = byte.is_none_or(|byte| stream.write_all(&[byte]).is_ok());
            if !is_open || !is_sent {
                closed.fetch_add(1, Ordering::SeqCst);
                *place = None;
            }
        }
        sleep(Duration::from_secs(1));
    }
}

/// A connection from one of the addresses of this machine.
fn connect_from(number: usize, server: SocketAddr) -> Option<TcpStream> {
    let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).ok()?;
    let host = u8::try_from(2 + number / OF_ADDRESS).ok()?;
    socket
        .bind(&SocketAddr::from(([127, 0, 0, host], 0)).into())
        .ok()?;
    socket.connect(&server.into()).ok()?;
    socket.set_nonblocking(true).ok()?;
    Some(socket.into())
}

/// The most memory of the server, and the most sessions that it has in the database.
fn watch(server: &Server, database: &str, is_over: &AtomicBool, most: &Mutex<(i64, i64)>) {
    let sessions = "SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()";
    while !is_over.load(Ordering::SeqCst) {
        let memory = private_kb(server.process()).unwrap_or(0);
        let counted =
            Client::connect(database, NoTls).and_then(|mut client| client.query_one(sessions, &[]));
        let mut most = most.lock().unwrap();
        *most = (
            most.0.max(memory),
            most.1.max(counted.map_or(0, |row| row.get(0))),
        );
        drop(most);
        sleep(Duration::from_millis(500));
    }
}
