//! What is protected stays so: for every role and session, under other names, in other catalogs,
//! behind views and partitions, and in every text that goes to a model.

use model_double::{ModelDouble, Script};
use postgres::Client;
use text2sql_server_tests::{ANALYST, TestDatabase, error_of};

/// A question whose words are the names of what may be hidden.
const QUESTION: &str = "What is the mail of each of the customers and the salary in salaries?";

fn protect(client: &mut Client, object: &str, level: &str) {
    client
        .execute("SELECT text2sql.protect($1, $2)", &[&object, &level])
        .unwrap();
}

fn prompt(client: &mut Client) -> String {
    let preview = "SELECT text2sql.preview_prompt($1)";
    let prompt: String = client.query_one(preview, &[&QUESTION]).unwrap().get(0);
    // Text of the question itself is no leak.
    prompt.replace(QUESTION, "")
}

/// Why the guard refuses a statement; `None` when it would run it.
fn refusal(client: &mut Client, sql: &str) -> Option<String> {
    let verdict = "SELECT reason FROM text2sql.validate($1)";
    client.query_one(verdict, &[&sql]).unwrap().get(0)
}

/// Whether the statement is refused as one about something that is not available.
fn is_closed(client: &mut Client, sql: &str) -> bool {
    refusal(client, sql).is_some_and(|reason| reason.contains("not available"))
}

#[test]
fn a_hidden_column_does_not_exist_for_questions() {
    let database = TestDatabase::new("hidden_column");
    let (mut admin, mut client) = (database.superuser(), database.analyst());
    admin
        .batch_execute("GRANT SELECT ON customers TO t2s_analyst; CREATE TABLE mails (mail text); GRANT SELECT ON mails TO t2s_analyst")
        .unwrap();
    assert!(prompt(&mut client).contains("  mail text"));
    protect(&mut admin, "customers.mail", "hidden");
    admin.batch_execute("DROP TABLE mails").unwrap();
    let seen = prompt(&mut client);
    assert!(
        seen.contains("customers (") && !seen.contains("mail"),
        "{seen}"
    );
    for sql in [
        "SELECT mail FROM customers",
        "SELECT name FROM customers WHERE mail LIKE 'a%'",
        "SELECT name FROM customers ORDER BY mail",
        "SELECT count(*) FROM customers GROUP BY mail",
        "SELECT count(*) FILTER (WHERE mail IS NULL) FROM customers",
        "SELECT row_number() OVER (PARTITION BY mail) FROM customers",
        "SELECT name FROM customers c JOIN customers d USING (mail)",
        "SELECT 1 FROM customers NATURAL JOIN (SELECT 'x' AS mail) AS x",
        "SELECT * FROM customers",
        "SELECT c.* FROM customers AS c",
        "SELECT c FROM customers AS c",
        "SELECT c::text FROM customers AS c",
        "SELECT row_to_json(c) FROM customers AS c",
        "SELECT count(c) FROM customers AS c",
        "SELECT c IS NULL FROM customers AS c",
        "SELECT c = c FROM customers AS c",
        "SELECT (c).mail FROM customers AS c",
        "SELECT j FROM (customers c JOIN orders o USING (customer_id)) AS j",
        "SELECT a.m FROM customers AS a (i, n, m, b, c)",
        "SELECT x.mail FROM customers c, LATERAL (SELECT c.mail) AS x",
        "SELECT (SELECT mail FROM customers LIMIT 1)",
        "WITH w AS (SELECT mail FROM customers) SELECT 1",
        "SELECT name FROM customers UNION SELECT mail FROM customers",
        "TABLE customers",
        "SELECT NULL::customers",
        "SELECT * FROM json_populate_recordset(NULL::customers, '[]')",
        "SELECT ARRAY[]::customers[]",
        "SELECT mail + 1 FROM customers",
        "SELECT mail.nothing FROM customers",
    ] {
        assert!(
            is_closed(&mut client, sql),
            "{sql}: {:?}",
            refusal(&mut client, sql)
        );
    }
    for sql in [
        "SELECT count(*) FROM customers",
        "SELECT name, country_id FROM customers WHERE iban IS NOT NULL",
        "SELECT 1 AS mail",
        "SELECT x.mail FROM (SELECT name AS mail FROM customers) AS x",
    ] {
        assert_eq!(refusal(&mut client, sql), None, "{sql}");
    }
    // A misspelt name is not helped along to the hidden one, and `*` does not spell it out.
    let (_, message, hint) = error_of(
        &mut client,
        "SELECT * FROM text2sql.run_json('SELECT mial FROM customers')",
    );
    assert!(
        !message.contains("mail") && !hint.contains("mail"),
        "{message} {hint}"
    );
    let whole = refusal(&mut client, "SELECT * FROM customers").unwrap();
    assert!(!whole.contains("mail"), "{whole}");
    let lineage = "SELECT string_agg(l ->> 'column_name', ',') FROM text2sql.validate('SELECT name FROM customers'), json_array_elements(lineage) AS l";
    let columns: String = client.query_one(lineage, &[]).unwrap().get(0);
    assert_eq!(columns, "name");
}

