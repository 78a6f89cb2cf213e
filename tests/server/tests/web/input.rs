//! What text2sql-server says to requests that are wrong: a sentence with the right status, and nothing of the database
//! to those who have not logged in.

use std::io::{Read, Write};

use serde_json::json;
use text2sql_server_tests::TestDatabase;
use text2sql_server_tests::web::{PASSWORD, Request, Response, Server, basic, person};

const JSON: &str = "application/json";

fn of_json(request: Request, body: impl Into<Vec<u8>>) -> Response {
    request.header("Content-Type", JSON).body(body).send()
}

#[test]
fn a_wrong_request_gets_a_sentence_with_its_status() {
    let database = TestDatabase::new("web_wrong");
    let ana = person(&database, "ana");
    let server = Server::start(&database, &[]);
    let ask = || server.request("POST", "/api/v1/ask").as_role(&ana);
    let question = |text: &str| {
        server
            .post("/api/v1/ask", json!({"question": text}))
            .as_role(&ana)
            .send()
    };

    let nowhere = server.get("/api/v1/nothing").as_role(&ana).send();
    assert_eq!(nowhere.problem(404), "there is no such route");
    assert!(
        nowhere.json()["hint"]
            .as_str()
            .unwrap()
            .contains("/api/v1/openapi.json")
    );
    server.get("/api/v2/ask").send().problem(404);
    server
        .get("/api/v1/../../../etc/passwd")
        .send()
        .problem(404);
    server
        .get("/assets/..%2f..%2fetc/passwd")
        .send()
        .problem(404);
    let method = server.request("PUT", "/api/v1/ask").as_role(&ana).send();
    assert_eq!(method.problem(405), "the route does not have this method");
    server.get("/api/v1/ask").as_role(&ana).send().problem(405);

    let text = ask().body("question=x").send();
    assert_eq!(
        text.problem(415),
        "the body must be JSON, with the header Content-Type: application/json"
    );
    ask()
        .header("Content-Type", "text/plain")
        .body("{}")
        .send()
        .problem(415);
    for (body, sentence) in [
        ("", "the body is empty, and must be a JSON object"),
        (
            "{\"question\": ",
            "the body is not JSON: EOF while parsing a value at line 1 column 13",
        ),
        (
            "{\"question\": 7}",
            "the body does not fit: invalid type: integer `7`, expected a string at line 1 column 14",
        ),
        (
            "{}",
            "the body does not fit: missing field `question` at line 1 column 2",
        ),
        (
            "{\"question\": \"x\", \"sql\": \"y\"}",
            "the body does not fit: unknown field `sql`, expected one of `question`, `conversation`, `options` at line 1 column 23",
        ),
        ("{\"question\": \"\"}", "the question is empty"),
        ("{\"question\": \" \\n\\t\"}", "the question is empty"),
        (
            "{\"question\": \"x\", \"question\": \"y\"}",
            "the body does not fit: duplicate field `question` at line 1 column 28",
        ),
    ] {
        assert_eq!(of_json(ask(), body).problem(400), sentence);
    }
    for body in [
        "[]",
        "null",
        "\"x\"",
        "{\"question\": \"\\ud800\"}",
        "{\"question\": \"x\", \"options\": [1]}",
        "{\"question\": \"x\", \"options\": \"y\"}",
        "{\"question\": \"a\\u0000b\"}",
    ] {
        let response = of_json(ask(), body);
        assert_eq!(response.status, 400, "{body}: {}", response.body);
        response.problem(400);
    }
    of_json(ask(), b"{\"question\": \"\xff\xfe\"}".to_vec()).problem(400);
    of_json(ask(), "[".repeat(10_000)).problem(400);
    let nested = format!(
        "{{\"question\": \"x\", \"options\": {}{}}}",
        "{\"a\":".repeat(5_000),
        "}".repeat(5_000)
    );
    of_json(ask(), nested).problem(400);

    assert_eq!(
        question(&"ü".repeat(4_001)).problem(400),
        "the question has 4001 characters; it may have 4000"
    );
    assert_eq!(
        question(&"x".repeat(1_000_000)).problem(413),
        "the body is larger than 64 kB"
    );
    // The length of the body is not announced.
    let chunk = format!("10000\r\n{}\r\n", "x".repeat(0x10000));
    let chunked = ask()
        .header("Content-Type", JSON)
        .header("Transfer-Encoding", "chunked")
        .body(format!("{}0\r\n\r\n", chunk.repeat(2)))
        .send();
    assert_eq!(chunked.problem(413), "the body is larger than 64 kB");

    for (path, status) in [
        ("/api/v1/history?limit=x", 400),
        ("/api/v1/history?limit=-1", 400),
        ("/api/v1/history?before=yesterday%20or%20so", 400),
        ("/api/v1/history?unknown=1", 400),
        ("/api/v1/conversations?before=x", 400),
        ("/api/v1/conversations/%ff", 400),
        ("/api/v1/conversations/a%00b", 400),
        ("/api/v1/conversations/nobody", 404),
        ("/api/v1/schema?search=%00", 400),
        ("/api/v1/egress?before=99999999999999999999", 400),
    ] {
        let response = server.get(path).as_role(&ana).send();
        assert_eq!(response.status, status, "{path}: {}", response.body);
        response.problem(status);
    }
    for (trace_id, status) in [
        ("not-an-id", 400),
        ("00000000-0000-0000-0000-000000000000", 404),
    ] {
        let body = json!({"trace_id": trace_id, "verdict": "right"});
        let response = server.post("/api/v1/feedback", body).as_role(&ana).send();
        assert!(
            (400..500).contains(&response.status),
            "{trace_id} {status}: {}",
            response.body
        );
        let path = format!("/api/v1/feedback/{trace_id}");
        let response = server.request("DELETE", &path).as_role(&ana).send();
        assert!(
            (400..500).contains(&response.status),
            "{path}: {}",
            response.body
        );
    }
    for sql in [
        "",
        " ",
        ";",
        "x",
        "SELECT",
        "SELECT 1/0",
        "SELECT 'a'::int",
        "SELECT * FROM nowhere",
        "SELECT 1\u{0}",
        "SELECT pg_sleep(100)",
    ] {
        for route in [
            "run",
            "validate",
            "explain",
            "explain-plan",
            "trust",
            "why-empty",
            "lesson",
            "revise",
            "export",
        ] {
            let mut body = json!({"sql": sql});
            match route {
                "revise" => body["request"] = "less".into(),
                "export" => body["format"] = "csv".into(),
                _ => {}
            }
            let response = server
                .post(&format!("/api/v1/{route}"), body)
                .as_role(&ana)
                .send();
            assert!(response.status < 500, "{route} {sql:?}: {}", response.body);
        }
    }
    let export = server
        .post(
            "/api/v1/export",
            json!({"sql": "SELECT 1", "format": "xlsx"}),
        )
        .as_role(&ana)
        .send();
    assert_eq!(
        export.problem(400),
        "the body does not fit: unknown variant `xlsx`, expected `csv` or `json` at line 1 column 33"
    );
}

