//! What the server says about a changed statement of a script, which is never run: its parser about the syntax, the guard
//! about a query in its place, the catalog about what it writes.

use serde::{Deserialize, Serialize};
use text2sql_analysis::revision::script::{
    Checked, RevisedScript, RevisedStatement, checked, is_same_relation, made, read_by, written,
};
use text2sql_domain::error::{Error, failure};
use text2sql_domain::object_name;
use text2sql_domain::ports::Outcome;
use text2sql_domain::sql_result::DatabaseError;
use text2sql_domain::validate::{Rejection, Rule};
use text2sql_phrases::say;
use text2sql_phrases::translated;

use crate::pg::access::objects::{creation_schema, search_path};
use crate::pg::server::spi;
use crate::statement::submitted_sql::SubmittedSql;

const RIGHTS: &str = include_str!("../../sql/queries/script_rights.sql");

/// Something that the server says about a statement.
pub(crate) struct Remark {
    /// In a sentence.
    pub(crate) sentence: String,
    /// Whether another reply of the model can repair it.
    pub(crate) is_mistake: bool,
}

#[derive(Serialize)]
struct Need {
    schema: Option<String>,
    name: String,
    wanted: &'static str,
    columns: Vec<String>,
}

#[derive(Deserialize)]
struct Answer {
    exists: bool,
    allowed: bool,
    lacking: Vec<String>,
}

/// The mistakes of all changed statements, in words for a model. An error that may quote a private column is left out.
pub(crate) fn mistakes(given: &SubmittedSql, script: &RevisedScript) -> Result<Vec<String>, Error> {
    let mut found = Vec::new();
    for statement in &script.statements {
        let remarks = remarks(given, script, statement)?;
        let mistakes = remarks.into_iter().filter(|remark| remark.is_mistake);
        found.extend(
            mistakes.map(|remark| format!("statement {}: {}", statement.number, remark.sentence)),
        );
    }
    Ok(found)
}

/// What the server says about one of the changed statements.
pub(crate) fn remarks(
    given: &SubmittedSql,
    script: &RevisedScript,
    statement: &RevisedStatement,
) -> Result<Vec<Remark>, Error> {
    let Some(sql) = &statement.after else {
        return Ok(Vec::new());
    };
    let made = made(&script.sql);
    let is_made = |name: &[String]| made.iter().any(|made| is_same_relation(made, name));
    let mut remarks = Vec::new();
    let mut needs = Vec::new();
    for check in checked(sql)? {
        match check {
            Checked::Query(query) => {
                remarks.extend(syntax(given, sql)?);
                if remarks.is_empty() {
                    let reads_made = read_by(sql).iter().any(|name| is_made(name));
                    remarks.extend(of_query(given, &query, reads_made)?);
                }
            }
            Checked::Body { sql, reads } => {
                remarks.extend(syntax(given, &sql)?);
                let reads = reads.into_iter().filter(|name| !is_made(name));
                needs.extend(reads.filter_map(|name| need(name, "SELECT", Vec::new())));
            }
            Checked::Syntax(sql) => remarks.extend(syntax(given, &sql)?),
        }
    }
    for one in written(sql)? {
        if one.right == "CREATE" || !is_made(&one.name) {
            needs.extend(need(one.name, one.right, one.columns));
        }
    }
    let arguments = [
        spi::json(serde_json::to_string(&needs).map_err(|error| {
            failure!(Internal, "names cannot be written as JSON").with_source(error)
        })?),
        spi::oid_array(search_path().into_iter()),
        creation_schema().into(),
    ];
    let answers: Vec<Answer> = spi::read_json(RIGHTS, &arguments)?;
    for (need, answer) in needs.iter().zip(answers) {
        remarks.extend(of_need(need, &answer));
    }
    Ok(remarks)
}

fn need(name: Vec<String>, wanted: &'static str, columns: Vec<String>) -> Option<Need> {
    let (schema, name) = match name.as_slice() {
        [name] => (None, name.clone()),
        [schema, name] => (Some(schema.clone()), name.clone()),
        // Names another database: the server's parser reports that.
        _ => return None,
    };
    Some(Need {
        schema,
        name,
        wanted,
        columns,
    })
}

fn of_need(need: &Need, answer: &Answer) -> Vec<Remark> {
    let parts = need
        .schema
        .iter()
        .chain([&need.name])
        .cloned()
        .collect::<Vec<_>>();
    let name = object_name::join(&parts);
    if need.wanted == "CREATE" {
        let schema = need.schema.clone();
        let note = (!answer.allowed).then(|| match schema {
            Some(schema) => say!("You may not create {name} in the schema {schema}."),
            None => say!("You may not create {name} in the first schema of your search path."),
        });
        return note
            .into_iter()
            .map(|sentence| remark(sentence, false))
            .collect();
    }
    if !answer.exists {
        return vec![remark(say!("There is no relation {name}."), true)];
    }
    let mut remarks: Vec<Remark> = answer
        .lacking
        .iter()
        .map(|column| remark(say!("{name} has no column {column}."), true))
        .collect();
    if !answer.allowed {
        let sentence = match need.wanted {
            "OWNER" => say!("You do not own {name}."),
            privilege => say!("You lack the privilege {privilege} on {name}."),
        };
        remarks.push(remark(sentence, false));
    }
    remarks
}

fn remark(sentence: String, is_mistake: bool) -> Remark {
    Remark {
        sentence,
        is_mistake,
    }
}

/// What the server's parser says. It reads any statement and analyses none but queries.
fn syntax(given: &SubmittedSql, sql: &str) -> Result<Option<Remark>, Error> {
    let outcome = given.database.inspect(sql, &given.limits)?.outcome;
    Ok(match outcome {
        Outcome::Failed(error) if error.sqlstate == "42601" => Some(failed(&error)),
        Outcome::Failed(_) | Outcome::Passed(()) | Outcome::Rejected(_) => None,
    })
}

fn of_query(given: &SubmittedSql, query: &str, reads_made: bool) -> Result<Option<Remark>, Error> {
    let outcome = given.database.inspect(query, &given.limits)?.outcome;
    Ok(match outcome {
        Outcome::Passed(()) => None,
        Outcome::Rejected(rejection) if rejection.rule == Rule::Cost => None,
        Outcome::Rejected(rejection) => Some(rejected(&rejection)),
        Outcome::Failed(error) if error.sqlstate == "42P01" && reads_made => Some(remark(
            say!(
                "It reads what another statement of the script creates: its columns were not checked."
            ),
            false,
        )),
        Outcome::Failed(error) => Some(failed(&error)),
    })
}

fn failed(error: &DatabaseError) -> Remark {
    let message = match error.is_private {
        true => error.sqlstate.clone(),
        false => error.message.clone(),
    };
    remark(say!("PostgreSQL says: {message}."), true)
}

fn rejected(rejection: &Rejection) -> Remark {
    let sentence = say!(
        "text2sql would not let you read it (rule {rule}): {reason}.",
        rule = rejection.rule,
        reason = translated(&rejection.reason)
    );
    remark(sentence, false)
}
