//! The command line.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use super::keys::{KEYS, Kind};
use super::{ask_options, load_options};

const ABOUT: &str = "A page for people, and HTTP for programs, in front of a database with pg_text2sql.

PostgreSQL decides who may do what: people log in with their own name and password, and every question is asked with \
their rights.";

const AFTER: &str = "Each option can also be an environment variable (--limits-connections is \
TEXT2SQL_LIMITS_CONNECTIONS) or a line of the file of --config (connections = 20 below [limits]). An option is \
stronger than the environment, and the environment than the file.

  text2sql-server serve --database 'host=127.0.0.1 dbname=shop'
  text2sql-server serve --config server.toml --check";

const MCP: &str = "Serve one agent over standard input and output (Model Context Protocol), with the rights of the \
user. It logs in as psql does: PGHOST, PGUSER, PGPASSWORD and the like, the password file and service files. A client \
that starts programs, such as an editor or a desktop assistant, starts this one.";

const LOAD: &str = "Load files: CSV, TSV, JSON, JSON lines, XLSX and ODS become tables, PDF, DOCX, HTML and Markdown \
documents. It logs in as psql does: PGHOST, PGUSER, PGPASSWORD and the like, the password file and service files. Each \
file is one transaction: nothing is half loaded.";

const ASK: &str = "Ask one question, and print the answer: rows, a sentence and the SQL, or with --json one object. It logs \
in as psql does: PGHOST, PGUSER, PGPASSWORD and the like, the password file and service files.";

const AFTER_ASK: &str = "It ends with 0 where there is an answer, with 2 where there is none (ambiguous, unanswerable, not \
permitted, …), and with 1 where nothing could be asked.

  text2sql-server ask --database 'host=127.0.0.1 dbname=shop' \"How many orders were placed in 2025?\"";

/// What the command line asks for.
#[derive(Debug)]
pub(super) struct Arguments {
    matches: ArgMatches,
    command: String,
}

impl Arguments {
    /// The value of the flag of this key.
    pub fn flag(&self, key: &str) -> Option<String> {
        // `mcp` has not all of them.
        let values = self.matches.try_get_many::<String>(key).ok().flatten()?;
        Some(values.cloned().collect::<Vec<_>>().join("\n"))
    }

    /// The file of `--config`.
    pub fn file(&self) -> Option<PathBuf> {
        let variable = || std::env::var_os("TEXT2SQL_CONFIG").map(PathBuf::from);
        let flag = self.matches.get_one::<PathBuf>("config").cloned();
        flag.or_else(variable)
    }

    /// Whether people and programs are to be served over HTTP.
    pub fn is_serve(&self) -> bool {
        self.command == "serve"
    }

    /// Whether one agent is to be served over standard input and output.
    pub fn is_mcp(&self) -> bool {
        self.command == "mcp"
    }

    /// The arguments of `load`, if files are to be loaded.
    pub fn load(&self) -> Option<&ArgMatches> {
        (self.command == "load").then_some(&self.matches)
    }

    /// The arguments of `ask`, if a question is to be asked.
    pub fn ask(&self) -> Option<&ArgMatches> {
        (self.command == "ask").then_some(&self.matches)
    }

    /// Whether only the configuration is to be shown.
    pub fn is_check(&self) -> bool {
        self.matches.get_flag("check")
    }
}

/// The command, for parsing and for `--help`.
pub(super) fn command() -> Command {
    let serve = with_keys(
        Command::new("serve")
            .about("Serve the page and HTTP")
            .long_about(ABOUT)
            .after_help(AFTER),
        |_| true,
    );
    let mcp = with_keys(
        Command::new("mcp")
            .about("Serve one agent over standard input and output")
            .long_about(MCP),
        |key| key == "database" || key.starts_with("log.") || key == "limits.question_seconds",
    );
    let load = with_keys(
        load_options::command(
            Command::new("load")
                .about("Load files as tables and documents")
                .long_about(LOAD),
        ),
        |key| key == "database" || key.starts_with("log."),
    );
    let ask = with_keys(
        ask_options::command(
            Command::new("ask")
                .about("Ask one question")
                .long_about(ASK)
                .after_help(AFTER_ASK),
        ),
        |key| key == "database" || key.starts_with("log."),
    );
    Command::new("text2sql-server")
        .about(ABOUT)
        .version(env!("CARGO_PKG_VERSION"))
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(serve)
        .subcommand(mcp)
        .subcommand(load)
        .subcommand(ask)
}

fn with_keys(command: Command, has: impl Fn(&str) -> bool) -> Command {
    let command = command
        .arg(
            Arg::new("config")
                .long("config")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("Read the configuration from this TOML file [TEXT2SQL_CONFIG]"),
        )
        .arg(
            Arg::new("check")
                .long("check")
                .action(ArgAction::SetTrue)
                .help("Show the configuration that results, and where each value comes from, and do nothing else"),
        );
    KEYS.iter()
        .filter(|key| has(key.name))
        .fold(command, |command, key| {
            let default = match key.default {
                "" => String::new(),
                default => format!(" [default: {default}]"),
            };
            let mut argument = Arg::new(key.name)
                .long(key.flag())
                .value_name(key.placeholder())
                .help(format!("{}{default}", key.help));
            if key.kind == Kind::Databases {
                argument = argument.action(ArgAction::Append);
            }
            if let Some(section) = key.section() {
                argument = argument.help_heading(heading(section));
            }
            command.arg(argument)
        })
}

fn heading(section: &'static str) -> &'static str {
    match section {
        "jwt" => "Tokens",
        "limits" => "Limits",
        "log" => "Log",
        other => other,
    }
}

/// Parses the arguments of the process. `--help`, `--version` and errors end it, as those of every program do.
pub(super) fn of_process() -> Arguments {
    let matches = command().get_matches();
    let (command, matches) = match matches.subcommand() {
        Some((name, chosen)) => (name.to_owned(), chosen.clone()),
        None => (String::new(), matches),
    };
    Arguments { matches, command }
}
