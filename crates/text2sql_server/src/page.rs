//! The page: files that the binary contains, packed with gzip (`build.rs`).

use std::io::{self, Read};

use flate2::read::GzDecoder;
use rust_embed::RustEmbed;

/// The files of the page.
#[derive(RustEmbed)]
#[folder = "$OUT_DIR/page"]
pub struct Files;

/// A file that the binary contains, as it was before.
pub fn unpack(packed: &[u8]) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    GzDecoder::new(packed).read_to_end(&mut content)?;
    Ok(content)
}
