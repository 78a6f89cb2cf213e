//! Connections to text2sql-server that say nothing, say it slowly, or say two things at once: whoever connects has not
//! logged in.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use text2sql_server_tests::TestDatabase;
use text2sql_server_tests::web::Server;

/// Connections of one address that are served at a time.
const OF_ADDRESS: usize = 512;

/// The limit for headers is 15 seconds.
const PATIENCE: Duration = Duration::from_secs(40);

fn half_sent(server: &Server, text: &str) -> TcpStream {
    let mut stream = TcpStream::connect(server.address()).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(text.as_bytes()).unwrap();
    stream
}

#[test]
fn a_connection_without_a_request_is_closed() {
    let database = TestDatabase::new("web_slow");
    let server = Server::start(&database, &[]);
    let begin = Instant::now();
    let host = server.address();
    let streams = [
        half_sent(&server, ""),
        half_sent(&server, "P"),
        half_sent(&server, "PRI * HTTP/2.0\r\n"),
        half_sent(&server, &format!("GET / HTTP/1.1\r\nHost: {host}\r\nX-a: ")),
        // One that was answered, and no other follows.
        half_sent(
            &server,
            &format!("GET /healthz HTTP/1.1\r\nHost: {host}\r\n\r\n"),
        ),
    ];
    for mut stream in streams {
        let mut answer = Vec::new();
        // A reset is an end, too.
        let _ = stream.read_to_end(&mut answer);
        assert!(begin.elapsed() < PATIENCE, "{answer:?}");
    }
}

#[test]
fn one_address_does_not_take_every_place() {
    let database = TestDatabase::new("web_places");
    let server = Server::start(&database, &[]);
    let begin = Instant::now();
    let slow: Vec<TcpStream> = (0..OF_ADDRESS + 50)
        .map(|_| half_sent(&server, "GET / HTTP/1.1\r\nX-a: "))
        .collect();
    // From another address there is a place at once.
    let mut other = socket_from([127, 0, 0, 2], &server);
    other
        .write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        .unwrap();
    let mut answer = String::new();
    other.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(begin.elapsed() < Duration::from_secs(15));
    drop(slow);
}

/// A connection from that address of this machine.
fn socket_from(address: [u8; 4], server: &Server) -> TcpStream {
    let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
    let from = std::net::SocketAddr::from((address, 0));
    socket.bind(&from.into()).unwrap();
    socket.connect(&server.address().into()).unwrap();
    let stream: TcpStream = socket.into();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

#[test]
fn two_names_of_the_host_are_refused() {
    let database = TestDatabase::new("web_twice");
    let server = Server::start(&database, &[]);
    let host = server.address().to_string();
    let two_hosts = server.get("/api/v1/me").header("Host", &host).send();
    assert_eq!(two_hosts.problem(400), "the header Host is there twice");
}

/// Whoever has not logged in learns that first, however large the request is, and is not told to come later.
#[test]
fn without_a_login_every_request_is_answered_with_401() {
    let database = TestDatabase::new("web_401");
    let server = Server::start(&database, &[]);
    for _ in 0..20 {
        server
            .request("POST", "/api/v1/ask")
            .header("Content-Type", "application/json")
            .body("{\"question\": \"x\"}")
            .send()
            .problem(401);
    }
    server
        .request("POST", "/api/v1/ask")
        .header("Content-Type", "application/json")
        .body(vec![b' '; 4 << 20])
        .send()
        .problem(401);
}

/// A proxy may have read the other length, and taken what follows for another request.
#[test]
fn a_body_of_two_lengths_ends_the_connection() {
    let database = TestDatabase::new("web_lengths");
    let server = Server::start(&database, &[]);
    let host = server.address();
    let next = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
    for headers in [
        "Content-Length: 4\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked\r\nContent-Length: 4",
        "Transfer-Encoding: chunked",
    ] {
        let mut stream = half_sent(
            &server,
            &format!(
                "POST /api/v1/ask HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n{headers}\r\n\r\n0\r\n\r\n{next}"
            ),
        );
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer);
        assert!(answer.starts_with("HTTP/1.1 4"), "{headers}: {answer}");
        assert_eq!(
            answer.matches("HTTP/1.1 ").count(),
            1,
            "{headers}: {answer}"
        );
    }
}
