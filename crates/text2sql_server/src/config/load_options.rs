//! What the command line says about files.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use serde_json::{Map, Value, json};
use text2sql_files::{OnError, Options};

use crate::convert::Limits;
use crate::problem::Problem;

/// What files are loaded as, where their kind does not say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoadAs {
    /// What questions use.
    Knowledge(Knowledge),
    /// Documents, also those of plain text.
    Documents,
}

/// What the rows of a file teach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Knowledge {
    /// Definitions of terms.
    Glossary,
    /// Questions with their SQL.
    Examples,
}

/// What the command line says about files.
#[derive(Debug)]
pub struct LoadOptions {
    /// The files.
    pub files: Vec<PathBuf>,
    /// What they are loaded as; `None`: by their kind a table or a document.
    pub load_as: Option<LoadAs>,
    /// The name under which a glossary or examples are listed and taken back, and the source of documents; else that of
    /// the file.
    pub source: Option<String>,
    /// The roles that may read the documents.
    pub readers: Vec<String>,
    /// Whether lines of a glossary or of examples that cannot be taken are left out.
    pub skips: bool,
    /// The table, as SQL writes its name; else it is named after the file.
    pub table: Option<String>,
    /// The sheet of a workbook.
    pub sheet: Option<String>,
    /// The encoding.
    pub encoding: Option<String>,
    /// How much is done for one file.
    pub limits: Limits,
    /// Whether progress is shown where nobody looks at a terminal.
    pub progress: bool,
    /// What is said about the values.
    pub values: Options,
}

/// Adds the arguments of `load`.
pub fn command(command: Command) -> Command {
    let one = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name(value)
            .help(help)
            .help_heading("Files")
    };
    command
        .arg(
            Arg::new("files")
                .value_name("FILE")
                .num_args(1..)
                .value_parser(value_parser!(PathBuf))
                .help("CSV, TSV, JSON, JSON lines, XLSX, ODS become tables; PDF, DOCX, HTML, Markdown documents"),
        )
        .arg(one("as", "WHAT", "glossary, examples or documents: the files define terms, are questions with their SQL, or are texts, also .txt [default: by their kind tables or documents]"))
        .arg(one("source", "NAME", "Name under which a glossary or examples are listed and taken back, or source of documents [default: the name of the file]"))
        .arg(one("reader", "ROLE", "A role that may read the documents, public for every role; can be repeated [default: nobody but you]").action(ArgAction::Append))
        .arg(one("table", "NAME", "Name of the table, such as shop.sales [default: the name of the file]"))
        .arg(one("sheet", "NAME", "Sheet of a workbook [default: the first with cells]"))
        .arg(one("encoding", "NAME", "Encoding of the file, such as windows-1252 [default: found]"))
        .arg(
            Arg::new("progress")
                .long("progress")
                .action(ArgAction::SetTrue)
                .help_heading("Files")
                .help("Show each second how far a file is [default: on a terminal]"),
        )
        .arg(one("delimiter", "CHARACTER", "What separates values, or tab [default: found]"))
        .arg(one("quote", "CHARACTER", "What quotes values [default: found]"))
        .arg(one("header", "BOOLEAN", "Whether the first line has the names of the columns [default: found]"))
        .arg(
            one("skip", "NUMBER", "Lines above the names of the columns [default: 0]")
                .value_parser(value_parser!(u32)),
        )
        .arg(one("decimal", "CHARACTER", "Decimal separator, . or , [default: found]"))
        .arg(one("date-order", "ORDER", "dmy, mdy or ymd, for dates like 01/02/2024 [default: found, else DateStyle]"))
        .arg(one("null", "TEXT", "A text that means that there is no value; can be repeated").action(ArgAction::Append))
        .arg(one("type", "COLUMN=TYPE", "Type of a column; can be repeated").action(ArgAction::Append))
        .arg(one("on-error", "ACTION", "fail, or collect: set lines that do not fit aside, or leave them out of a glossary or examples [default: fail]"))
        .arg(one("rejected-table", "NAME", "Where they are set aside [default: the table's name and _rejected]"))
        .arg(
            one("seconds", "NUMBER", "How long a workbook or a document may take to be read [default: 60]")
                .value_parser(value_parser!(u64).range(1..=86_400)),
        )
        .arg(
            Arg::new("dry-run")
                .long("dry-run")
                .action(ArgAction::SetTrue)
                .help_heading("Files")
                .help("Show the columns that would be made, and make nothing"),
        )
}

