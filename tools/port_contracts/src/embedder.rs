//! The contract of [`Embedder`].

use text2sql_domain::error::{Error, ErrorKind};
use text2sql_domain::ports::{Embedder, Purpose};

/// What any embedder must do.
pub fn embedder(embedder: &dyn Embedder) {
    let embed = |texts: &[&str]| embedder.embed(texts, Purpose::Document).expect("vectors");
    assert!(
        !embedder.name().is_empty(),
        "vectors are told apart by the name"
    );
    assert!(embed(&[]).is_empty(), "no text, no vector");
    let texts = [
        "net sales",
        "Größenklasse",
        "売上",
        "net sales",
        "a b c 'quoted' \"names\"",
    ];
    let vectors = embed(&texts);
    assert_eq!(vectors.len(), texts.len(), "one for each text");
    let length = vectors[0].len();
    assert!(length > 0);
    assert!(
        embedder.dimensions() == 0 || embedder.dimensions() == length,
        "the length is the declared one"
    );
    for (text, vector) in texts.iter().zip(&vectors) {
        assert_eq!(vector.len(), length, "{text}");
        let norm = vector.iter().map(|entry| entry * entry).sum::<f32>().sqrt();
        assert!((norm - 1.0).abs() < 1e-3, "{text}: of length {norm}");
    }
    assert_eq!(vectors[0], vectors[3], "the same text, the same vector");
    assert_eq!(
        embed(&texts[1..2])[0],
        vectors[1],
        "whatever else is in the call"
    );
    let many = texts.repeat(20);
    let mut taken = Vec::new();
    let outcome = embedder.embed_each(&many, Purpose::Document, &mut |vectors| {
        assert!(!vectors.is_empty(), "nothing is taken in vain");
        taken.extend(vectors);
        Ok(())
    });
    assert!(outcome.is_ok());
    assert!(
        taken == embed(&many),
        "some at a time, they are the same in the same order"
    );
    let mut calls = 0;
    let outcome = embedder.embed_each(&many, Purpose::Document, &mut |_| {
        calls += 1;
        Err(Error::new(ErrorKind::Limit, "full"))
    });
    let message = outcome
        .expect_err("the error of the taker")
        .message()
        .to_owned();
    assert_eq!((message.as_str(), calls), ("full", 1));
    let least = embedder.least_similarity();
    assert!((0.0..=1.0).contains(&least), "a similarity: {least}");
    assert!(embedder.weight() > 0.0);
}
