//! An evaluation grants no access: neither its copies nor its clock show what the evaluating role cannot read,
//! and no evaluation or copy becomes that of another role.

use postgres::Client;
use text2sql_server_tests::siege::Besieged;
use text2sql_server_tests::{TestDatabase, error_of};

/// An attempt at a case with a clock or with copies.
fn attempt(client: &mut Client, gold: &str, more: &str) -> serde_json::Value {
    let task = format!(
        "{{\"question\": \"How many orders are there?\", \"gold\": [{}], \"expected_status\": \"ok\"{more}}}",
        serde_json::Value::from(gold)
    );
    let sql = "SELECT text2sql_eval._attempt($1::text::jsonb)::text";
    let text: String = client.query_one(sql, &[&task]).unwrap().get(0);
    serde_json::from_str(&text).unwrap()
}

#[test]
fn copies_cannot_be_redirected() {
    let besieged = Besieged::new("maintenance_redirect");
    let mut admin = besieged.superuser();
    let mut evaluator = besieged.evaluator();
    // The caller of an attempt cannot choose which table is replaced.
    let task = "SELECT text2sql_eval._attempt('{\"question\": \"q\", \"gold\": [\"SELECT 1\"], \"expected_status\": \"ok\", \"copies\": [[[1, 4294967295]]]}')";
    let (code, message, _) = error_of(&mut evaluator, task);
    assert_eq!(code, "22023", "{message}");
    for write in [
        "INSERT INTO text2sql_eval._perturbed_tables (made_by, version, original, copy) VALUES (current_user, 1, 'orders', 'customers')",
        "UPDATE text2sql_eval._perturbed_tables SET copy = 'customers'",
        "DELETE FROM text2sql_eval._perturbed_tables",
    ] {
        assert_eq!(error_of(&mut evaluator, write).0, "42501", "{write}");
    }
    let fill = |copy: &str| {
        format!("SELECT text2sql_eval._fill_copy(1, 'orders'::regclass, {copy}, 0.5, 10)")
    };
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
        "SELECT text2sql_eval._fill_copy(1, 'salaries'::regclass, 'orders'::regclass, 0.5, 10)";
    assert_eq!(error_of(&mut evaluator, salaries).0, "42501");
    assert_eq!(error_of(&mut admin, &fill("'orders'::regclass")).0, "42501");

    // Another role's copies cannot be seen, read or dropped.
    let other = &besieged.mallory;
    admin
        .batch_execute(&format!(
            "SELECT text2sql.grant_access('{other}', 'evaluation')"
        ))
        .unwrap();
    let mut mallory = besieged.as_role(other);
    mallory
        .batch_execute("SELECT * FROM text2sql_eval.perturb(schemas => '{public}')")
        .unwrap();
    let gold = "SELECT count(*) FROM orders";
    let robust =
        |client: &mut Client| attempt(client, gold, ", \"copies\": true")["robust"].clone();
    assert_eq!(robust(&mut mallory), serde_json::Value::Bool(true));
    assert_eq!(robust(&mut evaluator), serde_json::Value::Null);
    assert_eq!(
        evaluator
            .query_one("SELECT count(*) FROM text2sql_eval._perturbed_tables", &[])
            .unwrap()
            .get::<_, i64>(0),
        0
    );
    assert_eq!(
        evaluator
            .query_one("SELECT reason FROM text2sql.forget('copies')", &[])
            .unwrap()
            .get::<_, &str>(0),
        "copies: 0"
    );
    evaluator
        .batch_execute("SELECT * FROM text2sql_eval.perturb(versions => 1, schemas => '{public}')")
        .unwrap();
    assert_eq!(robust(&mut evaluator), serde_json::Value::Bool(true));
    assert_eq!(robust(&mut mallory), serde_json::Value::Bool(true));
    // Questions do not read copies by their names.
    let copy: String = evaluator
        .query_one(
            "SELECT copy::text FROM text2sql_eval._perturbed_tables WHERE original = 'orders'::regclass",
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
    // A schema owned by another role is not used.
    admin
        .batch_execute(&format!("ALTER SCHEMA text2sql_perturbed OWNER TO {other}"))
        .unwrap();
    let (code, message, _) = error_of(&mut evaluator, "SELECT * FROM text2sql_eval.perturb()");
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
             CREATE VIEW shop.embargo AS SELECT id FROM shop.rls WHERE publish_at <= now();
             CREATE VIEW shop.recent AS SELECT order_id FROM orders WHERE ordered_on <= CURRENT_DATE;
             CREATE VIEW shop.always AS SELECT id, to_char(publish_at, 'YYYY') AS year FROM shop.plain;
             CREATE FUNCTION shop.counted() RETURNS bigint LANGUAGE sql SECURITY DEFINER STABLE AS 'SELECT count(*) FROM shop.plain WHERE publish_at <= now()';
             CREATE FUNCTION shop.counted_inside() RETURNS bigint LANGUAGE plpgsql STABLE AS 'BEGIN RETURN (SELECT count(*) FROM shop.rls); END';
             CREATE FUNCTION shop.counted_view() RETURNS bigint LANGUAGE plpgsql STABLE AS 'BEGIN RETURN (SELECT count(*) FROM shop.published); END';
             CREATE FUNCTION shop.listed() RETURNS SETOF bigint LANGUAGE sql STABLE AS 'SELECT count(*) FROM shop.published';
             GRANT SELECT ON ALL TABLES IN SCHEMA shop TO {evaluator_name};
             REVOKE ALL ON shop.plain FROM {evaluator_name};
             ALTER ROLE {evaluator_name} IN DATABASE t2s_{} SET text2sql.allowed_functions = 'shop.counted(), shop.counted_inside(), shop.counted_view(), shop.listed()'",
            besieged.test
        ))
        .unwrap();
    let mut evaluator = besieged.evaluator();
    evaluator.query("SELECT text2sql._version()", &[]).unwrap();
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
            "view shop.published runs with the privileges of its owner and depends on the time",
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
        // The reader may read the table behind it, but not these rows.
        ("SELECT count(*) FROM shop.embargo", "view shop.embargo"),
        (
            "SELECT shop.counted()",
            "function shop.counted() runs with the privileges of its owner",
        ),
        (
            "SELECT shop.counted_inside()",
            "row-level security decides about the rows of shop.rls",
        ),
        (
            "SELECT * FROM shop.listed()",
            "shop.listed() may be inlined as a query",
        ),
        (
            "SELECT shop.counted_view()",
            "with the privileges of another role",
        ),
    ];
    for (gold, why) in refused {
        let grade = format!(
            "SELECT * FROM text2sql_eval.grade($t${gold}$t$, 'SELECT 300', '{{\"clock\": \"2100-01-01\"}}')"
        );
        let (code, message, hint) = error_of(&mut evaluator, &grade);
        assert_eq!(code, "42501", "{gold}: {message}");
        assert!(message.contains(why), "{gold}: {message}");
        assert!(hint.contains("clock"), "{hint}");
        // In an evaluation the case is reported, and the evaluation continues.
        let attempted = attempt(&mut evaluator, gold, ", \"clock\": 3155760000000000");
        assert_eq!(attempted["state"], "broken", "{gold}: {attempted}");
        assert!(
            attempted["problem"].as_str().unwrap().contains(why),
            "{attempted}"
        );
        // Without a clock, it is an ordinary query.
        let plain = format!("SELECT * FROM text2sql_eval.grade($t${gold}$t$, 'SELECT 300')");
        evaluator.simple_query(&plain).unwrap();
    }
    // The clock is pinned only where no other role's privileges are involved.
    for gold in [
        "SELECT count(*) FROM orders WHERE now() > '2099-12-31' AND CURRENT_DATE = '2100-01-01'",
        "SELECT count(*) FROM shop.recent WHERE now() > '2099-12-31'",
        "SELECT count(*) FROM shop.always, orders WHERE id = 1 AND clock_timestamp() = now()",
    ] {
        let grade = "SELECT ex FROM text2sql_eval.grade($1, 'SELECT 400', '{\"clock\": \"2100-01-01\", \"column_names\": false}')";
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
            "SELECT text2sql_eval._attempt('{{\"question\": \"q\", \"gold\": [\"SELECT CURRENT_DATE + 1\"], \"expected_status\": \"ok\", \"clock\": {clock}}}')"
        );
        assert_eq!(error_of(&mut evaluator, &task).0, "22023", "{clock}");
    }
    let real = "SELECT now() < '2099-01-01' AND statement_timestamp() < '2099-01-01' AND CURRENT_DATE < '2099-01-01'";
    assert!(evaluator.query_one(real, &[]).unwrap().get::<_, bool>(0));
    // An error in a called function and a cancel restore the real time, in the same transaction too.
    evaluator.batch_execute("BEGIN").unwrap();
    let before: std::time::SystemTime = evaluator.query_one("SELECT now()", &[]).unwrap().get(0);
    evaluator.batch_execute("SAVEPOINT s").unwrap();
    let failing = "SELECT * FROM text2sql_eval.grade('SELECT 1 / (now() < ''2099-01-01'')::int', 'SELECT 1', '{\"clock\": \"2100-01-01\"}')";
    error_of(&mut evaluator, failing);
    evaluator
        .batch_execute("ROLLBACK TO s; SET LOCAL statement_timeout = '100ms'")
        .unwrap();
    let endless = "SELECT * FROM text2sql_eval.grade('WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 100000000 AND now() > ''2099-01-01'') SELECT count(*) FROM r', 'SELECT 1', '{\"clock\": \"2100-01-01\"}')";
    assert_eq!(error_of(&mut evaluator, endless).0, "57014");
    evaluator.batch_execute("ROLLBACK TO s").unwrap();
    let after: std::time::SystemTime = evaluator.query_one("SELECT now()", &[]).unwrap().get(0);
    assert_eq!(before, after);
    assert!(evaluator.query_one(real, &[]).unwrap().get::<_, bool>(0));
    evaluator.batch_execute("ROLLBACK").unwrap();
    // What is written about an evaluation has the real time.
    evaluator
        .batch_execute(
            "SELECT text2sql_eval.add_suite('future', '2100-01-01');
             SELECT text2sql_eval.add_case('future', 'How many orders are there?', 'SELECT count(*) FROM orders')",
        )
        .unwrap();
    evaluator
        .batch_execute("CALL text2sql_eval.evaluate('future')")
        .unwrap();
    let times = "SELECT (SELECT bool_and(finished_at < '2099-01-01') FROM text2sql_eval.results) AND (SELECT bool_and(asked_at < '2099-01-01') FROM text2sql.history)";
    assert!(evaluator.query_one(times, &[]).unwrap().get::<_, bool>(0));
}

