//! Models as foreign servers: looks up a server, the caller's privilege to use it, and the key.
//!
//! Everything is read from the system caches, never through SPI, so that no query text ever contains an option.
//! A key is read only when it is needed, from the caller's user mapping, a file or the environment, and is held
//! in a [`Secret`] until the request is sent.

pub(crate) mod http;
pub(crate) mod local_model;
mod model_program;
pub(crate) mod question_budgets;
pub(crate) mod search_requests;
pub(crate) mod sentence_encoder;
pub(crate) mod single_call;
pub(crate) mod slots;
pub(crate) mod test_request;

use std::cell::RefCell;
use std::collections::HashSet;
use std::ffi::{CStr, CString};
use std::path::Path;

use pgrx::pg_sys;
use text2sql_domain::config::{Endpoint, ModelConfig};
use text2sql_domain::error::{Error, ErrorKind, failure};
use text2sql_domain::schema::quote_identifier;
use text2sql_domain::secret::Secret;
use text2sql_models::providers::options::{self, OptionPlace, Rights};
use text2sql_models::providers::replay;

use crate::pg::server::compat::object_privileges;
use crate::pg::server::foreign_server::{
    option, read_file, read_options, read_secret_file, user_mapping,
};
use crate::pg::server::session::user_name;
use crate::pg::server::settings;

/// Name of the foreign-data wrapper.
const WRAPPER: &str = "text2sql";

/// The model of that name, ready to use.
pub(crate) fn model(name: &str) -> Result<ModelConfig, Error> {
    match name {
        "builtin" => Ok(ModelConfig::Builtin),
        "replay" => recordings().map(ModelConfig::Replay),
        name => {
            let server = find_server(name)?;
            let key = api_key(name, &server)?;
            endpoint(name, &server, key).map(|endpoint| ModelConfig::Endpoint(Box::new(endpoint)))
        }
    }
}

/// Refuses names of no model, and models on which the caller has no USAGE.
pub(crate) fn check_usage(names: &[String]) -> Result<(), Error> {
    let servers = names
        .iter()
        .filter(|name| !matches!(name.as_str(), "builtin" | "replay"));
    for name in servers {
        find_server(name)?;
    }
    Ok(())
}

/// Whether the caller can use a model.
pub(crate) struct State {
    /// `usable`, `no usage`, `no key` or `not usable`.
    pub(crate) status: &'static str,
    /// The reason, if it cannot be used.
    pub(crate) problem: Option<String>,
    /// Where the key comes from.
    pub(crate) key_source: Option<&'static str>,
}

/// Whether the caller can use the server of that name, without contacting its endpoint.
pub(crate) fn state(name: &str) -> State {
    let not = |status, error: &Error, key_source| State {
        status,
        problem: Some(error.message().to_owned()),
        key_source,
    };
    let server = match find_server(name) {
        Ok(server) => server,
        Err(error) if error.kind() == ErrorKind::Denied => return not("no usage", &error, None),
        Err(error) => return not("not usable", &error, None),
    };
    let source = Some(key_source(&server));
    match api_key(name, &server) {
        Err(error) => not("no key", &error, source),
        Ok(key) => match endpoint(name, &server, key) {
            Err(error) => not("not usable", &error, source),
            Ok(_) => State {
                status: "usable",
                problem: None,
                key_source: source,
            },
        },
    }
}

/// The model of that name, only to render prompts for it: it cannot be called.
pub(crate) fn model_without_key(name: &str) -> Result<ModelConfig, Error> {
    match name {
        "builtin" => Ok(ModelConfig::Builtin),
        "replay" => Ok(ModelConfig::Replay(Vec::new())),
        name => {
            let endpoint = endpoint(name, &find_server(name)?, None)?;
            Ok(ModelConfig::Endpoint(Box::new(endpoint)))
        }
    }
}

/// The error for a function that the built-in engine does not support.
pub(crate) fn needs_a_model(message: &str) -> Error {
    Error::new(ErrorKind::Setup, message).with_hint("Add a model: SELECT text2sql.add_model('gpt', 'openai', 'https://host/v1', 'model name', api_key_file => 'gpt.key'); SET text2sql.model = 'gpt';")
}

fn recordings() -> Result<Vec<replay::Recording>, Error> {
    let file = settings::replay_file().ok_or_else(|| {
        failure!(
            Setup,
            "the model \"replay\" has no file of recorded replies"
        )
        .with_hint("As a superuser, run: SET text2sql.replay_file = '/path/replies.jsonl';")
    })?;
    replay::read_recordings(&read_file(
        Path::new(&file),
        "the file of recorded replies",
    )?)
}

