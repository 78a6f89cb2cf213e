//! A replica as a foreign server: where it is, who may use it, and how to log in.

use std::ffi::CString;
use std::time::Duration;

use pgrx::pg_sys;
use text2sql_domain::error::{Error, failure};
use text2sql_domain::schema::quote_identifier;
use text2sql_domain::secret::Secret;
use text2sql_replica::{Encryption, Target};

use crate::pg::server::compat::object_privileges;
use crate::pg::server::foreign_server as foreign;
use crate::pg::server::session::user_name;
use crate::pg::server::spi::encoding::text_of;
use crate::pg::server::spi::owner;

/// Name of the foreign-data wrapper.
const WRAPPER: &str = "text2sql_replica";

/// How long connecting may take if the server has no such option.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// A replica that the caller may use.
#[derive(Debug)]
pub(crate) struct Replica {
    /// Its name.
    pub(super) name: String,
    /// Where it is, and how to log in.
    pub(super) target: Target,
    /// Whether queries run here where it fails.
    pub(crate) falls_back: bool,
    /// How many seconds it may be behind.
    pub(super) max_lag: Option<f64>,
}

/// The replica of that name, if the caller may use it.
pub(crate) fn find(name: &str) -> Result<Replica, Error> {
    let unknown = || {
        failure!(Setup, "replica \"{name}\" of text2sql.run_on does not exist").with_hint(format!(
            "SET text2sql.run_on = '', or as a superuser: CREATE SERVER {} FOREIGN DATA WRAPPER text2sql_replica OPTIONS (host '…')",
            quote_identifier(name)
        ))
    };
    let c_name = CString::new(name).map_err(|_| unknown())?;
    // SAFETY: main thread, inside a transaction; the name is NUL-terminated; with `missing_ok` the result is NULL or a
    // struct in the current memory context.
    let (server, wrapper) = unsafe {
        let server = pg_sys::GetForeignServerByName(c_name.as_ptr(), true);
        let Some(server) = server.as_ref() else {
            return Err(unknown());
        };
        let wrapper = pg_sys::GetForeignDataWrapper(server.fdwid);
        (server, text_of((*wrapper).fdwname))
    };
    if wrapper != WRAPPER {
        return Err(failure!(Setup, "server \"{name}\" of text2sql.run_on is no replica: its foreign-data wrapper is \"{wrapper}\"")
            .with_hint("A replica is a server of foreign-data wrapper text2sql_replica."));
    }
    // SAFETY: reads a variable of the session.
    let caller = unsafe { pg_sys::GetUserId() };
    if !object_privileges::uses_foreign_server(server.serverid, caller) {
        return Err(
            failure!(Denied, "permission denied for replica \"{name}\"").with_hint(format!(
                "Ask the owner to run: GRANT USAGE ON FOREIGN SERVER {} TO {}",
                quote_identifier(name),
                quote_identifier(&user_name())
            )),
        );
    }
    // SAFETY: a look-up in the cache.
    let is_superusers = unsafe { pg_sys::superuser_arg(server.owner) };
    let is_owners = owner::owner_of(c"_annotations").is_some_and(|owner| owner.oid == server.owner);
    if !is_superusers && !is_owners {
        return Err(failure!(
            Denied,
            "replica \"{name}\" belongs neither to a superuser nor to the owner of the extension"
        )
        .with_hint(format!(
            "ALTER SERVER {} OWNER TO a superuser.",
            quote_identifier(name)
        )));
    }
    // SAFETY: `options` is the list that the struct owns.
    let options = unsafe { foreign::read_options(server.options) };
    let mapping = foreign::user_mapping(server.serverid);
    let replica = Options {
        name,
        server: &options,
        mapping: &mapping,
        may_read_files: is_superusers,
    };
    Ok(Replica {
        name: name.to_owned(),
        target: replica.target()?,
        falls_back: replica.option("on_failure") == Some("primary"),
        max_lag: replica
            .option("max_lag")
            .and_then(|seconds| seconds.parse().ok()),
    })
}

struct Options<'a> {
    name: &'a str,
    server: &'a [(String, String)],
    mapping: &'a [(String, String)],
    /// Whether a superuser owns the server.
    may_read_files: bool,
}

impl Options<'_> {
    fn option(&self, name: &str) -> Option<&str> {
        foreign::option(self.server, name)
    }

    fn target(&self) -> Result<Target, Error> {
        let invalid = |name: &str| {
            failure!(
                Setup,
                "option \"{name}\" of replica \"{}\" is invalid",
                self.name
            )
        };
        let number = |name: &str| {
            self.option(name)
                .map(|value| value.parse::<u16>().map_err(|_| invalid(name)))
                .transpose()
        };
        let host = self.option("host").ok_or_else(|| invalid("host"))?;
        Ok(Target {
            host: host.to_owned(),
            port: number("port")?.unwrap_or(5432),
            database: self.option("dbname").map_or_else(database, str::to_owned),
            user: foreign::option(self.mapping, "user").map_or_else(user_name, str::to_owned),
            password: self.password()?,
            encryption: self.encryption(host)?,
            connect_timeout: number("connect_timeout")?.map_or(CONNECT_TIMEOUT, |seconds| {
                Duration::from_secs(seconds.into())
            }),
        })
    }

    fn password(&self) -> Result<Option<Secret>, Error> {
        if let Some(password) = foreign::option(self.mapping, "password") {
            return Ok(Some(Secret::new(password)));
        }
        self.file("password_file")?
            .map(|file| foreign::read_secret_file(file, "password file"))
            .transpose()
    }

    /// An option that names a file, which only a superuser may let the server read.
    fn file(&self, name: &str) -> Result<Option<&str>, Error> {
        match self.option(name) {
            Some(_) if !self.may_read_files => Err(failure!(
                Denied,
                "replica \"{}\" has option \"{name}\", which is allowed only for a server owned by a superuser",
                self.name
            )),
            file => Ok(file),
        }
    }

    /// What travels over a network is verified unless the owner says otherwise.
    fn encryption(&self, host: &str) -> Result<Encryption, Error> {
        let is_local = host.starts_with('/') || ["localhost", "127.0.0.1", "::1"].contains(&host);
        match self.option("sslmode") {
            Some("disable") => Ok(Encryption::None),
            None if is_local => Ok(Encryption::None),
            _ => {
                let roots = self.file("sslrootcert")?;
                let roots = roots.map(|file| foreign::read_file(file.as_ref(), "the sslrootcert"));
                Ok(Encryption::Verified(roots.transpose()?))
            }
        }
    }
}

/// The name of this database.
fn database() -> String {
    // SAFETY: reads a variable of the session; the name is palloc'd and NUL-terminated.
    unsafe { text_of(pg_sys::get_database_name(pg_sys::MyDatabaseId)) }
}
