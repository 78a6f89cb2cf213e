//! Files that lost or changed values silently: each is loaded rightly, or an error names the line.

use postgres::Client;
use text2sql_server_tests::{TestDatabase, error_of};

fn load(client: &mut Client, text: &str, options: &str) -> (i64, i64) {
    let sql = "SELECT rows_loaded, rows_rejected FROM text2sql.load_file('t', $1, $2::text::jsonb) LIMIT 1";
    client
        .batch_execute("DROP TABLE IF EXISTS t, t_rejected")
        .unwrap();
    let row = client.query_one(sql, &[&text, &options]).unwrap();
    (row.get(0), row.get(1))
}

/// The message where the file is refused.
fn refused(client: &mut Client, text: &str, options: &str) -> String {
    client
        .batch_execute("DROP TABLE IF EXISTS t, t_rejected")
        .unwrap();
    let sql = format!("SELECT * FROM text2sql.load_file('t', $x${text}$x$, '{options}')");
    error_of(client, &sql).1
}

#[test]
fn a_quote_inside_of_a_value_swallows_no_row() {
    let database = TestDatabase::new("csv_quotes");
    let mut client = database.superuser();
    let stray =
        "id,size,price\n1,\"Screen 15\",100\n2,\"Disk 5\"\",200\n3,\"Case\",300\n4,\"Fan\",400\n";
    let message = refused(&mut client, stray, "{}");
    assert_eq!(
        message,
        "line 3: has text behind the quote that ends a value"
    );
    // Set aside are both lines that the quote joined, and nothing else.
    assert_eq!(
        load(&mut client, stray, r#"{"on_error": "collect"}"#),
        (2, 1)
    );
    for text in [
        "id,note,x\n1,\"a \\\"b, c\\\" d\",1\n2,\"y\",2\n",
        "id,note\n1,\"say \\\"hi\\\" now\"\n",
        "id,note\n1,\"a\"b\n",
    ] {
        let message = refused(&mut client, text, "{}");
        assert_eq!(
            message, "line 2: has text behind the quote that ends a value",
            "{text}"
        );
    }
    let right = "id,note\n1,\"a \"\"quoted\"\" word\"\n2,\"two\nlines\" \n3,5\" wide\n";
    assert_eq!(load(&mut client, right, "{}"), (3, 0));
    let notes: Vec<String> = client
        .query("SELECT note FROM t ORDER BY id", &[])
        .unwrap()
        .iter()
        .map(|row| row.get::<_, String>(0).trim_end().to_owned())
        .collect();
    assert_eq!(notes, ["a \"quoted\" word", "two\nlines", "5\" wide"]);
}

#[test]
fn a_type_with_a_length_cuts_nothing_off() {
    let database = TestDatabase::new("csv_lengths");
    let mut client = database.superuser();
    client
        .batch_execute("CREATE DOMAIN code AS varchar(3)")
        .unwrap();
    for (of_type, long, short) in [
        ("varchar(3)", "abcdef", "abc"),
        ("char(3)", "abcdef", "abc"),
        ("bit(3)", "10101", "101"),
        ("varbit(3)", "10101", "101"),
        ("code", "abcdef", "abc"),
    ] {
        let options = format!(r#"{{"types": {{"b": "{of_type}"}}}}"#);
        let message = refused(
            &mut client,
            &format!("a,b\n1,{short}\n2,{long}\n"),
            &options,
        );
        assert!(
            message.starts_with("line 3, column \"b\": the value is too long"),
            "{of_type}: {message}"
        );
        let collected = options.replace("}}", r#"}, "on_error": "collect"}"#);
        let text = format!("a,b\n1,{short}\n2,{long}\n");
        assert_eq!(load(&mut client, &text, &collected), (1, 1), "{of_type}");
        let kept: String = client
            .query_one("SELECT b::text FROM t", &[])
            .unwrap()
            .get(0);
        assert_eq!(kept, short, "{of_type}");
    }
    let options = r#"{"types": {"b": "char(5)"}}"#;
    assert_eq!(load(&mut client, "a,b\n1,abc\n", options), (1, 0));
}

#[test]
fn types_whose_names_begin_like_numbers_are_read_by_the_server() {
    let database = TestDatabase::new("csv_types");
    let mut client = database.superuser();
    for (of_type, written, expected) in [
        ("interval", "2 days", "2 days"),
        ("int[]", "\"{1,2}\"", "{1,2}"),
        ("int4range", "\"[1,5)\"", "[1,5)"),
        ("integer", "7", "7"),
        ("integer", "01", "1"),
        ("integer", "+5", "5"),
        ("numeric", "1e5", "100000"),
        ("boolean", "1", "true"),
    ] {
        let options = format!(r#"{{"types": {{"t": "{of_type}"}}}}"#);
        assert_eq!(
            load(&mut client, &format!("t\n{written}\n"), &options),
            (1, 0),
            "{of_type}"
        );
        let found: String = client
            .query_one("SELECT t::text FROM t", &[])
            .unwrap()
            .get(0);
        assert_eq!(found, expected, "{of_type}");
    }
}

#[test]
fn a_header_becomes_a_comment_of_bounded_length() {
    let database = TestDatabase::new("csv_header");
    let mut client = database.superuser();
    assert_eq!(
        load(
            &mut client,
            &format!("{},b\n1,2\n", "a".repeat(1_000_000)),
            "{}"
        ),
        (1, 0)
    );
    let longest: i32 = client
        .query_one(
            "SELECT max(length(col_description('t'::regclass, n))) FROM generate_series(1, 2) n",
            &[],
        )
        .unwrap()
        .get(0);
    assert_eq!(longest, 1_000);
}

#[test]
fn titles_are_skipped_and_refusals_say_how() {
    let database = TestDatabase::new("csv_titles");
    let mut client = database.superuser();
    let text = "Price list\nplant;price\nrose;2\n";
    let sql = format!("SELECT * FROM text2sql.load_file('t', $x${text}$x$)");
    let error = client.simple_query(&sql).unwrap_err();
    let error = error.as_db_error().unwrap();
    assert_eq!(error.message(), "line 2: has 2 values instead of 1");
    assert!(
        error.hint().unwrap_or_default().contains("{\"skip\": 1}"),
        "{error:?}"
    );
    assert_eq!(load(&mut client, text, r#"{"skip": 1}"#), (1, 0));
    let names: String = client
        .query_one("SELECT string_agg(attname, ' ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = 't'::regclass AND attnum > 0", &[])
        .unwrap()
        .get(0);
    assert_eq!(names, "plant price");
}

/// The server's own error of a row that no page can hold has no line.
#[test]
fn a_row_that_is_too_big_for_a_table_has_its_lines_in_the_error() {
    let database = TestDatabase::new("csv_wide");
    let mut client = database.superuser();
    let row = |cell: &str| vec![cell; 1_000].join(",");
    let header: Vec<String> = (1..=1_000).map(|column| format!("c{column}")).collect();
    let mut lines = vec![header.join(",")];
    lines.extend((0..50).map(|_| row("x")));
    let small = lines.join("\n");
    assert_eq!(load(&mut client, &small, "{}"), (50, 0));
    lines.push(row("abcdefghijklmnop"));
    let message = refused(&mut client, &lines.join("\n"), "{}");
    assert!(
        message.starts_with("lines 42 to 52: row is too big"),
        "{message}"
    );
}

/// Twice the lines take twice the time, not four times.
#[test]
fn glossaries_are_imported_line_by_line() {
    let database = TestDatabase::new("glossary_time");
    let mut client = database.superuser();
    let mut time = |from: i32, count: i32| {
        let text = format!(
            "SELECT count(*) FROM text2sql.import_knowledge((SELECT E'term,meaning\\n' || string_agg('term ' || n || ',meaning ' || n, E'\\n') FROM generate_series({from}, {from} + {count} - 1) n), 'glossary', 'file {from}.csv')"
        );
        let begin = std::time::Instant::now();
        let taken: i64 = client.query_one(&text, &[]).unwrap().get(0);
        assert_eq!(taken, i64::from(count));
        begin.elapsed().as_secs_f64()
    };
    let few = time(1, 400);
    let many = time(10_001, 3_200);
    assert!(
        many < few * 24.0,
        "400 lines took {few} s, 3200 more {many} s"
    );
}

/// JSON that is nested too deep, and JSON of another shape, are errors of the caller.
#[test]
fn documents_that_cannot_be_read_are_errors_of_the_caller() {
    let database = TestDatabase::new("deep_documents");
    let mut client = database.superuser();
    let deep = "(repeat('{\"a\":', 500) || '1' || repeat('}', 500))";
    for (call, expected) in [
        (format!("text2sql.import_knowledge({deep}, 'dbt')"), "22023"),
        (
            format!("text2sql.load_file('t', 'a', {deep}::jsonb)"),
            "22023",
        ),
        (
            format!("text2sql.describe('orders', samples => {deep}::jsonb)"),
            "22023",
        ),
        (
            format!("text2sql.add_document('a', 'b', metadata => {deep}::jsonb)"),
            "22023",
        ),
        (
            format!("text2sql_eval._choose_training({deep}::jsonb, '[]', 0.1)"),
            "22023",
        ),
        (
            "text2sql_eval._choose_training('7', '[]', 0.1)".to_owned(),
            "22023",
        ),
        (
            format!("text2sql_eval._decide_tuning({deep}::json)"),
            "22023",
        ),
    ] {
        let (code, message, _) = error_of(&mut client, &format!("SELECT * FROM {call}"));
        assert_eq!(code, expected, "{call}: {message}");
    }
}
