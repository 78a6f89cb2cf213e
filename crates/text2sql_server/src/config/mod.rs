//! What the server is started with: flags, environment variables and a file, and the configuration they add up to.

mod addresses;
mod ask_options;
mod command_line;
mod databases;
mod file;
mod jwt;
mod keys;
mod limits;
mod load_options;
mod sources;
#[cfg(test)]
mod tests;
mod value;

use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

pub use addresses::PublicUrl;
pub use ask_options::AskOptions;
pub use jwt::Jwt;
pub use limits::{FileLimits, Limits};
pub use load_options::{Knowledge, LoadAs, LoadOptions};
use sources::Settings;

/// Why a configuration is refused, in words.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct ConfigError {
    message: String,
    /// What to do.
    pub hint: Option<&'static str>,
}

impl From<String> for ConfigError {
    fn from(message: String) -> Self {
        Self {
            message,
            hint: None,
        }
    }
}

/// What the command line asks for.
pub enum Task {
    /// Serve with this configuration.
    Serve(Box<Config>),
    /// Serve one agent over standard input and output.
    ServeAgent(Box<Config>),
    /// Load files.
    Load(Box<Config>, Box<LoadOptions>),
    /// Ask a question.
    Ask(Box<Config>, Box<AskOptions>),
    /// Show this text, the effective configuration, and end.
    Show(String),
}

/// The effective configuration. It holds no secret: those are in files, which are read where they are needed.
#[derive(Debug, Clone)]
pub struct Config {
    /// Address and port to listen on.
    pub listen: SocketAddr,
    /// The address that people type, such as `https://ask.example.com`.
    pub public_url: Option<PublicUrl>,
    /// Further values of the `Host` header that are accepted.
    pub hosts: Vec<String>,
    /// Proxies whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<IpAddr>,
    /// Connection string of the database, without user and password; of several the first.
    pub database: String,
    /// Names and connection strings, where several databases are served.
    pub databases: Vec<(String, String)>,
    /// Whether people log in with a name and a password of PostgreSQL.
    pub password_login: bool,
    /// Whether the page is offered.
    pub page: bool,
    /// Whether `/mcp` is offered.
    pub mcp: bool,
    /// Whether `/a2a` and the agent card are offered.
    pub a2a: bool,
    /// Whether `/v1/chat/completions` is offered.
    pub openai: bool,
    /// Where the page is read from, if not from the program.
    pub page_directory: Option<PathBuf>,
    /// How much may run at a time.
    pub limits: Limits,
    /// How tokens are verified; `None` where there are no tokens.
    pub jwt: Option<Jwt>,
    /// What is logged.
    pub log: LogConfig,
}

/// What is logged.
#[derive(Debug, Clone)]
pub struct LogConfig {
    /// `error`, `warn`, `info` or `debug`.
    pub level: String,
    /// Whether lines are JSON.
    pub is_json: bool,
}

/// Reads the command line, the environment and the file. `--help`, `--version` and wrong flags end the process.
pub fn of_process() -> Result<Task, ConfigError> {
    let arguments = command_line::of_process();
    let path = arguments.file();
    let text = match &path {
        Some(path) => read_file(path)?,
        None => String::new(),
    };
    let values = file::read(&text).map_err(|problem| {
        let path = path.as_deref().unwrap_or(Path::new(""));
        format!("{}, {problem}", path.display())
    })?;
    let variable = |name: &str| std::env::var(name).ok();
    let settings = Settings::collect(|key| arguments.flag(key), variable, &values)?;
    let config = Config::of(&settings)?;
    if arguments.is_check() {
        return Ok(Task::Show(settings.to_string()));
    }
    if config.databases.len() > 1 && !arguments.is_serve() {
        return Err(ConfigError {
            message: "one database is asked, and several are configured".to_owned(),
            hint: Some("Name one with --database 'host=… dbname=…'."),
        });
    }
    let config = Box::new(config);
    if let Some(matches) = arguments.load() {
        let options = LoadOptions::of(matches).map_err(|problem| problem.title)?;
        return Ok(Task::Load(config, Box::new(options)));
    }
    if let Some(matches) = arguments.ask() {
        let options = AskOptions::of(matches).map_err(|problem| ConfigError {
            message: problem.title,
            hint: Some("text2sql-server ask \"How many orders were placed in 2025?\""),
        })?;
        return Ok(Task::Ask(config, Box::new(options)));
    }
    Ok(if arguments.is_mcp() {
        Task::ServeAgent(config)
    } else {
        Task::Serve(config)
    })
}