#[test]
fn a_hidden_table_reads_like_one_out_of_scope_for_every_role() {
    let database = TestDatabase::new("hidden_table");
    let mut admin = database.superuser();
    admin
        .batch_execute("CREATE SCHEMA far; CREATE TABLE far.salaries (salary numeric); GRANT USAGE ON SCHEMA far TO t2s_analyst; GRANT SELECT ON far.salaries TO t2s_analyst; GRANT SELECT ON salaries TO t2s_analyst")
        .unwrap();
    protect(&mut admin, "public.salaries", "hidden");
    let mut client = database.analyst();
    let hidden = |sql: &str, client: &mut Client| refusal(client, &sql.replace("%", "salaries"));
    let statements = [
        "SELECT salary FROM %",
        "SELECT count(*) FROM %",
        "SELECT nothing FROM %",
        "SELECT ctid FROM %",
        "SELECT 1 FROM orders WHERE EXISTS (SELECT FROM %)",
        "SELECT NULL::%",
    ];
    for sql in statements {
        assert!(
            hidden(sql, &mut client).unwrap().contains("not available"),
            "{sql}"
        );
    }
    assert!(!prompt(&mut client).contains("\nsalaries"));
    // The same words for what is out of scope.
    admin
        .batch_execute(
            "ALTER ROLE t2s_analyst IN DATABASE t2s_hidden_table SET text2sql.allowed_schemas = 'public'",
        )
        .unwrap();
    database.end_pooled_sessions();
    let mut scoped = database.analyst();
    scoped.query("SELECT text2sql._version()", &[]).unwrap();
    for sql in statements {
        let far = refusal(&mut scoped, &sql.replace('%', "far.salaries")).unwrap();
        assert_eq!(
            far.replace("far.", ""),
            hidden(sql, &mut scoped).unwrap(),
            "{sql}"
        );
    }
    assert!(!prompt(&mut scoped).contains("salaries"));
    // Neither is reported as forbidden, to a superuser neither exists, and a role without the privilege
    // learns nothing else.
    admin
        .batch_execute("REVOKE ALL ON salaries FROM t2s_analyst")
        .unwrap();
    let status = "SELECT status FROM text2sql.ask('What is the salary in salaries?')";
    let status: String = scoped.query_one(status, &[]).unwrap().get(0);
    assert_eq!(status, "unanswerable");
    assert!(is_closed(&mut scoped, "SELECT salary FROM salaries"));
    assert!(is_closed(&mut admin, "SELECT salary FROM public.salaries"));
    assert!(!is_closed(&mut admin, "SELECT salary FROM far.salaries"));
    let (_, message, _) = error_of(&mut scoped, "SET text2sql.allowed_schemas = ''");
    assert!(message.contains("permission denied"), "{message}");
}

