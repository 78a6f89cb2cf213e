//! Archives, as workbooks and documents of Word are.

use std::io::Read;

/// Refuses an archive whose parts have more than that many bytes together when they are unpacked. What it says of
/// itself may be a lie, so it is unpacked, to nowhere.
pub(super) fn refuse_bomb(bytes: &[u8], most: u64) -> Result<(), String> {
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(bytes))
        .map_err(|error| format!("the file is no archive, or damaged: {error}"))?;
    let mut left = most;
    for index in 0..archive.len() {
        let part = archive
            .by_index(index)
            .map_err(|error| format!("the file is a damaged archive: {error}"))?;
        let unpacked = std::io::copy(&mut part.take(left + 1), &mut std::io::sink())
            .map_err(|error| format!("the file is a damaged archive: {error}"))?;
        left = left
            .checked_sub(unpacked)
            .ok_or_else(|| format!("the file unpacks to more than {} MB", most >> 20))?;
    }
    Ok(())
}
