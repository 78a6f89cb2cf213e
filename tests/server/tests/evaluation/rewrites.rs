//! Every rewrite returns the same rows on random data, and is not offered where its precondition does
//! not hold; where it is forced there, some data shows the difference.

use std::sync::Arc;

use postgres::Client;
use text2sql_analysis::optimize::{Storage, difference_query, rewrites};
use text2sql_domain::schema::{Column, ColumnStatistics, ForeignKey, Table, TypeCategory};
use text2sql_server_tests::TestDatabase;

/// Random fillings of the tables for each query.
const FILLINGS: usize = 25;

/// The tables with their constraints, or without.
fn tables(is_constrained: bool) -> Vec<Arc<Table>> {
    let column = |(number, text): (usize, &&str)| {
        let mut words = text.split(' ');
        let (name, type_name) = (words.next().unwrap(), words.next().unwrap());
        Column {
            number: i16::try_from(number + 1).unwrap(),
            name: name.to_owned(),
            type_name: type_name.to_owned(),
            category: match type_name {
                "integer" => TypeCategory::Integer,
                "timestamp" => TypeCategory::Timestamp,
                _ => TypeCategory::Text,
            },
            not_null: words.next() == Some("!") && is_constrained,
            statistics: Some(ColumnStatistics::default()),
            ..Column::default()
        }
    };
    let table = |oid: u32, name: &str, columns: &[&str], key: &str| Table {
        oid,
        schema: "public".to_owned(),
        name: name.to_owned(),
        is_visible: true,
        columns: columns.iter().enumerate().map(column).collect(),
        primary_key: if is_constrained && !key.is_empty() {
            vec![key.to_owned()]
        } else {
            Vec::new()
        },
        ..Table::default()
    };
    let parent = table(1, "parent", &["id integer !", "name text"], "id");
    let mut child = table(
        2,
        "child",
        &[
            "child_id integer !",
            "parent_id integer !",
            "at timestamp",
            "n integer",
        ],
        "child_id",
    );
    if is_constrained {
        child.foreign_keys.push(ForeignKey {
            columns: vec!["parent_id".to_owned()],
            target: 1,
            target_schema: "public".to_owned(),
            target_name: "parent".to_owned(),
            target_columns: vec!["id".to_owned()],
            is_taught: false,
        });
    }
    vec![Arc::new(parent), Arc::new(child)]
}

fn storage() -> Vec<Storage> {
    let of = |table| Storage {
        table,
        ..Storage::default()
    };
    vec![of(1), of(2)]
}

const CONSTRAINED: &str = "
CREATE TABLE parent (id integer PRIMARY KEY, name text);
CREATE TABLE child (child_id integer PRIMARY KEY, parent_id integer NOT NULL REFERENCES parent,
                    at timestamp, n integer)";

const FREE: &str = "
CREATE TABLE parent (id integer, name text);
CREATE TABLE child (child_id integer, parent_id integer, at timestamp, n integer)";

fn fill(client: &mut Client, seed: usize, is_constrained: bool) {
    let size = 1 + seed % 12;
    let rows = if is_constrained {
        format!(
            "INSERT INTO parent SELECT g, nullif('p' || (random() * 3)::int, 'p0')
             FROM generate_series(1, {size}) g;
             INSERT INTO child SELECT g, 1 + floor(random() * {size})::int,
                 CASE WHEN random() > 0.2 THEN TIMESTAMP '2024-12-30' + random() * interval '5 days' END,
                 nullif((random() * 4)::int, 0)
             FROM generate_series(1, {}) g WHERE random() > 0.1",
            size * 3
        )
    } else {
        format!(
            "INSERT INTO parent SELECT nullif((random() * {size})::int, 0), 'p' || (random() * 3)::int
             FROM generate_series(1, {size}) g;
             INSERT INTO child SELECT nullif((random() * 4)::int, 0), nullif((random() * {size})::int, 0),
                 TIMESTAMP '2024-12-30' + random() * interval '5 days', nullif((random() * 4)::int, 0)
             FROM generate_series(1, {}) g",
            size * 3
        )
    };
    let seed = (seed as f64) / 100.0;
    client
        .batch_execute(&format!(
            "TRUNCATE parent, child; SELECT setseed({seed}); {rows}"
        ))
        .unwrap();
}

/// Whether two queries differ on some of the fillings.
fn differ(client: &mut Client, one: &str, other: &str, is_constrained: bool) -> bool {
    let difference = difference_query(one, other).unwrap().unwrap();
    (0..FILLINGS).any(|seed| {
        fill(client, seed, is_constrained);
        // An error of one side alone ("more than one row returned") is a difference as well.
        client
            .query(&difference, &[])
            .map_or(true, |rows| !rows.is_empty())
    })
}

