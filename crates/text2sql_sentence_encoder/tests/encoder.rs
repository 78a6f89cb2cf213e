//! The encoder gives the vectors of the original, and nothing that a file or a text has makes it panic.
//!
//! `reference.txt` has a text (JSON, and how often it is repeated) and its vector on each line: 512 numbers of
//! half precision in hexadecimal, computed by the Python package that has the model.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on fails"
)]

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use text2sql_sentence_encoder::embedder::FILE_NAME;
use text2sql_sentence_encoder::{DIMENSIONS, SentenceEncoder};

/// Names the file; then it must be there.
const VARIABLE: &str = "TEXT2SQL_ENCODER_FILE";

/// The bytes of the encoder's file, or nothing, said in the test's output, where it was not fetched.
fn file(test: &str) -> Option<Vec<u8>> {
    let path = match std::env::var_os(VARIABLE) {
        Some(path) => PathBuf::from(path),
        None => {
            let target = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target");
            let path = target.join("encoder").join(FILE_NAME);
            if !path.exists() {
                // One write, which the test harness does not hide: scripts/stages.sh counts these lines.
                let line = format!("skipped: {test} needs {FILE_NAME}, which make setup fetches\n");
                let _ = std::io::stderr().write_all(line.as_bytes());
                return None;
            }
            path
        }
    };
    Some(std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}

fn cosine(one: &[f32], other: &[f32]) -> f32 {
    let product =
        |one: &[f32], other: &[f32]| -> f32 { one.iter().zip(other).map(|(a, b)| a * b).sum() };
    product(one, other) / (product(one, one) * product(other, other)).sqrt()
}

/// A number of half precision; those of the file are normal or zero.
fn half(bits: u16) -> f32 {
    let magnitude = match (i32::from(bits >> 10 & 0x1f), f32::from(bits & 0x3ff)) {
        (0, fraction) => fraction * 2f32.powi(-24),
        (exponent, fraction) => (1.0 + fraction / 1024.0) * 2f32.powi(exponent - 15),
    };
    if bits >> 15 == 1 {
        -magnitude
    } else {
        magnitude
    }
}

#[test]
fn vectors_are_those_of_the_original() {
    let Some(file) = file("vectors_are_those_of_the_original") else {
        return;
    };
    let encoder = SentenceEncoder::open(file).unwrap();
    let mut count = 0;
    for line in include_str!("reference.txt").lines() {
        let (text, vector) = line.split_once('\t').unwrap();
        let (text, repeated) = match text.rsplit_once('"').unwrap() {
            (text, "") => (format!("{text}\""), 1),
            (text, times) => (format!("{text}\""), times[1..].parse().unwrap()),
        };
        let text: String = serde_json::from_str(&text).unwrap();
        let vector: Vec<f32> = (0..DIMENSIONS)
            .map(|at| half(u16::from_str_radix(&vector[4 * at..4 * at + 4], 16).unwrap()))
            .collect();
        let similarity = cosine(&encoder.encode(&text.repeat(repeated)), &vector);
        // 1e-5: half precision, and another order of sums.
        assert!(similarity > 0.999_99, "{similarity} for {text:?}");
        count += 1;
    }
    assert_eq!(count, 51);
}

#[test]
fn vectors_have_length_1_and_no_text_makes_it_fail() {
    let Some(file) = file("vectors_have_length_1_and_no_text_makes_it_fail") else {
        return;
    };
    let encoder = SentenceEncoder::open(file).unwrap();
    encoder.verify().unwrap();
    let mut random = fastrand::Rng::with_seed(16);
    for _ in 0..300 {
        let length = random.usize(..60);
        let text: String = std::iter::repeat_with(|| random.char(..))
            .take(length)
            .collect();
        let vector = encoder.encode(&text);
        assert!((cosine(&vector, &vector) - 1.0).abs() < 1e-3);
        let length: f32 = vector.iter().map(|entry| entry * entry).sum();
        assert!((length - 1.0).abs() < 1e-3, "{length} for {text:?}");
    }
}

#[test]
fn a_text_takes_a_bounded_time() {
    let Some(file) = file("a_text_takes_a_bounded_time") else {
        return;
    };
    let encoder = SentenceEncoder::open(file).unwrap();
    // Without the bounds, the second text took a thousand times as long as the first.
    let time = |text: &str| {
        let start = Instant::now();
        encoder.encode(text);
        start.elapsed()
    };
    let short = time(&"customer ".repeat(300));
    let long = time(&"customer ".repeat(300_000));
    assert!(long < short * 10, "{long:?} after {short:?}");
}

#[test]
fn a_damaged_file_is_an_error() {
    let message = |bytes: &[u8]| {
        SentenceEncoder::open(bytes)
            .err()
            .map(|error| error.to_string())
    };
    assert_eq!(
        message(b"").unwrap(),
        "it is too short to be a file of the encoder"
    );
    assert_eq!(
        message(&[0; 1_000]).unwrap(),
        "it is not a file of the encoder"
    );
    let Some(file) = file("a_damaged_file_is_an_error") else {
        return;
    };
    assert_eq!(
        message(&file[..file.len() / 2]).unwrap(),
        format!("it has {} bytes instead of {}", file.len() / 2, file.len())
    );
    let mut random = fastrand::Rng::with_seed(16);
    // The header with its checksums: any change is noticed.
    for at in 0..196 {
        let mut damaged = file[..1_000].to_vec();
        damaged[at] ^= 1 << random.u8(..8);
        assert!(message(&damaged).is_some(), "byte {at}");
    }
    let mut damaged = file;
    for _ in 0..40 {
        let at = random.usize(256..4_000_000);
        damaged[at] ^= 1 << random.u8(..8);
        let noticed = match SentenceEncoder::open(damaged.as_slice()) {
            Err(error) => error.to_string().contains("damaged"),
            Ok(encoder) => encoder.verify().is_err(),
        };
        assert!(noticed, "byte {at}");
    }
    // Where only the table of pieces is damaged, it works.
    let last = damaged.len() - 1_000;
    damaged[last] ^= 0xff;
}
