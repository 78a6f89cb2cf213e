//! docs/reference/server.md has the keys of the program and the routes that exist; the examples of docs/server.md print
//! what they show. `UPDATE_EXPECT=1` writes what they print.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;
use text2sql_server_tests::skipped::skip;
use text2sql_server_tests::web::{PASSWORD, Server};
use text2sql_server_tests::{TestDatabase, connect, demo::DemoDatabase};

fn file() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/server.md"))
}

fn page() -> String {
    std::fs::read_to_string(file()).unwrap()
}

/// The section of the reference with this heading.
fn reference(heading: &str) -> String {
    let page = include_str!("../../../../docs/reference/server.md");
    let (_, section) = page.split_once(&format!("\n## {heading}\n")).unwrap();
    section.split("\n## ").next().unwrap().to_owned()
}

/// The cells of the rows of all tables.
fn rows(page: &str) -> Vec<Vec<&str>> {
    let lines = page
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    lines
        .map(|line| line.split(" | ").map(str::trim).collect())
        .collect()
}

fn code(cell: &str) -> Option<&str> {
    cell.strip_prefix('`')?.strip_suffix('`')
}

#[test]
fn each_key_is_on_the_page_with_its_default() {
    let (checked, is_valid) = Server::output(&["serve", "--check"]);
    assert!(is_valid, "{checked}");
    let mut section = String::new();
    let mut keys = Vec::new();
    for line in checked.lines().filter(|line| !line.is_empty()) {
        if let Some(name) = line.strip_prefix('[') {
            section = format!("{}.", name.trim_end_matches(']'));
            continue;
        }
        let line = line.strip_prefix("# ").unwrap_or(line);
        let (name, rest) = line.split_once(" = ").unwrap();
        let value = rest.split(" # default").next().unwrap().trim();
        let value: String = value.chars().filter(|c| !"\"[] ".contains(*c)).collect();
        keys.push((format!("{section}{name}"), value));
    }
    let table = reference("Keys");
    let written: Vec<(String, String)> = table
        .lines()
        .filter_map(|line| {
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            Some((
                code(cells.get(1)?)?.to_owned(),
                code(cells.get(2)?).unwrap_or("").to_owned(),
            ))
        })
        .collect();
    assert_eq!(written, keys);
    let (help, _) = Server::output(&["serve", "--help"]);
    for (key, _) in keys {
        let flag = format!("--{} <", key.replace(['.', '_'], "-"));
        assert!(help.contains(&flag), "{flag}");
    }
}

#[test]
fn each_route_is_on_the_page_and_each_on_the_page_exists() {
    let database = TestDatabase::new("web_documented_routes");
    let server = Server::start(&database, &[]);
    let description = server.get("/api/v1/openapi.json").send().of_status(200);
    let mut existing = Vec::new();
    for (path, operations) in description["paths"].as_object().unwrap() {
        for method in operations.as_object().unwrap().keys() {
            existing.push(format!(
                "{} {}",
                method.to_uppercase(),
                path.trim_start_matches("/api/v1")
            ));
        }
    }
    existing.sort();
    let section = reference("Routes");
    let mut written: Vec<String> = rows(&section)
        .iter()
        .filter_map(|cells| cells.first())
        .flat_map(|cell| cell.split(", "))
        .filter_map(code)
        .map(str::to_owned)
        .collect();
    written.sort();
    assert_eq!(written, existing);
}

/// What a reference in a description names: `#/components/schemas/NAME`.
fn references(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            if let Some(Value::String(reference)) = members.get("$ref") {
                found.push(reference.clone());
            }
            members.values().for_each(|value| references(value, found));
        }
        Value::Array(values) => values.iter().for_each(|value| references(value, found)),
        _ => {}
    }
}

#[test]
fn the_description_has_all_that_it_refers_to() {
    let database = TestDatabase::new("web_description");
    let server = Server::start(&database, &[]);
    let description = server.get("/api/v1/openapi.json").send().of_status(200);
    let mut found = Vec::new();
    references(&description, &mut found);
    assert!(found.len() > 50, "{}", found.len());
    for reference in found {
        let place = reference.strip_prefix('#').unwrap();
        assert!(description.pointer(place).is_some(), "{reference}");
    }
}