#[test]
fn a_request_that_is_no_http_is_refused() {
    let database = TestDatabase::new("web_bytes");
    let server = Server::start(&database, &[]);
    for bytes in [
        "\r\n\r\n",
        "hello\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: 127.0.0.1\r\n\r\n",
        "POST /api/v1/ask HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST /api/v1/ask HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -5\r\n\r\n",
        "GET http://evil.example/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    ] {
        let mut stream = std::net::TcpStream::connect(server.address()).unwrap();
        stream
            .set_read_timeout(Some(std::time::Duration::from_secs(30)))
            .unwrap();
        stream.write_all(bytes.as_bytes()).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let mut answer = Vec::new();
        // The connection may be reset.
        drop(stream.read_to_end(&mut answer));
        let answer = String::from_utf8_lossy(&answer);
        assert!(
            !answer.starts_with("HTTP/1.1 2") && !answer.starts_with("HTTP/1.1 5"),
            "{bytes:?}: {answer}"
        );
    }
    let headers = server
        .get("/healthz")
        .header("X-Long", &"x".repeat(1 << 20))
        .begin();
    match Response::read(headers) {
        Ok(response) => assert_eq!(response.status, 431),
        // It may close before all of it was sent.
        Err(error) => drop(error),
    }
    assert_eq!(server.get("/healthz").send().status, 200);
}

