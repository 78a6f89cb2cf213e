//! Two embedders side by side: each session finds by the vectors that its setting names, and nobody else is touched.

use std::thread;
use std::time::Duration;

use model_double::{ModelDouble, Script};
use postgres::Client;
use text2sql_server_tests::standby::Standby;
use text2sql_server_tests::waiting::{wait_for_model, wait_until};
use text2sql_server_tests::{ANALYST, TestDatabase, connect, error_of};

const QUESTION: &str = "our clientele";

/// Makes the shop with an endpoint `minilm`, which knows that clients are customers. The index is made by `hash`.
fn prepared(database: &TestDatabase) -> (ModelDouble, Client) {
    let double = ModelDouble::start(Script::new().on("clientele", ["customers"])).unwrap();
    wait_for_workers(database);
    database
        .superuser()
        .batch_execute(&format!(
            "ALTER DATABASE {name} SET text2sql.embedding_model = 'hash';
             CREATE SERVER minilm FOREIGN DATA WRAPPER text2sql OPTIONS (protocol 'embeddings',
                 base_url '{url}', model 'minilm-1', allow_private 'true', allow_http 'true', texts 'passages');
             GRANT USAGE ON FOREIGN SERVER minilm TO {ANALYST}",
            name = database.name(),
            url = double.base_url("ok"),
        ))
        .unwrap();
    let mut admin = database.superuser();
    admin.batch_execute("CALL text2sql.refresh()").unwrap();
    wait_for_workers(database);
    (double, admin)
}

/// Waits until no background worker is left, which would go on with the settings that it began with.
fn wait_for_workers(database: &TestDatabase) {
    let sql = format!(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = '{}' AND backend_type = 'pg_text2sql maintenance'",
        database.name()
    );
    let mut admin = connect("postgres", None);
    wait_until("the end of the worker", || number(&mut admin, &sql) == 0);
}

/// A question, which starts a worker where one is due.
fn ask(client: &mut Client) {
    found(client, "How many orders are there?");
    thread::sleep(Duration::from_millis(200));
}

/// Lets the next question start a worker, as if the interval were over.
fn let_a_worker_start(admin: &mut Client) {
    let sql = "UPDATE text2sql._maintenance SET not_before = now(), next_at = now()";
    run(admin, &[sql]);
}

/// A session of the analyst that uses that embedder.
fn session(database: &TestDatabase, embedder: &str) -> Client {
    let mut client = database.analyst();
    client
        .batch_execute(&format!("SET text2sql.embedding_model = '{embedder}'"))
        .unwrap();
    client
}

/// Runs statements one by one: what commits cannot be part of a list of them.
fn run(client: &mut Client, statements: &[&str]) {
    for statement in statements {
        if let Err(error) = client.batch_execute(statement) {
            panic!("{statement}: {error:?}");
        }
    }
}

/// All that a search says, as text.
fn found(client: &mut Client, question: &str) -> Vec<String> {
    let sql = "SELECT concat_ws(' ', object, kind, legs::text) FROM text2sql.retrieve($1)
         WHERE kind <> 'certainty' ORDER BY 1";
    let rows = client.query(sql, &[&question]).unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}

fn first(client: &mut Client, question: &str) -> String {
    let sql = "SELECT coalesce((SELECT object FROM text2sql.retrieve($1)
         WHERE kind NOT IN ('value', 'certainty') ORDER BY rank LIMIT 1), 'nothing')";
    client.query_one(sql, &[&question]).unwrap().get(0)
}

/// The passage found first, and how near it is.
fn passage(client: &mut Client, question: &str) -> (String, Option<f32>) {
    let sql = "SELECT citation, similarity FROM text2sql.search_text($1, 1)";
    let row = client.query_opt(sql, &[&question]).unwrap();
    row.map_or_else(Default::default, |row| (row.get(0), row.get(1)))
}

fn status(client: &mut Client, item: &str) -> String {
    let sql = "SELECT coalesce((SELECT value || coalesce(': ' || note, '') FROM text2sql.status() WHERE item = $1), '')";
    client.query_one(sql, &[&item]).unwrap().get(0)
}

fn number(client: &mut Client, sql: &str) -> i64 {
    client.query_one(sql, &[]).unwrap().get(0)
}

