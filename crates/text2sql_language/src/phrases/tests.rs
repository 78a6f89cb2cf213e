//! Placeholders, forms, the file of a language, and how long a language holds.

use super::{Language, entries, finished, in_language, say, translated};
use crate::say;

#[test]
fn english_is_what_the_code_says() {
    let rows = "orders";
    assert_eq!(say!("Start with {rows}.", rows), "Start with orders.");
    assert_eq!(say!("first^row"), "row");
    assert_eq!(say!("{a} and [b]", a = 1), "1 and [b]");
    assert_eq!(say!("{unknown} {", unknown = "{x}"), "{x} {");
}

#[test]
fn a_language_holds_for_a_call() {
    let words = "orders";
    let german = in_language(Language::German, || say!("Start with {words}.", words));
    assert_eq!(german, "Mit orders beginnen.");
    assert_eq!(super::current(), Language::English);
    let caught = std::panic::catch_unwind(|| in_language(Language::German, || panic!("stop")));
    assert!(caught.is_err());
    assert_eq!(super::current(), Language::English);
    // A text of somebody else stays as it is.
    let text = in_language(Language::German, || {
        translated("operator ^({x}) is not built in")
    });
    assert_eq!(text, "operator ^({x}) is not built in");
    // What has no translation stays English.
    let text = in_language(Language::German, || say("no such sentence", &[]));
    assert_eq!(text, "no such sentence");
}

#[test]
fn a_phrase_takes_the_form_that_its_sentence_needs() {
    let sum = super::forms::fill("[die|die|der] Summe von {x:dat}", &[("x", &"total")], true);
    let of = |template: &str| super::forms::fill(template, &[("x", &sum)], true);
    assert_eq!(of("{x} steigt"), "die Summe von total steigt");
    assert_eq!(of("mit {x:dat}"), "mit der Summe von total");
    let start = super::forms::fill("[der|den|dem] Beginn", &[], true);
    let of_start = super::forms::fill("Wert von {x:dat}", &[("x", &start)], true);
    assert_eq!(of_start, "Wert vom Beginn");
    assert_eq!(finished(of("{x:keep}!")), "die Summe von total!");
    assert_eq!(finished("\u{E000}a".to_owned()), "a");
}

#[test]
fn a_language_has_each_sentence_once() {
    let mut seen = std::collections::HashSet::new();
    for entry in entries(Language::German) {
        assert!(!entry.english.starts_with(' '), "{}", entry.english);
        assert!(seen.insert(entry.english), "twice: {}", entry.english);
    }
}

#[test]
fn languages_are_read_from_names_and_locales() {
    for (name, language) in [
        ("de", Some(Language::German)),
        ("de_AT.UTF-8", Some(Language::German)),
        ("Deutsch", Some(Language::German)),
        ("en-GB", Some(Language::English)),
        ("C", Some(Language::English)),
        ("fr", None),
        ("", None),
    ] {
        assert_eq!(Language::named(name), language, "{name}");
    }
}