#[test]
fn a_superuser_does_not_resume_the_evaluation_of_another_role() {
    let besieged = Besieged::new("maintenance_resume");
    let mut evaluator = besieged.evaluator();
    evaluator
        .batch_execute("SELECT text2sql_eval.add_case('mine', 'How many orders are there?', 'SELECT count(*) FROM orders')")
        .unwrap();
    let id: i64 = evaluator
        .query_one(
            "SELECT text2sql_eval._begin_evaluation('mine', 1, '{}', NULL, NULL, NULL)",
            &[],
        )
        .unwrap()
        .get(0);
    // What only a superuser may set.
    evaluator
        .execute(
            "UPDATE text2sql_eval._evaluations SET settings = '{\"allow_system_catalogs\": true}' WHERE evaluation_id = $1",
            &[&id],
        )
        .unwrap();
    let mut admin = besieged.superuser();
    let (code, message, hint) = error_of(
        &mut admin,
        &format!("CALL text2sql_eval.evaluate(evaluation_id => {id})"),
    );
    assert_eq!(code, "42501", "{message}");
    assert!(hint.contains("SET ROLE"), "{hint}");
}

#[test]
fn a_case_is_shown_to_those_who_could_run_its_gold_statements() {
    let besieged = Besieged::new("maintenance_gold");
    let mut admin = besieged.superuser();
    for sql in [
        "SELECT text2sql_eval.add_case('pay', 'Who earns 4711?', 'SELECT count(*) FROM salaries WHERE salary = 4711')",
        "SELECT text2sql_eval.add_case('pay', 'How many orders are there?', 'SELECT count(*) FROM orders')",
        "SELECT text2sql_eval.add_case('pay', 'What is the weather?', expected_status => 'unanswerable')",
    ] {
        admin.batch_execute(sql).unwrap();
    }
    // A superuser's suite, read by an evaluator who may not read salaries, whatever the search path.
    let mut evaluator = besieged.evaluator();
    for path in ["DEFAULT", "pg_catalog", "public"] {
        evaluator
            .batch_execute(&format!("SET search_path TO {path}"))
            .unwrap();
        let rows = evaluator
            .query(
                "SELECT question FROM text2sql_eval.cases ORDER BY case_id",
                &[],
            )
            .unwrap();
        let seen: Vec<&str> = rows.iter().map(|row| row.get(0)).collect();
        assert_eq!(
            seen,
            ["How many orders are there?", "What is the weather?"],
            "{path}"
        );
    }
    // Its own case stays, also when it may not read the table any more.
    evaluator
        .batch_execute("RESET search_path; SELECT text2sql_eval.add_case('mine', 'How many customers are there?', 'SELECT count(*) FROM customers')")
        .unwrap();
    admin
        .batch_execute(&format!(
            "REVOKE SELECT ON customers FROM {}",
            besieged.evaluator
        ))
        .unwrap();
    let own = "SELECT count(*) FROM text2sql_eval.cases WHERE suite = 'mine'";
    assert_eq!(evaluator.query_one(own, &[]).unwrap().get::<_, i64>(0), 1);
}

