//! Options of foreign servers and of their user mappings, and the files that they name.
//!
//! Read from the system caches, never through SPI, so that no query text ever contains an option.

use std::ffi::CStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use pgrx::pg_sys;
use text2sql_domain::error::{Error, failure};
use text2sql_domain::secret::Secret;

/// Maximum size of a key, CA or replay file.
const MAX_FILE_BYTES: u64 = 16 * 1024 * 1024;

/// Options of the caller's mapping for the server, else of the mapping for PUBLIC, else nothing.
pub(crate) fn user_mapping(server: pg_sys::Oid) -> Vec<(String, String)> {
    // SAFETY: main thread, inside a transaction. `GetUserMapping` raises an error where there is no
    // mapping, so both look-ups that it does are asked first.
    unsafe {
        let caller = pg_sys::GetUserId();
        let has_mapping = |user: pg_sys::Oid| {
            pg_sys::SearchSysCacheExists(
                pg_sys::SysCacheIdentifier::USERMAPPINGUSERSERVER as i32,
                pg_sys::Datum::from(user),
                pg_sys::Datum::from(server),
                pg_sys::Datum::from(0),
                pg_sys::Datum::from(0),
            )
        };
        if !has_mapping(caller) && !has_mapping(pg_sys::InvalidOid) {
            return Vec::new();
        }
        let mapping = pg_sys::GetUserMapping(caller, server);
        read_options((*mapping).options)
    }
}

/// # Safety
/// `list` is NULL or a list of `DefElem` with string values, as the foreign-object look-ups return.
pub(crate) unsafe fn read_options(list: *mut pg_sys::List) -> Vec<(String, String)> {
    // SAFETY: promised by the caller.
    unsafe {
        let elements = pgrx::PgList::<pg_sys::DefElem>::from_pg(list);
        elements
            .iter_ptr()
            .map(|element| {
                let name = CStr::from_ptr((*element).defname)
                    .to_string_lossy()
                    .into_owned();
                let value = CStr::from_ptr(pg_sys::defGetString(element));
                (name, value.to_string_lossy().into_owned())
            })
            .collect()
    }
}

/// The value of that option.
pub(crate) fn option<'a>(options: &'a [(String, String)], wanted: &str) -> Option<&'a str> {
    options
        .iter()
        .find(|(name, _)| name == wanted)
        .map(|(_, value)| value.as_str())
}

/// Reads a key from a file that only the server's own user may read, as PostgreSQL requires for its TLS key. `what` says
/// in words which file it is.
pub(crate) fn read_secret_file(file: &str, what: &str) -> Result<Secret, Error> {
    let path = in_data_directory(file);
    let mode = std::fs::metadata(&path).map(|facts| facts.permissions().mode());
    if mode.is_ok_and(|mode| mode & 0o027 != 0) {
        return Err(failure!(
            Setup,
            "the {what} \"{file}\" may be read or written by others"
        )
        .with_hint(format!("On the server, run: chmod 600 {}", path.display())));
    }
    let key = read_file(&path, &format!("the {what}"))?;
    match key.trim() {
        "" => Err(failure!(Setup, "the {what} \"{file}\" is empty")),
        key => Ok(Secret::new(key)),
    }
}

/// A relative path is below the data directory.
fn in_data_directory(file: &str) -> PathBuf {
    // SAFETY: `DataDir` is set before any backend starts and never changes.
    let data_directory = unsafe { CStr::from_ptr(pg_sys::DataDir) };
    Path::new(&*data_directory.to_string_lossy()).join(file)
}

/// Reads a file of the server, which a superuser has named.
pub(crate) fn read_file(path: &Path, what: &str) -> Result<String, Error> {
    let path = in_data_directory(&path.to_string_lossy());
    let failed = |why: String| {
        failure!(Setup, "{what} cannot be read")
            .with_detail(why)
            .with_hint(format!(
                "On the server, run as the user that PostgreSQL runs as: ls -l {}",
                path.display()
            ))
    };
    let facts = std::fs::metadata(&path).map_err(|error| failed(error.to_string()))?;
    if !facts.is_file() || facts.len() > MAX_FILE_BYTES {
        return Err(failed(format!(
            "it is not a regular file of at most {MAX_FILE_BYTES} bytes"
        )));
    }
    std::fs::read_to_string(&path).map_err(|error| failed(error.to_string()))
}
