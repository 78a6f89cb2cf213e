//! The overhead of a call compared with a bare request. Run manually, in a release build:
//! `cargo test --release -p text2sql_http --test overhead -- --ignored --nocapture`.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod support;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use model_double::{ModelDouble, Script};
use support::{chat, double, send};
use text2sql_http::Helper;

const CALLS: usize = 2000;

#[test]
#[ignore = "a measurement, not a check"]
fn measures_the_overhead_of_a_call() {
    let double = double();
    let request = chat(&double, "ok");

    let mut stream = TcpStream::connect(("127.0.0.1", double.port())).unwrap();
    stream.set_nodelay(true).unwrap();
    let head = format!(
        "POST /ok/v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n",
        request.body.len()
    );
    let bytes = [head.as_bytes(), &request.body].concat();
    let mut bare = || {
        stream.write_all(&bytes).unwrap();
        let mut reply = Vec::new();
        let mut piece = [0; 4096];
        // The mock server sends no chunks here, and the JSON ends with the usage.
        while !reply.ends_with(b"}}") {
            let read = stream.read(&mut piece).unwrap();
            reply.extend_from_slice(piece.get(..read).unwrap());
        }
    };

    let memory = resident_kilobytes();
    let started = Instant::now();
    let helper = Helper::start().unwrap();
    let start = started.elapsed();
    let started = Instant::now();
    send(&helper, request.clone()).unwrap();
    let first = started.elapsed();
    let gained = resident_kilobytes() - memory;

    // Alternating: the scheduler's placement of threads matters more than the code, and it
    // changes over time.
    let (mut bare_times, mut call_times) = (Vec::new(), Vec::new());
    for _ in 0..CALLS {
        bare_times.push(time(&mut bare));
        call_times.push(time(|| {
            send(&helper, request.clone()).unwrap();
        }));
    }
    show("bare socket", bare_times);
    show("helper call", call_times);
    let tls = ModelDouble::start_tls(Script::new()).unwrap();
    let mut secure = chat(&tls, "ok");
    secure.connection.ca_pem = tls.ca_pem().map(str::to_owned);
    let started = Instant::now();
    send(&helper, secure).unwrap();
    let first_tls = started.elapsed();
    let gained_tls = resident_kilobytes() - memory - gained;
    println!("first call over TLS {first_tls:?}, resident memory +{gained_tls} kB");
    println!("start {start:?}, first call {first:?}, resident memory +{gained} kB");
}

fn time(call: impl FnOnce()) -> Duration {
    let started = Instant::now();
    call();
    started.elapsed()
}

fn show(what: &str, mut times: Vec<Duration>) {
    times.sort();
    let (median, p95) = (times[times.len() / 2], times[times.len() * 95 / 100]);
    println!("{what}   median {median:?}  p95 {p95:?}");
}

fn resident_kilobytes() -> i64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    line.unwrap()
        .split_whitespace()
        .nth(1)
        .unwrap()
        .parse()
        .unwrap()
}
