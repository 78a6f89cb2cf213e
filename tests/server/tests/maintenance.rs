//! What maintains and measures runs nobody's code with another's rights: the owner of a table tries every
//! way in that a table, its children and its types offer, against `refresh()`, `perturb()`, evaluations and
//! what judges queries, called by a superuser and by roles that may.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    reason = "the tests' own threads are no backend's; a test that cannot go on fails"
)]

use std::sync::{Arc, Mutex};

use postgres::Client;
use text2sql_server_tests::{TestDatabase, connect, connect_listening, error_of};

/// A database with a hostile owner of tables and a role that curates and evaluates. The names of the roles
/// are those of the test: tests share the cluster.
struct Besieged {
    test: &'static str,
    database: Option<TestDatabase>,
    mallory: String,
    evaluator: String,
}

impl Besieged {
    fn new(test: &'static str) -> Self {
        let mut besieged = Self {
            test,
            database: None,
            mallory: format!("t2s_{test}_mallory"),
            evaluator: format!("t2s_{test}_evaluator"),
        };
        besieged.drop_roles();
        let database = TestDatabase::new(test);
        let mut admin = database.superuser();
        besieged.database = Some(database);
        let (mallory, evaluator) = (&besieged.mallory, &besieged.evaluator);
        admin
            .batch_execute(&format!(
                "SET client_min_messages = error;
                 CREATE ROLE {mallory} LOGIN; CREATE ROLE {evaluator} LOGIN;
                 CREATE SCHEMA mal AUTHORIZATION {mallory};
                 SELECT text2sql.grant_curator('{evaluator}'), text2sql.grant_evaluation('{evaluator}');
                 GRANT SELECT ON customers, orders, countries TO {evaluator}, {mallory}"
            ))
            .unwrap();
        let mut mallory = besieged.as_role(&besieged.mallory);
        mallory
            .batch_execute(&SIEGE.replace("{mallory}", &besieged.mallory))
            .unwrap();
        let child = "CREATE TABLE measures (id integer, word text) PARTITION BY RANGE (id);
             CREATE TABLE measures_1 PARTITION OF measures FOR VALUES FROM (0) TO (10);
             CREATE TABLE parents (id integer, word text);
             CREATE TABLE children () INHERITS (parents);
             INSERT INTO measures VALUES (1, 'partition word'); INSERT INTO children VALUES (1, 'child word');
             GRANT SELECT ON measures, parents TO {evaluator};
             ALTER TABLE measures_1 OWNER TO {mallory}; ALTER TABLE children OWNER TO {mallory};
             GRANT CREATE ON SCHEMA public TO {mallory}; ANALYZE";
        admin
            .batch_execute(
                &child
                    .replace("{mallory}", &besieged.mallory)
                    .replace("{evaluator}", &besieged.evaluator),
            )
            .unwrap();
        mallory
            .batch_execute(
                "TRUNCATE mal.heard; ALTER SEQUENCE mal.counted RESTART;
                 CREATE INDEX ON measures_1 (id) WHERE mal.pure('partition') = 'partition';
                 CREATE INDEX ON children (id) WHERE mal.pure('child') = 'child'",
            )
            .unwrap();
        besieged
    }

    fn superuser(&self) -> Client {
        connect(&format!("t2s_{}", self.test), None)
    }

    fn as_role(&self, role: &str) -> Client {
        connect(&format!("t2s_{}", self.test), Some(role))
    }

    fn evaluator(&self) -> Client {
        self.as_role(&self.evaluator)
    }

    /// Runs statements as the role, the superuser where there is none, and gives what the session was told.
    fn told(&self, role: Option<&str>, statements: &[&str]) -> Vec<String> {
        let told = Arc::new(Mutex::new(Vec::new()));
        let listener = Arc::clone(&told);
        let mut client = connect_listening(&format!("t2s_{}", self.test), role, move |message| {
            listener.lock().unwrap().push(message);
        });
        for statement in statements {
            if let Err(error) = client.simple_query(statement) {
                let error = error.as_db_error().unwrap();
                panic!("{statement}: {}: {}", error.code().code(), error.message());
            }
        }
        let path = "SELECT current_setting('search_path'), current_user::text = session_user::text";
        let row = client.query_one(path, &[]).unwrap();
        let (path, is_same): (String, bool) = (row.get(0), row.get(1));
        assert!(
            is_same && !path.contains("mal"),
            "the session was changed: {path}"
        );
        drop(client);
        let told = told.lock().unwrap();
        told.clone()
    }

    /// Nothing was written, counted or gained by anybody.
    fn assert_unharmed(&self) {
        let mut admin = self.superuser();
        let row = admin
            .query_one(
                &format!(
                    "SELECT (SELECT string_agg(way || ' as ' || who, ', ') FROM mal.heard WHERE who <> '{0}'),
                            (SELECT is_called FROM mal.counted),
                            (SELECT rolsuper FROM pg_roles WHERE rolname = '{0}')",
                    self.mallory
                ),
                &[],
            )
            .unwrap();
        let (heard, is_counted, is_super): (Option<String>, bool, bool) =
            (row.get(0), row.get(1), row.get(2));
        assert_eq!(heard, None, "written");
        assert!(
            !is_counted && !is_super,
            "counted {is_counted}, superuser {is_super}"
        );
    }

