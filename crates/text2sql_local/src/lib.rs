//! The `local` embedder: a BERT-like sentence model of a directory (`config.json`,
//! `tokenizer.json`, `model.safetensors`), run in this process on one core.
//!
//! Built with the feature `candle`; without it this crate is empty. Loading takes some 80 ms and
//! 100 MB, a question some 10 ms: load when first needed, drop to release.
#![forbid(unsafe_code)]

#[cfg(feature = "candle")]
mod sentence_model;

#[cfg(feature = "candle")]
pub use sentence_model::LocalEmbedder;
