//! The routes of text2sql-server: what each answers, with the rights of whoever asks.

use model_double::{ModelDouble, Script};
use serde_json::{Value, json};
use text2sql_server_tests::web::{PASSWORD, Server, person, stranger};
use text2sql_server_tests::{TestDatabase, connect};

const COUNT: &str = "SELECT count(*) AS n FROM customers";

fn sql(text: &str) -> String {
    json!({ "sql": text }).to_string()
}

/// A model that needs a second try for "repair me", and knows one other query.
fn script() -> Script {
    Script::new()
        .on(
            "repair me",
            [sql("SELECT count(*) FROM custmers"), sql(COUNT)],
        )
        .otherwise(sql(COUNT))
}

#[test]
fn a_session_lasts_from_login_to_logout() {
    let database = TestDatabase::new("web_session");
    let ana = person(&database, "ana");
    let server = Server::start(&database, &[]);
    let login = json!({"user": ana, "password": PASSWORD});
    let response = server.post("/api/v1/session", &login).send();
    let me = response.of_status(200);
    assert_eq!((&me["user"], &me["role"]), (&json!(ana), &json!(ana)));
    assert_eq!(me["database"], database.name());
    assert_eq!(me["may"]["ask"], true);
    assert_eq!(me["may"]["teach"], false);
    let set = response.header("set-cookie").unwrap().to_owned();
    assert!(set.starts_with("text2sql="), "{set}");
    assert!(
        set.ends_with("; Path=/; HttpOnly; SameSite=Strict"),
        "{set}"
    );

    let cookie = response.cookie();
    let again = server.get("/api/v1/session").in_session(&cookie).send();
    assert_eq!(again.of_status(200)["user"], ana.as_str());
    let run = server
        .post("/api/v1/run", json!({"sql": COUNT}))
        .in_session(&cookie);
    assert_eq!(run.send().of_status(200)["result_rows"], json!([{"n": 40}]));

    let out = server
        .request("DELETE", "/api/v1/session")
        .in_session(&cookie)
        .send();
    out.of_status(204);
    let gone = out.header("set-cookie").unwrap();
    assert!(
        gone.starts_with("text2sql=; ") && gone.ends_with("; Max-Age=0"),
        "{gone}"
    );
    assert_eq!(run.send().problem(401), "not logged in");
    // Logging out without a session succeeds.
    server
        .request("DELETE", "/api/v1/session")
        .send()
        .of_status(204);
}

#[test]
fn behind_https_the_cookie_belongs_to_this_host_alone() {
    let database = TestDatabase::new("web_https");
    let ana = person(&database, "ana");
    let server = Server::start(&database, &["--public-url", "https://ask.example.com"]);
    let login = json!({"user": ana, "password": PASSWORD});
    let response = server
        .post("/api/v1/session", &login)
        .instead("Host", "ask.example.com")
        .header("Origin", "https://ask.example.com")
        .send();
    response.of_status(200);
    let set = response.header("set-cookie").unwrap();
    assert!(set.starts_with("__Host-text2sql="), "{set}");
    assert!(
        set.ends_with("; Path=/; HttpOnly; SameSite=Strict; Secure"),
        "{set}"
    );
    let security = response.header("strict-transport-security");
    assert_eq!(security, Some("max-age=31536000"));
}

