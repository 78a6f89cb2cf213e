//! Files that are wrong, too large or made to harm.

use std::fmt::Write;

use super::{csv, csv_with, shown};
use crate::{Bounds, Options, Source, encoding};

#[test]
fn a_million_columns() {
    let line = "x,".repeat(1_000_000);
    assert_eq!(
        csv(&line),
        "error: line 1 has 1000001 values; a table has at most 1600 columns"
    );
    let mut object = "{".to_owned();
    for key in 0..2_000 {
        write!(object, "\"k{key}\": 1,").unwrap();
    }
    object.push_str("\"z\": 1}");
    assert!(shown(Source::Json(&object), "{}").contains("a table has at most 1600 columns"));
}

#[test]
fn a_very_long_line() {
    let file = format!("a,b\n1,{}\n", "x".repeat(crate::MAX_VALUE + 1));
    assert_eq!(csv(&file), "error: line 2 has a value of more than 1 MB");
    let name = format!("a,{}\n1,2\n", "x".repeat(crate::MAX_VALUE + 1));
    assert_eq!(csv(&name), "error: line 1 has a value of more than 1 MB");
    let json = format!("{{\"a\": \"{}\"}}", "x".repeat(crate::MAX_VALUE + 1));
    assert_eq!(
        shown(Source::Json(&json), "{}"),
        "error: line 1 has a value of more than 1 MB"
    );
    // Values that are not too long by themselves.
    let line = format!("a,b\n{}\n", "x,".repeat(crate::MAX_VALUE * 2 + 1));
    assert_eq!(csv(&line), "error: line 2 is longer than 4 MB");
}

#[test]
fn a_quote_that_is_not_closed() {
    assert_eq!(
        csv("a,b\n1,\"x\n2,y\n3,z\n"),
        "error: line 2: a quoted value is not closed"
    );
    // The last line is no exception, even if the file ends there: the rest may be missing.
    for open in [
        "a,b\n1,\"x\n",
        "a,b\n1,\"x",
        "a,b\n1,\"",
        "a,b\n1,\"x\"\"",
        "a,b\n\"x\",\"y\n",
        "a\n\"x\n",
    ] {
        let last = open.lines().count();
        let error = format!("error: line {last}: a quoted value is not closed");
        assert_eq!(csv(open), error, "{open}");
    }
    for closed in [
        "a,b\n1,\"x\"\n",
        "a,b\n1,\"\"",
        "a,b\n1,\"x\"\"\"",
        "a,b\n1,\"x,\"",
        "a,b\n1,5\" pipe",
        "a,b\n1,5\"\n",
    ] {
        assert!(!csv(closed).contains("not closed"), "{closed}");
    }
    assert!(csv_with("a;b\n1;5\" pipe\n2;6\" pipe\n", "{}").contains("3: \"2\" \"6\\\" pipe\""));
}

#[test]
fn a_nul() {
    let shown_bad = csv("a,b\nx\0y,1\n");
    assert_eq!(
        shown_bad,
        "a text\nb integer\nbad: line 2, column \"a\": the value has a NUL character, which PostgreSQL cannot store"
    );
    assert!(shown(Source::Json("[{\"a\": \"\\u0000\"}]"), "{}").contains("NUL"));
}

#[test]
fn deep_json() {
    let deep = format!(
        "[{{\"a\": {}1{}}}]",
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    let shown = shown(Source::Json(&deep), "{}");
    assert!(
        shown.starts_with("error: ") || shown.starts_with("a jsonb"),
        "{}",
        shown.get(..100).unwrap_or(&shown)
    );
}

#[test]
fn encodings() {
    let text = |bytes: &[u8], label| {
        encoding::decoded(bytes, label).map(|(text, guess)| (text.into_owned(), guess))
    };
    assert_eq!(
        text("Größe".as_bytes(), None),
        Ok(("Größe".to_owned(), None))
    );
    assert_eq!(
        text(b"Gr\xf6\xdfe \x80", None),
        Ok(("Größe €".to_owned(), Some("windows-1252")))
    );
    assert_eq!(
        text(b"\xff\xfeA\0\xe4\0", None),
        Ok(("Aä".to_owned(), None))
    );
    assert_eq!(
        text(b"A\0B\0C\0D\0", None),
        Ok(("ABCD".to_owned(), Some("UTF-16LE")))
    );
    assert_eq!(
        text(b"\xa3", Some("iso-8859-2")).map(|found| found.0),
        Ok("Ł".to_owned())
    );
    assert!(
        text(b"ok\n\xff", Some("utf-8"))
            .unwrap_err()
            .message
            .contains("invalid bytes in line 2")
    );
    assert!(text(b"x", Some("klingon")).is_err());
}

#[test]
fn rows_as_copy_reads_them() {
    let mut to = String::new();
    crate::copy::push_row(
        &[Some("a\tb\\c\nd\r".into()), None, Some("".into())],
        &mut to,
    );
    assert_eq!(to, "a\\tb\\\\c\\nd\\r\t\\N\t\n");
}

fn bounded(source: Source<'_>, columns: usize, line_bytes: usize) -> Result<(), String> {
    let bounds = Bounds {
        columns,
        line_bytes,
    };
    source
        .is_within(bounds, &Options::default())
        .map_err(|error| error.message)
}

#[test]
fn a_file_beyond_what_a_caller_takes_is_refused() {
    let csv = Source::Csv("a,b\n1,2\n");
    assert_eq!(bounded(csv, 2, 3), Ok(()));
    assert_eq!(
        bounded(csv, 1, 3).unwrap_err(),
        "the file has 2 columns; at most 1 are taken here"
    );
    assert_eq!(
        bounded(Source::Csv("a\n1\n1234\n"), 2, 3).unwrap_err(),
        "line 3 is longer than 0 MB"
    );
    // A JSON array counts as one line.
    let json = Source::Json(r#"[{"a": 1}, {"b": 2}]"#);
    assert_eq!(bounded(json, 2, 3), Ok(()));
    assert!(bounded(json, 1, 3).is_err());
    assert!(bounded(Source::Json("[{"), 1, 3).is_err());
}