#[test]
fn protection_follows_renames_and_stays_with_names() {
    let database = TestDatabase::new("renames");
    let (mut admin, mut client) = (database.superuser(), database.analyst());
    admin.batch_execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO t2s_analyst; ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO t2s_analyst").unwrap();
    protect(&mut admin, "customers.mail", "hidden");
    protect(&mut admin, "table salaries", "hidden");
    let mut closed = |admin: &mut Client, change: &str, sql: &str| {
        admin.batch_execute(change).unwrap();
        assert!(is_closed(&mut client, sql), "{change}: {sql}");
    };
    closed(
        &mut admin,
        "ALTER TABLE customers RENAME TO clients",
        "SELECT mail FROM clients",
    );
    closed(
        &mut admin,
        "ALTER TABLE clients RENAME mail TO email",
        "SELECT email FROM clients",
    );
    closed(
        &mut admin,
        "CREATE TABLE customers (mail text, n integer)",
        "SELECT mail FROM customers",
    );
    closed(
        &mut admin,
        "DROP TABLE customers; CREATE TABLE customers (n integer, mail text)",
        "SELECT mail FROM customers",
    );
    closed(
        &mut admin,
        "ALTER TABLE clients DROP email; ALTER TABLE clients ADD email text",
        "SELECT email FROM clients",
    );
    // One table takes another's place: both are meant.
    closed(
        &mut admin,
        "CREATE TABLE salaries_new (salary numeric); ALTER TABLE salaries RENAME TO salaries_old; ALTER TABLE salaries_new RENAME TO salaries",
        "SELECT salary FROM salaries_old",
    );
    closed(&mut admin, "SELECT 1", "SELECT salary FROM salaries");
    closed(
        &mut admin,
        "ALTER TABLE salaries RENAME TO pay",
        "SELECT salary FROM pay",
    );
    closed(
        &mut admin,
        "CREATE SCHEMA hr; GRANT USAGE ON SCHEMA hr TO t2s_analyst; ALTER TABLE pay SET SCHEMA hr",
        "SELECT salary FROM hr.pay",
    );
    closed(
        &mut admin,
        "ALTER SCHEMA hr RENAME TO people",
        "SELECT salary FROM people.pay",
    );
    closed(
        &mut admin,
        "ALTER INDEX people.pay RENAME TO wages",
        "SELECT salary FROM people.wages",
    );
    // A role without a right on the table of protections renames its own table.
    admin
        .batch_execute("GRANT CREATE ON SCHEMA public TO t2s_analyst; ALTER TABLE salaries_old OWNER TO t2s_analyst")
        .unwrap();
    let mut owner = database.analyst();
    owner
        .batch_execute("ALTER TABLE salaries_old RENAME TO mine")
        .unwrap();
    assert!(is_closed(&mut owner, "SELECT salary FROM mine"));
    let listed: i64 = admin
        .query_one(
            "SELECT count(*) FROM text2sql._protections WHERE table_name = 'mine'",
            &[],
        )
        .unwrap()
        .get(0);
    assert_eq!(listed, 1, "the new name is kept as well, for a dump");
}

#[test]
fn views_partitions_and_children_are_no_way_around() {
    let database = TestDatabase::new("ways_around");
    let (mut admin, mut client) = (database.superuser(), database.analyst());
    admin
        .batch_execute(
            "CREATE TABLE people (id integer, secret text, born date) PARTITION BY RANGE (id);
             CREATE TABLE people_1 PARTITION OF people FOR VALUES FROM (0) TO (10);
             CREATE TABLE people_2 PARTITION OF people FOR VALUES FROM (10) TO (20);
             CREATE TABLE parent (id integer, code text); CREATE TABLE child (more text) INHERITS (parent);
             CREATE VIEW secrets AS SELECT secret FROM people;
             CREATE VIEW counts AS SELECT count(*) AS n FROM people WHERE secret <> '';
             CREATE VIEW ids AS SELECT id FROM people;
             CREATE VIEW whole AS SELECT p AS person, p.id FROM people AS p;
             CREATE VIEW onward AS SELECT * FROM (SELECT n FROM counts) AS x;
             CREATE MATERIALIZED VIEW stored AS SELECT secret FROM people;
             CREATE VIEW births AS SELECT id, born FROM people;
             GRANT SELECT ON ALL TABLES IN SCHEMA public TO t2s_analyst",
        )
        .unwrap();
    protect(&mut admin, "people.secret", "hidden");
    protect(&mut admin, "child.code", "hidden");
    for sql in [
        "SELECT secret FROM people_1",
        "SELECT * FROM people_2",
        "SELECT * FROM secrets",
        "SELECT * FROM counts",
        "SELECT id FROM whole",
        "SELECT * FROM onward",
        "SELECT * FROM stored",
        "SELECT code FROM parent",
        "SELECT code FROM child",
    ] {
        assert!(is_closed(&mut client, sql), "{sql}");
    }
    for sql in [
        "SELECT id FROM people_1",
        "SELECT * FROM ids",
        "SELECT id FROM parent",
        "SELECT * FROM births",
    ] {
        assert_eq!(refusal(&mut client, sql), None, "{sql}");
    }
    let seen = prompt(&mut client);
    for name in ["secret", "counts", "onward", "stored", "whole", "code"] {
        assert!(!seen.contains(name), "{name} in {seen}");
    }
    assert!(seen.contains("ids (view)") && seen.contains("people ("));
    // Published by a word about itself, in a second session at once.
    protect(&mut admin, "counts", "open");
    assert_eq!(refusal(&mut client, "SELECT * FROM counts"), None);
    assert_eq!(refusal(&mut client, "SELECT * FROM onward"), None);
    let lineage = "SELECT count(*) FROM text2sql.validate('SELECT * FROM counts'), json_array_elements(lineage) AS l WHERE l ->> 'column_name' = 'secret'";
    let told: i64 = client.query_one(lineage, &[]).unwrap().get(0);
    assert_eq!(told, 0);
    // A view that begins to read what is hidden.
    admin
        .batch_execute("CREATE OR REPLACE VIEW ids AS SELECT id FROM people WHERE secret IS NULL")
        .unwrap();
    assert!(is_closed(&mut client, "SELECT * FROM ids"));
    // A hidden partition is read through its parent too.
    protect(&mut admin, "people_2", "hidden");
    assert!(is_closed(&mut client, "SELECT id FROM people"));
    protect(&mut admin, "people_2", "open");
    assert_eq!(refusal(&mut client, "SELECT id FROM people"), None);
}

