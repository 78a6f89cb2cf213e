//! What is measured: everything, everything but one part, and single parts alone.

use text2sql_domain::config::{RetrievalConfig, TableWeights};

/// Nothing but what is switched on.
const NONE: RetrievalConfig = RetrievalConfig {
    search: true,
    names: false,
    columns: false,
    tables: false,
    // Parts of what `columns`, `tables` and `vectors` search by.
    spelling: true,
    table_vectors: true,
    word_vectors: true,
    vectors: false,
    values: false,
    rerank: false,
    coherence: false,
    closure: false,
    families: false,
    definitions: false,
    examples: false,
    weights: TableWeights::DEFAULT,
};

/// Each variant with its name.
pub(crate) fn all() -> Vec<(&'static str, RetrievalConfig)> {
    let all = RetrievalConfig::ALL;
    let columns = RetrievalConfig {
        columns: true,
        ..NONE
    };
    vec![
        ("BM25 over columns alone", columns.clone()),
        (
            "BM25 over tables alone",
            RetrievalConfig {
                tables: true,
                ..NONE
            },
        ),
        (
            "vectors alone",
            RetrievalConfig {
                vectors: true,
                ..NONE
            },
        ),
        (
            "BM25 over columns, closure",
            RetrievalConfig {
                closure: true,
                ..columns.clone()
            },
        ),
        (
            "three legs fused",
            RetrievalConfig {
                tables: true,
                vectors: true,
                ..columns
            },
        ),
        ("everything", all.clone()),
        (
            "without names",
            RetrievalConfig {
                names: false,
                ..all.clone()
            },
        ),
        (
            "without BM25 over columns",
            RetrievalConfig {
                columns: false,
                ..all.clone()
            },
        ),
        (
            "without BM25 over tables",
            RetrievalConfig {
                tables: false,
                ..all.clone()
            },
        ),
        (
            "without vectors",
            RetrievalConfig {
                vectors: false,
                ..all.clone()
            },
        ),
        (
            "without coherence",
            RetrievalConfig {
                coherence: false,
                ..all.clone()
            },
        ),
        (
            "without re-ranker",
            RetrievalConfig {
                rerank: false,
                coherence: false,
                ..all.clone()
            },
        ),
        (
            "without closure",
            RetrievalConfig {
                closure: false,
                ..all.clone()
            },
        ),
        (
            "without families",
            RetrievalConfig {
                families: false,
                ..all
            },
        ),
    ]
}
