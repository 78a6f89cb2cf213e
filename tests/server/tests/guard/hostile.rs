//! No input ends a session or outlives its timeout: every function that takes text, with
//! hostile texts, as every role that can call it.
//!
//! `make test` calls each function with some of the texts; `TEXT2SQL_HOSTILE=all` with all of them (`make
//! soak`).

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use postgres::Client;
use text2sql_server_tests::hostile::texts;
use text2sql_server_tests::{TestDatabase, connect};

/// What a call may take.
const TIMEOUT: Duration = Duration::from_secs(2);

/// What may pass between a timeout and the end of the call, on a machine with much else to do.
const GRACE: Duration = Duration::from_secs(18);

/// Texts for each argument of a function and role, unless all are tried.
const SOME: usize = 12;

const DATABASE: &str = "hostile";

/// The callers: a name, and the level of access. The last one is the superuser.
const CALLERS: [(&str, &str); 4] = [
    ("asker", "usage"),
    ("curator", "curator"),
    ("evaluator", "evaluation"),
    ("superuser", ""),
];

/// A function: its name with schema, whether it is a procedure, its arguments' types, and how many of them
/// have a default.
struct Function {
    name: String,
    is_procedure: bool,
    has_column_list: bool,
    types: Vec<String>,
    optional: usize,
}

const FUNCTIONS: &str = "
SELECT p.oid::regproc::text, p.prokind = 'p', p.prorettype = 'record'::regtype AND p.proallargtypes IS NULL,
       ARRAY(SELECT format_type(t, NULL) FROM unnest(p.proargtypes) WITH ORDINALITY u (t, n) ORDER BY n),
       p.pronargdefaults::int
FROM pg_proc p
WHERE p.pronamespace IN ('text2sql'::regnamespace, 'text2sql_eval'::regnamespace) AND p.prorettype <> 'trigger'::regtype
  AND p.prorettype <> 'event_trigger'::regtype AND has_function_privilege(p.oid, 'EXECUTE')
  AND p.proargtypes::oid[] && ARRAY['text'::regtype, 'json'::regtype, 'jsonb'::regtype, 'text[]'::regtype,
      'name'::regtype]::oid[]
ORDER BY 1, 4";

fn functions(client: &mut Client) -> Vec<Function> {
    let rows = client.query(FUNCTIONS, &[]).unwrap();
    rows.iter()
        .map(|row| Function {
            name: row.get(0),
            is_procedure: row.get(1),
            has_column_list: row.get(2),
            types: row.get(3),
            optional: usize::try_from(row.get::<_, i32>(4)).unwrap(),
        })
        .collect()
}

fn takes_text(type_name: &str) -> bool {
    matches!(type_name, "text" | "json" | "jsonb" | "text[]" | "name")
}

/// A call with `$1` in one place and something ordinary in the others.
fn call(function: &Function, hostile: usize) -> String {
    let needed = function.types.len() - function.optional;
    let takes_sql = [
        "sql", "score", "revise", "grade", "explain", "why", "trust", "optimize", "reliab",
    ]
    .iter()
    .any(|part| function.name.contains(part));
    let takes_kind = [".forget", ".accept", ".reject"]
        .iter()
        .any(|name| function.name.ends_with(name));
    let arguments: Vec<String> = function
        .types
        .iter()
        .take(needed.max(hostile + 1))
        .enumerate()
        .map(|(place, type_name)| match type_name.as_str() {
            "text[]" if place == hostile => "ARRAY[$1::text]".to_owned(),
            of if place == hostile => format!("$1::text::{of}"),
            "text" if takes_kind && place == 0 => "'example'".to_owned(),
            "text" | "name" if takes_sql => "'SELECT count(*) FROM customers'".to_owned(),
            "text" => "'How many customers are there?'".to_owned(),
            "text[]" => "ARRAY['customers']".to_owned(),
            "json" | "jsonb" => format!("'{{}}'::{type_name}"),
            "uuid" => "'00000000-0000-0000-0000-000000000000'::uuid".to_owned(),
            "boolean" => "false".to_owned(),
            "regclass" => "'customers'::regclass".to_owned(),
            "integer" | "bigint" | "smallint" | "double precision" | "real" | "numeric" => {
                format!("1::{type_name}")
            }
            other => format!("NULL::{other}"),
        })
        .collect();
    let arguments = arguments.join(", ");
    let name = &function.name;
    if function.is_procedure {
        format!("CALL {name}({arguments})")
    } else if function.has_column_list {
        format!("SELECT * FROM {name}({arguments}) AS t (x text)")
    } else {
        format!("SELECT * FROM {name}({arguments})")
    }
}

/// The report of a caller about its calls.
enum Told {
    Begins(usize, String),
    Ended(usize, Duration, Option<String>),
}

