//! A database under siege: the owner of tables tries every way in that a table, its children and its types
//! offer to run code with the privileges of another role.

use std::sync::{Arc, Mutex};

use postgres::Client;

use crate::{TestDatabase, connect, connect_listening};

/// A database with a hostile owner of tables and a role that is a curator and evaluator. The names of the roles
/// are those of the test: tests share the cluster.
pub struct Besieged {
    /// The database's name without `t2s_`.
    pub test: &'static str,
    database: Option<TestDatabase>,
    /// The owner of the schema `mal` and everything in it.
    pub mallory: String,
    /// The role that can read all of it, curate and evaluate.
    pub evaluator: String,
}

impl Besieged {
    /// Creates the database. `test` names the database, unique among all tests.
    pub fn new(test: &'static str) -> Self {
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
                 SELECT text2sql.grant_access('{evaluator}', 'curator'), text2sql.grant_access('{evaluator}', 'evaluation');
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

    /// A connection as the superuser.
    pub fn superuser(&self) -> Client {
        connect(&format!("t2s_{}", self.test), None)
    }

    /// A connection as a role.
    pub fn as_role(&self, role: &str) -> Client {
        connect(&format!("t2s_{}", self.test), Some(role))
    }

    /// A connection as the evaluator.
    pub fn evaluator(&self) -> Client {
        self.as_role(&self.evaluator)
    }

    /// Runs statements as the role, the superuser where there is none, and returns the messages of the session.
    pub fn told(&self, role: Option<&str>, statements: &[&str]) -> Vec<String> {
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

    /// Nothing was written, no sequence advanced, and no privilege was gained.
    pub fn assert_unharmed(&self) {
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

/// The messages of the hostile functions.
pub fn heard(told: &[String]) -> Vec<&str> {
    told.iter()
        .map(String::as_str)
        .filter(|message| message.starts_with("HEARD") || message.starts_with("DID"))
        .collect()
}

/// A function that attempts everything possible with its privileges, and every way to call it.
const SIEGE: &str = r#"
CREATE TABLE mal.heard (way text, who name);
CREATE SEQUENCE mal.counted;
GRANT USAGE ON SCHEMA mal TO PUBLIC;
GRANT ALL ON mal.heard TO PUBLIC; GRANT ALL ON mal.counted TO PUBLIC;
CREATE FUNCTION mal.act(way text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    -- During setup.
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
