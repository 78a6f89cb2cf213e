//! What a call costs beyond the request itself. Run by hand, in a release build:
//! `cargo test --release -p text2sql_http --test overhead -- --ignored --nocapture`.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod support;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

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
    let bare = measure(|| {
        stream.write_all(&bytes).unwrap();
        let mut reply = Vec::new();
        let mut piece = [0; 4096];
        // The double sends no chunks here, and the JSON ends with the usage.
        while !reply.ends_with(b"}}") {
            let read = stream.read(&mut piece).unwrap();
            reply.extend_from_slice(piece.get(..read).unwrap());
        }
    });

    let memory = resident_kilobytes();
    let started = Instant::now();
    let helper = Helper::start().unwrap();
    let start = started.elapsed();
    let started = Instant::now();
    send(&helper, request.clone()).unwrap();
    let first = started.elapsed();
    let gained = resident_kilobytes() - memory;
    let call = measure(|| {
        send(&helper, request.clone()).unwrap();
    });

    println!("bare socket   median {:?}  p95 {:?}", bare.0, bare.1);
    println!("helper call   median {:?}  p95 {:?}", call.0, call.1);
    println!("start {start:?}, first call {first:?}, resident memory +{gained} kB");
}

fn measure(mut call: impl FnMut()) -> (Duration, Duration) {
    let mut times: Vec<Duration> = (0..CALLS)
        .map(|_| {
            let started = Instant::now();
            call();
            started.elapsed()
        })
        .collect();
    times.sort();
    (times[CALLS / 2], times[CALLS * 95 / 100])
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