#[test]
fn a_question_is_answered_at_once_or_step_by_step() {
    let double = ModelDouble::start(script()).unwrap();
    let database = TestDatabase::new("web_ask");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    let ana = person(&database, "ana");
    let server = Server::start(&database, &[]);
    let ask = |question: Value| server.post("/api/v1/ask", question).as_role(&ana);

    let row = ask(json!({"question": "repair me"})).send().of_status(200);
    assert_eq!((&row["status"], &row["sql"]), (&json!("ok"), &json!(COUNT)));
    assert_eq!(row["result_rows"], json!([{"n": 40}]));
    assert_eq!(
        row["result_columns"],
        json!([{"name": "n", "type": "bigint"}])
    );

    let stream = ask(json!({"question": "repair me"})).stream();
    assert_eq!(stream.response.header("cache-control"), Some("no-store"));
    assert_eq!(stream.response.header("x-accel-buffering"), Some("no"));
    let events = stream.rest();
    let steps: Vec<Value> = events
        .iter()
        .filter(|event| event.name == "step")
        .map(|event| event.json())
        .collect();
    let stages: Vec<&str> = steps
        .iter()
        .filter_map(|step| step["stage"].as_str())
        .collect();
    for stage in [
        "retrieve", "generate", "execute", "repair", "judge", "answer",
    ] {
        assert!(stages.contains(&stage), "{stage}: {stages:?}");
    }
    let times: Vec<f64> = steps
        .iter()
        .filter_map(|step| step["ms"].as_f64())
        .collect();
    assert!(times.len() == steps.len() && times.is_sorted(), "{times:?}");
    let written: Vec<&Value> = steps
        .iter()
        .map(|step| &step["sql"])
        .filter(|sql| !sql.is_null())
        .collect();
    assert_eq!(written, ["SELECT count(*) FROM custmers", COUNT]);
    let repairs: Vec<&Value> = steps
        .iter()
        .map(|step| &step["repair"])
        .filter(|repair| !repair.is_null())
        .collect();
    assert_eq!(repairs, ["unknown_name"]);
    assert!(steps.iter().any(|step| step["score"].is_f64()), "{steps:?}");
    assert!(steps.iter().any(|step| step["rows"] == 1), "{steps:?}");
    // What each query does, and its first rows, are events of their own.
    let of_name = |name: &str| -> Vec<Value> {
        let events = events.iter().filter(|event| event.name == name);
        events.map(|event| event.json()).collect()
    };
    let plans = of_name("plan");
    assert!(
        plans.last().unwrap()["steps"][0].is_string() && plans.len() <= 2,
        "{plans:?}"
    );
    assert_eq!(
        of_name("rows"),
        [json!({"result_columns": [{"name": "n", "type": "bigint"}], "result_rows": [{"n": 40}]})]
    );
    assert!(steps.iter().all(|step| step.get("first_rows").is_none()));
    let answer = events.last().unwrap();
    assert_eq!(answer.name, "answer");
    assert_eq!(answer.json()["trace_id"], steps[0]["trace_id"]);
    assert_eq!(answer.json()["result_rows"], json!([{"n": 40}]));

    // Options and their errors are those of the function.
    let limited = json!({"question": "How many customers?", "options": {"max_result_rows": 1}});
    assert_eq!(ask(limited).send().of_status(200)["status"], "ok");
    let unknown = json!({"question": "How many customers?", "options": {"max_rows": 1}});
    assert_eq!(
        ask(unknown.clone()).send().problem(400),
        "unknown option \"max_rows\""
    );
    let count = json!({"aggregate": {"function": "count", "of": null}});
    let counted = |table: &str| {
        let figures = json!({"measures": [{"name": "n", "value": count}], "dimensions": []});
        let meaning = json!({
            "subject": {"schema": "public", "name": table}, "conditions": [],
            "answer": {"figures": figures}, "order": null,
        });
        ask(json!({"question": "What is slow?", "options": {"meaning": meaning}}))
    };
    let answer = counted("customers").send().of_status(200);
    assert_eq!(
        answer["clarification"]["meaning"]["subject"]["name"],
        "customers"
    );
    assert_eq!(
        counted("nowhere").send().problem(400),
        "option \"meaning\" has no statement: there is no table nowhere"
    );
    let ending = ask(unknown).stream().ending();
    assert_eq!(ending.name, "error");
    assert_eq!(ending.json()["title"], "unknown option \"max_rows\"");
    assert_eq!(ending.json()["sqlstate"], "22023");
    assert!(ending.json()["request_id"].is_string());
    assert_eq!(ending.json()["type"], "urn:text2sql:problem:bad-request");
}