/// Whether this was printed; `…` stands for any text, or as a line for any lines.
fn fits(expected: &[&str], printed: &[&str]) -> bool {
    match (expected.split_first(), printed.split_first()) {
        (None, None) => true,
        (Some((&"…", rest)), _) => {
            (0..=printed.len()).any(|skipped| fits(rest, &printed[skipped..]))
        }
        (Some((expected, rest)), Some((line, printed))) => {
            fits_line(expected, line) && fits(rest, printed)
        }
        _ => false,
    }
}

fn fits_line(expected: &str, line: &str) -> bool {
    let mut parts = expected.split('…');
    let Some(mut rest) = parts.next().and_then(|first| line.strip_prefix(first)) else {
        return false;
    };
    let mut is_exact = true;
    for part in parts {
        is_exact = part.is_empty();
        match rest.find(part) {
            Some(place) => rest = &rest[place + part.len()..],
            None => return false,
        }
    }
    rest.is_empty() || (is_exact && expected.ends_with('…'))
}

#[test]
fn the_examples_print_what_the_page_shows() {
    if Command::new("curl").arg("--version").output().is_err() {
        return skip("curl");
    }
    let database = DemoDatabase::new("web_documents");
    let role = "t2s_web_documents_ana";
    let mut admin = connect("postgres", None);
    let password = PASSWORD.replace('\'', "''");
    admin
        .batch_execute(&format!(
            "SET client_min_messages = warning; DROP ROLE IF EXISTS {role}; CREATE ROLE {role} LOGIN PASSWORD '{password}' IN ROLE demo_analyst"
        ))
        .unwrap();
    let port = std::env::var("PGPORT").unwrap();
    let server = Server::start_at(
        &format!("host=127.0.0.1 port={port} dbname=t2s_web_documents"),
        &[],
    );
    let address = server.address().to_string();
    let run = |command: &str| {
        let command = command.replace("127.0.0.1:8432", &address);
        // The password has quotes.
        let command = command.replace("-u ana:secret", "-u \"$CREDENTIALS\"");
        let output = Command::new("bash")
            .args(["-c", &command])
            .env("CREDENTIALS", format!("{role}:{PASSWORD}"))
            .output()
            .unwrap();
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        text.replace(&address, "127.0.0.1:8432")
            .replace(role, "ana")
    };
    let page = page();
    let mut new = String::new();
    let mut lines = page.lines().peekable();
    let mut examples = 0;
    let mut is_example = false;
    while let Some(line) = lines.next() {
        new.push_str(&format!("{line}\n"));
        if line.starts_with("```") {
            is_example = line == "```shell-session";
        }
        let Some(first) = line.strip_prefix("$ ").filter(|_| is_example) else {
            continue;
        };
        let mut command = first.to_owned();
        while command.ends_with('\\') {
            let line = lines.next().unwrap();
            new.push_str(&format!("{line}\n"));
            command = format!("{command}\n{line}");
        }
        let mut expected = Vec::new();
        while let Some(line) =
            lines.next_if(|line| !line.starts_with("$ ") && !line.starts_with("```"))
        {
            expected.push(line);
        }
        let printed = run(&command);
        let printed: Vec<&str> = printed.trim_end().lines().collect();
        examples += 1;
        let is_right = fits(&expected, &printed);
        let is_update = std::env::var_os("UPDATE_EXPECT").is_some();
        assert!(
            is_right || is_update,
            "{command}\nprints\n{}\nand not\n{}",
            printed.join("\n"),
            expected.join("\n")
        );
        for line in if is_right { expected } else { printed } {
            new.push_str(&format!("{line}\n"));
        }
    }
    drop(server);
    drop(database);
    admin.batch_execute(&format!("DROP ROLE {role}")).unwrap();
    assert!(examples > 4, "{examples}");
    if new != page {
        std::fs::write(file(), new).unwrap();
    }
}

#[test]
fn what_stands_for_any_text_fits_any_text() {
    for (expected, printed, is_fitting) in [
        ("a…b", "a12b", true),
        ("a…b", "ab", true),
        ("a…", "a12", true),
        ("…b", "12b", true),
        ("a…b", "a12", false),
        ("a…b", "a12bc", false),
        ("ab", "ab", true),
        ("ab", "abc", false),
    ] {
        assert_eq!(
            fits_line(expected, printed),
            is_fitting,
            "{expected} {printed}"
        );
    }
    assert!(fits(&["a", "…", "d"], &["a", "b", "c", "d"]));
    assert!(!fits(&["a", "…", "d"], &["a", "b"]));
}