/// Rule, and queries to which it applies.
const APPLIES: &[(&str, &[&str])] = &[
    (
        "not_in_to_not_exists",
        &[
            "SELECT id, name FROM parent WHERE id NOT IN (SELECT parent_id FROM child)",
            "SELECT id FROM parent p WHERE NOT (p.id IN (SELECT parent_id FROM child c WHERE c.n = 2))",
            "SELECT name FROM parent WHERE id NOT IN (SELECT parent_id FROM child) AND name = 'p1'",
        ],
    ),
    (
        "in_to_exists",
        &[
            "SELECT name FROM parent WHERE id IN (SELECT parent_id FROM child)",
            "SELECT child_id FROM child WHERE n IN (SELECT n FROM child c WHERE c.parent_id = 1)",
            "SELECT name FROM parent p WHERE p.id IN (SELECT n FROM child)",
        ],
    ),
    (
        "count_to_exists",
        &[
            "SELECT name FROM parent p WHERE (SELECT count(*) FROM child c WHERE c.parent_id = p.id) > 0",
            "SELECT name FROM parent p WHERE (SELECT count(*) FROM child c WHERE c.parent_id = p.id) = 0",
            "SELECT id FROM parent p WHERE (SELECT count(*) FROM child c WHERE c.n = p.id) >= 1 AND name = 'p1'",
        ],
    ),
    (
        "function_to_range",
        &[
            "SELECT child_id FROM child WHERE at::date = '2024-12-31'",
            "SELECT child_id, n FROM child WHERE date_trunc('month', at) = '2024-12-01'",
            "SELECT child_id FROM child WHERE extract(year FROM at) = 2025",
            "SELECT count(*) FROM child WHERE date(at) = '2025-01-01' AND n = 2",
        ],
    ),
    (
        "distinct_removal",
        &[
            "SELECT DISTINCT id, name FROM parent",
            "SELECT DISTINCT c.child_id, p.name FROM child c JOIN parent p ON p.id = c.parent_id",
            "SELECT DISTINCT c.child_id FROM child c WHERE c.n = 1",
        ],
    ),
    (
        "count_distinct_key",
        &[
            "SELECT count(DISTINCT child_id) FROM child",
            "SELECT count(DISTINCT c.child_id) AS n FROM child c JOIN parent p ON p.id = c.parent_id",
            "SELECT p.name, count(DISTINCT c.child_id) AS n FROM parent p LEFT JOIN child c ON c.parent_id = p.id GROUP BY p.name",
        ],
    ),
    (
        "foreign_key_join",
        &[
            "SELECT c.n FROM child c JOIN parent p ON p.id = c.parent_id",
            "SELECT count(*), sum(c.n) FROM child c JOIN parent p ON c.parent_id = p.id WHERE c.n > 1",
            "SELECT c.n, count(*) FROM child c JOIN parent p ON p.id = c.parent_id GROUP BY c.n",
        ],
    ),
    (
        "scalar_subquery_to_join",
        &[
            "SELECT p.id, (SELECT count(*) FROM child c WHERE c.parent_id = p.id) AS children FROM parent p",
            "SELECT p.id, (SELECT sum(c.n) FROM child c WHERE c.parent_id = p.id AND c.n > 1) AS total FROM parent p",
            "SELECT c.child_id, (SELECT p.name FROM parent p WHERE p.id = c.parent_id) AS name FROM child c",
            "SELECT p.name, (SELECT max(c.at) FROM child c WHERE c.parent_id = p.id AND c.n = p.id) AS last FROM parent p",
        ],
    ),
    (
        "or_to_union",
        &[
            "SELECT child_id FROM child WHERE parent_id = 1 OR n = 2",
            "SELECT n FROM child WHERE (parent_id = 1 OR n = 2) AND at IS NOT NULL",
            "SELECT p.name FROM child c JOIN parent p ON p.id = c.parent_id WHERE c.n = 1 OR p.name = 'p1'",
        ],
    ),
];

#[test]
fn rewrites_give_the_same_rows_on_random_data() {
    let database = TestDatabase::new("rewrites");
    let mut client = database.superuser();
    client.batch_execute(CONSTRAINED).unwrap();
    let tables = tables(true);
    for (rule, queries) in APPLIES {
        for sql in *queries {
            let found = rewrites(sql, &tables, &storage()).unwrap();
            let rewrite = found
                .iter()
                .find(|rewrite| rewrite.rule == *rule)
                .unwrap_or_else(|| panic!("{rule} does not apply to {sql}"));
            assert!(
                !differ(&mut client, sql, &rewrite.sql, true),
                "{rule}: {sql}\n{}",
                rewrite.sql
            );
        }
    }
}