#[test]
fn a_client_is_told_when_its_connection_ends_with_its_request() {
    let database = TestDatabase::new("web_connection");
    let server = Server::start(&database, &[]);
    let host = format!("Host: {}\r\n", server.address());
    let foreign = format!("{host}Origin: https://evil.example\r\n");
    for (path, headers, status) in [
        ("/api/v1/ask", host.as_str(), 401),
        ("/mcp", &host, 401),
        ("/api/v1/ask", &foreign, 403),
        ("/api/v1/nothing", &host, 404),
        ("/healthz", &host, 405),
        ("/api/v1/ask", "Host: evil.example\r\n", 421),
    ] {
        let mut stream = std::net::TcpStream::connect(server.address()).unwrap();
        // The body has not arrived when the answer is known.
        let head = format!(
            "POST {path} HTTP/1.1\r\n{headers}Content-Type: application/json\r\nContent-Length: 17\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        let response = Response::read(stream).unwrap();
        assert_eq!(response.status, status, "{path}");
        assert_eq!(response.header("connection"), Some("close"), "{path}");
    }
    let mut stream = std::net::TcpStream::connect(server.address()).unwrap();
    for _ in 0..2 {
        let head = format!("GET /api/v1/history HTTP/1.1\r\n{host}\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        let response = Response::read(stream.try_clone().unwrap()).unwrap();
        assert_eq!(response.status, 401);
        assert_eq!(response.header("connection"), None);
    }
}

#[test]
fn nothing_of_the_database_is_said_before_login() {
    let database = TestDatabase::new("web_before_login");
    let (ana, other) = (person(&database, "ana"), person(&database, "other"));
    let nologin = database.create_role("nologin", "NOLOGIN PASSWORD 'x'");
    let expired = database.create_role("expired", "LOGIN PASSWORD 'x' VALID UNTIL '2001-01-01'");
    let no_password = database.create_role("without", "LOGIN");
    database
        .superuser()
        .batch_execute(&format!(
            "CREATE TABLE secret_table (secret_column int);
         REVOKE CONNECT ON DATABASE {name} FROM PUBLIC; GRANT CONNECT ON DATABASE {name} TO {ana}",
            name = database.name()
        ))
        .unwrap();
    let server = Server::start(&database, &["--limits-login-attempts", "1000"]);
    let login = |user: &str, password: &str| {
        let response = server
            .post(
                "/api/v1/session",
                json!({"user": user, "password": password}),
            )
            .send();
        assert_eq!(response.header("set-cookie"), None, "{user}");
        let basic = server
            .get("/api/v1/session")
            .header("Authorization", &basic(user, password))
            .send();
        assert_eq!(basic.status, response.status, "{user}");
        response.problem(response.status)
    };
    let wrong = "the user name or the password is wrong";
    for (user, password) in [
        (ana.as_str(), "wrong"),
        (&ana, ""),
        ("", ""),
        ("", "x"),
        ("nobody", "x"),
        (&nologin, "x"),
        (&expired, "x"),
        (&no_password, "x"),
        ("postgres", "postgres"),
        ("text2sql_readyz", "x"),
        (&"x".repeat(64), "x"),
        ("a\u{0}b", "x"),
        (&ana, "x\u{0}"),
        ("ana' OR '1'='1", "x"),
        ("ana password=x host=evil.example", "x"),
    ] {
        assert_eq!(login(user, password), wrong, "{user:?} {password:?}");
    }
    // The right password of a role that may not connect.
    let refused = login(&other, PASSWORD);
    assert_eq!(refused, "this role may not connect to the database");
    for header in [
        "Basic",
        "Basic ",
        "Basic !!!!",
        "Basic YQ==",
        "Bearer",
        "Bearer x",
        "Digest x",
        "basic  ",
        "x",
        "Negotiate YII=",
    ] {
        let response = server
            .get("/api/v1/schema")
            .header("Authorization", header)
            .send();
        let title = response.problem(401);
        assert!(
            title == "not logged in" || title == wrong,
            "{header}: {title}"
        );
    }
    let twice = server
        .get("/api/v1/schema")
        .as_role(&ana)
        .as_role(&ana)
        .send();
    assert_eq!(
        twice.problem(400),
        "the header Authorization is there twice"
    );
    let log = server.log();
    assert!(!log.contains(PASSWORD) && !log.contains("YQ=="), "{log}");
    for cookie in [
        "text2sql=",
        "text2sql=x",
        "__Host-text2sql=../..",
        "text2sql=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    ] {
        server
            .get("/api/v1/schema")
            .in_session(cookie)
            .send()
            .problem(401);
    }
    // A client without any right on the database sees the page, but no name from the database.
    for path in ["/", "/assets/main.js", "/api/v1/openapi.json"] {
        let page = server.get(path).send();
        assert_eq!(page.status, 200, "{path}");
        assert!(
            !page.body.contains("secret_table") && !page.body.contains(database.name()),
            "{path}"
        );
    }
}

#[test]
fn a_server_that_verifies_no_password_lets_nobody_in() {
    let database = TestDatabase::new("web_trust");
    let ana = person(&database, "ana");
    // Its socket lets everybody in without a password, as many installations do.
    let socket = std::env::var("PGHOST").unwrap();
    let port = std::env::var("PGPORT").unwrap();
    let target = format!("host={socket} port={port} dbname={}", database.name());
    let server = Server::start_at(&target, &[]);
    for (user, password) in [(ana.as_str(), PASSWORD), (&ana, "wrong"), ("postgres", "x")] {
        let response = server
            .post(
                "/api/v1/session",
                json!({"user": user, "password": password}),
            )
            .send();
        assert_eq!(
            response.problem(503),
            "the database verifies no passwords for connections from here"
        );
    }
    assert!(server.log().contains("pg_hba.conf"), "{}", server.log());
}
