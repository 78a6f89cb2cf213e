//! `tune` with a model whose right setting is known: it finds it, within its budget, goes on after a cancel and the end of
//! its connection, and asks nothing twice.

use std::thread;
use std::time::{Duration, Instant};

use model_double::{ModelDouble, Script};
use postgres::Client;
use text2sql_server_tests::{TestDatabase, error_of};

const CASES: usize = 40;

/// The model's first query never runs, and what it sends after the error is right: so `max_repairs` of 1 or 2 is right by
/// construction, and nothing else matters.
const SCRIPT: &str = r#"[{"match": "customers", "replies": [{"sql": "SELECT count(*) FROM customers WHERE nothing = 1"},
    {"sql": "SELECT count(*) FROM customers"}]}]"#;

const SPACE: &str = r#"{"max_repairs": {"min": 0, "max": 2, "steps": 3, "integer": true}, "max_conversation_turns": [0, 3]}"#;

/// One setting of these is right, and no other is as good: `max_repairs` of 3.
const SCRIPT_OF_ONE: &str = r#"[{"match": "customers", "replies": [{"sql": "SELECT count(*) FROM customers WHERE nothing = 1"},
    {"sql": "SELECT count(*) FROM customers WHERE nil = 1"}, {"sql": "SELECT count(*) FROM customers WHERE void = 1"},
    {"sql": "SELECT count(*) FROM customers"}]}]"#;

const SPACE_OF_ONE: &str = r#"{"max_repairs": {"min": 0, "max": 3, "steps": 4, "integer": true}}"#;

fn prepared(test: &str, double: &ModelDouble, behaviour: &str) -> TestDatabase {
    let database = TestDatabase::new(test);
    database.add_model("m", "openai", &double.base_url(behaviour), "");
    database
        .superuser()
        .batch_execute(&format!(
            "SELECT text2sql.grant_access('t2s_analyst', 'evaluation');
             ALTER DATABASE {0} SET text2sql.model = 'm';
             ALTER DATABASE {0} SET text2sql.tuning = '{{\"max_repairs\": 0, \"without\": [\"second_look\", \"route\"]}}'",
            database.name()
        ))
        .unwrap();
    let mut analyst = database.analyst();
    for number in 0..CASES {
        let add = "SELECT text2sql_eval.add_case('shop', $1, 'SELECT count(*) FROM customers', key => $2)";
        let question = format!("How many customers are there, in words of person {number}?");
        analyst
            .execute(add, &[&question, &format!("case {number:02}")])
            .unwrap();
    }
    database
}

fn tune(rest: &str) -> String {
    tune_over(SPACE, rest)
}

fn tune_over(space: &str, rest: &str) -> String {
    format!("CALL text2sql_eval.tune('shop', '{space}', {rest})")
}

fn number(client: &mut Client, sql: &str) -> i64 {
    client.query_one(sql, &[]).unwrap().get(0)
}

/// Questions that reached the model: a request without an earlier answer of the model.
fn asked(double: &ModelDouble) -> usize {
    let first = |body: &str| !body.contains("\"assistant\"");
    double
        .requests()
        .iter()
        .filter(|request| first(&request.body.to_string()))
        .count()
}

/// Requests for SQL, not for vectors.
fn asked_for_sql(double: &ModelDouble) -> usize {
    let requests = double.requests();
    let chats = requests.iter();
    chats
        .filter(|request| !request.path.ends_with("/embeddings"))
        .count()
}

/// What a search asked and decided, without times. Of equally good trials the incumbent is the faster one.
fn trials(client: &mut Client, name: &str) -> Vec<String> {
    let sql = "SELECT concat_ws(' ', t.trial, t.settings, t.generation, t.rung, t.state, t.why, t.cases, t.accuracy, t.gain,
                      t.difference, t.low, t.high, t.p)
                 FROM text2sql_eval.trials t WHERE t.name = $1 ORDER BY t.trial";
    client
        .query(sql, &[&name])
        .unwrap()
        .iter()
        .map(|row| row.get(0))
        .collect()
}

