//! Bodies that come slowly or are too large, on every route that takes one; files that are in the way of others; answers
//! that nobody reads.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use text2sql_server_tests::TestDatabase;
use text2sql_server_tests::web::{Issuer, PASSWORD, Server, basic, person};

/// A body may take 30 seconds, a file 120.
const PATIENCE: Duration = Duration::from_secs(60);

/// Files have more time, and their own test.
const FILES: [&str; 3] = ["/api/v1/documents", "/api/v1/imports", "/api/v1/tables"];

/// What is sent of a request: its head, with a length of the body, and one byte of it.
fn begin(
    server: &Server,
    method: &str,
    path: &str,
    authorization: &str,
    length: usize,
) -> TcpStream {
    let mut stream = TcpStream::connect(server.address()).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let kind = match FILES.contains(&path.split('?').next().unwrap_or_default()) {
        true => "application/octet-stream",
        false => "application/json",
    };
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: {authorization}\r\nContent-Type: {kind}\r\n\
         Accept: application/json, text/event-stream\r\nContent-Length: {length}\r\n\r\n{{",
        server.address()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream
}

/// The first line of the answer.
fn status(mut stream: &TcpStream) -> String {
    let mut head = [0; 64];
    let count = stream.read(&mut head).unwrap_or(0);
    let head = String::from_utf8_lossy(&head[..count]).into_owned();
    head.lines().next().unwrap_or_default().to_owned()
}

/// Every route that takes a body, by its method and path, the newest included.
fn routes_with_a_body(server: &Server) -> Vec<(String, String)> {
    let description = server.get("/api/v1/openapi.json").send().of_status(200);
    let paths = description["paths"].as_object().unwrap();
    let mut routes = vec![("POST".to_owned(), "/mcp".to_owned())];
    for (path, item) in paths {
        for (method, operation) in item.as_object().unwrap() {
            let takes_file = FILES.contains(&path.as_str());
            if operation.get("requestBody").is_some() && !takes_file {
                // `/conversations/{name}`: something has to stand there.
                let parts = path.split('/').map(|part| match part.starts_with('{') {
                    true => "1",
                    false => part,
                });
                let path = parts.collect::<Vec<_>>().join("/");
                routes.push((method.to_uppercase(), path));
            }
        }
    }
    assert!(routes.len() > 20, "only {routes:?}");
    routes
}

/// Whether it has this status, or 400, where the path was wrong and nobody looked at the body.
fn is_refused(answer: &str, status: &str) -> bool {
    [status, "400"]
        .iter()
        .any(|status| answer.starts_with(&format!("HTTP/1.1 {status} ")))
}

#[test]
fn a_body_that_comes_slowly_or_is_too_large_is_refused_on_every_route() {
    let database = TestDatabase::new("web_bodies");
    let ana = person(&database, "ana");
    let server = Server::start(&database, &[]);
    let login = basic(&ana, PASSWORD);
    let routes = routes_with_a_body(&server);
    let begun = Instant::now();
    let slow: Vec<_> = routes
        .iter()
        .map(|(method, path)| (path, begin(&server, method, path, &login, 100)))
        .collect();
    for (method, path) in &routes {
        let large = begin(&server, method, path, &login, 1 << 30);
        let answer = status(&large);
        assert!(is_refused(&answer, "413"), "{path}: {answer}");
    }
    for (path, stream) in &slow {
        let answer = status(stream);
        assert!(is_refused(&answer, "408"), "{path}: {answer}");
        assert!(begun.elapsed() < PATIENCE, "{path}: {:?}", begun.elapsed());
    }
}

/// The routes of agents that log in with tokens.
#[test]
fn an_agent_that_sends_slowly_is_not_waited_for() {
    let issued = Issuer::new("web_slow_agents");
    let server = issued.start(&issued.ana, &["--openai", "true", "--a2a", "true"]);
    let token = format!("Bearer {}", issued.token(&issued.ana));
    let slow: Vec<_> = ["/v1/chat/completions", "/a2a", "/mcp"]
        .map(|path| (path, begin(&server, "POST", path, &token, 100)))
        .into();
    let begun = Instant::now();
    for (path, stream) in &slow {
        let answer = status(stream);
        assert!(answer.starts_with("HTTP/1.1 408"), "{path}: {answer}");
    }
    assert!(begun.elapsed() < PATIENCE, "{:?}", begun.elapsed());
}

/// Files of one role that come slowly, whatever they are to become, and files of two others, hold up no other role.
#[test]
fn a_slow_file_is_in_the_way_of_its_own_role_alone() {
    let database = TestDatabase::new("web_slow_files");
    let (ana, bob) = (person(&database, "ana"), person(&database, "bob"));
    database
        .superuser()
        .batch_execute(&format!(
            "CREATE SCHEMA files AUTHORIZATION {bob}; SELECT text2sql.grant_access('{ana}', 'curator')"
        ))
        .unwrap();
    let server = Server::start(&database, &[]);
    let paths = [
        "documents?file=x.md",
        "documents?file=y.md",
        "imports?file=x.csv&kind=glossary",
        "tables?file=x.csv&name=public.x",
        "tables?file=y.csv&name=public.y",
    ];
    let mut slow: Vec<TcpStream> = paths
        .iter()
        .map(|path| {
            let path = format!("/api/v1/{path}");
            begin(&server, "POST", &path, &basic(&ana, PASSWORD), 1000)
        })
        .collect();
    for other in ["eve", "mallory"] {
        let login = basic(&person(&database, other), PASSWORD);
        slow.push(begin(
            &server,
            "POST",
            "/api/v1/tables?file=x.csv&name=public.x",
            &login,
            1000,
        ));
    }
    // The first ones are being read.
    std::thread::sleep(Duration::from_secs(2));
    let begun = Instant::now();
    let loaded = server
        .request("POST", "/api/v1/tables?file=y.csv&name=files.y")
        .header("Content-Type", "application/octet-stream")
        .body("a,b\n1,2\n")
        .as_role(&bob)
        .send()
        .of_status(200);
    assert_eq!(loaded["rows"], 1);
    assert!(
        begun.elapsed() < Duration::from_secs(20),
        "{:?}",
        begun.elapsed()
    );
    // One more than may wait.
    let path = "/api/v1/tables?file=x.csv&name=public.x";
    let refused = begin(&server, "POST", path, &basic(&ana, PASSWORD), 1000);
    let answer = status(&refused);
    assert!(answer.starts_with("HTTP/1.1 429"), "{answer}");
    drop(slow);
}

/// What only curators may import is not read for others: it could take a minute.
#[test]
fn a_file_of_a_role_that_may_not_import_is_not_read() {
    let database = TestDatabase::new("web_refused_files");
    let ana = person(&database, "ana");
    let server = Server::start(&database, &[]);
    for path in ["documents?file=x.pdf", "imports?file=x.xlsx&kind=glossary"] {
        let login = basic(&ana, PASSWORD);
        let sent = begin(&server, "POST", &format!("/api/v1/{path}"), &login, 1000);
        let answer = status(&sent);
        assert!(answer.starts_with("HTTP/1.1 403"), "{path}: {answer}");
    }
}

/// Whoever takes nothing of what it asked for is left, and what waits for it in memory is gone.
#[test]
fn a_connection_whose_answers_nobody_reads_is_closed() {
    let database = TestDatabase::new("web_unread");
    let server = Server::start(&database, &[]);
    let mut stream = TcpStream::connect(server.address()).unwrap();
    stream.set_write_timeout(Some(PATIENCE)).unwrap();
    let request = format!(
        "GET /api/v1/openapi.json HTTP/1.1\r\nHost: {}\r\n\r\n",
        server.address()
    );
    let begun = Instant::now();
    // Until the buffers of both sides are full, the server has stopped reading, and then has closed.
    let end = loop {
        match stream.write_all(request.repeat(100).as_bytes()) {
            Ok(()) => assert!(begun.elapsed() < PATIENCE, "everything is taken"),
            Err(error) => break error,
        }
    };
    let kind = end.kind();
    assert!(
        matches!(
            kind,
            std::io::ErrorKind::ConnectionReset | std::io::ErrorKind::BrokenPipe
        ),
        "{end}"
    );
    assert!(begun.elapsed() < PATIENCE, "{:?}", begun.elapsed());
}

/// What anybody may ask, as often as they like, is one connection to the database at a time.
#[test]
fn readiness_is_asked_of_the_database_once_for_all() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (open, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (of_thread, highest) = (Arc::clone(&open), Arc::clone(&most));
    std::thread::spawn(move || {
        for connection in listener.incoming() {
            highest.fetch_max(
                of_thread.fetch_add(1, Ordering::SeqCst) + 1,
                Ordering::SeqCst,
            );
            let open = Arc::clone(&of_thread);
            std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(50));
                open.fetch_sub(1, Ordering::SeqCst);
                drop(connection);
            });
        }
    });
    let target = format!("host=127.0.0.1 port={port} dbname=nowhere sslmode=disable");
    let server = Server::start_at(&target, &[]);
    std::thread::scope(|scope| {
        for _ in 0..20 {
            scope.spawn(|| {
                for _ in 0..5 {
                    server.get("/readyz").send().problem(503);
                }
            });
        }
    });
    assert_eq!(most.load(Ordering::SeqCst), 1);
}
