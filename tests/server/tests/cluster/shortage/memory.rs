//! No memory: the limit of addresses of a process (`ulimit -v`) makes the system refuse what a machine without memory would,
//! where it does not end processes instead (`vm.overcommit_memory = 2`).

use postgres::Client;
use text2sql_server_tests::TestDatabase;
use text2sql_server_tests::crashes;
use text2sql_server_tests::processes::{address_space_kb, parent, process_of};
use text2sql_server_tests::standby::as_owner;
use text2sql_server_tests::waiting::wait_until;

use super::{
    PLACES, Session, VERSIONS, code_of, every_question_is_answered, is_nightly, outcome,
    own_server, some_of,
};

/// What needs much memory of the library besides.
const LARGE: [(&str, &str); 2] = [
    (
        "large file",
        "SELECT count(*) FROM text2sql.load_file('large_$n', (SELECT 'id,name' || string_agg(E'\\n' || n || ',' || md5(n::text), '') FROM generate_series(1, 100000) n))",
    ),
    (
        "explanation",
        "SELECT text2sql.explain((SELECT 'SELECT ' || string_agg('order_id + ' || n, ', ') || ' FROM orders' FROM generate_series(1, 1500) n))",
    ),
];

/// Limits a process to its present address space and some megabytes more; `None` lifts the limit.
fn limit(process: i32, megabytes: Option<usize>) {
    let soft = match megabytes {
        Some(more) => {
            let now = address_space_kb(process).expect("a process");
            (now * 1024 + more * 1024 * 1024).to_string()
        }
        None => "unlimited".to_owned(),
    };
    // The hard limit stays. A process that has ended needs no other one.
    let arguments = [format!("--pid={process}"), format!("--as={soft}:")];
    let set = as_owner("prlimit").args(arguments).output().unwrap();
    assert!(set.status.success() || megabytes.is_none(), "{set:?}");
}

/// A stack that may grow needs addresses, and the system ends a process that gets none for it.
/// Likewise the library of triggers, without which the server only says that it cannot load it.
fn grow_stack(session: &Session) {
    session
        .run("LOAD 'plpgsql'; SET max_stack_depth = '7MB'")
        .expect("a superuser");
    assert!(session.run("SELECT repeat('[', 1000000)::json").is_err());
    session.run("RESET max_stack_depth").expect("a superuser");
}

#[test]
fn without_memory_a_statement_fails_or_its_session_ends_and_the_others_go_on() {
    let database = TestDatabase::new("no_memory");
    let settings = [
        "shared_preload_libraries=pg_text2sql",
        // The call that promotes it must not be cancelled.
        "max_standby_streaming_delay=-1",
    ];
    let server = own_server("no_memory", &settings);
    let connect = || server.connect(database.name(), "postgres");
    let mut witness = connect();
    let mut found = Vec::new();
    let mut number = 0;
    for (name, sql) in LARGE.iter().chain(&PLACES) {
        for &left in some_of(&[2, 12, 0, 1, 4, 8, 16, 32, 64]) {
            number += 1;
            let sql = sql.replace("$n", &number.to_string());
            let session = Session::begin(&server, database.name());
            grow_stack(&session);
            let process = session.process();
            limit(process, Some(left));
            let code = code_of(&sql, session.run(&sql));
            limit(process, None);
            let ended = match session.run("SELECT") {
                Ok(_) => "",
                Err(_) => " and the session",
            };
            let line = format!("{name} with {left} MB more: {code}{ended}");
            // The last is of a thread beside the main one.
            let log = server.log();
            let last = log.lines().rev().take(40).collect::<Vec<_>>();
            assert!(
                matches!(code.as_str(), "" | "53200" | "57P01"),
                "{line}, last line first: {last:#?}"
            );
            found.push(line);
            let whole = witness
                .query_one(VERSIONS, &[])
                .map(|row| row.get::<_, bool>(0));
            assert!(
                whole.unwrap_or(*name == "upgrade" && !witness.is_closed()),
                "{name} with {left} MB more is half-written"
            );
            if !code.is_empty() {
                let again = outcome(&mut connect(), &sql);
                assert_eq!(
                    again, "",
                    "{name} with {left} MB more, and then without a limit"
                );
            }
        }
    }
    println!("{}", found.join("\n"));
    for sign in ["53200", "and the session"] {
        assert!(
            found.iter().any(|line| line.contains(sign)),
            "{sign} never happened: {found:#?}"
        );
    }
    if is_nightly() {
        limit_workers(&mut witness);
    }
    crashes::assert_none(&server.log());
}

/// Processes that begin have the limit of the postmaster: workers, too.
fn limit_workers(witness: &mut Client) {
    let postmaster = parent(process_of(witness)).expect("the postmaster");
    for left in [4, 16, 0, 8, 32] {
        limit(postmaster, Some(left));
        for _ in 0..3 {
            let sql = "SELECT text2sql.submit('How many orders are there?')";
            assert_eq!(outcome(witness, sql), "");
        }
        let open =
            "SELECT count(*) FROM text2sql._submitted WHERE state = 'waiting' AND attempts = 0";
        let begun = std::time::Instant::now();
        wait_until("a worker has tried", || {
            begun.elapsed().as_secs() > 5
                || witness.query_one(open, &[]).unwrap().get::<_, i64>(0) == 0
        });
        limit(postmaster, None);
    }
    every_question_is_answered(witness);
}