/// The vectors of the index and their indexes, whatever is beside them.
fn index(client: &mut Client) -> String {
    let sql = "SELECT concat_ws(' ', (SELECT s.embedder FROM text2sql._index_state s),
        (SELECT md5(string_agg(v::text, ' ' ORDER BY v.collection, v.item, v.unit)) FROM text2sql._index_vectors v),
        (SELECT md5(string_agg(w::text, ' ' ORDER BY w.word)) FROM text2sql._index_words w),
        (SELECT md5(string_agg(p::text, ' ' ORDER BY p.passage)) FROM text2sql._passage_vectors p))";
    client.query_one(sql, &[]).unwrap().get(0)
}

const LEFT: &str = "SELECT (SELECT count(*) FROM text2sql._second_embedder) + (SELECT count(*) FROM text2sql._second_documents)
     + (SELECT count(*) FROM text2sql._second_vectors) + (SELECT count(*) FROM text2sql._second_words)
     + (SELECT count(*) FROM text2sql._second_passage_vectors)";

#[test]
fn each_session_finds_by_its_own_vectors() {
    let database = TestDatabase::new("second_embedder");
    let (double, mut admin) = prepared(&database);
    let setup = [
        "SELECT text2sql.define('regulars', 'customers with ten orders')",
        "SELECT text2sql.add_document('Clubs', 'All customers can join.', source => 'handbook', readers => '{public}')",
        "SELECT text2sql.add_document('Sealed', 'customers customers customers', source => 'sealed')",
        "CREATE TABLE notes (id int PRIMARY KEY, note text)",
        "GRANT SELECT ON notes TO t2s_analyst",
        "INSERT INTO notes VALUES (1, 'sold to customers')",
        "SELECT text2sql.index_text('notes.note')",
        "CALL text2sql.refresh()",
    ];
    run(&mut admin, &setup);
    let mut plain = session(&database, "hash");
    let before = (found(&mut plain, QUESTION), index(&mut admin));
    let passages_before = passage(&mut plain, "joinable customer");
    let mut meaning = session(&database, "minilm");
    assert_eq!(first(&mut meaning, QUESTION), "nothing", "no vectors yet");

    admin
        .batch_execute("CALL text2sql.refresh(second_embedder => 'minilm')")
        .unwrap();
    assert_eq!(first(&mut meaning, QUESTION), "customers");
    assert_eq!(passage(&mut meaning, QUESTION).0, "Clubs");
    assert_eq!(before, (found(&mut plain, QUESTION), index(&mut admin)));
    assert_eq!(passage(&mut plain, "joinable customer"), passages_before);
    // Requests of a search of passages are recorded as those of a question are; without a request, nothing is.
    let searches = "SELECT concat_ws('|', h.asked_by, h.question, h.status, e.endpoint, e.purpose, e.characters)
         FROM text2sql.history h JOIN text2sql.egress_log e USING (trace_id) WHERE h.function = 'search_text'";
    let searches = admin.query(searches, &[]).unwrap();
    let searches: Vec<String> = searches.iter().map(|row| row.get(0)).collect();
    assert_eq!(searches, ["t2s_analyst|our clientele|ok|minilm|embed|13"]);
    // What may not be read is not found by it either; no privilege is needed, and nothing is written.
    meaning
        .batch_execute("SET default_transaction_read_only = on")
        .unwrap();
    let salaries = found(&mut meaning, "the salary of the boss in salaries");
    assert!(
        !salaries.iter().any(|line| line.contains("salaries")),
        "{salaries:?}"
    );
    assert_eq!(first(&mut meaning, QUESTION), "customers");
    let (code, _, _) = error_of(
        &mut meaning,
        "SELECT count(*) FROM text2sql._second_vectors",
    );
    assert_eq!(code, "42501");
    let (code, _, _) = error_of(
        &mut meaning,
        "CALL text2sql.refresh(second_embedder => 'hash')",
    );
    assert_eq!(code, "42501");

    let line = status(&mut admin, "second embedder");
    assert!(
        line.starts_with(
            "minilm: embeddings:minilm-1, 16 dimensions, exact search: there are few; "
        ) && line.contains("used by sessions with text2sql.embedding_model = 'minilm'"),
        "{line}"
    );
    // No text of a row is sent for it, nor anything twice.
    let sent = || {
        let requests = double.requests();
        let texts = requests.iter().map(|request| request.body.to_string());
        texts.collect::<Vec<String>>().join("\n")
    };
    assert!(sent().contains("All customers can join") && !sent().contains("sold to customers"));
    double.reset();
    admin
        .batch_execute("CALL text2sql.refresh(second_embedder => 'minilm')")
        .unwrap();
    assert_eq!(sent().matches("\"input\"").count(), 1, "{}", sent());

    // One beside the first.
    admin
        .batch_execute(
            "CREATE SERVER third FOREIGN DATA WRAPPER text2sql OPTIONS (protocol 'embeddings',
                 base_url 'http://127.0.0.1:9/v1', model 'x', allow_private 'true', allow_http 'true')",
        )
        .unwrap();
    let (code, message, hint) = error_of(
        &mut admin,
        "CALL text2sql.refresh(second_embedder => 'third')",
    );
    assert_eq!(
        (code.as_str(), message.as_str(), hint.as_str()),
        (
            "55000",
            "the search index has vectors of a second embedder already, \"minilm\"",
            "SELECT text2sql.forget('vectors', 'minilm');"
        )
    );
    let (code, message, _) = error_of(
        &mut admin,
        "CALL text2sql.refresh(second_embedder => 'hash')",
    );
    assert_eq!(code, "22023", "{message}");

    // What a session tries is not made the index of all.
    admin
        .batch_execute("SET text2sql.embedding_model = 'minilm'")
        .unwrap();
    let (code, message, _) = error_of(&mut admin, "CALL text2sql.refresh()");
    assert_eq!(code, "55000", "{message}");
    admin
        .batch_execute("RESET text2sql.embedding_model")
        .unwrap();

    // The other model under the same name is not compared.
    admin
        .batch_execute("ALTER SERVER minilm OPTIONS (SET model 'minilm-2')")
        .unwrap();
    assert_eq!(first(&mut meaning, QUESTION), "nothing");
    assert!(
        status(&mut admin, "second embedder").contains("not usable: it makes other vectors now")
    );
    admin
        .batch_execute("CALL text2sql.refresh(second_embedder => 'minilm')")
        .unwrap();
    assert_eq!(first(&mut meaning, QUESTION), "customers");

    // Dropped, at once for each session, and at the end of the transaction.
    admin
        .batch_execute("BEGIN; SELECT text2sql.forget('vectors', 'minilm'); ROLLBACK")
        .unwrap();
    assert_eq!(first(&mut meaning, QUESTION), "customers");
    admin
        .batch_execute("SELECT text2sql.forget('vectors', 'minilm')")
        .unwrap();
    assert_eq!(first(&mut meaning, QUESTION), "nothing");
    assert_eq!(number(&mut admin, LEFT), 0);
    assert_eq!(before, (found(&mut plain, QUESTION), index(&mut admin)));
    let (code, _, _) = error_of(&mut admin, "SELECT text2sql.forget('vectors', 'minilm')");
    assert_eq!(code, "42704");
}