    fn drop_roles(&self) {
        let mut admin = connect("postgres", None);
        for role in [&self.mallory, &self.evaluator] {
            admin
                .batch_execute(&format!("DROP ROLE IF EXISTS {role}"))
                .unwrap();
        }
    }
}

impl Drop for Besieged {
    fn drop(&mut self) {
        self.database = None;
        if !std::thread::panicking() {
            self.drop_roles();
        }
    }
}

/// What the hostile functions said while they ran.
fn heard(told: &[String]) -> Vec<&str> {
    told.iter()
        .map(String::as_str)
        .filter(|message| message.starts_with("HEARD") || message.starts_with("DID"))
        .collect()
}

/// One function that tries what it can with the rights it is given, and every way in to it.
const SIEGE: &str = r#"
CREATE TABLE mal.heard (way text, who name);
CREATE SEQUENCE mal.counted;
GRANT USAGE ON SCHEMA mal TO PUBLIC;
GRANT ALL ON mal.heard TO PUBLIC; GRANT ALL ON mal.counted TO PUBLIC;
CREATE FUNCTION mal.act(way text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    -- While the siege is laid.
    IF current_user = '{mallory}' AND session_user = '{mallory}' THEN RETURN way; END IF;
    RAISE WARNING 'HEARD % as %', way, current_user;
    BEGIN ALTER ROLE {mallory} SUPERUSER; RAISE WARNING 'DID become superuser by %', way; EXCEPTION WHEN OTHERS THEN END;
    BEGIN INSERT INTO mal.heard VALUES (way, current_user); EXCEPTION WHEN OTHERS THEN END;
    BEGIN PERFORM nextval('mal.counted'); RAISE WARNING 'DID count by %', way; EXCEPTION WHEN OTHERS THEN END;
    BEGIN PERFORM pg_read_file('PG_VERSION'); RAISE WARNING 'DID read a file by %', way; EXCEPTION WHEN OTHERS THEN END;
    BEGIN PERFORM set_config('search_path', 'mal', false); RAISE WARNING 'DID set by %', way; EXCEPTION WHEN OTHERS THEN END;
    BEGIN COPY mal.heard TO PROGRAM 'cat > /dev/null'; RAISE WARNING 'DID run a program by %', way; EXCEPTION WHEN OTHERS THEN END;
    RETURN way;
END $$;
CREATE FUNCTION mal.pure(way text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN mal.act(way); END';

CREATE TABLE mal.by_predicate (id integer, word text);
INSERT INTO mal.by_predicate VALUES (1, 'predicate word');
-- A table that cannot be copied: the name of a column is that of another where it is copied.
CREATE TABLE mal.odd (gone integer, "(gone) 1" text, n integer, id integer);
ALTER TABLE mal.odd DROP COLUMN gone;
CREATE INDEX ON mal.by_predicate (id) WHERE mal.pure('predicate') = 'predicate';

CREATE TABLE mal.by_expression (id integer, word text);
INSERT INTO mal.by_expression VALUES (1, 'expression word');
CREATE INDEX ON mal.by_expression (mal.pure('expression'));
CREATE STATISTICS mal.by_statistics ON (mal.pure('statistics')), id FROM mal.by_expression;

CREATE TABLE mal.by_generation (id integer, word text, made text GENERATED ALWAYS AS (mal.pure('generated')) STORED);
INSERT INTO mal.by_generation VALUES (1, 'generation word');

CREATE TABLE mal.by_row_cast (id integer, word text);
INSERT INTO mal.by_row_cast VALUES (1, 'row word');
CREATE FUNCTION mal.row_text(mal.by_row_cast) RETURNS text LANGUAGE sql IMMUTABLE AS $$SELECT mal.pure('row cast')$$;
CREATE CAST (mal.by_row_cast AS text) WITH FUNCTION mal.row_text(mal.by_row_cast) AS IMPLICIT;

CREATE DOMAIN mal.named AS text CHECK (mal.pure('domain') = 'domain');
CREATE DOMAIN mal.amount AS integer DEFAULT 7 CHECK (mal.pure('number domain') = 'number domain');
CREATE TABLE mal.by_domain (id integer, word mal.named, amount mal.amount, words mal.named[]);
INSERT INTO mal.by_domain SELECT n, 'domain word ' || n, n, '{a}' FROM generate_series(1, 20) AS n;

CREATE TYPE mal.mood AS ENUM ('glad', 'sad');
CREATE FUNCTION mal.mood_text(mal.mood) RETURNS text LANGUAGE sql IMMUTABLE AS $$SELECT mal.pure('enum cast')$$;
CREATE FUNCTION mal.mood_eq(mal.mood, mal.mood) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$SELECT mal.pure('operator') = ''$$;
CREATE OPERATOR mal.= (LEFTARG = mal.mood, RIGHTARG = mal.mood, FUNCTION = mal.mood_eq);
CREATE TABLE mal.moods (mood mal.mood PRIMARY KEY, word text);
INSERT INTO mal.moods VALUES ('glad', 'mood word'), ('sad', 'other word');
CREATE TABLE mal.by_enum (id integer PRIMARY KEY, mood mal.mood REFERENCES mal.moods, level integer);
INSERT INTO mal.by_enum SELECT n, 'glad', n FROM generate_series(1, 20) AS n;
-- With it PostgreSQL itself can no longer check the reference.
CREATE CAST (mal.mood AS text) WITH FUNCTION mal.mood_text(mal.mood) AS IMPLICIT;

CREATE FUNCTION mal.distance(numeric, numeric) RETURNS double precision LANGUAGE plpgsql IMMUTABLE AS
    $$BEGIN RETURN length(mal.pure('range')); END$$;
CREATE TYPE mal.span AS RANGE (subtype = numeric, subtype_diff = mal.distance);
CREATE TYPE mal.pair AS (a integer, b mal.mood);
CREATE FUNCTION mal.pair_text(mal.pair) RETURNS text LANGUAGE sql IMMUTABLE AS $$SELECT mal.pure('composite cast')$$;
CREATE CAST (mal.pair AS text) WITH FUNCTION mal.pair_text(mal.pair) AS ASSIGNMENT;
CREATE TABLE mal.by_types (id integer, word text, span mal.span, pair mal.pair, far text);
INSERT INTO mal.by_types SELECT n, 'type word', mal.span(n, n + 1), ('(' || n || ',sad)')::mal.pair, repeat(md5(n::text), 2000) FROM generate_series(1, 50) AS n;

CREATE TABLE mal.by_default (id integer, word text DEFAULT mal.pure('default'));
INSERT INTO mal.by_default VALUES (1, 'default word');
CREATE FUNCTION mal.fired() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN PERFORM mal.act('trigger'); RETURN NEW; END$$;
CREATE TRIGGER fired BEFORE INSERT OR UPDATE OR DELETE ON mal.by_default FOR EACH ROW EXECUTE FUNCTION mal.fired();
CREATE RULE said AS ON UPDATE TO mal.by_default DO ALSO SELECT mal.act('rule');

CREATE TABLE mal.by_policy (id integer, word text);
INSERT INTO mal.by_policy VALUES (1, 'policy word');
ALTER TABLE mal.by_policy ENABLE ROW LEVEL SECURITY;
CREATE POLICY said ON mal.by_policy USING (mal.pure('policy') = 'policy');

CREATE VIEW mal.by_view AS SELECT id, word FROM mal.by_default WHERE mal.pure('view') = 'view';
CREATE MATERIALIZED VIEW mal.by_matview AS SELECT id, word || ' kept' AS word FROM mal.by_predicate;
CREATE INDEX ON mal.by_matview (id) WHERE mal.pure('matview') = 'matview';
GRANT SELECT ON ALL TABLES IN SCHEMA mal TO PUBLIC;
"#;

/// Tables that hold a word, and so show that they were read.
const WORDS: [&str; 11] = [
    "predicate word",
    "expression word",
    "generation word",
    "row word",
    "domain word 1",
    "mood word",
    "type word",
    "default word",
    "predicate word kept",
    "partition word",
    "child word",
];

#[test]
fn refresh_runs_no_code_of_a_tables_owner() {
    let besieged = Besieged::new("maintenance_refresh");
    let evaluator = besieged.evaluator.clone();
    for role in [None, Some(evaluator.as_str())] {
        let told = besieged.told(role, &["CALL text2sql.refresh(rebuild => true)"]);
        assert_eq!(heard(&told), Vec::<&str>::new(), "{role:?}");
        besieged.assert_unharmed();
        let mut admin = besieged.superuser();
        let values: Vec<String> = admin
            .query(
                "SELECT DISTINCT value FROM text2sql.index_values WHERE is_first",
                &[],
            )
            .unwrap()
            .iter()
            .map(|row| row.get(0))
            .collect();
        for word in WORDS {
            assert!(
                values.iter().any(|value| value == word),
                "{role:?} {word}: {values:?}"
            );
        }
        assert!(!values.iter().any(|value| value == "policy word"));
        let state = "SELECT refreshed_at > started_at FROM text2sql.index_state";
        assert!(admin.query_one(state, &[]).unwrap().get::<_, bool>(0));
    }
}

#[test]
fn refresh_goes_on_behind_a_table_that_cannot_be_read() {
    let besieged = Besieged::new("maintenance_unreadable");
    let mut admin = besieged.superuser();
    // Two levels down is a table of another server; and a table that takes longer than a statement may.
    admin
        .batch_execute(
            "CREATE EXTENSION file_fdw; CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;
             CREATE TABLE top (word text); CREATE TABLE middle () INHERITS (top);
             CREATE FOREIGN TABLE bottom (word text) SERVER files OPTIONS (filename '/nowhere');
             ALTER FOREIGN TABLE bottom INHERIT middle;
             CREATE TABLE huge AS SELECT 'huge word ' || n % 7 AS word FROM generate_series(1, 300000) AS n",
        )
        .unwrap();
    let told = besieged.told(
        None,
        &[
            "SET text2sql.statement_limit = '1ms'",
            "CALL text2sql.refresh()",
        ],
    );
    let about = |name: &str| told.iter().any(|message| message.contains(name));
    assert!(
        about("public.top cannot be read: a part of it is a foreign table"),
        "{told:?}"
    );
    assert!(about("public.huge cannot be read"), "{told:?}");
    assert!(about("tables could not be read"), "{told:?}");
    // The next call tries again.
    let told = besieged.told(None, &["CALL text2sql.refresh()"]);
    assert!(!told.iter().any(|message| message.contains("public.huge")));
    let values =
        "SELECT count(DISTINCT value) FROM text2sql.index_values WHERE value LIKE 'huge word%'";
    assert_eq!(admin.query_one(values, &[]).unwrap().get::<_, i64>(0), 7);
}

#[test]
fn copies_are_made_without_code_of_a_tables_owner() {
    let besieged = Besieged::new("maintenance_copies");
    let mut admin = besieged.superuser();
    let (code, message, hint) = error_of(&mut admin, "SELECT * FROM text2sql.perturb()");
    assert_eq!(code, "42501", "{message}");
    assert!(hint.contains("grant_evaluation"), "{hint}");
    // Nor does a role that may become one, nor a superuser by the functions beneath.
    admin
        .batch_execute(&format!("GRANT postgres TO {}", besieged.evaluator))
        .unwrap();
    let mut evaluator = besieged.evaluator();
    let (code, ..) = error_of(&mut evaluator, "SELECT * FROM text2sql.perturb()");
    assert_eq!(code, "42501");
    admin
        .batch_execute(&format!(
            "REVOKE postgres FROM {0};
             ALTER DEFAULT PRIVILEGES FOR ROLE {0} GRANT ALL ON TABLES TO {1}, PUBLIC",
            besieged.evaluator, besieged.mallory
        ))
        .unwrap();
    // Boundaries of columns that are domains.
    evaluator
        .batch_execute(
            "SELECT text2sql.add_case('siege', 'How many?', 'SELECT count(*) FROM mal.by_domain WHERE amount > 5 AND id > 3');
             SELECT text2sql.add_case('siege', 'How many orders are there?', 'SELECT count(*) FROM orders')",
        )
        .unwrap();
    let told = besieged.told(
        Some(&besieged.evaluator),
        &["SELECT * FROM text2sql.perturb(suite => 'siege', keep => 0.7)"],
    );
    assert_eq!(heard(&told), Vec::<&str>::new());
    assert!(
        told.iter()
            .any(|message| message
                == "text2sql: mal.by_policy is not copied: it has row-level security"),
        "{told:?}"
    );
    besieged.assert_unharmed();
    let copied: Vec<String> = admin
        .query(
            "SELECT original::text FROM text2sql.perturbed_tables WHERE version = 2 ORDER BY 1",
            &[],
        )
        .unwrap()
        .iter()
        .map(|row| row.get(0))
        .collect();
    for table in [
        "mal.by_domain",
        "mal.by_enum",
        "mal.by_types",
        "mal.by_generation",
        "measures",
        "parents",
    ] {
        assert!(
            copied.iter().any(|copy| copy == table),
            "{table}: {copied:?}"
        );
    }
    assert!(
        !copied
            .iter()
            .any(|copy| copy == "mal.by_policy" || copy == "mal.odd")
    );
    assert!(
        told.iter()
            .any(|message| message.starts_with("text2sql: mal.odd is not copied"))
    );
    let strangers = "SELECT count(*) FROM pg_class c, aclexplode(c.relacl) AS a
        WHERE c.relnamespace = 'text2sql_perturbed'::regnamespace AND a.grantee <> c.relowner";
    assert_eq!(admin.query_one(strangers, &[]).unwrap().get::<_, i64>(0), 0);
    // What is stored out of line arrived; what a copy refers to is there; plain boundaries are planted.
    let copy_of = |client: &mut Client, table: &str| -> String {
        let sql = "SELECT copy::text FROM text2sql.perturbed_tables WHERE version = 2 AND original = $1::text::regclass";
        client.query_one(sql, &[&table]).unwrap().get(0)
    };
    let types = copy_of(&mut admin, "mal.by_types");
    let sql = format!(
        "SELECT count(*) > 20 AND min(length(far)) = 64000 AND count(span) = count(*) FROM {types}"
    );
    assert!(admin.query_one(&sql, &[]).unwrap().get::<_, bool>(0));
    let (enums, moods) = (
        copy_of(&mut admin, "mal.by_enum"),
        copy_of(&mut admin, "mal.moods"),
    );
    let sql = format!(
        "SELECT count(*) > 5 AND bool_and(enum_out(mood) IN (SELECT enum_out(m.mood) FROM {moods} m)) FROM {enums}"
    );
    let sql = sql
        .replace("enum_out(mood)", "enum_out(mood)::text")
        .replace("enum_out(m.mood)", "enum_out(m.mood)::text");
    assert!(admin.query_one(&sql, &[]).unwrap().get::<_, bool>(0));
    let told = besieged.told(
        Some(&besieged.evaluator),
        &["CALL text2sql.evaluate('siege', settings => '{\"copies\": true}')"],
    );
    assert_eq!(
        heard(&told)
            .iter()
            .filter(|message| message.starts_with("DID"))
            .count(),
        0,
        "{told:?}"
    );
    let robust =
        "SELECT robust FROM text2sql.results WHERE question = 'How many orders are there?' AND ex";
    assert_eq!(
        evaluator
            .query_one(robust, &[])
            .unwrap()
            .get::<_, Option<bool>>(0),
        Some(true)
    );
    besieged.assert_unharmed();
    let dropped: i32 = evaluator
        .query_one("SELECT text2sql.drop_perturbed()", &[])
        .unwrap()
        .get(0);
    assert!(dropped > 20);
    let left = "SELECT count(*) FROM text2sql.perturbed_tables";
    assert_eq!(admin.query_one(left, &[]).unwrap().get::<_, i64>(0), 0);
}

/// What judges and measures queries, over every relation of the siege.
fn measures() -> Vec<String> {
    let tables = [
        "by_predicate",
        "by_expression",
        "by_generation",
        "by_row_cast",
        "by_domain",
        "by_enum",
        "by_types",
        "by_default",
        "by_view",
        "by_matview",
    ];
    let mut statements = vec![
        "SELECT * FROM text2sql.suggest_joins()".to_owned(),
        "SELECT * FROM text2sql.status()".to_owned(),
        "SELECT * FROM text2sql.retrieve('How many by predicate are there?')".to_owned(),
        "SELECT * FROM text2sql.ask('How many by enum are there with mood glad?')".to_owned(),
    ];
    let relations = tables.iter().map(|table| format!("mal.{table}"));
    for relation in relations.chain(["measures".to_owned(), "parents".to_owned()]) {
        let query = format!("SELECT id FROM {relation} WHERE id = 4711");
        for function in [
            "why_empty",
            "trust_report",
            "optimize",
            "explain_plan",
            "explain",
            "run_json",
            "validate",
            "lineage",
        ] {
            statements.push(format!("SELECT * FROM text2sql.{function}('{query}')"));
        }
        statements.push(format!(
            "SELECT * FROM text2sql.grade('{query}', '{query} AND true')"
        ));
        statements.push(format!("SELECT text2sql._attempt('{{\"question\": \"How many orders are there?\", \"gold\": [\"{query}\"], \"expected_status\": \"ok\", \"copies\": true}}')"));
        statements.push(format!(
            "SELECT text2sql.add_example('Which of {relation}?', '{query}')"
        ));
    }
    statements.push("SELECT * FROM text2sql.list_examples()".to_owned());
    statements
}

#[test]
fn what_judges_queries_runs_owners_code_as_nobody_that_may_harm() {
    let besieged = Besieged::new("maintenance_questions");
    let statements = measures();
    let statements: Vec<&str> = statements.iter().map(String::as_str).collect();
    for role in [None, Some(besieged.evaluator.as_str())] {
        let told = besieged.told(role, &statements);
        let reader = role.unwrap_or("pg_read_all_data");
        // The ways in are open: without the guard this would be the caller.
        assert!(heard(&told).contains(&format!("HEARD predicate as {reader}").as_str()));
        for message in heard(&told) {
            assert!(
                message.starts_with("HEARD") && message.ends_with(&format!(" as {reader}")),
                "{role:?}: {message}"
            );
        }
        besieged.assert_unharmed();
    }
}

/// An attempt at a case with a clock or with copies.
fn attempt(client: &mut Client, gold: &str, more: &str) -> serde_json::Value {
    let task = format!(
        "{{\"question\": \"How many orders are there?\", \"gold\": [{}], \"expected_status\": \"ok\"{more}}}",
        serde_json::Value::from(gold)
    );
    let sql = "SELECT text2sql._attempt($1::text::jsonb)::text";
    let text: String = client.query_one(sql, &[&task]).unwrap().get(0);
    serde_json::from_str(&text).unwrap()
}

#[test]
fn copies_cannot_be_redirected() {
    let besieged = Besieged::new("maintenance_redirect");
    let mut admin = besieged.superuser();
    let mut evaluator = besieged.evaluator();
    // The caller of an attempt does not say what stands in for what.
    let task = "SELECT text2sql._attempt('{\"question\": \"q\", \"gold\": [\"SELECT 1\"], \"expected_status\": \"ok\", \"copies\": [[[1, 4294967295]]]}')";
    let (code, message, _) = error_of(&mut evaluator, task);
    assert_eq!(code, "22023", "{message}");
    for write in [
        "INSERT INTO text2sql.perturbed_tables (made_by, version, original, copy) VALUES (current_user, 1, 'orders', 'customers')",
        "UPDATE text2sql.perturbed_tables SET copy = 'customers'",
        "DELETE FROM text2sql.perturbed_tables",
    ] {
        assert_eq!(error_of(&mut evaluator, write).0, "42501", "{write}");
    }
    let fill =
        |copy: &str| format!("SELECT text2sql._fill_copy(1, 'orders'::regclass, {copy}, 0.5, 10)");
    evaluator
        .batch_execute("CREATE TEMP TABLE copy_1 AS SELECT * FROM orders LIMIT 0")
        .unwrap();
    for copy in [
        "'copy_1'::regclass",
        "'orders'::regclass",
        "4294967295",
        "0",
    ] {
        let (code, message, _) = error_of(&mut evaluator, &fill(copy));
        assert_eq!(code, "22023", "{copy}: {message}");
    }
    let salaries =
        "SELECT text2sql._fill_copy(1, 'salaries'::regclass, 'orders'::regclass, 0.5, 10)";
    assert_eq!(error_of(&mut evaluator, salaries).0, "42501");
    assert_eq!(error_of(&mut admin, &fill("'orders'::regclass")).0, "42501");

    // Another role's copies are neither seen nor read nor dropped.
    let other = &besieged.mallory;
    admin
        .batch_execute(&format!("SELECT text2sql.grant_evaluation('{other}')"))
        .unwrap();
    let mut mallory = besieged.as_role(other);
    mallory
        .batch_execute("SELECT * FROM text2sql.perturb(schemas => '{public}')")
        .unwrap();
    let gold = "SELECT count(*) FROM orders";
    let robust =
        |client: &mut Client| attempt(client, gold, ", \"copies\": true")["robust"].clone();
    assert_eq!(robust(&mut mallory), serde_json::Value::Bool(true));
    assert_eq!(robust(&mut evaluator), serde_json::Value::Null);
    assert_eq!(
        evaluator
            .query_one("SELECT count(*) FROM text2sql.perturbed_tables", &[])
            .unwrap()
            .get::<_, i64>(0),
        0
    );
    assert_eq!(
        evaluator
            .query_one("SELECT text2sql.drop_perturbed()", &[])
            .unwrap()
            .get::<_, i32>(0),
        0
    );
    evaluator
        .batch_execute("SELECT * FROM text2sql.perturb(versions => 1, schemas => '{public}')")
        .unwrap();
    assert_eq!(robust(&mut evaluator), serde_json::Value::Bool(true));
    assert_eq!(robust(&mut mallory), serde_json::Value::Bool(true));
    // Questions do not read copies by their names.
    let copy: String = evaluator
        .query_one(
            "SELECT copy::text FROM text2sql.perturbed_tables WHERE original = 'orders'::regclass",
            &[],
        )
        .unwrap()
        .get(0);
    let rule: Option<String> = evaluator
        .query_one(
            "SELECT rule FROM text2sql.validate($1)",
            &[&format!("SELECT * FROM {copy}")],
        )
        .unwrap()
        .get(0);
    assert_eq!(rule.as_deref(), Some("relation"));
    // What changed since: a copy with another column or with something on it, an original under row-level
    // security or hidden.
    for (change, back) in [
        (
            format!("CREATE INDEX spoilt ON {copy} (order_id)"),
            "DROP INDEX text2sql_perturbed.spoilt".to_owned(),
        ),
        (
            format!("ALTER TABLE {copy} ALTER COLUMN total SET DEFAULT 1"),
            format!("ALTER TABLE {copy} ALTER COLUMN total DROP DEFAULT"),
        ),
        (
            format!("ALTER TABLE {copy} ENABLE ROW LEVEL SECURITY"),
            format!("ALTER TABLE {copy} DISABLE ROW LEVEL SECURITY"),
        ),
    ] {
        evaluator.batch_execute(&change).unwrap();
        assert_eq!(robust(&mut evaluator), serde_json::Value::Null, "{change}");
        evaluator.batch_execute(&back).unwrap();
        if change.contains("INDEX") {
            // PostgreSQL leaves the mark that there was an index until the next VACUUM.
            admin.batch_execute(&format!("VACUUM {copy}")).unwrap();
        }
        assert_eq!(
            robust(&mut evaluator),
            serde_json::Value::Bool(true),
            "{back}"
        );
    }
    admin
        .batch_execute("ALTER TABLE orders ENABLE ROW LEVEL SECURITY; CREATE POLICY all_rows ON orders USING (true)")
        .unwrap();
    assert_eq!(robust(&mut evaluator), serde_json::Value::Null);
    admin
        .batch_execute("ALTER TABLE orders DISABLE ROW LEVEL SECURITY")
        .unwrap();
    admin.batch_execute(&format!("DROP TABLE {copy}")).unwrap();
    assert_eq!(robust(&mut evaluator), serde_json::Value::Null);
    // A schema that somebody else took is not used.
    admin
        .batch_execute(&format!("ALTER SCHEMA text2sql_perturbed OWNER TO {other}"))
        .unwrap();
    let (code, message, _) = error_of(&mut evaluator, "SELECT * FROM text2sql.perturb()");
    assert_eq!(
        (code.as_str(), message),
        (
            "42501",
            format!("schema \"text2sql_perturbed\" belongs to \"{other}\"")
        )
    );
}

#[test]
fn the_clock_opens_no_rows() {
    let besieged = Besieged::new("maintenance_clock");
    let mut admin = besieged.superuser();
    let evaluator_name = &besieged.evaluator;
    admin
        .batch_execute(&format!(
            "CREATE SCHEMA shop; GRANT USAGE ON SCHEMA shop TO {evaluator_name};
             CREATE TABLE shop.rls (id integer, note text, publish_at timestamptz);
             INSERT INTO shop.rls SELECT n, 'secret', '2099-01-01' FROM generate_series(1, 300) AS n;
             ALTER TABLE shop.rls ENABLE ROW LEVEL SECURITY;
             CREATE POLICY published ON shop.rls USING (publish_at <= now());
             CREATE TABLE shop.plain AS SELECT * FROM shop.rls;
             CREATE VIEW shop.over_rls AS SELECT count(*) AS n FROM shop.rls;
             ALTER VIEW shop.over_rls SET (security_invoker = true);
             CREATE FUNCTION shop.moment() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT now()';
             CREATE VIEW shop.published AS SELECT id, note FROM shop.plain WHERE publish_at <= now();
             CREATE VIEW shop.published_today AS SELECT * FROM (SELECT id, publish_at FROM shop.plain) AS p WHERE publish_at::date <= CURRENT_DATE;
             CREATE VIEW shop.published_word AS SELECT id FROM shop.plain WHERE publish_at <= ('to' || 'day')::text::date;
             CREATE VIEW shop.published_by AS SELECT id FROM shop.plain WHERE publish_at <= shop.moment();
             CREATE VIEW shop.aged AS SELECT id FROM shop.plain WHERE age(publish_at) > '0';
             CREATE VIEW shop.behind AS SELECT count(*) AS n FROM shop.published;
             CREATE VIEW shop.recent AS SELECT order_id FROM orders WHERE ordered_on <= CURRENT_DATE;
             CREATE VIEW shop.always AS SELECT id, to_char(publish_at, 'YYYY') AS year FROM shop.plain;
             CREATE FUNCTION shop.counted() RETURNS bigint LANGUAGE sql SECURITY DEFINER STABLE AS 'SELECT count(*) FROM shop.plain WHERE publish_at <= now()';
             CREATE FUNCTION shop.counted_inside() RETURNS bigint LANGUAGE plpgsql STABLE AS 'BEGIN RETURN (SELECT count(*) FROM shop.rls); END';
             CREATE FUNCTION shop.counted_view() RETURNS bigint LANGUAGE plpgsql STABLE AS 'BEGIN RETURN (SELECT count(*) FROM shop.published); END';
             CREATE FUNCTION shop.listed() RETURNS SETOF bigint LANGUAGE sql STABLE AS 'SELECT count(*) FROM shop.published';
             GRANT SELECT ON ALL TABLES IN SCHEMA shop TO {evaluator_name};
             REVOKE ALL ON shop.plain FROM {evaluator_name};
             ALTER ROLE {evaluator_name} IN DATABASE t2s_{} SET text2sql.registered_functions = 'shop.counted(), shop.counted_inside(), shop.counted_view(), shop.listed()'",
            besieged.test
        ))
        .unwrap();
    let mut evaluator = besieged.evaluator();
    evaluator.query("SELECT text2sql.version()", &[]).unwrap();
    let refused = [
        (
            "SELECT count(*) FROM shop.rls",
            "row-level security decides about the rows of shop.rls",
        ),
        (
            "SELECT n FROM shop.over_rls",
            "row-level security decides about the rows of shop.rls",
        ),
        (
            "SELECT (SELECT count(*) FROM shop.rls) FROM orders LIMIT 1",
            "row-level security",
        ),
        (
            "WITH unused AS (SELECT * FROM shop.rls) SELECT 1",
            "row-level security",
        ),
        (
            "SELECT count(*) FROM shop.published",
            "view shop.published has the rights of its owner and depends on the time",
        ),
        (
            "SELECT count(*) FROM shop.published_today",
            "view shop.published_today",
        ),
        (
            "SELECT count(*) FROM shop.published_word",
            "view shop.published_word",
        ),
        (
            "SELECT count(*) FROM shop.published_by",
            "view shop.published_by",
        ),
        ("SELECT count(*) FROM shop.aged", "view shop.aged"),
        ("SELECT n FROM shop.behind", "view shop.behind"),
        (
            "SELECT shop.counted()",
            "function shop.counted() runs with the rights of its owner",
        ),
        (
            "SELECT shop.counted_inside()",
            "row-level security decides about the rows of shop.rls",
        ),
        (
            "SELECT * FROM shop.listed()",
            "shop.listed() stands for a query",
        ),
        (
            "SELECT shop.counted_view()",
            "with the rights of somebody else",
        ),
    ];
    for (gold, why) in refused {
        let grade = format!(
            "SELECT * FROM text2sql.grade($t${gold}$t$, 'SELECT 300', '{{\"clock\": \"2100-01-01\"}}')"
        );
        let (code, message, hint) = error_of(&mut evaluator, &grade);
        assert_eq!(code, "42501", "{gold}: {message}");
        assert!(message.contains(why), "{gold}: {message}");
        assert!(hint.contains("clock"), "{hint}");
        // In a run the case is reported, and the run goes on.
        let attempted = attempt(&mut evaluator, gold, ", \"clock\": 3155760000000000");
        assert_eq!(attempted["state"], "broken", "{gold}: {attempted}");
        assert!(
            attempted["problem"].as_str().unwrap().contains(why),
            "{attempted}"
        );
        // Without a clock it is a query as any.
        let plain = format!("SELECT * FROM text2sql.grade($t${gold}$t$, 'SELECT 300')");
        evaluator.simple_query(&plain).unwrap();
    }
    // Where nobody else's rights are at stake the clock counts, and nowhere else.
    for gold in [
        "SELECT count(*) FROM orders WHERE now() > '2099-12-31' AND CURRENT_DATE = '2100-01-01'",
        "SELECT count(*) FROM shop.recent WHERE now() > '2099-12-31'",
        "SELECT count(*) FROM shop.always, orders WHERE id = 1 AND clock_timestamp() = now()",
    ] {
        let grade = "SELECT ex FROM text2sql.grade($1, 'SELECT 400', '{\"clock\": \"2100-01-01\", \"column_names\": false}')";
        assert_eq!(
            evaluator
                .query_one(grade, &[&gold])
                .unwrap()
                .get::<_, Option<bool>>(0),
            Some(true),
            "{gold}"
        );
    }
    for clock in [
        "9223372036854775807",
        "-9223372036854775808",
        "9223371331199999999",
    ] {
        let task = format!(
            "SELECT text2sql._attempt('{{\"question\": \"q\", \"gold\": [\"SELECT CURRENT_DATE + 1\"], \"expected_status\": \"ok\", \"clock\": {clock}}}')"
        );
        assert_eq!(error_of(&mut evaluator, &task).0, "22023", "{clock}");
    }
    let real = "SELECT now() < '2099-01-01' AND statement_timestamp() < '2099-01-01' AND CURRENT_DATE < '2099-01-01'";
    assert!(evaluator.query_one(real, &[]).unwrap().get::<_, bool>(0));
    // An error beneath and a cancel bring the real time back, in the same transaction too.
    evaluator.batch_execute("BEGIN").unwrap();
    let before: std::time::SystemTime = evaluator.query_one("SELECT now()", &[]).unwrap().get(0);
    evaluator.batch_execute("SAVEPOINT s").unwrap();
    let failing = "SELECT * FROM text2sql.grade('SELECT 1 / (now() < ''2099-01-01'')::int', 'SELECT 1', '{\"clock\": \"2100-01-01\"}')";
    error_of(&mut evaluator, failing);
    evaluator
        .batch_execute("ROLLBACK TO s; SET LOCAL statement_timeout = '100ms'")
        .unwrap();
    let endless = "SELECT * FROM text2sql.grade('WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 100000000 AND now() > ''2099-01-01'') SELECT count(*) FROM r', 'SELECT 1', '{\"clock\": \"2100-01-01\"}')";
    assert_eq!(error_of(&mut evaluator, endless).0, "57014");
    evaluator.batch_execute("ROLLBACK TO s").unwrap();
    let after: std::time::SystemTime = evaluator.query_one("SELECT now()", &[]).unwrap().get(0);
    assert_eq!(before, after);
    assert!(evaluator.query_one(real, &[]).unwrap().get::<_, bool>(0));
    evaluator.batch_execute("ROLLBACK").unwrap();
    // What is written about an evaluation has the real time.
    evaluator
        .batch_execute(
            "SELECT text2sql.create_suite('future', '2100-01-01');
             SELECT text2sql.add_case('future', 'How many orders are there?', 'SELECT count(*) FROM orders')",
        )
        .unwrap();
    evaluator
        .batch_execute("CALL text2sql.evaluate('future')")
        .unwrap();
    let times = "SELECT (SELECT bool_and(finished_at < '2099-01-01') FROM text2sql.results) AND (SELECT bool_and(asked_at < '2099-01-01') FROM text2sql.history)";
    assert!(evaluator.query_one(times, &[]).unwrap().get::<_, bool>(0));
}

#[test]
fn a_superuser_does_not_go_on_with_somebody_elses_run() {
    let besieged = Besieged::new("maintenance_resume");
    let mut evaluator = besieged.evaluator();
    evaluator
        .batch_execute("SELECT text2sql.add_case('mine', 'How many orders are there?', 'SELECT count(*) FROM orders')")
        .unwrap();
    let run: i64 = evaluator
        .query_one(
            "SELECT text2sql._begin_run('mine', 1, '{}', NULL, NULL, NULL)",
            &[],
        )
        .unwrap()
        .get(0);
    // What only a superuser may set.
    evaluator
        .execute(
            "UPDATE text2sql.runs SET settings = '{\"allow_catalogs\": true}' WHERE run_id = $1",
            &[&run],
        )
        .unwrap();
    let mut admin = besieged.superuser();
    let (code, message, hint) = error_of(&mut admin, &format!("CALL text2sql.resume({run})"));
    assert_eq!(code, "42501", "{message}");
    assert!(hint.starts_with("SET ROLE"), "{hint}");
}
