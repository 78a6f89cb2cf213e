//! Separated values: which table they become.

use super::{csv, csv_with, names, types};

#[test]
fn a_simple_file() {
    assert_eq!(
        csv(
            "id,Name,Price,Sold on,paid\n1,\"Bolt, long\",1.50,2024-01-31,yes\n2,Nut,2,2024-02-01,no\n"
        ),
        "id integer\nname text\nprice numeric\nsold_on date\npaid boolean\n\
         2: \"1\" \"Bolt, long\" \"1.50\" \"2024-01-31\" \"true\"\n\
         3: \"2\" \"Nut\" \"2\" \"2024-02-01\" \"false\""
    );
}

#[test]
fn a_german_file() {
    assert_eq!(
        csv(
            "\u{feff}Straße;Betrag;Datum;Menge\r\nHauptstraße 1;1.234,50 €;31.12.2024;1.000\r\nWeg 2;-3,10 €;01.02.2025;20\r\n"
        ),
        "straße text\nbetrag numeric -- in €\ndatum date\nmenge integer -- 1.234 is read as 1234; \"decimal\": \".\" reads 1.234\n\
         2: \"Hauptstraße 1\" \"1234.50\" \"2024-12-31\" \"1000\"\n\
         3: \"Weg 2\" \"-3.10\" \"2025-02-01\" \"20\""
    );
}

#[test]
fn delimiters_are_found() {
    assert_eq!(types("a\tb\n1\t2\n"), "integer integer");
    assert_eq!(types("a|b\n1|2,5\n3|4,5\n"), "integer numeric");
    assert_eq!(types("sep=|\na|b\n1|2\n"), "integer integer");
    assert_eq!(types("'a';'b'\n'x;y';'2'\n"), "text integer");
    assert_eq!(types("a b c\nd e f\n"), "text");
}

#[test]
fn line_ends_of_three_systems() {
    for end in ["\n", "\r\n", "\r"] {
        let file = format!("a,b{end}1,x{end}{end}2,y{end}");
        assert_eq!(types(&file), "integer text", "{end:?}");
    }
    assert!(csv("a,b\r1,2,3\r").contains("line 2: has 3 values instead of 2"));
}

#[test]
fn what_would_lose_something_stays_text() {
    assert_eq!(
        types("zip,phone,card\n01067,+49301234,12E5\n80331,030 1234,13\n"),
        "text text text"
    );
    assert_eq!(types("n\n12345678901\n"), "bigint");
    assert_eq!(types("n\n99999999999999999999\n"), "numeric");
    assert_eq!(types("t\n2024-01-01 10:00:00.1234567\n"), "text");
    assert_eq!(types("d\n01.02.24\n"), "text");
    assert_eq!(types("d\n2024-02-30\n"), "text");
    assert_eq!(types("v\n1 €\n2 $\n"), "text");
    assert_eq!(types("country\nNO\nNO\n"), "text");
    assert_eq!(types("v\n\"1,234.5.6\"\n"), "text");
    assert_eq!(types("v\n(12)\n"), "text");
}

