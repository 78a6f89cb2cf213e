//! Placeholders, forms, the file of a language, and how long a language holds.

use super::{Language, finished, in_language, say, translated};
use crate::po::plural_form;
use crate::{say_count, say_in};

fn german() -> Language {
    Language::named("de").unwrap_or_default()
}

#[test]
fn english_is_what_the_code_says() {
    let rows = "orders";
    assert_eq!(say!("Start with {rows}."), "Start with orders.");
    assert_eq!(say!("first^row"), "row");
    assert_eq!(say!("{a} and [b]", a = 1), "1 and [b]");
    assert_eq!(say!("{unknown} {", unknown = "{x}"), "{x} {");
}

#[test]
fn a_language_holds_for_a_call() {
    let words = "orders";
    let begun = in_language(german(), || say!("Start with {words}."));
    assert_eq!(begun, "Mit orders beginnen.");
    assert_eq!(super::current(), Language::ENGLISH);
    let caught = std::panic::catch_unwind(|| in_language(german(), || panic!("stop")));
    assert!(caught.is_err());
    assert_eq!(super::current(), Language::ENGLISH);
    // A text of somebody else stays as it is.
    let text = in_language(german(), || translated("operator ^({x}) is not built in"));
    assert_eq!(text, "operator ^({x}) is not built in");
    // What has no translation stays English.
    let text = in_language(german(), || say("no such sentence", &[]));
    assert_eq!(text, "no such sentence");
}

#[test]
fn a_phrase_takes_the_form_that_its_sentence_needs() {
    let forms = Some(german().0.header());
    let sum = super::forms::fill("[die|die|der] Summe von {x:dat}", &[("x", &"total")], forms);
    let of = |template: &str| super::forms::fill(template, &[("x", &sum)], forms);
    assert_eq!(of("{x} steigt"), "die Summe von total steigt");
    assert_eq!(of("mit {x:dat}"), "mit der Summe von total");
    let start = super::forms::fill("[der|den|dem] Beginn", &[], forms);
    let of_start = super::forms::fill("Wert von {x:dat}", &[("x", &start)], forms);
    assert_eq!(of_start, "Wert vom Beginn");
    assert_eq!(finished(of("{x:keep}!")), "die Summe von total!");
    assert_eq!(finished("\u{E000}a".to_owned()), "a");
}

#[test]
fn a_language_has_each_sentence_once() {
    let mut seen = std::collections::HashSet::new();
    for entry in german().entries() {
        let key = &entry.key;
        assert!(!key.is_empty() && !key.starts_with(' '), "{key}");
        assert!(seen.insert(key), "twice: {key}");
    }
}

#[test]
fn languages_are_read_from_names_and_locales() {
    for (name, language) in [
        ("de", Some("de")),
        ("de_AT.UTF-8", Some("de")),
        ("Deutsch", Some("de")),
        ("en-GB", Some("en")),
        ("C", Some("en")),
        ("fr", None),
        ("", None),
    ] {
        assert_eq!(Language::named(name).map(Language::tag), language, "{name}");
    }
}

#[test]
fn a_number_takes_the_form_of_its_language() {
    let english = |n: u64| say_count!(Language::ENGLISH, n, "{n} row", "{n} rows");
    assert_eq!(
        (english(1), english(0)),
        ("1 row".to_owned(), "0 rows".to_owned())
    );
    let polish = "n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2";
    let forms: Vec<usize> = [1, 2, 5, 12, 22, 25, 112]
        .iter()
        .map(|n| plural_form(polish, *n))
        .collect();
    assert_eq!(forms, [0, 1, 2, 2, 1, 2, 2]);
    assert_eq!(plural_form("(n != 1)", 1), 0);
    assert_eq!(plural_form("", 7), 0);
}

#[test]
fn a_language_is_a_file() {
    let file = "msgid \"\"\nmsgstr \"\"\n\"X-Name: Szaa\\n\"\n\"Plural-Forms: nplurals=3; plural=n<3?n:2;\\n\"\n\"X-Cases: a b\\n\"\n\n\
                # One text.\nmsgctxt \"first\"\nmsgid \"row\"\nmsgstr \"[ra|re] \"\n\"{x}\"\n\n\
                msgid \"{n} row\"\nmsgid_plural \"{n} rows\"\nmsgstr[0] \"no r\"\nmsgstr[1] \"one r\"\nmsgstr[2] \"{n} r\"\n\
                msgid \"of {row}\"\nmsgstr \"o {row:b}\"\n\nmsgid \"open\"\nmsgstr \"\"\n";
    let made_up = Language::of_file("xx", file);
    assert_eq!(made_up.name(), "Szaa");
    let row = say_in!(made_up, "first^row", x = "q");
    assert_eq!(say_in!(made_up, "of {row}"), "o re q");
    let rows = |n: u64| say_count!(made_up, n, "{n} row", "{n} rows");
    assert_eq!(
        (rows(0), rows(1), rows(9)),
        ("no r".into(), "one r".into(), "9 r".into())
    );
    // What a file leaves open stays English.
    assert_eq!(say_in!(made_up, "open"), "open");
}