impl LoadOptions {
    /// Reads the arguments.
    ///
    /// # Errors
    ///
    /// No file, several files for one table, a value that no option has.
    pub fn of(matches: &ArgMatches) -> Result<Self, Problem> {
        let text = |name: &str| matches.get_one::<String>(name).cloned();
        let all = |name: &str| -> Vec<String> {
            matches
                .get_many::<String>(name)
                .map(|values| values.cloned().collect())
                .unwrap_or_default()
        };
        let files: Vec<PathBuf> = matches
            .get_many::<PathBuf>("files")
            .map(|files| files.cloned().collect())
            .unwrap_or_default();
        if files.is_empty() {
            return Err(Problem::bad_request("no file is named")
                .with_hint("text2sql-server load sales.csv"));
        }
        if files.len() > 1 && text("table").is_some() {
            return Err(Problem::bad_request(
                "--table names one table, and there are several files",
            ));
        }
        let load_as = load_as(text("as").as_deref())?;
        let is_knowledge = matches!(load_as, Some(LoadAs::Knowledge(_)));
        if files.len() > 1 && is_knowledge && text("source").is_some() {
            return Err(Problem::bad_request(
                "--source names one file, and there are several",
            ));
        }
        if is_knowledge && !all("reader").is_empty() {
            return Err(Problem::bad_request("--reader is for documents"));
        }
        let mut said = Map::new();
        for (flag, option) in [
            ("delimiter", "delimiter"),
            ("quote", "quote"),
            ("decimal", "decimal"),
            ("date-order", "date_order"),
            ("on-error", "on_error"),
            ("rejected-table", "rejected_table"),
        ] {
            if let Some(value) = text(flag) {
                said.insert(option.to_owned(), json!(value));
            }
        }
        if let Some(lines) = matches.get_one::<u32>("skip") {
            said.insert("skip".to_owned(), json!(lines));
        }
        match text("header").as_deref() {
            None => {}
            Some("true" | "yes" | "on") => drop(said.insert("header".to_owned(), json!(true))),
            Some("false" | "no" | "off") => drop(said.insert("header".to_owned(), json!(false))),
            Some(other) => {
                return Err(Problem::bad_request(format!(
                    "--header must be true or false, not \"{other}\""
                )));
            }
        }
        if !all("null").is_empty() {
            said.insert("null_texts".to_owned(), json!(all("null")));
        }
        let mut types = Map::new();
        for pair in all("type") {
            let (column, name) = pair.rsplit_once('=').ok_or_else(|| {
                Problem::bad_request(format!("--type must be like zip=text, not \"{pair}\""))
            })?;
            types.insert(column.to_owned(), json!(name));
        }
        said.insert("types".to_owned(), Value::Object(types));
        said.insert("dry_run".to_owned(), json!(matches.get_flag("dry-run")));
        let mut limits = Limits::default();
        if let Some(seconds) = matches.get_one::<u64>("seconds") {
            limits.time = Duration::from_secs(*seconds);
        }
        let values = Options::read(&Value::Object(said)).map_err(Problem::from)?;
        Ok(Self {
            files,
            load_as,
            source: text("source"),
            readers: all("reader"),
            skips: values.on_error == OnError::Collect,
            table: text("table"),
            sheet: text("sheet"),
            encoding: text("encoding"),
            limits,
            progress: matches.get_flag("progress"),
            values,
        })
    }
}

fn load_as(said: Option<&str>) -> Result<Option<LoadAs>, Problem> {
    match said {
        None => Ok(None),
        Some("glossary") => Ok(Some(LoadAs::Knowledge(Knowledge::Glossary))),
        Some("examples") => Ok(Some(LoadAs::Knowledge(Knowledge::Examples))),
        Some("documents") => Ok(Some(LoadAs::Documents)),
        Some(other) => Err(Problem::bad_request(format!(
            "--as must be glossary, examples or documents, not \"{other}\""
        ))),
    }
}