/// Rules that rest on constraints: where those are missing they are not offered, and what they
/// would write differs on some data. Rule, query, and what the rule would write.
const RESTS_ON: &[(&str, &str)] = &[
    (
        "not_in_to_not_exists",
        "SELECT id, name FROM parent WHERE id NOT IN (SELECT parent_id FROM child)",
    ),
    ("distinct_removal", "SELECT DISTINCT id, name FROM parent"),
    (
        "count_distinct_key",
        "SELECT count(DISTINCT child_id) FROM child",
    ),
    (
        "foreign_key_join",
        "SELECT c.n FROM child c JOIN parent p ON p.id = c.parent_id",
    ),
    (
        "scalar_subquery_to_join",
        "SELECT c.child_id, (SELECT p.name FROM parent p WHERE p.id = c.parent_id) AS name FROM child c",
    ),
];

#[test]
fn rewrites_need_their_preconditions() {
    let database = TestDatabase::new("rewrites_free");
    let mut client = database.superuser();
    client.batch_execute(FREE).unwrap();
    for (rule, sql) in RESTS_ON {
        let offered = rewrites(sql, &tables(false), &storage()).unwrap();
        assert!(
            offered.iter().all(|rewrite| rewrite.rule != *rule),
            "{rule} is offered without its precondition: {sql}"
        );
        let forced = rewrites(sql, &tables(true), &storage()).unwrap();
        let forced = forced.iter().find(|rewrite| rewrite.rule == *rule).unwrap();
        assert!(
            differ(&mut client, sql, &forced.sql, false),
            "{rule}: no filling shows the difference"
        );
    }
    // Rules that hold for any data, in a place or a form where they would not.
    let differs = [
        (
            "in_to_exists",
            "SELECT n IN (SELECT parent_id FROM child) AS known FROM child",
            "SELECT EXISTS (SELECT 1 FROM child c WHERE c.parent_id = child.n) AS known FROM child",
        ),
        (
            "count_to_exists",
            "SELECT id FROM parent p WHERE (SELECT count(*) FROM child c WHERE c.parent_id = p.id) > 1",
            "SELECT id FROM parent p WHERE EXISTS (SELECT 1 FROM child c WHERE c.parent_id = p.id)",
        ),
        (
            "or_to_union",
            "SELECT DISTINCT n FROM child WHERE parent_id = 1 OR n = 2",
            "SELECT DISTINCT n FROM child WHERE parent_id = 1 UNION ALL SELECT DISTINCT n FROM child WHERE n = 2",
        ),
    ];
    for (rule, sql, wrong) in differs {
        let offered = rewrites(sql, &tables(true), &storage()).unwrap();
        assert!(offered.iter().all(|rewrite| rewrite.rule != rule), "{sql}");
        assert!(differ(&mut client, sql, wrong, false), "{rule}");
    }
}

#[test]
fn a_day_that_begins_twice_is_no_range() {
    let database = TestDatabase::new("rewrites_zone");
    let mut client = database.superuser();
    // In Havana the clock goes back at one to midnight: that day begins twice.
    client
        .batch_execute(
            "SET TimeZone = 'America/Havana';
             CREATE TABLE moments (at timestamptz);
             INSERT INTO moments SELECT TIMESTAMPTZ '2024-11-03 03:00+00' + g * interval '10 minutes'
             FROM generate_series(0, 30) g",
        )
        .unwrap();
    let table = Table {
        oid: 1,
        name: "moments".to_owned(),
        is_visible: true,
        columns: vec![Column {
            name: "at".to_owned(),
            type_name: "timestamp with time zone".to_owned(),
            category: TypeCategory::Timestamp,
            ..Column::default()
        }],
        ..Table::default()
    };
    let sql = "SELECT at FROM moments WHERE at::date = '2024-11-03'";
    let [range] = &rewrites(sql, &[Arc::new(table)], &[]).unwrap()[..] else {
        panic!("{sql}");
    };
    let is_confirmed = &range.proviso.as_ref().unwrap().query;
    let difference = difference_query(sql, &range.sql).unwrap().unwrap();
    for (zone, is_equal) in [
        ("America/Havana", false),
        ("Europe/Vienna", true),
        ("Asia/Kolkata", true),
    ] {
        client
            .batch_execute(&format!("SET TimeZone = '{zone}'"))
            .unwrap();
        assert_eq!(
            client.query(is_confirmed, &[]).unwrap().len(),
            usize::from(is_equal),
            "{zone}"
        );
        let differs = !client.query(&difference, &[]).unwrap().is_empty();
        assert_eq!(differs, !is_equal, "{zone}");
    }
}
