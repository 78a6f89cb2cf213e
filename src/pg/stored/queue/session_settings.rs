//! What a session has set when it submits a question, and how a worker sets it again.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString};
use text2sql_domain::words;

use pgrx::pg_sys;
use text2sql_domain::error::{Error, failure};

use crate::pg::server::compat::session_settings::chosen_names;
use crate::pg::server::spi::encoding::{server_text, text_of};
use crate::pg::server::spi::json_text::json_text;
use crate::pg::server::spi::role::EffectiveRole;

/// What belongs to the connection or to the statement that submitted the question, not to the question.
const NOT_KEPT: &[&str] = words!(
    "application_name, client_encoding, client_min_messages, default_transaction_deferrable, \
     default_transaction_isolation, default_transaction_read_only, \
     idle_in_transaction_session_timeout, idle_session_timeout, local_preload_libraries, \
     lock_timeout, statement_timeout, text2sql.enable_progress, transaction_timeout"
);

/// The settings of this session, as a JSON object. Those of the configuration, the database and the role are not among
/// them: the worker has them from its own login.
pub(crate) fn chosen() -> Result<String, Error> {
    let mut settings = BTreeMap::new();
    for name in chosen_names() {
        let Ok(text) = name.to_str() else { continue };
        if NOT_KEPT.contains(&text.to_ascii_lowercase().as_str()) {
            continue;
        }
        // SAFETY: the server's own name; the value is NUL-terminated, and copied before the next look-up.
        let value = unsafe {
            let value = pg_sys::GetConfigOption(name.as_ptr(), true, false);
            (!value.is_null()).then(|| text_of(value))
        };
        if let Some(value) = value {
            settings.insert(text, value);
        }
    }
    json_text(&settings)
}

/// Sets them until the end of the transaction, with the privileges of this login, and becomes the role by SET ROLE. What
/// the login may not do is an ERROR of the server.
pub(super) fn take_on(settings: &str, role: pg_sys::Oid) -> Result<(), Error> {
    let settings: BTreeMap<String, String> = serde_json::from_str(settings).map_err(|error| {
        failure!(Internal, "could not read the stored settings").with_source(error)
    })?;
    for (name, value) in &settings {
        if let (Some(name), Some(value)) = (server_text(name), server_text(value)) {
            // SAFETY: `server_text` is NUL-terminated.
            unsafe { set_local(CStr::from_ptr(name), CStr::from_ptr(value)) };
        }
    }
    // SAFETY: reads a variable.
    if role == unsafe { pg_sys::GetSessionUserId() } {
        return Ok(());
    }
    let role = EffectiveRole {
        oid: role,
        is_switched: false,
    };
    let name = role.name();
    match CString::new(name).ok().filter(|name| !name.is_empty()) {
        Some(name) => {
            set_local(c"role", &name);
            Ok(())
        }
        None => Err(failure!(
            Undefined,
            "the role that asked does not exist any more"
        )),
    }
}

/// SET LOCAL, as the current role.
fn set_local(name: &CStr, value: &CStr) {
    // SAFETY: main thread, inside a transaction, NUL-terminated texts. An invalid value, and a missing privilege, are an
    // ERROR, which ends the transaction.
    unsafe {
        let context = match pg_sys::superuser() {
            true => pg_sys::GucContext::PGC_SUSET,
            false => pg_sys::GucContext::PGC_USERSET,
        };
        pg_sys::set_config_option(
            name.as_ptr(),
            value.as_ptr(),
            context,
            pg_sys::GucSource::PGC_S_SESSION,
            pg_sys::GucAction::GUC_ACTION_LOCAL,
            true,
            0,
            false,
        );
    }
}