/// A server with its options, as all roles may read them.
pub(crate) struct ModelServer {
    oid: pg_sys::Oid,
    owner: Rights,
    /// Options as stored.
    pub(crate) options: Vec<(String, String)>,
}

/// Whether there is a model of that name, usable or not.
pub(crate) fn exists(name: &str) -> bool {
    let Ok(c_name) = CString::new(name) else {
        return false;
    };
    // SAFETY: main thread, inside a transaction; the name is NUL-terminated, and with `true` the result
    // for a name that nothing has is an invalid OID.
    let server = unsafe { pg_sys::get_foreign_server_oid(c_name.as_ptr(), true) };
    matches!(name, "builtin" | "replay") || server != pg_sys::InvalidOid
}

/// Finds the server of that name on which the caller has USAGE.
pub(crate) fn find_server(name: &str) -> Result<ModelServer, Error> {
    let unknown = || {
        failure!(Setup, "model \"{name}\" does not exist").with_hint(format!(
            "SET text2sql.model = 'builtin', or: CREATE SERVER {} FOREIGN DATA WRAPPER text2sql OPTIONS (protocol 'openai', base_url 'https://host/v1', model '…')",
            quote_identifier(name)
        ))
    };
    let c_name = CString::new(name).map_err(|_| unknown())?;
    // SAFETY: main thread, inside a transaction; the name is NUL-terminated; with `missing_ok` the
    // result is NULL or a struct in the current memory context.
    let (server, wrapper) = unsafe {
        let server = pg_sys::GetForeignServerByName(c_name.as_ptr(), true);
        if server.is_null() {
            return Err(unknown());
        }
        let wrapper = pg_sys::GetForeignDataWrapper((*server).fdwid);
        (
            &*server,
            CStr::from_ptr((*wrapper).fdwname)
                .to_string_lossy()
                .into_owned(),
        )
    };
    if wrapper != WRAPPER {
        return Err(failure!(
            Setup,
            "server \"{name}\" is not a model: its foreign-data wrapper is \"{wrapper}\""
        )
        .with_hint("A model is a server of foreign-data wrapper text2sql."));
    }
    // SAFETY: as above; reads a variable of the session.
    let may_use = unsafe {
        let user = pg_sys::GetUserId();
        object_privileges::uses_foreign_server(server.serverid, user)
    };
    if !may_use {
        return Err(
            failure!(Denied, "permission denied for model \"{name}\"").with_hint(format!(
                "Ask the owner to run: GRANT USAGE ON FOREIGN SERVER {} TO {}",
                quote_identifier(name),
                quote_identifier(&user_name())
            )),
        );
    }
    // SAFETY: `options` is the list of DefElem that the struct owns.
    let options = unsafe { read_options(server.options) };
    Ok(ModelServer {
        oid: server.serverid,
        owner: rights_of(server.owner),
        options,
    })
}

/// The endpoint of a server.
fn endpoint(name: &str, server: &ModelServer, key: Option<Secret>) -> Result<Endpoint, Error> {
    if let Some((option, who)) = options::not_of_owner(&server.options, server.owner) {
        return Err(failure!(Denied, "server \"{name}\" has option \"{option}\", which is allowed only for a server owned by {who}")
        .with_hint(format!(
            "Change its owner to {who} with ALTER SERVER {} OWNER TO, or drop the option.",
            quote_identifier(name)
        )));
    }
    let ca_pem = option(&server.options, "ca_file")
        .map(|file| read_file(Path::new(file), "the ca_file"))
        .transpose()?;
    let mut endpoint = options::endpoint(name, &server.options, key, ca_pem)?;
    endpoint.structured_output &= !WITHOUT_STRUCTURE.with_borrow(|names| names.contains(name));
    endpoint.completion_tokens = WITHOUT_MAX_TOKENS.with_borrow(|names| names.contains(name));
    if endpoint.connection.program.is_none() {
        check_host(&endpoint)?;
    }
    Ok(endpoint)
}

/// The key for the caller: from the user mapping of the caller, the one for PUBLIC, then the file or the environment
/// variable that the server names.
fn api_key(name: &str, server: &ModelServer) -> Result<Option<Secret>, Error> {
    let mapping = user_mapping(server.oid);
    for options in [mapping.as_slice(), server.options.as_slice()] {
        if let Some(key) = option(options, "api_key") {
            return Ok(Some(Secret::new(key)));
        }
        if let Some(file) = option(options, "api_key_file") {
            return read_secret_file(file, "key file").map(Some);
        }
        if let Some(variable) = option(options, "api_key_env") {
            return read_key_variable(variable).map(Some);
        }
    }
    // A private endpoint often needs no key; one on the internet does.
    let may_be_open = ["allow_private", "allow_http", "model_file"]
        .iter()
        .any(|wanted| option(&server.options, wanted).is_some());
    if may_be_open {
        return Ok(None);
    }
    let quoted = quote_identifier(name);
    Err(failure!(Setup, "no API key found for model \"{name}\"").with_hint(
        format!("Add a key: CREATE USER MAPPING FOR CURRENT_USER SERVER {quoted} OPTIONS (api_key '…'); or, as a superuser: ALTER SERVER {quoted} OPTIONS (ADD api_key_file '…');"),
    ))
}

