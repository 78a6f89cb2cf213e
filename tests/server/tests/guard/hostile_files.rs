//! Files that do harm, or are just wrong, sent to text2sql-server: a clear error, and nothing half loaded.

use text2sql_server_tests::TestDatabase;
use text2sql_server_tests::office;
use text2sql_server_tests::web::{Response, Server, person};

/// Sends a file; the table would be in the schema `files`.
fn send(server: &Server, role: &str, query: &str, file: impl Into<Vec<u8>>) -> Response {
    server
        .request("POST", &format!("/api/v1/tables?{query}"))
        .header("Content-Type", "application/octet-stream")
        .as_role(role)
        .body(file)
        .send()
}

fn title(response: &Response, status: u16) -> String {
    let body = response.of_status(status);
    body["title"].as_str().unwrap_or_default().to_owned()
}

/// A role with a schema `files` of its own.
fn owner(database: &TestDatabase) -> String {
    let role = person(database, "ana");
    let schema = format!("CREATE SCHEMA files AUTHORIZATION {role}");
    database
        .superuser()
        .batch_execute(&schema)
        .expect("a schema");
    role
}

fn tables(database: &TestDatabase) -> Vec<String> {
    let sql = "SELECT relname::text FROM pg_class WHERE relnamespace = 'files'::regnamespace AND relkind = 'r' ORDER BY 1";
    let rows = database.superuser().query(sql, &[]).expect("tables");
    rows.iter().map(|row| row.get(0)).collect()
}

#[test]
fn limits_of_files_are_settings() {
    let database = TestDatabase::new("file_limits");
    let role = owner(&database);
    let limits = [
        "--limits-file-megabytes",
        "2",
        "--limits-file-unpacked-megabytes",
        "3",
        "--limits-file-columns",
        "3",
        "--limits-file-line-megabytes",
        "1",
    ];
    let server = Server::start(&database, &limits);
    let shown = server
        .get("/api/v1/tables")
        .as_role(&role)
        .send()
        .of_status(200);
    assert_eq!(shown["limits"]["bytes"], 2 << 20);
    assert_eq!(shown["limits"]["columns"], 3);
    assert_eq!(shown["schemas"][0]["name"], "files");

    let large = "a\n".repeat(3 << 19);
    let refused = send(&server, &role, "file=x.csv&name=files.x", large);
    assert_eq!(title(&refused, 413), "the file is larger than 2 MB");
    let bomb = office::xlsx(&[&["a"], &["1"]], 4 << 20);
    assert!(bomb.len() < 1 << 20);
    let refused = send(&server, &role, "file=x.xlsx&name=files.x", bomb);
    assert_eq!(title(&refused, 400), "the file unpacks to more than 3 MB");
    let bomb = office::ods(&[&["a"], &["1"]], 4 << 20);
    let refused = send(&server, &role, "file=x.ods&name=files.x", bomb);
    assert_eq!(title(&refused, 400), "the file unpacks to more than 3 MB");
    let refused = send(
        &server,
        &role,
        "file=x.csv&name=files.x",
        "a,b,c,d\n1,2,3,4\n",
    );
    assert_eq!(
        title(&refused, 400),
        "the file has 4 columns; at most 3 are taken here"
    );
    let refused = send(
        &server,
        &role,
        "file=x.jsonl&name=files.x",
        "{\"a\": 1, \"b\": 2}\n{\"c\": 3, \"d\": 4}\n",
    );
    assert_eq!(
        title(&refused, 400),
        "the file has 4 columns; at most 3 are taken here"
    );
    let line = format!("a\n1\n{}\n", "x".repeat((1 << 20) + 1));
    let refused = send(&server, &role, "file=x.csv&name=files.x", line);
    assert_eq!(title(&refused, 400), "line 3 is longer than 1 MB");
    assert_eq!(tables(&database), Vec::<String>::new());

    let taken = send(&server, &role, "file=x.csv&name=files.x", "a,b,c\n1,2,3\n");
    assert_eq!(taken.of_status(200)["rows"], 1);
    assert_eq!(tables(&database), ["x"]);
}

