//! `text2sql.to_sql(question, conversation, options)`: the SQL alone, to review, save or run with `\gexec`.

use pgrx::prelude::*;
use text2sql_domain::json_rows::unique_names;
use text2sql_domain::ports::Session;
use text2sql_domain::schema::quote_identifier;
use text2sql_domain::sql_result::ResultColumn;

use crate::pg::Datum;
use crate::pg::server::entry::{Call, entry_point, text_result};
use crate::pg::server::error::Raised;
use crate::pg::server::session::PgSession;
use crate::question::options::Accepted;
use crate::question::{self, Request};

extension_sql!(
    r#"
CREATE FUNCTION text2sql.to_sql(question text, conversation text DEFAULT NULL, options jsonb DEFAULT '{}')
    RETURNS text
    LANGUAGE c VOLATILE PARALLEL UNSAFE COST 100000
    AS 'MODULE_PATHNAME', 'text2sql_to_sql';
"#,
    name = "to_sql"
);
entry_point!(to_sql);

/// Writes the SQL for a question: checked by the guard and planned, but not run.
fn to_sql(call: &Call) -> Result<Datum, Raised> {
    let request = Request::read(call, "to_sql", 1, &Accepted::question_and("guarded"))?;
    match question::write(&request)?.value {
        Ok(written) => {
            let sql = match request.is_on {
                true => guarded_sql(&written.sql, &written.columns),
                false => written.sql,
            };
            let lines = written.left_out.lines(&PgSession::new().user());
            text_result(&commented(&lines, &sql))
        }
        Err(answer) => Err(Raised::status(*answer)),
    }
}

/// The query, preceded by comment lines with its warnings, which a saved query would otherwise lose.
fn commented(lines: &[String], sql: &str) -> String {
    let mut text: String = lines.iter().map(|line| format!("-- {line}\n")).collect();
    text.push_str(sql);
    text
}

/// The query wrapped into `text2sql.run`, with its column types.
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

/// A dollar-quote tag that does not occur in the text.
fn dollar_tag(text: &str) -> String {
    let mut tag = "$$".to_owned();
    let mut n = 0;
    // A text that ends in `$` would end the quote early.
    while text.contains(&tag) || (n == 0 && text.ends_with('$')) {
        n += 1;
        tag = format!("$q{n}$");
    }
    tag
}
