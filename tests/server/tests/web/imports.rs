//! Glossaries and examples from files, through text2sql-server: sent to it, and loaded by it from a shell.

use serde_json::{Value, json};
use text2sql_server_tests::TestDatabase;
use text2sql_server_tests::web::{Request, Server, person};

const TERMS: &str =
    "Begriff;Bedeutung;SQL;Tabelle\nGroßauftrag;über 100 €;total > 100;orders\nSP;Sharepoint;;\n";

fn lines(imported: &Value) -> Vec<String> {
    let lines = imported["lines"].as_array().expect("lines").iter();
    lines
        .map(|line| {
            let text = |name: &str| line[name].as_str().unwrap_or_default();
            format!("{} {} {}", line["line"], text("subject"), text("outcome"))
        })
        .collect()
}

fn teach(database: &TestDatabase, role: &str) {
    let grant = format!("SELECT text2sql.grant_access('{role}', 'curator')");
    database
        .superuser()
        .batch_execute(&grant)
        .expect("a curator");
}

#[test]
fn a_glossary_is_imported_listed_and_taken_back() {
    let database = TestDatabase::new("web_imports");
    let (ana, bob) = (person(&database, "ana"), person(&database, "bob"));
    teach(&database, &ana);
    let server = Server::start(&database, &[]);
    let send = |query: &str, file: &[u8]| -> Request {
        server
            .request("POST", &format!("/api/v1/imports?{query}"))
            .header("Content-Type", "application/octet-stream")
            .body(file.to_vec())
    };
    let glossary = "kind=glossary&file=terms.csv";

    let refused = send(glossary, TERMS.as_bytes()).as_role(&bob).send();
    assert_eq!(refused.of_status(403)["sqlstate"], "42501");
    send(glossary, TERMS.as_bytes()).send().problem(401);
    let imported = send(glossary, TERMS.as_bytes()).as_role(&ana).send();
    let imported = imported.of_status(200);
    assert_eq!(lines(&imported), ["2 Großauftrag taken", "3 SP taken"]);

    // The same in another encoding is the same.
    let latin: Vec<u8> = TERMS
        .chars()
        .map(|c| match c {
            '€' => 0x80,
            c => u8::try_from(u32::from(c)).expect("windows-1252"),
        })
        .collect();
    let again = send(glossary, &latin).as_role(&ana).send().of_status(200);
    assert_eq!(lines(&again), ["2 Großauftrag known", "3 SP known"]);
    assert!(again["notes"][0].as_str().unwrap().contains("windows-1252"));

    let wrong = send("kind=glossary&file=x.csv", b"term,meaning\na,b\nc,d\0\n")
        .as_role(&ana)
        .send();
    let title = "line 3: the file has a NUL character, which PostgreSQL cannot store";
    assert_eq!(wrong.problem(400), title);
    let broken = "{\"question\": \"How many?\", \"sql\": \"SELECT count(*) FROM orders\"}\n{\"question\": \"x\"}\n";
    let examples = "kind=examples&file=questions.jsonl";
    let wrong = send(examples, broken.as_bytes()).as_role(&ana).send();
    assert_eq!(wrong.problem(400), "line 2: it has no \"sql\" or \"SQL\"");
    let skipped = send(&format!("{examples}&on_error=skip"), broken.as_bytes())
        .as_role(&ana)
        .send()
        .of_status(200);
    assert_eq!(
        (&skipped["taken"], &skipped["refused"]),
        (&json!(1), &json!(1))
    );

    let listed = server
        .get("/api/v1/imports")
        .as_role(&ana)
        .send()
        .of_status(200);
    let sources: Vec<&str> = listed["imports"]
        .as_array()
        .expect("imports")
        .iter()
        .filter_map(|import| import["source"].as_str())
        .collect();
    assert_eq!(sources, ["questions.jsonl", "terms.csv"]);
    let of_file = server
        .get("/api/v1/imports/lines?source=questions.jsonl&outcome=refused")
        .as_role(&ana)
        .send()
        .of_status(200);
    assert_eq!(
        (&of_file["lines"][0]["line"], &of_file["more"]),
        (&json!(2), &json!(false))
    );

    let sound = json!({"source": "questions.jsonl", "needs_opinion": false});
    let verified = server
        .post("/api/v1/imports/verify", &sound)
        .as_role(&ana)
        .send();
    assert_eq!(verified.of_status(200)["verified"], 1);
    let drop = |source: &str| {
        let path = format!("/api/v1/imports?source={source}");
        server.request("DELETE", &path).as_role(&ana).send()
    };
    assert_eq!(drop("terms.csv").of_status(200)["dropped"], 2);
    let left = drop("questions.jsonl").of_status(200);
    assert_eq!(
        (&left["dropped"], &left["left"][0]["subject"]),
        (&json!(0), &json!("How many?"))
    );
    assert_eq!(
        drop("questions.jsonl&include_verified=true").of_status(200)["dropped"],
        1
    );
    drop("terms.csv").problem(404);
}

#[test]
fn a_shell_loads_them() {
    let database = TestDatabase::new("load_imports");
    let folder = std::env::temp_dir().join(format!("text2sql_{}", database.name()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).expect("a file");
        path.display().to_string()
    };
    let ana = person(&database, "loads");
    teach(&database, &ana);
    let load = |arguments: &[&str]| Server::load(&database, &ana, arguments, &[]);
    let wrong = Server::load(&database, "nobody_of_that_name", &["x.csv"], &[]);
    assert!(
        !wrong.1 && wrong.0.contains("nobody_of_that_name"),
        "{wrong:?}"
    );
    let terms = write("terms.csv", TERMS);
    let (said, is_done) = load(&["--as", "glossary", "--dry-run", &terms]);
    assert!(is_done && said.contains("would be: 2 taken"), "{said}");
    let (said, is_done) = load(&["--as", "glossary", "--source", "our terms", &terms]);
    assert!(is_done, "{said}");
    assert!(
        said.contains("2 taken, 0 known, 0 refused, 0 dropped as \"our terms\""),
        "{said}"
    );
    let tabs = write(
        "questions.tsv",
        "question\tsql\nHow many?\tSELECT count(*) FROM orders\nx\tSELECT no_such\n",
    );
    let (said, is_done) = load(&["--as", "examples", &tabs]);
    assert!(
        !is_done && said.contains("line 3: column \"no_such\" does not exist"),
        "{said}"
    );
    let (said, is_done) = load(&["--as", "examples", "--on-error", "collect", &tabs]);
    assert!(
        is_done && said.contains("1 taken, 0 known, 1 refused"),
        "{said}"
    );
    let (said, is_done) = load(&["--as", "words", &terms]);
    assert!(
        !is_done && said.contains("--as must be glossary, examples or documents"),
        "{said}"
    );
    let listed =
        "SELECT string_agg(source || ' ' || taken, ', ' ORDER BY source) FROM text2sql.imports";
    let listed: String = database
        .superuser()
        .query_one(listed, &[])
        .expect("imports")
        .get(0);
    assert_eq!(listed, "our terms 2, questions.tsv 1");
    std::fs::remove_dir_all(&folder).expect("a folder");
}
