//! Scripts and bodies of functions.

use super::shop;
use crate::explain::{names_in_script, script};
use text2sql_domain::error::ErrorKind;
use text2sql_phrases::{Language, in_language};

fn told(sql: &str) -> String {
    let steps = script(sql, &shop()).unwrap().unwrap();
    let lines = steps
        .iter()
        .map(|step| format!("{} | {}\n", step.clause, step.explanation));
    lines.collect()
}

const PIPELINE: &str = "
    BEGIN;
    CREATE TEMP TABLE big AS SELECT * FROM orders WHERE total > 100;
    INSERT INTO archive (id, total) SELECT id, total FROM big;
    UPDATE archive SET total = 0 WHERE id = 1;
    DELETE FROM orders USING big WHERE big.id = orders.id;
    MERGE INTO archive a USING big b ON a.id = b.id WHEN MATCHED THEN UPDATE SET total = b.total;
    CREATE VIEW shown AS SELECT total FROM archive;
    DROP TABLE big;
    SELECT * FROM big;
    COMMIT";

const BODY: &str = "
    CREATE OR REPLACE FUNCTION close_orders(days int) RETURNS int LANGUAGE plpgsql AS $body$
    DECLARE n int; r record;
    BEGIN
        SELECT count(*) INTO n FROM orders WHERE total > 5;
        IF n = 0 THEN
            RETURN 0;
        ELSIF n > 10 THEN RAISE NOTICE 'many; %', n;
        ELSE
            PERFORM total FROM orders;
        END IF;
        FOR r IN SELECT id FROM orders LOOP
            DELETE FROM orders WHERE id = r.id RETURNING id INTO n;
            EXECUTE format('DROP TABLE t%s', n);
        END LOOP;
        n := n + 1;
        RETURN n;
    EXCEPTION WHEN unique_violation THEN
        RETURN -1;
    END $body$";

#[test]
fn a_script_is_told_in_order_with_what_flows() {
    expect_test::expect_file!["golden/script.txt"].assert_eq(&told(PIPELINE));
    expect_test::expect_file!["golden/body.txt"].assert_eq(&told(BODY));
    let german = in_language(Language::named("de").unwrap_or_default(), || {
        format!("{}{}", told(PIPELINE), told(BODY))
    });
    expect_test::expect_file!["golden/german/script.txt"].assert_eq(&german);
}

#[test]
fn bodies_of_each_form_are_read() {
    let atomic = told(
        "CREATE FUNCTION f() RETURNS bigint BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; SELECT count(*) FROM orders; END",
    );
    assert!(
        atomic.contains("1.1: SELECT") && atomic.contains("1.2: SELECT"),
        "{atomic}"
    );
    let returned = told("CREATE FUNCTION f() RETURNS bigint RETURN (SELECT count(*) FROM orders)");
    assert!(returned.contains("1.1: SELECT"), "{returned}");
    let quoted =
        told("CREATE PROCEDURE p() LANGUAGE sql AS 'DELETE FROM orders WHERE name = ''x'''");
    assert!(quoted.contains("1.1: DELETE"), "{quoted}");
    let other = told("DO LANGUAGE plpython3u $$ x = 1; y = 2 $$");
    assert!(other.contains("plpython3u"), "{other}");
    let block = told("DO $$ BEGIN NULL; END $$");
    assert!(block.contains("1.1: NULL"), "{block}");
}

#[test]
fn one_statement_without_a_body_is_no_script() {
    for sql in [
        "",
        ";",
        "SELECT 1;",
        "-- x; y\nSELECT ';'",
        "CREATE TABLE t (a int)",
    ] {
        assert_eq!(script(sql, &[]).unwrap(), None, "{sql}");
    }
}

#[test]
fn names_are_found_in_bodies_too() {
    assert_eq!(
        names_in_script("SELECT * FROM Shop.Orders; DO $$ BEGIN UPDATE items SET a = 1; END $$")
            .unwrap(),
        ["items", "orders"]
    );
}

#[test]
fn hostile_scripts_end_in_an_error() {
    let kind = |sql: &str| script(sql, &[]).map(|_| ()).unwrap_err().kind();
    assert_eq!(kind(&"SELECT 1;".repeat(100_000)), ErrorKind::Limit);
    let mut nested = "SELECT 1".to_owned();
    for level in 0..200 {
        nested = format!(
            "DO $a{level}$ BEGIN CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $b{level}$ BEGIN {nested}; END $b{level}$; END $a{level}$"
        );
    }
    assert_eq!(kind(&nested), ErrorKind::Limit);
    assert_eq!(
        names_in_script(&nested).unwrap_err().kind(),
        ErrorKind::Limit
    );
    let deep = format!(
        "SELECT 1; SELECT {}1{}",
        "(".repeat(5_000),
        ")".repeat(5_000)
    );
    assert_eq!(kind(&deep), ErrorKind::Complexity);
    let ifs = format!("DO $$ BEGIN {} NULL; END $$", "IF a THEN ".repeat(5_000));
    assert!(script(&ifs, &[]).is_ok());
}
