//! From bytes to text.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

use crate::error::FileError;

/// Decodes a file. Without a label: by its byte order mark; else UTF-8, UTF-16 where every second byte is zero, or
/// windows-1252, which has a character for almost every byte. Returns the text and the name of the encoding where it
/// was a guess that the reader should know of.
///
/// # Errors
///
/// An unknown label, or bytes that are not in that encoding.
pub fn decoded<'a>(
    bytes: &'a [u8],
    label: Option<&str>,
) -> Result<(Cow<'a, str>, Option<&'static str>), FileError> {
    if label.is_none() && (bytes.starts_with(UTF_32LE) || bytes.starts_with(UTF_32BE)) {
        return Err(FileError::new("the file is encoded in UTF-32")
            .with_hint("Convert it: iconv -f utf-32 -t utf-8."));
    }
    let (encoding, is_guess) = match (label, Encoding::for_bom(bytes)) {
        (Some(label), _) => {
            let known = Encoding::for_label(label.as_bytes()).ok_or_else(|| {
                FileError::new(format!("unknown encoding \"{label}\"")).with_hint(
                    "Write for example utf-8, windows-1252, iso-8859-2, utf-16le or shift_jis.",
                )
            })?;
            (known, false)
        }
        (None, Some((encoding, _))) => (encoding, false),
        (None, None) if std::str::from_utf8(bytes).is_ok() && !bytes.contains(&0) => (UTF_8, false),
        (None, None) => match wide(bytes) {
            Some(encoding) => (encoding, true),
            None if std::str::from_utf8(bytes).is_ok() => (UTF_8, false),
            None => match not_windows(bytes) {
                Some(line) => {
                    return Err(FileError::new(format!(
                        "the encoding of the file is not known: line {line} has bytes that are neither UTF-8 nor windows-1252"
                    ))
                    .with_hint(
                        "Name the encoding of the file, such as utf-8, windows-1252, iso-8859-2 or shift_jis.",
                    ));
                }
                None => (WINDOWS_1252, true),
            },
        },
    };
    let (text, used, is_broken) = encoding.decode(bytes);
    if is_broken {
        let at = std::str::from_utf8(bytes).err().filter(|_| used == UTF_8);
        let place = at.map(|error| {
            let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
            format!(
                " in line {}",
                1 + before.iter().filter(|byte| **byte == b'\n').count()
            )
        });
        return Err(FileError::new(format!(
            "the file is not encoded in {}: invalid bytes{}",
            used.name(),
            place.unwrap_or_default()
        ))
        .with_hint("Name the encoding of the file, such as windows-1252."));
    }
    Ok((text, is_guess.then(|| used.name())))
}

/// How texts in UTF-32 begin.
const UTF_32LE: &[u8] = b"\xFF\xFE\0\0";
const UTF_32BE: &[u8] = b"\0\0\xFE\xFF";

/// Bytes that windows-1252 does not define.
const UNDEFINED: [u8; 5] = [0x81, 0x8D, 0x8F, 0x90, 0x9D];

/// The first line which shows that a text, which is not UTF-8, is not windows-1252 either: a byte that it does not define,
/// or a byte that is no UTF-8 in a text that has letters of UTF-8 elsewhere.
fn not_windows(bytes: &[u8]) -> Option<usize> {
    let is_mixed = bytes.utf8_chunks().any(|chunk| !chunk.valid().is_ascii());
    let wrong = match is_mixed {
        true => std::str::from_utf8(bytes)
            .err()
            .map(|error| error.valid_up_to()),
        false => bytes.iter().position(|byte| UNDEFINED.contains(byte)),
    }?;
    let before = bytes.get(..wrong).unwrap_or_default();
    Some(1 + before.iter().filter(|byte| **byte == b'\n').count())
}

/// UTF-16 without a byte order mark: in texts of most languages, every second byte is zero.
fn wide(bytes: &[u8]) -> Option<&'static Encoding> {
    let start = bytes.get(..bytes.len().min(4_096)).unwrap_or_default();
    if start.len() < 4 {
        return None;
    }
    let zeros = |parity: usize| {
        start
            .iter()
            .skip(parity)
            .step_by(2)
            .filter(|byte| **byte == 0)
            .count()
    };
    let most = start.len() / 2 * 7 / 10;
    match (zeros(0), zeros(1)) {
        (even, 0) if even >= most.max(1) => Some(UTF_16BE),
        (0, odd) if odd >= most.max(1) => Some(UTF_16LE),
        _ => None,
    }
}
