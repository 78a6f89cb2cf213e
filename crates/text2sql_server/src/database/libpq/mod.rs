//! Connection parameters as users of libpq expect them: a connection string, the connection service file, the
//! environment variables `PG…` and the password file. Pure: what is outside is asked through [`Surroundings`].

mod password_file;
mod service_file;
mod surroundings;
mod text;

use std::path::PathBuf;

pub use self::surroundings::{Parameters, Surroundings};
use self::surroundings::{home, variable};

/// Every parameter that is understood, with its environment variable. Names of libpq that change nothing here are in
/// [`WITHOUT_EFFECT`]; others are errors, because a parameter that is not obeyed would not be noticed.
const PARAMETERS: &[(&str, &str)] = &[
    ("host", "PGHOST"),
    ("hostaddr", "PGHOSTADDR"),
    ("port", "PGPORT"),
    ("dbname", "PGDATABASE"),
    ("user", "PGUSER"),
    ("password", "PGPASSWORD"),
    ("passfile", "PGPASSFILE"),
    ("service", "PGSERVICE"),
    ("servicefile", "PGSERVICEFILE"),
    ("sslmode", "PGSSLMODE"),
    ("sslrootcert", "PGSSLROOTCERT"),
    ("sslcert", "PGSSLCERT"),
    ("sslkey", "PGSSLKEY"),
    ("sslnegotiation", "PGSSLNEGOTIATION"),
    ("channel_binding", "PGCHANNELBINDING"),
    ("connect_timeout", "PGCONNECT_TIMEOUT"),
    ("target_session_attrs", "PGTARGETSESSIONATTRS"),
    ("options", "PGOPTIONS"),
    ("tcp_user_timeout", ""),
    ("keepalives", ""),
    ("keepalives_idle", ""),
    ("keepalives_interval", ""),
    ("keepalives_count", ""),
];

/// Parameters that are accepted and change nothing: the server names its connections itself, speaks UTF-8, and knows
/// neither GSSAPI nor compression.
const WITHOUT_EFFECT: &[&str] = &[
    "application_name",
    "fallback_application_name",
    "client_encoding",
    "gssencmode",
    "krbsrvname",
    "gsslib",
    "sslcompression",
    "sslsni",
];

/// The parameters of a connection string, filled up from the service file and the environment, in the order of libpq.
pub fn resolve(text: &str, surroundings: Surroundings<'_>) -> Result<Parameters, String> {
    let mut parameters = text::parse(text)?;
    for name in parameters.keys() {
        check(name)?;
    }
    let service = parameters
        .get("service")
        .cloned()
        .or_else(|| variable(surroundings, "PGSERVICE"));
    if let Some(service) = service {
        let file = parameters.get("servicefile").map(PathBuf::from);
        for (name, value) in service_file::find(&service, file, surroundings)? {
            check(&name)?;
            parameters.entry(name).or_insert(value);
        }
    }
    for (name, environment) in PARAMETERS {
        if let Some(value) = variable(surroundings, environment) {
            parameters.entry((*name).to_owned()).or_insert(value);
        }
    }
    parameters.retain(|_, value| !value.is_empty());
    Ok(parameters)
}

/// The user that connects where nobody is named: the one of the operating system.
pub fn user(parameters: &Parameters, surroundings: Surroundings<'_>) -> Option<String> {
    parameters
        .get("user")
        .cloned()
        .or_else(|| variable(surroundings, "USER"))
        .or_else(|| variable(surroundings, "LOGNAME"))
}

/// The password for `user` on this host: of the parameters, else of the password file.
pub fn password(
    parameters: &Parameters,
    host: &str,
    port: u16,
    user: &str,
    surroundings: Surroundings<'_>,
) -> Option<String> {
    if let Some(password) = parameters.get("password") {
        return Some(password.clone());
    }
    let file = match parameters.get("passfile") {
        Some(file) => PathBuf::from(file),
        None => home(surroundings)?.join(".pgpass"),
    };
    let database = parameters.get("dbname").map_or(user, String::as_str);
    let text = (surroundings.read)(&file)?;
    password_file::find(&text, host, port, database, user)
}

fn check(name: &str) -> Result<(), String> {
    let is_known = PARAMETERS.iter().any(|(known, _)| *known == name);
    if is_known || WITHOUT_EFFECT.contains(&name) {
        return Ok(());
    }
    let names: Vec<_> = PARAMETERS.iter().map(|(name, _)| *name).collect();
    Err(format!(
        "unknown connection parameter \"{name}\"; there are {}",
        names.join(", ")
    ))
}

/// The file of trusted certificates that libpq looks for.
pub fn usual_root_certificates(surroundings: Surroundings<'_>) -> Option<PathBuf> {
    Some(home(surroundings)?.join(".postgresql/root.crt"))
}

#[cfg(test)]
mod tests;