/// Makes the calls of one role.
fn call_all(caller: usize, tells: &Sender<Told>) {
    let is_all = std::env::var("TEXT2SQL_HOSTILE").is_ok_and(|value| value == "all");
    let (role, _) = CALLERS[caller];
    let user = (role != "superuser").then(|| format!("t2s_hostile_{role}"));
    let mut client = connect(&format!("t2s_{DATABASE}"), user.as_deref());
    let timeout = format!("SET statement_timeout = {}", TIMEOUT.as_millis());
    client.batch_execute(&timeout).unwrap();
    let texts = texts(if is_all { 300_000 } else { 30_000 });
    // Each role, function and argument begins where the one before it ended.
    let mut next = caller * texts.len() / CALLERS.len();
    for function in functions(&mut client) {
        for (place, type_name) in function.types.iter().enumerate() {
            if !takes_text(type_name) {
                continue;
            }
            let sql = call(&function, place);
            for _ in 0..if is_all { texts.len() } else { SOME } {
                let (label, text) = &texts[next % texts.len()];
                next += 1;
                let what = format!("{role}: {sql} with \"{label}\"");
                tells.send(Told::Begins(caller, what)).unwrap();
                let start = Instant::now();
                let outcome = client.query(&sql, &[text]);
                let problem = outcome
                    .err()
                    .and_then(|error| problem(&error, &function.name));
                let is_lost = client.is_closed();
                tells
                    .send(Told::Ended(caller, start.elapsed(), problem))
                    .unwrap();
                if is_lost {
                    return;
                }
            }
        }
    }
}

/// What is wrong with an error of a function: it lost the session, or shows what no user should see.
fn problem(error: &postgres::Error, function: &str) -> Option<String> {
    let Some(error) = error.as_db_error() else {
        return Some(format!("no answer of the server: {error}"));
    };
    let all = format!("{error:?}");
    let shows_code = [
        "stack backtrace",
        "std::panicking",
        "core::ops::function",
        "src/pg/",
    ];
    if shows_code.iter().any(|text| all.contains(text)) {
        return Some(format!("an error with a backtrace: {}", error.message()));
    }
    // Internal functions are called with valid documents only; pgrx itself refuses JSON that serde does not
    // read.
    let is_bug = error.code().code().starts_with("XX")
        && !function.contains("._")
        && !error.message().contains("a valid json");
    is_bug.then(|| format!("{}: {}", error.code().code(), error.message()))
}

/// Waits until all callers are done; returns the number of calls and the errors.
fn listen(told: &Receiver<Told>) -> (usize, Vec<String>) {
    let mut calls = 0;
    let mut wrong = Vec::new();
    let mut running: [Option<String>; CALLERS.len()] = [const { None }; CALLERS.len()];
    loop {
        match told.recv_timeout(TIMEOUT + GRACE + GRACE) {
            Ok(Told::Begins(caller, what)) => running[caller] = Some(what),
            Ok(Told::Ended(caller, time, problem)) => {
                calls += 1;
                let what = running[caller].take().unwrap();
                if time > TIMEOUT + GRACE {
                    wrong.push(format!("{what}: took {time:?}"));
                }
                wrong.extend(problem.map(|problem| format!("{what}: {problem}")));
            }
            Err(RecvTimeoutError::Timeout) => {
                let running = running.into_iter().flatten();
                wrong.extend(running.map(|what| format!("{what}: does not end")));
                return (calls, wrong);
            }
            Err(RecvTimeoutError::Disconnected) => return (calls, wrong),
        }
    }
}

fn started(client: &mut Client) -> String {
    let sql = "SELECT pg_postmaster_start_time()::text";
    client.query_one(sql, &[]).unwrap().get(0)
}

#[test]
fn no_text_ends_a_session_or_outlives_its_timeout() {
    let database = TestDatabase::new(DATABASE);
    let mut admin = database.superuser();
    for (role, level) in &CALLERS[..3] {
        let role = format!("t2s_hostile_{role}");
        admin
            .batch_execute(&format!(
                "DROP ROLE IF EXISTS {role}; CREATE ROLE {role} LOGIN;
                 SELECT text2sql.grant_access('{role}', '{level}');
                 GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role}; GRANT CREATE ON SCHEMA public TO {role}"
            ))
            .unwrap();
    }
    let start = started(&mut admin);
    let (tells, told) = channel();
    for caller in 0..CALLERS.len() {
        let tells = tells.clone();
        #[expect(clippy::disallowed_methods, reason = "a test has threads")]
        std::thread::spawn(move || call_all(caller, &tells));
    }
    drop(tells);
    let (calls, wrong) = listen(&told);
    assert!(
        wrong.is_empty(),
        "{} of {calls} calls:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(calls > 500, "only {calls} calls");
    let mut after = database.superuser();
    assert_eq!(started(&mut after), start, "the server was started again");
    for (role, _) in &CALLERS[..3] {
        let role = format!("t2s_hostile_{role}");
        after
            .batch_execute(&format!("DROP OWNED BY {role} CASCADE; DROP ROLE {role}"))
            .unwrap();
    }
}
