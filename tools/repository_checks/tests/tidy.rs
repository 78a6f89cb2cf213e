//! Fences that clippy cannot express: one test per rule, and each message says what to do.
//!
//! The rules look at whatever is in the tree, so that a new file is under them by itself. Nothing
//! is exempt by a list. Words that this file forbids are put together from halves in it.

use std::fs;
use std::path::{Path, PathBuf};

/// A text file of the project.
struct Source {
    /// Path from the project's root, with `/`.
    path: String,
    text: String,
}

impl Source {
    fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    fn file_name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    fn is_under(&self, folders: &[&str]) -> bool {
        folders.iter().any(|folder| self.path.starts_with(folder))
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every text file but what git ignores.
fn sources() -> Vec<Source> {
    let ignored = fs::read_to_string(root().join(".gitignore")).unwrap_or_default();
    let ignored: Vec<&str> = ignored.lines().map(str::trim).collect();
    let mut found = Vec::new();
    let mut waiting = vec![(root(), String::new())];
    while let Some((folder, prefix)) = waiting.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = format!("{prefix}{name}");
            if name == ".git" || is_ignored(&ignored, &path, &name) {
                continue;
            }
            let full = entry.path();
            if full.is_symlink() {
                continue;
            }
            if full.is_dir() {
                waiting.push((full, format!("{path}/")));
            } else if let Ok(text) = fs::read_to_string(&full) {
                found.push(Source { path, text });
            }
        }
    }
    found.sort_by(|one, other| one.path.cmp(&other.path));
    found
}

/// The part of git's rules that our `.gitignore` uses: `/name`, `name`, `*.end`, each with or
/// without a slash behind it.
fn is_ignored(ignored: &[&str], path: &str, name: &str) -> bool {
    ignored.iter().any(|rule| {
        let rule = rule.trim_end_matches('/');
        if rule.is_empty() || rule.starts_with('#') {
            false
        } else if let Some(rooted) = rule.strip_prefix('/') {
            path == rooted
        } else if let Some(end) = rule.strip_prefix('*') {
            name.ends_with(end)
        } else {
            name == rule
        }
    })
}

/// Rust code without comments and without what stands in quotes.
fn code_only(text: &str) -> String {
    let mut code = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let skipped = skipped_length(rest, code.chars().next_back());
        let length = if skipped > 0 {
            code.push(' ');
            skipped
        } else {
            code.push(first);
            first.len_utf8()
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    code
}

/// How many bytes of comment or literal the code begins with; 0 when it begins with neither.
fn skipped_length(rest: &str, before: Option<char>) -> usize {
    if rest.starts_with("//") {
        return rest.find('\n').unwrap_or(rest.len());
    }
    if rest.starts_with("/*") {
        return block_comment_length(rest);
    }
    let is_word = before.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let raw = rest.strip_prefix('b').unwrap_or(rest);
    let raw = raw.strip_prefix('c').unwrap_or(raw);
    if !is_word && let Some(raw) = raw.strip_prefix('r') {
        let quotes = raw.trim_start_matches('#');
        let hashes = "#".repeat(raw.len() - quotes.len());
        if let Some(body) = quotes.strip_prefix('"') {
            let end = format!("\"{hashes}");
            let length = body.find(&end).map_or(body.len(), |at| at + end.len());
            return rest.len() - body.len() + length;
        }
    }
    if let Some(body) = rest.strip_prefix('"') {
        let mut is_escaped = false;
        let end = body.find(|c| {
            let is_end = c == '"' && !is_escaped;
            is_escaped = c == '\\' && !is_escaped;
            is_end
        });
        return end.map_or(rest.len(), |end| end + 2);
    }
    // A quoted character, not a lifetime: 'a' or '\…'.
    if let Some(body) = rest.strip_prefix('\'') {
        let mut characters = body.chars();
        return match (characters.next(), characters.next()) {
            (Some('\\'), Some(escaped)) => {
                let behind = 1 + escaped.len_utf8();
                let end = body.get(behind..).and_then(|body| body.find('\''));
                end.map_or(0, |end| end + behind + 2)
            }
            (Some(character), Some('\'')) => character.len_utf8() + 2,
            _ => 0,
        };
    }
    0
}

fn block_comment_length(rest: &str) -> usize {
    let mut depth = 0usize;
    let mut position = 0;
    while let Some(tail) = rest.get(position..) {
        if tail.starts_with("/*") {
            depth += 1;
            position += 2;
        } else if tail.starts_with("*/") {
            depth -= 1;
            position += 2;
            if depth == 0 {
                return position;
            }
        } else {
            match tail.chars().next() {
                Some(character) => position += character.len_utf8(),
                None => break,
            }
        }
    }
    rest.len()
}

fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .any(|other| other == word)
}