fn read_file(path: &Path) -> Result<String, ConfigError> {
    std::fs::read_to_string(path)
        .map_err(|error| format!("cannot read {}: {error}", path.display()).into())
}

impl Config {
    fn of(settings: &Settings) -> Result<Self, ConfigError> {
        let listen = settings.text("listen");
        let listen: SocketAddr = listen
            .parse()
            .map_err(|_| format!("listen must be like 127.0.0.1:8432, not \"{listen}\""))?;
        let public_url = settings
            .optional_text("public_url")
            .map(|url| PublicUrl::parse(&url))
            .transpose()?;
        let is_allowed = settings.switch("passwords_in_clear_text");
        addresses::refuse_clear_text(listen, public_url.as_ref(), is_allowed).map_err(
            |message| ConfigError {
                message,
                hint: Some(addresses::CLEAR_TEXT_HINT),
            },
        )?;
        let databases = settings.pairs("database");
        let database = match databases.first() {
            Some((_, first)) => first.clone(),
            None => settings.text("database"),
        };
        refuse_secret(&database)?;
        for (_, other) in &databases {
            refuse_secret(other)?;
        }
        let password_login = settings.switch("password_login");
        let jwt = Jwt::of(settings)?;
        if !password_login && jwt.is_none() {
            return Err(
                "password_login is false and jwt.issuer is not set, so nobody could log in"
                    .to_owned()
                    .into(),
            );
        }
        let openai = settings.switch("openai");
        if openai && jwt.is_none() {
            return Err(ConfigError {
                message: "openai is true, and jwt.issuer is not set".to_owned(),
                hint: Some("Chat front ends pass a token of their user on; configure [jwt], too."),
            });
        }
        let trusted_proxies = settings
            .list("trusted_proxies")
            .iter()
            .map(|proxy| {
                proxy
                    .parse()
                    .map_err(|_| format!("trusted_proxies has \"{proxy}\", which is no address"))
            })
            .collect::<Result<Vec<IpAddr>, _>>()?;
        Ok(Self {
            listen,
            public_url,
            hosts: lower_case(settings.list("hosts")),
            trusted_proxies,
            database,
            databases,
            password_login,
            page: settings.switch("page"),
            mcp: settings.switch("mcp"),
            a2a: settings.switch("a2a"),
            openai,
            page_directory: settings.optional_text("page_directory").map(PathBuf::from),
            limits: Limits::of(settings),
            jwt,
            log: LogConfig {
                level: settings.text("log.level"),
                is_json: settings.text("log.format") == "json",
            },
        })
    }
}

fn lower_case(hosts: Vec<String>) -> Vec<String> {
    hosts.iter().map(|host| host.to_ascii_lowercase()).collect()
}

/// Refuses a connection string with a password: it would stand in the list of processes and in `--check`.
fn refuse_secret(database: &str) -> Result<(), ConfigError> {
    let target: tokio_postgres::Config = match database.parse() {
        Ok(target) => target,
        // `sslmode=verify-full` and its kind are read by the module that connects.
        Err(_) if !database.to_ascii_lowercase().contains("password") => return Ok(()),
        Err(_) => {
            return Err(secret_in_string());
        }
    };
    if target.get_password().is_some() {
        return Err(secret_in_string());
    }
    Ok(())
}

fn secret_in_string() -> ConfigError {
    ConfigError {
        message: "database must not contain a password".to_owned(),
        hint: Some(
            "People log in with their own; for tokens, name the file with jwt.password_file.",
        ),
    }
}
