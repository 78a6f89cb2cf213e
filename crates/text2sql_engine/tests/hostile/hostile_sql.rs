//! Whatever SQL is read, its analyses end within a stack of 2 MB: statements of every shape, just
//! below the bounds of `sql_reader` and far above them, through every function that takes SQL.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stderr,
    reason = "a test that cannot go on fails, and an overflow of the stack leaves only what was printed"
)]

use std::time::{Duration, Instant};

use text2sql_domain::error::ErrorKind;
use text2sql_sql::reader as sql_reader;
use text2sql_sql::reader::MAX_BYTES;

use crate::checks;

/// The stack of a test's thread, and what PostgreSQL's own recursion may take of a backend's.
const STACK: usize = 2 << 20;

/// Shapes of statements: what stands between the first `«` and `»` is repeated, and what stands between the
/// second as often behind it. `#` is the number of the repetition.
const SHAPES: &[&str] = &[
    "SELECT 1«+1»",
    "SELECT total« || 'a'» FROM orders",
    "SELECT * FROM orders WHERE total=1« OR total=#»",
    "SELECT * FROM orders WHERE total=1« AND total<>#»",
    "SELECT * FROM orders WHERE «(total=1 OR »true«)»",
    "SELECT * FROM orders WHERE true« AND (total=1 OR total=#)»",
    "SELECT * FROM orders WHERE true« OR (total=1 AND NOT status='paid')»",
    "SELECT * FROM orders WHERE «NOT »true",
    "SELECT «- »1",
    "SELECT «~ @ »1",
    "SELECT 1«::int»",
    "SELECT 1«::int[]»",
    "SELECT a::int«[]»",
    "SELECT a«[1]» FROM orders",
    "SELECT a«[a»«]» FROM orders",
    "SELECT a«[1:2]» FROM orders",
    "SELECT a«.a» FROM orders",
    "SELECT (a)«.b» FROM orders",
    "SELECT a« -> 'k'» FROM orders",
    "SELECT a« @@ a» FROM orders",
    "SELECT a« COLLATE \"C\"» FROM orders",
    "SELECT a« AT TIME ZONE 'UTC'» FROM orders",
    "SELECT a« IS NOT NULL» FROM orders",
    "SELECT a« IS DISTINCT FROM a» FROM orders",
    "SELECT a« IS NOT DISTINCT FROM from» FROM orders",
    "SELECT a« LIKE 'a'» FROM orders",
    "SELECT a« BETWEEN 1 AND 2» FROM orders",
    "SELECT a« AND else» FROM orders",
    "SELECT a« + from» FROM orders",
    "SELECT a« IN (1)» FROM orders",
    "SELECT 1« UNION SELECT #»",
    "SELECT 1« MINUS SELECT #»",
    "SELECT status, sum(total) FROM orders GROUP BY 1« UNION ALL SELECT status, total FROM orders»",
    "VALUES (1)« EXCEPT VALUES (#)»",
    "«(SELECT 1 UNION »SELECT 2«)»",
    "SELECT «(»1«)»",
    "SELECT «((SELECT »1«))»",
    "SELECT «abs(»1«)»",
    "SELECT a«()»",
    "SELECT «CASE WHEN true THEN »1« END»",
    "SELECT CASE «WHEN total=# THEN # »END FROM orders",
    "SELECT «CASE »1« WHEN 1 THEN 2 END»",
    "SELECT «CAST(»1« AS text)»",
    "SELECT «EXTRACT(year FROM »a«)»",
    "SELECT «INTERVAL »'1'",
    "SELECT «ARRAY[»1«]»",
    "SELECT ARRAY«[»1«]»",
    "SELECT «ROW(1, »1«)»",
    "SELECT «array_agg(total ORDER BY »1«)» FROM orders",
    "SELECT «sum(total) FILTER (WHERE »true«)» FROM orders",
    "SELECT «sum(1) OVER (PARTITION BY »1«)» FROM orders",
    "SELECT * FROM «(SELECT * FROM »orders«) s»",
    "SELECT * FROM «(»orders«)»",
    "SELECT * FROM «(orders JOIN »customers« USING (customer_id))»",
    "SELECT * FROM orders« JOIN customers»",
    "SELECT * FROM orders« JOIN customers»« ON true»",
    "SELECT * FROM orders« JOIN on»",
    "SELECT * FROM orders o« JOIN customers c# ON c#.customer_id = o.customer_id»",
    "SELECT * FROM orders o« LEFT JOIN customers c# USING (customer_id)»",
    "SELECT * FROM orders« CROSS JOIN customers»",
    "SELECT * FROM orders« NATURAL JOIN customers»",
    "SELECT * FROM orders«, customers c#»",
    "SELECT * FROM orders«, LATERAL (SELECT # AS x) l#» WHERE l1.x = 1",
    "SELECT * FROM orders WHERE total IN «(SELECT total FROM orders WHERE total IN »(1)«)»",
    "SELECT * FROM orders WHERE «EXISTS (SELECT 1 FROM customers WHERE »true«)»",
    "SELECT * FROM orders WHERE total IN (1«,#»)",
    "SELECT * FROM orders WHERE (total, status) IN ((1,'a')«,(#,'b')»)",
    "SELECT 1«, total AS c#» FROM orders",
    "SELECT 1«, (SELECT max(total) FROM orders o# WHERE o#.status = orders.status)» FROM orders",
    "WITH c0 AS (SELECT 1)«, c# AS (SELECT * FROM orders)» SELECT 1",
    "WITH RECURSIVE c0 AS (SELECT 1)«, c# AS (SELECT * FROM c0, c1, orders)» SELECT * FROM c0, c1",
    "«WITH c AS (»SELECT 1«) SELECT * FROM c»",
    "VALUES (1)«, (#)»",
    "SELECT total FROM orders GROUP BY GROUPING SETS (()«, (total, status)»)",
    "SELECT total FROM orders GROUP BY CUBE (total«, c#»)",
    "SELECT sum(total) OVER w0 FROM orders WINDOW w0 AS ()«, w# AS (PARTITION BY total)»",
    "SELECT total FROM orders ORDER BY 1«, total DESC»",
    "SELECT $1« + $#»",
    "SELECT $1«, $#»",
    "«EXPLAIN »SELECT 1",
    "«IF true THEN »SELECT 1«; END IF»",
    "«BEGIN »SELECT 1«; END»",
    "SELECT 1«; SELECT #»",
    "UPDATE orders SET total = 1« + total» WHERE status = 'a'",
    "DELETE FROM orders WHERE total = 1« OR total = #»",
    "SELECT 1« /* c */ + 1»",
    "SELECT «/*»1«*/»",
    "SELECT a::«ARRAY<»int«>»",
    "SELECT * FROM orders« TABLESAMPLE system (1)»",
    "SELECT * FROM orders« PIVOT (sum(total) FOR status IN ('a'))»",
    "SELECT «{'a': »1«}»",
    "SELECT 'a'« 'b'\n»",
    "SELECT '«''»'",
    "SELECT U&'«\\0041»'",
    "SELECT E'«\\\\»'",
    "SELECT \"«a\"\"»\"",
    "SELECT «1»",
    "SELECT 1.«9»e999",
];