/// The source of a server's key for the caller, in words, without reading it.
pub(crate) fn key_source(server: &ModelServer) -> &'static str {
    let mapping = user_mapping(server.oid);
    let has = |options: &[(String, String)], wanted: &str| option(options, wanted).is_some();
    match () {
        () if has(&mapping, "api_key") => "user mapping",
        () if has(&mapping, "api_key_file") => "file named by the user mapping",
        () if has(&mapping, "api_key_env") => "environment variable named by the user mapping",
        () if has(&server.options, "api_key_file") => "file",
        () if has(&server.options, "api_key_env") => "environment variable",
        () => "none",
    }
}

fn read_key_variable(variable: &str) -> Result<Secret, Error> {
    let key = Some(variable)
        .filter(|variable| options::is_key_variable(variable))
        .and_then(|variable| std::env::var(variable).ok())
        .filter(|key| !key.trim().is_empty());
    key.map(|key| Secret::new(key.trim())).ok_or_else(|| {
        failure!(
            Setup,
            "the server's environment has no variable \"{variable}\""
        )
        .with_hint("Set it where the server is started, and restart the server.")
    })
}

/// Checks the endpoint's host against text2sql.allowed_hosts.
fn check_host(endpoint: &Endpoint) -> Result<(), Error> {
    let allowed = settings::allowed_hosts();
    let host = options::host(&endpoint.base_url).to_ascii_lowercase();
    let fits = |allowed: &String| {
        host == *allowed || (allowed.starts_with('.') && host.ends_with(allowed.as_str()))
    };
    if allowed.is_empty() || allowed.iter().any(fits) {
        return Ok(());
    }
    Err(failure!(Denied, "host \"{host}\" is not among text2sql.allowed_hosts")
    .with_hint("A superuser can add it to text2sql.allowed_hosts in postgresql.conf and reload the configuration."))
}

thread_local! {
    /// Servers that refused structured output in this session: trying again would cost a request.
    static WITHOUT_STRUCTURE: RefCell<HashSet<String>> = RefCell::new(HashSet::new());

    /// Servers that refused `max_tokens`, for the same reason.
    static WITHOUT_MAX_TOKENS: RefCell<HashSet<String>> = RefCell::new(HashSet::new());
}

/// Records which servers refused structured output, and which `max_tokens`.
pub(crate) fn remember_refusals(structured: &[String], max_tokens: &[String]) {
    WITHOUT_STRUCTURE.with_borrow_mut(|names| names.extend(structured.iter().cloned()));
    WITHOUT_MAX_TOKENS.with_borrow_mut(|names| names.extend(max_tokens.iter().cloned()));
}

/// What kind of object the validator is called for; `None` for any other than those of the foreign-data wrapper text2sql.
pub(crate) fn option_place(catalog: pg_sys::Oid) -> Option<OptionPlace> {
    match catalog {
        pg_sys::ForeignDataWrapperRelationId => Some(OptionPlace::Wrapper),
        pg_sys::ForeignServerRelationId => Some(OptionPlace::Server),
        pg_sys::UserMappingRelationId => Some(OptionPlace::UserMapping),
        _ => None,
    }
}

/// What the caller may set.
pub(crate) fn own_rights() -> Rights {
    // SAFETY: reads a variable of the session.
    rights_of(unsafe { pg_sys::GetUserId() })
}

fn rights_of(role: pg_sys::Oid) -> Rights {
    // SAFETY: main thread, inside a transaction; the second is the OID of a role that every server has.
    unsafe {
        Rights {
            is_superuser: pg_sys::superuser_arg(role),
            reads_files: pg_sys::has_privs_of_role(role, READ_SERVER_FILES.into()),
        }
    }
}

/// The OID of the role pg_read_server_files.
const READ_SERVER_FILES: u32 = 4569;

/// An identifier for a question: a random UUID.
pub(crate) fn new_trace_id() -> pgrx::Uuid {
    let mut bytes = [0u8; 16];
    // SAFETY: the buffer is as long as said.
    unsafe { pg_sys::pg_strong_random(bytes.as_mut_ptr().cast(), bytes.len()) };
    // Version 4, variant 1, as RFC 9562 wants of random UUIDs.
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    pgrx::Uuid::from_bytes(bytes)
}
