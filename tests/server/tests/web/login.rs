//! Login to text2sql-server: attempts to guess a password, requests that another site makes a browser send, and
//! a password that was changed.

use serde_json::json;
use text2sql_server_tests::web::{PASSWORD, Request, Server, person};
use text2sql_server_tests::{TestDatabase, connect};

const WHO: &str = "SELECT current_user AS who, session_user AS login";

#[test]
fn attempts_to_guess_a_password_are_limited() {
    let database = TestDatabase::new("web_attempts");
    let (ana, bob) = (person(&database, "ana"), person(&database, "bob"));
    let server = Server::start(
        &database,
        &[
            "--limits-login-attempts",
            "3",
            "--trusted-proxies",
            "127.0.0.1",
        ],
    );
    let login = |user: &str, password: &str, from: &str| {
        server
            .post(
                "/api/v1/session",
                json!({"user": user, "password": password}),
            )
            .header("X-Forwarded-For", from)
            .send()
    };
    let basic = |user: &str, password: &str, from: &str| {
        server
            .get("/api/v1/session")
            .header("X-Forwarded-For", from)
            .header(
                "Authorization",
                &text2sql_server_tests::web::basic(user, password),
            )
            .send()
    };
    for _ in 0..3 {
        login(&ana, "wrong", "192.0.2.77").problem(401);
    }
    // The user is limited at that address, with the right password, too. Colleagues there are not, nor is she elsewhere.
    let limited = login(&ana, PASSWORD, "192.0.2.77");
    assert_eq!(limited.problem(429), "too many failed logins");
    let seconds: u32 = limited.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&seconds), "{seconds}");
    // Whichever way she logs in. A request that is not the login says first that nobody is logged in.
    let limited = basic(&ana, PASSWORD, "192.0.2.77");
    assert_eq!(limited.problem(401), "too many failed logins");
    assert!(limited.header("retry-after").is_some());
    login(&bob, PASSWORD, "192.0.2.77").of_status(200);
    login(&ana, PASSWORD, "192.0.2.78").of_status(200);
    // An address that tries ten times as many names is limited for all of them.
    for number in 0..30 {
        basic(&format!("x{number}"), "wrong", "198.51.100.1").problem(401);
    }
    login(&bob, PASSWORD, "198.51.100.1").problem(429);
    login(&bob, PASSWORD, "198.51.100.2").of_status(200);
    // The right password is no failure, however often.
    for _ in 0..10 {
        login(&bob, PASSWORD, "203.0.113.1").of_status(200);
    }
    // What a client itself says about its address is not believed: the proxy appended the last one.
    for number in 0..3 {
        let named = format!("10.0.0.{number}, 198.51.100.9");
        login(&bob, "wrong", &named).problem(401);
    }
    login(&bob, PASSWORD, "198.51.100.9").problem(429);
    let direct = Server::start(&database, &["--limits-login-attempts", "2"]);
    for number in 0..2 {
        let body = json!({"user": bob, "password": "wrong"});
        direct
            .post("/api/v1/session", body)
            .header("X-Forwarded-For", &format!("192.0.2.{number}"))
            .send()
            .problem(401);
    }
    let body = json!({"user": bob, "password": PASSWORD});
    direct
        .post("/api/v1/session", body)
        .header("X-Forwarded-For", "192.0.2.9")
        .send()
        .problem(429);
}

