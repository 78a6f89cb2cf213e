//! Several databases behind one server.

use serde_json::{Value, json};
use text2sql_server_tests::TestDatabase;
use text2sql_server_tests::web::{PASSWORD, Response, Server, person};

const WHERE: &str = "SELECT current_database() AS here";

fn here(response: &Response) -> Value {
    response.of_status(200)["result_rows"][0]["here"].clone()
}

#[test]
fn each_database_has_an_address_a_login_and_a_session_of_its_own() {
    let (shop, hr) = (TestDatabase::new("web_shop"), TestDatabase::new("web_hr"));
    let ana = person(&shop, "ana");
    let of_hr = format!(
        "ALTER ROLE {ana} IN DATABASE {} SET work_mem = '7MB'",
        hr.name()
    );
    hr.superuser().batch_execute(&of_hr).unwrap();
    let server = Server::start_several(&[("shop", &shop), ("hr", &hr)], &[]);

    // Before a login: their names, and nothing else of them.
    let offered = server.get("/databases/hr/api/v1/databases").send();
    assert_eq!(
        offered.of_status(200),
        json!({"databases": [
            {"name": "shop", "path": "/databases/shop/", "is_this": false},
            {"name": "hr", "path": "/databases/hr/", "is_this": true},
        ]})
    );

    // The address says which; without one it is the first.
    let run = |path: &str| {
        server
            .post(path, json!({"sql": WHERE}))
            .as_role(&ana)
            .send()
    };
    assert_eq!(here(&run("/api/v1/run")), shop.name());
    assert_eq!(here(&run("/databases/shop/api/v1/run")), shop.name());
    assert_eq!(here(&run("/databases/hr/api/v1/run")), hr.name());
    server
        .get("/databases/other/api/v1/session")
        .send()
        .problem(404);
    let page = server.get("/databases/hr").send();
    assert_eq!(
        (page.status, page.header("location")),
        (308, Some("/databases/hr/"))
    );
    assert!(server.get("/databases/hr/").send().body.contains("<script"));

    // A session is one of the database that it was begun in, whatever its cookie is called.
    let login = |name: &str, password: &str| {
        let body = json!({"user": ana, "password": password});
        server
            .post(&format!("/databases/{name}/api/v1/session"), body)
            .send()
    };
    let logged_in = login("hr", PASSWORD);
    assert_eq!(logged_in.of_status(200)["database"], hr.name());
    let cookie = logged_in.cookie();
    let id = cookie
        .strip_prefix("text2sql-hr=")
        .expect("the name of the database");
    let who = |name: &str, cookie: &str| {
        let path = format!("/databases/{name}/api/v1/session");
        server.get(&path).in_session(cookie).send()
    };
    assert_eq!(who("hr", &cookie).of_status(200)["database"], hr.name());
    who("shop", &cookie).problem(401);
    for name in ["text2sql-shop", "text2sql", "__Host-text2sql-shop"] {
        who("shop", &format!("{name}={id}")).problem(401);
    }
    server
        .get("/api/v1/session")
        .in_session(&cookie)
        .send()
        .problem(401);
    // Both sessions side by side.
    let both = format!("{cookie}; {}", login("shop", PASSWORD).cookie());
    assert_eq!(who("hr", &both).of_status(200)["database"], hr.name());
    assert_eq!(who("shop", &both).of_status(200)["database"], shop.name());

    // An agent reaches the database of its address.
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "run_sql", "arguments": {"sql": WHERE}}});
    let mcp = |path: &str| {
        let request = server.post(path, &call).as_role(&ana);
        let accepted = "application/json, text/event-stream";
        request.header("Accept", accepted).send().body
    };
    assert!(
        mcp("/databases/hr/mcp").contains(hr.name()),
        "{}",
        mcp("/databases/hr/mcp")
    );
    assert!(mcp("/mcp").contains(shop.name()));
}

#[test]
fn more_databases_are_not_more_tries_of_a_password() {
    let (shop, hr) = (
        TestDatabase::new("web_tries_a"),
        TestDatabase::new("web_tries_b"),
    );
    let ana = person(&shop, "ana");
    let options = ["--limits-login-attempts", "2"];
    let server = Server::start_several(&[("shop", &shop), ("hr", &hr)], &options);
    let login = |name: &str, password: &str| {
        let body = json!({"user": ana, "password": password});
        server
            .post(&format!("/databases/{name}/api/v1/session"), body)
            .send()
    };
    login("shop", "wrong").problem(401);
    login("hr", "wrong").problem(401);
    assert_eq!(login("hr", PASSWORD).problem(429), "too many failed logins");
}

#[test]
fn a_configuration_with_several_databases_is_checked() {
    let two = ["--database", "shop=dbname=a", "--database", "shop=dbname=b"];
    let (said, is_right) = Server::output(&[&["serve", "--check"], two.as_slice()].concat());
    assert!(
        !is_right && said.contains("two databases are called shop"),
        "{said}"
    );
    let two = ["--database", "shop=dbname=a", "--database", "dbname=b"];
    let (said, is_right) = Server::output(&[&["serve", "--check"], two.as_slice()].concat());
    assert!(!is_right && said.contains("each needs a name"), "{said}");
    let two = ["--database", "shop=dbname=a", "--database", "hr=dbname=b"];
    let (said, is_right) = Server::output(&[&["serve", "--check"], two.as_slice()].concat());
    assert!(
        is_right && said.contains(r#"database = { "shop" = "dbname=a", "hr" = "dbname=b" }"#),
        "{said}"
    );
    let (said, is_right) = Server::output(&[&["ask"], two.as_slice(), &["How many?"]].concat());
    assert!(
        !is_right && said.contains("several are configured"),
        "{said}"
    );
    let secret = [
        "--database",
        "shop=dbname=a",
        "--database",
        "hr=dbname=b password=x",
    ];
    let (said, is_right) = Server::output(&[&["serve", "--check"], secret.as_slice()].concat());
    assert!(
        !is_right && said.contains("must not contain a password"),
        "{said}"
    );
}
