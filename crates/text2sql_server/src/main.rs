//! `text2sql-server`: see `text2sql-server --help`.

#![forbid(unsafe_code)]

use std::io::Write;
use std::process::ExitCode;

use text2sql_server::config::{self, AskOptions, LoadOptions, Task};
use text2sql_server::problem::Problem;
use text2sql_server::{ask, load};
use text2sql_server::{convert, http, log};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    if arguments.next().as_deref() == Some(convert::ARGUMENT) {
        return convert::run(&arguments.collect::<Vec<_>>());
    }
    let (config, work) = match config::of_process() {
        Ok(Task::Serve(config)) => (*config, Work::Serve),
        Ok(Task::ServeAgent(config)) => (*config, Work::ServeAgent),
        Ok(Task::Load(config, options)) => (*config, Work::Load(options)),
        Ok(Task::Ask(config, options)) => (*config, Work::Ask(options)),
        Ok(Task::Show(text)) => return print(&text),
        Err(error) => return complain(&error.to_string(), error.hint),
    };
    log::begin(&config.log);
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return complain(&format!("cannot start threads: {error}"), None),
    };
    let outcome = match work {
        Work::Serve => runtime.block_on(http::serve(config)),
        Work::ServeAgent => runtime.block_on(http::serve_agent(config)),
        // In a task: while it reads a file, another thread talks to the database.
        Work::Load(options) => runtime.block_on(async move {
            let loading = tokio::spawn(async move { load::load(&config.database, &options).await });
            loading.await.unwrap_or_else(|_| Err(Problem::internal()))
        }),
        Work::Ask(asked) => match runtime.block_on(ask::ask(&config.database, &asked)) {
            Ok(true) => Ok(()),
            Ok(false) => return ExitCode::from(NO_ANSWER),
            Err(problem) => Err(problem),
        },
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => complain(&problem.title, problem.hint.as_deref()),
    }
}

/// How the program ends where a question has no answer.
const NO_ANSWER: u8 = 2;

/// What runs until it is over.
enum Work {
    Serve,
    ServeAgent,
    Load(Box<LoadOptions>),
    Ask(Box<AskOptions>),
}

fn print(text: &str) -> ExitCode {
    match std::io::stdout().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// Writes why the program ends. Where standard error is closed, this is lost.
fn complain(message: &str, hint: Option<&str>) -> ExitCode {
    let mut lines = format!("error: {message}\n");
    if let Some(hint) = hint {
        lines.push_str(&format!("       {hint}\n"));
    }
    drop(std::io::stderr().write_all(lines.as_bytes()));
    ExitCode::FAILURE
}
