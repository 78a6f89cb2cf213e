//! Scripts of released versions do not change: databases have run them, and update scripts start from what they made.
//! `sql/upgrade/README.md` says what to do instead.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

fn sql() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../sql")
}

/// The names in `sql/` itself.
fn names() -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(sql())
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

fn is_script(name: &str) -> bool {
    name.starts_with("pg_text2sql--") && name.ends_with(".sql")
}

#[test]
fn released_scripts_are_as_they_were_released() {
    let listed = fs::read_to_string(sql().join("released.sha256")).expect("sql/released.sha256");
    let listed: BTreeMap<&str, &str> = listed
        .lines()
        .filter_map(|line| line.split_once("  "))
        .map(|(sum, name)| (name, sum))
        .collect();
    for name in names().iter().filter(|name| is_script(name)) {
        let bytes = fs::read(sql().join(name)).expect("a script can be read");
        let sum: String = Sha256::digest(&bytes)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        assert_eq!(
            listed.get(name.as_str()).copied(),
            Some(sum.as_str()),
            "sql/{name} is released and must not change: see sql/upgrade/README.md"
        );
    }
    for name in listed.keys() {
        assert!(
            sql().join(name).is_file(),
            "sql/{name} was released and is missing"
        );
    }
}

#[test]
fn the_directory_of_scripts_holds_nothing_else() {
    let others: Vec<String> = names()
        .into_iter()
        .filter(|name| !is_script(name))
        .collect();
    assert_eq!(others, ["queries", "released.sha256", "schema", "upgrade"]);
}

/// The symbols that a script names: `'MODULE_PATHNAME', 'symbol'`.
fn symbols(script: &str) -> impl Iterator<Item = &str> {
    script
        .split("'MODULE_PATHNAME', '")
        .skip(1)
        .filter_map(|rest| rest.split('\'').next())
}

/// Creating the functions of a released version, as `pg_upgrade` does, loads each symbol.
#[test]
fn the_library_has_the_symbols_of_released_scripts() {
    let mut source = String::new();
    let mut directories = vec![sql().join("../src")];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).expect("src/ can be read") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                directories.push(path);
            } else {
                source.push_str(&fs::read_to_string(&path).unwrap_or_default());
            }
        }
    }
    for name in names().iter().filter(|name| is_script(name)) {
        let script = fs::read_to_string(sql().join(name)).expect("a script can be read");
        for symbol in symbols(&script) {
            // pgrx names the symbol of a function `NAME_wrapper`.
            let is_there = match symbol.strip_suffix("_wrapper") {
                Some(function) => {
                    source.contains(&format!("fn {function}("))
                        || source.contains(&format!("    {symbol}, "))
                }
                None => {
                    let name = symbol.strip_prefix("text2sql_").unwrap_or(symbol);
                    [
                        format!("entry_point!({name});"),
                        format!("entry_point!(of_any_version {name});"),
                        format!("entry_point!({name} = "),
                        format!("    {symbol}, "),
                    ]
                    .iter()
                    .any(|there| source.contains(there))
                }
            };
            assert!(
                is_there,
                "sql/{name} names the C symbol {symbol}, which is gone: add it to src/pg/server/extension_update/removed_symbols.rs"
            );
        }
    }
}