#[test]
fn what_is_asked_is_remembered_for_who_asked() {
    let double = ModelDouble::start(script()).unwrap();
    let database = TestDatabase::new("web_memory");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    let (ana, bob) = (person(&database, "ana"), person(&database, "bob"));
    let server = Server::start(&database, &[]);
    let get = |path: &str, role: &str| server.get(path).as_role(role).send();
    let question = json!({"question": "How many are there?", "conversation": "c / ü?"});
    let row = server
        .post("/api/v1/ask", question)
        .as_role(&ana)
        .send()
        .of_status(200);
    let trace_id = row["trace_id"].as_str().unwrap();
    let path = "/api/v1/conversations/c%20%2F%20%C3%BC%3F";

    let listed = get("/api/v1/conversations", &ana).of_status(200);
    assert_eq!(listed["conversations"][0]["conversation"], "c / ü?");
    assert_eq!(listed["more"], false);
    let turns = get(path, &ana).of_status(200);
    assert_eq!(turns["turns"][0]["question"], "How many are there?");
    let export = get(&format!("{path}/export"), &ana);
    assert_eq!(
        export.of_status(200)["turns"][0]["question"],
        "How many are there?"
    );
    assert!(
        export
            .header("content-disposition")
            .unwrap()
            .starts_with("attachment; ")
    );
    let history = get("/api/v1/history?limit=1", &ana).of_status(200);
    assert_eq!(history["questions"][0]["trace_id"], trace_id);
    let egress = get("/api/v1/egress", &ana);
    assert!(
        egress.body.contains("generate") && egress.body.contains(trace_id),
        "{}",
        egress.body
    );

    // Somebody else has none of it.
    assert_eq!(
        get("/api/v1/conversations", &bob).of_status(200)["conversations"],
        json!([])
    );
    for hidden in [path.to_owned(), format!("{path}/export")] {
        assert_eq!(
            get(&hidden, &bob).problem(404),
            get("/api/v1/conversations/none", &bob).problem(404)
        );
    }
    let post = |path: &str, body: Value, role: &str| server.post(path, body).as_role(role).send();
    let label = json!({"title": "Counted", "is_pinned": true});
    post(path, label.clone(), &ana).of_status(200);
    post(path, label, &bob).problem(404);
    let named = &get("/api/v1/conversations?search=counted", &ana).of_status(200)["conversations"];
    assert_eq!(
        (&named[0]["title"], &named[0]["is_pinned"]),
        (&json!("Counted"), &json!(true))
    );
    let delete = |role: &str| server.request("DELETE", path).as_role(role).send();
    delete(&bob).problem(404);
    assert!(
        !get("/api/v1/history?everybody=true", &bob)
            .body
            .contains(trace_id)
    );
    assert!(!get("/api/v1/egress", &bob).body.contains(trace_id));
    let feedback = |role: &str, verdict: &str| {
        let body = json!({"trace_id": trace_id, "verdict": verdict, "corrected_sql": COUNT, "comment": "a comment"});
        server.post("/api/v1/feedback", body).as_role(role).send()
    };
    let refused = feedback(&bob, "right");
    assert!((400..500).contains(&refused.status), "{}", refused.body);
    assert!(feedback(&ana, "wrong").of_status(200)["example_id"].is_i64());
    assert_eq!(feedback(&ana, "perhaps").status, 400);
    let path_of_feedback = format!("/api/v1/feedback/{trace_id}");
    server
        .request("DELETE", &path_of_feedback)
        .as_role(&ana)
        .send()
        .of_status(204);

    delete(&ana).of_status(204);
    get(path, &ana).problem(404);
}

