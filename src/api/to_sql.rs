//! `text2sql.to_sql(question, guarded)`: the SQL alone, to read, review, save or feed to `\gexec`.

use pgrx::prelude::*;
use text2sql_core::json_rows::unique_names;
use text2sql_core::pipeline;
use text2sql_core::schema::quote_identifier;
use text2sql_core::sql_result::ResultColumn;

use crate::pg::error::{Raise, raise_status};
use crate::question;
use crate::settings::Overrides;

/// Writes the SQL for a question: judged by the guard and planned, but not run.
#[pg_extern(volatile, parallel_unsafe)]
fn to_sql(question: Option<&str>, guarded: default!(bool, false)) -> String {
    let question = question::required(question).or_raise();
    let (written, _) = question::run(&Overrides::default(), false, |run| {
        pipeline::write(run, &question)
    })
    .or_raise();
    match written {
        Ok((sql, _)) if !guarded => sql,
        Ok((sql, columns)) => guarded_sql(&sql, &columns),
        Err(answer) => raise_status(&answer),
    }
}

/// The query wrapped into `text2sql.run`, with the typed columns it gives.
fn guarded_sql(sql: &str, columns: &[ResultColumn]) -> String {
    let definitions: Vec<String> = unique_names(columns)
        .iter()
        .zip(columns)
        .map(|(name, column)| format!("{} {}", quote_identifier(name), column.type_name))
        .collect();
    let tag = dollar_tag(sql);
    format!(
        "SELECT * FROM text2sql.run({tag}{sql}{tag}) AS t({})",
        definitions.join(", ")
    )
}

/// A dollar-quote tag that the text does not hold.
fn dollar_tag(text: &str) -> String {
    let mut tag = "$$".to_owned();
    let mut n = 0;
    // A text that ends in `$` would close the quote early.
    while text.contains(&tag) || (n == 0 && text.ends_with('$')) {
        n += 1;
        tag = format!("$q{n}$");
    }
    tag
}
