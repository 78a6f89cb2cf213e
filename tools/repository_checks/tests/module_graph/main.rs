//! No package of the workspace has a circle of modules.
//!
//! Inside each module, its own file and its child modules must form a graph without circles. A child
//! module stands for everything in it, so this holds between folders as well as between files. What a
//! module re-exports counts as used by it; who uses it through the re-export depends on the place of
//! the definition. Code of tests is left out.
#![allow(
    clippy::indexing_slicing,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test that cannot go on fails"
)]

mod circles;
mod modules;
mod uses;

use std::fs;
use std::path::{Path, PathBuf};

use circles::circles;
use modules::Modules;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The folders of all packages: the root and whatever holds a manifest one or two levels below.
fn packages() -> Vec<(String, PathBuf)> {
    let mut found = Vec::new();
    let mut folders = vec![(root(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        if let Ok(manifest) = fs::read_to_string(folder.join("Cargo.toml")) {
            let name = manifest.lines().find_map(|line| {
                let name = line.strip_prefix("name = ")?;
                Some(name.trim_matches('"').to_owned())
            });
            found.extend(name.map(|name| (name, folder.clone())));
        }
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let is_source = name != "target" && !name.to_string_lossy().starts_with('.');
            if depth < 2 && is_source && entry.path().is_dir() {
                folders.push((entry.path(), depth + 1));
            }
        }
    }
    found.sort();
    found
}

/// The circles of a package, each as the lines that name its edges.
fn circles_of(package: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let roots = ["lib.rs", "main.rs"].map(|name| package.join("src").join(name));
    let programs = fs::read_dir(package.join("src/bin")).into_iter().flatten();
    let programs = programs.flatten().map(|entry| entry.path());
    for file in roots.into_iter().chain(programs) {
        if file.extension().is_some_and(|end| end == "rs") && file.exists() {
            let modules = Modules::read(&file);
            for circle in circles(&modules) {
                let edges = circle
                    .iter()
                    .map(|edge| format!("  {}", edge.describe(&modules)));
                found.push(edges.collect::<Vec<_>>().join("\n"));
            }
        }
    }
    found
}

#[test]
fn no_package_has_a_circle_of_modules() {
    let mut offenders = Vec::new();
    for (name, folder) in packages() {
        let circles = circles_of(&folder);
        if !circles.is_empty() {
            offenders.push(format!("{name}:\n{}", circles.join("\n\n")));
        }
    }
    assert!(
        offenders.is_empty(),
        "move what is used from below to a module of its own, so that every use points down:\n{}",
        offenders.join("\n\n")
    );
}

/// Prints the circles of the package that `MODULE_GRAPH` names, or of all of them.
#[test]
fn circles_are_printed_on_demand() {
    let Ok(wanted) = std::env::var("MODULE_GRAPH") else {
        return;
    };
    for (name, folder) in packages() {
        if wanted.is_empty() || wanted == name {
            for circle in circles_of(&folder) {
                println!("{name}:\n{circle}\n");
            }
        }
    }
}

/// A library of these files, whose circles are counted.
fn circles_between(name: &str, files: &[(&str, &str)]) -> usize {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    for (file, text) in files {
        let path = folder.join(file);
        fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    circles(&Modules::read(&folder.join("lib.rs"))).len()
}

#[test]
fn a_circle_is_found_however_the_path_is_written() {
    let root = ("lib.rs", "mod a;\nmod b;\n");
    let below = ("b.rs", "pub struct B;\n");
    let check = |name: &str, a: &str, b: &str, expect: usize| {
        let found = circles_between(name, &[root, ("a.rs", a), ("b.rs", b)]);
        assert_eq!(found, expect, "{name}");
    };
    let uses_b = "pub struct A;\nuse crate::b::B;\nfn f(_: B) {}\n";
    check("one_way", uses_b, below.1, 0);
    check("grouped", uses_b, "pub struct B;\nuse crate::{a::A};\n", 1);
    check(
        "super",
        uses_b,
        "pub struct B;\nuse super::a::A as Other;\n",
        1,
    );
    check(
        "inline",
        uses_b,
        "pub struct B;\nfn f(_: crate::a::A) {}\n",
        1,
    );
    check(
        "in_macro",
        uses_b,
        "pub struct B;\nfn f() { drop(vec![crate::a::A]) }\n",
        1,
    );
    check(
        "in_test",
        uses_b,
        "pub struct B;\n#[cfg(test)]\nmod tests { use crate::a::A; }\n",
        0,
    );
}

#[test]
fn folders_and_re_exports_count() {
    let files = [
        ("lib.rs", "mod low;\nmod high;\n"),
        ("low/mod.rs", "mod x;\nmod y;\npub use self::x::X;\n"),
        ("low/x.rs", "pub struct X;\n"),
        // The name comes through `mod.rs`, and is defined beside.
        ("low/y.rs", "use super::X;\npub struct Y(X);\n"),
        ("high.rs", "use crate::low::X;\npub struct High(X);\n"),
    ];
    assert_eq!(circles_between("layers", &files), 0);
    let mut circle = files;
    circle[2].1 = "pub struct X;\nuse crate::high::High;\n";
    assert_eq!(circles_between("folder_circle", &circle), 1);
    let mut own = files;
    own[1].1 = "mod x;\nmod y;\npub use self::x::X;\npub struct Own;\n";
    own[3].1 = "use super::Own;\npub struct Y(Own);\n";
    assert_eq!(circles_between("no_use_of_children", &own), 0);
    own[2].1 = "use super::Own;\npub struct X(Own);\n";
    assert_eq!(circles_between("face_and_child", &own), 1);
}