fn assert_none(offenders: Vec<String>, what_to_do: &str) {
    assert!(
        offenders.is_empty(),
        "{what_to_do}:\n  {}",
        offenders.join("\n  ")
    );
}

/// Paths of the files for which `is_wrong` holds.
fn paths(sources: &[Source], is_wrong: impl Fn(&Source) -> bool) -> Vec<String> {
    sources
        .iter()
        .filter(|source| is_wrong(source))
        .map(|source| source.path.clone())
        .collect()
}

#[test]
fn the_tree_is_found() {
    let sources = sources();
    let has = |path: &str| sources.iter().any(|source| source.path == path);
    assert!(has("Cargo.toml") && has("src/lib.rs") && has("tools/repository_checks/tests/tidy.rs"));
    assert!(
        !sources
            .iter()
            .any(|source| source.is_under(&["target/", ".git/"]))
    );
}

#[test]
fn literals_and_comments_are_no_code() {
    let check = |text: &str, expect: &str| assert_eq!(code_only(text), expect, "{text}");
    check("a // b\nc", "a  \nc");
    check("a /* b /* c */ d */ e", "a   e");
    check(r#"f("x \" y", b"z") g"#, "f( , b ) g");
    check("let r = r#\"a \" b\"# + for_r\"x\";", "let r =   + for_r ;");
    check("'a' '\\'' '\\u{1f}' &'static x", "      &'static x");
}

/// The crates that know neither a database nor a network, each with the crates below that it may use.
/// A change here also changes the drawing in ARCHITECTURE.md.
const PURE_CRATES: [(&str, &[&str]); 19] = [
    ("text2sql_phrase_parts", &[]),
    ("text2sql_phrases", &["text2sql_phrase_parts"]),
    ("text2sql_domain", &[]),
    ("text2sql_sql", &["text2sql_domain"]),
    ("text2sql_language", &["text2sql_domain"]),
    (
        "text2sql_analysis",
        &["text2sql_domain", "text2sql_language", "text2sql_sql"],
    ),
    ("text2sql_semantics", &["text2sql_domain"]),
    (
        "text2sql_understanding",
        &["text2sql_domain", "text2sql_language", "text2sql_semantics"],
    ),
    (
        "text2sql_builtin",
        &[
            "text2sql_domain",
            "text2sql_language",
            "text2sql_semantics",
            "text2sql_understanding",
        ],
    ),
    (
        "text2sql_retrieval",
        &["text2sql_domain", "text2sql_language", "text2sql_sql"],
    ),
    (
        "text2sql_models",
        &[
            "text2sql_domain",
            "text2sql_language",
            "text2sql_retrieval",
            "text2sql_sql",
        ],
    ),
    (
        "text2sql_metrics",
        &[
            "text2sql_charts",
            "text2sql_domain",
            "text2sql_language",
            "text2sql_sql",
        ],
    ),
    ("text2sql_charts", &["text2sql_domain"]),
    ("text2sql_files", &["text2sql_domain"]),
    ("text2sql_sentence_encoder", &["text2sql_domain"]),
    (
        "text2sql_engine",
        &[
            "text2sql_analysis",
            "text2sql_builtin",
            "text2sql_domain",
            "text2sql_language",
            "text2sql_models",
            "text2sql_retrieval",
            "text2sql_sql",
        ],
    ),
    (
        "text2sql_knowledge",
        &[
            "text2sql_domain",
            "text2sql_language",
            "text2sql_models",
            "text2sql_retrieval",
            "text2sql_sql",
        ],
    ),
    (
        "text2sql_learning",
        &[
            "text2sql_domain",
            "text2sql_language",
            "text2sql_metrics",
            "text2sql_models",
            "text2sql_sql",
        ],
    ),
    (
        "text2sql_statements",
        &[
            "text2sql_analysis",
            "text2sql_domain",
            "text2sql_language",
            "text2sql_models",
            "text2sql_retrieval",
            "text2sql_sql",
        ],
    ),
];

/// The crates that reach the outside.
const ADAPTERS: [(&str, &[&str]); 4] = [
    ("text2sql_server", &["text2sql_charts", "text2sql_files"]),
    ("text2sql_http", &["text2sql_domain"]),
    ("text2sql_local", &["text2sql_domain", "text2sql_retrieval"]),
    ("text2sql_replica", &["text2sql_domain"]),
];

/// The packages that a crate depends on, those of its tests left out.
fn dependencies(name: &str) -> Vec<String> {
    let manifest = root().join("crates").join(name).join("Cargo.toml");
    let manifest = fs::read_to_string(manifest).unwrap_or_default();
    let (_, section) = manifest
        .split_once("\n[dependencies]\n")
        .unwrap_or_default();
    assert!(!section.is_empty(), "{name} has no dependencies");
    let section = section.split("\n[").next().unwrap_or_default();
    section
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .filter_map(|line| line.split(['=', '.', ' ']).next())
        .map(str::to_owned)
        .collect()
}

#[test]
fn pure_crates_depend_on_no_database_and_no_network() {
    let forbidden = [
        "pgrx",
        "postgres",
        "tokio-postgres",
        "sqlx",
        "tokio",
        "reqwest",
        "hyper",
        "libc",
        "text2sql_http",
    ];
    let mut offenders = Vec::new();
    for (name, _) in PURE_CRATES {
        let outside = dependencies(name)
            .into_iter()
            .filter(|name| forbidden.contains(&name.as_str()) || name.starts_with("pgrx-"));
        offenders.extend(outside.map(|other| format!("{name}: {other}")));
    }
    assert_none(
        offenders,
        "these crates decide and do not act: put a trait into the ports of text2sql_domain and implement \
         it in the extension or in text2sql_http, instead of depending on",
    );
}

#[test]
fn crates_depend_downwards_only() {
    let mut offenders = Vec::new();
    for (name, allowed) in PURE_CRATES.into_iter().chain(ADAPTERS) {
        // Any of them may say something to people: the catalogue is below all.
        let others = dependencies(name).into_iter().filter(|other| {
            other.starts_with("text2sql_")
                && other != "text2sql_phrases"
                && !allowed.contains(&other.as_str())
        });
        offenders.extend(others.map(|other| format!("{name} -> {other}")));
    }
    assert_none(
        offenders,
        "the layers of ARCHITECTURE.md have no such arrow: move the code down, or up",
    );
}

#[test]
fn every_crate_has_its_layer() {
    let known = |name: &str| {
        let mut layers = PURE_CRATES.into_iter().chain(ADAPTERS);
        layers.any(|(layer, _)| layer == name)
    };
    let folders = fs::read_dir(root().join("crates")).into_iter().flatten();
    let offenders = folders
        .flatten()
        .filter(|folder| folder.path().join("Cargo.toml").exists())
        .map(|folder| folder.file_name().to_string_lossy().into_owned())
        .filter(|name| !known(name))
        .collect();
    assert_none(
        offenders,
        "give the crate its layer in tools/repository_checks/tests/tidy.rs and ARCHITECTURE.md, or put an \
         instrument into tools/",
    );
}

#[test]
fn pure_crates_forbid_unsafe_code() {
    let mut offenders = Vec::new();
    for (name, _) in PURE_CRATES {
        let path = format!("crates/{name}/src/lib.rs");
        let text = fs::read_to_string(root().join(&path)).unwrap_or_default();
        if !text.lines().any(|line| line == "#![forbid(unsafe_code)]") {
            offenders.push(path);
        }
    }
    assert_none(offenders, "write #![forbid(unsafe_code)] into");
}

#[test]
fn unsafe_code_has_three_homes() {
    let word = concat!("un", "safe");
    let offenders = paths(&sources(), |source| {
        source.is_rust()
            && !source.is_under(&["src/pg/", "crates/text2sql_http/", "model/"])
            && has_word(&code_only(&source.text), word)
    });
    assert_none(
        offenders,
        "move what is not safe under src/pg/ (or crates/text2sql_http/, model/) and call it from",
    );
}

#[test]
fn only_the_postgres_layer_sees_server_internals() {
    let word = concat!("pg_", "sys");
    let offenders = paths(&sources(), |source| {
        source.is_rust()
            && !source.is_under(&["src/pg/"])
            && has_word(&code_only(&source.text), word)
    });
    assert_none(
        offenders,
        "only src/pg/ talks to the server's internals: move the code there, out of",
    );
}

#[test]
fn versions_of_postgres_differ_in_one_place() {
    let home = "src/pg/server/compat/";
    let feature = concat!("feature = ", "\"pg1");
    let number = concat!("PG_VERSION", "_NUM");
    let offenders = paths(&sources(), |source| {
        source.is_rust()
            && !source.is_under(&[home])
            && (source.text.contains(feature) || has_word(&code_only(&source.text), number))
    });
    assert_none(
        offenders,
        "give what differs between versions of PostgreSQL a function in src/pg/server/compat/ that means the same in \
         all of them, and call it from",
    );
}

#[test]
fn cargo_alone_builds_the_extension() {
    let commands = [concat!("cargo", " pgrx"), concat!("cargo", "-pgrx")];
    let offenders = paths(&sources(), |source| {
        source.is_under(&[".ci/", "Makefile", "docs/", "scripts/", "src/", "tests/"])
            && commands.iter().any(|command| source.text.contains(command))
    });
    assert_none(
        offenders,
        "build with scripts/build.sh and test with scripts/adapter_tests.sh: the command of pgrx takes minutes to \
         install. Named in",
    );
}

/// A file holds one idea; few ideas need more lines than this.
const MAX_LINES: usize = 800;

#[test]
fn files_stay_readable() {
    let offenders = sources()
        .iter()
        .filter(|source| source.is_rust() && source.text.lines().count() > MAX_LINES)
        .map(|source| format!("{} ({} lines)", source.path, source.text.lines().count()))
        .collect();
    assert_none(offenders, "split by meaning: these hold more than one idea");
}

#[test]
fn file_names_say_what_is_inside() {
    let forbidden = [
        "utils.rs",
        "util.rs",
        "common.rs",
        "helpers.rs",
        "misc.rs",
        "types.rs",
    ];
    let offenders = paths(&sources(), |source| forbidden.contains(&source.file_name()));
    assert_none(offenders, "name the file after what it does, not");
}

#[test]
fn every_file_says_what_it_is_for() {
    let offenders = paths(&sources(), |source| {
        source.is_rust() && !source.text.starts_with("//!")
    });
    assert_none(
        offenders,
        "begin with `//!` and a sentence on what comes in, what goes out and what is left to others",
    );
}

#[test]
fn every_prompt_is_used_and_lists_its_variables() {
    let sources = sources();
    let prompt_code: String = sources
        .iter()
        .filter(|source| source.is_under(&["crates/text2sql_models/src/prompt/"]))
        .map(|source| source.text.as_str())
        .collect();
    let mut offenders = Vec::new();
    for prompt in sources
        .iter()
        .filter(|source| source.is_under(&["prompts/"]) && source.path.ends_with(".md"))
    {
        if !prompt_code.contains(&prompt.path) {
            offenders.push(format!(
                "{} is included by no file of crates/text2sql_models/src/prompt/",
                prompt.path
            ));
        }
        let (header, body) = prompt.text.split_once("-->").unwrap_or(("", &prompt.text));
        if !header.trim_start().starts_with("<!--") {
            offenders.push(format!("{} does not begin with <!-- … -->", prompt.path));
        }
        for variable in variables(body) {
            if !has_word(header, variable) {
                offenders.push(format!("{} does not list {variable}", prompt.path));
            }
        }
    }
    assert_none(
        offenders,
        "a prompt begins with a comment that names its variables, and \
         crates/text2sql_models/src/prompt/ includes it by its path",
    );
}

/// The names in double braces.
fn variables(text: &str) -> Vec<&str> {
    text.split("{{")
        .skip(1)
        .filter_map(|rest| rest.split_once("}}"))
        .map(|(name, _)| name.trim())
        .filter(|name| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_'))
        .collect()
}

#[test]
fn every_sql_function_family_has_a_regression_test() {
    let sources = sources();
    let has = |path: &str| sources.iter().any(|source| source.path == path);
    let mut offenders = Vec::new();
    for source in &sources {
        let name = source.file_name();
        if source.is_under(&["src/api/"]) && source.is_rust() && name != "mod.rs" {
            let family = source.path.trim_start_matches("src/api/");
            let family = family.split(['/', '.']).next().unwrap_or_default();
            let test = format!("tests/pg_regress/sql/{family}.sql");
            if !has(&test) {
                offenders.push(format!("{test} for {}", source.path));
            }
        }
        if source.is_under(&["tests/pg_regress/sql/"]) && name.ends_with(".sql") {
            let stem = name.trim_end_matches(".sql");
            let expected = format!("tests/pg_regress/expected/{stem}.out");
            if !has(&expected) {
                offenders.push(format!("{expected} for {}", source.path));
            }
        }
    }
    offenders.dedup();
    assert_none(
        offenders,
        "the SQL surface is tested as users see it; write",
    );
}

#[test]
fn nothing_is_left_for_later() {
    let words = [
        concat!("TO", "DO"),
        concat!("FIX", "ME"),
        concat!("X", "XX"),
    ];
    let offenders = paths(&sources(), |source| {
        words.iter().any(|word| has_word(&source.text, word))
    });
    assert_none(offenders, "do it, or open an issue and drop the note in");
}

#[test]
fn no_file_names_the_machine_it_was_written_on() {
    let homes = [
        concat!("/wo", "rk/"),
        concat!("/ro", "ot/"),
        concat!("/ho", "me/"),
        concat!("/Us", "ers/"),
        concat!("/tmp", "/wt"),
    ];
    let mut offenders = Vec::new();
    for source in sources() {
        for home in homes {
            let is_named = source.text.match_indices(home).any(|(position, _)| {
                let before = source
                    .text
                    .get(..position)
                    .and_then(|text| text.chars().next_back());
                // `framework/…` and `../shared/…` are no absolute paths.
                !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '}'))
            });
            if is_named {
                offenders.push(format!("{} names {home}", source.path));
            }
        }
    }
    assert_none(
        offenders,
        "use paths relative to the project or variables of the environment",
    );
}

