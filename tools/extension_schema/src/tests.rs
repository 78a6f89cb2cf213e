//! The order of the script, and what is said about input that cannot be used.

use std::path::Path;

use pgrx_sql_entity_graph::positioning_ref::PositioningRef;
use pgrx_sql_entity_graph::{ExtensionSqlEntity, SchemaEntity, SqlGraphEntity};

use crate::script::{Parts, entities, sql};
use crate::write_files;

const CONTROL: &str = "comment = 'c'\ndefault_version = '1.0'\nmodule_pathname = '$libdir/x'\n\
                       relocatable = false\nsuperuser = true\n";

/// Every third object needs the one three before it, and the rest depend on nothing.
fn objects() -> Vec<SqlGraphEntity<'static>> {
    let names: &'static [String] = (0..40)
        .map(|n| format!("part_{n:02}"))
        .collect::<Vec<_>>()
        .leak();
    names
        .iter()
        .enumerate()
        .map(|(n, name)| {
            let needed = names.get(n.wrapping_sub(3)).filter(|_| n % 3 == 0);
            SqlGraphEntity::CustomSql(ExtensionSqlEntity {
                module_path: "x",
                full_path: name,
                sql: name,
                file: "x.rs",
                line: 1,
                name,
                bootstrap: false,
                finalize: n == 20,
                requires: needed
                    .map(|name| PositioningRef::Name(name.clone()))
                    .into_iter()
                    .collect(),
                creates: Vec::new(),
            })
        })
        .collect()
}

#[test]
fn the_order_is_the_same_in_every_run() {
    let first = sql(objects(), CONTROL, "x").unwrap();
    let mut other_order = objects();
    other_order.reverse();
    for _ in 0..20 {
        assert_eq!(sql(objects(), CONTROL, "x").unwrap(), first);
        assert_eq!(sql(other_order.clone(), CONTROL, "x").unwrap(), first);
    }
}

#[test]
fn what_is_needed_comes_first() {
    let script = sql(objects(), CONTROL, "x").unwrap();
    let place = |n: usize| script.find(&format!("\npart_{n:02}\n")).unwrap();
    for n in (3..40).step_by(3) {
        assert!(place(n - 3) < place(n), "{n}: {script}");
    }
    assert!((0..40).all(|n| place(n) <= place(20)), "{script}");
}

#[test]
fn what_tests_a_library_is_not_in_the_script_of_the_extension() {
    let schema = |name, module_path| {
        SqlGraphEntity::Schema(SchemaEntity {
            module_path,
            name,
            file: "x.rs",
            line: 1,
        })
    };
    let mut all = objects();
    all.push(schema("tests", "x::one::tests"));
    all.push(schema("other", "x::two"));
    let parts = Parts::of(all);
    assert_eq!(parts.tests.len(), 1);
    assert_eq!(parts.extension.len(), 41);
    let tests = sql(parts.tests, CONTROL, "x").unwrap();
    assert!(
        tests.contains("CREATE SCHEMA IF NOT EXISTS tests"),
        "{tests}"
    );
    let extension = sql(parts.extension, CONTROL, "x").unwrap();
    assert!(
        extension.contains("other") && !extension.contains("tests"),
        "{extension}"
    );
}

#[test]
fn bad_control_files_and_libraries_are_named() {
    let error = sql(objects(), "comment = 'c'", "x").unwrap_err();
    assert!(error.starts_with("x.control: "), "{error}");
    let error = entities(b"#!/bin/sh").unwrap_err();
    assert!(
        error.starts_with("not a shared library for this machine"),
        "{error}"
    );
    // The test itself is a program without any SQL objects.
    let program = std::fs::read(std::env::current_exe().unwrap()).unwrap();
    let error = entities(&program).unwrap_err();
    assert!(error.starts_with("no SQL objects of pgrx"), "{error}");
}

#[test]
fn nothing_is_written_for_bad_input() {
    let output = std::env::temp_dir().join(format!("extension_schema_{}", std::process::id()));
    let control = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../pg_text2sql.control");
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    for (library, control, problem) in [
        (
            Path::new("/no/such.so"),
            control.as_path(),
            "/no/such.so: No such file",
        ),
        (Path::new("/"), &control, "/: Is a directory"),
        (&manifest, &control, "not a shared library"),
        (
            &manifest,
            Path::new("/no/x.control"),
            "/no/x.control: No such file",
        ),
        (&manifest, &manifest, "not the name of a control file"),
    ] {
        let error = write_files(library, control, &output).unwrap_err();
        assert!(error.contains(problem), "{error}");
        assert!(!error.contains('\n'), "{error}");
        assert!(!output.exists());
    }
}
