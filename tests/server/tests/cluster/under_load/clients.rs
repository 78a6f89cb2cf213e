//! Those who load the server.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::json;
use text2sql_server_tests::web::Server;

use super::QUESTIONS;
use super::figures::Questions;

/// Connections of one address: fewer than it may have.
const OF_ADDRESS: usize = 300;

/// What a connection says that only holds a place: the beginning, and then a byte a second.
#[derive(Clone, Copy)]
pub(super) enum Says<'a> {
    Nothing,
    Headers,
    /// The body of a question, in a session.
    Body(&'a str),
}

impl Says<'_> {
    fn beginning(self, server: SocketAddr) -> String {
        match self {
            Self::Nothing => String::new(),
            Self::Headers => format!("GET /healthz HTTP/1.1\r\nHost: {server}\r\nX-a: "),
            Self::Body(cookie) => format!(
                "POST /api/v1/ask HTTP/1.1\r\nHost: {server}\r\nCookie: {cookie}\r\nSec-Fetch-Site: same-origin\r\n\
                 Content-Type: application/json\r\nContent-Length: 4000\r\n\r\n{{\"question\": \""
            ),
        }
    }
}

/// The status of the answer to a question, which is right where there is one.
pub(super) fn ask(server: &Server, cookie: &str, question: &str) -> std::io::Result<u16> {
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
pub(super) fn ask_on(
    server: &Server,
    cookie: &str,
    first: Instant,
    pause: Duration,
    is_over: &AtomicBool,
    questions: &Questions,
) {
    let mut next = first;
    for question in QUESTIONS.iter().cycle() {
        sleep(next.saturating_duration_since(Instant::now()));
        if is_over.load(Ordering::SeqCst) {
            return;
        }
        let begin = Instant::now();
        let status = ask(server, cookie, question).unwrap_or(0);
        questions.note(begin, status);
        next += pause;
    }
}

/// Keeps connections open, from addresses that depend on their places. One that the server closes is followed by another.
pub(super) fn hold(
    server: SocketAddr,
    places: Range<usize>,
    says: Says<'_>,
    is_over: &AtomicBool,
    closed: &AtomicUsize,
) {
    let beginning = says.beginning(server);
    let mut held: Vec<(usize, Option<TcpStream>)> = places.map(|place| (place, None)).collect();
    while !is_over.load(Ordering::SeqCst) {
        for (place, held) in &mut held {
            let Some(stream) = held else {
                *held = connect_from(*place, server)
                    .filter(|mut stream| stream.write_all(beginning.as_bytes()).is_ok());
                continue;
            };
            let is_open = match stream.read(&mut [0; 1024]) {
                Err(error) => error.kind() == ErrorKind::WouldBlock,
                Ok(_) => false,
            };
            let is_sent = matches!(says, Says::Nothing) || stream.write_all(b"a").is_ok();
            if !is_open || !is_sent {
                closed.fetch_add(1, Ordering::SeqCst);
                *held = None;
            }
        }
        sleep(Duration::from_secs(1));
    }
}

/// A connection from one of the addresses of this machine.
fn connect_from(place: usize, server: SocketAddr) -> Option<TcpStream> {
    let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).ok()?;
    let host = u8::try_from(2 + place / OF_ADDRESS).ok()?;
    socket
        .bind(&SocketAddr::from(([127, 0, 0, host], 0)).into())
        .ok()?;
    socket.connect(&server.into()).ok()?;
    socket.set_nonblocking(true).ok()?;
    Some(socket.into())
}