#[test]
fn values_of_private_columns_reach_the_caller_and_no_model() {
    let bad_cast = r#"{"sql": "SELECT name, mail::integer FROM customers"}"#;
    let script = Script::new()
        .on(
            "list the mails",
            [r#"{"status": "ok", "sql": "SELECT mail FROM customers ORDER BY customer_id"}"#],
        )
        .on("break it", [bad_cast, bad_cast])
        .on(
            "through the view",
            [r#"{"sql": "SELECT (max(address))::integer FROM addresses"}"#],
        )
        .otherwise(r#"{"status": "unanswerable", "missing": ["everything"]}"#);
    let double = ModelDouble::start(script).unwrap();
    let database = TestDatabase::new("private");
    let mut admin = database.superuser();
    admin
        .batch_execute(
            "UPDATE customers SET mail = 'secretive ' || customer_id % 3;
             CREATE TYPE mood AS ENUM ('gloomy', 'merry'); ALTER TABLE customers ADD mood mood;
             GRANT SELECT (mood) ON customers TO t2s_analyst;
             CREATE VIEW addresses AS SELECT name, mail AS address FROM customers;
             GRANT SELECT ON addresses TO t2s_analyst; ANALYZE",
        )
        .unwrap();
    database.add_model("m", "openai", &double.base_url("ok"), ", egress 'rows'");
    let mut client = database.analyst();
    let before = prompt(&mut client);
    assert!(
        before.contains("secretive") && before.contains("gloomy"),
        "{before}"
    );
    protect(&mut admin, "customers.mail", "private");
    protect(&mut admin, "customers.mood", "private");
    let answer = client
        .query_one(
            "SELECT status, result_rows::text FROM text2sql.ask('List the mails')",
            &[],
        )
        .unwrap();
    assert_eq!(answer.get::<_, &str>(0), "ok");
    assert!(
        answer.get::<_, &str>(1).contains("secretive 2"),
        "rows reach the caller"
    );
    for question in ["Break it", "Through the view"] {
        let failed = "SELECT answer FROM text2sql.ask($1)";
        let told: String = client.query_one(failed, &[&question]).unwrap().get(0);
        assert!(told.contains("secretive"), "the caller may know: {told}");
    }
    let sent: Vec<String> = double
        .requests()
        .iter()
        .map(|request| serde_json::to_string(&request.body).unwrap())
        .collect();
    assert!(sent.len() >= 5, "repairs were tried: {}", sent.len());
    for request in &sent {
        assert!(
            !request.contains("secretive") && !request.contains("gloomy"),
            "{request}"
        );
        assert!(request.contains("mail text"), "the column itself is known");
    }
    assert!(sent.iter().any(|request| request.contains("22P02")));
}

#[test]
fn who_may_protect_and_who_may_publish() {
    let database = TestDatabase::new("who_protects");
    let mut admin = database.superuser();
    admin
        .batch_execute(
            "GRANT CREATE ON SCHEMA public TO t2s_analyst;
             GRANT EXECUTE ON FUNCTION text2sql.protect(text, text) TO t2s_analyst",
        )
        .unwrap();
    let mut client = database.analyst();
    client
        .batch_execute("CREATE TABLE mine (a integer, b text); CREATE VIEW theirs AS SELECT mail FROM customers")
        .unwrap();
    protect(&mut client, "mine.b", "private");
    protect(&mut client, "mine", "hidden");
    let sqlstate = |client: &mut Client, sql: &str| error_of(client, sql).0;
    assert_eq!(
        sqlstate(&mut client, "SELECT text2sql.protect('orders', 'hidden')"),
        "42501"
    );
    assert_eq!(
        sqlstate(
            &mut client,
            "SELECT text2sql.protect('schema public', 'hidden')"
        ),
        "42501"
    );
    protect(&mut admin, "customers.mail", "hidden");
    assert_eq!(
        sqlstate(&mut client, "SELECT text2sql.protect('theirs', 'open')"),
        "42501"
    );
    // A weaker word than the one from elsewhere is kept, and changes nothing.
    protect(&mut client, "theirs", "private");
    assert!(is_closed(&mut client, "SELECT 1 FROM theirs"));
    protect(&mut client, "theirs", "hidden");
    assert!(is_closed(&mut client, "SELECT 1 FROM theirs"));
    for sql in [
        "INSERT INTO text2sql._protections (schema_name, level, catalog_stamp, schema_oid, set_by) VALUES ('x', 'open', '', 0, '')",
        "DELETE FROM text2sql._protections",
        "SELECT * FROM text2sql._protections",
        "SELECT text2sql._follow_protections()",
    ] {
        assert_eq!(sqlstate(&mut client, sql), "42501", "{sql}");
    }
    let listed =
        "SELECT string_agg(object || ' ' || level, ', ' ORDER BY object) FROM text2sql.protected";
    let own: String = client.query_one(listed, &[]).unwrap().get(0);
    assert_eq!(
        own,
        "public.mine hidden, public.mine.b private, public.theirs hidden"
    );
    let all: String = admin.query_one(listed, &[]).unwrap().get(0);
    assert!(all.contains("public.customers.mail hidden"));
    // A protection that is rolled back has no effect.
    let mut transaction = admin.transaction().unwrap();
    transaction
        .execute("SELECT text2sql.protect('orders', 'hidden')", &[])
        .unwrap();
    let seen: i64 = transaction
        .query_one(
            "SELECT count(*) FROM text2sql.validate('SELECT 1 FROM orders') WHERE allowed",
            &[],
        )
        .unwrap()
        .get(0);
    assert_eq!(seen, 0);
    transaction.rollback().unwrap();
    assert_eq!(refusal(&mut admin, "SELECT 1 FROM orders"), None);
}

#[test]
fn generated_columns_and_views_of_the_statistics_show_nothing_protected() {
    let database = TestDatabase::new("protected_copies");
    let mut admin = database.superuser();
    admin
        .batch_execute(&format!(
            "CREATE TABLE people (id integer, secret text, mail text, initial text GENERATED ALWAYS AS (left(secret, 1)) STORED,
                 lower_mail text GENERATED ALWAYS AS (lower(mail)) STORED, double_id integer GENERATED ALWAYS AS (id * 2) STORED);
             INSERT INTO people (id, secret, mail) SELECT n, 'S' || n % 3, 'M' || n % 3 FROM generate_series(1, 300) AS n;
             CREATE VIEW frequent AS SELECT attname, most_common_vals::text AS values FROM pg_stats;
             GRANT SELECT ON people, frequent TO {ANALYST};
             ANALYZE people"
        ))
        .unwrap();
    let mut analyst = database.analyst();
    let allowed = |client: &mut Client, sql: &str| -> bool {
        client
            .query_one("SELECT allowed FROM text2sql.validate($1)", &[&sql])
            .unwrap()
            .get(0)
    };
    for sql in ["SELECT initial FROM people", "SELECT * FROM frequent"] {
        assert!(allowed(&mut analyst, sql), "{sql}");
    }
    admin
        .batch_execute(
            "SELECT text2sql.protect('people.secret', 'hidden'); SELECT text2sql.protect('people.mail', 'private')",
        )
        .unwrap();
    for sql in [
        "SELECT initial FROM people",
        "SELECT values FROM frequent",
        "SELECT count(*) FROM frequent WHERE values LIKE '%S1%'",
    ] {
        assert!(!allowed(&mut analyst, sql), "{sql}");
    }
    for sql in [
        "SELECT double_id, id FROM people",
        "SELECT lower_mail FROM people",
    ] {
        assert!(allowed(&mut analyst, sql), "{sql}");
    }
    let level: String = admin
        .query_one(
            "SELECT text2sql._protection('people'::regclass, attnum) FROM pg_attribute
              WHERE attrelid = 'people'::regclass AND attname = 'lower_mail'",
            &[],
        )
        .unwrap()
        .get(0);
    assert_eq!(level, "private");
}
