//! What describes the packages agrees with the manifest: `META.json`, which PGXN reads, and the templates in
//! `packaging/`.

use std::fs;
use std::path::Path;

use serde_json::Value;

fn read(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::read_to_string(root.join(path)).unwrap_or_default()
}

/// The value of `name = "…"` in the manifest's section for all crates.
fn manifest_value(name: &str) -> String {
    let manifest = read("Cargo.toml");
    let (_, section) = manifest
        .split_once("\n[workspace.package]\n")
        .unwrap_or_default();
    let section = section.split("\n[").next().unwrap_or_default();
    section
        .lines()
        .filter_map(|line| line.split_once(" = "))
        .find(|(key, _)| *key == name)
        .map(|(_, value)| value.trim_matches('"').to_owned())
        .unwrap_or_default()
}

fn meta() -> Value {
    serde_json::from_str(&read("META.json")).unwrap_or_default()
}

/// The major versions that the manifest has a feature for.
fn supported_versions() -> Vec<u32> {
    read("Cargo.toml")
        .lines()
        .filter_map(|line| line.strip_prefix("pg")?.split_once(" = ")?.0.parse().ok())
        .collect()
}

#[test]
fn meta_has_the_version_of_the_manifest() {
    let meta = meta();
    let version = manifest_value("version");
    assert_eq!(meta["version"], version.as_str());
    let provided = &meta["provides"]["pg_text2sql"];
    assert_eq!(provided["version"], version.as_str());
    let (major, rest) = version.split_once('.').unwrap_or_default();
    let (minor, patch) = rest.split_once('.').unwrap_or_default();
    for part in [major, minor, patch] {
        assert!(
            part.parse::<u32>().is_ok(),
            "PGXN wants a version of three numbers: {version}"
        );
    }
}

#[test]
fn meta_has_the_fields_that_pgxn_requires() {
    let meta = meta();
    for field in ["name", "abstract", "maintainer"] {
        let text = meta[field].as_str().unwrap_or_default();
        assert!(!text.is_empty(), "META.json lacks {field}");
    }
    assert_eq!(meta["meta-spec"]["version"], "1.0.0");
    assert_eq!(manifest_value("license"), "Apache-2.0");
    assert_eq!(meta["license"], "apache_2_0");
    assert!(
        ["stable", "testing", "unstable"]
            .map(Value::from)
            .contains(&meta["release_status"])
    );
    let provided = &meta["provides"]["pg_text2sql"];
    for field in ["file", "docfile"] {
        let path = provided[field].as_str().unwrap_or_default();
        assert!(!read(path).is_empty());
    }
}

#[test]
fn meta_requires_the_oldest_supported_server() {
    let oldest = supported_versions()
        .into_iter()
        .min()
        .expect("a feature pgNN");
    for phase in ["build", "runtime"] {
        assert_eq!(
            meta()["prereqs"][phase]["requires"]["PostgreSQL"],
            format!("{oldest}.0.0")
        );
    }
}

/// The control file, `META.json` and the Debian package are three lists of the same extensions.
#[test]
fn the_required_extensions_are_the_same_everywhere() {
    let control = read("pg_text2sql.control");
    let required = control
        .lines()
        .find_map(|line| line.strip_prefix("requires = '"))
        .expect("the control file requires extensions")
        .trim_end_matches('\'');
    let mut required: Vec<_> = required.split(", ").collect();
    required.sort_unstable();
    let meta = meta();
    let mut described: Vec<_> = meta["prereqs"]["runtime"]["requires"]
        .as_object()
        .expect("prerequisites")
        .keys()
        .map(String::as_str)
        .filter(|name| *name != "PostgreSQL")
        .collect();
    described.sort_unstable();
    assert_eq!(described, required);

    // pg_trgm and plpgsql are in the package of the server.
    let oldest_vector = meta["prereqs"]["runtime"]["requires"]["vector"]
        .as_str()
        .unwrap_or_default();
    let depends = format!("postgresql-@MAJOR@-pgvector (>= {oldest_vector})");
    assert!(
        read("packaging/debian/control.in").contains(&depends),
        "packaging/debian/control.in does not depend on {depends}"
    );
}

#[test]
fn the_image_compiles_with_the_pinned_toolchain() {
    let toolchain = read("rust-toolchain.toml");
    let channel = toolchain
        .lines()
        .find_map(|line| line.strip_prefix("channel = "))
        .expect("a channel")
        .trim_matches('"');
    let image = format!("ARG RUST={channel}\n");
    assert!(
        read("packaging/Dockerfile").contains(&image),
        "packaging/Dockerfile has no line {image}"
    );
}

#[test]
fn pages_name_the_packages_of_this_version() {
    let version = manifest_value("version");
    let mut named = 0;
    for page in ["README.md", "docs/install.md"] {
        let text = read(page);
        for start in ["pg_text2sql-", "-text2sql_"] {
            for (_, rest) in text
                .match_indices(start)
                .map(|(at, _)| text.split_at(at + start.len()))
            {
                if !rest.starts_with(|c: char| c.is_ascii_digit()) {
                    continue;
                }
                named += 1;
                assert!(
                    rest.strip_prefix(&version)
                        .is_some_and(|rest| rest.starts_with(['-', '.', '`', ' ', '\n'])),
                    "{page} names a package of another version than {version}: {start}{}",
                    rest.split_whitespace().next().unwrap_or_default()
                );
            }
        }
    }
    assert!(named > 0, "the pages name no package");
}