#[test]
fn sql_goes_through_the_guard_on_every_route() {
    let double = ModelDouble::start(script()).unwrap();
    let database = TestDatabase::new("web_sql");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    let ana = person(&database, "ana");
    let server = Server::start(&database, &[]);
    let post = |route: &str, body: Value| {
        server
            .post(&format!("/api/v1/{route}"), body)
            .as_role(&ana)
            .send()
    };

    let rows = post(
        "run",
        json!({"sql": "SELECT country_id, name FROM countries ORDER BY 1"}),
    )
    .of_status(200);
    assert_eq!(
        rows["result_rows"][1],
        json!({"country_id": 2, "name": "France"})
    );
    assert_eq!(
        (&rows["row_count"], &rows["truncated"]),
        (&json!(2), &json!(false))
    );
    let valid = post("validate", json!({"sql": COUNT})).of_status(200);
    assert_eq!(valid["allowed"], true);
    let wrong = post(
        "validate",
        json!({"sql": "SELECT custmer_id FROM customers"}),
    )
    .of_status(200);
    assert_eq!(
        (&wrong["allowed"], &wrong["error_position"]),
        (&json!(false), &json!(8))
    );
    let steps = post("explain", json!({"sql": COUNT})).of_status(200);
    assert!(steps["steps"][0]["explanation"].is_string(), "{steps}");
    let plan = post("explain-plan", json!({"sql": COUNT})).of_status(200);
    assert!(plan["steps"][0]["cost"].is_f64(), "{plan}");
    assert!(plan["steps"][0]["actual_rows"].is_null(), "{plan}");
    let measured = post("explain-plan", json!({"sql": COUNT, "measured": true})).of_status(200);
    assert_eq!(
        measured["steps"][0]["actual_rows"].as_f64(),
        Some(1.0),
        "{measured}"
    );
    let joined = "SELECT count(*) FROM customers AS c CROSS JOIN orders AS o";
    let trust = post("trust", json!({"sql": joined})).of_status(200);
    assert!(!trust["findings"].as_array().unwrap().is_empty(), "{trust}");
    assert!(trust["scores"].is_null(), "{trust}");
    let scored = post(
        "trust",
        json!({"sql": COUNT, "question": "How many customers are there?"}),
    )
    .of_status(200);
    assert!(scored["scores"][0]["dimension"].is_string(), "{scored}");
    let empty = post(
        "why-empty",
        json!({"sql": "SELECT name FROM countries WHERE name = 'Germny'"}),
    )
    .of_status(200);
    assert!(
        empty["causes"][0]["nearest"]
            .to_string()
            .contains("Germany"),
        "{empty}"
    );
    let lesson = post("lesson", json!({"sql": COUNT, "language": "de"})).of_status(200);
    assert_eq!(lesson["steps"][0]["clause"], "FROM", "{lesson}");
    assert!(
        lesson["steps"][0]["in_words"]
            .to_string()
            .contains("beginnen"),
        "{lesson}"
    );
    let exercise = post("exercise", json!({"level": "easy", "seed": 1})).of_status(200);
    assert!(exercise["question"].is_string(), "{exercise}");
    let marked = post(
        "grade",
        json!({"exercise": exercise["exercise"], "sql": "SELECT 1"}),
    )
    .of_status(200);
    assert!(marked["mark"] != "right", "{marked}");
    let revised = post(
        "revise",
        json!({"sql": "SELECT name FROM countries", "request": "only the first 5"}),
    )
    .of_status(200);
    assert_eq!(revised["sql"], COUNT, "{revised}");
    assert_eq!(revised["statements"], json!([]), "{revised}");
    let plan = post(
        "plan",
        json!({"question": "How many customers are there?", "options": {"model": "builtin"}}),
    )
    .of_status(200);
    assert!(plan["plan"][0]["what"].is_string(), "{plan}");
    let written = post(
        "to-sql",
        json!({"question": "How many customers are there?"}),
    )
    .of_status(200);
    assert!(
        written["sql"].as_str().unwrap().contains("customers"),
        "{written}"
    );
    let prompt = post(
        "preview",
        json!({"question": "How many customers are there?"}),
    )
    .of_status(200);
    assert!(
        prompt["prompt"].as_str().unwrap().contains("customers"),
        "{prompt}"
    );

    let refused = post("run", json!({"sql": "SELECT naem FROM countries"}));
    assert_eq!(refused.of_status(400)["position"], 8);
    let message = post("run", json!({"sql": "SELECT salary FROM salaries"}));
    assert_eq!(message.of_status(422)["sqlstate"], "T2003");
    let column = post("run", json!({"sql": "SELECT iban FROM customers"}));
    assert_eq!(column.of_status(422)["sqlstate"], "T2003");
}