#[test]
fn other_sessions_are_untouched_while_it_is_built() {
    let database = TestDatabase::new("second_embedder_build");
    let (double, mut admin) = prepared(&database);
    admin
        .batch_execute(&format!(
            "ALTER SERVER minilm OPTIONS (SET base_url '{}')",
            double.base_url("delay-700")
        ))
        .unwrap();
    let mut plain = session(&database, "hash");
    let before = (found(&mut plain, QUESTION), index(&mut admin));
    let mut builder = database.superuser();
    let backend: i32 = builder
        .query_one("SELECT pg_backend_pid()", &[])
        .unwrap()
        .get(0);
    let token = builder.cancel_token();
    let building = thread::spawn(move || {
        builder.batch_execute("CALL text2sql.refresh(second_embedder => 'minilm')")
    });
    wait_until("the first vectors", || {
        number(&mut admin, "SELECT count(*) FROM text2sql._second_embedder") == 1
    });
    wait_for_model(&mut admin, backend);
    // Nothing waits for it: neither questions, nor DDL, nor knowledge.
    plain
        .batch_execute("SET statement_timeout = '2s'; SET lock_timeout = '200ms'")
        .unwrap();
    assert_eq!(before.0, found(&mut plain, QUESTION));
    admin
        .batch_execute(
            "SET lock_timeout = '200ms';
             SELECT text2sql.define('regulars', 'customers with ten orders');
             CREATE TABLE parcels (id int); DROP TABLE parcels; RESET lock_timeout",
        )
        .unwrap();
    // No session uses half of it, and what was made is not made again.
    assert!(status(&mut admin, "second embedder").contains("used by no session yet"));
    token.cancel_query(postgres::NoTls).unwrap();
    assert!(building.join().unwrap().is_err());
    assert!(status(&mut admin, "second embedder").contains("used by no session yet"));
    assert_eq!(before.0, found(&mut plain, QUESTION));
    let healthy = format!(
        "ALTER SERVER minilm OPTIONS (SET base_url '{}')",
        double.base_url("ok")
    );
    run(
        &mut admin,
        &[
            &healthy,
            "CALL text2sql.refresh(second_embedder => 'minilm')",
        ],
    );
    assert_eq!(
        first(&mut session(&database, "minilm"), QUESTION),
        "customers"
    );
}