#[test]
fn packages_come_from_the_public_registries() {
    let mut offenders = Vec::new();
    for source in sources() {
        if source.file_name() == "Cargo.lock" {
            let foreign = source.text.lines().filter(|line| {
                line.starts_with("source = ")
                    && !line.contains("registry+https://github.com/rust-lang/crates.io-index")
            });
            offenders.extend(foreign.map(|line| format!("{}: {line}", source.path)));
        }
        let mirrors = [
            concat!("replace-", "with"),
            concat!("index-", "url"),
            concat!("arti", "factory"),
        ];
        for mirror in mirrors {
            if source.text.contains(mirror) {
                offenders.push(format!("{} sets {mirror}", source.path));
            }
        }
    }
    assert_none(
        offenders,
        "where packages are fetched from is the machine's business; take out",
    );
}

#[test]
fn settings_have_one_home() {
    let word = concat!("Guc", "Setting");
    let offenders = paths(&sources(), |source| {
        source.is_rust()
            && !source.is_under(&["src/pg/server/settings/"])
            && has_word(&code_only(&source.text), word)
    });
    assert_none(
        offenders,
        "only src/pg/server/settings/ defines and reads settings; take a finished Config in",
    );
}

/// Nothing bounds what an owner stores: a comment of a gigabyte compresses well, and costs each session that reads it.
#[test]
fn texts_of_owners_are_cut_where_they_are_read() {
    let stored = [
        "d.description",
        "seen.description",
        "obj_description(",
        "col_description(",
        "p.prosrc",
        "pg_get_viewdef(",
        "pg_get_functiondef(",
        "pg_get_partkeydef(",
        "pg_get_expr(",
        "pg_get_constraintdef(",
        "pg_get_indexdef(",
        "pg_get_ruledef(",
        "pg_get_triggerdef(",
        "pg_get_statisticsobjdef",
    ];
    // Also a text that the query only compares is unpacked for it.
    let is_bounded = |line: &str| line.contains("left(");
    let mut unbounded = Vec::new();
    for source in sources() {
        let is_query = source.is_under(&["src/", "sql/queries/", "sql/schema/"]);
        for (number, line) in source.text.lines().enumerate().filter(|_| is_query) {
            let line = line.trim_start();
            let is_comment = line.starts_with("--") || line.starts_with("//");
            if !is_comment && stored.iter().any(|name| line.contains(name)) && !is_bounded(line) {
                unbounded.push(format!("{}:{}: {line}", source.path, number + 1));
            }
        }
    }
    assert!(
        unbounded.is_empty(),
        "cut the text in the query, as in left(d.description, 4000):\n{}",
        unbounded.join("\n")
    );
}

