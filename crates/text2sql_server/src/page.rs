//! The page: files that the binary contains.

use rust_embed::RustEmbed;

/// The files of the page.
#[derive(RustEmbed)]
#[folder = "page/"]
pub struct Files;