#[test]
fn another_site_cannot_use_the_session_of_a_browser() {
    let database = TestDatabase::new("web_csrf");
    let ana = person(&database, "ana");
    let server = Server::start(
        &database,
        &["--hosts", "ask.example.org,ask.example.org:8443"],
    );
    let login = json!({"user": ana, "password": PASSWORD});
    let cookie = server.post("/api/v1/session", &login).send().cookie();
    let run = || {
        server
            .post("/api/v1/run", json!({"sql": WHO}))
            .header("Cookie", &cookie)
    };
    let own = format!("http://{}", server.address());
    let send = |request: Request| request.send().status;
    assert_eq!(send(run().header("Sec-Fetch-Site", "same-origin")), 200);
    assert_eq!(send(run().header("Origin", &own)), 200);
    assert_eq!(
        send(
            run()
                .instead("Host", "ask.example.org")
                .header("Origin", "https://ask.example.org")
        ),
        200
    );
    let foreign = "another site made the browser send this request";
    for site in ["cross-site", "same-site", "", "Same-Origin"] {
        assert_eq!(
            run().header("Sec-Fetch-Site", site).send().problem(403),
            foreign,
            "{site}"
        );
        let logout = server
            .request("DELETE", "/api/v1/session")
            .header("Cookie", &cookie)
            .header("Sec-Fetch-Site", site);
        assert_eq!(logout.send().problem(403), foreign);
    }
    for origin in [
        "http://evil.example",
        "null",
        "",
        "http://localhost:1",
        &format!("{own}.evil.example"),
        "file://",
    ] {
        assert_eq!(
            run().header("Origin", origin).send().problem(403),
            foreign,
            "{origin}"
        );
    }
    // A site can neither log somebody in as somebody else.
    let forced = server
        .post("/api/v1/session", &login)
        .header("Origin", "http://evil.example")
        .send();
    assert_eq!(forced.problem(403), foreign);
    assert_eq!(
        run().send().problem(403),
        "a request with the cookie of a session needs the header Origin"
    );
    // What a form of another site can send without asking.
    for kind in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
    ] {
        let form = server
            .request("POST", "/api/v1/run")
            .header("Cookie", &cookie)
            .header("Origin", &own)
            .header("Content-Type", kind)
            .body(json!({"sql": WHO}).to_string());
        form.send().problem(415);
    }
    // A browser asks first, and is not answered: nothing allows another origin.
    let preflight = server
        .request("OPTIONS", "/api/v1/run")
        .header("Origin", "http://evil.example")
        .header("Access-Control-Request-Method", "POST")
        .header("Access-Control-Request-Headers", "content-type")
        .send();
    assert_eq!(preflight.header("access-control-allow-origin"), None);
    assert_eq!(preflight.status, 405);
    let read = server
        .get("/api/v1/schema")
        .header("Cookie", &cookie)
        .header("Origin", "http://evil.example")
        .send();
    assert_eq!(read.header("access-control-allow-origin"), None);
    assert_eq!(
        read.header("cross-origin-resource-policy"),
        Some("same-origin")
    );
    assert_eq!(read.header("cache-control"), Some("no-store"));

    // A name that somebody else made point here.
    for host in [
        "evil.example",
        "evil.example:8432",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "ask.example.org:1",
        "169.254.169.254",
        "[::1",
        "",
    ] {
        for path in ["/", "/api/v1/session", "/api/v1/openapi.json"] {
            let response = server
                .get(path)
                .instead("Host", host)
                .header("Cookie", &cookie)
                .send();
            assert!(
                matches!(response.status, 400 | 421),
                "{host}: {} {}",
                response.status,
                response.body
            );
        }
    }
    for host in [
        "localhost",
        "localhost:99",
        "127.0.0.1",
        "[::1]:8432",
        "ask.example.org",
        "ASK.example.org:8443",
    ] {
        let response = server
            .get("/api/v1/session")
            .instead("Host", host)
            .header("Cookie", &cookie)
            .send();
        assert_eq!(response.status, 200, "{host}: {}", response.body);
    }
    // Programs without a cookie need none of this.
    server
        .post("/api/v1/run", json!({"sql": WHO}))
        .as_role(&ana)
        .send()
        .of_status(200);
}

#[test]
fn a_password_that_was_changed_opens_nothing() {
    let database = TestDatabase::new("web_changed");
    let ana = person(&database, "ana");
    let server = Server::start(&database, &[]);
    let login = json!({"user": ana, "password": PASSWORD});
    let cookie = server.post("/api/v1/session", &login).send().cookie();
    let run = || {
        server
            .post("/api/v1/run", json!({"sql": WHO}))
            .in_session(&cookie)
            .send()
    };
    run().of_status(200);
    let end = format!(
        "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE usename = '{ana}'"
    );
    let mut admin = connect("postgres", None);
    admin
        .batch_execute(&format!("ALTER ROLE {ana} PASSWORD 'another'; {end}"))
        .unwrap();
    assert_eq!(run().problem(401), "the user name or the password is wrong");
    server.post("/api/v1/session", &login).send().problem(401);
    // The same holds for a role that may no longer log in.
    let new = json!({"user": ana, "password": "another"});
    let cookie = server.post("/api/v1/session", &new).send().cookie();
    admin
        .batch_execute(&format!("ALTER ROLE {ana} NOLOGIN; {end}"))
        .unwrap();
    server
        .get("/api/v1/session")
        .in_session(&cookie)
        .send()
        .problem(401);
}
