//! The page: files that the binary contains, packed with gzip (`build.rs`).

use rust_embed::RustEmbed;

/// The files of the page.
#[derive(RustEmbed)]
#[folder = "$OUT_DIR/page"]
pub struct Files;