fn statement(shape: &str, count: usize) -> String {
    let mut parts = shape.split(['«', '»']);
    let mut part = || parts.next().unwrap_or_default();
    let (first, opening, inner, closing, last) = (part(), part(), part(), part(), part());
    let mut sql = first.to_owned();
    for number in 0..count {
        sql.push_str(&opening.replace('#', &number.to_string()));
    }
    sql.push_str(inner);
    for number in (0..count).rev() {
        sql.push_str(&closing.replace('#', &number.to_string()));
    }
    sql.push_str(last);
    sql
}

/// The most repetitions of a shape that are still read.
fn most(shape: &str) -> usize {
    let is_read = |count: usize| sql_reader::admit(&statement(shape, count)).is_ok();
    let (mut read, mut refused) = (1, MAX_BYTES);
    while refused - read > 1 {
        let middle = usize::midpoint(read, refused);
        *(if is_read(middle) {
            &mut read
        } else {
            &mut refused
        }) = middle;
    }
    read
}

/// Runs every analysis on a thread with a small stack. If it overflows, the test's process ends: the
/// last line that it printed says with which statement.
fn analyse(sql: String) {
    eprintln!(
        "{} bytes: {}",
        sql.len(),
        &sql[..sql.floor_char_boundary(60)]
    );
    std::thread::Builder::new()
        .stack_size(STACK)
        .spawn(move || checks::sql(sql.as_bytes()))
        .unwrap()
        .join()
        .unwrap();
}

#[test]
fn statements_of_every_shape_are_analysed_within_a_small_stack() {
    for shape in SHAPES {
        analyse(statement(shape, most(shape).min(3_000)));
    }
}

#[test]
fn statements_beyond_the_bounds_are_refused_at_once() {
    for shape in SHAPES {
        let sql = statement(shape, 70_000);
        let start = Instant::now();
        let error = sql_reader::admit(&sql).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Limit, "{shape:?}");
        assert!(start.elapsed() < Duration::from_secs(2), "{shape:?}");
    }
    analyse(statement(SHAPES[0], 100_000));
}

#[test]
fn a_bound_is_named_with_its_value() {
    let message = |sql: &str| {
        let error = sql_reader::admit(sql).unwrap_err();
        (error.kind(), error.message().to_owned())
    };
    let (kind, text) = message(&statement(SHAPES[0], 100_000));
    assert_eq!(kind, ErrorKind::Limit);
    assert_eq!(
        text,
        "the statement has 200008 bytes, and at most 65536 are read"
    );
    let (kind, text) = message(&statement(SHAPES[0], 12_000));
    assert_eq!(kind, ErrorKind::Limit);
    assert_eq!(
        text,
        "the statement has 24003 words and signs, and at most 20000 are read"
    );
    let (kind, text) = message(&statement(SHAPES[0], 1_000));
    assert_eq!(kind, ErrorKind::Complexity);
    assert_eq!(
        text,
        "the statement joins or nests up to 1000 parts, and at most 150 are read"
    );
}