#[test]
fn what_changes_is_right_in_both() {
    let database = TestDatabase::maintained("second_embedder_changes");
    let (_double, mut admin) = prepared(&database);
    // The other way round: the worker keeps what this server makes by itself.
    let of_database = |embedder: &str| {
        format!(
            "ALTER DATABASE {} SET text2sql.embedding_model = '{embedder}'",
            database.name()
        )
    };
    let setup = [
        &of_database("minilm"),
        "SET text2sql.embedding_model = 'minilm'",
        "CALL text2sql.refresh()",
        "CALL text2sql.refresh(second_embedder => 'hash')",
    ];
    run(&mut admin, &setup);
    let is_whole = |admin: &mut Client| {
        let line = status(admin, "second embedder");
        line.contains("hash") && !line.contains("without its vectors")
    };
    assert!(is_whole(&mut admin));
    let mut pieces = session(&database, "hash");
    let vectors_of = |admin: &mut Client, table: &str| {
        let sql = format!(
            "SELECT coalesce(md5(string_agg(v::text, ' ' ORDER BY v.unit)), '') FROM text2sql._second_vectors v
              WHERE v.collection = 's' AND v.item = to_regclass('{table}')"
        );
        admin.query_one(&sql, &[]).unwrap().get::<_, String>(0)
    };
    // Created, commented, dropped.
    admin
        .batch_execute(
            "CREATE TABLE netparcels (id int PRIMARY KEY); GRANT SELECT ON netparcels TO t2s_analyst",
        )
        .unwrap();
    wait_until("vectors of a new table", || {
        ask(&mut pieces);
        !vectors_of(&mut admin, "netparcels").is_empty()
    });
    let before = vectors_of(&mut admin, "netparcels");
    assert_eq!(first(&mut pieces, "parcelled"), "netparcels");
    admin
        .batch_execute("COMMENT ON TABLE netparcels IS 'boxes of the shop'")
        .unwrap();
    wait_until("vectors of the new comment", || {
        ask(&mut pieces);
        let now = vectors_of(&mut admin, "netparcels");
        !now.is_empty() && now != before
    });
    let oid = number(&mut admin, "SELECT 'netparcels'::regclass::oid::int8");
    admin.batch_execute("DROP TABLE netparcels").unwrap();
    admin
        .batch_execute("CREATE TABLE another (id int PRIMARY KEY)")
        .unwrap();
    wait_until("the vectors of a dropped table are gone", || {
        ask(&mut pieces);
        let left = format!("SELECT count(*) FROM text2sql._second_vectors v WHERE v.item = {oid}");
        number(&mut admin, &left) == 0
    });
    // Knowledge and texts, stored and dropped.
    let changes = [
        "SELECT text2sql.add_example('How many netbuyers are there?', 'SELECT count(*) FROM customers')",
        "SELECT text2sql.accept('example', id) FROM text2sql.examples",
        "SELECT text2sql.add_document('Netclubs', 'All can join the netclubs.', readers => '{public}')",
        "CREATE TABLE notes (id int PRIMARY KEY, note text)",
        "GRANT SELECT ON notes TO t2s_analyst",
        "INSERT INTO notes VALUES (1, 'netboxes went missing'), (2, '')",
        "SELECT text2sql.index_text('notes.note')",
    ];
    run(&mut admin, &changes);
    wait_until("vectors of knowledge and texts", || {
        let_a_worker_start(&mut admin);
        ask(&mut pieces);
        is_whole(&mut admin)
            && number(
                &mut admin,
                "SELECT count(*) FROM text2sql._second_vectors v WHERE v.collection = 'e'",
            ) > 0
            && number(
                &mut admin,
                "SELECT count(*) FROM text2sql._second_passage_vectors",
            ) == 2
    });
    assert!(passage(&mut pieces, "a netbox").1.is_some());
    // A row that changes loses its vectors with its words.
    let changes = [
        "UPDATE notes SET note = 'netbooks arrived' WHERE id = 1",
        "SELECT text2sql.forget('document', id) FROM text2sql.documents WHERE kind = 'document'",
    ];
    run(&mut admin, &changes);
    // What has changed in a table is known a moment later.
    wait_until("the new text of a row", || {
        run(&mut admin, &["CALL text2sql.refresh()"]);
        passage(&mut pieces, "a netbook").1.is_some()
    });
    assert!(is_whole(&mut admin));
    assert_eq!(
        number(
            &mut admin,
            "SELECT count(*) FROM text2sql._second_passage_vectors v JOIN text2sql._passages p ON p.id = v.passage WHERE p.text_source IS NOT NULL"
        ),
        1
    );
    // Rebuilt with the index.
    admin
        .batch_execute("CALL text2sql.refresh('{\"rebuild\": true}')")
        .unwrap();
    assert!(is_whole(&mut admin));
    // The index switches to the second embedder, and one set of vectors is enough.
    let change = [
        &of_database("hash"),
        "SET text2sql.embedding_model = 'hash'",
        "CALL text2sql.refresh()",
    ];
    run(&mut admin, &change);
    assert_eq!(number(&mut admin, LEFT), 0);
}

