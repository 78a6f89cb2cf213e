//! What the command line asks.

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::json;

use crate::problem::Problem;

/// A question of the command line.
#[derive(Debug)]
pub struct AskOptions {
    /// The question.
    pub question: String,
    /// The conversation that it continues.
    pub conversation: Option<String>,
    /// Options of `text2sql.ask`, as JSON.
    pub options: String,
    /// Whether the answer is one JSON object.
    pub is_json: bool,
}

/// Adds the arguments of `ask`.
pub fn command(command: Command) -> Command {
    let one = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name(value)
            .help(help)
            .help_heading("Question")
    };
    command
        .arg(
            Arg::new("question")
                .value_name("QUESTION")
                .num_args(1..)
                .help("The question, in quotes or not"),
        )
        .arg(
            Arg::new("json")
                .long("json")
                .action(ArgAction::SetTrue)
                .help_heading("Question")
                .help("Answer with one JSON object, the row of text2sql.ask"),
        )
        .arg(one("model", "NAMES", "The models that are asked, in order, such as 'builtin, gpt' [default: that of the role]"))
        .arg(one("conversation", "NAME", "The conversation that the question continues"))
}

impl AskOptions {
    /// Reads the arguments.
    ///
    /// # Errors
    ///
    /// No question.
    pub fn of(matches: &ArgMatches) -> Result<Self, Problem> {
        let text = |name: &str| matches.get_one::<String>(name).cloned();
        let words: Vec<String> = matches
            .get_many::<String>("question")
            .map(|words| words.cloned().collect())
            .unwrap_or_default();
        let question = words.join(" ");
        if question.trim().is_empty() {
            return Err(Problem::bad_request("no question is asked"));
        }
        let options = match text("model") {
            None => json!({}),
            Some(model) => json!({ "model": model }),
        };
        Ok(Self {
            question,
            conversation: text("conversation"),
            options: options.to_string(),
            is_json: matches.get_flag("json"),
        })
    }
}
