//! The contract of [`Embedder`].

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
    let least = embedder.least_similarity();
    assert!((0.0..=1.0).contains(&least), "a similarity: {least}");
    assert!(embedder.weight() > 0.0);
}