#[test]
fn no_route_runs_what_would_change_something() {
    let database = TestDatabase::new("web_guard");
    let (ana, bob) = (person(&database, "ana"), stranger(&database, "bob"));
    database.superuser().batch_execute(&format!("GRANT {bob} TO {ana}; CREATE TABLE kept (n int); INSERT INTO kept VALUES (1); GRANT ALL ON kept TO {ana}")).unwrap();
    let server = Server::start(&database, &[]);
    let attacks = [
        format!("SELECT set_config('role', '{bob}', false)"),
        format!("SELECT pg_catalog.set_config('session_authorization', '{bob}', false)"),
        "RESET ROLE".to_owned(),
        format!("SET ROLE {bob}"),
        "SET text2sql.query_timeout = 0".to_owned(),
        "SELECT set_config('text2sql.max_cost', '0', false)".to_owned(),
        "DO $$ BEGIN DELETE FROM kept; END $$".to_owned(),
        "SELECT 1; DELETE FROM kept".to_owned(),
        "WITH d AS (DELETE FROM kept RETURNING n) SELECT n FROM d".to_owned(),
        "COMMIT".to_owned(),
        "SELECT 1; COMMIT; DELETE FROM kept".to_owned(),
        "COPY kept TO PROGRAM 'true'".to_owned(),
        "SELECT pg_read_file('/etc/passwd')".to_owned(),
        "SELECT pg_terminate_backend(pg_backend_pid())".to_owned(),
        "SELECT lo_import('/etc/passwd')".to_owned(),
        "SELECT n INTO other FROM kept".to_owned(),
        "SELECT * FROM kept FOR UPDATE".to_owned(),
        "SELECT text2sql.run_json('SELECT 1')".to_owned(),
    ];
    for attack in &attacks {
        for (route, body) in [
            ("run", json!({"sql": attack})),
            ("explain-plan", json!({"sql": attack, "measured": true})),
            ("why-empty", json!({"sql": attack})),
            ("trust", json!({"sql": attack})),
            ("lesson", json!({"sql": attack})),
            ("export", json!({"sql": attack, "format": "csv"})),
            (
                "revise",
                json!({"sql": attack, "request": "only the first 5"}),
            ),
        ] {
            let response = server
                .post(&format!("/api/v1/{route}"), body)
                .as_role(&ana)
                .send();
            assert!(response.status < 500, "{route} {attack}: {}", response.body);
            // A report on SQL may say that it is refused; what would run it must refuse.
            if matches!(route, "run" | "explain-plan" | "export") {
                assert!(
                    (400..500).contains(&response.status),
                    "{route} {attack}: {}",
                    response.body
                );
            }
        }
        let validated = server
            .post("/api/v1/validate", json!({"sql": attack}))
            .as_role(&ana)
            .send();
        assert_eq!(validated.of_status(200)["allowed"], false, "{attack}");
    }
    for options in [
        json!({"query_timeout": "1h"}),
        json!({"max_cost": 1e300}),
        json!({"role": bob}),
        json!({"allowed_schemas": "secret"}),
        json!({"allow_system_catalogs": true}),
    ] {
        let body = json!({"question": "How many customers are there?", "options": options});
        let response = server.post("/api/v1/ask", body).as_role(&ana).send();
        assert!(
            matches!(response.status, 400 | 403),
            "{options}: {}",
            response.body
        );
    }
    let kept: i64 = database
        .superuser()
        .query_one("SELECT count(*) FROM kept", &[])
        .unwrap()
        .get(0);
    assert_eq!(kept, 1);
    let me = server
        .get("/api/v1/session")
        .as_role(&ana)
        .send()
        .of_status(200);
    assert_eq!(me["role"], ana.as_str());
}

