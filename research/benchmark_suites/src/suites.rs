//! Stores the suite through the functions of the extension.

use serde_json::{Map, Value, json};

use crate::benchmark::Benchmark;
use crate::failure::Failure;
use crate::gold::{Checked, Outcome};
use crate::options::Options;
use crate::server::{connect, explained};

/// A case that the extension does not take: its key and why.
pub(crate) type Refused = (String, String);

/// Adds the suite and its cases to a database. Returns the cases whose gold the guard refuses, or which do not end in
/// the time of the extension: they are not left in the suite.
pub(crate) fn store(
    database: &str,
    benchmark: &Benchmark,
    checked: &[Checked<'_>],
    options: &Options,
) -> Result<Vec<Refused>, Failure> {
    let words = |error: postgres::Error| -> Failure { explained(&error).into() };
    let mut client = connect(options, Some(database))?;
    let suite = options.suite_name(benchmark.kind);
    client
        .execute(
            "SELECT text2sql_eval.add_suite($1, comparison => $2::text::jsonb, comment => $3)",
            &[
                &suite,
                &benchmark.comparison.to_string(),
                &format!(
                    "Imported from the published files of {}.",
                    benchmark.kind.name()
                ),
            ],
        )
        .map_err(words)?;
    let lines: Vec<String> = checked.iter().filter_map(|one| line(one, None)).collect();
    if lines.is_empty() {
        return Ok(Vec::new());
    }
    let text = lines.join("\n");
    client
        .execute(
            "SELECT text2sql_eval.add_cases($1, 'lines', lines => $2)",
            &[&suite, &text],
        )
        .map_err(words)?;
    let mut refused = Vec::new();
    for row in client
        .query(
            "SELECT key, problem, case_id FROM text2sql_eval.cases WHERE suite = $1 AND problem IS NOT NULL ORDER BY case_id",
            &[&suite],
        )
        .map_err(words)?
    {
        let case_id: i64 = row.get(2);
        client
            .execute("SELECT text2sql.forget('case', $1)", &[&case_id])
            .map_err(words)?;
        refused.push((row.get(0), row.get(1)));
    }
    Ok(refused)
}

/// The line of a case that is kept, in the form of `add_cases`; with a database for a file of several.
pub(crate) fn line(checked: &Checked<'_>, database: Option<&str>) -> Option<String> {
    let Outcome::Kept {
        gold,
        is_compared,
        finds_nothing,
    } = &checked.outcome
    else {
        return None;
    };
    let question = checked.question;
    let mut tags = question.tags.clone();
    tags.extend((!is_compared).then(|| "not compared".to_owned()));
    tags.extend(finds_nothing.then(|| "finds nothing".to_owned()));
    let mut case = Map::new();
    let mut put = |name: &str, value: Value| {
        if !value.is_null() {
            case.insert(name.to_owned(), value);
        }
    };
    put("id", json!(question.key));
    put("database", json!(database));
    put("question", json!(question.question));
    put("gold", json!(gold));
    put(
        "previous",
        match question.previous.as_slice() {
            [] => Value::Null,
            previous => json!(previous),
        },
    );
    put("evidence", json!(question.evidence));
    put("level", json!(question.level));
    put("tags", json!(tags));
    put("ordered", json!(question.ordered));
    Some(Value::Object(case).to_string())
}
