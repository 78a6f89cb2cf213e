//! A file that is sent to text2sql-server becomes a table, with the rights of whoever sends it.

use serde_json::{Value, json};
use text2sql_server_tests::TestDatabase;
use text2sql_server_tests::web::{Request, Server, person};

const FILE: &str = "Shop;Sold on;Amount\nNorth;2026-03-01;1,50\nSouth;2026-03-02;20,25\n";

/// The columns as `name type`.
fn columns(loaded: &Value) -> Vec<String> {
    let text = |column: &Value, name: &str| column[name].as_str().unwrap_or_default().to_owned();
    let columns = loaded["columns"].as_array().expect("columns").iter();
    columns
        .map(|column| format!("{} {}", text(column, "name"), text(column, "type")))
        .collect()
}

#[test]
fn a_file_becomes_a_table_of_whoever_sends_it() {
    let database = TestDatabase::new("web_tables");
    let (ana, bob) = (person(&database, "ana"), person(&database, "bob"));
    let owned =
        format!("CREATE SCHEMA files AUTHORIZATION {ana}; GRANT USAGE ON SCHEMA files TO {bob}");
    database
        .superuser()
        .batch_execute(&owned)
        .expect("a schema");
    let server = Server::start(&database, &[]);
    let send = |query: &str, file: &str| -> Request {
        server
            .request("POST", &format!("/api/v1/tables?{query}"))
            .header("Content-Type", "application/octet-stream")
            .body(file)
    };
    let types = ["shop text", "sold_on date", "amount numeric"];

    let preview = "file=march.csv&name=files.march&options=%7B%22dry_run%22:true%7D";
    let previewed = send(preview, FILE).as_role(&ana).send().of_status(200);
    assert_eq!(columns(&previewed), types);
    let refused = send("file=march.csv&name=files.march", FILE)
        .as_role(&bob)
        .send();
    assert_eq!(refused.of_status(403)["sqlstate"], "42501");
    let loaded = send("file=march.csv&name=files.march", FILE)
        .as_role(&ana)
        .send()
        .of_status(200);
    assert_eq!(
        (columns(&loaded), loaded["rows"].as_u64()),
        (types.map(str::to_owned).to_vec(), Some(2))
    );

    let question = json!({"question": "What is the total amount of march?"});
    let answered = server
        .post("/api/v1/ask", &question)
        .as_role(&ana)
        .send()
        .of_status(200);
    assert_eq!(answered["answer"], "The total amount of march is 21.75.");

    // It is taken back by who loaded it, once; a trial run and a table of the same name cannot be.
    assert!(previewed.get("undo").is_none() && loaded.get("oids").is_none());
    let undo = |loaded: &Value, role: &str| {
        let path = format!("/api/v1/tables/{}", loaded["undo"].as_str().unwrap());
        server.request("DELETE", &path).as_role(role).send()
    };
    let other = send("file=x.csv&name=files.other", FILE)
        .as_role(&ana)
        .send()
        .of_status(200);
    undo(&other, &bob).problem(404);
    // What uses it has to go first.
    let mut admin = database.superuser();
    admin
        .batch_execute("CREATE VIEW files.uses AS SELECT * FROM files.other")
        .unwrap();
    undo(&other, &ana).problem(409);
    admin.batch_execute("DROP VIEW files.uses").unwrap();
    undo(&other, &ana).of_status(204);
    undo(&other, &ana).problem(404);
    // With the lines that did not fit.
    let collect = "file=x.csv&name=files.some&options=%7B%22on_error%22%3A%22collect%22%7D";
    let some = send(collect, "a,b\n1,2\n3\n")
        .as_role(&ana)
        .send()
        .of_status(200);
    assert_eq!(some["rejected"], 1);
    undo(&some, &ana).of_status(204);
    let tables = "SELECT string_agg(tablename, ',') FROM pg_tables WHERE schemaname = 'files'";
    let left: String = database.superuser().query_one(tables, &[]).unwrap().get(0);
    assert_eq!(left, "march");

    // Nothing is half loaded, and nothing is taken twice.
    let broken = "a,b\n1,2\n3\n";
    send("file=x.csv&name=files.march", FILE)
        .as_role(&ana)
        .send()
        .problem(409);
    send("file=x.csv&name=files.broken", broken)
        .as_role(&ana)
        .send()
        .problem(400);
    send("file=x.exe&name=files.broken", FILE)
        .as_role(&ana)
        .send()
        .problem(400);
    // However it is written, a temporary table would be there for the next request of that session.
    for name in [
        "pg_temp.x",
        "%22pg_temp%22.x",
        "PG_TEMP.x",
        "U%26%22pg%5C005ftemp%22.x",
    ] {
        send(&format!("file=x.csv&name={name}"), FILE)
            .as_role(&ana)
            .send()
            .problem(400);
    }
    send("file=x.csv&name=files.x", FILE).send().problem(401);
    let left =
        "SELECT string_agg(relname, ',') FROM pg_class WHERE relnamespace = 'files'::regnamespace";
    let left: String = database
        .superuser()
        .query_one(left, &[])
        .expect("tables")
        .get(0);
    assert_eq!(left, "march");
}
