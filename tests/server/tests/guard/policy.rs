//! What an administrator restricts or allows: schemas, catalogs, foreign tables, functions; and what
//! questions may read about permissions.

use postgres::Client;
use text2sql_server_tests::{TestDatabase, error_of};

/// The rule that refuses a statement; `None` when the guard would run it.
fn rule(client: &mut Client, sql: &str) -> Option<String> {
    let verdict = "SELECT rule FROM text2sql.validate($1)";
    client.query_one(verdict, &[&sql]).unwrap().get(0)
}

fn rows(client: &mut Client, sql: &str) -> String {
    let run = "SELECT result_rows::text FROM text2sql.run_json($1)";
    client.query_one(run, &[&sql]).unwrap().get(0)
}

/// A new session of the analyst in which a superuser set something for the role.
fn with_setting(database: &TestDatabase, setting: &str) -> Client {
    let mut client = database.analyst();
    let name: String = client
        .query_one("SELECT current_database()::text", &[])
        .unwrap()
        .get(0);
    database
        .superuser()
        .batch_execute(&format!(
            "ALTER ROLE t2s_analyst IN DATABASE {name} SET {setting}"
        ))
        .unwrap();
    database.end_pooled_sessions();
    let mut client = database.analyst();
    client.query("SELECT text2sql._version()", &[]).unwrap();
    client
}

