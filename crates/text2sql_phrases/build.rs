//! Lists the files of `po/`, so that a language is a file and nothing else.
#![allow(clippy::expect_used, reason = "a build that cannot go on stops")]

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

fn main() {
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("set by cargo")).join("po");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut tags: Vec<String> = fs::read_dir(&folder)
        .expect("the folder of the catalogue")
        .filter_map(|entry| {
            let name = entry.ok()?.file_name().into_string().ok()?;
            name.strip_suffix(".po").map(str::to_owned)
        })
        .collect();
    // English first: it is what others fall back to.
    tags.sort_by_key(|tag| (tag != "en", tag.clone()));
    let mut code = String::new();
    let mut all = String::new();
    for tag in tags {
        let (name, path) = (tag.to_uppercase(), folder.join(format!("{tag}.po")));
        writeln!(
            code,
            "static {name}: Catalogue = Catalogue::new({tag:?}, include_str!({path:?}));"
        )
        .expect("a text grows");
        write!(all, "&{name}, ").expect("a text grows");
    }
    writeln!(code, "static ALL: &[&Catalogue] = &[{all}];").expect("a text grows");
    let to = Path::new(&env::var("OUT_DIR").expect("set by cargo")).join("languages.rs");
    fs::write(to, code).expect("the list of languages can be written");
}