#[test]
fn a_note_shows_the_separator_of_the_file() {
    assert_eq!(
        csv("id;w\n1;1.234\n"),
        "id integer\nw integer -- 1.234 is read as 1234; \"decimal\": \".\" reads 1.234\n2: \"1\" \"1234\""
    );
    assert_eq!(
        csv("id;w\n1;1,234\n"),
        "id integer\nw numeric -- 1,234 is read as 1.234; \"decimal\": \".\" reads 1234\n2: \"1\" \"1.234\""
    );
    // Nothing is ambiguous, and what was left out is said.
    assert_eq!(csv("v\n1.5E+02\n"), "v numeric\n2: \"1.5E+02\"");
    assert_eq!(
        csv("v\n912.345.678\n"),
        "v integer -- points between groups of three digits are left out; the type text keeps them\n2: \"912345678\""
    );
    assert_eq!(
        csv_with("v\n912.345.678\n", r#"{"types": {"v": "text"}}"#),
        "v text\n2: \"912.345.678\""
    );
}

#[test]
fn lines_above_the_names_are_skipped() {
    let file = "Price list\n\nplant;price\nrose;1,5\n";
    assert_eq!(
        csv_with(file, r#"{"skip": 2}"#),
        "plant text\nprice numeric\n4: \"rose\" \"1.5\""
    );
    assert_eq!(
        csv_with("Title\r\na,b\r\n1,2\r\n", r#"{"skip": 1}"#),
        "a integer\nb integer\n3: \"1\" \"2\""
    );
    assert!(csv_with("a\n", r#"{"skip": 2}"#).contains("no line below the 2 to skip"));
}

#[test]
fn an_empty_line_of_one_column_is_a_row() {
    for end in ["\n", "\r\n", "\r"] {
        let file = format!("v{end}1{end}{end}{end}3{end}{end}");
        assert_eq!(
            csv(&file),
            "v integer\n2: \"1\"\n3: NULL\n4: NULL\n5: \"3\"",
            "{end:?}"
        );
    }
}

#[test]
fn numbers_that_the_server_reads_are_left_to_it() {
    let said = |values: &str, of_type: &str| {
        csv_with(
            &format!("v\n{values}\n"),
            &format!(r#"{{"types": {{"v": "{of_type}"}}}}"#),
        )
    };
    assert_eq!(said("01\n+5", "int"), "v int\n2: \"01\"\n3: \"+5\"");
    assert_eq!(
        said("1e5\nn/a", "numeric"),
        "v numeric\n2: \"1e5\"\n3: NULL"
    );
    assert_eq!(said("1\n0", "boolean"), "v boolean\n2: \"1\"\n3: \"0\"");
    assert_eq!(
        said("yes\nnein", "boolean"),
        "v boolean\n2: \"true\"\n3: \"false\""
    );
    assert_eq!(said("\"1,234\"\n7", "int"), "v int\n2: \"1234\"\n3: \"7\"");
}

#[test]
fn numbers_of_people() {
    assert_eq!(
        csv("share;n\n12,5 %;1'000\n3 %;2'000\n"),
        "share numeric -- in %\nn integer\n2: \"12.5\" \"1000\"\n3: \"3\" \"2000\""
    );
    assert_eq!(
        csv("n,m\n\"1,234\",x\n"),
        "n integer -- 1,234 is read as 1234; \"decimal\": \",\" reads 1.234\nm text\n2: \"1234\" \"x\""
    );
    assert_eq!(
        csv_with("n,m\n\"1,234\",x\n", r#"{"decimal": ","}"#),
        "n numeric\nm text\n2: \"1.234\" \"x\""
    );
    assert_eq!(
        csv("n\n-.5\n1.5e-7\n-1\n"),
        "n numeric\n2: \"-0.5\"\n3: \"1.5e-7\"\n4: \"-1\""
    );
    assert_eq!(
        csv("n\n$-5\n-$6\n"),
        "n integer -- in $\n2: \"-5\"\n3: \"-6\""
    );
}

#[test]
fn ambiguous_dates_are_said() {
    assert_eq!(
        csv("d\n01/02/2024\n"),
        "d date -- 01/02/2024 is read as January 2; \"date_order\": \"dmy\" reads 1 February\n2: \"2024-01-02\""
    );
    assert_eq!(
        csv("d,e\n01/02/2024,31/01/2024\n"),
        "d date\ne date\n2: \"2024-02-01\" \"2024-01-31\""
    );
    assert_eq!(
        csv_with("d\n01/02/2024\n", r#"{"date_order": "dmy"}"#),
        "d date\n2: \"2024-02-01\""
    );
    assert_eq!(types("t\n2024-01-31T10:20:30Z\n"), "timestamptz");
    assert_eq!(types("t\n31.01.2024 10:20\n01.02.2024\n"), "timestamp");
}

#[test]
fn empty_is_null_and_so_are_usual_texts_among_numbers() {
    assert_eq!(
        csv("a,b\n1,NA\nn/a,\n3,x\n"),
        "a integer -- 1 texts such as n/a are NULL\nb text\n2: \"1\" \"NA\"\n3: NULL NULL\n4: \"3\" \"x\""
    );
    assert_eq!(
        csv_with("a,b\n1,-\n-,x\n", r#"{"null_texts": ["-"]}"#),
        "a integer\nb text\n2: \"1\" NULL\n3: NULL \"x\""
    );
}

#[test]
fn a_bad_line_has_its_number_and_column() {
    let mut file = "id,amount\n".to_owned();
    for id in 0..30 {
        file.push_str(&format!("{id},{id}.5\n"));
    }
    file.push_str("30,unknown\n31\n");
    let shown = csv(&file);
    assert!(
        shown.contains("bad: line 32, column \"amount\": the value is not a number"),
        "{shown}"
    );
    assert!(
        shown.contains("bad: line 33: has 1 values instead of 2"),
        "{shown}"
    );
    assert!(csv_with(&file, r#"{"types": {"amount": "text"}}"#).contains("32: \"30\" \"unknown\""));
}

#[test]
fn lines_count_through_values_of_several_lines() {
    assert!(csv("a,b\n\"x\ny\nz\",1\nq\n").ends_with("bad: line 5: has 1 values instead of 2"));
}

#[test]
fn headers() {
    assert_eq!(
        csv("1,2\n3,4\n"),
        "column_1 integer\ncolumn_2 integer\n1: \"1\" \"2\"\n2: \"3\" \"4\""
    );
    assert_eq!(types("country,2019,2020\nDE,1,2\n"), "text integer integer");
    assert_eq!(types("Anna,x\nBob,x\n"), "text text");
    assert!(csv("Anna,x\nBob,x\n").contains("1: \"Anna\" \"x\""));
    assert_eq!(csv("a,b\n"), "a text -- no values\nb text -- no values");
    assert_eq!(
        csv_with("a,b\n", r#"{"header": false}"#),
        "column_1 text\ncolumn_2 text\n1: \"a\" \"b\""
    );
}

#[test]
fn names_are_clean() {
    assert_eq!(
        names("Order ID,orderDate,ORDER,2019,,Größe (cm),a,A,a"),
        "order_id order_date order_ c_2019 column_5 größe_cm a a_2 a_3"
    );
    assert_eq!(
        names("ctid,Имя,数量,  x  ,--,select"),
        "ctid_ имя 数量 x column_5 select_"
    );
    let long = "ä".repeat(100);
    let clean = names(&format!("{long},{long}"));
    assert!(clean.split(' ').all(|name| name.len() <= 63), "{clean}");
    assert_eq!(clean.split(' ').count(), 2);
}

#[test]
fn options_are_checked() {
    let error = |options: &str| csv_with("a\n1\n", options);
    assert!(
        error(r#"{"delimitter": ";"}"#)
            .starts_with("error: invalid options: unknown field `delimitter`")
    );
    assert_eq!(
        error(r#"{"types": {"a": "int); drop table x; --"}}"#),
        "error: invalid type \"int); drop table x; --\" for column \"a\""
    );
    assert_eq!(
        error(r#"{"types": {"b": "text"}}"#),
        "error: column \"b\" in types does not exist"
    );
    assert!(error(r#"{"delimiter": "ab"}"#).contains("one ASCII character"));
}
