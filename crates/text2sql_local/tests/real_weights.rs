//! The embedder `local` with the weights of all-MiniLM-L6-v2, in the directory of `TEXT2SQL_LOCAL_MODEL`:
//! `make test-local` fetches them.
#![cfg(feature = "candle")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot go on fails"
)]

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use text2sql_domain::ports::{Embedder, Purpose};
use text2sql_local::LocalEmbedder;

fn model(test: &str) -> Option<LocalEmbedder> {
    let Some(directory) = std::env::var_os("TEXT2SQL_LOCAL_MODEL").map(PathBuf::from) else {
        // One write, which the test harness does not hide: scripts/stages.sh counts these lines.
        let line =
            format!("skipped: {test} needs TEXT2SQL_LOCAL_MODEL, which make test-local sets\n");
        let _ = std::io::stderr().write_all(line.as_bytes());
        return None;
    };
    let start = Instant::now();
    let model = LocalEmbedder::load(&directory).unwrap();
    println!("loaded in {:?}", start.elapsed());
    Some(model)
}

fn cosine(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}

#[test]
fn similarities_are_the_published_ones() {
    let Some(model) = model("similarities_are_the_published_ones") else {
        return;
    };
    assert_eq!(model.dimensions(), 384);
    assert!(model.name().starts_with("local:"));
    // The example of the model's card, as computed by sentence-transformers.
    let texts = [
        "That is a happy person",
        "That is a happy dog",
        "That is a very happy person",
        "Today is a sunny day",
    ];
    let vectors = model.embed(&texts, Purpose::Document).unwrap();
    let [first, others @ ..] = vectors.as_slice() else {
        panic!("four texts have four vectors")
    };
    assert!((cosine(first, first) - 1.0).abs() < 1e-3);
    for (vector, expected) in others.iter().zip([0.695, 0.943, 0.257]) {
        let found = cosine(first, vector);
        assert!(
            (found - expected).abs() < 0.005,
            "{found} instead of {expected}"
        );
    }
}

#[test]
fn any_text_has_a_vector() {
    let Some(model) = model("any_text_has_a_vector") else {
        return;
    };
    let long = "customers and their orders ".repeat(2_000);
    for text in ["", " ", "😀", "\u{0}\u{202e}", "Größe", &long] {
        let start = Instant::now();
        let vector = model.embed(&[text], Purpose::Question).unwrap().remove(0);
        println!("{} bytes in {:?}", text.len(), start.elapsed());
        assert_eq!(vector.len(), 384);
        assert!((cosine(&vector, &vector) - 1.0).abs() < 1e-3, "{text:?}");
    }
}

#[test]
fn a_directory_without_a_model_is_an_error() {
    let error = LocalEmbedder::load(&std::env::temp_dir().join("no such model")).err();
    let message = error.unwrap().message().to_owned();
    assert_eq!(message, "could not read config.json of the local model");
}