/// An enum may have a hundred thousand labels, and each of a thousand columns has them again.
#[test]
fn labels_of_enums_are_counted_where_they_are_read() {
    let offenders = paths(&sources(), |source| {
        let of_labels = source.text.matches("agg(e.enumlabel").count();
        let limits = source.text.matches("ORDER BY enumsortorder LIMIT").count();
        source.is_under(&["src/", "sql/queries/"]) && of_labels > limits
    });
    assert_none(
        offenders,
        "limit the labels in the query, as sql/queries/value_columns.sql does",
    );
}

/// pgrx's own types for JSON unpack anything, and end in an internal error on what is nested too deep.
#[test]
fn documents_of_callers_are_measured_and_read_by_our_types() {
    let mut own = Vec::new();
    for source in sources() {
        if !source.is_under(&["src/api/"]) {
            continue;
        }
        for (number, line) in source.text.lines().enumerate() {
            let is_argument = ["pgrx::Json", "Json", "JsonB", "pgrx::JsonB"]
                .iter()
                .any(|name| {
                    [
                        format!(": {name},"),
                        format!(": {name})"),
                        format!("Option<{name}>,"),
                        format!("(Option<{name}>"),
                    ]
                    .iter()
                    .any(|written| line.contains(written.as_str()))
                });
            if is_argument && !line.contains("name!(") && !line.contains("->") {
                own.push(format!("{}:{}: {}", source.path, number + 1, line.trim()));
            }
        }
    }
    assert!(
        own.is_empty(),
        "take JsonArgument or JsonbArgument of src/pg/server/json_argument.rs:\n{}",
        own.join("\n")
    );
}

/// Row-level security keeps an index on an expression from being used, so that each look at one row reads all of them.
#[test]
fn rows_of_knowledge_are_not_looked_up_by_an_expression_as_the_caller() {
    let expressions = [
        "lower(term) = lower(",
        "md5(question) = md5(",
        "md5(e.question) = md5(",
    ];
    let mut slow = Vec::new();
    for source in sources() {
        let is_owners = |lines: &[&str], number: usize| {
            let near = lines
                .get(number.saturating_sub(9)..number)
                .unwrap_or_default();
            near.iter().any(|line| {
                line.contains("As the owner") || line.contains("ADD") || line.contains("FIND_ALL")
            })
        };
        let lines: Vec<&str> = source.text.lines().collect();
        for (number, line) in lines.iter().enumerate() {
            let is_in_library = source.is_under(&["src/pg/stored/teaching/"]);
            if is_in_library
                && expressions.iter().any(|name| line.contains(name))
                && !is_owners(&lines, number)
            {
                slow.push(format!("{}:{}: {}", source.path, number + 1, line.trim()));
            }
        }
    }
    assert!(
        slow.is_empty(),
        "read the ids as the owner, then what the caller sees of them by id:\n{}",
        slow.join("\n")
    );
}
