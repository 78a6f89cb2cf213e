//! No circle of modules in any package of the workspace.
//!
//! Inside each module, its own file and its child modules must form a graph without circles. A child
//! module stands for everything in it, so this holds between folders as well as between files. What a
//! module re-exports counts as used by it; who uses it through the re-export depends on the place of
//! the definition. Code of tests is left out.

mod circles;
mod modules;
mod uses;

use std::fs;
use std::path::{Path, PathBuf};

use circles::circles;
use modules::Modules;

/// Packages that still have circles.
const NOT_YET: [&str; 1] = ["text2sql_core"];

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
    let mut is_cured = Vec::new();
    for (name, folder) in packages() {
        let circles = circles_of(&folder);
        match (NOT_YET.contains(&name.as_str()), circles.is_empty()) {
            (true, true) => is_cured.push(name),
            (false, false) => offenders.push(format!("{name}:\n{}", circles.join("\n\n"))),
            (true, false) | (false, true) => {}
        }
    }
    assert!(
        offenders.is_empty(),
        "move what is used from below to a module of its own, so that every use points down:\n{}",
        offenders.join("\n\n")
    );
    assert!(is_cured.is_empty(), "remove from NOT_YET: {is_cured:?}");
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