#[test]
fn row_level_security_and_privileges_are_those_of_who_asks() {
    let database = TestDatabase::new("web_rls");
    let (ana, bob) = (person(&database, "ana"), person(&database, "bob"));
    let eve = stranger(&database, "eve");
    database
        .superuser()
        .batch_execute(&format!(
            "CREATE TABLE notes (owner text, note text);
             INSERT INTO notes VALUES ('{ana}', 'of ana'), ('{bob}', 'of bob');
             ALTER TABLE notes ENABLE ROW LEVEL SECURITY;
             CREATE POLICY own ON notes USING (owner = current_user);
             GRANT SELECT ON notes TO {ana}, {bob};
             ALTER ROLE {bob} SET text2sql.allowed_schemas = 'nothing'"
        ))
        .unwrap();
    let server = Server::start(&database, &[]);
    let post = |route: &str, role: &str, sql: &str| {
        server
            .post(
                &format!("/api/v1/{route}"),
                json!({"sql": sql, "format": "csv"}),
            )
            .as_role(role)
            .send()
    };
    let run = |role: &str, sql: &str| {
        server
            .post("/api/v1/run", json!({"sql": sql}))
            .as_role(role)
            .send()
    };
    // Interleaved, on the connections that the server keeps.
    for _ in 0..20 {
        let rows = run(&ana, "SELECT note FROM notes").of_status(200);
        assert_eq!(rows["result_rows"], json!([{"note": "of ana"}]));
        let refused = run(&bob, "SELECT note FROM notes");
        assert_eq!(refused.problem(422), "relation \"notes\" is not available");
    }
    assert_eq!(
        post("export", &ana, "SELECT note FROM notes").body,
        "note\r\nof ana\r\n"
    );
    let schema = |role: &str| server.get("/api/v1/schema").as_role(role).send().body;
    assert!(schema(&ana).contains("\"notes\""));
    for hidden in ["salaries", "iban"] {
        assert!(!schema(&ana).contains(hidden), "{hidden}");
    }
    assert!(!schema(&bob).contains("\"notes\""));
    // A role without any right on the extension learns what is missing.
    let me = server
        .get("/api/v1/session")
        .as_role(&eve)
        .send()
        .of_status(200);
    assert_eq!(me["may"]["ask"], false);
    assert_eq!(me["warnings"][0]["code"], "no_usage");
    assert_eq!(
        server
            .post("/api/v1/ask", json!({"question": "How many?"}))
            .as_role(&eve)
            .send()
            .of_status(403)["sqlstate"],
        "42501"
    );
}

