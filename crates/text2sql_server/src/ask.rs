//! `text2sql-server ask "…"`: one question, answered on standard output, with the rights of whoever runs it.

use std::io::Write;

use serde::Deserialize;
use tokio_postgres::types::ToSql;

use crate::config::AskOptions;
use crate::database::Target;
use crate::problem::Problem;

const SHOW: &str = "SELECT line FROM text2sql.show($1::text, $2::text, $3::text::jsonb) AS line";

const ASK: &str = "SELECT pg_catalog.row_to_json(a)::text \
    FROM text2sql.ask($1::text, $2::text, $3::text::jsonb) AS a";

/// How `show` begins where there is no answer.
const NO_ANSWER: &str = "status: ";

#[derive(Deserialize)]
struct Row {
    status: String,
}

/// Asks, and prints what comes back: lines for people, or one JSON object. Whether there is an answer.
///
/// # Errors
///
/// The database cannot be reached, or refuses the call.
pub async fn ask(database: &str, asked: &AskOptions) -> Result<bool, Problem> {
    let target = Target::of_process(database).map_err(Problem::bad_request)?;
    let credentials = target.own_credentials(None).map_err(Problem::bad_request)?;
    let (client, connection, peer) = target
        .connect(&credentials.user, credentials.password(), "text2sql/ask")
        .await
        .map_err(|failure| Problem::unavailable(failure.to_string()))?;
    let reader = tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!("connection to the database: {error}");
        }
    });
    let statement = if asked.is_json { ASK } else { SHOW };
    let parameters: [&(dyn ToSql + Sync); 3] =
        [&asked.question, &asked.conversation, &asked.options];
    let rows = tokio::select! {
        rows = client.query(statement, &parameters) => rows?,
        _ = tokio::signal::ctrl_c() => {
            // Nobody waits for what the database goes on computing.
            drop(peer.cancel(&client.cancel_token()).await);
            return Err(Problem::cancelled());
        }
    };
    let lines: Vec<String> = rows
        .iter()
        .map(|row| row.try_get(0))
        .collect::<Result<_, _>>()?;
    drop(client);
    drop(reader.await);
    let has_answer = match (lines.first(), asked.is_json) {
        (None, _) => false,
        (Some(first), false) => !first.starts_with(NO_ANSWER),
        (Some(row), true) => serde_json::from_str(row).is_ok_and(|row: Row| row.status == "ok"),
    };
    let mut text = lines.join("\n");
    text.push('\n');
    std::io::stdout()
        .write_all(text.as_bytes())
        .map_err(|error| Problem::unavailable(format!("cannot write the answer: {error}")))?;
    Ok(has_answer)
}
