//! What SQLite allows, and its PostgreSQL form over a small school.

use super::{ColumnKind, KnownColumns, Leniency, form_over};

fn school() -> KnownColumns {
    let mut columns = KnownColumns::default();
    for (table, column, kind) in [
        ("Schools", "ID", ColumnKind::Integer),
        ("Schools", "Name", ColumnKind::Text),
        ("Schools", "Zip", ColumnKind::Text),
        ("Schools", "Free Meals (K-12)", ColumnKind::Number),
        ("Schools", "Opened", ColumnKind::Date),
        ("Schools", "Is_Public", ColumnKind::Boolean),
        ("Pupils", "ID", ColumnKind::Integer),
        ("Pupils", "School", ColumnKind::Integer),
        ("Pupils", "Age", ColumnKind::Integer),
    ] {
        columns.add(table, column, kind);
    }
    columns
}

fn written(sql: &str, leniency: Leniency) -> String {
    form_over(&school(), sql, leniency).unwrap().unwrap().sql
}

#[test]
fn what_the_columns_say_is_written_out() {
    for (sql, expected) in [
        // A name that no table has is a text, one that a table has is a column in lower case.
        (
            r#"SELECT "Name" FROM Schools WHERE Name = "North""#,
            "SELECT name FROM Schools WHERE Name = 'North'",
        ),
        (
            "SELECT `Free Meals (K-12)` FROM Schools AS T1 WHERE T1.`Zip` = 90210",
            "SELECT \"free meals (k-12)\" FROM Schools AS T1 WHERE T1.zip = '90210'",
        ),
        (
            "SELECT Name FROM Schools WHERE Name LIKE '%north%' AND Opened LIKE '2019%'",
            "SELECT Name FROM Schools WHERE Name ILIKE '%north%' AND (Opened)::TEXT ILIKE '2019%'",
        ),
        (
            "SELECT count(*) FROM Schools WHERE Opened > '2010' AND Opened < '2019-01-01'",
            "SELECT count(*) FROM Schools WHERE (Opened)::TEXT > '2010' AND Opened < '2019-01-01'",
        ),
        (
            "SELECT SUM(Age > 10), AVG(Zip) FROM Pupils, Schools",
            "SELECT SUM((Age > 10)::INT), AVG((Zip)::NUMERIC) FROM Pupils, Schools",
        ),
        (
            "SELECT CAST(SUM(Age) AS REAL) / COUNT(*), ROUND(AVG(Age), 2) FROM Pupils",
            "SELECT CAST(SUM(Age) AS DOUBLE PRECISION) / COUNT(*), ROUND((AVG(Age))::NUMERIC, 2) FROM Pupils",
        ),
        (
            "SELECT name FROM Schools WHERE is_public = 1",
            "SELECT name FROM Schools WHERE is_public = true",
        ),
        (
            "SELECT * FROM Pupils JOIN Schools",
            "SELECT * FROM Pupils CROSS JOIN Schools",
        ),
        (
            "SELECT max(n) FROM (SELECT count(*) AS n FROM Pupils GROUP BY School)",
            "SELECT max(n) FROM (SELECT count(*) AS n FROM Pupils GROUP BY School) AS part_1",
        ),
        // A table of the query around is seen, and T1 means another table inside.
        (
            "SELECT T1.Name FROM Schools AS T1 WHERE EXISTS (SELECT 1 FROM Pupils AS T1 WHERE T1.School = 3) AND T1.Zip = 1",
            "SELECT T1.Name FROM Schools AS T1 WHERE EXISTS (SELECT 1 FROM Pupils AS T1 WHERE T1.School = 3) AND T1.Zip = '1'",
        ),
        (
            "SELECT IIF(Age > 10, 'old', 'young'), IFNULL(Age, 0), substr(Opened, 1, 4) FROM Pupils, Schools",
            "SELECT CASE WHEN Age > 10 THEN 'old' ELSE 'young' END, COALESCE(Age, 0), SUBSTR((Opened)::TEXT, 1, 4) FROM Pupils, Schools",
        ),
    ] {
        assert_eq!(written(sql, Leniency::default()), expected, "{sql}");
    }
}

#[test]
fn leniency_is_written_out_where_it_is_asked_for() {
    let sql = "SELECT T1.Name, count(*) FROM Schools AS T1 JOIN Pupils AS T2 ON T1.ID = T2.School GROUP BY T2.School ORDER BY T1.Zip DESC LIMIT 1";
    assert_eq!(
        written(
            sql,
            Leniency {
                grouping: true,
                null_order: true,
                zero_division: false,
            }
        ),
        "SELECT T1.Name, count(*) FROM Schools AS T1 JOIN Pupils AS T2 ON T1.ID = T2.School GROUP BY T2.School, T1.Name, T1.Zip ORDER BY T1.Zip DESC NULLS LAST LIMIT 1"
    );
    assert_eq!(
        written(
            "SELECT sum(Age) / count(School), Age / 2 FROM Pupils",
            Leniency {
                zero_division: true,
                ..Leniency::default()
            }
        ),
        "SELECT sum(Age) / NULLIF(count(School), 0), Age / 2 FROM Pupils"
    );
}

#[test]
fn what_has_no_known_form_is_said() {
    let form = form_over(
        &school(),
        "SELECT julianday(Opened) FROM Schools",
        Leniency::default(),
    );
    let form = form.unwrap().unwrap();
    assert_eq!(
        form.unknown,
        ["`julianday(…)` has no PostgreSQL form that is known here."]
    );
    for sql in [
        "DELETE FROM Schools",
        "SELECT FROM WHERE",
        "SELECT 1; SELECT 2",
    ] {
        assert!(
            form_over(&school(), sql, Leniency::default())
                .unwrap()
                .is_err()
        );
    }
}