#[test]
fn every_digit_arrives() {
    let database = TestDatabase::new("web_numbers");
    let ana = person(&database, "ana");
    let server = Server::start(&database, &[]);
    let exact = "SELECT 9223372036854775807::int8 AS big, (-9223372036854775808)::int8 AS small,
        1234567890123456789012345678.0123456789::numeric(38,10) AS exact, 'NaN'::numeric AS nan, 'Infinity'::float8 AS inf,
        '-0'::float8 AS zero, 0.1::float8 + 0.2::float8 AS sum, '0044-03-15 BC'::date AS ides, 'infinity'::date AS never,
        true AS yes, NULL::text AS nothing, '' AS empty, '{\"a\": 1.10}'::json AS raw, ARRAY[1.10, 2.0] AS list,
        'Zoë 売 \"q\"' AS word, E'\\\\x00ff'::bytea AS bytes";
    let response = server
        .post("/api/v1/run", json!({"sql": exact}))
        .as_role(&ana)
        .send();
    response.of_status(200);
    for text in [
        "\"big\": 9223372036854775807,",
        "\"small\": -9223372036854775808,",
        "\"exact\": 1234567890123456789012345678.0123456789,",
        "\"nan\": \"NaN\",",
        "\"inf\": \"Infinity\",",
        "\"zero\": -0,",
        "\"sum\": 0.30000000000000004,",
        "\"ides\": \"0044-03-15 BC\",",
        "\"never\": \"infinity\",",
        "\"yes\": true,",
        "\"nothing\": null,",
        "\"empty\": \"\",",
        "\"raw\": {\"a\": 1.10},",
        "\"list\": [1.10,2.0],",
    ] {
        assert!(response.body.contains(text), "{text}: {}", response.body);
    }
    let export = |format: &str| {
        let body = json!({"sql": exact, "format": format});
        server.post("/api/v1/export", body).as_role(&ana).send()
    };
    let csv = export("csv");
    assert_eq!(csv.header("content-type"), Some("text/csv; charset=utf-8"));
    assert_eq!(
        csv.header("content-disposition"),
        Some("attachment; filename=\"answer.csv\"")
    );
    assert_eq!(
        csv.body,
        "big,small,exact,nan,inf,zero,sum,ides,never,yes,nothing,empty,raw,list,word,bytes\r\n\
         9223372036854775807,-9223372036854775808,1234567890123456789012345678.0123456789,NaN,Infinity,-0,\
         0.30000000000000004,0044-03-15 BC,infinity,true,,,\"{\"\"a\"\": 1.10}\",\"[1.10,2.0]\",\
         \"Zoë 売 \"\"q\"\"\",\\x00ff\r\n"
    );
    assert!(
        export("json")
            .body
            .contains("\"exact\": 1234567890123456789012345678.0123456789,")
    );
}

#[test]
fn a_file_is_no_program_for_a_spreadsheet() {
    let database = TestDatabase::new("web_export");
    let ana = person(&database, "ana");
    let server = Server::start(&database, &[]);
    let formulas = "SELECT * FROM (VALUES ('=1+1', -1), ('+1', 2), ('-1', 3), ('@SUM(A1)', 4), (E'\\t=1', 5), ('a=1', 6)) AS v (\"=cell\", n)";
    let export = |body: Value| server.post("/api/v1/export", body).as_role(&ana).send();
    let csv = export(
        json!({"sql": formulas, "format": "csv", "separator": ";", "byte_order_mark": true, "name": "Umsatz ü/\"x\""}),
    );
    assert_eq!(
        csv.body,
        "\u{feff}'=cell;n\r\n'=1+1;-1\r\n'+1;2\r\n'-1;3\r\n'@SUM(A1);4\r\n'\t=1;5\r\na=1;6\r\n"
    );
    let disposition = csv.header("content-disposition").unwrap();
    assert!(
        disposition.starts_with("attachment; ")
            && disposition.contains("filename*=UTF-8''Umsatz%20%C3%BC"),
        "{disposition}"
    );
    assert!(!disposition.contains("\"x\""), "{disposition}");
    let json = export(json!({"sql": formulas, "format": "json"}));
    assert_eq!(json.of_status(200)[0], json!({"=cell": "=1+1", "n": -1}));
    assert_eq!(json.header("x-text2sql-truncated"), None);
    // More than a question returns, and as much as a file may have.
    let many =
        export(json!({"sql": "SELECT g FROM generate_series(1, 20000) AS g", "format": "csv"}));
    assert_eq!(many.body.lines().count(), 20_001);
    let too_many =
        export(json!({"sql": "SELECT g FROM generate_series(1, 100001) AS g", "format": "csv"}));
    assert_eq!(too_many.header("x-text2sql-truncated"), Some("true"));
    assert_eq!(
        too_many.header("content-disposition"),
        Some("attachment; filename=\"answer-first-100000-rows.csv\"")
    );
}