/// A case over tables that another evaluator may not read stays hidden, whatever that evaluator calls tables of its own.
#[test]
fn a_table_of_the_same_name_shows_no_case() {
    let database = TestDatabase::new("cases_of_others");
    let mut admin = database.superuser();
    let (one, two) = (
        database.create_role("one", "LOGIN"),
        database.create_role("two", "LOGIN"),
    );
    admin
        .batch_execute(&format!(
            "CREATE SCHEMA hr; CREATE TABLE hr.pay (who text, amount int);
             GRANT USAGE ON SCHEMA hr TO {one}; GRANT SELECT ON hr.pay TO {one}; GRANT SELECT ON orders TO {one}, {two};
             GRANT TEMP, CREATE ON DATABASE {} TO {two};
             SELECT text2sql.grant_access('{one}', 'evaluation'), text2sql.grant_access('{two}', 'evaluation')",
            database.name()
        ))
        .unwrap();
    let gold = "SELECT amount FROM pay WHERE who = 'Zoltan'";
    let mut adding = database.connect_as(&one);
    adding
        .batch_execute(&format!(
            "SET search_path = hr, public;
             SELECT text2sql_eval.add_case('money', 'What does Zoltan get?', $g${gold}$g$);
             SELECT text2sql_eval.add_case('money', 'How many orders are there?', 'SELECT count(*) FROM orders');
             SELECT text2sql_eval.add_case('money', 'Who is nice?', expected_status => 'unanswerable')"
        ))
        .unwrap();
    let shown = |client: &mut Client| -> Vec<String> {
        let sql = "SELECT question FROM text2sql_eval.cases ORDER BY 1";
        let rows = client.query(sql, &[]).unwrap();
        rows.iter().map(|row| row.get(0)).collect()
    };
    assert_eq!(shown(&mut adding).len(), 3);
    let readable = ["How many orders are there?", "Who is nice?"];
    let mut other = database.connect_as(&two);
    assert_eq!(shown(&mut other), readable);
    for attempt in [
        "SELECT * FROM text2sql.load_file('pay', E'who,amount\\nx,1\\n', '{\"temporary\": true}')"
            .to_owned(),
        format!(
            "CREATE SCHEMA {two}; CREATE TABLE {two}.pay (who text, amount int); SET search_path = {two}, hr"
        ),
        "CREATE TEMP VIEW pay2 AS SELECT 1; SET search_path = pg_temp, public".to_owned(),
    ] {
        other.batch_execute(&attempt).unwrap();
        assert_eq!(shown(&mut other), readable, "{attempt}");
    }
    // Who may read the table sees it, under any path.
    admin
        .batch_execute(&format!(
            "GRANT USAGE ON SCHEMA hr TO {two}; GRANT SELECT ON hr.pay TO {two}"
        ))
        .unwrap();
    let mut other = database.connect_as(&two);
    assert_eq!(shown(&mut other).len(), 3);
}