#[test]
fn a_setting_that_is_right_by_construction_is_proposed_with_its_certainty() {
    let double = ModelDouble::start(Script::from_json(SCRIPT).unwrap()).unwrap();
    let database = prepared("tuning_proposal", &double, "ok");
    let mut client = database.analyst();
    let row = client
        .query_one(&tune("max_questions => 200, name => 'repair'"), &[])
        .unwrap();
    let proposal: i64 = row.get(0);
    let row = client
        .query_one(
            "SELECT p.settings::text, p.accuracy_now, p.accuracy, p.p_mid < 0.01, p.difference, p.low, p.high, p.cases::bigint, p.verdict, p.statements[1]
               FROM text2sql_eval.proposals p WHERE p.proposal_id = $1",
            &[&proposal],
        )
        .unwrap();
    assert_eq!(row.get::<_, &str>(0), r#"{"max_repairs": 1}"#);
    assert_eq!((row.get::<_, f64>(1), row.get::<_, f64>(2)), (0.0, 1.0));
    assert!(row.get::<_, bool>(3));
    let difference: Vec<f64> = (4..7).map(|field| row.get(field)).collect();
    assert_eq!(difference, [1.0, 1.0, 1.0]);
    assert!(row.get::<_, i64>(7) > 5);
    assert_eq!(
        row.get::<_, &str>(8),
        "better on cases that the search has not seen"
    );
    assert_eq!(
        row.get::<_, &str>(9),
        r#"ALTER DATABASE t2s_tuning_proposal SET text2sql.tuning = '{"without": ["second_look", "route"], "max_repairs": 1}'"#
    );

    // Bad settings were stopped early, over the same cases.
    let found = trials(&mut client, "repair");
    assert_eq!(found.len(), 9, "{found:#?}");
    let stopped = number(
        &mut client,
        "SELECT count(*) FROM text2sql_eval.trials t WHERE t.state = 'stopped' AND t.accuracy = 0 AND t.cases < 28",
    );
    assert_eq!(stopped, 2, "{found:#?}");
    // No trial was asked a held-out case, and the budget holds.
    let seen = number(
        &mut client,
        "SELECT count(*) FROM text2sql_eval.trials t JOIN text2sql_eval.results r USING (evaluation_id), text2sql_eval._tuning_runs u
          WHERE u.run_id = t.run_id AND NOT r.case_id = ANY (u.cases)",
    );
    assert_eq!(seen, 0);
    assert!(asked(&double) <= 200, "{} questions", asked(&double));

    // The owner of the database applies it.
    let sql = format!("SELECT text2sql.accept('proposal', {proposal})");
    database.superuser().batch_execute(&sql).unwrap();
    let row = database
        .analyst()
        .query_one(
            "SELECT current_setting('text2sql.tuning')::json ->> 'max_repairs'",
            &[],
        )
        .unwrap();
    assert_eq!(row.get::<_, &str>(0), "1");

    // The report of the settings as they are shows the trials.
    let report = "SELECT text2sql_eval.report(t.evaluation_id) FROM text2sql_eval.trials t WHERE t.trial = 0";
    let page: String = client.query_one(report, &[]).unwrap().get(0);
    assert!(page.contains("<h2>Trials</h2>") && page.contains("max_repairs = 1"));

    // It is over: the same call gives the same proposal and asks nothing.
    let before = asked(&double);
    let mut client = database.analyst();
    client
        .batch_execute(
            r#"SET text2sql.tuning = '{"max_repairs": 0, "without": ["second_look", "route"]}'"#,
        )
        .unwrap();
    let row = client
        .query_one(&tune("max_questions => 200, name => 'repair'"), &[])
        .unwrap();
    assert_eq!((row.get::<_, i64>(0), asked(&double)), (proposal, before));
}

#[test]
fn an_interrupted_search_goes_on_and_asks_nothing_twice() {
    let double = ModelDouble::start(Script::from_json(SCRIPT_OF_ONE).unwrap()).unwrap();
    let database = prepared("tuning_resume", &double, "ok");
    let mut watcher = database.analyst();
    watcher
        .batch_execute(&tune_over(SPACE_OF_ONE, "name => 'whole'"))
        .unwrap();
    let whole = asked(&double);
    let done = "SELECT count(*) FROM text2sql_eval.results r WHERE r.state <> 'waiting'";
    assert_eq!(number(&mut watcher, done), whole as i64);

    double.reset();

    // Cancelled once, and its connection ended once.
    for ends_connection in [false, true] {
        let before = number(&mut watcher, done);
        let mut worker = database.analyst();
        let pid: i32 = worker
            .query_one("SELECT pg_backend_pid()", &[])
            .unwrap()
            .get(0);
        let token = worker.cancel_token();
        let at_work = thread::spawn(move || {
            worker
                .batch_execute(&tune_over(SPACE_OF_ONE, "name => 'cut'"))
                .is_err()
        });
        let deadline = Instant::now() + Duration::from_secs(60);
        while number(&mut watcher, done) < before + 20 {
            assert!(Instant::now() < deadline, "the search makes no progress");
            thread::sleep(Duration::from_millis(5));
        }
        match ends_connection {
            true => {
                let end = "SELECT pg_terminate_backend($1)";
                database.superuser().execute(end, &[&pid]).unwrap();
            }
            false => token.cancel_query(postgres::NoTls).unwrap(),
        }
        assert!(
            at_work.join().unwrap(),
            "it ended before it was interrupted"
        );
    }
    // Three connections go on together.
    let workers: Vec<_> = (0..3)
        .map(|_| {
            let mut worker = database.analyst();
            thread::spawn(move || worker.batch_execute(&tune_over(SPACE_OF_ONE, "name => 'cut'")))
        })
        .collect();
    for worker in workers {
        worker.join().unwrap().unwrap();
    }
    assert_eq!(trials(&mut watcher, "whole"), trials(&mut watcher, "cut"));
    assert_eq!(number(&mut watcher, done), 2 * whole as i64);
    // Only the two questions that were interrupted may have reached the model before.
    let again = asked(&double) - whole;
    assert!(again <= 2, "{again} questions were asked twice");
    let equal = "SELECT count(DISTINCT p.verdict) FROM text2sql_eval.proposals p";
    assert_eq!(number(&mut watcher, equal), 1);
}

#[test]
fn costs_count_with_their_weights_and_for_themselves() {
    let double = ModelDouble::start(Script::from_json(SCRIPT).unwrap()).unwrap();
    let database = prepared("tuning_costs", &double, "ok");
    let mut client = database.analyst();
    // A repaired answer costs a second request: more than twice the tokens for being right.
    client
        .batch_execute(&tune(
            r#"name => 'dear', objectives => '{"accuracy": 1, "cost": 2}'"#,
        ))
        .unwrap();
    let verdicts = "SELECT string_agg(p.verdict, '; ') FROM text2sql_eval.proposals p JOIN text2sql_eval._tuning_runs r USING (run_id) WHERE r.name = $1";
    let said: String = client.query_one(verdicts, &[&"dear"]).unwrap().get(0);
    assert!(
        said.starts_with("nothing that was tried was better"),
        "{said}"
    );
    client
        .batch_execute(&tune(
            r#"name => 'front', objectives => '{"pareto": ["accuracy", "cost"]}'"#,
        ))
        .unwrap();
    let said: String = client.query_one(verdicts, &[&"front"]).unwrap().get(0);
    assert!(
        said.starts_with("better on cases that the search has not seen"),
        "{said}"
    );
    let unit: String = client
        .query_one("SELECT DISTINCT t.cost_in FROM text2sql_eval.trials t", &[])
        .unwrap()
        .get(0);
    assert_eq!(unit, "tokens");
}

#[test]
fn what_cannot_be_varied_is_named_before_anything_is_asked() {
    let double = ModelDouble::start(Script::from_json(SCRIPT).unwrap()).unwrap();
    let database = prepared("tuning_refused", &double, "ok");
    let mut client = database.analyst();
    for (space, rest, code, named) in [
        (
            r#"{"max_repair": [1]}"#,
            "",
            "22023",
            "setting \"max_repair\" cannot be varied",
        ),
        (
            r#"{"query_timeout": [1]}"#,
            "",
            "22023",
            "setting \"query_timeout\" cannot be varied",
        ),
        (
            r#"{"run_on": ["x"]}"#,
            "",
            "22023",
            "setting \"run_on\" cannot be varied",
        ),
        (
            r#"{"max_repairs": {"min": 3}}"#,
            "",
            "22023",
            "setting \"max_repairs\" of the space is a range whose \"max\" is not a number",
        ),
        (
            r#"{"max_repairs": [99]}"#,
            "",
            "22023",
            "invalid value for parameter \"text2sql.tuning\"",
        ),
        (
            r#"{"candidates": [9]}"#,
            "",
            "22023",
            "invalid value for parameter \"text2sql.tuning\"",
        ),
        (
            r#"{"max_repairs": [1]}"#,
            r#", objectives => '{"speed": 1}'"#,
            "22023",
            "objectives has no \"speed\"",
        ),
        (
            r#"{"max_repairs": [1]}"#,
            ", hold_out => 0",
            "22023",
            "hold_out must be between 0.1 and 0.9",
        ),
    ] {
        let call = format!("CALL text2sql_eval.tune('shop', '{space}'{rest})");
        let (found, message, hint) = error_of(&mut client, &call);
        assert_eq!(found, code, "{call}: {message}");
        assert!(message.starts_with(named), "{call}: {message}");
        if message.contains("cannot be varied") {
            assert!(
                hint.contains("max_repairs") && hint.contains("text_depth"),
                "{hint}"
            );
        }
    }
    // Texts are cut anew for each length, which is possible only where nothing cuts them back.
    database
        .superuser()
        .batch_execute(
            "ALTER DATABASE t2s_tuning_refused SET text2sql.maintenance_interval = '1min'",
        )
        .unwrap();
    let mut admin = database.superuser();
    let call = "CALL text2sql_eval.tune('shop', '{\"passage_length\": [500]}')";
    let (code, message, hint) = error_of(&mut admin, call);
    assert_eq!(
        (code.as_str(), message.as_str()),
        ("0A000", "setting \"passage_length\" cannot be varied here")
    );
    assert!(hint.contains("maintenance_interval = 0"), "{hint}");
    // The index has room for one embedder beside its own.
    database.add_model("e", "embeddings", &double.base_url("ok"), "");
    database
        .superuser()
        .batch_execute("ALTER DATABASE t2s_tuning_refused SET text2sql.model = 'm'")
        .unwrap();
    let mut admin = database.superuser();
    admin
        .batch_execute("SET text2sql.embedding_model = 'hash'")
        .unwrap();
    admin.batch_execute("CALL text2sql.refresh()").unwrap();
    admin
        .batch_execute("CREATE SERVER f FOREIGN DATA WRAPPER text2sql OPTIONS (protocol 'embeddings', base_url 'http://127.0.0.1:9/v1', model 'f', allow_private 'true', allow_http 'true')")
        .unwrap();
    let call = "CALL text2sql_eval.tune('shop', '{\"embedding_model\": [\"e\", \"f\"]}')";
    let (code, message, hint) = error_of(&mut admin, call);
    assert_eq!(
        (code.as_str(), message.as_str()),
        (
            "0A000",
            "setting \"embedding_model\" cannot have 2 values whose vectors are not those of the search index"
        )
    );
    assert!(hint.ends_with("{\"embedding_model\": [\"e\"]}'."), "{hint}");
    let call =
        "CALL text2sql_eval.evaluate('shop', variants => '{\"e\": {\"embedding_model\": \"e\"}}')";
    let (code, _, hint) = error_of(&mut admin, call);
    assert_eq!(
        (code.as_str(), hint.as_str()),
        (
            "55000",
            "Make them beside those of the index: CALL text2sql.refresh(second_embedder => 'e');"
        )
    );
    assert_eq!(asked_for_sql(&double), 0);
    let mut client = database.analyst();

    // A search goes on with its own arguments and settings only.
    client
        .batch_execute(&tune("name => 'one', max_questions => 30"))
        .unwrap();
    let other = tune("name => 'one', max_questions => 30, seed => 2");
    let (_, message, _) = error_of(&mut client, &other);
    assert_eq!(message, "search \"one\" was begun with another seed");
}

/// The vectors of the index, and how many of a second embedder there are.
fn vectors(admin: &mut Client) -> (String, i64) {
    let sql = "SELECT concat_ws(' ', s.embedder, s.refreshed_at, (SELECT md5(string_agg(v::text, ' ' ORDER BY v.collection, v.item, v.unit)) FROM text2sql._index_vectors v)),
           (SELECT count(*) FROM text2sql._second_vectors) + (SELECT count(*) FROM text2sql._second_embedder)
      FROM text2sql._index_state s";
    let row = admin.query_one(sql, &[]).unwrap();
    (row.get(0), row.get(1))
}

#[test]
fn two_embedders_are_compared_in_a_live_database() {
    let double = ModelDouble::start(Script::from_json(SCRIPT).unwrap()).unwrap();
    let database = prepared("tuning_embedders", &double, "ok");
    database
        .superuser()
        .batch_execute("ALTER DATABASE t2s_tuning_embedders SET text2sql.embedding_model = 'hash'")
        .unwrap();
    let mut admin = database.superuser();
    admin.batch_execute("CALL text2sql.refresh()").unwrap();
    // From now on background workers look after the index. The model that embeds is the double.
    database.add_model("e", "embeddings", &double.base_url("ok"), "");
    database
        .superuser()
        .batch_execute(
            "ALTER DATABASE t2s_tuning_embedders SET text2sql.maintenance_interval = '1min';
             ALTER DATABASE t2s_tuning_embedders SET text2sql.model = 'm'",
        )
        .unwrap();
    let before = vectors(&mut admin);
    let space = r#"{"embedding_model": ["e"], "max_repairs": [1]}"#;
    let call = format!("CALL text2sql_eval.tune('shop', '{space}', name => 'two')");
    // Two connections share it; the vectors are made once.
    let workers: Vec<_> = (0..2)
        .map(|_| {
            let (mut worker, call) = (database.superuser(), call.clone());
            thread::spawn(move || worker.batch_execute(&call))
        })
        .collect();
    for worker in workers {
        worker.join().unwrap().unwrap();
    }
    assert_eq!(before, vectors(&mut admin), "as it was");
    assert_eq!(before.1, 0);
    // Each trial was asked with the vectors that it says.
    let rows = admin
        .query(
            "SELECT (u.configured -> 'settings' ->> 'text2sql.embedding_model') || ' ' || (u.configured -> 'basis' ->> 'index'), t.settings ->> 'max_repairs', t.accuracy
               FROM text2sql_eval.trials t JOIN text2sql_eval.evaluations u USING (evaluation_id) ORDER BY t.trial",
            &[],
        )
        .unwrap();
    assert_eq!(rows.len(), 4);
    for row in &rows {
        let right = row.get::<_, Option<&str>>(1).is_some();
        assert_eq!(
            row.get::<_, Option<f64>>(2),
            Some(f64::from(u8::from(right)))
        );
    }
    let made: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
    let count = |start: &str| made.iter().filter(|made| made.starts_with(start)).count();
    assert_eq!(
        (count("hash english hash-1"), count("e english embeddings:")),
        (2, 2),
        "{made:?}"
    );

    // Where they are made already, no right to make them is needed, and they stay.
    admin
        .batch_execute("CALL text2sql.refresh(second_embedder => 'e')")
        .unwrap();
    let made = vectors(&mut admin);
    assert!(made.1 > 0);
    let mut analyst = database.analyst();
    analyst
        .batch_execute(
            "CALL text2sql_eval.tune('shop', '{\"embedding_model\": [\"e\"]}', name => 'made')",
        )
        .unwrap();
    analyst
        .batch_execute("CALL text2sql_eval.evaluate('shop', variants => '{\"e\": {\"embedding_model\": \"e\"}}')")
        .unwrap();
    assert_eq!(made, vectors(&mut admin));
    let compared = "SELECT count(*) FROM text2sql_eval.evaluations u WHERE u.baseline IS NOT NULL
          AND u.configured -> 'basis' ->> 'index' LIKE 'english embeddings:%'";
    assert_eq!(number(&mut analyst, compared), 1);
}