#[test]
fn what_a_role_may_see_is_listed() {
    let database = TestDatabase::new("web_knowledge");
    let ana = person(&database, "ana");
    database
        .superuser()
        .batch_execute(
            "SELECT text2sql.define('big order', 'orders of more than 100', applies_to => 'orders');
             SELECT text2sql.describe('customers.name', 'The name of a customer');",
        )
        .unwrap();
    let server = Server::start(&database, &["--limits-login-attempts", "100"]);
    let get = |path: &str| server.get(path).as_role(&ana).send().of_status(200);
    let schema = get("/api/v1/schema?search=customers&limit=1");
    assert_eq!(schema["tables"][0]["object"], "public.customers");
    let name = &schema["tables"][0]["columns"][1];
    assert_eq!(
        (&name["name"], &name["comment"]),
        (&json!("name"), &json!("The name of a customer"))
    );
    assert_eq!(get("/api/v1/schema?limit=1")["more"], true);
    assert_eq!(
        get("/api/v1/glossary")["definitions"][0]["term"],
        "big order"
    );
    assert!(get("/api/v1/examples").is_object());
    assert!(
        get("/api/v1/history")["questions"]
            .as_array()
            .unwrap()
            .is_empty()
    );
}

#[test]
fn anybody_may_know_that_it_runs_and_nothing_else() {
    let database = TestDatabase::new("web_health");
    let server = Server::start(&database, &[]);
    let health = server.get("/healthz").instead("Host", "10.1.2.3").send();
    assert_eq!((health.status, health.body.as_str()), (200, "ok\n"));
    assert_eq!(server.get("/readyz").send().status, 200);
    let description = server.get("/api/v1/openapi.json").send().of_status(200);
    assert_eq!(
        description["openapi"].as_str().unwrap().split('.').next(),
        Some("3")
    );
    let paths = description["paths"].as_object().unwrap();
    for (path, operations) in paths {
        for (method, operation) in operations.as_object().unwrap() {
            if !matches!(method.as_str(), "get" | "post" | "delete") {
                continue;
            }
            assert!(operation["summary"].is_string(), "{method} {path}");
            let address = path.replace(['{', '}'], "");
            let response = server.request(&method.to_uppercase(), &address).send();
            let is_public =
                operation["security"] == json!([{}]) || operation["security"] == json!([]);
            if !is_public {
                assert_eq!(response.status, 401, "{method} {path}: {}", response.body);
                assert_eq!(response.problem(401), "not logged in");
            }
        }
    }
    assert!(paths.len() > 25, "{}", paths.len());
    // Not even which database it is.
    for path in [
        "/",
        "/api/v1/openapi.json",
        "/healthz",
        "/readyz",
        "/nothing",
    ] {
        let response = server.get(path).send();
        let said = format!("{}{}", response.headers_text(), response.body).to_lowercase();
        assert!(
            !said.contains(database.name()) && !said.contains("postgresql 1"),
            "{path}"
        );
    }
    // No database: the process runs, and is not ready.
    let port = text2sql_server_tests::web::free_port();
    let alone = Server::start_at(&format!("host=127.0.0.1 port={port} dbname=x"), &[]);
    assert_eq!(alone.get("/healthz").send().status, 200);
    let unready = alone.get("/readyz").send();
    assert_eq!(unready.problem(503), "the database cannot be reached");
    assert_eq!(unready.header("retry-after"), Some("5"));
    let login = alone
        .post("/api/v1/session", json!({"user": "x", "password": "y"}))
        .send();
    assert_eq!(login.problem(503), "the database cannot be reached");
    drop(connect("postgres", None));
}
