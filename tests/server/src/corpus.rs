//! Statements to judge, from files of this project and from the shared corpus.

use std::path::Path;

use postgres::Client;
use serde_json::Value;

use crate::{TestDatabase, shared_roles};

/// Reads a file of a folder.
pub fn read(folder: &Path, file: &str) -> String {
    std::fs::read_to_string(folder.join(file)).expect("a readable file")
}

/// The lines of a JSONL file.
pub fn lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

/// A database with a corpus' own objects and the role `analyst`, which may ask.
pub fn hostile_database(name: &str, setup: &str) -> TestDatabase {
    let database = TestDatabase::new(name);
    let mut admin = database.superuser();
    admin
        .batch_execute("DROP TABLE countries, customers, orders, salaries")
        .expect("set-up");
    let without_commands = |line: &&str| !line.starts_with('\\');
    let sql: String = setup
        .lines()
        .filter(without_commands)
        .collect::<Vec<_>>()
        .join("\n");
    shared_roles::create_once("analyst", "LOGIN");
    admin.batch_execute(&sql).expect("set-up");
    admin
        .batch_execute("SELECT text2sql.grant_access('analyst')")
        .expect("set-up");
    database
}

/// `allow`, the rule that refused, or the SQLSTATE of the statement's own error.
pub fn verdict(client: &mut Client, sql: &str) -> String {
    match client.query("SELECT row_count FROM text2sql.run_json($1)", &[&sql]) {
        Ok(_) => "allow".to_owned(),
        Err(error) => {
            let error = error.as_db_error().expect("the server is still there");
            let rule = error
                .detail()
                .and_then(|detail| detail.strip_prefix("rule: "));
            rule.unwrap_or(error.code().code()).to_owned()
        }
    }
}

/// Writes out what our own corpus abbreviates: `«(×3»` is `(((`, `«c#,×3»`
/// is `c0,c1,c2,`.
pub fn expanded(sql: &str) -> String {
    let mut pieces = sql.split('«');
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (repeated, rest) = piece.split_once('»').expect("an end of what is repeated");
        let (part, count) = repeated.split_once('×').expect("how often");
        for number in 0..count.parse().expect("a number") {
            text.push_str(&part.replace('#', &u32::to_string(&number)));
        }
        text.push_str(rest);
    }
    text
}