#[test]
fn a_worker_sends_nothing_to_an_endpoint_for_it() {
    let database = TestDatabase::maintained("second_embedder_worker");
    let (double, mut admin) = prepared(&database);
    admin
        .batch_execute("CALL text2sql.refresh(second_embedder => 'minilm')")
        .unwrap();
    double.reset();
    admin
        .batch_execute(
            "CREATE TABLE parcels (id int PRIMARY KEY); GRANT SELECT ON parcels TO t2s_analyst",
        )
        .unwrap();
    let mut meaning = session(&database, "minilm");
    wait_until("the new table", || {
        ask(&mut meaning);
        let line = status(&mut admin, "second embedder");
        line.contains("1 table")
            && line.contains(
                "without its vectors, found by words alone: CALL text2sql.refresh(second_embedder => 'minilm')",
            )
    });
    assert_eq!(first(&mut meaning, "parcels"), "parcels");
    let asked = |word: &str| {
        let requests = double.requests();
        requests
            .iter()
            .any(|request| request.body.to_string().contains(word))
    };
    assert!(!asked("table parcels"));
    // refresh() brings both up to date; where the endpoint fails, the index at least, with a warning.
    admin.batch_execute("CALL text2sql.refresh()").unwrap();
    assert!(asked("table parcels"));
    assert!(!status(&mut admin, "second embedder").contains("without its vectors"));
    let broken = format!(
        "ALTER SERVER minilm OPTIONS (SET base_url '{}')",
        double.base_url("status-503")
    );
    let change = [
        &broken,
        "CREATE TABLE letters (id int)",
        "CALL text2sql.refresh()",
    ];
    run(&mut admin, &change);
    let line = status(&mut admin, "second embedder");
    assert!(
        line.contains("1 table") && line.contains("without its vectors"),
        "{line}"
    );
}

#[test]
fn a_standby_has_both_and_many_have_an_index() {
    let database = TestDatabase::new("second_embedder_standby");
    let (_double, mut admin) = prepared(&database);
    let setup = [
        "DO $$ BEGIN FOR n IN 1..520 LOOP
             EXECUTE format('CREATE TABLE part_%s (field_%s_3 text)', n, n);
             EXECUTE format('GRANT SELECT ON part_%s TO t2s_analyst', n);
         END LOOP; END $$",
        "CALL text2sql.refresh()",
        "CALL text2sql.refresh(second_embedder => 'minilm')",
    ];
    run(&mut admin, &setup);
    let line = status(&mut admin, "second embedder");
    assert!(line.contains("16 dimensions, HNSW"), "{line}");
    let mut meaning = session(&database, "minilm");
    assert!(found(&mut meaning, QUESTION).join(" ").contains("vectors"));
    let standby = Standby::start("second_embedder", &[]);
    let mut client = standby.connect(database.name(), ANALYST);
    client
        .batch_execute("SET text2sql.embedding_model = 'minilm'")
        .unwrap();
    assert!(found(&mut client, QUESTION).join(" ").contains("vectors"));
    let mut on_standby = standby.connect(database.name(), "postgres");
    let (code, message, _) = error_of(
        &mut on_standby,
        "CALL text2sql.refresh(second_embedder => 'minilm')",
    );
    assert_eq!(
        (code.as_str(), message.as_str()),
        ("55000", "refresh() cannot run on a standby")
    );
    let (_, message, _) = error_of(
        &mut on_standby,
        "SELECT text2sql.forget('vectors', 'minilm')",
    );
    assert_eq!(message, "forget('vectors', …) cannot run on a standby");
}
