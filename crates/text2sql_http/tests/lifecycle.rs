//! The helper thread: signals, abort, shutdown, reuse of connections, concurrent calls.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod support;

use std::time::Duration;

use model_double::{ModelDouble, Script};
use support::{chat, double, eventually, helper, poll, question, send, wait};
use text2sql_domain::ports::TransportError;

/// The names and blocked signals of this process's helper threads.
fn our_threads() -> Vec<(String, u64)> {
    let mut threads = Vec::new();
    for entry in std::fs::read_dir("/proc/self/task").unwrap() {
        let path = entry.unwrap().path().join("status");
        // A thread of another test may have ended.
        let Ok(status) = std::fs::read_to_string(path) else {
            continue;
        };
        let field = |name| {
            let line = status.lines().find(|line| line.starts_with(name)).unwrap();
            line.split_whitespace().nth(1).unwrap().to_owned()
        };
        let name = field("Name:");
        if name.starts_with("text2sql-") {
            threads.push((name, u64::from_str_radix(&field("SigBlk:"), 16).unwrap()));
        }
    }
    threads
}

fn has(mask: u64, signal: i32) -> bool {
    mask & (1 << (signal - 1)) != 0
}

#[test]
fn its_threads_take_no_signal_but_their_own_crash() {
    let (helper, double) = (helper(), double());
    let before = own_mask();
    let url = format!("http://localhost:{}/ok/v1/models", double.port());
    send(&helper, question(url)).unwrap();
    let threads = our_threads();
    for wanted in ["text2sql-http", "text2sql-dns"] {
        assert!(
            threads.iter().any(|(name, _)| name == wanted),
            "{threads:?}"
        );
    }
    for (name, mask) in threads {
        for signal in [
            libc::SIGHUP,
            libc::SIGINT,
            libc::SIGQUIT,
            libc::SIGUSR1,
            libc::SIGUSR2,
            libc::SIGPIPE,
            libc::SIGALRM,
            libc::SIGTERM,
            libc::SIGCHLD,
            libc::SIGURG,
            libc::SIGIO,
            libc::SIGPROF,
        ] {
            assert!(has(mask, signal), "{name} takes signal {signal}");
        }
        for signal in [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL] {
            assert!(!has(mask, signal), "{name} blocks signal {signal}");
        }
    }
    assert_eq!(own_mask(), before, "the caller's mask changed");
}

fn own_mask() -> String {
    let status = std::fs::read_to_string("/proc/thread-self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("SigBlk:"));
    line.unwrap().to_owned()
}

#[test]
fn a_dropped_call_closes_its_connection() {
    let (helper, double) = (helper(), double());
    let call = helper.submit(chat(&double, "delay-60000"));
    eventually("the request arrives", || double.requests().len() == 1);
    assert_eq!(double.open_connections(), 1);
    drop(call);
    eventually("the connection closes", || double.open_connections() == 0);
}

#[test]
fn a_call_dropped_between_two_attempts_makes_no_further_one() {
    let (helper, double) = (helper(), double());
    let mut request = chat(&double, "retry-after-always-1");
    request.max_attempts = 5;
    let call = helper.submit(request);
    eventually("the first attempt", || double.requests().len() == 1);
    drop(call);
    std::thread::sleep(Duration::from_millis(1200));
    assert_eq!(double.requests().len(), 1);
}

#[test]
fn shuts_down_in_time_while_requests_hang() {
    let (helper, double) = (helper(), double());
    let slow = helper.submit(chat(&double, "delay-60000"));
    let dripping = helper.submit(chat(&double, "drip"));
    eventually("both arrive", || double.requests().len() == 2);
    // Normally takes a fraction of this, and never the requests' 60 seconds.
    assert!(helper.shut_down(Duration::from_secs(10)));
    for call in [&slow, &dripping] {
        assert_eq!(
            call.try_take().unwrap().unwrap_err(),
            TransportError::Cancelled
        );
    }
    eventually("the connections close", || double.open_connections() == 0);
    let late = helper.submit(chat(&double, "ok"));
    assert!(matches!(
        late.try_take(),
        Some(Err(TransportError::Connect(_)))
    ));
}

#[test]
fn uses_one_connection_for_calls_in_a_row() {
    let (helper, double) = (helper(), double());
    for _ in 0..10 {
        assert_eq!(send(&helper, chat(&double, "ok")).unwrap().status, 200);
    }
    assert_eq!(double.accepted_connections(), 1);
}

#[test]
fn uses_one_connection_over_tls() {
    let helper = helper();
    let double = ModelDouble::start_tls(Script::new()).unwrap();
    let mut request = chat(&double, "ok");
    request.connection.ca_pem = double.ca_pem().map(str::to_owned);
    for _ in 0..5 {
        assert_eq!(send(&helper, request.clone()).unwrap().status, 200);
    }
    assert_eq!(double.accepted_connections(), 1);
}

#[test]
fn a_connection_closed_while_idle_fails_no_call() {
    let helper = helper();
    for double in [double(), ModelDouble::start_tls(Script::new()).unwrap()] {
        let mut request = chat(&double, "close-idle");
        request.connection.ca_pem = double.ca_pem().map(str::to_owned);
        for _ in 0..4 {
            let response = send(&helper, request.clone()).unwrap();
            assert_eq!((response.status, response.attempts), (200, 1));
            eventually("it closes", || double.open_connections() == 0);
        }
        assert_eq!(double.accepted_connections(), 4);
    }
}

#[test]
fn a_slow_call_does_not_delay_a_fast_one() {
    let (helper, double) = (helper(), double());
    let slow = helper.submit(chat(&double, "delay-2000"));
    let fast = helper.submit(chat(&double, "ok"));
    assert_eq!(wait(&helper, &fast).unwrap().status, 200);
    assert!(slow.try_take().is_none());
    assert_eq!(wait(&helper, &slow).unwrap().status, 200);
    assert!(slow.try_take().is_none(), "an outcome is handed out once");
}

#[test]
fn the_descriptor_wakes_and_is_cleared() {
    let (helper, double) = (helper(), double());
    assert!(!poll(&helper, 0));
    let call = helper.submit(chat(&double, "ok"));
    assert!(poll(&helper, 2000));
    helper.clear_wake();
    assert!(!poll(&helper, 0));
    assert!(call.try_take().unwrap().is_ok());
}