#[test]
fn allowed_functions_may_be_called_by_signature() {
    let database = TestDatabase::new("registered");
    let mut admin = database.superuser();
    admin
        .batch_execute(
            "CREATE SCHEMA shop; GRANT USAGE ON SCHEMA shop TO t2s_analyst;
             CREATE FUNCTION shop.net(numeric) RETURNS numeric LANGUAGE sql IMMUTABLE AS 'SELECT $1 / 1.19';
             CREATE FUNCTION shop.net(integer) RETURNS numeric LANGUAGE sql IMMUTABLE AS 'SELECT $1 / 1.19';
             CREATE FUNCTION shop.between(integer, text) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT $1'",
        )
        .unwrap();
    let call = "SELECT round(shop.net(total), 2) FROM orders WHERE order_id = 119";
    assert_eq!(
        rule(&mut database.analyst(), call).as_deref(),
        Some("function")
    );
    let setting = "text2sql.allowed_functions = 'shop.net(numeric), shop.between(int, text), shop.gone(text), nonsense, other.f(no type)'";
    let mut client = with_setting(&database, setting);
    assert_eq!(rows(&mut client, call), r#"[{"round": 100.00}]"#);
    assert_eq!(rule(&mut client, "SELECT shop.between(1, 'a')"), None);
    assert_eq!(
        rule(&mut client, "SELECT shop.net(1)").as_deref(),
        Some("function")
    );
    let status = "SELECT string_agg(item || ': ' || value, '; ') FROM text2sql.status() WHERE item LIKE 'function %'";
    let status: String = client.query_one(status, &[]).unwrap().get(0);
    assert_eq!(
        status,
        "function shop.net(numeric): allowed; function shop.between(int, text): allowed; \
         function shop.gone(text): unknown; function nonsense: unknown; function other.f(no type): unknown"
    );
    // A function created again under its name is allowed; a renamed one is not.
    admin
        .batch_execute("DROP FUNCTION shop.net(numeric); CREATE FUNCTION shop.net(numeric) RETURNS numeric LANGUAGE sql AS 'SELECT 7.0'")
        .unwrap();
    assert_eq!(rule(&mut client, "SELECT shop.net(1.0)"), None);
    admin
        .batch_execute("ALTER FUNCTION shop.net(numeric) RENAME TO gross")
        .unwrap();
    assert_eq!(
        rule(&mut client, "SELECT shop.gross(1.0)").as_deref(),
        Some("function")
    );
    let (sqlstate, ..) = error_of(
        &mut client,
        "SET text2sql.allowed_functions = 'shop.gross(numeric)'",
    );
    assert_eq!(sqlstate, "42501");
}

#[test]
fn a_file_of_an_administrator_can_be_asked_about() {
    let database = TestDatabase::new("file_fdw");
    let mut admin = database.superuser();
    let data = std::env::temp_dir().join("text2sql_exchange_rates.csv");
    std::fs::write(&data, "currency,rate\nUSD,1.10\nGBP,0.90\n").unwrap();
    admin
        .batch_execute(&format!(
            "CREATE EXTENSION file_fdw; CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;
             CREATE FOREIGN TABLE exchange_rates (currency text, rate numeric)
                 SERVER files OPTIONS (filename '{}', format 'csv', header 'true');
             COMMENT ON FOREIGN TABLE exchange_rates IS 'how much of a currency one euro is';
             GRANT SELECT ON exchange_rates TO t2s_analyst",
            data.display()
        ))
        .unwrap();
    admin.batch_execute("CALL text2sql.refresh()").unwrap();
    let ask = |client: &mut Client| -> (String, String) {
        let sql = "SELECT status, coalesce(result_rows::text, '') FROM text2sql.ask('What is the average rate of the exchange rates?', options => '{\"model\": \"builtin\"}')";
        let row = client.query_one(sql, &[]).unwrap();
        (row.get(0), row.get(1))
    };
    let (status, rows) = ask(&mut database.analyst());
    assert!(status != "ok" && rows.is_empty(), "{status}: {rows}");
    let mut client = with_setting(&database, "text2sql.allow_foreign_tables = on");
    let (status, rows) = ask(&mut client);
    assert_eq!(status, "ok");
    assert!(rows.contains("1.0"), "{rows}");
    // The rows stay in the file: what changes there is what the next question sees.
    std::fs::write(&data, "currency,rate\nUSD,2\nGBP,4\n").unwrap();
    assert!(ask(&mut client).1.contains("3.0"));
    // A prompt does not say where the file is.
    let preview =
        "SELECT text2sql.preview_prompt('What is the average rate of the exchange rates?')";
    let preview: String = client.query_one(preview, &[]).unwrap().get(0);
    assert!(preview.contains("how much of a currency one euro is"));
    assert!(!preview.contains("text2sql_exchange_rates"));
    admin
        .batch_execute("REVOKE SELECT ON exchange_rates FROM t2s_analyst")
        .unwrap();
    assert_ne!(ask(&mut client).0, "ok");
    std::fs::remove_file(&data).unwrap();
}

#[test]
fn foreign_tables_and_catalogs_are_opened_by_their_settings() {
    let database = TestDatabase::new("opened");
    let mut admin = database.superuser();
    let data = std::env::temp_dir().join("text2sql_policy_test.csv");
    std::fs::write(&data, "1,one\n2,two\n").unwrap();
    admin
        .batch_execute(&format!(
            "CREATE EXTENSION file_fdw; CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;
             CREATE FOREIGN TABLE numbers (n integer, word text) SERVER files OPTIONS (filename '{}', format 'csv');
             CREATE VIEW words AS SELECT word FROM numbers;
             GRANT SELECT ON numbers, words TO t2s_analyst",
            data.display()
        ))
        .unwrap();
    let mut client = database.analyst();
    let prompt = |client: &mut Client| -> String {
        let preview = "SELECT text2sql.preview_prompt('Which numbers are there?')";
        client.query_one(preview, &[]).unwrap().get(0)
    };
    assert_eq!(
        rule(&mut client, "SELECT * FROM numbers").as_deref(),
        Some("relation")
    );
    assert_eq!(
        rule(&mut client, "SELECT * FROM words").as_deref(),
        Some("view")
    );
    assert!(!prompt(&mut client).contains("\nnumbers"));
    assert_eq!(
        rule(&mut client, "SELECT relname FROM pg_class").as_deref(),
        Some("relation")
    );
    let mut client = with_setting(&database, "text2sql.allow_foreign_tables = on");
    assert_eq!(
        rows(&mut client, "SELECT word FROM numbers ORDER BY n"),
        "[{\"word\": \"one\"},\n {\"word\": \"two\"}]"
    );
    assert_eq!(rule(&mut client, "SELECT * FROM words"), None);
    assert!(prompt(&mut client).contains("\nnumbers"));
    let mut client = with_setting(&database, "text2sql.allow_system_catalogs = on");
    assert_eq!(rule(&mut client, "SELECT relname FROM pg_class"), None);
    assert_eq!(
        rule(
            &mut client,
            "SELECT table_name FROM information_schema.tables"
        ),
        None
    );
    assert_eq!(
        rule(&mut client, "SELECT most_common_vals FROM pg_stats"),
        None
    );
    admin
        .batch_execute("SELECT text2sql.protect('customers.mail', 'private')")
        .unwrap();
    assert_eq!(
        rule(&mut client, "SELECT most_common_vals FROM pg_stats").as_deref(),
        Some("relation")
    );
    assert_eq!(
        rule(&mut client, "SELECT rolpassword FROM pg_authid").as_deref(),
        Some("permission")
    );
    let _ = std::fs::remove_file(data);
}

#[test]
fn json_of_a_type_with_a_cast_of_its_owner_is_refused() {
    let database = TestDatabase::new("json_casts");
    let mut admin = database.superuser();
    admin
        .batch_execute(
            "CREATE TYPE price AS (amount numeric, currency text);
             CREATE TYPE plain AS (a integer);
             CREATE FUNCTION price_json(price) RETURNS json LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'ran'; END $$;
             CREATE CAST (price AS json) WITH FUNCTION price_json(price);
             CREATE DOMAIN cheap AS price;
             CREATE TABLE goods (id integer, cost price, costs price[], low cheap, data jsonb, p plain);
             CREATE VIEW shown AS SELECT id, to_json(cost) AS j FROM goods;
             GRANT SELECT ON goods, shown TO t2s_analyst",
        )
        .unwrap();
    let mut client = database.analyst();
    for sql in [
        "SELECT to_json(cost) FROM goods",
        "SELECT to_jsonb(costs) FROM goods",
        "SELECT json_build_object('a', cost) FROM goods",
        "SELECT json_agg(g) FROM goods g",
        "SELECT row_to_json(x) FROM (SELECT id, cost FROM goods) x",
        "SELECT jsonb_agg(low) FROM goods",
        "SELECT jsonb_object_agg(id, cost) OVER () FROM goods",
        "SELECT json_build_array(ROW(1, cost)) FROM goods",
        "SELECT array_to_json(ARRAY[cost]) FROM goods",
    ] {
        assert_eq!(rule(&mut client, sql).as_deref(), Some("function"), "{sql}");
    }
    for sql in [
        "SELECT cost FROM goods",
        "SELECT (cost).amount FROM goods",
        "SELECT to_json(id), to_jsonb(p), data -> 'a' FROM goods",
        "SELECT json_agg(x) FROM (SELECT id, data FROM goods) x",
        "SELECT j FROM shown",
    ] {
        assert_eq!(rule(&mut client, sql), None, "{sql}");
    }
}

#[test]
fn permissions_answer_who_may_read_and_change_what() {
    let database = TestDatabase::new("permissions");
    database.create_role("clerks", "");
    database.create_role("clerk", "LOGIN IN ROLE t2s_permissions_clerks");
    database.create_role("loner", "");
    let mut admin = database.superuser();
    admin
        .batch_execute(
            "GRANT SELECT, UPDATE ON salaries TO t2s_permissions_clerks; GRANT INSERT (order_id) ON orders TO t2s_permissions_loner;
             ALTER TABLE salaries ENABLE ROW LEVEL SECURITY;
             CREATE SCHEMA closed; CREATE TABLE closed.secret (a integer); CREATE TABLE hidden_one (a integer);
             GRANT SELECT ON hidden_one TO t2s_permissions_clerks; SELECT text2sql.protect('hidden_one', 'hidden');
             SELECT text2sql.protect('customers.iban', 'hidden')",
        )
        .unwrap();
    let mut client = database.analyst();
    // The caller may not read the salaries, and may know who may.
    let who = "SELECT string_agg(role_name, ', ' ORDER BY role_name) AS who FROM text2sql.permissions WHERE table_name = 'salaries' AND may_read AND role_name LIKE 't2s\\_%'";
    assert_eq!(
        rows(&mut client, who),
        r#"[{"who": "t2s_permissions_clerk, t2s_permissions_clerks"}]"#
    );
    let kinds = "SELECT may_read, may_update, may_delete, row_security_active FROM text2sql.permissions WHERE table_name = 'salaries' AND role_name = 't2s_permissions_clerk'";
    assert_eq!(
        rows(&mut client, kinds),
        r#"[{"may_read": true, "may_update": true, "may_delete": false, "row_security_active": true}]"#
    );
    let columns = "SELECT unnest(readable_columns) AS column_name FROM text2sql.permissions WHERE role_name = 't2s_analyst' AND table_name = 'customers' ORDER BY 1";
    assert!(!rows(&mut client, columns).contains("iban"));
    let inserts = "SELECT unnest(insertable_columns) AS column_name FROM text2sql.permissions WHERE role_name = 't2s_permissions_loner'";
    assert_eq!(
        rows(&mut client, inserts),
        r#"[{"column_name": "order_id"}]"#
    );
    let groups = "SELECT member_of FROM text2sql.roles WHERE role_name = 't2s_permissions_clerk'";
    assert_eq!(
        rows(&mut client, groups),
        r#"[{"member_of": ["t2s_permissions_clerks"]}]"#
    );
    let closed = "SELECT count(*) AS n FROM text2sql.permissions WHERE table_name IN ('secret', 'hidden_one')";
    assert_eq!(rows(&mut client, closed), r#"[{"n": 0}]"#);
    assert_eq!(
        rows(&mut admin, closed),
        r#"[{"n": 1}]"#,
        "the closed schema, to a superuser"
    );
    // Nothing else of the schema, and nothing that looks like it.
    admin.batch_execute("CREATE VIEW text2sql.permission AS SELECT 1; GRANT SELECT ON text2sql.permission TO t2s_analyst").unwrap();
    for sql in [
        "SELECT * FROM text2sql.permission",
        "SELECT * FROM text2sql.protected",
        "SELECT * FROM text2sql._protections",
        "SELECT text2sql._is_shown(1259)",
    ] {
        assert!(rule(&mut client, sql).is_some(), "{sql}");
    }
    let explained = "SELECT string_agg(explanation, ' ') FROM text2sql.explain('SELECT role_name FROM text2sql.permissions')";
    let explained: String = client.query_one(explained, &[]).unwrap().get(0);
    assert!(
        explained.contains("Which roles can read and change which tables"),
        "{explained}"
    );
}

#[test]
fn the_owner_of_a_trusted_extension_adds_no_function_to_the_reviewed_ones() {
    let database = TestDatabase::new("extension_owner");
    let mut admin = database.superuser();
    let owner = "t2s_extension_owner_role";
    admin
        .batch_execute(&format!(
            "DROP ROLE IF EXISTS {owner}; CREATE ROLE {owner};
             GRANT CREATE ON DATABASE t2s_extension_owner TO {owner};
             SET ROLE {owner};
             CREATE SCHEMA own; GRANT USAGE ON SCHEMA own TO PUBLIC;
             CREATE EXTENSION hstore SCHEMA own;
             CREATE FUNCTION own.said() RETURNS text LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN current_user; END';
             ALTER EXTENSION hstore ADD FUNCTION own.said();
             RESET ROLE"
        ))
        .unwrap();
    let mut client = database.analyst();
    assert_eq!(
        rule(&mut client, "SELECT own.said()").as_deref(),
        Some("function")
    );
    // The extension's own objects remain usable.
    assert_eq!(
        rule(&mut client, "SELECT own.akeys('a => 1'::own.hstore)"),
        None
    );
    drop(client);
    drop(admin);
    drop(database);
    text2sql_server_tests::connect("postgres", None)
        .batch_execute(&format!("DROP ROLE {owner}"))
        .unwrap();
}
