//! Text to and from the server's encoding. Rust uses UTF-8; the database may use another encoding.

use std::borrow::Cow;
use std::ffi::{CStr, CString, c_char, c_int};

use pgrx::pg_sys;

/// Characters of messages that few encodings have, and their replacements.
const PLAIN: [(char, &str); 21] = [
    ('…', "..."),
    ('„', "\""),
    ('“', "\""),
    ('”', "\""),
    ('‘', "'"),
    ('’', "'"),
    ('–', "-"),
    ('—', "-"),
    ('→', "->"),
    ('≥', ">="),
    ('≤', "<="),
    ('≈', "~"),
    ('−', "-"),
    // Bars, by halves.
    ('█', "#"),
    ('▉', "#"),
    ('▊', "#"),
    ('▋', "#"),
    ('▌', "#"),
    ('▍', ""),
    ('▎', ""),
    ('▏', ""),
];

/// A message in a form that the client can display. A client or a database with another encoding than UTF-8 would
/// otherwise get a conversion error instead of an answer or a hint.
pub(crate) fn for_client(text: &str) -> Cow<'_, str> {
    if are_encodings_universal() || text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    for character in text.chars() {
        match PLAIN.iter().find(|(known, _)| *known == character) {
            Some((_, instead)) => plain.push_str(instead),
            None => plain.push(character),
        }
    }
    Cow::Owned(plain)
}

/// JSON in a form that any client can receive: where an encoding may lack a character, all beyond ASCII are escaped.
pub(crate) fn json_for_client(json: &str) -> Cow<'_, str> {
    if are_encodings_universal() || json.is_ascii() {
        return Cow::Borrowed(json);
    }
    let mut escaped = String::with_capacity(json.len());
    for character in json.chars() {
        match character.is_ascii() {
            true => escaped.push(character),
            false => {
                let units = character.encode_utf16(&mut [0; 2]).to_vec();
                escaped.extend(units.iter().map(|unit| format!("\\u{unit:04x}")));
            }
        }
    }
    Cow::Owned(escaped)
}

/// Whether the encodings of client and database have every character.
fn are_encodings_universal() -> bool {
    // SAFETY: reads a setting of the session, and one of the database.
    let encodings = unsafe {
        [
            pg_sys::pg_get_client_encoding(),
            pg_sys::GetDatabaseEncoding(),
        ]
    };
    encodings
        .iter()
        .all(|encoding| *encoding == UTF8 || *encoding == ASCII)
}

const ASCII: c_int = pg_sys::pg_enc::PG_SQL_ASCII.cast_signed();
const UTF8: c_int = pg_sys::pg_enc::PG_UTF8.cast_signed();

/// Copies a server string into UTF-8; NULL becomes empty.
///
/// # Safety
/// `text` is NULL or NUL-terminated and in the server's encoding.
pub(crate) unsafe fn text_of(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: NUL-terminated; the conversion returns its argument or a palloc'd copy.
    unsafe {
        if pg_sys::GetDatabaseEncoding() == UTF8 {
            return CStr::from_ptr(text).to_string_lossy().into_owned();
        }
        let length = c_int::try_from(CStr::from_ptr(text).count_bytes()).unwrap_or(c_int::MAX);
        let converted = pg_sys::pg_server_to_any(text, length, UTF8);
        let owned = CStr::from_ptr(converted).to_string_lossy().into_owned();
        if !std::ptr::eq(converted, text) {
            pg_sys::pfree(converted.cast());
        }
        owned
    }
}

/// A copy in server memory and encoding, or `None` when it contains a NUL byte. A character that the server's
/// encoding lacks raises an ERROR.
pub(crate) fn server_text(text: &str) -> Option<*const c_char> {
    let length = c_int::try_from(text.len()).unwrap_or(c_int::MAX);
    let text = CString::new(text).ok()?;
    // SAFETY: NUL-terminated UTF-8; the conversion checks it and returns its argument or
    // another palloc'd copy.
    unsafe {
        let copy = pg_sys::pstrdup(text.as_ptr());
        Some(pg_sys::pg_any_to_server(copy, length, UTF8))
    }
}