#[test]
fn what_cannot_be_a_table_leaves_nothing_behind() {
    let database = TestDatabase::new("hostile_files");
    let role = owner(&database);
    let server = Server::start(&database, &[]);
    let cases: [(&str, Vec<u8>, &str); 8] = [
        (
            "file=wide.csv",
            format!("{}\n1\n", vec!["a"; 1_000_000].join(",")).into_bytes(),
            "line 1 has 1000000 values; a table has at most 1600 columns",
        ),
        (
            "file=nul.csv",
            b"a,b\n1,2\n3,\0\n".to_vec(),
            "line 3: the file has a NUL character, which PostgreSQL cannot store",
        ),
        (
            "file=open.csv",
            b"a,b\n1,\"2\n3,4\n".to_vec(),
            "line 2: a quoted value is not closed",
        ),
        (
            "file=encoding.csv&encoding=utf-8",
            b"a\nGr\xf6\xdfe\n".to_vec(),
            "UTF-8",
        ),
        (
            "file=encoding.csv&encoding=klingon",
            b"a\n1\n".to_vec(),
            "klingon",
        ),
        (
            "file=broken.json",
            b"[{\"a\": 1}, {\"a\": ]".to_vec(),
            "line 1",
        ),
        (
            "file=no.xlsx",
            b"PK\x03\x04 this is no workbook".to_vec(),
            "archive",
        ),
        ("file=empty.csv", Vec::new(), "no columns"),
    ];
    for (query, file, expected) in cases {
        let query = format!("{query}&name=files.x");
        let refused = title(&send(&server, &role, &query, file), 400);
        assert!(
            refused.to_lowercase().contains(&expected.to_lowercase()),
            "{query}: {refused}"
        );
    }
    assert_eq!(tables(&database), Vec::<String>::new());

    // Encodings that can be found.
    let latin = send(
        &server,
        &role,
        "file=latin.csv&name=files.latin",
        b"w\xf6rter\nGr\xf6\xdfe\n".to_vec(),
    );
    let latin = latin.of_status(200);
    assert!(latin["notes"][0].as_str().unwrap().contains("windows-1252"));
    let wide: Vec<u8> = "\u{feff}größe\nS\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    send(&server, &role, "file=wide.csv&name=files.wide", wide).of_status(200);
    let read = "SELECT (SELECT \"wörter\" FROM files.latin), (SELECT \"größe\" FROM files.wide)";
    let row = database.superuser().query_one(read, &[]).expect("a row");
    assert_eq!((row.get(0), row.get(1)), ("Größe", "S"));

    // Workbooks of both programs, with the name of the sheet's own columns.
    for (name, file) in [
        (
            "book.xlsx",
            office::xlsx(&[&["Team", "Sum"], &["A", "1"]], 0),
        ),
        ("book.ods", office::ods(&[&["Team", "Sum"], &["A", "1"]], 0)),
    ] {
        let table = name.replace('.', "_");
        let query = format!("file={name}&name=files.{table}");
        let loaded = send(&server, &role, &query, file).of_status(200);
        assert_eq!(loaded["columns"][0]["original"], "Team");
        assert_eq!(loaded["rows"], 1);
    }
}

#[test]
fn a_file_in_the_cookie_of_a_session_needs_a_type_that_another_site_cannot_send() {
    let database = TestDatabase::new("file_types");
    let role = owner(&database);
    let server = Server::start(&database, &[]);
    let login = serde_json::json!({"user": role, "password": text2sql_server_tests::web::PASSWORD});
    let begun = server.post("/api/v1/session", &login).send();
    let cookie = begun.header("set-cookie").expect("a cookie").to_owned();
    let cookie = cookie.split(';').next().expect("a cookie").to_owned();
    let send = |kind: &str| {
        server
            .request("POST", "/api/v1/tables?file=x.csv&name=files.x")
            .header("Content-Type", kind)
            .in_session(&cookie)
            .body("a\n1\n")
            .send()
    };
    for kind in ["text/plain", "text/csv", "multipart/form-data"] {
        send(kind).of_status(415);
    }
    send("application/octet-stream").of_status(200);
    assert_eq!(tables(&database), ["x"]);
}
